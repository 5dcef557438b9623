//! The context of a position: the object, the field and its type.

use super::outline::{Outline, OutlineNode, OutlineValueKind, Role};
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
    let steps = |nodes: &[usize]| -> Vec<Step> {
        nodes
            .iter()
            .filter_map(|at| outline.nodes.get(*at).map(|node| (*at, node)))
            .map(|(at, node)| match node.role {
                Role::Item => Step::Index(
                    children(outline, document, node.parent)
                        .take_while(|(other, _)| *other < at)
                        .filter(|(_, other)| other.role == Role::Item)
                        .count(),
                ),
                _ => Step::Key(outline.slice(node.name).to_owned()),
            })
            .collect()
    };
    let says = |root: Option<usize>| TypeMeta {
        api_version: scalar(outline, document, root, "apiVersion")
            .unwrap_or_default()
            .to_owned(),
        kind: scalar(outline, document, root, "kind")
            .unwrap_or_default()
            .to_owned(),
    };
    let top = says(None);
    if let [items, item, rest @ ..] = chain.as_slice()
        && let (Some(list), Some(entry)) = (outline.nodes.get(*items), outline.nodes.get(*item))
        && outline.slice(list.name) == "items"
        && entry.role == Role::Item
    {
        let mut object = says(Some(*item));
        if object.kind.is_empty() && object.api_version.is_empty() && top.kind != "List" {
            let mut kind = top.kind.as_str();
            while let Some(item) = kind.strip_suffix("List") {
                kind = item;
            }
            object = TypeMeta {
                kind: kind.to_owned(),
                api_version: top.api_version,
            };
        }
        return (object, Some(*item), steps(rest));
    }
    (top, None, steps(&chain))
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
    let line = outline.line_at(offset);
    for (at, node) in outline
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.document == document)
    {
        let before =
            purpose == Purpose::Complete && node.flow && node.colon && node.key.from() == offset;
        if node.role != Role::Item && node.key.touches(offset) && !before {
            return Some(key_spot(node, at));
        }
        match node.value_kind {
            OutlineValueKind::Scalar if node.value.touches(offset) => {
                return Some(Spot::Value {
                    of: at,
                    range: node.value,
                });
            }
            OutlineValueKind::Block if node.value.from() < offset && offset <= node.value.to() => {
                return None;
            }
            _ => {}
        }
    }
    let inside = outline.brackets.iter().rev().find(|brackets| {
        brackets.document == document
            && brackets.span.from() < offset
            && offset
                < brackets
                    .span
                    .to()
                    .max(brackets.span.from().saturating_add(1))
            || (brackets.document == document
                && offset == brackets.span.to()
                && !closed(outline, brackets.span)
                && brackets.span.from() < offset)
    });
    if let Some(brackets) = inside {
        let last = outline
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| {
                node.flow && node.document == document && node.parent == brackets.owner
            })
            .rfind(|(_, node)| node.key.to() <= offset && node.key.from() > brackets.span.from());
        if let Some((at, node)) = last
            && node.colon
            && node.value_kind == OutlineValueKind::Nothing
            && !outline
                .slice(Span::new(node.value.from().min(offset), offset))
                .contains(',')
        {
            return Some(Spot::Value {
                of: at,
                range: Span::at(offset),
            });
        }
        return Some(Spot::Key {
            parent: brackets.owner,
            own: None,
            range: Span::at(offset),
            column: 0,
            flow: true,
        });
    }
    // The last key or dash before the cursor on its line.
    let before = outline.nodes.iter().enumerate().rfind(|(_, node)| {
        !node.flow
            && node.document == document
            && line.from() <= node.key.from()
            && node.key.to() <= offset
    });
    if let Some((at, node)) = before {
        let clear = outline
            .slice(Span::new(node.key.to(), offset))
            .trim_start_matches([' ', '\t', ':'])
            .is_empty();
        return match (node.role, node.value_kind) {
            (Role::Key, OutlineValueKind::Nothing) if clear => Some(Spot::Value {
                of: at,
                range: Span::at(offset),
            }),
            (Role::Item, OutlineValueKind::Nothing)
                if clear && outline.byte(offset.saturating_sub(1)) != b'-' =>
            {
                Some(Spot::Key {
                    parent: Some(at),
                    own: None,
                    range: Span::at(offset),
                    column: offset.saturating_sub(line.from()),
                    flow: false,
                })
            }
            _ => None,
        };
    }
    if !outline
        .slice(Span::new(line.from(), offset))
        .trim()
        .is_empty()
    {
        return None;
    }
    let column = offset.saturating_sub(line.from());
    let parent = block_parent(outline, document, line.from(), column)?;
    Some(Spot::Key {
        parent,
        own: None,
        range: Span::at(offset),
        column,
        flow: false,
    })
}

fn closed(outline: &Outline<'_>, span: Span) -> bool {
    span.len() > 1 && matches!(outline.byte(span.to().saturating_sub(1)), b'}' | b']')
}

fn key_spot(node: &OutlineNode, at: usize) -> Spot {
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
