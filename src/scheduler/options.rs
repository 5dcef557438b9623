//! How a text is evaluated against nodes.

use crate::api::Release;
use crate::limits::Limits;
use crate::record::decode::Via;
use crate::server::FieldValidation;
use serde::Deserialize;

/// With at most this many nodes, each has full details, unless the options say otherwise.
pub const FULL_NODES: usize = 100;

/// How much is said of each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Detail {
    /// Every check of every claim, term and requirement.
    Full,
    /// Verdict and reason.
    Summary,
}

/// How [`crate::evaluate`] answers. The default follows the last release that serves the newest version of the text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EvaluateOptions<'a> {
    /// The scheduler's release; `None`: the last one that serves the newest version of the text.
    pub release: Option<Release>,
    /// How the objects reached the server.
    pub via: Option<Via>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// How unknown and duplicate fields are reported.
    pub field_validation: FieldValidation,
    /// How much is said of each node; `None`: everything for at most [`FULL_NODES`] nodes.
    pub detail: Option<Detail>,
    /// Names of nodes that have full details even if `detail` says otherwise.
    pub explain: &'a [String],
    /// Answers name no places in the text.
    pub without_places: bool,
    /// What a text may cost.
    pub limits: Limits,
}

impl<'a> EvaluateOptions<'a> {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Puts objects that name no namespace into this one.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets what unknown and duplicate fields are.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Says this much of each node.
    pub fn detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Gives full details of these nodes.
    pub fn explain(mut self, nodes: &'a [String]) -> Self {
        self.explain = nodes;
        self
    }

    /// Sets what a text may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The effective namespace of an object that names `given`.
    pub(crate) fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() { self.namespace.unwrap_or("default") } else { given }
    }
}
