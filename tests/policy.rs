//! The policy in native code: the whole answer of every fixture, the same answer through every native interface, settings and
//! metadata. tests/hosts/policy replays the same fixtures through the modules.

mod documents;
pub mod fixtures;
mod printed;
mod selected_drivers;
mod ways_around;
mod writes;

use crate::support::plain::plain;
use claimkit::policy::{ClusterReader, schema};
use claimkit::requests::{self, hosts, raw_mode};
use claimkit_model::schema::Release;
use fixtures::Fixture;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn all() -> Vec<Fixture> {
    fixtures::all(&root().join("tests/policy"))
}

/// A host with the answers of the fixture.
struct Recorded<'f>(&'f [fixtures::Call]);

impl ClusterReader for Recorded<'_> {
    fn call(&self, operation: &str, payload: &str) -> Result<String, String> {
        fixtures::host_answer(self.0, operation, payload)
    }
}

fn answer(fixture: &Fixture) -> String {
    match fixture.operation {
        "validate" => hosts::validate(&fixture.payload, Some(&Recorded(&fixture.cluster))),
        _ => hosts::validate_settings(&fixture.payload),
    }
}

/// The answer without access to the cluster.
fn answer_alone(fixture: &Fixture) -> String {
    match fixture.operation {
        "validate" => hosts::validate(&fixture.payload, None),
        _ => hosts::validate_settings_without_cluster(&fixture.payload),
    }
}

/// In raw mode the message is the answer to a request of the contract: `{"answerTo": request}` stands for it.
fn expected(written: &Value) -> Value {
    let mut expected = written.clone();
    if let Some(request) = written["message"].get("answerTo") {
        expected["message"] = Value::from(requests::answer(&request.to_string()));
    }
    if written["message"].is_array() {
        expected["message"] = Value::from(fixtures::joined(&written["message"]));
    }
    expected
}

