//! Changes that could help a pod: their steps, what they give, and what became of those that were tried.

use super::index::ClusterIndex;
use super::users::{Loss, Users};
use claimkit::PreparedCluster;
use claimkit_model::finding::FieldPath;
use claimkit_model::schema::Release;
use claimkit_model::schema::device::v1;
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::{Meta, Pod};
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount};
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::{Plugin, TurnOutcome};
use claimkit_scheduler::explain::words;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of nodes that a change names.
const MOST_NODES: usize = 3;
/// Maximum number of pods that a change names.
const MOST_PODS: usize = 3;
/// Maximum number of devices that a change names.
const MOST_DEVICES: usize = 8;

/// A step towards a node.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The price of the step: the larger, the more is given up.
    pub cost: u32,
    pub text: String,
    /// A command, or the place and value of an edit.
    pub how: Option<String>,
    /// It opens the node for other pods, too.
    pub is_for_all: bool,
    /// The step as edits of objects, by which it is tried; absent: it cannot be.
    pub edits: Option<Vec<ObjectEdit>>,
    /// What is given up where pods end.
    pub loss: Loss,
    /// It comes after all others: what it gives may not work.
    pub is_last: bool,
    /// It is never suggested: it would end pods that others need, or that come back.
    pub is_barred: bool,
    /// How many steps it stands for beside one.
    pub more: usize,
    /// It asks for less.
    pub less: Option<Less>,
}

/// A smaller amount that a field of a claim asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Less {
    /// The claim and the path of the field.
    pub field: String,
    /// The amount that is asked for then, in billionths; of a selector, the more the nearer it is to what was asked for.
    pub amount: i128,
    /// How much is given up, in thousandths.
    pub share: u32,
}

impl Step {
    /// Returns the pods that the step ends before it frees their claim, which would keep its devices otherwise.
    pub fn ended_beside_claim(&self) -> Option<&[String]> {
        match self.edits.as_deref() {
            Some([ObjectEdit::EndPods(pods), ObjectEdit::Free(_)]) => Some(pods),
            _ => None,
        }
    }

    /// Returns the pods that the step ends, if it does nothing else.
    pub fn ended(&self) -> Option<&[String]> {
        match self.edits.as_deref() {
            Some([ObjectEdit::EndPods(pods)]) => Some(pods),
            _ => None,
        }
    }
}

/// Steps that together give the pod a node.
#[derive(Clone, Debug, Default)]
pub struct Way {
    pub steps: Vec<Step>,
    /// The devices that it gets; empty: those that the node has for it now.
    pub gives: Vec<String>,
    /// Empty: that is found by trying it.
    pub nodes: Vec<String>,
    /// It changes a template that other pods name, too.
    pub is_shared: bool,
    /// It is said only if it was tried.
    pub needs_trial: bool,
    /// It is tried and said only where no other way helps.
    pub is_spare: bool,
}

/// What ways are compared by, in this order: the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price {
    /// A step of it comes last of all.
    is_last: bool,
    /// How many steps it has.
    pub steps: usize,
    /// The sum of their costs.
    cost: u32,
    /// How much is given up of amounts, in thousandths.
    share: u32,
    /// What others lose.
    loss: Loss,
}

impl Way {
    /// Returns the words that are the same for all nodes.
    pub fn text(&self) -> String {
        let parts: Vec<&str> = self.steps.iter().map(|step| step.text.as_str()).collect();
        parts.join(" and ")
    }

    pub fn how(&self) -> Option<String> {
        let mut how: Vec<&str> = Vec::new();
        for command in self.steps.iter().filter_map(|step| step.how.as_deref()) {
            if !how.contains(&command) {
                how.push(command);
            }
        }
        (!how.is_empty()).then(|| how.join("; "))
    }

    /// Returns the commands of all steps. Pods that several steps end have commands in common: the second command for a Deployment
    /// would expect the replicas before the first one.
    fn how_together(&self, users: &Users) -> Option<String> {
        let mut ended: Vec<String> = Vec::new();
        let mut others: Vec<&str> = Vec::new();
        for step in &self.steps {
            let Some(how) = step.how.as_deref() else {
                continue;
            };
            match step.ended() {
                Some(pods)
                    if users
                        .commands(pods)
                        .is_some_and(|own| own.join("; ") == how) =>
                {
                    let new = pods.iter().filter(|pod| !ended.contains(pod));
                    let new: Vec<String> = new.cloned().collect();
                    ended.extend(new);
                }
                _ => others.push(how),
            }
        }
        if ended.is_empty() {
            return self.how();
        }
        let Some(together) = users.commands(&ended) else {
            return self.how();
        };
        let mut how: Vec<&str> = Vec::new();
        for command in together.iter().map(String::as_str).chain(others) {
            if !how.contains(&command) {
                how.push(command);
            }
        }
        Some(how.join("; "))
    }

