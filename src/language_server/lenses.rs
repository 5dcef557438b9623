//! How many devices a selector selects, and on how many nodes a pod fits, with the slices and nodes of the project.

use super::project::Text;
use super::protocol::{Position, Range};
use super::settings::Settings;
use crate::editor::symbols::{NameKind, SymbolKind};
use crate::requests::answer::AnswerObject;
use crate::requests::content::{NameContent, SelectorContent};
use crate::requests::request::{AllocateRequest, CelRequest};
use crate::requests::sources::{NamedText, Texts};
use crate::requests::{self, AccountOptions, Answer, Content, MatrixOption, Request};
use claimkit_model::message::Words;
use claimkit_scheduler::explain::account::{NodeVerdict, PodAccount};
use claimkit_scheduler::explain::turn::TurnOutcome;
use memchr::memmem;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Templates of a text that are tried as pods.
const MOST_TEMPLATES: usize = 50;

/// Steps of the search for devices behind a lens.
const BUDGET: u64 = 20_000;

/// What a lens or a hint shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    pub range: Range,
    pub title: String,
    /// `namespace/name` of a pod whose devices it is about.
    pub pod: Option<String>,
}

fn plural(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}

fn contains(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}

/// Returns what lenses and hints of a text show beside the other texts of its cluster. Gates that the scheduler's release does not
/// have end the list; diagnostics say so.
pub fn lenses(text: &Text, others: &[&Text], settings: &Settings) -> Vec<Lens> {
    let mut found = Vec::new();
    let _ = add_lenses(&mut found, text, others, settings);
    found
}

fn add_lenses(
    found: &mut Vec<Lens>,
    text: &Text,
    others: &[&Text],
    settings: &Settings,
) -> Result<(), Words> {
    found.extend(selectors(text, others, settings)?);
    if contains(&text.text, "resourceClaims") {
        found.extend(pods(text, others, settings)?);
    }
    if contains(&text.text, "ResourceClaimTemplate") {
        found.extend(templates(text, others, settings)?);
    }
    Ok(())
}

/// Returns the devices of a text and of others.
fn devices_of(text: &Text, others: &[&Text]) -> Vec<Value> {
    let mut devices = text.devices().to_vec();
    for other in others {
        devices.extend_from_slice(other.devices());
    }
    devices
}

/// Says for each device whether a selector selects it; `None` for an expression that the server refuses.
fn selected_by(
    selector: &SelectorContent,
    devices: &[Value],
    settings: &Settings,
) -> Result<Option<Vec<bool>>, Words> {
    let release = settings.release_of_devices();
    let answer = requests::run(&Request::Cel(CelRequest {
        expression: Some(selector.expression.clone()),
        release: release.or_else(|| Some(selector.release.to_string())),
        gates: settings.gates.clone(),
        devices: devices.to_vec(),
        ..CelRequest::default()
    }));
    if let Some(error) = answer.error {
        return Err(error);
    }
    let Content::Cel {
        results: Some(results),
        ..
    } = answer.content
    else {
        return Ok(None);
    };
    let matches = results.iter().map(|result| result.matches == Some(true));
    Ok(Some(matches.collect()))
}

fn selects(selected: &[bool]) -> String {
    let count = selected.iter().filter(|selected| **selected).count();
    format!("selects {count} of {}", plural(selected.len(), "device"))
}

/// Returns a lens for each selector of a text.
fn selectors(text: &Text, others: &[&Text], settings: &Settings) -> Result<Vec<Lens>, Words> {
    let devices = devices_of(text, others);
    if devices.is_empty() {
        return Ok(Vec::new());
    }
    let mut lenses = Vec::new();
    for selector in &text.parts().selectors {
        if let Some(selected) = selected_by(selector, &devices, settings)? {
            lenses.push(Lens {
                range: (&selector.range).into(),
                title: selects(&selected),
                pod: None,
            });
        }
    }
    Ok(lenses)
}

/// Says how many devices a class selects: all its selectors must. `None` without devices.
pub fn of_class(
    text: &Text,
    class: &NameContent,
    others: &[&Text],
    settings: &Settings,
) -> Result<Option<String>, Words> {
    let devices = devices_of(text, others);
    if devices.is_empty() {
        return Ok(None);
    }
    let range_of_class = range_of(text, class);
    let mut selected = vec![true; devices.len()];
    for selector in &text.parts().selectors {
        if !Range::from(&selector.range).meets(range_of_class) {
            continue;
        }
        let Some(selected_by_this) = selected_by(selector, &devices, settings)? else {
            return Ok(None);
        };
        for (is_selected, is_selected_by_this) in selected.iter_mut().zip(selected_by_this) {
            *is_selected &= is_selected_by_this;
        }
    }
    Ok(Some(selects(&selected)))
}