#[test]
fn every_fixture_is_answered_as_written_down() {
    let fixtures = all();
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for fixture in &fixtures {
        assert!(
            names.insert(fixture.name.clone()),
            "two cases have the name {}",
            fixture.name
        );
        let given: Value = serde_json::from_str(&answer(fixture)).expect("an answer is JSON");
        let mut expected = expected(&fixture.expect);
        if let Some(accepted) = fixture.decides {
            expected = given.clone();
            expected["accepted"] = json!(accepted);
        }
        if given != expected {
            wrong.push(format!(
                "{}\n  expected {expected}\n  answered {given}",
                fixture.name
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} fixtures:\n{}",
        wrong.len(),
        fixtures.len(),
        wrong.join("\n")
    );
    assert!(
        fixtures.len() >= 120,
        "there are {} fixtures",
        fixtures.len()
    );
}

fn call(call: &fixtures::Call) -> Value {
    let (answer, error) = (call.answer.as_ref().ok(), call.answer.as_ref().err());
    json!({"operation": call.operation, "payload": call.payload, "answer": answer, "error": error})
}

/// Writes payloads and answers into the folder `CLAIMKIT_REPLAY`, for the hosts of tests/hosts/policy.
#[test]
#[ignore = "an exporter, not a test: writes what tests/hosts/policy replays"]
fn export_what_the_hosts_replay() {
    let folder = std::path::PathBuf::from(
        std::env::var_os("CLAIMKIT_REPLAY").expect("CLAIMKIT_REPLAY names a folder"),
    );
    std::fs::create_dir_all(&folder).unwrap();
    let mut index: Vec<Value> = Vec::new();
    let mut fixtures = all();
    fixtures.extend(fixtures::of_manifests(&root().join("tests/policy")));
    for (number, fixture) in fixtures.iter().enumerate() {
        let write = |kind: &str, bytes: &[u8]| {
            std::fs::write(folder.join(format!("{number:03}.{kind}")), bytes).unwrap()
        };
        let (input, data) = fixture.opa();
        write("payload", &fixture.payload);
        write("answer", answer(fixture).as_bytes());
        write("alone", answer_alone(fixture).as_bytes());
        write("input", &input);
        write("data", &data);
        write("result", hosts::evaluate(&input, &data).as_bytes());
        let review = fixture.gatekeeper();
        if let Some(review) = &review {
            write("review", review);
            write("violations", hosts::evaluate(review, b"{}").as_bytes());
        }
        let calls: Vec<Value> = fixture.cluster.iter().map(call).collect();
        let (name, operation) = (&fixture.name, fixture.operation);
        index.push(json!({"name": name, "operation": operation, "review": review.is_some(), "cluster": calls}));
    }
    std::fs::write(folder.join("index.json"), Value::Array(index).to_string()).unwrap();
}

/// Writes requests that are made, half of them writes of controllers and half forms of refused requests, into the folder
/// `CLAIMKIT_REQUESTS`, for the hosts of tests/hosts/policy.
#[test]
#[ignore = "an exporter, not a test: writes what tests/hosts/policy asks"]
fn export_made_requests() {
    let folder = std::path::PathBuf::from(
        std::env::var_os("CLAIMKIT_REQUESTS").expect("CLAIMKIT_REQUESTS names a folder"),
    );
    std::fs::create_dir_all(&folder).unwrap();
    let forms = ways_around::all_forms();
    let alone = forms.iter().filter(|form| form.is_alone());
    let refused: Vec<(String, String)> = alone
        .map(|form| (form.name.clone(), form.payload()))
        .collect();
    let step = (refused.len() / 1_000).max(1);
    let accepted = writes::some_payloads(1_000);
    let refused = refused.into_iter().step_by(step);
    let made = accepted.into_iter().map(|made| (true, made));
    let made = made.chain(refused.map(|made| (false, made)));
    let mut index: Vec<Value> = Vec::new();
    for (number, (accepts, (name, payload))) in made.enumerate() {
        let write = |kind: &str, text: &str| {
            std::fs::write(folder.join(format!("{number:04}.{kind}")), text).unwrap()
        };
        let parts: Value = serde_json::from_str(&payload).unwrap();
        let (input, data) = (
            json!({"request": parts["request"]}).to_string(),
            parts["settings"].to_string(),
        );
        write("payload", &payload);
        write("answer", &hosts::validate(payload.as_bytes(), None));
        write("input", &input);
        write("data", &data);
        let result = hosts::evaluate(input.as_bytes(), data.as_bytes());
        write("result", &result);
        index.push(json!({"name": name, "accepts": accepts}));
    }
    assert!(index.len() >= 2_000, "{} requests", index.len());
    std::fs::write(folder.join("index.json"), Value::Array(index).to_string()).unwrap();
}

/// The same request of the contract for an object that a server has validated: what its own rules refuse is a warning.
fn already_validated(fixture: &Fixture) -> Option<String> {
    let (request, settings) = fixture.parts()?;
    let mut settings: Value = serde_json::from_str(&settings).ok()?;
    let settings = settings.as_object_mut()?;
    if settings.contains_key("validation") {
        return None;
    }
    settings.insert("validation".to_owned(), json!("warn"));
    let settings = Value::Object(settings.clone());
    Some(format!(
        r#"{{"verb":"admit","request":{request},"settings":{settings}}}"#
    ))
}

/// The settings in the forms of other policy engines, as the command prints them.
#[test]
fn the_verb_admit_prints_settings() {
    let ask = |fields: &str| -> serde_json::Value {
        let request = format!(r#"{{"verb":"admit",{fields}}}"#);
        serde_json::from_str(&requests::answer(&request)).unwrap()
    };
    let vap = ask(r#""settings":{"deviceClasses":{"allow":["gpu"]}},"as":"vap","name":"team""#);
    let yaml = vap["policies"].as_str().unwrap();
    assert!(
        yaml.contains("kind: ValidatingAdmissionPolicyBinding"),
        "{yaml}"
    );
    assert!(yaml.contains("name: team"), "{yaml}");
    let kinds = yaml.matches("kind: ValidatingAdmissionPolicy\n").count();
    assert_eq!(vap["count"], kinds);
    assert_eq!(vap["ok"], true);
    let none = ask(r#""settings":{"deviceClasses":{"allow":["gpu"]}},"as":"map""#);
    assert_eq!((&none["ok"], &none["count"]), (&false.into(), &0.into()));
    let wrong = ask(r#""settings":{"nonsense":1},"as":"vap""#);
    assert_eq!(wrong["findings"][0]["code"], "policy-settings");
    for (fields, problem) in [
        (
            r#""as":"rego""#,
            "`as` is `rego`: write one of `vap`, `map`, `kyverno`",
        ),
        (
            r#""as":"vap","request":{"uid":"u"}"#,
            "give `request` or `as`, not both",
        ),
    ] {
        assert_eq!(ask(fields)["error"], problem);
    }
}

/// `admit` of the contract, as the command line and the npm package offer it, gives the text that Kubewarden gets, but for the API
/// server's own rules: a server that asks Kubewarden has applied them.
#[test]
fn the_verb_admit_gives_the_same_response() {
    #[derive(serde::Deserialize)]
    struct Answer<'a> {
        ok: bool,
        #[serde(borrow)]
        response: Option<&'a RawValue>,
    }
    let mut compared = 0;
    for fixture in all() {
        let (request, given) = match (fixture.operation, fixture.parts()) {
            ("validate", Some((request, settings)))
                if request != "null" && !request.contains("\"verb\"") =>
            {
                (
                    format!(r#"{{"verb":"admit","request":{request},"settings":{settings}}}"#),
                    answer_alone(&fixture),
                )
            }
            ("validate_settings", _) => {
                let settings = String::from_utf8_lossy(&fixture.payload).into_owned();
                (
                    format!(r#"{{"verb":"admit","settings":{settings}}}"#),
                    answer(&fixture),
                )
            }
            _ => continue,
        };
        let mut text = requests::answer(&request);
        if !text.contains(&given)
            && let Some(validated) = already_validated(&fixture)
        {
            text = requests::answer(&validated);
        }
        let verb: Answer<'_> = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}: {text}", fixture.name));
        match verb.response {
            Some(response) => assert_eq!(response.get(), given, "{}", fixture.name),
            None => assert_eq!(verb.ok, given == r#"{"valid":true}"#, "{}", fixture.name),
        }
        compared += 1;
    }
    assert!(compared >= 120, "{compared} compared");
}

/// OPA and Gatekeeper do not mutate objects; otherwise their answers are the same.
#[test]
fn opa_and_gatekeeper_agree_with_kubewarden() {
    let mut compared = 0;
    for fixture in all()
        .iter()
        .filter(|fixture| fixture.operation == "validate")
    {
        let response: Value = serde_json::from_str(&answer_alone(fixture)).unwrap();
        let (input, data) = fixture.opa();
        let result: Value = serde_json::from_str(&hosts::evaluate(&input, &data)).unwrap();
        if response["mutated_object"].is_null() {
            assert_eq!(result["allowed"], response["accepted"], "{}", fixture.name);
            assert_eq!(result["code"], response["code"], "{}", fixture.name);
        }
        if result["response"].is_object() && !fixture.is_contract() {
            assert_eq!(
                result["response"]["allowed"], result["allowed"],
                "{}",
                fixture.name
            );
            assert_eq!(
                result["response"]["status"]["message"], result["message"],
                "{}",
                fixture.name
            );
            // If the policy replaces a value, only a host with mutation leaves out the error about the old value.
            let puts_in_place = ["fallback", "mutations", "samples: fallback"]
                .iter()
                .any(|name| fixture.name.starts_with(name));
            if response["mutated_object"].is_null() && !puts_in_place {
                assert_eq!(result["message"], response["message"], "{}", fixture.name);
            }
        }
        if let Some(input) = fixture.gatekeeper().filter(|_| !fixture.is_contract()) {
            let violations: Value =
                serde_json::from_str(&hosts::evaluate(&input, b"{\"kubernetes\":\"\"}")).unwrap();
            let violations = violations
                .as_array()
                .unwrap_or_else(|| panic!("{}: {violations}", fixture.name));
            // Gatekeeper's result has no warnings: settings that warn are refused.
            let warns = violations.iter().any(|violation| {
                violation["msg"]
                    .as_str()
                    .unwrap()
                    .contains("Gatekeeper's result")
            });
            assert_eq!(
                violations.is_empty(),
                result["allowed"] == true && !warns,
                "{}",
                fixture.name
            );
            if let (Some(first), false) = (violations.first(), warns) {
                assert_eq!(
                    first["details"]["warnings"].is_null(),
                    result["warnings"] == json!([]),
                    "{}",
                    fixture.name
                );
            }
            compared += 1;
        }
    }
    assert!(compared >= 120, "{compared} compared");
}

/// Kubewarden reads `response` of what a module of OPA answers, in raw mode too: message and code are those of its other modules.
#[test]
fn opa_has_a_response_for_raw_requests() {
    let mut compared = 0;
    for fixture in all().iter().filter(|fixture| fixture.is_contract()) {
        let raw: Value = serde_json::from_str(&answer_alone(fixture)).unwrap();
        let (request, _) = fixture.parts().unwrap();
        let input = format!(r#"{{"request":{request}}}"#);
        let result: Value =
            serde_json::from_str(&hosts::evaluate(input.as_bytes(), b"{}")).unwrap();
        let request: Value = serde_json::from_str(&request).unwrap();
        let response = &result["response"];
        assert_eq!(
            response["uid"],
            request["uid"].as_str().unwrap_or_default(),
            "{}",
            fixture.name
        );
        assert_eq!(
            (&response["allowed"], &result["allowed"]),
            (&raw["accepted"], &raw["accepted"]),
            "{}",
            fixture.name
        );
        assert_eq!(
            response["status"]["message"], raw["message"],
            "{}",
            fixture.name
        );
        assert_eq!(
            (&response["status"]["code"], &result["code"]),
            (&raw["code"], &raw["code"]),
            "{}",
            fixture.name
        );
        compared += 1;
    }
    assert!(compared >= 20, "{compared} compared");
}

/// Settings that need the cluster are all or nothing: a host without access to it refuses them and every request.
#[test]
fn what_asks_the_cluster_is_refused_where_nobody_answers() {
    for (settings, name) in [
        (json!({"cluster": {"classExists": true}}), "cluster"),
        (json!({"cluster": {"maxClaims": 0}}), "cluster"),
        (
            json!({"deviceClasses": {"deny": ["x"]}, "cluster": {"podClasses": true}}),
            "cluster",
        ),
        (
            json!({"adminAccess": {"labels": {"a": "b"}}}),
            "adminAccess.labels",
        ),
        (
            json!({"resourceClasses": {"namespaces": [{"labels": {"a": "b"}, "allow": ["c"]}]}}),
            "resourceClasses.namespaces[].labels",
        ),
    ] {
        let text = settings.to_string();
        let begin = format!("{name}: this host cannot be asked");
        let read = |answer: String| serde_json::from_str::<Value>(&answer).unwrap();
        assert_eq!(
            hosts::validate_settings(text.as_bytes()),
            r#"{"valid":true}"#
        );
        let told = read(hosts::validate_settings_without_cluster(text.as_bytes()));
        assert_eq!(
            (
                &told["valid"],
                told["message"].as_str().unwrap().starts_with(&begin)
            ),
            (&json!(false), true),
            "{told}"
        );
        let request = r#"{"operation": "CREATE", "object": {}}"#;
        let wasi = read(hosts::validate(
            format!(r#"{{"request": {request}, "settings": {text}}}"#).as_bytes(),
            None,
        ));
        assert_eq!(
            (&wasi["accepted"], &wasi["code"]),
            (&json!(false), &json!(400)),
            "{wasi}"
        );
        let opa = read(hosts::evaluate(
            format!(r#"{{"request": {request}}}"#).as_bytes(),
            text.as_bytes(),
        ));
        assert_eq!(opa["message"], wasi["message"], "{opa}");
        assert!(opa["message"].as_str().unwrap().contains(&begin), "{opa}");
    }
}

/// An object with more names than any valid one is refused before the host is asked for all of them.
#[test]
fn an_object_does_not_decide_how_often_the_host_is_asked() {
    use std::cell::Cell;
    struct Counting(Cell<usize>);
    impl ClusterReader for Counting {
        fn call(&self, _: &str, payload: &str) -> Result<String, String> {
            self.0.set(self.0.get() + 1);
            let asked: Value = serde_json::from_str(payload).unwrap();
            if asked["kind"] == "DeviceClass" {
                return Ok("{}".to_owned());
            }
            Err(format!(
                "Cannot find {} named '{}' inside of namespace",
                asked["kind"],
                asked["name"].as_str().unwrap()
            ))
        }
    }
    let alternative =
        |n: usize| json!({"name": format!("s{n}"), "deviceClassName": format!("c{n}")});
    let requests: Vec<Value> = (0..100)
        .map(|n| {
            let alternatives: Vec<Value> = (0..8).map(|at| alternative(n * 8 + at)).collect();
            json!({"name": format!("r{n}"), "firstAvailable": alternatives})
        })
        .collect();
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "a"},
        "spec": {"devices": {"requests": requests}}});
    let names: Vec<Value> = (0..2000)
        .map(|n| json!({"name": format!("r{n}"), "resourceClaimName": format!("c{n}")}))
        .collect();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"resourceClaims": names}});
    for (object, settings) in [
        (
            claim,
            json!({"validation": "off", "cluster": {"classExists": true}}),
        ),
        (
            pod,
            json!({"deviceClasses": {"deny": ["x"]}, "cluster": {"podClasses": true}}),
        ),
    ] {
        let cluster = Counting(Cell::new(0));
        let payload = json!({"request": {"operation": "CREATE", "namespace": "a", "object": object}, "settings": settings});
        let answer = hosts::validate(payload.to_string().as_bytes(), Some(&cluster));
        assert_eq!(cluster.0.get(), 256, "{}", answer);
        assert!(
            answer.contains("at most 256 names of one object"),
            "{}",
            answer
        );
    }
}

/// A caller must not use up the host's memory: limits above the defaults have no effect.
#[test]
fn limits_of_policy_hosts_only_go_down() {
    let text = "---\na: 1\n".repeat(10_100);
    let request = |limits: Value| {
        json!({"verb": "convert", "to": "v1alpha1", "text": text, "limits": limits}).to_string()
    };
    for limits in [json!({}), json!({"findings": 20_000})] {
        let answer: Value =
            serde_json::from_str(&raw_mode::answer(request(limits).as_bytes())).unwrap();
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 10_001);
        assert_eq!(findings[10_000]["code"], "limit-findings");
    }
}

/// Returns the documents of a file, as they are written.
fn yaml(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("\n---\n")
        .map(|document| plain(document, path))
        .collect()
}

#[test]
fn the_metadata_of_the_modules_is_that_of_the_yaml_file() {
    let mut written = yaml(&root().join("pkg/policy/metadata.yml")).remove(0);
    let embedded: Value =
        serde_json::from_str(include_str!("../pkg/policy/metadata.json")).unwrap();
    written["protocolVersion"] = serde_json::from_str(hosts::PROTOCOL_VERSION).unwrap();
    assert_eq!(embedded, written);
    assert_eq!(embedded["mutating"], false);
    assert_eq!(embedded["policyType"], "kubernetes");
    // The function that `cluster.rs` calls.
    assert_eq!(
        embedded["hostCapabilities"],
        json!([
            "kubernetes/get_resource",
            "kubernetes/list_resources_by_namespace",
            "kubernetes/list_resources_all"
        ])
    );
    assert_eq!(
        embedded["annotations"]["io.kubewarden.policy.version"],
        env!("CARGO_PKG_VERSION")
    );
}

/// Rules that a cluster can resolve: one version, statuses only with UPDATE, nothing with CREATE that a release does not serve.
fn check_rules(rules: &Value, place: &str, releases: &[&str]) {
    let mut named = BTreeSet::new();
    let mut versions = BTreeSet::new();
    for rule in rules.as_array().unwrap() {
        let creates = rule["operations"]
            .as_array()
            .unwrap()
            .contains(&json!("CREATE"));
        for resource in rule["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|resource| resource.as_str().unwrap())
        {
            assert_eq!(creates, !resource.contains('/'), "{place}: {resource}");
            assert!(
                named.insert(resource.to_owned()),
                "{place}: {resource} stands twice"
            );
        }
        assert_eq!(rule["apiGroups"], json!(["resource.k8s.io"]), "{place}");
        versions.insert(rule["apiVersions"].to_string());
    }
    let [version] = versions
        .into_iter()
        .collect::<Vec<_>>()
        .try_into()
        .unwrap_or_else(|_| panic!("{place}: one version"));
    let is_meant =
        |known: &&&claimkit_model::schema::Version| version == format!("[\"{}\"]", known.name);
    let version = claimkit_model::schema::VERSIONS
        .iter()
        .find(is_meant)
        .unwrap();
    let served = |kind: &&claimkit_model::schema::ApiKind| {
        kind.items.is_none()
            && releases
                .iter()
                .all(|release| kind.in_release(Release::parse(release).unwrap()))
    };
    for kind in version.kinds.iter().filter(served) {
        assert!(
            named.remove(kind.plural),
            "{place} does not name {}",
            kind.plural
        );
        assert!(
            !kind.status || named.remove(&format!("{}/status", kind.plural)),
            "{place} does not name the status of {}",
            kind.plural
        );
    }
    assert!(
        named.is_empty(),
        "{place} names what {releases:?} do not serve: {named:?}"
    );
}

#[test]
fn the_rules_can_be_resolved() {
    for (file, releases) in [
        ("metadata.yml", &["1.34", "1.35", "1.36", "1.37"][..]),
        ("samples/strict.yaml", &["1.34", "1.35", "1.36", "1.37"]),
        ("samples/strict-1.32.yaml", &["1.32", "1.33"]),
        ("samples/strict-1.31.yaml", &["1.31"]),
        (
            "samples/strict-1.27.yaml",
            &["1.27", "1.28", "1.29", "1.30"],
        ),
        ("samples/strict-1.30.yaml", &["1.30"]),
        ("samples/strict-1.26.yaml", &["1.26"]),
    ] {
        let text = yaml(&root().join("pkg/policy").join(file)).remove(0);
        let rules = if text["rules"].is_array() {
            &text["rules"]
        } else {
            &text["spec"]["rules"]
        };
        check_rules(rules, file, releases);
        let audit = if text["rules"].is_array() {
            &text["backgroundAudit"]
        } else {
            &text["spec"]["backgroundAudit"]
        };
        assert_eq!(audit, &json!(true), "{file}");
    }
}

/// Every sample's rules: one version a rule, statuses with UPDATE only, and no wildcards, which the audit scanner skips.
#[test]
fn the_rules_of_samples_can_be_resolved() {
    for sample in std::fs::read_dir(root().join("pkg/policy/samples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if sample
            .extension()
            .is_none_or(|extension| extension != "yaml")
        {
            continue;
        }
        let policy = yaml(&sample).remove(0);
        let rules = policy["spec"]["rules"].as_array().unwrap();
        let mut versions = BTreeSet::new();
        for rule in rules {
            let text = rule.to_string();
            assert!(!text.contains('*'), "{}: {text}", sample.display());
            assert_eq!(
                rule["apiVersions"].as_array().unwrap().len(),
                1,
                "{}: {text}",
                sample.display()
            );
            if rule["apiGroups"] == json!(["resource.k8s.io"]) {
                versions.insert(rule["apiVersions"].to_string());
            }
            let statuses = rule["resources"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|name| name.as_str().unwrap().contains('/'))
                .count();
            let only_updates = rule["operations"] == json!(["UPDATE"]);
            assert_eq!(
                statuses,
                if only_updates {
                    rule["resources"].as_array().unwrap().len()
                } else {
                    0
                },
                "{text}"
            );
        }
        assert!(versions.len() <= 1, "{}: {versions:?}", sample.display());
    }
}

/// The audit scanner and the policy server may read every kind that a rule or a setting can name.
#[test]
fn kubewarden_may_read_every_kind() {
    let manifests = yaml(&root().join("pkg/policy/samples/manifests/read-access.yaml"));
    let rule = &manifests[0]["rules"][0];
    assert_eq!(
        (&rule["apiGroups"], &rule["verbs"]),
        (
            &json!(["resource.k8s.io"]),
            &json!(["get", "list", "watch"])
        )
    );
    let named: BTreeSet<&str> = rule["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let kinds = claimkit_model::schema::VERSIONS
        .iter()
        .flat_map(|version| version.kinds)
        .filter(|kind| kind.items.is_none());
    assert_eq!(named, kinds.map(|kind| kind.plural).collect());
    assert_eq!(
        manifests[1]["roleRef"]["name"],
        manifests[0]["metadata"]["name"]
    );
}

/// A policy whose version is not served is never asked: each release that has the kind is meant by one of the two samples.
#[test]
fn taint_rules_have_a_sample_for_each_version() {
    use claimkit_model::schema::VERSIONS;
    for (sample, releases) in [
        ("taint-rules", &["1.36"][..]),
        ("taint-rules-1.33", &["1.33", "1.34", "1.35"]),
        ("taint-rules-1.37", &["1.37", "1.38"]),
    ] {
        let policy = yaml(&root().join(format!("pkg/policy/samples/{sample}.yaml"))).remove(0);
        let version = policy["spec"]["rules"][0]["apiVersions"][0]
            .as_str()
            .unwrap()
            .to_owned();
        for release in releases
            .iter()
            .map(|release| Release::parse(release).unwrap())
        {
            let serves = |version: &&&claimkit_model::schema::Version| {
                version.kind("DeviceTaintRule", release).is_some()
            };
            let newest = VERSIONS.iter().rev().find(serves).unwrap();
            assert_eq!(version, newest.name, "{sample}: {}", release.minor);
        }
    }
}

/// Set `CLAIMKIT_UPDATE` to write the file anew.
#[test]
fn the_settings_schema_is_that_of_the_table() {
    let path = root().join("pkg/policy/settings.schema.json");
    let expected = format!("{:#}\n", schema::schema());
    if std::env::var_os("CLAIMKIT_UPDATE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        expected,
        "run this test with CLAIMKIT_UPDATE=1"
    );
}

/// Each sample has objects of the kinds and the version that its rules name, one that it accepts and one that it refuses.
#[test]
fn each_sample_judges_objects_of_its_own_release() {
    let mut judged: std::collections::BTreeMap<String, BTreeSet<bool>> = Default::default();
    for fixture in all() {
        let Some(sample) = &fixture.sample else {
            continue;
        };
        let policy = yaml(&root().join(format!("pkg/policy/samples/{sample}.yaml"))).remove(0);
        let payload: Value = serde_json::from_slice(&fixture.payload).unwrap();
        let resource = &payload["request"]["resource"];
        let names = |rule: &Value| {
            let has =
                |list: &str, part: &str| rule[list].as_array().unwrap().contains(&resource[part]);
            has("apiGroups", "group")
                && has("apiVersions", "version")
                && has("resources", "resource")
        };
        assert!(
            policy["spec"]["rules"]
                .as_array()
                .unwrap()
                .iter()
                .any(names),
            "{}: no rule names {resource}",
            fixture.name
        );
        let accepted = fixture.expect["accepted"].as_bool().unwrap();
        judged.entry(sample.clone()).or_default().insert(accepted);
    }
    for sample in std::fs::read_dir(root().join("pkg/policy/samples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if sample
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let name = sample.file_stem().unwrap().to_string_lossy().into_owned();
            assert_eq!(
                judged.remove(&name),
                Some(BTreeSet::from([false, true])),
                "{name}"
            );
        }
    }
    assert!(judged.is_empty(), "{judged:?}");
}

/// Gatekeeper's audit sends stored objects without an operation, or with an empty one: they are judged with their status.
#[test]
fn gatekeepers_audit_is_answered() {
    let metadata = json!({"name": "c", "namespace": "a", "uid": "7d1c2a3e-0000-4000-8000-000000000001", "resourceVersion": "4"});
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata,
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}}]}},
        "status": {"allocation": {"devices": {"results": [{"request": "r", "driver": "evil.example.com", "pool": "p", "device": "d"}]}}}});
    let kind = json!({"group": "resource.k8s.io", "version": "v1", "kind": "ResourceClaim"});
    for operation in [Value::Null, json!("")] {
        let mut review = json!({"kind": kind, "name": "c", "namespace": "a", "object": claim});
        if operation.is_string() {
            review["operation"] = operation;
        }
        let ask = |parameters: Value| {
            let input = json!({"review": review, "parameters": parameters}).to_string();
            let answer: Value =
                serde_json::from_str(&hosts::evaluate(input.as_bytes(), b"{}")).unwrap();
            answer
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["msg"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ask(json!({"drivers": {"allow": ["evil.example.com"]}})),
            Vec::<String>::new()
        );
        let denied = "status.allocation.devices.results[0].driver: Forbidden: \"evil.example.com\" is denied by the policy";
        assert_eq!(
            ask(json!({"drivers": {"deny": ["evil.example.com"]}})),
            [denied]
        );
        // Other hosts send every request with its operation.
        let input = json!({"request": review}).to_string();
        let answer: Value =
            serde_json::from_str(&hosts::evaluate(input.as_bytes(), b"{}")).unwrap();
        assert_eq!(answer["code"], json!(400), "{answer}");
    }
}

/// Only a review without an operation is an audit. One whose operation is not a string is refused.
#[test]
fn gatekeeper_needs_an_operation_that_is_a_string() {
    for operation in [json!({}), json!([]), json!(1), json!(true)] {
        let input = json!({"review": {"name": "c", "object": {}, "operation": operation}, "parameters": {}}).to_string();
        let answer: Value =
            serde_json::from_str(&hosts::evaluate(input.as_bytes(), b"{}")).unwrap();
        let message = answer[0]["msg"].as_str().unwrap_or_default();
        assert!(
            message.starts_with("`request.operation` is missing: one of `CREATE`"),
            "{operation}: {answer}"
        );
    }
}

/// The settings of a sample.
fn sample_settings(name: &str) -> Value {
    let policy = yaml(&root().join(format!("pkg/policy/samples/{name}.yaml"))).remove(0);
    policy["spec"]["settings"].clone()
}

/// Settings in the README and in the samples are valid, the sample requests are answered as the README says.
#[test]
fn what_admins_copy_works() {
    let folder = root().join("pkg/policy");
    let mut checked = 0;
    let valid = |settings: &Value, place: &str| {
        let answer = hosts::validate_settings(settings.to_string().as_bytes());
        assert_eq!(answer, r#"{"valid":true}"#, "{place}");
    };
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for block in readme.split("```yaml\n").skip(1) {
        valid(
            &plain(
                block.split("```").next().unwrap(),
                &folder.join("README.md"),
            ),
            block,
        );
        checked += 1;
    }
    for sample in std::fs::read_dir(folder.join("samples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if sample
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let policy = yaml(&sample).remove(0);
            assert_eq!(
                policy["kind"],
                "ClusterAdmissionPolicy",
                "{}",
                sample.display()
            );
            valid(&policy["spec"]["settings"], &sample.display().to_string());
            let settings = &policy["spec"]["settings"];
            let puts_in_place = |setting: &str| {
                ["default", "fallback"]
                    .iter()
                    .any(|key| !settings[setting][key].is_null())
            };
            let changes = ["deviceClasses", "resourceClasses", "allocationModes"]
                .into_iter()
                .any(puts_in_place);
            assert_eq!(policy["spec"]["mutating"], changes, "{}", sample.display());
            let asks = hosts::validate_settings_without_cluster(settings.to_string().as_bytes())
                != r#"{"valid":true}"#;
            assert_eq!(
                policy["spec"]["contextAwareResources"].is_array(),
                asks,
                "{}",
                sample.display()
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 25);
    let allow = json!({"resourceClasses": {"allow": ["gpu.example.com"]}});
    for (request, settings, code) in [
        ("claim", &json!({}), Value::Null),
        ("claim", &allow, Value::Null),
        (
            "claim-malformed",
            &json!({"validation": "strict"}),
            json!(422),
        ),
        ("claim-other-class", &allow, json!(403)),
        (
            "claim-class-changed",
            &json!({"validation": "strict"}),
            json!(422),
        ),
        (
            "claim-deleted",
            &json!({"resourceClasses": {"deny": ["*"]}}),
            Value::Null,
        ),
        (
            "device-claim",
            &json!({"deviceClasses": {"allow": ["gpu.example.com"]}}),
            Value::Null,
        ),
        (
            "device-claim-other-class",
            &sample_settings("classes-and-drivers"),
            json!(403),
        ),
        (
            "device-claim-admin",
            &sample_settings("classes-and-drivers"),
            json!(403),
        ),
        (
            "taint-rule-everything",
            &sample_settings("taint-rules"),
            json!(403),
        ),
        (
            "taint-rule-everything",
            &sample_settings("taint-rules-1.33"),
            json!(403),
        ),
        (
            "claim-other-class",
            &sample_settings("resource-classes"),
            json!(403),
        ),
        ("pod", &sample_settings("pods"), json!(403)),
        (
            "pod",
            &json!({"pods": {"templates": {"allow": ["gpu-*"]}}}),
            json!(403),
        ),
        ("job-set", &sample_settings("job-sets"), json!(403)),
        (
            "device-claim",
            &json!({"limits": {"maxCount": 0}}),
            json!(403),
        ),
        ("raw-convert", &json!({}), Value::Null),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("samples/requests/{request}.json")))
            .unwrap();
        let answer = hosts::validate(
            format!(r#"{{"request":{text},"settings":{settings}}}"#).as_bytes(),
            None,
        );
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["code"], code, "{request}: {answer}");
        assert_eq!(answer["accepted"], code.is_null(), "{request}: {answer}");
    }
}

/// A request may have the labels of the namespace: the server allows admin access only in some namespaces.
#[test]
fn admit_takes_the_labels_of_the_namespace() {
    let object = json!({"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", "metadata": {"name": "a", "namespace": "n"},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c", "adminAccess": true}]}}});
    let admission = json!({"uid": "1", "operation": "CREATE", "namespace": "n", "name": "a", "object": object,
        "kind": {"group": "resource.k8s.io", "version": "v1beta1", "kind": "ResourceClaim"},
        "resource": {"group": "resource.k8s.io", "version": "v1beta1", "resource": "resourceclaims"}});
    let accepted = |labels: Value| {
        let request = json!({"verb": "admit", "request": admission, "settings": {"release": "1.34"}, "namespaceLabels": labels});
        let answer = crate::support::ask(&request);
        assert_eq!(answer["response"]["accepted"], answer["ok"], "{answer}");
        answer["ok"] == true
    };
    assert!(accepted(Value::Null), "not known");
    assert!(accepted(
        json!({"resource.kubernetes.io/admin-access": "true"})
    ));
    assert!(!accepted(json!({})));
}

/// Settings that ask for labels alone can be tried where the labels are told.
#[test]
fn admit_follows_settings_about_labels_that_it_is_told() {
    let object = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a", "namespace": "n"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}}});
    let admission = json!({"uid": "1", "operation": "CREATE", "namespace": "n", "object": object});
    let labelled = json!({"deviceClasses": {"deny": ["*"], "namespaces": [{"labels": {"team": "a"}, "allow": ["gpu.example.com"]}]}});
    let code = |settings: &Value, labels: Value| {
        let request = json!({"verb": "admit", "request": admission, "settings": settings, "namespaceLabels": labels});
        let answer = crate::support::ask(&request);
        answer["response"]["code"].clone()
    };
    assert_eq!(
        code(&labelled, json!({"team": "a", "floor": "1"})),
        Value::Null
    );
    assert_eq!(code(&labelled, json!({"team": "b"})), json!(403));
    assert_eq!(code(&labelled, Value::Null), json!(400));
    assert_eq!(
        code(&json!({"cluster": {"maxClaims": 1}}), json!({"team": "a"})),
        json!(400)
    );
}

/// Returns the answer to a live update, as Kubewarden sends it.
fn answer_to_update(settings: &Value, stored: &Value, new: &Value) -> Value {
    let (group, version) = new["apiVersion"]
        .as_str()
        .unwrap()
        .split_once('/')
        .unwrap_or(("", "v1"));
    let kind = json!({"group": group, "version": version, "kind": new["kind"]});
    let request = json!({
        "uid": "1", "kind": kind, "requestKind": kind, "operation": "UPDATE", "object": new, "oldObject": stored,
        "name": new["metadata"]["name"], "namespace": new["metadata"]["namespace"], "userInfo": {"username": "jane"},
    });
    let payload = json!({"settings": settings, "request": request}).to_string();
    serde_json::from_str(&hosts::validate(payload.as_bytes(), None)).unwrap()
}

/// Reasons that differ in amounts only are not compared one by one: 20,000 equal ones took a minute.
#[test]
fn many_reasons_are_compared_in_time() {
    let claims: Vec<Value> = (0..20_000)
        .map(|at| json!({"name": format!("c{at}"), "resourceClaimTemplateName": "t"}))
        .collect();
    let stored = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"},
        "spec": {"resourceClaims": claims, "containers": [{"name": "c"}]}});
    let mut new = stored.clone();
    new["metadata"]["labels"] = json!({"a": "b"});
    let settings = json!({"pods": {"templates": {"allow": ["none"]}}});
    let start = std::time::Instant::now();
    let answer = answer_to_update(&settings, &stored, &new);
    assert_eq!(answer["accepted"], true, "{}", answer["message"]);
    assert!(
        start.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

/// Expressions that are too large to be tried excuse themselves only: a class that has such cannot get others, and can get smaller ones.
#[test]
fn untried_expressions_excuse_themselves_only() {
    let settings = json!({"drivers": {"allow": ["gpu.example.com"]}});
    let class = |texts: &[String]| {
        let selectors: Vec<Value> = texts
            .iter()
            .map(|text| json!({"cel": {"expression": text}}))
            .collect();
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "spec": {"selectors": selectors},
            "metadata": {"name": "c", "uid": "u", "resourceVersion": "1"}})
    };
    let of_gpu = r#"device.driver == "gpu.example.com""#.to_owned();
    let of_other = r#"device.driver == "evil.example.com""#.to_owned();
    let mut large: Vec<String> = (0..20)
        .map(|at| {
            format!(
                "{of_gpu} && device.attributes[\"a\"].b != \"{}\"",
                "x".repeat(9_000 + at)
            )
        })
        .collect();
    let stored = class(&large);
    let mut labeled = stored.clone();
    labeled["metadata"]["labels"] = json!({"a": "b"});
    let mut changed = class(&large);
    changed["spec"]["extendedResourceName"] = json!("example.com/gpu");
    large[0] = of_other.clone();
    for (new, accepted) in [
        (labeled, true),
        (changed, true),
        (class(&large), false),
        (class(&[of_other]), false),
        (class(&[of_gpu]), true),
    ] {
        let answer = answer_to_update(&settings, &stored, &new);
        assert_eq!(answer["accepted"], accepted, "{}", answer["message"]);
    }
}

/// What all rules for parameters cost together is bounded: 1,600 evaluations of 2,000 items took seconds.
#[test]
fn rules_for_parameters_are_evaluated_within_a_bound() {
    let numbers = vec![1; 2_000];
    let config = json!({"opaque": {"driver": "gpu.example.com", "parameters": {"list": numbers}}});
    let claim = |configs: usize| {
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "d"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "x"}}], "config": vec![&config; configs]}}})
    };
    let rule = json!({"driver": "*", "expression": "parameters.list.all(x, x < 3)"});
    for (configs, rules, accepted) in [(2, 10, true), (32, 50, false)] {
        let settings = json!({"opaqueParameters": {"rules": vec![&rule; rules]}});
        let mut request = json!({"uid": "1", "operation": "CREATE", "namespace": "d", "userInfo": {"username": "jane"}});
        request["kind"] =
            json!({"group": "resource.k8s.io", "version": "v1", "kind": "ResourceClaim"});
        request["object"] = claim(configs);
        let payload = json!({"settings": settings, "request": request}).to_string();
        let answer: Value =
            serde_json::from_str(&hosts::validate(payload.as_bytes(), None)).unwrap();
        assert_eq!(answer["accepted"], accepted, "{configs} configurations");
        let message = answer["message"].as_str().unwrap_or_default();
        let is_bounded = message.contains("(all rules together cost too much for this object)");
        assert_eq!(
            is_bounded,
            !accepted,
            "{}",
            message.get(..300).unwrap_or(message)
        );
    }
}
