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
    pub limits: ByNamespace<ClaimLimits>,
    /// Taints that requests may tolerate.
    pub tolerations: ByNamespace<TaintList>,
    /// Whether claims and templates may have CEL.
    pub claim_expressions: ByNamespace<ExpressionRule>,
    /// Whether classes may have CEL.
    pub class_expressions: ExpressionRule,
    /// Opaque parameters of claims.
    pub opaque_parameters: ByNamespace<ParameterRules>,
    /// Names of extended resources that classes may take.
    pub extended_resource_names: NameList,
    /// The taint rules that must select devices.
    pub taint_selector: Option<TaintPattern>,
    /// Taints that taint rules may set.
    pub rule_taints: TaintList,
    /// Taints that the devices of slices may have.
    pub slice_taints: TaintList,
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
    pub pods: ByNamespace<PodRule>,
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
        let (default, fallback) = (self.default.as_ref(), self.fallback.as_ref());
        for entry in self
            .namespaces
            .iter()
            .filter(|entry| entry.names.is_empty() || pattern::any(&entry.names, namespace.name))
        {
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

/// A rule, and others in its place for certain namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByNamespace<T> {
    pub rest: T,
    /// The first that fits counts.
    pub entries: Vec<NamespaceRule<T>>,
}

/// A rule for certain namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceRule<T> {
    /// Patterns of names; none: any name.
    pub names: Vec<String>,
    /// Labels that the namespace must have.
    pub labels: Labels,
    pub rule: T,
}

impl<T: Default + PartialEq> ByNamespace<T> {
    /// Returns true if there is a rule for any namespace.
    pub fn decides(&self) -> bool {
        !self.entries.is_empty() || self.rest != T::default()
    }

    /// Returns the rule for all namespaces, then those for certain ones.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.rest).chain(self.entries.iter().map(|entry| &entry.rule))
    }

    /// Returns what applies in a namespace. `None`: the labels that decide are not asked for, because an update changes nothing.
    ///
    /// # Errors
    /// Why the labels that decide are not known.
    pub fn of<'n>(&self, namespace: Namespace<'n>) -> Result<Option<&T>, &'n str> {
        for entry in self
            .entries
            .iter()
            .filter(|entry| entry.names.is_empty() || pattern::any(&entry.names, namespace.name))
        {
            match namespace.has_for_change(&entry.labels) {
                Has::Yes => return Ok(Some(&entry.rule)),
                Has::No => {}
                Has::Unasked => return Ok(None),
                Has::Failed(problem) => return Err(problem),
            }
        }
        Ok(Some(&self.rest))
    }

    /// Returns true if labels decide which rule applies.
    pub fn asks_for_labels(&self) -> bool {
        self.entries.iter().any(|entry| !entry.labels.is_empty())
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
    /// Limits of several requests together; every one counts.
    pub sums: Vec<SumLimit>,
}

/// A limit of what several requests ask for together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumLimit {
    pub of: SumOf,
    /// Patterns of the classes that are counted; none: all.
    pub classes: Vec<String>,
    pub max_count: Option<usize>,
    /// The largest capacities, by name.
    pub max_capacity: Vec<(String, String)>,
}

/// The requests that are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumOf {
    Claim,
    Pod,
    Namespace,
}

impl SumOf {
    /// The words of the settings.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "claim" => Some(SumOf::Claim),
            "pod" => Some(SumOf::Pod),
            "namespace" => Some(SumOf::Namespace),
            _ => None,
        }
    }
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

    /// Returns the limits of sums of one kind.
    pub fn sums_of(&self, of: SumOf) -> impl Iterator<Item = &SumLimit> {
        self.sums.iter().filter(move |sum| sum.of == of)
    }
}

/// A list of accepted or refused taints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TaintList {
    #[default]
    Any,
    /// Accepts what stays within one of the entries.
    Allow(Vec<Taints>),
    /// Refuses what has to do with one of the entries.
    Deny(Vec<Taints>),
}

impl TaintList {
    /// Returns true if tolerations with this key and effect are accepted.
    pub fn accepts_toleration(&self, key: &str, effect: &str) -> bool {
        match self {
            TaintList::Any => true,
            TaintList::Allow(list) => list.iter().any(|taints| taints.contain(key, effect)),
            TaintList::Deny(list) => !list.iter().any(|taints| taints.meet(key, effect)),
        }
    }

