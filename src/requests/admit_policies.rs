//! The verb `admit` with `policies`: what an API server answers because of its own policies.

use super::admission::{EVERYBODY, MAX_OBJECT, ManifestObject, USER};
use super::admit_texts::{json_of, refused_settings};
use super::answer::Answer;
use super::content::{Content, JudgedObject};
use super::request::{self, AdmissionOperation, AdmitRequest, Verb};
use super::sources::Texts;
use crate::manifest::Input;
use crate::policy::validating::review::{GroupVersionKind, GroupVersionResource, Review};
use crate::policy::validating::{self, PolicyJudge, ValidatingPolicies};
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::schema::Release;
use claimkit_model::text::located::LocatedFinding;
use claimkit_model::text::print::{self, Order};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The namespace of objects that name none, if none is asked about.
const DEFAULT_NAMESPACE: &str = "default";

/// Answers about a request, or about the objects of manifests; without either, only the policies are checked.
///
/// # Errors
/// The request cannot be used.
pub(super) fn judge(policies: &str, request: &AdmitRequest) -> Result<Answer, Words> {
    if request.settings.is_some() {
        return Err(Words::english("give `settings` or `policies`, not both"));
    }
    if request.request.is_some() && request.manifests.is_some() {
        return Err(Words::english("give `request` or `manifests`, not both"));
    }
    let release = request::release(request.release.as_deref())?;
    let mut read = match ValidatingPolicies::read(policies) {
        Ok(policies) => policies,
        Err(problems) => return Ok(refused_settings(&problems)),
    };
    if read.is_empty() {
        return Err(Words::english(
            "`policies` has no ValidatingAdmissionPolicy of `admissionregistration.k8s.io`",
        ));
    }
    let problems = read.problems(release.unwrap_or(Release::latest()));
    if !problems.is_empty() {
        return Ok(refused_settings(&problems));
    }
    read.set_namespace(request.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE));
    if let Some(review) = json_of(&request.request) {
        return judge_request(&review, &read, request, release);
    }
    Ok(match &request.manifests {
        Some(manifests) => judge_manifests(manifests, read, request, release),
        None => Answer {
            ok: true,
            ..Answer::to(Verb::Admit)
        },
    })
}

/// Answers about a request. `release`: the one that is asked about.
///
/// # Errors
/// The request cannot be read.
fn judge_request(
    json: &str,
    policies: &ValidatingPolicies,
    request: &AdmitRequest,
    release: Option<Release>,
) -> Result<Answer, Words> {
    let review = Review::read(json)
        .map_err(|error| Words::english(format!("the request cannot be read: {error}")))?;
    let release = release.unwrap_or_else(|| review.default_release());
    let labels = request.namespace_labels.as_ref();
    let results = PolicyJudge::new(policies).judge(&review, labels, release);
    let response = validating::whole(&results);
    Ok(Answer {
        ok: response.as_ref().is_some_and(|response| response.accepted),
        content: Content::AdmitPolicies {
            response: response.and_then(|response| serde_json::value::to_raw_value(&response).ok()),
            results,
        },
        ..Answer::to(Verb::Admit)
    })
}

/// Answers about each object of manifests. `release`: the one that is asked about.
fn judge_manifests(
    manifests: &Texts,
    mut policies: ValidatingPolicies,
    request: &AdmitRequest,
    release: Option<Release>,
) -> Answer {
    let namespace = request.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
    let (objects, mut findings) = objects_of(manifests, namespace);
    let mut stored = Vec::new();
    if let Some(old) = &request.old {
        let (of_old, problems) = objects_of(old, namespace);
        stored = of_old;
        findings.extend(problems);
    }
    for Given { object, .. } in &objects {
        policies.add_object(
            &object.api_version,
            &object.kind,
            &object.namespace,
            object.json.get(),
        );
    }
    let user = user_of(request);
    let mut judge = PolicyJudge::new(&policies);
    let mut judged = Vec::new();
    for Given { object, file } in objects {
        let partner = stored.iter().find(|stored| stored.object.is(&object));
        let how = RequestOf {
            operation: request.operation,
            stored: partner.map(|partner| &partner.object),
            user: &user,
        };
        let Some(review) = review_of(&object, how) else {
            continue;
        };
        let release = release.unwrap_or_else(|| review.default_release());
        let results = judge.judge(&review, request.namespace_labels.as_ref(), release);
        judged.push(JudgedObject {
            api_version: object.api_version,
            kind: object.kind,
            namespace: object.namespace,
            name: object.name,
            file,
            response: validating::whole(&results),
            results,
        });
    }
    let are_accepted = judged.iter().all(|object| {
        let response = object.response.as_ref();
        response.is_some_and(|response| response.accepted)
    });
    Answer {
        ok: findings.is_empty() && are_accepted,
        findings,
        content: Content::AdmitManifests { judged },
        ..Answer::to(Verb::Admit)
    }
}

