//! Object metadata: on create, on update, and inside a claim template (apimachinery,
//! pkg/api/validation/objectmeta.go).

use crate::validation::errors::{Bad, Errors};
use crate::validation::immutable;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{ObjectMeta, OwnerReference, StringMap};
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{FieldType, Rules, Scope};
use claimkit_values::names::{self, Messages};
use claimkit_values::order;

/// All annotations of an object, keys and values, in bytes.
const ANNOTATIONS_MAX: usize = 256 * 1024;
const MANAGER_MAX: usize = 128;
const SUBRESOURCE_MAX: usize = 256;

/// The rule for names and generated names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// DNS-1123 subdomain: what every DRA kind registers.
    Subdomain,
    /// The same with another message for a long name; a generated name is validated after it is generated.
    LongSubdomain,
    /// Path segment: what the generic update checks use.
    PathSegment,
}

impl NameRule {
    fn name(self, name: &str) -> Messages {
        match self {
            NameRule::Subdomain => names::subdomain(name),
            NameRule::LongSubdomain => names::long_subdomain(name),
            NameRule::PathSegment => names::path_segment(name),
        }
    }

    fn generate_name(self, name: &str) -> Messages {
        match self {
            NameRule::Subdomain => names::generated_subdomain(name),
            NameRule::LongSubdomain => Messages::new(),
            NameRule::PathSegment => names::path_segment_prefix(name),
        }
    }
}

/// Validates the metadata of a new object as the kinds' own validators check it: the generic rules, then qualified finalizers.
pub fn create(meta: ObjectMeta<'_>, scope: Scope, rules: &Rules, errors: &mut Errors) {
    create_named(meta, scope, NameRule::Subdomain, rules, errors);
}

/// Validates as [`create`] does, with a rule for names of its own.
pub fn create_named(
    meta: ObjectMeta<'_>,
    scope: Scope,
    rule: NameRule,
    rules: &Rules,
    errors: &mut Errors,
) {
    generic_create(meta, scope, rule, rules, errors);
    qualified_finalizers(meta, errors);
}

/// Validates the generic part of [`create`].
pub fn generic_create(
    meta: ObjectMeta<'_>,
    scope: Scope,
    rule: NameRule,
    rules: &Rules,
    errors: &mut Errors,
) {
    let root = Path::ROOT;
    let path = root.field("metadata");
    if !meta.generate_name().is_empty() {
        let messages = rule.generate_name(meta.generate_name());
        errors.malformed(
            Code::GenerateNameInvalid,
            &path.field("generateName"),
            meta.generate_name(),
            &messages,
        );
    }
    if meta.name().is_empty() {
        errors.required(
            Code::NameRequired,
            &path.field("name"),
            "name or generateName is required",
        );
    } else {
        errors.malformed(
            Code::NameInvalid,
            &path.field("name"),
            meta.name(),
            &rule.name(meta.name()),
        );
    }
    let namespace = path.field("namespace");
    match scope {
        Scope::Namespaced if meta.namespace().is_empty() => {
            errors.required(Code::NamespaceRequired, &namespace, "")
        }
        Scope::Namespaced => {
            let messages = names::label(meta.namespace(), rules.dotted_label);
            errors.malformed(
                Code::NamespaceInvalid,
                &namespace,
                meta.namespace(),
                &messages,
            );
        }
        Scope::Cluster if !meta.namespace().is_empty() => {
            errors.forbidden(
                Code::NamespaceForbidden,
                &namespace,
                "not allowed on this type",
            );
        }
        Scope::Cluster => {}
    }
    if meta.generation() < 0 {
        let detail = "must be greater than or equal to 0";
        errors.invalid(
            Code::GenerationInvalid,
            &path.field("generation"),
            Bad::Int(meta.generation()),
            detail,
        );
    }
    labels(meta.labels(), &path, errors);
    annotations(meta.annotations(), &path, errors);
    owner_references(meta, &path, errors);
    finalizers(meta, &path, errors);
    managed_fields(meta, &path, errors);
}

