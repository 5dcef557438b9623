//! What device classes select, and selectors with texts that can never be parsed.

use super::finder::{About, Finder};
use super::{MOST_TRIALS, current};
use crate::cel_lints::unparsable::{Unparsable, unparsable};
use claimkit_model::cel::Environment;
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::Nearest;
use claimkit_model::nearest::did_you_mean;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::extended::class_of;
use claimkit_scheduler::allocator::objects::{
    Ask, Claim, ClaimRequest, ClaimSpec, Class, Facts, Meta, ObjectName, Selector,
};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::selectors::Cell;
use claimkit_scheduler::explain::words;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of classes that a message names.
const MOST_CLASSES: usize = 5;

/// For each class, in the order of the facts, the devices that it selects; `None`: it was not tried.
pub type Selected = Vec<Option<Vec<DeviceAt>>>;

/// Tries every class on every device, and reads the texts in selectors. Returns what the classes select.
pub fn check(
    cluster: &Cluster<'_>,
    environment: &Arc<Environment>,
    finder: &mut Finder<'_, '_>,
) -> Selected {
    let facts = cluster.facts;
    let mut texts = Texts {
        environment,
        known: BTreeSet::new(),
    };
    for class in &facts.classes {
        texts.check(
            &class.spec.selectors,
            "DeviceClass",
            &class.metadata,
            &field_path!["spec"],
            finder,
        );
    }
    for template in &facts.templates {
        texts.check_claim(
            &template.spec.spec,
            "ResourceClaimTemplate",
            &template.metadata,
            &field_path!["spec", "spec"],
            finder,
        );
    }
    for claim in &facts.claims {
        texts.check_claim(
            &claim.spec,
            "ResourceClaim",
            &claim.metadata,
            &field_path!["spec"],
            finder,
        );
    }
    let names = order::set(
        facts
            .classes
            .iter()
            .map(|class| class.metadata.name.as_str()),
    );
    // Without any class, that is reported once for the whole cluster.
    for claim in facts
        .claims
        .iter()
        .filter(|claim| claim.status.allocation.is_none() && !names.is_empty())
    {
        absent(&names, &facts.unusable, claim, finder);
    }
    let devices = current(cluster);
    let mut trials = 0usize;
    let selected = facts.classes.iter().map(|class| {
        trials = trials.saturating_add(
            devices
                .len()
                .saturating_mul(class.spec.selectors.len().max(1)),
        );
        if trials > MOST_TRIALS {
            let message = message!(
                "audit.class-untried",
                "class {class} was not tried on the devices: {most} trials are the most",
                class = class.metadata.name,
                most = MOST_TRIALS,
            );
            finder.tell(Code::PlacementNotModelled, about(class), message, None);
            return None;
        }
        Some(select(cluster, class, &devices, finder))
    });
    selected.collect()
}

/// Reports the classes that a pending claim asks for and that are not there.
fn absent(
    names: &BTreeSet<&str>,
    unusable: &BTreeSet<ObjectName>,
    claim: &Claim,
    finder: &mut Finder<'_, '_>,
) {
    for (ask, path) in asks(&claim.spec, &field_path!["spec"]) {
        let class = ask.device_class_name.as_str();
        // A class that cannot be read has its own error.
        let is_unusable = unusable.contains(&ObjectName::new("DeviceClass", "", class));
        if class.is_empty() || names.contains(class) || is_unusable {
            continue;
        }
        let mut nearest = Nearest::to(class);
        names.iter().for_each(|name| nearest.consider(name));
        let help = nearest.found().map(did_you_mean);
        let message = message!(
            "audit.claim-waits-for-class",
            "claim {claim} waits: there is no DeviceClass `{class}`",
            claim = claim.metadata.full_name(),
            class,
        );
        let about = About::object("ResourceClaim", &claim.metadata)
            .at(path.join(&field_path!["deviceClassName"]));
        finder.tell(Code::ClassNotInInput, about, message, help);
    }
}

/// Returns the requests of a claim that name a class, each with its path.
pub fn asks<'f>(spec: &'f ClaimSpec, path: &FieldPath) -> Vec<(&'f Ask, FieldPath)> {
    let mut found = Vec::new();
    for (at, request) in spec.devices.requests.iter().enumerate() {
        let path = path.join(&field_path!["devices", "requests", at]);
        found.append(&mut asks_of(request, &path));
    }
    found
}

/// Returns what a request asks for, or its alternatives, each with its path.
pub fn asks_of<'f>(request: &'f ClaimRequest, path: &FieldPath) -> Vec<(&'f Ask, FieldPath)> {
    let exactly = request
        .exactly
        .iter()
        .map(|ask| (ask, path.join(&field_path!["exactly"])));
    let subs = request
        .first_available
        .iter()
        .enumerate()
        .map(|(index, ask)| (ask, path.join(&field_path!["firstAvailable", index])));
    exactly.chain(subs).collect()
}

