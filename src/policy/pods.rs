//! What a pod, or the pod template of a workload, says about resource claims.
//!
//! `spec.resourceClaims` names claims and claim templates under `source` up to Kubernetes 1.30 and directly after that; both are
//! read. Classes are not named here: the claim, or the template, names them.

use crate::api::Release;
use crate::finding::{Code, Path};
use crate::go;
use crate::policy::restrictions;
use crate::policy::settings::{PodRule, Settings};
use crate::rules::{Context, Errors, FieldError};
use crate::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeSet;

const CODE: Code = Code::PolicyPods;

/// Kinds that have pods, and the fields from the object to the pod's spec.
const WORKLOADS: &[(&str, &str, &[&str])] = &[
    ("", "Pod", &["spec"]),
    ("", "PodTemplate", &["template", "spec"]),
    ("", "ReplicationController", &["spec", "template", "spec"]),
    ("apps", "Deployment", &["spec", "template", "spec"]),
    ("apps", "ReplicaSet", &["spec", "template", "spec"]),
    ("apps", "StatefulSet", &["spec", "template", "spec"]),
    ("apps", "DaemonSet", &["spec", "template", "spec"]),
    ("batch", "Job", &["spec", "template", "spec"]),
    ("batch", "CronJob", &["spec", "jobTemplate", "spec", "template", "spec"]),
];

/// The fields from an object of this kind to the spec of its pods; `None` if it has none.
pub fn path_to_spec(api_version: &str, kind: &str) -> Option<&'static [&'static str]> {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    WORKLOADS.iter().find(|(of, name, _)| *of == group && *name == kind).map(|(_, _, path)| *path)
}

/// Everything about the claims of the pod that the settings do not accept.
pub fn violations(settings: &Settings, tree: &Tree<'_>, object: NodeId, fields: &[&str], release: Release) -> Vec<FieldError> {
    let mut errors = Context::new(release).errors();
    let spec = fields.iter().try_fold(object, |node, field| tree.get(node, field));
    if let Some(spec) = spec {
        let pod = Pod { tree, spec, rule: &settings.pods, release };
        below(&Path::ROOT, fields, &mut |path| pod.judge(path, &mut errors));
    }
    errors.into_list()
}

/// Calls with the path of the fields; paths borrow the one before, so that they cannot be collected in a loop.
fn below(path: &Path<'_>, fields: &[&str], then: &mut dyn FnMut(&Path<'_>)) {
    match fields.split_first() {
        None => then(path),
        Some((first, rest)) => below(&path.field(first), rest, then),
    }
}

struct Pod<'t, 's> {
    tree: &'t Tree<'s>,
    spec: NodeId,
    rule: &'t PodRule,
    release: Release,
}

impl<'t> Pod<'t, '_> {
    fn judge(&self, path: &Path<'_>, errors: &mut Errors) {
        let claims = self.items(self.spec, "resourceClaims");
        let list = path.field("resourceClaims");
        if let Some(most) = self.rule.max_claims.filter(|&most| claims.len() > most) {
            let detail = format!("the policy accepts at most {most} resource claims, the pod has {}", claims.len());
            errors.forbidden(CODE, &list, &detail);
        }
        for (at, &claim) in claims.iter().enumerate() {
            let item = list.index(at);
            self.reference(claim, &item, errors);
            if let Some(source) = self.tree.get(claim, "source") {
                self.reference(source, &item.field("source"), errors);
            }
        }
        if self.rule.names_match {
            self.names(claims, path, errors);
        }
    }

    /// A claim or a template by name.
    fn reference(&self, holder: NodeId, path: &Path<'_>, errors: &mut Errors) {
        for (field, list) in [("resourceClaimName", &self.rule.claims), ("resourceClaimTemplateName", &self.rule.templates)] {
            if let Some(name) = self.text(holder, field) {
                restrictions::refuse(list, CODE, &path.field(field), name, self.release, errors);
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
