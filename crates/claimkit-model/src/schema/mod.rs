//! Schemas as data: one table per struct. Decoding, encoding, Go's error texts, documentation and conversion read these tables.

pub mod classic;
pub mod core;
pub mod device;
pub mod gates;
pub mod kinds;
pub mod meta;
pub mod other_gates;
pub mod pod_fields;
pub mod release;
pub mod steps;
pub mod workload;

pub use gates::{Gate, Gates};
pub use kinds::{ClassicKind, DeviceKind, Family, ObjectKind};
pub use release::{Release, ReleaseStage, Rules, UnknownRelease};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The Go package a type lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// `resource`: versioned types print as `v1alpha2.X`, the server's internal ones as `resource.X`.
    Resource,
    /// core: `v1.X`, internally `core.X`.
    Core,
    /// apimachinery's meta: `v1.X` in both.
    Meta,
}

/// One struct of the API.
#[derive(Debug)]
pub struct Struct {
    /// Go type name, e.g. `ResourceClaimSpec`.
    pub go: &'static str,
    pub package: Package,
    /// Its fields in declaration order, which is the order of encoding and of `%#v`. Inlined structs are flattened.
    pub fields: &'static [Field],
}

/// One field of a struct.
#[derive(Debug)]
pub struct Field {
    pub json: &'static str,
    pub go: &'static str,
    pub ty: FieldType,
    /// Listed as required in OpenAPI; the server does not enforce this.
    pub required: bool,
    /// `omitempty`: left out of JSON when zero.
    pub omit: bool,
    /// The minor release from which on `omit` counts.
    pub omit_since: u8,
    /// First release that has the field.
    pub since: Release,
    /// The last minor release that has the field; `None` if all later ones have it.
    pub until: Option<u8>,
    /// The gates without which the server drops the field; all of them must be on.
    pub gates: &'static [Gate],
    /// The maximum size of the field: bytes of a string, items of a list, entries of a map. The rules read it here.
    pub limits: &'static [ReleaseLimit],
    /// First minor release in which a pointer type is a pointer; earlier it is a plain value.
    pub pointer_since: u8,
    /// The embedded Go struct the field belongs to, where printing or decoding shows that.
    pub embedded: Option<&'static str>,
    /// The rules by which patches and server-side apply treat a list, by release; the newest entry up to the release applies.
    /// Empty: atomic.
    pub list: &'static [ListRule],
    /// Values a named string may take, empty if open.
    pub values: &'static [&'static str],
    /// Values that came later, with their first minor release.
    pub later_values: &'static [(u8, &'static str)],
}

/// A limit from a minor release on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReleaseLimit {
    /// First minor release it counts in.
    pub since: u8,
    /// The most that is allowed; `None` lifts an earlier limit.
    pub max: Option<usize>,
}

/// List semantics from a release on.
#[derive(Debug, Clone, Copy)]
pub struct ListRule {
    /// First Kubernetes release that has it.
    pub since: Release,
    pub kind: ListKind,
    /// Merge key of strategic merge patch; `None`: the patch replaces the list (or merges a set of scalars if `patch_merge`).
    pub patch_merge_key: Option<&'static str>,
    /// Strategic merge patch merges the list.
    pub patch_merge: bool,
}

