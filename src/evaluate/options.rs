//! How a text is evaluated against nodes.

use crate::apiserver::FieldValidation;
use claimkit_model::limits::Limits;
use claimkit_model::object::decode::Via;
use claimkit_model::schema::Release;
use serde::{Deserialize, Serialize};

/// With at most this many nodes, each has full details, unless the options say otherwise.
pub const FULL_NODES: usize = 100;

/// The level of detail for each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Detail {
    /// Every check of every claim, term and requirement.
    Full,
    /// The verdict and the reason only.
    Summary,
}

/// The options of [`crate::evaluate`]. The default follows the last release that serves the newest version of the text.
///
/// ```
/// use claimkit::{Detail, EvaluateOptions, FieldValidation, Limits, PreparedNodes, Release};
///
/// let nodes = PreparedNodes::read("{apiVersion: v1, kind: Node, metadata: {name: node-a}}", &Limits::default());
/// let explained = ["node-a".to_owned()];
/// let options = EvaluateOptions::default().release(Release::new(30, 14)).via(Default::default()).namespace("team");
/// let options = options.field_validation(FieldValidation::Warn).detail(Detail::Summary).explain(&explained);
/// assert_eq!(claimkit::evaluate("", &nodes, &options.limits(Limits::default())).release, Release::new(30, 14));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EvaluateOptions<'a> {
    /// The scheduler's release; `None`: the last one that serves the newest version of the text.
    pub release: Option<Release>,
    /// The way in which the objects reached the server.
    pub via: Option<Via>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// The treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// The level of detail for each node; `None`: everything for at most [`FULL_NODES`] nodes.
    pub detail: Option<Detail>,
    /// Names of nodes that have full details even if `detail` says otherwise.
    pub explain: &'a [String],
    /// Answers name no places in the text.
    pub(crate) without_places: bool,
    /// The limits on the size of the text.
    pub limits: Limits,
}

impl<'a> EvaluateOptions<'a> {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets how the objects reached the server.
    pub fn via(mut self, via: Via) -> Self {
        self.via = Some(via);
        self
    }

    /// Puts objects that name no namespace into this one.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets how the server treats unknown and duplicate fields.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Sets the level of detail for each node.
    pub fn detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Gives full details of these nodes.
    pub fn explain(mut self, nodes: &'a [String]) -> Self {
        self.explain = nodes;
        self
    }

    /// Sets the limits on the size of the text.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the effective namespace of an object that names `given`.
    pub(crate) fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() {
            self.namespace.unwrap_or("default")
        } else {
            given
        }
    }
}
