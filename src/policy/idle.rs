//! Finds settings that decide nothing: an author who wrote them expects a check that never happens.

use crate::policy::check::{SettingsErrors, shown};
use crate::policy::keys::{SETTINGS, SettingKey, ValueShape};
use crate::policy::pattern;
use crate::policy::settings::{ClassRule, Settings};
use crate::policy::view::View;
use claimkit_model::message::message;

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
    // No user has this name: only a pattern for all of them matches.
    let found = [
        exempt("usernames", &settings.exempt_usernames, "\u{1}"),
        exempt("groups", &settings.exempt_groups, EVERYBODY),
    ];
    for (path, problem) in found.into_iter().flatten() {
        errors.push(&path, problem);
    }
}

/// Returns the keys of a setting that decide something.
fn deciding(keys: &'static [SettingKey]) -> impl Iterator<Item = &'static SettingKey> {
    keys.iter()
        .filter(|key| !matches!(key.name, "mode" | "message"))
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
