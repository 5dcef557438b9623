//! Laws of reading: no text causes a panic, every span is inside the text, only punctuation is between spans, and the position of
//! a document in its file does not matter.

use crate::support::reading;
use claimkit::limits::Limits;
use claimkit::text::print::{self, Order};
use claimkit::text::{self, Mode};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::OnceLock;

/// The inputs of the recordings, as raw material.
fn seeds() -> &'static [String] {
    static SEEDS: OnceLock<Vec<String>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = Vec::new();
        for file in ["yaml_to_json.jsonl", "yaml_fuzz_sample.jsonl", "kubectl_stream.jsonl"] {
            let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
            for line in std::fs::read_to_string(path).unwrap().split('\n').filter(|line| !line.is_empty()) {
                let vector: serde_json::Value = serde_json::from_str(line).unwrap();
                seeds.push(vector["in"].as_str().unwrap().to_owned());
            }
        }
        seeds
    })
}

/// Pieces that mean something to YAML.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    "- ",
    "? ",
    ": ",
    ":",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\r",
    "\t",
    " ",
    "#",
    " # c",
    "'",
    "''",
    "\"",
    "\\",
    "\\n",
    "\\u00e9",
    "\\\n",
    "|",
    ">",
    "|-\n",
    "|+2\n ",
    ">\n  ",
    "&a ",
    "*a",
    "!!str ",
    "!t ",
    "!<x> ",
    "<<: ",
    "---",
    "---\n",
    "\n---\n",
    "...\n",
    "%YAML 1.1\n",
    "%TAG ! !x\n",
    "é",
    "😀",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{a0}",
    "–--\n",
    "1",
    "0x1F",
    "1.10",
    "on",
    "~",
    ".inf",
    "\u{7}",
    "@",
    "`",
    "{{ x }}",
    "apiVersion: v1\n",
    "items:\n",
];

/// A text of pieces, or a recorded input with some of it cut out and pieces put in.
fn texts() -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat());
    let damage = prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, prop::sample::select(PIECES)), 0..5);
    let mutated = (any::<prop::sample::Index>(), damage).prop_map(|(seed, damage)| {
        let mut text: Vec<char> = seeds()[seed.index(seeds().len())].chars().collect();
        for (at, cut, piece) in damage {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect()
    });
    prop_oneof![1 => soup, 2 => mutated]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 4000 } else { 40_000 }, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read(text in texts()) {
        let file = text::read(&text, &Limits::default());
        reading::check_file(&file, &text);
    }

    #[test]
    fn a_tree_holds_the_whole_text(text in texts()) {
        reading::a_tree_holds_the_whole_text(&text);
    }

    #[test]
    fn the_place_in_the_file_does_not_matter(text in texts()) {
        reading::the_place_in_the_file_does_not_matter(&text);
    }

    #[test]
    fn crlf_reads_as_lf(text in texts()) {
        reading::crlf_reads_as_lf(&text);
    }

    #[test]
    fn json_is_yaml(value in values()) {
        let json = serde_json::to_string(&value).unwrap();
        let read = reading::answer(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let read: serde_json::Value = serde_json::from_str(&read).unwrap();
        prop_assert_eq!(&read, &value);
        let file = text::read(&json, &Limits::default());
        prop_assert!(file.findings.is_empty(), "{:?}", file.findings);
        if let Some(document) = file.documents.first() {
            let mut again = String::new();
            print::json(&document.tree, document.root.unwrap(), Order::Source, 1 << 20, &mut again);
            if document.mode == Mode::Json {
                prop_assert_eq!(again, json);
            }
        }
    }
}

/// JSON values. Keys are long enough for YAML to take them for text; strings hold anything JSON writes without `\/`.
fn values() -> impl Strategy<Value = serde_json::Value> {
    let text = prop::collection::vec(any::<char>(), 0..12)
        // YAML refuses these outside of escapes, and JSON does not escape them.
        .prop_map(|chars| {
            chars
                .into_iter()
                .filter(|&c| !matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' | '\u{feff}' | '\u{2028}' | '\u{2029}'))
                .collect::<String>()
        });
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        text.clone().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            prop::collection::vec((text.clone(), inner), 0..8)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}
