//! The settings as ValidatingAdmissionPolicies: CEL that an API server evaluates itself, for clusters without a policy engine.
//!
//! | part | gives |
//! |---|---|
//! | [`cel`] | pieces of CEL for lists, patterns and namespaces |
//! | [`checks`] | what each setting asks of each kind |
//! | this file | the policies and their bindings as YAML, and what CEL cannot hold |
//!
//! A policy judges an update only if it changes what its checks look at. The stored object is not looked at otherwise, so what it
//! already does wrong is refused with any other change of the same part.

pub mod cel;
pub mod checks;

use crate::policy::settings::{ClassRule, GroupKinds, NameList, NodeRule, PodRule, Settings};
use checks::{CheckTarget, SettingCheck};
use std::fmt::Write;

/// A setting that a policy of the API server cannot hold, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name, as in the settings.
    pub setting: &'static str,
    pub why: &'static str,
}

/// Prints the policies and their bindings, with a comment for each setting that is left out. `name`: the beginning of their names.
pub fn yaml(settings: &Settings, name: &str) -> String {
    let mut out = String::new();
    let left_out = left_out(settings);
    if !left_out.is_empty() {
        out.push_str("# Settings that a ValidatingAdmissionPolicy cannot hold:\n");
        for LeftOut { setting, why } in left_out {
            let _ = writeln!(out, "# - {setting}: {why}");
        }
    }
    for target in checks::targets(settings) {
        for warn in [false, true] {
            let checks: Vec<&SettingCheck> = target
                .checks
                .iter()
                .filter(|check| settings.warns(check.setting) == warn)
                .collect();
            if !checks.is_empty() {
                let suffix = if warn { "-warn" } else { "" };
                policy(
                    settings,
                    &target,
                    &checks,
                    &format!("{name}-{}{suffix}", target.name),
                    warn,
                    &mut out,
                );
            }
        }
    }
    out
}

fn policy(
    settings: &Settings,
    target: &CheckTarget,
    checks: &[&SettingCheck],
    name: &str,
    warn: bool,
    out: &mut String,
) {
    let mut line = |indent: usize, text: &str| {
        let _ = writeln!(out, "{}{text}", "  ".repeat(indent));
    };
    line(0, "---");
    line(0, "apiVersion: admissionregistration.k8s.io/v1");
    line(0, "kind: ValidatingAdmissionPolicy");
    line(0, &format!("metadata: {{name: {name}}}"));
    line(0, "spec:");
    line(1, "failurePolicy: Fail");
    line(1, "matchConstraints:");
    line(2, "matchPolicy: Equivalent");
    line(2, "resourceRules:");
    for (group, version, resources) in target.rules {
        let group = if group.is_empty() { "\"\"" } else { group };
        let operations = if target.status {
            "UPDATE"
        } else {
            "CREATE, UPDATE"
        };
        line(
            3,
            &format!(
                "- {{apiGroups: [{group}], apiVersions: [{version}], operations: [{operations}], resources: [{resources}]}}"
            ),
        );
    }
    line(1, "matchConditions:");
    let mut conditions = vec![("changed", target.changed.clone())];
    conditions.extend(exemptions(settings));
    for (name, expression) in conditions {
        line(2, &format!("- name: {name}"));
        line(2, &format!("  expression: {}", cel::text(&expression)));
    }
    if !target.variables.is_empty() {
        line(1, "variables:");
        for (name, expression) in &target.variables {
            line(2, &format!("- name: {name}"));
            line(2, &format!("  expression: {}", cel::text(expression)));
        }
    }
    line(1, "validations:");
    for check in checks {
        let own = settings
            .rule(check.setting)
            .and_then(|rule| rule.message.as_deref());
        let message = own.map_or_else(
            || check.message.clone(),
            |own| format!("{}; {own}", check.message),
        );
        line(
            2,
            &format!("- expression: {}", cel::text(&check.expression)),
        );
        line(
            2,
            &format!(
                "  message: {}",
                cel::text(&format!("{}: {message}", check.setting))
            ),
        );
        line(2, "  reason: Forbidden");
    }
    line(0, "---");
    line(0, "apiVersion: admissionregistration.k8s.io/v1");
    line(0, "kind: ValidatingAdmissionPolicyBinding");
    line(0, &format!("metadata: {{name: {name}}}"));
    let actions = if warn { "Warn, Audit" } else { "Deny" };
    line(
        0,
        &format!("spec: {{policyName: {name}, validationActions: [{actions}]}}"),
    );
}

