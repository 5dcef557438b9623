//! Allocation results as upstream writes them: devices, configuration, node selector.

use super::amount::Amount;
use super::behaviour::ConfigStyle;
use super::cluster::Cluster;
use super::features::Feature;
use super::objects::{Claim, Config, NodeRequirement, NodeSelector, NodeSelectorTerm, Toleration};
use super::prepare::{Attempt, RequestChoice};
use super::search::{Chosen, Search};
use super::sorted::{Set, Sorted};
use serde::Serialize;
use serde_json::Value;

/// Placeholder for the random ID of a share.
pub const SHARE: &str = "share";

/// `AllocationResult`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceAllocation {
    pub devices: DeviceResults,
    /// The nodes where the claim can be used; absent: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<NodeSelector>,
}

/// `DeviceAllocationResult`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceResults {
    /// One entry per device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<DeviceResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<ConfigResult>,
}

/// `DeviceRequestAllocationResult`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceResult {
    /// Request or `request/subrequest`.
    pub request: String,
    pub driver: String,
    pub pool: String,
    pub device: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_access: Option<bool>,
    /// Copied from the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// Copied from the device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_conditions: Vec<String>,
    /// Copied from the device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_failure_conditions: Vec<String>,
    /// Upstream generates random values here.
    #[serde(rename = "shareID", skip_serializing_if = "Option::is_none")]
    pub share_id: Option<&'static str>,
    /// The capacity that the share consumes.
    #[serde(skip_serializing_if = "Sorted::is_empty")]
    pub consumed_capacity: Sorted<String, Amount>,
    /// Copied from the slice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skip_node_operations: Vec<String>,
}

/// `DeviceAllocationConfiguration`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigResult {
    /// `FromClass` or `FromClaim`.
    pub source: &'static str,
    /// The requests it is for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Parameters that Kubernetes does not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
}

/// Builds the results of a solution, one per claim; `Err` is upstream's error, fatal for the pod.
pub fn build(
    attempt: &Attempt<'_>,
    search: &Search<'_, '_>,
) -> Result<Vec<DeviceAllocation>, String> {
    let mut built = Vec::new();
    for (at, claim) in attempt.claims.iter().enumerate() {
        let chosen = search.results.get(at).map_or(&[][..], Vec::as_slice);
        let choices = search
            .prepared()
            .choices
            .get(at)
            .map_or(&[][..], Vec::as_slice);
        let picked: Vec<&RequestChoice<'_>> = choices
            .iter()
            .enumerate()
            .filter_map(|(request, list)| {
                let sub = search.picked.get(&(at, request)).copied().unwrap_or(0);
                list.get(sub.min(list.len().saturating_sub(1)))
            })
            .collect();
        let results = chosen
            .iter()
            .filter_map(|one| device(attempt.cluster, one, choices))
            .collect();
        built.push(DeviceAllocation {
            devices: DeviceResults {
                results,
                config: config(attempt.cluster, claim, &picked),
            },
            node_selector: node_selector(attempt, claim, chosen)?,
        });
    }
    Ok(built)
}

