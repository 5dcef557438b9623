//! The edits of a rename: how the new name is written at each place, and the places that no name of the outline covers.

use super::project::{NamePlace, Named, Text};
use super::protocol::{Location, Position, Range, TextEdit};
use crate::editor::symbols::NameKind;
use crate::validation::fields::{DRIVER_MAX, POOL_MAX};
use claimkit_model::text::Source;
use claimkit_scheduler::allocator::extended::IMPLICIT;
use claimkit_values::names::{self, DottedLabel};
use claimkit_yaml::print;

/// An edit of a file.
pub struct FileEdit {
    pub uri: String,
    pub edit: TextEdit,
}

/// The kinds whose names have no dots.
const LABELS: [NameKind; 5] = [
    NameKind::Request,
    NameKind::Alternative,
    NameKind::PodClaim,
    NameKind::Device,
    NameKind::CounterSet,
];

/// Returns true if Kubernetes accepts a name for a thing.
pub fn is_accepted(named: &Named, name: &str) -> bool {
    let is_subdomain = |name: &str| names::subdomain(name).is_empty();
    if LABELS.iter().any(|kind| named.is_of(*kind)) {
        names::label(name, DottedLabel::NamesTheDots).is_empty()
    } else if named.is_of(NameKind::Driver) {
        names::lowered_subdomain(name).is_empty() && name.len() <= DRIVER_MAX
    } else if named.is_of(NameKind::Pool) {
        name.split('/').all(is_subdomain) && name.len() <= POOL_MAX
    } else {
        is_subdomain(name)
    }
}

/// Returns the edit that writes another name at a place of a text.
pub fn edit(text: &Text, place: &NamePlace, name: &str) -> FileEdit {
    let Location { uri, range } = &place.location;
    let source = Source::new(&text.text);
    let at = |position: Position| source.offset(position.line, position.character);
    FileEdit {
        uri: uri.clone(),
        edit: TextEdit {
            range: *range,
            new_text: written(&text.text, at(range.start), at(range.end), name),
        },
    }
}

/// Returns a name as it is written in place of some bytes: in quotes if it is a whole plain value that YAML reads as another type.
fn written(text: &str, from: usize, to: usize, name: &str) -> String {
    let before = text.get(..from).and_then(|head| head.chars().next_back());
    let behind = text.get(to..).and_then(|tail| tail.chars().next());
    let begins = before.is_none_or(|sign| sign.is_whitespace() || "[{,".contains(sign));
    let ends = behind.is_none_or(|sign| sign.is_whitespace() || "]},".contains(sign));
    if begins && ends {
        print::scalar(name)
    } else {
        name.to_owned()
    }
}

/// Returns the edits of the resources that stand for a class: `deviceclass.resource.kubernetes.io/NAME` in `requests` and `limits`.
pub fn resources(text: &Text, named: &Named, name: &str) -> Vec<FileEdit> {
    if !named.is_of(NameKind::DeviceClass) {
        return Vec::new();
    }
    let source = Source::new(&text.text);
    let resource = format!("{IMPLICIT}{}", named.name());
    let mut edits = Vec::new();
    for at in whole_words(&text.text, &resource) {
        let to = at.saturating_add(resource.len());
        let from = to.saturating_sub(named.name().len());
        edits.push(FileEdit {
            uri: text.uri.clone(),
            edit: TextEdit {
                range: Range {
                    start: position(&source, from),
                    end: position(&source, to),
                },
                new_text: name.to_owned(),
            },
        });
    }
    edits
}

/// Returns true if a driver's name is in a text also as the domain of attributes: in an expression, or before a `/`.
pub fn is_domain(text: &Text, named: &Named) -> bool {
    if !named.is_of(NameKind::Driver) {
        return false;
    }
    whole_words(&text.text, named.name()).any(|at| {
        let behind = text.text.get(at.saturating_add(named.name().len())..);
        let head = text.text.get(..at).unwrap_or_default();
        behind.is_some_and(|behind| behind.starts_with('/')) || is_in_expression(head)
    })
}

/// Returns true if a name that follows is a string of an expression: an index, or one side of a comparison.
fn is_in_expression(head: &str) -> bool {
    let Some(before) = head.strip_suffix(['"', '\'']) else {
        return false;
    };
    let before = before.strip_suffix('\\').unwrap_or(before);
    let operators = ["==", "!="];
    let is_index = ["attributes[", "capacity["]
        .iter()
        .any(|index| before.ends_with(index));
    is_index
        || operators
            .iter()
            .any(|operator| before.trim_end().ends_with(operator))
}

/// Returns where a word is that is not a part of a longer name.
fn whole_words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let in_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '.');
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = text.get(..*at).unwrap_or_default();
            let behind = text
                .get(at.saturating_add(word.len())..)
                .unwrap_or_default();
            !before.ends_with(in_name) && !behind.starts_with(in_name)
        })
}

fn position(source: &Source<'_>, offset: usize) -> Position {
    let place = source.position(offset);
    Position {
        line: place.line,
        character: place.character,
    }
}
