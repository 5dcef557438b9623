//! The table of functions against the recorded declarations of the environments.

use claimkit::cel::functions::Style;
use claimkit::cel::types::Type;
use claimkit::cel::{Environment, Gate, Mode};
use serde_json::Value;

fn declarations() -> Value {
    let path = format!("{}/tests/vectors/cel/functions.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A type as the table writes it: without marks around parameters, times by their short names.
fn read(kind: &Value) -> Type {
    let text = kind.as_str().unwrap().replace(['<', '>'], "");
    let text = text.replace("google.protobuf.Duration", "duration").replace("google.protobuf.Timestamp", "timestamp");
    Type::parse(&text).unwrap()
}

#[test]
fn the_table_is_as_declared_upstream() {
    let environment = Environment::device(36, &[Gate::ConsumableCapacity, Gate::ListTypeAttributes], Mode::Stored);
    let declared = declarations();
    let declared = declared.as_array().unwrap();
    assert_eq!(declared.len(), environment.functions().len());
    for (wanted, found) in declared.iter().zip(environment.functions()) {
        assert_eq!(wanted["name"], found.name);
        let overloads = wanted["overloads"].as_array().unwrap();
        assert_eq!(overloads.len(), found.overloads.len(), "{}", found.name);
        for (wanted, found) in overloads.iter().zip(&found.overloads) {
            assert_eq!(wanted["id"], found.id);
            let arguments: Vec<Type> = wanted["args"].as_array().into_iter().flatten().map(read).collect();
            assert_eq!(arguments, found.arguments, "{}", found.id);
            assert_eq!(read(&wanted["result"]), found.result, "{}", found.id);
            assert_eq!(wanted["member"] == true, found.style == Style::Member, "{}", found.id);
        }
    }
}

#[test]
fn numbers_of_functions_by_release() {
    let counts = |minor: u8, mode: Mode| {
        let environment = Environment::device(minor, &[], mode);
        (environment.functions().len(), environment.functions().iter().map(|function| function.overloads.len()).sum::<usize>())
    };
    assert_eq!(counts(34, Mode::New), (150, 323));
    assert_eq!(counts(34, Mode::Stored), (157, 345));
    assert_eq!(counts(35, Mode::New), (157, 345));
    assert_eq!(counts(36, Mode::Stored), (158, 346));
}

#[test]
fn the_checker_has_a_bit_for_every_overload() {
    for function in Environment::standard().functions() {
        let mut last = claimkit::cel::checker::Matching::default();
        last.insert(function.overloads.len() - 1);
        let found: Vec<_> = last.of(&function.overloads).map(|overload| overload.id).collect();
        assert_eq!(found, [function.overloads.last().unwrap().id], "{}", function.name);
    }
}
