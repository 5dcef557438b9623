//! What claimkit says itself is true: each kind of sentence has a checker that reads the objects on its own.
//!
//! The clusters are made from seeds. `CLAIMKIT_TRUTH` is their number; `make test-truth` runs 100,000.

mod generate;

use crate::support::ask;
use generate::{claim_of_any_shape, cluster, is_shared, selector, text};
use serde_json::{Value, json};

/// The number of seeds without `CLAIMKIT_TRUTH`.
const SAMPLE: u64 = 60;

/// A cluster and what claimkit answers about it.
struct Case {
    objects: Vec<Value>,
    answer: Value,
}

impl Case {
    fn of(seed: u64) -> Self {
        let objects = cluster(seed);
        let answer = allocate(&objects, &json!({}));
        Case { objects, answer }
    }

    /// Returns the object of a kind and name.
    fn object(&self, kind: &str, name: &str) -> Option<&Value> {
        find(&self.objects, kind, name)
    }
}

/// A kind of sentence, and what is wrong with those in an answer.
struct Kind {
    name: &'static str,
    lies: fn(&Case) -> Vec<String>,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "decision",
        lies: lies_of_decisions,
    },
    Kind {
        name: "warning",
        lies: lies_of_warnings,
    },
    Kind {
        name: "reason of a device",
        lies: lies_of_holders,
    },
    Kind {
        name: "reason in one line",
        lies: lies_of_reasons,
    },
    Kind {
        name: "excluded nodes",
        lies: lies_of_excluded,
    },
    Kind {
        name: "what helps",
        lies: lies_of_helps,
    },
    Kind {
        name: "finding of the audit",
        lies: lies_of_audit,
    },
];

fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("CLAIMKIT_TRUTH").ok();
    0..asked.map_or(SAMPLE, |number| number.parse().unwrap())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn find<'o>(objects: &'o [Value], kind: &str, name: &str) -> Option<&'o Value> {
    objects
        .iter()
        .find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
}

fn allocate(objects: &[Value], more: &Value) -> Value {
    let mut request = json!({"verb": "allocate", "release": "1.37.2", "text": text(objects)});
    let fields = request.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let answer = ask(&request);
    assert!(answer["error"].is_null(), "{answer}");
    answer
}

/// Returns the name behind the namespace.
fn short(full: &str) -> &str {
    full.rsplit('/').next().unwrap()
}

/// Returns the words of a sentence that begin with a prefix, without signs at their ends.
fn words_with<'s>(sentence: &'s str, prefix: &'s str) -> impl Iterator<Item = &'s str> {
    sentence
        .split_whitespace()
        .map(|word| word.trim_matches([',', '.', ';', ':', '(', ')']))
        .filter(move |word| word.starts_with(prefix))
}

/// A pod gets free devices of its own node, each once.
fn lies_of_decisions(case: &Case) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for claim in &case.objects {
        for result in list(&claim["status"]["allocation"]["devices"]["results"]) {
            taken.push(device_of(result));
        }
    }
    let mut lies = Vec::new();
    for pod in list(&case.answer["pods"]) {
        let Some(node) = pod["turn"]["node"].as_str() else {
            continue;
        };
        for device in list(&pod["turn"]["devices"]) {
            let name = device["device"].as_str().unwrap().to_owned();
            let parts: Vec<&str> = name.split('/').collect();
            if parts[1] != node || published(case, &name).is_none() {
                lies.push(format!("{} gets {name} on {node}", pod["pod"]));
            }
            if taken.contains(&name) && !is_shared(parts[1], parts[0].split('.').next().unwrap()) {
                lies.push(format!("{} gets {name}, which is taken", pod["pod"]));
            }
            taken.push(name);
        }
    }
    lies
}

fn device_of(result: &Value) -> String {
    let part = |name: &str| result[name].as_str().unwrap();
    format!("{}/{}/{}", part("driver"), part("pool"), part("device"))
}

/// Returns the device that a slice publishes under `driver/pool/device`.
fn published<'c>(case: &'c Case, name: &str) -> Option<&'c Value> {
    let parts: Vec<&str> = name.split('/').collect();
    let slice = case.objects.iter().find(|object| {
        object["kind"] == "ResourceSlice"
            && object["spec"]["devices"].is_array()
            && object["spec"]["driver"] == parts[0]
            && object["spec"]["pool"]["name"] == parts[1]
    })?;
    list(&slice["spec"]["devices"])
        .iter()
        .find(|device| device["name"] == parts[2])
}

