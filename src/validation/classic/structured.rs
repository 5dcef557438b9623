//! The structured model of 1.30, `namedResources`, in all objects that contain it (kube-apiserver 1.30,
//! pkg/apis/resource/structured/namedresources/validation/validation.go).

use crate::validation::errors::{Bad, Errors};
use crate::validation::expression;
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{
    NamedResourcesAttribute, NamedResourcesResources, NamedResourcesSelector,
    StructuredResourceHandle,
};
use claimkit_scheduler::environments;
use claimkit_values::names;
use std::collections::BTreeSet;

/// Reports that no model field is set.
pub fn model_required(path: &Path<'_>, errors: &mut Errors) {
    errors.required(
        Code::StructuredModelRequired,
        path,
        "exactly one structured model field must be set",
    );
}

/// Validates the data of a handle that the scheduler allocated.
pub fn handle(handle: StructuredResourceHandle<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !handle.node_name().is_empty() {
        let messages = names::subdomain(handle.node_name());
        errors.malformed(
            Code::NodeNameInvalid,
            &path.field("nodeName"),
            handle.node_name(),
            &messages,
        );
    }
    let results = path.field("results");
    for (index, result) in handle.results().iter().enumerate() {
        let path = results.index(index);
        match result.named_resources() {
            None => model_required(&path, errors),
            Some(instance) => {
                let model = path.field("namedResources");
                let messages = names::subdomain(instance.name());
                errors.malformed(
                    Code::InstanceNameInvalid,
                    &model.field("name"),
                    instance.name(),
                    &messages,
                );
            }
        }
    }
}

/// Validates a selector of a request or filter, new or stored already.
pub fn selector(
    mode: EnvironmentMode,
    model: Option<NamedResourcesSelector<'_>>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let Some(model) = model else {
        return model_required(path, errors);
    };
    let named = path.field("namedResources");
    let path = named.field("selector");
    match model.selector() {
        "" => errors.required(Code::SelectorRequired, &path, ""),
        selector => expression::judge(
            &environments::named_resources(mode),
            selector,
            &path,
            errors,
        ),
    }
}

/// Validates the instances of a slice.
pub fn resources(resources: NamedResourcesResources<'_>, path: &Path<'_>, errors: &mut Errors) {
    let instances = path.field("instances");
    let mut seen = BTreeSet::new();
    for (index, instance) in resources.instances().iter().enumerate() {
        let path = instances.index(index);
        let name = path.field("name");
        errors.malformed(
            Code::InstanceNameInvalid,
            &name,
            instance.name(),
            &names::subdomain(instance.name()),
        );
        if !seen.insert(instance.name()) {
            errors.duplicate(
                Code::InstanceNameDuplicate,
                &name,
                Bad::Str(instance.name()),
            );
        }
        let attributes = path.field("attributes");
        let mut seen = BTreeSet::new();
        for (index, attribute) in instance.attributes().iter().enumerate() {
            let path = attributes.index(index);
            let name = path.field("name");
            errors.malformed(
                Code::AttributeNameInvalid,
                &name,
                attribute.name(),
                &names::subdomain(attribute.name()),
            );
            if !seen.insert(attribute.name()) {
                errors.duplicate(
                    Code::AttributeNameDuplicate,
                    &name,
                    Bad::Str(attribute.name()),
                );
            }
            value(attribute, &path, errors);
        }
    }
}

fn value(attribute: NamedResourcesAttribute<'_>, path: &Path<'_>, errors: &mut Errors) {
    if let Some(version) = attribute.version()
        && !names::is_semantic_version(version)
    {
        let detail = "must be a string compatible with semver.org spec 2.0.0";
        errors.invalid(
            Code::AttributeVersionInvalid,
            &path.field("version"),
            Bad::Str(version),
            detail,
        );
    }
    // Sorted by name, as the server lists them.
    let fields = [
        ("bool", attribute.bool().is_some()),
        ("int", attribute.int().is_some()),
        ("intSlice", attribute.has_int_slice()),
        ("quantity", attribute.quantity().is_some()),
        ("string", attribute.string().is_some()),
        ("stringSlice", attribute.has_string_slice()),
        ("version", attribute.version().is_some()),
    ];
    match fields.iter().filter(|(_, set)| *set).count() {
        0 => errors.required(
            Code::AttributeValueRequired,
            path,
            "exactly one value must be set",
        ),
        1 => {}
        _ => {
            let set: Vec<String> = fields
                .iter()
                .filter(|(_, set)| *set)
                .map(|(name, _)| format!("\"{name}\""))
                .collect();
            let value = Bad::Syntax(format!("[]string{{{}}}", set.join(", ")));
            errors.invalid(
                Code::AttributeValueSeveral,
                path,
                value,
                "exactly one field must be set, not several",
            );
        }
    }
}
