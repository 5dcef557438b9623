//! Sentences in comments that readers had to read twice, by their mechanical causes. The rules of comments are in
//! CONTRIBUTING.md; each finding names the cause and the place.

use std::path::{Path, PathBuf};

/// The folders whose comments are checked, with all that is in them.
const FOLDERS: &[&str] = &["crates", "examples", "pkg", "www", "src"];

/// Folders of built or fetched files.
const SKIPPED: &[&str] = &["node_modules", "target", "dist", "generated"];

/// A comment: consecutive lines with the same marker, without code blocks.
struct Comment {
    /// Line of its start, counted from one.
    line: usize,
    is_doc: bool,
    /// It describes a file, and may be a title.
    is_head: bool,
    text: String,
    /// The first line of code after it, attributes left out.
    code: String,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_source = ["rs", "ts", "tsx", "js", "mjs"]
            .iter()
            .any(|end| path.extension().is_some_and(|found| found == *end));
        if path.is_dir() && !SKIPPED.contains(&name) && !name.starts_with('.') {
            files(&path, found);
        } else if path.is_file() && is_source && !is_generated(&path) {
            found.push(path);
        }
    }
}

/// Recognizes files that a build wrote: bundles and the glue of wasm-bindgen.
fn is_generated(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.starts_with("command") && name != "command.js"
        || name.contains("_bg.")
        || std::fs::read_to_string(path)
            .is_ok_and(|text| text.lines().any(|line| line.len() > 2_000))
}

/// Splits a line into the marker of its comment and the words after it.
fn marked(line: &str, rust: bool) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let markers: &[&'static str] = if rust { &["///", "//!", "//"] } else { &["//"] };
    let marker = markers.iter().find(|marker| line.starts_with(**marker))?;
    let rest = line.strip_prefix(*marker)?;
    Some((marker, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Joins the prose of lines; blocks of code are left out.
fn prose<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut within_code = false;
    let mut text = String::new();
    for line in lines.map(str::trim) {
        if line.starts_with("```") {
            within_code = !within_code;
        } else if !within_code && !line.is_empty() {
            text.push_str(line);
            text.push(' ');
        }
    }
    text.trim().to_owned()
}

fn code_after(lines: &[&str], from: usize) -> String {
    let code = lines
        .get(from..)
        .unwrap_or_default()
        .iter()
        .map(|line| line.trim());
    code.filter(|line| !line.is_empty() && !line.starts_with("#["))
        .map(str::to_owned)
        .next()
        .unwrap_or_default()
}

fn comments(text: &str, rust: bool) -> Vec<Comment> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        if let Some((marker, _)) = marked(lines[at], rust) {
            while lines
                .get(at)
                .and_then(|line| marked(line, rust))
                .is_some_and(|(other, _)| other == marker)
            {
                at += 1;
            }
            let text = prose(
                lines[start..at]
                    .iter()
                    .filter_map(|line| Some(marked(line, rust)?.1)),
            );
            found.push(Comment {
                line: start + 1,
                is_doc: marker == "///",
                is_head: marker == "//!" || start == 0,
                text,
                code: code_after(&lines, at),
            });
        } else if lines[at].trim_start().starts_with("/*") {
            while at < lines.len() && !lines[at].contains("*/") {
                at += 1;
            }
            at = (at + 1).min(lines.len());
            let text = prose(lines[start..at].iter().map(|line| {
                line.trim()
                    .trim_start_matches(['/', '*'])
                    .trim_end_matches(['/', '*'])
            }));
            let is_doc = lines[start].trim_start().starts_with("/**");
            found.push(Comment {
                line: start + 1,
                is_doc,
                is_head: start == 0,
                text,
                code: code_after(&lines, at),
            });
        } else {
            at += 1;
        }
    }
    found
}

/// Replaces the texts between backticks and quotes: code and messages may have any words.
fn without_quotes(text: &str) -> String {
    let pieces = |text: &str, quote: char| -> String {
        text.split(quote)
            .enumerate()
            .map(|(number, piece)| if number % 2 == 0 { piece } else { "`x`" })
            .collect()
    };
    pieces(&pieces(text, '`').replace("`x`", "\u{1}"), '"')
        .replace(['\u{1}'], "`x`")
        .replace("``x``", "`x`")
}

fn words(text: &str) -> Vec<&str> {
    let parts = text.split(|character: char| {
        !character.is_alphanumeric() && character != '\'' && character != '-'
    });
    parts.filter(|word| !word.is_empty()).collect()
}

