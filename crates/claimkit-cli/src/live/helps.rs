//! The changes that would give a pod its devices and a node.

use super::users::{Freeing, Users};
use claimkit_model::finding::{Code, FieldPath};
use claimkit_model::schema::Release;
use claimkit_model::schema::device::v1;
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::{Meta, Pod, Toleration};
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::allocator::taints::NO_EXECUTE;
use claimkit_scheduler::explain::account::{Change, NodeAccount, PodAccount, Relaxation};
use claimkit_scheduler::explain::kinds::{ChangeKind, Dropped, NodeVerdict, SetField};
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin, TurnOutcome};
use claimkit_scheduler::scheduler::CORDONED;
use claimkit_values::order;
use claimkit_yaml::print;
use std::collections::{BTreeMap, BTreeSet};

/// Taints of a node that is out of order: a pod that tolerates them does not run there.
const OUT_OF_ORDER: [&str; 7] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.cloudprovider.kubernetes.io/uninitialized",
];
/// Maximum number of nodes that a change names.
const MOST_NODES: usize = 3;

/// A step towards a node.
struct Step {
    /// The price of the step: the larger, the more is given up.
    cost: u32,
    text: String,
    /// A command, or the place and value of an edit.
    how: Option<String>,
    /// It opens the node for other pods, too.
    is_for_all: bool,
}

/// Steps that together give the pod a node.
struct Way<'a> {
    steps: Vec<Step>,
    /// The devices that it gets; empty: those that the node has for it now.
    gives: &'a [String],
    nodes: Vec<&'a str>,
    /// The claims that are freed, if that is all.
    frees: Vec<&'a str>,
    /// It changes a template that other pods name, too.
    is_shared: bool,
}

impl Way<'_> {
    /// Returns the words that are the same for all nodes.
    fn text(&self) -> String {
        let parts: Vec<&str> = self.steps.iter().map(|step| step.text.as_str()).collect();
        parts.join(" and ")
    }

    fn how(&self) -> Vec<&str> {
        let how = self.steps.iter().filter_map(|step| step.how.as_deref());
        how.collect()
    }

    fn order(&self) -> (usize, u32) {
        let cost = self.steps.iter().map(|step| step.cost);
        (self.steps.len(), cost.sum())
    }

    fn help(&self, facts: HelpFacts<'_>) -> Help {
        let nodes = either(&self.nodes);
        let gives = if self.gives.is_empty() || self.nodes.len() > 1 {
            format!("gives the pod its devices on {nodes}")
        } else {
            format!("gives {} on {nodes}", self.gives.join(", "))
        };
        let how = self.how();
        let frees: Vec<String> = self.frees.iter().map(|claim| (*claim).to_owned()).collect();
        let is_open = !frees.is_empty() && facts.trials.outcome(&frees).is_none();
        let is_for_all = self.steps.iter().any(|step| step.is_for_all);
        let unless = match facts.trials.others_wait && (is_open || self.is_shared || is_for_all) {
            true => ", unless a pod that waits longer takes them",
            false => "",
        };
        Help {
            frees,
            change: self.text(),
            text: format!("{}: {gives}{unless}", self.text()),
            how: (!how.is_empty()).then(|| how.join("; ")),
        }
    }
}

/// Returns names of which one is enough.
fn either(nodes: &[&str]) -> String {
    match nodes {
        [] => String::new(),
        [one] => (*one).to_owned(),
        nodes if nodes.len() <= MOST_NODES => nodes.join(" or "),
        [first, second, rest @ ..] => format!("{first}, {second} or {} others", rest.len()),
    }
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The claims that are freed, if that is all: whoever waits longer may get their devices.
    pub frees: Vec<String>,
    /// The change.
    change: String,
    /// The change, and what it gives.
    pub text: String,
    /// A command for the first node, or the place and value of an edit.
    pub how: Option<String>,
}

impl Help {
    /// Returns the help for another pod of the group.
    pub fn of_group(&self) -> Help {
        Help {
            text: format!("{}: lets its group start", self.change),
            ..self.clone()
        }
    }

    /// Returns all in one line.
    pub fn sentence(&self) -> String {
        match &self.how {
            Some(how) => format!("{} ({how})", self.text),
            None => self.text.clone(),
        }
    }
}

