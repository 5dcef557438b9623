//! Replays the fixtures through the crate `opa-wasm`: every answer must be the crate's own, byte for byte.
//!
//!     policy-opa MODULES REPLAY

use opa_wasm::Runtime;
use opa_wasm::wasmtime::{Config, Engine, Module, OptLevel, Store};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::Path;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder_of_modules, replay] = arguments.as_slice() else {
        eprintln!("policy-opa: write MODULES REPLAY");
        return ExitCode::from(2);
    };
    let folder = Path::new(replay);
    // Neither the compiler nor what it compiles is optimized: building it costs more than both take to run.
    let engine = Engine::new(Config::new().cranelift_opt_level(OptLevel::None)).expect("an engine");
    let load = |name: &str| {
        let path = Path::new(folder_of_modules).join(name);
        let bytes =
            std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Module::new(&engine, bytes).expect("a module")
    };
    let module = load("claimkit-opa.wasm");
    let index = std::fs::read_to_string(folder.join("index.json"))
        .expect("index.json: run policy-wapc first");
    let index: Vec<Value> = serde_json::from_str(&index).unwrap();
    let (mut passed, mut failed, mut left) = (0, 0, 0);
    for (number, entry) in index.iter().enumerate() {
        let read = |kind: &str| std::fs::read(folder.join(format!("{number:03}.{kind}"))).unwrap();
        let mut evaluations = vec![("input", "result")];
        if entry["review"] == true {
            evaluations.push(("review", "violations"));
        }
        for (input, result) in evaluations {
            // The crate takes values, not texts: what is no JSON cannot be given to it.
            let (Ok(input), Ok(data)) = (
                serde_json::from_slice::<Box<RawValue>>(&read(input)),
                serde_json::from_slice::<Box<RawValue>>(&read("data")),
            ) else {
                left += 1;
                continue;
            };
            let expected = format!(
                "[{{\"result\":{}}}]",
                String::from_utf8(read(result)).unwrap()
            );
            let given = evaluate(&engine, &module, &input, &data).await;
            if given == expected {
                passed += 1;
            } else {
                failed += 1;
                let short = |text: &str| text.chars().take(2_000).collect::<String>();
                println!(
                    "{} ({result})\n  expected {}\n  answered {}",
                    entry["name"],
                    short(&expected),
                    short(&given)
                );
            }
        }
    }
    println!(
        "policy-opa: {passed} passed, {failed} failed; {left} payloads are no JSON and cannot be given to this host"
    );
    if failed == 0 && passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn evaluate(engine: &Engine, module: &Module, input: &RawValue, data: &RawValue) -> String {
    let mut store = Store::new(engine, ());
    let runtime = match Runtime::new(&mut store, module).await {
        Ok(runtime) => runtime,
        Err(error) => return format!("no runtime: {error:#}"),
    };
    let policy = match runtime.with_data(&mut store, &data).await {
        Ok(policy) => policy,
        Err(error) => return format!("no data: {error:#}"),
    };
    match policy
        .evaluate::<_, Box<RawValue>, _>(&mut store, "claimkit/admit", &input)
        .await
    {
        Ok(result) => result.get().to_owned(),
        Err(error) => format!("no result: {error:#}"),
    }
}
