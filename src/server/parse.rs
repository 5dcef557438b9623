//! The objects of a text as the server would hold them after decoding and defaulting.

use crate::api::Release;
use crate::finding::{Finding, Severity};
use crate::limits::Limits;
use crate::manifest::findings::{other_group, place};
use crate::manifest::{Input, What};
use crate::record;
use crate::record::decode::{How, Via};
use crate::server::body::{Body, FieldValidation};

/// How [`crate::parse`] reads a text. The default reads it as kubectl does, for the last release that serves each object.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParseOptions {
    /// The server's release; `None`: for each object the last one that serves its version.
    pub release: Option<Release>,
    /// The way to the server. `None`: files are read as kubectl does, and JSON is decoded in the order of its source.
    pub via: Option<Via>,
    /// What unknown and duplicate fields are.
    pub field_validation: FieldValidation,
    /// What a text may cost.
    pub limits: Limits,
}

impl ParseOptions {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Takes this way to the server.
    pub fn via(mut self, via: Via) -> Self {
        self.via = Some(via);
        self
    }

    /// Treats unknown and duplicate fields so.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Keeps to these limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// A text that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parsed<'t> {
    /// The text and its objects. [`Input::deserialize`] fills types of your own, such as those of `k8s-openapi`.
    pub input: Input<'t>,
    /// For each object of the input, what the server would hold.
    pub objects: Vec<ParsedObject>,
    /// Everything found, what is wrong with the text itself first. They are not cut to the limit `findings`.
    pub findings: Vec<Finding>,
    /// At least one object was of our group.
    pub checked: bool,
}

impl Parsed<'_> {
    /// No finding is an error, and at least one object was checked.
    pub fn ok(&self) -> bool {
        self.checked && self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// What the server would hold of one object.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParsedObject {
    /// Whether it can be decoded; `None` for an object of another group.
    pub valid: Option<bool>,
    /// The object as JSON with its defaults, fields in the server's order; `None` if it cannot be decoded.
    pub json: Option<String>,
}

/// Reads every object of a text, and decodes those of our group as the server does.
///
/// ```
/// let text = "
/// apiVersion: resource.k8s.io/v1alpha2
/// kind: ResourceClaim
/// metadata: {name: gpu}
/// spec: {resourceClassName: a}
/// ";
/// let parsed = claimkit::parse(text, &claimkit::ParseOptions::default());
/// assert!(parsed.ok());
/// assert_eq!(parsed.input.items[0].name, "gpu");
/// let json = parsed.objects[0].json.as_deref().unwrap();
/// assert!(json.contains(r#""allocationMode":"WaitForFirstConsumer""#));
/// ```
pub fn parse<'t>(text: &'t str, options: &ParseOptions) -> Parsed<'t> {
    let mut input = Input::read_via(text, options.via.unwrap_or_default(), options.release, &options.limits);
    let mut findings = std::mem::take(&mut input.file.findings);
    let mut objects = Vec::with_capacity(input.items.len());
    let mut checked = false;
    for (index, item) in input.items.iter().enumerate() {
        let mut object = ParsedObject::default();
        match &item.what {
            What::Other => findings.push(other_group(item, index)),
            What::Refused(finding) => {
                checked = true;
                object.valid = Some(false);
                findings.push(place(&input, item, index, finding.clone()));
            }
            What::Ours(api) => {
                checked = true;
                if let Some(tree) = input.tree(item) {
                    let how = How::reaching(input.mode(item), options.via.unwrap_or(Via::Validator), item.release);
                    let body = Body::read(tree, item.node, *api, how);
                    let problems = body.findings(options.field_validation);
                    object.valid = Some(problems.iter().all(|finding| finding.severity != Severity::Error));
                    findings.extend(problems.into_iter().map(|finding| place(&input, item, index, finding)));
                    if body.mismatch().is_none() {
                        let mut json = String::new();
                        record::encode(body.record(), item.release, &mut json);
                        object.json = Some(json);
                    }
                }
            }
        }
        objects.push(object);
    }
    Parsed { input, objects, findings, checked }
}
