//! Findings about objects of the cluster, with their places in the text.

use crate::advice::locate::locate;
use crate::manifest::Input;
use crate::manifest::findings::{older_state, repeated};
use crate::manifest::index::Index;
use claimkit_model::finding::{Code, FieldPath, Finding, Severity, field_path};
use claimkit_model::message::{Message, Words, message};
use claimkit_scheduler::allocator::objects::Meta;
use claimkit_values::order;

/// Maximum number of findings of one code; one more says how many are left out.
const MOST_OF_ONE: usize = 100;

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
        About {
            kind,
            namespace: &metadata.namespace,
            name: &metadata.name,
            path: None,
        }
    }

    /// Sets the field of it that the finding is about.
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
    counts: Vec<(Code, usize)>,
}

impl<'i, 't> Finder<'i, 't> {
    /// Returns a collector without findings.
    pub fn new(input: &'i Input<'t>, index: &'i Index<'i>) -> Self {
        Finder {
            input,
            index,
            list: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Adds a finding. Without `help` it gets the advice of its code.
    pub fn tell(&mut self, code: Code, about: About<'_>, message: Message, help: Option<Message>) {
        let mut finding = Finding::new(code, message);
        finding.help = help.or_else(|| code.spoken_help()).map(Words::from);
        finding.object = self.index.find(about.kind, about.namespace, about.name);
        if let Some(item) = finding.object.and_then(|at| self.input.items.get(at))
            && let Some(tree) = self.input.tree(item)
        {
            let path = about
                .path
                .as_ref()
                .map_or_else(|| field_path!["metadata", "name"].steps(), FieldPath::steps);
            finding.span = Some(locate(tree, item.node, &path));
        }
        finding.path = about.path.map(|path| path.to_string());
        self.keep(finding);
    }

    /// Returns the number of findings of a code so far.
    fn count(&self, code: Code) -> usize {
        self.counts
            .iter()
            .find(|(counted, _)| *counted == code)
            .map_or(0, |(_, count)| *count)
    }

    /// Counts one more finding of a code, and returns their number.
    fn count_one(&mut self, code: Code) -> usize {
        match self.counts.iter_mut().find(|(counted, _)| *counted == code) {
            Some((_, count)) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                self.counts.push((code, 1));
                1
            }
        }
    }

    /// Adds a finding unless there are too many of its code.
    fn keep(&mut self, finding: Finding) {
        if self.count_one(finding.code) <= MOST_OF_ONE {
            self.list.push(finding);
        }
    }

    /// Reports an object that is in the text a second time; `first`: the one that counts.
    pub fn repeated(&mut self, first: usize, at: usize) {
        // Objects beyond the limit are counted, not compared.
        let finding = if self.count(Code::AlreadyExists) < MOST_OF_ONE {
            repeated(self.input, first, at, &self.list)
        } else {
            None
        };
        match finding {
            Some(finding) => self.keep(finding),
            None => {
                self.count_one(Code::AlreadyExists);
            }
        }
    }

    /// Reports an object of which the text has a newer state, too.
    pub fn older_state(&mut self, at: usize) {
        if let Some(finding) = older_state(self.input, at) {
            self.keep(finding);
        }
    }

    /// Returns the findings in the order in which they were added.
    pub fn list(self) -> Vec<Finding> {
        let Finder {
            mut list,
            mut counts,
            ..
        } = self;
        order::sort(&mut counts);
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST_OF_ONE) {
            let more = count.saturating_sub(MOST_OF_ONE);
            let message = if more == 1 {
                message!(
                    "audit.finding-left-out",
                    "1 more finding `{code}` is left out, the limit is {limit}",
                    code = code.name(),
                    limit = MOST_OF_ONE,
                )
            } else {
                message!(
                    "audit.findings-left-out",
                    "{more} more findings `{code}` are left out, the limit is {limit}",
                    more,
                    code = code.name(),
                    limit = MOST_OF_ONE,
                )
            };
            let worst = list
                .iter()
                .filter(|finding| finding.code == code)
                .map(|finding| finding.severity)
                .min();
            list.push(Finding::of_severity(
                Code::LimitFindings,
                worst.unwrap_or(Severity::Info),
                message,
            ));
        }
        list
    }
}