    /// Returns true if a taint of a driver's devices is accepted.
    pub fn accepts_taint(&self, driver: &str, key: &str, effect: &str) -> bool {
        match self {
            TaintList::Any => true,
            TaintList::Allow(list) => list.iter().any(|taints| taints.are(driver, key, effect)),
            TaintList::Deny(list) => !list.iter().any(|taints| taints.are(driver, key, effect)),
        }
    }
}

/// Taints by driver, key and effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taints {
    /// A pattern of drivers; empty for any.
    pub driver: String,
    /// A pattern of keys.
    pub key: String,
    /// Empty for any effect.
    pub effect: String,
}

impl Taints {
    /// Returns true if this row covers every taint that a toleration with this key and effect tolerates.
    fn contain(&self, key: &str, effect: &str) -> bool {
        let keys = if key.is_empty() {
            self.key == "*"
        } else {
            pattern::matches(&self.key, key)
        };
        keys && (self.effect.is_empty() || self.effect == effect)
    }

    /// Returns true if this row and a toleration with this key and effect have a taint in common.
    fn meet(&self, key: &str, effect: &str) -> bool {
        let keys = key.is_empty() || pattern::matches(&self.key, key);
        keys && (self.effect.is_empty() || effect.is_empty() || self.effect == effect)
    }

    /// Returns true if a taint is one of these.
    fn are(&self, driver: &str, key: &str, effect: &str) -> bool {
        (self.driver.is_empty() || pattern::matches(&self.driver, driver))
            && pattern::matches(&self.key, key)
            && (self.effect.is_empty() || self.effect == effect)
    }
}

/// Whether CEL is accepted somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpressionRule {
    #[default]
    Accepted,
    Denied,
}

/// What opaque parameters may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterRules {
    /// Drivers for which there may be parameters.
    pub list: NameList,
    /// What the parameters must be like; every rule counts.
    pub rules: Vec<ParameterRule>,
}

/// A rule for the parameters of certain drivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterRule {
    /// A pattern of drivers.
    pub driver: String,
    /// CEL about `parameters`.
    pub expression: String,
    /// The reason against parameters that do not meet it; `None`: the expression.
    pub message: Option<String>,
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
    /// No two classes may have the same extended resource.
    pub unique_extended_resource_names: bool,
    /// Classes of allocated claims may not change.
    pub keep_used_classes: bool,
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
        matches!(self, NameList::Deny(patterns) if patterns.iter().any(|text| pattern::matches_all(text)))
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
            self.asks_for_labels_of_change()
        }
    }

    /// Returns the first setting that needs labels for whatever an update changes.
    pub fn asks_for_labels_of_change(&self) -> Option<&'static str> {
        let asking = [
            ("limits.namespaces[].labels", self.limits.asks_for_labels()),
            (
                "tolerations.namespaces[].labels",
                self.tolerations.asks_for_labels(),
            ),
            (
                "selectors.namespaces[].labels",
                self.claim_expressions.asks_for_labels(),
            ),
            (
                "opaqueParameters.namespaces[].labels",
                self.opaque_parameters.asks_for_labels(),
            ),
            ("pods.namespaces[].labels", self.pods.asks_for_labels()),
        ];
        let first = asking.into_iter().find(|(_, asks)| *asks);
        first.map(|(setting, _)| setting)
    }

    /// Returns true if requests are summed up that are not in one object.
    pub fn sums(&self, of: SumOf) -> bool {
        self.limits
            .all()
            .any(|limits| limits.sums_of(of).next().is_some())
    }

    /// Returns true if the settings change objects: an API server asks such a policy before it validates.
    pub fn changes_objects(&self) -> bool {
        fills_in_classes(&self.device_classes)
            || fills_in_classes(&self.resource_classes)
            || self.default_mode.is_some()
            || self.fallback_mode.is_some()
    }

    /// Returns the first setting that needs a host with access to the cluster.
    pub fn asks_cluster(&self) -> Option<&'static str> {
        if self.cluster != ClusterRule::default() {
            Some("cluster")
        } else if self.sums(SumOf::Pod) || self.sums(SumOf::Namespace) {
            Some("limits.sums[].of")
        } else {
            None
        }
    }
}

fn fills_in_classes(rule: &ClassRule) -> bool {
    let entry = |entry: &NamespaceClasses| entry.default.is_some() || entry.fallback.is_some();
    rule.default.is_some() || rule.fallback.is_some() || rule.namespaces.iter().any(entry)
}
