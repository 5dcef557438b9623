//! Completion at the position marked `▮`, in texts as they look while somebody types.

use serde_json::{Value, json};

fn ask(marked: &str, release: Option<&str>) -> (String, Vec<Value>) {
    let offset = marked.find('▮').expect("a cursor");
    let text = marked.replacen('▮', "", 1);
    let mut request = json!({"verb": "complete", "text": text, "position": {"byteOffset": offset}});
    if let Some(release) = release {
        request["release"] = json!(release);
    }
    let answer: Value = serde_json::from_str(&claimkit::requests::answer_with(
        &request.to_string(),
        claimkit::editor::locale::sentences,
    ))
    .unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    (text, answer["items"].as_array().unwrap().clone())
}

fn labels(marked: &str) -> Vec<String> {
    ask(marked, None)
        .1
        .iter()
        .map(|item| item["label"].as_str().unwrap().to_owned())
        .collect()
}

/// The text after accepting the completion with a label.
fn taken(marked: &str, label: &str) -> String {
    let (text, items) = ask(marked, None);
    let item = items
        .iter()
        .find(|item| item["label"] == label)
        .unwrap_or_else(|| panic!("no {label} in {items:#?}"));
    let at =
        |end: &str| usize::try_from(item["range"][end]["byteOffset"].as_u64().unwrap()).unwrap();
    format!(
        "{}{}{}",
        &text[..at("start")],
        item["insertText"].as_str().unwrap(),
        &text[at("end")..]
    )
}

const CLAIM: &str =
    "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: c\n";

#[test]
fn keys_that_are_not_there_yet_with_the_required_ones_first() {
    assert_eq!(
        labels(&format!("{CLAIM}spec:\n  ▮\n")),
        ["resourceClassName", "parametersRef", "allocationMode"]
    );
    assert_eq!(
        labels(&format!("{CLAIM}spec:\n  resourceClassName: x\n  ▮\n")),
        ["parametersRef", "allocationMode"]
    );
    assert_eq!(
        labels(&format!("{CLAIM}spec:\n  ▮\n  resourceClassName: x\n")),
        ["parametersRef", "allocationMode"]
    );
    assert_eq!(labels(&format!("{CLAIM}▮")), ["spec", "status"]);
    assert_eq!(
        labels(&format!("{CLAIM}▮spec:\n  resourceClassName: x\n")),
        ["spec", "status"]
    );
}

#[test]
fn half_typed_keys_are_replaced() {
    assert_eq!(
        taken(&format!("{CLAIM}spec:\n  reso▮\n"), "resourceClassName"),
        format!("{CLAIM}spec:\n  resourceClassName: \n")
    );
    assert_eq!(
        taken(
            &format!("{CLAIM}spec:\n  reso▮\n  allocationMode: Immediate\n"),
            "resourceClassName"
        ),
        format!("{CLAIM}spec:\n  resourceClassName: \n  allocationMode: Immediate\n")
    );
    // The colon and the value already exist.
    assert_eq!(
        taken(
            &format!("{CLAIM}spec:\n  res▮ourceclass: x\n"),
            "resourceClassName"
        ),
        format!("{CLAIM}spec:\n  resourceClassName: x\n")
    );
}

#[test]
fn what_is_required_below_comes_along_at_the_right_depth() {
    assert_eq!(
        taken(&format!("{CLAIM}▮"), "spec"),
        format!("{CLAIM}spec:\n  resourceClassName: ")
    );
    assert_eq!(
        taken(
            &format!("{CLAIM}spec:\n    resourceClassName: x\n    para▮\n"),
            "parametersRef"
        ),
        format!(
            "{CLAIM}spec:\n    resourceClassName: x\n    parametersRef:\n      kind: \n      name: \n"
        )
    );
    let class = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: c\ndriverName: d\n";
    assert_eq!(
        taken(&format!("{class}▮"), "suitableNodes"),
        format!("{class}suitableNodes:\n  nodeSelectorTerms:\n    - ")
    );
    // The text writes lists in the column of their key.
    let style = format!(
        "{class}parametersRef:\n  kind: a\n  name: b\nsuitableNodes:\n  nodeSelectorTerms:\n  - matchFields:\n    ▮"
    );
    assert_eq!(
        taken(&style, "- key"),
        format!("{}- key: ", style.trim_end_matches('▮'))
    );
    let template =
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata:\n  name: t\n";
    assert_eq!(
        taken(&format!("{template}sp▮"), "spec"),
        format!("{template}spec:\n  spec:\n    resourceClassName: ")
    );
    assert_eq!(
        taken(&format!("{template}spec:\n  m▮"), "metadata"),
        format!("{template}spec:\n  metadata:\n    ")
    );
    assert_eq!(
        labels(&format!("{template}spec:\n  metadata:\n    ▮")),
        ["labels", "annotations"]
    );
}

