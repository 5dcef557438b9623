//! Rust's peers: typed parsing with k8s-openapi, and a YAML crate with the jsonschema crate; and claimkit itself.
//! `catch FILE`: what each says of each mistake, as JSON. `time FILE`: seconds for each document. `scale`: growth.

use claimkit::requests::request::{EvaluateRequest, ValidateRequest};
use claimkit::requests::{self, Request};
use cpu_time::ProcessTime;
use k8s_openapi::api::resource::v1alpha2 as api;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Error = Box<dyn std::error::Error>;

fn documents(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n---\n")
}

/// The first objection of the type of a document's kind. A key that stands nowhere in the type is not noticed.
fn typed(text: &str) -> Result<(), Error> {
    for document in documents(text) {
        let value: serde_norway::Value = serde_norway::from_str(document)?;
        let part = |name: &str| {
            value
                .get(name)
                .and_then(|v| v.as_str())
                .unwrap_or_default()
                .to_owned()
        };
        if part("apiVersion") != "resource.k8s.io/v1alpha2" {
            return Err(format!("no type for apiVersion {:?}", part("apiVersion")).into());
        }
        match part("kind").as_str() {
            "ResourceClaim" => drop(serde_norway::from_value::<api::ResourceClaim>(value)?),
            "ResourceClaimTemplate" => drop(
                serde_norway::from_value::<api::ResourceClaimTemplate>(value)?,
            ),
            "ResourceClass" => drop(serde_norway::from_value::<api::ResourceClass>(value)?),
            "PodSchedulingContext" => drop(serde_norway::from_value::<api::PodSchedulingContext>(
                value,
            )?),
            "ResourceClaimParameters" => drop(serde_norway::from_value::<
                api::ResourceClaimParameters,
            >(value)?),
            kind => return Err(format!("no type for kind {kind:?}").into()),
        }
    }
    Ok(())
}

/// A YAML crate and the strict schemas.
fn schema(text: &str, validators: &BTreeMap<String, jsonschema::Validator>) -> Result<(), Error> {
    for document in documents(text) {
        let value: Value = serde_norway::from_str(document)?;
        let kind = value["kind"].as_str().unwrap_or_default();
        let validator = validators
            .get(kind)
            .ok_or_else(|| format!("no schema for kind {kind:?}"))?;
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        if !errors.is_empty() {
            return Err(errors.join("; ").into());
        }
    }
    Ok(())
}

fn request(text: &str) -> Request {
    Request::Validate(ValidateRequest {
        release: Some("1.30".into()),
        text: Some(text.into()),
        ..ValidateRequest::default()
    })
}

/// Processor time of one run of each task, in seconds: the best of rounds that are long enough to be counted. The tasks take
/// turns, so that a machine that slows down or recovers does so for all of them; time on the wall would tell of whatever else it does.
fn in_turns<const N: usize>(mut tasks: [&mut dyn FnMut(); N]) -> [f64; N] {
    const ROUNDS: usize = 20;
    const LONG: f64 = 0.1;
    let mut best = [f64::INFINITY; N];
    tasks.iter_mut().for_each(|task| task());
    for _ in 0..ROUNDS {
        for (task, best) in tasks.iter_mut().zip(&mut best) {
            let start = ProcessTime::now();
            let mut runs = 0;
            let spent = loop {
                task();
                runs += 1;
                let spent = start.elapsed().as_secs_f64();
                if spent > LONG {
                    break spent;
                }
            };
            *best = best.min(spent / f64::from(runs));
        }
    }
    best
}

fn catch(text: &str) {
    for mistake in text.split("#### ").skip(1) {
        let (title, manifest) = mistake.split_once('\n').expect("a title and a manifest");
        let answer: Value =
            serde_json::from_str(&requests::print(&requests::run(&request(manifest))))
                .expect("an answer");
        let findings = answer["findings"].as_array().expect("findings").clone();
        let worst = |severity: &str| {
            findings
                .iter()
                .find(|finding| finding["severity"] == severity)
                .cloned()
        };
        let said = worst("error")
            .or_else(|| worst("warning"))
            .or_else(|| worst("info"));
        let typed = typed(manifest).err().map(|error| error.to_string());
        println!(
            "{}",
            json!({"title": title, "claimkit": said, "typed": typed})
        );
    }
}