/// Validates the metadata of a changed object as the kinds' own validators check it.
pub fn update(new: ObjectMeta<'_>, old: ObjectMeta<'_>, errors: &mut Errors) {
    generic_update(new, old, errors);
    qualified_finalizers(new, errors);
}

/// Validates the generic part of [`update`].
pub fn generic_update(new: ObjectMeta<'_>, old: ObjectMeta<'_>, errors: &mut Errors) {
    let root = Path::ROOT;
    let path = root.field("metadata");
    if old.deletion_timestamp().is_some() {
        let stored = order::set(old.finalizers().iter());
        let added = order::set(new.finalizers().iter().filter(|f| !stored.contains(f)));
        if !added.is_empty() {
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                claimkit_values::quoted(added.iter().copied(), errors.unicode())
            );
            errors.forbidden(Code::FinalizerAdded, &path.field("finalizers"), &detail);
        }
    }
    if new.resource_version().is_empty() {
        errors.invalid(
            Code::ResourceVersionRequired,
            &path.field("resourceVersion"),
            Bad::Str(""),
            "must be specified for an update",
        );
    }
    if new.generation() < old.generation() {
        errors.invalid(
            Code::GenerationInvalid,
            &path.field("generation"),
            Bad::Int(new.generation()),
            "must not be decremented",
        );
    }
    let mut immutable = |name: &str, same: bool, value: Bad<'_>| {
        if !same {
            errors.invalid(
                Code::MetadataImmutable,
                &path.field(name),
                value,
                immutable::MESSAGE,
            );
        }
    };
    immutable("name", new.name() == old.name(), Bad::Str(new.name()));
    immutable(
        "namespace",
        new.namespace() == old.namespace(),
        Bad::Str(new.namespace()),
    );
    immutable("uid", new.uid() == old.uid(), Bad::Str(new.uid()));
    let created = new.creation_timestamp();
    immutable(
        "creationTimestamp",
        created.same_instant(old.creation_timestamp()),
        Bad::Time(created),
    );
    let same = match (new.deletion_timestamp(), old.deletion_timestamp()) {
        (Some(new), Some(old)) => new.same_instant(old),
        (new, old) => new.is_none() && old.is_none(),
    };
    immutable(
        "deletionTimestamp",
        same,
        new.deletion_timestamp().map_or(Bad::Null, Bad::Time),
    );
    let grace = new.deletion_grace_period_seconds();
    let same = grace == old.deletion_grace_period_seconds();
    immutable(
        "deletionGracePeriodSeconds",
        same,
        grace.map_or(Bad::Null, Bad::Int),
    );
    labels(new.labels(), &path, errors);
    annotations(new.annotations(), &path, errors);
    owner_references(new, &path, errors);
    managed_fields(new, &path, errors);
}

/// Validates the metadata a template gives its claims: labels and annotations, nothing else (kube-apiserver,
/// pkg/apis/core/validation/validation.go).
pub fn template(record: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let meta = ObjectMeta::new(record);
    annotations(meta.annotations(), path, errors);
    labels(meta.labels(), path, errors);
    for (field, value) in record.schema.fields.iter().zip(&record.slots) {
        if !matches!(field.json, "labels" | "annotations") && !is_zero(&field.ty, value) {
            // The server lowers the first letter of the Go name: `uID`.
            let mut letters = field.go.chars();
            let name: String = letters
                .next()
                .into_iter()
                .map(|c| c.to_ascii_lowercase())
                .chain(letters)
                .collect();
            errors.forbidden(
                Code::TemplateMetadataForbidden,
                &path.field_named(&name, field.json),
                "cannot be set",
            );
        }
    }
}

/// Returns true for Go's strict zero value: an explicit empty list is not zero, an empty string is.
fn is_zero(ty: &FieldType, value: &FieldValue<'_>) -> bool {
    match (ty, value) {
        (_, FieldValue::Unset) => true,
        (FieldType::Pointer(_), _) => false,
        (_, FieldValue::Str(text)) => text.is_empty(),
        (_, FieldValue::Int(n)) => *n == 0,
        _ => false,
    }
}

