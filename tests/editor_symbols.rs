//! The verb `symbols`: parts and names of texts, also of texts that do not parse, and objects beside a text.

use serde_json::{Value, json};

fn answer(request: &Value) -> Value {
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    assert_eq!(answer.get("error"), None, "{answer}");
    answer
}

fn symbols(text: &str) -> Value {
    answer(&json!({"verb": "symbols", "text": text}))
}

/// The names as `kind name of namespace line:character`, with `=` where the name is defined.
fn names(text: &str) -> Vec<String> {
    let answer = symbols(text);
    let names = answer["names"].as_array().unwrap().iter().map(|name| {
        let word = |key: &str| name[key].as_str().unwrap();
        let (start, end) = (&name["range"]["start"], &name["range"]["end"]);
        let at = |place: &Value| usize::try_from(place["byteOffset"].as_u64().unwrap()).unwrap();
        assert_eq!(&text[at(start)..at(end)], word("name"));
        let mark = if name["definition"] == true { "=" } else { "" };
        format!(
            "{mark}{} {} {} {} {}:{}",
            word("kind"),
            word("name"),
            word("of"),
            word("namespace"),
            start["line"],
            start["character"]
        )
    });
    names.collect()
}

/// The symbols as `kind name detail`, indented by their depth.
fn shape(symbols: &Value, depth: usize, out: &mut Vec<String>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let word = |key: &str| symbol[key].as_str().unwrap();
        let line = format!(
            "{}{} {} {}",
            "  ".repeat(depth),
            word("kind"),
            word("name"),
            word("detail")
        );
        out.push(line.trim_end().to_owned());
        shape(&symbol["children"], depth + 1, out);
    }
}

const CLAIM: &str = "# é😀\r
apiVersion: resource.k8s.io/v1\r
kind: ResourceClaim\r
metadata: {name: \"c\", namespace: ns}\r
spec:\r
  devices:\r
    requests:\r
    - name: gpu\r
      firstAvailable:\r
      - name: big\r
        deviceClassName: 'large'\r
        selectors:\r
        - cel: {expression: \"device.driver == 'd'\"}\r
      - {name: small, deviceClassName: little}\r
    constraints:\r
    - requests: [gpu/big, \"gpu\"]\r
      matchAttribute: d/numa\r
    config:\r
    - requests:\r
      - gpu/small\r
      opaque: {driver: d.example.com, parameters: {}}\r
status:\r
  allocation:\r
    devices:\r
      results:\r
      - {request: gpu/big, driver: d, pool: p, device: x}\r
";

#[test]
fn names_of_a_claim_with_their_places() {
    let of = "ResourceClaim/c";
    let expected = [
        "=resourceClaim c  ns 3:18".to_owned(),
        format!("=request gpu {of} ns 7:12"),
        format!("=alternative big {of}/gpu ns 9:14"),
        "deviceClass large   10:26".to_owned(),
        format!("=alternative small {of}/gpu ns 13:15"),
        "deviceClass little   13:39".to_owned(),
        format!("request gpu {of} ns 15:17"),
        format!("alternative big {of}/gpu ns 15:21"),
        format!("request gpu {of} ns 15:27"),
        "driver d.example.com   20:23".to_owned(),
        format!("request gpu {of} ns 19:8"),
        format!("alternative small {of}/gpu ns 19:12"),
        format!("request gpu {of} ns 25:18"),
        format!("alternative big {of}/gpu ns 25:22"),
        "driver d   25:35".to_owned(),
        "pool p d  25:44".to_owned(),
        "device x d/p  25:55".to_owned(),
    ];
    assert_eq!(names(CLAIM), expected);
    let mut parts = Vec::new();
    shape(&symbols(CLAIM)["symbols"], 0, &mut parts);
    assert_eq!(
        parts,
        [
            "object c ResourceClaim",
            "  request gpu",
            "    alternative big large",
            "      selector  device.driver == 'd'",
            "    alternative small little",
            "  constraint  d/numa"
        ]
    );
    assert_eq!(
        symbols(CLAIM)["selectors"][0]["expression"],
        "device.driver == 'd'"
    );
}

#[test]
fn json_and_lists_have_the_same_names() {
    let object = r#"{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "a"}, "spec": {}}"#;
    assert_eq!(names(object), ["=deviceClass a   0:82"]);
    let list =
        format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{object}, {object}]}}");
    assert_eq!(names(&list).len(), 2);
    let of_kind = "apiVersion: resource.k8s.io/v1\nkind: DeviceClassList\nitems:\n- metadata: {name: a}\n- metadata:\n    name: b\n";
    assert_eq!(
        names(of_kind),
        ["=deviceClass a   3:19", "=deviceClass b   5:10"]
    );
}

