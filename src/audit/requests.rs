//! Templates and waiting claims that ask for what no node has.

use super::classes::{Failure, Tried, asks_of, correct_expression, try_all};
use super::finder::{About, Finder};
use super::{MOST_TRIALS, current, lacks_slices};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::objects::{Ask, ClaimRequest, ClaimSpec, Meta, ObjectName};
use claimkit_scheduler::allocator::pools::{Gatherer, device_on_node};
use claimkit_scheduler::allocator::selectors::Cell;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// The object whose requests are compared with the devices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asker {
    Template,
    /// It is not allocated.
    Claim,
}

impl Asker {
    fn kind(self) -> &'static str {
        match self {
            Asker::Template => "ResourceClaimTemplate",
            Asker::Claim => "ResourceClaim",
        }
    }

    fn code(self) -> Code {
        match self {
            Asker::Template => Code::TemplateNeverFits,
            Asker::Claim => Code::ClaimNeverFits,
        }
    }

    fn named(self, metadata: &Meta) -> Message {
        let name = metadata.full_name();
        match self {
            Asker::Template => message!("audit.the-template", "template {name}", name),
            Asker::Claim => message!("audit.the-claim", "claim {name}", name),
        }
    }
}

/// Reports requests of templates and of waiting claims that nothing can meet.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    // Without any class, that is reported once for the whole cluster.
    if facts.classes.is_empty() {
        return;
    }
    let mut requests = Requests {
        cluster,
        seen: Seen::of(cluster),
        known: BTreeMap::new(),
        trials: 0,
    };
    for template in &facts.templates {
        let path = field_path!["spec", "spec"];
        let spec = &template.spec.spec;
        requests.check(Asker::Template, &template.metadata, spec, &path, finder);
    }
    let waiting = facts.claims.iter().filter(|claim| {
        claim.status.allocation.is_none() && claim.metadata.deletion_timestamp.is_none()
    });
    for claim in waiting {
        let path = field_path!["spec"];
        requests.check(Asker::Claim, &claim.metadata, &claim.spec, &path, finder);
    }
}

/// What the given nodes see.
struct Seen<'f> {
    /// All devices that some node can use, each once.
    devices: Vec<DeviceAt>,
    /// For each node; where none is given, for each that slices name.
    nodes: Vec<OnNode<'f>>,
    /// A slice is given that cannot be read: what it has is not known.
    is_part: bool,
}

/// The devices that a node sees.
#[derive(Default)]
struct OnNode<'f> {
    devices: Vec<DeviceAt>,
    /// The drivers whose pools lack slices here, or cannot be used as they are.
    unsure: BTreeSet<&'f str>,
    /// The scheduler gets an error about its slices.
    fails: bool,
}

impl<'f> Seen<'f> {
    fn of(cluster: &Cluster<'f>) -> Self {
        let facts = cluster.facts;
        let gatherer = Gatherer::new(cluster);
        let nodes: Vec<OnNode<'f>> = match facts.nodes.len() {
            0 => on_named_nodes(cluster),
            nodes => (0..nodes)
                .map(|node| on_node(cluster, &gatherer, node))
                .collect(),
        };
        let seen = nodes.iter().flat_map(|node| &node.devices);
        let mut devices: Vec<DeviceAt> = seen.copied().collect();
        order::sort_by_key(&mut devices, |at| cluster.flat(*at));
        devices.dedup_by_key(|at| cluster.flat(*at));
        let is_slice = |name: &ObjectName| name.kind == "ResourceSlice";
        Seen {
            devices,
            nodes,
            is_part: facts.unusable.iter().any(is_slice),
        }
    }

    /// Returns true if slices of a class are missing or unusable, so that more devices may come. `offered`: devices of the class.
    fn may_grow(&self, cluster: &Cluster<'_>, offered: &[DeviceAt]) -> bool {
        let drivers = drivers_of(cluster, offered);
        self.is_part || self.nodes.iter().any(|node| node.is_unsure_of(&drivers))
    }
}

impl OnNode<'_> {
    fn is_unsure_of(&self, drivers: &BTreeSet<&str>) -> bool {
        self.fails || self.unsure.iter().any(|driver| drivers.contains(driver))
    }
}

