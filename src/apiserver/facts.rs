//! Collects the facts for device allocation from the objects of a text.

use super::Body;
use super::body::FieldValidation;
use super::device::convert;
use super::device::drops::{self, WrittenPart};
use super::pod_sets::{self, PodSet, Runtimes};
use crate::manifest::findings::{older_state, other_group, place, repeated};
use crate::manifest::index::{Index, superseded};
use crate::manifest::{Input, Item, What};
use crate::validation::Context;
use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::{How, Via};
use claimkit_model::object::view::Object;
use claimkit_model::object::view::device::ResourceSlice;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::device::HUB;
use claimkit_model::schema::{Api, DeviceKind, GROUP, Gate, Gates, ObjectKind, Release};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::read::{Datum, read_from};
use claimkit_scheduler::allocator::objects::{
    Facts, Meta, ObjectName, Pod, PodTemplate, VolumeFacts, Workload, WorkloadKind, WorkloadSpec,
};
use claimkit_scheduler::target::GateProof;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The versions of claims without `exactly` in requests.
const FLAT_VERSIONS: [&str; 2] = ["v1alpha3", "v1beta1"];

/// The objects read from a text.
#[derive(Debug)]
pub struct Gathering<'o> {
    /// The release that answers.
    pub release: Release,
    /// The namespace of objects that name none.
    pub namespace: &'o str,
    /// The treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// The objects so far.
    pub facts: Facts,
    /// The findings about the objects.
    pub findings: Vec<Finding>,
    /// The treatment of objects that make pods.
    pub pods_of_workloads: PodsOfWorkloads,
    /// The feature gates of the server that takes new objects; `None`: objects are taken as they are.
    pub gates: Option<Gates>,
    /// Assumptions about the objects, a line each.
    pub assumed: Vec<Message>,
    /// Gates that are off by default, and stored objects that a server stores only if they are on.
    pub proofs: Vec<GateProof>,
    /// The runtimes of TrainJobs, once an object asked for them. A collection is of one text.
    runtimes: Option<Runtimes>,
    /// The objects that cannot be decoded, by their places.
    pub undecoded: Vec<usize>,
    /// The documents that are lists with a stored object, once an object asked for them.
    stored_lists: Option<BTreeSet<usize>>,
}

/// Returns true for a version of the API group of devices.
fn is_of_devices(api_version: &str) -> bool {
    let mut parts = api_version.split('/');
    parts.next() == Some(GROUP)
}