/// Reports extended resources of several classes: all but one serve nobody.
pub fn share_names(facts: &Facts, rules: &PluginRules, finder: &mut Finder<'_, '_>) {
    let mut by_name: BTreeMap<&str, Vec<&Class>> = BTreeMap::new();
    for class in &facts.classes {
        if let Some(resource) = class.spec.extended_resource_name.as_deref() {
            by_name.entry(resource).or_default().push(class);
        }
    }
    for (resource, classes) in by_name {
        let [_, .., last] = classes.as_slice() else {
            continue;
        };
        let names: Vec<&str> = classes
            .iter()
            .map(|class| class.metadata.name.as_str())
            .collect();
        let names = words::some(&names, MOST_CLASSES);
        let serving = class_of(&facts.classes, rules, resource);
        let message = match serving.filter(|_| !rules.last_class_serves) {
            Some(serving) => message!(
                "audit.extended-resource-of-several",
                "extended resource {resource} is of several classes: {classes}; pods that ask for it get devices of {serving}",
                resource,
                classes = names,
                serving = serving.metadata.name,
            ),
            None => message!(
                "audit.extended-resource-of-any",
                "extended resource {resource} is of several classes: {classes}; which of them serves pods is random",
                resource,
                classes = names,
            ),
        };
        let about = about(last).at(field_path!["spec", "extendedResourceName"]);
        finder.tell(Code::ExtendedResourceOfSeveral, about, message, None);
    }
}

fn about(class: &Class) -> About<'_> {
    About::object("DeviceClass", &class.metadata)
}

/// Returns the help for an expression that does not compile.
pub fn correct_expression() -> Message {
    message!(
        "audit.selector-compile-help",
        "correct the expression: no pod that needs it is scheduled"
    )
}

/// What became of selectors on devices.
pub struct Tried<'f> {
    /// The devices that all selectors select.
    pub selected: Vec<DeviceAt>,
    pub failed: Option<Failure<'f>>,
    /// The number of devices on which a selector fails.
    pub failures: usize,
}

/// The first selector that fails on a device.
pub struct Failure<'f> {
    /// Its index.
    pub index: usize,
    pub selector: &'f Selector,
    pub at: DeviceAt,
}

/// Tries selectors on devices.
pub fn try_all<'f>(
    cluster: &Cluster<'_>,
    selectors: &'f [Selector],
    devices: &[DeviceAt],
) -> Tried<'f> {
    let mut tried = Tried {
        selected: Vec::new(),
        failed: None,
        failures: 0,
    };
    for at in devices {
        let mut all = selectors.iter().enumerate();
        let refusing = all.find(|(_, selector)| cluster.ask(selector, *at) != Some(Cell::Yes));
        let Some((index, selector)) = refusing else {
            tried.selected.push(*at);
            continue;
        };
        if let Some(Cell::CompileError | Cell::RuntimeError) = cluster.ask(selector, *at) {
            tried.failures = tried.failures.saturating_add(1);
            tried.failed.get_or_insert(Failure {
                index,
                selector,
                at: *at,
            });
        }
    }
    tried
}

fn select(
    cluster: &Cluster<'_>,
    class: &Class,
    devices: &[DeviceAt],
    finder: &mut Finder<'_, '_>,
) -> Vec<DeviceAt> {
    let Tried {
        selected,
        failed,
        failures,
    } = try_all(cluster, &class.spec.selectors, devices);
    let name = &class.metadata.name;
    if let Some(Failure {
        index,
        selector,
        at,
    }) = failed
    {
        let message = message!(
            "audit.class-selector-fails",
            "the selector of class {class} fails on {failures} of {devices} devices, first on {first}: {error}",
            class = name,
            failures,
            devices = devices.len(),
            first = cluster.device_name(at),
            error = cluster.selector_error(selector, at),
        );
        let help = match cluster.ask(selector, at) {
            Some(Cell::CompileError) => correct_expression(),
            _ => message!(
                "audit.class-selector-fails-help",
                "once such a device is asked about, a pod that needs the class is scheduled nowhere: select by `device.driver` first, and test attributes with `has(…)`"
            ),
        };
        let about = about(class).at(field_path!["spec", "selectors", index, "cel", "expression"]);
        finder.tell(Code::SelectorFails, about, message, Some(help));
    } else if selected.is_empty() && !devices.is_empty() {
        let message = if devices.len() == 1 {
            message!(
                "audit.class-selects-nothing-of-one",
                "class {class} does not select the only device",
                class = name,
            )
        } else {
            message!(
                "audit.class-selects-nothing",
                "class {class} selects none of the {devices} devices",
                class = name,
                devices = devices.len(),
            )
        };
        finder.tell(
            Code::ClassSelectsNothing,
            about(class).at(field_path!["spec", "selectors"]),
            message,
            None,
        );
    }
    selected
}

/// Reads the texts in selectors, each expression once.
struct Texts<'e, 'f> {
    environment: &'e Arc<Environment>,
    known: BTreeSet<&'f str>,
}

impl<'f> Texts<'_, 'f> {
    fn check_claim(
        &mut self,
        spec: &'f ClaimSpec,
        kind: &'static str,
        metadata: &Meta,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        for (ask, path) in asks(spec, path) {
            self.check(&ask.selectors, kind, metadata, &path, finder);
        }
    }

    fn check(
        &mut self,
        selectors: &'f [Selector],
        kind: &'static str,
        metadata: &Meta,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        for (index, selector) in selectors.iter().enumerate() {
            let Some(cel) = selector
                .cel
                .as_ref()
                .filter(|cel| self.known.insert(&cel.expression))
            else {
                continue;
            };
            let Ok(program) = self.environment.compile(&cel.expression) else {
                continue;
            };
            for Unparsable { message, help, .. } in unparsable(&program, self.environment) {
                let about = About::object(kind, metadata).at(path.join(&field_path![
                    "selectors",
                    index,
                    "cel",
                    "expression"
                ]));
                finder.tell(Code::SelectorUnparsable, about, message, Some(help));
            }
        }
    }
}
