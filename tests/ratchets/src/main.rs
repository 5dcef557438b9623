//! One fixed piece of work, for counting its instructions: `claimkit-ratchets NAME`. What makes it ready, and a first run, are
//! not counted.

use claimkit::PreparedCluster;
use claimkit::requests::request::{
    AllocateRequest, CelRequest, ConvertRequest, EvaluateRequest, ValidateRequest,
};
use claimkit::requests::{self, Answer, Request};
use claimkit_model::limits::Limits;
use claimkit_scheduler::PreparedNodes;
use std::fmt::Write;
use std::hint::black_box;
use std::process::ExitCode;

/// About 850 bytes, as people write them.
const CLAIM: &str = include_str!("../claim.yaml");

/// Documents of the file that is converted, a third of each kind.
const DOCUMENTS: usize = 30;
/// Documents of a large file: what grows with their square shows.
const MANY: usize = 1_000;
const NODES: usize = 1_000;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "validate" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(CLAIM.into()),
                ..ValidateRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "validate-v1" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(claim_of_v1()),
                ..ValidateRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "validate-findings" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(claim_with_findings()),
                ..ValidateRequest::default()
            });
            assert_eq!(
                requests::run(&request)
                    .findings
                    .iter()
                    .filter(|finding| finding.object == Some(0))
                    .count(),
                3
            );
            count_answers(false, || requests::run(black_box(&request)))
        }
        "validate-many" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(manifests(MANY)),
                ..ValidateRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "validate-slice" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(slice(DEVICES)),
                ..ValidateRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "validate-half-slice" => {
            let request = Request::Validate(ValidateRequest {
                text: Some(slice(DEVICES / 2)),
                ..ValidateRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "convert" => {
            let request = Request::Convert(ConvertRequest {
                text: Some(manifests(DOCUMENTS)),
                to: Some("v1alpha1".into()),
                ..ConvertRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "convert-line" => {
            let request = Request::Convert(ConvertRequest {
                text: Some(claims_in_one_line(MANY)),
                to: Some("v1".into()),
                ..ConvertRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "cel-compile" => {
            let request = Request::Cel(CelRequest {
                expression: Some(COMPARISONS.into()),
                ..CelRequest::default()
            });
            count(|| requests::run(black_box(&request)))
        }
        "prepare" => {
            let text = nodes();
            let request = EvaluateRequest {
                selector: Some(SELECTOR.into()),
                ..EvaluateRequest::default()
            };
            let all = PreparedNodes::read(&text, &Limits::default());
            // The selector's answer is as short as can be: nearly all of it is the reading.
            assert_eq!(all.len(), NODES);
            count(|| {
                requests::evaluate_on(
                    &request,
                    &PreparedNodes::read(black_box(&text), &Limits::default()),
                )
            })
        }
        "evaluate" => {
            let request = EvaluateRequest {
                text: Some(class_and_claim()),
                ..EvaluateRequest::default()
            };
            let nodes = PreparedNodes::read(&nodes(), &Limits::default());
            count(|| requests::evaluate_on(black_box(&request), &nodes))
        }
        "prepare-cluster" => {
            let text = cluster(CLUSTER);
            let one = AllocateRequest {
                text: Some(PENDING.into()),
                node_names: Some(Vec::new()),
                ..AllocateRequest::default()
            };
            // The request names no nodes, so the answer is not ok; nearly all instructions are those of reading.
            count_answers(false, || {
                requests::allocate_on(
                    &one,
                    &PreparedCluster::read(black_box(&text), None, None, &Limits::default()),
                )
            })
        }
        "allocate" => {
            let request = AllocateRequest {
                text: Some(PENDING.into()),
                ..AllocateRequest::default()
            };
            let cluster = PreparedCluster::read(&cluster(CLUSTER), None, None, &Limits::default());
            count(|| requests::allocate_on(black_box(&request), &cluster))
        }
        "in-turn" => in_turn(TURNS),
        // Half the size, to see whether the work grows with the square of pods and nodes.
        "half-in-turn" => in_turn(TURNS / 2),
        other => {
            eprintln!("claimkit-ratchets: no work has the name `{other}`");
            ExitCode::from(2)
        }
    }
}

/// Works twice; instructions are counted inside [`counted`] alone.
fn count(work: impl Fn() -> Answer) -> ExitCode {
    count_answers(true, work)
}

/// The same of work whose answers are so: `ok` or not.
fn count_answers(ok: bool, work: impl Fn() -> Answer) -> ExitCode {
    let work = || black_box(requests::print(&work()));
    let first = work();
    assert!(
        first.contains(&format!("\"ok\":{ok}")),
        "{}",
        first.chars().take(2_000).collect::<String>()
    );
    counted(&|| {
        work();
    });
    ExitCode::SUCCESS
}

/// Named for valgrind's `--toggle-collect`.
#[inline(never)]
#[unsafe(export_name = "claimkit_counted")]
fn counted(work: &dyn Fn()) {
    work();
}

/// The same claim as a claim of v1: its metadata are the same, and its spec is as long.
fn claim_of_v1() -> String {
    let head = CLAIM
        .split("spec:")
        .next()
        .unwrap_or_default()
        .replace("v1alpha2", "v1");
    format!(
        "{head}spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: gpu.example.com\n        allocationMode: ExactCount\n        count: 1   # the driver needs to know the node\n"
    )
}

/// The same claim with three mistakes: a field that does not exist, a label that cannot be one, and a value that is not allowed.
fn claim_with_findings() -> String {
    let text = CLAIM.replace(
        "allocationMode: WaitForFirstConsumer",
        "allocationMode: Later\n  unknownField: 5",
    );
    text.replace("team: machine-learning", "team: machine learning!")
}

/// Devices of the largest slice that a server takes.
const DEVICES: usize = 128;

/// About 320 bytes for each device, 40 KB for the largest slice.
fn slice(devices: usize) -> String {
    let mut text = String::from(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: node-1-gpus\nspec:\n  driver: gpu.example.com\n  nodeName: node-1\n  pool:\n    name: node-1\n    generation: 1\n    resourceSliceCount: 1\n  devices:\n",
    );
    for n in 0..devices {
        let _ = write!(
            text,
            "  - name: gpu-{n}\n    attributes:\n      uuid:\n        string: GPU-{n:08}-0000-0000-0000-000000000000\n      productName:\n        string: Example A100 80GB\n      driverVersion:\n        version: 550.54.15\n      index:\n        int: {n}\n      mig:\n        bool: false\n    capacity:\n      memory:\n        value: 80Gi\n      multiprocessors:\n        value: \"108\"\n"
        );
    }
    text
}

fn manifests(documents: usize) -> String {
    let one = |n: usize| match n % 3 {
        0 => CLAIM.replace("nightly-training-gpu", &format!("claim-{n}")),
        // The first class is the one that the claims and templates name.
        1 => format!(
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu{}.example.com\ndriverName: gpu.example.com\nsuitableNodes:\n{TERMS}",
            if n == 1 {
                String::new()
            } else {
                format!("-{n}")
            }
        ),
        _ => format!(
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata:\n  name: template-{n}\nspec:\n  metadata:\n    labels: {{app: inference, tier: backend}}\n  spec:\n    resourceClassName: gpu.example.com\n    allocationMode: WaitForFirstConsumer\n"
        ),
    };
    (0..documents).map(one).collect::<Vec<_>>().join("---\n")
}

/// Claims as `kubectl get --raw` and `jq -c` print them.
fn claims_in_one_line(count: usize) -> String {
    let one = |n: usize| {
        format!(
            r#"{{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{{"name":"claim-{n}","namespace":"default"}},"spec":{{"devices":{{"requests":[{{"name":"gpu","deviceClassName":"gpu.example.com"}}]}}}}}}"#
        )
    };
    let items: Vec<String> = (0..count).map(one).collect();
    format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#,
        items.join(",")
    )
}

/// A device selector as people write them, the same as in tests/peers/cel.mjs.
const COMPARISONS: &str = "device.driver == \"gpu.example.com\" && device.attributes[\"gpu.example.com\"].model == \"A100\" && device.attributes[\"gpu.example.com\"].memory >= 40";

const SELECTOR: &str =
    "nodeSelectorTerms:\n- matchFields:\n  - {key: metadata.name, operator: In, values: [none]}\n";

const TERMS: &str = "  nodeSelectorTerms:
  - matchExpressions:
    - {key: gpu.example.com/model, operator: In, values: [a100, 'h100', \"l40\"]}
    - key: gpu.example.com/count
      operator: Gt
      values: ['4']
    - {key: topology.kubernetes.io/zone, operator: NotIn, values: [eu-1]}
  - matchExpressions:
    - {key: example.com/reserved, operator: DoesNotExist}
    - {key: rack, operator: In, values: [r1, r2, r3]}
";

fn class_and_claim() -> String {
    format!(
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu\ndriverName: gpu.example.com\nsuitableNodes:\n{TERMS}---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: one\nspec:\n  resourceClassName: gpu\n"
    )
}

/// Nodes as kubectl prints them, without what placement does not look at.
fn nodes() -> String {
    let mut out = String::from("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [");
    for n in 0..NODES {
        let comma = if n == 0 { "" } else { "," };
        let model = ["a100", "h100", "t4"][n % 3];
        let _ = write!(
            out,
            r#"{comma}
    {{
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {{
            "labels": {{
                "kubernetes.io/hostname": "node-{n:05}",
                "topology.kubernetes.io/zone": "eu-{}",
                "gpu.example.com/model": "{model}",
                "gpu.example.com/count": "{}",
                "rack": "r{}"
            }},
            "name": "node-{n:05}.cluster.example.com"
        }},
        "status": {{"capacity": {{"cpu": "64", "memory": "260Gi"}}}}
    }}"#,
            n % 3,
            n % 9,
            n % 211
        );
    }
    out + "\n]}\n"
}

/// Nodes of the cluster that a claim is placed in, with eight devices each.
const CLUSTER: usize = 100;

/// Nodes, slices and a class as `kubectl get -o yaml` prints them, in one List.
fn cluster(nodes: usize) -> String {
    let mut out = String::from(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1\n  kind: DeviceClass\n  metadata:\n    name: gpu\n  spec:\n    selectors:\n    - cel:\n        expression: device.driver == \"gpu.example.com\"\n",
    );
    for n in 0..nodes {
        let _ = write!(
            out,
            "- apiVersion: v1\n  kind: Node\n  metadata:\n    labels:\n      kubernetes.io/hostname: node-{n}\n      topology.kubernetes.io/zone: eu-{}\n    name: node-{n}\n  status:\n    allocatable:\n      cpu: \"64\"\n      memory: 260Gi\n",
            n % 3
        );
        let _ = write!(
            out,
            "- apiVersion: resource.k8s.io/v1\n  kind: ResourceSlice\n  metadata:\n    name: node-{n}-gpus\n  spec:\n    devices:\n"
        );
        for at in 0..8 {
            let _ = write!(
                out,
                "    - attributes:\n        index:\n          int: {at}\n        model:\n          string: a100\n        uuid:\n          string: GPU-{n:08}-0000-0000-0000-{at:012}\n      capacity:\n        memory:\n          value: 80Gi\n      name: gpu-{at}\n"
            );
        }
        let _ = write!(
            out,
            "    driver: gpu.example.com\n    nodeName: node-{n}\n    pool:\n      generation: 1\n      name: node-{n}\n      resourceSliceCount: 1\n"
        );
    }
    out
}

/// Pods that are placed one after another, on twice as many nodes.
const TURNS: usize = 250;

/// Places the pods of a Deployment, with a device for each.
fn in_turn(pods: usize) -> ExitCode {
    let cluster = PreparedCluster::read(&cluster(2 * pods), None, None, &Limits::default());
    let text = format!(
        "{TEMPLATE}---\n{}",
        DEPLOYMENT.replace("REPLICAS", &pods.to_string())
    );
    let request = AllocateRequest {
        text: Some(text),
        ..AllocateRequest::default()
    };
    let answer = requests::print(&requests::allocate_on(&request, &cluster));
    assert_eq!(answer.matches("\"outcome\":\"bound\"").count(), pods);
    count(|| requests::allocate_on(black_box(&request), &cluster))
}

const TEMPLATE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
";

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: REPLICAS
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: x, resources: {requests: {cpu: 100m}, claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
";

/// A claim that no device of the cluster satisfies.
const PENDING: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: pending
  namespace: default
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu
        selectors:
        - cel:
            expression: device.attributes[\"gpu.example.com\"].model == \"a100\"
        - cel:
            expression: device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0
        - cel:
            expression: device.attributes[\"gpu.example.com\"].index >= 9
";
