//! `snapshot`: everything of a running cluster that an answer depends on, as one List for the other verbs.

use super::read::ReadFor;
use super::{Live, why};
use crate::exit::{Exit, Outcome};
use crate::host::Host;
use crate::options::SnapshotArgs;
use claimkit::release_of_cluster;
use claimkit::report::text::visible;
use claimkit_model::limits::Limits;

/// Runs the verb.
pub fn run(args: &SnapshotArgs, host: &mut dyn Host) -> Outcome {
    let text = read(args, host).map_err(|problem| {
        host.status("");
        visible(&problem)
    })?;
    host.out(&text);
    Ok(Exit::Fine)
}

fn read(args: &SnapshotArgs, host: &mut dyn Host) -> Result<String, String> {
    let mut live = Live::open(&args.connection, None, None, host)?;
    why::gates(&mut live, None, host);
    let (text, unseen) = live.list_of_objects(ReadFor::Snapshot, host);
    if text.is_empty() {
        return Err(why::nothing_seen(&unseen));
    }
    let found = release_of_cluster(text.as_str(), &Limits::default());
    if found.map(|found| found.release) != Some(live.release) {
        live.notes.push(format!(
            "questions about this file need `--release {}`: its nodes do not say so",
            live.release
        ));
    }
    why::tell(&live, &unseen, host);
    Ok(text)
}
