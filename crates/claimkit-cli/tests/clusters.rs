//! Clusters that were recorded on a real control plane: what the command says of pods that waited there, and in how few lines.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use claimkit_cli::{Exit, Host, run};
use std::io::Read;
use std::path::Path;

/// Maximum number of lines about one pod.
const MOST_LINES: usize = 12;

/// Files of `tests/cases`, by their names without the ending, and what was printed.
#[derive(Default)]
struct Recorded {
    out: String,
    err: String,
}

/// Returns the objects of a case.
fn objects(case: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{case}.yaml.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

impl Host for Recorded {
    fn read(&mut self, path: &str, _most: usize) -> Result<Vec<u8>, String> {
        Ok(objects(path).into_bytes())
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}

/// Returns what a command line prints, with words that belong together in one line.
fn answered(line: &str) -> (Exit, String) {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut host = Recorded::default();
    let exit = run(&words, &mut host);
    assert!(!host.out.is_empty(), "{line}: {}", host.err);
    (exit, host.out)
}

fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A pod that waited: what is said of it, and what never is.
struct Case {
    /// The file and the pod.
    asks: &'static str,
    says: &'static [&'static str],
    never: &'static [&'static str],
}

const fn case(
    asks: &'static str,
    says: &'static [&'static str],
    never: &'static [&'static str],
) -> Case {
    Case { asks, says, never }
}

/// Advice, and the sentence that a pod can run.
const HOPE: &[&str] = &["What helps", "can take it"];

const CASES: &[Case] = &[
    case(
        "pvc-missing c25/p",
        &["persistentvolumeclaim \"no-such\" not found"],
        HOPE,
    ),
    case(
        "pvc-wffc-pv-elsewhere c27/p",
        &["node(s) didn't find available persistent volumes to bind"],
        HOPE,
    ),
    case(
        "csi-volume-limit c29/p",
        &[
            "c29-a: volumes of csi.example.com (PersistentVolumeClaim d2): 1 wanted, 1 of 1 are there",
        ],
        &["can take it"],
    ),
    case(
        "pvc-missing-and-devices-held c65/p",
        &["persistentvolumeclaim \"no-such\" not found"],
        &["What helps", "can take it", "freeing"],
    ),
    case(
        "binding-conditions c46/p",
        &[
            "c46/p waits on c46-a, until it has the binding conditions of its devices: example.com/attached",
        ],
        HOPE,
    ),
    case(
        "admin-label-gone c22/p",
        &[
            "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label",
        ],
        HOPE,
    ),
    case("quota-claims c52/p", &["exceeded quota: q"], HOPE),
    case(
        "nodename-by-hand c57/p",
        &[
            "c57/p has a node: c57-a. It does not start: its ResourceClaim",
            "is not allocated",
        ],
        HOPE,
    ),
    case(
        "all-incomplete-pool-suggestion c50/p",
        &["its pool is incomplete: 1 of 2 slices"],
        HOPE,
    ),
    case(
        "gang-three-of-two g01/p0",
        &["minCount (3) cannot be satisfied: 2 scheduled"],
        &["freeing"],
    ),
    case(
        "gang-three-of-two g01/p2",
        &["cannot allocate all claims"],
        &["freeing", "held by"],
    ),
    case("podgroup-missing g03/p0", &["PodGroup no-group"], HOPE),
    case(
        "gang-member-gated g06/p0",
        &["g06/p1 of its group team, which is held back"],
        HOPE,
    ),
    case(
        "higher-pod-waits-for-pvc n01/p",
        &["cpu: 100 wanted, 64 of 64 left"],
        &["held by n01/a", "making room", "What helps"],
    ),
    case(
        "pools-drowned pools/p",
        &[
            "r-g-0, r-g-1: the node is cordoned",
            "What helps: uncordoning the node: gives the pod its devices on r-g-0 or r-g-1 (kubectl uncordon r-g-0)",
        ],
        &[],
    ),
];

#[test]
fn pods_are_explained_in_a_few_lines() {
    for Case { asks, says, never } in CASES {
        let (file, pod) = asks.split_once(' ').unwrap();
        let (_, text) = answered(&format!("why -f {file} {pod}"));
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{asks}: {lines} lines\n{text}");
        let said = unwrapped(&text);
        for part in *says {
            assert!(said.contains(part), "{asks}: without {part:?}\n{text}");
        }
        for part in *never {
            assert!(!said.contains(part), "{asks}: says {part:?}\n{text}");
        }
    }
}

#[test]
fn every_pod_of_a_large_cluster_has_a_reason() {
    let (_, text) = answered("why -f why-all-budget -A");
    let said = unwrapped(&text);
    assert!(!said.contains("can give it its devices"), "{text}");
    let (_, all) = answered("why -f why-all-budget -A -o json");
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    let pods = all["pods"].as_array().unwrap();
    assert!(pods.len() > 70, "{}", pods.len());
    // The pods that are short of cpu or memory are not said to lack devices.
    assert!(said.contains("too little memory"), "{text}");
    let lines = text.lines().count();
    assert!(lines < 4 * pods.len(), "{lines} lines\n{text}");
}

/// What was planted in a cluster, by words of the finding about it.
const PLANTED: &[&str] = &[
    "pod faults2/cross is on node f2-a, and its claim faults2/cross",
    "pod faults2/unalloc is on node f2-a, and its claim faults2/unalloc is not allocated",
    "pod faults2/notres is on node f2-a, and its claim faults2/notres is not reserved for it",
    "claim faults2/unreserved is allocated and reserved for nobody",
    "claim faults2/noexec holds device gpu.example.com/f2-a/gpu-3",
    "pod faults2/nodegone is on node f2-zzz, which is not there",
    "f2-empty",
    "f2-nobody",
    "nocls",
    "ResourceClaimTemplate faults2/admin-tmpl asks for admin access",
    "faults2/toomany",
    "claim faults2/nonpod is reserved for",
];

#[test]
fn planted_faults_are_found() {
    let (_, text) = answered("audit audit-missed");
    let mut host = Recorded::default();
    run(&["audit", "audit-missed"].map(str::to_owned), &mut host);
    let said = unwrapped(&format!("{text}{}", host.err));
    for part in PLANTED {
        assert!(said.contains(part), "without {part:?}\n{said}");
    }
}
