//! The verb `evaluate`: on which nodes can claims be used, and why not on the others.

use super::answer::{self, Answer, Object};
use super::placing::{Explained, Located, Placing};
use super::request::{Request, Via};
use crate::api::core::NODE_SELECTOR;
use crate::api::{Api, ClassicKind, Kind, ObjectKind, Release, core};
use crate::finding::{Code, Finding, Origin, Severity, Step};
use crate::manifest::findings::{nothing_checked, other_group, place};
use crate::manifest::{Input, Item, What};
use crate::place::explain;
use crate::place::lint;
use crate::place::matching::Matches;
use crate::place::plan::{Given, Planner, World, Written};
use crate::place::pod::Pod;
use crate::place::rules::SchedulerRules;
use crate::place::{PreparedNodes, Selector};
use crate::record::decode::{self, How};
use crate::record::view::{self, NodeSelector};
use crate::server::{Body, body};
use crate::text::{self, Span, Tree};

/// Answers `evaluate`.
pub fn evaluate(request: &Request) -> Answer {
    match &request.nodes {
        None => unusable("`nodes` is missing: the text with Nodes, or `null` for a nil node"),
        Some(None) => evaluate_on(request, &PreparedNodes::nil()),
        Some(Some(text)) => match request.damage("nodes") {
            Some(why) => evaluate_on(request, &PreparedNodes::damaged(why)),
            None => evaluate_on(request, &PreparedNodes::read(text, &request.limits)),
        },
    }
}

/// The same on nodes that were prepared before; the request's own `nodes` do not count.
pub fn evaluate_on(request: &Request, nodes: &PreparedNodes) -> Answer {
    let release = match request.release() {
        Ok(release) => release,
        Err(error) => return unusable(&error),
    };
    if let Some(name) = request.explain.iter().find(|name| nodes.find(name).is_none()) {
        return unusable(&format!("no Node `{name}` to explain is among the nodes given"));
    }
    let mut answer = match (&request.selector, &request.text) {
        (Some(_), Some(_)) => return unusable("give `text` or `selector`, not both"),
        (None, None) => return unusable("`text` is missing: the manifest to evaluate, or a bare `selector`"),
        (Some(selector), None) => bare(request, selector, release.unwrap_or(Release::latest()), nodes),
        (None, Some(text)) => manifest(request, text, release, nodes),
    };
    let empty = Finding::warning(Code::NothingChecked, Origin::Claimkit, "the text with Nodes holds no Node");
    let about: Vec<Finding> = nodes.findings().iter().cloned().chain(nodes.is_empty().then_some(empty)).collect();
    if about.iter().any(|finding| finding.severity == Severity::Error) {
        answer.ok = false;
    }
    let nowhere = text::Source::new("");
    answer.findings.extend(about.into_iter().map(|finding| answer::finding(&nowhere, finding)));
    answer
}

fn unusable(error: &str) -> Answer {
    Answer::unusable(Some("evaluate"), error)
}

/// A bare selector, in place of manifests.
fn bare(request: &Request, selector: &str, release: Release, nodes: &PreparedNodes) -> Answer {
    let mut answer = Answer::to("evaluate");
    let mut file = text::read(selector, &request.limits);
    let mut findings = std::mem::take(&mut file.findings);
    if let Some(why) = request.damage("selector") {
        let finding = Finding::error(Code::YamlSyntax, Origin::Kubectl, why).with_help(text::bytes::HELP);
        findings = vec![finding];
    }
    if let Some(second) = file.documents.get(1) {
        let message = "the text holds more than one selector; only the first is looked at";
        findings.push(Finding::error(Code::NothingChecked, Origin::Claimkit, message).with_span(second.span));
    }
    let unread = findings.iter().any(|finding| finding.severity == Severity::Error);
    let document = file.documents.first();
    // An empty text, or `null`, is a selector without terms.
    let nothing = Tree::new("");
    let (tree, root, span) = match document.and_then(|document| document.root.map(|root| (&document.tree, root, document.span))) {
        Some(found) => found,
        None => (&nothing, text::NodeId(0), Span::at(0)),
    };
    let mode = document.map_or(text::Mode::Yaml, |document| document.mode);
    let decoded = decode::decode(tree, root, &NODE_SELECTOR, "v1", How::reaching(mode, Via::Validator, release));
    for mut finding in body::findings(&decoded, request.field_validation) {
        finding.object = Some(0);
        findings.push(finding);
    }
    if !unread && decoded.answer.is_none() {
        let rules = SchedulerRules::of(release);
        let parsed = Selector::parse(NodeSelector::new(&decoded.record), &rules);
        let place = lint::SelectorSite { path: "", steps: &[], parse_errors: Severity::Error };
        for mut finding in lint::findings(&parsed, &place, Some((nodes, explain::unknown_label))) {
            finding.object = Some(0);
            finding.span = Some(crate::advice::locate::locate(tree, root, &finding.steps, finding.at_key));
            findings.push(finding);
        }
        let matches = Matches::of(&parsed, nodes);
        let ranges = (!request.without_places).then(|| Located::find(&file.source, tree, root, &[], &parsed));
        let placing = Placing { nodes, explained: Explained::of(request, nodes.len()), release };
        let placement = placing.selector(&matches, ranges.as_ref());
        answer.objects.push(Object {
            api_version: "v1".into(),
            kind: core::NODE_SELECTOR.go.into(),
            release: Some(release),
            range: Some(answer::range(&file.source, span)),
            placement: Some(Box::new(placement)),
            ..Object::default()
        });
    }
    answer.ok = !answer.objects.is_empty() && findings.iter().all(|finding| finding.severity != Severity::Error);
    answer.findings = answer::findings(&file.source, findings, &request.limits);
    answer
}

