//! The verb `allocate`: the twelve scenarios as texts against the recorded answers of kube-scheduler, older versions, and
//! requests that cannot be used.

use super::place::lines::{all, lean, list, text};
use super::support::fixes;
use crate::support::ask;
use serde_json::{Value, json};

fn scenario(name: &str) -> String {
    let path = format!(
        "{}/tests/vectors/alloc/scenarios/{name}.yaml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn scenarios() {
    let mut seen = 0;
    for line in all("plugin-1.36.3").filter(|line| text(line, "id").starts_with("scenario/")) {
        let name = text(&line, "id").trim_start_matches("scenario/").to_owned();
        let mut request = json!({"verb": "allocate", "release": "1.36.3", "text": scenario(&name)});
        if line["gates"].is_object() {
            request["gates"] = line["gates"].clone();
        }
        let answer = ask(&request);
        assert!(answer["error"].is_null(), "{name}: {answer}");
        assert_eq!(
            (&answer["release"], &answer["allocator"]),
            (&json!("1.36.3"), &json!("incubating")),
            "{name}"
        );
        let pods = list(&answer, "pods");
        assert_eq!(pods.len(), 1, "{name}");
        for (node, recorded) in line["answers"]["filter"].as_object().unwrap() {
            let told = list(&pods[0], "nodes")
                .iter()
                .find(|told| told["name"] == node.as_str())
                .unwrap();
            match text(recorded, "code") {
                "Success" => {
                    assert_eq!(told["verdict"], "allocated", "{name} {node}");
                    let wanted = lean(&recorded["results"]["allocations"]);
                    if !wanted.is_null() && wanted != json!([]) {
                        assert_eq!(lean(&told["allocations"]), wanted, "{name} {node}");
                    }
                }
                _ => {
                    assert_ne!(told["verdict"], "allocated", "{name} {node}");
                    assert_eq!(told["message"], recorded["reasons"][0], "{name} {node}");
                }
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 12);
}

/// A finding of the allocator has a position in the text.
#[test]
fn findings_have_places() {
    let answer = ask(&json!({"verb": "allocate", "text": scenario("07-admin-access")}));
    let objects = list(&answer, "objects");
    let placed: Vec<&Value> = list(&answer, "findings")
        .iter()
        .filter(|finding| finding["object"].is_u64())
        .collect();
    assert!(!placed.is_empty(), "{}", answer["findings"]);
    for finding in placed {
        let object = &objects[finding["object"].as_u64().unwrap() as usize];
        let (inner, outer) = (&finding["range"], &object["range"]);
        let within = inner["start"]["byteOffset"].as_u64() >= outer["start"]["byteOffset"].as_u64()
            && inner["end"]["byteOffset"].as_u64() <= outer["end"]["byteOffset"].as_u64();
        assert!(within, "{finding}");
    }
}

/// The objects of a YAML text as a List in JSON.
fn as_json(yaml: &str) -> String {
    let documents = yaml
        .split("\n---\n")
        .map(|text| ask(&json!({"verb": "parse", "raw": true, "text": text}))["raw"].clone());
    let items: Vec<Value> = documents.filter(Value::is_object).collect();
    serde_json::to_string_pretty(&json!({"apiVersion": "v1", "kind": "List", "items": items}))
        .unwrap()
}

/// Applies the edits of every relaxation and asks again. Returns the number of relaxations with and without edits.
fn carried_out(request: &Value) -> (usize, usize) {
    let answer = ask(request);
    let (mut with, mut without) = (0, 0);
    for node in list(&answer["pods"][0], "nodes") {
        for relaxation in list(node, "relaxations") {
            if list(relaxation, "edits").is_empty() {
                without += 1;
                continue;
            }
            let mut edited = request.clone();
            edited["text"] = json!(fixes::apply(text(request, "text"), relaxation));
            let answer = ask(&edited);
            let nodes = list(&answer["pods"][0], "nodes");
            let got = nodes
                .iter()
                .find(|got| got["name"] == relaxation["node"])
                .unwrap_or_else(|| panic!("{relaxation}: {answer}"));
            assert_eq!(
                got["verdict"],
                "allocated",
                "{relaxation}\n{}\n{got}",
                text(&edited, "text")
            );
            let results = list(got, "allocations")
                .iter()
                .flat_map(|one| list(&one["devices"], "results"));
            let devices: Vec<&str> = results.map(|one| text(one, "device")).collect();
            assert_eq!(json!(devices), relaxation["gives"], "{relaxation}");
            with += 1;
        }
    }
    (with, without)
}

/// The edits of an account have the promised effect, in YAML and in JSON.
#[test]
fn edits_help() {
    let (mut with, mut without) = (0, 0);
    for line in all("plugin-1.36.3").filter(|line| text(line, "id").starts_with("scenario/")) {
        let yaml = scenario(text(&line, "id").trim_start_matches("scenario/"));
        for text in [as_json(&yaml), yaml] {
            let mut request = json!({"verb": "allocate", "release": "1.36.3", "text": text});
            if line["gates"].is_object() {
                request["gates"] = line["gates"].clone();
            }
            let counts = carried_out(&request);
            (with, without) = (with + counts.0, without + counts.1);
        }
    }
    println!(
        "{with} relaxations were carried out, {without} are about objects that are not edited"
    );
    assert!(with >= 20, "{with} with edits, {without} without");
}

/// Block style, lists of several items, an older version; requests and conflicts are placed in the text.
#[test]
fn edits_of_blocks() {
    let (head, _) = OLD.split_once("    requests:").unwrap();
    let never = "device.driver == \"no\"";
    let claim = format!(
        "    # Wanted.\n    requests:\n    - name: r\n      deviceClassName: gpu\n      selectors:\n      - cel:\n          expression: {never}\n      # Any size.\n      - cel:\n          expression: 'true'\n"
    );
    let mut tainted = head
        .replace("  - {name: empty}\n", "")
        .replace("  - {name: large,", "  - {name: small2,");
    tainted = tainted.replace(
        "basic: {capacity",
        "basic: {taints: [{key: d.example.com/bad, value: \"yes\", effect: NoSchedule}], capacity",
    );
    let tolerated = claim.replace(never, "'true'");
    for (text, gates) in [
        (format!("{head}{claim}"), json!({})),
        (
            format!("{tainted}{tolerated}"),
            json!({"DRADeviceTaints": true}),
        ),
    ] {
        for text in [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
        ] {
            let request =
                json!({"verb": "allocate", "release": "1.33", "gates": gates, "text": text});
            let (with, without) = carried_out(&request);
            assert!(
                with == 1 && without == 0,
                "{with} with edits, {without} without: {}",
                ask(&request)
            );
            let account = ask(&request)["pods"][0]["nodes"][0].clone();
            let at =
                |range: &Value| &text[range["start"]["byteOffset"].as_u64().unwrap() as usize..];
            assert!(
                at(&account["requests"][0]["range"]).starts_with("name"),
                "{account}"
            );
        }
    }
    let answer = ask(
        &json!({"verb": "allocate", "release": "1.36.3", "text": scenario("05-match-pcie-root")}),
    );
    let conflicts: Vec<&Value> = list(&answer["pods"][0], "nodes")
        .iter()
        .flat_map(|node| list(node, "conflicts"))
        .collect();
    assert!(!conflicts.is_empty());
    assert!(
        conflicts
            .iter()
            .all(|one| one["path"] == "spec.devices.constraints[0]" && one["range"].is_object()),
        "{conflicts:?}"
    );
}

const OLD: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: node-a}
---
apiVersion: resource.k8s.io/v1beta1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "d.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: empty}
  - {name: small, basic: {capacity: {memory: {value: 1Gi}}}}
  - {name: large, basic: {capacity: {memory: {value: 8Gi}}}}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      deviceClassName: gpu
      selectors: [{cel: {expression: 'device.capacity["d.example.com"].memory.compareTo(quantity("2Gi")) > 0'}}]
"#;

/// Versions before v1 are converted and defaulted; a claim without a pod is a group of its own.
#[test]
fn older_version() {
    let answer = ask(&json!({"verb": "allocate", "release": "1.33", "text": OLD}));
    assert_eq!(
        (&answer["ok"], &answer["release"]),
        (&json!(true), &json!("1.33.13")),
        "{answer}"
    );
    let group = &answer["pods"][0];
    assert_eq!(
        (&group["pod"], &group["claims"]),
        (&Value::Null, &json!(["default/c"]))
    );
    let result = &group["nodes"][0]["allocations"][0]["devices"]["results"][0];
    assert_eq!(
        (&result["device"], &result["request"]),
        (&json!("large"), &json!("r")),
        "{group}"
    );
    let named = ask(
        &json!({"verb": "allocate", "release": "1.33", "text": OLD, "claims": ["c"], "nodeNames": ["node-a"]}),
    );
    assert_eq!(named["pods"], answer["pods"]);
}

/// A version that the release does not serve is refused, and its objects are ignored.
#[test]
fn version_not_served() {
    let text = OLD.replace("v1beta1", "v1");
    let answer = ask(&json!({"verb": "allocate", "release": "1.33", "text": text}));
    assert_eq!(answer["ok"], false);
    let refused = list(&answer, "findings")
        .iter()
        .filter(|finding| text_has(finding, "is registered for version"))
        .count();
    assert_eq!(refused, 3, "{}", answer["findings"]);
}

fn text_has(finding: &Value, part: &str) -> bool {
    text(finding, "message").contains(part)
}

/// Nodes may come in a separate text or be named by slices; where no node is known, nothing was placed.
#[test]
fn nodes_apart() {
    let (node, rest) = OLD.split_once("---\n").unwrap();
    let answer = ask(&json!({"verb": "allocate", "release": "1.33", "text": rest, "nodes": node}));
    assert_eq!(
        (&answer["ok"], &answer["pods"][0]["nodes"][0]["name"]),
        (&json!(true), &json!("node-a"))
    );
    // The slice names its node, which is assumed then.
    let answer = ask(&json!({"verb": "allocate", "release": "1.33", "text": rest}));
    assert_eq!(
        (&answer["ok"], &answer["pods"][0]["nodes"][0]["name"]),
        (&json!(true), &json!("node-a"))
    );
    assert!(
        list(&answer, "assumed").iter().any(|line| line
            .as_str()
            .unwrap_or_default()
            .starts_with("Node node-a ")),
        "{answer}"
    );
    let nowhere = rest.replace("nodeName: node-a", "allNodes: true");
    let answer = ask(&json!({"verb": "allocate", "release": "1.33", "text": nowhere}));
    assert_eq!(
        (&answer["ok"], &answer["findings"][0]["code"]),
        (&json!(false), &json!("nothing-checked")),
        "{answer}"
    );
}

#[test]
fn unusable() {
    for (request, part) in [
        (json!({}), "`text` is missing"),
        (json!({"text": "", "release": "1.30"}), "has no devices"),
        (
            json!({"text": "", "gates": {"Nope": true}}),
            "no feature gate `Nope`",
        ),
        (
            json!({"text": "", "features": ["Nope"]}),
            "no feature `Nope`",
        ),
        (json!({"text": "", "pod": "a/b"}), "no Pod `a/b`"),
        (
            json!({"text": "", "claims": ["b"]}),
            "no ResourceClaim `default/b`",
        ),
        (json!({"text": "", "nodeNames": ["b"]}), "no Node `b`"),
        (
            json!({"text": "", "options": {"steps": 1}}),
            "unknown field `steps`",
        ),
    ] {
        let mut request = request;
        request["verb"] = json!("allocate");
        let answer = ask(&request);
        assert!(
            answer["error"].as_str().unwrap_or_default().contains(part),
            "{request}: {answer}"
        );
        assert_eq!(answer["ok"], false);
    }
}

/// A pod that is not yet on a server gets the claims from its templates. Accounts refer to the templates, because a claim cannot
/// be changed.
#[test]
fn templates_of_new_pods() {
    let cluster = "apiVersion: v1
kind: Node
metadata: {name: node-a}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: slice}
spec:
  driver: d.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
---
";
    let template = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two, namespace: ns}
spec:
  spec:
    devices:
      requests:
      - name: gpus
        exactly:
          deviceClassName: gpu
          count: 2
---
";
    let spec = "{containers: [{name: c, image: x}], resourceClaims: [{name: gpus, resourceClaimTemplateName: two}]}";
    let pod =
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: ns}}\nspec: {spec}\n");
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: p, namespace: ns}}\nspec: {{template: {{spec: {spec}}}}}\n"
    );
    for waiting in [&pod, &deployment] {
        let whole = format!("{cluster}{template}{waiting}");
        let request = json!({"verb": "allocate", "release": "1.36.3", "text": whole});
        let answer = ask(&request);
        assert_eq!(
            answer["assumed"],
            json!(["ResourceClaim ns/p-gpus is made from ResourceClaimTemplate two for a new pod"])
        );
        let account = &answer["pods"][0];
        assert_eq!(
            (&account["pod"], &account["claims"]),
            (&json!("ns/p"), &json!(["ns/p-gpus"])),
            "{answer}"
        );
        assert_eq!(account["nodes"][0]["message"], "cannot allocate all claims");
        let range = &account["nodes"][0]["requests"][0]["range"];
        let at = |end: &str| range[end]["byteOffset"].as_u64().unwrap() as usize;
        assert!(whole[at("start")..at("end")].contains("exactly"), "{range}");
        assert!(at("start") > whole.find("name: two").unwrap(), "{range}");
        assert_eq!(carried_out(&request), (1, 0));
        let codes: Vec<&str> = list(&answer, "findings")
            .iter()
            .map(|finding| text(finding, "code"))
            .collect();
        assert_eq!(codes, ["placement-not-modelled"], "{answer}");
    }
    // A pod of a server waits for its controller, and an existing claim also refers to its template.
    let seen = pod.replace("name: p,", "name: p, uid: u,");
    let request = json!({"verb": "allocate", "release": "1.36.3", "text": format!("{cluster}{template}{seen}")});
    let answer = ask(&request);
    assert_eq!(
        answer["pods"][0]["before"]["message"],
        "pod \"ns/p\": ResourceClaim not created yet"
    );
    assert!(answer["assumed"].is_null());
    let made = format!(
        "{cluster}{template}{seen}status: {{resourceClaimStatuses: [{{name: gpus, resourceClaimName: p-1}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: p-1, namespace: ns, ownerReferences: [{{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}}]}}
spec: {{devices: {{requests: [{{name: gpus, exactly: {{deviceClassName: gpu, count: 2}}}}]}}}}
"
    );
    let answer = ask(&json!({"verb": "allocate", "release": "1.36.3", "text": made}));
    // The change is of the claim that the pod uses, and of the template for the next one.
    let relaxation = &answer["pods"][0]["nodes"][0]["relaxations"][0];
    let of = |range: &Value| range["start"]["byteOffset"].as_u64().unwrap() as usize;
    let (pod, at) = (
        made.find("kind: Pod").unwrap(),
        of(&relaxation["changes"][0]["range"]),
    );
    assert!(made[..at].ends_with("count: ") && at > pod, "{relaxation}");
    let places: Vec<usize> = list(relaxation, "edits")
        .iter()
        .map(|edit| of(&edit["range"]))
        .collect();
    assert!(
        matches!(places.as_slice(), [template, claim] if *template < pod && *claim == at),
        "{relaxation}"
    );
    assert_eq!(
        carried_out(&json!({"verb": "allocate", "release": "1.36.3", "text": made})),
        (1, 0)
    );
    // If the template changed since, its positions are not those of the claim.
    let changed = made.replace(
        "  deviceClassName: gpu\n",
        "  allocationMode: ExactCount\n          deviceClassName: gpu2\n",
    );
    assert_ne!(changed, made);
    let answer = ask(&json!({"verb": "allocate", "release": "1.36.3", "text": changed}));
    let relaxation = &answer["pods"][0]["nodes"][0]["relaxations"][0];
    let at = relaxation["edits"][0]["range"]["start"]["byteOffset"]
        .as_u64()
        .unwrap() as usize;
    assert!(
        changed[..at].ends_with("count: ") && at > changed.find("kind: Pod").unwrap(),
        "{relaxation}"
    );
}

