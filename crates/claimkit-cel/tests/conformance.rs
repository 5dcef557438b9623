//! The conformance tests of cel-spec, with what the environment of 1.36 says about them.

use claimkit_cel::compile::Outcome;
use claimkit_cel::{Environment, EnvironmentGate, EnvironmentMode, SELECTOR_COST_LIMIT};
use serde_json::Value;

use super::{environment, recorded};

fn answer(environment: &Environment, expression: &str) -> String {
    match environment.compile(expression) {
        Err(error) => error.text,
        Ok(program) => {
            let outcome: Outcome = program.evaluate(&[], SELECTOR_COST_LIMIT);
            match outcome.matches() {
                Ok(matched) => format!("{} {matched}", program.output_type()),
                Err(error) => format!("{} {error}", program.output_type()),
            }
        }
    }
}

fn wanted(recorded: &Value) -> String {
    if let Some(error) = recorded.get("compileError") {
        return error.as_str().unwrap().to_owned();
    }
    let result = match (recorded.get("match"), recorded.get("error")) {
        (Some(matched), _) => matched.to_string(),
        (None, Some(error)) => error.as_str().unwrap().to_owned(),
        (None, None) => panic!("no answer: {recorded}"),
    };
    format!("{} {result}", recorded["type"].as_str().unwrap())
}

#[test]
fn the_environment_of_1_36_answers_as_recorded() {
    let environment = environment(
        36,
        &[EnvironmentGate::ConsumableCapacity],
        EnvironmentMode::Stored,
    );
    let lines = recorded("conformance");
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in &lines {
        let Some(recorded) = line.get("dra") else {
            continue;
        };
        count += 1;
        let expression = line["expr"].as_str().unwrap();
        let (found, wanted) = (answer(&environment, expression), wanted(recorded));
        if found != wanted {
            wrong.push(format!(
                "{} {} {expression}\nfound  {found}\nwanted {wanted}",
                line["section"], line["name"]
            ));
        }
    }
    assert_eq!(count, 1680);
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}
