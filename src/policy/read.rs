//! Reads the settings: what is wrong with them, all at once, or what they say.

use crate::api::{Gate, Gates, Release, device};
use crate::policy::check::{self, Errors, below};
use crate::policy::keys::{Key, SETTINGS, Shape};
use crate::policy::settings::{
    AdminRule, ClassRule, ClusterRule, GroupKind, GroupKinds, Labels, List, NamespaceClasses, Node, NodeRule, PodRule, Rule,
    Settings, TaintSelector,
};
use crate::text::tree::{Entry, Kind, NodeId, Tree};

impl Settings {
    /// Reads settings; `None` is no settings at all.
    ///
    /// # Errors
    /// Everything that is wrong, one line each: unknown keys, wrong types, contradictions.
    pub fn read(tree: &Tree<'_>, node: Option<NodeId>) -> Result<Self, Vec<String>> {
        let Some(node) = node.filter(|&node| !matches!(tree.kind(node), Kind::Null)) else { return Ok(Settings::default()) };
        let mut errors = Errors::default();
        check::check(tree, node, "", Shape::Object(SETTINGS), &mut errors);
        let view = View { tree, node: Some(node) };
        let settings = Settings::of(view);
        settings.contradictions(view, &mut errors);
        let errors = errors.into_list();
        if errors.is_empty() { Ok(settings) } else { Err(errors) }
    }

    /// The settings, as far as they are well formed.
    fn of(view: View<'_, '_>) -> Self {
        let versions = |patterns: Vec<String>| patterns.iter().map(|text| check::version(text).to_owned()).collect();
        let (parameters, admin) = (view.get("parametersRef"), view.get("adminAccess"));
        let group_kinds = |view: View<'_, '_>| -> Vec<GroupKind> {
            view.items().map(|item| GroupKind { group: item.text("apiGroup"), kind: item.text("kind") }).collect()
        };
        Settings {
            warn: view.text("mode") == "warn",
            validation_off: view.text("validation") == "off" || view.get("validation").is(false),
            validation_warns: view.text("validation") == "warn",
            rules: rules_of(view),
            release: Release::parse(&view.text("release")),
            gates: view.gates().and_then(Result::ok),
            api_versions: match view.get("apiVersions").list() {
                List::Any => List::Any,
                List::Allow(patterns) => List::Allow(versions(patterns)),
                List::Deny(patterns) => List::Deny(versions(patterns)),
            },
            deprecated_denied: view.get("apiVersions").get("denyDeprecated").is(true),
            device_classes: view.get("deviceClasses").classes(),
            resource_classes: view.get("resourceClasses").classes(),
            allocation_modes: view.get("allocationModes").list(),
            default_mode: view.get("allocationModes").name("default"),
            admin_access: {
                let (namespaces, labels) = (admin.get("namespaces").texts(), admin.labels());
                let limited = admin.get("deny").is(true) || !namespaces.is_empty() || !labels.is_empty();
                AdminRule { limited, namespaces, labels }
            },
            taint_selector: match view.get("deviceTaintRules").text("selectorRequired").as_str() {
                "NoExecute" => Some(TaintSelector::NoExecute),
                "always" => Some(TaintSelector::Always),
                _ => None,
            },
            fallback_mode: view.get("allocationModes").name("fallback"),
            drivers: view.get("drivers").list(),
            parameters_required: parameters.get("required").is(true),
            parameters: if parameters.get("allow").node.is_some() {
                GroupKinds::Allow(group_kinds(parameters.get("allow")))
            } else if parameters.get("deny").node.is_some() {
                GroupKinds::Deny(group_kinds(parameters.get("deny")))
            } else {
                GroupKinds::Any
            },
            suitable_nodes: view.get("suitableNodes").node_rule(),
            available_on_nodes: view.get("availableOnNodes").node_rule(),
            shareable_denied: view.get("shareable").get("deny").is(true),
            pods: {
                let pods = view.get("pods");
                PodRule {
                    claims: pods.get("claims").list(),
                    templates: pods.get("templates").list(),
                    max_claims: pods.count("maxClaims"),
                    names_match: pods.get("namesMatch").is(true),
                }
            },
            cluster: {
                let cluster = view.get("cluster");
                ClusterRule {
                    class_exists: cluster.get("classExists").is(true),
                    max_claims: cluster.count("maxClaims"),
                    pod_classes: cluster.get("podClasses").is(true),
                }
            },
            exempt_usernames: view.get("exempt").get("usernames").texts(),
            exempt_groups: view.get("exempt").get("groups").texts(),
            exempt_namespaces: view.get("exempt").get("namespaces").texts(),
        }
    }

