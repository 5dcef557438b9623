//! What to do about an error, from its cause: one code of the server has many.

use crate::advice::cel_text::{Code as Text, position, quoted_after};
use crate::advice::{by_cause, cel_operators, cel_optional, cel_syntax, cel_values, rewrite};
use claimkit_model::finding::{Cause, Code, Finding};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::{Gate, Release};
use claimkit_values::names;

/// Returns advice that follows from the words of an error and from the value that it is about; `None`: that of the code will do.
/// `text`: the value, if it is a string. `key`: the last key of the path.
pub fn help(finding: &Finding, text: &str, key: &str, release: Release) -> Option<Message> {
    if let Some(help) = unfilled(text) {
        return Some(help);
    }
    let said = finding.message.as_str();
    match finding.code {
        Code::SelectorInvalid => {
            let error = said
                .split_once(": compilation failed: ")
                .map_or(said, |(_, error)| error);
            Some(selector(text, error, release))
        }
        Code::SelectorTooExpensive => cel_values::cost(text, release),
        Code::AttributeInvalid if finding.cause == Some(Cause::TooLong) => Some(message!(
            "cause.attribute-too-long",
            "shorten it to 64 bytes: it has {length}, and letters outside of ASCII count for several",
            length = text.len()
        )),
        Code::AttributeInvalid | Code::AttributeVersionInvalid
            if key == "version" && !text.is_empty() =>
        {
            Some(version(text))
        }
        Code::CountersInvalid if said.contains("only one of") => Some(message!(
            "cause.counters-or-devices",
            "from Kubernetes 1.36 on a slice has either `sharedCounters` or `devices`: put `sharedCounters` into a slice of its own in the same pool, and count it in `resourceSliceCount`"
        )),
        _ => by_cause::help(finding, text, key),
    }
}

/// Returns help for a value with a placeholder in it.
pub fn unfilled(text: &str) -> Option<Message> {
    let hole = placeholder(text)?;
    Some(message!(
        "cause.placeholder",
        "`{hole}` looks like a placeholder: fill it in first, as with `envsubst`, `sed` or `helm template`",
        hole
    ))
}

/// Returns the part of a value that somebody meant to replace: `${NAME}`, `$1`, `{{ .Values.name }}`, `<name>`.
pub fn placeholder(text: &str) -> Option<&str> {
    hole_between(text, "${", "}")
        .or_else(|| hole_between(text, "{{", "}}"))
        .or_else(|| shell_variable(text))
        .or_else(|| tag(text))
}

/// Returns what two delimiters enclose, with them; `None`: nothing.
fn hole_between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let from_open = text.get(text.find(open)?..)?;
    let end = from_open.find(close)?.saturating_add(close.len());
    let hole = from_open.get(..end)?;
    (hole.len() > open.len().saturating_add(close.len())).then_some(hole)
}

/// Returns the first `$NAME`.
fn shell_variable(text: &str) -> Option<&str> {
    let from_sign = text.get(text.find('$')?..)?;
    let name = from_sign.get(1..)?;
    let length = name
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(name.len());
    if length == 0 {
        return None;
    }
    from_sign.get(..length.saturating_add(1))
}

/// Returns the text if it is `<NAME>`.
fn tag(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.strip_suffix('>')?;
    (!name.is_empty()).then_some(text)
}

