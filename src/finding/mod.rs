//! Findings as data.

pub mod code;
mod findings;
mod help;
pub mod model;
pub mod path;

pub use code::Code;
pub use findings::Findings;
pub use model::{Cause, Edit, Finding, Fix, Origin, Severity, TextField};
pub use path::{Path, Step};
