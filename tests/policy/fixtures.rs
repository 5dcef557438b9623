//! The policy's fixtures: one JSON file per subject, a list of cases, the same for every build of the policy.
//!
//! A case has a `name` and what is sent, one of
//! - `settings` and `object` (with `old`, `operation`, `subResource`, `requestKind`, `namespace`, `user`, `groups`): an AdmissionRequest is
//!   made around the object, as an API server makes it, or with `"audit": true` as Kubewarden's audit scanner makes it;
//! - the same with `sample` in place of `settings`: those of the policy in pkg/policy/samples;
//! - `settings` and `request`: the AdmissionRequest, or a request of the contract, as it stands;
//! - `settingsOnly`: settings to be validated;
//! - `payload`: the text sent to `validate`; a list is joined, `{"repeat": "text", "times": 3}` in it is text too;
//! - `bytes`: the same, as numbers.
//!
//! and `decides`: whether the request is accepted, or `expect`: the whole answer; a message may be a list as a payload may. `cluster` lists what the host is asked and what it
//! answers, each `{"operation": …, "payload": …, "answer": …}` or with `error` in place of `answer`; other calls are refused.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Payloads beyond this are refused unread; see src/requests/admit.rs.
const MAX_PAYLOAD: usize = 16 << 20;

/// The settings of a policy in pkg/policy/samples.
pub fn sample(name: &str) -> Value {
    // The crate of the project, or one of its hosts beside it.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|at| at.join("pkg/policy/samples"))
        .find(|at| at.is_dir());
    let path = folder
        .expect("pkg/policy/samples")
        .join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let request = json!({"verb": "parse", "raw": true, "text": text}).to_string();
    let answer: Value = serde_json::from_str(&claimkit::requests::answer(&request)).unwrap();
    answer["raw"]["spec"]["settings"].clone()
}

/// One case.
pub struct Fixture {
    /// The sample that has its settings.
    pub sample: Option<String>,
    /// File and name.
    pub name: String,
    /// `validate` or `validate_settings`.
    pub operation: &'static str,
    /// What is sent.
    pub payload: Vec<u8>,
    /// What the host is asked, and what it answers.
    pub cluster: Vec<Call>,
    /// What must be answered; `null` where nothing was written down.
    pub expect: Value,
    /// Whether the request must be accepted, where only that was written down.
    pub decides: Option<bool>,
}

/// A call to the host.
#[derive(Clone)]
pub struct Call {
    /// Of the namespace `kubernetes`.
    pub operation: String,
    /// JSON.
    pub payload: String,
    /// JSON, or the host's words.
    pub answer: Result<String, String>,
}

/// What the host answers to a call.
pub fn host_answer(calls: &[Call], operation: &str, payload: &str) -> Result<String, String> {
    let known = calls
        .iter()
        .find(|call| call.operation == operation && call.payload == payload);
    known.map_or_else(
        || Err(format!("nothing is recorded for {operation} {payload}")),
        |call| call.answer.clone(),
    )
}