fn on_node<'f>(cluster: &Cluster<'f>, gatherer: &Gatherer<'_, 'f>, node: usize) -> OnNode<'f> {
    let Ok(gathered) = gatherer.gather_near(node) else {
        return OnNode {
            fails: true,
            ..OnNode::default()
        };
    };
    let mut found = OnNode::default();
    for pool in &gathered.pools {
        if !pool.is_sound() {
            found.unsure.insert(pool.driver);
        }
        for at in pool
            .devices
            .iter()
            .flat_map(|slice| cluster.devices_of(*slice))
        {
            let (at, _) = at;
            let is_here = cluster.slice(at.slice).is_some_and(|slice| {
                let here = device_on_node(cluster, slice, at.index, node, &cluster.judgements);
                here.unwrap_or(false)
            });
            if is_here {
                found.devices.push(at);
            }
        }
    }
    found
}

/// Returns what the nodes see that slices name, where no Node is given. Devices of no named node may be on each.
fn on_named_nodes<'f>(cluster: &Cluster<'f>) -> Vec<OnNode<'f>> {
    let all = current(cluster);
    let node_of = |at: &DeviceAt| {
        let (slice, device) = cluster.device(*at)?;
        let mut names = [&slice.spec.node_name, &device.node_name].into_iter();
        names.find_map(|name| name.as_deref().filter(|name| !name.is_empty()))
    };
    let pools = cluster.all_pools();
    let incomplete = pools.filter(|(.., slices)| lacks_slices(cluster, slices));
    let unsure = order::set(incomplete.map(|(driver, ..)| driver));
    let mut names: BTreeSet<Option<&str>> = all.iter().map(node_of).collect();
    if names.len() > 1 {
        names.remove(&None);
    }
    let nodes = names.into_iter().map(|name| {
        let here = all.iter().copied();
        OnNode {
            devices: here
                .filter(|at| node_of(at).is_none_or(|of| Some(of) == name))
                .collect(),
            unsure: unsure.clone(),
            fails: false,
        }
    });
    nodes.collect()
}

fn drivers_of<'f>(cluster: &Cluster<'f>, devices: &[DeviceAt]) -> BTreeSet<&'f str> {
    let slices = devices.iter().filter_map(|at| cluster.slice(at.slice));
    order::set(slices.map(|slice| slice.spec.driver.as_str()))
}

/// A class, and the expressions of selectors beside it.
type Question<'f> = (&'f str, Vec<Option<&'f str>>);

/// Compares requests with the devices of their classes.
struct Requests<'c, 'f> {
    cluster: &'c Cluster<'f>,
    seen: Seen<'f>,
    /// What became of selectors that were tried before.
    known: BTreeMap<Question<'f>, Offer<'f>>,
    /// The number of trials so far.
    trials: usize,
}

/// What there is for a request.
struct Offer<'f> {
    tried: Tried<'f>,
    /// The devices of the class.
    devices: usize,
    /// More devices may come, or be seen once they can be read.
    may_grow: bool,
    /// The most of them that a node sees; `None`: that is not known.
    most: Option<usize>,
}

impl Offer<'_> {
    /// Returns why no node can meet a request.
    fn problem(&self, ask: &Ask) -> Option<Problem> {
        // What a selector that fails would have selected is not known.
        if self.tried.failed.is_some() || self.may_grow {
            return None;
        }
        if self.devices == 0 {
            return Some(Problem::ClassSelectsNone);
        }
        if self.tried.selected.is_empty() {
            return Some(Problem::SelectsNone);
        }
        let most = self.most.filter(|most| asks_for_more(ask, *most))?;
        Some(Problem::TooMany { most })
    }
}

/// Why no node can meet a request.
#[derive(Clone, Copy)]
enum Problem {
    /// Its class selects no device, which is a finding about the class.
    ClassSelectsNone,
    /// Its class selects devices, and its own selectors none of them.
    SelectsNone,
    /// No node has more devices of the kind.
    TooMany { most: usize },
}

