//! kubectl's own errors, in the words of kubectl 1.32.4 with a server that has the release's kinds, and the server's errors
//! before decoding.

use crate::support::ask;
use serde_json::{Value, json};

fn validate(text: &str, options: Value) -> Value {
    let mut request = json!({"verb": "validate", "release": "1.32", "text": text});
    request
        .as_object_mut()
        .unwrap()
        .extend(options.as_object().unwrap().clone());
    ask(&request)
}

/// Origin and message of the first error, and the code and message of the status of the first object.
fn refusal(answer: &Value) -> (&str, &str, Option<(u64, &str)>) {
    let error = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["severity"] == "error");
    let error = error.unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(answer["objects"][0]["valid"], false, "{answer}");
    let status = &answer["objects"][0]["status"];
    let status = status["code"]
        .as_u64()
        .map(|code| (code, status["message"].as_str().unwrap()));
    (
        error["origin"].as_str().unwrap(),
        error["message"].as_str().unwrap(),
        status,
    )
}

fn object(api_version: &str, kind: &str, metadata: &str) -> String {
    format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n")
}

#[test]
fn kinds_that_the_server_does_not_have_are_not_sent() {
    for (text, message) in [
        (
            object("resource.k8s.io/v1alpha2", "ResourceClaim", "{name: a}"),
            "resource mapping not found for name: \"a\" namespace: \"\": no matches for kind \"ResourceClaim\" in version \"resource.k8s.io/v1alpha2\"\nensure CRDs are installed first",
        ),
        (
            object("resource.k8s.io/v1beta1", "ResourceClam", "{name: \"b\\\"q\\u200b\", namespace: ns}"),
            "resource mapping not found for name: \"b\\\"q\\u200b\" namespace: \"ns\": no matches for kind \"ResourceClam\" in version \"resource.k8s.io/v1beta1\"\nensure CRDs are installed first",
        ),
        (
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: resource.k8s.io/v1beta3, kind: ResourceClaim, metadata: {name: c}}\n".to_owned(),
            "unable to recognize no matches for kind \"ResourceClaim\" in version \"resource.k8s.io/v1beta3\"",
        ),
    ] {
        // The message does not contain the requested namespace.
        for options in [json!({}), json!({"namespace": "team"})] {
            let answer = validate(&text, options);
            assert_eq!(refusal(&answer), ("kubectl", message, None), "{answer}");
        }
    }
    // An object that is sent unchanged gets the server's message.
    let text = object("resource.k8s.io/v1alpha2", "ResourceClaim", "{name: a}");
    let answer = validate(&text, json!({"via": "server"}));
    let (origin, message, status) = refusal(&answer);
    assert_eq!((origin, status.unwrap().0), ("kube-apiserver", 400));
    assert!(
        message.starts_with("no kind \"ResourceClaim\" is registered for version"),
        "{message}"
    );
}

#[test]
fn kubectl_knows_kinds_in_small_letters_and_lists() {
    let answer = validate(
        &object("resource.k8s.io/v1beta1", "resourceclaim", "{name: a}"),
        json!({}),
    );
    let (origin, _, status) = refusal(&answer);
    let (code, message) = status.unwrap();
    assert_eq!((origin, code), ("kube-apiserver", 400));
    let start = "resourceclaim in version \"v1beta1\" cannot be handled as a ResourceClaim: no kind \"resourceclaim\" is registered for version";
    assert!(message.starts_with(start), "{message}");

    let answer = validate(
        &object("resource.k8s.io/v1beta1", "ResourceClaimList", "{}"),
        json!({}),
    );
    let message = "the server could not find the requested resource (post resourceclaimlists.resource.k8s.io)";
    assert_eq!(refusal(&answer), ("kubectl", message, None));
}

/// The handler's changes to metadata before validation: kube-apiserver 1.26 to 1.36,
/// apiserver/pkg/endpoints/handlers/rest.go, `dedupOwnerReferencesAndAddWarning`; apimachinery,
/// pkg/util/managedfields/internal/managedfields.go, `decodeManagedFields`.
#[test]
fn owners_count_once_and_unreadable_managers_not_at_all() {
    let owner = "{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}";
    let metadata = format!(
        "{{name: a, ownerReferences: [{owner}, {owner}, {{apiVersion: v1, kind: Pod, name: q, uid: w}}]}}"
    );
    let text = object("resource.k8s.io/v1beta1", "ResourceClaim", &metadata);
    let answer = validate(&text, json!({}));
    let warning = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u";
    let finding = &answer["findings"][0];
    assert_eq!(
        (&finding["message"], &finding["code"]),
        (&json!(warning), &json!("server-warning")),
        "{answer}"
    );
    assert_eq!(answer["ok"], true, "{answer}");
    let answer = validate(&text, json!({"via": "server"}));
    assert_eq!(
        (&answer["findings"][0]["message"], &answer["ok"]),
        (&json!(warning), &json!(true)),
        "{answer}"
    );
    // The handler leaves two controllers as they are.
    let answer = validate(&text, json!({"via": "validator"}));
    assert!(
        refusal(&answer)
            .1
            .contains("Only one reference can have Controller"),
        "{answer}"
    );

    let read = "apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {\"f:spec\": {\"f:x\": {}}}";
    let long = "m".repeat(129);
    for (entry, refused) in [
        ("operation: Foo, manager: x".to_owned(), false),
        (format!("operation: Update, manager: {long}"), false),
        (
            format!("operation: Update, manager: {long}, {read}").replace("f:x", "x"),
            false,
        ),
        (format!("operation: Update, manager: {long}, {read}"), true),
    ] {
        let text = object(
            "resource.k8s.io/v1beta1",
            "ResourceClaim",
            &format!("{{name: a, managedFields: [{{{entry}}}]}}"),
        );
        let answer = validate(&text, json!({}));
        assert_eq!(answer["ok"], !refused, "{entry}: {answer}");
        let dropped = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == "server-owned-dropped");
        assert_eq!(dropped, !refused, "{entry}: {answer}");
        assert_eq!(
            validate(&text, json!({"via": "server"}))["ok"],
            !refused,
            "{entry}"
        );
        let behind = validate(&text, json!({"via": "validator"}))["ok"].clone();
        assert!(behind == false || entry.contains("{\"x\""), "{entry}");
    }
}

