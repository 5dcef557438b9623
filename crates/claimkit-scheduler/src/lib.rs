//! Which devices and nodes a claim or pod gets, and why not the others, by Kubernetes release.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`classic::nodes`] | texts with Nodes | [`PreparedNodes`]: names and labels by column, read once |
//! | [`selector`] | a decoded node selector | [`ParsedSelector`]: its terms, or the scheduler's parse errors |
//! | [`classic::matching`] | a selector, prepared nodes | [`Matches`]: the result of every requirement on every node |
//! | [`classic::explain`] | matches | why a requirement holds or not, the nearest term, what removes which nodes |
//! | [`classic::lint`] | a selector, prepared nodes | findings: terms that cannot match, labels that no node has |
//! | [`patches`] | a release | which patch releases answer alike, and which were recorded |
//! | [`environments`] | a release, a mode, gates | what CEL selectors are compiled with, made once |
//! | [`allocator`] | claims, slices, classes, nodes, pods of v1alpha3 to v1 (1.31 and later) | which devices a claim gets on which node, and why none |
//! | [`explain`] | a pod, nodes | [`explain::account::PodAccount`]: why |
//! | [`scheduler`] | pods that wait, in turn | which node and devices each gets |
//! | [`target`] | release, gates | [`target::Target`]: what the answer is for |
//! | [`classic::placement`] | claims, classes, pods, scheduling contexts, prepared nodes | the scheduler's checks and verdicts |

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]
// Fields and variants whose names say everything have no sentence.
#![allow(missing_docs)]

pub mod allocator;
pub mod classic;
pub mod environments;
pub mod explain;
pub mod patches;
pub mod rules;
pub mod scheduler;
pub mod selector;
pub mod target;

pub use classic::matching::Matches;
pub use classic::nodes::PreparedNodes;
pub use selector::ParsedSelector;

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct SchedulerReadme;
