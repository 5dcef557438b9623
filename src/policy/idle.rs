//! Finds settings that decide nothing: an author who wrote them expects a check that never happens.

use crate::policy::check::{SettingsErrors, shown};
use crate::policy::keys::{SETTINGS, SettingKey, ValueShape};
use crate::policy::pattern;
use crate::policy::request::EVERYBODY;
use crate::policy::settings::{ClassRule, Exemptions, NameList, Settings, TaintList, Taints};
use crate::policy::unreached;
use crate::policy::view::View;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::{Release, VERSIONS, classic, device};

/// A text that no name is.
const NO_NAME: &str = "\u{1}";
/// The same of names with a domain.
const NO_RESOURCE: &str = "\u{1}/\u{1}";

/// Every effect that taints of devices can have.
const EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "None"];

/// The settings that judge only objects without a namespace.
const SETTINGS_OF_CLUSTER: [&str; 4] = [
    "deviceTaintRules",
    "sliceTaints",
    "extendedResourceNames",
    "suitableNodes",
];

/// The settings that judge only objects in a namespace.
const SETTINGS_OF_NAMESPACES: [&str; 9] = [
    "allocationModes",
    "adminAccess",
    "limits",
    "tolerations",
    "opaqueParameters",
    "parametersRef",
    "availableOnNodes",
    "shareable",
    "pods",
];

/// The last minor release whose claims name classes without devices.
const LAST_WITH_CLASSES: u8 = 30;

/// The minor releases (1.N) whose objects a setting can judge, where these are not all.
const RELEASES: &[(&str, std::ops::RangeInclusive<u8>)] = &[
    ("resourceClasses", 0..=30),
    ("parametersRef", 0..=30),
    ("shareable", 0..=30),
    ("suitableNodes", 0..=31),
    ("deviceClasses", 31..=u8::MAX),
    ("adminAccess", 31..=u8::MAX),
    ("limits", 31..=u8::MAX),
    ("selectors", 31..=u8::MAX),
    ("opaqueParameters", 31..=u8::MAX),
    ("tolerations", 33..=u8::MAX),
    ("deviceTaintRules", 33..=u8::MAX),
    ("sliceTaints", 33..=u8::MAX),
    ("extendedResourceNames", 34..=u8::MAX),
];

/// Reports settings without anything that decides, settings that their own release makes useless, and exemptions of every request.
pub(super) fn report(settings: &Settings, view: View<'_, '_>, errors: &mut SettingsErrors) {
    for key in SETTINGS {
        let ValueShape::Object(keys) = key.shape else {
            continue;
        };
        let value = view.get(key.name);
        if value.is_object() && !errors.mentions(key.name) && !decides(value, keys) {
            let names: Vec<String> = deciding(keys)
                .map(|key| format!("`{}`", key.name))
                .collect();
            let names = names.join(", ");
            errors.push(
                key.name,
                message!(
                    "settings.asks-nothing",
                    "asks for nothing: give it {names}, or leave it out",
                    names
                ),
            );
        }
    }
    let classes = [&settings.device_classes, &settings.resource_classes];
    if settings.cluster.pod_classes
        && classes
            .into_iter()
            .all(|rule| *rule == ClassRule::default())
    {
        errors.push(
            "cluster.podClasses",
            message!(
                "settings.nothing-to-check",
                "has nothing to check: give the classes in `deviceClasses` or `resourceClasses`"
            ),
        );
    }
    if let Some(release) = settings.release {
        for (name, minors) in RELEASES
            .iter()
            .filter(|(name, _)| view.get(name).is_object())
        {
            if !minors.contains(&release.minor) {
                errors.push(name, judges_nothing(release));
            }
        }
    }
    all_accepted(settings, view, errors);
    // No user and no namespace has this name: only a pattern for all of them matches.
    for (at, text) in settings.exempt.namespaces.iter().enumerate() {
        if pattern::matches(text, NO_NAME) {
            let problem = message!(
                "settings.exempts-all-namespaces",
                "{pattern} exempts every namespace: the policy then checks no claim and no pod",
                pattern = shown(text)
            );
            errors.push(&format!("exempt.namespaces[{at}]"), problem);
        }
    }
    if let Some((path, pattern)) = everybody_of(&settings.exempt) {
        let problem = message!(
            "settings.exempts-all",
            "{pattern} exempts every user: the policy then checks nothing",
            pattern
        );
        errors.push(&format!("exempt.{path}"), problem);
    }
    exempted_namespaces(settings, errors);
    unreached::report(settings, errors);
    for (setting, rule) in &settings.rules {
        if let Some((path, pattern)) = everybody_of(&rule.exempt) {
            let problem = message!(
                "settings.exempts-all-of-setting",
                "{pattern} exempts every user: the setting then checks nothing",
                pattern
            );
            errors.push(&format!("{setting}.exempt.{path}"), problem);
        }
    }
}

