//! CEL selectors of device requests, classes and rules.

use super::judge::{Age, Judge};
use crate::finding::{Code, Path};
use crate::record::Record;

/// The expression of a `cel` struct. What the compiler would say of it is not known yet.
pub fn expression(judge: &mut Judge<'_>, selector: &Record<'_>, _: Age, path: &Path<'_>) {
    let expression = selector.str("expression");
    if let Some(max) = judge.limit(selector, "expression").filter(|max| expression.len() > *max) {
        return judge.errors.too_long_bytes(Code::SelectorTooLong, path, max);
    }
    judge.errors.uncompiled_at(path);
}