/// Returns the changes that would give the pod a node, each once for all nodes: those with the fewest steps first, of these the
/// cheapest. Nodes that the pod itself excludes count only if it excludes all. What cannot help is left out.
pub fn of(account: &PodAccount, facts: HelpFacts<'_>) -> Vec<Help> {
    let mut findings = account.findings.iter();
    if findings.any(|remark| remark.finding.code == Code::ClaimNamedTwice) {
        return Vec::new();
    }
    // An error on one node ends the attempt: what helps on another does not help the pod.
    let error = error_node(account);
    let is_tried = |node: &&NodeAccount| error.is_none_or(|error| error.name == node.name);
    let wanted = account.nodes.iter().filter(is_tried);
    let wanted = wanted.filter(|node| !node.is_unwanted());
    let mut found = ways(account, facts, wanted);
    if found.is_empty() && account.nodes.iter().all(NodeAccount::is_unwanted) {
        let unwanted = account.nodes.iter().filter(|node| node.is_unwanted());
        found = ways(account, facts, unwanted);
    }
    order::sort_by_key(&mut found, Way::order);
    let helps = found.iter().map(|way| way.help(facts));
    helps
        .filter(|help| {
            let outcome = facts.trials.outcome(&help.frees);
            outcome.is_none_or(|outcome| outcome == FreeOutcome::Helps)
        })
        .chain(facts.trials.of_group.iter().cloned())
        .collect()
}

/// Returns the node on which an error ends the attempt for all nodes.
pub fn error_node(account: &PodAccount) -> Option<&NodeAccount> {
    let turn = account.turn.as_ref();
    let is_error = turn.is_none_or(|turn| turn.outcome == TurnOutcome::Error);
    let mut nodes = account.nodes.iter().filter(|_| is_error);
    nodes.find(|node| node.fatal && !is_about_others(node))
}

fn ways<'a>(
    account: &'a PodAccount,
    facts: HelpFacts<'_>,
    nodes: impl Iterator<Item = &'a NodeAccount>,
) -> Vec<Way<'a>> {
    let asks_for_devices = !account.claims.is_empty() || !account.extended_resources.is_empty();
    let mut ways: Vec<Way<'a>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for node in nodes {
        if node.verdict == NodeVerdict::Refused && !asks_for_devices {
            continue;
        }
        for way in ways_to(account, facts, node) {
            let at = *known.entry(way.text()).or_insert(ways.len());
            match ways.get_mut(at) {
                Some(same) => same.join(way),
                None => ways.push(way),
            }
        }
    }
    ways
}

impl<'a> Way<'a> {
    /// Adds the node of a way with the same steps: the command for the first is enough.
    fn join(&mut self, other: Way<'a>) {
        self.nodes.extend(other.nodes);
    }
}

/// Returns the ways to one node.
fn ways_to<'a>(
    account: &'a PodAccount,
    facts: HelpFacts<'_>,
    node: &'a NodeAccount,
) -> Vec<Way<'a>> {
    let Some(steps) = remedies(node) else {
        return Vec::new();
    };
    if node.verdict == NodeVerdict::Refused {
        return vec![Way {
            steps,
            gives: &[],
            nodes: vec![&node.name],
            frees: Vec::new(),
            is_shared: false,
        }];
    }
    // Of a node that is alike no change was tried: others may hold its devices.
    if alike(account, node).is_some() {
        return Vec::new();
    }
    let mut ways = Vec::new();
    for relaxation in &node.relaxations {
        let mut all = remedies(node).unwrap_or_default();
        let frees = match all.is_empty() {
            true => freed(relaxation),
            false => Vec::new(),
        };
        let mut templates = relaxation
            .changes
            .iter()
            .filter_map(|change| facts.templates.get(&change.claim));
        let is_shared = templates.any(|template| facts.trials.shared.contains(template));
        all.extend(changes(account, facts, relaxation));
        ways.push(Way {
            steps: all,
            gives: &relaxation.gives,
            nodes: vec![&node.name],
            frees,
            is_shared,
        });
    }
    ways
}

/// Returns the claims that a relaxation frees; none if it changes something else, too.
fn freed(relaxation: &Relaxation) -> Vec<&str> {
    let claims = relaxation.changes.iter().map(|change| match change.kind {
        ChangeKind::Free(_) => Some(change.claim.as_str()),
        _ => None,
    });
    claims.collect::<Option<_>>().unwrap_or_default()
}

