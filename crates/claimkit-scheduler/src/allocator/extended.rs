//! Extended resources of a pod that classes serve (`pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go`).

use super::cluster::Cluster;
use super::objects::{Ask, Claim, ClaimRequest, Class, Container, Node, Pod};
use super::plugin_rules::PluginRules;
use super::sorted::{Set, Sorted};
use claimkit_model::finding::{FieldPath, PathStep, field_path};
use serde::Serialize;
use std::rc::Rc;

/// Domain of the extended resources that stand for the class of their name.
pub const IMPLICIT: &str = "deviceclass.resource.kubernetes.io/";
/// Upstream's name of the claim before it is written.
pub const CLAIM_NAME: &str = "<extended-resources>";
/// The annotation of such a claim once it is written; its value is `true`.
pub const ANNOTATION: &str = "resource.kubernetes.io/extended-resource-claim";

/// A resource that a container asks for.
#[derive(Clone, Debug)]
struct Need<'s> {
    resource: &'s str,
    /// Index among the containers, init ones first.
    container: usize,
    /// Index among the container's requests, by name.
    position: usize,
    count: i64,
    /// An init container that ends before the others start.
    passing: bool,
    name: &'s str,
}

/// The extended resources of a pod.
#[derive(Clone, Debug)]
pub struct ExtendedResources<'s> {
    needs: Vec<Need<'s>>,
    /// The class that serves a resource.
    pub classes: Sorted<&'s str, &'s Class>,
    /// A claim that an earlier attempt left.
    pub left_over: Option<&'s Claim>,
}

/// The request that serves a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestMapping {
    pub container_name: String,
    pub resource_name: String,
    /// Request of the claim.
    pub request_name: String,
}

/// The claim for the resources that a node gets through devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtendedClaim {
    pub claim: Claim,
    /// The users of each request; empty before 1.35.
    pub mappings: Vec<RequestMapping>,
}

/// The treatment of the pod's extended resources on a node.
#[derive(Clone, Debug, PartialEq)]
pub enum OnNode {
    None,
    /// A claim is needed.
    Claim(Box<ExtendedClaim>),
    /// The node cannot serve them; upstream's text.
    Refused(&'static str),
}

impl<'s> ExtendedResources<'s> {
    /// Returns the extended resources of a pod; `None` if no class serves any of them.
    pub fn of(cluster: &Cluster<'s>, rules: &PluginRules, pod: &'s Pod) -> Option<Self> {
        let requested = needs(rules, pod);
        let mut classes = Sorted::new();
        for need in &requested {
            if let Some(class) = class_of(&cluster.facts.classes, rules, need.resource) {
                classes.insert(need.resource, class);
            }
        }
        if classes.is_empty() {
            return None;
        }
        let left_over = cluster.facts.claims.iter().find(|claim| {
            let marked = claim
                .metadata
                .annotations
                .get(ANNOTATION)
                .is_some_and(|value| value == "true");
            marked
                && claim.metadata.namespace == pod.metadata.namespace
                && claim.metadata.is_controlled_by_pod(&pod.metadata)
        });
        Some(ExtendedResources {
            needs: requested,
            classes,
            left_over: left_over.map(|claim| &**claim),
        })
    }

