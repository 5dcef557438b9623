//! Decodes a tree into an object by a schema, as kube-apiserver's JSON decoder does (apimachinery,
//! pkg/runtime/serializer/json/json.go; sigs.k8s.io/json).
//!
//! Decoding does not stop at the first problem: it collects all problems and marks the one that the server reports.

use crate::finding::Path;
use crate::object::{FieldValue, Record, WrittenPlaces};
use crate::schema::{FieldType, Release, Struct};
use crate::text::print::{self, Order};
use crate::text::tree::{Entry, Kind, NodeId, Str, Tree};
use crate::text::{Mode, Span};
use claimkit_values::order;
use claimkit_values::quantity::{Quantity, QuantityError, json_text};
use claimkit_values::time::Time;
use claimkit_values::{json_escape, quote};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::ParseIntError;

/// How many strict problems Go's decoder collects.
const MAX_STRICT: usize = 100;

/// The kind of the strict problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictKind {
    /// The schema has no such field.
    Unknown,
    /// A key occurs twice.
    Duplicate,
}

/// One item of a strict decoding error.
#[derive(Clone, Debug)]
pub struct Strict {
    pub kind: StrictKind,
    /// The server's text, e.g. `unknown field "spec.foo"`.
    pub message: String,
    /// The path inside the quotes.
    pub path: String,
    /// The field's own name.
    pub field: String,
    /// The struct that was searched; `None` for map keys.
    pub schema: Option<&'static Struct>,
    /// The mapping that contains the field.
    pub parent: NodeId,
    /// The key in the text.
    pub key: Span,
    /// The value in the text.
    pub value: Span,
}

/// A value of the wrong type.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub message: String,
    /// The path of the field, with indexes.
    pub path: String,
    /// The value in the text.
    pub span: Span,
    pub node: NodeId,
    /// The type of the field.
    pub ty: FieldType,
}

/// The result of decoding.
#[derive(Debug)]
pub struct Decoded<'t> {
    /// The object; what could not be decoded is left unset.
    pub record: Record<'t>,
    /// Every value of the wrong type; the server answers with the one at `answer`.
    pub mismatches: Vec<Mismatch>,
    /// Index of the mismatch that the server reports: the first, or the first of a type that decodes itself (times,
    /// quantities).
    pub answer: Option<usize>,
    /// Strict items in the server's order.
    pub strict: Vec<Strict>,
}

/// The way in which the text reaches the server.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// `Sorted` for text through kubectl or from YAML; `Source` for unchanged JSON, where the server sees duplicate keys.
    pub order: Order,
    /// The format in which the document was read.
    pub mode: Mode,
    /// The release whose fields count.
    pub release: Release,
    /// Maximum number of bytes a verbatim value may print to.
    pub max_raw: usize,
    /// The text passes through kubectl, which converts numbers to int64 or float64 and prints them again.
    pub kubectl: bool,
    /// Verbatim values have `<`, `>` and `&` as Go's JSON encoder writes them, which escapes what a browser could take for markup.
    pub escapes_markup: bool,
    /// Quantities keep the text that was written. Otherwise they have their canonical text.
    pub written_quantities: bool,
}

/// The way in which an object reaches the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Via {
    /// Through kubectl, as when a user submits the file.
    #[default]
    Kubectl,
    /// The registered validation functions on exactly this object.
    Validator,
    /// The unchanged body of a request.
    Server,
}

/// Maximum number of bytes a verbatim value may print to.
const MAX_RAW: usize = 64 << 20;

impl How {
    /// Returns the treatment of a text. Only JSON sent to the server verbatim keeps its order and its duplicate keys.
    pub fn reaching(mode: Mode, via: Via, release: Release) -> Self {
        let order = if mode == Mode::Json && via != Via::Kubectl {
            Order::Source
        } else {
            Order::Sorted
        };
        let kubectl = via == Via::Kubectl;
        How {
            order,
            mode,
            release,
            max_raw: MAX_RAW,
            kubectl,
            escapes_markup: order == Order::Sorted,
            written_quantities: false,
        }
    }

    /// Returns the treatment of a stored object, and of one that the server itself prints. Its verbatim values are as a Go client
    /// wrote them: from JSON in the order of the text, from YAML sorted by kubectl.
    pub fn stored(mode: Mode, release: Release) -> Self {
        let via = if mode == Mode::Json {
            Via::Server
        } else {
            Via::Kubectl
        };
        How {
            escapes_markup: true,
            ..How::reaching(mode, via, release)
        }
    }
}

