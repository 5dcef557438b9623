//! The manifest of a request: one text, or several with names.

use super::answer::Answer;
use super::members::list;
use super::request::Verb;
use crate::apiserver::options::ValidateOptions;
use crate::apiserver::text::{Report, validate_files};
use crate::editor::names::Beside;
use claimkit_model::finding::TextField;
use claimkit_model::message::Words;
use claimkit_model::text::{SourceText, Sources, located};
use serde::{Deserialize, Deserializer};

/// A text of a request with its name, e.g. the path of its file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NamedText {
    /// Its name, which findings and objects have as `file`.
    pub name: String,
    /// The text.
    pub text: String,
    /// For a text that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    pub replaced: Option<u32>,
}

impl NamedText {
    /// Returns it as a text beside the one that is edited.
    pub fn beside(&self) -> Beside<'_> {
        Beside {
            name: &self.name,
            text: &self.text,
        }
    }
}

/// Reads texts beside the one of the request, each a text or an object with `name` and `text`.
pub fn texts_beside<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<NamedText>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, or an object with `name` and `text`")]
    enum Given {
        Bare(String),
        Named(NamedText),
    }
    let given: Vec<Given> = list(deserializer)?;
    let named = given.into_iter().map(|given| match given {
        Given::Bare(text) => NamedText {
            text,
            ..NamedText::default()
        },
        Given::Named(named) => named,
    });
    Ok(named.collect())
}

/// Reads texts as [`texts_beside`] does, without their names.
pub fn bare_texts_beside<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let named = texts_beside(deserializer)?;
    Ok(named.into_iter().map(|named| named.text).collect())
}

/// The manifest of a request.
pub enum Manifest<'r> {
    /// `text`
    Text(&'r str),
    /// `sources`
    Sources(Sources),
}

impl<'r> Manifest<'r> {
    /// Reads the fields `text` and `sources`. `what`: what the text is.
    ///
    /// # Errors
    /// Both or neither.
    pub fn of(
        text: Option<&'r str>,
        sources: Option<&[NamedText]>,
        what: &str,
    ) -> Result<Self, Words> {
        match (text, sources) {
            (Some(_), Some(_)) => Err(Words::english("give `text` or `sources`, not both")),
            (Some(text), None) => Ok(Manifest::Text(text)),
            (None, Some(named)) => Ok(Manifest::Sources(together(named))),
            (None, None) => Err(Words::english(format!("`text` is missing: {what}"))),
        }
    }

    /// Returns the texts, to be read.
    pub fn source(&self) -> SourceText<'_> {
        match self {
            Manifest::Text(text) => SourceText::from(*text),
            Manifest::Sources(sources) => SourceText::from(sources),
        }
    }
}

/// Names the files of findings that are about an object as a whole. Warns of invalid bytes in texts, and removes the fixes of these
/// texts, which would write U+FFFD in their place.
pub fn in_files(sources: Option<&[NamedText]>, mut answer: Answer) -> Answer {
    let Some(sources) = sources.filter(|_| answer.error.is_none()) else {
        return answer;
    };
    for finding in &mut answer.findings {
        if finding.within == TextField::Text && finding.file.is_none() {
            let object = finding.object.and_then(|object| answer.objects.get(object));
            finding.file = object.and_then(|object| object.file.clone());
        }
    }
    for one in sources {
        let Some(at) = one.replaced else { continue };
        for finding in &mut answer.findings {
            if finding.file.as_deref() == Some(&one.name) {
                finding.fixes.clear();
            }
        }
        let warning = located::not_utf8(&one.text, at as usize, TextField::Text, Some(&one.name));
        answer.findings.insert(0, warning);
    }
    answer
}

/// Returns texts to be read together.
pub fn together(named: &[NamedText]) -> Sources {
    let mut sources = Sources::default();
    for one in named {
        sources.add(one.name.as_str(), &one.text);
    }
    sources
}

/// Judges the texts of several files as one cluster, and returns one answer in which findings and objects name their file.
pub fn validate_sources(named: &[NamedText], options: &ValidateOptions<'_>) -> Answer {
    let texts: Vec<&str> = named.iter().map(|one| one.text.as_str()).collect();
    let reports = validate_files(&texts, options);
    let mut whole = Answer::to(Verb::Validate);
    whole.ok = !reports.is_empty();
    for (one, report) in named.iter().zip(reports) {
        if let Some(error) = &report.unusable {
            return Answer::unusable(Verb::Validate, error.clone());
        }
        add(&mut whole, &one.name, report);
    }
    whole
}

/// Adds the report of one file.
fn add(whole: &mut Answer, name: &str, report: Report<'_>) {
    let answer = Answer::from(report);
    let before = whole.objects.len();
    whole.ok &= answer.ok;
    for mut object in answer.objects {
        object.file = Some(name.to_owned());
        whole.objects.push(object);
    }
    for mut finding in answer.findings {
        finding.object = finding.object.map(|object| object.saturating_add(before));
        finding.file = Some(name.to_owned());
        whole.findings.push(finding);
    }
}
