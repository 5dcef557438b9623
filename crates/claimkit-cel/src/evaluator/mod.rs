//! Evaluation: what a checked expression is turned into, and how that gives a value.

pub(super) mod attributes;
pub mod plan;
pub mod program;
mod run;

pub use run::{Keep, Observation, evaluate};
