//! What an API server refuses about policies and bindings (kube-apiserver, pkg/apis/admissionregistration/validation, validation.go,
//! `validateValidatingAdmissionPolicySpec` and `validateValidatingAdmissionPolicyBindingSpec`).

use super::expressions::Expressions;
use super::manifest::{
    BindingSpec, LabelSelector, MatchResources, NamedExpression, Operator, ParamRef, PolicySpec,
    ResourceRule, Validation, ValidationAction,
};
use super::quoted;
use claimkit_cel::ast::ExprNode;
use claimkit_cel::dialect::{CEL_GO_0_29, MacroSet, ParserOptions};
use claimkit_cel::parse::parse;
use claimkit_model::schema::Release;
use claimkit_values::names;
use std::collections::BTreeSet;

/// The reasons that a validation may have, as kube-apiserver 1.37 lists them.
const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
/// The operations that a rule may have, in the server's order.
const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
/// The most match conditions of a policy.
const MOST_CONDITIONS: usize = 64;

const NO_EXPRESSION: &str = "expression is not specified";
const NEITHER: &str = "validations or auditAnnotations must contain at least one item";
const BLANK: &str = "must be non-empty if specified";
const BOTH_REFERENCES: &str = "name and selector are mutually exclusive";

/// The server's reasons so far, each with its field.
#[derive(Debug, Default)]
struct Problems {
    list: Vec<String>,
}

impl Problems {
    /// `detail` may be empty.
    fn required(&mut self, field: &str, detail: &str) {
        self.list.push(match detail {
            "" => format!("{field}: Required value"),
            _ => format!("{field}: Required value: {detail}"),
        });
    }

    fn invalid(&mut self, field: &str, value: &str, detail: &str) {
        let value = quoted(value);
        self.list
            .push(format!("{field}: Invalid value: {value}: {detail}"));
    }

    fn invalid_list(&mut self, field: &str, values: &[String], detail: &str) {
        let values = serde_json::Value::from(values);
        self.list
            .push(format!("{field}: Invalid value: {values}: {detail}"));
    }

    fn forbidden(&mut self, field: &str, detail: &str) {
        self.list.push(format!("{field}: Forbidden: {detail}"));
    }

    fn duplicate(&mut self, field: &str, value: &str) {
        let value = quoted(value);
        self.list.push(format!("{field}: Duplicate value: {value}"));
    }

    fn not_supported(&mut self, field: &str, value: &str, known: &[&str]) {
        let known: Vec<String> = known.iter().map(|word| quoted(word)).collect();
        let (value, known) = (quoted(value), known.join(", "));
        self.list.push(format!(
            "{field}: Unsupported value: {value}: supported values: {known}"
        ));
    }

    /// Adds each message about a value.
    fn about(&mut self, field: &str, value: &str, messages: names::Messages) {
        for message in messages {
            self.invalid(field, value, &message);
        }
    }

    /// Says that `*` is not alone in a list.
    fn not_alone(&mut self, field: &str, values: &[String], what: &str) {
        if values.len() > 1 && values.iter().any(|value| value == "*") {
            let detail = format!("if '*' is present, must not specify other {what}");
            self.invalid_list(field, values, &detail);
        }
    }
}

/// Returns what an API server of a release refuses about a policy.
pub fn of_policy(name: &str, spec: &PolicySpec, release: Release) -> Vec<String> {
    let mut problems = Problems::default();
    if let Some(kind) = &spec.param_kind {
        for (field, value) in [("apiVersion", &kind.api_version), ("kind", &kind.kind)] {
            if value.is_empty() {
                problems.required(&format!("spec.paramKind.{field}"), "");
            }
        }
    }
    let constraints = "spec.matchConstraints";
    match &spec.match_constraints {
        None => problems.required(constraints, ""),
        Some(criteria) => {
            match_resources(criteria, constraints, &mut problems);
            if criteria.resource_rules.is_empty() {
                problems.required(&format!("{constraints}.resourceRules"), "");
            }
        }
    }
    match_conditions(&spec.match_conditions, &mut problems);
    for (at, variable) in spec.variables.iter().enumerate() {
        variable_problems(variable, &format!("spec.variables[{at}]"), &mut problems);
    }
    if spec.validations.is_empty() && spec.audit_annotations.is_empty() {
        problems.required("spec.validations", NEITHER);
        problems.required("spec.auditAnnotations", NEITHER);
    }
    for (at, validation) in spec.validations.iter().enumerate() {
        validation_problems(
            validation,
            &format!("spec.validations[{at}]"),
            &mut problems,
        );
    }
    audit_annotations(name, spec, &mut problems);
    let mut list = problems.list;
    list.extend(Expressions::compile(spec, release).problems());
    list
}

/// Returns what an API server refuses about a binding.
pub fn of_binding(spec: &BindingSpec) -> Vec<String> {
    let mut problems = Problems::default();
    if spec.policy_name.is_empty() {
        problems.required("spec.policyName", "");
    } else {
        let messages = names::subdomain(&spec.policy_name);
        problems.about("spec.policyName", &spec.policy_name, messages);
    }
    if let Some(reference) = &spec.param_ref {
        param_ref(reference, &mut problems);
    }
    if let Some(criteria) = &spec.match_resources {
        match_resources(criteria, "spec.matchResources", &mut problems);
    }
    validation_actions(&spec.validation_actions, &mut problems);
    problems.list
}

