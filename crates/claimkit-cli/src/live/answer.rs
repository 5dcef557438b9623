//! The text of `why`: a sentence for each pod, the scheduler's own beside it, the nodes grouped by their reasons, and what helps.

use super::brief::Brief;
use super::helps::{self, is_about_others};
use super::read::Unseen;
use claimkit::report::text::wrapped;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount, RequestAccount};
use claimkit_scheduler::explain::kinds::{Absent, NodeVerdict, PoolState};
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin, Turn, TurnOutcome};
use claimkit_scheduler::explain::words;
use claimkit_values::order;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of names in one line.
const MOST_NAMES: usize = 3;
/// Maximum number of nodes of a group whose own reasons are listed.
const MOST_OWN: usize = 1;
/// Maximum number of groups of nodes that are listed.
const MOST_GROUPS: usize = 3;
/// Maximum number of changes that are listed.
const MOST_CHANGES: usize = 3;
/// Maximum number of findings about the cluster that are listed.
const MOST_FINDINGS: usize = 5;

/// A pod with its account.
pub struct AnsweredPod<'a> {
    pub brief: &'a Brief,
    /// Its account, if it waits and asks for devices.
    pub account: Option<&'a PodAccount>,
    /// The objects that could not be read.
    pub unseen: &'a [Unseen],
}

/// The facts on which the answer is based.
pub struct Beside<'a> {
    /// The objects that could not be read.
    pub unseen: &'a [Unseen],
    /// The changes that were assumed.
    pub assumed: &'a [String],
    /// The errors found in the cluster.
    pub findings: &'a [String],
}

/// The outcome for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LiveVerdict {
    /// It has a node.
    Scheduled,
    Ended,
    /// It is taken alone, and asks for no devices.
    NoDevices,
    /// Something stops it before any node is tried.
    Stopped,
    /// In turn: it gets a node. Alone: some node can give it its devices.
    Fits,
    Refused,
    /// Objects that would decide could not be read.
    Unknown,
}

impl LiveVerdict {
    /// Returns true if the pod gets no node.
    pub fn is_refused(self) -> bool {
        matches!(self, LiveVerdict::Stopped | LiveVerdict::Refused)
    }
}

