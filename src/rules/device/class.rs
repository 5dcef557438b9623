//! DeviceClass: create and update.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateDeviceClass`, `ValidateDeviceClassUpdate`.

use super::judge::{Age, Judge};
use crate::api::Scope;
use crate::finding::{Code, Path};
use crate::names;
use crate::record::Record;
use crate::record::view::Object;
use crate::rules::context::Context;
use crate::rules::errors::{Bad, Errors};
use crate::rules::metadata::{self, NameRule};
use crate::rules::{immutable, node_selector};

/// Validates a new class.
pub fn create(class: &Record<'_>, context: &Context, errors: &mut Errors) {
    meta(class, context, errors);
    Judge::new(context, errors).class_spec(class, None);
}

/// Validates a changed class. Stored values that have not changed are validated leniently.
pub fn update(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    if Judge::new(context, errors).v.update_creates {
        create(new, context, errors);
    } else {
        meta(new, context, errors);
    }
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    Judge::new(context, errors).class_spec(new, Some(old));
}

fn meta(class: &Record<'_>, context: &Context, errors: &mut Errors) {
    let meta = Object::new(class).metadata();
    let rule = if Judge::new(context, errors).v.class_name_bytes { NameRule::LongSubdomain } else { NameRule::Subdomain };
    metadata::create_named(meta, Scope::Cluster, rule, context.rules, errors);
}

impl Judge<'_> {
    fn class_spec(&mut self, class: &Record<'_>, old: Option<&Record<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        let Some(spec) = class.record("spec") else { return };
        let stored = old.and_then(|old| old.record("spec"));
        let age = |name: &str| {
            let zero = Record::empty(spec.schema);
            let same = old.is_some() && immutable::same_field(spec, stored.unwrap_or(&zero), name);
            if same { Age::Stored } else { Age::New }
        };
        self.selectors(spec, age("selectors"), &path);
        let stored_config = age("config");
        self.list(spec, "config", &path.field("config"), |judge, item, path| {
            if let Some(config) = item.as_record() {
                judge.configuration(config, stored_config, path);
            }
        });
        if let Some(selector) = spec.record("suitableNodes").filter(|_| self.v.controllers) {
            let values = self.v.node_selector_values;
            let (spec, place) = (root.at("spec"), "suitableNodes");
            node_selector::validate_record(selector, values, &spec.field(place), self.errors);
        }
        if self.has_field(spec, "extendedResourceName") && spec.has("extendedResourceName") {
            let name = spec.str("extendedResourceName");
            if !is_extended_resource_name(name) {
                let path = path.field("extendedResourceName");
                let detail = "must be a valid extended resource name";
                self.errors.invalid(Code::ExtendedResourceNameInvalid, &path, Bad::Named(name), detail);
            }
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
