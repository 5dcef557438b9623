//! `"…".format([…])`: the clauses of a text, and what stands for them.
//!
//! Source: cel-go `ext/formatting.go`, the formatter of version 2 of the library; golang.org/x/text for numbers in American English.

use super::float;
pub use super::localized::Spacing;
use super::localized::{DEFAULT_PRECISION, fixed, plain, scientific};
use claimkit_values::order;
use claimkit_values::{GoUnicode, quote};

/// A value as far as it can be formatted.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A signed number (`int`).
    Int(i64),
    /// An unsigned number (`uint`).
    Uint(u64),
    /// A floating-point number (`double`).
    Double(f64),
    /// A boolean value (`bool`).
    Bool(bool),
    /// A string of Unicode text.
    Text(String),
    /// A string of bytes.
    Bytes(Vec<u8>),
    /// The value `null`.
    Null,
    /// A type, by its name.
    Type(String),
    /// A point in time, as `string(…)` writes it.
    Timestamp(String),
    /// A duration, as `string(…)` writes it.
    Duration(String),
    /// A list of arguments.
    List(Vec<Argument>),
    /// A map, as pairs of key and value.
    Map(Vec<(Argument, Argument)>),
    /// Any other value, by the name of its type.
    Other(String),
}

/// The kinds of types that a clause distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are called as the kinds of arguments are")]
pub enum ArgumentKind {
    Int,
    Uint,
    Double,
    Bool,
    Text,
    Bytes,
    Null,
    Type,
    Timestamp,
    Duration,
    List,
    Map,
    Other,
}

impl Argument {
    fn kind(&self) -> ArgumentKind {
        match self {
            Self::Int(_) => ArgumentKind::Int,
            Self::Uint(_) => ArgumentKind::Uint,
            Self::Double(_) => ArgumentKind::Double,
            Self::Bool(_) => ArgumentKind::Bool,
            Self::Text(_) => ArgumentKind::Text,
            Self::Bytes(_) => ArgumentKind::Bytes,
            Self::Null => ArgumentKind::Null,
            Self::Type(_) => ArgumentKind::Type,
            Self::Timestamp(_) => ArgumentKind::Timestamp,
            Self::Duration(_) => ArgumentKind::Duration,
            Self::List(_) => ArgumentKind::List,
            Self::Map(_) => ArgumentKind::Map,
            Self::Other(_) => ArgumentKind::Other,
        }
    }

    /// Returns the name of its type at run time.
    fn type_name(&self) -> &str {
        match self {
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Bool(_) => "bool",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Null => "null_type",
            Self::Type(_) => "type",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Other(name) => name,
        }
    }
}

/// One clause: `%s`, `%.2f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    verb: Verb,
    precision: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Text,
    Decimal,
    Fixed,
    Scientific,
    Binary,
    Hexadecimal { upper: bool },
    Octal,
}

impl Clause {
    /// Returns true if the clause accepts values of this kind. For lists and maps in `%s` the caller must check the elements too.
    pub fn accepts(self, kind: ArgumentKind) -> bool {
        match self.verb {
            Verb::Text => kind != ArgumentKind::Other,
            Verb::Decimal | Verb::Octal => matches!(kind, ArgumentKind::Int | ArgumentKind::Uint),
            // Only three strings are valid, which is known only at run time.
            Verb::Fixed | Verb::Scientific => {
                matches!(kind, ArgumentKind::Double | ArgumentKind::Text)
            }
            Verb::Binary => matches!(
                kind,
                ArgumentKind::Int | ArgumentKind::Uint | ArgumentKind::Bool
            ),
            Verb::Hexadecimal { .. } => {
                matches!(
                    kind,
                    ArgumentKind::Int
                        | ArgumentKind::Uint
                        | ArgumentKind::Text
                        | ArgumentKind::Bytes
                )
            }
        }
    }