/// Returns the earlier node that has the account of this one.
fn alike<'a>(account: &'a PodAccount, node: &NodeAccount) -> Option<&'a NodeAccount> {
    let first = node.same_as.as_deref()?;
    account.nodes.iter().find(|other| other.name == first)
}

/// Returns the steps of a change of devices.
fn changes(account: &PodAccount, facts: HelpFacts<'_>, relaxation: &Relaxation) -> Vec<Step> {
    let changes = relaxation.changes.iter().enumerate();
    changes
        .map(|(at, change)| {
            let words = relaxation.parts.get(at).unwrap_or(&relaxation.text);
            let (cost, how) = cost_and_how(account, change, facts);
            Step {
                cost,
                text: words.to_string(),
                how,
                is_for_all: false,
            }
        })
        .collect()
}

/// The object in which a change of a claim is written. The spec of a claim cannot change: the claim is made anew, or with its pod from a
/// template that has changed.
struct EditedObject<'a> {
    claim: &'a str,
    template: Option<&'a str>,
    release: Release,
}

impl EditedObject<'_> {
    /// Writes a field of the claim as a path in the object.
    fn path(&self, path: &FieldPath) -> String {
        let (first_of_v1, _) = v1::VERSION.minors();
        // Before it a server shows objects in versions without `exactly` in requests.
        let path = match self.release.minor >= first_of_v1 {
            true => path.clone(),
            false => path.without("exactly"),
        };
        match self.template {
            Some(_) => format!("spec.{path}"),
            None => path.to_string(),
        }
    }

    /// Says how to make an edit.
    fn how(&self, edit: &str) -> String {
        // The scheduler makes the claim for extended resources from the pod.
        if self.claim.ends_with(extended::CLAIM_NAME) {
            return "in the resources of the pod's container, and the pod made anew".to_owned();
        }
        match self.template {
            Some(template) => {
                format!("in ResourceClaimTemplate {template}, and the pod made anew: {edit}")
            }
            None => format!("in {}, made anew: {edit}", self.claim),
        }
    }
}

/// Returns the price of a change, and how to make it.
fn cost_and_how(
    account: &PodAccount,
    change: &Change,
    facts: HelpFacts<'_>,
) -> (u32, Option<String>) {
    let object = EditedObject {
        claim: &change.claim,
        template: facts.templates.get(&change.claim).map(String::as_str),
        release: facts.release,
    };
    let path = change.path.as_ref().map(|path| object.path(path));
    let removed = || Some(object.how(&format!("without `{}`", path.as_ref()?)));
    match change.kind {
        ChangeKind::Free(_) => freeing(account, &change.claim, facts.users),
        ChangeKind::Set(SetField::Count | SetField::Capacity) => {
            let value = change.to.as_deref().unwrap_or_default();
            let how = path.map(|path| object.how(&format!("`{path}: {value}`")));
            (2, how)
        }
        ChangeKind::Set(SetField::AllocationMode) => {
            let how = path.map(|path| object.how(&format!("`{path}: ExactCount`")));
            (2, how)
        }
        ChangeKind::Set(SetField::CapacityName) => (2, None),
        ChangeKind::Drop(Dropped::Constraint) => (2, removed()),
        ChangeKind::Drop(Dropped::Selector | Dropped::Capacity) => (3, removed()),
        ChangeKind::Add(_) => {
            let tolerated = change.toleration.as_ref();
            // Who is given such a device may lose it again, or finds that it does not work.
            let is_evicting = tolerated.is_some_and(|tolerated| tolerated.effect == NO_EXECUTE);
            let how = tolerated.zip(path).map(|(tolerated, path)| {
                object.how(&format!("add `{}` to `{path}`", written(tolerated)))
            });
            (if is_evicting { 7 } else { 3 }, how)
        }
    }
}

/// Writes a toleration as YAML in one line.
fn written(toleration: &Toleration) -> String {
    let fields = [
        ("key", &toleration.key),
        ("operator", &toleration.operator),
        ("value", &toleration.value),
        ("effect", &toleration.effect),
    ];
    let given = fields.iter().filter(|(_, value)| !value.is_empty());
    let given: Vec<String> = given
        .map(|(name, value)| format!("{name}: {}", print::scalar(value)))
        .collect();
    format!("{{{}}}", given.join(", "))
}

/// The ResourceClaimTemplates of a pod's claims as `namespace/name`, by the claims' `namespace/name`.
pub type Templates = BTreeMap<String, String>;