/// What a key holds can begin on the line of the key: it comes on the lines below.
#[test]
fn objects_and_lists_begin_behind_their_key() {
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n";
    let devices = "\n    requests:\n      - name: \n";
    assert_eq!(labels(&format!("{claim}spec: ▮\n")), ["devices"]);
    assert_eq!(
        taken(&format!("{claim}spec:▮\n"), "devices"),
        format!("{claim}spec:\n  devices:\n    \n")
    );
    assert_eq!(
        taken(&format!("{claim}spec:\n  devices: ▮\n"), "requests"),
        format!("{claim}spec:\n  devices: {devices}")
    );
    let requests = format!("{claim}spec:\n  devices:\n    requests: ");
    assert_eq!(
        labels(&format!("{requests}▮\n")),
        ["- name", "- exactly", "- firstAvailable"]
    );
    assert_eq!(
        taken(&format!("{requests}▮\n"), "- name"),
        format!("{requests}\n      - name: \n")
    );
    assert_eq!(
        labels(&format!("{requests}\n    - name: r\n      exactly: ▮\n"))[..2],
        ["deviceClassName", "selectors"]
    );
    assert_eq!(labels("{▮}"), ["apiVersion", "kind", "metadata"]);
}

#[test]
fn snippets_have_tab_stops() {
    let (_, items) = ask(&format!("{CLAIM}spec:\n  ▮"), None);
    assert_eq!(
        items[1]["snippet"],
        "parametersRef:\n    kind: ${1}\n    name: ${2}"
    );
}

#[test]
fn values_of_enums_and_booleans() {
    assert_eq!(
        labels(&format!("{CLAIM}spec:\n  allocationMode: ▮\n")),
        ["WaitForFirstConsumer", "Immediate"]
    );
    assert_eq!(
        taken(
            &format!("{CLAIM}spec:\n  allocationMode: Imm▮ # later\n"),
            "Immediate"
        ),
        format!("{CLAIM}spec:\n  allocationMode: Immediate # later\n")
    );
    assert_eq!(
        taken(&format!("{CLAIM}spec:\n  allocationMode:▮\n"), "Immediate"),
        format!("{CLAIM}spec:\n  allocationMode: Immediate\n")
    );
    assert_eq!(
        taken(
            &format!("{CLAIM}spec:\n  allocationMode: \"▮\"\n"),
            "Immediate"
        ),
        format!("{CLAIM}spec:\n  allocationMode: \"Immediate\"\n")
    );
    assert_eq!(
        labels(&format!("{CLAIM}status:\n  deallocationRequested: ▮\n")),
        ["true", "false"]
    );
    assert_eq!(
        labels(&format!("{CLAIM}spec:\n  resourceClassName: ▮\n")),
        Vec::<String>::new()
    );
}

#[test]
fn node_selectors() {
    let class = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: c\ndriverName: d\nsuitableNodes:\n  nodeSelectorTerms:\n";
    assert_eq!(
        labels(&format!("{class}  - ▮\n")),
        ["matchExpressions", "matchFields"]
    );
    assert_eq!(
        labels(&format!(
            "{class}  - matchExpressions:\n    - key: a\n      ▮\n"
        )),
        ["operator", "values"]
    );
    assert_eq!(
        labels(&format!(
            "{class}  - matchExpressions:\n    - key: a\n      operator: ▮\n"
        )),
        ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    );
    assert_eq!(
        labels(&format!("{class}  - matchFields:\n    - operator: ▮\n")),
        ["In", "NotIn"]
    );
    assert_eq!(
        labels(&format!("{class}  - matchFields:\n    - key: ▮\n")),
        ["metadata.name"]
    );
    assert_eq!(
        labels(&format!(
            "{class}  - matchExpressions:\n    - {{key: a, ▮}}\n"
        )),
        ["operator", "values"]
    );
    assert_eq!(
        labels(&format!(
            "{class}  - matchExpressions: [{{key: a, operator: ▮\n"
        )),
        ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    );
}

