//! The command line on files in memory.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

mod files;
mod folders;
mod lost;
mod new_nodes;
mod own_sentences;
mod several_files;
mod why_compares;
mod why_files;
mod why_helps;
mod why_not_known;
mod why_spares;
