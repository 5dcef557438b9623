//! Findings about the whole account: errors that end the attempt, and surprising effects of a successful allocation.

use super::account::{NodeAccount, PodAccount, Reason};
use super::remark::Remark;
use super::words::some;
use crate::allocator::behaviour::IncomparableValue;
use crate::allocator::cluster::{Cluster, DeviceAt};
use crate::allocator::constraints::{self, ConstraintKind, scalar, set};
use crate::allocator::features::Feature;
use crate::allocator::objects::{Ask, Claim, Device, Taint};
use crate::allocator::plugin::PodCase;
use crate::allocator::results::DeviceResult;
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::taints::tolerates;
use claimkit_model::finding::{Code, FieldPath, Finding, Origin, field_path};
use claimkit_model::message::{Message, message};

/// Maximum number of claims that use a device and are named.
const MOST_USERS: usize = 3;
/// Maximum number of nodes or devices with an error that are named.
const MOST_NAMES: usize = 5;
/// The effect of taints that evict pods.
const NO_EXECUTE: &str = "NoExecute";

/// Returns true if a pod names a claim twice that waits.
pub fn names_claim_twice(case: &PodCase<'_>) -> bool {
    let mut claims = case.pending.iter().enumerate();
    claims.any(|(index, claim)| is_among(claim, case.pending.get(..index)))
}

fn is_among(claim: &Claim, others: Option<&[&Claim]>) -> bool {
    let mut others = others.into_iter().flatten();
    others.any(|other| std::ptr::eq(*other, claim))
}

/// Returns the findings of an account.
pub fn findings(cluster: &Cluster<'_>, case: &PodCase<'_>, account: &PodAccount) -> Vec<Remark> {
    let mut list = Vec::new();
    errors(cluster, case, account, &mut list);
    for (index, claim) in case.pending.iter().enumerate() {
        if is_among(claim, case.pending.get(..index)) {
            let message = message!(
                "account.claim-named-twice",
                "the pod names this claim twice: it is allocated twice, and the pod is never bound, because it cannot reserve the claim twice"
            );
            list.push(of_claim(
                claim,
                Code::ClaimNamedTwice,
                message,
                Some(field_path!["spec", "resourceClaims"]),
            ));
        }
        admin_label(cluster, case, claim, &mut list);
        distinct(cluster, claim, &mut list);
        lists(cluster, claim, &mut list);
    }
    for [one, other] in account
        .nodes
        .iter()
        .filter_map(|node| node.unclear.as_ref())
        .take(1)
    {
        let message = message!(
            "account.device-looked-up-by-name",
            "the scheduler looks up by pool and name alone what devices take of the node's resources, and {one} and {other} differ: the answer is one of several possible ones",
            one,
            other
        );
        list.push(Finding::new(Code::PoolOrderRandom, message).into());
    }
    let is_open = |node: &NodeAccount| {
        node.pools.len() > 1 || node.pools.iter().any(|pool| pool.slices.len() > 1)
    };
    if !cluster.behaviour.ordered_pools && account.nodes.iter().any(is_open) {
        let message = message!(
            "account.pools-in-random-order",
            "this release walks pools, and the slices of a pool, in random order: the answer is one of several possible ones"
        );
        list.push(Finding::new(Code::PoolOrderRandom, message).into());
    }
    list
}

/// Returns what is surprising about the devices that a pod, or claims without one, get on some nodes, each once.
pub fn of_allocations<'n>(
    cluster: &Cluster<'_>,
    pending: &[&Claim],
    nodes: impl Iterator<Item = &'n NodeAccount>,
) -> Vec<Remark> {
    let mut list = Vec::new();
    let mut known: Set<(String, String, Code)> = Set::default();
    for node in nodes {
        for (claim, allocation) in pending.iter().zip(node.allocations.iter().flatten()) {
            for result in &allocation.devices.results {
                let Some((at, device)) = device_of(cluster, result) else {
                    continue;
                };
                let given = GivenDevice {
                    cluster,
                    claim,
                    result,
                    at,
                    device,
                };
                for remark in given.remarks() {
                    let (claim, request) = (claim.metadata.full_name(), result.request.clone());
                    if known.insert((claim, request, remark.finding.code)) {
                        list.push(remark);
                    }
                }
            }
        }
    }
    list
}

