//! The command line as it is typed, without files and terminal.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use claimkit_cli::{CHANGES, Exit, Host, Ran, RunEnd, run};
use std::borrow::Cow;

/// One text under every name, by default a DeviceClass with a mistake, and what was printed.
#[derive(Default)]
struct Memory {
    out: String,
    err: String,
    is_plugin: bool,
    text: Option<Cow<'static, str>>,
    /// The folder in which the command runs.
    folder: Option<&'static str>,
    /// The slices of a cluster of 1.37 that kubectl reaches, as JSON.
    slices: Option<&'static str>,
}

const CLASS: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {selector: []}\n";

impl Host for Memory {
    fn read(&mut self, _path: &str, _most: usize) -> Result<Vec<u8>, String> {
        Ok(self.text.as_deref().unwrap_or(CLASS).as_bytes().to_vec())
    }

    fn folder(&self) -> Option<String> {
        self.folder.map(str::to_owned)
    }

    fn is_plugin(&self) -> bool {
        self.is_plugin
    }

    fn kubectl(&mut self, arguments: &[String], _most: usize) -> Result<Ran, String> {
        let slices = self.slices.ok_or("no cluster")?;
        let list = |items: &str| {
            format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{items}]}}")
        };
        let address = arguments
            .iter()
            .find_map(|word| word.strip_prefix("--raw="));
        let out = match address.and_then(|address| address.split('?').next()) {
            None if arguments.iter().any(|word| word == "version") => {
                "{\"serverVersion\": {\"gitVersion\": \"v1.37.2\"}}".to_owned()
            }
            None => "{}".to_owned(),
            Some("/metrics") => String::new(),
            Some("/apis/resource.k8s.io") => "{\"versions\": [{\"version\": \"v1\"}]}".to_owned(),
            Some(path) if path.ends_with("/resourceslices") => list(slices),
            Some(_) => list(""),
        };
        Ok(Ran {
            out: out.into_bytes(),
            err: String::new(),
            end: RunEnd::Success,
        })
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}

/// The output and the exit of a command line.
struct Answered {
    exit: Exit,
    out: String,
    err: String,
}

fn typed_in(mut memory: Memory, line: &str) -> Answered {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let exit = run(&words, &mut memory);
    Answered {
        exit,
        out: memory.out,
        err: memory.err,
    }
}

fn typed(line: &str) -> Answered {
    typed_in(Memory::default(), line)
}

#[test]
fn options_stand_anywhere_after_the_verb() {
    let first = typed("validate a.yaml --output json -r 1.36");
    assert_eq!(first.exit, Exit::Findings);
    assert!(first.out.contains("unknown-field"), "{}", first.out);
    for line in [
        "validate --output=json -r1.36 a.yaml",
        "validate -o json -f a.yaml --release 1.36",
        "validate -ojson --release=1.36 -- a.yaml",
    ] {
        let other = typed(line);
        assert_eq!(
            (other.exit, other.out),
            (first.exit, first.out.clone()),
            "{line}"
        );
    }
}

#[test]
fn misspelt_words_are_refused_with_the_nearest_one() {
    for (line, nearest) in [
        ("validate --relese 1.36 a.yaml", "--release"),
        ("validat a.yaml", "validate"),
        ("validate --output jsn a.yaml", "json"),
        ("validate --ignore unknown-feild a.yaml", "unknown-field"),
        ("codes unknown-feild", "unknown-field"),
    ] {
        let answered = typed(line);
        assert_eq!(answered.exit, Exit::Unusable, "{line}");
        assert_eq!(answered.out, "", "{line}");
        assert!(answered.err.contains(nearest), "{line}: {}", answered.err);
    }
}

#[test]
fn options_that_do_not_agree_are_refused() {
    for line in [
        "validate",
        "validate --fix -",
        "validate --diff a.yaml",
        "validate --operation update a.yaml",
        "validate --operation create --old b.yaml a.yaml",
        "validate --old - -",
        "validate --release 1.36 --release 1.35 a.yaml",
        "validate --context x a.yaml",
        "validate --gates DRAAdminAccess=perhaps a.yaml",
        "validate --namespace-labels a a.yaml",
        "convert a.yaml",
        "convert --to v1 --in-place --diff a.yaml",
        "convert --to v1 --output json --check a.yaml",
        "convert --to v1 --in-place -",
        "evaluate a.yaml",
        "evaluate --nodes n.yaml --selector s.yaml a.yaml",
        "patch p.yaml",
        "why pod0 --all-namespaces",
        "why a b",
        "allocate --what-if fre=x a.yaml",
        "schema A B",
        "policy a.yaml",
        "batch x",
        "completion tcsh",
        "",
    ] {
        let answered = typed(line);
        assert_eq!(answered.exit, Exit::Unusable, "{line}");
        assert_ne!(answered.err, "", "{line}");
    }
}

