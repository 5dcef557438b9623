//! The facts of a cluster, read once for many questions.

use super::last_engine::LastEngine;
use crate::apiserver::FieldValidation;
use crate::apiserver::facts::{Gathering, PodsOfWorkloads};
use crate::manifest::Input;
use crate::manifest::cluster_release::{ClusterRelease, release_of_cluster};
use crate::manifest::snapshot_notes::SnapshotNotes;
use claimkit_model::finding::{Code, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::message::Message;
use claimkit_model::schema::Release;
use claimkit_model::text::{SourceText, located};
use claimkit_scheduler::allocator::binding;
use claimkit_scheduler::allocator::objects::{
    Claim, Class, Facts, HOSTNAME, Meta, Node, ObjectName, Pod, PodGroup, PodRefusal,
    PrepareFailure, PriorityClass, Slice, Taint, TaintSelector, Template, Toleration, VolumeFacts,
    Workload, mount_failure, pod_refusal, prepare_failure, provisioning_failure,
};
use claimkit_scheduler::allocator::quotas;
use claimkit_scheduler::target::GateProof;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The objects of a cluster, read once: nodes, slices, classes, claims, pods, taint rules. [`crate::allocate`] asks about them.
///
/// ```
/// use claimkit::{AllocateOptions, Limits, PreparedCluster};
///
/// let cluster = PreparedCluster::read("{apiVersion: v1, kind: Node, metadata: {name: n1}}", None, None, &Limits::default());
/// assert!(cluster.len() == 1 && !cluster.is_empty());
/// let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}";
/// let allocation = claimkit::allocate(pod, &AllocateOptions::default().cluster(&cluster)).unwrap();
/// assert!(allocation.ok);
/// ```
#[derive(Debug)]
pub struct PreparedCluster {
    /// The release they were read for.
    pub(super) release: Release,
    /// What decided the release, where its objects did.
    pub(super) followed: Option<ClusterRelease>,
    pub(crate) facts: Facts,
    /// The gates that stored objects prove.
    pub(crate) proofs: Vec<GateProof>,
    /// The findings about the text.
    pub(super) findings: Vec<located::LocatedFinding>,
    /// What a snapshot says beside its objects.
    pub(super) notes: Option<SnapshotNotes>,
    /// Its objects are those of files, which may lack some.
    pub(super) is_of_files: bool,
    /// The objects of the text that cannot be decoded.
    undecoded: Vec<UndecodedObject>,
    pub(super) engine: LastEngine,
}

/// An object that cannot be decoded.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct UndecodedObject {
    pub kind: String,
    /// `namespace/name`, or the bare name.
    pub name: String,
    /// The line of what cannot be decoded, counted from one.
    pub line: Option<u32>,
    pub why: String,
}

/// A PersistentVolumeClaim without a volume.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct UnboundVolumeClaim<'c> {
    pub name: &'c str,
    /// Why the volume could last not be made, if an event says so.
    pub why: Option<&'c str>,
}

