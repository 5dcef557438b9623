//! Prints values of a tree as JSON, with numbers and strings as Go writes them.

use super::tree::{Entry, Kind, NodeId, Tree};
use super::word;
use claimkit_values::float;
use claimkit_values::order;

/// The order of printed keys. Of duplicate keys only the last one is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// As the source text writes it.
    Source,
    /// By bytes, as Go prints maps.
    Sorted,
}

/// Returns the effective entries of a mapping, in `order`.
///
/// ```
/// use claimkit_yaml::print::{Order, effective};
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let document = read("b: 1\na: 2\n", Bounds::default());
/// let entries = effective(&document.tree, document.root.unwrap(), Order::Sorted);
/// let keys: Vec<_> = entries.iter().map(|entry| document.tree.text(entry.key)).collect();
/// assert_eq!(keys, ["a", "b"]);
/// ```
pub fn effective<'t>(tree: &'t Tree<'_>, id: NodeId, order: Order) -> Vec<&'t Entry> {
    let mut entries: Vec<&Entry> = tree
        .entries(id)
        .iter()
        .filter(|entry| !entry.shadowed)
        .collect();
    if order == Order::Sorted {
        order::sort_by(&mut entries, |a, b| tree.text(a.key).cmp(tree.text(b.key)));
    }
    entries
}

enum Step<'t> {
    Value(NodeId),
    Entry(&'t Entry),
    Text(&'static str),
}

/// Appends the node as compact JSON. Stops after `max_bytes` and returns `false`: aliases can make a small text large.
///
/// ```
/// use claimkit_yaml::print::{Order, json};
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let document = read("b: [1, x]\n", Bounds::default());
/// let mut out = String::new();
/// assert!(json(&document.tree, document.root.unwrap(), Order::Source, 1 << 20, &mut out));
/// assert_eq!(out, r#"{"b":[1,"x"]}"#);
/// ```
pub fn json(tree: &Tree<'_>, id: NodeId, order: Order, max_bytes: usize, out: &mut String) -> bool {
    let mut steps = vec![Step::Value(id)];
    while let Some(step) = steps.pop() {
        if out.len() > max_bytes {
            return false;
        }
        let id = match step {
            Step::Text(text) => {
                out.push_str(text);
                continue;
            }
            Step::Entry(entry) => {
                quote(tree.text(entry.key), out);
                out.push(':');
                entry.value
            }
            Step::Value(id) => id,
        };
        match tree.kind(id) {
            Kind::Null | Kind::Alias(_) => out.push_str("null"),
            Kind::Bool(true) => out.push_str("true"),
            Kind::Bool(false) => out.push_str("false"),
            Kind::Int(n) => out.push_str(&n.to_string()),
            Kind::Uint(n) => out.push_str(&n.to_string()),
            Kind::Float(n) => float(n, out),
            Kind::Number(span) => out.push_str(tree.slice(span)),
            Kind::Str(s) => quote(tree.text(s), out),
            Kind::Seq { .. } => {
                out.push('[');
                steps.push(Step::Text("]"));
                let items = tree.items(id);
                for (at, &item) in items.iter().enumerate().rev() {
                    steps.push(Step::Value(item));
                    if at > 0 {
                        steps.push(Step::Text(","));
                    }
                }
            }
            Kind::Map { .. } => {
                out.push('{');
                steps.push(Step::Text("}"));
                let entries = effective(tree, id, order);
                for (at, entry) in entries.into_iter().enumerate().rev() {
                    steps.push(Step::Entry(entry));
                    if at > 0 {
                        steps.push(Step::Text(","));
                    }
                }
            }
        }
    }
    true
}

/// Appends a number as Go's JSON encoder prints a float64: plain digits from 1e-6 up to 1e21, else with an exponent.
///
/// ```
/// let mut out = String::new();
/// claimkit_yaml::print::float(1e21, &mut out);
/// assert_eq!(out, "1e+21");
/// ```
pub fn float(n: f64, out: &mut String) {
    let size = n.abs();
    if n == 0.0 || (1e-6..1e21).contains(&size) {
        out.push_str(&float::plain(n));
        return;
    }
    let text = float::scientific(n);
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => {
            out.push_str(digits);
            out.push_str("e+");
            out.push_str(exponent);
        }
        _ => out.push_str(&text),
    }
}

