//! What the settings ask of each kind, in CEL.

use super::cel::{
    NAMESPACE, accepts, accepts_class, applying, is_present, labelled, matches, text,
};
use crate::policy::settings::{
    ClaimLimits, ExpressionRule, NameList, ParameterRule, PodRule, RequestLimits, Settings,
    SumLimit, SumOf, TaintList, TaintPattern, Taints,
};
use claimkit_model::schema::VERSIONS;
use claimkit_scheduler::allocator::extended::IMPLICIT;

/// The check of one setting.
#[derive(Clone, Debug)]
pub struct SettingCheck {
    pub setting: &'static str,
    /// It must be true.
    pub expression: String,
    /// The message for an object that fails the check.
    pub message: String,
    /// CEL that gives the places of the object that fail it, as a text; empty if there is one place only.
    pub places: String,
}

/// Kinds that are judged in the same way.
#[derive(Clone, Debug)]
pub struct CheckTarget {
    /// The end of the policy's name.
    pub name: &'static str,
    /// Group, versions and resources.
    pub rules: Vec<(&'static str, String, &'static str)>,
    /// Only updates of the status are judged.
    pub status: bool,
    /// A request is judged only if this is true.
    pub changed: String,
    pub variables: Vec<(&'static str, String)>,
    pub checks: Vec<SettingCheck>,
}

const RESOURCES: &str = "resource.k8s.io";

/// Versions that the checks can read, the newest first; a rule that names a version which a server does not serve does no harm.
const READABLE: [&str; 4] = ["v1", "v1beta2", "v1beta1", "v1alpha3"];

/// Returns the rule for resources of this group: every version that the servers of `release` can serve, or of all releases.
fn rule(
    settings: &Settings,
    kind: &str,
    resources: &'static str,
) -> Vec<(&'static str, String, &'static str)> {
    let versions: Vec<&str> = READABLE
        .iter()
        .filter(|name| is_served(kind, settings, name))
        .copied()
        .collect();
    if versions.is_empty() {
        return Vec::new();
    }
    vec![(RESOURCES, versions.join(", "), resources)]
}

/// Returns true if the version has the kind, in the release of the settings if they name one.
fn is_served(kind: &str, settings: &Settings, name: &str) -> bool {
    let version = VERSIONS.iter().find(|version| version.name == name);
    version
        .copied()
        .filter(|version| match settings.release {
            Some(release) => version.kind(kind, release).is_some(),
            None => version.kinds.iter().any(|row| row.kind == kind),
        })
        .is_some()
}

/// Returns every kind that the settings judge.
pub fn targets(settings: &Settings) -> Vec<CheckTarget> {
    let mut targets = vec![
        claims(
            settings,
            "claims",
            rule(settings, "ResourceClaim", "resourceclaims"),
            "spec",
        ),
        claims(
            settings,
            "claim-templates",
            rule(settings, "ResourceClaimTemplate", "resourceclaimtemplates"),
            "spec.spec",
        ),
        statuses(settings),
        classes(settings),
        slices(settings),
        slice_taints(settings),
        taint_rules(settings),
        pool_requests(settings),
    ];
    for (name, rules, path) in PODS {
        targets.push(pods(settings, name, rules, path));
    }
    targets.retain(|target| !target.checks.is_empty() && !target.rules.is_empty());
    targets
}

/// CEL that is true if there is a stored object. Where there is none, an API server's `oldObject` is `null` and Kyverno's an empty map.
const IS_UPDATE: &str = "request.operation == \"UPDATE\"";

/// Writes the condition under which a request is judged: it creates an object or changes the part at `path`.
fn changed(path: &str) -> String {
    format!("request.operation == \"CREATE\" || object.{path} != oldObject.{path}")
}

fn version(settings: &Settings) -> Option<SettingCheck> {
    let expression = accepts(&settings.api_versions, "request.requestKind.version")?;
    Some(SettingCheck {
        setting: "apiVersions",
        expression,
        message: describe_list("versions of resource.k8s.io", &settings.api_versions),
        places: "\"not \" + request.requestKind.version".to_owned(),
    })
}

/// Describes a list that accepts or refuses names, in words.
fn describe_list(what: &str, list: &NameList) -> String {
    match list {
        NameList::Any => format!("{what}: all"),
        NameList::Allow(patterns) => {
            format!("the policy accepts these {what}: {}", patterns.join(", "))
        }
        NameList::Deny(patterns) => format!(
            "the policy does not accept these {what}: {}",
            patterns.join(", ")
        ),
    }
}

/// Describes a list that accepts or refuses taints, in words.
fn describe_taints(what: &str, list: &TaintList) -> String {
    let (accepts, taints): (_, &[Taints]) = match list {
        TaintList::Any => return format!("{what}: all"),
        TaintList::Allow(taints) => ("accepts only", taints),
        TaintList::Deny(taints) => ("does not accept", taints),
    };
    let mut described = Vec::with_capacity(taints.len());
    for taints in taints {
        let mut text = taints.key.clone();
        if !taints.effect.is_empty() {
            text.push(':');
            text.push_str(&taints.effect);
        }
        if !taints.driver.is_empty() {
            text.push_str(" of ");
            text.push_str(&taints.driver);
        }
        described.push(text);
    }
    format!("the policy {accepts} {what}: {}", described.join(", "))
}

/// CEL that describes the request `q`: how many devices of which class.
const DESCRIBED: &str = "(has(q.allocationMode) && q.allocationMode == \"All\" ? \"all devices\" : (has(q.count) ? string(q.count) : \"1\")) + \" of \" + (has(q.deviceClassName) ? q.deviceClassName : \"no class\")";

/// CEL for the mode of the request `q`. A server writes its default into requests without one, a tool that reads files does not.
const MODE: &str = "(has(q.allocationMode) ? q.allocationMode : \"ExactCount\")";

/// CEL for what the request `r` asks for. Requests of v1beta1 and v1alpha3 have the fields of `exactly` themselves.
const ASKED: &str =
    "has(r.exactly) ? [r.exactly] : (has(r.firstAvailable) ? r.firstAvailable : [r])";

impl SettingCheck {
    /// Makes the check pass where a condition is false; an empty one is always true.
    fn where_true(mut self, condition: &str) -> Self {
        if !condition.is_empty() {
            self.expression = format!("!({condition}) || ({})", self.expression);
        }
        self
    }
}

/// Makes checks pass where a condition is false.
fn where_true(
    checks: impl IntoIterator<Item = SettingCheck>,
    condition: &str,
) -> impl Iterator<Item = SettingCheck> {
    checks.into_iter().map(|check| check.where_true(condition))
}

/// Makes a check of each request: `condition` is CEL about `q`.
fn of_each_request(setting: &'static str, condition: &str, message: String) -> SettingCheck {
    let failing = format!("({ASKED}).filter(q, !({condition}))");
    let places = format!(
        "variables.requests.filter(r, ({failing}).size() > 0).map(r, \"request \" + r.name + \" for \" + ({failing}).map(q, {DESCRIBED}).join(\" and \")).join(\", \")"
    );
    SettingCheck {
        setting,
        expression: format!("variables.asked.all(group, group.all(q, {condition}))"),
        message,
        places,
    }
}

/// Makes the check of the drivers of configurations.
fn configured(setting: &'static str, list: &NameList, what: &str) -> Option<SettingCheck> {
    let accepted = accepts(list, "c.opaque.driver")?;
    let places = format!(
        "variables.config.filter(c, has(c.opaque) && !({accepted})).map(c, \"not \" + c.opaque.driver).join(\", \")"
    );
    Some(SettingCheck {
        setting,
        expression: format!("variables.config.all(c, !has(c.opaque) || {accepted})"),
        message: describe_list(what, list),
        places,
    })
}

/// Makes the check of a rule for parameters. The name of its variable is that of a variable of a macro here.
fn parameter_rule(rule: &ParameterRule) -> SettingCheck {
    let driver = one("c.opaque.driver", &rule.driver);
    // Its last line may end with a comment.
    let meets = format!(
        "[c.opaque.parameters].all(parameters, {}\n)",
        rule.expression
    );
    let message = match &rule.message {
        Some(message) => message.clone(),
        None => format!("the policy asks for {}", rule.expression),
    };
    SettingCheck {
        setting: "opaqueParameters",
        expression: format!("variables.config.all(c, !has(c.opaque) || !({driver}) || {meets})"),
        message,
        places: String::new(),
    }
}

/// Makes the check of tolerations.
fn tolerations(list: &TaintList) -> Option<SettingCheck> {
    let condition = match list {
        TaintList::Any => return None,
        TaintList::Allow(list) => list.iter().map(contains).collect::<Vec<_>>().join(" || "),
        TaintList::Deny(list) => {
            let met: Vec<String> = list.iter().map(meets).collect();
            format!("!({})", met.join(" || "))
        }
    };
    let condition = format!("!has(q.tolerations) || q.tolerations.all(t, {condition})");
    let message = describe_taints("tolerations of these taints", list);
    Some(of_each_request("tolerations", &condition, message))
}

/// Makes the checks of how much claims ask for.
fn limits_of_claims(limits: &ClaimLimits) -> Vec<SettingCheck> {
    let mut checks = Vec::new();
    request_limits(limits, &mut |setting, condition, message| {
        checks.push(of_each_request(setting, &condition, message));
    });
    if let Some(most) = limits.max_requests {
        checks.push(SettingCheck {
            setting: "limits",
            expression: format!("variables.requests.size() <= {most}"),
            message: format!("the policy accepts at most {most} requests in a claim"),
            places: "\"it has \" + string(variables.requests.size())".to_owned(),
        });
    }
    for sum in limits.sums_of(SumOf::Claim) {
        sum_of_claim(sum, &mut checks);
    }
    checks
}

/// Makes the checks of what the requests of a claim ask for together. Of alternatives the largest counts.
fn sum_of_claim(sum: &SumLimit, checks: &mut Vec<SettingCheck>) {
    let (of_classes, counts) = match sum.classes.as_slice() {
        [] => (String::new(), "true".to_owned()),
        classes => (
            format!(" of {}", classes.join(", ")),
            matches("q.deviceClassName", classes),
        ),
    };
    // As many as an allocation can have.
    let devices = "(has(q.allocationMode) && q.allocationMode == \"All\" ? 32 : (has(q.count) ? int(q.count) : 1))";
    let added =
        |amount: &str| format!("variables.requests.map(r, ({ASKED}).map(q, {amount}).max()).sum()");
    if let Some(most) = sum.max_count {
        let all = added(&format!("({counts} ? {devices} : 0)"));
        checks.push(SettingCheck {
            setting: "limits",
            expression: format!("{all} <= {most}"),
            message: format!("the policy accepts at most {most} devices{of_classes} in a claim"),
            places: format!("\"it asks for \" + string({all})"),
        });
    }
    for (name, most) in &sum.max_capacity {
        let amount = "quantity(string(q.capacity.requests[n])).asApproximateFloat()";
        let each = format!("({} ? {amount} : 0.0)", same_capacity(name));
        let of_request = format!(
            "({counts} && has(q.capacity) && has(q.capacity.requests) ? q.capacity.requests.map(n, {each}).sum() * double({devices}) : 0.0)"
        );
        let limit = format!("quantity({}).asApproximateFloat()", text(most));
        checks.push(SettingCheck {
            setting: "limits",
            expression: format!("{} <= {limit}", added(&of_request)),
            message: format!("the policy accepts at most {most} of {name}{of_classes} in a claim"),
            places: String::new(),
        });
    }
}

/// Makes the checks of claims, or of templates with the spec of a claim at `path`.
fn claims(
    settings: &Settings,
    name: &'static str,
    rules: Vec<(&'static str, String, &'static str)>,
    path: &str,
) -> CheckTarget {
    let devices = format!("object.{path}.devices");
    let variables = vec![
        ("requests", list_of_devices(&devices, "requests")),
        ("asked", format!("variables.requests.map(r, {ASKED})")),
        ("config", list_of_devices(&devices, "config")),
    ];
    let mut checks: Vec<SettingCheck> = version(settings).into_iter().collect();
    let mut each = |setting: &'static str, condition: String, message: String| {
        checks.push(of_each_request(setting, &condition, message));
    };
    if let Some(accepted) = accepts_class(&settings.device_classes, "q.deviceClassName") {
        let message = describe_list("device classes", &settings.device_classes.list);
        let more = if settings.device_classes.namespaces.is_empty() {
            ""
        } else {
            ", and others in some namespaces"
        };
        each(
            "deviceClasses",
            format!("!has(q.deviceClassName) || {accepted}"),
            format!("{message}{more}"),
        );
    }
    if let Some(accepted) = accepts(&settings.allocation_modes, MODE) {
        let message = describe_list("allocation modes", &settings.allocation_modes);
        each("allocationModes", accepted, message);
    }
    if settings.admin_access.limited {
        let rule = &settings.admin_access;
        let mut places = Vec::new();
        if !rule.namespaces.is_empty() {
            places.push(matches(NAMESPACE, &rule.namespaces));
        }
        if !rule.labels.is_empty() {
            places.push(format!("({})", labelled(&rule.labels)));
        }
        places.push("!has(q.adminAccess) || !q.adminAccess".to_owned());
        let message =
            "the policy does not accept admin access to devices in this namespace".to_owned();
        each("adminAccess", places.join(" || "), message);
    }
    for (limits, condition) in applying(&settings.limits) {
        let own = limits_of_claims(limits);
        checks.extend(where_true(own, &condition));
    }
    for (list, condition) in applying(&settings.tolerations) {
        checks.extend(where_true(tolerations(list), &condition));
    }
    for (rule, condition) in applying(&settings.claim_expressions) {
        if *rule == ExpressionRule::Denied {
            let both = format!(
                "{} && {}",
                is_empty_list("selectors"),
                is_empty_list("derivedAttributes")
            );
            let message = "the policy accepts no CEL expressions in claims".to_owned();
            let check = of_each_request("selectors", &both, message);
            checks.push(check.where_true(&condition));
        }
    }
    for (parameters, condition) in applying(&settings.opaque_parameters) {
        let mut own: Vec<SettingCheck> = Vec::new();
        let what = "opaque parameters of drivers";
        own.extend(configured("opaqueParameters", &parameters.list, what));
        own.extend(parameters.rules.iter().map(parameter_rule));
        checks.extend(where_true(own, &condition));
    }
    checks.extend(configured("drivers", &settings.drivers, "drivers"));
    checks.extend(controller(settings, &format!("object.{path}.controller")));
    CheckTarget {
        name,
        rules,
        status: false,
        changed: changed("spec"),
        variables,
        checks,
    }
}

