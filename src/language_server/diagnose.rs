//! What is published about a document.

use super::answers;
use super::document::Document;
use super::project::{NamePlace, Named, Scope, is_no_manifest};
use super::protocol::{Diagnostic, Location, Range, RelatedInformation};
use super::settings::Settings;
use super::settling::placed;
use super::{LanguageServer, Result, Stopped, shape};
use crate::editor::foreign;
use crate::editor::symbols::NameKind;
use crate::requests::answer::{Answer, AnswerObject};
use crate::requests::content::NameContent;
use crate::requests::request::ValidateRequest;
use crate::requests::{self, Request};
use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::message::{Words, message};
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, Span};
use std::collections::BTreeMap;

/// Codes of objects of other groups, which an editor does not show.
const SILENT: [Code; 2] = [Code::NothingChecked, Code::OtherGroup];

/// Codes of names that are not among the objects: a warning where the project had them.
const ABSENT: [Code; 2] = [Code::ClassNotInInput, Code::ClaimNotInInput];

impl LanguageServer {
    pub(super) fn is_no_manifest(&self, document: &Document) -> bool {
        is_no_manifest(&document.uri, &document.language, &document.text)
            || self.project.is_patch(&document.uri)
    }

    /// Returns true for a document that is judged: a manifest. Of one of another group it is said what its text says, no more.
    fn is_judged(&self, document: &Document) -> bool {
        foreign::is_manifest(&document.text) && !self.is_no_manifest(document)
    }

    /// Returns true for a document of ours.
    pub(super) fn is_for_us(&self, document: &Document) -> bool {
        foreign::is_ours(&document.text) && !self.is_no_manifest(document)
    }

    /// Returns an open document that can be asked about.
    pub(super) fn asked(&self, uri: &str) -> Option<&Document> {
        self.document(uri)
            .filter(|document| !document.is_large() && self.is_for_us(document))
    }

    /// Returns what `validate` says of a text of a document, without what an editor does not show.
    ///
    /// # Errors
    /// Gates that the release does not have.
    pub(super) fn findings(
        &self,
        uri: &str,
        text: &str,
        settings: &Settings,
    ) -> Result<Answer, Words> {
        let beside = self.project.beside(uri, settings.scope());
        let mut answer = requests::run(&Request::Validate(ValidateRequest {
            text: Some(text.to_owned()),
            release: settings.release.clone(),
            gates: settings.gates.clone(),
            namespace_labels: settings.namespace_labels.clone(),
            beside: beside.iter().map(|other| other.text.clone()).collect(),
            ..ValidateRequest::default()
        }));
        if let Some(error) = answer.error {
            return Err(error);
        }
        for finding in &mut answer.findings {
            if self.is_gone(uri, finding) {
                finding.severity = Severity::Warning;
            }
        }
        let deleted = self.deleted_classes(uri, text, &answer.findings);
        answer.findings.extend(deleted);
        answer
            .findings
            .retain(|finding| is_shown(text, finding, settings));
        Ok(answer)
    }

    /// Returns a warning for each use of a class that the project had, where `validate` has none: it has them only beside other
    /// classes, because without any the classes may all be in the cluster.
    fn deleted_classes(
        &self,
        uri: &str,
        text: &str,
        findings: &[LocatedFinding],
    ) -> Vec<LocatedFinding> {
        if !self.project.has_lost_classes() {
            return Vec::new();
        }
        let source = Source::new(text);
        let mut found = Vec::new();
        for name in self.project.names_of(uri) {
            let is_known = findings
                .iter()
                .any(|finding| finding.code == Code::ClassNotInInput && is_at(finding, name));
            if is_class(name) && !is_known && self.project.is_gone(uri, name) {
                let message = message!(
                    "reference.class-deleted",
                    "no file of the project defines the class `{class}` any more",
                    class = name.name
                );
                let warning = Finding::warning(Code::ClassNotInInput, message);
                found.push(LocatedFinding {
                    range: Some(name.range.clone()),
                    ..located::finding(&source, warning)
                });
            }
        }
        found
    }

    /// Returns true for a remark about an absent object that the project had.
    fn is_gone(&self, uri: &str, finding: &LocatedFinding) -> bool {
        if finding.severity != Severity::Info || !ABSENT.contains(&finding.code) {
            return false;
        }
        let range = finding.range.as_ref().map(Range::from);
        let name = range.and_then(|range| self.project.name_at(uri, range.start));
        name.is_some_and(|name| self.project.is_gone(uri, name))
    }

