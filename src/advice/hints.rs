//! Help and fixes for findings, from the text that they are about.

use crate::advice::fits::{self, Reader};
use crate::advice::shape::{self, Move};
use crate::advice::suggest::{Suggestion, Unknown};
use crate::advice::{budget, cause, cel_text, correct, in_yaml, locate, meant, nodes, suggest};
use claimkit_model::finding::{Cause, Code, Edit, EntryPart, Finding, Fix, Step};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::nearest::{self, did_you_mean};
use claimkit_model::object::decode::{Strict, StrictKind};
use claimkit_model::schema::core::NODE_SELECTOR_OPERATORS;
use claimkit_model::schema::{Api, Family, FieldType, Release, Struct, VERSIONS};
use claimkit_model::text::Span;
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::scalar::Places;
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// What is said about a finding, with the fix where it is certain.
struct Help {
    message: Message,
    fix: Option<Fix>,
}

impl Help {
    fn without_fix(message: Message) -> Self {
        Help { message, fix: None }
    }
}

/// Adds help for an unknown or duplicate field, and its new name where that is certain.
pub fn strict(finding: &mut Finding, strict: &Strict, api: Api, release: Release, tree: &Tree<'_>) {
    let reader = Reader {
        tree,
        version: api.version.name,
        release,
    };
    match strict.kind {
        StrictKind::Unknown => {
            let help = help_for_unknown_field(strict, api, reader);
            let (message, fix) = match help {
                Some(Help { message, fix }) => (Some(message), fix),
                None => (finding.code.spoken_help(), None),
            };
            finding.help = message.map(Words::from);
            finding.fixes.extend(fix);
        }
        StrictKind::Duplicate => {
            finding.help = finding.code.spoken_help().map(Words::from);
            finding.fixes.extend(keep_last(strict, tree));
        }
    }
}

/// Returns the fix that removes all entries of a duplicate field but the last.
fn keep_last(strict: &Strict, tree: &Tree<'_>) -> Option<Fix> {
    let mut edits = Edits::new();
    let removed = edits.remove_entries(tree, strict.parent, |entry| {
        entry.shadowed && tree.text(entry.key) == strict.field
    });
    removed.ok()?;
    let edits = edits.sorted().ok()?;
    (!edits.is_empty()).then(|| Fix {
        title: message!("hint.keep-last", "keep the last, which counts"),
        edits,
    })
}

/// An unknown field, and what its name suggests.
struct UnknownField<'a, 't> {
    strict: &'a Strict,
    reader: Reader<'a, 't>,
    suggestion: Option<Suggestion>,
}

impl UnknownField<'_, '_> {
    /// Returns true if the name belongs to another version, which has the field elsewhere.
    fn is_moved(&self) -> bool {
        let suggestion = self.suggestion.as_ref();
        suggestion.is_some_and(|suggestion| suggestion.moves.is_some())
    }

    /// Returns true if the correct name of the field is known.
    fn is_renamed(&self) -> bool {
        let suggestion = self.suggestion.as_ref();
        suggestion.is_some_and(|suggestion| suggestion.rename.is_some())
    }
}

/// Explains an unknown field by more than its name.
type Explanation = fn(&UnknownField<'_, '_>) -> Option<Help>;

/// The explanations of an unknown field, in the order in which they are tried. What its name suggests comes after all of them.
const EXPLANATIONS: [Explanation; 9] = [
    holds_anchor,
    belongs_to_entry_above,
    chooses_nodes,
    lacks_blank_behind_colon,
    holds_value,
    lacks_blank_behind_dash,
    is_key_of_map,
    is_value_of_device,
    is_part_of_selection,
];

/// Returns the help for an unknown field.
fn help_for_unknown_field(strict: &Strict, api: Api, reader: Reader<'_, '_>) -> Option<Help> {
    let field = UnknownField {
        strict,
        reader,
        suggestion: suggestion_for(strict, api, reader),
    };
    let explained = EXPLANATIONS.iter().find_map(|explain| explain(&field));
    match explained {
        Some(help) => Some(help),
        None => Some(help_of_suggestion(field.suggestion?, strict, reader)),
    }
}

