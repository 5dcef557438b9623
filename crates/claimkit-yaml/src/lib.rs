//! YAML and JSON exactly as kubectl reads them, as lossless trees of nodes with byte spans.
//!
//! | module | gives |
//! |---|---|
//! | [`yaml`], [`json`] | the tree of one document, or the error in kubectl's words |
//! | [`stream`] | the documents of a text |
//! | [`tree`] | nodes, their values and places; [`Tree::walk`] visits all of them |
//! | [`edit`] | changes that keep comments, quotes and indentation; the comments of a place |
//! | [`print`](mod@print) | JSON |
//!
//! This crate knows nothing of Kubernetes' objects. Its users do not distinguish YAML from JSON.

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod edit;
pub mod json;
mod mode;
pub mod print;
pub mod scalar;
pub mod source;
pub mod span;
pub mod stream;
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
