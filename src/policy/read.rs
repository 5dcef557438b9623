//! Reads the settings: what is wrong with them, all at once, or what they say.

use crate::policy::check::{self, SettingsErrors, below};
use crate::policy::idle;
use crate::policy::keys::{SETTINGS, ValueShape};
use crate::policy::settings::{
    AdminRule, ClassRule, ClusterRule, GroupKind, GroupKinds, NameList, NodeRule, RequestLimits,
    SettingRule, Settings, SettingsNode, TaintPattern, ValidationMode,
};
use crate::policy::view::View;
use claimkit_model::message::{Words, message};
use claimkit_model::schema::device;
use claimkit_model::text::tree::{Kind, NodeId, Tree};

impl Settings {
    /// Reads settings; `None` means that there are no settings.
    ///
    /// # Errors
    /// Everything that is wrong, one line each: unknown keys, wrong types, contradictions.
    pub fn read(tree: &Tree<'_>, node: Option<NodeId>) -> Result<Self, Vec<Words>> {
        let Some(node) = node.filter(|&node| !matches!(tree.kind(node), Kind::Null)) else {
            return Ok(Settings::default());
        };
        let mut errors = SettingsErrors::default();
        check::check(tree, node, "", ValueShape::Object(SETTINGS), &mut errors);
        let view = View {
            tree,
            node: Some(node),
        };
        let settings = Settings::of(view);
        settings.report_contradictions(view, &mut errors);
        idle::report(&settings, view, &mut errors);
        let errors = errors.into_list();
        if errors.is_empty() {
            Ok(settings)
        } else {
            Err(errors)
        }
    }

    /// Reads the settings, as far as they are well formed.
    fn of(view: View<'_, '_>) -> Self {
        let (parameters, admin) = (view.get("parametersRef"), view.get("adminAccess"));
        Settings {
            warn: view.text("mode") == "warn",
            validation: validation_of(view),
            rules: rules_of(view),
            release: check::release(&view.text("release")),
            gates: view.gates().and_then(Result::ok),
            api_versions: match view.get("apiVersions").list() {
                NameList::Any => NameList::Any,
                NameList::Allow(patterns) => NameList::Allow(versions_of(patterns)),
                NameList::Deny(patterns) => NameList::Deny(versions_of(patterns)),
            },
            deprecated_denied: view.get("apiVersions").get("denyDeprecated").is(true),
            device_classes: view.get("deviceClasses").classes(),
            resource_classes: view.get("resourceClasses").classes(),
            allocation_modes: view.get("allocationModes").list(),
            default_mode: view.get("allocationModes").name("default"),
            admin_access: {
                let (namespaces, labels) = (admin.get("namespaces").texts(), admin.labels());
                let limited =
                    admin.get("deny").is(true) || !namespaces.is_empty() || !labels.is_empty();
                AdminRule {
                    limited,
                    namespaces,
                    labels,
                }
            },
            limits: view.get("limits").by_namespace(View::claim_limits),
            tolerations: view.get("tolerations").by_namespace(View::taint_list),
            claim_expressions: view
                .get("selectors")
                .by_namespace(|rule| rule.expression_rule("denyInClaims")),
            class_expressions: view.get("selectors").expression_rule("denyInClasses"),
            opaque_parameters: view
                .get("opaqueParameters")
                .by_namespace(View::parameter_rules),
            extended_resource_names: view.get("extendedResourceNames").list(),
            taint_selector: match view
                .get("deviceTaintRules")
                .text("selectorRequired")
                .as_str()
            {
                "NoExecute" => Some(TaintPattern::NoExecute),
                "always" => Some(TaintPattern::Always),
                _ => None,
            },
            rule_taints: view.get("deviceTaintRules").taint_list(),
            slice_taints: view.get("sliceTaints").taint_list(),
            fallback_mode: view.get("allocationModes").name("fallback"),
            drivers: view.get("drivers").list(),
            parameters_required: parameters.get("required").is(true),
            parameters: if parameters.has("allow") {
                GroupKinds::Allow(group_kinds(parameters.get("allow")))
            } else if parameters.has("deny") {
                GroupKinds::Deny(group_kinds(parameters.get("deny")))
            } else {
                GroupKinds::Any
            },
            suitable_nodes: view.get("suitableNodes").node_rule(),
            available_on_nodes: view.get("availableOnNodes").node_rule(),
            shareable_denied: view.get("shareable").get("deny").is(true),
            pods: view.get("pods").by_namespace(View::pod_rule),
            cluster: {
                let cluster = view.get("cluster");
                ClusterRule {
                    class_exists: cluster.get("classExists").is(true),
                    max_claims: cluster.count("maxClaims"),
                    pod_classes: cluster.get("podClasses").is(true),
                    unique_extended_resource_names: cluster
                        .get("uniqueExtendedResourceNames")
                        .is(true),
                    keep_used_classes: cluster.get("keepUsedClasses").is(true),
                }
            },
            exempt: view.get("exempt").exemptions(),
        }
    }

