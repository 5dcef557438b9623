//! The context of a position: the object, the field and its type.

use super::outline::{Brackets, Outline, OutlineNode, OutlineValueKind, Role};
use crate::manifest::TypeMeta;
use claimkit_model::finding::Step;
use claimkit_model::schema::{self, Api, ApiKind, Field, FieldType, Release, Struct, Version};
use claimkit_model::text::Span;

/// The part of the text at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A key, or where one could be written.
    Key {
        /// The key or item that contains it.
        parent: Option<usize>,
        /// The key itself, if it is there.
        own: Option<usize>,
        /// The text that a completion replaces.
        range: Span,
        /// Column of keys here, in bytes.
        column: usize,
        flow: bool,
    },
    /// The value of a key or item.
    Value {
        of: usize,
        /// The text that a completion replaces.
        range: Span,
    },
}

impl Spot {
    /// Returns the same with the part of its range that is on the line of the cursor: a quote that is not closed yet goes on to the
    /// next one.
    pub fn on_line_of(mut self, text: &str, offset: usize) -> Self {
        let (Spot::Key { range, .. } | Spot::Value { range, .. }) = &mut self;
        let behind = text.get(offset..range.to()).unwrap_or_default();
        if let Some(line_break) = behind.find(['\r', '\n']) {
            *range = Span::new(range.from(), offset.saturating_add(line_break));
        }
        self
    }
}

/// A place in the tables.
#[derive(Clone, Copy, Debug)]
pub struct TablePlace {
    pub api: Api,
    pub release: Release,
    /// The struct and field the last key names; `None` at the object itself.
    pub field: Option<(&'static Struct, &'static Field)>,
    /// The type of what is there, pointers followed; `None` for the values of a map and below verbatim JSON.
    pub ty: Option<&'static FieldType>,
    /// The struct that is there, if it is one.
    pub schema: Option<&'static Struct>,
    /// True below `spec.metadata` of a template.
    pub template: bool,
}

impl TypeMeta {
    /// Returns its table in a release; without one that of the last release that serves it.
    pub fn api(&self, release: Option<Release>) -> Option<(Api, Release)> {
        let version: &'static Version = schema::version(&self.api_version)?;
        let release = release.unwrap_or_else(|| version.default_release_of(&self.kind));
        let kind: &'static ApiKind = version
            .served_by(release)
            .then(|| version.kind(&self.kind, release))
            .flatten()?;
        Some((Api { version, kind }, release))
    }
}

/// Follows steps from the object into the tables.
pub fn locate(api: Api, release: Release, steps: &[Step]) -> Option<TablePlace> {
    let mut at = TablePlace {
        api,
        release,
        field: None,
        ty: None,
        schema: Some(api.kind.schema),
        template: false,
    };
    for step in steps {
        match step {
            Step::Key(name) => match (at.schema, at.ty) {
                (Some(schema), _) => {
                    let (_, field) = schema.field(name, release)?;
                    at.template |=
                        schema.go == "ResourceClaimTemplateSpec" && field.json == "metadata";
                    at.field = Some((schema, field));
                    at.enter(&field.ty);
                }
                // An entry of a map: the field stays the map's.
                (None, Some(FieldType::StringMap)) => at.ty = None,
                (None, Some(FieldType::Map(map))) => at.enter(&map.value),
                _ => return None,
            },
            Step::Index(_) => match at.ty {
                Some(FieldType::List(inner)) => at.enter(inner),
                _ => return None,
            },
        }
    }
    Some(at)
}

impl TablePlace {
    fn enter(&mut self, ty: &'static FieldType) {
        let mut ty = ty;
        while let FieldType::Pointer(inner) = ty {
            ty = inner;
        }
        self.ty = Some(ty);
        self.schema = ty.as_struct();
    }
}

/// No table is this deep, so deeper nodes belong to no object of this group.
const DEEPEST: usize = 64;

/// Returns the steps of a node from the top of its document, outermost first.
fn chain(outline: &Outline<'_>, node: Option<usize>) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut here = node;
    while let Some(at) = here {
        chain.push(at);
        here = outline.nodes.get(at).and_then(|node| node.parent);
    }
    chain.reverse();
    chain
}

/// Returns the children of a node, or the top of a document.
pub fn children<'o>(
    outline: &'o Outline<'_>,
    document: usize,
    parent: Option<usize>,
) -> impl Iterator<Item = (usize, &'o OutlineNode)> {
    outline
        .nodes
        .iter()
        .enumerate()
        .filter(move |(_, node)| node.document == document && node.parent == parent)
}

/// Returns the scalar of a key among the children of a node, without its quotes.
pub fn scalar<'s>(
    outline: &Outline<'s>,
    document: usize,
    parent: Option<usize>,
    key: &str,
) -> Option<&'s str> {
    let keys = children(outline, document, parent)
        .filter(|(_, node)| node.role == Role::Key && node.value_kind == OutlineValueKind::Scalar);
    let (_, node) = keys
        .filter(|(_, node)| outline.slice(node.name) == key)
        .last()?;
    Some(unquoted(outline.slice(node.value)))
}

