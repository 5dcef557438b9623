//! The whole text after a migration, read again and compared with the values it must hold.

use super::block::{self, Manner};
use super::part::{TextPart, changed};
use super::{Migration, ObjectFate, ObjectMigration};
use crate::convert::{check, edits, job, print as printing};
use crate::manifest::Input;
use claimkit_model::finding::{Code, Edit, Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Family;
use claimkit_model::schema::device::v1;
use claimkit_model::text::edit::{self, Edits, Unsafe};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_model::text::{Document, Mode, Span};

/// The result of a migration.
pub struct Migrated {
    pub text: String,
    /// Documents that could not be edited.
    pub findings: Vec<Finding>,
}

/// The planned result of one document.
struct Fated<'t> {
    document: &'t Document<'t>,
    /// The objects of the document that change: index, node.
    objects: Vec<(usize, NodeId)>,
    /// `None` if the document is left out; else its value.
    value: Option<TextPart<'t>>,
    /// Why it is printed.
    reason: Option<Message>,
}

/// Carries out a migration on the text it was planned for.
pub fn carry_out<'t>(
    input: &'t Input<'_>,
    migration: &Migration<'t>,
    limits: &Limits,
) -> Result<Migrated, Box<Finding>> {
    let mut documents = fates(input, migration);
    let mut result = rewritten(input, migration, &mut documents);
    let wrong = differing(input, &result, &documents, limits);
    if !wrong.is_empty() {
        for at in wrong {
            match documents.get_mut(at) {
                Some(Fated {
                    reason: reason @ None,
                    ..
                }) => {
                    *reason = Some(message!(
                        "convert.form-not-edited",
                        "the fields to change are written in a form that is not edited"
                    ));
                }
                other => {
                    return Err(Box::new(check::disagrees(
                        other.map_or(Span::at(0), |one| one.document.span),
                    )));
                }
            }
        }
        result = rewritten(input, migration, &mut documents);
        if let Some(at) = differing(input, &result, &documents, limits).first() {
            let span = documents
                .get(*at)
                .map_or(Span::at(0), |one| one.document.span);
            return Err(Box::new(check::disagrees(span)));
        }
    }
    let findings = documents
        .iter()
        .filter_map(|one| {
            let message = check::printed_without_comments(one.reason.as_deref()?);
            let mut finding = Finding::new(Code::ConversionPrinted, message)
                .with_span(Span::at(
                    edit::whole(&one.document.tree, one.document.root?).from(),
                ))
                .with_help(check::printed_help());
            finding.object = one.objects.first().map(|&(index, _)| index);
            Some(finding)
        })
        .collect();
    Ok(Migrated {
        text: result,
        findings,
    })
}

fn fates<'t>(input: &'t Input<'_>, migration: &Migration<'t>) -> Vec<Fated<'t>> {
    let mut all: Vec<Fated<'t>> = Vec::new();
    for document in &input.file.documents {
        let value = document
            .root
            .map(|root| TextPart::Node(&document.tree, root));
        all.push(Fated {
            document,
            objects: Vec::new(),
            value,
            reason: None,
        });
    }
    let touched = |index: usize| {
        migration
            .objects
            .get(index)
            .filter(|object| object.fate != ObjectFate::Untouched)
    };
    for (index, item) in input.items.iter().enumerate() {
        if touched(index).is_some()
            && let Some(one) = all.get_mut(item.document)
        {
            one.objects.push((index, item.node));
        }
    }
    for one in &mut all {
        let (document, Some(root)) = (one.document, one.document.root) else {
            continue;
        };
        let tree = &document.tree;
        let Some(list) = tree
            .get(root, "items")
            .filter(|&list| matches!(tree.kind(list), Kind::Seq { .. }))
        else {
            if let Some((object, node)) = one
                .objects
                .first()
                .and_then(|&(index, node)| Some((touched(index)?, node)))
            {
                one.value = value(tree, node, object);
            }
            continue;
        };
        let head = head(tree, root);
        if one.objects.is_empty() && head.is_none() {
            continue;
        }
        let mut items = Vec::new();
        // The objects are in the order of the list.
        let mut left = one.objects.as_slice();
        for &item in tree.items(list) {
            match left.split_first() {
                Some((&(index, node), rest)) if node == item => {
                    left = rest;
                    items.extend(touched(index).and_then(|object| value(tree, node, object)));
                }
                _ => items.push(TextPart::Node(tree, item)),
            }
        }
        let vanished = match &head {
            Some(Head::Vanishes) => true,
            Some(Head::Becomes(_)) => false,
            None => false,
        };
        if vanished && items.is_empty() {
            one.value = None;
            continue;
        }
        let entries = print::effective(tree, root, Order::Source)
            .into_iter()
            .map(|entry| {
                let key = tree.text(entry.key);
                let value = match (&head, key) {
                    (_, "items") => TextPart::List(std::mem::take(&mut items)),
                    (Some(Head::Becomes(_)), "apiVersion") => {
                        TextPart::text(v1::VERSION.api_version)
                    }
                    (Some(Head::Becomes(kind)), "kind") => TextPart::text(kind.as_str()),
                    _ => TextPart::Node(tree, entry.value),
                };
                (key.to_owned(), value)
            });
        one.value = Some(TextPart::Map(entries.collect()));
    }
    all
}

