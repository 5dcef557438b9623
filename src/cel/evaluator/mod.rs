//! Evaluation: what a checked expression is turned into, and how that gives a value.

mod attributes;
pub mod plan;
pub mod program;
mod run;

pub use run::{Observation, Run, evaluate};