#[test]
fn help_names_the_program_as_it_was_called() {
    let plugin = || Memory {
        is_plugin: true,
        ..Memory::default()
    };
    for line in ["help why", "why --help", "why -h"] {
        let answered = typed_in(plugin(), line);
        assert_eq!(
            (answered.exit, answered.err.as_str()),
            (Exit::Fine, ""),
            "{line}"
        );
        assert!(
            answered.out.contains("Usage: kubectl claimkit why"),
            "{line}: {}",
            answered.out
        );
        assert!(typed(line).out.contains("Usage: claimkit why"), "{line}");
    }
    let version = typed("--version").out;
    assert!(
        version.starts_with("claimkit ") && version.contains("newest Kubernetes release known"),
        "{version}"
    );
}

/// The page writes changes as the command line does.
#[test]
fn the_page_has_the_changes_of_the_command_line() {
    let page =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/src/state/whatif.ts");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, lists) = page
        .split_once("const LISTS: Record<string, NameList> = {")
        .unwrap();
    let (lists, _) = lists.split_once("};").unwrap();
    let lists: Vec<&str> = lists
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let expected: Vec<String> = CHANGES
        .iter()
        .map(|kind| {
            if kind.word.contains('-') {
                format!("\"{}\": \"{}\",", kind.word, kind.member)
            } else {
                format!("{}: \"{}\",", kind.word, kind.member)
            }
        })
        .collect();
    assert_eq!(lists, expected);
}

/// A claim in a version that 1.38 no longer serves.
const OLD_CLAIM: &str = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c, namespace: ml}\nspec: {devices: {requests: [{name: r, deviceClassName: gpu}]}}\n";

fn with_text(text: &'static str, line: &str) -> Answered {
    typed_in(
        Memory {
            text: Some(text.into()),
            ..Memory::default()
        },
        line,
    )
}

#[test]
fn an_upgrade_is_asked_about_with_to() {
    for verb in ["audit", "validate"] {
        let breaks = with_text(
            OLD_CLAIM,
            &format!("{verb} --release 1.37 --to 1.38 f.yaml"),
        );
        assert_eq!(breaks.exit, Exit::Findings, "{verb}: {}", breaks.err);
        assert!(breaks.out.contains("v1beta1"), "{verb}: {}", breaks.out);
        assert!(
            breaks.out.contains("from 1.37.2 to 1.38.0-beta.0: "),
            "{verb}: {}",
            breaks.out
        );
        let ignored = with_text(
            OLD_CLAIM,
            &format!("{verb} --release 1.37 --to 1.38 --ignore upgrade-version f.yaml"),
        );
        assert!(
            ignored.out.contains(": 0 problems in 1 object"),
            "{verb}: {}{}",
            ignored.out,
            ignored.err
        );
        let fine = with_text(
            OLD_CLAIM,
            &format!("{verb} --release 1.34 --to 1.35 f.yaml"),
        );
        assert_eq!(fine.exit, Exit::Fine, "{verb}: {}{}", fine.out, fine.err);
        let json = with_text(
            OLD_CLAIM,
            &format!("{verb} --release 1.37 --to 1.38 -o json f.yaml"),
        );
        assert!(
            json.out.starts_with("{\"verb\":\"upgrade\""),
            "{}",
            json.out
        );
    }
}

