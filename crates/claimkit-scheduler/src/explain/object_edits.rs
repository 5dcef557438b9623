//! Edits of a cluster's objects: what a suggestion changes, so that it can be tried with all pods in turn before it is said.

use super::edits::{AskEdit, FactEdit};
use crate::allocator::amount::Amount;
use crate::allocator::objects::{
    Ask, CORDONED, Claim, ClaimSpec, Consumer, Facts, Meta, Node, Pod, Selector, Toleration,
};
use claimkit_values::order;
use std::cmp::Reverse;
use std::rc::Rc;

/// The end of the name of a claim that stands for one of the pod's own.
const OWN: &str = "-own";

/// One edit. Names are `namespace/name`; a claim that is not made yet has the name that accounts give it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ObjectEdit {
    /// A claim gives its devices back.
    Free(String),
    /// Pods end and do not come back: what only they use is free.
    EndPods(Vec<String>),
    /// A node is uncordoned.
    Uncordon(String),
    /// A node loses a taint, which is written `key=value:effect`.
    Untaint { node: String, taint: String },
    /// A pod tolerates more taints of nodes.
    Tolerate {
        pod: String,
        tolerations: Vec<Toleration>,
    },
    /// A pod has another priority.
    Prioritize { pod: String, priority: i64 },
    /// A container of a pod requests another amount of a resource.
    Request {
        pod: String,
        /// Index of the container.
        container: usize,
        resource: String,
        amount: Amount,
    },
    /// A pod uses a new claim with the same spec in place of one that others use, too.
    OwnClaim { pod: String, claim: String },
    /// A selector of a DeviceClass has another expression.
    ClassSelector {
        class: String,
        index: usize,
        expression: String,
    },
    /// A claim, or the template of one that is not made yet, has another spec.
    ClaimSpec { claim: String, edit: ClaimEdit },
}

/// An edit of a claim's spec. `request`: the name, with `/` and that of an alternative.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClaimEdit {
    /// One that the allocator was asked about.
    Tried(FactEdit),
    /// A selector of a request has another expression.
    Selector {
        request: String,
        index: usize,
        expression: String,
    },
    /// A request wants one device in place of all.
    ExactlyOne { request: String },
    /// A constraint is about another attribute.
    Attribute { index: usize, attribute: String },
    /// The claim has the spec that its template has now.
    Spec(Box<ClaimSpec>),
}

/// Applies edits together. Returns false if something that one is about is not there.
pub fn apply_all(edits: &[ObjectEdit], facts: &mut Facts) -> bool {
    // Of several claims that one template makes, it is edited for the first.
    let mut of_templates: Vec<(usize, &ClaimEdit)> = Vec::new();
    let mut ordered: Vec<&ObjectEdit> = edits.iter().collect();
    order::sort_by_key(&mut ordered, |edit| edit.removed_index().map(Reverse));
    ordered.into_iter().all(|edit| {
        let ObjectEdit::ClaimSpec { claim, edit } = edit else {
            return apply(edit, facts);
        };
        if let Some(made) = facts
            .claims
            .iter_mut()
            .find(|made| has_name(&made.metadata, claim))
        {
            return edit.apply_to_claim(Rc::make_mut(made));
        }
        let Some(at) = template_of(facts, claim) else {
            return false;
        };
        if of_templates
            .iter()
            .any(|(known, other)| *known == at && is_same(other, edit))
        {
            return true;
        }
        of_templates.push((at, edit));
        edit_template(facts, at, edit)
    })
}

impl ObjectEdit {
    /// Returns the index in its list of what is removed.
    fn removed_index(&self) -> Option<usize> {
        match self {
            ObjectEdit::ClaimSpec {
                edit: ClaimEdit::Tried(edit),
                ..
            } => edit.removed_index(),
            _ => None,
        }
    }
}

/// Returns true if an object has this name: `namespace/name`.
fn has_name(meta: &Meta, name: &str) -> bool {
    name.split_once('/')
        .is_some_and(|(namespace, name)| meta.namespace == namespace && meta.name == name)
}

