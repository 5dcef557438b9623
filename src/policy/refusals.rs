//! Refusals in the API server's form: path, kind of error, detail. Both families of versions use it.

use crate::policy::compare::Reasons;
use crate::policy::namespace::Namespace;
use crate::policy::nodes;
use crate::policy::settings::{
    ByNamespace, ClassRule, NameList, NodeRule, Settings, SettingsNode, ValidationMode,
};
use crate::policy::{check, pattern};
use crate::validation::Bad;
use claimkit_model::finding::{Cause, Code, Path};
use claimkit_model::object::Record;
use claimkit_model::object::view::NodeSelector;
use claimkit_model::schema::{Api, Release};

/// An object as the rules see it.
#[derive(Clone, Copy)]
pub struct Subject<'r> {
    pub api: Api,
    /// The release whose words are used.
    pub release: Release,
    pub object: &'r Record<'r>,
    /// The part of the object that is judged.
    pub part: JudgedPart,
    /// The namespace it goes to.
    pub namespace: Namespace<'r>,
    /// The version that the client wrote, known here or not: the server converts objects.
    pub written: &'r str,
    /// The effect of the API server's own rules: where they refuse, the settings need not.
    pub validation: ValidationMode,
    /// The CEL expressions of the object are too large to be tried.
    pub has_many_expressions: bool,
}

/// The part of an object that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedPart {
    /// Everything but its status.
    Object,
    Status,
    /// An object as it is stored.
    Both,
}

/// Returns the rule that applies in a namespace. `None`: there is nothing to judge, or the labels that decide are not known, which is
/// then a reason.
pub fn applying<'s, T: Default + PartialEq>(
    rule: &'s ByNamespace<T>,
    code: Code,
    namespace: Namespace<'_>,
    errors: &mut Reasons,
) -> Option<&'s T> {
    match rule.of(namespace) {
        Ok(found) => found,
        Err(problem) => {
            labels_unknown(code, problem, errors);
            None
        }
    }
}

/// Says that a list does not accept a name, if it does not.
pub fn refuse(
    list: &NameList,
    code: Code,
    path: &Path<'_>,
    name: &str,
    release: Release,
    errors: &mut Reasons,
) {
    match list {
        NameList::Allow(patterns) if !pattern::any(patterns, name) => {
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            errors.not_supported(code, path, name, &patterns);
        }
        NameList::Deny(patterns) => {
            if let Some(denied) = patterns
                .iter()
                .find(|denied| pattern::matches(denied, name))
            {
                let unicode = release.rules().unicode;
                let mut detail = format!(
                    "{} is denied by the policy",
                    claimkit_values::quote(name, unicode)
                );
                if denied != name {
                    detail.push_str(&format!(
                        " as one of {}",
                        claimkit_values::quote(denied, unicode)
                    ));
                }
                errors.forbidden(code, path, &detail);
            }
        }
        _ => {}
    }
}

/// A claim or template that a pod names, and a class that it asks for.
#[derive(Clone, Copy, Debug)]
pub struct PodReference<'r> {
    /// `ResourceClaim` or `ResourceClaimTemplate`.
    pub kind: &'r str,
    pub name: &'r str,
    pub class: &'r str,
}

/// Refuses the name of a claim or template because of the class that it asks for.
pub fn refuse_class_of(
    rule: &ClassRule,
    code: Code,
    path: &Path<'_>,
    reference: PodReference<'_>,
    namespace: Namespace<'_>,
    release: Release,
    errors: &mut Reasons,
) {
    let PodReference { kind, name, class } = reference;
    let list = match rule.of(namespace, class) {
        Ok(applies) if applies.list.accepts(class) => return,
        Ok(applies) => applies.list,
        Err(problem) => return labels_unknown(code, problem, errors),
    };
    let unicode = release.rules().unicode;
    let mut detail = format!(
        "the {kind} names the class {}, which the policy does not accept here",
        claimkit_values::quote(class, unicode)
    );
    if let NameList::Allow(patterns) = list {
        detail.push_str("; accepted classes: ");
        detail.push_str(&claimkit_values::quoted(
            patterns.iter().map(String::as_str),
            unicode,
        ));
    }
    errors.invalid(code, path, Bad::Str(name), &detail);
}

/// Refuses a class that the namespace's classes do not accept, or that cannot be judged because the host does not answer.
pub fn refuse_class(
    rule: &ClassRule,
    code: Code,
    path: &Path<'_>,
    class: &str,
    namespace: Namespace<'_>,
    release: Release,
    errors: &mut Reasons,
) {
    match rule.of(namespace, class) {
        Ok(applies) => refuse(applies.list, code, path, class, release, errors),
        Err(problem) => labels_unknown(code, problem, errors),
    }
}

/// Reports, once for each setting, that the labels of the namespace are not known.
pub fn labels_unknown(code: Code, problem: &str, errors: &mut Reasons) {
    if errors
        .list()
        .iter()
        .any(|error| error.code == code && error.cause == Cause::Internal)
    {
        return;
    }
    errors.internal(
        code,
        &Path::ROOT.field("metadata").field("namespace"),
        problem,
    );
}

/// Checks the driver in a field; the API server rejects an empty one itself.
pub fn driver(
    settings: &Settings,
    release: Release,
    name: &str,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    if !name.is_empty() {
        refuse(
            &settings.drivers,
            Code::PolicyDriver,
            path,
            name,
            release,
            errors,
        );
    }
}

/// Checks the drivers of the items of a list. `field`: the field of an item that names its driver.
pub fn drivers<'r>(
    settings: &Settings,
    release: Release,
    names: impl Iterator<Item = &'r str>,
    path: &Path<'_>,
    field: &str,
    errors: &mut Reasons,
) {
    for (at, name) in names.enumerate() {
        driver(
            settings,
            release,
            name,
            &path.index(at).field(field),
            errors,
        );
    }
}

/// Adds errors for nodes that a selector must not select but does, or must select but does not.
pub fn node_rule(
    rule: &NodeRule,
    code: Code,
    selector: Option<NodeSelector<'_>>,
    path: &Path<'_>,
    release: Release,
    errors: &mut Reasons,
) {
    if selector.is_none() && rule.required {
        errors.required(code, path, "the policy asks for a node selector");
        return;
    }
    if rule.must_select.is_empty() && rule.must_not_select.is_empty() {
        return;
    }
    let selected = nodes::NodeSelection::by(selector, release);
    for node in rule
        .must_select
        .iter()
        .filter(|node| !selected.surely(node))
    {
        errors.forbidden(code, path, &format!("must select {}", shown_node(node)));
    }
    for node in rule
        .must_not_select
        .iter()
        .filter(|node| selected.possibly(node))
    {
        let without = if selector.is_none() {
            ", and without a selector every node is selected"
        } else {
            ""
        };
        errors.forbidden(
            code,
            path,
            &format!("must not select {}{without}", shown_node(node)),
        );
    }
}

/// Writes a node of the settings in words: ``node `n1` with `zone=a` ``.
fn shown_node(node: &SettingsNode) -> String {
    let labels: Vec<String> = node
        .labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    match (node.name.is_empty(), labels.is_empty()) {
        (true, _) => format!("nodes with {}", check::shown(&labels.join(","))),
        (false, true) => format!("node {}", check::shown(&node.name)),
        (false, false) => format!(
            "node {} with {}",
            check::shown(&node.name),
            check::shown(&labels.join(","))
        ),
    }
}