/// Returns a scalar's text without quotes around it.
pub fn unquoted(text: &str) -> &str {
    let inner = |quote: char| {
        text.strip_prefix(quote)
            .map(|rest| rest.strip_suffix(quote).unwrap_or(rest))
    };
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// Returns the object a node is in and the steps from there to it. An item of a List is an object of its own.
pub fn object_of(
    outline: &Outline<'_>,
    document: usize,
    node: Option<usize>,
) -> (TypeMeta, Option<usize>, Vec<Step>) {
    let chain = chain(outline, node);
    if chain.len() > DEEPEST {
        return (TypeMeta::default(), None, Vec::new());
    }
    let top = type_meta_at(outline, document, None);
    if let [items, item, below @ ..] = chain.as_slice()
        && let (Some(list), Some(entry)) = (outline.nodes.get(*items), outline.nodes.get(*item))
        && outline.slice(list.name) == "items"
        && entry.role == Role::Item
    {
        let mut object = type_meta_at(outline, document, Some(*item));
        if object.kind.is_empty() && object.api_version.is_empty() && top.kind != "List" {
            object = TypeMeta {
                kind: top.kind.trim_end_matches("List").to_owned(),
                api_version: top.api_version,
            };
        }
        return (object, Some(*item), steps_along(outline, document, below));
    }
    (top, None, steps_along(outline, document, &chain))
}

/// Returns `apiVersion` and `kind` as they are written below a node, or at the top of a document.
fn type_meta_at(outline: &Outline<'_>, document: usize, root: Option<usize>) -> TypeMeta {
    let text_of = |key| {
        scalar(outline, document, root, key)
            .unwrap_or_default()
            .to_owned()
    };
    TypeMeta {
        api_version: text_of("apiVersion"),
        kind: text_of("kind"),
    }
}

fn steps_along(outline: &Outline<'_>, document: usize, nodes: &[usize]) -> Vec<Step> {
    let mut steps = Vec::new();
    for &at in nodes {
        let Some(node) = outline.nodes.get(at) else {
            continue;
        };
        steps.push(match node.role {
            Role::Item => Step::Index(
                children(outline, document, node.parent)
                    .take_while(|(other, _)| *other < at)
                    .filter(|(_, other)| other.role == Role::Item)
                    .count(),
            ),
            _ => Step::Key(outline.slice(node.name).to_owned()),
        });
    }
    steps
}

/// The use of the context of the cursor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To complete what is being written: a cursor right before a key inside brackets is at a new key.
    Complete,
    /// To document the key or value at the position.
    Hover,
}

/// Returns the context of the cursor; `None` in comments and block text.
pub fn spot(outline: &Outline<'_>, offset: usize, purpose: Purpose) -> Option<Spot> {
    if outline
        .comments
        .iter()
        .any(|comment| comment.from() < offset && offset <= comment.to())
    {
        return None;
    }
    let document = outline.document_at(offset);
    match touched_part(outline, document, offset, purpose) {
        Some(TouchedPart::Key(at, node)) => return Some(key_spot(at, node)),
        Some(TouchedPart::Scalar(of, range)) => return Some(Spot::Value { of, range }),
        Some(TouchedPart::BlockText) => return None,
        None => {}
    }
    if let Some(brackets) = brackets_around(outline, document, offset) {
        return spot_in_brackets(outline, brackets, offset);
    }
    let line = outline.line_at(offset);
    let column = offset.saturating_sub(line.from());
    let last_on_line = outline.nodes.iter().enumerate().rfind(|(_, node)| {
        !node.flow
            && node.document == document
            && line.from() <= node.key.from()
            && node.key.to() <= offset
    });
    if let Some((at, node)) = last_on_line {
        return spot_behind(outline, at, node, offset, column);
    }
    if !is_free_line(outline, line, offset) {
        return None;
    }
    Some(Spot::Key {
        parent: block_parent(outline, document, line.from(), column)?,
        own: None,
        range: Span::at(offset),
        column,
        flow: false,
    })
}

/// Returns true if a line has nothing but a comment behind the cursor, so that a key can be written there.
fn is_free_line(outline: &Outline<'_>, line: Span, offset: usize) -> bool {
    let before = outline.slice(Span::new(line.from(), offset));
    let behind = outline.slice(Span::new(offset, line.to())).trim_start();
    before.trim().is_empty() && (behind.is_empty() || behind.starts_with('#'))
}

/// The part of a key or item that the cursor touches.
enum TouchedPart<'o> {
    Key(usize, &'o OutlineNode),
    /// The scalar value of a node, and where it is.
    Scalar(usize, Span),
    /// Text after `|` or `>`.
    BlockText,
}