fn device(
    cluster: &Cluster<'_>,
    chosen: &Chosen<'_>,
    choices: &[Vec<RequestChoice<'_>>],
) -> Option<DeviceResult> {
    let (slice, device) = cluster.device(chosen.at)?;
    let choice = choices.get(chosen.request)?.get(chosen.sub)?;
    let behaviour = cluster.behaviour;
    let share = chosen.share.as_ref();
    Some(DeviceResult {
        request: choice.full_name(),
        driver: slice.spec.driver.clone(),
        pool: slice.spec.pool.name.clone(),
        device: device.name.clone(),
        admin_access: (behaviour.admin_in_result && chosen.admin).then_some(true),
        tolerations: if behaviour.tolerations_in_result {
            choice.ask.tolerations.clone()
        } else {
            Vec::new()
        },
        binding_conditions: conditions(cluster, &device.binding_conditions),
        binding_failure_conditions: conditions(cluster, &device.binding_failure_conditions),
        share_id: share.map(|_| SHARE),
        consumed_capacity: share
            .map(|share| {
                share
                    .iter()
                    .map(|(name, amount)| ((*name).to_owned(), amount.clone()))
                    .collect()
            })
            .unwrap_or_default(),
        skip_node_operations: if cluster.has(Feature::OptionalNodeOperations) {
            slice.spec.skip_node_operations.clone()
        } else {
            Vec::new()
        },
    })
}

/// Returns the binding conditions of a device, if the gate for them is on.
fn conditions(cluster: &Cluster<'_>, published: &Option<Vec<String>>) -> Vec<String> {
    match published {
        Some(conditions) if cluster.has(Feature::DeviceBindingAndStatus) => conditions.clone(),
        _ => Vec::new(),
    }
}

fn value_set(requirement: &NodeRequirement) -> Set<String> {
    requirement.values.iter().cloned().collect()
}

fn config(
    cluster: &Cluster<'_>,
    claim: &Claim,
    picked: &[&RequestChoice<'_>],
) -> Vec<ConfigResult> {
    let style = cluster.behaviour.config;
    let mut list: Vec<ConfigResult> = Vec::new();
    let mut seen: Sorted<&str, (usize, usize)> = Sorted::new();
    for choice in picked {
        let of_class = choice
            .class
            .map_or(&[][..], |class| class.spec.config.as_slice());
        let class = choice.ask.device_class_name.as_str();
        let by_request = matches!(
            style,
            ConfigStyle::ByRequest | ConfigStyle::ByRequestAndRequest
        );
        let requests = if by_request {
            Vec::new()
        } else {
            vec![choice.full_name()]
        };
        let known = seen.get(class).filter(|_| !by_request);
        if let Some((from, to)) = known {
            let entries = list.iter_mut().take(*to).skip(*from);
            entries.for_each(|entry| entry.requests.extend(requests.iter().cloned()));
            continue;
        }
        let from = list.len();
        list.extend(
            of_class
                .iter()
                .map(|config| entry("FromClass", requests.clone(), config)),
        );
        seen.insert(class, (from, list.len()));
    }
    for config in &claim.spec.devices.config {
        let own = entry("FromClaim", config.requests.clone(), config);
        let times = picked
            .iter()
            .filter(|choice| is_named(&config.requests, choice))
            .count();
        let times = match style {
            _ if config.requests.is_empty() => 1,
            ConfigStyle::ByRequest | ConfigStyle::ByClass => 1,
            ConfigStyle::ByClassAndRequest | ConfigStyle::ByRequestAndRequest => times,
            ConfigStyle::Joined => times.min(1),
        };
        list.extend(std::iter::repeat_n(own, times));
    }
    if style == ConfigStyle::Joined {
        for entry in &mut list {
            if picked
                .iter()
                .all(|choice| is_named(&entry.requests, choice))
            {
                entry.requests.clear();
            }
        }
    }
    list
}

/// Returns true if the names have a request, or its alternative that was chosen.
fn is_named(names: &[String], choice: &RequestChoice<'_>) -> bool {
    let full = choice.full_name();
    names
        .iter()
        .any(|name| name == choice.name || *name == full)
}

fn entry(source: &'static str, requests: Vec<String>, config: &Config) -> ConfigResult {
    ConfigResult {
        source,
        requests,
        opaque: config.opaque.clone(),
    }
}

fn node_selector(
    attempt: &Attempt<'_>,
    claim: &Claim,
    chosen: &[Chosen<'_>],
) -> Result<Option<NodeSelector>, String> {
    let cluster = attempt.cluster;
    let mut joined = NodeSelectorTerm::default();
    for (slice, device) in chosen.iter().filter_map(|one| cluster.device(one.at)) {
        let per_device = slice.spec.per_device_node_selection == Some(true);
        let (name, selector) = if per_device {
            (&device.node_name, &device.node_selector)
        } else {
            (&slice.spec.node_name, &slice.spec.node_selector)
        };
        if name.is_some() || (cluster.behaviour.binds_to_node && device.binds_to_node == Some(true))
        {
            let node = cluster
                .facts
                .nodes
                .get(attempt.node)
                .map_or("", |node| node.metadata.name.as_str());
            let (key, operator) = ("metadata.name".to_owned(), "In".to_owned());
            let fields = vec![NodeRequirement {
                key,
                operator,
                values: vec![node.to_owned()],
            }];
            let term = NodeSelectorTerm {
                match_expressions: Vec::new(),
                match_fields: fields,
            };
            return Ok(Some(NodeSelector {
                node_selector_terms: vec![term],
            }));
        }
        let terms = selector
            .as_ref()
            .map_or(&[][..], |selector| selector.node_selector_terms.as_slice());
        if terms.len() > 1 {
            let why = format!(
                "unsupported ResourceSlice.NodeSelector with {} terms",
                terms.len()
            );
            return Err(format!(
                "create NodeSelector for claim {}: {why}",
                claim.metadata.name
            ));
        }
        for term in terms {
            join(&mut joined.match_expressions, &term.match_expressions);
            join(&mut joined.match_fields, &term.match_fields);
        }
    }
    let anything = !joined.match_expressions.is_empty() || !joined.match_fields.is_empty();
    Ok(anything.then(|| NodeSelector {
        node_selector_terms: vec![joined],
    }))
}

fn join(all: &mut Vec<NodeRequirement>, more: &[NodeRequirement]) {
    for requirement in more {
        let is_known = all.iter().any(|known| {
            known.key == requirement.key
                && known.operator == requirement.operator
                && value_set(known) == value_set(requirement)
        });
        if !is_known {
            all.push(requirement.clone());
        }
    }
}
