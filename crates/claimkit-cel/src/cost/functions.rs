//! Functions by how their costs are counted: the estimate and the count of a run read the same names.

use super::super::dialect::DialectRules;

/// A function of kube-apiserver's libraries, or several with costs alike (`k8s.io/apiserver/pkg/cel/library/cost.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LibraryFunction {
    /// Asks the authorizer.
    Check,
    /// Goes through the parts of a list or a text.
    Parts,
    Includes,
    /// Reads a URL.
    Url,
    /// Makes a text of about the same size from a text.
    ChangedText,
    Replace,
    Split,
    Join,
    Find,
    /// Takes a constant time.
    Constant,
    /// Reads an address, a network, a quantity or a version.
    Read,
    IsCanonical,
    ContainsIp {
        /// The address is read from a text.
        reads_text: bool,
    },
    ContainsCidr {
        /// The network is read from a text.
        reads_text: bool,
    },
    ValidateFormat,
}

impl LibraryFunction {
    /// Returns the function of a call; `overload` is empty if several can match.
    pub(super) fn named(name: &str, overload: &str, rules: &DialectRules) -> Option<Self> {
        Some(match name {
            "check" => LibraryFunction::Check,
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                LibraryFunction::Parts
            }
            "includes" => LibraryFunction::Includes,
            "url" => LibraryFunction::Url,
            "lowerAscii" | "upperAscii" | "substring" | "trim" => LibraryFunction::ChangedText,
            "replace" => LibraryFunction::Replace,
            "split" => LibraryFunction::Split,
            "join" => LibraryFunction::Join,
            "find" | "findAll" => LibraryFunction::Find,
            "ip" if overload == "cidr_ip" => LibraryFunction::Constant,
            "semver" | "isSemver" if rules.plain_versions => LibraryFunction::Constant,
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver"
            | "isSemver" => LibraryFunction::Read,
            "ip.isCanonical" => LibraryFunction::IsCanonical,
            "containsIP" => LibraryFunction::ContainsIp {
                reads_text: overload == "cidr_contains_ip_string",
            },
            "containsCIDR" => LibraryFunction::ContainsCidr {
                reads_text: overload == "cidr_contains_cidr_string",
            },
            "validate" => LibraryFunction::ValidateFormat,
            _ => return None,
        })
    }
}

/// A function of cel-go's extensions, which count themselves what they cost (`ext/lists.go`, `ext/sets.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtensionFunction {
    /// Compares each element of a list with each of another, this many times.
    CompareSets {
        times: u8,
    },
    Slice,
    Range,
    Reverse,
    Flatten,
    FlattenToDepth,
    Distinct,
    Sort,
    SortByKeys,
}

impl ExtensionFunction {
    /// Returns the function of an overload.
    pub(super) fn of_overload(overload: &str, rules: &DialectRules) -> Option<Self> {
        Some(match overload {
            "list_sets_contains_list" | "list_sets_intersects_list" => {
                ExtensionFunction::CompareSets { times: 1 }
            }
            "list_sets_equivalent_list" => ExtensionFunction::CompareSets { times: 2 },
            _ if !rules.list_costs => return None,
            "list_slice" => ExtensionFunction::Slice,
            "lists_range" => ExtensionFunction::Range,
            "list_reverse" => ExtensionFunction::Reverse,
            "list_flatten" => ExtensionFunction::Flatten,
            "list_flatten_int" => ExtensionFunction::FlattenToDepth,
            "list_distinct" => ExtensionFunction::Distinct,
            _ if overload.ends_with("_sort") => ExtensionFunction::Sort,
            _ if overload.ends_with("_sortByAssociatedKeys") => ExtensionFunction::SortByKeys,
            _ => return None,
        })
    }
}

/// Returns true for the order of two texts, or of two values of type bytes.
pub(super) fn is_order_of_texts(overload: &str) -> bool {
    matches!(
        overload,
        "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
    )
}
