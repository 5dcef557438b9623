//! The verb `validate`: kube-apiserver's answer to a create, an update, a status update or a patch.

use super::answer::Answer;
use super::request::{self, OperationName, ValidateRequest, Verb};
use super::sources::{Manifest, Texts, validate_sources};
use crate::apiserver::options::{self, ValidateOptions};
use crate::apiserver::text;
use crate::convert::{ConvertOptions, convert};
use crate::manifest::{Input, What};
use claimkit_model::message::Words;
use claimkit_model::schema::Version;
use claimkit_model::text::SourceText;

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
    let converted = given.and_then(|old| in_version_of(manifest.source(), old, &asked));
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

/// Returns the stored objects in the version of the new ones, as the server converts them before it compares; `None` if they are in
/// that version, or cannot be converted.
fn in_version_of(
    new: SourceText<'_>,
    old: SourceText<'_>,
    options: &ValidateOptions<'_>,
) -> Option<String> {
    let read = |text| Input::read_via(text, options.via, options.release, &options.limits);
    let new = read(new);
    let (from, to) = (only_version(&read(old))?, only_version(&new)?);
    let release = new.items.first()?.release;
    let are_served = from.served_by(release) && to.served_by(release);
    if from.name == to.name || from.family != to.family || !are_served {
        return None;
    }
    let choices = ConvertOptions::default()
        .lossy(true)
        .release(release)
        .limits(options.limits);
    convert(old.text(), to, &choices).text
}

/// Returns the version of the objects of a text, if all of them are in one.
fn only_version(input: &Input<'_>) -> Option<&'static Version> {
    let mut only: Option<&'static Version> = None;
    for item in &input.items {
        let What::Ours(api) = &item.what else {
            return None;
        };
        if only.is_some_and(|known| known.name != api.version.name) {
            return None;
        }
        only = Some(api.version);
    }
    only
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
