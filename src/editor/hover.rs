//! What an editor shows about the key or value under the cursor.

use super::context::{self, Purpose, Spot, TablePlace};
use super::facts::{self, FieldConditions, Unique};
use super::outline::{Outline, Role};
use super::sentences::{Sentences, field_key, kind_key, value_key, version_key};
use crate::manifest::{Input, TypeMeta, What};
use claimkit_model::finding::{Step, path};
use claimkit_model::schema::{Field, FieldType, ListKind, Release, Struct, VERSIONS, Version};
use claimkit_model::text::{NodeId, Span, Tree, tree};
use serde::Serialize;

/// About a place in the text.
#[derive(Debug)]
pub struct Hover {
    /// The key or value it is about.
    pub span: Span,
    /// The subject: a path, a value or a kind.
    pub title: String,
    pub key: String,
    /// The field, if it is about one.
    pub field: Option<Info>,
    pub documentation: Option<String>,
    /// All of it for an editor that shows Markdown.
    pub markdown: Option<String>,
}

/// Facts about a field.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// Go struct it belongs to.
    pub owner: &'static str,
    pub name: &'static str,
    /// Type: `string`, `boolean`, `integer`, `time`, `any`, `quantity`, `map`, `object`, or `list of …`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The server refuses the object without it.
    pub required: bool,
    /// The published schema lists it as required.
    pub schema_required: bool,
    /// First minor release that has it.
    pub since: String,
    /// The only version that has the field, if other versions have the struct without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_in: Option<&'static str>,
    /// The feature gates without which the server drops it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<&'static str>,
    /// Values it may take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<&'static str>,
    /// Value that stands for an absent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<&'static str>,
    /// Form of the text, a name in the locale's group `formats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    /// Counted in bytes of UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u32>,
    /// Entries of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// Entries of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// `*`: no entry twice; else the field that no two entries share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<&'static str>,
    /// Cannot be changed after creation.
    pub immutable: bool,
    /// Set by the server.
    pub server_owned: bool,
    pub dropped_on_create: bool,
    /// Server-side apply: `atomic`, `set`, `map`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_type: Option<&'static str>,
    /// Keys of a `map`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub list_map_keys: &'static [&'static str],
}

/// The part of the text at the place: the steps to it, and whether it is a key or a value.
struct Hit {
    object: TypeMeta,
    steps: Vec<Step>,
    span: Span,
    /// The value's text, if a value is hit.
    value: Option<String>,
}

/// Returns the hover at a byte offset; `None` if there is nothing to show.
pub fn hover(
    input: &Input<'_>,
    offset: usize,
    release: Option<Release>,
    sentences: Option<&Sentences>,
) -> Option<Hover> {
    let hit = in_tree(input, offset).or_else(|| in_outline(input.file.source.text(), offset))?;
    let (api, release) = hit.object.api(release)?;
    let located = context::locate(api, release, &hit.steps)?;
    let (schema, field) = located.field?;
    if let Some(value) = hit.value.as_deref() {
        let top = hit.steps.len() == 1;
        let key = match field.json {
            "kind" if top => Some(kind_key(value)),
            "apiVersion" if top => Some(version_key(value)),
            _ => value_key(field, value),
        };
        if let Some(key) = key {
            let documentation = sentence(sentences, &key);
            let markdown = documentation
                .as_ref()
                .map(|text| format!("**`{value}`**\n\n{text}"));
            return Some(Hover {
                span: hit.span,
                title: value.to_owned(),
                key,
                field: None,
                documentation,
                markdown,
            });
        }
    }
    let key = field_key(schema, field);
    let title = path::render(&hit.steps);
    let info = info(&located, schema, field);
    let documentation = sentence(sentences, &key);
    let markdown = sentences
        .map(|sentences| markdown(&title, &info, documentation.as_deref(), field, sentences));
    Some(Hover {
        span: hit.span,
        title,
        key,
        field: Some(info),
        documentation,
        markdown,
    })
}

fn sentence(sentences: Option<&Sentences>, key: &str) -> Option<String> {
    sentences?.get(key).map(str::to_owned)
}

/// Finds the place in the tree that kubectl's reading gives.
fn in_tree(input: &Input<'_>, offset: usize) -> Option<Hit> {
    let item = input
        .items
        .iter()
        .find(|item| matches!(item.what, What::Ours(_)) && item.span.touches(offset))?;
    let tree = input.tree(item)?;
    let mut node = item.node;
    let mut steps = Vec::new();
    let object = TypeMeta {
        api_version: item.api_version.clone(),
        kind: item.kind.clone(),
    };
    loop {
        match inside(tree, node, offset)? {
            Inside::Key(name, span) => {
                steps.push(Step::Key(name));
                return Some(Hit {
                    object,
                    steps,
                    span,
                    value: None,
                });
            }
            Inside::Value(step, value) => {
                steps.push(step);
                // The target of an alias is elsewhere.
                let ends = matches!(tree.node(value).kind, tree::Kind::Alias(_))
                    || !matches!(
                        tree.kind(value),
                        tree::Kind::Map { .. } | tree::Kind::Seq { .. }
                    );
                if ends {
                    return Some(Hit {
                        object,
                        steps,
                        span: tree.span(value),
                        value: Some(tree.str(value).unwrap_or_default().to_owned()),
                    });
                }
                node = value;
            }
        }
    }
}