/// Beginnings of British spellings; the second of each pair has their American form.
const SPELLINGS: &[(&str, &str)] = &[
    ("behaviour", "behavior"),
    ("colour", "color"),
    ("neighbour", "neighbor"),
    ("favour", "favor"),
    ("honour", "honor"),
    ("labelled", "labeled"),
    ("labelling", "labeling"),
    ("cancelled", "canceled"),
    ("cancelling", "canceling"),
    ("modelled", "modeled"),
    ("modelling", "modeling"),
    ("licence", "license"),
    ("centre", "center"),
    ("grey", "gray"),
    ("artefact", "artifact"),
    ("catalogue", "catalog"),
    ("defence", "defense"),
    ("judgement", "judgment"),
    ("whilst", "while"),
    ("amongst", "among"),
    ("learnt", "learned"),
    ("analyse", "analyze"),
    ("recognis", "recogniz"),
    ("organis", "organiz"),
    ("optimis", "optimiz"),
    ("normalis", "normaliz"),
    ("serialis", "serializ"),
    ("deserialis", "deserializ"),
    ("initialis", "initializ"),
    ("summaris", "summariz"),
    ("synchronis", "synchroniz"),
    ("generalis", "generaliz"),
    ("specialis", "specializ"),
    ("canonicalis", "canonicaliz"),
    ("customis", "customiz"),
    ("minimis", "minimiz"),
    ("maximis", "maximiz"),
    ("emphasis", "emphasiz"),
];

/// Words that start a relative clause. A doc that starts with one names its subject by a pronoun.
const RELATIVES: &[&str] = &[
    "What", "Which", "Who", "Whose", "Whence", "Where", "That", "Those", "So", "Of",
];

/// The same for comments within code, which may ask a question or start with "So".
const HEADLESS: &[&str] = &["What", "Which", "Where", "Whose", "Those"];

/// Words that start a phrase without a verb, in the doc of a function.
const VERBLESS: &[&str] = &[
    "As", "At", "Behind", "Both", "By", "Either", "From", "In", "Neither", "No", "None", "Not",
    "Nothing", "Only", "With", "Without",
];

/// Words in "s" that are not verbs, as the first word of a function's doc.
const NOUNS: &str = "Its This Always Perhaps Attributes Bytes Capacities Characters Claims Columns Comments Completions Conditions \
    Constraints Counters Days Devices Digits Entries Errors Fields Findings Fix-ups Indexes Items Keys Labels Letters Lines \
    Literals Manifests Members Messages Nanos Nodes Objects Operators Options Parameters Paths Pods Positions Remarks \
    Requirements Resources Results Rows Rules Seconds Selectors Settings Sizes Slices Spaces Symbols Texts Thousandths Times \
    Types Units Values Versions Violations Warnings Words";

/// Verbs that "of", "that" or a word like them may follow. After another word in "s" they belong to a noun: "Names of pods",
/// "Edits that convert".
const BEFORE_CLAUSES: &[&str] = &[
    "Asserts", "Checks", "Ensures", "Explains", "Proves", "Records", "Reports", "Returns", "Says",
    "Shows", "Warns", "Writes",
];

/// Returns true if a sentence starts with a verb in the third person, as far as its first two words show.
fn starts_with_a_verb(first: &str, second: &str) -> bool {
    let is_word = first.starts_with(char::is_uppercase)
        && first.ends_with('s')
        && !first.ends_with("ss")
        && !first.contains('\'');
    let is_clause = ["of", "that", "which", "whose", "between"].contains(&second);
    is_word
        && !NOUNS.split_whitespace().any(|noun| noun == first)
        && (!is_clause || BEFORE_CLAUSES.contains(&first))
}

