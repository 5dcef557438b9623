//! Allocation of devices against upstream's recorded answers.

mod bounds;
mod doctor;
mod explain;
mod expressions;
mod lines;
mod plugin;
mod vectors;
