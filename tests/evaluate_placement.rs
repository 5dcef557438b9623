//! Situations of the scheduler, one for each reason: its message about a node in each release, and the verdict.

use serde_json::{Value, json};

const NODES: &str = "---
{kind: List, apiVersion: v1, items: [
  {kind: Node, apiVersion: v1, metadata: {name: a, labels: {zone: a}}},
  {kind: Node, apiVersion: v1, metadata: {name: b, labels: {zone: b}}}]}";

/// `v1alpha1` up to 1.26, `v1alpha2` after.
fn version(release: &str) -> &'static str {
    if release.starts_with("1.26") {
        "v1alpha1"
    } else {
        "v1alpha2"
    }
}

fn class(more: &str) -> String {
    format!("{{kind: ResourceClass, metadata: {{name: gpu}}, driverName: gpu.example.com{more}}}")
}

fn claim(name: &str, metadata: &str, spec: &str, status: &str) -> String {
    format!(
        "{{kind: ResourceClaim, metadata: {{name: {name}{metadata}}}, spec: {{resourceClassName: gpu{spec}}}, status: {{{status}}}}}"
    )
}

/// A pod of one claim, `c`.
const POD: &str = "{kind: Pod, metadata: {name: p, uid: u1}, spec: {resourceClaims: [{name: e, source: {resourceClaimName: c}}]}}";
/// A pod of one claim from template `t`.
const FROM_TEMPLATE: &str = "{kind: Pod, metadata: {name: p, uid: u1}, spec: {resourceClaims: [{name: e, source: {resourceClaimTemplateName: t}}]}}";
const ONLY_A: &str =
    "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}";
const UNPARSABLE: &str = "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}, {matchExpressions: [{key: zone, operator: Gt, values: [x]}]}]}";
const PARSE_ERROR: &str = "nodeSelectorTerms[1].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer";

/// The answer about objects; kinds without group get theirs.
fn ask(release: &str, objects: &[&str]) -> Value {
    let text: Vec<String> = objects
        .iter()
        .map(|object| {
            let kind = if object.starts_with("{kind: Pod,") {
                "v1".to_owned()
            } else {
                format!("resource.k8s.io/{}", version(release))
            };
            format!("{{apiVersion: {kind}, {}", &object[1..])
        })
        .collect();
    let request = json!({"verb": "evaluate", "release": release, "text": format!("---\n{}", text.join("\n---\n")), "nodes": NODES});
    crate::support::ask(&request)
}

/// The placement of the last object, which is the pod mostly.
fn place(release: &str, objects: &[&str]) -> Value {
    let answer = ask(release, objects);
    let placement = answer["objects"].as_array().unwrap().last().unwrap()["placement"].clone();
    assert!(placement.is_object(), "{answer}");
    placement
}

/// The verdict and the scheduler's reason for each node, and the next step.
fn told(release: &str, objects: &[&str]) -> [(String, Option<String>); 2] {
    let placement = place(release, objects);
    let node = |at: usize| {
        let node = &placement["nodes"][at];
        (
            node["verdict"].as_str().unwrap().to_owned(),
            node["schedulerReason"].as_str().map(str::to_owned),
        )
    };
    [node(0), node(1)]
}

fn next(release: &str, objects: &[&str]) -> Option<String> {
    place(release, objects)["next"]["schedulerReason"]
        .as_str()
        .map(str::to_owned)
}

/// The same for all nodes.
#[track_caller]
fn all(releases: &[&str], objects: &[&str], verdict: &str, reason: Option<&str>) {
    for release in releases {
        let expected = (verdict.to_owned(), reason.map(str::to_owned));
        assert_eq!(
            told(release, objects),
            [expected.clone(), expected],
            "{release}"
        );
    }
}

/// Fine on node a, refused on node b.
#[track_caller]
fn only_a(releases: &[&str], objects: &[&str], verdict: &str, refused: (&str, &str)) {
    for release in releases {
        let expected = [
            (verdict.to_owned(), None),
            (refused.0.to_owned(), Some(refused.1.to_owned())),
        ];
        assert_eq!(told(release, objects), expected, "{release}");
    }
}