fn is_same(one: &ClaimEdit, other: &ClaimEdit) -> bool {
    match (one, other) {
        (ClaimEdit::Tried(one), ClaimEdit::Tried(other)) => one.in_claim(0) == other.in_claim(0),
        (one, other) => one == other,
    }
}

/// Returns the template of a claim that is not made yet.
fn template_of(facts: &Facts, claim: &str) -> Option<usize> {
    let (namespace, name) = claim.split_once('/')?;
    let pods = facts
        .pods
        .iter()
        .filter(|pod| pod.metadata.namespace == namespace);
    let mut entries = pods.flat_map(|pod| {
        pod.spec
            .resource_claims
            .iter()
            .map(move |entry| (pod, entry))
    });
    let template = entries.find_map(|(pod, entry)| {
        let of_pod = name.strip_prefix(pod.metadata.name.as_str())?;
        (of_pod.strip_prefix('-')? == entry.name && pod.claim_of(&entry.name).is_none())
            .then_some(entry.resource_claim_template_name.as_deref()?)
    })?;
    facts
        .templates
        .iter()
        .position(|known| known.metadata.namespace == namespace && known.metadata.name == template)
}

fn edit_template(facts: &mut Facts, at: usize, edit: &ClaimEdit) -> bool {
    let Some(template) = facts.templates.get_mut(at) else {
        return false;
    };
    let template = Rc::make_mut(template);
    let mut claim = Claim {
        spec: template.spec.spec.clone(),
        ..Claim::default()
    };
    let is_there = edit.apply_to_claim(&mut claim);
    if is_there {
        template.spec.spec = claim.spec;
    }
    is_there
}

impl ClaimEdit {
    /// Edits the spec of a claim. Returns false if what it is about is not there.
    fn apply_to_claim(&self, claim: &mut Claim) -> bool {
        match self {
            ClaimEdit::Tried(edit) => {
                edit.apply_to_claim(claim);
                true
            }
            ClaimEdit::Selector {
                request,
                index,
                expression,
            } => {
                let asked = ask_of_request(claim, request);
                let selectors = asked.map(|ask| &mut ask.selectors);
                selectors.is_some_and(|selectors| set_expression(selectors, *index, expression))
            }
            ClaimEdit::ExactlyOne { request } => {
                let Some(asked) = ask_of_request(claim, request) else {
                    return false;
                };
                AskEdit::ExactlyOne.apply(asked);
                true
            }
            ClaimEdit::Spec(spec) => {
                claim.spec = (**spec).clone();
                true
            }
            ClaimEdit::Attribute { index, attribute } => {
                let named = attribute_of_constraint(claim, *index);
                named.is_some_and(|named| {
                    named.clone_from(attribute);
                    true
                })
            }
        }
    }
}

/// Returns what a request asks for: its name, with `/` and that of an alternative.
fn ask_of_request<'c>(claim: &'c mut Claim, request: &str) -> Option<&'c mut Ask> {
    let (name, sub) = match request.split_once('/') {
        Some((name, sub)) => (name, Some(sub)),
        None => (request, None),
    };
    let mut requests = claim.spec.devices.requests.iter_mut();
    let found = requests.find(|request| request.name == name)?;
    match sub {
        Some(sub) => {
            let mut alternatives = found.first_available.iter_mut();
            alternatives.find(|ask| ask.name == sub)
        }
        None => found.exactly.as_mut(),
    }
}

fn set_expression(selectors: &mut [Selector], index: usize, expression: &String) -> bool {
    let selector = selectors.get_mut(index);
    let Some(cel) = selector.and_then(|selector| selector.cel.as_mut()) else {
        return false;
    };
    cel.expression.clone_from(expression);
    true
}

/// Returns the attribute that a constraint names.
fn attribute_of_constraint(claim: &mut Claim, index: usize) -> Option<&mut String> {
    let constraint = claim.spec.devices.constraints.get_mut(index)?;
    let matched = constraint.match_attribute.as_mut();
    matched.or(constraint.distinct_attribute.as_mut())
}