/// What is known beside the account of a pod.
#[derive(Clone, Copy)]
pub struct HelpFacts<'a> {
    /// The release of the cluster.
    pub release: Release,
    pub users: &'a Users,
    pub templates: &'a Templates,
    pub trials: &'a FreeTrials,
}

/// What a pod gets, with all pods in turn, where claims are freed.
#[derive(Clone, Debug, Default)]
pub struct FreeTrials {
    /// Other pods wait, too, and may get what is freed.
    pub others_wait: bool,
    /// The templates that several pods name that wait.
    pub shared: BTreeSet<String>,
    /// The claims that were tried, all of one change together.
    pub outcomes: BTreeMap<Vec<String>, FreeOutcome>,
    /// What gives another pod of its group a node, and it one with it.
    pub of_group: Vec<Help>,
}

/// What freeing claims does for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeOutcome {
    /// It gets a node.
    Helps,
    /// It gets none: pods that wait longer get their devices.
    HelpsOthers,
    /// It gets none, nor does another pod for it.
    InVain,
}

impl FreeTrials {
    fn outcome(&self, claims: &[String]) -> Option<FreeOutcome> {
        self.outcomes.get(claims).copied()
    }
}

/// Returns the templates of a pod's claims. A claim that is not made yet has the name that the account gives it.
pub fn templates_of(pod: &Pod) -> Templates {
    let Meta {
        namespace, name, ..
    } = &pod.metadata;
    let entries = pod.spec.resource_claims.iter();
    let claims = entries.filter_map(|entry| {
        let template = entry.resource_claim_template_name.as_ref()?;
        let claim = match pod.claim_of(&entry.name) {
            Some(made) => format!("{namespace}/{made}"),
            None => format!("{namespace}/{name}-{}", entry.name),
        };
        Some((claim, format!("{namespace}/{template}")))
    });
    claims.collect()
}

/// Returns the objects for which a claim is reserved that holds devices of a node; `None`: none is shown.
fn reserved_for<'a>(account: &'a PodAccount, claim: &str) -> Option<&'a [String]> {
    let mut holders = account.nodes.iter().flat_map(|node| &node.holders);
    let holder = holders.find(|holder| holder.claim == claim)?;
    Some(&holder.pods)
}

/// Returns what it costs to free a claim, and how.
fn freeing(account: &PodAccount, claim: &str, users: &Users) -> (u32, Option<String>) {
    let Some(consumers) = reserved_for(account, claim) else {
        return (4, None);
    };
    let Freeing { cost, how } = users.freeing(claim, consumers);
    (cost, how)
}

/// Returns why no change is known, if some were looked for.
pub fn why_none(account: &PodAccount, trials: &FreeTrials) -> Option<&'static str> {
    let mut own = account.nodes.iter().flat_map(|node| &node.relaxations);
    let helps_others = |relaxation: &Relaxation| {
        let claims: Vec<String> = freed(relaxation).into_iter().map(str::to_owned).collect();
        trials.outcome(&claims) == Some(FreeOutcome::HelpsOthers)
    };
    if own.any(helps_others) {
        return Some("What would help goes to pods that wait longer.");
    }
    let tried = |node: &&NodeAccount| node.verdict == NodeVerdict::None;
    if account
        .nodes
        .iter()
        .any(|node| !node.relaxations.is_empty())
    {
        return Some(
            "No change of devices alone helps: where one would, the node refuses the pod for another reason, too.",
        );
    }
    account
        .nodes
        .iter()
        .any(|node| tried(&node))
        .then_some("No single change helps, nor any pair that was tried.")
}

/// Returns true if plugins refuse the pod, and the one for devices does not.
pub fn is_about_others(node: &NodeAccount) -> bool {
    !node.refusals.is_empty()
        && !node
            .refusals
            .iter()
            .any(|refusal| refusal.plugin == Plugin::DynamicResources)
}