/// The answer names what was not checked: with the gate on, node resources are unchecked only if no device uses them.
#[test]
fn what_is_not_looked_at() {
    let slice = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: node-a
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d, nodeAllocatableResourceMappings: {cpu: {allocationMultiplier: \"2\"}}}]
";
    for on in [false, true] {
        let text_of = format!("{slice}---\n{}", scenario("04-all-in-use"));
        let answer = ask(
            &json!({"verb": "allocate", "release": "1.36", "alone": true, "text": text_of, "gates": {"DRANodeAllocatableResources": on}}),
        );
        let told = list(&answer, "findings")
            .iter()
            .find(|finding| finding["code"] == "placement-not-modelled")
            .unwrap();
        let wanted = if on {
            "not looked at: taints of nodes, their resources where no device takes of them, affinity and other plugins of the scheduler; devices of claims that are not given here count as free; pods that are not given here take none"
        } else {
            "not looked at: taints and resources of nodes, affinity and other plugins of the scheduler; devices of claims that are not given here count as free"
        };
        assert_eq!(text(told, "message"), wanted);
    }
}

/// With the gate on, claims of pod groups are possible; pods are looked at one by one.
#[test]
fn claims_of_pod_groups_are_not_looked_at() {
    let pod = |group: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: grouped, namespace: ns}}\nspec: {{{group}resourceClaims: []}}\n---\n{}",
            scenario("04-all-in-use")
        )
    };
    for (on, group, wanted) in [
        (true, "schedulingGroup: {podGroupName: g}, ", true),
        (false, "schedulingGroup: {podGroupName: g}, ", false),
        (true, "", false),
    ] {
        let answer = ask(
            &json!({"verb": "allocate", "release": "1.36", "alone": true, "text": pod(group), "gates": {"DRAWorkloadResourceClaims": on, "GenericWorkload": on}}),
        );
        let told = list(&answer, "findings")
            .iter()
            .find(|finding| finding["code"] == "placement-not-modelled")
            .unwrap();
        assert_eq!(
            text(told, "message").contains("claims of pod groups (DRAWorkloadResourceClaims), "),
            wanted,
            "{told}"
        );
    }
}

