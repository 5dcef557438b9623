//! Label selectors of pods, services and workloads, and the pods that they select.

use crate::allocator::objects::{Facts, LabelSelector, Meta, Pod, PodAffinityTerm};
use crate::allocator::sorted::Sorted;

/// The label that the server gives every namespace.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// A label selector (apimachinery, `LabelSelectorAsSelector`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodLabelSelector {
    /// An absent selector selects nothing.
    Nothing,
    /// All must hold; an empty list selects everything.
    All(Vec<LabelCondition>),
}

/// A requirement of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelCondition {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl PodLabelSelector {
    /// Reads the selector of an object. One that the server would refuse selects nothing.
    pub fn of(selector: Option<&LabelSelector>) -> Self {
        let Some(selector) = selector else {
            return PodLabelSelector::Nothing;
        };
        let mut all = PodLabelSelector::of_map(&selector.match_labels);
        for requirement in &selector.match_expressions {
            let operator = match requirement.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                _ => return PodLabelSelector::Nothing,
            };
            all.push(LabelCondition {
                key: requirement.key.clone(),
                operator,
                values: requirement.values.clone(),
            });
        }
        PodLabelSelector::All(all)
    }

    fn of_map(labels: &Sorted<String, String>) -> Vec<LabelCondition> {
        labels
            .iter()
            .map(|(key, value)| is_in(key, value))
            .collect()
    }

    /// Makes a selector of these labels with these values.
    pub fn exactly(labels: &Sorted<String, String>) -> Self {
        PodLabelSelector::All(PodLabelSelector::of_map(labels))
    }

    /// Requires the values that an object itself has of these labels; labels that it lacks are left out.
    pub fn require(&mut self, keys: &[String], own: &Sorted<String, String>) {
        self.add(keys, own, Operator::In);
    }

    /// Refuses the values that an object itself has of these labels.
    pub fn refuse(&mut self, keys: &[String], own: &Sorted<String, String>) {
        self.add(keys, own, Operator::NotIn);
    }

    fn add(&mut self, keys: &[String], own: &Sorted<String, String>, operator: Operator) {
        let PodLabelSelector::All(all) = self else {
            return;
        };
        for key in keys {
            if let Some(value) = own.get(key) {
                all.push(LabelCondition {
                    operator,
                    ..is_in(key, value)
                });
            }
        }
    }

    /// Joins two selectors: both must hold.
    pub fn and(&mut self, other: PodLabelSelector) {
        match (&mut *self, other) {
            (PodLabelSelector::All(all), PodLabelSelector::All(mut more)) => all.append(&mut more),
            (this, _) => *this = PodLabelSelector::Nothing,
        }
    }

    /// Returns true if it selects everything, as an empty selector does.
    pub fn is_empty(&self) -> bool {
        matches!(self, PodLabelSelector::All(all) if all.is_empty())
    }

    /// Returns true if an object with these labels is selected.
    pub fn matches(&self, labels: &Sorted<String, String>) -> bool {
        let PodLabelSelector::All(all) = self else {
            return false;
        };
        all.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            match requirement.operator {
                Operator::In => value.is_some_and(|value| requirement.values.contains(value)),
                Operator::NotIn => value.is_none_or(|value| !requirement.values.contains(value)),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }
}

fn is_in(key: &str, value: &str) -> LabelCondition {
    LabelCondition {
        key: key.to_owned(),
        operator: Operator::In,
        values: vec![value.to_owned()],
    }
}

/// The pods that a term of pod affinity is about (kube-scheduler, `framework.AffinityTerm`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffinityTerm {
    namespaces: Vec<String>,
    namespace_labels: PodLabelSelector,
    selector: PodLabelSelector,
    /// Nodes with the same value of this label are near.
    pub topology_key: String,
}

impl AffinityTerm {
    fn list(terms: &[PodAffinityTerm], pod: &Meta) -> Vec<Self> {
        terms
            .iter()
            .map(|term| AffinityTerm::of(term, pod))
            .collect()
    }

