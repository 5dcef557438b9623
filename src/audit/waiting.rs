//! Pods that name what is not there.

use super::finder::{About, Finder};
use super::pods::is_done;
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{
    Claim, ClaimSpec, Meta, ObjectName, Pod, PodClaim, Template,
};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// The objects of a kind by namespace and name.
type ByName<'f, T> = BTreeMap<(&'f str, &'f str), &'f T>;

/// Reports pods that wait for claims or templates which are not there, and containers that use requests which their claim lacks.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let known = Known {
        claims: order::map(facts.claims.iter().map(|one| named(&one.metadata, &**one))),
        templates: order::map(
            facts
                .templates
                .iter()
                .map(|one| named(&one.metadata, &**one)),
        ),
        unusable: &facts.unusable,
    };
    for pod in facts.pods.iter().filter(|pod| !is_done(pod)) {
        if pod.spec.node_name.is_empty() {
            known.check_entries(pod, finder);
        }
        known.check_containers(pod, finder);
    }
}

fn named<'f, T>(metadata: &'f Meta, object: &'f T) -> ((&'f str, &'f str), &'f T) {
    ((&metadata.namespace, &metadata.name), object)
}

/// What pods can name.
struct Known<'f> {
    claims: ByName<'f, Claim>,
    templates: ByName<'f, Template>,
    unusable: &'f BTreeSet<ObjectName>,
}

impl<'f> Known<'f> {
    fn check_entries(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        for (at, entry) in pod.spec.resource_claims.iter().enumerate() {
            let absent = match (
                pod.claim_of(&entry.name),
                &entry.resource_claim_template_name,
            ) {
                (Some(claim), _) => self.absent(
                    &self.claims,
                    "ResourceClaim",
                    pod,
                    claim,
                    "resourceClaimName",
                ),
                // A pod that needs no claim for an entry has a status without a name.
                (None, Some(template)) if !has_status(pod, entry) => self.absent(
                    &self.templates,
                    "ResourceClaimTemplate",
                    pod,
                    template,
                    "resourceClaimTemplateName",
                ),
                _ => None,
            };
            let Some(absent) = absent else {
                continue;
            };
            let about =
                About::object("Pod", &pod.metadata)
                    .at(field_path!["spec", "resourceClaims", at].then(absent.field));
            finder.tell(Code::ClaimNotInInput, about, absent.message, absent.help);
        }
    }

    /// Says that an object is not there which a pod names. Where no other of its kind and namespace is given, that is not known.
    fn absent<T>(
        &self,
        all: &ByName<'f, T>,
        kind: &str,
        pod: &Pod,
        name: &str,
        field: &'static str,
    ) -> Option<Absent> {
        let namespace = pod.metadata.namespace.as_str();
        let others = all.range((namespace, "")..);
        let mut others = others
            .map(|((of, name), _)| (*of, *name))
            .take_while(|(of, _)| *of == namespace)
            .peekable();
        let is_unusable = || {
            self.unusable
                .contains(&ObjectName::new(kind, namespace, name))
        };
        if all.contains_key(&(namespace, name)) || others.peek().is_none() || is_unusable() {
            return None;
        }
        let mut nearest = Nearest::to(name);
        others.for_each(|(_, other)| nearest.consider(other));
        let message = message!(
            "audit.pod-waits-for-absent",
            "pod {pod} waits: there is no {kind} `{name}` in its namespace",
            pod = pod.metadata.full_name(),
            kind,
            name,
        );
        Some(Absent {
            field,
            message,
            help: nearest.found().map(did_you_mean),
        })
    }

    fn check_containers(&self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        let spec = &pod.spec;
        for (field, containers) in [
            ("initContainers", &spec.init_containers),
            ("containers", &spec.containers),
        ] {
            for (at, container) in containers.iter().enumerate() {
                let used = container.resources.claims.iter().enumerate();
                for (index, used) in used.filter(|(_, used)| !used.request.is_empty()) {
                    let Some(known) = self.spec_of(pod, &used.name) else {
                        continue;
                    };
                    let requests = known.devices.requests.iter();
                    let names: Vec<&str> = requests.map(|request| request.name.as_str()).collect();
                    if names.contains(&used.request.as_str()) {
                        continue;
                    }
                    let known = match names.join(", ").as_str() {
                        "" => String::from(message!("audit.no-requests", "none")),
                        names => names.to_owned(),
                    };
                    let message = message!(
                        "audit.container-request-absent",
                        "container {container} of pod {pod} uses request {request} of claim entry {entry}, whose requests are: {requests}",
                        container = container.name,
                        pod = pod.metadata.full_name(),
                        request = used.request,
                        entry = used.name,
                        requests = known,
                    );
                    let help = message!(
                        "audit.container-request-absent-help",
                        "name a request of the claim in what makes the pod, or leave `request` out there to use all of its devices"
                    );
                    let path = field_path!["spec", field, at, "resources", "claims", index];
                    let about = About::object("Pod", &pod.metadata).at(path.then("request"));
                    finder.tell(Code::PodRequestUnknown, about, message, Some(help));
                }
            }
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

/// An object that a pod names and that is not there.
struct Absent {
    /// The field with its name.
    field: &'static str,
    message: Message,
    help: Option<Message>,
}

fn has_status(pod: &Pod, entry: &PodClaim) -> bool {
    let statuses = pod.status.resource_claim_statuses.as_deref();
    let mut statuses = statuses.unwrap_or_default().iter();
    statuses.any(|status| status.name == entry.name)
}
