//! Answers for the classic versions: which nodes the claims of v1alpha1 and v1alpha2 leave to a pod.

mod build;
mod options;
pub mod placement;
mod run;

pub use options::{Detail, EvaluateOptions, FULL_NODES};
pub use placement::Placement;
pub use run::{Evaluation, evaluate, evaluate_selector};
