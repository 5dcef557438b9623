//! ValidatingAdmissionPolicies that people write, as `admit` evaluates them: beside the answers of a real kube-apiserver, and where
//! something that decides is not known.

use crate::support::{ask, recorded_lines};
use serde_json::{Value, json};

/// The release whose server was asked.
const RELEASE: &str = "1.37.2";

fn recorded() -> Vec<Value> {
    recorded_lines("cluster/validating-1.37.2.jsonl.gz")
}

fn list<'v>(items: impl IntoIterator<Item = &'v Value>) -> String {
    let items: Vec<&Value> = items.into_iter().collect();
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The request that the server made of a recorded one.
fn admission_request(line: &Value) -> Value {
    let object = &line["object"];
    let api_version = object["apiVersion"].as_str().unwrap();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = object["kind"].as_str().unwrap();
    let plural = if kind.ends_with('s') { "es" } else { "s" };
    let updates = !line["old"].is_null();
    json!({
        "uid": "1",
        "kind": { "group": group, "version": version, "kind": kind },
        "resource": { "group": group, "version": version, "resource": format!("{}{plural}", kind.to_lowercase()) },
        "name": object["metadata"]["name"],
        "namespace": object["metadata"]["namespace"].as_str().unwrap_or(""),
        "operation": if updates { "UPDATE" } else { "CREATE" },
        "userInfo": { "username": "admin", "groups": ["system:masters", "system:authenticated"] },
        "object": object,
        "oldObject": line["old"],
        "dryRun": true,
    })
}

/// What claimkit is asked about a recorded request.
fn question(line: &Value) -> Value {
    let namespace = line["object"]["metadata"]["namespace"].as_str();
    let mut labels = namespace.map(|name| line["namespaces"][name].clone());
    if let Some(labels) = labels.as_mut().filter(|labels| labels.is_null()) {
        *labels = json!({});
    }
    let mut question = json!({
        "verb": "admit",
        "release": RELEASE,
        "policies": list(items(&line["policies"]).chain(items(&line["params"]))),
        "request": admission_request(line),
    });
    if let Some(labels) = labels {
        question["namespaceLabels"] = labels;
    }
    question
}

/// A server's answer to a request, in the form of a ValidationResponse.
fn response(line: &Value) -> Value {
    let code = line["code"].as_u64().unwrap();
    let warnings: Vec<&Value> = items(&line["warnings"])
        .filter(|text| text.as_str().unwrap().contains("ValidatingAdmissionPolicy"))
        .collect();
    let mut response = json!({ "accepted": code < 300 });
    if code >= 300 {
        response["message"] = line["message"].clone();
        response["code"] = json!(code);
    }
    if !warnings.is_empty() {
        response["warnings"] = json!(warnings);
    }
    response
}

/// A policy without a binding decides nothing on a server; here it is judged all the same, and that is said.
fn is_unbound(line: &Value) -> bool {
    items(&line["policies"]).all(|object| object["kind"] == "ValidatingAdmissionPolicy")
}

#[test]
fn requests_are_answered_as_the_server_answers() {
    let lines = recorded();
    let asked = lines.iter().filter(|line| line["policy"].is_null());
    let mut compared = 0;
    for line in asked.filter(|line| !is_unbound(line)) {
        let answer = ask(&question(line));
        assert_eq!(
            answer["response"],
            response(line),
            "{}, {}: {answer}",
            line["case"],
            line["object"]["metadata"]["name"]
        );
        compared += 1;
    }
    assert!(compared > 55, "{compared}");
}

#[test]
fn policies_are_refused_as_the_server_refuses_them() {
    let mut compared = 0;
    for line in recorded() {
        if line["policy"].is_null() {
            continue;
        }
        let policies = line["policy"].to_string();
        let answer = ask(&json!({ "verb": "admit", "release": RELEASE, "policies": policies }));
        let name = &line["policy"]["metadata"]["name"];
        let said: Vec<&str> = items(&answer["findings"])
            .map(|finding| finding["message"].as_str().unwrap())
            .collect();
        assert!(!said.is_empty(), "{name}: {answer}");
        for text in said {
            let (of, detail) = text.split_once(": ").unwrap();
            assert_eq!(
                of,
                format!("ValidatingAdmissionPolicy '{}'", name.as_str().unwrap())
            );
            let message = line["message"].as_str().unwrap();
            assert!(message.contains(detail), "{name}\n{message}\n{detail}");
        }
        compared += 1;
    }
    assert!(compared > 12, "{compared}");
}

fn policy(spec: Value) -> Value {
    let mut spec = spec;
    if spec["matchConstraints"].is_null() {
        spec["matchConstraints"] = json!({ "resourceRules": [{
            "apiGroups": ["resource.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["resourceclaims"],
        }] });
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": { "name": "mine" }, "spec": spec,
    })
}

fn binding(spec: Value) -> Value {
    let mut spec = spec;
    spec["policyName"] = json!("mine");
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": { "name": "all" }, "spec": spec,
    })
}

