//! Selectors to try in place of those that leave devices out: they compare with what the devices have.

use super::account::Reason;
use super::edits::{AskEdit, FactEdit};
use super::funnel::Row;
use crate::allocator::cluster::Cluster;
use crate::allocator::fitting::FittingSelector;
use crate::allocator::objects::Selector;
use crate::allocator::prepare::RequestChoice;
use crate::allocator::selectors::Cell;
use claimkit_values::order;

/// Maximum number of values that are tried in the comparisons of a request: of more, none is near what was asked for, as of names and
/// UUIDs.
const MOST_VALUES: usize = 16;

/// A selector to try in place of the one with this index.
#[derive(PartialEq)]
struct Candidate {
    index: usize,
    fitting: FittingSelector,
}

/// Returns the edits that write such selectors. Those that the fewest devices fulfill come first: they are nearest to what was asked
/// for.
pub fn edits(
    cluster: &Cluster<'_>,
    choice: &RequestChoice<'_>,
    row: &Row<'_, '_>,
) -> Vec<FactEdit> {
    let mut candidates = find_candidates(cluster, choice, row);
    if candidates.len() > MOST_VALUES {
        return Vec::new();
    }
    order::sort_by_key(&mut candidates, |candidate| {
        count_fulfilling(cluster, row, &candidate.fitting.expression)
    });
    let mut edits = Vec::new();
    for Candidate { index, fitting } in candidates {
        let edit = AskEdit::Selector { index, fitting };
        edits.push(FactEdit::of_choice(choice, edit));
    }
    edits
}

/// Returns how far the nearest of a row's devices is from the number that a selector asks for, in thousandths of that; `None`: no
/// selector that leaves a device out compares with a number.
pub fn distance(
    cluster: &Cluster<'_>,
    choice: &RequestChoice<'_>,
    row: &Row<'_, '_>,
) -> Option<u32> {
    let mut nearest = None;
    for (shown, reasons) in row {
        for index in indexes_of_selectors(reasons) {
            let selector = choice.ask.selectors.get(index);
            let distance =
                selector.and_then(|selector| cluster.selector_distance(selector, shown.at));
            nearest = [nearest, distance].into_iter().flatten().min();
        }
    }
    nearest
}

/// Returns the selectors that fit a device each, of the devices that selectors of the request alone leave out.
fn find_candidates(
    cluster: &Cluster<'_>,
    choice: &RequestChoice<'_>,
    row: &Row<'_, '_>,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (shown, reasons) in row {
        for index in indexes_of_selectors(reasons) {
            let selector = choice.ask.selectors.get(index);
            let fitting =
                selector.and_then(|selector| cluster.fitting_selector(selector, shown.at));
            let candidate = fitting.map(|fitting| Candidate { index, fitting });
            candidates.extend(candidate.filter(|candidate| !candidates.contains(candidate)));
        }
    }
    candidates
}

/// Returns the indexes of the request's selectors that leave a device out; none if anything else does, too.
fn indexes_of_selectors(reasons: &[Reason]) -> Vec<usize> {
    let indexes: Option<Vec<usize>> = reasons
        .iter()
        .map(|reason| match reason {
            Reason::RequestSelector(reason) => Some(reason.index),
            _ => None,
        })
        .collect();
    indexes.unwrap_or_default()
}

/// Returns how many devices of a row fulfill an expression.
fn count_fulfilling(cluster: &Cluster<'_>, row: &Row<'_, '_>, expression: &str) -> usize {
    let selector = Selector::of_expression(expression);
    let answers = row
        .iter()
        .map(|(shown, _)| cluster.ask(&selector, shown.at));
    answers
        .filter(|answer| matches!(answer, Some(Cell::Yes)))
        .count()
}