/// A slice with an attribute whose name 1.38 refuses.
const OLD_SLICE: &str = "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": {\"name\": \"s\"}, \"spec\": {\"driver\": \"gpu.example.com\", \"pool\": {\"name\": \"p\", \"generation\": 1, \"resourceSliceCount\": 1}, \"allNodes\": true, \"devices\": [{\"name\": \"d\", \"attributes\": {\"a/b/c\": {\"int\": 1}}}]}}";

#[test]
fn a_running_cluster_is_asked_about_an_upgrade() {
    let ask = |slices: &'static str, is_plugin: bool, line: &str| {
        let memory = Memory {
            slices: Some(slices),
            is_plugin,
            ..Memory::default()
        };
        typed_in(memory, line)
    };
    let breaks = ask(OLD_SLICE, false, "audit --to 1.38 --live");
    assert_eq!(breaks.exit, Exit::Findings, "{}{}", breaks.out, breaks.err);
    assert!(
        breaks.out.contains("ResourceSlice s")
            && breaks
                .out
                .contains("\nfrom 1.37.2 to 1.38.0-beta.0: 1 problem in 1 object of the cluster\n"),
        "{}",
        breaks.out
    );
    // What is ignored is not counted.
    let ignored = ask(
        OLD_SLICE,
        false,
        "audit --to 1.38 --live --ignore upgrade-refused",
    );
    assert_eq!(ignored.exit, Exit::Fine, "{}{}", ignored.out, ignored.err);
    assert!(
        ignored.out.contains(": 0 problems in 1 object"),
        "{}",
        ignored.out
    );
    // As a plugin of kubectl the cluster is asked without a flag.
    let plugin = ask(OLD_SLICE, true, "audit --to 1.38");
    assert_eq!((plugin.exit, plugin.out), (breaks.exit, breaks.out));
    let json = ask(OLD_SLICE, false, "audit --to 1.38 --live -o json");
    assert!(
        json.out
            .starts_with("{\"verb\":\"upgrade\",\"ok\":false,\"server\":\"v1.37.2\""),
        "{}",
        json.out
    );
    let fine = ask("", false, "audit --to 1.38 --live");
    assert_eq!(fine.exit, Exit::Fine, "{}{}", fine.out, fine.err);
    let later = ask(OLD_SLICE, false, "audit --to 1.36 --live");
    assert_eq!(later.exit, Exit::Unusable);
}

#[test]
fn the_language_server_needs_a_host_that_serves() {
    let Answered { exit, err, .. } = typed("lsp --stdio");
    assert_eq!(exit, Exit::Unusable);
    assert_eq!(err, "claimkit: no editor can be served here\n");
}

fn typed_about(text: impl Into<Cow<'static, str>>, line: &str) -> Answered {
    let memory = Memory {
        text: Some(text.into()),
        ..Memory::default()
    };
    typed_in(memory, line)
}

/// Returns what was printed, with the words of broken lines together.
fn said(answered: &Answered) -> String {
    let all = format!("{} {}", answered.out, answered.err);
    all.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn labels_of_namespaces_in_the_input_count_for_policies() {
    let forbids = "admin access to devices requires";
    const WITHOUT: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: mon}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: mon}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]}}\n";
    const WITH: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: mon, labels: {resource.kubernetes.io/admin-access: 'true'}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: mon}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]}}\n";
    let refused = typed_about(WITHOUT, "admit a.yaml");
    assert_eq!(refused.exit, Exit::Findings);
    assert!(said(&refused).contains(forbids), "{}", refused.out);
    assert_eq!(typed_about(WITH, "admit a.yaml").exit, Exit::Fine);
    // A Namespace counts more than the labels of the command line, which are for all namespaces.
    let labelled = "--namespace-labels resource.kubernetes.io/admin-access=true";
    let refused = typed_about(WITHOUT, &format!("admit a.yaml {labelled}"));
    assert!(said(&refused).contains(forbids), "{}", refused.out);
    let accepted = typed_about(WITH, "admit a.yaml --namespace-labels a=b");
    assert_eq!(accepted.exit, Exit::Fine, "{}", accepted.out);
}