const CLAIM: &str = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: team-a}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 3}}]}}
";

/// Asks about a claim; returns the results of the policies.
fn results(policies: &[Value], manifests: &str) -> Value {
    let answer =
        ask(&json!({ "verb": "admit", "policies": list(policies), "manifests": manifests }));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    assert_eq!(answer["findings"], json!([]), "{answer}");
    answer["judged"][0]["results"].clone()
}

#[test]
fn a_policy_without_a_binding_is_judged_and_that_is_said() {
    let own = policy(json!({ "validations": [{ "expression": "false", "message": "never" }] }));
    let results = results(&[own], CLAIM);
    assert_eq!(results[0]["result"], "fail");
    assert_eq!(
        results[0]["response"]["message"],
        "resourceclaims.resource.k8s.io \"one\" is forbidden: ValidatingAdmissionPolicy 'mine' denied request: never"
    );
    let note = results[0]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("no binding names it"), "{note}");
}

/// What decides and is not given is said to be unknown, and never taken for a yes or a no.
#[test]
fn what_is_not_known_is_said() {
    let asks = "authorizer.group('').resource('pods').namespace('a').check('create').allowed()";
    let kind = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
    let selects = json!({ "namespaceSelector": { "matchLabels": { "team": "a" } }, "resourceRules": [{
        "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"],
    }] });
    let never = json!([{ "expression": "false" }]);
    let deny = json!({ "validationActions": ["Deny"] });
    let reference = json!({
        "validationActions": ["Deny"],
        "paramRef": { "name": "limits", "parameterNotFoundAction": "Deny" },
    });
    for (spec, binding_spec, words) in [
        (
            json!({ "validations": [{ "expression": asks }] }),
            &deny,
            "authorizer",
        ),
        (
            json!({ "paramKind": kind, "validations": never }),
            &reference,
            "add the ConfigMap `limits`",
        ),
        (
            json!({ "matchConstraints": selects, "validations": never }),
            &deny,
            "labels of the namespace `team-a`",
        ),
        (
            json!({ "validations": [{ "expression": "namespaceObject.metadata.labels.team == 'a'" }] }),
            &deny,
            "labels of the namespace `team-a`",
        ),
    ] {
        let policies = [policy(spec), binding(binding_spec.clone())];
        let results = results(&policies, CLAIM);
        assert_eq!(results[0]["result"], "unknown", "{results}");
        assert_eq!(results[0]["response"], Value::Null, "{results}");
        let note = results[0]["notes"][0].as_str().unwrap();
        assert!(note.contains(words), "{note}");
    }
}

/// A message has no authorizer to ask: the server refuses its expression, which leaves nothing unknown.
#[test]
fn a_message_cannot_ask_the_authorizer() {
    let own = policy(json!({ "validations": [{
        "expression": "false",
        "messageExpression": "authorizer.group('').resource('pods').check('get').reason()",
    }] }));
    let answer = ask(&json!({ "verb": "admit", "policies": own.to_string() }));
    let said = answer["findings"][0]["message"]
        .as_str()
        .unwrap_or_default();
    assert!(
        said.contains("spec.validations[0].messageExpression: Invalid value")
            && said.contains("undeclared reference to 'authorizer'"),
        "{answer}"
    );
}

