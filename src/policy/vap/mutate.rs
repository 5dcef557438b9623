//! What the settings put in place of something else, as MutatingAdmissionPolicies: JSON patches made by CEL.
//!
//! CEL has no loop over indexes, so the indexes that a list can have are written out.

use super::cel::{self, accepts, text};
use crate::policy::settings::{ClassRule, NameList, Settings};

/// Maximum number of requests of a claim and of alternatives of a request (k8s.io/api, resource/v1, types.go).
const REQUESTS: usize = 32;
const ALTERNATIVES: usize = 8;

/// A value that a policy writes into a field of a request.
struct Substitution {
    field: &'static str,
    /// CEL: whether the field gets the value.
    condition: String,
    /// CEL.
    value: String,
}

/// How a version writes a request for one kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestShape {
    /// In `exactly`, from v1beta2 on.
    Exactly,
    /// Its fields are those of the request itself: v1beta1.
    Flat,
}

/// A place of a request for devices.
struct RequestPlace {
    /// In a JSON pointer, below the request, with `/` at its end; empty for the request itself.
    pointer: String,
    /// CEL: whether the request with the index `i` has it.
    has: String,
    /// CEL: the request for devices there.
    request: String,
}

/// Returns CEL for the list of JSON patches of an object whose requests for devices are at a path; `None` if nothing is changed.
pub fn patches(settings: &Settings, path: &str, shape: RequestShape) -> Option<String> {
    let requests = format!("object.{path}");
    let mut places = vec![match shape {
        RequestShape::Exactly => RequestPlace {
            pointer: "exactly/".to_owned(),
            has: format!("has({requests}[i].exactly)"),
            request: format!("{requests}[i].exactly"),
        },
        RequestShape::Flat => RequestPlace {
            pointer: String::new(),
            has: format!("!has({requests}[i].firstAvailable)"),
            request: format!("{requests}[i]"),
        },
    }];
    places.extend((0..ALTERNATIVES).map(|at| {
        let list = format!("{requests}[i].firstAvailable");
        RequestPlace {
            pointer: format!("firstAvailable/{at}/"),
            has: format!("has({list}) && {list}.size() > {at}"),
            request: format!("{list}[{at}]"),
        }
    }));
    let mut lists = Vec::new();
    for place in &places {
        for substitution in substitutions(settings, &place.request) {
            lists.push(list(path, place, &substitution));
        }
    }
    (!lists.is_empty()).then(|| lists.join(" + "))
}

/// Returns what the settings write into a request; `request`: CEL for it.
fn substitutions(settings: &Settings, request: &str) -> Vec<Substitution> {
    let mut found = Vec::new();
    let class_field = format!("{request}.deviceClassName");
    if !settings.warns("deviceClasses")
        && let Some(value) = class(&settings.device_classes, &class_field)
    {
        found.push(Substitution {
            field: "deviceClassName",
            condition: unless_exempt(settings, "deviceClasses", format!("{value} != \"\"")),
            value,
        });
    }
    let mode = format!("{request}.allocationMode");
    if let Some(fallback) = &settings.fallback_mode
        && claimkit_model::schema::device::ALLOCATION_MODES.contains(&fallback.as_str())
        && !settings.warns("allocationModes")
        && let Some(accepted) = accepts(&settings.allocation_modes, &mode)
    {
        let other = format!("has({mode}) && !({accepted})");
        let condition = unless_exempt(settings, "allocationModes", other);
        // `All` has no count.
        if fallback == "All" {
            found.push(Substitution {
                field: "count",
                condition: format!("{condition} && has({request}.count)"),
                value: "0".to_owned(),
            });
        }
        found.push(Substitution {
            field: "allocationMode",
            condition,
            value: text(fallback),
        });
    }
    found
}

/// Returns CEL for a condition of a setting, which is false where the request is exempt from the setting.
fn unless_exempt(settings: &Settings, setting: &str, condition: String) -> String {
    let rule = settings.rule(setting);
    let exempt = rule.map(|rule| super::exempting(&rule.exempt));
    let mut conditions: Vec<String> = exempt
        .into_iter()
        .flatten()
        .flatten()
        .map(|way| format!("!({way})"))
        .collect();
    conditions.push(condition);
    conditions.join(" && ")
}

/// Returns CEL for the class that replaces the class in a field; `None` if no class is ever replaced.
fn class(rule: &ClassRule, field: &str) -> Option<String> {
    let quoted = |class: Option<&String>| text(class.map(String::as_str).unwrap_or_default());
    let instead = |list: &NameList, default: Option<&String>, fallback: Option<&String>| {
        let accepted = accepts(list, field).unwrap_or_else(|| "true".to_owned());
        format!(
            "(!has({field}) || {field} == \"\" ? {} : (({accepted}) ? \"\" : {}))",
            quoted(default.or(fallback)),
            quoted(fallback)
        )
    };
    let (default, fallback) = (rule.default.as_ref(), rule.fallback.as_ref());
    let mut value = instead(&rule.list, default, fallback);
    let mut replaces = default.is_some() || fallback.is_some();
    for entry in rule.namespaces.iter().rev() {
        replaces |= entry.default.is_some() || entry.fallback.is_some();
        let mut conditions = Vec::new();
        if !entry.names.is_empty() {
            conditions.push(cel::matches(cel::NAMESPACE, &entry.names));
        }
        if !entry.labels.is_empty() {
            conditions.push(cel::labelled(&entry.labels));
        }
        let own = instead(
            &entry.list,
            entry.default.as_ref().or(default),
            entry.fallback.as_ref().or(fallback),
        );
        value = format!("(({}) ? {own} : {value})", conditions.join(" && "));
    }
    replaces.then_some(value)
}

/// Returns CEL for the patches of one field at one place of each request.
fn list(path: &str, place: &RequestPlace, substitution: &Substitution) -> String {
    let Substitution {
        field,
        condition,
        value,
    } = substitution;
    let RequestPlace { pointer, has, .. } = place;
    let indexes: Vec<String> = (0..REQUESTS).map(|index| index.to_string()).collect();
    let before = text(&format!("/{}/", path.replace('.', "/")));
    let after = text(&format!("/{pointer}{field}"));
    format!(
        "[{}].filter(i, i < object.{path}.size() && {has} && {condition}).map(i, JSONPatch{{op: \"add\", path: {before} + string(i) + {after}, value: {value}}})",
        indexes.join(", ")
    )
}