    /// Returns the message for a type that the clause does not accept.
    pub fn refusal(self, type_name: &str) -> String {
        let what = match self.verb {
            Verb::Text => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
            }
            Verb::Decimal => "decimal clause can only be used on integers",
            Verb::Fixed => "fixed-point clause can only be used on doubles",
            Verb::Scientific => "scientific clause can only be used on doubles",
            Verb::Binary => "only integers and bools can be formatted as binary",
            Verb::Hexadecimal { .. } => {
                "only integers, byte buffers, and strings can be formatted as hex"
            }
            Verb::Octal => "octal clause can only be used on integers",
        };
        format!("{what}, was given {type_name}")
    }
}

/// Why a text cannot be formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError<E> {
    /// The text has a bad clause, or more clauses than there are arguments.
    Template(String),
    /// An error of one argument.
    Argument(E),
}

impl FormatError<String> {
    /// Returns the whole error message.
    pub fn message(&self) -> String {
        match self {
            Self::Template(message) => message.clone(),
            Self::Argument(message) => format!("error during formatting: {message}"),
        }
    }
}

/// Computes `format` of any text and arguments.
pub fn format(template: &str, arguments: &[Argument], spacing: Spacing) -> Result<String, String> {
    let written = walk(
        template,
        arguments.len(),
        Phase::Run,
        |clause: Clause, at: usize| match arguments.get(at) {
            Some(argument) => write_argument(clause, argument, spacing).map(Some),
            None => Ok(None),
        },
    );
    written
        .map(|(text, _)| text)
        .map_err(|error| error.message())
}

/// Checks a literal format with `count` arguments. Calls `each` with every clause and the index of its argument; `each` may
/// reject it. Returns the number of arguments used; the caller reports surplus ones.
pub fn check<E>(
    template: &str,
    count: usize,
    mut each: impl FnMut(Clause, usize) -> Result<(), E>,
) -> Result<usize, FormatError<E>> {
    walk(template, count, Phase::Check, |clause, at| {
        each(clause, at).map(|()| None)
    })
    .map(|(_, used)| used)
}

/// When a format string is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Check,
    Run,
}

/// Goes through a text. At run time a missing argument is reported before a truncated clause.
fn walk<E>(
    template: &str,
    count: usize,
    phase: Phase,
    mut each: impl FnMut(Clause, usize) -> Result<Option<String>, E>,
) -> Result<(String, usize), FormatError<E>> {
    let mut out = String::new();
    let mut used = 0usize;
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        if let Some(behind) = behind.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let is_missing = used >= count;
        if behind.is_empty() && !(is_missing && phase == Phase::Run) {
            return Err(FormatError::Template("unexpected end of string".to_owned()));
        }
        if is_missing {
            return Err(FormatError::Template(format!("index {used} out of range")));
        }
        let (clause, behind) = read_clause(behind).map_err(|error| {
            FormatError::Template(format!("could not parse formatting clause: {error}"))
        })?;
        out.push_str(
            &each(clause, used)
                .map_err(FormatError::Argument)?
                .unwrap_or_default(),
        );
        used = used.saturating_add(1);
        rest = behind;
    }
    out.push_str(rest);
    Ok((out, used))
}

/// Reads the clause after a percent sign.
fn read_clause(text: &str) -> Result<(Clause, &str), String> {
    let mut rest = text;
    let mut precision = None;
    if let Some(behind) = text.strip_prefix('.') {
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = behind.split_at_checked(digits).unwrap_or((behind, ""));
        if behind.is_empty() {
            return Err(
                "error while parsing precision: could not find end of precision specifier"
                    .to_owned(),
            );
        }
        let why = if number.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        precision = Some(number.parse().map_err(|_| {
            format!("error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \"{number}\": {why}")
        })?);
        rest = behind;
    }
    let Some((&byte, _)) = rest.as_bytes().split_first() else {
        return Err(String::new());
    };
    let verb = match byte {
        b's' => Verb::Text,
        b'd' => Verb::Decimal,
        b'f' => Verb::Fixed,
        b'e' => Verb::Scientific,
        b'b' => Verb::Binary,
        b'x' => Verb::Hexadecimal { upper: false },
        b'X' => Verb::Hexadecimal { upper: true },
        b'o' => Verb::Octal,
        // Upstream treats the first byte of a multi-byte character as a character.
        _ => {
            return Err(format!(
                "unrecognized formatting clause \"{}\"",
                char::from(byte)
            ));
        }
    };
    Ok((
        Clause { verb, precision },
        rest.get(1..).unwrap_or_default(),
    ))
}

