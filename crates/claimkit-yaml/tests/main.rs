//! The reader against recorded answers and laws, as one program: it links once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "tests fail loudly, and read their own data"
)]

mod answers;
mod properties;
mod reading;
mod texts;