/// What stands in the text.
enum Part<'t> {
    Ours(Body<'t>),
    Pod(Pod),
    Nothing,
}

/// Manifests: claims, templates, classes, pods, scheduling contexts.
fn manifest(request: &Request, text: &str, release: Option<Release>, nodes: &PreparedNodes) -> Answer {
    let mut answer = Answer::to("evaluate");
    let mut input = Input::read(text, release, &request.limits);
    let mut findings = std::mem::take(&mut input.file.findings);
    let mut parts = Vec::new();
    for (index, item) in input.items.iter().enumerate() {
        answer.objects.push(Object::of(&input, item));
        let part = part(request, &input, item, index, &mut findings);
        if let Part::Pod(pod) = &part
            && !pod.node_name.is_empty()
        {
            let message =
                format!("pod `{}` is bound to node `{}`: the scheduler does not look at it any more", pod.name, pod.node_name);
            findings.push(place(&input, item, index, Finding::info(Code::PodBound, Origin::Claimkit, message)));
        }
        parts.push(part);
    }
    let release = release.unwrap_or_else(|| scheduler_release(&input.items));
    let rules = SchedulerRules::of(release);
    let world = world(request, &input, &parts);
    let written = world.selectors();
    let parsed: Vec<Selector<'_>> = written.iter().map(|written| Selector::parse(written.selector, &rules)).collect();
    for (written, selector) in written.iter().zip(&parsed) {
        findings.extend(lints(&input, *written, selector, nodes, &rules));
    }
    let sites = written.iter().zip(&parsed).map(|(written, selector)| crate::place::placement::Site {
        object: written.object,
        path: written.path,
        matches: Matches::of(selector, nodes),
    });
    let sites: Vec<_> = sites.collect();
    let ranges: Vec<Option<Located>> =
        written.iter().zip(&parsed).map(|(written, selector)| located(request, &input, *written, selector)).collect();
    let errors: Vec<Option<String>> = parsed.iter().map(Selector::error).collect();
    let planner = Planner { world: &world, selectors: &written, errors: &errors, rules: &rules };
    let placing = Placing { nodes, explained: Explained::of(request, nodes.len()), release };
    let mut checked = false;
    for (index, part) in parts.iter().enumerate() {
        let alone = |plan| Some((vec![plan], false));
        let of = |index: usize| {
            let claim = world.claims.iter().find(|given| given.index == index).map(|claim| planner.claim(claim));
            let template = || world.templates.iter().find(|given| given.index == index).map(|given| planner.template(given));
            let class = || world.classes.iter().find(|given| given.index == index).map(|given| planner.class_alone(given));
            claim.or_else(template).or_else(class)
        };
        let planned = match part {
            Part::Nothing => None,
            Part::Ours(_) => of(index).and_then(alone),
            Part::Pod(pod) => Some((planner.pod(pod, request.namespace_of(&pod.namespace)), true)),
        };
        let Some((plans, pod)) = planned else { continue };
        checked = true;
        let placement = placing.plans(&plans, pod, &sites, &ranges, &rules);
        if let Some(object) = answer.objects.get_mut(index) {
            object.placement = Some(Box::new(placement));
        }
    }
    if checked {
        let message = "not modelled: taints, resource requests, affinity, topology spread, and what drivers know of their devices; `Yes` and `Possible` say only that the claims do not speak against the node";
        findings.push(Finding::info(Code::PlacementNotModelled, Origin::Claimkit, message));
    } else {
        findings.push(nothing_checked(input.items.is_empty()));
    }
    answer.ok = checked && findings.iter().all(|finding| finding.severity != Severity::Error);
    answer.findings = answer::findings(&input.file.source, findings, &request.limits);
    answer
}

