//! Laws of reading: no text causes a panic, every span is inside the text, only punctuation is between spans, and the position of
//! a document in its file does not matter.

use super::reading;
use super::texts::{inputs, texts, values};
use claimkit_yaml::print::{self, Order};
use claimkit_yaml::{Mode, Tree, json, mode};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::LazyLock;

static SEEDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let recordings = [
        include_str!("vectors/yaml_to_json.jsonl"),
        include_str!("vectors/yaml_fuzz_sample.jsonl"),
    ];
    recordings.into_iter().flat_map(inputs).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 4000 } else { 40_000 }, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn a_tree_holds_the_whole_text(text in texts(&SEEDS)) {
        reading::a_tree_holds_the_whole_text(&text);
    }

    #[test]
    fn the_place_in_the_file_does_not_matter(text in texts(&SEEDS)) {
        reading::the_place_in_the_file_does_not_matter(&text);
    }

    #[test]
    fn crlf_reads_as_lf(text in texts(&SEEDS)) {
        reading::crlf_reads_as_lf(&text);
    }

    #[test]
    fn json_is_yaml(value in values()) {
        let json = serde_json::to_string(&value).unwrap();
        let read = reading::answer(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let read: serde_json::Value = serde_json::from_str(&read).unwrap();
        prop_assert_eq!(&read, &value);
    }

    #[test]
    fn json_is_printed_as_it_was(value in values()) {
        let json = serde_json::to_string(&value).unwrap();
        let mut tree = Tree::new(&json);
        let (root, end) = json::value(&mut tree, 0, json::MAX_DEPTH).unwrap();
        prop_assert_eq!(end, json.len());
        prop_assert_eq!(mode(&json) == Mode::Json, value.is_object());
        let mut again = String::new();
        prop_assert!(print::json(&tree, root, Order::Source, 1 << 20, &mut again));
        prop_assert_eq!(again, json);
    }
}
