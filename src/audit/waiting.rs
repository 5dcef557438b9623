//! Pods that name claims, templates, volumes or groups that are not there.

use super::by_name::{ByName, by_name, is_absent, names_in};
use super::finder::{About, Finder};
use super::pods::is_done;
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{
    Claim, ClaimSpec, Container, Facts, ObjectName, PersistentVolumeClaim, Pod, PodClaim, PodGroup,
    Template, UsedClaim, VolumeClaimSource,
};
use claimkit_scheduler::scheduler::misses_volume_claim;

/// Reports pods that wait for claims or templates which are not there, and containers that use requests which their claim lacks.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let known = Known {
        facts,
        claims: by_name(&facts.claims, |claim| &claim.metadata),
        templates: by_name(&facts.templates, |template| &template.metadata),
        volume_claims: by_name(&facts.volumes.claims, |claim| &claim.metadata),
        groups: by_name(&facts.pod_groups, |group| &group.metadata),
    };
    for pod in facts.pods.iter().filter(|pod| !is_done(pod)) {
        if pod.spec.node_name.is_empty() {
            known.check_entries(pod, finder);
            known.check_volumes(pod, finder);
            known.check_group(pod, finder);
        }
        known.check_containers(pod, finder);
    }
}

/// What pods can name.
struct Known<'f> {
    facts: &'f Facts,
    claims: ByName<'f, Claim>,
    templates: ByName<'f, Template>,
    volume_claims: ByName<'f, PersistentVolumeClaim>,
    groups: ByName<'f, PodGroup>,
}

impl<'f> Known<'f> {
    fn check_entries(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        let namespace = pod.metadata.namespace.as_str();
        for (at, entry) in pod.spec.resource_claims.iter().enumerate() {
            let template = entry.resource_claim_template_name.as_deref();
            let (field, absent) = match (pod.claim_of(&entry.name), template) {
                (Some(claim), _) => {
                    let wanted = ObjectName::new("ResourceClaim", namespace, claim);
                    let absent = self.absent(&self.claims, pod, &wanted);
                    ("resourceClaimName", absent)
                }
                // A pod that needs no claim for an entry has a status without a name.
                (None, Some(template)) if !has_status(pod, entry) => {
                    let wanted = ObjectName::new("ResourceClaimTemplate", namespace, template);
                    let absent = self.absent(&self.templates, pod, &wanted);
                    ("resourceClaimTemplateName", absent)
                }
                _ => continue,
            };
            if let Some(Absent { message, help }) = absent {
                let path = field_path!["spec", "resourceClaims", at].then(field);
                let about = About::object("Pod", &pod.metadata).at(path);
                finder.tell(Code::ClaimNotInInput, about, message, help);
            }
        }
    }

    /// Reports claims for volumes that are not there. A controller makes those of ephemeral volumes.
    fn check_volumes(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        for (at, volume) in pod.spec.volumes.iter().enumerate() {
            let Some(VolumeClaimSource { claim_name }) = &volume.persistent_volume_claim else {
                continue;
            };
            let wanted =
                ObjectName::new("PersistentVolumeClaim", &pod.metadata.namespace, claim_name);
            // What the scheduler says is not there is not there, if nothing of its kind is given.
            let key = (pod.metadata.namespace.as_str(), claim_name.as_str());
            let given = self.volume_claims.get(&key);
            if let Some(lost) = given.filter(|claim| claim.status.phase == "Lost") {
                let path = field_path!["spec", "volumes", at, "persistentVolumeClaim", "claimName"];
                let about = About::object("Pod", &pod.metadata).at(path);
                let Absent { message, help } = lost_volume(pod, lost);
                finder.tell(Code::VolumeClaimNotInInput, about, message, help);
            }
            let is_given = given.is_some();
            let is_missed = !is_given && misses_volume_claim(pod, claim_name);
            if is_missed || is_absent(&self.volume_claims, self.facts, &wanted) {
                let Absent { message, help } = message_about(&self.volume_claims, pod, &wanted);
                let path = field_path!["spec", "volumes", at, "persistentVolumeClaim", "claimName"];
                let about = About::object("Pod", &pod.metadata).at(path);
                finder.tell(Code::VolumeClaimNotInInput, about, message, help);
            }
        }
    }

    /// Reports a group of pods that is not there.
    fn check_group(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        let Some(group) = pod.group_name() else {
            return;
        };
        let wanted = ObjectName::new("PodGroup", &pod.metadata.namespace, group);
        if let Some(Absent { message, help }) = self.absent(&self.groups, pod, &wanted) {
            let path = field_path!["spec", "schedulingGroup", "podGroupName"];
            let about = About::object("Pod", &pod.metadata).at(path);
            finder.tell(Code::PodGroupNotInInput, about, message, help);
        }
    }

