//! Kinds of which a dump of a cluster holds nothing: the cluster has such objects, so what they decide is not known.

use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Meta, ObjectName, Pod, claim_refusal};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount};
use claimkit_scheduler::explain::kinds::{Absent, NodeVerdict};
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin, TurnOutcome};
use claimkit_scheduler::scheduler;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

const NODES: &str = "nodes";
const SLICES: &str = "resourceslices";

/// What was not given, although the cluster has it.
#[derive(Clone, Debug, Default)]
pub struct NotGiven {
    /// Pods or claims were on a server: kinds of which nothing is given are not empty there.
    is_dump: bool,
    nodes: bool,
    slices: bool,
    classes: bool,
    claims: bool,
    templates: bool,
    /// Some pod that has a node uses a claim that is not given: what it holds is not known.
    holders: bool,
    /// The namespaces of which claims are given.
    with_claims: BTreeSet<String>,
    /// The namespaces of which templates are given.
    with_templates: BTreeSet<String>,
}

impl NotGiven {
    /// Looks at the objects as they were read. Texts that people write to try things hold what they need: of these nothing is missed.
    pub fn of(facts: &Facts) -> Self {
        let namespace = |meta: &Meta| meta.namespace.clone();
        let has_uses = facts.pods.iter().any(|pod| has_node(pod))
            || facts.claims.iter().any(|claim| is_allocated(claim));
        let is_dump = is_dump(facts);
        let has_nodes = facts.nodes.iter().any(|node| !node.assumed);
        NotGiven {
            is_dump,
            nodes: (is_dump || has_uses) && !has_nodes && !facts.is_whole("Node"),
            slices: is_dump && facts.slices.is_empty() && !facts.is_whole("ResourceSlice"),
            classes: is_dump && facts.classes.is_empty() && !facts.is_whole("DeviceClass"),
            claims: is_dump && !facts.is_whole("ResourceClaim"),
            templates: is_dump && !facts.is_whole("ResourceClaimTemplate"),
            holders: is_dump
                && !facts.is_whole("ResourceClaim")
                && facts.pods.iter().any(|pod| uses_absent_claim(facts, pod)),
            with_claims: order::set(facts.claims.iter().map(|claim| namespace(&claim.metadata))),
            with_templates: order::set(facts.templates.iter().map(|one| namespace(&one.metadata))),
        }
    }

    /// Makes pods whose fate such objects decide unknown. `facts`: those that the answer is about.
    pub fn mark(&self, accounts: &mut [PodAccount], facts: &Facts, rules: &PluginRules) {
        if !self.is_dump && !self.nodes {
            return;
        }
        let pods: BTreeMap<String, &Pod> = facts
            .pods
            .iter()
            .map(|pod| (pod.metadata.full_name(), &**pod))
            .collect();
        let mut known: BTreeMap<String, WhyOpen> = BTreeMap::new();
        for account in accounts {
            let pod = account
                .pod
                .as_ref()
                .and_then(|name| pods.get(name).copied());
            let same = account.same_as.as_ref().and_then(|same| known.get(same));
            let why = match same {
                Some(why) => Some(why.clone()),
                None => self.decides(account, pod, facts, rules),
            };
            let Some(why) = why else { continue };
            if let Some(name) = &account.pod {
                known.insert(name.clone(), why.clone());
            }
            let by_devices = match why.devices_are_known {
                true => devices_alone(account),
                false => None,
            };
            account.leave_open(why.words, by_devices);
        }
    }

    /// Returns why it is not known what becomes of a pod, or of claims without one.
    fn decides(
        &self,
        account: &PodAccount,
        pod: Option<&Pod>,
        facts: &Facts,
        rules: &PluginRules,
    ) -> Option<WhyOpen> {
        let outcome = account.turn.as_deref().map(|turn| turn.outcome);
        let is_settled = matches!(
            outcome,
            Some(
                TurnOutcome::Placed
                    | TurnOutcome::Ended
                    | TurnOutcome::Gated
                    | TurnOutcome::NotKnown
            )
        );
        if is_settled {
            return None;
        }
        let absent = pod
            .and_then(|pod| self.absent_of(pod, facts))
            .map(WhyOpen::of);
        if absent.is_some() || outcome == Some(TurnOutcome::NotConsidered) {
            return absent;
        }
        let before = account.before.as_ref();
        if self.classes {
            let lacks_class = before.and_then(|before| before.absent) == Some(Absent::Class);
            if lacks_class
                || (!fits(account) && pod.is_some_and(|pod| asks_a_class(facts, pod, rules)))
            {
                return Some(WhyOpen::of(not_given(Absent::Class.plural())));
            }
        }
        if before.is_some_and(|before| before.code != StatusCode::Skip) {
            return None;
        }
        if self.nodes
            && (fits(account) || account.nodes.is_empty() || account.nodes.iter().any(is_blind))
        {
            return Some(WhyOpen {
                words: not_given(NODES),
                devices_are_known: !self.holders,
            });
        }
        if fits(account) {
            let asks = !account.claims.is_empty() || !account.extended_resources.is_empty();
            let is_open = self.holders && asks;
            return is_open.then(|| WhyOpen::of(not_given(Absent::Claim.plural())));
        }
        let lacks_devices = account
            .nodes
            .iter()
            .any(|node| !node.refusals.iter().any(is_of_others));
        let is_open = self.slices && before.is_none() && lacks_devices;
        is_open.then(|| WhyOpen::of(not_given(SLICES)))
    }

