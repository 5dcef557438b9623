//! The output of `allocate`: for each pod a table of nodes, then the reasons for every node that offers no devices.

use super::files::File;
use super::joined::Joined;
use crate::api::Release;
use crate::place::device::behaviour::{Behaviour, Features, allocator};
use crate::place::device::explain::words;
use crate::report::nodes::table;
use crate::report::text::visible;
use serde_json::Value;

/// The default width of a terminal, in columns.
const WIDTH: usize = 80;
/// What is said of a claim that no pod holds on to.
const NOT_RESERVED: &str = "no pod reserves it";
/// What is said of several claims that no pod uses.
const TOGETHER: &str = "(no pod uses these claims: placed together, as if one pod used them all)";
/// Most names in one line.
const MOST_NAMES: usize = 3;

/// The texts that report positions refer to.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The files.
    pub files: &'a [File],
    /// The same as one text.
    pub joined: &'a Joined,
}

/// The items of a list in an answer; none if there is no list.
pub fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// A text in an answer; empty if there is none.
pub fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> i64 {
    value.get(name).and_then(Value::as_i64).unwrap_or_default()
}

/// Does the pod ask for no devices?
fn is_skipped(pod: &Value) -> bool {
    pod.pointer("/before/code").and_then(Value::as_str) == Some("Skip")
}

/// Does a pod, or claims without one, get the devices it asks for on some node?
pub fn fits(pod: &Value) -> bool {
    is_skipped(pod) || items(pod, "nodes").any(|node| word(node, "verdict") == "allocated")
}

/// The requests of one node's account.
#[derive(Clone, Copy)]
struct Requests<'v> {
    pod: &'v Value,
    node: &'v Value,
    /// How many devices mode All needs.
    least: i64,
}

impl<'v> Requests<'v> {
    fn all(self) -> impl Iterator<Item = &'v Value> {
        items(self.node, "requests")
    }

    /// The name of a request; with its claim if another claim has a request of the same name.
    fn name(self, request: &Value) -> String {
        let name = request_name(request);
        if !word(request, "serves").is_empty() {
            return format!("{name} ({})", word(request, "serves"));
        }
        let twice = self.all().any(|other| word(other, "claim") != word(request, "claim") && request_name(other) == name);
        if twice { format!("{name} of {}", word(request, "claim")) } else { name }
    }

    /// Too few devices for this request, whatever the others get.
    fn lacks(self, request: &Value) -> bool {
        left(request) < number(request, "wanted").max(self.least)
    }
}

/// How many devices mode All needs in the release that answers.
fn least_of_all(answer: &Value) -> i64 {
    let behaviour =
        Release::parse(word(answer, "release")).and_then(|release| allocator(release.minor, release.patch, &Features::default()));
    behaviour.map_or(1, Behaviour::least_of_all)
}

/// The name of a pod, or of claims without one.
pub fn name(pod: &Value) -> String {
    let claims: Vec<&str> = items(pod, "claims").filter_map(Value::as_str).collect();
    match pod.get("pod").and_then(Value::as_str) {
        Some(name) => name.to_owned(),
        None if claims.is_empty() => "claims without a pod".to_owned(),
        None => claims.join(", "),
    }
}

/// For each pod a table of nodes, then the reasons for the nodes that offer no devices.
pub fn text(answer: &Value, texts: Texts<'_>) -> String {
    let assumed = items(answer, "assumed").filter_map(Value::as_str).map(|line| format!("Assumed: {line}\n"));
    let least = least_of_all(answer);
    let mut parts: Vec<String> = Vec::from_iter(Some(assumed.collect::<String>()).filter(|lines| !lines.is_empty()));
    for pod in items(answer, "pods") {
        let mut part = format!("{}\n", headline(pod));
        if items(pod, "nodes").next().is_some() {
            if word(pod, "pod").is_empty() && items(pod, "claims").count() > 1 {
                part.push_str(&wrapped(TOGETHER, 2, 2));
            }
            part.push_str(&rows(pod, least));
        }
        parts.push(part);
        parts.extend(
            items(pod, "nodes")
                .filter(|node| is_told(node) && word(node, "verdict") != "allocated")
                .map(|node| account(Requests { pod, node, least }, texts)),
        );
    }
    parts.join("\n")
}

