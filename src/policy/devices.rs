//! Violations of the settings in objects of v1alpha3 and later.

use crate::policy::compare::{Extent, Reasons};
use crate::policy::limits;
use crate::policy::namespace::Has;
use crate::policy::pattern;
use crate::policy::refusals::{
    Subject, applying, driver, labels_unknown, node_rule, refuse, refuse_class,
};
use crate::policy::selectors::{self, SelectedDrivers};
use crate::policy::settings::{NameList, Settings, TaintList, TaintPattern, ValidationMode};
use crate::policy::sums;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::FieldValue;
use claimkit_model::object::view::List as Items;
use claimkit_model::object::view::device::{
    DeviceAsk, DeviceClaim, DeviceClass, DeviceConfiguration, DeviceSelector, DeviceTaintRule,
    DeviceTaintRuleSpec, DeviceTaintSelector, ResourceClaim, ResourceClaimSpec,
    ResourceClaimTemplate, ResourcePoolStatusRequest, ResourceSlice, ResourceSliceSpec,
};
use claimkit_model::schema::device::ALLOCATION_MODES;
use claimkit_model::schema::{DeviceKind, Release};

/// Judges an object without its status.
pub fn of_object(
    kind: DeviceKind,
    settings: &Settings,
    subject: Subject<'_>,
    errors: &mut Reasons,
) {
    let root = Path::ROOT;
    let path = root.field("spec");
    let (object, release) = (subject.object, subject.release);
    match kind {
        DeviceKind::ResourceClaim => claim_spec(
            settings,
            subject,
            ResourceClaim::new(object).spec(),
            &path,
            errors,
        ),
        DeviceKind::ResourceClaimTemplate => {
            let spec = ResourceClaimTemplate::new(object).spec().spec();
            claim_spec(settings, subject, spec, &path.field("spec"), errors);
        }
        DeviceKind::DeviceClass => {
            let spec = DeviceClass::new(object).spec();
            let extent = Extent::default();
            selectors(settings, subject, spec.selectors(), &path, &extent, errors);
            opaque_drivers(settings, release, spec.config(), &path, errors);
            limits::class(settings, release, spec, &path, errors);
            if spec
                .suitable_nodes_slot()
                .field()
                .is_some_and(|field| field.in_release(release))
            {
                let (rule, nodes) = (&settings.suitable_nodes, path.field("suitableNodes"));
                node_rule(
                    rule,
                    Code::PolicySuitableNodes,
                    spec.suitable_nodes(),
                    &nodes,
                    release,
                    errors,
                );
            }
        }
        DeviceKind::ResourceSlice => {
            let spec = ResourceSlice::new(object).spec();
            let name = spec.driver();
            driver(settings, release, name, &path.field("driver"), errors);
            if settings.slice_taints != TaintList::Any {
                slice_taints(&settings.slice_taints, spec, &path, errors);
            }
        }
        DeviceKind::ResourcePoolStatusRequest => {
            let spec = ResourcePoolStatusRequest::new(object).spec();
            driver(
                settings,
                release,
                spec.driver(),
                &path.field("driver"),
                errors,
            );
        }
        DeviceKind::DeviceTaintRule => taint_rule(
            settings,
            subject,
            DeviceTaintRule::new(object).spec(),
            &path,
            errors,
        ),
        DeviceKind::PodSchedulingContext => {}
    }
}

