//! What a set of slices, nodes and taint rules has wrong with it though the server takes each object by itself.

use super::facts::Gathering;
use super::options::Options;
use crate::advice::locate::{locate, steps};
use crate::api::{DeviceKind, Gate, Gates, ObjectKind, Release};
use crate::finding::{Code, Finding, Origin, Severity};
use crate::manifest::{Input, Item, What};
use crate::place::device::behaviour;
use crate::place::device::cluster::Cluster;
use crate::place::device::doctor;
use crate::place::device::engine::CelSelectors;
use crate::place::device::explain::answer;

/// What the remarks of the rules say of one object already.
const REMARKED: &[Code] = &[Code::NodeSelectorTermsSeveral, Code::TaintRuleSelectsAll];

/// Is the object one of those that are looked at together?
pub fn is_looked_at(item: &Item) -> bool {
    let What::Ours(api) = &item.what else { return false };
    matches!(api.kind.object, ObjectKind::Device(DeviceKind::ResourceSlice | DeviceKind::DeviceTaintRule))
}

/// Findings about the slices and taint rules of a text, by the scheduler of their release. Objects that are refused have their
/// errors already.
pub fn findings(text: &str, options: &Options<'_>, is_refused: &dyn Fn(usize) -> bool) -> Vec<Finding> {
    let input = Input::read_via(text, options.via, options.release, &options.limits);
    let release = input.items.iter().find(|item| is_looked_at(item)).map_or(Release::latest(), |item| item.release);
    let Ok(gates) = options.gates_in(release) else { return Vec::new() };
    let gates = gates.unwrap_or(Gates::defaults(release));
    let on = |name: &str| Gate::named(name).is_some_and(|gate| gates.on(gate));
    let features = behaviour::features_of(release.minor, on);
    let Some(behaviour) = behaviour::allocator(release.minor, release.patch, &features) else { return Vec::new() };
    let mut gathering = Gathering::new(release, options.namespace_of(""), options.field_validation);
    for (index, item) in input.items.iter().enumerate() {
        gathering.take(&input, item, index);
    }
    let engine = CelSelectors::new(release.minor, on("DRAListTypeAttributes"));
    let cluster = Cluster::new(&gathering.facts, behaviour, &features, &engine);
    let found = doctor::findings(&cluster).into_iter().map(|found| placed(&input, &found));
    let is_new = |finding: &Finding| !REMARKED.contains(&finding.code) && finding.object.is_none_or(|object| !is_refused(object));
    let kept = found.filter(is_new);
    let mut kept: Vec<Finding> = kept.collect();
    // The server takes them; and a text need not hold the whole pool.
    for finding in &mut kept {
        finding.severity = match (finding.code, finding.severity) {
            (Code::PoolIncomplete, _) => Severity::Info,
            (_, Severity::Error) => Severity::Warning,
            (_, severity) => severity,
        };
    }
    kept
}

/// A finding of the allocator with its place in the text.
pub fn placed(input: &Input<'_>, found: &answer::Finding) -> Finding {
    let full =
        |item: &Item| if item.namespace.is_empty() { item.name.clone() } else { format!("{}/{}", item.namespace, item.name) };
    let short = found.object.rsplit('/').next().unwrap_or_default();
    let same = |item: &&(usize, &Item)| {
        item.1.kind == found.kind && (full(item.1) == found.object || item.1.namespace.is_empty() && item.1.name == short)
    };
    let severity = match found.severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    let origin = match found.origin {
        "kube-scheduler" => Origin::Scheduler,
        "kube-apiserver" => Origin::ApiServer,
        _ => Origin::Claimkit,
    };
    let code = Code::ALL.iter().copied().find(|code| code.name() == found.code).unwrap_or(Code::NothingChecked);
    let mut finding = Finding::new(code, severity, origin, found.message.clone());
    finding.path.clone_from(&found.path);
    let item = input.items.iter().enumerate().find(|item| same(&item));
    finding.object = item.map(|(index, _)| index);
    finding.span = item.and_then(|(_, item)| {
        let tree = input.tree(item)?;
        Some(locate(tree, item.node, &steps(found.path.as_deref().unwrap_or("metadata.name")), false))
    });
    finding
}