impl PreparedCluster {
    /// Reads YAML or JSON, as `kubectl get -o yaml` prints it. `release`: the release for all questions; `None`: that of the nodes'
    /// kubelets, or the last one.
    pub fn read<'t>(
        text: impl Into<SourceText<'t>>,
        release: Option<Release>,
        namespace: Option<&str>,
        limits: &Limits,
    ) -> Self {
        let source: SourceText<'_> = text.into();
        let followed = match release {
            Some(_) => None,
            None => release_of_cluster(source, limits),
        };
        let target = release
            .or(followed.as_ref().map(|followed| followed.release))
            .unwrap_or(Release::latest());
        let mut input = Input::read(source, Some(target), limits);
        input.take_copies(Some(target));
        let mut gathering = Gathering::new(
            target,
            namespace.unwrap_or("default"),
            FieldValidation::default(),
        );
        gathering.pods_of_workloads = PodsOfWorkloads::Later;
        gathering.findings = std::mem::take(&mut input.file.findings);
        gathering.findings.extend(input.leave_out_other_clusters());
        gathering.take_all(&input);
        gathering.note_unusable(&input);
        let proofs = gathering.proven_gates();
        let source = &input.file.source;
        let undecoded = undecoded_objects(&input, &gathering);
        let told = gathering
            .findings
            .into_iter()
            .take(limits.findings)
            .map(|finding| {
                let mut told = located::finding(source, finding.about(TextField::Cluster));
                // Object indexes in an answer refer to its own text, so remove them.
                told.object = None;
                told.fixes.clear();
                told
            });
        let findings = told.collect();
        let mut facts = gathering.facts;
        let notes = note_whole(&mut facts, source.text());
        PreparedCluster {
            release: target,
            followed,
            findings,
            proofs,
            facts,
            notes,
            is_of_files: true,
            undecoded,
            engine: LastEngine::default(),
        }
    }

    /// Warns of bytes in a text that are not UTF-8; see [`located::not_utf8`]. `file`: its name, where there are several.
    #[doc(hidden)]
    pub fn with_replaced(
        mut self,
        text: &str,
        replaced: Option<usize>,
        file: Option<&str>,
    ) -> Self {
        if let Some(at) = replaced {
            self.findings
                .push(located::not_utf8(text, at, TextField::Cluster, file));
        }
        self
    }

    /// Returns the release they were read for.
    pub(crate) fn release(&self) -> Release {
        self.release
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        let Facts {
            nodes,
            classes,
            slices,
            claims,
            templates,
            pods,
            rules,
            namespaces,
            ..
        } = &self.facts;
        let Facts {
            workloads,
            services,
            priority_classes,
            pod_groups,
            budgets,
            volumes,
            ..
        } = &self.facts;
        let devices = [
            classes.len(),
            slices.len(),
            claims.len(),
            templates.len(),
            rules.len(),
        ];
        let others = [
            nodes.len(),
            pods.len(),
            namespaces.len(),
            workloads.len(),
            services.len(),
        ];
        let scheduling = [
            priority_classes.len(),
            pod_groups.len(),
            budgets.len(),
            volumes.count(),
        ];
        let lengths = devices.into_iter().chain(others).chain(scheduling);
        lengths.fold(0, usize::saturating_add)
    }

    /// Returns true if there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A claim for which kubelet does not start a pod that has a node.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckClaim {
    /// Its name, in the namespace of the pod.
    pub name: String,
    pub lacks: StuckBy,
}

/// What a claim lacks, so that kubelet does not start a pod.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckBy {
    /// The claim is not there.
    Absence,
    /// It has no allocation.
    Allocation,
    /// It is not reserved for the pod.
    Reservation,
}

/// A cluster that is put together from lists.
impl PreparedCluster {
    /// Makes a cluster without objects, for a release.
    #[doc(hidden)]
    pub fn empty(release: Release) -> Self {
        PreparedCluster {
            release,
            followed: None,
            facts: Facts::default(),
            proofs: Vec::new(),
            findings: Vec::new(),
            notes: None,
            is_of_files: false,
            undecoded: Vec::new(),
            engine: LastEngine::default(),
        }
    }

    /// Says that the objects are those of files, which may lack some.
    #[doc(hidden)]
    pub fn of_files(mut self) -> Self {
        self.is_of_files = true;
        self
    }

    /// Returns true if its objects are those of files, which may lack some.
    #[doc(hidden)]
    pub fn is_of_files(&self) -> bool {
        self.is_of_files
    }

    /// Returns the objects that cannot be decoded.
    #[doc(hidden)]
    pub fn undecoded(&self) -> &[UndecodedObject] {
        &self.undecoded
    }

    /// Keeps the newest of several states of one object. Returns a line of English about each object that has several.
    #[doc(hidden)]
    pub fn keep_newest(&mut self) -> Vec<String> {
        let names = self.facts.keep_newest().into_iter();
        let lines = names.map(
            |ObjectName {
                 kind,
                 namespace,
                 name,
             }| {
                let name = match namespace.is_empty() {
                    true => name,
                    false => format!("{namespace}/{name}"),
                };
                format!("{kind} {name} is given twice: its newest state counts, by resourceVersion")
            },
        );
        lines.collect()
    }

    /// Notes that all objects of a kind are given.
    #[doc(hidden)]
    pub fn note_whole(&mut self, kind: &str) {
        self.facts.whole.insert(kind.to_owned());
    }

    /// Adds the objects of another part of the same cluster.
    #[doc(hidden)]
    pub fn join(&mut self, part: PreparedCluster) {
        self.facts.join(part.facts);
        self.proofs.extend(part.proofs);
        self.undecoded.extend(part.undecoded);
        self.findings.extend(part.findings);
        self.notes = self.notes.take().or(part.notes);
    }

    /// Returns why a part of the text could not be read, so that what it holds is not known.
    #[doc(hidden)]
    pub fn unread(&self) -> Option<&str> {
        let mut findings = self.findings.iter();
        let found = findings.find(|finding| finding.code.leaves_text_unread())?;
        Some(&found.message)
    }

    /// Returns the gates that a snapshot notes.
    #[doc(hidden)]
    pub fn noted_gates(&self) -> Option<&BTreeMap<String, bool>> {
        Some(&self.notes.as_ref()?.gates)
    }

