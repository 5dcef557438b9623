//! ResourceClaim and ResourceClaimTemplate: create and update.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateResourceClaim`, `ValidateResourceClaimUpdate`.

use super::derived::Asked;
use super::judge::{Age, Judge};
use super::selector;
use super::values::RequestNames;
use super::variant::UnionCheck;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::fields::immutable_spec;
use crate::validation::{immutable, metadata};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::FieldValue;
use claimkit_model::object::view::device::{
    DeviceAsk, DeviceClaim, DeviceConfiguration, DeviceConstraint, DeviceRequest, DeviceSelector,
    DeviceToleration, ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate,
};
use claimkit_model::object::view::{List, Slot};
use claimkit_model::schema::{Gate, Scope};
use claimkit_values::order;

const ONE_OF: &str = "exactly one of `exactly` or `firstAvailable` is required";
const SEVERAL: &str =
    "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
const MODES: &[&str] = &["All", "ExactCount"];
const OPERATORS: &[&str] = &["Equal", "Exists"];

/// Validates a new claim. Its status is dropped before.
pub fn create(claim: ResourceClaim<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(claim.metadata(), Scope::Namespaced, context.rules, errors);
    let path = Path::ROOT;
    Judge::new(context, errors).claim_spec(claim.spec(), None, Age::New, &path.field("spec"));
}

/// Validates a changed claim. Older releases first validate it as a new claim and then as a stored one.
pub fn update(
    new: ResourceClaim<'_>,
    old: ResourceClaim<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    let creates = Judge::new(context, errors).v.update_creates;
    if creates {
        create(new, context, errors);
    } else {
        metadata::create(new.metadata(), Scope::Namespaced, context.rules, errors);
    }
    metadata::update(new.metadata(), old.metadata(), errors);
    let (new_spec, old_spec) = (new.spec(), old.spec());
    immutable_spec(new_spec.record(), old_spec.record(), errors);
    if creates {
        let path = Path::ROOT;
        Judge::new(context, errors).claim_spec(new.spec(), None, Age::Stored, &path.field("spec"));
    }
}

/// Validates a new template.
pub fn create_template(
    template: ResourceClaimTemplate<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    new_template(template, None, context, errors);
}

/// Validates a template as a new one. `old`: the stored one of an update.
fn new_template(
    template: ResourceClaimTemplate<'_>,
    old: Option<ResourceClaimTemplate<'_>>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::create(
        template.metadata(),
        Scope::Namespaced,
        context.rules,
        errors,
    );
    template_spec(template, old, Age::New, context, errors);
}

/// Validates a changed template: nothing of its spec may change.
pub fn update_template(
    new: ResourceClaimTemplate<'_>,
    old: ResourceClaimTemplate<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    new_template(new, Some(old), context, errors);
    metadata::update(new.metadata(), old.metadata(), errors);
    let (new_spec, old_spec) = (new.spec(), old.spec());
    immutable_spec(new_spec.record(), old_spec.record(), errors);
    if Judge::new(context, errors).v.update_creates {
        template_spec(new, None, Age::Stored, context, errors);
    }
}

fn template_spec(
    template: ResourceClaimTemplate<'_>,
    old: Option<ResourceClaimTemplate<'_>>,
    age: Age,
    context: &Context,
    errors: &mut Errors,
) {
    let root = Path::ROOT;
    let path = root.field("spec");
    let spec = template.spec();
    if let Some(meta) = spec.metadata().record() {
        metadata::template(meta, &path.field("metadata"), errors);
    }
    let stored = old.map(|old| old.spec().spec());
    Judge::new(context, errors).claim_spec(spec.spec(), stored, age, &path.field("spec"));
}

/// Reports admin access without the label on the namespace, for the first request that asks for it. For templates the server uses
/// the path of a claim.
pub fn admin_access(spec: ResourceClaimSpec<'_>, template: bool, label: &str, errors: &mut Errors) {
    let requests = spec.devices().requests();
    for (index, request) in requests.iter().enumerate() {
        if !request.exactly().is_some_and(DeviceAsk::admin_access) {
            continue;
        }
        let root = Path::ROOT;
        let outer = root.field("spec");
        let inner = outer.at("spec");
        let devices = if template {
            inner.field("devices")
        } else {
            outer.field("devices")
        };
        let requests = devices.field("requests");
        let item = requests.index(index);
        errors.forbidden(
            Code::AdminAccessForbidden,
            &item.at("exactly").field("adminAccess"),
            &no_label(label),
        );
        return;
    }
}

/// Returns the words for admin access without the label.
pub fn no_label(label: &str) -> String {
    format!(
        "admin access to devices requires the `{label}: true` label on the containing namespace"
    )
}

