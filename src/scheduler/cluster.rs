//! The facts of a cluster, read once for many questions.

use crate::api::Release;
use crate::finding::TextField;
use crate::limits::Limits;
use crate::manifest::Input;
use crate::place::device::facts::Facts;
use crate::server::FieldValidation;
use crate::server::facts::Gathering;
use crate::text::{Source, bytes, located};

/// The objects of a cluster, read once: nodes, slices, classes, claims, pods, taint rules. [`crate::allocate`] asks about them.
#[derive(Debug)]
pub struct PreparedCluster {
    /// The release they were read for.
    pub(super) release: Release,
    /// The objects.
    pub(super) facts: Facts,
    /// What is wrong with the text.
    pub(super) findings: Vec<located::Finding>,
}

impl PreparedCluster {
    /// Reads YAML or JSON, as `kubectl get -o yaml` prints it. `release`: the release for all questions; `None`: the last one.
    pub fn read(text: &str, release: Option<Release>, namespace: Option<&str>, limits: &Limits) -> Self {
        let release = release.unwrap_or(Release::latest());
        let mut input = Input::read(text, Some(release), limits);
        let mut gathering = Gathering::new(release, namespace.unwrap_or("default"), FieldValidation::default());
        gathering.findings = std::mem::take(&mut input.file.findings);
        for (index, item) in input.items.iter().enumerate() {
            gathering.take(&input, item, index);
        }
        let source = &input.file.source;
        let told = gathering.findings.into_iter().take(limits.findings).map(|finding| {
            let mut told = located::finding(source, finding.about(TextField::Cluster));
            // Object indexes in an answer refer to its own text, so remove them.
            told.object = None;
            told.fixes.clear();
            told
        });
        PreparedCluster { release, findings: told.collect(), facts: gathering.facts }
    }

    /// Warns of bytes in the text that are not UTF-8; see [`bytes::Decoded::replaced`].
    pub fn with_replaced(mut self, text: &str, replaced: Option<usize>) -> Self {
        let source = Source::new(text);
        self.findings.extend(replaced.map(|at| located::finding(&source, bytes::warning(at, TextField::Cluster))));
        self
    }

    /// How many objects.
    pub fn len(&self) -> usize {
        let Facts { nodes, classes, slices, claims, pods, templates, rules, namespaces } = &self.facts;
        let lengths =
            [nodes.len(), classes.len(), slices.len(), claims.len(), pods.len(), templates.len(), rules.len(), namespaces.len()];
        lengths.into_iter().fold(0, usize::saturating_add)
    }

    /// No object at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
