//! Placement on ten thousand nodes: preparing them, matching alone, and whole answers.

use claimkit::requests::{self, request::EvaluateRequest};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_scheduler::rules::SchedulerRules;
use claimkit_scheduler::{ParsedSelector, PreparedNodes, classic::matching};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const NODES: usize = 10_000;
const TERMS: usize = 10;

fn prepare(c: &mut Criterion) {
    let text = claimkit_peers::nodes(NODES);
    let mut group = c.benchmark_group("prepare");
    group
        .sample_size(10)
        .throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("10000 nodes", |b| {
        b.iter(|| PreparedNodes::read(black_box(&text), &Limits::default()))
    });
    group.finish();
}

fn evaluate(c: &mut Criterion) {
    let nodes = PreparedNodes::read(&claimkit_peers::nodes(NODES), &Limits::default());
    let mut group = c.benchmark_group("evaluate");
    let text = claimkit_peers::selector();
    let file = claimkit_model::text::read(&text, &Limits::default());
    let document = &file.documents[0];
    let root = document.root.expect("a selector");
    let how = claimkit_model::object::decode::How::reaching(
        document.mode,
        Default::default(),
        Release::new(30, 0),
    );
    let decoded = claimkit_model::object::decode::decode(
        &document.tree,
        root,
        &claimkit_model::schema::core::NODE_SELECTOR,
        "v1",
        how,
    );
    let rules = SchedulerRules::of(Release::new(30, 0));
    let selector = ParsedSelector::parse(
        claimkit_model::object::view::NodeSelector::new(&decoded.record),
        &rules,
    );
    // Time for each element is time for each node and term of three requirements.
    group.throughput(Throughput::Elements((NODES * TERMS) as u64));
    group.bench_function("match only", |b| {
        b.iter(|| matching::select(black_box(&selector), &nodes))
    });
    group.bench_function("every requirement", |b| {
        b.iter(|| matching::Matches::of(black_box(&selector), &nodes))
    });
    let request = EvaluateRequest {
        selector: Some(text.clone()),
        ..EvaluateRequest::default()
    };
    group.bench_function("answer to a selector", |b| {
        b.iter(|| requests::print(&requests::evaluate_on(black_box(&request), &nodes)))
    });
    let request = EvaluateRequest {
        text: Some(claimkit_peers::class_and_claim()),
        ..EvaluateRequest::default()
    };
    group.bench_function("answer to a class and a claim", |b| {
        b.iter(|| requests::print(&requests::evaluate_on(black_box(&request), &nodes)))
    });
    group.finish();
}

criterion_group!(benches, prepare, evaluate);
criterion_main!(benches);