/// Devices that are not ready for binding time out ten minutes after their allocation (kube-scheduler 1.34 to 1.36,
/// `isClaimTimeout`), as far as the request says what time it is.
#[test]
fn devices_time_out() {
    let told = |change: &dyn Fn(&mut Value), now: Value, gates: Value| {
        let result = json!({"request": "r", "driver": "d.example.com", "pool": "n1", "device": "d",
            "bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]});
        let conditions = json!([{"type": "Ready", "status": "False"}]);
        let device = json!({"driver": "d.example.com", "pool": "n1", "device": "d", "conditions": conditions});
        let allocation = json!({"devices": {"results": [result]}, "allocationTimestamp": "2026-05-04T03:00:00Z"});
        let mut claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a", "namespace": "ns"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}},
            "status": {"allocation": allocation, "devices": [device]}});
        change(&mut claim["status"]);
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "1"},
            "spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "a"}]}});
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
        let text =
            json!({"apiVersion": "v1", "kind": "List", "items": [node, claim, pod]}).to_string();
        let mut request = json!({"verb": "allocate", "alone": true, "release": "1.36.3", "text": text, "gates": gates});
        if now.is_string() {
            request["now"] = now;
        }
        let answer = ask(&request);
        assert!(answer["error"].is_null(), "{answer}");
        let node = &answer["pods"][0]["nodes"][0];
        (text_of(node, "message"), text_of(node, "help"))
    };
    let none = (String::new(), String::new());
    let lost = |why: &str| {
        (
            "resourceclaim not available on the node".to_owned(),
            why.to_owned(),
        )
    };
    let late = lost("the devices of ns/a were not ready for binding in time");
    let same: &dyn Fn(&mut Value) = &|_| {};
    for (what, change, now, gates, wanted) in [
        ("no time is given", same, json!(null), json!({}), &none),
        (
            "in time",
            same,
            json!("2026-05-04T03:10:00Z"),
            json!({}),
            &none,
        ),
        (
            "just too late",
            same,
            json!("2026-05-04T03:10:00.000000001Z"),
            json!({}),
            &late,
        ),
        (
            "too late, in another zone",
            same,
            json!("2026-05-04T05:10:01+02:00"),
            json!({}),
            &late,
        ),
        (
            "gate off",
            same,
            json!("2026-05-04T04:00:00Z"),
            json!({"DRADeviceBindingConditions": false}),
            &none,
        ),
        (
            "no device status",
            &|status: &mut Value| status["devices"] = json!([]),
            json!("2026-05-04T04:00:00Z"),
            json!({}),
            &late,
        ),
        (
            "ready",
            &|status: &mut Value| status["devices"][0]["conditions"][0]["status"] = json!("True"),
            json!("2026-05-04T04:00:00Z"),
            json!({}),
            &none,
        ),
        (
            "no time of allocation",
            &|status: &mut Value| status["allocation"]["allocationTimestamp"] = json!(null),
            json!("2026-05-04T04:00:00Z"),
            json!({}),
            &none,
        ),
        (
            "no conditions",
            &|status: &mut Value| {
                status["allocation"]["devices"]["results"][0]["bindingConditions"] = json!(null)
            },
            json!("2026-05-04T04:00:00Z"),
            json!({}),
            &none,
        ),
        (
            "failed",
            &|status: &mut Value| status["devices"][0]["conditions"][0]["type"] = json!("Broken"),
            json!(null),
            json!({}),
            &none,
        ),
        (
            "failed for good",
            &|status: &mut Value| {
                status["devices"][0]["conditions"][0] = json!({"type": "Broken", "status": "True"})
            },
            json!(null),
            json!({}),
            &lost("binding the devices of ns/a failed: d has Broken"),
        ),
        (
            "elsewhere",
            &|status: &mut Value| status["allocation"]["nodeSelector"] = json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}),
            json!(null),
            json!({}),
            &lost("ns/a is allocated, but not for this node"),
        ),
    ] {
        assert_eq!(told(change, now, gates), *wanted, "{what}");
    }
    let answer =
        ask(&json!({"verb": "allocate", "text": scenario("04-all-in-use"), "now": "yesterday"}));
    assert!(text(&answer, "error").starts_with("`now`: "), "{answer}");
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_pod_that_no_node_is_looked_at_for_is_told_what_was_meant() {
    let objects = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: single-gpu, namespace: ns}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: ns}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.exmaple.com}}]}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
