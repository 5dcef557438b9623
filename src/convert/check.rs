//! Carries out a conversion and proves it: the new text is read again and must hold the converted value.

use super::job::Job;
use super::{ConvertOptions, Plan, edits, job, lines, print, shape, value};
use crate::advice::locate;
use crate::apiserver::defaults;
use crate::apiserver::device;
use crate::apiserver::device::drops::{self, DroppedField, WrittenPart};
use crate::apiserver::hub::Hub;
use crate::manifest::{Input, Item};
use crate::validation::{self, Context, FieldError, Operation};
use claimkit_model::finding::{Code, Edit, Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{self, How, Via};
use claimkit_model::schema::{Api, Family, ObjectKind, Release};
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::print::{self as printing, Order};
use claimkit_model::text::stream::{self, AfterJson};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_model::text::{Document, File, Mode, Span};
use std::collections::BTreeMap;

/// A conversion that was carried out.
pub(super) struct Done {
    pub text: String,
    pub findings: Vec<Finding>,
}

/// Rounds in which only the documents that are wrong are printed. After them all are, so that the work is bounded.
const ROUNDS: usize = 8;

/// Makes the new text, reads it again, compares, and judges it. `settled`: objects that stay as they are.
pub(super) fn carry_out(
    input: &Input<'_>,
    plans: &[Plan],
    settled: &[(usize, Job)],
    release: Release,
    options: &ConvertOptions,
) -> Result<Done, Box<Finding>> {
    let limits = &options.limits;
    let mut expected = Vec::with_capacity(plans.len());
    for plan in plans {
        let document = document(input, plan)?;
        let mut tree = document.tree.clone();
        let root = value::document(&mut tree, plan.root, plan.head.as_ref(), &plan.jobs());
        expected.push((tree, root));
    }
    let mut reasons: Vec<Option<Message>> = vec![None; plans.len()];
    let mut text = rewritten(input, plans, &expected, &mut reasons, limits)?;
    let mut findings = Vec::new();
    for round in 0.. {
        let result = reread(&text, limits);
        let mut wrong = differing(input, &result, plans, &expected);
        let Some(&first) = wrong.first() else {
            // What is left out by request takes its comments with it.
            if !options.lossy && !options.drop_server_fields {
                findings = lost_comments(input, &result, plans, &reasons)?;
            }
            break;
        };
        if round >= ROUNDS {
            wrong = (0..plans.len()).collect();
        }
        let mut any = false;
        for at in wrong {
            if let Some(reason @ None) = reasons.get_mut(at) {
                *reason = Some(message!(
                    "convert.anchor-shared",
                    "the anchor or merge key to change is also used elsewhere"
                ));
                any = true;
            }
        }
        // Printed, a document does not depend on its anchors any more.
        if !any {
            return Err(Box::new(disagrees(place(input, plans, first))));
        }
        text = rewritten(input, plans, &expected, &mut reasons, limits)?;
    }
    for (plan, reason) in plans.iter().zip(&reasons) {
        if let Some(reason) = reason {
            findings.push(printed_finding(
                document(input, plan)?,
                plan,
                reason,
                options.lossy,
            ));
        }
    }
    let objects = plans.iter().flat_map(|plan| &plan.objects);
    for object in objects {
        findings.extend(unserved(input, object.index, &object.job, options.release));
    }
    findings.extend(validity(input, plans, settled, &text, release, limits)?);
    Ok(Done { text, findings })
}

/// Says why a document is printed.
fn reason_to_print(reason: edit::Unsafe, tree: &Tree<'_>) -> Message {
    if reason == edit::Unsafe::Form && has_only_comments(tree) {
        return message!(
            "convert.comment-in-brackets",
            "a comment is inside the brackets of a field to change"
        );
    }
    reason.reason()
}

/// Returns true for a text with comments in which no node has an anchor or a tag, or is an alias, and no key is written with `? `.
fn has_only_comments(tree: &Tree<'_>) -> bool {
    let is_plain = |id: NodeId| {
        let node = tree.node(id);
        node.properties.is_empty() && !matches!(node.kind, Kind::Alias(_))
    };
    let mut lines = tree.source().lines();
    !tree.comments.is_empty()
        && tree.ids().all(is_plain)
        && !lines.any(|line| line.trim_start().starts_with("? "))
}

fn document<'i, 's>(input: &'i Input<'s>, plan: &Plan) -> Result<&'i Document<'s>, Box<Finding>> {
    input
        .file
        .documents
        .get(plan.document)
        .ok_or_else(|| Box::new(disagrees(Span::at(0))))
}

fn place(input: &Input<'_>, plans: &[Plan], at: usize) -> Span {
    let document = plans
        .get(at)
        .and_then(|plan| input.file.documents.get(plan.document));
    document.map_or(Span::at(0), |document| document.span)
}

/// Rewrites the file with every document edited, or printed if `reasons` has an entry for it. Each step between two versions is
/// one round of edits on the result of the previous round.
fn rewritten(
    input: &Input<'_>,
    plans: &[Plan],
    expected: &[(Tree<'_>, NodeId)],
    reasons: &mut [Option<Message>],
    limits: &Limits,
) -> Result<String, Box<Finding>> {
    // Each restart prints at least one more document, so the loop ends.
    'all: loop {
        let mut edits = Vec::new();
        let mut again = false;
        for ((plan, (tree, root)), reason) in plans.iter().zip(expected).zip(reasons.iter_mut()) {
            let written = document(input, plan)?;
            if reason.is_none() {
                match edited(&written.tree, plan) {
                    Ok(more) => edits.extend(more),
                    Err(one) => *reason = Some(reason_to_print(one, &written.tree)),
                }
            }
            if reason.is_some() {
                edits.push(printed(written, tree, plan.root, *root, limits)?);
            }
        }
        let mut text = edit::apply(input.file.source.text(), &edits);
        let rounds = plans
            .iter()
            .flat_map(Plan::jobs)
            .map(|(_, job)| job.passes().len())
            .max()
            .unwrap_or(0);
        for round in 0..rounds {
            let mut edits = Vec::new();
            {
                let file = reread(&text, limits);
                for (plan, reason) in plans
                    .iter()
                    .zip(reasons.iter_mut())
                    .filter(|(_, reason)| reason.is_none())
                {
                    let found = file.documents.get(plan.document);
                    let more = match found.and_then(|found| Some((&found.tree, found.root?))) {
                        Some((tree, root)) => reshaped(input, tree, root, plan, round),
                        None => Err(edit::Unsafe::Form),
                    };
                    match more {
                        Ok(more) => edits.extend(more),
                        Err(one) => {
                            let written = document(input, plan)?;
                            *reason = Some(reason_to_print(one, &written.tree));
                            again = true;
                        }
                    }
                }
            }
            if again {
                continue 'all;
            }
            text = edit::apply(&text, &edits);
        }
        return Ok(text);
    }
}

/// Reads a generated text without size limits: an edit may add a few bytes and nodes, and the original was within the limits. It has
/// something else behind JSON only where that was read in the original.
pub(super) fn reread<'t>(text: &'t str, limits: &Limits) -> File<'t> {
    let limits = Limits {
        bytes: usize::MAX,
        nodes: usize::MAX,
        ..*limits
    };
    stream::read_after(text, AfterJson::ReadOn, &limits)
}

