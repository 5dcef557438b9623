//! Help and fixes for findings, from the text that they are about.

use crate::advice::fits::{self, Reader};
use crate::advice::shape::Move;
use crate::advice::suggest::Unknown;
use crate::advice::{budget, cause, cel_text, correct, in_yaml, locate, meant, nodes, suggest};
use claimkit_model::finding::{Cause, Code, Edit, EntryPart, Finding, Fix, Step};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::nearest::did_you_mean;
use claimkit_model::object::decode::{Strict, StrictKind};
use claimkit_model::schema::core::NODE_SELECTOR_OPERATORS;
use claimkit_model::schema::{Api, Family, Release, Struct, VERSIONS};
use claimkit_model::text::Span;
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::scalar::Places;
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// Adds help for an unknown or duplicate field, and its new name where that is certain.
pub fn strict(finding: &mut Finding, strict: &Strict, api: Api, release: Release, tree: &Tree<'_>) {
    let found = match (strict.kind, strict.schema) {
        (StrictKind::Unknown, Some(schema)) => {
            let value = tree.get(strict.parent, &strict.field);
            let unknown = Unknown {
                name: &strict.field,
                path: &strict.path,
                value: value.map(|value| tree.kind(value)),
            };
            suggest::field(unknown, schema, api, release)
        }
        _ => None,
    };
    let reader = Reader {
        tree,
        version: api.version.name,
        release,
    };
    let is_moved = found.as_ref().is_some_and(|found| found.moves.is_some());
    if strict.kind == StrictKind::Unknown && by_content(finding, strict, reader, is_moved) {
        return;
    }
    if let Some((help, edit)) =
        blank_behind_colon(tree, strict).filter(|_| strict.kind == StrictKind::Unknown)
    {
        finding.help = Some(help.into());
        finding.fixes.extend(edit.map(|edit| Fix {
            title: message!("hint.put-blank-behind-colon", "put a space after the colon"),
            edits: vec![edit],
        }));
        return;
    }
    let renames = found.as_ref().is_some_and(|found| found.rename.is_some());
    if strict.kind == StrictKind::Unknown && !renames {
        if let Some(value) = correct::value_field(tree, strict) {
            let edit = value
                .field
                .and_then(|name| Some((name, replace(tree, strict.key, &strict.field, name)?)));
            finding
                .fixes
                .extend(edit.map(|(name, edit)| write(name, edit)));
            finding.help = Some(value.help.into());
            return;
        }
        if let Some((help, edits)) = dash(tree, strict) {
            finding.help = Some(help.into());
            finding.fixes.extend(edits.map(|edits| Fix {
                title: message!("hint.put-blank", "put a space after the `-`"),
                edits,
            }));
            return;
        }
    }
    if found.is_none() && strict.kind == StrictKind::Unknown && unplaced(finding, strict, reader) {
        return;
    }
    let Some(found) = found else {
        finding.help = finding.code.spoken_help().map(Words::from);
        let mut edits = Edits::new();
        if strict.kind == StrictKind::Duplicate
            && edits
                .remove_entries(tree, strict.parent, |entry| {
                    entry.shadowed && tree.text(entry.key) == strict.field
                })
                .is_ok()
            && let Ok(edits) = edits.sorted()
            && !edits.is_empty()
        {
            finding.fixes.push(Fix {
                title: message!("hint.keep-last", "keep the last, which counts"),
                edits,
            });
        }
        return;
    };
    finding.help = Some(found.help.into());
    if let Some(moves) = found.moves {
        if let (
            Move::Under {
                into: "exactly", ..
            },
            Some(schema),
        ) = (moves, strict.schema)
            && has_alternatives(tree, strict.parent)
        {
            finding.help = Some(beside_alternatives(&strict.field, schema).into());
            return;
        }
        if let Some(edits) = moves.edits(reader, strict.parent, &strict.field) {
            finding.fixes.push(Fix {
                title: moves.title(&strict.field),
                edits,
            });
        }
        return;
    }
    if let Some(name) = found.rename {
        rename(finding, strict, reader, name);
    } else if strict.field == "name"
        && strict.path == "name"
        && tree.entry(strict.parent, "metadata").is_none()
        && let Some(edit) = under_metadata(tree, strict.key)
    {
        let title = message!("hint.move-under-metadata", "move it under `metadata`");
        finding.fixes.push(Fix {
            title,
            edits: vec![edit],
        });
    }
}

