//! Facts of a cluster from the objects of a text: what the allocation of devices is decided from.

use super::Body;
use super::body::FieldValidation;
use super::device::convert;
use crate::api::{Api, DeviceKind, ObjectKind, Release};
use crate::finding::{Code, Finding, Origin};
use crate::manifest::findings::{other_group, place};
use crate::manifest::{Input, Item, What};
use crate::place::device::facts::Facts;
use crate::record::decode::{How, Via};
use crate::record::{self, Record};
use serde_json::{Value, json};
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
                match crate::text::de::deserialize::<Value>(tree, item.node) {
                    Ok(object) => self.add(input, item, index, object),
                    Err(error) => self.unread(input, item, index, &error.to_string()),
                }
            }
            What::Other if is_workload(item) => match crate::text::de::deserialize::<Value>(tree, item.node) {
                Ok(object) => self.add_pod_of(input, item, index, object),
                Err(error) => self.unread(input, item, index, &error.to_string()),
            },
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
                    self.add_ours(input, item, index, *api, kind, body.decoded.record);
                }
            }
        }
    }

    /// Objects of every version are looked at in the shape of v1.
    fn add_ours(&mut self, input: &Input<'_>, item: &Item, index: usize, api: Api, kind: DeviceKind, record: Record<'_>) {
        let shapeless: Vec<bool> = match (kind, self.release.minor <= 33) {
            (DeviceKind::ResourceSlice, true) => {
                let devices = record.record("spec").into_iter().flat_map(|spec| spec.records("devices"));
                devices.map(|device| device.schema.slot("basic").is_some() && !device.has("basic")).collect()
            }
            _ => Vec::new(),
        };
        let shape = if kind == DeviceKind::DeviceTaintRule { api.version.name } else { "v1" };
        let converted = convert::from_hub(record, shape, kind);
        let mut json = String::new();
        record::encode(&converted, Release::latest(), &mut json);
        let object = serde_json::from_str::<Value>(&json).map(|mut object| {
            if let Some(members) = object.as_object_mut() {
                members.insert("kind".to_owned(), json!(item.kind));
            }
            object
        });
        match object {
            Ok(object) => self.add(input, item, index, object),
            Err(error) => self.unread(input, item, index, &error.to_string()),
        }
        let last = self.facts.slices.last_mut().and_then(Rc::get_mut);
        if let Some(slice) = last.filter(|slice| slice.metadata.name == item.name) {
            for (device, shapeless) in slice.spec.devices.iter_mut().zip(shapeless) {
                device.shapeless = shapeless;
            }
        }
    }

    /// A pod of a workload that no server has seen; of others the pods are among the objects.
    fn add_pod_of(&mut self, input: &Input<'_>, item: &Item, index: usize, mut object: Value) {
        let has_uid = object.pointer("/metadata/uid").is_some();
        let Some(template) = object.pointer_mut("/spec/template").filter(|_| !has_uid).map(Value::take) else { return };
        let metadata = json!({"name": item.name});
        let pod = json!({"kind": "Pod", "metadata": metadata, "spec": template.get("spec")});
        self.add(input, item, index, pod);
    }

    fn add(&mut self, input: &Input<'_>, item: &Item, index: usize, mut object: Value) {
        if (matches!(item.kind.as_str(), "Pod" | "ResourceClaim" | "ResourceClaimTemplate") || is_workload(item))
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            let namespace = if item.namespace.is_empty() { self.namespace } else { &item.namespace };
            metadata.insert("namespace".to_owned(), namespace.into());
        }
        if let Err(error) = self.facts.add(&object) {
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
