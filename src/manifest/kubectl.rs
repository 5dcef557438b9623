//! What kubectl does with a document before it sends anything: it splits lists and reports errors of its own decoder. The
//! server's answers are elsewhere.

use crate::advice::correct;
use claimkit_model::message::Message;
use claimkit_model::object::decode::{self, How, Mismatch, Via};
use claimkit_model::schema::{Field, FieldType, Package, Release, Struct, meta};
use claimkit_model::text::diagnose::Correction;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};
use claimkit_model::text::{Mode, Span};
use claimkit_values::time::Time;

/// Maximum number of bytes of a document shown in a message.
const MAX_BODY: usize = 1 << 20;

/// What kubectl says of a List inside a List.
pub const NESTED_LIST: &str =
    "*unstructured.Unstructured is not a list: no Items field in this object";

/// The only field of any object that kubectl decodes: its metadata.
static METADATA_ONLY: Struct = Struct {
    go: "metadataOnlyObject",
    package: Package::Meta,
    fields: &[
        Field::new("apiVersion", "APIVersion", FieldType::String)
            .omit()
            .embedded("TypeMeta"),
        Field::new("kind", "Kind", FieldType::String)
            .omit()
            .embedded("TypeMeta"),
        Field::new(
            "metadata",
            "ObjectMeta",
            FieldType::Struct(&meta::OBJECT_META),
        )
        .omit(),
    ],
};

/// Returns true if kubectl takes the object for a list.
pub fn is_list(tree: &Tree<'_>, node: NodeId) -> bool {
    let items = tree.get(node, "items");
    items.is_some_and(|items| matches!(tree.kind(items), Kind::Seq { .. }))
}

/// An object kubectl would send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub node: NodeId,
    /// Its index in the list it came from.
    pub list_index: Option<usize>,
    /// `apiVersion`, perhaps taken from the list; empty when there is none.
    pub api_version: String,
    /// `kind`, likewise.
    pub kind: String,
}

/// A refusal by kubectl itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRefusal {
    /// The document's root, or the item of a list.
    pub node: NodeId,
    /// The item's index in its list.
    pub list_index: Option<usize>,
    /// kubectl's words, without the name of the file.
    pub message: String,
    pub field: Option<Box<RefusedField>>,
}

/// A metadata field of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedField {
    pub span: Span,
    pub correction: Option<Correction>,
    /// What to write where no correction is certain.
    pub help: Option<Message>,
}

/// Why a document is refused: the words, and the metadata field that is at fault.
struct Reason {
    message: String,
    field: Option<Box<RefusedField>>,
}

impl From<String> for Reason {
    fn from(message: String) -> Self {
        Reason {
            message,
            field: None,
        }
    }
}

/// Lists the objects of a document in the order they are sent, and what is refused instead.
pub fn objects(
    tree: &Tree<'_>,
    root: NodeId,
    mode: Mode,
    release: Release,
) -> Vec<Result<Sent, ManifestRefusal>> {
    match document(tree, root, mode, release) {
        Ok(objects) => objects,
        Err(Reason { message, field }) => vec![Err(ManifestRefusal {
            node: root,
            list_index: None,
            message,
            field,
        })],
    }
}

fn document(
    tree: &Tree<'_>,
    root: NodeId,
    mode: Mode,
    release: Release,
) -> Result<Vec<Result<Sent, ManifestRefusal>>, Reason> {
    if let Some(what) = json_type(tree, root).filter(|&what| what != "object") {
        return Err(mistaken(what, "unstructured.detector"));
    }
    let Some(items) = tree.get(root, "items") else {
        let kind = named(tree, root, "kind");
        let api_version = named(tree, root, "apiVersion");
        if kind.is_empty() || slashes(&api_version) > 1 {
            return Err(kindless(tree, root, mode));
        }
        check_metadata(tree, root, mode, release)?;
        return Ok(vec![Ok(Sent {
            node: root,
            list_index: None,
            api_version,
            kind,
        })]);
    };
    list(tree, root, items, mode, release)
}

fn mistaken(what: &str, wanted: &str) -> Reason {
    format!("json: cannot unmarshal {what} into Go value of type {wanted}").into()
}

