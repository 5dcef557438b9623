//! Which nodes can use claims of the classic versions, and why not the others.

use super::build::{ExplainedNodes, Placing, SelectorPlaces};
use super::options::EvaluateOptions;
use super::placement::Placement;
use crate::apiserver::{Body, body};
use crate::manifest::findings::{nothing_checked, other_group, place};
use crate::manifest::{Input, Item, What};
use claimkit_model::finding::{Code, Finding, Severity, Step};
use claimkit_model::message::{Template, message, template};
use claimkit_model::object::decode::{self, How, Via};
use claimkit_model::object::view::{self, NodeSelector};
use claimkit_model::schema::core::NODE_SELECTOR;
use claimkit_model::schema::{Api, ApiKind, ClassicKind, ObjectKind, Release};
use claimkit_model::text::{self, NodeId, Source, SourceText, Span, Tree, located};
use claimkit_scheduler::classic::explain;
use claimkit_scheduler::classic::lint;
use claimkit_scheduler::classic::matching::Matches;
use claimkit_scheduler::classic::placement::{ClaimPlan, Site};
use claimkit_scheduler::classic::plan::{Given, Planner, World, Written};
use claimkit_scheduler::classic::pod::ClaimingPod;
use claimkit_scheduler::rules::SchedulerRules;
use claimkit_scheduler::{ParsedSelector, PreparedNodes};

/// The answer of the scheduler for the claims of a text, or for a selector.
#[derive(Debug)]
#[non_exhaustive]
pub struct Evaluation<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The objects of the text; none for a selector.
    pub items: Vec<Item>,
    /// The placement of each object; `None` if there is nothing to place. A selector has one entry if it can be read.
    pub placements: Vec<Option<Placement>>,
    /// The span of a readable selector.
    pub selector: Option<Span>,
    /// The release whose behavior the answer follows.
    pub release: Release,
    /// The findings about the text. Not cut to the limit `findings`.
    pub findings: Vec<Finding>,
    /// The findings about the text with Nodes.
    pub of_nodes: Vec<located::LocatedFinding>,
    /// Something was placed, and no finding is an error.
    pub ok: bool,
}

impl Evaluation<'_> {
    /// What a text must contain to be evaluated.
    #[doc(hidden)]
    pub const NEEDS: Template = template!(
        "schedule.no-classic-claim",
        "no pod with claims, and no claim, template or class of v1alpha1 or v1alpha2"
    );
}

/// Returns the nodes that the pods of a text can use with its claims, and the reasons against the others.
///
/// ```
/// use claimkit::placement::PlacementVerdict;
/// use claimkit::{EvaluateOptions, Limits, PreparedNodes};
///
/// let text = "
/// apiVersion: resource.k8s.io/v1alpha2
/// kind: ResourceClass
/// metadata: {name: gpu}
/// driverName: gpu.example.com
/// suitableNodes:
///   nodeSelectorTerms:
///   - matchExpressions: [{key: gpu, operator: Exists}]
/// ";
/// let nodes = "
/// apiVersion: v1
/// kind: Node
/// metadata: {name: a, labels: {gpu: t4}}
/// ---
/// apiVersion: v1
/// kind: Node
/// metadata: {name: b}
/// ";
/// let nodes = PreparedNodes::read(nodes, &Limits::default());
/// let evaluation = claimkit::evaluate(text, &nodes, &EvaluateOptions::default());
/// let placement = evaluation.placements[0].as_ref().unwrap();
/// assert_eq!((placement.nodes[0].verdict, placement.nodes[1].verdict), (PlacementVerdict::Possible, PlacementVerdict::No));
/// ```
pub fn evaluate<'t>(
    text: impl Into<SourceText<'t>>,
    nodes: &PreparedNodes,
    options: &EvaluateOptions<'_>,
) -> Evaluation<'t> {
    with_nodes(evaluate_manifest(text.into(), nodes, options), nodes)
}

/// Returns the nodes that a bare node selector selects. Its text is YAML or JSON.
///
/// ```
/// use claimkit::{EvaluateOptions, Limits, PreparedNodes};
///
/// let nodes = "
/// apiVersion: v1
/// kind: Node
/// metadata: {name: a, labels: {gpu: t4}}
/// ---
/// apiVersion: v1
/// kind: Node
/// metadata: {name: b}
/// ";
/// let nodes = PreparedNodes::read(nodes, &Limits::default());
/// let selector = "nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]";
/// let evaluation = claimkit::evaluate_selector(selector, &nodes, &EvaluateOptions::default());
/// assert_eq!(evaluation.placements[0].as_ref().unwrap().counts.yes, 1);
/// ```
pub fn evaluate_selector<'t>(
    selector: &'t str,
    nodes: &PreparedNodes,
    options: &EvaluateOptions<'_>,
) -> Evaluation<'t> {
    let mut evaluation = evaluate_bare(selector, nodes, options);
    let ok = evaluation.ok;
    evaluation = with_nodes(evaluation, nodes);
    // A bare selector can be evaluated on a node without a name, by its labels.
    if !nodes.is_empty() {
        for finding in evaluation
            .of_nodes
            .iter_mut()
            .filter(|finding| finding.code == Code::NodeUnusable)
        {
            finding.severity = Severity::Warning;
        }
        evaluation.ok = ok
            && evaluation
                .of_nodes
                .iter()
                .all(|finding| finding.severity != Severity::Error);
    }
    evaluation
}

