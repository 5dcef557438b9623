//! YAML and JSON exactly as kubectl reads them, as lossless trees of nodes with byte spans.
//!
//! This crate knows nothing of Kubernetes' objects. Its users do not distinguish YAML from JSON.

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod json;
mod mode;
pub mod print;
pub mod scalar;
pub mod source;
pub mod span;
pub mod tree;
mod word;
pub mod yaml;

pub use mode::{BYTE_ORDER_MARK, Mode, mode};
pub use source::{Position, Source, SourcePart, SourceText, Sources, Span};
pub use tree::{Entry, Kind, Node, NodeId, Style, Tree};

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct YamlReadme;
