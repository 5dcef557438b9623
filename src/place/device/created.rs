//! Claims of pods that no server has seen: those that the controller would make from templates (kube-controller-manager,
//! `pkg/controller/resourceclaim/controller.go`, `handleClaim`).

use super::facts::{Claim, Facts, Meta, Owner, Pod, PodClaimStatus};
use std::rc::Rc;

/// Makes the claims of pods that wait for a node, have no UID yet, and name templates that are there. Returns one line of English
/// for each.
pub fn create_claims(facts: &mut Facts) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pods = std::mem::take(&mut facts.pods);
    for pod in pods.iter_mut().filter(|pod| pod.metadata.uid.is_empty() && pod.spec.node_name.is_empty()) {
        let statuses = pod.status.resource_claim_statuses.as_deref().unwrap_or_default();
        let has = |name: &str| statuses.iter().any(|status| status.name == name);
        let mut made = Vec::new();
        for entry in pod.spec.resource_claims.iter().filter(|entry| entry.resource_claim_name.is_none() && !has(&entry.name)) {
            let Some(template) = &entry.resource_claim_template_name else { continue };
            if let Some(claim) = claim(facts, pod, &entry.name, template) {
                let full = claim.metadata.full_name();
                lines.push(format!("ResourceClaim {full} is made from ResourceClaimTemplate {template} for a new pod"));
                made.push(PodClaimStatus { name: entry.name.clone(), resource_claim_name: Some(claim.metadata.name.clone()) });
                facts.claims.push(Rc::new(claim));
            }
        }
        if !made.is_empty() {
            Rc::make_mut(pod).status.resource_claim_statuses.get_or_insert_default().append(&mut made);
        }
    }
    facts.pods = pods;
    lines
}

/// The claim for an entry of a pod; `None`: its template is not there.
fn claim(facts: &Facts, pod: &Pod, entry: &str, template: &str) -> Option<Claim> {
    let namespace = &pod.metadata.namespace;
    let is_named = |meta: &Meta| meta.name == template && meta.namespace == *namespace;
    let template = facts.templates.iter().find(|template| is_named(&template.metadata))?;
    let owner = Owner { uid: String::new(), name: pod.metadata.name.clone(), controller: true };
    let metadata = Meta {
        name: format!("{}-{entry}", pod.metadata.name),
        namespace: namespace.clone(),
        owner_references: vec![owner],
        ..Meta::default()
    };
    Some(Claim { metadata, spec: template.spec.spec.clone(), ..Claim::default() })
}