/// Adds what was found in the text with Nodes.
fn with_nodes<'t>(mut evaluation: Evaluation<'t>, nodes: &PreparedNodes) -> Evaluation<'t> {
    evaluation.of_nodes = nodes.findings().to_vec();
    evaluation.ok &= evaluation
        .of_nodes
        .iter()
        .all(|finding| finding.severity != Severity::Error);
    evaluation
}

/// Evaluates a bare selector, in place of manifests.
fn evaluate_bare<'t>(
    selector: &'t str,
    nodes: &PreparedNodes,
    options: &EvaluateOptions<'_>,
) -> Evaluation<'t> {
    let release = options.release.unwrap_or(Release::latest());
    let mut file = text::read(selector, &options.limits);
    let mut findings = std::mem::take(&mut file.findings);
    if let Some(second) = file.documents.get(1) {
        findings.push(
            Finding::error(
                Code::NothingChecked,
                message!(
                    "schedule.selector-twice",
                    "the text holds more than one selector; only the first is looked at"
                ),
            )
            .with_span(second.span),
        );
    }
    let readable = no_errors(&findings);
    // An empty text, or `null`, is a selector without terms.
    let mut empty = Tree::new("");
    let root_of_empty = empty.add(text::Kind::Null, Span::at(0), text::Style::Plain);
    let document = file.documents.first();
    let bare = match document.and_then(|document| Some((document, document.root?))) {
        Some((document, root)) => BareSelector {
            tree: &document.tree,
            root,
            span: document.span,
        },
        None => BareSelector {
            tree: &empty,
            root: root_of_empty,
            span: Span::at(0),
        },
    };
    let mode = document.map_or(text::Mode::Yaml, |document| document.mode);
    let decoded = decode::decode(
        bare.tree,
        bare.root,
        &NODE_SELECTOR,
        "v1",
        How::reaching(mode, Via::Validator, release),
    );
    for mut finding in body::findings(bare.tree, &decoded, options.field_validation) {
        finding.object = Some(0);
        findings.push(finding);
    }
    let mut placement = None;
    if readable && decoded.answer.is_none() {
        let rules = SchedulerRules::of(release);
        let parsed = ParsedSelector::parse(NodeSelector::new(&decoded.record), &rules);
        findings.extend(bare.lint(&parsed, nodes));
        let ranges = (!options.without_places)
            .then(|| SelectorPlaces::find(&file.source, bare.tree, bare.root, &[], &parsed));
        let placing = Placing {
            nodes,
            explained: ExplainedNodes::of(options, nodes.len()),
            release,
        };
        placement = Some(placing.selector(&Matches::of(&parsed, nodes), ranges.as_ref()));
    }
    Evaluation {
        source: file.source,
        items: Vec::new(),
        selector: placement.as_ref().map(|_| bare.span),
        ok: placement.is_some() && no_errors(&findings),
        placements: placement.into_iter().map(Some).collect(),
        release,
        findings,
        of_nodes: Vec::new(),
    }
}

fn no_errors(findings: &[Finding]) -> bool {
    findings
        .iter()
        .all(|finding| finding.severity != Severity::Error)
}

/// A selector that is a document of its own.
struct BareSelector<'a, 't> {
    tree: &'a Tree<'t>,
    root: NodeId,
    span: Span,
}

impl BareSelector<'_, '_> {
    fn lint(&self, parsed: &ParsedSelector<'_>, nodes: &PreparedNodes) -> Vec<Finding> {
        let site = lint::SelectorSite {
            path: "",
            steps: &[],
            parse_errors: Severity::Error,
        };
        let mut findings = lint::findings(parsed, &site, Some((nodes, explain::unknown_label)));
        for finding in &mut findings {
            finding.object = Some(0);
            finding.span = Some(crate::advice::locate::locate_part(
                self.tree,
                self.root,
                &finding.steps,
                finding.part,
            ));
        }
        findings
    }
}

/// An object of the text.
enum Part<'t> {
    /// An object of the group that is placed, or that others refer to.
    Ours(Body<'t>),
    /// A pod with claims.
    Pod(ClaimingPod),
    /// Anything else.
    Nothing,
}

