//! Selectors of all releases: error messages, types, estimates, results and costs equal upstream's.

use std::collections::BTreeMap;

use claimkit_model::cel::compile::Outcome;
use claimkit_model::cel::{DeviceAttribute, SELECTOR_COST_LIMIT};
use serde_json::{Value, json};

use super::devices::{Variables, derived_environment, environment, gates, mode};
use super::lines::{patches, recorded};

/// Lines whose upstream answer claimkit cannot reproduce, and why. Each of them must differ.
const DIFFERENT: &[(&str, &str)] = &[
    // The cost of two loops over a map depends on Go's map order.
    ("cost/0001", NESTED),
    ("cost/0002", NESTED),
    (
        "cause8/03@new",
        r#"device.attributes["gpu.example.com"].all(e, v, device.driver == v)"#,
    ),
    (
        "cause8/04@new",
        "device.attributes.all(d, m, device.driver == d)",
    ),
    ("cost/0001@1.32.2", NESTED),
    ("cost/0001@1.32.8", NESTED),
    ("listattr37/0321", INCLUDED),
    ("listattr37/0321@lists", INCLUDED),
    ("listattr37/0321@lists@new", INCLUDED),
    ("listattr37/0516", INCLUDED),
    ("listattr37/0516@new", INCLUDED),
    // cel-go before 0.22 refuses the expansion of its own macro, with a memory address in the message.
    ("optional/0056", "optional.none().optMap(x, x).hasValue()"),
    (
        "optional/0056@stored",
        "optional.none().optMap(x, x).hasValue()",
    ),
    (
        "generic.optional/004",
        "optional.none().optMap(x, x).hasValue()",
    ),
];

/// Two loops over a map.
const NESTED: &str = r#"device.attributes["gpu.example.com"].all(k, device.attributes["gpu.example.com"].all(j, j == k))"#;

/// Ends at the first attribute without the value, which depends on Go's map order.
const INCLUDED: &str = r#"device.attributes["gpu.example.com"].all(k, device.attributes["gpu.example.com"][k].includes(1))"#;

fn check(name: &str, minor: u8, least: usize) {
    let lines = recorded(name);
    assert!(lines.len() >= least, "{} lines", lines.len());
    check_lines(name, minor, None, &lines);
}

