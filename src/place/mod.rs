//! Which nodes can use a claim, and why not the others.
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
//! | [`device`] | claims, slices, classes, nodes, pods of v1alpha3 to v1 (1.31 and later) | which devices a claim gets on which node, and why none |
//! | [`classic::placement`] | claims, classes, pods, scheduling contexts, prepared nodes | the scheduler's checks and verdicts |

pub mod classic;
pub mod device;
pub mod environments;
pub mod patches;
pub mod rules;
pub mod selector;

pub use classic::matching::Matches;
pub use classic::nodes::PreparedNodes;
pub use selector::ParsedSelector;
