//! Names like one that is not known, for the hint of an error (cel-go, `common/env/catalog.go`, `checker/errors.go`).

use super::super::environment::Environment;
use claimkit_values::order;

/// Beyond this number of pairs of code points names are not compared.
const MOST_PAIRS: usize = 4096;

/// Names with at least this many code points are compared by length alone with much shorter ones.
const LONG: usize = 16;

/// Names that a hint has at most.
const MOST: usize = 2;

/// Returns the names of the environment that are most like `name`, at most two, the shorter first; `name` itself if it is one. Empty
/// in releases without hints.
pub(super) fn like<'e>(environment: &'e Environment, name: &str) -> Vec<&'e str> {
    if !environment.rules().names_are_suggested || name.is_empty() {
        return Vec::new();
    }
    let names = environment.catalog();
    if let Some(exact) = names.iter().find(|known| **known == name) {
        return vec![exact];
    }
    // The length decides in bytes, the distance counts code points.
    let most = match name.len() {
        0..=3 => 1,
        4..=8 => 2,
        length => length / 3,
    };
    let has_dot = name.contains('.');
    let mut least = most;
    let mut nearest: Vec<&str> = Vec::new();
    let mut longer: Vec<&str> = Vec::new();
    for known in names
        .iter()
        .copied()
        .filter(|known| known.contains('.') == has_dot)
    {
        if known.starts_with(name) {
            longer.push(known);
        }
        let Some(edits) = distance(name, known) else {
            continue;
        };
        if edits < least {
            least = edits;
            nearest.clear();
        }
        if edits == least {
            nearest.push(known);
        }
    }
    if !nearest.is_empty() {
        shortest(nearest)
    } else if name.len() >= 2 {
        shortest(longer)
    } else {
        Vec::new()
    }
}

/// Returns the shortest of these names.
fn shortest(mut names: Vec<&str>) -> Vec<&str> {
    order::sort_by_key(&mut names, |name| (name.len(), *name));
    names.dedup();
    names.truncate(MOST);
    names
}

/// Returns what an error about `name` appends.
pub(super) fn hint(name: &str, suggested: &[&str]) -> String {
    match suggested {
        [] => String::new(),
        [only] if *only == name => String::new(),
        [only] => format!(" (did you mean '{only}'?)"),
        [first, second, ..] => format!(" (did you mean '{first}' or '{second}'?)"),
    }
}

/// Returns how many insertions, deletions, substitutions and swaps of neighbors lead from one name to the other, each place changed at
/// most once; `None` if they are too far apart to be counted.
fn distance(first: &str, second: &str) -> Option<usize> {
    let rows = first.chars().count();
    let columns = second.chars().count();
    let (shorter, longer) = (rows.min(columns), rows.max(columns));
    if shorter == 0 {
        return Some(longer);
    }
    if longer >= LONG && longer.saturating_mul(2) >= shorter.saturating_mul(3) {
        return Some(longer.saturating_sub(shorter));
    }
    if rows.saturating_mul(columns) > MOST_PAIRS {
        return None;
    }
    // The last two rows of the table of edits: a row for each letter of the first name, a column for each of the second.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=columns).collect();
    let mut letter_above = None;
    for (row, letter) in first.chars().enumerate() {
        let mut current = Vec::with_capacity(columns.saturating_add(1));
        current.push(row.saturating_add(1));
        let mut other_before = None;
        for (column, other) in second.chars().enumerate() {
            let next = column.saturating_add(1);
            let replaced = cell(&above, column).saturating_add(usize::from(letter != other));
            let deleted = cell(&above, next).saturating_add(1);
            let inserted = cell(&current, column).saturating_add(1);
            let mut least = replaced.min(deleted).min(inserted);
            if letter_above == Some(other) && other_before == Some(letter) {
                let swapped = cell(&before, column.saturating_sub(1)).saturating_add(1);
                least = least.min(swapped);
            }
            current.push(least);
            other_before = Some(other);
        }
        letter_above = Some(letter);
        if current.iter().all(|edits| *edits > longer / 3) {
            return None;
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied()
}

fn cell(row: &[usize], column: usize) -> usize {
    row.get(column).copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_count_once_and_long_names_are_compared_by_length() {
        assert_eq!(distance("quantity", "quantiyt"), Some(1));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("format.dns1123LabelPrefix", "x"), Some(24));
        assert_eq!(distance("abcdef", "uvwxyz"), None);
    }
}