/// Appends a JSON string (control characters, quotes and backslashes escaped).
///
/// ```
/// let mut out = String::new();
/// claimkit_yaml::print::quote("a\n", &mut out);
/// assert_eq!(out, r#""a\n""#);
/// ```
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = first_escaped(rest.as_bytes()) {
        out.push_str(rest.get(..at).unwrap_or(""));
        let escaped = rest.as_bytes().get(at);
        match escaped.copied().unwrap_or(0) {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => out.push_str(&format!("\\u{byte:04x}")),
        }
        rest = rest.get(at.saturating_add(1)..).unwrap_or("");
    }
    out.push_str(rest);
    out.push('"');
}

/// Writes a string as a YAML scalar: plain if every reader reads it as the same string, otherwise double-quoted.
///
/// ```
/// use claimkit_yaml::print::scalar;
///
/// assert_eq!(scalar("gpu.example.com"), "gpu.example.com");
/// assert_eq!(scalar("true"), r#""true""#);
/// ```
pub fn scalar(text: &str) -> String {
    let mut bytes = text.bytes();
    let begins = bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'/');
    let plain = begins
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'_' | b'-'));
    if plain && !is_word(text) {
        return text.to_owned();
    }
    let mut quoted = String::new();
    quote(text, &mut quoted);
    escape_unprintable(&quoted)
}

/// Writes a string that may have quotes of its own, as expressions have, in the other quotes, so that nothing needs an escape; what has
/// no place in single quotes is written as [`scalar`] writes it.
///
/// ```
/// use claimkit_yaml::print::quoted;
///
/// assert_eq!(quoted(r#"name == "a""#), r#"'name == "a"'"#);
/// assert_eq!(quoted("name == 'a'"), r#""name == 'a'""#);
/// assert_eq!(quoted(r#"name == "it's""#), r#"'name == "it''s"'"#);
/// ```
pub fn quoted(text: &str) -> String {
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        scalar(text)
    } else if text.contains('\'') && !text.contains(['"', '\\']) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Returns true for words that YAML 1.1 does not read as strings.
fn is_word(text: &str) -> bool {
    const WORDS: &[&str] = &["y", "yes", "n", "no", "on", "off", "true", "false", "null"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Escapes what YAML does not allow as it is, or takes for a line end.
///
/// ```
/// assert_eq!(claimkit_yaml::print::escape_unprintable("a\u{85}"), "a\\u0085");
/// ```
pub fn escape_unprintable(quoted: &str) -> String {
    let mut out = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        if matches!(
            c,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        ) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the first byte that a JSON string must escape.
pub(crate) fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut base = 0usize;
    for word in words {
        let eight = u64::from_le_bytes(*word);
        let found = word::control(eight) | word::equal(eight, b'"') | word::equal(eight, b'\\');
        if found != 0 {
            return Some(base.saturating_add(word::first(found)));
        }
        base = base.saturating_add(word.len());
    }
    tail.iter()
        .position(|&b| b < b' ' || b == b'"' || b == b'\\')
        .map(|at| base.saturating_add(at))
}

/// Appends JSON text without the white space between its parts, as Go writes a `RawMessage`.
///
/// ```
/// let mut out = String::new();
/// claimkit_yaml::print::compact("{ \"a\": 1 }", &mut out);
/// assert_eq!(out, r#"{"a":1}"#);
/// ```
pub fn compact(json: &str, out: &mut String) {
    let (mut inside, mut escaped) = (false, false);
    let mut from = 0;
    for (at, byte) in json.bytes().enumerate() {
        if inside {
            inside = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
        } else if byte == b'"' {
            inside = true;
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            out.push_str(json.get(from..at).unwrap_or(""));
            from = at.saturating_add(1);
        }
    }
    out.push_str(json.get(from..).unwrap_or(""));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_leaves_strings_alone() {
        let mut out = String::new();
        compact(
            "{ \"a b\" :\r\n\t[ 1, \"\\\" \\\\\" , \" \" ] }\n",
            &mut out,
        );
        assert_eq!(out, "{\"a b\":[1,\"\\\" \\\\\",\" \"]}");
    }

    #[test]
    fn floats_as_go_prints_them() {
        for (n, text) in [
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (1.5e-7, "1.5e-7"),
            (0.1, "0.1"),
            (-2.0, "-2"),
            (18446744073709551616.0, "18446744073709552000"),
        ] {
            let mut out = String::new();
            float(n, &mut out);
            assert_eq!(out, text);
        }
    }
}
