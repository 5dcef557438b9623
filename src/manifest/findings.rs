//! Findings about objects: their positions, and the findings for unchecked objects.

use crate::advice::locate;
use crate::manifest::{Input, Item};
use claimkit_model::finding::{Code, Finding, Severity, TextField};
use claimkit_model::message::message;
use claimkit_model::text::Span;
use claimkit_model::text::print::{self, Order};

/// Maximum number of bytes of an object that is compared with another of its name.
const MOST_COMPARED: usize = 1 << 20;

/// Fills object index and place of a finding.
pub fn place(input: &Input<'_>, item: &Item, index: usize, mut finding: Finding) -> Finding {
    finding.object = Some(index);
    if finding.span.is_none() && finding.within == TextField::Text {
        finding.span = input
            .tree(item)
            .map(|tree| locate::locate_part(tree, item.node, &finding.steps, finding.part));
    }
    finding
}

/// Reports an object of another group.
pub fn other_group(item: &Item, index: usize) -> Finding {
    let mut finding = Finding::new(
        Code::OtherGroup,
        message!(
            "manifest.other-group",
            "{kind} was not checked: only objects of `resource.k8s.io` are",
            kind = item.kind
        ),
    )
    .with_span(Span::new(item.span.from(), item.span.from()));
    finding.object = Some(index);
    finding
}

/// Reports an object that is in the text a second time; `first`: the one that counts.
pub fn repeated(input: &Input<'_>, first: usize, index: usize) -> Option<Finding> {
    let item = input.items.get(index)?;
    let text = |item: &Item, most: usize| {
        let mut text = String::new();
        input
            .tree(item)
            .is_some_and(|tree| print::json(tree, item.node, Order::Sorted, most, &mut text))
            .then_some(text)
    };
    // Of the first object no more is printed than this one has, so that many small ones beside a large one cost little.
    let (severity, is_different) = match text(item, MOST_COMPARED) {
        Some(own)
            if input
                .items
                .get(first)
                .and_then(|first| text(first, own.len()))
                .as_ref()
                == Some(&own) =>
        {
            (Severity::Info, false)
        }
        Some(_) => (Severity::Warning, true),
        None => (Severity::Warning, false),
    };
    let (kind, name) = (&item.kind, &item.name);
    let files = input.items.get(first).and_then(|first| {
        let source = &input.file.source;
        let file_of_first = source.name_of(first.span.from())?;
        let file = source.name_of(item.span.from())?;
        (file_of_first != file).then_some((file_of_first, file))
    });
    let message = match files {
        Some((first, second)) if is_different => message!(
            "manifest.in-two-files-different",
            "{kind} {name} is in `{first}` and in `{second}` with different contents: only the first one counts",
            kind,
            name,
            first,
            second
        ),
        Some((first, second)) => message!(
            "manifest.in-two-files",
            "{kind} {name} is in `{first}` and in `{second}`: only the first one counts",
            kind,
            name,
            first,
            second
        ),
        None if is_different => message!(
            "manifest.twice-different",
            "{kind} {name} is in the text twice with different contents: only the first one counts",
            kind,
            name,
        ),
        None => message!(
            "manifest.twice",
            "{kind} {name} is in the text twice: only the first one counts",
            kind,
            name
        ),
    };
    let mut finding = Finding::of_severity(Code::AlreadyExists, severity, message);
    finding.span = Some(item.span);
    finding.object = Some(index);
    Some(finding)
}

/// Reports an object of another group of whose pod the claims were checked.
pub fn claims_only(item: &Item, index: usize) -> Finding {
    let mut finding = Finding::new(
        Code::PodClaimsOnly,
        message!(
            "manifest.claims-only",
            "only the claims of this {kind} were checked",
            kind = item.kind
        ),
    )
    .with_span(Span::new(item.span.from(), item.span.from()));
    finding.object = Some(index);
    finding
}

/// Reports that the text contains no object of this group, or no object at all (`empty`).
pub fn nothing_checked(empty: bool) -> Finding {
    let message = if empty {
        message!(
            "manifest.no-object",
            "nothing was checked: the text holds no object"
        )
    } else {
        message!(
            "manifest.no-object-of-group",
            "nothing was checked: the text holds no object of `resource.k8s.io`"
        )
    };
    Finding::new(Code::NothingChecked, message).with_span(Span::at(0))
}
