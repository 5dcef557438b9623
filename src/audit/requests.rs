//! Templates and waiting claims that ask for what no node has.

use super::MOST_TRIALS;
use super::classes::{Failure, Selected, Tried, asks_of, try_all};
use super::finder::{About, Finder};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::objects::{Ask, ClaimRequest, ClaimSpec, Meta};
use claimkit_values::order;
use std::collections::BTreeMap;

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

/// Reports requests of templates and of waiting claims that nothing can meet. `selected`: what each class selects.
pub fn check(cluster: &Cluster<'_>, selected: &Selected, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let classes = facts.classes.iter().zip(selected);
    let mut requests = Requests {
        cluster,
        classes: order::map(
            classes.map(|(class, devices)| (class.metadata.name.as_str(), devices.as_deref())),
        ),
        known: BTreeMap::new(),
        trials: 0,
    };
    // Without any class, that is reported once for the whole cluster.
    if requests.classes.is_empty() {
        return;
    }
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

/// A class, and the expressions of selectors beside it.
type Question<'f> = (&'f str, Vec<Option<&'f str>>);

/// Compares requests with the devices of their classes.
struct Requests<'c, 'f> {
    cluster: &'c Cluster<'f>,
    /// The devices of each class; `None`: it was not tried.
    classes: BTreeMap<&'f str, Option<&'c [DeviceAt]>>,
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
    /// The most of them that a node can see; `None`: that is not known.
    most: Option<usize>,
}

impl Offer<'_> {
    /// Returns why no node can meet a request.
    fn problem(&self, ask: &Ask) -> Option<Problem> {
        // What a selector that fails would have selected is not known.
        if self.tried.failed.is_some() || self.devices == 0 {
            return None;
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
            self.try_selectors(ask);
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
                Problem::SelectsNone => "selectors",
                Problem::TooMany { .. } => "count",
            };
            let message = never(&asker.named(metadata), &request.name, ask, problem, offer);
            let about = About::object(asker.kind(), metadata).at(path.join(&field_path![field]));
            finder.tell(asker.code(), about, message, None);
        }
    }

    /// Returns false if a request names a class that is not there.
    fn is_there(&self, ask: &Ask) -> bool {
        let class = ask.device_class_name.as_str();
        class.is_empty() || self.classes.contains_key(class)
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
        self.classes
            .keys()
            .for_each(|known| nearest.consider(known));
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
    fn try_selectors(&mut self, ask: &'f Ask) {
        let class = ask.device_class_name.as_str();
        let Some(Some(devices)) = self.classes.get(class).copied() else {
            return;
        };
        let question = question(ask);
        let trials = devices.len().saturating_mul(ask.selectors.len());
        let trials = self.trials.saturating_add(trials);
        if self.known.contains_key(&question) || trials > MOST_TRIALS {
            return;
        }
        self.trials = trials;
        let tried = try_all(self.cluster, &ask.selectors, devices);
        let most = most_on_a_node(self.cluster, &tried.selected);
        let offer = Offer {
            tried,
            devices: devices.len(),
            most,
        };
        self.known.insert(question, offer);
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
    let help = message!(
        "audit.request-selector-fails-help",
        "nodes where such a device is asked about are not used: test attributes with `has(…)`"
    );
    let place = field_path!["selectors", *index, "cel", "expression"];
    let about = About::object(asker.kind(), metadata).at(path.join(&place));
    finder.tell(Code::SelectorFails, about, message, Some(help));
}

/// Says why no node can meet a request.
fn never(asker: &str, request: &str, ask: &Ask, problem: Problem, offer: &Offer<'_>) -> Message {
    let class = ask.device_class_name.as_str();
    match problem {
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
            "{asker} asks for {count} devices of class {class}, and no node has more than {most}",
            asker,
            count = ask.count,
            class,
            most,
        ),
        Problem::TooMany { most } => message!(
            "audit.selects-too-few",
            "{asker} asks for {count} devices of class {class}, and its selectors select no more than {most} on any node",
            asker,
            count = ask.count,
            class,
            most,
        ),
    }
}

/// Returns true if a request asks for more than this many devices.
fn asks_for_more(ask: &Ask, most: usize) -> bool {
    let is_exact = matches!(ask.allocation_mode.as_str(), "" | "ExactCount");
    is_exact && usize::try_from(ask.count).is_ok_and(|count| count > most)
}

/// Returns how many of the devices a single node can see; `None`: a device can be given to several claims, or there are none.
fn most_on_a_node(cluster: &Cluster<'_>, devices: &[DeviceAt]) -> Option<usize> {
    let mut local: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shared = 0usize;
    for at in devices {
        let (slice, device) = cluster.device(*at)?;
        if device.allow_multiple_allocations == Some(true) {
            return None;
        }
        match slice.spec.node_name.as_deref() {
            Some(node) if !node.is_empty() => {
                let count = local.entry(node).or_default();
                *count = count.saturating_add(1);
            }
            _ => shared = shared.saturating_add(1),
        }
    }
    let most = local.values().max().copied().unwrap_or(0);
    (!devices.is_empty()).then(|| most.saturating_add(shared))
}
