//! CEL compile errors of a selector, as validation errors of its field.
//!
//! Source: kube-apiserver, pkg/apis/resource/validation/validation.go, `validateCELSelector` and `convertCELErrorToValidationError`; 1.30:
//! pkg/apis/resource/structured/namedresources/validation/validation.go, `validateSelector`.

use crate::validation::errors::{Bad, Errors, Panic};
use claimkit_model::cel::compile::{CompileError, CompileStage};
use claimkit_model::cel::{Environment, SELECTOR_COST_LIMIT};
use claimkit_model::finding::{Code, Path};

/// Compiles the expression at a path. Releases that estimate costs refuse what may cost too much.
pub fn judge(environment: &Environment, expression: &str, path: &Path<'_>, errors: &mut Errors) {
    match environment.compile(expression) {
        Ok(program) => {
            if program
                .cost_estimate()
                .is_some_and(|cost| cost.max > SELECTOR_COST_LIMIT)
            {
                errors.forbidden(
                    Code::SelectorTooExpensive,
                    path,
                    "too complex, exceeds cost limit",
                );
            }
        }
        // A limit of this engine: it has no answer.
        Err(error) if error.stage == CompileStage::Limit => errors.uncompiled_at(path),
        Err(CompileError {
            stage: CompileStage::Crash(crash),
            ..
        }) => errors.panic(path, Panic::Expression(crash)),
        Err(error) if error.is_internal() => {
            errors.internal(Code::SelectorInvalid, path, &error.text)
        }
        Err(error) => errors.invalid(
            Code::SelectorInvalid,
            path,
            Bad::Str(expression),
            &error.text,
        ),
    }
}
