//! Node selectors the API accepts and the scheduler then stumbles over (node-selectors.md §2 and §3.1).

use crate::goformat::{self, GoUnicode};
use crate::names;
use crate::ordered::{Map, Set};
use crate::report::{Code, Finding, Origin, Path};
use crate::view::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

/// Findings about a selector that is set. `path` is where it stands.
pub fn review(selector: NodeSelector<'_>, path: &Path<'_>, unicode: GoUnicode, findings: &mut Vec<Finding>) {
    let terms_path = path.field("nodeSelectorTerms");
    let mut hopeless = 0usize;
    for (index, term) in selector.node_selector_terms().iter().enumerate() {
        let path = terms_path.index(index);
        if term.match_expressions().is_empty() && term.match_fields().is_empty() {
            hopeless = hopeless.saturating_add(1);
            let message = "an empty term selects no node";
            findings.push(
                Finding::warning(Code::NodeSelectorTermEmpty, Origin::Claimkit, message)
                    .at(&path)
                    .with_help("give the term requirements, or leave it out; without any selector every node is fine"),
            );
            continue;
        }
        let expressions = path.field("matchExpressions");
        for (index, requirement) in term.match_expressions().iter().enumerate() {
            values(requirement, &expressions.index(index), unicode, findings);
        }
        if let Some(why) = contradiction(term) {
            hopeless = hopeless.saturating_add(1);
            findings.push(
                Finding::warning(Code::NodeSelectorNeverMatches, Origin::Claimkit, format!("no node can match this term: {why}"))
                    .at(&path)
                    .with_help("requirements of one term must all hold; alternatives are terms of their own"),
            );
        }
    }
    let count = selector.node_selector_terms().len();
    if count > 1 && hopeless == count {
        let message = "no node can match this selector: none of its terms can match";
        findings.push(Finding::warning(Code::NodeSelectorNeverMatches, Origin::Claimkit, message).at(&terms_path));
    }
}

/// Values the scheduler's parser refuses although the API accepts them.
fn values(requirement: NodeSelectorRequirement<'_>, path: &Path<'_>, unicode: GoUnicode, findings: &mut Vec<Finding>) {
    let ordered = matches!(requirement.operator(), "Gt" | "Lt");
    if !ordered && !matches!(requirement.operator(), "In" | "NotIn") {
        return;
    }
    let list = path.field("values");
    for (index, value) in requirement.values().iter().enumerate() {
        let path = list.index(index);
        let mut refuse = |place: String, detail: &str| {
            let message = format!("{place}: Invalid value: {}: {detail}", goformat::quote(value, unicode));
            let help = if ordered {
                "`Gt` and `Lt` compare with whole numbers without a sign; the scheduler refuses the whole selector"
            } else {
                "node labels never have such a value; the scheduler refuses the whole selector"
            };
            findings
                .push(Finding::warning(Code::NodeSelectorValueUnreadable, Origin::Scheduler, message).at(&path).with_help(help));
        };
        // The scheduler parses the selector alone, so its paths begin at the terms.
        let rendered = path.render();
        let bare = rendered.find("nodeSelectorTerms").and_then(|at| rendered.get(at..)).unwrap_or(&rendered).to_owned();
        if ordered && value.parse::<i64>().is_err() {
            refuse(bare.clone(), "for 'Gt', 'Lt' operators, the value must be an integer");
        }
        let messages = names::label_value(value);
        if !messages.is_empty() {
            refuse(format!("{bare}[{}]", requirement.key()), &messages.join("; "));
        }
    }
}

/// What the requirements on one label or field leave.
#[derive(Default)]
struct Left<'r> {
    needed: bool,
    absent: bool,
    any_of: Option<Set<&'r str>>,
    none_of: Set<&'r str>,
    above: Option<i64>,
    below: Option<i64>,
}

/// Why no node can match the term, if that is certain.
fn contradiction(term: NodeSelectorTerm<'_>) -> Option<String> {
    let mut labels: Map<&str, Left<'_>> = Map::new();
    for requirement in term.match_expressions().iter() {
        labels.change(requirement.key(), |left| narrow(left, requirement));
    }
    let mut fields: Map<&str, Left<'_>> = Map::new();
    for requirement in term.match_fields().iter() {
        fields.change(requirement.key(), |left| narrow(left, requirement));
    }
    labels.iter().chain(fields.iter()).find_map(|(key, left)| exhausted(key, left))
}

fn narrow<'r>(left: &mut Left<'r>, requirement: NodeSelectorRequirement<'r>) {
    let values = requirement.values();
    match requirement.operator() {
        // Without values it is the API's own error.
        "In" if values.is_empty() => left.needed = true,
        "In" => {
            left.needed = true;
            let listed: Set<&str> = values.iter().collect();
            left.any_of = Some(match left.any_of.take() {
                None => listed,
                Some(known) => known.iter().filter(|value| listed.contains(*value)).copied().collect(),
            });
        }
        "NotIn" => left.none_of.extend(values.iter()),
        "Exists" => left.needed = true,
        "DoesNotExist" => left.absent = true,
        operator @ ("Gt" | "Lt") => {
            left.needed = true;
            let Some(bound) = values.iter().next().and_then(|value| value.parse::<i64>().ok()) else { return };
            if operator == "Gt" {
                left.above = Some(left.above.map_or(bound, |known| known.max(bound)));
            } else {
                left.below = Some(left.below.map_or(bound, |known| known.min(bound)));
            }
        }
        _ => {}
    }
}

fn exhausted(key: &str, left: &Left<'_>) -> Option<String> {
    if left.needed && left.absent {
        return Some(format!("`{key}` must be there and must not"));
    }
    if let (Some(above), Some(below)) = (left.above, left.below)
        && above.saturating_add(1) >= below
    {
        return Some(format!("`{key}` must be above {above} and below {below}"));
    }
    if left.above == Some(i64::MAX) || left.below == Some(i64::MIN) {
        return Some(format!("`{key}` must be beyond what 64 bits hold"));
    }
    let any_of = left.any_of.as_ref()?;
    let fits = |value: &&str| {
        let number = value.parse::<i64>().ok();
        !left.none_of.contains(*value)
            && left.above.is_none_or(|bound| number.is_some_and(|n| n > bound))
            && left.below.is_none_or(|bound| number.is_some_and(|n| n < bound))
    };
    (!any_of.iter().any(fits)).then(|| format!("no value of `{key}` satisfies all its requirements"))
}
