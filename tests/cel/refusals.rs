//! Whole field errors of objects with one selector, as `validate` answers them.

use serde_json::{Value, json};

use super::lines::recorded;

/// The messages of kube-apiserver about an object; about an update that changes nothing if `stored`.
fn errors(object: &Value, release: &str, stored: bool) -> Vec<String> {
    let mut request = json!({"verb": "validate", "text": object.to_string(), "release": release, "via": "validator"});
    if stored {
        request["operation"] = json!("update");
        request["old"] = request["text"].clone();
    }
    let answer = crate::support::ask(&request);
    let findings = answer["findings"].as_array().unwrap().iter();
    let refusals = findings
        .filter(|finding| finding["origin"] == "kube-apiserver" && finding["severity"] == "error");
    refusals
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

fn check(line: &Value, wanted: &Value, object: &Value, release: &str, wrong: &mut Vec<String>) {
    let stored = line["env"] == "stored";
    let found = errors(object, release, stored);
    let wanted: Vec<&str> = wanted
        .as_str()
        .into_iter()
        .filter(|error| !error.is_empty())
        .collect();
    if found != wanted {
        wrong.push(format!(
            "{release} {}\nfound  {found:?}\nwanted {wanted:?}",
            line["expr"]
        ));
    }
}

#[test]
fn of_device_requests() {
    let mut wrong = Vec::new();
    let lines = recorded("validation");
    assert_eq!(lines.len(), 186);
    for line in &lines {
        let release = line["release"].as_str().unwrap();
        let selectors = json!([{"cel": {"expression": line["expr"]}}]);
        let (version, request) = match release.get(..4).unwrap() {
            "1.31" => (
                "v1alpha3",
                json!({"name": "r", "deviceClassName": "c", "selectors": selectors}),
            ),
            "1.32" => (
                "v1beta1",
                json!({"name": "r", "deviceClassName": "c", "selectors": selectors}),
            ),
            "1.33" => (
                "v1beta2",
                json!({"name": "r", "exactly": {"deviceClassName": "c", "selectors": selectors}}),
            ),
            _ => (
                "v1",
                json!({"name": "r", "exactly": {"deviceClassName": "c", "selectors": selectors}}),
            ),
        };
        let claim = json!({
            "apiVersion": format!("resource.k8s.io/{version}"), "kind": "ResourceClaim", "metadata": {"name": "a", "namespace": "b"},
            "spec": {"devices": {"requests": [request]}},
        });
        check(line, &line["error"], &claim, release, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        lines.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn of_named_resources() {
    let mut wrong = Vec::new();
    let lines = recorded("named-1.30");
    let (mut refused, mut compared) = (0, 0);
    for line in &lines {
        // Recorded of the compiler alone, or an answer with an address of cel-go's memory.
        let unknown = line["expr"] == "optional.none().optMap(x, x).hasValue()";
        if unknown || line.get("compileError").is_some() && line.get("validation").is_none() {
            continue;
        }
        compared += 1;
        refused += usize::from(line.get("validation").is_some());
        let parameters = json!({
            "apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClaimParameters",
            "metadata": {"name": "a", "namespace": "b", "resourceVersion": if line["env"] == "stored" { "1" } else { "" }},
            "driverRequests": [{"driverName": "d", "requests": [{"namedResources": {"selector": line["expr"]}}]}],
        });
        check(line, &line["validation"], &parameters, "1.30", &mut wrong);
    }
    assert_eq!((compared, refused), (779, 363));
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}
