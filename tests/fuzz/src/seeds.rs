//! Makes seeds from the project's own tests. They are small, because long texts add little coverage and are slow.

use crate::answers::letter;
use crate::fixtures;
use serde_json::{Value, json};
use std::path::Path;

/// Longest seed.
const LONGEST: usize = 3000;

fn small(seeds: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    seeds
        .into_iter()
        .filter(|seed| seed.len() <= LONGEST)
        .collect()
}

/// The texts of a folder, by name.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml" || extension == "json")
        })
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    texts.sort();
    texts
}

/// What the first line of a manifest says about the request.
fn option<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let words = text.lines().next()?.strip_prefix("# claimkit: ")?;
    words
        .split_whitespace()
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn with_letter(letter: u8, text: &str) -> Vec<u8> {
    let mut seed = vec![letter];
    seed.extend_from_slice(text.as_bytes());
    seed
}

pub fn read(tests: &Path) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = texts(&tests.join("manifests"))
        .into_iter()
        .map(|(_, text)| text.into_bytes())
        .collect();
    for file in [
        "../crates/claimkit-yaml/tests/vectors/yaml_to_json.jsonl",
        "vectors/kubectl_stream.jsonl",
    ] {
        for line in std::fs::read_to_string(tests.join(file))
            .unwrap()
            .split('\n')
            .filter(|line| !line.is_empty())
        {
            let vector: Value = serde_json::from_str(line).unwrap();
            seeds.extend(vector["in"].as_str().map(|text| text.as_bytes().to_vec()));
        }
    }
    small(seeds)
}

pub fn decode(tests: &Path) -> Vec<Vec<u8>> {
    let manifests = texts(&tests.join("manifests"));
    small(manifests.iter().map(|(_, text)| {
        with_letter(
            letter(option(text, "release"), option(text, "via").is_some()),
            text,
        )
    }))
}

pub fn validate(tests: &Path) -> Vec<Vec<u8>> {
    let manifests = texts(&tests.join("manifests"));
    small(manifests.iter().map(|(_, text)| {
        let mut seed = with_letter(
            letter(option(text, "release"), option(text, "via").is_some()),
            text,
        );
        if let Some(old) = option(text, "old") {
            if option(text, "operation") == Some("updateStatus") {
                // The bytes after release, way and strictness: see `Options`.
                seed[0] = seed[0].wrapping_add(7 * 2 * 3);
            }
            seed.push(0);
            seed.extend(std::fs::read(tests.join("manifests/stored").join(old)).unwrap());
        }
        seed
    }))
}

pub fn convert(tests: &Path) -> Vec<Vec<u8>> {
    let files = texts(&tests.join("convert"));
    let files = files
        .iter()
        .filter(|(name, _)| name.contains(".in.") || name.contains(".out."));
    let mut seeds: Vec<Vec<u8>> = files
        .map(|(name, text)| {
            with_letter(
                if name.contains(".up.in") || name.contains(".down.out") {
                    b'D'
                } else {
                    b'F'
                },
                text,
            )
        })
        .collect();
    // Bytes that generate an object.
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for letter in [b'g', b'h'] {
        for from in (0..250).step_by(25) {
            seeds.push([&[letter], &bytes[from * 3..from * 3 + 200]].concat());
        }
    }
    small(seeds)
}

pub fn settings(tests: &Path) -> Vec<Vec<u8>> {
    let fixtures = fixtures::all(&tests.join("policy"));
    small(fixtures.iter().map(|fixture| match fixture.parts() {
        Some((request, settings)) => format!("{settings}\0{request}").into_bytes(),
        None => fixture.payload.clone(),
    }))
}

