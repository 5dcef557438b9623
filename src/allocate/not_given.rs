//! Kinds of which a dump of a cluster holds nothing: the cluster has such objects, so what they decide is not known.

use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Meta, ObjectName, Pod, claim_refusal};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount};
use claimkit_scheduler::explain::kinds::{Absent, NodeVerdict};
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin, TurnOutcome};
use claimkit_scheduler::scheduler::{self, AffinityRules};
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
    /// Why the devices that a pod with a node holds are not known.
    holders: Option<Message>,
    /// The nodes on a server that do not say what they can hold.
    bare_nodes: BTreeSet<String>,
    /// Objects that cannot be decoded: the first one of each kind, as `Kind name`.
    undecoded: BTreeMap<String, String>,
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
        let bare_nodes = facts
            .nodes
            .iter()
            .filter(|node| has_server_fields(&node.metadata) && node.status.allocatable.is_empty());
        let undecoded = undecoded(facts);
        NotGiven {
            is_dump,
            nodes: (is_dump || has_uses) && !has_nodes && !facts.is_whole("Node"),
            slices: is_dump
                && (facts.slices.is_empty() && !facts.is_whole("ResourceSlice")
                    || undecoded.contains_key("ResourceSlice")),
            classes: is_dump
                && (facts.classes.is_empty() && !facts.is_whole("DeviceClass")
                    || undecoded.contains_key("DeviceClass")),
            claims: is_dump && !facts.is_whole("ResourceClaim"),
            templates: is_dump && !facts.is_whole("ResourceClaimTemplate"),
            holders: unknown_holder(facts, &undecoded).filter(|_| is_dump),
            bare_nodes: order::set(bare_nodes.map(|node| node.metadata.name.clone())),
            undecoded,
            with_claims: order::set(facts.claims.iter().map(|claim| namespace(&claim.metadata))),
            with_templates: order::set(facts.templates.iter().map(|one| namespace(&one.metadata))),
        }
    }

    /// Makes pods whose fate such objects decide unknown. `facts`: those that the answer is about.
    pub fn mark(&self, accounts: &mut [PodAccount], facts: &Facts, rules: &PluginRules) {
        if !self.is_dump && !self.nodes && self.bare_nodes.is_empty() {
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
        if outcome.is_some_and(is_settled) {
            return None;
        }
        let absent = pod.and_then(|pod| self.absent_of(pod, facts));
        if absent.is_some() || outcome == Some(TurnOutcome::NotConsidered) {
            return absent.map(WhyOpen::of);
        }
        if self.classes && needs_class(account, pod, facts, rules) {
            let words = self.not_given(Absent::Class.plural(), "DeviceClass");
            return Some(WhyOpen::of(words));
        }
        let before = account.before.as_ref();
        if before.is_some_and(|before| before.code != StatusCode::Skip) {
            return None;
        }
        let may_lack_nodes =
            fits(account) || account.nodes.is_empty() || account.nodes.iter().any(is_blind);
        if self.nodes && may_lack_nodes {
            return Some(WhyOpen {
                words: self.not_given(NODES, "Node"),
                devices_are_known: self.holders.is_none(),
            });
        }
        let pod_of_dump = pod.filter(|_| self.is_dump);
        if fits(account) {
            self.doubt_of_node(account, pod_of_dump, facts)
        } else {
            self.doubt_of_refusal(account, pod_of_dump, facts)
        }
    }

    /// Returns why it is not known that a node takes a pod which takes it as far as the objects say.
    fn doubt_of_node(
        &self,
        account: &PodAccount,
        pod_of_dump: Option<&Pod>,
        facts: &Facts,
    ) -> Option<WhyOpen> {
        let asks = !account.claims.is_empty() || !account.extended_resources.is_empty();
        if asks && let Some(holders) = &self.holders {
            return Some(WhyOpen::of(holders.clone()));
        }
        if let Some(namespace) = pod_of_dump.and_then(|pod| namespace_that_avoids(facts, pod)) {
            return Some(WhyOpen {
                words: namespace_not_given(namespace),
                devices_are_known: true,
            });
        }
        let node = self.bare_node(account)?;
        Some(WhyOpen {
            words: message!(
                "pods.node-without-resources",
                "not known, for Node {node} does not say what it can hold (`status.allocatable`)",
                node
            ),
            devices_are_known: true,
        })
    }

    /// Returns why it is not known that no node takes a pod, although none does as far as the objects say.
    fn doubt_of_refusal(
        &self,
        account: &PodAccount,
        pod_of_dump: Option<&Pod>,
        facts: &Facts,
    ) -> Option<WhyOpen> {
        // A node that cannot be read may take it.
        if self.is_dump
            && let Some(node) = self.undecoded.get("Node")
        {
            return Some(WhyOpen::of(cannot_be_read("Node", node)));
        }
        let refuses_by_affinity = |node: &NodeAccount| {
            let mut refusals = node.refusals.iter();
            refusals.any(|refusal| refusal.plugin == Plugin::InterPodAffinity)
        };
        if let Some(pod) = pod_of_dump
            && account.nodes.iter().any(refuses_by_affinity)
            && let Some(namespace) = namespace_that_may_be_near(facts, pod)
        {
            return Some(WhyOpen::of(namespace_not_given(namespace)));
        }
        let lacks_devices_only = |node: &NodeAccount| !node.refusals.iter().any(is_of_others);
        let may_lack_slices =
            account.before.is_none() && account.nodes.iter().any(lacks_devices_only);
        if self.slices && may_lack_slices {
            return Some(WhyOpen::of(self.not_given(SLICES, "ResourceSlice")));
        }
        None
    }

    /// Returns the node that takes a pod, if it does not say what it can hold; alone: if none of those that take it does.
    fn bare_node<'a>(&self, account: &'a PodAccount) -> Option<&'a str> {
        if let Some(turn) = account.turn.as_deref() {
            let node = turn.node.as_deref()?;
            return self.bare_nodes.contains(node).then_some(node);
        }
        let mut nodes = account.nodes.iter();
        let is_known = |node: &&NodeAccount| {
            node.verdict == NodeVerdict::Allocated && !self.bare_nodes.contains(&node.name)
        };
        if nodes.clone().any(|node| is_known(&node)) {
            return None;
        }
        let node = nodes.find(|node| node.verdict == NodeVerdict::Allocated)?;
        Some(&node.name)
    }

    /// Says that the objects of a kind are not given, or that one cannot be read.
    fn not_given(&self, kinds: &str, kind: &str) -> Message {
        match self.undecoded.get(kind) {
            Some(name) => cannot_be_read(kind, name),
            None => not_given(kinds),
        }
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
            if was_stored(pod) && facts.undecoded.contains(&object) {
                let name = format!("{namespace}/{}", object.name);
                return Some(cannot_be_read(&object.kind, &name));
            }
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

fn cannot_be_read(kind: &str, name: &str) -> Message {
    message!(
        "pods.cannot-be-read",
        "not known, for {kind} {name} cannot be read",
        kind,
        name
    )
}

/// Returns the objects that cannot be decoded, the first one of each kind.
fn undecoded(facts: &Facts) -> BTreeMap<String, String> {
    let mut first = BTreeMap::new();
    for object in &facts.undecoded {
        let name = match object.namespace.as_str() {
            "" => object.name.clone(),
            namespace => format!("{namespace}/{}", object.name),
        };
        first.entry(object.kind.clone()).or_insert(name);
    }
    first
}

/// Returns why the devices that a pod with a node holds are not known.
fn unknown_holder(facts: &Facts, undecoded: &BTreeMap<String, String>) -> Option<Message> {
    if let Some(claim) = undecoded.get("ResourceClaim") {
        return Some(cannot_be_read("ResourceClaim", claim));
    }
    if facts.is_whole("ResourceClaim") {
        return None;
    }
    let known = claims_by_name(facts);
    let pods = facts.pods.iter();
    if pods.clone().any(|pod| uses_absent_claim(&known, pod)) {
        return Some(not_given(Absent::Claim.plural()));
    }
    for pod in pods.filter(|pod| has_node(pod)) {
        let mut claims = claims_of(&known, pod);
        if let Some(claim) = claims.find(|claim| hides_devices(claim, pod)) {
            return Some(message!(
                "pods.devices-not-given",
                "not known, for ResourceClaim {claim} does not say which devices {pod} has",
                claim = claim.metadata.full_name(),
                pod = pod.metadata.full_name()
            ));
        }
    }
    None
}

/// The claims that are given, by namespace and name.
type KnownClaims<'f> = BTreeMap<(&'f str, &'f str), &'f Claim>;

/// Returns the claims by namespace and name. Of several with one name the first one counts.
fn claims_by_name(facts: &Facts) -> KnownClaims<'_> {
    let mut known = KnownClaims::new();
    for claim in &facts.claims {
        let meta = &claim.metadata;
        known.entry((&meta.namespace, &meta.name)).or_insert(claim);
    }
    known
}

