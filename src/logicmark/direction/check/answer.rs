//! Answers as values: what an ending says, and whether it says it correctly.

use super::grammar::{heading, number, unit as unit_of};

/// What is asked for, as a value that can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    /// The square of a distance, its unit, and the signs of the way to the east and to the north.
    Place { square: i64, unit: String, east: i64, north: i64 },
    /// A heading in quarters clockwise from north.
    Heading(u8),
    /// A length on a road, as a fraction in lowest terms.
    Length { over: i64, under: i64, unit: String },
}

/// The largest number that an answer may have.
const LARGEST: i64 = 10_000_000;

/// Reads an ending of any kind.
pub(super) fn read(text: &str) -> Result<Answer, String> {
    let unread = || format!("ending `{text}` is no distance and direction, no direction and no length");
    if let Some(quarters) = heading(text) {
        return Ok(Answer::Heading(quarters));
    }
    if let Some((distance, direction)) = text.rsplit_once(", ") {
        let (square, unit) = distance_of(distance).ok_or_else(unread)??;
        let (east, north) = signs(direction).ok_or_else(unread)?;
        return Ok(Answer::Place { square, unit, east, north });
    }
    let (digits, unit) = text.split_once(' ').ok_or_else(unread)?;
    let over = number(digits).filter(|_| !unit.contains(' ')).ok_or_else(unread)?;
    Ok(Answer::Length { over, under: 1, unit: unit_of(unit) })
}

/// `5 km` or `3√2 km (about 4.24 km)`: its square and its unit. The decimal must be right, and the root in lowest terms.
fn distance_of(text: &str) -> Option<Result<(i64, String), String>> {
    let Some((factor, rest)) = text.split_once('√') else {
        let (digits, unit) = text.split_once(' ')?;
        let n = number(digits).filter(|n| *n > 0 && *n < LARGEST && !unit.contains(' '))?;
        return Some(Ok((n * n, unit_of(unit))));
    };
    let factor = if factor.is_empty() { 1 } else { number(factor).filter(|n| *n > 1)? };
    let (under, rest) = rest.split_once(' ')?;
    let under = number(under).filter(|n| *n > 1 && *n < LARGEST)?;
    let (unit, about) = rest.split_once(" (about ")?;
    let about = about.strip_suffix(')')?.strip_suffix(unit)?.strip_suffix(' ')?;
    let (whole, hundredths) = about.split_once('.')?;
    let hundredths = number(hundredths).filter(|_| hundredths.len() == 2)? + 100 * number(whole)?;
    let square = factor.checked_mul(factor)?.checked_mul(under)?;
    // |100·√square − hundredths| < 1/2, in whole numbers: (2h − 1)² < 4·10⁴·square < (2h + 1)².
    let scaled = 40_000_i64.checked_mul(square)?;
    let (low, high) = (2 * hundredths - 1, 2 * hundredths + 1);
    if low * low >= scaled || high * high <= scaled {
        return Some(Err(format!("`{text}`: the decimal is not the root to two places")));
    }
    if (2..=under.isqrt()).any(|n| under % (n * n) == 0) {
        return Some(Err(format!("`{text}`: the root is not in lowest terms")));
    }
    Some(Ok((square, unit_of(unit))))
}

/// The signs of the ways to the east and north of a direction.
fn signs(direction: &str) -> Option<(i64, i64)> {
    let one = |word: &str| {
        heading(word).map(|quarters| match quarters {
            0 => (0, 1),
            1 => (1, 0),
            2 => (0, -1),
            _ => (-1, 0),
        })
    };
    match direction.split_once('-') {
        None => one(direction),
        Some((along, across)) => {
            let ((0, north), (east, 0)) = (one(along)?, one(across)?) else { return None };
            (north != 0 && east != 0).then_some((east, north))
        }
    }
}

/// The way from one point to another as an answer; nothing where there is none.
pub(super) fn place(east: i64, north: i64, unit: &str) -> Option<Answer> {
    ((east, north) != (0, 0)).then(|| Answer::Place {
        square: east * east + north * north,
        unit: unit.to_string(),
        east: east.signum(),
        north: north.signum(),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn roots_must_be_right() {
        for right in [
            "5 km, north",
            "√34 km (about 5.83 km), north-east",
            "3√2 m (about 4.24 m), south-west",
            "west",
            "12 miles",
        ] {
            assert!(read(right).is_ok(), "{right}");
        }
        for wrong in [
            "√34 km (about 5.84 km), north-east",
            "√8 km (about 2.83 km), north-east",
            "√9 km (about 3.00 km), north",
            "0 km, north",
            "5 km, east-north",
            "5 km, north-south",
            "5 km north",
            "north-east",
            "√34 km (about 5.83 miles), north-east",
            "",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
