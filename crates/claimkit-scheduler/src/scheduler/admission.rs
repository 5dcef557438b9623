//! Pods as the server stores them and claims as the controllers make them, for pods that no server has seen: their priority,
//! the tolerations that every pod gets, and claims made from templates.

use super::prepared::Setup;
use crate::allocator::created;
use crate::allocator::objects::{
    Facts, Meta, NOT_READY, Owner, PersistentVolumeClaim, Pod, PodClaim, PodClaimStatus, PodGroup,
    PriorityClass, SYSTEM_CLASSES, Toleration, UNREACHABLE,
};
use crate::allocator::sorted::{Set, Sorted};
use claimkit_model::message::{Message, message};
use std::rc::Rc;

/// Begins the UIDs of pods that have none.
const NEW: &str = "new:";
/// Taints that every pod tolerates for a while (admission plugin DefaultTolerationSeconds).
const TOLERATED: [&str; 2] = [NOT_READY, UNREACHABLE];
/// Annotations of the class of claims that name none.
const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];
/// Seconds for which the added tolerations hold.
const TOLERATED_SECONDS: i64 = 300;

/// Returns the UID as it can be shown: that of a new pod is not known.
pub fn shown_uid(uid: &str) -> &str {
    if uid.starts_with(NEW) { "<uid>" } else { uid }
}

/// Returns true for a pod that was made into a stored one here.
pub fn is_new(pod: &Pod) -> bool {
    pod.metadata.uid.starts_with(NEW)
}

/// Makes new pods into stored ones, and makes the claims that they and their groups wait for. Returns one line of English for
/// each claim.
pub fn store(facts: &mut Facts, setup: &Setup) -> Vec<Message> {
    let classes = facts.priority_classes.clone();
    for pod in &mut facts.pods {
        let is_new = pod.metadata.uid.is_empty();
        let drops_group = !setup.groups && pod.spec.scheduling_group.is_some();
        if !is_new && !drops_group {
            continue;
        }
        let pod = Rc::make_mut(pod);
        if drops_group {
            pod.spec.scheduling_group = None;
        }
        if is_new {
            pod.metadata.uid = format!("{NEW}{}", pod.metadata.full_name());
            set_priority(pod, &classes);
            tolerate(pod);
        }
    }
    let mut lines = Vec::new();
    lines.extend(match_by_name(facts));
    if setup.groups && setup.group_claims {
        for at in 0..facts.pod_groups.len() {
            claims_of_group(facts, at, &mut lines);
        }
        share_claims_of_groups(facts);
    }
    lines.extend(claims_of_pods(facts, setup));
    if facts.volumes.are_given() {
        claims_for_volumes(facts);
    }
    lines
}

fn set_priority(pod: &mut Pod, classes: &[Rc<PriorityClass>]) {
    if pod.spec.priority.is_some() {
        return;
    }
    let name = pod.spec.priority_class_name.as_str();
    if let Some((_, value)) = SYSTEM_CLASSES.iter().find(|(system, _)| *system == name) {
        pod.spec.priority = Some(*value);
        return;
    }
    // Several defaults: the least important one.
    let class = match name {
        "" => classes
            .iter()
            .filter(|class| class.global_default)
            .min_by_key(|class| class.value),
        name => classes.iter().find(|class| class.metadata.name == name),
    };
    pod.spec.priority = Some(class.map_or(0, |class| class.value));
    if pod.spec.preemption_policy.is_none() {
        pod.spec.preemption_policy = class.and_then(|class| class.preemption_policy.clone());
    }
}

fn tolerate(pod: &mut Pod) {
    for key in TOLERATED {
        let tolerations = &mut pod.spec.tolerations;
        if !tolerations
            .iter()
            .any(|known| super::taints::tolerates(known, key, "", "NoExecute") || known.key == key)
        {
            tolerations.push(Toleration {
                key: key.to_owned(),
                operator: "Exists".to_owned(),
                effect: "NoExecute".to_owned(),
                toleration_seconds: Some(TOLERATED_SECONDS),
                ..Toleration::default()
            });
        }
    }
}