/// Returns the claims of a pod that are given.
fn claims_of<'f>(known: &KnownClaims<'f>, pod: &Pod) -> impl Iterator<Item = &'f Claim> {
    let namespace = pod.metadata.namespace.as_str();
    let entries = pod.spec.resource_claims.iter();
    let names = entries.filter_map(|entry| pod.claim_of(&entry.name));
    names.filter_map(move |name| known.get(&(namespace, name)).copied())
}

/// Returns true if a claim of a pod with a node does not say its devices: its status was left out, or names were made unreadable.
fn hides_devices(claim: &Claim, pod: &Pod) -> bool {
    match &claim.status.allocation {
        None => pod.status.phase == "Running",
        Some(allocation) => {
            let mut results = allocation.devices.results.iter();
            results.any(|result| {
                let mut letters = result.device.chars();
                !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
            })
        }
    }
}

/// Returns a namespace whose labels decide whether a pod that is in it is one of those that another must be near.
fn namespace_that_may_be_near<'f>(facts: &'f Facts, pod: &Pod) -> Option<&'f str> {
    let rules = AffinityRules::of(pod);
    let mut others = facts.pods.iter().filter(|other| has_node(other));
    let other = others.find(|other| {
        let mut terms = rules.near.iter();
        terms.any(|term| term.needs_namespace_of(facts, &other.metadata))
    })?;
    Some(&other.metadata.namespace)
}