/// Returns the version to write in place of one that does not exist.
fn version(text: &str) -> Message {
    let bare = text.strip_prefix('v').unwrap_or(text);
    let (numbers, rest) = bare
        .split_at_checked(bare.find(['-', '+']).unwrap_or(bare.len()))
        .unwrap_or((bare, ""));
    let parts: Vec<&str> = numbers.split('.').collect();
    if let Some(digits) = too_many_digits(text) {
        return digits;
    }
    let are_numbers = parts
        .iter()
        .all(|part| !part.is_empty() && claimkit_values::has_only_digits(part));
    let plain: Vec<&str> = parts
        .iter()
        .map(|part| part.trim_start_matches('0'))
        .map(|part| if part.is_empty() { "0" } else { part })
        .collect();
    let mut wrong = Vec::new();
    if bare != text {
        wrong.push(message!(
            "cause.version-without-v",
            "a version begins without `v`"
        ));
    }
    if are_numbers
        && parts
            .iter()
            .any(|part| part.len() > 1 && part.starts_with('0'))
    {
        wrong.push(message!(
            "cause.version-zeros",
            "its numbers have no leading zeros"
        ));
    }
    if are_numbers && parts.len() != 3 {
        wrong.push(message!(
            "cause.version-numbers",
            "it has three numbers, not {count}",
            count = parts.len()
        ));
    }
    let mut shown = plain;
    shown.truncate(3);
    while shown.len() < 3 {
        shown.push("0");
    }
    let written = format!("{}{rest}", shown.join("."));
    let all_wrong = wrong
        .into_iter()
        .reduce(|wrong, next| message!("cause.version-and", "{wrong}, and {next}", wrong, next));
    match all_wrong.filter(|_| names::is_semantic_version(&written)) {
        None => message!(
            "cause.version",
            "write three numbers as in `1.2.3`, without `v` and without leading zeros; or publish it as a `string`"
        ),
        Some(wrong) if parts.len() > 3 => {
            message!(
                "cause.version-or-string",
                "{wrong}: publish it as a `string`, or as `{written}`",
                wrong,
                written
            )
        }
        Some(wrong) => message!(
            "cause.version-write",
            "{wrong}: write `{written}`",
            wrong,
            written
        ),
    }
}

/// Returns the help for a version of the right form with a number that is too long.
fn too_many_digits(text: &str) -> Option<Message> {
    const MOST: usize = 18;
    let long = text
        .split(['.', '-', '+'])
        .find(|part| part.len() > MOST && claimkit_values::has_only_digits(part))?;
    // The rest is right if it is with a shorter number.
    let short = text.replacen(long, "1", 1);
    names::is_semantic_version(&short).then(|| {
        message!(
            "cause.version-digits",
            "`{number}` has {length} digits, and a number of a version has at most 18: shorten it, or publish it as a `string`",
            number = long,
            length = long.len()
        )
    })
}

