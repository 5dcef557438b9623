//! Every recorded answer of kube-apiserver 1.31 to 1.38 for v1alpha3, v1beta1, v1beta2 and v1.

use claimkit::apiserver::endpoint::{EndpointRequest, answer};
use claimkit::validation::Operation;
use claimkit_model::schema::device::{v1, v1alpha3, v1beta1, v1beta2};
use claimkit_model::schema::{Api, Gates, Release};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

pub const RELEASES: [&str; 8] = [
    "1.31.14",
    "1.32.13",
    "1.33.13",
    "1.34.9",
    "1.35.6",
    "1.36.3",
    "1.37.2",
    "1.38.0-beta.0",
];

/// The answers of 1.38 with KUBE_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE set, which serves v1beta1 once more.
const REMOVED: &str = "1.38.0-beta.0-removed";

/// The recorded answers of a release, one a line.
pub fn recorded(release: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/vectors/later/{release}.jsonl.gz"));
    let file =
        std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// Twelve thousand cases take most of a minute without optimization, so the test takes every seventh unless all are requested.
pub fn step() -> usize {
    if cfg!(debug_assertions) && std::env::var_os("CLAIMKIT_ALL").is_none() {
        7
    } else {
        1
    }
}

fn cases(release: &str) -> Vec<Value> {
    let text = recorded(release);
    let step = step();
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines
        .step_by(step)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Keys sorted, `, ` and `: ` between tokens: how the recorded requests were sent.
pub fn sent(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            let items: Vec<String> = sorted
                .iter()
                .map(|(key, value)| format!("{}: {}", json!(key), sent(value)))
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(sent).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

fn of_cel(case: &Value) -> bool {
    let causes = case["status"]["causes"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    causes.iter().any(|cause| {
        let text = cause["message"].as_str().unwrap_or_default();
        text.contains("compilation failed:")
            || text.contains("must evaluate to bool")
            || text.contains("exceeds cost limit")
    })
}

/// The only wrong recording: the source tree recorded as 1.31.14 had the `format` library of a later release. The tests in `cel`
/// compare recordings of the expression language itself.
pub const LATER_LIBRARY: (&str, &str) = ("1.31.14", "ResourceClaim/v1alpha3/create/expr-format");

#[derive(Default)]
struct Tally {
    cases: usize,
    cel: usize,
    wrong: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    fn compare(&mut self, what: &'static str, id: &str, want: &Value, got: &Value) {
        if want != got {
            let (want, got) = (want.to_string(), got.to_string());
            let start = want
                .bytes()
                .zip(got.bytes())
                .take_while(|(a, b)| a == b)
                .count()
                .saturating_sub(80);
            let part = |text: &str| {
                String::from_utf8_lossy(&text.as_bytes()[start.min(text.len())..]).into_owned()
            };
            self.wrong.entry(what).or_default().push(format!(
                "{id}\n  want …{}\n  got  …{}",
                part(&want),
                part(&got)
            ));
        }
    }
}

/// A server stores protobuf, in which an empty list and no list are the same. The recordings before 1.37 did not make that trip, so
/// some of them have `[]` where a server answers `null`.
fn without_empty_lists(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.is_empty() => Value::Null,
        Value::Array(items) => items.iter().map(without_empty_lists).collect(),
        Value::Object(map) => {
            let kept = map
                .iter()
                .map(|(key, value)| (key.clone(), without_empty_lists(value)));
            Value::Object(kept.filter(|(_, value)| !value.is_null()).collect())
        }
        other => other.clone(),
    }
}

/// Compares the answers of a file; those of a server that serves a removed version have the objects in this version, too.
fn run(file: &str) -> Tally {
    let mut tally = Tally::default();
    let release = file.trim_end_matches("-removed");
    let parsed = Release::parse(release).unwrap();
    for case in cases(file) {
        tally.cases += 1;
        let text = |key: &str| case[key].as_str().unwrap();
        let id = text("id");
        if LATER_LIBRARY == (release, id) {
            continue;
        }
        tally.cel += usize::from(of_cel(&case));
        let version = [
            &v1::VERSION,
            &v1beta2::VERSION,
            &v1beta1::VERSION,
            &v1alpha3::VERSION,
        ]
        .into_iter()
        .find(|version| version.name == text("version"))
        .unwrap();
        let api = Api {
            version,
            kind: version.kind(text("kind"), parsed).unwrap(),
        };
        let set = case["gates"].as_object().cloned().unwrap_or_default();
        let gates = Gates::with(
            parsed,
            set.iter()
                .map(|(name, on)| (name.as_str(), on.as_bool().unwrap())),
        )
        .unwrap();
        let given = case["namespaceLabels"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let labels: BTreeMap<String, String> = given
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let body = case["text"]
            .as_str()
            .map_or_else(|| sent(&case["object"]), str::to_owned);
        let stored = case.get("old").map(sent);
        let operation = match (text("op"), stored.as_deref()) {
            ("create", _) => Operation::Create,
            ("update", Some(stored)) => Operation::Update(stored),
            (_, Some(stored)) => Operation::UpdateStatus(stored),
            (other, None) => panic!("{id}: {other} without a stored object"),
        };
        let call = EndpointRequest {
            api,
            release: parsed,
            gates,
            labels: Some(&labels),
            operation,
            body: &body,
        };
        let reply = answer(&call);
        let list = |value: &Value| {
            if value.is_null() {
                json!([])
            } else {
                value.clone()
            }
        };
        tally.compare(
            "panic",
            id,
            &json!(case.get("panic").is_some()),
            &json!(reply.panics),
        );
        tally.compare("strict", id, &list(&case["strict"]), &json!(reply.strict));
        tally.compare("decode", id, &case["decode"], &json!(reply.decode));
        if case.get("panic").is_some() {
            continue;
        }
        let status = reply.status.as_ref().map_or(Value::Null, |status| {
            let mut shown = json!({});
            if let Some(details) = &status.details {
                let causes = details.causes.iter();
                let causes = causes
                    .map(|c| json!({"field": c.field, "message": c.message, "reason": c.reason}));
                shown["causes"] = causes.collect();
            }
            shown["code"] = json!(status.code);
            shown["message"] = json!(status.message);
            shown["reason"] = json!(status.reason);
            shown
        });
        tally.compare("status", id, &case["status"], &status);
        tally.compare(
            "warnings",
            id,
            &list(&case["warnings"]),
            &json!(reply.warnings),
        );
        let mut want = case["stored"].as_object().cloned().unwrap_or_default();
        if file == REMOVED {
            want.remove(v1beta1::VERSION.name);
        }
        let whole = want.clone();
        for (version, object) in want.iter_mut() {
            if let Some(other) = object.as_str().and_then(|same| same.strip_prefix('=')) {
                let mut copy = whole[other].clone();
                copy["apiVersion"] = json!(format!("resource.k8s.io/{version}"));
                *object = copy;
            }
        }
        let mut got = serde_json::Map::new();
        for (version, text) in &reply.stored {
            let mut object: Value = serde_json::from_str(text).unwrap();
            // The recorded answers leave out fields that the server sets anew.
            if operation == Operation::Create && object["metadata"]["creationTimestamp"].is_null() {
                object["metadata"]
                    .as_object_mut()
                    .unwrap()
                    .remove("creationTimestamp");
            }
            got.insert((*version).to_owned(), object);
        }
        let (want, got) = (
            without_empty_lists(&Value::Object(want)),
            without_empty_lists(&Value::Object(got)),
        );
        tally.compare("stored", id, &want, &got);
    }
    tally
}

#[test]
fn kubernetes_1_38_with_removed_versions() {
    check(REMOVED);
}

fn check(release: &str) {
    let tally = run(release);
    println!(
        "{release}: {} cases, {} of them with a word of the CEL compiler",
        tally.cases, tally.cel
    );
    for (what, wrong) in &tally.wrong {
        println!("{release} {what}: {} differ", wrong.len());
        let shown = std::env::var("CLAIMKIT_SHOW")
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(3);
        wrong
            .iter()
            .take(shown)
            .for_each(|text| println!("{}", text.chars().take(700).collect::<String>()));
    }
    assert!(tally.wrong.is_empty(), "{release}: answers differ");
}

macro_rules! releases {
    ($($name:ident = $release:literal,)*) => {
        $(#[test] fn $name() { check($release); })*

        #[test]
        fn every_recorded_release_is_compared() {
            assert_eq!(RELEASES, [$($release),*]);
        }
    };
}

releases! {
    kubernetes_1_31 = "1.31.14",
    kubernetes_1_32 = "1.32.13",
    kubernetes_1_33 = "1.33.13",
    kubernetes_1_34 = "1.34.9",
    kubernetes_1_35 = "1.35.6",
    kubernetes_1_36 = "1.36.3",
    kubernetes_1_37 = "1.37.2",
    kubernetes_1_38 = "1.38.0-beta.0",
}
