//! The settings of the policy, typed. Everything is optional; empty settings mean strict validation and nothing else.

use crate::policy::cluster::Labels;
use crate::policy::namespace::{Has, Namespace};
use crate::policy::pattern;
use claimkit_model::schema::{Gates, Release};
use std::borrow::Cow;

/// The rules of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Accept and warn instead of refusing.
    pub warn: bool,
    /// The effect of the API server's own rules; `None`: it depends on whether a server has applied them already.
    pub validation: Option<ValidationMode>,
    /// `mode` and `message` of a setting, by its name.
    pub rules: Vec<(&'static str, SettingRule)>,
    /// The release whose rules apply.
    pub release: Option<Release>,
    /// The release's feature gates; `None`: its defaults.
    pub gates: Option<Gates>,
    /// Versions, without the group.
    pub api_versions: NameList,
    /// Versions that the server calls deprecated are refused.
    pub deprecated_denied: bool,
    pub device_classes: ClassRule,
    pub resource_classes: ClassRule,
    pub allocation_modes: NameList,
    /// The allocation mode of a claim that has none or the server's own default.
    pub default_mode: Option<String>,
    /// The allocation mode that replaces a mode that is not allowed.
    pub fallback_mode: Option<String>,
    /// Admin access to devices.
    pub admin_access: AdminRule,
    /// How much claims may ask for.
    pub limits: ClaimLimits,
    /// Taints that requests may tolerate.
    pub tolerations: Tolerations,
    /// Places where CEL is not accepted.
    pub expressions: Expressions,
    /// Drivers for which claims may have opaque parameters.
    pub opaque_parameters: NameList,
    /// Names of extended resources that classes may take.
    pub extended_resource_names: NameList,
    /// The taint rules that must select devices.
    pub taint_selector: Option<TaintPattern>,
    pub drivers: NameList,
    /// Claims must have a `parametersRef`.
    pub parameters_required: bool,
    /// The group and kind that `parametersRef` may name, as patterns.
    pub parameters: GroupKinds,
    /// `suitableNodes` of classes.
    pub suitable_nodes: NodeRule,
    /// `availableOnNodes` and `nodeSelector` of allocations.
    pub available_on_nodes: NodeRule,
    /// Nothing may be shareable.
    pub shareable_denied: bool,
    pub pods: PodRule,
    /// The lookups in the cluster.
    pub cluster: ClusterRule,
    /// Requests that no setting judges.
    pub exempt: Exemptions,
}

/// The effect of the API server's own rules on an object that does not meet them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationMode {
    /// The object is refused.
    Strict,
    /// It is accepted with warnings.
    Warn,
    /// The rules are not applied.
    Off,
}

/// The action of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingRule {
    /// Whether it warns or refuses; `None`: like the whole policy.
    pub warn: Option<bool>,
    /// Text shown to users after the reason.
    pub message: Option<String>,
    /// Requests that the setting does not judge.
    pub exempt: Exemptions,
}

/// Requests that are not judged, by patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    pub usernames: Vec<String>,
    pub groups: Vec<String>,
    pub namespaces: Vec<String>,
}

/// The allowed classes, and the default and fallback classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRule {
    pub list: NameList,
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
    pub list: NameList,
    /// The class of a claim that names none; `None`: that of the whole rule.
    pub default: Option<String>,
    /// The class that replaces a class that is not allowed; `None`: that of the whole rule.
    pub fallback: Option<String>,
}

/// The part of a rule that applies to the claims of a namespace.
#[derive(Clone, Copy, Debug)]
pub struct Applies<'s> {
    pub list: &'s NameList,
    /// The class of a claim that names none.
    pub default: Option<&'s String>,
    /// The class that replaces a class that is not allowed.
    pub fallback: Option<&'s String>,
}

impl ClassRule {
    /// Returns true if nothing but the list of all namespaces decides.
    pub fn decides_by_list_alone(&self) -> bool {
        self.namespaces.is_empty() && self.default.is_none() && self.fallback.is_none()
    }

