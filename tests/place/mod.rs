//! Allocation of devices against upstream's recorded answers.

mod bounds;
mod decisive;
mod doctor;
mod engine;
mod explain;
pub mod lines;
mod node_resources;
mod plugin;
mod printed;
mod reasons;
mod vectors;