/// Decodes an object. `version` is the short name, e.g. `v1alpha2`.
pub fn decode<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    schema: &'static Struct,
    version: &'static str,
    how: How,
) -> Decoded<'t> {
    // The order of keys only affects the order of problems, so most objects need no sorting.
    let decoded = pass(tree, node, schema, version, how, Order::Source);
    let problems = decoded
        .mismatches
        .len()
        .saturating_add(decoded.strict.len());
    let matters = how.order == Order::Sorted && problems > 1;
    if matters {
        pass(tree, node, schema, version, how, Order::Sorted)
    } else {
        decoded
    }
}

fn pass<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    schema: &'static Struct,
    version: &'static str,
    how: How,
    visited: Order,
) -> Decoded<'t> {
    let mut decoder = Decoder {
        tree,
        version,
        how,
        visited,
        mismatches: Vec::new(),
        own: None,
        strict: Vec::new(),
        seen: BTreeSet::new(),
    };
    let mut record = Record::empty(schema);
    decoder.fill(node, schema, &Path::ROOT, &Context::ROOT, &mut record);
    let answer = decoder.own.or(if decoder.mismatches.is_empty() {
        None
    } else {
        Some(0)
    });
    Decoded {
        record,
        mismatches: decoder.mismatches,
        answer,
        strict: decoder.strict,
    }
}

/// The Go struct that holds the current field, and the dotted path without indexes.
#[derive(Clone, Copy)]
struct Context<'p> {
    parent: Option<&'p Context<'p>>,
    holder: &'static str,
    field: &'static str,
}

impl Context<'_> {
    const ROOT: Context<'static> = Context {
        parent: None,
        holder: "",
        field: "",
    };

    fn describe(&self) -> Option<String> {
        let mut names = Vec::new();
        let mut next = Some(self);
        while let Some(context) = next {
            if context.parent.is_some() {
                names.push(context.field);
            }
            next = context.parent;
        }
        names.reverse();
        (!names.is_empty()).then(|| format!("{}.{}", self.holder, names.join(".")))
    }
}

struct Decoder<'t, 's> {
    tree: &'t Tree<'s>,
    version: &'static str,
    how: How,
    /// The order in which keys are visited.
    visited: Order,
    mismatches: Vec<Mismatch>,
    /// The first mismatch of a type with a decoder of its own: Go stops there and reports it.
    own: Option<usize>,
    strict: Vec<Strict>,
    seen: BTreeSet<String>,
}

