//! Schemas as data: one table per struct. Decoding, encoding, Go's error texts, documentation and conversion read these tables.

pub mod classic;
pub mod core;
pub mod meta;
pub mod release;

pub use release::{Release, Rules};

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
    /// Where it lives.
    pub package: Package,
    /// Its fields in declaration order, which is the order of encoding and of `%#v`. Inlined structs are flattened.
    pub fields: &'static [Field],
}

/// One field of a struct.
#[derive(Debug)]
pub struct Field {
    /// JSON name.
    pub json: &'static str,
    /// What is compared of two names before they are.
    mark: u32,
    /// Go field name.
    pub go: &'static str,
    /// Type.
    pub ty: Type,
    /// Listed as required in OpenAPI; the server does not enforce this.
    pub required: bool,
    /// `omitempty`: left out of JSON when zero.
    pub omit: bool,
    /// First release that has the field.
    pub since: Release,
    /// How patches and server-side apply treat a list, by release; the last entry not after the release counts. Empty: atomic.
    pub list: &'static [ListRule],
    /// Values a named string may take, empty if open.
    pub values: &'static [&'static str],
}

/// List semantics from a release on.
#[derive(Debug, Clone, Copy)]
pub struct ListRule {
    /// First release.
    pub since: Release,
    /// For server-side apply.
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
pub enum Type {
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
    /// A struct by value: always there.
    Struct(&'static Struct),
    /// A pointer: may be nil.
    Pointer(&'static Type),
    /// A slice.
    List(&'static Type),
}

impl Type {
    /// True for strings of any name, behind a pointer too.
    pub fn is_text(&self) -> bool {
        match self {
            Type::String | Type::Named(..) | Type::Uid => true,
            Type::Pointer(inner) => inner.is_text(),
            _ => false,
        }
    }

    /// True for structs and maps, behind a pointer too.
    pub fn takes_map(&self) -> bool {
        match self {
            Type::Struct(_) | Type::StringMap => true,
            Type::Pointer(inner) => inner.takes_map(),
            _ => false,
        }
    }
}

impl Field {
    /// A field that is always written and has been there since 1.26.
    pub const fn new(json: &'static str, go: &'static str, ty: Type) -> Self {
        Field { json, mark: mark(json), go, ty, required: false, omit: false, since: Release::new(26, 0), list: &[], values: &[] }
    }

    /// `omitempty`.
    pub const fn omit(mut self) -> Self {
        self.omit = true;
        self
    }

    /// Required in OpenAPI.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// First release.
    pub const fn since(mut self, minor: u8) -> Self {
        self.since = Release::new(minor, 0);
        self
    }

    /// List semantics.
    pub const fn list(mut self, rules: &'static [ListRule]) -> Self {
        self.list = rules;
        self
    }

    /// The values an enum allows.
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    /// The list rule of a release.
    pub fn list_rule(&self, release: Release) -> Option<&'static ListRule> {
        self.list.iter().rev().find(|rule| rule.since <= release)
    }
}

/// A number that tells most names apart, and all those of the tables: length, first letter, the one in the middle, and the last.
#[inline(always)]
const fn mark(name: &str) -> u32 {
    let bytes = name.as_bytes();
    match (bytes, bytes.split_at(bytes.len() / 2).1) {
        ([first, .., last], [middle, ..]) => {
            (bytes.len() as u32) << 24 | (*first as u32) << 16 | (*middle as u32) << 8 | *last as u32
        }
        _ => bytes.len() as u32,
    }
}

impl Struct {
    /// The field with a JSON name in a release, and its slot.
    pub fn field(&'static self, json: &str, release: Release) -> Option<(usize, &'static Field)> {
        let mark = mark(json);
        let named = |field: &Field| field.mark == mark && field.json == json && field.since <= release;
        self.fields.iter().enumerate().find(|(_, field)| named(field))
    }

    /// The slot of a field, whatever the release. For names that some table has: these need not be compared letter by letter.
    pub fn slot(&self, json: &str) -> Option<usize> {
        let mark = mark(json);
        let found = self.fields.iter().position(|field| field.mark == mark);
        debug_assert!(found.and_then(|at| self.fields.get(at)).is_none_or(|field| field.json == json), "no table has {json}");
        found
    }

    /// Whether there is a field of any name, whatever the release.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.json == name)
    }
}

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// One kind of a version.
#[derive(Debug)]
pub struct Kind {
    /// e.g. `ResourceClaim`.
    pub kind: &'static str,
    /// e.g. `resourceclaims`; of a list kind: that of its items.
    pub plural: &'static str,
    /// Scope.
    pub scope: Scope,
    /// True if there is a `status` subresource.
    pub status: bool,
    /// For list kinds: the kind of the items.
    pub items: Option<&'static str>,
    /// First release that serves it.
    pub since: Release,
    /// Its struct.
    pub schema: &'static Struct,
}

/// One version of the API group.
#[derive(Debug)]
pub struct Version {
    /// e.g. `v1alpha2`.
    pub name: &'static str,
    /// e.g. `resource.k8s.io/v1alpha2`.
    pub api_version: &'static str,
    /// First and last minor release that serves it.
    pub minors: (u8, u8),
    /// Its kinds and list kinds.
    pub kinds: &'static [Kind],
}

/// The API group of this crate.
pub const GROUP: &str = "resource.k8s.io";

/// Every version with a table, oldest first.
pub const VERSIONS: &[&Version] = &[&classic::v1alpha1::VERSION, &classic::v1alpha2::VERSION];

/// The version with an `apiVersion`.
pub fn version(api_version: &str) -> Option<&'static Version> {
    VERSIONS.iter().copied().find(|version| version.api_version == api_version)
}

impl Version {
    /// True if the release serves this version.
    pub fn served_by(&self, release: Release) -> bool {
        self.minors.0 <= release.minor && release.minor <= self.minors.1
    }