fn param_ref(reference: &ParamRef, problems: &mut Problems) {
    let field = "spec.paramRef";
    let has_name = !reference.name.is_empty();
    if has_name {
        let place = format!("{field}.name");
        let messages = names::path_segment(&reference.name);
        problems.about(&place, &reference.name, messages);
        if reference.selector.is_some() {
            problems.forbidden(&place, BOTH_REFERENCES);
        }
    }
    match &reference.selector {
        Some(selector) => {
            let place = format!("{field}.selector");
            label_selector(selector, &place, problems);
            if has_name {
                problems.forbidden(&place, BOTH_REFERENCES);
            }
        }
        None if !has_name => {
            problems.required(field, "one of name or selector must be specified");
        }
        None => {}
    }
    let place = format!("{field}.parameterNotFoundAction");
    match reference.parameter_not_found_action.as_str() {
        "" => problems.required(&place, ""),
        "Deny" | "Allow" => {}
        other => problems.not_supported(&place, other, &["Deny", "Allow"]),
    }
}

fn validation_actions(actions: &[ValidationAction], problems: &mut Problems) {
    let field = "spec.validationActions";
    for (at, action) in actions.iter().enumerate() {
        if actions.iter().take(at).any(|earlier| earlier == action) {
            problems.duplicate(&format!("{field}[{at}]"), action.name());
        }
    }
    let (deny, warn) = (ValidationAction::Deny, ValidationAction::Warn);
    if actions.contains(&deny) && actions.contains(&warn) {
        let names: Vec<String> = actions
            .iter()
            .map(|action| action.name().to_owned())
            .collect();
        problems.invalid_list(
            field,
            &names,
            "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
        );
    }
    if actions.is_empty() {
        problems.required(field, "");
    }
}

fn match_resources(criteria: &MatchResources, field: &str, problems: &mut Problems) {
    let selectors = [
        ("namespaceSelector", &criteria.namespace_selector),
        ("objectSelector", &criteria.object_selector),
    ];
    for (name, selector) in selectors {
        label_selector(selector, &format!("{field}.{name}"), problems);
    }
    let lists = [
        ("resourceRules", &criteria.resource_rules),
        ("excludeResourceRules", &criteria.exclude_resource_rules),
    ];
    for (name, rules) in lists {
        for (at, rule) in rules.iter().enumerate() {
            resource_rule(rule, &format!("{field}.{name}[{at}]"), problems);
        }
    }
}

