//! The policy as a WASI command: an operation as argument, JSON on standard input, JSON on standard output.
//! Kubewarden calls `validate` and `validate-settings`; `answer` takes a request of the contract.

use claimkit::wire::{hosts, raw_mode};
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let operation = std::env::args().nth(1).unwrap_or_default();
    let answer: fn(&[u8]) -> String = match operation.as_str() {
        "validate" => |payload| hosts::validate(payload, None),
        "validate-settings" => |payload| hosts::validate_settings(payload, false),
        "answer" => raw_mode::answer,
        "protocol-version" => {
            return print(hosts::PROTOCOL_VERSION);
        }
        other => {
            return fail(&format!(
                "unknown operation `{other}`; write one of `validate`, `validate-settings`, `answer`, `protocol-version`"
            ));
        }
    };
    let mut payload = Vec::new();
    match io::stdin().lock().read_to_end(&mut payload) {
        Ok(_) => print(&answer(&payload)),
        Err(error) => fail(&format!("standard input: {error}")),
    }
}

fn print(answer: &str) -> ExitCode {
    match io::stdout().lock().write_all(answer.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("standard output: {error}")),
    }
}

fn fail(problem: &str) -> ExitCode {
    // Nobody is left to tell if this cannot be written either.
    let _ = writeln!(io::stderr(), "claimkit-policy: {problem}");
    ExitCode::FAILURE
}
