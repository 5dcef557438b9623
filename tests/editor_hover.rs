//! Hover at the place marked `▮`.

use serde_json::{Value, json};

fn request(marked: &str) -> Value {
    let offset = marked.find('▮').expect("a cursor");
    json!({"verb": "hover", "text": marked.replacen('▮', "", 1), "position": {"byteOffset": offset}})
}

fn ask(request: &Value) -> Value {
    let answer: Value = serde_json::from_str(&claimkit::requests::answer_with(
        &request.to_string(),
        claimkit::editor::locale::sentences,
    ))
    .unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    answer["hover"].clone()
}

fn hover(marked: &str) -> Value {
    ask(&request(marked))
}

/// The text under the hover's range.
fn under(marked: &str, hover: &Value) -> String {
    let at =
        |end: &str| usize::try_from(hover["range"][end]["byteOffset"].as_u64().unwrap()).unwrap();
    marked.replacen('▮', "", 1)[at("start")..at("end")].to_owned()
}

const CLAIM: &str =
    "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: c\n";

#[test]
fn a_key_and_its_value() {
    for marked in [
        format!("{CLAIM}spec:\n  resource▮ClassName: x\n"),
        format!("{CLAIM}spec:\n  resourceClassName: x▮\n"),
        format!("{CLAIM}spec: {{\"resourceClassName\": ▮x}}\n"),
    ] {
        let hover = hover(&marked);
        assert_eq!(hover["title"], "spec.resourceClassName", "{marked}");
        assert_eq!(hover["key"], "fields/ResourceClaimSpec.resourceClassName");
        assert_eq!(hover["field"]["type"], "string");
        assert_eq!(hover["field"]["required"], true);
        assert_eq!(hover["field"]["since"], "1.26");
        assert_eq!(hover["field"]["format"], "subdomain");
    }
    let marked = format!("{CLAIM}spec:\n  ▮resourceClassName: é😀 # x\n");
    assert_eq!(under(&marked, &hover(&marked)), "resourceClassName");
    let marked = format!("{CLAIM}spec:\n  resourceClassName: \"é😀▮\" # x\n");
    let hover = hover(&marked);
    assert_eq!(under(&marked, &hover), "\"é😀\"");
    assert_eq!(hover["range"]["end"]["character"], 26);
}

#[test]
fn lines_and_utf16_columns() {
    let text =
        format!("# é😀\n{CLAIM}spec: {{resourceClassName: é😀, allocationMode: Immediate}}\n");
    let line = text
        .lines()
        .position(|line| line.starts_with("spec"))
        .unwrap();
    let character = "spec: {resourceClassName: é".encode_utf16().count() + 2 + ", alloc".len();
    let hover = ask(
        &json!({"verb": "hover", "text": text, "position": {"line": line, "character": character}}),
    );
    assert_eq!(hover["title"], "spec.allocationMode");
}

#[test]
fn kinds_versions_and_enum_values() {
    assert_eq!(
        hover(&CLAIM.replace("kind: R", "kind: R▮"))["key"],
        "kinds/ResourceClaim"
    );
    assert_eq!(
        hover(&CLAIM.replace("v1alpha2", "v1▮alpha2"))["key"],
        "versions/resource.k8s.io/v1alpha2"
    );
    assert_eq!(
        hover(&CLAIM.replace("kind:", "ki▮nd:"))["key"],
        "fields/TypeMeta.kind"
    );
    assert_eq!(
        hover(&format!("{CLAIM}spec:\n  allocationMode: ▮Immediate"))["key"],
        "values/AllocationMode.Immediate"
    );
    let wrong = hover(&format!("{CLAIM}spec:\n  allocationMode: ▮Later"));
    assert_eq!(wrong["key"], "fields/ResourceClaimSpec.allocationMode");
    // The kind of a reference is not a kind of this API group.
    let reference = hover(&format!(
        "{CLAIM}spec:\n  parametersRef:\n    kind: ▮ResourceClaim\n    name: x\n"
    ));
    assert_eq!(
        reference["key"],
        "fields/ResourceClaimParametersReference.kind"
    );
}