/// `x-kubernetes-list-type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// Replaced as a whole.
    Atomic,
    /// A set of scalars or whole entries.
    Set,
    /// A map keyed by these fields.
    Map(&'static [&'static str]),
}

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldType {
    /// `string`
    String,
    /// A named string type.
    Named(Package, &'static str),
    /// `types.UID`
    Uid,
    /// `bool`
    Bool,
    /// `int64`
    Int64,
    /// `int32`
    Int32,
    /// `metav1.Time`, RFC 3339
    Time,
    /// `*metav1.FieldsV1`: any JSON, kept verbatim
    FieldsV1,
    /// `runtime.RawExtension`: any JSON, kept verbatim
    Raw,
    /// `resource.Quantity`
    Quantity,
    /// `map[string]string`
    StringMap,
    /// A map to values of one type.
    Map(&'static MapType),
    /// A struct by value: always there.
    Struct(&'static Struct),
    /// A pointer: may be nil.
    Pointer(&'static FieldType),
    List(&'static FieldType),
}

/// A map other than `map[string]string`.
#[derive(Debug)]
pub struct MapType {
    /// The named string type of its keys; `None` for `string`.
    pub key: Option<(Package, &'static str)>,
    /// The type of its values.
    pub value: FieldType,
}

impl FieldType {
    /// Returns true if values are strings: of a plain or a named type, or behind a pointer.
    pub fn is_text(&self) -> bool {
        match self {
            FieldType::String | FieldType::Named(..) | FieldType::Uid => true,
            FieldType::Pointer(inner) => inner.is_text(),
            _ => false,
        }
    }

    /// Returns the type that a pointer points to; any other type as it is.
    pub fn pointed(&self) -> &FieldType {
        match self {
            FieldType::Pointer(inner) => inner.pointed(),
            ty => ty,
        }
    }

    /// Returns the struct type of the value, its items or its entries; `None` if there is none.
    pub fn holds(&self) -> Option<&'static Struct> {
        match self {
            FieldType::Struct(schema) => Some(schema),
            FieldType::Pointer(inner) | FieldType::List(inner) => inner.holds(),
            FieldType::Map(map) => map.value.holds(),
            _ => None,
        }
    }

    /// Returns true for a map to values of one type.
    pub fn is_map(&self) -> bool {
        matches!(self, FieldType::Map(_))
    }

    /// Returns true if values are structs or maps, or pointers to them.
    pub fn takes_map(&self) -> bool {
        match self {
            FieldType::Struct(_) | FieldType::StringMap | FieldType::Map(_) => true,
            FieldType::Pointer(inner) => inner.takes_map(),
            _ => false,
        }
    }
}

impl Field {
    /// Makes a field that is always written and has been there since 1.26.
    pub const fn new(json: &'static str, go: &'static str, ty: FieldType) -> Self {
        Field {
            json,
            go,
            ty,
            required: false,
            omit: false,
            omit_since: 26,
            since: Release::start_of(26),
            until: None,
            gates: &[],
            limits: &[],
            pointer_since: 26,
            embedded: None,
            list: &[],
            values: &[],
            later_values: &[],
        }
    }

    /// Sets `omitempty`.
    pub const fn omit(mut self) -> Self {
        self.omit = true;
        self
    }

    /// Marks the field as required in OpenAPI.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Sets the first release with the field.
    pub const fn since(mut self, minor: u8) -> Self {
        self.since = Release::start_of(minor);
        self
    }

    /// Sets the last minor release that has the field.
    pub const fn until(mut self, minor: u8) -> Self {
        self.until = Some(minor);
        self
    }

    /// Sets `omitempty` from a minor release on; written always before.
    pub const fn omit_since(mut self, minor: u8) -> Self {
        self.omit = true;
        self.omit_since = minor;
        self
    }

    /// Sets the gates without which the server drops the field.
    pub const fn gates(mut self, gates: &'static [Gate]) -> Self {
        self.gates = gates;
        self
    }

    /// Sets how much it may hold, by release.
    pub const fn limits(mut self, limits: &'static [ReleaseLimit]) -> Self {
        self.limits = limits;
        self
    }

    /// Makes it a pointer from a minor release on, a plain value before.
    pub const fn pointer_since(mut self, minor: u8) -> Self {
        self.pointer_since = minor;
        self
    }

    /// Returns the type in a release.
    pub fn type_in(&self, release: Release) -> &FieldType {
        match &self.ty {
            FieldType::Pointer(inner) if release.minor < self.pointer_since => inner,
            ty => ty,
        }
    }

    /// Marks a field of an embedded struct.
    pub const fn embedded(mut self, go: &'static str) -> Self {
        self.embedded = Some(go);
        self
    }

    /// Sets values that came after the first ones.
    pub const fn later_values(mut self, values: &'static [(u8, &'static str)]) -> Self {
        self.later_values = values;
        self
    }

    /// Returns true if the release has the field.
    pub fn in_release(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|last| release.minor <= last)
    }

    /// Returns true if the release leaves the field out of JSON when it is zero.
    pub fn omits(&self, release: Release) -> bool {
        self.omit && self.omit_since <= release.minor
    }

    /// Returns the most the field may hold in a release; `None` if there is no limit.
    pub fn limit(&self, release: Release) -> Option<usize> {
        self.limits
            .iter()
            .rev()
            .find(|limit| limit.since <= release.minor)
            .and_then(|limit| limit.max)
    }

    /// Returns the values the field may take in a release, empty if open.
    pub fn allowed(&self, release: Release) -> Vec<&'static str> {
        let later = self
            .later_values
            .iter()
            .filter(|(since, _)| *since <= release.minor)
            .map(|(_, value)| *value);
        let always = self.values.iter().copied();
        always.chain(later).collect()
    }

    /// Sets how lists are merged.
    pub const fn list(mut self, rules: &'static [ListRule]) -> Self {
        self.list = rules;
        self
    }

    /// Sets the values an enum allows.
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    /// Returns the list rule of a release.
    pub fn list_rule(&self, release: Release) -> Option<&'static ListRule> {
        self.list.iter().rev().find(|rule| rule.since <= release)
    }
}

