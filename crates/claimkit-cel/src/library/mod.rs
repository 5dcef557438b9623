//! The library functions of the expression language as plain Rust. They work on strings and numbers, not on the language's values
//! and types. Every error is the text that upstream prints.
//!
//! | module | functions |
//! |---|---|
//! | [`float`] | `double("…")`, `string(1.5)` |
//! | [`mod@format`] | `"…".format([…])` |
//! | [`named_formats`] | `format.dns1123Label()` and its like |
//! | [`network`] | `ip(…)`, `cidr(…)` |
//! | [`quantity`] | `quantity(…)` |
//! | [`semver`] | `semver(…)` |
//! | [`strings`] | `charAt`, `indexOf`, `replace`, `split`, `substring`, `trim`, … |
//! | [`time`] | `timestamp(…)`, `duration(…)` and their accessors |
//! | [`url`] | `url(…)` |
//! | [`zones`] | the zones of the accessors of `timestamp` |
//!
//! Regular expressions are in [`super::regex`].

pub mod float;
pub mod format;
mod localized;
pub mod named_formats;
pub mod network;
pub mod quantity;
pub mod semver;
pub mod strings;
pub mod time;
pub mod url;
pub mod zones;