/// What a policy would refuse of a cluster's own slices; what is being deleted is nobody's to change.
#[test]
fn stored_objects_of_a_cluster_are_judged_before_a_policy_is_switched_on() {
    let stored = |settings: &'static str, words: &str| {
        let memory = Memory {
            text: Some(Cow::Borrowed(settings)),
            slices: Some(
                r#"{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s", "uid": "u1"}, "spec": {"driver": "gpu.example.com", "nodeName": "n", "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "d", "taints": [{"key": "a.example.com/b", "effect": "NoExecute"}]}]}},
                   {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "t", "uid": "u2", "deletionTimestamp": "2026-03-01T11:00:00Z"}, "spec": {"driver": "gpu.example.com", "nodeName": "n", "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "d", "taints": [{"key": "a.example.com/b", "effect": "NoExecute"}]}]}}"#,
            ),
            ..Memory::default()
        };
        typed_in(
            memory,
            &format!("admit --stored --live --settings s.yaml{words}"),
        )
    };
    const DENIED: &str = "sliceTaints: {deny: [{key: '*', effect: NoExecute}]}\n";
    let refused = stored(DENIED, "");
    assert_eq!(refused.exit, Exit::Findings, "{}", refused.err);
    assert_eq!(
        refused.out,
        "NAMESPACE  POLICY    SETTING      REFUSED  UNKNOWN  WARNED\n-          settings  sliceTaints  1        0        0\n\nsettings: ResourceSlice s: refused\n    sliceTaints: spec.devices[0].taints[0]: Forbidden: the policy does not accept a taint with the key `a.example.com/b` and the effect `NoExecute`\n1 object judged: 1 would be refused, 0 cannot be judged, 0 would cause a warning\n"
    );
    let json = stored(DENIED, " -o json");
    let read: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(read["results"][0]["reasons"][0]["setting"], "sliceTaints");
    assert_eq!(
        (&read["ok"], &read["refused"]),
        (&serde_json::json!(false), &serde_json::json!(1))
    );
    let warned = stored("mode: warn\nsliceTaints: {deny: [{key: '*'}]}\n", "");
    assert_eq!(warned.exit, Exit::Fine, "{}", warned.out);
    assert!(
        warned.out.contains("1 would cause a warning"),
        "{}",
        warned.out
    );
    let fine = stored("sliceTaints: {deny: [{driver: 'nic.*', key: '*'}]}\n", "");
    assert_eq!(fine.exit, Exit::Fine, "{}", fine.out);
    let wrong = stored("sliceTaints: {deny: [{driver: a}]}\n", "");
    assert_eq!(wrong.exit, Exit::Unusable, "{}", wrong.out);
}

const CLUSTER: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}, {name: g1}]}\n";

fn with_cluster(more: &str) -> String {
    format!("{CLUSTER}---\n{more}")
}

/// A pod that names something for its claim.
fn pod(name: &str, entry: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: team}}\nspec: {{containers: [{{name: c, image: x, resources: {{claims: [{{name: g}}]}}}}], resourceClaims: [{{name: g, {entry}}}]}}\n"
    )
}

const TEMPLATE: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: one, namespace: team}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n";

#[test]
fn what_was_meant_is_said_where_a_claim_is_missing() {
    let mixed_up = with_cluster(&format!(
        "{TEMPLATE}---\n{}",
        pod("p", "resourceClaimName: one")
    ));
    let answered = typed_about(mixed_up, "allocate a.yaml");
    let wanted = "`one` is a ResourceClaimTemplate: name it in `resourceClaimTemplateName`";
    assert!(said(&answered).contains(wanted), "{}", answered.out);

    let elsewhere = with_cluster(&format!(
        "{}---\n{}",
        TEMPLATE.replace("team", "other"),
        pod("p", "resourceClaimTemplateName: one")
    ));
    let answered = typed_about(elsewhere, "allocate a.yaml");
    let wanted = "ResourceClaimTemplate `one` is in namespace `other`, and the pod is in `team`";
    assert!(said(&answered).contains(wanted), "{}", answered.out);
}

