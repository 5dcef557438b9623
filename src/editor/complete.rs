//! Completion at the cursor: missing keys, enum values, kinds, versions, whole objects.

use super::context::{self, Purpose, Spot, TablePlace};
use super::facts;
use super::hover::{info, type_name, type_words};
use super::names::{self, Beside, KnownName, PodReference};
use super::outline::{Outline, OutlineNode, OutlineValueKind, Role};
use super::sentences::{Sentences, field_key, kind_key, value_key, version_key};
use super::symbols::{self, Name, NameKind};
use crate::cel_lints::published::PublishedNames;
use crate::manifest::{Input, TypeMeta};
use crate::validation::pod_claims;
use claimkit_model::finding::Step;
use claimkit_model::limits::Limits;
use claimkit_model::schema::{
    ApiKind, Field, FieldType, Release, Struct, VERSIONS, Version, workload,
};
use claimkit_model::text::Span;
use claimkit_model::text::edit::line_break;
use claimkit_model::text::print;
use claimkit_values::order;
use serde::Serialize;

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Sort {
    Field,
    /// A value of an enum, or a boolean.
    Value,
    Kind,
    /// An `apiVersion`.
    ApiVersion,
    Snippet,
    /// Inside an expression: a variable, a field, an attribute.
    Attribute,
    /// Inside an expression: a function or a macro.
    Function,
}

/// A text that can be inserted at a place.
#[derive(Debug)]
pub struct Completion {
    /// The displayed text, which is matched with the typed text.
    pub label: String,
    pub sort: Sort,
    /// Shown beside the label: type and whether it is required, or the version of a kind.
    pub detail: String,
    pub key: Option<String>,
    pub documentation: Option<String>,
    /// The text that replaces `span`.
    pub insert: String,
    /// The same as a snippet with placeholders `${1}`, `${2}` …, if there is something to fill in.
    pub snippet: Option<String>,
    pub span: Span,
    /// The object is refused without it.
    pub required: bool,
}

impl Completion {
    /// Returns what the typed text is matched with in place of the label: the label in quotes, if the typed text has some, or gets them.
    pub fn filter_text(&self, text: &str) -> Option<String> {
        let replaced = self.span.slice_of(text).unwrap_or_default();
        let mut quotes = [replaced, &self.insert].into_iter().filter_map(|part| {
            let first = part.chars().next();
            first.filter(|first| matches!(first, '"' | '\''))
        });
        quotes
            .next()
            .map(|quote| format!("{quote}{}{quote}", self.label))
    }
}

/// The text to insert, with placeholders.
#[derive(Default)]
struct Draft {
    text: String,
    snippet: String,
    holes: u32,
}

impl Draft {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.snippet.push_str(text);
    }

    fn hole(&mut self) {
        self.holes = self.holes.saturating_add(1);
        self.snippet.push_str(&format!("${{{}}}", self.holes));
    }

    fn line(&mut self, column: usize) {
        self.push("\n");
        self.push(&" ".repeat(column));
    }
}

struct Completer<'a> {
    outline: Outline<'a>,
    /// The document that the cursor is in.
    document: usize,
    release: Option<Release>,
    sentences: Option<&'a Sentences>,
    found: Vec<Completion>,
    /// JSON: keys and strings in double quotes.
    json: bool,
    /// How far this text indents a list below its key.
    list_indent: usize,
    /// The other texts of the project.
    beside: &'a [Beside<'a>],
}

