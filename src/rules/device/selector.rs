//! CEL selectors of device requests, classes and rules.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateCELSelector`, and `dynamic-resource-allocation/cel/compile.go`.

use super::judge::{Age, Judge};
use crate::cel::compile::Stage;
use crate::cel::{Mode, SELECTOR_COST_LIMIT};
use crate::finding::{Code, Path};
use crate::record::Record;
use crate::rules::errors::Bad;

/// The expression of a `cel` struct.
pub fn expression(judge: &mut Judge<'_>, selector: &Record<'_>, age: Age, path: &Path<'_>) {
    let expression = selector.str("expression");
    if let Some(max) = judge.limit(selector, "expression").filter(|max| expression.len() > *max) {
        return judge.errors.too_long_bytes(Code::SelectorTooLong, path, max);
    }
    let mode = match age {
        Age::New => Mode::New,
        Age::Stored => Mode::Stored,
    };
    match judge.environments.of(mode, judge.release, judge.gates).compile(expression) {
        Ok(program) => {
            if program.cost_estimate().is_some_and(|cost| cost.max > SELECTOR_COST_LIMIT) {
                judge.errors.forbidden(Code::SelectorTooExpensive, path, "too complex, exceeds cost limit");
            }
        }
        // What this engine does not take on, and what the server calls an internal error: its answer is not known.
        Err(error) if matches!(error.stage, Stage::Limit | Stage::Program) => judge.errors.uncompiled_at(path),
        Err(error) => judge.errors.invalid(Code::SelectorInvalid, path, Bad::Str(expression), &error.text),
    }
}
