//! Checks settings against the table of keys; reports every error with its path.

use crate::advice::nearest;
use crate::api::{self, GROUP, Release};
use crate::go::quantity::Quantity;
use crate::names;
use crate::policy::keys::{ALLOCATION_MODES, Key, Names, Shape};
use crate::policy::pattern;
use crate::text::tree::{Entry, Kind, NodeId, Tree};

/// Longest piece of the user's own text in a message, in characters.
const SHOWN: usize = 80;

/// Errors so far. Each is one line: `resourceClasses.fallback: what is wrong and what to write instead`.
#[derive(Debug, Default)]
pub struct SettingsErrors {
    list: Vec<String>,
}

impl SettingsErrors {
    /// Adds one.
    pub fn push(&mut self, path: &str, text: impl AsRef<str>) {
        let path = if path.is_empty() { "settings" } else { path };
        self.list.push(format!("{path}: {}", text.as_ref()));
    }

    /// Returns true if an error is about this key or about something below it.
    pub fn mentions(&self, path: &str) -> bool {
        let rest = |line: &String| line.strip_prefix(path).is_some_and(|rest| rest.starts_with([':', '.', '[']));
        self.list.iter().any(rest)
    }

    /// Returns all errors as a list.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// Quotes the user's text in backticks, on one line, cut where it is long.
pub fn shown(text: &str) -> String {
    let mut out = String::from("`");
    for (at, c) in text.chars().enumerate() {
        if at == SHOWN {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out.push('`');
    out
}

/// Returns `path.name`, or `name` at the top.
pub fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Checks a value against a shape; recursion is bounded by the depth of the table.
pub fn check(tree: &Tree<'_>, node: NodeId, path: &str, shape: Shape, errors: &mut SettingsErrors) {
    if matches!(tree.kind(node), Kind::Null) {
        errors.push(path, "says nothing: give it a value, or leave it out");
        return;
    }
    match shape {
        Shape::Choice(words) => choice(tree, node, path, words, errors),
        Shape::Flag => {
            if !matches!(tree.kind(node), Kind::Bool(_)) {
                errors.push(path, format!("must be `true` or `false`, not {}", what(tree, node)));
            }
        }
        Shape::Count => {
            if count(tree, node).is_none() {
                let number = matches!(tree.kind(node), Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_));
                let span = tree.span(node);
                let text = tree.source().get(span.from()..span.to()).unwrap_or_default();
                let given = if number { shown(text) } else { what(tree, node).to_owned() };
                errors.push(path, format!("must be a whole number that is not negative, not {given}"));
            }
        }
        Shape::Text => match tree.str(node) {
            Some("") => errors.push(path, "must not be empty: say something, or leave it out"),
            Some(_) => {}
            None => errors.push(path, format!("must be a string, not {}{}", what(tree, node), quotes(tree, node))),
        },
        Shape::Name(names) => match tree.str(node) {
            Some(text) if names == Names::AllocationMode && text.contains('*') => {
                errors.push(path, format!("{} must name one allocation mode: no `*`", shown(text)));
            }
            Some(text) if names == Names::Class && text.contains('*') => {
                errors.push(path, format!("{} must name one class: no `*`", shown(text)));
            }
            Some(text) => name(text, names, path, errors),
            None => errors.push(path, format!("must be a string, not {}{}", what(tree, node), quotes(tree, node))),
        },
        Shape::Patterns(names) => {
            for (at, item) in list(tree, node, path, "names", errors).iter().enumerate() {
                let path = format!("{path}[{at}]");
                match tree.str(*item) {
                    Some(text) => name(text, names, &path, errors),
                    None => errors.push(&path, format!("must be a string, not {}", what(tree, *item))),
                }
            }
        }
        Shape::Object(keys) => object(tree, node, path, keys, errors),
        Shape::Objects(keys) => {
            for (at, item) in list(tree, node, path, "objects", errors).iter().enumerate() {
                object(tree, *item, &format!("{path}[{at}]"), keys, errors);
            }
        }
        Shape::Labels => labels(tree, node, path, errors),
        Shape::Gates => gates(tree, node, path, errors),
        Shape::Quantities => quantities(tree, node, path, errors),
    }
}

/// Reads a whole number that is not negative.
pub fn count(tree: &Tree<'_>, node: NodeId) -> Option<usize> {
    match tree.kind(node) {
        Kind::Int(number) => usize::try_from(number).ok(),
        Kind::Uint(number) => usize::try_from(number).ok(),
        Kind::Number(number) => tree.source().get(number.from()..number.to())?.parse().ok(),
        _ => None,
    }
}

/// Checks an object against its keys.
pub fn object(tree: &Tree<'_>, node: NodeId, path: &str, keys: &'static [Key], errors: &mut SettingsErrors) {
    if !tree.is_map(node) {
        errors.push(path, format!("must be an object, not {}", what(tree, node)));
        return;
    }
    for entry in tree.entries(node) {
        let name = tree.text(entry.key);
        let here = below(path, &shown_key(name));
        if entry.shadowed {
            errors.push(&here, "stands twice: keep one");
            continue;
        }
        match keys.iter().find(|key| key.name == name) {
            Some(key) => check(tree, entry.value, &here, key.shape, errors),
            None => {
                let known = keys.iter().map(|key| key.name);
                match closest(name, known.clone()) {
                    Some(meant) => errors.push(&here, format!("unknown setting; did you mean `{meant}`?")),
                    None => errors.push(&here, format!("unknown setting; write {}", one_of(known))),
                }
            }
        }
    }
    if tree.get(node, "allow").is_some() && tree.get(node, "deny").is_some() && keys.iter().any(|key| key.name == "deny") {
        errors.push(path, "`allow` and `deny` exclude each other: keep one of them");
    }
}

/// Finds the known word nearest to an unknown one.
fn closest(word: &str, known: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    known.clone().find(|known| known.eq_ignore_ascii_case(word)).or_else(|| {
        let mut nearest = nearest::Nearest::to(word);
        known.for_each(|known| nearest.consider(known));
        nearest.found()
    })
}

/// Writes a key as shown in a path: shortened and on one line, without backticks.
fn shown_key(name: &str) -> String {
    shown(name).trim_matches('`').to_owned()
}

fn choice(tree: &Tree<'_>, node: NodeId, path: &str, words: &'static [&'static str], errors: &mut SettingsErrors) {
    match tree.kind(node) {
        Kind::Bool(false) if words.contains(&"off") => {}
        _ => match tree.str(node) {
            Some(word) if words.contains(&word) => {}
            Some(word) => {
                let hint = match closest(word, words.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("write {}", one_of(words.iter().copied())),
                };
                errors.push(path, format!("{} is not known; {hint}", shown(word)));
            }
            None => errors.push(path, format!("must be {}, not {}", one_of(words.iter().copied()), what(tree, node))),
        },
    }
}

fn list<'t>(tree: &'t Tree<'_>, node: NodeId, path: &str, of: &str, errors: &mut SettingsErrors) -> &'t [NodeId] {
    match tree.kind(node) {
        Kind::Seq { .. } if tree.items(node).is_empty() => {
            errors.push(path, "must not be empty: name at least one, or leave it out");
        }
        Kind::Seq { .. } => {}
        _ => errors.push(path, format!("must be a list of {of}, not {}", what(tree, node))),
    }
    tree.items(node)
}

/// Returns the entries of an object that must not be empty.
fn entries<'t>(tree: &'t Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) -> &'t [Entry] {
    if !tree.is_map(node) {
        errors.push(path, format!("must be an object, not {}", what(tree, node)));
    } else if tree.entries(node).is_empty() {
        errors.push(path, "must not be empty: name at least one, or leave it out");
    }
    tree.entries(node)
}

fn labels(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let key = tree.text(entry.key);
        let here = format!("{path}[{}]", shown_key(key));
        if let Some(message) = names::qualified_name(key).first() {
            errors.push(&here, format!("no label key: {message}"));
        }
        match tree.str(entry.value) {
            None => errors.push(&here, format!("must be a string, not {}{}", what(tree, entry.value), quotes(tree, entry.value))),
            Some(value) => {
                if let Some(message) = names::label_value(value).first() {
                    errors.push(&here, format!("no label value: {message}"));
                }
            }
        }
    }
}

