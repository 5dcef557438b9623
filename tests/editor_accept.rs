//! What is left in the text after a completion is accepted: at places all over good manifests, in every style, each accepted completion
//! gives a text that still parses.

use serde_json::{Value, json};

const BLOCK: &str = r#"apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: "1", generation: 1, resourceSliceCount: 1}
  sharedCounters:
  - name: set-0
    counters: {memory: {value: 80Gi}, slices: {value: "7"}}
  devices:
  - name: gpu-0
    attributes: {model: {string: a100}}
    capacity:
      memory: {value: 80Gi}
    consumesCounters:
    - counterSet: set-0
      counters: {memory: {value: 80Gi}}
---
# Asks for one device. 😀 设备
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: c
spec:
  devices:
    requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
          selectors:
            - cel:
                expression: >-
                  device.attributes["gpu.example.com"].model == "a100" &&

                  device.driver.startsWith("gpu")
            - cel: {expression: 'device.driver == "gpu.example.com"'}
      - name: two
        firstAvailable:
          - name: large
            deviceClassName: gpu.example.com
            selectors:
            - cel:
                expression: "device.driver == \"gpu.example.com\""
    constraints:
      - requests: [gpu, two/large]
        matchAttribute: gpu.example.com/model
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  template:
    spec:
      containers:
      - name: c
        resources:
          claims:
          - name: g
      resourceClaims:
      - name: g
        resourceClaimName: c
"#;

const FLOW: &str = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, labels: {a: b}},\n  spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: \"gpu\", capacity: {requests: {gpu.example.com/memory: 1Gi}},\n    selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]}}], config: [{requests: [gpu], opaque: {driver: d, parameters: {}}}]}}}\n";

const JSON: &str = r#"{
  "apiVersion": "resource.k8s.io/v1",
  "kind": "ResourceClaim",
  "metadata": {"name": "c", "labels": {"a": "b"}},
  "spec": {
    "devices": {
      "requests": [
        {
          "name": "gpu",
          "exactly": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": "device.driver == \"gpu.example.com\""}}]}
        }
      ]
    }
  }
}
"#;

const QUOTED: &str = "\"apiVersion\": \"resource.k8s.io/v1\"\n\"kind\": \"DeviceClass\"\n\"metadata\":\n  \"name\": \"gpu\"\n\"spec\":\n  \"selectors\":\n  - \"cel\":\n      \"expression\": \"device.driver == \\\"a\\\"\"\n  \"config\":\n  - \"opaque\":\n      \"driver\": \"d\"\n      \"parameters\": {}\n";

