//! Whether a node selector selects a node described in the settings.

use crate::policy::settings::SettingsNode;
use claimkit_model::object::view::NodeSelector;
use claimkit_model::schema::Release;
use claimkit_scheduler::rules::SchedulerRules;
use claimkit_scheduler::selector::{ParsedSelector, Term, TermList};

/// A selector, ready to be asked about nodes.
#[derive(Debug)]
pub struct NodeSelection<'r> {
    /// `None`: there is no selector, every node is selected.
    selector: Option<ParsedSelector<'r>>,
}

impl<'r> NodeSelection<'r> {
    /// Parses a selector as the scheduler of the release does.
    pub fn by(selector: Option<NodeSelector<'r>>, release: Release) -> Self {
        let rules = SchedulerRules::of(release);
        NodeSelection {
            selector: selector.map(|selector| ParsedSelector::parse(selector, &rules)),
        }
    }

    /// Returns true if the node is certainly selected. If it is described by labels only, a term that requires a name does not
    /// count.
    pub fn surely(&self, node: &SettingsNode) -> bool {
        self.any(node, Confidence::Certain)
    }

    /// Returns true if the node may be selected. If it is described by labels only, it may have any name.
    pub fn possibly(&self, node: &SettingsNode) -> bool {
        self.any(node, Confidence::Possible)
    }

    fn any(&self, node: &SettingsNode, confidence: Confidence) -> bool {
        self.selector.as_ref().is_none_or(|selector| {
            selector
                .terms
                .iter()
                .any(|term| matches(term, node, confidence))
        })
    }
}

/// The certainty of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Confidence {
    /// It holds whatever the node's name is.
    Certain,
    /// It holds for some name.
    Possible,
}

/// Returns true if a term selects a node; an empty term, and one that cannot be parsed, selects nothing.
fn matches(term: &Term<'_>, node: &SettingsNode, confidence: Confidence) -> bool {
    !term.is_empty()
        && term.requirements.iter().all(|requirement| {
            let Ok(test) = &requirement.test else {
                return false;
            };
            match requirement.list {
                TermList::Expressions => {
                    let label = node.labels.iter().find(|(key, _)| key == requirement.key);
                    test.holds(label.map(|(_, value)| value.as_str()))
                }
                TermList::Fields if node.name.is_empty() => confidence == Confidence::Possible,
                TermList::Fields => {
                    let value = if requirement.key == "metadata.name" {
                        node.name.as_str()
                    } else {
                        ""
                    };
                    test.holds(Some(value))
                }
            }
        })
}