impl<'f> Requests<'_, 'f> {
    fn check(
        &mut self,
        asker: Asker,
        metadata: &'f Meta,
        spec: &'f ClaimSpec,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        for (at, request) in spec.devices.requests.iter().enumerate() {
            let path = path.join(&field_path!["devices", "requests", at]);
            self.request(asker, metadata, request, &path, finder);
        }
    }

    /// Reports a request that nothing can meet. Of alternatives, one that fits is enough.
    fn request(
        &mut self,
        asker: Asker,
        metadata: &'f Meta,
        request: &'f ClaimRequest,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        let asks = asks_of(request, path);
        for (ask, path) in &asks {
            self.try_selectors(asker, metadata, ask, finder);
            if !self.is_there(ask) && asker == Asker::Template {
                self.class_absent(metadata, ask, path, finder);
            }
            if let Some(offer) = self.offer(ask) {
                selector_fails(asker, metadata, self.cluster, (ask, path), offer, finder);
            }
        }
        let problem = |ask: &'f Ask| self.offer(ask).and_then(|offer| offer.problem(ask));
        let never_fits = asks
            .iter()
            .all(|(ask, _)| !self.is_there(ask) || problem(ask).is_some());
        for (ask, path) in asks.iter().filter(|_| never_fits) {
            let (Some(problem), Some(offer)) = (problem(ask), self.offer(ask)) else {
                continue;
            };
            let field = match problem {
                Problem::ClassSelectsNone => continue,
                Problem::SelectsNone => "selectors",
                Problem::TooMany { .. } => "count",
            };
            let help = matches!(problem, Problem::SelectsNone).then(|| {
                message!(
                    "audit.request-selects-nothing-help",
                    "compare the selectors with the attributes that slices publish: `claimkit cel EXPRESSION --device SLICE` shows why a device is not selected"
                )
            });
            let message = never(&asker.named(metadata), &request.name, ask, problem, offer);
            let about = About::object(asker.kind(), metadata).at(path.join(&field_path![field]));
            finder.tell(asker.code(), about, message, help);
        }
    }

    /// Returns false if a request names a class that is not there. One that cannot be read has its own error.
    fn is_there(&self, ask: &Ask) -> bool {
        let class = ask.device_class_name.as_str();
        let unusable = ObjectName::new("DeviceClass", "", class);
        class.is_empty()
            || self.cluster.class(class).is_some()
            || self.cluster.facts.unusable.contains(&unusable)
    }

    fn class_absent(
        &self,
        template: &Meta,
        ask: &Ask,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        let class = ask.device_class_name.as_str();
        let mut nearest = Nearest::to(class);
        let classes = self.cluster.facts.classes.iter();
        classes.for_each(|class| nearest.consider(&class.metadata.name));
        let message = message!(
            "audit.template-class",
            "template {template}: there is no DeviceClass `{class}`",
            template = template.full_name(),
            class,
        );
        let about = About::object(Asker::Template.kind(), template)
            .at(path.join(&field_path!["deviceClassName"]));
        finder.tell(
            Code::ClassNotInInput,
            about,
            message,
            nearest.found().map(did_you_mean),
        );
    }

    /// Tries the selectors of a request on the devices of its class, unless that was done, or there are too many.
    fn try_selectors(
        &mut self,
        asker: Asker,
        metadata: &Meta,
        ask: &'f Ask,
        finder: &mut Finder<'_, '_>,
    ) {
        let question = question(ask);
        let Some(class) = self.cluster.class(&ask.device_class_name) else {
            return;
        };
        if self.known.contains_key(&question) || self.trials > MOST_TRIALS {
            return;
        }
        let selectors = class
            .spec
            .selectors
            .len()
            .saturating_add(ask.selectors.len());
        let trials = self.seen.devices.len().saturating_mul(selectors.max(1));
        self.trials = self.trials.saturating_add(trials);
        if self.trials > MOST_TRIALS {
            let message = message!(
                "audit.requests-untried",
                "the selectors of {asker}, and of what follows, were not tried on the devices: {most} trials are the most",
                asker = asker.named(metadata),
                most = MOST_TRIALS,
            );
            let about = About::object(asker.kind(), metadata);
            finder.tell(Code::PlacementNotModelled, about, message, None);
            return;
        }
        let of_class = try_all(self.cluster, &class.spec.selectors, &self.seen.devices);
        // An error of the class is a finding about the class.
        if of_class.failed.is_some() {
            return;
        }
        let offered = of_class.selected;
        let tried = try_all(self.cluster, &ask.selectors, &offered);
        let offer = Offer {
            devices: offered.len(),
            may_grow: self.seen.may_grow(self.cluster, &offered),
            most: self.most_on_a_node(&tried.selected),
            tried,
        };
        self.known.insert(question, offer);
    }

    /// Returns the most of these devices that a node sees; `None`: no node is given, or one of them can be given to several claims.
    fn most_on_a_node(&self, devices: &[DeviceAt]) -> Option<usize> {
        let selected = order::set(devices.iter().map(|at| self.cluster.flat(*at)));
        if devices.iter().any(|at| self.cluster.is_shared(*at)) {
            return None;
        }
        let on = |node: &OnNode<'_>| {
            let here = node.devices.iter();
            here.filter(|at| selected.contains(&self.cluster.flat(**at)))
                .count()
        };
        self.seen.nodes.iter().map(on).max()
    }

    /// Returns what there is for a request; `None`: it was not tried.
    fn offer(&self, ask: &'f Ask) -> Option<&Offer<'f>> {
        self.known.get(&question(ask))
    }
}

