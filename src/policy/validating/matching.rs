//! Which requests a policy and its bindings are for (apiserver, pkg/admission/plugin/policy/matching, matching.go, `Matches`).

use super::manifest::{
    LabelSelector, MatchPolicy, MatchResources, Operator, Requirement, ResourceRule, Scope,
};
use super::review::{KnownLabels, Review, labels_of};
use claimkit_model::schema::{self, Release, VERSIONS};

/// Whether a request is for a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matched {
    No,
    /// The labels of its namespace decide, and they are not given.
    NamespaceUnknown,
    /// As an object of this version.
    Version(String),
}

/// Decides whether some criteria are those of a request.
pub fn matches(
    criteria: &MatchResources,
    review: &Review,
    namespace: Option<&KnownLabels>,
    release: Release,
) -> Matched {
    let of_namespace = match namespace {
        Some(labels) => selects(&criteria.namespace_selector, labels),
        // The request is about an object of the cluster, which a selector of namespaces never leaves out.
        None => Some(true),
    };
    if of_namespace == Some(false) || !selects_objects(&criteria.object_selector, review) {
        return Matched::No;
    }
    let policy = criteria.match_policy;
    if version_for(&criteria.exclude_resource_rules, policy, review, release).is_some() {
        return Matched::No;
    }
    let version = if criteria.resource_rules.is_empty() {
        Some(review.resource.version.clone())
    } else {
        version_for(&criteria.resource_rules, policy, review, release)
    };
    match (version, of_namespace) {
        (None, _) => Matched::No,
        (Some(_), None) => Matched::NamespaceUnknown,
        (Some(version), Some(_)) => Matched::Version(version),
    }
}

/// Returns the version in which rules name the resource of a request: its own before others.
fn version_for(
    rules: &[ResourceRule],
    policy: MatchPolicy,
    review: &Review,
    release: Release,
) -> Option<String> {
    let own = review.resource.version.as_str();
    if rules.iter().any(|rule| names(rule, review, own)) {
        return Some(own.to_owned());
    }
    if policy == MatchPolicy::Exact {
        return None;
    }
    let others = equivalents(review, release);
    rules.iter().find_map(|rule| {
        let version = others.iter().find(|version| names(rule, review, version))?;
        Some((*version).to_owned())
    })
}

/// Returns the other versions in which a server has the objects of a request. Only those of this group are known.
fn equivalents(review: &Review, release: Release) -> Vec<&'static str> {
    if review.resource.group != schema::GROUP {
        return Vec::new();
    }
    let served = VERSIONS.iter().filter(|version| {
        version
            .kind(&review.kind.kind, release)
            .is_some_and(|_| version.name != review.resource.version)
    });
    served.map(|version| version.name).collect()
}

/// Returns true if the request is written in a version, or a server serves it unless it is told not to.
pub fn is_served(version: &str, review: &Review, release: Release) -> bool {
    let known = VERSIONS.iter().find(|known| known.name == version);
    version == review.resource.version
        || review.resource.group != schema::GROUP
        || known
            .and_then(|known| known.on_since)
            .is_some_and(|since| since <= release.minor)
}

fn names(rule: &ResourceRule, review: &Review, version: &str) -> bool {
    let any = |list: &[String], name: &str| list.iter().any(|item| item == "*" || item == name);
    let is_namespace = review.resource.group.is_empty() && review.resource.resource == "namespaces";
    let of_cluster = is_namespace || review.namespace.is_empty();
    let in_scope = match rule.scope {
        Scope::All => true,
        Scope::Cluster => of_cluster,
        Scope::Namespaced => !of_cluster,
    };
    in_scope
        && any(&rule.operations, &review.operation)
        && any(&rule.api_groups, &review.resource.group)
        && any(&rule.api_versions, version)
        && rule
            .resources
            .iter()
            .any(|resource| names_resource(resource, review))
        && (rule.resource_names.is_empty() || rule.resource_names.contains(&review.name))
}

/// Compares the resource of a rule, such as `resourceclaims/status`, `*` or `*/*`.
fn names_resource(resource: &str, review: &Review) -> bool {
    let (resource, sub_resource) = resource.split_once('/').unwrap_or((resource, ""));
    (resource == "*" || resource == review.resource.resource)
        && (sub_resource == "*" || sub_resource == review.sub_resource)
}

fn selects_objects(selector: &LabelSelector, review: &Review) -> bool {
    let is_empty = selector.match_labels.is_empty() && selector.match_expressions.is_empty();
    is_empty
        || [&review.object, &review.old_object]
            .into_iter()
            .flatten()
            .any(|object| selects(selector, &labels_of(object)) == Some(true))
}

/// Decides whether a selector selects something with these labels; `None`: labels decide that are not known.
pub fn selects(selector: &LabelSelector, known: &KnownLabels) -> Option<bool> {
    let equal = selector.match_labels.iter().map(|(key, value)| {
        let found = known.labels.get(key);
        match found {
            None if known.partial => None,
            found => Some(found == Some(value)),
        }
    });
    let required = selector.match_expressions.iter();
    let all: Vec<Option<bool>> = equal
        .chain(required.map(|requirement| holds(requirement, known)))
        .collect();
    if all.contains(&Some(false)) {
        return Some(false);
    }
    (!all.contains(&None)).then_some(true)
}

fn holds(requirement: &Requirement, known: &KnownLabels) -> Option<bool> {
    let found = known.labels.get(&requirement.key);
    if found.is_none() && known.partial {
        return None;
    }
    let among = found.is_some_and(|value| requirement.values.contains(value));
    Some(match requirement.operator {
        Operator::In => among,
        Operator::NotIn => !among,
        Operator::Exists => found.is_some(),
        Operator::DoesNotExist => found.is_none(),
    })
}
