//! What differs between the releases, as data. Rules read a [`Variant`] and never compare version numbers.

use claimkit_model::schema::Release;
use claimkit_model::schema::device::{ADMIN_LABEL, FIRST_ADMIN_LABEL};

/// The error for a list that is too long, and whether its items are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListSize {
    /// `Too long`, after the errors of the items.
    TooLongAfter,
    /// `Too many`, after the errors of the items.
    TooManyAfter,
    /// `Too many`; the items are not judged.
    TooManyOnly,
}

/// The path of the error for a bad key of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPath {
    Map,
    Entry,
}

/// The rules for qualified names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualified {
    /// Empty parts are `Required`, the domain is called a prefix.
    Prefix,
    /// Empty parts are `Required`.
    Domain,
    /// Empty parts are `Invalid`.
    Invalid,
}

/// When the server checks that a request has exactly one of `exactly` and `firstAvailable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionCheck {
    /// Not applicable: requests are flat.
    Flat,
    After,
    /// Before; then only the given one is validated.
    First,
}

/// The rules for addresses of network interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Any CIDR, leading zeros too; equal ones are found by their canonical text.
    Sloppy,
    /// The canonical text only.
    Canonical,
}

/// The limits of a slice's counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterLimits {
    /// By the number of counters in the whole slice and device; references are followed.
    Totals {
        /// All counters of all sets.
        shared: usize,
        /// All counters one device consumes.
        device: usize,
        /// All counters the devices of a slice consume.
        slice: usize,
    },
    /// By lists and maps; no reference is followed.
    PerList,
}

