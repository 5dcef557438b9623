//! The funnel of a request: devices left after each stage, in an order that is natural for users.

use super::account::{Lost, Missing, Published, Reason, SelectorReason, Stage};
use super::cells::{DeviceQuestion, ShownDevice};
use super::kinds::{CapacityFault, StageKind, ValueKind};
use crate::allocator::behaviour::AllCapacity;
use crate::allocator::cluster::{Cluster, DeviceAt};
use crate::allocator::objects::{Attribute, Selector};
use crate::allocator::sorted::{Set, Sorted, ordered};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{alike, distance};

/// Maximum number of names of devices lost at a stage.
const MOST_NAMES: usize = 5;

/// Stages in order. An index distinguishes the selectors of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Pool,
    Feature,
    Class,
    Selector(usize),
    DeviceNode,
    Free,
    Capacity,
    Counters,
    Taint,
    Constraint,
}

impl At {
    fn of(reason: &Reason) -> Self {
        match reason {
            Reason::PoolOldGeneration { .. }
            | Reason::PoolIncomplete { .. }
            | Reason::PoolInvalid { .. }
            | Reason::SliceWithCounters => At::Pool,
            Reason::FeatureOff { .. } => At::Feature,
            Reason::ClassSelector(_) => At::Class,
            Reason::RequestSelector(reason) => At::Selector(reason.index),
            Reason::DeviceNotOnNode => At::DeviceNode,
            Reason::InUse { .. } | Reason::ChosenFor { .. } => At::Free,
            Reason::Capacity(_) => At::Capacity,
            Reason::Counters(_) => At::Counters,
            Reason::Taint(_) => At::Taint,
            Reason::Constraint { .. } => At::Constraint,
        }
    }

    fn kind(self) -> (StageKind, Option<usize>) {
        match self {
            At::Pool => (StageKind::Pool, None),
            At::Feature => (StageKind::Feature, None),
            At::Class => (StageKind::Class, None),
            At::Selector(index) => (StageKind::Selector, Some(index)),
            At::DeviceNode => (StageKind::DeviceNode, None),
            At::Free => (StageKind::Free, None),
            At::Capacity => (StageKind::Capacity, None),
            At::Counters => (StageKind::Counters, None),
            At::Taint => (StageKind::Taint, None),
            At::Constraint => (StageKind::Constraint, None),
        }
    }

    /// Returns true if the stage is shown even where nothing is lost.
    fn always(self) -> bool {
        matches!(self, At::Class | At::Selector(_) | At::Free)
    }
}

/// Returns true if a reason belongs to a stage.
pub fn is_of(reason: &Reason, stage: &Stage) -> bool {
    At::of(reason).kind() == (stage.stage, stage.index)
}

/// A row of the matrix: devices with all reasons against them.
pub type Row<'g, 's> = Vec<(ShownDevice<'g, 's>, Vec<Reason>)>;

/// A device of a row, and the stages that it fails.
struct FailedStages {
    device: DeviceAt,
    stages: Set<At>,
}

/// Returns the funnel of a row, and the remaining devices.
pub fn funnel(asking: &DeviceQuestion<'_, '_>, row: &Row<'_, '_>) -> (Vec<Stage>, Vec<DeviceAt>) {
    let mut left: Vec<FailedStages> = row
        .iter()
        .map(|(shown, reasons)| FailedStages {
            device: shown.at,
            stages: reasons.iter().map(At::of).collect(),
        })
        .collect();
    let mut stages = vec![Stage {
        stage: StageKind::Node,
        left: left.len(),
        ..Stage::default()
    }];
    for at in stages_in_order(asking, row) {
        let (lost, kept): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|device| device.stages.contains(&at));
        left = kept;
        if !lost.is_empty() || at.always() {
            stages.push(stage(asking, row, at, &lost, &left));
        }
    }
    (stages, left.iter().map(|kept| kept.device).collect())
}

