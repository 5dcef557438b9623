//! Generated texts.

use proptest::prelude::*;

/// Returns the inputs of recordings, one JSON object a line, as raw material.
pub fn inputs(recording: &str) -> impl Iterator<Item = String> {
    let lines = recording.split('\n').filter(|line| !line.is_empty());
    lines.map(|line| {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        vector["in"].as_str().unwrap().to_owned()
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

/// Makes a text of pieces, or a recorded input with some of it cut out and pieces put in.
pub fn texts(seeds: &'static [String]) -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(prop::sample::select(PIECES), 0..40)
        .prop_map(|pieces| pieces.concat());
    let damage = prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            0usize..4,
            prop::sample::select(PIECES),
        ),
        0..5,
    );
    let mutated = (any::<prop::sample::Index>(), damage).prop_map(|(seed, damage)| {
        let mut text: Vec<char> = seeds[seed.index(seeds.len())].chars().collect();
        for (at, cut, piece) in damage {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect()
    });
    prop_oneof![1 => soup, 2 => mutated]
}

/// Makes JSON values. Keys are long enough for YAML to take them for text; strings hold anything JSON writes without `\/`.
pub fn values() -> impl Strategy<Value = serde_json::Value> {
    let text = prop::collection::vec(any::<char>(), 0..12)
        // YAML refuses these outside of escapes, and JSON does not escape them.
        .prop_map(|chars| {
            chars
                .into_iter()
                .filter(|&c| {
                    !matches!(
                        c,
                        '\u{7f}'
                            ..='\u{9f}'
                                | '\u{fffe}'
                                | '\u{ffff}'
                                | '\u{feff}'
                                | '\u{2028}'
                                | '\u{2029}'
                    )
                })
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