/// Reports exemptions of all namespaces from settings about objects of namespaces, and of any from settings about objects of the cluster.
fn exempted_namespaces(settings: &Settings, errors: &mut SettingsErrors) {
    for (setting, rule) in &settings.rules {
        let namespaces = &rule.exempt.namespaces;
        let path = format!("{setting}.exempt.namespaces");
        if SETTINGS_OF_CLUSTER.contains(setting) && !namespaces.is_empty() {
            errors.push(
                &path,
                message!(
                    "settings.exempts-nothing",
                    "exempts nothing, because the setting judges objects without a namespace: leave it out"
                ),
            );
        }
        let all = pattern_for_all(&path, namespaces, NO_NAME);
        if let Some((path, pattern)) = all.filter(|_| SETTINGS_OF_NAMESPACES.contains(setting)) {
            let problem = message!(
                "settings.exempts-all-namespaces-of-setting",
                "{pattern} exempts every namespace: the setting then checks nothing",
                pattern
            );
            errors.push(&path, problem);
        }
    }
}

/// Returns the path and the text of the first pattern that exempts every user.
fn everybody_of(exempt: &Exemptions) -> Option<(String, String)> {
    pattern_for_all("usernames", &exempt.usernames, NO_NAME)
        .or_else(|| pattern_for_all("groups", &exempt.groups, EVERYBODY))
}

/// Returns the path and the text of the first pattern that `everybody` matches.
fn pattern_for_all(path: &str, patterns: &[String], everybody: &str) -> Option<(String, String)> {
    let mut patterns = patterns.iter().enumerate();
    let all = patterns.find(|(_, text)| pattern::matches(text, everybody));
    all.map(|(at, text)| (format!("{path}[{at}]"), shown(text)))
}

/// Reports lists that accept every name, and a list of versions that accepts none.
fn all_accepted(settings: &Settings, view: View<'_, '_>, errors: &mut SettingsErrors) {
    let (pods, parameters) = (&settings.pods, &settings.opaque_parameters);
    let alone = pods.entries.is_empty();
    let lists = [
        (
            "apiVersions",
            &settings.api_versions,
            !settings.deprecated_denied,
        ),
        (
            "deviceClasses",
            &settings.device_classes.list,
            settings.device_classes.decides_by_list_alone(),
        ),
        (
            "resourceClasses",
            &settings.resource_classes.list,
            settings.resource_classes.decides_by_list_alone(),
        ),
        (
            "allocationModes",
            &settings.allocation_modes,
            settings.default_mode.is_none(),
        ),
        (
            "opaqueParameters",
            &parameters.rest.list,
            parameters.entries.is_empty() && parameters.rest.rules.is_empty(),
        ),
        (
            "extendedResourceNames",
            &settings.extended_resource_names,
            true,
        ),
        ("drivers", &settings.drivers, true),
        ("pods.claims", &pods.rest.claims, alone),
        ("pods.templates", &pods.rest.templates, alone),
        (
            "pods.extendedResources",
            &pods.rest.extended_resources,
            alone,
        ),
    ];
    for (name, list, alone) in lists {
        let names_have_domain = matches!(name, "extendedResourceNames" | "pods.extendedResources");
        let any_name = if names_have_domain {
            NO_RESOURCE
        } else {
            NO_NAME
        };
        if alone && matches!(list, NameList::Allow(patterns) if pattern::any(patterns, any_name)) {
            errors.push(&format!("{name}.allow"), accepts_all());
        }
    }
    let tolerations = &settings.tolerations;
    for (name, list, alone, effects) in [
        (
            "tolerations",
            &tolerations.rest,
            tolerations.entries.is_empty(),
            // A toleration of every effect meets no entry with one.
            &[][..],
        ),
        (
            "deviceTaintRules",
            &settings.rule_taints,
            settings.taint_selector.is_none(),
            &EFFECTS[..],
        ),
        ("sliceTaints", &settings.slice_taints, true, &EFFECTS[..]),
    ] {
        if alone && matches!(list, TaintList::Allow(list) if has_every_taint(list, effects)) {
            errors.push(&format!("{name}.allow"), accepts_all());
        }
    }
    known_modes(settings, errors);
    limited_to_all(settings, errors);
    if pattern::any(&settings.admin_access.namespaces, NO_NAME) {
        errors.push("adminAccess.namespaces", accepts_all());
    }
    versions(settings, view, errors);
    constant_rules(settings, errors);
}

/// Reports lists of versions that refuse every object that a server of the release has.
fn versions(settings: &Settings, view: View<'_, '_>, errors: &mut SettingsErrors) {
    if errors.mentions("apiVersions") {
        return;
    }
    let list = &settings.api_versions;
    let mut served = VERSIONS.iter().filter(|version| {
        settings
            .release
            .is_none_or(|release| version.served_by(release))
    });
    if served.any(|version| list.accepts(version.name)) {
        return;
    }
    let is_allowing = view.get("apiVersions").has("allow");
    let name = if is_allowing { "allow" } else { "deny" };
    let problem = match (settings.release, is_allowing) {
        (Some(release), _) => message!(
            "settings.no-version-of-release",
            "no version that Kubernetes 1.{minor} serves is accepted, which `release` names: the policy would refuse every object",
            minor = release.minor
        ),
        (None, true) => message!(
            "settings.no-known-version",
            "no version that is known here matches: the policy would refuse every object"
        ),
        (None, false) => message!(
            "settings.every-version-denied",
            "every version that is known here matches: the policy would refuse every object"
        ),
    };
    errors.push(&format!("apiVersions.{name}"), problem);
}

