//! Whole field errors, put together around the compiler as kube-apiserver does it.

use claimkit::cel::{Environment, SELECTOR_COST_LIMIT};
use claimkit::go::{GoUnicode, quote};

use super::devices::{gates, mode};
use super::lines::recorded;

/// The longest expression, in bytes; 1.31 has no limit.
const LONGEST: usize = 10_240;

/// kube-apiserver, `pkg/apis/resource/validation/validation.go`, `validateCELSelector`. None if the selector is accepted.
fn field_error(minor: u8, environment: &Environment, expression: &str) -> Option<String> {
    let path = if minor <= 32 { "requests[0]" } else { "requests[0].exactly" };
    let path = format!("spec.devices.{path}.selectors[0].cel.expression");
    if minor >= 32 && expression.len() > LONGEST {
        return Some(format!("{path}: Too long: may not be more than {LONGEST} bytes"));
    }
    let unicode = GoUnicode::V15;
    match environment.compile(expression) {
        Err(error) if error.is_internal() => Some(format!("{path}: Internal error: {}", error.text)),
        Err(error) => Some(format!("{path}: Invalid value: {}: {}", quote(expression, unicode), error.text)),
        Ok(program) if program.cost_estimate().is_some_and(|estimate| estimate.max > SELECTOR_COST_LIMIT) => {
            Some(format!("{path}: Forbidden: too complex, exceeds cost limit"))
        }
        Ok(_) => None,
    }
}

#[test]
fn field_errors() {
    let mut wrong = Vec::new();
    let lines = recorded("validation");
    assert_eq!(lines.len(), 186);
    for line in &lines {
        let release = line["release"].as_str().unwrap();
        let minor: u8 = release.split('.').nth(1).unwrap().parse().unwrap();
        let environment = Environment::device(minor, &gates(line, minor), mode(line));
        let expression = line["expr"].as_str().unwrap();
        let found = field_error(minor, &environment, expression);
        if found.as_deref() != line["error"].as_str().filter(|error| !error.is_empty()) {
            wrong.push(format!("{release} {expression}\nfound  {found:?}\nwanted {}", line["error"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n\n"));
}
