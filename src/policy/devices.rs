//! Violations of the settings in objects of v1alpha3 and later.

use crate::api::device::ALLOCATION_MODES;
use crate::api::{DeviceKind, Release};
use crate::finding::{Code, Path};
use crate::policy::limits;
use crate::policy::namespace::Has;
use crate::policy::pattern;
use crate::policy::refusals::{Subject, driver, labels_unknown, node_rule, refuse, refuse_class};
use crate::policy::selectors;
use crate::policy::settings::{List, Settings, TaintSelector};
use crate::record::{Record, Value};
use crate::rules::Errors;

/// Judges an object without its status.
pub fn of_object(kind: DeviceKind, settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let root = Path::ROOT;
    let path = root.field("spec");
    let Some(spec) = subject.object.record("spec") else { return };
    match kind {
        DeviceKind::ResourceClaim => claim_spec(settings, subject, spec, &path, errors),
        DeviceKind::ResourceClaimTemplate => {
            if let Some(spec) = spec.record("spec") {
                claim_spec(settings, subject, spec, &path.field("spec"), errors);
            }
        }
        DeviceKind::DeviceClass => {
            selectors(settings, subject, spec, &path, errors);
            opaque_drivers(settings, subject.release, spec, &path, errors);
            limits::class(settings, subject.release, spec, &path, errors);
            if spec.schema.field("suitableNodes", subject.release).is_some() {
                let (rule, nodes) = (&settings.suitable_nodes, path.field("suitableNodes"));
                node_rule(rule, Code::PolicySuitableNodes, spec, &nodes, "suitableNodes", subject.release, errors);
            }
        }
        DeviceKind::ResourceSlice | DeviceKind::ResourcePoolStatusRequest => {
            driver(settings, subject.release, spec, "driver", &path, errors);
        }
        DeviceKind::DeviceTaintRule => taint_rule(settings, subject, spec, &path, errors),
        DeviceKind::PodSchedulingContext => {}
    }
}

/// Judges the status of a claim.
pub fn of_status(settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let Some(status) = subject.object.record("status") else { return };
    let root = Path::ROOT;
    let path = root.field("status");
    if let Some(allocation) = status.record("allocation") {
        let path = path.field("allocation");
        driver(settings, subject.release, allocation, "controller", &path, errors);
        if let Some(devices) = allocation.record("devices") {
            let path = path.field("devices");
            drivers(settings, subject.release, devices, "results", &path, errors);
            opaque_drivers(settings, subject.release, devices, &path, errors);
        }
        let (rule, nodes) = (&settings.available_on_nodes, path.field("nodeSelector"));
        node_rule(rule, Code::PolicyAvailableOnNodes, allocation, &nodes, "nodeSelector", subject.release, errors);
    }
    drivers(settings, subject.release, status, "devices", &path, errors);
}

fn claim_spec(settings: &Settings, subject: Subject<'_>, spec: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    driver(settings, subject.release, spec, "controller", path, errors);
    let Some(devices) = spec.record("devices") else { return };
    let path = path.field("devices");
    limits::requests(settings, devices, &path, errors);
    each_request(devices, &path, &mut |request, path| {
        device_request(settings, subject, request, path, errors);
        limits::request(settings, subject.release, request, path, errors);
    });
    opaque_drivers(settings, subject.release, devices, &path, errors);
    limits::opaque_parameters(settings, subject.release, devices, &path, errors);
}

/// Calls `then` with each struct that asks for devices of one class, and its path: requests in the form of v1alpha3 and v1beta1,
/// `exactly` of later ones, and the alternatives of `firstAvailable`.
pub fn each_request(devices: &Record<'_>, path: &Path<'_>, then: &mut dyn FnMut(&Record<'_>, &Path<'_>)) {
    let path = path.field("requests");
    for (at, request) in devices.list("requests").iter().enumerate() {
        let Some(request) = request.as_record() else { continue };
        let path = path.index(at);
        let alternatives = request.list("firstAvailable");
        if let Some(exactly) = request.record("exactly") {
            then(exactly, &path.field("exactly"));
        } else if request.schema.slot("deviceClassName").is_some() && alternatives.is_empty() {
            then(request, &path);
        }
        let path = path.field("firstAvailable");
        for (at, alternative) in alternatives.iter().enumerate() {
            if let Some(alternative) = alternative.as_record() {
                then(alternative, &path.index(at));
            }
        }
    }
}

fn device_request(settings: &Settings, subject: Subject<'_>, request: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let release = subject.release;
    let class = request.str("deviceClassName");
    // The API server rejects a missing class itself, unless its rules are switched off.
    if !class.is_empty() || settings.validation_off {
        let (rule, path) = (&settings.device_classes, path.field("deviceClassName"));
        refuse_class(rule, Code::PolicyDeviceClass, &path, class, subject.namespace, release, errors);
    }
    selectors(settings, subject, request, path, errors);
    let mode = request.str("allocationMode");
    if ALLOCATION_MODES.contains(&mode) || settings.validation_off {
        refuse(&settings.allocation_modes, Code::PolicyAllocationMode, &path.field("allocationMode"), mode, release, errors);
    }
    let rule = &settings.admin_access;
    if rule.limited && request.bool("adminAccess") {
        let named = pattern::any(&rule.namespaces, subject.namespace.name);
        let has = if named {
            Has::Yes
        } else if rule.labels.is_empty() {
            Has::No
        } else {
            subject.namespace.has_for_admin_access(&rule.labels)
        };
        match has {
            Has::Yes | Has::Unasked => {}
            Has::No => {
                let detail = "the policy does not accept admin access to devices in this namespace";
                errors.forbidden(Code::PolicyAdminAccess, &path.field("adminAccess"), detail);
            }
            Has::Failed(problem) => labels_unknown(Code::PolicyAdminAccess, problem, errors),
        }
    }
}

