//! Checks settings against the table of keys; reports every error with its path.

use crate::policy::keys::{ALLOCATION_MODES, SettingKey, SettingNameKind, ValueShape};
use crate::policy::{parameters, pattern, placeholders};
use claimkit_model::message::{self, Message, Template, Words, message, template};
use claimkit_model::nearest;
use claimkit_model::schema::{self, GROUP, Release};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};
use claimkit_values::names;
use claimkit_values::quantity::Quantity;

/// Longest piece of the user's own text in a message, in characters.
const SHOWN: usize = 80;

const NAMES: Template = template!("settings.names", "names");
const OBJECTS: Template = template!("settings.objects", "objects");
const CLASS: Template = template!("settings.class", "a class");
const API_GROUP: Template = template!("settings.api-group", "an API group");
const CLAIM: Template = template!("settings.claim", "a ResourceClaim or its template");
const EXTENDED_RESOURCE: Template = template!("settings.extended-resource", "an extended resource");
const TAINT: Template = template!("settings.taint", "a taint");
const NODE: Template = template!("settings.node", "a Node");
const DRIVER: Template = template!("settings.driver", "a driver");
const NAMESPACE: Template = template!("settings.namespace", "a Namespace");
const VERSION: Template = template!("settings.version", "version of resource.k8s.io");
const ALLOCATION_MODE: Template = template!("settings.allocation-mode", "allocation mode");

/// Errors so far: the path of a setting, and what is wrong and what to write instead.
#[derive(Debug, Default)]
pub struct SettingsErrors {
    list: Vec<(String, Message)>,
}

impl SettingsErrors {
    /// Adds one.
    pub fn push(&mut self, path: &str, text: Message) {
        let path = if path.is_empty() { "settings" } else { path };
        self.list.push((path.to_owned(), text));
    }

