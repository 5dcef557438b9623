//! Points in time and durations.
//!
//! Source: Go's `time` package; cel-go `common/types/timestamp.go` and `duration.go`.

use claimkit_values::float::plain;
use claimkit_values::time::{Civil, Time, days_before};
use claimkit_values::{GoUnicode, quote};
use std::fmt;

/// Seconds from 0001-01-01 to 1970-01-01, both at midnight.
const UNIX_EPOCH: i64 = 62_135_596_800;
/// Seconds of 400 years, after which the calendar repeats, days of the week included.
const CYCLE: i128 = 146_097 * 86_400;
/// Go's first second, as seconds since the year 1: 292,277,022,400 years before it, which are whole cycles, and ten months.
const COUNTED_FROM: i128 = -730_692_556 * CYCLE - 306 * 86_400;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: nothing is before or behind.
const FIRST: i64 = -UNIX_EPOCH;
const LAST: i64 = 253_402_300_799;
const NANOSECONDS: i64 = 1_000_000_000;

/// A point in time, with the offset it was written with.
///
/// Two that are the same instant are equal for the language, whatever their offsets.
///
/// ```
/// use claimkit_cel::library::time::Timestamp;
///
/// let time = Timestamp::parse("2024-01-02T04:04:05+01:00").unwrap();
/// assert_eq!(time.to_string(), "2024-01-02T04:04:05+01:00");
/// assert!(Timestamp::parse("2024-01-02").is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: u32,
    /// Seconds east of UTC.
    offset: i32,
}

impl Timestamp {
    /// Computes `timestamp("…")`: RFC 3339, from the year 1 to 9999.
    pub fn parse(text: &str) -> Result<Self, TimestampRefusal> {
        let (seconds, nanoseconds) = Time::parse(text)
            .map_err(|_| TimestampRefusal::Text)?
            .parts();
        let of_unix = seconds.saturating_sub(UNIX_EPOCH);
        Self::new(of_unix, nanoseconds, written_offset(text)).ok_or(TimestampRefusal::Overflow)
    }

    /// Returns the time of a message `google.protobuf.Timestamp`, which can be any (Go, `time.Unix`).
    pub(crate) fn of_message(seconds: i64, nanoseconds: i64) -> Self {
        Self {
            seconds: seconds.wrapping_add(nanoseconds.div_euclid(NANOSECONDS)),
            nanoseconds: u32::try_from(nanoseconds.rem_euclid(NANOSECONDS)).unwrap_or_default(),
            offset: 0,
        }
    }

    /// Computes `timestamp(1672531200)`: seconds since 1970; nothing outside of the years 1 to 9999.
    pub(crate) fn from_seconds(seconds: i64) -> Option<Self> {
        Self::new(seconds, 0, 0)
    }

    fn new(seconds: i64, nanoseconds: u32, offset: i32) -> Option<Self> {
        (FIRST..=LAST).contains(&seconds).then_some(Self {
            seconds,
            nanoseconds,
            offset,
        })
    }

    /// Returns the whole seconds since 1970: `int(…)`.
    pub(crate) const fn seconds(self) -> i64 {
        self.seconds
    }

    /// Returns the value used for equality and order: seconds since the year 1, which wrap as Go's do, and nanoseconds.
    pub(crate) const fn instant(self) -> (i64, u32) {
        (self.seconds.wrapping_add(UNIX_EPOCH), self.nanoseconds)
    }

    /// Returns true for Go's zero time: the first instant there is.
    pub(crate) const fn is_zero(self) -> bool {
        self.seconds == FIRST && self.nanoseconds == 0
    }

    /// Prints the time as Go's `String()` does: `2024-01-02 03:04:05.5 +0000 UTC`. A zone without a name is printed as its offset
    /// again.
    pub(crate) fn go_string(self) -> String {
        let (date, clock) = self.parts();
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs() / 60;
        let offset = format!("{sign}{:02}{:02}", minutes / 60, minutes % 60);
        let zone = if self.offset == 0 { "UTC" } else { &offset };
        format!("{date} {clock} {offset} {zone}")
    }

