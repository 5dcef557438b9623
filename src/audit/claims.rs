//! Claims compared with the devices that they hold, the pods that use them, and each other.

use super::by_name::{ByName, by_name, is_absent};
use super::finder::{About, Finder};
use super::first_names::first_names;
use super::lacks_slices;
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::amount::spell_like;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::identity::{DeviceName, SliceAt};
use claimkit_scheduler::allocator::objects::{
    AllocatedDevice, Claim, Consumer, Device, Facts, Meta, ObjectName, Pod, PodGroup,
};
use claimkit_scheduler::scheduler::has_ended;
use std::collections::{BTreeMap, BTreeSet};

/// The finalizer of kube-scheduler, which adds it when it allocates a claim.
const DELETE_PROTECTION: &str = "resource.kubernetes.io/delete-protection";

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
        for (index, result) in claim.allocated_devices().iter().enumerate() {
            let holder = Holder {
                claim,
                index,
                result,
            };
            held.entry((&result.driver, &result.pool, &result.device))
                .or_default()
                .push(holder);
        }
    }
    let published = published(cluster);
    let has_slices = !cluster.facts.slices.is_empty();
    for (name, holders) in &held {
        let place = Place {
            published: published.get(name).copied(),
            has_slices,
            lacks_slices: lacks_slices(cluster, cluster.slices_of_pool(name.0, name.1)),
        };
        check_device(*name, holders, &place, finder);
    }
    let consumers = Consumers {
        facts: cluster.facts,
        pods: by_name(&cluster.facts.pods, |pod| &pod.metadata),
        groups: by_name(&cluster.facts.pod_groups, |group| &group.metadata),
    };
    for claim in &cluster.facts.claims {
        being_deleted(claim, &consumers, finder);
        consumers.check(claim, finder);
    }
}

/// The properties of a device that slices publish.
#[derive(Clone, Copy)]
struct Published<'f> {
    device: &'f Device,
    /// Only slices of an older generation have it.
    is_stale: bool,
}

/// Where slices publish a device.
struct Place<'f> {
    published: Option<Published<'f>>,
    /// Slices are given.
    has_slices: bool,
    /// The pool of the device is incomplete.
    lacks_slices: bool,
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
                let known = all
                    .entry((driver, pool, &device.name))
                    .or_insert(Published { device, is_stale });
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