/// Returns the text of a quantity: a string or a number.
pub fn quantity<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let span = tree.span(node);
    match tree.kind(node) {
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => tree.source().get(span.from()..span.to()),
        _ => tree.str(node),
    }
}

fn quantities(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let name = tree.text(entry.key);
        let here = format!("{path}[{}]", shown_key(name));
        if let Some(message) = names::qualified_name(name).first() {
            errors.push(&here, format!("no name of a capacity: {message}"));
        }
        match quantity(tree, entry.value) {
            None => errors.push(&here, format!("must be a quantity, such as `40Gi`, not {}", what(tree, entry.value))),
            Some(text) if Quantity::parse(text).is_err() => {
                errors.push(&here, format!("{} is no quantity; write one such as `40Gi`", shown(text)));
            }
            Some(_) => {}
        }
    }
}

/// Checks that the gates exist. Whether the release has them is checked in [`crate::policy::Settings::read`].
fn gates(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let name = tree.text(entry.key);
        let here = below(path, &shown_key(name));
        if entry.shadowed {
            errors.push(&here, "stands twice: keep one");
        } else if api::Gate::named(name).is_none() {
            match closest(name, api::Gate::ALL.iter().map(|gate| gate.name())) {
                Some(meant) => errors.push(&here, format!("no feature gate of these APIs; did you mean `{meant}`?")),
                None => errors.push(&here, "no feature gate of these APIs"),
            }
        } else {
            check(tree, entry.value, &here, Shape::Flag, errors);
        }
    }
}

