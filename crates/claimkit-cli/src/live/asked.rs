//! The cluster, or the files, that `why` is asked about.

use super::cluster::Live;
use super::dump;
use super::question::Question;
use super::read::{LiveObjects, Wanted, nothing_seen};
use crate::host::Host;
use crate::options::WhyArgs;
use std::collections::{BTreeMap, BTreeSet};

/// A cluster, and the gates with which it answers.
pub struct AskedCluster {
    pub live: Live,
    pub gates: BTreeMap<String, bool>,
}

/// Returns the objects of a running cluster, or those of files.
///
/// # Errors
/// Why there are none.
pub fn open(
    args: &WhyArgs,
    question: &Question<'_>,
    host: &mut dyn Host,
) -> Result<(AskedCluster, LiveObjects), String> {
    if args.filenames.is_empty() {
        let cluster = connect(args, question, host)?;
        let seen = read(args, question, &cluster, host)?;
        return Ok((cluster, seen));
    }
    let namespace = question.namespace(args.namespace.as_deref())?;
    let (mut live, seen) = dump::read(&args.filenames, args.release.as_deref(), namespace, host)?;
    if namespace.is_none()
        && let Some(found) = namespace_in(&seen, question)?
    {
        live.namespace = found;
    }
    // Events alone can say why no pod exists.
    if !seen.some && question.owners().next().is_none() {
        return Err(match seen.unseen.iter().find(|unseen| unseen.is_file()) {
            Some(file) => format!("{}: {}", file.what, file.why),
            None => "the files hold no object that an answer needs".to_owned(),
        });
    }
    let noted = seen.cluster.noted_gates().cloned();
    // Gates are those of a release.
    let noted = noted.filter(|_| args.release.is_none());
    let gates = args.gates().or(noted).unwrap_or_default();
    Ok((AskedCluster { live, gates }, seen))
}

/// Connects to the cluster.
///
/// # Errors
/// Why it does not answer.
pub fn connect(
    args: &WhyArgs,
    question: &Question<'_>,
    host: &mut dyn Host,
) -> Result<AskedCluster, String> {
    let namespace = question.namespace(args.namespace.as_deref())?;
    let mut live = Live::open(&args.connection, args.release.as_deref(), namespace, host)?;
    let gates = live.effective_gates(args.gates(), host);
    Ok(AskedCluster { live, gates })
}

/// Reads the objects of a running cluster.
///
/// # Errors
/// Why none were seen.
pub fn read(
    args: &WhyArgs,
    question: &Question<'_>,
    cluster: &AskedCluster,
    host: &mut dyn Host,
) -> Result<LiveObjects, String> {
    let live = &cluster.live;
    let wanted = Wanted {
        namespace: (!args.all_namespaces).then_some(live.namespace.as_str()),
        pods: question.pods(),
    };
    let mut seen = live.read(&wanted, host);
    if !seen.some {
        return Err(nothing_seen(&seen.unseen));
    }
    if !question
        .owners()
        .all(|(kind, name)| seen.pods.iter().any(|pod| pod.is_of(kind, name)))
    {
        live.read_uncreated(&mut seen, host);
    }
    Ok(seen)
}

/// Returns the namespace in which files have what is asked about; `None`: they do not have it, or nothing is named.
///
/// # Errors
/// Several namespaces have it.
fn namespace_in(seen: &LiveObjects, question: &Question<'_>) -> Result<Option<String>, String> {
    if question.is_about_all() {
        return Ok(None);
    }
    let pods = seen.pods.iter().filter(|pod| question.is_about(pod));
    let namespaces: BTreeSet<&str> = pods.map(|pod| pod.metadata.namespace.as_str()).collect();
    if namespaces.len() > 1 {
        let namespaces: Vec<&str> = namespaces.into_iter().collect();
        return Err(format!(
            "pods of several namespaces are meant: {}; `--namespace` names one",
            namespaces.join(", ")
        ));
    }
    if let Some(found) = namespaces.first() {
        return Ok(Some((*found).to_owned()));
    }
    let mut refusals = question
        .owners()
        .filter_map(|(kind, name)| seen.cluster.pod_refusal(kind, None, name));
    Ok(refusals.next().map(|refusal| refusal.namespace.to_owned()))
}
