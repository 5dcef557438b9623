//! `batch`: one JSON request per line of standard input, one answer per line of standard output, in the same order.

use super::{FINE, Host, UNUSABLE};
use crate::json::Value;

pub fn run(host: &mut dyn Host) -> u8 {
    loop {
        match host.line() {
            Ok(None) => return FINE,
            Ok(Some(line)) => {
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                let mut answer = match std::str::from_utf8(line) {
                    Ok(request) => host.answer(request),
                    Err(error) => {
                        let problem = format!("the request cannot be used: byte {} is not UTF-8", error.valid_up_to());
                        let nothing = || Value::Array(Vec::new());
                        let answer: [(&str, Value); 4] =
                            [("ok", false.into()), ("error", problem.into()), ("findings", nothing()), ("objects", nothing())];
                        Value::from(answer).to_string()
                    }
                };
                answer.push('\n');
                host.out(&answer);
            }
            Err(problem) => {
                host.err(&format!("claimkit: standard input: {problem}\n"));
                return UNUSABLE;
            }
        }
    }
}
