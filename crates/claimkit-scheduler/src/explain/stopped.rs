//! Help for a pod that is stopped before any node is checked. Upstream names the missing object; this adds similar existing ones.

use super::kinds::Absent;
use crate::allocator::cluster::Cluster;
use crate::allocator::created;
use crate::allocator::objects::{
    Claim, ClaimRefusal, Facts, Meta, ObjectName, Owner, Pod, claim_refusal,
};
use crate::allocator::plugin::PodCase;
use claimkit_model::message::{self, Message, message};
use claimkit_model::nearest::Nearest;

/// Begins, in kube-apiserver's words about a quota, the name of the quota.
const EXCEEDED_QUOTA: &str = "exceeded quota: ";
/// In kube-apiserver's words about a namespace that does not allow admin access.
const NEEDS_LABEL: &str = "admin access to devices requires the";

/// Help, and the kind of the object that is not there.
pub type Help = (Message, Option<Absent>);

/// Finds the first referenced claim, template or class that is missing, and one with a similar name.
pub fn help(cluster: &Cluster<'_>, case: &PodCase<'_>) -> Option<Help> {
    let of_pod = case
        .pod
        .and_then(|pod| lacks_claim(cluster, case.admin_label(), pod));
    of_pod.or_else(|| lacks_class(cluster, case))
}

/// Explains that the pod needs no devices; extended resources that no class serves, and one that was probably meant.
pub fn skipped(cluster: &Cluster<'_>, case: &PodCase<'_>) -> Message {
    let mut parts = vec![message!(
        "device.none-asked-for",
        "the pod asks for no devices"
    )];
    for resource in case.unserved() {
        if let Some(class) = case.serving_class(cluster, resource) {
            parts.push(message!(
                "device.resource-gate-off",
                "DeviceClass `{class}` serves `{resource}` only if the feature gate DRAExtendedResource is on, and it is off",
                class = class.metadata.name,
                resource
            ));
            continue;
        }
        let mut nearest = Nearest::to(resource);
        let served = cluster
            .facts
            .classes
            .iter()
            .filter_map(|class| class.spec.extended_resource_name.as_deref());
        served.for_each(|name| nearest.consider(name));
        parts.push(match nearest.found() {
            Some(near) => message!(
                "device.resource-not-served-meant",
                "no DeviceClass serves `{resource}`; did you mean `{near}`?",
                resource,
                near
            ),
            None => message!(
                "device.resource-not-served",
                "no DeviceClass serves `{resource}`",
                resource
            ),
        });
    }
    message::sentences(parts)
}

fn lacks_claim(cluster: &Cluster<'_>, admin_label: Option<&str>, pod: &Pod) -> Option<Help> {
    let facts = cluster.facts;
    let namespace = pod.metadata.namespace.as_str();
    let statuses = pod
        .status
        .resource_claim_statuses
        .as_deref()
        .unwrap_or_default();
    // The controller makes the claims of a pod in order: a later one may be refused for the earlier ones.
    let mut made: Vec<Claim> = Vec::new();
    let mut not_made_yet: Option<Help> = None;
    for entry in &pod.spec.resource_claims {
        if let Some(name) = &entry.resource_claim_name {
            if let Some(help) = lacks_named_claim(facts, namespace, name) {
                return Some(help);
            }
        } else if let Some(name) = pod.claim_of(&entry.name) {
            // The controller has made it, and it is not there any more, or was not given.
            let there = facts.claims.iter().map(|claim| &claim.metadata);
            if let Some(help) = lacks(facts, Absent::Claim, namespace, name, there) {
                return Some(help);
            }
        } else if let Some(name) = &entry.resource_claim_template_name
            && !statuses.iter().any(|status| status.name == entry.name)
        {
            if let Some(help) = lacks_template(facts, namespace, name) {
                return Some(help);
            }
            let claim =
                created::claim_from(facts, &pod.metadata, Owner::default(), &entry.name, name);
            let said = claim_refusal(&facts.events, &pod.metadata, &entry.name);
            let refused_now = claim
                .as_ref()
                .and_then(|claim| created::refusal(facts, &made, admin_label, claim));
            let earlier = said.filter(|said| {
                refused_now.is_none()
                    && claim.is_some()
                    && is_decided_by_given(facts, namespace, said.why)
            });
            if let Some(ClaimRefusal { why, at }) = earlier {
                let text = message!(
                    "device.claim-refused-before",
                    "kube-controller-manager could not make the claim from ResourceClaimTemplate `{name}` when it last tried ({at}), and nothing that is given refuses it now: {why}",
                    name,
                    at = at.unwrap_or("no time is given"),
                    why
                );
                return Some((text, None));
            }
            let refusal = said.map(|said| said.why.to_owned()).or(refused_now);
            if let Some(why) = refusal {
                let text = message!(
                    "device.claim-refused",
                    "kube-controller-manager cannot make the claim from ResourceClaimTemplate `{name}`: {why}",
                    name,
                    why
                );
                return Some((text, None));
            }
            let text = message!(
                "device.claim-not-made-yet",
                "kube-controller-manager has not created the claim from ResourceClaimTemplate `{name}` yet",
                name
            );
            not_made_yet.get_or_insert((text, None));
            made.extend(claim);
        }
    }
    not_made_yet
}

