//! The verb `validate`: kube-apiserver's answer to a create, an update, a status update or a patch.

use super::answer::Answer;
use super::request::{self, OperationName, ValidateRequest, Verb};
use super::sources::{Manifest, Texts, validate_sources};
use crate::apiserver::options::{self, ValidateOptions};
use crate::apiserver::text;
use crate::convert::{ConvertOptions, convert};
use crate::manifest::{Input, What};
use claimkit_model::finding::{Finding, Severity};
use claimkit_model::message::Words;
use claimkit_model::schema::Version;
use claimkit_model::text::SourceText;
use claimkit_model::text::print::{self, Order};

/// Answers `validate`.
pub fn validate(request: &ValidateRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Validate, error))
}

fn answer(request: &ValidateRequest) -> Result<Answer, Words> {
    if matches!(
        request.operation,
        OperationName::Patch | OperationName::PatchStatus
    ) {
        return super::patch::patch(request);
    }
    let release = request::release(request.release.as_deref())?;
    if let (None, Some(sources), OperationName::Create) =
        (&request.text, &request.sources, request.operation)
    {
        let options = ValidateOptions {
            release,
            ..request.options()
        };
        return Ok(validate_sources(sources, &options));
    }
    let manifest = Manifest::of(
        request.text.as_deref(),
        request.sources.as_deref(),
        "the manifest to validate",
    )?;
    let stored = request.old.as_ref().map(Texts::manifest);
    let asked = ValidateOptions {
        release,
        ..request.options()
    };
    let given = stored.as_ref().map(Manifest::source);
    let converted = given.and_then(|old| in_versions_of(manifest.source(), old, &asked));
    let old = converted.as_deref().map(SourceText::from).or(given);
    let operation = match (request.operation, old) {
        (OperationName::Create, _) => options::Operation::Create,
        (_, None) => {
            return Err(Words::english(
                "`old` is missing: an update needs the stored object's text",
            ));
        }
        (OperationName::UpdateStatus, Some(old)) => options::Operation::UpdateStatus(old),
        (_, Some(old)) => options::Operation::Update(old),
    };
    let options = ValidateOptions { operation, ..asked };
    Ok(Answer::from(text::validate(manifest.source(), &options)))
}

/// Returns the stored objects in the versions of the new ones, as the server converts them before it compares; `None` if they are in
/// these versions, or cannot be converted. Where the new ones are in several versions, each stored object is there in each, as it was
/// given first.
fn in_versions_of(
    new: SourceText<'_>,
    old: SourceText<'_>,
    options: &ValidateOptions<'_>,
) -> Option<String> {
    let (new, stored) = (read(new, options), read(old, options));
    let release = new.items.first()?.release;
    let (wanted, from) = (versions(&new), versions(&stored));
    if from.iter().any(|from| !from.served_by(release)) {
        return None;
    }
    let differs = |to: &&'static Version| {
        from.iter()
            .any(|from| from.name != to.name && from.family == to.family)
    };
    let to = wanted
        .iter()
        .copied()
        .filter(|to| to.served_by(release))
        .filter(differs);
    let choices = ConvertOptions::default()
        .lossy(true)
        .release(release)
        .limits(options.limits);
    let mut texts = to.filter_map(|to| convert(old.text(), to, &choices).text);
    if wanted.len() == 1 {
        return texts.next();
    }
    let texts: Vec<String> = texts.collect();
    // What cannot be read of the stored objects is said of the text that was given.
    if texts.is_empty() || stored.file.findings.iter().any(is_error) {
        return None;
    }
    let mut documents = String::new();
    add_objects(&stored, &mut documents);
    for text in &texts {
        add_objects(&read(SourceText::from(text), options), &mut documents);
    }
    Some(documents)
}

