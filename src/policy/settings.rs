//! The settings of the policy, typed. Everything is optional; empty settings mean strict validation and nothing else.

use crate::api::{Gates, Release};
use crate::policy::pattern;

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
    /// The release's feature gates; `None`: its defaults.
    pub gates: Option<Gates>,
    /// Versions, without the group.
    pub api_versions: List,
    /// Versions that the server calls deprecated are refused.
    pub deprecated_denied: bool,
    /// Device classes.
    pub device_classes: ClassRule,
    /// Resource classes.
    pub resource_classes: ClassRule,
    /// Allocation modes.
    pub allocation_modes: List,
    /// The allocation mode of a claim that has none or the server's own default.
    pub default_mode: Option<String>,
    /// The allocation mode that replaces a mode that is not allowed.
    pub fallback_mode: Option<String>,
    /// Admin access to devices.
    pub admin_access: AdminRule,
    /// Which taint rules must select devices.
    pub taint_selector: Option<TaintSelector>,
    /// Drivers.
    pub drivers: List,
    /// Claims must have a `parametersRef`.
    pub parameters_required: bool,
    /// What `parametersRef` may name; patterns for group and kind.
    pub parameters: GroupKinds,
    /// `suitableNodes` of classes.
    pub suitable_nodes: NodeRule,
    /// `availableOnNodes` and `nodeSelector` of allocations.
    pub available_on_nodes: NodeRule,
    /// Nothing may be shareable.
    pub shareable_denied: bool,
    /// Claims of pods.
    pub pods: PodRule,
    /// What the cluster is asked for.
    pub cluster: ClusterRule,
    /// Users whose requests are exempt.
    pub exempt_usernames: Vec<String>,
    /// Groups whose requests are exempt.
    pub exempt_groups: Vec<String>,
    /// Namespaces whose requests are exempt.
    pub exempt_namespaces: Vec<String>,
}

/// Keys and values, in the order given.
pub type Labels = Vec<(String, String)>;

/// How a setting acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Whether it warns or refuses; `None`: like the whole policy.
    pub warn: Option<bool>,
    /// Text shown to users after the reason.
    pub message: Option<String>,
}

/// The allowed classes, and the default and fallback classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRule {
    /// Everywhere else.
    pub list: List,
    /// In certain namespaces; the first that fits counts.
    pub namespaces: Vec<NamespaceClasses>,
    /// The class of a claim that names none.
    pub default: Option<String>,
    /// The class that replaces a class that is not allowed.
    pub fallback: Option<String>,
}

/// Classes of certain namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceClasses {
    /// Patterns of names; none: any name.
    pub names: Vec<String>,
    /// Labels that the namespace must have.
    pub labels: Labels,
    /// The classes.
    pub list: List,
}

/// The namespace of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Namespace<'r> {
    /// Empty for objects of the cluster.
    pub name: &'r str,
    /// Its labels; empty where the settings do not ask for any, `None` where the cluster could not be asked.
    pub labels: Option<&'r [(String, String)]>,
}

impl Namespace<'_> {
    /// Does it have all of these labels? `None`: nobody knows.
    pub fn has(self, labels: &Labels) -> Option<bool> {
        if labels.is_empty() {
            return Some(true);
        }
        self.labels.map(|known| labels.iter().all(|label| known.contains(label)))
    }
}

impl ClassRule {
    /// The classes that claims of a namespace may name: any where it is not known which entry is the namespace's.
    pub fn of(&self, namespace: Namespace<'_>) -> &List {
        let named = |entry: &&NamespaceClasses| entry.names.is_empty() || pattern::any(&entry.names, namespace.name);
        for entry in self.namespaces.iter().filter(named) {
            match namespace.has(&entry.labels) {
                Some(true) => return &entry.list,
                Some(false) => {}
                None => return &List::Any,
            }
        }
        &self.list
    }
}

/// Where admin access may be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminRule {
    /// Only where the rest of the rule says.
    pub limited: bool,
    /// Patterns of namespaces.
    pub namespaces: Vec<String>,
    /// Labels of namespaces.
    pub labels: Labels,
}

/// Which taint rules must select devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintSelector {
    /// Those that evict pods.
    NoExecute,
    /// All.
    Always,
}

/// What the cluster is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterRule {
    /// Classes that are named must exist.
    pub class_exists: bool,
    /// How many claims a namespace may have.
    pub max_claims: Option<usize>,
    /// The claims and templates that pods name are judged by their classes.
    pub pod_classes: bool,
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
    pub labels: Labels,
}

impl Settings {
    /// True if a violation of the setting is only a warning.
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

    /// Whether the labels of namespaces are asked for.
    pub fn asks_for_labels(&self) -> bool {
        let rules = [&self.device_classes, &self.resource_classes];
        let mut entries = rules.into_iter().flat_map(|rule| &rule.namespaces);
        !self.admin_access.labels.is_empty() || entries.any(|entry| !entry.labels.is_empty())
    }

    /// The first setting that needs a host with access to the cluster.
    pub fn asks_cluster(&self) -> Option<&'static str> {
        let cluster = &self.cluster;
        if cluster.class_exists || cluster.pod_classes || cluster.max_claims.is_some() {
            Some("cluster")
        } else if self.asks_for_labels() {
            Some("labels")
        } else {
            None
        }
    }
}
