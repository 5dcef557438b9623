//! Checks the decisive reasons of accounts on recorded inputs: allocates a request that lacks devices alone, removes a conflict,
//! and applies a suggested change to the original facts.

use super::lines::{lines, list, text};
use super::reasons::{Question, SAMPLE, alone, ask_of, node_at, told};
use claimkit_scheduler::allocator::allocate::Verdict;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Selector, Toleration};
use claimkit_scheduler::explain::{Explain, Matrix};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

fn left(request: &Value) -> i64 {
    list(request, "funnel")
        .last()
        .map_or(0, |stage| stage["left"].as_i64().unwrap())
}

/// Returns whether a request has fewer devices left than it wants; in 1.31 and 1.32 mode All needs at least one.
fn is_short(request: &Value, question: &Question) -> bool {
    left(request)
        < request["wanted"]
            .as_i64()
            .unwrap()
            .max(i64::from(question.behaviour.empty_all_fails))
}

/// The requests of which no alternative has enough devices.
fn lacking<'v>(node: &'v Value, question: &Question) -> Vec<&'v Value> {
    let of = |one: &Value, other: &Value| {
        one["claim"] == other["claim"] && one["request"] == other["request"]
    };
    let all = list(node, "requests");
    all.iter()
        .filter(|request| {
            all.iter()
                .filter(|other| of(other, request))
                .all(|one| is_short(one, question))
        })
        .collect()
}

/// The pending claims in the order of the account; `None` if upstream's own case gives several the same name.
fn pending(question: &Question, account: &Value) -> Option<Vec<Claim>> {
    list(account, "claims")
        .iter()
        .map(|name| question.claim(name.as_str().unwrap()))
        .collect()
}

/// Makes a change to the facts and the pending claims. `None`: this test cannot make the change.
fn change(change: &Value, facts: &mut Facts, claims: &mut [Claim]) -> Option<()> {
    let name = text(change, "claim");
    if change["free"] == "claim" {
        // Upstream has a case whose pending claim has the same name.
        let holds = |claim: &&mut Rc<Claim>| {
            claim.metadata.full_name() == name && claim.status.allocation.is_some()
        };
        let held = facts.claims.iter_mut().find(holds)?;
        Rc::make_mut(held).status.allocation = None;
        return Some(());
    }
    let claim = claims
        .iter_mut()
        .find(|claim| claim.metadata.full_name() == name)?;
    let index = change["index"].as_u64().map(|index| index as usize);
    if change["drop"] == "constraint" {
        claim.spec.devices.constraints.remove(index?);
        return Some(());
    }
    let (request, sub) = text(change, "request")
        .split_once('/')
        .unwrap_or((text(change, "request"), ""));
    let request = claim
        .spec
        .devices
        .requests
        .iter_mut()
        .find(|one| one.name == request)?;
    let ask = if sub.is_empty() {
        ask_of(request)
    } else {
        request
            .first_available
            .iter_mut()
            .find(|ask| ask.name == sub)?
    };
    match (
        change["drop"].as_str(),
        change["add"].as_str(),
        change["set"].as_str(),
    ) {
        (Some("selector"), ..) => drop(ask.selectors.remove(index?)),
        (.., Some("selector")) => {
            ask.selectors[index?] = Selector::of_expression(text(change, "to"))
        }
        (_, Some("toleration"), _) => {
            let given = &change["toleration"];
            let member = |name: &str| text(given, name).to_owned();
            let (key, operator, value, effect) = (
                member("key"),
                member("operator"),
                member("value"),
                member("effect"),
            );
            ask.tolerations.push(Toleration {
                key,
                operator,
                value,
                effect,
                toleration_seconds: None,
            });
        }
        (.., Some("count")) => ask.count = text(change, "to").parse().ok()?,
        (.., Some("allocationMode")) => {
            (ask.allocation_mode, ask.count) = (text(change, "to").to_owned(), 1)
        }
        _ => return None,
    }
    Some(())
}

fn devices(verdict: &Verdict) -> Option<Vec<String>> {
    let Verdict::Allocated(results) = verdict else {
        return None;
    };
    Some(
        results
            .iter()
            .flat_map(|result| &result.devices.results)
            .map(|one| one.device.clone())
            .collect(),
    )
}

type Counts = BTreeMap<&'static str, usize>;