#[test]
fn inside_lists_templates_anchors_and_later_documents() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1alpha2\n  kind: ResourceClaimTemplate\n  metadata: {name: t}\n  spec:\n    metadata:\n      labels: {a: b}\n    spec: &spec\n      resourceClass▮Name: x\n";
    assert_eq!(hover(list)["title"], "spec.spec.resourceClassName");
    let labels = list.replace('▮', "").replace("{a: b}", "{a: ▮b}");
    assert_eq!(hover(&labels)["key"], "fields/ObjectMeta.labels");
    let second =
        format!("a: 1\n---\n{CLAIM}status:\n  reservedFor:\n  - resource: pods\n  - uid: ▮u\n");
    let second = hover(&second);
    assert_eq!(second["title"], "status.reservedFor[1].uid");
    assert_eq!(second["key"], "fields/ResourceClaimConsumerReference.uid");
    let json = r#"{"apiVersion": "resource.k8s.io/v1alpha1", "kind": "ResourceClaim", "status": {"allocation": {"resource▮Handle": ""}}}"#;
    let json = hover(json);
    assert_eq!(json["field"]["onlyIn"], "v1alpha1");
    assert_eq!(json["field"]["maxBytes"], 16384);
}

#[test]
fn texts_that_kubectl_cannot_read() {
    for broken in [
        format!("{CLAIM}spec:\n  resourceClass▮Name: x\n  parametersRef: {{\n"),
        format!("{CLAIM}spec:\n  resourceClass▮Name: x\n bad\n   indent: [\n"),
        format!("{CLAIM}spec: {{\"resourceClass▮Name\": \"x\", \n"),
        format!("a: [\n---\n{CLAIM}spec:\n  resourceClass▮Name: x\n"),
        r#"{"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClaim", "spec": {"resourceClass▮Name": x, }"#.to_owned(),
    ] {
        let hover = hover(&broken);
        assert_eq!(hover["key"], "fields/ResourceClaimSpec.resourceClassName", "{broken}");
    }
}

#[test]
fn nothing_where_nothing_is_known() {
    for marked in [
        format!("{CLAIM}# resourceClass▮Name\n"),
        format!("{CLAIM}spec:\n  nonsen▮se: 1\n"),
        "apiVersion: v1\nkind: Pod\nspec:\n  node▮Name: x\n".to_owned(),
        "▮".to_owned(),
        format!("{CLAIM}spec:\n▮\n"),
    ] {
        assert_eq!(hover(&marked), Value::Null, "{marked}");
    }
}

#[test]
fn releases_decide() {
    let class = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: c}\nstructured▮Parameters: true\n";
    assert_eq!(hover(class)["field"]["since"], "1.30");
    let mut older = request(class);
    older["release"] = json!("1.29");
    assert_eq!(ask(&older), Value::Null);
    let nodes = "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nspec: {potential▮Nodes: []}\n";
    assert_eq!(hover(nodes)["field"]["listType"], "atomic");
    assert_eq!(hover(nodes)["field"]["since"], "1.27");
    let mut older = request(nodes);
    older["release"] = json!("1.28");
    assert_eq!(ask(&older)["field"]["listType"], "set");
}

#[test]
fn markdown_in_both_languages() {
    let mut request = request(&format!("{CLAIM}spec:\n  allocation▮Mode: Immediate\n"));
    assert_eq!(
        ask(&request)["markdown"],
        "**`spec.allocationMode`** string · since 1.26\n\nWhen the resource is allocated.\n\n\
         - `WaitForFirstConsumer`: Allocate when the first pod that uses the claim is being scheduled, so that the node suits both.\n\
         - `Immediate`: Allocate as soon as the claim exists, whatever node that binds later pods to.\n\
         - Default: `WaitForFirstConsumer`"
    );
    request["locale"] = json!("zh-Hans");
    let chinese = ask(&request)["markdown"].as_str().unwrap().to_owned();
    assert!(
        chinese.starts_with("**`spec.allocationMode`** 字符串 · 自 1.26 起\n\n何时分配资源。"),
        "{chinese}"
    );
    // Without sentences: facts and keys.
    let bare: Value = crate::support::ask(&request);
    assert!(bare["hover"].get("markdown").is_none());
    assert_eq!(bare["hover"]["field"]["default"], "WaitForFirstConsumer");
}

