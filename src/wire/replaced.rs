//! Texts that came as bytes with invalid UTF-8. Such a text is read, but answers do not rewrite it.

use super::answer::{self, Answer};
use super::content::Content;
use super::request::Request;
use crate::finding::{Code, Finding, Origin, TextField};
use crate::text::{Source, bytes};

/// Warns of the invalid bytes, and removes fixes and converted files, which would write U+FFFD in their place.
pub fn tell(request: &Request, answer: &mut Answer) {
    match &mut answer.content {
        Content::Fixes { fixes } => return fixes.retain(|_| request.replaced.text.is_none()),
        Content::Hover { .. } | Content::Complete { .. } => return,
        _ => {}
    }
    let text = request.text.as_deref().or(request.selector.as_deref());
    let nodes = request.nodes.as_ref().and_then(Option::as_deref);
    let given = request.replaced;
    for (field, text, at) in [
        (TextField::Text, text, given.text),
        (TextField::Nodes, nodes, given.nodes),
        (TextField::Old, request.old.as_deref(), given.old),
        (TextField::Patch, request.patch.as_deref(), given.patch),
        (TextField::Cluster, request.cluster.as_deref(), given.cluster),
    ] {
        let (Some(text), Some(at)) = (text, at) else { continue };
        for finding in answer.findings.iter_mut().filter(|finding| finding.within == field) {
            finding.fixes.clear();
        }
        let source = Source::new(text);
        answer.findings.insert(0, answer::finding(&source, bytes::warning(at as usize, field)));
        if field == TextField::Text && matches!(answer.content, Content::Convert { .. }) {
            answer.content = Content::Nothing;
            let message = "not converted: bytes of the text are not UTF-8 and would be lost";
            let refused = Finding::error(Code::NotUtf8, Origin::Claimkit, message).with_help("save the file as UTF-8");
            answer.findings.insert(0, answer::finding(&source, refused));
            answer.ok = false;
        }
    }
}
