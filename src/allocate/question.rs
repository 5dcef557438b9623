//! The options of a question about devices.

use super::cluster::PreparedCluster;
use crate::apiserver::FieldValidation;
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_model::text::SourceText;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::Explain;
use serde::Serialize;
use std::collections::BTreeMap;

/// The mode in which pods are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PlacementMode {
    /// One after another in the scheduler's order, each on what earlier ones left.
    #[default]
    InTurn,
    /// Each as if it were the only one that waits.
    Alone,
}

/// The options of [`crate::allocate`]. The default uses the last release and considers all pending pods and claims.
///
/// ```
/// use claimkit::{AllocateOptions, Explain, FieldValidation, Limits, PreparedCluster, Release, WhatIf};
///
/// let release = Release::new(36, 1);
/// let cluster = PreparedCluster::read("", Some(release), None, &Limits::default());
/// let (claims, names, labels) = (["team/gpu".to_owned()], ["node-a".to_owned()], Default::default());
/// let options = AllocateOptions::default().release(release).cluster(&cluster).nodes("");
/// let options = options.gate("DRAConsumableCapacity", true).namespace("team").namespace_labels(&labels);
/// let options = options.field_validation(FieldValidation::Warn).now("2026-01-02T15:04:05Z").alone();
/// let options = options.what_if(WhatIf::default()).explain(Explain::default()).limits(Limits::default());
/// assert!(claimkit::allocate("", &options).is_ok());
/// // There are no such objects.
/// assert!(claimkit::allocate("", &options.clone().claims(&claims)).is_err());
/// assert!(claimkit::allocate("", &options.clone().node_names(&names)).is_err());
/// assert!(claimkit::allocate("", &options.pod("team/one").how_many()).is_err());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AllocateOptions<'a> {
    /// The scheduler's release; `None`: that of the cluster, of the nodes' kubelets, or the last one.
    pub release: Option<Release>,
    /// Feature gates over the defaults of the release.
    pub gates: BTreeMap<String, bool>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// The labels of that namespace, where the text has no Namespace of its name.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// The treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// Further objects, prepared in advance. Objects of the text override those with the same kind and name.
    pub cluster: Option<&'a PreparedCluster>,
    /// A text with further Nodes.
    pub nodes: Option<SourceText<'a>>,
    /// Names of the nodes to look at; `None`: all.
    pub node_names: Option<&'a [String]>,
    /// `namespace/name` of the only pod to look at.
    pub pod: Option<&'a str>,
    /// `namespace/name` of the claims to allocate together, in place of pods.
    pub claims: Option<&'a [String]>,
    /// The time of the question, RFC 3339: claims whose devices are not ready for binding time out. `None`: none does.
    pub now: Option<&'a str>,
    /// Places each pod as if it were the only one that waits.
    pub alone: bool,
    /// Repeats one pod until no more fits: `pod`, or the only one of the text.
    pub how_many: bool,
    /// Changes that the answer assumes.
    pub what_if: WhatIf,
    /// Features of the allocator in place of those that the gates give.
    pub(crate) features: Option<&'a [String]>,
    /// Selectors read attributes with several values even if the gate is off.
    pub(crate) cel_lists: bool,
    /// How far the account goes.
    pub explain: Explain,
    /// Accounts contain no positions in the text and no edits.
    pub(crate) without_places: bool,
    /// Pods that are placed in turn have their outcomes and no accounts of nodes.
    pub(crate) outcomes_only: bool,
    /// The limits on the size of the text.
    pub limits: Limits,
}

impl<'a> AllocateOptions<'a> {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets a feature gate.
    pub fn gate(mut self, name: &str, on: bool) -> Self {
        self.gates.insert(name.to_owned(), on);
        self
    }

    /// Puts objects that name no namespace into this one.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets the labels of that namespace, where the text has no Namespace of its name.
    pub fn namespace_labels(mut self, labels: &'a BTreeMap<String, String>) -> Self {
        self.namespace_labels = Some(labels);
        self
    }

    /// Sets how the server treats unknown and duplicate fields.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Adds the Nodes of this text.
    pub fn nodes(mut self, text: impl Into<SourceText<'a>>) -> Self {
        self.nodes = Some(text.into());
        self
    }

    /// Asks about these objects too.
    pub fn cluster(mut self, cluster: &'a PreparedCluster) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Looks at this pod only: `namespace/name`.
    pub fn pod(mut self, pod: &'a str) -> Self {
        self.pod = Some(pod);
        self
    }

    /// Allocates these claims together, in place of pods: `namespace/name`.
    pub fn claims(mut self, claims: &'a [String]) -> Self {
        self.claims = Some(claims);
        self
    }

    /// Places each pod as if it were the only one that waits.
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Repeats one pod until no more fits.
    pub fn how_many(mut self) -> Self {
        self.how_many = true;
        self
    }

    /// Looks at these nodes only.
    pub fn node_names(mut self, names: &'a [String]) -> Self {
        self.node_names = Some(names);
        self
    }

    /// Asks at this time: RFC 3339.
    pub fn now(mut self, now: &'a str) -> Self {
        self.now = Some(now);
        self
    }

    /// Asks about changed facts.
    pub fn what_if(mut self, what_if: WhatIf) -> Self {
        self.what_if = what_if;
        self
    }

    /// Sets how much is explained.
    pub fn explain(mut self, explain: Explain) -> Self {
        self.explain = explain;
        self
    }

    /// Keeps to these limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the namespace of an object that says `given`.
    pub(super) fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() {
            self.namespace.unwrap_or("default")
        } else {
            given
        }
    }

    /// Returns `namespace/name`; without a namespace the default one.
    pub(super) fn full(&self, name: &str) -> String {
        if name.contains('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", self.namespace_of(""))
        }
    }
}