/// A warning about a device is about one that a pod gets, and eviction about one with such a taint.
fn lies_of_warnings(case: &Case) -> Vec<String> {
    let given: Vec<&str> = list(&case.answer["pods"])
        .iter()
        .flat_map(|pod| list(&pod["turn"]["devices"]))
        .filter_map(|device| device["device"].as_str())
        .collect();
    let about_gains = [
        "tolerated-but-evicted",
        "share-takes-all",
        "admin-access-in-use",
    ];
    let mut lies = Vec::new();
    for finding in list(&case.answer["findings"]) {
        let code = finding["code"].as_str().unwrap();
        if !about_gains.contains(&code) {
            continue;
        }
        let message = finding["message"].as_str().unwrap();
        let named = message
            .split_whitespace()
            .map(|word| word.trim_matches([',', '.', ':', ';']))
            .find(|word| word.contains(".example.com/"));
        let device = named.and_then(|name| published(case, name));
        let has_taint = device.is_some_and(|device| {
            list(&device["taints"])
                .iter()
                .any(|taint| taint["effect"] == "NoExecute")
        });
        let is_right = named.is_some_and(|name| given.contains(&name))
            && (code != "tolerated-but-evicted" || has_taint);
        if !is_right {
            lies.push(message.to_owned());
        }
    }
    lies
}

