//! What kubectl does not say about a text it accepts, and plainer words where it refuses. Nothing here changes what is read.

mod correction;
mod json;
mod lookalike;
mod refusal;
mod remarks;
mod trial;

pub use correction::{Correction, Expected, correction};

pub(super) use json::explain_json;
pub(super) use lookalike::has_lookalikes;
pub(super) use refusal::{explain, separator};
pub(super) use remarks::{keys, remarks};
