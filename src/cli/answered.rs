//! An answer in the JSON of the contract.

use crate::report::answer::Answer;

/// An answer, as it came and as it is read.
#[derive(Debug)]
pub struct Answered {
    /// One line of JSON.
    pub json: String,
    /// The same.
    pub answer: Answer,
}