fn edited(tree: &Tree<'_>, plan: &Plan) -> Result<Vec<Edit>, edit::Unsafe> {
    let indent = edits::sequence_indent(tree);
    let mut all = Edits::new();
    if let Some(head) = &plan.head {
        all.append(edits::object(tree, plan.root, head, indent)?);
    }
    for object in &plan.objects {
        all.append(edits::object(tree, object.node, &object.job, indent)?);
    }
    all.sorted()
}

/// Makes one round of shape changes on a text that was already edited, whose nodes therefore differ from the input's.
fn reshaped(
    input: &Input<'_>,
    tree: &Tree<'_>,
    root: NodeId,
    plan: &Plan,
    round: usize,
) -> Result<Vec<Edit>, edit::Unsafe> {
    let unit = lines::unit(tree);
    let mut all = Edits::new();
    for object in &plan.objects {
        let item = input.items.get(object.index).ok_or(edit::Unsafe::Form)?;
        let node = match item.list_index {
            None => root,
            Some(at) => {
                let items = tree
                    .get(root, "items")
                    .map_or(&[][..], |items| tree.items(items));
                *items.get(at).ok_or(edit::Unsafe::Form)?
            }
        };
        if let Some(pass) = object.job.passes().get(round) {
            all.append(shape::object(tree, node, pass, unit)?);
        }
    }
    all.sorted()
}

