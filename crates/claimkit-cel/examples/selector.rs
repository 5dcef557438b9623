//! Compiles and evaluates a rule over an object of your own, with Kubernetes' costs.
//!
//! ```sh
//! cargo run -p claimkit-cel --example selector
//! ```

use claimkit_cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT, types::Type, value::Value};

fn main() {
    println!("{}", judge("self.replicas <= 5", 3));
    println!("{}", judge("self.replicas <= 5", 9));
    println!("{}", judge("self.replicas == 'five'", 5));
}

/// Returns what a rule says of an object with the given number of replicas, or why the rule does not compile.
fn judge(rule: &str, replicas: i64) -> String {
    let environment = Environment::kubernetes(34, &[], EnvironmentMode::New)
        .with_variable("self", Type::map(Type::String, Type::Int));
    let program = match environment.compile(rule) {
        Ok(program) => program,
        Err(error) => return format!("does not compile: {}", error.text),
    };
    let object = Value::object([("replicas", Value::Int(replicas))]);
    match program.evaluate(&[object], SELECTOR_COST_LIMIT).matches() {
        Ok(true) => "holds".to_owned(),
        Ok(false) => "does not hold".to_owned(),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn judges() {
    assert_eq!(judge("self.replicas <= 5", 3), "holds");
    assert_eq!(judge("self.replicas <= 5", 9), "does not hold");
    assert!(judge("self.replicas == 'five'", 5).starts_with("does not compile: "));
}