const EVERY: &[&str] = &["1.26", "1.27", "1.28", "1.29", "1.30"];
const EARLY: &[&str] = &["1.26", "1.27"];
const LATE: &[&str] = &["1.28", "1.29", "1.30"];

#[test]
fn look_up() {
    let class = class("");
    let template = "{kind: ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {resourceClassName: gpu}}}";
    let waiting = "waiting for dynamic resource controller to create the resourceclaim \"p-e\"";
    all(EARLY, &[&class, FROM_TEMPLATE], "No", Some(waiting));
    // If the text has the template, the claim is judged from it, and the scheduler's message stays.
    all(
        EARLY,
        &[&class, template, FROM_TEMPLATE],
        "Possible",
        Some(waiting),
    );
    all(
        LATE,
        &[&class, FROM_TEMPLATE],
        "No",
        Some("pod \"default/p\": ResourceClaim not created yet"),
    );
    all(
        LATE,
        &[&class, template, FROM_TEMPLATE],
        "Possible",
        Some("pod \"default/p\": ResourceClaim not created yet"),
    );
    let lister = &["1.26", "1.27", "1.28", "1.29"];
    all(
        lister,
        &[&class, POD],
        "No",
        Some("resourceclaim.resource.k8s.io \"c\" not found"),
    );
    // kube-scheduler 1.30, dynamicresources.go, `New`: the cache of claims is called "claim"; volumebinding/assume_cache.go,
    // `errNotFound`.
    all(
        &["1.30"],
        &[&class, POD],
        "No",
        Some("could not find claim \"default/c\""),
    );

    let deleted = claim("c", ", deletionTimestamp: \"2024-01-01T00:00:00Z\"", "", "");
    all(
        EVERY,
        &[&class, &deleted, POD],
        "No",
        Some("resourceclaim \"c\" is being deleted"),
    );

    let others = claim("p-e", "", "", "");
    let not_owner =
        "ResourceClaim default/p-e was not created for pod default/p (pod is not owner)";
    all(
        EARLY,
        &[&class, &others, FROM_TEMPLATE],
        "No",
        Some(not_owner),
    );
    let owned = claim(
        "p-e",
        ", ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u1, controller: true}]",
        "",
        "",
    );
    all(EARLY, &[&class, &owned, FROM_TEMPLATE], "Possible", None);
    let recorded = FROM_TEMPLATE.replace(
        "}]}}",
        "}]}, status: {resourceClaimStatuses: [{name: e, resourceClaimName: p-e}]}}",
    );
    all(LATE, &[&class, &owned, &recorded], "Possible", None);
    all(LATE, &[&class, &others, &recorded], "No", Some(not_owner));
    let needs_none = FROM_TEMPLATE.replace(
        "}]}}",
        "}]}, status: {resourceClaimStatuses: [{name: e, resourceClaimName: null}]}}",
    );
    all(LATE, &[&class, &needs_none], "Yes", None);
}

#[test]
fn before_nodes_are_looked_at() {
    let class = class("");
    let immediate = claim("c", "", ", allocationMode: Immediate", "");
    all(
        EVERY,
        &[&class, &immediate, POD],
        "No",
        Some("unallocated immediate resourceclaim"),
    );

    let freed = claim(
        "c",
        "",
        "",
        "driverName: gpu.example.com, deallocationRequested: true, allocation: {}",
    );
    all(
        EVERY,
        &[&class, &freed, POD],
        "No",
        Some("resourceclaim must be reallocated"),
    );

    let reserved = |uid: &str, shareable: bool| {
        claim(
            "c",
            "",
            "",
            &format!(
                "driverName: gpu.example.com, allocation: {{shareable: {shareable}}}, reservedFor: [{{resource: pods, name: q, uid: {uid}}}]"
            ),
        )
    };
    all(
        EVERY,
        &[&class, &reserved("u2", false), POD],
        "No",
        Some("resourceclaim in use"),
    );
    all(EVERY, &[&class, &reserved("u2", true), POD], "Yes", None);
    all(EVERY, &[&class, &reserved("u1", false), POD], "Yes", None);
    // The same happens to any new pod.
    all(
        EVERY,
        &[&class, &reserved("u1", false)],
        "No",
        Some("resourceclaim in use"),
    );

    let lonely = claim("c", "", "", "");
    let lost = "look up resource class: resourceclass.resource.k8s.io \"gpu\" not found";
    all(
        &["1.26", "1.27", "1.28"],
        &[&lonely, POD],
        "Error",
        Some(lost),
    );
    all(
        &["1.29", "1.30"],
        &[&lonely, POD],
        "No",
        Some("resource class gpu does not exist"),
    );
}

