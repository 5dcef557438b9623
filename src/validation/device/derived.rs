//! `derivedAttributes` of requests, from 1.37 on.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateDerivedAttributes`.

use super::judge::Judge;
use crate::validation::errors::{Bad, Panic};
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::cel::compile::{CompileError, CompileStage};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::List;
use claimkit_model::object::view::device::{
    CapacityRequirements, DeviceClaim, DeviceConstraint, DeviceDerivedAttribute,
};
use claimkit_scheduler::environments;
use std::collections::BTreeSet;

const CODE: Code = Code::DerivedAttributeInvalid;

/// Maximum cost of a derived attribute, and of all of a claim together.
const COST_MAX: u64 = 1_000_000;

/// A request or an alternative, by the names that constraints call it.
pub struct Asked<'r> {
    /// The name of the request.
    pub request: &'r str,
    /// The name of the alternative.
    pub alternative: Option<&'r str>,
    /// The requests and constraints of the claim.
    pub devices: DeviceClaim<'r>,
    /// The requests of the stored template, in an update of one.
    pub old: Option<DeviceClaim<'r>>,
}

impl<'r> Asked<'r> {
    /// Returns the capacity that the stored request of the same name asks for.
    pub fn stored_capacity(&self) -> Option<CapacityRequirements<'r>> {
        let mut stored = self.old?.requests().iter();
        let request = stored.find(|request| request.name() == self.request)?;
        match self.alternative {
            None => request.exactly()?.capacity(),
            Some(name) => {
                let mut alternatives = request.first_available().iter();
                alternatives
                    .find(|stored| stored.name() == name)?
                    .capacity()
            }
        }
    }
}

impl Judge<'_> {
    /// Validates the derived attributes of a request or an alternative. Returns what they may cost.
    pub fn derived_attributes(
        &mut self,
        attributes: List<'_, DeviceDerivedAttribute<'_>>,
        asked: &Asked<'_>,
        path: &Path<'_>,
    ) -> u64 {
        let path = path.field("derivedAttributes");
        let mut cost = 0u64;
        let mut seen = BTreeSet::new();
        for (index, derived) in attributes.iter().enumerate() {
            let item = path.index(index);
            let (name, expression) = (derived.name(), derived.expression());
            if !name.is_empty()
                && !asked
                    .devices
                    .constraints()
                    .iter()
                    .any(|constraint| names(constraint, name, asked))
            {
                let detail = "must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request";
                self.errors
                    .invalid(CODE, &item.field("name"), Bad::Named(name), detail);
            }
            if !expression.is_empty() {
                cost = cost
                    .saturating_add(self.derived_expression(derived, &item.field("expression")));
            }
            if !seen.insert(name) {
                self.errors.duplicate(CODE, &item, Bad::Named(name));
            }
        }
        cost
    }

    fn derived_expression(&mut self, derived: DeviceDerivedAttribute<'_>, path: &Path<'_>) -> u64 {
        let expression = derived.expression();
        if let Some(max) = self
            .limit(derived.expression_slot())
            .filter(|max| expression.len() > *max)
        {
            self.errors.too_long_bytes(Code::SelectorTooLong, path, max);
            return 0;
        }
        let environment = environments::derived(EnvironmentMode::New, self.release, self.gates);
        match environment.compile(expression) {
            Ok(program) => {
                let cost = program.cost_estimate().map_or(0, |cost| cost.max);
                if cost > COST_MAX {
                    self.errors.forbidden(
                        Code::SelectorTooExpensive,
                        path,
                        "too complex, exceeds cost limit",
                    );
                }
                return cost;
            }
            Err(error) if error.stage == CompileStage::Limit => self.errors.uncompiled_at(path),
            Err(CompileError {
                stage: CompileStage::Crash(crash),
                ..
            }) => self.errors.panic(path, Panic::Expression(crash)),
            Err(error) if error.is_internal() => {
                self.errors
                    .internal(Code::SelectorInvalid, path, &error.text)
            }
            Err(error) => {
                let code = if error.stage == CompileStage::Result {
                    CODE
                } else {
                    Code::SelectorInvalid
                };
                self.errors
                    .invalid(code, path, Bad::Str(expression), &error.text);
            }
        }
        0
    }

    /// Validates the sum of what all derived attributes of a claim may cost.
    pub fn derived_cost(&mut self, cost: u64, path: &Path<'_>) {
        if cost > COST_MAX {
            let detail = "too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit";
            self.errors
                .forbidden(Code::SelectorTooExpensive, path, detail);
        }
    }
}

/// Returns true if a constraint is about an attribute of the request.
fn names(constraint: DeviceConstraint<'_>, attribute: &str, asked: &Asked<'_>) -> bool {
    let about = constraint
        .match_attribute()
        .or_else(|| constraint.distinct_attribute());
    if about.unwrap_or_default() != attribute {
        return false;
    }
    let requests = constraint.requests();
    let whole = asked
        .alternative
        .map(|alternative| format!("{}/{alternative}", asked.request));
    requests.is_empty()
        || requests
            .iter()
            .any(|request| request == asked.request || Some(request) == whole.as_deref())
}
