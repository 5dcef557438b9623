//! A running cluster, asked through the `kubectl` on PATH: `why`, and `--live` of other verbs.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | `kubectl` | a command of kubectl | its output, or why there is none |
//! | `cluster` | the flags of the connection | release, namespace, served versions, gates |
//! | `kinds` | - | the kinds that are read, and what their absence means |
//! | `read` | kinds | the objects of the cluster page by page, and what could not be seen |
//! | `dump` | files | the same objects, without a cluster |
//! | `why` | a command line | the answer, once or again and again |
//! | `owner_kinds` | - | the kinds of objects that make pods, and how pods say which of them did |
//! | `question`, `asked` | a command line | the pods that are meant; the cluster or files that have them |
//! | `explain` | the objects | the answer |
//! | `trying` | the answer | what pods get where the suggested changes are made |
//! | `watch` | the answer, again and again | what changed in it |
//! | `answer` | accounts of pods | text |
//! | `sentences` | phrases | sentences |
//! | `pod_devices` | a pod | what is wrong with its devices |
//! | `start` | a pod that has a node | why it does not run there |
//! | `ways` | - | what a suggestion is, and what is known of its trial |
//! | `helps` | the account of a pod | the changes that would help it |
//! | `rollout` | a pod of a Deployment | the end of an old pod of its, before the new one |
//! | `room`, `rewrites` | the account of a pod | pods whose end makes room; expressions, names and priorities that would do |
//! | `index` | the objects | the same by their names |
//! | `nodes` | a node | whether no pod is sent to it |
//! | `users` | pods and claims | who uses a claim, and how that ends |
//! | `audit` | the cluster | what is wrong in it, and what is in use |
//! | `snapshot` | the cluster, or files | its objects as one List |
//! | `redact` | objects | the same without what no answer needs, and with other names |
//! | `stored` | the cluster | what a policy judges in it |
//! | `validate` | files | what the cluster says of their namespaces and versions |
//!
//! Only `get`, `version` and `config view` of kubectl are run, and only the first two reach the cluster. Nothing is written.

mod answer;
mod asked;
pub mod audit;
mod brief;
mod cluster;
mod dump;
mod explain;
mod gates;
mod helps;
mod index;
mod kinds;
mod kubectl;
mod nodes;
mod owner_kinds;
mod pod_devices;
mod question;
mod read;
mod redact;
mod rewrites;
mod rollout;
mod room;
mod sentences;
pub mod snapshot;
mod start;
pub mod stored;
mod trying;
mod users;
pub mod validate;
mod watch;
mod ways;
pub mod why;

pub use read::Unseen;
