//! What claimkit's stages share.
//!
//! | module | takes | gives |
//! |---|---|---|
//! | [`limits`] | | what a text may cost |
//! | `memory` | | the memory of claimkit's own Wasm modules |
//! | [`error`] | | the error of a question that cannot be answered |
//! | [`message`] | id and arguments | claimkit's own sentences, in the language that is asked for |
//! | [`finding`] | | findings: codes, paths, help, fixes |
//! | [`nearest`] | a name, known names | the one that was probably meant |
//! | [`text`] | text | [`text::File`]: documents with lossless trees, syntax findings; edits |
//! | [`schema`] | (apiVersion, kind) and release | the tables of the version and the kind |
//! | [`object`] | tree, table | [`object::Record`] and findings for unknown, duplicate, mistyped fields |
//! | [`cel`] | expressions, devices | environments of selectors, and devices as their variables |
//!
//! A module imports only from those above it.

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]
// Fields and variants whose names say everything have no sentence.
#![allow(missing_docs)]

pub mod cel;
pub mod error;
pub mod finding;
pub mod limits;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[doc(hidden)]
pub mod memory;
pub mod message;
pub mod nearest;
pub mod object;
pub mod schema;
pub mod text;

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ModelReadme;
