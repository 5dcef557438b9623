//! Times of object metadata as Go reads and prints them.
//!
//! Source: `time.Parse(time.RFC3339, …)` and its more lenient slow path.

use std::fmt::Write as _;

use crate::{Error, ErrorKind};

/// An instant: seconds since 0001-01-01T00:00:00Z and nanoseconds. The default is Go's zero value.
///
/// Equality is that of Go's `reflect.DeepEqual`: a time that was read differs from the zero value even when it is
/// the same instant, because it carries the server's zone. [`Time::same_instant`] is the semantic one.
///
/// ```
/// use claimkit_values::time::Time;
///
/// let time = Time::parse("2024-01-02T04:04:05+01:00").unwrap();
/// assert_eq!(time.rfc3339(), "2024-01-02T03:04:05Z");
/// assert_eq!(time.go_string(), "2024-01-02 03:04:05 +0000 UTC");
/// assert_eq!(time.go_syntax(), "time.Date(2024, time.January, 2, 3, 4, 5, 0, time.Local)");
/// assert!(time.same_instant(Time::parse("2024-01-02T03:04:05Z").unwrap()));
/// assert_eq!(Time::parse("0001-01-01T00:00:01Z").unwrap().parts(), (1, 0));
/// assert!(Time::default().is_zero());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Time {
    /// Seconds since 0001-01-01T00:00:00Z; the year 0000 is before it.
    seconds: i64,
    nanoseconds: u32,
    /// In the server's local zone, as every time that was read.
    local: bool,
}

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
/// Seconds from 0001-01-01T00:00:00Z to 1970-01-01T00:00:00Z.
const UNIX_EPOCH: i64 = 62_135_596_800;
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

impl Time {
    /// Reads `metadata` times (`metav1.Time`).
    ///
    /// # Errors
    /// Go's words for a text that is not a time.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse(text)
    }

    /// Returns the time so many seconds after 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use claimkit_values::time::Time;
    ///
    /// assert_eq!(Time::of_unix(1_795_935_600).rfc3339(), "2026-11-29T07:00:00Z");
    /// ```
    pub fn of_unix(seconds: i64) -> Self {
        Time {
            seconds: seconds.saturating_add(UNIX_EPOCH),
            ..Time::default()
        }
    }

    /// Returns true for Go's zero time, which prints as `null`.
    pub fn is_zero(self) -> bool {
        self.same_instant(Self::default())
    }

    /// Compares as Go's `Equal` does: the same instant, whatever the zone.
    pub fn same_instant(self, other: Self) -> bool {
        self.seconds == other.seconds && self.nanoseconds == other.nanoseconds
    }

    /// Returns the seconds since 0001-01-01T00:00:00Z, which are less than zero in the year 0000, and the nanoseconds.
    pub const fn parts(self) -> (i64, u32) {
        (self.seconds, self.nanoseconds)
    }

    /// Prints the time in RFC 3339 in UTC, whole seconds: what the server writes.
    pub fn rfc3339(self) -> String {
        let mut out = String::new();
        let c = self.civil();
        let _ = write!(
            out,
            "{}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            c.padded_year(),
            c.month,
            c.day,
            c.hour,
            c.minute,
            c.second
        );
        out
    }

    /// Prints the time as Go's `String()` does in a server that runs in UTC: `2024-01-02 03:04:05 +0000 UTC`.
    pub fn go_string(self) -> String {
        let mut out = String::new();
        let c = self.civil();
        let _ = write!(
            out,
            "{}-{:02}-{:02} {:02}:{:02}:{:02}",
            c.padded_year(),
            c.month,
            c.day,
            c.hour,
            c.minute,
            c.second
        );
        if self.nanoseconds != 0 {
            let digits = format!("{:09}", self.nanoseconds);
            out.push('.');
            out.push_str(digits.trim_end_matches('0'));
        }
        out.push_str(" +0000 UTC");
        out
    }

    /// Prints the time in Go syntax (`%#v`). A time that was read is in the server's local zone, the zero time in UTC.
    pub fn go_syntax(self) -> String {
        let c = self.civil();
        let month = usize::try_from(c.month)
            .ok()
            .and_then(|m| MONTHS.get(m.wrapping_sub(1)))
            .unwrap_or(&"January");
        let zone = if self.local { "time.Local" } else { "time.UTC" };
        format!(
            "time.Date({}, time.{month}, {}, {}, {}, {}, {}, {zone})",
            c.year, c.day, c.hour, c.minute, c.second, self.nanoseconds
        )
    }

    fn civil(self) -> Civil {
        Civil::new(self.seconds)
    }
}

