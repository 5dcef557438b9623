//! The objects of a text after the server's decoding and defaulting.

use crate::apiserver::body::{Body, FieldValidation};
use crate::manifest::findings::{other_group, place};
use crate::manifest::{Input, What};
use claimkit_model::finding::{Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::object;
use claimkit_model::object::decode::{How, Via};
use claimkit_model::schema::Release;
use claimkit_model::text::SourceText;

/// The options of [`crate::parse`]. The default reads the text as kubectl does, for the last release that serves each object.
///
/// ```
/// use claimkit::{FieldValidation, Limits, ParseOptions, Release, Via};
///
/// let options = ParseOptions::default().release(Release::new(34, 1)).via(Via::Server);
/// let options = options.field_validation(FieldValidation::Ignore).limits(Limits::default());
/// assert!(claimkit::parse("", &options).objects.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParseOptions {
    /// The server's release; `None`: for each object the last release that serves its version.
    pub release: Option<Release>,
    /// The way in which the objects reach the server. `None`: the text is read as kubectl reads it, but JSON is decoded in
    /// source order.
    pub via: Option<Via>,
    /// The server's treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// The limits on a text.
    pub limits: Limits,
}

impl ParseOptions {
    /// Sets the release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets how the objects reach the server.
    pub fn via(mut self, via: Via) -> Self {
        self.via = Some(via);
        self
    }

    /// Sets how the server treats unknown and duplicate fields.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The result of [`parse`].
///
/// ```
/// let options = claimkit::ParseOptions::default();
/// assert!(!claimkit::parse("{apiVersion: v1, kind: Pod}", &options).ok());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Parsed<'t> {
    /// The text and its objects. [`Input::deserialize`] fills types of your own, such as those of `k8s-openapi`.
    pub input: Input<'t>,
    /// One entry for each object of the input.
    pub objects: Vec<ParsedObject>,
    /// All findings; those about the text itself come first. The limit `findings` does not apply.
    pub findings: Vec<Finding>,
    /// At least one object belongs to `resource.k8s.io`.
    pub checked: bool,
}

impl Parsed<'_> {
    /// Returns true if no finding is an error and at least one object was checked.
    pub fn ok(&self) -> bool {
        self.checked
            && self
                .findings
                .iter()
                .all(|finding| finding.severity != Severity::Error)
    }
}

/// One object after the server's decoding and defaulting.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParsedObject {
    /// Whether the server can decode it; `None` for an object of another group.
    pub valid: Option<bool>,
    /// The object as JSON with its defaults, fields in the server's order; `None` if it cannot be decoded.
    pub json: Option<String>,
}

/// Reads every object of a text and decodes those of `resource.k8s.io` as the server does.
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
pub fn parse<'t>(text: impl Into<SourceText<'t>>, options: &ParseOptions) -> Parsed<'t> {
    let mut input = Input::read_via(
        text,
        options.via.unwrap_or_default(),
        options.release,
        &options.limits,
    );
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
                    let how = How::reaching(
                        input.mode(item),
                        options.via.unwrap_or(Via::Validator),
                        item.release,
                    );
                    let body = Body::read(tree, item.node, *api, how);
                    let problems = body.findings(tree, options.field_validation);
                    object.valid = Some(
                        problems
                            .iter()
                            .all(|finding| finding.severity != Severity::Error),
                    );
                    findings.extend(
                        problems
                            .into_iter()
                            .map(|finding| place(&input, item, index, finding)),
                    );
                    if body.mismatch().is_none() {
                        let mut json = String::new();
                        object::encode(body.record(), item.release, &mut json);
                        object.json = Some(json);
                    }
                }
            }
        }
        objects.push(object);
    }
    Parsed {
        input,
        objects,
        findings,
        checked,
    }
}
