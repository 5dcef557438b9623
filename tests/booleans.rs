//! A bare `true` or `false` as an argument says nothing to a reader of the call. Two functions, an enum or the field of a struct say
//! what it means; this refuses calls that do not.

use crate::support::sources;
use std::collections::BTreeSet;
use std::path::Path;

/// The functions that may be called with a bare boolean, and why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "from",
        "`Value::from` of serde_json: the boolean is the value",
    ),
    (
        "is",
        "a setting of the policy is compared with a value of JSON",
    ),
    ("once", "`std::iter::once`: the boolean is the value"),
    (
        "part",
        "public in claimkit-yaml, where an enum would break callers",
    ),
    (
        "read_part",
        "public in claimkit-yaml, where an enum would break callers",
    ),
    (
        "replace",
        "`std::mem::replace`: the boolean is the new value",
    ),
    ("resize", "`Vec::resize`: the boolean is the value"),
    ("set", "`Cell::set`, and a gate that is on or off"),
    ("then_some", "`bool::then_some`: the boolean is the value"),
    (
        "unwrap_or",
        "`Option::unwrap_or`: the boolean is the default",
    ),
];

const KEYWORDS: &[&str] = &["if", "in", "let", "match", "return", "while"];

/// Returns the length of the comment or the literal at the start of a text; zero if there is none.
fn unread(rest: &str, before: Option<char>) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    let raw = rest
        .strip_prefix('b')
        .unwrap_or(rest)
        .strip_prefix('r')
        .unwrap_or("");
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    if raw[hashes..].starts_with('"') && !before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        let close = format!("\"{}", &raw[..hashes]);
        let body = rest.len() - raw.len() + hashes + 1;
        return rest[body..]
            .find(&close)
            .map_or(rest.len(), |end| body + end + close.len());
    }
    let escaped = |quote: char| {
        let mut chars = rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                c if c == quote => return at + 1,
                _ => {}
            }
        }
        rest.len()
    };
    let mut chars = rest.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('"'), ..) => escaped('"'),
        // A lifetime has no second quote.
        (Some('\''), Some('\\'), _) | (Some('\''), Some(_), Some('\'')) => escaped('\''),
        _ => 0,
    }
}

/// Replaces comments and literals by blanks, without the unit tests at the end. Lines stay where they are.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("#[cfg(test)]\nmod tests {") {
            break;
        }
        let length = unread(rest, out.chars().next_back());
        let (taken, behind) = rest.split_at(if length == 0 {
            first.len_utf8()
        } else {
            length
        });
        match length {
            0 => out.push(first),
            _ => out.extend(taken.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
        }
        rest = behind;
    }
    out
}

/// Returns the functions of a text that are called with a bare boolean, each with its line.
fn calls(text: &str) -> Vec<(usize, String)> {
    let text = code(text);
    let mut found = Vec::new();
    // The brackets that are open, each with the starts of its parts.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push((at, vec![at + 1])),
            b',' => open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|(_, starts)| starts.push(at + 1)),
            b')' | b']' | b'}' => {
                let Some((start, starts)) = open.pop() else {
                    continue;
                };
                let ends = starts.iter().skip(1).map(|start| start - 1).chain([at]);
                let mut parts = starts
                    .iter()
                    .zip(ends)
                    .map(|(start, end)| text[*start..end].trim());
                if byte == b')' && parts.any(|part| matches!(part, "true" | "false")) {
                    found.extend(
                        callee(&text[..start])
                            .map(|name| (text[..start].matches('\n').count() + 1, name)),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the name of the function before a parenthesis; `None` for tuples, macros and variants, whose value the boolean is.
fn callee(before: &str) -> Option<String> {
    let before = before.trim_end();
    let turbofish = before
        .strip_suffix('>')
        .and_then(|before| before.rsplit_once("::<"));
    let before = match turbofish {
        Some((before, types)) if !types.contains(['(', '{', ';', '=']) => before,
        _ => before,
    };
    let name = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    let is_function =
        name.starts_with(|c: char| c.is_lowercase() || c == '_') && !KEYWORDS.contains(&name);
    is_function.then(|| name.to_owned())
}

#[test]
fn no_function_is_called_with_a_bare_boolean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in &files {
        for (line, name) in calls(&std::fs::read_to_string(file).unwrap()) {
            if ALLOWED.iter().all(|(allowed, _)| *allowed != name) {
                wrong.push(format!(
                    "{}:{line}: {name}",
                    file.strip_prefix(root).unwrap().display()
                ));
            }
            used.insert(name);
        }
    }
    assert!(
        wrong.is_empty(),
        "write two functions, an enum or a struct for the boolean:\n{}",
        wrong.join("\n")
    );
    let idle: Vec<&str> = ALLOWED
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !used.contains(*name))
        .collect();
    assert!(idle.is_empty(), "no longer called with a boolean: {idle:?}");
}

#[test]
fn calls_with_a_bare_boolean_are_found() {
    let names = |text: &str| {
        calls(text)
            .into_iter()
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        calls("f(\n    a,\n    true,\n);\nself.g::<T>(false)"),
        [(1, "f".to_owned()), (5, "g".to_owned())]
    );
    assert_eq!(
        names("Some(true); (true, 1); m!(true); if (true, a) == b {}; f::<A>(), _ => (b, true)"),
        Vec::<String>::new()
    );
    assert_eq!(names("f(g(true), |x| false)"), ["g"]);
    assert_eq!(
        names("// f(true)\n\"f(true)\"; r#\"f(true) \"\"#; '\"'; b'\\''; f::<'a>(a); g(false)"),
        ["g"]
    );
    assert_eq!(
        names("g(true);\n#[cfg(test)]\nmod tests { fn f() { f(true) } }"),
        ["g"]
    );
}
