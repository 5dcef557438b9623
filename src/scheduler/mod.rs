//! kube-scheduler's answers for the claims of a text, with reasons.
//!
//! [`evaluate()`] answers for the classic versions: which nodes the claims leave to a pod. [`allocate()`] answers for the
//! versions with devices: which of them a pod gets on each node.

mod allocate;
pub mod classic;
mod cluster;
mod gathered;
mod how_many;
mod in_turn;
mod limits;
mod places;
mod question;
mod refused;
pub mod simulation;
mod target;

pub use allocate::{Allocation, allocate};
pub use classic::placement::Placement;
pub use classic::{Detail, EvaluateOptions, FULL_NODES};
pub use classic::{Evaluation, evaluate, evaluate_selector};
pub use cluster::PreparedCluster;
pub use how_many::{HowMany, PodsOnNode};
pub use question::{AllocateOptions, PlacementMode};
pub use target::Target;
