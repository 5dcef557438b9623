//! What differs between schedulers.

use claimkit_model::schema::Release;
use claimkit_values::GoUnicode;

/// The rules by which a release's scheduler judges selectors and claims.
#[derive(Clone, Copy, Debug)]
pub struct SchedulerRules {
    /// `Unsupported value` of a label operator lists those supported.
    pub lists_operators: bool,
    /// The name of a template's claim is in the pod's status; else it is `<pod>-<entry>`.
    pub claim_name_in_status: bool,
    /// An unallocated claim of mode Immediate is rejected before any other check.
    pub immediate_first: bool,
    /// The class is looked up, and its selector parsed as a whole, before any node is looked at.
    pub class_first: bool,
    /// To find a claim to free, the scheduler checks the first n claims of the pod, where n is the number of unavailable claims,
    /// instead of the unavailable claims themselves: an upstream bug, fixed in 1.30.
    pub frees_by_count: bool,
    /// The scheduling context is looked at before the claims.
    pub context_first: bool,
    /// `structuredParameters` of a class is known.
    pub structured: bool,
    /// Claims are looked up in the scheduler's own cache, which has its own message for a missing claim.
    pub claims_cached: bool,
    /// The scheduling context is written when the pod is bound: the pod waits for that write first.
    pub context_written_late: bool,
    /// The scheduler's message about a pod once a node was selected.
    pub waiting_for_driver: &'static str,
    /// The scheduler's message about a pod when a claim is deallocated for it; earlier releases have none.
    pub deallocated: Option<&'static str>,
    /// Kind of the object through which the scheduler and the drivers agree on a node.
    pub scheduling_kind: &'static str,
    /// The characters that Go prints verbatim.
    pub unicode: GoUnicode,
}

impl SchedulerRules {
    /// Returns the rules of a release. The rules of 1.28 and 1.29 follow upstream's tests; the plugin source was not compared
    /// line by line.
    pub fn of(release: Release) -> Self {
        let minor = release.minor;
        SchedulerRules {
            lists_operators: minor >= 28,
            claim_name_in_status: minor >= 28,
            immediate_first: minor < 30,
            class_first: minor >= 29,
            frees_by_count: minor < 30,
            context_first: minor >= 30,
            structured: minor >= 30,
            claims_cached: minor >= 30,
            context_written_late: minor >= 29,
            waiting_for_driver: if minor >= 29 {
                "waiting for resource driver"
            } else {
                "waiting for resource driver to allocate resource"
            },
            deallocated: (minor >= 30).then_some("deallocation of ResourceClaim completed"),
            scheduling_kind: if minor >= 27 {
                "PodSchedulingContext"
            } else {
                "PodScheduling"
            },
            unicode: release.rules().unicode,
        }
    }
}
