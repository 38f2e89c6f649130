//! The slopes of attention with linear biases, in the two orders that files are trained with.

/// BLOOM's and Falcon's: powers of one base for the largest power of two n ≤ H heads, and for the rest the odd powers of
/// the base of 2n heads.
pub(super) fn bloom_slopes(heads: usize) -> Vec<f32> {
    let whole = if heads.is_power_of_two() { heads } else { heads.next_power_of_two() / 2 };
    // The base is an f32 before it is raised, as in the reference.
    let base = |n: usize| f64::from((-8.0 / n as f64).exp2() as f32);
    let power = |base: f64, k: usize| base.powi(k as i32) as f32;
    let rest = (0..heads - whole).map(|k| power(base(2 * whole), 2 * k + 1));
    (1..=whole).map(|k| power(base(whole), k)).chain(rest).collect()
}

/// MPT's: those of the next power of two N ≥ H, every second one first, the first H of them.
pub(super) fn mpt_slopes(heads: usize) -> Vec<f32> {
    let n = heads.next_power_of_two();
    let slope = |k: usize| (-8.0 * k as f64 / n as f64).exp2() as f32;
    if n == heads {
        return (1..=n).map(slope).collect();
    }
    (2..=n).step_by(2).chain((1..=n).step_by(2)).map(slope).take(heads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_six_heads() {
        let powers = |list: &[f64]| list.iter().map(|p| p.exp2() as f32).collect::<Vec<_>>();
        assert_eq!(bloom_slopes(6), powers(&[-2.0, -4.0, -6.0, -8.0, -1.0, -3.0]));
        assert_eq!(mpt_slopes(6), powers(&[-2.0, -4.0, -6.0, -8.0, -1.0, -3.0]));
        assert_eq!(mpt_slopes(5), powers(&[-2.0, -4.0, -6.0, -8.0, -1.0]));
    }

    #[test]
    fn a_power_of_two_is_in_order_in_both() {
        assert_eq!(bloom_slopes(8), mpt_slopes(8));
        assert_eq!(mpt_slopes(8)[0], 0.5);
        assert!(bloom_slopes(16).windows(2).all(|w| w[0] > w[1]));
        assert_eq!(bloom_slopes(1), vec![1.0 / 256.0]);
    }
}