/// Asks which devices the pods of a text get in a cluster that has the objects of the other texts.
pub fn allocate(
    text: &str,
    others: &[&Text],
    settings: &Settings,
    more: AllocateRequest,
) -> Answer {
    let readable = others.iter().filter(|other| other.is_readable());
    let cluster = readable.map(|other| NamedText {
        text: other.text.clone(),
        ..NamedText::default()
    });
    requests::run(&Request::Allocate(AllocateRequest {
        text: Some(text.to_owned()),
        cluster: Some(Texts::Several(cluster.collect())),
        release: settings.release_of_devices(),
        gates: settings.gates.clone(),
        ..more
    }))
}

/// An answer of `allocate` with its accounts.
struct Allocated {
    answer: Answer,
    pods: Vec<PodAccount>,
}

impl Allocated {
    fn of(mut answer: Answer) -> Result<Self, Words> {
        if let Some(error) = answer.error {
            return Err(error);
        }
        let pods = match std::mem::take(&mut answer.content) {
            Content::Allocate { pods, .. } => pods,
            _ => Vec::new(),
        };
        Ok(Allocated { answer, pods })
    }

    /// Returns the account whose nodes an account has: it may be the same as an earlier one.
    fn with_nodes<'a>(&'a self, account: &'a PodAccount) -> Option<&'a PodAccount> {
        match &account.same_as {
            None => Some(account),
            Some(same) => self.pods.iter().find(|pod| pod.pod.as_ref() == Some(same)),
        }
    }
}

fn placed() -> AllocateRequest {
    AllocateRequest {
        options: AccountOptions {
            budget: Some(BUDGET),
            relax: Some(false),
            matrix: Some(MatrixOption::None),
        },
        ..AllocateRequest::default()
    }
}

fn fits_on(account: &PodAccount) -> String {
    let nodes = account.nodes.iter();
    let fitting = nodes.filter(|node| node.verdict == NodeVerdict::Allocated);
    format!(
        "fits on {} of {}",
        fitting.count(),
        plural(account.nodes.len(), "node")
    )
}

fn full_name(namespace: &str, name: &str) -> String {
    let namespace = if namespace.is_empty() {
        "default"
    } else {
        namespace
    };
    format!("{namespace}/{name}")
}

/// Returns a lens for each pod and each workload of a text.
fn pods(text: &Text, others: &[&Text], settings: &Settings) -> Result<Vec<Lens>, Words> {
    let allocated = Allocated::of(allocate(&text.text, others, settings, placed()))?;
    let objects = &allocated.answer.objects;
    // The answer has other objects, too, such as Services; symbols have those that use claims.
    let starts: BTreeSet<u32> = text
        .parts()
        .symbols
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Object)
        .map(|symbol| symbol.range.start.byte_offset)
        .collect();
    let mut written = BTreeSet::new();
    let mut workloads = Vec::new();
    for object in objects {
        if object.kind == "Pod" {
            written.insert(full_name(&object.namespace, &object.name));
        } else if is_workload(object, &starts) {
            workloads.push(full_name(&object.namespace, &object.name));
        }
    }
    let mut lenses = Vec::new();
    for object in objects {
        let is_pod = object.kind == "Pod";
        if !is_pod && !is_workload(object, &starts) {
            continue;
        }
        let full = full_name(&object.namespace, &object.name);
        let is_own = |account: &&PodAccount| {
            let pod = account.pod.as_deref().unwrap_or_default();
            if is_pod {
                return pod == full;
            }
            !written.contains(pod) && owner(pod, &workloads) == Some(full.as_str())
        };
        let own: Vec<&PodAccount> = allocated.pods.iter().filter(is_own).collect();
        let range = object.range.as_ref().map(Range::from);
        lenses.extend(lens_of_pods(&allocated, range, &own));
    }
    Ok(lenses)
}

/// Returns true for an object that makes pods. `starts`: the offsets of the objects that use claims.
fn is_workload(object: &AnswerObject, starts: &BTreeSet<u32>) -> bool {
    let is_other = object.kind == "Pod" || object.api_version.starts_with("resource.k8s.io/");
    let range = object.range.as_ref().filter(|_| !is_other);
    range.is_some_and(|range| starts.contains(&range.start.byte_offset))
}

