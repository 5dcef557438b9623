//! `via: "server"`: every recorded answer of kube-apiserver 1.31 to 1.38, and answers that no recorded case shows. Each test of
//! the latter names the upstream function it follows.

use crate::device_vectors::{LATER_LIBRARY, RELEASES, recorded, sent, step};
use crate::support::ask;
use serde_json::{Value, json};

/// What a recorded status says.
fn said(status: &Value) -> Value {
    if status.is_null() {
        return Value::Null;
    }
    let causes = status["details"]["causes"]
        .as_array()
        .or_else(|| status["causes"].as_array());
    let cause = |cause: &Value| json!([cause["field"], cause["reason"], cause["message"]]);
    json!([
        status["code"],
        // An error without a reason.
        if status["reason"] == "" {
            &Value::Null
        } else {
            &status["reason"]
        },
        status["message"],
        causes.map(|causes| causes.iter().map(cause).collect::<Vec<_>>())
    ])
}

/// Leaves out bodies whose kind differs from the URL's: a text has no URL.
#[test]
fn recorded_answers() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for release in RELEASES {
        let text = recorded(release);
        for case in text
            .split('\n')
            .filter(|line| !line.is_empty())
            .step_by(step())
        {
            let case: Value = serde_json::from_str(case).unwrap();
            let id = case["id"].as_str().unwrap();
            if id.contains("/text-")
                || LATER_LIBRARY == (release, id)
                || case.get("panic").is_some()
            {
                continue;
            }
            compared += 1;
            let operation = if case["op"] == "status" {
                "updateStatus"
            } else {
                case["op"].as_str().unwrap()
            };
            let body = case["text"]
                .as_str()
                .map_or_else(|| sent(&case["object"]), str::to_owned);
            let mut request = json!({
                "verb": "validate", "via": "server", "fieldValidation": "Ignore", "text": body, "release": release,
                "operation": operation, "namespaceLabels": case.get("namespaceLabels").cloned().unwrap_or(json!({})),
            });
            if let Some(old) = case.get("old") {
                request["old"] = json!(sent(old));
            }
            if let Some(gates) = case.get("gates") {
                request["gates"] = gates.clone();
            }
            let answer = ask(&request);
            let status = said(&answer["objects"][0]["status"]);
            let of_server = |severity: &str| -> Vec<Value> {
                let findings = answer["findings"].as_array().unwrap().iter();
                let mine = |finding: &&Value| {
                    finding["origin"] == "kube-apiserver" && finding["severity"] == severity
                };
                findings
                    .filter(mine)
                    .map(|finding| finding["message"].clone())
                    .collect()
            };
            let warnings = json!(of_server("warning"));
            let expected = case.get("warnings").cloned().unwrap_or(json!([]));
            if status != said(&case["status"]) || warnings != expected {
                wrong.push(format!(
                    "{release} {id}\n  want {} {expected}\n  got  {status} {warnings}",
                    said(&case["status"])
                ));
            }
            let strict = case
                .get("strict")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            if strict.is_empty() {
                continue;
            }
            request["fieldValidation"] = json!("Strict");
            let answer = ask(&request);
            let items: Vec<&str> = strict.iter().map(|item| item.as_str().unwrap()).collect();
            let message = answer["objects"][0]["status"]["message"].as_str().unwrap();
            if !message.ends_with(&format!(": strict decoding error: {}", items.join(", "))) {
                wrong.push(format!(
                    "{release} {id}\n  want {items:?}\n  got  {message}"
                ));
            }
        }
    }
    assert!(compared > 1500, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} differ: {}",
        wrong.len(),
        wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n")
    );
}

/// The request of a case without its object.
struct Ask<'a> {
    release: &'a str,
    operation: &'a str,
    old: Option<Value>,
    gates: Value,
}

const CREATE: Ask<'_> = Ask {
    release: "1.36",
    operation: "create",
    old: None,
    gates: Value::Null,
};

fn answer(text: &str, ask_for: &Ask<'_>) -> Value {
    let mut request = json!({
        "verb": "validate", "via": "server", "fieldValidation": "Ignore", "namespaceLabels": {}, "stored": true,
        "text": text, "release": ask_for.release, "operation": ask_for.operation,
    });
    if let Some(old) = &ask_for.old {
        request["old"] = json!(old.to_string());
    }
    if !ask_for.gates.is_null() {
        request["gates"] = ask_for.gates.clone();
    }
    ask(&request)["objects"][0].clone()
}

