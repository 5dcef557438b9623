//! From v1alpha1 and v1alpha2 to v1: every `NAME.in.*` in `tests/convert_migrate/` gives `NAME.out.*` byte for byte, and what
//! `NAME.json` says: the `losses` of each object by path, the `decisions` of each object by code, the codes of other `findings`,
//! and `options` of the request. Every result is accepted by the rules of 1.36, unless `findings` has `validity-lost`.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn answer(request: &Value) -> Value {
    crate::support::ask(request)
}

fn convert(text: &str, to: &str, options: &Value) -> Value {
    let mut request = json!({"verb": "convert", "text": text, "to": to});
    if let (Some(request), Some(options)) = (request.as_object_mut(), options.as_object()) {
        request.extend(options.clone());
    }
    answer(&request)
}

/// Codes of findings, without those that repeat a loss or a decision.
fn codes(answer: &Value) -> Vec<&str> {
    let findings = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap());
    findings
        .filter(|code| {
            !matches!(
                *code,
                "conversion-loss" | "conversion-decision" | "other-group"
            )
        })
        .collect()
}

/// A field of each loss or decision, by object.
fn each(answer: &Value, list: &str, field: &str) -> Value {
    let objects = answer["objects"].as_array().unwrap().iter();
    let of = |object: &Value| {
        object[list].as_array().map_or(json!([]), |list| {
            list.iter().map(|one| one[field].clone()).collect()
        })
    };
    Value::Array(objects.map(of).collect())
}

fn cases() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/convert_migrate");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = files
        .filter_map(|path| {
            let (case, _) = path.file_name()?.to_str()?.split_once(".in.")?;
            Some((case.to_owned(), path.clone()))
        })
        .collect();
    cases.sort();
    cases
}

