//! Laws of validation on generated texts: findings do not depend on comments, key order or style, and an object gives the same
//! findings as YAML and as JSON. The objects are those of the recordings.

use crate::support::styles;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use std::sync::OnceLock;
use styles::{Choices, found, shuffled, status, yaml};

struct Seed {
    release: &'static str,
    operation: &'static str,
    object: Value,
    old: Option<Value>,
}

fn seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = Vec::new();
        for (file, release) in [
            ("k8s-1.26.2-1.26.15", "1.26"),
            ("k8s-1.30", "1.30"),
            ("random-k8s-1.26.0-1.26.1", "1.26.1"),
            ("random-k8s-1.27-1.29", "1.28"),
            ("random-k8s-1.30", "1.30"),
        ] {
            let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
            for line in std::fs::read_to_string(path)
                .unwrap()
                .split('\n')
                .filter(|line| !line.is_empty())
            {
                let vector: Value = serde_json::from_str(line).unwrap();
                let operation = match vector["op"].as_str().unwrap() {
                    "create" => "create",
                    "update" => "update",
                    _ => "updateStatus",
                };
                let object = vector["object"].clone();
                // A text of 16 KiB in each of 33 handles makes the test slow and says nothing new.
                // The refusal of an object without kind or version quotes the text as it is written.
                let named = object["kind"] != "" && object["apiVersion"] != "";
                if object.is_object() && named && object.to_string().len() < 6000 {
                    seeds.push(Seed {
                        release,
                        operation,
                        object,
                        old: vector.get("old").cloned(),
                    });
                }
            }
        }
        seeds
    })
}

fn ask(seed: &Seed, text: &str) -> Value {
    let mut request = json!({"verb": "validate", "text": text, "release": seed.release, "operation": seed.operation});
    if let Some(old) = &seed.old {
        request["old"] = Value::String(old.to_string());
    }
    crate::support::ask(&request)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn findings_do_not_depend_on_the_writing(at in any::<prop::sample::Index>(), random in any::<u64>()) {
        let seed = &seeds()[at.index(seeds().len())];
        let mut choices = Choices(random);
        let as_json = ask(seed, &seed.object.to_string());
        let object = shuffled(&seed.object, &mut choices);
        let mut text = String::new();
        yaml(&object, 0, &mut choices, &mut text);
        // A document in braces would be read as JSON; YAML is what is meant.
        let text = if text.starts_with('{') { format!("# YAML\n{text}") } else { text };
        let as_yaml = ask(seed, &text);
        prop_assert_eq!(found(&as_yaml), found(&as_json), "{}", text);
        prop_assert_eq!(status(&as_yaml), status(&as_json), "{}", text);
        let shuffled_json = ask(seed, &serde_json::to_string_pretty(&object).unwrap());
        prop_assert_eq!(found(&shuffled_json), found(&as_json));
        prop_assert_eq!(status(&shuffled_json), status(&as_json));
    }

    #[test]
    fn every_range_is_a_piece_of_the_text(at in any::<prop::sample::Index>(), random in any::<u64>()) {
        let seed = &seeds()[at.index(seeds().len())];
        let mut choices = Choices(random);
        let mut text = String::new();
        yaml(&shuffled(&seed.object, &mut choices), 0, &mut choices, &mut text);
        let answer = ask(seed, &text);
        for finding in answer["findings"].as_array().unwrap() {
            let Some(range) = finding.get("range") else { continue };
            // The range of a finding refers to the text that it names.
            let stored = seed.old.as_ref().filter(|_| finding["in"] == "old").map(Value::to_string);
            let text = stored.as_deref().unwrap_or(&text);
            let (from, to) = (range["start"]["byteOffset"].as_u64().unwrap() as usize, range["end"]["byteOffset"].as_u64().unwrap() as usize);
            prop_assert!(text.get(from..to).is_some(), "{finding} in {text}");
            let line = text[..from].matches('\n').count() as u64;
            prop_assert_eq!(range["start"]["line"].as_u64(), Some(line), "{} in {}", finding, text);
        }
    }
}