impl Struct {
    /// Returns the field with a JSON name in a release, and its slot.
    #[inline(always)]
    pub fn field(&'static self, json: &str, release: Release) -> Option<(usize, &'static Field)> {
        self.fields
            .iter()
            .enumerate()
            .find(|(_, field)| field.json == json && field.in_release(release))
    }

    /// Returns the slot of a field, whatever the release.
    #[inline(always)]
    pub fn slot(&self, json: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.json == json)
    }

    /// Returns true if there is a field of any name, whatever the release.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.json == name)
    }
}

/// Returns true if the table of any kind has a field of this name, at any depth.
pub fn is_field(json: &str) -> bool {
    FIELD_NAMES.contains(json)
}

/// Builds the set of field names now instead of at the first question.
pub fn prepare() {
    LazyLock::force(&FIELD_NAMES);
}

/// The fields of all kinds at any depth.
static FIELD_NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let mut names = BTreeSet::new();
    let mut seen: Vec<&'static Struct> = Vec::new();
    let kinds = VERSIONS.iter().flat_map(|version| version.kinds);
    let mut open: Vec<&'static Struct> = kinds
        .map(|kind| kind.schema)
        .chain([&core::NODE_SELECTOR])
        .collect();
    while let Some(table) = open.pop() {
        if seen.iter().any(|other| std::ptr::eq(*other, table)) {
            continue;
        }
        seen.push(table);
        names.extend(table.fields.iter().map(|field| field.json));
        let fields = table.fields.iter();
        open.extend(fields.filter_map(|field| field.ty.holds()));
    }
    names
});

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// The end of a kind in a version, by the types of a release (`zz_generated.prerelease-lifecycle.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// The first minor release with these facts.
    pub said_since: u8,
    /// The first minor release that warns; `None` if none does.
    pub deprecated: Option<u8>,
    /// The minor release that will no longer serve it; `None` if no release is announced.
    pub removed: Option<u8>,
}

impl Lifecycle {
    /// Returns the server's warning about a kind of a version in a release; `None` if it does not warn.
    pub fn warning(&self, api_version: &str, kind: &str, release: Release) -> Option<String> {
        let since = self.deprecated.filter(|since| *since <= release.minor)?;
        let warning = format!("{api_version} {kind} is deprecated in v1.{since}+");
        Some(match self.removed {
            Some(removed) => format!("{warning}, unavailable in v1.{removed}+"),
            None => warning,
        })
    }
}

/// One kind of a version.
#[derive(Debug)]
pub struct ApiKind {
    /// e.g. `ResourceClaim`.
    pub kind: &'static str,
    /// Its kind; for a list kind, the kind of its items.
    pub object: ObjectKind,
    /// e.g. `resourceclaims`; of a list kind: that of its items.
    pub plural: &'static str,
    pub scope: Scope,
    /// True if there is a `status` subresource, in those releases that have the field.
    pub status: bool,
    /// For list kinds: the kind of the items.
    pub items: Option<&'static str>,
    /// First release that serves it.
    pub since: Release,
    /// The last minor release that serves it in this version; `None`: the last of the version.
    pub until: Option<u8>,
    /// Its lifecycle as the releases know it, oldest first.
    pub lifecycle: &'static [Lifecycle],
    pub schema: &'static Struct,
}

impl ApiKind {
    /// Gives the kind a `status` subresource.
    const fn with_status(mut self) -> Self {
        self.status = true;
        self
    }

    /// Returns true if the release has a `status` subresource for it: those that have one have the field.
    pub fn status_in(&self, release: Release) -> bool {
        self.status && self.schema.field("status", release).is_some()
    }

    /// Returns its end in this version, by the types of a release.
    pub fn lifecycle_in(&self, release: Release) -> Option<&'static Lifecycle> {
        let known = self.lifecycle.iter().rev();
        known
            .into_iter()
            .find(|lifecycle| lifecycle.said_since <= release.minor)
    }

    /// Returns true if the release has the kind in this version.
    pub fn in_release(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|last| release.minor <= last)
    }
}