/// Judges the status of a claim.
pub fn of_status(settings: &Settings, subject: Subject<'_>, errors: &mut Reasons) {
    let claim = ResourceClaim::new(subject.object);
    let (status, release) = (claim.status(), subject.release);
    let root = Path::ROOT;
    let path = root.field("status");
    if let Some(allocation) = status.allocation() {
        let path = path.field("allocation");
        let place = path.field("controller");
        status_driver(settings, release, allocation.controller(), &place, errors);
        let devices = allocation.devices();
        let place = path.field("devices");
        let results = place.field("results");
        for (at, result) in devices.results().iter().enumerate() {
            let entry = results.index(at);
            let place = entry.field("driver");
            status_driver(settings, release, result.driver(), &place, errors);
            // The scheduler copies those of the request, which have been judged when the claim was created.
            let asked = request_named(claim.spec().devices(), result.request());
            limits::tolerations(
                settings,
                subject.namespace,
                result.tolerations(),
                asked.tolerations(),
                &entry,
                errors,
            );
        }
        let mut asks = false;
        each_request(claim.spec().devices(), &Path::ROOT, &mut |request, _| {
            asks |= request.admin_access()
        });
        // The spec has been judged when the claim was created, and the scheduler must be able to write its result.
        if !asks {
            for (at, result) in devices.results().iter().enumerate() {
                if result.admin_access() {
                    admin_access(settings, subject, &results.index(at), errors);
                }
            }
        }
        let configs = place.field("config");
        for (at, config) in devices.config().iter().enumerate() {
            if let Some(opaque) = config.opaque() {
                let entry = configs.index(at);
                let parameters = entry.field("opaque");
                let place = parameters.field("driver");
                status_driver(settings, release, opaque.driver(), &place, errors);
            }
        }
        // The scheduler copies those of the claim, which have been judged when the claim was created.
        let asked = claim.spec().devices().config();
        limits::opaque_parameters(settings, subject, devices.config(), asked, &place, errors);
        let (rule, nodes) = (&settings.available_on_nodes, path.field("nodeSelector"));
        node_rule(
            rule,
            Code::PolicyAvailableOnNodes,
            allocation.node_selector(),
            &nodes,
            release,
            errors,
        );
    }
    let devices = path.field("devices");
    for (at, device) in status.devices().iter().enumerate() {
        let entry = devices.index(at);
        let place = entry.field("driver");
        status_driver(settings, release, device.driver(), &place, errors);
    }
}

/// Checks a driver in a status. One that the stored status has anywhere is accepted everywhere: a driver writes about the devices that
/// were allocated of it.
fn status_driver(
    settings: &Settings,
    release: Release,
    name: &str,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let start = errors.len();
    driver(settings, release, name, path, errors);
    let key = format!("the driver {name} in a status");
    errors.extend_from(start, Some(&key), &Extent::shared());
}

fn claim_spec(
    settings: &Settings,
    subject: Subject<'_>,
    spec: ResourceClaimSpec<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    driver(
        settings,
        subject.release,
        spec.controller(),
        &path.field("controller"),
        errors,
    );
    let devices = spec.devices();
    let path = path.field("devices");
    let release = subject.release;
    let limits = if settings.limits.decides() && !devices.requests().is_empty() {
        let code = Code::PolicyLimits;
        applying(&settings.limits, code, subject.namespace, errors)
    } else {
        None
    };
    if let Some(limits) = limits {
        limits::requests(limits, devices, &path, errors);
    }
    each_request(devices, &path, &mut |request, path| {
        device_request(settings, subject, request, path, errors);
        if let Some(limits) = limits {
            limits::request(limits, release, request, path, errors);
        }
        limits::allowances(settings, subject.namespace, request, path, errors);
    });
    if let Some(limits) = limits {
        sums::of_claim(limits, devices, release, &path, errors);
    }
    opaque_drivers(settings, release, devices.config(), &path, errors);
    let (config, known) = (devices.config(), DeviceClaim::default().config());
    limits::opaque_parameters(settings, subject, config, known, &path, errors);
}

/// Calls `then` with each struct that asks for devices of one class, and its path: requests in the form of v1alpha3 and v1beta1,
/// `exactly` of later ones, and the alternatives of `firstAvailable`.
pub fn each_request(
    devices: DeviceClaim<'_>,
    path: &Path<'_>,
    then: &mut dyn FnMut(DeviceAsk<'_>, &Path<'_>),
) {
    let path = path.field("requests");
    for (at, request) in devices.requests().iter().enumerate() {
        let path = path.index(at);
        let alternatives = request.first_available();
        if let Some(exactly) = request.exactly() {
            then(exactly, &path.field("exactly"));
        } else if request.is_flat() && alternatives.is_empty() {
            then(request.flat(), &path);
        }
        let path = path.field("firstAvailable");
        for (at, alternative) in alternatives.iter().enumerate() {
            then(alternative, &path.index(at));
        }
    }
}

