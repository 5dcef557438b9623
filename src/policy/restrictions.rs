//! What the settings do not accept, said as the API server says it: path, kind of error, detail.

use crate::api::classic::v1alpha2::ALLOCATION_MODES;
use crate::api::{Api, ClassicKind, GROUP, ObjectKind, Release};
use crate::finding::{Code, Finding, Path};
use crate::go;
use crate::policy::nodes;
use crate::policy::settings::{GroupKind, GroupKinds, List, Node, NodeRule, Settings};
use crate::policy::{check, pattern};
use crate::record::{Record, Value};
use crate::rules::{Context, Errors, FieldError};

/// An object as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'r> {
    /// What it is.
    pub api: Api,
    /// The release whose words are used.
    pub release: Release,
    /// Its fields, defaulted.
    pub object: &'r Record<'r>,
    /// What of it is judged.
    pub part: Part,
    /// The namespace it goes to; empty if it has none.
    pub namespace: &'r str,
}

/// What of an object is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything but its status.
    Object,
    /// Its status alone.
    Status,
    /// An object as it is stored.
    Both,
}

/// The setting a code belongs to, as an audit annotation names it.
pub fn setting(code: Code) -> &'static str {
    match code {
        Code::PolicyApiVersion => "apiVersions",
        Code::PolicyResourceClass | Code::PolicyFallback => "resourceClasses",
        Code::PolicyAllocationMode => "allocationModes",
        Code::PolicyDriver => "drivers",
        Code::PolicyParametersRef => "parametersRef",
        Code::PolicySuitableNodes => "suitableNodes",
        Code::PolicyAvailableOnNodes => "availableOnNodes",
        Code::PolicyShareable => "shareable",
        Code::PolicyPods => "pods",
        Code::AdmissionRequest | Code::NamespaceMismatch => "request",
        Code::PolicySettings => "settings",
        _ => "validation",
    }
}

/// The setting that a finding comes from.
pub fn setting_of(finding: &Finding) -> &'static str {
    let mode = finding.path.as_deref().is_some_and(|path| path.ends_with("allocationMode"));
    if finding.code == Code::PolicyFallback && mode { "allocationModes" } else { setting(finding.code) }
}

/// Everything about the object that the settings do not accept, in the order of the settings.
pub fn violations(settings: &Settings, subject: Subject<'_>) -> Vec<FieldError> {
    let mut errors = Context::new(subject.release).errors();
    if subject.part != Part::Status {
        api_version(settings, subject.api.version.name, subject.release, &mut errors);
        of_object(settings, subject, &mut errors);
    }
    if subject.part != Part::Object {
        of_status(settings, subject, &mut errors);
    }
    errors.into_list()
}

/// The version of an object of this group, known here or not.
pub fn version_violations(settings: &Settings, version: &str, release: Release) -> Vec<FieldError> {
    let mut errors = Context::new(release).errors();
    api_version(settings, version, release, &mut errors);
    errors.into_list()
}

fn api_version(settings: &Settings, version: &str, release: Release, errors: &mut Errors) {
    if settings.api_versions.accepts(version) {
        return;
    }
    let path = Path::ROOT;
    let path = path.field("apiVersion");
    let name = format!("{GROUP}/{version}");
    match &settings.api_versions {
        List::Allow(patterns) => {
            let full: Vec<String> = patterns.iter().map(|pattern| format!("{GROUP}/{pattern}")).collect();
            let full: Vec<&str> = full.iter().map(String::as_str).collect();
            errors.not_supported(Code::PolicyApiVersion, &path, &name, &full);
        }
        _ => {
            let quoted = go::quote(&name, release.rules().unicode);
            errors.forbidden(Code::PolicyApiVersion, &path, &format!("{quoted} is denied by the policy"));
        }
    }
}

fn of_object(settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let object = subject.object;
    let root = Path::ROOT;
    let ObjectKind::Classic(kind) = subject.api.kind.object else { return };
    match kind {
        ClassicKind::ResourceClaim => {
            if let Some(spec) = object.record("spec") {
                claim_spec(settings, subject, spec, &root.field("spec"), errors);
            }
        }
        ClassicKind::ResourceClaimTemplate => {
            let outer = root.field("spec");
            if let Some(spec) = object.record("spec").and_then(|spec| spec.record("spec")) {
                claim_spec(settings, subject, spec, &outer.field("spec"), errors);
            }
        }
        ClassicKind::ResourceClass => {
            driver(settings, subject.release, object, &root, errors);
            let rule = &settings.suitable_nodes;
            node_rule(
                rule,
                Code::PolicySuitableNodes,
                object,
                &root.field("suitableNodes"),
                "suitableNodes",
                subject.release,
                errors,
            );
        }
        ClassicKind::ResourceSlice => driver(settings, subject.release, object, &root, errors),
        ClassicKind::ResourceClaimParameters => {
            shareable(settings, object, &root, errors);
            drivers(settings, subject.release, object, &root, "driverRequests", errors);
        }
        ClassicKind::ResourceClassParameters => {
            drivers(settings, subject.release, object, &root, "vendorParameters", errors);
            drivers(settings, subject.release, object, &root, "filters", errors);
        }
        ClassicKind::PodSchedulingContext => {}
    }
}

