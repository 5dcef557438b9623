//! A page for each finding code in `www/codes/`: its meaning, why it matters, an example, upstream's rule and the correction.
//!
//! Everything comes from the registry: the codes, their sentences (`pkg/locale`), their help, the paragraphs in
//! `codes/rules.json` and an example. `CLAIMKIT_UPDATE=1` writes the pages.
//!
//! The example is the file `codes/CODE.yaml`, or else the first of `manifests` that gives the code. Both begin with the request, so that
//! the finding shown is the one that claimkit gives. In `codes`, `parts=old,text` in the first line names the members of the request that
//! the documents of the file become; the last of them is all that follows.

use crate::policy::fixtures;
use crate::support::ask;
use crate::support::manifests::{manifests, marker, request};
use claimkit_model::finding::Code;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST: usize = 110;
/// A paragraph with fewer words says too little.
const FEWEST_WORDS: usize = 12;

/// What `codes/rules.json` says of a code. Pieces between backquotes are code.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct About {
    /// The rule: upstream's, with the function that has it, or claimkit's own.
    rule: String,
    /// The meaning, where the sentence of `pkg/locale` says too little.
    means: Option<String>,
    /// What happens in the cluster, and to whom.
    why: String,
    /// What to write instead, where the help of the finding says too little.
    instead: Option<String>,
    /// When the fix can be applied without looking; for each code with a fix, and no other.
    fix: Option<String>,
    /// The reason why there is no example; for each code without one, and no other.
    no_example: Option<String>,
}

