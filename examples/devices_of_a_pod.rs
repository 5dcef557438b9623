//! Asks which devices a pod gets on each node, and why it gets none.
//!
//! ```sh
//! kubectl get nodes,pods,resourceslices,resourceclaims,deviceclasses -A -o yaml > cluster.yaml
//! cargo run --example devices_of_a_pod -- cluster.yaml pod.yaml
//! ```

use claimkit::{AllocateOptions, Limits, PreparedCluster, allocate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(cluster), Some(pod)) = (arguments.next(), arguments.next()) else {
        return Err("usage: devices_of_a_pod CLUSTER POD".into());
    };
    for line in devices(
        &std::fs::read_to_string(cluster)?,
        &std::fs::read_to_string(pod)?,
    )? {
        println!("{line}");
    }
    Ok(())
}

/// Returns a line for each pod and node.
fn devices(cluster: &str, pod: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    // A cluster is read once and can be asked about many pods.
    let cluster = PreparedCluster::read(cluster, None, None, &Limits::default());
    let allocation = allocate(pod, &AllocateOptions::default().cluster(&cluster))?;
    let mut lines = Vec::new();
    for account in &allocation.pods {
        for node in &account.nodes {
            let about = account.pod.as_deref().unwrap_or("claims without a pod");
            let mut line = format!("{about} on {}:", node.name);
            for request in &node.requests {
                line += &format!(" {}", request.text);
            }
            lines.push(line);
        }
    }
    Ok(lines)
}

#[test]
fn shows_the_funnel_of_each_request() {
    let cluster = "
apiVersion: v1
kind: Node
metadata: {name: a}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a-gpus}
spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
";
    let pod = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: two, namespace: default}
spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: 2}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: default}
spec:
  containers: [{name: main, image: a}]
  resourceClaims: [{name: gpu, resourceClaimName: two}]
";
    let lines = devices(cluster, pod).unwrap();
    assert_eq!(
        lines,
        ["default/train on a: 1 on the node → 1 of class gpu → 1 free → wanted 2"]
    );
}
