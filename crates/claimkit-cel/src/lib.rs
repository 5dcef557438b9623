//! The Common Expression Language as kube-apiserver and kube-scheduler run it.
//!
//! | step | module | takes | gives |
//! |---|---|---|---|
//! | parse | [`parse`] | text | [`ast::Ast`], or syntax problems in ANTLR's words |
//! | check | [`checker`], `validators` | tree, [`environment::Environment`] | types and references, or problems |
//! | estimate | `cost::estimate` | checked tree | least and most cost |
//! | plan | `evaluator::plan`, `fold` | checked tree | program with constants folded |
//! | run | `evaluator`, `operations` | program, variables | value or error, and what was spent |
//! | explain | [`trace`] | program, variables | values of all parts, and why a selector is false |
//!
//! With the feature `json`, `schema` reads types and bounds from the OpenAPI schema of a CustomResourceDefinition, and values from JSON.
//!
//! Modules of the table without a page here are internal. An [`environment::Environment`] says which names and functions there are,
//! by release, feature gates and mode.
//!
//! ```
//! use claimkit_cel::types::Type;
//! use claimkit_cel::value::Value;
//! use claimkit_cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT};
//!
//! let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_variable("self", Type::map(Type::String, Type::Int));
//! let program = environment.compile("self.replicas <= 5").unwrap();
//! let object = Value::object([("replicas", Value::Int(3))]);
//! assert_eq!(program.evaluate(&[object], SELECTOR_COST_LIMIT).matches(), Ok(true));
//! assert!(environment.compile("self.replicas <=").is_err());
//! ```
//!
//! Every loop is bounded: costs are counted as upstream counts them and end a run at their limit, and steps are counted where upstream
//! counts too little.

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod ast;
pub mod checker;
pub mod compile;
pub mod cost;
pub mod dialect;
pub mod environment;
mod error;
mod evaluator;
mod fold;
mod format_literals;
pub mod functions;
mod grammar;
mod lexer;
pub mod library;
mod literal;
mod machine;
mod macros;
mod messages;
mod operands;
mod operations;
pub mod parse;
mod parser;
mod predict;
mod recover;
mod regex;
#[cfg(feature = "json")]
pub mod schema;
pub mod source;
mod sprintf;
mod token;
pub mod trace;
mod tree;
pub mod types;
mod validators;
pub mod value;
mod visit;

pub use compile::{
    CALL_COST_LIMIT, CRD_COST_LIMIT, CRD_RULE_COST_LIMIT, CompileError, MESSAGE_BYTES_LIMIT,
    OBJECT_COST_LIMIT, Outcome, Program, SELECTOR_COST_LIMIT,
};
pub use environment::{Environment, EnvironmentMode, VariableError};
pub use error::{Error, ErrorKind, ServerCrash};
pub use functions::EnvironmentGate;
pub use trace::{DecidingPart, Part, Trace};

/// Builds now what all expressions share; otherwise the first one that is parsed builds it. For hosts that take memory back which was
/// allocated after their start.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// claimkit_cel::prepare();
/// assert!(Environment::kubernetes(34, &[], EnvironmentMode::New).compile("1 < 2").is_ok());
/// ```
pub fn prepare() {
    std::sync::LazyLock::force(&grammar::WITHOUT_ESCAPED_NAMES);
    std::sync::LazyLock::force(&grammar::WITH_ESCAPED_NAMES);
}

/// Returns texts that a regular expression of CEL matches: one or two of each alternative, and what repeats as often as it must. A class
/// with many characters is shown by one of `characters`, the first that is in it, and characters that are not among these are left out of
/// classes. `longest`: the length of a text in bytes. A text that is not a regular expression has none; `None`: there are more than `most`.
///
/// ```
/// let examples = |pattern| claimkit_cel::examples_of_regex(pattern, "xabcdefghi", 20, 4);
/// assert_eq!(examples(r"^(gpu|nic)\.io$"), Some(vec!["gpu.io".to_owned(), "nic.io".to_owned()]));
/// assert_eq!(examples(r"^.{3}\x2e[a-z]+$"), Some(vec!["xxx.x".to_owned()]));
/// assert_eq!(examples("a|b|c|d|e|(f|g)x"), None);
/// assert_eq!(examples("("), Some(Vec::new()));
/// ```
pub fn examples_of_regex(
    pattern: &str,
    characters: &str,
    longest: usize,
    most: usize,
) -> Option<Vec<String>> {
    regex::Regex::examples(pattern, characters, longest, most)
}

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct CelReadme;
