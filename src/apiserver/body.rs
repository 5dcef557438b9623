//! The body of a request: decoded by the tables of its version, with the defaults filled in.

use crate::advice::{cause, correct};
use crate::apiserver::defaults;
use crate::apiserver::hub::Hub;
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{self, Decoded, How, Mismatch, StrictKind};
use claimkit_model::schema::{Api, Release};
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_values::order;

/// The treatment of unknown and duplicate fields: the query parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub enum FieldValidation {
    #[default]
    Strict,
    Warn,
    /// The server ignores the field; claimkit warns.
    Ignore,
}

/// An object as the server reads it from a request.
#[derive(Debug)]
pub struct Body<'t> {
    /// Its kind and version.
    pub api: Api,
    /// The decoded object, in the version that was written. The record has its defaults.
    pub decoded: Decoded<'t>,
}

impl<'t> Body<'t> {
    /// Reads the object at a node.
    pub fn read(tree: &'t Tree<'_>, node: NodeId, api: Api, how: How) -> Self {
        let mut decoded = decode::decode(tree, node, api.kind.schema, api.version.name, how);
        defaults::apply(&mut decoded.record, &api, how.release);
        Body { api, decoded }
    }

    /// Makes the body read from `null`.
    pub fn empty(api: Api, release: Release) -> Self {
        let mut record = Record::empty(api.kind.schema);
        defaults::apply(&mut record, &api, release);
        Body {
            api,
            decoded: Decoded {
                record,
                mismatches: Vec::new(),
                answer: None,
                strict: Vec::new(),
            },
        }
    }

    /// Returns the object in the version that was written.
    pub fn record(&self) -> &Record<'t> {
        &self.decoded.record
    }

    /// Returns the decoding error the server answers with.
    pub fn mismatch(&self) -> Option<&str> {
        let decoded = &self.decoded;
        decoded
            .answer
            .and_then(|answer| decoded.mismatches.get(answer))
            .map(|mismatch| mismatch.message.as_str())
    }

    /// Returns the error of strict decoding: all unknown and duplicate fields in one text.
    pub fn strict_error(&self) -> Option<String> {
        let items: Vec<&str> = self
            .decoded
            .strict
            .iter()
            .map(|strict| strict.message.as_str())
            .collect();
        (!items.is_empty()).then(|| format!("strict decoding error: {}", items.join(", ")))
    }

    /// Returns the findings of decoding the tree, the server's own answer first; their spans are set.
    pub fn findings(&self, tree: &Tree<'_>, validation: FieldValidation) -> Vec<Finding> {
        findings(tree, &self.decoded, validation)
    }

    /// Returns the object as the rules judge it.
    pub fn into_hub(self, release: Release) -> Hub<'t> {
        Hub::of(self.api, release, self.decoded.record)
    }
}

/// Adds what to write in place of a value that the decoder refuses, to the finding about it.
pub fn with_correction(finding: Finding, tree: &Tree<'_>, mismatch: &Mismatch) -> Finding {
    if let Some(correction) = correct::correct(tree, mismatch) {
        return finding
            .with_help(correction.help)
            .with_fix(correction.title, correction.edits);
    }
    let unfilled = || tree.str(mismatch.node).and_then(cause::unfilled);
    match unfilled().or_else(|| correct::shape(tree, mismatch)) {
        Some(help) => finding.with_help(help),
        None => finding,
    }
}

/// Returns the findings of decoding the tree, the server's own answer first; their spans are set.
pub fn findings(
    tree: &Tree<'_>,
    decoded: &Decoded<'_>,
    validation: FieldValidation,
) -> Vec<Finding> {
    if decoded.mismatches.is_empty() && decoded.strict.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (at, mismatch) in decoded.mismatches.iter().enumerate() {
        let origin = if decoded.answer == Some(at) {
            Origin::ApiServer
        } else {
            Origin::Claimkit
        };
        let mut finding = Finding::upstream(Code::TypeMismatch, origin, mismatch.message.clone())
            .with_span(mismatch.span);
        finding.path = Some(mismatch.path.clone());
        findings.push(with_correction(finding, tree, mismatch));
    }
    order::sort_by_key(&mut findings, |finding| finding.origin != Origin::ApiServer);
    for strict in &decoded.strict {
        let (severity, origin) = match (validation, decoded.answer) {
            (FieldValidation::Ignore, _) => (Severity::Warning, Origin::Claimkit),
            (FieldValidation::Strict, None) => (Severity::Error, Origin::ApiServer),
            (FieldValidation::Warn, None) => (Severity::Warning, Origin::ApiServer),
            // If there is a type error, the server's answer does not include strict errors.
            (FieldValidation::Strict, Some(_)) => (Severity::Error, Origin::Claimkit),
            (FieldValidation::Warn, Some(_)) => (Severity::Warning, Origin::Claimkit),
        };
        let code = match strict.kind {
            StrictKind::Unknown => Code::UnknownField,
            StrictKind::Duplicate => Code::DuplicateField,
        };
        let mut finding = Finding::upstream(code, origin, strict.message.clone())
            .with_severity(severity)
            .with_span(strict.key);
        finding.path = Some(strict.path.clone());
        findings.push(finding);
    }
    findings
}