/// The head of a typed List after the migration.
enum Head {
    /// It has this kind.
    Becomes(String),
    /// There is no such List any more.
    Vanishes,
}

fn head(tree: &Tree<'_>, root: NodeId) -> Option<Head> {
    let version = tree
        .get(root, "apiVersion")
        .and_then(|node| tree.str(node))
        .and_then(job::find_version)?;
    let kind = tree
        .get(root, "kind")
        .and_then(|node| tree.str(node))?
        .strip_suffix("List")?;
    if version.family != Family::Classic {
        return None;
    }
    Some(match kind {
        "ResourceClass" => Head::Becomes("DeviceClassList".to_owned()),
        "ResourceClaim" | "ResourceClaimTemplate" | "ResourceSlice" => {
            Head::Becomes(format!("{kind}List"))
        }
        _ => Head::Vanishes,
    })
}

/// Returns true if a document is a typed list of the classic family, which changes even without items.
pub fn has_head(input: &Input<'_>) -> bool {
    input.file.documents.iter().any(|document| {
        document
            .root
            .is_some_and(|root| head(&document.tree, root).is_some())
    })
}

/// Returns the value of a changed object; `None` if it is left out.
fn value<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    object: &ObjectMigration<'t>,
) -> Option<TextPart<'t>> {
    let kind = match object.fate {
        ObjectFate::Gone => return None,
        ObjectFate::Untouched => return Some(TextPart::Node(tree, node)),
        ObjectFate::Becomes(kind) => Some(kind),
        ObjectFate::Edited => None,
    };
    let changes: Vec<_> = object.changes.iter().collect();
    let mut value = changed(tree, node, 0, &changes);
    if let (Some(kind), TextPart::Map(entries)) = (kind, &mut value) {
        for (key, value) in entries {
            if job::is_type_key(key, "apiVersion") {
                *value = TextPart::text(v1::VERSION.api_version);
            } else if job::is_type_key(key, "kind") {
                *value = TextPart::text(kind);
            }
        }
    }
    Some(value)
}