#[test]
fn the_first_reason_in_order() {
    // Up to 1.29 the scheduler checks the mode first, from 1.30 on the deallocation.
    let both = claim(
        "c",
        "",
        ", allocationMode: Immediate",
        "driverName: gpu.example.com, deallocationRequested: true",
    );
    all(
        &["1.26", "1.27", "1.28", "1.29"],
        &[&class(""), &both, POD],
        "No",
        Some("unallocated immediate resourceclaim"),
    );
    all(
        &["1.30"],
        &[&class(""), &both, POD],
        "No",
        Some("resourceclaim must be reallocated"),
    );

    // Claims that are allocated elsewhere are collected: the reason of a later claim comes first.
    let allocated = claim(
        "c",
        "",
        "",
        &format!("driverName: gpu.example.com, allocation: {{availableOnNodes: {ONLY_A}}}"),
    );
    let waiting = claim("d", "", "", "");
    let pod = POD.replace("}}]", "}}, {name: f, source: {resourceClaimName: d}}]");
    let class = class(&format!(", suitableNodes: {ONLY_A}"));
    only_a(
        EVERY,
        &[&class, &allocated, &waiting, &pod],
        "Possible",
        ("No", "excluded by resource class node filter"),
    );

    // The error of a selector that is parsed before the nodes comes before reasons about nodes.
    let unparsable = claim(
        "d",
        "",
        "",
        &format!("driverName: gpu.example.com, allocation: {{availableOnNodes: {UNPARSABLE}}}"),
    );
    all(
        EVERY,
        &[&class, &claim("c", "", "", ""), &unparsable, &pod],
        "Error",
        Some(PARSE_ERROR),
    );

    // All claims are looked up before the first is judged.
    let deleted = claim("d", ", deletionTimestamp: \"2024-01-01T00:00:00Z\"", "", "");
    let immediate = claim("c", "", ", allocationMode: Immediate", "");
    all(
        EVERY,
        &[&class, &immediate, &deleted, &pod],
        "No",
        Some("resourceclaim \"d\" is being deleted"),
    );
}

#[test]
fn node_by_node() {
    let allocated = |selector: &str| {
        claim(
            "c",
            "",
            "",
            &format!("driverName: gpu.example.com, allocation: {{{selector}}}"),
        )
    };
    let only = allocated(&format!("availableOnNodes: {ONLY_A}"));
    all(EVERY, &[&allocated(""), POD], "Yes", None);
    only_a(
        EVERY,
        &[&only, POD],
        "Yes",
        ("No", "resourceclaim not available on the node"),
    );
    all(
        EVERY,
        &[&allocated(&format!("availableOnNodes: {UNPARSABLE}")), POD],
        "Error",
        Some(PARSE_ERROR),
    );

    let waiting = claim("c", "", "", "");
    all(EVERY, &[&class(""), &waiting, POD], "Possible", None);
    let suitable = class(&format!(", suitableNodes: {ONLY_A}"));
    only_a(
        EVERY,
        &[&suitable, &waiting, POD],
        "Possible",
        ("No", "excluded by resource class node filter"),
    );
    // The class does not matter for an allocated claim.
    all(EVERY, &[&suitable, &allocated(""), POD], "Yes", None);

    let unparsable = class(&format!(", suitableNodes: {UNPARSABLE}"));
    let lazily = format!("potential node filter: {PARSE_ERROR}");
    only_a(
        &["1.26", "1.27", "1.28"],
        &[&unparsable, &waiting, POD],
        "Possible",
        ("Error", &lazily),
    );
    all(
        &["1.29", "1.30"],
        &[&unparsable, &waiting, POD],
        "Error",
        Some(PARSE_ERROR),
    );

    let other = claim("c", "", ", allocationMode: Sometime", "");
    all(
        EVERY,
        &[&class(""), &other, POD],
        "Error",
        Some("internal error, unexpected allocation mode Sometime"),
    );
}

