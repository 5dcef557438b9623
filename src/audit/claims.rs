//! Claims compared with the devices that they hold, the pods that use them, and each other.

use super::finder::{About, Finder};
use crate::finding::{Code, FieldPath, field_path};
use crate::place::device::amount::{spell, spell_like};
use crate::place::device::cluster::Cluster;
use crate::place::device::facts::{AllocatedDevice, Claim, Consumer, Device, Pod};
use crate::place::device::identity::DeviceName;
use crate::place::device::usage::results_of;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of claims that a message names.
const NAMED: usize = 5;

/// A device of a claim: the claim, and the index of the result.
#[derive(Clone, Copy)]
struct Holder<'f> {
    claim: &'f Claim,
    index: usize,
    result: &'f AllocatedDevice,
}

impl<'f> Holder<'f> {
    fn about(&self) -> About<'f> {
        About::object("ResourceClaim", &self.claim.metadata).at(self.path())
    }

    fn about_field(&self, field: &'static str) -> About<'f> {
        About::object("ResourceClaim", &self.claim.metadata).at(self.path().then(field))
    }

    fn path(&self) -> FieldPath {
        field_path!["status", "allocation", "devices", "results", self.index]
    }

    fn is_admin(&self) -> bool {
        self.result.admin_access == Some(true)
    }

    fn is_share(&self) -> bool {
        self.result.share_id.is_some()
    }
}

/// Reports contradictions between claims, devices and pods.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let mut held: BTreeMap<DeviceName<'_>, Vec<Holder<'_>>> = BTreeMap::new();
    for claim in &cluster.facts.claims {
        for (index, result) in results_of(claim).iter().enumerate() {
            let holder = Holder { claim, index, result };
            held.entry((&result.driver, &result.pool, &result.device)).or_default().push(holder);
        }
    }
    let published = published(cluster);
    for (name, holders) in &held {
        device(*name, holders, published.get(name), !cluster.facts.slices.is_empty(), finder);
    }
    let pods = cluster.facts.pods.iter().map(|pod| ((pod.metadata.namespace.as_str(), pod.metadata.name.as_str()), &**pod));
    let groups = cluster.facts.pod_groups.iter().map(|group| (group.metadata.namespace.as_str(), group.metadata.name.as_str()));
    let consumers = Consumers { pods: order::map(pods), groups: order::set(groups) };
    for claim in &cluster.facts.claims {
        being_deleted(claim, finder);
        consumers.check(claim, finder);
    }
}

/// The properties of a device that slices publish.
struct Published<'f> {
    device: &'f Device,
    /// Only slices of an older generation have it.
    is_stale: bool,
}

/// Returns the devices of all slices; those of the newest generation of their pool replace older ones.
fn published<'f>(cluster: &Cluster<'f>) -> BTreeMap<DeviceName<'f>, Published<'f>> {
    let mut all: BTreeMap<DeviceName<'f>, Published<'f>> = BTreeMap::new();
    for (driver, pool, slices) in cluster.all_pools() {
        let generation = |at: &usize| cluster.slice(*at).map(|slice| slice.spec.pool.generation);
        let newest = slices.iter().filter_map(generation).max();
        for at in slices {
            let is_stale = generation(at) < newest;
            for (_, device) in cluster.devices_of(*at) {
                let known = all.entry((driver, pool, &device.name)).or_insert(Published { device, is_stale });
                if known.is_stale && !is_stale {
                    *known = Published { device, is_stale };
                }
            }
        }
    }
    all
}

/// Writes `gpu.example.com/pool/gpu-0`.
fn spelled((driver, pool, device): DeviceName<'_>) -> String {
    format!("{driver}/{pool}/{device}")
}

