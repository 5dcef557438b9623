//! CEL selectors of device requests, classes and rules.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateCELSelector`, and `dynamic-resource-allocation/cel/compile.go`.

use super::judge::{Age, Judge};
use crate::validation::expression as compiled;
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::CELDeviceSelector;
use claimkit_scheduler::environments;

/// Validates the expression of a `cel` struct.
pub fn expression(
    judge: &mut Judge<'_>,
    selector: CELDeviceSelector<'_>,
    age: Age,
    path: &Path<'_>,
) {
    if age == Age::Stored && judge.v.stored_selectors_pass {
        return;
    }
    let expression = selector.expression();
    if let Some(max) = judge
        .limit(selector.expression_slot())
        .filter(|max| expression.len() > *max)
    {
        return judge
            .errors
            .too_long_bytes(Code::SelectorTooLong, path, max);
    }
    let mode = match age {
        Age::New => EnvironmentMode::New,
        Age::Stored => EnvironmentMode::Stored,
    };
    let environment = environments::device(mode, judge.release, judge.gates);
    compiled::judge(&environment, expression, path, judge.errors);
}
