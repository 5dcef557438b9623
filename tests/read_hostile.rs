//! Hostile inputs: each gives an answer in linear time.

use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::text::{self, File};
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The budget per megabyte; unoptimised code gets more, which still tells linear from quadratic.
const PER_MEGABYTE: Duration =
    Duration::from_millis(if cfg!(debug_assertions) { 2500 } else { 100 });

/// Time this thread has had a processor, where the system tells, so that a busy machine counts as little as may be; else
/// the time of day.
fn clock() -> Duration {
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split_whitespace().next()?.parse().ok());
    static START: OnceLock<Instant> = OnceLock::new();
    nanoseconds.map_or_else(
        || START.get_or_init(Instant::now).elapsed(),
        Duration::from_nanos,
    )
}

#[track_caller]
fn read<'s>(name: &str, text: &'s str) -> File<'s> {
    let megabytes = (text.len() as f64 / 1e6).max(0.1);
    // The best of three runs, because the machine may be busy.
    let mut best = None;
    let mut last = None;
    for _ in 0..3 {
        let start = clock();
        let file = text::read(text, &Limits::default());
        let took = clock().saturating_sub(start);
        last = Some(file);
        best = best.min(Some(took)).or(Some(took));
        if took.div_f64(megabytes) < PER_MEGABYTE {
            break;
        }
    }
    let (took, file) = (best.unwrap(), last.unwrap());
    let each = took.div_f64(megabytes);
    println!(
        "{name}: {} bytes, {took:?}, {each:?} per MB, {} documents, {} findings",
        text.len(),
        file.documents.len(),
        file.findings.len()
    );
    assert!(
        each < PER_MEGABYTE,
        "{name}: {took:?} for {} bytes",
        text.len()
    );
    for finding in &file.findings {
        let span = finding.span.unwrap_or_default();
        assert!(
            text.get(span.from()..span.to()).is_some(),
            "{name}: {finding:?}"
        );
    }
    file
}

#[track_caller]
fn refused(name: &str, text: &str, message: &str) {
    let file = read(name, text);
    let error = file
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error);
    assert_eq!(
        error.map(|error| error.message.as_str()),
        Some(message),
        "{name}"
    );
}

#[track_caller]
fn accepted(name: &str, text: &str, documents: usize) {
    let file = read(name, text);
    assert!(
        file.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error),
        "{name}: {:?}",
        file.findings.first()
    );
    assert_eq!(file.documents.len(), documents, "{name}");
}

#[test]
fn deep_nesting_is_refused_where_kubectl_refuses_it() {
    const DEEP: usize = 100_000;
    refused(
        "open brackets",
        &"[".repeat(DEEP),
        "yaml: exceeded max depth of 10000",
    );
    refused(
        "brackets",
        &("[".repeat(DEEP) + &"]".repeat(DEEP)),
        "yaml: exceeded max depth of 10000",
    );
    refused(
        "flow maps",
        &("- ".to_owned() + &"{a: ".repeat(DEEP)),
        "yaml: exceeded max depth of 10000",
    );
    refused(
        "open brackets on lines",
        &"[\n".repeat(DEEP),
        "yaml: line 10001: exceeded max depth of 10000",
    );
    refused(
        "dashes",
        &"- ".repeat(DEEP),
        "yaml: exceeded max depth of 10000",
    );
    refused(
        "question marks",
        &"? ".repeat(DEEP),
        "yaml: exceeded max depth of 10000",
    );
    refused(
        "json",
        &"{\"a\":".repeat(DEEP),
        "json: offset 50001: invalid character '{' exceeded max depth",
    );
    accepted(
        "nearly too deep",
        &("[".repeat(9_999) + &"]".repeat(9_999)),
        1,
    );
    accepted("nearly too deep in block style", &"- ".repeat(9_999), 1);
    let steps: String = (0..2000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    accepted("a staircase", &steps, 1);
}

#[test]
fn alias_bombs_are_refused() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = level - 1;
        laughs.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{below}"); 9].join(", ")
        ));
    }
    refused(
        "nine to the twelfth",
        &laughs,
        "yaml: document contains excessive aliasing",
    );
    let mut merges = String::from("a0: &a0 {k: v}\n");
    for level in 1..200 {
        let below = level - 1;
        merges.push_str(&format!(
            "a{level}: &a{level} {{<<: [*a{below}, *a{below}], k{level}: v}}\n"
        ));
    }
    refused(
        "merge keys",
        &merges,
        "yaml: document contains excessive aliasing",
    );
    let many = format!("a: &a {{b: c}}\nd: [{}]\n", vec!["*a"; 90].join(", "));
    accepted("few aliases", &many, 1);
    let anchors: String = (0..50_000)
        .map(|n| format!("- &a{n} x{n}\n- y\n- *a{n}\n"))
        .collect();
    accepted("many anchors", &anchors, 1);
}