fn of_status(settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let Some(status) = subject.object.record("status").filter(|_| subject.api.kind.object.is_claim()) else { return };
    let root = Path::ROOT;
    let path = root.field("status");
    driver(settings, subject.release, status, &path, errors);
    let Some(allocation) = status.record("allocation") else { return };
    let path = path.field("allocation");
    if allocation.schema.slot("resourceHandles").is_some() {
        drivers(settings, subject.release, allocation, &path, "resourceHandles", errors);
    }
    let rule = &settings.available_on_nodes;
    let nodes = path.field("availableOnNodes");
    node_rule(rule, Code::PolicyAvailableOnNodes, allocation, &nodes, "availableOnNodes", subject.release, errors);
    shareable(settings, allocation, &path, errors);
}

fn claim_spec(settings: &Settings, subject: Subject<'_>, spec: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let release = subject.release;
    let classes = settings.classes_in(subject.namespace);
    let class = spec.str("resourceClassName");
    // A missing class is the API server's to refuse, unless its rules are switched off.
    if !class.is_empty() || settings.validation_off {
        refuse(classes, Code::PolicyResourceClass, &path.field("resourceClassName"), class, release, errors);
    }
    let mode = spec.str("allocationMode");
    if ALLOCATION_MODES.contains(&mode) || settings.validation_off {
        refuse(&settings.allocation_modes, Code::PolicyAllocationMode, &path.field("allocationMode"), mode, release, errors);
    }
    parameters_ref(settings, release, spec, &path.field("parametersRef"), errors);
}

fn parameters_ref(settings: &Settings, release: Release, spec: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    const CODE: Code = Code::PolicyParametersRef;
    let Some(reference) = spec.record("parametersRef") else {
        if settings.parameters_required {
            errors.required(CODE, path, "the policy asks for parameters");
        }
        return;
    };
    let (group, kind) = (reference.str("apiGroup"), reference.str("kind"));
    let name = group_kind(group, kind);
    let any = |list: &[GroupKind]| list.iter().any(|item| item.matches(group, kind));
    match &settings.parameters {
        GroupKinds::Allow(list) if !any(list) => {
            let names: Vec<String> = list.iter().map(|item| group_kind(&item.group, &item.kind)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            errors.not_supported(CODE, path, &name, &names);
        }
        GroupKinds::Deny(list) if any(list) => {
            let quoted = go::quote(&name, release.rules().unicode);
            errors.forbidden(CODE, path, &format!("{quoted} is denied by the policy"));
        }
        _ => {}
    }
}

/// Kubernetes' way of writing a kind with its group: `ConfigMap`, `GpuParameters.gpu.example.com`.
fn group_kind(group: &str, kind: &str) -> String {
    if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") }
}

/// Says that a list does not accept a name, if it does not.
pub fn refuse(list: &List, code: Code, path: &Path<'_>, name: &str, release: Release, errors: &mut Errors) {
    match list {
        List::Allow(patterns) if !pattern::any(patterns, name) => {
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            errors.not_supported(code, path, name, &patterns);
        }
        List::Deny(patterns) => {
            if let Some(denied) = patterns.iter().find(|denied| pattern::matches(denied, name)) {
                let unicode = release.rules().unicode;
                let mut detail = format!("{} is denied by the policy", go::quote(name, unicode));
                if denied != name {
                    detail.push_str(&format!(" as one of {}", go::quote(denied, unicode)));
                }
                errors.forbidden(code, path, &detail);
            }
        }
        _ => {}
    }
}

fn driver(settings: &Settings, release: Release, holder: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let name = holder.str("driverName");
    if !name.is_empty() {
        refuse(&settings.drivers, Code::PolicyDriver, &path.field("driverName"), name, release, errors);
    }
}

fn drivers(settings: &Settings, release: Release, holder: &Record<'_>, path: &Path<'_>, list: &str, errors: &mut Errors) {
    let path = path.field(list);
    for (at, item) in holder.list(list).iter().filter_map(Value::as_record).enumerate() {
        driver(settings, release, item, &path.index(at), errors);
    }
}

fn shareable(settings: &Settings, holder: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    if settings.shareable_denied && holder.bool("shareable") {
        errors.forbidden(Code::PolicyShareable, &path.field("shareable"), "the policy accepts nothing that is shareable");
    }
}

fn node_rule(
    rule: &NodeRule,
    code: Code,
    holder: &Record<'_>,
    path: &Path<'_>,
    field: &str,
    release: Release,
    errors: &mut Errors,
) {
    let selector = holder.record(field);
    if selector.is_none() && rule.required {
        errors.required(code, path, "the policy asks for a node selector");
        return;
    }
    if rule.must_select.is_empty() && rule.must_not_select.is_empty() {
        return;
    }
    let selected = nodes::Selected::by(selector, release);
    for node in rule.must_select.iter().filter(|node| !selected.surely(node)) {
        errors.forbidden(code, path, &format!("must select {}", shown_node(node)));
    }
    for node in rule.must_not_select.iter().filter(|node| selected.possibly(node)) {
        let without = if selector.is_none() { ", and without a selector every node is selected" } else { "" };
        errors.forbidden(code, path, &format!("must not select {}{without}", shown_node(node)));
    }
}

/// A node of the settings in words: ``node `n1` with `zone=a` ``.
fn shown_node(node: &Node) -> String {
    let labels: Vec<String> = node.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    match (node.name.is_empty(), labels.is_empty()) {
        (true, _) => format!("nodes with {}", check::shown(&labels.join(","))),
        (false, true) => format!("node {}", check::shown(&node.name)),
        (false, false) => format!("node {} with {}", check::shown(&node.name), check::shown(&labels.join(","))),
    }
}
