//! Templates and waiting claims that ask for what no node has.

use super::classes::{Failure, Tried, asks_of, correct_expression, try_all};
use super::empty_cluster::EmptyCluster;
use super::finder::{About, Finder};
use super::{MOST_TRIALS, current, lacks_slices, node_of};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::identity::SliceAt;
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
pub fn check<'f>(cluster: &'f Cluster<'f>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    // Without any class, that is reported once for the whole cluster.
    if facts.classes.is_empty() {
        return;
    }
    let mut requests = Requests {
        cluster,
        seen: Seen::of(cluster),
        empty: EmptyCluster::of(cluster),
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

/// What nodes see.
struct Seen<'f> {
    /// All devices that some node can use, each once.
    devices: Vec<DeviceAt>,
    /// Devices that are seen together: those of a slice, or those of its devices that select a node themselves.
    groups: Vec<Vec<DeviceAt>>,
    /// For each node; where none is given, for each that slices name.
    nodes: Vec<OnNode<'f>>,
    /// A slice is given that cannot be read: what it has is not known.
    is_part: bool,
}

/// What a node sees.
#[derive(Default)]
struct OnNode<'f> {
    /// Indexes of its groups of devices.
    groups: Vec<usize>,
    /// The drivers whose pools lack slices here, or cannot be used as they are.
    unsure: BTreeSet<&'f str>,
    /// The scheduler gets an error about its slices.
    fails: bool,
}

impl<'f> Seen<'f> {
    fn of(cluster: &Cluster<'f>) -> Self {
        let facts = cluster.facts;
        let mut seen = Seen {
            devices: Vec::new(),
            groups: Vec::new(),
            nodes: Vec::new(),
            is_part: facts
                .unusable
                .iter()
                .any(|name| name.kind == "ResourceSlice"),
        };
        match facts.nodes.is_empty() {
            true => seen.by_named_nodes(cluster),
            false => seen.by_nodes(cluster),
        }
        let groups = seen.groups.iter().flatten();
        let mut devices: Vec<DeviceAt> = groups.copied().collect();
        order::sort_by_key(&mut devices, |at| cluster.flat(*at));
        devices.dedup_by_key(|at| cluster.flat(*at));
        seen.devices = devices;
        seen
    }

    /// Gathers the pools of each node as the allocator does.
    fn by_nodes(&mut self, cluster: &Cluster<'f>) {
        let gatherer = Gatherer::new(cluster);
        let mut known: BTreeMap<SliceAt, usize> = BTreeMap::new();
        for node in 0..cluster.facts.nodes.len() {
            let mut on_node = OnNode::default();
            match gatherer.gather_near(node) {
                Err(_) => on_node.fails = true,
                Ok(gathered) => {
                    for pool in &gathered.pools {
                        if !pool.is_sound() {
                            on_node.unsure.insert(pool.driver);
                        }
                        let slices = pool.devices.iter();
                        on_node.groups.extend(
                            slices.map(|slice| self.group_of(cluster, *slice, node, &mut known)),
                        );
                    }
                }
            }
            self.nodes.push(on_node);
        }
    }

    /// Returns the group of the devices of a slice that a node sees. `known`: the groups of whole slices.
    fn group_of(
        &mut self,
        cluster: &Cluster<'_>,
        slice: SliceAt,
        node: usize,
        known: &mut BTreeMap<SliceAt, usize>,
    ) -> usize {
        let spec = cluster.slice(slice).map(|slice| &slice.spec);
        let is_whole = spec.is_none_or(|spec| spec.per_device_node_selection != Some(true));
        if is_whole && let Some(group) = known.get(&slice) {
            return *group;
        }
        let devices = cluster.devices_of(slice).map(|(at, _)| at);
        let here = devices.filter(|at| is_whole || is_on_node(cluster, *at, node));
        let group = self.groups.len();
        self.groups.push(here.collect());
        if is_whole {
            known.insert(slice, group);
        }
        group
    }