#[test]
fn slices_taint_rules_and_workloads() {
    let text = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  sharedCounters: [{name: set, counters: {}}]
  devices:
  - name: one
    consumesCounters: [{counterSet: set, counters: {}}]
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec: {deviceSelector: {deviceClassName: c, driver: d, pool: p, device: one}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: w, namespace: ns}
spec:
  template:
    spec:
      resourceClaims:
      - name: entry
        source: {resourceClaimName: c}
      initContainers:
      - resources: {claims: [{name: entry, request: r}, {name: other, request: r}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
";
    let expected = [
        "=driver d   4:10",
        "=pool p d  5:15",
        "=counterSet set d/p  6:26",
        "=device one d/p  8:10",
        "counterSet set d/p  9:36",
        "deviceClass c   14:41",
        "driver d   14:52",
        "pool p d  14:61",
        "device one d/p  14:72",
        "=podClaim entry Deployment/w ns 23:14",
        "resourceClaim c  ns 24:36",
        "podClaim entry Deployment/w ns 26:36",
        "request r ResourceClaim/c ns 26:52",
        "podClaim other Deployment/w ns 26:63",
    ];
    assert_eq!(names(text), expected);
}

#[test]
fn every_cut_of_a_text_has_symbols() {
    for (at, _) in CLAIM.char_indices() {
        let text = &CLAIM[..at];
        names(text);
        let whole = text.len();
        for symbol in symbols(text)["symbols"].as_array().unwrap() {
            let (range, name) = (&symbol["range"], &symbol["nameRange"]);
            assert!(
                range["start"]["byteOffset"].as_u64() <= name["start"]["byteOffset"].as_u64(),
                "{symbol}"
            );
            assert!(
                name["end"]["byteOffset"].as_u64() <= range["end"]["byteOffset"].as_u64(),
                "{symbol}"
            );
            assert!(
                range["end"]["byteOffset"].as_u64() <= u64::try_from(whole).ok(),
                "{symbol}"
            );
        }
    }
}

fn found(text: &str, beside: &[&str]) -> Vec<String> {
    let answer = answer(&json!({"verb": "validate", "text": text, "beside": beside}));
    assert!(answer["objects"].as_array().unwrap().len() <= 1, "{answer}");
    answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn objects_beside_a_text_are_known_and_not_judged() {
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: ns}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: klass}}]}}\n";
    let class = |name: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: {name}}}\nspec: {{}}\n"
        )
    };
    let broken = "kind: [\n";
    let refused =
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: A_}\nspec: {}\n";
    assert_eq!(found(claim, &[]), [""; 0]);
    assert_eq!(found(claim, &[&class("klas")]), ["class-not-in-input"]);
    // A text that cannot be read hides nothing in the others, and their own errors are not reported here.
    assert_eq!(
        found(claim, &[broken, refused, &class("klas")]),
        ["class-not-in-input"]
    );
    assert_eq!(
        found(claim, &[broken, &class("klas"), &class("klass"), refused]),
        [""; 0]
    );
    // The same object in another file is no second one.
    assert_eq!(found(claim, &[claim]), [""; 0]);
    // Errors in the text itself stay.
    assert_eq!(found(refused, &[claim])[0], "name-invalid");
    assert_eq!(found(broken, &[claim]), ["yaml-syntax"]);
}
