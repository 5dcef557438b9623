//! DeviceClass: create and update.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateDeviceClass`, `ValidateDeviceClassUpdate`.

use super::judge::{Age, Judge};
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::metadata::{self, NameRule};
use crate::validation::{immutable, node_selector};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::Slot;
use claimkit_model::object::view::device::DeviceClass;
use claimkit_model::schema::Scope;
use claimkit_values::names;

/// Validates a new class.
pub fn create(class: DeviceClass<'_>, context: &Context, errors: &mut Errors) {
    meta(class, context, errors);
    Judge::new(context, errors).class_spec(class, None);
}

/// Validates a changed class. Stored values that have not changed are validated leniently.
pub fn update(new: DeviceClass<'_>, old: DeviceClass<'_>, context: &Context, errors: &mut Errors) {
    if Judge::new(context, errors).v.update_creates {
        create(new, context, errors);
    } else {
        meta(new, context, errors);
    }
    metadata::update(new.metadata(), old.metadata(), errors);
    Judge::new(context, errors).class_spec(new, Some(old));
}

fn meta(class: DeviceClass<'_>, context: &Context, errors: &mut Errors) {
    let rule = if Judge::new(context, errors).v.class_name_bytes {
        NameRule::LongSubdomain
    } else {
        NameRule::Subdomain
    };
    metadata::create_named(
        class.metadata(),
        Scope::Cluster,
        rule,
        context.rules,
        errors,
    );
}

impl Judge<'_> {
    fn class_spec(&mut self, class: DeviceClass<'_>, old: Option<DeviceClass<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        let spec = class.spec();
        let stored = old.map(DeviceClass::spec);
        let age_of_selectors = age(
            spec.selectors().slot(),
            stored.map(|old| old.selectors().slot()),
        );
        self.selectors(spec.selectors(), age_of_selectors, &path);
        let age_of_config = age(spec.config().slot(), stored.map(|old| old.config().slot()));
        self.list(
            spec.config(),
            &path.field("config"),
            |judge, config, path| {
                judge.configuration(config, age_of_config, path);
            },
        );
        if let Some(selector) = spec.suitable_nodes().filter(|_| self.v.controllers) {
            let (spec, place) = (root.at("spec"), "suitableNodes");
            node_selector::validate_all(
                selector,
                self.v.node_selector_values,
                &spec.field(place),
                self.errors,
            );
        }
        let name = spec
            .extended_resource_name()
            .filter(|_| self.knows(spec.extended_resource_name_slot()));
        if let Some(name) = name.filter(|name| !is_extended_resource_name(name)) {
            let detail = "must be a valid extended resource name";
            self.errors.invalid(
                Code::ExtendedResourceNameInvalid,
                &path.field("extendedResourceName"),
                Bad::Named(name),
                detail,
            );
        }
    }
}

/// Recognizes a name of an extended resource: with a domain that is not Kubernetes' own.
fn is_extended_resource_name(name: &str) -> bool {
    name.contains('/')
        && !name.contains("kubernetes.io/")
        && !name.starts_with("requests.")
        && names::qualified_name(&format!("requests.{name}")).is_empty()
}

/// Returns whether a field is the stored one.
fn age(new: Slot<'_>, old: Option<Slot<'_>>) -> Age {
    match old {
        Some(old) if immutable::same_field(new, old) => Age::Stored,
        _ => Age::New,
    }
}
