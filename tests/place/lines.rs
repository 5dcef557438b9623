//! Recorded lines, and their objects in v1's shape.

use claimkit_scheduler::allocator::objects::Facts;
use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader};
use std::rc::Rc;

/// The lines of a file of `tests/vectors/alloc`. With `CLAIMKIT_ALL` all of them; else every `every`th.
pub fn lines(file: &str, every: usize) -> impl Iterator<Item = Value> {
    let every = if std::env::var_os("CLAIMKIT_ALL").is_some() {
        1
    } else {
        every
    };
    all(file).step_by(every)
}

/// All lines of a file of `tests/vectors/alloc`.
pub fn all(file: &str) -> impl Iterator<Item = Value> {
    read(&format!("alloc/{file}"))
}

/// The lines of `tests/vectors/patches.jsonl.gz` about allocation: both sides of the patch releases that changed an answer.
pub fn patches() -> impl Iterator<Item = Value> {
    read("patches").filter(|line| line.get("claims").is_some())
}

fn read(file: &str) -> impl Iterator<Item = Value> + use<> {
    let path = format!(
        "{}/tests/vectors/{file}.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    reader
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

pub fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("")
}

/// Minor and patch of the line's release.
pub fn release(line: &Value) -> (u8, u8) {
    let mut parts = text(line, "release")
        .split('.')
        .skip(1)
        .map(|part| part.split('-').next().unwrap().parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap())
}

/// The line's facts; objects up to 1.33 are v1beta1 or older.
pub fn facts(line: &Value) -> Facts {
    let old = release(line).0 <= 33;
    let mut facts = Facts::default();
    let kinds = [
        ("nodes", "Node"),
        ("classes", "DeviceClass"),
        ("slices", "ResourceSlice"),
        ("claims", "ResourceClaim"),
        ("rules", "DeviceTaintRule"),
    ];
    for (key, kind) in kinds {
        for object in list(line, key) {
            let mut object = object.clone();
            object["kind"] = json!(kind);
            if old {
                modernize(&mut object);
            }
            assert!(facts.add(&object).unwrap());
        }
    }
    if let Some(pod) = line.get("pod") {
        let mut pod = pod.clone();
        pod["kind"] = json!("Pod");
        assert!(facts.add(&pod).unwrap());
    }
    if old {
        let slices = facts.slices.iter_mut().zip(list(line, "slices"));
        for (slice, written) in slices {
            for (device, written) in Rc::make_mut(slice)
                .spec
                .devices
                .iter_mut()
                .zip(list(&written["spec"], "devices"))
            {
                device.shapeless = written.get("basic").is_none_or(Value::is_null);
            }
        }
    }
    facts
}

/// v1alpha3 and v1beta1 to v1: `basic` and `exactly`, capacities with `value`.
fn modernize(object: &mut Value) {
    for device in object["spec"]["devices"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        if let Some(Value::Object(basic)) = device.as_object_mut().unwrap().remove("basic") {
            device.as_object_mut().unwrap().extend(basic);
        }
        for capacity in device
            .get_mut("capacity")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(Map::values_mut)
        {
            if !capacity.is_object() {
                *capacity = json!({"value": capacity.clone()});
            }
        }
    }
    let requests = object
        .pointer_mut("/spec/devices/requests")
        .and_then(Value::as_array_mut);
    for request in requests.into_iter().flatten() {
        if list(request, "firstAvailable").is_empty() {
            let exactly: Map<String, Value> = request
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, _)| *key != "name")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            request["exactly"] = Value::Object(exactly);
        }
    }
}

/// Without `null`s and empty lists and objects, which Go may or may not print.
pub fn lean(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), lean(value)));
            let empty =
                |value: &Value| value.is_null() || value == &json!([]) || value == &json!({});
            // Parameters are the driver's own and stay as they are.
            let kept = |key: &str, value: &Value| key == "parameters" || !empty(value);
            Value::Object(entries.filter(|(key, value)| kept(key, value)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(lean).collect()),
        other => other.clone(),
    }
}

/// Defaults of the gates that the scheduler looks at, from 1.31 on.
pub fn gate(minor: u8, name: &str) -> bool {
    let since = |from: u8| minor >= from;
    match name {
        "DRAAdminAccess" | "DRAPrioritizedList" => since(34),
        "DRAResourceClaimDeviceStatus" => since(33),
        "DRAConsumableCapacity" | "DRADeviceBindingConditions" | "DRAExtendedResource" => since(36),
        "DRADeviceTaints" | "DRAPartitionableDevices" => since(36),
        "DRADeviceTaintRules" => since(37),
        "DRAFractionalCapacityRange" => since(38),
        _ => false,
    }
}