/// Returns what asks for the devices of a result: the request of its name, or the alternative `REQUEST/ALTERNATIVE`; an empty one if
/// there is none.
fn request_named<'r>(devices: DeviceClaim<'r>, name: &str) -> DeviceAsk<'r> {
    let (request_name, alternative) = match name.split_once('/') {
        Some((request_name, alternative)) => (request_name, Some(alternative)),
        None => (name, None),
    };
    let mut requests = devices.requests().iter();
    let Some(request) = requests.find(|request| request.name() == request_name) else {
        return DeviceAsk::default();
    };
    let found = match alternative {
        None => request.exact(),
        Some(alternative) => {
            let mut alternatives = request.first_available().iter();
            alternatives.find(|ask| ask.name() == alternative)
        }
    };
    found.unwrap_or_default()
}

fn device_request(
    settings: &Settings,
    subject: Subject<'_>,
    request: DeviceAsk<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let release = subject.release;
    let class = request.device_class_name();
    // The API server rejects a missing class itself, unless its rules are switched off.
    if !class.is_empty() || subject.validation != ValidationMode::Strict {
        let (rule, path) = (&settings.device_classes, path.field("deviceClassName"));
        refuse_class(
            rule,
            Code::PolicyDeviceClass,
            &path,
            class,
            subject.namespace,
            release,
            errors,
        );
    }
    let extent = Extent::default();
    selectors(
        settings,
        subject,
        request.selectors(),
        path,
        &extent,
        errors,
    );
    let mode = request.allocation_mode();
    if ALLOCATION_MODES.contains(&mode) || subject.validation != ValidationMode::Strict {
        refuse(
            &settings.allocation_modes,
            Code::PolicyAllocationMode,
            &path.field("allocationMode"),
            mode,
            release,
            errors,
        );
    }
    if request.admin_access() {
        admin_access(settings, subject, path, errors);
    }
}

/// Refuses admin access at a path, except where the namespace may have it.
fn admin_access(settings: &Settings, subject: Subject<'_>, path: &Path<'_>, errors: &mut Reasons) {
    let rule = &settings.admin_access;
    if !rule.limited {
        return;
    }
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

/// Checks the taints of the devices of a slice.
fn slice_taints(
    list: &TaintList,
    spec: ResourceSliceSpec<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let path = path.field("devices");
    for (at, device) in spec.devices().iter().enumerate() {
        let place = path.index(at);
        let basic = device.basic().map(|_| place.field("basic"));
        let place = basic.as_ref().unwrap_or(&place).field("taints");
        let taints = device.basic().unwrap_or(device).taints();
        for (number, taint) in taints.iter().enumerate() {
            let (key, effect) = (taint.key(), taint.effect());
            if !list.accepts_taint(spec.driver(), key, effect) {
                let start = errors.len();
                errors.forbidden(
                    Code::PolicySliceTaints,
                    &place.index(number),
                    &not_accepted(key, effect),
                );
                let extent = Extent {
                    amount: strength(effect),
                    contents: vec![device.name().to_owned()],
                    ..Extent::default()
                };
                let key = format!("the taint {key} of a device");
                errors.extend_from(start, Some(&key), &extent);
            }
        }
    }
}

/// Returns the reason against a taint.
fn not_accepted(key: &str, effect: &str) -> String {
    format!("the policy does not accept a taint with the key `{key}` and the effect `{effect}`")
}

/// Checks that a taint rule selects devices, and its taint.
fn taint_rule(
    settings: &Settings,
    subject: Subject<'_>,
    spec: DeviceTaintRuleSpec<'_>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    if spec.record().is_none() {
        return;
    }
    let selector = spec.device_selector();
    let path_to_selector = path.field("deviceSelector");
    let taint = spec.taint();
    let (key, effect) = (taint.key(), taint.effect());
    let extent = Extent {
        amount: strength(effect),
        contents: vec![format!("{key}={}", taint.value())],
        // The same taint on other devices is another one.
        conditions: selected_by(selector),
        is_shared: false,
    };
    if let Some(selector) = selector {
        selected_drivers(
            settings,
            subject,
            selector,
            &path_to_selector,
            &extent,
            errors,
        );
    }
    let named = selector.and_then(|selector| selector.driver());
    if !settings
        .rule_taints
        .accepts_taint(named.unwrap_or_default(), key, effect)
    {
        let start = errors.len();
        let (code, path) = (Code::PolicyTaintRule, path.field("taint"));
        errors.forbidden(code, &path, &not_accepted(key, effect));
        errors.extend_from(start, Some("the taint of a rule"), &extent);
    }
    if requires_selector(settings, taint.effect())
        && !selector.is_some_and(|selector| selects(settings, subject, selector))
    {
        let start = errors.len();
        errors.required(
            Code::PolicyTaintRule,
            &path_to_selector,
            unselective(taint.effect()),
        );
        let extent = Extent {
            conditions: Vec::new(),
            ..extent
        };
        errors.extend_from(start, Some("an unselective taint rule"), &extent);
    }
}