fn answer(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

fn complete(text: &str, at: usize) -> Vec<Value> {
    let place = json!({"byteOffset": at});
    let answer = answer(&json!({"verb": "complete", "text": text, "position": place}));
    assert_eq!(answer["ok"], true, "{answer}");
    answer["items"].as_array().unwrap().clone()
}

/// Completes at the position marked `▮`.
fn complete_at(marked: &str) -> Vec<Value> {
    let at = marked.find('▮').expect("a cursor");
    complete(&marked.replacen('▮', "", 1), at)
}

fn labels(items: &[Value]) -> Vec<&str> {
    let labels = items.iter().map(|item| item["label"].as_str().unwrap());
    labels.collect()
}

fn labels_at(marked: &str) -> Vec<String> {
    labels(&complete_at(marked))
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// Returns true if kubectl reads the text.
fn is_read(text: &str) -> bool {
    let answer = answer(&json!({"verb": "validate", "text": text}));
    let mut findings = answer["findings"].as_array().unwrap().iter();
    findings.all(|finding| !finding["code"].as_str().unwrap().contains("syntax"))
}

/// Returns true if an editor shows a completion for what is typed: each letter of it is in the compared text, in order.
fn is_shown(typed: &str, compared: &str) -> bool {
    let mut letters = compared.chars().flat_map(char::to_lowercase);
    typed
        .chars()
        .flat_map(char::to_lowercase)
        .all(|letter| letters.any(|other| other == letter))
}

/// Accepts the completions that an editor shows at a place. Returns how many there were.
fn accept_all(text: &str, at: usize) -> usize {
    let was_read = is_read(text);
    let mut accepted = 0;
    for item in complete(text, at) {
        let place = |end: &str| {
            let byte = item["range"][end]["byteOffset"].as_u64().unwrap();
            usize::try_from(byte).unwrap()
        };
        let (from, to) = (place("start"), place("end"));
        let shown = || format!("{}▮{}\n{item:#}", &text[..at], &text[at..]);
        assert!(from <= at && at <= to, "{}", shown());
        assert!(!text[from..to].contains('\n'), "{}", shown());
        let compared = item["filterText"].as_str().or(item["label"].as_str());
        if !is_shown(&text[from..at], compared.unwrap()) {
            continue;
        }
        accepted += 1;
        // Places differ more than the completions of one place do.
        if !was_read || accepted > 12 {
            continue;
        }
        let insert = item["insertText"].as_str().unwrap();
        let after = format!("{}{insert}{}", &text[..from], &text[to..]);
        assert!(is_read(&after), "{}gives\n{after}", shown());
    }
    accepted
}

/// Returns every offset of a text between characters, or a sample of them.
fn places(text: &str) -> impl Iterator<Item = usize> {
    let step = if std::env::var_os("CLAIMKIT_ALL").is_some() {
        1
    } else {
        31
    };
    let places = text.char_indices().map(|(at, _)| at).step_by(step);
    places.filter(|at| text.as_bytes()[*at] != b'\n' || !text[..*at].ends_with('\r'))
}

#[test]
fn accepted_completions_leave_a_text_that_is_read() {
    let mut accepted = 0;
    for text in [BLOCK, FLOW, JSON, QUOTED, &BLOCK.replace('\n', "\r\n")] {
        for at in places(text) {
            accepted += accept_all(text, at);
            // The rest of the line is not written yet.
            let end = text[at..]
                .find(['\r', '\n'])
                .map_or(text.len(), |end| at + end);
            let cut = format!("{}{}", &text[..at], &text[end..]);
            accepted += accept_all(&cut, at);
        }
    }
    assert!(accepted > 200, "{accepted}");
}

#[test]
fn accepted_completions_on_new_lines_leave_a_text_that_is_read() {
    let mut accepted = 0;
    for (index, (end, _)) in BLOCK.match_indices('\n').enumerate() {
        for indent in (0..=10).map(|step| step * 2) {
            let is_sampled = (index + indent / 2) % 5 == 0;
            if !is_sampled && std::env::var_os("CLAIMKIT_ALL").is_none() {
                continue;
            }
            let head = format!("{}\n{}", &BLOCK[..end], " ".repeat(indent));
            accepted += accept_all(&format!("{head}{}", &BLOCK[end..]), head.len());
        }
    }
    assert!(accepted > 40, "{accepted}");
}

#[test]
fn what_is_typed_in_quotes_is_compared_with_the_label_in_quotes() {
    for (marked, label, compared) in [
        (
            "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"Res▮",
            "ResourceClaim",
            "\"ResourceClaim\"",
        ),
        (
            "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"met▮\"}",
            "metadata",
            "\"metadata\"",
        ),
        (
            "apiVersion: 'res▮'\nkind: DeviceClass\n",
            "resource.k8s.io/v1",
            "'resource.k8s.io/v1'",
        ),
    ] {
        let items = complete_at(marked);
        let item = items.iter().find(|item| item["label"] == label);
        assert_eq!(item.unwrap()["filterText"], compared, "{marked}");
    }
    // The key is inserted without the quote that is typed.
    let key = complete_at("\"api▮\nkind: DeviceClass\n");
    assert_eq!(key[0]["filterText"], "\"apiVersion\"");
    let plain = complete_at("apiVersion: res▮\n");
    assert_eq!(plain[0]["filterText"], Value::Null);
}

#[test]
fn nothing_is_completed_between_a_key_and_its_value() {
    for marked in [
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices:▮ {requests: []}}\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: ▮{requests: []}}\n",
        "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\":▮ \"ResourceClaim\"}",
    ] {
        assert_eq!(labels_at(marked), Vec::<String>::new(), "{marked}");
    }
}

#[test]
fn keys_of_an_unknown_object_have_their_commas() {
    let items = complete_at("{▮\n  \"kind\": \"ResourceClaim\"\n}");
    assert_eq!(items[0]["insertText"], "\"apiVersion\": \"\",");
    let items = complete_at("{kind: ResourceClaim ▮}");
    assert_eq!(items[0]["insertText"], ", \"apiVersion\": \"\"");
}

#[test]
fn expressions_are_completed_inside_of_their_values_only() {
    let class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors:\n  - cel:\n      expression: ";
    for outside in [
        "'device.driver == \"a\"'▮",
        "▮'device.driver == \"a\"'",
        ">▮-\n        device.driver",
        ">-▮",
        "|-\n        device.driver == \"a\" &&\n   ▮\n        device.driver == \"b\"",
    ] {
        let marked = format!("{class}{outside}\n");
        assert_eq!(labels_at(&marked), Vec::<String>::new(), "{marked}");
    }
    // On an empty line of a block.
    for inside in [
        "|-\n        ▮",
        ">\n        ▮",
        "|-\n        device.driver == \"a\" &&\n        ▮",
        "|-\n        device.driver == \"a\" &&\n        ▮\n        device.driver == \"b\"",
    ] {
        let marked = format!("{class}{inside}\n");
        let at = marked.find('▮').unwrap();
        let items = complete_at(&marked);
        let device = items.iter().find(|item| item["label"] == "device");
        let range = &device.unwrap_or_else(|| panic!("{marked}"))["range"];
        assert_eq!(range["start"]["byteOffset"], at, "{marked}");
        assert_eq!(range["end"]["byteOffset"], at, "{marked}");
    }
}

