//! Findings as data, and how they are told.

pub mod code;
pub mod finding;
mod help;
pub mod hints;
pub mod locate;
pub mod path;
pub mod suggest;

pub use code::Code;
pub use finding::{Cause, Edit, Finding, Fix, Origin, Severity};
pub use path::{Path, Step};