#[test]
fn quotas_refuse_claims_from_templates() {
    let quota = |spec: &str| {
        format!(
            "{TEMPLATE}---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: few, namespace: team}}\nspec: {{{spec}}}\n---\n{}---\n{}",
            pod("a", "resourceClaimTemplateName: one"),
            pod("b", "resourceClaimTemplateName: one")
        )
    };
    let answered = |spec: &str| said(&typed_about(with_cluster(&quota(spec)), "allocate a.yaml"));
    let devices = answered("hard: {gpu.deviceclass.resource.k8s.io/devices: 1}");
    let wanted = "exceeded quota: few, requested: gpu.deviceclass.resource.k8s.io/devices=1, used: gpu.deviceclass.resource.k8s.io/devices=1, limited: gpu.deviceclass.resource.k8s.io/devices=1";
    assert!(devices.contains("team/a: n1"), "{devices}");
    assert!(devices.contains(wanted), "{devices}");
    let claims = answered("hard: {count/resourceclaims.resource.k8s.io: 0}");
    let wanted = "requested: count/resourceclaims.resource.k8s.io=1, used: count/resourceclaims.resource.k8s.io=0, limited: count/resourceclaims.resource.k8s.io=0";
    assert!(claims.contains(wanted), "{claims}");
    let enough = answered("hard: {count/resourceclaims.resource.k8s.io: 2}");
    assert!(enough.contains("2 of 2 have a node"), "{enough}");
    // A quota with scopes counts pods alone.
    for scopes in [
        "scopes: [BestEffort]",
        "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: Exists}]}",
    ] {
        let none = answered(&format!(
            "hard: {{count/resourceclaims.resource.k8s.io: 0}}, {scopes}"
        ));
        assert!(none.contains("2 of 2 have a node"), "{none}");
    }
}

#[test]
fn claims_of_pasted_dumps_keep_their_devices() {
    for redacted in [
        "creationTimestamp: REDACTED",
        "managedFields: '[...]'",
        "deletionTimestamp: XXXX",
        "generation: REDACTED",
        "ownerReferences: [{apiVersion: v1, kind: Pod, name: q}]",
        "finalizers: REDACTED",
    ] {
        let text = with_cluster(&format!(
            "{TEMPLATE}---\n{}---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: held, namespace: team, {redacted}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\nstatus: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: n1, device: g0}}]}}}}, reservedFor: [{{resource: pods, name: q, uid: u}}]}}\n",
            pod("p", "resourceClaimTemplateName: one")
        ));
        let answered = typed_about(text, "allocate a.yaml");
        assert!(
            answered.out.contains("r = g1"),
            "{redacted}: {}",
            said(&answered)
        );
    }
}

#[test]
fn nodes_that_were_not_given_are_no_reason() {
    const TEXT: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: team, uid: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team, uid: p}\nspec: {nodeSelector: {zone: a}, containers: [{name: c, image: x, resources: {claims: [{name: g}]}}], resourceClaims: [{name: g, resourceClaimName: c}]}\nstatus: {phase: Pending}\n";
    let answered = typed_about(TEXT, "why p -f dump.yaml");
    let said = said(&answered);
    assert!(
        said.contains("not known, for labels of its node are not given: zone"),
        "{said}"
    );
    assert!(!said.contains("What helps"), "{said}");
}

/// What a placed pod waits for is said once.
#[test]
fn binding_conditions_are_said_once() {
    const TEXT: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: g0, bindsToNode: true, bindingConditions: [a.b/ready], bindingFailureConditions: [a.b/failed]}]}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: team}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team}\nspec: {containers: [{name: c, image: x, resources: {claims: [{name: g}]}}], resourceClaims: [{name: g, resourceClaimName: c}]}\n";
    let answered = typed_about(TEXT, "allocate a.yaml");
    assert_eq!(
        answered.out.matches("a.b/ready").count(),
        1,
        "{}",
        answered.out
    );
}

#[test]
fn names_of_devices_are_strings() {
    let device = "driver: gpu.example.com\nname: n\nattributes: {model: {string: a}}\n";
    let slice = "kind: ResourceSlice\nspec: {driver: gpu.example.com, pool: {name: off}, devices: [{name: g0}]}\n";
    for (text, problem) in [
        (device, "a.yaml: `name` is `false` for YAML, not a string"),
        (
            slice,
            "a.yaml: `pool.name` is `false` for YAML, not a string",
        ),
    ] {
        let answered = typed_about(text, "cel true --device a.yaml");
        assert!(
            said(&answered).contains(problem),
            "{problem}: {}",
            said(&answered)
        );
    }
}

#[test]
fn owners_of_pods_can_be_asked_about() {
    const EVENT: &str = "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: team}\nreason: FailedCreate\nmessage: 'Error creating: pods \"web-x\" is forbidden: exceeded quota: q'\ninvolvedObject: {kind: ReplicaSet, name: web-5d4f, namespace: team}\n";
    let wanted = "No pod of deployment team/web exists, for it cannot be made: pods \"web-x\" is forbidden: exceeded quota: q";
    for line in [
        "why deployment/web -n team -f dump.yaml",
        "why deployment/web -f dump.yaml",
    ] {
        let answered = typed_about(EVENT, line);
        assert!(said(&answered).contains(wanted), "{}", said(&answered));
    }
}