/// Returns what the name of an unknown field suggests.
fn suggestion_for(strict: &Strict, api: Api, reader: Reader<'_, '_>) -> Option<Suggestion> {
    let tree = reader.tree;
    let value = tree.get(strict.parent, &strict.field);
    let unknown = Unknown {
        name: &strict.field,
        path: &strict.path,
        value: value.map(|value| tree.kind(value)),
    };
    suggest::field(unknown, strict.schema?, api, reader.release)
}

/// Explains a field that only holds an anchor. A field that belongs elsewhere takes its anchor along.
fn holds_anchor(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.is_moved() {
        return None;
    }
    meant::anchor_holder(field.strict, field.reader.tree).map(Help::without_fix)
}

/// Explains a field that is not far enough to the right: the last entry of the list above it lacks it.
fn belongs_to_entry_above(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.is_renamed() {
        return None;
    }
    let (strict, reader) = (field.strict, field.reader);
    let tree = reader.tree;
    let schema = strict.schema?;
    let entries = tree.entries(strict.parent);
    let at = entries
        .iter()
        .position(|entry| entry.key_span == strict.key)?;
    let above = entries.get(..at)?;
    let index = above
        .iter()
        .rposition(|entry| schema.has(tree.text(entry.key)))?;
    let list = above.get(index)?;
    let (_, row) = schema.field(tree.text(list.key), reader.release)?;
    let FieldType::List(item) = row.type_in(reader.release).pointed() else {
        return None;
    };
    let inner = item.as_struct()?;
    let (&last, others) = tree.items(list.value).split_last()?;
    // Without it in the other entries, it may be meant for all of them.
    let are_complete = others
        .iter()
        .all(|other| tree.entry(*other, &strict.field).is_some());
    let lacks = |name: &str| {
        let is_of_entry = inner.has(name) && !schema.has(name);
        is_of_entry && tree.entry(last, name).is_none()
    };
    let are_lines = !edit::is_flow(tree, strict.parent) && !edit::is_flow(tree, last);
    if !lacks(&strict.field) || !tree.is_map(last) || !are_lines || !are_complete {
        return None;
    }
    let first = entries.get(index.saturating_add(1))?.key_span;
    let fix = shape::into_last_entry(tree, strict.parent, first, &lacks).map(|edits| Fix {
        title: message!("hint.indent-into-entry", "indent it into the entry above"),
        edits,
    });
    let message = message!(
        "hint.belongs-to-entry",
        "`{name}` belongs to the last entry of `{list}` above it: indent it like the other fields of that entry",
        name = strict.field,
        list = row.json
    );
    Some(Help { message, fix })
}

/// Explains a field that was meant to choose nodes.
fn chooses_nodes(field: &UnknownField<'_, '_>) -> Option<Help> {
    let advice = nodes::advice(field.strict, field.reader)?;
    let fix = (!advice.edits.is_empty()).then(|| Fix {
        title: title_of(nodes::NODE_NAME),
        edits: advice.edits,
    });
    Some(Help {
        message: advice.help,
        fix,
    })
}

/// Explains a field that holds the value of an attribute or a capacity.
fn holds_value(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.is_renamed() {
        return None;
    }
    let strict = field.strict;
    let tree = field.reader.tree;
    let value = correct::value_field(tree, strict)?;
    let fix = value.field.and_then(|name| {
        let edit = replace(tree, strict.key, &strict.field, name)?;
        Some(write(name, edit))
    });
    Some(Help {
        message: value.help,
        fix,
    })
}

/// Explains a field that belongs under a map with keys of any name.
fn is_key_of_map(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.suggestion.is_some() {
        return None;
    }
    let name = &field.strict.field;
    let map = meant::open_map(field.strict, field.reader)?;
    let message = message!(
        "hint.key-of-map",
        "`{name}` is not a field here: write it under `{into}`, whose keys you choose",
        name,
        into = map.name
    );
    Some(Help {
        message,
        fix: fix_of_move(&Move::IntoMap(map), field.strict, field.reader),
    })
}

/// Explains a field that is the name of an attribute or a capacity.
fn is_value_of_device(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.suggestion.is_some() {
        return None;
    }
    meant::value_of_device(field.strict, field.reader).map(Help::without_fix)
}