impl AnsweredPod<'_> {
    /// Returns the outcome for the pod.
    pub fn verdict(&self) -> LiveVerdict {
        match self.seen_verdict() {
            LiveVerdict::Stopped | LiveVerdict::Refused if self.lacks().is_some() => {
                LiveVerdict::Unknown
            }
            verdict => verdict,
        }
    }

    /// Returns the kind that could not be read, and would decide: what the pod lacks may be there.
    fn lacks(&self) -> Option<&str> {
        let account = self.account?;
        let is_unseen = |plural: &str| self.unseen.iter().any(|unseen| unseen.is_about(plural));
        let absent = account.before.as_ref().and_then(|before| before.absent);
        let absent = absent.or_else(|| self.turn().and_then(|turn| turn.absent));
        if account.before.is_some() || absent.is_some() {
            return absent
                .map(Absent::plural)
                .filter(|plural| is_unseen(plural));
        }
        let about_devices = self.nodes().any(|node| !is_about_others(node));
        Some("resourceslices").filter(|plural| {
            about_devices && self.unseen.iter().any(|unseen| unseen.is_all_of(plural))
        })
    }

    /// Returns the outcome for the pod by what was read.
    fn seen_verdict(&self) -> LiveVerdict {
        if matches!(self.brief.phase(), "Succeeded" | "Failed") {
            return LiveVerdict::Ended;
        }
        if self.brief.node().is_some() {
            return LiveVerdict::Scheduled;
        }
        let Some(account) = self.account else {
            return LiveVerdict::NoDevices;
        };
        if let Some(turn) = &account.turn {
            return match turn.outcome {
                TurnOutcome::Bound | TurnOutcome::Preparing => LiveVerdict::Fits,
                TurnOutcome::Placed => LiveVerdict::Scheduled,
                TurnOutcome::Ended => LiveVerdict::Ended,
                TurnOutcome::Gated | TurnOutcome::NotConsidered => LiveVerdict::Stopped,
                TurnOutcome::NotKnown => LiveVerdict::Unknown,
                TurnOutcome::Unschedulable | TurnOutcome::Error => {
                    match account.before.as_ref().map(|before| before.code) {
                        None | Some(StatusCode::Skip) => LiveVerdict::Refused,
                        Some(_) => LiveVerdict::Stopped,
                    }
                }
            };
        }
        match &account.before {
            Some(before) if before.code == StatusCode::Skip => LiveVerdict::NoDevices,
            Some(_) => LiveVerdict::Stopped,
            None if account.nodes.iter().any(is_allocated) => LiveVerdict::Fits,
            None => LiveVerdict::Refused,
        }
    }

    /// Returns the changes that would help, if it gets no node.
    pub fn helps(&self) -> Vec<String> {
        if self.verdict().is_refused() {
            self.account.map(helps::of).unwrap_or_default()
        } else {
            Vec::new()
        }
    }

    /// Describes the pod in one sentence.
    fn sentence(&self) -> String {
        let name = self.brief.full_name();
        let account = self.account;
        match self.verdict() {
            LiveVerdict::Scheduled => format!(
                "{name} has a node: {}.",
                self.brief.node().unwrap_or_default()
            ),
            LiveVerdict::Unknown => {
                let known = self
                    .turn()
                    .filter(|turn| turn.outcome == TurnOutcome::NotKnown);
                if let Some(why) = known.and_then(|turn| turn.unsure.first()) {
                    return format!("{name} waits: {why}.");
                }
                format!(
                    "{name} waits. It is not known why, for {} could not be seen.",
                    self.lacks().unwrap_or_default()
                )
            }
            LiveVerdict::Ended => format!("{name} has ended: {}.", self.brief.phase()),
            LiveVerdict::NoDevices => {
                format!("{name} waits, and asks for no devices: something else keeps it.")
            }
            LiveVerdict::Stopped => {
                let message = account
                    .and_then(|account| account.before.as_ref())
                    .map(|before| before.message.clone());
                match message.or_else(|| {
                    self.turn().and_then(|turn| {
                        turn.waits_for
                            .as_ref()
                            .map(|what| format!("it waits for {what}"))
                    })
                }) {
                    Some(why) => format!("{name} waits, and no node is tried: {why}."),
                    None => format!("{name} waits, and no node is tried."),
                }
            }
            LiveVerdict::Fits => {
                if let Some((node, what)) = self.preparing() {
                    return format!("{name} waits on {node}, until it has {what}.");
                }
                let (nodes, one, several) = match self.turn() {
                    Some(turn) => {
                        let tied = turn.tied.iter().map(String::as_str);
                        (
                            turn.node.as_deref().into_iter().chain(tied).collect(),
                            "can take it",
                            "could each take it",
                        )
                    }
                    None => {
                        let fit = self
                            .nodes()
                            .filter(|node| is_allocated(node))
                            .map(|node| node.name.as_str());
                        (
                            fit.collect::<Vec<&str>>(),
                            "can give it its devices",
                            "could each give it its devices",
                        )
                    }
                };
                let can = if nodes.len() == 1 { one } else { several };
                format!(
                    "{name} waits, although {} {can}.",
                    words::some(&nodes, MOST_NAMES)
                )
            }
            LiveVerdict::Refused => {
                if let Some(node) = self.turn().and_then(|turn| turn.takes.as_deref()) {
                    return format!("{name} waits: {node} takes it, but its group does not start.");
                }
                let left_out = self.turn().map_or(0, |turn| turn.nodes_left_out);
                let can = if self.nodes().all(is_about_devices) {
                    "can give it its devices"
                } else {
                    "takes it"
                };
                match self.nodes().count().saturating_add(left_out) {
                    0 if account.is_some_and(|account| account.same_as.is_some()) => {
                        format!("{name} waits: no node takes it.")
                    }
                    0 => format!("{name} waits: there is no node to try."),
                    1 if can == "takes it" => {
                        format!("{name} waits: the only node does not take it.")
                    }
                    1 => format!("{name} waits: the only node cannot give it its devices."),
                    all => format!("{name} waits: none of {all} nodes {can}."),
                }
            }
        }
    }

    /// Returns the node that holds devices and volumes for the pod, and what they lack.
    fn preparing(&self) -> Option<(&str, &str)> {
        let turn = self.turn()?;
        let is_preparing = turn.outcome == TurnOutcome::Preparing;
        let (node, what) = (turn.node.as_deref()?, turn.waits_for.as_deref()?);
        is_preparing.then_some((node, what))
    }

    /// Returns the outcome when all pods that wait are placed in turn; `None`: the pod is taken alone.
    fn turn(&self) -> Option<&Turn> {
        self.account.and_then(|account| account.turn.as_deref())
    }

    fn nodes(&self) -> impl Iterator<Item = &NodeAccount> {
        self.account.into_iter().flat_map(|account| &account.nodes)
    }
}