    /// Returns the kind of a claim or template that a pod names, that is not there, and of which nothing is given. A new pod misses
    /// only kinds of which nothing at all is given.
    fn absent_of(&self, pod: &Pod, facts: &Facts) -> Option<Message> {
        let namespace = pod.metadata.namespace.as_str();
        for entry in &pod.spec.resource_claims {
            let name = pod.claim_of(&entry.name);
            let (absent, given) = match (name, &entry.resource_claim_template_name) {
                (Some(name), _) if self.claims && !has_claim(facts, namespace, name) => {
                    (Absent::Claim, &self.with_claims)
                }
                (None, Some(template))
                    if self.templates && !has_template(facts, namespace, template) =>
                {
                    (Absent::Template, &self.with_templates)
                }
                _ => continue,
            };
            let wanted = name.or(entry.resource_claim_template_name.as_deref());
            let object =
                ObjectName::new(&absent.to_string(), namespace, wanted.unwrap_or_default());
            if facts.unusable.contains(&object) {
                continue;
            }
            // A controller looked for it.
            if claim_refusal(&facts.events, &pod.metadata, &entry.name).is_some() {
                continue;
            }
            if given.is_empty() {
                return Some(not_given(absent.plural()));
            }
            // Where its Namespace is given, too, all of the cluster is.
            let is_given = given.contains(namespace) || facts.namespaces.contains_key(namespace);
            if was_stored(pod) && !is_given {
                return Some(message!(
                    "pods.not-given-of-namespace",
                    "not known, for {kinds} of namespace {namespace} were not given",
                    kinds = absent.plural(),
                    namespace
                ));
            }
        }
        None
    }
}

/// Why it is not known what becomes of a pod.
#[derive(Clone, Debug)]
struct WhyOpen {
    words: Message,
    /// What holds devices is given: those that the pod gets are known, if its node takes it.
    devices_are_known: bool,
}

impl WhyOpen {
    fn of(words: Message) -> Self {
        WhyOpen {
            words,
            devices_are_known: false,
        }
    }
}

/// Says which devices a pod gets, and on which node, if the node takes it.
fn devices_alone(account: &PodAccount) -> Option<Message> {
    let turn = account.turn.as_deref()?;
    let node = turn.node.as_ref()?;
    let names: Vec<&str> = turn
        .devices
        .iter()
        .filter_map(|device| Some(device.device.rsplit_once('/')?.1))
        .collect();
    (!names.is_empty()).then(|| {
        message!(
            "pods.devices-alone",
            "by its devices alone it gets {devices} on {node}",
            devices = names.join(", "),
            node
        )
    })
}

fn not_given(kinds: &str) -> Message {
    message!(
        "pods.not-given",
        "not known, for {kinds} were not given",
        kinds
    )
}

/// Returns true if pods, claims or nodes were on a server.
fn is_dump(facts: &Facts) -> bool {
    let claims = facts.claims.iter().map(|claim| &claim.metadata);
    let nodes = facts.nodes.iter().map(|node| &node.metadata);
    claims.chain(nodes).any(has_server_fields) || facts.pods.iter().any(|pod| was_stored(pod))
}

fn has_server_fields(meta: &Meta) -> bool {
    !meta.uid.is_empty() || meta.creation_timestamp.is_some()
}

/// Returns true if a pod has what only the server and controllers write.
fn was_stored(pod: &Pod) -> bool {
    let has_claims = pod.status.resource_claim_statuses.is_some();
    has_server_fields(&pod.metadata) || has_claims || !pod.status.conditions.is_empty()
}

fn has_node(pod: &Pod) -> bool {
    !pod.spec.node_name.is_empty() && !scheduler::has_ended(pod)
}

fn is_allocated(claim: &Claim) -> bool {
    claim.status.allocation.is_some()
}

fn has_claim(facts: &Facts, namespace: &str, name: &str) -> bool {
    let mut claims = facts.claims.iter().map(|claim| &claim.metadata);
    claims.any(|meta| meta.name == name && meta.namespace == namespace)
}

fn has_template(facts: &Facts, namespace: &str, name: &str) -> bool {
    let mut templates = facts.templates.iter().map(|template| &template.metadata);
    templates.any(|meta| meta.name == name && meta.namespace == namespace)
}

/// Returns true if a pod has a node, and a claim of it is not given.
fn uses_absent_claim(facts: &Facts, pod: &Pod) -> bool {
    let mut entries = pod.spec.resource_claims.iter();
    has_node(pod)
        && entries.any(|entry| {
            let name = pod.claim_of(&entry.name);
            name.is_some_and(|name| !has_claim(facts, &pod.metadata.namespace, name))
        })
}

/// Returns true if a pod asks for a resource that no node has by itself: a class may serve it.
fn asks_a_class(facts: &Facts, pod: &Pod, rules: &PluginRules) -> bool {
    let mut asked = extended::names(rules, pod).into_iter();
    asked.any(|resource| !is_on_a_node(facts, resource))
}

fn is_on_a_node(facts: &Facts, resource: &str) -> bool {
    let mut nodes = facts.nodes.iter();
    nodes.any(|node| node.status.allocatable.contains_key(resource))
}

/// Returns true if a pod, or claims without one, get a node here.
fn fits(account: &PodAccount) -> bool {
    match account.turn.as_deref() {
        Some(turn) => turn.outcome.has_node(),
        None => account
            .nodes
            .iter()
            .any(|node| node.verdict == NodeVerdict::Allocated),
    }
}

/// Returns true if something other than devices refuses the node: its labels, taints or resources, which are not known.
fn is_blind(node: &NodeAccount) -> bool {
    node.refusals.iter().any(is_of_others)
}

fn is_of_others(refusal: &NodeRefusal) -> bool {
    refusal.plugin != Plugin::DynamicResources
}
