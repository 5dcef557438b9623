//! Lines of the output of `allocate`.

use claimkit::{HowMany, PlacementMode};
use claimkit_model::message::Message;
use claimkit_model::schema::Release;
use claimkit_scheduler::explain::account::PodAccount;

/// The width of text that goes to no terminal, in columns.
const WIDTH: usize = 80;
/// Narrower terminals get lines of this many columns.
pub const LEAST_WIDTH: usize = 40;
/// Maximum number of names in one line.
pub const MOST_NAMES: usize = 3;

/// The parts of an answer that are printed.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    pub release: Release,
    /// The mode in which pods were placed.
    pub mode: PlacementMode,
    /// The number of pods that wait beside these.
    pub beside: usize,
    /// How often the repeated pod fits.
    pub how_many: Option<&'a HowMany>,
    /// The changes that the answer assumes.
    pub assumed: &'a [Message],
    /// How many claims that are made for new pods are not among what is assumed.
    pub claims_left_out: usize,
    pub pods: &'a [PodAccount],
    /// Each node is explained, because the command line names nodes.
    pub every_node: bool,
    pub width: Width,
}

/// Returns the name of a pod, or of claims without one.
pub fn name(pod: &PodAccount) -> String {
    match &pod.pod {
        Some(name) => name.clone(),
        None if pod.claims.is_empty() => "claims without a pod".to_owned(),
        None => pod.claims.join(", "),
    }
}

/// The number of columns that lines may have.
#[derive(Clone, Copy, Debug)]
pub struct Width(pub usize);

impl Width {
    /// Returns the width of a terminal; `None`: the text goes to none.
    pub fn of(columns: Option<usize>) -> Self {
        Width(columns.map_or(WIDTH, |columns| columns.max(LEAST_WIDTH)))
    }

    /// Returns lines of at most this width, the first indented by `first`, the others by `rest`.
    pub fn wrapped(self, text: &str, first: usize, rest: usize) -> String {
        claimkit::report::text::wrapped(text, first, rest, self.0)
    }
}