/// Evaluates manifests: claims, templates, classes, pods, scheduling contexts.
fn evaluate_manifest<'t>(
    text: SourceText<'t>,
    nodes: &PreparedNodes,
    options: &EvaluateOptions<'_>,
) -> Evaluation<'t> {
    let mut input = Input::read(text, options.release, &options.limits);
    let mut findings = std::mem::take(&mut input.file.findings);
    let release = options
        .release
        .unwrap_or_else(|| scheduler_release(&input.items));
    let placements = place_all(&input, release, nodes, options, &mut findings);
    let checked = placements.iter().any(Option::is_some);
    if checked {
        let limits_of_answer = message!(
            "schedule.not-modelled",
            "not modelled: taints, resource requests, affinity, topology spread, and what drivers know of their devices; `Yes` and `Possible` say only that the claims do not speak against the node"
        );
        findings.push(Finding::new(Code::PlacementNotModelled, limits_of_answer));
    } else if input
        .items
        .iter()
        .any(|item| matches!(item.what, What::Ours(_)))
    {
        // Objects of the group that cannot be placed: scheduling contexts, parameters, slices, and all objects of the device
        // family.
        let needs = Evaluation::NEEDS.text();
        findings.push(
            Finding::new(
                Code::NothingChecked,
                message!(
                    "schedule.nothing-checked",
                    "nothing was checked: the text holds {needs}",
                    needs
                ),
            )
            .with_span(Span::at(0)),
        );
    } else {
        findings.push(nothing_checked(input.items.is_empty()));
    }
    let ok = checked && no_errors(&findings);
    Evaluation {
        source: input.file.source,
        items: input.items,
        placements,
        selector: None,
        release,
        findings,
        of_nodes: Vec::new(),
        ok,
    }
}

fn pod_bound(pod: &ClaimingPod) -> Finding {
    let problem = message!(
        "schedule.pod-bound",
        "pod `{pod}` is bound to node `{node}`: the scheduler does not look at it any more",
        pod = pod.name,
        node = pod.node_name
    );
    Finding::new(Code::PodBound, problem)
}

/// Returns the plan of the claim, template or class at an index; `None`: there is none.
fn plan_of<'r>(planner: &Planner<'_, 'r>, index: usize) -> Option<ClaimPlan<'r>> {
    let world = planner.world;
    if let Some(claim) = world.claims.iter().find(|claim| claim.index == index) {
        return Some(planner.claim(claim));
    }
    let mut templates = world.templates.iter();
    if let Some(template) = templates.find(|template| template.index == index) {
        return Some(planner.template(template));
    }
    let mut classes = world.classes.iter();
    let class = classes.find(|class| class.index == index)?;
    Some(planner.class_alone(class))
}

/// Evaluates each object on the nodes.
fn place_all(
    input: &Input<'_>,
    release: Release,
    nodes: &PreparedNodes,
    options: &EvaluateOptions<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Option<Placement>> {
    let parts = read_parts(options, input, findings);
    let rules = SchedulerRules::of(release);
    let world = gather_world(options, input, &parts);
    let written_selectors = world.selectors();
    let (mut parsed_selectors, mut parse_errors) = (Vec::new(), Vec::new());
    for written in &written_selectors {
        let parsed = ParsedSelector::parse(written.selector, &rules);
        parse_errors.push(parsed.error());
        parsed_selectors.push(parsed);
    }
    let (mut sites, mut ranges) = (Vec::new(), Vec::new());
    for (written, parsed) in written_selectors.iter().zip(&parsed_selectors) {
        findings.extend(lint_selector(input, *written, parsed, nodes, &rules));
        sites.push(Site {
            object: written.object,
            path: written.path,
            matches: Matches::of(parsed, nodes),
        });
        ranges.push(locate_selector(options, input, *written, parsed));
    }
    let planner = Planner {
        world: &world,
        selectors: &written_selectors,
        errors: &parse_errors,
        rules: &rules,
    };
    let placing = Placing {
        nodes,
        explained: ExplainedNodes::of(options, nodes.len()),
        release,
    };
    let mut placements = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let is_pod = matches!(part, Part::Pod(_));
        let plans = match part {
            Part::Nothing => None,
            Part::Ours(_) => plan_of(&planner, index).map(|plan| vec![plan]),
            Part::Pod(pod) => Some(planner.pod(pod, options.namespace_of(&pod.namespace))),
        };
        placements.push(plans.map(|plans| placing.plans(&plans, is_pod, &sites, &ranges, &rules)));
    }
    placements
}