/// The answers of a server of the release to every object of a text.
fn refusals(text: &str, release: &str) -> Vec<String> {
    let judged =
        answer(&json!({"verb": "validate", "text": text, "release": release, "via": "validator"}));
    let findings = judged["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["severity"] == "error");
    findings
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn cases_give_what_is_written_beside_them() {
    let cases = cases();
    assert!(cases.len() > 8, "{} cases", cases.len());
    let mut wrong = Vec::new();
    let (mut decided, mut lost_fields) = (BTreeSet::new(), BTreeSet::new());
    for (case, path) in &cases {
        let text = std::fs::read_to_string(path).unwrap();
        let beside = |end: &str| path.with_file_name(format!("{case}.{end}"));
        let expect: Value =
            serde_json::from_str(&std::fs::read_to_string(beside("json")).unwrap()).unwrap();
        let extension = path.extension().unwrap().to_str().unwrap();
        let out = std::fs::read_to_string(beside(&format!("out.{extension}"))).unwrap();
        let mut options = json!({"lossy": "allow"});
        options
            .as_object_mut()
            .unwrap()
            .extend(expect["options"].as_object().cloned().unwrap_or_default());
        let done = convert(&text, "v1", &options);
        let mut differs = |what: &str, have: &Value, want: &Value| {
            if have != want {
                wrong.push(format!("{case}: {what}\n have {have:#}\n want {want:#}"));
            }
        };
        differs("text", &done["text"], &json!(out));
        differs("losses", &each(&done, "losses", "path"), &expect["losses"]);
        differs(
            "decisions",
            &each(&done, "decisions", "code"),
            &expect["decisions"],
        );
        differs(
            "findings",
            &json!(codes(&done)),
            expect.get("findings").unwrap_or(&json!([])),
        );
        let flat = |list: Value| {
            list.as_array()
                .unwrap()
                .iter()
                .flat_map(|one| one.as_array().unwrap().clone())
                .collect::<Vec<_>>()
        };
        decided.extend(
            flat(each(&done, "decisions", "code"))
                .iter()
                .map(|code| code.as_str().unwrap().to_owned()),
        );
        lost_fields.extend(flat(each(&done, "losses", "path")).iter().map(|path| {
            path.as_str()
                .unwrap()
                .rsplit('.')
                .next()
                .unwrap()
                .to_owned()
        }));
        let lost = done["objects"]
            .as_array()
            .unwrap()
            .iter()
            .any(|object| object["losses"] != json!([]));
        let refused = convert(&text, "v1", &json!({}));
        differs(
            "refused where something is lost",
            &json!(refused.get("text").is_none()),
            &json!(lost),
        );
        if !codes(&done).contains(&"validity-lost") && refusals(&text, "1.30").is_empty() {
            differs(
                "accepted by 1.36",
                &json!(refusals(&out, "1.36")),
                &json!([]),
            );
        }
        // A second conversion changes nothing, and comments have no effect.
        differs(
            "converted twice",
            &convert(&out, "v1", &json!({}))["text"],
            &json!(out),
        );
        options["annotate"] = json!(true);
        let annotated = convert(&text, "v1", &options);
        let annotated = annotated["text"].as_str().unwrap();
        let bare: String = annotated
            .lines()
            .filter(|line| !line.trim_start().starts_with("# claimkit: "))
            .fold(String::new(), |all, line| all + line + "\n");
        differs(
            "without the comments again",
            &json!(bare.trim_end()),
            &json!(out.trim_end()),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = |all: &[&str], seen: &BTreeSet<String>| {
        all.iter()
            .filter(|one| !seen.contains(**one))
            .map(|one| (*one).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        missing(DECISIONS, &decided),
        [""; 0],
        "decisions without a case"
    );
    assert_eq!(
        missing(LOSSES, &lost_fields),
        [""; 0],
        "losses without a case"
    );
    assert_eq!(decided.len(), DECISIONS.len(), "{decided:?}");
}

/// Every decision there is.
const DECISIONS: &[&str] = &[
    "admin-access",
    "attribute-name",
    "attribute-withdrawn",
    "class-name",
    "class-selector",
    "device-name",
    "driver-name",
    "parameter-lost",
    "parameters-config",
    "parameters-removed",
    "parameters-selector",
    "request-driver",
    "request-name",
    "slice-nodes",
    "slice-pool",
];

/// Fields that v1 does not have; the empty path means an object.
const LOSSES: &[&str] = &[
    "",
    "allocationMode",
    "devices",
    "filters[1]",
    "flavour",
    "gpuClaimName",
    "intSlice",
    "memory",
    "migEnabled",
    "millicores",
    "parametersRef",
    "selector",
    "shareable",
    "shared",
    "spec",
    "status",
    "stringSlice",
    "suitableNodes",
    "type",
];

/// The lines of texts, without those between documents.
fn lines<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    texts
        .into_iter()
        .flat_map(str::lines)
        .filter(|line| !line.is_empty() && *line != "---")
        .collect()
}

/// Checks that the documents of a text become in files of their own what they become in one.
#[test]
fn files_become_what_they_become_in_one_text() {
    let mut moved = 0;
    for (case, path) in cases() {
        let text = std::fs::read_to_string(&path).unwrap();
        let parts: Vec<&str> = text.split("\n---\n").collect();
        let whole = convert(&text, "v1", &json!({"lossy": "allow"}));
        let sources = parts
            .iter()
            .enumerate()
            .map(|(at, part)| json!({"name": format!("{at}.yaml"), "text": format!("{part}\n")}));
        let sources: Vec<Value> = sources.collect();
        let among =
            answer(&json!({"verb": "convert", "sources": sources, "to": "v1", "lossy": "allow"}));
        let files = among["files"].as_array().unwrap();
        let texts = files.iter().map(|file| file["text"].as_str().unwrap());
        assert_eq!(
            lines(texts),
            lines([whole["text"].as_str().unwrap()]),
            "{case}"
        );
        assert_eq!(
            each(&among, "decisions", "code"),
            each(&whole, "decisions", "code"),
            "{case}"
        );
        if files.len() > 1 {
            moved += 1;
        }
    }
    assert!(moved > 6, "{moved}");
}

/// Checks that an object is not converted in silence if its parameters lose something in another file.
#[test]
fn an_object_loses_what_its_parameters_in_another_file_lose() {
    let claim = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c, namespace: a}\nspec:\n  resourceClassName: gpu\n  parametersRef: {apiGroup: resource.k8s.io, kind: ResourceClaimParameters, name: p}\n";
    let parameters = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata: {name: p, namespace: a}\nshareable: false\ndriverRequests:\n- {driverName: gpu.example.com, requests: [{namedResources: {selector: 'true'}}]}\n";
    let ask = |lossy: &str| {
        let sources = [("claim.yaml", claim), ("parameters.yaml", parameters)]
            .map(|(name, text)| json!({"name": name, "text": text}));
        answer(&json!({"verb": "convert", "sources": sources, "to": "v1", "lossy": lossy}))
    };
    let refused = ask("refuse");
    assert_eq!(refused["files"][0].get("text"), None, "{refused}");
    assert_eq!(
        refused["objects"][0]["losses"][0]["path"],
        "spec.parametersRef"
    );
    assert_eq!(
        refused["objects"][0]["losses"][0]["reason"]
            .as_str()
            .unwrap(),
        "`shareable` of ResourceClaimParameters `p`: every claim can be used by several pods"
    );
    let allowed = ask("allow");
    let text = allowed["files"][0]["text"].as_str().unwrap();
    assert!(text.contains("deviceClassName: gpu"), "{text}");
    assert_eq!(allowed["files"][1]["text"].as_str().unwrap().trim(), "");
}

/// The other versions of the device family are reached by way of v1.
#[test]
fn every_version_is_reached() {
    for (case, path) in cases() {
        let text = std::fs::read_to_string(&path).unwrap();
        let v1 = convert(&text, "v1", &json!({"lossy": "allow"}));
        for (to, release) in [
            ("v1alpha3", "1.33"),
            ("v1beta1", "1.36"),
            ("v1beta2", "1.36"),
            ("1.38", "1.36"),
            ("1.32", "1.32"),
        ] {
            let done = convert(&text, to, &json!({"lossy": "allow"}));
            let new = done["text"]
                .as_str()
                .unwrap_or_else(|| panic!("{case} to {to}: {:#}", done["findings"]));
            assert_eq!(
                each(&done, "decisions", "code"),
                each(&v1, "decisions", "code"),
                "{case} to {to}"
            );
            assert_eq!(
                each(&done, "losses", "path"),
                each(&v1, "losses", "path"),
                "{case} to {to}"
            );
            if !codes(&done).contains(&"validity-lost") && refusals(&text, "1.30").is_empty() {
                assert_eq!(refusals(new, release), [""; 0], "{case} to {to}\n{new}");
            }
            if to != "1.38" && refusals(&text, "1.30").is_empty() {
                assert_eq!(
                    convert(new, "v1", &json!({}))["text"],
                    v1["text"],
                    "{case} to {to} and v1"
                );
            }
        }
    }
}

/// The field that a lost member of `source` is like is suggested, and nothing where it is like none.
#[test]
fn only_a_field_that_is_alike_is_suggested() {
    for (member, reason) in [
        (
            "resourceClaimTemplate",
            "pods have no such field; did you mean `resourceClaimTemplateName`?",
        ),
        (
            "claimName",
            "pods have no such field; did you mean `resourceClaimName`?",
        ),
        ("volume", "pods have no such field"),
    ] {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{resourceClaims: [{{name: a, source: {{{member}: x}}}}], containers: [{{name: c}}]}}\n"
        );
        let answer = convert(&text, "v1", &json!({"lossy": "allow"}));
        assert_eq!(
            each(&answer, "losses", "reason"),
            json!([[reason]]),
            "{answer}"
        );
    }
}

/// The contract's fields, and a comment above the line that a decision concerns.
#[test]
fn a_decision_says_all_of_it() {
    let text = "# é\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: c\ndriverName: d.example.com\n";
    let done = convert(text, "v1", &json!({"annotate": true}));
    assert_eq!(done["ok"], true);
    let object = &done["objects"][0];
    assert_eq!(
        (&object["to"], &object["changed"]),
        (&json!("resource.k8s.io/v1"), &json!(true))
    );
    let decision = &object["decisions"][0];
    assert_eq!(
        (&decision["code"], &decision["path"]),
        (&json!("class-selector"), &json!("driverName"))
    );
    let at = text.find("driverName").unwrap();
    let units = text[..at].encode_utf16().count();
    let start = json!({"line": 5, "character": 0, "offset": units, "byteOffset": at});
    assert_eq!(decision["range"]["start"], start);
    assert_eq!(decision["assumed"], "`device.driver == 'd.example.com'`");
    assert!(["question", "why", "message"].iter().all(|field| {
        decision[field]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    }));
    let alternatives = decision["alternatives"].as_array().unwrap();
    assert!(!alternatives.is_empty());
    let finding = &done["findings"][0];
    let said = (
        &finding["code"],
        &finding["severity"],
        &finding["message"],
        &finding["object"],
    );
    assert_eq!(
        said,
        (
            &json!("conversion-decision"),
            &json!("warning"),
            &decision["message"],
            &json!(0)
        )
    );
    let message = decision["message"].as_str().unwrap();
    let mut comments = format!("  # claimkit: {message}\n");
    for one in alternatives {
        comments += &format!("  # claimkit: or: {}\n", one.as_str().unwrap());
    }
    let new = done["text"].as_str().unwrap();
    assert!(
        new.contains(&format!("spec:\n{comments}  selectors:\n")),
        "{new}"
    );
    // JSON has no comments; the answer says so.
    let json = r#"{"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass","metadata":{"name":"c"},"driverName":"d"}"#;
    let done = convert(json, "v1", &json!({"annotate": true}));
    assert!(
        done["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["severity"] == "info"),
        "{:#}",
        done["findings"]
    );
    assert!(done["text"].as_str().unwrap().contains("DeviceClass"));
}

/// A manifest of a real project before and after its authors moved it.
struct Pair {
    before: &'static str,
    after: &'static str,
    /// The differences, and the decisions that report them.
    differs: &'static [(&'static str, &'static [&'static str])],
    /// Other changes by the authors: different pods in the demo.
    rewritten: &'static [&'static str],
}