/// A scheduling context of the pod.
fn context(release: &str, owner: &str, spec: &str, status: &str) -> String {
    let kind = if version(release) == "v1alpha1" {
        "PodScheduling"
    } else {
        "PodSchedulingContext"
    };
    format!(
        "{{kind: {kind}, metadata: {{name: p, uid: x9, ownerReferences: [{{apiVersion: v1, kind: Pod, name: p, uid: {owner}, controller: true}}]}}, spec: {{{spec}}}, status: {{resourceClaims: [{status}]}}}}"
    )
}

#[test]
fn what_drivers_say() {
    let waiting = claim("c", "", "", "");
    for release in EVERY {
        let said = context(
            release,
            "u1",
            "potentialNodes: [a, b]",
            "{name: e, unsuitableNodes: [b]}",
        );
        let unsuitable = "resourceclaim cannot be allocated for the node (unsuitable)";
        only_a(
            &[release],
            &[&class(""), &waiting, &said, POD],
            "Possible",
            ("No", unsuitable),
        );
        // The message is about another entry of the pod.
        let other = context(
            release,
            "u1",
            "potentialNodes: [a, b]",
            "{name: other, unsuitableNodes: [b]}",
        );
        all(
            &[release],
            &[&class(""), &waiting, &other, POD],
            "Possible",
            None,
        );
        let stolen = context(release, "u2", "", "");
        let kind = if version(release) == "v1alpha1" {
            "PodScheduling"
        } else {
            "PodSchedulingContext"
        };
        let text = format!("{kind} object with UID x9 is not owned by Pod default/p");
        all(
            &[release],
            &[&class(""), &waiting, &stolen, POD],
            "Error",
            Some(&text),
        );

        // Up to 1.29 only claims that wait for a driver use it.
        let fine = claim("c", "", "", "driverName: gpu.example.com, allocation: {}");
        match *release {
            "1.30" => all(&[release], &[&fine, &stolen, POD], "Error", Some(&text)),
            _ => all(&[release], &[&fine, &stolen, POD], "Yes", None),
        }

        let chosen = context(release, "u1", "selectedNode: a, potentialNodes: [a]", "");
        let placement = place(release, &[&class(""), &waiting, &chosen, POD]);
        assert_eq!(
            placement["nodes"][0]["reason"],
            "selected for the pod, waiting for the driver"
        );
        assert_eq!(
            placement["nodes"][1]["reason"],
            "not allocated; drivers were not asked about the node in the last round"
        );
    }
}

#[test]
fn structured_parameters() {
    let structured = |reference: &str| class(&format!(", structuredParameters: true{reference}"));
    let waiting = claim("c", "", "", "");
    let immediate = claim("c", "", ", allocationMode: Immediate", "");
    for claim in [&waiting, &immediate] {
        let placement = place("1.30", &[&structured(""), claim, POD]);
        assert_eq!(placement["nodes"][0]["verdict"], "Possible");
        assert_eq!(
            placement["nodes"][0]["reason"],
            "not allocated; the text has no slices to allocate from"
        );
        assert_eq!(placement["next"], Value::Null, "no driver is waited for");
    }
    let by = |group: &str, kind: &str| {
        format!(", parametersRef: {{apiGroup: {group}, kind: {kind}, name: x}}")
    };
    let own = structured(
        ", parametersRef: {apiGroup: resource.k8s.io, kind: ResourceClassParameters, name: x, namespace: default}",
    );
    all(
        &["1.30"],
        &[&own, &waiting, POD],
        "No",
        Some("class parameters default/x not found"),
    );
    let there = "{kind: ResourceClassParameters, metadata: {name: x, namespace: default}}";
    all(&["1.30"], &[&own, there, &waiting, POD], "Possible", None);
    let vendors =
        structured(", parametersRef: {apiGroup: example.com, kind: Conf, name: x, namespace: ns}");
    all(
        &["1.30"],
        &[&vendors, &waiting, POD],
        "No",
        Some("generated class parameters for Conf.example.com ns/x not found"),
    );
    let made = "{kind: ResourceClassParameters, metadata: {name: made, namespace: ns}, generatedFrom: {apiGroup: example.com, kind: Conf, name: x, namespace: ns}}";
    all(
        &["1.30"],
        &[&vendors, made, &waiting, POD],
        "Possible",
        None,
    );

    let own = claim(
        "c",
        "",
        &by("resource.k8s.io", "ResourceClaimParameters"),
        "",
    );
    all(
        &["1.30"],
        &[&structured(""), &own, POD],
        "No",
        Some("claim parameters default/x not found"),
    );
    let there = "{kind: ResourceClaimParameters, metadata: {name: x}}";
    all(
        &["1.30"],
        &[&structured(""), there, &own, POD],
        "Possible",
        None,
    );
    let vendors = claim("c", "", &by("example.com", "Conf"), "");
    all(
        &["1.30"],
        &[&structured(""), &vendors, POD],
        "No",
        Some("generated claim parameters for Conf.example.com default/x not found"),
    );
    let made = "{kind: ResourceClaimParameters, metadata: {name: made}, generatedFrom: {apiGroup: example.com, kind: Conf, name: x}}";
    all(
        &["1.30"],
        &[&structured(""), made, &vendors, POD],
        "Possible",
        None,
    );
}

