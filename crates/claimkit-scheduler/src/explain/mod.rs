//! Why claims get these devices on a node, or none: data first, and a line made from it.
//!
//! | file | what |
//! |---|---|
//! | `account.rs` | the account as data |
//! | `kinds.rs` | its verdicts, stages, states and kinds |
//! | `remark.rs` | a finding about an object of the facts |
//! | `cells.rs` | every reason against every device |
//! | `fitted.rs` | selectors that are near what devices have |
//! | `funnel.rs` | devices left after each stage |
//! | `conflicts.rs` | requests that can be met alone but not together |
//! | `relax.rs` | changes that help, verified by running the allocator again |
//! | `resources.rs` | resources of the node that devices take |
//! | `taken.rs` | these as data |
//! | `turn.rs` | what becomes of a pod when all are placed in turn |
//! | `headline.rs` | what keeps all pods waiting, in one line |
//! | `stopped.rs` | what a pod waits for before any node is checked |
//! | `words.rs` | reasons in one line |
//! | `line.rs` | the account of a node in one line |
//! | `node.rs` | the account of a node; equal nodes share one |
//! | `object_edits.rs` | edits of the cluster's objects, by which a change is tried with all pods |
//! | `warnings.rs` | surprising effects of a successful allocation, and findings for all nodes |

pub mod account;
mod cells;
mod conflicts;
mod edits;
mod fitted;
mod funnel;
pub mod headline;
pub mod kinds;
mod line;
mod node;
pub mod object_edits;
mod relax;
pub mod remark;
mod request;
mod resources;
mod stopped;
pub mod taken;
pub mod turn;
mod warnings;
pub mod words;

use crate::allocator::cluster::Cluster;
use crate::allocator::plugin::PodCase;
use crate::allocator::pools::Gatherer;
use crate::allocator::sorted::Sorted;
use crate::allocator::status::StatusCode;
use account::{Before, NodeAccount, PodAccount, Summary};
use claimkit_model::message::{self, Message, Words, message};
use edits::FactEdit;
use kinds::{BeforeNodes, NodeVerdict};
pub use warnings::of_allocations;

/// All node searches together may use this many times the budget of one node.
const MOST_BUDGETS: u64 = 10;

/// The devices in the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrix {
    /// Devices of nodes where nothing was allocated.
    #[default]
    Failed,
    All,
    Nothing,
}

/// How far an account goes.
///
/// ```
/// use claimkit::{AllocateOptions, Explain, Matrix};
///
/// let explain = Explain::default().budget(1_000).relax(false).matrix(Matrix::All);
/// let answer = claimkit::allocate("", &AllocateOptions::default().explain(explain)).unwrap();
/// assert!(answer.pods.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Explain {
    /// Steps of each node's search.
    pub budget: u64,
    /// Look for changes that help.
    pub relax: bool,
    pub matrix: Matrix,
}

impl Explain {
    /// Sets the number of steps of each node's search.
    pub fn budget(mut self, steps: u64) -> Self {
        self.budget = steps;
        self
    }

    /// Sets whether to look for changes that help.
    pub fn relax(mut self, relaxes: bool) -> Self {
        self.relax = relaxes;
        self
    }

    /// Sets the devices in the matrix.
    pub fn matrix(mut self, matrix: Matrix) -> Self {
        self.matrix = matrix;
        self
    }
}

impl Default for Explain {
    fn default() -> Self {
        Explain {
            budget: 100_000,
            relax: true,
            matrix: Matrix::Failed,
        }
    }
}

/// Returns the account of a pod, or of claims without one, on some nodes.
pub fn explain_pod(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    nodes: &[usize],
    options: Explain,
) -> PodAccount {
    let nodes: Vec<(usize, &str)> = nodes.iter().map(|node| (*node, "")).collect();
    let mut account = explain_pod_apart(cluster, case, &nodes, options);
    let gained = of_allocations(cluster, &case.pending, account.nodes.iter());
    account.findings.extend(gained);
    account
}

/// Returns the account as [`explain_pod`] does, without findings about what the nodes give: the pod gets at most one of them.
/// Nodes share an account only if their texts are equal too.
pub fn explain_pod_apart(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    nodes: &[(usize, &str)],
    options: Explain,
) -> PodAccount {
    let mut account = account_without_nodes(case);
    if !case.goes_on() {
        account.before = Some(explain_before_nodes(cluster, case));
        return account;
    }
    account.nodes = explain_nodes(cluster, case, nodes, options);
    if warnings::names_claim_twice(case) {
        // With other devices it is not bound either.
        for node in &mut account.nodes {
            node.relaxations.clear();
        }
    }
    fail_to_score(case, &mut account.nodes);
    account.summary = summary(&account.nodes);
    account.findings = warnings::findings(cluster, case, &account);
    account.lacks_admin_label = warnings::lacks_admin_label(cluster, case);
    account
}

/// Returns the account of a pod without nodes: its claims, and what stops it before any node is looked at.
pub fn explain_before(cluster: &Cluster<'_>, case: &PodCase<'_>) -> PodAccount {
    PodAccount {
        before: (!case.goes_on()).then(|| explain_before_nodes(cluster, case)),
        ..account_without_nodes(case)
    }
}

/// Returns the account of a pod with its claims and extended resources.
fn account_without_nodes(case: &PodCase<'_>) -> PodAccount {
    let refused = case.refused.filter(|_| case.pod.is_none());
    let claims = case.pending.iter().chain(&case.allocated).copied();
    let names = claims
        .chain(refused)
        .map(|claim| claim.metadata.full_name());
    let mut account = PodAccount {
        pod: case.pod.map(|pod| pod.metadata.full_name()),
        claims: names.collect(),
        ..PodAccount::default()
    };
    if let Some(extended) = &case.extended {
        let classes = extended.classes.iter();
        account.extended_resources = classes
            .map(|(name, class)| ((*name).to_owned(), class.metadata.name.clone()))
            .collect();
    }
    account
}

