//! DeviceTaintRule, and the taints of devices.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateDeviceTaintRule` and `validateDeviceTaint`.

use super::judge::{Age, Judge};
use crate::validation::context::Context;
use crate::validation::errors::Errors;
use crate::validation::{immutable, metadata};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::{
    DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector,
};
use claimkit_model::schema::Scope;
use claimkit_values::names;

/// Validates a new rule.
pub fn create(rule: DeviceTaintRule<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(rule.metadata(), Scope::Cluster, context.rules, errors);
    Judge::new(context, errors).rule_spec(rule.spec(), None);
}

/// Validates an update of a rule.
pub fn update(
    new: DeviceTaintRule<'_>,
    old: DeviceTaintRule<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    Judge::new(context, errors).rule_spec(new.spec(), Some(old.spec()));
}

/// Validates a changed status: conditions only.
pub fn update_status(
    new: DeviceTaintRule<'_>,
    old: DeviceTaintRule<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let mut judge = Judge::new(context, errors);
    let root = Path::ROOT;
    let status = root.field("status");
    let path = status.field("conditions");
    let conditions = new.status().conditions();
    judge.conditions(conditions, &path);
    if let Some(max) = judge
        .limit(conditions.slot())
        .filter(|max| conditions.len() > *max)
    {
        judge
            .errors
            .too_many(Code::ListTooLong, &path, conditions.len(), max);
    }
}

impl Judge<'_> {
    fn rule_spec(&mut self, spec: DeviceTaintRuleSpec<'_>, old: Option<DeviceTaintRuleSpec<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        if let Some(selector) = spec.device_selector() {
            let stored = old.and_then(DeviceTaintRuleSpec::device_selector);
            self.rule_selector(selector, stored, &path.field("deviceSelector"));
        }
        let taint = spec.taint();
        let old_effect = old.map(|old| old.taint().effect());
        let same_effect = self.v.stored_taints && old_effect == Some(taint.effect());
        let taint_path = path.field("taint");
        self.taint(taint, &taint_path);
        if !same_effect {
            self.taint_effect(taint, &taint_path);
        }
    }

    fn rule_selector(
        &mut self,
        selector: DeviceTaintSelector<'_>,
        old: Option<DeviceTaintSelector<'_>>,
        path: &Path<'_>,
    ) {
        if let Some(class) = selector
            .device_class_name()
            .filter(|_| self.knows(selector.device_class_name_slot()))
        {
            self.subdomain(
                Code::ClassNameInvalid,
                class,
                &path.field("deviceClassName"),
            );
        }
        if let Some(driver) = selector.driver() {
            self.driver_name(driver, &path.field("driver"));
        }
        if let Some(pool) = selector.pool() {
            self.pool_name(pool, &path.field("pool"));
        }
        if let Some(device) = selector.device() {
            self.label(Code::DeviceNameInvalid, device, &path.field("device"));
        }
        let selectors = selector.selectors();
        if self.knows(selectors.slot()) {
            let same = old
                .is_some_and(|old| immutable::same_field(selectors.slot(), old.selectors().slot()));
            self.selectors(selectors, if same { Age::Stored } else { Age::New }, path);
        }
    }

    /// Validates a taint, but for its effect.
    pub fn taint(&mut self, taint: DeviceTaint<'_>, path: &Path<'_>) {
        let code = Code::TaintInvalid;
        let wording = self.errors.wording();
        let (key, value) = (taint.key(), taint.value());
        self.errors.malformed(
            code,
            &path.field("key"),
            key,
            &names::qualified_name_in(key, wording),
        );
        if !value.is_empty() {
            self.errors.malformed(
                code,
                &path.field("value"),
                value,
                &names::label_value_in(value, wording),
            );
        }
    }

    /// Validates the effect of a taint.
    pub fn taint_effect(&mut self, taint: DeviceTaint<'_>, path: &Path<'_>) {
        let code = Code::TaintInvalid;
        let effect = taint.effect();
        let allowed = self.effects(taint.effect_slot());
        if effect.is_empty() {
            self.errors.required(code, &path.field("effect"), "");
        } else if !allowed.contains(&effect) {
            self.errors
                .not_supported(code, &path.field("effect"), effect, &allowed);
        }
    }
}
