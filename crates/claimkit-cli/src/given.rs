//! Files as the manifest of one request, and the answer split by file.

use crate::ask;
use crate::files::InputFile;
use claimkit::requests::Answer;
use claimkit::requests::sources::NamedText;
use claimkit_model::finding::{Severity, TextField};
use claimkit_model::text::Sources;
use claimkit_model::text::located::{LocatedFinding, Range};
use std::collections::BTreeMap;

/// The fields of a request that have its manifest: one file is a text, several are read each by itself and judged as one cluster.
#[derive(Default)]
pub struct Given {
    pub text: Option<String>,
    pub sources: Option<Vec<NamedText>>,
    /// Position in `text` of the U+FFFD that replaces the first byte that is not UTF-8.
    pub replaced: Option<u32>,
}

impl Given {
    /// Gives files.
    pub fn of(files: &[InputFile]) -> Self {
        match files {
            [] => Given {
                text: Some(String::new()),
                ..Given::default()
            },
            [one] => Given {
                text: Some(one.text.clone()),
                replaced: ask::offset(one.replaced),
                ..Given::default()
            },
            several => Given {
                sources: Some(several.iter().map(named).collect()),
                ..Given::default()
            },
        }
    }
}

fn named(file: &InputFile) -> NamedText {
    NamedText {
        name: file.name.clone(),
        text: file.text.clone(),
        replaced: ask::offset(file.replaced),
    }
}

/// Returns files to be read one after another.
pub fn sources(files: &[InputFile]) -> Sources {
    let mut sources = Sources::default();
    for file in files {
        sources.add(file.name.as_str(), &file.text);
    }
    sources
}

/// Where the objects of an answer about several files are.
pub struct Homes<'f> {
    by_name: BTreeMap<&'f str, usize>,
    /// For each object of the answer its file, and its index there.
    of_objects: Vec<(usize, usize)>,
}

impl<'f> Homes<'f> {
    fn of(files: &'f [InputFile], answer: &Answer) -> Self {
        let mut homes = Homes {
            by_name: BTreeMap::new(),
            of_objects: Vec::with_capacity(answer.objects.len()),
        };
        for (at, file) in files.iter().enumerate() {
            homes.by_name.entry(&file.name).or_insert(at);
        }
        let mut counts = vec![0_usize; files.len()];
        for object in &answer.objects {
            let home = homes.named(object.file.as_deref());
            let Some(count) = counts.get_mut(home) else {
                continue;
            };
            homes.of_objects.push((home, *count));
            *count = count.saturating_add(1);
        }
        homes
    }

    /// Returns the index of a file; the first one for what is in none.
    fn named(&self, name: Option<&str>) -> usize {
        name.and_then(|name| self.by_name.get(name).copied())
            .unwrap_or(0)
    }

    fn of_finding(&self, finding: &LocatedFinding) -> usize {
        match &finding.file {
            Some(name) => self.named(Some(name)),
            None => finding
                .object
                .and_then(|object| self.of_object(object))
                .map_or(0, |(home, _)| home),
        }
    }

    /// Returns the file of a range.
    pub fn of_range(&self, range: &Range) -> usize {
        self.named(range.file.as_deref())
    }

    /// Returns the index of an object in the answer about its own file, and the file.
    fn of_object(&self, object: usize) -> Option<(usize, usize)> {
        self.of_objects.get(object).copied()
    }

    /// Returns the index of an object in the answer about a file; `None` if it is in another one.
    fn in_file(&self, file: usize, object: Option<usize>) -> Option<usize> {
        let (home, index) = self.of_object(object?)?;
        (home == file).then_some(index)
    }
}

/// The answers about files that were read together.
pub struct AnswersByFile<'f> {
    /// One entry per file.
    pub answers: Vec<Answer>,
    pub homes: Homes<'f>,
}

/// Splits an answer into one answer per file.
pub fn by_file(files: &[InputFile], mut answer: Answer) -> AnswersByFile<'_> {
    let homes = Homes::of(files, &answer);
    if files.len() < 2 {
        return AnswersByFile {
            answers: files.first().map(|_| answer).into_iter().collect(),
            homes,
        };
    }
    let mut parts: Vec<Answer> = files
        .iter()
        .map(|_| Answer {
            verb: answer.verb.clone(),
            rules_of: answer.rules_of,
            ..Answer::default()
        })
        .collect();
    for mut object in std::mem::take(&mut answer.objects) {
        let home = homes.named(object.file.take().as_deref());
        if let Some(part) = parts.get_mut(home) {
            part.objects.push(object);
        }
    }
    for mut finding in std::mem::take(&mut answer.findings) {
        let mut home = 0;
        if finding.within == TextField::Text {
            home = homes.of_finding(&finding);
            finding.object = homes.in_file(home, finding.object);
            finding.file = None;
        }
        if let Some(part) = parts.get_mut(home) {
            part.findings.push(finding);
        }
    }
    for part in &mut parts {
        part.ok = part.objects.iter().any(|object| object.placement.is_some())
            && !part
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error);
        let placements = part
            .objects
            .iter_mut()
            .filter_map(|one| one.placement.as_mut());
        for placement in placements {
            placement.renumber(&|object| {
                let (home, index) = homes.of_object(object)?;
                Some((index, files.get(home)?.name.as_str()))
            });
        }
    }
    AnswersByFile {
        answers: parts,
        homes,
    }
}