fn printed(
    document: &Document<'_>,
    tree: &Tree<'_>,
    old_root: NodeId,
    root: NodeId,
    limits: &Limits,
) -> Result<Edit, Box<Finding>> {
    let text = tree.source();
    let old = edit::whole(tree, old_root);
    let mut out = String::new();
    let whole = match document.mode {
        Mode::Json => printing::json(tree, root, Order::Source, limits.bytes, &mut out),
        Mode::Yaml => print::yaml(
            tree,
            root,
            edit::line_break(text, old.from()),
            limits.bytes,
            &mut out,
        ),
    };
    if !whole {
        let problem = message!(
            "convert.too-large",
            "the converted document has more than {bytes} bytes once aliases are written out",
            bytes = limits.bytes
        );
        return Err(Box::new(
            Finding::new(Code::LimitBytes, problem)
                .with_span(document.span)
                .with_help(message!(
                    "convert.too-large-help",
                    "write the document with fewer aliases"
                )),
        ));
    }
    let before = text.get(..old.from()).unwrap_or("");
    let start = if document.mode == Mode::Yaml {
        before.trim_end_matches(' ').len()
    } else {
        before.len()
    };
    let end = edit::content_end(tree, old_root).max(old.to());
    Ok(Edit {
        span: Span::new(start, end),
        new_text: out,
    })
}

/// Returns the finding for a printed document. Comments may only be lost if losses are allowed.
fn printed_finding(document: &Document<'_>, plan: &Plan, reason: &str, lossy: bool) -> Finding {
    let tree = &document.tree;
    let old = edit::whole(tree, plan.root);
    let whole = old.from()..old.to();
    let bare = !tree
        .comments
        .iter()
        .any(|comment| whole.contains(&comment.from()));
    let hidden = tree
        .ids()
        .flat_map(|node| tree.entries(node))
        .any(|entry| entry.shadowed && !entry.merged);
    let message = match (bare, hidden) {
        (true, false) => message!(
            "convert.printed",
            "the whole document is rewritten: {reason}",
            reason
        ),
        (false, false) => printed_without_comments(reason),
        (true, true) => message!(
            "convert.printed-without-replaced",
            "the whole document is rewritten, without the keys that a later key of the same name replaces: {reason}",
            reason
        ),
        (false, true) => message!(
            "convert.printed-without-both",
            "the whole document is rewritten, without its comments and anchors and without the keys that a later key of the same name replaces: {reason}",
            reason
        ),
    };
    let mut finding = Finding::new(Code::ConversionPrinted, message)
        .with_span(Span::at(old.from()))
        .with_help(printed_help());
    if (!bare || hidden) && !lossy {
        finding.severity = Severity::Error;
        let is_about_comments = !hidden && has_only_comments(tree);
        finding.help = Some(Words::Ours(if is_about_comments {
            message!(
                "convert.printed-comments-help",
                "put the comments outside the brackets, or set `lossy` to `allow` to print the document"
            )
        } else {
            message!(
                "convert.printed-loss-help",
                "write the fields without anchors, aliases and merge keys, or set `lossy` to `allow` to print the document"
            )
        }));
        finding.command_help = Some(if is_about_comments {
            message!(
                "convert.printed-comments-command-help",
                "put the comments outside the brackets, or give `--allow-loss` to print the document"
            )
        } else {
            message!(
                "convert.printed-loss-command-help",
                "write the fields without anchors, aliases and merge keys, or give `--allow-loss` to print the document"
            )
        });
    }
    finding.object = plan.objects.first().map(|object| object.index);
    finding
}

/// Warns of the comments that the edited documents do not have any more. `reasons`: why a document was printed, which is said by itself.
fn lost_comments(
    input: &Input<'_>,
    result: &File<'_>,
    plans: &[Plan],
    reasons: &[Option<Message>],
) -> Result<Vec<Finding>, Box<Finding>> {
    let mut findings = Vec::new();
    for (plan, reason) in plans.iter().zip(reasons) {
        if let (None, Some(new)) = (reason, result.documents.get(plan.document)) {
            findings.extend(comments_lost_of(document(input, plan)?, &new.tree, plan));
        }
    }
    Ok(findings)
}

