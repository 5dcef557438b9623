//! `snapshot`: everything of a running cluster, or of files, that an answer depends on, as one List for the other verbs.

use super::cluster::Live;
use super::read::{ReadFor, list_of, nothing_seen, without_private};
use super::redact::{redact, rules_of};
use crate::exit::{Exit, Outcome};
use crate::files;
use crate::host::Host;
use crate::options::SnapshotArgs;
use claimkit::manifest::{Input, Item};
use claimkit::release_of_cluster;
use claimkit::report::text::visible;
use claimkit_model::limits::Limits;
use claimkit_scheduler::allocator::objects::EVENT_REASONS;
use claimkit_scheduler::explain::words;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of kinds that are named among those that are left out.
const MOST_KINDS: usize = 5;

/// Runs the verb.
pub fn run(args: &SnapshotArgs, host: &mut dyn Host) -> Outcome {
    let text = match args.filenames.is_empty() {
        true => read(args, host),
        false => read_files(args, host),
    };
    let text = text.map_err(|problem| {
        host.status("");
        visible(&problem)
    })?;
    host.out(&text);
    Ok(Exit::Fine)
}

fn read(args: &SnapshotArgs, host: &mut dyn Host) -> Result<String, String> {
    let mut live = Live::open(&args.connection, None, None, host)?;
    live.effective_gates(None, host);
    let (mut text, unseen) = live.list_of_objects(ReadFor::Snapshot, host);
    if text.is_empty() {
        return Err(nothing_seen(&unseen));
    }
    let found = release_of_cluster(text.as_str(), &Limits::default());
    if found.map(|found| found.release) != Some(live.release) {
        live.notes.push(format!(
            "questions about this file need `--release {}`: its nodes do not say so",
            live.release
        ));
    }
    live.tell(&unseen, host);
    if args.redact {
        host.status("replacing names");
        let list: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        drop(text);
        let mut items = items_of_list(list);
        redact(&mut items);
        text = list_of(&items);
        host.status("");
    }
    Ok(text)
}

/// Returns true if an answer depends on objects such as this one.
fn decides(item: &Item, object: &Value) -> bool {
    let reason = object.get("reason").and_then(Value::as_str);
    rules_of(&item.api_version, &item.kind).is_some()
        && (item.kind != "Event" || reason.is_some_and(|reason| EVENT_REASONS.contains(&reason)))
}

fn items_of_list(mut list: Value) -> Vec<Value> {
    let items = list.get_mut("items").and_then(Value::as_array_mut);
    items.map(std::mem::take).unwrap_or_default()
}

/// Reads the objects of files that an answer depends on.
fn read_files(args: &SnapshotArgs, host: &mut dyn Host) -> Result<String, String> {
    if let Some(flag) = args.connection.flags().first() {
        return Err(format!(
            "`--{}` is about a running cluster, and `--filename` reads none",
            flag.name
        ));
    }
    let limits = Limits::default();
    let (mut items, mut others) = (Vec::new(), BTreeMap::new());
    for name in &args.filenames {
        let file = files::read_at_most(name, limits.bytes, host)
            .map_err(|problem| problem.lines().join("; "))?;
        let input = Input::read(file.text.as_str(), None, &limits);
        let unread = input.file.findings.iter();
        if let Some(why) = unread.clone().find(|why| why.code.leaves_text_unread()) {
            return Err(format!("{name}: {}", why.message));
        }
        for (at, item) in input.items.iter().enumerate() {
            let mut object: Value = input
                .deserialize(at)
                .map_err(|error| format!("{name}: {error}"))?;
            if decides(item, &object) {
                without_private(&mut object);
                items.push(object);
            } else {
                let count: &mut usize = others.entry(item.kind.clone()).or_default();
                *count = count.saturating_add(1);
            }
        }
    }
    if !others.is_empty() {
        let kinds: Vec<String> = others
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        host.err(&format!(
            "claimkit: left out of the snapshot: {}\n",
            visible(&words::some(&kinds, MOST_KINDS))
        ));
    }
    if items.is_empty() {
        return Err("the files hold no object that an answer depends on".to_owned());
    }
    if args.redact {
        redact(&mut items);
    }
    Ok(list_of(&items))
}