const fn pair(before: &'static str, after: &'static str) -> Pair {
    Pair {
        before,
        after,
        differs: &[],
        rewritten: &[],
    }
}

const PAIRS: &[Pair] = &[
    pair(
        "01-example-template-no-params/v1alpha2",
        "01-example-template-no-params/v1",
    ),
    pair(
        "02-example-shared-claim/v1alpha2",
        "02-example-shared-claim/v1",
    ),
    Pair {
        differs: &[("request names", &["request-name"])],
        ..pair(
            "03-example-count-params/v1alpha2",
            "03-example-count-params/v1alpha3",
        )
    },
    pair("04-example-class/v1alpha2", "04-example-class/v1alpha3"),
    pair(
        "04-example-class/v1alpha2-structured",
        "04-example-class/v1alpha3",
    ),
    Pair {
        differs: &[
            ("requests", &["parameter-lost"]),
            ("request names", &["request-name", "parameter-lost"]),
            ("pods", &["parameter-lost"]),
        ],
        ..pair("05-nvidia-mig-devices/v1alpha1", "05-nvidia-mig-devices/v1")
    },
    Pair {
        differs: &[
            ("requests", &["parameter-lost"]),
            ("request names", &["request-name", "parameter-lost"]),
            ("pods", &["parameter-lost"]),
        ],
        ..pair("05-nvidia-mig-devices/v1alpha2", "05-nvidia-mig-devices/v1")
    },
    pair(
        "06-nvidia-gpu-selector/v1alpha2",
        "06-nvidia-gpu-selector/v1",
    ),
    Pair {
        differs: &[("request names", &["request-name"])],
        rewritten: &["pods"],
        ..pair("07-nvidia-mps-sharing/v1alpha2", "07-nvidia-mps-sharing/v1")
    },
    pair(
        "08-nvidia-shared-claim/v1alpha2",
        "08-nvidia-shared-claim/v1",
    ),
    pair("09-nvidia-class/v1alpha2", "09-nvidia-class/v1"),
    Pair {
        differs: &[("class names", &["class-selector"])],
        ..pair("10-intel-class/v1alpha2", "10-intel-class/v1")
    },
    Pair {
        differs: &[("requests", &["parameter-lost"])],
        ..pair(
            "11-intel-immediate-claim/v1alpha2",
            "11-intel-immediate-claim/v1",
        )
    },
    pair("12-intel-inline/v1alpha2", "12-intel-inline/v1"),
    Pair {
        rewritten: &["pods"],
        ..pair("13-intel-monitor/v1alpha2", "13-intel-monitor/v1")
    },
];