#[test]
fn kinds_and_versions_fit_each_other() {
    assert_eq!(
        labels("apiVersion: ▮\nkind: PodScheduling\n"),
        ["resource.k8s.io/v1alpha1"]
    );
    let versions = [
        "v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1",
    ]
    .map(|version| format!("resource.k8s.io/{version}"));
    assert_eq!(labels("apiVersion: ▮\n"), versions);
    assert_eq!(
        labels("apiVersion: resource.k8s.io/v1alpha1\nkind: ▮\n"),
        [
            "ResourceClaim",
            "ResourceClass",
            "ResourceClaimTemplate",
            "PodScheduling"
        ]
    );
    let asked = |release| {
        let (_, items) = ask(
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ▮",
            Some(release),
        );
        items
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(asked("1.30").contains(&"ResourceSlice".to_owned()));
    assert!(!asked("1.29").contains(&"ResourceSlice".to_owned()));
    assert!(asked("1.26").is_empty());
}

#[test]
fn whole_objects_in_an_empty_document() {
    for text in ["▮", "# claims\n▮", "a: 1\n---\n▮\n", "Resou▮"] {
        let (_, items) = ask(text, None);
        let snippet = items
            .iter()
            .find(|item| item["label"] == "ResourceClaim" && item["kind"] == "snippet");
        let snippet = snippet.unwrap_or_else(|| panic!("{text}: {items:#?}"));
        assert_eq!(
            snippet["insertText"],
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: \nspec:\n  "
        );
    }
    assert_eq!(
        labels("kind: ResourceClaim\n▮")[..2],
        ["apiVersion", "metadata"]
    );
}

#[test]
fn json() {
    let head = r#"{"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClaim", "metadata": {"name": "c"}, "#;
    assert_eq!(
        labels(&format!("{head}\"spec\": {{▮}}}}")),
        ["resourceClassName", "parametersRef", "allocationMode"]
    );
    assert_eq!(
        taken(
            &format!("{head}\"spec\": {{\"res▮\"}}}}"),
            "resourceClassName"
        ),
        format!("{head}\"spec\": {{\"resourceClassName\": \"\"}}}}")
    );
    assert_eq!(
        taken(&format!("{head}\"spec\": {{\"res▮"), "resourceClassName"),
        format!("{head}\"spec\": {{\"resourceClassName\": \"\"")
    );
    assert_eq!(
        taken(
            &format!("{head}\"spec\": {{\"allocationMode\": ▮}}}}"),
            "Immediate"
        ),
        format!("{head}\"spec\": {{\"allocationMode\": \"Immediate\"}}}}")
    );
    assert_eq!(
        taken(
            &format!("{head}\"spec\": {{\"allocationMode\": \"Imm▮\"}}}}"),
            "Immediate"
        ),
        format!("{head}\"spec\": {{\"allocationMode\": \"Immediate\"}}}}")
    );
    assert_eq!(labels(&format!("{head}▮}}")), ["spec", "status"]);
}

#[test]
fn commas_inside_brackets() {
    let head = r#"{"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClass", "#;
    assert_eq!(
        taken(
            &format!("{head}▮\"driverName\": \"d\"}}"),
            "structuredParameters"
        ),
        format!("{head}\"structuredParameters\": , \"driverName\": \"d\"}}")
    );
    assert_eq!(
        taken(
            &format!("{head}\"driverName\": \"d\" ▮}}"),
            "structuredParameters"
        ),
        format!("{head}\"driverName\": \"d\" , \"structuredParameters\": }}")
    );
    assert_eq!(
        taken(
            &format!("{head}\n  ▮\n  \"driverName\": \"d\"}}"),
            "metadata"
        ),
        format!("{head}\n  \"metadata\": {{}},\n  \"driverName\": \"d\"}}")
    );
}

#[test]
fn keys_begun_behind_a_dash() {
    let reserved = format!("{CLAIM}status:\n  reservedFor:\n  - name: a\n  - u▮\n");
    assert_eq!(taken(&reserved, "uid"), reserved.replace("u▮", "uid: "));
    assert_eq!(
        labels("apiVersion: v1\nkind: List\nitems:\n- api▮")[..2],
        ["apiVersion", "kind"]
    );
    assert_eq!(
        taken(
            "apiVersion: v1\nkind: List\nitems:\n- Resource▮",
            "ResourceClaim"
        ),
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n  metadata:\n    name: \n  spec:\n    "
    );
}

/// Editors put the cursor below the dash after the line of the dash.
#[test]
fn the_item_above_goes_on_below_its_dash() {
    let request = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: c\nspec:\n  devices:\n    requests:\n    - name: gpu\n    ▮\n";
    assert_eq!(
        labels(request),
        [
            "constraints",
            "config",
            "exactly",
            "firstAvailable",
            "- name",
            "- exactly",
            "- firstAvailable"
        ]
    );
    let text = taken(request, "exactly");
    assert!(
        text.ends_with("    - name: gpu\n      exactly:\n        deviceClassName: \n"),
        "{text}"
    );
    // Between items, behind a block of the item, and half typed.
    let between = request.replace("    ▮\n", "    ex▮\n    - name: nic\n");
    assert!(
        taken(&between, "exactly")
            .contains("gpu\n      exactly:\n        deviceClassName: \n    - name: nic")
    );
    let below = request.replace("    ▮", "      exactly:\n        count: 2\n    ▮");
    assert!(!labels(&below).contains(&"exactly".to_owned()));
    assert!(taken(&below, "firstAvailable").contains("count: 2\n      firstAvailable:"));
    // What is written below the place stays what it is.
    let deeper = request.replace("    ▮\n", "    ▮\n      exactly: {count: 2}\n");
    assert!(!labels(&deeper).contains(&"firstAvailable".to_owned()));
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n  - name: gpu\n  ▮\n";
    assert!(
        taken(pod, "resourceClaimName").ends_with("  - name: gpu\n    resourceClaimName: \n"),
        "{}",
        taken(pod, "resourceClaimName")
    );
}

#[test]
fn items_of_lists_are_objects() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1alpha1\n  kind: PodScheduling\n  spec:\n    ▮\n";
    assert_eq!(labels(list), ["selectedNode", "potentialNodes"]);
    let typed = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimList\nitems:\n- metadata:\n    name: a\n  spec:\n    ▮\n";
    assert_eq!(labels(typed)[0], "resourceClassName");
}

#[test]
fn the_second_document_and_another_group() {
    assert_eq!(
        labels(&format!(
            "kind: Pod\napiVersion: v1\nspec: {{\n---\n{CLAIM}spec:\n  ▮"
        )),
        ["resourceClassName", "parametersRef", "allocationMode"]
    );
    assert_eq!(
        labels("apiVersion: v1\nkind: Pod\nspec:\n  ▮"),
        Vec::<String>::new()
    );
}