fn of_claim(claim: &Claim, code: Code, message: Message, path: Option<FieldPath>) -> Remark {
    let finding = Finding::warning(code, message);
    Remark::about(finding, "ResourceClaim", claim.metadata.full_name()).at(path)
}

/// Reports errors that end the attempt on all nodes, once each, with the devices that cause them.
fn errors(cluster: &Cluster<'_>, case: &PodCase<'_>, account: &PodAccount, list: &mut Vec<Remark>) {
    let mut seen: Sorted<&str, (Vec<&str>, Set<&str>)> = Sorted::new();
    for node in account.nodes.iter().filter(|node| node.fatal) {
        let message = node.message.as_deref().unwrap_or_default();
        let (nodes, devices) = seen.entry(message);
        nodes.push(&node.name);
        let cells = node
            .requests
            .iter()
            .flat_map(|request| &request.cells)
            .map(|cell| cell.device.as_str());
        devices.extend(cells.filter(|device| {
            message.contains("unsupported ResourceSlice.NodeSelector")
                && many_terms(cluster, device)
        }));
        for cell in node.requests.iter().flat_map(|request| &request.cells) {
            let causes = |reason: &Reason| match reason {
                Reason::ClassSelector(reason) | Reason::RequestSelector(reason) => reason
                    .error
                    .as_deref()
                    .is_some_and(|error| message.ends_with(error)),
                _ => false,
            };
            if cell.reason.iter().chain(&cell.also).any(causes) {
                devices.insert(&cell.device);
            }
        }
    }
    for (message, (nodes, devices)) in seen {
        let found = Finding::upstream(Code::AllocationError, Origin::Scheduler, message.to_owned());
        list.push(
            match case.pending.iter().find_map(|claim| about(claim, message)) {
                Some((object, path)) => {
                    Remark::about(found, "ResourceClaim", object).at(Some(path))
                }
                None => found.into(),
            },
        );
        let nodes = some(&nodes, MOST_NAMES);
        let devices = devices
            .into_iter()
            .take(MOST_NAMES)
            .collect::<Vec<_>>()
            .join(", ");
        let message = match devices.as_str() {
            "" => message!(
                "account.error-ends-attempt",
                "an error on one node ends the attempt for all nodes; it is met on {nodes}",
                nodes
            ),
            _ => message!(
                "account.error-ends-attempt-by",
                "an error on one node ends the attempt for all nodes; it is met on {nodes}, by {devices}",
                nodes,
                devices
            ),
        };
        list.push(Finding::new(Code::ErrorEndsAttempt, message).into());
    }
}

/// Returns the claim that an error names, and the place in it of the request, if it names one.
fn about(claim: &Claim, message: &str) -> Option<(String, FieldPath)> {
    let object = claim.metadata.full_name();
    let rest = message.strip_prefix("claim ")?.strip_prefix(&object)?;
    let requests = rest.strip_prefix(", request ").and_then(|rest| {
        claim.spec.devices.requests.iter().position(|request| {
            starts_with_request(rest, &request.name)
                || request
                    .first_available
                    .iter()
                    .any(|sub| starts_with_request(rest, &sub.name))
        })
    });
    let path = field_path!["spec", "devices", "requests"];
    let path = requests.map_or_else(|| path.clone(), |at| path.then(at));
    rest.starts_with([',', ':']).then_some((object, path))
}

fn starts_with_request(rest: &str, name: &str) -> bool {
    rest.strip_prefix(name)
        .is_some_and(|rest| rest.starts_with([':', ',']))
}

