//! What editors need from the same tables that decide about an object: documentation, completion, JSON Schema, lists.
//!
//! | file | gives |
//! |---|---|
//! | [`sentences`] | documentation keys of the tables' rows, and sentences for them if the host brings them |
//! | [`facts`] | what the server demands of a field beyond its type |
//! | [`outline`] | a tolerant outline of a text that may be half typed |
//! | [`context`] | what is, or could be, at a place of the text |
//! | [`folding`] | the parts of a text that can be folded |
//! | [`foreign`] | which files are not manifests, although they look like some |
//! | [`hover`], [`complete`] | the two questions an editor asks about a place |
//! | [`names`] | the names that a place of the text can refer to, in the text and in the others of its project |
//! | [`symbols`] | the parts of a text, and the names that it defines and uses |
//! | [`expression`] | the same inside of a CEL expression |
//! | [`schema_export`] | JSON Schema of a kind |
//! | `locale` | the sentences of a locale, embedded for native programs |
//! | [`registry`] | finding codes and releases |
//!
//! The core contains no sentences: a host supplies the file of one language (`pkg/locale/*.json`) with the request.

pub mod complete;
pub mod context;
pub mod expression;
pub mod facts;
pub mod folding;
pub mod foreign;
mod forms;
pub mod hover;
#[cfg(not(target_arch = "wasm32"))]
pub mod locale;
pub mod names;
pub mod outline;
pub mod registry;
pub mod schema_export;
pub mod sentences;
pub mod symbols;

pub use sentences::Sentences;