fn check_node(
    question: &Question,
    claims: &[Claim],
    node: &Value,
    counts: &mut Counts,
) -> Vec<String> {
    let at = node_at(&question.facts, node);
    let mut count = |what: &'static str| *counts.entry(what).or_default() += 1;
    let mut wrong = Vec::new();
    let mut says = |what: String| wrong.push(format!("{} {}: {what}", question.id, node["text"]));
    let lacking = lacking(node, question);
    let mut offered = question
        .facts
        .slices
        .iter()
        .flat_map(|slice| &slice.spec.devices);
    let shared = offered.any(|device| device.allow_multiple_allocations == Some(true));
    let fits =
        |facts: &Facts, claims: &[Claim]| devices(&question.verdict(facts, at, claims)).is_some();
    if node["verdict"] == "none" {
        if let Some(first) = lacking.first() {
            // The request alone, without other requests, has too few devices, too.
            let claim = claims
                .iter()
                .find(|claim| claim.metadata.full_name() == text(first, "claim"))
                .unwrap();
            let one = alone(claim, text(first, "request"), None).unwrap();
            let name = text(first, "request");
            let said = text(node, "text").contains(&format!("; request {name}"));
            let others = claims
                .iter()
                .flat_map(|claim| &claim.spec.devices.requests)
                .filter(|one| one.name == name);
            // The message does not name the claim of the request.
            let said = said && others.count() < 2;
            if said && fits(&question.facts, std::slice::from_ref(&one)) {
                says(format!("request {} fits alone", first["request"]));
            }
            // Devices that allow multiple allocations can serve more requests than their number.
            if !said && !shared && !text(node, "text").contains(&format!("; request {name}")) {
                says("the first request that lacks devices is not the first thing said".to_owned());
            }
            count("request");
        } else if !text(node, "text").contains("; ") {
            says("no reason is given".to_owned());
        }
        for conflict in list(node, "conflicts") {
            if !lacking.is_empty() && !shared {
                says("a conflict beside a request that lacks devices".to_owned());
            }
            let named = |request: &str| {
                list(conflict, "requests")
                    .iter()
                    .any(|one| one.as_str().unwrap().split('/').next() == Some(request))
            };
            let mut claims = claims.to_vec();
            let own = claims
                .iter()
                .position(|claim| claim.metadata.full_name() == text(conflict, "claim"));
            match (text(conflict, "kind"), own) {
                ("match" | "distinct", Some(own)) => {
                    let constraints = &mut claims[own].spec.devices.constraints;
                    let index = conflict["constraint"].as_u64().unwrap() as usize;
                    let constraint = constraints.remove(index);
                    if !fits(&question.facts, &claims) {
                        says(format!("without constraint {index} it does not fit either"));
                    }
                    // A constraint without a common value also fails on its own.
                    if text(conflict, "text").starts_with("no value") {
                        let mut claim = claims.swap_remove(own);
                        claim.spec.devices.constraints = vec![constraint];
                        claim
                            .spec
                            .devices
                            .requests
                            .retain(|request| named(&request.name));
                        if fits(&question.facts, &[claim]) {
                            says("there is a value that will do".to_owned());
                        }
                    }
                    count("constraint");
                }
                ("number", _) => {
                    // Devices without a constraint's attribute do not count, so constraints stay.
                    for claim in &mut claims {
                        claim
                            .spec
                            .devices
                            .requests
                            .retain(|request| named(&request.name));
                    }
                    if fits(&question.facts, &claims) {
                        says("there are enough devices".to_owned());
                    }
                    count("number");
                }
                _ => count("counters"),
            }
        }
    }
    for relaxation in list(node, "relaxations") {
        let (mut facts, mut claims) = (question.facts.clone(), claims.to_vec());
        let made = list(relaxation, "changes")
            .iter()
            .all(|one| change(one, &mut facts, &mut claims).is_some());
        if !made {
            count("a change not made here");
            continue;
        }
        let got = devices(&question.verdict(&facts, at, &claims));
        let gives = list(relaxation, "gives")
            .iter()
            .map(|device| device.as_str().unwrap().to_owned())
            .collect();
        if got != Some(gives) {
            says(format!("{} gives {got:?}", relaxation["text"]));
        }
        count("relaxation");
    }
    wrong
}

#[test]
fn what_is_decisive_decides() {
    let options = Explain::default().matrix(Matrix::Nothing);
    let (mut counts, mut wrong) = (Counts::new(), Vec::new());
    for (file, every) in SAMPLE {
        for question in lines(file, every / 2 + 1).filter_map(|line| Question::of(&line)) {
            let account = question.account(options);
            let Some(claims) = pending(&question, &account) else {
                continue;
            };
            // The claim for extended resources is made anew on each node.
            if !account["extendedResources"].as_object().unwrap().is_empty() {
                continue;
            }
            for node in told(&account) {
                wrong.extend(check_node(&question, &claims, node, &mut counts));
            }
        }
    }
    println!("{counts:?}, {} differences", wrong.len());
    let shown: Vec<&str> = wrong.iter().take(15).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        shown.join("\n")
    );
    for what in ["request", "constraint", "number", "relaxation"] {
        assert!(
            counts.get(what).is_some_and(|count| *count >= 5),
            "{what}: {counts:?}"
        );
    }
}
