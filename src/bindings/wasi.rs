//! The policy as a WASI command: an operation as argument, JSON on standard input, JSON on standard output.
//! Kubewarden calls `validate` and `validate-settings`; `answer` takes a request of the contract.

use claimkit::requests::{hosts, raw_mode};
use std::io::{self, Read, Write};
use std::process::ExitCode;

/// The text that `--help` prints.
const HELP: &str = r#"The claimkit policy as a command. Usage: claimkit-policy OPERATION <JSON

validate           {"request": AdmissionRequest or AdmissionReview, "settings": {…}} on standard input;
                   prints {"accepted": …, "message": …, "code": …, "mutated_object": …, "warnings": […]}
validate-settings  the settings on standard input; prints {"valid": …, "message": …}
answer             a request of claimkit's contract, such as {"verb": "validate", "text": …}; prints its answer
protocol-version   reads nothing; prints the version of Kubewarden's protocol

The exit code is 0 for every answer, refusals too, and 1 for an unknown operation or a failed stream.
"#;

fn main() -> ExitCode {
    let operation = std::env::args().nth(1).unwrap_or_default();
    let answer: fn(&[u8]) -> String = match operation.as_str() {
        "validate" => |payload| hosts::validate(payload, None),
        "validate-settings" => hosts::validate_settings_without_cluster,
        "answer" => raw_mode::answer,
        "protocol-version" => {
            return print(hosts::PROTOCOL_VERSION);
        }
        "--help" | "-h" | "help" => {
            return print(HELP);
        }
        other => {
            return fail(&format!(
                "unknown operation `{other}`; write one of `validate`, `validate-settings`, `answer`, `protocol-version`, or `--help`"
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
