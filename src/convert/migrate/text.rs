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
struct PlannedDocument<'t> {
    document: &'t Document<'t>,
    /// The objects of the document that change.
    objects: Vec<ChangedObject>,
    /// `None` if the document is left out; else its value.
    value: Option<TextPart<'t>>,
    /// Why it is printed.
    reason: Option<Message>,
}

/// An object that the migration changes.
#[derive(Clone, Copy)]
struct ChangedObject {
    /// Its index among the objects of the text.
    index: usize,
    node: NodeId,
}

/// Carries out a migration on the text it was planned for. A document whose edits give another value than planned is printed.
pub fn carry_out<'t>(
    input: &'t Input<'_>,
    migration: &Migration<'t>,
    limits: &Limits,
) -> Result<Migrated, Box<Finding>> {
    let mut documents = plan_documents(input, migration);
    let mut text = rewritten(input, migration, &mut documents);
    let wrong = differing(input, &text, &documents, limits);
    if !wrong.is_empty() {
        for index in wrong {
            print_instead(&mut documents, index)?;
        }
        text = rewritten(input, migration, &mut documents);
        if let Some(index) = differing(input, &text, &documents, limits).first() {
            return Err(disagreement(documents.get(*index)));
        }
    }
    let findings = documents.iter().filter_map(finding_of_printed).collect();
    Ok(Migrated { text, findings })
}

/// Has a document printed that was edited.
///
/// # Errors
/// It was printed already.
fn print_instead(documents: &mut [PlannedDocument<'_>], index: usize) -> Result<(), Box<Finding>> {
    match documents.get_mut(index) {
        Some(planned) if planned.reason.is_none() => {
            planned.reason = Some(message!(
                "convert.form-not-edited",
                "the fields to change are written in a form that is not edited"
            ));
            Ok(())
        }
        planned => Err(disagreement(planned.as_deref())),
    }
}

/// Returns the error about a document whose new text has another value than planned.
fn disagreement(planned: Option<&PlannedDocument<'_>>) -> Box<Finding> {
    let span = planned.map_or(Span::at(0), |planned| planned.document.span);
    Box::new(check::disagrees(span))
}

/// Returns the finding about a document that is printed, which loses its comments.
fn finding_of_printed(planned: &PlannedDocument<'_>) -> Option<Finding> {
    let message = check::printed_without_comments(planned.reason.as_deref()?);
    let root = planned.document.root?;
    let start = edit::whole(&planned.document.tree, root).from();
    let mut finding = Finding::new(Code::ConversionPrinted, message)
        .with_span(Span::at(start))
        .with_help(check::printed_help());
    finding.object = planned.objects.first().map(|object| object.index);
    Some(finding)
}

/// Plans the result of each document.
fn plan_documents<'t>(input: &'t Input<'_>, migration: &Migration<'t>) -> Vec<PlannedDocument<'t>> {
    let mut documents: Vec<PlannedDocument<'t>> = Vec::new();
    for document in &input.file.documents {
        let value = document
            .root
            .map(|root| TextPart::Node(&document.tree, root));
        documents.push(PlannedDocument {
            document,
            objects: Vec::new(),
            value,
            reason: None,
        });
    }
    for (index, item) in input.items.iter().enumerate() {
        if migration_of(migration, index).is_some()
            && let Some(planned) = documents.get_mut(item.document)
        {
            let node = item.node;
            planned.objects.push(ChangedObject { index, node });
        }
    }
    for planned in &mut documents {
        planned.plan_value(migration);
    }
    documents
}

/// Returns the migration of an object that changes.
fn migration_of<'m, 't>(
    migration: &'m Migration<'t>,
    index: usize,
) -> Option<&'m ObjectMigration<'t>> {
    migration
        .objects
        .get(index)
        .filter(|object| object.fate != ObjectFate::Untouched)
}

/// Returns the value of a changed object; `None` if it is left out.
fn value_of<'t>(
    migration: &Migration<'t>,
    tree: &'t Tree<'t>,
    object: ChangedObject,
) -> Option<TextPart<'t>> {
    value(tree, object.node, migration_of(migration, object.index)?)
}

impl<'t> PlannedDocument<'t> {
    /// Sets the value of a document that changes.
    fn plan_value(&mut self, migration: &Migration<'t>) {
        let Some(root) = self.document.root else {
            return;
        };
        let tree = &self.document.tree;
        let list = tree.get(root, "items");
        let list = list.filter(|&list| matches!(tree.kind(list), Kind::Seq { .. }));
        match (list, self.objects.first()) {
            (Some(list), _) => self.plan_list(root, list, migration),
            (None, Some(object)) => self.value = value_of(migration, tree, *object),
            (None, None) => {}
        }
    }

    /// Sets the value of a document that is a List.
    fn plan_list(&mut self, root: NodeId, list: NodeId, migration: &Migration<'t>) {
        let tree = &self.document.tree;
        let head = head(tree, root);
        if self.objects.is_empty() && head.is_none() {
            return;
        }
        let mut items = self.items_after(list, migration);
        if items.is_empty() && matches!(head, Some(Head::Vanishes)) {
            self.value = None;
            return;
        }
        let mut entries = Vec::new();
        for entry in print::effective(tree, root, Order::Source) {
            let key = tree.text(entry.key);
            let value = match (&head, key) {
                (_, "items") => TextPart::List(std::mem::take(&mut items)),
                (Some(Head::Becomes(_)), "apiVersion") => TextPart::text(v1::VERSION.api_version),
                (Some(Head::Becomes(kind)), "kind") => TextPart::text(kind.as_str()),
                _ => TextPart::Node(tree, entry.value),
            };
            entries.push((key.to_owned(), value));
        }
        self.value = Some(TextPart::Map(entries));
    }

