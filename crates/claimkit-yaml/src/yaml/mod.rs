//! YAML 1.1 exactly as kubectl reads it: libyaml's grammar with go-yaml v2's departures
//! (sigs.k8s.io/yaml, yaml.go), as events with byte spans.
//!
//! | file | takes | gives |
//! |---|---|---|
//! | `cursor.rs`, `scanner.rs`, `scan_*.rs` | text | tokens |
//! | `parser.rs`, `parse_flow.rs` | tokens | events |
//! | `compose.rs`, `resolve.rs` | events | the tree of the first document |
//! | `quick.rs` | text of the common shape | the same tree at once |
//! | `decode.rs` | the tree | merge keys carried out, the first error of decoding |

mod chars;
mod compose;
mod cursor;
mod decode;
mod document;
mod error;
mod parse_flow;
mod parser;
mod problem;
mod quick;
mod resolve;
mod scan_block;
mod scan_scalar;
mod scan_tag;
mod scanner;
mod token;

pub use chars::first_refused;
pub use compose::Bounds;
pub use document::{Composed, StrictError, read, read_part};
pub use error::{ErrorStage, YamlError};
pub use parser::{Event, EventKind, Reader};
pub use problem::{Construct, Problem};
pub use token::{Mark, ScalarStyle, TokenText};
