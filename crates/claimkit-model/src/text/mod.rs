//! Reads a text into a [`File`]: documents, each a lossless tree of nodes with byte spans.
//!
//! This module knows nothing of Kubernetes. The modules that use it do not distinguish YAML from JSON.

pub mod bytes;
pub mod de;
pub mod diagnose;
pub mod edit;
pub mod located;
pub mod stream;

pub use claimkit_yaml::{BYTE_ORDER_MARK, Mode, mode};
pub use claimkit_yaml::{Entry, Kind, Node, NodeId, Style, Tree};
pub use claimkit_yaml::{Position, Source, SourcePart, SourceText, Sources, Span};
pub use claimkit_yaml::{json, print, scalar, source, tree, yaml};
pub use stream::{Document, File, read};
