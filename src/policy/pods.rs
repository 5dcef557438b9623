//! What pods, pod templates in objects of any kind, PodGroups and Workloads say about resource claims.
//!
//! `spec.resourceClaims` names claims and claim templates under `source` up to Kubernetes 1.30 and directly after that; both are
//! read. Only the cluster knows their classes. A container that asks for the extended resource
//! `deviceclass.resource.kubernetes.io/NAME` names the class itself.

use crate::manifest::pod_specs::{ObjectPlaces, Place, PlaceKind, REFERENCES, RESOURCES};
use crate::policy::check;
use crate::policy::cluster::ClusterReader;
use crate::policy::compare::{Extent, Reasons, Violation, without_indexes};
use crate::policy::limits;
use crate::policy::lookups;
use crate::policy::namespace::Namespace;
use crate::policy::refusals::{PodReference, applying, refuse, refuse_class, refuse_class_of};
use crate::policy::settings::{PodRule, Settings, SumLimit, SumOf};
use crate::policy::sums::{self, Sum, Total};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::Record;
use claimkit_model::schema::{Api, ObjectKind, Release};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_scheduler::allocator::extended::IMPLICIT;
use claimkit_values::order;
use claimkit_values::quantity::Quantity;
use std::collections::BTreeSet;

const CODE: Code = Code::PolicyPods;

/// The context of a pod.
#[derive(Clone, Copy)]
pub struct Destination<'p> {
    /// The release whose words are used.
    pub release: Release,
    pub namespace: Namespace<'p>,
    /// The cluster, if it can be asked.
    pub cluster: Option<&'p dyn ClusterReader>,
    /// The same where the claims of a pod are summed up.
    pub summing: Option<&'p dyn ClusterReader>,
}

/// The needs of the pods of a stored object: the host is not asked about them again.
#[derive(Debug, Default)]
pub struct StoredPodNeeds {
    /// The classes that containers name as extended resources.
    pub classes: BTreeSet<String>,
    /// Field and name of the claims and templates.
    references: BTreeSet<(&'static str, String)>,
}

impl StoredPodNeeds {
    /// Reads the places of an object.
    pub fn of(tree: &Tree<'_>, places: &ObjectPlaces<'_>) -> Self {
        let mut asked = StoredPodNeeds::default();
        for place in &places.list {
            each_extended_resource(tree, place, &Path::ROOT, &mut |resource, _| {
                asked
                    .classes
                    .extend(resource.name.strip_prefix(IMPLICIT).map(str::to_owned));
            });
            for &claim in items(tree, place.node, place.claims) {
                let holders = [Some(claim), tree.get(claim, "source")];
                for holder in holders.into_iter().flatten() {
                    let names = REFERENCES
                        .iter()
                        .filter_map(|field| Some((*field, text(tree, holder, field)?.to_owned())));
                    asked.references.extend(names);
                }
            }
        }
        asked
    }
}

/// Compares what settings judge at the places of two objects: schedulers and queues change the rest of a pod.
pub fn same(tree: &Tree<'_>, one: &ObjectPlaces<'_>, other: &ObjectPlaces<'_>) -> bool {
    let (one, other) = (judged_parts(tree, one), judged_parts(tree, other));
    one.is_some() && one == other
}

/// Writes the claims and the resources of containers at each place; `None` if one is too long.
fn judged_parts(tree: &Tree<'_>, places: &ObjectPlaces<'_>) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for place in &places.list {
        let mut holders = Vec::new();
        let mut containers = Vec::new();
        if place.sort == PlaceKind::Container {
            containers.push(place.node);
        } else {
            holders.push((place.node, place.claims));
        }
        if place.has_containers() {
            for field in ["initContainers", "containers"] {
                containers.extend(items(tree, place.node, field));
            }
        }
        for container in containers {
            holders.extend(RESOURCES.map(|field| (container, field)));
        }
        for (holder, field) in holders {
            let mut out = String::new();
            if let Some(part) = tree.get(holder, field) {
                print::json(tree, part, Order::Sorted, PRINTED, &mut out).then_some(())?;
            }
            parts.push(out);
        }
    }
    Some(parts)
}

