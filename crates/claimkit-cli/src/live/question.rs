//! What the command line of `why` asks about.

use super::brief::Brief;
use super::owner_kinds::OwnerKind;
use super::read::LiveObjects;
use crate::options::WhyArgs;
use claimkit::list_selectors::labels::LabelQuery;
use std::collections::BTreeSet;

/// Said of pods that cannot be decoded.
pub const UNUSABLE: &str =
    "cannot be decoded, and it is not known whether it waits: `claimkit validate` says why";

/// What the command line asks about.
pub struct Question<'a> {
    /// The pods and objects that are named; none: all pods that wait.
    named: Vec<Operand<'a>>,
    /// The labels of the pods that wait.
    selector: Option<&'a LabelQuery>,
}

/// What one word of the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand<'a> {
    Pod {
        namespace: Option<&'a str>,
        name: &'a str,
    },
    /// The pods of an object.
    Owner { kind: &'static str, name: &'a str },
}

impl<'a> Question<'a> {
    /// Reads the question of a command line.
    pub fn of(args: &'a WhyArgs) -> Self {
        Question {
            named: args.pods.iter().map(|word| Operand::read(word)).collect(),
            selector: args.selector.as_ref(),
        }
    }

    /// Returns true if nothing is named: all pods that wait are asked about.
    pub fn is_about_all(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns true if a pod is among those that are asked about, whatever its namespace.
    pub fn is_about(&self, pod: &Brief) -> bool {
        if self.named.is_empty() {
            return pod.waits()
                && self
                    .selector
                    .is_none_or(|selector| pod.has_labels(selector));
        }
        self.named.iter().any(|operand| operand.is_about(pod))
    }

    /// Returns true if nothing is named, and a pod may have a node and not start there.
    pub fn is_about_unstarted(&self, pod: &Brief) -> bool {
        let mut selector = self.selector.iter();
        self.named.is_empty()
            && pod.node().is_some()
            && pod.is_pending()
            && selector.all(|selector| pod.has_labels(selector))
    }

    /// Returns the names of the pods that are named.
    pub fn pods(&self) -> Vec<&'a str> {
        let named = self.named.iter();
        named
            .filter_map(|operand| match operand {
                Operand::Pod { name, .. } => Some(*name),
                Operand::Owner { .. } => None,
            })
            .collect()
    }

    /// Returns true if it names one pod and nothing else.
    pub fn is_about_one_pod(&self) -> bool {
        matches!(self.named.as_slice(), [Operand::Pod { .. }])
    }

    /// Returns the kinds and names of the objects whose pods are asked about.
    pub fn owners(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.named.iter().filter_map(|operand| match operand {
            Operand::Owner { kind, name } => Some((*kind, *name)),
            Operand::Pod { .. } => None,
        })
    }

    /// Returns the namespace of the command line.
    ///
    /// # Errors
    /// It names several.
    pub fn namespace(&self, option: Option<&'a str>) -> Result<Option<&'a str>, String> {
        let named: BTreeSet<&str> = self
            .named
            .iter()
            .filter_map(|operand| match operand {
                Operand::Pod { namespace, .. } => *namespace,
                Operand::Owner { .. } => None,
            })
            .collect();
        let first = named.first().copied();
        match (option, first) {
            (Some(option), Some(named)) if option != named => Err(format!(
                "the pod is in namespace {named}, and `--namespace` says {option}"
            )),
            _ if named.len() > 1 => Err(format!(
                "the pods are in several namespaces: {}; ask about those of one at a time",
                Vec::from_iter(named).join(", ")
            )),
            _ => Ok(option.or(first)),
        }
    }
}

impl<'a> Operand<'a> {
    /// Reads `NAME`, `pod/NAME`, `NAMESPACE/NAME` or `KIND/NAME`.
    fn read(written: &'a str) -> Self {
        let Some((kind, name)) = written.split_once('/') else {
            return Operand::Pod {
                namespace: None,
                name: written,
            };
        };
        let plain = kind
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if matches!(plain.as_str(), "pod" | "pods" | "po") {
            return Operand::Pod {
                namespace: None,
                name,
            };
        }
        match OwnerKind::of(&plain) {
            Some(OwnerKind { name: kind, .. }) => Operand::Owner { kind, name },
            None => Operand::Pod {
                namespace: Some(kind),
                name,
            },
        }
    }

    fn is_about(self, pod: &Brief) -> bool {
        match self {
            Operand::Pod { name, .. } => pod.metadata.name == name,
            Operand::Owner { kind, name } => pod.is_of(kind, name),
        }
    }
}

/// Returns the pods that are asked about. `namespace`: where; `None`: everywhere.
///
/// # Errors
/// A pod that is named is not there.
pub fn asked<'s>(
    question: &Question<'_>,
    namespace: Option<&str>,
    seen: &'s LiveObjects,
) -> Result<Vec<&'s Brief>, String> {
    let is_there =
        |brief: &&Brief| namespace.is_none_or(|namespace| brief.metadata.namespace == namespace);
    let pods: Vec<&Brief> = seen.pods.iter().filter(is_there).collect();
    let is_cut = seen.unseen.iter().any(|unseen| unseen.is_about("pods"));
    for name in question.pods() {
        if !pods.iter().any(|brief| brief.metadata.name == name) {
            let full = format!("{}/{name}", namespace.unwrap_or_default());
            let mut unusable = seen.cluster.unusable_pods();
            if unusable.any(|(of, pod)| pod == name && namespace.is_none_or(|own| own == of)) {
                return Err(format!("pod {full} {UNUSABLE}"));
            }
            return Err(if is_cut {
                format!("pod {full} is not among those that were seen")
            } else {
                format!("there is no pod {full}")
            });
        }
    }
    Ok(pods
        .into_iter()
        .filter(|brief| question.is_about(brief))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read_as_in_kubectl() {
        let pod = |namespace, name| Operand::Pod { namespace, name };
        assert_eq!(Operand::read("a"), pod(None, "a"));
        assert_eq!(Operand::read("pod/a"), pod(None, "a"));
        assert_eq!(Operand::read("team/a"), pod(Some("team"), "a"));
        let owner = |kind, name| Operand::Owner { kind, name };
        assert_eq!(Operand::read("deploy/web"), owner("deployment", "web"));
        assert_eq!(Operand::read("Jobs.batch/a"), owner("job", "a"));
        assert_eq!(Operand::read("lws/a"), owner("leaderworkerset", "a"));
    }
}
