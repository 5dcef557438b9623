//! The settings of the policy, typed. Everything is optional; empty settings mean strict validation and nothing else.

use crate::api::Release;
use crate::policy::check::{self, Errors, below};
use crate::policy::keys::{SETTINGS, Shape};
use crate::policy::pattern;
use crate::text::tree::{Kind, NodeId, Tree};

/// What a policy asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Accept and warn instead of refusing.
    pub warn: bool,
    /// Leave the API server's own rules alone.
    pub validation_off: bool,
    /// Warn where the API server's own rules are not met.
    pub validation_warns: bool,
    /// `mode` and `message` of a setting, by its name.
    pub rules: Vec<(&'static str, Rule)>,
    /// The release whose rules apply.
    pub release: Option<Release>,
    /// Versions, without the group.
    pub api_versions: List,
    /// Resource classes.
    pub resource_classes: List,
    /// Patterns of namespaces, and which classes their claims may name in place of `resource_classes`.
    pub classes_of_namespaces: Vec<(Vec<String>, List)>,
    /// The class of a claim that names none.
    pub default_class: Option<String>,
    /// The class put in place of one that is not allowed.
    pub fallback: Option<String>,
    /// The allocation mode put in place of one that is not allowed.
    pub fallback_mode: Option<String>,
    /// Allocation modes.
    pub allocation_modes: List,
    /// Drivers.
    pub drivers: List,
    /// Claims must have a `parametersRef`.
    pub parameters_required: bool,
    /// What `parametersRef` may name; patterns for group and kind.
    pub parameters: GroupKinds,
    /// `suitableNodes` of classes.
    pub suitable_nodes: NodeRule,
    /// `availableOnNodes` of allocations.
    pub available_on_nodes: NodeRule,
    /// Nothing may be shareable.
    pub shareable_denied: bool,
    /// Claims of pods.
    pub pods: PodRule,
    /// Users that are not looked at.
    pub exempt_usernames: Vec<String>,
    /// Groups of users that are not looked at.
    pub exempt_groups: Vec<String>,
    /// Namespaces that are not looked at.
    pub exempt_namespaces: Vec<String>,
}

/// How a setting acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// It warns, or it refuses; `None`: as the whole policy does.
    pub warn: Option<bool>,
    /// What users read after the reason.
    pub message: Option<String>,
}

/// What pods may say about claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodRule {
    /// Claims by name.
    pub claims: List,
    /// Claim templates.
    pub templates: List,
    /// How many.
    pub max_claims: Option<usize>,
    /// Defined and used names must be the same.
    pub names_match: bool,
}

/// Settings that have `mode` and `message`.
const RULES: [&str; 9] = [
    "apiVersions",
    "resourceClasses",
    "allocationModes",
    "drivers",
    "parametersRef",
    "suitableNodes",
    "availableOnNodes",
    "shareable",
    "pods",
];

/// Which names are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum List {
    /// All.
    #[default]
    Any,
    /// Those that match one of the patterns.
    Allow(Vec<String>),
    /// Those that match none of the patterns.
    Deny(Vec<String>),
}

impl List {
    /// Is the name accepted?
    pub fn accepts(&self, name: &str) -> bool {
        match self {
            List::Any => true,
            List::Allow(patterns) => pattern::any(patterns, name),
            List::Deny(patterns) => !pattern::any(patterns, name),
        }
    }
}

/// Which kinds are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GroupKinds {
    /// All.
    #[default]
    Any,
    /// Those that match one.
    Allow(Vec<GroupKind>),
    /// Those that match none.
    Deny(Vec<GroupKind>),
}

/// A pattern for a group and one for a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKind {
    /// Empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

impl GroupKind {
    /// Is this the kind?
    pub fn matches(&self, group: &str, kind: &str) -> bool {
        pattern::matches(&self.group, group) && pattern::matches(&self.kind, kind)
    }
}

/// What a node selector must and must not select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRule {
    /// There must be a selector.
    pub required: bool,
    /// Nodes it must select.
    pub must_select: Vec<Node>,
    /// Nodes it must not select.
    pub must_not_select: Vec<Node>,
}