#[test]
fn what_is_missing_in_a_request_is_named() {
    let answer = |request: &str| -> Value {
        serde_json::from_str(&claimkit::requests::answer(request)).unwrap()
    };
    assert_eq!(
        answer(r#"{"verb": "hover", "position": {}}"#)["error"],
        "`text` is missing: the manifest"
    );
    for position in ["", r#", "position": {}"#, r#", "position": null"#] {
        assert_eq!(
            answer(&format!(r#"{{"verb": "hover", "text": ""{position}}}"#))["error"],
            "`position` is missing: `{\"line\": 0, \"character\": 0}` or `{\"offset\": 0}`"
        );
    }
}

/// The outline, which replaces the tree for unreadable texts, gives the same hovers as the tree: after an unreadable document,
/// every position of every manifest still has its hover.
#[test]
fn the_outline_agrees_with_the_tree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/manifests");
    let ask = |request: Value| -> Value {
        let answer: Value = crate::support::ask(&request);
        answer["hover"].clone()
    };
    let (mut agreed, mut differed) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if path.extension().is_none_or(|extension| extension != "yaml")
            || text.len() > 20_000
            || text.starts_with('{')
        {
            continue;
        }
        const BROKEN: &str = "a: [\n---\n";
        let broken = format!("{BROKEN}{text}");
        for offset in (0..text.len())
            .step_by(3)
            .filter(|at| text.is_char_boundary(*at))
        {
            let by_tree =
                ask(json!({"verb": "hover", "text": text, "position": {"byteOffset": offset}}));
            // Parts of expressions are known of texts that can be read.
            let expression = by_tree["key"].as_str().is_some_and(|key| {
                [
                    "CELDeviceSelector.expression",
                    "DeviceDerivedAttribute.expression",
                ]
                .iter()
                .any(|end| key.ends_with(end))
            });
            if by_tree.is_null()
                || expression
                || by_tree["key"]
                    .as_str()
                    .is_some_and(|key| key.ends_with(".selector"))
            {
                continue;
            }
            let position = json!({"byteOffset": offset + BROKEN.len()});
            let by_outline = ask(json!({"verb": "hover", "text": broken, "position": position}));
            // Only the reader knows that the label `y` is `true`.
            let same_place =
                by_tree["title"] == by_outline["title"] || by_tree["field"]["type"] == "map";
            if by_tree["key"] == by_outline["key"] && same_place {
                agreed += 1;
            } else {
                let line = text[..offset].lines().count();
                differed.push(format!(
                    "{}:{line}: {} {}",
                    path.display(),
                    by_tree["title"],
                    by_outline["title"]
                ));
            }
        }
    }
    assert!(
        differed.is_empty(),
        "{agreed} agree, {} not: {differed:#?}",
        differed.len()
    );
    assert!(agreed > 1_000, "{agreed}");
}

/// Every prefix of odd texts, everywhere in it: an answer each time, and ranges that hold the cursor.
#[test]
fn no_text_is_too_odd() {
    let texts = [
        format!("{CLAIM}spec: &s\n  parametersRef: {{kind: 'é😀', name: \"q\\\"\"}}\n  <<: *s\n---\n{CLAIM}spec:\n  ? resourceClassName\n  : |\n    x\n"),
        "{\"kind\": \"ResourceClaim\", \"apiVersion\": \"resource.k8s.io/v1alpha2\", \"spec\": {\"resourceClassName\": \"\\u00e9\"}}\r\n{\"x\": 1}".to_owned(),
    ];
    let mut found = 0;
    for text in &texts {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            for offset in (0..=end).step_by(5) {
                let request = json!({"verb": "hover", "text": text[..end], "position": {"byteOffset": offset}});
                let answer: Value = crate::support::ask(&request);
                assert_eq!(answer["ok"], true, "{request} {answer}");
                let hover = &answer["hover"];
                if hover.is_null() {
                    continue;
                }
                found += 1;
                let (start, end) = (
                    &hover["range"]["start"]["byteOffset"],
                    &hover["range"]["end"]["byteOffset"],
                );
                assert!(
                    start.as_u64() <= Some(offset as u64) && Some(offset as u64) <= end.as_u64(),
                    "{request} {answer}"
                );
            }
        }
    }
    assert!(found > 1_000, "{found}");
}

const SLICE: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: gpu.example.com\n  nodeName: n\n  pool: {name: n1, generation: 1, resourceSliceCount: 1}\n  devices:\n  - {name: gpu-0, attributes: {model: {string: a100}}, capacity: {memory: {value: 80Gi}}}\n---\n";
const CLASS: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors:\n  - cel:\n      expression: ";