#[test]
fn pods_of_files_are_found_in_their_namespace() {
    let pod = |namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: {namespace}, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}}]}}\nspec: {{nodeName: n1, containers: [{{name: c, image: x}}]}}\nstatus: {{phase: Running}}\n"
        )
    };
    let one = typed_about(pod("team"), "why job/j -f dump.yaml");
    assert!(
        said(&one).contains("team/p has a node: n1."),
        "{}",
        said(&one)
    );
    let two = format!("{}{}", pod("team"), pod("other"));
    let wanted = "pods of several namespaces are meant: other, team; `--namespace` names one";
    for line in ["why job/j -f dump.yaml", "why p -f dump.yaml"] {
        let answered = typed_about(two.clone(), line);
        assert!(answered.err.contains(wanted), "{}", answered.err);
    }
    let answered = typed_about(two, "why team/p -n other -f dump.yaml");
    let wanted = "the pod is in namespace team, and `--namespace` says other";
    assert!(answered.err.contains(wanted), "{}", answered.err);
}

/// A pod with a node does not run there without its devices, or while its kubelet is not ready.
#[test]
fn devices_and_nodes_that_are_lost_keep_pods_from_running() {
    let said_of = |node: &str, devices: &str| {
        let dump = format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n1}}\n{node}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: team, uid: u}}\nspec: {{nodeName: n1, containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}\nstatus: {{phase: Pending}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: team}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\nstatus: {{allocation: {{devices: {{results: [{{request: r, driver: a.com, pool: n1, device: d}}]}}}}, reservedFor: [{{resource: pods, name: p, uid: u}}]}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec: {{driver: a.com, nodeName: n1, pool: {{name: n1, generation: 1, resourceSliceCount: 1}}, devices: [{devices}]}}\n"
        );
        said(&typed_about(dump, "why p -f dump.yaml"))
    };
    assert_eq!(said_of("", "{name: d}"), "team/p has a node: n1.");
    let lost = said_of("", "{name: e}");
    assert!(
        lost.contains("Claim team/c holds device a.com/n1/d, which no slice publishes."),
        "{lost}"
    );
    for (status, wanted) in [
        (
            "'False', reason: KubeletNotReady",
            "Pod team/p is on node n1, which is not ready (KubeletNotReady).",
        ),
        ("Unknown", "Pod team/p is on node n1, which is unreachable."),
    ] {
        let node = format!("status: {{conditions: [{{type: Ready, status: {status}}}]}}");
        let said = said_of(&node, "{name: d}");
        assert!(said.contains(wanted), "{said}");
    }
}

/// A pod that asks for no devices may still be kept by its volumes, before any node is tried.
#[test]
fn the_reason_of_a_pod_without_devices_is_said() {
    let dump = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, uid: node-1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: other, uid: v}\nspec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: team, uid: d}\nspec: {accessModes: [ReadWriteOnce], volumeName: gone, resources: {requests: {storage: 1Gi}}}\nstatus: {phase: Lost}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team, uid: u}\nspec: {containers: [{name: c, image: x}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}\nstatus: {phase: Pending}\n";
    let said = said(&typed_about(dump, "why p -f dump.yaml"));
    assert!(
        said.contains("team/p waits, and no node is tried: persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"gone\""),
        "{said}"
    );
}