/// Makes the check of the driver that allocates a claim, which only claims of 1.31 name.
fn controller(settings: &Settings, field: &str) -> Option<SettingCheck> {
    let accepted = accepts(&settings.drivers, field)?;
    let is_known = settings.release.is_none_or(|release| release.minor == 31);
    is_known.then(|| SettingCheck {
        setting: "drivers",
        expression: format!("!has({field}) || {accepted}"),
        message: describe_list("drivers", &settings.drivers),
        places: format!("\"not \" + {field}"),
    })
}

/// Writes CEL for a list of the devices of a claim, which may be absent.
fn list_of_devices(devices: &str, field: &str) -> String {
    let list = format!("{devices}.{field}");
    format!(
        "{} && {} ? {list} : []",
        is_present(devices),
        is_present(&list)
    )
}

/// Writes CEL that is true if a list of a request is absent or empty.
fn is_empty_list(field: &str) -> String {
    format!("(!has(q.{field}) || q.{field}.size() == 0)")
}

/// Returns CEL that is true if all that the toleration `t` tolerates is among the taints.
fn contains(taints: &Taints) -> String {
    let key = if taints.key == "*" {
        "true".to_owned()
    } else {
        format!(
            "has(t.key) && t.key != \"\" && {}",
            one("t.key", &taints.key)
        )
    };
    let effect = if taints.effect.is_empty() {
        "true".to_owned()
    } else {
        format!("has(t.effect) && t.effect == {}", text(&taints.effect))
    };
    format!("({key} && {effect})")
}