/// Explains a field that was meant to select devices.
fn is_part_of_selection(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.suggestion.is_some() {
        return None;
    }
    let strict = field.strict;
    meant::of_selection(&strict.field, strict.schema?, field.reader.release).map(Help::without_fix)
}

/// Returns the help for a field whose name suggests another name, or another place.
fn help_of_suggestion(suggestion: Suggestion, strict: &Strict, reader: Reader<'_, '_>) -> Help {
    let Suggestion {
        help,
        rename,
        moves,
        ..
    } = suggestion;
    if let Some(moves) = moves {
        return help_of_move(help, &moves, strict, reader);
    }
    match rename {
        Some(name) => help_of_rename(help, name, strict, reader),
        None => Help {
            message: help,
            fix: fix_under_metadata(strict, reader.tree),
        },
    }
}

/// Returns the help for a field that has its place elsewhere in this version.
fn help_of_move(help: Message, moves: &Move, strict: &Strict, reader: Reader<'_, '_>) -> Help {
    let goes_under_exactly = matches!(
        moves,
        Move::Under {
            into: "exactly",
            ..
        }
    );
    if goes_under_exactly
        && let Some(schema) = strict.schema
        && has_alternatives(reader.tree, strict.parent)
    {
        return Help::without_fix(beside_alternatives(&strict.field, schema));
    }
    let text = match moves {
        Move::Under { into, .. } if is_empty_in(reader.tree, strict.parent, into) => message!(
            "hint.indent-under",
            "`{name}` belongs under `{into}`, which is empty here: indent it further",
            name = strict.field,
            into
        ),
        _ => help,
    };
    Help {
        message: text,
        fix: fix_of_move(moves, strict, reader),
    }
}

/// Returns true if a mapping has a key without a value, as it is written above fields that are not indented.
fn is_empty_in(tree: &Tree<'_>, map: NodeId, key: &str) -> bool {
    let entry = tree.entry(map, key);
    entry.is_some_and(|entry| shape::is_empty_block(tree, entry))
}

/// Returns the fix that moves a field; `None` where it is not safe.
fn fix_of_move(moves: &Move, strict: &Strict, reader: Reader<'_, '_>) -> Option<Fix> {
    let edits = moves.edits(reader, strict.parent, &strict.field)?;
    Some(Fix {
        title: moves.title(&strict.field),
        edits,
    })
}

/// Returns the help for a field with another name. If the new field takes a list of such values, the fix writes the value as its only
/// entry; if the value is of another type, there is no fix.
fn help_of_rename(
    help: Message,
    name: &'static str,
    strict: &Strict,
    reader: Reader<'_, '_>,
) -> Help {
    let tree = reader.tree;
    let field = strict
        .schema
        .and_then(|schema| schema.field(name, reader.release));
    let value = tree.get(strict.parent, &strict.field);
    let (Some((_, field)), Some(value)) = (field, value) else {
        return Help::without_fix(help);
    };
    let ty = field.type_in(reader.release);
    if reader.fits(value, ty) {
        return Help {
            message: help,
            fix: rename(name, strict, tree),
        };
    }
    let message = message!(
        "hint.near-of-type",
        "did you mean `{near}`? Its value is {kind}",
        near = name,
        kind = fits::takes(ty)
    );
    let mut fix = None;
    if let Some(list_edits) = reader.as_only_entry(value, ty) {
        fix = rename(name, strict, tree);
        if let Some(fix) = &mut fix {
            fix.edits.extend(list_edits);
        }
    }
    Help { message, fix }
}

/// Returns the fix that writes another name for a field; `None` if that field is there already.
fn rename(name: &'static str, strict: &Strict, tree: &Tree<'_>) -> Option<Fix> {
    if tree.entry(strict.parent, name).is_some() {
        return None;
    }
    let edit = replace(tree, strict.key, &strict.field, name)?;
    Some(write(name, edit))
}

