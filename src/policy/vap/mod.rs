//! The settings as ValidatingAdmissionPolicies: CEL that an API server evaluates itself, for clusters without a policy engine.
//!
//! | part | gives |
//! |---|---|
//! | [`cel`] | pieces of CEL for lists, patterns and namespaces |
//! | [`checks`] | what each setting asks of each kind |
//! | this file | the policies and their bindings as YAML, and what CEL cannot hold |
//!
//! A policy judges an update only if it changes what its checks look at. What a class, a slice or a taint rule has already is accepted
//! then; claims and templates do not change; pods and workloads are judged whole.

pub mod cel;
pub mod checks;
pub mod mutate;

use crate::policy::placeholders;
use crate::policy::settings::{
    ClassRule, ClusterRule, Exemptions, GroupKinds, NameList, NodeRule, Settings, SumOf,
};
use checks::{CheckTarget, SettingCheck};
use mutate::RequestShape;
use std::fmt::Write;

/// The beginning of the names of policies that are made from settings alone.
pub const NAME: &str = "claimkit";

/// A setting that a policy of the API server cannot hold, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name, as in the settings.
    pub setting: &'static str,
    pub why: &'static str,
}

/// The kind of policy that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyForm {
    /// ValidatingAdmissionPolicies and their bindings.
    Validating,
    /// ValidatingPolicies of Kyverno, which need no bindings.
    Kyverno,
    /// MutatingAdmissionPolicies and their bindings, for what the settings change.
    Mutating,
}

impl PolicyForm {
    /// Reads the word of the option `--as`.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "vap" => Some(PolicyForm::Validating),
            "kyverno" => Some(PolicyForm::Kyverno),
            "map" => Some(PolicyForm::Mutating),
            _ => None,
        }
    }
}

/// Policies in another form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedPolicies {
    /// YAML, with a comment for each setting that is left out.
    pub yaml: String,
    /// The number of policies.
    pub count: usize,
}

impl PrintedPolicies {
    /// Makes what is printed where no setting can be held.
    fn none(comment: &str) -> Self {
        PrintedPolicies {
            yaml: format!("# {comment}\n"),
            count: 0,
        }
    }
}

/// Prints the policies and their bindings. `name`: the beginning of their names.
pub fn yaml(settings: &Settings, name: &str, form: PolicyForm) -> PrintedPolicies {
    if form == PolicyForm::Mutating {
        return mutating(settings, name);
    }
    let mut count = 0usize;
    let mut out = String::new();
    let left_out = left_out(settings);
    if !left_out.is_empty() {
        out.push_str(match form {
            PolicyForm::Kyverno => "# Settings that a ValidatingPolicy cannot hold:\n",
            _ => "# Settings that a ValidatingAdmissionPolicy cannot hold:\n",
        });
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
                    Printed { form, warn },
                    &mut out,
                );
                count = count.saturating_add(1);
            }
        }
    }
    if count == 0 {
        out.push_str("# No setting asks for anything else: there is no policy.\n");
    }
    PrintedPolicies { yaml: out, count }
}

/// The form of a printed policy.
#[derive(Clone, Copy)]
struct Printed {
    form: PolicyForm,
    /// The policy warns in place of refusing.
    warn: bool,
}

/// Objects that a MutatingAdmissionPolicy changes.
#[derive(Clone, Copy)]
struct MutatedObjects {
    /// Ends the name of the policy.
    end: &'static str,
    resources: &'static str,
    versions: &'static str,
    path: &'static str,
    shape: RequestShape,
}

/// Each policy is for the versions of one shape: kube-apiserver refuses a request in another version than the one that a policy matches,
/// because it cannot convert the changed object back (apiserver, plugin/policy/mutating/dispatcher.go, `dispatchOne`).
const MUTATED: [MutatedObjects; 4] = [
    MutatedObjects {
        end: "claims",
        resources: "resourceclaims",
        versions: "v1, v1beta2",
        path: "spec.devices.requests",
        shape: RequestShape::Exactly,
    },
    MutatedObjects {
        end: "claims-v1beta1",
        resources: "resourceclaims",
        versions: "v1beta1",
        path: "spec.devices.requests",
        shape: RequestShape::Flat,
    },
    MutatedObjects {
        end: "claim-templates",
        resources: "resourceclaimtemplates",
        versions: "v1, v1beta2",
        path: "spec.spec.devices.requests",
        shape: RequestShape::Exactly,
    },
    MutatedObjects {
        end: "claim-templates-v1beta1",
        resources: "resourceclaimtemplates",
        versions: "v1beta1",
        path: "spec.spec.devices.requests",
        shape: RequestShape::Flat,
    },
];