impl Civil {
    /// Returns date and clock of seconds since 0001-01-01T00:00:00, in any zone.
    pub fn new(seconds: i64) -> Self {
        let days = seconds.div_euclid(86_400);
        let clock = seconds.rem_euclid(86_400);
        // Days since 0000-03-01, so that leap days end a year.
        let shifted = days.saturating_add(306);
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let leaps = (day_of_era / 1_460)
            .saturating_sub(day_of_era / 36_524)
            .saturating_add(day_of_era / 146_096);
        let year_of_era = day_of_era.saturating_sub(leaps) / 365;
        let before = year_of_era
            .saturating_mul(365)
            .saturating_add(year_of_era / 4)
            .saturating_sub(year_of_era / 100);
        let day_of_year = day_of_era.saturating_sub(before);
        let shifted_month = day_of_year.saturating_mul(5).saturating_add(2) / 153;
        let day = day_of_year
            .saturating_sub(shifted_month.saturating_mul(153).saturating_add(2) / 5)
            .saturating_add(1);
        let month = if shifted_month < 10 {
            shifted_month.saturating_add(3)
        } else {
            shifted_month.saturating_sub(9)
        };
        let year = year_of_era
            .saturating_add(era.saturating_mul(400))
            .saturating_add(i64::from(month <= 2));
        Civil {
            year,
            month,
            day,
            hour: clock / 3_600,
            minute: clock / 60 % 60,
            second: clock % 60,
        }
    }
}

/// A date and a clock, without a zone.
///
/// ```
/// use claimkit_values::time::Civil;
///
/// let date = Civil::new(86_400);
/// assert_eq!((date.padded_year().as_str(), date.month, date.day, date.hour), ("0001", 1, 2, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year of the proleptic Gregorian calendar.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The hour, from 0 to 23.
    pub hour: i64,
    /// The minute, 0 to 59.
    pub minute: i64,
    /// The second, 0 to 59; leap seconds do not exist.
    pub second: i64,
}

impl Civil {
    /// Returns the year with four digits. It has a sign before 0000, which an offset from UTC can reach.
    pub fn padded_year(&self) -> String {
        let sign = if self.year < 0 { "-" } else { "" };
        format!("{sign}{:04}", self.year.unsigned_abs())
    }
}