/// A pod, and on how many nodes it fits.
fn headline(pod: &Value) -> String {
    if let Some(before) = pod.get("before").filter(|before| !before.is_null()) {
        if is_skipped(pod) {
            return wrapped(&format!("{}: {}", name(pod), word(before, "help")), 0, 2).trim_end().to_owned();
        }
        let line = format!("{}: {} ({}, before any node)", name(pod), word(before, "message"), word(before, "stage"));
        let line = wrapped(&line, 0, 2).trim_end().to_owned();
        return match word(before, "help") {
            "" => line,
            help => format!("{line}\n{}", wrapped(&format!("= help: {help}"), 2, 10).trim_end()),
        };
    }
    let fit = items(pod, "nodes").filter(|node| word(node, "verdict") == "allocated").count();
    let fatal: Vec<&str> = items(pod, "nodes").filter(|node| is_fatal(node)).map(|node| word(node, "name")).collect();
    let error = match fatal.as_slice() {
        [] => String::new(),
        nodes => format!("; the error on {} ends the attempt for all", some(nodes)),
    };
    match items(pod, "nodes").count() {
        0 => format!("{}: no node to try", name(pod)),
        1 => format!("{}: fits on {fit} of 1 node", name(pod)),
        all => wrapped(&format!("{}: fits on {fit} of {all} nodes{error}", name(pod)), 0, 2).trim_end().to_owned(),
    }
}

fn is_fatal(node: &Value) -> bool {
    node.get("fatal").and_then(Value::as_bool) == Some(true)
}

/// True if the node has an account of its own, not that of an earlier node.
fn is_told(node: &Value) -> bool {
    node.get("sameAs").is_none_or(Value::is_null)
}

/// A row for each node that differs from all earlier ones. Long cells are cut; the account below shows them in full.
fn rows(pod: &Value, least: i64) -> String {
    let mut rows = vec![["NODE", "VERDICT", "DEVICES, OR WHY NONE"].map(str::to_owned).to_vec()];
    for node in items(pod, "nodes").filter(|node| is_told(node)) {
        let own = word(node, "name");
        let alike: Vec<&str> =
            items(pod, "nodes").filter(|other| word(other, "sameAs") == own).map(|node| word(node, "name")).collect();
        let nodes = match alike.as_slice() {
            [] => own.to_owned(),
            [one] => format!("{own}, {one}"),
            more => format!("{own} +{}", more.len()),
        };
        rows.push(vec![nodes, word(node, "verdict").to_owned(), shortly(Requests { pod, node, least })]);
    }
    let mut out = String::new();
    for line in table(&rows).lines() {
        let most = WIDTH.saturating_sub(2);
        let shown: String = match line.chars().count() <= most {
            true => line.to_owned(),
            false => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        };
        out.push_str(&format!("  {shown}\n"));
    }
    out
}

/// The devices that a node gives, or the first reason why it gives none.
fn shortly(told: Requests<'_>) -> String {
    let node = told.node;
    if word(node, "verdict") == "allocated" {
        let given = devices(told);
        let own = format!("{}: ", word(node, "name"));
        return if given.is_empty() { word(node, "text").replacen(&own, "", 1) } else { given.join("; ") };
    }
    if let Some(resource) = items(node, "resources").find(|resource| is_short(resource)) {
        return word(resource, "text").to_owned();
    }
    if let Some(conflict) = items(node, "conflicts").next() {
        return word(conflict, "text").to_owned();
    }
    // The text of an error names its subject.
    if word(node, "verdict") == "error" {
        return word(node, "message").to_owned();
    }
    // Another alternative of a request may have enough.
    let alternatives = |request| {
        let is_same = move |other: &&Value| ["claim", "request"].iter().all(|name| word(other, name) == word(request, name));
        items(node, "requests").filter(is_same)
    };
    let lacking = items(node, "requests").find(|request| alternatives(*request).all(|one| told.lacks(one)));
    let alone = items(node, "requests").nth(1).is_none();
    let said = [word(node, "help"), word(node, "message")].into_iter().find(|words| !words.is_empty());
    lacking.map_or_else(
        || said.unwrap_or_default().to_owned(),
        |request| match alone {
            true => why(request),
            false => format!("{}: {}", told.name(request), why(request)),
        },
    )
}

