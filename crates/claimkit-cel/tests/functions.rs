//! The table of functions against the recorded declarations of the environments.

use claimkit_cel::functions::CallStyle;
use claimkit_cel::types::Type;
use claimkit_cel::{Environment, EnvironmentGate, EnvironmentMode};
use serde_json::Value;

use super::environment;

fn declarations() -> Value {
    let path = format!(
        "{}/tests/vectors/functions.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Reads a type as the table writes it: without marks around parameters, times by their short names.
fn read(kind: &Value) -> Type {
    let text = kind.as_str().unwrap().replace(['<', '>'], "");
    let text = text
        .replace("google.protobuf.Duration", "duration")
        .replace("google.protobuf.Timestamp", "timestamp");
    Type::parse(&text).unwrap()
}

#[test]
fn the_table_is_as_declared_upstream() {
    let environment = environment(
        36,
        &[
            EnvironmentGate::ConsumableCapacity,
            EnvironmentGate::ListTypeAttributes,
        ],
        EnvironmentMode::Stored,
    );
    let declared = declarations();
    let declared = declared.as_array().unwrap();
    assert_eq!(declared.len(), environment.functions().len());
    for (wanted, found) in declared.iter().zip(environment.functions()) {
        assert_eq!(wanted["name"], found.name);
        let overloads = wanted["overloads"].as_array().unwrap();
        assert_eq!(overloads.len(), found.overloads.len(), "{}", found.name);
        for (wanted, found) in overloads.iter().zip(&found.overloads) {
            assert_eq!(wanted["id"], found.id);
            let arguments: Vec<Type> = wanted["args"]
                .as_array()
                .into_iter()
                .flatten()
                .map(read)
                .collect();
            assert_eq!(arguments, found.arguments, "{}", found.id);
            assert_eq!(read(&wanted["result"]), found.result, "{}", found.id);
            assert_eq!(
                wanted["member"] == true,
                found.style == CallStyle::Member,
                "{}",
                found.id
            );
        }
    }
}

/// Compares the declarations that 1.37 changed, for new and for stored expressions, with and without lists of attributes.
#[test]
fn what_1_37_changed_is_declared_as_upstream_declares_it() {
    let path = format!(
        "{}/tests/vectors/functions-1.37.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let changed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let minor = |text: &str| {
        text.split('.')
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse::<u8>()
            .unwrap()
    };
    let mut seen = 0;
    for function in changed.as_array().unwrap() {
        for overload in function["overloads"].as_array().unwrap() {
            let until = overload["until"].as_str().map_or(u8::MAX, minor);
            for release in [36, 37] {
                for (gates, mode) in [
                    (&[][..], EnvironmentMode::New),
                    (&[][..], EnvironmentMode::Stored),
                    (
                        &[EnvironmentGate::ListTypeAttributes][..],
                        EnvironmentMode::New,
                    ),
                    (
                        &[EnvironmentGate::ListTypeAttributes][..],
                        EnvironmentMode::Stored,
                    ),
                ] {
                    // New expressions see a function of the gate only with it; stored ones from the release on.
                    let from = overload[if mode == EnvironmentMode::New {
                        "new"
                    } else {
                        "stored"
                    }]
                    .as_str();
                    let gated = mode == EnvironmentMode::New
                        && from.is_some_and(|text| text.contains("with DRAListTypeAttributes"));
                    let wanted = release <= until
                        && from.is_none_or(|text| minor(text) <= release)
                        && (!gated || !gates.is_empty());
                    let environment = environment(release, gates, mode);
                    let declared = environment
                        .functions()
                        .iter()
                        .filter(|known| function["name"] == known.name);
                    let found = declared
                        .flat_map(|known| &known.overloads)
                        .any(|known| overload["id"] == known.id);
                    assert_eq!(
                        found, wanted,
                        "{} {release} {gates:?} {mode:?}",
                        overload["id"]
                    );
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 24);
}

#[test]
fn numbers_of_functions_by_release() {
    let counts = |minor: u8, mode: EnvironmentMode| {
        let environment = environment(minor, &[], mode);
        (
            environment.functions().len(),
            environment
                .functions()
                .iter()
                .map(|function| function.overloads.len())
                .sum::<usize>(),
        )
    };
    assert_eq!(counts(34, EnvironmentMode::New), (150, 323));
    assert_eq!(counts(34, EnvironmentMode::Stored), (157, 345));
    assert_eq!(counts(35, EnvironmentMode::New), (157, 345));
    assert_eq!(counts(36, EnvironmentMode::Stored), (158, 346));
    assert_eq!(counts(37, EnvironmentMode::New), (157, 344));
    assert_eq!(counts(37, EnvironmentMode::Stored), (158, 345));
    assert_eq!(counts(38, EnvironmentMode::New).0, 158);
    assert_eq!(counts(38, EnvironmentMode::Stored).0, 159);
}

#[test]
fn what_1_38_declares_has_the_names_that_upstream_searches_for_hints() {
    let path = format!(
        "{}/tests/vectors/catalog-1.38.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let catalog: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (name, mode) in [
        ("new", EnvironmentMode::New),
        ("stored", EnvironmentMode::Stored),
    ] {
        let environment = environment(38, &[], mode);
        let found: Vec<&str> = environment
            .functions()
            .iter()
            .map(|known| known.name)
            .collect();
        assert_eq!(
            catalog[name]["function"],
            serde_json::json!(found),
            "{name}"
        );
    }
}

#[test]
fn the_checker_has_a_bit_for_every_overload() {
    for function in Environment::standard().functions() {
        let mut last = claimkit_cel::checker::OverloadSet::default();
        last.insert(function.overloads.len() - 1);
        let found: Vec<_> = last
            .of(&function.overloads)
            .map(|overload| overload.id)
            .collect();
        assert_eq!(
            found,
            [function.overloads.last().unwrap().id],
            "{}",
            function.name
        );
    }
}
