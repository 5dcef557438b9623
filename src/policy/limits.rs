//! Limits of what claims ask for: requests, devices, capacity; and tolerations, CEL, opaque parameters and names of extended resources.

use crate::policy::cluster;
use crate::policy::compare::{Extent, Reasons, without_indexes};
use crate::policy::namespace::Namespace;
use crate::policy::parameters;
use crate::policy::refusals::{Subject, applying, refuse};
use crate::policy::settings::{ClaimLimits, ExpressionRule, RequestLimits, Settings};
use crate::validation::{Bad, immutable};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::FieldValue;
use claimkit_model::object::view::List as Items;
use claimkit_model::object::view::device::{
    DeviceAsk, DeviceClaim, DeviceClassSpec, DeviceConfiguration, DeviceToleration,
    OpaqueDeviceConfiguration,
};
use claimkit_model::schema::Release;
use claimkit_model::text::print::{self, Order};
use claimkit_values::quantity::Quantity;

/// Checks how many requests a claim has.
pub fn requests(
    limits: &ClaimLimits,
    devices: DeviceClaim<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let count = devices.requests().len();
    if let Some(most) = limits.max_requests.filter(|&most| count > most) {
        let detail =
            format!("the policy accepts at most {most} requests in a claim, this one has {count}");
        let start = errors.len();
        errors.forbidden(Code::PolicyLimits, &path.field("requests"), &detail);
        errors.extend_from(start, Some("limits.maxRequests"), &Extent::count(count));
    }
}

/// Checks how much a request for devices of one class asks for.
pub fn request(
    claim_limits: &ClaimLimits,
    release: Release,
    request: DeviceAsk<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let class = request.device_class_name();
    let limits = claim_limits.of(class);
    let quoted = || claimkit_values::quote(class, release.rules().unicode);
    if request.allocation_mode() == "All" {
        if !limits.all_devices.unwrap_or(limits.max_count.is_none()) {
            let detail = format!(
                "the policy accepts no request for all devices of the class {}",
                quoted()
            );
            errors.forbidden(Code::PolicyLimits, &path.field("allocationMode"), &detail);
        }
    } else if let Some(count) = request.count() {
        devices(limits, count, &quoted(), &path.field("count"), errors);
    }
    if let Some(capacity) = request.capacity() {
        let path_to_capacity = path.field("capacity");
        let path = path_to_capacity.field("requests");
        let devices = number_of_devices(request, limits);
        for (name, asked) in capacity.requests().iter() {
            let asked = AskedCapacity {
                name,
                asked,
                devices,
            };
            amount(limits, asked, &path.key(name), errors);
        }
    }
}

/// Checks the tolerations and the CEL of a request. The labels of the namespace are asked for only if the request has some.
pub fn allowances(
    settings: &Settings,
    namespace: Namespace<'_>,
    request: DeviceAsk<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let known = DeviceAsk::default().tolerations();
    tolerations(
        settings,
        namespace,
        request.tolerations(),
        known,
        path,
        errors,
    );
    let (selectors, attributes) = (request.selectors(), request.derived_attributes());
    for (field, none) in [
        ("selectors", selectors.is_empty()),
        ("derivedAttributes", attributes.is_empty()),
    ] {
        let (rule, code) = (&settings.claim_expressions, Code::PolicySelectors);
        if !none && applying(rule, code, namespace, errors) == Some(&ExpressionRule::Denied) {
            errors.forbidden(
                Code::PolicySelectors,
                &path.field(field),
                "the policy accepts no CEL expressions in claims",
            );
        }
    }
}

/// Returns how many devices a request gets at least; `None`: any number.
fn number_of_devices(request: DeviceAsk<'_>, limits: &RequestLimits) -> Option<i128> {
    if request.allocation_mode() == "All" {
        // Who lets a request take all devices bounds what it takes of each.
        return (limits.all_devices == Some(true)).then_some(1);
    }
    Some(i128::from(request.count().unwrap_or(1).max(1)))
}