fn check_lines(name: &str, minor: u8, patch: Option<u8>, lines: &[Value]) {
    let mut environments = BTreeMap::new();
    let mut variables = Variables::new(minor);
    let mut wrong = Vec::new();
    for line in lines {
        let gates = gates(line, minor);
        let mode = mode(line);
        let derived = line["derived"] == true;
        let key = format!("{gates:?} {mode:?} {derived}");
        let environment = environments.entry(key.clone()).or_insert_with(|| {
            let made = if derived {
                derived_environment
            } else {
                environment
            };
            let last = made(minor, &gates, mode);
            if let Some(patch) = patch {
                last.at_patch(minor, patch)
            } else {
                last
            }
        });
        let expression = line["expr"].as_str().unwrap();
        let id = line["id"].as_str().unwrap();
        let found = differences(line, expression, minor, &key, environment, &mut variables);
        let different = DIFFERENT.contains(&(id, expression)) && name != "dra-1.35.6";
        if different && found.is_empty() && minor <= 31 {
            wrong.push(format!(
                "{id} is as upstream's and in the list of those that are not"
            ));
        }
        if !different && !found.is_empty() {
            wrong.push(format!("{id} {key} {expression}\n{}", found.join("\n")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{name}: {} of {} lines:\n{}",
        wrong.len(),
        lines.len(),
        wrong[..wrong.len().min(20)].join("\n\n")
    );
}

/// A derived attribute as the recordings write it, or the error.
fn derived(outcome: &Outcome, minor: u8) -> Value {
    let attribute = match &outcome.result {
        Ok(value) => DeviceAttribute::derived(value).map_err(String::from),
        Err(error) => Err(error.text.clone()),
    };
    match attribute {
        Err(error) => json!({"error": error}),
        Ok(attribute) => json!({"attribute": match attribute {
            DeviceAttribute::Bool(value) => json!({"bool": value}),
            DeviceAttribute::Int(value) => json!({"int": value}),
            DeviceAttribute::String(value) => json!({"string": value}),
            DeviceAttribute::Version(value) => json!({"version": value}),
            DeviceAttribute::Bools(values) => json!({"bools": values}),
            DeviceAttribute::Ints(values) => json!({"ints": values}),
            // The recorder of 1.37 leaves an empty list out.
            DeviceAttribute::Strings(values) if values.is_empty() && minor < 38 => json!({}),
            DeviceAttribute::Strings(values) => json!({"strings": values}),
            DeviceAttribute::Versions(values) => json!({"versions": values}),
            _ => json!({}),
        }}),
    }
}

fn differences(
    line: &Value,
    expression: &str,
    minor: u8,
    key: &str,
    environment: &claimkit_model::cel::Environment,
    variables: &mut Variables,
) -> Vec<String> {
    let wanted = line.get("compileError").and_then(Value::as_str);
    let program = match (environment.compile(expression), wanted) {
        (Ok(program), None) => program,
        (Ok(program), Some(wanted)) => {
            return vec![format!(
                "accepted as {}, wanted {wanted}",
                program.output_type()
            )];
        }
        (Err(error), None) => return vec![format!("refused: {}", error.text)],
        (Err(error), Some(wanted)) => {
            let internal = line.get("internal").is_some();
            let same = error.text == wanted && error.is_internal() == internal;
            return if same {
                Vec::new()
            } else {
                vec![format!(
                    "refused: {}\nwanted:  {wanted} (internal: {internal})",
                    error.text
                )]
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
    let named = line
        .get("results")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let inline = line.get("result").map(|result| ("", result));
    for (device, wanted) in named
        .map(|(name, wanted)| (name.as_str(), wanted))
        .chain(inline)
    {
        let variables = match device {
            "" => variables.inline(line, environment),
            device => variables.named(device, key, environment),
        };
        if line["derived"] == true {
            let outcome = program.evaluate(&variables.unwrap(), SELECTOR_COST_LIMIT);
            let mut got = derived(&outcome, minor);
            if wanted.get("costVaries").is_none() {
                got["cost"] = json!(outcome.cost);
            }
            let keys = ["attribute", "error", "cost"];
            if keys.iter().any(|key| got[key] != wanted[key]) {
                found.push(format!("{device}: {got}, wanted {wanted}"));
            }
            continue;
        }
        let (result, cost) = match variables {
            Ok(variables) => {
                let outcome = program.evaluate(&variables, SELECTOR_COST_LIMIT);
                (outcome.matches().map_err(String::from), Some(outcome.cost))
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
        if let (Some(cost), Some(wanted), false) =
            (cost, wanted.get("cost").and_then(Value::as_u64), varies)
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

#[test]
fn selectors_of_1_37() {
    check("dra-1.37.2", 37, 3116);
}

#[test]
fn selectors_of_1_38() {
    check("dra-1.38.0-beta.0", 38, 2356);
}

/// A line is about one release and those after it, up to the release of the next line about the same expression; a line of the
/// environment for new expressions is about one release.
#[test]
fn what_eight_differences_were_about() {
    let lines = recorded("causes");
    assert_eq!(lines.len(), 184);
    for minor in 32..=37 {
        let release = |line: &Value| {
            line["release"]
                .as_str()
                .unwrap()
                .split('.')
                .nth(1)
                .unwrap()
                .parse::<u8>()
                .unwrap()
        };
        let mut last = BTreeMap::new();
        let holds = |line: &&Value| {
            release(line) == minor || release(line) < minor && line["env"] == "stored"
        };
        for line in lines.iter().filter(holds) {
            last.insert(
                (line["id"].as_str().unwrap(), line["env"].as_str().unwrap()),
                line.clone(),
            );
        }
        check_lines(
            "causes",
            minor,
            None,
            &last.into_values().collect::<Vec<_>>(),
        );
    }
}

/// Results that are not booleans, costs of an evaluation that Go leaves in the middle, and literals with messages of protobuf; since 1.38
/// empty ranges, maps that are read when they are asked, and numbers of 19 digits: what random expressions found.
#[test]
fn what_random_expressions_found() {
    let lines = recorded("search");
    assert_eq!(lines.len(), 198);
    for (release, minor) in [("1.36.3", 36), ("1.37.2", 37), ("1.38.0-beta.0", 38)] {
        let own: Vec<Value> = lines
            .iter()
            .filter(|line| line["release"] == release)
            .cloned()
            .collect();
        check_lines("search", minor, None, &own);
    }
}

/// Both sides of the patch releases that changed an answer.
#[test]
fn selectors_of_patches() {
    let lines: Vec<Value> = patches()
        .into_iter()
        .filter(|line| line.get("expr").is_some())
        .collect();
    assert_eq!(lines.len(), 70);
    for (release, patch) in [("1.32.2", 2), ("1.32.8", 8)] {
        let lines: Vec<Value> = lines
            .iter()
            .filter(|line| line["release"] == release)
            .cloned()
            .collect();
        assert_eq!(lines.len(), 35);
        check_lines(release, 32, Some(patch), &lines);
    }
}

/// A leading dot says where a name is looked up, not what it costs.
#[test]
fn names_with_a_leading_dot_cost_what_they_cost_without() {
    let environment = claimkit_model::cel::device::environment(
        37,
        &[],
        claimkit_model::cel::EnvironmentMode::New,
    );
    let cost = |expression: &str| {
        environment
            .compile(expression)
            .unwrap()
            .cost_estimate()
            .unwrap()
            .max
    };
    for expression in [
        r#""a" in device.attributes["gpu.example.com"].roots"#,
        r#"device.attributes["gpu.example.com"].model.matches("x+")"#,
        r#"device.attributes["gpu.example.com"].exists(k, k == "x")"#,
    ] {
        assert_eq!(
            cost(&expression.replace("device.", ".device.")),
            cost(expression),
            "{expression}"
        );
    }
}
