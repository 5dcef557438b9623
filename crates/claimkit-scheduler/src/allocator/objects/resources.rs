//! Amounts of resources that a container, a pod or a claim for a volume asks for.

use super::read::{Datum, FactReader, ReadFact};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;

object! {
    /// `resources` of a container, a pod or a claim for a volume.
    Resources {
        requests: Sorted<String, Amount> = "requests",
        limits: Sorted<String, Amount> = "limits",
        /// Claims that the container uses, by their names within the pod.
        claims: Vec<UsedClaim> = "claims",
    }
}

object! {
    /// `resources.claims[]` of a container.
    UsedClaim {
        /// Name within the pod.
        name: String = "name",
        /// The request whose devices it uses; empty: all of the claim.
        request: String = "request",
    }
}
