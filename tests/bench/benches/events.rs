//! Events of one text, read by four readers in the same run.

use claimkit_read_bench::{events, manifest, tree};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn granit(text: &str) -> usize {
    granit_parser::Parser::new_from_str(text)
        .take_while(Result::is_ok)
        .count()
}

fn saphyr(text: &str) -> usize {
    saphyr_parser::Parser::new_from_str(text)
        .take_while(Result::is_ok)
        .count()
}

fn readers(c: &mut Criterion) {
    for (name, text) in [
        ("many documents", manifest(6000)),
        ("one document", manifest(1)),
    ] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut reader = |label: &str, read: fn(&str) -> usize| {
            group.bench_with_input(BenchmarkId::from_parameter(label), &text, |b, text| {
                b.iter(|| black_box(read(black_box(text))))
            });
        };
        reader("claimkit events", events);
        reader("claimkit tree and findings", tree);
        reader("granit-parser events", granit);
        reader("saphyr-parser events", saphyr);
        group.finish();
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = readers }
criterion_main!(benches);