    /// Returns date and time at an offset from UTC, with as many digits of the second's fraction as are needed.
    fn parts(self) -> (String, String) {
        let civil = self.civil_at(i64::from(self.offset));
        let date = format!(
            "{}-{:02}-{:02}",
            civil.padded_year(),
            civil.month,
            civil.day
        );
        let mut clock = format!("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second);
        if self.nanoseconds != 0 {
            clock.push('.');
            clock.push_str(format!("{:09}", self.nanoseconds).trim_end_matches('0'));
        }
        (date, clock)
    }

    /// Returns the timestamp plus a duration (cel-go, `common/types/overflow.go`, `addTimeDurationChecked`).
    pub(crate) fn plus(self, duration: Duration) -> Result<Self, TimeOverflow> {
        let nanoseconds = i64::from(self.nanoseconds).saturating_add(duration.0 % NANOSECONDS);
        let seconds = self
            .seconds
            .checked_add(duration.0 / NANOSECONDS)
            .and_then(|seconds| seconds.checked_add(nanoseconds.div_euclid(NANOSECONDS)))
            .ok_or(TimeOverflow::Seconds)?;
        let nanoseconds = u32::try_from(nanoseconds.rem_euclid(NANOSECONDS)).unwrap_or_default();
        Self::new(seconds, nanoseconds, self.offset).ok_or(TimeOverflow::Years)
    }

    /// Returns the duration from `other` to `self`; `None` on overflow. Upstream multiplies the whole seconds first, so it also
    /// overflows when only that product does not fit.
    pub(crate) fn since(self, other: Self) -> Option<Duration> {
        let nanoseconds = i64::from(self.nanoseconds).saturating_sub(i64::from(other.nanoseconds));
        let seconds = self.seconds.saturating_sub(other.seconds);
        seconds
            .checked_mul(NANOSECONDS)?
            .checked_add(nanoseconds)
            .map(Duration)
    }

    /// Returns date and time in UTC.
    pub(crate) fn fields(self) -> Fields {
        self.fields_at(0)
    }

    /// Returns date and clock at an offset in seconds east of UTC. Go counts in 64 bits from its first second (package `time`,
    /// `Time.absSec`).
    fn civil_at(self, offset: i64) -> Civil {
        let since_first_year = i128::from(UNIX_EPOCH)
            .saturating_add(i128::from(self.seconds))
            .saturating_add(i128::from(offset));
        let counted = since_first_year.saturating_sub(COUNTED_FROM) as u64;
        let since_first_year = i128::from(counted).saturating_add(COUNTED_FROM);
        let cycles = i64::try_from(since_first_year.div_euclid(CYCLE)).unwrap_or_default();
        let seconds = i64::try_from(since_first_year.rem_euclid(CYCLE)).unwrap_or_default();
        let in_cycle = Civil::new(seconds);
        Civil {
            year: in_cycle.year.saturating_add(cycles.saturating_mul(400)),
            ..in_cycle
        }
    }

    /// Returns date and clock at an offset in seconds east of UTC.
    pub(crate) fn fields_at(self, offset: i64) -> Fields {
        let civil = self.civil_at(offset);
        // The calendar repeats: the year of the first 400 that is like this one.
        let year = civil
            .year
            .saturating_sub(1)
            .rem_euclid(400)
            .saturating_add(1);
        let day = days_before(year, civil.month).saturating_add(civil.day.saturating_sub(1));
        Fields {
            year: civil.year,
            month: civil.month.saturating_sub(1),
            day: civil.day,
            // 0001-01-01 is a Monday.
            day_of_week: day.saturating_add(1).rem_euclid(7),
            day_of_year: day.saturating_sub(days_before(year, 1)),
            hour: civil.hour,
            minute: civil.minute,
            second: civil.second,
            millisecond: i64::from(self.nanoseconds / 1_000_000),
        }
    }
}

/// The reason for which a sum with a timestamp is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeOverflow {
    /// The seconds do not fit into 64 bits.
    Seconds,
    /// The sum is before the year 1 or after the year 9999.
    Years,
}