/// Adds help for a field that its value and its place explain better than its name; false if they do not.
fn by_content(
    finding: &mut Finding,
    strict: &Strict,
    reader: Reader<'_, '_>,
    is_moved: bool,
) -> bool {
    // A field that belongs elsewhere takes its anchor along.
    if !is_moved && let Some(help) = meant::anchor_holder(strict, reader.tree) {
        finding.help = Some(help.into());
        return true;
    }
    let Some(advice) = nodes::advice(strict, reader) else {
        return false;
    };
    finding.help = Some(advice.help.into());
    if !advice.edits.is_empty() {
        finding.fixes.push(Fix {
            title: title_of(nodes::NODE_NAME),
            edits: advice.edits,
        });
    }
    true
}

/// Adds the fix that writes another name for a field, with its value as the only entry of a list if the field takes one. None if
/// the value is of another type, or the field is there already.
fn rename(finding: &mut Finding, strict: &Strict, reader: Reader<'_, '_>, name: &'static str) {
    let tree = reader.tree;
    let field = strict
        .schema
        .and_then(|schema| schema.field(name, reader.release));
    let value = tree.get(strict.parent, &strict.field);
    let (Some((_, field)), Some(value)) = (field, value) else {
        return;
    };
    let ty = field.type_in(reader.release);
    let mut more = Vec::new();
    if !reader.fits(value, ty) {
        let help = message!(
            "hint.near-of-type",
            "did you mean `{near}`? Its value is {kind}",
            near = name,
            kind = fits::takes(ty)
        );
        finding.help = Some(help.into());
        let Some(edits) = reader.as_only_entry(value, ty) else {
            return;
        };
        more = edits;
    }
    if tree.entry(strict.parent, name).is_some() {
        return;
    }
    if let Some(edit) = replace(tree, strict.key, &strict.field, name) {
        let mut fix = write(name, edit);
        fix.edits.extend(more);
        finding.fixes.push(fix);
    }
}

/// Adds help for a field that no struct of the kind has; false if none is known.
fn unplaced(finding: &mut Finding, strict: &Strict, reader: Reader<'_, '_>) -> bool {
    let name = &strict.field;
    if let Some(into) = meant::open_map(strict, reader) {
        let help = message!(
            "hint.key-of-map",
            "`{name}` is not a field here: write it under `{into}`, whose keys you choose",
            name,
            into = into.name
        );
        finding.help = Some(help.into());
        let moves = Move::IntoMap(into);
        if let Some(edits) = moves.edits(reader, strict.parent, name) {
            let title = moves.title(name);
            finding.fixes.push(Fix { title, edits });
        }
        return true;
    }
    let help = meant::value_of_device(strict, reader).or_else(|| {
        let schema = strict.schema?;
        meant::of_selection(name, schema, reader.release)
    });
    let is_known = help.is_some();
    finding.help = help.map(Words::from).or(finding.help.take());
    is_known
}

/// Returns the help for `name:value` in braces, which YAML reads as one word, and the edit that separates the two.
fn blank_behind_colon(tree: &Tree<'_>, strict: &Strict) -> Option<(Message, Option<Edit>)> {
    let (name, value) = strict.field.split_once(':')?;
    let is_field = strict.schema.is_some_and(|schema| schema.has(name));
    let written = tree.get(strict.parent, &strict.field)?;
    if !is_field || value.is_empty() || tree.kind(written) != Kind::Null {
        return None;
    }
    let help = message!(
        "hint.blank-behind-colon",
        "`{word}` is one word: put a space after the colon",
        word = strict.field
    );
    let is_plain = strict.key.slice_of(tree.source()) == Some(strict.field.as_str());
    let is_new = tree.entry(strict.parent, name).is_none();
    let at = strict
        .key
        .from()
        .saturating_add(name.len())
        .saturating_add(1);
    let edit = Edit {
        span: Span::at(at),
        new_text: " ".to_owned(),
    };
    Some((help, (is_plain && is_new).then_some(edit)))
}

