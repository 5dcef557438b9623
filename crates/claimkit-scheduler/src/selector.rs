//! A node selector as the scheduler parses it: terms of tests, or the errors in its words
//! (component-helpers, scheduling/corev1/nodeaffinity/nodeaffinity.go).

use crate::rules::SchedulerRules;
use claimkit_model::finding::{Path, Step};
use claimkit_model::object::view::{NodeSelector, NodeSelectorRequirement};
use claimkit_model::schema::core::NODE_SELECTOR_OPERATORS;
use claimkit_values::names;
use claimkit_values::order;
use std::collections::BTreeSet;

/// The list of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermList {
    /// `matchExpressions`: labels.
    Expressions,
    /// `matchFields`: fields, that is, the name.
    Fields,
}

impl TermList {
    /// Returns its JSON name.
    pub fn name(self) -> &'static str {
        match self {
            TermList::Expressions => "matchExpressions",
            TermList::Fields => "matchFields",
        }
    }
}

/// The test of a requirement on a label or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test<'r> {
    /// The value is one of these (sorted, once each).
    In(Vec<&'r str>),
    /// There is no value, or none of these.
    NotIn(Vec<&'r str>),
    /// There is a value.
    Exists,
    DoesNotExist,
    /// The value is an integer above this one.
    Gt(i64),
    /// The value is an integer below this one.
    Lt(i64),
}

impl Test<'_> {
    /// Returns true if the requirement holds for a value; `None`: the label is missing (apimachinery, pkg/labels/selector.go, `Requirement.Matches`)
    pub fn holds(&self, value: Option<&str>) -> bool {
        match (self, value) {
            (Test::In(values), Some(value)) => values.binary_search(&value).is_ok(),
            (Test::NotIn(values), Some(value)) => values.binary_search(&value).is_err(),
            (Test::NotIn(_) | Test::DoesNotExist, None) | (Test::Exists, Some(_)) => true,
            (Test::Gt(bound), Some(value)) => integer(value).is_some_and(|value| value > *bound),
            (Test::Lt(bound), Some(value)) => integer(value).is_some_and(|value| value < *bound),
            (Test::In(_) | Test::Exists | Test::Gt(_) | Test::Lt(_), None)
            | (Test::DoesNotExist, Some(_)) => false,
        }
    }
}

/// Parses a number as Go's `strconv.ParseInt(text, 10, 64)` does.
pub fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// One thing the scheduler cannot parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The scheduler's text; its paths begin at `nodeSelectorTerms`.
    pub message: String,
    /// The path in the text.
    pub path: String,
    /// The path below the selector.
    pub steps: Vec<Step>,
}

/// One requirement of a term.
#[derive(Clone, Debug)]
pub struct Requirement<'r> {
    /// The list that contains the requirement.
    pub list: TermList,
    pub index: usize,
    /// The label or field.
    pub key: &'r str,
    pub operator: &'r str,
    pub values: Vec<&'r str>,
    /// The parsed test, or its parse errors.
    pub test: Result<Test<'r>, Vec<ParseError>>,
}

impl Requirement<'_> {
    /// Returns its path below the selector.
    pub fn path(&self, term: usize) -> String {
        format!(
            "nodeSelectorTerms[{term}].{}[{}]",
            self.list.name(),
            self.index
        )
    }

    /// Returns the path below the selector.
    pub fn steps(&self, term: usize) -> Vec<Step> {
        let key = |name: &str| Step::Key(name.to_owned());
        vec![
            key("nodeSelectorTerms"),
            Step::Index(term),
            key(self.list.name()),
            Step::Index(self.index),
        ]
    }
}

/// One term: all of its requirements must hold.
#[derive(Clone, Debug)]
pub struct Term<'r> {
    /// Expressions, then fields. None at all: the term selects nothing.
    pub requirements: Vec<Requirement<'r>>,
}