/// Returns the conditions under which a request is judged at all.
fn exemptions(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut conditions = Vec::new();
    if !settings.exempt_usernames.is_empty() {
        let user = cel::matches("request.userInfo.username", &settings.exempt_usernames);
        conditions.push(("not-an-exempt-user", format!("!({user})")));
    }
    if !settings.exempt_groups.is_empty() {
        let group = cel::matches("group", &settings.exempt_groups);
        let groups = format!(
            "has(request.userInfo.groups) && request.userInfo.groups.exists(group, {group})"
        );
        conditions.push(("not-an-exempt-group", format!("!({groups})")));
    }
    if !settings.exempt_namespaces.is_empty() {
        let namespace = cel::matches(cel::NAMESPACE, &settings.exempt_namespaces);
        conditions.push((
            "not-an-exempt-namespace",
            format!("!(has(request.namespace) && {namespace})"),
        ));
    }
    conditions
}

/// Returns the settings that CEL cannot hold.
pub fn left_out(settings: &Settings) -> Vec<LeftOut> {
    let old =
        "is of versions up to 1.30, which have no ValidatingAdmissionPolicy without configuration";
    let changes = "changes objects, which a ValidatingAdmissionPolicy cannot";
    let asks = "asks the cluster, which CEL cannot";
    let puts = |rule: &ClassRule| {
        let entry = |entry: &crate::policy::settings::NamespaceClasses| {
            entry.default.is_some() || entry.fallback.is_some()
        };
        rule.default.is_some() || rule.fallback.is_some() || rule.namespaces.iter().any(entry)
    };
    let classes = &settings.device_classes;
    let all = [
        (
            "apiVersions.denyDeprecated",
            "depends on the release; the API server warns itself",
            settings.deprecated_denied,
        ),
        (
            "deviceClasses.default, deviceClasses.fallback",
            changes,
            puts(classes),
        ),
        (
            "resourceClasses",
            old,
            settings.resource_classes != ClassRule::default(),
        ),
        (
            "allocationModes.default, allocationModes.fallback",
            changes,
            settings.default_mode.is_some() || settings.fallback_mode.is_some(),
        ),
        (
            "parametersRef",
            old,
            settings.parameters_required || settings.parameters != GroupKinds::Any,
        ),
        (
            "suitableNodes",
            old,
            settings.suitable_nodes != NodeRule::default(),
        ),
        (
            "availableOnNodes",
            "evaluates node selectors, which CEL cannot",
            settings.available_on_nodes != NodeRule::default(),
        ),
        ("shareable", old, settings.shareable_denied),
        (
            "drivers",
            "in CEL selectors are not seen: CEL cannot read CEL",
            settings.drivers != NameList::Any,
        ),
        (
            "deviceTaintRules",
            "with CEL selectors of 1.33 and 1.34 count as without a selector: CEL cannot read CEL",
            settings.taint_selector.is_some(),
        ),
        (
            "pods",
            "in objects of other kinds than those of Kubernetes are not found: CEL has no search",
            settings.pods != PodRule::default() || *classes != ClassRule::default(),
        ),
        ("cluster", asks, settings.asks_cluster().is_some()),
    ];
    all.into_iter()
        .filter(|(.., asked)| *asked)
        .map(|(setting, why, _)| LeftOut { setting, why })
        .collect()
}
