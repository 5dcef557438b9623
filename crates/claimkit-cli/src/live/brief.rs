//! Pods and slices of a cluster, as far as an answer shows them.

use serde::Deserialize;
use serde::de::IgnoredAny;

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
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BriefSpec {
    node_name: Option<String>,
    scheduling_group: Option<IgnoredAny>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct BriefStatus {
    phase: String,
    conditions: Option<Vec<Condition>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    message: String,
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

    /// Returns true if it waits for a node.
    pub fn waits(&self) -> bool {
        self.node().is_none() && matches!(self.phase(), "Pending" | "")
    }

    /// Returns the scheduler's own message.
    pub fn says(&self) -> Option<&str> {
        let conditions = self.status.as_ref()?.conditions.as_deref()?;
        let scheduled = conditions
            .iter()
            .find(|condition| condition.kind == "PodScheduled")?;
        Some(scheduled.message.as_str()).filter(|message| !message.is_empty())
    }
}
