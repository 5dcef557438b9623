//! Selectors of all releases: error messages, types, estimates, results and costs equal upstream's.

use std::collections::BTreeMap;

use claimkit::cel::SELECTOR_COST_LIMIT;
use serde_json::Value;

use super::devices::{Variables, environment, gates, mode};
use super::lines::recorded;

/// Lines whose upstream answer claimkit cannot reproduce, and why. Each of them must differ.
const DIFFERENT: &[(&str, &str)] = &[
    // The cost of two loops over a map depends on Go's map order.
    ("cost/0001", r#"device.attributes["gpu.example.com"].all(k, device.attributes["gpu.example.com"].all(j, j == k))"#),
    ("cost/0002", r#"device.attributes["gpu.example.com"].all(k, device.attributes["gpu.example.com"].all(j, j == k))"#),
    // cel-go before 0.22 refuses the expansion of its own macro, with a memory address in the message.
    ("optional/0056", "optional.none().optMap(x, x).hasValue()"),
    ("optional/0056@stored", "optional.none().optMap(x, x).hasValue()"),
    ("generic.optional/004", "optional.none().optMap(x, x).hasValue()"),
];

fn check(name: &str, minor: u8, least: usize) {
    let mut environments = BTreeMap::new();
    let mut variables = Variables::new(minor);
    let mut wrong = Vec::new();
    let lines = recorded(name);
    assert!(lines.len() >= least, "{} lines", lines.len());
    for line in &lines {
        let gates = gates(line, minor);
        let mode = mode(line);
        let key = format!("{gates:?} {mode:?}");
        let environment = environments.entry(key.clone()).or_insert_with(|| environment(minor, &gates, mode));
        let expression = line["expr"].as_str().unwrap();
        let id = line["id"].as_str().unwrap();
        let found = differences(line, expression, minor, &key, environment, &mut variables);
        let different = DIFFERENT.contains(&(id, expression)) && name != "dra-1.35.6";
        if different && found.is_empty() && minor <= 31 {
            wrong.push(format!("{id} is as upstream's and in the list of those that are not"));
        }
        if !different && !found.is_empty() {
            wrong.push(format!("{id} {key} {expression}\n{}", found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} of {} lines:\n{}", wrong.len(), lines.len(), wrong[..wrong.len().min(20)].join("\n\n"));
}

fn differences(
    line: &Value,
    expression: &str,
    minor: u8,
    key: &str,
    environment: &claimkit::cel::Environment,
    variables: &mut Variables,
) -> Vec<String> {
    let wanted = line.get("compileError").and_then(Value::as_str);
    let program = match (environment.compile(expression), wanted) {
        (Ok(program), None) => program,
        (Ok(program), Some(wanted)) => return vec![format!("accepted as {}, wanted {wanted}", program.output_type())],
        (Err(error), None) => return vec![format!("refused: {}", error.text)],
        (Err(error), Some(wanted)) => {
            let internal = line.get("internal").is_some();
            let same = error.text == wanted && error.is_internal() == internal;
            return if same {
                Vec::new()
            } else {
                vec![format!("refused: {}\nwanted:  {wanted} (internal: {internal})", error.text)]
            };
        }
    };
    let mut found = Vec::new();
    let output = program.output_type().to_string();
    if line["type"] != output.as_str() {
        found.push(format!("type {output}, wanted {}", line["type"]));
    }
    let estimate = program.cost_estimate().map(|estimate| estimate.max);
    let wanted = line.get("maxCost").and_then(Value::as_u64);
    if minor >= 32 && estimate != wanted {
        found.push(format!("estimate {estimate:?}, wanted {wanted:?}"));
    }
    let named = line.get("results").and_then(Value::as_object).into_iter().flatten();
    let inline = line.get("result").map(|result| ("", result));
    for (device, wanted) in named.map(|(name, wanted)| (name.as_str(), wanted)).chain(inline) {
        let variables = match device {
            "" => variables.inline(line, environment),
            device => variables.named(device, key, environment),
        };
        let (result, cost) = match variables {
            Ok(variables) => {
                let outcome = program.evaluate(&variables, SELECTOR_COST_LIMIT);
                (outcome.matches(), Some(outcome.cost))
            }
            Err(error) => (Err(error), None),
        };
        let same = match &result {
            Ok(matched) => wanted["match"] == *matched,
            Err(error) => wanted["error"] == error.as_str(),
        };
        if !same {
            found.push(format!("{device}: {result:?}, wanted {wanted}"));
        }
        let varies = wanted.get("costVaries").is_some();
        if let (Some(cost), Some(wanted), false) = (cost, wanted.get("cost").and_then(Value::as_u64), varies)
            && cost != wanted
        {
            found.push(format!("{device}: cost {cost}, wanted {wanted}"));
        }
    }
    found
}

#[test]
fn selectors_of_1_30() {
    check("named-1.30", 30, 793);
}

#[test]
fn selectors_of_1_31() {
    check("dra-1.31.14", 31, 1131);
}

#[test]
fn selectors_of_1_32() {
    check("dra-1.32.13", 32, 883);
}

#[test]
fn selectors_of_1_33() {
    check("dra-1.33.13", 33, 497);
}

#[test]
fn selectors_of_1_34() {
    check("dra-1.34.9", 34, 9215);
}

#[test]
fn selectors_of_1_35() {
    check("dra-1.35.6", 35, 415);
}

#[test]
fn selectors_of_1_36() {
    check("dra-1.36.3", 36, 9323);
}
