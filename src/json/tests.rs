//! What is read and written here is what serde's derived code and `serde_json` read and write, errors included.

use super::{Error, Raw, Value, from_str, print};
use crate::wire::Request;
use serde::Deserialize;

/// A sequence without pattern, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % count
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// The same text or the same error, but for Rust's names of numbers, and the field, which serde_json does not tell.
fn same<O, T>(
    text: &str,
    ours: Result<O, Error>,
    theirs: Result<T, serde_json::Error>,
    show: fn(O) -> String,
    other: fn(T) -> String,
) {
    let ours = ours.map(show).map_err(|mut error| {
        error.field.clear();
        error.to_string()
    });
    let theirs = theirs.map(other).map_err(|error| {
        let error = error.to_string().replace("expected usize", "expected a whole number that is not negative");
        error.replace("expected u32", "expected a whole number up to 4294967295")
    });
    assert_eq!(ours, theirs, "{text}");
}

const SCALARS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "12",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "0.1",
    "1e5",
    "1E+5",
    "-1.5e-7",
    "1e400",
    "-1e-400",
    "0e99999999999",
    "1e99999999999",
    "1e-99999999999x",
    "123456789012345678901234567890.5e-3",
    "0.1234567890123456789012345",
    "00",
    "01",
    "-",
    "-x",
    "1.",
    "1.x",
    "1e",
    "1e+",
    "1ex",
    "3.14159",
    "1e15",
    "1e16",
    "1.5e16",
    "123456.789e3",
    "0.00001",
    "0.000001",
    "5e-324",
    "1.7976931348623157e308",
    "nul",
    "nule",
    "t",
    "trux",
    "falsy",
    "\"\"",
    "\"a\"",
    "\"é\"",
    "\"\\n\\u00e9\\ud83d\\ude00\\/\"",
    "\"\\ud83d\"",
    "\"\\ud83dx\"",
    "\"\\ud83d\\n\"",
    "\"\\ud83d\\u0041\"",
    "\"\\ude00\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\x\"",
    "\"a",
    "\"\\",
    "\"\n\"",
    "\"\t\"",
    "'",
    "",
    "x",
];

fn value(random: &mut Random, depth: usize, out: &mut String) {
    let space = |random: &mut Random| random.one(&["", "", "", " ", "\n", "\t\r\n "]);
    out.push_str(space(random));
    match random.below(if depth == 0 { 1 } else { 3 }) {
        0 => out.push_str(random.one(SCALARS)),
        1 => {
            out.push('[');
            for at in 0..random.below(4) {
                if at > 0 {
                    out.push_str(random.one(&[",", ",", ",", ",", ",", "", ",,"]));
                }
                value(random, depth - 1, out);
            }
            out.push_str(random.one(&["]", "]", "]", "]", "]", ",]", "", "}", "x]"]));
        }
        _ => {
            out.push('{');
            for at in 0..random.below(4) {
                if at > 0 {
                    out.push_str(random.one(&[",", ",", ",", ",", ",", "", ",,"]));
                }
                out.push_str(space(random));
                out.push_str(random.one(&["\"a\"", "\"b\"", "\"c\"", "\"\\u0061\"", "\"a\"", "\"b\"", "\"c\"", "x", "\"", "1"]));
                out.push_str(space(random));
                out.push_str(random.one(&[":", ":", ":", ":", ":", ":", "", "="]));
                value(random, depth - 1, out);
            }
            out.push_str(random.one(&["}", "}", "}", "}", "}", ",}", "", "]", "x}"]));
        }
    }
    out.push_str(space(random));
}

#[test]
fn values_are_those_of_serde_json() {
    let mut random = Random(1);
    let mut good = 0;
    for _ in 0..60_000 {
        let mut text = String::new();
        value(&mut random, 3, &mut text);
        good += usize::from(Value::parse(&text).is_ok());
        same(
            &text,
            Value::parse(&text),
            serde_json::from_str(&text),
            |ours| print(&ours),
            |theirs: serde_json::Value| theirs.to_string(),
        );
        let raw = serde_json::from_str::<Box<serde_json::value::RawValue>>(&text);
        same(&text, from_str::<Raw>(&text), raw, |ours| ours.get().to_owned(), |theirs| theirs.get().to_owned());
    }
    assert!(good > 5_000, "{good}");
    for depth in [126, 127, 128, 129] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        same(
            &text,
            Value::parse(&text),
            serde_json::from_str(&text),
            |ours| print(&ours),
            |theirs: serde_json::Value| theirs.to_string(),
        );
    }
}

#[test]
fn numbers_are_rounded_and_printed_as_ever() {
    let mut random = Random(2);
    for _ in 0..100_000 {
        let mut text = (0..1 + random.below(22)).map(|_| char::from(b'0' + random.below(10) as u8)).collect::<String>();
        text.insert(random.below(text.len()), '.');
        text.insert_str(0, random.one(&["-1", "1", "-0", "0"]));
        text.push_str(&format!("e{}", random.below(700) as i32 - 350));
        same(
            &text,
            Value::parse(&text),
            serde_json::from_str(&text),
            |ours| print(&ours),
            |theirs: serde_json::Value| theirs.to_string(),
        );
    }
}