    /// Says that an object is not there which a pod names, if that is known.
    fn absent<T>(&self, all: &ByName<'f, T>, pod: &Pod, wanted: &ObjectName) -> Option<Absent> {
        is_absent(all, self.facts, wanted).then(|| message_about(all, pod, wanted))
    }

    fn check_containers(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        let spec = &pod.spec;
        for (field, containers) in [
            ("initContainers", &spec.init_containers),
            ("containers", &spec.containers),
        ] {
            for (at, container) in containers.iter().enumerate() {
                let path = field_path!["spec", field, at, "resources", "claims"];
                self.check_container(pod, container, &path, finder);
            }
        }
    }

    /// Reports requests that a container uses and that its claims lack. `path`: that of the claims it uses.
    fn check_container(
        &self,
        pod: &Pod,
        container: &Container,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        for (at, used) in container.resources.claims.iter().enumerate() {
            let Some(spec) = self.spec_of(pod, &used.name) else {
                continue;
            };
            let requests = spec.devices.requests.iter();
            let names: Vec<&str> = requests.map(|request| request.name.as_str()).collect();
            if used.request.is_empty() || names.contains(&used.request.as_str()) {
                continue;
            }
            let help = message!(
                "audit.container-request-absent-help",
                "name a request of the claim in what makes the pod, or leave `request` out there to use all of its devices"
            );
            let path = path.join(&field_path![at, "request"]);
            let about = About::object("Pod", &pod.metadata).at(path);
            let message = lacks_request(pod, container, used, &names);
            finder.tell(Code::PodRequestUnknown, about, message, Some(help));
        }
    }

    /// Returns what an entry of a pod asks for, by its claim or its template.
    fn spec_of(&self, pod: &Pod, entry: &str) -> Option<&'f ClaimSpec> {
        let namespace = pod.metadata.namespace.as_str();
        if let Some(claim) = pod.claim_of(entry) {
            return Some(&self.claims.get(&(namespace, claim))?.spec);
        }
        let mut entries = pod.spec.resource_claims.iter();
        let entry = entries.find(|known| known.name == entry)?;
        let template = entry.resource_claim_template_name.as_deref()?;
        Some(&self.templates.get(&(namespace, template))?.spec.spec)
    }
}

/// What is said of an object that a pod names and that is not there.
struct Absent {
    message: Message,
    help: Option<Message>,
}

/// Says that the volume of a claim is not there.
fn lost_volume(pod: &Pod, claim: &PersistentVolumeClaim) -> Absent {
    let message = message!(
        "audit.pod-waits-for-lost",
        "pod {pod} waits: PersistentVolumeClaim {claim} is lost, for its volume {volume} is not there",
        pod = pod.metadata.full_name(),
        claim = claim.metadata.full_name(),
        volume = claim.spec.volume_name,
    );
    let help = message!(
        "audit.pod-waits-for-lost-help",
        "restore the PersistentVolume, or delete the claim and create it again"
    );
    Absent {
        message,
        help: Some(help),
    }
}

fn message_about<T>(all: &ByName<'_, T>, pod: &Pod, wanted: &ObjectName) -> Absent {
    let ObjectName {
        kind,
        namespace,
        name,
    } = wanted;
    let mut nearest = Nearest::to(name);
    names_in(all, namespace).for_each(|other| nearest.consider(other));
    let message = message!(
        "audit.pod-waits-for-absent",
        "pod {pod} waits: there is no {kind} `{name}` in its namespace",
        pod = pod.metadata.full_name(),
        kind,
        name,
    );
    Absent {
        message,
        help: nearest.found().map(did_you_mean),
    }
}

/// Says that a container uses a request which is not one of these.
fn lacks_request(pod: &Pod, container: &Container, used: &UsedClaim, requests: &[&str]) -> Message {
    let requests = match requests {
        [] => String::from(message!("audit.no-requests", "none")),
        names => names.join(", "),
    };
    message!(
        "audit.container-request-absent",
        "container {container} of pod {pod} uses request {request} of claim entry {entry}, whose requests are: {requests}",
        container = container.name,
        pod = pod.metadata.full_name(),
        request = used.request,
        entry = used.name,
        requests,
    )
}

fn has_status(pod: &Pod, entry: &PodClaim) -> bool {
    let mut statuses = pod
        .status
        .resource_claim_statuses
        .as_deref()
        .unwrap_or_default()
        .iter();
    statuses.any(|status| status.name == entry.name)
}