/// What a driver says of a condition that it has not met, and since when the pod waits for it.
#[test]
fn conditions_that_are_not_met_are_said_with_their_reasons() {
    let dump = |devices: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n1, uid: node-1}}\nstatus: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '10'}}}}\n---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: gpu, uid: g}}\nspec: {{}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s, uid: s}}\nspec: {{driver: a.com, nodeName: n1, pool: {{name: n1, generation: 1, resourceSliceCount: 1}}, devices: [{{name: d, bindingConditions: [a.com/attached], bindingFailureConditions: [a.com/failed]}}]}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: team, uid: c}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}}}]}}}}\nstatus: {{allocation: {{allocationTimestamp: '2026-11-20T10:00:00Z', devices: {{results: [{{request: r, driver: a.com, pool: n1, device: d, bindingConditions: [a.com/attached], bindingFailureConditions: [a.com/failed]}}]}}, nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [n1]}}]}}]}}}}, reservedFor: [{{resource: pods, name: p, uid: u}}]{devices}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: team, uid: u}}\nspec: {{containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}\nstatus: {{phase: Pending}}\n"
        )
    };
    for (devices, wanted) in [
        (
            "",
            "until it has the binding conditions of its devices: a.com/attached of a.com/n1/d; the devices were allocated at 2026-11-20T10:00:00Z.",
        ),
        (
            ", devices: [{driver: a.com, pool: n1, device: d, conditions: [{type: a.com/attached, status: 'False', reason: Attaching, message: fabric busy}]}]",
            "a.com/attached of a.com/n1/d (Attaching: fabric busy); the devices were allocated at 2026-11-20T10:00:00Z.",
        ),
    ] {
        let said = said(&typed_about(dump(devices), "why p -f dump.yaml"));
        assert!(said.contains(wanted), "{said}");
    }
}

/// A pod with a node starts when its claims are there, allocated and reserved.
#[test]
fn claims_keep_pods_from_starting() {
    let dump = |phase: &str, claim: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n1}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: team, uid: u}}\nspec: {{nodeName: n1, containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}\nstatus: {{phase: {phase}}}\n---\n{claim}"
        )
    };
    let claim = |name: &str, status: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: team}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\nstatus: {{{status}}}\n"
        )
    };
    let said_of = |phase: &str, claim: &str| {
        let answered = typed_about(dump(phase, claim), "why p -f dump.yaml");
        said(&answered)
    };
    let allocated = "allocation: {devices: {results: [{request: r, driver: a.com, pool: n1, device: d}]}}, reservedFor: [{resource: pods, name: p, uid: UID}]";
    let reserved_for = |uid: &str| claim("c", &allocated.replace("UID", uid));
    let starts = "It does not start";
    assert!(!said_of("Pending", &reserved_for("u")).contains(starts));
    let other = said_of("Pending", &reserved_for("another"));
    assert!(
        other.contains("It does not start before its ResourceClaim c is reserved for it"),
        "{other}"
    );
    let absent = said_of("Pending", &claim("another", ""));
    assert!(
        absent.contains("its ResourceClaim c is not there"),
        "{absent}"
    );
    // The files have no claims at all, or the pod runs or is lost.
    assert!(!said_of("Pending", "").contains(starts));
    for phase in ["Running", "Unknown"] {
        assert!(!said_of(phase, &claim("c", "")).contains(starts));
    }
}

#[test]
fn the_shape_of_a_template_is_recognized_in_a_claim() {
    const TEXT: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n";
    let answered = typed_about(TEXT, "validate a.yaml");
    let wanted = "`spec.spec` is the shape of a ResourceClaimTemplate";
    assert!(said(&answered).contains(wanted), "{}", said(&answered));
}

/// A dump of which a kind is not given: `--require` is not met, and no node is said to refuse the pod.
#[test]
fn what_was_not_given_is_not_known() {
    let stored = pod("p", "resourceClaimTemplateName: one").replace("name: p,", "name: p, uid: u,")
        + "status: {phase: Pending}\n";
    let known = typed_about(
        with_cluster(&format!("{TEMPLATE}---\n{stored}")),
        "allocate --require a.yaml",
    );
    assert_eq!(known.exit, Exit::Findings);
    assert!(
        said(&known).contains("ResourceClaim not created yet"),
        "{}",
        known.out
    );
    for line in [
        "allocate --require a.yaml",
        "allocate --require --how-many a.yaml",
    ] {
        let answered = typed_about(with_cluster(&stored), line);
        assert_eq!(answered.exit, Exit::Findings, "{line}");
        let said = said(&answered);
        assert!(
            said.contains("is not known, for resourceclaimtemplates were not given"),
            "{said}"
        );
        assert!(!said.contains("fits on no node"), "{said}");
        assert!(!said.contains("there is no"), "{said}");
    }
}