    /// Returns true if it ends pods.
    pub fn ends_pods(&self) -> bool {
        let mut edits = self.steps.iter().filter_map(|step| step.edits.as_ref());
        edits.any(|edits| {
            edits
                .iter()
                .any(|edit| matches!(edit, ObjectEdit::EndPods(_)))
        })
    }

    /// Returns the edits of all steps; `None`: one of them cannot be tried.
    pub fn edits(&self) -> Option<Vec<ObjectEdit>> {
        let mut edits: Vec<ObjectEdit> = Vec::new();
        let mut ended: Vec<String> = Vec::new();
        for step in &self.steps {
            for edit in step.edits.as_ref()? {
                let mut edit = edit.clone();
                // A pod ends once: several steps may end the same one.
                if let ObjectEdit::EndPods(pods) = &mut edit {
                    pods.retain(|pod| !ended.contains(pod));
                    ended.extend(pods.iter().cloned());
                    if pods.is_empty() {
                        continue;
                    }
                }
                edits.push(edit);
            }
        }
        Some(edits)
    }

    pub fn price(&self) -> Price {
        let cost = self.steps.iter().map(|step| step.cost);
        let losses = self.steps.iter().map(|step| step.loss);
        let loss = losses.fold(Loss::default(), |sum, loss| Loss {
            pods: sum.pods.saturating_add(loss.pods),
            priority: sum.priority.max(loss.priority),
            devices: sum.devices.saturating_add(loss.devices),
        });
        let is_last = self.steps.iter().any(|step| step.is_last);
        let more = self.steps.iter().map(|step| step.more);
        let steps = self.steps.len().saturating_add(more.sum());
        let less = self.steps.iter().filter_map(|step| step.less.as_ref());
        let share = less.map(|less| less.share).sum();
        Price {
            is_last,
            steps,
            cost: cost.sum(),
            share,
            loss,
        }
    }

    /// Returns true if the way gives the pod what it got when it was tried.
    fn is_to(&self, place: &TrialPlace) -> bool {
        self.nodes.contains(&place.node) && (self.gives.is_empty() || self.gives == place.devices)
    }

    pub fn help(&self, facts: HelpFacts<'_>) -> Help {
        let edits = self.edits();
        let tried = edits.as_deref().and_then(|edits| facts.trials.tried(edits));
        let place = tried.and_then(|tried| tried.place.as_ref());
        let (nodes, gives) = match place {
            // Another pod may go first and get what the change gives.
            Some(place) if self.needs_trial || !self.is_to(place) => {
                (std::slice::from_ref(&place.node), &place.devices)
            }
            _ => (self.nodes.as_slice(), &self.gives),
        };
        let on = either(nodes);
        let verb = if facts.trials.are_cut && tried.is_none() {
            "would give"
        } else {
            "gives"
        };
        let gives = if gives.is_empty() || nodes.len() > 1 {
            format!("{verb} the pod its devices on {on}")
        } else {
            format!("{verb} {} on {on}", words::some(gives, MOST_DEVICES))
        };
        let is_tried = tried.is_some_and(|tried| tried.outcome != TrialOutcome::NotKnown);
        // One of its steps may be one that cannot be tried.
        let mut edits_of_steps = self.steps.iter().filter_map(|step| step.edits.as_deref());
        let frees = edits_of_steps.any(is_freeing);
        let is_for_all = self.steps.iter().any(|step| step.is_for_all);
        let is_open = !is_tried && (frees || self.is_shared || is_for_all);
        let unless = if facts.trials.others_wait && is_open {
            ", unless a pod that is tried first takes them"
        } else {
            ""
        };
        let instead = tried.map(instead).unwrap_or_default();
        let change = self.text();
        Help {
            is_tried: tried.is_some(),
            text: match &facts.trials.as_for {
                Some(other) if tried.is_none() && other.helping.contains(&change) => {
                    format!("{change}: as for {}", other.pod)
                }
                _ => format!("{change}: {gives}{unless}{instead}"),
            },
            edits,
            change,
            how: self.how_together(facts.users),
        }
    }
}

/// Says which pods wait in place of the one that a change helps.
fn instead(tried: &Trial) -> String {
    let verb = match tried.takes_from.as_slice() {
        [] => return String::new(),
        [_] => "waits",
        _ => "wait",
    };
    let pods = words::some(&tried.takes_from, MOST_PODS);
    format!("; {pods} then {verb} instead")
}