/// Returns the number of days from 0001-01-01 to the first day of `month` of `year`.
///
/// ```
/// assert_eq!(claimkit_values::time::days_before(2, 1), 365);
/// ```
pub fn days_before(year: i64, month: i64) -> i64 {
    let shifted_year = if month <= 2 {
        year.saturating_sub(1)
    } else {
        year
    };
    let shifted_month = if month <= 2 {
        month.saturating_add(9)
    } else {
        month.saturating_sub(3)
    };
    let leaps = shifted_year
        .div_euclid(4)
        .saturating_sub(shifted_year.div_euclid(100))
        .saturating_add(shifted_year.div_euclid(400));
    shifted_year
        .saturating_mul(365)
        .saturating_add(leaps)
        .saturating_add(shifted_month.saturating_mul(153).saturating_add(2) / 5)
        .saturating_sub(306)
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// One failed element: what was left of the text, and the layout's element.
struct Cursor<'a> {
    text: &'a str,
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn cannot_parse(&self, rest: &[u8], element: &str) -> Error {
        let message = format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quote(self.text.as_bytes()),
            quote(LAYOUT.as_bytes()),
            quote(rest),
            quote(element.as_bytes())
        );
        Error::new(ErrorKind::Syntax, message)
    }

    fn out_of_range(&self, what: &str) -> Error {
        Error::new(
            ErrorKind::Range,
            format!(
                "parsing time {}: {what} out of range",
                quote(self.text.as_bytes())
            ),
        )
    }

    fn literal(&mut self, byte: u8, element: &str) -> Result<(), Error> {
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                Ok(())
            }
            _ => Err(self.cannot_parse(self.rest, element)),
        }
    }

    /// Reads a number of two digits, or of one if `least` is one.
    fn number(&mut self, least: usize, element: &str) -> Result<i64, Error> {
        let (value, rest) = match self.rest {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] => {
                let tens = i64::from(tens.wrapping_sub(b'0'));
                let ones = i64::from(ones.wrapping_sub(b'0'));
                (tens.saturating_mul(10).saturating_add(ones), rest)
            }
            [ones @ b'0'..=b'9', rest @ ..] if least < 2 => {
                (i64::from(ones.wrapping_sub(b'0')), rest)
            }
            _ => return Err(self.cannot_parse(self.rest, element)),
        };
        self.rest = rest;
        Ok(value)
    }

    /// Reads a number that is at most `most`.
    fn number_up_to(
        &mut self,
        most: i64,
        least: usize,
        element: &str,
        name: &str,
    ) -> Result<i64, Error> {
        let number = self.number(least, element)?;
        if number > most {
            return Err(self.out_of_range(name));
        }
        Ok(number)
    }

    /// Reads a year of four digits.
    fn year(&mut self) -> Result<i64, Error> {
        let Some((digits, rest)) = self.rest.split_at_checked(4) else {
            return Err(self.cannot_parse(self.rest, "2006"));
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(self.cannot_parse(self.rest, "2006"));
        }
        self.rest = rest;
        Ok(digits.iter().fold(0, |year: i64, digit| {
            let ones = i64::from(digit.wrapping_sub(b'0'));
            year.saturating_mul(10).saturating_add(ones)
        }))
    }
}

fn parse(text: &str) -> Result<Time, Error> {
    let mut at = Cursor {
        text,
        rest: text.as_bytes(),
    };
    let year = at.year()?;
    at.literal(b'-', "-")?;
    let month = at.number(2, "01")?;
    if !(1..=12).contains(&month) {
        return Err(at.out_of_range("month"));
    }
    at.literal(b'-', "-")?;
    let day = at.number(2, "02")?;
    at.literal(b'T', "T")?;
    // Go lets the hour be one digit.
    let hour = at.number_up_to(23, 1, "15", "hour")?;
    at.literal(b':', ":")?;
    let minute = at.number_up_to(59, 2, "04", "minute")?;
    at.literal(b':', ":")?;
    let second = at.number_up_to(59, 2, "05", "second")?;
    let nanoseconds = fraction(&mut at);
    let offset = zone(&mut at)?;
    if !at.rest.is_empty() {
        let message = format!(
            "parsing time {}: extra text: {}",
            quote(text.as_bytes()),
            quote(at.rest)
        );
        return Err(Error::new(ErrorKind::ExtraText, message));
    }
    if day < 1 || day > days_in(year, month) {
        return Err(at.out_of_range("day"));
    }
    let seconds = days_before(year, month)
        .saturating_add(day.saturating_sub(1))
        .saturating_mul(86_400)
        .saturating_add(hour.saturating_mul(3_600))
        .saturating_add(minute.saturating_mul(60))
        .saturating_add(second)
        .saturating_sub(offset);
    Ok(Time {
        seconds,
        nanoseconds,
        local: true,
    })
}

