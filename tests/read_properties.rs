//! Laws of reading files: no text causes a panic, and every place is inside the text. The crate claimkit-yaml has those of trees.

use crate::support::spans::check_file;
use crate::support::texts::{inputs, texts, values};
use claimkit_model::limits::Limits;
use claimkit_model::text;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::LazyLock;

static SEEDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let recordings = [
        include_str!("../crates/claimkit-yaml/tests/vectors/yaml_to_json.jsonl"),
        include_str!("../crates/claimkit-yaml/tests/vectors/yaml_fuzz_sample.jsonl"),
        include_str!("vectors/kubectl_stream.jsonl"),
    ];
    recordings.into_iter().flat_map(inputs).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 4000 } else { 40_000 }, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read(text in texts(&SEEDS)) {
        check_file(&text::read(&text, &Limits::default()), &text);
    }

    #[test]
    fn nothing_is_said_of_json(value in values()) {
        let json = serde_json::to_string(&value).unwrap();
        let file = text::read(&json, &Limits::default());
        prop_assert!(file.findings.is_empty(), "{:?}", file.findings);
    }
}