/// Checks that a taint rule selects devices.
fn taint_rule(settings: &Settings, subject: Subject<'_>, spec: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let selector = spec.record("deviceSelector");
    let path_to_selector = path.field("deviceSelector");
    if let Some(selector) = selector {
        driver(settings, subject.release, selector, "driver", &path_to_selector, errors);
        let class = selector.str("deviceClassName");
        if !class.is_empty() {
            let path = path_to_selector.field("deviceClassName");
            refuse(&settings.device_classes.list, Code::PolicyDeviceClass, &path, class, subject.release, errors);
        }
        selectors(settings, subject, selector, &path_to_selector, errors);
    }
    let effect = spec.record("taint").map_or("", |taint| taint.str("effect"));
    if requires_selector(settings, effect) && !selector.is_some_and(|selector| selects(settings, subject, selector)) {
        errors.required(Code::PolicyTaintRule, &path_to_selector, unselective(effect));
    }
}

fn requires_selector(settings: &Settings, effect: &str) -> bool {
    match settings.taint_selector {
        None => false,
        Some(TaintSelector::Always) => true,
        Some(TaintSelector::NoExecute) => effect == EVICTS,
    }
}

/// The effect that evicts pods.
const EVICTS: &str = "NoExecute";

/// Returns the reason against a rule without a selector. It differs where the rule evicts pods, so that an update to that effect
/// is new.
fn unselective(effect: &str) -> &'static str {
    if effect == EVICTS {
        "the policy asks for a selector: without one the rule evicts pods from every device of the cluster"
    } else {
        "the policy asks for a selector: without one the rule taints every device of the cluster"
    }
}

/// Adds the reason of a stored taint rule that evicts pods, in the words for a milder effect: an update to that effect is not a
/// new violation.
pub fn milder(settings: &Settings, subject: Subject<'_>, errors: &mut Errors) {
    let Some(spec) = subject.object.record("spec") else { return };
    let evicts = spec.record("taint").is_some_and(|taint| taint.str("effect") == EVICTS);
    let selector = spec.record("deviceSelector");
    if evicts && requires_selector(settings, EVICTS) && !selector.is_some_and(|selector| selects(settings, subject, selector)) {
        errors.required(Code::PolicyTaintRule, &Path::ROOT.field("spec").field("deviceSelector"), unselective(""));
    }
}

/// Checks whether a selector of a taint rule leaves devices out. An empty text names nothing, CEL that any device meets selects
/// nothing, and neither does the driver if it is the only one that the policy accepts.
fn selects(settings: &Settings, subject: Subject<'_>, selector: &Record<'_>) -> bool {
    let only = matches!(&settings.drivers, List::Allow(patterns) if matches!(patterns.as_slice(), [one] if one == selector.str("driver")));
    selector.schema.fields.iter().any(|field| match (field.json, selector.get(field.json)) {
        ("driver", Value::Str(_)) if only => false,
        ("selectors", Value::List(items)) => {
            let texts: Vec<&str> = expressions(items).map(|(_, text)| text).collect();
            selectors::leave_devices_out(&texts, subject.release, settings.gates)
        }
        (_, Value::List(items)) => !items.is_empty(),
        (_, Value::Str(text)) => !text.is_empty(),
        (_, value) => !matches!(value, Value::Unset),
    })
}

/// Returns the expressions of a list of selectors, with their places in it.
fn expressions<'r>(items: &'r [Value<'_>]) -> impl Iterator<Item = (usize, &'r str)> {
    let expression = |(at, item): (usize, &'r Value<'_>)| Some((at, item.as_record()?.record("cel")?.str("expression")));
    items.iter().enumerate().filter_map(expression)
}

/// Checks the drivers that selectors compare `device.driver` with.
fn selectors(settings: &Settings, subject: Subject<'_>, holder: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    if settings.drivers == List::Any || holder.schema.slot("selectors").is_none() {
        return;
    }
    let path = path.field("selectors");
    for (at, text) in expressions(holder.list("selectors")) {
        for name in selectors::drivers(text, subject.release, settings.gates) {
            let path = path.index(at);
            let path = path.field("cel");
            refuse(&settings.drivers, Code::PolicyDriver, &path.field("expression"), &name, subject.release, errors);
        }
    }
}

/// Judges the drivers of the opaque configurations in `config`.
fn opaque_drivers(settings: &Settings, release: Release, holder: &Record<'_>, path: &Path<'_>, errors: &mut Errors) {
    let path = path.field("config");
    for (at, config) in holder.list("config").iter().filter_map(Value::as_record).enumerate() {
        if let Some(opaque) = config.record("opaque") {
            driver(settings, release, opaque, "driver", &path.index(at).field("opaque"), errors);
        }
    }
}

fn drivers(settings: &Settings, release: Release, holder: &Record<'_>, list: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.field(list);
    for (at, item) in holder.list(list).iter().filter_map(Value::as_record).enumerate() {
        driver(settings, release, item, "driver", &path.index(at), errors);
    }
}
