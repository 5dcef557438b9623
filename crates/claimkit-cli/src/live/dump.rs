//! The objects of files instead of those of a running cluster.

use super::brief::Brief;
use super::cluster::Live;
use super::kinds::{CLAIMS, CLASSES, KINDS, NODES, ReadKind, SLICES, TEMPLATES};
use super::read::{LiveObjects, MissingObjects, Unseen};
use crate::files::{self, DumpFiles, InputFile, UnreadPath};
use crate::host::Host;
use crate::options::ConnectionArgs;
use claimkit::{ClusterRelease, PreparedCluster, UndecodedObject, release_of_cluster};
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
    let DumpFiles { files, unread } = read_all(names, host)?;
    let mut live = Live::of_connection(&ConnectionArgs::default());
    let followed = followed_release(asked_release, &files, &limits)?;
    live.release = followed.release;
    live.notes.extend(followed.note);
    namespace
        .unwrap_or("default")
        .clone_into(&mut live.namespace);
    let mut seen = read_objects(&files, &live, &limits, unread);
    let several = seen.cluster.keep_newest();
    live.notes.extend(several);
    seen.some = !seen.cluster.is_empty();
    seen.pods = seen.cluster.pods().map(Brief::from).collect();
    add_absent_kinds(&mut seen);
    Ok((live, seen))
}

/// Reads files and folders.
///
/// # Errors
/// Why what was named cannot be read.
fn read_all(names: &[String], host: &mut dyn Host) -> Result<DumpFiles, String> {
    let mut all = DumpFiles {
        files: Vec::new(),
        unread: Vec::new(),
    };
    for name in names {
        let found = files::read_dumps(name, host).map_err(|problem| problem.lines().join("; "))?;
        all.files.extend(found.files);
        all.unread.extend(found.unread);
    }
    Ok(all)
}

/// The release that answers.
struct FollowedRelease {
    release: Release,
    /// Why it is not the one that answers usually.
    note: Option<String>,
}

/// Returns the release that is asked for; without one, that of the cluster whose objects the files hold, or the newest.
///
/// # Errors
/// The release is not known.
fn followed_release(
    asked: Option<&str>,
    files: &[InputFile],
    limits: &Limits,
) -> Result<FollowedRelease, String> {
    if let Some(asked) = asked {
        let release = Release::parse(asked).ok_or_else(|| Release::unknown(asked))?;
        return Ok(FollowedRelease {
            release,
            note: None,
        });
    }
    let found = files
        .iter()
        .filter_map(|file| release_of_cluster(file.text.as_str(), limits));
    let (known, unknown): (Vec<ClusterRelease>, Vec<ClusterRelease>) =
        found.partition(|found| found.kubelet.is_none());
    let newer_than_all = unknown
        .iter()
        .find(|found| matches!(found.kubelet, Some(OtherKubelet::Newer(_))));
    let newest_known = known.iter().max_by_key(|found| found.release);
    let Some(found) = newer_than_all.or(newest_known).or(unknown.first()) else {
        return Ok(FollowedRelease {
            release: Release::latest(),
            note: None,
        });
    };
    let is_usual = found.kubelet.is_none() && found.release == Release::latest();
    Ok(FollowedRelease {
        release: found.release,
        note: (!is_usual).then(|| found.told().to_string()),
    })
}

/// Reads the objects of files as one cluster. `unread`: what of folders cannot be read.
fn read_objects(
    files: &[InputFile],
    live: &Live,
    limits: &Limits,
    unread: Vec<UnreadPath>,
) -> LiveObjects {
    let mut seen = LiveObjects::of_files(live.release);
    for UnreadPath { path, problem } in unread {
        seen.unseen.push(Unseen::file(&path, &problem));
    }
    for file in files {
        let part = PreparedCluster::read(
            file.text.as_str(),
            Some(live.release),
            Some(&live.namespace),
            limits,
        );
        if let Some(why) = part.unread() {
            seen.unseen.push(Unseen::file(&file.name, &beginning(why)));
        }
        for object in part.undecoded() {
            seen.unseen.extend(unseen_object(&file.name, object));
        }
        seen.cluster.join(part);
    }
    seen
}

/// Adds the kinds of which no file has objects, and on which an answer depends, to what could not be seen.
fn add_absent_kinds(seen: &mut LiveObjects) {
    let some_unread = seen.unseen.iter().any(Unseen::is_file);
    let absent: Vec<Unseen> = KINDS
        .iter()
        .filter(|kind| is_missed(kind, seen))
        .map(|kind| unseen(kind, some_unread))
        .collect();
    seen.unseen.extend(absent);
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