    /// Returns what applies to claims of a namespace, to judge `class` by. Any class is accepted where labels would decide that are
    /// not asked for: the stored object of an update names the class already.
    ///
    /// # Errors
    /// Why the labels that decide are not known.
    pub fn of<'n>(&self, namespace: Namespace<'n>, class: &str) -> Result<Applies<'_>, &'n str> {
        let named = |entry: &&NamespaceClasses| {
            entry.names.is_empty() || pattern::any(&entry.names, namespace.name)
        };
        let (default, fallback) = (self.default.as_ref(), self.fallback.as_ref());
        for entry in self.namespaces.iter().filter(named) {
            match namespace.has_for_class(&entry.labels, class) {
                Has::Yes => {
                    let (default, fallback) = (
                        entry.default.as_ref().or(default),
                        entry.fallback.as_ref().or(fallback),
                    );
                    return Ok(Applies {
                        list: &entry.list,
                        default,
                        fallback,
                    });
                }
                Has::No => {}
                Has::Unasked => {
                    return Ok(Applies {
                        list: &NameList::Any,
                        default: None,
                        fallback: None,
                    });
                }
                Has::Failed(problem) => return Err(problem),
            }
        }
        Ok(self.elsewhere())
    }

    /// Returns what applies where no entry matches the namespace.
    pub fn elsewhere(&self) -> Applies<'_> {
        Applies {
            list: &self.list,
            default: self.default.as_ref(),
            fallback: self.fallback.as_ref(),
        }
    }
}

/// Upper bounds for the claims of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimLimits {
    /// How many requests a claim may have.
    pub max_requests: Option<usize>,
    /// The limits of a request for devices of any class without an entry.
    pub rest: RequestLimits,
    /// The limits of requests for certain classes; the first entry that matches the class counts.
    pub classes: Vec<ClassLimits>,
}

/// Limits of requests for certain classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassLimits {
    /// Patterns of the classes.
    pub names: Vec<String>,
    pub limits: RequestLimits,
}

/// Limits of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestLimits {
    pub max_count: Option<usize>,
    /// Whether all devices may be asked for; by default where there is no `max_count`.
    pub all_devices: Option<bool>,
    /// The largest capacities, by name.
    pub max_capacity: Vec<(String, String)>,
}

impl ClaimLimits {
    /// Returns the limits of requests for a class.
    pub fn of(&self, class: &str) -> &RequestLimits {
        let entry = self
            .classes
            .iter()
            .find(|entry| pattern::any(&entry.names, class));
        entry.map_or(&self.rest, |entry| &entry.limits)
    }
}

/// A list of accepted or refused tolerations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tolerations {
    #[default]
    Any,
    /// Accepts tolerations that stay within one of the entries.
    Allow(Vec<Taints>),
    /// Refuses tolerations of a taint of the entries.
    Deny(Vec<Taints>),
}

/// Taints by key and effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taints {
    /// A pattern of keys.
    pub key: String,
    /// Empty for any effect.
    pub effect: String,
}

impl Taints {
    /// Returns true if this row covers every taint that a toleration with this key and effect tolerates.
    pub fn contain(&self, key: &str, effect: &str) -> bool {
        let keys = if key.is_empty() {
            self.key == "*"
        } else {
            pattern::matches(&self.key, key)
        };
        keys && (self.effect.is_empty() || self.effect == effect)
    }

    /// Returns true if this row and a toleration with this key and effect have a taint in common.
    pub fn meet(&self, key: &str, effect: &str) -> bool {
        let keys = key.is_empty() || pattern::matches(&self.key, key);
        keys && (self.effect.is_empty() || effect.is_empty() || self.effect == effect)
    }
}

/// Places where CEL is not accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expressions {
    /// In claims and templates.
    pub denied_in_claims: bool,
    pub denied_in_classes: bool,
}

/// Namespaces in which admin access is accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminRule {
    /// Whether the rule applies only to the objects that its other fields name.
    pub limited: bool,
    pub namespaces: Vec<String>,
    pub labels: Labels,
}

/// The taint rules that must select devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintPattern {
    /// Rules that evict pods.
    NoExecute,
    Always,
}

/// The lookups in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterRule {
    /// Classes that are named must exist.
    pub class_exists: bool,
    /// How many claims a namespace may have.
    pub max_claims: Option<usize>,
    /// The claims and templates that pods name are judged by their classes.
    pub pod_classes: bool,
}

/// The rules for claims of pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodRule {
    pub claims: NameList,
    pub templates: NameList,
    /// Extended resources of containers.
    pub extended_resources: NameList,
    pub max_claims: Option<usize>,
    /// Defined and used names must be the same.
    pub names_match: bool,
}

/// A list of accepted or refused names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameList {
    #[default]
    Any,
    /// Accepts names that match one of the patterns.
    Allow(Vec<String>),
    /// Accepts names that match none of the patterns.
    Deny(Vec<String>),
}

