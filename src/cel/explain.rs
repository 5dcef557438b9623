//! Why an expression has its result on a device, in the language of the answer. `Program::explain` of the crate says the same in
//! English only.

use crate::message::message;
use claimkit_cel::Program;
use claimkit_cel::trace::{DecidingPart, Trace, shown};
use claimkit_cel::value::Value;

/// Returns a sentence for each part that decided: `` `device.driver == "a"` is false: `device.driver` is "b" ``.
pub fn explain(program: &Program, trace: &Trace) -> Vec<String> {
    trace.reasons(program).iter().map(|reason| sentence(program, reason)).collect()
}

fn sentence(program: &Program, reason: &DecidingPart) -> String {
    let part = program.text_of(&reason.part.span);
    let others = reason.reads.iter().filter(|read| read.span != reason.part.span && !matches!(read.value, Value::Error(_)));
    let reads = others.map(|read| is(program.text_of(&read.span), &read.value));
    let reads = reads.reduce(|reads, read| message!("cel.and", "{reads}, {read}", reads, read));
    let (result, is_error) = match &reason.part.value {
        Value::Error(error) => (message!("cel.fails", "`{part}` fails: {error}", part, error = &error.text), true),
        value => (is(part, value), false),
    };
    match reads {
        None => result,
        // Errors have colons of their own.
        Some(reads) if is_error => message!("cel.fails-where", "{result}; {reads}", result, reads),
        Some(reads) => message!("cel.because", "{result}: {reads}", result, reads),
    }
}

fn is(part: &str, value: &Value) -> String {
    message!("cel.is", "`{part}` is {value}", part, value = shown(value))
}