/// `request = devices` for each request that is given some.
fn devices(told: Requests<'_>) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    let mut last = String::new();
    for (at, one) in items(told.node, "allocations").enumerate() {
        // Pending claims come first among the pod's, in this order; behind them is that for extended resources, which has no name.
        let claim = items(told.pod, "claims").nth(at).and_then(Value::as_str).unwrap_or_default();
        let claim = if told.all().any(|request| word(request, "claim") == claim) { claim } else { "" };
        for result in one.get("devices").into_iter().flat_map(|devices| items(devices, "results")) {
            let request = word(result, "request");
            let twice = told.all().any(|other| word(other, "claim") != claim && request_name(other) == request);
            let of = if twice && !claim.is_empty() { format!(" of {claim}") } else { String::new() };
            let (own, device) = (format!("{request}{of} = "), word(result, "device"));
            match given.last_mut().filter(|_| own == last) {
                Some(line) => line.push_str(&format!(", {device}")),
                None => given.push(format!("{own}{device}")),
            }
            last = own;
        }
    }
    given
}

fn request_name(request: &Value) -> String {
    let sub = request.get("sub").and_then(Value::as_str).map(|sub| format!("/{sub}")).unwrap_or_default();
    format!("{}{sub}", word(request, "request"))
}

/// Is too little of a resource left?
fn is_short(resource: &Value) -> bool {
    resource.get("short").and_then(Value::as_bool) == Some(true)
}

/// How many devices are left after all stages.
fn left(request: &Value) -> i64 {
    items(request, "funnel").last().map_or(0, |stage| number(stage, "left"))
}

fn why(request: &Value) -> String {
    match word(request, "why") {
        "" if number(request, "wanted") == 0 => "no device that allocationMode All could take".to_owned(),
        "" => format!("{} of {} devices wanted", left(request), number(request, "wanted")),
        why => why.to_owned(),
    }
}

/// Why a node gives nothing, and what helps.
fn account(requests: Requests<'_>, texts: Texts<'_>) -> String {
    let Requests { pod, node, .. } = requests;
    let own = word(node, "name");
    let others: Vec<&str> =
        items(pod, "nodes").filter(|other| word(other, "sameAs") == own).map(|node| word(node, "name")).collect();
    let alike: Vec<&str> = std::iter::once(own).chain(others).collect();
    let nodes = match alike.as_slice() {
        [one, other] => format!("{one} and {other}"),
        names => some(names),
    };
    let mut out = wrapped(&format!("{} on {nodes}: {}", name(pod), word(node, "message")), 0, 2);
    if !word(node, "help").is_empty() {
        out.push_str(&wrapped(&format!("= help: {}", word(node, "help")), 2, 10));
    }
    for resource in items(node, "resources") {
        out.push_str(&wrapped(word(resource, "text"), 2, 4));
    }
    let mut like_the_last = 0usize;
    let list: Vec<&Value> = items(node, "requests").collect();
    for (at, request) in list.iter().copied().enumerate() {
        // Requests that read the same, and lack nothing, share a line.
        let same = |other: &&&Value| ["text", "class"].iter().all(|key| word(other, key) == word(request, key));
        if like_the_last > 0 {
            like_the_last = like_the_last.saturating_sub(1);
            continue;
        }
        let group = list.iter().skip(at.saturating_add(1)).take_while(same).filter(|_| !requests.lacks(request));
        let group: Vec<String> = group.map(|other| requests.name(other)).collect();
        like_the_last = group.len();
        let names: Vec<String> = std::iter::once(requests.name(request)).chain(group).collect();
        let names = match names.as_slice() {
            [one] => one.clone(),
            several => format!("{}, each", some(&several.iter().map(String::as_str).collect::<Vec<_>>())),
        };
        out.push_str(&wrapped(&format!("{names}: {}", word(request, "text")), 2, 4));
        if requests.lacks(request) {
            for reason in word(request, "why").split("; ").filter(|reason| !reason.is_empty()) {
                out.push_str(&wrapped(reason, 4, 6));
            }
        }
        for missing in items(request, "funnel").flat_map(|stage| items(stage, "missing")) {
            out.push_str(&wrapped(&missing_text(missing), 4, 6));
        }
    }
    let mut told: Vec<String> = Vec::new();
    for holder in items(node, "holders") {
        let (device, claim) = (word(holder, "device"), word(holder, "claim"));
        let pods = items(holder, "pods").filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        let whom = if pods.is_empty() { NOT_RESERVED.to_owned() } else { format!("for {pods}") };
        let line = format!("{} is held by {claim} ({whom})", device.rsplit('/').next().unwrap_or_default());
        // What the requests say already is not said again, but for this: such a claim can be freed.
        let said = out.replace('\n', " ");
        let line = match said.contains(claim) {
            false => line,
            true if pods.is_empty() && !said.contains(&format!("{claim} ({NOT_RESERVED})")) => {
                format!("no pod reserves claim {claim}")
            }
            true => continue,
        };
        if !told.contains(&line) {
            told.push(line);
        }
    }
    told.iter().for_each(|line| out.push_str(&wrapped(line, 2, 4)));
    for conflict in items(node, "conflicts") {
        out.push_str(&wrapped(word(conflict, "text"), 2, 4));
    }
    for pool in items(node, "pools").filter(|pool| word(pool, "state") != "ok") {
        out.push_str(&wrapped(&pool_text(pool), 2, 4));
    }
    for relaxation in items(node, "relaxations") {
        out.push_str(&wrapped(&format!("What helps: {}", word(relaxation, "text")), 2, 4));
        for place in items(relaxation, "changes").filter_map(|change| place(change, texts)) {
            out.push_str(&wrapped(&place, 4, 6));
        }
    }
    // Where a search is too long, or an error ends it, nothing is tried.
    let tried = matches!(word(node, "verdict"), "none" | "unavailable") && node.get("relaxations").is_some();
    if tried && items(node, "relaxations").next().is_none() && items(node, "resources").next().is_none() {
        out.push_str(&wrapped("No single change of these claims helps, nor any pair that was tried.", 2, 4));
    }
    out
}

