//! The settings in the forms of other engines: Kyverno's policies and those that change objects. tests/oracle/policies.mjs applies
//! policies of an API server to a real one.

use super::{fixtures, root};
use crate::support::plain::plain;
use claimkit::policy::vap::{self, PolicyForm};
use claimkit::policy::{Settings, cluster, schema};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The documents that settings are printed as.
fn printed(settings: &Value, form: PolicyForm) -> Vec<Value> {
    let text = settings.to_string();
    let (tree, root_of_settings) = cluster::parse(&text).unwrap();
    let read = Settings::read(&tree, Some(root_of_settings)).unwrap();
    let yaml = vap::yaml(&read, "p", form).yaml;
    let documents = yaml.split("---\n").skip(1);
    documents.map(|text| plain(text, root())).collect()
}

/// The settings of every sample, and one whose setting has exemptions of its own.
fn settings() -> Vec<Value> {
    let files = std::fs::read_dir(root().join("pkg/policy/samples")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort();
    let mut all: Vec<Value> = names.iter().map(|name| fixtures::sample(name)).collect();
    all.push(json!({"pods": {"templates": {"allow": ["gpu-*"]}, "exempt": {"groups": ["sre"]}}, "drivers": {"deny": ["a"]}}));
    all
}

/// A ValidatingPolicy of Kyverno has what a ValidatingAdmissionPolicy has, without a binding and with fields of its own (kyverno/api,
/// policies.kyverno.io/v1beta1, validating_policy.go). Kyverno must make no policies for workloads of those for pods, because there
/// are some already, and a background scan, which has no user, must not ask for one.
#[test]
fn policies_of_kyverno_check_the_same() {
    let mut compared = 0;
    for settings in settings() {
        let of_server = printed(&settings, PolicyForm::Validating);
        let policies = of_server
            .iter()
            .filter(|one| one["kind"] == "ValidatingAdmissionPolicy");
        let of_kyverno = printed(&settings, PolicyForm::Kyverno);
        assert_eq!(policies.clone().count(), of_kyverno.len(), "{settings}");
        for (expected, given) in policies.zip(&of_kyverno) {
            assert_eq!(given["apiVersion"], "policies.kyverno.io/v1", "{given}");
            assert_eq!(given["kind"], "ValidatingPolicy", "{given}");
            assert_eq!(given["metadata"], expected["metadata"], "{given}");
            let mut spec = given["spec"].clone();
            let fields = spec.as_object_mut().unwrap();
            let own = ["validationActions", "autogen", "evaluation"];
            let [actions, autogen, evaluation] = own.map(|field| fields.remove(field));
            assert_eq!(&spec, &expected["spec"], "{given}");
            let binding = of_server.iter().find(|one| {
                one["kind"] == "ValidatingAdmissionPolicyBinding"
                    && one["metadata"]["name"] == given["metadata"]["name"]
            });
            let of_binding = binding.map(|one| &one["spec"]["validationActions"]);
            assert_eq!(actions.as_ref(), of_binding, "{given}");
            let nothing = json!({"podControllers": {"controllers": []}});
            assert_eq!(autogen, Some(nothing), "{given}");
            let scan = json!({"background": {"enabled": false}});
            let names_users = given.to_string().contains("request.userInfo");
            assert_eq!(evaluation, names_users.then_some(scan), "{given}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared} policies");
}

/// Collects what an object has that a schema of a CustomResourceDefinition does not allow.
fn misfits(value: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    let is_type = match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        other => panic!("{path}: the type {other}"),
    };
    let length = value.as_str().map(|text| text.chars().count() as u64);
    let bounds = [
        schema["enum"]
            .as_array()
            .is_none_or(|words| words.contains(value)),
        schema["minLength"]
            .as_u64()
            .is_none_or(|least| length >= Some(least)),
        schema["maxLength"]
            .as_u64()
            .is_none_or(|most| length <= Some(most)),
    ];
    if !is_type || bounds.contains(&false) {
        found.push(format!("{path}: {value} is not {schema}"));
        return;
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            found.push(format!("{path}: {name} is missing"));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let own = &schema["properties"][name];
        let others = &schema["additionalProperties"];
        match (own.is_object(), others.is_object()) {
            (true, _) => misfits(field, own, &path, found),
            (false, true) => misfits(field, others, &path, found),
            // The fields of metadata are the server's.
            (false, false) if path.starts_with(".metadata.") => {}
            (false, false) => found.push(format!("{path} is unknown")),
        }
    }
    let mut keys = BTreeSet::new();
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        misfits(item, &schema["items"], &format!("{path}[{at}]"), found);
        for key in schema["x-kubernetes-list-map-keys"]
            .as_array()
            .into_iter()
            .flatten()
        {
            if !keys.insert(item[key.as_str().unwrap()].to_string()) {
                found.push(format!("{path}[{at}]: the same {key} again"));
            }
        }
    }
}

/// An API server takes the policies of Kyverno: they are as its CustomResourceDefinition says.
#[test]
fn policies_of_kyverno_meet_its_schema() {
    let read = |file: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(root().join(file)).unwrap()).unwrap()
    };
    let schema = read("tests/vectors/kyverno/validatingpolicies-v1.json");
    let cases = read("tests/oracle/policies.json");
    let asked = cases.as_array().unwrap().iter();
    let mut all = settings();
    all.extend(asked.map(|case| case["settings"].clone()));
    let mut compared = 0;
    for settings in all {
        for policy in printed(&settings, PolicyForm::Kyverno) {
            let mut found = Vec::new();
            misfits(&policy, &schema["schema"], "", &mut found);
            assert!(found.is_empty(), "{found:?}\n{policy}");
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared} policies");
    let mut found = Vec::new();
    let wrong = json!({"kind": "ValidatingPolicy", "spec": {"validations": [{"message": "a"}], "validationActions": ["Stop"], "x": 1}});
    misfits(&wrong, &schema["schema"], "", &mut found);
    assert!(found.len() >= 3, "{found:?}");
}

