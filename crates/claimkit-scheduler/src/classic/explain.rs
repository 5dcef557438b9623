//! Why a requirement holds on a node or not, in words that read well aloud.

use crate::classic::bits::Bits;
use crate::classic::matching::{Matches, TermState};
use crate::classic::nodes::{LabelColumn, PreparedNodes};
use crate::selector::{Requirement, TermList, Test, integer};
use claimkit_model::finding::{Code, Finding};
use claimkit_model::message::{self, Message, Template, Words, message, template};
use claimkit_model::nearest::did_you_mean;
use claimkit_model::nearest::near;
use std::borrow::Cow;

/// Maximum number of values that are named in a sentence.
const SHOWN_VALUES: usize = 8;

/// A requirement on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained<'n> {
    /// The node's value of the label or field; `None` if it is missing, or if fields are not evaluated.
    pub actual: Option<&'n str>,
    /// Whether it holds; `None` if it cannot be parsed, or is not looked at.
    pub holds: Option<bool>,
    /// The sentence, e.g. ``label `zone` is `c`, wanted one of `a`, `b` ``.
    pub why: Words,
}

/// Explains a requirement on a node.
pub fn requirement<'n>(
    requirement: &Requirement<'_>,
    nodes: &'n PreparedNodes,
    node: usize,
) -> Explained<'n> {
    if nodes.is_nil() {
        return Explained {
            actual: None,
            holds: None,
            why: no_node().into(),
        };
    }
    let key = requirement.key;
    let actual = match requirement.list {
        TermList::Expressions => nodes.label(key).and_then(|label| label.value(node)),
        TermList::Fields if nodes.name(node).is_empty() => {
            let why = match &requirement.test {
                Ok(_) => message!(
                    "node.no-name",
                    "the node has no name: fields are not looked at"
                )
                .into(),
                Err(_) => unusable(requirement),
            };
            return Explained {
                actual: None,
                holds: None,
                why,
            };
        }
        TermList::Fields if key == "metadata.name" => Some(nodes.name(node)),
        // Any other field has the empty string as its value.
        TermList::Fields => Some(""),
    };
    let Ok(test) = &requirement.test else {
        return Explained {
            actual,
            holds: None,
            why: unusable(requirement),
        };
    };
    let holds = test.holds(actual);
    let is = is(requirement, actual);
    let verdict = match (test, holds) {
        (Test::In(values), false) => Some(wanted(values)),
        (Test::NotIn(values), false) => Some(unwanted(values)),
        (Test::Gt(bound), false) => Some(message!(
            "node.wanted-more",
            "wanted more than `{bound}`",
            bound
        )),
        (Test::Lt(bound), false) => Some(message!(
            "node.wanted-less",
            "wanted less than `{bound}`",
            bound
        )),
        (Test::DoesNotExist, false) => Some(message!("node.wanted-none", "wanted none")),
        (Test::Exists, _) | (Test::DoesNotExist, true) => None,
        (Test::In(values), true) if values.len() > 1 => Some(message!(
            "node.one-of",
            "one of {values}",
            values = quoted(values)
        )),
        (Test::In(_), true) => None,
        (Test::NotIn(values), true) => Some(not(values)),
        (Test::Gt(bound), true) => Some(message!("node.more", "more than `{bound}`", bound)),
        (Test::Lt(bound), true) => Some(message!("node.less", "less than `{bound}`", bound)),
    };
    let why = match verdict {
        Some(verdict) => message!("node.judged", "{is}, {verdict}", is, verdict),
        None => is,
    };
    Explained {
        actual,
        holds: Some(holds),
        why: why.into(),
    }
}

fn no_node() -> Message {
    message!("node.none", "there is no node")
}

fn unusable(requirement: &Requirement<'_>) -> Words {
    let errors = requirement
        .test
        .as_ref()
        .err()
        .map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    Words::upstream(texts.join("; "))
}

