//! What holds for every text: it is read without a panic, every span is a piece of it, what lies between the spans is
//! punctuation, and where a document stands in its file does not change what is read.

#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "a test")]

use claimkit::limits::Limits;
use claimkit::text::print::{self, Order};
use claimkit::text::tree::{Kind, NodeId, Tree};
use claimkit::text::{self, File, Mode, Span, yaml};
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

fn check_span(text: &str, span: Span) {
    assert!(text.get(span.from()..span.to()).is_some(), "{span:?} in {text:?}");
}

/// Every span of a tree is a piece of the text and lies inside its parent's; gives the spans of scalars, keys, tags,
/// anchors and comments.
fn leaves(text: &str, tree: &Tree<'_>, root: NodeId) -> Vec<Span> {
    let mut spans: Vec<Span> = tree.comments.clone();
    let mut steps = vec![root];
    while let Some(id) = steps.pop() {
        let node = tree.node(id);
        check_span(text, node.span);
        check_span(text, node.properties);
        assert!(node.properties.is_empty() || node.properties.end <= node.span.start, "{node:?} in {text:?}");
        spans.push(node.properties);
        let inside = |span: Span| {
            assert!(node.span.start <= span.start && span.end <= node.span.end, "{span:?} outside {node:?} in {text:?}")
        };
        match node.kind {
            Kind::Seq { .. } => {
                for &item in tree.items(id) {
                    inside(tree.span(item));
                    steps.push(item);
                }
            }
            Kind::Map { .. } => {
                for entry in tree.entries(id) {
                    check_span(text, entry.key_span);
                    inside(entry.key_span);
                    spans.push(entry.key_span);
                    if !entry.merged {
                        inside(tree.span(entry.value));
                        steps.push(entry.value);
                    }
                }
            }
            _ => spans.push(node.span),
        }
    }
    spans
}

fn check_file(file: &File<'_>, text: &str) {
    for finding in &file.findings {
        let span = finding.span.unwrap_or_else(|| panic!("{finding:?} in {text:?}"));
        check_span(text, span);
        for edit in finding.fixes.iter().flat_map(|fix| &fix.edits) {
            check_span(text, edit.span);
        }
        assert!(finding.help.is_some(), "{finding:?} in {text:?}");
    }
    let mut before = 0;
    for document in &file.documents {
        check_span(text, document.span);
        assert!(before <= document.span.from());
        before = document.span.to();
        let Some(root) = document.root else { continue };
        leaves(text, &document.tree, root);
    }
}

/// Puts a document together again from its leaves and what stands between them, which may only be punctuation.
fn reprint(text: &str, tree: &Tree<'_>, root: NodeId, span: Span) -> String {
    let mut spans = leaves(text, tree, root);
    // Comments behind the end belong to what is not read.
    spans.retain(|leaf| !leaf.is_empty() && leaf.from() < span.to());
    spans.sort_unstable();
    spans.dedup();
    let mut out = String::new();
    let mut at = span.from();
    for leaf in spans {
        if leaf.from() < at {
            // A comment behind `|` or `>`: part of the scalar.
            assert!(leaf.to() <= at && text[leaf.from()..].starts_with('#'), "{leaf:?} overlaps in {text:?}");
            continue;
        }
        let between = &text[at..leaf.from()];
        // Directives, and the tags and anchors of keys, are nobody's.
        let mut words = between
            .split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
            .filter(|line| !line.starts_with('%'))
            .flat_map(str::split_whitespace);
        assert!(
            words.all(|word| {
                let word = word.find(['!', '&']).map_or(word, |at| &word[..at]);
                word.chars().all(|c| "-?:,[]{}.\u{feff}".contains(c))
            }),
            "{between:?} is not in the tree of {text:?}"
        );
        out.push_str(between);
        out.push_str(&text[leaf.from()..leaf.to()]);
        at = leaf.to();
    }
    out.push_str(&text[at..span.to()]);
    out
}

fn answer(text: &str) -> Result<String, String> {
    let document = yaml::read(text, yaml::Bounds::default());
    match (document.error, document.root) {
        (Some(error), _) => Err(error.to_string()),
        (None, None) => Ok("null".to_owned()),
        (None, Some(root)) => {
            let mut json = String::new();
            print::json(&document.tree, root, Order::Sorted, 1 << 20, &mut json);
            Ok(json)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 4000 } else { 40_000 }, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read(text in texts()) {
        let file = text::read(&text, &Limits::default());
        check_file(&file, &text);
    }

    #[test]
    fn a_tree_holds_the_whole_text(text in texts()) {
        // Merged entries and complex keys are looked up elsewhere; aliases may stand for them.
        let document = yaml::read(&text, yaml::Bounds::default());
        if let (Some(root), Some((end, _))) = (document.root, document.end)
            && !text.contains("<<") && !text.contains('?') && !text.contains("]:") && !text.contains("}:") && !text.contains("%TAG")
        {
            let span = Span::new(0, end as usize);
            prop_assert_eq!(reprint(&text, &document.tree, root, span), &text[..span.to()]);
        }
    }

    #[test]
    fn the_place_in_the_file_does_not_matter(text in texts()) {
        // A byte order mark, and where 512 bytes end, do matter to go-yaml.
        let text = text.replace(['\u{feff}', '\u{7}'], "") + "\n";
        let alone = answer(&text);
        let before = "kind: é\n---\n";
        let whole = format!("{before}{text}");
        let mut reader = yaml::Reader::part(&whole, 0, 0, false);
        let there = yaml::read_part(&mut reader, &whole, before.len(), whole.len(), false, yaml::Bounds::default());
        let answer_there = match (&there.error, there.root) {
            (Some(error), _) => Err(error.to_string()),
            (None, None) => Ok("null".to_owned()),
            (None, Some(root)) => {
                let mut json = String::new();
                print::json(&there.tree, root, Order::Sorted, 1 << 20, &mut json);
                Ok(json)
            }
        };
        prop_assert_eq!(alone, answer_there);
    }

    #[test]
    fn crlf_reads_as_lf(text in texts()) {
        let text = text.replace(['\r', '\u{7}'], "");
        prop_assert_eq!(answer(&text), answer(&text.replace('\n', "\r\n")));
    }

    #[test]
    fn json_is_yaml(value in values()) {
        let json = serde_json::to_string(&value).unwrap();
        let read = answer(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
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