type Registry = BTreeMap<String, About>;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// One finding in what gives it.
struct Example {
    severity: String,
    origin: String,
    message: String,
    help: Option<String>,
    fix: Option<String>,
    /// The release, the command and the gates, as far as they are named.
    asked: Vec<String>,
    /// The texts as HTML, each with its caption.
    texts: Vec<(Option<&'static str>, String)>,
}

impl Example {
    fn new(finding: &Value, request: &Value, texts: Vec<(Option<&'static str>, String)>) -> Self {
        let string = |name: &str| finding.get(name).and_then(Value::as_str).map(str::to_owned);
        Example {
            severity: string("severity").unwrap(),
            origin: string("origin").unwrap(),
            message: string("message").unwrap(),
            help: string("help"),
            fix: finding["fixes"]
                .get(0)
                .and_then(|fix| fix["title"].as_str())
                .map(str::to_owned),
            asked: asked(request),
            texts,
        }
    }
}

/// The parts of a request that are not texts, for the line above an example.
fn asked(request: &Value) -> Vec<String> {
    let string = |name: &str| request.get(name).and_then(Value::as_str);
    let release = string("release").map(|release| format!("Kubernetes {release}"));
    let verb = string("verb")
        .filter(|verb| *verb != "validate")
        .map(|verb| format!("`claimkit {verb}`"));
    let gates = request["gates"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(gate, on)| format!("`{gate}={on}`"));
    let limits = request["limits"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(limit, most)| format!("limit `{limit}={most}`"));
    let to = string("to").map(|to| format!("to `{to}`"));
    let operation = string("operation").map(|operation| match operation {
        "update" => "an update".to_owned(),
        "updateStatus" => "an update of the status".to_owned(),
        _ => format!("a {operation}"),
    });
    let namespace = string("namespace").map(|namespace| format!("namespace `{namespace}`"));
    let labels = request["namespaceLabels"].as_object().into_iter().flatten();
    let labels = labels.map(|(label, value)| {
        format!(
            "a namespace with `{label}: {}`",
            value.as_str().unwrap_or_default()
        )
    });
    let via = string("via").and_then(|via| match via {
        "server" => Some("sent to the server without kubectl".to_owned()),
        "validator" => Some("checked by the validation function alone".to_owned()),
        _ => None,
    });
    let features = request["features"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let features = features.map(|feature| format!("a scheduler with the feature `{feature}` only"));
    release
        .into_iter()
        .chain(verb)
        .chain(to)
        .chain(operation)
        .chain(via)
        .chain(namespace)
        .chain(labels)
        .chain(gates)
        .chain(features)
        .chain(limits)
        .collect()
}

fn caption(part: &str) -> &'static str {
    match part {
        "settings" => "The settings of the policy:",
        "object" => "The object:",
        "old" => "The stored object:",
        "patch" => "The patch:",
        "nodes" => "The nodes:",
        "labelSelector" => "The label selector:",
        "fieldSelector" => "The field selector:",
        "text" => "The manifest:",
        _ => panic!("no caption for the part `{part}` of an example"),
    }
}

/// The whole text, with the range marked.
fn marked(text: &str, range: Option<&Value>) -> String {
    let at = |side: &str| usize::try_from(range?[side]["byteOffset"].as_u64()?).ok();
    let Some((from, to)) = at("start").zip(at("end")).filter(|(from, to)| from < to) else {
        return escape(text);
    };
    // Of a range with several lines the first is marked.
    let to = text[from..to].find('\n').map_or(to, |end| from + end);
    format!(
        "{}<mark>{}</mark>{}",
        escape(&text[..from]),
        escape(&text[from..to]),
        escape(&text[to..])
    )
}

fn json_of(text: &str) -> Value {
    ask(&json!({"verb": "parse", "raw": true, "text": text}))["raw"].clone()
}

/// The request of an example in `codes`, and its texts by the names of their members. For `admit` it is made around the object.
fn parts(path: &Path) -> (Value, Vec<(String, String)>) {
    let whole = fs::read_to_string(path).unwrap();
    let mut request = request(path, &whole);
    let body = whole
        .strip_prefix("# claimkit:")
        .map_or(whole.as_str(), |rest| rest.split_once('\n').unwrap().1);
    let names = request
        .as_object_mut()
        .unwrap()
        .remove("parts")
        .unwrap_or_else(|| json!("text"));
    let names: Vec<&str> = names.as_str().unwrap().split(',').collect();
    let texts = body
        .splitn(names.len(), "\n---\n")
        .map(|text| format!("{}\n", text.trim_end()));
    let texts: Vec<(String, String)> = names
        .iter()
        .map(|name| (*name).to_owned())
        .zip(texts)
        .collect();
    request.as_object_mut().unwrap().remove("text");
    let admits = request["verb"] == "admit";
    let mut case = json!({});
    for (name, text) in &texts {
        match name.as_str() {
            "settings" => request["settings"] = json_of(text),
            "object" | "old" if admits => case[name] = json_of(text),
            "labelSelector" | "fieldSelector" => request[name] = json!(text.trim()),
            _ => request[name] = json!(text),
        }
    }
    if let Some(features) = request["features"].as_str() {
        request["features"] = features.split(',').collect();
    }
    if case["object"].is_object() {
        for name in ["operation", "subResource"] {
            if let Some(value) = request.as_object_mut().unwrap().remove(name) {
                case[name] = value;
            }
        }
        request["request"] = fixtures::admission(&case);
    }
    (request, texts)
}

/// The findings of an answer, also those about one pod.
fn findings(answer: &Value) -> Vec<&Value> {
    let pods = answer["pods"].as_array().into_iter().flatten();
    std::iter::once(answer)
        .chain(pods)
        .filter_map(|of| of["findings"].as_array())
        .flatten()
        .collect()
}

/// The example of a code in `codes`, if it has one; an error if it does not give the code.
fn own(code: &str) -> Option<Result<Example, String>> {
    let path = root().join("tests/codes").join(format!("{code}.yaml"));
    if !path.exists() {
        return None;
    }
    let (request, texts) = parts(&path);
    let answer = ask(&request);
    let all = findings(&answer);
    let Some(finding) = all.iter().copied().find(|finding| finding["code"] == code) else {
        let given = all
            .iter()
            .map(|finding| format!("  {}: {}", finding["code"], finding["message"]));
        return Some(Err(format!(
            "{} gives\n{}\n  {}",
            path.display(),
            given.collect::<Vec<_>>().join("\n"),
            answer["error"]
        )));
    };
    let several = texts.len() > 1;
    let shown = texts.iter().map(|(name, text)| {
        let range = finding.get("range").filter(|_| finding["in"] == **name);
        (several.then(|| caption(name)), marked(text, range))
    });
    Some(Ok(Example::new(finding, &request, shown.collect())))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Escaped, with the pieces between backquotes as code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            out.push_str(&format!("<code>{}</code>", escape(piece)));
        } else {
            out.push_str(&escape(piece));
        }
    }
    out
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// The lines around a range, without the comments about findings and with the range marked.
fn snippet(text: &str, range: &Value) -> Option<String> {
    let line = range["start"]["line"].as_u64()? as usize;
    let (from, to) = (
        range["start"]["byteOffset"].as_u64()? as usize,
        range["end"]["byteOffset"].as_u64()? as usize,
    );
    let lines: Vec<&str> = text.split('\n').collect();
    let mut first = line;
    let mut above = 0;
    while first > 0 && above < 6 && !lines[first].starts_with("---") {
        first -= 1;
        above += usize::from(marker(lines[first]).is_none());
    }
    if lines[first].starts_with("---") || lines[first].starts_with("# claimkit:") {
        first += 1;
    }
    let mut out = String::new();
    let mut below = 0;
    let mut offset: usize = lines[..first].iter().map(|line| line.len() + 1).sum();
    for (number, content) in lines.iter().enumerate().skip(first) {
        let start = offset;
        offset += content.len() + 1;
        if marker(content).is_some() {
            continue;
        }
        if number > line {
            below += 1;
            if below > 2 || content.starts_with("---") || content.is_empty() {
                break;
            }
        }
        let (a, b) = (
            from.clamp(start, start + content.len()) - start,
            to.clamp(start, start + content.len()) - start,
        );
        if number >= line && a < b && content.len() <= LONGEST {
            out.push_str(&escape(&content[..a]));
            out.push_str(&format!("<mark>{}</mark>", escape(&content[a..b])));
            out.push_str(&escape(&content[b..]));
        } else {
            out.push_str(&escape(&cut(content)));
        }
        out.push('\n');
    }
    (!out.trim().is_empty()).then_some(out)
}

/// The examples by code, and the codes of findings with a fix.
fn examples() -> (BTreeMap<String, Example>, BTreeSet<String>) {
    let (own, wrong): (Vec<_>, Vec<_>) = Code::ALL
        .iter()
        .filter_map(|code| Some((code.name().to_owned(), own(code.name())?)))
        .partition(|(_, made)| made.is_ok());
    let wrong: Vec<String> = wrong
        .into_iter()
        .filter_map(|(_, made)| made.err())
        .collect();
    assert!(
        wrong.is_empty(),
        "examples that do not give their code:\n{}",
        wrong.join("\n")
    );
    let mut found: BTreeMap<String, Example> = own
        .into_iter()
        .filter_map(|(code, made)| Some((code, made.ok()?)))
        .collect();
    let with_fix = found
        .iter()
        .filter(|(_, example)| example.fix.is_some())
        .map(|(code, _)| code.clone());
    let mut fixed: BTreeSet<String> = with_fix.collect();
    for path in manifests() {
        let text = fs::read_to_string(&path).unwrap();
        let asked = request(&path, &text);
        let answer = ask(&asked);
        for finding in findings(&answer) {
            let code = finding["code"].as_str().unwrap();
            if finding["fixes"]
                .as_array()
                .is_some_and(|fixes| !fixes.is_empty())
            {
                fixed.insert(code.to_owned());
            }
            found.entry(code.to_owned()).or_insert_with(|| {
                let range = finding.get("range").filter(|_| finding["in"] == "text");
                let shown = range.and_then(|range| snippet(&text, range));
                Example::new(
                    finding,
                    &asked,
                    shown.map(|shown| (None, shown)).into_iter().collect(),
                )
            });
        }
    }
    (found, fixed)
}

fn registry() -> Registry {
    let path = root().join("tests/codes/rules.json");
    serde_json::from_str(&fs::read_to_string(&path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn head(title: &str, up: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · claimkit</title>\n\
         <link rel=\"stylesheet\" href=\"codes.css\">\n</head>\n<body>\n<nav>{up}</nav>\n<main>\n"
    )
}

fn section(title: &str, text: &str) -> String {
    format!("<h2>{title}</h2>\n<p>{}</p>\n", prose(text))
}

/// A help as a sentence. Names of programs stay in lower case.
fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters
        .next()
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    let end = if help.ends_with('?') { "" } else { "." };
    if help.starts_with("kubectl ") {
        format!("{help}{end}")
    } else {
        format!("{first}{}{end}", letters.as_str())
    }
}

fn page(
    code: Code,
    english: &Value,
    chinese: &Value,
    about: &About,
    example: Option<&Example>,
) -> String {
    let name = code.name();
    let mut out = head(
        name,
        "<a href=\"../\">Playground</a> <a href=\"index.html\">All codes</a>",
    );
    out.push_str(&format!("<h1><code>{name}</code></h1>\n"));
    if let Some(example) = example {
        let (severity, origin) = (&example.severity, &example.origin);
        out.push_str(&format!("<p class=\"tags\"><span class=\"{severity}\">{severity}</span> <span>{origin}</span></p>\n"));
    }
    out.push_str(&format!(
        "<p class=\"meaning\">{}</p>\n",
        prose(english["codes"][name].as_str().unwrap())
    ));
    out.push_str(&format!(
        "<p lang=\"zh-Hans\">{}</p>\n",
        prose(chinese["codes"][name].as_str().unwrap())
    ));
    if let Some(means) = &about.means {
        out.push_str(&section("What it means", means));
    }
    out.push_str(&section("Why it matters", &about.why));
    out.push_str(&section("The rule", &about.rule));
    if let Some(example) = example {
        out.push_str("<h2>Example</h2>\n");
        if !example.asked.is_empty() {
            out.push_str(&format!(
                "<p class=\"release\">{}</p>\n",
                prose(&example.asked.join(", "))
            ));
        }
        for (caption, text) in &example.texts {
            if let Some(caption) = caption {
                out.push_str(&format!("<p>{caption}</p>\n"));
            }
            out.push_str(&format!("<pre>{text}</pre>\n"));
        }
        out.push_str(&format!(
            "<blockquote>{}</blockquote>\n",
            escape(&example.message)
        ));
    }
    if let Some(reason) = &about.no_example {
        out.push_str(&section("Example", reason));
    }
    let help = example
        .and_then(|example| example.help.clone())
        .or_else(|| code.help().map(str::to_owned));
    if help.is_some() || about.instead.is_some() {
        out.push_str("<h2>What to write</h2>\n");
    }
    for paragraph in help
        .map(|help| sentence(&help))
        .iter()
        .chain(&about.instead)
    {
        out.push_str(&format!("<p>{}</p>\n", prose(paragraph)));
    }
    if let Some(fix) = &about.fix {
        out.push_str("<h2>The fix</h2>\n");
        if let Some(title) = example.and_then(|example| example.fix.as_ref()) {
            out.push_str(&format!(
                "<p>claimkit offers a fix here: {}.</p>\n",
                prose(title)
            ));
        }
        out.push_str(&format!("<p>{}</p>\n", prose(fix)));
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn index(english: &Value, examples: &BTreeMap<String, Example>) -> String {
    let mut out = head("Finding codes", "<a href=\"../\">Playground</a>");
    out.push_str("<h1>Finding codes</h1>\n<dl>\n");
    for code in Code::ALL {
        let name = code.name();
        let severity = examples
            .get(name)
            .map_or("error", |example| example.severity.as_str());
        let meaning = prose(english["codes"][name].as_str().unwrap());
        out.push_str(&format!(
            "<dt><a href=\"{name}.html\"><code>{name}</code></a> <span class=\"{severity}\">{severity}</span></dt>\n<dd>{meaning}</dd>\n"
        ));
    }
    out.push_str("</dl>\n</main>\n</body>\n</html>\n");
    out
}

#[test]
fn the_pages_are_those_of_the_registry() {
    let bless = std::env::var_os("CLAIMKIT_UPDATE").is_some();
    let locale = root().join("pkg/locale");
    let (english, chinese) = (
        read(&locale.join("en.json")),
        read(&locale.join("zh-Hans.json")),
    );
    let registry = registry();
    let (examples, _) = examples();
    let mut pages: BTreeMap<String, String> = Code::ALL
        .iter()
        .map(|&code| {
            let name = code.name();
            let about = registry
                .get(name)
                .unwrap_or_else(|| panic!("tests/codes/rules.json has nothing about {name}"));
            (
                format!("{name}.html"),
                page(code, &english, &chinese, about, examples.get(name)),
            )
        })
        .collect();
    pages.insert("index.html".to_owned(), index(&english, &examples));
    let folder = root().join("www/codes");
    let there: Vec<String> = fs::read_dir(&folder)
        .map(|entries| {
            entries
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    let mut stale = Vec::new();
    for name in there
        .iter()
        .filter(|name| name.ends_with(".html") && !pages.contains_key(*name))
    {
        stale.push(name.clone());
        if bless {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    for (name, page) in &pages {
        if fs::read_to_string(folder.join(name)).is_ok_and(|text| text == *page) {
            continue;
        }
        stale.push(name.clone());
        if bless {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), page).unwrap();
        }
    }
    assert!(
        bless || stale.is_empty(),
        "not as the registry says; run `CLAIMKIT_UPDATE=1 cargo test --test all code_pages`: {stale:?}"
    );
}

/// The number of words of some texts together.
fn words(texts: &[Option<&str>]) -> usize {
    texts
        .iter()
        .flatten()
        .map(|text| text.split_whitespace().count())
        .sum()
}

#[test]
fn no_page_is_thin() {
    let english = read(&root().join("pkg/locale/en.json"));
    let registry = registry();
    let (examples, fixed) = examples();
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, about) in &registry {
        if !Code::ALL.iter().any(|code| code.name() == name) {
            wrong.push(format!("{name}: there is no such code"));
            continue;
        }
        let meaning = english["codes"][name].as_str();
        if words(&[meaning, about.means.as_deref()]) < FEWEST_WORDS {
            wrong.push(format!(
                "{name}: `means` is needed, because its sentence in `pkg/locale` is short"
            ));
        }
        if words(&[Some(&about.why)]) < FEWEST_WORDS {
            wrong.push(format!("{name}: `why` is short"));
        }
        for text in [meaning, about.means.as_deref(), Some(about.why.as_str())]
            .into_iter()
            .flatten()
        {
            if let Some(other) = seen.insert(text, name) {
                wrong.push(format!(
                    "{name}: the page of {other} has the same sentences: {text}"
                ));
            }
        }
        let written = [&about.means, &about.instead, &about.fix, &about.no_example]
            .into_iter()
            .flatten();
        for text in written.chain([&about.why, &about.rule]) {
            if !text.ends_with(['.', ')'])
                || text.matches('`').count() % 2 == 1
                || text.contains('\n')
            {
                wrong.push(format!(
                    "{name}: not whole sentences with closed backquotes: {text}"
                ));
            }
        }
        match (examples.get(name), &about.no_example) {
            (None, None) => {
                wrong.push(format!("{name}: it has neither an example nor `noExample`"))
            }
            (Some(_), Some(_)) => wrong.push(format!(
                "{name}: it has an example and a reason why there is none"
            )),
            (Some(example), None) if example.texts.is_empty() => {
                wrong.push(format!(
                    "{name}: the example shows no text; write `tests/codes/{name}.yaml`"
                ));
            }
            _ => {}
        }
        if fixed.contains(name) != about.fix.is_some() {
            wrong.push(format!(
                "{name}: `fix` must be there if a finding has a fix, and only then"
            ));
        }
    }
    for entry in fs::read_dir(root().join("tests/codes")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
            && !registry.contains_key(&*stem)
        {
            wrong.push(format!("{}: there is no such code", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} codes:\n{}",
        wrong.len(),
        registry.len(),
        wrong.join("\n")
    );
}
