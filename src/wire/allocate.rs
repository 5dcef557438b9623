//! The verb `allocate`: which devices the pods and claims of a text get on each node, and why none.

use super::account_places::{Places, steps};
use super::answer::{self, Answer, Finding, Object};
use super::options::{AllocateOptions, MOST_STEPS, Shown};
use super::request::{Request, Via};
use super::target::Target;
use crate::manifest::findings::{other_group, place};

use crate::advice::locate;
use crate::api::{Api, DeviceKind, ObjectKind, Release};
use crate::finding::{self, Code, Origin, Severity, TextField};
use crate::manifest::{Input, Item, What};
use crate::place::device::behaviour::{self, Behaviour, Feature, Features};
use crate::place::device::cluster::Cluster;
use crate::place::device::doctor;
use crate::place::device::engine::CelSelectors;
use crate::place::device::explain::{self, Matrix, Options, answer as told};
use crate::place::device::facts::{Claim, Facts, Pod};
use crate::place::device::plugin::{PluginGates, PodCase};
use crate::place::device::plugin_rules::PluginRules;
use crate::record::decode::How;
use crate::record::{self, Record};
use crate::server::Body;
use crate::server::device::convert;
use crate::text::Source;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

fn options(given: AllocateOptions) -> Options {
    let default = Options::default();
    Options {
        budget: given.budget.map_or(default.budget, |budget| budget.min(MOST_STEPS)),
        relax: given.relax.unwrap_or(default.relax),
        matrix: match given.matrix {
            None | Some(Shown::Failed) => Matrix::Failed,
            Some(Shown::All) => Matrix::All,
            Some(Shown::None) => Matrix::Nothing,
        },
    }
}

/// Answers `allocate`.
pub fn allocate(request: &Request) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Some("allocate"), &error))
}

fn answer(request: &Request) -> Result<Answer, String> {
    let target = Target::of(request)?;
    let text = request.text.as_deref().ok_or("`text` is missing: the objects of the cluster")?;
    let mut input = Input::read(text, Some(target.release), &request.limits);
    let mut world = World {
        request,
        release: target.release,
        facts: Facts::default(),
        findings: std::mem::take(&mut input.file.findings),
        beside: Vec::new(),
    };
    let mut answer = Answer::to("allocate");
    for (index, item) in input.items.iter().enumerate() {
        answer.objects.push(Object::of(&input.file.source, item));
        world.take(&input, item, index);
    }
    if let Some(Some(nodes)) = &request.nodes {
        world.take_nodes(nodes);
    }
    let World { mut facts, mut findings, beside, .. } = world;
    if let Some(labels) = &request.namespace_labels {
        let labels = labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        facts.namespaces.insert_new(request.namespace_of("").to_owned(), labels);
    }
    let on = |name: &str| target.on(name);
    let features = features(request, target)?;
    let lists = on("DRAListTypeAttributes") || request.cel_lists || features.contains(&Feature::ListTypeAttributes);
    let engine = CelSelectors::new(target.release.minor, lists);
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features)
        .ok_or_else(|| behaviour::no_allocator(&features))?;
    let faults = doctor::findings(&Cluster::new(&facts, behaviour, &features, &engine));
    let rules = PluginRules::of(target.release.minor);
    rules.apply_taint_rules(&mut facts, on, &engine);
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let nodes = nodes(request, &facts)?;
    let cases = cases(request, &cluster, rules, PluginGates::of(on))?;
    let options = options(request.options);
    let mut pods: Vec<told::PodAccount> = cases.iter().map(|case| explain::account(&cluster, case, &nodes, options)).collect();
    if pods.is_empty() || nodes.is_empty() {
        let what = if pods.is_empty() { "no pod with claims and no claim that is not allocated" } else { "no Node" };
        findings.push(finding::Finding::warning(Code::NothingChecked, Origin::Claimkit, format!("the text holds {what}")));
    }
    answer.findings = answer::findings(&input.file.source, findings, &request.limits);
    answer.findings.extend(beside);
    let mut more: Vec<&told::Finding> = Vec::new();
    for found in faults.iter().chain(pods.iter().flat_map(|pod| &pod.findings)) {
        if !more.contains(&found) {
            more.push(found);
        }
    }
    let room = request.limits.findings.saturating_sub(answer.findings.len());
    answer.findings.extend(more.into_iter().take(room).map(|found| located(&input, found)));
    let refused = answer.findings.iter().any(|finding| finding.severity == Severity::Error);
    answer.ok = !refused && !pods.is_empty() && !nodes.is_empty();
    describe(&mut answer, target, behaviour);
    Places::of(&input, &|written| request.namespace_of(written).to_owned()).fill(&mut pods);
    // Kept as JSON: an account has many types, and one serializer for them is enough in the module.
    answer.pods = serde_json::value::to_raw_value(&pods).ok();
    Ok(answer)
}

