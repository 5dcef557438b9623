//! The Common Expression Language against recorded answers and laws.

#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "a test")]

mod conformance;
mod devices;
mod explain;
mod functions;
mod limits;
mod lines;
mod print;
mod refusals;
mod selectors;
mod syntax;