/// Returns true if only the devices of a node refuse the pod.
fn is_about_devices(node: &NodeAccount) -> bool {
    node.refusals
        .iter()
        .all(|refusal| refusal.plugin == Plugin::DynamicResources)
}

fn is_allocated(node: &NodeAccount) -> bool {
    node.verdict == NodeVerdict::Allocated
}

/// Nodes with the same reasons.
struct Group<'a> {
    names: Vec<&'a str>,
    /// The lines that all nodes share.
    lines: Vec<String>,
    /// The lines about each node's own amounts and devices.
    own: Vec<(&'a str, Vec<String>)>,
    /// The pod itself excludes the nodes.
    is_unwanted: bool,
}

/// Writes the answer. `place`: where the pods are, for the sentence that none waits.
pub fn text(
    answered: &[AnsweredPod<'_>],
    beside: &Beside<'_>,
    place: &str,
    width: usize,
) -> String {
    let mut out = String::new();
    for line in beside.assumed {
        out.push_str(&wrapped(&format!("Assumed: {line}"), 0, 2, width));
    }
    if answered.is_empty() {
        out.push_str(&wrapped(&format!("No pod waits {place}."), 0, 2, width));
    }
    for (at, one) in answered.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write(&mut out, one, beside, width);
    }
    if !beside.findings.is_empty() && answered.iter().any(|one| one.verdict().is_refused()) {
        out.push_str("\nIn the cluster:\n");
        list(&mut out, beside.findings, MOST_FINDINGS, width);
    }
    out
}

fn write(out: &mut String, one: &AnsweredPod<'_>, beside: &Beside<'_>, width: usize) {
    let verdict = one.verdict();
    out.push_str(&wrapped(&one.sentence(), 0, 2, width));
    if let Some(says) = one.brief.says().filter(|_| one.brief.waits()) {
        out.push_str(&wrapped(&format!("kube-scheduler: {says}"), 2, 4, width));
    } else if one.brief.waits() {
        out.push_str(&wrapped(
            "kube-scheduler has written nothing about it yet.",
            2,
            4,
            width,
        ));
    }
    let Some(account) = one
        .account
        .filter(|_| one.brief.waits() && verdict != LiveVerdict::NoDevices)
    else {
        return;
    };
    let help = account
        .before
        .as_ref()
        .and_then(|before| before.help.as_deref())
        .filter(|help| !help.is_empty());
    if let Some(help) = help.filter(|_| verdict != LiveVerdict::Unknown) {
        out.push_str(&wrapped(&as_sentence(help), 2, 4, width));
    }
    for Unseen { what, so, .. } in beside.unseen {
        let so = if so.is_empty() {
            String::new()
        } else {
            format!(": {so}")
        };
        out.push_str(&wrapped(
            &format!("Not sure, for {what} could not be seen{so}."),
            2,
            4,
            width,
        ));
    }
    if verdict == LiveVerdict::Unknown {
        return;
    }
    if let Some(turn) = &account.turn {
        for line in in_turn(one, turn, verdict) {
            out.push_str(&wrapped(&line, 2, 4, width));
        }
    }
    if verdict == LiveVerdict::Fits && beside.assumed.is_empty() && one.preparing().is_none() {
        let keeps = if account.turn.is_some() {
            "something that these objects do not show"
        } else {
            "something else than devices"
        };
        let other = format!("Either the scheduler has not tried again since, or {keeps} keeps it.");
        out.push_str(&wrapped(&other, 2, 4, width));
    }
    if let Some(first) = &account.same_as {
        out.push_str(&wrapped(
            &format!("The nodes, and what helps: as for {first}."),
            2,
            4,
            width,
        ));
        return;
    }
    let groups = groups(account);
    for group in groups.iter().take(MOST_GROUPS) {
        write_group(out, group, width);
    }
    let left: usize = groups
        .iter()
        .skip(MOST_GROUPS)
        .map(|group| group.names.len())
        .sum();
    if left > 0 {
        out.push('\n');
        out.push_str(&wrapped(
            &format!("{left} more nodes have other reasons: `--node NAME` shows one"),
            0,
            2,
            width,
        ));
    }
    let helps = one.helps();
    if !helps.is_empty() {
        out.push_str("\nWhat helps:\n");
        list(out, &helps, MOST_CHANGES, width);
    } else if verdict == LiveVerdict::Refused
        && let Some(why) = helps::why_none(account)
    {
        out.push('\n');
        out.push_str(&wrapped(why, 0, 2, width));
    }
}

