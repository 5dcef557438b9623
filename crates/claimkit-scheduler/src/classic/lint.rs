//! Findings about the selector itself: what the scheduler cannot parse though the API accepts it, terms that cannot match,
//! labels that no node has.

use crate::classic::nodes::PreparedNodes;
use crate::selector::{ParseError, ParsedSelector, Requirement, Term, TermList, Test};
use claimkit_model::finding::{Code, Finding, Origin, Severity, Step};
use claimkit_model::message::{Message, message};
use claimkit_model::text::print;
use claimkit_values::order;
use std::collections::BTreeMap;

/// The place of a selector in its object.
#[derive(Clone, Copy, Debug)]
pub struct SelectorSite<'p> {
    /// The path, e.g. `suitableNodes`; empty for a bare selector.
    pub path: &'p str,
    /// The steps to it.
    pub steps: &'p [Step],
    /// The severity of a parse error.
    pub parse_errors: Severity,
}

impl SelectorSite<'_> {
    fn path(&self, below: &str) -> String {
        if self.path.is_empty() {
            below.to_owned()
        } else {
            format!("{}.{below}", self.path)
        }
    }

    fn at(&self, mut finding: Finding, path: &str, steps: Vec<Step>) -> Finding {
        finding.path = Some(self.path(path));
        finding.steps = self.steps.to_vec();
        finding.steps.extend(steps);
        finding
    }

    fn of_term(&self, term: usize, code: Code, message: Message, help: Message) -> Finding {
        let finding = Finding::warning(code, message).with_help(help);
        let steps = vec![Step::Key("nodeSelectorTerms".to_owned()), Step::Index(term)];
        self.at(finding, &format!("nodeSelectorTerms[{term}]"), steps)
    }

    /// Returns the finding for an empty selector.
    fn of_none(&self) -> Finding {
        let finding = Finding::new(
            Code::NodeSelectorTermEmpty,
            message!(
                "lint.selector-empty",
                "the selector asks nothing, and so selects no node"
            ),
        )
        .with_help(message!(
            "lint.selector-empty-help",
            "leave the selector out to select every node"
        ));
        self.at(
            finding,
            "nodeSelectorTerms",
            vec![Step::Key("nodeSelectorTerms".to_owned())],
        )
    }

    fn of_error(&self, error: &ParseError) -> Finding {
        let finding = Finding::upstream(
            Code::NodeSelectorUnparsable,
            Origin::Scheduler,
            error.message.clone(),
        )
        .with_severity(self.parse_errors);
        self.at(finding, &error.path, error.steps.clone())
    }
}

/// Returns the content of a requirement, independent of how it is written.
fn content(requirement: &Requirement<'_>) -> String {
    let mut content = String::new();
    for text in [
        requirement.list.name(),
        requirement.key,
        requirement.operator,
    ] {
        print::quote(text, &mut content);
    }
    for value in unique(requirement.values.clone()) {
        print::quote(value, &mut content);
    }
    content
}

/// Nodes, and the function that checks a requirement against them. A function pointer, so that builds without nodes do not
/// include that code.
pub type OnNodes<'n> = (
    &'n PreparedNodes,
    fn(&Requirement<'_>, &PreparedNodes) -> Option<Finding>,
);

/// Returns all findings about a selector, by itself and against nodes.
pub fn findings(
    selector: &ParsedSelector<'_>,
    place: &SelectorSite<'_>,
    on_nodes: Option<OnNodes<'_>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for error in selector.errors() {
        findings.push(place.of_error(error));
    }
    if selector.terms.iter().all(Term::is_empty) {
        findings.push(place.of_none());
        return findings;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, term) in selector.terms.iter().enumerate() {
        if term.is_empty() {
            let message = message!("lint.term-empty", "an empty term selects no node");
            let help = message!(
                "lint.term-empty-help",
                "remove it: it does not mean `every node`"
            );
            findings.push(place.of_term(index, Code::NodeSelectorTermEmpty, message, help));
            continue;
        }
        if selector.terms.len() > 1
            && let Some(first) = said_before(term, index, &mut seen)
        {
            let first = first.saturating_add(1);
            let message = message!(
                "lint.term-duplicate",
                "the term says the same as term {first}",
                first
            );
            let help = message!("lint.term-duplicate-help", "remove one of them");
            findings.push(place.of_term(index, Code::NodeSelectorTermDuplicate, message, help));
        }
        if let Some(why) = contradiction(term) {
            let message = message!("lint.term-never", "the term can never match: {why}", why);
            let help = message!(
                "lint.term-never-help",
                "all requirements of a term must hold; write alternatives as terms of their own"
            );
            findings.push(place.of_term(index, Code::NodeSelectorNeverMatches, message, help));
        }
        for requirement in &term.requirements {
            if let Some((nodes, say)) = on_nodes
                && let Some(finding) = say(requirement, nodes)
            {
                findings.push(place.at(
                    finding,
                    &requirement.path(index),
                    requirement.steps(index),
                ));
            }
        }
    }
    findings
}