    /// Returns true if all objects of a kind are given.
    #[doc(hidden)]
    pub fn is_whole(&self, kind: &str) -> bool {
        self.facts.is_whole(kind)
    }

    /// Returns the pods.
    #[doc(hidden)]
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.facts.pods.iter().map(|pod| &**pod)
    }

    /// Returns the claims.
    #[doc(hidden)]
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.facts.claims.iter().map(|claim| &**claim)
    }

    /// Returns the nodes.
    #[doc(hidden)]
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.facts.nodes.iter().map(|node| &**node)
    }

    /// Returns the slices of devices.
    #[doc(hidden)]
    pub fn slices(&self) -> impl Iterator<Item = &Slice> {
        self.facts.slices.iter().map(|slice| &**slice)
    }

    /// Returns the groups of pods.
    #[doc(hidden)]
    pub fn pod_groups(&self) -> impl Iterator<Item = &PodGroup> {
        self.facts.pod_groups.iter().map(|group| &**group)
    }

    /// Returns true if a namespace is given, and its label is not `true`.
    #[doc(hidden)]
    pub fn lacks_label(&self, namespace: &str, label: &str) -> bool {
        let labels = self.facts.namespaces.get(namespace);
        labels.is_some_and(|labels| labels.get(label).is_none_or(|value| value != "true"))
    }

    /// Returns the objects that make pods.
    #[doc(hidden)]
    pub fn workloads(&self) -> impl Iterator<Item = &Workload> {
        self.facts.workloads.iter().map(|workload| &**workload)
    }

    /// Returns the classes of devices.
    #[doc(hidden)]
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.facts.classes.iter().map(|class| &**class)
    }

    /// Returns the templates of claims.
    #[doc(hidden)]
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.facts.templates.iter().map(|template| &**template)
    }

    /// Returns the classes of pods by priority.
    #[doc(hidden)]
    pub fn priority_classes(&self) -> impl Iterator<Item = &PriorityClass> {
        self.facts.priority_classes.iter().map(|class| &**class)
    }

    /// Returns the pods that are given and cannot be used, as namespace and name.
    #[doc(hidden)]
    pub fn unusable_pods(&self) -> impl Iterator<Item = (&str, &str)> {
        let unusable = self.facts.unusable.iter();
        let pods = unusable.filter(|object| object.kind == "Pod");
        pods.map(|object| (object.namespace.as_str(), object.name.as_str()))
    }

    /// Returns kube-apiserver's words about a quota that keeps kube-scheduler from making the claim for a pod's extended resources.
    /// `devices`: how many of each class.
    #[doc(hidden)]
    pub fn refusal_of_extended(&self, namespace: &str, devices: &[(&str, i64)]) -> Option<String> {
        quotas::refusal_of_extended(&self.facts, namespace, devices)
    }

    /// Returns kube-apiserver's words about a quota that a new claim exceeds.
    #[doc(hidden)]
    pub fn refusal_of_claim(&self, claim: &Claim) -> Option<String> {
        quotas::refusal(&self.facts, &[], claim)
    }

    /// Returns the PersistentVolumeClaims of a pod that have no volume and do not wait for the pod's node.
    #[doc(hidden)]
    pub fn unbound_volume_claims(&self, pod: &Pod) -> Vec<UnboundVolumeClaim<'_>> {
        let volumes = &self.facts.volumes;
        let named: Vec<String> = pod
            .spec
            .volumes
            .iter()
            .filter_map(|volume| pod.volume_claim_of(volume))
            .collect();
        let claims = volumes.claims.iter().filter(|claim| {
            claim.metadata.namespace == pod.metadata.namespace
                && named.contains(&claim.metadata.name)
                && claim.spec.volume_name.is_empty()
        });
        let immediate = claims.filter(|claim| {
            let class = claim.spec.storage_class_name.as_deref();
            let mut classes = volumes.classes.iter();
            let mode = classes
                .find(|known| class == Some(known.metadata.name.as_str()))
                .and_then(|known| known.volume_binding_mode.as_deref());
            mode != Some("WaitForFirstConsumer")
        });
        immediate
            .map(|claim| UnboundVolumeClaim {
                name: &claim.metadata.name,
                why: provisioning_failure(&self.facts.events, &claim.metadata),
            })
            .collect()
    }

    /// Returns true if a pod that waits has volumes.
    #[doc(hidden)]
    pub fn needs_volumes(&self) -> bool {
        let mut pods = self.facts.pods.iter();
        pods.any(|pod| {
            let mut volumes = pod.spec.volumes.iter();
            pod.spec.node_name.is_empty()
                && volumes.any(|volume| pod.volume_claim_of(volume).is_some())
        })
    }

    /// Keeps the objects about volumes if all were read, and drops them if not.
    #[doc(hidden)]
    pub fn see_volumes(&mut self, all: bool) {
        if all {
            self.facts.volumes.seen = true;
        } else {
            self.facts.volumes = VolumeFacts::default();
        }
    }

    /// Adds a node of which only the name is known.
    #[doc(hidden)]
    pub fn name_node(&mut self, name: &str) {
        self.facts.nodes.push(Rc::new(named_node(name)));
    }

    /// Returns why an object of this kind (in lower case) could last not make a pod, if an event says so. `namespace`: absent
    /// for any.
    #[doc(hidden)]
    pub fn pod_refusal(
        &self,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<PodRefusal<'_>> {
        pod_refusal(&self.facts.events, kind, namespace, name)
    }

    /// Returns why an object of this kind (in lower case) cannot make pods now, as its condition says or that of a ReplicaSet which it made.
    #[doc(hidden)]
    pub fn replica_failure(&self, kind: &str, namespace: &str, name: &str) -> Option<&str> {
        let own = self.workloads().filter(|workload| {
            let meta = &workload.metadata;
            let is_named = meta.name == name && workload.kind.name().eq_ignore_ascii_case(kind);
            let mut owners = meta.owner_references.iter();
            let is_made = owners.any(|owner| {
                owner.controller && owner.name == name && owner.kind.eq_ignore_ascii_case(kind)
            });
            meta.namespace == namespace && (is_named || is_made)
        });
        own.filter_map(Workload::replica_failure).next()
    }

    /// Returns what kubelet said last of devices of a pod that it cannot prepare, if an event says so.
    #[doc(hidden)]
    pub fn prepare_failure(&self, namespace: &str, name: &str) -> Option<PrepareFailure<'_>> {
        let pod = self
            .pods()
            .find(|pod| pod.metadata.namespace == namespace && pod.metadata.name == name)?;
        prepare_failure(&self.facts.events, &pod.metadata)
    }

    /// Returns what kubelet said last of a volume of a pod that it cannot mount, if an event says so.
    #[doc(hidden)]
    pub fn mount_failure(&self, pod: &Pod) -> Option<PrepareFailure<'_>> {
        mount_failure(&self.facts.events, &pod.metadata)
    }

    /// Returns the claims for which a pod that has a node cannot start there.
    #[doc(hidden)]
    pub fn stuck_claims(&self, namespace: &str, name: &str) -> Vec<StuckClaim> {
        let mut pods = self.facts.pods.iter();
        let Some(pod) =
            pods.find(|pod| pod.metadata.namespace == namespace && pod.metadata.name == name)
        else {
            return Vec::new();
        };
        let mut stuck = Vec::new();
        for entry in &pod.spec.resource_claims {
            let Some(claim) = pod.claim_of(&entry.name) else {
                continue;
            };
            let mut claims = self.facts.claims.iter();
            let known = claims.find(|known| {
                known.metadata.namespace == namespace && known.metadata.name == claim
            });
            let lacks = match known {
                None => StuckBy::Absence,
                Some(known) if known.status.allocation.is_none() => StuckBy::Allocation,
                Some(known) if known.is_reserved_for(pod) => continue,
                Some(_) => StuckBy::Reservation,
            };
            stuck.push(StuckClaim {
                name: claim.to_owned(),
                lacks,
            });
        }
        stuck
    }

    /// Returns why binding the devices of a pod's claim failed, as its driver says it: the scheduler takes them back and tries again.
    #[doc(hidden)]
    pub fn failed_binding(&self, namespace: &str, name: &str) -> Option<Message> {
        let mut pods = self.pods();
        let pod =
            pods.find(|pod| pod.metadata.namespace == namespace && pod.metadata.name == name)?;
        let entries = pod.spec.resource_claims.iter();
        let own: Vec<&str> = entries
            .filter_map(|entry| pod.claim_of(&entry.name))
            .collect();
        let mut claims = self.claims().filter(|claim| {
            let Meta {
                namespace: of,
                name,
                ..
            } = &claim.metadata;
            of == namespace && own.contains(&name.as_str())
        });
        claims.find_map(binding::failure)
    }

    /// Returns true if a Node was read.
    #[doc(hidden)]
    pub fn has_nodes(&self) -> bool {
        !self.facts.nodes.is_empty()
    }

    /// Returns true if a ResourceClaim was read.
    #[doc(hidden)]
    pub fn has_claims(&self) -> bool {
        !self.facts.claims.is_empty()
    }

    /// Returns true if a DeviceClass was read.
    #[doc(hidden)]
    pub fn has_classes(&self) -> bool {
        !self.facts.classes.is_empty()
    }

    /// Returns true if a ResourceClaimTemplate was read.
    #[doc(hidden)]
    pub fn has_templates(&self) -> bool {
        !self.facts.templates.is_empty()
    }

    /// Returns true if there is a DeviceTaintRule.
    #[doc(hidden)]
    pub fn has_rules(&self) -> bool {
        !self.facts.rules.is_empty()
    }

    /// Returns the DeviceTaintRules that set a taint on some of these devices, each `driver/pool/device`; `None`: the driver sets it on
    /// one of them, too, or a rule selects by more than names.
    #[doc(hidden)]
    pub fn rules_of_taint(
        &self,
        taint: &Toleration,
        devices: &BTreeSet<&str>,
    ) -> Option<Vec<&str>> {
        let is_same = |other: &Taint| {
            other.key == taint.key && other.value == taint.value && other.effect == taint.effect
        };
        for slice in self.slices() {
            let Slice { spec, .. } = slice;
            let tainted = spec
                .devices
                .iter()
                .filter(|device| device.taints.iter().any(is_same));
            let mut names =
                tainted.map(|device| format!("{}/{}/{}", spec.driver, spec.pool.name, device.name));
            if names.any(|name| devices.contains(name.as_str())) {
                return None;
            }
        }
        let mut names = Vec::new();
        for rule in self
            .facts
            .rules
            .iter()
            .filter(|rule| is_same(&rule.spec.taint))
        {
            let selector = rule.spec.device_selector.as_ref();
            if selector.is_some_and(|selector| {
                selector.device_class_name.is_some() || !selector.selectors.is_empty()
            }) {
                return None;
            }
            let is_on =
                |device: &&str| selector.is_none_or(|selector| names_device(selector, device));
            if devices.iter().any(is_on) {
                names.push(rule.metadata.name.as_str());
            }
        }
        Some(names)
    }

    /// Returns true if a slice publishes devices.
    #[doc(hidden)]
    pub fn has_slices(&self) -> bool {
        !self.facts.slices.is_empty()
    }
}

