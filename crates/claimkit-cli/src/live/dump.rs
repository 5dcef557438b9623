//! The objects of files instead of those of a running cluster.

use super::brief::Brief;
use super::cluster::Live;
use super::kinds::{CLAIMS, CLASSES, KINDS, NODES, ReadKind, SLICES, TEMPLATES};
use super::read::{LiveObjects, MissingObjects, Unseen};
use crate::files;
use crate::host::Host;
use crate::options::ConnectionArgs;
use claimkit::{PreparedCluster, UndecodedObject, release_of_cluster};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_scheduler::target::OtherKubelet;

/// Maximum number of characters that are said of why a file cannot be read: upstream's words can hold all of an object.
const MOST_OF_WHY: usize = 120;

/// Reads what `kubectl get … -o yaml` printed. Without a release, that of the nodes' kubelets is followed.
///
/// # Errors
/// Why a file cannot be read, or that the release is not known.
pub fn read(
    names: &[String],
    asked_release: Option<&str>,
    namespace: Option<&str>,
    host: &mut dyn Host,
) -> Result<(Live, LiveObjects), String> {
    let limits = Limits::default();
    let mut files = Vec::new();
    let mut unread = Vec::new();
    for name in names {
        let found = files::read_dumps(name, host).map_err(|problem| problem.lines().join("; "))?;
        files.extend(found.files);
        unread.extend(found.unread);
    }
    let texts: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
    let mut live = Live::of_connection(&ConnectionArgs::default());
    live.release = match asked_release {
        Some(asked) => Release::parse(asked).ok_or_else(|| Release::unknown(asked))?,
        None => {
            let found = texts
                .iter()
                .filter_map(|text| release_of_cluster(*text, &limits));
            let (known, others): (Vec<_>, Vec<_>) =
                found.partition(|found| found.kubelet.is_none());
            let newest = known.iter().max_by_key(|found| found.release);
            let newer = others
                .iter()
                .find(|other| matches!(other.kubelet, Some(OtherKubelet::Newer(_))));
            match newer.or(others.first().filter(|_| newest.is_none())) {
                Some(other) => {
                    live.notes.push(other.told().to_string());
                    other.release
                }
                None => match newest {
                    Some(newest) if newest.release != Release::latest() => {
                        live.notes.push(newest.told().to_string());
                        newest.release
                    }
                    _ => Release::latest(),
                },
            }
        }
    };
    namespace
        .unwrap_or("default")
        .clone_into(&mut live.namespace);
    let mut seen = LiveObjects::of_files(live.release);
    let unread = unread.iter();
    seen.unseen
        .extend(unread.map(|unread| Unseen::file(&unread.path, &unread.problem)));
    for file in &files {
        let name = &file.name;
        let part = PreparedCluster::read(
            file.text.as_str(),
            Some(live.release),
            Some(&live.namespace),
            &limits,
        );
        let unread = part.unread().map(|why| Unseen::file(name, &beginning(why)));
        seen.unseen.extend(unread);
        let undecoded = part.undecoded().iter();
        seen.unseen
            .extend(undecoded.filter_map(|object| unseen_object(name, object)));
        seen.cluster.join(part);
    }
    let several = seen.cluster.keep_newest();
    live.notes.extend(several);
    seen.some = !seen.cluster.is_empty();
    seen.pods = seen.cluster.pods().map(Brief::from).collect();
    let absent: Vec<Unseen> = KINDS
        .iter()
        .filter(|kind| is_missed(kind, &seen))
        .map(|kind| unseen(kind, seen.unseen.iter().any(Unseen::is_file)))
        .collect();
    seen.unseen.extend(absent);
    Ok((live, seen))
}

/// Returns true if no file has objects of a kind on which an answer depends.
fn is_missed(kind: &ReadKind, seen: &LiveObjects) -> bool {
    let cluster = &seen.cluster;
    let waiting = cluster.pods().filter(|pod| Brief::from(*pod).waits());
    let mut entries = waiting.flat_map(|pod| {
        let entries = pod.spec.resource_claims.iter();
        entries.map(|entry| (pod.claim_of(&entry.name), entry))
    });
    let mut unseen = seen.unseen.iter();
    match kind.plural {
        // The files have some, which cannot be decoded.
        plural if unseen.any(|unseen| unseen.kind == Some(plural)) => false,
        _ if cluster.is_whole(kind.kind) => false,
        NODES => !cluster.has_nodes(),
        SLICES => !cluster.has_slices() && entries.next().is_some(),
        CLASSES => !cluster.has_classes() && entries.next().is_some(),
        CLAIMS => !cluster.has_claims() && entries.any(|(claim, _)| claim.is_some()),
        TEMPLATES => {
            !cluster.has_templates()
                && entries.any(|(claim, entry)| {
                    claim.is_none() && entry.resource_claim_template_name.is_some()
                })
        }
        _ => false,
    }
}

/// Returns the entry of a kind that no file has. `some_unread`: there are files that cannot be read.
fn unseen(kind: &ReadKind, some_unread: bool) -> Unseen {
    let why = if some_unread {
        "no other file has them"
    } else {
        "no file has them"
    };
    Unseen {
        what: kind.plural.to_owned(),
        why: why.to_owned(),
        so: kind.without,
        kind: Some(kind.plural),
        missing: MissingObjects::NotInFiles,
    }
}

/// Returns the entry of an object of a file that cannot be decoded. `None`: the kind does not affect placement, or is Pod (reported
/// elsewhere).
fn unseen_object(file: &str, object: &UndecodedObject) -> Option<Unseen> {
    let plural = DECIDING
        .iter()
        .find(|(kind, _)| *kind == object.kind)
        .map(|(_, plural)| *plural)?;
    let line = object
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    Some(Unseen {
        what: format!("{} {}", object.kind, object.name),
        why: format!("{file}{line}: {}", beginning(&object.why)),
        so: "what it says is not known",
        kind: Some(plural),
        missing: MissingObjects::Undecoded,
    })
}

/// The kinds of objects that affect placement, and their plurals; Pod is reported elsewhere.
const DECIDING: [(&str, &str); 5] = [
    ("Node", NODES),
    ("ResourceSlice", SLICES),
    ("DeviceClass", CLASSES),
    ("ResourceClaim", CLAIMS),
    ("ResourceClaimTemplate", TEMPLATES),
];

/// Returns the beginning of why a file cannot be read.
fn beginning(why: &str) -> String {
    match why.char_indices().nth(MOST_OF_WHY) {
        Some((end, _)) => format!("{}…", why.get(..end).unwrap_or_default()),
        None => why.to_owned(),
    }
}
