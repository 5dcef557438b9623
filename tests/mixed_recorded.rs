//! Random clusters in which volumes, gangs, quotas and binding conditions decide beside devices: what the real kube-scheduler did with
//! their pods, and what `allocate` says of the objects before it started. Where it is certain, they are the same.

use crate::support::{ask, recorded_lines};
use serde_json::{Value, json};

/// The least part of pods of which the answer is certain, in percent.
const LEAST_CERTAIN: usize = 85;

/// Returns true if the objects decide what becomes of a pod.
fn is_certain(turn: &Value) -> bool {
    let is_decided = turn["decidedBy"].is_null() || turn["decidedBy"] == "scores";
    turn["depends"] == false && turn["unsure"].is_null() && is_decided
}

/// Returns how the devices of a pod differ from those of its claims, as far as these were written.
fn other_devices(turn: &Value, real: &Value) -> Option<String> {
    let mut own = serde_json::Map::new();
    for device in turn["devices"].as_array().unwrap() {
        let line = format!(
            "{} = {}",
            device["request"].as_str().unwrap(),
            device["device"].as_str().unwrap()
        );
        own.entry(device["claim"].as_str().unwrap())
            .or_insert_with(|| json!([]))
            .as_array_mut()
            .unwrap()
            .push(json!(line));
    }
    own.iter()
        .find(|(claim, devices)| {
            let written = &real["devices"][claim.as_str()];
            !written.is_null() && written != *devices
        })
        .map(|(claim, devices)| format!("devices of {claim}: {devices}"))
}

/// Returns how an answer differs from what the scheduler did.
fn contradiction(turn: &Value, real: &Value) -> Option<String> {
    let has_nothing = real["node"].is_null() && real["message"].is_null();
    let is_same = match turn["outcome"].as_str().unwrap() {
        "gated" => real["reason"] == "SchedulingGated",
        "notConsidered" => has_nothing && real["nominated"].is_null(),
        // The condition of an attempt before stays.
        "preparing"
            if real["node"].is_null()
                && real["nominated"] == turn["node"]
                && (has_nothing || is_earlier(turn, &real["message"])) =>
        {
            return other_devices(turn, real);
        }
        "bound" if real["node"] == turn["node"] => return other_devices(turn, real),
        "preparing" | "bound" => false,
        // The server's words about a failed binding change from attempt to attempt.
        "error" if is_of_binding(&turn["message"]) && is_of_binding(&real["message"]) => true,
        _ => real["node"].is_null() && real["message"] == turn["message"],
    };
    (!is_same).then(|| turn.to_string())
}

/// Returns true if a message is about an attempt that failed after a node was chosen.
fn is_of_binding(message: &Value) -> bool {
    let message = message.as_str().unwrap_or_default();
    message.starts_with("running PreBind plugin")
}

/// Returns true if an attempt before ended with the message.
fn is_earlier(turn: &Value, message: &Value) -> bool {
    let mut earlier = turn["earlier"].as_array().into_iter().flatten();
    earlier.any(|known| known == message)
}

#[test]
fn what_is_certain_is_what_the_scheduler_did() {
    let (mut pods, mut certain, mut wrong) = (0, 0, Vec::new());
    for scenario in recorded_lines("cluster/mixed-1.37.2.jsonl.gz") {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": scenario["objects"]});
        let request = json!({
            "verb": "allocate",
            "release": scenario["release"],
            "text": list.to_string(),
            "options": {"relax": false}
        });
        let answer = ask(&request);
        assert!(answer["error"].is_null(), "{answer}");
        for account in answer["pods"].as_array().unwrap() {
            // A claim that no pod uses is explained by itself.
            let Some(name) = account["pod"].as_str() else {
                continue;
            };
            let turn = &account["turn"];
            let real = &scenario["pods"][name];
            pods += 1;
            if !is_certain(turn) {
                continue;
            }
            certain += 1;
            if let Some(own) = contradiction(turn, real) {
                wrong.push(format!(
                    "{}, {name}\n  scheduler {real}\n  claimkit {own}",
                    scenario["id"]
                ));
            }
        }
    }
    println!("pods {pods}, certain {certain}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(certain * 100 >= pods * LEAST_CERTAIN, "{certain} of {pods}");
}