    /// Reports settings that contradict each other, and settings without what they need.
    fn report_contradictions(&self, view: View<'_, '_>, errors: &mut SettingsErrors) {
        report_gates(view, errors);
        class_contradictions(
            "deviceClasses",
            &self.device_classes,
            view.get("deviceClasses"),
            errors,
        );
        class_contradictions(
            "resourceClasses",
            &self.resource_classes,
            view.get("resourceClasses"),
            errors,
        );
        self.report_modes(errors);
        for setting in ["tolerations", "deviceTaintRules", "sliceTaints"] {
            for (path, rule) in rules_with_namespaces(setting, view) {
                taint_keys(&path, rule, errors);
            }
        }
        for (path, rule) in rules_with_namespaces("limits", view) {
            limit_contradictions(&path, rule, errors);
        }
        for (path, rule) in rules_with_namespaces("opaqueParameters", view) {
            rule_contradictions(&path, rule, errors);
        }
        for (setting, keys) in OF_NAMESPACES {
            report_empty_namespaces(setting, keys, view, errors);
        }
        report_parameters(view, errors);
        report_nodes("suitableNodes", &self.suitable_nodes, view, errors);
        report_nodes("availableOnNodes", &self.available_on_nodes, view, errors);
    }

    /// Reports modes that are put in place of others, but are not accepted themselves.
    fn report_modes(&self, errors: &mut SettingsErrors) {
        for (key, mode) in [
            ("default", &self.default_mode),
            ("fallback", &self.fallback_mode),
        ] {
            let Some(mode) = mode else { continue };
            let path = format!("allocationModes.{key}");
            if !self.allocation_modes.accepts(mode) {
                let text = message!(
                    "settings.mode-not-accepted",
                    "{mode} is not accepted itself: name a mode that claims may have",
                    mode = check::shown(mode)
                );
                errors.push(&path, text);
            } else if key == "default" && device::ALLOCATION_MODES.contains(&mode.as_str()) {
                let text = message!(
                    "settings.mode-of-devices",
                    "{mode} is a mode of requests for devices, which have no default here",
                    mode = check::shown(mode)
                );
                errors.push(&path, text);
            }
        }
    }
}

/// Reports gates that cannot be set, and gates of no release.
fn report_gates(view: View<'_, '_>, errors: &mut SettingsErrors) {
    if let Some(Err(error)) = view.gates() {
        errors.push("gates", error);
    }
    if view.get("gates").is_object() && !view.has("release") {
        errors.push(
            "gates",
            message!(
                "settings.no-release",
                "`release` is missing: say which Kubernetes release has these gates"
            ),
        );
    }
}

/// Reports entries of `namespaces` that name no namespace, or have none of the keys of a rule.
fn report_empty_namespaces(
    setting: &str,
    keys: &[&str],
    view: View<'_, '_>,
    errors: &mut SettingsErrors,
) {
    let items = view.get(setting).get("namespaces").items().enumerate();
    for (index, item) in items.filter(|(_, item)| item.is_object()) {
        let path = format!("{setting}.namespaces[{index}]");
        no_namespace(&path, item, errors);
        if keys.iter().all(|key| !item.has(key)) {
            let names: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            let names = names.join(", ");
            let text = message!(
                "settings.nothing-of-namespaces",
                "says nothing but which namespaces: give it {names}",
                names
            );
            errors.push(&path, text);
        }
    }
}

/// Reports parameters without a kind.
fn report_parameters(view: View<'_, '_>, errors: &mut SettingsErrors) {
    let parameters = view.get("parametersRef");
    for list in ["allow", "deny"] {
        for (index, item) in parameters.get(list).items().enumerate() {
            if item.is_object() && !item.has("kind") {
                let text = message!(
                    "settings.no-parameters-kind",
                    "`kind` is missing: name the kind of the parameters, or write `\"*\"`"
                );
                errors.push(&format!("parametersRef.{list}[{index}]"), text);
            }
        }
    }
}

