//! The nodes for claims of v1alpha1 and v1alpha2 (1.26 to 1.30): label selectors on many nodes at once, and the scheduler's checks.
//!
//! Everything is evaluated for all nodes at once, with one bit per node: a requirement is tested once per distinct value of its
//! label.

pub mod bits;
pub mod explain;
pub mod lint;
pub mod matching;
pub mod nodes;
pub mod placement;
pub mod plan;
pub mod pod;
pub mod scan;
pub mod structured;
