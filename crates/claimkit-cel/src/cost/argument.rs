//! What the estimate knows of an argument of a call.

use super::super::ast::Expr;
use super::super::environment::SizeBounds;
use super::super::types::Type;
use super::{CostRange, Size};

/// Sizes of the keys and values of a container.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EntrySizes {
    pub is_list: bool,
    pub key: Size,
    pub value: Size,
}

impl EntrySizes {
    pub(super) fn union(self, other: EntrySizes) -> EntrySizes {
        EntrySizes {
            is_list: self.is_list,
            key: self.key.union(other.key),
            value: self.value.union(other.value),
        }
    }
}

/// The known sizes and costs of an argument of a call.
#[derive(Clone, Copy)]
pub(super) struct ArgumentCost<'a> {
    pub expr: &'a Expr,
    pub kind: &'a Type,
    /// The cost of computing the argument.
    pub cost: CostRange,
    /// Its size, if it is known.
    pub size: Option<Size>,
    /// Sizes of its parts, if they are known.
    pub entry: Option<EntrySizes>,
    /// Its bounds, if it is a part of a variable that has some.
    pub path: Option<&'a SizeBounds>,
}

impl ArgumentCost<'_> {
    /// Returns the size; without bounds if it is not known.
    pub fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}