/// Reads `.` or `,` and at least one digit; digits after the ninth are dropped.
fn fraction(at: &mut Cursor<'_>) -> u32 {
    let [b'.' | b',', behind @ ..] = at.rest else {
        return 0;
    };
    let end = behind.iter().position(|byte| !byte.is_ascii_digit());
    let (digits, rest) = behind
        .split_at_checked(end.unwrap_or(behind.len()))
        .unwrap_or((behind, &[]));
    if digits.is_empty() {
        return 0;
    }
    at.rest = rest;
    nanoseconds(digits)
}

fn nanoseconds(digits: &[u8]) -> u32 {
    (0..9).fold(0, |sum: u32, at| {
        let digit = digits.get(at).map_or(0, |digit| digit.wrapping_sub(b'0'));
        sum.saturating_mul(10).saturating_add(u32::from(digit))
    })
}

fn two_digits(tens: u8, ones: u8) -> Option<i64> {
    if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
        return None;
    }
    let tens = i64::from(tens.wrapping_sub(b'0'));
    let ones = i64::from(ones.wrapping_sub(b'0'));
    Some(tens.saturating_mul(10).saturating_add(ones))
}

/// Reads `Z` or `±hh:mm`: seconds east of UTC.
fn zone(at: &mut Cursor<'_>) -> Result<i64, Error> {
    const ELEMENT: &str = "Z07:00";
    if let Some((b'Z', rest)) = at.rest.split_first() {
        at.rest = rest;
        return Ok(0);
    }
    let hold = at.rest;
    let Some(([sign, h1, h2, b':', m1, m2], rest)) = hold.split_first_chunk::<6>() else {
        return Err(at.cannot_parse(hold, ELEMENT));
    };
    let hours = two_digits(*h1, *h2);
    let minutes = hours.and_then(|_| two_digits(*m1, *m2));
    // Range errors come before the sign is looked at; 24 hours and 60 minutes are allowed.
    if hours.is_some_and(|h| h > 24) && minutes.is_none_or(|m| m <= 60) {
        return Err(at.out_of_range("time zone offset hour"));
    }
    if minutes.is_some_and(|m| m > 60) {
        return Err(at.out_of_range("time zone offset minute"));
    }
    let (Some(hours), Some(minutes)) = (hours, minutes) else {
        return Err(at.cannot_parse(hold, ELEMENT));
    };
    let offset = hours
        .saturating_mul(3_600)
        .saturating_add(minutes.saturating_mul(60));
    at.rest = rest;
    match sign {
        b'+' => Ok(offset),
        b'-' => Ok(offset.saturating_neg()),
        _ => Err(at.cannot_parse(hold, ELEMENT)),
    }
}

