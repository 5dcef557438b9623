//! CEL selectors: compiling them, and what one says of one device, beside the crate `cel`.

use claimkit_model::cel::{
    CelDevice, DeviceAttribute, EnvironmentMode, SELECTOR_COST_LIMIT, device,
};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// What both understand: the crate `cel` has no quantities.
const PLAIN: &str = r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "A100" && device.attributes["gpu.example.com"].memory >= 40"#;

/// As drivers' documentation writes them.
const TYPICAL: &str = r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "A100" && device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"#;

fn device() -> CelDevice {
    CelDevice::new("gpu.example.com")
        .attribute("model", DeviceAttribute::String("A100".to_owned()))
        .attribute("memory", DeviceAttribute::Int(80))
        .attribute(
            "driverVersion",
            DeviceAttribute::Version("1.2.3".to_owned()),
        )
        .capacity("memory", "80Gi")
}

fn compile(c: &mut Criterion) {
    let environment = device::environment(36, &[], EnvironmentMode::New);
    let mut group = c.benchmark_group("cel compile");
    group.bench_function("the environment, once a release", |b| {
        b.iter(|| device::environment(black_box(36), &[], EnvironmentMode::New))
    });
    group.bench_function("claimkit, typical", |b| {
        b.iter(|| environment.compile(black_box(TYPICAL)).unwrap())
    });
    group.bench_function("claimkit, plain", |b| {
        b.iter(|| environment.compile(black_box(PLAIN)).unwrap())
    });
    group.bench_function("cel, plain (not checked)", |b| {
        b.iter(|| cel::Program::compile(black_box(PLAIN)).unwrap())
    });
    group.finish();
}

fn evaluate(c: &mut Criterion) {
    let environment = device::environment(36, &[], EnvironmentMode::New);
    let mut group = c.benchmark_group("cel evaluate");
    group.bench_function("claimkit, a device to variables", |b| {
        b.iter(|| black_box(device()).variables(&environment).unwrap())
    });
    let variables = device().variables(&environment).unwrap();
    for (name, text) in [("typical", TYPICAL), ("plain", PLAIN)] {
        let program = environment.compile(text).unwrap();
        assert_eq!(
            program.evaluate(&variables, SELECTOR_COST_LIMIT).matches(),
            Ok(true)
        );
        group.bench_function(format!("claimkit, {name}"), |b| {
            b.iter(|| program.evaluate(black_box(&variables), SELECTOR_COST_LIMIT))
        });
    }
    let program = cel::Program::compile(PLAIN).unwrap();
    let mut context = cel::Context::default();
    let value = serde_json::json!({
        "driver": "gpu.example.com",
        "attributes": {"gpu.example.com": {"model": "A100", "memory": 80, "driverVersion": "1.2.3"}},
    });
    context.add_variable("device", value).unwrap();
    assert_eq!(program.execute(&context).unwrap(), cel::Value::Bool(true));
    group.bench_function("cel, plain", |b| {
        b.iter(|| program.execute(black_box(&context)).unwrap())
    });
    group.finish();
}

criterion_group!(benches, compile, evaluate);
criterion_main!(benches);
