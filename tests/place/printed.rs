//! Clusters as `kubectl get -o yaml` prints them, with troubles that are not among the scenarios: what is read first is the reason.

use super::lines::{list, text};
use serde_json::{Value, json};

fn told(name: &str, gates: &Value) -> Value {
    let path = format!("{}/tests/vectors/alloc/printed/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let yaml = std::fs::read_to_string(path).unwrap();
    let request = json!({"verb": "allocate", "release": "1.36.3", "gates": gates, "text": yaml});
    let answer: Value = serde_json::from_str(&claimkit::wire::answer(&request.to_string())).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    assert!(list(&answer, "findings").iter().all(|finding| finding["severity"] != "error"), "{}", answer["findings"]);
    answer["pods"][0]["nodes"][0].clone()
}

/// A rule taints the devices, and the toleration's key is a similar one.
#[test]
fn toleration_with_another_key() {
    let node = told("tolerated-elsewhere", &json!({"DRADeviceTaintRules": true}));
    let (taint, rule) = ("maintenance.example.com/firmware=2026-11:NoSchedule", "rule firmware-update");
    assert_eq!(
        text(&node, "text"),
        format!(
            "gpu-1: cannot allocate all claims; request gpu: 2 on the node → 2 of class gpu.example.com → 2 free → \
             0 not tainted → wanted 1; gpu-0, gpu-1: tainted {taint} by {rule} (toleration 0 has another key)"
        )
    );
    assert_eq!(node["relaxations"][0]["text"], format!("tolerating {taint} in request gpu: gives gpu-0 on gpu-1"));
    // Without the gate the scheduler does not look at rules.
    assert_eq!(told("tolerated-elsewhere", &json!({}))["verdict"], "allocated");
}

/// The first choice of a request cannot be met, but the second can: the trouble is another request.
#[test]
fn second_choice_would_do() {
    let node = told("second-choice-would-do", &json!({}));
    assert_eq!(
        text(&node, "text"),
        "gpu-1: cannot allocate all claims; request nic: 3 on the node → 1 of class rdma.example.net → 0 after selector 0 → \
         wanted 1; mlx5-0: selector 0 is false (rdma.example.net/speedGbps is 100)"
    );
    assert_eq!(list(&node, "relaxations").len(), 1);
}
