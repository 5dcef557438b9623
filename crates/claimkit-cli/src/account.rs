//! The output of `allocate`: for each pod a table of nodes, then the reasons for every node that offers no devices.

use crate::files::InputFile;
use crate::lines::{MOST_NAMES, Printed, Width, name};
use crate::turns;
use claimkit::report::nodes::table;
use claimkit_model::finding::FieldPath;
use claimkit_model::schema::Release;
use claimkit_model::text::located::Range;
use claimkit_scheduler::allocator::behaviour::{Behaviour, allocator};
use claimkit_scheduler::allocator::features::Features;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{
    Change, Holder, Missing, NodeAccount, PodAccount, PoolAccount, RequestAccount,
};
use claimkit_scheduler::explain::kinds::{NodeVerdict, PoolState};
use claimkit_scheduler::explain::turn::{Plugin, Turn, TurnOutcome};
use claimkit_scheduler::explain::words;

/// Maximum number of nodes, each for those that are alike, whose devices are explained for one pod.
const MOST_ACCOUNTS: usize = 3;
/// Maximum number of claims that hold devices, beside those of the reasons.
const MOST_HOLDERS: usize = 8;
/// The note on a claim that no pod reserves.
const NOT_RESERVED: &str = "no pod reserves it";

/// Returns true if the pod asks for no devices.
fn is_skipped(pod: &PodAccount) -> bool {
    pod.before
        .as_ref()
        .is_some_and(|before| before.code == StatusCode::Skip)
}

fn is_allocated(node: &NodeAccount) -> bool {
    node.verdict == NodeVerdict::Allocated
}

/// Returns true if there are devices on a node, whatever keeps them from the pod.
fn has_devices(node: &NodeAccount) -> bool {
    let mut requests = node.requests.iter();
    node.requests.is_empty()
        || requests.any(|request| request.funnel.first().is_some_and(|stage| stage.left > 0))
}

/// Returns true if a pod, or claims without one, get their devices on some node.
pub fn fits(pod: &PodAccount) -> bool {
    if pod.unknown.is_some() || pod.lacks_admin_label {
        return false;
    }
    match &pod.turn {
        Some(turn) => turn.outcome.has_node() || turn.outcome == TurnOutcome::Ended,
        None => is_skipped(pod) || pod.nodes.iter().any(is_allocated),
    }
}

/// Returns what becomes of a pod, or of claims, that get no node, in a few words.
pub fn why_unfit(pod: &PodAccount) -> String {
    match (&pod.unknown, &pod.turn) {
        (Some(why), _) => format!("is {why}"),
        (None, _) if pod.lacks_admin_label => {
            "its namespace does not allow admin access".to_owned()
        }
        (None, Some(turn)) => turns::outcome(turn),
        (None, None) => "fits on no node".to_owned(),
    }
}

/// The requests of one node's account.
#[derive(Clone, Copy)]
struct Requests<'v> {
    pod: &'v PodAccount,
    node: &'v NodeAccount,
    /// How many devices mode All needs.
    least: i64,
    width: Width,
}

impl Requests<'_> {
    /// Returns the name of a request; with its claim if another claim has a request of the same name.
    fn name(self, request: &RequestAccount) -> String {
        let name = request.name();
        if let Some(serves) = request
            .serves
            .as_deref()
            .filter(|serves| !serves.is_empty())
        {
            return format!("{name} ({serves})");
        }
        let twice = self
            .node
            .requests
            .iter()
            .any(|other| other.claim != request.claim && other.name() == name);
        if twice {
            format!("{name} of {}", request.claim)
        } else {
            name
        }
    }

    /// Returns the refusal of a request for which there are too few devices, whatever the others get.
    fn lacks(self, request: &RequestAccount) -> bool {
        request.lacks(self.least)
    }

    /// Returns true if the same is said of both requests: neither lacks devices, and their selectors miss the same.
    fn share_a_line(self, one: &RequestAccount, other: &RequestAccount) -> bool {
        one.text == other.text
            && one.class == other.class
            && !self.lacks(one)
            && !self.lacks(other)
            && missing_in(one).eq(missing_in(other))
    }
}