/// Returns CEL that is true if `t` tolerates one of the taints.
fn meets(taints: &Taints) -> String {
    let key = format!(
        "(!has(t.key) || t.key == \"\" || {})",
        one("t.key", &taints.key)
    );
    let effect = if taints.effect.is_empty() {
        "true".to_owned()
    } else {
        format!(
            "(!has(t.effect) || t.effect == \"\" || t.effect == {})",
            text(&taints.effect)
        )
    };
    format!("({key} && {effect})")
}

fn one(value: &str, pattern: &str) -> String {
    matches(value, std::slice::from_ref(&pattern.to_owned()))
}

/// Makes the limits of requests: of classes with an entry, then of the rest.
fn request_limits(limits: &ClaimLimits, each: &mut dyn FnMut(&'static str, String, String)) {
    if has_limit(limits, &|limits| limits.max_count.is_some()) {
        let count = by_class(limits, &|limits| {
            limits
                .max_count
                .map_or("true".to_owned(), |most| format!("q.count <= {most}"))
        });
        let condition = format!(
            "(has(q.allocationMode) && q.allocationMode == \"All\") || !has(q.count) || {count}"
        );
        each("limits", condition, describe_counts(limits, "a request"));
    }
    if has_limit(limits, &|limits| !allows_all(limits)) {
        let all = by_class(limits, &|limits| allows_all(limits).to_string());
        let condition = format!("!has(q.allocationMode) || q.allocationMode != \"All\" || {all}");
        each(
            "limits",
            condition,
            "the policy accepts no request for all devices of this class".to_owned(),
        );
    }
    if has_limit(limits, &|limits| !limits.max_capacity.is_empty()) {
        let amounts = by_class(limits, &|limits| {
            let parts: Vec<String> = limits
                .max_capacity
                .iter()
                .map(|(name, most)| capacity(limits, name, most))
                .collect();
            if parts.is_empty() {
                "true".to_owned()
            } else {
                parts.join(" && ")
            }
        });
        let condition = format!(
            "!has(q.capacity) || !has(q.capacity.requests) || q.capacity.requests.all(n, {amounts})"
        );
        each("limits", condition, describe_capacities(limits));
    }
}

/// Describes how many devices the limits accept, in words. `place`: of which.
fn describe_counts(limits: &ClaimLimits, place: &str) -> String {
    let described = describe_by_class(limits, &|limits| {
        limits.max_count.map(|most| most.to_string())
    });
    if limits.classes.is_empty() {
        format!("the policy accepts at most {described} devices of a class in {place}")
    } else {
        format!("the policy accepts at most so many devices of a class in {place}: {described}")
    }
}

/// Describes how much of each capacity the limits accept, in words.
fn describe_capacities(limits: &ClaimLimits) -> String {
    let described = describe_by_class(limits, &|limits| {
        let amounts: Vec<String> = limits
            .max_capacity
            .iter()
            .map(|(name, most)| format!("{most} of {name}"))
            .collect();
        (!amounts.is_empty()).then(|| amounts.join(" and "))
    });
    format!("the policy accepts at most so much capacity in a request: {described}")
}

/// Writes what is said of the limits of each class, then of the rest.
fn describe_by_class(
    limits: &ClaimLimits,
    describe: &dyn Fn(&RequestLimits) -> Option<String>,
) -> String {
    let mut parts = Vec::new();
    for entry in &limits.classes {
        if let Some(described) = describe(&entry.limits) {
            parts.push(format!("{described} for {}", entry.names.join(", ")));
        }
    }
    if let Some(described) = describe(&limits.rest) {
        let classes = if limits.classes.is_empty() {
            ""
        } else {
            " for other classes"
        };
        parts.push(format!("{described}{classes}"));
    }
    parts.join(", ")
}

/// Returns true if any of the limits has what is asked.
fn has_limit(limits: &ClaimLimits, has: &dyn Fn(&RequestLimits) -> bool) -> bool {
    has(&limits.rest) || limits.classes.iter().any(|entry| has(&entry.limits))
}

/// Writes CEL that applies to a request what is written of the limits of its class.
fn by_class(limits: &ClaimLimits, write: &dyn Fn(&RequestLimits) -> String) -> String {
    let mut expression = write(&limits.rest);
    for entry in limits.classes.iter().rev() {
        expression = format!(
            "({} ? ({}) : ({expression}))",
            matches("q.deviceClassName", &entry.names),
            write(&entry.limits)
        );
    }
    expression
}

fn allows_all(limits: &RequestLimits) -> bool {
    limits.all_devices.unwrap_or(limits.max_count.is_none())
}

/// Returns CEL that is true if the capacity `n` of a request is another one, or small enough. A name without a domain may be that of the driver.
fn capacity(limits: &RequestLimits, name: &str, most: &str) -> String {
    let same = same_capacity(name);
    let (asked, most) = (
        "quantity(string(q.capacity.requests[n]))",
        format!("quantity({})", text(most)),
    );
    let count = "(has(q.count) ? double(q.count) : 1.0)";
    let of_each = format!("{asked}.compareTo({most}) <= 0");
    let of_all = format!("{asked}.asApproximateFloat() * {count} <= {most}.asApproximateFloat()");
    let is_all = "has(q.allocationMode) && q.allocationMode == \"All\"";
    let may_take_all = limits.all_devices == Some(true);
    format!("(!{same} || ({of_each} && ({is_all} ? {may_take_all} : {of_all})))")
}

/// Returns CEL that is true if the capacity `n` may be the one with a name. A name without a domain may be that of the driver.
fn same_capacity(name: &str) -> String {
    let id = name.rsplit_once('/').map_or(name, |(_, id)| id);
    if id == name {
        format!(
            "(n == {} || n.endsWith({}))",
            text(id),
            text(&format!("/{id}"))
        )
    } else {
        format!("(n == {} || n == {})", text(id), text(name))
    }
}

/// Makes the checks of the statuses of claims: a driver that the stored status has already is accepted.
fn statuses(settings: &Settings) -> CheckTarget {
    let mut checks = Vec::new();
    if let Some(accepted) = accepts(&settings.drivers, "d") {
        let variables = vec![
            ("drivers", drivers_of_status("object")),
            ("stored", drivers_of_status("oldObject")),
        ];
        let expression = format!("variables.drivers.all(d, d in variables.stored || {accepted})");
        let places = format!(
            "variables.drivers.filter(d, !(d in variables.stored || {accepted})).map(d, \"not \" + d).join(\", \")"
        );
        checks.push(SettingCheck {
            setting: "drivers",
            expression,
            message: describe_list("drivers", &settings.drivers),
            places,
        });
        return CheckTarget {
            name: "claim-statuses",
            rules: rule(settings, "ResourceClaim", "resourceclaims/status"),
            status: true,
            changed: "has(object.status)".to_owned(),
            variables,
            checks,
        };
    }
    CheckTarget {
        name: "claim-statuses",
        rules: Vec::new(),
        status: true,
        changed: String::new(),
        variables: Vec::new(),
        checks,
    }
}

/// Writes CEL that lists the drivers in one list of a status.
fn drivers_in_status(object: &str, holder: &str, list: &str, driver: &str) -> String {
    let place = format!("{object}.status{holder}");
    let path: Vec<&str> = holder.split('.').filter(|part| !part.is_empty()).collect();
    let mut guards = vec![format!("has({object}.status)")];
    for at in 1..=path.len() {
        let part = path.get(..at).unwrap_or_default().join(".");
        guards.push(format!("has({object}.status.{part})"));
    }
    guards.push(format!("has({place}.{list})"));
    let filter = if driver.contains('.') {
        format!("{place}.{list}.filter(x, has(x.opaque))")
    } else {
        format!("{place}.{list}")
    };
    format!(
        "({} ? {filter}.map(x, x.{driver}) : [])",
        guards.join(" && ")
    )
}

/// Writes CEL that lists all drivers in the status of a claim.
fn drivers_of_status(object: &str) -> String {
    [
        drivers_in_status(object, ".allocation.devices", "results", "driver"),
        drivers_in_status(object, ".allocation.devices", "config", "opaque.driver"),
        drivers_in_status(object, "", "devices", "driver"),
    ]
    .join(" + ")
}

/// Writes CEL that is true if a value is in a list of the stored spec as often as in the new one: what is there already is accepted.
fn is_in_stored(value: &str, field: &str) -> String {
    let new = format!("object.spec.{field}");
    let old = format!("oldObject.spec.{field}");
    let equal = format!("filter(x, x == {value}).size()");
    format!("({IS_UPDATE} && has({old}) && {new}.{equal} <= {old}.{equal})")
}

fn classes(settings: &Settings) -> CheckTarget {
    let mut checks: Vec<SettingCheck> = version(settings).into_iter().collect();
    if let Some(accepted) = accepts(&settings.drivers, "c.opaque.driver") {
        let stored = is_in_stored("c", "config");
        let expression = format!(
            "!has(object.spec.config) || object.spec.config.all(c, !has(c.opaque) || {accepted} || {stored})"
        );
        let places = format!(
            "object.spec.config.filter(c, has(c.opaque) && !({accepted} || {stored})).map(c, \"not \" + c.opaque.driver).join(\", \")"
        );
        checks.push(SettingCheck {
            setting: "drivers",
            expression,
            message: describe_list("drivers", &settings.drivers),
            places,
        });
    }
    if let Some(accepted) = accepts(
        &settings.extended_resource_names,
        "object.spec.extendedResourceName",
    ) {
        let name = "spec.extendedResourceName";
        let expression = format!(
            "!has(object.{name}) || {accepted} || ({IS_UPDATE} && has(oldObject.{name}) && object.{name} == oldObject.{name})"
        );
        let message = describe_list(
            "names of extended resources",
            &settings.extended_resource_names,
        );
        checks.push(SettingCheck {
            setting: "extendedResourceNames",
            expression,
            message,
            places: "\"not \" + object.spec.extendedResourceName".to_owned(),
        });
    }
    if settings.class_expressions == ExpressionRule::Denied {
        let expression = format!(
            "!has(object.spec.selectors) || object.spec.selectors.all(s, {})",
            is_in_stored("s", "selectors")
        );
        checks.push(SettingCheck {
            setting: "selectors",
            expression,
            message: "the policy accepts no CEL selectors in classes".to_owned(),
            places: String::new(),
        });
    }
    CheckTarget {
        name: "classes",
        rules: rule(settings, "DeviceClass", "deviceclasses"),
        status: false,
        changed: changed("spec"),
        variables: Vec::new(),
        checks,
    }
}

fn slices(settings: &Settings) -> CheckTarget {
    let mut checks: Vec<SettingCheck> = version(settings).into_iter().collect();
    if let Some(expression) = accepts(&settings.drivers, "object.spec.driver") {
        checks.push(SettingCheck {
            setting: "drivers",
            expression,
            message: describe_list("drivers", &settings.drivers),
            places: "\"not \" + object.spec.driver".to_owned(),
        });
    }
    CheckTarget {
        name: "slices",
        rules: rule(settings, "ResourceSlice", "resourceslices"),
        status: false,
        // A slice keeps its driver.
        changed: "request.operation == \"CREATE\"".to_owned(),
        variables: Vec::new(),
        checks,
    }
}

/// Makes the checks of questions about the pool of a driver.
fn pool_requests(settings: &Settings) -> CheckTarget {
    let kind = "ResourcePoolStatusRequest";
    CheckTarget {
        name: "pool-status-requests",
        rules: rule(settings, kind, "resourcepoolstatusrequests"),
        ..slices(settings)
    }
}

/// Returns CEL that is true if a taint is accepted. `driver`: CEL for the driver of its devices.
fn accepts_taint(list: &TaintList, driver: &str, taint: &str) -> Option<String> {
    match list {
        TaintList::Any => None,
        TaintList::Allow(list) => Some(format!("({})", is_any_taint(driver, taint, list))),
        TaintList::Deny(list) => Some(format!("!({})", is_any_taint(driver, taint, list))),
    }
}

/// Writes CEL that is true if a taint is one of these.
fn is_taint(driver: &str, taint: &str, taints: &Taints) -> String {
    let mut parts = Vec::new();
    if !taints.driver.is_empty() {
        parts.push(one(driver, &taints.driver));
    }
    parts.push(one(&format!("{taint}.key"), &taints.key));
    if !taints.effect.is_empty() {
        parts.push(format!("{taint}.effect == {}", text(&taints.effect)));
    }
    format!("({})", parts.join(" && "))
}

/// Writes CEL that is true if a taint is in a list.
fn is_any_taint(driver: &str, taint: &str, list: &[Taints]) -> String {
    let parts: Vec<String> = list
        .iter()
        .map(|taints| is_taint(driver, taint, taints))
        .collect();
    parts.join(" || ")
}

/// CEL for how much harm an effect does.
fn strength(effect: &str) -> String {
    format!("({effect} == \"None\" ? 0 : ({effect} == \"NoSchedule\" ? 1 : 2))")
}

/// Writes CEL for the taints of a device. Devices of v1beta1 and v1alpha3 have their fields in `basic`.
fn taints_of(device: &str) -> String {
    format!(
        "(has({device}.basic) ? (has({device}.basic.taints) ? {device}.basic.taints : []) : (has({device}.taints) ? {device}.taints : []))"
    )
}

fn slice_taints(settings: &Settings) -> CheckTarget {
    let mut checks = Vec::new();
    let accepts = |taint: &str| accepts_taint(&settings.slice_taints, "object.spec.driver", taint);
    if let (Some(accepted), Some(accepted_stored)) = (accepts("t"), accepts("u")) {
        let devices = "object.spec.devices";
        let stored = format!(
            "({IS_UPDATE} && has(oldObject.spec.devices) && oldObject.spec.devices.exists(o, o.name == d.name && {}.exists(u, u.key == t.key && !{accepted_stored} && {} >= {})))",
            taints_of("o"),
            strength("u.effect"),
            strength("t.effect"),
        );
        let are_accepted = format!("{}.all(t, {accepted} || {stored})", taints_of("d"));
        checks.push(SettingCheck {
            setting: "sliceTaints",
            expression: format!("!has({devices}) || {devices}.all(d, {are_accepted})"),
            message: describe_taints("taints of devices", &settings.slice_taints),
            places: format!("{devices}.filter(d, !{are_accepted}).map(d, d.name).join(\", \")"),
        });
    }
    CheckTarget {
        name: "slice-taints",
        rules: rule(settings, "ResourceSlice", "resourceslices"),
        status: false,
        changed: changed("spec"),
        variables: Vec::new(),
        checks,
    }
}

/// Writes CEL that is true if a taint rule does no more harm than the stored one: the same taint with no stronger effect, on no other
/// devices.
fn is_no_worse_rule() -> String {
    let (new, old) = ("object.spec", "oldObject.spec");
    let mut parts = vec![
        IS_UPDATE.to_owned(),
        format!("{new}.taint.key == {old}.taint.key"),
        is_same(&format!("{new}.taint"), &format!("{old}.taint"), "value"),
        format!(
            "{} <= {}",
            strength(&format!("{new}.taint.effect")),
            strength(&format!("{old}.taint.effect"))
        ),
    ];
    let (new, old) = (
        format!("{new}.deviceSelector"),
        format!("{old}.deviceSelector"),
    );
    let mut kept = vec![format!(
        "(!has({old}.selectors) || (has({new}) && has({new}.selectors) && {new}.selectors == {old}.selectors))"
    )];
    for field in ["driver", "pool", "device", "deviceClassName"] {
        kept.push(format!(
            "(!{} || (has({new}) && {} && {new}.{field} == {old}.{field}))",
            is_given(&old, field),
            is_given(&new, field)
        ));
    }
    parts.push(format!("(!has({old}) || ({}))", kept.join(" && ")));
    format!("({})", parts.join(" && "))
}

/// Writes CEL that is true if a field is the same of two objects, or of none.
fn is_same(one: &str, other: &str, field: &str) -> String {
    format!(
        "(has({one}.{field}) ? has({other}.{field}) && {one}.{field} == {other}.{field} : !has({other}.{field}))"
    )
}

/// Makes the checks of a taint rule. `object`: CEL for it.
fn checks_of_rule(settings: &Settings, object: &str) -> Vec<SettingCheck> {
    let mut checks = Vec::new();
    let selector = format!("{object}.spec.deviceSelector");
    let selector = selector.as_str();
    let taint = format!("{object}.spec.taint");
    if let Some(rule) = settings.taint_selector {
        // The only driver that the policy accepts leaves no device out.
        let driver = match &settings.drivers {
            NameList::Allow(patterns) => match patterns.as_slice() {
                [one] => format!(
                    "({} && {selector}.driver != {})",
                    is_given(selector, "driver"),
                    text(one)
                ),
                _ => is_given(selector, "driver"),
            },
            _ => is_given(selector, "driver"),
        };
        let selects = format!(
            "(has({selector}) && ({driver} || {} || {} || {}))",
            is_given(selector, "pool"),
            is_given(selector, "device"),
            // Of 1.33 and 1.34.
            is_given(selector, "deviceClassName")
        );
        let (expression, message) = match rule {
            TaintPattern::Always => (
                selects,
                "the policy asks for a selector: without one the rule taints every device of the cluster",
            ),
            TaintPattern::NoExecute => (
                format!("{taint}.effect != \"NoExecute\" || {selects}"),
                "the policy asks for a selector: without one the rule evicts pods from every device of the cluster",
            ),
        };
        checks.push(SettingCheck {
            setting: "deviceTaintRules",
            expression,
            message: message.to_owned(),
            places: String::new(),
        });
    }
    if let Some(expression) = accepts_taint(&settings.rule_taints, "\"\"", &taint) {
        checks.push(SettingCheck {
            setting: "deviceTaintRules",
            expression,
            message: describe_taints("taints", &settings.rule_taints),
            places: format!("{taint}.key + \":\" + {taint}.effect"),
        });
    }
    let field = SelectorField {
        selector,
        name: "driver",
    };
    let described = describe_list("drivers", &settings.drivers);
    checks.extend(field.check("drivers", &settings.drivers, described));
    // Rules of 1.33 and 1.34 name a class; they have no namespace.
    if settings.release.is_none_or(|release| release.minor < 35) {
        let field = SelectorField {
            selector,
            name: "deviceClassName",
        };
        let classes = &settings.device_classes.list;
        let described = describe_list("device classes", classes);
        checks.extend(field.check("deviceClasses", classes, described));
    }
    checks
}

/// A field of the selector of a taint rule.
struct SelectorField<'s> {
    /// CEL for the selector.
    selector: &'s str,
    name: &'static str,
}

