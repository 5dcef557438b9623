//! The verb `validate`: what kube-apiserver answers to a create, an update or a status update.
//!
//! What few objects need is in functions of its own here and in all that is called from here: an engine compiles a Wasm function
//! whole when it is first called, and that is most of what a first validation takes.

use super::answer::{Answer, Object, Told};
use super::case::{self, Case};
use super::parse::{nothing_checked, other_group, place};
use super::request::{Operation, Request};
use crate::finding::hints;
use crate::finding::suggest;
use crate::finding::{Code, Finding, Origin, Severity, Step};
use crate::manifest::{Input, Item, Passage, What};
use crate::rules::classic::references::{Here, Named, References};
use crate::server::status::Status;
use crate::text::bytes::HELP;

/// Answers `validate`.
pub fn validate(request: &Request) -> Answer {
    if matches!(request.operation, Operation::Patch | Operation::PatchStatus) {
        return super::patch::patch(request);
    }
    let unusable = |error: &str| Answer::unusable(Some("validate"), error);
    let Some(text) = request.text.as_deref() else { return unusable("`text` is missing: the manifest to validate") };
    let release = match request.release() {
        Ok(release) => release,
        Err(error) => return unusable(&error),
    };
    let via = request.via.unwrap_or_default();
    let old = match (request.operation, request.old.as_deref()) {
        (Operation::Create, _) => None,
        (_, None) => return unusable("`old` is missing: an update needs the stored object's text"),
        (_, Some(old)) => Some(Input::read_via(old, via, release, &request.limits)),
    };
    let mut told = Told::new(&request.limits);
    let mut answer = Answer::to("validate");
    let partners = case::partners(request, old.as_ref());
    let mut checked = false;
    let mut references = References::default();
    let mut passage = Passage::open(text, via, release, &request.limits);
    // Whether a text is one object, which is compared with the one stored whatever its name, is known at its end.
    while passage.advance(old.is_some()) {
        references.idle = answer.objects.is_empty() && passage.input.items.len() < 2 && passage.is_spent();
        let input = &passage.input;
        let source = &input.file.source;
        let first = answer.objects.len();
        for item in &input.items {
            let index = answer.objects.len();
            let mut object = Object::placed(input, item);
            let here = |tree, namespace| Here { index, item, tree, namespace };
            match &item.what {
                What::Other => {
                    object.status = Some(None);
                    if let Some(tree) = input.tree(item) {
                        references.other(here(tree, in_namespace(request, &item.namespace)));
                    }
                    let (valid, finding) = other(input, item, index);
                    checked |= valid.is_some();
                    object.valid = Some(valid);
                    told.add(source, finding);
                }
                What::Refused(finding) => {
                    checked = true;
                    object.valid = Some(Some(false));
                    let (status, finding) = refused(input, item, index, finding);
                    object.status = Some(status);
                    told.add(source, finding);
                }
                What::Ours(api) => {
                    checked = true;
                    let case = Case { request, input, item, index, api: *api, old: old.as_ref(), partners: &partners };
                    let verdict = case.judge(&mut references);
                    let refused = verdict.status.is_some() || verdict.findings.iter().any(|f| f.severity == Severity::Error);
                    object.valid = Some(Some(!refused));
                    object.status = Some(verdict.status.map(Box::new));
                    for finding in verdict.findings {
                        told.add(source, place(input, item, index, finding));
                    }
                }
            }
            answer.objects.push(object);
        }
        for (object, item) in answer.objects.iter_mut().skip(first).zip(&mut passage.input.items) {
            object.named(item);
        }
    }
    let Input { mut file, .. } = passage.input;
    // What is wrong with the text comes first, then what is wrong with the stored objects.
    let mut findings = std::mem::take(&mut file.findings);
    match request.damage("old") {
        Some(why) => findings.push(stored_damaged(why)),
        None => {
            for finding in old.iter().flat_map(|old| &old.file.findings) {
                findings.push(stored(finding));
            }
        }
    }
    let tell = &mut |finding| told.add(&file.source, finding);
    references.missing(&|index| answer.objects.get(index).map(named), in_namespace(request, ""), tell);
    let refused = told.refused || findings.iter().any(|finding| finding.severity == Severity::Error);
    if !checked && !refused {
        told.add(&file.source, nothing_checked(answer.objects.is_empty()));
    }
    answer.ok = checked && !refused && answer.objects.iter().all(|object| object.valid != Some(Some(false)));
    answer.findings = told.behind(&file.source, findings);
    answer
}