---
";
    let help = |uid: &str, entry: &str| {
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: ns, uid: '{uid}'}}\nspec: {{resourceClaims: [{{name: gpu, {entry}}}]}}\n"
        );
        let answer = ask(&json!({"verb": "allocate", "text": format!("{objects}{pod}")}));
        let pods = list(&answer, "pods");
        let pod = pods.iter().find(|pod| pod["pod"] == "ns/p").unwrap();
        (
            text(&pod["before"], "message").to_owned(),
            text(&pod["before"], "help").to_owned(),
        )
    };
    let (message, told) = help("", "resourceClaimTemplateName: single-gpus");
    assert_eq!(message, "pod \"ns/p\": ResourceClaim not created yet");
    assert_eq!(
        told,
        "there is no ResourceClaimTemplate `single-gpus` in namespace `ns`; did you mean `single-gpu`?"
    );
    let (message, told) = help("1", "resourceClaimTemplateName: single-gpu");
    assert_eq!(message, "pod \"ns/p\": ResourceClaim not created yet");
    assert_eq!(
        told,
        "kube-controller-manager has not created the claim from ResourceClaimTemplate `single-gpu` yet"
    );
    let (message, told) = help("", "resourceClaimName: other");
    assert_eq!(message, "could not find ResourceClaim \"ns/other\"");
    assert_eq!(told, "there is no ResourceClaim `other` in namespace `ns`");
    let (message, told) = help("", "resourceClaimName: shared");
    assert_eq!(
        message,
        "request gpu: device class gpu.exmaple.com does not exist"
    );
    assert_eq!(
        told,
        "there is no DeviceClass `gpu.exmaple.com`; did you mean `gpu.example.com`?"
    );
}