impl SelectorField<'_> {
    /// Makes the check that a setting accepts the field, if it is given.
    fn check(
        &self,
        setting: &'static str,
        list: &NameList,
        described: String,
    ) -> Option<SettingCheck> {
        let SelectorField { selector, name } = self;
        let accepted = accepts(list, &format!("{selector}.{name}"))?;
        Some(SettingCheck {
            setting,
            expression: format!(
                "!has({selector}) || !{} || {accepted}",
                is_given(selector, name)
            ),
            message: described,
            places: format!("\"not \" + {selector}.{name}"),
        })
    }
}

fn taint_rules(settings: &Settings) -> CheckTarget {
    let mut checks: Vec<SettingCheck> = version(settings).into_iter().collect();
    let no_worse = is_no_worse_rule();
    let stored = checks_of_rule(settings, "oldObject");
    for (mut check, stored) in checks_of_rule(settings, "object").into_iter().zip(stored) {
        // What the stored rule does wrong already it may do as long as it gets no worse.
        check.expression = format!(
            "({}) || ({no_worse} && !({}))",
            check.expression, stored.expression
        );
        checks.push(check);
    }
    CheckTarget {
        name: "taint-rules",
        rules: rule(settings, "DeviceTaintRule", "devicetaintrules"),
        status: false,
        changed: changed("spec"),
        variables: Vec::new(),
        checks,
    }
}

