//! The Common Expression Language as kube-apiserver and kube-scheduler run it in device selectors.
//!
//! | step | module | takes | gives |
//! |---|---|---|---|
//! | parse | [`parse`] | text | [`ast::Ast`], or syntax problems in ANTLR's words |
//! | check | [`checker`], [`validators`] | tree, [`environment::Environment`] | types and references, or problems |
//! | estimate | [`cost::estimate`] | checked tree | least and most cost |
//! | plan | [`evaluator::plan`], [`fold`] | checked tree | program with constants folded |
//! | run | [`evaluator`], [`operations`] | program, variables | value or error, and what was spent |
//! | explain | [`trace`] | program, variables | values of all parts, and why a selector is false |
//!
//! An [`environment::Environment`] says which names and functions there are, by release, feature gates and mode. Only [`device`]
//! knows about devices; it turns them into variables.
//!
//! ```
//! use claimkit::cel::{Device, Environment, Mode, SELECTOR_COST_LIMIT};
//!
//! let environment = Environment::device(34, &[], Mode::New);
//! let program = environment.compile(r#"device.driver == "gpu.example.com""#).unwrap();
//! let device = Device { driver: "gpu.example.com".to_owned(), ..Device::default() };
//! let variables = device.variables(&environment).unwrap();
//! assert_eq!(program.evaluate(&variables, SELECTOR_COST_LIMIT).matches(), Ok(true));
//! assert!(environment.compile("device.attributes[").is_err());
//! ```
//!
//! Every loop is bounded: costs are counted as upstream counts them and end a run at their limit, and steps are counted where upstream
//! counts too little.

pub mod ast;
pub mod checker;
pub mod compile;
pub mod cost;
pub mod device;
pub mod dialect;
pub mod environment;
pub mod evaluator;
pub mod fold;
mod format_literals;
pub mod functions;
mod grammar;
mod lexer;
pub mod library;
mod literal;
mod machine;
mod macros;
pub mod messages;
mod operands;
pub mod operations;
pub mod parse;
mod parser;
mod predict;
mod recover;
pub mod regex;
pub mod source;
mod sprintf;
mod token;
pub mod trace;
mod tree;
pub mod types;
pub mod validators;
pub mod value;
mod visit;

pub use compile::{CompileError, Outcome, Program, SELECTOR_COST_LIMIT};
pub use device::{Attribute, Device, NamedAttribute};
pub use environment::{Environment, Mode};
pub use functions::Gate;
pub use trace::{Part, Reason, Trace};
