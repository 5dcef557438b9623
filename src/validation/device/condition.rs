//! Conditions: of claim devices, DeviceTaintRules and ResourcePoolStatusRequests.
//!
//! Source: apimachinery `pkg/apis/meta/v1/validation`, `ValidateConditions`.

use super::judge::Judge;
use crate::validation::errors::Bad;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::List;
use claimkit_model::object::view::device::Condition;
use claimkit_values::names;
use std::collections::BTreeSet;

const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
const REASON_MAX: usize = 1024;
const MESSAGE_MAX: usize = 32 * 1024;
const STATUSES: &[&str] = &["False", "True", "Unknown"];

impl Judge<'_> {
    /// Validates the items of a list of conditions, its size apart.
    pub fn conditions(&mut self, conditions: List<'_, Condition<'_>>, path: &Path<'_>) {
        let mut seen = BTreeSet::new();
        for (index, condition) in conditions.iter().enumerate() {
            let path = path.index(index);
            let kind = condition.kind();
            if !seen.insert(kind) {
                let path = if self.v.conditions_required {
                    path
                } else {
                    path.field("type")
                };
                self.errors
                    .duplicate(Code::ConditionInvalid, &path, Bad::Str(kind));
            }
            self.condition(condition, &path);
        }
    }

    fn condition(&mut self, condition: Condition<'_>, path: &Path<'_>) {
        let code = Code::ConditionInvalid;
        let kind = condition.kind();
        let wording = self.errors.wording();
        if kind.is_empty() && self.v.conditions_required {
            self.errors
                .required(code, &path.field("type"), "is required");
        } else {
            self.errors.malformed(
                code,
                &path.field("type"),
                kind,
                &names::qualified_name_in(kind, wording),
            );
        }
        let status = condition.status();
        if status.is_empty() && self.v.conditions_required {
            self.errors.required(code, &path.field("status"), "");
        } else if !STATUSES.contains(&status) {
            self.errors
                .not_supported(code, &path.field("status"), status, STATUSES);
        }
        let generation = condition.observed_generation();
        if generation < 0 {
            let detail = "must be greater than or equal to zero";
            self.errors.invalid(
                code,
                &path.field("observedGeneration"),
                Bad::Int(generation),
                detail,
            );
        }
        if condition.last_transition_time().is_zero() {
            self.errors.required(
                code,
                &path.field("lastTransitionTime"),
                self.v.condition_missing,
            );
        }
        let reason = condition.reason();
        let place = path.field("reason");
        if reason.is_empty() {
            self.errors.required(code, &place, self.v.condition_missing);
        } else {
            if !is_reason(reason) {
                self.errors.invalid(code, &place, Bad::Str(reason), REASON);
            }
            if reason.len() > REASON_MAX {
                self.errors.too_long_bytes(code, &place, REASON_MAX);
            }
        }
        if condition.message().len() > MESSAGE_MAX {
            self.errors
                .too_long_bytes(code, &path.field("message"), MESSAGE_MAX);
        }
    }
}

fn is_reason(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = bytes
        .last()
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let starts = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    starts
        && (ends || bytes.len() == 1)
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b',' | b':'))
}
