//! What the scheduler of the new release does otherwise with the same devices: taints by rules, what selectors select and cost, and
//! which devices pods and claims get.

use super::{TroubleFound, UpgradeQuestion, UpgradeSide, listed};
use crate::account::NodeVerdict;
use crate::allocate::{AllocateOptions, allocate};
use crate::apiserver::FieldValidation;
use crate::apiserver::facts::{Gathering, PodsOfWorkloads};
use crate::manifest::Input;
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::finding::{Code, Severity};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{ClaimSpec, Facts, Meta, Selector};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::selectors::Cell;
use claimkit_scheduler::environments;
use claimkit_scheduler::explain::Explain;
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of evaluations of selectors on devices. Selectors beyond it are not compared.
const MOST_TRIALS: usize = 200_000;

/// The answers of a release about devices and expressions.
#[derive(Default)]
struct ReleaseAnswers {
    /// The taints of each device, driver's and rules'.
    taints: BTreeMap<String, BTreeSet<String>>,
    /// The answer of each expression for each device.
    answers: BTreeMap<String, BTreeMap<String, Cell>>,
    /// The estimated cost of each expression; `None` if it does not compile.
    costs: BTreeMap<String, Option<u64>>,
    /// The objects that have each expression.
    users: BTreeMap<String, BTreeSet<usize>>,
}

/// Finds what the schedulers of the two releases do otherwise.
pub fn check(question: &UpgradeQuestion<'_, '_>, moved: &str, found: &mut Vec<TroubleFound>) {
    let before = answers_of_release(question, question.text, &question.from);
    let after = answers_of_release(question, moved, &question.to);
    taints(question, &before, &after, found);
    selections(question, &before, &after, found);
    costs(question, &before, &after, found);
    placements(question, moved, found);
}

/// Reads the objects of a text as a release does.
pub fn facts(question: &UpgradeQuestion<'_, '_>, text: &str, side: &UpgradeSide) -> Facts {
    let release = side.release();
    let input = Input::read(text, Some(release), question.limits);
    let mut gathering = Gathering::new(release, question.namespace, FieldValidation::Warn);
    gathering.pods_of_workloads = PodsOfWorkloads::Later;
    gathering.take_all(&input);
    gathering.facts
}

/// Returns what a release says about the devices and expressions of a text.
fn answers_of_release(
    question: &UpgradeQuestion<'_, '_>,
    text: &str,
    side: &UpgradeSide,
) -> ReleaseAnswers {
    let release = side.release();
    let mut objects = facts(question, text, side);
    let engine = CelSelectors::new(release, side.target.on("DRAListTypeAttributes"));
    PluginRules::of(release.minor, release.patch).apply_taint_rules(
        &mut objects,
        |name| side.target.on(name),
        &engine,
    );
    let features = features_of(release.minor, |name| side.target.on(name));
    let Some(behaviour) = behaviour::allocator(release.minor, release.patch, &features) else {
        return ReleaseAnswers::default();
    };
    let cluster = Cluster::new(&objects, behaviour, &features, &engine);
    let mut devices: Vec<DeviceAt> = Vec::new();
    for (_driver, _pool, slices) in cluster.all_pools() {
        for slice in slices {
            devices.extend(cluster.devices_of(*slice).map(|(at, _)| at));
        }
    }
    let mut answers = ReleaseAnswers {
        taints: taints_of(&devices, &cluster),
        ..ReleaseAnswers::default()
    };
    let asked = selectors(question, &objects);
    ask_selectors(&mut answers, asked, side, &devices, &cluster);
    answers
}

/// Adds who uses each selector, what it costs, and what it says of each device.
fn ask_selectors<'f>(
    answers: &mut ReleaseAnswers,
    asked: impl Iterator<Item = (usize, &'f Selector)>,
    side: &UpgradeSide,
    devices: &[DeviceAt],
    cluster: &Cluster<'_>,
) {
    // The server compares the estimates of its environment for new expressions with the limit.
    let environment = environments::device(EnvironmentMode::New, side.release(), side.target.gates);
    let mut trials = 0usize;
    for (object, selector) in asked {
        let Some(cel) = &selector.cel else { continue };
        let expression = &cel.expression;
        let users = answers.users.entry(expression.clone()).or_default();
        users.insert(object);
        if answers.costs.contains_key(expression) {
            continue;
        }
        let program = environment.compile(expression).ok();
        let cost = program.and_then(|program| Some(program.cost_estimate()?.max));
        answers.costs.insert(expression.clone(), cost);
        trials = trials.saturating_add(devices.len());
        if trials <= MOST_TRIALS {
            let of_devices = answers_of(selector, devices, cluster);
            answers.answers.insert(expression.clone(), of_devices);
        }
    }
}

