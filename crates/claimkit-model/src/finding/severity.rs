//! How bad findings are.

use serde::{Deserialize, Serialize};

/// The severity of a finding.
///
/// ```
/// assert_eq!(claimkit::Severity::Warning.name(), "warning");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The origin rejects the object.
    Error,
    /// Accepted, but probably not what was meant.
    Warning,
    Info,
}

impl Severity {
    /// Returns its name: `error`, `warning` or `info`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}