/// Reports a name that cannot exist, or a pattern that no name can match.
fn name(text: &str, names: Names, path: &str, errors: &mut SettingsErrors) {
    // Test the pattern with a letter in place of each star: a pattern that no name can match is an error.
    let sample = text.replace('*', "a");
    let never = |messages: names::Messages, what: &str, errors: &mut SettingsErrors| {
        if let Some(message) = messages.first() {
            errors.push(path, format!("{} is no name of {what}: {message}", shown(text)));
        }
    };
    let one_of_known = |text: &str, known: &[&'static str], what: &str, errors: &mut SettingsErrors| {
        if !known.iter().any(|known| pattern::matches(text, known)) {
            let hint = match closest(text, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write {}", one_of(known.iter().copied())),
            };
            errors.push(path, format!("{} is no {what}; {hint}", shown(text)));
        }
    };
    match names {
        Names::Subject | Names::Kind if text.is_empty() => errors.push(path, "must not be empty"),
        Names::Subject | Names::Kind => {}
        Names::Group if text.is_empty() => {}
        Names::Class => never(names::subdomain(&sample), "a class", errors),
        Names::Group => never(names::subdomain(&sample), "an API group", errors),
        Names::Claim => never(names::subdomain(&sample), "a ResourceClaim or its template", errors),
        Names::Resource => match sample.split_once('/') {
            None if text == "*" => {}
            None => errors.push(path, format!("{} has no domain: extended resources are like `example.com/gpu`", shown(text))),
            Some(_) => never(names::qualified_name(&sample), "an extended resource", errors),
        },
        Names::TaintKey if text == "*" => {}
        Names::TaintKey => never(names::qualified_name(&sample), "a taint", errors),
        Names::Node => never(names::subdomain(text), "a Node", errors),
        Names::Driver => never(names::lowered_subdomain(&sample), "a driver", errors),
        Names::Namespace => never(names::label(&sample, names::DottedLabel::NamesTheDots), "a Namespace", errors),
        Names::Version => {
            let text = version(text);
            let known: Vec<&'static str> = api::VERSIONS.iter().map(|version| version.name).collect();
            if !is_version(text) {
                one_of_known(text, &known, "version of resource.k8s.io", errors);
            }
        }
        Names::AllocationMode => one_of_known(text, &ALLOCATION_MODES.concat(), "allocation mode", errors),
        Names::Release => {
            if Release::parse(text).is_none() {
                errors.push(path, Release::unknown(text));
            }
        }
    }
}

/// Recognizes `v1`, `v1beta2`, `v1beta*`: what a version of any API looks like, later ones included.
fn is_version(text: &str) -> bool {
    if api::VERSIONS.iter().any(|version| pattern::matches(text, version.name)) {
        return true;
    }
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'*');
    let Some(rest) = text.strip_prefix('v') else { return false };
    let staged = rest.split_once("alpha").or_else(|| rest.split_once("beta"));
    staged.map_or_else(|| number(rest), |(major, minor)| number(major) && number(minor))
}

/// Returns a version without an optional group prefix.
pub fn version(text: &str) -> &str {
    text.strip_prefix(GROUP).and_then(|rest| rest.strip_prefix('/')).unwrap_or(text)
}

/// Joins words: `a`, `b` or `c`, each in backticks.
fn one_of<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Returns the type of a value, in words.
fn what(tree: &Tree<'_>, node: NodeId) -> &'static str {
    match tree.kind(node) {
        Kind::Null | Kind::Alias(_) => "null",
        Kind::Bool(true) => "`true`",
        Kind::Bool(false) => "`false`",
        Kind::Str(_) => "a string",
        Kind::Seq { .. } => "a list",
        Kind::Map { .. } => "an object",
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => "a number",
    }
}

/// Returns the advice to quote a scalar: YAML reads `1.30` as a number and `on` as a boolean.
fn quotes(tree: &Tree<'_>, node: NodeId) -> &'static str {
    match tree.kind(node) {
        Kind::Seq { .. } | Kind::Map { .. } => "",
        _ => ": put it in quotes",
    }
}