/// Prints the policies that change new claims and templates.
fn mutating(settings: &Settings, name: &str) -> PrintedPolicies {
    let mut out = String::new();
    let minor = settings.release.map_or(u8::MAX, |release| release.minor);
    let api = match minor {
        36.. => "admissionregistration.k8s.io/v1",
        34 | 35 => "admissionregistration.k8s.io/v1beta1",
        _ => {
            return PrintedPolicies::none("MutatingAdmissionPolicies exist since Kubernetes 1.34");
        }
    };
    for target in &MUTATED {
        let MutatedObjects {
            end,
            resources,
            versions,
            path,
            shape,
        } = *target;
        let Some(patches) = mutate::patches(settings, path, shape) else {
            return PrintedPolicies::none("No setting changes requests for devices.");
        };
        let holder = path.trim_end_matches(".requests");
        let mut conditions = vec![(
            "has-requests",
            format!(
                "{} && {}",
                cel::is_present(&format!("object.{holder}")),
                cel::is_present(&format!("object.{path}"))
            ),
        )];
        conditions.extend(exemptions(settings));
        let name = format!("{name}-{end}");
        let _ = writeln!(
            out,
            "---\napiVersion: {api}\nkind: MutatingAdmissionPolicy\nmetadata: {{name: {name}}}\nspec:"
        );
        let _ = writeln!(
            out,
            "  failurePolicy: Fail\n  reinvocationPolicy: IfNeeded\n  matchConstraints:\n    matchPolicy: Exact\n    resourceRules:"
        );
        let _ = writeln!(
            out,
            "      - {{apiGroups: [resource.k8s.io], apiVersions: [{versions}], operations: [CREATE], resources: [{resources}]}}"
        );
        out.push_str("  matchConditions:\n");
        for (name, expression) in conditions {
            let _ = writeln!(
                out,
                "    - name: {name}\n      expression: {}",
                cel::text(&expression)
            );
        }
        let _ = writeln!(
            out,
            "  mutations:\n    - patchType: JSONPatch\n      jsonPatch:\n        expression: {}",
            cel::text(&patches)
        );
        let _ = writeln!(
            out,
            "---\napiVersion: {api}\nkind: MutatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\nspec: {{policyName: {name}}}"
        );
    }
    PrintedPolicies {
        yaml: out,
        count: MUTATED.len(),
    }
}

fn policy(
    settings: &Settings,
    target: &CheckTarget,
    checks: &[&SettingCheck],
    name: &str,
    printed: Printed,
    out: &mut String,
) {
    let mut line = |indent: usize, text: &str| {
        let _ = writeln!(out, "{}{text}", "  ".repeat(indent));
    };
    line(0, "---");
    let actions = if printed.warn { "Warn, Audit" } else { "Deny" };
    if printed.form == PolicyForm::Kyverno {
        line(0, "apiVersion: policies.kyverno.io/v1");
        line(0, "kind: ValidatingPolicy");
    } else {
        line(0, "apiVersion: admissionregistration.k8s.io/v1");
        line(0, "kind: ValidatingAdmissionPolicy");
    }
    line(0, &format!("metadata: {{name: {name}}}"));
    line(0, "spec:");
    if printed.form == PolicyForm::Kyverno {
        line(1, &format!("validationActions: [{actions}]"));
        // Kyverno would make policies for workloads of the one for pods: there are policies for these, too.
        line(1, "autogen: {podControllers: {controllers: []}}");
        if checks_name_users(settings, checks) {
            // A background scan knows no user.
            line(1, "evaluation: {background: {enabled: false}}");
        }
    }
    line(1, "failurePolicy: Fail");
    line(1, "matchConstraints:");
    line(2, "matchPolicy: Equivalent");
    line(2, "resourceRules:");
    for (group, version, resources) in &target.rules {
        let group = if group.is_empty() { "\"\"" } else { *group };
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
        let message = on_one_line(&message);
        let exempt = settings
            .rule(check.setting)
            .map(|rule| exempting(&rule.exempt));
        let mut ways: Vec<String> = exempt
            .into_iter()
            .flatten()
            .flatten()
            .map(|way| format!("({way})"))
            .collect();
        ways.push(format!("({})", check.expression));
        let expression = if ways.len() == 1 {
            check.expression.clone()
        } else {
            ways.join(" || ")
        };
        line(2, &format!("- expression: {}", cel::text(&expression)));
        line(
            2,
            &format!(
                "  message: {}",
                cel::text(&format!("{}: {message}", check.setting))
            ),
        );
        if let Some(expression) = message_expression(check, &message) {
            line(
                2,
                &format!("  messageExpression: {}", cel::text(&expression)),
            );
        }
        line(2, "  reason: Forbidden");
    }
    if printed.form == PolicyForm::Kyverno {
        return;
    }
    line(0, "---");
    line(0, "apiVersion: admissionregistration.k8s.io/v1");
    line(0, "kind: ValidatingAdmissionPolicyBinding");
    line(0, &format!("metadata: {{name: {name}}}"));
    line(
        0,
        &format!("spec: {{policyName: {name}, validationActions: [{actions}]}}"),
    );
}

/// Writes a message without line breaks, which a policy's message may not have (kube-apiserver, pkg/apis/admissionregistration/validation,
/// validation.go, `validateValidation`).
fn on_one_line(message: &str) -> String {
    let lines: Vec<&str> = message.split(['\n', '\r']).map(str::trim).collect();
    let given: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    given.join(" ")
}

