//! List queries: label and field selectors, upstream's grammar and errors.

use claimkit::list_selectors::{fields, labels};
use serde_json::{Value, json};

fn ask(options: Value) -> Value {
    let text = "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: a, labels: {app: web, tier: '3'}}
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: b, namespace: other}
---
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: db}}
";
    let mut request = json!({"verb": "parse", "text": text});
    request
        .as_object_mut()
        .unwrap()
        .extend(options.as_object().unwrap().clone());
    crate::support::ask(&request)
}

#[test]
fn label_selectors_select() {
    let label = |key: &str| match key {
        "app" => Some("web"),
        "n" => Some("5"),
        "in" => Some(""),
        _ => None,
    };
    for (selector, holds) in [
        ("", true),
        (" ", true),
        ("app", true),
        ("!app", false),
        ("! x", true),
        ("app=web", true),
        ("app==web", true),
        ("app = db", false),
        ("app!=web", false),
        ("x!=web", true),
        ("app in (db, web)", true),
        ("app in (db,)", false),
        ("app notin (db)", true),
        ("x notin (db)", true),
        ("x in ()", false),
        ("in in ()", true),
        ("in=", true),
        ("app=web,n>4", true),
        ("n>5", false),
        ("n<6,app", true),
        ("app>1", false),
        ("x=", false),
        ("app in(web)", true),
        ("notin", false),
    ] {
        assert_eq!(
            labels::parse(selector).unwrap().matches(label),
            holds,
            "{selector}"
        );
    }
}

#[test]
fn label_selectors_that_cannot_be_read() {
    for (selector, error) in [
        (
            "app web",
            "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt",
        ),
        ("app,", "found '', expected: identifier after ','"),
        (
            "=web",
            "found '=', expected: !, identifier, or 'end of string'",
        ),
        (
            "app in web",
            "unable to parse requirement: found 'web' expected: '('",
        ),
        (
            "app in (web",
            "unable to parse requirement: found '', expected: ',' or ')'",
        ),
        (
            "app in (web x)",
            "unable to parse requirement: found 'x', expected: ',' or ')'",
        ),
        (
            "app in (=)",
            "unable to parse requirement: found '=', expected: ',', ')' or identifier",
        ),
        (
            "app=(",
            "unable to parse requirement: found '(', expected: identifier",
        ),
        (
            "!",
            "unable to parse requirement: found '', expected: identifier",
        ),
        ("app=a=b", "found '=', expected: ',' or 'end of string'"),
        (
            "n>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (
            "app=-",
            "unable to parse requirement: values[0][app]: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
        (
            "a/",
            "unable to parse requirement: <nil>: Invalid value: \"a/\": name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
    ] {
        assert_eq!(labels::parse(selector), Err(error.to_owned()), "{selector}");
    }
}

#[test]
fn field_selectors_select() {
    let field = |name: &str| match name {
        "metadata.name" => "a,b",
        _ => "",
    };
    for (selector, holds) in [
        ("", true),
        (",", true),
        (r"metadata.name=a\,b", true),
        (r"metadata.name==a\,b", true),
        (r"metadata.name!=a\,b", false),
        ("metadata.name!=x,metadata.namespace=", true),
        ("metadata.name=x", false),
    ] {
        assert_eq!(
            fields::parse(selector).unwrap().matches(field),
            holds,
            "{selector}"
        );
    }
    for (selector, error) in [
        (
            "metadata.name",
            "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
        ),
        ("a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"),
        (
            "a=b=c",
            "invalid field selector: unescaped character in value: 61",
        ),
        (
            r"a=\x",
            r"invalid field selector: invalid escape sequence: \x",
        ),
    ] {
        assert_eq!(fields::parse(selector), Err(error.to_owned()), "{selector}");
    }
}

#[test]
fn queries_say_which_objects_they_select() {
    let selected = |options: Value| {
        let answer = ask(options);
        answer["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| object["selected"].as_bool())
            .collect::<Vec<_>>()
    };
    assert_eq!(selected(json!({})), [None, None, None]);
    assert_eq!(
        selected(json!({"labelSelector": "app"})),
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!(
        selected(json!({"labelSelector": "tier>2"})),
        [Some(true), Some(false), Some(false)]
    );
    assert_eq!(
        selected(json!({"fieldSelector": "metadata.namespace=default"})),
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!(
        selected(json!({"fieldSelector": "metadata.namespace=x", "namespace": "x"})),
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!(
        selected(json!({"fieldSelector": "metadata.name=b", "labelSelector": "!app"})),
        [Some(false), Some(true), Some(false)]
    );

    let wrong = ask(json!({"labelSelector": "="}));
    assert_eq!(
        (&wrong["ok"], &wrong["findings"][1]["code"]),
        (&json!(false), &json!("label-selector-invalid"))
    );
    let wrong = ask(json!({"fieldSelector": "spec.x=1"}));
    assert_eq!(
        wrong["findings"][1]["message"],
        "\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
    let slice = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceSlice\nmetadata: {name: s}\nnodeName: n-1\ndriverName: d\n";
    let of_slice = |selector: &str| {
        let request = json!({"verb": "parse", "text": slice, "fieldSelector": selector});
        let answer = crate::support::ask(&request);
        answer["objects"][0]["selected"]
            .as_bool()
            .map_or(answer["findings"][0]["message"].clone(), Value::Bool)
    };
    assert_eq!(of_slice("nodeName=n-1,driverName!=e"), true);
    assert_eq!(of_slice("nodeName=m"), false);
    assert_eq!(
        of_slice("metadata.namespace=x"),
        "field label not supported for resource.k8s.io/v1alpha2, Kind=ResourceSlice: metadata.namespace"
    );
}

#[test]
fn slices_are_selected_by_the_fields_of_their_version() {
    let slice = |version: &str, spec: &str| {
        format!(
            "apiVersion: resource.k8s.io/{version}\nkind: ResourceSlice\nmetadata: {{name: s}}\n{spec}\n"
        )
    };
    let of_node = "spec: {driver: d.example.com, nodeName: a, pool: {name: p, generation: 1, resourceSliceCount: 1}}";
    let classic =
        "nodeName: a\ndriverName: d.example.com\nnamedResources: {instances: [{name: i}]}";
    for (version, spec, release, field, selected) in [
        ("v1", of_node, "1.37", "spec.nodeName=a", Some(true)),
        (
            "v1",
            of_node,
            "1.37",
            "spec.driver!=d.example.com",
            Some(false),
        ),
        ("v1", of_node, "1.37", "spec.pool.name=p", Some(true)),
        ("v1", of_node, "1.36", "spec.pool.name=p", None),
        ("v1", of_node, "1.37", "nodeName=a", None),
        ("v1beta1", of_node, "1.34", "spec.nodeName=b", Some(false)),
        ("v1alpha2", classic, "1.30", "nodeName=a", Some(true)),
        ("v1alpha2", classic, "1.30", "spec.nodeName=a", None),
    ] {
        let request = json!({"verb": "parse", "text": slice(version, spec), "release": release, "fieldSelector": field});
        let answer = crate::support::ask(&request);
        assert_eq!(
            answer["objects"][0]["selected"].as_bool(),
            selected,
            "{version} {release} {field}: {answer}"
        );
        let refused = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == "field-selector-invalid");
        assert_eq!(refused, selected.is_none(), "{version} {release} {field}");
    }
}
