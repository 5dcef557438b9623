//! JSON Schema (draft 2020-12) of a kind as one release serves it, written from the tables.
//!
//! It rejects nothing that the server accepts: `required` lists what the server enforces, and `null` is allowed wherever the
//! server treats it as absent. Constraints that JSON Schema cannot express (bytes instead of characters, two entries with one
//! key, CEL) are left out.

use super::facts::{self, FieldConditions, StringFormat, Unique};
use super::forms::{ANNOTATION_KEY, LABEL_KEY, LABEL_VALUE, QUANTITY};
use super::sentences::{Sentences, field_key, kind_key, version_key};
use claimkit_model::message::Words;
use claimkit_model::schema::{
    ApiKind, Family, Field, FieldType, GROUP, Gates, ListKind, Package, Release, Scope, Struct,
    VERSIONS, Version,
};
use claimkit_model::text::print::quote;

/// The context of a struct, where it changes the constraints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    Anywhere,
    /// An item of a typed list, which may leave out kind and apiVersion.
    Item,
    /// Metadata of a namespaced object.
    Namespaced,
    /// Metadata inside a template.
    Template,
}

/// Whether a value may be `null`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    Valid,
    Invalid,
}

impl Null {
    fn valid_if(valid: bool) -> Self {
        if valid { Null::Valid } else { Null::Invalid }
    }
}

/// A struct that is referred to.
#[derive(Clone)]
struct Definition {
    schema: &'static Struct,
    place: Enclosing,
    /// The version that is described: kinds say which one they are of.
    version: &'static Version,
    name: String,
}

struct Export<'a> {
    out: String,
    version: &'static Version,
    release: Release,
    gates: Gates,
    sentences: Option<&'a Sentences>,
    /// Definitions in the order they are first referred to.
    defs: Vec<Definition>,
    /// True if the value before needs a comma behind it.
    comma: bool,
}

/// Writes the schema of a kind, or of all kinds of the release in all versions that it serves. `kind` may say which version, as
/// in `v1beta1/ResourceClaim`; otherwise it is the newest one that has the kind.
///
/// # Errors
/// A sentence for the user if the release does not serve the kind.
pub fn json_schema(
    release: Release,
    gates: Gates,
    kind: Option<&str>,
    sentences: Option<&Sentences>,
) -> Result<String, Words> {
    let (wanted, kind) = match kind.map(|kind| kind.rsplit_once('/').unwrap_or(("", kind))) {
        Some((version, kind)) => (
            version.strip_prefix("resource.k8s.io/").unwrap_or(version),
            Some(kind),
        ),
        None => ("", None),
    };
    let kinds = kinds_of(release, wanted);
    let Some((newest, _)) = kinds.first().copied() else {
        let version = prefixed('/', wanted);
        return Err(Words::english(format!(
            "no version of `{GROUP}{version}` is known for release `{release}`"
        )));
    };
    let (out, defs) = (String::with_capacity(1 << 14), Vec::new());
    let mut export = Export {
        out,
        version: newest,
        release,
        gates,
        sentences,
        defs,
        comma: false,
    };
    export.open("");
    export.string("$schema", "https://json-schema.org/draft/2020-12/schema");
    let id = format!(
        "urn:claimkit:schema:1.{}{}{}",
        release.minor,
        prefixed(':', wanted),
        prefixed(':', kind.unwrap_or_default()),
    );
    export.string("$id", &id);
    match kind {
        Some(name) => {
            let Some((version, kind)) = kinds.iter().copied().find(|(_, kind)| kind.kind == name)
            else {
                return Err(Words::english(format!(
                    "there is no schema of `{name}`: Kubernetes {release} has schemas of {}",
                    list_names(&kinds)
                )));
            };
            export.version = version;
            export.string("title", name);
            export.object(kind.schema, Enclosing::Anywhere);
        }
        None => {
            export.string("title", newest.api_version);
            export.description(&version_key(newest.api_version));
            export.list("oneOf");
            for (version, kind) in kinds {
                export.version = version;
                export.reference(kind.schema, Enclosing::Anywhere, None);
            }
            export.close(']');
        }
    }
    export.definitions();
    export.close('}');
    Ok(export.out)
}

/// Returns the kinds that a release serves, those of the newest version first; `wanted`: the only version, unless it is empty.
fn kinds_of(release: Release, wanted: &str) -> Vec<(&'static Version, &'static ApiKind)> {
    let mut kinds = Vec::new();
    for version in VERSIONS.iter().copied().rev() {
        if version.served_by(release) && (wanted.is_empty() || version.name == wanted) {
            let in_release = version.kinds.iter().filter(|kind| kind.in_release(release));
            kinds.extend(in_release.map(|kind| (version, kind)));
        }
    }
    kinds
}

