//! Collects the facts for device allocation from the objects of a text.

use super::Body;
use super::body::FieldValidation;
use super::device::convert;
use crate::api::device::HUB;
use crate::api::{Api, DeviceKind, ObjectKind, Release};
use crate::finding::{Code, Finding, Origin};
use crate::manifest::findings::{other_group, place};
use crate::manifest::{Input, Item, What};
use crate::place::device::facts::read::{Datum, read_from};
use crate::place::device::facts::{Facts, Meta, Pod, PodTemplate};
use crate::record::Record;
use crate::record::decode::{How, Via};
use crate::text::tree::Tree;
use std::rc::Rc;

/// What is read from a text.
#[derive(Debug)]
pub struct Gathering<'o> {
    /// The release that answers.
    pub release: Release,
    /// The namespace of objects that name none.
    pub namespace: &'o str,
    /// What unknown and duplicate fields are.
    pub field_validation: FieldValidation,
    /// The objects so far.
    pub facts: Facts,
    /// What is wrong with them.
    pub findings: Vec<Finding>,
}

impl<'o> Gathering<'o> {
    /// Nothing yet.
    pub fn new(release: Release, namespace: &'o str, field_validation: FieldValidation) -> Self {
        Gathering { release, namespace, field_validation, facts: Facts::default(), findings: Vec::new() }
    }

    /// Takes an object, whatever its kind; `index` is its place among all objects.
    pub fn take(&mut self, input: &Input<'_>, item: &Item, index: usize) {
        let Some(tree) = input.tree(item) else { return };
        match &item.what {
            What::Other if item.api_version == "v1" && matches!(item.kind.as_str(), "Node" | "Pod" | "Namespace") => {
                self.add(input, item, index, &item.kind, Datum::Node(tree, item.node));
            }
            What::Other if is_workload(item) => self.add_pod_of(input, item, index, tree),
            What::Other => self.findings.push(other_group(item, index)),
            What::Refused(finding) => self.findings.push(place(input, item, index, finding.clone())),
            What::Ours(api) => {
                let ObjectKind::Device(kind) = api.kind.object else {
                    self.unread(input, item, index, "is of a version without devices");
                    return;
                };
                let how = How::reaching(input.mode(item), Via::Kubectl, item.release);
                let body = Body::read(tree, item.node, *api, how);
                let problems = body.findings(self.field_validation);
                self.findings.extend(problems.into_iter().map(|finding| place(input, item, index, finding)));
                if body.mismatch().is_none() {
                    self.take_decoded(input, item, index, *api, kind, body.record());
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
        let shape = if kind == DeviceKind::DeviceTaintRule { api.version.name } else { HUB.name };
        let converted = convert::seen_as(record, shape, kind);
        let known = self.facts.slices.len();
        self.add(input, item, index, api.kind.kind, Datum::Record(&converted));
        if kind != DeviceKind::ResourceSlice || self.release.minor > 33 || self.facts.slices.len() == known {
            return;
        }
        let Some(slice) = self.facts.slices.last_mut().and_then(Rc::get_mut) else { return };
        let devices = record.record("spec").into_iter().flat_map(|spec| spec.records("devices"));
        for (device, written) in slice.spec.devices.iter_mut().zip(devices) {
            device.shapeless = written.schema.slot("basic").is_some() && !written.has("basic");
        }
    }

    /// Adds the pod of a workload that was never on a server; the pods of other workloads are among the objects.
    fn add_pod_of(&mut self, input: &Input<'_>, item: &Item, index: usize, tree: &Tree<'_>) {
        let metadata = tree.get(item.node, "metadata");
        let has_uid = metadata.is_some_and(|metadata| tree.get(metadata, "uid").is_some());
        let template = tree.get(item.node, "spec").and_then(|spec| tree.get(spec, "template"));
        let Some(template) = template.filter(|_| !has_uid) else { return };
        let read = if tree.is_map(template) { read_from(Datum::Node(tree, template)) } else { Ok(PodTemplate::default()) };
        match read {
            Ok(PodTemplate { spec }) => {
                let namespace = self.namespace_of(item);
                let metadata = Meta { name: item.name.clone(), namespace, ..Meta::default() };
                self.facts.pods.push(Rc::new(Pod { metadata, spec, ..Pod::default() }));
            }
            Err(error) => self.unread(input, item, index, &error),
        }
    }

    /// The namespace of an object: its own, or that of objects that name none.
    fn namespace_of(&self, item: &Item) -> String {
        (if item.namespace.is_empty() { self.namespace } else { &item.namespace }).to_owned()
    }

    fn add(&mut self, input: &Input<'_>, item: &Item, index: usize, kind: &str, object: Datum<'_>) {
        let namespace = self.namespace_of(item);
        if let Err(error) = self.facts.take(kind, object, Some(&namespace)) {
            self.unread(input, item, index, &error);
        }
    }

    fn unread(&mut self, input: &Input<'_>, item: &Item, index: usize, why: &str) {
        let message = format!("{} `{}` of `{}` cannot be used: {why}", item.kind, item.name, item.api_version);
        let finding = Finding::error(Code::TypeMismatch, Origin::Claimkit, message);
        self.findings.push(place(input, item, index, finding));
    }
}

/// Does the object make pods from a template?
fn is_workload(item: &Item) -> bool {
    match item.api_version.as_str() {
        "apps/v1" => matches!(item.kind.as_str(), "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet"),
        "batch/v1" => item.kind == "Job",
        _ => false,
    }
}
