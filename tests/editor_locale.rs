//! Every row of the tables, every code and every release has a sentence in each language, and no sentence is left over.

use claimkit::editor::facts;
use claimkit::editor::registry::{self, changes};
use claimkit::editor::sentences::{
    LOCALES, Sentences, field_key, kind_key, value_key, version_key,
};
use claimkit_model::finding::Code;
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{FieldType, Release, Struct, VERSIONS};
use std::collections::BTreeSet;

/// Every struct that an object of any version can contain.
fn structs() -> Vec<&'static Struct> {
    let mut found: Vec<&'static Struct> = Vec::new();
    let mut open: Vec<&'static Struct> = VERSIONS
        .iter()
        .flat_map(|v| v.kinds)
        .map(|kind| kind.schema)
        .collect();
    while let Some(schema) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        found.push(schema);
        for field in schema.fields {
            let mut ty = &field.ty;
            loop {
                ty = match ty {
                    FieldType::Pointer(inner) | FieldType::List(inner) => inner,
                    FieldType::Map(map) => &map.value,
                    _ => break,
                };
            }
            open.extend(ty.as_struct());
        }
    }
    found
}

fn wanted() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for schema in structs() {
        for field in schema.fields {
            keys.insert(field_key(schema, field));
            keys.extend(
                field
                    .allowed(Release::latest())
                    .iter()
                    .map(|value| value_key(field, value).expect("an enum's value has a key")),
            );
            for release in LAST_PATCHES {
                keys.extend(
                    facts::facts(schema, field, *release)
                        .format
                        .map(|format| format!("formats/{}", format.name())),
                );
            }
        }
    }
    for version in VERSIONS {
        keys.insert(version_key(version.api_version));
        keys.extend(version.kinds.iter().map(|kind| kind_key(kind.kind)));
    }
    keys.extend(Code::ALL.iter().map(|&code| registry::code_key(code)));
    keys.extend(changes().map(|change| format!("releases/{change}")));
    keys
}

fn read(locale: &str) -> Sentences {
    claimkit::editor::locale::sentences(locale)
        .expect("every locale has a file, an object of groups of sentences")
}

/// Returns the keys of documentation; `tests/messages.rs` is about the templates of messages.
fn documentation(sentences: &Sentences) -> impl Iterator<Item = String> {
    sentences.keys().filter(|key| !key.starts_with("messages/"))
}

#[test]
fn every_row_has_a_sentence_in_every_language_and_none_is_left_over() {
    for locale in LOCALES {
        let sentences = read(locale);
        let have: BTreeSet<String> = documentation(&sentences)
            .filter(|key| !key.starts_with("words/"))
            .collect();
        let wanted = wanted();
        let missing: Vec<_> = wanted.difference(&have).collect();
        let left_over: Vec<_> = have.difference(&wanted).collect();
        assert!(
            missing.is_empty(),
            "pkg/locale/{locale}.json lacks {missing:#?}"
        );
        assert!(
            left_over.is_empty(),
            "pkg/locale/{locale}.json says what no row asks for: {left_over:#?}"
        );
    }
}

#[test]
fn the_languages_have_the_same_words_with_the_same_placeholders() {
    let placeholders = |text: &str| -> BTreeSet<String> {
        text.split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    let english = read("en");
    for locale in LOCALES {
        let sentences = read(locale);
        assert_eq!(
            documentation(&sentences).count(),
            documentation(&english).count(),
            "{locale}"
        );
        for key in english.keys().filter(|key| key.starts_with("words/")) {
            let here = sentences
                .get(&key)
                .unwrap_or_else(|| panic!("{locale} lacks {key}"));
            assert_eq!(
                placeholders(here),
                placeholders(english.get(&key).unwrap()),
                "{locale} {key}"
            );
        }
    }
}

#[test]
fn sentences_are_sentences() {
    for locale in LOCALES {
        let sentences = read(locale);
        for key in documentation(&sentences) {
            let text = sentences.get(&key).unwrap();
            assert_eq!(text.trim(), text, "{locale} {key}");
            assert_eq!(
                text.matches('`').count() % 2,
                0,
                "{locale} {key}: unpaired backtick"
            );
            assert!(
                !text.is_empty() && !text.contains('\n') && !text.contains("  "),
                "{locale} {key}"
            );
            let group = key.split('/').next().unwrap();
            if !matches!(group, "words" | "formats") {
                assert!(text.ends_with(['.', '。']), "{locale} {key}: {text}");
            }
        }
    }
    let chinese = read("zh-Hans");
    for key in documentation(&chinese).filter(|key| !key.starts_with("words/")) {
        let text = chinese.get(&key).unwrap();
        assert!(
            text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
            "{key} is not in Chinese: {text}"
        );
    }
}

#[test]
fn facts_are_about_fields_that_exist() {
    let structs = structs();
    let stray = facts::stray(|of, json| {
        structs
            .iter()
            .any(|schema| (of == "*" || schema.go == of) && schema.slot(json).is_some())
    });
    assert!(stray.is_empty(), "{stray:?}");
}
