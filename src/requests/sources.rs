//! The manifest of a request: one text, or several with names.

use super::answer::{self, Answer};
use super::members::list;
use super::request::Verb;
use crate::apiserver::options::ValidateOptions;
use crate::apiserver::text::validate_files;
use crate::editor::names::Beside;
use crate::manifest::findings::nothing_checked;
use claimkit_model::finding::TextField;
use claimkit_model::message::Words;
use claimkit_model::text::{Source, SourceText, Sources, located};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

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

/// A text of a request beside the manifest, or several with names: the objects of a cluster, stored objects.
#[derive(Clone, Debug)]
pub enum Texts {
    /// One text without a name.
    One(String),
    /// Several, each read as a file of its own.
    Several(Vec<NamedText>),
}

impl From<String> for Texts {
    fn from(text: String) -> Self {
        Texts::One(text)
    }
}

impl Texts {
    /// Returns the texts, put together.
    pub fn manifest(&self) -> Manifest<'_> {
        match self {
            Texts::One(text) => Manifest::Text(text),
            Texts::Several(named) => Manifest::Sources(together(named)),
        }
    }

    /// Returns the text without a name.
    pub fn one(&self) -> Option<&str> {
        match self {
            Texts::One(text) => Some(text),
            Texts::Several(_) => None,
        }
    }

    /// Returns the texts with names.
    pub fn several(&self) -> Option<&[NamedText]> {
        match self {
            Texts::One(_) => None,
            Texts::Several(named) => Some(named),
        }
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Given;
        impl<'de> Visitor<'de> for Given {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, or a list of objects with `name` and `text`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, texts: A) -> Result<Texts, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(texts)).map(Texts::Several)
            }
        }
        deserializer.deserialize_any(Given)
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

/// Names the files of findings that are about an object as a whole, and warns of invalid bytes.
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
    warn_of_bytes(TextField::Text, sources, answer)
}

/// Warns of invalid bytes in the texts of a field, and removes the fixes of these texts, which would write U+FFFD in their place.
pub fn warn_of_bytes(field: TextField, texts: &[NamedText], mut answer: Answer) -> Answer {
    if answer.error.is_some() {
        return answer;
    }
    for one in texts {
        let Some(at) = one.replaced else { continue };
        for finding in &mut answer.findings {
            if finding.within == field && finding.file.as_deref() == Some(&one.name) {
                finding.fixes.clear();
            }
        }
        let warning = located::not_utf8(&one.text, at as usize, field, Some(&one.name));
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
    if named.is_empty() {
        return without_files(Verb::Validate);
    }
    let texts: Vec<&str> = named.iter().map(|one| one.text.as_str()).collect();
    let reports = validate_files(&texts, options);
    let mut whole = Answer::to(Verb::Validate);
    whole.ok = true;
    for (one, report) in named.iter().zip(reports) {
        if let Some(error) = &report.unusable {
            return Answer::unusable(Verb::Validate, error.clone());
        }
        add(&mut whole, &one.name, Answer::from(report));
    }
    whole
}

/// Answers a request for the files of an empty folder.
pub fn without_files(verb: Verb) -> Answer {
    Answer {
        findings: vec![answer::finding(&Source::new(""), nothing_checked(true))],
        ..Answer::to(verb)
    }
}

/// Adds the answer about one file.
pub fn add(whole: &mut Answer, name: &str, answer: Answer) {
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