/// Returns true if edits give back what others hold.
pub fn is_freeing(edits: &[ObjectEdit]) -> bool {
    edits
        .iter()
        .any(|edit| matches!(edit, ObjectEdit::Free(_) | ObjectEdit::EndPods(_)))
}

/// Returns names of which one is enough.
fn either(nodes: &[String]) -> String {
    match nodes {
        [] => String::new(),
        [one] => one.clone(),
        nodes if nodes.len() <= MOST_NODES => nodes.join(" or "),
        [first, second, rest @ ..] => format!("{first}, {second} or {} others", rest.len()),
    }
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    /// The change as edits of objects; absent: it cannot be tried.
    pub edits: Option<Vec<ObjectEdit>>,
    /// It was tried with all pods in turn.
    pub is_tried: bool,
    /// The change.
    pub change: String,
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
            is_tried: true,
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

/// The object in which a change of a claim is written. The spec of a claim cannot change: the claim is made anew, or with its pod from a
/// template that has changed.
pub struct EditedObject<'a> {
    pub claim: &'a str,
    pub template: Option<&'a str>,
    /// The claim is one of the pod's group.
    pub is_of_group: bool,
    /// The object has no `exactly` in requests.
    pub has_flat_requests: bool,
}

impl<'a> EditedObject<'a> {
    /// Returns the object of a claim.
    pub fn of(claim: &'a str, facts: HelpFacts<'a>) -> Self {
        let template = facts.templates.get(claim).map(String::as_str);
        let metadata = match template {
            Some(name) => facts.index.template(name).map(|object| &object.metadata),
            None => facts.index.claim(claim).map(|object| &object.metadata),
        };
        let (first_of_v1, _) = v1::VERSION.minors();
        EditedObject {
            claim,
            template,
            is_of_group: is_of_group(claim, facts),
            has_flat_requests: match metadata {
                Some(metadata) => metadata.has_flat_requests,
                // Before v1 a server shows objects in versions without it.
                None => facts.release.minor < first_of_v1,
            },
        }
    }

    /// Writes a field of the claim as a path in the object.
    pub fn path(&self, path: &FieldPath) -> String {
        let path = if self.has_flat_requests {
            path.without("exactly")
        } else {
            path.clone()
        };
        match self.template {
            Some(_) => format!("spec.{path}"),
            None => path.to_string(),
        }
    }

    /// Says how to make an edit.
    pub fn how(&self, edit: &str) -> String {
        // The scheduler makes the claim for extended resources from the pod.
        if self.claim.ends_with(extended::CLAIM_NAME) {
            return format!("in the pod, made anew: {edit}, and `requests` alike");
        }
        match self.template {
            Some(template) => {
                let user = if self.is_of_group {
                    "the PodGroup with its pods"
                } else {
                    "the pod"
                };
                format!(
                    "in ResourceClaimTemplate {template}, made anew as its spec cannot change, and {user} made anew: {edit}"
                )
            }
            None => format!("in {}, made anew: {edit}", self.claim),
        }
    }
}

/// The ResourceClaimTemplates of a pod's claims as `namespace/name`, by the claims' `namespace/name`.
pub type Templates = BTreeMap<String, String>;

/// What is known beside the account of a pod.
#[derive(Clone, Copy)]
pub struct HelpFacts<'a> {
    /// The release of the cluster.
    pub release: Release,
    pub cluster: &'a PreparedCluster,
    pub index: &'a ClusterIndex<'a>,
    /// The pod; absent: it was not read.
    pub pod: Option<&'a Pod>,
    pub users: &'a Users,
    pub templates: &'a Templates,
    pub trials: &'a Trials,
}

/// What a pod gets, with all pods in turn, once something is changed.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// Other pods wait, too, and may get what is freed.
    pub others_wait: bool,
    /// The templates that several pods name that wait.
    pub shared: BTreeSet<String>,
    /// The changes that were tried.
    pub tried: Vec<Trial>,
    /// What gives another pod of its group a node, and it one with it.
    pub of_group: Vec<Help>,
    /// The pod whose helps were tried in place of those of this one.
    pub as_for: Option<AsFor>,
    /// Some changes are not tried, for there are too many.
    pub are_cut: bool,
    /// No more changes are tried.
    pub are_over: bool,
}

/// A pod that waits for the same reason, and whose helps were tried.
#[derive(Clone, Debug)]
pub struct AsFor {
    /// `namespace/name`.
    pub pod: String,
    /// The changes that help it, in words.
    pub helping: BTreeSet<String>,
    /// Those that were tried in vain.
    pub in_vain: BTreeSet<String>,
}