#[test]
fn inside_expressions() {
    let marked = format!(
        "{SLICE}{CLASS}|-\n        device.driver == \"x\" ||\n          device.attributes[\"gpu.example.com\"].mo▮del == \"a100\"\n"
    );
    let shown = hover(&marked);
    assert_eq!(
        shown["title"],
        "device.attributes[\"gpu.example.com\"].model"
    );
    assert_eq!(
        under(&marked, &shown),
        "device.attributes[\"gpu.example.com\"].model"
    );
    assert_eq!(
        shown["markdown"],
        "**`device.attributes[\"gpu.example.com\"].model`** google.protobuf.Any\n\n- `gpu.example.com/n1/gpu-0`: `\"a100\"`"
    );
    let marked = format!(
        "{SLICE}{CLASS}\"device.capacity['gpu.example.com'].memory.compare▮To(quantity(\\\"1Gi\\\")) > 0\"\n"
    );
    let shown = hover(&marked);
    assert_eq!(
        under(&marked, &shown),
        "device.capacity['gpu.example.com'].memory.compareTo(quantity(\\\"1Gi\\\"))"
    );
    let markdown = shown["markdown"].as_str().unwrap();
    assert!(
        markdown.contains("`kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int`"),
        "{markdown}"
    );
    assert!(
        markdown.ends_with("\n- `gpu.example.com/n1/gpu-0`: `1`"),
        "{markdown}"
    );
    // An expression that is not well formed: the field is shown.
    assert_eq!(
        hover(&format!("{CLASS}device.dri▮ver ==\n"))["title"],
        "spec.selectors[0].cel.expression"
    );
}

/// Types and values are those of the release and its gates.
#[test]
fn inside_expressions_by_release_and_gates() {
    let slice = SLICE.replace(
        "{name: gpu-0,",
        "{name: gpu-0, allowMultipleAllocations: true,",
    );
    let marked = format!("{slice}{CLASS}device.allowMultiple▮Allocations\n");
    let with = |release: &str, gates: Value| {
        let mut request = request(&marked);
        request["release"] = json!(release);
        request["gates"] = gates;
        ask(&request)
    };
    let on = with("1.34", json!({"DRAConsumableCapacity": true}));
    assert_eq!(
        on["markdown"],
        "**`device.allowMultipleAllocations`** bool\n\n- `gpu.example.com/n1/gpu-0`: `true`"
    );
    // Without the gate the server does not know the field, so the hover shows only the field of the manifest.
    assert_eq!(
        with("1.34", json!({}))["title"],
        "spec.selectors[0].cel.expression"
    );
    assert_eq!(with("1.36", json!({}))["documentation"], "bool");
    let mut wrong = request(&marked);
    wrong["gates"] = json!({"DRANothing": true});
    let answer: Value = crate::support::ask(&wrong);
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("no feature gate `DRANothing`"),
        "{answer}"
    );
}

