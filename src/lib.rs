//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`) exactly as kubectl and
//! kube-apiserver read them. It reports what they would answer, with the place in the text and a fix; converts between API
//! versions and changes only what must change; and shows which nodes and devices a claim can use, and why not the others.
//!
//! ```
//! let text = "
//! apiVersion: resource.k8s.io/v1
//! kind: ResourceClaim
//! metadata: {name: one-gpu}
//! spec: {devices: {requests: [{name: gpu, exactly: {deviceClasName: gpu}}]}}
//! ";
//! let report = claimkit::validate(text, &claimkit::ValidateOptions::default());
//! let finding = &report.findings[0];
//! assert_eq!(finding.code.name(), "unknown-field");
//! assert_eq!(finding.message, "unknown field \"spec.devices.requests[0].exactly.deviceClasName\"");
//! assert!(!report.ok);
//! ```
//!
//! # Findings
//!
//! Each problem is a [`Finding`]. `code` is stable and has a page in the documentation; `origin` is the component whose answer it is;
//! `message` has that component's words, byte for byte. `path` is the place as kube-apiserver writes it, `span` the range of bytes
//! in the text; `None` if no text contains the place. `within` names the text, if there are several. `help` and `fixes` are
//! claimkit's own: a fix is a list of edits, to be applied together.
//!
//! Problems of manifests are never errors of a function. An [`Error`] means that the question cannot be answered: an unknown
//! feature gate, a pod that does not exist.
//!
//! # Functions
//!
//! | function | takes | gives |
//! |---|---|---|
//! | [`parse()`] | a text | its objects as the server would hold them |
//! | [`validate()`] | a text | what kube-apiserver answers to a create, an update or a status update of each object |
//! | [`patch()`] | the text of a stored object, a patch | what the object becomes, and whether the server takes it |
//! | [`convert()`] | a text, a version | the text in that version, changed only where it must be, and what is lost |
//! | [`evaluate()`] | a text, nodes | which nodes a pod can run on with these claims, and why not the others |
//! | [`allocate()`] | a text, a cluster | which devices pods and claims get on each node, and why none |
//! | [`audit()`] | a cluster | what contradicts itself in it, and how much of its devices is in use |
//! | [`upgrade()`] | a cluster or manifests, a release | what breaks when the cluster goes to that release |
//! | [`cel`] | an expression, devices | whether it compiles, what it costs, which devices it selects |
//!
//! A text is a string, or [`Sources`]: several texts with names, as the files of a folder have them. Each is read by itself, and all
//! of them are one cluster.
//!
//! Parts of the answers have their own pages: [`placement`] for evaluate, [`account`] for allocate, [`mod@audit`] for audit, [`located`] for findings with
//! lines and columns.
//!
//! The function [`parse()`] also gives each object to types of your own: `examples/k8s-openapi` in the repository fills those of
//! the crate `k8s-openapi`. [`requests`] answers the requests of the command line and of JavaScript, JSON in and out.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `js` | no | the functions of the npm package, for `wasm32` targets |
//! | `kubewarden`, `opa`, `wasi` | no | the entry points of the policy modules |
//!
//! A feature adds a way in and changes no answer; a library needs none of them. The command line is the crate `claimkit-cli`.
//!
//! # Versions
//!
//! The oldest Rust version is the `rust-version` in `Cargo.toml`, now 1.95. A newer one may be required in a minor release, never in
//! a patch release.
//!
//! Stable are the functions and types that this page lists, the names of finding codes, and the JSON of [`requests`]. Enums and options
//! may grow. New Kubernetes releases bring new codes and new messages, because answers follow upstream's behavior: an answer for a
//! given release and patch changes only to correct it. Hidden modules and items change without notice.
//!
//! # Modules
//!
//! Modules of the table without a page here are internal.
//!
//! | stage | module | takes | gives |
//! |---|---|---|---|
//! | advise | `advice` | a finding, the text, tables | its place, the probable intention, fixes |
//! | take apart | `manifest` | trees | objects as kubectl sends them, kubectl's own refusals |
//! | judge | `validation` | views of records | kube-apiserver's errors, in its order and words |
//! | try expressions | `cel_lints` | expressions and slices of a text | what expressions read, and what their authors should know |
//! | query | `list_selectors` | selectors | which objects a list shows |
//! | patch | `patch` | stored object, patch | the object it becomes |
//! | request | `apiserver` | record or text, operation, release | defaults, preparation, the rules, and Kubernetes' `Status` |
//! | evaluate | `evaluate` | text of the classic versions, nodes | which nodes the claims leave to a pod |
//! | allocate | `allocate` | text, nodes or cluster, release | which devices claims get on which nodes, and why not others |
//! | audit | `audit` | text, release | what is wrong in a cluster, and what is in use |
//! | change | `convert` | text, target version | text edits, losses |
//! | upgrade | `upgrade` | text, two releases | what breaks between the releases |
//! | admit | `policy` | AdmissionRequest, settings | the policy's verdict |
//! | help editors | `editor` | text and place, or a table's row | documentation, completion, JSON Schema |
//! | answer | `requests` | one request | one answer |
//! | serve editors | `language_server` | messages of a client, the time | messages to it |
//! | report | `report` | an answer | text, SARIF, JUnit, GitHub annotations |
//! | enter | `bindings` | a host's calling convention | an answer |
//!
//! A module imports only from those above it, and all may use the crates below, which know nothing of these modules:
//!
//! | crate | what it is |
//! |---|---|
//! | [`claimkit_values`] | what Go prints and reads |
//! | [`claimkit_yaml`] | trees of YAML and JSON |
//! | [`claimkit_cel`] | the expression language |
//! | [`claimkit_model`] | texts, findings, messages, tables of releases, decoded objects, devices as variables of expressions |
//! | [`claimkit_scheduler`] | allocators and scheduler: which devices and nodes claims and pods get, and why not others |
//!
//! # Scope
//!
//! `v1alpha1` (Kubernetes 1.26), `v1alpha2` (1.27 to 1.30), `v1alpha3`, `v1beta1`, `v1beta2` and `v1` (1.31 to 1.37). Where upstream's behavior and documentation differ, behavior wins.