fn kindless(tree: &Tree<'_>, root: NodeId, mode: Mode) -> Reason {
    format!("Object 'Kind' is missing in '{}'", body(tree, root, mode)).into()
}

fn list(
    tree: &Tree<'_>,
    root: NodeId,
    items: NodeId,
    mode: Mode,
    release: Release,
) -> Result<Vec<Result<Sent, ManifestRefusal>>, Reason> {
    check_list(tree, root, mode, release)?;
    let nodes = tree.items(items);
    for &node in nodes {
        if let Some(what) = json_type(tree, node).filter(|&what| what != "object") {
            return Err(mistaken(what, "map[string]interface {}"));
        }
    }
    let list_kind = named(tree, root, "kind");
    let list_version = named(tree, root, "apiVersion");
    if list_kind.is_empty() || slashes(&list_version) > 1 {
        return Err(kindless(tree, root, mode));
    }
    check_metadata(tree, root, mode, release)?;
    if nodes.iter().any(|node| is_list(tree, *node)) {
        return Err(NESTED_LIST.to_owned().into());
    }
    let item_kind = list_kind.strip_suffix("List").unwrap_or(&list_kind);
    Ok(nodes
        .iter()
        .enumerate()
        .map(|(at, &node)| list_item(tree, node, at, item_kind, &list_version))
        .collect())
}

fn list_item(
    tree: &Tree<'_>,
    node: NodeId,
    at: usize,
    list_kind: &str,
    list_version: &str,
) -> Result<Sent, ManifestRefusal> {
    let mut kind = named(tree, node, "kind");
    let mut api_version = named(tree, node, "apiVersion");
    if kind.is_empty() && api_version.is_empty() {
        kind = list_kind.to_owned();
        api_version = list_version.to_owned();
    }
    let missing = if kind.is_empty() || slashes(&api_version) > 1 {
        "Object 'Kind' is missing in 'object has no kind field '"
    } else if api_version.rsplit('/').next().is_none_or(str::is_empty) {
        "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    } else {
        return Ok(Sent {
            node,
            list_index: Some(at),
            api_version,
            kind,
        });
    };
    let message = format!(
        "unable to get type info from the object \"*unstructured.Unstructured\": {missing}"
    );
    Err(ManifestRefusal {
        node,
        list_index: Some(at),
        message,
        field: None,
    })
}