/// Returns what to do about an expression that kube-apiserver does not accept. `error`: its words after `compilation failed`.
pub fn selector(expression: &str, error: &str, release: Release) -> Message {
    let code = Text::of(expression);
    let undeclared = quoted_after(error, "undeclared reference to '").or_else(|| {
        quoted_after(error, "no matching overload for '")
            .filter(|_| !error.contains("Quantity") && !error.contains("Semver"))
            .filter(|name| !cel_operators::is_operator(name))
    });
    let gate = match undeclared {
        Some("includes") => Some(("includes", Gate::DRAListTypeAttributes)),
        _ if error.contains("undefined field 'allowMultipleAllocations'") => Some((
            "device.allowMultipleAllocations",
            Gate::DRAConsumableCapacity,
        )),
        _ => None,
    };
    if let Some((name, gate)) = gate {
        let needs = needs(name, gate, release);
        return includes_or(expression, name, needs, release);
    }
    if cel_values::is_about_includes(error)
        && let Some(help) = cel_values::includes(expression, None, release)
    {
        return help;
    }
    for (entity, sign) in [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
    ] {
        if code.text.contains(entity) {
            return message!(
                "cause.html",
                "`{entity}` is HTML for `{sign}`: write the sign itself",
                entity,
                sign
            );
        }
    }
    // A field of a quantity, which has none.
    if error.contains("unexpected failed resolution")
        && let Some(help) = cel_values::of_value(expression, None, release)
    {
        return help;
    }
    if let Some(help) = cel_optional::advice(expression, &code, error, release)
        .or_else(|| cel_operators::of_arithmetic(expression, error))
    {
        return help;
    }
    if let Some(help) = cel_values::domain_missing(expression, &code, error)
        .or_else(|| cel_values::comparison(expression, &code, error, release))
    {
        return help;
    }
    if let Some(help) = cel_operators::of_equality(expression, &code, error, release) {
        return help;
    }
    if compares(error, "Quantity") {
        return message!(
            "cause.compare-quantities",
            "compare quantities with `.compareTo(quantity(…)) >= 0`, or `.isGreaterThan(…)`; a quantity is a capacity: `device.capacity[\"domain\"].name`"
        );
    }
    if compares(error, "Semver") {
        return message!(
            "cause.compare-versions",
            "compare versions with `.compareTo(semver(…)) >= 0`, or `.isGreaterThan(…)`"
        );
    }
    if error.contains("kubernetes.Quantity.(string)") {
        return message!(
            "cause.text-for-quantity",
            "a string is not a quantity: write it as `quantity(…)`"
        );
    }
    if error.contains("Semver.(string)") {
        return message!(
            "cause.text-for-version",
            "a string is not a version: write it as `semver(…)`"
        );
    }
    if error.contains("Syntax error") {
        return slip(expression, code.text.as_ref(), error)
            .unwrap_or_else(|| syntax(expression, &code, error, release));
    }
    if let Some(help) = cel_operators::advice(expression, &code, error, release) {
        return help;
    }
    if error.contains("must evaluate to bool") && error.contains("kubernetes.Quantity") {
        return message!(
            "cause.not-bool-quantity",
            "a selector is true or false: compare the quantity, as in `….compareTo(quantity(…)) >= 0`"
        );
    }
    if error.contains("must evaluate to bool") && error.contains("not map(") {
        return message!(
            "cause.not-bool-map",
            "a selector is true or false: read one of the names, and compare its value"
        );
    }
    if error.contains("must evaluate to bool") && is_quoted_as_a_whole(expression, &code, release) {
        return message!(
            "cause.whole-in-quotes",
            "the expression is one string: leave its outer quotes out"
        );
    }
    if error.contains("must evaluate to bool") {
        let given = error.rsplit_once(", not ").map_or("", |(_, given)| given);
        return message!(
            "cause.not-bool",
            "a selector is true or false: compare the value, as in `… {example}`",
            example = cel_operators::compared(given.trim())
        );
    }
    if let Some(name) = undeclared
        && code.text.contains(&format!("-{name}"))
    {
        return message!(
            "cause.hyphen",
            "`-` subtracts: names of attributes have letters, digits and `_`; a name with `-` cannot be read"
        );
    }
    let unknown = undeclared.or_else(|| quoted_after(error, "undefined field '"));
    match unknown {
        Some(name) => rewrite::of_name(expression, name, release)
            .unwrap_or_else(|| unknown_name(&code.text, name, release)),
        None => cel_values::of_value(
            expression,
            quoted_after(error, "no matching overload for '"),
            release,
        )
        .unwrap_or_else(|| see_position(expression, error)),
    }
}

/// Returns true if an expression is one literal, and what is in its quotes compiles.
fn is_quoted_as_a_whole(expression: &str, code: &Text, release: Release) -> bool {
    let whole = expression.trim();
    let [literal] = code.literals.as_slice() else {
        return false;
    };
    let inner = whole.get(1..whole.len().saturating_sub(1));
    literal.len() == whole.len()
        && inner.is_some_and(|inner| rewrite::environment(release).compile(inner).is_ok())
}

/// Returns the advice for a name that needs a gate, and for `includes` of a string what strings have.
fn includes_or(expression: &str, name: &str, needs: Message, release: Release) -> Message {
    if name != "includes" {
        return needs;
    }
    cel_values::includes(expression, Some(&needs), release).unwrap_or(needs)
}

/// Comparisons of other languages, and those of CEL.
const LONG_SIGNS: [(&str, &str); 2] = [(">==", ">="), ("<==", "<=")];

/// Returns the help for a sign or an escape that CEL does not have. `code`: the expression without its strings.
fn slip(expression: &str, code: &str, error: &str) -> Option<Message> {
    if let Some((word, sign)) = LONG_SIGNS.iter().find(|(word, _)| code.contains(word)) {
        return Some(cel_syntax::write(word, sign));
    }
    let escape = wrong_escape(expression)
        .filter(|_| error.contains("token recognition error") && !expression.contains("r\""))?;
    Some(message!(
        "cause.backslash",
        "`\\{sign}` is not an escape of CEL: write `\\\\{sign}` in the string",
        sign = escape
    ))
}