/// Reads each object. Reports those that cannot be placed, and pods that are bound.
fn read_parts<'t>(
    options: &EvaluateOptions<'_>,
    input: &'t Input<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    for (index, item) in input.items.iter().enumerate() {
        let part = read_part(options, input, item, index, findings);
        if let Part::Pod(pod) = &part
            && !pod.node_name.is_empty()
        {
            findings.push(place(input, item, index, pod_bound(pod)));
        }
        parts.push(part);
    }
    parts
}

/// Returns the release used if none is requested: the last one that serves the newest version in the text.
fn scheduler_release(items: &[Item]) -> Release {
    items
        .iter()
        .filter(|item| matches!(item.what, What::Ours(_)))
        .map(|item| item.release)
        .max()
        .unwrap_or(Release::latest())
}

fn read_part<'t>(
    options: &EvaluateOptions<'_>,
    input: &'t Input<'_>,
    item: &Item,
    index: usize,
    findings: &mut Vec<Finding>,
) -> Part<'t> {
    let Some(tree) = input.tree(item) else {
        return Part::Nothing;
    };
    match &item.what {
        What::Other if item.api_version == "v1" && item.kind == "Pod" => {
            let pod = ClaimingPod::read(tree, item.node);
            if pod.claims.is_empty() {
                let finding = Finding::new(
                    Code::OtherGroup,
                    message!(
                        "schedule.pod-without-claims",
                        "pod `{pod}` has no resource claims",
                        pod = pod.name
                    ),
                );
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
            let how = How::reaching(
                input.mode(item),
                options.via.unwrap_or_default(),
                item.release,
            );
            let body = Body::read(tree, item.node, *api, how);
            let problems = body.findings(tree, options.field_validation);
            findings.extend(
                problems
                    .into_iter()
                    .map(|finding| place(input, item, index, finding)),
            );
            if body.mismatch().is_some() || api.kind.items.is_some() {
                return Part::Nothing;
            }
            Part::Ours(body)
        }
    }
}

fn gather_world<'r>(
    options: &EvaluateOptions<'r>,
    input: &'r Input<'_>,
    parts: &'r [Part<'r>],
) -> World<'r> {
    let mut world = World::default();
    for (index, (item, part)) in input.items.iter().zip(parts).enumerate() {
        let Part::Ours(body) = part else { continue };
        let record = body.record();
        let namespace = options.namespace_of(&item.namespace);
        macro_rules! give {
            ($list:ident, $view:ident) => {
                world.$list.push(Given {
                    index,
                    namespace,
                    view: view::$view::new(record),
                })
            };
        }
        let What::Ours(Api {
            kind:
                ApiKind {
                    object: ObjectKind::Classic(kind),
                    ..
                },
            ..
        }) = item.what
        else {
            continue;
        };
        match kind {
            ClassicKind::ResourceClaim => give!(claims, ResourceClaim),
            ClassicKind::ResourceClaimTemplate => give!(templates, ResourceClaimTemplate),
            ClassicKind::ResourceClass => give!(classes, ResourceClass),
            ClassicKind::PodSchedulingContext => give!(schedulings, PodSchedulingContext),
            ClassicKind::ResourceClassParameters => {
                give!(class_parameters, ResourceClassParameters)
            }
            ClassicKind::ResourceClaimParameters => {
                give!(claim_parameters, ResourceClaimParameters)
            }
            ClassicKind::ResourceSlice => world.slices.push(view::ResourceSlice::new(record)),
        }
    }
    world
}

fn steps(path: &str) -> Vec<Step> {
    path.split('.')
        .map(|key| Step::Key(key.to_owned()))
        .collect()
}

fn lint_selector(
    input: &Input<'_>,
    written: Written<'_>,
    selector: &ParsedSelector<'_>,
    nodes: &PreparedNodes,
    rules: &SchedulerRules,
) -> Vec<Finding> {
    let Some(item) = input.items.get(written.object) else {
        return Vec::new();
    };
    // If a class's selector is parsed term by term, a parse error fails the attempt only if no other term matches.
    let lazy =
        written.path == claimkit_scheduler::classic::plan::SUITABLE_NODES && !rules.class_first;
    let parse_errors = if lazy {
        Severity::Warning
    } else {
        Severity::Error
    };
    let site = lint::SelectorSite {
        path: written.path,
        steps: &steps(written.path),
        parse_errors,
    };
    lint::findings(selector, &site, Some((nodes, explain::unknown_label)))
        .into_iter()
        .map(|finding| place(input, item, written.object, finding))
        .collect()
}

fn locate_selector(
    options: &EvaluateOptions<'_>,
    input: &Input<'_>,
    written: Written<'_>,
    selector: &ParsedSelector<'_>,
) -> Option<SelectorPlaces> {
    let item = input
        .items
        .get(written.object)
        .filter(|_| !options.without_places)?;
    Some(SelectorPlaces::find(
        &input.file.source,
        input.tree(item)?,
        item.node,
        &steps(written.path),
        selector,
    ))
}