    /// Takes the nodes that slices name, where no Node is given. Devices of no named node may be on each.
    fn by_named_nodes(&mut self, cluster: &Cluster<'f>) {
        let mut named: BTreeMap<&str, Vec<DeviceAt>> = BTreeMap::new();
        let mut shared = Vec::new();
        for at in current(cluster) {
            let device = cluster.device(at);
            match device.and_then(|(slice, device)| node_of(slice, device)) {
                Some(name) => named.entry(name).or_default().push(at),
                None => shared.push(at),
            }
        }
        let pools = cluster.all_pools();
        let incomplete = pools.filter(|(.., slices)| lacks_slices(cluster, slices));
        let unsure = order::set(incomplete.map(|(driver, ..)| driver));
        self.groups = vec![shared];
        self.groups.extend(named.into_values());
        let others = 1..self.groups.len().max(2);
        self.nodes.extend(others.map(|group| OnNode {
            groups: vec![0, group],
            unsure: unsure.clone(),
            fails: false,
        }));
    }

    /// Returns true if slices of a class are missing or unusable, so that more devices may come. `offered`: devices of the class; where
    /// there are none, those of any driver may be.
    fn may_grow(&self, cluster: &Cluster<'_>, offered: &[DeviceAt]) -> bool {
        let drivers = drivers_of(cluster, offered);
        let is_unsure = |node: &OnNode<'_>| {
            let mut unsure = node.unsure.iter();
            node.fails || unsure.any(|driver| drivers.is_empty() || drivers.contains(driver))
        };
        self.is_part || self.nodes.iter().any(is_unsure)
    }

    /// Returns the most of these devices that a node sees.
    fn most_on_a_node(&self, cluster: &Cluster<'_>, devices: &[DeviceAt]) -> usize {
        let selected = order::set(devices.iter().map(|at| cluster.flat(*at)));
        let groups = self.groups.iter();
        let counts: Vec<usize> = groups
            .map(|group| {
                group
                    .iter()
                    .filter(|at| selected.contains(&cluster.flat(**at)))
                    .count()
            })
            .collect();
        let on_nodes = self.nodes.iter().map(|node| {
            let here = node.groups.iter().filter_map(|group| counts.get(*group));
            here.sum::<usize>()
        });
        on_nodes.max().unwrap_or(0)
    }
}

/// Returns true if a device, which selects nodes itself, selects a node.
fn is_on_node(cluster: &Cluster<'_>, at: DeviceAt, node: usize) -> bool {
    cluster.slice(at.slice).is_some_and(|slice| {
        let here = device_on_node(cluster, slice, at.index, node, &cluster.judgements);
        here.unwrap_or(false)
    })
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
    empty: EmptyCluster<'f>,
    /// What there is for requests that were compared before; `None`: a selector of the class fails.
    known: BTreeMap<Question<'f>, Option<Offer<'f>>>,
    /// The number of trials so far.
    trials: usize,
}

/// What there is for a request.
struct Offer<'f> {
    tried: Tried<'f>,
    /// The number of devices of the class.
    devices: usize,
    /// More devices may come, or be seen once they can be read.
    may_grow: bool,
    /// The most of the selected devices that a node sees; `None`: some can be given to several claims.
    most: Option<usize>,
}

impl Offer<'_> {
    /// Returns true if no node can meet a request. That a class selects nothing is a finding about the class.
    fn is_hopeless(&self, ask: &Ask) -> bool {
        self.devices == 0 && !self.may_grow || self.problem(ask).is_some()
    }

    /// Returns what about a request no node can meet.
    fn problem(&self, ask: &Ask) -> Option<Problem> {
        // What a selector that fails would have selected is not known.
        if self.tried.failed.is_some() || self.may_grow || self.devices == 0 {
            return None;
        }
        if self.tried.selected.is_empty() {
            return Some(Problem::SelectsNone);
        }
        let most = self.most.filter(|most| asks_for_more(ask, *most))?;
        Some(Problem::TooMany { most })
    }
}

