//! The attributes that a selector reads from a device, in every notation.

use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::engine::{CelSelectors, DeviceSubject, SelectorError};
use claimkit_scheduler::allocator::objects::Device;
use claimkit_scheduler::allocator::objects::read::read;
use serde_json::{Value, json};

fn device(value: Value) -> Device {
    read(&value).unwrap()
}

fn gpu() -> Device {
    device(json!({
        "name": "gpu-0",
        "attributes": {"model": {"string": "a100"}, "index": {"int": 3}, "other.example.com/numa": {"int": 1}},
        "capacity": {"memory": {"value": "40Gi"}},
    }))
}

fn reads(expression: &str) -> Vec<(String, Option<String>)> {
    let device = gpu();
    let found = CelSelectors::new(Release::last_of(36), false).reads(
        expression,
        DeviceSubject {
            driver: "gpu.example.com",
            device: &device,
        },
    );
    found
        .into_iter()
        .map(|read| (read.path, read.value))
        .collect()
}

#[test]
fn reads_are_found() {
    let one = |path: &str, value: Option<&str>| vec![(path.to_owned(), value.map(str::to_owned))];
    let model = one("gpu.example.com/model", Some("\"a100\""));
    assert_eq!(
        reads(r#"device.attributes["gpu.example.com"].model == "a100""#),
        model
    );
    assert_eq!(
        reads(r#"device.attributes["gpu.example.com"]["model"].startsWith("a")"#),
        model
    );
    assert_eq!(
        reads(r#"has(device.attributes["gpu.example.com"].model)"#),
        model
    );
    assert_eq!(
        reads(r#""model" in device.attributes["gpu.example.com"]"#),
        model
    );
    assert_eq!(
        reads(r#"device.attributes["gpu.example.com"].?model.orValue("") == "a100""#),
        model
    );
    assert_eq!(
        reads(r#"cel.bind(own, device.attributes["gpu.example.com"], own.model == "a100")"#),
        model
    );
    assert_eq!(
        reads(r#"device.attributes["other.example.com"].numa == 1"#),
        one("other.example.com/numa", Some("1"))
    );
    let memory = one("gpu.example.com/memory", Some("quantity(\"40Gi\")"));
    assert_eq!(
        reads(r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) > 0"#),
        memory
    );
    for missing in [
        r#"device.attributes["gpu.example.com"].minor == 1"#,
        r#""minor" in device.attributes["gpu.example.com"]"#,
        r#"device.attributes["gpu.example.com"].?minor.orValue(0) == 1"#,
        r#"has(device.attributes["gpu.example.com"].minor)"#,
    ] {
        assert_eq!(
            reads(missing),
            one("gpu.example.com/minor", None),
            "{missing}"
        );
    }
}

/// Parts that are not evaluated are not read.
#[test]
fn reads_end_with_the_run() {
    let expression =
        r#"device.driver == "nic" && device.attributes["gpu.example.com"].model == "a100""#;
    assert_eq!(reads(expression), []);
    assert_eq!(reads("device.nothing"), []);
}

#[test]
fn errors_are_of_two_kinds() {
    let engine = CelSelectors::new(Release::last_of(36), false);
    let device = gpu();
    let subject = DeviceSubject {
        driver: "gpu.example.com",
        device: &device,
    };
    assert!(matches!(
        engine.matches("device.nothing", subject),
        Err(SelectorError::Compile(_))
    ));
    let expression = r#"device.attributes["gpu.example.com"].minor == 1"#;
    assert_eq!(
        engine.matches(expression, subject),
        Err(SelectorError::Runtime("no such key: minor".to_owned()))
    );
    let strange = self::device(json!({"name": "x", "attributes": {"strange": {}}}));
    let text = "attribute strange: unsupported attribute value".to_owned();
    let subject = DeviceSubject {
        driver: "gpu.example.com",
        device: &strange,
    };
    assert_eq!(
        engine.matches("true", subject),
        Err(SelectorError::Runtime(text))
    );
}