/// Returns the cause for which readers read a comment twice; `None` if nothing known is one.
fn cause(comment: &Comment) -> Option<String> {
    let plain = without_quotes(&comment.text);
    let words = words(&plain);
    let is_function = comment.code.split_once("fn ").is_some_and(|(before, _)| {
        before.split_whitespace().all(|word| {
            word.starts_with("pub")
                || ["const", "unsafe", "extern", "\"C\"", "in"].contains(&word)
                || word.ends_with(')')
        })
    });
    if comment.is_doc && !words.is_empty() {
        let first = words[0];
        let has_verb = is_function
            && words.len() > 1
            && first.ends_with('s')
            && first.starts_with(char::is_uppercase);
        if comment.text.split_whitespace().count() <= 3 && !comment.text.contains('`') && !has_verb
        {
            return Some(format!(
                "says nothing that the name does not: {:?}",
                comment.text
            ));
        }
        let second = words.get(1).copied().unwrap_or_default();
        let counts = ["many", "much", "long", "often", "far", "deep"].contains(&second);
        if RELATIVES.contains(&first) || first == "How" && !counts || plain.starts_with("It,") {
            return Some(format!(
                "starts with a relative clause (`{first} {second}`): name the thing"
            ));
        }
        if is_function && VERBLESS.contains(&first) {
            return Some(format!(
                "a function's doc without a verb (`{first} {second} …`): write \"Returns …\" or what it does"
            ));
        }
        let asks = plain
            .find(['.', '?'])
            .is_some_and(|end| plain[end..].starts_with('?'));
        if is_function
            && asks
            && [
                "Is", "Are", "Does", "Do", "Has", "Have", "Can", "Could", "May", "Was", "Were",
            ]
            .contains(&first)
        {
            return Some(format!(
                "asks a question (`{first} {second} …?`): write \"Returns true if\""
            ));
        }
        if comment.code.contains("-> bool") && (first, second) == ("Returns", "whether") {
            return Some(
                "says `Returns whether` of a boolean: write \"Returns true if\"".to_owned(),
            );
        }
        if is_function && !starts_with_a_verb(first, second) {
            return Some(format!(
                "a function's doc that starts with `{first}`: start with a verb, like \"Returns\" or \"Checks\""
            ));
        }
        if first == "Most" && second != "of" {
            return Some(format!(
                "starts with `Most {second}`, which reads like \"nearly all\": write \"Maximum number of\""
            ));
        }
    } else if let Some(first) = words
        .first()
        .filter(|first| HEADLESS.contains(*first) && !comment.is_head)
    {
        return Some(format!(
            "starts with a relative clause (`{first} …`): name the thing, or write \"if\""
        ));
    }
    for (number, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        let next = words.get(number + 1).copied().unwrap_or_default();
        let before = number
            .checked_sub(1)
            .map(|before| words[before].to_lowercase())
            .unwrap_or_default();
        let better = match lower.as_str() {
            "told" | "tells" | "said" => "returned, shown, distinguished or reported",
            "stands" | "stand" | "stood" if !["for", "alone", "in"].contains(&next) => "is",
            "so" if ["many", "much"].contains(&next) => "the number itself",
            "is" | "are" if next == "none" && before != "there" => "is not a …",
            "is" | "are"
                if next == "no"
                    && before != "there"
                    && words.get(number + 2) != Some(&"longer") =>
            {
                "is not a …"
            }
            _ => match SPELLINGS
                .iter()
                .find(|(british, _)| lower.starts_with(british))
            {
                Some((british, _)) if *british == "emphasis" && lower == "emphasis" => continue,
                Some((_, american)) => american,
                None => continue,
            },
        };
        return Some(format!("`{word} {next}`: write {better:?}"));
    }
    None
}

