//! Warnings about objects that the server silently accepts but that cause problems later, in the scheduler or the cluster.

use claimkit_model::finding::{Code, Finding, Path};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::view::List;
use claimkit_model::object::view::device::{
    DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector, DeviceToleration, ResourceClaim,
    ResourceClaimSpec, ResourceClaimTemplate, ResourceSlice, ResourceSliceSpec,
};
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{DeviceKind, Release};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;

/// Adds warnings about an object of the device family, in the version that was written, for a release.
pub fn object(
    kind: DeviceKind,
    record: &Record<'_>,
    release: Release,
    findings: &mut Vec<Finding>,
) {
    let root = Path::ROOT;
    let path = root.field("spec");
    match kind {
        DeviceKind::ResourceClaim => claim_spec(ResourceClaim::new(record).spec(), &path, findings),
        DeviceKind::ResourceClaimTemplate => {
            claim_spec(
                ResourceClaimTemplate::new(record).spec().spec(),
                &path.field("spec"),
                findings,
            );
        }
        DeviceKind::ResourceSlice => slice(ResourceSlice::new(record).spec(), &path, findings),
        DeviceKind::DeviceTaintRule => {
            let rules = PluginRules::of(release.minor, release.patch);
            let spec = DeviceTaintRule::new(record).spec();
            // Without a selector it selects nothing from 1.37.1 on.
            if spec.device_selector().is_some() || rules.rules_select_by_default {
                taint_rule(spec, &path, findings);
            }
        }
        DeviceKind::DeviceClass
        | DeviceKind::PodSchedulingContext
        | DeviceKind::ResourcePoolStatusRequest => {}
    }
}

fn warn(code: Code, message: Message, path: &Path<'_>, findings: &mut Vec<Finding>) {
    let mut finding = Finding::warning(code, message).at(path);
    finding.help = code.spoken_help().map(Words::from);
    findings.push(finding);
}

fn claim_spec(spec: ResourceClaimSpec<'_>, path: &Path<'_>, findings: &mut Vec<Finding>) {
    let devices_path = path.field("devices");
    let requests = devices_path.field("requests");
    let asked = spec.devices().requests();
    for (index, request) in asked.iter().enumerate() {
        let path = requests.index(index);
        match request.exactly() {
            Some(exactly) => tolerations(exactly.tolerations(), &path.field("exactly"), findings),
            None => tolerations(request.flat().tolerations(), &path, findings),
        }
        let alternatives = path.field("firstAvailable");
        for (index, alternative) in request.first_available().iter().enumerate() {
            tolerations(
                alternative.tolerations(),
                &alternatives.index(index),
                findings,
            );
        }
    }
}

/// Warns of tolerations by `resource.ToleratesTaint` of kube-scheduler and the eviction controller: an empty key matches every
/// key, `Equal` with an empty value every taint without value.
fn tolerations(
    tolerations: List<'_, DeviceToleration<'_>>,
    path: &Path<'_>,
    findings: &mut Vec<Finding>,
) {
    let list = path.field("tolerations");
    for (index, toleration) in tolerations.iter().enumerate() {
        let bare = toleration.key().is_empty()
            && toleration.value().is_empty()
            && toleration.effect().is_empty();
        // The server fills in `Equal` where no operator is written.
        if !bare || !matches!(toleration.operator(), "" | "Equal") {
            continue;
        }
        let message = message!(
            "rules.toleration-bare",
            "a toleration without key and value tolerates every taint that has no value, and none that has one: its operator is `Equal`, which is the default"
        );
        warn(Code::TolerationEmpty, message, &list.index(index), findings);
    }
}

/// Warns of node selectors with several terms. In kube-scheduler 1.33 to 1.36, `dynamic-resource-allocation/structured`, the node
/// selector of an allocation merges the single term of each device's selector, and fails if a selector has several terms.
fn slice(spec: ResourceSliceSpec<'_>, path: &Path<'_>, findings: &mut Vec<Finding>) {
    let devices = path.field("devices");
    for (index, device) in spec.devices().iter().enumerate() {
        let item = devices.index(index);
        let (holder, held) = match device.basic() {
            Some(basic) => (item.field("basic"), basic),
            None => (item, device),
        };
        let Some(selector) = held.node_selector() else {
            continue;
        };
        let count = selector.node_selector_terms().len();
        if count > 1 {
            let selector = holder.field("nodeSelector");
            let message = message!(
                "rules.selector-terms",
                "the node selector of a device may have one term, this one has {count}: when the scheduler chooses the device, its whole attempt ends with an error",
                count
            );
            warn(
                Code::NodeSelectorTermsSeveral,
                message,
                &selector.field("nodeSelectorTerms"),
                findings,
            );
        }
    }
}

fn taint_rule(spec: DeviceTaintRuleSpec<'_>, path: &Path<'_>, findings: &mut Vec<Finding>) {
    let effect = spec.taint().effect();
    let selector = spec.device_selector().and_then(DeviceTaintSelector::record);
    if selector.is_some_and(|selector| {
        selector
            .slots
            .iter()
            .any(|value| !matches!(value, FieldValue::Unset))
    }) {
        return;
    }
    let message = match (effect, selector) {
        ("NoExecute", Some(_)) => message!(
            "rules.taint-evicts-all",
            "an empty `deviceSelector` selects every device of the cluster: each pod that uses a device is evicted, unless its claim tolerates the taint"
        ),
        ("NoSchedule", Some(_)) => message!(
            "rules.taint-selects-all",
            "an empty `deviceSelector` selects every device of the cluster: no claim gets a device, unless it tolerates the taint"
        ),
        ("NoExecute" | "NoSchedule", None) => message!(
            "rules.taint-without-selector",
            "without `deviceSelector` the scheduler taints every device of the cluster: no claim gets a device, unless it tolerates the taint"
        ),
        _ => return,
    };
    let at = if selector.is_some() {
        "deviceSelector"
    } else {
        "taint"
    };
    warn(
        Code::TaintRuleSelectsAll,
        message,
        &path.field(at),
        findings,
    );
}