    /// Returns true if an error is about this key or about something below it.
    pub fn mentions(&self, path: &str) -> bool {
        self.list.iter().any(|(known, _)| {
            known
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// Returns all errors as a list of lines: `resourceClasses.fallback: what is wrong`.
    pub fn into_list(self) -> Vec<Words> {
        let line =
            |(path, problem)| message!("settings.wrong", "{path}: {problem}", path, problem).into();
        self.list.into_iter().map(line).collect()
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
        if c.is_control() {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
    }
    out.push('`');
    out
}

/// Returns `path.name`, or `name` at the top.
pub fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Checks a value against a shape; recursion is bounded by the depth of the table.
pub fn check(
    tree: &Tree<'_>,
    node: NodeId,
    path: &str,
    shape: ValueShape,
    errors: &mut SettingsErrors,
) {
    if matches!(tree.kind(node), Kind::Null) {
        errors.push(
            path,
            message!(
                "settings.says-nothing",
                "says nothing: give it a value, or leave it out"
            ),
        );
        return;
    }
    match shape {
        ValueShape::Choice(words) => choice(tree, node, path, words, errors),
        ValueShape::Flag => flag(tree, node, path, errors),
        ValueShape::Count => whole_number(tree, node, path, errors),
        ValueShape::Text | ValueShape::Message | ValueShape::Expression => {
            let Some(text) = text(tree, node, path, errors) else {
                return;
            };
            match shape {
                ValueShape::Message => placeholders_of(text, path, errors),
                ValueShape::Expression => expression(text, path, errors),
                _ => {}
            }
        }
        ValueShape::Name(kind) => single_name(tree, node, kind, path, errors),
        ValueShape::Patterns(kind) => patterns(tree, node, kind, path, errors),
        ValueShape::Object(keys) => object(tree, node, path, keys, errors),
        ValueShape::Objects(keys) => {
            let items = list(tree, node, path, OBJECTS, errors);
            for (index, item) in items.iter().enumerate() {
                object(tree, *item, &format!("{path}[{index}]"), keys, errors);
            }
        }
        ValueShape::Labels => labels(tree, node, path, errors),
        ValueShape::Gates => gates(tree, node, path, errors),
        ValueShape::Quantities => quantities(tree, node, path, errors),
    }
}

/// Reports a value that is not `true` or `false`.
fn flag(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    if matches!(tree.kind(node), Kind::Bool(_)) {
        return;
    }
    let what = what(tree, node);
    errors.push(
        path,
        message!(
            "settings.no-flag",
            "must be `true` or `false`, not {what}",
            what
        ),
    );
}

/// Reports a value that is not a whole number, or is negative.
fn whole_number(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    if count(tree, node).is_some() {
        return;
    }
    let is_number = matches!(
        tree.kind(node),
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_)
    );
    let given = if is_number {
        shown(tree.slice(tree.span(node)))
    } else {
        what(tree, node).into()
    };
    errors.push(
        path,
        message!(
            "settings.no-count",
            "must be a whole number that is not negative, not {given}",
            given
        ),
    );
}

/// Returns a string that is not empty; reports anything else.
fn text<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    path: &str,
    errors: &mut SettingsErrors,
) -> Option<&'t str> {
    let text = tree.str(node);
    match text {
        Some("") => {
            let problem = message!(
                "settings.text-empty",
                "must not be empty: say something, or leave it out"
            );
            errors.push(path, problem);
            None
        }
        Some(_) => text,
        None => {
            errors.push(path, no_string(tree, node));
            None
        }
    }
}

/// Checks a name that stands for one thing: one mode, one class.
fn single_name(
    tree: &Tree<'_>,
    node: NodeId,
    kind: SettingNameKind,
    path: &str,
    errors: &mut SettingsErrors,
) {
    let Some(text) = tree.str(node) else {
        errors.push(path, no_string(tree, node));
        return;
    };
    match kind {
        SettingNameKind::AllocationMode if text.contains('*') => {
            let problem = message!(
                "settings.several-modes",
                "{mode} must name one allocation mode: no `*`",
                mode = shown(text)
            );
            errors.push(path, problem);
        }
        SettingNameKind::Class if text.contains('*') => {
            let problem = message!(
                "settings.several-classes",
                "{class} must name one class: no `*`",
                class = shown(text)
            );
            errors.push(path, problem);
        }
        _ => name(text, kind, path, errors),
    }
}

/// Checks a list of names, in which `*` may stand for any characters. A name that was there before is reported.
fn patterns(
    tree: &Tree<'_>,
    node: NodeId,
    kind: SettingNameKind,
    path: &str,
    errors: &mut SettingsErrors,
) {
    let items = list(tree, node, path, NAMES, errors);
    for (index, item) in items.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Some(text) = tree.str(*item) else {
            errors.push(&path, no_plain_string(tree, *item));
            continue;
        };
        let mut earlier_items = items.iter().take(index);
        if earlier_items.any(|earlier| tree.str(*earlier) == Some(text)) {
            let problem = message!(
                "settings.twice-in-list",
                "{text} is in the list already: leave it out",
                text = shown(text)
            );
            errors.push(&path, problem);
        } else {
            name(text, kind, &path, errors);
        }
    }
}

/// Reports a placeholder that stands for nothing.
fn placeholders_of(text: &str, path: &str, errors: &mut SettingsErrors) {
    let Some(name) = placeholders::unknown(text) else {
        return;
    };
    let placeholder = shown(&format!("{{{name}}}"));
    let problem = match closest(name, placeholders::NAMES.iter().copied()) {
        Some(meant) => message!(
            "settings.no-placeholder-but",
            "{placeholder} stands for nothing; did you mean `{meant}`?",
            placeholder,
            meant = format!("{{{meant}}}")
        ),
        None => {
            let known: Vec<String> = placeholders::NAMES
                .iter()
                .map(|name| format!("{{{name}}}"))
                .collect();
            message!(
                "settings.no-placeholder",
                "{placeholder} stands for nothing; write {known}",
                placeholder,
                known = one_of(known.iter().map(String::as_str))
            )
        }
    };
    errors.push(path, problem);
}

/// Reports an expression that does not compile.
fn expression(text: &str, path: &str, errors: &mut SettingsErrors) {
    if let Err(problem) = parameters::compile(text) {
        errors.push(
            path,
            message!(
                "settings.no-expression",
                "not valid CEL: {problem}",
                problem
            ),
        );
    }
}