/// Says what a node has for a requirement that can be used.
fn is(requirement: &Requirement<'_>, actual: Option<&str>) -> Message {
    let key = requirement.key;
    let compared = matches!(requirement.test, Ok(Test::Gt(_) | Test::Lt(_)));
    match (requirement.list, actual) {
        (TermList::Fields, Some(name)) if !name.is_empty() => {
            message!("node.name", "the name is `{name}`", name)
        }
        (TermList::Fields, _) => message!("node.field-empty", "field `{key}` is empty", key),
        (TermList::Expressions, None) => {
            message!("node.label-missing", "label `{key}` is missing", key)
        }
        (TermList::Expressions, Some("")) if compared => {
            message!(
                "node.label-empty-no-integer",
                "label `{key}` is empty, which is not an integer",
                key
            )
        }
        (TermList::Expressions, Some("")) => {
            message!("node.label-empty", "label `{key}` is empty", key)
        }
        (TermList::Expressions, Some(value)) if compared && integer(value).is_none() => {
            message!(
                "node.label-no-integer",
                "label `{key}` is `{value}`, which is not an integer",
                key,
                value
            )
        }
        (TermList::Expressions, Some(value)) => {
            message!("node.label", "label `{key}` is `{value}`", key, value)
        }
    }
}

fn quoted(values: &[&str]) -> String {
    let shown: Vec<String> = values
        .iter()
        .take(SHOWN_VALUES)
        .map(|value| format!("`{value}`"))
        .collect();
    let shown = shown.join(", ");
    match values.len().saturating_sub(SHOWN_VALUES) {
        0 => shown,
        more => message!("node.values-more", "{shown}, {more} more", shown, more).into(),
    }
}

fn wanted(values: &[&str]) -> Message {
    let shown = quoted(values);
    match values.len() {
        1 => message!("node.wanted", "wanted {value}", value = shown),
        _ => message!(
            "node.wanted-one-of",
            "wanted one of {values}",
            values = shown
        ),
    }
}

fn unwanted(values: &[&str]) -> Message {
    let shown = quoted(values);
    match values.len() {
        1 => message!(
            "node.wanted-anything-but",
            "wanted anything but {value}",
            value = shown
        ),
        _ => message!(
            "node.wanted-none-of",
            "wanted none of {values}",
            values = shown
        ),
    }
}

fn not(values: &[&str]) -> Message {
    let shown = quoted(values);
    match values.len() {
        1 => message!("node.not", "not {value}", value = shown),
        _ => message!("node.none-of", "none of {values}", values = shown),
    }
}

const NUMBERS: [Template; 13] = [
    template!("node.number-none", "none"),
    template!("node.number-one", "one"),
    template!("node.number-two", "two"),
    template!("node.number-three", "three"),
    template!("node.number-four", "four"),
    template!("node.number-five", "five"),
    template!("node.number-six", "six"),
    template!("node.number-seven", "seven"),
    template!("node.number-eight", "eight"),
    template!("node.number-nine", "nine"),
    template!("node.number-ten", "ten"),
    template!("node.number-eleven", "eleven"),
    template!("node.number-twelve", "twelve"),
];

/// Writes a number in words.
pub fn spoken(number: usize) -> Cow<'static, str> {
    NUMBERS
        .get(number)
        .map_or_else(|| Cow::Owned(number.to_string()), |word| word.text().into())
}

/// Why no term matches a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// In one line, e.g. ``term 2 of 3 misses by one: label `model` is `t4`, wanted `a100` ``.
    pub text: Message,
    /// The nearest term and its first requirement that fails: where to look in the text.
    pub at: Option<(usize, usize)>,
}

impl Miss {
    /// Makes the reason of a selector that misses every node: no term is nearer than the others.
    fn of_selector(text: Message) -> Self {
        Miss { text, at: None }
    }
}