/// Returns the help for an entry of a list without a blank behind its `-`, and the edits where they are safe.
fn dash(tree: &Tree<'_>, strict: &Strict) -> Option<(Message, Option<Vec<Edit>>)> {
    let name = strict.field.strip_prefix('-')?;
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
    begins.then(|| {
        let help = message!(
            "hint.blank-behind-dash",
            "put a space after the `-`: `- {name}`",
            name
        );
        (help, dash_edits(tree, strict))
    })
}

/// Returns the edits that make `-name: value` an entry of the list whose name is on the line above.
fn dash_edits(tree: &Tree<'_>, strict: &Strict) -> Option<Vec<Edit>> {
    const WIDTH: usize = 2;
    let text = tree.source();
    let entries = tree.entries(strict.parent);
    let at = entries
        .iter()
        .position(|entry| entry.key_span == strict.key)?;
    let entry = entries.get(at)?;
    let above = entries.get(at.checked_sub(1)?)?;
    let is_list = tree.kind(above.value) == Kind::Null && tree.span(above.value).is_empty();
    let is_plain = entry.key_span.slice_of(text)? == strict.field;
    if !is_list || !is_plain || edit::is_flow(tree, strict.parent) {
        return None;
    }
    edit::editable_in_block(tree, entry).ok()?;
    let start = entry.key_span.from();
    let mut edits = Edits::new();
    edits.insert(start.saturating_add(1), " ");
    edits.indent(text, start, edit::content_end(tree, entry.value), WIDTH);
    edits.sorted().ok()
}

/// Returns true if a request has a list of alternatives.
fn has_alternatives(tree: &Tree<'_>, request: NodeId) -> bool {
    tree.get(request, "firstAvailable")
        .is_some_and(|list| !tree.items(list).is_empty())
}

/// Returns the help for a field of a single request in a request with alternatives.
fn beside_alternatives(name: &str, request: &Struct) -> Message {
    let alternatives = request
        .slot("firstAvailable")
        .and_then(|slot| request.fields.get(slot))
        .and_then(|field| field.ty.holds());
    if alternatives.is_some_and(|alternative| alternative.has(name)) {
        return message!(
            "hint.in-each-alternative",
            "`{name}` belongs to the alternatives: write it into each entry of `firstAvailable`, or leave it out",
            name
        );
    }
    message!(
        "hint.not-with-alternatives",
        "a request with `firstAvailable` has no `{name}`: leave it out",
        name
    )
}

/// Returns the help for a request that is neither a single one nor has alternatives, or both.
fn request_shape(
    finding: &Finding,
    tree: &Tree<'_>,
    request: Option<NodeId>,
    api: Api,
) -> Option<Message> {
    if let Some(request) = request
        && let Some(help) = request_twice(finding, tree, request, api)
    {
        return Some(help);
    }
    let is_flat = !nests_requests(api, &finding.steps);
    is_flat.then(|| {
        message!(
            "hint.request-shape",
            "write `deviceClassName` and its sibling fields directly in the request; v1beta2 and v1 have them under `exactly`"
        )
    })
}

/// Returns the help for a request that is a single one and has alternatives, too; `None` if it is neither of them.
fn request_twice(finding: &Finding, tree: &Tree<'_>, request: NodeId, api: Api) -> Option<Message> {
    if !has_alternatives(tree, request) || finding.cause == Some(Cause::Required) {
        return None;
    }
    if nests_requests(api, &finding.steps) {
        return Some(message!(
            "hint.exactly-or-alternatives",
            "keep one of the two: `exactly` for one kind of device, or `firstAvailable` for alternatives"
        ));
    }
    let entries = tree.entries(request).iter();
    let names = entries.map(|entry| tree.text(entry.key));
    let single: Vec<&str> = names
        .filter(|name| !matches!(*name, "name" | "firstAvailable"))
        .collect();
    Some(message!(
        "hint.fields-or-alternatives",
        "keep one of the two: `firstAvailable`, or `{fields}` for one kind of device",
        fields = single.join("`, `")
    ))
}

fn write(new: &str, edit: Edit) -> Fix {
    Fix {
        title: title_of(new),
        edits: vec![edit],
    }
}

