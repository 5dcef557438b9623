//! Allocation of devices against upstream's recorded answers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

mod bounds;
mod doctor;
mod explain;
mod expressions;
mod lines;
mod plugin;
mod vectors;