enum Inside {
    Key(String, Span),
    Value(Step, NodeId),
}

fn inside(tree: &Tree<'_>, node: NodeId, offset: usize) -> Option<Inside> {
    for entry in tree.entries(node).iter().filter(|entry| !entry.merged) {
        let name = tree.text(entry.key);
        if entry.key_span.touches(offset) {
            return Some(Inside::Key(name.to_owned(), entry.key_span));
        }
        let span = tree.span(entry.value);
        if span.touches(offset) && !span.is_empty() {
            return Some(Inside::Value(Step::Key(name.to_owned()), entry.value));
        }
    }
    let (index, &item) = tree
        .items(node)
        .iter()
        .enumerate()
        .find(|(_, item)| tree.span(**item).touches(offset))?;
    Some(Inside::Value(Step::Index(index), item))
}

/// Finds the place by indentation and brackets, in a text that kubectl cannot read.
fn in_outline(text: &str, offset: usize) -> Option<Hit> {
    let outline = Outline::read(text);
    let (node, span, value) = match context::spot(&outline, offset, Purpose::Hover)? {
        Spot::Key {
            own: Some(own),
            range,
            ..
        } if outline
            .nodes
            .get(own)
            .is_some_and(|node| node.role == Role::Key) =>
        {
            (own, range, None)
        }
        Spot::Value { of, range } if !range.is_empty() => (
            of,
            range,
            Some(context::unquoted(outline.slice(range)).to_owned()),
        ),
        _ => return None,
    };
    let (object, _, steps) = context::object_of(&outline, outline.document_at(offset), Some(node));
    Some(Hit {
        object,
        steps,
        span,
        value,
    })
}

/// Returns the facts about a field.
pub fn info(at: &TablePlace, schema: &'static Struct, field: &'static Field) -> Info {
    let facts: FieldConditions = facts::facts(schema, field, at.release);
    let object = std::ptr::eq(schema, at.api.kind.schema);
    let list = matches!(field.ty, FieldType::List(_)).then(|| {
        field
            .list_rule(at.release)
            .map_or(ListKind::Atomic, |rule| rule.kind)
    });
    let required = facts.required || (object && matches!(field.json, "kind" | "apiVersion"));
    let here = in_version(at.api.version, schema, field.json).flatten();
    // In the other versions that have the struct.
    let mut elsewhere: Vec<Option<u8>> = Vec::new();
    for version in VERSIONS {
        if version.name != at.api.version.name && version.family == at.api.version.family {
            elsewhere.extend(in_version(version, schema, field.json));
        }
    }
    let since = elsewhere.iter().copied().flatten().chain(here).min();
    let alone =
        here.is_some() && !elsewhere.is_empty() && elsewhere.iter().all(|since| since.is_none());
    Info {
        owner: schema.go,
        name: field.json,
        ty: type_name(&field.ty),
        required,
        schema_required: field.required,
        since: format!("1.{}", since.unwrap_or(field.since.minor)),
        only_in: alone.then_some(at.api.version.name),
        gates: field
            .gates
            .iter()
            .filter(|gate| gate.default_in(at.release).is_some())
            .map(|gate| gate.name())
            .collect(),
        values: field.allowed(at.release),
        default: facts.default,
        format: facts.format.map(facts::StringFormat::name),
        max_bytes: facts.max_bytes,
        max_items: facts.max_items,
        min_items: facts.min_items,
        unique: facts.unique.map(|unique| match unique {
            Unique::Whole => "*",
            Unique::By(key) => key,
        }),
        immutable: facts.immutable,
        server_owned: facts.server_owned,
        dropped_on_create: facts.dropped_on_create,
        list_type: list.map(|list| match list {
            ListKind::Atomic => "atomic",
            ListKind::Set => "set",
            ListKind::Map(_) => "map",
        }),
        list_map_keys: match list {
            Some(ListKind::Map(keys)) => keys,
            _ => &[],
        },
    }
}