/// Explains a node that the selector does not select; `None` if it does.
pub fn miss(matches: &Matches<'_, '_>, nodes: &PreparedNodes, node: usize) -> Option<Miss> {
    if matches.any.has(node) {
        return None;
    }
    if nodes.is_nil() {
        return Some(Miss::of_selector(no_node()));
    }
    let Some((term, failing)) = matches.nearest(node) else {
        return Some(Miss::of_selector(why_no_term_counts(matches)));
    };
    Some(Miss {
        text: missed_term(matches, nodes, node, term, &failing),
        at: failing.first().map(|&requirement| (term, requirement)),
    })
}

/// Returns why a selector has no term that could select a node.
fn why_no_term_counts(matches: &Matches<'_, '_>) -> Message {
    if matches.terms.is_empty() {
        return message!(
            "node.selector-no-term",
            "the selector has no term: it selects no node"
        );
    }
    let mut terms = matches.terms.iter();
    if terms.all(|term| term.state == TermState::Empty) {
        message!(
            "node.selector-empty-terms",
            "the selector has only empty terms: they select no node"
        )
    } else {
        message!(
            "node.selector-unusable",
            "no term of the selector can be used"
        )
    }
}
/// Says by which requirements a term misses a node. `failing`: their places among those of the term.
fn missed_term(
    matches: &Matches<'_, '_>,
    nodes: &PreparedNodes,
    node: usize,
    term: usize,
    failing: &[usize],
) -> Message {
    let requirements = matches
        .selector
        .terms
        .get(term)
        .map_or(&[][..], |term| term.requirements.as_slice());
    let failures = failing.iter().filter_map(|&index| requirements.get(index));
    let whys = message::sentences(failures.map(|failing| requirement(failing, nodes, node).why));
    let count = spoken(failing.len());
    match matches.terms.len() {
        1 => message!(
            "node.term-misses",
            "the term misses by {count}: {whys}",
            count,
            whys
        ),
        terms => message!(
            "node.term-of-misses",
            "term {term} of {terms} misses by {count}: {whys}",
            term = term.saturating_add(1),
            terms,
            count,
            whys
        ),
    }
}

/// The inverse view of one requirement: which nodes it removes from its term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    pub term: usize,
    /// The requirement's place among the term's.
    pub requirement: usize,
    /// Nodes on which it does not hold.
    pub removes: Bits,
    /// Nodes on which it alone of the term does not hold.
    pub alone: Bits,
    /// Without it the term would select nodes; with it, it selects none.
    pub empties: bool,
}

/// Returns the inverse view of a selector: its requirements, term by term. Terms that are empty or cannot be parsed have none.
pub fn removals(matches: &Matches<'_, '_>) -> Vec<Removal> {
    let mut removals = Vec::new();
    for (index, term) in matches
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| term.state == TermState::Judged)
    {
        let Some(len) = term.holds.first().map(Bits::len) else {
            continue;
        };
        let fails_one = nodes_that_fail_one(&term.holds, len);
        for (requirement, holds) in term.holds.iter().enumerate() {
            let removes = holds.not();
            let mut alone = removes.clone();
            alone.and(&fails_one);
            let empties = term.all.is_empty() && !alone.is_empty();
            removals.push(Removal {
                term: index,
                requirement,
                removes,
                alone,
                empties,
            });
        }
    }
    removals
}

/// Returns the nodes on which exactly one requirement does not hold. `holds`: by requirement, the nodes on which it holds.
fn nodes_that_fail_one(holds: &[Bits], len: usize) -> Bits {
    let (mut fail_one_or_more, mut fail_two_or_more) = (Bits::none(len), Bits::none(len));
    for holds in holds {
        let fails = holds.not();
        let mut fails_again = fails.clone();
        fails_again.and(&fail_one_or_more);
        fail_two_or_more.or(&fails_again);
        fail_one_or_more.or(&fails);
    }
    fail_one_or_more.and_not(&fail_two_or_more);
    fail_one_or_more
}

/// Maximum number of distinct values that are searched for a similar one.
const MAX_SEARCHED: usize = 2000;

/// Maximum number of values of a requirement that are named and compared.
const MAX_NAMED: usize = 8;