/// Returns the taints of devices, by the names of the devices.
fn taints_of(devices: &[DeviceAt], cluster: &Cluster<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let known = devices
        .iter()
        .filter_map(|at| Some((*at, cluster.device(*at)?.1)));
    known
        .map(|(at, device)| {
            let taints = device
                .taints
                .iter()
                .map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect));
            (cluster.device_name(at), taints.collect())
        })
        .collect()
}

/// Returns what a selector says of each device, by the names of the devices.
fn answers_of(
    selector: &Selector,
    devices: &[DeviceAt],
    cluster: &Cluster<'_>,
) -> BTreeMap<String, Cell> {
    let answers = devices.iter().filter_map(|at| {
        let answer = cluster.ask(selector, *at)?;
        Some((cluster.device_name(*at), answer))
    });
    answers.collect()
}

/// Returns the selectors of classes, claims and templates, each with the object that has it.
fn selectors<'f>(
    question: &'f UpgradeQuestion<'_, '_>,
    facts: &'f Facts,
) -> impl Iterator<Item = (usize, &'f Selector)> {
    let classes = facts.classes.iter().flat_map(move |class| {
        let at = place_of(question, "DeviceClass", &class.metadata);
        let selectors = class.spec.selectors.iter();
        selectors.filter_map(move |selector| Some((at?, selector)))
    });
    let claims = facts.claims.iter().flat_map(move |claim| {
        let at = place_of(question, "ResourceClaim", &claim.metadata);
        asked(&claim.spec).filter_map(move |selector| Some((at?, selector)))
    });
    let templates = facts.templates.iter().flat_map(move |template| {
        let at = place_of(question, "ResourceClaimTemplate", &template.metadata);
        asked(&template.spec.spec).filter_map(move |selector| Some((at?, selector)))
    });
    classes.chain(claims).chain(templates)
}

fn place_of(question: &UpgradeQuestion<'_, '_>, kind: &str, metadata: &Meta) -> Option<usize> {
    question
        .index
        .find(kind, &metadata.namespace, &metadata.name)
}

fn asked(spec: &ClaimSpec) -> impl Iterator<Item = &Selector> {
    let requests = spec.devices.requests.iter();
    let asks = requests.flat_map(|request| request.exactly.iter().chain(&request.first_available));
    asks.flat_map(|ask| ask.selectors.iter())
}

/// Reports devices that taint rules taint otherwise.
fn taints(
    question: &UpgradeQuestion<'_, '_>,
    before: &ReleaseAnswers,
    after: &ReleaseAnswers,
    found: &mut Vec<TroubleFound>,
) {
    let none = BTreeSet::new();
    let other: Vec<&String> = after
        .taints
        .iter()
        .filter(|(device, taints)| before.taints.get(*device).unwrap_or(&none) != *taints)
        .map(|(device, _)| device)
        .collect();
    let Some(first) = other.first() else { return };

    let message = message!(
        "upgrade.taints",
        "Kubernetes {to} gives other taints by DeviceTaintRules to {count} of the devices, first to {first}: {after} instead of {before}",
        to = question.to.release(),
        count = other.len(),
        first,
        after = after.taints_in_words(first),
        before = before.taints_in_words(first),
    );
    let help = message!(
        "upgrade.taints-help",
        "look at the selectors of the rules before the upgrade, and take out rules that are only tried"
    );
    let items = question.input.items.iter().enumerate();
    let rules = items
        .filter(|(_, item)| item.kind == "DeviceTaintRule")
        .map(|(at, _)| at)
        .collect();
    let mut one = TroubleFound::of(Code::UpgradeTaint, rules, message, help);
    one.count = other.len();
    found.push(one);
}