    /// Settings that contradict each other, and settings without what they need.
    fn contradictions(&self, view: View<'_, '_>, errors: &mut Errors) {
        if let Some(Err(error)) = view.gates() {
            errors.push("gates", error);
        }
        if view.get("gates").is_object() && view.get("release").node.is_none() {
            errors.push("gates", "`release` is missing: say which Kubernetes release has these gates");
        }
        for (setting, rule) in [("deviceClasses", &self.device_classes), ("resourceClasses", &self.resource_classes)] {
            class_contradictions(setting, rule, view.get(setting), errors);
        }
        for (key, mode) in [("default", &self.default_mode), ("fallback", &self.fallback_mode)] {
            let Some(mode) = mode else { continue };
            let path = format!("allocationModes.{key}");
            if !self.allocation_modes.accepts(mode) {
                errors.push(&path, format!("{} is not accepted itself: name a mode that claims may have", check::shown(mode)));
            } else if key == "default" && device::ALLOCATION_MODES.contains(&mode.as_str()) {
                let text = format!("{} is a mode of requests for devices, which have no default here", check::shown(mode));
                errors.push(&path, text);
            }
        }
        let parameters = view.get("parametersRef");
        for list in ["allow", "deny"] {
            for (at, item) in parameters.get(list).items().enumerate() {
                if item.is_object() && item.get("kind").node.is_none() {
                    errors.push(
                        &format!("parametersRef.{list}[{at}]"),
                        "`kind` is missing: name the kind of the parameters, or write `\"*\"`",
                    );
                }
            }
        }
        for (rule, nodes) in [("suitableNodes", &self.suitable_nodes), ("availableOnNodes", &self.available_on_nodes)] {
            for list in ["mustSelect", "mustNotSelect"] {
                for (at, item) in view.get(rule).get(list).items().enumerate() {
                    if item.is_object() && item.get("name").node.is_none() && item.get("labels").node.is_none() {
                        errors
                            .push(&format!("{rule}.{list}[{at}]"), "says nothing of the node: give it `name`, `labels` or both");
                    }
                }
            }
            for (at, node) in nodes.must_not_select.iter().enumerate() {
                if *node != Node::default() && nodes.must_select.contains(node) {
                    errors.push(
                        &below(rule, &format!("mustNotSelect[{at}]")),
                        "the same node stands in `mustSelect`: no selector does both",
                    );
                }
            }
        }
    }
}

/// `mode` and `message` of every setting that has them.
fn rules_of(view: View<'_, '_>) -> Vec<(&'static str, Rule)> {
    let has_mode = |key: &&Key| matches!(key.shape, Shape::Object(keys) if keys.iter().any(|key| key.name == "mode"));
    let rules = SETTINGS.iter().filter(has_mode).map(|key| (key.name, view.get(key.name).rule()));
    rules.filter(|(_, rule)| *rule != Rule::default()).collect()
}

fn class_contradictions(setting: &str, rule: &ClassRule, view: View<'_, '_>, errors: &mut Errors) {
    let namespaces = rule.namespaces.iter().enumerate();
    let lists: Vec<(String, &List)> = std::iter::once((String::new(), &rule.list))
        .chain(namespaces.map(|(at, entry)| (format!(" of `namespaces[{at}]`"), &entry.list)))
        .collect();
    for (key, class) in [("default", &rule.default), ("fallback", &rule.fallback)] {
        for (place, list) in &lists {
            let Some(class) = class.as_deref().filter(|class| !list.accepts(class)) else { continue };
            let what = if matches!(list, List::Deny(_)) { "is denied by `deny`" } else { "is not in `allow`" };
            let text = format!("{} {what}{place}: name a class that claims may have", check::shown(class));
            errors.push(&format!("{setting}.{key}"), text);
        }
    }
    for (at, item) in view.get("namespaces").items().enumerate().filter(|(_, item)| item.is_object()) {
        let path = format!("{setting}.namespaces[{at}]");
        if item.get("names").node.is_none() && item.get("labels").node.is_none() {
            errors.push(&path, "`names` is missing: say which namespaces, by `names`, `labels` or both");
        }
        if item.get("allow").node.is_none() && item.get("deny").node.is_none() {
            errors.push(&path, "says nothing of classes: give it `allow` or `deny`");
        }
    }
}

