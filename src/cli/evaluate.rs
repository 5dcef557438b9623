//! `evaluate`: on which nodes claims can be used. All files are asked about as one text, for a claim and its class mostly lie
//! apart; what is answered is then given back to the file it speaks of.

use super::arguments::Arguments;
use super::ask::{self, Answered, Request};
use super::files::{self, File};
use super::{FINDINGS, FINE, Host, UNUSABLE, check};
use crate::limits::Limits;
use crate::report::Report;
use crate::report::nodes::{self as render, Place};
use crate::report::text::{self, Style};
use serde_json::{Map, Value, json};

/// Between files that are read as one text.
const SEPARATOR: &str = "\n---\n";

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(nodes) = nodes(arguments, host) else { return UNUSABLE };
    let (files, readable) = match arguments.value("selector") {
        Some(name) => match files::read_one(name, host) {
            Some(file) => (vec![file], true),
            None => return UNUSABLE,
        },
        None => files::read(arguments, host),
    };
    let joined = Joined::of(&files);
    let wanted: Vec<&str> = arguments.values("node").collect();
    let json = arguments.value("output") == Some("json");
    let request = Request::new("evaluate")
        .with("nodes", Some(nodes))
        .with("release", arguments.value("release"))
        .with("explain", (!wanted.is_empty()).then(|| wanted.clone()))
        .with("detail", (!json || !wanted.is_empty()).then_some("summary"))
        .with(if arguments.has("selector") { "selector" } else { "text" }, Some(joined.text.as_str()));
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let answers = joined.apart(&files, told);
    let answers: Vec<Answered> =
        files.iter().zip(answers).map(|(file, told)| ask::without_ignored(arguments, ask::explained(file, told))).collect();
    let reports = ask::reports(&files, &answers, arguments.has("remarks"));
    if json {
        host.out(&check::json("evaluate", &files, &answers));
        return end(arguments, &reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports.iter().for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    host.out(&match arguments.value("output") {
        Some("wide") => wide(&reports, &wanted),
        _ => lines(&reports, &wanted, style),
    });
    end(arguments, &reports, readable, host)
}

/// The exit code: with `--require-node` a claim that can be used on no node counts as a finding.
fn end(arguments: &Arguments, reports: &[Report<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    let code = check::end(arguments, reports, readable, host);
    if code != FINE || !arguments.has("require-node") {
        return code;
    }
    let mut code = code;
    for (report, label, placement) in placements(reports) {
        let usable = |node: &Value| matches!(node.get("verdict").and_then(Value::as_str), Some("Yes" | "Possible"));
        if !placement.get("nodes").and_then(Value::as_array).is_some_and(|nodes| nodes.iter().any(usable)) {
            host.err(&format!("claimkit: {}: {label} can be used on no node\n", report.name));
            code = FINDINGS;
        }
    }
    code
}

/// The Nodes of all files as one stream of documents.
fn nodes(arguments: &Arguments, host: &mut dyn Host) -> Option<String> {
    let mut all = Vec::new();
    for name in arguments.values("nodes") {
        let file = files::read_at_most(name, Limits::default().node_set_bytes, host)?;
        all.push(ask::text_of(&file, host)?.to_owned());
    }
    Some(all.join(SEPARATOR))
}

/// Every placement with the object's name: `kind/namespace/name`, or the file of a bare selector.
fn placements<'a>(reports: &'a [Report<'_>]) -> impl Iterator<Item = (&'a Report<'a>, String, Value)> {
    reports.iter().flat_map(|report| {
        report.answer.objects.iter().filter_map(move |object| {
            let placement = serde_json::from_str(object.placement.as_ref()?.get()).ok()?;
            let label = match (object.kind.as_str(), object.namespace.as_str(), object.name.as_str()) {
                (_, "", "") => report.name.to_owned(),
                (kind, "", name) => format!("{kind}/{name}"),
                (kind, namespace, name) => format!("{kind}/{namespace}/{name}"),
            };
            Some((report, label, placement))
        })
    })
}

/// The nodes of a placement that were asked for.
fn shown<'v>(placement: &'v Value, wanted: &[&str]) -> impl Iterator<Item = &'v Value> {
    let nodes = placement.get("nodes").and_then(Value::as_array).into_iter().flatten();
    nodes.filter(|node| wanted.is_empty() || node.get("name").and_then(Value::as_str).is_some_and(|name| wanted.contains(&name)))
}

