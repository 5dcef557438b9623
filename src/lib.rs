//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`) exactly as kubectl and
//! kube-apiserver read them, says what they would answer, where in the text and how to mend it, converts between API
//! versions without touching what it need not touch, and tells on which nodes a claim can be used and why not on the others.
//!
//! | stage | module | takes | gives |
//! |---|---|---|---|
//! | read | [`text`] | text | [`text::File`]: documents with lossless trees, syntax findings |
//! | take apart | [`kubectl`] | trees | objects as kubectl sends them, its own refusals |
//! | recognise | [`input`], [`schema`] | trees | objects: (version, kind) and release |
//! | decode | [`decode`] | tree, schema | [`object::Record`] and findings for unknown, duplicate, mistyped fields |
//! | judge | [`validate`] | records, operation, release | kube-apiserver's errors, in its order and words |
//! | help editors | [`editor`] | text and place, or a table's row | documentation, completion, JSON Schema |
//! | query | [`query`] | selectors | which objects a list shows |
//! | patch | [`patch`] | stored object, patch | the object it becomes |
//! | change | [`convert`] | text, target version | text edits, losses |
//! | place | [`evaluate`] | selectors, claims, classes, pods, prepared nodes | a verdict per node with its reasons |
//! | answer | [`wire`] | one request | one answer |
//!
//! # Scope
//!
//! `v1alpha1` (Kubernetes 1.26) and `v1alpha2` (1.27 to 1.30). Where upstream's behaviour and documentation differ, behaviour wins.

// Reasons in clippy.toml; the program and the tests may do what is listed there.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

pub mod admit;
#[cfg(feature = "cli")]
pub mod cli;
pub mod convert;
pub mod decode;
pub mod defaults;
pub mod editor;
pub mod entry;
pub mod evaluate;
pub mod float;
pub mod goformat;
pub mod input;
pub mod json;
pub mod kubectl;
pub mod limits;
pub mod names;
pub mod object;
pub mod ordered;
pub mod patch;
pub mod place;
pub mod quantity;
pub mod query;
pub mod report;
pub mod schema;
pub mod suggest;
pub mod text;
pub mod time;
pub mod validate;
pub mod view;
pub mod wire;
mod words;

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