#[test]
fn equal_objects_may_differ_in_sequence_only() {
    let parse = |text| Value::parse(text).unwrap();
    assert_eq!(parse(r#"{"a":1,"b":[2]}"#), parse(r#"{"b":[2],"a":1}"#));
    assert_ne!(parse(r#"{"a":1}"#), parse(r#"{"a":1.0}"#));
    assert_ne!(parse(r#"{"a":1}"#), parse(r#"{"a":1,"b":1}"#));
    assert_ne!(parse(r#"{"a":1}"#), parse(r#"{"b":1}"#));
}

/// Requests as serde derives their reader.
mod derived {
    use serde::{Deserialize, Deserializer};
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    #[derive(Debug)]
    pub struct Raw(#[allow(dead_code, reason = "printed and compared")] String);

    impl<'de> Deserialize<'de> for Raw {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Box::<RawValue>::deserialize(deserializer).map(|raw| Raw(raw.get().to_owned()))
        }
    }

    fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
        Option::<String>::deserialize(deserializer).map(Some)
    }

    macro_rules! words {
        ($($enum:ident $rename:literal: $($value:ident),*;)*) => {$(
            #[derive(Clone, Copy, Debug, Deserialize)]
            #[serde(rename_all = $rename)]
            pub enum $enum { $($value),* }
        )*};
    }

    words! {
        Via "lowercase": Kubectl, Validator;
        FieldValidation "PascalCase": Strict, Warn, Ignore;
        Operation "camelCase": Create, Update, UpdateStatus, Patch, PatchStatus;
        PatchType "lowercase": Json, Merge, Strategic, Apply;
        Detail "lowercase": Full, Summary;
        Lossy "lowercase": Refuse, Allow;
    }

    #[derive(Debug, Deserialize)]
    #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
    pub struct Limits {
        bytes: usize,
        depth: usize,
        nodes: usize,
        findings: usize,
        node_set_bytes: usize,
    }

    impl Default for Limits {
        fn default() -> Self {
            let crate::limits::Limits { bytes, depth, nodes, findings, node_set_bytes } = crate::limits::Limits::default();
            Limits { bytes, depth, nodes, findings, node_set_bytes }
        }
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Place {
        line: u32,
        character: u32,
        offset: Option<u32>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "printed and compared")]
    pub struct PlaceRange {
        start: Place,
        end: Place,
    }

    #[derive(Debug, Deserialize)]
    #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
    pub struct Request {
        verb: String,
        text: Option<String>,
        release: Option<String>,
        field_validation: FieldValidation,
        operation: Operation,
        old: Option<String>,
        via: Option<Via>,
        namespace: Option<String>,
        patch: Option<String>,
        patch_type: PatchType,
        field_manager: Option<String>,
        force: bool,
        time: Option<String>,
        to: Option<String>,
        lossy: Lossy,
        drop_server_fields: bool,
        #[serde(deserialize_with = "present")]
        nodes: Option<Option<String>>,
        selector: Option<String>,
        detail: Option<Detail>,
        explain: Vec<String>,
        #[serde(skip)]
        without_places: bool,
        #[serde(skip)]
        damaged: Vec<(&'static str, String)>,
        label_selector: Option<String>,
        field_selector: Option<String>,
        raw: bool,
        position: Option<Place>,
        range: Option<PlaceRange>,
        kind: Option<String>,
        locale: Option<String>,
        pub sentences: Option<BTreeMap<String, BTreeMap<String, String>>>,
        request: Option<Raw>,
        settings: Option<Raw>,
        limits: Limits,
    }

    impl Default for Request {
        fn default() -> Self {
            Request {
                verb: String::new(),
                text: None,
                release: None,
                field_validation: FieldValidation::Strict,
                operation: Operation::Create,
                old: None,
                via: None,
                namespace: None,
                patch: None,
                patch_type: PatchType::Strategic,
                field_manager: None,
                force: false,
                time: None,
                to: None,
                lossy: Lossy::Refuse,
                drop_server_fields: false,
                nodes: None,
                selector: None,
                detail: None,
                explain: Vec::new(),
                without_places: false,
                damaged: Vec::new(),
                label_selector: None,
                field_selector: None,
                raw: false,
                position: None,
                range: None,
                kind: None,
                locale: None,
                sentences: None,
                request: None,
                settings: None,
                limits: Limits::default(),
            }
        }
    }
}

const MEMBERS: &[(&str, &[&str])] = &[
    ("verb", &["\"validate\"", "null"]),
    ("text", &["\"a: 1\\n\"", "null"]),
    (
        "fieldValidation",
        &[
            "\"Warn\"",
            "\"Ignore\"",
            "\"strict\"",
            "{\"Warn\":null}",
            "{\"Warn\":1}",
            "{\"Warn\":null,\"a\":1}",
            "{\"warn\":null}",
            "{}",
            "{1}",
            "{\"Warn\"",
        ],
    ),
    ("operation", &["\"patchStatus\"", "\"delete\"", "{\"update\" : null }"]),
    ("via", &["\"validator\"", "\"x\"", "null"]),
    ("patchType", &["\"json\"", "\"Json\""]),
    ("lossy", &["\"allow\"", "\"é\""]),
    ("force", &["true", "false", "\"true\""]),
    ("nodes", &["null", "\"x\"", "1"]),
    ("detail", &["\"summary\"", "null", "\"none\""]),
    ("explain", &["[]", "[\"a\", \"b\"]", "[1]", "\"a\"", "[\"a\",]", "[\"a\""]),
    ("raw", &["true", "0.5"]),
    (
        "position",
        &[
            "{\"line\":1,\"character\":2}",
            "{\"offset\":3}",
            "[1,2,3]",
            "[1]",
            "[]",
            "[1,2,3,4]",
            "{\"line\":-1}",
            "{\"line\":4294967296}",
            "{\"x\":1}",
            "{\"line\":1.5}",
        ],
    ),
    (
        "range",
        &["{\"start\":{},\"end\":{\"line\":1}}", "{\"start\":{}}", "[{},{}]", "[{}]", "[]", "{}", "{\"start\":{},\"start\":{}}"],
    ),
    ("sentences", &["{\"a\":{\"b\":\"c\"}}", "{}", "null", "{\"a\":1}", "{\"a\":{\"b\":1}}", "[]"]),
    ("request", &["{\"a\": [1, {\"b\" : null}] }", "null", " 1 ", "[1,]"]),
    ("settings", &["{}", "\"\\ud800\""]),
    (
        "limits",
        &[
            "{\"bytes\":1,\"nodeSetBytes\":2}",
            "{\"bytes\":-1}",
            "[1,2,3,4,5]",
            "[1,2,3,4,5,6]",
            "{\"Bytes\":1}",
            "null",
            "{\"bytes\":1e3}",
            "{\"depth\":1,\"depth\":1}",
        ],
    ),
    ("withoutPlaces", &["true"]),
    ("colour", &["1"]),
];

#[test]
fn requests_are_read_as_serde_derives_it() {
    let mut random = Random(3);
    let mut good = 0;
    for round in 0..60_000 {
        let array = round % 16 == 0;
        let mut text = random.one(&["{", "{", "{", " {\n"]).to_owned();
        if array {
            text = "[".to_owned();
        }
        for at in 0..random.below(4) {
            if at > 0 {
                text.push_str(random.one(&[",", ",", ",", ",", " ,\n", "", ",,"]));
            }
            let (name, values) = MEMBERS[random.below(MEMBERS.len())];
            if !array {
                text.push_str(&format!("\"{name}\"{}", random.one(&[":", ":", ":", ": ", "\n: ", ""])));
            }
            if random.below(5) == 0 {
                value(&mut random, 2, &mut text);
            } else {
                text.push_str(random.one(values));
            }
        }
        text.push_str(random.one(&["}", "}", "}", "}", "}", "\n}\n", ",}", "", "]", "} x"]));
        if array {
            text.push(']');
        }
        good += usize::from(from_str::<Request>(&text).is_ok());
        same(
            &text,
            from_str::<Request>(&text),
            serde_json::from_str::<derived::Request>(&text),
            |mut ours| {
                let keys = ours.sentences.take().map(|sentences| sentences.keys().collect::<Vec<_>>());
                format!("{ours:?} {keys:?}")
            },
            |mut theirs| {
                let sentences = theirs.sentences.take();
                let keys = sentences.map(|groups| {
                    let keys = groups.iter().flat_map(|(group, names)| names.keys().map(move |name| format!("{group}/{name}")));
                    keys.collect::<Vec<_>>()
                });
                format!("{theirs:?} {keys:?}")
            },
        );
    }
    assert!(good > 5_000, "{good}");
}

#[test]
fn scalars_of_other_types_are_refused_alike() {
    #[derive(Debug, Deserialize)]
    #[serde(transparent)]
    struct Theirs<T>(T);
    for text in SCALARS.iter().copied().chain(["[1]", "{}", " ", "[", "{\"a\":1}", "4294967295", "4294967296"]) {
        same(text, from_str::<String>(text), serde_json::from_str::<Theirs<String>>(text), |ours| ours, |theirs| theirs.0);
        same(
            text,
            from_str::<bool>(text),
            serde_json::from_str::<Theirs<bool>>(text),
            |ours| ours.to_string(),
            |theirs| theirs.0.to_string(),
        );
        same(
            text,
            from_str::<u32>(text),
            serde_json::from_str::<Theirs<u32>>(text),
            |ours| ours.to_string(),
            |theirs| theirs.0.to_string(),
        );
        same(
            text,
            from_str::<usize>(text),
            serde_json::from_str::<Theirs<usize>>(text),
            |ours| ours.to_string(),
            |theirs| theirs.0.to_string(),
        );
    }
}