/// Says that a name is written.
fn title_of(new: &str) -> Message {
    message!("hint.write", "write `{new}`", new)
}

/// Moves `name: x` at the top of a block mapping into a new `metadata:`.
fn under_metadata(tree: &Tree<'_>, key: Span) -> Option<Edit> {
    let before = tree.source().get(..key.from())?;
    let line = before.rsplit(['\n', '\r']).next()?;
    let plain = key.slice_of(tree.source())? == "name";
    let value_on_line = tree
        .source()
        .get(key.to()..)?
        .lines()
        .next()?
        .trim_start()
        .strip_prefix(':')?
        .trim();
    let fits = line.chars().all(|c| c == ' ')
        && plain
        && !value_on_line.is_empty()
        && !value_on_line.starts_with(['|', '>', '#']);
    fits.then(|| Edit {
        span: Span::at(key.from()),
        new_text: format!("metadata:\n{line}  "),
    })
}

/// Returns the piece of an expression that its first problem names: `<input>:1:8`, columns in code points.
fn problem(finding: &Finding, tree: &Tree<'_>, node: NodeId) -> Option<Span> {
    let text = tree.str(node)?;
    // The text itself, quoted, comes first; it may hold anything.
    let (_, place) = finding
        .message
        .get(text.len()..)?
        .split_once(": compilation failed: ERROR: <input>:")?;
    let from = cel_text::offset_of(text, place)?;
    let to = from.saturating_add(token(text.get(from..)?));
    Some(Places::of(tree, node)?.span(from, to)).filter(|span| !span.is_empty())
}

/// Returns the length of the name, operator or sign that a text begins with.
fn token(text: &str) -> usize {
    // A field that does not exist is reported at its dot.
    let dot = usize::from(text.starts_with('.'));
    let rest = text.get(dot..).unwrap_or_default();
    let name = rest.len().saturating_sub(
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            .len(),
    );
    let pair = ["==", "!=", "<=", ">=", "&&", "||"]
        .iter()
        .any(|sign| text.starts_with(sign));
    match text.chars().next() {
        _ if name > 0 => name.saturating_add(dot),
        _ if pair => 2,
        first => first.map_or(0, char::len_utf8),
    }
}

/// Replaces the one occurrence of `old` in a span; quotes around it stay.
fn replace(tree: &Tree<'_>, span: Span, old: &str, new: &str) -> Option<Edit> {
    let slice = span.slice_of(tree.source())?;
    let at = edit::only(slice, old).filter(|_| !old.is_empty())?;
    let start = span.from().saturating_add(at);
    // A key may follow an anchor without a space if its first character cannot belong to the anchor (`&a:b`). The new name needs
    // a space.
    let before = tree
        .source()
        .as_bytes()
        .get(start.saturating_sub(1))
        .filter(|_| start > 0);
    let blank = if before.is_some_and(u8::is_ascii_alphanumeric) {
        " "
    } else {
        ""
    };
    Some(Edit {
        span: Span::new(start, start.saturating_add(old.len())),
        new_text: format!("{blank}{new}"),
    })
}

/// Adds help for an object with an unknown kind or group, and a fix where the correct name is known.
pub fn kind(
    finding: &mut Finding,
    api_version: &str,
    kind: &str,
    release: Release,
    tree: &Tree<'_>,
    node: NodeId,
) {
    let found = suggest::kind(api_version, kind, release);
    finding.help = Some(found.help.into());
    if let Some(rename) = found.rename {
        let rename = match kind_of_body(api_version, rename, release, tree, node) {
            BodyKind::Named => rename,
            BodyKind::Other(other) => {
                finding.help = Some(did_you_mean(other).into());
                other
            }
            BodyKind::Unclear => return,
        };
        scalar(finding, tree, tree.get(node, "kind"), rename);
    }
    if let Some(right) = found.api_version {
        scalar(finding, tree, tree.get(node, "apiVersion"), right);
    }
}

