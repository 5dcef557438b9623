//! Cluster queries for the settings: whether classes exist, the number of claims in a namespace, the classes of a pod's claims.

use crate::apiserver::Body;
use crate::manifest::{self, What};
use crate::policy::cluster::{self, ClusterReader, ListQuery, Lookup};
use crate::policy::compare::{self, Reasons, Violation};
use crate::policy::devices;
use crate::policy::namespace::StoredNeeds;
use crate::policy::refusals::{Subject, applying};
use crate::policy::settings::{Settings, SumLimit, SumOf};
use crate::policy::sums::{self, Sum, Total};
use crate::validation::Bad;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{How, Via};
use claimkit_model::object::view::device::{self, DeviceClaim};
use claimkit_model::object::view::{
    Object, ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate,
};
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
        unchanged: false,
    }
}

/// Returns the part of a claim or a template that asks for devices; an empty one for any other kind.
pub fn devices_of<'r>(api: Api, object: &'r Record<'r>) -> DeviceClaim<'r> {
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
    if settings.cluster.class_exists {
        classes_exist(cluster, subject, &mut errors);
    }
    if subject.api.kind.object.is_claim() {
        if let Some(most) = settings.cluster.max_claims {
            claims_of_namespace(most, cluster, subject, stored, &mut errors);
        }
        namespace_sums(settings, cluster, subject, stored, &mut errors);
    }
    errors.into_violations()
}

/// Checks that the classes which an object names are in the cluster.
fn classes_exist(cluster: &dyn ClusterReader, subject: Subject<'_>, errors: &mut Reasons) {
    let api_version = subject.api.version.api_version;
    let kind = match subject.api.kind.object {
        ObjectKind::Classic(_) => "ResourceClass",
        ObjectKind::Device(_) => "DeviceClass",
    };
    let mut seen = BTreeSet::new();
    each_class(subject.api, subject.object, &mut |class, path| {
        if class.is_empty() || !seen.insert(class.to_owned()) {
            return;
        }
        if seen.len() > MOST {
            if seen.len() == MOST.saturating_add(1) {
                too_many(CODE, path, errors);
            }
            return;
        }
        match cluster::get(cluster, api_version, kind, class, None) {
            Lookup::Found(_) => {}
            Lookup::Missing => errors.not_found(CODE, path, class),
            Lookup::Failed(problem) => failed(CODE, &problem, path, errors),
        }
    });
}

/// Checks that a namespace has at most so many claims, with the new one.
fn claims_of_namespace(
    most: usize,
    cluster: &dyn ClusterReader,
    subject: Subject<'_>,
    stored: bool,
    errors: &mut Reasons,
) {
    let namespace = subject.namespace.name;
    if namespace.is_empty() {
        return;
    }
    let root = Path::ROOT;
    let metadata = root.field("metadata");
    let path = metadata.field("namespace");
    let api_version = subject.api.version.api_version;
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
        Err(problem) => failed(CODE, &problem, &path, errors),
    }
}

/// Checks what all claims of a namespace ask for together, with a new one. `stored`: it is among them.
fn namespace_sums(
    settings: &Settings,
    cluster: &dyn ClusterReader,
    subject: Subject<'_>,
    stored: bool,
    errors: &mut Reasons,
) {
    let (code, api, namespace) = (Code::PolicyLimits, subject.api, subject.namespace);
    if !settings.sums(SumOf::Namespace) || namespace.name.is_empty() {
        return;
    }
    let Some(limits) = applying(&settings.limits, code, namespace, errors) else {
        return;
    };
    let devices = devices_of(api, subject.object);
    let own = |limit: &SumLimit| Sum::of(limit, devices);
    let sums = limits.sums_of(SumOf::Namespace);
    let asking: Vec<&SumLimit> = sums.filter(|limit| !own(limit).is_nothing()).collect();
    if asking.is_empty() {
        return;
    }
    let root = Path::ROOT;
    let metadata = root.field("metadata");
    let path = metadata.field("namespace");
    let query = ListQuery {
        api_version: api.version.api_version,
        kind: "ResourceClaim",
        namespace: Some(namespace.name),
        parts: &["metadata.name", "spec"],
    };
    let mut others = vec![Sum::default(); asking.len()];
    let name = Object::new(subject.object).metadata().name();
    let read = each_listed(cluster, query, subject, &mut |claim| {
        if stored && Object::new(claim).metadata().name() == name {
            return;
        }
        for (sum, limit) in others.iter_mut().zip(&asking) {
            sum.add(&Sum::of(limit, devices_of(api, claim)));
        }
    });
    if let Err(problem) = read {
        return failed(code, &problem, &path, errors);
    }
    for (sum, limit) in others.iter().zip(asking) {
        let total = Total {
            limit,
            own: &own(limit),
            others: sum,
            release: subject.release,
        };
        sums::check(total, &path, errors);
    }
}