/// Reads a whole number that is not negative.
pub fn count(tree: &Tree<'_>, node: NodeId) -> Option<usize> {
    match tree.kind(node) {
        Kind::Int(number) => usize::try_from(number).ok(),
        Kind::Uint(number) => usize::try_from(number).ok(),
        Kind::Number(number) => number.slice_of(tree.source())?.parse().ok(),
        _ => None,
    }
}

/// Checks an object against its keys.
pub fn object(
    tree: &Tree<'_>,
    node: NodeId,
    path: &str,
    keys: &'static [SettingKey],
    errors: &mut SettingsErrors,
) {
    if !tree.is_map(node) {
        errors.push(path, no_object(tree, node));
        return;
    }
    for entry in tree.entries(node) {
        let name = tree.text(entry.key);
        let path_to_value = below(path, &shown_key(name));
        if entry.shadowed {
            errors.push(&path_to_value, twice());
            continue;
        }
        match keys.iter().find(|key| key.name == name) {
            Some(key) => check(tree, entry.value, &path_to_value, key.shape, errors),
            None => errors.push(&path_to_value, unknown_key(name, keys)),
        }
    }
    if tree.get(node, "allow").is_some()
        && tree.get(node, "deny").is_some()
        && keys.iter().any(|key| key.name == "deny")
    {
        errors.push(
            path,
            message!(
                "settings.allow-and-deny",
                "`allow` and `deny` exclude each other: keep one of them"
            ),
        );
    }
}

/// Returns the error about a key that an object does not have.
fn unknown_key(name: &str, keys: &'static [SettingKey]) -> Message {
    let known = keys.iter().map(|key| key.name);
    match closest(name, known.clone()) {
        Some(meant) => message!(
            "settings.unknown-but",
            "unknown setting; did you mean `{meant}`?",
            meant
        ),
        None => message!(
            "settings.unknown",
            "unknown setting; write {known}",
            known = one_of(known)
        ),
    }
}

/// Finds the known word nearest to an unknown one.
fn closest(word: &str, known: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    known
        .clone()
        .find(|known| known.eq_ignore_ascii_case(word))
        .or_else(|| {
            let mut nearest = nearest::Nearest::to(word);
            known.for_each(|known| nearest.consider(known));
            nearest.found()
        })
}

/// Writes a key as shown in a path: shortened and on one line, without backticks.
fn shown_key(name: &str) -> String {
    shown(name).trim_matches('`').to_owned()
}

/// Reports a value that is not one of some words.
fn choice(
    tree: &Tree<'_>,
    node: NodeId,
    path: &str,
    words: &'static [&'static str],
    errors: &mut SettingsErrors,
) {
    // YAML 1.1 reads `off` as `false`.
    if matches!(tree.kind(node), Kind::Bool(false)) && words.contains(&"off") {
        return;
    }
    let known = || one_of(words.iter().copied());
    let Some(word) = tree.str(node) else {
        let problem = message!(
            "settings.no-word",
            "must be {known}, not {what}",
            known = known(),
            what = what(tree, node)
        );
        errors.push(path, problem);
        return;
    };
    if words.contains(&word) {
        return;
    }
    let problem = match closest(word, words.iter().copied()) {
        Some(meant) => message!(
            "settings.unknown-word-but",
            "{word} is not known; did you mean `{meant}`?",
            word = shown(word),
            meant
        ),
        None => message!(
            "settings.unknown-word",
            "{word} is not known; write {known}",
            word = shown(word),
            known = known()
        ),
    };
    errors.push(path, problem);
}

/// Returns the items of a list; reports a value that is not a list, and an empty list. `content`: what the list holds, in words.
fn list<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    path: &str,
    content: Template,
    errors: &mut SettingsErrors,
) -> &'t [NodeId] {
    match tree.kind(node) {
        Kind::Seq { .. } if tree.items(node).is_empty() => {
            errors.push(path, empty());
        }
        Kind::Seq { .. } => {}
        _ => {
            let what = what(tree, node);
            errors.push(
                path,
                message!(
                    "settings.no-list",
                    "must be a list of {of}, not {what}",
                    of = content.text(),
                    what
                ),
            );
        }
    }
    tree.items(node)
}

