//! Finds entries of settings that never count, because others come first.

use crate::policy::check::{SettingsErrors, shown};
use crate::policy::cluster::Labels;
use crate::policy::pattern;
use crate::policy::settings::{
    ByNamespace, ClaimLimits, ClassRule, NameList, ParameterRules, RequestLimits, Settings,
};
use claimkit_model::message::message;

/// The labels of an entry that is chosen by names alone.
const NO_LABELS: &Labels = &Labels::new();

/// What an entry of a list is for.
#[derive(Clone, Copy)]
struct EntryScope<'s> {
    /// Patterns of names; none: any name.
    names: &'s [String],
    /// Labels that the namespace must have.
    labels: &'s Labels,
}

impl EntryScope<'_> {
    /// Returns true if it is for all that another one is for. A pattern that matches the text of another one, stars included, matches
    /// all that the other one matches.
    fn covers(self, other: Self) -> bool {
        let mut labels = self.labels.iter();
        let mut names = other.names.iter();
        let has_names = if other.names.is_empty() {
            self.is_for_any_name()
        } else {
            self.names.is_empty() || names.all(|name| pattern::any(self.names, name))
        };
        has_names && labels.all(|label| other.labels.contains(label))
    }

    fn is_for_any_name(self) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| pattern::matches_all(name))
    }
}

/// Reports what never counts.
pub(super) fn report(settings: &Settings, errors: &mut SettingsErrors) {
    classes("deviceClasses", &settings.device_classes, errors);
    classes("resourceClasses", &settings.resource_classes, errors);
    by_namespace("limits", &settings.limits, errors);
    by_namespace("tolerations", &settings.tolerations, errors);
    by_namespace("selectors", &settings.claim_expressions, errors);
    by_namespace("opaqueParameters", &settings.opaque_parameters, errors);
    by_namespace("pods", &settings.pods, errors);
    limits_of_classes("limits", &settings.limits.rest, errors);
    for (at, entry) in settings.limits.entries.iter().enumerate() {
        limits_of_classes(&format!("limits.namespaces[{at}]"), &entry.rule, errors);
    }
    let parameters = &settings.opaque_parameters;
    rules_of_drivers("opaqueParameters", &parameters.rest, errors);
    for (at, entry) in parameters.entries.iter().enumerate() {
        let path = format!("opaqueParameters.namespaces[{at}]");
        rules_of_drivers(&path, &entry.rule, errors);
    }
}

fn classes(setting: &str, rule: &ClassRule, errors: &mut SettingsErrors) {
    let mut scopes = Vec::new();
    for entry in &rule.namespaces {
        let (names, labels) = (entry.names.as_slice(), &entry.labels);
        scopes.push(EntryScope { names, labels });
    }
    let has_rest = rule.list != NameList::Any;
    entries(setting, "namespaces", &scopes, has_rest, errors);
}

fn by_namespace<T: Default + PartialEq>(
    setting: &str,
    rule: &ByNamespace<T>,
    errors: &mut SettingsErrors,
) {
    let mut scopes = Vec::new();
    for entry in &rule.entries {
        let (names, labels) = (entry.names.as_slice(), &entry.labels);
        scopes.push(EntryScope { names, labels });
    }
    let has_rest = rule.rest != T::default();
    entries(setting, "namespaces", &scopes, has_rest, errors);
}

fn limits_of_classes(path: &str, limits: &ClaimLimits, errors: &mut SettingsErrors) {
    let mut scopes = Vec::new();
    for entry in &limits.classes {
        let (names, labels) = (entry.names.as_slice(), NO_LABELS);
        scopes.push(EntryScope { names, labels });
    }
    let has_rest = limits.rest != RequestLimits::default();
    entries(path, "classes", &scopes, has_rest, errors);
}

/// Reports entries behind one that is for all that they are for, and what is said for the rest if an entry leaves none.
fn entries(
    path: &str,
    list: &str,
    scopes: &[EntryScope<'_>],
    has_rest: bool,
    errors: &mut SettingsErrors,
) {
    if errors.mentions(&format!("{path}.{list}")) {
        return;
    }
    let all = EntryScope {
        names: &[],
        labels: NO_LABELS,
    };
    for (at, scope) in scopes.iter().enumerate() {
        let mut earlier = scopes.iter().take(at);
        if let Some(first) = earlier.position(|earlier| earlier.covers(*scope)) {
            errors.push(
                &format!("{path}.{list}[{at}]"),
                message!(
                    "settings.entry-never-counts",
                    "never counts: `{first}` comes first and is for all of the same {list}",
                    first = format!("{path}.{list}[{first}]"),
                    list
                ),
            );
        }
    }
    let for_all = scopes.iter().position(|scope| scope.covers(all));
    if let Some(at) = for_all.filter(|_| has_rest) {
        errors.push(
            path,
            message!(
                "settings.rest-never-counts",
                "what is given for all {list} never counts: `{entry}` is for all of them",
                list,
                entry = format!("{path}.{list}[{at}]")
            ),
        );
    }
}

/// Reports rules for the parameters of a driver that the list does not accept anyway.
fn rules_of_drivers(path: &str, parameters: &ParameterRules, errors: &mut SettingsErrors) {
    for (at, rule) in parameters.rules.iter().enumerate() {
        let is_refused = match &parameters.list {
            NameList::Any => false,
            // Whether two patterns have a name in common is not asked.
            NameList::Allow(patterns) => {
                !rule.driver.contains('*') && !pattern::any(patterns, &rule.driver)
            }
            NameList::Deny(patterns) => pattern::any(patterns, &rule.driver),
        };
        if is_refused {
            errors.push(
                &format!("{path}.rules[{at}].driver"),
                message!(
                    "settings.rule-never-counts",
                    "the rule never counts: the setting accepts no parameters of {driver}",
                    driver = shown(&rule.driver)
                ),
            );
        }
    }
}