/// Returns CEL for the message of a check, with the places that fail it and with the values of placeholders; `None` if it is always
/// the same.
fn message_expression(check: &SettingCheck, message: &str) -> Option<String> {
    let fixed = format!("{}: {message}", check.setting);
    let mut expression = if check.places.is_empty() {
        cel::text(&fixed)
    } else {
        format!("{} + ({})", cel::text(&format!("{fixed}; ")), check.places)
    };
    let mut filled = false;
    for name in placeholders::NAMES {
        let placeholder = format!("{{{name}}}");
        if message.contains(&placeholder) {
            filled = true;
            let value = match name {
                "kind" => "request.kind.kind".to_owned(),
                "namespace" => "has(request.namespace) ? request.namespace : \"\"".to_owned(),
                "name" => "has(request.name) ? request.name : \"\"".to_owned(),
                "user" => "request.userInfo.username".to_owned(),
                "setting" => cel::text(check.setting),
                _ => "\"\"".to_owned(),
            };
            expression = format!(
                "({expression}).replace({}, {value})",
                cel::text(&placeholder)
            );
        }
    }
    (filled || !check.places.is_empty()).then_some(expression)
}

/// Returns true if who sends a request decides about the checks of a policy, or is part of a message.
fn checks_name_users(settings: &Settings, checks: &[&SettingCheck]) -> bool {
    let mut rules = checks
        .iter()
        .filter_map(|check| settings.rule(check.setting));
    names_users(&settings.exempt)
        || rules.any(|rule| {
            let message = rule.message.as_deref().unwrap_or_default();
            names_users(&rule.exempt) || message.contains("{user}")
        })
}

fn names_users(exempt: &Exemptions) -> bool {
    !exempt.usernames.is_empty() || !exempt.groups.is_empty()
}

/// Returns the conditions under which a request is judged at all.
fn exemptions(settings: &Settings) -> Vec<(&'static str, String)> {
    let names = [
        "not-an-exempt-user",
        "not-an-exempt-group",
        "not-an-exempt-namespace",
    ];
    let exempted = names.into_iter().zip(exempting(&settings.exempt));
    exempted
        .filter_map(|(name, condition)| Some((name, format!("!({})", condition?))))
        .collect()
}

/// Returns CEL for each way to be exempt: it is true for an exempt user, group and namespace.
fn exempting(exempt: &Exemptions) -> [Option<String>; 3] {
    let given = |patterns: &Vec<String>| !patterns.is_empty();
    let user = given(&exempt.usernames)
        .then(|| cel::matches("request.userInfo.username", &exempt.usernames));
    let group = given(&exempt.groups).then(|| {
        let group = cel::matches("group", &exempt.groups);
        format!("has(request.userInfo.groups) && request.userInfo.groups.exists(group, {group})")
    });
    let namespace = given(&exempt.namespaces).then(|| {
        let namespace = cel::matches(cel::NAMESPACE, &exempt.namespaces);
        format!("has(request.namespace) && {namespace}")
    });
    [user, group, namespace]
}

/// Returns the settings that CEL cannot hold.
pub fn left_out(settings: &Settings) -> Vec<LeftOut> {
    let old =
        "is of versions up to 1.30, which have no ValidatingAdmissionPolicy without configuration";
    let changes = "changes objects, which a validating policy cannot; `--as map` prints what does";
    let asks = "asks the cluster, which CEL cannot";
    let allocated = "of allocations is not seen: only claims and templates are judged";
    let classes = &settings.device_classes;
    let parameters = settings.opaque_parameters.all();
    let has_rules = parameters.into_iter().any(|rule| !rule.rules.is_empty());
    let messages = settings.rules.iter();
    let names_found = messages
        .filter_map(|(_, rule)| rule.message.as_ref())
        .any(|message| message.contains("{value}") || message.contains("{class}"));
    let all = [
        (
            "apiVersions.denyDeprecated",
            "depends on the release; the API server warns itself",
            settings.deprecated_denied,
        ),
        (
            "deviceClasses.default, deviceClasses.fallback",
            changes,
            fills_in_classes(classes),
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
        ("adminAccess", allocated, settings.admin_access.limited),
        ("tolerations", allocated, settings.tolerations.decides()),
        (
            "opaqueParameters",
            allocated,
            settings.opaque_parameters.decides(),
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
            settings.pods.decides() || *classes != ClassRule::default(),
        ),
        (
            "limits.sums",
            "of pods and namespaces asks the cluster, which CEL cannot",
            settings.sums(SumOf::Pod) || settings.sums(SumOf::Namespace),
        ),
        (
            "opaqueParameters.rules",
            "cannot see that a key of the parameters is there twice",
            has_rules,
        ),
        ("cluster", asks, settings.cluster != ClusterRule::default()),
        (
            "message",
            "leaves `{value}` and `{class}` empty: CEL does not know what a check found",
            names_found,
        ),
    ];
    all.into_iter()
        .filter(|(.., asked)| *asked)
        .map(|(setting, why, _)| LeftOut { setting, why })
        .collect()
}

fn fills_in_classes(rule: &ClassRule) -> bool {
    rule.default.is_some()
        || rule.fallback.is_some()
        || rule
            .namespaces
            .iter()
            .any(|entry| entry.default.is_some() || entry.fallback.is_some())
}
