//! Help and fixes that follow from the text and the tables: where a path leads, what was probably meant, what to write instead.
//!
//! Help that follows from the code of a finding alone is in [`crate::finding`].

pub mod budget;
pub mod hints;
pub mod locate;
pub mod nearest;
pub mod shape;
pub mod suggest;