    /// Returns other places that a finding is about.
    fn related(
        &self,
        uri: &str,
        finding: &LocatedFinding,
        objects: &[AnswerObject],
    ) -> Vec<RelatedInformation> {
        let object = finding.object.and_then(|object| objects.get(object));
        if let Some(object) = object.filter(|_| finding.code == Code::AlreadyExists) {
            return first_of_name(uri, object, objects).into_iter().collect();
        }
        let range = finding.range.as_ref().map(Range::from);
        let name = range.and_then(|range| self.project.name_at(uri, range.start));
        let Some(used) = name.filter(|name| !name.definition) else {
            return Vec::new();
        };
        let (wanted, message) = match (used.kind, used.of.split_once('/')) {
            (NameKind::Request, Some((kind, owner))) => {
                let kind_of_owner = match kind {
                    "ResourceClaim" => NameKind::ResourceClaim,
                    _ => NameKind::ResourceClaimTemplate,
                };
                let wanted = Named::new(kind_of_owner, &used.namespace, "", owner);
                (wanted, format!("{kind} `{owner}`"))
            }
            _ => (Named::from(used), format!("`{}`", used.name)),
        };
        let places = self.project.places(&wanted, uri, Scope::Workspace);
        let definitions = places.into_iter().filter(|place| place.is_definition);
        definitions
            .map(|NamePlace { location, .. }| RelatedInformation {
                location,
                message: message.clone(),
            })
            .collect()
    }

    pub(super) fn diagnose(&mut self, uri: &str) -> Result<()> {
        if self.document(uri).is_none() {
            return Ok(());
        }
        let settings = self.settings_of(uri)?;
        let Some(document) = self.document(uri) else {
            return Ok(());
        };
        let version = document.version;
        let stopped = self
            .stopped
            .get(uri)
            .filter(|stopped| stopped.version == version || document.is_unread);
        let found = match stopped {
            Some(Stopped { why, .. }) => {
                vec![placed(Range::default(), format!("not judged: {why}"))]
            }
            None if self.is_judged(document) && !self.is_excluded(uri, &settings) => {
                let text = document.text.clone();
                self.judge(uri, &text, &settings)
            }
            None => Vec::new(),
        };
        self.publish(uri, Some(version), &shape(found));
        Ok(())
    }

    /// Returns the diagnostics of a document. With gates that the release does not have, it is judged without them.
    fn judge(&mut self, uri: &str, text: &str, settings: &Settings) -> Vec<Diagnostic> {
        let error = match self.diagnostics(uri, text, settings) {
            Ok(found) => return found,
            Err(error) => error,
        };
        self.log(&format!("claimkit: {error}"));
        self.warn_once(format!("claimkit: {error}"));
        let without_gates = Settings {
            gates: BTreeMap::new(),
            ..settings.clone()
        };
        let mut found = vec![placed(
            Range::default(),
            format!("judged without gates: {error}"),
        )];
        found.extend(
            self.diagnostics(uri, text, &without_gates)
                .unwrap_or_default(),
        );
        found
    }

    fn diagnostics(
        &self,
        uri: &str,
        text: &str,
        settings: &Settings,
    ) -> Result<Vec<Diagnostic>, Words> {
        let answer = self.findings(uri, text, settings)?;
        let is_linked = self.can(&["textDocument", "publishDiagnostics", "relatedInformation"]);
        let mut found = Vec::new();
        for finding in &answer.findings {
            let mut diagnostic = answers::diagnostic(finding, settings.code_pages.as_deref());
            if is_linked {
                diagnostic.related_information = self.related(uri, finding, &answer.objects);
            }
            found.push(diagnostic);
        }
        Ok(found)
    }
}

/// Returns true for a finding about a name; its range may have quotes.
fn is_at(finding: &LocatedFinding, name: &NameContent) -> bool {
    let start = name.range.start.byte_offset;
    finding
        .range
        .as_ref()
        .is_some_and(|range| range.start.byte_offset <= start && start < range.end.byte_offset)
}

fn is_class(name: &NameContent) -> bool {
    matches!(name.kind, NameKind::DeviceClass | NameKind::ResourceClass)
}

/// Returns true for a finding that an editor shows.
fn is_shown(text: &str, finding: &LocatedFinding, settings: &Settings) -> bool {
    let name = finding.code.name();
    let is_replaced = finding.range.as_ref().is_some_and(|range| {
        let span = Span::new(
            range.start.byte_offset as usize,
            range.end.byte_offset as usize,
        );
        foreign::has_variable(text, span)
    });
    !SILENT.contains(&finding.code)
        && !settings.ignore.iter().any(|ignored| ignored == name)
        && (finding.severity != Severity::Info || settings.remarks)
        && !is_replaced
}

/// Returns where the object is that has the name of another one.
fn first_of_name(
    uri: &str,
    object: &AnswerObject,
    objects: &[AnswerObject],
) -> Option<RelatedInformation> {
    let mut same = objects.iter().filter(|other| {
        other.kind == object.kind
            && other.name == object.name
            && other.namespace == object.namespace
    });
    let first = same.next()?;
    if std::ptr::eq(first, object) {
        return None;
    }
    Some(RelatedInformation {
        location: Location {
            uri: uri.to_owned(),
            range: first.range.as_ref()?.into(),
        },
        message: format!("{} `{}` is created here", object.kind, object.name),
    })
}
