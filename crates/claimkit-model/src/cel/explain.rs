//! Why an expression has its result on a device, in the language of the answer. `Program::explain` of the crate says the same in
//! English only.

use crate::message::{self, Message, message};
use claimkit_cel::Program;
use claimkit_cel::trace::{DecidingPart, Trace, shown};
use claimkit_cel::value::Value;

/// Returns a sentence for each part that decided: `` `device.driver == "a"` is false: `device.driver` is "b" ``.
pub fn explain(program: &Program, trace: &Trace) -> Vec<Message> {
    trace
        .reasons(program)
        .iter()
        .map(|reason| sentence(program, reason))
        .collect()
}

fn sentence(program: &Program, reason: &DecidingPart) -> Message {
    let part = program.text_of(&reason.part.span);
    let others = reason
        .reads
        .iter()
        .filter(|read| read.span != reason.part.span && !matches!(read.value, Value::Error(_)));
    let reads = others.map(|read| is(program.text_of(&read.span), &read.value));
    let reads = message::parts(reads);
    let (result, is_error) = match &reason.part.value {
        Value::Error(error) => (
            message!(
                "cel.fails",
                "`{part}` fails: {error}",
                part,
                error = &error.text
            ),
            true,
        ),
        value => (is(part, value), false),
    };
    match (reads.is_empty(), is_error) {
        (true, _) => result,
        // Errors have colons of their own.
        (false, true) => message::sentences([result, reads]),
        (false, false) => message!("cel.because", "{result}: {reads}", result, reads),
    }
}

fn is(part: &str, value: &Value) -> Message {
    message!("cel.is", "`{part}` is {value}", part, value = shown(value))
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::cel::{CelDevice, EnvironmentMode, SELECTOR_COST_LIMIT, device};

    #[test]
    fn english_is_what_the_crate_says() {
        let environment = device::environment(34, &[], EnvironmentMode::New);
        let variables = CelDevice::new("gpu.example.com")
            .variables(&environment)
            .unwrap();
        let texts = [
            "device.driver == 'a'",
            "device.driver == 'a' || device.driver.size() > 90",
            "device.attributes['a'].b",
            "true",
            "device.attributes[device.driver].b && size(device.driver) > 3",
        ];
        for text in texts {
            let program = environment.compile(text).unwrap();
            let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
            assert!(!program.explain(&trace).is_empty(), "{text}");
            assert_eq!(explain(&program, &trace), program.explain(&trace), "{text}");
        }
    }
}