/// Returns a namespace whose labels decide whether a pod must not be near another one: by its own rules, or by those of the other.
fn namespace_that_avoids<'f>(facts: &'f Facts, pod: &'f Pod) -> Option<&'f str> {
    let rules = AffinityRules::of(pod);
    for other in facts.pods.iter().filter(|other| has_node(other)) {
        let mut own = rules.away.iter();
        if own.any(|term| term.needs_namespace_of(facts, &other.metadata)) {
            return Some(&other.metadata.namespace);
        }
        let avoided = &other.spec.affinity.pod_anti_affinity.required;
        let selects_namespaces = avoided.iter().any(|term| term.namespace_selector.is_some());
        if selects_namespaces
            && AffinityRules::of(other)
                .away
                .iter()
                .any(|term| term.needs_namespace_of(facts, &pod.metadata))
        {
            return Some(&pod.metadata.namespace);
        }
    }
    None
}

fn namespace_not_given(namespace: &str) -> Message {
    message!(
        "pods.namespace-not-given",
        "not known, for Namespace {namespace} is not given, by whose labels affinity between pods selects",
        namespace
    )
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
pub fn was_stored(pod: &Pod) -> bool {
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
fn uses_absent_claim(known: &KnownClaims<'_>, pod: &Pod) -> bool {
    let namespace = pod.metadata.namespace.as_str();
    let mut entries = pod.spec.resource_claims.iter();
    has_node(pod)
        && entries.any(|entry| {
            let name = pod.claim_of(&entry.name);
            name.is_some_and(|name| !known.contains_key(&(namespace, name)))
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

/// Returns true if it is decided what becomes of a pod, whatever else there is.
fn is_settled(outcome: TurnOutcome) -> bool {
    matches!(
        outcome,
        TurnOutcome::Placed | TurnOutcome::Ended | TurnOutcome::Gated | TurnOutcome::NotKnown
    )
}

/// Returns true if a pod waits for a class, or may get a node by one.
fn needs_class(
    account: &PodAccount,
    pod: Option<&Pod>,
    facts: &Facts,
    rules: &PluginRules,
) -> bool {
    let before = account.before.as_ref();
    let lacks_class = before.and_then(|before| before.absent) == Some(Absent::Class);
    lacks_class || (!fits(account) && pod.is_some_and(|pod| asks_a_class(facts, pod, rules)))
}

/// Returns true if a pod, or claims without one, get a node here.
pub fn fits(account: &PodAccount) -> bool {
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