/// The user of the requests about manifests is in the group of everybody, whatever other groups are given; other operations than those of
/// a server are not taken.
#[test]
fn requests_about_manifests_are_those_of_a_server() {
    let own = policy(json!({ "validations": [{
        "expression": "'system:authenticated' in request.userInfo.groups && request.userInfo.groups.size() == 2",
    }] }));
    let request = json!({
        "verb": "admit", "policies": list([&own]), "manifests": CLAIM,
        "groups": ["team", "system:authenticated"],
    });
    let answer = ask(&request);
    assert_eq!(
        answer["judged"][0]["results"][0]["result"], "pass",
        "{answer}"
    );
    let mut wrong = request;
    wrong["operation"] = json!("create");
    let answer = ask(&wrong);
    let problem = answer["error"].as_str().unwrap_or_default();
    assert!(
        problem.contains("operation") && problem.contains("`CREATE`"),
        "{answer}"
    );
}

/// Parameters and Namespaces may be among the manifests.
#[test]
fn manifests_are_parameters_and_namespaces_too() {
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
        "validations": [{
            "expression": "object.spec.devices.requests.all(r, r.exactly.count <= int(params.data.most)) || namespaceObject.metadata.labels.team == 'b'",
            "messageExpression": "'at most ' + params.data.most",
        }],
    });
    let policies = [
        policy(spec),
        binding(
            json!({ "validationActions": ["Deny"], "paramRef": { "name": "limits", "parameterNotFoundAction": "Deny" } }),
        ),
    ];
    let limits = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: team-a}\ndata: {most: \"2\"}\n";
    let namespace = |team: &str| {
        format!(
            "---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: team-a, labels: {{team: {team}}}}}\n"
        )
    };
    let refused = results(&policies, &format!("{CLAIM}{limits}{}", namespace("a")));
    assert!(
        refused[0]["response"]["message"]
            .as_str()
            .unwrap()
            .ends_with("with binding 'all' denied request: at most 2"),
        "{refused}"
    );
    let accepted = results(&policies, &format!("{CLAIM}{limits}{}", namespace("b")));
    assert_eq!(accepted[0]["result"], "pass", "{accepted}");
}

/// A field that a policy cannot have is an error, as it is for the server, and not left out.
#[test]
fn misspelled_fields_are_refused() {
    let own = policy(json!({ "validation": [{ "expression": "false" }] }));
    let answer = ask(&json!({ "verb": "admit", "policies": own.to_string(), "manifests": CLAIM }));
    let message = answer["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("unknown field `validation`"), "{message}");
    let other = ask(&json!({ "verb": "admit", "policies": CLAIM, "manifests": CLAIM }));
    assert!(
        other["error"]
            .as_str()
            .unwrap()
            .contains("has no ValidatingAdmissionPolicy"),
        "{other}"
    );
}

/// What a manifest has of stored objects is an update; a given operation counts for all.
#[test]
fn operations_are_those_of_the_request() {
    let mut own = policy(json!({ "validations": [{
        "expression": "false", "messageExpression": "request.operation + ' ' + string(object == null) + ' ' + string(oldObject == null)",
    }] }));
    own["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["*"]);
    let message = |more: Value| {
        let mut request =
            json!({ "verb": "admit", "policies": own.to_string(), "manifests": CLAIM });
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        let answer = ask(&request);
        let message = answer["judged"][0]["response"]["message"].as_str();
        let message = message.unwrap_or_else(|| panic!("{answer}"));
        message.rsplit(": ").next().unwrap().to_owned()
    };
    assert_eq!(message(json!({})), "CREATE false true");
    assert_eq!(message(json!({ "old": CLAIM })), "UPDATE false false");
    assert_eq!(
        message(json!({ "operation": "DELETE" })),
        "DELETE true false"
    );
}

/// A claim without requests has `requests: null` on a server: what `policy --as vap` prints accepts it.
#[test]
fn printed_policies_accept_a_claim_without_requests() {
    let settings = json!({
        "deviceClasses": { "allow": ["gpu"] }, "limits": { "maxRequests": 1, "sums": [{ "of": "claim", "maxCount": 2 }] },
        "drivers": { "allow": ["gpu.example.com"] }, "adminAccess": { "deny": true }, "tolerations": { "deny": [{ "key": "*" }] },
    });
    let printed = ask(&json!({ "verb": "admit", "as": "vap", "settings": settings }));
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: one, namespace: a}, spec: {}}";
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: a}, spec: {spec: {devices: {}}}}";
    for manifest in [claim, template] {
        let answer = ask(&json!({
            "verb": "admit", "policies": printed["policies"], "manifests": manifest,
        }));
        let results = items(&answer["judged"][0]["results"]);
        let asked: Vec<&Value> = results
            .filter(|result| result["result"] != "skip")
            .collect();
        assert_eq!(asked.len(), 1, "{answer}");
        assert_eq!(asked[0]["result"], "pass", "{answer}");
    }
    let changed = ask(&json!({
        "verb": "admit", "as": "map", "settings": { "deviceClasses": { "allow": ["gpu"], "fallback": "gpu" } },
    }));
    let text = changed["policies"].as_str().unwrap();
    assert!(
        text.contains("object.spec.devices.requests != null"),
        "{text}"
    );
}

