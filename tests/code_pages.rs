//! A page for each finding code in `www/codes/`: its meaning, an example, upstream's rule and the correction.
//!
//! Everything comes from the registry: the codes, their sentences (`pkg/locale`), their help, the rules in
//! `codes/rules.json` and the first manifest that gives the code. `CLAIMKIT_BLESS=1` writes the pages.

use crate::support::ask;
use crate::support::manifests::{manifests, marker, request};
use claimkit::finding::Code;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST: usize = 110;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// One finding in its manifest.
struct Example {
    severity: String,
    origin: String,
    message: String,
    help: Option<String>,
    fix: Option<String>,
    release: Option<String>,
    snippet: Option<String>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
    let (from, to) = (range["start"]["byteOffset"].as_u64()? as usize, range["end"]["byteOffset"].as_u64()? as usize);
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
        let (a, b) = (from.clamp(start, start + content.len()) - start, to.clamp(start, start + content.len()) - start);
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

fn examples() -> BTreeMap<String, Example> {
    let mut found: BTreeMap<String, Example> = BTreeMap::new();
    for path in manifests() {
        let text = fs::read_to_string(&path).unwrap();
        let asked = request(&path, &text);
        let answer = ask(&asked);
        for finding in answer["findings"].as_array().unwrap() {
            let code = finding["code"].as_str().unwrap();
            let string = |name: &str| finding.get(name).and_then(Value::as_str).map(str::to_owned);
            found.entry(code.to_owned()).or_insert_with(|| Example {
                severity: string("severity").unwrap(),
                origin: string("origin").unwrap(),
                message: string("message").unwrap(),
                help: string("help"),
                fix: finding["fixes"].get(0).and_then(|fix| fix["title"].as_str()).map(str::to_owned),
                release: asked.get("release").and_then(Value::as_str).map(str::to_owned),
                snippet: finding.get("range").filter(|_| finding["in"] == "text").and_then(|range| snippet(&text, range)),
            });
        }
    }
    found
}

fn head(title: &str, up: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · claimkit</title>\n\
         <link rel=\"stylesheet\" href=\"codes.css\">\n</head>\n<body>\n<nav>{up}</nav>\n<main>\n"
    )
}

fn page(code: Code, english: &Value, chinese: &Value, rules: &Value, example: Option<&Example>) -> String {
    let name = code.name();
    let mut out = head(name, "<a href=\"../\">Playground</a> <a href=\"index.html\">All codes</a>");
    out.push_str(&format!("<h1><code>{name}</code></h1>\n"));
    if let Some(example) = example {
        let (severity, origin) = (&example.severity, &example.origin);
        out.push_str(&format!("<p class=\"tags\"><span class=\"{severity}\">{severity}</span> <span>{origin}</span></p>\n"));
    }
    out.push_str(&format!("<p class=\"meaning\">{}</p>\n", prose(english["codes"][name].as_str().unwrap())));
    out.push_str(&format!("<p lang=\"zh-Hans\">{}</p>\n", prose(chinese["codes"][name].as_str().unwrap())));
    let rule = rules[name].as_str().unwrap_or_else(|| panic!("tests/codes/rules.json has no rule for {name}"));
    out.push_str(&format!("<h2>The rule</h2>\n<p>{}</p>\n", prose(rule)));
    if let Some(example) = example {
        out.push_str("<h2>Example</h2>\n");
        if let Some(release) = &example.release {
            out.push_str(&format!("<p class=\"release\">Kubernetes {}</p>\n", escape(release)));
        }
        if let Some(snippet) = &example.snippet {
            out.push_str(&format!("<pre>{snippet}</pre>\n"));
        }
        out.push_str(&format!("<blockquote>{}</blockquote>\n", escape(&example.message)));
    }
    let advice = code.help().map(str::to_owned).or_else(|| example.and_then(|example| example.help.clone()));
    if advice.is_some() || example.is_some_and(|example| example.fix.is_some()) {
        out.push_str("<h2>What to write</h2>\n");
    }
    if let Some(advice) = advice {
        let mut letters = advice.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        out.push_str(&format!("<p>{}.</p>\n", prose(&format!("{first}{}", letters.as_str()))));
    }
    if let Some(fix) = example.and_then(|example| example.fix.as_ref()) {
        out.push_str(&format!("<p>claimkit offers a fix here: {}.</p>\n", prose(fix)));
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn index(english: &Value, examples: &BTreeMap<String, Example>) -> String {
    let mut out = head("Finding codes", "<a href=\"../\">Playground</a>");
    out.push_str("<h1>Finding codes</h1>\n<dl>\n");
    for code in Code::ALL {
        let name = code.name();
        let severity = examples.get(name).map_or("error", |example| example.severity.as_str());
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
    let bless = std::env::var_os("CLAIMKIT_BLESS").is_some();
    let locale = root().join("pkg/locale");
    let (english, chinese) = (read(&locale.join("en.json")), read(&locale.join("zh-Hans.json")));
    let rules = read(&root().join("tests/codes/rules.json"));
    let examples = examples();
    let mut pages: BTreeMap<String, String> = Code::ALL
        .iter()
        .map(|&code| (format!("{}.html", code.name()), page(code, &english, &chinese, &rules, examples.get(code.name()))))
        .collect();
    pages.insert("index.html".to_owned(), index(&english, &examples));
    let folder = root().join("www/codes");
    let there: Vec<String> = fs::read_dir(&folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    let mut stale = Vec::new();
    for name in there.iter().filter(|name| name.ends_with(".html") && !pages.contains_key(*name)) {
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
    let without: Vec<&str> =
        rules.as_object().unwrap().keys().filter(|key| !pages.contains_key(&format!("{key}.html"))).map(String::as_str).collect();
    assert!(without.is_empty(), "tests/codes/rules.json has rules for codes that do not exist: {without:?}");
    assert!(
        bless || stale.is_empty(),
        "not as the registry says; run `CLAIMKIT_BLESS=1 cargo test --test all code_pages`: {stale:?}"
    );
}