/// Writes CEL that is true if a selector has a field that is not empty.
fn is_given(selector: &str, field: &str) -> String {
    format!("(has({selector}.{field}) && {selector}.{field} != \"\")")
}

type Rules = &'static [(&'static str, &'static str, &'static str)];

/// Kinds of Kubernetes with pods, and the path of the pod spec.
const PODS: &[(&str, Rules, &str)] = &[
    ("pods", &[("", "v1", "pods")], "spec"),
    (
        "workloads",
        &[
            (
                "apps",
                "v1",
                "deployments, replicasets, statefulsets, daemonsets",
            ),
            ("batch", "v1", "jobs"),
            ("", "v1", "replicationcontrollers"),
        ],
        "spec.template.spec",
    ),
    (
        "cron-jobs",
        &[("batch", "v1", "cronjobs")],
        "spec.jobTemplate.spec.template.spec",
    ),
    (
        "pod-templates",
        &[("", "v1", "podtemplates")],
        "template.spec",
    ),
];

fn pods(settings: &Settings, name: &'static str, rules: Rules, path: &str) -> CheckTarget {
    let spec = format!("object.{path}");
    let variables = vec![
        ("claims", list_of_spec(&spec, "resourceClaims")),
        ("containers", containers_of_spec(&spec)),
        (
            "resources",
            format!(
                "variables.containers.map(c, ({}) + ({}))",
                amounts_of_container("requests"),
                amounts_of_container("limits")
            ),
        ),
        (
            "implicit",
            format!(
                "variables.resources.exists(names, names.exists(n, n.startsWith({})))",
                text(IMPLICIT)
            ),
        ),
    ];
    let class = format!("n.substring({})", IMPLICIT.len());
    let other = format!("!n.startsWith({})", text(IMPLICIT));
    let mut checks = Vec::new();
    for (rule, condition) in applying(&settings.pods) {
        let own = pod_checks(rule);
        checks.extend(where_true(own, &condition));
    }
    if let Some(accepted) = accepts_class(&settings.device_classes, &class) {
        let message = describe_list("device classes", &settings.device_classes.list);
        let condition = format!("{other} || {accepted}");
        checks.push(of_each_resource("deviceClasses", &condition, message));
    }
    for (limits, condition) in applying(&settings.limits) {
        let check = count_of_containers(limits, &class);
        checks.extend(where_true(check, &condition));
    }
    CheckTarget {
        name,
        rules: rules
            .iter()
            .map(|(group, version, resources)| (*group, (*version).to_owned(), *resources))
            .collect(),
        status: false,
        changed: changes_pod(settings, path),
        variables,
        checks,
    }
}

