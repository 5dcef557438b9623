//! Violations of the settings in objects of v1alpha1 and v1alpha2.

use crate::policy::compare::Reasons;
use crate::policy::refusals::{Subject, driver, drivers, node_rule, refuse, refuse_class};
use crate::policy::settings::{GroupKind, GroupKinds, Settings, ValidationMode};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{
    DriverRequests, ResourceClaim, ResourceClaimParameters, ResourceClaimParametersReference,
    ResourceClaimSpec, ResourceClaimTemplate, ResourceClass, ResourceClassParameters,
    ResourceFilter, ResourceHandle, ResourceSlice, VendorParameters,
};
use claimkit_model::schema::classic::v1alpha2::ALLOCATION_MODES;
use claimkit_model::schema::{ClassicKind, Release};

/// Judges an object without its status.
pub fn of_object(
    kind: ClassicKind,
    settings: &Settings,
    subject: Subject<'_>,
    errors: &mut Reasons,
) {
    let (object, release) = (subject.object, subject.release);
    let root = Path::ROOT;
    match kind {
        ClassicKind::ResourceClaim => {
            claim_spec(
                settings,
                subject,
                ResourceClaim::new(object).spec(),
                &root.field("spec"),
                errors,
            );
        }
        ClassicKind::ResourceClaimTemplate => {
            let outer = root.field("spec");
            let spec = ResourceClaimTemplate::new(object).spec().spec();
            claim_spec(settings, subject, spec, &outer.field("spec"), errors);
        }
        ClassicKind::ResourceClass => {
            let class = ResourceClass::new(object);
            driver(
                settings,
                release,
                class.driver_name(),
                &root.field("driverName"),
                errors,
            );
            let (rule, path) = (&settings.suitable_nodes, root.field("suitableNodes"));
            node_rule(
                rule,
                Code::PolicySuitableNodes,
                class.suitable_nodes(),
                &path,
                release,
                errors,
            );
        }
        ClassicKind::ResourceSlice => {
            driver(
                settings,
                release,
                ResourceSlice::new(object).driver_name(),
                &root.field("driverName"),
                errors,
            );
        }
        ClassicKind::ResourceClaimParameters => {
            let parameters = ResourceClaimParameters::new(object);
            shareable(settings, parameters.shareable(), &root, errors);
            let names = parameters
                .driver_requests()
                .iter()
                .map(DriverRequests::driver_name);
            drivers(
                settings,
                release,
                names,
                &root.field("driverRequests"),
                "driverName",
                errors,
            );
        }
        ClassicKind::ResourceClassParameters => {
            let parameters = ResourceClassParameters::new(object);
            let names = parameters
                .vendor_parameters()
                .iter()
                .map(VendorParameters::driver_name);
            drivers(
                settings,
                release,
                names,
                &root.field("vendorParameters"),
                "driverName",
                errors,
            );
            let names = parameters.filters().iter().map(ResourceFilter::driver_name);
            drivers(
                settings,
                release,
                names,
                &root.field("filters"),
                "driverName",
                errors,
            );
        }
        ClassicKind::PodSchedulingContext => {}
    }
}

/// Judges the status of a claim.
pub fn of_status(settings: &Settings, subject: Subject<'_>, errors: &mut Reasons) {
    let (status, release) = (ResourceClaim::new(subject.object).status(), subject.release);
    let root = Path::ROOT;
    let path = root.field("status");
    driver(
        settings,
        release,
        status.driver_name(),
        &path.field("driverName"),
        errors,
    );
    let Some(allocation) = status.allocation() else {
        return;
    };
    let path = path.field("allocation");
    let names = allocation
        .resource_handles()
        .iter()
        .map(ResourceHandle::driver_name);
    drivers(
        settings,
        release,
        names,
        &path.field("resourceHandles"),
        "driverName",
        errors,
    );
    let (rule, nodes) = (&settings.available_on_nodes, path.field("availableOnNodes"));
    node_rule(
        rule,
        Code::PolicyAvailableOnNodes,
        allocation.available_on_nodes(),
        &nodes,
        release,
        errors,
    );
    shareable(settings, allocation.shareable(), &path, errors);
}

fn claim_spec(
    settings: &Settings,
    subject: Subject<'_>,
    spec: ResourceClaimSpec<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    // Nothing is asked of a claim without a spec.
    if spec.record().is_none() {
        return;
    }
    let release = subject.release;
    let class = spec.resource_class_name();
    // The API server rejects a missing class itself, unless its rules are switched off.
    if !class.is_empty() || subject.validation != ValidationMode::Strict {
        let (rule, path) = (&settings.resource_classes, path.field("resourceClassName"));
        refuse_class(
            rule,
            Code::PolicyResourceClass,
            &path,
            class,
            subject.namespace,
            release,
            errors,
        );
    }
    let mode = spec.allocation_mode();
    if ALLOCATION_MODES.contains(&mode) || subject.validation != ValidationMode::Strict {
        refuse(
            &settings.allocation_modes,
            Code::PolicyAllocationMode,
            &path.field("allocationMode"),
            mode,
            release,
            errors,
        );
    }
    parameters_ref(
        settings,
        release,
        spec.parameters_ref(),
        &path.field("parametersRef"),
        errors,
    );
}

fn parameters_ref(
    settings: &Settings,
    release: Release,
    reference: Option<ResourceClaimParametersReference<'_>>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    const CODE: Code = Code::PolicyParametersRef;
    let Some(reference) = reference else {
        if settings.parameters_required {
            errors.required(CODE, path, "the policy asks for parameters");
        }
        return;
    };
    let (group, kind) = (reference.api_group(), reference.kind());
    let name = group_kind(group, kind);
    match &settings.parameters {
        GroupKinds::Allow(list) if !names_kind(group, kind, list) => {
            let names: Vec<String> = list
                .iter()
                .map(|item| group_kind(&item.group, &item.kind))
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            errors.not_supported(CODE, path, &name, &names);
        }
        GroupKinds::Deny(list) if names_kind(group, kind, list) => {
            let quoted = claimkit_values::quote(&name, release.rules().unicode);
            errors.forbidden(CODE, path, &format!("{quoted} is denied by the policy"));
        }
        _ => {}
    }
}

/// Returns true if a list has a kind.
fn names_kind(group: &str, kind: &str, list: &[GroupKind]) -> bool {
    list.iter().any(|item| item.matches(group, kind))
}

/// Writes a kind with its group in Kubernetes' way: `ConfigMap`, `GpuParameters.gpu.example.com`.
fn group_kind(group: &str, kind: &str) -> String {
    if group.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}.{group}")
    }
}

fn shareable(settings: &Settings, shareable: bool, path: &Path<'_>, errors: &mut Reasons) {
    if settings.shareable_denied && shareable {
        errors.forbidden(
            Code::PolicyShareable,
            &path.field("shareable"),
            "the policy accepts nothing that is shareable",
        );
    }
}