/// An error of an audit annotation refuses the request even where the binding only warns, unless the policy ignores errors; what does
/// not compile makes the policy invalid (validating/dispatcher.go, `Dispatch`).
#[test]
fn audit_annotations_that_fail_refuse() {
    let annotated = |expression: &str, failure: &str| {
        policy(json!({
            "failurePolicy": failure, "validations": [{ "expression": "true" }],
            "auditAnnotations": [{ "key": "k", "valueExpression": expression }],
        }))
    };
    let warns = binding(json!({ "validationActions": ["Warn"] }));
    let fails = "string(object.metadata.labels['nope'])";
    let result = |expression: &str, failure: &str| {
        results(&[annotated(expression, failure), warns.clone()], CLAIM)[0].clone()
    };
    let refused = result(fails, "Fail");
    assert_eq!(refused["result"], "fail", "{refused}");
    let message = refused["response"]["message"].as_str().unwrap();
    assert!(
        message.contains("with binding 'all' denied request: expression 'string(")
            && message.ends_with("resulted in error: no such key: labels"),
        "{message}"
    );
    assert_eq!(refused["response"]["warnings"], Value::Null, "{refused}");
    assert_eq!(result(fails, "Ignore")["result"], "pass");
    assert_eq!(
        result("'x' + object.metadata.name", "Fail")["result"],
        "pass"
    );
    assert_eq!(result("null", "Fail")["result"], "pass");
    for (expression, words) in [
        ("1 + ", "Syntax error"),
        (
            "1",
            "must evaluate to one of [string null_type] but got int",
        ),
    ] {
        let own = annotated(expression, "Fail");
        let answer = ask(&json!({ "verb": "admit", "policies": own.to_string() }));
        let said = answer["findings"][0]["message"]
            .as_str()
            .unwrap_or_default();
        assert!(
            said.contains("spec.auditAnnotations[0].valueExpression: Invalid value")
                && said.contains(words),
            "{answer}"
        );
    }
}

/// Labels that are given for every namespace say nothing of its annotations and its status, and less than a Namespace.
#[test]
fn a_given_namespace_says_more_than_given_labels() {
    let judged = |spec: Value, manifests: &str| {
        let policies = [
            policy(spec),
            binding(json!({ "validationActions": ["Deny"] })),
        ];
        let answer = ask(&json!({
            "verb": "admit", "policies": list(&policies), "manifests": manifests,
            "namespaceLabels": { "team": "a" },
        }));
        answer["judged"][0]["results"][0].clone()
    };
    for expression in [
        "!has(namespaceObject.metadata.annotations)",
        "namespaceObject.status.phase == 'Active'",
    ] {
        let unknown = judged(
            json!({ "validations": [{ "expression": expression }] }),
            CLAIM,
        );
        assert_eq!(unknown["result"], "unknown", "{unknown}");
        let note = unknown["notes"][0].as_str().unwrap();
        assert!(note.ends_with("add its Namespace"), "{note}");
    }
    let reads_labels = json!({ "validations": [{
        "expression": "namespaceObject.metadata.name == 'team-a' && namespaceObject.metadata.labels.team == 'a'",
    }] });
    assert_eq!(judged(reads_labels.clone(), CLAIM)["result"], "pass");
    let namespace =
        "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a, labels: {team: b}}\n";
    let refused = judged(reads_labels, &format!("{CLAIM}{namespace}"));
    assert_eq!(refused["result"], "fail", "{refused}");
}