/// Returns what would make the other plugins take a node; `None`: nothing would.
fn remedies(node: &NodeAccount) -> Option<Vec<Step>> {
    let is_cordoned = node
        .refusals
        .iter()
        .any(|refusal| refusal.plugin == Plugin::NodeUnschedulable);
    let mut steps = Vec::new();
    for refusal in &node.refusals {
        match refusal.plugin {
            Plugin::DynamicResources => {}
            Plugin::TaintToleration => {
                let is_of_cordon = |taint: &&String| is_cordoned && taint.starts_with(CORDONED);
                let taints: Vec<&String> = refusal
                    .taints
                    .iter()
                    .filter(|taint| !is_of_cordon(taint))
                    .collect();
                let key = |taint: &str| {
                    taint
                        .split(['=', ':'])
                        .next()
                        .unwrap_or_default()
                        .to_owned()
                };
                if taints
                    .iter()
                    .any(|taint| OUT_OF_ORDER.contains(&key(taint).as_str()))
                {
                    return None;
                }
                steps.extend(tolerating(&taints, &node.name));
            }
            // What would do depends on the storage: nothing is known to help.
            Plugin::VolumeRestrictions
            | Plugin::NodeVolumeLimits
            | Plugin::VolumeBinding
            | Plugin::VolumeZone => return None,
            // More than the whole node has: nobody can make room.
            Plugin::NodeResourcesFit
                if refusal.code == StatusCode::UnschedulableAndUnresolvable =>
            {
                return None;
            }
            _ => steps.push(remedy(refusal, &node.name)),
        }
    }
    Some(steps)
}

fn tolerating(taints: &[&String], node: &str) -> Option<Step> {
    if taints.is_empty() {
        return None;
    }
    let names: Vec<&str> = taints.iter().map(|taint| taint.as_str()).collect();
    let removed: Vec<String> = names
        .iter()
        .map(|name| format!("kubectl taint node {node} {name}-"))
        .collect();
    Some(Step {
        cost: 3,
        text: format!("tolerating the taint {}", names.join(", ")),
        how: Some(format!("or {}", removed.join("; "))),
        is_for_all: false,
    })
}