/// A value that may be missing.
#[derive(Clone, Copy)]
struct View<'t, 's> {
    tree: &'t Tree<'s>,
    node: Option<NodeId>,
}

impl<'t, 's> View<'t, 's> {
    fn get(self, name: &str) -> Self {
        View { tree: self.tree, node: self.node.and_then(|node| self.tree.get(node, name)) }
    }

    fn is_object(self) -> bool {
        self.node.is_some_and(|node| self.tree.is_map(node))
    }

    fn is(self, flag: bool) -> bool {
        self.node.is_some_and(|node| self.tree.kind(node) == Kind::Bool(flag))
    }

    fn text(self, name: &str) -> String {
        self.get(name).node.and_then(|node| self.tree.str(node)).unwrap_or_default().to_owned()
    }

    fn name(self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    fn rule(self) -> Rule {
        let warn = match self.text("mode").as_str() {
            "warn" => Some(true),
            "enforce" => Some(false),
            _ => None,
        };
        Rule { warn, message: self.name("message") }
    }

    fn items(self) -> impl Iterator<Item = View<'t, 's>> {
        let items = self.node.map_or(&[][..], |node| self.tree.items(node));
        items.iter().map(move |&node| View { tree: self.tree, node: Some(node) })
    }

    fn texts(self) -> Vec<String> {
        self.items().filter_map(|item| item.node.and_then(|node| self.tree.str(node))).map(str::to_owned).collect()
    }

    fn list(self) -> List {
        if self.get("allow").node.is_some() {
            List::Allow(self.get("allow").texts())
        } else if self.get("deny").node.is_some() {
            List::Deny(self.get("deny").texts())
        } else {
            List::Any
        }
    }

    fn node_rule(self) -> NodeRule {
        NodeRule {
            required: self.get("required").is(true),
            must_select: self.get("mustSelect").items().map(View::described).collect(),
            must_not_select: self.get("mustNotSelect").items().map(View::described).collect(),
        }
    }

    fn described(self) -> Node {
        Node { name: self.text("name"), labels: self.labels() }
    }

    /// The labels in its member of that name.
    fn labels(self) -> Labels {
        let entries = self.get("labels").node.map_or(&[][..], |node| self.tree.entries(node));
        let label = |entry: &Entry| Some((self.tree.text(entry.key).to_owned(), self.tree.str(entry.value)?.to_owned()));
        entries.iter().filter_map(label).collect()
    }

    fn classes(self) -> ClassRule {
        let of_namespaces =
            |item: View<'_, '_>| NamespaceClasses { names: item.get("names").texts(), labels: item.labels(), list: item.list() };
        ClassRule {
            list: self.list(),
            namespaces: self.get("namespaces").items().map(of_namespaces).collect(),
            default: self.name("default"),
            fallback: self.name("fallback"),
        }
    }

    /// The gates of the release with the given values, or why they cannot be set. An unknown gate is reported elsewhere.
    fn gates(self) -> Option<Result<Gates, String>> {
        let entries = self.get("gates").node.map_or(&[][..], |node| self.tree.entries(node));
        let gate = |entry: &Entry| match self.tree.kind(entry.value) {
            Kind::Bool(on) => Some((self.tree.text(entry.key), on)),
            _ => None,
        };
        let mut set = entries.iter().filter_map(gate).filter(|(name, _)| Gate::named(name).is_some()).peekable();
        let release = Release::parse(&self.text("release")).filter(|_| set.peek().is_some())?;
        Some(Gates::with(release, set))
    }

    fn count(self, name: &str) -> Option<usize> {
        self.get(name).node.and_then(|node| check::count(self.tree, node))
    }
}
