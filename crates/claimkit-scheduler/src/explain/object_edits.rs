//! Edits of a cluster's objects: what a suggestion changes, so that it can be tried with all pods in turn before it is said.

use super::edits::{self, FactEdit};
use crate::allocator::objects::{
    CORDONED, Claim, ClaimSpec, Consumer, Facts, Meta, Pod, Toleration,
};
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
    /// A constraint is about another attribute.
    Attribute { index: usize, attribute: String },
    /// The claim has the spec that its template has now.
    Spec(Box<ClaimSpec>),
}

/// Applies edits together. Returns false if something that one is about is not there.
pub fn apply_all(edits: &[ObjectEdit], facts: &mut Facts) -> bool {
    // Of several claims that one template makes, it is edited for the first.
    let mut of_templates: Vec<(usize, &ClaimEdit)> = Vec::new();
    edits.iter().all(|edit| {
        let ObjectEdit::ClaimSpec { claim, edit } = edit else {
            return apply(edit, facts).is_some();
        };
        if let Some(made) = facts
            .claims
            .iter_mut()
            .find(|made| has_name(&made.metadata, claim))
        {
            return edit.apply(Rc::make_mut(made)).is_some();
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
        edit_template(facts, at, edit).is_some()
    })
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

fn edit_template(facts: &mut Facts, at: usize, edit: &ClaimEdit) -> Option<()> {
    let template = Rc::make_mut(facts.templates.get_mut(at)?);
    let mut claim = Claim {
        spec: template.spec.spec.clone(),
        ..Claim::default()
    };
    edit.apply(&mut claim)?;
    template.spec.spec = claim.spec;
    Some(())
}

impl ClaimEdit {
    fn apply(&self, claim: &mut Claim) -> Option<()> {
        match self {
            ClaimEdit::Tried(edit) => {
                let mut alone = Facts {
                    claims: vec![Rc::new(claim.clone())],
                    ..Facts::default()
                };
                edits::apply(&edit.in_claim(0), &mut alone);
                claim.spec = alone.claims.first()?.spec.clone();
                Some(())
            }
            ClaimEdit::Selector {
                request,
                index,
                expression,
            } => {
                let (name, sub) = match request.split_once('/') {
                    Some((name, sub)) => (name, Some(sub)),
                    None => (request.as_str(), None),
                };
                let mut requests = claim.spec.devices.requests.iter_mut();
                let wanted = requests.find(|request| request.name == name)?;
                let ask = match sub {
                    Some(sub) => wanted
                        .first_available
                        .iter_mut()
                        .find(|ask| ask.name == sub),
                    None => wanted.exactly.as_mut(),
                };
                let selector = ask?.selectors.get_mut(*index)?;
                selector.cel.as_mut()?.expression.clone_from(expression);
                Some(())
            }
            ClaimEdit::Spec(spec) => {
                claim.spec = (**spec).clone();
                Some(())
            }
            ClaimEdit::Attribute { index, attribute } => {
                let constraint = claim.spec.devices.constraints.get_mut(*index)?;
                let named = [
                    &mut constraint.match_attribute,
                    &mut constraint.distinct_attribute,
                ];
                let mut given = named.into_iter().filter_map(Option::as_mut);
                given.next()?.clone_from(attribute);
                Some(())
            }
        }
    }
}

fn apply(edit: &ObjectEdit, facts: &mut Facts) -> Option<()> {
    match edit {
        ObjectEdit::Free(claim) => {
            let at = facts
                .claims
                .iter()
                .position(|known| has_name(&known.metadata, claim))?;
            facts.free_claim(at);
            Some(())
        }
        ObjectEdit::EndPods(pods) => end_pods(facts, pods),
        ObjectEdit::Uncordon(name) => {
            let mut nodes = facts.nodes.iter_mut();
            let node = Rc::make_mut(nodes.find(|node| node.metadata.name == *name)?);
            node.spec.unschedulable = false;
            node.spec.taints.retain(|taint| taint.key != CORDONED);
            Some(())
        }
        ObjectEdit::Untaint { node: name, taint } => {
            let mut nodes = facts.nodes.iter_mut();
            let node = Rc::make_mut(nodes.find(|node| node.metadata.name == *name)?);
            node.spec.taints.retain(|known| known.name() != *taint);
            Some(())
        }
        ObjectEdit::Tolerate {
            pod: name,
            tolerations,
        } => {
            let mut pods = facts.pods.iter_mut();
            let pod = Rc::make_mut(pods.find(|pod| has_name(&pod.metadata, name))?);
            pod.spec.tolerations.extend(tolerations.iter().cloned());
            Some(())
        }
        ObjectEdit::Prioritize {
            pod: name,
            priority,
        } => {
            let mut pods = facts.pods.iter_mut();
            let pod = pods.find(|pod| has_name(&pod.metadata, name))?;
            Rc::make_mut(pod).spec.priority = Some(*priority);
            Some(())
        }
        ObjectEdit::OwnClaim { pod, claim } => own_claim(facts, pod, claim),
        ObjectEdit::ClassSelector {
            class: name,
            index,
            expression,
        } => {
            let mut classes = facts.classes.iter_mut();
            let class = Rc::make_mut(classes.find(|class| class.metadata.name == *name)?);
            let selector = class.spec.selectors.get_mut(*index)?;
            selector.cel.as_mut()?.expression.clone_from(expression);
            Some(())
        }
        ObjectEdit::ClaimSpec { .. } => None,
    }
}

/// Gives a pod a claim of its own in place of one that it shares.
fn own_claim(facts: &mut Facts, pod: &str, claim: &str) -> Option<()> {
    let shared = facts
        .claims
        .iter()
        .find(|known| has_name(&known.metadata, claim))?;
    let mut own = Claim {
        metadata: shared.metadata.clone(),
        spec: shared.spec.clone(),
        ..Claim::default()
    };
    own.metadata.name.push_str(OWN);
    own.metadata.uid.push_str(OWN);
    own.metadata.deletion_timestamp = None;
    let (shared, name) = (shared.metadata.name.clone(), own.metadata.name.clone());
    let own_name = own.metadata.full_name();
    if facts
        .claims
        .iter()
        .any(|known| has_name(&known.metadata, &own_name))
    {
        return None;
    }
    let mut pods = facts.pods.iter_mut();
    let pod = Rc::make_mut(pods.find(|known| has_name(&known.metadata, pod))?);
    let entries = pod
        .spec
        .resource_claims
        .iter_mut()
        .filter(|entry| entry.resource_claim_name.as_ref() == Some(&shared));
    let changed = entries.map(|entry| entry.resource_claim_name = Some(name.clone()));
    if changed.count() == 0 {
        return None;
    }
    facts.claims.push(Rc::new(own));
    Some(())
}

/// Ends pods: they are gone, their own claims with them, and claims that nobody else uses give their devices back.
fn end_pods(facts: &mut Facts, names: &[String]) -> Option<()> {
    let (ended, left): (Vec<Rc<Pod>>, Vec<Rc<Pod>>) = facts
        .pods
        .drain(..)
        .partition(|pod| names.iter().any(|name| has_name(&pod.metadata, name)));
    facts.pods = left;
    if ended.len() != names.len() {
        return None;
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
        if reserved_for.is_empty() && users.nobody_stays() {
            freed.push(at);
            gone.extend(users.is_of_ended().then(|| claim.metadata.clone()));
        }
        Rc::make_mut(claim).status.reserved_for = reserved_for;
    }
    for at in freed {
        facts.free_claim(at);
    }
    facts.claims.retain(|claim| !gone.contains(&claim.metadata));
    Some(())
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
