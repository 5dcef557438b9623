//! Decides an AdmissionRequest, as a webhook of your own would: the same answer that the policy modules give.
//!
//! ```sh
//! cargo run --example decide_admission < request.json
//! ```

use serde_json::{Value, json};
use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut request = String::new();
    std::io::stdin().read_to_string(&mut request)?;
    println!("{}", decide(serde_json::from_str(&request)?)?);
    Ok(())
}

fn decide(request: Value) -> Result<Value, serde_json::Error> {
    // Admin access only in one namespace; `pkg/policy/README.md` has all settings.
    let settings = json!({ "adminAccess": { "namespaces": ["gpu-operator"] } });
    let question = json!({ "verb": "admit", "request": request, "settings": settings });
    serde_json::from_str(&claimkit::requests::answer(&question.to_string()))
}

#[test]
fn refuses_admin_access_elsewhere() {
    let claim = |namespace: &str| {
        let request = json!({ "name": "gpu", "exactly": { "deviceClassName": "gpu.example.com", "adminAccess": true } });
        json!({
            "uid": "1", "operation": "CREATE", "namespace": namespace, "name": "all",
            "kind": { "group": "resource.k8s.io", "version": "v1", "kind": "ResourceClaim" },
            "resource": { "group": "resource.k8s.io", "version": "v1", "resource": "resourceclaims" },
            "userInfo": { "username": "alice" },
            "object": {
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                "metadata": { "name": "all", "namespace": namespace },
                "spec": { "devices": { "requests": [request] } },
            },
        })
    };
    let refused = decide(claim("team-a")).unwrap();
    assert_eq!(refused["response"]["accepted"], false, "{refused}");
}