/// One version of the API group.
///
/// ```
/// use claimkit::{Release, find_version};
///
/// let version = find_version("resource.k8s.io/v1alpha2").unwrap();
/// assert!(version.served_by(Release::parse("1.30").unwrap()));
/// assert_eq!(version.default_release().minor, 30);
/// // ResourceClaims had it as long as the version was served.
/// assert_eq!(version.default_release_of("ResourceClaim"), version.default_release());
/// assert!(version.kind("ResourceClaim", version.default_release()).is_some());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Version {
    /// e.g. `v1alpha2`.
    pub name: &'static str,
    /// e.g. `resource.k8s.io/v1alpha2`.
    pub api_version: &'static str,
    /// The first minor release that serves it, and the last one; `None`: the last one known still does.
    pub served: (u8, Option<u8>),
    /// The first minor release that serves it by default.
    pub on_since: Option<u8>,
    /// The family of the kind.
    pub family: Family,
    /// Its kinds and list kinds.
    pub kinds: &'static [ApiKind],
}

/// The API group of this crate.
pub const GROUP: &str = "resource.k8s.io";

/// Every version with a table, oldest first.
pub const VERSIONS: &[&Version] = &[
    &classic::v1alpha1::VERSION,
    &classic::v1alpha2::VERSION,
    &device::v1alpha3::VERSION,
    &device::v1beta1::VERSION,
    &device::v1beta2::VERSION,
    &device::v1::VERSION,
];

/// Returns the version with an `apiVersion`.
pub fn version(api_version: &str) -> Option<&'static Version> {
    VERSIONS
        .iter()
        .copied()
        .find(|version| version.api_version == api_version)
}

impl Version {
    /// Returns true if the release serves this version.
    pub fn served_by(&self, release: Release) -> bool {
        self.served.0 <= release.minor && self.served.1.is_none_or(|last| release.minor <= last)
    }

    /// Returns the first and the last known minor release that serve this version; the last one may be a pre-release.
    #[doc(hidden)]
    pub fn minors(&self) -> (u8, u8) {
        let known = release::LAST_PATCHES.last().map(|release| release.minor);
        let last = self.served.1.or(known).unwrap_or(self.served.0);
        (self.served.0, last)
    }

    /// Returns the kind, if the release has it.
    pub fn kind(&self, kind: &str, release: Release) -> Option<&'static ApiKind> {
        self.kinds
            .iter()
            .find(|k| k.kind == kind && k.in_release(release))
    }

    /// Returns the release used when the caller names none: the last one that serves the version.
    pub fn default_release(&self) -> Release {
        self.served.1.map_or_else(Release::latest, Release::last_of)
    }

    /// Returns the same release for a kind: a version may be served longer than some of its kinds.
    pub fn default_release_of(&self, kind: &str) -> Release {
        let until = self
            .kinds
            .iter()
            .find(|row| row.kind == kind)
            .and_then(|row| row.until);
        until.map_or_else(|| self.default_release(), Release::last_of)
    }
}

/// A kind in its version.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    pub version: &'static Version,
    pub kind: &'static ApiKind,
}

impl FieldType {
    /// Returns the Go name of the type in a decoding error, e.g. `[]v1alpha2.ResourceHandle`; pointers are followed.
    pub fn go_name(&self, version: &str) -> String {
        match self {
            FieldType::String => "string".to_owned(),
            FieldType::Named(package, name) => package.external(version, name),
            FieldType::Uid => "types.UID".to_owned(),
            FieldType::Bool => "bool".to_owned(),
            FieldType::Int64 => "int64".to_owned(),
            FieldType::Int32 => "int32".to_owned(),
            FieldType::Time => "v1.Time".to_owned(),
            FieldType::FieldsV1 => "v1.FieldsV1".to_owned(),
            FieldType::Raw => "runtime.RawExtension".to_owned(),
            FieldType::Quantity => "resource.Quantity".to_owned(),
            FieldType::StringMap => "map[string]string".to_owned(),
            FieldType::Map(map) => {
                let key = map.key.map_or_else(
                    || "string".to_owned(),
                    |(package, name)| package.external(version, name),
                );
                format!("map[{key}]{}", map.value.go_name(version))
            }
            FieldType::Struct(schema) => schema.package.external(version, schema.go),
            FieldType::Pointer(inner) => inner.go_name(version),
            FieldType::List(inner) => format!("[]{}", inner.go_name(version)),
        }
    }
}

impl Package {
    fn external(self, version: &str, name: &str) -> String {
        match self {
            Package::Resource => format!("{version}.{name}"),
            Package::Core | Package::Meta => format!("v1.{name}"),
        }
    }

    /// Returns the package name of the server's internal type.
    pub fn internal(self) -> &'static str {
        match self {
            Package::Resource => "resource",
            Package::Core => "core",
            Package::Meta => "v1",
        }
    }
}
