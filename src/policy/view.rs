//! The settings as a tree: values that may be missing, and what each says as far as it is well formed.

use crate::policy::check;
use crate::policy::cluster::Labels;
use crate::policy::keys::SettingKey;
use crate::policy::settings::{
    ByNamespace, ClaimLimits, ClassLimits, ClassRule, Exemptions, ExpressionRule, NameList,
    NamespaceClasses, NamespaceRule, NodeRule, ParameterRule, ParameterRules, PodRule,
    RequestLimits, SettingRule, SettingsNode, SumLimit, SumOf, TaintList, Taints,
};
use claimkit_model::message::Message;
use claimkit_model::schema::{Gate, Gates};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// A value that may be missing.
#[derive(Clone, Copy)]
pub(super) struct View<'t, 's> {
    /// The tree of the settings.
    pub(super) tree: &'t Tree<'s>,
    /// Its node, if it is there.
    pub(super) node: Option<NodeId>,
}

impl<'t, 's> View<'t, 's> {
    pub(super) fn get(self, name: &str) -> Self {
        View {
            tree: self.tree,
            node: self.node.and_then(|node| self.tree.get(node, name)),
        }
    }

    /// Returns true if the mapping has a key.
    pub(super) fn has(self, name: &str) -> bool {
        self.get(name).node.is_some()
    }

    /// Returns true if the mapping has a key other than these, which is reported elsewhere.
    pub(super) fn has_unknown(self, keys: &[SettingKey]) -> bool {
        let entries = self.node.map_or(&[][..], |node| self.tree.entries(node));
        entries
            .iter()
            .any(|entry| keys.iter().all(|key| key.name != self.tree.text(entry.key)))
    }

    pub(super) fn is_object(self) -> bool {
        self.node.is_some_and(|node| self.tree.is_map(node))
    }

    pub(super) fn is(self, flag: bool) -> bool {
        self.node
            .is_some_and(|node| self.tree.kind(node) == Kind::Bool(flag))
    }

    pub(super) fn text(self, name: &str) -> String {
        self.get(name)
            .node
            .and_then(|node| self.tree.str(node))
            .unwrap_or_default()
            .to_owned()
    }

