//! What a pod, or the pod template of a workload, says about resource claims.
//!
//! `spec.resourceClaims` names claims and claim templates under `source` up to Kubernetes 1.30 and directly after that; both are
//! read. Only the cluster knows their classes. A container that asks for the extended resource
//! `deviceclass.resource.kubernetes.io/NAME` names the class itself.

use crate::api::{ObjectKind, Release};
use crate::finding::{Code, Path};
use crate::go;
use crate::place::device::extended::IMPLICIT;
use crate::policy::cluster::Cluster;
use crate::policy::lookups;
use crate::policy::refusals::refuse;
use crate::policy::settings::{Namespace, Settings};
use crate::rules::{Context, Errors, FieldError};
use crate::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeSet;

const CODE: Code = Code::PolicyPods;

/// The context of a pod.
#[derive(Clone, Copy)]
pub struct Destination<'p> {
    /// The release whose words are used.
    pub release: Release,
    /// The namespace.
    pub namespace: Namespace<'p>,
    /// The cluster, if it can be asked.
    pub cluster: Option<&'p dyn Cluster>,
}

/// Everything about the claims of the pod that the settings do not accept.
pub fn violations(
    settings: &Settings,
    tree: &Tree<'_>,
    object: NodeId,
    fields: &[&str],
    place: Destination<'_>,
) -> Vec<FieldError> {
    let mut errors = Context::new(place.release).errors();
    let spec = fields.iter().try_fold(object, |node, field| tree.get(node, field));
    if let Some(spec) = spec {
        let pod = Pod { tree, spec, settings, place, release: place.release };
        below(&Path::ROOT, fields, &mut |path| pod.judge(path, &mut errors));
    }
    errors.into_list()
}

/// Calls `then` with the path extended by `fields`. Recursive, because each path borrows the previous one.
fn below(path: &Path<'_>, fields: &[&str], then: &mut dyn FnMut(&Path<'_>)) {
    match fields.split_first() {
        None => then(path),
        Some((first, rest)) => below(&path.field(first), rest, then),
    }
}

struct Pod<'t, 's> {
    tree: &'t Tree<'s>,
    spec: NodeId,
    settings: &'t Settings,
    place: Destination<'t>,
    release: Release,
}