/// Returns all sentences about nodes of all pods.
fn sentences(answer: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for pod in list(&answer["pods"]) {
        for group in list(&pod["turn"]["refused"]) {
            all.extend(list(&group["why"]).iter().cloned());
        }
        for node in list(&pod["nodes"]) {
            all.push(node["text"].clone());
            for request in list(&node["requests"]) {
                all.push(request["why"].clone());
                all.extend(
                    list(&request["cells"])
                        .iter()
                        .map(|cell| cell["text"].clone()),
                );
            }
        }
    }
    all.iter()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// A claim that holds a device has it in the cluster.
fn lies_of_holders(case: &Case) -> Vec<String> {
    let is_allocated = |full: &str| {
        let claim = case.object("ResourceClaim", short(full));
        claim.is_some_and(|claim| claim["status"]["allocation"].is_object())
    };
    let mut lies = Vec::new();
    for sentence in sentences(&case.answer) {
        for part in sentence.split("held by ").skip(1) {
            let held = part.split("given to ").next().unwrap_or_default();
            if words_with(held, "default/").any(|name| !is_allocated(name)) {
                lies.push(sentence.clone());
            }
        }
        for part in sentence.split("given to ").skip(1) {
            let given = part.split("held by ").next().unwrap_or_default();
            if words_with(given, "default/").any(is_allocated) {
                lies.push(sentence.clone());
            }
        }
    }
    lies
}

/// Returns the pod that is tried first, with the claim that it names. Before it nothing has changed.
fn first(case: &Case) -> Option<(&Value, &Value)> {
    let pod = list(&case.answer["pods"]).first()?;
    let name = short(pod["pod"].as_str()?);
    Some((pod, case.object("ResourceClaim", &format!("{name}-c"))?))
}

/// Returns the names of the nodes that give a claim all its devices, were it alone.
fn nodes_that_give(objects: &[Value], claim: &Value) -> Vec<String> {
    let name = &claim["metadata"]["name"];
    let kept = objects.iter().filter(|object| {
        object["kind"] != "Pod"
            && (object["kind"] != "ResourceClaim" || object["metadata"]["name"] != *name)
    });
    let objects: Vec<Value> = kept.cloned().chain([claim.clone()]).collect();
    let answer = allocate(&objects, &json!({"claims": [name]}));
    list(&answer["pods"][0]["nodes"])
        .iter()
        .filter(|node| node["verdict"] == "allocated")
        .map(|node| node["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the constraints of a claim that a request has when it is alone.
fn constraints_on(claim: &Value, request: &str) -> Vec<Value> {
    let mut constraints = Vec::new();
    for constraint in list(&claim["spec"]["devices"]["constraints"]) {
        let requests = list(&constraint["requests"]);
        let is_named = requests
            .iter()
            .filter_map(Value::as_str)
            .any(|name| name.split('/').next() == Some(request));
        if requests.is_empty() || is_named {
            let mut alone = constraint.clone();
            alone["requests"] = json!([request]);
            constraints.push(alone);
        }
    }
    constraints
}

/// A request that is named as the reason cannot be met on these nodes, even alone.
fn lies_of_reasons(case: &Case) -> Vec<String> {
    let Some((pod, claim)) = first(case) else {
        return Vec::new();
    };
    let mut lies = Vec::new();
    for group in list(&pod["turn"]["refused"]) {
        for why in list(&group["why"]).iter().filter_map(Value::as_str) {
            let Some((request, _)) = why.split_once(": ") else {
                continue;
            };
            let request = request.split('/').next().unwrap();
            let mut alone = claim.clone();
            let requests = list(&claim["spec"]["devices"]["requests"]);
            let own = requests.iter().find(|one| one["name"] == request);
            let Some(own) = own else { continue };
            alone["spec"]["devices"] =
                json!({"requests": [own], "constraints": constraints_on(claim, request)});
            let nodes = nodes_that_give(&case.objects, &alone);
            let named = list(&group["nodes"]).iter().filter_map(Value::as_str);
            // A group has the reasons of several nodes: one of them has this one.
            if named.clone().count() > 0
                && named.clone().all(|node| nodes.contains(&node.to_owned()))
            {
                lies.push(format!("{}: {why}", pod["pod"]));
            }
        }
    }
    lies
}

/// Nodes that the pod is said to exclude lack a label that it selects, and the others have all of them.
fn lies_of_excluded(case: &Case) -> Vec<String> {
    let mut lies = Vec::new();
    for answered in list(&case.answer["pods"]) {
        let Some(pod) = answered["pod"].as_str() else {
            continue;
        };
        let object = case.object("Pod", short(pod)).unwrap();
        let wanted = object["spec"]["nodeSelector"].as_object();
        for group in list(&answered["turn"]["refused"]) {
            for node in list(&group["nodes"]).iter().filter_map(Value::as_str) {
                let labels = &case.object("Node", node).unwrap()["metadata"]["labels"];
                let matches = wanted
                    .is_none_or(|wanted| wanted.iter().all(|(key, value)| labels[key] == *value));
                let is_excluded = group["unwanted"] == true;
                if is_excluded == matches {
                    lies.push(format!("{pod}: {node} is excluded: {is_excluded}"));
                }
            }
        }
    }
    lies
}

/// Returns a JSON pointer for `spec.devices.requests[0].exactly.count`.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace(['.', '['], "/").replace(']', ""))
}

/// Makes a change in the objects.
fn apply(objects: &mut [Value], change: &Value) {
    let name = short(change["claim"].as_str().unwrap()).to_owned();
    let claim = objects
        .iter_mut()
        .find(|object| object["kind"] == "ResourceClaim" && object["metadata"]["name"] == *name)
        .unwrap();
    if change["free"] == "claim" {
        claim.as_object_mut().unwrap().remove("status");
        // It is not pending itself: its devices are free, and it is gone.
        claim["kind"] = json!("ConfigMap");
        claim["apiVersion"] = json!("v1");
        return;
    }
    let path = pointer(change["path"].as_str().unwrap());
    let (above, last) = path.rsplit_once('/').unwrap();
    if change["set"] == "count" {
        let count: u64 = change["to"].as_str().unwrap().parse().unwrap();
        claim.pointer_mut(above).unwrap()["count"] = json!(count);
    } else if change["set"] == "allocationMode" {
        let ask = claim.pointer_mut(above).unwrap();
        ask["allocationMode"] = json!("ExactCount");
        ask["count"] = json!(1);
    } else if change["add"] == "toleration" {
        let ask = claim.pointer_mut(above).unwrap();
        let mut tolerations = list(&ask["tolerations"]).to_vec();
        tolerations.push(change["toleration"].clone());
        ask["tolerations"] = json!(tolerations);
    } else if change["drop"] == "capacity" {
        let asked = claim.pointer_mut(above).unwrap();
        asked.as_object_mut().unwrap().remove(last);
    } else if change["set"] == "capacity" {
        // A request may be charged for a capacity that it does not name.
        let request = above.strip_suffix("/capacity/requests").unwrap();
        let ask = claim.pointer_mut(request).unwrap();
        ask["capacity"]["requests"][last] = change["to"].clone();
    } else if change["set"] == "selector" {
        *claim.pointer_mut(&path).unwrap() = change["to"].clone();
    } else if change["set"] == "capacityName" {
        let asked = claim.pointer_mut(above).unwrap().as_object_mut().unwrap();
        let amount = asked.remove(last).unwrap();
        asked.insert(change["to"].as_str().unwrap().to_owned(), amount);
    } else if change["drop"].is_string() {
        let index: usize = last.parse().unwrap();
        claim
            .pointer_mut(above)
            .unwrap()
            .as_array_mut()
            .unwrap()
            .remove(index);
    } else {
        panic!("a change that is not known here: {change}");
    }
}

/// A change that is said to help gives the claim its devices on the node, once it is made.
fn lies_of_helps(case: &Case) -> Vec<String> {
    let Some((pod, claim)) = first(case) else {
        return Vec::new();
    };
    let mut lies = Vec::new();
    for node in list(&pod["nodes"]) {
        for relaxation in list(&node["relaxations"]) {
            let mut objects = case.objects.clone();
            // They can be made one after the other.
            let changes = list(&relaxation["changes"]);
            changes
                .iter()
                .for_each(|change| apply(&mut objects, change));
            let name = claim["metadata"]["name"].as_str().unwrap();
            let changed = find(&objects, "ResourceClaim", name).unwrap().clone();
            let nodes = nodes_that_give(&objects, &changed);
            let own = relaxation["node"].as_str().unwrap().to_owned();
            if !nodes.contains(&own) {
                lies.push(format!("{}: {}", pod["pod"], relaxation["text"]));
            }
        }
    }
    lies
}

/// A claim that is said to be reserved for a pod which is not there is reserved for it, and the pod is not there.
fn lies_of_audit(case: &Case) -> Vec<String> {
    let audit = ask(&json!({"verb": "audit", "release": "1.37.2", "text": text(&case.objects)}));
    audit_lies(case, &audit)
}

/// Returns true if no node gives a claim its devices where nobody holds any and none is tainted.
fn never_fits(case: &Case, claim: &Value, message: &str) -> bool {
    let mut empty = case.objects.clone();
    empty.retain(|object| {
        let kind = object["kind"].as_str().unwrap();
        !["ResourceClaim", "DeviceTaintRule"].contains(&kind)
    });
    for device in empty
        .iter_mut()
        .filter_map(|object| object["spec"]["devices"].as_array_mut())
        .flatten()
    {
        device.as_object_mut().unwrap().remove("taints");
    }
    let fits = |claim: &Value| !nodes_that_give(&empty, claim).is_empty();
    let mut free = claim.clone();
    free["spec"]["devices"]
        .as_object_mut()
        .unwrap()
        .remove("constraints");
    let fits_alone = |request: &Value| {
        let mut alone = free.clone();
        alone["spec"]["devices"]["requests"] = json!([request]);
        fits(&alone)
    };
    !fits(claim)
        && (!message.contains("without its constraints one has") || fits(&free))
        && (!message.contains("for each request alone one has")
            || list(&claim["spec"]["devices"]["requests"])
                .iter()
                .all(fits_alone))
}

fn audit_lies(case: &Case, audit: &Value) -> Vec<String> {
    let mut lies = Vec::new();
    for finding in list(&audit["findings"]) {
        let message = finding["message"].as_str().unwrap();
        let is_true = match finding["code"].as_str().unwrap() {
            "reserved-for-gone" => {
                let is_of = |claim: &&Value| {
                    let name = claim["metadata"]["name"].as_str().unwrap();
                    claim["kind"] == "ResourceClaim"
                        && words_with(message, "default/").any(|word| short(word) == name)
                };
                let claim = case.objects.iter().find(is_of).unwrap();
                let users = list(&claim["status"]["reservedFor"]);
                let is_held = claim["status"]["allocation"].is_object();
                match users {
                    [] => is_held && message.contains("no pod reserves it"),
                    users => users.iter().any(|user| {
                        let name = user["name"].as_str().unwrap();
                        words_with(message, "default/").any(|word| short(word) == name)
                            && case.object("Pod", name).is_none()
                    }),
                }
            }
            "device-held-twice" => {
                let device = words_with(message, "")
                    .find(|word| word.contains(".example.com/"))
                    .unwrap();
                let claims = case.objects.iter().filter(|claim| {
                    list(&claim["status"]["allocation"]["devices"]["results"])
                        .iter()
                        .any(|result| device_of(result) == device)
                });
                claims.count() > 1
            }
            "claim-never-fits" => {
                let name = words_with(message, "default/").next().map(short).unwrap();
                let claim = case.object("ResourceClaim", name);
                never_fits(case, claim.unwrap(), message)
            }
            "device-unpublished" => words_with(message, "")
                .find(|word| word.contains(".example.com/"))
                .is_some_and(|device| published(case, device).is_none()),
            _ => true,
        };
        if !is_true {
            lies.push(message.to_owned());
        }
    }
    lies
}

#[test]
fn sentences_about_clusters_are_true() {
    let mut said = 0;
    for seed in seeds() {
        let case = Case::of(seed);
        said += sentences(&case.answer).len();
        for kind in &KINDS {
            let lies = (kind.lies)(&case);
            assert!(
                lies.is_empty(),
                "seed {seed}, {}: {lies:#?}\n{}",
                kind.name,
                text(&case.objects)
            );
        }
    }
    assert!(said > 100, "too little is said to be checked: {said}");
}

/// A pod that is repeated fits as often as its copies get nodes in its place.
#[test]
fn a_pod_fits_as_often_as_its_copies_do() {
    let mut more_than_none = 0;
    for seed in seeds().filter(|seed| seed % 3 == 0) {
        let objects = with_templates(&cluster(seed));
        let pods: Vec<String> = objects
            .iter()
            .filter(|object| object["kind"] == "Pod")
            .map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned())
            .collect();
        let name = &pods[usize::try_from(seed).unwrap() % pods.len()];
        let more = json!({"pod": format!("default/{name}"), "howMany": true});
        let count = allocate(&objects, &more)["howMany"]["count"]
            .as_u64()
            .unwrap();
        let copies = usize::try_from(count).unwrap() + 1;
        let repeated = allocate(&copied(&objects, name, copies), &json!({}));
        let own = list(&repeated["pods"]).iter().filter(|pod| {
            let pod = short(pod["pod"].as_str().unwrap_or_default());
            pod == name || pod.starts_with(&format!("{name}-copy"))
        });
        let placed = own.filter(|pod| pod["turn"]["node"].is_string()).count();
        assert_eq!(
            copies - 1,
            placed,
            "seed {seed}, {name}\n{}",
            text(&objects)
        );
        more_than_none += usize::from(count > 0);
    }
    assert!(more_than_none > 0);
}

/// Makes a template of each claim that waits, and pods that no server has seen.
fn with_templates(objects: &[Value]) -> Vec<Value> {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        if object["kind"] == "ResourceClaim" && object["status"].is_null() {
            object["kind"] = json!("ResourceClaimTemplate");
            object["spec"] = json!({"spec": object["spec"]});
        } else if object["kind"] == "Pod" {
            object["metadata"].as_object_mut().unwrap().remove("uid");
            let name = object["spec"]["resourceClaims"][0]["resourceClaimName"].clone();
            object["spec"]["resourceClaims"] =
                json!([{"name": "c", "resourceClaimTemplateName": name}]);
        }
    }
    objects
}

/// Writes copies of a pod behind it.
fn copied(objects: &[Value], name: &str, copies: usize) -> Vec<Value> {
    let mut all = Vec::new();
    for object in objects {
        all.push(object.clone());
        if object["kind"] == "Pod" && object["metadata"]["name"] == name {
            for at in 1..copies {
                let mut copy = object.clone();
                copy["metadata"]["name"] = json!(format!("{name}-copy{at}"));
                all.push(copy);
            }
        }
    }
    all
}

/// A device without the attribute that the selectors read.
fn bare_device() -> Value {
    json!({"driver": "gpu.example.com", "attributes": {"other": {"string": "x"}}})
}

/// Returns the expression after the advice that `validate` gives; `None`: it gives none of the kind.
fn advised(expression: &str) -> Option<String> {
    let objects = [
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
            "spec": {"selectors": [{"cel": {"expression": expression}}]},
        }),
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
            "spec": {
                "driver": "gpu.example.com", "nodeName": "n",
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
                "devices": [
                    {"name": "full", "attributes": {"model": {"string": "a"}}},
                    {"name": "bare", "attributes": {"other": {"string": "x"}}},
                ],
            },
        }),
    ];
    let answer = ask(&json!({"verb": "validate", "text": text(&objects)}));
    let finding = list(&answer["findings"])
        .iter()
        .find(|finding| finding["code"] == "selector-fails")?;
    let help = finding["help"].as_str()?;
    let written: Vec<&str> = help.split('`').collect();
    if help.starts_with("begin") {
        Some(format!("{}{expression}", written[1]))
    } else if help.contains("in place of") {
        Some(expression.replacen(written[3], written[1], 1))
    } else if help.starts_with("write") {
        Some(expression.replacen(written[3], &format!("{}{}", written[1], written[3]), 1))
    } else {
        None
    }
}

