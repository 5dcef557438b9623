//! `snapshot`: everything of a running cluster, or of files, that an answer depends on, as one List for the other verbs.

use super::cluster::Live;
use super::read::{ReadFor, list_of, nothing_seen, without_private};
use super::redact::{redact, rules_of};
use crate::exit::{Exit, Outcome};
use crate::files;
use crate::host::Host;
use crate::options::SnapshotArgs;
use claimkit::SnapshotNotes;
use claimkit::manifest::{Input, Item};
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
    let text = if args.filenames.is_empty() {
        read(args, host)
    } else {
        read_files(args, host)
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
    let gates = live.effective_gates(None, host);
    let (mut text, unseen) = live.list_of_objects(ReadFor::Snapshot, &gates, host);
    if text.is_empty() {
        return Err(nothing_seen(&unseen));
    }
    live.tell(&unseen, host);
    if args.redact {
        host.status("replacing names");
        let notes = SnapshotNotes::of_text(&text);
        let list: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        drop(text);
        let mut items = items_of_list(list);
        redact(&mut items);
        text = list_of(&items, notes.as_ref());
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

/// Says how many objects of each kind are left out.
fn report_left_out(counts: &BTreeMap<String, usize>, host: &mut dyn Host) {
    if counts.is_empty() {
        return;
    }
    let kinds: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    host.err(&format!(
        "claimkit: left out of the snapshot: {}\n",
        visible(&words::some(&kinds, MOST_KINDS))
    ));
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
    let mut items = Vec::new();
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    let mut notes = None;
    let mut given = Vec::new();
    for name in &args.filenames {
        let found = files::read_dumps(name, host).map_err(|problem| problem.lines().join("; "))?;
        if let Some(unread) = found.unread.into_iter().next() {
            return Err(unread.problem().lines().join("; "));
        }
        given.extend(found.files);
    }
    for file in given {
        let name = &file.name;
        notes = notes.or_else(|| SnapshotNotes::of_text(&file.text));
        let input = Input::read(file.text.as_str(), None, &limits);
        let mut findings = input.file.findings.iter();
        if let Some(why) = findings.find(|finding| finding.code.leaves_text_unread()) {
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
                let count = others.entry(item.kind.clone()).or_default();
                *count = count.saturating_add(1);
            }
        }
    }
    report_left_out(&others, host);
    if items.is_empty() {
        return Err("the files hold no object that an answer depends on".to_owned());
    }
    if args.redact {
        redact(&mut items);
    }
    Ok(list_of(&items, notes.as_ref()))
}