fn read<'t>(text: SourceText<'t>, options: &ValidateOptions<'_>) -> Input<'t> {
    Input::read_via(text, options.via, options.release, &options.limits)
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// Adds each object of a text as a document. The texts themselves cannot be put together: one may be YAML, and another one JSON.
fn add_objects(input: &Input<'_>, documents: &mut String) {
    for item in &input.items {
        if let Some(tree) = input.tree(item) {
            documents.push_str("---\n");
            print::json(tree, item.node, Order::Source, usize::MAX, documents);
            documents.push('\n');
        }
    }
}

/// Returns the versions of the objects of a text, each once.
fn versions(input: &Input<'_>) -> Vec<&'static Version> {
    let mut found: Vec<&'static Version> = Vec::new();
    for item in &input.items {
        let What::Ours(api) = &item.what else {
            continue;
        };
        if found.iter().all(|known| known.name != api.version.name) {
            found.push(api.version);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::finding::Code;

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
            let answer = validate(&ValidateRequest {
                text: Some(text),
                ..ValidateRequest::default()
            });
            answer
                .findings
                .iter()
                .filter(|finding| finding.code == Code::ParametersNotInInput)
                .count()
        };
        assert_eq!(told(alone.to_owned()), 0);
        // Empty documents do not count as objects.
        assert_eq!(told(format!("{alone}---\n# end\n---\n")), 0);
        assert_eq!(
            told(format!(
                "{alone}---\n{}",
                alone.replace("name: a", "name: c")
            )),
            2
        );
    }

    #[test]
    fn objects_are_compared_with_those_stored_under_their_names() {
        let claim = |name: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {{name: {name}}}\nspec: {{resourceClassName: c}}\n"
            )
        };
        let lacking = |text: String| {
            let request = ValidateRequest {
                operation: OperationName::Update,
                old: Some(claim("a").into()),
                text: Some(text),
                ..ValidateRequest::default()
            };
            let answer = validate(&request);
            let lacks = |finding: &&super::super::answer::LocatedFinding| {
                finding
                    .message
                    .starts_with("no stored object to compare with")
            };
            answer
                .findings
                .iter()
                .filter(lacks)
                .map(|finding| finding.object)
                .collect::<Vec<_>>()
        };
        // kubectl looks an object up by its name.
        assert_eq!(lacking(claim("b")), [Some(0)]);
        assert_eq!(lacking(claim("a")), []);
        assert_eq!(lacking(format!("{}---\n# end\n", claim("a"))), []);
        assert_eq!(
            lacking(format!("{}---\n{}", claim("b"), claim("a"))),
            [Some(0)]
        );
        assert_eq!(
            lacking(format!("{}---\n{}", claim("a"), claim("b"))),
            [Some(1)]
        );
    }

    /// A dump of a cluster is in v1; what is kept in Git may be in several versions.
    #[test]
    fn stored_objects_are_converted_for_each_version() {
        let class = |name: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: {name}, resourceVersion: \"3\"}}\nspec: {{}}\n"
            )
        };
        let claim = |version: &str, request: &str| {
            format!(
                "apiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\nmetadata: {{name: t, resourceVersion: \"3\"}}\nspec: {{devices: {{requests: [{{name: g, {request}}}]}}}}\n"
            )
        };
        let old = format!(
            "{}---\n{}",
            claim(
                "v1",
                "exactly: {deviceClassName: x, allocationMode: ExactCount, count: 1}"
            ),
            class("c")
        );
        // As `kubectl get -o json` prints them, one after the other.
        let stream = concat!(
            r#"{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "t", "resourceVersion": "3"}, "#,
            r#""spec": {"devices": {"requests": [{"name": "g", "exactly": {"deviceClassName": "x", "allocationMode": "ExactCount", "count": 1}}]}}}"#,
            "\n",
            r#"{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c", "resourceVersion": "3"}, "spec": {}}"#,
        );
        let said_beside = |old: &str, text: String| {
            let request = ValidateRequest {
                operation: OperationName::Update,
                release: Some("1.34".to_owned()),
                old: Some(old.to_owned().into()),
                text: Some(text),
                ..ValidateRequest::default()
            };
            let findings = validate(&request).findings.into_iter();
            let errors = findings
                .filter(|finding| finding.severity == claimkit_model::finding::Severity::Error);
            errors
                .map(|finding| finding.message.to_string())
                .collect::<Vec<_>>()
        };
        let said = |text: String| said_beside(&old, text);
        let both = format!(
            "{}---\n{}",
            claim("v1beta1", "deviceClassName: x"),
            class("c")
        );
        assert_eq!(said(both.clone()), Vec::<String>::new());
        assert_eq!(said_beside(stream, both.clone()), Vec::<String>::new());
        let changed = said(both.replace("deviceClassName: x", "deviceClassName: other"));
        assert!(
            changed.iter().any(|error| error.contains("immutable")),
            "{changed:?}"
        );
        assert_eq!(
            said(class("zz")),
            ["no stored object to compare with: `old` holds no DeviceClass `zz`"]
        );
        let other = claim("v1", "exactly: {deviceClassName: x}").replace("name: t", "name: u");
        assert_eq!(
            said(other),
            [
                "no stored object to compare with: `old` holds no ResourceClaim `u` in namespace `default`"
            ]
        );
    }
}