#[test]
fn long_and_many_are_read_in_one_pass() {
    accepted("comments", &("# a comment\n".repeat(200_000) + "a: 1\n"), 1);
    accepted(
        "comments between",
        &("a:\n".to_owned() + &"# c\n".repeat(100_000) + "  b: c\n"),
        1,
    );
    accepted(
        "a plain scalar",
        &("a: ".to_owned() + &"x".repeat(5_000_000)),
        1,
    );
    accepted(
        "a folded plain scalar",
        &("a:\n".to_owned() + &"  word word\n".repeat(400_000)),
        1,
    );
    accepted(
        "a quoted scalar",
        &format!("a: \"{}\"", "x\\n".repeat(1_600_000)),
        1,
    );
    accepted(
        "a block scalar",
        &("a: |\n".to_owned() + &"  text\n".repeat(700_000)),
        1,
    );
    accepted("empty documents", &"---\n".repeat(1_000_000), 0);
    accepted("small documents", &"a: 1\n---\n".repeat(100_000), 100_000);
    accepted("null documents", &"~\n---\n".repeat(200_000), 0);
    accepted("a wide list", &"- a\n".repeat(1_000_000), 1);
    accepted(
        "a wide map",
        &(0..200_000)
            .map(|n| format!("k{n}: v\n"))
            .collect::<String>(),
        1,
    );
    accepted("one key over and over", &"a: 1\n".repeat(200_000), 1);
    accepted(
        "a flow map",
        &format!(
            "- {{{}}}",
            (0..200_000)
                .map(|n| format!("k{n}: v, "))
                .collect::<String>()
        ),
        1,
    );
    accepted("blank lines", &("\n".repeat(3_000_000) + "a: 1\n"), 1);
    accepted(
        "a JSON list",
        &format!("{{\"a\": [{}1]}}", "1, ".repeat(1_000_000)),
        1,
    );
    accepted(
        "a JSON text",
        &format!("{{\"a\": \"{}\"}}", "\\u00e9".repeat(800_000)),
        1,
    );
    accepted("JSON values", &"{}\n".repeat(500_000), 500_000);
}

#[test]
fn line_breaks_of_all_kinds() {
    for (name, text) in [
        ("lf", "a: 1\nb:\n- c\n"),
        ("crlf", "a: 1\r\nb:\r\n- c\r\n"),
        ("cr", "a: 1\rb:\r- c\r"),
        ("nel", "a: 1\u{85}b:\u{85}- c\u{85}"),
        ("ls", "a: 1\u{2028}b:\u{2028}- c\u{2028}"),
        ("mixed", "\u{feff}a: 1\r\nb:\u{85}- c\r"),
    ] {
        let file = read(name, text);
        let document = file
            .documents
            .first()
            .unwrap_or_else(|| panic!("{name}: {:?}", file.findings));
        let root = document.root.unwrap();
        let mut json = String::new();
        text::print::json(
            &document.tree,
            root,
            text::print::Order::Source,
            1000,
            &mut json,
        );
        assert_eq!(json, r#"{"a":1,"b":["c"]}"#, "{name}");
    }
    let mixed = [
        "\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{feff}",
    ];
    let soup: String = (0..400_000)
        .map(|n| *mixed.get(n * 7 % 11 % mixed.len()).unwrap())
        .collect();
    read("breaks and marks", &soup);
    read("carriage returns", &("a: b\r".repeat(300_000)));
    read("broken texts", &"a: 'b\n---\n".repeat(100_000));
    read("invisible", &("a: \u{200b}\u{a0}b\n".repeat(100_000)));
    read("en dashes", &("–-- a\n".repeat(20_000)));
    read(
        "look-alikes before a mistake",
        &("a:\u{a0}b: c\n- d: e\n".repeat(2)
            + &"k: v # é\n".repeat(90_000)
            + &"- \u{a0}x\n".repeat(50)
            + "[\n"),
    );
    let lookalikes = "- k: v # é\n".repeat(90_000) + &"-\u{a0}x: y\n".repeat(50) + "- [\n";
    read("look-alikes that are not the mistake", &lookalikes);
    read("tags", &"- !!str c\n".repeat(100_000));
    read("percent", &("%".repeat(1_000_000)));
    read("colons", &(":".repeat(1_000_000)));
    read("colons and blanks", &(": ".repeat(500_000)));
    read("ampersands", &("&a ".repeat(300_000)));
    read("bangs", &("!".repeat(1_000_000)));
    read("quotes", &("'".repeat(1_000_001)));
    read("braces", &("{}".repeat(500_000)));
    read("brackets after brackets", &("[]".repeat(500_000)));
    read("commas", &("[".to_owned() + &"a,".repeat(500_000)));
    read("a key never ended", &("a".repeat(1_000_000) + "\n: b"));
}

/// Claims of 1.30 name classes of other files: twelve times as many files take at most thirty times as long.
#[test]
fn conversions_of_many_files_take_linear_time() {
    let took = |count: usize| {
        let text = |n: usize| {
            format!(
                "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {{name: c{n}}}\nspec: {{resourceClassName: gpu}}\n"
            )
        };
        let class = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: gpu}\ndriverName: gpu.example.com\n";
        let files = (0..count).map(text).chain([class.to_owned()]);
        let sources = files
            .enumerate()
            .map(|(n, text)| json!({"name": format!("{n}.yaml"), "text": text}));
        let sources: Vec<Value> = sources.collect();
        let request = json!({"verb": "convert", "to": "v1", "sources": sources});
        let start = clock();
        let answer = crate::support::ask(&request);
        let took = clock().saturating_sub(start);
        assert_eq!(answer["files"].as_array().unwrap().len(), count + 1);
        assert!(answer["files"][0]["text"].is_string(), "{answer}");
        took
    };
    let least = |count: usize| (0..3).map(|_| took(count)).min().unwrap();
    let (few, many) = (least(50), least(600));
    println!("convert: 50 files {few:?}, 600 files {many:?}");
    assert!(many < few * 30, "50 files: {few:?}, 600 files: {many:?}");
}