/// The kind that the fields of an object belong to.
enum BodyKind {
    /// The kind with the most similar name, or one that fits no worse than every other.
    Named,
    /// The only kind without a problem.
    Other(&'static str),
    /// The kind with the most similar name fits worse than another one, and none is certain.
    Unclear,
}

/// Compares what an object has with the kinds of its version. `near`: the kind with the most similar name.
fn kind_of_body(
    api_version: &str,
    near: &str,
    release: Release,
    tree: &Tree<'_>,
    node: NodeId,
) -> BodyKind {
    let Some(version) = VERSIONS
        .iter()
        .find(|version| version.api_version == api_version)
    else {
        return BodyKind::Named;
    };
    let reader = Reader {
        tree,
        version: version.name,
        release,
    };
    let kinds = version.kinds.iter();
    let levels: Vec<(&'static str, Option<usize>)> = kinds
        .filter(|row| row.in_release(release) && row.items.is_none())
        .map(|row| (row.kind, reader.level_of_problem(node, row.schema)))
        .collect();
    let fits = |level: &Option<usize>| level.unwrap_or(usize::MAX);
    let own = levels.iter().find(|(kind, _)| *kind == near);
    let best = levels.iter().map(|(_, level)| fits(level)).max();
    if own.map(|(_, level)| fits(level)) == best {
        return BodyKind::Named;
    }
    let mut fitting = levels.iter().filter(|(_, level)| level.is_none());
    match (fitting.next(), fitting.next()) {
        (Some((kind, _)), None) => BodyKind::Other(kind),
        _ => BodyKind::Unclear,
    }
}

/// Adds a fix that replaces a scalar.
pub fn scalar(finding: &mut Finding, tree: &Tree<'_>, node: Option<NodeId>, new: &str) {
    let Some(node) = node else { return };
    let Some(old) = tree.str(node) else { return };
    if let Some(edit) = replace(tree, tree.span(node), old, new) {
        finding.fixes.push(write(new, edit));
    }
}

/// Adds help for a validation error, chosen by its code and by the value at its path. `reduced`: the maximum number of devices in
/// a slice whose devices use certain features, and in any other slice.
pub fn validation(
    finding: &mut Finding,
    api: Api,
    release: Release,
    reduced: Option<(usize, usize)>,
    tree: &Tree<'_>,
    root: NodeId,
) {
    let node = locate::node(tree, root, &finding.steps);
    let text = node.and_then(|node| tree.str(node)).unwrap_or("");
    let allowed = field_at(api, &finding.steps).map_or(Vec::new(), |field| field.allowed(release));
    let written = if finding.part == EntryPart::Key {
        last_key(&finding.steps)
    } else {
        text
    };
    let unfilled = cause::unfilled(written).filter(|_| finding.code != Code::SelectorInvalid);
    let help = match finding.code {
        _ if unfilled.is_some() => unfilled,
        _ if finding.cause == Some(Cause::NotSupported) && !allowed.is_empty() => {
            match suggest::value(text, &allowed) {
                Some(near) => {
                    scalar(finding, tree, node, near);
                    Some(did_you_mean(near))
                }
                None if api.version.family == Family::Classic => None,
                None => allowed.split_last().map(|(last, others)| {
                    message!(
                        "hint.write-one-of",
                        "write `{others}` or `{last}`",
                        others = others.join("`, `"),
                        last
                    )
                }),
            }
        }
        Code::ClassNameInvalid if api.version.family == Family::Device => Some(message!(
            "hint.class-name",
            "name the DeviceClass by its `metadata.name`: lower case letters, digits, `-` and `.`; `kubectl get deviceclasses` lists them"
        )),
        Code::SelectorRequired if api.version.family == Family::Device => Some(message!(
            "hint.selector-required",
            "write each selector as `cel: {example}`",
            example = "{expression: …}"
        )),
        Code::RequestShape => request_shape(finding, tree, node, api),
        Code::NodeSelectorEmpty => Some(no_node_terms(finding, tree, root, api)),
        Code::DuplicateItem => same_name(finding, tree, root),
        Code::NodeSelectorOperator => {
            let fields = finding
                .steps
                .iter()
                .any(|step| matches!(step, Step::Key(key) if key == "matchFields"));
            let operators: &[&str] = if fields {
                &["In", "NotIn"]
            } else {
                NODE_SELECTOR_OPERATORS
            };
            suggest::value(text, operators).map(|near| {
                scalar(finding, tree, node, near);
                did_you_mean(near)
            })
        }
        Code::DriverNameInvalid if text.contains('/') => {
            let (first, last) = text.split_once('/').unwrap_or((text, ""));
            (!last.contains('/') && !last.is_empty()).then(|| {
                message!(
                    "hint.driver-name",
                    "a driver name has no `/`: write the name the driver registers, as in `{last}.{first}`",
                    last,
                    first
                )
            })
        }
        Code::SelectorInvalid => {
            finding.span = node.and_then(|node| problem(finding, tree, node));
            // 1.30 has a variable for each type of attribute.
            let named = finding
                .steps
                .iter()
                .any(|step| matches!(step, Step::Key(key) if key == "namedResources"));
            if named {
                Some(message!(
                    "hint.read-by-type",
                    "the message names the place; read attributes by their type, as in `attributes.string[\"name\"]`"
                ))
            } else if node.is_some_and(|node| ends_at_comment(tree, node))
                && finding.message.as_str().contains("Syntax error")
            {
                Some(message!(
                    "hint.ends-at-comment",
                    "in YAML ` #` begins a comment, so the expression ends before it: write all of it in single quotes, or on the line after `|`"
                ))
            } else {
                None
            }
        }
        Code::NameRequired if tree.get(root, "name").is_some() => {
            let help = message!(
                "hint.name-at-top",
                "the name is at the top level; write it under `metadata`"
            );
            Some(help)
        }
        Code::ListTooLong
        | Code::DeviceTooLarge
        | Code::CountersInvalid
        | Code::RequestPolicyInvalid => budget::help(finding, tree, node, reduced),
        Code::QualifiedNameInvalid if lacks_domain(&finding.steps, text) => Some(message!(
            "hint.lacks-domain",
            "put a domain before the name, as in `gpu.example.com/{text}`; an attribute without one has the driver's name as its domain",
            text
        )),
        Code::QualifiedNameInvalid => suggest::identifier(if text.is_empty() {
            last_key(&finding.steps)
        } else {
            text
        }),
        _ => None,
    };
    if finding.help.is_none() {
        finding.help = help
            .or_else(|| cause::help(finding, text, last_key(&finding.steps), release))
            .or_else(|| finding.code.spoken_help())
            .map(Words::from);
    }
    let is_about_expression = matches!(
        finding.code,
        Code::SelectorInvalid | Code::SelectorTooExpensive
    );
    let is_tag = |node: NodeId| {
        let properties = tree.node(node).properties;
        tree.slice(properties).starts_with('!')
    };
    if is_about_expression && node.is_some_and(is_tag) {
        finding.help = Some(
            message!(
                "hint.expression-tag",
                "YAML takes the word that begins with `!` for a tag: put the whole expression in quotes"
            )
            .into(),
        );
        return;
    }
    if let (Some(node), true) = (node, is_about_expression) {
        let said = finding.help.take();
        finding.help = said.map(|help| in_yaml::help(help, text, tree.node(node).style));
    }
}

/// Returns true for a value without quotes after which a comment follows on the same line.
fn ends_at_comment(tree: &Tree<'_>, node: NodeId) -> bool {
    let end = tree.span(node).to();
    let follows = |comment: &Span| {
        let between = tree.source().get(end..comment.from());
        between.is_some_and(|between| !between.is_empty() && !between.contains(|c| c != ' '))
    };
    tree.node(node).style == Style::Plain && tree.comments.iter().any(follows)
}

/// Returns the help for a node selector without terms: what it is left out for depends on what has it.
fn no_node_terms(finding: &Finding, tree: &Tree<'_>, root: NodeId, api: Api) -> Message {
    let above = finding.steps.split_last().map(|(_, above)| above);
    let selector = above.and_then(|above| locate::node(tree, root, above));
    if selector.is_some_and(|selector| {
        tree.entries(selector)
            .iter()
            .any(|entry| matches!(tree.text(entry.key), "matchExpressions" | "matchFields"))
    }) {
        return message!(
            "hint.terms-of-selector",
            "write the expressions as a term: `nodeSelectorTerms: {example}`",
            example = "[{matchExpressions: […]}]"
        );
    }
    let labels = selector.and_then(|selector| {
        let schema = field_at(api, above.unwrap_or_default())?.ty.holds()?;
        nodes::of_selector(tree, selector, schema)
    });
    if let Some(help) = labels {
        return help;
    }
    if api.kind.kind == "ResourceSlice" && api.version.family == Family::Device {
        return message!(
            "hint.all-nodes",
            "give `nodeSelectorTerms` one term, or write `allNodes: true` in place of `nodeSelector` to offer the devices to every node"
        );
    }
    message!(
        "hint.no-selector",
        "give `nodeSelectorTerms` at least one term, or leave the selector out to allow every node"
    )
}

/// Returns the help for entries of a list that have the same name, and are not the same.
fn same_name(finding: &Finding, tree: &Tree<'_>, root: NodeId) -> Option<Message> {
    const FIELDS: [&str; 4] = ["name", "counterSet", "type", "key"];
    let at = finding
        .steps
        .iter()
        .rposition(|step| matches!(step, Step::Index(_)))?;
    let list = locate::node(tree, root, finding.steps.get(..at)?)?;
    let entry = locate::node(tree, root, finding.steps.get(..=at)?)?;
    let named = FIELDS.iter().find_map(|field| {
        let name = tree.get(entry, field).and_then(|name| tree.str(name))?;
        Some((*field, name))
    });
    let (field, name) = named?;
    let mut others = tree.items(list).iter().filter(|other| {
        **other != entry && tree.get(**other, field).and_then(|own| tree.str(own)) == Some(name)
    });
    if others.clone().next().is_none()
        || others.any(|other| written_value(tree, *other) == written_value(tree, entry))
    {
        return None;
    }
    Some(message!(
        "hint.same-name",
        "several entries have the {field} `{name}`: give each one of its own",
        field,
        name
    ))
}

fn written_value<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let span = tree.span(node);
    span.slice_of(tree.source()).map(str::trim)
}

/// Returns true if the version has the fields of a request under `exactly`.
fn nests_requests(api: Api, request: &[Step]) -> bool {
    let exactly = [request, &[Step::Key("exactly".to_owned())]].concat();
    field_at(api, &exactly).is_some_and(|field| field.json == "exactly")
}

/// Returns true if a sound name has no domain where it must have one.
fn lacks_domain(steps: &[Step], name: &str) -> bool {
    let derives = steps
        .iter()
        .any(|step| matches!(step, Step::Key(key) if key == "derivedAttributes"));
    let needs_one = matches!(last_key(steps), "matchAttribute" | "distinctAttribute") || derives;
    needs_one && !name.is_empty() && !name.contains('/') && suggest::identifier(name).is_none()
}

fn last_key(steps: &[Step]) -> &str {
    match steps.last() {
        Some(Step::Key(key)) => key,
        _ => "",
    }
}

/// Returns the row of the field at a place.
fn field_at(api: Api, steps: &[Step]) -> Option<&'static claimkit_model::schema::Field> {
    let mut schema = Some(api.kind.schema);
    let mut found = None;
    for step in steps {
        let Step::Key(key) = step else { continue };
        // A key that is not a field is the key of a map: skip it.
        let Some(field) =
            schema.and_then(|schema| schema.fields.iter().find(|field| field.json == *key))
        else {
            continue;
        };
        found = Some(field);
        schema = field.ty.holds();
    }
    found
}