/// Returns the fix that moves a `name` at the top of an object under `metadata`.
fn fix_under_metadata(strict: &Strict, tree: &Tree<'_>) -> Option<Fix> {
    let is_name_at_top = strict.field == "name" && strict.path == "name";
    if !is_name_at_top || tree.entry(strict.parent, "metadata").is_some() {
        return None;
    }
    let edit = under_metadata(tree, strict.key)?;
    Some(Fix {
        title: message!("hint.move-under-metadata", "move it under `metadata`"),
        edits: vec![edit],
    })
}

/// Explains `name:value` in braces, which YAML reads as one word; the fix separates the two.
fn lacks_blank_behind_colon(field: &UnknownField<'_, '_>) -> Option<Help> {
    let strict = field.strict;
    let tree = field.reader.tree;
    let (name, value) = strict.field.split_once(':')?;
    let is_field = strict.schema.is_some_and(|schema| schema.has(name));
    let written = tree.get(strict.parent, &strict.field)?;
    if !is_field || value.is_empty() || tree.kind(written) != Kind::Null {
        return None;
    }
    let message = message!(
        "hint.blank-behind-colon",
        "`{word}` is one word: put a space after the colon",
        word = strict.field
    );
    let is_plain = strict.key.slice_of(tree.source()) == Some(strict.field.as_str());
    let is_new = tree.entry(strict.parent, name).is_none();
    // A quote or another indicator there begins what the author may not have ended: `{name:"gpu}`.
    let stays_plain =
        value.starts_with(|first: char| first.is_ascii_alphanumeric()) && !value.contains(':');
    // `name:gpu:` has a colon of its own, and no text can stand behind two.
    let text_behind = tree.source().get(strict.key.to()..).unwrap_or_default();
    let lacks_colon = !text_behind.trim_start().starts_with(':');
    let fix = (is_plain && is_new && stays_plain && lacks_colon).then(|| {
        let behind_name = strict.key.from().saturating_add(name.len());
        Fix {
            title: message!("hint.put-blank-behind-colon", "put a space after the colon"),
            edits: vec![Edit {
                span: Span::at(behind_name.saturating_add(1)),
                new_text: " ".to_owned(),
            }],
        }
    });
    Some(Help { message, fix })
}

