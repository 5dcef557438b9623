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
    let dotted = name.contains('.');
    let comparable = names
        .iter()
        .copied()
        .filter(move |known| known.contains('.') == dotted);
    let near: Vec<(usize, &str)> = comparable
        .clone()
        .filter_map(|known| Some((distance(name, known).filter(|far| *far <= most)?, known)))
        .collect();
    match near.iter().map(|(far, _)| *far).min() {
        Some(least) => shortest(
            near.into_iter()
                .filter(|(far, _)| *far == least)
                .map(|(_, known)| known),
        ),
        None if name.len() >= 2 => {
            shortest(comparable.clone().filter(|known| known.starts_with(name)))
        }
        None => Vec::new(),
    }
}

fn shortest<'e>(names: impl Iterator<Item = &'e str>) -> Vec<&'e str> {
    let mut shortest: Vec<&str> = names.collect();
    order::sort_by_key(&mut shortest, |name| (name.len(), *name));
    shortest.dedup();
    shortest.truncate(MOST);
    shortest
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
    let [first, second] = [first, second].map(|name| name.chars().collect::<Vec<char>>());
    let (rows, columns) = (first.len(), second.len());
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
    // The last two rows of the table.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=columns).collect();
    for (row, letter) in first.iter().enumerate() {
        let mut current = Vec::with_capacity(columns.saturating_add(1));
        current.push(row.saturating_add(1));
        for (column, other) in second.iter().enumerate() {
            let next = column.saturating_add(1);
            let replaced = cell(&above, column).saturating_add(usize::from(letter != other));
            let deleted = cell(&above, next).saturating_add(1);
            let inserted = cell(&current, column).saturating_add(1);
            let mut least = replaced.min(deleted).min(inserted);
            if let (Some(row_before), Some(column_before)) =
                (row.checked_sub(1), column.checked_sub(1))
                && first.get(row_before) == Some(other)
                && second.get(column_before) == Some(letter)
            {
                let swapped = cell(&before, column_before).saturating_add(1);
                least = least.min(swapped);
            }
            current.push(least);
        }
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