/// The settings that judge allocations in the module but not in CEL say so at the top.
#[test]
fn settings_about_allocations_say_what_is_not_held() {
    let settings = json!({
        "adminAccess": {"deny": true},
        "tolerations": {"deny": [{"key": "*"}]},
        "opaqueParameters": {"namespaces": [{"names": ["a"], "deny": ["*"]}]},
        "drivers": {"deny": ["a"]},
    });
    let text = settings.to_string();
    let (tree, root_of_settings) = cluster::parse(&text).unwrap();
    let read = Settings::read(&tree, Some(root_of_settings)).unwrap();
    for form in [PolicyForm::Validating, PolicyForm::Kyverno] {
        let yaml = vap::yaml(&read, "p", form).yaml;
        for (setting, of_allocations) in [
            ("adminAccess", true),
            ("tolerations", true),
            ("opaqueParameters", true),
            ("drivers", false),
        ] {
            let line = format!(
                "# - {setting}: of allocations is not seen: only claims and templates are judged\n"
            );
            assert_eq!(yaml.contains(&line), of_allocations, "{setting}: {yaml}");
        }
    }
}

/// Who is exempt from a setting gets nothing put in place by it, and a request for all devices has no number of them.
#[test]
fn policies_that_change_objects_leave_out_who_is_exempt() {
    let settings = json!({
        "deviceClasses": {"allow": ["a"], "fallback": "a", "exempt": {"groups": ["sre"]}},
        "allocationModes": {"allow": ["All"], "fallback": "All", "exempt": {"namespaces": ["free"]}},
    });
    let documents = printed(&settings, PolicyForm::Mutating);
    let policies = documents
        .iter()
        .filter(|one| one["kind"] == "MutatingAdmissionPolicy");
    assert_eq!((policies.clone().count(), documents.len()), (4, 8));
    for policy in policies {
        // A server refuses a request that is converted for a policy.
        assert_eq!(policy["spec"]["matchConstraints"]["matchPolicy"], "Exact");
        let is_flat = policy["metadata"]["name"]
            .as_str()
            .unwrap()
            .ends_with("-v1beta1");
        let rule = &policy["spec"]["matchConstraints"]["resourceRules"][0];
        assert_eq!(rule["apiVersions"] == json!(["v1beta1"]), is_flat, "{rule}");
        let expression = &policy["spec"]["mutations"][0]["jsonPatch"]["expression"];
        let patches: Vec<&str> = expression.as_str().unwrap().split(" + [0, ").collect();
        assert_eq!(patches[0].contains("/exactly/"), !is_flat, "{expression}");
        // A request, or one of eight alternatives.
        for (field, exempt, value) in [
            (
                "deviceClassName",
                "!(has(request.userInfo.groups)",
                "value: ",
            ),
            (
                "allocationMode",
                "!(has(request.namespace)",
                "value: \"All\"}",
            ),
            ("count", "!(has(request.namespace)", "value: 0}"),
        ] {
            let end = format!("/{field}\"");
            let of_field: Vec<&&str> = patches.iter().filter(|one| one.contains(&end)).collect();
            assert_eq!(of_field.len(), 9, "{field}: {expression}");
            let fine = |patch: &&&str| patch.contains(exempt) && patch.contains(value);
            assert!(of_field.iter().all(fine), "{field}: {expression}");
        }
    }
}

