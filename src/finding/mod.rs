//! Findings as data, and how they are told.

pub mod code;
mod help;
pub mod hints;
pub mod locate;
pub mod model;
pub mod path;
pub mod suggest;

pub use code::Code;
pub use model::{Cause, Edit, Finding, Fix, Origin, Severity};
pub use path::{Path, Step};