#[test]
fn nothing_in_comments_texts_and_free_values() {
    for text in [
        format!("{CLAIM}spec: # ▮\n"),
        format!("{CLAIM}  annotations:\n    a: |\n      spec▮\n"),
        format!("{CLAIM}  annotations:\n    ▮\n"),
        format!("{CLAIM}spec:\n  resourceClassName: x ▮\n"),
        format!("{CLAIM}spec:\n  resourceClassName: x\n     ▮\n"),
    ] {
        assert_eq!(labels(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn sentences_come_in_the_language_asked_for() {
    let request = |locale: &str| {
        let text = format!("{CLAIM}spec:\n  ");
        json!({"verb": "complete", "text": text, "position": {"byteOffset": text.len()}, "locale": locale}).to_string()
    };
    let ask = |locale| -> Value {
        serde_json::from_str(&claimkit::requests::answer_with(
            &request(locale),
            claimkit::editor::locale::sentences,
        ))
        .unwrap()
    };
    assert!(
        ask("en")["items"][0]["documentation"]
            .as_str()
            .unwrap()
            .starts_with("Name of the ResourceClass")
    );
    assert_eq!(ask("zh-Hans")["items"][0]["detail"], "字符串, 必需");
    assert_eq!(
        ask("fr")["error"],
        "unknown locale `fr`; write `en` or `zh-Hans`"
    );
    let bare: Value = serde_json::from_str(&claimkit::requests::answer(&request("en"))).unwrap();
    assert_eq!(
        bare["items"][0]["key"],
        "fields/ResourceClaimSpec.resourceClassName"
    );
    assert!(bare["items"][0].get("documentation").is_none());
}

/// Every prefix of real texts, cursor at its end and in its middle: an answer each time, and edits that fit the text.
#[test]
fn nothing_typed_on_the_way_is_too_odd() {
    let texts = [
        format!("{CLAIM}spec:\n  parametersRef: {{kind: 'é😀', name: \"q\\\"\"}}\n  allocationMode: Immediate\n---\n- - a: &x [1, {{b: *x}}]\n  - ? k\n"),
        "{\"kind\": \"ResourceClaim\", \"apiVersion\": \"resource.k8s.io/v1alpha2\", \"spec\": {\"a\": [{}, [1,2], \"\\u00e9\"]}}\r\n{\"x\": 1}".to_owned(),
        "apiVersion: resource.k8s.io/v1alpha2\r\nkind: ResourceSlice\r\nnamedResources:\r\n  instances:\r\n  - name: \"a\r\n  - attributes:\r\n    - name: b\r\n      bool: \r\n\t x: |\r\n  y\r\n".to_owned(),
    ];
    for text in &texts {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            for cursor in [end, end / 2, end.saturating_sub(3)] {
                let cursor = (0..=cursor)
                    .rev()
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap();
                let typed = &text[..end];
                let (_, items) = ask(&format!("{}▮{}", &typed[..cursor], &typed[cursor..]), None);
                for item in items {
                    let (start, end) = (
                        &item["range"]["start"]["byteOffset"],
                        &item["range"]["end"]["byteOffset"],
                    );
                    let span = usize::try_from(start.as_u64().unwrap()).unwrap()
                        ..usize::try_from(end.as_u64().unwrap()).unwrap();
                    assert!(
                        span.contains(&cursor) || span.end == cursor || span.start == cursor,
                        "{typed:?} {cursor} {item}"
                    );
                    assert!(typed.get(span).is_some(), "{typed:?} {item}");
                }
            }
        }
    }
}

/// Large and deep texts take linear time and no extra stack.
#[test]
fn large_and_deep_texts() {
    let head = "{\"apiVersion\": \"resource.k8s.io/v1alpha2\", \"kind\": \"ResourceClaim\", \"metadata\": {\"annotations\": {";
    let wide: String = (0..100_000).map(|n| format!("\"k{n}\": \"v\", ")).collect();
    let deep = "[".repeat(100_000);
    let block: String = (0..2_000)
        .map(|n| format!("{}k:\n", " ".repeat(n)))
        .collect();
    assert_eq!(
        labels(&format!("{head}{wide}\"z\": \"\"}}}}, \"spec\": {{▮"))[0],
        "resourceClassName"
    );
    assert_eq!(labels(&format!("a: {deep}▮")), Vec::<String>::new());
    assert_eq!(
        labels(&format!("{block}{}▮", " ".repeat(2_000))),
        Vec::<String>::new()
    );
}

const SLICE: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: gpu.example.com\n  devices:\n  - {name: gpu-0, attributes: {model: {string: a100}, x-y.z/a: {int: 1}}, capacity: {memory: {value: 80Gi}}}\n---\n";
const CLASS: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors:\n  - cel:\n      expression: ";

#[test]
fn inside_expressions() {
    let inside = |expression: &str| labels(&format!("{SLICE}{CLASS}{expression}\n"));
    assert_eq!(
        inside("'device.▮'")[..4],
        [
            "driver",
            "attributes",
            "capacity",
            "allowMultipleAllocations"
        ]
    );
    assert_eq!(
        inside("'device.attributes[\"▮\"]'"),
        ["gpu.example.com", "x-y.z"]
    );
    assert_eq!(
        inside("\"true && device.attributes[\\\"gp▮\\\"].model\""),
        ["gpu.example.com", "x-y.z"]
    );
    // Blanks at the end of a value without quotes are not part of it.
    for operator in ["&&", "||", "=="] {
        let after_blanks = inside(&format!("device.driver {operator} ▮"));
        assert_eq!(
            after_blanks,
            inside(&format!("device.driver {operator} d▮"))
        );
        assert!(
            after_blanks.contains(&"device".to_owned()),
            "{after_blanks:?}"
        );
    }
    assert_eq!(inside("device.driver ▮"), Vec::<String>::new());
    assert_eq!(
        inside("'device.attributes[\"gpu.example.com\"].▮'")[0],
        "model"
    );
    let methods = inside("'device.capacity[\"gpu.example.com\"].memory.▮'");
    assert!(
        methods.contains(&"isGreaterThan".to_owned())
            && !methods.contains(&"startsWith".to_owned()),
        "{methods:?}"
    );
    let methods = inside("device.driver.st▮");
    assert!(
        methods.contains(&"startsWith".to_owned())
            && !methods.contains(&"isGreaterThan".to_owned()),
        "{methods:?}"
    );
    // The type of an attribute is any: its values tell which functions it has.
    let methods = inside("'device.attributes[\"gpu.example.com\"].model.▮'");
    assert!(methods.contains(&"startsWith".to_owned()), "{methods:?}");
    for other in ["isGreaterThan", "type_url", "all"] {
        assert!(!methods.contains(&other.to_owned()), "{methods:?}");
    }
    let unknown = inside("'device.attributes[\"gpu.example.com\"].other.▮'");
    assert!(
        unknown.contains(&"isGreaterThan".to_owned()) && unknown.contains(&"startsWith".to_owned()),
        "{unknown:?}"
    );
    let names = inside("|-\n        device.driver == \"a\" &&\n        se▮");
    assert!(
        names.contains(&"semver".to_owned())
            && names.contains(&"device".to_owned())
            && names.contains(&"has".to_owned())
    );
    assert_eq!(
        taken(
            &format!("{SLICE}{CLASS}device.driver.starts▮\n"),
            "startsWith"
        ),
        format!("{SLICE}{CLASS}device.driver.startsWith()\n")
    );
    let named = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata: {name: c, namespace: d}\ndriverRequests:\n- driverName: d\n  requests:\n  - namedResources: {selector: 'attributes.▮'}\n";
    assert_eq!(labels(named)[..3], ["quantity", "bool", "int"]);
}

/// What can begin an expression that is not written yet: in blocks, in brackets and in JSON.
#[test]
fn published_values_are_compared() {
    let inside = |expression: &str| ask(&format!("{SLICE}{CLASS}{expression}\n"), None).1;
    let first = |expression: &str| {
        let items = inside(expression);
        let texts = ["label", "insertText"].map(|key| items[0][key].as_str().unwrap().to_owned());
        texts.join(" ")
    };
    let model = "device.attributes[\"gpu.example.com\"].model";
    assert_eq!(first(&format!("{model} == ▮")), "a100 \"a100\"");
    assert_eq!(first(&format!("true && {model} != a▮")), "a100 \"a100\"");
    assert_eq!(first(&format!("{model} == \"▮\"")), "a100 a100");
    assert_eq!(first(&format!("{model} in [\"▮\"]")), "a100 a100");
    assert_eq!(
        first("\"device.attributes['gpu.example.com'].model == ▮\""),
        "a100 'a100'"
    );
    assert_eq!(first("device.attributes[\"x-y.z\"].a >= ▮"), "1 1");
    assert_eq!(
        first("device.driver == ▮"),
        "gpu.example.com \"gpu.example.com\""
    );
    // What no device has, and what is no comparison.
    assert_eq!(
        first("device.attributes[\"x-y.z\"].b == ▮"),
        "device device"
    );
    assert_eq!(first(&format!("{model} == \"x\" && ▮")), "device device");
}

#[test]
fn at_the_beginning_of_an_expression() {
    let own = "device.attributes[\"gpu.example.com\"].";
    for empty in ["▮", "  ▮", "▮ # nothing"] {
        let names = labels(&format!("{SLICE}{CLASS}{empty}\n"));
        assert!(names.contains(&"device".to_owned()), "{empty} {names:?}");
        let of_device: Vec<&String> = names
            .iter()
            .filter(|name| name.starts_with("device."))
            .collect();
        assert_eq!(
            of_device,
            [
                "device.driver == \"gpu.example.com\"",
                own,
                "device.attributes[\"x-y.z\"].",
                "device.capacity[\"gpu.example.com\"].",
            ],
            "{empty}"
        );
        assert!(names.contains(&"semver".to_owned()), "{names:?}");
    }
    assert_eq!(
        taken(&format!("{SLICE}{CLASS}▮\n"), own),
        format!("{SLICE}{CLASS}{own}\n")
    );
    // Right behind the colon.
    let colon = CLASS.trim_end();
    assert_eq!(
        taken(&format!("{SLICE}{colon}▮\n"), "device"),
        format!("{SLICE}{CLASS}device\n")
    );
    // No devices are known.
    let names = labels(&format!("{CLASS}▮\n"));
    assert!(names.contains(&"device".to_owned()), "{names:?}");
    assert!(
        !names.iter().any(|name| name.starts_with("device.")),
        "{names:?}"
    );
    // In brackets strings need quotes around them.
    let head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n";
    assert_eq!(
        taken(
            &format!("{SLICE}{head}spec: {{selectors: [{{cel: {{expression: ▮}}}}]}}\n"),
            own
        ),
        format!("{SLICE}{head}spec: {{selectors: [{{cel: {{expression: '{own}'}}}}]}}\n")
    );
    let (_, items) = ask(
        &format!("{SLICE}{head}spec: {{selectors: [{{cel: {{expression: ▮}}}}]}}\n"),
        None,
    );
    let device = items.iter().find(|item| item["label"] == "device");
    assert_eq!(device.unwrap()["snippet"], "'device${1}'");
    let json = r#"{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {"driver": "gpu.example.com", "devices": [{"name": "a", "attributes": {"model": {"string": "x"}}}]}},
{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {"selectors": [{"cel": {"expression": ▮}}]}}]}"#;
    assert_eq!(
        taken(json, "device.attributes['gpu.example.com']."),
        json.replace('▮', "\"device.attributes['gpu.example.com'].\"")
    );
    // Of 1.30, and of a derived attribute.
    let named = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata: {name: c, namespace: d}\ndriverRequests:\n- driverName: d\n  requests:\n  - namedResources:\n      selector: ▮\n";
    assert!(labels(named).contains(&"attributes".to_owned()));
    // A field of that name that is no expression, and a value on the lines below.
    assert_eq!(
        labels("apiVersion: v1\nkind: Service\nspec:\n  selector: ▮\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        labels(&format!("{CLASS}▮\n        device\n")),
        Vec::<String>::new()
    );
}

/// The same beginnings are offered for each operand, with quotes that need no escapes, and the drivers where one is compared.
#[test]
fn operands_begin_as_expressions_do() {
    let inside = |expression: &str| labels(&format!("{SLICE}{CLASS}{expression}\n"));
    for (expression, name) in [
        ("dev▮", "device.attributes[\"gpu.example.com\"]."),
        ("'true && ▮'", "device.attributes[\"gpu.example.com\"]."),
        ("\"true && ▮\"", "device.attributes['gpu.example.com']."),
        ("\"▮\"", "device.driver == 'gpu.example.com'"),
        ("|-\n        dev▮", "device.driver == \"gpu.example.com\""),
    ] {
        let names = inside(expression);
        assert!(
            names.iter().any(|known| known == name),
            "{expression} {names:?}"
        );
    }
    let brackets = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {selectors: [{cel: {expression: dev▮}}]}\n";
    let names = labels(&format!("{SLICE}{brackets}"));
    assert!(names.contains(&"device".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains('[')), "{names:?}");
    assert_eq!(inside("'device.driver == \"▮\"'"), ["gpu.example.com"]);
    assert_eq!(inside("device.driver != \"gp▮"), ["gpu.example.com"]);
    assert_eq!(inside("'device.other == \"▮\"'"), Vec::<String>::new());
}

/// Behind a name with functions of its own, such as `optional`, come its functions alone.
#[test]
fn functions_within_a_name() {
    let inside =
        |expression: &str, release: &str| ask(&format!("{CLASS}'{expression}'\n"), Some(release)).1;
    let labels = |items: &[Value]| {
        items
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        labels(&inside("optional.▮", "1.37")),
        ["none", "of", "ofNonZeroValue", "unwrap"]
    );
    assert_eq!(
        labels(&inside("optional.o▮", "1.37")),
        ["none", "of", "ofNonZeroValue", "unwrap"]
    );
    assert_eq!(labels(&inside("ip.▮", "1.37")), ["isCanonical"]);
    let formats = labels(&inside("device.driver == \"a\" && format.▮", "1.37"));
    assert!(
        formats.iter().any(|name| name == "named")
            && !formats.iter().any(|name| name == "startsWith"),
        "{formats:?}"
    );
    // `duration` is a type as well as a function.
    for (release, version) in [("1.31", "v1alpha3"), ("1.37", "v1")] {
        let named = ask(
            &format!("{}'dur▮'\n", CLASS.replace("/v1", &format!("/{version}"))),
            Some(release),
        )
        .1;
        let duration = named
            .iter()
            .find(|item| item["label"] == "duration")
            .unwrap();
        assert_eq!(duration["kind"], "function", "{release}: {duration}");
    }
}

/// The expression of a derived attribute (1.37) is completed as a selector is.
#[test]
fn inside_expressions_that_derive_attributes() {
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: gpu.example.com\n        derivedAttributes:\n        - name: example.com/a\n          expression: ";
    assert_eq!(
        labels(&format!("{SLICE}{claim}'device.attributes[\"▮\"]'\n")),
        ["gpu.example.com", "x-y.z"]
    );
    assert_eq!(
        labels(&format!("{claim}'device.▮'\n"))[..3],
        ["driver", "attributes", "capacity"]
    );
}

/// The values that each entry of a list may have.
#[test]
fn operations_that_a_node_leaves_out() {
    let slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: d\n  skipNodeOperations:\n  - ▮\n";
    let position = json!({"byteOffset": slice.find('▮')});
    let text = slice.replacen('▮', "", 1);
    let request = json!({"verb": "complete", "text": text, "position": position, "release": "1.37", "gates": {"DRAOptionalNodeOperations": true}});
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    let labels: Vec<&str> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["label"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        ["*", "NodePrepareResources", "NodeUnprepareResources"],
        "{answer}"
    );
}

/// Completion in an expression depends on the release and its gates.
#[test]
fn inside_expressions_by_release_and_gates() {
    let marked = format!("{CLASS}'device.▮'\n");
    let ask = |release: &str, gates: Value| {
        let position = json!({"byteOffset": marked.find('▮')});
        let text = marked.replacen('▮', "", 1);
        let request = json!({"verb": "complete", "text": text, "position": position, "release": release, "gates": gates});
        serde_json::from_str::<Value>(&claimkit::requests::answer(&request.to_string())).unwrap()
    };
    let shared = |release: &str, gates: Value| {
        let answer = ask(release, gates);
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|item| item["label"] == "allowMultipleAllocations")
    };
    assert!(!shared("1.34", json!({})));
    assert!(shared("1.34", json!({"DRAConsumableCapacity": true})));
    assert!(shared("1.36", json!({})));
    assert!(!shared("1.36", json!({"DRAConsumableCapacity": false})));
    let refused = ask("1.34", json!({"DRANothing": true}));
    assert_eq!(refused["ok"], false);
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .contains("no feature gate `DRANothing`"),
        "{refused}"
    );
}

