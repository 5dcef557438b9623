//! Quotas of namespaces.

use super::Meta;
use super::read::{Datum, FactReader, ReadFact};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;

object! {
    /// A ResourceQuota.
    Quota {
        metadata: Meta = "metadata",
        spec: QuotaAmounts = "spec",
        status: QuotaAmounts = "status",
    }
}

object! {
    /// `spec` and `status` of a ResourceQuota.
    QuotaAmounts {
        /// The limits.
        hard: Sorted<String, Amount> = "hard",
        /// What is used of them; only in the status.
        used: Sorted<String, Amount> = "used",
    }
}