/// Quotes as the `time` package itself does: every byte beyond ASCII and every control byte below space as `\xNN`.
fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().saturating_add(2));
    out.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        for (text, printed) in [
            ("2024-01-02T03:04:05Z", "2024-01-02 03:04:05 +0000 UTC"),
            ("2024-02-29T23:59:59+00:00", "2024-02-29 23:59:59 +0000 UTC"),
            ("2024-03-01T00:30:00+01:00", "2024-02-29 23:30:00 +0000 UTC"),
            ("2023-12-31T23:30:00-01:30", "2024-01-01 01:00:00 +0000 UTC"),
            (
                "2024-01-02T03:04:05.120Z",
                "2024-01-02 03:04:05.12 +0000 UTC",
            ),
            (
                "2024-01-02T03:04:05,1234567899Z",
                "2024-01-02 03:04:05.123456789 +0000 UTC",
            ),
            ("2024-01-02T3:04:05Z", "2024-01-02 03:04:05 +0000 UTC"),
            ("0001-01-01T00:00:00Z", "0001-01-01 00:00:00 +0000 UTC"),
            ("0000-12-31T00:00:00Z", "0000-12-31 00:00:00 +0000 UTC"),
            ("9999-12-31T23:59:59Z", "9999-12-31 23:59:59 +0000 UTC"),
            (
                "0000-01-01T00:00:00+01:00",
                "-0001-12-31 23:00:00 +0000 UTC",
            ),
            ("1900-03-01T00:00:00+24:60", "1900-02-27 23:00:00 +0000 UTC"),
        ] {
            assert_eq!(
                Time::parse(text).map(Time::go_string).as_deref(),
                Ok(printed),
                "{text}"
            );
        }
        assert!(
            Time::parse("0001-01-01T01:00:00+01:00")
                .is_ok_and(|t| t.is_zero() && t != Time::default())
        );
    }

    #[test]
    fn civil_days_agree_with_their_inverse() {
        for day in (-366..3_652_059_i64).step_by(13) {
            let time = Time {
                seconds: day * 86_400 + 7,
                nanoseconds: 0,
                local: true,
            };
            assert_eq!(Time::parse(&time.rfc3339()), Ok(time));
        }
    }

    #[test]
    fn refuses_in_gos_words() {
        let as_layout = |text: &str, rest: &str, element: &str| {
            format!(
                "parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{rest}\" as \"{element}\""
            )
        };
        for (text, rest, element) in [
            ("x", "x", "2006"),
            ("", "", "2006"),
            ("2023", "", "-"),
            ("2023-1-01T00:00:00Z", "1-01T00:00:00Z", "01"),
            ("2023-01-01", "", "T"),
            ("2023-01-01t00:00:00Z", "t00:00:00Z", "T"),
            ("2023-01-01 00:00:00Z", " 00:00:00Z", "T"),
            ("2023-01-01T00:00:00", "", "Z07:00"),
            ("2023-01-01T00:00:00z", "z", "Z07:00"),
            ("2023-01-01T00:00:00+0100", "+0100", "Z07:00"),
            ("2023-01-01T00:00:00*01:00", "*01:00", "Z07:00"),
            ("2023-01-01T00:00Z", "Z", ":"),
            ("2023-01-01T00:00:00.Z", ".Z", "Z07:00"),
        ] {
            let error = Time::parse(text).unwrap_err();
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Syntax, as_layout(text, rest, element).as_str())
            );
        }
        for (text, what) in [
            ("2023-13-01T00:00:00Z", "month"),
            ("2023-02-29T00:00:00Z", "day"),
            ("2023-01-00T00:00:00Z", "day"),
            ("2023-01-01T24:00:00Z", "hour"),
            ("2023-01-01T00:60:00Z", "minute"),
            ("2023-01-01T00:00:60Z", "second"),
            ("2023-01-01T00:00:00+25:00", "time zone offset hour"),
            ("2023-01-01T00:00:00+00:61", "time zone offset minute"),
        ] {
            let error = Time::parse(text).unwrap_err();
            let message = format!("parsing time \"{text}\": {what} out of range");
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::Range, message)
            );
        }
        let extra = Time::parse("2023-01-01T00:00:00Zx").unwrap_err();
        assert_eq!(extra.kind(), ErrorKind::ExtraText);
        assert_eq!(
            String::from(extra),
            "parsing time \"2023-01-01T00:00:00Zx\": extra text: \"x\""
        );
        assert_eq!(
            Time::parse("\u{e9}\"\u{1}").unwrap_err().message(),
            "parsing time \"\\xc3\\xa9\\\"\\x01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\xc3\\xa9\\\"\\x01\" as \"2006\""
        );
    }

    #[test]
    fn prints_go_syntax() {
        assert_eq!(
            Time::default().go_syntax(),
            "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)"
        );
        assert_eq!(
            Time::parse("2024-12-02T03:04:05.5Z")
                .map(Time::go_syntax)
                .as_deref(),
            Ok("time.Date(2024, time.December, 2, 3, 4, 5, 500000000, time.Local)")
        );
    }
}