/// A node as the settings describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Empty if only labels are given.
    pub name: String,
    /// In the order given.
    pub labels: Vec<(String, String)>,
}

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

    /// Whether what a setting does not accept is a warning.
    pub fn warns(&self, setting: &str) -> bool {
        let warn = self.rule(setting).and_then(|rule| rule.warn);
        warn.unwrap_or(self.warn || (setting == "validation" && self.validation_warns))
    }

    /// Whether any setting warns in place of refusing.
    pub fn any_warns(&self) -> bool {
        self.warn || self.validation_warns || self.rules.iter().any(|(_, rule)| rule.warn == Some(true))
    }

    /// `mode` and `message` of a setting.
    pub fn rule(&self, setting: &str) -> Option<&Rule> {
        self.rules.iter().find(|(name, _)| *name == setting).map(|(_, rule)| rule)
    }

    /// The classes that claims of a namespace may name.
    pub fn classes_in(&self, namespace: &str) -> &List {
        let own = self.classes_of_namespaces.iter().find(|(names, _)| pattern::any(names, namespace));
        own.map_or(&self.resource_classes, |(_, list)| list)
    }

    /// What stands there, as far as it is well formed.
    fn of(view: View<'_, '_>) -> Self {
        let versions = |patterns: Vec<String>| patterns.iter().map(|text| check::version(text).to_owned()).collect();
        let parameters = view.get("parametersRef");
        let group_kinds = |view: View<'_, '_>| -> Vec<GroupKind> {
            view.items().map(|item| GroupKind { group: item.text("apiGroup"), kind: item.text("kind") }).collect()
        };
        Settings {
            warn: view.text("mode") == "warn",
            validation_off: view.text("validation") == "off" || view.get("validation").is(false),
            validation_warns: view.text("validation") == "warn",
            rules: RULES.iter().map(|name| (*name, view.get(name).rule())).filter(|(_, rule)| *rule != Rule::default()).collect(),
            release: Release::parse(&view.text("release")),
            api_versions: match view.get("apiVersions").list() {
                List::Any => List::Any,
                List::Allow(patterns) => List::Allow(versions(patterns)),
                List::Deny(patterns) => List::Deny(versions(patterns)),
            },
            resource_classes: view.get("resourceClasses").list(),
            fallback: view.get("resourceClasses").name("fallback"),
            classes_of_namespaces: {
                let entries = view.get("resourceClasses").get("namespaces");
                entries.items().map(|item| (item.get("names").texts(), item.list())).collect()
            },
            default_class: view.get("resourceClasses").name("default"),
            allocation_modes: view.get("allocationModes").list(),
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
                    max_claims: pods.get("maxClaims").node.and_then(|node| check::count(pods.tree, node)),
                    names_match: pods.get("namesMatch").is(true),
                }
            },
            exempt_usernames: view.get("exempt").get("usernames").texts(),
            exempt_groups: view.get("exempt").get("groups").texts(),
            exempt_namespaces: view.get("exempt").get("namespaces").texts(),
        }
    }

    /// Settings that cannot all be meant, and pieces that say too little.
    fn contradictions(&self, view: View<'_, '_>, errors: &mut Errors) {
        let namespaces = self.classes_of_namespaces.iter().enumerate();
        let lists: Vec<(String, &List)> = std::iter::once((String::new(), &self.resource_classes))
            .chain(namespaces.map(|(at, (_, list))| (format!(" of `namespaces[{at}]`"), list)))
            .collect();
        for (key, class) in [("default", &self.default_class), ("fallback", &self.fallback)] {
            for (place, list) in &lists {
                let Some(class) = class.as_deref().filter(|class| !list.accepts(class)) else { continue };
                let what = if matches!(list, List::Deny(_)) { "is denied by `deny`" } else { "is not in `allow`" };
                let text = format!("{} {what}{place}: name a class that claims may have", check::shown(class));
                errors.push(&format!("resourceClasses.{key}"), text);
            }
        }
        if let Some(mode) = self.fallback_mode.as_deref().filter(|mode| !self.allocation_modes.accepts(mode)) {
            let text = format!("{} is not accepted itself: name a mode that claims may have", check::shown(mode));
            errors.push("allocationModes.fallback", text);
        }
        for (at, item) in view.get("resourceClasses").get("namespaces").items().enumerate().filter(|(_, item)| item.is_object()) {
            let path = format!("resourceClasses.namespaces[{at}]");
            if item.get("names").node.is_none() {
                errors.push(&path, "`names` is missing: say which namespaces");
            }
            if item.get("allow").node.is_none() && item.get("deny").node.is_none() {
                errors.push(&path, "says nothing of classes: give it `allow` or `deny`");
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
        let labels = self.get("labels");
        let entries = labels.node.map_or(&[][..], |node| self.tree.entries(node));
        Node {
            name: self.text("name"),
            labels: entries
                .iter()
                .filter_map(|entry| Some((self.tree.text(entry.key).to_owned(), self.tree.str(entry.value)?.to_owned())))
                .collect(),
        }
    }
}