/// Collects the gates of all fields that are set; an empty list or map does not count.
fn collect_gates(record: &Record<'_>, gates: &mut Vec<Gate>) {
    for (field, value) in record.schema.fields.iter().zip(&record.slots) {
        let is_set = match value {
            FieldValue::Unset => false,
            FieldValue::List(items) => !items.is_empty(),
            FieldValue::Entries(entries) => !entries.is_empty(),
            _ => true,
        };
        if is_set {
            gates.extend(
                field
                    .gates
                    .iter()
                    .filter(|gate| !gates.contains(gate))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        match value {
            FieldValue::Struct(inner) => collect_gates(inner, gates),
            FieldValue::List(items) => {
                let records = items.iter().filter_map(FieldValue::as_record);
                records.for_each(|item| collect_gates(item, gates));
            }
            FieldValue::Entries(entries) => {
                let records = entries.iter().filter_map(|(_, entry)| entry.as_record());
                records.for_each(|entry| collect_gates(entry, gates));
            }
            _ => {}
        }
    }
}

/// The treatment of objects that make pods and were never on a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodsOfWorkloads {
    /// Each gives one pod of its own name.
    #[default]
    OneEach,
    /// They give none here: whoever asks makes as many as they say.
    Later,
}

impl<'o> Gathering<'o> {
    /// Creates an empty collection.
    pub fn new(release: Release, namespace: &'o str, field_validation: FieldValidation) -> Self {
        Gathering {
            release,
            namespace,
            field_validation,
            facts: Facts::default(),
            findings: Vec::new(),
            pods_of_workloads: PodsOfWorkloads::default(),
            gates: None,
            assumed: Vec::new(),
            proofs: Vec::new(),
            runtimes: None,
            undecoded: Vec::new(),
            stored_lists: None,
        }
    }

    /// Returns the evidence that an object was stored: its own, or that of others in the list that it comes from.
    pub fn stored(&mut self, input: &Input<'_>, item: &Item) -> Stored {
        let own = input
            .tree(item)
            .map_or(Stored::Unknown, |tree| Stored::of(tree, item));
        if own != Stored::Unknown || item.list_index.is_none() {
            return own;
        }
        let lists = self.stored_lists.get_or_insert_with(|| stored_lists(input));
        if lists.contains(&item.document) {
            Stored::Copy
        } else {
            Stored::Unknown
        }
    }

    /// Takes the objects of a text. Of several objects with one name the first counts, and a finding names the others.
    pub fn take_all(&mut self, input: &Input<'_>) {
        let mut names = Index::new(self.namespace);
        let superseded = superseded(input);
        for (index, item) in input.items.iter().enumerate() {
            if superseded.contains_key(&index) {
                self.findings.extend(older_state(input, index));
                continue;
            }
            match names.add(item, index) {
                None => self.take(input, item, index),
                Some(first) => {
                    let finding = repeated(input, first, index, &self.findings);
                    self.findings.extend(finding);
                }
            }
        }
    }

    /// Notes the claims, templates, classes, slices, pods and their groups and volume claims of a text that were not taken.
    pub fn note_unusable(&mut self, input: &Input<'_>) {
        let taken = self.taken_objects();
        let given = input.items.iter().filter_map(|item| self.named(item));
        let unusable: Vec<ObjectName> = given.filter(|object| !taken.contains(object)).collect();
        let undecoded: Vec<ObjectName> = unusable
            .iter()
            .chain(&self.undecoded_nodes(input))
            .filter(|object| self.is_undecoded(input, object))
            .cloned()
            .collect();
        self.facts.undecoded.extend(undecoded);
        self.facts.unusable.extend(unusable);
    }

    /// Returns the objects of these kinds that were taken.
    fn taken_objects(&self) -> BTreeSet<ObjectName> {
        let mut taken = BTreeSet::new();
        let mut add = |kind: &'static str, metadata: &Meta| {
            taken.insert(ObjectName::new(kind, &metadata.namespace, &metadata.name));
        };
        let facts = &self.facts;
        for claim in &facts.claims {
            add("ResourceClaim", &claim.metadata);
        }
        for template in &facts.templates {
            add("ResourceClaimTemplate", &template.metadata);
        }
        for class in &facts.classes {
            add("DeviceClass", &class.metadata);
        }
        for slice in &facts.slices {
            add("ResourceSlice", &slice.metadata);
        }
        for pod in &facts.pods {
            add("Pod", &pod.metadata);
        }
        for group in &facts.pod_groups {
            add("PodGroup", &group.metadata);
        }
        for claim in &facts.volumes.claims {
            add("PersistentVolumeClaim", &claim.metadata);
        }
        taken
    }

    /// Returns the name of an object of these kinds; `None`: it is of another kind, or has no name, so that nothing can be said of it.
    fn named(&self, item: &Item) -> Option<ObjectName> {
        let namespace = match (item.kind.as_str(), item.api_version.as_str()) {
            ("Pod" | "PersistentVolumeClaim", "v1") => self.namespace_of(item),
            ("PodGroup", of) if of.starts_with("scheduling.k8s.io/") => self.namespace_of(item),
            ("ResourceClaim" | "ResourceClaimTemplate", of) if is_of_devices(of) => {
                self.namespace_of(item)
            }
            ("DeviceClass" | "ResourceSlice", of) if is_of_devices(of) => String::new(),
            _ => return None,
        };
        let is_named = !item.name.is_empty();
        is_named.then(|| ObjectName::new(&item.kind, &namespace, &item.name))
    }

    /// Returns the nodes that cannot be decoded.
    fn undecoded_nodes(&self, input: &Input<'_>) -> Vec<ObjectName> {
        let items = self.undecoded.iter().filter_map(|at| input.items.get(*at));
        items
            .filter(|item| item.kind == "Node" && item.api_version == "v1")
            .map(|item| ObjectName::new(&item.kind, "", &item.name))
            .collect()
    }

    /// Returns true if an object is one of those that cannot be decoded.
    fn is_undecoded(&self, input: &Input<'_>, object: &ObjectName) -> bool {
        let mut items = self.undecoded.iter().filter_map(|at| input.items.get(*at));
        items.any(|item| {
            item.kind == object.kind
                && item.name == object.name
                && (object.namespace.is_empty() || self.namespace_of(item) == object.namespace)
        })
    }

    /// Takes an object, whatever its kind; `index` is its place among all objects.
    pub fn take(&mut self, input: &Input<'_>, item: &Item, index: usize) {
        let Some(tree) = input.tree(item) else { return };
        match &item.what {
            What::Other if is_workload(item) => {
                self.add(input, item, index, &item.kind, Datum::Node(tree, item.node));
                self.note_stored_workload(tree, item);
                if self.pods_of_workloads == PodsOfWorkloads::OneEach {
                    self.add_pod_of(input, item, index, tree);
                }
            }
            What::Other if is_read(item) => {
                self.add(input, item, index, &item.kind, Datum::Node(tree, item.node))
            }
            What::Other
                if self.pods_of_workloads == PodsOfWorkloads::Later
                    && self.add_pod_sets(input, item, index, tree) => {}
            What::Other => self.findings.push(other_group(item, index)),
            What::Refused(finding) => {
                self.findings
                    .push(place(input, item, index, finding.clone()))
            }
            What::Ours(api) => {
                let ObjectKind::Device(kind) = api.kind.object else {
                    let why = message!(
                        "server.version-without-devices",
                        "is of a version without devices"
                    );
                    self.unread(input, item, index, &why);
                    return;
                };
                let how = How::reaching(input.mode(item), Via::Kubectl, item.release);
                let body = Body::read(tree, item.node, *api, how);
                let mut problems = body.findings(tree, self.field_validation);
                let stored = self.stored(input, item);
                let is_usable = body
                    .decoded
                    .mismatches
                    .iter()
                    .all(|mismatch| stored.allows_unreadable(&mismatch.path));
                let mistyped = problems
                    .iter_mut()
                    .filter(|finding| finding.code == Code::TypeMismatch);
                for finding in mistyped.filter(|_| is_usable) {
                    finding.severity = Severity::Warning;
                }
                self.findings.extend(
                    problems
                        .into_iter()
                        .map(|finding| place(input, item, index, finding)),
                );
                if !is_usable {
                    self.undecoded.push(index);
                } else {
                    self.prove(item, body.record());
                    let new = self.as_new(input, item, index, *api, kind, body.record());
                    self.take_decoded(
                        input,
                        item,
                        index,
                        *api,
                        kind,
                        new.as_ref().unwrap_or(body.record()),
                    );
                }
            }
        }
    }

    /// Takes an object that was decoded. Objects of every version are looked at in the shape of v1.
    pub fn take_decoded(
        &mut self,
        input: &Input<'_>,
        item: &Item,
        index: usize,
        api: Api,
        kind: DeviceKind,
        record: &Record<'_>,
    ) {
        let shape = if kind == DeviceKind::DeviceTaintRule {
            api.version.name
        } else {
            HUB.name
        };
        let converted = convert::seen_as(record, shape, kind);
        let known = self.facts.slices.len();
        // A list among the items of a List is no object.
        if api.kind.items.is_none() {
            let namespace = self.namespace_of(item);
            let object = Datum::Record(&converted);
            if let Err(error) = self.facts.take_device(kind, object, Some(&namespace)) {
                self.unread(input, item, index, &error);
            }
        }
        if FLAT_VERSIONS.contains(&api.version.name) {
            self.note_flat_requests(kind);
        }
        if kind == DeviceKind::ResourceClaim {
            self.note_stored_claim(input, item);
        }
        if kind != DeviceKind::ResourceSlice
            || self.release.minor > 33
            || self.facts.slices.len() == known
        {
            return;
        }
        let Some(slice) = self.facts.slices.last_mut().and_then(Rc::get_mut) else {
            return;
        };
        let devices = ResourceSlice::new(record).spec().devices();
        for (device, written) in slice.spec.devices.iter_mut().zip(devices.iter()) {
            device.shapeless = written.basic_slot().field().is_some() && written.basic().is_none();
        }
    }

    /// Notes of the last claim or template that its version has no `exactly` in requests.
    fn note_flat_requests(&mut self, kind: DeviceKind) {
        let facts = &mut self.facts;
        if kind == DeviceKind::ResourceClaim
            && let Some(claim) = facts.claims.last_mut().and_then(Rc::get_mut)
        {
            claim.metadata.has_flat_requests = true;
        }
        if kind == DeviceKind::ResourceClaimTemplate
            && let Some(template) = facts.templates.last_mut().and_then(Rc::get_mut)
        {
            template.metadata.has_flat_requests = true;
        }
    }

    /// Notes the gates without which the server would have dropped fields of a stored object.
    fn prove(&mut self, item: &Item, record: &Record<'_>) {
        if Object::new(record).metadata().uid().is_empty() {
            return;
        }
        let mut gates = Vec::new();
        collect_gates(record, &mut gates);
        for gate in gates {
            self.add_proof(gate, &format!("{} {}", item.kind, item.name));
        }
    }

    /// Adds a gate that an object proves, if it is off by default.
    fn add_proof(&mut self, gate: Gate, object: &str) {
        let is_off =
            gate.default_in(self.release).is_some() && !Gates::defaults(self.release).on(gate);
        if is_off && !self.proofs.iter().any(|known| known.gate == gate) {
            self.proofs.push(GateProof {
                gate,
                object: object.to_owned(),
            });
        }
    }

    /// Returns the gates that the stored objects prove.
    pub fn proven_gates(&mut self) -> Vec<GateProof> {
        let mut found: Vec<(Gate, String)> = Vec::new();
        for group in &self.facts.pod_groups {
            if group.metadata.uid.is_empty() {
                continue;
            }
            let name = format!("PodGroup {}", group.metadata.full_name());
            if !group.spec.resource_claims.is_empty() {
                found.push((Gate::DRAWorkloadResourceClaims, name.clone()));
            }
            found.push((Gate::GenericWorkload, name));
        }
        for pod in &self.facts.pods {
            if !pod.metadata.uid.is_empty() && pod.spec.scheduling_group.is_some() {
                let name = format!("Pod {}", pod.metadata.full_name());
                found.push((Gate::GenericWorkload, name));
            }
        }
        for claim in &self.facts.claims {
            let is_extended = claim
                .metadata
                .annotations
                .contains_key(extended::ANNOTATION);
            if is_extended && !claim.metadata.uid.is_empty() {
                let name = format!("ResourceClaim {}", claim.metadata.full_name());
                found.push((Gate::DRAExtendedResource, name));
            }
        }
        for (gate, object) in found {
            self.add_proof(gate, &object);
        }
        std::mem::take(&mut self.proofs)
    }

    /// Copies the object without the fields that the server drops from a new object because their gates are off; `None`: it drops
    /// none.
    fn as_new<'t>(
        &mut self,
        input: &Input<'_>,
        item: &Item,
        index: usize,
        api: Api,
        kind: DeviceKind,
        record: &Record<'t>,
    ) -> Option<Record<'t>> {
        let gates = self.gates?;
        if !Object::new(record).metadata().uid().is_empty() {
            return None;
        }
        let context = Context::with_gates(self.release, gates);
        let mut new = convert::to_hub(record.clone(), kind, self.release);
        let dropped = drops::apply(kind, &mut new, None, WrittenPart::Object, &context);
        for one in &dropped {
            let steps = convert::written(api.version.name, kind, self.release, &one.steps)
                .unwrap_or_else(|| one.steps.clone());
            self.findings
                .push(place(input, item, index, one.finding(steps, self.release)));
        }
        (!dropped.is_empty()).then_some(new)
    }

    /// Adds the pods of an object of another kind that was never on a server. `false`: it has none.
    fn add_pod_sets(
        &mut self,
        input: &Input<'_>,
        item: &Item,
        index: usize,
        tree: &Tree<'_>,
    ) -> bool {
        let metadata = tree
            .get(item.node, "metadata")
            .filter(|metadata| tree.is_map(*metadata));
        if !is_new(tree, item) || Stored::of(tree, item) != Stored::Unknown {
            return false;
        }
        let namespace = self.namespace;
        let runtimes = self
            .runtimes
            .get_or_insert_with(|| Runtimes::of(input, namespace));
        let sets = pod_sets::find(input, runtimes, item, tree);
        if let Some((kind, name)) = &sets.missing {
            let own = self.namespace_of(item);
            self.assumed.push(message!(
                "server.makes-no-pods",
                "{maker} {namespace}/{of} makes no pods here: its {kind} {name} is not given",
                maker = item.kind,
                namespace = own,
                of = item.name,
                kind,
                name,
            ));
        }
        if sets.list.is_empty() {
            return sets.is_known;
        }
        let workloads: Result<Vec<Workload>, Message> = sets
            .list
            .iter()
            .map(|set| self.workload_of(tree, item, metadata, sets.tree, set))
            .collect();
        let made = match workloads {
            Ok(made) => made,
            Err(error) => {
                self.unread(input, item, index, &error);
                return true;
            }
        };
        if !sets.is_known {
            let name = made
                .first()
                .map(|made| made.metadata.full_name())
                .unwrap_or_default();
            let kind = &item.kind;
            self.assumed.push(match sets.list.len() {
                1 => message!(
                    "server.makes-one-pod",
                    "{kind} {name} makes one pod: how many its controller makes is not known",
                    kind,
                    name,
                ),
                places => message!(
                    "server.makes-pod-of-each-spec",
                    "{kind} {name} makes one pod from each of its {places} pod specs: how many its controller makes is not known",
                    kind,
                    name,
                    places,
                ),
            });
        }
        self.facts.workloads.extend(made.into_iter().map(Rc::new));
        true
    }

    /// Adds the pod of a workload that was never on a server; the pods of other workloads are among the objects.
    fn add_pod_of(&mut self, input: &Input<'_>, item: &Item, index: usize, tree: &Tree<'_>) {
        let template = tree
            .get(item.node, "spec")
            .and_then(|spec| tree.get(spec, "template"));
        let is_new = is_new(tree, item) && Stored::of(tree, item) == Stored::Unknown;
        let Some(template) = template.filter(|_| is_new) else {
            return;
        };
        let read = if tree.is_map(template) {
            read_from(Datum::Node(tree, template))
        } else {
            Ok(PodTemplate::default())
        };
        match read {
            Ok(PodTemplate { mut spec, .. }) => {
                spec.set_defaults();
                let namespace = self.namespace_of(item);
                let metadata = Meta {
                    name: item.name.clone(),
                    namespace,
                    ..Meta::default()
                };
                self.facts.pods.push(Rc::new(Pod {
                    metadata,
                    spec,
                    ..Pod::default()
                }));
            }
            Err(error) => self.unread(input, item, index, &error),
        }
    }

    /// Returns the namespace of an object: its own, or that of objects that name none.
    /// Returns `namespace/name`, or the bare name of an object of the cluster.
    pub fn full_name_of(&self, item: &Item) -> String {
        match item.kind.as_str() {
            "Node" | "DeviceClass" | "ResourceSlice" | "DeviceTaintRule" => item.name.clone(),
            _ => format!("{}/{}", self.namespace_of(item), item.name),
        }
    }

    fn namespace_of(&self, item: &Item) -> String {
        let namespace: &str = if item.namespace.is_empty() {
            self.namespace
        } else {
            &item.namespace
        };
        namespace.to_owned()
    }

    /// Adds an object to the facts, or the finding that it cannot be read.
    fn add(&mut self, input: &Input<'_>, item: &Item, index: usize, kind: &str, object: Datum<'_>) {
        let namespace = self.namespace_of(item);
        if let Err(error) = self.facts.take(kind, object, Some(&namespace)) {
            self.unread(input, item, index, &error);
        }
    }

    /// Makes the workload of a set of pods of an object. `metadata`: that of the object; `of`: the text with the set's template.
    fn workload_of(
        &self,
        tree: &Tree<'_>,
        item: &Item,
        metadata: Option<NodeId>,
        of: &Tree<'_>,
        set: &PodSet,
    ) -> Result<Workload, Message> {
        let mut metadata = read_meta(tree, metadata)?;
        metadata.namespace = self.namespace_of(item);
        metadata.generate();
        let mut template = PodTemplate {
            metadata: read_meta(of, set.metadata)?,
            spec: read_from(Datum::Node(of, set.spec))?,
        };
        template.spec.set_defaults();
        Ok(Workload {
            kind: WorkloadKind::Other,
            other_kind: item.kind.clone(),
            suffix: set.suffix.clone(),
            metadata,
            spec: WorkloadSpec {
                replicas: Some(set.count),
                template,
                ..WorkloadSpec::default()
            },
            ..Workload::default()
        })
    }

    /// Marks the workload that was added last if it is a copy of a stored one: its pods are among the objects.
    fn note_stored_workload(&mut self, tree: &Tree<'_>, item: &Item) {
        if Stored::of(tree, item) == Stored::Unknown {
            return;
        }
        if let Some(workload) = self.facts.workloads.last_mut()
            && workload.metadata.name == item.name
        {
            Rc::make_mut(workload).metadata.stored = true;
        }
    }

    /// Marks the claim that was added last if it is a copy of a stored one: quotas are charged for it already.
    fn note_stored_claim(&mut self, input: &Input<'_>, item: &Item) {
        if self.stored(input, item) == Stored::Unknown {
            return;
        }
        if let Some(claim) = self.facts.claims.last_mut()
            && claim.metadata.name == item.name
        {
            Rc::make_mut(claim).metadata.stored = true;
        }
    }

    fn unread(&mut self, input: &Input<'_>, item: &Item, index: usize, why: &Message) {
        let finding = Finding::new(
            Code::TypeMismatch,
            message!(
                "server.unusable",
                "{kind} `{name}` of `{version}` cannot be used: {why}",
                kind = item.kind,
                name = item.name,
                version = item.api_version,
                why,
            ),
        );
        self.findings.push(place(input, item, index, finding));
        self.undecoded.push(index);
    }
}

