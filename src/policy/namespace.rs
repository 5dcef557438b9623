//! The namespace of a request. The host is asked for its labels only when a setting needs them to decide the request.

use crate::policy::cluster::{self, ClusterReader, Labels};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The labels of a namespace, looked up at most once.
pub struct NamespaceLabels<'h> {
    name: &'h str,
    cluster: Option<&'h dyn ClusterReader>,
    known: OnceCell<Result<Labels, String>>,
}

impl<'h> NamespaceLabels<'h> {
    /// Takes labels that the host gives with the request.
    pub fn given(labels: Labels) -> Self {
        NamespaceLabels {
            name: "",
            cluster: None,
            known: OnceCell::from(Ok(labels)),
        }
    }

    /// Takes labels that `cluster` is asked for when they are needed. An object of the cluster (`name` is empty) has none.
    pub fn of(name: &'h str, cluster: Option<&'h dyn ClusterReader>) -> Self {
        let known = if name.is_empty() || cluster.is_none() {
            OnceCell::from(Ok(Labels::new()))
        } else {
            OnceCell::new()
        };
        NamespaceLabels {
            name,
            cluster,
            known,
        }
    }

    /// Returns the labels if they are known already.
    pub fn peek(&self) -> Option<&Labels> {
        self.known.get().and_then(|known| known.as_ref().ok())
    }

    /// Makes those of a namespace that nobody has given. An object of the cluster (`name` is empty) has none.
    pub fn not_given(name: &'h str) -> Self {
        let known = if name.is_empty() {
            Ok(Labels::new())
        } else {
            Err(format!(
                "the labels of the namespace `{name}` are not given: add its Namespace or `--namespace-labels`"
            ))
        };
        NamespaceLabels {
            name,
            cluster: None,
            known: OnceCell::from(known),
        }
    }

    fn ask(&self) -> Result<&Labels, &str> {
        let ask = || {
            let labels = self.cluster.map_or_else(
                || Ok(Labels::new()),
                |cluster| cluster::labels(cluster, self.name),
            );
            labels.map_err(|problem| {
                let problem = problem.lines().next().unwrap_or_default();
                format!("the policy's host cannot look up the labels of the namespace: {problem}")
            })
        };
        self.known.get_or_init(ask).as_ref().map_err(String::as_str)
    }
}

/// The needs of the stored object of an update: labels that decide only about these are not looked up.
#[derive(Debug, Default)]
pub struct StoredNeeds {
    /// The classes that it names.
    pub classes: BTreeSet<String>,
    /// Whether a request has admin access.
    pub admin_access: bool,
    /// The update leaves everything as it is that settings judge.
    pub unchanged: bool,
}

/// When the host may be asked for labels.
#[derive(Clone, Copy)]
pub enum Asking<'r> {
    /// For a new object.
    Always,
    /// The needs of an update that the stored object does not have.
    Beyond(&'r StoredNeeds),
    /// Never: the stored object of an update is only compared with.
    Never,
}

/// The namespace of a request.
#[derive(Clone, Copy)]
pub struct Namespace<'r> {
    /// Its name; empty for objects of the cluster.
    pub name: &'r str,
    pub labels: &'r NamespaceLabels<'r>,
    /// When they may be asked for.
    pub asking: Asking<'r>,
}

/// Whether a namespace has certain labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Has<'r> {
    /// It has all of them.
    Yes,
    No,
    /// They were not asked for, because they cannot decide the request.
    Unasked,
    /// They are not known, and why.
    Failed(&'r str),
}

impl<'r> Namespace<'r> {
    /// Returns the namespace for judging the stored object of an update.
    pub fn of_stored(self) -> Self {
        Namespace {
            asking: Asking::Never,
            ..self
        }
    }

    /// Checks the labels that decide whether claims may name a class.
    pub fn has_for_class(self, labels: &Labels, class: &str) -> Has<'r> {
        self.has(labels, |stored| {
            !stored.unchanged && !stored.classes.contains(class)
        })
    }

    /// Checks the labels that decide about admin access.
    pub fn has_for_admin_access(self, labels: &Labels) -> Has<'r> {
        self.has(labels, |stored| !stored.admin_access)
    }

    /// Checks labels that decide about what an update changes.
    pub fn has_for_change(self, labels: &Labels) -> Has<'r> {
        self.has(labels, |stored| !stored.unchanged)
    }

    fn has(self, wanted: &Labels, is_new: impl Fn(&StoredNeeds) -> bool) -> Has<'r> {
        if wanted.is_empty() {
            return Has::Yes;
        }
        let asks = match self.asking {
            Asking::Always => true,
            Asking::Beyond(stored) => is_new(stored),
            Asking::Never => false,
        };
        let labels: &'r NamespaceLabels<'r> = self.labels;
        let known = match labels.peek() {
            Some(known) => known,
            None if !asks => return Has::Unasked,
            None => match labels.ask() {
                Ok(known) => known,
                Err(problem) => return Has::Failed(problem),
            },
        };
        if wanted.iter().all(|label| known.contains(label)) {
            Has::Yes
        } else {
            Has::No
        }
    }
}