impl Judge<'_> {
    /// Validates the spec of a claim or of a template's claims. `old`: that of the stored template.
    pub fn claim_spec(
        &mut self,
        spec: ResourceClaimSpec<'_>,
        old: Option<ResourceClaimSpec<'_>>,
        age: Age,
        path: &Path<'_>,
    ) {
        let stored = old.map(ResourceClaimSpec::devices);
        self.devices(spec.devices(), stored, age, &path.field("devices"));
        if self.v.controllers && !spec.controller().is_empty() {
            self.driver_name(spec.controller(), &path.field("controller"));
        }
    }

    fn devices(
        &mut self,
        devices: DeviceClaim<'_>,
        old: Option<DeviceClaim<'_>>,
        age: Age,
        path: &Path<'_>,
    ) {
        let known = self.requests(devices);
        let requests = path.field("requests");
        let mut derived = 0u64;
        let may_check_duplicates =
            self.list(devices.requests(), &requests, |judge, request, path| {
                derived = derived.saturating_add(judge.request(request, devices, old, age, path));
            });
        if may_check_duplicates {
            self.unique(
                devices.requests().iter().map(DeviceRequest::name),
                Some("name"),
                &requests,
                Bad::Str,
            );
        }
        self.list(
            devices.constraints(),
            &path.field("constraints"),
            |judge, constraint, path| {
                judge.constraint(constraint, &known, path);
            },
        );
        self.list(
            devices.config(),
            &path.field("config"),
            |judge, config, path| {
                judge.request_names(config.requests(), &known, path);
                judge.configuration(config, age, path);
            },
        );
        self.derived_cost(derived, path);
    }

    /// Validates a request. Returns what its derived attributes may cost.
    fn request(
        &mut self,
        request: DeviceRequest<'_>,
        devices: DeviceClaim<'_>,
        old: Option<DeviceClaim<'_>>,
        age: Age,
        path: &Path<'_>,
    ) -> u64 {
        self.label(
            Code::RequestNameInvalid,
            request.name(),
            &path.field("name"),
        );
        if self.v.union == UnionCheck::Flat {
            return self.exact(request.flat(), None, age, path);
        }
        let exactly = request.exactly();
        let several = !request.first_available().is_empty();
        if self.v.union == UnionCheck::First && exactly.is_some() == several {
            self.union(several, path);
            return 0;
        }
        let mut derived = 0;
        if several {
            derived = self.alternatives(request, devices, old, age, path);
        }
        if let Some(exactly) = exactly {
            let asked = Asked {
                request: request.name(),
                alternative: None,
                devices,
                old,
            };
            derived = self.exact(exactly, Some(&asked), age, &path.field("exactly"));
        }
        if exactly.is_some() == several {
            self.union(several, path);
        }
        derived
    }

    fn union(&mut self, several: bool, path: &Path<'_>) {
        if several {
            self.errors
                .invalid(Code::RequestShape, path, Bad::Null, SEVERAL);
        } else {
            self.errors.required(Code::RequestShape, path, ONE_OF);
        }
    }

    fn alternatives(
        &mut self,
        request: DeviceRequest<'_>,
        devices: DeviceClaim<'_>,
        old: Option<DeviceClaim<'_>>,
        age: Age,
        path: &Path<'_>,
    ) -> u64 {
        let path = path.field("firstAvailable");
        let mut derived = 0u64;
        let may_check_duplicates = self.list(
            request.first_available(),
            &path,
            |judge, alternative, path| {
                judge.label(
                    Code::RequestNameInvalid,
                    alternative.name(),
                    &path.field("name"),
                );
                let asked = Asked {
                    request: request.name(),
                    alternative: Some(alternative.name()),
                    devices,
                    old,
                };
                derived = derived.saturating_add(judge.exact(alternative, Some(&asked), age, path));
            },
        );
        if may_check_duplicates {
            self.unique(
                request.first_available().iter().map(DeviceAsk::name),
                Some("name"),
                &path,
                Bad::Str,
            );
        }
        derived
    }

    /// Validates what an exact request and an alternative share. Returns what its derived attributes may cost.
    fn exact(
        &mut self,
        request: DeviceAsk<'_>,
        asked: Option<&Asked<'_>>,
        age: Age,
        path: &Path<'_>,
    ) -> u64 {
        self.class_name(request.device_class_name(), &path.field("deviceClassName"));
        self.selectors(request.selectors(), age, path);
        let attributes = request.derived_attributes();
        let derived = match asked.filter(|_| self.knows(attributes.slot())) {
            Some(asked) => self.derived_attributes(attributes, asked, path),
            None => 0,
        };
        let mode = request.allocation_mode();
        let count = request.count().unwrap_or(0);
        match mode {
            "All" if count != 0 => {
                let detail = "must not be specified when allocationMode is 'All'";
                self.errors.invalid(
                    Code::CountInvalid,
                    &path.field("count"),
                    Bad::Int(count),
                    detail,
                );
            }
            "ExactCount" if count <= 0 => {
                self.errors.invalid(
                    Code::CountInvalid,
                    &path.field("count"),
                    Bad::Int(count),
                    "must be greater than zero",
                );
            }
            "All" | "ExactCount" => {}
            _ => {
                self.errors.not_supported(
                    Code::AllocationModeUnsupported,
                    &path.field("allocationMode"),
                    mode,
                    MODES,
                );
            }
        }
        self.tolerations(request.tolerations(), path);
        if let Some(capacity) = request.capacity().filter(|_| self.v.capacity_names) {
            let requests = capacity.requests_slot();
            let stored = asked.and_then(Asked::stored_capacity);
            // Stored names were not judged when they were written, and a template's spec cannot change.
            if !stored.is_some_and(|stored| immutable::same_field(requests, stored.requests_slot()))
            {
                let capacity_path = path.field("capacity");
                self.capacity_names(requests, &capacity_path.field("requests"));
            }
        }
        derived
    }

    /// Validates the keys of requested or consumed capacities.
    pub fn capacity_names(&mut self, capacities: Slot<'_>, path: &Path<'_>) {
        if let FieldValue::Entries(entries) = capacities.value() {
            for (name, _) in entries {
                self.qualified_name(name, &path.at(name));
            }
        }
    }

    /// Validates selectors of a request, class or rule.
    pub fn selectors(
        &mut self,
        selectors: List<'_, DeviceSelector<'_>>,
        age: Age,
        path: &Path<'_>,
    ) {
        self.list(selectors, &path.field("selectors"), |judge, item, path| {
            let cel = path.field("cel");
            match item.cel() {
                None => judge.errors.required(Code::SelectorRequired, &cel, ""),
                Some(selector) => {
                    selector::expression(judge, selector, age, &cel.field("expression"))
                }
            }
        });
    }

    /// Validates the tolerations of a request or of a result.
    pub fn tolerations(&mut self, tolerations: List<'_, DeviceToleration<'_>>, path: &Path<'_>) {
        let list = path.field("tolerations");
        for (index, toleration) in tolerations.iter().enumerate() {
            self.toleration(toleration, &list.index(index));
        }
    }

    fn toleration(&mut self, toleration: DeviceToleration<'_>, path: &Path<'_>) {
        let code = Code::TolerationInvalid;
        let wording = self.errors.wording();
        let (key, operator) = (toleration.key(), toleration.operator());
        let (value, effect) = (toleration.value(), toleration.effect());
        if !key.is_empty() {
            self.errors.malformed(
                code,
                &path.field("key"),
                key,
                &claimkit_values::names::qualified_name_in(key, wording),
            );
        }
        match operator {
            "Exists" => {
                if !value.is_empty() {
                    let detail = "must be empty for operator `Exists`";
                    self.errors
                        .invalid(code, &path.field("value"), Bad::Str(value), detail);
                }
            }
            "Equal" => {
                let messages = claimkit_values::names::label_value_in(value, wording);
                self.errors
                    .malformed(code, &path.field("value"), value, &messages);
            }
            "" => self.errors.required(code, &path.field("operator"), ""),
            _ => self
                .errors
                .not_supported(code, &path.field("operator"), operator, OPERATORS),
        }
        let allowed = self.effects(toleration.effect_slot());
        if !effect.is_empty() && !allowed.contains(&effect) {
            self.errors
                .not_supported(code, &path.field("effect"), effect, &allowed);
        }
    }

    /// Returns the effects of this release, sorted as the server lists them.
    pub fn effects(&self, effect: Slot<'_>) -> Vec<&'static str> {
        let mut allowed = self
            .field(effect)
            .map(|field| field.allowed(self.release))
            .unwrap_or_default();
        order::sort(&mut allowed);
        allowed
    }

    fn constraint(
        &mut self,
        constraint: DeviceConstraint<'_>,
        known: &RequestNames,
        path: &Path<'_>,
    ) {
        self.request_names(constraint.requests(), known, path);
        let code = Code::ConstraintInvalid;
        if let Some(name) = constraint.match_attribute() {
            return self.full_name(name, &path.field("matchAttribute"));
        }
        let distinct = self.knows(constraint.distinct_attribute_slot());
        if let Some(name) = constraint.distinct_attribute().filter(|_| distinct) {
            self.full_name(name, &path.field("distinctAttribute"));
        } else if distinct && self.on(Gate::DRAConsumableCapacity) {
            let detail = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
            self.errors.required(code, path, detail);
        } else {
            self.errors
                .required(code, &path.field("matchAttribute"), "");
        }
    }

    /// Validates the opaque configuration of a claim, class or allocation.
    pub fn configuration(&mut self, config: DeviceConfiguration<'_>, age: Age, path: &Path<'_>) {
        let opaque_path = path.field("opaque");
        let Some(opaque) = config.opaque() else {
            return self.errors.required(Code::ConfigRequired, &opaque_path, "");
        };
        self.driver_name(opaque.driver(), &opaque_path.field("driver"));
        self.raw_object(opaque.parameters(), age, &opaque_path.field("parameters"));
    }
}
