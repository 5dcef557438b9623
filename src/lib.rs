//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`) exactly as kubectl and
//! kube-apiserver read them. It reports what they would answer, with the place in the text and a fix; converts between API
//! versions and changes only what must change; and shows which nodes and devices a claim can use, and why not the others.
//!
//! | function | takes | gives |
//! |---|---|---|
//! | [`parse()`] | a text | its objects as the server would hold them |
//! | [`validate()`] | a text | what kube-apiserver answers to a create, an update or a status update of each object |
//! | [`patch()`] | the text of a stored object, a patch | what the object becomes, and whether the server takes it |
//! | [`convert()`] | a text, a version | the text in that version, changed only where it must be, and what is lost |
//! | [`evaluate()`] | a text, nodes | which nodes a pod can run on with these claims, and why not the others |
//! | [`allocate()`] | a text, a cluster | which devices pods and claims get on each node, and why none |
//! | [`cel`] | an expression, devices | whether it compiles, what it costs, which devices it selects |
//!
//! Parts of the answers have their own pages: [`placement`] for evaluate, [`account`] for allocate, [`located`] for findings with
//! lines and columns.
//!
//! The function [`parse()`] also gives each object to types of your own: `tests/hosts/k8s-openapi` in the repository fills those of
//! the crate `k8s-openapi`. [`wire`] answers the requests of the command line and of JavaScript, JSON in and out.
//!
//! # Modules
//!
//! Modules of the table without a page here are internal.
//!
//! | stage | module | takes | gives |
//! |---|---|---|---|
//! | ground | `limits` | | what a text may cost |
//! | ground | `go` | values and texts | what Go prints and reads: quoting, floats, times, quantities |
//! | ground | `names` | names, labels, keys | the server's errors for malformed ones |
//! | ground | `span` | | pieces of a text |
//! | ground | `finding` | | findings: codes, paths, help, fixes |
//! | read | `text` | text | `text::File`: documents with lossless trees, syntax findings |
//! | recognise | `api` | (apiVersion, kind) and release | the tables of the version and the kind |
//! | decode | `record` | tree, table | `record::Record` and findings for unknown, duplicate, mistyped fields |
//! | advise | `advice` | a finding, the text, tables | where it stands, what was probably meant, fixes |
//! | take apart | `manifest` | trees | objects as kubectl sends them, kubectl's own refusals |
//! | compile, evaluate | `cel` | expression, environment | a checked expression with its cost; a value or an error, with a trace |
//! | place | `place` | selectors, claims, classes, pods, prepared nodes | a verdict per node with its reasons |
//! | judge | `rules` | views of records | kube-apiserver's errors, in its order and words |
//! | try expressions | `expression` | expressions and slices of a text | what expressions read, and what their authors should know |
//! | query | `query` | selectors | which objects a list shows |
//! | patch | `patch` | stored object, patch | the object it becomes |
//! | request | `server` | record or text, operation, release | defaults, preparation, the rules, and Kubernetes' `Status` |
//! | schedule | `scheduler` | text, nodes or cluster, release | which nodes and devices claims get, and why not others |
//! | change | `convert` | text, target version | text edits, losses |
//! | admit | `policy` | AdmissionRequest, settings | the policy's verdict |
//! | help editors | `editor` | text and place, or a table's row | documentation, completion, JSON Schema |
//! | answer | `wire` | one request | one answer |
//! | report | `report` | an answer | text, SARIF, JUnit, GitHub annotations |
//! | enter | `cli` | arguments | exit status and output |
//! | enter | `entry` | a host's calling convention | an answer |
//!
//! A module imports only from those above it.
//!
//! # Scope
//!
//! `v1alpha1` (Kubernetes 1.26), `v1alpha2` (1.27 to 1.30), `v1alpha3`, `v1beta1`, `v1beta2` and `v1` (1.31 to 1.36). Where upstream's behaviour and documentation differ, behaviour wins.

// clippy.toml gives the reasons. The program and the tests are exempt.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

// Hidden modules are public for the program, the tests and the tools of this repository only; they change without notice.
mod advice;
#[doc(hidden)]
pub mod api;
pub mod cel;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod editor;
mod entry;
mod expression;
#[doc(hidden)]
pub mod finding;
#[doc(hidden)]
pub mod go;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod manifest;
mod names;
#[doc(hidden)]
pub mod patch;
#[doc(hidden)]
pub mod place;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod query;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod rules;
mod scheduler;
#[doc(hidden)]
pub mod server;
mod span;
#[doc(hidden)]
pub mod text;
pub mod wire;

pub use api::{Release, Version};
pub use convert::{
    Conversion, ConvertOptions, Decision, Loss, Outcome as Converted, Target as ConvertTarget, convert, version as find_version,
};
pub use finding::{Cause, Code, Edit, Finding, Fix, Origin, Severity, Step, TextField};
pub use limits::Limits;
pub use manifest::{Input, Item, What};
pub use place::PreparedNodes as Nodes;
pub use place::device::explain::answer as account;
pub use place::device::explain::{Explain, Matrix};
pub use place::device::what_if::WhatIf;
pub use record::decode::Via;
pub use scheduler::account as placement;
pub use scheduler::{AllocateOptions, Allocation, PreparedCluster as Cluster, allocate};
pub use scheduler::{Detail, EvaluateOptions, Evaluation, Placement, evaluate, evaluate_selector};
pub use server::FieldValidation;
pub use server::options::{Operation, StoredAs, ValidateOptions};
pub use server::parse::{ParseOptions, Parsed, ParsedObject, parse};
pub use server::patch::{Patch, PatchType, Patched, patch};
pub use server::status::{Cause as StatusCause, Details as StatusDetails, Status};
pub use server::text::{Judged, Report, validate};
pub use text::de::Error as DeserializeError;
pub use text::located;
pub use text::{Position, Source, Span};

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