/// Returns the first character behind a `\` that begins no escape of CEL.
fn wrong_escape(expression: &str) -> Option<char> {
    let mut signs = expression.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            continue;
        }
        let escaped = signs.next()?;
        let is_known = escaped.is_ascii_digit()
            || matches!(
                escaped,
                'a' | 'b'
                    | 'f'
                    | 'n'
                    | 'r'
                    | 't'
                    | 'v'
                    | 'x'
                    | 'X'
                    | 'u'
                    | 'U'
                    | '\\'
                    | '?'
                    | '"'
                    | '\''
                    | '`'
            );
        if !is_known {
            return Some(escaped);
        }
    }
    None
}

fn compares(error: &str, kind: &str) -> bool {
    let signs = ["'_>=_'", "'_>_'", "'_<=_'", "'_<_'"];
    let is_comparison = signs.iter().any(|sign| error.contains(sign));
    is_comparison && error.contains(kind)
}

/// Returns the help for a name that is not known, or not for such values.
fn unknown_name(expression: &str, name: &str, release: Release) -> Message {
    if !expression.contains("device.") && !expression.contains("device[") {
        return message!(
            "cause.variable",
            "the variable is `device`, with `driver`, `attributes` and `capacity`: read attributes as `device.attributes[\"domain\"].name`"
        );
    }
    if expression.contains(&format!("{name}(")) {
        return message!(
            "cause.no-function",
            "there is no function `{name}` for such values",
            name
        );
    }
    if reads_field(expression, name) {
        let shares = Gate::DRAConsumableCapacity.default_in(release).is_some();
        let more = if shares {
            "`, `allowMultipleAllocations"
        } else {
            ""
        };
        return message!(
            "cause.device-fields",
            "the fields of `device` are `{fields}`, and `{name}` is none of them: read attributes as `device.attributes[\"domain\"].name`",
            fields = format!("driver`, `attributes`, `capacity{more}"),
            name
        );
    }
    message!(
        "cause.unknown-name",
        "`{name}` is not known here: the only variable is `device`, and a text has quotes",
        name
    )
}