/// Completions in objects of the device family: the first labels of the answer.
#[test]
fn places_of_the_device_family() {
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: claim-a}\n";
    let slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\n";
    let others = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: claim-a}\nspec: {devices: {requests: [{name: gpu}]}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: template-a}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n  - name: mine\n    resourceClaimTemplateName: template-a\n";
    let places: &[(&str, Option<&str>, &[&str])] = &[
        (&format!("{claim}spec:\n  ▮\n"), None, &["devices"]),
        (
            &format!("{claim}spec:\n  devices:\n    ▮\n"),
            None,
            &["requests", "constraints", "config"],
        ),
        (
            &format!("{claim}spec:\n  devices:\n    requests:\n    - ▮\n"),
            None,
            &["name", "exactly", "firstAvailable"],
        ),
        (
            &format!("{claim}spec:\n  devices:\n    requests:\n    - exactly:\n        ▮\n"),
            None,
            &["deviceClassName", "selectors"],
        ),
        (
            &format!(
                "{claim}spec:\n  devices:\n    requests:\n    - exactly:\n        allocationMode: ▮\n"
            ),
            None,
            &["ExactCount", "All"],
        ),
        (
            &format!(
                "{claim}spec:\n  devices:\n    requests:\n    - exactly:\n        deviceClassName: ▮\n{others}"
            ),
            None,
            &["gpu.example.com"],
        ),
        (
            &format!(
                "{claim}spec:\n  devices:\n    requests:\n    - name: gpu\n      firstAvailable:\n      - name: big\n    constraints:\n    - requests: [▮]\n"
            ),
            None,
            &["gpu", "gpu/big"],
        ),
        (
            &format!("{slice}spec:\n  ▮\n"),
            None,
            &["driver", "pool", "nodeName"],
        ),
        (
            &format!("{slice}spec:\n  devices:\n  - attributes:\n      model:\n        ▮\n"),
            None,
            &["int", "bool", "string", "version"],
        ),
        (
            &format!("{slice}spec:\n  devices:\n  - taints:\n    - effect: ▮\n"),
            None,
            &["NoSchedule", "NoExecute", "None"],
        ),
        (
            &format!("{slice}spec:\n  devices:\n  - taints:\n    - effect: ▮\n"),
            Some("1.34"),
            &["NoSchedule", "NoExecute"],
        ),
        (
            "apiVersion: resource.k8s.io/v1alpha3\nkind: PodSchedulingContext\nspec:\n  ▮\n",
            None,
            &["selectedNode", "potentialNodes"],
        ),
        (
            "apiVersion: resource.k8s.io/v1alpha3\nkind: ▮\n",
            Some("1.36"),
            &["DeviceTaintRule", "ResourcePoolStatusRequest"],
        ),
        (
            "apiVersion: ▮\nkind: DeviceTaintRule\n",
            None,
            &[
                "resource.k8s.io/v1",
                "resource.k8s.io/v1beta2",
                "resource.k8s.io/v1alpha3",
            ],
        ),
        (
            &format!(
                "{}    resourceClaimName: ▮\n{others}",
                pod.replace("    resourceClaimTemplateName: template-a\n", "")
            ),
            None,
            &["claim-a"],
        ),
        (
            &format!("{}{others}", pod.replace("template-a\n", "▮\n")),
            None,
            &["template-a"],
        ),
        (
            &format!(
                "{pod}  containers:\n  - resources:\n      claims:\n      - name: ▮\n{others}"
            ),
            None,
            &["mine"],
        ),
        (
            &format!(
                "{pod}  containers:\n  - resources:\n      claims:\n      - name: mine\n        request: ▮\n{others}"
            ),
            None,
            &["gpu"],
        ),
    ];
    for (marked, release, wanted) in places {
        let offset = marked.find('▮').unwrap();
        let text = marked.replacen('▮', "", 1);
        let request = json!({ "verb": "complete", "text": text, "position": {"byteOffset": offset }, "release": release });
        let answer: Value = crate::support::ask(&request);
        let labels: Vec<&str> = answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap())
            .collect();
        assert!(labels.starts_with(wanted), "{labels:?} at {marked}");
        let values = wanted.iter().all(|word| {
            answer["items"]
                .as_array()
                .unwrap()
                .iter()
                .any(|item| item["label"] == *word && item["kind"] != "field")
        });
        assert!(
            !values || labels.len() == wanted.len(),
            "{labels:?} at {marked}"
        );
    }
}