/// The server's reasons against policies and bindings that are written wrongly (kube-apiserver,
/// pkg/apis/admissionregistration/validation, validation.go).
#[test]
fn what_a_server_refuses_about_policies_is_said() {
    let rule = |field: &str, value: Value| {
        let mut rule = json!({ "apiGroups": ["resource.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["resourceclaims"] });
        rule[field] = value;
        json!({ "matchConstraints": { "resourceRules": [rule] } })
    };
    let selector = |requirement: Value| {
        let mut spec = rule("scope", json!("*"));
        spec["matchConstraints"]["objectSelector"] = json!({ "matchExpressions": [requirement] });
        spec
    };
    for (more, reason) in [
        (
            json!({ "matchConstraints": { "resourceRules": [] } }),
            "spec.matchConstraints.resourceRules: Required value",
        ),
        (
            rule("operations", json!([])),
            "spec.matchConstraints.resourceRules[0].operations: Required value",
        ),
        (
            rule("operations", json!(["create"])),
            r#"spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "create": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE""#,
        ),
        (
            rule("operations", json!(["*", "CREATE"])),
            r#"spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations"#,
        ),
        (
            rule("resources", json!(["*", "resourceclaims"])),
            r#"spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","resourceclaims"]: if '*' is present, must not specify other resources without subresources"#,
        ),
        (
            rule("apiVersions", json!([])),
            "spec.matchConstraints.resourceRules[0].apiVersions: Required value",
        ),
        (
            selector(json!({ "key": "a", "operator": "In", "values": [] })),
            "spec.matchConstraints.objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            selector(json!({ "key": "a", "operator": "Exists", "values": ["b"] })),
            "spec.matchConstraints.objectSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            json!({ "matchConditions": [{ "name": "", "expression": "true" }] }),
            "spec.matchConditions[0].name: Required value",
        ),
        (
            json!({ "matchConditions": [{ "name": "a", "expression": "true" }, { "name": "a", "expression": "true" }] }),
            r#"spec.matchConditions[1].name: Duplicate value: "a""#,
        ),
        (
            json!({ "variables": [{ "name": "a-b", "expression": "1" }] }),
            r#"spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier"#,
        ),
        (
            json!({ "variables": [{ "name": "in", "expression": "1" }] }),
            r#"spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier"#,
        ),
        (
            json!({ "validations": [] }),
            "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
        ),
        (
            json!({ "validations": [{ "expression": "" }] }),
            "spec.validations[0].expression: Required value: expression is not specified",
        ),
        (
            json!({ "validations": [{ "expression": "true", "message": "a\nb" }] }),
            r#"spec.validations[0].message: Invalid value: "a\nb": must not contain line breaks"#,
        ),
        (
            json!({ "validations": [{ "expression": "true", "messageExpression": " " }] }),
            r#"spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified"#,
        ),
        (
            json!({ "auditAnnotations": [{ "key": "a/b", "valueExpression": "'a'" }] }),
            r#"spec.auditAnnotations[0].key: Invalid value: "mine/a/b": a qualified name must consist of"#,
        ),
    ] {
        let mut spec = json!({ "validations": [{ "expression": "true" }] });
        for (field, value) in more.as_object().unwrap() {
            spec[field] = value.clone();
        }
        refuses(&policy(spec), "ValidatingAdmissionPolicy 'mine'", reason);
    }
    let mut other = binding(json!({ "validationActions": ["Deny", "Warn"] }));
    let of_binding = "ValidatingAdmissionPolicyBinding 'all'";
    refuses(
        &other,
        of_binding,
        r#"spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn"#,
    );
    other["spec"] = json!({ "validationActions": ["Deny", "Deny"], "paramRef": { "name": "a" } });
    for reason in [
        "spec.policyName: Required value",
        r#"spec.validationActions[1]: Duplicate value: "Deny""#,
        "spec.paramRef.parameterNotFoundAction: Required value",
    ] {
        refuses(&other, of_binding, reason);
    }
}

/// Asks for the reasons against a policy or a binding, and looks for one.
fn refuses(object: &Value, named: &str, reason: &str) {
    let fine = policy(json!({ "validations": [{ "expression": "true" }] }));
    let answer = ask(&json!({ "verb": "admit", "policies": list([&fine, object]) }));
    let findings = items(&answer["findings"]);
    let said: Vec<&str> = findings
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    let wanted = format!("{named}: {reason}");
    assert!(
        said.iter().any(|text| text.starts_with(&wanted)),
        "{reason}: {said:?}"
    );
}

/// Parameters without a namespace in their reference are those of the object's namespace, and an object of the cluster has none
/// (generic/policy_dispatcher.go, `CollectParams`).
#[test]
fn parameters_are_those_of_the_namespace() {
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" }, "validations": [{ "expression": "params.data.most == '2'" }],
        "matchConstraints": { "resourceRules": [{
            "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["resourceclaims", "deviceclasses"],
        }] },
    });
    let reference = json!({ "name": "limits", "parameterNotFoundAction": "Deny" });
    let policies = list(&[
        policy(spec),
        binding(json!({ "validationActions": ["Deny"], "paramRef": reference })),
    ]);
    let limits = |namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: limits{namespace}}}\ndata: {{most: \"2\"}}\n"
        )
    };
    let result = |manifests: &str, namespace: &str| {
        let answer = ask(&json!({
            "verb": "admit", "policies": policies, "manifests": manifests, "namespace": namespace,
        }));
        answer["judged"][0]["results"][0].clone()
    };
    let of_default = format!("{CLAIM}{}", limits(""));
    assert_eq!(result(&of_default, "team-a")["result"], "pass");
    assert_eq!(result(&of_default, "team-b")["result"], "unknown");
    let of_other = format!("{CLAIM}{}", limits(", namespace: team-b"));
    assert_eq!(result(&of_other, "team-a")["result"], "unknown");
    let class =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n";
    let refused = result(&format!("{class}{}", limits("")), "team-a");
    assert_eq!(
        refused["response"]["message"],
        "deviceclasses.resource.k8s.io \"gpu\" is forbidden: ValidatingAdmissionPolicy 'mine' with binding 'all' denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    );
}

