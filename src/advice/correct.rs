//! What to write in place of a value of the wrong type.

use crate::advice::bare_expression;
use crate::advice::fits::{self, Reader};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::Nearest;
use claimkit_model::object::decode::{Mismatch, Strict};
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use claimkit_model::text::diagnose::{self, Correction, Expected};
use claimkit_model::text::tree::{Kind, NodeId, Style, Tree};
use claimkit_values::names;
use claimkit_values::quantity::Quantity;
use claimkit_yaml::print;

/// Returns the correction of a mismatch in the tree that was decoded, where it is certain.
pub fn correct(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Correction> {
    expected(tree, mismatch.node, &mismatch.ty)
        .and_then(|expected| diagnose::correction(tree, mismatch.node, expected))
        .or_else(|| as_list(tree, mismatch))
        .or_else(|| bare_expression::correction(tree, mismatch))
}

/// Returns the correction of a single value where a list of such values is expected.
fn as_list(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Correction> {
    let FieldType::List(item) = mismatch.ty.pointed() else {
        return None;
    };
    let reader = Reader {
        tree,
        version: "v1",
        release: Release::latest(),
    };
    let node = mismatch.node;
    let edits = reader.as_only_entry(node, &FieldType::List(item))?;
    let help = match tree.str(node) {
        Some(text) => message!(
            "correct.list-of-one",
            "write a list here: `{list}`",
            list = format!("[{text}]")
        ),
        None if tree.node(node).style == Style::Flow => {
            message!(
                "correct.list-in-brackets",
                "write a list here: in `[` and `]`"
            )
        }
        None => message!(
            "correct.list",
            "write a list here: begin the entry with `- `"
        ),
    };
    let title = message!("correct.make-list", "make it a list");
    Some(Correction { help, title, edits })
}

/// Returns the list of a struct that the items of a list are written without.
fn list_above(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<&'static str> {
    let schema = mismatch.ty.pointed().as_struct()?;
    let reader = Reader {
        tree,
        version: "v1",
        release: Release::latest(),
    };
    let takes_all = |field: &&Field| match field.ty.pointed() {
        FieldType::List(item) if item.as_struct().is_some() => tree
            .items(mismatch.node)
            .iter()
            .all(|one| reader.reads(*one, item)),
        _ => false,
    };
    let mut lists = schema.fields.iter().filter(takes_all);
    let list = lists
        .next()
        .filter(|_| !tree.items(mismatch.node).is_empty())?;
    lists.next().is_none().then_some(list.json)
}

/// Returns what to write in place of a value of another shape than its field has; `None`: the words of Go's decoder are enough.
pub fn shape(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let ty = &mismatch.ty;
    let takes_list = matches!(ty.pointed(), FieldType::List(_));
    if let Some(text) = tree.str(mismatch.node)
        && let Some(schema) = holder(ty)
    {
        return held_text(text, schema);
    }
    if let Some(help) = time(tree, mismatch).or_else(|| bare_expression::help(tree, mismatch)) {
        return Some(help);
    }
    if let Some(list) = list_above(tree, mismatch) {
        return Some(under_list(list));
    }
    if let Some(help) = by_name(tree, mismatch).or_else(|| several(tree, mismatch)) {
        return Some(help);
    }
    Some(match tree.kind(mismatch.node) {
        Kind::Seq { .. } if ty.takes_map() && tree.node(mismatch.node).style == Style::Flow => {
            message!(
                "correct.map-not-brackets",
                "write a map here, not a list: its fields in `{braces}`",
                braces = "{}"
            )
        }
        Kind::Seq { .. } if ty.takes_map() => {
            message!(
                "correct.map-not-list",
                "write a map here, not a list: remove the `-`"
            )
        }
        Kind::Seq { .. } => message!("correct.value-not-list", "write one value here, not a list"),
        Kind::Map { .. } | Kind::Str(_) if takes_structs(ty) => {
            message!(
                "correct.list-of-maps",
                "write a list of maps here: begin each with `- `"
            )
        }
        Kind::Map { .. } | Kind::Str(_) if takes_list => {
            message!("correct.list-of-other", "write a list of values here")
        }
        Kind::Str(_)
            if ty
                .as_struct()
                .is_some_and(|schema| schema.go == "CELDeviceSelector") =>
        {
            message!("correct.cel-selector", "write `cel: {expression: …}`")
        }
        Kind::Str(_)
        | Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Uint(_)
        | Kind::Float(_)
        | Kind::Number(_)
            if ty.takes_map() && tree.source().trim_start().starts_with('{') =>
        {
            message!(
                "correct.map-in-braces",
                "write a map here: its fields in `{braces}`",
                braces = "{}"
            )
        }
        Kind::Str(_)
        | Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Uint(_)
        | Kind::Float(_)
        | Kind::Number(_)
            if ty.takes_map() =>
        {
            message!(
                "correct.map",
                "write a map here: its fields on lines of their own, further in"
            )
        }
        _ => return scalar(tree, mismatch),
    })
}

/// Returns what to write in place of a text that is no time; `None`: the field holds something else.
pub fn time(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let is_time = matches!(mismatch.ty.pointed(), FieldType::Time);
    (is_time && tree.str(mismatch.node).is_some()).then(|| {
        message!(
            "correct.time",
            "write a time such as `2026-01-02T15:04:05Z`, or leave the field out"
        )
    })
}

/// Says under which field a list belongs.
fn under_list(list: &str) -> Message {
    message!(
        "correct.list-above",
        "write a map here: the list belongs under `{list}:`, which is missing above it",
        list
    )
}

/// Returns what to write in place of a list of several entries where one map is expected.
fn several(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let schema = mismatch.ty.pointed().as_struct()?;
    let count = tree.items(mismatch.node).len();
    if count < 2 {
        return None;
    }
    if schema.go == "ExactDeviceRequest" {
        return Some(message!(
            "correct.exactly-several",
            "`exactly` is one map, and here are {count}: write `firstAvailable` in its place for alternatives, with a `name` in each entry, or a request for each",
            count
        ));
    }
    if let Some(list) = likeliest_list(tree, mismatch.node, schema) {
        return Some(under_list(list));
    }
    let field = mismatch.path.rsplit('.').next().unwrap_or_default();
    Some(message!(
        "correct.one-of-several",
        "`{field}` is one map, and here are {count}: keep one without its `-`, or write `{field}` once for each where lists allow it",
        field,
        count
    ))
}

/// Returns the list of a struct whose entries have the most keys of these entries, if it is the only one.
fn likeliest_list(tree: &Tree<'_>, list: NodeId, schema: &'static Struct) -> Option<&'static str> {
    let known_keys = |item: &Struct| {
        let entries = tree.items(list).iter().flat_map(|one| tree.entries(*one));
        entries
            .filter(|entry| item.has(tree.text(entry.key)))
            .count()
    };
    let mut counted: Vec<(usize, &'static str)> = Vec::new();
    for field in schema.fields {
        if let FieldType::List(item) = field.ty.pointed()
            && let Some(item) = item.as_struct()
        {
            counted.push((known_keys(item), field.json));
        }
    }
    claimkit_values::order::sort(&mut counted);
    let (most, name) = counted.pop()?;
    let next = counted.last().map_or(0, |(count, _)| *count);
    (most > next).then_some(name)
}

/// Returns true for a list of structs.
fn takes_structs(ty: &FieldType) -> bool {
    matches!(ty.pointed(), FieldType::List(item) if item.as_struct().is_some())
}

/// Returns what to write in place of a map whose keys are the names of a list's entries, or of a list whose entries name the keys of a
/// map; `None` for other values.
fn by_name(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let node = mismatch.node;
    match mismatch.ty.pointed() {
        FieldType::List(item) if item.as_struct().is_some_and(|schema| schema.has("name")) => {
            let [first, ..] = tree.entries(node) else {
                return None;
            };
            let schema = item.as_struct()?;
            let mut values = tree.entries(node).iter().map(|entry| entry.value);
            let are_entries =
                values.all(|value| tree.is_map(value)) && !schema.has(tree.text(first.key));
            are_entries.then(|| {
                message!(
                    "correct.list-by-name",
                    "write a list here, with the name in each entry: `- name: {name}`, and the other fields below it",
                    name = tree.text(first.key)
                )
            })
        }
        FieldType::Map(_) => {
            let first = *tree.items(node).first()?;
            let name = tree.str(tree.get(first, "name")?)?;
            let rest: Vec<String> = tree
                .entries(first)
                .iter()
                .filter(|entry| tree.text(entry.key) != "name")
                .map(|entry| {
                    let written = tree.slice(tree.span(entry.value));
                    let value = if written.contains('\n') {
                        "…"
                    } else {
                        written
                    };
                    format!("{}: {value}", tree.text(entry.key))
                })
                .collect();
            Some(message!(
                "correct.map-by-name",
                "write a map here, not a list: its keys are the names, as in `{example}`",
                example = format_args!("{name}: {{{}}}", rest.join(", "))
            ))
        }
        _ => None,
    }
}

/// Returns what to write in place of a value of another type than the scalar that the field has.
fn scalar(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let ty = mismatch.ty.pointed();
    let is_scalar = matches!(
        ty,
        FieldType::Bool | FieldType::Int64 | FieldType::Int32 | FieldType::Quantity
    );
    // Of a whole number that is too large the server's words say enough.
    let is_whole = match tree.kind(mismatch.node) {
        Kind::Int(_) | Kind::Uint(_) | Kind::Number(_) => true,
        Kind::Float(number) => number.fract() == 0.0,
        _ => false,
    };
    if !(is_scalar || ty.is_text()) || is_whole {
        return None;
    }
    let text = tree.str(mismatch.node);
    if matches!(ty, FieldType::Int64 | FieldType::Int32)
        && let Some(number) = text.and_then(meant_number)
    {
        let field = mismatch.path.rsplit('.').next().unwrap_or_default();
        let is_plain = tree.node(mismatch.node).style == Style::Plain;
        let written = if is_plain && !field.ends_with(']') {
            format!("{field}: {number}")
        } else {
            number.to_string()
        };
        return Some(message!(
            "correct.number",
            "write the number in digits: `{written}`",
            written
        ));
    }
    Some(message!(
        "correct.kind",
        "write {kind} here",
        kind = fits::takes(ty)
    ))
}

/// The words for small numbers, from zero.
const NUMBER_WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Returns the whole number that a text stands for: a word for it, or its digits in another form.
fn meant_number(text: &str) -> Option<i64> {
    let text = text.trim();
    let word = NUMBER_WORDS
        .iter()
        .position(|word| word.eq_ignore_ascii_case(text));
    match word {
        Some(number) => i64::try_from(number).ok(),
        None => text.parse().ok(),
    }
}

/// Returns what a field of the type expects, given the value at a node.
fn expected(tree: &Tree<'_>, node: NodeId, ty: &FieldType) -> Option<Expected> {
    if matches!(ty, FieldType::Quantity) {
        return Some(Expected::Quantity);
    }
    if let Some(schema) = holder(ty) {
        return expected_in(tree, node, schema);
    }
    if ty.is_text() {
        return Some(Expected::Text);
    }
    match ty.pointed() {
        FieldType::Bool => Some(Expected::Bool),
        FieldType::Int64 | FieldType::Int32 => Some(Expected::Integer),
        _ => ty.takes_map().then_some(Expected::Map),
    }
}

/// The structs of named values of a map.
const HOLDERS: [&str; 3] = ["DeviceAttribute", "DeviceCapacity", "Counter"];

/// Returns the struct of a named value of a map, which is often written without the field that holds the value.
fn holder(ty: &FieldType) -> Option<&'static Struct> {
    ty.as_struct().filter(|schema| HOLDERS.contains(&schema.go))
}

/// Returns what such a struct expects in place of the value at a node; `None` where several corrections are possible.
fn expected_in(tree: &Tree<'_>, node: NodeId, schema: &'static Struct) -> Option<Expected> {
    if let Some(text) = tree.str(node) {
        match reading(text, schema) {
            Reading::Entry(field) => return Some(Expected::Entry(field.json)),
            Reading::Value => {}
            Reading::BrokenEntry | Reading::Version => return None,
        }
    }
    let kind = tree.kind(node);
    let mut fields = schema.fields.iter();
    let takes_it = |ty: &FieldType| match fits::is_whole(tree, node) {
        true => matches!(ty, FieldType::Int64 | FieldType::Quantity),
        false => takes(ty, kind),
    };
    match fields.find(|field| takes_it(field.ty.pointed())) {
        Some(field) => Some(Expected::Holder(field.json)),
        None => Some(Expected::Map),
    }
}

/// Returns true if a field of this type takes a value of this kind.
fn takes(pointed: &FieldType, kind: Kind) -> bool {
    match kind {
        Kind::Bool(_) => matches!(pointed, FieldType::Bool),
        Kind::Str(_) => pointed.is_text() || matches!(pointed, FieldType::Quantity),
        _ => false,
    }
}

/// How a string can be read where a struct with a field for each type is expected.
enum Reading {
    /// A field of the struct and its value, without the blank behind the colon.
    Entry(&'static Field),
    /// The same, but the field is misspelled or has another type.
    BrokenEntry,
    /// An attribute that can be a version or a string.
    Version,
    /// The value itself.
    Value,
}

/// Returns how the string can be read.
fn reading(text: &str, schema: &'static Struct) -> Reading {
    if let Some((name, value)) = text.split_once(':') {
        if let Some(field) = schema.fields.iter().find(|field| field.json == name) {
            return if reads_as(value, field) {
                Reading::Entry(field)
            } else {
                Reading::BrokenEntry
            };
        }
        if near_field(name, schema).is_some() {
            return Reading::BrokenEntry;
        }
    }
    if schema.has("version") && names::is_semantic_version(text) {
        return Reading::Version;
    }
    Reading::Value
}

/// Returns the field whose name is similar or differs in case only.
fn near_field(name: &str, schema: &'static Struct) -> Option<&'static str> {
    let lowered = name.to_ascii_lowercase();
    let mut nearest = Nearest::to(&lowered);
    schema
        .fields
        .iter()
        .for_each(|field| nearest.consider(field.json));
    nearest.found()
}

/// Returns true if YAML reads the text, without quotes, as a value of the field's type.
fn reads_as(text: &str, field: &Field) -> bool {
    let ty = field.ty.pointed();
    if ty.is_text() {
        let word = text.starts_with(|first: char| first.is_ascii_alphabetic());
        return if field.json == "version" {
            names::is_semantic_version(text)
        } else {
            word && print::scalar(text) == text
        };
    }
    match ty {
        FieldType::Bool => matches!(text, "true" | "false"),
        FieldType::Int64 => text
            .parse::<i64>()
            .is_ok_and(|number| number.to_string() == text),
        FieldType::Quantity => Quantity::parse(text).is_ok(),
        _ => false,
    }
}

/// Returns the help for a string in place of a struct with a field for each type, if there is no certain correction.
fn held_text(text: &str, schema: &'static Struct) -> Option<Message> {
    match reading(text, schema) {
        Reading::Version => Some(message!(
            "correct.version-or-string",
            "an attribute names its type: write `{version}`, or `{string}`",
            version = format!("{{version: {text}}}"),
            string = format!("{{string: {text}}}")
        )),
        Reading::Entry(_) | Reading::BrokenEntry => Some(message!(
            "correct.entry",
            "`{text}` is one word: write `{fields}`, a space after the colon, and a value of this type",
            text,
            fields = value_fields(schema).join("` or `")
        )),
        // A text that was not put under the field is not a quantity.
        Reading::Value if schema.has("value") => Some(message!(
            "correct.quantity-under-value",
            "the value belongs under `value`, and is a quantity such as `10Gi`"
        )),
        Reading::Value => None,
    }
}

/// What to write for an unknown field of a struct with a field for each type.
pub struct ValueField {
    pub help: Message,
    /// The field of the value's type, where the value tells it.
    pub field: Option<&'static str>,
}

/// Returns what to write for an unknown field that holds the value of an attribute or a capacity, which has no other value.
pub fn value_field(tree: &Tree<'_>, strict: &Strict) -> Option<ValueField> {
    let schema = strict
        .schema
        .filter(|schema| HOLDERS.contains(&schema.go))?;
    let value = tree.get(strict.parent, &strict.field)?;
    let fields = value_fields(schema);
    let has_value = schema
        .fields
        .iter()
        .any(|field| tree.entry(strict.parent, field.json).is_some());
    let holds_more = matches!(
        tree.kind(value),
        Kind::Map { .. } | Kind::Seq { .. } | Kind::Null | Kind::Alias(_)
    );
    if has_value || holds_more {
        return None;
    }
    let is_only = tree.entries(strict.parent).len() == 1;
    let field = field_of_value(tree, value, &strict.field, schema).filter(|_| is_only);
    let help = match fields.as_slice() {
        [only] => message!("correct.value-field", "the amount is under `{only}`", only),
        _ => message!(
            "correct.value-fields",
            "the value is under its type: one of `{fields}`",
            fields = fields.join("`, `")
        ),
    };
    Some(ValueField { help, field })
}

/// Returns the field for a value that was written under another name.
fn field_of_value(
    tree: &Tree<'_>,
    value: NodeId,
    written: &str,
    schema: &'static Struct,
) -> Option<&'static str> {
    if let Some(text) = tree.str(value) {
        let names_version = matches!(written, "semver" | "ver");
        if matches!(reading(text, schema), Reading::Version) && names_version {
            return Some("version");
        }
        if schema.has("value") && Quantity::parse(text).is_err() {
            return None;
        }
    }
    match expected_in(tree, value, schema) {
        Some(Expected::Holder(field)) => Some(field),
        _ => None,
    }
}

/// Returns the names of the fields that hold one value.
fn value_fields(schema: &'static Struct) -> Vec<&'static str> {
    let fields = schema.fields.iter().filter(|field| {
        !matches!(field.ty, FieldType::List(_)) && field.ty.pointed().as_struct().is_none()
    });
    fields.map(|field| field.json).collect()
}