fn labels(labels: StringMap<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    let path = metadata.field("labels");
    for (key, value) in labels {
        let place = path.at(key);
        errors.malformed_key(
            Code::LabelKeyInvalid,
            &place,
            key,
            &names::qualified_name_in(key, errors.wording()),
        );
        errors.malformed(
            Code::LabelValueInvalid,
            &place,
            value,
            &names::label_value_in(value, errors.wording()),
        );
    }
}

fn annotations(annotations: StringMap<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    let path = metadata.field("annotations");
    let mut size = 0usize;
    for (key, value) in annotations {
        let messages = names::qualified_name_in(&names::to_lower(key), errors.wording());
        errors.malformed_key(Code::AnnotationKeyInvalid, &path.at(key), key, &messages);
        size = size.saturating_add(key.len()).saturating_add(value.len());
    }
    if size > ANNOTATIONS_MAX {
        errors.too_long_bytes(Code::AnnotationsTooLong, &path, ANNOTATIONS_MAX);
    }
}

fn owner_references(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    if !meta.owner_references().is_empty() {
        each_owner(meta, metadata, errors);
    }
}

/// Adds the errors of releases before 1.37 about missing parts.
fn incomplete(reference: OwnerReference<'_>, item: &Path<'_>, errors: &mut Errors) {
    let plain = errors.owner_texts_plain();
    let mut missing = |name: &str, value: &str, detail: &str| {
        let detail = if plain && name != "apiVersion" {
            "must not be empty"
        } else {
            detail
        };
        errors.invalid(
            Code::OwnerReferenceIncomplete,
            &item.field(name),
            Bad::Str(value),
            detail,
        );
    };
    if version_of(reference.api_version()).is_empty() {
        missing(
            "apiVersion",
            reference.api_version(),
            "version must not be empty",
        );
    }
    if reference.kind().is_empty() {
        missing("kind", "", "kind must not be empty");
    }
    if reference.name().is_empty() {
        missing("name", "", "name must not be empty");
    }
    if reference.uid().is_empty() {
        missing("uid", "", "uid must not be empty");
    }
}

/// Adds the errors of 1.37 about missing parts.
fn required_parts(reference: OwnerReference<'_>, item: &Path<'_>, errors: &mut Errors) {
    let code = Code::OwnerReferenceIncomplete;
    let api_version = reference.api_version();
    if api_version.is_empty() {
        errors.required(code, &item.field("apiVersion"), "must not be empty");
    } else if version_of(api_version).is_empty() {
        let detail = "must be <group>/<version> or <version>";
        errors.invalid(
            code,
            &item.field("apiVersion"),
            Bad::Str(api_version),
            detail,
        );
    }
    for (name, value) in [
        ("kind", reference.kind()),
        ("name", reference.name()),
        ("uid", reference.uid()),
    ] {
        if value.is_empty() {
            errors.required(code, &item.field(name), "must not be empty");
        }
    }
}

fn each_owner(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    let path = metadata.field("ownerReferences");
    let mut first_controller: Option<String> = None;
    for (index, reference) in meta.owner_references().iter().enumerate() {
        if errors.owner_paths_have_index() {
            required_parts(reference, &path.index(index), errors);
        } else {
            incomplete(reference, &path.at_index(index), errors);
        }
        let item = if errors.owner_paths_have_index() {
            path.index(index)
        } else {
            path.at_index(index)
        };
        // The group may also be an explicit empty string: `/v1`.
        if matches!(reference.api_version(), "v1" | "/v1") && reference.kind() == "Event" {
            let value = Bad::record(reference.record());
            errors.invalid(
                Code::OwnerReferenceEvent,
                &item,
                value,
                "/v1, Kind=Event is disallowed from being an owner",
            );
        }
        if reference.controller() == Some(true) && !errors.is_full() {
            let current = format!("{}/{}", reference.kind(), reference.name());
            match &first_controller {
                None => first_controller = Some(current),
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {current}"
                    );
                    let value = Bad::field(meta.owner_references().slot());
                    // The error is about the list, the place is the second of them.
                    let list = path.at_index(index);
                    errors.invalid(Code::OwnerReferenceControllers, &list, value, &detail);
                }
            }
        }
    }
}