/// Returns the entries of an object that must not be empty.
fn entries<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    path: &str,
    errors: &mut SettingsErrors,
) -> &'t [Entry] {
    if !tree.is_map(node) {
        errors.push(path, no_object(tree, node));
    } else if tree.entries(node).is_empty() {
        errors.push(path, empty());
    }
    tree.entries(node)
}

/// Checks the keys and values of labels.
fn labels(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let key = tree.text(entry.key);
        let path_to_value = format!("{path}[{}]", shown_key(key));
        if let Some(message) = names::qualified_name(key).first() {
            errors.push(
                &path_to_value,
                message!(
                    "settings.no-label-key",
                    "not a label key: {message}",
                    message
                ),
            );
        }
        match tree.str(entry.value) {
            None => errors.push(&path_to_value, no_string(tree, entry.value)),
            Some(value) => {
                if let Some(message) = names::label_value(value).first() {
                    errors.push(
                        &path_to_value,
                        message!(
                            "settings.no-label-value",
                            "not a label value: {message}",
                            message
                        ),
                    );
                }
            }
        }
    }
}

/// Returns the text of a quantity: a string or a number.
pub fn quantity<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let span = tree.span(node);
    match tree.kind(node) {
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => {
            span.slice_of(tree.source())
        }
        _ => tree.str(node),
    }
}

/// Checks capacities: their names, and their quantities.
fn quantities(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let name = tree.text(entry.key);
        let path_to_value = format!("{path}[{}]", shown_key(name));
        if let Some(message) = names::qualified_name(name).first() {
            errors.push(
                &path_to_value,
                message!(
                    "settings.no-capacity-name",
                    "not a capacity name: {message}",
                    message
                ),
            );
        }
        match quantity(tree, entry.value) {
            None => {
                let what = what(tree, entry.value);
                errors.push(
                    &path_to_value,
                    message!(
                        "settings.no-quantity",
                        "must be a quantity, such as `40Gi`, not {what}",
                        what
                    ),
                );
            }
            Some(text) if Quantity::parse(text).is_err() => {
                let text = shown(text);
                errors.push(
                    &path_to_value,
                    message!(
                        "settings.quantity-unparsed",
                        "{text} is not a quantity; write one such as `40Gi`",
                        text
                    ),
                );
            }
            Some(_) => {}
        }
    }
}

/// Checks that the gates exist. Whether the release has them is checked in [`crate::policy::Settings::read`].
fn gates(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    for entry in entries(tree, node, path, errors) {
        let name = tree.text(entry.key);
        let path_to_value = below(path, &shown_key(name));
        if entry.shadowed {
            errors.push(&path_to_value, twice());
        } else if schema::Gate::named(name).is_none() {
            match closest(name, schema::Gate::ALL.iter().map(|gate| gate.name())) {
                Some(meant) => errors.push(
                    &path_to_value,
                    message!(
                        "settings.unknown-gate-but",
                        "not a feature gate of these APIs; did you mean `{meant}`?",
                        meant
                    ),
                ),
                None => errors.push(
                    &path_to_value,
                    message!("settings.unknown-gate", "not a feature gate of these APIs"),
                ),
            }
        } else {
            check(tree, entry.value, &path_to_value, ValueShape::Flag, errors);
        }
    }
}

/// Reads a release. One that is newer than every known one is judged as the newest, of its minor release if that is known.
pub fn release(text: &str) -> Option<Release> {
    let newer = || {
        let mut parts = text.strip_prefix("1.")?.split('.');
        let minor: u8 = parts.next()?.parse().ok()?;
        let patch: u8 = parts.next().map_or(Some(0), |patch| patch.parse().ok())?;
        let latest = Release::latest();
        if parts.next().is_some() || minor < latest.minor {
            return None;
        }
        let given = Release::new(minor, patch);
        (given > latest).then_some(latest)
    };
    Release::parse(text).or_else(newer)
}

/// The characters of other pattern languages.
const NOT_SPECIAL: [char; 13] = [
    '?', '[', ']', '^', '$', '+', '(', ')', '{', '}', '|', '\\', '!',
];

