//! Field selectors: `metadata.name=c,nodeName!=n`, read as apimachinery's parser does; the kind defines the supported fields.

use claimkit_model::schema::{Api, ClassicKind, DeviceKind, ObjectKind, Release};
use claimkit_values::GoUnicode;
use claimkit_values::order;

/// A field selector: all terms must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: String,
    equal: bool,
    value: String,
}

impl FieldSelector {
    /// Returns true if an object with these fields is selected. A missing field counts as empty.
    pub fn matches<'f>(&self, field: impl Fn(&str) -> &'f str) -> bool {
        self.terms
            .iter()
            .all(|term| (field(&term.field) == term.value) == term.equal)
    }

    /// Returns the error of a kind that has no such field, upstream's text.
    ///
    /// Source: kube-apiserver, `pkg/apis/resource/v1/conversion.go`, `addConversionFuncs`, and the same of other versions.
    pub fn unsupported(&self, api: Option<Api>, release: Release) -> Option<String> {
        let object = api.map(|api| api.kind.object);
        let field = self
            .terms
            .iter()
            .map(|term| &term.field)
            .find(|field| !is_known(field, object, release))?;
        Some(match api.filter(|_| object.is_some_and(is_slice)) {
            Some(api) => {
                format!(
                    "field label not supported for {}, Kind={}: {field}",
                    api.version.api_version, api.kind.kind
                )
            }
            None => {
                let quoted = claimkit_values::quote(field, GoUnicode::V15);
                format!(
                    "{quoted} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                )
            }
        })
    }
}

fn is_slice(object: ObjectKind) -> bool {
    matches!(
        object,
        ObjectKind::Classic(ClassicKind::ResourceSlice)
            | ObjectKind::Device(DeviceKind::ResourceSlice)
    )
}

/// Returns true if objects of a kind can be selected by a field.
fn is_known(field: &str, object: Option<ObjectKind>, release: Release) -> bool {
    let is_classic_slice = object == Some(ObjectKind::Classic(ClassicKind::ResourceSlice));
    let is_device_slice = object == Some(ObjectKind::Device(DeviceKind::ResourceSlice));
    match field {
        "metadata.name" => true,
        "metadata.namespace" => !object.is_some_and(is_slice),
        "nodeName" | "driverName" => is_classic_slice,
        "spec.nodeName" | "spec.driver" => is_device_slice,
        "spec.pool.name" => is_device_slice && release.minor >= 37,
        _ => false,
    }
}

/// Reads a field selector; the error is upstream's text.
pub fn parse(text: &str) -> Result<FieldSelector, String> {
    let mut parts = split(text);
    order::sort(&mut parts);
    let mut selector = FieldSelector::default();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let Some((field, equal, value)) = term(part) else {
            return Err(format!(
                "invalid selector: '{text}'; can't understand '{part}'"
            ));
        };
        selector.terms.push(Term {
            field: field.to_owned(),
            equal,
            value: unescape(value)?,
        });
    }
    Ok(selector)
}

/// Splits at commas that are not escaped by a backslash.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(text.get(start..at).unwrap_or(""));
                start = at.saturating_add(1);
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts
}

/// Splits a part into the field, whether it must be equal, and the value.
fn term(part: &str) -> Option<(&str, bool, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let rest = part.get(at..)?;
        let (equal, operator) = [(false, "!="), (true, "=="), (true, "=")]
            .into_iter()
            .find(|(_, op)| rest.starts_with(op))?;
        Some((part.get(..at)?, equal, rest.get(operator.len()..)?))
    })
}

fn unescape(value: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                Some(c) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{c}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}
