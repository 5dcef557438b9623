//! The account of a node in one line.

use super::account::{Charge, NodeAccount, RequestAccount};
use super::kinds::NodeVerdict;
use super::taken::ResourceAccount;
use super::words;
use crate::allocator::plugin::PodCase;
use crate::allocator::usage::results_of;
use claimkit_model::message::{self, message};

/// Writes one line: the message, and the first request that cannot be met, or the conflict.
pub fn of(told: &NodeAccount, lacking: Option<&RequestAccount>) -> String {
    words::of_node(&told.name, about(told, lacking))
}

fn about(told: &NodeAccount, lacking: Option<&RequestAccount>) -> String {
    if told.verdict == NodeVerdict::Allocated {
        let results = told
            .allocations
            .iter()
            .flatten()
            .flat_map(|result| &result.devices.results);
        let devices: Vec<String> = results
            .map(|result| format!("{} = {}", result.request, result.device))
            .collect();
        if devices.is_empty() {
            return message!("account.nothing-to-allocate", "nothing to allocate").into_owned();
        }
        let mut parts = vec![devices.join(", ")];
        parts.extend(told.charges.iter().map(charge));
        let taken: Vec<String> = told.resources.iter().flat_map(taken).collect();
        if !taken.is_empty() {
            parts.push(message!(
                "account.taken-of-node",
                "of the node {amounts}",
                amounts = message::parts(taken)
            ));
        }
        return message::sentences(parts);
    }
    let mut parts = vec![told.message.clone().unwrap_or_default()];
    let short = told
        .resources
        .iter()
        .filter(|resource| resource.short)
        .map(|resource| resource.text.clone());
    parts.extend(
        short.chain(
            told.help
                .clone()
                .filter(|_| told.verdict == NodeVerdict::Unavailable),
        ),
    );
    if parts.len() > 1 {
        return message::sentences(parts);
    }
    let why = told
        .conflicts
        .first()
        .map(|conflict| conflict.text.clone())
        .or_else(|| Some(request(lacking?)));
    parts.extend(why.or_else(|| {
        let none = told.verdict == NodeVerdict::None;
        none.then(|| {
            message!(
                "account.each-alone-not-all",
                "each request has enough devices alone, and no choice of them meets all"
            )
            .into_owned()
        })
    }));
    parts.extend(told.help.clone());
    message::sentences(parts)
}

fn request(account: &RequestAccount) -> String {
    let request = match &account.sub {
        Some(sub) => format!("{}/{sub}", account.request),
        None => account.request.clone(),
    };
    let why = Some(account.why.clone()).filter(|why| !why.is_empty());
    let told = message::sentences(std::iter::once(account.text.clone()).chain(why));
    message!(
        "account.request",
        "request {request}: {told}",
        request,
        told
    )
}

/// Returns the amounts of a resource that devices consume.
fn taken(account: &ResourceAccount) -> impl Iterator<Item = String> {
    let resource = &account.resource;
    account.devices.iter().map(move |device| {
        message!(
            "account.amount-of-resource",
            "{amount} of {resource}",
            amount = device.takes,
            resource
        )
    })
}

fn charge(charge: &Charge) -> String {
    let Charge {
        name,
        asked,
        charged,
        left,
        ..
    } = charge;
    match asked {
        Some(asked) => message!(
            "account.charge-asked-for",
            "{asked} of {name} charged as {charged}, {left} left",
            asked,
            name,
            charged,
            left
        ),
        None => message!(
            "account.charge",
            "{name} charged as {charged}, {left} left",
            name,
            charged,
            left
        ),
    }
}

/// Returns why a pod gets no devices where it fits.
pub fn nothing_to_allocate(case: &PodCase<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for claim in &case.allocated {
        let devices: Vec<&str> = results_of(claim)
            .iter()
            .map(|result| result.device.as_str())
            .collect();
        let claim = claim.metadata.full_name();
        parts.push(match devices.as_slice() {
            [] => message!(
                "account.allocated-already-none",
                "{claim} is allocated already: no devices",
                claim
            ),
            devices => message!(
                "account.allocated-already",
                "{claim} is allocated already: {devices}",
                claim,
                devices = devices.join(", ")
            ),
        });
    }
    if let Some(extended) = &case.extended {
        let names: Vec<&str> = extended.classes.keys().copied().collect();
        parts.push(message!(
            "account.from-device-plugin",
            "{resources} from the node's device plugin",
            resources = names.join(", ")
        ));
    }
    match parts.is_empty() {
        true => message!("account.no-devices-needed", "no devices needed").into_owned(),
        false => message::sentences(parts),
    }
}