/// Returns the help where a claim that an entry names is not there.
fn lacks_named_claim(facts: &Facts, namespace: &str, name: &str) -> Option<Help> {
    let claims = facts.claims.iter().map(|claim| &claim.metadata);
    let help = lacks(facts, Absent::Claim, namespace, name, claims)?;
    let templates = facts.templates.iter().map(|template| &template.metadata);
    if !has(templates, namespace, name) {
        return Some(help);
    }
    let text = message!(
        "device.claim-is-template",
        "`{name}` is a ResourceClaimTemplate: name it in `resourceClaimTemplateName`",
        name
    );
    Some((text, Some(Absent::Claim)))
}

/// Returns the help where a template that an entry names is not there.
fn lacks_template(facts: &Facts, namespace: &str, name: &str) -> Option<Help> {
    let templates = facts.templates.iter().map(|template| &template.metadata);
    let help = lacks(facts, Absent::Template, namespace, name, templates)?;
    let claims = facts.claims.iter().map(|claim| &claim.metadata);
    if !has(claims, namespace, name) {
        return Some(help);
    }
    let text = message!(
        "device.template-is-claim",
        "`{name}` is a ResourceClaim: name it in `resourceClaimName`",
        name
    );
    Some((text, Some(Absent::Template)))
}

/// Returns true if what refused a claim is a quota or a namespace that is given: it may be another one by now.
fn is_decided_by_given(facts: &Facts, namespace: &str, why: &str) -> bool {
    if let Some((_, after)) = why.split_once(EXCEEDED_QUOTA) {
        let mut quotas = facts.quotas.iter();
        let name = after.split(',').next().unwrap_or_default();
        return quotas
            .any(|quota| quota.metadata.namespace == namespace && quota.metadata.name == name);
    }
    why.contains(NEEDS_LABEL) && facts.namespaces.contains_key(namespace)
}

fn lacks_class(cluster: &Cluster<'_>, case: &PodCase<'_>) -> Option<Help> {
    let mut classes = case
        .refused?
        .spec
        .devices
        .requests
        .iter()
        .flat_map(|request| {
            let asks = request.exactly.iter().chain(&request.first_available);
            asks.map(|ask| ask.device_class_name.as_str())
        });
    let class = classes.find(|class| !class.is_empty() && cluster.class(class).is_none())?;
    lacks(
        cluster.facts,
        Absent::Class,
        "",
        class,
        cluster.facts.classes.iter().map(|class| &class.metadata),
    )
}

/// Returns true if an object of this name is there.
fn has<'m>(mut there: impl Iterator<Item = &'m Meta>, namespace: &str, name: &str) -> bool {
    there.any(|meta| meta.namespace == namespace && meta.name == name)
}

/// Returns the help for an object that does not exist; `None` if it exists.
fn lacks<'m>(
    facts: &Facts,
    kind: Absent,
    namespace: &str,
    name: &str,
    there: impl Iterator<Item = &'m Meta>,
) -> Option<Help> {
    let mut nearest = Nearest::to(name);
    let mut elsewhere: Option<&str> = None;
    for meta in there {
        if meta.namespace != namespace {
            let is_same = meta.name == name;
            elsewhere = elsewhere.or(is_same.then_some(meta.namespace.as_str()));
            continue;
        }
        if meta.name == name {
            return None;
        }
        nearest.consider(&meta.name);
    }
    let wanted = ObjectName::new(&kind.to_string(), namespace, name);
    if facts.unusable.contains(&wanted) {
        let text = message!(
            "device.object-unusable",
            "{kind} `{name}` is given, and cannot be used: its own error says why",
            kind,
            name
        );
        return Some((text, Some(kind)));
    }
    if let (Some(other), None) = (elsewhere, nearest.found()) {
        let text = message!(
            "device.object-elsewhere",
            "{kind} `{name}` is in namespace `{other}`, and the pod is in `{namespace}`: a pod uses what is in its own namespace",
            kind,
            name,
            other,
            namespace
        );
        return Some((text, Some(kind)));
    }
    let text = match (namespace, nearest.found()) {
        ("", None) => message!(
            "device.object-absent",
            "there is no {kind} `{name}`",
            kind,
            name
        ),
        ("", Some(near)) => {
            message!(
                "device.object-absent-meant",
                "there is no {kind} `{name}`; did you mean `{near}`?",
                kind,
                name,
                near
            )
        }
        (_, None) => {
            message!(
                "device.object-absent-in",
                "there is no {kind} `{name}` in namespace `{namespace}`",
                kind,
                name,
                namespace
            )
        }
        (_, Some(near)) => message!(
            "device.object-absent-in-meant",
            "there is no {kind} `{name}` in namespace `{namespace}`; did you mean `{near}`?",
            kind,
            name,
            namespace,
            near
        ),
    };
    Some((text, Some(kind)))
}