/// Reports nodes that nothing describes, and nodes that must be selected and must not.
fn report_nodes(setting: &str, rule: &NodeRule, view: View<'_, '_>, errors: &mut SettingsErrors) {
    for list in ["mustSelect", "mustNotSelect"] {
        for (index, item) in view.get(setting).get(list).items().enumerate() {
            if item.is_object() && !item.has("name") && !item.has("labels") {
                let text = message!(
                    "settings.nothing-of-node",
                    "says nothing of the node: give it `name`, `labels` or both"
                );
                errors.push(&format!("{setting}.{list}[{index}]"), text);
            }
        }
    }
    for (index, node) in rule.must_not_select.iter().enumerate() {
        if *node != SettingsNode::default() && rule.must_select.contains(node) {
            let text = message!(
                "settings.node-in-both",
                "the same node is in `mustSelect`: no selector does both"
            );
            errors.push(&below(setting, &format!("mustNotSelect[{index}]")), text);
        }
    }
}

/// Returns patterns of versions without the group.
fn versions_of(patterns: Vec<String>) -> Vec<String> {
    patterns
        .iter()
        .map(|text| check::version(text).to_owned())
        .collect()
}

/// Reads a list of kinds with their groups.
fn group_kinds(view: View<'_, '_>) -> Vec<GroupKind> {
    view.items()
        .map(|item| GroupKind {
            group: item.text("apiGroup"),
            kind: item.text("kind"),
        })
        .collect()
}

/// Returns what `validation` says; YAML 1.1 reads `off` as `false`.
fn validation_of(view: View<'_, '_>) -> Option<ValidationMode> {
    match view.text("validation").as_str() {
        "strict" => Some(ValidationMode::Strict),
        "warn" => Some(ValidationMode::Warn),
        "off" => Some(ValidationMode::Off),
        _ => (view.get("validation").is(false)).then_some(ValidationMode::Off),
    }
}

/// Returns `mode` and `message` of every setting that has them.
fn rules_of(view: View<'_, '_>) -> Vec<(&'static str, SettingRule)> {
    let rules = SETTINGS
        .iter()
        .filter(|key| matches!(key.shape, ValueShape::Object(keys) if keys.iter().any(|key| key.name == "mode")))
        .map(|key| (key.name, view.get(key.name).rule()));
    rules
        .filter(|(_, rule)| *rule != SettingRule::default())
        .collect()
}

/// The settings with other rules for certain namespaces, and what these may say.
const OF_NAMESPACES: [(&str, &[&str]); 5] = [
    (
        "limits",
        &[
            "maxRequests",
            "maxCount",
            "allDevices",
            "maxCapacity",
            "classes",
            "sums",
        ],
    ),
    ("tolerations", &["allow", "deny"]),
    ("selectors", &["denyInClaims"]),
    ("opaqueParameters", &["allow", "deny", "rules"]),
    (
        "pods",
        &[
            "claims",
            "templates",
            "extendedResources",
            "maxClaims",
            "namesMatch",
        ],
    ),
];

/// Returns a setting and the entries of its `namespaces`, each with its path.
fn rules_with_namespaces<'t, 's>(setting: &str, view: View<'t, 's>) -> Vec<(String, View<'t, 's>)> {
    let rule = view.get(setting);
    let mut rules = vec![(setting.to_owned(), rule)];
    for (index, item) in rule.get("namespaces").items().enumerate() {
        rules.push((format!("{setting}.namespaces[{index}]"), item));
    }
    rules
}

/// Reports an entry that does not say for which namespaces it is.
fn no_namespace(path: &str, item: View<'_, '_>, errors: &mut SettingsErrors) {
    if !item.has("names") && !item.has("labels") {
        let text = message!(
            "settings.no-namespace-names",
            "`names` is missing: say which namespaces, by `names`, `labels` or both"
        );
        errors.push(path, text);
    }
}

/// Reports taints without a key.
fn taint_keys(path: &str, rule: View<'_, '_>, errors: &mut SettingsErrors) {
    for list in ["allow", "deny"] {
        for (at, item) in rule.get(list).items().enumerate() {
            if item.is_object() && !item.has("key") {
                let text = message!(
                    "settings.no-taint-key",
                    "`key` is missing: name the key of the taints, or write `\"*\"`"
                );
                errors.push(&format!("{path}.{list}[{at}]"), text);
            }
        }
    }
}