impl<'t> Decoder<'t, '_> {
    /// Returns the entries in the order the server meets them; duplicates only where it would see them.
    fn entries(&self, node: NodeId) -> impl Iterator<Item = &'t Entry> + use<'t> {
        let tree = self.tree;
        let (written, sorted) = if self.visited == Order::Sorted {
            (&[][..], print::effective(tree, node, Order::Sorted))
        } else {
            (tree.entries(node), Vec::new())
        };
        let order = self.how.order;
        written
            .iter()
            .filter(move |entry| order == Order::Source || !entry.shadowed)
            .chain(sorted)
    }

    fn what(&self, node: NodeId) -> &'static str {
        json_name(self.tree.kind(node))
    }

    fn mismatch(
        &mut self,
        node: NodeId,
        what: &str,
        ty: &FieldType,
        go_type: &str,
        path: &Path<'_>,
        context: &Context<'_>,
    ) {
        let message = match context.describe() {
            Some(field) => format!(
                "json: cannot unmarshal {what} into Go struct field {field} of type {go_type}"
            ),
            None => format!("json: cannot unmarshal {what} into Go value of type {go_type}"),
        };
        self.push(node, message, ty, path);
    }

    fn push(&mut self, node: NodeId, message: String, ty: &FieldType, path: &Path<'_>) {
        self.mismatches.push(Mismatch {
            message,
            path: path.render(),
            span: self.tree.span(node),
            node,
            ty: *ty,
        });
    }

    /// Records that the last mismatch came from a type that decodes itself.
    fn stops(&mut self) {
        if self.own.is_none() {
            self.own = self.mismatches.len().checked_sub(1);
        }
    }

    fn strict(
        &mut self,
        kind: StrictKind,
        path: String,
        parent: NodeId,
        entry: &Entry,
        schema: Option<&'static Struct>,
    ) {
        let words = match kind {
            StrictKind::Unknown => "unknown field",
            StrictKind::Duplicate => "duplicate field",
        };
        let message = format!("{words} {}", quote(&path, self.how.release.rules().unicode));
        if self.strict.len() >= MAX_STRICT || !self.seen.insert(message.clone()) {
            return;
        }
        self.strict.push(Strict {
            kind,
            message,
            path,
            field: self.tree.text(entry.key).to_owned(),
            schema,
            parent,
            key: entry.key_span,
            value: self.tree.span(entry.value),
        });
    }

    fn fill(
        &mut self,
        node: NodeId,
        schema: &'static Struct,
        path: &Path<'_>,
        context: &Context<'_>,
        record: &mut Record<'t>,
    ) {
        let mut met = [false; 32];
        for entry in self.entries(node) {
            let tree = self.tree;
            let name = tree.text(entry.key);
            let here = path.field(name);
            let Some((slot, field)) = schema.field(name, self.how.release) else {
                self.strict(
                    StrictKind::Unknown,
                    here.render(),
                    node,
                    entry,
                    Some(schema),
                );
                continue;
            };
            if met
                .get_mut(slot)
                .is_some_and(|met| std::mem::replace(met, true))
            {
                self.strict(
                    StrictKind::Duplicate,
                    here.render(),
                    node,
                    entry,
                    Some(schema),
                );
            }
            let outer;
            let mut inner = Context {
                parent: Some(context),
                holder: schema.go,
                field: field.json,
            };
            if let Some(embedded) = field
                .embedded
                .filter(|_| self.how.release.rules().embedded_in_paths)
            {
                outer = Context {
                    parent: Some(context),
                    holder: schema.go,
                    field: embedded,
                };
                inner = Context {
                    parent: Some(&outer),
                    ..inner
                };
            }
            if let Some(place) = record.slots.get_mut(slot) {
                self.value(entry.value, &field.ty, &here, &inner, place);
            }
        }
    }

    /// Decodes into a slot that may hold the value of an earlier duplicate: Go decodes on top of it.
    fn value(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let tree = self.tree;
        match (ty, tree.kind(node)) {
            (_, Kind::Null) => {
                if is_unset_by_null(ty) {
                    *place = FieldValue::Unset;
                }
            }
            (FieldType::Pointer(inner), _) => self.value(node, inner, path, context, place),
            (FieldType::String | FieldType::Named(..) | FieldType::Uid, Kind::Str(text)) => {
                *place = FieldValue::Str(Cow::Borrowed(tree.text(text)))
            }
            (FieldType::Bool, Kind::Bool(b)) => *place = FieldValue::Bool(b),
            (FieldType::Int64, _) => self.int(node, ty, str::parse, path, context, place),
            (FieldType::Int32, _) => self.int(
                node,
                ty,
                |literal| literal.parse::<i32>().map(i64::from),
                path,
                context,
                place,
            ),
            (FieldType::Time, _) => self.time(node, ty, path, context, place),
            (FieldType::Quantity, _) => self.quantity(node, ty, path, place),
            (FieldType::Raw | FieldType::FieldsV1, _) => *place = FieldValue::Raw(self.raw(node)),
            (FieldType::StringMap, Kind::Map { .. }) => self.string_map(node, path, context, place),
            (FieldType::Map(map), Kind::Map { .. }) => {
                self.typed_map(node, &map.value, path, context, place)
            }
            (FieldType::Struct(schema), Kind::Map { .. }) => {
                if !matches!(place, FieldValue::Struct(_)) {
                    *place = FieldValue::Struct(Record::empty(schema));
                }
                if let FieldValue::Struct(record) = place {
                    self.fill(node, schema, path, context, record);
                }
            }
            (FieldType::List(inner), Kind::Seq { .. }) => {
                self.list(node, inner, path, context, place)
            }
            _ => self.plain_mismatch(node, ty, path, context),
        }
    }

    fn int(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        parse: impl Fn(&str) -> Result<i64, ParseIntError>,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let Some(literal) = self.number(node) else {
            return self.plain_mismatch(node, ty, path, context);
        };
        match parse(&literal) {
            Ok(number) => *place = FieldValue::Int(number),
            Err(_) => self.mismatch(
                node,
                &format!("number {literal}"),
                ty,
                &ty.go_name(self.version),
                path,
                context,
            ),
        }
    }

    fn time(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let tree = self.tree;
        match tree.kind(node) {
            Kind::Str(text) => match Time::parse(tree.text(text)) {
                Ok(time) => *place = FieldValue::Time(time),
                Err(error) => {
                    self.push(node, error.into(), ty, path);
                    self.stops();
                }
            },
            _ => {
                let what = self.what(node);
                self.mismatch(node, what, ty, "string", path, context);
                self.stops();
            }
        }
    }

    fn quantity(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        path: &Path<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let tree = self.tree;
        let text = match tree.kind(node) {
            // Without escapes, the text equals the source between the quotes.
            Kind::Str(text @ Str::Source(_)) if is_bare(tree.text(text)) => {
                Cow::Borrowed(tree.text(text))
            }
            _ => match self.raw(node) {
                Cow::Borrowed(raw) => Cow::Borrowed(json_text(raw)),
                Cow::Owned(raw) => Cow::Owned(json_text(&raw).to_owned()),
            },
        };
        let read = match text {
            Cow::Borrowed(text) => self.read_quantity(text),
            Cow::Owned(text) => self
                .read_quantity(&text)
                .map(|(kept, places)| (Cow::Owned(kept.into_owned()), places)),
        };
        match read {
            Ok((kept, places)) => *place = FieldValue::Quantity(kept, places),
            Err(message) => {
                self.push(node, message.message().to_owned(), ty, path);
                self.stops();
            }
        }
    }

    /// Returns the spelling of a quantity that is kept, as written or canonical, and its places.
    fn read_quantity<'q>(
        &self,
        text: &'q str,
    ) -> Result<(Cow<'q, str>, WrittenPlaces), QuantityError> {
        let quantity = Quantity::parse_by(text, self.how.release.rules().quantities)?;
        let kept = if self.how.written_quantities {
            Cow::Borrowed(text)
        } else {
            quantity.canonical()
        };
        Ok((kept, WrittenPlaces::of(&quantity)))
    }

    fn list(
        &mut self,
        node: NodeId,
        inner: &FieldType,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let mut list = match std::mem::replace(place, FieldValue::Unset) {
            FieldValue::List(list) => list,
            _ => Vec::new(),
        };
        let items = self.tree.items(node);
        list.resize(items.len(), FieldValue::Unset);
        for (at, (&item, slot)) in items.iter().zip(&mut list).enumerate() {
            self.value(item, inner, &path.index(at), context, slot);
            if matches!(slot, FieldValue::Unset) {
                *slot = zero(inner, self.how);
            }
        }
        *place = FieldValue::List(list);
    }

    fn plain_mismatch(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        path: &Path<'_>,
        context: &Context<'_>,
    ) {
        let what = self.what(node);
        let go = ty.go_name(self.version);
        self.mismatch(node, what, ty, &go, path, context);
    }

    fn string_map(
        &mut self,
        node: NodeId,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let tree = self.tree;
        let mut map = match std::mem::replace(place, FieldValue::Unset) {
            FieldValue::Map(map) => map,
            _ => Vec::with_capacity(tree.entries(node).len()),
        };
        let mut met = BTreeSet::new();
        for entry in self.entries(node) {
            let key = tree.text(entry.key);
            let here = path.field(key);
            if self.how.order == Order::Source && !met.insert(key) {
                self.strict(StrictKind::Duplicate, here.render(), node, entry, None);
            }
            let value = match tree.kind(entry.value) {
                Kind::Null => "",
                Kind::Str(text) => tree.text(text),
                _ => {
                    let what = self.what(entry.value);
                    self.mismatch(
                        entry.value,
                        what,
                        &FieldType::String,
                        "string",
                        &here,
                        context,
                    );
                    continue;
                }
            };
            map.push((Cow::Borrowed(key), Cow::Borrowed(value)));
            if map.len() <= FEW_KEYS {
                sink(&mut map);
            }
        }
        if !map.is_sorted_by(|a, b| a.0 < b.0) {
            sort_keys(&mut map);
        }
        *place = FieldValue::Map(map);
    }

    /// Decodes a map with values of one type. A duplicate key is decoded again: the last value wins.
    fn typed_map(
        &mut self,
        node: NodeId,
        ty: &FieldType,
        path: &Path<'_>,
        context: &Context<'_>,
        place: &mut FieldValue<'t>,
    ) {
        let tree = self.tree;
        let mut map = match std::mem::replace(place, FieldValue::Unset) {
            FieldValue::Entries(entries) => entries,
            _ => Vec::with_capacity(tree.entries(node).len()),
        };
        let mut keys = BTreeSet::new();
        for entry in self.entries(node) {
            let key = tree.text(entry.key);
            let value_path = path.field(key);
            if self.how.order == Order::Source && !keys.insert(key) {
                self.strict(
                    StrictKind::Duplicate,
                    value_path.render(),
                    node,
                    entry,
                    None,
                );
            }
            let mut value = FieldValue::Unset;
            self.value(entry.value, ty, &value_path, context, &mut value);
            if matches!(value, FieldValue::Unset) {
                value = zero(ty, self.how);
            }
            map.push((Cow::Borrowed(key), value));
            if map.len() <= FEW_KEYS {
                sink(&mut map);
            }
        }
        if !map.is_sorted_by(|a, b| a.0 < b.0) {
            // The last of equal keys wins.
            map = order::map(map).into_iter().collect();
        }
        *place = FieldValue::Entries(map);
    }

    /// Returns the literal of a number as the server's JSON has it.
    fn number(&self, node: NodeId) -> Option<Cow<'t, str>> {
        let tree = self.tree;
        match tree.kind(node) {
            Kind::Int(n) => Some(Cow::Owned(n.to_string())),
            Kind::Uint(n) if self.how.kubectl => Some(Cow::Owned(float(n as f64))),
            Kind::Uint(n) => Some(Cow::Owned(n.to_string())),
            Kind::Float(n) => Some(Cow::Owned(float(n))),
            Kind::Number(span) => {
                let literal = tree.slice(span);
                Some(if self.how.kubectl && literal.parse::<i64>().is_err() {
                    claimkit_values::float::parse(literal)
                        .map_or(Cow::Borrowed(literal), |n| Cow::Owned(float(n)))
                } else {
                    Cow::Borrowed(literal)
                })
            }
            _ => None,
        }
    }

    /// Returns the value's JSON text as the server receives it.
    fn raw(&self, node: NodeId) -> Cow<'t, str> {
        let text = self.unescaped(node);
        if !self.how.escapes_markup || !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            return text;
        }
        let mut escaped = String::new();
        text.chars().for_each(|c| match c {
            '\n' | '\r' | '\t' => escaped.push(c),
            c => json_escape(&mut escaped, c),
        });
        Cow::Owned(escaped)
    }

    fn unescaped(&self, node: NodeId) -> Cow<'t, str> {
        let tree = self.tree;
        if self.how.order == Order::Source && self.how.mode == Mode::Json {
            let span = tree.span(tree.resolve(node));
            return Cow::Borrowed(tree.slice(span));
        }
        let mut out = String::new();
        if !print::json(tree, node, Order::Sorted, self.how.max_raw, &mut out) {
            out = "null".to_owned();
        }
        Cow::Owned(out)
    }
}