impl ReleaseAnswers {
    /// Returns the taints of a device in words.
    fn taints_in_words(&self, device: &str) -> String {
        let taints = self.taints.get(device).into_iter().flatten();
        let list: Vec<&str> = taints.map(String::as_str).collect();
        if list.is_empty() {
            message!("upgrade.no-taint", "no taint").into()
        } else {
            list.join(", ")
        }
    }
}

/// Reports selectors that select otherwise.
fn selections(
    question: &UpgradeQuestion<'_, '_>,
    before: &ReleaseAnswers,
    after: &ReleaseAnswers,
    found: &mut Vec<TroubleFound>,
) {
    let mut objects = BTreeSet::new();
    let mut first: Option<(&String, &String, Cell, Cell)> = None;
    let mut count = 0usize;
    for (expression, answers) in &after.answers {
        let Some(earlier) = before.answers.get(expression) else {
            continue;
        };
        let other = answers.iter().find_map(|(device, new)| {
            let old = earlier.get(device)?;
            (old != new).then_some((expression, device, *old, *new))
        });
        if let Some(other) = other {
            count = count.saturating_add(1);
            objects.extend(after.users.get(expression).into_iter().flatten());
            first.get_or_insert(other);
        }
    }
    let Some((expression, device, old, new)) = first else {
        return;
    };
    let message = message!(
        "upgrade.selectors",
        "Kubernetes {to} answers {count} of the selectors otherwise, first `{expression}` for {device}: {new} instead of {old}",
        to = question.to.release(),
        count,
        expression,
        device,
        new = word(new),
        old = word(old),
    );
    let help = message!(
        "upgrade.selectors-help",
        "compare the traces: `claimkit cel EXPRESSION --device FILE --trace` with each release"
    );
    let mut one = TroubleFound::of(Code::UpgradeSelector, objects, message, help);
    one.count = count;
    found.push(one);
}

/// Returns the answer of a selector in a word.
fn word(cell: Cell) -> Message {
    match cell {
        Cell::Yes => message!("upgrade.selects", "selects it"),
        Cell::No => message!("upgrade.selects-not", "does not select it"),
        Cell::CompileError => message!("upgrade.selects-uncompiled", "does not compile"),
        Cell::RuntimeError => message!("upgrade.selects-fails", "fails"),
    }
}

/// Reports selectors whose estimated cost is another.
fn costs(
    question: &UpgradeQuestion<'_, '_>,
    before: &ReleaseAnswers,
    after: &ReleaseAnswers,
    found: &mut Vec<TroubleFound>,
) {
    let mut objects = BTreeSet::new();
    let mut worst: Option<(&String, u64, u64)> = None;
    let mut count = 0usize;
    for (expression, cost) in &after.costs {
        let old = before.costs.get(expression).copied().flatten();
        let (Some(old), Some(new)) = (old, *cost) else {
            continue;
        };
        if old == new {
            continue;
        }
        count = count.saturating_add(1);
        objects.extend(after.users.get(expression).into_iter().flatten());
        if worst.is_none_or(|(_, _, most)| most < new) {
            worst = Some((expression, old, new));
        }
    }
    let Some((expression, old, new)) = worst else {
        return;
    };
    let message = message!(
        "upgrade.costs",
        "Kubernetes {to} estimates another cost for {count} of the selectors, the highest for `{expression}`: {new} instead of {old}",
        to = question.to.release(),
        count,
        expression,
        new,
        old,
    );
    let help = message!(
        "upgrade.costs-help",
        "nothing to do: selectors above the limit are listed as refused"
    );
    let mut one = TroubleFound::of(Code::UpgradeSelector, objects, message, help);
    one.severity = Severity::Info;
    one.count = count;
    found.push(one);
}

/// The outcome for a pod or group of claims on each node.
type Placement = BTreeMap<String, Outcome>;

/// The outcome for claims on a node.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    verdict: NodeVerdict,
    /// `request: driver/pool/device`
    devices: Vec<String>,
}

