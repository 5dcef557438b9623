//! `snapshot`: everything of a running cluster, or of files, that an answer depends on, as one List for the other verbs.

use super::cluster::Live;
use super::read::{ReadFor, list_of, nothing_seen, without_private};
use super::redact::{redact, rules_of};
use crate::exit::{Exit, Outcome};
use crate::files::{self, InputFile};
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
    let mut files = Vec::new();
    for name in &args.filenames {
        let dumps = files::read_dumps(name, host).map_err(|problem| problem.lines().join("; "))?;
        if let Some(unread) = dumps.unread.into_iter().next() {
            return Err(unread.problem().lines().join("; "));
        }
        files.extend(dumps.files);
    }
    let mut objects = SnapshotObjects::default();
    for file in &files {
        objects.take(file)?;
    }
    report_left_out(&objects.left_out, host);
    if objects.items.is_empty() {
        return Err("the files hold no object that an answer depends on".to_owned());
    }
    if args.redact {
        redact(&mut objects.items);
    }
    Ok(list_of(&objects.items, objects.notes.as_ref()))
}

/// The objects of files.
#[derive(Default)]
struct SnapshotObjects {
    /// Those that an answer depends on.
    items: Vec<Value>,
    /// How many others there are of each kind.
    left_out: BTreeMap<String, usize>,
    /// The notes of the first file that has some.
    notes: Option<SnapshotNotes>,
}

impl SnapshotObjects {
    /// Adds the objects of a file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn take(&mut self, file: &InputFile) -> Result<(), String> {
        if self.notes.is_none() {
            self.notes = SnapshotNotes::of_text(&file.text);
        }
        let input = Input::read(file.text.as_str(), None, &Limits::default());
        let mut findings = input.file.findings.iter();
        if let Some(unread) = findings.find(|finding| finding.code.leaves_text_unread()) {
            return Err(format!("{}: {}", file.name, unread.message));
        }
        for (index, item) in input.items.iter().enumerate() {
            let mut object: Value = input
                .deserialize(index)
                .map_err(|error| format!("{}: {error}", file.name))?;
            if decides(item, &object) {
                without_private(&mut object);
                self.items.push(object);
            } else {
                let count = self.left_out.entry(item.kind.clone()).or_default();
                *count = count.saturating_add(1);
            }
        }
        Ok(())
    }
}
