//! Rules of single fields that several kinds share.

use crate::validation::errors::Errors;
use crate::validation::immutable;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::Record;
use claimkit_values::names;

/// Maximum number of bytes of a driver name.
pub const DRIVER_MAX: usize = 63;

/// Maximum number of bytes of a pool name.
pub const POOL_MAX: usize = 253;

/// Validates a driver's name by the rule of CSI: not empty, 63 bytes, a subdomain once lowered (kube-apiserver,
/// pkg/apis/core/validation/validation.go, `ValidateCSIDriverName`).
pub fn driver_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        errors.required(Code::DriverNameRequired, path, "");
    }
    if name.len() > DRIVER_MAX {
        errors.too_long_bytes(Code::DriverNameTooLong, path, DRIVER_MAX);
    }
    errors.malformed(
        Code::DriverNameInvalid,
        path,
        name,
        &names::lowered_subdomain(name),
    );
}

/// Checks that `spec` does not change. A missing spec counts as a spec of zero values.
pub fn immutable_spec(new: Option<&Record<'_>>, old: Option<&Record<'_>>, errors: &mut Errors) {
    let Some(schema) = new.or(old).map(|record| record.schema) else {
        return;
    };
    let zero = Record::empty(schema);
    let root = Path::ROOT;
    immutable::record(
        Code::SpecImmutable,
        &root.field("spec"),
        new.unwrap_or(&zero),
        old.unwrap_or(&zero),
        errors,
    );
}