/// Writes one argument as a clause asks for it.
fn write_argument(clause: Clause, argument: &Argument, spacing: Spacing) -> Result<String, String> {
    if !clause.accepts(argument.kind()) {
        return Err(clause.refusal(argument.type_name()));
    }
    match (clause.verb, argument) {
        (Verb::Text, _) => write_text(argument),
        (Verb::Decimal, Argument::Int(number)) => Ok(number.to_string()),
        (Verb::Decimal, Argument::Uint(number)) => Ok(number.to_string()),
        (Verb::Fixed | Verb::Scientific, _) => {
            let Some(number) = number_of(argument) else {
                return Err(clause.refusal(argument.type_name()));
            };
            let precision = clause.precision.unwrap_or(DEFAULT_PRECISION);
            if precision > LARGEST_PRINTED_PRECISION {
                return Ok(NO_VERB.to_owned());
            }
            if precision > MOST_PRECISION {
                return Err(format!("a precision of {precision} is not supported here"));
            }
            Ok(if clause.verb == Verb::Fixed {
                fixed(number, precision)
            } else {
                scientific(number, precision, spacing)
            })
        }
        (Verb::Binary, Argument::Bool(truth)) => Ok(u8::from(*truth).to_string()),
        (Verb::Hexadecimal { upper }, Argument::Text(text)) => {
            Ok(hexadecimal(text.as_bytes(), upper))
        }
        (Verb::Hexadecimal { upper }, Argument::Bytes(bytes)) => Ok(hexadecimal(bytes, upper)),
        (_, Argument::Int(number)) => {
            let sign = if *number < 0 { "-" } else { "" };
            Ok(format!(
                "{sign}{}",
                in_base(clause.verb, number.unsigned_abs())
            ))
        }
        (_, Argument::Uint(number)) => Ok(in_base(clause.verb, *number)),
        _ => Err(clause.refusal(argument.type_name())),
    }
}

/// Largest precision that is printed here. Upstream prints up to [`LARGEST_PRINTED_PRECISION`] digits.
const MOST_PRECISION: i64 = 1_000_000;

/// Largest precision that upstream's printer reads (`golang.org/x/text/internal/format/parser.go`, `parsenum`: no digit is read after
/// a number above 1,000,000).
const LARGEST_PRINTED_PRECISION: i64 = 10_000_009;

/// The text that Go's printer writes for a larger precision.
const NO_VERB: &str = "%!(NOVERB)";

fn in_base(verb: Verb, number: u64) -> String {
    match verb {
        Verb::Binary => format!("{number:b}"),
        Verb::Octal => format!("{number:o}"),
        Verb::Hexadecimal { upper: true } => format!("{number:X}"),
        _ => format!("{number:x}"),
    }
}

fn hexadecimal(bytes: &[u8], upper: bool) -> String {
    bytes
        .iter()
        .map(|byte| {
            if upper {
                format!("{byte:02X}")
            } else {
                format!("{byte:02x}")
            }
        })
        .collect()
}

