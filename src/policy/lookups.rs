//! Cluster queries for the settings: whether classes exist, the number of claims in a namespace, the classes of a pod's claims.

use crate::apiserver::Body;
use crate::manifest::{self, What};
use crate::policy::cluster::{self, ClusterReader, Lookup};
use crate::policy::compare::{Reasons, Violation};
use crate::policy::devices;
use crate::policy::namespace::StoredNeeds;
use crate::policy::refusals::Subject;
use crate::policy::settings::Settings;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{How, Via};
use claimkit_model::object::view::device::{self, DeviceClaim};
use claimkit_model::object::view::{ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate};
use claimkit_model::schema::{Api, ClassicKind, DeviceKind, ObjectKind, Release, VERSIONS};
use claimkit_model::text::{Document, Mode, Span};
use std::collections::BTreeSet;

const CODE: Code = Code::PolicyCluster;

/// Maximum number of names of one object that are looked up: a claim has at most 32 requests of 8 alternatives each.
pub const MOST: usize = 256;

/// Returns the classes that a claim or a template names, each once.
pub fn classes(api: Api, object: &Record<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    each_class(api, object, &mut |class, _| {
        if !class.is_empty() && seen.len() < MOST && seen.insert(class.to_owned()) {
            names.push(class.to_owned());
        }
    });
    names
}

/// Returns the needs of a claim or a template that labels of its namespace may decide about.
pub fn asked(api: Api, object: &Record<'_>) -> StoredNeeds {
    let mut admin_access = false;
    devices::each_request(devices_of(api, object), &Path::ROOT, &mut |request, _| {
        admin_access |= request.admin_access()
    });
    StoredNeeds {
        classes: classes(api, object).into_iter().collect(),
        admin_access,
    }
}

/// Returns the part of a claim or a template that asks for devices; an empty one for any other kind.
fn devices_of<'r>(api: Api, object: &'r Record<'r>) -> DeviceClaim<'r> {
    match api.kind.object {
        ObjectKind::Device(DeviceKind::ResourceClaim) => {
            device::ResourceClaim::new(object).spec().devices()
        }
        ObjectKind::Device(DeviceKind::ResourceClaimTemplate) => {
            device::ResourceClaimTemplate::new(object)
                .spec()
                .spec()
                .devices()
        }
        _ => DeviceClaim::default(),
    }
}

/// Calls with each class and the path of its name.
fn each_class(api: Api, object: &Record<'_>, then: &mut dyn FnMut(&str, &Path<'_>)) {
    let root = Path::ROOT;
    let outer = root.field("spec");
    let inner = outer.field("spec");
    let path = if api.kind.object.is_template() {
        &inner
    } else {
        &outer
    };
    let mut named = |spec: ResourceClaimSpec<'_>| {
        then(spec.resource_class_name(), &path.field("resourceClassName"))
    };
    match api.kind.object {
        ObjectKind::Classic(ClassicKind::ResourceClaim) => named(ResourceClaim::new(object).spec()),
        ObjectKind::Classic(ClassicKind::ResourceClaimTemplate) => {
            named(ResourceClaimTemplate::new(object).spec().spec())
        }
        ObjectKind::Classic(_) => {}
        ObjectKind::Device(_) => {
            devices::each_request(
                devices_of(api, object),
                &path.field("devices"),
                &mut |request, path| {
                    then(request.device_class_name(), &path.field("deviceClassName"));
                },
            );
        }
    }
}

/// Returns the violations by a new claim or template that need the cluster. `stored`: it is already counted.
pub fn violations(
    settings: &Settings,
    cluster: &dyn ClusterReader,
    subject: Subject<'_>,
    stored: bool,
) -> Vec<Violation> {
    let mut errors = Reasons::new(subject.release);
    let api_version = subject.api.version.api_version;
    if settings.cluster.class_exists {
        let kind = match subject.api.kind.object {
            ObjectKind::Classic(_) => "ResourceClass",
            ObjectKind::Device(_) => "DeviceClass",
        };
        let mut seen = BTreeSet::new();
        each_class(subject.api, subject.object, &mut |class, path| {
            if !class.is_empty() && seen.insert(class.to_owned()) {
                if seen.len() > MOST {
                    if seen.len() == MOST.saturating_add(1) {
                        too_many(path, &mut errors);
                    }
                    return;
                }
                match cluster::get(cluster, api_version, kind, class, None) {
                    Lookup::Found(_) => {}
                    Lookup::Missing => errors.not_found(CODE, path, class),
                    Lookup::Failed(problem) => failed(&problem, path, &mut errors),
                }
            }
        });
    }
    let namespace = subject.namespace.name;
    if let Some(most) = settings
        .cluster
        .max_claims
        .filter(|_| subject.api.kind.object.is_claim() && !namespace.is_empty())
    {
        let root = Path::ROOT;
        let path = root.field("metadata");
        let path = path.field("namespace");
        match cluster::count(cluster, api_version, "ResourceClaim", namespace) {
            Ok(count) => {
                let with_this = if stored {
                    count
                } else {
                    count.saturating_add(1)
                };
                if with_this > most {
                    let detail = format!(
                        "the policy accepts at most {most} resource claims in a namespace, this one has {count}"
                    );
                    errors.forbidden(CODE, &path, &detail);
                }
            }
            Err(problem) => failed(&problem, &path, &mut errors),
        }
    }
    errors.into_violations()
}

/// Adds the error for a host that could not answer.
pub fn failed(problem: &str, path: &Path<'_>, errors: &mut Reasons) {
    let problem = problem.lines().next().unwrap_or_default();
    errors.internal(
        CODE,
        path,
        &format!("the policy's host cannot look it up: {problem}"),
    );
}

/// Adds the error for more names than are looked up.
pub fn too_many(path: &Path<'_>, errors: &mut Reasons) {
    errors.forbidden(
        CODE,
        path,
        &format!("the policy looks up at most {MOST} names of one object"),
    );
}

/// Looks up the classes of a claim or template that a pod names, with the API of the object. `None` if it does not exist yet: the
/// pod waits for it, and it is judged when it is created.
///
/// # Errors
/// Why they are not known.
pub fn classes_of(
    cluster: &dyn ClusterReader,
    kind: &str,
    name: &str,
    namespace: &str,
    release: Release,
) -> Result<Option<(Api, Vec<String>)>, String> {
    // The newest version that the release serves by default.
    let serves = |version: &&&claimkit_model::schema::Version| {
        version.served_by(release) && version.kind(kind, release).is_some()
    };
    let Some(version) = VERSIONS.iter().rev().find(serves) else {
        return Ok(None);
    };
    let text = match cluster::get(cluster, version.api_version, kind, name, Some(namespace)) {
        Lookup::Found(text) => text,
        Lookup::Missing => return Ok(None),
        Lookup::Failed(problem) => return Err(problem),
    };
    let (tree, root) = cluster::parse(&text)?;
    let document = Document {
        tree,
        root: Some(root),
        mode: Mode::Json,
        span: Span::new(0, text.len()),
    };
    let item = manifest::object(&document, root, Some(release));
    let What::Ours(api) = item.what else {
        return Err(format!("the host's answer is no {kind}"));
    };
    let body = Body::read(
        &document.tree,
        root,
        api,
        How::reaching(Mode::Json, Via::Validator, release),
    );
    Ok(Some((api, classes(api, body.record()))))
}
