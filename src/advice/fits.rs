//! Whether a value that was written under another name can be decoded where a field expects it, and what makes it so.

use claimkit_model::finding::Edit;
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::{self, How};
use claimkit_model::schema::{FieldType, Release, Struct};
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_model::text::{Mode, Style};
use claimkit_values::quantity::Quantity;

/// The reader of a value: its version and release.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'t, 's> {
    pub tree: &'t Tree<'s>,
    /// The short name of the version.
    pub version: &'static str,
    pub release: Release,
}

/// Returns true for a whole number, of YAML or of JSON.
pub fn is_whole(tree: &Tree<'_>, node: NodeId) -> bool {
    match tree.kind(node) {
        Kind::Int(_) | Kind::Uint(_) => true,
        Kind::Number(span) => {
            let text = tree.slice(span);
            claimkit_values::has_only_digits(text.strip_prefix('-').unwrap_or(text))
        }
        _ => false,
    }
}

impl Reader<'_, '_> {
    /// Returns true if the value can be decoded as the type: the server's decoder reports no wrong type in it.
    pub fn fits(&self, node: NodeId, ty: &FieldType) -> bool {
        let kind = self.tree.kind(node);
        if matches!(kind, Kind::Null) {
            return true;
        }
        match ty.pointed() {
            FieldType::Struct(schema) => self.is_struct(node, schema),
            FieldType::List(item) => self.is_list(node, item),
            FieldType::Map(map) => self.is_map_of(node, &map.value),
            FieldType::StringMap => self.is_map_of(node, &FieldType::String),
            FieldType::Bool => matches!(kind, Kind::Bool(_)),
            FieldType::Int64 | FieldType::Int32 => is_whole(self.tree, node),
            FieldType::Quantity => self.is_quantity(node),
            FieldType::Raw | FieldType::FieldsV1 => self.tree.is_map(node),
            _ => self.tree.str(node).is_some(),
        }
    }

    /// Returns true if the value fits, and no field in it is unknown.
    pub fn reads(&self, node: NodeId, ty: &FieldType) -> bool {
        let knows_all = |schema: &'static Struct| {
            let how = How::stored(Mode::Yaml, self.release);
            decode::decode(self.tree, node, schema, self.version, how)
                .strict
                .is_empty()
        };
        self.fits(node, ty) && ty.as_struct().is_none_or(knows_all)
    }

    /// Returns how many levels of a map are read before a value that the server's decoder refuses or does not know; `None` if there is
    /// none.
    pub fn level_of_problem(&self, node: NodeId, schema: &'static Struct) -> Option<usize> {
        let how = How::stored(Mode::Yaml, self.release);
        let decoded = decode::decode(self.tree, node, schema, self.version, how);
        let unknown = decoded.strict.iter().map(|strict| &strict.path);
        let mismatched = decoded.mismatches.iter().map(|mismatch| &mismatch.path);
        let levels = unknown
            .chain(mismatched)
            .map(|path| path.matches('.').count());
        levels.min()
    }

    fn is_struct(&self, node: NodeId, schema: &'static Struct) -> bool {
        let how = How::stored(Mode::Yaml, self.release);
        self.tree.is_map(node)
            && decode::decode(self.tree, node, schema, self.version, how)
                .mismatches
                .is_empty()
    }

    fn is_list(&self, node: NodeId, item: &FieldType) -> bool {
        matches!(self.tree.kind(node), Kind::Seq { .. })
            && self
                .tree
                .items(node)
                .iter()
                .all(|one| self.fits(*one, item))
    }

    fn is_map_of(&self, node: NodeId, value: &FieldType) -> bool {
        let entries = self.tree.entries(node);
        self.tree.is_map(node) && entries.iter().all(|entry| self.fits(entry.value, value))
    }

    fn is_quantity(&self, node: NodeId) -> bool {
        match self.tree.kind(node) {
            Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => true,
            _ => self
                .tree
                .str(node)
                .is_some_and(|text| Quantity::parse(text).is_ok()),
        }
    }

    /// Returns the edits that make a value the only entry of a list, if the field takes a list of such values.
    pub fn as_only_entry(&self, node: NodeId, ty: &FieldType) -> Option<Vec<Edit>> {
        let FieldType::List(item) = ty.pointed() else {
            return None;
        };
        let is_empty = matches!(self.tree.kind(node), Kind::Null | Kind::Seq { .. });
        if is_empty || !self.reads(node, item) {
            return None;
        }
        only_entry(self.tree, node)
    }
}

/// Returns the edits that put a value into a list of its own; `None` where no edit is safe.
pub fn only_entry(tree: &Tree<'_>, node: NodeId) -> Option<Vec<Edit>> {
    const WIDTH: usize = 2;
    let (text, written) = (tree.source(), tree.node(node));
    if !written.properties.is_empty() || matches!(written.kind, Kind::Alias(_)) {
        return None;
    }
    let (from, to) = (written.span.from(), written.span.to());
    let mut edits = Edits::new();
    if written.style == Style::Block {
        let first = tree.entries(node).first()?;
        let at = first.key_span.from();
        if !edit::begins_line(text, at) {
            return None;
        }
        edits.insert(at, "- ");
        edits.indent(text, at, edit::content_end(tree, node), WIDTH);
    } else {
        let written = text.get(from..to)?;
        let is_plain = written_plain(written);
        if written.starts_with(['|', '>']) || is_plain && written.contains(FLOW_SIGNS) {
            return None;
        }
        edits.insert(from, "[");
        edits.insert(to, "]");
    }
    edits.sorted().ok()
}

/// Signs that end a plain scalar in a flow collection.
const FLOW_SIGNS: [char; 6] = [',', '[', ']', '{', '}', '#'];

/// Returns true for a scalar without quotes.
fn written_plain(written: &str) -> bool {
    !written.starts_with(['"', '\'', '{', '['])
}

/// Says which values a field takes.
pub fn takes(ty: &FieldType) -> Message {
    match ty.pointed() {
        FieldType::List(item) if item.as_struct().is_some() => {
            message!("fits.list-of-maps", "a list of maps")
        }
        FieldType::List(_) => message!("fits.list", "a list"),
        FieldType::Bool => message!("fits.bool", "`true` or `false`"),
        FieldType::Int64 | FieldType::Int32 => message!("fits.number", "a whole number"),
        FieldType::Quantity => message!("fits.quantity", "a quantity such as `10Gi`"),
        FieldType::Raw
        | FieldType::FieldsV1
        | FieldType::Struct(_)
        | FieldType::Map(_)
        | FieldType::StringMap => message!("fits.map", "a map"),
        _ => message!("fits.text", "a string"),
    }
}