/// Parts of a unit that quantities are counted in.
const NANOS: i128 = 1_000_000_000;

/// Longest part of a pod spec that is compared, in bytes of JSON; an API server accepts no longer object.
const PRINTED: usize = 4 << 20;

/// A resource that a container asks for.
struct Resource<'t> {
    name: &'t str,
    amount: &'t str,
}

impl Resource<'_> {
    /// Returns how many devices it stands for; the largest number if its amount cannot be read.
    fn count(&self) -> i64 {
        let amount = Quantity::parse(self.amount).ok();
        let whole = amount.and_then(|amount| amount.nanos().checked_div(NANOS));
        whole
            .and_then(|count| i64::try_from(count).ok())
            .unwrap_or(i64::MAX)
    }

    /// Returns true if no component of Kubernetes defines the resource, or it names a class (k8s.io/component-helpers,
    /// `IsExtendedResourceName`)
    fn is_extended(&self) -> bool {
        self.name.starts_with(IMPLICIT)
            || !(self.name.contains("kubernetes.io/") || self.name.starts_with("requests."))
    }
}

/// Calls with the path of each resource of a container that an extended resource may be, once for each container.
fn each_extended_resource(
    tree: &Tree<'_>,
    place: &Place<'_>,
    path: &Path<'_>,
    then: &mut dyn FnMut(&Resource<'_>, &Path<'_>),
) {
    if place.sort == PlaceKind::Container {
        return each_resource_of_container(tree, place.node, path, then);
    }
    if !place.has_containers() {
        return;
    }
    for field in ["initContainers", "containers"] {
        let containers = path.field(field);
        for (at, &container) in items(tree, place.node, field).iter().enumerate() {
            each_resource_of_container(tree, container, &containers.index(at), then);
        }
    }
}

fn each_resource_of_container(
    tree: &Tree<'_>,
    container: NodeId,
    path: &Path<'_>,
    then: &mut dyn FnMut(&Resource<'_>, &Path<'_>),
) {
    let mut seen = BTreeSet::new();
    for field in RESOURCES {
        let Some(resources) = tree.get(container, field) else {
            continue;
        };
        let path = path.field(field);
        for amounts in ["requests", "limits"] {
            let Some(list) = tree.get(resources, amounts) else {
                continue;
            };
            let path = path.field(amounts);
            for entry in tree.entries(list) {
                let name = tree.text(entry.key);
                if name.contains('/') && seen.insert(name) {
                    let amount = check::quantity(tree, entry.value).unwrap_or_default();
                    then(&Resource { name, amount }, &path.key(name));
                }
            }
        }
    }
}

fn items<'t>(tree: &'t Tree<'_>, node: NodeId, field: &str) -> &'t [NodeId] {
    tree.get(node, field)
        .map_or(&[][..], |list| match tree.kind(list) {
            Kind::Seq { .. } => tree.items(list),
            _ => &[],
        })
}

fn text<'t>(tree: &'t Tree<'_>, node: NodeId, field: &str) -> Option<&'t str> {
    tree.get(node, field)
        .and_then(|value| tree.str(value))
        .filter(|text| !text.is_empty())
}

/// Returns everything about the claims of an object that the settings do not accept. `stored`: what the stored object of an
/// update asks for.
pub fn violations(
    settings: &Settings,
    tree: &Tree<'_>,
    places: &ObjectPlaces<'_>,
    destination: Destination<'_>,
    stored: Option<&StoredPodNeeds>,
) -> Vec<Violation> {
    let mut errors = Reasons::new(destination.release);
    for place in &places.list {
        let pod = Pod {
            tree,
            place,
            settings,
            destination,
            release: destination.release,
            stored,
        };
        place.at(&mut |path| pod.judge(path, &mut errors));
    }
    errors.into_violations()
}