    /// Makes a term of a pod. Labels that the pod itself has are joined to the selector as the server does on creation.
    pub fn of(term: &PodAffinityTerm, pod: &Meta) -> Self {
        let mut namespaces = term.namespaces.clone();
        if namespaces.is_empty() && term.namespace_selector.is_none() {
            namespaces.push(pod.namespace.clone());
        }
        let mut selector = PodLabelSelector::of(term.label_selector.as_ref());
        selector.require(&term.match_label_keys, &pod.labels);
        selector.refuse(&term.mismatch_label_keys, &pod.labels);
        let namespace_labels = PodLabelSelector::of(term.namespace_selector.as_ref());
        AffinityTerm {
            namespaces,
            namespace_labels,
            selector,
            topology_key: term.topology_key.clone(),
        }
    }

    /// Returns true if the pod is among those of the term.
    pub fn matches(&self, facts: &Facts, pod: &Meta) -> bool {
        let here = self.namespaces.contains(&pod.namespace)
            || self.selects_namespace(facts, &pod.namespace);
        here && self.selector.matches(&pod.labels)
    }

    /// Returns true if the labels of a pod's namespace decide whether the pod is among those of the term, and are not known.
    pub fn needs_namespace_of(&self, facts: &Facts, pod: &Meta) -> bool {
        let PodLabelSelector::All(all) = &self.namespace_labels else {
            return false;
        };
        let of_name = |requirement: &&LabelCondition| requirement.key == NAMESPACE_NAME;
        let (names, others): (Vec<_>, Vec<_>) = all.iter().partition(of_name);
        let by_name = PodLabelSelector::All(names.into_iter().cloned().collect());
        let mut own = Sorted::new();
        own.insert(NAMESPACE_NAME.to_owned(), pod.namespace.clone());
        !others.is_empty()
            && !facts.namespaces.contains_key(&pod.namespace)
            && !self.namespaces.contains(&pod.namespace)
            && by_name.matches(&own)
            && self.selector.matches(&pod.labels)
    }

    fn selects_namespace(&self, facts: &Facts, name: &str) -> bool {
        match (&self.namespace_labels, facts.namespaces.get(name)) {
            (PodLabelSelector::Nothing, _) => false,
            (labels, Some(known)) => labels.matches(known),
            (labels, None) => {
                let mut own = Sorted::new();
                own.insert(NAMESPACE_NAME.to_owned(), name.to_owned());
                labels.matches(&own)
            }
        }
    }
}

/// A set of pods that is counted on every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pods {
    /// The pods of a namespace that a selector selects and that are not being deleted.
    Selected {
        namespace: String,
        selector: PodLabelSelector,
    },
    /// The pods that match all of these terms.
    Terms(Vec<AffinityTerm>),
}

impl Pods {
    /// Returns true if the pod is in the set. `ending`: it is being deleted.
    pub fn contains(&self, facts: &Facts, pod: &Pod, ending: bool) -> bool {
        let meta = &pod.metadata;
        match self {
            Pods::Selected {
                namespace,
                selector,
            } => !ending && meta.namespace == *namespace && selector.matches(&meta.labels),
            Pods::Terms(terms) => match_all(terms, facts, meta),
        }
    }
}

/// Returns true if the pod is among those of every term, of which there is at least one.
pub fn match_all(terms: &[AffinityTerm], facts: &Facts, pod: &Meta) -> bool {
    !terms.is_empty() && terms.iter().all(|term| term.matches(facts, pod))
}

/// The rules of a pod about others, parsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AffinityRules {
    /// Pods that must be near.
    pub near: Vec<AffinityTerm>,
    /// Pods that must not be near.
    pub away: Vec<AffinityTerm>,
    /// Pods that should be near, with weights; negative: should not.
    pub preferred: Vec<(AffinityTerm, i64)>,
}

impl AffinityRules {
    /// Returns the affinity rules of a pod.
    pub fn of(pod: &Pod) -> Self {
        let affinity = &pod.spec.affinity;
        let near = &affinity.pod_affinity;
        let away = &affinity.pod_anti_affinity;
        let mut rules = AffinityRules {
            near: AffinityTerm::list(&near.required, &pod.metadata),
            away: AffinityTerm::list(&away.required, &pod.metadata),
            preferred: Vec::new(),
        };
        for wanted in &near.preferred {
            let term = AffinityTerm::of(&wanted.pod_affinity_term, &pod.metadata);
            rules.preferred.push((term, wanted.weight));
        }
        for unwanted in &away.preferred {
            let term = AffinityTerm::of(&unwanted.pod_affinity_term, &pod.metadata);
            rules
                .preferred
                .push((term, unwanted.weight.saturating_neg()));
        }
        rules
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.away.is_empty() && self.preferred.is_empty()
    }
}