#[test]
fn no_slice_is_no_device() {
    let objects = "
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim, namespace: ns}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
";
    let answer = ask(&json!({"verb": "allocate", "text": objects}));
    let found: Vec<&str> = list(&answer, "findings")
        .iter()
        .map(|finding| text(finding, "message"))
        .collect();
    assert!(
        found.contains(&"no ResourceSlice is given: no device is known"),
        "{found:?}"
    );
    assert_eq!(
        answer["pods"][0]["nodes"][0]["message"],
        "cannot allocate all claims"
    );
}

/// Eviction wants a toleration of the very taint with effect NoExecute (kube-controller-manager 1.36,
/// `device_taint_eviction.go`, `claimEvictionTime`); one of another taint does not help.
#[test]
fn eviction_looks_at_each_taint() {
    let told = |key: &str| {
        let taint = json!({"key": "d.example.com/bad", "value": "x", "effect": "NoExecute"});
        let tolerations = json!([{"key": "d.example.com/bad", "operator": "Exists"},
            {"key": key, "operator": "Exists", "effect": "NoExecute"}]);
        let ask_for = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1, "tolerations": tolerations});
        let pool = json!({"name": "n1", "generation": 1, "resourceSliceCount": 1});
        let api = "resource.k8s.io/v1";
        let items = json!([
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
            {"apiVersion": api, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
            {"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {"driver": "x.example.com",
                "nodeName": "n1", "pool": pool, "devices": [{"name": "d0", "taints": [taint]}]}},
            {"apiVersion": api, "kind": "ResourceClaim", "metadata": {"name": "a", "namespace": "default"},
                "spec": {"devices": {"requests": [{"name": "r", "exactly": ask_for}]}}},
        ]);
        let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
        let answer = ask(&json!({"verb": "allocate", "release": "1.36.3", "text": text}));
        assert_eq!(
            answer["pods"][0]["nodes"][0]["verdict"], "allocated",
            "{answer}"
        );
        answer.to_string().contains("\"tolerated-but-evicted\"")
    };
    assert!(told("d.example.com/other"));
    assert!(!told("d.example.com/bad"));
}