/// The scheduler allocates by itself: request by request the first instance of the node that fits.
#[test]
fn structured_parameters_on_slices() {
    let structured = class(
        ", structuredParameters: true, parametersRef: {apiGroup: resource.k8s.io, kind: ResourceClassParameters, name: x, namespace: default}",
    );
    let slice = |node: &str, instances: &str| {
        format!(
            "{{kind: ResourceSlice, metadata: {{name: {node}}}, nodeName: {node}, driverName: gpu.example.com, namedResources: {{instances: [{instances}]}}}}"
        )
    };
    let gpu = |name: &str, model: &str, size: i64| {
        format!(
            "{{name: {name}, attributes: [{{name: model, string: {model}}}, {{name: size, int: {size}}}]}}"
        )
    };
    let filters = "{kind: ResourceClassParameters, metadata: {name: x, namespace: default}, filters: [{driverName: gpu.example.com, namedResources: {selector: 'attributes.string[\"model\"] != \"old\"'}}]}";
    let first = slice(
        "a",
        &[
            gpu("gpu-0", "old", 9),
            gpu("gpu-1", "new", 8),
            gpu("gpu-2", "new", 4),
        ]
        .join(", "),
    );
    let second = slice(
        "b",
        &[gpu("gpu-0", "new", 8), "{name: bare}".to_owned()].join(", "),
    );
    let claim = |name: &str, selectors: [&str; 2]| {
        let requests: Vec<String> = selectors
            .iter()
            .map(|selector| format!("{{namedResources: {{selector: '{selector}'}}}}"))
            .collect();
        let parameters = format!(
            "{{kind: ResourceClaimParameters, metadata: {{name: {name}}}, driverRequests: [{{driverName: gpu.example.com, requests: [{}]}}]}}",
            requests.join(", ")
        );
        (
            parameters,
            claim(
                "c",
                "",
                &format!(
                    ", parametersRef: {{apiGroup: resource.k8s.io, kind: ResourceClaimParameters, name: {name}}}"
                ),
                "",
            ),
        )
    };
    let node = |placement: &Value, at: usize| placement["nodes"][at].clone();
    let big = "attributes.int[\"size\"] >= 8";

    let (parameters, waiting) = claim("two", [big, "true"]);
    let placement = place(
        "1.30",
        &[
            &structured,
            filters,
            &parameters,
            &first,
            &second,
            &waiting,
            POD,
        ],
    );
    let on_a = node(&placement, 0);
    assert_eq!(on_a["verdict"], "Possible");
    assert_eq!(
        on_a["reason"],
        "not allocated; gets `gpu-1` of `gpu.example.com`, `gpu-2` of `gpu.example.com`"
    );
    let checks = on_a["claims"][0]["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["check"] == "structured")
        .unwrap();
    assert_eq!(check["holds"], true);
    assert_eq!(check["instances"][1]["name"], "gpu-2");
    // The second request meets an instance without the attribute that the filter reads.
    let on_b = node(&placement, 1);
    assert_eq!(on_b["verdict"], "No");
    assert_eq!(
        on_b["schedulerReason"],
        "checking structured parameters failed: checking node \"b\" and resources of driver \"gpu.example.com\": evaluate filter CEL expression: no such key: model"
    );

    // The first request takes the instance that the second needs; the scheduler does not retry.
    let (parameters, waiting) = claim("greedy", ["true", big]);
    let placement = place(
        "1.30",
        &[&structured, filters, &parameters, &first, &waiting, POD],
    );
    assert_eq!(
        node(&placement, 0)["schedulerReason"],
        "resourceclaim cannot be allocated for the node (unsuitable)"
    );
    assert_eq!(
        node(&placement, 0)["reason"],
        "no instance of `gpu.example.com` for request 2: 3 on the node → 2 after the class's filter → 1 after the selector → 0 free; `gpu-0`: the class's filter: `attributes.string[\"model\"] != \"old\"` is false: `attributes.string[\"model\"]` is \"old\"; `gpu-1` is allocated to an earlier request of the claim; `gpu-2`: `attributes.int[\"size\"] >= 8` is false: `attributes.int[\"size\"]` is 4"
    );
    assert_eq!(
        node(&placement, 1)["reason"],
        "no slice in the files has instances of `gpu.example.com` on the node"
    );

    // An instance of another claim is not available.
    let held = "{kind: ResourceClaim, metadata: {name: other}, spec: {resourceClassName: gpu}, status: {driverName: gpu.example.com, allocation: {resourceHandles: [{driverName: gpu.example.com, structuredData: {nodeName: a, results: [{namedResources: {name: gpu-1}}]}}]}}}";
    let (parameters, waiting) = claim("two", [big, "true"]);
    let placement = place(
        "1.30",
        &[
            &structured,
            filters,
            &parameters,
            &first,
            held,
            &waiting,
            POD,
        ],
    );
    let reason = node(&placement, 0)["reason"].as_str().unwrap().to_owned();
    assert!(
        reason.contains("`gpu-1` is allocated to claim `default/other`"),
        "{reason}"
    );
}

#[test]
fn what_comes_next() {
    let class = class("");
    let waiting = claim("c", "", "", "");
    let second = claim("d", "", "", "");
    let two = POD.replace("}}]", "}}, {name: f, source: {resourceClaimName: d}}]");
    let nowhere =
        "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [c]}]}]}";
    let elsewhere = |spec: &str, reserved: &str| {
        claim(
            "c",
            "",
            spec,
            &format!(
                "driverName: gpu.example.com, allocation: {{shareable: true, availableOnNodes: {nowhere}}}{reserved}"
            ),
        )
    };
    for release in EVERY {
        let (early, rules_28) = (matches!(*release, "1.26" | "1.27"), *release == "1.28");
        let driver = if early || rules_28 {
            "waiting for resource driver to allocate resource"
        } else {
            "waiting for resource driver"
        };
        assert_eq!(
            next(release, &[&class, &waiting, POD]).as_deref(),
            Some(driver),
            "{release}"
        );
        let information = "waiting for resource driver to provide information";
        // The first round publishes the potential nodes; from 1.29 on the pod waits until they are written.
        let late = matches!(*release, "1.29" | "1.30");
        let first_round = if late { driver } else { information };
        assert_eq!(
            next(release, &[&class, &waiting, &second, &two]).as_deref(),
            Some(first_round),
            "{release}"
        );
        let asked = context(release, "u1", "potentialNodes: [a, b]", "");
        assert_eq!(
            next(release, &[&class, &waiting, &second, &asked, &two]).as_deref(),
            Some(information),
            "{release}"
        );
        let partly = context(release, "u1", "potentialNodes: [a]", "{name: e}");
        assert_eq!(
            next(release, &[&class, &waiting, &second, &partly, &two]).as_deref(),
            Some(first_round),
            "{release}"
        );
        // The only remaining node is already selected: nothing changes.
        let chosen = context(
            release,
            "u1",
            "potentialNodes: [a, b], selectedNode: a",
            "{name: e, unsuitableNodes: [b]}",
        );
        assert_eq!(
            next(release, &[&class, &waiting, &chosen, POD]).as_deref(),
            Some(information),
            "{release}"
        );
        let said = context(
            release,
            "u1",
            "potentialNodes: [a, b]",
            "{name: e}, {name: f}",
        );
        assert_eq!(
            next(release, &[&class, &waiting, &second, &said, &two]).as_deref(),
            Some(driver),
            "{release}"
        );

        // Allocated elsewhere and reserved by nobody: the scheduler frees it. Of mode Immediate, or reserved: it does not.
        let freed = (*release == "1.30").then_some("deallocation of ResourceClaim completed");
        assert_eq!(
            next(release, &[&elsewhere("", ""), POD]).as_deref(),
            freed,
            "{release}"
        );
        let own = ", reservedFor: [{resource: pods, name: p, uid: u1}]";
        assert_eq!(
            next(release, &[&elsewhere("", own), POD]).as_deref(),
            freed,
            "{release}"
        );
        let still = Some("still not schedulable");
        let other = ", reservedFor: [{resource: pods, name: q, uid: u2}]";
        assert_eq!(
            next(release, &[&elsewhere("", other), POD]).as_deref(),
            still,
            "{release}"
        );
        assert_eq!(
            next(
                release,
                &[&elsewhere(", allocationMode: Immediate", ""), POD]
            )
            .as_deref(),
            still,
            "{release}"
        );
        // Of mode Immediate it stays, even if the scheduler itself allocated it: `Filter` asks for the controller, which
        // only claims that are not allocated have.
        let status =
            format!("driverName: gpu.example.com, allocation: {{availableOnNodes: {nowhere}}}");
        let own = claim(
            "c",
            ", finalizers: [dra.k8s.io/delete-protection]",
            ", allocationMode: Immediate",
            &status,
        );
        assert_eq!(next(release, &[&own, POD]).as_deref(), still, "{release}");
        // Upstream's mistake up to 1.29: the first claim's mode decides about the second.
        let first = claim("c", "", "", "driverName: gpu.example.com, allocation: {}");
        let second = elsewhere(", allocationMode: Immediate", "").replace("name: c}", "name: d}");
        let expected = if *release == "1.30" { still } else { None };
        assert_eq!(
            next(release, &[&first, &second, &two]).as_deref(),
            expected,
            "{release}"
        );
        let deleted = claim("c", ", deletionTimestamp: \"2024-01-01T00:00:00Z\"", "", "");
        assert_eq!(
            next(release, &[&class, &deleted, POD]).as_deref(),
            Some("no new claims to deallocate"),
            "{release}"
        );
        // Allocated and available: no reason remains.
        let fine = claim("c", "", "", "driverName: gpu.example.com, allocation: {}");
        assert_eq!(next(release, &[&fine, POD]), None, "{release}");
    }
}

#[test]
fn what_is_not_modelled_is_said_once() {
    let answer = ask("1.30", &[&class(""), &claim("c", "", "", ""), POD]);
    let findings = answer["findings"].as_array().unwrap();
    assert_eq!(
        findings
            .iter()
            .filter(|finding| finding["code"] == "placement-not-modelled")
            .count(),
        1
    );
    assert_eq!(answer["ok"], true, "{answer}");
    let bound = POD.replace("spec: {", "spec: {nodeName: a, ");
    let answer = ask("1.30", &[&class(""), &claim("c", "", "", ""), &bound]);
    assert!(
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == "pod-bound"),
        "{answer}"
    );
}

#[test]
fn templates_and_classes_alone() {
    let class = class(&format!(", suitableNodes: {ONLY_A}"));
    let template = "{kind: ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {resourceClassName: gpu}}}";
    only_a(
        EVERY,
        &[&class, template],
        "Possible",
        ("No", "excluded by resource class node filter"),
    );
    only_a(
        EVERY,
        &[&class],
        "Possible",
        ("No", "excluded by resource class node filter"),
    );
}

/// A scheduling context has no place of its own, and the answer does not say that the text holds nothing of the group.
#[test]
fn objects_without_a_place_are_told_from_none() {
    let text =
        "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata: {name: pod}\n";
    let request = serde_json::json!({"verb": "evaluate", "text": text, "nodes": ""});
    let answer = crate::support::ask(&request);
    let finding = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["code"] == "nothing-checked")
        .unwrap();
    let message = "nothing was checked: the text holds no pod with claims, and no claim, template or class of v1alpha1 or v1alpha2";
    assert_eq!(
        (&finding["message"], &answer["ok"]),
        (&message.into(), &false.into()),
        "{answer}"
    );
}
