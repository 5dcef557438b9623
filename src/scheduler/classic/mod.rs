//! Answers for the classic versions: which nodes the claims of v1alpha1 and v1alpha2 leave to a pod.

mod build;
mod evaluate;
mod options;
pub mod placement;

pub use evaluate::{Evaluation, evaluate, evaluate_selector};
pub use options::{Detail, EvaluateOptions, FULL_NODES};