/// Returns the user of the requests about manifests, who is in the group of everybody.
fn user_of(request: &AdmitRequest) -> Value {
    let own = request.groups.iter().map(String::as_str);
    let mut groups: Vec<&str> = own.filter(|group| *group != EVERYBODY).collect();
    groups.push(EVERYBODY);
    json!({
        "username": request.username.as_deref().unwrap_or(USER),
        "groups": groups,
    })
}

/// An object of a manifest, and the name of its file.
struct Given {
    object: ManifestObject,
    file: Option<String>,
}

/// Reads the objects that policies may judge, without the policies among them, which a server never asks policies about.
fn objects_of(texts: &Texts, namespace: &str) -> (Vec<Given>, Vec<LocatedFinding>) {
    let manifest = texts.manifest();
    let mut input = Input::read(manifest.source(), None, &Limits::default());
    let errors = std::mem::take(&mut input.file.findings)
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error);
    let findings =
        super::answer::findings(&input.file.source, errors.collect(), &Limits::default());
    let objects = input.items.iter().filter_map(|item| {
        if item.kind.is_empty()
            || validating::is_policy(&item.api_version, &item.kind)
            || validating::is_mutating_policy(&item.api_version, &item.kind)
        {
            return None;
        }
        let mut json = String::new();
        let tree = input.tree(item)?;
        if !print::json(tree, item.node, Order::Source, MAX_OBJECT, &mut json) {
            return None;
        }
        let json = RawValue::from_string(json).ok()?;
        let file = input.file.source.name_of(item.span.from());
        Some(Given {
            object: ManifestObject::of(item, json, namespace),
            file: file.map(str::to_owned),
        })
    });
    let objects = objects.collect();
    (objects, findings)
}

/// What is known of the request about a manifest.
#[derive(Clone, Copy)]
struct RequestOf<'r> {
    /// `None`: an update of what is stored, else a creation.
    operation: Option<AdmissionOperation>,
    stored: Option<&'r ManifestObject>,
    user: &'r Value,
}

/// Makes the request about an object of a manifest; `None` if its JSON cannot be read.
fn review_of(object: &ManifestObject, how: RequestOf<'_>) -> Option<Review> {
    let operation = how.operation.unwrap_or(match how.stored {
        Some(_) => AdmissionOperation::Update,
        None => AdmissionOperation::Create,
    });
    let updated = how
        .stored
        .filter(|_| operation == AdmissionOperation::Update)
        .and_then(|stored| object.over(stored));
    let new: Option<Value>;
    let old: Option<Value>;
    if operation == AdmissionOperation::Delete {
        new = None;
        old = Some(how.stored.unwrap_or(object).in_namespace()?);
    } else if let Some((updated, stored)) = &updated {
        new = Some(updated.in_namespace()?);
        old = Some(stored.in_namespace()?);
    } else {
        new = Some(object.in_namespace()?);
        old = None;
    }
    let (group, version) = object.group_version();
    Some(Review {
        kind: GroupVersionKind {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: object.kind.clone(),
        },
        resource: GroupVersionResource {
            group: group.to_owned(),
            version: version.to_owned(),
            resource: object.plural.clone(),
        },
        converted_to: None,
        sub_resource: String::new(),
        name: object.name.clone(),
        namespace: object.namespace.clone(),
        operation: operation.name().to_owned(),
        user_info: how.user.clone(),
        object: new,
        old_object: old,
        dry_run: None,
        options: Value::Null,
    })
}