/// Returns how many devices mode All needs in a release.
fn least_of_all(release: Release) -> i64 {
    allocator(release.minor, release.patch, &Features::default()).map_or(1, Behaviour::least_of_all)
}

/// Returns the result of each pod, or a table of nodes; then the reasons for the nodes that offer no devices.
pub fn text(printed: Printed<'_>, files: &[InputFile]) -> String {
    let Printed { pods, width, .. } = printed;
    let accounts = Accounts {
        printed,
        files,
        least: least_of_all(printed.release),
    };
    let users = turns::shared(pods);
    let mut parts = vec![assumed(printed), turns::heading(printed)];
    parts.retain(|part| !part.is_empty());
    for pod in pods.iter().filter(|pod| is_printed(pod, printed)) {
        match (&pod.turn, &pod.unknown) {
            (Some(turn), _) => {
                let outcome = turns::pod(pod, turn, &users, width);
                parts.push(format!("{outcome}{}", help_before(pod, width)));
                parts.extend(accounts.in_turn(pod, turn));
            }
            (None, Some(why)) => {
                parts.push(width.wrapped(&format!("{}: is {why}", name(pod)), 0, 2));
            }
            (None, None) => {
                parts.push(accounts.table(pod));
                parts.extend(accounts.alone(pod));
            }
        }
    }
    parts.join("\n")
}

/// Returns the changes that the answer assumes.
fn assumed(printed: Printed<'_>) -> String {
    let mut lines: String = printed
        .assumed
        .iter()
        .map(|line| format!("Assumed: {line}\n"))
        .collect();
    match printed.claims_left_out {
        0 => {}
        1 => lines.push_str("Assumed: 1 more ResourceClaim is made so\n"),
        more => lines.push_str(&format!(
            "Assumed: {more} more ResourceClaims are made so\n"
        )),
    }
    lines
}

/// Returns true if a pod is shown. Of a pod that is repeated, only the copy that fits no more is.
fn is_printed(pod: &PodAccount, printed: Printed<'_>) -> bool {
    match printed.how_many {
        Some(how_many) => how_many.next.is_some() && how_many.next == pod.pod,
        None => true,
    }
}

/// Makes the accounts of nodes.
#[derive(Clone, Copy)]
struct Accounts<'a> {
    printed: Printed<'a>,
    files: &'a [InputFile],
    /// How many devices mode All needs.
    least: i64,
}

impl Accounts<'_> {
    /// Returns why a node gives a pod nothing, and what helps.
    fn account(self, pod: &PodAccount, node: &NodeAccount) -> String {
        let requests = Requests {
            pod,
            node,
            least: self.least,
            width: self.printed.width,
        };
        account(requests, self.files)
    }

    /// Returns the accounts of the nodes that differ and give a pod nothing, which is placed in turn.
    fn in_turn(self, pod: &PodAccount, turn: &Turn) -> Vec<String> {
        if turn.outcome.has_node()
            || turn.outcome == TurnOutcome::NotKnown
            || pod.stops_before_nodes()
        {
            return Vec::new();
        }
        let every_node = self.printed.every_node;
        let (with_devices, without): (Vec<&NodeAccount>, Vec<&NodeAccount>) = pod
            .nodes
            .iter()
            .filter(|node| is_first_without(node) && node.verdict != NodeVerdict::Refused)
            .filter(|node| every_node || !node.is_unwanted())
            .partition(|node| has_devices(node));
        // Nodes without devices come last: changes of claims do not help there.
        let nodes: Vec<&NodeAccount> = with_devices.into_iter().chain(without).collect();
        let most = if every_node {
            usize::MAX
        } else {
            MOST_ACCOUNTS
        };
        let explained = nodes.iter().take(most);
        let mut accounts: Vec<String> = explained.map(|node| self.account(pod, node)).collect();
        match nodes.len().saturating_sub(most) {
            0 => {}
            1 => accounts.push("1 more kind of node: `--node NAME` explains one\n".to_owned()),
            more => accounts.push(format!(
                "{more} more kinds of nodes: `--node NAME` explains one\n"
            )),
        }
        accounts
    }

    /// Returns the accounts of the nodes that differ and give nothing to a pod that is taken alone.
    fn alone(self, pod: &PodAccount) -> Vec<String> {
        let nodes = pod.nodes.iter().filter(|node| is_first_without(node));
        nodes.map(|node| self.account(pod, node)).collect()
    }

    /// Returns a pod that is taken alone, with a row for each node.
    fn table(self, pod: &PodAccount) -> String {
        let width = self.printed.width;
        let mut table = format!("{}\n", headline(pod, width));
        if !pod.nodes.is_empty() {
            table.push_str(&rows(pod, self.least, width));
        }
        table
    }
}