/// Warns of the comments beside what has no line of its own in the result.
fn comments_lost_of(old: &Document<'_>, new: &Tree<'_>, plan: &Plan) -> Vec<Finding> {
    let tree = &old.tree;
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    for comment in &new.comments {
        let count = kept.entry(new.slice(*comment).trim()).or_default();
        *count = count.saturating_add(1);
    }
    let mut findings = Vec::new();
    for comment in &tree.comments {
        if let Some(count) = kept.get_mut(tree.slice(*comment).trim())
            && *count > 0
        {
            *count = count.saturating_sub(1);
            continue;
        }
        let message = message!(
            "convert.comment-lost",
            "the comment is not in the result: the line that it is about goes"
        );
        let mut finding = Finding::of_severity(Code::ConversionLoss, Severity::Warning, message)
            .with_span(*comment);
        finding.object = plan.objects.first().map(|object| object.index);
        findings.push(finding);
    }
    findings
}

/// Says that a document is printed anew and loses its comments.
pub(super) fn printed_without_comments(reason: &str) -> Message {
    message!(
        "convert.printed-without-comments",
        "the whole document is rewritten, without its comments and anchors: {reason}",
        reason
    )
}

/// Says how a document is not printed anew.
pub(super) fn printed_help() -> Message {
    message!(
        "convert.printed-help",
        "write the fields without anchors, aliases and merge keys to keep the text as it is"
    )
}

pub(super) fn disagrees(span: Span) -> Finding {
    Finding::new(
        Code::ConversionDisagrees,
        message!(
            "convert.disagrees",
            "no result: the converted text does not have the same content as the converted object"
        ),
    )
    .with_span(span)
    .with_help(message!(
        "convert.disagrees-help",
        "report the manifest to claimkit's authors: this is an error of claimkit"
    ))
}