/// A change that was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    pub edits: Vec<ObjectEdit>,
    pub outcome: TrialOutcome,
    /// The pods that get a node only by the change, if this one gets none: `namespace/name`.
    pub goes_to: Vec<String>,
    /// The pods that get a node as things are, and none after the change: `namespace/name`.
    pub takes_from: Vec<String>,
    /// What the pod gets.
    pub place: Option<TrialPlace>,
}

/// What a pod gets.
#[derive(Clone, Debug)]
pub struct TrialPlace {
    pub node: String,
    /// The names of the devices.
    pub devices: Vec<String>,
}

/// What a change does for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// It gets a node.
    Helps,
    /// It gets none, and other pods get a node: they are tried first.
    HelpsOthers,
    /// It gets none, nor does another pod for it.
    InVain,
    /// It cannot be tried.
    NotKnown,
}

impl Trials {
    /// Returns what a change does.
    pub fn tried(&self, edits: &[ObjectEdit]) -> Option<&Trial> {
        self.tried.iter().find(|tried| tried.edits == edits)
    }

    /// Returns true if nothing speaks against a way; once nothing more is tried, only what may be said.
    pub fn may_say(&self, way: &Way) -> bool {
        let outcome = self.outcome(way);
        if outcome.is_none()
            && let Some(other) = &self.as_for
            && other.in_vain.contains(&way.text())
        {
            return false;
        }
        match outcome {
            None if way.needs_trial => !self.are_over && way.edits().is_some(),
            _ => self.may_help(way),
        }
    }

    /// Returns true if nothing speaks against a way.
    pub fn may_help(&self, way: &Way) -> bool {
        match self.outcome(way) {
            Some(TrialOutcome::Helps) => true,
            Some(TrialOutcome::HelpsOthers | TrialOutcome::InVain) => false,
            Some(TrialOutcome::NotKnown) => !way.needs_trial,
            None => !way.needs_trial || way.edits().is_some(),
        }
    }

    /// Returns the pods that get what a way gives in place of this one: `namespace/name`.
    pub fn goes_to(&self, way: &Way) -> &[String] {
        let edits = way.edits();
        let tried = edits.and_then(|edits| self.tried(&edits));
        tried.map_or(&[], |tried| &tried.goes_to)
    }

    /// Returns what became of a way that was tried.
    pub fn outcome(&self, way: &Way) -> Option<TrialOutcome> {
        let tried = self.tried(&way.edits()?);
        tried.map(|tried| tried.outcome)
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

/// Adds the templates of the claims that the group of a pod has.
pub fn add_templates_of_group(pod: &Pod, cluster: &PreparedCluster, templates: &mut Templates) {
    let namespace = &pod.metadata.namespace;
    let mut groups = cluster.pod_groups().filter(|group| {
        group.metadata.namespace == *namespace
            && pod.group_name() == Some(group.metadata.name.as_str())
    });
    let Some(group) = groups.next() else { return };
    for entry in &group.spec.resource_claims {
        let mut statuses = group.status.resource_claim_statuses.iter();
        let made = statuses
            .find(|status| status.name == entry.name)
            .and_then(|status| status.resource_claim_name.as_ref());
        if let (Some(claim), Some(template)) = (made, &entry.resource_claim_template_name) {
            let template = format!("{namespace}/{template}");
            templates.insert(format!("{namespace}/{claim}"), template);
        }
    }
}

/// Returns true if a claim was made for a group of pods.
fn is_of_group(claim: &str, facts: HelpFacts<'_>) -> bool {
    let owners = facts.index.claim(claim).into_iter();
    let mut owners = owners.flat_map(|claim| &claim.metadata.owner_references);
    owners.any(|owner| owner.controller && owner.kind == "PodGroup")
}

/// Returns the node on which an error ends the attempt for all nodes.
pub fn error_node(account: &PodAccount) -> Option<&NodeAccount> {
    let turn = account.turn.as_ref();
    let is_error = turn.is_none_or(|turn| turn.outcome == TurnOutcome::Error);
    let mut nodes = account.nodes.iter().filter(|_| is_error);
    nodes.find(|node| node.fatal && !is_about_others(node))
}

/// Returns true if plugins refuse the pod, and the one for devices does not.
pub fn is_about_others(node: &NodeAccount) -> bool {
    !node.refusals.is_empty()
        && !node
            .refusals
            .iter()
            .any(|refusal| refusal.plugin == Plugin::DynamicResources)
}
