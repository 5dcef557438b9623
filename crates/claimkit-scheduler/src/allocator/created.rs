//! Claims of pods that no server has seen: those that the controller would make from templates (kube-controller-manager,
//! `pkg/controller/resourceclaim/controller.go`, `handleClaim`).

use super::objects::{Claim, Facts, Meta, Owner, Pod, PodClaimStatus, claim_refusal};
use super::quotas;
use crate::explain::words;
use claimkit_model::message::{Message, message};
use std::rc::Rc;

/// Makes the claims of pods that wait for a node, have no UID yet, and name templates that are there. Returns one line for each.
/// `admin_label`: the label that a namespace needs for administrative access.
pub fn create_claims(facts: &mut Facts, admin_label: Option<&str>) -> Vec<Message> {
    create_claims_of(facts, admin_label, &|pod| {
        pod.metadata.uid.is_empty() && pod.spec.node_name.is_empty()
    })
}

/// Makes the claims of new pods that name templates which are there, except those that the server refuses.
pub fn create_claims_of(
    facts: &mut Facts,
    admin_label: Option<&str>,
    is_new: &dyn Fn(&Pod) -> bool,
) -> Vec<Message> {
    let mut lines = Vec::new();
    let mut pods = std::mem::take(&mut facts.pods);
    for pod in pods.iter_mut().filter(|pod| is_new(pod)) {
        let statuses = pod
            .status
            .resource_claim_statuses
            .as_deref()
            .unwrap_or_default();
        let mut made = Vec::new();
        for entry in &pod.spec.resource_claims {
            let Some(template) = &entry.resource_claim_template_name else {
                continue;
            };
            if entry.resource_claim_name.is_some()
                || statuses.iter().any(|status| status.name == entry.name)
            {
                continue;
            }
            let Meta { name, uid, .. } = &pod.metadata;
            let owner = Owner {
                name: name.clone(),
                uid: uid.clone(),
                controller: true,
                ..Owner::default()
            };
            let claim = claim_from(facts, &pod.metadata, owner, &entry.name, template)
                .filter(|claim| refusal(facts, &[], admin_label, claim).is_none());
            if let Some(claim) = claim {
                lines.push(line(
                    &claim,
                    template,
                    &message!("device.new-pod", "a new pod"),
                ));
                made.push(PodClaimStatus {
                    name: entry.name.clone(),
                    resource_claim_name: Some(claim.metadata.name.clone()),
                });
                facts.claims.push(Rc::new(claim));
            }
        }
        if !made.is_empty() {
            Rc::make_mut(pod)
                .status
                .resource_claim_statuses
                .get_or_insert_default()
                .append(&mut made);
        }
    }
    facts.pods = pods;
    lines
}

/// Makes the claims of pods that wait until kube-controller-manager makes them, except those of which an event says that it cannot.
/// Returns a line of English if it makes any.
pub fn create_unmade_claims(facts: &mut Facts, admin_label: Option<&str>) -> Option<Message> {
    let events = facts.events.clone();
    let before: Vec<Rc<Pod>> = facts.pods.clone();
    create_claims_of(facts, admin_label, &|pod| {
        let Pod {
            metadata,
            spec,
            status,
            ..
        } = pod;
        let waits = spec.node_name.is_empty()
            && matches!(status.phase.as_str(), "" | "Pending")
            && metadata.deletion_timestamp.is_none();
        let mut entries = spec.resource_claims.iter();
        waits
            && pod.group_name().is_none()
            && !entries.any(|entry| claim_refusal(&events, metadata, &entry.name).is_some())
    });
    let with_claims = facts.pods.iter().zip(&before);
    let changed = with_claims.filter(|(pod, before)| !Rc::ptr_eq(pod, before));
    let names: Vec<String> = changed.map(|(pod, _)| pod.metadata.full_name()).collect();
    (!names.is_empty()).then(|| {
        message!(
            "device.unmade-claims",
            "the claims of {pods}, which are not made yet, are there",
            pods = words::some(&names, words::MOST_NAMES)
        )
    })
}

/// Returns the line about a claim that is made here.
pub fn line(claim: &Claim, template: &str, owner: &str) -> Message {
    message!(
        "device.claim-made",
        "ResourceClaim {claim} is made from ResourceClaimTemplate {template} for {owner}",
        claim = claim.metadata.full_name(),
        template,
        owner
    )
}

/// Returns why kube-apiserver refuses a claim that is made from a template, as far as that depends on its namespace. `made`: the
/// claims that are made before it, beside those that are there.
pub fn refusal(
    facts: &Facts,
    made: &[Claim],
    admin_label: Option<&str>,
    claim: &Claim,
) -> Option<String> {
    forbidden_access(facts, admin_label, claim).or_else(|| quotas::refusal(facts, made, claim))
}

/// Returns kube-apiserver's error for administrative access in a namespace that is known to lack the label for it.
fn forbidden_access(facts: &Facts, label: Option<&str>, claim: &Claim) -> Option<String> {
    let required = label?;
    let labels = facts.namespaces.get(&claim.metadata.namespace)?;
    if labels.get(required).is_some_and(|value| value == "true") {
        return None;
    }
    let mut requests = claim.spec.devices.requests.iter();
    let index = requests.position(|request| {
        request
            .exactly
            .as_ref()
            .is_some_and(|ask| ask.admin_access == Some(true))
    })?;
    Some(format!(
        "spec.devices.requests[{index}].adminAccess: Forbidden: admin access to devices requires the `{required}: true` label on the containing namespace"
    ))
}

/// Makes the claim for an entry of a pod or group; `None`: its template is not there.
pub fn claim_from(
    facts: &Facts,
    of: &Meta,
    owner: Owner,
    entry: &str,
    template: &str,
) -> Option<Claim> {
    let namespace = &of.namespace;
    let known = facts
        .templates
        .iter()
        .find(|known| known.metadata.name == template && known.metadata.namespace == *namespace)?;
    let metadata = Meta {
        name: format!("{}-{entry}", of.name),
        namespace: namespace.clone(),
        owner_references: vec![owner],
        ..Meta::default()
    };
    Some(Claim {
        metadata,
        spec: known.spec.spec.clone(),
        ..Claim::default()
    })
}
