//! What is measured, and a Wasm module around it.

/// A file of `documents` manifests as people write them: claims, classes, templates, comments, quotes, flow maps, block text.
pub fn manifest(documents: usize) -> String {
    let mut text = String::new();
    for n in 0..documents {
        if n > 0 {
            text.push_str("---\n");
        }
        let team = n % 17;
        text.push_str(&match n % 3 {
            0 => format!(
                "# claim number {n}: managed by team-{team}\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: gpu-claim-{n:05}\n  namespace: team-{team}\n  labels:\n    app.kubernetes.io/name: \"trainer-{team}\"   # quoted\n    tier: backend\n  annotations:\n    description: >-\n      A claim that asks for one accelerator,\n      folded over two lines.\nspec:\n  resourceClassName: gpu.example.com\n  allocationMode: WaitForFirstConsumer\n  parametersRef:\n    apiGroup: gpu.example.com\n    kind: GpuClaimParameters\n    name: 'single-gpu'\n"
            ),
            1 => format!(
                "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu-{n}.example.com\ndriverName: gpu.resource.example.com\nsuitableNodes:\n  nodeSelectorTerms:\n  - matchExpressions:\n    - {{key: zone, operator: In, values: [a, 'b', \"c\"]}}\n    - key: gpu.example.com/memory\n      operator: Gt\n      values:\n      - \"40\"\n  - matchFields:\n    - key: metadata.name\n      operator: NotIn\n      values: [node-{team}]\n"
            ),
            _ => format!(
                "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata:\n  name: template-{n}\n  namespace: team-{team}\nspec:\n  metadata:\n    labels: {{app: inference, team: team-{team}}}\n  spec:\n    resourceClassName: gpu.example.com\n    # written out, though it is the default\n    allocationMode: WaitForFirstConsumer\n"
            ),
        });
    }
    text
}

/// Reads all events of a text, and their number.
pub fn events(text: &str) -> usize {
    let mut reader = claimkit_model::text::yaml::Reader::new(text);
    let mut count = 0;
    while let Ok(event) = reader.next_event() {
        count += 1;
        if event.kind == claimkit_model::text::yaml::EventKind::StreamEnd {
            break;
        }
    }
    count
}

/// Reads the first document of a text into a tree, and its number of nodes.
pub fn compose(text: &str) -> usize {
    claimkit_model::text::yaml::read(text, claimkit_model::text::yaml::Bounds::default())
        .tree
        .len()
}

/// Reads a text into trees as kubectl would, and their number of nodes.
pub fn tree(text: &str) -> usize {
    let file = claimkit_model::text::read(text, &claimkit_model::limits::Limits::default());
    file.documents
        .iter()
        .map(|document| document.tree.len())
        .sum()
}

/// Memory for a text of `length` bytes, never given back.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Vec::leak(vec![0; length]).as_mut_ptr()
}

/// # Safety
/// `text` is from [`allocate`], filled with `length` bytes of UTF-8.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn run(text: *const u8, length: usize) -> usize {
    let bytes = unsafe { std::slice::from_raw_parts(text, length) };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return 0;
    };
    if cfg!(feature = "events") {
        events(text)
    } else if cfg!(feature = "compose") {
        compose(text)
    } else if cfg!(feature = "tree") {
        tree(text)
    } else {
        text.len()
    }
}