fn touched_part<'o>(
    outline: &'o Outline<'_>,
    document: usize,
    offset: usize,
    purpose: Purpose,
) -> Option<TouchedPart<'o>> {
    let nodes = outline.nodes.iter().enumerate();
    for (at, node) in nodes.filter(|(_, node)| node.document == document) {
        let new_key_before =
            purpose == Purpose::Complete && node.flow && node.colon && node.key.from() == offset;
        if node.role != Role::Item && node.key.touches(offset) && !new_key_before {
            return Some(TouchedPart::Key(at, node));
        }
        match node.value_kind {
            OutlineValueKind::Scalar if node.value.touches(offset) => {
                return Some(TouchedPart::Scalar(at, node.value));
            }
            OutlineValueKind::Block if node.value.from() < offset && offset <= node.value.to() => {
                return Some(TouchedPart::BlockText);
            }
            _ => {}
        }
    }
    None
}

/// Returns the innermost brackets around the cursor. Brackets that are not closed contain their end, too.
fn brackets_around<'o>(
    outline: &'o Outline<'_>,
    document: usize,
    offset: usize,
) -> Option<&'o Brackets> {
    outline.brackets.iter().rev().find(|brackets| {
        let span = brackets.span;
        let before_end = offset < span.to().max(span.from().saturating_add(1));
        let at_open_end = offset == span.to() && !closed(outline, span);
        brackets.document == document && span.from() < offset && (before_end || at_open_end)
    })
}

/// Returns the context inside brackets: the value of the last key if it has none, else a new key; `None` between a key and its value.
fn spot_in_brackets(outline: &Outline<'_>, brackets: &Brackets, offset: usize) -> Option<Spot> {
    let last_before = outline.nodes.iter().enumerate().rfind(|(_, node)| {
        node.flow
            && node.document == brackets.document
            && node.parent == brackets.owner
            && node.key.to() <= offset
            && node.key.from() > brackets.span.from()
    });
    if let Some((at, node)) = last_before
        && node.colon
    {
        let has_value = node.value_kind != OutlineValueKind::Nothing;
        if has_value && offset <= node.value.from() {
            return None;
        }
        let behind = Span::new(node.value.from().min(offset), offset);
        if !has_value && !outline.slice(behind).contains(',') {
            return Some(Spot::Value {
                of: at,
                range: Span::at(offset),
            });
        }
    }
    Some(Spot::Key {
        parent: brackets.owner,
        own: None,
        range: Span::at(offset),
        column: 0,
        flow: true,
    })
}

/// Returns the context behind the last key or dash of the cursor's line.
fn spot_behind(
    outline: &Outline<'_>,
    at: usize,
    node: &OutlineNode,
    offset: usize,
    column: usize,
) -> Option<Spot> {
    let nothing_between = outline
        .slice(Span::new(node.key.to(), offset))
        .trim_start_matches([' ', '\t', ':'])
        .is_empty();
    if node.value_kind != OutlineValueKind::Nothing || !nothing_between {
        return None;
    }
    match node.role {
        Role::Key => Some(Spot::Value {
            of: at,
            range: Span::at(offset),
        }),
        Role::Item if outline.byte(offset.saturating_sub(1)) != b'-' => Some(Spot::Key {
            parent: Some(at),
            own: None,
            range: Span::at(offset),
            column,
            flow: false,
        }),
        _ => None,
    }
}

fn closed(outline: &Outline<'_>, span: Span) -> bool {
    span.len() > 1 && matches!(outline.byte(span.to().saturating_sub(1)), b'}' | b']')
}

/// Returns the place of a key that is written. `at`: its index in the outline.
fn key_spot(at: usize, node: &OutlineNode) -> Spot {
    Spot::Key {
        parent: node.parent,
        own: Some(at),
        range: node.key,
        column: node.column,
        flow: node.flow,
    }
}

/// Returns the block that an empty line at `column` belongs to; `None` if nothing can be written there.
#[allow(
    clippy::option_option,
    reason = "the inner `None` is the top of the document"
)]
fn block_parent(
    outline: &Outline<'_>,
    document: usize,
    line: usize,
    column: usize,
) -> Option<Option<usize>> {
    let last = outline.nodes.iter().enumerate().rfind(|(_, node)| {
        !node.flow && node.document == document && node.role != Role::Bare && node.key.from() < line
    });
    let mut here = last.map(|(at, _)| at);
    while let Some((at, node)) = here.and_then(|at| outline.nodes.get(at).map(|node| (at, node))) {
        if node.column < column {
            if node.value_kind != OutlineValueKind::Nothing {
                return None;
            }
            let siblings =
                children(outline, document, Some(at)).find(|(_, child)| child.role == Role::Key);
            return siblings
                .is_none_or(|(_, child)| child.column == column)
                .then_some(Some(at));
        }
        here = node.parent;
    }
    let top = children(outline, document, None).find(|(_, node)| !node.flow);
    let flow = outline
        .brackets
        .iter()
        .any(|b| b.document == document && b.owner.is_none());
    (!flow && top.is_none_or(|(_, node)| node.column == column)).then_some(None)
}
