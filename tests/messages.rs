//! Messages by id: every message of the sources has a template in Chinese with the same arguments, and no template is left over.

use crate::support::sources;
use claimkit::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A message as the sources declare it.
struct Declared {
    id: String,
    english: String,
    /// Without arguments, braces are braces.
    has_arguments: bool,
    /// File and line.
    place: String,
}

/// Reads the string at the start of a text; returns it with the text after it. `None` if there is none, as where a macro makes it.
fn string(text: &str) -> Option<(String, &str)> {
    let mut rest = text.trim_start().strip_prefix('"')?;
    let mut read = String::new();
    loop {
        let (at, sign) = rest.char_indices().find(|(_, c)| matches!(c, '"' | '\\'))?;
        read.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if sign == '"' {
            return Some((read, rest));
        }
        let escaped = rest.chars().next()?;
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            '\n' => rest = rest.trim_start(),
            'n' => read.push('\n'),
            't' => read.push('\t'),
            '"' | '\\' | '\'' => read.push(escaped),
            other => panic!("the escape \\{other} is not read here"),
        }
    }
}

/// Returns true if a place of a text is in a comment, as an example is.
fn is_in_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..at].trim_start().starts_with("//")
}

/// Returns the messages of a source, without those of its unit tests and examples.
fn declared(file: &Path, text: &str) -> Vec<Declared> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let starts = ["message!(", "template!("]
        .into_iter()
        .flat_map(|start| text.match_indices(start))
        .filter(|(at, _)| !is_in_comment(text, *at));
    let read = starts.filter_map(|(at, start)| {
        let (id, rest) = string(&text[at + start.len()..])?;
        let (english, rest) = string(rest.trim_start().strip_prefix(',')?)?;
        let rest = rest.trim_start();
        let has_arguments = rest
            .strip_prefix(',')
            .is_some_and(|rest| !rest.trim_start().starts_with(')'));
        Some(Declared {
            id,
            english,
            has_arguments,
            place: format!(
                "{}:{}",
                file.display(),
                text[..at].matches('\n').count() + 1
            ),
        })
    });
    read.collect()
}

fn all() -> Vec<Declared> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        sources(&root.join(folder), &mut files);
    }
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        let file = path.strip_prefix(root).unwrap();
        found.extend(declared(file, &std::fs::read_to_string(path).unwrap()));
    }
    let helps = Code::ALL
        .iter()
        .filter_map(|code| Some((code.name(), code.help()?)));
    found.extend(helps.map(|(name, help)| Declared {
        id: format!("help.{name}"),
        english: help.to_owned(),
        has_arguments: false,
        place: "crates/claimkit-model/src/finding/code.rs".to_owned(),
    }));
    found
}

fn chinese() -> BTreeMap<String, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("pkg/locale/zh-Hans.json");
    let mut locale: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    serde_json::from_value(locale["messages"].take()).unwrap()
}

/// Returns the names of a template's arguments.
fn arguments(template: &str) -> BTreeSet<String> {
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn every_message_has_a_chinese_template_with_its_arguments() {
    let (messages, chinese) = (all(), chinese());
    assert!(messages.len() > 900, "{} messages", messages.len());
    let lacking: Vec<_> = messages
        .iter()
        .filter(|message| !chinese.contains_key(&message.id))
        .collect();
    let lacking: Vec<_> = lacking
        .iter()
        .map(|message| format!("{}: {} {:?}", message.place, message.id, message.english))
        .collect();
    assert!(
        lacking.is_empty(),
        "pkg/locale/zh-Hans.json lacks {lacking:#?}"
    );
    let ids: BTreeSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    let left_over: Vec<_> = chinese
        .keys()
        .filter(|id| !ids.contains(id.as_str()))
        .collect();
    assert!(
        left_over.is_empty(),
        "pkg/locale/zh-Hans.json has templates of no message: {left_over:#?}"
    );
    for Declared {
        id, english, place, ..
    } in messages.iter().filter(|message| message.has_arguments)
    {
        assert_eq!(arguments(&chinese[id]), arguments(english), "{place}: {id}");
    }
}

#[test]
fn an_id_stands_once_and_says_what_it_is_about() {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for Declared { id, place, .. } in all() {
        let parts: Vec<&str> = id.split('.').collect();
        let is_kebab = |part: &&str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        assert!(
            parts.len() == 2 && parts.iter().all(is_kebab),
            "{place}: {id}"
        );
        if let Some(other) = places.insert(id.clone(), place.clone()) {
            panic!("{id} stands at {other} and at {place}");
        }
    }
}

#[test]
fn chinese_templates_are_in_chinese() {
    for (id, template) in chinese() {
        // A part that begins with a Latin word has a blank before it in a Chinese sentence.
        assert_eq!(template.trim_end(), template, "{id}");
        assert_eq!(
            template.matches('`').count() % 2,
            0,
            "{id}: unpaired backtick"
        );
        // Some only join arguments.
        let bare: String = template.split('`').step_by(2).collect();
        let words = bare
            .split('{')
            .flat_map(|part| part.rsplit('}').next())
            .collect::<String>();
        let is_chinese = words
            .chars()
            .any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        let english = [" and ", " or ", " with ", " of ", " the "]
            .into_iter()
            .find(|word| bare.contains(word));
        assert_eq!(english, None, "{id} is half in English: {template}");
        assert!(
            is_chinese || !words.chars().any(|c| c.is_ascii_lowercase()),
            "{id} is not in Chinese: {template}"
        );
    }
}