/// Writes help as a sentence.
fn as_sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first: String = letters
        .next()
        .map(|letter| letter.to_uppercase().collect())
        .unwrap_or_default();
    let end = if help.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Returns the lines about a pod that is placed in turn, beside those about nodes.
fn in_turn(one: &AnsweredPod<'_>, turn: &Turn, verdict: LiveVerdict) -> Vec<String> {
    let mut lines = Vec::new();
    let message = turn
        .message
        .as_deref()
        .filter(|message| Some(*message) != one.brief.says());
    if let Some(message) = message.filter(|_| verdict == LiveVerdict::Refused) {
        lines.push(format!("As the objects are now: {message}"));
    }
    if let Some(node) = &turn.nominated {
        lines.push(format!(
            "Preemption makes room on {node}: {} ends.",
            words::some(&turn.victims, MOST_NAMES)
        ));
    }
    if let Some(claim) = &turn.freed {
        lines.push(format!(
            "ResourceClaim {claim} is given back, and the pod is tried again."
        ));
    }
    if turn.depends {
        lines.push(
            "This depends on which of several nodes with the same score pods get.".to_owned(),
        );
    }
    lines.extend(turn.unsure.iter().map(|why| format!("Not certain: {why}.")));
    lines
}

fn write_group(out: &mut String, group: &Group<'_>, width: usize) {
    let Some((head, rest)) = group.lines.split_first() else {
        return;
    };
    out.push('\n');
    out.push_str(&wrapped(
        &format!("{}: {head}", words::some(&group.names, MOST_NAMES)),
        0,
        2,
        width,
    ));
    for line in rest {
        out.push_str(&wrapped(line, 2, 4, width));
    }
    let own: Vec<&(&str, Vec<String>)> = group
        .own
        .iter()
        .filter(|(_, lines)| !lines.is_empty())
        .take(MOST_OWN)
        .collect();
    for (name, lines) in &own {
        for line in lines {
            let line = if group.names.len() > 1 {
                format!("{name}: {line}")
            } else {
                line.clone()
            };
            out.push_str(&wrapped(&line, 4, 6, width));
        }
    }
    let more = group.names.len().saturating_sub(own.len());
    if more > 0 && !own.is_empty() {
        let alike = if more == 1 {
            "node is alike: `--node NAME` shows it"
        } else {
            "nodes are alike: `--node NAME` shows one"
        };
        out.push_str(&wrapped(&format!("{more} more {alike}"), 4, 6, width));
    }
}

fn list(out: &mut String, lines: &[String], most: usize, width: usize) {
    for line in lines.iter().take(most) {
        out.push_str(&wrapped(line, 2, 4, width));
    }
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        out.push_str(&wrapped(
            &format!("{more} more: `--output json` shows all"),
            2,
            4,
            width,
        ));
    }
}

