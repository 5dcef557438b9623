//! Fields of requests that one verb has.

use serde::Deserialize;

/// `options` of `allocate`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AllocateOptions {
    /// Steps of each node's search; absent: 100,000, and never more than 10,000,000.
    pub budget: Option<u64>,
    /// Look for changes that help; absent: yes.
    pub relax: Option<bool>,
    /// Which devices are listed one by one; absent: those of nodes where nothing was allocated.
    pub matrix: Option<Shown>,
}

/// The most steps that a search is given.
pub const MOST_STEPS: u64 = 10_000_000;

/// `options.matrix`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shown {
    /// Those of nodes where nothing was allocated.
    Failed,
    /// All.
    All,
    /// None.
    None,
}

/// `environment`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CelEnvironment {
    /// Devices of ResourceSlices, Kubernetes 1.31 and later.
    #[default]
    Device,
    /// Instances of named resources, Kubernetes 1.30.
    NamedResources,
}