/// Reports pods and claims that wait and get other devices.
fn placements(question: &UpgradeQuestion<'_, '_>, moved: &str, found: &mut Vec<TroubleFound>) {
    let before = placed(question, question.text, &question.from);
    let after = placed(question, moved, &question.to);
    let mut pods = BTreeSet::new();
    let mut first: Option<(&String, &String, &Outcome, &Outcome)> = None;
    for (pod, nodes) in &after {
        let Some(earlier) = before.get(pod) else {
            continue;
        };
        let other = nodes.iter().find_map(|(node, new)| {
            let old = earlier.get(node)?;
            (old != new).then_some((pod, node, old, new))
        });
        if let Some(other) = other {
            pods.insert(pod.clone());
            first.get_or_insert(other);
        }
    }
    let Some((pod, node, old, new)) = first else {
        return;
    };
    let message = message!(
        "upgrade.placements",
        "Kubernetes {to} gives something else to {count} of the pods and claims that wait, first to {pod} on node {node}: {new} instead of {old}",
        to = question.to.release(),
        count = pods.len(),
        pod,
        node,
        new = what_is_given(new, old),
        old = what_is_given(old, new),
    );
    let help = message!(
        "upgrade.placements-help",
        "`claimkit allocate` explains both answers: ask it with each release"
    );
    let mut one = TroubleFound::of(Code::UpgradePlacement, BTreeSet::new(), message, help);
    one.count = pods.len();
    found.push(one);
}

/// Says what an outcome gives: its devices, or where it has none or those of the other outcome, how it ends.
fn what_is_given(outcome: &Outcome, other: &Outcome) -> String {
    if outcome.devices.is_empty() || outcome.devices == other.devices {
        return verdict_words(outcome.verdict).into();
    }
    listed(&outcome.devices)
}

fn verdict_words(verdict: NodeVerdict) -> Message {
    match verdict {
        NodeVerdict::Allocated => message!("upgrade.fits", "a place"),
        NodeVerdict::Refused => message!("upgrade.refused-node", "a refusal by another plugin"),
        NodeVerdict::None => message!("upgrade.no-device", "no device"),
        NodeVerdict::Error => message!(
            "upgrade.error-for-all-nodes",
            "an error that ends the attempt for all nodes"
        ),
        NodeVerdict::NodeError => message!("upgrade.error-on-node", "an error on this node"),
        NodeVerdict::Unavailable => {
            message!("upgrade.node-unavailable", "a node that cannot be used")
        }
        NodeVerdict::Undecided => message!("upgrade.undecided", "a search that is too long"),
    }
}

/// Returns what each pod, or each group of claims, gets; none if nothing can be placed.
fn placed(
    question: &UpgradeQuestion<'_, '_>,
    text: &str,
    side: &UpgradeSide,
) -> BTreeMap<String, Placement> {
    let explain = Explain {
        relax: false,
        ..Explain::default()
    };
    let options = AllocateOptions {
        release: Some(side.release()),
        gates: side.gates.clone(),
        namespace: Some(question.namespace),
        field_validation: FieldValidation::Warn,
        alone: true,
        explain,
        without_places: true,
        limits: *question.limits,
        ..AllocateOptions::default()
    };
    let Ok(allocation) = allocate(text, &options) else {
        return BTreeMap::new();
    };
    let mut placed: BTreeMap<String, Placement> = BTreeMap::new();
    for account in &allocation.pods {
        let nodes = match &account.same_as {
            Some(other) => placed.get(other).cloned().unwrap_or_default(),
            None => account.nodes.iter().map(outcome).collect(),
        };
        placed.insert(name_of(account), nodes);
    }
    placed
}

fn name_of(account: &PodAccount) -> String {
    account
        .pod
        .clone()
        .unwrap_or_else(|| account.claims.join(", "))
}

fn outcome(node: &NodeAccount) -> (String, Outcome) {
    let allocations = node.allocations.iter().flatten();
    let results = allocations.flat_map(|allocation| &allocation.devices.results);
    let devices = results.map(|result| {
        format!(
            "{}: {}/{}/{}",
            result.request, result.driver, result.pool, result.device
        )
    });
    let outcome = Outcome {
        verdict: node.verdict,
        devices: devices.collect(),
    };
    (node.name.clone(), outcome)
}
