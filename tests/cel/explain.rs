//! Explanations of a selector's result.

use claimkit_model::cel::{
    CelDevice, DeviceAttribute, EnvironmentMode, SELECTOR_COST_LIMIT, device,
};

fn explained(expression: &str) -> Vec<String> {
    let environment = device::environment(34, &[], EnvironmentMode::Stored);
    let device = CelDevice::new("gpu.example.com")
        .attribute("model", DeviceAttribute::String("A100".to_owned()))
        .attribute("index", DeviceAttribute::Int(3));
    let program = environment.compile(expression).unwrap();
    let trace = program.trace(
        &device.variables(&environment).unwrap(),
        SELECTOR_COST_LIMIT,
    );
    program.explain(&trace)
}

#[test]
fn the_conjunct_that_is_false() {
    assert_eq!(
        explained(
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "H100""#
        ),
        [
            r#"`device.attributes["gpu.example.com"].model == "H100"` is false: `device.attributes["gpu.example.com"].model` is "A100""#
        ]
    );
}

#[test]
fn both_alternatives_that_are_false() {
    assert_eq!(
        explained(
            r#"device.attributes["gpu.example.com"].index > 5 || device.driver.startsWith("cpu")"#
        ),
        [
            r#"`device.attributes["gpu.example.com"].index > 5` is false: `device.attributes["gpu.example.com"].index` is 3"#,
            r#"`device.driver.startsWith("cpu")` is false: `device.driver` is "gpu.example.com""#,
        ]
    );
}

#[test]
fn the_attribute_that_is_missing() {
    assert_eq!(
        explained(r#"device.driver != "" && device.attributes["gpu.example.com"].memory > 5"#),
        [concat!(
            r#"`device.attributes["gpu.example.com"].memory > 5` fails: no such key: memory; "#,
            r#"`device.attributes["gpu.example.com"]` is {"model": "A100", "index": 3}"#
        )]
    );
}

#[test]
fn values_of_all_parts() {
    let environment = device::environment(34, &[], EnvironmentMode::Stored);
    let program = environment
        .compile("1 + 2 == 3 && device.driver == 'x'")
        .unwrap();
    let device = CelDevice::new("x");
    let trace = program.trace(
        &device.variables(&environment).unwrap(),
        SELECTOR_COST_LIMIT,
    );
    let parts = trace.parts(&program);
    let shown: Vec<String> = parts
        .iter()
        .map(|part| format!("{} = {}", program.text_of(&part.span), part.value))
        .collect();
    assert_eq!(
        shown,
        [
            "1 + 2 == 3 && device.driver == 'x' = true",
            "1 + 2 == 3 = true",
            "1 + 2 = 3",
            "1 = 1",
            "2 = 2",
            "3 = 3",
            "device.driver == 'x' = true",
            "device.driver = x",
            "'x' = x",
        ]
    );
}