/// Writes the condition under which an object with pods is judged: it is new, or its pods ask for what the stored ones do not ask for.
/// Schedulers and queues change the rest of a pod, and the amounts of processors and memory are those of whoever sizes it.
fn changes_pod(settings: &Settings, path: &str) -> String {
    let (new, old) = (format!("object.{path}"), format!("oldObject.{path}"));
    let mut kept = vec![
        format!(
            "{}.all(c, c in {})",
            list_of_spec(&new, "resourceClaims"),
            list_of_spec(&old, "resourceClaims")
        ),
        format!(
            "{}.all(c, {} && {})",
            containers_of_spec(&new),
            asks_for_no_more("requests", &old),
            asks_for_no_more("limits", &old)
        ),
    ];
    let rules = settings.pods.entries.iter().map(|entry| &entry.rule);
    if rules
        .chain([&settings.pods.rest])
        .any(|rule| rule.names_match)
    {
        kept.push(format!(
            "{} == {}",
            claims_in_use(&new),
            claims_in_use(&old)
        ));
    }
    format!(
        "request.operation == \"CREATE\" || !({})",
        kept.join(" && ")
    )
}

/// Writes CEL for all containers of a pod spec.
fn containers_of_spec(spec: &str) -> String {
    let (init, others) = (
        list_of_spec(spec, "initContainers"),
        list_of_spec(spec, "containers"),
    );
    format!("({init} + {others})")
}