/// A policy sees the namespace that a manifest does not name, and is not asked about what a server cannot read.
#[test]
fn objects_are_shown_as_a_server_holds_them() {
    let own = policy(
        json!({ "validations": [{ "expression": "object.metadata.namespace == 'team-b' && request.namespace == 'team-b'" }] }),
    );
    let ask_about = |manifest: &str| {
        let answer = ask(&json!({
            "verb": "admit", "policies": own.to_string(), "manifests": manifest, "namespace": "team-b",
        }));
        answer["judged"][0]["results"][0].clone()
    };
    let without = CLAIM.replace(", namespace: team-a", "");
    assert_eq!(ask_about(&without)["result"], "pass");
    let unreadable = ask_about(&without.replace("count: 3", "count: \"3\""));
    assert_eq!(unreadable["result"], "unknown", "{unreadable}");
    let note = unreadable["notes"][0].as_str().unwrap();
    assert!(
        note.contains("cannot unmarshal string into Go struct field"),
        "{note}"
    );
}

/// That a policy is asked because of a version which no server serves by default is said.
#[test]
fn versions_that_are_off_by_default_are_said() {
    let rules = |version: &str| {
        let rule = json!({ "apiGroups": ["resource.k8s.io"], "apiVersions": [version], "operations": ["CREATE"], "resources": ["resourceclaims"] });
        policy(json!({
            "validations": [{ "expression": "false" }], "matchConstraints": { "resourceRules": [rule] },
        }))
    };
    let notes = |version: &str| {
        let notes = results(&[rules(version)], CLAIM)[0]["notes"].to_string();
        notes.contains("`--runtime-config`")
    };
    assert!(notes("v1beta1"));
    assert!(!notes("v1") && !notes("*"));
}