/// Checks which devices the selector of a taint rule selects. `extent`: that of the rule.
fn selected_drivers(
    settings: &Settings,
    subject: Subject<'_>,
    selector: DeviceTaintSelector<'_>,
    path: &Path<'_>,
    extent: &Extent,
    errors: &mut Reasons,
) {
    let start = errors.len();
    let name = selector.driver().unwrap_or_default();
    driver(
        settings,
        subject.release,
        name,
        &path.field("driver"),
        errors,
    );
    if let Some(class) = selector
        .device_class_name()
        .filter(|class| !class.is_empty())
    {
        let path = path.field("deviceClassName");
        refuse(
            &settings.device_classes.list,
            Code::PolicyDeviceClass,
            &path,
            class,
            subject.release,
            errors,
        );
    }
    errors.extend_from(start, None, extent);
    selectors(
        settings,
        subject,
        selector.selectors(),
        path,
        extent,
        errors,
    );
}

/// Writes what a selector of a taint rule names, each with its field.
fn selected_by(selector: Option<DeviceTaintSelector<'_>>) -> Vec<String> {
    let Some(selector) = selector else {
        return Vec::new();
    };
    let names = [
        ("driver", selector.driver()),
        ("pool", selector.pool()),
        ("device", selector.device()),
        ("class", selector.device_class_name()),
    ];
    let given = names
        .into_iter()
        .filter_map(|(field, name)| Some((field, name.filter(|name| !name.is_empty())?)));
    let mut parts: Vec<String> = given
        .map(|(field, name)| format!("{field} {name}"))
        .collect();
    parts.extend(expressions(selector.selectors()).map(|(_, text)| text.to_owned()));
    parts
}

/// Returns how much harm an effect does: `None` none, `NoSchedule` keeps pods away, all others evict them.
fn strength(effect: &str) -> i128 {
    match effect {
        "None" => 0,
        "NoSchedule" => 1,
        _ => 2,
    }
}

fn requires_selector(settings: &Settings, effect: &str) -> bool {
    match settings.taint_selector {
        None => false,
        Some(TaintPattern::Always) => true,
        Some(TaintPattern::NoExecute) => effect == EVICTS,
    }
}

/// The effect that evicts pods.
const EVICTS: &str = "NoExecute";

/// Returns the reason against a rule without a selector.
fn unselective(effect: &str) -> &'static str {
    if effect == EVICTS {
        "the policy asks for a selector: without one the rule evicts pods from every device of the cluster"
    } else {
        "the policy asks for a selector: without one the rule taints every device of the cluster"
    }
}

/// Checks whether a selector of a taint rule leaves devices out. An empty text names nothing, CEL that any device meets selects
/// nothing, and neither does the driver if it is the only one that the policy accepts.
fn selects(settings: &Settings, subject: Subject<'_>, selector: DeviceTaintSelector<'_>) -> bool {
    let named = selector.driver().unwrap_or_default();
    let only = matches!(&settings.drivers, NameList::Allow(patterns) if matches!(patterns.as_slice(), [one] if one == named));
    let Some(record) = selector.record() else {
        return false;
    };
    record
        .schema
        .fields
        .iter()
        .zip(&record.slots)
        .any(|(field, value)| match (field.json, value) {
            ("driver", FieldValue::Str(_)) if only => false,
            ("selectors", FieldValue::List(_)) => {
                let texts: Vec<&str> = expressions(selector.selectors())
                    .map(|(_, text)| text)
                    .collect();
                selectors::leave_devices_out(&texts, subject.release, settings.gates)
            }
            (_, FieldValue::List(items)) => !items.is_empty(),
            (_, FieldValue::Str(text)) => !text.is_empty(),
            (_, value) => !matches!(value, FieldValue::Unset),
        })
}

/// Returns the expressions of a list of selectors, with their places in it.
fn expressions<'r>(
    selectors: Items<'r, DeviceSelector<'r>>,
) -> impl Iterator<Item = (usize, &'r str)> {
    selectors
        .iter()
        .enumerate()
        .filter_map(|(at, selector)| Some((at, selector.cel()?.expression())))
}