/// Reports a name that cannot exist, or a pattern that no name can match.
fn name(text: &str, names: SettingNameKind, path: &str, errors: &mut SettingsErrors) {
    if text.is_empty() && names != SettingNameKind::Group {
        errors.push(path, message!("settings.name-empty", "must not be empty"));
        return;
    }
    let mut check = NameCheck { text, path, errors };
    // Test the pattern with a letter in place of each star: a pattern that no name can match is an error.
    let sample = text.replace('*', "a");
    match names {
        SettingNameKind::Subject | SettingNameKind::Kind => {}
        SettingNameKind::Group if text.is_empty() => {}
        SettingNameKind::Class => check.report_impossible(names::subdomain(&sample), CLASS),
        SettingNameKind::Group => check.report_impossible(names::subdomain(&sample), API_GROUP),
        SettingNameKind::Claim => check.report_impossible(names::subdomain(&sample), CLAIM),
        SettingNameKind::Resource => check.report_resource(&sample),
        SettingNameKind::TaintKey if text == "*" => {}
        SettingNameKind::TaintKey => check.report_impossible(names::qualified_name(&sample), TAINT),
        SettingNameKind::Node => check.report_impossible(names::subdomain(text), NODE),
        SettingNameKind::Driver => {
            check.report_impossible(names::lowered_subdomain(&sample), DRIVER)
        }
        SettingNameKind::Namespace => {
            let messages = names::label(&sample, names::DottedLabel::NamesTheDots);
            check.report_impossible(messages, NAMESPACE);
        }
        SettingNameKind::Version => {
            check.text = version(text);
            if !is_version(check.text) {
                let known = schema::VERSIONS.iter().map(|version| version.name);
                check.report_unknown(&known.collect::<Vec<_>>(), VERSION);
            }
        }
        SettingNameKind::AllocationMode => {
            check.report_unknown(&ALLOCATION_MODES.concat(), ALLOCATION_MODE);
        }
        SettingNameKind::Release => {
            if release(text).is_none() {
                check.errors.push(path, Release::unknown(text));
            }
        }
    }
}

/// A name or pattern of a setting that is checked.
struct NameCheck<'a> {
    text: &'a str,
    path: &'a str,
    errors: &'a mut SettingsErrors,
}

impl NameCheck<'_> {
    /// Reports the first of the messages about a name: no object can have it.
    fn report_impossible(&mut self, messages: names::Messages, what: Template) {
        let Some(message) = messages.first() else {
            return;
        };
        let looks_like_pattern = self.text.contains(NOT_SPECIAL);
        let (text, what) = (shown(self.text), what.text());
        let problem = if looks_like_pattern {
            message!(
                "settings.no-pattern",
                "{text} matches no name of {what}: only `*` is special, it matches any characters",
                text,
                what
            )
        } else {
            message!(
                "settings.no-name",
                "{text} is not the name of {what}: {message}",
                text,
                what,
                message
            )
        };
        self.errors.push(self.path, problem);
    }

    /// Reports a pattern that matches none of the names that there are.
    fn report_unknown(&mut self, known: &[&'static str], what: Template) {
        if known.iter().any(|known| pattern::matches(self.text, known)) {
            return;
        }
        let (text, what) = (shown(self.text), what.text());
        let problem = match closest(self.text, known.iter().copied()) {
            Some(meant) => message!(
                "settings.none-of-known-but",
                "{text}: there is no such {what}; did you mean `{meant}`?",
                text,
                what,
                meant
            ),
            None => message!(
                "settings.none-of-known",
                "{text}: there is no such {what}; write {known}",
                text,
                what,
                known = one_of(known.iter().copied())
            ),
        };
        self.errors.push(self.path, problem);
    }

    /// Reports a name that no extended resource can have. `sample`: the name with a letter in place of each star.
    fn report_resource(&mut self, sample: &str) {
        if sample.contains('/') {
            self.report_impossible(names::qualified_name(sample), EXTENDED_RESOURCE);
        } else if self.text != "*" {
            let problem = message!(
                "settings.no-domain",
                "{text} has no domain: extended resources are like `example.com/gpu`",
                text = shown(self.text)
            );
            self.errors.push(self.path, problem);
        }
    }
}