/// Returns the indexes of the plans whose documents do not hold the expected value. Documents without a plan must be unchanged.
/// Reading stops at a document that cannot be read: the list ends with it.
fn differing(
    input: &Input<'_>,
    result: &File<'_>,
    plans: &[Plan],
    expected: &[(Tree<'_>, NodeId)],
) -> Vec<usize> {
    let errors = result
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let end = errors
        .map(|finding| finding.span.map_or(0, Span::from))
        .min();
    let mut wrong = Vec::new();
    for (at, (plan, (tree, root))) in plans.iter().zip(expected).enumerate() {
        let new = result
            .documents
            .get(plan.document)
            .filter(|new| end.is_none_or(|end| new.span.to() <= end));
        let Some((new, new_root)) = new.and_then(|new| Some((new, new.root?))) else {
            wrong.push(at);
            return wrong;
        };
        let (mut want, mut have) = (String::new(), String::new());
        let whole = printing::json(tree, *root, Order::Sorted, usize::MAX, &mut want)
            && printing::json(&new.tree, new_root, Order::Sorted, usize::MAX, &mut have);
        if !whole || want != have {
            wrong.push(at);
        }
    }
    let all_read = end.is_none() && result.documents.len() == input.file.documents.len();
    if wrong.is_empty() && !all_read {
        (0..plans.len()).collect()
    } else {
        wrong
    }
}

/// Reports a kind that the release of the question does not serve in the new version, though it serves the version.
fn unserved(
    input: &Input<'_>,
    index: usize,
    job: &Job,
    release: Option<Release>,
) -> Option<Finding> {
    let release = release.filter(|release| job.to.served_by(*release))?;
    if job.target.in_release(release) {
        return None;
    }
    let message = message!(
        "convert.kind-not-served",
        "Kubernetes {release} does not serve `{kind}` of {version}",
        release,
        kind = job.new_kind,
        version = job.to.name
    );
    let mut finding = Finding::new(Code::ValidityLost, message);
    finding.object = Some(index);
    finding.span = input.items.get(index).map(|item| item.span);
    Some(finding)
}

/// Validates the result in the target release: what was converted, and the `settled` objects, which stay as they are. Rules that only
/// the result breaks are warnings.
fn validity(
    input: &Input<'_>,
    plans: &[Plan],
    settled: &[(usize, Job)],
    text: &str,
    release: Release,
    limits: &Limits,
) -> Result<Vec<Finding>, Box<Finding>> {
    let limits = Limits {
        bytes: usize::MAX,
        nodes: usize::MAX,
        ..*limits
    };
    let result = Input::read_unchecked(text, AfterJson::ReadOn, Some(release), &limits);
    let converted = plans.iter().flat_map(|plan| &plan.objects);
    let mut jobs: Vec<(usize, Job)> = converted.map(|object| (object.index, object.job)).collect();
    jobs.extend_from_slice(settled);
    let mut findings = Vec::new();
    for (index, job) in &jobs {
        let (Some(old), Some(new)) = (input.items.get(*index), result.items.get(*index)) else {
            return Err(Box::new(disagrees(Span::at(0))));
        };
        let before = judged_before(input, old, job);
        let after = judged_after(&result, new, job);
        let (Some((before, old_record)), Some(after)) = (before, after) else {
            return Err(Box::new(disagrees(old.span)));
        };
        let mut told = false;
        for error in after.errors_beside(&before) {
            if explained(job, error, &old_record) {
                continue;
            }
            let message = refused(job, error);
            let finding = Finding::new(Code::ValidityLost, message);
            findings.push(at_old(finding, input, old, *index, error));
            told = true;
        }
        if !told {
            findings.extend(refused_before(input, old, *index, &before, &after));
        }
        findings.extend(dropped(input, old, *index, &after, &before));
    }
    Ok(findings)
}

/// Returns the warning that an object is refused after the conversion as it was before, at its first error.
fn refused_before(
    input: &Input<'_>,
    old: &Item,
    index: usize,
    before: &Judged,
    after: &Judged,
) -> Option<Finding> {
    // kubectl writes the namespace, and of the status it sends nothing.
    let is_of_manifest = |error: &&FieldError| {
        error.code != Code::NamespaceRequired && !error.field.starts_with("status")
    };
    let error = after.errors.iter().find(is_of_manifest)?;
    let was = before.errors.iter().find(|was| was.code == error.code)?;
    let message = message!(
        "convert.refused-before",
        "Kubernetes {release} refuses the object after the conversion, too: {error}",
        release = after.release,
        error = error.message()
    );
    let mut finding = Finding::new(Code::ConversionRefusedBefore, message);
    finding.help = Some(
        message!(
            "convert.refused-before-help",
            "`claimkit validate` shows all that is wrong with it"
        )
        .into(),
    );
    Some(at_old(finding, input, old, index, was))
}

/// Judges an object as it was, by the release and the version of its shape.
fn judged_before<'i>(input: &'i Input<'_>, item: &Item, job: &Job) -> Option<(Judged, Record<'i>)> {
    let (api, release) = if job.written.name == job.from.name {
        job::api_of(item)?
    } else {
        let api = Api {
            version: job.from,
            kind: job.source,
        };
        (api, job::last_release(job.from, job.source))
    };
    let (api, record) = decoded_as(input, item, api, release)?;
    Some((judge(api, &record, release), record))
}

/// Judges an object as it is in the result, by the release that it becomes an object of.
fn judged_after(result: &Input<'_>, item: &Item, job: &Job) -> Option<Judged> {
    let (api, _) = job::api_of(item)?;
    if api.version.name != job.to.name || api.kind.kind != job.new_kind {
        return None;
    }
    let (api, record) = decoded_as(result, item, api, job.release)?;
    Some(judge(api, &record, job.release))
}

/// Returns what is new in a migrated object: the errors of a release, except those whose code the old object had too, and the fields
/// that it drops.
pub(super) fn not_accepted(
    input: &Input<'_>,
    old: usize,
    result: &Input<'_>,
    new: usize,
    release: Release,
) -> Vec<Finding> {
    let (Some(old_item), Some(new_item)) = (input.items.get(old), result.items.get(new)) else {
        return Vec::new();
    };
    let Some((api, record)) = decoded(result, new_item) else {
        return vec![disagrees(old_item.span)];
    };
    let before = match decoded(input, old_item) {
        Some((api, record)) => judge(api, &record, old_item.release),
        None => Judged::none(old_item.release),
    };
    let after = judge(api, &record, release);
    let mut findings = Vec::new();
    for error in after.errors_beside(&before) {
        let message = not_accepted_converted(error, release);
        let finding = Finding::new(Code::ValidityLost, message);
        findings.push(at_old(finding, input, old_item, old, error));
    }
    findings.extend(dropped(input, old_item, old, &after, &before));
    findings
}

/// Returns the object as the server of its release would hold it; `None` if it does not decode.
pub(crate) fn decoded<'i>(input: &'i Input<'_>, item: &Item) -> Option<(Api, Record<'i>)> {
    let (api, release) = job::api_of(item)?;
    decoded_as(input, item, api, release)
}