/// Applies an edit. Returns false if what it is about is not there.
fn apply(edit: &ObjectEdit, facts: &mut Facts) -> bool {
    match edit {
        ObjectEdit::Free(claim) => free(facts, claim),
        ObjectEdit::EndPods(pods) => end_pods(facts, pods),
        ObjectEdit::Uncordon(name) => {
            let Some(node) = node_mut(facts, name) else {
                return false;
            };
            node.spec.unschedulable = false;
            node.spec.taints.retain(|taint| taint.key != CORDONED);
            true
        }
        ObjectEdit::Untaint { node, taint } => {
            let Some(node) = node_mut(facts, node) else {
                return false;
            };
            node.spec.taints.retain(|known| known.name() != *taint);
            true
        }
        ObjectEdit::Tolerate { pod, tolerations } => {
            let Some(pod) = pod_mut(facts, pod) else {
                return false;
            };
            pod.spec.tolerations.extend(tolerations.iter().cloned());
            true
        }
        ObjectEdit::Prioritize { pod, priority } => {
            let Some(pod) = pod_mut(facts, pod) else {
                return false;
            };
            pod.spec.priority = Some(*priority);
            true
        }
        ObjectEdit::Request {
            pod,
            container,
            resource,
            amount,
        } => {
            let containers = pod_mut(facts, pod).map(|pod| &mut pod.spec.containers);
            let Some(container) = containers.and_then(|list| list.get_mut(*container)) else {
                return false;
            };
            let requests = &mut container.resources.requests;
            requests.insert(resource.clone(), amount.clone());
            true
        }
        ObjectEdit::OwnClaim { pod, claim } => own_claim(facts, pod, claim),
        ObjectEdit::ClassSelector {
            class: name,
            index,
            expression,
        } => {
            let mut classes = facts.classes.iter_mut();
            let Some(class) = classes.find(|class| class.metadata.name == *name) else {
                return false;
            };
            let selectors = &mut Rc::make_mut(class).spec.selectors;
            set_expression(selectors, *index, expression)
        }
        ObjectEdit::ClaimSpec { .. } => false,
    }
}

fn node_mut<'f>(facts: &'f mut Facts, name: &str) -> Option<&'f mut Node> {
    let mut nodes = facts.nodes.iter_mut();
    let node = nodes.find(|node| node.metadata.name == name)?;
    Some(Rc::make_mut(node))
}

fn pod_mut<'f>(facts: &'f mut Facts, name: &str) -> Option<&'f mut Pod> {
    let mut pods = facts.pods.iter_mut();
    let pod = pods.find(|pod| has_name(&pod.metadata, name))?;
    Some(Rc::make_mut(pod))
}

fn find_claim(facts: &Facts, name: &str) -> Option<usize> {
    let mut claims = facts.claims.iter();
    claims.position(|claim| has_name(&claim.metadata, name))
}

fn free(facts: &mut Facts, claim: &str) -> bool {
    let Some(at) = find_claim(facts, claim) else {
        return false;
    };
    facts.free_claim(at);
    true
}

/// Gives a pod a claim of its own in place of one that it shares.
fn own_claim(facts: &mut Facts, pod: &str, claim: &str) -> bool {
    let shared_index = find_claim(facts, claim);
    let Some(shared) = shared_index.and_then(|index| facts.claims.get(index)) else {
        return false;
    };
    let shared_name = shared.metadata.name.clone();
    let mut copy = Claim {
        metadata: shared.metadata.clone(),
        spec: shared.spec.clone(),
        ..Claim::default()
    };
    copy.metadata.name.push_str(OWN);
    copy.metadata.uid.push_str(OWN);
    copy.metadata.deletion_timestamp = None;
    if find_claim(facts, &copy.metadata.full_name()).is_some() {
        return false;
    }
    let Some(pod) = pod_mut(facts, pod) else {
        return false;
    };
    let mut is_named = false;
    for entry in &mut pod.spec.resource_claims {
        if entry.resource_claim_name.as_ref() == Some(&shared_name) {
            entry.resource_claim_name = Some(copy.metadata.name.clone());
            is_named = true;
        }
    }
    if is_named {
        facts.claims.push(Rc::new(copy));
    }
    is_named
}