/// Returns true if a node gives no devices, and no earlier node has the same account.
fn is_first_without(node: &NodeAccount) -> bool {
    node.same_as.is_none() && !is_allocated(node)
}

/// Returns what helps a pod that is stopped before any node.
fn help_before(pod: &PodAccount, width: Width) -> String {
    let help = pod
        .before
        .as_ref()
        .and_then(|before| before.help.as_deref())
        .filter(|help| !help.is_empty());
    help.map_or_else(String::new, |help| {
        width.wrapped(&format!("= help: {help}"), 2, 10)
    })
}

/// Returns a pod, and on how many nodes it fits.
fn headline(pod: &PodAccount, width: Width) -> String {
    if let Some(before) = &pod.before {
        let help = before.help.as_deref().unwrap_or_default();
        if is_skipped(pod) {
            return width
                .wrapped(&format!("{}: {help}", name(pod)), 0, 2)
                .trim_end()
                .to_owned();
        }
        let line = format!(
            "{}: {} ({}, before any node)",
            name(pod),
            before.message,
            before.stage
        );
        let line = width.wrapped(&line, 0, 2).trim_end().to_owned();
        return match help {
            "" => line,
            help => format!(
                "{line}\n{}",
                width.wrapped(&format!("= help: {help}"), 2, 10).trim_end()
            ),
        };
    }
    let fit = pod.nodes.iter().filter(|node| is_allocated(node)).count();
    let fatal: Vec<&str> = pod
        .nodes
        .iter()
        .filter(|node| node.fatal)
        .map(|node| node.name.as_str())
        .collect();
    let error = match fatal.as_slice() {
        [] => String::new(),
        nodes => format!("; the error on {} ends the attempt for all", some(nodes)),
    };
    match pod.nodes.len() {
        0 => format!("{}: no node to try", name(pod)),
        1 => format!("{}: fits on {fit} of 1 node", name(pod)),
        all => width
            .wrapped(
                &format!("{}: fits on {fit} of {all} nodes{error}", name(pod)),
                0,
                2,
            )
            .trim_end()
            .to_owned(),
    }
}

/// Returns the names of the nodes that have the same account as an earlier one.
fn alike<'p>(pod: &'p PodAccount, node: &NodeAccount) -> Vec<&'p str> {
    let others = pod
        .nodes
        .iter()
        .filter(|other| other.same_as.as_deref() == Some(&node.name));
    others.map(|node| node.name.as_str()).collect()
}