/// Checks a number of devices. `class` is in quotes.
pub fn devices(
    limits: &RequestLimits,
    count: i64,
    class: &str,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    if let Some(most) = limits
        .max_count
        .filter(|most| i64::try_from(*most).is_ok_and(|most| count > most))
    {
        let detail =
            format!("the policy accepts at most {most} devices of the class {class} in a request");
        let start = errors.len();
        errors.invalid(Code::PolicyLimits, path, Bad::Int(count), &detail);
        let key = format!("{}: {detail}", without_indexes(&path.render()));
        errors.extend_from(start, Some(&key), &Extent::amount(count));
    }
}

/// A capacity that a request asks for.
#[derive(Clone, Copy)]
struct AskedCapacity<'r> {
    name: &'r str,
    /// The quantity for each device.
    asked: &'r str,
    /// `None`: any number.
    devices: Option<i128>,
}

/// Checks a capacity of all devices of a request together. A name without a domain is that of the device's driver, so it may be the
/// same as a name with one.
fn amount(
    limits: &RequestLimits,
    capacity: AskedCapacity<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let AskedCapacity {
        name,
        asked,
        devices,
    } = capacity;
    let (domain, id) = parts(name);
    for (limited, most) in &limits.max_capacity {
        let (limited_domain, limited_id) = parts(limited);
        if id != limited_id
            || !(domain.is_empty() || limited_domain.is_empty() || domain == limited_domain)
        {
            continue;
        }
        let (Ok(value), Ok(limit)) = (Quantity::parse(asked), Quantity::parse(most)) else {
            continue;
        };
        let of_each = value.nanos();
        let all = devices.map(|devices| of_each.saturating_mul(devices));
        if all.is_some_and(|all| all <= limit.nanos()) || of_each <= 0 {
            continue;
        }
        let of_devices = match devices {
            _ if of_each > limit.nanos() => String::new(),
            Some(devices) => format!(", and this one asks for it of {devices} devices"),
            None => ", and this one asks for it of all devices".to_owned(),
        };
        let detail =
            format!("the policy accepts at most {most} of `{limited}` in a request{of_devices}");
        let start = errors.len();
        errors.invalid(Code::PolicyLimits, path, Bad::Str(asked), &detail);
        let key = format!("{}: {limited}", without_indexes(&path.render()));
        let extent = Extent::amount(all.unwrap_or(i128::MAX));
        errors.extend_from(start, Some(&key), &extent);
    }
}

/// Returns the domain of a qualified name, empty if it has none, and the rest.
pub fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

/// Checks the tolerations of a request or of an allocated device. `known` ones are accepted.
pub fn tolerations<'r>(
    settings: &Settings,
    namespace: Namespace<'_>,
    list: Items<'r, DeviceToleration<'r>>,
    known: Items<'r, DeviceToleration<'r>>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let judged = judged_tolerations(list, known);
    if judged.is_empty() {
        return;
    }
    let (rule, code) = (&settings.tolerations, Code::PolicyTolerations);
    let Some(rule) = applying(rule, code, namespace, errors) else {
        return;
    };
    let path = path.field("tolerations");
    for JudgedToleration { at, toleration } in judged {
        let (key, effect) = (toleration.key(), toleration.effect());
        if !rule.accepts_toleration(key, effect) {
            let keys = if key.is_empty() {
                "any key".to_owned()
            } else {
                format!("the key `{key}`")
            };
            let effects = if effect.is_empty() {
                "any effect".to_owned()
            } else {
                format!("the effect `{effect}`")
            };
            let detail = format!(
                "the policy does not accept a toleration of taints with {keys} and {effects}"
            );
            errors.forbidden(code, &path.index(at), &detail);
        }
    }
}

/// A toleration and its index in its list.
struct JudgedToleration<'r> {
    at: usize,
    toleration: DeviceToleration<'r>,
}

/// Returns the tolerations that are not `known`.
fn judged_tolerations<'r>(
    list: Items<'r, DeviceToleration<'r>>,
    known: Items<'r, DeviceToleration<'r>>,
) -> Vec<JudgedToleration<'r>> {
    let mut judged = Vec::new();
    for (at, toleration) in list.iter().enumerate() {
        let mut known_records = known.iter().filter_map(DeviceToleration::record);
        let is_known = toleration
            .record()
            .is_some_and(|record| known_records.any(|known| immutable::same_record(known, record)));
        if !is_known {
            judged.push(JudgedToleration { at, toleration });
        }
    }
    judged
}

