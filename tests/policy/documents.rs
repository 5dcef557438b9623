//! What is written about the settings, made from their JSON Schema: the table in the README, the questions of Rancher's form,
//! and the package file of Artifact Hub. `CLAIMKIT_UPDATE=1` writes them.

use claimkit::policy::schema;
use claimkit::requests::hosts;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

const BEGIN: &str = "<!-- settings: written by tests/policy/documents.rs -->\n";
const END: &str = "<!-- end of settings -->\n";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("pkg/policy")
        .join(name)
}

fn hold(name: &str, expected: &str) {
    if std::env::var_os("CLAIMKIT_UPDATE").is_some() {
        std::fs::write(file(name), expected).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(file(name)).unwrap_or_default(),
        expected,
        "run this test with CLAIMKIT_UPDATE=1"
    );
}

/// A setting: where it stands, its schema, the settings inside it.
struct Setting<'s> {
    path: String,
    schema: &'s Value,
    inner: Vec<Setting<'s>>,
}

fn settings<'s>(schema: &'s Value, path: &str) -> Vec<Setting<'s>> {
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let setting = |(name, schema): (&String, &'s Value)| {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let mut inner = settings(schema, &path);
        inner.extend(settings(&schema["items"], &format!("{path}[]")));
        Setting {
            path,
            schema,
            inner,
        }
    };
    properties.iter().map(setting).collect()
}

/// What a setting takes, in words.
fn values(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("`{word}`"))
            .collect();
        return words.join(", ");
    }
    let one = |schema: &Value| schema["type"].as_str().unwrap_or_default().to_owned();
    match schema["type"].as_str().unwrap_or_default() {
        "array" => format!("list of {}s", one(&schema["items"])),
        "boolean" => "`true`, `false`".to_owned(),
        other => other.to_owned(),
    }
}

