//! kube-scheduler's answers for the claims of a text, with reasons.
//!
//! [`evaluate()`] answers for the classic versions: which nodes the claims leave to a pod. [`allocate()`] answers for the
//! versions with devices: which of them a pod gets on each node.

mod allocate;
mod build;
mod cluster;
mod evaluate;
mod gathered;
mod how_many;
mod in_turn;
mod limits;
mod options;
pub mod placement;
mod places;
mod question;
mod refused;
pub mod simulation;
mod target;

pub use allocate::{Allocation, allocate};
pub use cluster::PreparedCluster;
pub use evaluate::{Evaluation, evaluate, evaluate_selector};
pub use how_many::{HowMany, PodsOnNode};
pub use options::{Detail, EvaluateOptions, FULL_NODES};
pub use placement::Placement;
pub use question::{AllocateOptions, Mode};
pub use target::Target;

use crate::message::message;

/// Joins sentences to one text.
fn joined(sentences: impl Iterator<Item = String>) -> String {
    let all = sentences.reduce(|first, rest| message!("schedule.then", "{first}; {rest}", first, rest));
    all.unwrap_or_default()
}