fn named(object: &Object) -> Named<'_> {
    let Object { api_version, kind, name, namespace, .. } = object;
    Named { api_version, kind, name, namespace }
}

/// What is said of an object of another group, and whether it is valid as far as that is known.
fn other(input: &Input<'_>, item: &Item, index: usize) -> (Option<bool>, Finding) {
    match misspelled(input, item) {
        Some(finding) => (Some(false), place(input, item, index, finding)),
        None => (None, other_group(item, index)),
    }
}

/// The server's answer to an object whose kind it does not know, `None` where not even the kind is there; and what is said of it.
fn refused(input: &Input<'_>, item: &Item, index: usize, finding: &Finding) -> (Option<Box<Status>>, Finding) {
    let version = item.api_version.rsplit('/').next().unwrap_or_default();
    let unicode = item.release.rules().unicode;
    let status = (!item.kind.is_empty()).then(|| Status::undecodable(&item.kind, version, &finding.message, unicode));
    let mut finding = finding.clone();
    if let Some(tree) = input.tree(item).filter(|_| finding.code == Code::UnknownKind) {
        hints::kind(&mut finding, &item.api_version, &item.kind, item.release, tree, item.node);
    }
    (status.map(Box::new), place(input, item, index, finding))
}

/// The namespace an object of the text ends up in.
pub fn in_namespace<'a>(request: &'a Request, given: &'a str) -> &'a str {
    if given.is_empty() { request.namespace.as_deref().unwrap_or("default") } else { given }
}

/// An object of a group that looks like ours, of one of our kinds.
fn misspelled(input: &Input<'_>, item: &Item) -> Option<Finding> {
    let right = suggest::group(&item.api_version)?;
    let message = format!("`{}` is not the API group of Dynamic Resource Allocation: write `{right}`", item.api_version);
    let mut finding = Finding::error(Code::GroupMisspelled, Origin::Claimkit, message);
    finding.steps = vec![Step::Key("apiVersion".to_owned())];
    let tree = input.tree(item)?;
    hints::scalar(&mut finding, tree, tree.get(item.node, "apiVersion"), &right);
    Some(finding)
}

/// A finding about the stored object: it has no place in the text.
pub fn stored(finding: &Finding) -> Finding {
    stored_unreadable(&finding.message).with_help("give the object as the server stores it in `old`")
}

/// The same where its bytes are no text.
pub fn stored_damaged(why: &str) -> Finding {
    stored_unreadable(why).with_help(HELP)
}

fn stored_unreadable(why: &str) -> Finding {
    Finding::error(Code::StoredObject, Origin::Claimkit, format!("the stored object cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_object_refers_to_nothing_in_its_text() {
        let alone = "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: a}
spec:
  resourceClassName: c
  parametersRef: {apiGroup: resource.k8s.io, kind: ResourceClaim, name: b}
";
        let told = |text: String| {
            let answer = validate(&Request { verb: "validate".to_owned(), text: Some(text), ..Request::default() });
            answer.findings.iter().filter(|finding| finding.code == Code::ParametersNotInInput.name()).count()
        };
        assert_eq!(told(alone.to_owned()), 0);
        // Documents without an object make it no text of two.
        assert_eq!(told(format!("{alone}---\n# end\n---\n")), 0);
        assert_eq!(told(format!("{alone}---\n{}", alone.replace("name: a", "name: c"))), 2);
    }

    #[test]
    fn one_object_is_compared_with_the_one_stored_and_several_by_name() {
        let claim = |name: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {{name: {name}}}\nspec: {{resourceClassName: c}}\n"
            )
        };
        let lacking = |text: String| {
            let request = Request {
                verb: "validate".to_owned(),
                operation: Operation::Update,
                old: Some(claim("a")),
                text: Some(text),
                ..Request::default()
            };
            let answer = validate(&request);
            let lacks =
                |finding: &&super::super::answer::Finding| finding.message.starts_with("no stored object to compare with");
            answer.findings.iter().filter(lacks).map(|finding| finding.object).collect::<Vec<_>>()
        };
        assert_eq!(lacking(claim("b")), []);
        assert_eq!(lacking(format!("{}---\n# end\n", claim("b"))), []);
        assert_eq!(lacking(format!("{}---\n{}", claim("b"), claim("a"))), [Some(0)]);
        assert_eq!(lacking(format!("{}---\n{}", claim("a"), claim("b"))), [Some(1)]);
    }
}
