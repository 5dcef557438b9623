//! Server-side apply: field ownership, migration from client-side `kubectl apply`, creation, and the status of devices.

use crate::patch::{merge_into, patch};
use crate::support::ask;
use serde_json::{Value, json};

const OWNED_ITEM: &str = "apiVersion: resource.k8s.io/v1alpha2
kind: PodSchedulingContext
metadata:
  name: a
  managedFields:
  - manager: other
    operation: Apply
    apiVersion: resource.k8s.io/v1alpha2
    fieldsType: FieldsV1
    fieldsV1: {\"f:spec\": {\"f:potentialNodes\": {\"v:\\\"n1\\\"\": {}}}}
spec: {potentialNodes: [n1]}
";

/// In 1.28 each item of `potentialNodes` had its owner; from 1.29 on the list has owners as a whole: all owners of an item.
#[test]
fn owners_of_items_own_the_list_once_it_is_owned_as_a_whole() {
    let config = "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata: {name: a}\nspec: {potentialNodes: [n2]}\n";
    let apply = |release: &str| {
        patch(
            OWNED_ITEM,
            "apply",
            config,
            json!({"fieldManager": "m", "release": release}),
        )
    };
    let of_items = apply("1.28");
    assert_eq!(
        of_items["objects"][0]["object"]["spec"]["potentialNodes"],
        json!(["n1", "n2"]),
        "{of_items}"
    );
    let whole = apply("1.30");
    assert_eq!(whole["objects"][0]["status"]["code"], 409, "{whole}");
    let message = whole["objects"][0]["status"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "Apply failed with 1 conflict: conflict with \"other\": .spec.potentialNodes"
    );
}

/// `kubectl apply --server-side` takes over the fields that `kubectl apply` wrote, but not those that changed since.
#[test]
fn kubectl_takes_over_what_it_applied_on_the_client() {
    let stored = |class: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata:
  name: a
  resourceVersion: '1'
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {{\"apiVersion\":\"resource.k8s.io/v1alpha2\",\"kind\":\"ResourceClass\",\"metadata\":{{\"name\":\"a\"}},\"driverName\":\"a.example.com\"}}
  managedFields:
  - manager: kubectl-client-side-apply
    operation: Update
    apiVersion: resource.k8s.io/v1alpha2
    fieldsType: FieldsV1
    fieldsV1: {{\"f:driverName\": {{}}}}
driverName: {class}
"
        )
    };
    let config = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: a}\ndriverName: b.example.com\n";
    let code = |stored: &str, manager: &str| {
        let answer = patch(stored, "apply", config, json!({"fieldManager": manager}));
        answer["objects"][0]["status"]["code"].as_u64()
    };
    assert_eq!(code(&stored("a.example.com"), "kubectl"), None);
    let answer = patch(
        &stored("a.example.com"),
        "apply",
        config,
        json!({"fieldManager": "kubectl"}),
    );
    let kept = &answer["objects"][0]["object"]["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"];
    let applied = r#"{"apiVersion":"resource.k8s.io/v1alpha2","driverName":"b.example.com","kind":"ResourceClass","metadata":{"name":"a"}}"#;
    assert_eq!(kept.as_str(), Some(format!("{applied}\n").as_str()));
    assert_eq!(code(&stored("a.example.com"), "someone"), Some(409));
    assert_eq!(code(&stored("changed.example.com"), "kubectl"), Some(409));
}

/// An apply without a stored object creates it: the answer is that of a create, with managers.
#[test]
fn apply_creates_what_is_not_there() {
    let apply = |config: &str, options: Value| {
        let mut request = json!({"verb": "validate", "operation": "patch", "patchType": "apply", "patch": config, "fieldManager": "me"});
        merge_into(&mut request, &options);
        ask(&request)
    };
    let claim = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a, labels: {x: z}}\nspec: {resourceClassName: gpu}\nstatus: {driverName: d}\n";
    let answer = apply(
        claim,
        json!({"time": "2024-01-31T12:00:00Z", "namespace": "team"}),
    );
    assert_eq!(
        (&answer["ok"], &answer["objects"][0]["valid"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
    let object = &answer["objects"][0]["object"];
    assert_eq!(object["metadata"]["namespace"], "team");
    assert_eq!(object["spec"]["allocationMode"], "WaitForFirstConsumer");
    assert_eq!(
        object["status"],
        json!({}),
        "a new object's status is dropped"
    );
    let managers = json!([{
        "manager": "me", "operation": "Apply", "apiVersion": "resource.k8s.io/v1alpha2", "time": "2024-01-31T12:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {"f:x": {}}}, "f:spec": {"f:resourceClassName": {}}},
    }]);
    assert_eq!(object["metadata"]["managedFields"], managers, "{answer}");
    assert_eq!(
        answer["objects"][0]["changes"],
        json!([{"op": "add", "path": "", "value": object}])
    );

    // For the later versions the result is the stored object, without fields whose gate is off.
    let class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {extendedResourceName: example.com/gpu}\n";
    let stored = |release: &str| {
        let answer = apply(class, json!({"release": release}));
        assert_eq!(answer["ok"], true, "{answer}");
        answer["objects"][0]["object"].clone()
    };
    assert_eq!(
        stored("1.36")["spec"],
        json!({"extendedResourceName": "example.com/gpu"})
    );
    assert_eq!(stored("1.34")["spec"], json!({}));
    assert_eq!(stored("1.36")["metadata"]["generation"], 1);

    let code = |answer: &Value| answer["objects"][0]["status"]["code"].as_u64();
    let invalid = apply(&claim.replace("gpu", "G"), json!({}));
    assert_eq!(
        (code(&invalid), &invalid["ok"]),
        (Some(422), &json!(false)),
        "{invalid}"
    );
    let status = apply(claim, json!({"operation": "patchStatus"}));
    assert_eq!(code(&status), Some(404));
    assert_eq!(
        status["objects"][0]["status"]["message"],
        "resourceclaims.resource.k8s.io \"a\" not found"
    );
    let unknown = apply(&claim.replace("spec:", "spek: 1\nspec:"), json!({}));
    let message = "failed to create typed patch object (/a; resource.k8s.io/v1alpha2, Kind=ResourceClaim): .spek: field not declared in schema";
    assert_eq!(
        unknown["objects"][0]["status"]["message"], message,
        "{unknown}"
    );
    for (config, says) in [
        ("a: [", "the patch cannot be read: yaml: "),
        (
            "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n",
            "what is applied is a Pod of v1",
        ),
        ("", "the patch holds 0 objects: apply is for one"),
        (
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {generateName: a}\n",
            "a configuration to apply names its object",
        ),
    ] {
        let answer = apply(config, json!({}));
        let message = answer["findings"][0]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"));
        assert!(
            message.starts_with(says) && answer["findings"][0]["in"] == "patch",
            "{answer}"
        );
    }
}

/// Devices of a status have the key driver, device and pool, from 1.34 on also the share, which may be missing. Each key of their
/// data has its owner. From 1.35 on an apply of a status owns no metadata.
#[test]
fn status_of_devices_is_applied_as_the_schema_of_the_release_says() {
    let stored = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a, namespace: default, uid: u, resourceVersion: '1'}\nspec: {devices: {requests: [{name: r, deviceClassName: c}]}}\nstatus: {allocation: {devices: {results: [{request: r, driver: d, pool: p, device: x}]}}}\n";
    let config = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a, labels: {x: z}}\nstatus: {devices: [{driver: d, pool: p, device: x, data: {a: {b: [1]}}}]}\n";
    let apply = |release: &str| {
        let request = json!({"verb": "validate", "operation": "patchStatus", "patchType": "apply", "fieldManager": "me",
            "release": release, "old": stored, "patch": config, "gates": {"DRAResourceClaimDeviceStatus": true}});
        let answer = ask(&request);
        assert_eq!(answer["ok"], true, "{answer}");
        answer["objects"][0]["object"]["metadata"]["managedFields"][0]["fieldsV1"].clone()
    };
    let device = json!({"k:{\"device\":\"x\",\"driver\":\"d\",\"pool\":\"p\"}": {
        ".": {}, "f:driver": {}, "f:pool": {}, "f:device": {}, "f:data": {"f:a": {".": {}, "f:b": {}}},
    }});
    assert_eq!(apply("1.32")["f:status"]["f:devices"], device);
    assert_eq!(apply("1.34")["f:status"]["f:devices"], device);
    assert_eq!(
        apply("1.34")["f:metadata"],
        json!({"f:labels": {"f:x": {}}})
    );
    assert_eq!(apply("1.35")["f:metadata"], Value::Null);
}

/// kube-apiserver refuses any list of managers in a configuration, even an empty one.
#[test]
fn a_configuration_has_no_managers() {
    let message_of = |managers: &str| {
        let config = format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: a, managedFields: {managers}}}\nspec: {{}}\n"
        );
        let answer = ask(
            &json!({"verb": "validate", "operation": "patch", "patchType": "apply", "patch": config, "fieldManager": "me"}),
        );
        answer["objects"][0]["status"]["message"].clone()
    };
    for managers in ["[]", "[{manager: a, operation: Apply}]", "[{}]"] {
        assert_eq!(
            message_of(managers),
            "metadata.managedFields must be nil",
            "{managers}"
        );
    }
    assert_eq!(message_of("null"), Value::Null);
}
