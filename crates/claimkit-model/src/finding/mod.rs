//! Findings as data.

pub mod code;
mod findings;
pub mod model;
pub mod named;
pub mod path;
pub mod severity;

pub use crate::__field_path as field_path;
pub use crate::__named as named;
pub use code::Code;
pub use findings::Findings;
pub use model::{Cause, Edit, EntryPart, Finding, Fix, Origin, TextField};
pub use path::{FieldPath, Path, PathStep, Step};
pub use severity::Severity;