/// Returns a stage of a funnel.
fn stage(
    asking: &DeviceQuestion<'_, '_>,
    row: &Row<'_, '_>,
    at: At,
    lost: &[FailedStages],
    left: &[FailedStages],
) -> Stage {
    let (kind, index) = at.kind();
    let mut stage = Stage {
        stage: kind,
        index,
        left: left.len(),
        ..Stage::default()
    };
    if lost.is_empty() {
        return stage;
    }
    let devices: Set<DeviceAt> = lost.iter().map(|lost| lost.device).collect();
    for (shown, reasons) in row {
        if !devices.contains(&shown.at) {
            continue;
        }
        for reason in reasons {
            if let Reason::ClassSelector(selector) | Reason::RequestSelector(selector) = reason
                && At::of(reason) == at
            {
                count(&mut stage, selector);
            }
        }
    }
    let named = devices
        .iter()
        .take(MOST_NAMES)
        .filter_map(|device| asking.cluster.device(*device));
    stage.lost = Some(Lost {
        count: lost.len(),
        devices: named.map(|(_, device)| device.name.clone()).collect(),
    });
    if asking.values
        && let At::Selector(index) = at
        && let Some(selector) = asking.choice.ask.selectors.get(index)
    {
        let asked: Vec<DeviceAt> = lost.iter().chain(left).map(|asked| asked.device).collect();
        stage.missing = missing(asking.cluster, selector, &asked);
    }
    stage
}

/// Returns the stages in the order in which the allocator leaves devices out.
fn stages_in_order(asking: &DeviceQuestion<'_, '_>, row: &Row<'_, '_>) -> Vec<At> {
    let mut stages = vec![At::Pool, At::Feature, At::Class];
    stages.extend((0..asking.choice.ask.selectors.len()).map(At::Selector));
    stages.push(At::DeviceNode);
    if is_fixed_by_capacity(asking, row) {
        stages.extend([At::Capacity, At::Free]);
    } else {
        stages.extend([At::Free, At::Capacity]);
    }
    stages.extend([At::Counters, At::Taint, At::Constraint]);
    stages
}

/// Returns true if mode All wants only devices with enough capacity: those without are left out before it is asked which are free. Of
/// devices that are left out for what others use of them, that depends on the allocator.
fn is_fixed_by_capacity(asking: &DeviceQuestion<'_, '_>, row: &Row<'_, '_>) -> bool {
    let is_used_up = |reason: &Reason| match reason {
        Reason::Capacity(reason) => {
            reason.why == CapacityFault::Exhausted && reason.used.as_deref() != Some("0")
        }
        _ => false,
    };
    let mut reasons = row.iter().flat_map(|(_, reasons)| reasons);
    asking.choice.ask.allocation_mode == "All"
        && (asking.cluster.behaviour.all_capacity == AllCapacity::Left || !reasons.any(is_used_up))
}

fn count(entry: &mut Stage, reason: &SelectorReason) {
    if let Some(error) = &reason.error {
        let sum = entry.errors.entry(error.clone());
        *sum = sum.saturating_add(1);
    }
    for (path, value) in reason.values.iter() {
        if let Some(value) = value {
            let sum = entry.seen.entry(path.clone()).entry(value.clone());
            *sum = sum.saturating_add(1);
        }
    }
}