    /// Returns how a node serves them. `others`: the pod has other claims; then the claim is needed even if it is empty.
    pub fn on_node(&self, rules: &PluginRules, pod: &Pod, node: &Node, others: bool) -> OnNode {
        if self
            .left_over
            .is_some_and(|claim| !claim.spec.devices.requests.is_empty())
        {
            return OnNode::Refused("cannot schedule extended resource claim");
        }
        let (mut asked, mut through_devices) = (Vec::new(), false);
        for need in &self.needs {
            let allocatable = node.status.allocatable.get(need.resource);
            let by_plugin = allocatable
                .is_some_and(|amount| rules.zero_allocatable_counts || amount.nanos() > 0);
            match self.classes.get(need.resource) {
                Some(_) if by_plugin && !rules.asks_beside_plugins => {}
                Some(class) => {
                    through_devices |= !by_plugin;
                    asked.push((need, *class));
                }
                None if allocatable.is_some() => {}
                None => return OnNode::Refused("cannot fit resource"),
            }
        }
        if through_devices || others {
            OnNode::Claim(Box::new(claim(rules, pod, &asked)))
        } else {
            OnNode::None
        }
    }
}

/// What a container asks for, as the pod says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerNeed {
    /// The request of the claim.
    pub request: String,
    pub resource: String,
    /// The name of the container.
    pub container: String,
    pub count: i64,
    /// The place of the amount in the pod.
    pub path: FieldPath,
}

/// Returns what the containers of a pod ask for.
pub fn container_needs(rules: &PluginRules, pod: &Pod) -> Vec<ContainerNeed> {
    let init_containers = pod.spec.init_containers.len();
    let mut container_needs = Vec::new();
    for need in &needs(rules, pod) {
        // Needs count the init containers first.
        let (list, index) = match need.container.checked_sub(init_containers) {
            Some(index) => ("containers", index),
            None => ("initContainers", need.container),
        };
        container_needs.push(ContainerNeed {
            request: request_name(need),
            resource: need.resource.to_owned(),
            container: need.name.to_owned(),
            count: need.count,
            path: field_path![
                "spec",
                list,
                index,
                "resources",
                "limits",
                PathStep::Key(need.resource.to_owned())
            ],
        });
    }
    container_needs
}

/// Returns the names of the extended resources that a pod requests, each once.
pub fn names<'s>(rules: &PluginRules, pod: &'s Pod) -> Vec<&'s str> {
    let names: Set<&str> = needs(rules, pod).iter().map(|need| need.resource).collect();
    names.into_iter().collect()
}

fn needs<'s>(rules: &PluginRules, pod: &'s Pod) -> Vec<Need<'s>> {
    let init = pod
        .spec
        .init_containers
        .iter()
        .map(|container| (container, true));
    let all = init.chain(
        pod.spec
            .containers
            .iter()
            .map(|container| (container, false)),
    );
    let mut needs = Vec::new();
    for (at, (container, init)) in all.enumerate() {
        let Container {
            name,
            resources,
            restart_policy,
            ..
        } = container;
        let passing = init && restart_policy.as_deref() != Some("Always");
        for (position, (resource, amount)) in resources.requests.iter().enumerate() {
            let count = i64::try_from(amount.value()).unwrap_or(i64::MAX);
            if count > 0 && is_extended(rules, resource) {
                needs.push(Need {
                    resource,
                    container: at,
                    position,
                    count,
                    passing,
                    name,
                });
            }
        }
    }
    needs
}

/// Recognizes names as `v1helper.IsExtendedResourceName` does, and from 1.35 the names of classes.
fn is_extended(rules: &PluginRules, name: &str) -> bool {
    if rules.knows_class_names && name.starts_with(IMPLICIT) {
        return true;
    }
    let native = !name.contains('/') || name.contains("kubernetes.io/");
    !native && !name.starts_with("requests.")
}

/// Returns the class that serves a resource: the newest one, then the one with the smaller name; 1.34 takes the last in its list.
pub fn class_of<'s>(
    classes: &'s [Rc<Class>],
    rules: &PluginRules,
    resource: &str,
) -> Option<&'s Class> {
    let mut all = classes.iter().map(|class| &**class);
    if let Some(name) = resource.strip_prefix(IMPLICIT) {
        return all.find(|class| class.metadata.name == name);
    }
    let mut serving =
        all.filter(|class| class.spec.extended_resource_name.as_deref() == Some(resource));
    if rules.last_class_serves {
        return serving.next_back();
    }
    serving.max_by(|a, b| {
        made_at(a)
            .cmp(made_at(b))
            .then_with(|| b.metadata.name.cmp(&a.metadata.name))
    })
}