/// Makes the claims of new pods from templates (kube-controller-manager, `pkg/controller/resourceclaim`).
fn claims_of_pods(facts: &mut Facts, setup: &Setup) -> Vec<Message> {
    let groups: Set<String> = facts
        .pod_groups
        .iter()
        .map(|group| group.metadata.full_name())
        .collect();
    // A group may have claims, so nothing is made for its pods before it is there.
    created::create_claims_of(facts, setup.plugin_rules.admin_label, &|pod| {
        let group = pod.group_name().filter(|_| setup.group_claims);
        let is_complete = group
            .is_none_or(|group| groups.contains(&format!("{}/{group}", pod.metadata.namespace)));
        is_new(pod) && is_complete
    })
}

/// Returns the template that an entry of a pod or a group names.
fn template_of<'e>(entries: &'e [PodClaim], name: &str) -> Option<&'e str> {
    let entry = entries.iter().find(|entry| entry.name == name)?;
    entry.resource_claim_template_name.as_deref()
}

/// Gives claims without UIDs of their pods those of the pods with the same names. Returns a line of English if it did.
fn match_by_name(facts: &mut Facts) -> Option<Message> {
    let mut uids: Sorted<(String, String), String> = Sorted::new();
    for pod in &facts.pods {
        let Meta {
            name,
            namespace,
            uid,
            ..
        } = &pod.metadata;
        uids.insert((namespace.clone(), name.clone()), uid.clone());
    }
    let mut is_any = false;
    for claim in &mut facts.claims {
        let namespace = claim.metadata.namespace.clone();
        for at in 0..claim.metadata.owner_references.len() {
            let owner = claim.metadata.owner_references.get(at);
            let uid = owner
                .filter(|owner| owner.uid.is_empty() && owner.kind == "Pod")
                .and_then(|owner| uids.get(&(namespace.clone(), owner.name.clone())).cloned());
            if let Some(uid) = uid
                && let Some(owner) = Rc::make_mut(claim).metadata.owner_references.get_mut(at)
            {
                owner.uid = uid;
                is_any = true;
            }
        }
        for at in 0..claim.status.reserved_for.len() {
            let user = claim.status.reserved_for.get(at);
            let uid = user
                .filter(|user| user.uid.is_empty() && user.resource == "pods")
                .and_then(|user| uids.get(&(namespace.clone(), user.name.clone())).cloned());
            if let Some(uid) = uid
                && let Some(user) = Rc::make_mut(claim).status.reserved_for.get_mut(at)
            {
                user.uid = uid;
                is_any = true;
            }
        }
    }
    is_any.then(|| {
        message!(
            "pods.matched-by-name",
            "claims that lack the UIDs of their pods are matched with them by name"
        )
    })
}

/// Makes the claims of new pods for volumes of their own (kube-controller-manager, `pkg/controller/volume/ephemeral`), and fills in
/// what the server and the controller of volumes add to new objects.
fn claims_for_volumes(facts: &mut Facts) {
    let known: Set<String> = facts
        .volumes
        .claims
        .iter()
        .map(|claim| claim.metadata.full_name())
        .collect();
    for pod in &facts.pods {
        if !is_new(pod) {
            continue;
        }
        for volume in &pod.spec.volumes {
            let (Some(ephemeral), Some(name)) = (&volume.ephemeral, pod.volume_claim_of(volume))
            else {
                continue;
            };
            let metadata = Meta {
                name,
                namespace: pod.metadata.namespace.clone(),
                labels: ephemeral.template.metadata.labels.clone(),
                annotations: ephemeral.template.metadata.annotations.clone(),
                owner_references: vec![Owner {
                    kind: "Pod".to_owned(),
                    name: pod.metadata.name.clone(),
                    uid: pod.metadata.uid.clone(),
                    controller: true,
                    ..Owner::default()
                }],
                ..Meta::default()
            };
            if !known.contains(&metadata.full_name()) {
                let claim = PersistentVolumeClaim::from_template(metadata, &ephemeral.template);
                facts.volumes.claims.push(Rc::new(claim));
            }
        }
    }
    fill_storage_class(facts);
    fill_volume_phase(facts);
}

