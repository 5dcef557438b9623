//! The verb `convert`: converts the whole file to another version of the API group.

use super::answer::{self, Answer, AnswerObject, DecisionEntry, LossEntry, range};
use super::content::{Content, ConvertedFile};
use super::json::Json;
use super::replaced;
use super::request::{self, ConvertRequest, Lossy, Replaced, Verb};
use super::sources::{self, NamedText};
use crate::convert::{self, Among, ConvertOptions, ConvertTarget, Converted, Together};
use crate::manifest::Item;
use crate::manifest::findings::nothing_checked;
use claimkit_model::finding::{Severity, TextField};
use claimkit_model::message::Words;
use claimkit_model::schema::GROUP;
use claimkit_model::text::{Source, SourceText};

/// Answers `convert`.
pub fn convert(request: &ConvertRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Convert, error))
}

fn answer(request: &ConvertRequest) -> Result<Answer, Words> {
    let wrong = match (&request.text, &request.sources) {
        (None, None) => Some("`text` is missing: the manifest to convert"),
        (Some(_), Some(_)) => Some("give `text` or `sources`, not both"),
        _ => None,
    };
    if let Some(problem) = wrong {
        return Err(Words::english(problem));
    }
    let (to, options) = asked(request)?;
    Ok(match &request.sources {
        Some(sources) => convert_files(sources, to, &options),
        None => {
            let text = request.text.as_deref().unwrap_or_default();
            convert_text(text.into(), Among::default(), to, &options)
        }
    })
}

/// Returns what the files become, and how.
fn asked(request: &ConvertRequest) -> Result<(ConvertTarget, ConvertOptions), Words> {
    let Some(to) = request.to.as_deref() else {
        return Err(Words::english(format!(
            "`to` is missing; write one of {}",
            list_versions()
        )));
    };
    let to = target(to)?;
    let options = ConvertOptions {
        lossy: request.lossy == Lossy::Allow,
        drop_server_fields: request.drop_server_fields,
        annotate: request.annotate,
        release: request::release(request.release.as_deref())?,
        limits: request.limits,
        ..ConvertOptions::default()
    };
    Ok((to, options))
}

/// Converts the files of a request, whose objects may refer to each other's; returns an answer for each.
///
/// # Errors
/// What of the request cannot be used.
pub fn convert_each(request: &ConvertRequest) -> Result<Vec<Answer>, Words> {
    let (to, options) = asked(request)?;
    let named = request.sources.as_deref().unwrap_or_default();
    let answers = answers(named, to, &options).into_iter().zip(named);
    let told = |(answer, one): (Answer, &NamedText)| {
        let replaced = Replaced {
            text: one.replaced,
            ..Replaced::default()
        };
        replaced.tell(&[(TextField::Text, Some(&one.text))], answer)
    };
    let release = options.release;
    Ok(answers
        .map(told)
        .map(|answer| answer.by_rules_of(release))
        .collect())
}

fn answers<'n>(named: &'n [NamedText], to: ConvertTarget, options: &ConvertOptions) -> Vec<Answer> {
    let read = |one: &'n NamedText| convert::read(one.text.as_str().into(), to, options);
    let inputs: Vec<_> = named.iter().map(read).collect();
    let together = Together::of(&inputs, to);
    let convert = |(at, one): (usize, &NamedText)| {
        convert_text(one.text.as_str().into(), together.beside(at), to, options)
    };
    named.iter().enumerate().map(convert).collect()
}

/// Converts several files, and returns one answer in which findings and objects name their file.
fn convert_files(named: &[NamedText], to: ConvertTarget, options: &ConvertOptions) -> Answer {
    let mut whole = match named {
        [] => sources::without_files(Verb::Convert),
        _ => Answer::with(Verb::Convert, Content::Nothing),
    };
    let mut files = Vec::with_capacity(named.len());
    for (one, mut answer) in named.iter().zip(answers(named, to, options)) {
        if one.replaced.is_some() {
            replaced::refuse_conversion(&mut answer);
        }
        let text = match std::mem::take(&mut answer.content) {
            Content::Convert { text } => Some(text),
            _ => None,
        };
        files.push(ConvertedFile {
            name: one.name.clone(),
            text,
        });
        sources::add(&mut whole, &one.name, answer);
    }
    whole.content = Content::ConvertFiles { files };
    whole
}

fn convert_text(
    text: SourceText<'_>,
    among: Among<'_>,
    to: ConvertTarget,
    options: &ConvertOptions,
) -> Answer {
    let mut done = convert::convert_source(text, among, to, options);
    let mut findings = std::mem::take(&mut done.findings);
    if !done.checked {
        findings.push(nothing_checked(done.input.items.is_empty()));
    }
    let source = &done.input.file.source;
    let mut objects = Vec::with_capacity(done.outcomes.len());
    for (item, outcome) in done.input.items.iter().zip(done.outcomes) {
        objects.push(object(source, item, outcome));
    }
    let no_errors = findings
        .iter()
        .all(|finding| finding.severity != Severity::Error);
    Answer {
        ok: done.checked && no_errors,
        objects,
        content: done
            .text
            .map_or(Content::Nothing, |text| Content::Convert { text }),
        findings: answer::findings(source, findings, &options.limits),
        ..Answer::to(Verb::Convert)
    }
}

fn object(source: &Source<'_>, item: &Item, outcome: Converted) -> AnswerObject {
    let losses = outcome.losses.into_iter().map(|loss| LossEntry {
        path: loss.path,
        value: Json::of_text(loss.value),
        reason: loss.reason,
    });
    let decisions = outcome.decisions.into_iter().map(|decision| DecisionEntry {
        code: decision.code,
        message: decision.message(),
        range: range(source, decision.span),
        path: decision.path,
        question: decision.question,
        assumed: decision.assumed,
        why: decision.why,
        alternatives: decision.alternatives,
    });
    AnswerObject {
        decisions: decisions.collect(),
        from: Some(outcome.from),
        to: Some(outcome.to),
        changed: Some(outcome.changed),
        losses: Some(losses.collect()),
        skipped: outcome.skipped,
        removed_in: outcome.removed_in.map(|minor| format!("1.{minor}")),
        ..AnswerObject::of(source, item)
    }
}

/// Reads the target of the request: a version (`resource.k8s.io/v1alpha2` or `v1alpha2`) or a minor release (`1.36`).
fn target(name: &str) -> Result<ConvertTarget, Words> {
    if let Some(digits) = name.strip_prefix("1.")
        && claimkit_values::has_only_digits(digits)
        && let Ok(minor @ 26..) = digits.parse::<u8>()
    {
        return Ok(ConvertTarget::Release(minor));
    }
    let bare = name
        .strip_prefix(GROUP)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(name);
    let version = convert::versions()
        .find(|version| version.name == bare)
        .map(ConvertTarget::Version);
    version.ok_or_else(|| {
        Words::english(format!(
            "unknown version `{name}`; write one of {}, or a release: `1.36`",
            list_versions()
        ))
    })
}

/// Returns the known versions, for a message.
fn list_versions() -> String {
    let names: Vec<String> = convert::versions()
        .map(|version| format!("`{}`", version.name))
        .collect();
    names.join(", ")
}