#[test]
fn comments_can_be_read_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in FOLDERS {
        files(&root.join(folder), &mut found);
    }
    assert!(found.len() > 100, "{} files", found.len());
    found.sort();
    let mut wrong = Vec::new();
    let mut read = 0;
    for file in &found {
        let text = std::fs::read_to_string(file).unwrap();
        for comment in comments(
            &text,
            file.extension().is_some_and(|extension| extension == "rs"),
        ) {
            read += 1;
            if let Some(cause) = cause(&comment) {
                wrong.push(format!(
                    "{}:{}: {cause}",
                    file.strip_prefix(root).unwrap().display(),
                    comment.line
                ));
            }
        }
    }
    assert!(read > 1_000, "{read} comments");
    assert!(
        wrong.is_empty(),
        "{} of {read} comments must be read twice:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn each_cause_is_recognized() {
    let judged = |doc: &str, code: &str| cause(&comments(&format!("{doc}\n{code}\n"), true)[0]);
    for doc in [
        "/// Its name.",
        "/// What the rule consists of.",
        "/// Which of the rules applies here.",
        "/// Where the line of the text starts.",
        "/// How the number is written in the text.",
        "/// Those that belong to the pod.",
        "/// Of a claim: the name of its request.",
        "/// Returns the text that is told to the reader.",
        "// The first word stands before the others.",
        "// Reads so many bytes of the text.",
        "// A value that is no number fails here.",
        "//! The colours of the page and others.",
        "/// Most devices in a line.",
        "\n// What the server holds is printed.",
        "\n// Where a request wants two, the first is taken.",
    ] {
        assert!(judged(doc, "pub name: String,").is_some(), "{doc}");
    }
    for doc in [
        "/// The text of the manifest.",
        "/// `a.charAt(i)`",
        "/// Whether the claim is allocated.",
        "/// How many devices the pool has.",
        "// A letter stands for a digit, and there is no other; \"he said so\" and `colour` are quoted.",
        "// It is no longer read.",
        "/// Most of the devices are free.",
        "// Most values follow a single space.",
    ] {
        assert_eq!(judged(doc, "pub name: String,"), None, "{doc}");
    }
    assert_eq!(
        judged("/// Reads a text.", "pub(crate) fn read(text: &str) {"),
        None
    );
    assert!(judged("/// The text.", "pub fn read(text: &str) {").is_some());
    assert!(
        judged(
            "/// As the server prints the path.",
            "pub fn print(path: &Path) -> String {"
        )
        .is_some()
    );
    assert!(
        judged(
            "/// Is there a text of this name?",
            "fn has(name: &str) -> bool {"
        )
        .is_some()
    );
    assert!(
        judged(
            "/// Returns whether there is a text of this name.",
            "fn has(name: &str) -> bool {"
        )
        .is_some()
    );
    for doc in [
        "/// The name of the pool, as written.",
        "/// True if the pool has devices.",
        "/// Whether the pool has devices.",
        "/// Names of the pools, in order.",
        "/// Edits that rename the pool.",
        "/// Values in the order of their keys.",
        "/// Its name in the locale, if any.",
        "/// Go's text of the pool.",
        "/// `name`, or the empty text.",
        "/// Access to the pools of a node.",
    ] {
        assert!(
            judged(doc, "pub fn pools(&self) -> Vec<String> {").is_some(),
            "{doc}"
        );
    }
    for doc in [
        "/// Returns the name of the pool.",
        "/// Returns of several pools the first.",
        "/// Names the pools, in order.",
        "/// Warns of pools without devices.",
        "/// Checks that the pool has devices.",
    ] {
        assert_eq!(
            judged(doc, "pub fn pools(&self) -> Vec<String> {"),
            None,
            "{doc}"
        );
    }
    assert_eq!(
        judged(
            "/// Names of the pools, in order.",
            "pub pools: Vec<String>,"
        ),
        None
    );
    assert_eq!(
        comments(
            "/**\n * Returns a text\n * of two lines.\n */\nlet a;\n",
            false
        )[0]
        .text,
        "Returns a text of two lines."
    );
}

/// The lower-case names that `lib.rs` exports at its root, each with the first module of its path.
fn exported(lib: &str) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for statement in lib.split("\npub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let Some((path, list)) = statement.rsplit_once("::") else {
            continue;
        };
        let folder = path.split("::").next().unwrap_or_default();
        for name in list.trim_matches(['{', '}', '\n', ' ']).split(',') {
            let original = name.trim().split(" as ").next().unwrap_or_default();
            if original.starts_with(|first: char| first.is_lowercase()) {
                names.push((folder.to_owned(), original.to_owned()));
            }
        }
    }
    names
}

/// Whether the doc before a function has an example; `None` if the text does not define the function.
fn has_example(text: &str, name: &str) -> Option<bool> {
    let heads = [format!("\npub fn {name}("), format!("\npub fn {name}<")];
    let (before, _) = heads
        .iter()
        .find_map(|head| text.split_once(head.as_str()))?;
    let mut doc = before
        .lines()
        .rev()
        .take_while(|line| line.starts_with("///") || line.starts_with("#["));
    Some(doc.any(|line| line.starts_with("/// ```")))
}

#[test]
fn functions_at_the_root_have_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lib = std::fs::read_to_string(root.join("src/lib.rs")).unwrap();
    assert!(lib.contains("//! ```\n"), "the first page has no example");
    let mut functions = 0;
    // Modules; internal functions have their names, too.
    let modules = ["account", "placement"];
    for (folder, name) in exported(&lib)
        .into_iter()
        .filter(|(_, name)| !modules.contains(&name.as_str()))
    {
        let mut found = Vec::new();
        files(&root.join("src"), &mut found);
        found.retain(|file| {
            file.strip_prefix(root.join("src"))
                .unwrap()
                .starts_with(&folder)
        });
        let texts = found
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap());
        // An internal function may have the same name. A name without a function is a module.
        let examples: Vec<bool> = texts.filter_map(|text| has_example(&text, &name)).collect();
        functions += usize::from(!examples.is_empty());
        assert!(
            examples.is_empty() || examples.contains(&true),
            "`{name}` of src/{folder} has no example"
        );
    }
    assert!(functions >= 9, "{functions} functions");
}
