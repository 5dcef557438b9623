//! Violations of the settings in the API server's form: path, kind of error, detail.

use crate::policy::compare::{Reasons, Violation};
use crate::policy::refusals::{JudgedPart, Subject};
use crate::policy::settings::{NameList, Settings};
use crate::policy::{classic, devices};
use claimkit_model::finding::{Code, Finding, Path};
use claimkit_model::schema::{GROUP, ObjectKind, Release, VERSIONS};

/// Returns the setting a code belongs to, as an audit annotation names it.
pub fn setting(code: Code) -> &'static str {
    match code {
        Code::PolicyApiVersion => "apiVersions",
        Code::PolicyDeviceClass => "deviceClasses",
        Code::PolicyResourceClass | Code::PolicyFallback => "resourceClasses",
        Code::PolicyAllocationMode => "allocationModes",
        Code::PolicyAdminAccess => "adminAccess",
        Code::PolicyTaintRule => "deviceTaintRules",
        Code::PolicySliceTaints => "sliceTaints",
        Code::PolicyDriver => "drivers",
        Code::PolicyParametersRef => "parametersRef",
        Code::PolicySuitableNodes => "suitableNodes",
        Code::PolicyAvailableOnNodes => "availableOnNodes",
        Code::PolicyShareable => "shareable",
        Code::PolicyLimits => "limits",
        Code::PolicyTolerations => "tolerations",
        Code::PolicySelectors => "selectors",
        Code::PolicyOpaqueParameters => "opaqueParameters",
        Code::PolicyExtendedResources => "extendedResourceNames",
        Code::PolicyPods => "pods",
        Code::PolicyCluster => "cluster",
        Code::AdmissionRequest | Code::NamespaceMismatch => "request",
        Code::PolicySettings => "settings",
        _ => "validation",
    }
}

/// Returns the setting that a finding comes from.
pub fn setting_of(finding: &Finding) -> &'static str {
    let path = finding.path.as_deref().unwrap_or_default();
    match finding.code {
        Code::PolicyFallback if path.ends_with("allocationMode") || path.ends_with("count") => {
            "allocationModes"
        }
        Code::PolicyFallback if path.ends_with("deviceClassName") => "deviceClasses",
        code => setting(code),
    }
}

/// Returns everything about the object that the settings do not accept, in the order of the settings.
pub fn violations(settings: &Settings, subject: Subject<'_>) -> Vec<Violation> {
    let mut errors = Reasons::new(subject.release);
    if subject.part != JudgedPart::Status {
        api_version(settings, subject.written, subject.release, &mut errors);
        deprecated(settings, subject, &mut errors);
        match subject.api.kind.object {
            ObjectKind::Classic(kind) => classic::of_object(kind, settings, subject, &mut errors),
            ObjectKind::Device(kind) => devices::of_object(kind, settings, subject, &mut errors),
        }
    }
    if subject.part != JudgedPart::Object && subject.api.kind.object.is_claim() {
        match subject.api.kind.object {
            ObjectKind::Classic(_) => classic::of_status(settings, subject, &mut errors),
            ObjectKind::Device(_) => devices::of_status(settings, subject, &mut errors),
        }
    }
    errors.into_violations()
}

/// Returns the errors about the version of an object of this group, known here or not.
pub fn version_violations(settings: &Settings, version: &str, release: Release) -> Vec<Violation> {
    let mut errors = Reasons::new(release);
    api_version(settings, version, release, &mut errors);
    errors.into_violations()
}

fn api_version(settings: &Settings, version: &str, release: Release, errors: &mut Reasons) {
    if settings.api_versions.accepts(version) {
        return;
    }
    let path = Path::ROOT.field("apiVersion");
    let name = format!("{GROUP}/{version}");
    match &settings.api_versions {
        NameList::Allow(patterns) => {
            let full: Vec<String> = patterns
                .iter()
                .map(|pattern| format!("{GROUP}/{pattern}"))
                .collect();
            let full: Vec<&str> = full.iter().map(String::as_str).collect();
            errors.not_supported(Code::PolicyApiVersion, &path, &name, &full);
        }
        _ => {
            let quoted = claimkit_values::quote(&name, release.rules().unicode);
            errors.forbidden(
                Code::PolicyApiVersion,
                &path,
                &format!("{quoted} is denied by the policy"),
            );
        }
    }
}

/// Adds the error for a version that the server calls deprecated, in the server's words.
fn deprecated(settings: &Settings, subject: Subject<'_>, errors: &mut Reasons) {
    let kind = subject.api.kind.kind;
    let Some(version) = VERSIONS
        .iter()
        .find(|version| version.name == subject.written)
    else {
        return;
    };
    let row = version.kinds.iter().find(|known| known.kind == kind);
    let lifecycle = row.and_then(|known| known.lifecycle_in(subject.release));
    let warning = lifecycle
        .and_then(|lifecycle| lifecycle.warning(version.api_version, kind, subject.release));
    let Some(detail) = warning else {
        return;
    };
    if settings.deprecated_denied {
        errors.forbidden(
            Code::PolicyApiVersion,
            &Path::ROOT.field("apiVersion"),
            &detail,
        );
    }
}