/// Gives new claims for volumes without a class the default one (admission plugin `DefaultStorageClass`).
fn fill_storage_class(facts: &mut Facts) {
    let class = default_class(facts);
    for claim in &mut facts.volumes.claims {
        let is_new = claim.metadata.uid.is_empty() && claim.status.phase.is_empty();
        if is_new && claim.class().is_empty() && claim.spec.storage_class_name.is_none() {
            Rc::make_mut(claim)
                .spec
                .storage_class_name
                .clone_from(&class);
        }
    }
}

/// Makes new volumes available, as the controller of volumes does.
fn fill_volume_phase(facts: &mut Facts) {
    for volume in &mut facts.volumes.volumes {
        if volume.metadata.uid.is_empty() && volume.status.phase.is_empty() {
            Rc::make_mut(volume).status.phase = "Available".to_owned();
        }
    }
}

/// Returns the name of the class of new claims that name none: the youngest of the default ones (admission plugin
/// DefaultStorageClass).
fn default_class(facts: &Facts) -> Option<String> {
    let mut best: Option<&Meta> = None;
    for class in &facts.volumes.classes {
        let annotations = &class.metadata.annotations;
        let is_default = DEFAULT_CLASS
            .iter()
            .any(|key| annotations.get(*key).is_some_and(|value| value == "true"));
        if is_default && best.is_none_or(|best| is_younger(&class.metadata, best)) {
            best = Some(&class.metadata);
        }
    }
    best.map(|metadata| metadata.name.clone())
}

/// Returns true if an object was made later than another one; of two that were made at one time, if its name comes first.
fn is_younger(object: &Meta, other: &Meta) -> bool {
    object
        .creation_timestamp
        .cmp(&other.creation_timestamp)
        .then_with(|| other.name.cmp(&object.name))
        .is_gt()
}

/// Makes the claims of a group.
fn claims_of_group(facts: &mut Facts, at: usize, lines: &mut Vec<Message>) {
    let Some(group) = facts.pod_groups.get(at).cloned() else {
        return;
    };
    if !group.metadata.uid.is_empty() || !group.status.resource_claim_statuses.is_empty() {
        return;
    }
    let mut made = Vec::new();
    for entry in &group.spec.resource_claims {
        let Some(template) = &entry.resource_claim_template_name else {
            continue;
        };
        let owner = Owner {
            kind: "PodGroup".to_owned(),
            name: group.metadata.name.clone(),
            uid: format!("{NEW}{}", group.metadata.full_name()),
            controller: true,
            ..Owner::default()
        };
        if let Some(claim) =
            created::claim_from(facts, &group.metadata, owner, &entry.name, template)
        {
            lines.push(created::line(
                &claim,
                template,
                &message!("pods.new-group", "a new PodGroup"),
            ));
            made.push(PodClaimStatus {
                name: entry.name.clone(),
                resource_claim_name: Some(claim.metadata.name.clone()),
            });
            facts.claims.push(Rc::new(claim));
        }
    }
    if let Some(group) = facts.pod_groups.get_mut(at) {
        Rc::make_mut(group).status.resource_claim_statuses = made;
    }
}

/// Shares the claim of a group with entries of pods that name what their group names.
fn share_claims_of_groups(facts: &mut Facts) {
    let mut groups: Sorted<(String, String), Rc<PodGroup>> = Sorted::new();
    for group in &facts.pod_groups {
        let Meta {
            name, namespace, ..
        } = &group.metadata;
        groups.insert((namespace.clone(), name.clone()), group.clone());
    }
    for pod in &mut facts.pods {
        let namespace = &pod.metadata.namespace;
        let key = pod
            .group_name()
            .map(|name| (namespace.clone(), name.to_owned()));
        let Some(group) = key.and_then(|key| groups.get(&key)) else {
            continue;
        };
        let known = pod
            .status
            .resource_claim_statuses
            .as_deref()
            .unwrap_or_default();
        let shared: Vec<PodClaimStatus> = group
            .status
            .resource_claim_statuses
            .iter()
            .filter(|status| !known.iter().any(|known| known.name == status.name))
            .filter(|status| {
                let template = template_of(&pod.spec.resource_claims, &status.name);
                template.is_some()
                    && template == template_of(&group.spec.resource_claims, &status.name)
            })
            .cloned()
            .collect();
        if !shared.is_empty() {
            Rc::make_mut(pod)
                .status
                .resource_claim_statuses
                .get_or_insert_default()
                .extend(shared);
        }
    }
}