fn describe(answer: &mut Answer, target: Target, behaviour: &Behaviour) {
    answer.release = Some(target.release);
    answer.allocator = Some(behaviour.allocator);
    answer.gates = Some(target.gates());
}

/// The allocator's features: those of the gates, or those asked for.
fn features(request: &Request, target: Target) -> Result<Features, String> {
    match &request.features {
        None => Ok(behaviour::features_of(target.release.minor, |name| target.on(name))),
        Some(names) => {
            let one = |name: &String| Feature::parse(name).ok_or_else(|| format!("`features`: there is no feature `{name}`"));
            names.iter().map(one).collect()
        }
    }
}

/// What is read from the texts.
struct World<'r> {
    request: &'r Request,
    release: Release,
    facts: Facts,
    findings: Vec<finding::Finding>,
    /// Findings about a text beside the one of the objects.
    beside: Vec<Finding>,
}

impl World<'_> {
    fn take(&mut self, input: &Input<'_>, item: &Item, index: usize) {
        let Some(tree) = input.tree(item) else { return };
        match &item.what {
            What::Other if item.api_version == "v1" && matches!(item.kind.as_str(), "Node" | "Pod" | "Namespace") => {
                match input.deserialize::<Value>(index) {
                    Ok(object) => self.add(input, item, index, object),
                    Err(error) => self.unread(input, item, index, &error.to_string()),
                }
            }
            What::Other => self.findings.push(other_group(item, index)),
            What::Refused(finding) => self.findings.push(place(input, item, index, finding.clone())),
            What::Ours(api) => {
                let ObjectKind::Device(kind) = api.kind.object else {
                    self.unread(input, item, index, "is of a version without devices");
                    return;
                };
                let how = How::reaching(input.mode(item), Via::Kubectl, item.release);
                let body = Body::read(tree, item.node, *api, how);
                let problems = body.findings(self.request.field_validation);
                self.findings.extend(problems.into_iter().map(|finding| place(input, item, index, finding)));
                if body.mismatch().is_none() {
                    self.add_ours(input, item, index, *api, kind, body.record());
                }
            }
        }
    }

    /// Objects of every version are looked at in the shape of v1.
    fn add_ours(&mut self, input: &Input<'_>, item: &Item, index: usize, api: Api, kind: DeviceKind, record: &Record<'_>) {
        let shapeless: Vec<bool> = match (kind, self.release.minor <= 33) {
            (DeviceKind::ResourceSlice, true) => {
                let devices = record.record("spec").into_iter().flat_map(|spec| spec.records("devices"));
                devices.map(|device| device.schema.slot("basic").is_some() && !device.has("basic")).collect()
            }
            _ => Vec::new(),
        };
        let shape = if kind == DeviceKind::DeviceTaintRule { api.version.name } else { "v1" };
        let converted = convert::from_hub(record.clone(), shape, kind);
        let mut json = String::new();
        record::encode(&converted, Release::latest(), &mut json);
        let object = serde_json::from_str::<Value>(&json).map(|mut object| {
            if let Some(members) = object.as_object_mut() {
                members.insert("kind".to_owned(), json!(item.kind));
            }
            object
        });
        match object {
            Ok(object) => self.add(input, item, index, object),
            Err(error) => self.unread(input, item, index, &error.to_string()),
        }
        let last = self.facts.slices.last_mut().and_then(Rc::get_mut);
        if let Some(slice) = last.filter(|slice| slice.metadata.name == item.name) {
            for (device, shapeless) in slice.spec.devices.iter_mut().zip(shapeless) {
                device.shapeless = shapeless;
            }
        }
    }

    fn add(&mut self, input: &Input<'_>, item: &Item, index: usize, mut object: Value) {
        if matches!(item.kind.as_str(), "Pod" | "ResourceClaim")
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("namespace".to_owned(), self.request.namespace_of(&item.namespace).into());
        }
        if let Err(error) = self.facts.add(&object) {
            self.unread(input, item, index, &error);
        }
    }

    fn unread(&mut self, input: &Input<'_>, item: &Item, index: usize, why: &str) {
        let message = format!("{} `{}` of `{}` cannot be used: {why}", item.kind, item.name, item.api_version);
        let finding = finding::Finding::error(Code::TypeMismatch, Origin::Claimkit, message);
        self.findings.push(place(input, item, index, finding));
    }

    /// Nodes of a text of their own.
    fn take_nodes(&mut self, text: &str) {
        let mut input = Input::read(text, Some(self.release), &self.request.limits);
        for finding in std::mem::take(&mut input.file.findings) {
            let finding = finding::Finding { fixes: Vec::new(), ..finding };
            self.beside.push(answer::finding(&input.file.source, finding.about(TextField::Nodes)));
        }
        for (index, item) in input.items.iter().enumerate().filter(|(_, item)| item.api_version == "v1" && item.kind == "Node") {
            let read = input.deserialize::<Value>(index).map_err(|error| error.to_string());
            if let Err(error) = read.and_then(|node| self.facts.add(&node)) {
                let message = format!("Node `{}` cannot be used: {error}", item.name);
                let finding = finding::Finding::error(Code::TypeMismatch, Origin::Claimkit, message).about(TextField::Nodes);
                let span = Some(item.span);
                self.beside.push(answer::finding(&input.file.source, finding::Finding { span, ..finding }));
            }
        }
    }
}