/// Returns what is wrong with advised code: it does not compile, or fails on the device.
fn fault_of(expression: &str) -> Option<String> {
    let request = json!({"verb": "cel", "expression": expression, "devices": [bare_device()]});
    let answer = ask(&request);
    if answer["compile"]["ok"] != true {
        return Some(answer["compile"].to_string());
    }
    let error = &answer["results"][0]["error"];
    (!error.is_null()).then(|| error.to_string())
}

#[test]
fn advised_guards_compile_and_do_not_fail() {
    let mut given = 0;
    for seed in seeds() {
        let expression = selector(seed);
        if let Some(better) = advised(&expression) {
            given += 1;
            assert_eq!(fault_of(&better), None, "{expression}\n{better}");
        }
    }
    assert!(given > 20, "{given}");
}

/// Returns what is wrong with a converted text: the server of the new version refuses it.
fn refusals_of(converted: &str) -> Vec<String> {
    let answer = ask(&json!({"verb": "validate", "text": converted, "release": "1.37.2"}));
    list(&answer["findings"])
        .iter()
        .filter(|finding| finding["severity"] == "error")
        .map(|finding| finding["message"].to_string())
        .collect()
}

#[test]
fn converted_texts_are_accepted_or_not_given() {
    let mut converted = 0;
    for seed in seeds() {
        let claim = claim_of_any_shape(seed);
        let request = json!({"verb": "convert", "to": "v1", "text": claim.to_string()});
        let answer = ask(&request);
        // Requests of two shapes are of no version, and a request of two kinds is of none.
        let is_of_no_version = {
            let requests = list(&claim["spec"]["devices"]["requests"]);
            let flat = requests.iter().filter(|one| one["exactly"].is_null());
            let flat = flat.count();
            let has_alternatives = |one: &Value| one["firstAvailable"].is_array();
            flat != 0 && flat != requests.len() || requests.iter().any(has_alternatives)
        };
        match answer["text"].as_str().filter(|_| answer["ok"] == true) {
            Some(text) => {
                converted += 1;
                assert_eq!(refusals_of(text), Vec::<String>::new(), "{claim}\n{text}");
            }
            None => assert!(is_of_no_version, "{claim}\n{answer}"),
        }
    }
    assert!(converted > 10, "{converted}");
}

