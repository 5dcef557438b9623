//! The verb `validate`: kube-apiserver's answer to a create, an update, a status update or a patch.

use super::answer::Answer;
use super::request::{self, OperationName, ValidateRequest, Verb};
use super::sources::{Manifest, Texts, validate_sources};
use crate::apiserver::options::{self, ValidateOptions};
use crate::apiserver::text;
use claimkit_model::message::Words;

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
    let operation = match (request.operation, stored.as_ref().map(Manifest::source)) {
        (OperationName::Create, _) => options::Operation::Create,
        (_, None) => {
            return Err(Words::english(
                "`old` is missing: an update needs the stored object's text",
            ));
        }
        (OperationName::UpdateStatus, Some(old)) => options::Operation::UpdateStatus(old),
        (_, Some(old)) => options::Operation::Update(old),
    };
    let options = ValidateOptions {
        release,
        operation,
        ..request.options()
    };
    Ok(Answer::from(text::validate(manifest.source(), &options)))
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
    fn one_object_is_compared_with_the_one_stored_and_several_by_name() {
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
        assert_eq!(lacking(claim("b")), []);
        assert_eq!(lacking(format!("{}---\n# end\n", claim("b"))), []);
        assert_eq!(
            lacking(format!("{}---\n{}", claim("b"), claim("a"))),
            [Some(0)]
        );
        assert_eq!(
            lacking(format!("{}---\n{}", claim("a"), claim("b"))),
            [Some(1)]
        );
    }
}