#[test]
fn the_name_of_a_call_that_is_written_is_inserted_alone() {
    let expression = |expression: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: c}}\nspec:\n  selectors:\n  - cel: {{expression: '{expression}'}}\n"
        )
    };
    for (written, insert) in [
        ("device.driver.starts▮(\"a\")", "startsWith"),
        ("device.driver.st▮arts(\"a\")", "startsWith"),
        ("device.driver.starts▮", "startsWith()"),
        ("device.driver.starts▮ == (true)", "startsWith()"),
    ] {
        let items = complete_at(&expression(written));
        let item = items.iter().find(|item| item["label"] == "startsWith");
        let item = item.unwrap();
        assert_eq!(item["insertText"], insert, "{written}");
        assert_eq!(item["snippet"].is_null(), !insert.ends_with(')'));
    }
}

#[test]
fn names_that_yaml_reads_as_numbers_are_put_in_quotes() {
    let rule = |pool: &str| {
        format!(
            "{BLOCK}---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {{name: r}}\nspec:\n  deviceSelector:\n    pool: {pool}\n"
        )
    };
    let items = complete_at(&rule("▮"));
    assert_eq!(items[0]["label"], "1");
    assert_eq!(items[0]["insertText"], "\"1\"");
    let items = complete_at(&rule("'▮'"));
    assert_eq!(items[0]["insertText"], "'1'");
}

#[test]
fn names_are_not_offered_twice_in_a_list() {
    let flow = BLOCK.replace("requests: [gpu, two/large]", "requests: [gpu, ▮]");
    assert_eq!(labels_at(&flow), ["two", "two/large"]);
    let block = BLOCK.replace(
        "requests: [gpu, two/large]",
        "requests:\n        - t▮\n        - gpu",
    );
    assert_eq!(labels_at(&block), ["two", "two/large"]);
}

#[test]
fn names_in_slices_and_of_devices_are_completed() {
    let counter_set = BLOCK.replace("counterSet: set-0", "counterSet: ▮");
    assert_eq!(labels_at(&counter_set), ["set-0"]);
    let counters = BLOCK.replace(
        "counters: {memory: {value: 80Gi}}\n",
        "counters: {memory: {value: 80Gi}, ▮}\n",
    );
    assert_eq!(labels_at(&counters), ["slices"]);
    let selector = |lines: &str| {
        format!(
            "{BLOCK}---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {{name: r}}\nspec:\n  deviceSelector:\n{lines}\n"
        )
    };
    assert_eq!(
        labels_at(&selector("    driver: gpu.example.com\n    device: ▮")),
        ["gpu-0"]
    );
    assert_eq!(
        labels_at(&selector("    driver: other\n    device: ▮")),
        Vec::<String>::new()
    );
    assert_eq!(
        labels_at(&selector("    driver: other\n    pool: ▮")),
        Vec::<String>::new()
    );
}

#[test]
fn pods_are_completed_with_what_they_can_refer_to() {
    let claim = |name: &str, rest: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{{name}}}\n{rest}---\n"
        )
    };
    let requests = |name: &str| format!("spec: {{devices: {{requests: [{{name: {name}}}]}}}}\n");
    let claims = format!(
        "{}{}{}{}",
        claim("name: a", &requests("of-a")),
        claim("name: b", &requests("of-b")),
        claim("name: c, namespace: other", ""),
        claim("generateName: d-", ""),
    );
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";
    assert_eq!(
        labels_at(&format!(
            "{claims}{pod}  resourceClaims:\n  - name: g\n    resourceClaimName: ▮\n"
        )),
        ["a", "b"]
    );
    assert_eq!(
        labels_at(&format!(
            "{claims}{pod}  containers: [{{resources: {{claims: [{{name: g, request: ▮}}]}}}}]\n  resourceClaims:\n  - name: g\n    resourceClaimName: b\n"
        )),
        ["of-b"]
    );
    assert_eq!(
        labels_at(&format!("{pod}  containers: []\n  re▮\n")),
        ["resourceClaims"]
    );
}

#[test]
fn pods_are_completed_as_their_release_reads_them() {
    let old =
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\n---\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{resources: {claims: [{▮}]}}]\n";
    let entry = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n  - name: g\n    ▮\n";
    let source = entry.replace("▮", "source:\n      ▮");
    assert_eq!(labels_at(&format!("{old}{pod}")), ["name"]);
    assert_eq!(labels_at(pod), ["name", "request"]);
    assert_eq!(labels_at(&format!("{old}{entry}")), ["source"]);
    assert_eq!(
        labels_at(&format!("{old}{source}")),
        ["resourceClaimName", "resourceClaimTemplateName"]
    );
    assert_eq!(
        labels_at(entry),
        ["resourceClaimName", "resourceClaimTemplateName"]
    );
}

#[test]
fn versions_are_completed_for_kinds_of_ours() {
    let of_kind = |kind: &str| labels_at(&format!("apiVersion: ▮\nkind: {kind}\n"));
    assert_eq!(of_kind("Pod"), Vec::<String>::new());
    for kind in ["DeviceClass", "Device", ""] {
        assert_eq!(of_kind(kind)[0], "resource.k8s.io/v1", "{kind}");
    }
}
