//! Answers that a caller has, rendered in the form that the caller names.

use super::{FileReport, Remarks, github, junit, sarif, text};
use crate::requests::Answer;
use crate::requests::answer::AnswerObject;
use claimkit_model::text::located::LocatedFinding;
use serde::Deserialize;

/// A form of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One line for each finding, and its help.
    Text,
    /// As the command prints to a terminal: the source line with carets, help and fixes.
    Codeframe,
    /// A SARIF 2.1.0 log.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// A JUnit XML file.
    Junit,
}

/// The options of a report.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `form` and `files`")]
pub struct Rendering {
    form: Form,
    /// Terminal colors, in the form `codeframe`.
    #[serde(default)]
    colors: bool,
    /// The files with their answers.
    files: Vec<File>,
}

/// A file and the findings about it.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object with `name`, `text` and `answer`")]
struct File {
    name: String,
    text: String,
    answer: Given,
}

/// The part of an answer that reports show.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an answer")]
struct Given {
    findings: Vec<LocatedFinding>,
    #[serde(default)]
    objects: Vec<Listed>,
}

/// An object of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "an object of an answer")]
struct Listed {
    kind: String,
    name: String,
    namespace: String,
    valid: Option<bool>,
}

impl From<Given> for Answer {
    fn from(given: Given) -> Self {
        let object = |Listed {
                          kind,
                          name,
                          namespace,
                          valid,
                      }| AnswerObject {
            kind: kind.into(),
            name,
            namespace,
            valid: Some(valid),
            ..AnswerObject::default()
        };
        Answer {
            findings: given.findings,
            objects: given.objects.into_iter().map(object).collect(),
            ..Answer::default()
        }
    }
}

/// Renders the reports of all files as one text.
pub fn render(rendering: Rendering) -> String {
    let Rendering {
        form,
        colors,
        files,
    } = rendering;
    let files: Vec<(String, String, Answer)> = files
        .into_iter()
        .map(|File { name, text, answer }| (name, text, answer.into()))
        .collect();
    let reports: Vec<FileReport<'_>> = files
        .iter()
        .map(|(name, text, answer)| FileReport::new(name, text, answer, Remarks::Shown))
        .collect();
    match form {
        Form::Text => written_by(&reports, &text::lines),
        Form::Codeframe => written_by(&reports, &|out, report| {
            text::write(out, report, text::TerminalStyle::new(colors))
        }),
        Form::Sarif => sarif::document(&reports),
        Form::Github => written_by(&reports, &github::write),
        Form::Junit => junit::document(&reports),
    }
}

/// Writes all reports one after the other.
fn written_by(reports: &[FileReport<'_>], write: &dyn Fn(&mut String, &FileReport<'_>)) -> String {
    let mut out = String::new();
    reports.iter().for_each(|report| write(&mut out, report));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspek: {}\n";

    fn rendered(form: &str) -> String {
        let request =
            serde_json::json!({"verb": "validate", "text": TEXT, "release": "1.36"}).to_string();
        let answer: serde_json::Value =
            serde_json::from_str(&crate::requests::answer(&request)).unwrap();
        let files = [serde_json::json!({"name": "a.yaml", "text": TEXT, "answer": answer})];
        render(serde_json::from_value(serde_json::json!({"form": form, "files": files})).unwrap())
    }

    #[test]
    fn renders_an_answer_in_every_form() {
        let line = "a.yaml:4:1: error: unknown field \"spek\" [kube-apiserver unknown-field]\n";
        assert!(rendered("text").starts_with(line), "{}", rendered("text"));
        assert!(!rendered("text").contains("^^^^"));
        assert!(
            rendered("codeframe").contains("4 | spek: {}\n  | ^^^^\n"),
            "{}",
            rendered("codeframe")
        );
        assert!(
            rendered("github")
                .starts_with("::error file=a.yaml,line=4,endLine=4,col=1,endColumn=4,title=")
        );
        assert!(
            rendered("junit").contains("<testcase name=\"DeviceClass a\" classname=\"a.yaml\">"),
            "{}",
            rendered("junit")
        );
        let log: serde_json::Value = serde_json::from_str(&rendered("sarif")).unwrap();
        assert_eq!(log["runs"][0]["results"][0]["ruleId"], "unknown-field");
    }
}
