//! Objects of both versions, as JSON values.

use crate::tape::Tape;
use serde_json::{Map, Value, json};

const DRIVERS: &[&str] = &["gpu.example.com", "net.example.com", "Odd.Driver", "d"];
const PIECES: &[&str] = &[
    "a",
    "abc",
    "x y",
    "1",
    "true",
    "\n",
    "\n\n",
    "  ",
    ": ",
    " #",
    "é",
    "😀",
    "\"",
    "'",
    "\\",
    "{}",
    ",",
    "-",
    "\t",
    "\u{7f}",
    "\u{2028}",
    "line one\nline two\n",
    "&",
    "*",
    "|",
    "%",
    "@",
    "`",
    "\u{1}",
    "---",
    "{\"device\": [1, 2]}",
    "null",
    "~",
];

pub fn text(tape: &mut Tape<'_>) -> String {
    (0..tape.pick(5)).map(|_| tape.one_of(PIECES)).collect()
}

fn node_selector(tape: &mut Tape<'_>) -> Value {
    let terms: Vec<Value> = (0..=tape.pick(2))
        .map(|_| match tape.pick(3) {
            0 => json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}),
            1 => json!({"matchExpressions": [{"key": "gpu", "operator": "Exists"}, {"key": "a", "operator": "NotIn", "values": ["b", "c"]}]}),
            _ => json!({}),
        })
        .collect();
    json!({ "nodeSelectorTerms": terms })
}

fn metadata(tape: &mut Tape<'_>) -> Value {
    let mut metadata = Map::new();
    metadata.insert(
        "name".into(),
        json!(tape.one_of(&["c", "claim-1", "PodScheduling", "resourceHandle"])),
    );
    if tape.once_in(3) {
        metadata.insert("labels".into(), json!({"app": "a", "v1alpha1": "v1alpha2"}));
    }
    if tape.once_in(3) {
        metadata.insert(
            "annotations".into(),
            json!({"note": text(tape), "kind": "ResourceClaim"}),
        );
    }
    if tape.once_in(4) {
        metadata.insert(
            "finalizers".into(),
            json!(["example.com/a", "dra.k8s.io/delete-protection"]),
        );
    }
    Value::Object(metadata)
}

fn claim_spec(tape: &mut Tape<'_>) -> Value {
    let mut spec = json!({"resourceClassName": "gpu.example.com"});
    if tape.once_in(3) {
        spec["parametersRef"] =
            json!({"apiGroup": "gpu.example.com", "kind": "Params", "name": "p"});
    }
    if tape.once_in(3) {
        spec["allocationMode"] = json!(tape.one_of(&["Immediate", "WaitForFirstConsumer"]));
    }
    spec
}

fn handle(tape: &mut Tape<'_>) -> Value {
    let mut handle = Map::new();
    if !tape.once_in(5) {
        handle.insert("driverName".into(), json!(tape.one_of(DRIVERS)));
    }
    if !tape.once_in(5) {
        handle.insert("data".into(), json!(text(tape)));
    }
    match tape.pick(8) {
        7 => drop(handle.insert(
            "structuredData".into(),
            json!({"nodeName": "n", "results": []}),
        )),
        6 => drop(handle.insert("structuredData".into(), Value::Null)),
        _ => {}
    }
    Value::Object(handle)
}

fn allocation(tape: &mut Tape<'_>, new: bool) -> Value {
    let mut allocation = Map::new();
    let mut fields = ["handle", "nodes", "shareable"];
    fields.rotate_left(tape.pick(3));
    for field in fields {
        match field {
            "handle" if tape.once_in(6) => {}
            "handle" if new => {
                let handles = match tape.pick(8) {
                    7 => Value::Null,
                    6 => json!([]),
                    n => (0..=n / 3).map(|_| handle(tape)).collect(),
                };
                allocation.insert("resourceHandles".into(), handles);
            }
            "handle" => {
                let handle = if tape.once_in(12) {
                    Value::Null
                } else {
                    json!(text(tape))
                };
                allocation.insert("resourceHandle".into(), handle);
            }
            "nodes" if tape.once_in(3) => {
                drop(allocation.insert("availableOnNodes".into(), node_selector(tape)))
            }
            "shareable" if tape.once_in(2) => {
                drop(allocation.insert("shareable".into(), json!(true)))
            }
            _ => {}
        }
    }
    Value::Object(allocation)
}