/// Reports a label, or values of it, that no given node has.
pub fn unknown_label(requirement: &Requirement<'_>, nodes: &PreparedNodes) -> Option<Finding> {
    if nodes.is_nil() || nodes.is_empty() || requirement.list != TermList::Expressions {
        return None;
    }
    let Ok(test) = &requirement.test else {
        return None;
    };
    if test.holds(None) {
        return None;
    }
    match nodes.label(requirement.key) {
        None => Some(unknown_key(requirement.key, nodes)),
        Some(label) if label.values().any(|value| test.holds(Some(value))) => None,
        Some(label) => unknown_value(test, label),
    }
}

/// Reports the key of a label that no node has.
fn unknown_key(key: &str, nodes: &PreparedNodes) -> Finding {
    let finding = Finding::new(
        Code::NodeSelectorLabelUnknown,
        message!("node.label-unknown", "no node has a label `{key}`", key),
    );
    match nearest(key, nodes.labels().map(LabelColumn::key)) {
        Some(similar) => finding.with_help(did_you_mean(similar)),
        None => finding.with_help(message!(
            "node.label-unknown-help",
            "check the label's key against `kubectl get nodes --show-labels`"
        )),
    }
}

/// Reports values that no node has for a label; `None` for a test that names no values.
fn unknown_value(test: &Test<'_>, label: LabelColumn<'_>) -> Option<Finding> {
    let key = label.key();
    let (message, help) = match test {
        Test::In(values) => (no_node_has(values, key), similar_value(values, label)),
        Test::Gt(bound) => (
            message!(
                "node.no-value-more",
                "no node has more than `{bound}` for label `{key}`",
                bound,
                key
            ),
            largest_value(label),
        ),
        Test::Lt(bound) => (
            message!(
                "node.no-value-less",
                "no node has less than `{bound}` for label `{key}`",
                bound,
                key
            ),
            smallest_value(label),
        ),
        _ => return None,
    };
    let help = help.unwrap_or_else(|| first_values(label));
    Some(Finding::new(Code::NodeSelectorValueUnknown, message).with_help(help))
}

fn no_node_has(values: &[&str], key: &str) -> Message {
    let named = values
        .iter()
        .take(MAX_NAMED)
        .map(|value| format!("`{value}`"));
    let alternatives = named
        .reduce(|first, other| message!("node.or", "{first} or {other}", first, other).into())
        .unwrap_or_default();
    message!(
        "node.value-unknown",
        "no node has {values} for label `{key}`",
        values = alternatives,
        key
    )
}

/// Suggests a value of the label that is similar to one of a requirement.
fn similar_value(values: &[&str], label: LabelColumn<'_>) -> Option<Message> {
    if label.values().len() > MAX_SEARCHED {
        return None;
    }
    let similar = values
        .iter()
        .take(MAX_NAMED)
        .find_map(|value| nearest(value, label.values()))?;
    Some(did_you_mean(similar))
}

fn largest_value(label: LabelColumn<'_>) -> Option<Message> {
    let numbers = label.values().filter(|value| integer(value).is_some());
    let value = numbers.max_by_key(|value| integer(value))?;
    Some(message!(
        "node.largest-value",
        "the largest value is `{value}`",
        value
    ))
}

fn smallest_value(label: LabelColumn<'_>) -> Option<Message> {
    let numbers = label.values().filter(|value| integer(value).is_some());
    let value = numbers.min_by_key(|value| integer(value))?;
    Some(message!(
        "node.smallest-value",
        "the smallest value is `{value}`",
        value
    ))
}

fn first_values(label: LabelColumn<'_>) -> Message {
    let values: Vec<String> = label
        .values()
        .take(5)
        .map(|value| format!("`{value}`"))
        .collect();
    message!(
        "node.values",
        "nodes have {values}",
        values = values.join(", ")
    )
}

/// Finds the most similar of some texts, if it is similar at all.
fn nearest<'n>(text: &str, among: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lowered = text.to_ascii_lowercase();
    among
        .filter_map(|candidate| {
            let distance = near(&lowered, &candidate.to_ascii_lowercase())?;
            Some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