/// The differences between releases.
#[derive(Debug)]
pub struct Variant {
    /// The hub has flat requests and devices below `basic`, as v1beta1 has.
    pub flat: bool,
    /// Lists that are too long.
    pub list_size: ListSize,
    /// The path of a duplicate ends with the name of the key.
    pub duplicate_names_key: bool,
    /// Bad keys of maps.
    pub key_path: KeyPath,
    /// Long keys are shortened in paths.
    pub long_keys_cut: bool,
    /// An empty driver name has one error, that it is missing.
    pub empty_driver_once: bool,
    pub qualified: Qualified,
    /// The error of a bad identifier has the reason `TypeInvalid`.
    pub identifier_type_invalid: bool,
    /// The error text for a raw value that is not an object.
    pub no_object: &'static str,
    /// The prefix of the decoder's error for an unreadable raw value.
    pub unparsable: &'static str,
    pub addresses: Addresses,
    /// The error text for a condition without time or reason.
    pub condition_missing: &'static str,
    pub union: UnionCheck,
    /// References may name an alternative: `request/alternative`.
    pub sub_requests: bool,
    /// Updates also run the rules of creation; otherwise only immutable fields are judged.
    pub update_creates: bool,
    /// Stored configurations and expressions are judged leniently if nothing of them changed.
    pub stored_leniency: bool,
    /// A new allocation is judged even if there was one before.
    pub allocation_always: bool,
    /// `adminAccess` needs this label on the namespace.
    pub admin_label: Option<&'static str>,
    /// Values of node selectors are judged.
    pub node_selector_values: bool,
    /// The error text for a slice with no node selection, or with several.
    pub node_selection: &'static str,
    /// The error text for a node selector without exactly one term.
    pub one_term: &'static str,
    /// The error for several node selections shows the whole spec.
    pub selection_shows_spec: bool,
    /// `nodeName: ""` and `allNodes: false` are refused.
    pub pointers: bool,
    /// Shared counters and devices exclude each other.
    pub counters_or_devices: bool,
    /// Fewer devices are allowed where taints or counters are used.
    pub devices_with_features: Option<usize>,
    pub counters: CounterLimits,
    /// An attribute without value is `Required`; else `Invalid`.
    pub attribute_required: bool,
    /// The error text for an attribute with several values.
    pub attribute_several: &'static str,
    /// Maximum number of values in all attributes of a device together.
    pub attribute_values: Option<usize>,
    /// Unchanged taints are not judged again.
    pub stored_taints: bool,
    /// The name of a device that is not allocated, in messages.
    pub device_id: DeviceId,
    /// Generated validation judges class names: the error about their length speaks of bytes, and `generateName` is not judged.
    pub class_name_bytes: bool,
    /// The server warns about capitals in a driver name.
    pub warns_of_capitals: bool,
    /// Node selectors of classes, controllers, deallocation: the control plane controllers of 1.31.
    pub controllers: bool,
    /// The server resets metadata in status updates of claims.
    pub resets_metadata: bool,
    /// A server-side apply of a status owns no metadata.
    pub status_owns_no_metadata: bool,
    /// Tolerations are dropped with their gate.
    pub drops_tolerations: bool,
    /// `distinctAttribute` is dropped with its gate.
    pub drops_distinct: bool,
    /// `allocationTimestamp` is dropped with its gate, and the gate of device status counts too.
    pub drops_timestamp: bool,
    /// The use of a feature in the old status keeps it in the new spec.
    pub status_counts_for_spec: bool,
    /// A changed effect of a DeviceTaintRule sets its time anew.
    pub effect_sets_time: bool,
    /// A flat request without `deviceClassName` has no default mode.
    pub default_needs_class: bool,
    /// With the gate DeclarativeValidationTakeover, generated rules replace the hand-written ones that they cover
    /// (apiserver 1.35, pkg/registry/rest/validate.go, `ValidateDeclarativelyWithMigrationChecks`; 1.36 does not read the gate).
    pub generated_takes_over: bool,
    /// Generated rules of every kind answer, in the shape of the request's version, after the hand-written ones.
    pub generated_answers: bool,
    /// Repeated types of conditions are found at the item, and empty types and statuses are `Required`.
    pub conditions_required: bool,
    /// Stored selectors that did not change are accepted unread.
    pub stored_selectors_pass: bool,
    /// Tolerations of an allocation's results are judged.
    pub result_tolerations: bool,
    /// Unchanged capacities of a device are not judged again.
    pub stored_capacity: bool,
    /// The default of a range is judged at its own path, and steps that are not positive are refused.
    pub range_defaults: bool,
    /// An update of a DeviceTaintRule in a version that is served by default needs a resource version.
    pub rules_need_version: bool,
    /// A name with two slashes is refused; otherwise it is accepted unread.
    pub one_slash: bool,
    /// The names of requested and of consumed capacities are judged.
    pub capacity_names: bool,
    /// The node selector of a device has exactly one term.
    pub device_terms: bool,
    /// The digits that a number in a version may have; `None` if any number of them.
    pub version_digits: Option<usize>,
    /// The error text for a bad version.
    pub version: &'static str,
    /// The devices of a slice are judged all or not at all: not if none of them changed. Node selections come last.
    pub devices_as_one: bool,
    /// The capacity that a node resource maps has a well-formed name.
    pub mapping_names: bool,
    /// The server warns about a DeviceTaintRule that selects every device.
    pub warns_of_every_device: bool,
    /// The version in which objects are stored.
    pub storage: &'static str,
}

/// The name of a device that is not allocated, in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceId {
    /// `driver/pool/device`
    Path,
    /// As JSON without the names of fields.
    Nameless,
    Json,
}

