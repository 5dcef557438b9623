//! ResourceClaimParameters and ResourceClassParameters (1.30): create and update (kube-apiserver
//! 1.30, pkg/apis/resource/validation/validation.go, `ValidateResourceClaimParameters`, `ValidateResourceClassParameters`).
//!
//! Selectors are CEL expressions. In claim parameters with unchanged requests they are compiled as stored expressions, otherwise
//! as new ones; `ValidateResourceClassParametersUpdate` makes no such distinction.

use crate::validation::classic::class;
use crate::validation::classic::structured;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::fields::driver_name;
use crate::validation::immutable;
use crate::validation::metadata;
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{ResourceClaimParameters, ResourceClassParameters};
use claimkit_model::schema::Scope;
use std::collections::BTreeSet;

/// Validates new claim parameters.
pub fn create_for_claim(
    parameters: ResourceClaimParameters<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    for_claim(parameters, EnvironmentMode::New, context, errors);
}

fn for_claim(
    parameters: ResourceClaimParameters<'_>,
    mode: EnvironmentMode,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::create(
        parameters.metadata(),
        Scope::Namespaced,
        context.rules,
        errors,
    );
    let root = Path::ROOT;
    if let Some(reference) = parameters.generated_from() {
        let path = root.field("generatedFrom");
        if reference.kind().is_empty() {
            errors.required(Code::ParametersRefIncomplete, &path.field("kind"), "");
        }
        if reference.name().is_empty() {
            errors.required(Code::ParametersRefIncomplete, &path.field("name"), "");
        }
    }
    let requests = root.field("driverRequests");
    let mut seen = BTreeSet::new();
    for (index, driver) in parameters.driver_requests().iter().enumerate() {
        let path = requests.index(index);
        unique_driver(
            driver.driver_name(),
            &path.field("driverName"),
            &mut seen,
            errors,
        );
        let requests = path.field("requests");
        for (index, request) in driver.requests().iter().enumerate() {
            structured::selector(
                mode,
                request.named_resources(),
                &requests.index(index),
                errors,
            );
        }
        if driver.requests().is_empty() {
            errors.required(
                Code::RequestsRequired,
                &requests,
                "empty entries with no requests are not allowed",
            );
        }
    }
}

/// Validates an update of claim parameters.
pub fn update_for_claim(
    new: ResourceClaimParameters<'_>,
    old: ResourceClaimParameters<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let unchanged =
        immutable::same_field(new.driver_requests().slot(), old.driver_requests().slot());
    for_claim(
        new,
        if unchanged {
            EnvironmentMode::Stored
        } else {
            EnvironmentMode::New
        },
        context,
        errors,
    );
}

/// Validates new class parameters.
pub fn create_for_class(
    parameters: ResourceClassParameters<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::create(
        parameters.metadata(),
        Scope::Namespaced,
        context.rules,
        errors,
    );
    let root = Path::ROOT;
    if let Some(reference) = parameters.generated_from() {
        class::parameters_reference(reference, &root.field("generatedFrom"), context, errors);
    }
    let filters = root.field("filters");
    let mut seen = BTreeSet::new();
    for (index, filter) in parameters.filters().iter().enumerate() {
        let path = filters.index(index);
        unique_driver(
            filter.driver_name(),
            &path.field("driverName"),
            &mut seen,
            errors,
        );
        structured::selector(
            EnvironmentMode::New,
            filter.named_resources(),
            &path,
            errors,
        );
    }
    let vendor = root.field("vendorParameters");
    let mut seen = BTreeSet::new();
    for (index, parameters) in parameters.vendor_parameters().iter().enumerate() {
        let path = vendor.index(index);
        unique_driver(
            parameters.driver_name(),
            &path.field("driverName"),
            &mut seen,
            errors,
        );
    }
}

/// Validates an update of class parameters.
pub fn update_for_class(
    new: ResourceClassParameters<'_>,
    old: ResourceClassParameters<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    create_for_class(new, context, errors);
}

/// Checks a driver name that must be unique; case counts.
fn unique_driver<'r>(
    name: &'r str,
    path: &Path<'_>,
    seen: &mut BTreeSet<&'r str>,
    errors: &mut Errors,
) {
    driver_name(name, path, errors);
    if !seen.insert(name) {
        errors.duplicate(Code::DriverNameDuplicate, path, Bad::Str(name));
    }
}