struct Pod<'t, 's> {
    tree: &'t Tree<'s>,
    place: &'t Place<'t>,
    settings: &'t Settings,
    destination: Destination<'t>,
    release: Release,
    stored: Option<&'t StoredPodNeeds>,
}

/// A claim or a template that a pod names.
#[derive(Clone, Copy)]
struct Reference<'t> {
    /// The field that names it.
    field: &'static str,
    name: &'t str,
}

impl Reference<'_> {
    fn kind(self) -> &'static str {
        if self.field == "resourceClaimName" {
            "ResourceClaim"
        } else {
            "ResourceClaimTemplate"
        }
    }
}

impl<'t> Pod<'t, '_> {
    /// Returns true if the pod says anything that a rule for pods judges.
    fn asks(&self) -> bool {
        let mut asks = !self.items(self.place.node, self.place.claims).is_empty();
        each_extended_resource(self.tree, self.place, &Path::ROOT, &mut |_, _| asks = true);
        let lists = ["initContainers", "containers"];
        let containers = lists.map(|list| self.items(self.place.node, list));
        asks || containers.into_iter().flatten().any(|&container| {
            let resources = self.tree.get(container, "resources");
            resources.is_some_and(|resources| !self.items(resources, "claims").is_empty())
        })
    }

    /// Returns the rule for pods of the namespace. Its labels are asked for only if there is something to judge.
    fn rule(&self, errors: &mut Reasons) -> Option<&'t PodRule> {
        let pods = &self.settings.pods;
        if !pods.decides() || (pods.asks_for_labels() && !self.asks()) {
            return None;
        }
        applying(pods, CODE, self.destination.namespace, errors)
    }

    fn judge(&self, path: &Path<'_>, errors: &mut Reasons) {
        let nothing = PodRule::default();
        let rule = self.rule(errors).unwrap_or(&nothing);
        let claims = match self.place.sort {
            PlaceKind::Container => &[][..],
            PlaceKind::Pod | PlaceKind::Group => self.items(self.place.node, self.place.claims),
        };
        let list = path.field(self.place.claims);
        let mut implicit = false;
        each_extended_resource(self.tree, self.place, path, &mut |resource, _| {
            implicit |= resource.name.starts_with(IMPLICIT)
        });
        // One claim is created for all extended resources of a pod.
        let count = claims.len().saturating_add(usize::from(implicit));
        if let Some(most) = rule.max_claims.filter(|&most| count > most) {
            let own = if implicit {
                ", one of them for extended resources"
            } else {
                ""
            };
            let holder = match self.place.sort {
                PlaceKind::Pod | PlaceKind::Container => "the pod",
                PlaceKind::Group => "the group",
            };
            let detail = format!(
                "the policy accepts at most {most} resource claims, {holder} has {count}{own}"
            );
            let start = errors.len();
            errors.forbidden(CODE, &list, &detail);
            let key = format!("{}: maxClaims", without_indexes(&list.render()));
            errors.extend_from(start, Some(&key), &Extent::count(count));
        }
        for (at, &claim) in claims.iter().enumerate() {
            let item = list.index(at);
            if at == lookups::MOST && self.looks_up().is_some() {
                lookups::too_many(Code::PolicyCluster, &item, errors);
                break;
            }
            self.reference(rule, claim, &item, errors);
            if let Some(source) = self.tree.get(claim, "source") {
                self.reference(rule, source, &item.field("source"), errors);
            }
        }
        if rule.names_match && self.place.sort == PlaceKind::Pod {
            self.names(claims, path, errors);
        }
        self.extended_resources(rule, path, errors);
        if let Some(cluster) = self.destination.summing {
            self.sums(cluster, claims, path, errors);
        }
    }

    /// Returns what a pod names, each claim once.
    fn references(&self, claims: &[NodeId]) -> Vec<Reference<'t>> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for &claim in claims {
            let holders = [Some(claim), self.tree.get(claim, "source")];
            for holder in holders.into_iter().flatten() {
                for field in REFERENCES {
                    let Some(name) = self.text(holder, field) else {
                        continue;
                    };
                    let reference = Reference { field, name };
                    if reference.kind() != "ResourceClaim" || seen.insert(name) {
                        found.push(reference);
                    }
                }
            }
        }
        found
    }

    /// Checks what the claims of a pod and the extended resources of its containers ask for together.
    fn sums(
        &self,
        cluster: &dyn ClusterReader,
        claims: &[NodeId],
        path: &Path<'_>,
        errors: &mut Reasons,
    ) {
        let (settings, namespace) = (self.settings, self.destination.namespace);
        let code = Code::PolicyLimits;
        let mut resources: Vec<(String, i64)> = Vec::new();
        each_extended_resource(self.tree, self.place, path, &mut |resource, _| {
            let class = resource.name.strip_prefix(IMPLICIT);
            resources.extend(class.map(|class| (class.to_owned(), resource.count())));
        });
        if claims.is_empty() && resources.is_empty() || self.place.sort == PlaceKind::Group {
            return;
        }
        let Some(of_namespace) = applying(&settings.limits, code, namespace, errors) else {
            return;
        };
        let limits: Vec<&SumLimit> = of_namespace.sums_of(SumOf::Pod).collect();
        if limits.is_empty() {
            return;
        }
        let mut sums = vec![Sum::default(); limits.len()];
        for (sum, limit) in sums.iter_mut().zip(&limits) {
            for (class, count) in &resources {
                sum.add(&Sum::of_devices(limit, class, *count));
            }
        }
        let path = path.field(self.place.claims);
        let references = self.references(claims);
        if references.len() > lookups::MOST {
            return lookups::too_many(code, &path, errors);
        }
        for reference in references {
            let (kind, name) = (reference.kind(), reference.name);
            let mut add = |api: Api, object: &Record<'_>| {
                for (sum, limit) in sums.iter_mut().zip(&limits) {
                    sum.add(&Sum::of(limit, lookups::devices_of(api, object)));
                }
            };
            let read =
                lookups::referenced(cluster, kind, name, namespace.name, self.release, &mut add);
            if let Err(problem) = read {
                return lookups::failed(code, &problem, &path, errors);
            }
        }
        for (own, limit) in sums.iter().zip(limits) {
            let total = Total {
                limit,
                own,
                others: &Sum::default(),
                release: self.release,
            };
            sums::check(total, &path, errors);
        }
    }

    /// Judges a claim or a template by name.
    fn reference(&self, rule: &PodRule, holder: NodeId, path: &Path<'_>, errors: &mut Reasons) {
        let lists = [&rule.claims, &rule.templates];
        for (field, list) in REFERENCES.into_iter().zip(lists) {
            if let Some(name) = self.text(holder, field) {
                refuse(list, CODE, &path.field(field), name, self.release, errors);
                self.classes_of(field, name, &path.field(field), errors);
            }
        }
    }

    /// Returns the cluster, if the classes of claims are looked up.
    fn looks_up(&self) -> Option<&'t dyn ClusterReader> {
        self.destination
            .cluster
            .filter(|_| self.settings.cluster.pod_classes)
    }

    /// Judges the classes of a claim or a template, as the cluster has it.
    fn classes_of(&self, field: &'static str, name: &str, path: &Path<'_>, errors: &mut Reasons) {
        if self
            .stored
            .is_some_and(|stored| stored.references.contains(&(field, name.to_owned())))
        {
            return;
        }
        let kind = Reference { field, name }.kind();
        let Some(cluster) = self.looks_up() else {
            return;
        };
        let namespace = self.destination.namespace;
        let mut found = None;
        let mut take = |api: Api, object: &Record<'_>| {
            found = Some((api, lookups::classes(api, object)));
        };
        let read =
            lookups::referenced(cluster, kind, name, namespace.name, self.release, &mut take);
        if let Err(problem) = read {
            return lookups::failed(Code::PolicyCluster, &problem, path, errors);
        }
        let Some((api, classes)) = found else {
            return;
        };
        let (rule, code) = match api.kind.object {
            ObjectKind::Classic(_) => (&self.settings.resource_classes, Code::PolicyResourceClass),
            ObjectKind::Device(_) => (&self.settings.device_classes, Code::PolicyDeviceClass),
        };
        for class in &classes {
            let reference = PodReference { kind, name, class };
            refuse_class_of(rule, code, path, reference, namespace, self.release, errors);
        }
    }

    /// Checks the extended resources that containers ask for, the classes that they name and how many devices, and that a pod that may
    /// use no claim names none.
    fn extended_resources(&self, pods: &PodRule, path: &Path<'_>, errors: &mut Reasons) {
        let (classes, namespace) = (&self.settings.device_classes, self.destination.namespace);
        let no_claims = pods.claims.accepts_none() && pods.templates.accepts_none();
        let place = without_indexes(&path.render());
        each_extended_resource(self.tree, self.place, path, &mut |resource, path| {
            let start = errors.len();
            if resource.is_extended() {
                let list = &pods.extended_resources;
                refuse(list, CODE, path, resource.name, self.release, errors);
            }
            // Another container of the pod may ask for it instead, but not for more.
            let key = |setting: &str| format!("{place}: {} of {setting}", resource.name);
            let extent = Extent::amount(resource.count());
            errors.extend_from(start, Some(&key("extendedResources")), &extent);
            let Some(class) = resource.name.strip_prefix(IMPLICIT) else {
                return;
            };
            let quoted = claimkit_values::quote(class, self.release.rules().unicode);
            let (rule, of_limits) = (&self.settings.limits, Code::PolicyLimits);
            if let Some(limits) = applying(rule, of_limits, namespace, errors) {
                let (of_class, count) = (limits.of(class), resource.count());
                let start = errors.len();
                limits::devices(of_class, count, &quoted, path, errors);
                errors.extend_from(start, Some(&key("limits")), &extent);
            }
            let start = errors.len();
            let code = Code::PolicyDeviceClass;
            refuse_class(classes, code, path, class, namespace, self.release, errors);
            errors.extend_from(start, Some(&key("deviceClasses")), &extent);
            if no_claims {
                let start = errors.len();
                errors.forbidden(CODE, path, "the policy accepts no resource claims, and this extended resource asks for one");
                errors.extend_from(start, Some(&key("claims")), &extent);
            }
        });
    }

    /// Checks that names which containers use are defined, and that names which are defined are used.
    fn names(&self, claims: &[NodeId], path: &Path<'_>, errors: &mut Reasons) {
        let defined = order::set(claims.iter().filter_map(|&claim| self.text(claim, "name")));
        let mut used = BTreeSet::new();
        let unicode = self.release.rules().unicode;
        for field in ["initContainers", "containers"] {
            let containers = path.field(field);
            for (at, &container) in self.items(self.place.node, field).iter().enumerate() {
                let Some(resources) = self.tree.get(container, "resources") else {
                    continue;
                };
                let container = containers.index(at);
                let resources_path = container.field("resources");
                let list = resources_path.field("claims");
                for (at, &claim) in self.items(resources, "claims").iter().enumerate() {
                    let Some(name) = self.text(claim, "name") else {
                        continue;
                    };
                    used.insert(name);
                    if !defined.contains(name) {
                        let detail = format!(
                            "{} is not one of the pod's resourceClaims",
                            claimkit_values::quote(name, unicode)
                        );
                        errors.forbidden(CODE, &list.index(at).field("name"), &detail);
                    }
                }
            }
        }
        let list = path.field(self.place.claims);
        for (at, &claim) in claims.iter().enumerate() {
            if let Some(name) = self.text(claim, "name").filter(|name| !used.contains(name)) {
                let detail = format!(
                    "no container uses {}",
                    claimkit_values::quote(name, unicode)
                );
                errors.forbidden(CODE, &list.index(at).field("name"), &detail);
            }
        }
    }

    fn items(&self, node: NodeId, field: &str) -> &'t [NodeId] {
        items(self.tree, node, field)
    }

    fn text(&self, node: NodeId, field: &str) -> Option<&'t str> {
        text(self.tree, node, field)
    }
}