impl Term<'_> {
    /// Returns true if the term has no requirement: such a term selects no node.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Returns the parse errors, in the scheduler's order.
    pub fn errors(&self) -> Vec<&ParseError> {
        let mut errors = Vec::new();
        for requirement in &self.requirements {
            if let Err(found) = &requirement.test {
                errors.extend(found);
            }
        }
        errors
    }
}

/// A parsed selector: one of its terms must match.
#[derive(Clone, Debug, Default)]
pub struct ParsedSelector<'r> {
    /// The terms in order; indexes count empty ones.
    pub terms: Vec<Term<'r>>,
}

impl<'r> ParsedSelector<'r> {
    /// Parses a selector that is set. Never fails: errors are kept at the requirements.
    pub fn parse(selector: NodeSelector<'r>, rules: &SchedulerRules) -> Self {
        let mut parsed = ParsedSelector::default();
        let terms = Path::ROOT.field("nodeSelectorTerms");
        for (index, term) in selector.node_selector_terms().iter().enumerate() {
            let path = terms.index(index);
            let mut requirements = Vec::new();
            for (list, items) in [
                (TermList::Expressions, term.match_expressions()),
                (TermList::Fields, term.match_fields()),
            ] {
                let path = path.field(list.name());
                for (index, item) in items.iter().enumerate() {
                    requirements.push(requirement(item, list, index, &path.index(index), rules));
                }
            }
            parsed.terms.push(Term { requirements });
        }
        parsed
    }

    /// Returns the parse errors, in the scheduler's order.
    pub fn errors(&self) -> Vec<&ParseError> {
        let mut errors = Vec::new();
        for term in &self.terms {
            errors.append(&mut term.errors());
        }
        errors
    }

    /// Returns the text of all errors together, `None` if there are none.
    pub fn error(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut texts: Vec<&str> = Vec::new();
        for error in self.errors() {
            if seen.insert(error.message.as_str()) {
                texts.push(&error.message);
            }
        }
        match texts.as_slice() {
            [] => None,
            [one] => Some((*one).to_owned()),
            many => Some(format!("[{}]", many.join(", "))),
        }
    }
}

/// Collects the errors of one requirement.
struct Errors<'p> {
    list: Vec<ParseError>,
    path: &'p Path<'p>,
    rules: &'p SchedulerRules,
}

impl Errors<'_> {
    fn push(&mut self, path: &Path<'_>, body: &str) {
        let shown = path.render();
        self.list.push(ParseError {
            message: format!("{shown}: {body}"),
            path: shown,
            steps: path.steps(),
        });
    }

    fn quote(&self, text: &str) -> String {
        claimkit_values::quote(text, self.rules.unicode)
    }

    /// Reports a string that is malformed.
    fn invalid(&mut self, path: &Path<'_>, value: &str, detail: &str) {
        let body = format!("Invalid value: {}: {detail}", self.quote(value));
        self.push(path, &body);
    }

    /// Reports a list of the wrong length, in Go syntax.
    fn invalid_list(&mut self, values: &[&str], nil: bool, detail: &str) {
        let shown = if nil {
            "[]string(nil)".to_owned()
        } else {
            format!(
                "[]string{{{}}}",
                claimkit_values::quoted(values.iter().copied(), self.rules.unicode)
            )
        };
        let path = self.path;
        self.push(
            &path.field("values"),
            &format!("Invalid value: {shown}: {detail}"),
        );
    }

    fn unsupported(&mut self, operator: &str, supported: &[&str]) {
        let mut body = format!("Unsupported value: {}", self.quote(operator));
        if !supported.is_empty() {
            body.push_str(": supported values: ");
            body.push_str(&claimkit_values::quoted(
                supported.iter().copied(),
                self.rules.unicode,
            ));
        }
        let path = self.path;
        self.push(&path.field("operator"), &body);
    }
}