/// Explains an entry of a list without a blank behind its `-`.
fn lacks_blank_behind_dash(field: &UnknownField<'_, '_>) -> Option<Help> {
    if field.is_renamed() {
        return None;
    }
    let name = field.strict.field.strip_prefix('-')?;
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let message = message!(
        "hint.blank-behind-dash",
        "put a space after the `-`: `- {name}`",
        name
    );
    let edits = dash_edits(field.reader.tree, field.strict);
    let fix = edits.map(|edits| Fix {
        title: message!("hint.put-blank", "put a space after the `-`"),
        edits,
    });
    Some(Help { message, fix })
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
    root: NodeId,
    request: Option<NodeId>,
    api: Api,
) -> Option<Message> {
    if let Some(request) = request
        && let Some(help) = request_twice(finding, tree, request, api)
    {
        return Some(help);
    }
    if let Some(request) = request
        && let Some(help) = request_not_indented(finding, tree, root, request)
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

/// The fields of a request that say what is asked for.
const REQUEST_FIELDS: [&str; 2] = ["exactly", "firstAvailable"];

/// Returns the help for a request whose fields are too far to the left: below an empty key, or outside of the request.
fn request_not_indented(
    finding: &Finding,
    tree: &Tree<'_>,
    root: NodeId,
    request: NodeId,
) -> Option<Message> {
    let empty = REQUEST_FIELDS
        .iter()
        .find(|field| is_empty_in(tree, request, field));
    if let Some(field) = empty {
        return Some(message!(
            "hint.request-empty",
            "`{field}` is empty: write its fields below it, indented further",
            field
        ));
    }
    let around = finding.steps.len().checked_sub(2)?;
    let devices = locate::node(tree, root, finding.steps.get(..around)?)?;
    let outside = REQUEST_FIELDS
        .iter()
        .find(|field| tree.entry(devices, field).is_some())?;
    Some(message!(
        "hint.request-outside",
        "`{field}` is outside of the request: indent it like the request's `name`",
        field = outside
    ))
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
    finding.fixes.extend(fix_of_scalar(tree, node, new));
}

/// Returns the fix that replaces a scalar.
fn fix_of_scalar(tree: &Tree<'_>, node: Option<NodeId>, new: &str) -> Option<Fix> {
    let node = node?;
    let old = tree.str(node)?;
    let edit = replace(tree, tree.span(node), old, new)?;
    Some(write(new, edit))
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
    if finding.code == Code::SelectorInvalid {
        finding.span = node.and_then(|node| problem(finding, tree, node));
    }
    let case = InvalidValue {
        finding,
        api,
        release,
        reduced,
        tree,
        root,
        node,
        text,
    };
    let mut specific = None;
    if let Some(message) = miswritten(&case) {
        specific = Some(message);
    } else if let Some(help) = help_for_value(&case) {
        finding.fixes.extend(help.fix);
        specific = Some(help.message);
    }
    if finding.help.is_none() {
        finding.help = specific
            .or_else(|| cause::help(finding, text, last_key(&finding.steps), release))
            .or_else(|| finding.code.spoken_help())
            .map(Words::from);
    }
    let is_about_expression = matches!(
        finding.code,
        Code::SelectorInvalid | Code::SelectorTooExpensive
    );
    if is_about_expression && let Some(node) = node {
        wrap_in_yaml(finding, tree, node, text);
    }
}

/// Returns the help for a field that is missing because it is written in another way: with another name, or one level too deep.
fn miswritten(value: &InvalidValue<'_, '_>) -> Option<Message> {
    let InvalidValue {
        finding,
        api,
        release,
        tree,
        root,
        ..
    } = *value;
    let is_missing = finding.cause == Some(Cause::Required) || finding.code == Code::TaintInvalid;
    if !is_missing || value.node.is_some() && finding.code != Code::RequestShape {
        return None;
    }
    let Missing { parent, names } = missing(finding, tree, root, value.node)?;
    let above = finding.steps.get(..parent.steps)?;
    let schema = if above.is_empty() {
        api.kind.schema
    } else {
        field_at(api, above)?.ty.holds()?
    };
    let unknown = |entry: &&Entry| !schema.has(tree.text(entry.key));
    for entry in tree.entries(parent.node).iter().filter(unknown) {
        let written = tree.text(entry.key);
        let value = Some(tree.kind(entry.value));
        let near = suggest::nearest_field(
            suggest::Unknown {
                name: written,
                path: "",
                value,
            },
            schema,
            release,
        );
        if let Some(name) = names.iter().find(|name| {
            near == Some(name.as_str()) || nearest::folded(name).eq(nearest::folded(written))
        }) {
            return Some(message!(
                "hint.miswritten",
                "correct `{written}` first: `{name}` was probably meant",
                written,
                name
            ));
        }
        if let Some(name) = names
            .iter()
            .find(|name| tree.entry(entry.value, name).is_some())
        {
            return Some(message!(
                "hint.too-deep",
                "correct `{written}` first: `{name}` is in it, and belongs where `{written}` is",
                written,
                name
            ));
        }
    }
    None
}

/// A mapping that lacks one of some fields.
struct Missing {
    parent: ParentMap,
    names: Vec<String>,
}

/// A mapping on the way to a missing field.
struct ParentMap {
    node: NodeId,
    /// The number of steps to it.
    steps: usize,
}

/// Returns the mapping nearest to a missing field, and the field that is missing there.
fn missing(
    finding: &Finding,
    tree: &Tree<'_>,
    root: NodeId,
    node: Option<NodeId>,
) -> Option<Missing> {
    if finding.code == Code::RequestShape {
        let parent = ParentMap {
            node: node?,
            steps: finding.steps.len(),
        };
        let names = REQUEST_FIELDS.map(str::to_owned).to_vec();
        return Some(Missing { parent, names });
    }
    let mut steps = finding.steps.len();
    while steps > 0 {
        steps = steps.saturating_sub(1);
        let Some(node) = locate::node(tree, root, finding.steps.get(..steps)?) else {
            continue;
        };
        let Some(Step::Key(name)) = finding.steps.get(steps) else {
            return None;
        };
        let mut names = vec![name.clone()];
        if finding.code == Code::NameRequired {
            names.push("generateName".to_owned());
        }
        let parent = ParentMap { node, steps };
        return tree.is_map(node).then_some(Missing { parent, names });
    }
    None
}

/// A value that kube-apiserver refuses.
struct InvalidValue<'a, 't> {
    finding: &'a Finding,
    api: Api,
    release: Release,
    /// The maximum number of devices in a slice whose devices use certain features, and in any other slice.
    reduced: Option<(usize, usize)>,
    tree: &'a Tree<'t>,
    /// The object.
    root: NodeId,
    /// The value; `None`: it is not in the text.
    node: Option<NodeId>,
    /// The value if it is a string; otherwise empty.
    text: &'a str,
}

/// Returns the help for a value: for a placeholder that nobody filled in, for one of a list of words, or for the code of the finding.
fn help_for_value(value: &InvalidValue<'_, '_>) -> Option<Help> {
    if let Some(message) = placeholder(value) {
        return Some(Help::without_fix(message));
    }
    let finding = value.finding;
    if finding.cause == Some(Cause::NotSupported)
        && let Some(field) = field_at(value.api, &finding.steps)
    {
        let allowed = field.allowed(value.release);
        if !allowed.is_empty() {
            return help_for_allowed(value, &allowed);
        }
    }
    help_for_code(value)
}

/// Returns the help for a placeholder that nobody filled in. An expression may have such signs.
fn placeholder(value: &InvalidValue<'_, '_>) -> Option<Message> {
    let finding = value.finding;
    if finding.code == Code::SelectorInvalid {
        return None;
    }
    cause::unfilled(match finding.part {
        EntryPart::Key => last_key(&finding.steps),
        EntryPart::Value => value.text,
    })
}

/// Returns the help for a value that is none of the allowed words.
fn help_for_allowed(value: &InvalidValue<'_, '_>, allowed: &[&'static str]) -> Option<Help> {
    if let Some(near) = suggest::value(value.text, allowed) {
        return Some(write_near(value, near));
    }
    if value.api.version.family == Family::Classic {
        return None;
    }
    let (last, others) = allowed.split_last()?;
    Some(Help::without_fix(message!(
        "hint.write-one-of",
        "write `{others}` or `{last}`",
        others = others.join("`, `"),
        last
    )))
}

/// Returns the help for a value that is nearly another word, with the fix that writes that.
fn write_near(value: &InvalidValue<'_, '_>, near: &str) -> Help {
    Help {
        message: did_you_mean(near),
        fix: fix_of_scalar(value.tree, value.node, near),
    }
}

/// Returns the help for the code of a finding.
fn help_for_code(value: &InvalidValue<'_, '_>) -> Option<Help> {
    let &InvalidValue {
        finding,
        api,
        tree,
        root,
        node,
        text,
        ..
    } = value;
    let is_of_devices = api.version.family == Family::Device;
    let message = match finding.code {
        Code::NodeSelectorOperator => return node_selector_operator(value),
        Code::ClassNameInvalid if is_of_devices => Some(message!(
            "hint.class-name",
            "name the DeviceClass by its `metadata.name`: lower case letters, digits, `-` and `.`; `kubectl get deviceclasses` lists them"
        )),
        Code::SelectorRequired if is_of_devices => Some(message!(
            "hint.selector-required",
            "write each selector as `cel: {example}`",
            example = "{expression: …}"
        )),
        Code::RequestShape => request_shape(finding, tree, root, node, api),
        Code::NodeSelectorEmpty => Some(no_node_terms(finding, tree, root, api)),
        Code::DuplicateItem => same_name(finding, tree, root),
        Code::DriverNameInvalid => driver_with_slash(text),
        Code::SelectorInvalid => invalid_selector(value),
        Code::NameRequired if tree.get(root, "name").is_some() => Some(message!(
            "hint.name-at-top",
            "the name is at the top level; write it under `metadata`"
        )),
        Code::ListTooLong
        | Code::DeviceTooLarge
        | Code::CountersInvalid
        | Code::RequestPolicyInvalid => budget::help(finding, tree, node, value.reduced),
        Code::QualifiedNameInvalid => qualified_name(finding, text),
        _ => None,
    };
    message.map(Help::without_fix)
}

/// Returns the help for an operator of a node selector that is nearly another one.
fn node_selector_operator(value: &InvalidValue<'_, '_>) -> Option<Help> {
    let operators: &[&str] = if has_key(&value.finding.steps, "matchFields") {
        &["In", "NotIn"]
    } else {
        NODE_SELECTOR_OPERATORS
    };
    let near = suggest::value(value.text, operators)?;
    Some(write_near(value, near))
}

/// Returns the help for the name of a driver with one `/`.
fn driver_with_slash(text: &str) -> Option<Message> {
    let (first, last) = text.split_once('/')?;
    if last.contains('/') || last.is_empty() {
        return None;
    }
    Some(message!(
        "hint.driver-name",
        "a driver name has no `/`: write the name the driver registers, as in `{last}.{first}`",
        last,
        first
    ))
}

/// Returns the help for an expression that does not compile.
fn invalid_selector(value: &InvalidValue<'_, '_>) -> Option<Message> {
    // 1.30 has a variable for each type of attribute.
    if has_key(&value.finding.steps, "namedResources") {
        return Some(message!(
            "hint.read-by-type",
            "the message names the place; read attributes by their type, as in `attributes.string[\"name\"]`"
        ));
    }
    let is_syntax_error = value.finding.message.as_str().contains("Syntax error");
    if is_syntax_error && ends_at_comment(value.tree, value.node?) {
        return Some(message!(
            "hint.ends-at-comment",
            "in YAML ` #` begins a comment, so the expression ends before it: write all of it in single quotes, or on the line after `|`"
        ));
    }
    None
}

/// Returns the help for the name of an attribute or a capacity.
fn qualified_name(finding: &Finding, text: &str) -> Option<Message> {
    if lacks_domain(&finding.steps, text) {
        return Some(message!(
            "hint.lacks-domain",
            "put a domain before the name, as in `gpu.example.com/{text}`; an attribute without one has the driver's name as its domain",
            text
        ));
    }
    suggest::identifier(if text.is_empty() {
        last_key(&finding.steps)
    } else {
        text
    })
}

/// Returns true if a path goes through a field or key with this name.
fn has_key(steps: &[Step], name: &str) -> bool {
    steps
        .iter()
        .any(|step| matches!(step, Step::Key(key) if key == name))
}

/// Adds to the help about an expression how to write it in the YAML around it.
fn wrap_in_yaml(finding: &mut Finding, tree: &Tree<'_>, node: NodeId, expression: &str) {
    let properties = tree.node(node).properties;
    if tree.slice(properties).starts_with('!') {
        let message = message!(
            "hint.expression-tag",
            "YAML takes the word that begins with `!` for a tag: put the whole expression in quotes"
        );
        finding.help = Some(message.into());
        return;
    }
    let help = finding.help.take();
    finding.help = help.map(|help| in_yaml::help(help, expression, tree.node(node).style));
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
    let is_empty = match tree.kind(entry.value) {
        Kind::Null => true,
        Kind::Str(_) => tree.str(entry.value) == Some(""),
        _ => false,
    };
    if !is_empty {
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
    Some(match edit_of_empty_mode(tree, entry) {
        Some(edit) => finding.with_fix(
            message!("hint.write-default", "write the default"),
            vec![edit],
        ),
        None => finding,
    })
}

/// Returns the edit that writes the default in place of an empty `allocationMode`; `None` for an alias, or where no colon is.
fn edit_of_empty_mode(tree: &Tree<'_>, entry: &Entry) -> Option<Edit> {
    let text = tree.source();
    let key = entry.key_span;
    let value = tree.span(entry.value);
    if value.is_empty() {
        return text.get(key.to()..)?.starts_with(':').then(|| Edit {
            span: Span::at(key.to().saturating_add(1)),
            new_text: " WaitForFirstConsumer".to_owned(),
        });
    }
    if matches!(tree.node(entry.value).kind, Kind::Alias(_)) {
        return None;
    }
    let is_key_quoted = text.get(key.from()..)?.starts_with('"');
    let mode = if is_key_quoted {
        "\"WaitForFirstConsumer\""
    } else {
        "WaitForFirstConsumer"
    };
    Some(Edit {
        span: value,
        new_text: mode.to_owned(),
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
