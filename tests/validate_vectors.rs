//! Every recorded answer of upstream's validators, through the JSON interface that users call.

use crate::support::ask;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

/// The profiles' files and a release of each.
const PROFILES: [(&str, &str); 4] = [
    ("1.26.0-1.26.1", "1.26.1"),
    ("1.26.2-1.26.15", "1.26.15"),
    ("1.27-1.29", "1.29"),
    ("1.30", "1.30"),
];

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Only `\n` ends a line: strings hold U+2028 and others verbatim.
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// The text as upstream's decoder was given it in two of the cases: `, ` and `: ` between tokens.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let items: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{}: {}", json!(k), spaced(v)))
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(spaced).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

#[derive(Default)]
struct Tally {
    cases: usize,
    wrong: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    fn compare(&mut self, what: &'static str, id: &str, want: &impl Debug, got: &impl Debug) {
        let (want, got) = (format!("{want:?}"), format!("{got:?}"));
        if want != got {
            self.wrong
                .entry(what)
                .or_default()
                .push(format!("{id}\n  want {want}\n  got  {got}"));
        }
    }
}

fn case(vector: &Value, release: &str, tally: &mut Tally) {
    tally.cases += 1;
    let id = vector["id"].as_str().unwrap();
    let decoding = id.contains("/decode/no-");
    let print = |value: &Value| {
        if decoding {
            spaced(value)
        } else {
            value.to_string()
        }
    };
    let operation = match vector["op"].as_str().unwrap() {
        "create" => "create",
        "update" => "update",
        "status" => "updateStatus",
        other => panic!("{other}"),
    };
    let mut request = json!({
        "verb": "validate", "text": print(&vector["object"]), "release": release, "operation": operation,
        "via": "validator", "fieldValidation": "Ignore",
    });
    if let Some(old) = vector.get("old") {
        request["old"] = json!(print(old));
    }
    let answer = ask(&request);
    let upstream: Vec<&Value> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["origin"] == "kube-apiserver" && finding["severity"] == "error")
        .collect();
    let messages: Vec<&str> = upstream
        .iter()
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    let status = &answer["objects"][0]["status"];
    if let Some(error) = vector.get("decode_error") {
        tally.compare(
            "decode_error",
            id,
            &[error.as_str().unwrap()],
            &messages.as_slice(),
        );
        tally.compare(
            "decode valid",
            id,
            &false,
            &answer["objects"][0]["valid"].as_bool().unwrap(),
        );
        return;
    }
    let errors = strings(&vector["errors"]);
    let types = strings(&vector["types"]);
    tally.compare("errors", id, &errors, &messages);
    let got: Vec<&str> = upstream
        .iter()
        .map(|finding| finding["type"].as_str().unwrap_or(""))
        .collect();
    tally.compare("types", id, &types, &got);
    let causes: Vec<String> = status["details"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|cause| {
            format!(
                "{}: {}",
                cause["field"].as_str().unwrap(),
                cause["message"].as_str().unwrap()
            )
        })
        .collect();
    if operation == "create" {
        tally.compare("causes", id, &errors, &causes);
    } else {
        tally.compare("api_errors", id, &strings(&vector["api_errors"]), &causes);
    }
    let want = vector.get("message").and_then(Value::as_str).unwrap_or("");
    tally.compare(
        "message",
        id,
        &want,
        &status["message"].as_str().unwrap_or(""),
    );
    let strict_wanted = vector.get("strict_error").and_then(Value::as_str);
    request["fieldValidation"] = json!("Strict");
    let answer = ask(&request);
    let status = &answer["objects"][0]["status"];
    let message = status["message"].as_str().unwrap_or("");
    let got = message
        .find("strict decoding error: ")
        .and_then(|at| message.get(at..));
    tally.compare("strict_error", id, &strict_wanted, &got);
    if let Some(wanted) = strict_wanted {
        let kind = vector["object"]["kind"].as_str().unwrap();
        let version = vector["object"]["apiVersion"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap();
        let wrapped =
            format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {wanted}");
        tally.compare("strict status", id, &wrapped.as_str(), &message);
        tally.compare(
            "strict code",
            id,
            &400,
            &status["code"].as_i64().unwrap_or(0),
        );
    }
}

fn run(prefix: &str, profile: &str, release: &str) {
    let mut tally = Tally::default();
    for vector in lines(&format!("{prefix}{profile}.jsonl")) {
        case(&vector, release, &mut tally);
    }
    println!("{prefix}{profile}: {} cases", tally.cases);
    let mut failed = 0;
    for (what, wrong) in &tally.wrong {
        failed += wrong.len();
        println!("{what}: {} differ", wrong.len());
        for text in wrong.iter().take(3) {
            println!("{text}");
        }
    }
    assert_eq!(failed, 0, "{prefix}{profile}");
}

macro_rules! profiles {
    ($($name:ident = $prefix:literal $index:literal,)*) => {
        $(
            #[test]
            fn $name() {
                let (profile, release) = PROFILES[$index];
                run($prefix, profile, release);
            }
        )*
    };
}

profiles! {
    written_1_26_0 = "k8s-" 0,
    written_1_26_2 = "k8s-" 1,
    written_1_27 = "k8s-" 2,
    written_1_30 = "k8s-" 3,
    random_1_26_0 = "random-k8s-" 0,
    random_1_26_2 = "random-k8s-" 1,
    random_1_27 = "random-k8s-" 2,
    random_1_30 = "random-k8s-" 3,
}
