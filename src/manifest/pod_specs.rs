//! Finds what asks for claims in an object of another group: pod specs, and the claims of PodGroups and Workloads.
//!
//! Kinds of Kubernetes have their pod specs at known places. In an object of any other kind (JobSet, LeaderWorkerSet, RayCluster,
//! InferenceService and others), a map with a list `containers` is a pod spec, one with claims in a list `resourceClaims`, or of another
//! name (NIMService), is a part of one, and one with `resources` is a container. Each may be inside another.

use claimkit_model::finding::Path;
use claimkit_model::schema::workload;
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Deepest level at which a pod spec is looked for.
const DEPTH: usize = 32;

/// The group of PodGroups and Workloads, whose lists of claims are like those of pods (k8s.io/api, scheduling/v1beta1, types.go).
const SCHEDULING: &str = "scheduling.k8s.io";

/// A step from the object to a place in it.
#[derive(Clone, Copy, Debug)]
enum Step<'t> {
    Field(&'t str),
    Index(usize),
}

/// The kind of value at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    Pod,
    /// Something with claims and no containers.
    Group,
    /// A container that is not in a list of a pod spec.
    Container,
}

/// A place that asks for claims.
#[derive(Clone, Debug)]
pub struct Place<'t> {
    pub node: NodeId,
    pub sort: PlaceKind,
    /// The field with its list of claims.
    pub claims: &'t str,
    /// The map or list that it is in.
    pub parent: Option<NodeId>,
    steps: Vec<Step<'t>>,
}

impl Place<'_> {
    /// Returns true if the place may have containers in lists. A list of claims of another name is only that.
    pub fn has_containers(&self) -> bool {
        self.sort != PlaceKind::Container && self.claims == CLAIMS
    }

    /// Calls `then` with the path of the place.
    pub fn at(&self, then: &mut dyn FnMut(&Path<'_>)) {
        below(&Path::ROOT, &self.steps, then);
    }
}

/// Extends the path by the steps. Recursive, because each path borrows the previous one.
fn below(path: &Path<'_>, steps: &[Step<'_>], then: &mut dyn FnMut(&Path<'_>)) {
    match steps.split_first() {
        None => then(path),
        Some((Step::Field(name), rest)) => below(&path.field(name), rest, then),
        Some((Step::Index(index), rest)) => below(&path.index(*index), rest, then),
    }
}

/// The places of an object.
#[derive(Debug, Default)]
pub struct ObjectPlaces<'t> {
    /// In the order of the text.
    pub list: Vec<Place<'t>>,
}

/// Finds the places of an object.
pub fn find<'t>(
    tree: &'t Tree<'_>,
    object: NodeId,
    api_version: &str,
    kind: &str,
) -> ObjectPlaces<'t> {
    let mut places = ObjectPlaces::default();
    if let Some(fields) = workload::path_to_spec(api_version, kind) {
        if let Some(node) = fields
            .iter()
            .try_fold(object, |node, field| tree.get(node, field))
        {
            let steps = fields.iter().map(|field| Step::Field(field)).collect();
            let above = fields.split_last().map_or(&[][..], |(_, above)| above);
            let parent = above
                .iter()
                .try_fold(object, |node, field| tree.get(node, field));
            places.list.push(Place {
                node,
                sort: PlaceKind::Pod,
                claims: CLAIMS,
                parent,
                steps,
            });
        }
        return places;
    }
    let groups = api_version
        .split_once('/')
        .is_some_and(|(group, _)| group == SCHEDULING);
    let mut search = Search {
        tree,
        groups,
        steps: Vec::new(),
        places: &mut places,
    };
    for entry in tree.entries(object) {
        let name = tree.text(entry.key);
        // Only the object's own wishes count: a status can only repeat them.
        if !matches!(name, "metadata" | "status") {
            search.below(Step::Field(name), entry.value, object);
        }
    }
    places
}

struct Search<'p, 't, 's> {
    tree: &'t Tree<'s>,
    groups: bool,
    steps: Vec<Step<'t>>,
    places: &'p mut ObjectPlaces<'t>,
}