fn time(text: &str) {
    let count = documents(text).count() as f64;
    let schemas: BTreeMap<String, Value> = serde_json::from_str(
        &std::fs::read_to_string("target/schema.json").expect("target/schema.json"),
    )
    .expect("schemas");
    let validators = schemas
        .iter()
        .map(|(kind, schema)| {
            (
                kind.clone(),
                jsonschema::validator_for(schema).expect("a schema"),
            )
        })
        .collect();
    let ours = request(text);
    let [claimkit, schemas, types] = in_turns([
        &mut || assert!(requests::run(&ours).ok),
        &mut || schema(text, &validators).expect("good"),
        &mut || typed(text).expect("good"),
    ]);
    let results = json!({
        "claimkit": claimkit / count,
        "YAML crate + jsonschema": schemas / count,
        "YAML crate + k8s-openapi": types / count,
    });
    println!("{results}");
}

/// Cost for each unit, small and large: what grows linearly stays the same.
fn scale() {
    let mut rows = Vec::new();
    let mut row = |what: &str,
                   unit: &str,
                   sizes: [usize; 3],
                   tasks: [(Request, usize); 3],
                   run: &dyn Fn(&Request, usize)| {
        let units = [0, 1, 2].map(|at| tasks[at].1 as f64);
        let [small, middle, large] = &tasks;
        let seconds = in_turns([
            &mut || run(&small.0, 0),
            &mut || run(&middle.0, 1),
            &mut || run(&large.0, 2),
        ]);
        let costs = [0, 1, 2].map(|at| seconds[at] / units[at] * 1e9);
        rows.push(json!({"what": what, "unit": unit, "sizes": sizes, "nanoseconds": costs}));
    };
    let validate = |request: &Request, _| drop(requests::run(request));
    let sizes = [10, 100, 1000];
    row(
        "validate",
        "document",
        sizes,
        sizes.map(|n| (request(&claimkit_peers::manifests(n)), n)),
        &validate,
    );
    let bytes = [5_000, 100_000, 5_000_000];
    let texts = bytes.map(claimkit_peers::manifests_of_bytes);
    row(
        "validate",
        "byte",
        bytes,
        texts.each_ref().map(|text| (request(text), text.len())),
        &validate,
    );
    row(
        "validate",
        "finding",
        sizes,
        sizes.map(|n| (request(&claimkit_peers::mistaken(n)), n)),
        &validate,
    );
    let sizes = [100, 1000, 10_000];
    let nodes = sizes.map(|n| {
        claimkit_scheduler::PreparedNodes::read(&claimkit_peers::nodes(n), &Default::default())
    });
    let detail = Some(claimkit::requests::request::Detail::Summary);
    let request = || {
        Request::Evaluate(EvaluateRequest {
            selector: Some(claimkit_peers::selector()),
            detail,
            ..EvaluateRequest::default()
        })
    };
    row(
        "evaluate",
        "node",
        sizes,
        sizes.map(|n| (request(), n)),
        &|request, at| {
            let Request::Evaluate(request) = request else {
                return;
            };
            drop(requests::print(&requests::evaluate_on(request, &nodes[at])));
        },
    );
    println!("{}", json!(rows));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let read = |at: usize| std::fs::read_to_string(&arguments[at]).expect("a file");
    match arguments.first().map(String::as_str) {
        Some("catch") => catch(&read(1)),
        Some("time") => time(&read(1)),
        Some("inputs") => {
            std::fs::write("target/one.yaml", claimkit_peers::claim()).expect("written");
            std::fs::write("target/many.yaml", claimkit_peers::manifests(500)).expect("written");
            std::fs::write(
                "target/large.yaml",
                claimkit_peers::manifests_of_bytes(5_000_000),
            )
            .expect("written");
            std::fs::write("target/nodes.json", claimkit_peers::nodes(10_000)).expect("written");
            std::fs::write("target/selector.yaml", claimkit_peers::selector()).expect("written");
        }
        _ => scale(),
    }
}