/// Returns a row for each node that differs from all earlier ones. Long reasons are cut: the account below shows them in full.
/// Devices are not.
fn rows(pod: &PodAccount, least: i64, width: Width) -> String {
    let mut rows = vec![
        ["NODE", "VERDICT", "DEVICES, OR WHY NONE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for node in pod.nodes.iter().filter(|node| node.same_as.is_none()) {
        let own = &node.name;
        let nodes = match alike(pod, node).as_slice() {
            [] => own.clone(),
            [one] => format!("{own}, {one}"),
            more => format!("{own} +{}", more.len()),
        };
        rows.push(vec![
            nodes,
            node.verdict.to_string(),
            shortly(Requests {
                pod,
                node,
                least,
                width,
            }),
        ]);
    }
    let mut out = String::new();
    let whole = pod
        .nodes
        .iter()
        .filter(|node| node.same_as.is_none())
        .map(is_allocated);
    for (line, whole) in table(&rows)
        .lines()
        .zip(std::iter::once(false).chain(whole))
    {
        let most = width.0.saturating_sub(2);
        let shown: String = if whole || line.chars().count() <= most {
            line.to_owned()
        } else {
            line.chars()
                .take(most.saturating_sub(1))
                .chain(['…'])
                .collect()
        };
        out.push_str(&format!("  {shown}\n"));
    }
    out
}

/// Returns the devices that a node gives, or the first reason why it gives none.
fn shortly(asked: Requests<'_>) -> String {
    let node = asked.node;
    if is_allocated(node) {
        let allocated = devices(asked);
        let prefix = format!("{}: ", node.name);
        return if allocated.is_empty() {
            node.text.replacen(&prefix, "", 1)
        } else {
            allocated.join("; ")
        };
    }
    if let Some(resource) = node.resources.iter().find(|resource| resource.short) {
        return resource.text.to_string();
    }
    if let Some(conflict) = node.conflicts.first() {
        return conflict.text.to_string();
    }
    let message = node.message.as_deref().unwrap_or_default();
    // The text of an error names its subject.
    if node.verdict == NodeVerdict::Error {
        return message.to_owned();
    }
    let Some(request) = node.lacking(asked.least) else {
        let help = node.help.as_deref().unwrap_or_default();
        let words = if help.is_empty() { message } else { help };
        return words.to_owned();
    };
    if node.requests.len() < 2 {
        why(request)
    } else {
        format!("{}: {}", asked.name(request), why(request))
    }
}

/// Returns `request = devices` for each request that is given some.
fn devices(asked: Requests<'_>) -> Vec<String> {
    let requests = &asked.node.requests;
    let mut given: Vec<String> = Vec::new();
    let mut last = String::new();
    for (at, one) in asked.node.allocations.iter().flatten().enumerate() {
        // Pending claims come first among the pod's, in this order; behind them is that for extended resources, which has no name.
        let claim = asked
            .pod
            .claims
            .get(at)
            .map(String::as_str)
            .unwrap_or_default();
        let claim = if requests.iter().any(|request| request.claim == claim) {
            claim
        } else {
            ""
        };
        for result in &one.devices.results {
            let request = &result.request;
            let twice = requests
                .iter()
                .any(|other| other.claim != claim && other.name() == *request);
            let of = if twice && !claim.is_empty() {
                format!(" of {claim}")
            } else {
                String::new()
            };
            let (own, device) = (format!("{request}{of} = "), &result.device);
            match given.last_mut().filter(|_| own == last) {
                Some(line) => line.push_str(&format!(", {device}")),
                None => given.push(format!("{own}{device}")),
            }
            last = own;
        }
    }
    given
}

/// Returns how many devices are left after all stages.
fn left(request: &RequestAccount) -> i64 {
    request
        .funnel
        .last()
        .map_or(0, |stage| i64::try_from(stage.left).unwrap_or(i64::MAX))
}

fn why(request: &RequestAccount) -> String {
    match request.why.as_str() {
        "" if request.wanted == 0 => "no device that allocationMode All could take".to_owned(),
        "" => format!("{} of {} devices wanted", left(request), request.wanted),
        why => why.to_owned(),
    }
}

/// Returns why a node gives nothing, and what helps.
fn account(requests: Requests<'_>, files: &[InputFile]) -> String {
    let Requests {
        pod, node, width, ..
    } = requests;
    let nodes = names_of_alike(pod, node);
    let message = node.message.as_deref().unwrap_or_default();
    let mut out = width.wrapped(&format!("{} on {nodes}: {message}", name(pod)), 0, 2);
    if let Some(help) = node.help.as_deref().filter(|help| !help.is_empty()) {
        out.push_str(&width.wrapped(&format!("= help: {help}"), 2, 10));
    }
    for resource in &node.resources {
        out.push_str(&width.wrapped(&resource.text, 2, 4));
    }
    write_requests(&mut out, requests);
    write_holders(&mut out, &node.holders, width);
    for conflict in &node.conflicts {
        out.push_str(&width.wrapped(&conflict.text, 2, 4));
    }
    for pool in node.pools.iter().filter(|pool| pool.state != PoolState::Ok) {
        out.push_str(&width.wrapped(&pool_text(pool), 2, 4));
    }
    write_relaxations(&mut out, pod, node, files, width);
    if is_tried_in_vain(pod, node) {
        out.push_str(&width.wrapped(
            "No single change of these claims helps, nor any pair that was tried.",
            2,
            4,
        ));
    }
    out
}

/// Names a node, and those with the same account.
fn names_of_alike(pod: &PodAccount, node: &NodeAccount) -> String {
    let alike = alike(pod, node);
    let own = node.name.as_str();
    match alike.as_slice() {
        [] => own.to_owned(),
        // Others hold other devices there.
        alike if !node.holders.is_empty() => format!("{own} ({} alike)", some(alike)),
        [other] => format!("{own} and {other}"),
        _ => some(&std::iter::once(own).chain(alike).collect::<Vec<_>>()),
    }
}

/// Writes the changes of claims that help, each with its places in the files.
fn write_relaxations(
    out: &mut String,
    pod: &PodAccount,
    node: &NodeAccount,
    files: &[InputFile],
    width: Width,
) {
    let mut refusals = node.refusals.iter();
    let by_others = refusals.any(|refusal| refusal.plugin != Plugin::DynamicResources);
    // An error on one node ends the attempt, whatever other nodes could give.
    let error_elsewhere = ends_elsewhere(pod, node);
    let helps = if let Some(other) = error_elsewhere {
        format!("What helps once the error on {other} is gone")
    } else if by_others {
        "What helps with the devices alone".to_owned()
    } else {
        "What helps".to_owned()
    };
    for relaxation in &node.relaxations {
        out.push_str(&width.wrapped(&format!("{helps}: {}", relaxation.text), 2, 4));
        let changes = relaxation.changes.iter();
        for place in changes.filter_map(|change| place(change, files)) {
            out.push_str(&width.wrapped(&place, 4, 6));
        }
    }
}

/// Returns another node whose error ends the attempt; `None`: no error does, or the pod gets a node all the same.
fn ends_elsewhere<'p>(pod: &'p PodAccount, node: &NodeAccount) -> Option<&'p str> {
    let is_ended = pod
        .turn
        .as_ref()
        .is_none_or(|turn| turn.outcome == TurnOutcome::Error);
    let mut fatal = pod.nodes.iter().filter(|other| is_ended && other.fatal);
    let other = fatal.find(|other| other.name != node.name)?;
    (!node.fatal).then_some(other.name.as_str())
}