/// Returns true if the object was never on a server.
pub fn is_new(tree: &Tree<'_>, item: &Item) -> bool {
    let metadata = tree.get(item.node, "metadata");
    let has_uid = metadata.is_some_and(|metadata| tree.get(metadata, "uid").is_some());
    // UIDs are often taken out of what people show; only the scheduler writes allocations.
    let status = tree.get(item.node, "status");
    let is_allocated = status.is_some_and(|status| tree.get(status, "allocation").is_some());
    !has_uid && !is_allocated
}

/// The evidence that an object is a copy of a stored one, although its UID was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing shows that it was stored.
    Unknown,
    /// Metadata or a status that people do not write, or an object of a list with such objects.
    Copy,
    /// A claim with an allocation, which kube-scheduler writes.
    Allocated,
}

/// Fields of metadata that only the server, controllers and drivers write.
const SERVER_WRITTEN: [&str; 6] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "ownerReferences",
];

/// Fields of metadata that placements depend on.
const PLACED_BY: [&str; 2] = ["metadata.name", "metadata.namespace"];
/// What a claim holds.
const HELD: &str = "status.allocation.devices";

impl Stored {
    /// Returns the evidence in an object.
    pub fn of(tree: &Tree<'_>, item: &Item) -> Self {
        let status = tree.get(item.node, "status");
        if item.kind == "ResourceClaim"
            && status.is_some_and(|status| has_value(tree, status, "allocation"))
        {
            return Stored::Allocated;
        }
        let Some(metadata) = tree.get(item.node, "metadata") else {
            return Stored::Unknown;
        };
        // The server takes no status from whoever makes an object.
        let has_status = status.is_some_and(|status| !tree.entries(status).is_empty());
        if has_status
            || SERVER_WRITTEN
                .iter()
                .any(|field| has_value(tree, metadata, field))
        {
            Stored::Copy
        } else {
            Stored::Unknown
        }
    }

