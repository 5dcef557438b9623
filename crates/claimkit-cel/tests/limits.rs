//! No expression runs long, uses much memory or crashes the program.

use std::time::{Duration, Instant};

use claimkit_cel::{EnvironmentMode, SELECTOR_COST_LIMIT};

use super::environment;

/// Compiles and runs; the error if it fails anywhere.
fn run(expression: &str) -> Result<bool, String> {
    let environment = environment(36, &[], EnvironmentMode::Stored);
    let begin = Instant::now();
    let result = match environment.compile(expression) {
        Ok(program) => program
            .evaluate(&[], SELECTOR_COST_LIMIT)
            .matches()
            .map_err(String::from),
        Err(error) => Err(error.text),
    };
    // Generous: these take far less than a second even without optimization, and would take hours without their limits.
    assert!(
        begin.elapsed() < Duration::from_secs(300),
        "{:?} for {expression:.80}",
        begin.elapsed()
    );
    result
}

/// Writes `cel.bind(x1, FIRST, cel.bind(x2, STEP of x1, … LAST))`.
fn doubled(
    first: &str,
    step: impl Fn(&str) -> String,
    times: usize,
    last: impl Fn(&str) -> String,
) -> String {
    let mut text = String::new();
    let mut before = first.to_owned();
    for number in 0..times {
        text.push_str(&format!("cel.bind(x{number}, {before}, "));
        before = step(&format!("x{number}"));
    }
    text.push_str(&last(&before));
    text.push_str(&")".repeat(times));
    text
}

#[test]
fn doubled_lists_end() {
    let expression = doubled(
        "[1]",
        |x| format!("{x} + {x}"),
        80,
        |x| format!("size({x}) > 0"),
    );
    assert!(run(&expression).unwrap_err().contains("too many steps"));
}

#[test]
fn doubled_texts_end() {
    let expression = doubled(
        "'aaaaaaaa'",
        |x| format!("{x} + {x}"),
        80,
        |x| format!("size({x}) > 0"),
    );
    assert_eq!(
        run(&expression),
        Err("operation cancelled: actual cost limit exceeded".to_owned())
    );
}

#[test]
fn shared_values_are_not_compared_for_ever() {
    let expression = doubled(
        "[1]",
        |x| format!("[{x}, {x}]"),
        80,
        |x| format!("{x} == {x}"),
    );
    assert!(run(&expression).unwrap_err().contains("too many steps"));
}

#[test]
fn shared_values_are_not_formatted_for_ever() {
    let expression = doubled(
        "[dyn(1)]",
        |x| format!("[dyn({x}), dyn({x})]"),
        80,
        |x| format!("'%s'.format([{x}]) == ''"),
    );
    assert!(run(&expression).unwrap_err().contains("too many steps"));
}

#[test]
fn shared_types_are_refused() {
    let expression = doubled(
        "{1: 1}",
        |x| format!("{{{x}: {x}}}"),
        60,
        |x| format!("{x} == {x}"),
    );
    assert!(run(&expression).unwrap_err().contains("too large"));
}

#[test]
fn nested_loops_end() {
    let list = "[1,2,3,4,5,6,7,8,9,10]";
    let mut expression = "true".to_owned();
    for level in 0..9 {
        expression = format!("{list}.all(x{level}, {expression})");
    }
    assert_eq!(
        run(&expression),
        Err("operation cancelled: actual cost limit exceeded".to_owned())
    );
}

#[test]
fn long_ranges_are_not_made() {
    assert_eq!(
        run("lists.range(9223372036854775807).size() == 1"),
        Err("operation cancelled: actual cost limit exceeded".to_owned())
    );
    assert_eq!(run("lists.range(-1).size() == 0"), Ok(true));
}

/// The stack size of a main thread; stack frames of an unoptimised build are several times larger than usual.
const STACK: usize = 8 << 20;

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let deep = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(240), close.repeat(240))
    };
    let expressions = [
        deep("(", "true", ")"),
        format!("{} == []", deep("[", "", "]")),
        format!("{} == 1", deep("dyn(", "1", ")")),
        deep("true ? true : (", "true", ")"),
        deep("[1].all(x, ", "true", ")"),
        format!("{} == []", deep("[1].map(x, ", "true", ")")),
        deep("cel.bind(a, 1, ", "true", ")"),
        format!("dyn({{}}){} == 1", ".a".repeat(240)),
        format!("{}true", "!".repeat(241)),
    ];
    let thread = std::thread::Builder::new().stack_size(STACK);
    let results = thread
        .spawn(move || expressions.map(|expression| run(&expression)))
        .unwrap()
        .join()
        .unwrap();
    let good = results.iter().filter(|result| result.is_ok()).count();
    assert!(good >= 5, "{results:?}");
}

#[test]
fn regular_expressions_take_linear_time() {
    let text = "a".repeat(4000);
    assert_eq!(run(&format!("'{text}'.matches('(a*)*b')")), Ok(false));
    assert_eq!(run(&format!("'{text}'.matches('(a|aa)+$')")), Ok(true));
}

#[test]
fn a_crash_of_kube_apiserver_is_said() {
    let error = environment(31, &[], EnvironmentMode::New)
        .compile(r#"text.format([1]) == "x""#)
        .unwrap_err();
    assert!(error.text.contains("crashes"), "{}", error.text);
    assert!(
        environment(32, &[], EnvironmentMode::New)
            .compile(r#"text.format([1]) == "x""#)
            .is_ok()
    );
}