/// Without a release asked for: the last that serves the newest version in the text.
fn scheduler_release(items: &[Item]) -> Release {
    let ours = items.iter().filter(|item| matches!(item.what, What::Ours(_)));
    ours.map(|item| item.release).max().unwrap_or(Release::latest())
}

fn part<'t>(request: &Request, input: &'t Input<'_>, item: &Item, index: usize, findings: &mut Vec<Finding>) -> Part<'t> {
    let Some(tree) = input.tree(item) else { return Part::Nothing };
    match &item.what {
        What::Other if item.api_version == "v1" && item.kind == "Pod" => {
            let pod = Pod::read(tree, item.node);
            if pod.claims.is_empty() {
                let message = format!("pod `{}` has no resource claims", pod.name);
                let finding = Finding::info(Code::OtherGroup, Origin::Claimkit, message);
                findings.push(place(input, item, index, finding));
                return Part::Nothing;
            }
            Part::Pod(pod)
        }
        What::Other => {
            findings.push(other_group(item, index));
            Part::Nothing
        }
        What::Refused(finding) => {
            findings.push(place(input, item, index, finding.clone()));
            Part::Nothing
        }
        What::Ours(api) => {
            let how = How::reaching(input.mode(item), request.via.unwrap_or_default(), item.release);
            let body = Body::read(tree, item.node, *api, how);
            let problems = body.findings(request.field_validation);
            findings.extend(problems.into_iter().map(|finding| place(input, item, index, finding)));
            if body.mismatch().is_some() || api.kind.items.is_some() {
                return Part::Nothing;
            }
            Part::Ours(body)
        }
    }
}

fn world<'r>(request: &'r Request, input: &'r Input<'_>, parts: &'r [Part<'r>]) -> World<'r> {
    let mut world = World::default();
    for (index, (item, part)) in input.items.iter().zip(parts).enumerate() {
        let Part::Ours(body) = part else { continue };
        let record = body.record();
        let namespace = request.namespace_of(&item.namespace);
        macro_rules! give {
            ($list:ident, $view:ident) => {
                world.$list.push(Given { index, namespace, view: view::$view::new(record) })
            };
        }
        let What::Ours(Api { kind: Kind { object: ObjectKind::Classic(kind), .. }, .. }) = item.what else { continue };
        match kind {
            ClassicKind::ResourceClaim => give!(claims, ResourceClaim),
            ClassicKind::ResourceClaimTemplate => give!(templates, ResourceClaimTemplate),
            ClassicKind::ResourceClass => give!(classes, ResourceClass),
            ClassicKind::PodSchedulingContext => give!(schedulings, PodSchedulingContext),
            ClassicKind::ResourceClassParameters => give!(class_parameters, ResourceClassParameters),
            ClassicKind::ResourceClaimParameters => give!(claim_parameters, ResourceClaimParameters),
            ClassicKind::ResourceSlice => {}
        }
    }
    world
}

fn steps(path: &str) -> Vec<Step> {
    path.split('.').map(|key| Step::Key(key.to_owned())).collect()
}

fn lints(
    input: &Input<'_>,
    written: Written<'_>,
    selector: &Selector<'_>,
    nodes: &PreparedNodes,
    rules: &SchedulerRules,
) -> Vec<Finding> {
    let Some(item) = input.items.get(written.object) else { return Vec::new() };
    // A class's selector that is parsed term by term fails the attempt only where no other term matches.
    let lazy = written.path == crate::place::plan::SUITABLE_NODES && !rules.class_first;
    let parse_errors = if lazy { Severity::Warning } else { Severity::Error };
    let place_of = lint::SelectorSite { path: written.path, steps: &steps(written.path), parse_errors };
    let found = lint::findings(selector, &place_of, Some((nodes, explain::unknown_label)));
    found.into_iter().map(|finding| place(input, item, written.object, finding)).collect()
}

fn located(request: &Request, input: &Input<'_>, written: Written<'_>, selector: &Selector<'_>) -> Option<Located> {
    let item = input.items.get(written.object).filter(|_| !request.without_places)?;
    Some(Located::find(&input.file.source, input.tree(item)?, item.node, &steps(written.path), selector))
}