/// kube-scheduler 1.35 and 1.36, pkg/scheduler/scheduler.go, `New`: the tracker of slices reads DeviceTaintRules with both gates on.
#[test]
fn rules_without_their_gate_are_said_to_have_no_effect() {
    let text = "
apiVersion: v1
kind: Node
metadata: {name: a}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: x}]}
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec: {deviceSelector: {driver: d.example.com}, taint: {key: k, effect: NoSchedule}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
";
    for (release, gates, verdict, said) in [
        ("1.36", json!({}), "allocated", Some("DRADeviceTaintRules")),
        ("1.36", json!({"DRADeviceTaintRules": true}), "none", None),
        (
            "1.36",
            json!({"DRADeviceTaintRules": false}),
            "allocated",
            Some("DRADeviceTaintRules"),
        ),
        ("1.35", json!({}), "allocated", Some("DRADeviceTaints")),
        (
            "1.35",
            json!({"DRADeviceTaints": true}),
            "allocated",
            Some("DRADeviceTaintRules"),
        ),
    ] {
        let answer =
            ask(&json!({"verb": "allocate", "release": release, "gates": gates, "text": text}));
        assert_eq!(
            answer["pods"][0]["nodes"][0]["verdict"], verdict,
            "{answer}"
        );
        let words = |gate: &str| {
            let is_given = gates.get(gate).is_some();
            match is_given {
                true => {
                    format!("the DeviceTaintRules have no effect: the feature gate {gate} is off")
                }
                false => format!(
                    "the DeviceTaintRules have no effect while the feature gate {gate} is off, as it is in kube-scheduler"
                ),
            }
        };
        let findings = answer["findings"].as_array().unwrap();
        let has = |part: &str| {
            findings
                .iter()
                .any(|finding| finding["message"].as_str().unwrap().starts_with(part))
        };
        assert_eq!(has("the DeviceTaintRules"), said.is_some(), "{answer}");
        assert!(said.is_none_or(|gate| has(&words(gate))), "{answer}");
    }
}