fn table(settings: &[Setting<'_>], out: &mut String) {
    for setting in settings {
        let doc = setting.schema["description"].as_str().unwrap();
        writeln!(
            out,
            "| `{}` | {} | {doc} |",
            setting.path,
            values(setting.schema)
        )
        .unwrap();
        table(&setting.inner, out);
    }
}

/// The tabs of the form: what is asked in each. A setting that is in none fails the test.
const TABS: &[(&str, &[&str])] = &[
    (
        "General",
        &["mode", "validation", "release", "gates", "apiVersions"],
    ),
    ("Classes", &["deviceClasses", "resourceClasses"]),
    (
        "Requests",
        &[
            "allocationModes",
            "adminAccess",
            "parametersRef",
            "shareable",
            "limits",
            "tolerations",
            "selectors",
            "opaqueParameters",
        ],
    ),
    (
        "Drivers",
        &[
            "drivers",
            "deviceTaintRules",
            "sliceTaints",
            "extendedResourceNames",
        ],
    ),
    ("Nodes", &["suitableNodes", "availableOnNodes"]),
    ("Pods", &["pods"]),
    ("Cluster", &["cluster"]),
    ("Exemptions", &["exempt"]),
];

/// A question for every setting. Only words with a default have one here: the form writes defaults into the settings, and an empty
/// list is not a setting. In a sequence the variables are those of its objects.
fn questions(
    settings: &[Setting<'_>],
    (tab, outer): (Option<&str>, &str),
    indent: &str,
    out: &mut String,
) -> usize {
    let mut asked = 0;
    for setting in settings {
        let schema = setting.schema;
        let name = setting
            .path
            .strip_prefix(outer)
            .unwrap_or(&setting.path)
            .trim_start_matches("[].");
        let tab = tab.unwrap_or_else(|| {
            let has = |(_, names): &&(&str, &[&str])| names.contains(&setting.path.as_str());
            TABS.iter()
                .find(has)
                .unwrap_or_else(|| panic!("{} is on no tab", setting.path))
                .0
        });
        let kind = match (schema["type"].as_str(), schema["items"]["type"].as_str()) {
            _ if schema["enum"].is_array() => "enum",
            (Some("boolean"), _) => "boolean",
            (Some("integer"), _) => "int",
            (Some("string"), _) => "string",
            (Some("array"), Some("string")) => "array[",
            (Some("array"), Some("object")) => "sequence[",
            (Some("object"), _) if setting.inner.is_empty() => "map[",
            (Some("object"), _) => {
                asked += questions(&setting.inner, (Some(tab), outer), indent, out);
                continue;
            }
            other => panic!("{}: no question for {other:?}", setting.path),
        };
        writeln!(out, "{indent}- variable: {name}").unwrap();
        writeln!(out, "{indent}  label: {name}").unwrap();
        writeln!(out, "{indent}  group: {tab}").unwrap();
        writeln!(out, "{indent}  tooltip: {}", schema["description"]).unwrap();
        writeln!(out, "{indent}  type: {kind}").unwrap();
        writeln!(out, "{indent}  required: false").unwrap();
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            writeln!(out, "{indent}  options: [{}]", words.join(", ")).unwrap();
        }
        match name {
            "mode" => writeln!(out, "{indent}  default: enforce").unwrap(),
            "validation" => writeln!(out, "{indent}  default: strict").unwrap(),
            _ => {}
        }
        asked += 1;
        if kind == "sequence[" {
            writeln!(out, "{indent}  sequence_questions:").unwrap();
            asked += questions(
                &setting.inner,
                (Some(tab), &setting.path),
                &format!("{indent}  "),
                out,
            );
        }
    }
    asked
}

/// Counts the settings that take a value.
fn leaves(settings: &[Setting<'_>]) -> usize {
    let count = |setting: &Setting<'_>| match setting.schema["type"].as_str() {
        Some("object") if !setting.inner.is_empty() => leaves(&setting.inner),
        _ => 1 + leaves(&setting.inner),
    };
    settings.iter().map(count).sum()
}

fn all_questions(indent: &str) -> String {
    let schema = schema::schema();
    let mut out = format!("{indent}questions:\n");
    let all = settings(&schema, "");
    let asked = questions(&all, (None, ""), indent, &mut out);
    assert_eq!(asked, leaves(&all), "each setting has a question");
    out
}

#[test]
fn the_readme_has_every_setting() {
    let schema = schema::schema();
    let mut expected = String::from("| setting | takes | meaning |\n|---|---|---|\n");
    table(&settings(&schema, ""), &mut expected);
    let readme = std::fs::read_to_string(file("README.md")).unwrap();
    let (before, rest) = readme
        .split_once(BEGIN)
        .expect("the README has a place for the settings");
    let (_, after) = rest
        .split_once(END)
        .expect("the place for the settings ends");
    hold(
        "README.md",
        &format!("{before}{BEGIN}\n{expected}\n{END}{after}"),
    );
}

#[test]
fn the_form_asks_for_the_settings() {
    let comment = "# Rancher's form for the settings; written by tests/policy/documents.rs from settings.schema.json.\n";
    let text = format!("{comment}{}", all_questions(""));
    hold("questions-ui.yml", &text);
    super::plain(&text, &file("questions-ui.yml"));
}

/// What `kwctl scaffold artifacthub -m metadata.yml -q questions-ui.yml` makes of the same files.
#[test]
fn the_package_of_artifact_hub_follows_the_metadata() {
    let metadata = super::yaml(&file("metadata.yml")).remove(0);
    let annotation = |name: &str| {
        metadata["annotations"][name]
            .as_str()
            .unwrap_or_else(|| panic!("{name} is missing"))
            .to_owned()
    };
    let policy = |name: &str| annotation(&format!("io.kubewarden.policy.{name}"));
    let (version, url) = (policy("version"), policy("ociUrl"));
    let author = policy("author");
    let (name, mail) = author.split_once(" <").expect("`name <mail>`");
    let mut out = String::from(
        "# Package of Artifact Hub; written by tests/policy/documents.rs from metadata.yml and questions-ui.yml.\n",
    );
    let mut line = |text: String| writeln!(out, "{text}").unwrap();
    line(format!("version: {version}"));
    line(format!("name: {}", policy("title")));
    line(format!(
        "displayName: {}",
        Value::from(annotation("io.artifacthub.displayName"))
    ));
    line("createdAt: 2026-11-23T00:00:00Z".to_owned());
    line("logoPath: icon.svg".to_owned());
    line(format!(
        "description: {}",
        Value::from(policy("description"))
    ));
    line(format!("license: {}", policy("license")));
    line(format!("homeURL: {}", policy("url")));
    line(format!(
        "containersImages:\n  - name: policy\n    image: {url}:v{version}"
    ));
    line("keywords:".to_owned());
    for keyword in annotation("io.artifacthub.keywords").split(", ") {
        line(format!("  - {keyword}"));
    }
    line(format!(
        "links:\n  - name: source\n    url: {}",
        policy("source")
    ));
    line("install: |".to_owned());
    line(
        "  Pull the policy with `kwctl`, then make a manifest of it and change that to your needs:"
            .to_owned(),
    );
    line("  ```console".to_owned());
    line(format!("  kwctl pull {url}:v{version}"));
    line(format!(
        "  kwctl scaffold manifest -t ClusterAdmissionPolicy registry://{url}:v{version}"
    ));
    line("  ```".to_owned());
    line(format!(
        "maintainers:\n  - name: {name}\n    email: {}",
        mail.trim_end_matches('>')
    ));
    line("provider:\n  name: claimkit".to_owned());
    line("recommendations:\n  - url: https://artifacthub.io/packages/helm/kubewarden/kubewarden-controller".to_owned());
    line(format!(
        "annotations:\n  kubewarden/mutation: \"{}\"",
        metadata["mutating"]
    ));
    line(format!(
        "  kubewarden/resources: {}",
        annotation("io.artifacthub.resources")
    ));
    line(format!("  kubewarden/rules: |\n    {}", metadata["rules"]));
    line(format!(
        "  kubewarden/questions-ui: |\n{}",
        all_questions("    ").trim_end()
    ));
    hold("artifacthub-pkg.yml", &out);
    let picture = |name: &str| std::fs::read(file(name)).unwrap();
    assert_eq!(
        picture("icon.svg"),
        picture("../../www/public/icon.svg"),
        "the logo is the page's"
    );
    super::plain(&out, &file("artifacthub-pkg.yml"));
}

const SEES_BEGIN: &str = "<!-- sees: written by tests/policy/documents.rs -->\n";
const SEES_END: &str = "<!-- end of sees -->";

/// Asks the policy as a live API server does; gives the answer and its text.
fn asked(settings: &Value, case: &Value) -> (Value, String) {
    asked_of(settings, &super::fixtures::admission(case), case)
}

fn asked_of(settings: &Value, request: &Value, case: &Value) -> (Value, String) {
    let payload = json!({"request": request, "settings": settings}).to_string();
    let calls = super::fixtures::calls(case);
    let answer = hosts::validate(payload.as_bytes(), Some(&super::Recorded(&calls)));
    let read = serde_json::from_str(&answer).unwrap();
    (read, format!("{request}\n  {answer}"))
}

/// The settings of a line of the table: its own, or those of its row.
fn settings_of<'v>(row: &'v Value, line: &'v Value) -> &'v Value {
    line.get("settings").unwrap_or(&row["settings"])
}

/// The table of what each setting sees is written from cases, and each line of it is tried: what a setting sees it refuses, what it
/// does not see it accepts.
#[test]
fn each_setting_sees_what_the_readme_says() {
    let text = include_str!("sees/settings.json");
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut out = String::from("| setting | sees | does not see |\n|---|---|---|\n");
    let (mut tried, mut wrong) = (0, Vec::new());
    for row in &rows {
        let name = row["setting"].as_str().unwrap();
        let mut texts = [Vec::new(), Vec::new()];
        for (list, sees) in [("sees", true), ("misses", false)] {
            for line in row[list].as_array().unwrap() {
                texts[usize::from(!sees)].push(line["text"].as_str().unwrap());
                for case in line["cases"].as_array().unwrap() {
                    tried += 1;
                    let (answer, shown) = asked(settings_of(row, line), case);
                    let refused = is_refused_by(&answer, name);
                    if refused != sees || (!sees && answer["accepted"] == false) {
                        wrong.push(format!("{name}: {}: {shown}", line["text"]));
                    }
                }
            }
        }
        let note = row["note"].as_str().unwrap();
        let note = if note.is_empty() {
            String::new()
        } else {
            format!(" ({note})")
        };
        let [seen, unseen] = texts.map(|texts| texts.join("; "));
        let shown = row["shown"].as_str().unwrap_or(name);
        writeln!(out, "| `{shown}`{note} | {seen} | {unseen} |").unwrap();
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried >= 60, "{tried} tried");
    let readme = std::fs::read_to_string(file("README.md")).unwrap();
    let (before, rest) = readme.split_once(SEES_BEGIN).expect("the table begins");
    let (_, after) = rest.split_once(SEES_END).expect("the table ends");
    hold(
        "README.md",
        &format!("{before}{SEES_BEGIN}\n{out}\n{SEES_END}{after}"),
    );
}

fn is_refused_by(answer: &Value, setting: &str) -> bool {
    let rules = answer["audit_annotations"]["rule"].as_str();
    answer["accepted"] == false
        && rules.is_some_and(|rules| rules.split(',').any(|rule| rule == setting))
}

/// Forms of a request that say nothing about what it asks for.
fn disguises(request: &Value) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    let mut add = |what, change: &dyn Fn(&mut Value)| {
        let mut request = request.clone();
        change(&mut request);
        all.push((what, request));
    };
    for (what, field, value) in [
        ("labels", "labels", json!({"policy": "off", "team": "x"})),
        (
            "annotations",
            "annotations",
            json!({"a.example.com/exempt": "true"}),
        ),
        ("a finalizer", "finalizers", json!(["a.example.com/b"])),
        (
            "an owner",
            "ownerReferences",
            json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}]),
        ),
        (
            "managed fields",
            "managedFields",
            json!([{"manager": "x", "operation": "Apply", "apiVersion": "v1", "fieldsV1": {}}]),
        ),
        ("a generated name", "generateName", json!("a-")),
        (
            "a deletion timestamp",
            "deletionTimestamp",
            json!("2026-03-01T11:00:00Z"),
        ),
        ("a later generation", "generation", json!(7)),
    ] {
        add(what, &|request| {
            request["object"]["metadata"][field] = value.clone()
        });
    }
    add("a field of a later release", &|request| {
        request["object"]["fieldOfALaterRelease"] = json!({"a": 1})
    });
    add("a later field of the spec", &|request| {
        if let Some(spec) = request["object"]["spec"].as_object_mut() {
            spec.insert("fieldOfALaterRelease".to_owned(), json!([1]));
        }
    });
    add("a dry run", &|request| request["dryRun"] = json!(true));
    add(
        "another user",
        &|request| {
            request["userInfo"] = json!({"username": "system:admin", "groups": ["system:masters"]})
        },
    );
    add("no user", &|request| request["userInfo"] = Value::Null);
    add("the uid of the object", &|request| {
        request["object"]["metadata"]["uid"] = request["uid"].clone();
    });
    add("no name", &|request| request["name"] = Value::Null);
    add("no resource", &|request| request["resource"] = Value::Null);
    add("a review around it", &|request| {
        *request = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    });
    all
}

/// What a setting refuses it refuses in every form that a client can give the request.
#[test]
fn no_form_of_a_refused_request_opens_its_setting() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("sees/settings.json")).unwrap();
    let (mut tried, mut wrong) = (0, Vec::new());
    for row in &rows {
        let name = row["setting"].as_str().unwrap();
        let lines = row["sees"].as_array().unwrap();
        let cases = lines.iter().flat_map(|line| {
            let cases = line["cases"].as_array().unwrap().iter();
            cases.map(move |case| (settings_of(row, line), case))
        });
        for (settings, case) in cases {
            let request = super::fixtures::admission(case);
            for (what, disguised) in disguises(&request) {
                tried += 1;
                let (answer, shown) = asked_of(settings, &disguised, case);
                if !is_refused_by(&answer, name) {
                    wrong.push(format!("{name}: {what}: {shown}"));
                }
            }
        }
    }
    println!("{tried} forms of refused requests");
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried >= 800, "{tried} tried");
}