/// The causes of the answer's status, in order: field and message.
fn causes(text: &str, ask_for: &Ask<'_>) -> Vec<(String, String)> {
    let answer = answer(text, ask_for);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let causes = answer["status"]["details"]["causes"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    causes
        .iter()
        .map(|cause| (text(&cause["field"]), text(&cause["message"])))
        .collect()
}

#[track_caller]
fn check(text: &str, ask_for: &Ask<'_>, expected: &[(&str, &str)]) {
    let got = causes(text, ask_for);
    let got: Vec<(&str, &str)> = got
        .iter()
        .map(|(field, message)| (field.as_str(), message.as_str()))
        .collect();
    assert_eq!(
        got, expected,
        "{} {} {text}",
        ask_for.release, ask_for.operation
    );
}

fn version_of(release: &str) -> &'static str {
    match release {
        "1.31" => "v1alpha3",
        "1.32" => "v1beta1",
        "1.33" => "v1beta2",
        _ => "v1",
    }
}

/// A claim with one request, in the newest version of the release.
fn claim(release: &str, more: Value) -> Value {
    let request = match version_of(release) {
        "v1alpha3" | "v1beta1" => json!({"name": "r", "deviceClassName": "c"}),
        _ => json!({"name": "r", "exactly": {"deviceClassName": "c"}}),
    };
    let mut devices = json!({"requests": [request]});
    for (name, value) in more.as_object().unwrap() {
        devices[name] = value.clone();
    }
    json!({
        "apiVersion": format!("resource.k8s.io/{}", version_of(release)), "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "default", "resourceVersion": "1"}, "spec": {"devices": devices},
    })
}

fn slice(devices: Value) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
        "metadata": {"name": "s", "resourceVersion": "1", "generation": 3},
        "spec": {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n", "devices": devices},
    })
}

