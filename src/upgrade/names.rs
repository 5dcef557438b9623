//! Names of attributes and capacities with the driver's own domain, which from 1.38 on are the same as those without.

use super::{TroubleFound, UpgradeQuestion, devices};
use claimkit_model::finding::Code;
use claimkit_model::message::message;
use claimkit_scheduler::allocator::objects::{
    Ask, Claim, ClaimSpec, Device, Facts, Slice, Template,
};
use std::collections::BTreeSet;

/// The first minor release in which a name and its form with the driver's own domain are one (dynamic-resource-allocation,
/// `api/conversion.go`; `consumable_capacity.go`).
const ONE_SINCE: u8 = 38;

/// Finds the names that become one, if the upgrade does so.
pub fn check(question: &UpgradeQuestion<'_, '_>, moved: &str, found: &mut Vec<TroubleFound>) {
    let (from, to) = (question.from.release(), question.to.release());
    if from.minor >= ONE_SINCE || to.minor < ONE_SINCE {
        return;
    }
    let facts = devices::facts(question, moved, &question.to);
    published_twice(question, &facts, found);
    asked_twice(question, &facts, found);
}

/// Reports devices that publish a name both ways: the one with the domain counts.
fn published_twice(
    question: &UpgradeQuestion<'_, '_>,
    facts: &Facts,
    found: &mut Vec<TroubleFound>,
) {
    let mut objects = BTreeSet::new();
    let mut first = None;
    let mut count = 0usize;
    for slice in &facts.slices {
        for device in &slice.spec.devices {
            let Some(name) = name_published_twice(slice, device) else {
                continue;
            };
            count = count.saturating_add(1);
            objects.extend(
                question
                    .index
                    .find("ResourceSlice", "", &slice.metadata.name),
            );
            first.get_or_insert((slice, device, name));
        }
    }
    let Some((slice, device, name)) = first else {
        return;
    };
    let driver = &slice.spec.driver;
    let message = message!(
        "upgrade.name-published-twice",
        "Kubernetes {to} takes a name with and without the driver's domain for one in {count} of the devices, and the one with the domain counts; first in {device} of {driver}: `{name}` and `{driver}/{name}`",
        to = question.to.release(),
        count,
        device = device.name,
        driver,
        name,
    );
    let help = message!(
        "upgrade.name-published-twice-help",
        "publish each name once in the configuration of the driver"
    );
    let mut one = TroubleFound::of(Code::UpgradeName, objects, message, help);
    one.count = count;
    found.push(one);
}

/// Returns the first name that a device publishes both ways.
fn name_published_twice<'f>(slice: &'f Slice, device: &'f Device) -> Option<&'f str> {
    let driver = &slice.spec.driver;
    let mut attributes = device
        .attributes
        .keys()
        .filter_map(|name| bare_name(driver, name));
    let mut capacities = device
        .capacity
        .keys()
        .filter_map(|name| bare_name(driver, name));
    attributes
        .find(|name| device.attributes.contains_key(*name))
        .or_else(|| capacities.find(|name| device.capacity.contains_key(*name)))
}

/// Returns the name after the driver's domain; `None`: it has another domain, or none.
fn bare_name<'n>(driver: &str, name: &'n str) -> Option<&'n str> {
    let (domain, bare) = name.split_once('/')?;
    (domain == driver).then_some(bare)
}

/// Reports requests that ask for a capacity both ways: their placement fails.
fn asked_twice(question: &UpgradeQuestion<'_, '_>, facts: &Facts, found: &mut Vec<TroubleFound>) {
    let drivers: BTreeSet<&str> = facts
        .slices
        .iter()
        .map(|slice| slice.spec.driver.as_str())
        .collect();
    let mut objects = BTreeSet::new();
    let mut first: Option<&str> = None;
    let claims = facts.claims.iter().map(|claim| {
        let Claim { metadata, spec, .. } = &**claim;
        ("ResourceClaim", metadata, spec)
    });
    let templates = facts.templates.iter().map(|template| {
        let Template { metadata, spec, .. } = &**template;
        ("ResourceClaimTemplate", metadata, &spec.spec)
    });
    for (kind, metadata, spec) in claims.chain(templates) {
        let twice = asks(spec).find_map(|ask| name_asked_twice(ask, &drivers));
        if let Some(name) = twice {
            first.get_or_insert(name);
            objects.extend(
                question
                    .index
                    .find(kind, &metadata.namespace, &metadata.name),
            );
        }
    }
    let Some(name) = first else { return };
    let list: Vec<usize> = objects.iter().copied().collect();
    let message = message!(
        "upgrade.name-asked-twice",
        "Kubernetes {to} takes a capacity with and without the driver's domain for one in {count} of the objects, and places no pod with them; first in {names}: `{name}`",
        to = question.to.release(),
        count = list.len(),
        names = question.names(&list),
        name,
    );
    let help = message!(
        "upgrade.name-asked-twice-help",
        "ask for each capacity once"
    );
    found.push(TroubleFound::of(Code::UpgradeName, objects, message, help));
}

fn asks(spec: &ClaimSpec) -> impl Iterator<Item = &Ask> {
    let requests = spec.devices.requests.iter();
    requests.flat_map(|request| request.exactly.iter().chain(&request.first_available))
}

/// Returns the first capacity that a request asks for both ways.
fn name_asked_twice<'f>(ask: &'f Ask, drivers: &BTreeSet<&str>) -> Option<&'f str> {
    let requests = &ask.capacity.as_ref()?.requests;
    requests.keys().find_map(|name| {
        let (domain, bare) = name.split_once('/')?;
        (drivers.contains(domain) && requests.contains_key(bare)).then_some(bare)
    })
}
