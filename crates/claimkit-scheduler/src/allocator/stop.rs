//! How a search or what is checked before it can end.

/// Why a search ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Upstream's error, fatal for the pod.
    Fatal(String),
    /// Upstream's error about this node.
    OfNode(String),
    /// Upstream panics and the scheduler crashes; holds its message.
    Panic(String),
    /// The search ended without a solution before all was tried.
    Ended,
    /// The claim would get too many devices.
    TooMany,
    /// Claimkit's own step limit was reached.
    Undecided,
}