/// Returns the type of a value as Go's JSON decoder names it; nothing for null.
fn json_type(tree: &Tree<'_>, node: NodeId) -> Option<&'static str> {
    match tree.kind(node) {
        Kind::Null | Kind::Alias(_) => None,
        Kind::Bool(_) => Some("bool"),
        Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => Some("number"),
        Kind::Str(_) => Some("string"),
        Kind::Seq { .. } => Some("array"),
        Kind::Map { .. } => Some("object"),
    }
}

/// Returns a field as kubectl reads it from an untyped object: empty when it is not a string.
fn named(tree: &Tree<'_>, node: NodeId, key: &str) -> String {
    tree.get(node, key)
        .and_then(|value| tree.str(value))
        .unwrap_or("")
        .to_owned()
}

fn slashes(api_version: &str) -> usize {
    api_version.bytes().filter(|&b| b == b'/').count()
}

/// The first minor release whose kubectl decodes the items of a list as maps at once.
const ITEMS_AS_MAPS_SINCE: u8 = 38;

/// Checks the type and the items of a list; the first mismatch in the order kubectl meets them is the error.
fn check_list(tree: &Tree<'_>, root: NodeId, mode: Mode, release: Release) -> Result<(), String> {
    // apimachinery, unstructured/helpers.go, `decodeToList`.
    let items_type = if release.minor >= ITEMS_AS_MAPS_SINCE {
        "[]map[string]interface {}"
    } else {
        "[]json.RawMessage"
    };
    // JSON goes to Go's decoder unchanged: every occurrence of a key is decoded, and the last one wins.
    let entries: Vec<&Entry> = match mode {
        Mode::Json => tree.entries(root).iter().collect(),
        Mode::Yaml => print::effective(tree, root, Order::Sorted),
    };
    for entry in entries {
        let (field, wanted, go_type) = match tree.text(entry.key) {
            "apiVersion" => ("apiVersion", "string", "string"),
            "kind" => ("kind", "string", "string"),
            "items" => ("items", "array", items_type),
            _ => continue,
        };
        if let Some(what) = json_type(tree, entry.value).filter(|&what| what != wanted) {
            return Err(format!(
                "json: cannot unmarshal {what} into Go struct field decodeList.{field} of type {go_type}"
            ));
        }
    }
    Ok(())
}

fn check_metadata(
    tree: &Tree<'_>,
    root: NodeId,
    mode: Mode,
    release: Release,
) -> Result<(), Reason> {
    if fits(tree, root, &FieldType::Struct(&METADATA_ONLY), release) {
        return Ok(());
    }
    let via = if mode == Mode::Json {
        Via::Validator
    } else {
        Via::Kubectl
    };
    let decoded = decode::decode(
        tree,
        root,
        &METADATA_ONLY,
        "v1",
        How::reaching(mode, via, release),
    );
    match decoded.answer.and_then(|at| decoded.mismatches.get(at)) {
        Some(mismatch) => {
            let field = RefusedField {
                span: mismatch.span,
                correction: correct::correct(tree, mismatch),
                help: correct::time(tree, mismatch).or_else(|| shape_of_collection(tree, mismatch)),
            };
            Err(Reason {
                message: mismatch.message.clone(),
                field: Some(Box::new(field)),
            })
        }
        None => Ok(()),
    }
}

/// Returns what to write in place of a list or a map where metadata has another value.
fn shape_of_collection(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let is_collection = matches!(
        tree.kind(mismatch.node),
        Kind::Map { .. } | Kind::Seq { .. }
    );
    is_collection
        .then(|| correct::shape(tree, mismatch))
        .flatten()
}

/// Returns the document as kubectl holds it: JSON verbatim, YAML as Go's encoder prints it.
fn body(tree: &Tree<'_>, root: NodeId, mode: Mode) -> String {
    let span = tree.span(root);
    if mode == Mode::Json {
        return tree.slice(span).to_owned();
    }
    let mut text = String::new();
    print::json(tree, root, Order::Sorted, MAX_BODY, &mut text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(c),
        }
    }
    out
}

/// Returns true if no value can have the wrong type; false if decoding is needed to tell. Recursion is bounded by the depth of
/// the tables.
fn fits(tree: &Tree<'_>, node: NodeId, ty: &FieldType, release: Release) -> bool {
    match (ty, tree.kind(node)) {
        (_, Kind::Null) | (FieldType::Raw | FieldType::FieldsV1, _) => true,
        (FieldType::Pointer(inner), _) => fits(tree, node, inner, release),
        (FieldType::String | FieldType::Named(..) | FieldType::Uid, Kind::Str(_))
        | (FieldType::Bool, Kind::Bool(_)) => true,
        (FieldType::Int64, Kind::Int(_)) => true,
        (FieldType::Int32, Kind::Int(n)) => i32::try_from(n).is_ok(),
        (FieldType::Time, Kind::Str(text)) => Time::parse(tree.text(text)).is_ok(),
        (FieldType::StringMap, Kind::Map { .. }) => tree
            .entries(node)
            .iter()
            .all(|entry| matches!(tree.kind(entry.value), Kind::Str(_) | Kind::Null)),
        (FieldType::Map(map), Kind::Map { .. }) => tree
            .entries(node)
            .iter()
            .all(|entry| fits(tree, entry.value, &map.value, release)),
        (FieldType::Struct(schema), Kind::Map { .. }) => tree.entries(node).iter().all(|entry| {
            let field = schema.field(tree.text(entry.key), release);
            field.is_none_or(|(_, field)| fits(tree, entry.value, &field.ty, release))
        }),
        (FieldType::List(inner), Kind::Seq { .. }) => tree
            .items(node)
            .iter()
            .all(|&item| fits(tree, item, inner, release)),
        _ => false,
    }
}