impl<'t> Search<'_, 't, '_> {
    fn below(&mut self, step: Step<'t>, node: NodeId, parent: NodeId) {
        if self.steps.len() < DEPTH {
            self.steps.push(step);
            self.visit(node, parent);
            self.steps.pop();
        }
    }

    fn visit(&mut self, node: NodeId, parent: NodeId) {
        let tree = self.tree;
        match tree.kind(node) {
            Kind::Map { .. } => {
                let is_pod = lists(tree, node, "containers").any(|item| tree.is_map(item));
                if is_pod {
                    self.found(node, parent, PlaceKind::Pod, CLAIMS);
                }
                for entry in tree.entries(node) {
                    let field = tree.text(entry.key);
                    let is_of_pod = is_pod && field == CLAIMS;
                    if !is_of_pod && self.has_claims(node, field) {
                        self.found(node, parent, PlaceKind::Group, field);
                    }
                }
                if has_resources(tree, node) && !self.is_in_list_of_containers() {
                    self.found(node, parent, PlaceKind::Container, CLAIMS);
                }
                for entry in tree.entries(node) {
                    self.below(Step::Field(tree.text(entry.key)), entry.value, node);
                }
            }
            Kind::Seq { .. } => {
                for (at, &item) in tree.items(node).iter().enumerate() {
                    self.below(Step::Index(at), item, node);
                }
            }
            _ => {}
        }
    }

    /// Returns true if a field of a map is a list of claims.
    fn has_claims(&self, node: NodeId, field: &str) -> bool {
        if field == STATUSES {
            return false;
        }
        let tree = self.tree;
        let mut claims = lists(tree, node, field).filter(|&item| tree.is_map(item));
        let is_of_group = self.groups && field == CLAIMS;
        claims.any(|claim| {
            let source = tree.get(claim, "source").unwrap_or(claim);
            is_of_group
                || REFERENCES.iter().any(|field| {
                    [claim, source]
                        .iter()
                        .any(|map| tree.get(*map, field).is_some())
                })
        })
    }

    /// Returns true if the search is at an item of a list that a pod spec has for its containers.
    fn is_in_list_of_containers(&self) -> bool {
        matches!(
            self.steps.as_slice(),
            [
                ..,
                Step::Field("containers" | "initContainers"),
                Step::Index(_)
            ]
        )
    }

    fn found(&mut self, node: NodeId, parent: NodeId, sort: PlaceKind, claims: &'t str) {
        self.places.list.push(Place {
            node,
            sort,
            claims,
            parent: Some(parent),
            steps: self.steps.clone(),
        });
    }
}

/// The field of a pod spec with its claims.
const CLAIMS: &str = "resourceClaims";

/// The field of a pod's status with the claims that it has got (k8s.io/api, core/v1, types.go, `PodStatus`).
const STATUSES: &str = "resourceClaimStatuses";

/// The fields of a container with its resources: that of Kubernetes, and that of a step of Tekton (tektoncd/pipeline, pkg/apis/pipeline/v1,
/// container_types.go, `Step`).
pub const RESOURCES: [&str; 2] = ["resources", "computeResources"];

/// The fields that name a claim or a template.
pub const REFERENCES: [&str; 2] = ["resourceClaimName", "resourceClaimTemplateName"];

/// Returns the items of a list under a field; none if there is no list.
fn lists<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    field: &str,
) -> impl Iterator<Item = NodeId> + use<'t> {
    let list = tree
        .get(node, field)
        .filter(|&list| matches!(tree.kind(list), Kind::Seq { .. }));
    list.map_or(&[][..], |list| tree.items(list))
        .iter()
        .copied()
}

/// Returns true if a map has amounts of resources, of which one has a domain.
fn has_resources(tree: &Tree<'_>, node: NodeId) -> bool {
    let resources = RESOURCES.iter().filter_map(|field| tree.get(node, field));
    let mut amounts = resources.flat_map(|resources| {
        ["requests", "limits"]
            .iter()
            .filter_map(move |field| tree.get(resources, field))
    });
    amounts.any(|amounts| {
        let mut entries = tree.entries(amounts).iter();
        entries.any(|entry| tree.text(entry.key).contains('/'))
    })
}
