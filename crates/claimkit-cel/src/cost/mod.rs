//! What expressions cost: before they run (estimate) and while they run (spending).

mod argument;
mod calls;
pub(crate) mod estimate;
mod functions;
mod path;
pub(crate) mod spend;

/// Cost of one traversal of a text of this size.
const TRAVERSAL: f64 = 0.1;

/// Cost of a regular expression's code points.
const REGEX: f64 = 0.25;

/// Cost of a new list beside that of its elements.
const NEW_LIST: u64 = 11;

/// Cost of a question to the authorizer.
const AUTHORIZER_CHECK: u64 = 350_000;

/// Returns the product, rounded up; saturates at `u64::MAX`.
pub(crate) fn times(amount: u64, factor: f64) -> u64 {
    let product = (amount as f64 * factor).ceil();
    if product >= 18_446_744_073_709_551_616.0 {
        u64::MAX
    } else {
        product as u64
    }
}

/// Least and most cost of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostRange {
    /// The least cost of a run.
    pub min: u64,
    /// The greatest cost of a run.
    pub max: u64,
}

impl CostRange {
    /// Returns the range of one number.
    pub(crate) fn fixed(cost: u64) -> CostRange {
        CostRange {
            min: cost,
            max: cost,
        }
    }

    fn add(self, other: CostRange) -> CostRange {
        CostRange {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    fn union(self, other: CostRange) -> CostRange {
        CostRange {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn times(self, factor: f64) -> CostRange {
        CostRange {
            min: times(self.min, factor),
            max: times(self.max, factor),
        }
    }

    fn multiply(self, other: CostRange) -> CostRange {
        CostRange {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }
}

/// Least and most size of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl Size {
    const UNKNOWN: Size = Size {
        min: 0,
        max: u64::MAX,
    };

    fn fixed(size: u64) -> Size {
        Size {
            min: size,
            max: size,
        }
    }

    /// Returns the start value for a union of sizes; for an empty container the minimum is 0.
    fn nothing(empty: bool) -> Size {
        Size {
            min: if empty { 0 } else { u64::MAX },
            max: 0,
        }
    }

    fn add(self, other: Size) -> Size {
        Size {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    fn union(self, other: Size) -> Size {
        Size {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn times(self, factor: f64) -> CostRange {
        CostRange {
            min: times(self.min, factor),
            max: times(self.max, factor),
        }
    }

    fn times_cost(self, cost: CostRange) -> CostRange {
        CostRange {
            min: self.min.saturating_mul(cost.min),
            max: self.max.saturating_mul(cost.max),
        }
    }

    fn multiply(self, other: Size) -> Size {
        Size {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }
}
