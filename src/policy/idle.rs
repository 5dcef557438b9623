//! Finds settings that decide nothing: an author who wrote them expects a check that never happens.

use crate::policy::check::{SettingsErrors, shown};
use crate::policy::keys::{SETTINGS, SettingKey, ValueShape};
use crate::policy::pattern;
use crate::policy::settings::{ClassRule, NameList, Settings, Taints, Tolerations};
use crate::policy::view::View;
use claimkit_model::message::message;
use claimkit_model::schema::VERSIONS;

/// A text that no name is.
const NO_NAME: &str = "\u{1}";

/// The group of every user that an API server knows.
const EVERYBODY: &str = "system:authenticated";

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
                let problem = message!(
                    "settings.judges-nothing",
                    "judges nothing of Kubernetes 1.{minor}, which `release` names: leave it out",
                    minor = release.minor
                );
                errors.push(name, problem);
            }
        }
    }
    let exempt = |path: &str, patterns: &[String], everybody: &str| {
        let all = patterns
            .iter()
            .enumerate()
            .find(|(_, text)| pattern::matches(text, everybody));
        all.map(|(at, text)| {
            let problem = message!(
                "settings.exempts-all",
                "{pattern} exempts every user: the policy then checks nothing",
                pattern = shown(text)
            );
            (format!("exempt.{path}[{at}]"), problem)
        })
    };
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
    let found = [
        exempt("usernames", &settings.exempt.usernames, NO_NAME),
        exempt("groups", &settings.exempt.groups, EVERYBODY),
    ];
    for (path, problem) in found.into_iter().flatten() {
        errors.push(&path, problem);
    }
}

/// Reports lists that accept every name, and a list of versions that accepts none.
fn all_accepted(settings: &Settings, view: View<'_, '_>, errors: &mut SettingsErrors) {
    let pods = &settings.pods;
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
        ("opaqueParameters", &settings.opaque_parameters, true),
        (
            "extendedResourceNames",
            &settings.extended_resource_names,
            true,
        ),
        ("drivers", &settings.drivers, true),
        ("pods.claims", &pods.claims, true),
        ("pods.templates", &pods.templates, true),
        ("pods.extendedResources", &pods.extended_resources, true),
    ];
    let accepts_all = || {
        message!(
            "settings.accepts-all",
            "accepts everything, so the setting decides nothing: leave it out"
        )
    };
    for (name, list, alone) in lists {
        if alone && matches!(list, NameList::Allow(patterns) if pattern::any(patterns, NO_NAME)) {
            errors.push(&format!("{name}.allow"), accepts_all());
        }
    }
    let any_taint =
        |taints: &Taints| pattern::matches(&taints.key, NO_NAME) && taints.effect.is_empty();
    if matches!(&settings.tolerations, Tolerations::Allow(list) if list.iter().any(any_taint)) {
        errors.push("tolerations.allow", accepts_all());
    }
    if pattern::any(&settings.admin_access.namespaces, NO_NAME) {
        errors.push("adminAccess.namespaces", accepts_all());
    }
    let known = VERSIONS
        .iter()
        .any(|version| settings.api_versions.accepts(version.name));
    if view.get("apiVersions").get("allow").node.is_some()
        && !errors.mentions("apiVersions")
        && !known
    {
        errors.push(
            "apiVersions.allow",
            message!(
                "settings.no-known-version",
                "no version that is known here matches: the policy would refuse every object"
            ),
        );
    }
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
