//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`) exactly as kubectl and
//! kube-apiserver read them, says what they would answer, where in the text and how to mend it, converts between API
//! versions without touching what it need not touch, and tells on which nodes a claim can be used and why not on the others.
//!
//! | stage | module | takes | gives |
//! |---|---|---|---|
//! | read | [`text`] | text | [`text::File`]: documents with lossless trees, syntax findings |
//! | take apart | [`manifest`] | trees | objects as kubectl sends them, kubectl's own refusals |
//! | recognise | [`api`] | (apiVersion, kind) and release | the tables of the version and the kind |
//! | decode | [`record`] | tree, table | [`record::Record`] and findings for unknown, duplicate, mistyped fields |
//! | request | [`server`] | record, operation, release | defaults, preparation, the rules, and Kubernetes' `Status` |
//! | judge | [`rules`] | views of records | kube-apiserver's errors, in its order and words |
//! | help editors | [`editor`] | text and place, or a table's row | documentation, completion, JSON Schema |
//! | query | [`query`] | selectors | which objects a list shows |
//! | patch | [`patch`] | stored object, patch | the object it becomes |
//! | change | [`convert`] | text, target version | text edits, losses |
//! | compile, evaluate | [`cel`] | expression, environment | a checked expression with its cost; a value or an error, with a trace |
//! | place | [`place`] | selectors, claims, classes, pods, prepared nodes | a verdict per node with its reasons |
//! | admit | [`policy`] | AdmissionRequest, settings | the policy's verdict |
//! | answer | [`wire`] | one request | one answer |
//! | report | [`report`] | an answer | text, SARIF, JUnit, GitHub annotations |
//!
//! # Scope
//!
//! `v1alpha1` (Kubernetes 1.26) and `v1alpha2` (1.27 to 1.30). Where upstream's behaviour and documentation differ, behaviour wins.

// Reasons in clippy.toml; the program and the tests may do what is listed there.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod api;
pub mod cel;
#[cfg(feature = "cli")]
pub mod cli;
pub mod convert;
pub mod editor;
pub mod entry;
pub mod finding;
pub mod go;
pub mod limits;
pub mod manifest;
pub mod patch;
pub mod place;
pub mod policy;
pub mod query;
pub mod record;
pub mod report;
pub mod rules;
pub mod server;
pub mod text;
pub mod wire;

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