/// The nodes asked for, as they stand in the facts.
fn nodes(request: &Request, facts: &Facts) -> Result<Vec<usize>, String> {
    let Some(names) = &request.node_names else { return Ok((0..facts.nodes.len()).collect()) };
    let find = |name: &String| facts.nodes.iter().position(|node| node.metadata.name == *name);
    names.iter().map(|name| find(name).ok_or_else(|| format!("`nodeNames`: there is no Node `{name}`"))).collect()
}

/// `namespace/name`; without a namespace the request's.
fn full(request: &Request, name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("{}/{name}", request.namespace_of("")) }
}

/// The groups of claims that are allocated together.
fn cases<'f>(
    request: &Request,
    cluster: &Cluster<'f>,
    rules: &'static PluginRules,
    gates: PluginGates,
) -> Result<Vec<PodCase<'f>>, String> {
    let facts = cluster.facts;
    if let Some(name) = &request.pod {
        let wanted = full(request, name);
        let pod = facts.pods.iter().find(|pod| pod.metadata.full_name() == wanted);
        let pod = pod.ok_or_else(|| format!("`pod`: there is no Pod `{wanted}`"))?;
        return Ok(vec![PodCase::new(cluster, rules, gates, pod)]);
    }
    if let Some(names) = &request.claims {
        let find = |name: &String| {
            let wanted = full(request, name);
            let claim = facts.claims.iter().map(|claim| &**claim).find(|claim| claim.metadata.full_name() == wanted);
            claim.ok_or_else(|| format!("`claims`: there is no ResourceClaim `{wanted}`"))
        };
        let claims = names.iter().map(find).collect::<Result<Vec<&Claim>, String>>()?;
        return Ok(vec![PodCase::of_claims(cluster, rules, gates, &claims)]);
    }
    // A pod with a node is scheduled already, and one without claims asks for nothing.
    let waiting = facts.pods.iter().filter(|pod| pod.spec.node_name.is_empty());
    let cases = waiting.map(|pod| PodCase::new(cluster, rules, gates, pod));
    let mut cases: Vec<PodCase<'f>> = cases
        .filter(|case| case.extended.is_some() || case.pod.is_some_and(|pod| !pod.spec.resource_claims.is_empty()))
        .collect();
    let used: BTreeSet<String> = facts.pods.iter().flat_map(|pod| used_by(pod)).collect();
    let alone: Vec<&Claim> = facts
        .claims
        .iter()
        .map(|claim| &**claim)
        .filter(|claim| claim.status.allocation.is_none() && !used.contains(&claim.metadata.full_name()))
        .collect();
    if !alone.is_empty() {
        cases.push(PodCase::of_claims(cluster, rules, gates, &alone));
    }
    Ok(cases)
}

/// The claims that a pod names, or that were made for it.
fn used_by(pod: &Pod) -> impl Iterator<Item = String> {
    let named = pod.spec.resource_claims.iter().filter_map(|entry| entry.resource_claim_name.clone());
    let made = pod.status.resource_claim_statuses.iter().flatten().filter_map(|entry| entry.resource_claim_name.clone());
    let namespace = &pod.metadata.namespace;
    named.chain(made).map(move |name| format!("{namespace}/{name}"))
}

/// A finding of the allocator with its place in the text.
fn located(input: &Input<'_>, found: &told::Finding) -> Finding {
    let full =
        |item: &Item| if item.namespace.is_empty() { item.name.clone() } else { format!("{}/{}", item.namespace, item.name) };
    let short = found.object.rsplit('/').next().unwrap_or_default();
    let same = |item: &&(usize, &Item)| {
        item.1.kind == found.kind && (full(item.1) == found.object || item.1.namespace.is_empty() && item.1.name == short)
    };
    let item = input.items.iter().enumerate().find(|item| same(&item));
    let range = item.and_then(|(_, item)| {
        let tree = input.tree(item)?;
        let span = locate::locate(tree, item.node, &steps(found.path.as_deref().unwrap_or("metadata.name")), false);
        Some(answer::range(&input.file.source, span))
    });
    let severity = match found.severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    let origin = match found.origin {
        "kube-scheduler" => Origin::Scheduler,
        "kube-apiserver" => Origin::ApiServer,
        _ => Origin::Claimkit,
    };
    let plain = finding::Finding::new(Code::NothingChecked, severity, origin, found.message.clone());
    let mut finding = answer::finding(&Source::new(""), plain);
    finding.code = found.code;
    finding.path = found.path.clone();
    finding.range = range;
    finding.object = item.map(|(index, _)| index);
    finding
}