    /// Returns true if a fault at a path says nothing about what the object holds or offers: metadata, times of conditions, and of a claim
    /// that has its devices all but these.
    pub fn allows_fault_at(self, path: &str) -> bool {
        let in_metadata = path.starts_with("metadata.");
        match self {
            Stored::Unknown => false,
            Stored::Copy => in_metadata || path.ends_with(".lastTransitionTime"),
            Stored::Allocated => {
                let in_status = path.starts_with("status.") && !path.starts_with(HELD);
                in_metadata || in_status || path.starts_with("spec.")
            }
        }
    }

    /// Returns true if the object is usable although the value at a path cannot be read.
    fn allows_unreadable(self, path: &str) -> bool {
        let is_needed = PLACED_BY.iter().any(|needed| path.starts_with(needed));
        self.allows_fault_at(path) && !is_needed
    }
}

/// Returns the documents that are lists and hold a stored object: `kubectl get -o yaml` prints lists. Nodes do not count: people write
/// their status to try things.
fn stored_lists(input: &Input<'_>) -> BTreeSet<usize> {
    let listed = input
        .items
        .iter()
        .filter(|item| item.list_index.is_some() && item.kind != "Node");
    let stored = listed.filter(|item| {
        let tree = input.tree(item);
        tree.is_some_and(|tree| Stored::of(tree, item) != Stored::Unknown)
    });
    stored.map(|item| item.document).collect()
}

