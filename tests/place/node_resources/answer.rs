//! What `allocate` tells of a node's resources.

use super::*;

fn ask(items: &[Value], more: Value) -> Value {
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let mut request = json!({"verb": "allocate", "alone": true, "release": "1.36.3", "text": text, "gates": {GATE: true}});
    request
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let answer = crate::support::ask(&request);
    assert!(answer["error"].is_null(), "{answer}");
    answer
}

#[test]
fn the_answer_tells_what_is_short() {
    let requests = json!({"cpu": "2", "memory": "1Gi"});
    let mut items = vec![
        node(json!({"cpu": "8", "memory": "4Gi"})),
        class(),
        slice(&[by_capacity("cpu0", &[("cpu", CPU)])]),
        claim("a", "cpu0", json!({CPU: "4"})),
        pod(&["a"], &[container("c", requests, &["a"])]),
    ];
    let answer = ask(&items, json!({}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(
        (&node["verdict"], &node["message"]),
        (&json!("allocated"), &json!(null))
    );
    assert_eq!(
        text(node, "text").split("; of the node ").nth(1),
        Some("4 of cpu")
    );
    let device = json!({"claim": "ns/a", "device": "dra.example.com/pool1/cpu0", "takes": "4", "capacity": CPU, "consumed": "4", "multiplier": "1"});
    let mut wanted = json!([{"resource": "cpu", "requested": "6", "used": "0", "allocatable": "8", "short": false, "devices": [device], "pods": [],
        "text": "cpu: 6 asked for, of it 4 by cpu0 (4 of dra.example.com/cpu); 8 of 8 left"}]);
    assert_eq!(node["resources"], wanted);

    items.push(placed(
        "q",
        json!({"containers": [container("c", json!({"cpu": "3", "memory": "3584Mi"}), &[])]}),
        json!({}),
    ));
    let answer = ask(&items, json!({}));
    let node = &answer["pods"][0]["nodes"][0];
    let one =
        "cpu: 6 asked for, of it 4 by cpu0 (4 of dra.example.com/cpu); 5 of 8 left (ns/q has 3)";
    let two = "memory: 1Gi asked for; 512Mi of 4Gi left (ns/q has 3584Mi)";
    wanted[0]["used"] = json!("3");
    wanted[0]["short"] = json!(true);
    wanted[0]["pods"] = json!([{"pod": "ns/q", "requests": "3"}]);
    wanted[0]["text"] = json!(one);
    assert_eq!(node["resources"][0], wanted[0]);
    assert_eq!(node["resources"][1]["text"], two);
    assert_eq!(
        (&node["verdict"], &node["fatal"], &node["allocations"]),
        (&json!("unavailable"), &json!(false), &json!(null))
    );
    assert_eq!(
        (&node["message"], &node["code"]),
        (
            &json!("Insufficient cpu, Insufficient memory"),
            &json!("Unschedulable")
        )
    );
    assert_eq!(
        node["text"],
        format!("n1: Insufficient cpu, Insufficient memory; {one}; {two}")
    );
    // The event counts each reason by itself.
    assert_eq!(
        node["reasons"],
        json!(["Insufficient cpu", "Insufficient memory"])
    );
    let summary: Vec<&str> = list(&answer["pods"][0], "summary")
        .iter()
        .map(|entry| text(entry, "message"))
        .collect();
    assert_eq!(summary, ["Insufficient cpu", "Insufficient memory"]);
    // Less capacity does not help while memory is short, too.
    assert_eq!(node["relaxations"], json!([]));

    items[5] = placed(
        "q",
        json!({"containers": [container("c", json!({"cpu": "3"}), &[])]}),
        json!({}),
    );
    let answer = ask(&items, json!({}));
    let helps: Vec<&str> = list(&answer["pods"][0]["nodes"][0], "relaxations")
        .iter()
        .map(|one| text(one, "text"))
        .collect();
    assert_eq!(
        helps,
        ["asking for 3 of dra.example.com/cpu instead of 4 in request r: gives cpu0 on n1"]
    );

    // A node that was written by hand has nothing.
    items[0] = self::node(json!({}));
    let answer = ask(&items, json!({}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(
        (&node["code"], &node["help"]),
        (
            &json!("UnschedulableAndUnresolvable"),
            &json!("Node n1 is given without status.allocatable")
        )
    );

    // With the gate off the server drops the mappings, and the pod's resources are for other plugins.
    let answer = ask(&items, json!({"gates": {}}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(
        (&node["verdict"], &node["resources"]),
        (&json!("allocated"), &json!(null))
    );
}

/// A claim that is freed gives back what its devices take of the node, too.
#[test]
fn freed_claims_give_resources_back() {
    let mut held = claim("held", "d1", Value::Null);
    let result = json!({"request": "r", "driver": DRIVER, "pool": "pool1", "device": "d1"});
    held["status"] = json!({"allocation": {"devices": {"results": [result]}}});
    let used =
        json!([{"resourceClaimName": "held", "containers": ["c"], "resources": {"cpu": "6"}}]);
    let items = [
        node(json!({"cpu": "8"})),
        class(),
        slice(&[
            fixed("d0", json!({"cpu": "4"})),
            fixed("d1", json!({"cpu": "6"})),
        ]),
        claim("a", "d0", Value::Null),
        held,
        placed(
            "q",
            json!({"resourceClaims": [{"name": "x", "resourceClaimName": "held"}]}),
            json!({"nodeAllocatableResourceClaimStatuses": used}),
        ),
        pod(&["a"], &[container("c", json!({}), &["a"])]),
    ];
    let answer = ask(&items, json!({}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(node["message"], "Insufficient cpu");
    let helps: Vec<&str> = list(node, "relaxations")
        .iter()
        .map(|one| text(one, "text"))
        .collect();
    assert_eq!(helps, ["freeing claim ns/held: gives d0 on n1"]);
    let answer = ask(&items, json!({"whatIf": {"free": ["ns/held"]}}));
    assert_eq!(answer["pods"][0]["nodes"][0]["verdict"], "allocated");
}

#[test]
fn the_answer_tells_who_uses_a_claim_and_what_is_unclear() {
    let mut allocated = claim("a", "cpu0", Value::Null);
    let result = json!({"request": "r", "driver": DRIVER, "pool": "pool1", "device": "cpu0"});
    allocated["status"] = json!({"allocation": {"devices": {"results": [result]}}, "reservedFor": [{"resource": "pods", "name": "q", "uid": "q"}]});
    let used = json!([{"resourceClaimName": "a", "containers": ["c"], "resources": {"cpu": "1"}}]);
    let user = placed(
        "q",
        json!({}),
        json!({"nodeAllocatableResourceClaimStatuses": used}),
    );
    let items = [
        large(),
        class(),
        slice(&[fixed("cpu0", json!({"cpu": "1"}))]),
        allocated,
        user,
        pod(&["a"], &[container("c", json!({}), &["a"])]),
    ];
    let answer = ask(&items, json!({}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(node["help"], "used on this node by ns/q");
    assert_eq!(
        node["text"],
        "n1: node allocatable resource claim a is already used by another pod; used on this node by ns/q"
    );

    // An error ends the attempt on all nodes.
    let mut whole = by_capacity("cpu0", &[("cpu", CPU)]);
    whole["allowMultipleAllocations"] = json!(false);
    let asking = || pod(&["a"], &[container("c", json!({}), &["a"])]);
    let answer = ask(
        &[
            large(),
            class(),
            slice(&[whole]),
            claim("a", "cpu0", Value::Null),
            asking(),
        ],
        json!({}),
    );
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(
        (&node["verdict"], &node["fatal"], &answer["ok"]),
        (&json!("error"), &json!(true), &json!(false))
    );
    let findings: Vec<&str> = list(&answer, "findings")
        .iter()
        .map(|finding| text(finding, "code"))
        .collect();
    assert!(
        findings.contains(&"allocation-error") && findings.contains(&"error-ends-attempt"),
        "{findings:?}"
    );

    // Claims without a pod: what their devices take alone.
    let big = slice(&[fixed("d", json!({"cpu": "200"}))]);
    let answer = ask(
        &[large(), class(), big, claim("a", "d", Value::Null)],
        json!({}),
    );
    assert_eq!(answer["pods"][0]["nodes"][0]["message"], "Insufficient cpu");

    // Two drivers with one pool name.
    let other = slice_of(
        "other.example.com",
        json!([{"name": "d", "nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": "2"}}}]),
    );
    let mut by_driver = claim("a", "d", Value::Null);
    by_driver["spec"]["devices"]["requests"][0]["exactly"]["selectors"] =
        json!([{"cel": {"expression": format!("device.driver == \"{DRIVER}\"")}}]);
    let items = [
        large(),
        class(),
        other,
        slice(&[fixed("d", json!({"cpu": "1"}))]),
        by_driver,
        asking(),
    ];
    let answer = ask(&items, json!({}));
    let found = list(&answer, "findings")
        .iter()
        .find(|finding| finding["code"] == "pool-order-random")
        .unwrap();
    let devices = "other.example.com/pool1/d and dra.example.com/pool1/d differ";
    assert!(text(found, "message").contains(devices), "{found}");
}