/// Returns the names that a selector reads and does not find, over the devices asked.
fn missing(cluster: &Cluster<'_>, selector: &Selector, asked: &[DeviceAt]) -> Vec<Missing> {
    let mut absent: Set<(String, &'static str)> = Set::default();
    for at in asked {
        for read in cluster
            .reads(selector, *at)
            .into_iter()
            .filter(|read| read.value.is_none())
        {
            absent.insert((read.path, read.map));
        }
    }
    absent
        .into_iter()
        .map(|(path, map)| describe(cluster, path, map, asked))
        .collect()
}

fn describe(cluster: &Cluster<'_>, path: String, map: &'static str, asked: &[DeviceAt]) -> Missing {
    let (domain, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let PublishedNames { published, domains } = PublishedNames::of(cluster, asked, domain, name);
    let on = published.get(name).map_or(0, |entry| entry.on);
    let mut near = Vec::new();
    let mut similar = Vec::new();
    // A name that some device has is spelled as it should be.
    if on == 0 {
        let others = nearest_first(name, &published);
        near.extend(others.first().cloned());
        similar.extend(others.into_iter().filter(|other| alike(name, other)));
        if !similar.is_empty() {
            near.clone_from(&similar);
        }
    }
    let guard = format!("\"{name}\" in device.{map}[\"{domain}\"] && …");
    Missing {
        on,
        of: asked.len(),
        published,
        near,
        alike: similar,
        domains: domains.into_iter().collect(),
        guard,
        path: path.clone(),
    }
}

/// The names of attributes and capacities that devices publish.
struct PublishedNames {
    /// Those of one domain.
    published: Sorted<String, Published>,
    /// The other domains in which one name is published.
    domains: Set<String>,
}

impl PublishedNames {
    fn of(cluster: &Cluster<'_>, devices: &[DeviceAt], domain: &str, name: &str) -> Self {
        let mut names = PublishedNames {
            published: Sorted::new(),
            domains: Set::default(),
        };
        for (slice, device) in devices.iter().filter_map(|at| cluster.device(*at)) {
            let driver = &slice.spec.driver;
            let attributes = device
                .attributes
                .iter()
                .map(|(key, value)| (key, kind(value)));
            let capacities = device.capacity.keys().map(|key| (key, ValueKind::Quantity));
            for (key, kind) in attributes.chain(capacities) {
                // A name without a domain is in the driver's.
                let (key_domain, key_name) = key.split_once('/').unwrap_or((driver, key));
                if key_domain == domain {
                    let published = names.published.entry(key_name.to_owned());
                    published.kind = kind;
                    published.on = published.on.saturating_add(1);
                } else if key_name == name {
                    names.domains.insert(key_domain.to_owned());
                }
            }
        }
        names
    }
}

/// Returns the published names but this one, those most like it first.
fn nearest_first(name: &str, published: &Sorted<String, Published>) -> Vec<String> {
    let others = published.keys().filter(|other| *other != name);
    let distances: Vec<(usize, &String)> =
        others.map(|other| (distance(name, other), other)).collect();
    let sorted = ordered(&distances, &|a, b| a.cmp(b));
    sorted.into_iter().map(|(_, other)| other.clone()).collect()
}

fn kind(value: &Attribute) -> ValueKind {
    let Attribute {
        string,
        int,
        bool,
        version,
        strings,
        ints,
        bools,
        ..
    } = value;
    match (string, int, bool, version) {
        (Some(_), ..) => ValueKind::String,
        (_, Some(_), ..) => ValueKind::Int,
        (_, _, Some(_), _) => ValueKind::Bool,
        (.., Some(_)) => ValueKind::Version,
        _ if !strings.is_empty() => ValueKind::Strings,
        _ if !ints.is_empty() => ValueKind::Ints,
        _ if !bools.is_empty() => ValueKind::Bools,
        _ => ValueKind::Versions,
    }
}

/// Writes the funnel in one line, up to where nothing is left.
pub fn text(stages: &[Stage], class: &str, wanted: &str) -> Message {
    let part = |stage: &Stage| {
        let left = stage.left;
        match (stage.stage, stage.index) {
            (StageKind::Node, _) => message!("funnel.node", "{left} on the node", left),
            (StageKind::Pool, _) => message!("funnel.pool", "{left} in usable pools", left),
            (StageKind::Feature, _) => message!(
                "funnel.feature",
                "{left} without features that are off",
                left
            ),
            (StageKind::Class, _) => {
                message!("funnel.class", "{left} of class {class}", left, class)
            }
            (StageKind::Selector, index) => {
                message!(
                    "funnel.selector",
                    "{left} after selector {index}",
                    left,
                    index = index.unwrap_or(0)
                )
            }
            (StageKind::DeviceNode, _) => {
                message!(
                    "funnel.device-node",
                    "{left} by the devices' own node selection",
                    left
                )
            }
            (StageKind::Free, _) => message!("funnel.free", "{left} free", left),
            (StageKind::Capacity, _) => {
                message!("funnel.capacity", "{left} with enough capacity", left)
            }
            (StageKind::Counters, _) => {
                message!("funnel.counters", "{left} with enough counters", left)
            }
            (StageKind::Taint, _) => message!("funnel.taint", "{left} not tainted", left),
            (StageKind::Constraint, _) => {
                message!(
                    "funnel.constraint",
                    "{left} with the constraint's attribute",
                    left
                )
            }
        }
    };
    let end = stages
        .iter()
        .position(|stage| stage.left == 0)
        .map_or(stages.len(), |at| at.saturating_add(1));
    let parts: Vec<Message> = stages.iter().take(end).map(part).collect();
    message!(
        "funnel.wanted",
        "{stages} → wanted {wanted}",
        stages = parts.join(" → "),
        wanted
    )
}