    /// Returns the items of a List after the migration.
    fn items_after(&self, list: NodeId, migration: &Migration<'t>) -> Vec<TextPart<'t>> {
        let tree = &self.document.tree;
        let mut items = Vec::new();
        // The changed objects are in the order of the list.
        let mut changed = self.objects.iter().copied().peekable();
        for &item in tree.items(list) {
            match changed.next_if(|object| object.node == item) {
                Some(object) => items.extend(value_of(migration, tree, object)),
                None => items.push(TextPart::Node(tree, item)),
            }
        }
        items
    }
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

/// Returns the new text. A document that cannot be edited gets its `reason` and is printed.
fn rewritten(
    input: &Input<'_>,
    migration: &Migration<'_>,
    documents: &mut [PlannedDocument<'_>],
) -> String {
    loop {
        let mut all_edits = Edits::new();
        let mut is_after_removed = false;
        for planned in &mut *documents {
            all_edits.append(planned.rewrite(input, migration, is_after_removed));
            is_after_removed = planned.value.is_none();
        }
        let overlap = match all_edits.sorted() {
            Ok(edits) => return edit::apply(input.file.source.text(), &edits),
            Err(overlap) => overlap,
        };
        // Edits of one document cannot overlap another document, so printing all documents ends the loop.
        let is_any_edited = documents.iter().any(|planned| {
            planned.value.is_some() && !planned.objects.is_empty() && planned.reason.is_none()
        });
        if !is_any_edited {
            return String::new();
        }
        for planned in &mut *documents {
            if !planned.objects.is_empty() {
                planned.reason = Some(overlap.reason());
            }
        }
    }
}

impl PlannedDocument<'_> {
    /// Returns the edits that remove, edit or print the document; none if it does not change.
    fn rewrite(
        &mut self,
        input: &Input<'_>,
        migration: &Migration<'_>,
        is_after_removed: bool,
    ) -> Edits {
        let mut edits = Edits::new();
        let Some(root) = self.document.root else {
            return edits;
        };
        let Some(value) = &self.value else {
            removed(input, self.document, is_after_removed, &mut edits);
            return edits;
        };
        let head = head(&self.document.tree, root);
        if self.objects.is_empty() && head.is_none() {
            return edits;
        }
        if self.reason.is_none() {
            match self.edited(root, head.as_ref(), migration) {
                Ok(edits) => return edits,
                Err(problem) => self.reason = Some(problem.reason()),
            }
        }
        printed(self.document, root, value)
    }

    /// Returns the edits that change only what must change.
    fn edited(
        &self,
        root: NodeId,
        head: Option<&Head>,
        migration: &Migration<'_>,
    ) -> Result<Edits, Unsafe> {
        let tree = &self.document.tree;
        let manner = Manner {
            mode: self.document.mode,
            below: edits::sequence_indent(tree),
        };
        let mut edits = Edits::new();
        if let Some(Head::Becomes(kind)) = head {
            retyped(tree, root, kind, &mut edits)?;
        }
        let mut removed_items = Vec::new();
        for &ChangedObject { index, node } in &self.objects {
            let Some(object) = migration.objects.get(index) else {
                continue;
            };
            match object.fate {
                ObjectFate::Gone => removed_items.push(node),
                ObjectFate::Becomes(kind) => {
                    retyped(tree, node, kind, &mut edits)?;
                    edits.append(block::changes(tree, node, &object.changes, manner)?);
                }
                ObjectFate::Edited => {
                    edits.append(block::changes(tree, node, &object.changes, manner)?);
                }
                ObjectFate::Untouched => {}
            }
        }
        if let Some(list) = tree.get(root, "items")
            && !removed_items.is_empty()
        {
            block::remove_items(tree, list, |item| removed_items.contains(&item), &mut edits)?;
        }
        // Detect overlapping edits here, so that only this document is printed.
        let mut disjoint = Edits::new();
        for Edit { span, new_text } in edits.sorted()? {
            disjoint.replace(span, new_text);
        }
        Ok(disjoint)
    }
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
        .and_then(|document| Some((&document.tree, document.root?)))
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

/// Returns the indexes of documents whose new text differs from the planned value.
fn differing(
    input: &Input<'_>,
    text: &str,
    documents: &[PlannedDocument<'_>],
    limits: &Limits,
) -> Vec<usize> {
    let file = check::reread(text, limits);
    let kept = || {
        let documents = documents.iter().enumerate();
        documents.filter_map(|(index, planned)| Some((index, planned.value.as_ref()?)))
    };
    let is_unreadable = file
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    if is_unreadable || file.documents.len() != kept().count() {
        let documents = documents.iter().take(input.file.documents.len());
        return documents
            .enumerate()
            .filter(|(_, planned)| !planned.objects.is_empty())
            .map(|(index, _)| index)
            .collect();
    }
    kept()
        .zip(&file.documents)
        .filter(|((_, value), document)| !has_value(document, value))
        .map(|((index, _), _)| index)
        .collect()
}

/// Returns true if a document has a value, in whatever order.
fn has_value(document: &Document<'_>, value: &TextPart<'_>) -> bool {
    let mut json = String::new();
    value.json(&mut json);
    let expected = claimkit_model::text::read(&json, &unlimited());
    let Some(actual) = sorted_json(document) else {
        return false;
    };
    let expected = expected.documents.first().and_then(sorted_json);
    expected.is_some_and(|expected| expected == actual)
}

/// Returns the value of a document as JSON with sorted keys; `None` if it is empty.
fn sorted_json(document: &Document<'_>) -> Option<String> {
    let mut json = String::new();
    print::json(
        &document.tree,
        document.root?,
        Order::Sorted,
        usize::MAX,
        &mut json,
    );
    Some(json)
}
