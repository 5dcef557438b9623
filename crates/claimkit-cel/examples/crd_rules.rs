//! Checks the rules of a CustomResourceDefinition: whether they and the expressions of their messages compile, and whether their costs stay
//! within the limits of kube-apiserver. Then it asks them about an object.
//!
//! ```sh
//! cargo run -p claimkit-cel --features json --example crd_rules
//! ```

use claimkit_cel::environment::ResultType;
use claimkit_cel::schema::{SchemaRule, SchemaType, rules_of};
use claimkit_cel::{
    CALL_COST_LIMIT, CRD_COST_LIMIT, CRD_RULE_COST_LIMIT, Environment, EnvironmentMode,
};
use serde_json::{Value as Json, json};

fn main() {
    let schema = backup_schema();
    for line in check(&schema) {
        println!("{line}");
    }
    let object = json!({
        "metadata": { "name": "nightly" },
        "spec": { "keep": 3, "window": "30m", "volumes": [{ "name": "data", "path": "var/lib" }] },
    });
    for line in ask(&schema, &object) {
        println!("{line}");
    }
}

/// The schema of a made-up kind, as `openAPIV3Schema` has it.
fn backup_schema() -> Json {
    json!({
        "type": "object",
        "properties": { "spec": {
            "type": "object",
            "required": ["keep"],
            "properties": {
                "keep": { "type": "integer", "minimum": 1 },
                "window": { "type": "string", "format": "duration" },
                "volumes": { "type": "array", "maxItems": 16, "items": {
                    "type": "object",
                    "required": ["name", "path"],
                    "properties": {
                        "name": { "type": "string", "maxLength": 63 },
                        "path": { "type": "string", "maxLength": 256 },
                    },
                    "x-kubernetes-validations": [{
                        "rule": "self.path.startsWith('/')",
                        "messageExpression": "'the path of ' + self.name + ' must be absolute'",
                    }],
                } },
            },
            "x-kubernetes-validations": [
                { "rule": "!has(self.window) || self.window >= duration('10m')", "message": "at least ten minutes" },
                { "rule": "self.volumes.all(a, self.volumes.exists_one(b, a.name == b.name))", "message": "names are unique" },
            ],
        } },
    })
}

/// The environment of a rule about an object that is created.
fn environment_of(rule: &SchemaRule) -> Environment {
    Environment::kubernetes(34, &[], EnvironmentMode::New)
        .with_schema("self", &rule.of)
        .with_result_type(ResultType::Bool)
}

/// Returns what kube-apiserver would refuse, and the cost of each rule.
fn check(schema: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    let mut total = 0u64;
    for rule in rules_of(schema) {
        // A rule may compare with the value before; such a rule is not asked about a new object.
        let environment = environment_of(&rule).with_schema("oldSelf", &rule.of);
        if !rule.message_expression.is_empty() {
            let messages = environment_of(&rule).with_result_type(ResultType::String);
            if let Err(error) = messages.compile(&rule.message_expression) {
                lines.push(format!("{}: messageExpression: {}", rule.path, error.text));
            }
        }
        let program = match environment.compile(&rule.rule) {
            Ok(program) => program,
            Err(error) => {
                lines.push(format!("{}: {}", rule.path, error.text));
                continue;
            }
        };
        let cost = program.cost_estimate().map_or(0, |estimate| estimate.max);
        let cost = cost.saturating_mul(rule.places);
        total = total.saturating_add(cost);
        let verdict = if cost > CRD_RULE_COST_LIMIT {
            "too much"
        } else {
            "fine"
        };
        lines.push(format!(
            "{}: {} costs at most {cost}: {verdict}",
            rule.path, rule.rule
        ));
    }
    if total > CRD_COST_LIMIT {
        lines.push(format!("all rules together cost {total}: too much"));
    }
    lines
}

/// Returns the messages of the rules that an object does not fulfill.
fn ask(schema: &Json, object: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in rules_of(schema) {
        let environment = environment_of(&rule);
        let Ok(program) = environment.compile(&rule.rule) else {
            continue;
        };
        for value in values_at(object, &rule.path) {
            let this = SchemaType::value(&rule.of, value);
            let Ok(values) = environment.values([("self", this)]) else {
                continue;
            };
            if program.evaluate(&values, CALL_COST_LIMIT).matches() == Ok(true) {
                continue;
            }
            let made = environment_of(&rule)
                .with_result_type(ResultType::String)
                .compile(&rule.message_expression)
                .ok()
                .and_then(|program| program.evaluate(&values, CALL_COST_LIMIT).result.ok())
                .and_then(|message| Json::try_from(&message).ok());
            let message = made
                .as_ref()
                .and_then(Json::as_str)
                .unwrap_or(&rule.message);
            lines.push(format!("{}: {message}", rule.path));
        }
    }
    lines
}

/// Returns the values at a path such as `spec.volumes[*]`.
fn values_at<'j>(object: &'j Json, path: &str) -> Vec<&'j Json> {
    let mut found = vec![object];
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let name = step.trim_end_matches("[*]");
        found = found
            .into_iter()
            .filter_map(|value| value.get(name))
            .collect();
        for _ in step.match_indices("[*]") {
            found = found
                .into_iter()
                .flat_map(|value| value.as_array().into_iter().flatten())
                .collect();
        }
    }
    found
}

#[test]
fn checks_and_asks() {
    let schema = backup_schema();
    let lines = check(&schema);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.ends_with("fine")), "{lines:?}");
    let object = json!({ "spec": { "keep": 3, "window": "30m", "volumes": [{ "name": "data", "path": "var/lib" }] } });
    assert_eq!(
        ask(&schema, &object),
        ["spec.volumes[*]: the path of data must be absolute"]
    );
}