/// Returns true if a device, or its slice, has a node selector with more than one term.
fn many_terms(cluster: &Cluster<'_>, name: &str) -> bool {
    cluster.facts.slices.iter().any(|slice| {
        let devices = slice.spec.devices.iter().filter(|device| {
            has_many_terms(&slice.spec.node_selector) || has_many_terms(&device.node_selector)
        });
        let mut names = devices.map(|device| {
            format!(
                "{}/{}/{}",
                slice.spec.driver, slice.spec.pool.name, device.name
            )
        });
        names.any(|full| full == name)
    })
}

fn has_many_terms(selector: &Option<crate::allocator::objects::NodeSelector>) -> bool {
    selector
        .as_ref()
        .is_some_and(|selector| selector.node_selector_terms.len() > 1)
}

/// Returns true if a claim of a pod asks for admin access, and the labels of its namespace are given and do not allow it: the server
/// refuses its devices.
pub fn lacks_admin_label(cluster: &Cluster<'_>, case: &PodCase<'_>) -> bool {
    let label = case.admin_label();
    let Some(label) = label.filter(|_| cluster.has(Feature::AdminAccess)) else {
        return false;
    };
    let mut claims = case.pending.iter();
    claims.any(|claim| {
        let mut asks = claim
            .spec
            .devices
            .requests
            .iter()
            .flat_map(|request| &request.exactly);
        let labels = cluster.facts.namespaces.get(&claim.metadata.namespace);
        let is_lacking =
            labels.is_some_and(|labels| labels.get(label).is_none_or(|value| value != "true"));
        is_lacking && asks.any(|ask| ask.admin_access == Some(true))
    })
}

/// Reports a namespace without the label that the API server demands for admin access.
fn admin_label(cluster: &Cluster<'_>, case: &PodCase<'_>, claim: &Claim, list: &mut Vec<Remark>) {
    let Some(label) = case
        .admin_label()
        .filter(|_| cluster.has(Feature::AdminAccess))
    else {
        return;
    };
    let admin = |request: &crate::allocator::objects::ClaimRequest| {
        request
            .exactly
            .as_ref()
            .is_some_and(|ask| ask.admin_access == Some(true))
    };
    let Some(index) = claim.spec.devices.requests.iter().position(admin) else {
        return;
    };
    let path = field_path!["spec", "devices", "requests", index, "adminAccess"];
    let labels = cluster.facts.namespaces.get(&claim.metadata.namespace);
    if labels.is_some_and(|labels| labels.get(label).is_some_and(|value| value == "true")) {
        return;
    }
    let finding = match labels {
        Some(_) if !claim.metadata.uid.is_empty() => {
            let message = message!(
                "account.label-gone",
                "the namespace lacks the label `{label}: true`, without which kube-apiserver refuses new claims and allocations with admin access",
                label
            );
            Finding::warning(Code::AdminAccessLabel, message)
        }
        Some(_) => {
            let text = format!(
                "admin access to devices requires the `{label}: true` label on the containing namespace"
            );
            Finding::upstream(
                Code::AdminAccessLabel,
                Origin::ApiServer,
                format!("{path}: Forbidden: {text}"),
            )
        }
        None => {
            let message = message!(
                "account.namespace-not-given",
                "the namespace is not part of the input: admin access to devices requires the `{label}: true` label on the containing namespace",
                label
            );
            Finding::warning(Code::AdminAccessLabel, message)
        }
    };
    list.push(Remark::about(finding, "ResourceClaim", claim.metadata.full_name()).at(Some(path)));
}

