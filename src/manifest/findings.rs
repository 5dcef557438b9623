//! Findings about objects: their positions, and the findings for unchecked objects.

use crate::advice::locate;
use crate::finding::{Code, Finding, Origin, TextField};
use crate::manifest::{Input, Item};
use crate::text::Span;

/// Fills object index and place of a finding.
pub fn place(input: &Input<'_>, item: &Item, index: usize, mut finding: Finding) -> Finding {
    finding.object = Some(index);
    if finding.span.is_none() && finding.within == TextField::Text {
        finding.span = input.tree(item).map(|tree| locate::locate(tree, item.node, &finding.steps, finding.at_key));
    }
    finding
}

/// An object of another group.
pub fn other_group(item: &Item, index: usize) -> Finding {
    let mut finding = Finding::info(
        Code::OtherGroup,
        Origin::Claimkit,
        format!("`{}` of `{}` was not checked: only objects of `resource.k8s.io` are", item.kind, item.api_version),
    )
    .with_span(Span::new(item.span.from(), item.span.from()));
    finding.object = Some(index);
    finding
}

/// The text contains no object of this group, or no object at all (`empty`).
pub fn nothing_checked(empty: bool) -> Finding {
    let what = if empty { "the text holds no object" } else { "the text holds no object of `resource.k8s.io`" };
    Finding::warning(Code::NothingChecked, Origin::Claimkit, format!("nothing was checked: {what}")).with_span(Span::at(0))
}