/// Reports an `allocationMode:` written without a value.
pub fn empty_mode(tree: &Tree<'_>, root: NodeId, path: &[&str]) -> Option<Finding> {
    let spec = path
        .iter()
        .try_fold(root, |node, name| tree.get(node, name))?;
    let entry = tree.entry(spec, "allocationMode")?;
    let empty = match tree.kind(entry.value) {
        Kind::Null => true,
        Kind::Str(_) => tree.str(entry.value) == Some(""),
        _ => false,
    };
    if !empty {
        return None;
    }
    let mut finding = Finding::new(
        Code::AllocationModeDefaulted,
        message!(
            "hint.empty-mode",
            "`allocationMode` has no value: the server fills in `WaitForFirstConsumer`"
        ),
    )
    .with_span(entry.key_span)
    .with_help(message!(
        "hint.empty-mode-help",
        "write `WaitForFirstConsumer` or `Immediate`, or leave the line out"
    ));
    finding.path = Some(format!("{}.allocationMode", path.join(".")));
    let value = tree.span(entry.value);
    let edit = if value.is_empty() {
        let tail = tree.source().get(entry.key_span.to()..).unwrap_or("");
        tail.starts_with(':').then(|| Edit {
            span: Span::at(entry.key_span.to().saturating_add(1)),
            new_text: " WaitForFirstConsumer".to_owned(),
        })
    } else if matches!(tree.node(entry.value).kind, Kind::Alias(_)) {
        None
    } else {
        let json = tree
            .source()
            .get(entry.key_span.from()..)
            .is_some_and(|key| key.starts_with('"'));
        let mode = if json {
            "\"WaitForFirstConsumer\""
        } else {
            "WaitForFirstConsumer"
        };
        Some(Edit {
            span: value,
            new_text: mode.to_owned(),
        })
    };
    Some(match edit {
        Some(edit) => finding.with_fix(
            message!("hint.write-default", "write the default"),
            vec![edit],
        ),
        None => finding,
    })
}