/// Recognizes `v1`, `v1beta2`, `v1beta*`: what a version of any API looks like, later ones included.
fn is_version(text: &str) -> bool {
    if schema::VERSIONS
        .iter()
        .any(|version| pattern::matches(text, version.name))
    {
        return true;
    }
    let Some(rest) = text.strip_prefix('v') else {
        return false;
    };
    let staged = rest.split_once("alpha").or_else(|| rest.split_once("beta"));
    staged.map_or_else(
        || is_number_pattern(rest),
        |(major, minor)| is_number_pattern(major) && is_number_pattern(minor),
    )
}

/// Returns true if a text has only digits and `*`.
fn is_number_pattern(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'*')
}

/// Returns a version without an optional group prefix.
pub fn version(text: &str) -> &str {
    text.strip_prefix(GROUP)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(text)
}

/// Joins words: `a`, `b` or `c`, each in backticks.
fn one_of<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => message!(
            "settings.or",
            "{before} or {last}",
            before = before.join(", "),
            last
        )
        .into(),
        None => String::new(),
    }
}

/// Returns the type of a value, in words.
fn what(tree: &Tree<'_>, node: NodeId) -> Message {
    match tree.kind(node) {
        Kind::Null | Kind::Alias(_) => message!("settings.null", "null"),
        Kind::Bool(true) => message::code(["true"]),
        Kind::Bool(false) => message::code(["false"]),
        Kind::Str(_) => message!("settings.string", "a string"),
        Kind::Seq { .. } => message!("settings.list", "a list"),
        Kind::Map { .. } => message!("settings.object", "an object"),
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => {
            message!("settings.number", "a number")
        }
    }
}

/// Returns the problem of a value that is not a string. YAML reads `1.30` as a number and `on` as a boolean: they need quotes.
fn no_string(tree: &Tree<'_>, node: NodeId) -> Message {
    match tree.kind(node) {
        Kind::Seq { .. } | Kind::Map { .. } => no_plain_string(tree, node),
        _ => {
            let what = what(tree, node);
            message!(
                "settings.no-string-quotes",
                "must be a string, not {what}: put it in quotes",
                what
            )
        }
    }
}

fn no_plain_string(tree: &Tree<'_>, node: NodeId) -> Message {
    message!(
        "settings.no-string",
        "must be a string, not {what}",
        what = what(tree, node)
    )
}

fn no_object(tree: &Tree<'_>, node: NodeId) -> Message {
    message!(
        "settings.no-object",
        "must be an object, not {what}",
        what = what(tree, node)
    )
}

fn empty() -> Message {
    message!(
        "settings.list-empty",
        "must not be empty: name at least one, or leave it out"
    )
}

/// Returns what is wrong with a value that is read from YAML: keys that are listed twice, at any depth. The value is read as JSON
/// afterwards, which keeps only one of them.
pub fn repeated_keys(tree: &Tree<'_>, node: NodeId) -> Vec<Words> {
    let mut errors = SettingsErrors::default();
    add_repeated_keys(tree, node, "", &mut errors);
    errors.into_list()
}

/// Adds the keys that are listed twice; recursion is bounded by the depth of the tree, which its reader limits.
fn add_repeated_keys(tree: &Tree<'_>, node: NodeId, path: &str, errors: &mut SettingsErrors) {
    if tree.is_map(node) {
        for entry in tree.entries(node) {
            let path_to_value = below(path, &shown_key(tree.text(entry.key)));
            // A key of a merged map (`<<`) gives way to one that is written.
            if entry.shadowed && !entry.merged {
                errors.push(&path_to_value, twice());
            } else if !entry.shadowed {
                add_repeated_keys(tree, entry.value, &path_to_value, errors);
            }
        }
    }
    for (at, item) in tree.items(node).iter().enumerate() {
        add_repeated_keys(tree, *item, &format!("{path}[{at}]"), errors);
    }
}

fn twice() -> Message {
    message!("settings.twice", "is listed twice: keep one")
}
