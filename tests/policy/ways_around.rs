//! Ways around every setting: the refused requests of the fixtures, each in other forms that ask for the same. No form is accepted.

use super::fixtures::{self, Fixture};
use super::{Recorded, root};
use claimkit::requests::hosts;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The settings of which at least so many forms are asked.
const SETTINGS: [(&str, usize); 14] = [
    ("adminAccess", 40),
    ("allocationModes", 40),
    ("availableOnNodes", 1),
    ("cluster", 40),
    ("deviceClasses", 40),
    ("deviceTaintRules", 40),
    ("drivers", 40),
    ("extendedResourceNames", 10),
    ("limits", 300),
    ("opaqueParameters", 100),
    ("pods", 40),
    ("selectors", 40),
    ("sliceTaints", 40),
    ("tolerations", 40),
];

/// A form of a request, and what makes it one.
type Form = (String, Value);

/// Returns the request if a change of its object, and of the stored one, was possible.
fn changed(request: &Value, what: &str, change: &dyn Fn(&mut Value) -> Option<()>) -> Option<Form> {
    let mut request = request.clone();
    change(&mut request["object"])?;
    Some((what.to_owned(), request))
}

/// Calls with each list of requests of a claim or a template.
fn requests_of(object: &mut Value) -> Option<&mut Vec<Value>> {
    let path = match object["kind"].as_str()? {
        "ResourceClaim" => "/spec/devices/requests",
        "ResourceClaimTemplate" => "/spec/spec/devices/requests",
        _ => return None,
    };
    object.pointer_mut(path)?.as_array_mut()
}

/// Metadata that a client can write without making the object another one.
fn with_metadata(request: &Value) -> Vec<Form> {
    let owner =
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}]);
    let written = [
        ("resourceVersion", json!("0")),
        ("uid", json!("7d1c2a3e-0000-4000-8000-000000000001")),
        ("ownerReferences", owner),
        ("finalizers", json!(["a.example.com/b"])),
        (
            "labels",
            json!({"kubernetes.io/metadata.name": "kube-system"}),
        ),
        ("annotations", json!({"claimkit/exempt": "true"})),
        ("generateName", json!("c-")),
        ("managedFields", json!([])),
    ];
    let mut forms = Vec::new();
    for (field, value) in written {
        forms.extend(changed(request, field, &|object| {
            let metadata = object["metadata"].as_object_mut()?;
            let is_new = !metadata.contains_key(field);
            is_new.then(|| metadata.insert(field.to_owned(), value.clone()))?;
            Some(())
        }));
    }
    forms
}

/// A field of a server that is newer than any known release, in each struct of an object.
fn with_later_fields(request: &Value) -> Vec<Form> {
    let paths = [
        "",
        "/metadata",
        "/spec",
        "/spec/spec",
        "/spec/devices",
        "/spec/spec/devices",
        "/spec/devices/requests/0",
        "/spec/devices/requests/0/exactly",
        "/spec/deviceSelector",
        "/spec/taint",
        "/spec/pool",
        "/spec/devices/0",
    ];
    let mut forms = Vec::new();
    for path in paths {
        forms.extend(changed(
            request,
            &format!("a later field in {path}"),
            &|object| {
                let holder = object.pointer_mut(path)?.as_object_mut()?;
                holder.insert("fieldOfALaterRelease".to_owned(), json!({"a": [1]}));
                Some(())
            },
        ));
    }
    forms
}

/// Other requests around the refused ones of a claim.
fn with_more_requests(request: &Value) -> Vec<Form> {
    let harmless = |request: &Value| {
        let class = request
            .pointer("/exactly/deviceClassName")
            .or_else(|| request.pointer("/firstAvailable/0/deviceClassName"))?;
        Some(json!({"name": "harmless", "exactly": {"deviceClassName": class}}))
    };
    let mut forms = Vec::new();
    for (what, at_end) in [("a request before", false), ("a request behind", true)] {
        forms.extend(changed(request, what, &|object| {
            let requests = requests_of(object)?;
            let more = harmless(requests.first()?)?;
            requests.insert(if at_end { requests.len() } else { 0 }, more);
            Some(())
        }));
    }
    forms
}

/// Requests as the only alternative, or as the last of two.
fn as_alternatives(request: &Value) -> Vec<Form> {
    let mut forms = Vec::new();
    for (what, is_first_harmless) in [
        ("the only alternative", false),
        ("the last alternative", true),
    ] {
        forms.extend(changed(request, what, &|object| {
            let mut alternatives = 0;
            for request in requests_of(object)? {
                let mut body = request["exactly"].as_object()?.clone();
                // Alternatives have none.
                if ["adminAccess", "derivedAttributes"]
                    .iter()
                    .any(|name| body.contains_key(*name))
                {
                    return None;
                }
                let first = json!({"name": "a", "deviceClassName": body.get("deviceClassName")?});
                body.insert("name".to_owned(), json!("b"));
                let name = request["name"].clone();
                let list = if is_first_harmless {
                    json!([first, body])
                } else {
                    json!([body])
                };
                *request = json!({"name": name, "firstAvailable": list});
                alternatives += 1;
            }
            (alternatives > 0).then_some(())
        }));
    }
    forms
}