// clippy.toml gives the reasons. The program and the tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

// Hidden modules are public for the program, the tests and the tools of this repository only; they change without notice.
mod advice;
mod allocate;
#[doc(hidden)]
pub mod apiserver;
pub mod audit;
mod bindings;
mod cel_lints;
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod editor;
mod evaluate;
#[doc(hidden)]
pub mod language_server;
#[doc(hidden)]
pub mod list_selectors;
#[doc(hidden)]
pub mod manifest;
#[doc(hidden)]
pub mod patch;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod report;
pub mod requests;
pub mod upgrade;
#[doc(hidden)]
pub mod validation;

pub use allocate::{
    AllocateOptions, Allocation, HowMany, PlacementMode, PodsOnNode, PreparedCluster, allocate,
};
#[doc(hidden)]
pub use allocate::{StuckBy, StuckClaim, UndecodedObject};
pub use apiserver::FieldValidation;
pub use apiserver::options::{Operation, StoredAs, ValidateOptions};
pub use apiserver::parse::{ParseOptions, Parsed, ParsedObject, parse};
pub use apiserver::patch::{Patch, PatchType, Patched, patch};
pub use apiserver::status::{Status, StatusCause, StatusDetails};
pub use apiserver::text::{Judged, Report, validate};
pub use audit::{Audit, AuditOptions, audit};
pub use claimkit_model::cel;
pub use claimkit_model::error::{Error, ErrorKind};
pub use claimkit_model::finding::{
    Cause, Code, Edit, Finding, Fix, Origin, Severity, Step, TextField,
};
pub use claimkit_model::limits::Limits;
pub use claimkit_model::message::{Message, Words};
pub use claimkit_model::object::decode::Via;
pub use claimkit_model::schema::{Release, UnknownRelease, Version};
pub use claimkit_model::text::de::DeserializeError;
pub use claimkit_model::text::located;
pub use claimkit_model::text::{Position, Source, SourceText, Sources, Span};
pub use claimkit_scheduler::PreparedNodes;
pub use claimkit_scheduler::allocator::what_if::WhatIf;
pub use claimkit_scheduler::explain::account;
pub use claimkit_scheduler::explain::{Explain, Matrix};
pub use convert::{
    Conversion, ConvertOptions, ConvertTarget, Converted, Decision, Loss, convert, find_version,
};
pub use evaluate::placement;
pub use evaluate::{Detail, EvaluateOptions, Evaluation, Placement, evaluate, evaluate_selector};
pub use manifest::cluster_release::{ClusterRelease, release_of_cluster};
pub use manifest::snapshot_notes::SnapshotNotes;
pub use manifest::{Input, Item, What};
pub use upgrade::{Trouble, Upgrade, UpgradeOptions, UpgradeSubject, upgrade};

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