/// Writes CEL that is true if one field of the resources of the container `c` has no more of any extended resource than the stored
/// container of its name.
fn asks_for_no_more(field: &str, old: &str) -> String {
    let (amounts, stored) = (
        format!("c.resources.{field}"),
        format!("o.resources.{field}"),
    );
    let is_no_more =
        format!("quantity(string({amounts}[n])).compareTo(quantity(string({stored}[n]))) <= 0");
    format!(
        "(!has(c.resources) || !has({amounts}) || {amounts}.all(n, !n.contains(\"/\") || {}.exists(o, o.name == c.name && has(o.resources) && has({stored}) && n in {stored} && {is_no_more})))",
        containers_of_spec(old)
    )
}

/// Writes CEL for the claims of a pod spec and those that each container uses.
fn claims_in_use(spec: &str) -> String {
    format!(
        "[{}] + {}.map(c, has(c.resources) && has(c.resources.claims) ? c.resources.claims : [])",
        list_of_spec(spec, "resourceClaims"),
        containers_of_spec(spec)
    )
}

/// Writes CEL for a list of a pod spec, which may be absent.
fn list_of_spec(spec: &str, field: &str) -> String {
    let list = format!("{spec}.{field}");
    format!("({} ? {list} : [])", is_present(&list))
}