/// Returns the first minor release with a field in a version, `Some(None)` if the version has the struct without it.
#[allow(clippy::option_option, reason = "no struct, no field, a release")]
fn in_version(version: &Version, schema: &Struct, json: &str) -> Option<Option<u8>> {
    let mut found: Option<Option<u8>> = None;
    for kind in version.kinds {
        let mut open = vec![kind.schema];
        while let Some(other) = open.pop() {
            if other.go == schema.go {
                let field = other.fields.iter().find(|field| field.json == json);
                let since = field.map(|field| {
                    version
                        .served
                        .0
                        .max(kind.since.minor)
                        .max(field.since.minor)
                });
                found = Some(match (found.flatten(), since) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                });
            }
            // Metadata is the same everywhere.
            let below = other
                .fields
                .iter()
                .filter(|field| field.json != "metadata" || other.go.ends_with("Spec"));
            open.extend(below.filter_map(|field| match field.ty {
                FieldType::List(inner) => inner.as_struct(),
                _ => field.ty.as_struct(),
            }));
        }
    }
    found
}

/// Returns the name of a type, in words that locales know.
pub fn type_name(ty: &FieldType) -> String {
    match ty {
        FieldType::Pointer(inner) => type_name(inner),
        FieldType::List(inner) => format!("list of {}", type_name(inner)),
        FieldType::String | FieldType::Named(..) | FieldType::Uid => "string".to_owned(),
        FieldType::Bool => "boolean".to_owned(),
        FieldType::Int64 | FieldType::Int32 => "integer".to_owned(),
        FieldType::Time => "time".to_owned(),
        FieldType::FieldsV1 | FieldType::Raw => "any".to_owned(),
        FieldType::Quantity => "quantity".to_owned(),
        FieldType::StringMap | FieldType::Map(_) => "map".to_owned(),
        FieldType::Struct(_) => "object".to_owned(),
    }
}

/// Names a type in a locale's words.
pub fn type_words(ty: &str, sentences: &Sentences) -> String {
    match ty.strip_prefix("list of ") {
        Some(inner) => sentences.fill("list", "{type}", sentences.word(inner)),
        None => sentences.word(ty).to_owned(),
    }
}

fn markdown(
    title: &str,
    info: &Info,
    documentation: Option<&str>,
    field: &Field,
    words: &Sentences,
) -> String {
    let mut head = vec![format!("**`{title}`** {}", type_words(&info.ty, words))];
    if info.required {
        head.push(words.word("required").to_owned());
    } else if info.schema_required {
        head.push(words.word("schema-required").to_owned());
    }
    head.push(words.fill("since", "{release}", &info.since));
    if let Some(version) = info.only_in {
        head.push(words.fill("only", "{version}", version));
    }
    let mut text = head.join(" · ");
    if let Some(documentation) = documentation {
        text.push_str("\n\n");
        text.push_str(documentation);
    }
    let lines = facts_in_words(info, field, words);
    if !lines.is_empty() {
        text.push('\n');
    }
    for line in lines {
        text.push_str("\n- ");
        text.push_str(&line);
    }
    text
}

/// Says each fact about a field in a line of its own.
fn facts_in_words(info: &Info, field: &Field, words: &Sentences) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(format) = info.format {
        lines.push(words.fill(
            "format",
            "{format}",
            words.get(&format!("formats/{format}")).unwrap_or(format),
        ));
    }
    let numbers = [
        ("max-bytes", info.max_bytes),
        ("min-items", info.min_items),
        ("max-items", info.max_items),
    ];
    lines.extend(
        numbers
            .iter()
            .filter_map(|(word, n)| n.map(|n| words.fill(word, "{n}", &n.to_string()))),
    );
    match info.unique {
        Some("*") => lines.push(words.word("unique").to_owned()),
        Some(key) => lines.push(words.fill("unique-by", "{key}", key)),
        None => {}
    }
    if !info.gates.is_empty() {
        lines.push(words.fill("gates", "{gates}", &info.gates.join("`, `")));
    }
    for value in &info.values {
        let told = value_key(field, value)
            .and_then(|key| words.get(&key))
            .unwrap_or("");
        lines.push(format!("`{value}`: {told}"));
    }
    if let Some(default) = info.default {
        lines.push(words.fill("default", "{value}", &format!("`{default}`")));
    }
    let flags = [
        ("immutable", info.immutable),
        ("server-owned", info.server_owned),
        ("dropped-on-create", info.dropped_on_create),
    ];
    lines.extend(
        flags
            .iter()
            .filter(|(_, on)| *on)
            .map(|(word, _)| words.word(word).to_owned()),
    );
    match info.list_type {
        Some("map") => {
            lines.push(words.fill("list-map", "{key}", &info.list_map_keys.join("`, `")))
        }
        Some("set") => lines.push(words.word("list-set").to_owned()),
        Some(_) => lines.push(words.word("list-atomic").to_owned()),
        None => {}
    }
    lines
}