/// Lies that the checkers must find, each made of a true answer.
#[test]
fn planted_lies_are_found() {
    let found = |kind: &str, case: &Case| {
        let kind = KINDS.iter().find(|known| known.name == kind).unwrap();
        !(kind.lies)(case).is_empty()
    };
    let with_node = |case: &Case| {
        list(&case.answer["pods"])
            .iter()
            .position(|pod| !list(&pod["turn"]["devices"]).is_empty())
    };
    let (mut case, at) = (0..)
        .map(Case::of)
        .find_map(|case| with_node(&case).map(|at| (case, at)))
        .unwrap();
    // A device of another node, and one that is given twice.
    let honest = case.answer.clone();
    case.answer["pods"][at]["turn"]["devices"][0]["device"] = json!("gpu.example.com/w9/gpu0");
    assert!(found("decision", &case));
    case.answer = honest.clone();
    let device = case.answer["pods"][at]["turn"]["devices"][0].clone();
    case.answer["pods"][at]["turn"]["devices"] = json!([device, device]);
    assert!(found("decision", &case));
    // A warning of a device that no pod gets, and of a taint that is not there.
    case.answer = honest.clone();
    let warning = |device: &str| json!([{"code": "tolerated-but-evicted", "message": format!("request q0: NoExecute of device {device} is tolerated")}]);
    case.answer["findings"] = warning("gpu.example.com/w9/gpu0");
    assert!(found("warning", &case));
    let untainted = case.objects.iter().find_map(|slice| {
        let device = list(&slice["spec"]["devices"])
            .iter()
            .find(|device| device["taints"].is_null())?;
        let name = device["name"].as_str()?;
        Some(format!(
            "{}/{}/{name}",
            slice["spec"]["driver"].as_str()?,
            slice["spec"]["pool"]["name"].as_str()?
        ))
    });
    case.answer["findings"] = warning(&untainted.unwrap());
    assert!(found("warning", &case));
    // A claim that holds nothing, and one that holds and is said to come first.
    case.answer = honest.clone();
    case.answer["pods"][at]["nodes"][0]["text"] = json!("w0: gpu0: held by default/p0-c (for p0)");
    assert!(found("reason of a device", &case));
    let holder = |case: &Case| {
        case.objects
            .iter()
            .find(|claim| claim["status"]["allocation"].is_object())
            .map(|claim| claim["metadata"]["name"].as_str().unwrap().to_owned())
    };
    let (mut held, name) = (0..)
        .map(Case::of)
        .find_map(|case| holder(&case).map(|name| (case, name)))
        .unwrap();
    held.answer["pods"][0]["nodes"][0]["text"] =
        json!(format!("w0: given to default/{name} (for p)"));
    assert!(found("reason of a device", &held));
    // A request that is not the reason, a node that is not excluded, and a change that does not help.
    let mut case = Case {
        objects: easy(),
        answer: json!({}),
    };
    case.answer = allocate(&case.objects, &json!({}));
    case.answer["pods"][0]["turn"]["refused"] =
        json!([{"reasons": ["x"], "why": ["q0: none"], "nodes": ["w0"]}]);
    assert!(found("reason in one line", &case));
    case.answer["pods"][0]["turn"]["refused"] =
        json!([{"reasons": ["x"], "why": [], "nodes": ["w0"], "unwanted": true}]);
    assert!(found("excluded nodes", &case));
    case.answer["pods"][0]["nodes"][0]["relaxations"] = json!([{
        "changes": [{"set": "count", "claim": "default/p0-c", "request": "q0", "path": "spec.devices.requests[0].exactly.count", "from": "1", "to": "2"}],
        "node": "w0", "text": "count 2 instead of 1",
    }]);
    assert!(found("what helps", &case));
    // A pod that is there is said to be gone.
    let audit = json!({"findings": [{"code": "reserved-for-gone", "message": "claim default/p0-c is reserved for pod default/p0, which is not there"}]});
    assert!(!audit_lies(&case, &audit).is_empty());
    // A claim that gets its device is said never to get it.
    let audit = json!({"findings": [{"code": "claim-never-fits", "message": "no node has the devices for claim default/p0-c, even when all of them are free"}]});
    assert!(!audit_lies(&case, &audit).is_empty());
    // Advice that does not compile, and a text that the server refuses.
    let wrong = "has(device.attributes['gpu.example.com']['model']) && true";
    assert!(fault_of(wrong).is_some());
    assert!(fault_of("device.attributes['gpu.example.com'].model == 'a'").is_some());
    let flat = r#"{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": {"devices": {"requests": [{"name": "q", "deviceClassName": "gpu"}]}}}"#;
    assert!(!refusals_of(flat).is_empty());
}

/// One node with one device, and a pod that gets it.
fn easy() -> Vec<Value> {
    vec![
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w0", "labels": {"zone": "a"}}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}}),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}}),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {"driver": "gpu.example.com", "nodeName": "w0", "pool": {"name": "w0", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "gpu0"}]}}),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "p0-c", "namespace": "default"}, "spec": {"devices": {"requests": [{"name": "q0", "exactly": {"deviceClassName": "gpu", "count": 1, "allocationMode": "ExactCount"}}]}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p0", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "x"}], "resourceClaims": [{"name": "c", "resourceClaimName": "p0-c"}]}}),
    ]
}
