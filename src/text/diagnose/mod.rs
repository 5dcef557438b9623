//! What kubectl does not say about a text it accepts, and plainer words where it refuses. Nothing here changes what is read.

mod json;
mod lookalike;
mod meant;
mod refusal;
mod remarks;
mod trial;

pub use meant::{Meant, Wanted, meant};

pub(super) use json::explain_json;
pub(super) use lookalike::has_lookalikes;
pub(super) use refusal::{explain, separator};
pub(super) use remarks::{keys, remarks};