/// Ends pods: they are gone, their own claims with them, and claims that were reserved for them, and that nobody else uses, give their
/// devices back. A claim that no pod reserved keeps them (kube-controller-manager, `pkg/controller/resourceclaim`, `syncClaim`).
fn end_pods(facts: &mut Facts, names: &[String]) -> bool {
    let (ended, left): (Vec<Rc<Pod>>, Vec<Rc<Pod>>) = facts
        .pods
        .drain(..)
        .partition(|pod| names.iter().any(|name| has_name(&pod.metadata, name)));
    facts.pods = left;
    if ended.len() != names.len() {
        return false;
    }
    let mut freed = Vec::new();
    let mut gone = Vec::new();
    for (at, claim) in facts.claims.iter_mut().enumerate() {
        let users = Users {
            ended: &ended,
            left: &facts.pods,
            claim: Rc::clone(claim),
        };
        if !users.some_end() {
            continue;
        }
        let mut reserved_for = claim.status.reserved_for.clone();
        reserved_for.retain(|user| !users.ends(user));
        let was_reserved = !claim.status.reserved_for.is_empty();
        let is_ending = claim.metadata.deletion_timestamp.is_some();
        let is_given_back = was_reserved || is_ending || users.is_of_ended();
        if reserved_for.is_empty() && is_given_back && users.nobody_stays() {
            freed.push(at);
            gone.extend(users.is_of_ended().then(|| claim.metadata.clone()));
        }
        Rc::make_mut(claim).status.reserved_for = reserved_for;
    }
    for at in freed {
        facts.free_claim(at);
    }
    facts.claims.retain(|claim| !gone.contains(&claim.metadata));
    true
}

/// The users of a claim where pods end.
struct Users<'u> {
    ended: &'u [Rc<Pod>],
    left: &'u [Rc<Pod>],
    claim: Rc<Claim>,
}

impl Users<'_> {
    fn uses(&self, pod: &Pod) -> bool {
        let mut entries = pod.spec.resource_claims.iter();
        pod.metadata.namespace == self.claim.metadata.namespace
            && entries
                .any(|entry| pod.claim_of(&entry.name) == Some(self.claim.metadata.name.as_str()))
    }

    /// Returns true if one of its users ends.
    fn some_end(&self) -> bool {
        let mut users = self.claim.status.reserved_for.iter();
        users.any(|user| self.ends(user)) || self.ended.iter().any(|pod| self.uses(pod))
    }

    /// Returns true if nobody uses it for whom it is reserved, once the pods have ended.
    fn ends(&self, user: &Consumer) -> bool {
        self.ended.iter().any(|pod| self.is_user(user, pod))
            && !self
                .left
                .iter()
                .any(|pod| self.is_user(user, pod) && !pod.spec.node_name.is_empty())
    }

    fn is_user(&self, user: &Consumer, pod: &Pod) -> bool {
        pod.metadata.namespace == self.claim.metadata.namespace
            && match user.resource.as_str() {
                "podgroups" => pod.group_name() == Some(user.name.as_str()),
                "pods" | "" => pod.metadata.name == user.name,
                _ => false,
            }
    }

    /// Returns true if no pod that has a node uses it after the others have ended.
    fn nobody_stays(&self) -> bool {
        let mut left = self.left.iter();
        !left.any(|pod| !pod.spec.node_name.is_empty() && self.uses(pod))
    }

    /// Returns true if it was made for one of the pods that end.
    fn is_of_ended(&self) -> bool {
        let mut owners = self.claim.metadata.owner_references.iter();
        owners.any(|owner| {
            owner.kind == "Pod"
                && self.ended.iter().any(|pod| {
                    pod.metadata.name == owner.name
                        && pod.metadata.namespace == self.claim.metadata.namespace
                })
        })
    }
}
