//! Why claims get these devices on a node, or none: data first, and a line of English made from it.
//!
//! | file | what |
//! |---|---|
//! | `answer.rs` | the account as data |
//! | `cells.rs` | every reason against every device |
//! | `funnel.rs` | devices left after each stage |
//! | `conflicts.rs` | requests that can be met alone but not together |
//! | `relax.rs` | changes that help, verified by running the allocator again |
//! | `resources.rs` | resources of the node that devices take |
//! | `taken.rs` | these as data |
//! | `stopped.rs` | what a pod waits for before any node is checked |
//! | `words.rs` | reasons in one line of English |
//! | `node.rs` | the account of a node; equal nodes share one |
//! | `warnings.rs` | surprising effects of a successful allocation, and findings for all nodes |

pub mod answer;
mod cells;
mod conflicts;
mod funnel;
mod node;
mod relax;
mod resources;
mod stopped;
pub mod taken;
mod warnings;
pub(crate) mod words;

use crate::place::device::cluster::Cluster;
use crate::place::device::plugin::PodCase;
use crate::place::device::pools::Gatherer;
use crate::place::device::sorted::Sorted;
use crate::place::device::status::Code;
use answer::{Before, NodeAccount, PodAccount, Summary};

/// All node searches together may use this many times the budget of one node.
const MOST_BUDGETS: u64 = 10;

/// Which devices are in the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrix {
    /// Those of nodes where nothing was allocated.
    #[default]
    Failed,
    /// All.
    All,
    /// None.
    Nothing,
}

/// How far an account goes.
#[derive(Clone, Copy, Debug)]
pub struct Explain {
    /// Steps of each node's search.
    pub budget: u64,
    /// Look for changes that help.
    pub relax: bool,
    /// The matrix.
    pub matrix: Matrix,
}

impl Default for Explain {
    fn default() -> Self {
        Explain { budget: 100_000, relax: true, matrix: Matrix::Failed }
    }
}

/// The account of a pod, or of claims without one, on some nodes.
pub fn account(cluster: &Cluster<'_>, case: &PodCase<'_>, nodes: &[usize], options: Explain) -> PodAccount {
    let refused = case.refused.filter(|_| case.pod.is_none());
    let names = case.pending.iter().chain(&case.allocated).copied().chain(refused).map(|claim| claim.metadata.full_name());
    let mut account =
        PodAccount { pod: case.pod.map(|pod| pod.metadata.full_name()), claims: names.collect(), ..PodAccount::default() };
    if let Some(extended) = &case.extended {
        let classes = extended.classes.iter();
        account.extended_resources = classes.map(|(name, class)| ((*name).to_owned(), class.metadata.name.clone())).collect();
    }
    if !case.goes_on() {
        let stage = if case.pre_enqueue.code == Code::Success { "preFilter" } else { "preEnqueue" };
        let (code, message) = (format!("{:?}", case.pre_filter.code), case.pre_filter.message().unwrap_or_default());
        let help =
            if case.pre_filter.code == Code::Skip { Some(stopped::skipped(cluster, case)) } else { stopped::help(cluster, case) };
        account.before = Some(Before { stage, code, message, help });
        return account;
    }
    let gatherer = Gatherer::new(cluster);
    let mut groups: Sorted<String, String> = Sorted::new();
    let mut left = options.budget.saturating_mul(MOST_BUDGETS);
    for at in nodes {
        let of_node = Explain { budget: options.budget.min(left), ..options };
        let (told, key) = node::account(cluster, case, *at, &gatherer, of_node, &groups);
        left = left.saturating_sub(told.cost);
        groups.insert_new(key, told.name.clone());
        account.nodes.push(told);
    }
    account.summary = summary(&account.nodes);
    account.findings = warnings::findings(cluster, case, &account);
    account
}

fn summary(nodes: &[NodeAccount]) -> Vec<Summary> {
    let mut list: Vec<Summary> = Vec::new();
    for node in nodes {
        // If there are several reasons, count each of them.
        let one = [node.message.clone().unwrap_or_default()];
        let messages = if node.reasons.is_empty() { one.as_slice() } else { node.reasons.as_slice() };
        for message in messages {
            match list.iter_mut().find(|entry| entry.message == *message) {
                Some(entry) => entry.nodes.push(node.name.clone()),
                None => list.push(Summary { message: message.clone(), nodes: vec![node.name.clone()] }),
            }
        }
    }
    list
}
