//! Help for a pod that is stopped before any node is checked. Upstream names the missing object; this adds similar existing ones.

use super::kinds::Absent;
use super::words;
use crate::allocator::cluster::Cluster;
use crate::allocator::created;
use crate::allocator::objects::{
    Claim, ClaimRefusal, Facts, Meta, ObjectName, Owner, Pod, PodClaim, claim_refusal,
};
use crate::allocator::plugin::PodCase;
use claimkit_model::message::{self, Message, message};
use claimkit_model::nearest::Nearest;

/// Maximum number of users of a claim that are named.
const MOST_USERS: usize = 3;
/// Begins, in kube-apiserver's words about a quota, the name of the quota.
const EXCEEDED_QUOTA: &str = "exceeded quota: ";
/// In kube-apiserver's words about a namespace that does not allow admin access.
const NEEDS_LABEL: &str = "admin access to devices requires the";

/// What helps a pod that is stopped.
pub struct Help {
    pub text: Message,
    /// The kind of the object that is not there.
    pub absent: Option<Absent>,
}

impl Help {
    fn of_absent(kind: Absent, text: Message) -> Self {
        Help {
            text,
            absent: Some(kind),
        }
    }

    fn of_unmade_claim(text: Message) -> Self {
        Help { text, absent: None }
    }
}

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
    let mut claims = ClaimsOfPod {
        facts: cluster.facts,
        admin_label,
        pod,
        made: Vec::new(),
        not_made_yet: None,
    };
    let mut entries = pod.spec.resource_claims.iter();
    let lack = entries.find_map(|entry| claims.lack_of_entry(entry));
    lack.or(claims.not_made_yet)
}

/// The claims of a pod while its entries are looked at in order.
struct ClaimsOfPod<'a> {
    facts: &'a Facts,
    /// The label of namespaces that allow admin access.
    admin_label: Option<&'a str>,
    pod: &'a Pod,
    /// Claims that the controller will make: a later one may be refused for the earlier ones.
    made: Vec<Claim>,
    /// The help for the first of them, which counts only if nothing else is wrong.
    not_made_yet: Option<Help>,
}

impl ClaimsOfPod<'_> {
    fn lack_of_entry(&mut self, entry: &PodClaim) -> Option<Help> {
        let facts = self.facts;
        let namespace = self.pod.metadata.namespace.as_str();
        if let Some(name) = &entry.resource_claim_name {
            return lacks_named_claim(facts, namespace, name);
        }
        if let Some(name) = self.pod.claim_of(&entry.name) {
            // The controller has made it, and it is not there any more, or was not given.
            let there = facts.claims.iter().map(|claim| &claim.metadata);
            return lacks(facts, Absent::Claim, namespace, name, there);
        }
        let template = entry.resource_claim_template_name.as_ref()?;
        let statuses = self.pod.status.resource_claim_statuses.as_deref();
        let mut statuses = statuses.unwrap_or_default().iter();
        if statuses.any(|status| status.name == entry.name) {
            return None;
        }
        self.lack_of_new_claim(&entry.name, template)
    }

    /// Returns why the controller cannot make a claim from a template.
    fn lack_of_new_claim(&mut self, entry: &str, template: &str) -> Option<Help> {
        let facts = self.facts;
        let meta = &self.pod.metadata;
        if let Some(help) = lacks_template(facts, &meta.namespace, template) {
            return Some(help);
        }
        let claim = created::claim_from(facts, meta, Owner::default(), entry, template);
        let refused_now = claim
            .as_ref()
            .and_then(|claim| created::refusal(facts, &self.made, self.admin_label, claim));
        let reported = claim_refusal(&facts.events, meta, entry);
        if let Some(reported) = &reported
            && refused_now.is_none()
            && claim.is_some()
            && is_decided_by_given(facts, &meta.namespace, reported.why)
        {
            return Some(Help::of_unmade_claim(refused_before(template, reported)));
        }
        let refusal = reported.map(|reported| reported.why.to_owned());
        if let Some(why) = refusal.or(refused_now) {
            return Some(Help::of_unmade_claim(message!(
                "device.claim-refused",
                "kube-controller-manager cannot make the claim from ResourceClaimTemplate `{name}`: {why}",
                name = template,
                why
            )));
        }
        if self.not_made_yet.is_none() {
            self.not_made_yet = Some(Help::of_unmade_claim(message!(
                "device.claim-not-made-yet",
                "kube-controller-manager has not created the claim from ResourceClaimTemplate `{name}` yet",
                name = template
            )));
        }
        self.made.extend(claim);
        None
    }
}

/// Returns the text about a refusal that events report, and for which there is no reason any more.
fn refused_before(template: &str, reported: &ClaimRefusal<'_>) -> Message {
    message!(
        "device.claim-refused-before",
        "kube-controller-manager could not make the claim from ResourceClaimTemplate `{name}` when it last tried ({at}), and nothing that is given refuses it now: {why}",
        name = template,
        at = reported.at.unwrap_or("no time is given"),
        why = reported.why
    )
}

/// Returns the help where a claim that an entry names is not there.
fn lacks_named_claim(facts: &Facts, namespace: &str, name: &str) -> Option<Help> {
    let mut claims = facts.claims.iter();
    let named =
        claims.find(|claim| claim.metadata.namespace == namespace && claim.metadata.name == name);
    if let Some(claim) = named.filter(|claim| claim.metadata.deletion_timestamp.is_some()) {
        return Some(Help::of_unmade_claim(until_gone(claim)));
    }
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
    Some(Help::of_absent(Absent::Claim, text))
}

/// Says what keeps a claim that is being deleted, and that nobody makes a claim again which a pod names itself.
fn until_gone(claim: &Claim) -> Message {
    let reserved_for = claim.status.reserved_for.iter();
    let users: Vec<&str> = reserved_for.map(|user| user.name.as_str()).collect();
    let name = &claim.metadata.name;
    if users.is_empty() {
        return message!(
            "device.claim-ending",
            "ResourceClaim `{name}` is gone once its finalizers are removed; the pod then waits until one of this name is made again",
            name
        );
    }
    message!(
        "device.claim-ending-in-use",
        "ResourceClaim `{name}` is gone once those that it is reserved for have ended ({users}); the pod then waits until one of this name is made again",
        name,
        users = words::some(&users, MOST_USERS)
    )
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
    Some(Help::of_absent(Absent::Template, text))
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
        return Some(Help::of_absent(kind, text));
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
        return Some(Help::of_absent(kind, text));
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
    Some(Help::of_absent(kind, text))
}
