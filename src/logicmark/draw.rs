//! Random draws whose values never change: an item that a seed gave once, it gives for ever.
//!
//! Only the cipher's words are taken from a crate. How they become numbers and orders is fixed here, since the sampling
//! routines of a general-purpose crate may change between its versions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of draws. Streams of one seed are independent of each other.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream numbered `stream` of `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut cipher = ChaCha8Rng::seed_from_u64(seed);
        cipher.set_stream(stream);
        Draw(cipher)
    }

    /// A uniform number from 0 to `n - 1`; 0 if `n` is 0 or 1.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n < 2 {
            return 0;
        }
        // Words past the last whole multiple of n are drawn again, so that every value is equally likely.
        let limit = u64::MAX - u64::MAX % n;
        loop {
            let word = self.0.next_u64();
            if word < limit {
                return (word % n) as usize;
            }
        }
    }

    /// Puts the values in a uniformly random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }

    /// `n` distinct values in random order (all of them if there are fewer than `n`).
    pub fn sample<T: Copy>(&mut self, values: &[T], n: usize) -> Vec<T> {
        let mut all = values.to_vec();
        self.shuffle(&mut all);
        all.truncate(n);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Draw;

    #[test]
    fn draws_are_uniform_and_orders_equally_likely() {
        let mut draw = Draw::new(1, 0);
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut values = [0, 1, 2];
            draw.shuffle(&mut values);
            *orders.entry(values).or_insert(0) += 1;
        }
        assert_eq!(orders.len(), 6);
        // 1000 expected, standard deviation 29.
        assert!(orders.values().all(|n| (870..1130).contains(n)), "{orders:?}");
    }

    #[test]
    fn streams_and_seeds_differ_and_repeat() {
        let first = |seed, stream| {
            let mut draw = Draw::new(seed, stream);
            [(); 8].map(|()| draw.below(1000))
        };
        assert_eq!(first(7, 3), first(7, 3));
        assert_ne!(first(7, 3), first(7, 4));
        assert_ne!(first(7, 3), first(8, 3));
    }
}
