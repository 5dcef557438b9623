//! Which nodes can use a claim, and why not the others.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`nodes`] | texts with Nodes | [`PreparedNodes`]: names and labels by column, read once |
//! | [`selector`] | a decoded node selector | [`Selector`]: its terms, or the scheduler's parse errors |
//! | [`matching`] | a selector, prepared nodes | [`Matches`]: the result of every requirement on every node |
//! | [`explain`] | matches | why a requirement holds or not, the nearest term, what removes which nodes |
//! | [`lint`] | a selector, prepared nodes | findings: terms that cannot match, labels that no node has |
//! | [`patches`] | a release | which patch releases answer alike, and which were recorded |
//! | [`environments`] | a release, a mode, gates | what CEL selectors are compiled with, made once |
//! | [`device`] | claims, slices, classes, nodes, pods of v1alpha3 to v1 (1.31 and later) | which devices a claim gets on which node, and why none |
//! | [`placement`] | claims, classes, pods, scheduling contexts, prepared nodes | the scheduler's checks and verdicts |
//!
//! Everything is evaluated for all nodes at once, with one bit per node: a requirement is tested once per distinct value of its
//! label.

pub mod bits;
pub mod device;
pub mod environments;
pub mod explain;
pub mod lint;
pub mod matching;
pub mod nodes;
pub mod patches;
pub mod placement;
pub mod plan;
pub mod pod;
pub mod rules;
pub mod scan;
pub mod selector;
pub mod structured;

pub use matching::Matches;
pub use nodes::PreparedNodes;
pub use selector::Selector;
