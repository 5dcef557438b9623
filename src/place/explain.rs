//! Why a requirement holds on a node or not, in words that read well aloud.

use crate::advice::nearest::distance;
use crate::finding::{Code, Finding, Origin};
use crate::place::bits::Bits;
use crate::place::matching::{Matches, State};
use crate::place::nodes::{Label, PreparedNodes};
use crate::place::selector::{List, Requirement, Test, integer};

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
    pub why: String,
}

/// Explains a requirement on a node.
pub fn requirement<'n>(requirement: &Requirement<'_>, nodes: &'n PreparedNodes, node: usize) -> Explained<'n> {
    if nodes.is_nil() {
        return Explained { actual: None, holds: None, why: "there is no node".to_owned() };
    }
    let key = requirement.key;
    let (what, actual) = match requirement.list {
        List::Expressions => (format!("label `{key}`"), nodes.label(key).and_then(|label| label.value(node))),
        List::Fields if nodes.name(node).is_empty() => {
            let why = "the node has no name: fields are not looked at".to_owned();
            let holds = None;
            return match &requirement.test {
                Ok(_) => Explained { actual: None, holds, why },
                Err(_) => Explained { actual: None, holds, why: unusable(requirement) },
            };
        }
        List::Fields if key == "metadata.name" => ("the name".to_owned(), Some(nodes.name(node))),
        // Any other field has the empty string as its value.
        List::Fields => (format!("field `{key}`"), Some("")),
    };
    let Ok(test) = &requirement.test else { return Explained { actual, holds: None, why: unusable(requirement) } };
    let holds = test.holds(actual);
    let is = match actual {
        None => format!("{what} is missing"),
        Some("") => format!("{what} is empty"),
        Some(value) => format!("{what} is `{value}`"),
    };
    let why = match (test, holds) {
        (Test::In(values), false) => format!("{is}, wanted {}", one_of(values)),
        (Test::NotIn(values), false) => format!("{is}, wanted {}", none_of(values)),
        (Test::Gt(bound), false) => format!("{is}{}, wanted more than `{bound}`", no_integer(actual)),
        (Test::Lt(bound), false) => format!("{is}{}, wanted less than `{bound}`", no_integer(actual)),
        (Test::DoesNotExist, false) => format!("{is}, wanted none"),
        (Test::Exists, _) | (Test::DoesNotExist, true) => is,
        (Test::In(values), true) if values.len() > 1 => format!("{is}, {}", one_of(values)),
        (Test::In(_), true) => is,
        (Test::NotIn(values), true) => format!("{is}, {}", not(values)),
        (Test::Gt(bound), true) => format!("{is}, more than `{bound}`"),
        (Test::Lt(bound), true) => format!("{is}, less than `{bound}`"),
    };
    Explained { actual, holds: Some(holds), why }
}

fn unusable(requirement: &Requirement<'_>) -> String {
    let errors = requirement.test.as_ref().err().map_or(&[][..], Vec::as_slice);
    errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
}

fn no_integer(actual: Option<&str>) -> &'static str {
    if actual.is_some_and(|value| integer(value).is_none()) { ", which is no integer" } else { "" }
}

fn quoted(values: &[&str]) -> String {
    let mut shown: Vec<String> = values.iter().take(SHOWN_VALUES).map(|value| format!("`{value}`")).collect();
    let more = values.len().saturating_sub(SHOWN_VALUES);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

fn one_of(values: &[&str]) -> String {
    if values.len() == 1 { quoted(values) } else { format!("one of {}", quoted(values)) }
}

fn none_of(values: &[&str]) -> String {
    if values.len() == 1 { format!("anything but {}", quoted(values)) } else { format!("none of {}", quoted(values)) }
}

fn not(values: &[&str]) -> String {
    if values.len() == 1 { format!("not {}", quoted(values)) } else { format!("none of {}", quoted(values)) }
}

/// Writes a number in words.
pub fn spoken(number: usize) -> String {
    let words = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    words.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// Why no term matches a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// In one line, e.g. ``term 2 of 3 misses by one: label `model` is `t4`, wanted `a100` ``.
    pub text: String,
    /// The nearest term and its first requirement that fails: where to look in the text.
    pub at: Option<(usize, usize)>,
}

/// Explains a node that the selector does not select; `None` if it does.
pub fn miss(matches: &Matches<'_, '_>, nodes: &PreparedNodes, node: usize) -> Option<Miss> {
    if matches.any.has(node) {
        return None;
    }
    let only = |text: &str| Some(Miss { text: text.to_owned(), at: None });
    if nodes.is_nil() {
        return only("there is no node");
    }
    if matches.terms.is_empty() {
        return only("the selector has no term: it selects no node");
    }
    let Some((term, failing)) = matches.nearest(node) else {
        return match matches.terms.iter().all(|term| term.state == State::Empty) {
            true => only("the selector has only empty terms: they select no node"),
            false => only("no term of the selector can be used"),
        };
    };
    let requirements = matches.selector.terms.get(term).map_or(&[][..], |term| term.requirements.as_slice());
    let whys: Vec<String> =
        failing.iter().filter_map(|&at| requirements.get(at)).map(|failing| requirement(failing, nodes, node).why).collect();
    let which = match matches.terms.len() {
        1 => "the term".to_owned(),
        many => format!("term {} of {many}", term.saturating_add(1)),
    };
    let text = format!("{which} misses by {}: {}", spoken(failing.len()), whys.join("; "));
    Some(Miss { text, at: failing.first().map(|&first| (term, first)) })
}

/// The inverse view of one requirement: which nodes it removes from its term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    pub term: usize,
    /// The requirement's place among the term's.
    pub requirement: usize,
    /// Nodes on which it does not hold.
    pub removes: Bits,
    /// Nodes on which all others of the term hold.
    pub alone: Bits,
    /// Without it the term would select nodes; with it, it selects none.
    pub empties: bool,
}