fn remedy(refusal: &NodeRefusal, node: &str) -> Step {
    let why = refusal.why.join(", ");
    let step = |cost, text: String| Step {
        cost,
        text,
        how: None,
        is_for_all: false,
    };
    match refusal.plugin {
        Plugin::NodeUnschedulable => Step {
            cost: 1,
            text: "uncordoning the node".to_owned(),
            how: Some(format!("kubectl uncordon {node}")),
            is_for_all: true,
        },
        Plugin::NodeAffinity => step(5, "changing the pod's node selector or affinity".to_owned()),
        Plugin::NodePorts => step(5, format!("changing the pod's ports ({why})")),
        Plugin::NodeResourcesFit => step(4, format!("making room ({why})")),
        Plugin::PodTopologySpread => step(5, format!("changing the pod's spread ({why})")),
        Plugin::InterPodAffinity => step(5, "changing the affinity between pods".to_owned()),
        Plugin::VolumeRestrictions
        | Plugin::NodeVolumeLimits
        | Plugin::VolumeBinding
        | Plugin::VolumeZone => step(5, "changing its volumes".to_owned()),
        Plugin::TaintToleration => step(3, "tolerating the taints of the node".to_owned()),
        Plugin::DynamicResources => step(3, "changing its devices".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::message::{Message, message};
    use claimkit_scheduler::explain::kinds::Freed;

    fn said(text: &str) -> Message {
        message!("test.said", "{text}", text)
    }

    fn refusal(plugin: Plugin, why: &str) -> NodeRefusal {
        let why = if why.is_empty() {
            Vec::new()
        } else {
            vec![said(why)]
        };
        NodeRefusal {
            plugin,
            reasons: vec!["no".to_owned()],
            code: StatusCode::Unschedulable,
            why,
            placed_before: None,
            taints: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn node(
        name: &str,
        verdict: NodeVerdict,
        refusals: Vec<NodeRefusal>,
        relaxations: &[(&str, usize)],
    ) -> NodeAccount {
        let relaxation = |(text, changes): &(&str, usize)| Relaxation {
            text: said(text),
            changes: vec![Change::of(ChangeKind::Free(Freed::Claim), String::new()); *changes],
            ..Relaxation::default()
        };
        let relaxations = relaxations.iter().map(relaxation).collect();
        NodeAccount {
            name: name.to_owned(),
            verdict,
            refusals,
            relaxations,
            ..NodeAccount::default()
        }
    }

    fn account(nodes: Vec<NodeAccount>) -> PodAccount {
        PodAccount {
            claims: vec!["ns/c".to_owned()],
            nodes,
            ..PodAccount::default()
        }
    }

    fn sentences(account: &PodAccount) -> Vec<String> {
        let facts = HelpFacts {
            release: Release::latest(),
            users: &Users::default(),
            templates: &Templates::new(),
            trials: &FreeTrials::default(),
        };
        of(account, facts).iter().map(Help::sentence).collect()
    }

    #[test]
    fn single_changes_come_first_and_each_once() {
        let devices = || vec![refusal(Plugin::DynamicResources, "")];
        let taint = vec![NodeRefusal {
            taints: vec!["a=b:NoSchedule".to_owned()],
            ..refusal(Plugin::TaintToleration, "")
        }];
        let two = [("pair", 2), ("one", 1)];
        let nodes = vec![
            node("a", NodeVerdict::None, devices(), &two),
            node("b", NodeVerdict::None, devices(), &two),
            node("c", NodeVerdict::Refused, taint, &[]),
        ];
        let found = sentences(&account(nodes));
        assert_eq!(
            found,
            [
                "tolerating the taint a=b:NoSchedule: gives the pod its devices on c (or kubectl taint node c a=b:NoSchedule-)",
                "one: gives the pod its devices on a or b",
                "pair and pair: gives the pod its devices on a or b"
            ]
        );
    }

    #[test]
    fn every_reason_of_a_node_is_a_step() {
        let both = vec![
            refusal(Plugin::NodeAffinity, "nodeSelector a=b"),
            refusal(Plugin::DynamicResources, ""),
        ];
        let refused = account(vec![node("a", NodeVerdict::None, both, &[("one", 1)])]);
        assert_eq!(
            sentences(&refused),
            [
                "changing the pod's node selector or affinity and one: gives the pod its devices on a"
            ]
        );
        let lacking = account(vec![node(
            "a",
            NodeVerdict::None,
            vec![refusal(Plugin::DynamicResources, "")],
            &[],
        )]);
        assert_eq!(
            why_none(&lacking, &FreeTrials::default()),
            Some("No single change helps, nor any pair that was tried.")
        );
        assert_eq!(why_none(&account(Vec::new()), &FreeTrials::default()), None);
    }

    #[test]
    fn what_cannot_help_is_left_out() {
        let unreachable = NodeRefusal {
            taints: vec!["node.kubernetes.io/unreachable:NoExecute".to_owned()],
            ..refusal(Plugin::TaintToleration, "")
        };
        let too_small = NodeRefusal {
            code: StatusCode::UnschedulableAndUnresolvable,
            ..refusal(Plugin::NodeResourcesFit, "cpu: 65 wanted, 64 of 64 left")
        };
        for refusal in [unreachable, too_small] {
            let node = node("a", NodeVerdict::Refused, vec![refusal], &[]);
            assert!(sentences(&account(vec![node])).is_empty());
        }
        let cordoned = vec![
            refusal(Plugin::NodeUnschedulable, "the node is cordoned"),
            NodeRefusal {
                taints: vec![format!("{CORDONED}:NoSchedule")],
                ..refusal(Plugin::TaintToleration, "")
            },
        ];
        let nodes = vec![
            node("a", NodeVerdict::Refused, cordoned.clone(), &[]),
            node("b", NodeVerdict::Refused, cordoned, &[]),
        ];
        assert_eq!(
            sentences(&account(nodes)),
            ["uncordoning the node: gives the pod its devices on a or b (kubectl uncordon a)"]
        );
    }

    #[test]
    fn every_reason_of_a_node_is_named() {
        let refusals = vec![
            refusal(Plugin::NodeUnschedulable, "the node is cordoned"),
            refusal(Plugin::NodeResourcesFit, "cpu: 2 wanted, 1 of 4 left"),
        ];
        let found = sentences(&account(vec![node(
            "a",
            NodeVerdict::Refused,
            refusals,
            &[],
        )]));
        assert_eq!(
            found,
            [
                "uncordoning the node and making room (cpu: 2 wanted, 1 of 4 left): gives the pod its devices on a (kubectl uncordon a)"
            ]
        );
        let mut without = account(vec![node(
            "a",
            NodeVerdict::Refused,
            vec![refusal(Plugin::NodePorts, "host port 80 is in use")],
            &[],
        )]);
        without.claims.clear();
        assert!(
            sentences(&without).is_empty(),
            "the pod asks for no devices"
        );
    }
}
