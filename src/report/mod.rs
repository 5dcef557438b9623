//! Findings as data, and how they are told.

pub mod code;
pub mod finding;
mod help;
pub mod locate;
pub mod path;
pub mod render;

pub use code::Code;
pub use finding::{Cause, Edit, Finding, Fix, Origin, Severity};
pub use path::{Path, Step};
