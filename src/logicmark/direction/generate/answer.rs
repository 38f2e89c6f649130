//! The words of an answer.

use super::walk::HEADINGS;

/// `5 km, north`; `√34 km (about 5.83 km), north-east`. `None` for no distance at all.
pub(super) fn place(east: i64, north: i64, unit: &str) -> Option<String> {
    let direction = direction(east, north)?;
    Some(format!("{}, {direction}", distance(east * east + north * north, unit)))
}

/// √`square` with its square factors taken out, and its decimal where it is not whole.
fn distance(square: i64, unit: &str) -> String {
    let (mut out, mut under) = (1, square);
    let mut factor = 2;
    while factor * factor <= under {
        while under % (factor * factor) == 0 {
            under /= factor * factor;
            out *= factor;
        }
        factor += 1;
    }
    if under == 1 {
        return super::words::length(out, unit);
    }
    let factor = if out == 1 { String::new() } else { out.to_string() };
    // The hundredths: the whole number nearest to 100·√square. It is never half way, since the root is irrational.
    let scaled = square * 10_000;
    let floor = scaled.isqrt();
    let nearest = if scaled - floor * floor > floor { floor + 1 } else { floor };
    format!("{factor}√{under} {unit} (about {}.{:02} {unit})", nearest / 100, nearest % 100)
}

fn direction(east: i64, north: i64) -> Option<String> {
    let along = match north.signum() {
        1 => HEADINGS[0],
        -1 => HEADINGS[2],
        _ => "",
    };
    let across = match east.signum() {
        1 => HEADINGS[1],
        -1 => HEADINGS[3],
        _ => "",
    };
    match (along, across) {
        ("", "") => None,
        ("", one) | (one, "") => Some(one.to_string()),
        (along, across) => Some(format!("{along}-{across}")),
    }
}

/// Whether an answer speaks of a direction between two.
pub(super) fn is_between(answer: &str) -> bool {
    answer.rsplit(", ").next().is_some_and(|direction| direction.contains('-'))
}