/// Every field of every kind of the device family has a sentence in both languages, and Markdown that begins with its path.
#[test]
fn every_field_of_the_device_family_has_a_hover() {
    use claimkit_model::schema::{
        DeviceKind, Family, FieldType, ObjectKind, Release, Struct, VERSIONS,
    };
    // The path to a field as flow YAML: `a: {b: [{c: ▮`.
    fn walk(
        schema: &'static Struct,
        release: Release,
        before: &str,
        behind: &str,
        depth: usize,
        all: &mut Vec<String>,
    ) {
        for field in schema.fields.iter().filter(|field| {
            field.in_release(release) && !matches!(field.json, "kind" | "apiVersion")
        }) {
            let name = field.json;
            all.push(format!("{before}\"▮{name}\": null{behind}"));
            let (mut ty, mut open, mut close) = (&field.ty, String::new(), String::new());
            loop {
                ty = match ty {
                    FieldType::Pointer(inner) => inner,
                    FieldType::List(inner) => {
                        open.push('[');
                        close.insert(0, ']');
                        inner
                    }
                    FieldType::Map(map) => {
                        open.push_str("{\"any\": ");
                        close.insert(0, '}');
                        &map.value
                    }
                    other => break ty = other,
                };
            }
            if let Some(below) = ty.as_struct().filter(|_| depth < 9 && name != "metadata") {
                walk(
                    below,
                    release,
                    &format!("{before}\"{name}\": {open}{{"),
                    &format!("}}{close}{behind}"),
                    depth + 1,
                    all,
                );
            }
        }
    }
    let mut asked = 0;
    for version in VERSIONS
        .iter()
        .filter(|version| version.family == Family::Device)
    {
        for kind in version.kinds.iter().filter(|kind| kind.items.is_none()) {
            let release = version.default_release_of(kind.kind);
            let mut all = Vec::new();
            let head = format!(
                "{{\"apiVersion\": \"{}\", \"kind\": \"{}\", ",
                version.api_version, kind.kind
            );
            walk(kind.schema, release, &head, "}", 0, &mut all);
            assert!(
                all.len() > 5
                    && matches!(
                        kind.object,
                        ObjectKind::Device(DeviceKind::ResourceClaim) | ObjectKind::Device(_)
                    )
            );
            for marked in all {
                for locale in ["en", "zh-Hans"] {
                    let mut request = request(&marked);
                    request["locale"] = json!(locale);
                    let hover = ask(&request);
                    let told = hover["documentation"].as_str().unwrap_or_default();
                    assert!(told.len() > 8, "{locale} {marked}: {hover}");
                    assert!(
                        hover["markdown"].as_str().unwrap().starts_with("**`"),
                        "{marked}"
                    );
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 500, "{asked}");
}

#[test]
fn a_field_behind_a_gate_names_it_and_limits_follow_the_release() {
    let slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  devices:\n  - name: a\n    ▮taints: []\n";
    let hover = hover(slice);
    assert_eq!(hover["field"]["gates"], json!(["DRADeviceTaints"]));
    assert_eq!(hover["field"]["maxItems"], 16);
    assert!(
        hover["markdown"]
            .as_str()
            .unwrap()
            .contains("unless the feature gate `DRADeviceTaints` is on"),
        "{hover}"
    );
    let mut older = request(slice);
    older["release"] = json!("1.34");
    assert_eq!(ask(&older)["field"]["maxItems"], 4);
    let effect = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec: {devices: [{taints: [{▮effect: NoSchedule}]}]}\n";
    assert_eq!(
        ask(&request(effect))["field"]["values"],
        json!(["NoSchedule", "NoExecute", "None"])
    );
    assert_eq!(ask(&request(effect))["field"]["required"], true);
}

/// A field of several, but not all, versions does not count as a field of one version.
#[test]
fn a_field_of_one_version_only_says_so() {
    let exactly = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: {requests: [{name: a, ▮exactly: {}}]}}\n";
    assert_eq!(hover(exactly)["field"]["onlyIn"], Value::Null);
    let basic =
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\n▮structuredParameters: true\n";
    assert_eq!(hover(basic)["field"]["onlyIn"], "v1alpha2");
}

/// Every field that 1.37 brought: its release, its gates, and what upstream's types demand of it (`api/resource/*/types.go` of 1.37.2,
/// the tags `+k8s:`).
#[test]
fn every_new_field_of_1_37_has_its_facts() {
    use claimkit_model::schema::{Family, Field, Struct, VERSIONS};
    fn collect(schema: &'static Struct, into: &mut Vec<&'static Struct>) {
        if into.iter().all(|known| !std::ptr::eq(*known, schema)) {
            into.push(schema);
            schema
                .fields
                .iter()
                .filter_map(|field| field.ty.holds())
                .for_each(|inner| collect(inner, into));
        }
    }
    let release = claimkit_model::schema::Release::last_of(37);
    // Required, form, most items or bytes, unique, values, gates.
    let told = |schema: &Struct, field: &Field| {
        let facts = claimkit::editor::facts::facts(schema, field, release);
        let unique = facts.unique.map(|unique| format!("{unique:?}"));
        let gates: Vec<_> = field.gates.iter().map(|gate| gate.name()).collect();
        let form = facts.format.map(|format| format.name());
        json!([
            facts.required,
            form,
            facts.max_items.or(facts.max_bytes),
            unique,
            field.allowed(release),
            gates
        ])
    };
    let node = ["*", "NodePrepareResources", "NodeUnprepareResources"];
    let open = json!([]);
    let plain = json!([false, null, null, null, open, []]);
    let required = json!([true, null, null, null, open, []]);
    let quantity = &plain;
    let skipped = json!([
        false,
        null,
        null,
        "Whole",
        node,
        ["DRAOptionalNodeOperations"]
    ]);
    let partition = json!([
        false,
        "fully-qualified-name",
        null,
        null,
        open,
        ["DRAPartitionableDevicesType"]
    ]);
    let derived = json!([false, null, 32, null, open, ["DRADerivedAttributes"]]);
    let wanted = std::collections::BTreeMap::from([
        (
            "DeviceDerivedAttribute.expression",
            json!([true, "cel", 10240, null, open, []]),
        ),
        (
            "DeviceDerivedAttribute.name",
            json!([true, "fully-qualified-name", null, null, open, []]),
        ),
        (
            "DeviceCounterConsumption.compatibilityGroups",
            json!([
                false,
                "label",
                2,
                "Whole",
                open,
                ["DRADeviceCompatibilityGroups"]
            ]),
        ),
        (
            "DeviceRequestAllocationResult.skipNodeOperations",
            skipped.clone(),
        ),
        ("ResourceSliceSpec.skipNodeOperations", skipped),
        (
            "ResourceSliceSpec.partitionTypeAttribute",
            partition.clone(),
        ),
        (
            "ResourcePoolStatusRequestSpec.defaultPartitionTypeAttribute",
            partition,
        ),
        ("ExactDeviceRequest.derivedAttributes", derived.clone()),
        ("DeviceSubRequest.derivedAttributes", derived.clone()),
        ("DeviceRequest.derivedAttributes", derived),
        (
            "Device.nodeAllocatableResources",
            json!([
                false,
                null,
                null,
                null,
                open,
                ["DRANodeAllocatableResources"]
            ]),
        ),
        (
            "BasicDevice.nodeAllocatableResources",
            json!([
                false,
                null,
                null,
                null,
                open,
                ["DRANodeAllocatableResources"]
            ]),
        ),
        ("NodeAllocatableResource.mapping", plain.clone()),
        ("NodeAllocatableResource.overhead", plain.clone()),
        ("NodeAllocatableMapping.capacityKey", plain.clone()),
        (
            "NodeAllocatableMapping.capacityMultiplier",
            quantity.clone(),
        ),
        ("NodeAllocatableMapping.deviceMultiplier", quantity.clone()),
        ("NodeAllocatableOverhead.perPod", quantity.clone()),
        ("NodeAllocatableOverhead.perContainer", quantity.clone()),
        (
            "PoolStatus.partitionSummary",
            json!([false, null, 32, null, open, []]),
        ),
        ("PoolStatus.shareableSummary", plain.clone()),
        ("PartitionTypeStatus.attribute", required.clone()),
        ("PartitionTypeStatus.type", required.clone()),
        ("PartitionTypeStatus.total", required.clone()),
        ("PartitionTypeStatus.allocatable", required.clone()),
        (
            "ShareableSummaryStatus.fullyAvailableDevices",
            required.clone(),
        ),
        (
            "ShareableSummaryStatus.partiallyAvailableDevices",
            required.clone(),
        ),
        (
            "ShareableSummaryStatus.capacity",
            json!([false, null, 32, null, open, []]),
        ),
        ("ShareableCapacityStatus.name", required.clone()),
        ("ShareableCapacityStatus.total", required.clone()),
        ("ShareableCapacityStatus.consumed", required.clone()),
        ("ShareableCapacityStatus.available", required.clone()),
    ]);
    let mut structs = Vec::new();
    for version in VERSIONS
        .iter()
        .filter(|version| version.family == Family::Device)
    {
        version
            .kinds
            .iter()
            .for_each(|kind| collect(kind.schema, &mut structs));
    }
    let mut seen = std::collections::BTreeSet::new();
    for schema in structs {
        for field in schema.fields.iter().filter(|field| field.since.minor == 37) {
            let name = format!("{}.{}", schema.go, field.json);
            assert_eq!(
                wanted.get(name.as_str()),
                Some(&told(schema, field)),
                "`{name}` in `wanted`"
            );
            seen.insert(name);
        }
    }
    assert_eq!(
        seen.iter().map(String::as_str).collect::<Vec<_>>(),
        wanted.keys().copied().collect::<Vec<_>>()
    );
}

#[test]
fn a_new_field_of_1_37_under_the_pointer() {
    let text = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: d\n  skip▮NodeOperations: ['*']\n";
    let hover = hover(text);
    assert_eq!(hover["field"]["since"], "1.37");
    assert_eq!(
        hover["field"]["gates"],
        json!(["DRAOptionalNodeOperations"])
    );
    assert_eq!(
        hover["field"]["values"],
        json!(["*", "NodePrepareResources", "NodeUnprepareResources"])
    );
    assert_eq!(hover["field"]["listType"], "set");
    let text = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        derivedAttributes:\n        - expression: device.dri▮ver\n";
    assert_eq!(ask(&request(text))["documentation"], "string");
}