/// The content of a text, without freely chosen names of objects, namespaces and labels.
fn facts(text: &str) -> BTreeMap<&'static str, Value> {
    let parsed = answer(&json!({"verb": "parse", "text": text, "release": "1.36"}));
    let mut facts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in [
        "classes",
        "class names",
        "requests",
        "request names",
        "config",
        "pods",
    ] {
        facts.insert(name, Vec::new());
    }
    let mut note = |name: &str, value: String| facts.get_mut(name).unwrap().push(value);
    let expression = |selector: &Value| {
        selector["cel"]["expression"]
            .as_str()
            .unwrap()
            .replace(char::is_whitespace, "")
            .replace('"', "'")
    };
    let selectors = |of: &Value| {
        of["selectors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(expression)
            .collect::<Vec<_>>()
            .join(" ")
    };
    for object in parsed["objects"].as_array().unwrap() {
        let spec = &object["object"]["spec"];
        let claim = match object["kind"].as_str().unwrap() {
            "DeviceClass" => {
                note("classes", selectors(spec));
                note("class names", object["name"].to_string());
                continue;
            }
            "ResourceClaim" => spec,
            "ResourceClaimTemplate" => &spec["spec"],
            _ => continue,
        };
        for request in claim["devices"]["requests"].as_array().unwrap() {
            let exactly = &request["exactly"];
            note("request names", request["name"].to_string());
            let asked = ["deviceClassName", "allocationMode", "count", "adminAccess"]
                .map(|key| exactly[key].to_string());
            note(
                "requests",
                format!("{} {}", asked.join(" "), selectors(exactly)),
            );
        }
        for config in claim["devices"]["config"].as_array().into_iter().flatten() {
            note("config", config["opaque"].to_string());
        }
    }
    for line in pods(text) {
        note("pods", line);
    }
    facts
        .into_iter()
        .map(|(name, mut values)| {
            values.sort();
            values.dedup();
            (name, json!(values))
        })
        .collect()
}

