//! Structured allocation: which devices a claim gets on a node, what the scheduler says, and why.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`objects`] | objects in v1's shape | [`objects::Facts`] |
//! | [`taints`] | facts with DeviceTaintRules | the same with the rules' taints on the devices |
//! | [`behaviour`] | release, gates | [`features::Features`] and the [`behaviour::Behaviour`] of the allocator in charge |
//! | `mistakes` | behavior | the same without a mistake of the release |
//! | [`cluster`] | facts, behavior, a CEL engine ([`engine::CelSelectors`]) | [`cluster::Cluster`]: indexes, what is in use |
//! | [`engine`] | an expression, a device | [`engine::CelSelectors`]: what the expression says of it |
//! | [`fitting`] | an expression that is false of a device | [`fitting::FittingSelector`]: one that is true of it |
//! | [`pools`] | cluster, node | [`pools::NodePools`]: pools with their state |
//! | [`prepare`], [`search`], [`results`] | pools, pending claims | upstream's checks, search and results |
//! | [`allocate`] | all of that | [`allocate::AllocationOutcome`] for one node |
//! | [`node_resources`], [`demand`] | pods, a node, results | what devices take of the node's resources, and whether it has that |
//! | [`plugin`], [`plugin_rules`] | a pod, then a node | what the scheduler's plugin says before and on nodes |
//! | [`status`], [`extended`] | the same | the codes of its answers; devices asked for as extended resources |
//! | [`doctor`] | cluster | findings over slices and taint rules |
//! | [`created`] | facts | the same with the claims of new pods |
//! | [`what_if`] | facts, changes | the facts of a question about changes |
//! | [`groups`], [`stop`] | devices of a counter set; a search | what they have in common; how it ends |
//! | [`quotas`] | a new claim | what it is charged, and the quota that refuses it |
//! | [`sorted`] | few entries | maps for all of these |

pub mod allocate;
pub mod amount;
pub mod behaviour;
pub mod binding;
pub mod capacity;
pub mod cluster;
pub mod constraints;
pub mod counters;
pub mod counting;
pub mod created;
pub mod demand;
pub mod doctor;
pub mod engine;
pub mod extended;
pub mod features;
pub mod fitting;
mod footprint;
pub mod groups;
pub mod identity;
pub mod mistakes;
mod node_allocatable;
pub mod node_resources;
pub mod nodes;
pub mod objects;
pub mod plugin;
pub mod plugin_rules;
pub mod pools;
pub mod prepare;
pub mod quotas;
pub mod results;
mod rows;
pub mod search;
pub mod selectors;
pub mod sorted;
pub mod status;
pub mod stop;
pub mod taints;
pub mod usage;
pub mod what_if;