/// Groups the nodes that give no devices by what is the same for them, the largest group first, and
/// last the nodes that the pod itself excludes.
fn groups(account: &PodAccount) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let first: BTreeMap<&str, &NodeAccount> = account
        .nodes
        .iter()
        .filter(|node| node.same_as.is_none())
        .map(|node| (node.name.as_str(), node))
        .collect();
    for node in account.nodes.iter().filter(|node| !is_allocated(node)) {
        let devices = node
            .same_as
            .as_deref()
            .and_then(|same| first.get(same).copied())
            .unwrap_or(node);
        let lines = match node.refusals.iter().find(|refusal| is_unwanted_by(refusal)) {
            Some(refusal) => refusal.reasons.clone(),
            None => common(node, devices),
        };
        let home = *known.entry(lines.clone()).or_insert_with(|| {
            groups.push(Group {
                names: Vec::new(),
                lines,
                own: Vec::new(),
                is_unwanted: false,
            });
            groups.len().saturating_sub(1)
        });
        let Some(group) = groups.get_mut(home) else {
            continue;
        };
        group.names.push(&node.name);
        let is_elsewhere = node.same_as.is_some() && !group.names.contains(&devices.name.as_str());
        group.is_unwanted = helps::is_unwanted(node);
        if group.is_unwanted {
            continue;
        }
        let mut lines = own(node);
        if is_elsewhere && !is_about_others(node) && group.names.len() == 1 {
            lines.push(format!(
                "its devices are like those of {}: `--node {}` shows them",
                devices.name, node.name
            ));
        }
        group.own.push((&node.name, lines));
    }
    order::sort_by_key(&mut groups, |group| {
        (group.is_unwanted, std::cmp::Reverse(group.names.len()))
    });
    groups
}

fn is_unwanted_by(refusal: &NodeRefusal) -> bool {
    refusal.plugin == Plugin::NodeAffinity
}

/// Returns true if a request gets too few devices, whatever others get.
fn lacks(request: &RequestAccount) -> bool {
    let left = request
        .funnel
        .last()
        .map_or(0, |stage| i64::try_from(stage.left).unwrap_or(i64::MAX));
    left < request.wanted.max(1)
}

/// Returns the reasons that nodes may share: the scheduler's, and how many devices are left at each stage. `devices`: the node
/// with the account of its devices, which may be an earlier one that is alike.
fn common(node: &NodeAccount, devices: &NodeAccount) -> Vec<String> {
    let others = node.refusals.iter().filter(|refusal| !is_node_own(refusal));
    let refused: Vec<String> = node
        .refusals
        .iter()
        .flat_map(|refusal| refusal.reasons.clone())
        .collect();
    let message = if refused.is_empty() {
        node.message.clone().unwrap_or_default()
    } else {
        refused.join("; ")
    };
    let mut lines = vec![message];
    lines.extend(others.flat_map(|refusal| refusal.why.clone()));
    if is_about_others(node) {
        return lines;
    }
    lines.extend(devices.help.clone().filter(|help| !help.is_empty()));
    lines.extend(
        devices
            .resources
            .iter()
            .filter(|resource| resource.short)
            .map(|resource| resource.text.clone()),
    );
    let some_lack = devices.requests.iter().any(lacks);
    for request in devices
        .requests
        .iter()
        .filter(|request| !some_lack || lacks(request))
    {
        let sub = request
            .sub
            .as_deref()
            .map(|sub| format!("/{sub}"))
            .unwrap_or_default();
        let line = format!("{}{sub}: {}", request.request, request.text);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns true if the reasons of a plugin have amounts, which differ from node to node.
fn is_node_own(refusal: &NodeRefusal) -> bool {
    matches!(
        refusal.plugin,
        Plugin::NodeResourcesFit | Plugin::DynamicResources
    )
}

/// Returns the reasons with the node's own amounts and devices.
fn own(node: &NodeAccount) -> Vec<String> {
    let amounts = node.refusals.iter().filter(|refusal| is_node_own(refusal));
    let mut lines: Vec<String> = amounts.flat_map(|refusal| refusal.why.clone()).collect();
    if is_about_others(node) {
        return lines;
    }
    let mut add = |line: &str| {
        if !line.is_empty() && !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    };
    for request in node.requests.iter().filter(|request| lacks(request)) {
        request.why.split("; ").for_each(&mut add);
    }
    node.conflicts
        .iter()
        .for_each(|conflict| add(&conflict.text));
    for pool in node
        .pools
        .iter()
        .filter(|pool| pool.state == PoolState::Incomplete)
    {
        add(&format!(
            "pool {} is incomplete: {} of {} slices of generation {}",
            pool.pool, pool.have, pool.want, pool.generation
        ));
    }
    lines
}