/// Returns true if a name is read as a field of the device.
fn reads_field(expression: &str, name: &str) -> bool {
    let field = format!("device.{name}");
    let mut places = expression.match_indices(&field);
    places.any(|(at, _)| {
        let behind = expression.get(at.saturating_add(field.len())..);
        behind.is_none_or(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// Shows the part of an expression that an error is about.
fn see_position(expression: &str, error: &str) -> Message {
    const SHOWN: usize = 24;
    if error.contains("recursion limit exceeded") {
        return message!(
            "cause.too-deep",
            "the expression is nested too deeply: leave out brackets, or write several selectors, which must all be true"
        );
    }
    if error.contains("code point size exceeds limit") {
        return message!(
            "cause.too-long",
            "the expression is too long: write several selectors, which must all be true"
        );
    }
    let rest = position(expression, error).and_then(|at| expression.get(at..));
    let part: String = rest.unwrap_or_default().chars().take(SHOWN).collect();
    let part = part.trim();
    if part.is_empty() {
        return message!(
            "cause.ends-early",
            "the expression ends too early: a value, or a sign that closes, is missing at its end"
        );
    }
    if let Some((_, rest)) = error.split_once("reserved identifier: ") {
        let word = rest.split_whitespace().next().unwrap_or_default();
        return message!(
            "cause.reserved",
            "`{word}` is reserved and cannot be used: a selector is one condition",
            word
        );
    }
    let before = position(expression, error).and_then(|at| expression.get(..at));
    let is_at_start = before.is_some_and(|before| before.trim().is_empty());
    if error.contains("Syntax error") && is_at_start {
        return message!(
            "cause.not-at-start",
            "an expression cannot begin with `{part}`",
            part
        );
    }
    if error.contains("Syntax error") {
        return message!(
            "cause.not-from-here",
            "`{part}` cannot follow the part before it: an operator is missing between them, or is not one of CEL",
            part
        );
    }
    message!("cause.about-part", "the error is at `{part}`", part)
}

/// Quotes that word processors write for `"` and `'`.
const TYPOGRAPHIC: [char; 7] = ['“', '”', '„', '«', '»', '‘', '’'];
/// The suffixes of quantities.
const SUFFIXES: [&str; 12] = [
    "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "k", "M", "G", "T", "P", "E",
];

/// Returns a quantity without quotes, of which CEL reads the suffix as something else.
fn bare_quantity<'e>(expression: &'e str, error: &str) -> Option<&'e str> {
    let suffix = quoted_after(error, "extraneous input '")
        .or_else(|| quoted_after(error, "mismatched input '"))
        .filter(|suffix| SUFFIXES.contains(suffix))?;
    let ends = expression.match_indices(suffix);
    let mut found = ends.filter_map(|(at, _)| {
        let before = expression.get(..at)?;
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let quantity = expression.get(number.len()..at.saturating_add(suffix.len()))?;
        (number.len() < at).then_some(quantity)
    });
    found.next()
}

/// Returns help for a syntax error of an expression.
fn syntax(expression: &str, code: &Text, error: &str, release: Release) -> Message {
    if let Some(quote) = code.text.chars().find(|c| TYPOGRAPHIC.contains(c)) {
        return message!(
            "cause.typographic-quote",
            "CEL does not read `{quote}` as a quote: type `\"`",
            quote
        );
    }
    if let Some(quote) = code.open {
        return message!("cause.quote-missing", "a `{quote}` is missing", quote);
    }
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
        let (opened, closed) = (count_of(&code.text, open), count_of(&code.text, close));
        if opened > closed {
            return message!(
                "cause.unclosed",
                "{opened} `{open}` and {closed} `{close}`: close what is open",
                opened,
                open,
                closed,
                close
            );
        }
        if closed > opened {
            return message!(
                "cause.unopened",
                "{opened} `{open}` and {closed} `{close}`: one `{close}` is too many, or a `{open}` is missing before it",
                opened,
                open,
                closed,
                close
            );
        }
    }
    if error.contains('~')
        && let Some(help) = rewrite::of_regex(expression, release)
    {
        return help;
    }
    let environment = rewrite::environment(release);
    if let Some(help) = cel_syntax::lambda(expression, code, &environment)
        .or_else(|| cel_syntax::safe_navigation(expression, code, &environment))
        .or_else(|| cel_syntax::advice(expression, code, release))
    {
        return help;
    }
    if let Some(quantity) = bare_quantity(expression, error) {
        return message!(
            "cause.bare-quantity",
            "compare a capacity with `.compareTo(quantity(\"{quantity}\")) >= 0`",
            quantity
        );
    }
    see_position(expression, error)
}

fn count_of(text: &str, sign: char) -> usize {
    text.matches(sign).count()
}

/// Returns the gate or release that a name needs.
fn needs(name: &str, gate: Gate, release: Release) -> Message {
    let first = claimkit_model::schema::release::LAST_PATCHES
        .iter()
        .find(|last| gate.default_in(**last).is_some());
    match (gate.default_in(release), first) {
        (None, Some(first)) => message!(
            "cause.needs-release",
            "`{name}` needs Kubernetes 1.{first} with the feature gate {gate}",
            name,
            first = first.minor,
            gate = gate.name()
        ),
        _ => message!(
            "cause.needs-gate",
            "`{name}` needs the feature gate {gate}, which is off in Kubernetes {release} unless the cluster switches it on",
            name,
            gate = gate.name(),
            release
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_have_advice_by_cause() {
        let release = Release::last_of(35);
        for (expression, error, start) in [
            (
                "a >= quantity(\"4\")",
                "ERROR: <input>:1:3: found no matching overload for '_>=_' applied to '(any, kubernetes.Quantity)'",
                "compare quantities with",
            ),
            (
                "a.isGreaterThan('4Gi')",
                "ERROR: <input>:1:16: found no matching overload for 'isGreaterThan' applied to 'kubernetes.Quantity.(string)'",
                "a string is not a quantity: write it as `quantity(…)`",
            ),
            (
                "a.isGreaterThan('1.2.3')",
                "ERROR: <input>:1:16: found no matching overload for 'isGreaterThan' applied to 'kubernetes.Semver.(string)'",
                "a string is not a version: write it as `semver(…)`",
            ),
            (
                "a == “b”",
                "ERROR: <input>:1:6: Syntax error: token recognition error at: '“'",
                "CEL does not read `“` as a quote: type `\"`",
            ),
            (
                "a >= 1.5Gi",
                "ERROR: <input>:1:9: Syntax error: extraneous input 'Gi' expecting <EOF>",
                "compare a capacity with `.compareTo(quantity(\"1.5Gi\")) >= 0`",
            ),
            (
                "a &amp;&amp; b",
                "ERROR: <input>:1:4: Syntax error: mismatched input ';'",
                "`&amp;` is HTML for `&`",
            ),
            (
                "x.includes(1)",
                "ERROR: <input>:1:11: undeclared reference to 'includes' (in container '')",
                "`includes` needs Kubernetes 1.36 with the feature gate DRAListTypeAttributes",
            ),
            (
                "device.allowMultipleAllocations",
                "ERROR: <input>:1:7: undefined field 'allowMultipleAllocations'",
                "`device.allowMultipleAllocations` needs the feature gate DRAConsumableCapacity",
            ),
            (
                "(device.driver == \"a\"",
                "ERROR: <input>:1:23: Syntax error: missing ')' at '<EOF>'",
                "1 `(` and 0 `)`: close what is open",
            ),
            (
                "device.driver == \"a\")",
                "ERROR: <input>:1:22: Syntax error: extraneous input ')'",
                "0 `(` and 1 `)`: one `)` is too many",
            ),
            (
                "device.attributes[\"dra.net\"].webhook-attr",
                "ERROR: <input>:1:38: undeclared reference to 'attr' (in container '')",
                "`-` subtracts",
            ),
            (
                "device.driver",
                "must evaluate to bool or the unknown type, not string",
                "a selector is true or false",
            ),
            (
                "model == \"a\"",
                "ERROR: <input>:1:1: undeclared reference to 'model' (in container '')",
                "the variable is `device`",
            ),
        ] {
            let help = selector(expression, error, release);
            assert!(help.starts_with(start), "{expression}: {help}");
        }
    }

    #[test]
    fn placeholders_are_seen() {
        for (text, hole) in [
            ("${NODE_NAME}", Some("${NODE_NAME}")),
            ("gpu-$1", Some("$1")),
            ("{{ .Values.name }}", Some("{{ .Values.name }}")),
            ("<name>", Some("<name>")),
            ("gpu-0", None),
            ("a$", None),
            ("<>", None),
            ("${}", None),
        ] {
            assert_eq!(placeholder(text), hole, "{text}");
        }
    }

    #[test]
    fn versions_are_mended() {
        for (text, help) in [
            (
                "580.159.04",
                "its numbers have no leading zeros: write `580.159.4`",
            ),
            ("v1.2.3", "a version begins without `v`: write `1.2.3`"),
            ("1.2", "it has three numbers, not 2: write `1.2.0`"),
            (
                "6.19.14.31400000",
                "it has three numbers, not 4: publish it as a `string`, or as `6.19.14`",
            ),
            (
                "v01.2-rc.1",
                "a version begins without `v`, and its numbers have no leading zeros, and it has three numbers, not 2: write `1.2.0-rc.1`",
            ),
            (
                "1.2.3-1234567890123456789",
                "`1234567890123456789` has 19 digits, and a number of a version has at most 18: shorten it, or publish it as a `string`",
            ),
            (
                "latest",
                "write three numbers as in `1.2.3`, without `v` and without leading zeros; or publish it as a `string`",
            ),
        ] {
            assert_eq!(version(text), help, "{text}");
        }
    }
}
