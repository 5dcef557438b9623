//! The account of a node in one line.

use super::account::{Charge, NodeAccount, RequestAccount};
use super::kinds::NodeVerdict;
use super::taken::ResourceAccount;
use super::words;
use crate::allocator::plugin::PodCase;
use claimkit_model::message::{self, Message, Words, message};

/// Writes one line: the message, and the first request that cannot be met, or the conflict.
pub fn of(told: &NodeAccount, lacking: Option<&RequestAccount>) -> Message {
    words::of_node(&told.name, about(told, lacking))
}

fn about(told: &NodeAccount, lacking: Option<&RequestAccount>) -> Words {
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
            return message!("account.nothing-to-allocate", "nothing to allocate").into();
        }
        let mut parts = vec![Words::upstream(devices.join(", "))];
        parts.extend(told.charges.iter().map(charge).map(Words::from));
        let taken: Vec<Message> = told.resources.iter().flat_map(taken).collect();
        if !taken.is_empty() {
            let of_node = message!(
                "account.taken-of-node",
                "of the node {amounts}",
                amounts = message::parts(taken)
            );
            parts.push(of_node.into());
        }
        return message::sentences(parts);
    }
    let message = told.message.clone().unwrap_or_default();
    let mut parts = vec![Words::upstream(message)];
    let short = told
        .resources
        .iter()
        .filter(|resource| resource.short)
        .map(|resource| resource.text.clone());
    let help = told
        .help
        .clone()
        .filter(|_| told.verdict == NodeVerdict::Unavailable);
    parts.extend(short.chain(help).map(Words::from));
    if parts.len() > 1 {
        return message::sentences(parts);
    }
    let why = told
        .conflicts
        .first()
        .map(|conflict| conflict.text.clone())
        .or_else(|| Some(request(lacking?)))
        .or_else(|| {
            let none = told.verdict == NodeVerdict::None;
            none.then(|| {
                message!(
                    "account.each-alone-not-all",
                    "each request has enough devices alone, and no choice of them meets all"
                )
            })
        });
    parts.extend(why.into_iter().chain(told.help.clone()).map(Words::from));
    message::sentences(parts)
}

fn request(account: &RequestAccount) -> Message {
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
fn taken(account: &ResourceAccount) -> impl Iterator<Item = Message> {
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

fn charge(charge: &Charge) -> Message {
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
pub fn nothing_to_allocate(case: &PodCase<'_>) -> Message {
    let mut parts: Vec<Message> = Vec::new();
    for claim in &case.allocated {
        let devices: Vec<&str> = claim
            .allocated_devices()
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
    if parts.is_empty() {
        message!("account.no-devices-needed", "no devices needed")
    } else {
        message::sentences(parts)
    }
}
