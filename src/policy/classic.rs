//! Violations of the settings in objects of v1alpha1 and v1alpha2.

use crate::api::classic::v1alpha2::ALLOCATION_MODES;
use crate::api::{ClassicKind, Release};
use crate::finding::{Code, Path};
use crate::go;
use crate::policy::refusals::{Subject, driver, node_rule, refuse, refuse_class};
use crate::policy::settings::{GroupKind, GroupKinds, Settings};
use crate::record::{Record, Value};
use crate::rules::Errors;

/// Judges an object without its status.
pub fn of_object(kind: ClassicKind, settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let object = subject.object;
    let root = Path::ROOT;
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
            driver(settings, subject.release, object, "driverName", &root, errors);
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
        ClassicKind::ResourceSlice => driver(settings, subject.release, object, "driverName", &root, errors),
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

/// Judges the status of a claim.
pub fn of_status(settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let Some(status) = subject.object.record("status") else { return };
    let root = Path::ROOT;
    let path = root.field("status");
    driver(settings, subject.release, status, "driverName", &path, errors);
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
    let class = spec.str("resourceClassName");
    // The API server rejects a missing class itself, unless its rules are switched off.
    if !class.is_empty() || settings.validation_off {
        let (rule, path) = (&settings.resource_classes, path.field("resourceClassName"));
        refuse_class(rule, Code::PolicyResourceClass, &path, class, subject.namespace, release, errors);
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

/// Writes a kind with its group in Kubernetes' way: `ConfigMap`, `GpuParameters.gpu.example.com`.
fn group_kind(group: &str, kind: &str) -> String {
    if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") }
}

fn drivers(settings: &Settings, release: Release, holder: &Record<'_>, path: &Path<'_>, list: &str, errors: &mut Errors) {
    let path = path.field(list);
    for (at, item) in holder.list(list).iter().filter_map(Value::as_record).enumerate() {
        driver(settings, release, item, "driverName", &path.index(at), errors);
    }
}

fn shareable(settings: &Settings, holder: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    if settings.shareable_denied && holder.bool("shareable") {
        errors.forbidden(Code::PolicyShareable, &path.field("shareable"), "the policy accepts nothing that is shareable");
    }
}
