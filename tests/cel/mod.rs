//! The Common Expression Language against recorded answers and laws.

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
mod upstream;
