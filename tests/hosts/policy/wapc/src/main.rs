//! A waPC host, as Kubewarden's, on an interpreter: every fixture in a fresh instance of the module, compared byte for byte
//! with what the crate itself answers.
//!
//!     policy-wapc MODULES FIXTURES

mod host;

use claimkit::policy::ClusterReader;
use claimkit::requests::hosts;
use host::{Host, Reply};
use policy_wapc::fixtures;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [modules, folder] = arguments.as_slice() else {
        eprintln!("policy-wapc: write MODULES FIXTURES");
        return ExitCode::from(2);
    };
    let load = |name: &str| {
        let path = Path::new(modules).join(name);
        Host::load(
            &std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    };
    let mut tally = Tally::default();
    let mut fixtures = fixtures::all(Path::new(folder));
    fixtures.extend(fixtures::of_manifests(Path::new(folder)));
    let host = load("claimkit.wasm");
    shape(&host, &mut tally);
    // A fresh instance for each, as policy-server does it; then one for all, as `kwctl bench` does it.
    let mut instance = host.instance();
    for fixture in &fixtures {
        let expected = Reply::Response(native(fixture).into_bytes());
        let given = host
            .instance()
            .call(fixture.operation, &fixture.payload, &fixture.cluster);
        tally.equal(&fixture.name, &given, &expected);
        let again = instance.call(fixture.operation, &fixture.payload, &fixture.cluster);
        tally.equal(&format!("{} (again)", fixture.name), &again, &expected);
    }
    println!(
        "policy-wapc: {} fixtures, {} passed, {} failed",
        fixtures.len(),
        tally.passed,
        tally.failed
    );
    if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What the module is apart from its answers: imports, exports, metadata, the protocol and its errors. replay.mjs compares the
/// metadata.
fn shape(host: &Host, tally: &mut Tally) {
    let wanted = [
        "console_log",
        "guest_error",
        "guest_request",
        "guest_response",
        "host_call",
        "host_error",
        "host_error_len",
        "host_response",
        "host_response_len",
    ];
    tally.equal(
        "imports",
        &host.imports(),
        &wanted.map(|name| format!("wapc.__{name}")).to_vec(),
    );
    let exports = host.exports();
    tally.equal(
        "exports",
        &exports.iter().any(|name| name == "memory"),
        &true,
    );
    tally.equal(
        "exports",
        &exports.iter().any(|name| name == "__guest_call"),
        &true,
    );
    tally.equal(
        "no export of another engine",
        &exports.iter().any(|name| name.starts_with("opa_")),
        &false,
    );
    let sections = host.metadata();
    tally.equal("metadata sections", &sections.len(), &1);
    tally.equal(
        "protocol",
        &host.instance().call("protocol_version", b"", &[]),
        &Reply::Response(b"\"v1\"".to_vec()),
    );
    let unknown = "unknown operation `mutate`; there are `validate`, `validate_settings` and `protocol_version`";
    tally.equal(
        "an unknown operation",
        &host.instance().call("mutate", b"{}", &[]),
        &Reply::Error(unknown.as_bytes().to_vec()),
    );
}

/// A cluster that answers what the fixture says.
struct Recorded<'f>(&'f [fixtures::Call]);

impl ClusterReader for Recorded<'_> {
    fn call(&self, operation: &str, payload: &str) -> Result<String, String> {
        fixtures::host_answer(self.0, operation, payload)
    }
}

/// What the crate answers.
fn native(fixture: &fixtures::Fixture) -> String {
    match fixture.operation {
        "validate" => hosts::validate(&fixture.payload, Some(&Recorded(&fixture.cluster))),
        _ => hosts::validate_settings(&fixture.payload),
    }
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, given: &T, expected: &T) {
        if given == expected {
            self.passed += 1;
        } else {
            self.failed += 1;
            let short = |value: &T| format!("{value:?}").chars().take(2_000).collect::<String>();
            println!(
                "{name}\n  expected {}\n  answered {}",
                short(expected),
                short(given)
            );
        }
    }
}