/// Returns the inverse view of a selector: its requirements, term by term. Terms that are empty or cannot be parsed have none.
pub fn removals(matches: &Matches<'_, '_>) -> Vec<Removal> {
    let mut removals = Vec::new();
    for (index, term) in matches.terms.iter().enumerate().filter(|(_, term)| term.state == State::Judged) {
        let Some(len) = term.holds.first().map(Bits::len) else { continue };
        let (mut once, mut twice) = (Bits::none(len), Bits::none(len));
        for holds in &term.holds {
            let fails = holds.not();
            let mut again = fails.clone();
            again.and(&once);
            twice.or(&again);
            once.or(&fails);
        }
        once.and_not(&twice);
        for (requirement, holds) in term.holds.iter().enumerate() {
            let removes = holds.not();
            let mut alone = removes.clone();
            alone.and(&once);
            let empties = term.all.is_empty() && !alone.is_empty();
            removals.push(Removal { term: index, requirement, removes, alone, empties });
        }
    }
    removals
}

/// Maximum number of distinct values that are searched for a similar one.
const MAX_SEARCHED: usize = 2000;

/// Reports a label, or values of it, that no given node has.
pub fn unknown_label(requirement: &Requirement<'_>, nodes: &PreparedNodes) -> Option<Finding> {
    if nodes.is_nil() || nodes.is_empty() || requirement.list != List::Expressions {
        return None;
    }
    let Ok(test) = &requirement.test else { return None };
    if test.holds(None) {
        return None;
    }
    let key = requirement.key;
    let Some(label) = nodes.label(key) else {
        let message = format!("no node has a label `{key}`");
        let finding = Finding::new(Code::NodeSelectorLabelUnknown, Origin::Claimkit, message);
        let near = nearest(key, nodes.labels().map(Label::key));
        return Some(match near {
            Some(near) => finding.with_help(format!("did you mean `{near}`?")),
            None => finding.with_help("check the label's key against `kubectl get nodes --show-labels`"),
        });
    };
    if label.values().any(|value| test.holds(Some(value))) {
        return None;
    }
    let message = match test {
        Test::In(values) => {
            let shown: Vec<String> = values.iter().take(8).map(|value| format!("`{value}`")).collect();
            format!("no node has {} for label `{key}`", shown.join(" or "))
        }
        Test::Gt(bound) => format!("no node has more than `{bound}` for label `{key}`"),
        Test::Lt(bound) => format!("no node has less than `{bound}` for label `{key}`"),
        _ => return None,
    };
    let finding = Finding::new(Code::NodeSelectorValueUnknown, Origin::Claimkit, message);
    let near = match test {
        Test::In(values) if label.values().len() <= MAX_SEARCHED => {
            values.iter().take(8).find_map(|value| nearest(value, label.values()))
        }
        Test::Gt(_) => label.values().filter(|value| integer(value).is_some()).max_by_key(|value| integer(value)),
        Test::Lt(_) => label.values().filter(|value| integer(value).is_some()).min_by_key(|value| integer(value)),
        _ => None,
    };
    Some(match (near, test) {
        (Some(near), Test::In(_)) => finding.with_help(format!("did you mean `{near}`?")),
        (Some(near), Test::Gt(_)) => finding.with_help(format!("the largest value is `{near}`")),
        (Some(near), _) => finding.with_help(format!("the smallest value is `{near}`")),
        _ => {
            let some: Vec<String> = label.values().take(5).map(|value| format!("`{value}`")).collect();
            finding.with_help(format!("nodes have {}", some.join(", ")))
        }
    })
}

/// Finds the most similar of some texts, if it is similar at all.
fn nearest<'n>(text: &str, among: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let close = (text.len() / 3).max(1);
    let lowered = text.to_ascii_lowercase();
    among
        .filter(|have| have.len().abs_diff(text.len()) <= close)
        .map(|have| (distance(&lowered, &have.to_ascii_lowercase()), have))
        .filter(|(distance, _)| *distance <= close)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, have)| have)
}