/// Reports limits of no class, limits that limit nothing, and sums of nothing.
fn limit_contradictions(path: &str, rule: View<'_, '_>, errors: &mut SettingsErrors) {
    let classes = rule.get("classes").items().enumerate();
    for (at, item) in classes.filter(|(_, item)| item.is_object()) {
        let path = format!("{path}.classes[{at}]");
        if !item.has("names") {
            errors.push(
                &path,
                message!(
                    "settings.no-class-names",
                    "`names` is missing: say which classes"
                ),
            );
        }
        if item.request_limits() == RequestLimits::default() {
            let text = message!(
                "settings.limits-nothing",
                "limits nothing: give it `maxCount`, `allDevices` or `maxCapacity`"
            );
            errors.push(&path, text);
        }
    }
    let sums = rule.get("sums").items().enumerate();
    for (at, item) in sums.filter(|(_, item)| item.is_object()) {
        let path = format!("{path}.sums[{at}]");
        if !item.has("of") {
            let text = message!(
                "settings.sum-of-nothing",
                "`of` is missing: write `claim`, `pod` or `namespace`"
            );
            errors.push(&path, text);
        }
        if !item.has("maxCount") && !item.has("maxCapacity") {
            let text = message!(
                "settings.sum-without-limit",
                "limits nothing: give it `maxCount` or `maxCapacity`"
            );
            errors.push(&path, text);
        }
    }
}

/// Reports rules for parameters of no driver, and rules without an expression.
fn rule_contradictions(path: &str, rule: View<'_, '_>, errors: &mut SettingsErrors) {
    let rules = rule.get("rules").items().enumerate();
    for (at, item) in rules.filter(|(_, item)| item.is_object()) {
        let path = format!("{path}.rules[{at}]");
        if !item.has("driver") {
            let text = message!(
                "settings.no-rule-driver",
                "`driver` is missing: name the driver whose parameters are checked, or write `\"*\"`"
            );
            errors.push(&path, text);
        }
        if !item.has("expression") {
            let text = message!(
                "settings.no-rule-expression",
                "`expression` is missing: write CEL about `parameters`"
            );
            errors.push(&path, text);
        }
    }
}

/// Reports a class that a list does not accept. `namespace`: the index of the entry of `namespaces` with the list, where the class is that
/// of the setting itself.
fn must_accept(
    list: &NameList,
    namespace: Option<usize>,
    class: Option<&str>,
    path: &str,
    errors: &mut SettingsErrors,
) {
    let Some(name) = class.filter(|class| !list.accepts(class)) else {
        return;
    };
    let class = check::shown(name);
    let is_denied = matches!(list, NameList::Deny(_));
    let text = match (is_denied, namespace) {
        (true, None) => {
            message!(
                "settings.class-denied",
                "{class} is denied by `deny`: name a class that claims may have",
                class
            )
        }
        (true, Some(at)) => message!(
            "settings.class-denied-in-namespace",
            "{class} is denied by `deny` of `namespaces[{at}]`: name a class that claims may have",
            class,
            at
        ),
        (false, None) => {
            message!(
                "settings.class-not-allowed",
                "{class} is not in `allow`: name a class that claims may have",
                class
            )
        }
        (false, Some(at)) => message!(
            "settings.class-not-allowed-in-namespace",
            "{class} is not in `allow` of `namespaces[{at}]`: name a class that claims may have",
            class,
            at
        ),
    };
    errors.push(path, text);
}

/// Reports classes of a key that are not accepted where they apply: `class` in general, `own_classes` in the namespaces of the rule.
fn must_accept_classes<'r>(
    setting: &str,
    key: &str,
    class: &Option<String>,
    own_classes: impl Iterator<Item = &'r Option<String>>,
    rule: &ClassRule,
    errors: &mut SettingsErrors,
) {
    let path = format!("{setting}.{key}");
    must_accept(&rule.list, None, class.as_deref(), &path, errors);
    for (at, (entry, own_class)) in rule.namespaces.iter().zip(own_classes).enumerate() {
        if own_class.is_some() {
            let own_path = format!("{setting}.namespaces[{at}].{key}");
            must_accept(&entry.list, None, own_class.as_deref(), &own_path, errors);
        } else {
            must_accept(&entry.list, Some(at), class.as_deref(), &path, errors);
        }
    }
}

/// Reports classes that are put in place of others, but are not accepted themselves, and entries of `namespaces` without classes.
fn class_contradictions(
    setting: &str,
    rule: &ClassRule,
    view: View<'_, '_>,
    errors: &mut SettingsErrors,
) {
    let defaults = rule.namespaces.iter().map(|entry| &entry.default);
    must_accept_classes(setting, "default", &rule.default, defaults, rule, errors);
    let fallbacks = rule.namespaces.iter().map(|entry| &entry.fallback);
    must_accept_classes(setting, "fallback", &rule.fallback, fallbacks, rule, errors);
    for (at, item) in view
        .get("namespaces")
        .items()
        .enumerate()
        .filter(|(_, item)| item.is_object())
    {
        let path = format!("{setting}.namespaces[{at}]");
        no_namespace(&path, item, errors);
        if !item.has("allow") && !item.has("deny") {
            let text = message!(
                "settings.nothing-of-classes",
                "says nothing of classes: give it `allow` or `deny`"
            );
            errors.push(&path, text);
        }
    }
}