/// Writes CEL for the names of resources of a container.
fn amounts_of_container(field: &str) -> String {
    format!("has(c.resources) && has(c.resources.{field}) ? c.resources.{field}.map(n, n) : []")
}

/// Makes a check of the extended resources of each container: `condition` is CEL about the name `n`.
fn of_each_resource(setting: &'static str, condition: &str, message: String) -> SettingCheck {
    SettingCheck {
        setting,
        expression: format!("variables.resources.all(names, names.all(n, {condition}))"),
        message,
        places: format!(
            "variables.resources.map(names, names.filter(n, !({condition}))).filter(names, names.size() > 0).map(names, \"not \" + names.join(\", \")).join(\", \")"
        ),
    }
}

/// Makes the checks of the rule for pods.
fn pod_checks(rule: &PodRule) -> Vec<SettingCheck> {
    let mut checks = Vec::new();
    for (list, field, what) in [
        (&rule.claims, "resourceClaimName", "claims"),
        (
            &rule.templates,
            "resourceClaimTemplateName",
            "claim templates",
        ),
    ] {
        if let Some(accepted) = accepts(list, &format!("c.{field}")) {
            let expression = format!("variables.claims.all(c, !has(c.{field}) || {accepted})");
            let places = format!(
                "variables.claims.filter(c, has(c.{field}) && !({accepted})).map(c, \"not \" + c.{field} + \" of \" + c.name).join(\", \")"
            );
            checks.push(SettingCheck {
                setting: "pods",
                expression,
                message: describe_list(what, list),
                places,
            });
        }
    }
    if let Some(most) = rule.max_claims {
        let expression =
            format!("variables.claims.size() + (variables.implicit ? 1 : 0) <= {most}");
        let message = format!(
            "the policy accepts at most {most} resource claims of a pod, one of them for extended resources"
        );
        checks.push(SettingCheck {
            setting: "pods",
            expression,
            message,
            places: "\"it has \" + string(variables.claims.size() + (variables.implicit ? 1 : 0))"
                .to_owned(),
        });
    }
    if rule.names_match {
        let used = "has(c.resources) && has(c.resources.claims)";
        let defined = format!(
            "variables.containers.all(c, !({used}) || c.resources.claims.all(u, variables.claims.exists(d, d.name == u.name)))"
        );
        let needed = format!(
            "variables.claims.all(d, variables.containers.exists(c, {used} && c.resources.claims.exists(u, u.name == d.name)))"
        );
        for (expression, message) in [
            (
                defined,
                "a container uses a claim that the pod does not define",
            ),
            (needed, "no container uses one of the pod's claims"),
        ] {
            checks.push(SettingCheck {
                setting: "pods",
                expression,
                message: message.to_owned(),
                places: String::new(),
            });
        }
    }
    if let Some(accepted) = accepts(&rule.extended_resources, "n") {
        let native = format!(
            "(n.contains(\"kubernetes.io/\") && !n.startsWith({}))",
            text(IMPLICIT)
        );
        let condition =
            format!("!n.contains(\"/\") || n.startsWith(\"requests.\") || {native} || {accepted}");
        let message = describe_list("extended resources", &rule.extended_resources);
        checks.push(of_each_resource("pods", &condition, message));
    }
    if rule.claims.accepts_none() && rule.templates.accepts_none() {
        let condition = format!("!n.startsWith({})", text(IMPLICIT));
        let message =
            "the policy accepts no resource claims, and an extended resource asks for one";
        checks.push(of_each_resource("pods", &condition, message.to_owned()));
    }
    checks
}

/// Makes the check of how many devices a container may ask for as an extended resource of a class.
fn count_of_containers(limits: &ClaimLimits, class: &str) -> Option<SettingCheck> {
    if !has_limit(limits, &|limits| limits.max_count.is_some()) {
        return None;
    }
    let mut is_few = is_few_of_resource(&limits.rest);
    for entry in limits.classes.iter().rev() {
        is_few = format!(
            "({} ? ({}) : ({is_few}))",
            matches(class, &entry.names),
            is_few_of_resource(&entry.limits)
        );
    }
    let both = format!(
        "{} && {}",
        is_few_in_field(&is_few, "requests"),
        is_few_in_field(&is_few, "limits")
    );
    let of_limits = too_many_in_field(&is_few, class, "limits");
    let of_requests = too_many_in_field(&is_few, class, "requests");
    Some(SettingCheck {
        setting: "limits",
        expression: format!("variables.containers.all(c, !has(c.resources) || ({both}))"),
        message: describe_counts(limits, "a container"),
        places: format!(
            "variables.containers.filter(c, has(c.resources)).map(c, {of_limits}.size() > 0 ? {of_limits} : {of_requests}).filter(found, found.size() > 0).map(found, found.join(\", \")).join(\", \")"
        ),
    })
}

/// Writes CEL that lists what one field of the resources of a container has too much of.
fn too_many_in_field(is_few: &str, class: &str, field: &str) -> String {
    let amounts = format!("c.resources.{field}");
    let inner = is_few.replace("c.resources[f]", &amounts);
    format!(
        "(has({amounts}) ? {amounts}.filter(n, n.startsWith({}) && !({inner})).map(n, string({amounts}[n]) + \" of \" + {class}) : [])",
        text(IMPLICIT)
    )
}

/// Writes CEL that is true if a container asks for no more of a resource than the limits allow.
fn is_few_of_resource(limits: &RequestLimits) -> String {
    limits.max_count.map_or("true".to_owned(), |most: usize| {
        format!(
            "quantity(string(c.resources[f][n])).compareTo(quantity({})) <= 0",
            text(&most.to_string())
        )
    })
}

/// Writes CEL that applies an expression to one field of the resources of a container.
fn is_few_in_field(expression: &str, field: &str) -> String {
    let inner = expression.replace("c.resources[f]", &format!("c.resources.{field}"));
    format!(
        "(!has(c.resources.{field}) || c.resources.{field}.all(n, !n.startsWith({}) || {inner}))",
        text(IMPLICIT)
    )
}