/// Reports a distinctAttribute that is not enforced.
fn distinct(cluster: &Cluster<'_>, claim: &Claim, list: &mut Vec<Remark>) {
    for (index, constraint) in claim.spec.devices.constraints.iter().enumerate() {
        if !matches!(
            constraints::kind(constraint, cluster.behaviour),
            Some((ConstraintKind::Distinct, _))
        ) {
            continue;
        }
        let many = claim.spec.devices.requests.iter().any(|request| {
            let asks = request.exactly.iter().chain(&request.first_available);
            constraints::applies(constraint, &request.name, None)
                && asks
                    .into_iter()
                    .any(|ask| ask.count > 2 || ask.allocation_mode == "All")
        });
        let message = if cluster.behaviour.distinct_by_address {
            message!(
                "account.distinct-not-enforced",
                "this release never finds two values equal: distinctAttribute is not enforced"
            )
        } else if many && !cluster.behaviour.constraints_restored {
            message!(
                "account.distinct-by-neighbors",
                "within a request only the device before is compared: of three devices the first and the third may have the same value"
            )
        } else {
            continue;
        };
        let path = Some(field_path![
            "spec",
            "devices",
            "constraints",
            index,
            "distinctAttribute"
        ]);
        list.push(of_claim(claim, Code::DistinctNotEnforced, message, path));
    }
}

/// Reports a constraint on an attribute that some device publishes as a list, without the feature.
fn lists(cluster: &Cluster<'_>, claim: &Claim, list: &mut Vec<Remark>) {
    if cluster.has(Feature::ListTypeAttributes) {
        return;
    }
    for (index, constraint) in claim.spec.devices.constraints.iter().enumerate() {
        let Some((_, name)) = constraints::kind(constraint, cluster.behaviour) else {
            continue;
        };
        let mut slices = cluster.facts.slices.iter();
        if slices.any(|slice| {
            slice
                .spec
                .devices
                .iter()
                .any(|device| is_list(name, &slice.spec.driver, device))
        }) {
            let message = match cluster.behaviour.incomparable {
                IncomparableValue::Refused => message!(
                    "account.list-in-constraint",
                    "some devices publish {name} as a list, which the scheduler's allocator takes for a value of unknown type",
                    name
                ),
                _ => message!(
                    "account.list-in-constraint-fails",
                    "some devices publish {name} as a list: if the search reaches one of them, the attempt ends with an error, on all nodes",
                    name
                ),
            };
            list.push(of_claim(
                claim,
                Code::ListInConstraint,
                message,
                Some(field_path!["spec", "devices", "constraints", index]),
            ));
        }
    }
}

fn is_list(name: &str, driver: &str, device: &Device) -> bool {
    constraints::attribute(device, driver, name)
        .is_some_and(|found| scalar(found).is_none() && set(found).is_some())
}

/// Returns the request of a result: `request` or `request/subrequest`.
fn ask_of<'c>(claim: &'c Claim, name: &str) -> Option<&'c Ask> {
    let (request, sub) = name
        .split_once('/')
        .map_or((name, None), |(request, sub)| (request, Some(sub)));
    let request = claim
        .spec
        .devices
        .requests
        .iter()
        .find(|known| known.name == request)?;
    match sub {
        None => request.exactly.as_ref(),
        Some(sub) => request.first_available.iter().find(|ask| ask.name == sub),
    }
}

/// A device that an allocation gives to a claim.
struct GivenDevice<'a, 'c> {
    cluster: &'a Cluster<'c>,
    claim: &'a Claim,
    result: &'a DeviceResult,
    at: DeviceAt,
    device: &'a Device,
}

impl GivenDevice<'_, '_> {
    fn remarks(&self) -> impl Iterator<Item = Remark> {
        let remarks = [
            self.admin_access_in_use(),
            self.tolerated_but_evicted(),
            self.share_takes_all(),
        ];
        remarks.into_iter().flatten()
    }

    fn name(&self) -> String {
        self.cluster.device_name(self.at)
    }

    /// Reports administrative access to a device that others use.
    fn admin_access_in_use(&self) -> Option<Remark> {
        if self.result.admin_access != Some(true) {
            return None;
        }
        let cluster = self.cluster;
        let claims = cluster.usage.claims(cluster.identity(self.at)).iter();
        let users: Vec<String> = claims
            .filter_map(|user| cluster.facts.claims.get(*user))
            .map(|user| user.metadata.full_name())
            .collect();
        if users.is_empty() {
            return None;
        }
        let users: Vec<&str> = users.iter().map(String::as_str).collect();
        let full = self.claim.metadata.full_name();
        let message = message!(
            "account.admin-access-in-use",
            "claim {claim} has admin access to device {device}, which {users} uses",
            claim = full,
            device = self.name(),
            users = some(&users, MOST_USERS)
        );
        let finding = Finding::new(Code::AdminAccessInUse, message);
        Some(Remark::about(finding, "ResourceClaim", full))
    }

