//! The verb `cel`, as the contract has it: recorded answers of all releases, and requests that cannot be used.

use crate::support::ask;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

fn lines(name: &str) -> impl Iterator<Item = Value> {
    let path = format!(
        "{}/tests/vectors/cel/{name}.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    reader
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// The gates that recorded lines are about.
const GATES: &[&str] = &["DRAConsumableCapacity", "DRAListTypeAttributes"];

/// Lines with a device of their own, over the wire.
fn check(name: &str, release: &str) {
    let minor: u8 = release.split('.').nth(1).unwrap().parse().unwrap();
    let mut checked = 0;
    for line in lines(name)
        .filter(|line| line["device"].is_object() && line.get("result").is_some())
        .take(150)
    {
        let mut request = json!({
            "verb": "cel", "expression": line["expr"], "release": release, "stored": line["env"] == "stored", "devices": [line["device"]],
        });
        for gate in GATES {
            let known = (minor >= 34 && *gate == "DRAConsumableCapacity") || minor >= 36;
            if let (Some(gates), true) = (line["gates"].as_array(), known) {
                request["gates"][gate] = json!(gates.iter().any(|on| on == gate));
            }
        }
        let answer = ask(&request);
        let id = &line["id"];
        if let Some(error) = line["compileError"].as_str() {
            assert_eq!(
                (&answer["ok"], &answer["compile"]["error"]),
                (&json!(false), &json!(error)),
                "{id}"
            );
            continue;
        }
        let (compile, result) = (&answer["compile"], &answer["results"][0]);
        assert_eq!(
            (&compile["ok"], &compile["type"]),
            (&json!(true), &line["type"]),
            "{id} {answer}"
        );
        assert_eq!(compile["cost"], line["maxCost"], "{id}");
        for part in ["match", "error"] {
            assert_eq!(result[part], line["result"][part], "{id} {part}");
        }
        // A device that cannot be read has no cost and no recorded answer.
        assert_eq!(
            result["cost"].as_u64().unwrap(),
            line["result"]["cost"].as_u64().unwrap_or(0),
            "{id}"
        );
        checked += 1;
    }
    println!("{name}: {checked}");
    assert!(checked > 5, "{checked}");
}

#[test]
fn recorded_answers() {
    check("dra-1.34.9", "1.34.9");
    check("dra-1.36.3", "1.36");
}

#[test]
fn trace_and_reasons() {
    let device = json!({"driver": "gpu.example.com", "attributes": {"model": {"string": "t4"}}, "capacity": {"memory": "40Gi"}});
    let expression = r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a100""#;
    let answer =
        ask(&json!({"verb": "cel", "expression": expression, "devices": [device], "trace": true}));
    assert_eq!(answer["ok"], true, "{answer}");
    let result = &answer["results"][0];
    assert_eq!(result["match"], false);
    let why = r#"`device.attributes["gpu.example.com"].model == "a100"` is false: `device.attributes["gpu.example.com"].model` is "t4""#;
    assert_eq!(result["why"], json!([why]));
    let whole = &result["trace"][0];
    assert_eq!(
        (&whole["value"], &whole["range"]["end"]["byteOffset"]),
        (&json!("false"), &json!(expression.len()))
    );
    let plain = ask(&json!({"verb": "cel", "expression": expression, "devices": [device]}));
    assert!(plain["results"][0].get("trace").is_none());
    assert_eq!(plain["results"][0]["cost"], result["cost"]);
}

/// An expression that fails on a device, or whose estimate is beyond the limit, is not `ok`.
#[test]
fn not_ok() {
    let device = json!({"driver": "d"});
    let answer = ask(
        &json!({"verb": "cel", "expression": r#"device.attributes["d"].x"#, "devices": [device]}),
    );
    assert_eq!(
        (&answer["ok"], &answer["results"][0]["error"]),
        (&json!(false), &json!("no such key: x"))
    );
    let text = r#"device.attributes["d"].all(a, device.attributes["d"].all(b, device.attributes["d"].all(c, device.attributes["d"].all(e, a == b || c == e))))"#;
    let answer = ask(&json!({"verb": "cel", "expression": text}));
    assert_eq!(
        (&answer["ok"], &answer["compile"]["ok"]),
        (&json!(false), &json!(true)),
        "{answer}"
    );
    let answer = ask(&json!({"verb": "cel", "expression": "nothing"}));
    assert_eq!(
        (&answer["ok"], &answer["compile"]["ok"]),
        (&json!(false), &json!(false))
    );
    assert!(
        answer["compile"]["error"]
            .as_str()
            .unwrap()
            .contains("undeclared reference to 'nothing'")
    );
}

#[test]
fn named_resources() {
    let instances = json!([{"name": "i", "attributes": [{"name": "size", "quantity": "1Gi"}, {"name": "list", "intSlice": {"ints": [1, 2]}}]}]);
    let expression = r#"attributes.quantity["size"].isGreaterThan(quantity("1Mi")) && 2 in attributes.intslice["list"]"#;
    let request = json!({"verb": "cel", "environment": "namedResources", "release": "1.30", "expression": expression, "instances": instances});
    let answer = ask(&request);
    assert_eq!(
        (&answer["ok"], &answer["results"][0]["match"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
}

#[test]
fn unusable() {
    for (request, part) in [
        (json!({}), "`expression` is missing"),
        (
            json!({"expression": "true", "release": "1.30"}),
            "has no devices",
        ),
        (json!({"expression": "true", "release": "1.40"}), "1.40"),
        (
            json!({"expression": "true", "gates": {"Nope": true}}),
            "no feature gate `Nope`",
        ),
        (json!({"expression": "true", "stored": "v1"}), "`stored`"),
        (
            json!({"expression": "true", "devices": [{"attribute": {}}]}),
            "`devices[0]`: unknown field `attribute`",
        ),
        (
            json!({"expression": "true", "devices": [{"driver": 3}]}),
            "`devices[0].driver`: is not a string",
        ),
        (
            json!({"expression": "true", "devices": [{}, {"attributes": {"model": "a100"}}]}),
            r#"`devices[1].attributes.model`: has no type; write `{"string":"a100"}`"#,
        ),
        (
            json!({"expression": "true", "devices": [{"attributes": {"model": {"string": 5}}}]}),
            "`devices[0].attributes.model`: `string` is a number, not a string",
        ),
        (
            json!({"expression": "true", "instances": [{}]}),
            "`namedResources`",
        ),
        (
            json!({"expression": "true", "environment": "namedResources", "release": "1.31"}),
            "1.30",
        ),
    ] {
        let mut request = request;
        request["verb"] = json!("cel");
        let answer = ask(&request);
        assert!(
            answer["error"].as_str().unwrap().contains(part),
            "{request}: {answer}"
        );
        assert_eq!(answer["ok"], false);
    }
}

/// What the files of a person get as warnings, an expression that is asked about alone gets with its devices.
#[test]
fn an_expression_with_devices_has_advice() {
    let device = |attributes: Value| json!({"driver": "gpu.example.com", "attributes": attributes});
    let devices = json!([
        device(json!({"model": {"string": "a"}, "mig": {"bool": true}})),
        device(json!({"model": {"string": "b"}})),
        device(json!({})),
    ]);
    let advice = |expression: &str| {
        let answer = ask(&json!({"verb": "cel", "expression": expression, "devices": devices}));
        let warnings = answer["compile"]["warnings"].as_array();
        let warnings = warnings.into_iter().flatten();
        let warnings: Vec<Value> = warnings.map(|one| one["help"].clone()).collect();
        let results = answer["results"].as_array().unwrap().iter();
        let helps: Vec<Value> = results.map(|one| one["help"].clone()).collect();
        (json!(warnings), json!(helps))
    };
    let nothing = json!([null, null, null]);
    assert_eq!(
        advice("device.attributes[\"gpu.example.com\"].modle == \"a\""),
        (json!(["did you mean `model`?"]), nothing.clone())
    );
    assert_eq!(
        advice("device.driver == \"gpu.exmaple.com\""),
        (json!(["did you mean `gpu.example.com`?"]), nothing.clone())
    );
    let memory = "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"1Gi\"))";
    let (never, _) = advice(&format!(
        "has(device.capacity[\"gpu.example.com\"].memory) && {memory} == 2"
    ));
    assert!(never.to_string().contains("compare it with 0"), "{never}");
    let (sometimes, _) = advice(&format!(
        "has(device.capacity[\"gpu.example.com\"].memory) && {memory} >= 0"
    ));
    assert!(
        !sometimes.to_string().contains("compare it with 0"),
        "{sometimes}"
    );
    // Each error has its help once.
    assert_eq!(
        advice("device.attributes[\"gpu.example.com\"].mig"),
        (
            json!([]),
            json!([
                null,
                "begin the expression with `has(device.attributes[\"gpu.example.com\"].mig) && `",
                null
            ])
        )
    );
    let answer = ask(&json!({"verb": "cel", "expression": "device.driver == \"x\" && 1 == 1"}));
    let range = &answer["compile"]["warnings"][0]["range"];
    assert_eq!(range["start"]["byteOffset"], json!(24));
}
