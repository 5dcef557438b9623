//! kube-scheduler's answers for the claims of a text, with reasons.
//!
//! [`allocate()`] answers for the versions with devices: which of them a pod gets on each node.

mod accounts;
mod asked;
mod cluster;
mod findings;
mod gathered;
mod how_many;
mod in_turn;
mod last_engine;
mod limits;
mod new_nodes;
mod node_templates;
mod not_followed;
mod not_given;
mod places;
mod question;
mod refused;
mod run;

pub use cluster::{PreparedCluster, StuckBy, StuckClaim, UndecodedObject};
pub use how_many::{HowMany, PodsOnNode};
pub use question::{AllocateOptions, PlacementMode};
pub use run::{Allocation, allocate};