    /// Reports a taint that a pod is placed in spite of, and evicted for.
    fn tolerated_but_evicted(&self) -> Option<Remark> {
        let cluster = self.cluster;
        // kube-controller-manager, `claimEvictionTime`: the toleration must be for this very taint.
        let is_evicted =
            evicting_taints(self.device).any(|taint| !is_tolerated_forever(self.result, taint));
        if !is_evicted || !cluster.has(Feature::DeviceTaints) {
            return None;
        }
        let (request, device) = (&self.result.request, self.name());
        let copies_tolerations = cluster.behaviour.tolerations_in_result;
        let message = if !copies_tolerations && self.tolerates_eviction() {
            message!(
                "taint.toleration-not-copied",
                "request {request}: NoExecute of device {device} is tolerated when the pod is placed, but this release does not copy tolerations into the allocation, where eviction looks for them (1.35 and later do): the pod will be evicted",
                request,
                device
            )
        } else {
            message!(
                "taint.toleration-without-effect",
                "request {request}: NoExecute of device {device} is tolerated when the pod is placed, but eviction wants a toleration with effect NoExecute: the pod will be evicted",
                request,
                device
            )
        };
        let code = Code::ToleratedButEvicted;
        Some(of_claim(self.claim, code, message, None))
    }

    /// Returns true if the request tolerates all taints that evict, by tolerations with that effect.
    fn tolerates_eviction(&self) -> bool {
        let Some(ask) = ask_of(self.claim, &self.result.request) else {
            return false;
        };
        evicting_taints(self.device).all(|taint| {
            let mut tolerations = ask.tolerations.iter();
            tolerations.any(|toleration| {
                toleration.effect == NO_EXECUTE && tolerates(toleration, taint).is_ok()
            })
        })
    }

    /// Reports a share that takes all of a capacity that the request does not name.
    fn share_takes_all(&self) -> Option<Remark> {
        self.result.share_id.as_ref()?;
        let asked = ask_of(self.claim, &self.result.request).and_then(|ask| ask.capacity.as_ref());
        let takes_all = self.device.capacity.iter().any(|(name, capacity)| {
            let is_asked =
                asked.is_some_and(|capacity| capacity.requests.contains_key(name.as_str()));
            let consumed = self.result.consumed_capacity.get(name);
            !is_asked
                && capacity.request_policy.is_none()
                && consumed.is_some_and(|consumed| consumed.nanos() == capacity.value.nanos())
        });
        if !takes_all {
            return None;
        }
        let message = message!(
            "capacity.share-takes-all",
            "request {request} names no amount and device {device} has no request policy: one share takes all of it",
            request = self.result.request,
            device = self.name()
        );
        Some(of_claim(self.claim, Code::ShareTakesAll, message, None))
    }
}

fn evicting_taints(device: &Device) -> impl Iterator<Item = &Taint> {
    let taints = device.taints.iter();
    taints.filter(|taint| taint.effect == NO_EXECUTE)
}

fn device_of<'c>(
    cluster: &'c Cluster<'_>,
    result: &DeviceResult,
) -> Option<(DeviceAt, &'c Device)> {
    let slices = cluster.slices_of_pool(&result.driver, &result.pool).iter();
    slices
        .flat_map(|at| cluster.devices_of(*at))
        .find(|(_, device)| device.name == result.device)
}

fn is_tolerated_forever(result: &DeviceResult, taint: &Taint) -> bool {
    let mut tolerations = result
        .tolerations
        .iter()
        .filter(|toleration| toleration.effect == NO_EXECUTE);
    tolerations.any(|toleration| tolerates(toleration, taint).is_ok())
}