/// Returns the completions at a byte offset, those that are needed first. Names come from the text and from those `beside` it.
pub fn complete(
    text: &str,
    offset: usize,
    release: Option<Release>,
    sentences: Option<&Sentences>,
    beside: &[Beside<'_>],
) -> Vec<Completion> {
    let outline = Outline::read(text);
    let beside_key = outline.nodes.iter().any(|node| {
        let key = node.parent.and_then(|parent| outline.nodes.get(parent));
        node.role == Role::Item
            && !node.flow
            && key.is_some_and(|key| key.role == Role::Key && key.column == node.column)
    });
    let Some(spot) = context::spot(&outline, offset, Purpose::Complete) else {
        return Vec::new();
    };
    let mut completer = Completer {
        json: text.trim_start().starts_with('{'),
        document: outline.document_at(offset),
        outline,
        release,
        sentences,
        found: Vec::new(),
        list_indent: if beside_key { 0 } else { 2 },
        beside,
    };
    let document = completer.document;
    match spot.on_line_of(text, offset) {
        Spot::Key {
            parent,
            own,
            range,
            column,
            flow,
        } => completer.at_key(document, parent, own, range, column, flow),
        // What is written on the lines below the key is its value.
        Spot::Value { of, .. } if has_block_below(&completer.outline, document, of) => {}
        Spot::Value { of, range } => completer.at_value(document, of, range),
    }
    let mut found = completer.found;
    if line_break(text, offset) == "\r\n" {
        for item in &mut found {
            item.insert = item.insert.replace('\n', "\r\n");
            item.snippet = item.snippet.take().map(|text| text.replace('\n', "\r\n"));
        }
    }
    found
}

/// Returns true for a key whose value is a block on the lines below it.
fn has_block_below(outline: &Outline<'_>, document: usize, of: usize) -> bool {
    outline
        .nodes
        .get(of)
        .is_some_and(|node| node.role == Role::Key)
        && context::children(outline, document, Some(of)).any(|(_, node)| !node.flow)
}

impl Completer<'_> {
    fn tell(&self, key: &str) -> Option<String> {
        self.sentences
            .and_then(|sentences| sentences.get(key))
            .map(str::to_owned)
    }

    // ---- keys ----

    fn at_key(
        &mut self,
        document: usize,
        parent: Option<usize>,
        own: Option<usize>,
        range: Span,
        column: usize,
        flow: bool,
    ) {
        let present: Vec<String> = context::children(&self.outline, document, parent)
            .filter(|(at, node)| Some(*at) != own && node.role == Role::Key)
            .map(|(_, node)| self.outline.slice(node.name).to_owned())
            .collect();
        let keyed = own
            .and_then(|own| self.outline.nodes.get(own))
            .is_some_and(|node| node.colon);
        let place = KeySlot {
            range,
            column,
            flow,
            keyed,
        };
        let above = self.key_above(document, parent, &place);
        if !self.divides(document, parent, above, &place) {
            self.keys_at(document, parent, &place, &|key| {
                present.iter().any(|known| known == key)
            });
        }
        if !self.takes_over(document, &place)
            && let Some(list) = self.list_at(document, above.or(parent), &place)
        {
            self.keys_of_item_above(document, list, &place);
            self.items_of(document, list, &place);
        }
    }

    /// Completes the keys that the item above a place lacks, where the place is in the column of the dash: that is where editors put
    /// the cursor after the line of the dash.
    fn keys_of_item_above(&mut self, document: usize, list: usize, place: &KeySlot) {
        let above = context::children(&self.outline, document, Some(list))
            .filter(|(_, node)| node.role == Role::Item && node.key.to() <= place.range.from());
        let Some((item, _)) = above.last() else {
            return;
        };
        let keys: Vec<&OutlineNode> = context::children(&self.outline, document, Some(item))
            .map(|(_, node)| node)
            .filter(|node| node.role == Role::Key && !node.flow)
            .collect();
        let Some(column) = keys.first().map(|key| key.column) else {
            return;
        };
        let names = keys.iter().map(|key| self.outline.slice(key.name));
        let present: Vec<String> = names.map(str::to_owned).collect();
        let first = self.found.len();
        let inside = KeySlot { column, ..*place };
        self.keys_at(document, Some(item), &inside, &|key| {
            present.iter().any(|known| known == key)
        });
        let missing = " ".repeat(column.saturating_sub(place.column));
        self.begin_with(first, &missing);
    }

    /// Puts a text before the completions from one on.
    fn begin_with(&mut self, first: usize, text: &str) {
        for item in self.found.iter_mut().skip(first) {
            item.insert.insert_str(0, text);
            if let Some(snippet) = &mut item.snippet {
                snippet.insert_str(0, text);
            }
        }
    }

    /// Returns the next key or item below a place on a line of its own.
    fn next_below(&self, document: usize, place: &KeySlot) -> Option<&OutlineNode> {
        self.outline.nodes.iter().find(|node| {
            node.document == document
                && !node.flow
                && node.role != Role::Bare
                && node.key.from() >= place.range.to()
        })
    }

    /// Returns true if an item at a place would take over the lines below it, which are indented more.
    fn takes_over(&self, document: usize, place: &KeySlot) -> bool {
        let next = self.next_below(document, place);
        next.is_some_and(|next| next.column > place.column)
    }

    /// Returns the last key above a place on a line of its own, in the block that the place belongs to.
    fn key_above(&self, document: usize, parent: Option<usize>, place: &KeySlot) -> Option<usize> {
        let above = context::children(&self.outline, document, parent).filter(|(_, node)| {
            !place.flow && node.role == Role::Key && node.key.to() <= place.range.from()
        });
        above.last().map(|(at, _)| at)
    }

    /// Returns true if a key at a place would take over a part of the block of the key above it.
    fn divides(
        &self,
        document: usize,
        parent: Option<usize>,
        above: Option<usize>,
        place: &KeySlot,
    ) -> bool {
        let nodes = &self.outline.nodes;
        let Some(next) = self.next_below(document, place) else {
            return false;
        };
        // Behind a word without a colon, items are read as those of the block.
        let is_of_block = next.role == Role::Item && next.parent == parent;
        if is_of_block && !place.flow && (above.is_some() || next.column > place.column) {
            return true;
        }
        let Some(above) = above else {
            return false;
        };
        let over = |node: &usize| nodes.get(*node).and_then(|node| node.parent);
        std::iter::successors(next.parent, over).any(|node| node == above)
    }

    /// Returns a key whose list can have an item at a place. A list may begin in the column of its key, and all items begin in one
    /// column.
    fn list_at(&self, document: usize, key: Option<usize>, place: &KeySlot) -> Option<usize> {
        let (at, key) = key.and_then(|at| Some((at, self.outline.nodes.get(at)?)))?;
        let is_open = key.role == Role::Key && key.value_kind == OutlineValueKind::Nothing;
        let is_deeper = key.column < place.column;
        let fits = is_deeper || key.column == place.column && !place.keyed;
        let has_room =
            context::children(&self.outline, document, Some(at)).all(|(_, node)| match node.role {
                Role::Item => node.column == place.column,
                Role::Key => is_deeper,
                Role::Bare => true,
            });
        (!place.flow && is_open && fits && has_room).then_some(at)
    }

    /// Completes the keys of a block or of brackets.
    fn keys_at(
        &mut self,
        document: usize,
        parent: Option<usize>,
        place: &KeySlot,
        has: &dyn Fn(&str) -> bool,
    ) {
        let (object, root, steps) = context::object_of(&self.outline, document, parent);
        let Some((api, release)) = object.api(self.release) else {
            if steps.is_empty() && parent == root {
                self.unrecognized(&object, place, has);
            } else {
                self.keys_of_pod(&object, &steps, place, has);
            }
            return;
        };
        let Some(at) = context::locate(api, release, &steps) else {
            return;
        };
        match (at.schema, at.ty) {
            (Some(schema), _) => self.keys(&at, schema, place, has),
            (None, Some(FieldType::Map(_))) => self.keys_of_map(&at, parent, place, has),
            (None, Some(FieldType::List(inner))) => {
                if place.flow && inner.as_struct().is_none() {
                    self.values(&at, &steps, parent, place.range, "", "");
                }
            }
            // A value on a line of its own.
            (None, Some(_)) => self.values(&at, &steps, parent, place.range, "", ""),
            (None, None) => {}
        }
    }

    /// Completes the first line of an item, dash included.
    fn items_of(&mut self, document: usize, list: usize, place: &KeySlot) {
        let (object, _, steps) = context::object_of(&self.outline, document, Some(list));
        let first = self.found.len();
        let inside = KeySlot {
            column: place.column.saturating_add(2),
            ..*place
        };
        match object.api(self.release) {
            Some((api, release)) => {
                if let Some(at) = context::locate(api, release, &steps)
                    && let Some(FieldType::List(inner)) = at.ty
                {
                    self.first_of_item(&at, inner, &steps, list, &inside);
                }
            }
            None => {
                let item: Vec<Step> = steps.into_iter().chain([Step::Index(0)]).collect();
                self.keys_of_pod(&object, &item, &inside, &|_| false);
            }
        }
        self.begin_with(first, "- ");
        for item in self.found.iter_mut().skip(first) {
            item.label.insert_str(0, "- ");
        }
    }

    fn first_of_item(
        &mut self,
        list: &TablePlace,
        inner: &'static FieldType,
        steps: &[Step],
        of: usize,
        place: &KeySlot,
    ) {
        let Some(schema) = inner.as_struct() else {
            return self.values(list, steps, Some(of), place.range, "", "");
        };
        let item = TablePlace {
            schema: Some(schema),
            ty: Some(inner),
            ..*list
        };
        self.keys(&item, schema, place, &|_| false);
    }

    fn keys(
        &mut self,
        at: &TablePlace,
        schema: &'static Struct,
        place: &KeySlot,
        has: &dyn Fn(&str) -> bool,
    ) {
        let kind = at.api.kind;
        let top = std::ptr::eq(schema, kind.schema);
        let fields = schema
            .fields
            .iter()
            .filter(|field| field.in_release(at.release) && !has(field.json));
        let mut rows: Vec<(u8, &'static Field)> = fields
            .filter(|field| {
                !at.template
                    || schema.go != "ObjectMeta"
                    || matches!(field.json, "labels" | "annotations")
            })
            .map(|field| {
                let facts = facts::facts(schema, field, at.release);
                let rank = if required(at, schema, field)
                    || (top && matches!(field.json, "kind" | "apiVersion" | "metadata"))
                {
                    0
                } else if facts.server_owned
                    || facts.dropped_on_create
                    || matches!(
                        field.json,
                        "managedFields" | "generation" | "resourceVersion"
                    )
                {
                    2
                } else {
                    1
                };
                (rank, field)
            })
            .collect();
        order::sort_by_key(&mut rows, |(rank, _)| *rank);
        for (rank, field) in rows {
            let info = info(at, schema, field);
            let mut detail = match self.sentences {
                Some(words) => type_words(&info.ty, words),
                None => type_name(&field.ty),
            };
            if rank == 0 {
                detail.push_str(", ");
                detail.push_str(
                    self.sentences
                        .map_or("required", |words| words.word("required")),
                );
            }
            let key = field_key(schema, field);
            let mut draft = Draft::default();
            let (before, behind) = self.commas(place);
            draft.push(before);
            self.write_key(&mut draft, at, schema, field, place);
            draft.push(behind);
            self.found.push(Completion {
                label: field.json.to_owned(),
                sort: Sort::Field,
                detail,
                documentation: self.tell(&key),
                key: Some(key),
                snippet: (draft.holes > 0).then_some(draft.snippet),
                insert: draft.text,
                span: place.range,
                required: rank == 0,
            });
        }
    }

    /// Returns the commas a new key needs inside brackets.
    fn commas(&self, place: &KeySlot) -> (&'static str, &'static str) {
        if !place.flow || place.keyed {
            return ("", "");
        }
        let (before, behind) = (
            self.outline.text.get(..place.range.from()),
            self.outline.text.get(place.range.to()..),
        );
        let before = before.and_then(|text| text.trim_end().chars().next_back());
        let behind = behind.map(|text| (text, text.trim_start().chars().next()));
        (
            if matches!(before, None | Some('{' | ',')) {
                ""
            } else {
                ", "
            },
            match behind {
                None | Some((_, None | Some('}' | ']' | ',' | '#'))) => "",
                Some((text, _)) if text.starts_with(char::is_whitespace) => ",",
                Some(_) => ", ",
            },
        )
    }

    fn write_key(
        &self,
        draft: &mut Draft,
        at: &TablePlace,
        schema: &'static Struct,
        field: &'static Field,
        place: &KeySlot,
    ) {
        let name = if self.json {
            format!("\"{}\"", field.json)
        } else {
            field.json.to_owned()
        };
        draft.push(&name);
        if place.keyed {
            return;
        }
        draft.push(":");
        if place.flow {
            draft.push(" ");
            let (open, close) = match pointed(&field.ty) {
                FieldType::Struct(_) | FieldType::StringMap => ("{", "}"),
                FieldType::List(_) => ("[", "]"),
                FieldType::String
                | FieldType::Named(..)
                | FieldType::Uid
                | FieldType::Time
                | FieldType::Quantity
                    if self.json =>
                {
                    ("\"", "\"")
                }
                _ => ("", ""),
            };
            draft.push(open);
            draft.hole();
            draft.push(close);
            return;
        }
        let top = std::ptr::eq(schema, at.api.kind.schema);
        match (field.json, top) {
            ("apiVersion", true) => draft.push(&format!(" {}", at.api.version.api_version)),
            ("kind", true) => draft.push(&format!(" {}", at.api.kind.kind)),
            _ => {
                let template = at.template
                    || (schema.go == "ResourceClaimTemplateSpec" && field.json == "metadata");
                self.write_value(
                    draft,
                    &TablePlace { template, ..*at },
                    &field.ty,
                    place.column,
                );
            }
        }
    }

    /// Writes the part after the colon of a key at `column`, with all required fields below it.
    fn write_value(
        &self,
        draft: &mut Draft,
        at: &TablePlace,
        ty: &'static FieldType,
        column: usize,
    ) {
        match pointed(ty) {
            FieldType::Struct(schema) => {
                let deeper = column.saturating_add(2);
                draft.line(deeper);
                self.write_struct(draft, at, schema, deeper);
            }
            FieldType::List(inner) => {
                let dash = column.saturating_add(self.list_indent);
                draft.line(dash);
                draft.push("- ");
                match inner.as_struct() {
                    Some(schema) => self.write_struct(draft, at, schema, dash.saturating_add(2)),
                    None => draft.hole(),
                }
            }
            FieldType::StringMap => {
                draft.line(column.saturating_add(2));
                draft.hole();
            }
            _ => {
                draft.push(" ");
                draft.hole();
            }
        }
    }

    /// Writes the required fields of a struct, the first at the cursor; a hole if there are none.
    fn write_struct(
        &self,
        draft: &mut Draft,
        at: &TablePlace,
        schema: &'static Struct,
        column: usize,
    ) {
        let mut first = true;
        for field in schema
            .fields
            .iter()
            .filter(|field| field.in_release(at.release) && required(at, schema, field))
        {
            if !first {
                draft.line(column);
            }
            first = false;
            draft.push(field.json);
            draft.push(":");
            self.write_value(draft, at, &field.ty, column);
        }
        if first {
            draft.hole();
        }
    }

    // ---- the top of an object whose kind is not known yet ----

    fn unrecognized(&mut self, object: &TypeMeta, place: &KeySlot, has: &dyn Fn(&str) -> bool) {
        let fresh = !has("apiVersion") && !has("kind") && !has("metadata") && !has("spec");
        for (name, wanted) in [("apiVersion", true), ("kind", true), ("metadata", false)] {
            if has(name) {
                continue;
            }
            let mut draft = Draft::default();
            let (before, behind) = self.commas(place);
            draft.push(before);
            draft.push(&if self.json {
                format!("\"{name}\":")
            } else {
                format!("{name}:")
            });
            if place.keyed {
                draft.text.pop();
                draft.snippet.pop();
            } else if name == "metadata" {
                if place.flow {
                    draft.push(" {");
                    draft.hole();
                    draft.push("}");
                } else {
                    draft.line(place.column.saturating_add(2));
                    draft.push("name: ");
                    draft.hole();
                }
            } else {
                draft.push(if self.json { " \"" } else { " " });
                draft.hole();
                draft.push(if self.json { "\"" } else { "" });
            }
            draft.push(behind);
            let key = format!(
                "fields/{}.{name}",
                if wanted { "TypeMeta" } else { "Object" }
            );
            self.found.push(Completion {
                label: name.to_owned(),
                sort: Sort::Field,
                detail: self
                    .sentences
                    .map_or("required", |words| words.word("required"))
                    .to_owned(),
                documentation: self.tell(&key),
                key: Some(key),
                snippet: (draft.holes > 0).then_some(draft.snippet),
                insert: draft.text,
                span: place.range,
                required: true,
            });
        }
        let unknown = object.api_version.is_empty() && object.kind.is_empty();
        if fresh && unknown && !place.flow && !place.keyed {
            self.objects(place);
        }
    }

    /// Completes whole objects, newest version first.
    fn objects(&mut self, place: &KeySlot) {
        let release = self.release;
        for version in VERSIONS
            .iter()
            .rev()
            .filter(|version| release.is_none_or(|release| version.served_by(release)))
        {
            for kind in version.kinds.iter().filter(|kind| kind.items.is_none()) {
                let release = release.unwrap_or_else(|| version.default_release_of(kind.kind));
                if !kind.in_release(release) {
                    continue;
                }
                let api = claimkit_model::schema::Api { version, kind };
                let Some(at) = context::locate(api, release, &[]) else {
                    continue;
                };
                let mut draft = Draft::default();
                draft.push(&format!("apiVersion: {}", version.api_version));
                draft.line(place.column);
                draft.push(&format!("kind: {}", kind.kind));
                draft.line(place.column);
                draft.push("metadata:");
                draft.line(place.column.saturating_add(2));
                draft.push("name: ");
                draft.hole();
                for field in kind
                    .schema
                    .fields
                    .iter()
                    .filter(|field| field.in_release(release))
                    .filter(|field| {
                        field.json == "spec" || facts::facts(kind.schema, field, release).required
                    })
                {
                    draft.line(place.column);
                    draft.push(field.json);
                    draft.push(":");
                    self.write_value(&mut draft, &at, &field.ty, place.column);
                }
                let key = kind_key(kind.kind);
                self.found.push(Completion {
                    label: kind.kind.to_owned(),
                    sort: Sort::Snippet,
                    detail: version.api_version.to_owned(),
                    documentation: self.tell(&key),
                    key: Some(key),
                    snippet: Some(draft.snippet),
                    insert: draft.text,
                    span: place.range,
                    required: false,
                });
            }
        }
    }

    // ---- values ----

    fn at_value(&mut self, document: usize, of: usize, range: Span) {
        let Some(node) = self.outline.nodes.get(of).copied() else {
            return;
        };
        let (object, root, steps) = context::object_of(&self.outline, document, Some(of));
        let written = self.outline.slice(range);
        let quote = match written.chars().next() {
            Some(quote @ ('"' | '\'')) => quote.to_string(),
            _ if self.json => "\"".to_owned(),
            _ => String::new(),
        };
        // The beginning of a key behind a dash.
        let line = self.outline.line_at(range.from());
        if node.role == Role::Item
            && !node.flow
            && node.value_kind == OutlineValueKind::Scalar
            && line.from() <= node.key.from()
        {
            let first = self.found.len();
            let column = range.from().saturating_sub(line.from());
            self.at_key(document, Some(of), None, range, column, node.flow);
            if self.found.len() > first {
                return;
            }
        }
        // After `key:` without a space, insert the space first.
        let lead = if node.value_kind == OutlineValueKind::Nothing
            && !node.flow
            && self.outline.byte(range.from().saturating_sub(1)) == b':'
        {
            " "
        } else {
            ""
        };
        let top = node.parent == root && node.role == Role::Key;
        match self.outline.slice(node.name) {
            "apiVersion" if top => self.versions(&object, range, lead, &quote),
            "kind" if top => self.kinds(&object, range, lead, &quote),
            _ => {
                let Some((api, release)) = object.api(self.release) else {
                    let names = self.names_of_pod(document, &node);
                    return self.names(&names, range, lead, &quote);
                };
                let Some(at) = context::locate(api, release, &steps) else {
                    return;
                };
                let is_begun = node.role == Role::Key
                    && !node.flow
                    && node.value_kind == OutlineValueKind::Nothing;
                match at.ty {
                    Some(FieldType::Struct(_)) if is_begun => {
                        self.block_below(document, of, node.column.saturating_add(2), range);
                    }
                    Some(FieldType::List(inner)) if is_begun && inner.as_struct().is_some() => {
                        let column = node.column.saturating_add(self.list_indent);
                        self.block_below(document, of, column, range);
                    }
                    _ => self.values(&at, &steps, Some(of), range, lead, &quote),
                }
            }
        }
    }

    /// Completes the first line of an object or a list, on a line of its own below a key without a value.
    fn block_below(&mut self, document: usize, of: usize, column: usize, range: Span) {
        let place = KeySlot {
            range,
            column,
            flow: false,
            keyed: false,
        };
        self.keys_at(document, Some(of), &place, &|_| false);
        if self.found.is_empty() {
            self.items_of(document, of, &place);
        }
        let lead = format!("\n{}", " ".repeat(column));
        for item in &mut self.found {
            item.insert.insert_str(0, &lead);
            if let Some(snippet) = &mut item.snippet {
                snippet.insert_str(0, &lead);
            }
        }
    }

    /// Completes a value. `of`: its key or item.
    fn values(
        &mut self,
        at: &TablePlace,
        steps: &[Step],
        of: Option<usize>,
        range: Span,
        lead: &str,
        quote: &str,
    ) {
        let Some((_, field)) = at.field else { return };
        let mut ty = at.ty;
        while let Some(FieldType::List(inner)) = ty {
            ty = Some(inner);
        }
        let below_fields = steps
            .iter()
            .any(|step| matches!(step, Step::Key(name) if name == "matchFields"));
        let (values, quote): (Vec<&str>, &str) = match ty {
            Some(FieldType::Bool) => (vec!["true", "false"], ""),
            _ if !field.values.is_empty() => (
                field
                    .allowed(at.release)
                    .iter()
                    .filter(|value| !below_fields || matches!(**value, "In" | "NotIn"))
                    .copied()
                    .collect(),
                quote,
            ),
            _ if below_fields && field.json == "key" => (vec!["metadata.name"], quote),
            _ => {
                if at.schema.is_none() {
                    let mut names = self.names_for(field.json, of);
                    let known = of.map(|of| self.items_beside(of)).unwrap_or_default();
                    names.retain(|name| !known.contains(&name.name.as_str()));
                    self.names(&names, range, lead, quote);
                }
                return;
            }
        };
        let default = at
            .field
            .and_then(|(schema, field)| facts::facts(schema, field, at.release).default);
        for value in values {
            let key = value_key(field, value);
            let detail = match (default == Some(value), self.sentences) {
                (true, Some(words)) => words.fill("default", "{value}", value),
                (true, None) => "default".to_owned(),
                (false, _) => String::new(),
            };
            self.push_value(value, Sort::Value, detail, key, range, lead, quote);
        }
    }

    /// Returns the other scalars of the list that a node is, or is an item of.
    fn items_beside(&self, of: usize) -> Vec<&str> {
        let Some(node) = self.outline.nodes.get(of) else {
            return Vec::new();
        };
        let list = match node.role {
            Role::Item => node.parent,
            Role::Key | Role::Bare => Some(of),
        };
        let others = context::children(&self.outline, node.document, list)
            .filter(|(at, other)| other.role == Role::Item && *at != of);
        others
            .map(|(_, other)| context::unquoted(self.outline.slice(other.value)))
            .collect()
    }

    /// Completes names; the detail is the text that defines one.
    fn names(&mut self, names: &[KnownName], range: Span, lead: &str, quote: &str) {
        for KnownName { name, file } in names {
            // YAML reads some names as numbers and the like.
            let is_plain = !quote.is_empty() || print::scalar(name) == *name;
            let quote = if is_plain { quote } else { "\"" };
            self.push_value(name, Sort::Value, file.clone(), None, range, lead, quote);
        }
    }

    /// Returns the names that a field can refer to.
    fn names_for(&self, field: &str, of: Option<usize>) -> Vec<KnownName> {
        let node = of.and_then(|of| Some((of, self.outline.nodes.get(of)?)));
        match (field, node) {
            ("pool", Some((_, node))) => return self.pools_beside(node),
            ("device", Some((_, node))) => return self.devices_beside(node),
            ("counterSet", Some((of, _))) => return self.counter_sets(of),
            _ => {}
        }
        match field {
            "deviceClassName" => self.with_beside(
                names::of_kind(&self.outline, "DeviceClass"),
                NameKind::DeviceClass,
                &|_| true,
            ),
            "resourceClassName" => self.with_beside(
                names::of_kind(&self.outline, "ResourceClass"),
                NameKind::ResourceClass,
                &|_| true,
            ),
            "requests" => {
                let own =
                    names::of_entries(&self.outline, self.document, "requests", "firstAvailable");
                own.into_iter().map(KnownName::own).collect()
            }
            "matchAttribute" | "distinctAttribute" => self
                .published()
                .qualified("attributes")
                .map(KnownName::own)
                .collect(),
            "driver" | "driverName" => self.defined(NameKind::Driver, &|_| true),
            "pool" | "poolName" => self.defined(NameKind::Pool, &|_| true),
            "nodeName" => self.nodes(),
            _ => Vec::new(),
        }
    }

    /// Returns the names that a value in a pod can refer to.
    fn names_of_pod(&self, document: usize, node: &OutlineNode) -> Vec<KnownName> {
        let namespace = names::namespace_of(&self.outline, document);
        match names::reference_of_pod(&self.outline, node) {
            Some(PodReference::Object(kind)) => {
                self.defined(kind, &|name| name.namespace == namespace)
            }
            Some(PodReference::RequestOf(claim)) => {
                let of_claim = self.defined(NameKind::Request, &|name| {
                    name.owner == claim && name.namespace == namespace
                });
                match of_claim.is_empty() {
                    // The claim is not known, or has no requests yet.
                    true => self.defined(NameKind::Request, &|_| true),
                    false => of_claim,
                }
            }
            Some(PodReference::Entry) => {
                names::of_entries(&self.outline, document, "resourceClaims", "")
                    .into_iter()
                    .map(KnownName::own)
                    .collect()
            }
            Some(PodReference::Node) => self.nodes(),
            None => Vec::new(),
        }
    }

    /// Adds the names that the other texts define.
    fn with_beside(
        &self,
        own: Vec<String>,
        kind: NameKind,
        fits: &dyn Fn(&Name) -> bool,
    ) -> Vec<KnownName> {
        let mut found: Vec<KnownName> = own.into_iter().map(KnownName::own).collect();
        for name in names::defined_in(self.beside, kind, fits) {
            if !found.iter().any(|known| known.name == name.name) {
                found.push(name);
            }
        }
        found
    }

    /// Returns the names of a kind that the text and the others define.
    fn defined(&self, kind: NameKind, fits: &dyn Fn(&Name) -> bool) -> Vec<KnownName> {
        let mut own: Vec<String> = Vec::new();
        for name in symbols::read(&self.outline, names::NAMESPACE).names {
            let is_new = name.definition && !own.contains(&name.name);
            if name.kind == kind && is_new && fits(&name) {
                own.push(name.name);
            }
        }
        self.with_beside(own, kind, fits)
    }

    /// Returns the pools of the driver beside a value, if that is written.
    fn pools_beside(&self, node: &OutlineNode) -> Vec<KnownName> {
        let driver = self.scalar_beside(node, "driver");
        self.defined(NameKind::Pool, &|name| {
            driver.is_empty() || name.owner == driver
        })
    }

    /// Returns the devices of the driver and the pool beside a value, as far as these are written.
    fn devices_beside(&self, node: &OutlineNode) -> Vec<KnownName> {
        let [driver, pool] = ["driver", "pool"].map(|key| self.scalar_beside(node, key));
        self.defined(NameKind::Device, &|name| {
            let (of_driver, of_pool) = name.owner.split_once('/').unwrap_or_default();
            (driver.is_empty() || of_driver == driver) && (pool.is_empty() || of_pool == pool)
        })
    }

    /// Returns the scalar of a key in the same map as a node; empty if there is none.
    fn scalar_beside(&self, node: &OutlineNode, key: &str) -> &str {
        context::scalar(&self.outline, node.document, node.parent, key).unwrap_or_default()
    }

    /// Returns the counter sets of the pool of the slice that a node is in.
    fn counter_sets(&self, of: usize) -> Vec<KnownName> {
        let pool = names::pool_of_slice(&self.outline, of);
        self.defined(NameKind::CounterSet, &|name| name.owner == pool)
    }

    fn nodes(&self) -> Vec<KnownName> {
        let own = names::of_kind(&self.outline, "Node");
        let own = own.into_iter().map(KnownName::own);
        let mut found: Vec<KnownName> = Vec::new();
        for node in own.chain(names::nodes_in(self.beside)) {
            if !found.iter().any(|known| known.name == node.name) {
                found.push(node);
            }
        }
        found
    }

    /// Returns what the slices of all texts publish.
    fn published(&self) -> PublishedNames {
        let input = Input::read(self.outline.text, self.release, &Limits::default());
        names::published(&input, self.beside)
    }

    /// Completes the capacities that a request can ask for, and the counters that a device can take.
    fn keys_of_map(
        &mut self,
        at: &TablePlace,
        map: Option<usize>,
        place: &KeySlot,
        has: &dyn Fn(&str) -> bool,
    ) {
        let of = at.field.map(|(schema, field)| (schema.go, field.json));
        let names: Vec<String> = match (of, map) {
            (Some(("CapacityRequirements", "requests")), _) => {
                self.published().qualified("capacity").collect()
            }
            (Some(("DeviceCounterConsumption", "counters")), Some(map)) => {
                names::counters_for(&self.outline, self.beside, map)
            }
            _ => return,
        };
        for name in names.iter().filter(|name| !has(name)) {
            self.plain_key(name, place);
        }
    }

    /// Completes a key without documentation, with a hole for its value.
    fn plain_key(&mut self, name: &str, place: &KeySlot) {
        let mut draft = Draft::default();
        let (before, behind) = self.commas(place);
        let quote = if self.json { "\"" } else { "" };
        draft.push(&format!("{before}{quote}{name}{quote}"));
        if !place.keyed {
            draft.push(": ");
            draft.hole();
        }
        draft.push(behind);
        self.found.push(Completion {
            label: name.to_owned(),
            sort: Sort::Field,
            detail: String::new(),
            key: None,
            documentation: None,
            snippet: (draft.holes > 0).then_some(draft.snippet),
            insert: draft.text,
            span: place.range,
            required: false,
        });
    }

    /// Completes the keys that are about claims, in a pod or in what makes pods. `steps`: the way to the map.
    fn keys_of_pod(
        &mut self,
        object: &TypeMeta,
        steps: &[Step],
        place: &KeySlot,
        has: &dyn Fn(&str) -> bool,
    ) {
        let release = self.release_of_pods();
        let keys = match map_of_pod(object, steps) {
            // Most keys of a pod are not known here, so that one is offered to who begins to write it.
            Some(PodMap::Spec) if !place.range.is_empty() => &["resourceClaims"],
            Some(PodMap::Spec) => return,
            Some(PodMap::Resources) => &["claims"],
            Some(PodMap::Entry) => pod_claims::fields_of_entry(release),
            Some(PodMap::Source) => pod_claims::FIELDS_OF_SOURCE,
            Some(PodMap::Use) => pod_claims::fields_of_use(release),
            None => return,
        };
        for key in keys.iter().filter(|key| !has(key)) {
            self.plain_key(key, place);
        }
    }

    /// Returns the release by which pods are completed: without one given, the earliest that the versions of the text point to.
    fn release_of_pods(&self) -> Release {
        if let Some(release) = self.release {
            return release;
        }
        let versions = self.outline.nodes.iter().filter_map(|node| {
            let is_version =
                node.parent.is_none() && names::key(&self.outline, node) == "apiVersion";
            let written = is_version.then(|| context::unquoted(self.outline.slice(node.value)))?;
            VERSIONS
                .iter()
                .find(|version| version.api_version == written)
        });
        let releases = versions.map(|version| version.default_release_of("ResourceClaim"));
        releases.min().unwrap_or(Release::latest())
    }

    fn versions(&mut self, object: &TypeMeta, range: Span, lead: &str, quote: &str) {
        let is_of = |version: &Version| version.kinds.iter().any(|kind| kind.kind == object.kind);
        let is_ours = VERSIONS.iter().any(|version| is_of(version));
        if !is_ours && !may_become_ours(&object.kind) {
            return;
        }
        let versions: Vec<&Version> = VERSIONS
            .iter()
            .rev()
            .filter(|version| {
                self.release
                    .is_none_or(|release| version.served_by(release))
            })
            .filter(|version| !is_ours || is_of(version))
            .copied()
            .collect();
        for version in versions {
            let (first, last) = version.minors();
            let detail = if first == last {
                format!("1.{first}")
            } else {
                format!("1.{first}\u{2013}1.{last}")
            };
            let key = version_key(version.api_version);
            self.push_value(
                version.api_version,
                Sort::ApiVersion,
                detail,
                Some(key),
                range,
                lead,
                quote,
            );
        }
    }

    fn kinds(&mut self, object: &TypeMeta, range: Span, lead: &str, quote: &str) {
        let asked = VERSIONS.iter().rev().filter(|version| {
            (object.api_version.is_empty() || version.api_version == object.api_version)
                && self
                    .release
                    .is_none_or(|release| version.served_by(release))
        });
        let mut kinds: Vec<(&ApiKind, &Version)> = Vec::new();
        for version in asked {
            for kind in version
                .kinds
                .iter()
                .filter(|kind| self.release.is_none_or(|release| kind.in_release(release)))
                .filter(|kind| kind.items.is_none())
            {
                if !kinds.iter().any(|(known, _)| known.kind == kind.kind) {
                    kinds.push((kind, version));
                }
            }
        }
        for (kind, version) in kinds {
            let key = kind_key(kind.kind);
            let detail = version.api_version.to_owned();
            self.push_value(kind.kind, Sort::Kind, detail, Some(key), range, lead, quote);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one completion")]
    fn push_value(
        &mut self,
        value: &str,
        sort: Sort,
        detail: String,
        key: Option<String>,
        span: Span,
        lead: &str,
        quote: &str,
    ) {
        self.found.push(Completion {
            label: value.to_owned(),
            sort,
            detail,
            documentation: key.as_deref().and_then(|key| self.tell(key)),
            key,
            insert: format!("{lead}{quote}{value}{quote}"),
            snippet: None,
            span,
            required: false,
        });
    }
}

/// A place where keys are completed.
#[derive(Clone, Copy)]
struct KeySlot {
    range: Span,
    column: usize,
    flow: bool,
    /// A colon and perhaps a value are there already.
    keyed: bool,
}

/// Returns true for a kind that is not written to its end, and can be one of ours then.
fn may_become_ours(kind: &str) -> bool {
    // `PodScheduling` begins with a kind of another group.
    let mut kinds = VERSIONS.iter().flat_map(|version| version.kinds);
    kind != "Pod" && kinds.any(|ours| ours.kind.starts_with(kind))
}

/// A map of a pod that is about claims.
#[derive(Clone, Copy)]
enum PodMap {
    Spec,
    /// An entry of `resourceClaims`.
    Entry,
    /// `source` of an entry, up to 1.30.
    Source,
    /// `resources` of a container.
    Resources,
    /// An entry of `resources.claims`.
    Use,
}

/// Returns which map of a pod, or of what makes pods, steps from the object lead to.
fn map_of_pod(object: &TypeMeta, steps: &[Step]) -> Option<PodMap> {
    let path = workload::path_to_spec(&object.api_version, &object.kind)?;
    let (above, below) = steps.split_at_checked(path.len())?;
    let is_key = |step: &Step, name: &str| matches!(step, Step::Key(key) if key == name);
    let mut pairs = path.iter().zip(above);
    if !pairs.all(|(name, step)| is_key(step, name)) {
        return None;
    }
    let is_container = |list: &Step| is_key(list, "containers") || is_key(list, "initContainers");
    match below {
        [] => Some(PodMap::Spec),
        [list, Step::Index(_)] if is_key(list, "resourceClaims") => Some(PodMap::Entry),
        [list, Step::Index(_), source]
            if is_key(list, "resourceClaims") && is_key(source, "source") =>
        {
            Some(PodMap::Source)
        }
        [list, Step::Index(_), field] if is_container(list) && is_key(field, "resources") => {
            Some(PodMap::Resources)
        }
        [list, Step::Index(_), field, claims, Step::Index(_)]
            if is_container(list) && is_key(field, "resources") && is_key(claims, "claims") =>
        {
            Some(PodMap::Use)
        }
        _ => None,
    }
}

fn required(at: &TablePlace, schema: &Struct, field: &Field) -> bool {
    match (schema.go, field.json) {
        ("ObjectMeta", "name") => !at.template,
        _ => facts::facts(schema, field, at.release).required,
    }
}

fn pointed(ty: &'static FieldType) -> &'static FieldType {
    match ty {
        FieldType::Pointer(inner) => inner,
        ty => ty,
    }
}