/// The reason for refusing a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimestampRefusal {
    /// It is not RFC 3339.
    Text,
    /// It is before the year 1 or after the year 9999, in UTC.
    Overflow,
}

/// Date and clock, as the accessors of the language give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    /// `getFullYear`
    pub year: i64,
    /// `getMonth`: 0 is January.
    pub month: i64,
    /// `getDate`: from 1. `getDayOfMonth` is one less.
    pub day: i64,
    /// `getDayOfWeek`: 0 is Sunday.
    pub day_of_week: i64,
    /// `getDayOfYear`: from 0.
    pub day_of_year: i64,
    /// `getHours`
    pub hour: i64,
    /// `getMinutes`
    pub minute: i64,
    /// `getSeconds`
    pub second: i64,
    /// `getMilliseconds`
    pub millisecond: i64,
}

/// Returns the offset at the end of a text that was read as RFC 3339.
fn written_offset(text: &str) -> i32 {
    let Some([sign, h1, h2, _, m1, m2]) = text
        .as_bytes()
        .last_chunk::<6>()
        .filter(|_| !text.ends_with('Z'))
    else {
        return 0;
    };
    let [hours, minutes] = [(h1, h2), (m1, m2)].map(|(tens, ones)| {
        i32::from(tens & 0xf)
            .saturating_mul(10)
            .saturating_add(i32::from(ones & 0xf))
    });
    let seconds = hours
        .saturating_mul(60)
        .saturating_add(minutes)
        .saturating_mul(60);
    if *sign == b'-' {
        seconds.saturating_neg()
    } else {
        seconds
    }
}

/// RFC 3339 with as many digits behind the second as are needed: `string(…)`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (date, clock) = self.parts();
        write!(f, "{date}T{clock}")?;
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Nanoseconds: about 292 years in both directions.
///
/// ```
/// use claimkit_cel::library::time::Duration;
///
/// assert_eq!(Duration::parse("1h30m"), Some(Duration(5_400_000_000_000)));
/// assert_eq!(Duration::parse("1h30m").unwrap().to_string(), "5400s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    /// Parses a text as Go's `time.ParseDuration` does: `1h30m`, `-1.5s`, `0`. Nothing for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let negative = text.starts_with('-');
        let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut sum = 0u64;
        while !rest.is_empty() {
            let (value, behind) = read_term(rest)?;
            sum = sum.checked_add(value).filter(|sum| *sum <= 1 << 63)?;
            rest = behind;
        }
        let value = i128::from(sum);
        i64::try_from(if negative {
            value.saturating_neg()
        } else {
            value
        })
        .ok()
        .map(Self)
    }

    /// Adds two durations; `None` on overflow.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Negates the duration; `None` on overflow.
    pub(crate) fn negative(self) -> Option<Self> {
        self.0.checked_neg().map(Self)
    }

    /// Returns the difference; nothing for an overflow.
    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Computes `getHours`: whole hours, by way of a floating-point number as upstream does.
    pub(crate) fn hours(self) -> i64 {
        self.of(3_600 * NANOSECONDS) as i64
    }

    /// Computes `getMinutes`.
    pub(crate) fn minutes(self) -> i64 {
        self.of(60 * NANOSECONDS) as i64
    }

    /// Computes `getSeconds`.
    pub(crate) fn seconds(self) -> i64 {
        self.of(NANOSECONDS) as i64
    }

    /// Computes `getMilliseconds`.
    pub(crate) const fn milliseconds(self) -> i64 {
        self.0 / 1_000_000
    }

    /// Prints the duration as Go's `String()` does: `1h30m0s`, `1.5s`, `100ms`, `0s`.
    pub(crate) fn go_string(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let all = self.0.unsigned_abs();
        match all {
            0 => "0s".to_owned(),
            1..1_000 => format!("{sign}{all}ns"),
            1_000..1_000_000 => format!("{sign}{}\u{b5}s", print_decimal(all, 3)),
            1_000_000..1_000_000_000 => format!("{sign}{}ms", print_decimal(all, 6)),
            _ => {
                let (minutes, seconds) =
                    (all / 60_000_000_000, print_decimal(all % 60_000_000_000, 9));
                match (minutes / 60, minutes % 60) {
                    (0, 0) => format!("{sign}{seconds}s"),
                    (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                    (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
                }
            }
        }
    }

    /// Returns how many units there are.
    fn of(self, unit: i64) -> f64 {
        let whole = self.0.checked_div(unit).unwrap_or(0);
        let rest = self.0.checked_rem(unit).unwrap_or(0);
        whole as f64 + rest as f64 / unit as f64
    }
}

/// Seconds: `5400s`, `1.5s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", plain(self.of(NANOSECONDS)))
    }
}