fn status(tape: &mut Tape<'_>, new: bool) -> Value {
    let mut status = Map::new();
    let driver = tape.one_of(DRIVERS);
    let late = tape.once_in(4);
    if !late && !tape.once_in(6) {
        status.insert("driverName".into(), json!(driver));
    }
    if !tape.once_in(6) {
        status.insert("allocation".into(), allocation(tape, new));
    }
    if late {
        status.insert("driverName".into(), json!(driver));
    }
    if tape.once_in(3) {
        status.insert(
            "reservedFor".into(),
            json!([{"resource": "pods", "name": "p", "uid": "1"}]),
        );
    }
    Value::Object(status)
}

/// An object of v1alpha1, or of v1alpha2 if `new`.
pub fn object(tape: &mut Tape<'_>, new: bool) -> Value {
    let version = if new {
        "resource.k8s.io/v1alpha2"
    } else {
        "resource.k8s.io/v1alpha1"
    };
    let mut object = Map::new();
    let kind = match tape.pick(8) {
        5 => "ResourceClass",
        6 => "ResourceClaimTemplate",
        7 if new => "PodSchedulingContext",
        7 => "PodScheduling",
        _ => "ResourceClaim",
    };
    let mut head = [("apiVersion", version), ("kind", kind)];
    head.rotate_left(tape.pick(2));
    let late = tape.once_in(6);
    if !late {
        object.extend(head.map(|(key, value)| (key.to_owned(), json!(value))));
    }
    object.insert("metadata".into(), metadata(tape));
    match kind {
        "ResourceClaim" => {
            object.insert("spec".into(), claim_spec(tape));
            if !tape.once_in(8) {
                object.insert("status".into(), status(tape, new));
            }
        }
        "ResourceClass" => {
            object.insert("driverName".into(), json!(tape.one_of(DRIVERS)));
            if tape.once_in(3) {
                object.insert("suitableNodes".into(), node_selector(tape));
            }
            match tape.pick(6) {
                3 if new => drop(object.insert("structuredParameters".into(), json!(true))),
                4 if new => drop(object.insert("structuredParameters".into(), json!(false))),
                5 if new => drop(object.insert("structuredParameters".into(), Value::Null)),
                _ => {}
            }
        }
        "ResourceClaimTemplate" => drop(object.insert(
            "spec".into(),
            json!({"metadata": {"labels": {"a": "b"}}, "spec": claim_spec(tape)}),
        )),
        _ => {
            object.insert(
                "spec".into(),
                json!({"selectedNode": "node-1", "potentialNodes": ["node-1", "node-2"]}),
            );
            if tape.once_in(2) {
                object.insert(
                    "status".into(),
                    json!({"resourceClaims": [{"name": "c", "unsuitableNodes": ["node-2"]}]}),
                );
            }
        }
    }
    if late {
        object.extend(head.map(|(key, value)| (key.to_owned(), json!(value))));
    }
    Value::Object(object)
}

/// A file: documents that are objects, Lists, typed lists or of other groups.
pub fn file(tape: &mut Tape<'_>, new: bool) -> Vec<Value> {
    (0..=tape.pick(3))
        .map(|_| match tape.pick(8) {
            5 => {
                let mut items: Vec<Value> = (0..=tape.pick(3)).map(|_| object(tape, new)).collect();
                if tape.once_in(2) {
                    items.push(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"kind": "PodScheduling"}}));
                }
                json!({"apiVersion": "v1", "kind": "List", "items": items})
            }
            6 => {
                let mut item = object(tape, new);
                let kind = item["kind"].as_str().unwrap().to_owned();
                let version = item["apiVersion"].clone();
                if tape.once_in(2) {
                    item.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
                }
                json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": {}, "items": [item]})
            }
            7 => json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "v1alpha1"}, "spec": {"replicas": 1}}),
            _ => object(tape, new),
        })
        .collect()
}