impl Fixture {
    /// Input and data of an OPA evaluation that asks for the same.
    pub fn opa(&self) -> (Vec<u8>, Vec<u8>) {
        match (self.operation, self.parts()) {
            // Kubewarden's way has a `uid`; people who evaluate give the request of the contract itself.
            ("validate", Some((request, _)))
                if self.is_contract() && !request.contains("\"uid\"") =>
            {
                (request.into(), b"{}".to_vec())
            }
            ("validate", Some((request, settings))) => (
                format!(r#"{{"request":{request}}}"#).into(),
                settings.into(),
            ),
            ("validate_settings", _)
                if serde_json::from_slice::<&RawValue>(&self.payload).is_ok() =>
            {
                let settings = String::from_utf8_lossy(&self.payload);
                (
                    format!(r#"{{"verb":"admit","settings":{settings}}}"#).into(),
                    b"{}".to_vec(),
                )
            }
            _ => (self.payload.clone(), b"{}".to_vec()),
        }
    }

    /// Whether a request of the contract is sent.
    pub fn is_contract(&self) -> bool {
        self.parts().is_some_and(|(request, _)| {
            serde_json::from_str::<Value>(&request).is_ok_and(|request| request["verb"].is_string())
        })
    }

    /// Input of an OPA evaluation in Gatekeeper's shape, if the payload has the parts for one.
    pub fn gatekeeper(&self) -> Option<Vec<u8>> {
        let (request, settings) = self.parts().filter(|_| self.operation == "validate")?;
        Some(format!(r#"{{"parameters":{settings},"review":{request}}}"#).into())
    }

    /// The texts of request and settings, if the payload is JSON and has a request.
    pub fn parts(&self) -> Option<(String, String)> {
        #[derive(serde::Deserialize)]
        struct Parts<'p> {
            #[serde(borrow)]
            request: &'p RawValue,
            #[serde(borrow)]
            settings: Option<&'p RawValue>,
        }
        if self.payload.len() > MAX_PAYLOAD {
            return None;
        }
        let parts: Parts<'_> = serde_json::from_slice(&self.payload).ok()?;
        Some((
            parts.request.get().to_owned(),
            parts.settings.map_or("{}", RawValue::get).to_owned(),
        ))
    }
}

/// Every case of every file of the folder, in order.
pub fn all(folder: &Path) -> Vec<Fixture> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    let mut fixtures = Vec::new();
    for path in files {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let cases: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        fixtures.extend(cases.iter().map(|case| fixture(&file, case)));
    }
    fixtures
}

/// Every manifest of the tests beside the folder, asked of each verb: what is answered is not written down, but must be the
/// crate's own answer in every module.
pub fn of_manifests(folder: &Path) -> Vec<Fixture> {
    let manifests = folder.with_file_name("manifests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&manifests)
        .unwrap_or_else(|error| panic!("{}: {error}", manifests.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml" || extension == "json")
        })
        .collect();
    files.sort();
    let nodes = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {zone: a, gpu: \"80\"}}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n";
    let mut fixtures = Vec::new();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for (verb, key, value) in [
            ("parse", "via", "validator"),
            ("validate", "namespace", "team-a"),
            ("convert", "to", "v1alpha1"),
            ("convert", "to", "v1alpha2"),
            ("evaluate", "nodes", nodes),
        ] {
            let request = json!({"verb": verb, "text": text, key: value});
            fixtures.push(fixture(
                "manifests",
                &json!({"name": format!("{file}: {verb}, {key}: {value}"), "request": request}),
            ));
        }
    }
    fixtures
}

fn fixture(file: &str, case: &Value) -> Fixture {
    const KEYS: &[&str] = &[
        "name",
        "settings",
        "sample",
        "object",
        "old",
        "operation",
        "subResource",
        "requestKind",
        "namespace",
        "user",
        "groups",
        "audit",
        "request",
        "settingsOnly",
        "payload",
        "bytes",
        "cluster",
        "expect",
        "decides",
    ];
    let name = format!(
        "{file}: {}",
        case["name"]
            .as_str()
            .unwrap_or_else(|| panic!("{file}: a case without name"))
    );
    for key in case.as_object().unwrap().keys() {
        assert!(KEYS.contains(&key.as_str()), "{name}: unknown key {key}");
    }
    let has = |key: &str| case.get(key).is_some();
    let (operation, payload) = if has("settingsOnly") {
        (
            "validate_settings",
            case["settingsOnly"].to_string().into_bytes(),
        )
    } else if has("payload") {
        ("validate", joined(&case["payload"]).into_bytes())
    } else if has("bytes") {
        let bytes = case["bytes"].as_array().unwrap();
        (
            "validate",
            bytes
                .iter()
                .map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap())
                .collect(),
        )
    } else {
        let request = if has("request") {
            case["request"].clone()
        } else {
            admission(case)
        };
        let mut payload = Map::new();
        payload.insert("request".to_owned(), request);
        let settings = case["sample"]
            .as_str()
            .map_or_else(|| case.get("settings").cloned(), |name| Some(sample(name)));
        payload.insert("settings".to_owned(), settings.unwrap_or_else(|| json!({})));
        ("validate", Value::Object(payload).to_string().into_bytes())
    };
    let sample = case["sample"].as_str().map(str::to_owned);
    Fixture {
        sample,
        cluster: calls(case),
        name,
        operation,
        payload,
        expect: case["expect"].clone(),
        decides: case["decides"].as_bool(),
    }
}

/// What the host of a case is asked, and what it answers.
pub fn calls(case: &Value) -> Vec<Call> {
    let calls = case["cluster"].as_array().map_or(&[][..], Vec::as_slice);
    let call = |call: &Value| Call {
        operation: call["operation"]
            .as_str()
            .unwrap_or_else(|| panic!("{case}: a call without operation"))
            .to_owned(),
        payload: call["payload"].to_string(),
        answer: match &call["error"] {
            Value::String(error) => Err(error.clone()),
            _ => Ok(call["answer"].to_string()),
        },
    };
    calls.iter().map(call).collect()
}

/// The AdmissionRequest around a case's object.
pub fn admission(case: &Value) -> Value {
    let object = if case["object"].is_null() {
        &case["old"]
    } else {
        &case["object"]
    };
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = object["kind"].as_str().unwrap_or_default();
    let metadata = &object["metadata"];
    let text = |key: &str, default: &str| case[key].as_str().unwrap_or(default).to_owned();
    let operation = text(
        "operation",
        if case["old"].is_null() {
            "CREATE"
        } else {
            "UPDATE"
        },
    );
    let plural = match kind {
        _ if kind.ends_with("Class") => format!("{}es", kind.to_lowercase()),
        _ if kind.ends_with("Parameters") => kind.to_lowercase(),
        _ => format!("{}s", kind.to_lowercase()),
    };
    let mut request = json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": group, "version": version, "kind": kind},
        "resource": {"group": group, "version": version, "resource": plural},
        "name": metadata["name"].as_str().unwrap_or_default(),
        "operation": operation,
        "userInfo": {
            "username": text("user", "jane"),
            "groups": case.get("groups").cloned().unwrap_or_else(|| json!(["system:authenticated"])),
        },
        "object": case["object"],
        "oldObject": case["old"],
        "dryRun": false,
    });
    if case["audit"] == true {
        request["uid"] = metadata["uid"].clone();
        request["userInfo"] = json!({});
    }
    let namespace = text(
        "namespace",
        metadata["namespace"].as_str().unwrap_or_default(),
    );
    if !namespace.is_empty() {
        request["namespace"] = json!(namespace);
    }
    if let Some(kind) = case.get("requestKind") {
        request["requestKind"] = kind.clone();
    }
    if let Some(sub_resource) = case.get("subResource") {
        request["subResource"] = sub_resource.clone();
    }
    request
}

/// A text, or a list of texts and repetitions.
pub fn joined(payload: &Value) -> String {
    match payload {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => pieces.iter().map(joined).collect(),
        _ => {
            let times = payload["times"].as_u64().expect("times");
            payload["repeat"]
                .as_str()
                .expect("repeat")
                .repeat(usize::try_from(times).unwrap())
        }
    }
}