/// Returns a text with a prefix, unless it is empty.
fn prefixed(prefix: char, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{prefix}{text}")
    }
}

fn list_names(kinds: &[(&'static Version, &'static ApiKind)]) -> String {
    let mut names: Vec<String> = Vec::new();
    for (_, kind) in kinds {
        let name = format!("`{}`", kind.kind);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

impl Export<'_> {
    // ---- writing ----

    fn key(&mut self, key: &str) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = false;
        if !key.is_empty() {
            quote(key, &mut self.out);
            self.out.push(':');
        }
    }

    fn open(&mut self, key: &str) {
        self.key(key);
        self.out.push('{');
    }

    fn list(&mut self, key: &str) {
        self.key(key);
        self.out.push('[');
    }

    fn close(&mut self, bracket: char) {
        self.out.push(bracket);
        self.comma = true;
    }

    fn raw(&mut self, key: &str, value: &str) {
        self.key(key);
        self.out.push_str(value);
        self.comma = true;
    }

    fn number(&mut self, key: &str, value: Option<u32>) {
        if let Some(value) = value.filter(|&value| value < u32::MAX) {
            self.raw(key, &value.to_string());
        }
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        quote(value, &mut self.out);
        self.comma = true;
    }

    fn strings<'s>(&mut self, key: &str, values: impl IntoIterator<Item = &'s str>) {
        self.list(key);
        for value in values {
            self.string("", value);
        }
        self.close(']');
    }

    fn ty(&mut self, name: &str, null: Null) {
        if null == Null::Valid {
            self.strings("type", [name, "null"])
        } else {
            self.string("type", name)
        }
    }

    fn description(&mut self, key: &str) {
        if let Some(text) = self.sentences.and_then(|sentences| sentences.get(key)) {
            self.string("description", text);
        }
    }

    /// Returns a reference with an optional sentence beside it.
    fn reference(&mut self, schema: &'static Struct, place: Enclosing, description: Option<&str>) {
        self.open("");
        self.pointer(schema, place);
        if let Some(key) = description {
            self.description(key);
        }
        self.close('}');
    }

    fn pointer(&mut self, schema: &'static Struct, place: Enclosing) {
        let name = self.definition(schema, place);
        self.string("$ref", &format!("#/$defs/{name}"));
    }

    /// Returns the name of a definition; registers it if it is new. If versions have different structs of the same name, all but
    /// the first include the version.
    fn definition(&mut self, schema: &'static Struct, place: Enclosing) -> String {
        let version = self.version;
        let of_kind = version
            .kinds
            .iter()
            .any(|kind| std::ptr::eq(kind.schema, schema));
        let known = self.defs.iter().find(|known| {
            std::ptr::eq(known.schema, schema)
                && known.place == place
                && (!of_kind || known.version.name == version.name)
        });
        if let Some(known) = known {
            return known.name.clone();
        }
        let mut name = def_name(schema, place);
        if self.defs.iter().any(|known| known.name == name) {
            name = format!("{name}.{}", version.name);
        }
        self.defs.push(Definition {
            schema,
            place,
            version,
            name: name.clone(),
        });
        name
    }

    // ---- structs ----

    fn definitions(&mut self) {
        if self.defs.is_empty() {
            return;
        }
        self.open("$defs");
        let mut at = 0usize;
        while let Some(Definition {
            schema,
            place,
            version,
            name,
        }) = self.defs.get(at).cloned()
        {
            self.version = version;
            self.open(&name);
            self.object(schema, place);
            self.close('}');
            at = at.saturating_add(1);
        }
        self.close('}');
    }

    fn object(&mut self, schema: &'static Struct, place: Enclosing) {
        let kind = self
            .version
            .kinds
            .iter()
            .find(|kind| std::ptr::eq(kind.schema, schema));
        if let Some(kind) = kind {
            self.description(&kind_key(kind.kind));
        }
        self.string("type", "object");
        self.raw("additionalProperties", "false");
        let fields: Vec<&'static Field> = schema
            .fields
            .iter()
            .filter(|field| field.in_release(self.release))
            .collect();
        self.open("properties");
        for field in &fields {
            if place == Enclosing::Template && !matches!(field.json, "labels" | "annotations") {
                self.unset(field);
            } else {
                self.property(schema, field, kind, place);
            }
        }
        self.close('}');
        let required: Vec<&str> = fields
            .iter()
            .filter(|field| match field.json {
                "kind" | "apiVersion" if kind.is_some() => place != Enclosing::Item,
                "metadata" => kind.is_some_and(|kind| kind.items.is_none()),
                _ => facts::facts(schema, field, self.release).required,
            })
            .map(|field| field.json)
            .collect();
        if !required.is_empty() {
            self.strings("required", required);
        }
        self.together(schema, place);
        if let Some(kind) = kind {
            self.list("x-kubernetes-group-version-kind");
            self.open("");
            self.string("group", GROUP);
            self.string("version", self.version.name);
            self.string("kind", kind.kind);
            self.close('}');
            self.close(']');
        }
    }

    /// Writes the constraints on combinations of fields.
    fn together(&mut self, schema: &'static Struct, place: Enclosing) {
        match schema.go {
            "ObjectMeta" if place != Enclosing::Template => {
                self.list("anyOf");
                for name in ["name", "generateName"] {
                    self.open("");
                    self.open("properties");
                    self.open(name);
                    self.string("type", "string");
                    self.raw("minLength", "1");
                    self.close('}');
                    self.close('}');
                    self.strings("required", [name]);
                    self.close('}');
                }
                self.close(']');
            }
            "NamedResourcesAttribute" => {
                let names: Vec<&str> = schema
                    .fields
                    .iter()
                    .map(|field| field.json)
                    .filter(|name| *name != "name")
                    .collect();
                self.one_of("oneOf", &names);
            }
            "DeviceAttribute" => {
                let names: Vec<&str> = schema
                    .fields
                    .iter()
                    .map(|field| field.json)
                    .filter(|name| self.takes(schema, name))
                    .collect();
                self.one_of("oneOf", &names);
            }
            "DeviceConstraint" if self.decided(schema, "distinctAttribute") => {
                let first = schema
                    .field("distinctAttribute", self.release)
                    .map(|(_, field)| field.json);
                // With both the server judges the first.
                self.one_of(
                    "anyOf",
                    &["matchAttribute"]
                        .into_iter()
                        .chain(first)
                        .collect::<Vec<_>>(),
                );
            }
            "DeviceRequest" => {
                let nested = schema.has("exactly");
                self.list(if nested { "oneOf" } else { "anyOf" });
                self.raw(
                    "",
                    if nested {
                        r#"{"properties":{"exactly":{"type":"object"}},"required":["exactly"]}"#
                    } else {
                        r#"{"properties":{"deviceClassName":{"type":"string","minLength":1}},"required":["deviceClassName"]}"#
                    },
                );
                if self.takes(schema, "firstAvailable") {
                    self.raw(
                        "",
                        r#"{"properties":{"firstAvailable":{"type":"array","minItems":1}},"required":["firstAvailable"]}"#,
                    );
                }
                self.close(']');
            }
            "ResourceHandle" if schema.field("structuredData", self.release).is_some() => {
                self.raw(
                    "not",
                    r#"{"properties":{"data":{"type":"string","minLength":1},"structuredData":{"type":"object"}},"required":["data","structuredData"]}"#,
                );
            }
            _ => {}
        }
    }

    /// Returns true if the release has the field and does not drop it.
    fn takes(&self, schema: &'static Struct, name: &str) -> bool {
        let field = schema.field(name, self.release);
        field.is_some_and(|(_, field)| field.gates.iter().all(|gate| self.gates.on(*gate)))
    }

    /// Returns true if the release lacks the field or accepts it, so that no disabled gate makes the result uncertain.
    fn decided(&self, schema: &'static Struct, name: &str) -> bool {
        schema.field(name, self.release).is_none() || self.takes(schema, name)
    }

    /// Requires one of these fields; with `oneOf`, exactly one.
    fn one_of(&mut self, keyword: &str, names: &[&str]) {
        self.list(keyword);
        for name in names {
            self.open("");
            self.raw(
                "properties",
                &format!(r#"{{"{name}":{{"not":{{"type":"null"}}}}}}"#),
            );
            self.strings("required", [*name]);
            self.close('}');
        }
        self.close(']');
    }

    /// Writes that a field must be absent or zero.
    fn unset(&mut self, field: &Field) {
        self.open(field.json);
        match field.ty {
            FieldType::String | FieldType::Uid | FieldType::Named(..) => {
                self.raw("enum", r#"["",null]"#)
            }
            FieldType::Int64 => self.raw("enum", "[0,null]"),
            _ => self.string("type", "null"),
        }
        self.close('}');
    }

    // ---- fields ----

    fn property(
        &mut self,
        schema: &'static Struct,
        field: &'static Field,
        kind: Option<&ApiKind>,
        place: Enclosing,
    ) {
        let facts = facts::facts(schema, field, self.release);
        self.open(field.json);
        self.description(&field_key(schema, field));
        // The server drops any value of it.
        if !field.gates.iter().all(|gate| self.gates.on(*gate)) {
            return self.close('}');
        }
        match kind {
            Some(kind) => self.field_of_object(field, kind, &facts),
            None => self.field_below(schema, field, &facts, place),
        }
        match facts.default {
            Some(default) if field.ty.is_text() => self.string("default", default),
            Some(default) => self.raw("default", default),
            None => {}
        }
        if matches!(field.ty, FieldType::List(_)) {
            self.list_semantics(field);
        }
        self.close('}');
    }

    /// Writes the type of a field at the top of an object.
    fn field_of_object(&mut self, field: &'static Field, kind: &ApiKind, facts: &FieldConditions) {
        let is_list = kind.items.is_some();
        match field.json {
            "apiVersion" => {
                self.string("type", "string");
                self.string("const", self.version.api_version);
            }
            "kind" => {
                self.string("type", "string");
                self.string("const", kind.kind);
            }
            "metadata" => {
                let place = if is_list || matches!(kind.scope, Scope::Cluster) {
                    Enclosing::Anywhere
                } else {
                    Enclosing::Namespaced
                };
                self.value(&field.ty, field, facts, place, Null::valid_if(is_list));
            }
            "items" => self.value(&field.ty, field, facts, Enclosing::Item, Null::Valid),
            _ => self.plain_value(field, facts),
        }
    }

    fn plain_value(&mut self, field: &'static Field, facts: &FieldConditions) {
        let null = Null::valid_if(!facts.required);
        self.value(&field.ty, field, facts, Enclosing::Anywhere, null);
    }

    /// Writes the type of a field inside of an object.
    fn field_below(
        &mut self,
        schema: &'static Struct,
        field: &'static Field,
        facts: &FieldConditions,
        place: Enclosing,
    ) {
        let is_cluster_scoped = schema.go == "ObjectMeta" && place != Enclosing::Namespaced;
        let is_device = self.version.family == Family::Device;
        match field.json {
            // The server drops any namespace of a cluster-scoped object.
            "namespace" if is_cluster_scoped => self.ty("string", Null::Valid),
            // The server validates the generated name, not the prefix.
            "generateName" if place == Enclosing::Anywhere && is_device => {
                self.ty("string", Null::Valid);
            }
            // In the later versions the server overwrites the generation of cluster-scoped objects.
            "generation" if is_cluster_scoped && is_device => self.ty("integer", Null::Valid),
            "metadata" => self.value(&field.ty, field, facts, Enclosing::Template, Null::Valid),
            _ => self.plain_value(field, facts),
        }
    }

    fn value(
        &mut self,
        ty: &'static FieldType,
        field: &'static Field,
        facts: &FieldConditions,
        place: Enclosing,
        null: Null,
    ) {
        match ty {
            FieldType::Pointer(inner) => self.value(inner, field, facts, place, null),
            FieldType::Struct(schema) if null == Null::Valid => {
                self.list("anyOf");
                self.reference(schema, place, None);
                self.raw("", r#"{"type":"null"}"#);
                self.close(']');
            }
            FieldType::Struct(schema) => self.pointer(schema, place),
            FieldType::List(inner) => {
                self.ty("array", null);
                self.items(inner, field, facts, place);
            }
            FieldType::String | FieldType::Named(..) | FieldType::Uid => {
                self.ty("string", null);
                self.text(field, facts, null);
            }
            FieldType::Bool => self.ty("boolean", null),
            FieldType::Int64 => {
                self.ty("integer", null);
                self.string("format", "int64");
                self.raw(
                    "minimum",
                    match field.json {
                        "generation" | "count" => "0",
                        "resourceSliceCount" if facts.required => "1",
                        _ => "-9223372036854775808",
                    },
                );
                self.raw("maximum", "9223372036854775807");
            }
            FieldType::Int32 => {
                self.ty("integer", null);
                self.string("format", "int32");
                self.raw("minimum", "-2147483648");
                self.raw("maximum", "2147483647");
            }
            FieldType::Map(map) => {
                self.ty("object", null);
                self.open("additionalProperties");
                self.value(
                    &map.value,
                    field,
                    &FieldConditions::default(),
                    place,
                    Null::Valid,
                );
                self.close('}');
            }
            FieldType::Time => {
                self.ty("string", null);
                self.string("format", "date-time");
            }
            FieldType::Quantity => self.quantity(null),
            FieldType::StringMap => {
                self.ty("object", null);
                self.labels_or_annotations(facts.format == Some(StringFormat::LabelMap));
            }
            FieldType::Raw if facts.required => self.string("type", "object"),
            // Any JSON at all.
            FieldType::FieldsV1 | FieldType::Raw => {}
        }
    }

    /// Writes what the items of a list may be, and how many.
    fn items(
        &mut self,
        inner: &'static FieldType,
        field: &'static Field,
        facts: &FieldConditions,
        place: Enclosing,
    ) {
        self.number("minItems", facts.min_items);
        self.number("maxItems", facts.max_items);
        let is_scalar = !matches!(inner, FieldType::Struct(_));
        if is_scalar && facts.unique == Some(Unique::Whole) {
            self.raw("uniqueItems", "true");
        }
        let item = FieldConditions {
            required: facts.format.is_some(),
            ..*facts
        };
        // A `null` in a list is an empty item; it is allowed unless empty items are invalid.
        let may_be_empty = match inner {
            FieldType::Struct(schema) => self.may_be_empty(schema),
            _ => facts.format.is_none(),
        };
        self.open("items");
        self.value(inner, field, &item, place, Null::valid_if(may_be_empty));
        self.close('}');
    }

    /// Returns true if an object without fields is valid.
    fn may_be_empty(&self, schema: &'static Struct) -> bool {
        let is_kind = schema.package == Package::Resource
            && schema.fields.first().is_some_and(|f| f.json == "kind");
        let has_required = schema
            .fields
            .iter()
            .any(|field| facts::facts(schema, field, self.release).required);
        !is_kind && !has_required && schema.go != "NamedResourcesAttribute"
    }

    fn quantity(&mut self, null: Null) {
        self.list("anyOf");
        self.open("");
        self.string("type", "string");
        self.string("pattern", QUANTITY);
        self.close('}');
        self.raw("", r#"{"type":"number"}"#);
        if null == Null::Valid {
            self.raw("", r#"{"type":"null"}"#);
        }
        self.close(']');
    }

    fn labels_or_annotations(&mut self, are_labels: bool) {
        self.open("propertyNames");
        self.string("type", "string");
        self.string(
            "pattern",
            if are_labels {
                LABEL_KEY
            } else {
                ANNOTATION_KEY
            },
        );
        self.close('}');
        self.open("additionalProperties");
        self.ty("string", Null::Valid);
        if are_labels {
            self.string("pattern", LABEL_VALUE);
        }
        self.close('}');
    }

    fn text(&mut self, field: &Field, facts: &FieldConditions, null: Null) {
        if !field.values.is_empty() {
            self.list("enum");
            for value in field.allowed(self.release) {
                self.string("", value);
            }
            if null == Null::Valid {
                self.raw("", "\"\"");
                self.raw("", "null");
            }
            self.close(']');
        } else if field.json == "fieldsType" {
            self.raw("enum", r#"["FieldsV1","",null]"#);
        }
        match facts.format.and_then(|format| format.rule(facts.required)) {
            Some((pattern, max)) => {
                self.number("maxLength", Some(max));
                self.string("pattern", pattern);
            }
            None if facts.required && field.values.is_empty() => self.raw("minLength", "1"),
            None => {}
        }
        self.number("maxLength", facts.max_bytes);
    }

    fn list_semantics(&mut self, field: &Field) {
        let rule = field.list_rule(self.release);
        match rule.map_or(ListKind::Atomic, |rule| rule.kind) {
            ListKind::Atomic => self.string("x-kubernetes-list-type", "atomic"),
            ListKind::Set => self.string("x-kubernetes-list-type", "set"),
            ListKind::Map(keys) => {
                self.strings("x-kubernetes-list-map-keys", keys.iter().copied());
                self.string("x-kubernetes-list-type", "map");
            }
        }
        if let Some(rule) = rule.filter(|rule| rule.patch_merge) {
            if let Some(key) = rule.patch_merge_key {
                self.string("x-kubernetes-patch-merge-key", key);
            }
            self.string("x-kubernetes-patch-strategy", "merge");
        }
    }
}

fn def_name(schema: &Struct, place: Enclosing) -> String {
    let suffix = match place {
        Enclosing::Anywhere => "",
        Enclosing::Item => "Item",
        Enclosing::Namespaced => "Namespaced",
        Enclosing::Template => "Template",
    };
    format!("{}{suffix}", schema.go)
}