/// What about a request no node can meet.
#[derive(Clone, Copy)]
enum Problem {
    /// Its class selects devices, and its own selectors none of them.
    SelectsNone,
    /// No node has as many devices of the kind.
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
        if self.may_fit(spec)
            && let Some(misfit) = self.empty.misfit(spec)
        {
            let about =
                About::object(asker.kind(), metadata).at(path.join(&field_path!["devices"]));
            let message = misfit.message(&asker.named(metadata));
            finder.tell(asker.code(), about, message, None);
        }
    }

    /// Returns true if all devices for the requests of a claim are known, and each request alone may be met.
    fn may_fit(&self, spec: &'f ClaimSpec) -> bool {
        // The driver's own controller allocates claims of the classic form.
        spec.controller.is_empty()
            && spec
                .devices
                .requests
                .iter()
                .all(|request| self.may_be_met(request))
    }

    /// Returns true if all devices for the request and its alternatives are known, and one of them may be met.
    fn may_be_met(&self, request: &'f ClaimRequest) -> bool {
        let mut is_one_met = false;
        for ask in request.exactly.iter().chain(&request.first_available) {
            let Some(offer) = self.offer(ask) else {
                return false;
            };
            if offer.may_grow || offer.tried.failed.is_some() {
                return false;
            }
            is_one_met |= !offer.is_hopeless(ask);
        }
        is_one_met
    }

    /// Returns true if nothing can meet what is asked for.
    fn is_hopeless(&self, ask: &'f Ask) -> bool {
        let offer = self.offer(ask);
        !self.is_there(ask) || offer.is_some_and(|offer| offer.is_hopeless(ask))
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
        if !asks.iter().all(|(ask, _)| self.is_hopeless(ask)) {
            return;
        }
        for (ask, path) in &asks {
            let Some(offer) = self.offer(ask) else {
                continue;
            };
            let (field, help) = match offer.problem(ask) {
                None => continue,
                Some(Problem::SelectsNone) => ("selectors", Some(compare_selectors())),
                Some(Problem::TooMany { .. }) => ("count", None),
            };
            let about = About::object(asker.kind(), metadata).at(path.join(&field_path![field]));
            if let Some(message) = never(&asker.named(metadata), &request.name, ask, offer) {
                finder.tell(asker.code(), about, message, help);
            }
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
        let offer = of_class.failed.is_none().then(|| {
            let tried = try_all(self.cluster, &ask.selectors, &of_class.selected);
            let mut selected = tried.selected.iter();
            let is_shared = selected.any(|at| self.cluster.is_shared(*at));
            let most = || self.seen.most_on_a_node(self.cluster, &tried.selected);
            Offer {
                devices: of_class.selected.len(),
                may_grow: self.seen.may_grow(self.cluster, &of_class.selected),
                most: (!is_shared).then(most),
                tried,
            }
        });
        self.known.insert(question, offer);
    }

    /// Returns what there is for a request; `None`: it was not tried.
    fn offer(&self, ask: &'f Ask) -> Option<&Offer<'f>> {
        self.known.get(&question(ask))?.as_ref()
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

/// Returns the help for selectors that select nothing.
fn compare_selectors() -> Message {
    message!(
        "audit.request-selects-nothing-help",
        "compare the selectors with the attributes that slices publish: `claimkit cel EXPRESSION --device SLICE` shows why a device is not selected"
    )
}

/// Says why no node can meet a request; `None`: one may.
fn never(asker: &str, request: &str, ask: &Ask, offer: &Offer<'_>) -> Option<Message> {
    let class = ask.device_class_name.as_str();
    let message = match offer.problem(ask)? {
        Problem::SelectsNone if offer.devices == 1 => message!(
            "audit.request-selects-nothing-of-one",
            "request {request} of {asker} does not select the only device of class {class}",
            request,
            asker,
            class,
        ),
        Problem::SelectsNone => message!(
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
    };
    Some(message)
}

/// Returns true if a request asks for more than this many devices. Until 1.33 a request with admin access gets a device twice.
fn asks_for_more(ask: &Ask, most: usize) -> bool {
    let is_exact = matches!(ask.allocation_mode.as_str(), "" | "ExactCount");
    let is_admin = ask.admin_access == Some(true);
    is_exact && !is_admin && usize::try_from(ask.count).is_ok_and(|count| count > most)
}