/// Returns an earlier term with the same content.
fn said_before(term: &Term<'_>, index: usize, seen: &mut BTreeMap<String, usize>) -> Option<usize> {
    let content = unique(term.requirements.iter().map(content).collect()).join(";");
    let first = seen.get(&content).copied();
    if first.is_none() {
        seen.insert(content, index);
    }
    first
}

/// Sorts the values and removes duplicates.
fn unique<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    order::sort(&mut items);
    items.dedup();
    items
}

/// Returns why no node can satisfy a term; `None` if one might.
fn contradiction(term: &Term<'_>) -> Option<Message> {
    let keys: Vec<(TermList, &str)> =
        unique(term.requirements.iter().map(|r| (r.list, r.key)).collect());
    keys.into_iter().find_map(|(list, key)| {
        let tests: Vec<&Test<'_>> = term
            .requirements
            .iter()
            .filter(|r| r.list == list && r.key == key)
            .filter_map(|r| r.test.as_ref().ok())
            .collect();
        never(&tests).map(|never| never.sentence(list, key))
    })
}

/// Why no value, and no absence, satisfies all tests of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Never {
    ThereAndMissing,
    NoValue,
    MoreAndLess(i64, i64),
    More(i64),
    Less(i64),
}

impl Never {
    fn sentence(self, list: TermList, key: &str) -> Message {
        match (list, self) {
            // The operators of fields are `In` and `NotIn` alone.
            (TermList::Fields, _) => {
                message!(
                    "lint.never-field-value",
                    "field `{key}` has no value that satisfies all of its requirements",
                    key
                )
            }
            (TermList::Expressions, Never::ThereAndMissing) => {
                message!(
                    "lint.never-there-and-missing",
                    "label `{key}` is wanted both there and missing",
                    key
                )
            }
            (TermList::Expressions, Never::NoValue) => {
                message!(
                    "lint.never-label-value",
                    "label `{key}` has no value that satisfies all of its requirements",
                    key
                )
            }
            (TermList::Expressions, Never::MoreAndLess(above, below)) => {
                message!(
                    "lint.never-more-and-less",
                    "label `{key}` cannot be more than `{above}` and less than `{below}`",
                    key,
                    above,
                    below
                )
            }
            (TermList::Expressions, Never::More(bound)) => {
                message!(
                    "lint.never-more",
                    "label `{key}` cannot be more than `{bound}`",
                    key,
                    bound
                )
            }
            (TermList::Expressions, Never::Less(bound)) => {
                message!(
                    "lint.never-less",
                    "label `{key}` cannot be less than `{bound}`",
                    key,
                    bound
                )
            }
        }
    }
}

fn never(tests: &[&Test<'_>]) -> Option<Never> {
    let needed = tests.iter().any(|test| !test.holds(None));
    let forbidden = tests.iter().any(|test| matches!(test, Test::DoesNotExist));
    if forbidden {
        return needed.then_some(Never::ThereAndMissing);
    }
    if !needed {
        return None;
    }
    let sets: Vec<&Vec<&str>> = tests
        .iter()
        .filter_map(|test| {
            if let Test::In(values) = test {
                Some(values)
            } else {
                None
            }
        })
        .collect();
    if let Some(first) = sets.first() {
        let possible = first
            .iter()
            .any(|value| tests.iter().all(|test| test.holds(Some(value))));
        return (!possible).then_some(Never::NoValue);
    }
    let above = tests
        .iter()
        .filter_map(|test| {
            if let Test::Gt(bound) = test {
                Some(*bound)
            } else {
                None
            }
        })
        .max();
    let below = tests
        .iter()
        .filter_map(|test| {
            if let Test::Lt(bound) = test {
                Some(*bound)
            } else {
                None
            }
        })
        .min();
    let lowest = above.map_or(Some(i64::MIN), |bound| bound.checked_add(1));
    let highest = below.map_or(Some(i64::MAX), |bound| bound.checked_sub(1));
    match (lowest, highest) {
        (Some(lowest), Some(highest)) if lowest <= highest => None,
        _ => match (above, below) {
            (Some(above), Some(below)) => Some(Never::MoreAndLess(above, below)),
            (Some(above), None) => Some(Never::More(above)),
            (None, Some(below)) => Some(Never::Less(below)),
            (None, None) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_can_never_be() {
        let never = |tests: &[Test<'_>]| super::never(&tests.iter().collect::<Vec<_>>()).is_some();
        assert!(never(&[Test::Exists, Test::DoesNotExist]));
        assert!(never(&[Test::In(vec!["a"]), Test::NotIn(vec!["a"])]));
        assert!(never(&[Test::In(vec!["a", "b"]), Test::In(vec!["c"])]));
        assert!(never(&[Test::Gt(5), Test::Lt(6)]));
        assert!(never(&[Test::Gt(i64::MAX)]));
        assert!(never(&[Test::In(vec!["4"]), Test::Gt(4)]));
        assert!(!never(&[Test::Gt(5), Test::Lt(7)]));
        assert!(
            !never(&[Test::Gt(5), Test::Lt(7), Test::NotIn(vec!["6"])]),
            "`06` is left"
        );
        assert!(!never(&[Test::NotIn(vec!["a"]), Test::DoesNotExist]));
        assert!(!never(&[Test::In(vec!["a", "b"]), Test::NotIn(vec!["a"])]));
    }
}