/// Returns true if changes of claims were tried, and none helps. They are not tried if the search took too long or an error ended it.
fn is_tried_in_vain(pod: &PodAccount, node: &NodeAccount) -> bool {
    let is_tried = matches!(node.verdict, NodeVerdict::None | NodeVerdict::Unavailable);
    let may_help = has_devices(node) || !pod.nodes.iter().any(has_devices);
    is_tried && may_help && node.relaxations.is_empty() && node.resources.is_empty()
}

fn write_requests(out: &mut String, requests: Requests<'_>) {
    let list = &requests.node.requests;
    for group in list.chunk_by(|one, next| requests.share_a_line(one, next)) {
        let Some(request) = group.first() else {
            continue;
        };
        let names: Vec<String> = group.iter().map(|request| requests.name(request)).collect();
        let names = match names.as_slice() {
            [one] => one.clone(),
            several => format!(
                "{}, each",
                some(&several.iter().map(String::as_str).collect::<Vec<_>>())
            ),
        };
        out.push_str(
            &requests
                .width
                .wrapped(&format!("{names}: {}", request.text), 2, 4),
        );
        if requests.lacks(request) {
            for reason in request.why.split("; ").filter(|reason| !reason.is_empty()) {
                out.push_str(&requests.width.wrapped(reason, 4, 6));
            }
        }
        for missing in missing_in(request) {
            out.push_str(&requests.width.wrapped(&missing_text(missing), 4, 6));
        }
    }
}