/// Returns true if the object makes pods from a template.
fn is_workload(item: &Item) -> bool {
    WorkloadKind::named(&item.kind).is_some_and(|kind| kind.api_version() == item.api_version)
}

/// Other kinds that a placement depends on, by group.
static READ: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "Event",
            "Namespace",
            "Node",
            "Pod",
            "ResourceQuota",
            "Service",
        ],
    ),
    ("scheduling.k8s.io", &["PriorityClass", "PodGroup"]),
    ("policy", &["PodDisruptionBudget"]),
    ("events.k8s.io", &["Event"]),
];

/// Returns true if the object is of such a kind.
fn is_read(item: &Item) -> bool {
    let group = item
        .api_version
        .split_once('/')
        .map_or("", |(group, _)| group);
    READ.iter()
        .chain(VolumeFacts::KINDS)
        .any(|(known, kinds)| *known == group && kinds.contains(&item.kind.as_str()))
}

fn read_meta(tree: &Tree<'_>, metadata: Option<NodeId>) -> Result<Meta, Message> {
    match metadata {
        Some(metadata) => read_from(Datum::Node(tree, metadata)),
        None => Ok(Meta::default()),
    }
}

/// Returns true if a map has a member that is not null.
fn has_value(tree: &Tree<'_>, map: NodeId, member: &str) -> bool {
    let value = tree.get(map, member);
    value.is_some_and(|value| tree.kind(value) != Kind::Null)
}
