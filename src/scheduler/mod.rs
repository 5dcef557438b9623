//! What kube-scheduler answers to the claims of a text, and why.
//!
//! [`evaluate()`] answers for the classic versions: which nodes the claims leave to a pod.

mod account;
mod build;
mod evaluate;
mod options;

pub use account::{
    Check, Claim, Counts, Inverse, InverseRequirement, Next, Node, Placement, ReasonCount, RequirementCheck, SelectorCheck,
    TermCheck,
};
pub use evaluate::{Evaluation, evaluate, evaluate_selector};
pub use options::{Detail, FULL_NODES, Options};