#[test]
fn objects_of_another_namespace_are_not_sent() {
    let claim = object(
        "resource.k8s.io/v1beta1",
        "ResourceClaim",
        "{name: a, namespace: 'o\"o'}",
    );
    let answer = validate(&claim, json!({"namespace": "te\"am"}));
    let message = "the namespace from the provided object \"o\\\"o\" does not match the namespace \"te\\\"am\". You must pass '--namespace=o\"o' to perform this operation.";
    assert_eq!(refusal(&answer), ("kubectl", message, None));
    let answer = validate(&claim, json!({"namespace": "te\"am", "via": "server"}));
    let message =
        "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!(
        refusal(&answer),
        ("kube-apiserver", message, Some((400, message)))
    );
    // kubectl removes the namespace of cluster-scoped objects.
    let class = object(
        "resource.k8s.io/v1beta1",
        "DeviceClass",
        "{name: a, namespace: other}",
    );
    let answer = validate(&class, json!({"namespace": "team"}));
    assert_eq!(answer["objects"][0]["valid"], true, "{answer}");
}

/// kubectl sends `{"apiVersion":…}` without blanks, keys sorted, markup escaped, the namespace filled in, and a line end.
#[test]
fn bodies_of_more_than_three_mebibytes_are_not_read() {
    const LIMIT: usize = 3 << 20;
    let too_large = |text: &str, options: Value| {
        let answer = validate(text, options);
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == "request-too-large")
    };
    // Bodies as kubectl sent them, without the letters.
    for (metadata, namespace, bare) in [
        ("{name: c, annotations: {a: \"(x)\"}}", "default", 143),
        (
            "{name: c, annotations: {a: \"(x)\"}, namespace: team}",
            "team",
            140,
        ),
        (
            "{name: c, annotations: {a: \"(x)<&>\\u2028\"}}",
            "default",
            143 + 24,
        ),
    ] {
        for (more, refused) in [(0, false), (1, true)] {
            let claim = object("resource.k8s.io/v1beta1", "ResourceClaim", metadata) + "spec: {}\n";
            let letters = "x".repeat(LIMIT - bare + more);
            let claim = claim.replace("(x)", &letters);
            assert_eq!(
                too_large(&claim, json!({"namespace": namespace})),
                refused,
                "{metadata}, {more} more"
            );
            assert!(!too_large(
                &claim,
                json!({"namespace": namespace, "via": "validator"})
            ));
        }
    }
    // A small text with a large body.
    let many = |times: usize| {
        let uses = (0..times)
            .map(|at| format!("    b{at}: *a\n"))
            .collect::<String>();
        let text = "x".repeat(100_000);
        format!(
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata:\n  name: c\n  annotations:\n    a: &a {text}\n{uses}"
        )
    };
    assert!(!too_large(&many(30), json!({})));
    assert!(too_large(&many(31), json!({})));

    let text = many(40);
    let answer = validate(&text, json!({}));
    let message = "Request entity too large: limit is 3145728";
    assert_eq!(
        refusal(&answer),
        ("kube-apiserver", message, Some((413, message)))
    );
    assert_eq!(
        answer["objects"][0]["status"]["reason"],
        "RequestEntityTooLarge"
    );
}

#[test]
fn markup_in_parameters_is_as_long_as_kubectl_sends_it() {
    // kube-apiserver 1.37.2 accepts the first and the third, through kubectl 1.37.2: `<` is sent as `\u003c`.
    for (signs, length, accepted) in [
        ("x", 10240, true),
        ("x", 10241, false),
        ("<", 10235, true),
        ("<", 10236, false),
    ] {
        let parameters = json!({"a": format!("{signs}{}", "x".repeat(length - 9))});
        let text = object("resource.k8s.io/v1", "ResourceClaim", "{name: c}")
            + &format!(
                "spec: {{devices: {{config: [{{opaque: {{driver: d.example.com, parameters: {parameters}}}}}]}}}}\n"
            );
        assert_eq!(parameters.to_string().len(), length);
        assert_eq!(
            validate(&text, json!({"release": "1.37"}))["ok"],
            accepted,
            "{signs} {length}"
        );
    }
}