/// Returns what the selectors of a request read and do not find.
fn missing_in(request: &RequestAccount) -> impl Iterator<Item = &Missing> {
    request.funnel.iter().flat_map(|stage| &stage.missing)
}

/// Writes who holds the devices. The reasons of the requests, which are in `out` already, may name a claim: then its line is left
/// out, but that no pod reserves it is said, because such a claim can be freed.
fn write_holders(out: &mut String, holders: &[Holder], width: Width) {
    let reasons = out.replace('\n', " ");
    let mut lines: Vec<String> = Vec::new();
    // Admin access holds no device.
    for holder in holders.iter().filter(|holder| !holder.admin) {
        let line = if !reasons.contains(&holder.claim) {
            line_of_holder(holder)
        } else if is_not_reserved(holder)
            && !reasons.contains(&format!("{} ({NOT_RESERVED})", holder.claim))
        {
            format!("no pod reserves claim {}", holder.claim)
        } else {
            continue;
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for line in lines.iter().take(MOST_HOLDERS) {
        out.push_str(&width.wrapped(line, 2, 4));
    }
    let not_listed = lines.len().saturating_sub(MOST_HOLDERS);
    if not_listed > 0 {
        let claims = if not_listed == 1 {
            "claim has"
        } else {
            "claims have"
        };
        let line = format!("{not_listed} more {claims} devices there");
        out.push_str(&width.wrapped(&line, 2, 4));
    }
}

fn is_not_reserved(holder: &Holder) -> bool {
    holder.pods.is_empty() && !holder.planned
}

/// Says which claim holds a device, and for which pods.
fn line_of_holder(holder: &Holder) -> String {
    let claim = &holder.claim;
    let pods = if holder.pods.is_empty() {
        NOT_RESERVED.to_owned()
    } else {
        format!("for {}", holder.pods.join(", "))
    };
    let device = holder.device.rsplit('/').next().unwrap_or_default();
    if holder.planned {
        format!("{device} is given to {claim} ({pods}), which is placed before")
    } else {
        format!("{device} is held by {claim} ({pods})")
    }
}

/// Returns an attribute that a selector reads but devices lack, and similar existing ones.
fn missing_text(missing: &Missing) -> String {
    let Missing {
        path,
        on,
        of,
        alike,
        guard,
        published,
        ..
    } = missing;
    let names: Vec<&String> = published.keys().collect();
    let meant = match (alike.as_slice(), names.as_slice()) {
        ([], []) => ".".to_owned(),
        ([], _) if *on > 0 => ".".to_owned(),
        ([], names) => format!(
            "; in its domain they have {}.",
            words::some(names, MOST_NAMES)
        ),
        (alike, _) => format!("; did you mean {}?", alike.join(", ")),
    };
    format!("{path}: {on} of {of} devices have it{meant} Guard: {guard}")
}

fn pool_text(pool: &PoolAccount) -> String {
    let mut text = format!("pool {} is {}", pool.pool, pool.state);
    match (pool.state, pool.reason.as_deref()) {
        (PoolState::Incomplete, _) => {
            text.push_str(&format!(
                ": {} of {} slices of generation {}",
                pool.have, pool.want, pool.generation
            ));
        }
        (_, None | Some("")) => {}
        (_, Some(reason)) => text.push_str(&format!(": {reason}")),
    }
    for slice in &pool.ignored {
        text.push_str(&format!("; {} is left out: {}", slice.slice, slice.why));
    }
    text
}

/// Returns the place of a change: `file:line:column: path`.
fn place(change: &Change, files: &[InputFile]) -> Option<String> {
    let Range { start, file, .. } = change.range.as_ref()?;
    let name = match (file, files) {
        (Some(name), _) => name,
        (None, [one, ..]) => one.name.as_str(),
        (None, []) => return None,
    };
    let (line, column) = (
        start.line.saturating_add(1),
        start.character.saturating_add(1),
    );
    let path = change
        .path
        .as_ref()
        .map(FieldPath::to_string)
        .unwrap_or_default();
    Some(format!("{name}:{line}:{column}: {path}"))
}

fn some(names: &[&str]) -> String {
    words::some(names, MOST_NAMES)
}