fn requirement<'r>(
    written: NodeSelectorRequirement<'r>,
    list: TermList,
    index: usize,
    path: &Path<'_>,
    rules: &SchedulerRules,
) -> Requirement<'r> {
    let mut errors = Errors {
        list: Vec::new(),
        path,
        rules,
    };
    let values: Vec<&str> = written.values().iter().collect();
    let nil = !written.record().is_some_and(|record| record.has("values"));
    let test = match list {
        TermList::Expressions => expression(written, &values, nil, &mut errors),
        TermList::Fields => field(written, &values, nil, &mut errors),
    };
    let test = match test {
        Some(test) if errors.list.is_empty() => Ok(test),
        _ => Err(errors.list),
    };
    Requirement {
        list,
        index,
        key: written.key(),
        operator: written.operator(),
        values,
        test,
    }
}

fn set<'r>(values: &[&'r str]) -> Vec<&'r str> {
    let mut values = values.to_vec();
    order::sort(&mut values);
    values.dedup();
    values
}

/// Makes the test as `labels.NewRequirement` does, with its errors in its order (apimachinery, pkg/labels/selector.go).
fn expression<'r>(
    written: NodeSelectorRequirement<'r>,
    values: &[&'r str],
    nil: bool,
    errors: &mut Errors<'_>,
) -> Option<Test<'r>> {
    let operator = written.operator();
    if !NODE_SELECTOR_OPERATORS.contains(&operator) {
        let supported = if errors.rules.lists_operators {
            NODE_SELECTOR_OPERATORS
        } else {
            &[]
        };
        errors.unsupported(operator, supported);
        return None;
    }
    let key = written.key();
    let messages = names::qualified_name(key);
    if !messages.is_empty() {
        let path = errors.path;
        errors.invalid(&path.field("key"), key, &messages.join("; "));
    }
    let path = errors.path;
    let values_path = path.field("values");
    let test = match operator {
        "In" | "NotIn" => {
            if values.is_empty() {
                errors.invalid_list(
                    values,
                    nil,
                    "for 'in', 'notin' operators, values set can't be empty",
                );
            }
            Some(if operator == "In" {
                Test::In(set(values))
            } else {
                Test::NotIn(set(values))
            })
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                errors.invalid_list(
                    values,
                    nil,
                    "values set must be empty for exists and does not exist",
                );
            }
            Some(if operator == "Exists" {
                Test::Exists
            } else {
                Test::DoesNotExist
            })
        }
        _ => {
            if values.len() != 1 {
                errors.invalid_list(
                    values,
                    nil,
                    "for 'Gt', 'Lt' operators, exactly one value is required",
                );
            }
            for (index, value) in values.iter().enumerate() {
                if integer(value).is_none() {
                    errors.invalid(
                        &values_path.index(index),
                        value,
                        "for 'Gt', 'Lt' operators, the value must be an integer",
                    );
                }
            }
            let bound = values.first().and_then(|value| integer(value));
            bound.map(|bound| {
                if operator == "Gt" {
                    Test::Gt(bound)
                } else {
                    Test::Lt(bound)
                }
            })
        }
    };
    for (index, value) in values.iter().enumerate() {
        let messages = names::label_value(value);
        if !messages.is_empty() {
            let path = values_path.index(index);
            let before = errors.list.len();
            // Upstream names the label after the index; in the text there is nothing below the value.
            errors.invalid(&path.key(key), value, &messages.join("; "));
            if let Some(error) = errors.list.get_mut(before) {
                error.steps.pop();
            }
        }
    }
    test
}

/// Makes the test of a field requirement: two operators, one value, any key.
fn field<'r>(
    written: NodeSelectorRequirement<'r>,
    values: &[&'r str],
    nil: bool,
    errors: &mut Errors<'_>,
) -> Option<Test<'r>> {
    let operator = written.operator();
    match operator {
        "In" | "NotIn" => {
            if values.len() != 1 {
                errors.invalid_list(values, nil, "must have one element");
            }
            Some(if operator == "In" {
                Test::In(set(values))
            } else {
                Test::NotIn(set(values))
            })
        }
        _ => {
            errors.unsupported(operator, &["In", "NotIn"]);
            None
        }
    }
}
