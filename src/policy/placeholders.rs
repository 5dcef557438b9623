//! Placeholders in the `message` of a setting.

/// The values that placeholders stand for.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceholderValues<'p> {
    pub kind: &'p str,
    pub namespace: &'p str,
    pub name: &'p str,
    pub user: &'p str,
    pub setting: &'p str,
    /// The reason that the message follows.
    pub reason: &'p str,
}

/// The names of all placeholders.
pub const NAMES: [&str; 7] = [
    "kind",
    "namespace",
    "name",
    "user",
    "setting",
    "value",
    "class",
];

/// A piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'m> {
    Text(&'m str),
    /// The name in braces.
    Placeholder(&'m str),
}

/// Calls with each piece. Braces around anything but letters are text.
fn each_piece<'m>(message: &'m str, then: &mut dyn FnMut(Piece<'m>)) {
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        let name = after.split_once('}').filter(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
        match name {
            Some((name, following)) => {
                then(Piece::Text(before));
                then(Piece::Placeholder(name));
                rest = following;
            }
            None => {
                then(Piece::Text(before));
                then(Piece::Text("{"));
                rest = after;
            }
        }
    }
    then(Piece::Text(rest));
}

/// Returns the first placeholder that stands for nothing.
pub fn unknown(message: &str) -> Option<&str> {
    let mut found = None;
    each_piece(message, &mut |piece| {
        if let Piece::Placeholder(name) = piece
            && !NAMES.contains(&name)
        {
            found = found.or(Some(name));
        }
    });
    found
}

/// Fills the placeholders of a message.
pub fn fill(message: &str, values: PlaceholderValues<'_>) -> String {
    let mut out = String::new();
    each_piece(message, &mut |piece| match piece {
        Piece::Text(text) => out.push_str(text),
        Piece::Placeholder("kind") => out.push_str(values.kind),
        Piece::Placeholder("namespace") => out.push_str(values.namespace),
        Piece::Placeholder("name") => out.push_str(values.name),
        Piece::Placeholder("user") => out.push_str(values.user),
        Piece::Placeholder("setting") => out.push_str(values.setting),
        Piece::Placeholder("value") => out.push_str(refused_value(values.reason)),
        Piece::Placeholder("class") => out.push_str(class_of(values)),
        Piece::Placeholder(_) => {}
    });
    out
}

/// Returns the class that a reason is about; empty if it is about none. The settings of classes name it before anything else.
fn class_of(values: PlaceholderValues<'_>) -> &str {
    match values.reason.split_once("class \"") {
        Some((_, after)) => after.split('"').next().unwrap_or_default(),
        None if ["deviceClasses", "resourceClasses"].contains(&values.setting) => {
            quoted(values.reason, '"')
        }
        None => "",
    }
}

/// Returns the value that a reason refuses: after `value: `, or else the first that it has in quotes.
fn refused_value(reason: &str) -> &str {
    let after = ["Unsupported value: ", "Invalid value: ", "Not found: "]
        .into_iter()
        .find_map(|word| reason.split_once(word));
    match after {
        Some((_, value)) if !value.starts_with('"') => value.split(": ").next().unwrap_or_default(),
        Some((_, value)) => quoted(value, '"'),
        None => amount(reason).unwrap_or_else(|| match quoted(reason, '"') {
            "" => quoted(reason, '`'),
            value => value,
        }),
    }
}

/// Returns the amount that a reason against too many says at its end.
fn amount(reason: &str) -> Option<&str> {
    let (_, after) = [" this one asks for ", " this claim asks for ", " has "]
        .into_iter()
        .find_map(|word| reason.rsplit_once(word))?;
    let number = after.split([' ', ',']).next()?;
    claimkit_values::has_only_digits(number).then_some(number)
}

/// Returns the first text in quotes; empty if there is none.
fn quoted(reason: &str, quote: char) -> &str {
    reason.split(quote).nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let values = PlaceholderValues {
            kind: "ResourceClaim",
            namespace: "{name}",
            name: "c",
            user: "jane",
            setting: "deviceClasses",
            reason: "spec.x: Unsupported value: \"tpu\": supported values: \"gpu\"",
        };
        for (message, filled) in [
            (
                "ask {user} about {kind} {namespace}/{name}",
                "ask jane about ResourceClaim {name}/c",
            ),
            ("{setting}: {value}, {class}", "deviceClasses: tpu, tpu"),
            ("{} {a b} { {name}", "{} {a b} { c"),
            ("{", "{"),
        ] {
            assert_eq!(fill(message, values), filled);
            assert_eq!(unknown(message), None, "{message}");
        }
        assert_eq!(unknown("{name} {nmae} {x}"), Some("nmae"));
    }

    #[test]
    fn the_class_is_the_one_that_the_reason_names() {
        for (setting, reason, class) in [
            (
                "drivers",
                "spec.driver: Forbidden: \"evil.example.com\" is denied by the policy",
                "",
            ),
            (
                "limits",
                "spec.count: Invalid value: \"80Gi\": the policy accepts at most 40Gi",
                "",
            ),
            (
                "limits",
                "spec.count: Invalid value: 2: the policy accepts at most 1 devices of the class \"gpu\" in a request",
                "gpu",
            ),
            (
                "deviceClasses",
                "spec.resourceClaimName: Invalid value: \"mine\": the ResourceClaim names the class \"gpu\"",
                "gpu",
            ),
        ] {
            let values = PlaceholderValues {
                setting,
                reason,
                ..PlaceholderValues::default()
            };
            assert_eq!(class_of(values), class, "{reason}");
        }
    }

    #[test]
    fn the_refused_value_is_the_one_that_the_reason_names() {
        for (reason, value) in [
            (
                "spec.count: Invalid value: 9: the policy accepts at most 8",
                "9",
            ),
            ("spec.m: Forbidden: \"All\" is denied by the policy", "All"),
            (
                "spec.t: Forbidden: the policy does not accept the key `a/b`",
                "a/b",
            ),
            ("spec.c: Not found: \"x\"", "x"),
            (
                "spec: Forbidden: the policy accepts at most 8 devices of the class \"x\" in a claim, this one asks for 9",
                "9",
            ),
            (
                "spec: Forbidden: the policy accepts at most 1 resource claims, the pod has 2, one of them for extended resources",
                "2",
            ),
            ("spec.s: Required value: the policy asks for a selector", ""),
        ] {
            assert_eq!(refused_value(reason), value, "{reason}");
        }
    }
}