/// Checks which drivers selectors select. `extent`: that of their object, without them. A device must meet all selectors, so that each
/// narrows what the others select.
fn selectors<'r>(
    settings: &Settings,
    subject: Subject<'_>,
    list: Items<'r, DeviceSelector<'r>>,
    path: &Path<'_>,
    extent: &Extent,
    errors: &mut Reasons,
) {
    if settings.drivers == NameList::Any {
        return;
    }
    let path = path.field("selectors");
    if subject.has_many_expressions {
        return untried(list, &path, extent, errors);
    }
    for (at, text) in expressions(list) {
        let selector = path.index(at);
        let cel = selector.field("cel");
        let path = cel.field("expression");
        let start = errors.len();
        let found = selectors::drivers(
            text,
            &settings.drivers,
            subject.release,
            settings.gates,
            &errors.budget,
        );
        match found {
            SelectedDrivers::Refused(names) => {
                for name in names {
                    let (list, release) = (&settings.drivers, subject.release);
                    refuse(list, Code::PolicyDriver, &path, &name, release, errors);
                }
            }
            SelectedDrivers::Tested(example) => {
                let detail = selects_others(&settings.drivers, &example, subject.release);
                errors.forbidden(Code::PolicyDriver, &path, &detail);
            }
            SelectedDrivers::Unreadable => {
                let detail = "the policy cannot read this expression, so it does not know which drivers the expression selects";
                errors.forbidden(Code::PolicyDriver, &path, detail);
            }
            SelectedDrivers::Unclear => {
                let detail = "the policy does not know which drivers this expression selects: compare `device.driver` with whole names";
                errors.forbidden(Code::PolicyDriver, &path, detail);
            }
            SelectedDrivers::TooMany => {
                let detail =
                    "the policy does not try as many names and conditions as this expression has";
                errors.forbidden(Code::PolicyDriver, &path, detail);
            }
        }
        let mut extent = extent.clone();
        extent.contents.push(text.to_owned());
        let others = expressions(list).map(|(_, text)| text.to_owned());
        extent.conditions.extend(others);
        errors.extend_from(start, None, &extent);
    }
}

/// Returns the reason against an expression whose tests of names other drivers pass.
fn selects_others(list: &NameList, example: &str, release: Release) -> String {
    let unicode = release.rules().unicode;
    let mut detail = format!(
        "the expression selects drivers that the policy does not accept, such as {}: compare `device.driver` with whole names",
        claimkit_values::quote(example, unicode)
    );
    if let NameList::Allow(patterns) = list {
        detail.push_str("; accepted drivers: ");
        let patterns = patterns.iter().map(String::as_str);
        detail.push_str(&claimkit_values::quoted(patterns, unicode));
    }
    detail
}

/// Refuses selectors whose expressions are too large to be tried, because they may select any driver.
fn untried<'r>(
    list: Items<'r, DeviceSelector<'r>>,
    path: &Path<'_>,
    extent: &Extent,
    errors: &mut Reasons,
) {
    let texts: Vec<String> = expressions(list).map(|(_, text)| text.to_owned()).collect();
    let Some((at, _)) = expressions(list).next() else {
        return;
    };
    let selector = path.index(at);
    let cel = selector.field("cel");
    let detail = "the policy does not try as many expressions as this object has";
    let start = errors.len();
    errors.forbidden(Code::PolicyDriver, &cel.field("expression"), detail);
    let mut extent = extent.clone();
    extent.contents.extend(texts);
    errors.extend_from(start, None, &extent);
}

/// Judges the drivers of the opaque configurations in `config`.
fn opaque_drivers(
    settings: &Settings,
    release: Release,
    list: Items<'_, DeviceConfiguration<'_>>,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let path = path.field("config");
    for (at, config) in list.iter().enumerate() {
        if let Some(opaque) = config.opaque() {
            let start = errors.len();
            driver(
                settings,
                release,
                opaque.driver(),
                &path.index(at).field("opaque").field("driver"),
                errors,
            );
            let parameters = match opaque.parameters().value() {
                FieldValue::Raw(text) => text.to_string(),
                _ => String::new(),
            };
            let extent = Extent::contents(vec![parameters]);
            errors.extend_from(start, None, &extent);
        }
    }
}
