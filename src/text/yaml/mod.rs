//! YAML 1.1 exactly as kubectl reads it: libyaml's grammar with go-yaml v2's departures
//! (spec/decoding.md §3), as events with byte spans.
//!
//! | file | takes | gives |
//! |---|---|---|
//! | `scanner.rs`, `scan_*.rs` | text | tokens |
//! | `parser.rs` | tokens | events |

mod chars;
mod error;
mod parser;
mod scan_block;
mod scan_scalar;
mod scan_tag;
mod scanner;
mod token;

pub use error::{Stage, YamlError};
pub use parser::{Event, EventKind, Reader};
pub use token::{Mark, Style, Text};