/// Returns the names of claims, each once.
fn named(holders: &[&Holder<'_>]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for holder in holders {
        let name = holder.claim.metadata.full_name();
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    first_names(names)
}

/// Checks a device that claims hold.
fn check_device(
    name: DeviceName<'_>,
    holders: &[Holder<'_>],
    place: &Place<'_>,
    finder: &mut Finder<'_, '_>,
) {
    let device = spelled(name);
    let (admins, users): (Vec<&Holder<'_>>, Vec<&Holder<'_>>) =
        holders.iter().partition(|holder| holder.is_admin());
    let (shares, whole): (Vec<&Holder<'_>>, Vec<&Holder<'_>>) =
        users.iter().partition(|holder| holder.is_share());
    report_held_twice(&device, &users, &whole, &shares, finder);
    if !users.is_empty() {
        report_admin_access(&device, &admins, &users, finder);
    }
    for holder in holders {
        report_unpublished(&device, holder, place, finder);
        negative(holder, &device, finder);
    }
    let published = place.published.map(|published| published.device);
    capacity(&device, &shares, published, finder);
}

/// Reports a device that is held as a whole, and once more. `users`: `whole` and `shares`, in their order.
fn report_held_twice(
    device: &str,
    users: &[&Holder<'_>],
    whole: &[&Holder<'_>],
    shares: &[&Holder<'_>],
    finder: &mut Finder<'_, '_>,
) {
    let (Some(first), Some(last)) = (whole.first(), users.last()) else {
        return;
    };
    if users.len() == 1 {
        return;
    }
    let claim = first.claim.metadata.full_name();
    let mut names = users.iter().map(|user| user.claim.metadata.full_name());
    if names.all(|name| name == claim) {
        let help = message!(
            "audit.device-held-often-by-one-help",
            "find out what wrote the status of the claim; delete its pods, and the claim, to be given other devices"
        );
        let message = message!(
            "audit.device-held-often-by-one",
            "claim {claim} holds device {device} {many} times, at least once as a whole",
            claim,
            device,
            many = users.len(),
        );
        finder.tell(Code::DeviceHeldTwice, last.about(), message, Some(help));
        return;
    }
    let message = if whole.len() == 1 {
        message!(
            "audit.device-held-and-shared",
            "device {device} is held as a whole by claim {claim} and shared by {others}",
            device,
            claim,
            others = named(shares),
        )
    } else if shares.is_empty() {
        message!(
            "audit.device-held-often",
            "device {device} is held {many} times as a whole, by {holders}",
            device,
            many = whole.len(),
            holders = named(whole),
        )
    } else {
        message!(
            "audit.device-held-often-and-shared",
            "device {device} is held {many} times as a whole, by {holders}, and shared by {others}",
            device,
            many = whole.len(),
            holders = named(whole),
            others = named(shares),
        )
    };
    finder.tell(Code::DeviceHeldTwice, last.about(), message, None);
}

/// Reports the claims with admin access to a device that others use.
fn report_admin_access(
    device: &str,
    admins: &[&Holder<'_>],
    users: &[&Holder<'_>],
    finder: &mut Finder<'_, '_>,
) {
    for admin in admins {
        let message = message!(
            "audit.admin-access-in-use",
            "claim {claim} has admin access to device {device}, in use by {users}",
            claim = admin.claim.metadata.full_name(),
            device,
            users = named(users),
        );
        let about = admin.about_field("adminAccess");
        finder.tell(Code::AdminAccessInUse, about, message, None);
    }
}

/// Reports that no current slice publishes a device that a claim holds, where slices are given.
fn report_unpublished(
    device: &str,
    holder: &Holder<'_>,
    place: &Place<'_>,
    finder: &mut Finder<'_, '_>,
) {
    if !place.has_slices {
        return;
    }
    let Some(message) = unpublished(holder.claim, device, place) else {
        return;
    };
    let help = place.lacks_slices.then(|| {
        message!(
            "audit.pool-incomplete-help",
            "wait until the pool is complete: a slice that is missing may publish the device"
        )
    });
    let about = holder.about_field("device");
    finder.tell(Code::DeviceUnpublished, about, message, help);
}

/// Says of each device of a claim that no current slice publishes that this is so.
pub fn lost_devices(cluster: &Cluster<'_>, claim: &Claim) -> Vec<Message> {
    let facts = cluster.facts;
    if facts.slices.is_empty() && !facts.is_whole("ResourceSlice") {
        return Vec::new();
    }
    let mut lost = Vec::new();
    for result in claim.allocated_devices() {
        let (driver, pool) = (&result.driver, &result.pool);
        let slices = cluster.slices_of_pool(driver, pool);
        let place = Place {
            published: find_published(cluster, slices, &result.device),
            has_slices: true,
            lacks_slices: lacks_slices(cluster, slices),
        };
        let name = spelled((driver, pool, &result.device));
        lost.extend(unpublished(claim, &name, &place));
    }
    lost
}

/// Returns a device of a pool by its name: of the newest generation that has it.
fn find_published<'f>(
    cluster: &Cluster<'f>,
    slices: &[SliceAt],
    name: &str,
) -> Option<Published<'f>> {
    let generation = |at: &SliceAt| cluster.slice(*at).map(|slice| slice.spec.pool.generation);
    let newest = slices.iter().filter_map(generation).max();
    let mut found = None;
    for at in slices {
        let is_stale = generation(at) < newest;
        let mut devices = cluster.devices_of(*at);
        if let Some((_, device)) = devices.find(|(_, device)| device.name == name) {
            found = Some(Published { device, is_stale });
            if !is_stale {
                break;
            }
        }
    }
    found
}

/// Says that no current slice publishes a device that a claim holds.
fn unpublished(claim: &Claim, device: &str, place: &Place<'_>) -> Option<Message> {
    match place.published {
        None if place.lacks_slices => Some(message!(
            "audit.device-of-incomplete-pool",
            "claim {claim} holds device {device}, which no slice publishes that is there: its pool lacks slices",
            claim = claim.metadata.full_name(),
            device,
        )),
        None => Some(message!(
            "audit.device-unpublished",
            "claim {claim} holds device {device}, which no slice publishes",
            claim = claim.metadata.full_name(),
            device,
        )),
        Some(Published { is_stale, .. }) => is_stale.then(|| {
            message!(
                "audit.device-of-older-generation",
                "claim {claim} holds device {device}, which only slices of an older generation publish",
                claim = claim.metadata.full_name(),
                device,
            )
        }),
    }
}

fn negative(holder: &Holder<'_>, device: &str, finder: &mut Finder<'_, '_>) {
    for (capacity, amount) in holder
        .result
        .consumed_capacity
        .iter()
        .flat_map(|consumed| consumed.iter())
    {
        if amount.nanos() < 0 {
            let message = message!(
                "audit.negative-capacity",
                "claim {claim} consumes {amount} of capacity {capacity} of device {device}: others get more than there is",
                claim = holder.claim.metadata.full_name(),
                amount = amount.text(),
                capacity,
                device,
            );
            finder.tell(
                Code::ConsumptionNegative,
                holder.about_field("consumedCapacity"),
                message,
                None,
            );
        }
    }
}

/// Compares what shares consume with the capacity of their device. A device that is not published has its own finding.
fn capacity(
    name: &str,
    shares: &[&Holder<'_>],
    device: Option<&Device>,
    finder: &mut Finder<'_, '_>,
) {
    let Some(device) = device else {
        return;
    };
    let mut sums: BTreeMap<&str, Consumed<'_>> = BTreeMap::new();
    for (capacity, amount) in shares
        .iter()
        .flat_map(|share| &share.result.consumed_capacity)
        .flat_map(|map| map.iter())
    {
        let sum = sums.entry(capacity).or_insert(Consumed {
            nanos: 0,
            beside: amount.text(),
        });
        sum.nanos = sum.nanos.saturating_add(amount.nanos());
    }
    for (&capacity, sum) in &sums {
        let shares: Vec<&Holder<'_>> = shares
            .iter()
            .filter(|share| {
                let mut consumed = share.result.consumed_capacity.iter();
                consumed.any(|consumed| consumed.contains_key(capacity))
            })
            .copied()
            .collect();
        let Some(last) = shares.last() else {
            continue;
        };
        let message = match device.capacity.get(capacity) {
            Some(total) if sum.nanos > total.value.nanos() => message!(
                "audit.capacity-overdrawn",
                "capacity {capacity} of device {device} is overdrawn: {used} of {total} in use, by {users}",
                capacity,
                device = name,
                used = spell_like(sum.nanos, total.value.text()),
                total = total.value.text(),
                users = named(&shares),
            ),
            None if sum.nanos != 0 => unpublished_capacity(name, capacity, sum, &shares),
            _ => continue,
        };
        finder.tell(
            Code::CapacityOverdrawn,
            last.about_field("consumedCapacity"),
            message,
            None,
        );
    }
}

/// The amount of a capacity that shares consume.
struct Consumed<'f> {
    nanos: i128,
    /// An amount in whose notation it is shown.
    beside: &'f str,
}

/// Says that shares consume a capacity that their device does not publish.
fn unpublished_capacity(
    device: &str,
    capacity: &str,
    sum: &Consumed<'_>,
    shares: &[&Holder<'_>],
) -> Message {
    let used = spell_like(sum.nanos, sum.beside);
    let first = shares.first().map(|share| share.claim.metadata.full_name());
    let mut names = shares.iter().map(|share| share.claim.metadata.full_name());
    if names.all(|name| Some(name) == first) {
        message!(
            "audit.capacity-unpublished",
            "claim {claim} consumes {used} of capacity {capacity}, which device {device} does not publish",
            claim = named(shares),
            used,
            capacity,
            device,
        )
    } else {
        message!(
            "audit.capacity-unpublished-several",
            "claims {claims} consume {used} of capacity {capacity}, which device {device} does not publish",
            claims = named(shares),
            used,
            capacity,
            device,
        )
    }
}

fn being_deleted(claim: &Claim, consumers: &Consumers<'_>, finder: &mut Finder<'_, '_>) {
    let Some(since) = &claim.metadata.deletion_timestamp else {
        return;
    };
    let devices = claim.allocated_devices().len();
    if devices == 0 {
        return;
    }
    let users = match claim.status.reserved_for.as_slice() {
        [] => message!("audit.reserved-for-nobody", "it is reserved for nobody"),
        users => {
            let names = users
                .iter()
                .map(|user| format!("{} {}", singular(&user.resource), user.name));
            let names = first_names(names.collect());
            message!("audit.reserved-for", "it is reserved for {names}", names)
        }
    };
    let name = claim.metadata.full_name();
    let message = if devices == 1 {
        message!(
            "audit.deleting-holds-one",
            "claim {claim} has been deleted since {since} and still holds 1 device: {users}",
            claim = name,
            since,
            users,
        )
    } else {
        message!(
            "audit.deleting-holds",
            "claim {claim} has been deleted since {since} and still holds {devices} devices: {users}",
            claim = name,
            since,
            devices,
            users,
        )
    };
    let about = About::object("ResourceClaim", &claim.metadata)
        .at(field_path!["metadata", "deletionTimestamp"]);
    let help = deletion_help(claim, consumers.use_claim(claim));
    finder.tell(Code::ClaimDeletingHolds, about, message, help);
}

/// Returns how the devices of a claim that is being deleted become free; `None`: as the advice of the code says.
/// kube-controller-manager deallocates a claim with its finalizer, whatever others the claim has (`pkg/controller/resourceclaim`,
/// `syncClaim`).
fn deletion_help(claim: &Claim, is_used: bool) -> Option<Message> {
    let finalizers = &claim.metadata.finalizers;
    if finalizers.is_empty() {
        return Some(message!(
            "audit.deleting-without-finalizer-help",
            "get the claim again: kube-apiserver removes a claim that is being deleted and has no finalizers"
        ));
    }
    let is_protected = finalizers.iter().any(|name| name == DELETE_PROTECTION);
    if is_protected && is_used {
        return None;
    }
    if is_protected {
        return Some(message!(
            "audit.deleting-unused-help",
            "the resource claim controller of kube-controller-manager frees the devices and removes the finalizer `{finalizer}`: if it does not, look at its log",
            finalizer = DELETE_PROTECTION
        ));
    }
    let finalizers = finalizers.join(", ");
    if is_used {
        return Some(message!(
            "audit.deleting-other-finalizers-used-help",
            "delete the pods that use the claim; the devices are free when it is gone, once the controllers of its finalizers have removed them: {finalizers}",
            finalizers,
        ));
    }
    Some(message!(
        "audit.deleting-other-finalizers-help",
        "the devices are free when the claim is gone, once the controllers of its finalizers have removed them: {finalizers}",
        finalizers,
    ))
}

/// Returns the name of one object of a resource.
fn singular(resource: &str) -> &str {
    resource.strip_suffix('s').unwrap_or(resource)
}

/// Why a consumer does not use its claim.
enum Unused {
    Absent,
    /// Another object has its name.
    Replaced,
    Ended,
    /// It is being deleted, and never got a node.
    NeverStarts,
}

impl Unused {
    fn message(self, claim: &str, resource: &str, consumer: &str) -> Message {
        let kind = singular(resource);
        match self {
            Unused::Absent => message!(
                "audit.reserved-for-absent",
                "claim {claim} is reserved for {kind} {consumer}, which is not there",
                claim,
                kind,
                consumer,
            ),
            Unused::Replaced => message!(
                "audit.reserved-for-replaced",
                "claim {claim} is reserved for {kind} {consumer}, which is not there: another {kind} has its name",
                claim,
                kind,
                consumer,
            ),
            Unused::NeverStarts => message!(
                "audit.reserved-for-deleted",
                "claim {claim} is reserved for {kind} {consumer}, which is being deleted and has no node",
                claim,
                kind,
                consumer,
            ),
            Unused::Ended => message!(
                "audit.reserved-for-ended",
                "claim {claim} is reserved for {kind} {consumer}, which has ended",
                claim,
                kind,
                consumer,
            ),
        }
    }
}

/// The objects for which claims can be reserved.
struct Consumers<'f> {
    facts: &'f Facts,
    pods: ByName<'f, Pod>,
    groups: ByName<'f, PodGroup>,
}

/// Returns true if an object is not the one for which a claim is reserved, but another of its name.
fn is_another(object: &Meta, user: &Consumer) -> bool {
    !user.uid.is_empty() && !object.uid.is_empty() && object.uid != user.uid
}

impl Consumers<'_> {
    fn check(&self, claim: &Claim, finder: &mut Finder<'_, '_>) {
        for (index, user) in claim.status.reserved_for.iter().enumerate() {
            let Some(problem) = self.problem(&claim.metadata.namespace, user) else {
                continue;
            };
            let owner = format!("{}/{}", claim.metadata.namespace, user.name);
            let message = problem.message(&claim.metadata.full_name(), &user.resource, &owner);
            let about = About::object("ResourceClaim", &claim.metadata).at(field_path![
                "status",
                "reservedFor",
                index
            ]);
            finder.tell(Code::ReservedForGone, about, message, None);
        }
    }

    /// Returns true if a claim is reserved for something that is not known to be gone.
    fn use_claim(&self, claim: &Claim) -> bool {
        let namespace = &claim.metadata.namespace;
        let mut users = claim.status.reserved_for.iter();
        users.any(|user| self.problem(namespace, user).is_none())
    }

    /// Returns why a consumer does not use its claim; `None`: it does, or nothing of its kind is given in its namespace.
    fn problem(&self, namespace: &str, user: &Consumer) -> Option<Unused> {
        match (user.api_group.as_str(), user.resource.as_str()) {
            ("", "pods") => self.problem_of_pod(namespace, user),
            ("scheduling.k8s.io", "podgroups") => self.problem_of_group(namespace, user),
            _ => None,
        }
    }

    fn problem_of_pod(&self, namespace: &str, user: &Consumer) -> Option<Unused> {
        let Some(pod) = self.pods.get(&(namespace, user.name.as_str())) else {
            let wanted = ObjectName::new("Pod", namespace, &user.name);
            return is_absent(&self.pods, self.facts, &wanted).then_some(Unused::Absent);
        };
        if is_another(&pod.metadata, user) {
            Some(Unused::Replaced)
        } else if has_ended(pod) {
            Some(Unused::Ended)
        } else {
            is_deleted_before_start(pod).then_some(Unused::NeverStarts)
        }
    }

    fn problem_of_group(&self, namespace: &str, user: &Consumer) -> Option<Unused> {
        let Some(group) = self.groups.get(&(namespace, user.name.as_str())) else {
            let wanted = ObjectName::new("PodGroup", namespace, &user.name);
            return is_absent(&self.groups, self.facts, &wanted).then_some(Unused::Absent);
        };
        is_another(&group.metadata, user).then_some(Unused::Replaced)
    }
}

/// Returns true if a pod is being deleted, and never got a node.
pub fn is_deleted_before_start(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some() && pod.spec.node_name.is_empty()
}