/// How each pod gets its claims, and which of them its containers use.
fn pods(text: &str) -> Vec<String> {
    let raw = |document: &str| {
        answer(&json!({"verb": "parse", "text": document, "raw": true}))["raw"].clone()
    };
    let documents: Vec<Value> = text.split("\n---").map(raw).collect();
    let mut lines = Vec::new();
    for document in &documents {
        let spec = match document["kind"].as_str() {
            Some("Pod") => &document["spec"],
            Some("Deployment") => &document["spec"]["template"]["spec"],
            _ => continue,
        };
        for claim in spec["resourceClaims"].as_array().into_iter().flatten() {
            let keys: Vec<&String> = claim.as_object().unwrap().keys().collect();
            lines.push(format!("claim {keys:?} {}", claim["name"]));
        }
        for container in spec["containers"].as_array().into_iter().flatten() {
            lines.push(format!("container {}", container["resources"]["claims"]));
        }
    }
    lines
}

/// Real projects migrated their manifests by hand. The conversion gives the same result, or a decision reports the difference.
/// They are not in the repository: `CLAIMKIT_PAIRS` names their folder.
#[test]
#[ignore = "the manifests are not in the repository; CLAIMKIT_PAIRS names their folder"]
fn real_manifests_become_what_their_authors_made_of_them() {
    let folder = std::env::var("CLAIMKIT_PAIRS").unwrap();
    if !Path::new(&folder).is_dir() {
        println!("migration pairs: not present, not checked");
        return;
    }
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}.yaml")).unwrap();
    let mut wrong = Vec::new();
    for Pair {
        before,
        after,
        differs,
        rewritten,
    } in PAIRS
    {
        let done = convert(&read(before), "v1", &json!({"lossy": "allow"}));
        let ours = done["text"].as_str().unwrap();
        assert_eq!(refusals(ours, "1.36"), [""; 0], "{before}\n{ours}");
        // Charts have lines that are no YAML.
        let real: String = read(after)
            .lines()
            .filter(|line| !line.trim_start().starts_with("{{"))
            .fold(String::new(), |all, line| {
                all + &line.replace("{{ $resourceApiVersion }}", "resource.k8s.io/v1") + "\n"
            });
        let real = convert(&real, "v1", &json!({}));
        let (ours, real) = (facts(ours), facts(real["text"].as_str().unwrap()));
        let decided = each(&done, "decisions", "code").to_string();
        for (what, have) in &ours {
            let named = differs.iter().find(|(name, _)| name == what);
            match named {
                _ if rewritten.contains(what) => {}
                Some((_, codes)) if *have != real[what] => {
                    for code in codes.iter().filter(|code| !decided.contains(**code)) {
                        wrong.push(format!("{before}: {what} differ and no `{code}` says so"));
                    }
                }
                Some(_) => wrong.push(format!("{before}: {what} do not differ")),
                None if *have != real[what] => wrong.push(format!(
                    "{before}: {what}\n ours {have}\n real {}",
                    real[what]
                )),
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Manifests that nobody moved.
    for parts in [
        ["v1alpha2-claims", "v1alpha2-params"],
        ["v1alpha2-selector-claims", "v1alpha2-selector-params"],
    ] {
        let text = parts
            .map(|part| read(&format!("90-nvidia-unmigrated-2026/{part}")))
            .concat();
        let done = convert(&text, "v1", &json!({}));
        let new = done["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{:#}", done["findings"]));
        assert_eq!(refusals(new, "1.36"), [""; 0], "{new}");
        assert!(!new.contains("nvidia.com/v1alpha1"), "{new}");
    }
}

/// Names that differ in one sign only are one name afterwards: the second of them is lost, and not written over the first.
#[test]
fn attributes_whose_names_become_one_are_lost() {
    let slice = |second: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceSlice
metadata: {{name: s}}
nodeName: w1
driverName: gpu.example.com
namedResources:
  instances:
  - name: gpu.0
    attributes:
    - {{name: mem.bus, string: x}}
    - {{name: mem-bus, {second}}}
  - name: gpu-0
"
        )
    };
    let done = convert(&slice("string: z"), "v1", &json!({}));
    assert_eq!(done["ok"], false, "{done}");
    assert_eq!(
        each(&done, "losses", "path"),
        json!([["namedResources.instances[0].attributes[1]"]]),
        "{done}"
    );
    // Attributes and capacities are apart.
    let done = convert(&slice("quantity: 1Gi"), "v1", &json!({}));
    assert_eq!(each(&done, "losses", "path"), json!([[]]), "{done}");
    let text = done["text"].as_str().unwrap();
    assert!(
        text.contains("name: gpu-0-2") && text.contains("name: gpu-0\n"),
        "{text}"
    );
}