fn rewritten(input: &Input<'_>, migration: &Migration<'_>, documents: &mut [Fated<'_>]) -> String {
    loop {
        let mut all = Edits::new();
        for at in 0..documents.len() {
            let after_removed = at
                .checked_sub(1)
                .and_then(|at| documents.get(at))
                .is_some_and(|one| one.value.is_none());
            let Some(one) = documents.get_mut(at) else {
                break;
            };
            let Some(root) = one.document.root else {
                continue;
            };
            let Some(value) = &one.value else {
                removed(input, one.document, after_removed, &mut all);
                continue;
            };
            let list = head(&one.document.tree, root);
            if one.objects.is_empty() && list.is_none() {
                continue;
            }
            let edited = if one.reason.is_some() {
                Err(Unsafe::Form)
            } else {
                edited(one, root, list.as_ref(), migration)
            };
            match edited {
                Ok(edits) => all.append(edits),
                Err(why) => {
                    one.reason.get_or_insert_with(|| why.reason());
                    all.append(printed(one.document, root, value));
                }
            }
        }
        match all.sorted() {
            Ok(edits) => return edit::apply(input.file.source.text(), &edits),
            // Edits of one document cannot overlap another document, so printing all documents ends the loop.
            Err(why)
                if documents.iter().any(|one| {
                    one.value.is_some() && !one.objects.is_empty() && one.reason.is_none()
                }) =>
            {
                documents
                    .iter_mut()
                    .filter(|one| !one.objects.is_empty())
                    .for_each(|one| one.reason = Some(why.reason()));
            }
            Err(_) => return String::new(),
        }
    }
}

fn edited(
    one: &Fated<'_>,
    root: NodeId,
    list: Option<&Head>,
    migration: &Migration<'_>,
) -> Result<Edits, Unsafe> {
    let tree = &one.document.tree;
    let manner = Manner {
        mode: one.document.mode,
        below: edits::sequence_indent(tree),
    };
    let mut all = Edits::new();
    if let Some(Head::Becomes(kind)) = list {
        retyped(tree, root, kind, &mut all)?;
    }
    let mut gone = Vec::new();
    for (index, node) in &one.objects {
        let Some(object) = migration.objects.get(*index) else {
            continue;
        };
        match object.fate {
            ObjectFate::Gone => gone.push(*node),
            ObjectFate::Becomes(kind) => {
                retyped(tree, *node, kind, &mut all)?;
                all.append(block::changes(tree, *node, &object.changes, manner)?);
            }
            ObjectFate::Edited => all.append(block::changes(tree, *node, &object.changes, manner)?),
            ObjectFate::Untouched => {}
        }
    }
    if let Some(list) = tree.get(root, "items").filter(|_| !gone.is_empty()) {
        block::remove_items(tree, list, |item| gone.contains(&item), &mut all)?;
    }
    // Detect overlapping edits here, so that only this document is printed.
    let mut checked = Edits::new();
    for Edit { span, new_text } in all.sorted()? {
        checked.replace(span, new_text);
    }
    Ok(checked)
}

/// Replaces the version and kind by those of an object of v1.
fn retyped(tree: &Tree<'_>, node: NodeId, kind: &str, edits: &mut Edits) -> Result<(), Unsafe> {
    for entry in tree.entries(node) {
        let name = tree.text(entry.key);
        if entry.merged {
            continue;
        }
        let new = if job::is_type_key(name, "apiVersion") {
            v1::VERSION.api_version
        } else if job::is_type_key(name, "kind") {
            kind
        } else {
            continue;
        };
        if tree.str(entry.value).is_some_and(|old| old != new) {
            edits.change_string(tree, entry.value, new)?;
        }
    }
    Ok(())
}

/// Removes a document and one separator. Its comments stay.
fn removed(input: &Input<'_>, document: &Document<'_>, after_removed: bool, edits: &mut Edits) {
    let text = input.file.source.text();
    let piece = document.span.slice_of(text).unwrap_or("");
    // A separator at the beginning of the file is part of the piece.
    let opening =
        if document.mode == Mode::Yaml && piece.trim_start_matches('\u{feff}').starts_with("---") {
            edit::next_line(text, document.span.from())
        } else {
            document.span.from()
        };
    let mut kept = String::new();
    for comment in edit::comments_in(&document.tree, Span::new(opening, document.span.to())) {
        kept.push_str(comment.slice_of(text).unwrap_or(""));
        kept.push_str(edit::line_break(text, document.span.from()));
    }
    let (mut from, mut to) = (opening, document.span.to());
    if document.mode == Mode::Yaml {
        let last = to >= text.len();
        if !last {
            to = edit::next_line(text, to);
        } else if kept.is_empty() && !after_removed && opening == document.span.from() && from > 0 {
            // The last document goes with the separator before it.
            from = edit::line_start(text, from.saturating_sub(1));
        }
    }
    edits.replace(Span::new(from, to), kept);
}

/// Prints the document anew.
fn printed(document: &Document<'_>, root: NodeId, value: &TextPart<'_>) -> Edits {
    let tree = &document.tree;
    let text = tree.source();
    let old = edit::whole(tree, root);
    let mut json = String::new();
    value.json(&mut json);
    let mut edits = Edits::new();
    if document.mode == Mode::Json {
        edits.replace(old, json);
        return edits;
    }
    let file = claimkit_model::text::read(&json, &unlimited());
    let mut out = String::new();
    if let Some((tree, root)) = file
        .documents
        .first()
        .and_then(|one| Some((&one.tree, one.root?)))
    {
        printing::yaml(
            tree,
            root,
            edit::line_break(text, old.from()),
            usize::MAX,
            &mut out,
        );
    }
    let before = text.get(..old.from()).unwrap_or("");
    let start = before.trim_end_matches(' ').len();
    edits.replace(
        Span::new(start, edit::content_end(tree, root).max(old.to())),
        out,
    );
    edits
}

fn unlimited() -> Limits {
    Limits {
        bytes: usize::MAX,
        nodes: usize::MAX,
        ..Limits::default()
    }
}

/// Returns the documents of the new text that differ from the expected values.
fn differing(
    input: &Input<'_>,
    text: &str,
    documents: &[Fated<'_>],
    limits: &Limits,
) -> Vec<usize> {
    let file = check::reread(text, limits);
    let kept: Vec<usize> = (0..documents.len())
        .filter(|&at| documents.get(at).is_some_and(|one| one.value.is_some()))
        .collect();
    let unreadable = file
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    if file.documents.len() != kept.len() || unreadable {
        return (0..input.file.documents.len())
            .filter(|at| {
                documents
                    .get(*at)
                    .is_some_and(|one| !one.objects.is_empty())
            })
            .collect();
    }
    let sorted = |tree: &Tree<'_>, root: NodeId| {
        let mut out = String::new();
        print::json(tree, root, Order::Sorted, usize::MAX, &mut out);
        out
    };
    let differs = |&(at, new): &(&usize, &Document<'_>)| {
        let value = documents.get(*at).and_then(|one| one.value.as_ref());
        let Some((value, root)) = value.zip(new.root) else {
            return true;
        };
        let mut json = String::new();
        value.json(&mut json);
        let expected = claimkit_model::text::read(&json, &unlimited())
            .documents
            .first()
            .and_then(|one| Some(sorted(&one.tree, one.root?)));
        expected.as_deref() != Some(sorted(&new.tree, root).as_str())
    };
    kept.iter()
        .zip(&file.documents)
        .filter(differs)
        .map(|(at, _)| *at)
        .collect()
}