const V31: Variant = Variant {
    flat: true,
    list_size: ListSize::TooLongAfter,
    duplicate_names_key: true,
    key_path: KeyPath::Map,
    long_keys_cut: false,
    empty_driver_once: false,
    qualified: Qualified::Prefix,
    identifier_type_invalid: true,
    no_object: "parameters must be a valid JSON object",
    unparsable: "error parsing data",
    addresses: Addresses::Sloppy,
    condition_missing: "must be set",
    union: UnionCheck::Flat,
    sub_requests: false,
    update_creates: true,
    stored_leniency: false,
    allocation_always: true,
    admin_label: None,
    node_selector_values: false,
    node_selection: "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required",
    one_term: "must have exactly one selector term",
    selection_shows_spec: true,
    pointers: false,
    counters_or_devices: false,
    devices_with_features: None,
    counters: CounterLimits::Totals {
        shared: 32,
        device: 32,
        slice: 1024,
    },
    attribute_required: true,
    attribute_several: "exactly one field must be specified",
    attribute_values: None,
    stored_taints: false,
    device_id: DeviceId::Path,
    class_name_bytes: false,
    warns_of_capitals: false,
    controllers: true,
    resets_metadata: true,
    status_owns_no_metadata: false,
    drops_tolerations: false,
    drops_distinct: false,
    drops_timestamp: false,
    status_counts_for_spec: true,
    effect_sets_time: false,
    default_needs_class: false,
    generated_takes_over: false,
    generated_answers: false,
    conditions_required: false,
    stored_selectors_pass: false,
    result_tolerations: false,
    stored_capacity: false,
    range_defaults: false,
    rules_need_version: false,
    one_slash: false,
    capacity_names: false,
    device_terms: false,
    version_digits: None,
    version: "must be a string compatible with semver.org spec 2.0.0",
    devices_as_one: false,
    mapping_names: false,
    warns_of_every_device: false,
    storage: "v1alpha3",
};
const V32: Variant = Variant {
    unparsable: "error parsing data as JSON",
    list_size: ListSize::TooManyAfter,
    key_path: KeyPath::Entry,
    long_keys_cut: true,
    qualified: Qualified::Domain,
    stored_leniency: true,
    allocation_always: false,
    node_selector_values: true,
    one_term: "must have exactly one node selector term",
    selection_shows_spec: false,
    attribute_several: "exactly one value must be specified",
    controllers: false,
    storage: "v1beta1",
    ..V31
};
const V33: Variant = Variant {
    flat: false,
    addresses: Addresses::Canonical,
    union: UnionCheck::After,
    sub_requests: true,
    admin_label: Some(FIRST_ADMIN_LABEL),
    node_selection: "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
    pointers: true,
    default_needs_class: true,
    ..V32
};
const V34: Variant = Variant {
    identifier_type_invalid: false,
    no_object: "must be a valid JSON object",
    condition_missing: "",
    admin_label: Some(ADMIN_LABEL),
    device_id: DeviceId::Nameless,
    drops_timestamp: true,
    storage: "v1beta2",
    ..V33
};
const V35: Variant = Variant {
    list_size: ListSize::TooManyOnly,
    duplicate_names_key: false,
    empty_driver_once: true,
    qualified: Qualified::Invalid,
    union: UnionCheck::First,
    update_creates: false,
    counters_or_devices: true,
    devices_with_features: Some(64),
    counters: CounterLimits::PerList,
    attribute_required: false,
    stored_taints: true,
    device_id: DeviceId::Json,
    class_name_bytes: true,
    warns_of_capitals: true,
    drops_tolerations: true,
    drops_distinct: true,
    drops_timestamp: false,
    status_counts_for_spec: false,
    status_owns_no_metadata: true,
    generated_takes_over: true,
    storage: "v1",
    ..V34
};
const V36: Variant = Variant {
    key_path: KeyPath::Map,
    attribute_values: Some(48),
    effect_sets_time: true,
    generated_takes_over: false,
    ..V35
};

const V37: Variant = Variant {
    generated_answers: true,
    conditions_required: true,
    stored_selectors_pass: true,
    result_tolerations: true,
    stored_capacity: true,
    range_defaults: true,
    rules_need_version: true,
    ..V36
};

const V38: Variant = Variant {
    one_slash: true,
    capacity_names: true,
    device_terms: true,
    version_digits: Some(18),
    version: "must be a string compatible with semver.org spec 2.0.0, with at most 18 digits in numbers",
    devices_as_one: true,
    stored_capacity: false,
    mapping_names: true,
    warns_of_every_device: true,
    drops_timestamp: true,
    ..V37
};

static VARIANTS: [Variant; 8] = [V31, V32, V33, V34, V35, V36, V37, V38];

impl Variant {
    /// Returns the variant of a release; for releases without the device family, the nearest one.
    pub fn of(release: Release) -> &'static Variant {
        let [oldest, .., newest] = &VARIANTS;
        match release.minor.checked_sub(31) {
            None => oldest,
            Some(at) => VARIANTS.get(usize::from(at)).unwrap_or(newest),
        }
    }
}