/// Returns the number of a double, or of one of three texts.
fn number_of(argument: &Argument) -> Option<f64> {
    match argument {
        Argument::Double(number) => Some(*number),
        Argument::Text(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// Formats a value for `%s`. Recursion follows the nesting of lists and maps, which the expression depth limits.
fn write_text(argument: &Argument) -> Result<String, String> {
    match argument {
        Argument::Int(number) => Ok(number.to_string()),
        Argument::Uint(number) => Ok(number.to_string()),
        Argument::Double(number) => Ok(float::print(*number)),
        Argument::Bool(truth) => Ok(truth.to_string()),
        Argument::Text(text) | Argument::Type(text) | Argument::Timestamp(text) | Argument::Duration(text) => Ok(text.clone()),
        Argument::Bytes(bytes) => String::from_utf8(bytes.clone())
            .map_err(|_| "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string".to_owned()),
        Argument::Null => Ok("null".to_owned()),
        Argument::List(members) => {
            let texts = members.iter().map(write_member).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("[{}]", texts.join(", ")))
        }
        Argument::Map(entries) => {
            let mut pairs = entries.iter().map(|(k, v)| Ok((write_key(k)?, write_member(v)?))).collect::<Result<Vec<_>, String>>()?;
            order::sort_by(&mut pairs, |(one, _), (other, _)| one.cmp(other));
            let texts: Vec<_> = pairs.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            Ok(format!("{{{}}}", texts.join(", ")))
        }
        Argument::Other(_) => Err(Clause { verb: Verb::Text, precision: None }.refusal(argument.type_name())),
    }
}

fn quoted(text: &str) -> String {
    quote(text, GoUnicode::V15)
}

/// Writes a value inside of a list or map: what can be a literal is one.
fn write_member(argument: &Argument) -> Result<String, String> {
    match argument {
        Argument::Text(text) => Ok(quoted(text)),
        Argument::Bytes(_) => Ok(format!("b{}", quoted(&write_text(argument)?))),
        Argument::Timestamp(text) => Ok(format!("timestamp({})", quoted(text))),
        Argument::Duration(text) => Ok(format!("duration({})", quoted(text))),
        Argument::Double(number) if number.is_finite() => Ok(plain(*number, DEFAULT_PRECISION)),
        Argument::Double(number) => Ok(quoted(&float::print(*number))),
        Argument::Other(name) => Err(format!("no formatting function for {name}")),
        _ => write_text(argument),
    }
}

fn write_key(argument: &Argument) -> Result<String, String> {
    match argument {
        Argument::Text(_) | Argument::Bool(_) | Argument::Int(_) | Argument::Uint(_) => {
            write_member(argument)
        }
        _ => Err(format!(
            "no formatting function for map key of type {}",
            argument.type_name()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(template: &str, arguments: &[Argument]) -> Result<String, String> {
        format(template, arguments, Spacing::None)
    }

    fn text(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }

    #[test]
    fn other_clauses() {
        use Argument::{
            Bool, Bytes, Double, Duration, Int, List, Map, Null, Timestamp, Type, Uint,
        };
        let hi = || Bytes(b"hi".to_vec());
        let list = List(vec![
            Int(1),
            text("a\""),
            Double(2.5),
            Null,
            Double(f64::NAN),
            hi(),
            Timestamp("t".into()),
            Duration("1s".into()),
            Type("int".into()),
        ]);
        let map = Map(vec![
            (Int(1), Int(2)),
            (text("a"), Int(3)),
            (Bool(true), Double(f64::NEG_INFINITY)),
        ]);
        for (template, argument, result) in [
            ("%d", Int(-5), "-5"),
            ("%d", Uint(1), "1"),
            ("%s", Int(1), "1"),
            ("%s", text("%s"), "%s"),
            ("a%sb", Bool(true), "atrueb"),
            ("%s", Null, "null"),
            ("%s", hi(), "hi"),
            ("%s", Type("int".into()), "int"),
            (
                "%s",
                Timestamp("2023-01-01T00:00:00Z".into()),
                "2023-01-01T00:00:00Z",
            ),
            ("%s", Duration("5400s".into()), "5400s"),
            (
                "%s",
                list,
                r#"[1, "a\"", 2.500000, null, "NaN", b"hi", timestamp("t"), duration("1s"), int]"#,
            ),
            ("%s", map, r#"{"a":3, 1:2, true:"-Inf"}"#),
            (
                "%s",
                List(vec![Double(-0.0), List(vec![])]),
                "[-0.000000, []]",
            ),
            ("%b", Bool(true), "1"),
            ("%b", Int(-5), "-101"),
            ("%x", Int(255), "ff"),
            ("%X", Int(255), "FF"),
            ("%x", Int(-255), "-ff"),
            ("%x", text("hi"), "6869"),
            ("%X", Bytes(vec![0xab, 1]), "AB01"),
            ("%o", Uint(8), "10"),
            ("%f", text("NaN"), "NaN"),
            ("%f", text("Infinity"), "∞"),
            ("%%%s%%", text("é"), "%é%"),
        ] {
            assert_eq!(
                formatted(template, &[argument]).as_deref(),
                Ok(result),
                "{template}"
            );
        }
        assert_eq!(formatted("%%", &[]).as_deref(), Ok("%"));
        assert_eq!(formatted("x", &[Int(1)]).as_deref(), Ok("x"));
    }

    #[test]
    fn refuses_in_upstream_words() {
        use Argument::{Bytes, Double, Int, List, Map, Other};
        let quantity = || Other("kubernetes.Quantity".to_owned());
        for (template, arguments, error) in [
            (
                "%d",
                vec![Double(1.5)],
                "error during formatting: decimal clause can only be used on integers, was given double",
            ),
            (
                "%d",
                vec![text("a")],
                "error during formatting: decimal clause can only be used on integers, was given string",
            ),
            (
                "%.3f",
                vec![Int(1)],
                "error during formatting: fixed-point clause can only be used on doubles, was given int",
            ),
            (
                "%f",
                vec![text("1")],
                "error during formatting: fixed-point clause can only be used on doubles, was given string",
            ),
            (
                "%e",
                vec![Int(2)],
                "error during formatting: scientific clause can only be used on doubles, was given int",
            ),
            (
                "%b",
                vec![text("a")],
                "error during formatting: only integers and bools can be formatted as binary, was given string",
            ),
            (
                "%x",
                vec![Double(1.0)],
                "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double",
            ),
            (
                "%o",
                vec![text("a")],
                "error during formatting: octal clause can only be used on integers, was given string",
            ),
            (
                "%s",
                vec![quantity()],
                "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
            ),
            (
                "%s",
                vec![List(vec![quantity()])],
                "error during formatting: no formatting function for kubernetes.Quantity",
            ),
            (
                "%s",
                vec![Map(vec![(quantity(), Int(1))])],
                "error during formatting: no formatting function for map key of type kubernetes.Quantity",
            ),
            (
                "%s",
                vec![Bytes(vec![0xff])],
                "error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string",
            ),
            ("%s %s", vec![text("a")], "index 1 out of range"),
            ("%", vec![], "index 0 out of range"),
            ("%", vec![Int(1)], "unexpected end of string"),
            (
                "%z",
                vec![Int(1)],
                "could not parse formatting clause: unrecognized formatting clause \"z\"",
            ),
            (
                "%5d",
                vec![Int(1)],
                "could not parse formatting clause: unrecognized formatting clause \"5\"",
            ),
            (
                "%é",
                vec![Int(1)],
                "could not parse formatting clause: unrecognized formatting clause \"Ã\"",
            ),
            (
                "%.d",
                vec![Int(1)],
                "could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax",
            ),
            (
                "%.5",
                vec![Int(1)],
                "could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
            ),
        ] {
            assert_eq!(
                formatted(template, &arguments),
                Err(error.to_owned()),
                "{template}"
            );
        }
    }

    #[test]
    fn checks_before_anything_runs() {
        let checked = |template: &str, kinds: &[ArgumentKind]| {
            check(template, kinds.len(), |clause, at| {
                if clause.accepts(kinds[at]) {
                    Ok(())
                } else {
                    Err(clause.refusal("x"))
                }
            })
            .map_err(|e| e.message())
        };
        assert_eq!(
            checked("%s %d%%", &[ArgumentKind::Null, ArgumentKind::Uint]),
            Ok(2)
        );
        assert_eq!(checked("x", &[ArgumentKind::Int]), Ok(0));
        assert_eq!(checked("%.99999999999f", &[ArgumentKind::Double]), Ok(1));
        assert_eq!(checked("%", &[]), Err("unexpected end of string".into()));
        assert_eq!(checked("%s", &[]), Err("index 0 out of range".into()));
        assert_eq!(
            checked("%d", &[ArgumentKind::Text]),
            Err(
                "error during formatting: decimal clause can only be used on integers, was given x"
                    .into()
            )
        );
    }
}