/// Checks the opaque parameters of a claim or of an allocation: their drivers, and what they say. `known` ones are accepted.
pub fn opaque_parameters<'r>(
    settings: &Settings,
    subject: Subject<'_>,
    config: Items<'r, DeviceConfiguration<'r>>,
    known: Items<'r, DeviceConfiguration<'r>>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let code = Code::PolicyOpaqueParameters;
    if !settings.opaque_parameters.decides() {
        return;
    }
    let judged = judged_parameters(config, known);
    if judged.is_empty() {
        return;
    }
    let rule = &settings.opaque_parameters;
    let Some(rule) = applying(rule, code, subject.namespace, errors) else {
        return;
    };
    let path = path.field("config");
    for JudgedParameters { at, opaque } in judged {
        let (path, driver) = (path.index(at), opaque.driver());
        let path = path.field("opaque");
        let place = path.field("driver");
        refuse(&rule.list, code, &place, driver, subject.release, errors);
        let place = path.field("parameters");
        parameters::check(&rule.rules, driver, json_of(opaque), &place, errors);
    }
}

/// Opaque parameters and their index among the configurations.
struct JudgedParameters<'r> {
    at: usize,
    opaque: OpaqueDeviceConfiguration<'r>,
}

/// Returns the opaque parameters that are not `known` and do not come from a class: those of classes are not judged.
fn judged_parameters<'r>(
    config: Items<'r, DeviceConfiguration<'r>>,
    known: Items<'r, DeviceConfiguration<'r>>,
) -> Vec<JudgedParameters<'r>> {
    let mut judged = Vec::new();
    for (at, config) in config.iter().enumerate() {
        let Some(opaque) = config.opaque() else {
            continue;
        };
        let mut known = known.iter().filter_map(|known| known.opaque());
        if config.source() != "FromClass" && !known.any(|known| are_same(known, opaque)) {
            judged.push(JudgedParameters { at, opaque });
        }
    }
    judged
}

/// Returns true for the same parameters of the same driver. A client may have written the keys in another order; one that is there
/// twice makes the text longer.
fn are_same(one: OpaqueDeviceConfiguration<'_>, other: OpaqueDeviceConfiguration<'_>) -> bool {
    let (json, other_json) = (json_of(one), json_of(other));
    one.driver() == other.driver()
        && json.len() == other_json.len()
        && (json == other_json || sorted(json).is_some_and(|json| sorted(other_json) == Some(json)))
}

fn json_of(opaque: OpaqueDeviceConfiguration<'_>) -> &str {
    match opaque.parameters().value() {
        FieldValue::Raw(text) => text,
        _ => "null",
    }
}

/// Returns JSON with the keys of its objects in order; `None` if it cannot be read.
fn sorted(json: &str) -> Option<String> {
    let (tree, root) = cluster::parse(json).ok()?;
    let mut out = String::new();
    print::json(&tree, root, Order::Sorted, usize::MAX, &mut out).then_some(out)
}

/// Checks what a class takes and how it selects.
pub fn class(
    settings: &Settings,
    release: Release,
    spec: DeviceClassSpec<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    if let Some(name) = spec
        .extended_resource_name()
        .filter(|name| !name.is_empty())
    {
        let (list, path) = (
            &settings.extended_resource_names,
            path.field("extendedResourceName"),
        );
        refuse(
            list,
            Code::PolicyExtendedResources,
            &path,
            name,
            release,
            errors,
        );
    }
    if settings.class_expressions == ExpressionRule::Denied && !spec.selectors().is_empty() {
        let start = errors.len();
        errors.forbidden(
            Code::PolicySelectors,
            &path.field("selectors"),
            "the policy accepts no CEL selectors in classes",
        );
        let selectors = spec.selectors();
        let expressions = selectors.iter().filter_map(|selector| selector.cel());
        let texts = expressions.map(|cel| cel.expression().to_owned()).collect();
        errors.extend_from(start, None, &Extent::contents(texts));
    }
}