/// Adds a fix that removes a forbidden or unnecessary field, if the removal alone resolves the finding.
pub fn removal(finding: &mut Finding, tree: &Tree<'_>, root: NodeId) {
    let removable = match finding.code {
        Code::StatusDropped
        | Code::NamespaceDropped
        | Code::NamespaceForbidden
        | Code::ServerOwnedDropped
        | Code::ResourceVersionOnCreate
        | Code::ManagedFieldsInvalid
        | Code::TemplateMetadataForbidden => true,
        Code::NodeSelectorValues => finding.cause == Some(Cause::Forbidden),
        _ => false,
    };
    if !removable || !finding.fixes.is_empty() {
        return;
    }
    // For an entry of `managedFields`, the fix removes the whole list.
    let list = finding
        .steps
        .iter()
        .position(|step| matches!(step, Step::Index(_)));
    let steps = match list {
        Some(at) if finding.code == Code::ManagedFieldsInvalid => {
            finding.steps.get(..at).unwrap_or_default()
        }
        _ => &finding.steps,
    };
    let Some((Step::Key(key), above)) = steps.split_last() else {
        return;
    };
    let Some(map) = locate::node(tree, root, above) else {
        return;
    };
    let goes = |entry: &Entry| tree.text(entry.key) == key;
    let entries = tree.entries(map);
    let anchored = |entry: &Entry| {
        let mut span = entry.key_span.join(tree.span(entry.value));
        let properties = tree.node(entry.value).properties;
        // An empty span is at the start of the text, and has nothing to say here.
        if !properties.is_empty() {
            span = span.join(properties);
        }
        span.slice_of(tree.source())
            .is_none_or(|text| text.contains('&'))
    };
    let mut going = entries.iter().filter(|entry| goes(entry));
    if entries.iter().all(goes) || going.any(anchored) {
        return;
    }
    let mut edits = Edits::new();
    if edits.remove_entries(tree, map, goes).is_ok()
        && let Ok(edits) = edits.sorted()
        && !edits.is_empty()
    {
        finding.fixes.push(Fix {
            title: message!("hint.remove", "remove `{key}`", key),
            edits,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::requests::request::ValidateRequest;
    use crate::requests::{Request, run};

    #[test]
    fn a_name_right_behind_an_anchor_is_kept_apart_from_it() {
        let text = "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: a, namespace: b}
spec:
  resourceClassName: c
  &r:allocationMod: Immediate
";
        let validated = |text: &str| {
            run(&Request::Validate(ValidateRequest {
                text: Some(text.into()),
                ..ValidateRequest::default()
            }))
        };
        let answer = validated(text);
        let edits: Vec<_> = answer
            .findings
            .iter()
            .flat_map(|finding| &finding.fixes)
            .flat_map(|fix| &fix.edits)
            .collect();
        let [edit] = edits.as_slice() else {
            panic!("{:?}", answer.findings)
        };
        let mut mended = text.to_owned();
        mended.replace_range(
            edit.range.start.byte_offset as usize..edit.range.end.byte_offset as usize,
            &edit.new_text,
        );
        assert!(mended.contains("&r allocationMode: Immediate"), "{mended}");
        assert!(validated(&mended).ok);
    }
}