/// Two devices, of 40Gi and 80Gi, and a claim with a selector, which is written as `written`.
fn with_selector(written: &str) -> String {
    format!(
        r#"apiVersion: v1
kind: Node
metadata: {{name: a}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: d.example.com
  nodeName: a
  pool: {{name: a, generation: 1, resourceSliceCount: 1}}
  devices:
  - name: small
    attributes: {{model: {{string: T4}}, cores: {{int: 8}}, driverVersion: {{version: 1.2.3}}, mig: {{bool: false}}}}
    capacity: {{memory: {{value: 40Gi}}}}
  - name: large
    attributes: {{model: {{string: A100}}, cores: {{int: 16}}, driverVersion: {{version: 1.3.0}}, mig: {{bool: false}}}}
    capacity: {{memory: {{value: 80Gi}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c}}
spec:
  devices:
    requests:
    - name: g
      exactly:
        deviceClassName: gpu
        selectors:
        - cel:
            expression: {written}
"#
    )
}

/// Where one comparison keeps every device out, what helps is the comparison with what the nearest device has, not no selector.
#[test]
fn a_selector_is_fitted_to_the_nearest_device() {
    let memory = r#"device.capacity["d.example.com"].memory"#;
    let of = |name: &str| format!(r#"device.attributes["d.example.com"].{name}"#);
    let (cores, model, version, mig) = (of("cores"), of("model"), of("driverVersion"), of("mig"));
    for (expression, said, gives) in [
        (
            format!(r#"{memory}.compareTo(quantity("90Gi")) >= 0"#),
            r#"writing `quantity("80Gi")` instead of `quantity("90Gi")` in selector 0 of request g"#.to_owned(),
            "large",
        ),
        (
            format!(r#"{memory}.compareTo(quantity("10Gi")) <= 0"#),
            r#"writing `quantity("40Gi")` instead of `quantity("10Gi")` in selector 0 of request g"#.to_owned(),
            "small",
        ),
        (
            format!(r#"{memory}.isGreaterThan(quantity("80Gi"))"#),
            format!(r#"writing `{memory}.compareTo(quantity("80Gi")) >= 0` instead of `{memory}.isGreaterThan(quantity("80Gi"))` in selector 0 of request g"#),
            "large",
        ),
        (
            format!("{cores} > 16"),
            format!("writing `{cores} >= 16` instead of `{cores} > 16` in selector 0 of request g"),
            "large",
        ),
        (
            format!("32 <= {cores} && device.driver == \"d.example.com\""),
            "writing `16` instead of `32` in selector 0 of request g".to_owned(),
            "large",
        ),
        (
            format!(r#"{model}.startsWith("T") && {version}.isGreaterThan(semver("2.0.0"))"#),
            format!(r#"writing `{version}.compareTo(semver("1.2.3")) >= 0` instead of `{version}.isGreaterThan(semver("2.0.0"))` in selector 0 of request g"#),
            "small",
        ),
        (
            format!("{mig} == true"),
            "writing `false` instead of `true` in selector 0 of request g".to_owned(),
            "small",
        ),
    ] {
        let block = format!("|-\n              {expression}");
        let single = format!("'{expression}'");
        let double = serde_json::to_string(&expression).unwrap();
        for written in [expression.clone(), block, single, double] {
            let text = with_selector(&written);
            let answer = ask(&json!({"verb": "allocate", "text": text}));
            let helps = &answer["pods"][0]["nodes"][0]["relaxations"];
            assert_eq!(
                helps[0]["text"],
                format!("{said}: gives {gives} on a"),
                "{written}"
            );
            assert!(helps[1].is_null(), "{written}: {helps}");
            let edit = &helps[0]["edits"][0];
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            let byte = |place: &Value| usize::try_from(place["byteOffset"].as_u64().unwrap()).unwrap();
            let mut edited = text.clone();
            edited.replace_range(byte(start)..byte(end), edit["newText"].as_str().unwrap());
            let again = ask(&json!({"verb": "allocate", "text": edited}));
            let node = &again["pods"][0]["nodes"][0];
            assert_eq!(node["verdict"], "allocated", "{edited}");
        }
    }
}

/// Two false comparisons, one in a choice, or one with what is no constant are not fitted: without the selector there is a device.
#[test]
fn a_selector_that_no_one_value_fits_is_dropped() {
    let memory = r#"device.capacity["d.example.com"].memory"#;
    let cores = r#"device.attributes["d.example.com"].cores"#;
    for expression in [
        format!(r#"{cores} == 1 && {memory}.compareTo(quantity("90Gi")) >= 0"#),
        format!("{cores} == 1 || {cores} == 2"),
        format!("!({cores} in [8, 16])"),
        format!("{cores} > {cores}"),
    ] {
        let text = with_selector(&format!("'{expression}'"));
        let answer = ask(&json!({"verb": "allocate", "text": text}));
        let helps = &answer["pods"][0]["nodes"][0]["relaxations"];
        assert_eq!(
            helps[0]["changes"][0]["drop"], "selector",
            "{expression}: {helps}"
        );
    }
}

/// Of two selectors that are dropped together, the later one comes first: the index of the other is then still right.
#[test]
fn two_selectors_are_dropped_one_after_the_other() {
    let model = r#"device.attributes["d.example.com"].model"#;
    let text = with_selector(&format!(
        r#"'{model}.startsWith("H")'
        - cel:
            expression: '{model}.endsWith("H")'"#
    ));
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    let help = &answer["pods"][0]["nodes"][0]["relaxations"][0];
    assert_eq!(
        help["text"],
        "dropping selector 1 of request g and dropping selector 0 of request g: gives small on a"
    );
    assert_eq!(help["changes"][0]["index"], 1);
}