/// Returns the names of claims, each once: `team/a, team/b and 3 more`.
fn named(holders: &[&Holder<'_>]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for holder in holders {
        let name = holder.claim.metadata.full_name();
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

fn device(
    name: DeviceName<'_>,
    holders: &[Holder<'_>],
    published: Option<&Published<'_>>,
    has_slices: bool,
    finder: &mut Finder<'_, '_>,
) {
    let spelled = spelled(name);
    let (admins, users): (Vec<&Holder<'_>>, Vec<&Holder<'_>>) = holders.iter().partition(|holder| holder.is_admin());
    let (shares, whole): (Vec<&Holder<'_>>, Vec<&Holder<'_>>) = users.iter().partition(|holder| holder.is_share());
    if let (Some(first), Some(last)) = (whole.first(), users.last())
        && users.len() > 1
    {
        let how = match (whole.len(), shares.len()) {
            (1, _) => format!("held as a whole by claim {} and shared by {}", first.claim.metadata.full_name(), named(&shares)),
            (many, 0) => format!("held {many} times as a whole, by {}", named(&whole)),
            (many, _) => format!("held {many} times as a whole, by {}, and shared by {}", named(&whole), named(&shares)),
        };
        finder.tell(Code::DeviceHeldTwice, last.about(), format!("device {spelled} is {how}"), None);
    }
    for admin in admins.iter().filter(|_| !users.is_empty()) {
        let message = format!(
            "claim {} has admin access to device {spelled}, which {} uses",
            admin.claim.metadata.full_name(),
            named(&users)
        );
        finder.tell(Code::AdminAccessInUse, admin.about_field("adminAccess"), message, None);
    }
    let effect = match published {
        _ if !has_slices => None,
        None => Some("which no slice publishes"),
        Some(published) if published.is_stale => Some("which only slices of an older generation publish"),
        Some(_) => None,
    };
    for holder in holders {
        if let Some(effect) = effect {
            let message = format!("claim {} holds device {spelled}, {effect}", holder.claim.metadata.full_name());
            finder.tell(Code::DeviceUnpublished, holder.about_field("device"), message, None);
        }
        negative(holder, &spelled, finder);
    }
    capacity(&spelled, &shares, published.map(|published| published.device), finder);
}

fn negative(holder: &Holder<'_>, device: &str, finder: &mut Finder<'_, '_>) {
    for (capacity, amount) in holder.result.consumed_capacity.iter().flat_map(|consumed| consumed.iter()) {
        if amount.nanos() < 0 {
            let claim = holder.claim.metadata.full_name();
            let message = format!(
                "claim {claim} consumes {} of capacity {capacity} of device {device}: others get more than there is",
                amount.text()
            );
            finder.tell(Code::ConsumptionNegative, holder.about_field("consumedCapacity"), message, None);
        }
    }
}

/// Compares what shares consume with the capacity of their device. A device that is not published has its own finding.
fn capacity(name: &str, shares: &[&Holder<'_>], device: Option<&Device>, finder: &mut Finder<'_, '_>) {
    let (Some(device), Some(last)) = (device, shares.last()) else { return };
    let mut used: BTreeMap<&str, i128> = BTreeMap::new();
    for (capacity, amount) in shares.iter().flat_map(|share| &share.result.consumed_capacity).flat_map(|map| map.iter()) {
        let sum = used.entry(capacity).or_default();
        *sum = sum.saturating_add(amount.nanos());
    }
    for (capacity, used) in used {
        let message = match device.capacity.get(capacity) {
            Some(total) if used > total.value.nanos() => format!(
                "capacity {capacity} of device {name} is overdrawn: {} of {} in use, by {}",
                spell_like(used, total.value.text()),
                total.value.text(),
                named(shares)
            ),
            None if used != 0 => {
                format!("{} consumes {} of capacity {capacity}, which device {name} does not publish", named(shares), spell(used))
            }
            _ => continue,
        };
        finder.tell(Code::CapacityOverdrawn, last.about_field("consumedCapacity"), message, None);
    }
}

fn being_deleted(claim: &Claim, finder: &mut Finder<'_, '_>) {
    let Some(since) = &claim.metadata.deletion_timestamp else { return };
    let devices = results_of(claim).len();
    if devices == 0 {
        return;
    }
    let users = match claim.status.reserved_for.as_slice() {
        [] => "it is reserved for nobody".to_owned(),
        users => {
            let names: Vec<&str> = users.iter().take(NAMED).map(|user| user.name.as_str()).collect();
            let more = users.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("it is reserved for {}{more}", names.join(", "))
        }
    };
    let devices = if devices == 1 { "1 device".to_owned() } else { format!("{devices} devices") };
    let message =
        format!("claim {} is being deleted since {since} and still holds {devices}: {users}", claim.metadata.full_name());
    let about = About::object("ResourceClaim", &claim.metadata).at(field_path!["metadata", "deletionTimestamp"]);
    finder.tell(Code::ClaimDeletingHolds, about, message, None);
}

/// The objects for which claims can be reserved.
struct Consumers<'f> {
    pods: BTreeMap<(&'f str, &'f str), &'f Pod>,
    groups: BTreeSet<(&'f str, &'f str)>,
}

impl Consumers<'_> {
    fn check(&self, claim: &Claim, finder: &mut Finder<'_, '_>) {
        for (index, user) in claim.status.reserved_for.iter().enumerate() {
            let Some(problem) = self.problem(&claim.metadata.namespace, user) else { continue };
            let (name, owner) = (claim.metadata.full_name(), format!("{}/{}", claim.metadata.namespace, user.name));
            let message = format!("claim {name} is reserved for {} {owner}, {problem}", user.resource.trim_end_matches('s'));
            let about = About::object("ResourceClaim", &claim.metadata).at(field_path!["status", "reservedFor", index]);
            finder.tell(Code::ReservedForGone, about, message, None);
        }
    }

    /// Returns why a consumer does not use its claim; `None`: it does, or nothing of its kind is given.
    fn problem(&self, namespace: &str, user: &Consumer) -> Option<&'static str> {
        let name = (namespace, user.name.as_str());
        match (user.api_group.as_str(), user.resource.as_str()) {
            ("", "pods") if !self.pods.is_empty() => match self.pods.get(&name) {
                None => Some("which is not there"),
                Some(pod) if !user.uid.is_empty() && !pod.metadata.uid.is_empty() && pod.metadata.uid != user.uid => {
                    Some("which is not there: another pod has its name")
                }
                Some(pod) => matches!(pod.status.phase.as_str(), "Succeeded" | "Failed").then_some("which has ended"),
            },
            ("scheduling.k8s.io", "podgroups") if !self.groups.is_empty() => {
                (!self.groups.contains(&name)).then_some("which is not there")
            }
            _ => None,
        }
    }
}