/// The printed policies of messages with line breaks and of expressions with comments are valid.
#[test]
fn printed_policies_have_messages_of_one_line_and_closed_expressions() {
    let settings = json!({
        "deviceClasses": { "allow": ["gpu"], "message": "ask the platform team\nfor another class\n" },
        "opaqueParameters": { "rules": [
            { "driver": "gpu.example.com", "expression": "has(parameters.a) // must be there", "message": "a" },
            { "driver": "tpu.example.com", "expression": "has(parameters.a) &&\n  parameters.a == 1" },
        ] },
    });
    let printed = ask(&json!({ "verb": "admit", "as": "vap", "settings": settings }));
    let answer = ask(&json!({ "verb": "admit", "policies": printed["policies"] }));
    assert_eq!(answer["findings"], json!([]), "{answer}");
    let refused = ask(&json!({
        "verb": "admit", "policies": printed["policies"], "manifests": CLAIM.replace("deviceClassName: gpu", "deviceClassName: tpu"),
    }));
    let message = refused["judged"][0]["response"]["message"]
        .as_str()
        .unwrap();
    assert!(
        message.contains("; ask the platform team for another class; request gpu"),
        "{message}"
    );
}

/// A request that a server has converted for whom it asks is judged in the version that the client wrote, and `null` is an absent field.
#[test]
fn converted_requests_are_judged_as_they_were_written() {
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "d"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "x"}}]}}});
    let kind = |version: &str| json!({"group": "resource.k8s.io", "version": version, "kind": "ResourceClaim"});
    let resource = |version: &str| json!({"group": "resource.k8s.io", "version": version, "resource": "resourceclaims"});
    let asked = |version: &str, policies: &Value| {
        ask(&json!({"verb": "admit", "policies": policies, "request": {
            "uid": "1", "kind": kind("v1"), "resource": resource("v1"), "requestKind": kind(version),
            "requestResource": resource(version), "subResource": null, "requestSubResource": null, "name": "c", "namespace": "d",
            "operation": "CREATE", "userInfo": {"username": "jane"}, "object": claim, "oldObject": null, "dryRun": null, "options": null}}))
    };
    let settings = json!({"apiVersions": {"deny": ["v1beta1"]}});
    let printed =
        ask(&json!({"verb": "admit", "as": "vap", "settings": settings}))["policies"].clone();
    for (version, accepted) in [("v1", true), ("v1beta1", false), ("v1beta2", true)] {
        let answer = asked(version, &printed);
        assert_eq!(
            answer["response"]["accepted"], accepted,
            "{version}: {answer}"
        );
    }
    // The rule names v1beta1: its policy gets the object as the client wrote it.
    let spec = json!({"matchConstraints": {"matchPolicy": "Exact", "resourceRules": [{"apiGroups": ["resource.k8s.io"],
            "apiVersions": ["v1beta1"], "operations": ["CREATE"], "resources": ["resourceclaims"]}]},
        "validations": [{"expression": "false", "messageExpression": "object.apiVersion + ' ' + object.spec.devices.requests[0].deviceClassName"}]});
    let policies = list([
        &policy(spec),
        &binding(json!({"validationActions": ["Deny"]})),
    ]);
    let answer = asked("v1beta1", &json!(policies));
    let message = answer["response"]["message"].as_str().unwrap_or_default();
    assert!(message.ends_with("resource.k8s.io/v1beta1 x"), "{answer}");
    let answer = asked("v1", &json!(policies));
    assert_eq!(answer["results"][0]["result"], "skip", "{answer}");
}