impl NameList {
    /// Checks whether no name at all is accepted.
    pub fn accepts_none(&self) -> bool {
        matches!(self, NameList::Deny(patterns) if patterns.iter().any(|pattern| !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'*')))
    }

    /// Returns true if the name is accepted.
    pub fn accepts(&self, name: &str) -> bool {
        match self {
            NameList::Any => true,
            NameList::Allow(patterns) => pattern::any(patterns, name),
            NameList::Deny(patterns) => !pattern::any(patterns, name),
        }
    }
}

/// A list of accepted or refused kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GroupKinds {
    #[default]
    Any,
    /// Accepts kinds that match one of the patterns.
    Allow(Vec<GroupKind>),
    /// Accepts kinds that match none of the patterns.
    Deny(Vec<GroupKind>),
}

/// A pattern for a group and one for a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKind {
    /// Empty for the core group.
    pub group: String,
    pub kind: String,
}

impl GroupKind {
    /// Returns true if the rule is for this kind.
    pub fn matches(&self, group: &str, kind: &str) -> bool {
        pattern::matches(&self.group, group) && pattern::matches(&self.kind, kind)
    }
}

/// The nodes that a node selector must and must not select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRule {
    /// There must be a selector.
    pub required: bool,
    /// Nodes it must select.
    pub must_select: Vec<SettingsNode>,
    /// Nodes it must not select.
    pub must_not_select: Vec<SettingsNode>,
}

/// A node as the settings describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsNode {
    /// Empty if only labels are given.
    pub name: String,
    /// In the order given.
    pub labels: Labels,
}

impl Settings {
    /// Returns true if a violation of the setting is only a warning.
    pub fn warns(&self, setting: &str) -> bool {
        let warn = self.rule(setting).and_then(|rule| rule.warn);
        let validation = setting == "validation" && self.validation == Some(ValidationMode::Warn);
        warn.unwrap_or(self.warn || validation)
    }

    /// Returns true if any setting warns in place of refusing.
    pub fn any_warns(&self) -> bool {
        self.warn
            || self.validation == Some(ValidationMode::Warn)
            || self.rules.iter().any(|(_, rule)| rule.warn == Some(true))
    }

    /// Returns `mode` and `message` of a setting.
    pub fn rule(&self, setting: &str) -> Option<&SettingRule> {
        self.rules
            .iter()
            .find(|(name, _)| *name == setting)
            .map(|(_, rule)| rule)
    }

    /// Returns the settings with those only warning that exempt a request, and the names of these.
    pub fn with_exemptions(
        &self,
        exempts: impl Fn(&Exemptions) -> bool,
    ) -> (Cow<'_, Settings>, Vec<&'static str>) {
        let exempting = self.rules.iter().filter(|(_, rule)| exempts(&rule.exempt));
        let names: Vec<&'static str> = exempting.map(|(name, _)| *name).collect();
        if names.is_empty() {
            return (Cow::Borrowed(self), names);
        }
        let mut settings = self.clone();
        for (name, rule) in &mut settings.rules {
            if names.contains(name) {
                rule.warn = Some(true);
            }
        }
        (Cow::Owned(settings), names)
    }

    /// Returns the first setting that needs the labels of namespaces.
    pub fn asks_for_labels(&self) -> Option<&'static str> {
        let by_labels =
            |rule: &ClassRule| rule.namespaces.iter().any(|entry| !entry.labels.is_empty());
        if !self.admin_access.labels.is_empty() {
            Some("adminAccess.labels")
        } else if by_labels(&self.device_classes) {
            Some("deviceClasses.namespaces[].labels")
        } else if by_labels(&self.resource_classes) {
            Some("resourceClasses.namespaces[].labels")
        } else {
            None
        }
    }

    /// Returns true if the settings change objects: an API server asks such a policy before it validates.
    pub fn changes_objects(&self) -> bool {
        let changes = |rule: &ClassRule| {
            let entry =
                |entry: &NamespaceClasses| entry.default.is_some() || entry.fallback.is_some();
            rule.default.is_some() || rule.fallback.is_some() || rule.namespaces.iter().any(entry)
        };
        changes(&self.device_classes)
            || changes(&self.resource_classes)
            || self.default_mode.is_some()
            || self.fallback_mode.is_some()
    }

    /// Returns the first setting that needs a host with access to the cluster.
    pub fn asks_cluster(&self) -> Option<&'static str> {
        let cluster = &self.cluster;
        (cluster.class_exists || cluster.pod_classes || cluster.max_claims.is_some())
            .then_some("cluster")
    }
}
