//! The library functions of the expression language as plain Rust. They work on strings and numbers, not on the language's values
//! and types. Every error is the text that upstream prints.
//!
//! | module | functions |
//! |---|---|
//! | `float` | `double("…")`, `string(1.5)` |
//! | `format` | `"…".format([…])` |
//! | [`named_formats`] | `format.dns1123Label()` and its like |
//! | [`network`] | `ip(…)`, `cidr(…)` |
//! | [`quantity`] | `quantity(…)` |
//! | [`semver`] | `semver(…)` |
//! | `strings` | `charAt`, `indexOf`, `replace`, `split`, `substring`, `trim`, … |
//! | [`time`] | `timestamp(…)`, `duration(…)` and their accessors |
//! | [`url`] | `url(…)` |
//! | `zones` | the zones of the accessors of `timestamp` |
//!
//! Modules without a page here are internal. Regular expressions are in the module `regex` of the crate.

pub(crate) mod float;
pub(crate) mod format;
mod localized;
pub mod named_formats;
pub mod network;
pub mod quantity;
pub mod semver;
pub(crate) mod strings;
pub mod time;
pub mod url;
pub(crate) mod zones;
