//! Node selectors as the API checks them: shapes and keys, never values (kube-apiserver, pkg/apis/core/validation/validation.go,
//! `ValidateNodeSelector`).

use crate::validation::errors::{Bad, Errors};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{NodeSelector, NodeSelectorRequirement};
use claimkit_values::names;

/// Validates a selector, except its values.
pub fn validate(selector: NodeSelector<'_>, path: &Path<'_>, errors: &mut Errors) {
    judge(selector, Values::Ignored, path, errors);
}

/// Validates a selector. `values`: the values of labels are judged too.
pub fn validate_all(
    selector: NodeSelector<'_>,
    values: bool,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    judge(
        selector,
        if values {
            Values::Judged
        } else {
            Values::Ignored
        },
        path,
        errors,
    );
}

/// Whether the values of labels are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Judged,
    Ignored,
}

fn judge(selector: NodeSelector<'_>, judged: Values, path: &Path<'_>, errors: &mut Errors) {
    let terms = path.field("nodeSelectorTerms");
    if selector.node_selector_terms().is_empty() {
        errors.required(
            Code::NodeSelectorEmpty,
            &terms,
            "must have at least one node selector term",
        );
        return;
    }
    for (index, term) in selector.node_selector_terms().iter().enumerate() {
        let term_path = terms.index(index);
        let expressions = term_path.field("matchExpressions");
        for (index, requirement) in term.match_expressions().iter().enumerate() {
            expression(requirement, judged, &expressions.index(index), errors);
        }
        let fields = term_path.field("matchFields");
        for (index, requirement) in term.match_fields().iter().enumerate() {
            field(requirement, &fields.index(index), errors);
        }
    }
}

fn expression(
    requirement: NodeSelectorRequirement<'_>,
    judged: Values,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let count = requirement.values().len();
    let values = path.field("values");
    match requirement.operator() {
        "In" | "NotIn" => {
            if count == 0 {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.required(Code::NodeSelectorValues, &values, detail);
            }
        }
        "Exists" | "DoesNotExist" => {
            if count > 0 {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.forbidden(Code::NodeSelectorValues, &values, detail);
            }
        }
        "Gt" | "Lt" => {
            if count != 1 {
                let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                errors.required(Code::NodeSelectorValues, &values, detail);
            }
        }
        other => operator(other, path, errors),
    }
    let key = requirement.key();
    errors.malformed(
        Code::NodeSelectorKey,
        &path.field("key"),
        key,
        &names::qualified_name_in(key, errors.wording()),
    );
    if judged == Values::Judged {
        for (index, value) in requirement.values().iter().enumerate() {
            let messages = names::label_value_in(value, errors.wording());
            errors.malformed(
                Code::NodeSelectorLabelValue,
                &values.index(index),
                value,
                &messages,
            );
        }
    }
}

fn field(requirement: NodeSelectorRequirement<'_>, path: &Path<'_>, errors: &mut Errors) {
    let values = path.field("values");
    match requirement.operator() {
        "In" | "NotIn" => {
            if requirement.values().len() != 1 {
                let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errors.required(Code::NodeSelectorValues, &values, detail);
            }
        }
        other => operator(other, path, errors),
    }
    if requirement.key() != "metadata.name" {
        let key = path.field("key");
        errors.invalid(
            Code::NodeSelectorKey,
            &key,
            Bad::Str(requirement.key()),
            "not a valid field selector key",
        );
        return;
    }
    for (index, value) in requirement.values().iter().enumerate() {
        errors.malformed(
            Code::NodeSelectorFieldValue,
            &values.index(index),
            value,
            &names::subdomain(value),
        );
    }
}

fn operator(operator: &str, path: &Path<'_>, errors: &mut Errors) {
    errors.invalid(
        Code::NodeSelectorOperator,
        &path.field("operator"),
        Bad::Named(operator),
        "not a valid selector operator",
    );
}