/// Returns the workload that a pod is made for: the one with the longest name before the pod's number.
fn owner<'w>(pod: &str, workloads: &'w [String]) -> Option<&'w str> {
    let longest = workloads
        .iter()
        .filter(|name| {
            pod.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with('-'))
        })
        .max_by_key(|name| name.len());
    longest.map(String::as_str)
}

fn lens_of_pods(allocated: &Allocated, range: Option<Range>, own: &[&PodAccount]) -> Option<Lens> {
    let first = own.first()?;
    let account = allocated.with_nodes(first)?;
    if account.nodes.is_empty() || account.claims.is_empty() {
        return None;
    }
    let title = match own {
        [_] => fits_on(account),
        _ => format!(
            "{} of {} pods get their devices",
            own.iter()
                .filter(|account| {
                    let turn = account.turn.as_ref();
                    turn.is_some_and(|turn| turn.outcome == TurnOutcome::Bound)
                })
                .count(),
            own.len()
        ),
    };
    Some(Lens {
        range: range.unwrap_or_default(),
        title,
        pod: first.pod.clone(),
    })
}

/// Returns a lens for each claim template of a text, about a pod that has no other claim.
fn templates(text: &Text, others: &[&Text], settings: &Settings) -> Result<Vec<Lens>, Words> {
    let templates: Vec<&NameContent> = text
        .parts()
        .names
        .iter()
        .filter(|name| name.definition && name.kind == NameKind::ResourceClaimTemplate)
        .collect();
    if templates.is_empty() || templates.len() > MOST_TEMPLATES {
        return Ok(Vec::new());
    }
    let pods: Vec<String> = templates
        .iter()
        .enumerate()
        .map(|(index, template)| pod_of(index, template))
        .collect();
    let mut texts = vec![text];
    texts.extend(others);
    let each_pod_alone = AllocateRequest {
        alone: true,
        ..placed()
    };
    let text_of_pods = format!("---\n{}\n", pods.join("\n---\n"));
    let allocated = Allocated::of(allocate(&text_of_pods, &texts, settings, each_pod_alone))?;
    let mut lenses = Vec::new();
    for (index, template) in templates.iter().enumerate() {
        let pod = format!("{}/{}", template.namespace, pod_name(index));
        let account = allocated
            .pods
            .iter()
            .find(|account| account.pod.as_ref() == Some(&pod))
            .and_then(|account| allocated.with_nodes(account));
        if let Some(account) = account.filter(|account| !account.nodes.is_empty()) {
            lenses.push(Lens {
                range: range_of(text, template),
                title: fits_on(account),
                pod: None,
            });
        }
    }
    Ok(lenses)
}

fn pod_name(index: usize) -> String {
    format!("claimkit-lens-{index}")
}

/// Makes a pod that uses a template.
fn pod_of(index: usize, template: &NameContent) -> String {
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod_name(index), "namespace": template.namespace},
        "spec": {
            "containers": [{"name": "a", "image": "a", "resources": {"claims": [{"name": "a"}]}}],
            "resourceClaims": [{"name": "a", "resourceClaimTemplateName": template.name}],
        },
    });
    pod.to_string()
}

/// Returns the range of the object that a name defines.
fn range_of(text: &Text, name: &NameContent) -> Range {
    let start = name.range.start.byte_offset;
    let mut symbols = text.parts().symbols.iter();
    let object = symbols.find(|symbol| {
        symbol.kind == SymbolKind::Object && symbol.name_range.start.byte_offset == start
    });
    object.map_or_else(|| (&name.range).into(), |object| (&object.range).into())
}

/// The lenses of a document that could be read, with the text they are about.
#[derive(Clone, Debug)]
pub struct KnownLenses {
    pub found: Vec<Lens>,
    pub text: String,
}

impl KnownLenses {
    /// Returns them at the lines where they are in a later text.
    pub fn moved(&self, now: &str) -> Vec<Lens> {
        let (old, lines) = (self.text.split('\n'), now.split('\n'));
        let first = old
            .clone()
            .zip(lines.clone())
            .take_while(|(one, other)| one == other)
            .count();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        let by = i64::try_from(lines.count())
            .unwrap_or_default()
            .saturating_sub(i64::try_from(old.count()).unwrap_or_default());
        let shift = |place: Position| {
            let line = i64::from(place.line).saturating_add(by);
            let line = u32::try_from(line).unwrap_or_default().max(first);
            Position {
                line: if place.line > first { line } else { place.line },
                ..place
            }
        };
        let moved = self.found.iter().map(|lens| Lens {
            range: Range {
                start: shift(lens.range.start),
                end: shift(lens.range.end),
            },
            ..lens.clone()
        });
        moved.collect()
    }
}