/// Returns the object as the server of a release would hold it, read by the tables of a version.
fn decoded_as<'i>(
    input: &'i Input<'_>,
    item: &Item,
    api: Api,
    release: Release,
) -> Option<(Api, Record<'i>)> {
    let how = How::reaching(input.mode(item), Via::Kubectl, release);
    let mut decoded = decode::decode(
        input.tree(item)?,
        item.node,
        api.kind.schema,
        api.version.name,
        how,
    );
    if decoded.answer.is_some() {
        return None;
    }
    if api.version.family == Family::Classic {
        defaults::apply(&mut decoded.record, &api, how.release);
    }
    Some((api, decoded.record))
}

/// What the server of a release says about an object.
struct Judged {
    release: Release,
    errors: Vec<FieldError>,
    /// The fields that it drops because a gate is off by default, with their paths as written.
    dropped: Vec<DroppedField>,
}

impl Judged {
    /// Returns the judgment without errors and dropped fields.
    fn none(release: Release) -> Self {
        Judged {
            release,
            errors: Vec::new(),
            dropped: Vec::new(),
        }
    }

    /// Returns the errors that the other judgment does not have. One of its errors stands for all of the same words, else for one of the
    /// same code: paths differ between versions, and words between releases.
    fn errors_beside<'j>(&'j self, before: &Judged) -> Vec<&'j FieldError> {
        let mut codes: Vec<Code> = before
            .errors
            .iter()
            .filter(|error| !is_among(error, &self.errors))
            .map(|error| error.code)
            .collect();
        let is_new = |error: &&FieldError| -> bool {
            let of_code = codes.iter().position(|code| *code == error.code);
            of_code.map(|at| codes.swap_remove(at)).is_none()
        };
        self.errors
            .iter()
            .filter(|error| !is_among(error, &before.errors))
            .filter(is_new)
            .collect()
    }
}

/// Returns true if a list has an error of the same code and words.
fn is_among(error: &FieldError, errors: &[FieldError]) -> bool {
    let mut same = errors.iter().filter(|other| other.code == error.code);
    same.any(|other| other.body == error.body)
}

/// Judges an object as a whole: as a new one, without the fields that the server drops, and its status.
fn judge(api: Api, record: &Record<'_>, release: Release) -> Judged {
    let context = Context::new(release);
    let mut filled = record.clone();
    // Defaults a second time change nothing.
    defaults::apply(&mut filled, &api, release);
    let Hub {
        record: in_hub,
        paths,
    } = Hub::of(api, release, filled);
    let mut kept = in_hub.clone();
    let mut dropped = match api.kind.object {
        ObjectKind::Device(kind) => {
            drops::apply(kind, &mut kept, None, WrittenPart::Object, &context)
        }
        ObjectKind::Classic(_) => Vec::new(),
    };
    let mut judged = context.errors();
    validation::run(api, &kept, Operation::Create, &context, &mut judged);
    if let ObjectKind::Device(kind) = api.kind.object {
        device::generated(api, kind, &kept, None, &context, &mut judged);
    }
    let mut errors = judged.into_list();
    if api.kind.status_in(release) {
        let status =
            validation::functions(api, &in_hub, Operation::UpdateStatus(&in_hub), &context);
        errors.extend(
            status
                .into_iter()
                .filter(|error| error.field.starts_with("status")),
        );
    }
    for error in &mut errors {
        if let Some(written) = paths.written(&error.steps) {
            error.steps = written;
        }
    }
    for field in &mut dropped {
        if let Some(written) = paths.written(&field.steps) {
            field.steps = written;
        }
    }
    Judged {
        release,
        errors,
        dropped,
    }
}

/// Returns true for an error about a handle without a driver, which has its own warning.
fn explained(job: &Job, error: &FieldError, old: &Record<'_>) -> bool {
    error.field.contains("resourceHandles") && super::handle_without_driver(old, job)
}

