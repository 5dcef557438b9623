//! Quotas of namespaces.

use super::Meta;
use super::read::{Datum, FactReader, ReadFact};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;

object! {
    /// A ResourceQuota.
    Quota {
        metadata: Meta = "metadata",
        spec: QuotaSpec = "spec",
        status: QuotaStatus = "status",
    }
}

object! {
    /// `spec` of a ResourceQuota.
    QuotaSpec {
        /// The limits.
        hard: Sorted<String, Amount> = "hard",
        /// The pods that are counted.
        scopes: Vec<String> = "scopes",
        scope_selector: ScopeSelector = "scopeSelector",
    }
}

object! {
    /// `spec.scopeSelector`.
    ScopeSelector {
        match_expressions: Vec<ScopeRequirement> = "matchExpressions",
    }
}

object! {
    /// `matchExpressions[]` of a scope selector.
    ScopeRequirement {
        scope_name: String = "scopeName",
    }
}

object! {
    /// `status` of a ResourceQuota.
    QuotaStatus {
        /// The limits that are enforced.
        hard: Sorted<String, Amount> = "hard",
        /// What is used of them.
        used: Sorted<String, Amount> = "used",
    }
}

impl Quota {
    /// Returns the limits that are enforced, or those that are to be.
    pub fn limits(&self) -> &Sorted<String, Amount> {
        if self.status.hard.is_empty() {
            &self.spec.hard
        } else {
            &self.status.hard
        }
    }
}

impl QuotaSpec {
    /// Returns true if only some pods are counted: then claims never are (kube-apiserver 1.37,
    /// pkg/quota/v1/evaluator/core/resource_claims.go, `Matches`).
    pub fn is_of_pods(&self) -> bool {
        !self.scopes.is_empty() || !self.scope_selector.match_expressions.is_empty()
    }
}
