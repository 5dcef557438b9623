//! Remarks about texts that kubectl accepts silently, and plainer messages for texts that it refuses. Nothing here changes how a
//! text is read.

mod correction;
mod json;
mod lookalike;
mod refusal;
mod remarks;
mod trial;

pub use correction::{Correction, Expected, corrected_quantity, correction};

pub(super) use json::explain_json;
pub(super) use lookalike::has_lookalikes;
pub(super) use refusal::{explain, separator, split_or_raise, too_many_levels};
pub(super) use remarks::{keys, may_have_octals, remarks};
