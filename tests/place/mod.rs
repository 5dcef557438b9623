//! Allocation of devices against upstream's recorded answers.

mod bounds;
mod doctor;
mod engine;
mod explain;
mod lines;
mod plugin;
mod vectors;
