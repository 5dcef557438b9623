//! What a plugin of the scheduler says: a code and its reasons (kube-scheduler, `staging/src/k8s.io/kube-scheduler/framework`).

use serde::Serialize;

/// The scheduler framework's status codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum StatusCode {
    /// The pod may go on.
    Success,
    /// The plugin has nothing to do.
    Skip,
    /// Not now; something may be freed.
    Unschedulable,
    /// Not by freeing anything.
    UnschedulableAndUnresolvable,
    Error,
}

/// A status of the scheduler framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameworkStatus {
    pub code: StatusCode,
    /// Its reasons, mostly one or none.
    pub reasons: Vec<String>,
}

impl FrameworkStatus {
    /// Makes a status with a reason.
    pub fn new(code: StatusCode, reason: impl Into<String>) -> Self {
        FrameworkStatus {
            code,
            reasons: vec![reason.into()],
        }
    }

    /// Makes a status without one.
    pub fn plain(code: StatusCode) -> Self {
        FrameworkStatus {
            code,
            reasons: Vec::new(),
        }
    }

    /// Returns the reasons in one text, as the framework joins them.
    pub fn message(&self) -> Option<String> {
        (!self.reasons.is_empty()).then(|| self.reasons.join(", "))
    }
}
