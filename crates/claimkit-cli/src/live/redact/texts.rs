//! Names in the sentences of conditions and events.

use super::names;
use std::collections::BTreeSet;

/// What is known of names when sentences are read.
#[derive(Default)]
pub struct KnownNames {
    /// Names that are replaced.
    pub replaced: BTreeSet<String>,
    /// Names that stay, such as those of classes.
    pub kept: BTreeSet<String>,
}

/// Words of the scheduler and of controllers, which stay even if an object is called so.
const VOCABULARY: &str = "a after all allocate allocated allocation already an and any are as at available be been before being \
    bind binding blocked bound but by can cannot capacity changed claim claims class classes condition conditions cpu could create \
    created creating creation daemonset default delete deleted deployment device devices did didn disk does doesn due empty error \
    errors exceed exceeded excess exist existing expression extended failed finished first for forbidden found free from gated \
    gates gang get group had has have helpful host immediate in incoming insufficient internal invalid is it its job kind label \
    labels limit limited match matched max maximum memory minimum missing must name namespace network new no node nodes non none \
    not object of on one or overhead persistent persistentvolume persistentvolumeclaim persistentvolumes plugin pod podgroup pods \
    pool pools port ports preemption preemptor ready reason request requested requests required reserved resource resourceclaim \
    resourceclaims resources rules running satisfied satisfy scheduled scheduler scheduling selector service set size slice slices \
    spec spread still storage taint taints template that the them there this timed to too topology type unable unbound unready \
    unresolvable unschedulable untolerated use used user uses using value victims volume volumes wait waiting was were when which \
    while will with within zone";

/// Stands before the name of a pod's entry in events (kube-controller-manager, `pkg/controller/resourceclaim`, `syncPod`).
const BEFORE_ENTRY: &str = "PodResourceClaim ";

impl KnownNames {
    /// Returns a sentence with the names in it replaced.
    pub fn replace_in(&self, text: &str, replace: &mut dyn FnMut(&str) -> String) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (run, after) = rest.split_at(
                rest.find(|letter| is_of_name(letter) != is_of_name(first))
                    .unwrap_or(rest.len()),
            );
            let name = run.trim_end_matches(['.', '-', '_']);
            let end = run.get(name.len()..).unwrap_or_default();
            let around = Around {
                before: out.chars().next_back(),
                after: end.chars().next().or(after.chars().next()),
            };
            let is_entry = text.len().checked_sub(rest.len()).is_some_and(|at| {
                let before = text.get(..at).unwrap_or_default();
                before.ends_with(BEFORE_ENTRY) && self.replaced.contains(name)
            });
            if is_entry || self.is_name(name, around) {
                out.push_str(&replace(name));
                out.push_str(end);
            } else {
                out.push_str(run);
            }
            rest = after;
        }
        out
    }

    fn is_name(&self, run: &str, around: Around) -> bool {
        if around.is_of_address() || is_ip(run) {
            return true;
        }
        let is_number = run.chars().all(|letter| letter.is_ascii_digit());
        if is_number || self.kept.contains(run) || !run.starts_with(is_of_name) {
            return false;
        }
        let is_common = VOCABULARY.split_whitespace().any(|word| word == run);
        if is_common && !around.is_quoted() {
            return false;
        }
        self.replaced.contains(run) || self.begins_with_name(run)
    }

    /// Returns true for a name that is made of another one: that of a claim of a pod, for example.
    fn begins_with_name(&self, run: &str) -> bool {
        run.match_indices('-').any(|(at, _)| {
            let first = run.get(..at).unwrap_or_default();
            self.replaced.contains(first)
        })
    }
}

/// The characters beside a run.
#[derive(Clone, Copy)]
struct Around {
    before: Option<char>,
    after: Option<char>,
}

impl Around {
    fn is_quoted(self) -> bool {
        self.before == self.after && matches!(self.before, Some('"' | '`' | '\''))
    }

    /// Returns true beside the sign of an address of mail.
    fn is_of_address(self) -> bool {
        [self.before, self.after].contains(&Some('@'))
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '.' | '_')
}

/// Returns true for an address of IPv4.
fn is_ip(run: &str) -> bool {
    let mut count = 0usize;
    let are_bytes = run.split('.').all(|part| {
        count = count.saturating_add(1);
        part.parse::<u8>().is_ok()
    });
    are_bytes && count == 4
}

/// Returns true if a text that stays can be a name in a sentence.
pub fn can_be_name(text: &str) -> bool {
    text.len() <= 253 && !text.is_empty() && text.chars().all(is_of_name)
}

/// Adds the words of a name.
pub fn add_words(name: &str, all: &mut BTreeSet<String>) {
    all.extend(names::words(name).map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_sentences_are_replaced_and_words_are_not() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let known = KnownNames {
            replaced: set(&["p", "no-such", "nodes", "gpu", "c46-a"]),
            kept: set(&["gpu"]),
        };
        let replaced = |text| known.replace_in(text, &mut |name| format!("<{name}>"));
        for (text, expected) in [
            (
                "0/287 nodes are available: persistentvolumeclaim \"no-such\" not found. not found",
                "0/287 nodes are available: persistentvolumeclaim \"<no-such>\" not found. not found",
            ),
            (
                "device class gpu does not exist",
                "device class gpu does not exist",
            ),
            ("of device on node c46-a.", "of device on node <c46-a>."),
            (
                "claim \"p-d-rmftw\" is `nodes`",
                "claim \"<p-d-rmftw>\" is `<nodes>`",
            ),
            (
                "ask ann@corp.example at 10.1.2.3:80",
                "ask <ann>@<corp.example> at <10.1.2.3>:80",
            ),
            ("no-such/p: 1.5", "<no-such>/<p>: 1.5"),
            // The entry of a pod has the name of a class.
            (
                "PodResourceClaim gpu: failed for class gpu",
                "PodResourceClaim <gpu>: failed for class gpu",
            ),
        ] {
            assert_eq!(replaced(text), expected);
        }
    }
}