fn question(ask: &Ask) -> Question<'_> {
    let selectors = ask.selectors.iter();
    let expressions =
        selectors.map(|selector| selector.cel.as_ref().map(|cel| cel.expression.as_str()));
    (&ask.device_class_name, expressions.collect())
}

/// Reports a selector of a request that fails on devices of its class.
fn selector_fails(
    asker: Asker,
    metadata: &Meta,
    cluster: &Cluster<'_>,
    (ask, path): (&Ask, &FieldPath),
    offer: &Offer<'_>,
    finder: &mut Finder<'_, '_>,
) {
    let Some(Failure {
        index,
        selector,
        at,
    }) = &offer.tried.failed
    else {
        return;
    };
    let message = message!(
        "audit.request-selector-fails",
        "the selector of {asker} fails on {failures} of {devices} devices of class {class}, first on {first}: {error}",
        asker = asker.named(metadata),
        failures = offer.tried.failures,
        devices = offer.devices,
        class = ask.device_class_name,
        first = cluster.device_name(*at),
        error = cluster.selector_error(selector, *at),
    );
    let help = match cluster.ask(selector, *at) {
        Some(Cell::CompileError) => correct_expression(),
        _ => message!(
            "audit.request-selector-fails-help",
            "once such a device is asked about, the pod is scheduled nowhere: test attributes with `has(…)`"
        ),
    };
    let place = field_path!["selectors", *index, "cel", "expression"];
    let about = About::object(asker.kind(), metadata).at(path.join(&place));
    finder.tell(Code::SelectorFails, about, message, Some(help));
}

/// Says why no node can meet a request.
fn never(asker: &str, request: &str, ask: &Ask, problem: Problem, offer: &Offer<'_>) -> Message {
    let class = ask.device_class_name.as_str();
    match problem {
        Problem::SelectsNone | Problem::ClassSelectsNone if offer.devices == 1 => message!(
            "audit.request-selects-nothing-of-one",
            "request {request} of {asker} does not select the only device of class {class}",
            request,
            asker,
            class,
        ),
        Problem::SelectsNone | Problem::ClassSelectsNone => message!(
            "audit.request-selects-nothing",
            "request {request} of {asker} selects none of the {devices} devices of class {class}",
            request,
            asker,
            devices = offer.devices,
            class,
        ),
        Problem::TooMany { most } if ask.selectors.is_empty() => message!(
            "audit.asks-for-too-many",
            "request {request} of {asker} asks for {count} devices of class {class}, and no node has more than {most}",
            request,
            asker,
            count = ask.count,
            class,
            most,
        ),
        Problem::TooMany { most } => message!(
            "audit.selects-too-few",
            "request {request} of {asker} asks for {count} devices of class {class}, and its selectors select no more than {most} on any node",
            request,
            asker,
            count = ask.count,
            class,
            most,
        ),
    }
}

/// Returns true if a request asks for more than this many devices. Until 1.33 a request with admin access gets a device twice.
fn asks_for_more(ask: &Ask, most: usize) -> bool {
    let is_exact = matches!(ask.allocation_mode.as_str(), "" | "ExactCount");
    let is_admin = ask.admin_access == Some(true);
    is_exact && !is_admin && usize::try_from(ask.count).is_ok_and(|count| count > most)
}