/// Settings that have no form but the policy's own, with what is below them.
const WITHOUT_A_FORM: [&str; 11] = [
    // The API server validates by its own rules.
    "validation",
    "release",
    "gates",
    // Of versions that no server has which evaluates policies.
    "resourceClasses",
    "parametersRef",
    "suitableNodes",
    "shareable",
    "allocationModes.default",
    // CEL cannot evaluate them, or cannot ask.
    "availableOnNodes",
    "apiVersions.denyDeprecated",
    "cluster",
];

/// The paths of all keys below a schema.
fn keys_of_schema(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        let path = joined(path, name);
        keys_of_schema(value, &path, found);
        found.insert(path);
    }
    if schema["items"].is_object() {
        keys_of_schema(&schema["items"], &format!("{path}[]"), found);
    }
}

/// The paths of all keys of settings.
fn keys_of(settings: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, value) in settings.as_object().into_iter().flatten() {
        let path = joined(path, name);
        keys_of(value, &path, found);
        found.insert(path);
    }
    for item in settings.as_array().into_iter().flatten() {
        keys_of(item, &format!("{path}[]"), found);
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Returns true for a key that every setting has: who is exempt, the mode and the message are asked about once.
fn is_of_every_setting(path: &str) -> bool {
    path.contains(".exempt") || path.ends_with(".mode") || path.ends_with(".message")
}

/// The request that a case of the oracle sends, as `admit` of the contract.
fn asked(case: &Value, one: &Value) -> Value {
    let object = &one["object"];
    let api_version = object["apiVersion"].as_str().unwrap();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = json!({"group": group, "version": version, "kind": object["kind"]});
    let is_status = one["subresource"].as_str().unwrap_or_default();
    let operation = if one["old"].is_object() {
        "UPDATE"
    } else {
        "CREATE"
    };
    let name = object["kind"].as_str().unwrap().to_lowercase();
    let plural = if name.ends_with('s') { "es" } else { "s" };
    let resource =
        json!({"group": group, "version": version, "resource": format!("{name}{plural}")});
    let request = json!({"uid": "1", "kind": kind, "requestKind": kind, "resource": resource, "name": object["metadata"]["name"],
        "namespace": object["metadata"]["namespace"], "operation": operation, "subResource": is_status,
        "userInfo": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
        "object": object, "oldObject": one["old"]});
    let mut settings = case["settings"].clone();
    settings["validation"] = json!("off");
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
    let labels = case["namespaces"].get(namespace).cloned();
    json!({"verb": "admit", "request": request, "settings": settings, "namespaceLabels": labels.unwrap_or_else(|| json!({}))})
}

/// A real server is asked about every setting that has a form of its own there (tests/oracle/policies.mjs): at least 60 objects that are
/// judged, and 60 that are changed or left as they are; each setting accepts one and refuses one.
#[test]
fn a_server_is_asked_about_every_setting() {
    let text = std::fs::read_to_string(root().join("tests/oracle/policies.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut used = BTreeSet::new();
    let mut verdicts: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    let (mut judged, mut offered, mut changed) = (0, 0, 0);
    for case in &cases {
        let objects = case["objects"].as_array().unwrap();
        if objects.is_empty() {
            continue;
        }
        keys_of(&case["settings"], "", &mut used);
        let settings = case["settings"].to_string();
        let changes = settings.contains("\"fallback\"") || settings.contains("\"default\"");
        for one in objects {
            let answer = crate::support::ask(&asked(case, one));
            let response = &answer["response"];
            let rules = response["audit_annotations"]["rule"].as_str();
            let rules: Vec<&str> = rules
                .into_iter()
                .flat_map(|rules| rules.split(','))
                .collect();
            for setting in case["settings"].as_object().unwrap().keys() {
                let accepts = !rules.contains(&setting.as_str());
                verdicts.entry(setting.clone()).or_default().insert(accepts);
            }
            judged += 1;
            offered += usize::from(changes);
            changed += usize::from(response["mutated_object"].is_object());
        }
    }
    let mut keys = BTreeSet::new();
    keys_of_schema(&schema::schema(), "", &mut keys);
    let has_form = |path: &&String| {
        let mut others = WITHOUT_A_FORM.iter();
        !others.any(|other| *path == other || path.starts_with(&format!("{other}.")))
            && !is_of_every_setting(path)
    };
    let missing: Vec<&String> = keys
        .iter()
        .filter(has_form)
        .filter(|path| !used.contains(*path))
        .collect();
    assert!(missing.is_empty(), "no object is asked about {missing:?}");
    for end in [
        ".mode",
        ".message",
        ".exempt.usernames",
        ".exempt.groups",
        ".exempt.namespaces",
    ] {
        assert!(used.iter().any(|path| path.ends_with(end)), "{end}");
    }
    for (setting, verdicts) in &verdicts {
        if !matches!(setting.as_str(), "mode" | "exempt") {
            assert_eq!(verdicts.len(), 2, "{setting}: {verdicts:?}");
        }
    }
    assert!(judged >= 200, "{judged} objects are judged");
    assert!(
        offered >= 60 && changed >= 50,
        "{changed} of {offered} objects are changed"
    );
}

/// The printed policies, as `admit` evaluates them, refuse what the policy refuses, for a setting that both name, and accept the rest.
#[test]
fn printed_policies_judge_as_the_policy_does() {
    let text = std::fs::read_to_string(root().join("tests/oracle/policies.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let (mut refused, mut updates) = (0, 0);
    for case in &cases {
        let print = json!({"verb": "admit", "settings": case["settings"], "as": "vap"});
        let policies = crate::support::ask(&print)["policies"].clone();
        for one in case["objects"].as_array().unwrap() {
            let question = asked(case, one);
            let own = crate::support::ask(&question)["response"].clone();
            if own["mutated_object"].is_object() {
                continue;
            }
            let of_server = json!({"verb": "admit", "policies": policies, "request": question["request"],
                "namespaceLabels": question["namespaceLabels"]});
            let answer = crate::support::ask(&of_server);
            let response = &answer["response"];
            let what = format!("{}: {}: {own} {response}", case["name"], one["name"]);
            assert_eq!(own["accepted"], response["accepted"], "{what}");
            updates += usize::from(one["old"].is_object());
            if own["accepted"] == true {
                continue;
            }
            refused += 1;
            let message = response["message"].as_str().unwrap();
            let rules = own["audit_annotations"]["rule"].as_str().unwrap();
            // A rule for parameters that cannot be evaluated on them refuses them, too.
            let is_error = rules == "opaqueParameters" && message.contains("resulted in error");
            let mut rules = rules.split(',');
            let names_rule = rules.any(|rule| message.contains(&format!(": {rule}: ")));
            assert!(names_rule || is_error, "{what}");
        }
    }
    assert!(refused >= 80, "{refused} objects are refused");
    assert!(updates >= 25, "{updates} updates");
}

/// A reason says how much is accepted, of what, and what asks for more.
#[test]
fn reasons_of_printed_policies_say_what_is_accepted() {
    let class = "deviceclass.resource.kubernetes.io/";
    let claim = |ask: Value| {
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "d"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": ask}]}}})
    };
    let pod = |amounts: Value| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"},
            "spec": {"containers": [{"name": "a", "resources": {"limits": {"cpu": "1"}}},
                {"name": "b", "resources": {"limits": amounts, "requests": amounts}}]}})
    };
    let by_class =
        json!({"limits": {"maxCount": 8, "classes": [{"names": ["x", "y*"], "maxCount": 2}]}});
    let of_resource = format!("{class}x");
    for (settings, object, reason) in [
        (
            json!({"limits": {"maxCount": 8}}),
            claim(json!({"deviceClassName": "x", "count": 9})),
            "limits: the policy accepts at most 8 devices of a class in a request; request r for 9 of x",
        ),
        (
            by_class.clone(),
            claim(json!({"deviceClassName": "x", "count": 9})),
            "limits: the policy accepts at most so many devices of a class in a request: 2 for x, y*, 8 for other classes; request r for 9 of x",
        ),
        (
            by_class,
            pod(json!({of_resource: "3", "cpu": "1", "example.com/a": "5"})),
            "limits: the policy accepts at most so many devices of a class in a container: 2 for x, y*, 8 for other classes; 3 of x",
        ),
        (
            json!({"limits": {"maxCapacity": {"cores": "8", "memory": "40Gi"}}}),
            claim(json!({"deviceClassName": "x", "capacity": {"requests": {"memory": "41Gi"}}})),
            "limits: the policy accepts at most so much capacity in a request: 8 of cores and 40Gi of memory; request r for 1 of x",
        ),
        (
            json!({"tolerations": {"deny": [{"key": "a/*", "effect": "NoExecute"}, {"key": "b"}]}}),
            claim(json!({"deviceClassName": "x", "tolerations": [{"operator": "Exists"}]})),
            "tolerations: the policy does not accept tolerations of these taints: a/*:NoExecute, b; request r for 1 of x",
        ),
    ] {
        let print = json!({"verb": "admit", "settings": settings, "as": "vap"});
        let policies = crate::support::ask(&print)["policies"].clone();
        let request = asked(
            &json!({"settings": settings, "namespaces": {}}),
            &json!({"object": object}),
        )["request"]
            .clone();
        let answer = crate::support::ask(
            &json!({"verb": "admit", "policies": policies, "request": request}),
        );
        let message = answer["response"]["message"].as_str().unwrap_or_default();
        assert!(message.ends_with(reason), "{settings}: {answer}");
    }
}

/// The answer of the policy to a request, and that of its printed policies.
fn both_accept(settings: &Value, object: &Value, release: &str) -> [bool; 2] {
    let case = json!({"settings": settings, "namespaces": {}});
    let mut question = asked(&case, &json!({"object": object}));
    let own = crate::support::ask(&question);
    let print = json!({"verb": "admit", "settings": settings, "as": "vap"});
    let printed = crate::support::ask(&print);
    let fields = question.as_object_mut().unwrap();
    fields.remove("settings");
    fields.insert("policies".to_owned(), printed["policies"].clone());
    fields.insert("release".to_owned(), json!(release));
    let of_server = crate::support::ask(&question);
    let accepted = |answer: &Value| answer["response"]["accepted"] != false;
    [accepted(&own), accepted(&of_server)]
}

/// Fields and kinds that only some releases have: the class of a taint rule, the controller of a claim, requests about pools.
#[test]
fn printed_policies_judge_what_only_some_releases_have() {
    let rule = |selector: Value| {
        json!({"apiVersion": "resource.k8s.io/v1alpha3", "kind": "DeviceTaintRule", "metadata": {"name": "r"},
            "spec": {"deviceSelector": selector, "taint": {"key": "example.com/k", "effect": "NoExecute"}}})
    };
    let claim = |controller: &str| {
        json!({"apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "team-a"},
            "spec": {"controller": controller}})
    };
    let pools = |driver: &str| {
        json!({"apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourcePoolStatusRequest", "metadata": {"name": "p"},
            "spec": {"driver": driver}})
    };
    let selects = json!({"release": "1.34", "deviceTaintRules": {"selectorRequired": "NoExecute"}});
    let classes = json!({"deviceClasses": {"deny": ["evil.*"]}});
    let drivers = json!({"drivers": {"deny": ["evil.*"]}});
    for (settings, object, release, expected) in [
        (
            &selects,
            rule(json!({"deviceClassName": "a"})),
            "1.34",
            true,
        ),
        (&selects, rule(json!({})), "1.34", false),
        (
            &classes,
            rule(json!({"deviceClassName": "a"})),
            "1.34",
            true,
        ),
        (
            &classes,
            rule(json!({"deviceClassName": "evil.io"})),
            "1.34",
            false,
        ),
        (&drivers, claim("a.io"), "1.31", true),
        (&drivers, claim("evil.io"), "1.31", false),
        (&drivers, pools("a.io"), "1.36", true),
        (&drivers, pools("evil.io"), "1.36", false),
    ] {
        let answers = both_accept(settings, &object, release);
        assert_eq!(answers, [expected; 2], "{settings} {object}");
    }
}

/// Kyverno gives an empty map for the stored object where there is none, an API server `null`: only the operation is the same. Its
/// command knows nothing of a namespace that its files do not name.
#[test]
fn printed_policies_ask_only_for_what_every_engine_has() {
    let labels = "has(namespaceObject.metadata.labels)";
    let guarded = format!("has(namespaceObject.metadata) && {labels}");
    let mut found = 0;
    for settings in settings() {
        for form in [PolicyForm::Validating, PolicyForm::Kyverno] {
            for document in printed(&settings, form) {
                let text = document.to_string();
                assert!(!text.contains("oldObject !="), "{document}");
                let times = text.matches(labels).count();
                assert_eq!(times, text.matches(&guarded).count(), "{document}");
                found += times;
            }
        }
    }
    assert!(found >= 4, "{found} times");
}