fn label_selector(selector: &LabelSelector, field: &str, problems: &mut Problems) {
    let place = format!("{field}.matchLabels");
    for (key, value) in &selector.match_labels {
        problems.about(&place, key, names::qualified_name(key));
        problems.about(&place, value, names::label_value(value));
    }
    for (at, requirement) in selector.match_expressions.iter().enumerate() {
        let place = format!("{field}.matchExpressions[{at}]");
        let values = format!("{place}.values");
        let is_empty = requirement.values.is_empty();
        match requirement.operator {
            Operator::In | Operator::NotIn if is_empty => problems.required(
                &values,
                "must be specified when `operator` is 'In' or 'NotIn'",
            ),
            Operator::Exists | Operator::DoesNotExist if !is_empty => problems.forbidden(
                &values,
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            _ => {}
        }
        let key = &requirement.key;
        problems.about(&format!("{place}.key"), key, names::qualified_name(key));
        for (at, value) in requirement.values.iter().enumerate() {
            let messages = names::label_value(value);
            problems.about(&format!("{values}[{at}]"), value, messages);
        }
    }
}

fn resource_rule(rule: &ResourceRule, field: &str, problems: &mut Problems) {
    for (at, name) in rule.resource_names.iter().enumerate() {
        let place = format!("{field}.resourceNames[{at}]");
        problems.about(&place, name, names::path_segment(name));
        if rule
            .resource_names
            .iter()
            .take(at)
            .any(|earlier| earlier == name)
        {
            problems.duplicate(&place, name);
        }
    }
    let place = format!("{field}.operations");
    if rule.operations.is_empty() {
        problems.required(&place, "");
    }
    problems.not_alone(&place, &rule.operations, "operations");
    for (at, operation) in rule.operations.iter().enumerate() {
        if !OPERATIONS.contains(&operation.as_str()) {
            problems.not_supported(&format!("{place}[{at}]"), operation, &OPERATIONS);
        }
    }
    let lists = [
        ("apiGroups", &rule.api_groups, "API groups"),
        ("apiVersions", &rule.api_versions, "API versions"),
    ];
    for (name, list, what) in lists {
        let place = format!("{field}.{name}");
        if list.is_empty() {
            problems.required(&place, "");
        }
        problems.not_alone(&place, list, what);
    }
    for (at, version) in rule.api_versions.iter().enumerate() {
        if version.is_empty() {
            problems.required(&format!("{field}.apiVersions[{at}]"), "");
        }
    }
    resources(&rule.resources, &format!("{field}.resources"), problems);
}

fn resources(list: &[String], field: &str, problems: &mut Problems) {
    if list.is_empty() {
        problems.required(field, "");
    }
    let (mut with_all_parts, mut parts_of_all) = (BTreeSet::new(), BTreeSet::new());
    // The server remembers this of the last resource without a subresource only.
    let mut has_plain = false;
    for (at, resource) in list.iter().enumerate() {
        let place = format!("{field}[{at}]");
        if resource.is_empty() {
            problems.required(&place, "");
            continue;
        }
        let Some((name, part)) = resource.split_once('/') else {
            has_plain = resource != "*";
            continue;
        };
        if with_all_parts.contains(name) {
            let detail = format!("if '{name}/*' is present, must not specify {resource}");
            problems.invalid(&place, resource, &detail);
        }
        if parts_of_all.contains(part) {
            let detail = format!("if '*/{part}' is present, must not specify {resource}");
            problems.invalid(&place, resource, &detail);
        }
        if part == "*" {
            with_all_parts.insert(name);
        }
        if name == "*" {
            parts_of_all.insert(part);
        }
    }
    if list.len() > 1 && list.iter().any(|resource| resource == "*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        problems.invalid_list(field, list, detail);
    }
    if has_plain && list.iter().any(|resource| resource == "*") {
        let detail = "if '*' is present, must not specify other resources without subresources";
        problems.invalid_list(field, list, detail);
    }
}

fn match_conditions(conditions: &[NamedExpression], problems: &mut Problems) {
    let field = "spec.matchConditions";
    if conditions.len() > MOST_CONDITIONS {
        let count = conditions.len();
        problems.list.push(format!(
            "{field}: Too many: {count}: must have at most {MOST_CONDITIONS} items"
        ));
    }
    for (at, condition) in conditions.iter().enumerate() {
        let place = format!("{field}[{at}]");
        if condition.expression.trim().is_empty() {
            problems.required(&format!("{place}.expression"), "");
        }
        let place = format!("{place}.name");
        let name = &condition.name;
        if name.is_empty() {
            problems.required(&place, "");
            continue;
        }
        problems.about(&place, name, names::qualified_name(name));
        let mut earlier = conditions.iter().take(at);
        if earlier.any(|earlier| earlier.name == *name) {
            problems.duplicate(&place, name);
        }
    }
}

fn variable_problems(variable: &NamedExpression, field: &str, problems: &mut Problems) {
    let place = format!("{field}.name");
    if variable.name.trim().is_empty() {
        problems.required(&place, "name is not specified");
    } else if !is_identifier(&variable.name) {
        problems.invalid(&place, &variable.name, "must be a valid CEL identifier");
    }
    if variable.expression.trim().is_empty() {
        problems.required(&format!("{field}.expression"), NO_EXPRESSION);
    }
}

/// Returns true for a name of ASCII letters, digits and `_` that is no word of CEL's own.
fn is_identifier(name: &str) -> bool {
    let options = ParserOptions::new(&CEL_GO_0_29, MacroSet::all());
    let is_of_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    name.bytes().all(is_of_name)
        && parse(name, &options).is_ok_and(|ast| matches!(ast.root.node, ExprNode::Ident(_)))
}

fn validation_problems(validation: &Validation, field: &str, problems: &mut Problems) {
    if validation.expression.trim().is_empty() {
        problems.required(&format!("{field}.expression"), NO_EXPRESSION);
    }
    let expression = &validation.message_expression;
    if !expression.is_empty() && expression.trim().is_empty() {
        problems.invalid(&format!("{field}.messageExpression"), expression, BLANK);
    }
    let (place, message) = (format!("{field}.message"), &validation.message);
    if !message.is_empty() && message.trim().is_empty() {
        problems.invalid(&place, message, BLANK);
    } else if message.trim().contains(['\n', '\r']) {
        problems.invalid(&place, message, "must not contain line breaks");
    }
    if let Some(reason) = validation.reason.as_deref()
        && !REASONS.contains(&reason)
    {
        problems.not_supported(&format!("{field}.reason"), reason, &REASONS);
    }
}

fn audit_annotations(policy: &str, spec: &PolicySpec, problems: &mut Problems) {
    let annotations = &spec.audit_annotations;
    for (at, annotation) in annotations.iter().enumerate() {
        let field = format!("spec.auditAnnotations[{at}]");
        let (place, key) = (format!("{field}.key"), &annotation.key);
        if policy.is_empty() {
            problems.invalid(&place, key, "requires metadata.name be non-empty");
        } else {
            let name = format!("{policy}/{key}");
            problems.about(&place, &name, names::qualified_name(&name));
        }
        if annotation.value_expression.trim().is_empty() {
            let detail = "valueExpression is not specified";
            problems.required(&format!("{field}.valueExpression"), detail);
        }
        let mut earlier = annotations.iter().take(at);
        if earlier.any(|earlier| earlier.key == *key) {
            problems.duplicate(&place, key);
        }
    }
}