/// kube-apiserver, pkg/apis/resource/validation/validation.go, `validateRawExtension` (1.31: `validateOpaqueConfiguration`): the
/// parameters are decoded once more, into `any`, where every number becomes a `float64`.
#[test]
fn numbers_that_no_float64_holds() {
    const PATH: &str = "spec.devices.config[0].opaque.parameters";
    let ask_with = |release: &str, parameters: &str| {
        let config = json!({"config": [{"opaque": {"driver": "d", "parameters": "HERE"}}]});
        let text = claim(release, config)
            .to_string()
            .replace("\"HERE\"", parameters);
        let release = Ask { release, ..CREATE };
        causes(&text, &release)
    };
    let cannot = |reader: &str, number: &str| {
        let decoder =
            format!("json: cannot unmarshal number {number} into Go value of type float64");
        vec![(
            PATH.to_owned(),
            format!("Invalid value: \"<value omitted>\": {reader}: {decoder}"),
        )]
    };
    assert_eq!(
        ask_with("1.31", r#"{"a": 1e999}"#),
        cannot("error parsing data", "1e999")
    );
    for release in ["1.32", "1.33", "1.34", "1.35", "1.36"] {
        let reader = "error parsing data as JSON";
        assert_eq!(
            ask_with(release, r#"{"a": {"1e999": [1, -1E+400, 2e999]}}"#),
            cannot(reader, "-1E+400")
        );
        assert_eq!(ask_with(release, "[1e309]"), cannot(reader, "1e309"));
        assert_eq!(
            ask_with(
                release,
                r#"{"a\"1e999": "\\", "b": "1e999", "c": 1e308, "d": 1e-999, "e": 0e999}"#
            ),
            []
        );
    }
}

/// k8s.io/utils, internal/third_party/forked/golang/net, `ParseCIDR`: any number of leading zeros, decimal in addresses of IPv4;
/// apimachinery 1.33 and later, pkg/util/validation/ip.go, `IsValidInterfaceAddress`.
#[test]
fn addresses_with_leading_zeros() {
    let addresses = |release: &'static str, given: &str| {
        let old = {
            let mut old = claim(release, json!({}));
            let result = json!({"request": "r", "driver": "d", "pool": "p", "device": "x"});
            old["status"] = json!({"allocation": {"devices": {"results": [result]}}});
            old
        };
        let mut new = old.clone();
        new["status"]["devices"] =
            json!([{"driver": "d", "pool": "p", "device": "x", "networkData": {"ips": [given]}}]);
        let gates = json!({"DRAResourceClaimDeviceStatus": true});
        causes(
            &new.to_string(),
            &Ask {
                release,
                operation: "updateStatus",
                old: Some(old),
                gates,
            },
        )
    };
    for (given, canonical) in [
        ("10.0.0.1/0024", "10.0.0.1/24"),
        ("0000010.0.0.1/8", "10.0.0.1/8"),
        ("2001:00db8::1/64", "2001:db8::1/64"),
        ("0:000000:0::1/064", "::1/64"),
        ("::ffff:010.0.0.01/120", "10.0.0.1/24"),
    ] {
        assert_eq!(addresses("1.32", given), [], "{given}");
        let message =
            format!("Invalid value: \"{given}\": must be in canonical form (\"{canonical}\")");
        assert_eq!(
            addresses("1.36", given),
            [("status.devices[0].networkData.ips[0]".to_owned(), message)],
            "{given}"
        );
    }
    for given in [
        "10.0.0.1/+8",
        "10.0.0.256/8",
        "10.0.0/8",
        "1::10000/64",
        "1:::2/64",
        "fe80::1%eth0/64",
        "1:2:3:4:5:6:7:8::/64",
        "10.0.0.1/",
    ] {
        assert_eq!(addresses("1.32", given).len(), 1, "{given}");
        assert_eq!(addresses("1.36", given).len(), 1, "{given}");
    }
}

/// apimachinery, pkg/api/equality/semantic.go, `Semantic`: quantities are equal if their values are equal.
#[test]
fn quantities_of_the_same_amount_have_not_changed() {
    let asks = |quantity: &str| {
        let mut claim = claim("1.36", json!({}));
        claim["spec"]["devices"]["requests"][0]["exactly"]["capacity"] =
            json!({"requests": {"memory": quantity}});
        claim
    };
    let update = |old: Value| Ask {
        operation: "update",
        old: Some(old),
        ..CREATE
    };
    for (before, after) in [("1Ki", "1024"), ("1e3", "1k"), ("0.5", "500m")] {
        check(&asks(after).to_string(), &update(asks(before)), &[]);
    }
    assert_eq!(
        causes(&asks("1025").to_string(), &update(asks("1Ki"))).len(),
        1
    );
    let offers =
        |quantity: &str| slice(json!([{"name": "d", "capacity": {"memory": {"value": quantity}}}]));
    for (after, generation) in [("1024", 3), ("1025", 4)] {
        let answer = answer(&offers(after).to_string(), &update(offers("1Ki")));
        assert_eq!(
            answer["stored"]["metadata"]["generation"], generation,
            "{after}"
        );
    }
}

/// apimachinery, pkg/api/resource/math.go, `negativeScaleInt64`: away from zero; pkg/apis/resource/validation/validation.go,
/// `quantityKey`.
#[test]
fn negative_quantities_are_rounded_away_from_zero() {
    let policy = |values: Value| {
        let policy = json!({"default": values[0], "validValues": values});
        let device = json!({"name": "d", "allowMultipleAllocations": true, "capacity": {"m": {"value": "1", "requestPolicy": policy}}});
        slice(json!([device])).to_string()
    };
    check(&policy(json!(["-1500m", "-1"])), &CREATE, &[]);
    let path = "spec.devices[0].capacity[m].requestPolicy.validValues[1]";
    check(
        &policy(json!(["-2", "-1500m"])),
        &CREATE,
        &[(path, "Duplicate value: \"-2\"")],
    );
}

/// pkg/apis/resource/validation/validation.go, `gatherRequestNames` and `requestNames.Has` (1.33 and later): a map by name, where
/// the last request counts, and a reference is cut at its slashes.
#[test]
fn references_to_requests_that_share_a_name_or_have_a_slash_in_it() {
    const UNKNOWN: &str = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    let alternatives =
        json!({"name": "a", "firstAvailable": [{"name": "s", "deviceClassName": "c"}]});
    let exactly = json!({"name": "a", "exactly": {"deviceClassName": "c"}});
    let config = json!([{"requests": ["a/s"], "opaque": {"driver": "d", "parameters": {}}}]);
    let unknown = format!("Invalid value: \"a/s\": {UNKNOWN}");
    let duplicate = ("spec.devices.requests[1]", "Duplicate value: \"a\"");
    let both = |requests: Value| {
        claim("1.36", json!({"requests": requests, "config": config})).to_string()
    };
    check(&both(json!([exactly, alternatives])), &CREATE, &[duplicate]);
    check(
        &both(json!([alternatives, exactly])),
        &CREATE,
        &[duplicate, ("spec.devices.config[0].requests[0]", &unknown)],
    );
    let slashed = json!([{"name": "a/s", "exactly": {"deviceClassName": "c"}}]);
    let got = causes(&both(slashed), &CREATE);
    assert_eq!(
        got.iter()
            .map(|(field, _)| field.as_str())
            .collect::<Vec<_>>(),
        [
            "spec.devices.requests[0].name",
            "spec.devices.config[0].requests[0]"
        ]
    );
    assert_eq!(got[1].1, unknown);
    let flat = json!([{"name": "a/s", "deviceClassName": "c"}]);
    let text = claim("1.32", json!({"requests": flat, "config": config})).to_string();
    let got = causes(
        &text,
        &Ask {
            release: "1.32",
            ..CREATE
        },
    );
    assert!(
        got.iter()
            .all(|(_, message)| !message.contains("must be the name of a request")),
        "{got:?}"
    );
}

/// kube-apiserver 1.31, pkg/apis/resource/validation/validation.go, `validatePodSchedulingClaims`: each claim is compared with
/// those before it directly after its validation.
#[test]
fn claims_of_a_pod_scheduling_context_in_order() {
    let object = |status: Value| {
        json!({
            "apiVersion": "resource.k8s.io/v1alpha3", "kind": "PodSchedulingContext",
            "metadata": {"name": "p", "namespace": "default", "resourceVersion": "1"}, "spec": {}, "status": status,
        })
    };
    let claims =
        json!([{"name": "a"}, {"name": "a"}, {"name": "b", "unsuitableNodes": ["n", "n"]}]);
    let stored = Some(object(json!({})));
    check(
        &object(json!({"resourceClaims": claims})).to_string(),
        &Ask {
            release: "1.31",
            operation: "updateStatus",
            old: stored,
            ..CREATE
        },
        &[
            ("status.claims[1]", "Duplicate value: \"a\""),
            (
                "status.claims[2].unsuitableNodes[1]",
                "Duplicate value: \"n\"",
            ),
        ],
    );
}

/// kube-apiserver 1.35 and later, pkg/apis/resource/validation/validation.go, `lookupDevice`: the first stored device of the name.
#[test]
fn taints_are_compared_with_the_first_stored_device_of_the_name() {
    let device = |effect: &str| json!({"name": "d", "taints": [{"key": "k", "effect": effect, "timeAdded": "2025-01-01T00:00:00Z"}]});
    let update = |old: Value| Ask {
        release: "1.36",
        operation: "update",
        old: Some(slice(old)),
        gates: json!({"DRADeviceTaints": true}),
    };
    let new = slice(json!([device("Bad")])).to_string();
    check(
        &new,
        &update(json!([device("Bad"), device("NoSchedule")])),
        &[],
    );
    let message =
        "Unsupported value: \"Bad\": supported values: \"NoExecute\", \"NoSchedule\", \"None\"";
    check(
        &new,
        &update(json!([device("NoSchedule"), device("Bad")])),
        &[("spec.devices[0].taints[0].effect", message)],
    );
}

/// kube-apiserver 1.36, pkg/apis/resource/v1alpha3/zz_generated.validations.go, `Validate_ResourcePoolStatusRequestStatus`:
/// unchanged fields are not validated again.
#[test]
fn unchanged_fields_of_a_pool_status_are_not_judged_again() {
    let object = |status: Value| {
        json!({
            "apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourcePoolStatusRequest",
            "metadata": {"name": "p", "resourceVersion": "1"}, "spec": {"driver": "d"}, "status": status,
        })
    };
    let pools = json!([{"driver": "", "poolName": "p", "generation": 1}]);
    let old = Some(object(json!({"poolCount": -1, "pools": pools})));
    let ask_for = Ask {
        operation: "updateStatus",
        old,
        ..CREATE
    };
    let fields = |status: Value| -> Vec<String> {
        causes(&object(status).to_string(), &ask_for)
            .into_iter()
            .map(|(field, _)| field)
            .collect()
    };
    assert_eq!(fields(json!({"poolCount": 1, "pools": pools})), ["status"]);
    assert_eq!(
        fields(json!({"poolCount": -1, "pools": [pools[0], pools[0]]})),
        ["status", "status.pools[0].driver", "status.pools[1].driver"]
    );
}

/// apimachinery, pkg/api/validation/objectmeta.go, `BannedOwners`: the group may be written as an empty one.
#[test]
fn events_own_nothing_with_an_empty_group_either() {
    let mut claim = claim("1.36", json!({}));
    claim["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "/v1", "kind": "Event", "name": "e", "uid": "u"}]);
    let message = r#"Invalid value: {"apiVersion":"/v1","kind":"Event","name":"e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner"#;
    check(
        &claim.to_string(),
        &CREATE,
        &[("metadata.ownerReferences", message)],
    );
}

/// sigs.k8s.io/json, `strictError`: the path of an unknown or duplicate field is quoted as Go quotes it.
#[test]
fn names_of_unknown_fields_are_quoted_as_go_quotes_them() {
    let text = r#"{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {"a\n\"\u200b": 1}}"#;
    let request = json!({"verb": "validate", "via": "server", "release": "1.37", "fieldValidation": "Strict", "text": text});
    let answer = crate::support::ask(&request);
    let message = answer["objects"][0]["status"]["message"].as_str().unwrap();
    assert!(
        message.ends_with(r#"strict decoding error: unknown field "spec.a\n\"\u200b""#),
        "{message}"
    );
}
