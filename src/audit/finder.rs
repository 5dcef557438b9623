//! Findings about objects of the cluster, with their places in the text.

use super::ORIGIN;
use crate::advice::locate::locate;
use crate::finding::{Code, FieldPath, Finding, Severity, field_path};
use crate::manifest::{Input, Item};
use crate::place::device::facts::Meta;
use std::collections::BTreeMap;

/// Maximum number of findings of one code; one more says how many are left out.
const MOST_OF_ONE: usize = 100;

/// Kinds that live in no namespace, whatever their manifests say.
const CLUSTER_SCOPED: &[&str] =
    &["Node", "Namespace", "DeviceClass", "ResourceSlice", "DeviceTaintRule", "PriorityClass", "ResourcePoolStatusRequest"];

/// The objects of the text by kind, namespace and name.
#[derive(Debug)]
pub struct Index<'o> {
    namespace: &'o str,
    known: BTreeMap<(String, String, String), usize>,
}

impl<'o> Index<'o> {
    /// Returns an empty index. `namespace`: that of objects that name none.
    pub fn new(namespace: &'o str) -> Self {
        Index { namespace, known: BTreeMap::new() }
    }

    /// Adds an object; `false`: there is one of this name already. Objects without a name are not compared.
    pub fn add(&mut self, item: &Item, at: usize) -> bool {
        if item.name.is_empty() {
            return true;
        }
        let namespace = match (CLUSTER_SCOPED.contains(&item.kind.as_str()), item.namespace.as_str()) {
            (true, _) => "",
            (false, "") => self.namespace,
            (false, own) => own,
        };
        // Kinds of one name in several groups are different kinds.
        let group = item.api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = if is_judged(group, &item.kind) { item.kind.clone() } else { format!("{}.{group}", item.kind) };
        let key = (kind, namespace.to_owned(), item.name.clone());
        if self.known.contains_key(&key) {
            return false;
        }
        self.known.insert(key, at);
        true
    }

    fn find(&self, about: &About<'_>) -> Option<usize> {
        let namespace = if CLUSTER_SCOPED.contains(&about.kind) { "" } else { about.namespace };
        self.known.get(&(about.kind.to_owned(), namespace.to_owned(), about.name.to_owned())).copied()
    }
}

/// True for the kinds that findings are about.
fn is_judged(group: &str, kind: &str) -> bool {
    group == "resource.k8s.io" || group.is_empty() && matches!(kind, "Pod" | "Node")
}

/// The object that a finding is about, and the path in it.
#[derive(Clone, Debug, Default)]
pub struct About<'f> {
    kind: &'static str,
    namespace: &'f str,
    name: &'f str,
    path: Option<FieldPath>,
}

impl<'f> About<'f> {
    /// Describes the whole cluster, without an object.
    pub fn nothing() -> Self {
        About::default()
    }

    /// Describes one object of the cluster.
    pub fn object(kind: &'static str, metadata: &'f Meta) -> Self {
        About { kind, namespace: &metadata.namespace, name: &metadata.name, path: None }
    }

    /// A field of it.
    pub fn at(mut self, path: FieldPath) -> Self {
        self.path = Some(path);
        self
    }
}

/// Collects findings about the objects of a cluster.
#[derive(Debug)]
pub struct Finder<'i, 't> {
    input: &'i Input<'t>,
    index: &'i Index<'i>,
    list: Vec<Finding>,
    counts: BTreeMap<Code, usize>,
}

impl<'i, 't> Finder<'i, 't> {
    /// Returns a collector without findings.
    pub fn new(input: &'i Input<'t>, index: &'i Index<'i>) -> Self {
        Finder { input, index, list: Vec::new(), counts: BTreeMap::new() }
    }

    /// Adds a finding. Without `help` it gets the advice of its code.
    pub fn tell(&mut self, code: Code, about: About<'_>, message: String, help: Option<String>) {
        let count = self.counts.entry(code).or_default();
        *count = count.saturating_add(1);
        if *count > MOST_OF_ONE {
            return;
        }
        let mut finding = Finding::new(code, ORIGIN, message);
        finding.help = help.map(Into::into).or_else(|| code.help().map(Into::into));
        finding.object = self.index.find(&about);
        if let Some(item) = finding.object.and_then(|at| self.input.items.get(at))
            && let Some(tree) = self.input.tree(item)
        {
            let path = about.path.as_ref().map_or_else(|| field_path!["metadata", "name"].steps(), FieldPath::steps);
            finding.span = Some(locate(tree, item.node, &path));
        }
        finding.path = about.path.map(|path| path.to_string());
        self.list.push(finding);
    }

    /// Reports an object that is in the text a second time.
    pub fn repeated(&mut self, at: usize) {
        let Some(item) = self.input.items.get(at) else { return };
        let message = format!("{} {} is in the text twice: only the first one counts", item.kind, item.name);
        let before = self.list.len();
        self.tell(Code::AlreadyExists, About::nothing(), message, None);
        for finding in self.list.iter_mut().skip(before) {
            (finding.object, finding.span) = (Some(at), Some(item.span));
            finding.severity = Severity::Info;
        }
    }

    /// Returns the findings in the order in which they were added.
    pub fn list(self) -> Vec<Finding> {
        let Finder { mut list, counts, .. } = self;
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST_OF_ONE) {
            let more = count.saturating_sub(MOST_OF_ONE);
            let message = format!("{more} more findings `{}` are left out, the limit is {MOST_OF_ONE}", code.name());
            let worst = list.iter().filter(|finding| finding.code == code).map(|finding| finding.severity).min();
            list.push(Finding::of_severity(Code::LimitFindings, worst.unwrap_or(Severity::Info), ORIGIN, message));
        }
        list
    }
}
