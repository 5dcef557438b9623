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
    /// Where the sizes of what the values contain are, since cel-go 0.33.
    pub inner: Option<usize>,
}

impl EntrySizes {
    /// Returns the sizes of a list with such elements.
    pub(super) fn list(value: Size, inner: Option<usize>) -> EntrySizes {
        EntrySizes {
            is_list: true,
            key: Size::fixed(1),
            value,
            inner,
        }
    }

    /// Joins the sizes with those of a value of whose parts nothing is known (cel-go, `common/cost/helper.go`, `mergeMeta`): what may
    /// have parts may have any.
    pub(super) fn with(self, other: &ArgumentCost<'_>) -> EntrySizes {
        let has_parts = !matches!(
            other.kind,
            Type::String | Type::Bytes | Type::Bool | Type::Int
        ) && !matches!(other.kind, Type::Uint | Type::Double | Type::Null)
            && !matches!(other.kind, Type::Timestamp | Type::Duration)
            && other.size().max > 0;
        if !has_parts {
            return self;
        }
        EntrySizes {
            key: if self.is_list {
                self.key
            } else {
                Size::UNKNOWN
            },
            value: Size::UNKNOWN,
            ..self
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
