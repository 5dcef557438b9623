//! DeviceTaintRule, and the taints of devices.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateDeviceTaintRule` and `validateDeviceTaint`.

use super::judge::{Age, Judge};
use crate::api::Scope;
use crate::finding::{Code, Path};
use crate::names;
use crate::record::Record;
use crate::record::view::Object;
use crate::rules::context::Context;
use crate::rules::errors::Errors;
use crate::rules::{immutable, metadata};

/// Validates a new rule.
pub fn create(rule: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(Object::new(rule).metadata(), Scope::Cluster, context.rules, errors);
    Judge::new(context, errors).rule_spec(rule.record("spec"), None);
}

/// Validates an update of a rule.
pub fn update(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    Judge::new(context, errors).rule_spec(new.record("spec"), old.record("spec"));
}

/// Validates a changed status: conditions only.
pub fn update_status(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    let Some(status) = new.record("status") else { return };
    let mut judge = Judge::new(context, errors);
    let root = Path::ROOT;
    let path = root.field("status");
    let path = path.field("conditions");
    let conditions = status.list("conditions");
    judge.conditions(conditions, &path);
    if let Some(max) = judge.limit(status, "conditions").filter(|max| conditions.len() > *max) {
        judge.errors.too_many(Code::ListTooLong, &path, conditions.len(), max);
    }
}

impl Judge<'_> {
    fn rule_spec(&mut self, spec: Option<&Record<'_>>, old: Option<&Record<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        let Some(spec) = spec else { return };
        if let Some(selector) = spec.record("deviceSelector") {
            self.rule_selector(selector, old.and_then(|old| old.record("deviceSelector")), &path.field("deviceSelector"));
        }
        let zero;
        let taint = match spec.record("taint") {
            Some(taint) => taint,
            None => {
                let Some(schema) = spec.schema.slot("taint").and_then(|slot| spec.schema.fields.get(slot)?.ty.as_struct()) else {
                    return;
                };
                zero = Record::empty(schema);
                &zero
            }
        };
        let same_effect = self.v.stored_taints
            && old.is_some_and(|old| old.record("taint").map_or("", |taint| taint.str("effect")) == taint.str("effect"));
        self.taint(taint, same_effect, &path.field("taint"));
    }

    fn rule_selector(&mut self, selector: &Record<'_>, old: Option<&Record<'_>>, path: &Path<'_>) {
        if self.has_field(selector, "deviceClassName") && selector.has("deviceClassName") {
            self.subdomain(Code::ClassNameInvalid, selector.str("deviceClassName"), &path.field("deviceClassName"));
        }
        if selector.has("driver") {
            self.driver_name(selector.str("driver"), &path.field("driver"));
        }
        if selector.has("pool") {
            self.pool_name(selector.str("pool"), &path.field("pool"));
        }
        if selector.has("device") {
            self.label(Code::DeviceNameInvalid, selector.str("device"), &path.field("device"));
        }
        if self.has_field(selector, "selectors") {
            let same = old.is_some_and(|old| immutable::same_field(selector, old, "selectors"));
            self.selectors(selector, if same { Age::Stored } else { Age::New }, path);
        }
    }

    /// Validates a taint. The effect is not judged where it did not change.
    pub fn taint(&mut self, taint: &Record<'_>, same_effect: bool, path: &Path<'_>) {
        let code = Code::TaintInvalid;
        let wording = self.errors.wording();
        let (key, value, effect) = (taint.str("key"), taint.str("value"), taint.str("effect"));
        self.errors.malformed(code, &path.field("key"), key, &names::qualified_name_in(key, wording));
        if !value.is_empty() {
            self.errors.malformed(code, &path.field("value"), value, &names::label_value_in(value, wording));
        }
        if same_effect {
            return;
        }
        let allowed = self.effects(taint);
        if effect.is_empty() {
            self.errors.required(code, &path.field("effect"), "");
        } else if !allowed.contains(&effect) {
            self.errors.not_supported(code, &path.field("effect"), effect, &allowed);
        }
    }
}