/// A claim as the template of claims.
fn as_template(request: &Value) -> Option<Form> {
    let object = &request["object"];
    // What is refused may be in the status, which a template does not have.
    if object["kind"] != "ResourceClaim" || !object["status"].is_null() {
        return None;
    }
    let (_, mut request) = changed(request, "", &|object| {
        object["kind"] = json!("ResourceClaimTemplate");
        object["spec"] = json!({"spec": object["spec"].take()});
        object.as_object_mut()?.remove("status");
        Some(())
    })?;
    request["kind"]["kind"] = json!("ResourceClaimTemplate");
    request["resource"]["resource"] = json!("resourceclaimtemplates");
    Some(("a template".to_owned(), request))
}

/// The same object in other versions.
fn in_other_versions(request: &Value) -> Vec<Form> {
    let is_newest = request["object"]["apiVersion"] == "resource.k8s.io/v1";
    let kind = request["object"]["kind"].as_str().unwrap_or_default();
    if !is_newest
        || !matches!(
            kind,
            "ResourceClaim" | "ResourceClaimTemplate" | "DeviceClass"
        )
    {
        return Vec::new();
    }
    let of_version = |version: &str, change: &dyn Fn(&mut Value) -> Option<()>| {
        let (what, mut request) = changed(request, version, change)?;
        request["object"]["apiVersion"] = json!(format!("resource.k8s.io/{version}"));
        request["kind"]["version"] = json!(version);
        request["resource"]["version"] = json!(version);
        Some((what, request))
    };
    let flat = |object: &mut Value| {
        for request in requests_of(object).into_iter().flatten() {
            let Some(exactly) = request.as_object_mut()?.remove("exactly") else {
                continue;
            };
            for (name, value) in exactly.as_object()? {
                request[name] = value.clone();
            }
        }
        Some(())
    };
    [
        of_version("v1beta2", &|_| Some(())),
        of_version("v1beta1", &flat),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The same request from somebody whose name is like that of somebody who is exempt.
fn from_others(request: &Value, settings: &Value) -> Vec<Form> {
    let mut lists = Vec::new();
    collect_exemptions(settings, &mut lists);
    let mut forms = Vec::new();
    for name in lists {
        let name = name.replace('*', "x");
        for user in [
            format!("x{name}"),
            name.to_uppercase(),
            format!(" {name}"),
            format!("{name}/../jane"),
        ] {
            // A pattern may end in `*`: what begins alike is exempt.
            if user.starts_with(name.trim_end_matches('x')) {
                continue;
            }
            let mut request = request.clone();
            request["userInfo"] = json!({"username": user, "groups": [user]});
            forms.push((format!("the user {user}"), request));
        }
    }
    forms
}

fn collect_exemptions(settings: &Value, names: &mut Vec<String>) {
    match settings {
        Value::Object(members) => {
            for (name, value) in members {
                let is_list = matches!(name.as_str(), "usernames" | "groups");
                let list = value.as_array().filter(|_| is_list);
                let texts = list.into_iter().flatten().filter_map(Value::as_str);
                names.extend(texts.map(str::to_owned));
                collect_exemptions(value, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_exemptions(item, names);
            }
        }
        _ => {}
    }
}

/// A change that is refused, of an object that is being deleted.
fn while_going(request: &Value) -> Option<Form> {
    let mut request = request.clone();
    for object in ["object", "oldObject"] {
        let metadata = request[object]["metadata"].as_object_mut()?;
        metadata.insert(
            "deletionTimestamp".to_owned(),
            json!("2026-03-01T11:00:00Z"),
        );
        metadata.insert("finalizers".to_owned(), json!(["a.example.com/b"]));
    }
    Some(("an object that is being deleted".to_owned(), request))
}

/// Every form of a refused request. Settings about versions and releases judge the forms of other versions otherwise.
fn forms(request: &Value, settings: &Value, asks_cluster: bool) -> Vec<Form> {
    let mut forms = with_later_fields(request);
    forms.extend(from_others(request, settings));
    if request["operation"] == "UPDATE" {
        forms.extend(while_going(request));
        return forms;
    }
    forms.extend(with_metadata(request));
    if asks_cluster {
        return forms;
    }
    let is_free = settings["apiVersions"].is_null() && settings["release"].is_null();
    if is_free {
        forms.extend(in_other_versions(request));
    }
    forms.extend(with_more_requests(request));
    forms.extend(as_alternatives(request));
    forms.extend(as_template(request));
    forms
}

/// The request and the settings of a fixture that a setting refuses, and that setting.
fn refused(fixture: &Fixture) -> Option<(Value, Value, String)> {
    let (request, settings) = fixture.parts()?;
    let request: Value = serde_json::from_str(&request).ok()?;
    let settings: Value = serde_json::from_str(&settings).ok()?;
    let payload = json!({"request": request, "settings": settings}).to_string();
    let answer = hosts::validate(payload.as_bytes(), Some(&Recorded(&fixture.cluster)));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let rules = answer["audit_annotations"]["rule"].as_str()?;
    let setting = rules.split(',').next()?.trim().to_owned();
    let is_refused = answer["accepted"] == false && answer["code"] == 403;
    let is_about_fields = SETTINGS.iter().any(|(name, _)| *name == setting);
    (is_refused && is_about_fields && request["object"].is_object())
        .then_some((request, settings, setting))
}

/// A form of a request that a setting refuses.
pub struct RefusedForm {
    pub name: String,
    /// The setting that refuses the request.
    setting: String,
    request: Value,
    settings: Value,
    /// What the cluster answers.
    cluster: Vec<fixtures::Call>,
}

impl RefusedForm {
    /// What a host is given.
    pub fn payload(&self) -> String {
        json!({"request": self.request, "settings": self.settings}).to_string()
    }

    /// The request needs no cluster, and its settings are the same without one.
    pub fn is_alone(&self) -> bool {
        let payload = self.payload();
        let alone = hosts::validate(payload.as_bytes(), None);
        self.cluster.is_empty()
            && alone == hosts::validate(payload.as_bytes(), Some(&Recorded(&self.cluster)))
    }
}

/// Every form of every request of the fixtures that a setting refuses.
pub fn all_forms() -> Vec<RefusedForm> {
    let mut all = Vec::new();
    for fixture in fixtures::all(&root().join("tests/policy")) {
        let Some((request, settings, setting)) = refused(&fixture) else {
            continue;
        };
        for (what, form) in forms(&request, &settings, !fixture.cluster.is_empty()) {
            all.push(RefusedForm {
                name: format!("{}: {what}", fixture.name),
                setting: setting.clone(),
                request: form,
                settings: settings.clone(),
                cluster: fixture.cluster.clone(),
            });
        }
    }
    all
}

#[test]
fn no_form_of_a_refused_request_is_accepted() {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    for form in all_forms() {
        *asked.entry(form.setting.clone()).or_default() += 1;
        let answer = hosts::validate(form.payload().as_bytes(), Some(&Recorded(&form.cluster)));
        let read: Value = serde_json::from_str(&answer).unwrap();
        if read["accepted"] == true {
            accepted.push(format!(
                "{}\n  {}\n  {}",
                form.name, form.settings, form.request["object"]
            ));
        }
    }
    println!("{asked:?}");
    assert!(
        accepted.is_empty(),
        "{} forms are accepted:\n{}",
        accepted.len(),
        accepted.join("\n")
    );
    for (setting, least) in SETTINGS {
        let count = asked.get(setting).copied().unwrap_or_default();
        assert!(count >= least, "{setting}: {count} forms");
    }
    assert!(asked.values().sum::<usize>() >= 2_000, "{asked:?}");
}

/// What the server refuses is refused whether or not a setting about the same only warns, or does not judge the user.
#[test]
fn a_setting_that_only_warns_leaves_the_refusal_of_the_server() {
    let claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "team-a"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com", "adminAccess": true}}]}},
    });
    let request = fixtures::admission(&json!({"object": claim}));
    let reasons = |rule: Value| -> Vec<Value> {
        let answer = crate::support::ask(&json!({
            "verb": "admit", "request": request, "settings": {"adminAccess": rule}, "namespaceLabels": {"team": "a"},
        }));
        assert_eq!(answer["response"]["accepted"], false, "{answer}");
        let findings = answer["findings"].as_array().unwrap().iter();
        let errors = findings.filter(|finding| finding["severity"] == "error");
        errors.map(|finding| finding["code"].clone()).collect()
    };
    let of_server = [json!("admin-access-forbidden")];
    assert_eq!(reasons(json!({"deny": true, "mode": "warn"})), of_server);
    let exempt = json!({"usernames": ["jane"]});
    assert_eq!(reasons(json!({"deny": true, "exempt": exempt})), of_server);
    // One reason is enough.
    let own = [json!("policy-admin-access")];
    assert_eq!(reasons(json!({"deny": true})), own);
}