/// Calls with each object of a list, read as one of `subject`'s kind and version.
///
/// # Errors
/// Why the host could not answer.
fn each_listed(
    cluster: &dyn ClusterReader,
    query: ListQuery<'_>,
    subject: Subject<'_>,
    then: &mut dyn FnMut(&Record<'_>),
) -> Result<(), String> {
    let kind = subject.api.version.kind(query.kind, subject.release);
    let Some(kind) = kind else {
        return Ok(());
    };
    let api = Api {
        version: subject.api.version,
        kind,
    };
    let list = cluster::list(cluster, query)?;
    let (tree, root) = cluster::parse(&list)?;
    for &item in cluster::items(&tree, root)? {
        let how = How::reaching(Mode::Json, Via::Validator, subject.release);
        then(Body::read(&tree, item, api, how).record());
    }
    Ok(())
}

/// Returns the violations by a new or changed class that need the cluster. `stored`: the class before an update.
pub fn class_violations(
    settings: &Settings,
    cluster: &dyn ClusterReader,
    subject: Subject<'_>,
    stored: Option<&Record<'_>>,
) -> Vec<Violation> {
    let mut errors = Reasons::new(subject.release);
    if settings.cluster.unique_extended_resource_names {
        unique_name(cluster, subject, stored, &mut errors);
    }
    if settings.cluster.keep_used_classes
        && is_class(subject.api)
        && stored.is_some_and(|stored| !compare::leaves_spec(subject.object, stored))
    {
        kept_if_used(cluster, subject, &mut errors);
    }
    errors.into_violations()
}

fn is_class(api: Api) -> bool {
    matches!(
        api.kind.object,
        ObjectKind::Device(DeviceKind::DeviceClass)
            | ObjectKind::Classic(ClassicKind::ResourceClass)
    )
}

/// Returns the extended resource of a device class.
fn resource(class: &Record<'_>) -> Option<String> {
    let spec = device::DeviceClass::new(class).spec();
    let name = spec.extended_resource_name();
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Checks that no other class has the extended resource of a class.
fn unique_name(
    cluster: &dyn ClusterReader,
    subject: Subject<'_>,
    stored: Option<&Record<'_>>,
    errors: &mut Reasons,
) {
    if subject.api.kind.object != ObjectKind::Device(DeviceKind::DeviceClass) {
        return;
    }
    let Some(name) = resource(subject.object) else {
        return;
    };
    if stored.is_some_and(|stored| resource(stored).as_ref() == Some(&name)) {
        return;
    }
    let own = Object::new(subject.object).metadata().name();
    let query = ListQuery {
        api_version: subject.api.version.api_version,
        kind: "DeviceClass",
        namespace: None,
        parts: &["metadata.name", "spec.extendedResourceName"],
    };
    let mut other = None;
    let read = each_listed(cluster, query, subject, &mut |class| {
        let class_name = Object::new(class).metadata().name();
        if class_name != own && resource(class).as_ref() == Some(&name) {
            other.get_or_insert_with(|| class_name.to_owned());
        }
    });
    let root = Path::ROOT;
    let spec = root.field("spec");
    let path = spec.field("extendedResourceName");
    let unicode = subject.release.rules().unicode;
    match (read, other) {
        (Err(problem), _) => failed(CODE, &problem, &path, errors),
        (Ok(()), Some(other)) => {
            let other = claimkit_values::quote(&other, unicode);
            let detail = format!("the class {other} has this name already");
            errors.invalid(CODE, &path, Bad::Str(&name), &detail);
        }
        (Ok(()), None) => {}
    }
}

/// Checks that no claim with an allocation names a class that changes.
fn kept_if_used(cluster: &dyn ClusterReader, subject: Subject<'_>, errors: &mut Reasons) {
    let name = Object::new(subject.object).metadata().name();
    let query = ListQuery {
        api_version: subject.api.version.api_version,
        kind: "ResourceClaim",
        namespace: None,
        parts: &[
            "metadata.name",
            "metadata.namespace",
            "spec",
            "status.allocation",
        ],
    };
    let mut used: Option<String> = None;
    let mut count = 0usize;
    let read = each_listed(cluster, query, subject, &mut |claim| {
        if uses(claim, name) {
            let metadata = Object::new(claim).metadata();
            used.get_or_insert_with(|| format!("{}/{}", metadata.namespace(), metadata.name()));
            count = count.saturating_add(1);
        }
    });
    let root = Path::ROOT;
    let path = match subject.api.kind.object {
        ObjectKind::Device(_) => root.field("spec"),
        ObjectKind::Classic(_) => root.field("metadata"),
    };
    match (read, used) {
        (Err(problem), _) => failed(CODE, &problem, &path, errors),
        (Ok(()), Some(used)) => {
            let more = match count.saturating_sub(1) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let detail = format!(
                "the class may not change while claims that name it have an allocation: {used}{more}"
            );
            errors.forbidden(CODE, &path, &detail);
        }
        (Ok(()), None) => {}
    }
}

/// Returns true if a claim has an allocation and names a class: the request that an allocated device is for, or an alternative of it.
fn uses(claim: &Record<'_>, class: &str) -> bool {
    let classic = ResourceClaim::new(claim);
    if classic.spec().resource_class_name() == class {
        return classic.status().allocation().is_some();
    }
    let of_devices = device::ResourceClaim::new(claim);
    let Some(allocation) = of_devices.status().allocation() else {
        return false;
    };
    let results = allocation.devices();
    let is_allocated = |request: &str, alternative: Option<&str>| {
        let name = match alternative {
            Some(alternative) => format!("{request}/{alternative}"),
            None => request.to_owned(),
        };
        results
            .results()
            .iter()
            .any(|result| result.request() == name)
    };
    let requests = of_devices.spec().devices();
    requests.requests().iter().any(|request| {
        let name = request.name();
        let own = request
            .exactly()
            .or_else(|| request.is_flat().then(|| request.flat()));
        own.is_some_and(|own| own.device_class_name() == class && is_allocated(name, None))
            || request.first_available().iter().any(|alternative| {
                alternative.device_class_name() == class
                    && is_allocated(name, Some(alternative.name()))
            })
    })
}

/// Adds the error of a setting for a host that could not answer.
pub fn failed(code: Code, problem: &str, path: &Path<'_>, errors: &mut Reasons) {
    let problem = problem.lines().next().unwrap_or_default();
    errors.internal(
        code,
        path,
        &format!("the policy's host cannot look it up: {problem}"),
    );
}

/// Adds the error for more names than are looked up.
pub fn too_many(code: Code, path: &Path<'_>, errors: &mut Reasons) {
    errors.forbidden(
        code,
        path,
        &format!("the policy looks up at most {MOST} names of one object"),
    );
}

/// Looks up a claim or template that a pod names, and calls with its API and with the object. It is not called if the object does not
/// exist yet: the pod waits for it, and it is judged when it is created.
///
/// # Errors
/// Why it is not known.
pub fn referenced(
    cluster: &dyn ClusterReader,
    kind: &str,
    name: &str,
    namespace: &str,
    release: Release,
    then: &mut dyn FnMut(Api, &Record<'_>),
) -> Result<(), String> {
    // The newest version that the release serves by default.
    let Some(version) = VERSIONS
        .iter()
        .rev()
        .find(|version| version.served_by(release) && version.kind(kind, release).is_some())
    else {
        return Ok(());
    };
    let text = match cluster::get(cluster, version.api_version, kind, name, Some(namespace)) {
        Lookup::Found(text) => text,
        Lookup::Missing => return Ok(()),
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
    let how = How::reaching(Mode::Json, Via::Validator, release);
    then(api, Body::read(&document.tree, root, api, how).record());
    Ok(())
}
