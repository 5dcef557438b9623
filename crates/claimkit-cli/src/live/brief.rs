//! Pods and slices of a cluster, as far as an answer shows them.

use super::owner_kinds::OwnerKind;
use claimkit::list_selectors::labels::LabelQuery;
use claimkit_scheduler::allocator::objects::Pod;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The label that a Deployment gives its ReplicaSets and their pods: the end of the name of the ReplicaSet.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// The label that a Rollout of Argo gives its ReplicaSets and their pods, in the same way.
const ROLLOUT_HASH: &str = "rollouts-pod-template-hash";

/// A pod or slice, as far as the answer shows it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Brief {
    pub metadata: BriefMeta,
    spec: BriefSpec,
    status: Option<BriefStatus>,
}

/// `metadata`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct BriefMeta {
    pub name: String,
    pub namespace: String,
    labels: Option<BTreeMap<String, String>>,
    #[serde(rename = "ownerReferences")]
    owners: Option<Vec<BriefOwner>>,
}

/// `metadata.ownerReferences[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct BriefOwner {
    kind: String,
    name: String,
    controller: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BriefSpec {
    node_name: Option<String>,
    scheduling_group: Option<IgnoredAny>,
    resource_claims: Option<Vec<BriefEntry>>,
}

/// `spec.resourceClaims[]` and `status.resourceClaimStatuses[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BriefEntry {
    name: String,
    resource_claim_template_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BriefStatus {
    phase: String,
    resource_claim_statuses: Option<Vec<BriefEntry>>,
    conditions: Option<Vec<Condition>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

impl BriefMeta {
    /// Returns the value of a label.
    fn label(&self, key: &str) -> Option<&str> {
        Some(self.labels.as_ref()?.get(key)?.as_str())
    }
}

impl From<&Pod> for Brief {
    fn from(pod: &Pod) -> Self {
        let Pod {
            metadata,
            spec,
            status,
            ..
        } = pod;
        let owners = metadata.owner_references.iter().map(|owner| BriefOwner {
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            controller: owner.controller,
        });
        let conditions = status.conditions.iter().map(|condition| Condition {
            kind: condition.kind.clone(),
            message: condition.message.clone(),
        });
        let labels = metadata.labels.iter();
        Brief {
            metadata: BriefMeta {
                name: metadata.name.clone(),
                namespace: metadata.namespace.clone(),
                labels: Some(
                    labels
                        .map(|(key, value)| (key.clone(), value.clone()))
                        .collect(),
                ),
                owners: Some(owners.collect()),
            },
            spec: BriefSpec {
                node_name: Some(spec.node_name.clone()),
                ..BriefSpec::default()
            },
            status: Some(BriefStatus {
                phase: status.phase.clone(),
                conditions: Some(conditions.collect()),
                ..BriefStatus::default()
            }),
        }
    }
}

impl Brief {
    /// Returns `namespace/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.metadata.namespace, self.metadata.name)
    }

    /// Returns the node it runs on, or a slice is of.
    pub fn node(&self) -> Option<&str> {
        self.spec
            .node_name
            .as_deref()
            .filter(|name| !name.is_empty())
    }

    /// Returns true if it is a pod of a group of pods.
    pub fn is_in_group(&self) -> bool {
        self.spec.scheduling_group.is_some()
    }

    /// Returns `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    pub fn phase(&self) -> &str {
        self.status
            .as_ref()
            .map_or("", |status| status.phase.as_str())
    }

    /// Returns true if no container of it was started.
    pub fn is_pending(&self) -> bool {
        matches!(self.phase(), "Pending" | "")
    }

    /// Returns true if it waits for a node.
    pub fn waits(&self) -> bool {
        self.node().is_none() && self.is_pending()
    }

    /// Returns true if a claim of its own is not made yet.
    pub fn lacks_claim(&self) -> bool {
        let made = self
            .status
            .as_ref()
            .and_then(|status| status.resource_claim_statuses.as_deref())
            .unwrap_or_default();
        let entries = self.spec.resource_claims.as_deref().unwrap_or_default();
        entries.iter().any(|entry| {
            entry.resource_claim_template_name.is_some()
                && !made.iter().any(|claim| claim.name == entry.name)
        })
    }

    /// Returns the object that made the pod, as `kind/name` in lower case. A ReplicaSet with the name that a Deployment or a Rollout of
    /// Argo gives stands for that.
    pub fn owner(&self) -> Option<String> {
        let owners = self.metadata.owners.as_deref().unwrap_or_default();
        let BriefOwner { kind, name, .. } = owners.iter().find(|owner| owner.controller)?;
        let maker_by = |label: &str| {
            let hash = self
                .metadata
                .label(label)
                .filter(|_| kind == "ReplicaSet")?;
            name.strip_suffix(hash)?.strip_suffix('-')
        };
        if let Some(rollout) = maker_by(ROLLOUT_HASH) {
            return Some(format!("rollout/{rollout}"));
        }
        Some(match maker_by(TEMPLATE_HASH) {
            Some(deployment) => format!("deployment/{deployment}"),
            None => format!("{}/{name}", kind.to_ascii_lowercase()),
        })
    }

    /// Returns true if the pod has the labels.
    pub fn has_labels(&self, selector: &LabelQuery) -> bool {
        selector.matches(|key| self.metadata.label(key))
    }

    /// Returns true if an object made the pod, or made what made it: `kind` in lower case and the singular.
    pub fn is_of(&self, kind: &str, name: &str) -> bool {
        if self.owner() == Some(format!("{kind}/{name}")) {
            return true;
        }
        let owners = self.metadata.owners.as_deref().unwrap_or_default();
        let mut named = owners.iter();
        if named.any(|owner| owner.kind.eq_ignore_ascii_case(kind) && owner.name == name) {
            return true;
        }
        let Some(kind) = OwnerKind::of(kind) else {
            return false;
        };
        let is_labeled = kind
            .label()
            .is_some_and(|label| self.metadata.label(label) == Some(name));
        let mut jobs = owners.iter().filter(|owner| owner.kind == "Job");
        is_labeled || jobs.any(|job| kind.has_job(name, &job.name))
    }

    /// Returns the scheduler's own message.
    pub fn says(&self) -> Option<&str> {
        let conditions = self.status.as_ref()?.conditions.as_deref()?;
        let scheduled = conditions
            .iter()
            .find(|condition| condition.kind == "PodScheduled")?;
        Some(scheduled.message.as_str()).filter(|message| !message.is_empty())
    }

    /// Returns how many nodes the scheduler tried, as its message says.
    pub fn nodes_tried(&self) -> Option<usize> {
        let (before, _) = self.says()?.split_once(" nodes are available")?;
        before.rsplit_once("0/")?.1.parse().ok()
    }
}