impl<'t> Pod<'t, '_> {
    fn judge(&self, path: &Path<'_>, errors: &mut Errors) {
        let claims = self.items(self.spec, "resourceClaims");
        let list = path.field("resourceClaims");
        if let Some(most) = self.settings.pods.max_claims.filter(|&most| claims.len() > most) {
            let detail = format!("the policy accepts at most {most} resource claims, the pod has {}", claims.len());
            errors.forbidden(CODE, &list, &detail);
        }
        for (at, &claim) in claims.iter().enumerate() {
            let item = list.index(at);
            if at == lookups::MOST && self.looks_up().is_some() {
                lookups::too_many(&item, errors);
                break;
            }
            self.reference(claim, &item, errors);
            if let Some(source) = self.tree.get(claim, "source") {
                self.reference(source, &item.field("source"), errors);
            }
        }
        if self.settings.pods.names_match {
            self.names(claims, path, errors);
        }
        self.extended_resources(path, errors);
    }

    /// A claim or a template by name.
    fn reference(&self, holder: NodeId, path: &Path<'_>, errors: &mut Errors) {
        for (field, list) in
            [("resourceClaimName", &self.settings.pods.claims), ("resourceClaimTemplateName", &self.settings.pods.templates)]
        {
            if let Some(name) = self.text(holder, field) {
                refuse(list, CODE, &path.field(field), name, self.release, errors);
                self.classes_of(field, name, &path.field(field), errors);
            }
        }
    }

    /// The cluster, if the classes of claims are looked up.
    fn looks_up(&self) -> Option<&'t dyn Cluster> {
        self.place.cluster.filter(|_| self.settings.cluster.pod_classes)
    }

    /// The classes of a claim or a template, as the cluster has it.
    fn classes_of(&self, field: &str, name: &str, path: &Path<'_>, errors: &mut Errors) {
        let kind = if field == "resourceClaimName" { "ResourceClaim" } else { "ResourceClaimTemplate" };
        let Some(cluster) = self.looks_up() else { return };
        match lookups::classes_of(cluster, kind, name, self.place.namespace.name, self.release) {
            Ok(None) => {}
            Ok(Some((api, classes))) => {
                let (rule, code) = match api.kind.object {
                    ObjectKind::Classic(_) => (&self.settings.resource_classes, Code::PolicyResourceClass),
                    ObjectKind::Device(_) => (&self.settings.device_classes, Code::PolicyDeviceClass),
                };
                for class in &classes {
                    refuse(rule.of(self.place.namespace), code, path, class, self.release, errors);
                }
            }
            Err(problem) => lookups::failed(&problem, path, errors),
        }
    }

    /// Classes that containers name as extended resources.
    fn extended_resources(&self, path: &Path<'_>, errors: &mut Errors) {
        let classes = self.settings.device_classes.of(self.place.namespace);
        for field in ["initContainers", "containers"] {
            let containers = path.field(field);
            for (at, &container) in self.items(self.spec, field).iter().enumerate() {
                let Some(resources) = self.tree.get(container, "resources") else { continue };
                let container = containers.index(at);
                let path = container.field("resources");
                let mut seen = BTreeSet::new();
                for amounts in ["requests", "limits"] {
                    let Some(list) = self.tree.get(resources, amounts) else { continue };
                    for entry in self.tree.entries(list) {
                        let name = self.tree.text(entry.key);
                        if let Some(class) = name.strip_prefix(IMPLICIT).filter(|class| seen.insert(*class)) {
                            let path = path.field(amounts);
                            refuse(classes, Code::PolicyDeviceClass, &path.key(name), class, self.release, errors);
                        }
                    }
                }
            }
        }
    }

    /// Names that containers use must be defined, and names that are defined must be used.
    fn names(&self, claims: &[NodeId], path: &Path<'_>, errors: &mut Errors) {
        let defined: BTreeSet<&str> = claims.iter().filter_map(|&claim| self.text(claim, "name")).collect();
        let mut used = BTreeSet::new();
        let unicode = self.release.rules().unicode;
        for field in ["initContainers", "containers"] {
            let containers = path.field(field);
            for (at, &container) in self.items(self.spec, field).iter().enumerate() {
                let Some(resources) = self.tree.get(container, "resources") else { continue };
                let container = containers.index(at);
                let resources_path = container.field("resources");
                let list = resources_path.field("claims");
                for (at, &claim) in self.items(resources, "claims").iter().enumerate() {
                    let Some(name) = self.text(claim, "name") else { continue };
                    used.insert(name);
                    if !defined.contains(name) {
                        let detail = format!("{} is not one of the pod's resourceClaims", go::quote(name, unicode));
                        errors.forbidden(CODE, &list.index(at).field("name"), &detail);
                    }
                }
            }
        }
        let list = path.field("resourceClaims");
        for (at, &claim) in claims.iter().enumerate() {
            if let Some(name) = self.text(claim, "name").filter(|name| !used.contains(name)) {
                let detail = format!("no container uses {}", go::quote(name, unicode));
                errors.forbidden(CODE, &list.index(at).field("name"), &detail);
            }
        }
    }

    fn items(&self, node: NodeId, field: &str) -> &'t [NodeId] {
        self.tree.get(node, field).map_or(&[][..], |list| match self.tree.kind(list) {
            Kind::Seq { .. } => self.tree.items(list),
            _ => &[],
        })
    }

    fn text(&self, node: NodeId, field: &str) -> Option<&'t str> {
        self.tree.get(node, field).and_then(|value| self.tree.str(value)).filter(|text| !text.is_empty())
    }
}
