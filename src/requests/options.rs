//! Request fields that belong to a single verb.

use serde::Deserialize;

/// `options` of `allocate`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AccountOptions {
    /// The step limit of each node's search; default 100,000, maximum 10,000,000.
    pub budget: Option<u64>,
    /// Whether to search for changes that help; default true.
    pub relax: Option<bool>,
    /// The devices to list individually; default: those of nodes where nothing was allocated.
    pub matrix: Option<MatrixOption>,
}

/// The maximum of `budget`.
pub const MOST_STEPS: u64 = 10_000_000;

/// `options.matrix`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MatrixOption {
    /// The devices of nodes where nothing was allocated.
    Failed,
    /// All devices.
    All,
    /// No devices.
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