/// Writes a number with this many digits behind its point, without zeros at the end.
fn print_decimal(number: u64, digits: usize) -> String {
    let unit = 10u64.saturating_pow(u32::try_from(digits).unwrap_or(0));
    let whole = number.checked_div(unit).unwrap_or(0);
    let padded = format!("{:0digits$}", number.checked_rem(unit).unwrap_or(0));
    match padded.trim_end_matches('0') {
        "" => whole.to_string(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Returns the number of digits that a text begins with.
fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Reads a number with its unit; returns nanoseconds and the rest of the text.
fn read_term(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = text.split_at_checked(count_digits(text))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(count_digits(rest))?,
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest
        .bytes()
        .position(|byte| byte == b'.' || byte.is_ascii_digit())
        .unwrap_or(rest.len());
    let (unit, behind) = rest.split_at_checked(end)?;
    let unit: u64 = match unit {
        "ns" => 1,
        // The micro sign and the Greek letter.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    const MOST: u64 = 1 << 63;
    let count = whole.bytes().try_fold(0u64, |value, byte| {
        value
            .checked_mul(10)?
            .checked_add(u64::from(byte & 0xf))
            .filter(|value| *value <= MOST)
    })?;
    let mut value = count.checked_mul(unit).filter(|value| *value <= MOST)?;
    if !fraction.is_empty() {
        // Takes as many digits as upstream does and drops the others.
        let (mut number, mut scale) = (0u64, 1.0);
        for byte in fraction.bytes() {
            match number
                .checked_mul(10)
                .and_then(|n| n.checked_add(u64::from(byte & 0xf)))
                .filter(|n| *n <= MOST)
            {
                Some(next) => number = next,
                None => break,
            }
            scale *= 10.0;
        }
        value = value
            .checked_add((number as f64 * (unit as f64 / scale)) as u64)
            .filter(|value| *value <= MOST)?;
    }
    Some((value, behind))
}

/// The zone given to an accessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Seconds east of UTC.
    Offset(i64),
    /// The name of a place: see [`super::zones`].
    Place(String),
}

/// Reads the zone of an accessor: `±hh:mm`, or a name. The error is Go's.
pub(crate) fn zone(text: &str) -> Result<Zone, String> {
    if let Some((hours, minutes)) = text.split_once(':') {
        let hours = atoi(hours)?.wrapping_mul(60);
        let minutes = atoi(minutes)?;
        let offset = if text.starts_with('-') {
            hours.wrapping_sub(minutes)
        } else {
            hours.wrapping_add(minutes)
        };
        // Upstream makes a duration of it.
        return Ok(Zone::Offset(
            Duration(offset.wrapping_mul(60 * NANOSECONDS)).seconds(),
        ));
    }
    match text {
        // The server runs in UTC.
        "" | "UTC" | "Local" => Ok(Zone::Offset(0)),
        _ if text.starts_with(['/', '\\']) || text.contains("..") => {
            Err("time: invalid location name".to_owned())
        }
        _ => Ok(Zone::Place(text.to_owned())),
    }
}

/// Parses a number as Go's `strconv.Atoi` does. It stops at the first digit that overflows an unsigned 64-bit number.
fn atoi(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = digits
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(digits.len());
    let is_number = end > 0 && end == digits.len();
    let overflows = digits
        .get(..end)
        .is_some_and(|digits| !digits.is_empty() && digits.parse::<u64>().is_err());
    let why = if is_number || overflows {
        "value out of range"
    } else {
        "invalid syntax"
    };
    text.parse().map_err(|_| {
        format!(
            "strconv.Atoi: parsing {}: {why}",
            quote(text, GoUnicode::V15)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn earlier(time: &str, duration: Duration) -> Result<Timestamp, TimeOverflow> {
        at(time).plus(duration.negative().unwrap())
    }

    fn printed(text: &str) -> String {
        at(text).to_string()
    }

    #[test]
    fn timestamps() {
        for text in [
            "2023-01-01T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "2023-01-01T00:00:00+05:30",
            "2023-06-14T02:03:04.567890123Z",
            "2023-01-01T00:00:00.5-00:30",
        ] {
            assert_eq!(printed(text), text);
        }
        assert_eq!(
            printed("2023-01-01T00:00:00.1000-00:00"),
            "2023-01-01T00:00:00.1Z"
        );
        assert_eq!(
            at("2023-01-01T00:00:00.50-00:00").go_string(),
            "2023-01-01 00:00:00.5 +0000 UTC"
        );
        assert_eq!(
            at("2023-01-01T00:00:00-05:30").go_string(),
            "2023-01-01 00:00:00 -0530 -0530"
        );
        assert_eq!(
            at("2023-01-01T05:30:00+05:30").instant(),
            at("2023-01-01T00:00:00Z").instant()
        );
        assert_eq!(at("2023-01-01T00:00:00Z").seconds(), 1_672_531_200);
        for text in [
            "2023-01-01",
            "2023-01-01 00:00:00",
            "10000-01-01T00:00:00Z",
            "2023-13-01T00:00:00Z",
            "2023-02-30T00:00:00Z",
            "2023-01-01t00:00:00z",
            "abc",
            "",
        ] {
            assert_eq!(
                Timestamp::parse(text).unwrap_err(),
                TimestampRefusal::Text,
                "{text}"
            );
        }
        for text in [
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59-01:00",
            "0001-01-01T00:00:00+00:01",
        ] {
            assert_eq!(
                Timestamp::parse(text).unwrap_err(),
                TimestampRefusal::Overflow,
                "{text}"
            );
        }
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(
                Timestamp::from_seconds(seconds)
                    .map(|t| t.to_string())
                    .as_deref(),
                Some(text)
            );
        }
        for seconds in [-62_135_596_801, 253_402_300_800, i64::MAX, i64::MIN] {
            assert!(Timestamp::from_seconds(seconds).is_none());
        }
    }

    #[test]
    fn accessors() {
        let t = at("2023-06-14T02:03:04.567890123Z");
        let utc = Fields {
            year: 2023,
            month: 5,
            day: 14,
            day_of_week: 3,
            day_of_year: 164,
            hour: 2,
            minute: 3,
            second: 4,
            millisecond: 567,
        };
        assert_eq!(t.fields(), utc);
        let fields = |text: &str| match zone(text) {
            Ok(Zone::Offset(offset)) => t.fields_at(offset),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(
            fields("+23:00"),
            Fields {
                day: 15,
                day_of_week: 4,
                day_of_year: 165,
                hour: 1,
                ..utc
            }
        );
        assert_eq!(
            fields("-11:00"),
            Fields {
                day: 13,
                day_of_week: 2,
                day_of_year: 163,
                hour: 15,
                ..utc
            }
        );
        assert_eq!(
            fields("-08:00"),
            Fields {
                day: 13,
                day_of_week: 2,
                day_of_year: 163,
                hour: 18,
                ..utc
            }
        );
        assert_eq!(
            fields("05:30"),
            Fields {
                hour: 7,
                minute: 33,
                ..utc
            }
        );
        assert_eq!(
            fields("+5:30"),
            Fields {
                hour: 7,
                minute: 33,
                ..utc
            }
        );
        assert_eq!(
            fields("-00:30"),
            Fields {
                hour: 1,
                minute: 33,
                ..utc
            }
        );
        assert_eq!(
            fields("+25:00"),
            Fields {
                day: 15,
                day_of_week: 4,
                day_of_year: 165,
                hour: 3,
                ..utc
            }
        );
        assert_eq!(
            fields("23:59"),
            Fields {
                day: 15,
                day_of_week: 4,
                day_of_year: 165,
                hour: 2,
                minute: 2,
                ..utc
            }
        );
        for text in ["", "UTC", "Local"] {
            assert_eq!(fields(text), utc);
        }
        assert_eq!(
            zone("a:b"),
            Err("strconv.Atoi: parsing \"a\": invalid syntax".into())
        );
        assert_eq!(
            zone("1:"),
            Err("strconv.Atoi: parsing \"\": invalid syntax".into())
        );
        assert_eq!(
            zone("99999999999999999999:1"),
            Err("strconv.Atoi: parsing \"99999999999999999999\": value out of range".into())
        );
        assert_eq!(
            zone("99999999999999999999a:1"),
            Err("strconv.Atoi: parsing \"99999999999999999999a\": value out of range".into())
        );
        for name in ["../x", "a..b", "/UTC", "\\UTC"] {
            assert_eq!(zone(name), Err("time: invalid location name".into()));
        }
        assert_eq!(
            zone("Europe/Berlin"),
            Ok(Zone::Place("Europe/Berlin".into()))
        );
        assert_eq!(at("2024-12-31T00:00:00Z").fields().day_of_year, 365);
        assert_eq!(at("0001-01-01T00:00:00Z").fields().day_of_week, 1);
    }

    #[test]
    fn durations() {
        for (text, printed) in [
            ("1h30m", "5400s"),
            ("90s", "90s"),
            ("1.5h", "5400s"),
            ("+1h", "3600s"),
            ("0", "0s"),
            ("-0", "0s"),
            ("1ms", "0.001s"),
            ("1us", "0.000001s"),
            ("1µs", "0.000001s"),
            ("1ns", "0.000000001s"),
            ("-1ns", "-0.000000001s"),
            ("9223372036s", "9223372036s"),
            (".5s", "0.5s"),
            ("1.s", "1s"),
            ("-9223372036854775808ns", "-9223372036.854776s"),
            ("0.9999999999999999999999s", "1s"),
        ] {
            assert_eq!(
                Duration::parse(text).map(|d| d.to_string()).as_deref(),
                Some(printed),
                "{text}"
            );
        }
        for text in [
            "1d",
            "1",
            "",
            "+",
            "abc",
            "1h 30m",
            "2562048h",
            "315576000000s",
            "9223372036854775808ns",
            "s",
            ".s",
            "1hh",
            "bad",
        ] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
        let read = |text| Duration::parse(text).unwrap();
        let d = read("1h30m15.250s");
        assert_eq!(
            (d.hours(), d.minutes(), d.seconds(), d.milliseconds()),
            (1, 90, 5415, 5_415_250)
        );
        let d = read("999ms");
        assert_eq!(
            (d.hours(), d.minutes(), d.seconds(), d.milliseconds()),
            (0, 0, 0, 999)
        );
        assert_eq!(
            (read("-90s").milliseconds(), read("-90s").minutes()),
            (-90_000, -1)
        );
        for (text, printed) in [
            ("0", "0s"),
            ("90m", "1h30m0s"),
            ("-90s", "-1m30s"),
            ("1.5s", "1.5s"),
            ("1.05ms", "1.05ms"),
            ("1500ns", "1.5\u{b5}s"),
            ("7ns", "7ns"),
            ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(read(text).go_string(), printed);
        }
        assert_eq!(read("2562047h").plus(read("2562047h")), None);
        assert_eq!(read("1h").minus(read("2h")), Some(read("-1h")));
    }

    /// As Go 1.26 answers for `time.Unix(seconds, nanoseconds).UTC()`.
    #[test]
    fn times_of_messages_can_be_any() {
        for (seconds, nanoseconds, text, day_of_year, day_of_week) in [
            (253_402_300_800, 0, "10000-01-01T00:00:00Z", 0, 6),
            (-62_135_596_801, 0, "0000-12-31T23:59:59Z", 365, 0),
            (
                i64::MAX,
                999_999_999,
                "292277026596-12-04T15:30:07.999999999Z",
                338,
                0,
            ),
            (i64::MIN, 0, "292277026596-12-04T15:30:08Z", 338, 0),
            (
                9_223_371_974_719_179_008,
                5,
                "292277024627-12-06T15:30:08.000000005Z",
                339,
                4,
            ),
            (
                -9_223_372_028_741_760_000,
                0,
                "-292277022400-03-01T00:00:00Z",
                60,
                3,
            ),
            (
                -9_223_372_028_715_321_601,
                0,
                "-292277022400-12-31T23:59:59Z",
                365,
                0,
            ),
            (-74_758_377_600, 0, "-0399-01-01T00:00:00Z", 0, 1),
            (190_337_299_200, 1, "8001-07-20T00:00:00.000000001Z", 200, 5),
            (0, -1, "1969-12-31T23:59:59.999999999Z", 364, 3),
            (-1, 2_147_483_647, "1970-01-01T00:00:01.147483647Z", 0, 4),
            (
                i64::MIN,
                -1,
                "292277026596-12-04T15:30:07.999999999Z",
                338,
                0,
            ),
        ] {
            let time = Timestamp::of_message(seconds, nanoseconds);
            let fields = time.fields();
            assert_eq!(
                (
                    time.to_string().as_str(),
                    fields.day_of_year,
                    fields.day_of_week
                ),
                (text, day_of_year, day_of_week)
            );
        }
        let last = Timestamp::of_message(i64::MAX, 0);
        assert!(last.instant() < Timestamp::of_message(0, 0).instant());
    }

    #[test]
    fn arithmetic() {
        let hour = Duration(3_600 * NANOSECONDS);
        assert_eq!(
            at("2023-06-14T02:03:04.5+02:00")
                .plus(hour)
                .unwrap()
                .to_string(),
            "2023-06-14T03:03:04.5+02:00"
        );
        assert_eq!(
            earlier("2023-06-14T00:00:00.2Z", Duration(300_000_000))
                .unwrap()
                .to_string(),
            "2023-06-13T23:59:59.9Z"
        );
        let second = Duration(NANOSECONDS);
        let overflow = |sum: Result<Timestamp, TimeOverflow>| sum.unwrap_err();
        assert_eq!(
            overflow(at("9999-12-31T23:59:59Z").plus(second)),
            TimeOverflow::Years
        );
        assert_eq!(
            overflow(earlier("0001-01-01T00:00:00Z", second)),
            TimeOverflow::Years
        );
        assert_eq!(
            overflow(Timestamp::of_message(i64::MAX, 0).plus(second)),
            TimeOverflow::Seconds
        );
        assert_eq!(
            at("2023-01-01T01:00:00Z").since(at("2023-01-01T00:00:00.5Z")),
            Some(Duration(3_599_500_000_000))
        );
        assert_eq!(
            at("2023-01-01T00:00:00Z").since(at("0001-01-01T00:00:00Z")),
            None
        );
    }
}