/// The nodes that decide come first, and only there it is said that nothing helps.
#[test]
fn nodes_without_devices_come_last() {
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: held, namespace: team, uid: u}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}\nstatus: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n1, device: g0}, {request: r, driver: gpu.example.com, pool: n1, device: g1}]}}, reservedFor: [{resource: pods, name: other, uid: o}]}\n";
    let plain = "apiVersion: v1\nkind: Node\nmetadata: {name: a0}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n";
    let text = format!(
        "{plain}---\n{CLUSTER}---\n{TEMPLATE}---\n{claim}---\n{}",
        pod("p", "resourceClaimTemplateName: one")
    );
    let answered = typed_about(text, "allocate a.yaml");
    let said = said(&answered);
    let (with, without) = (said.find("team/p on n1:"), said.find("team/p on a0:"));
    assert!(with.is_some() && with < without, "{said}");
    assert!(!said.contains("No single change"), "{said}");
}

/// A pod that gets another node than the one that is asked about.
#[test]
fn a_node_that_is_asked_about_is_said_to_fit() {
    let slice = CLUSTER.rsplit("---\n").next().unwrap_or_default();
    let node = CLUSTER.split("---\n").next().unwrap_or_default();
    let second = format!("{node}---\n{slice}")
        .replace("n1", "n2")
        .replace("name: s}", "name: s2}")
        .replace("cpu: '4'", "cpu: '2'");
    let text = format!(
        "{CLUSTER}---\n{second}---\n{TEMPLATE}---\n{}",
        pod("p", "resourceClaimTemplateName: one")
            .replace("resources: {", "resources: {requests: {cpu: '1'}, ")
    );
    let answered = typed_about(text, "allocate --node n2 a.yaml");
    let said = said(&answered);
    assert!(
        said.contains("team/p: n1 r = g0 n2 could take it, too"),
        "{said}"
    );
}

/// Pods of a group that does not start.
#[test]
fn a_group_that_does_not_start_is_said_to_keep_its_pods() {
    let group = "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: team, uid: g}\nspec: {schedulingPolicy: {gang: {minCount: 3}}}\n";
    let member = |name: &str| {
        pod(name, "resourceClaimTemplateName: one").replace(
            "spec: {containers",
            "spec: {schedulingGroup: {podGroupName: g}, containers",
        )
    };
    let text = with_cluster(&format!(
        "{TEMPLATE}---\n{group}---\n{}---\n{}---\n{}",
        member("p0"),
        member("p1"),
        member("p2")
    ));
    let answered = typed_about(text, "allocate --require --release 1.37 a.yaml");
    assert_eq!(answered.exit, Exit::Findings);
    let said = said(&answered);
    let takes = "claimkit: team/p0: n1 takes it, but its group does not start";
    assert!(said.contains(takes), "{said}");
    assert!(
        said.contains("claimkit: team/p2: fits on no node"),
        "{said}"
    );
    assert!(
        said.contains("after earlier pods, no node has gpu free"),
        "{said}"
    );
}

/// Two requests with equal counts whose selectors read different attributes.
const TWO_SELECTORS: &str = r#"apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: node-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: dev-a, attributes: {x: {int: 1}, z: {int: 1}}}
  - {name: dev-b, attributes: {w: {int: 1}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: one, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: 'has(device.attributes["d.example.com"].x)'}}]}}
    - {name: two, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: 'has(device.attributes["d.example.com"].z)'}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  resourceClaims: [{name: c, resourceClaimName: c}]
"#;

#[test]
fn requests_of_which_different_attributes_are_missing_have_their_own_lines() {
    let done = with_text(TWO_SELECTORS, "allocate --alone f.yaml");
    for said in [
        "one: 2 on the node",
        "d.example.com/x: 1 of 2 devices have it",
        "two: 2 on the node",
        "d.example.com/z: 1 of 2 devices have it",
    ] {
        assert!(done.out.contains(said), "{said}\n{}{}", done.out, done.err);
    }
}

/// The language server tells the editor what is wrong with the settings: one that does not start tells nothing.
#[test]
fn the_language_server_starts_beside_settings_with_a_mistake() {
    for (line, said) in [
        ("validate a.yaml", "claimkit: /p/claimkit.toml: "),
        ("lsp", "claimkit: no editor can be served here"),
    ] {
        let memory = Memory {
            text: Some("relase = \"1.34\"".into()),
            folder: Some("/p"),
            ..Memory::default()
        };
        let answered = typed_in(memory, line);
        assert_eq!(answered.exit, Exit::Unusable, "{line}");
        assert!(answered.err.starts_with(said), "{line}: {}", answered.err);
    }
}