/// Says that the release of a conversion refuses its result.
fn refused(job: &Job, error: &FieldError) -> Message {
    if !job.is_settled() {
        return not_accepted_converted(error, job.release);
    }
    message!(
        "convert.settled-not-accepted",
        "Kubernetes {release} does not accept the object: {error}",
        release = job.release,
        error = error.message()
    )
}

fn not_accepted_converted(error: &FieldError, release: Release) -> Message {
    message!(
        "convert.not-accepted",
        "Kubernetes {release} does not accept the converted object: {error}",
        release,
        error = error.message()
    )
}

/// Returns the finding with the place of an error in the object as it was.
fn at_old(
    mut finding: Finding,
    input: &Input<'_>,
    old: &Item,
    index: usize,
    error: &FieldError,
) -> Finding {
    finding.path = Some(error.field.clone());
    finding.object = Some(index);
    finding.span = input
        .tree(old)
        .map(|tree| locate::locate_part(tree, old.node, &error.steps, error.part));
    finding
}

/// Returns the warnings about fields that the new release drops because of a gate for which the old one drops none.
fn dropped(
    input: &Input<'_>,
    old: &Item,
    index: usize,
    after: &Judged,
    before: &Judged,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for field in &after.dropped {
        if before.dropped.iter().any(|known| known.gate == field.gate) {
            continue;
        }
        let mut finding = field.finding(field.steps.clone(), after.release);
        finding.object = Some(index);
        finding.span = input
            .tree(old)
            .map(|tree| locate::locate_part(tree, old.node, &finding.steps, finding.part));
        findings.push(finding);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::PlannedObject;
    use crate::manifest::What;
    use claimkit_model::schema::classic::{v1alpha1, v1alpha2};

    /// Checks that a conversion whose result the target version does not know gives an error and no text.
    #[test]
    fn a_wrong_result_is_never_given() {
        let text = "apiVersion: resource.k8s.io/v1alpha1\nkind: ResourceClass\nmetadata: {name: c}\ndriverName: d\n";
        let input = Input::read(text, None, &Limits::default());
        let What::Ours(api) = input.items[0].what else {
            panic!("not recognized")
        };
        let right = Job::new(api, &v1alpha2::VERSION, false).unwrap();
        let wrong = [
            // The kind stays although the text says another one.
            Job {
                new_kind: "ResourceClasses",
                ..right
            },
            // The version is not changed.
            Job {
                to: &v1alpha1::VERSION,
                ..right
            },
        ];
        let release = Release::last_of(30);
        let carry_out = |job| {
            let item = &input.items[0];
            let plan = Plan {
                document: 0,
                root: item.node,
                head: None,
                objects: vec![PlannedObject {
                    index: 0,
                    node: item.node,
                    job,
                }],
            };
            carry_out(&input, &[plan], &[], release, &ConvertOptions::default())
        };
        assert_eq!(
            carry_out(right).ok().map(|done| done.text),
            Some(text.replace("v1alpha1", "v1alpha2"))
        );
        for job in wrong {
            assert_eq!(
                carry_out(job).err().map(|finding| finding.code),
                Some(Code::ConversionDisagrees)
            );
        }
    }

    /// Checks that text without the value is noticed, and so is a missing document.
    #[test]
    fn a_different_value_is_seen() {
        let text = "apiVersion: resource.k8s.io/v1alpha1\nkind: ResourceClass\nmetadata: {name: c}\ndriverName: d\n---\nb: 1\n";
        let input = Input::read_via(text, Via::Validator, None, &Limits::default());
        let document = &input.file.documents[0];
        let root = document.root.unwrap();
        let plans = [Plan {
            document: 0,
            root,
            head: None,
            objects: Vec::new(),
        }];
        let expected = [(document.tree.clone(), root)];
        let seen = |text: &str| {
            let result = reread(text, &Limits::default());
            differing(&input, &result, &plans, &expected)
        };
        assert!(seen(text).is_empty());
        assert_eq!(seen(&text.replace("driverName: d", "driverName: e")), [0]);
        assert_eq!(seen(&text.replace("---\n", "")), [0]);
        assert_eq!(seen(&text.replace("b: 1", "b: [")), [0]);
    }
}
