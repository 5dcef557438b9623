//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`) exactly as kubectl and
//! kube-apiserver read them. It reports what they would answer, with the place in the text and a fix; converts between API
//! versions and changes only what must change; and shows which nodes and devices a claim can use, and why not the others.
//!
//! | stage | module | takes | gives |
//! |---|---|---|---|
//! | ground | [`limits`] | | what a text may cost |
//! | ground | [`go`] | values and texts | what Go prints and reads: quoting, floats, times, quantities |
//! | ground | [`names`] | names, labels, keys | the server's words for those that are not well formed |
//! | ground | [`span`] | | pieces of a text |
//! | ground | [`finding`] | | findings: codes, paths, help, fixes |
//! | read | [`text`] | text | [`text::File`]: documents with lossless trees, syntax findings |
//! | recognise | [`api`] | (apiVersion, kind) and release | the tables of the version and the kind |
//! | decode | [`record`] | tree, table | [`record::Record`] and findings for unknown, duplicate, mistyped fields |
//! | advise | [`advice`] | a finding, the text, tables | where it stands, what was probably meant, fixes |
//! | take apart | [`manifest`] | trees | objects as kubectl sends them, kubectl's own refusals |
//! | compile, evaluate | [`cel`] | expression, environment | a checked expression with its cost; a value or an error, with a trace |
//! | place | [`place`] | selectors, claims, classes, pods, prepared nodes | a verdict per node with its reasons |
//! | judge | [`rules`] | views of records | kube-apiserver's errors, in its order and words |
//! | try expressions | [`expression`] | expressions and slices of a text | what expressions read, and what their authors should know |
//! | query | [`query`] | selectors | which objects a list shows |
//! | patch | [`patch`] | stored object, patch | the object it becomes |
//! | request | [`server`] | record or text, operation, release | defaults, preparation, the rules, and Kubernetes' `Status` |
//! | schedule | [`scheduler`] | text, nodes, release | which nodes the claims leave to a pod, and why |
//! | change | [`convert`] | text, target version | text edits, losses |
//! | admit | [`policy`] | AdmissionRequest, settings | the policy's verdict |
//! | help editors | [`editor`] | text and place, or a table's row | documentation, completion, JSON Schema |
//! | answer | [`wire`] | one request | one answer |
//! | report | [`report`] | an answer | text, SARIF, JUnit, GitHub annotations |
//! | enter | [`cli`] | arguments | exit status and output |
//! | enter | [`entry`] | a host's calling convention | an answer |
//!
//! A module imports only from those above it.
//!
//! # Scope
//!
//! `v1alpha1` (Kubernetes 1.26), `v1alpha2` (1.27 to 1.30), `v1alpha3`, `v1beta1`, `v1beta2` and `v1` (1.31 to 1.36). Where upstream's behaviour and documentation differ, behaviour wins.

// Reasons in clippy.toml; the program and the tests may do what is listed there.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod advice;
pub mod api;
pub mod cel;
#[cfg(feature = "cli")]
pub mod cli;
pub mod convert;
pub mod editor;
pub mod entry;
pub mod expression;
pub mod finding;
pub mod go;
pub mod limits;
pub mod manifest;
pub mod names;
pub mod patch;
pub mod place;
pub mod policy;
pub mod query;
pub mod record;
pub mod report;
pub mod rules;
pub mod scheduler;
pub mod server;
pub mod span;
pub mod text;
pub mod wire;

pub use api::Release;
pub use convert::{Conversion, Options as ConvertOptions, convert};
pub use finding::{Code, Finding, Origin, Severity};
pub use limits::Limits;
pub use place::PreparedNodes as Nodes;
pub use record::decode::Via;
pub use scheduler::{Evaluation, Options as EvaluateOptions, evaluate};
pub use server::FieldValidation;
pub use server::options::{Operation, Options as ValidateOptions};
pub use server::parse::{Options as ParseOptions, Parsed, parse};
pub use server::text::{Judged, Report, validate};

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
