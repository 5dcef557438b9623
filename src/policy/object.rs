//! The object of a request, read by the release that knows it. The API server has decoded it before it asks, so a kind or a field
//! that one release lacks is not the client's mistake: it belongs to another release.

use crate::apiserver::Body;
use crate::manifest::{self, Item, What};
use crate::policy::settings::{
    ClassRule, ExpressionRule, GroupKinds, NameList, NodeRule, Settings, TaintList,
};
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::message::Words;
use claimkit_model::object::decode::{How, StrictKind, Via};
use claimkit_model::schema::{Api, Gates, ObjectKind, Release, VERSIONS};
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_model::text::{Document, Mode};
use std::borrow::Cow;

/// Finds out what the object at a node is. If `release` does not serve its kind, the last release that does is used.
pub fn recognize(document: &Document<'_>, node: NodeId, release: Option<Release>) -> Item {
    let item = manifest::object(document, node, release);
    match &item.what {
        What::Refused(finding) if finding.code == Code::UnknownKind => {
            let later = manifest::object(document, node, None);
            if matches!(later.what, What::Ours(_)) {
                later
            } else {
                item
            }
        }
        _ => item,
    }
}

/// Reads an object by the rules of its item.
pub fn read<'t>(tree: &'t Tree<'_>, item: &Item, api: Api) -> Body<'t> {
    Body::read(
        tree,
        item.node,
        api,
        How::reaching(Mode::Json, Via::Validator, item.release),
    )
}

/// Reads an object, by the rules of another release if that one knows fields that the item's does not. The release with the fewest
/// unknown fields is taken, of those the newest.
pub fn read_by_best<'t>(document: &'t Document<'_>, item: Item, api: Api) -> (Item, Body<'t>) {
    let body = read(&document.tree, &item, api);
    let mut best = (item, body);
    let (oldest, newest) = (api.version.served.0, api.version.default_release().minor);
    for minor in (oldest..=newest).rev() {
        let left = unknown(&best.1);
        if left == 0 {
            break;
        }
        let item = manifest::object(document, best.0.node, Some(Release::last_of(minor)));
        if let What::Ours(api) = item.what {
            let body = read(&document.tree, &item, api);
            if body.mismatch().is_none() && unknown(&body) < left {
                best = (item, body);
            }
        }
    }
    best
}

/// Counts the fields that the release does not know.
pub fn unknown(body: &Body<'_>) -> usize {
    body.decoded
        .strict
        .iter()
        .filter(|strict| matches!(strict.kind, StrictKind::Unknown))
        .count()
}

/// Returns the gates of the settings for a release: they apply to the release of the settings only.
pub fn gates(settings: &Settings, release: Release) -> Option<Gates> {
    settings.gates.filter(|_| settings.release == Some(release))
}

/// Returns a finding in words of the policy, which users of a cluster read in English.
pub fn english(code: Code, message: impl Into<Cow<'static, str>>) -> Finding {
    Finding::said(code, Origin::Claimkit, Words::english(message))
}

/// Returns the warning that another release than that of the settings judges the object.
pub fn judged_by(item: &Item, settings: &Settings) -> Option<Finding> {
    let wanted = settings.release.filter(|wanted| *wanted != item.release)?;
    let message = format!(
        "judged by the rules of Kubernetes {}: `release` of the settings is {wanted}, which does not know all of this {} of {}",
        item.release, item.kind, item.api_version
    );
    Some(english(Code::AdmissionRequest, message).with_severity(Severity::Warning))
}

/// Returns the findings about an object of a kind or version that no release known here has: an error for each setting that would
/// judge it, or else a warning.
pub fn unjudged(item: &Item, settings: &Settings) -> Vec<Finding> {
    let (kind, version) = (&item.kind, &item.api_version);
    let judging = judging(kind, settings);
    if judging.is_empty() {
        let message =
            format!("{kind} of {version} is not known to this policy, which does not judge it");
        return vec![english(Code::UnknownKind, message).with_severity(Severity::Warning)];
    }
    let error = |(setting, code): (&str, Code)| {
        let message = format!(
            "apiVersion: Forbidden: `{setting}` cannot judge {kind} of {version}, which is not known to this policy"
        );
        let mut finding = english(code, message).with_severity(Severity::Error);
        finding.path = Some("apiVersion".to_owned());
        finding
    };
    judging.into_iter().map(error).collect()
}

/// Returns the settings that judge objects of a kind, in whatever version.
fn judging(kind: &str, settings: &Settings) -> Vec<(&'static str, Code)> {
    let row = VERSIONS
        .iter()
        .flat_map(|version| version.kinds)
        .find(|row| row.kind == kind && row.items.is_none());
    let Some(object) = row.map(|row| row.object) else {
        return Vec::new();
    };
    let claim = object.is_claim() || object.is_template();
    let class = matches!(kind, "DeviceClass" | "ResourceClass");
    let rule = matches!(
        object,
        ObjectKind::Device(claimkit_model::schema::DeviceKind::DeviceTaintRule)
    );
    let names_classes =
        |rule: &ClassRule| rule.list != NameList::Any || !rule.namespaces.is_empty();
    let all = [
        (
            "deviceClasses",
            Code::PolicyDeviceClass,
            (claim || rule) && names_classes(&settings.device_classes),
        ),
        (
            "resourceClasses",
            Code::PolicyResourceClass,
            claim && names_classes(&settings.resource_classes),
        ),
        (
            "allocationModes",
            Code::PolicyAllocationMode,
            claim && settings.allocation_modes != NameList::Any,
        ),
        (
            "adminAccess",
            Code::PolicyAdminAccess,
            claim && settings.admin_access.limited,
        ),
        (
            "limits",
            Code::PolicyLimits,
            claim && settings.limits.decides(),
        ),
        (
            "tolerations",
            Code::PolicyTolerations,
            claim && settings.tolerations.decides(),
        ),
        (
            "selectors",
            Code::PolicySelectors,
            (claim && settings.claim_expressions.decides())
                || (class && settings.class_expressions == ExpressionRule::Denied),
        ),
        (
            "opaqueParameters",
            Code::PolicyOpaqueParameters,
            claim && settings.opaque_parameters.decides(),
        ),
        (
            "extendedResourceNames",
            Code::PolicyExtendedResources,
            class && settings.extended_resource_names != NameList::Any,
        ),
        (
            "deviceTaintRules",
            Code::PolicyTaintRule,
            rule && (settings.taint_selector.is_some() || settings.rule_taints != TaintList::Any),
        ),
        (
            "sliceTaints",
            Code::PolicySliceTaints,
            kind == "ResourceSlice" && settings.slice_taints != TaintList::Any,
        ),
        (
            "drivers",
            Code::PolicyDriver,
            settings.drivers != NameList::Any,
        ),
        (
            "parametersRef",
            Code::PolicyParametersRef,
            claim && (settings.parameters_required || settings.parameters != GroupKinds::Any),
        ),
        (
            "suitableNodes",
            Code::PolicySuitableNodes,
            class && selects(&settings.suitable_nodes),
        ),
        (
            "availableOnNodes",
            Code::PolicyAvailableOnNodes,
            claim && selects(&settings.available_on_nodes),
        ),
        (
            "shareable",
            Code::PolicyShareable,
            claim && settings.shareable_denied,
        ),
    ];
    all.into_iter()
        .filter(|(.., judges)| *judges)
        .map(|(setting, code, _)| (setting, code))
        .collect()
}

fn selects(rule: &NodeRule) -> bool {
    *rule != NodeRule::default()
}
