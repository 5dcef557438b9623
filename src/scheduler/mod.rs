//! kube-scheduler's answers for the claims of a text, with reasons.
//!
//! [`evaluate()`] answers for the classic versions: which nodes the claims leave to a pod. [`allocate()`] answers for the
//! versions with devices: which of them a pod gets on each node.

pub mod account;
mod allocate;
mod build;
mod cluster;
mod evaluate;
mod options;
mod places;
mod target;

pub use account::Placement;
pub use allocate::{AllocateOptions, Allocation, allocate};
pub use cluster::PreparedCluster;
pub use evaluate::{Evaluation, evaluate, evaluate_selector};
pub use options::{Detail, EvaluateOptions, FULL_NODES};
pub use target::Target;