/// Per object a line per node; of the nodes asked for, everything.
fn lines(reports: &[Report<'_>], wanted: &[&str], style: Style) -> String {
    let mut out = String::new();
    for (report, label, placement) in placements(reports) {
        out.push_str(&format!("{}\n", style.paint("1", &text::visible(&label))));
        let place = |range: &Value| name(report, reports, range);
        for node in shown(&placement, wanted) {
            match wanted.is_empty() {
                true => out.push_str(&format!("  {}\n", render::line(node, &place, style))),
                false => out.push_str(&render::explanation(node, &place, style)),
            }
        }
        if let Some(next) = placement.get("next") {
            let part = |name: &str| next.get(name).and_then(Value::as_str).unwrap_or_default();
            out.push_str(&format!("  then the scheduler says: {} ({})\n", part("schedulerReason"), part("why")));
        }
    }
    out
}

fn wide(reports: &[Report<'_>], wanted: &[&str]) -> String {
    let mut rows = vec![render::TITLES.map(str::to_owned).to_vec()];
    for (report, label, placement) in placements(reports) {
        let place = |range: &Value| name(report, reports, range);
        let place: Place<'_> = &place;
        rows.extend(shown(&placement, wanted).map(|node| render::row(&label, node, place)));
    }
    render::table(&rows)
}

/// `file:line:column` of a range; without a `file` of its own it lies in the report's.
fn name(report: &Report<'_>, reports: &[Report<'_>], range: &Value) -> Option<String> {
    let report = match range.get("file").and_then(Value::as_str) {
        Some(other) => reports.iter().find(|report| report.name == other)?,
        None => report,
    };
    let (line, column) = report.places.line_and_column(serde_json::from_str(&range.get("start")?.to_string()).ok()?);
    Some(format!("{}:{line}:{column}", report.name))
}

/// Files read as one text.
struct Joined {
    text: String,
    /// Byte and line at which each file begins.
    starts: Vec<(u64, u64)>,
}

impl Joined {
    fn of(files: &[File]) -> Self {
        if let [one] = files {
            return Joined { text: one.text.clone(), starts: vec![(0, 0)] };
        }
        let (mut text, mut starts, mut line) = (String::new(), Vec::new(), 0u64);
        let breaks = |text: &str| u64::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(0);
        for file in files {
            // One text has one form: what begins with a separator is YAML, in which JSON can stand too.
            let before = if text.is_empty() { "---\n" } else { SEPARATOR };
            text.push_str(before);
            line = line.saturating_add(breaks(before));
            starts.push((u64::try_from(text.len()).unwrap_or(0), line));
            text.push_str(&file.text);
            line = line.saturating_add(breaks(&file.text));
        }
        Joined { text, starts }
    }

    /// The file that a range begins in.
    fn file(&self, range: &Value) -> usize {
        let offset = range.pointer("/start/offset").and_then(Value::as_u64).unwrap_or(0);
        self.starts.partition_point(|(start, _)| *start <= offset).saturating_sub(1)
    }

    /// Makes a range count in its own file, and names the file where it is not `home`.
    fn shift(&self, files: &[File], home: usize, range: &mut Value) {
        let file = self.file(range);
        let (offset, line) = self.starts.get(file).copied().unwrap_or((0, 0));
        for end in ["start", "end"] {
            for (field, less) in [("offset", offset), ("line", line)] {
                let place = range.get_mut(end).and_then(|position| position.get_mut(field));
                if let Some((place, number)) = place.and_then(|place| place.as_u64().map(|number| (place, number))) {
                    *place = number.saturating_sub(less).into();
                }
            }
        }
        if let (true, Some(range), Some(file)) = (file != home, range.as_object_mut(), files.get(file)) {
            range.insert("file".to_owned(), file.name.as_str().into());
        }
    }

    /// Makes every range and index of an object inside a part of the answer count in its own file.
    fn shift_all(&self, files: &[File], homes: &[(usize, usize)], home: usize, part: &mut Value) {
        let mut waiting = vec![part];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(fields) => {
                    let object = fields.get("object").and_then(Value::as_u64).and_then(|object| usize::try_from(object).ok());
                    if let Some((file, at)) = object.and_then(|object| homes.get(object)).copied() {
                        fields.insert("object".to_owned(), at.into());
                        if let Some(other) = files.get(file).filter(|_| file != home) {
                            fields.insert("file".to_owned(), other.name.as_str().into());
                        }
                    }
                    for (name, value) in fields.iter_mut() {
                        match name.as_str() {
                            "range" => self.shift(files, home, value),
                            // What the user wrote is no part of ours.
                            "object" | "values" => {}
                            _ => waiting.push(value),
                        }
                    }
                }
                Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
    }

    /// Gives each file what is said of it.
    fn apart(&self, files: &[File], told: Answered) -> Vec<Answered> {
        if files.len() == 1 {
            return vec![told];
        }
        let mut whole = match serde_json::from_str(&told.json) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        let mut take = |name: &str| match whole.shift_remove(name) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let (objects, findings) = (take("objects"), take("findings"));
        let mut parts: Vec<(Vec<Value>, Vec<Value>)> = files.iter().map(|_| Default::default()).collect();
        // Per object its file and its index there.
        let mut counts = vec![0usize; files.len()];
        let home = |object: &Value| {
            let home = object.get("range").map_or(0, |range| self.file(range));
            let count = counts.get_mut(home).map_or(0, |count| std::mem::replace(count, count.saturating_add(1)));
            (home, count)
        };
        let homes: Vec<(usize, usize)> = objects.iter().map(home).collect();
        for (mut object, (home, _)) in objects.into_iter().zip(&homes) {
            self.shift_all(files, &homes, *home, &mut object);
            if let Some(part) = parts.get_mut(*home) {
                part.0.push(object);
            }
        }
        for mut finding in findings {
            let object = finding.get("object").and_then(Value::as_u64).and_then(|object| usize::try_from(object).ok());
            let at_object = object.and_then(|object| homes.get(object)).map(|object| object.0);
            let home = finding.get("range").map(|range| self.file(range)).or(at_object).unwrap_or(0);
            self.shift_all(files, &homes, home, &mut finding);
            if let Some(part) = parts.get_mut(home) {
                part.1.push(finding);
            }
        }
        let answers = parts.into_iter().map(|(objects, findings)| {
            let placed = objects.iter().any(|object| object.get("placement").is_some());
            let ok = placed && !findings.iter().any(|finding| finding.get("severity").and_then(Value::as_str) == Some("error"));
            let json = json!({ "verb": "evaluate", "ok": ok, "findings": findings, "objects": objects }).to_string();
            let answer = serde_json::from_str(&json).unwrap_or_default();
            Answered { json, answer }
        });
        answers.collect()
    }
}
