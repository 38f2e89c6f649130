//! The date that a chat template is told, and Python's `strftime` for it. There is no clock here: today's date would make
//! scores differ from day to day.

use std::fmt;
use std::str::FromStr;

/// A day of the Gregorian calendar, at midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    year: u32,
    month: u32,
    day: u32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl FromStr for Date {
    type Err = String;

    /// Reads `YYYY-MM-DD`, years 1 to 9999.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no date; write it as YYYY-MM-DD, such as 2024-07-26");
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
        if (year.len(), month.len(), day.len()) != (4, 2, 2) || !text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            return Err(wrong());
        }
        let number = |part: &str| part.parse::<u32>().map_err(|_| wrong());
        let date = Date { year: number(year)?, month: number(month)?, day: number(day)? };
        let fits =
            date.year > 0 && (1..=12).contains(&date.month) && (1..=days_in(date.year, date.month)).contains(&date.day);
        if fits { Ok(date) } else { Err(wrong()) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Date {
    /// As Python's `datetime.strftime` in the C locale.
    ///
    /// # Errors
    /// A message naming a directive that is not known.
    pub(super) fn format(self, format: &str) -> Result<String, String> {
        let (month, weekday) = (MONTHS[self.month as usize - 1], WEEKDAYS[self.weekday()]);
        let mut out = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let mut directive = rest.next();
            let unpadded = directive == Some('-');
            if unpadded {
                directive = rest.next();
            }
            let number = |value: u32, width: usize| match unpadded {
                true => value.to_string(),
                false => format!("{value:0width$}"),
            };
            let part = match directive {
                Some('d') => number(self.day, 2),
                Some('e') if unpadded => self.day.to_string(),
                Some('e') => format!("{:2}", self.day),
                Some('m') => number(self.month, 2),
                Some('Y') => self.year.to_string(),
                Some('y') => number(self.year % 100, 2),
                Some('j') => number(self.day_of_year(), 3),
                Some('H' | 'M' | 'S') => number(0, 2),
                Some('I') => number(12, 2),
                Some('p') => "AM".to_string(),
                Some('B') => month.to_string(),
                Some('b' | 'h') => month[..3].to_string(),
                Some('A') => weekday.to_string(),
                Some('a') => weekday[..3].to_string(),
                Some('F') => self.to_string(),
                Some('T') => "00:00:00".to_string(),
                Some('%') => "%".to_string(),
                Some(other) => return Err(format!("`%{other}` in strftime_now({format:?}) is not known")),
                None => return Err(format!("strftime_now({format:?}) ends in the middle of a directive")),
            };
            out.push_str(&part);
        }
        Ok(out)
    }

    fn day_of_year(self) -> u32 {
        (1..self.month).map(|month| days_in(self.year, month)).sum::<u32>() + self.day
    }

    /// 0 for Monday.
    fn weekday(self) -> usize {
        let before = self.year - 1;
        let days = before * 365 + before / 4 - before / 100 + before / 400 + self.day_of_year();
        // 1 January of the year 1 was a Monday.
        (days as usize + 6) % 7
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn dates_are_read_and_written_as_python_does() {
        // From Python's datetime.
        let cases = [
            (
                "2024-07-26",
                "%d %b %Y|%-d %B %y|%A %a %j|%H:%M:%S|100%%|%e|%F",
                "26 Jul 2024|26 July 24|Friday Fri 208|00:00:00|100%|26|2024-07-26",
            ),
            ("2000-02-29", "%a %j %-m %m %e %-d %d", "Tue 060 2 02 29 29 29"),
            ("1900-03-01", "%A %j %e", "Thursday 060  1"),
            ("2026-12-31", "%A %j %y", "Thursday 365 26"),
            ("0001-01-01", "%A %Y", "Monday 1"),
        ];
        for (date, format, expected) in cases {
            let date: Date = date.parse().unwrap();
            assert_eq!(date.format(format).unwrap(), expected, "{date}");
        }
        assert!(cases[0].0.parse::<Date>().unwrap().format("%Q").unwrap_err().contains("%Q"));
        assert!(cases[0].0.parse::<Date>().unwrap().format("x%").is_err());
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2024",
            "2024-7-26",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-01-00",
            "0000-01-01",
            "+024-01-01",
            "2024-01-01-",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }
}