pub fn batch(tests: &Path) -> Vec<Vec<u8>> {
    let mut requests = vec![
        json!({"verb": "codes", "locale": "zh-Hans"}),
        json!({"verb": "releases"}),
        json!({"verb": "jsonSchema", "release": "1.27", "kind": "ResourceClass"}),
        json!({"verb": "parse", "raw": true, "text": "a: [1, 1.5, ~]\n"}),
        json!({"verb": "parse", "text": "a: 1\n", "labelSelector": "a in (b, c), !d", "fieldSelector": "metadata.name=x"}),
        json!({"verb": "evaluate", "selector": "nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}]",
            "nodes": "kind: Node\napiVersion: v1\nmetadata: {name: n, labels: {a: '2'}}\n"}),
        json!({"verb": "validate", "operation": "patch", "patchType": "merge", "patch": "{\"spec\":{\"allocationMode\":\"Immediate\"}}",
            "old": "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {resourceClassName: d}\n"}),
        json!({"verb": "validate", "operation": "patch", "patchType": "apply", "fieldManager": "me", "patch": "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\n",
            "old": "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {resourceClassName: d}\n"}),
    ];
    for (at, (_, text)) in texts(&tests.join("manifests"))
        .into_iter()
        .filter(|(_, text)| text.len() < 1200)
        .enumerate()
    {
        let place = json!({"line": at % 7, "character": at % 13});
        requests.push(match at % 8 {
            0 => json!({"verb": "hover", "text": text, "position": place, "locale": "en"}),
            1 => json!({"verb": "complete", "text": text, "position": place}),
            2 => json!({"verb": "fixes", "text": text, "range": {"start": place, "end": {"offset": 400}}}),
            3 => json!({"verb": "convert", "text": text, "to": "v1alpha2", "lossy": "allow"}),
            4 => json!({"verb": "parse", "text": text, "via": "validator"}),
            5 => json!({"verb": "evaluate", "text": text, "nodes": null, "detail": "full", "explain": ["n"]}),
            _ => json!({"verb": "validate", "text": text, "namespace": "default", "limits": {"findings": 3}}),
        });
    }
    let mut seeds: Vec<Vec<u8>> = requests
        .iter()
        .map(|request| request.to_string().into_bytes())
        .collect();
    seeds.extend(
        fixtures::all(&tests.join("policy"))
            .iter()
            .step_by(5)
            .filter_map(|fixture| {
                let (request, settings) = fixture.parts()?;
                Some(
                    format!(r#"{{"verb":"admit","request":{request},"settings":{settings}}}"#)
                        .into_bytes(),
                )
            }),
    );
    seeds.push(
        seeds
            .iter()
            .take(3)
            .map(|seed| seed.as_slice())
            .collect::<Vec<_>>()
            .join(&b'\n'),
    );
    small(seeds)
}

/// The expressions of the manifests, for the newest release and for named resources.
pub fn cel(tests: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (_, text) in texts(&tests.join("manifests")) {
        for key in ["expression: ", "selector: "] {
            let rest = text
                .split(key)
                .skip(1)
                .filter_map(|rest| rest.lines().next());
            let quoted = rest.filter_map(|rest| rest.strip_prefix('\'')?.split_once('\''));
            let letter = if key == "expression: " {
                b'A'
            } else {
                b'A' + 24
            };
            seeds.extend(quoted.map(|(expression, _)| with_letter(letter, expression)));
        }
    }
    small(seeds)
}

/// Stored objects of the manifests, each with patches of every kind, and applied where nothing is stored.
pub fn patch(tests: &Path) -> Vec<Vec<u8>> {
    const METADATA: &str =
        "{name: a, namespace: default, uid: u, resourceVersion: '1', labels: {a: b}}";
    let stored = [
        format!("apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {METADATA}\nspec: {{resourceClassName: c}}\nstatus: {{reservedFor: [{{resource: pods, name: p, uid: u}}]}}\n"),
        format!("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {METADATA}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: c}}}}]}}}}\nstatus: {{allocation: {{devices: {{results: [{{request: r, driver: d, pool: p, device: x}}]}}}}}}\n"),
        "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a, resourceVersion: '1'}\nspec: {selectors: [{cel: {expression: 'true'}}]}\n".to_owned(),
    ];
    let patches = [
        r#"[{"op":"add","path":"/metadata/labels/c","value":"d"},{"op":"copy","from":"/metadata","path":"/metadata/annotations"},{"op":"remove","path":"/spec"}]"#,
        r#"{"metadata":{"labels":{"a":null,"e":"f"}},"spec":{"allocationMode":"Immediate"}}"#,
        r#"{"status":{"$retainKeys":["reservedFor"],"reservedFor":[{"$patch":"delete","uid":"u"},{"uid":"v","name":"q","resource":"pods"}]}}"#,
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nstatus: {devices: [{driver: d, pool: p, device: x, data: {a: 1}}]}\n",
    ];
    let mut seeds = Vec::new();
    for old in &stored {
        for (at, patch) in patches.iter().enumerate() {
            for status in [0, 4] {
                seeds.push(
                    format!("A{}{old}\0{patch}", char::from(b'A' + at as u8 + status)).into_bytes(),
                );
            }
        }
        seeds.push(format!("AD{old}").into_bytes());
    }
    for (_, text) in texts(&tests.join("manifests")) {
        seeds.push(
            format!("AB{text}\0{{\"metadata\":{{\"labels\":{{\"a\":\"b\"}}}}}}").into_bytes(),
        );
    }
    small(seeds)
}

/// Every manifest under one command each, and texts as bytes.
pub fn files(tests: &Path) -> Vec<Vec<u8>> {
    let manifests = texts(&tests.join("manifests"));
    let mut seeds: Vec<Vec<u8>> = manifests
        .iter()
        .enumerate()
        .map(|(at, (_, text))| with_letter(b'A' + (at % 19) as u8, text))
        .collect();
    let claim = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: b}\n";
    seeds.push([b"A\xef\xbb\xbf", claim.replace('\n', "\r\n").as_bytes()].concat());
    let wide: Vec<u8> = claim.encode_utf16().flat_map(u16::to_le_bytes).collect();
    seeds.push([b"B\xff\xfe", wide.as_slice()].concat());
    seeds.push([b"E", claim.as_bytes(), b"# caf\xe9 \x1b[31m\n"].concat());
    small(seeds)
}
