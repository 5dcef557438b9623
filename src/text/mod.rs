//! Reads a text into a [`File`]: documents, each a lossless tree of nodes with byte spans.
//!
//! This module knows nothing of Kubernetes. The modules that use it do not distinguish YAML from JSON.

pub mod bytes;
pub mod de;
pub mod diagnose;
pub mod edit;
pub mod json;
pub mod located;
mod mode;
pub mod print;
pub mod scalar;
pub mod source;
pub mod stream;
pub mod tree;
mod word;
pub mod yaml;

pub use mode::{Mode, mode};
pub use source::{Position, Source, Span};
pub use stream::{Document, File, read};
pub use tree::{Entry, Kind, Node, NodeId, Style, Tree};