/// Returns true if `null` takes away the value of an earlier duplicate; for other types it means nothing.
fn is_unset_by_null(ty: &FieldType) -> bool {
    matches!(
        ty,
        FieldType::Pointer(_)
            | FieldType::List(_)
            | FieldType::StringMap
            | FieldType::Map(_)
            | FieldType::Time
            | FieldType::Quantity
    )
}

/// Returns the name that Go's JSON decoder gives a value's kind.
pub fn json_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null | Kind::Alias(_) => "null",
        Kind::Bool(_) => "bool",
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => "number",
        Kind::Str(_) => "string",
        Kind::Seq { .. } => "array",
        Kind::Map { .. } => "object",
    }
}

/// Maps with up to this many keys are kept in order as they grow: people write few, and mostly in order.
const FEW_KEYS: usize = 12;

/// Moves the last key of a sorted map to its position, after an equal key.
fn sink<V>(map: &mut [(Cow<'_, str>, V)]) {
    let mut at = map.len();
    while let Some([.., before, last]) = map.get_mut(..at)
        && before.0 > last.0
    {
        std::mem::swap(before, last);
        at = at.saturating_sub(1);
    }
}

/// Sorts a map by key; the last of equal keys wins.
fn sort_keys(map: &mut Vec<(Cow<'_, str>, Cow<'_, str>)>) {
    // The stable sort after the reversal puts the last of equal keys first.
    map.reverse();
    order::sort_by(map, |a, b| a.0.cmp(&b.0));
    map.dedup_by(|later, kept| later.0 == kept.0);
}

/// Returns true if the text has only letters, digits, signs and points.
fn is_bare(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn float(n: f64) -> String {
    let mut out = String::new();
    print::float(n, &mut out);
    out
}

/// Returns the value of a `null` in a list: Go's zero value of the element type, which counts as present.
fn zero<'t>(ty: &FieldType, how: How) -> FieldValue<'t> {
    match ty {
        FieldType::Struct(schema) => FieldValue::Struct(Record::empty(schema)),
        FieldType::String | FieldType::Named(..) | FieldType::Uid => {
            FieldValue::Str(Cow::Borrowed(""))
        }
        FieldType::Bool => FieldValue::Bool(false),
        FieldType::Int64 | FieldType::Int32 => FieldValue::Int(0),
        FieldType::Quantity if !how.written_quantities => {
            FieldValue::Quantity(Cow::Borrowed("0"), WrittenPlaces::default())
        }
        _ => FieldValue::Unset,
    }
}
