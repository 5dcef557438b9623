//! The server's words about `reservedFor` and deallocation, the same in every version (kube-apiserver,
//! `pkg/apis/resource/validation/validation.go`, `ValidateClaimStatusUpdate`, later `ValidateResourceClaimStatusUpdate`).

/// `reservedFor` of a claim without an allocation.
pub const NOT_ALLOCATED: &str = "may not be specified when `allocated` is not set";
/// A consumer that is added to a claim that goes.
pub const ADDED_WHILE_GOING: &str =
    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
/// A request for deallocation of a claim in use.
pub const DEALLOCATION_IN_USE: &str = "deallocation cannot be requested while `reservedFor` is set";
