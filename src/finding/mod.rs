//! Findings as data.

pub mod code;
mod findings;
pub mod model;
pub(crate) mod named;
pub mod path;
pub mod severity;

pub use code::Code;
pub use findings::Findings;
pub use model::{Cause, Edit, EntryPart, Finding, Fix, Origin, TextField};
pub(crate) use named::named;
pub(crate) use path::field_path;
pub use path::{FieldPath, Path, PathStep, Step};
pub use severity::Severity;