    /// The kind, if the release has it.
    pub fn kind(&self, kind: &str, release: Release) -> Option<&'static Kind> {
        self.kinds.iter().find(|k| k.kind == kind && k.since <= release)
    }

    /// The release taken when none is asked for: the last that serves the version.
    pub fn default_release(&self) -> Release {
        Release::last_of(self.minors.1)
    }
}

/// A kind in its version.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    /// The version.
    pub version: &'static Version,
    /// The kind.
    pub kind: &'static Kind,
}

impl Type {
    /// The Go name of the type in a decoding error, e.g. `[]v1alpha2.ResourceHandle`; pointers are followed.
    pub fn go_name(&self, version: &str) -> String {
        match self {
            Type::String => "string".to_owned(),
            Type::Named(package, name) => package.external(version, name),
            Type::Uid => "types.UID".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int64 => "int64".to_owned(),
            Type::Time => "v1.Time".to_owned(),
            Type::FieldsV1 => "v1.FieldsV1".to_owned(),
            Type::Raw => "runtime.RawExtension".to_owned(),
            Type::Quantity => "resource.Quantity".to_owned(),
            Type::StringMap => "map[string]string".to_owned(),
            Type::Struct(schema) => schema.package.external(version, schema.go),
            Type::Pointer(inner) => inner.go_name(version),
            Type::List(inner) => format!("[]{}", inner.go_name(version)),
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

    /// The package name of the server's internal type.
    pub fn internal(self) -> &'static str {
        match self {
            Package::Resource => "resource",
            Package::Core => "core",
            Package::Meta => "v1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn names(schema: &'static Struct, marks: &mut BTreeMap<u32, &'static str>) {
        for field in schema.fields {
            let known = marks.insert(field.mark, field.json).is_none_or(|other| other == field.json);
            assert!(known, "{} has the mark of another name: `mark` must tell the names of the tables apart", field.json);
            let mut ty = &field.ty;
            while let Type::Pointer(inner) | Type::List(inner) = ty {
                ty = inner;
            }
            if let Type::Struct(inner) = ty {
                names(inner, marks);
            }
        }
    }

    #[test]
    fn marks_tell_the_names_of_the_tables_apart() {
        let mut marks = BTreeMap::new();
        for kind in VERSIONS.iter().flat_map(|version| version.kinds) {
            names(kind.schema, &mut marks);
        }
        assert!(marks.len() > 70, "{}", marks.len());
    }
}