/// Returns the version in an `apiVersion`; empty if Go's parser rejects it.
fn version_of(api_version: &str) -> &str {
    match api_version.split_once('/') {
        None => api_version,
        Some((_, version)) if version.contains('/') => "",
        Some((_, version)) => version,
    }
}

fn finalizers(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    if !meta.finalizers().is_empty() {
        each_finalizer(meta, metadata, errors);
    }
}

fn each_finalizer(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    let path = metadata.field("finalizers");
    let finalizers = meta.finalizers();
    for (index, finalizer) in finalizers.iter().enumerate() {
        errors.malformed(
            Code::FinalizerInvalid,
            &path.at_index(index),
            finalizer,
            &names::qualified_name_in(finalizer, errors.wording()),
        );
    }
    if finalizers.contains("orphan") && finalizers.contains("foregroundDeletion") {
        let value = Bad::field(meta.finalizers().slot());
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.invalid(Code::FinalizerConflict, &path, value, detail);
    }
}

/// Validates finalizers by the core rule: a finalizer without `/` must be one of Kubernetes' own.
fn qualified_finalizers(meta: ObjectMeta<'_>, errors: &mut Errors) {
    let root = Path::ROOT;
    let metadata = root.field("metadata");
    let path = metadata.field("finalizers");
    for (index, finalizer) in meta.finalizers().iter().enumerate() {
        if !finalizer.contains('/')
            && !matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion")
        {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.invalid(
                Code::FinalizerUnqualified,
                &path.index(index),
                Bad::Str(finalizer),
                detail,
            );
        }
    }
}

fn managed_fields(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    if !meta.managed_fields().is_empty() {
        each_manager(meta, metadata, errors);
    }
}

/// Validates the name of a field manager, in `managedFields` or in the options of a request (apimachinery,
/// pkg/apis/meta/v1/validation/validation.go, `ValidateFieldManager`).
pub fn manager(name: &str, path: &Path<'_>, errors: &mut Errors) {
    if name.len() > MANAGER_MAX {
        errors.too_long_bytes(Code::ManagedFieldsInvalid, path, MANAGER_MAX);
    }
    for (at, c) in name.char_indices() {
        if !claimkit_values::is_printable(c, errors.unicode()) {
            let detail = format!(
                "invalid character U+{:04X} (at position {at})",
                u32::from(c)
            );
            errors.invalid(Code::ManagedFieldsInvalid, path, Bad::Str(name), &detail);
        }
    }
}

fn each_manager(meta: ObjectMeta<'_>, metadata: &Path<'_>, errors: &mut Errors) {
    let path = metadata.field("managedFields");
    for (index, entry) in meta.managed_fields().iter().enumerate() {
        let item = path.index(index);
        let mut invalid = |name: &str, value: &str, detail: &str| {
            errors.invalid(
                Code::ManagedFieldsInvalid,
                &item.field(name),
                Bad::Str(value),
                detail,
            );
        };
        if !matches!(entry.operation(), "Apply" | "Update") {
            invalid(
                "operation",
                entry.operation(),
                "must be `Apply` or `Update`",
            );
        }
        if !matches!(entry.fields_type(), "" | "FieldsV1") {
            invalid("fieldsType", entry.fields_type(), "must be `FieldsV1`");
        }
        manager(entry.manager(), &item.field("manager"), errors);
        if entry.subresource().len() > SUBRESOURCE_MAX {
            errors.too_long_bytes(
                Code::ManagedFieldsInvalid,
                &item.field("subresource"),
                SUBRESOURCE_MAX,
            );
        }
    }
}