    pub(super) fn name(self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    pub(super) fn rule(self) -> SettingRule {
        let warn = match self.text("mode").as_str() {
            "warn" => Some(true),
            "enforce" => Some(false),
            _ => None,
        };
        SettingRule {
            warn,
            message: self.name("message"),
            exempt: self.get("exempt").exemptions(),
        }
    }

    pub(super) fn exemptions(self) -> Exemptions {
        Exemptions {
            usernames: self.get("usernames").texts(),
            groups: self.get("groups").texts(),
            namespaces: self.get("namespaces").texts(),
        }
    }

    pub(super) fn items(self) -> impl Iterator<Item = View<'t, 's>> {
        let items = self.node.map_or(&[][..], |node| self.tree.items(node));
        items.iter().map(move |&node| View {
            tree: self.tree,
            node: Some(node),
        })
    }

    pub(super) fn texts(self) -> Vec<String> {
        self.items()
            .filter_map(|item| item.node.and_then(|node| self.tree.str(node)))
            .map(str::to_owned)
            .collect()
    }

    pub(super) fn list(self) -> NameList {
        if self.has("allow") {
            NameList::Allow(self.get("allow").texts())
        } else if self.has("deny") {
            NameList::Deny(self.get("deny").texts())
        } else {
            NameList::Any
        }
    }

    pub(super) fn node_rule(self) -> NodeRule {
        NodeRule {
            required: self.get("required").is(true),
            must_select: self
                .get("mustSelect")
                .items()
                .map(View::described)
                .collect(),
            must_not_select: self
                .get("mustNotSelect")
                .items()
                .map(View::described)
                .collect(),
        }
    }

    pub(super) fn described(self) -> SettingsNode {
        SettingsNode {
            name: self.text("name"),
            labels: self.labels(),
        }
    }

    /// Returns the labels in its member of that name.
    pub(super) fn labels(self) -> Labels {
        let entries = self
            .get("labels")
            .node
            .map_or(&[][..], |node| self.tree.entries(node));
        entries
            .iter()
            .filter_map(|entry| {
                Some((
                    self.tree.text(entry.key).to_owned(),
                    self.tree.str(entry.value)?.to_owned(),
                ))
            })
            .collect()
    }

    /// Returns a rule and the rules of its `namespaces`, each read by `rule`.
    pub(super) fn by_namespace<T>(self, rule: impl Fn(View<'t, 's>) -> T) -> ByNamespace<T> {
        ByNamespace {
            rest: rule(self),
            entries: self
                .get("namespaces")
                .items()
                .map(|item| NamespaceRule {
                    names: item.get("names").texts(),
                    labels: item.labels(),
                    rule: rule(item),
                })
                .collect(),
        }
    }

    /// Returns the quantities in its member of that name.
    fn quantities(self, name: &str) -> Vec<(String, String)> {
        let entries = self
            .get(name)
            .node
            .map_or(&[][..], |node| self.tree.entries(node));
        entries
            .iter()
            .filter_map(|entry| {
                Some((
                    self.tree.text(entry.key).to_owned(),
                    check::quantity(self.tree, entry.value)?.to_owned(),
                ))
            })
            .collect()
    }

    pub(super) fn request_limits(self) -> RequestLimits {
        RequestLimits {
            max_count: self.count("maxCount"),
            all_devices: match self.text("allDevices").as_str() {
                "allow" => Some(true),
                "deny" => Some(false),
                _ => None,
            },
            max_capacity: self.quantities("maxCapacity"),
        }
    }

    pub(super) fn claim_limits(self) -> ClaimLimits {
        let sum = |item: View<'_, '_>| {
            Some(SumLimit {
                of: SumOf::named(&item.text("of"))?,
                classes: item.get("classes").texts(),
                max_count: item.count("maxCount"),
                max_capacity: item.quantities("maxCapacity"),
            })
        };
        ClaimLimits {
            max_requests: self.count("maxRequests"),
            rest: self.request_limits(),
            classes: self
                .get("classes")
                .items()
                .map(|item| ClassLimits {
                    names: item.get("names").texts(),
                    limits: item.request_limits(),
                })
                .collect(),
            sums: self.get("sums").items().filter_map(sum).collect(),
        }
    }

    pub(super) fn taint_list(self) -> TaintList {
        if self.has("allow") {
            TaintList::Allow(taints_of(self.get("allow")))
        } else if self.has("deny") {
            TaintList::Deny(taints_of(self.get("deny")))
        } else {
            TaintList::Any
        }
    }

    /// Returns what a flag that denies CEL says.
    pub(super) fn expression_rule(self, flag: &str) -> ExpressionRule {
        if self.get(flag).is(true) {
            ExpressionRule::Denied
        } else {
            ExpressionRule::Accepted
        }
    }

    pub(super) fn parameter_rules(self) -> ParameterRules {
        ParameterRules {
            list: self.list(),
            rules: self
                .get("rules")
                .items()
                .map(|item| ParameterRule {
                    driver: item.text("driver"),
                    expression: item.text("expression"),
                    message: item.name("message"),
                })
                .collect(),
        }
    }

    pub(super) fn pod_rule(self) -> PodRule {
        PodRule {
            claims: self.get("claims").list(),
            templates: self.get("templates").list(),
            extended_resources: self.get("extendedResources").list(),
            max_claims: self.count("maxClaims"),
            names_match: self.get("namesMatch").is(true),
        }
    }

    pub(super) fn classes(self) -> ClassRule {
        let of_namespaces = |item: View<'_, '_>| NamespaceClasses {
            names: item.get("names").texts(),
            labels: item.labels(),
            list: item.list(),
            default: item.name("default"),
            fallback: item.name("fallback"),
        };
        ClassRule {
            list: self.list(),
            namespaces: self.get("namespaces").items().map(of_namespaces).collect(),
            default: self.name("default"),
            fallback: self.name("fallback"),
        }
    }

    /// Returns the gates of the release with the given values, or why they cannot be set. An unknown gate is reported elsewhere.
    pub(super) fn gates(self) -> Option<Result<Gates, Message>> {
        let entries = self
            .get("gates")
            .node
            .map_or(&[][..], |node| self.tree.entries(node));
        let mut set = entries
            .iter()
            .filter_map(|entry| match self.tree.kind(entry.value) {
                Kind::Bool(on) => Some((self.tree.text(entry.key), on)),
                _ => None,
            })
            .filter(|(name, _)| Gate::named(name).is_some())
            .peekable();
        let release = check::release(&self.text("release")).filter(|_| set.peek().is_some())?;
        Some(Gates::with(release, set))
    }

    pub(super) fn count(self, name: &str) -> Option<usize> {
        self.get(name)
            .node
            .and_then(|node| check::count(self.tree, node))
    }
}

fn taints_of(list: View<'_, '_>) -> Vec<Taints> {
    list.items()
        .map(|item| Taints {
            driver: item.text("driver"),
            key: item.text("key"),
            effect: item.text("effect"),
        })
        .collect::<Vec<Taints>>()
}