/// Explains a pod that is stopped before any node is looked at.
fn explain_before_nodes(cluster: &Cluster<'_>, case: &PodCase<'_>) -> Before {
    let stage = if case.pre_enqueue.code == StatusCode::Success {
        BeforeNodes::PreFilter
    } else {
        BeforeNodes::PreEnqueue
    };
    let mut before = Before {
        stage,
        code: case.pre_filter.code,
        message: case.pre_filter.message().unwrap_or_default(),
        help: None,
        absent: None,
    };
    if case.pre_filter.code == StatusCode::Skip {
        before.help = Some(stopped::skipped(cluster, case));
    } else if let Some(help) = stopped::help(cluster, case) {
        before.help = Some(help.text);
        before.absent = help.absent;
    }
    before
}

/// Explains nodes one after another, without relaxations that would end the attempt.
fn explain_nodes(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    nodes: &[(usize, &str)],
    options: Explain,
) -> Vec<NodeAccount> {
    let gatherer = Gatherer::new(cluster);
    let mut accounts = Vec::with_capacity(nodes.len());
    let mut groups_by_text: Sorted<&str, Sorted<String, String>> = Sorted::new();
    let mut left = options.budget.saturating_mul(MOST_BUDGETS);
    let mut edits = Vec::new();
    let mut may_fail = Vec::new();
    for (at, text) in nodes {
        let groups = groups_by_text.entry(*text);
        let of_node = Explain {
            budget: options.budget.min(left),
            ..options
        };
        let explained = node::account(cluster, case, *at, &gatherer, of_node, groups);
        let mut account = explained.account;
        if !text.is_empty() {
            forget_error(&mut account);
        }
        left = left.saturating_sub(account.cost);
        groups.insert_new(explained.signature, account.name.clone());
        accounts.push(account);
        edits.push(explained.edits);
        // Other plugins keep the attempt from a node that they refuse.
        if explained.may_fail && text.is_empty() {
            may_fail.push(*at);
        }
    }
    leave_out_failing(&mut accounts, edits, |edits| {
        may_fail
            .iter()
            .any(|node| node::fails_after(cluster, case, *node, &gatherer, options.budget, edits))
    });
    accounts
}

/// Takes back an error of devices on a node that other plugins refuse: the scheduler looks at devices last, and does not meet it.
fn forget_error(node: &mut NodeAccount) {
    if matches!(node.verdict, NodeVerdict::Error | NodeVerdict::NodeError) {
        node.verdict = NodeVerdict::None;
        node.fatal = false;
    }
}

/// Leaves out the relaxations with which an error on another node would end the attempt. `edits`: of each node, of each relaxation.
fn leave_out_failing(
    nodes: &mut [NodeAccount],
    edits: Vec<Vec<Vec<FactEdit>>>,
    fails: impl Fn(&[FactEdit]) -> bool,
) {
    let mut known: Vec<(Vec<FactEdit>, bool)> = Vec::new();
    for (node, edits) in nodes.iter_mut().zip(edits) {
        let mut edits = edits.into_iter();
        node.relaxations.retain(|_| {
            let mut edits = edits.next().unwrap_or_default();
            // Claims to be freed are counted node by node.
            edits.retain(|edit| !matches!(edit, FactEdit::Free { .. }));
            if edits.is_empty() {
                return true;
            }
            if let Some((_, fails)) = known.iter().find(|(known, _)| *known == edits) {
                return !fails;
            }
            let is_failing = fails(&edits);
            known.push((edits, is_failing));
            !is_failing
        });
    }
}

/// Returns the help for the defect of `Score` in some releases, which affects pods that fit on several nodes.
fn score_help() -> Message {
    message!(
        "device.score-fails-help",
        "kube-scheduler fails for every pod with allocated and other claims that fits on several nodes; Kubernetes 1.35.6 and 1.36.2 fix it"
    )
}

/// Turns fitting nodes into errors if `Score` fails. The scheduler scores only if several nodes fit.
fn fail_to_score(case: &PodCase<'_>, nodes: &mut [NodeAccount]) {
    if nodes
        .iter()
        .filter(|node| node.verdict == NodeVerdict::Allocated)
        .count()
        < 2
    {
        return;
    }
    for node in nodes
        .iter_mut()
        .filter(|node| node.verdict == NodeVerdict::Allocated)
    {
        let results = node.allocations.as_ref().map_or(0, Vec::len);
        if let Some(error) = case.score_error(results) {
            let help = score_help();
            node.text = words::of_node(
                &node.name,
                message::sentences([Words::upstream(error.clone()), help.clone().into()]),
            );
            node.verdict = NodeVerdict::Error;
            (node.message, node.code, node.fatal, node.help) =
                (Some(error), Some(StatusCode::Error), true, Some(help));
            node.allocations = None;
        }
    }
}

/// Counts the messages of nodes.
pub fn summary(nodes: &[NodeAccount]) -> Vec<Summary> {
    let mut list: Vec<Summary> = Vec::new();
    for node in nodes {
        // If there are several reasons, count each of them.
        let one = [node.message.clone().unwrap_or_default()];
        let messages = if node.reasons.is_empty() {
            one.as_slice()
        } else {
            node.reasons.as_slice()
        };
        for message in messages {
            match list.iter_mut().find(|entry| entry.message == *message) {
                Some(entry) => entry.nodes.push(node.name.clone()),
                None => list.push(Summary {
                    message: message.clone(),
                    nodes: vec![node.name.clone()],
                }),
            }
        }
    }
    list
}