/// An attribute that a selector reads but devices lack, and similar existing ones.
fn missing_text(missing: &Value) -> String {
    let (path, on, of) = (word(missing, "path"), number(missing, "on"), number(missing, "of"));
    let near: Vec<&str> = items(missing, "near").filter_map(Value::as_str).collect();
    let meant = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
    format!("{path}: {on} of {of} devices have it{meant} A guard: {}", word(missing, "guard"))
}

fn pool_text(pool: &Value) -> String {
    let mut text = format!("pool {} is {}", word(pool, "pool"), word(pool, "state"));
    match (word(pool, "state"), word(pool, "reason")) {
        ("incomplete", _) => {
            let (have, want, generation) = (number(pool, "have"), number(pool, "want"), number(pool, "generation"));
            text.push_str(&format!(": {have} of {want} slices of generation {generation}"));
        }
        (_, "") => {}
        (_, reason) => text.push_str(&format!(": {reason}")),
    }
    for slice in items(pool, "ignored") {
        text.push_str(&format!("; {} is left out: {}", word(slice, "slice"), word(slice, "why")));
    }
    text
}

/// Where a change stands: `file:line:column: path`.
fn place(change: &Value, texts: Texts<'_>) -> Option<String> {
    let path = word(change, "path");
    let mut range = change.get("range").cloned()?;
    let file = texts.joined.file(&range);
    texts.joined.shift(texts.files, file, &mut range);
    let at = |name: &str| range.pointer(&format!("/start/{name}")).and_then(Value::as_u64).map(|at| at.saturating_add(1));
    Some(format!("{}:{}:{}: {path}", texts.files.get(file)?.name, at("line")?, at("character")?))
}

fn some(names: &[&str]) -> String {
    words::some(names, MOST_NAMES)
}

/// Lines of at most [`WIDTH`] columns, the first indented by `first`, the others by `rest`.
fn wrapped(text: &str, first: usize, rest: usize) -> String {
    let mut out = String::new();
    let mut line = " ".repeat(first);
    let mut empty = true;
    for word in visible(text).split(' ') {
        let width = line.chars().count().saturating_add(word.chars().count()).saturating_add(1);
        if !empty && width > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(rest);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}