/// Returns true if every taint is in a list, by one of its entries or by one for each effect.
fn has_every_taint(list: &[Taints], effects: &[&str]) -> bool {
    let of_any_key = list.iter().filter(|taints| {
        let any_driver = taints.driver.is_empty() || pattern::matches(&taints.driver, NO_NAME);
        any_driver && pattern::matches(&taints.key, NO_NAME)
    });
    let has: Vec<&str> = of_any_key.map(|taints| taints.effect.as_str()).collect();
    let has_each = effects.iter().all(|effect| has.contains(effect));
    has.contains(&"") || (!effects.is_empty() && has_each)
}

/// Reports lists of allocation modes that accept every mode of the release, or refuse none. Without a release, modes of all count.
fn known_modes(settings: &Settings, errors: &mut SettingsErrors) {
    if settings.default_mode.is_some() || errors.mentions("allocationModes") {
        return;
    }
    let minor = settings.release.map(|release| release.minor);
    let mut known: Vec<&str> = Vec::new();
    if minor.is_none_or(|minor| minor <= LAST_WITH_CLASSES) {
        known.extend(classic::v1alpha2::ALLOCATION_MODES);
    }
    if minor.is_none_or(|minor| minor > LAST_WITH_CLASSES) {
        known.extend(device::ALLOCATION_MODES);
    }
    let mut modes = known.iter();
    match (&settings.allocation_modes, settings.release) {
        (NameList::Allow(patterns), _) if modes.all(|mode| pattern::any(patterns, mode)) => {
            errors.push("allocationModes.allow", accepts_all());
        }
        (NameList::Deny(patterns), Some(release))
            if !modes.any(|mode| pattern::any(patterns, mode)) =>
        {
            errors.push("allocationModes.deny", judges_nothing(release));
        }
        _ => {}
    }
}

/// Reports a permission to ask for all devices where nothing forbids it.
fn limited_to_all(settings: &Settings, errors: &mut SettingsErrors) {
    let limits = &settings.limits.rest.rest;
    let is_limited = limits.max_count.is_some() || !limits.max_capacity.is_empty();
    if limits.all_devices == Some(true) && !is_limited && !errors.mentions("limits") {
        errors.push("limits.allDevices", accepts_all());
    }
}

/// Reports rules for parameters that are always met.
fn constant_rules(settings: &Settings, errors: &mut SettingsErrors) {
    let parameters = &settings.opaque_parameters;
    let entries = parameters.entries.iter().enumerate();
    let of_entries = entries.map(|(at, entry)| {
        let path = format!("opaqueParameters.namespaces[{at}]");
        (path, &entry.rule)
    });
    let rest = ("opaqueParameters".to_owned(), &parameters.rest);
    for (path, rule) in of_entries.chain([rest]) {
        for (at, one) in rule.rules.iter().enumerate() {
            let path = format!("{path}.rules[{at}]");
            if errors.mentions(&path) {
                continue;
            }
            if one.expression.trim() == "true" {
                errors.push(&format!("{path}.expression"), accepts_all());
            } else if !one.expression.contains("parameters") {
                let problem = message!(
                    "settings.rule-without-parameters",
                    "does not name `parameters`, so it says the same of all of them"
                );
                errors.push(&format!("{path}.expression"), problem);
            }
        }
    }
}

fn judges_nothing(release: Release) -> Message {
    message!(
        "settings.judges-nothing",
        "judges nothing of Kubernetes 1.{minor}, which `release` names: leave it out",
        minor = release.minor
    )
}

fn accepts_all() -> Message {
    message!(
        "settings.accepts-all",
        "accepts everything, so the setting decides nothing: leave it out"
    )
}

/// Returns the keys of a setting that decide something.
fn deciding(keys: &'static [SettingKey]) -> impl Iterator<Item = &'static SettingKey> {
    keys.iter()
        .filter(|key| !matches!(key.name, "mode" | "message" | "exempt"))
}

/// Returns true if a setting can decide a request. A flag that is off cannot.
fn decides(value: View<'_, '_>, keys: &'static [SettingKey]) -> bool {
    deciding(keys).any(|key| {
        let inner = value.get(key.name);
        match key.shape {
            ValueShape::Flag => inner.node.is_some() && !inner.is(false),
            ValueShape::Object(keys) if inner.is_object() => decides(inner, keys),
            _ => inner.node.is_some(),
        }
    }) || value.has_unknown(keys)
}