const PROJECT_CLASS: &str =
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\n";
const PROJECT_SLICE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: pool-a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: a
    attributes: {model: {string: A100}, other.example.com/numa: {int: 1}}
    capacity: {memory: {value: 80Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
";
const PROJECT_TEMPLATE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus}
spec: {spec: {devices: {requests: [{name: one}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: theirs, namespace: other}
spec: {spec: {devices: {requests: [{name: two}]}}}
";

/// The labels and details of what is offered beside the other texts of a project.
fn beside(marked: &str) -> Vec<(String, String)> {
    let offset = marked.find('▮').expect("a cursor");
    let request = json!({
        "verb": "complete",
        "text": marked.replacen('▮', "", 1),
        "position": {"byteOffset": offset},
        "beside": [
            {"name": "class.yaml", "text": PROJECT_CLASS},
            {"name": "cluster.yaml", "text": PROJECT_SLICE},
            PROJECT_TEMPLATE,
        ],
    });
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (word(&item["label"]), word(&item["detail"])))
        .collect()
}

#[test]
fn names_of_the_projects_other_texts() {
    let names = |marked: &str| -> Vec<String> {
        beside(marked).into_iter().map(|(label, _)| label).collect()
    };
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n";
    let request = format!("{claim}    requests:\n    - name: a\n      exactly:\n");
    assert_eq!(
        beside(&format!("{request}        deviceClassName: ▮\n")),
        [("gpu.example.com".to_owned(), "class.yaml".to_owned())]
    );
    assert_eq!(
        names(&format!(
            "{claim}    constraints:\n    - matchAttribute: ▮\n"
        )),
        ["gpu.example.com/model", "other.example.com/numa"]
    );
    let selector = format!("{request}        selectors:\n        - cel:\n            expression: ");
    assert_eq!(
        names(&format!("{selector}device.attributes[\"▮\n")),
        ["gpu.example.com", "other.example.com"]
    );
    assert!(
        names(&format!(
            "{selector}device.attributes[\"gpu.example.com\"].▮\n"
        ))
        .contains(&"model".to_owned())
    );
    assert_eq!(
        names(&format!(
            "{request}        capacity:\n          requests:\n            ▮\n"
        )),
        ["gpu.example.com/memory"]
    );
    let rule = "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec:\n  deviceSelector:\n";
    assert_eq!(
        names(&format!("{rule}    driver: ▮\n")),
        ["gpu.example.com"]
    );
    assert_eq!(names(&format!("{rule}    pool: ▮\n")), ["pool-a"]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";
    assert_eq!(names(&format!("{pod}  nodeName: ▮\n")), ["n1"]);
    // Templates of another namespace cannot be used.
    assert_eq!(
        names(&format!(
            "{pod}  resourceClaims:\n  - name: g\n    resourceClaimTemplateName: ▮\n"
        )),
        ["gpus"]
    );
    assert_eq!(
        names(&format!(
            "{pod}  resourceClaims:\n  - name: g\n    resourceClaimTemplateName: gpus\n  containers:\n  - name: c\n    resources:\n      claims:\n      - name: g\n        request: ▮\n"
        )),
        ["one"]
    );
}

#[test]
fn keys_of_a_pods_claims() {
    let pod = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: p}\nspec:\n  template:\n    spec:\n";
    assert_eq!(
        labels(&format!(
            "{pod}      resourceClaims:\n      - name: g\n        ▮\n"
        )),
        ["resourceClaimName", "resourceClaimTemplateName"]
    );
    assert_eq!(
        labels(&format!("{pod}      resourceClaims:\n        ▮\n")),
        [
            "- name",
            "- resourceClaimName",
            "- resourceClaimTemplateName"
        ]
    );
    assert_eq!(
        labels(&format!(
            "{pod}      containers:\n      - name: c\n        resources:\n          claims:\n          - name: g\n            ▮\n"
        )),
        ["request"]
    );
    assert_eq!(
        labels(&format!(
            "{pod}      containers:\n      - name: c\n        resources:\n          ▮\n"
        )),
        ["claims"]
    );
    assert!(labels("apiVersion: v1\nkind: ConfigMap\ndata:\n  ▮\n").is_empty());
}

/// After `.?` only a name can follow, and `in` is an operator.
#[test]
fn functions_are_not_completed_where_none_can_be() {
    let within = |expression: &str| {
        labels(&format!(
            "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: a.b
  nodeName: w0
  pool: {{name: p, generation: 1, resourceSliceCount: 1}}
  devices: [{{name: d, attributes: {{model: {{string: x}}}}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c}}
spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: c, selectors: [{{cel: {{expression: '{expression}'}}}}]}}}}]}}}}
"
        ))
    };
    assert_eq!(within("device.attributes[\"a.b\"].?▮"), ["model"]);
    let methods = within("device.attributes[\"a.b\"].▮");
    assert!(methods.contains(&"exists".to_owned()), "{methods:?}");
    let top = within("▮");
    assert!(!top.contains(&"in".to_owned()), "{top:?}");
}