/// Returns true if a selector of names is about a device, which is written `driver/pool/device`.
fn names_device(selector: &TaintSelector, device: &str) -> bool {
    let (driver, rest) = device.split_once('/').unwrap_or((device, ""));
    let (pool, name) = rest.rsplit_once('/').unwrap_or((rest, ""));
    let is_named = |wanted: &Option<String>, found: &str| {
        wanted.as_deref().is_none_or(|wanted| wanted == found)
    };
    is_named(&selector.driver, driver)
        && is_named(&selector.pool, pool)
        && is_named(&selector.device, name)
}

/// Returns the objects of a text that cannot be decoded, with why.
fn undecoded_objects(input: &Input<'_>, gathering: &Gathering<'_>) -> Vec<UndecodedObject> {
    let places = gathering.undecoded.iter();
    let objects = places.filter_map(|at| {
        let item = input.items.get(*at)?;
        let mut findings = gathering.findings.iter();
        let finding = findings
            .find(|finding| finding.object == Some(*at) && finding.code == Code::TypeMismatch)?;
        let line = finding
            .span
            .map(|span| input.file.source.position(span.from()).line);
        Some(UndecodedObject {
            kind: item.kind.clone(),
            name: gathering.full_name_of(item),
            line: line.map(|line| line.saturating_add(1)),
            why: finding.message.to_string(),
        })
    });
    objects.collect()
}

/// Notes the kinds of which a snapshot has all objects. Without all about volumes, nothing of them is known.
pub fn note_whole(facts: &mut Facts, text: &str) -> Option<SnapshotNotes> {
    let notes = SnapshotNotes::of_text(text)?;
    facts.whole.extend(notes.whole.iter().cloned());
    let mut about_volumes = VolumeFacts::KINDS.iter().flat_map(|(_, kinds)| *kinds);
    let has_all = about_volumes.all(|kind| facts.is_whole(kind));
    facts.volumes = match has_all {
        true => VolumeFacts {
            seen: true,
            ..std::mem::take(&mut facts.volumes)
        },
        false => VolumeFacts::default(),
    };
    Some(notes)
}

/// Returns a node of which only the name is known.
pub fn named_node(name: &str) -> Node {
    let mut node = Node {
        assumed: true,
        ..Node::default()
    };
    node.metadata.name = name.to_owned();
    node.metadata
        .labels
        .insert(HOSTNAME.to_owned(), name.to_owned());
    node
}