/// Returns the time when a class was made; empty: not known.
fn made_at(class: &Class) -> &str {
    class
        .metadata
        .creation_timestamp
        .as_deref()
        .unwrap_or_default()
}

fn claim(rules: &PluginRules, pod: &Pod, needs: &[(&Need<'_>, &Class)]) -> ExtendedClaim {
    let mut requests = ExtendedRequests::default();
    let resources: Set<&str> = needs.iter().map(|(need, _)| need.resource).collect();
    for resource in resources {
        let (passing, staying): (Vec<_>, Vec<_>) = needs
            .iter()
            .copied()
            .filter(|(need, _)| need.resource == resource)
            .partition(|(need, _)| need.passing && rules.init_containers_reuse);
        requests.add_staying(&staying);
        requests.add_passing(&passing, &staying);
    }
    let mut claim = Claim::default();
    claim.metadata.namespace.clone_from(&pod.metadata.namespace);
    CLAIM_NAME.clone_into(&mut claim.metadata.name);
    claim.spec.devices.requests = requests
        .by_name
        .into_iter()
        .map(|(name, (class, count))| request(name, class, count))
        .collect();
    ExtendedClaim {
        claim,
        mappings: if rules.request_mappings {
            requests.mappings
        } else {
            Vec::new()
        },
    }
}

/// The requests of a claim for extended resources, while they are collected.
#[derive(Default)]
struct ExtendedRequests<'n> {
    /// The class and the count of each request.
    by_name: Sorted<String, (&'n Class, i64)>,
    mappings: Vec<RequestMapping>,
}

impl<'n> ExtendedRequests<'n> {
    /// Requests the devices of containers that keep running.
    fn add_staying(&mut self, needs: &[(&Need<'_>, &'n Class)]) {
        for (need, class) in needs {
            let name = request_name(need);
            self.mappings.push(mapping(need, &name));
            self.by_name.insert(name, (class, need.count));
        }
    }

    /// Maps the needs of init containers: they reuse the devices of containers that start after them. Any further need is requested
    /// once, for the init container that needs most.
    fn add_passing(
        &mut self,
        needs: &[(&Need<'_>, &'n Class)],
        staying: &[(&Need<'_>, &'n Class)],
    ) {
        let mut beyond: Vec<usize> = Vec::new();
        let mut most: Option<(String, &Class, i64)> = None;
        for (need, class) in needs {
            let mut missing = need.count;
            for (later, _) in staying {
                if later.container > need.container && missing > 0 {
                    self.mappings.push(mapping(need, &request_name(later)));
                    missing = missing.saturating_sub(later.count);
                }
            }
            if missing > 0 {
                let name = request_name(need);
                beyond.push(self.mappings.len());
                self.mappings.push(mapping(need, &name));
                if most.as_ref().is_none_or(|(.., count)| *count < missing) {
                    most = Some((name, *class, missing));
                }
            }
        }
        let Some((name, class, count)) = most else {
            return;
        };
        for at in beyond {
            if let Some(mapping) = self.mappings.get_mut(at) {
                mapping.request_name.clone_from(&name);
            }
        }
        self.by_name.insert(name, (class, count));
    }
}

fn mapping(need: &Need<'_>, request: &str) -> RequestMapping {
    RequestMapping {
        container_name: need.name.to_owned(),
        resource_name: need.resource.to_owned(),
        request_name: request.to_owned(),
    }
}

fn request_name(need: &Need<'_>) -> String {
    format!("container-{}-request-{}", need.container, need.position)
}

fn request(name: String, class: &Class, count: i64) -> ClaimRequest {
    let (device_class_name, allocation_mode) =
        (class.metadata.name.clone(), "ExactCount".to_owned());
    ClaimRequest {
        name,
        exactly: Some(Ask {
            device_class_name,
            allocation_mode,
            count,
            ..Ask::default()
        }),
        ..ClaimRequest::default()
    }
}
