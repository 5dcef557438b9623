//! `batch`: one JSON request per line of standard input, one answer per line of standard output, in the same order.

use crate::exit::{Exit, Outcome};
use crate::host::{Host, too_large};
use claimkit::requests::request::Unusable;
use claimkit::requests::{self, Answer};
use claimkit_model::message::Words;

/// Maximum number of bytes of a request: texts of the largest size that is read, with room for what JSON adds to them.
const MAX_REQUEST: usize = 1 << 30;

/// Runs the verb.
pub fn run(host: &mut dyn Host) -> Outcome {
    loop {
        match request(host) {
            Ok(None) => return Ok(Exit::Fine),
            Ok(Some(request)) => {
                let mut answer = match request {
                    Ok(request) => requests::answer_with(&request, |locale| host.sentences(locale)),
                    Err(problem) => requests::print(&Answer::unread(Unusable {
                        verb: None,
                        problem: Words::english(problem),
                    })),
                };
                answer.push('\n');
                host.out(&answer);
            }
            Err(problem) => return Err(format!("standard input: {problem}").into()),
        }
    }
}

/// Reads the next line, or why it cannot be a request.
fn request(host: &mut dyn Host) -> Result<Option<Result<String, String>>, String> {
    let Some(mut line) = host.line(MAX_REQUEST)? else {
        return Ok(None);
    };
    if line.len() >= MAX_REQUEST && !line.ends_with(b"\n") {
        while let Some(rest) = host.line(MAX_REQUEST)? {
            if rest.ends_with(b"\n") {
                break;
            }
        }
        return Ok(Some(Err(format!(
            "the request is {}",
            too_large(MAX_REQUEST)
        ))));
    }
    if line.ends_with(b"\n") {
        line.pop();
    }
    let read = String::from_utf8(line).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the request cannot be used: byte {at} is not UTF-8")
    });
    Ok(Some(read))
}
