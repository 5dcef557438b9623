//! Additions to kubectl's messages: code, position, help and fix for each error of a text, and for problems that kubectl accepts
//! silently.

use crate::support::fixes;
use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::text::{self, Mode};

fn findings(text: &str) -> Vec<Finding> {
    text::read(text, &Limits::default()).findings
}

fn apply(text: &str, finding: &Finding) -> Option<String> {
    let fix = finding.fixes.first()?;
    let mut out = text.to_owned();
    for edit in fix.edits.iter().rev() {
        out.replace_range(edit.span.from()..edit.span.to(), &edit.new_text);
    }
    Some(out)
}

/// The one finding of a text: its code, the text it points at, a piece of message and help, and the text after its fix.
#[track_caller]
fn one(text: &str, code: Code, points_at: &str, says: &str, fixed: Option<&str>) {
    let all = findings(text);
    assert_eq!(all.len(), 1, "{text:?}: {all:#?}");
    let finding = &all[0];
    let help = finding.help.as_deref().unwrap_or("");
    assert_eq!(finding.code, code, "{finding:#?}");
    let span = finding.span.unwrap();
    assert_eq!(&text[span.from()..span.to()], points_at, "{finding:#?}");
    assert!(
        finding.message.contains(says) || help.contains(says),
        "{finding:#?}"
    );
    assert!(!help.contains('\n') && !help.is_empty(), "{finding:#?}");
    assert_eq!(apply(text, finding).as_deref(), fixed, "{finding:#?}");
}

#[test]
fn dashes_that_are_none() {
    // From a blog post: one finding, in words a newcomer understands, and the fix.
    one(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n–--\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n",
        Code::YamlSyntax,
        "–--",
        "has an en dash (U+2013) in it, not a hyphen: write `---`",
        Some(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n",
        ),
    );
    one(
        "a:\n  – b\n",
        Code::YamlLookalike,
        "–",
        "write `-`",
        Some("a:\n  - b\n"),
    );
    one("—\n", Code::YamlLookalike, "—", "em dash", Some("-\n"));
    assert!(findings("# a – b\na: x – y\nb: 'c – d'\nc: |\n  –--\n").is_empty());
}

#[test]
fn blanks_behind_colons() {
    const HELP: &str = "is one word: put a space after the colon";
    one(
        "kind:A\nb: c\n",
        Code::YamlSyntax,
        "kind:A",
        HELP,
        Some("kind: A\nb: c\n"),
    );
    one(
        "a: b\napp.kubernetes.io/name:x1\nb: c\n",
        Code::YamlSyntax,
        "app.kubernetes.io/name:x1",
        HELP,
        Some("a: b\napp.kubernetes.io/name: x1\nb: c\n"),
    );
    one(
        "a:\n- name:b\n  c: d\n",
        Code::YamlSyntax,
        "name:b",
        HELP,
        Some("a:\n- name: b\n  c: d\n"),
    );
    // The fix corrects the first mistake; the next one is reported afterwards.
    one(
        "a:b\nc: d\ne:f\ng: h\n",
        Code::YamlSyntax,
        "a:b",
        HELP,
        Some("a: b\nc: d\ne:f\ng: h\n"),
    );
    // No fix if it would be a guess: no value, an address, a word with a meaning in YAML.
    for text in [
        "a:\"b\nc: d\n",
        "http://a\nc: d\n",
        "a:@b\nc: d\n",
        "a\nc: d\n",
    ] {
        let found = findings(text);
        assert!(
            !found.is_empty() && found.iter().all(|finding| finding.fixes.is_empty()),
            "{text}: {found:#?}"
        );
    }
}

/// YAML reads the following lines as one string, but the field expects a map.
#[test]
fn blanks_behind_colons_of_whole_maps() {
    const HEAD: &str = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\n";
    for (text, fixed) in [
        (
            "metadata:\n  name:a\nspec:\n  resourceClassName: b\n",
            Some("metadata:\n  name: a\nspec:\n  resourceClassName: b\n"),
        ),
        (
            "metadata:\n  name: a\n  labels:\n    app:x\n    tier:y\nspec:\n  resourceClassName: b\n",
            Some(
                "metadata:\n  name: a\n  labels:\n    app: x\n    tier: y\nspec:\n  resourceClassName: b\n",
            ),
        ),
        (
            "metadata:\n  name: a\nspec:\n  resourceClassName:b # c\n",
            Some("metadata:\n  name: a\nspec:\n  resourceClassName: b # c\n"),
        ),
        (
            "metadata:\n  name: a\n  ownerReferences:\n  - uid:x\nspec:\n  resourceClassName: b\n",
            Some(
                "metadata:\n  name: a\n  ownerReferences:\n  - uid: x\nspec:\n  resourceClassName: b\n",
            ),
        ),
        // A key cannot follow another key on its line, and two keys must begin in the same column.
        ("metadata: name:a\nspec:\n  resourceClassName: b\n", None),
        (
            "metadata: {labels: app:x}\nspec:\n  resourceClassName: b\n",
            None,
        ),
        (
            "metadata:\n  name:a\n   b:c\nspec:\n  resourceClassName: b\n",
            None,
        ),
        (
            "metadata:\n  'name:a'\nspec:\n  resourceClassName: b\n",
            None,
        ),
    ] {
        let text = format!("{HEAD}{text}");
        let request = serde_json::json!({"verb": "validate", "text": text});
        let answer = crate::support::ask(&request);
        let finding = &answer["findings"][0];
        assert_eq!(finding["code"], "type-mismatch", "{text}: {finding}");
        let mended = finding["fixes"].get(0).map(|fix| fixes::apply(&text, fix));
        assert_eq!(
            mended,
            fixed.map(|fixed| format!("{HEAD}{fixed}")),
            "{finding}"
        );
        assert_eq!(finding["help"].is_string(), fixed.is_some(), "{finding}");
        fixes::all_mend(&request, &answer);
    }
}

#[test]
fn blanks_that_are_none() {
    one(
        "a:\u{a0}b\nc: d\n",
        Code::YamlSyntax,
        "\u{a0}",
        "type an ordinary space",
        Some("a: b\nc: d\n"),
    );
    one(
        "a:\n\u{a0}\u{a0}b: c\n",
        Code::YamlLookalike,
        "\u{a0}\u{a0}",
        "ordinary space",
        Some("a:\n  b: c\n"),
    );
    one(
        "a: “b”\n",
        Code::YamlLookalike,
        "“b”",
        "typographic quote",
        Some("a: \"b\"\n"),
    );
    assert!(findings("a: it’s a “quoted” word\n").is_empty());
    one(
        "a: \u{a0}b\n",
        Code::YamlLookalike,
        "\u{a0}",
        "ordinary space",
        Some("a:  b\n"),
    );
    assert!(findings("a: – b\nc: note:\u{a0}d\n").is_empty());
}

/// The text after repeatedly applying the first fix of its first finding.
fn mended(text: &str) -> (usize, String) {
    let mut text = text.to_owned();
    for times in 0..10 {
        let Some(next) = findings(&text)
            .first()
            .and_then(|finding| apply(&text, finding))
        else {
            return (times, text);
        };
        text = next;
    }
    panic!("fixes without an end: {text}")
}

#[test]
fn lines_that_became_one_text_are_mended_at_once_or_not() {
    assert_eq!(
        mended("a:\n  – b\n  – c\nd: e\n"),
        (1, "a:\n  - b\n  - c\nd: e\n".to_owned())
    );
    assert_eq!(
        mended("a:\n  b:\u{a0}c\n  d:\u{a0}e\n   f\n"),
        (1, "a:\n  b: c\n  d: e\n   f\n".to_owned())
    );
    // Both lines have a finding.
    assert_eq!(findings("a:\n  – b\n  – c\n").len(), 2);
    // No fix if an ordinary space would make a key in the middle of a string, or leave a line next to the new key.
    for (text, place) in [
        ("a: b\n  c:\u{a0}d\n", "\u{a0}"),
        ("a\nb:\u{feff} c\n", "\u{feff} "),
        ("a:\n  b:\u{a0}c\n  d\n", "\u{a0}"),
        ("a:\n  “b”\n  c\n", "“b”"),
        // After an ordinary space, the value would begin with a forbidden character.
        ("a:\u{a0}@b\n", "\u{a0}"),
        // A key: it cannot have a colon of its own.
        ("a:\u{a0}b:\n  c: d\n", "\u{a0}"),
        ("a：b: c\n", "："),
    ] {
        one(
            text,
            Code::YamlLookalike,
            place,
            "became part of the text",
            None,
        );
    }
    assert_eq!(mended("–\u{2009}a: b\n").1, "- a: b\n");
    assert_eq!(mended("“a”: b\n").1, "\"a\": b\n");
    // A space at the start of a line of text is harmless.
    assert_eq!(mended("a: b\n  \u{a0}c\n"), (1, "a: b\n   c\n".to_owned()));
}

#[test]
fn the_same_mistake_on_several_lines_is_mended_line_by_line() {
    for (text, times, fixed) in [
        ("a:\n\tb: c\n\td: e\n", 1, "a:\n  b: c\n  d: e\n"),
        (
            "a:\n  \tb: c\n  \td: e\n  \tf: g\n",
            1,
            "a:\n    b: c\n    d: e\n    f: g\n",
        ),
        ("a: %b\nc: @d\n", 2, "a: \"%b\"\nc: \"@d\"\n"),
        (
            "a: one two b: c\nd: one two e: f\n",
            2,
            "a: \"one two b: c\"\nd: \"one two e: f\"\n",
        ),
        ("a: %b\n---\nc: @d\n", 2, "a: \"%b\"\n---\nc: \"@d\"\n"),
        (
            "a:\n  b:\u{a0}c\n  d:\u{a0}e\n  f: g\n",
            1,
            "a:\n  b: c\n  d: e\n  f: g\n",
        ),
    ] {
        assert_eq!(mended(text), (times, fixed.to_owned()), "{text}");
        assert!(findings(fixed).is_empty(), "{fixed}");
    }
    // A later mistake may come from the first one, so no fix is certain.
    assert_eq!(mended("a: b: c\n  d: e\n").0, 0);
}

#[test]
fn separators_with_text() {
    one(
        "a: 1\n--- b: 2\n",
        Code::YamlSeparator,
        "--- b: 2",
        "alone on its line",
        Some("a: 1\n---\nb: 2\n"),
    );
    one(
        "a: 1\n---b: 2\n",
        Code::YamlSeparator,
        "---b: 2",
        "invalid Yaml document separator: b: 2",
        Some("a: 1\n---\nb: 2\n"),
    );
    one(
        "a: 1\n----\nb: 2\n",
        Code::YamlSeparator,
        "----",
        "three hyphens",
        Some("a: 1\n---\nb: 2\n"),
    );
}

#[test]
fn what_kubectl_accepts_in_silence() {
    one(
        "a: 1\nb: 2\na: 3\n",
        Code::YamlDuplicateKey,
        "a",
        "on line 1 and on line 3",
        None,
    );
    one(
        "{\"a\": 1, \"a\": 2}",
        Code::JsonDuplicateKey,
        "\"a\"",
        "twice on line 1",
        None,
    );
    one(
        "x: &x {a: 1}\nz:\n  a: 2\n  <<: *x\n",
        Code::YamlMergeOrder,
        "a",
        "`<<` on line 4 overwrites `a`",
        None,
    );
    assert!(findings("x: &x {a: 1}\nz:\n  <<: *x\n  a: 2\n").is_empty());
    one(
        "on: 1\n",
        Code::YamlConvertedKey,
        "on",
        "kubectl sends `true`",
        Some("\"on\": 1\n"),
    );
    one(
        "labels: {1.10: a}\n",
        Code::YamlConvertedKey,
        "1.10",
        "kubectl sends `1.1`",
        Some("labels: {\"1.10\": a}\n"),
    );
    assert!(findings("8080: a\ntrue: b\n").is_empty());
    one(
        "a: 1\n...\nb: 2\n",
        Code::YamlDroppedText,
        "b: 2",
        "line 3 is never read",
        Some("a: 1\n# ...\nb: 2\n"),
    );
    one(
        "a: 1\n...\nkind: B\n",
        Code::YamlDroppedText,
        "kind: B",
        "line 3 is never read",
        Some("a: 1\n---\nkind: B\n"),
    );
    assert!(findings("a: 1\n...\n# end\n").is_empty());
    one(
        "# c\n{a: 1}\nspec: lost\nmore: lost # c\n\n",
        Code::YamlDroppedText,
        "spec: lost\nmore: lost # c",
        "lines 3 to 4",
        None,
    );
    one(
        " a: 1\nb: 2\n",
        Code::YamlDroppedText,
        "b: 2",
        "same column",
        None,
    );
}

#[test]
fn a_separator_is_missing_between_two_objects() {
    one(
        "apiVersion: v1\nkind: A\nspec: 1\n\nkind: B\napiVersion: v1\nmetadata: {}\nspec: 2\n",
        Code::YamlDuplicateKey,
        "kind",
        "`---` is missing before line 5",
        Some(
            "apiVersion: v1\nkind: A\nspec: 1\n\n---\nkind: B\napiVersion: v1\nmetadata: {}\nspec: 2\n",
        ),
    );
    // The other keys of each object are as they were.
    let found = findings("apiVersion: v1\nkind: A\na: 1\na: 2\napiVersion: v1\nkind: B\n");
    assert_eq!(found.len(), 2, "{found:#?}");
    let found = findings("a: {b: 1, b: 2, b: 3}\n");
    assert_eq!(found.len(), 1, "{found:#?}");
    // Between three objects two are missing.
    let object = "apiVersion: v1\nitems: []\nkind: List\n";
    let found = findings(&object.repeat(3));
    let places = found.iter().map(|found| found.span.map(text::Span::from));
    assert_eq!(
        places.collect::<Vec<_>>(),
        [Some(36), Some(72)],
        "{found:#?}"
    );
    // A key that is twice in one object is no other object.
    let found = findings("apiVersion: v1\nkind: A\nkind: B\n");
    assert!(
        found.iter().all(|found| !found.message.contains("---")),
        "{found:#?}"
    );
}

/// The width of a tab decides what a line belongs to: there is no fix where it is not certain.
#[test]
fn tabs_become_spaces_where_their_width_is_certain() {
    for (text, fixed) in [
        (
            "a:\n\tb:\n\t\tc: 1\n\td: 2\n",
            Some("a:\n  b:\n    c: 1\n  d: 2\n"),
        ),
        // With two spaces the key would be the same as one above.
        (
            "a:\n  n: x\n  b:\n\tn: y\n",
            Some("a:\n  n: x\n  b:\n    n: y\n"),
        ),
        (
            "a:\n    - n: x\n\t  e: y\n",
            Some("a:\n    - n: x\n      e: y\n"),
        ),
        ("a:\n  n: x\n  b:\n\tc: y\n", None),
    ] {
        let found = findings(text);
        assert_eq!(found.len(), 1, "{text:?}: {found:#?}");
        assert_eq!(apply(text, &found[0]).as_deref(), fixed, "{text:?}");
    }
}

#[test]
fn values_that_need_other_quotes() {
    for (text, points_at, says, fixed) in [
        (
            "a:\n  b: \"c == \"d\"\"\n",
            "\"c == \"d\"\"",
            "the value ends at the second `\"`",
            Some("a:\n  b: 'c == \"d\"'\n"),
        ),
        (
            "a:\n  b: 'c == 'd''\n",
            "'c == 'd''",
            "the value ends at the second `'`",
            Some("a:\n  b: \"c == 'd'\"\n"),
        ),
        (
            "b: \"c\" in d # e\n",
            "\"c\" in d",
            "the value ends at the second `\"`",
            Some("b: '\"c\" in d' # e\n"),
        ),
        (
            "b: \"c\" in 'd'\n",
            "\"c\" in 'd'",
            "write it under `|` on the next line",
            None,
        ),
        (
            "b: !c.d[\"e\"].f\n",
            "!c.d[\"e\"].f",
            "begins with `!` is a tag",
            Some("b: '!c.d[\"e\"].f'\n"),
        ),
    ] {
        one(text, Code::YamlSyntax, points_at, says, fixed);
    }
}

/// An expression in braces needs quotes as a whole, and so does the next one; one that is folded or below `|` needs none.
#[test]
fn expressions_that_brackets_or_lines_end() {
    for (text, points_at, says, fixed) in [
        (
            "a: {b: c['d'].e >= f('g'), h: 1}\n",
            "c['d'].e >= f('g')",
            "a value inside `{` cannot contain `[` without quotes",
            Some("a: {b: \"c['d'].e >= f('g')\", h: 1}\n"),
        ),
        (
            "a: {b: c[\"d\"] && e}\nf: {g: h['i']} # j\n",
            "c[\"d\"] && e",
            "put the whole value in quotes",
            Some("a: {b: 'c[\"d\"] && e'}\nf: {g: h['i']} # j\n"),
        ),
        (
            "a: {b: c in ['d'] && e}\n",
            "c in ['d'] && e",
            "put the whole value in quotes",
            Some("a: {b: \"c in ['d'] && e\"}\n"),
        ),
        (
            "a:\n  b: |\n  c == 'd' &&\n    e\n  f: 1\n",
            "c == 'd' &&",
            "indent this further than `b`, whose value it is",
            Some("a:\n  b: |\n    c == 'd' &&\n      e\n  f: 1\n"),
        ),
        (
            "a:\n  - b:\n    c == 'd'\n",
            "c == 'd'",
            "indent this further than `b`",
            Some("a:\n  - b:\n      c == 'd'\n"),
        ),
        (
            "a:\n  b: c # d\n    && e\n",
            "&& e",
            "the value ends at the comment of the line above",
            None,
        ),
        (
            "a:\n  b: c # d\n    || e\n",
            "|| e",
            "the value ends at the comment of the line above",
            None,
        ),
    ] {
        one(text, Code::YamlSyntax, points_at, says, fixed);
    }
}

#[test]
fn refusals_in_plainer_words() {
    one(
        "a:\n\tb: 1\n",
        Code::YamlSyntax,
        "\t",
        "spaces, never with tabs",
        Some("a:\n  b: 1\n"),
    );
    one(
        "-\ta\n",
        Code::YamlSyntax,
        "\t",
        "spaces, never with tabs",
        Some("- a\n"),
    );
    one(
        "a: @b # c\n",
        Code::YamlSyntax,
        "@b",
        "put it in quotes",
        Some("a: \"@b\" # c\n"),
    );
    one(
        "a: [b, `c`]\n",
        Code::YamlSyntax,
        "`c`",
        "put it in quotes",
        Some("a: [b, \"`c`\"]\n"),
    );
    one(
        "a: b: c\n",
        Code::YamlSyntax,
        "b: c",
        "a map cannot begin on the line of its key: put `b:` on the next line",
        None,
    );
    one(
        "a: {b: 1}\nc: d: # e\n",
        Code::YamlSyntax,
        "d:",
        "a map cannot begin on the line of its key: put `d:` on the next line",
        None,
    );
    one(
        "a: one two b: c\n",
        Code::YamlSyntax,
        "one two b: c",
        "cannot contain `: `",
        Some("a: \"one two b: c\"\n"),
    );
    one(
        "a: *.example.com\n",
        Code::YamlSyntax,
        "*.example.com",
        "begins an alias",
        Some("a: \"*.example.com\"\n"),
    );
    one(
        "a: \"C:\\dir\"\n",
        Code::YamlSyntax,
        "\\",
        "write `\\\\`",
        Some("a: \"C:\\\\dir\"\n"),
    );
    one(
        "a: 'x\n",
        Code::YamlSyntax,
        "'",
        "opens at line 1, column 4 is never closed",
        None,
    );
    one(
        "a: 1\n b: 2\n",
        Code::YamlSyntax,
        "b",
        "check this line's indentation",
        None,
    );
    one(
        "a:\n  b: 1\n c: 2\n",
        Code::YamlSyntax,
        "c: 2",
        "begin this line in column 3, as `b` on line 2",
        None,
    );
    one(
        "a: [1\nb: 2\n",
        Code::YamlSyntax,
        ": 2",
        "inside the `[` that opens at line 1, column 4",
        None,
    );
    one(
        "a: [1\n",
        Code::YamlSyntax,
        "[",
        "never closed: add `]`",
        None,
    );
    one("a: - b\n", Code::YamlSyntax, "- b", "next line", None);
    one(
        "a: |  b\n",
        Code::YamlSyntax,
        "b",
        "the line must end",
        None,
    );
    one(
        "a: x\u{7}y\n",
        Code::YamlSyntax,
        "\u{7}",
        "U+0007",
        Some("a: xy\n"),
    );
    one(
        "%YAML 1.2\n---\na: 1\n",
        Code::YamlSyntax,
        "%YAML 1.2",
        "YAML 1.1 only",
        Some("---\na: 1\n"),
    );
    one(
        "a: {{ .Values.x }}\n",
        Code::YamlSyntax,
        "{{ .Values.x }}",
        "template",
        None,
    );
    one(
        "a: *b\n",
        Code::YamlSyntax,
        "*b",
        "anchor",
        Some("a: \"*b\"\n"),
    );
    one(
        "a: {b: .inf}\n",
        Code::YamlSyntax,
        ".inf}",
        "infinity",
        None,
    );
}

#[test]
fn json_in_plainer_words() {
    one(
        "{\"a\": 1,}",
        Code::JsonSyntax,
        "}",
        "no `,` before `}`",
        Some("{\"a\": 1}"),
    );
    one(
        "{a: 1}\n",
        Code::JsonSyntax,
        "a",
        "begin it with a line `---`",
        Some("---\n{a: 1}\n"),
    );
    one(
        "{\"a\": 1}\n---\n{\"b\": 1}\n",
        Code::JsonSyntax,
        "-",
        "line `---`",
        Some("---\n{\"a\": 1}\n---\n{\"b\": 1}\n"),
    );
    one(
        "{\n  // all\n  \"a\": 1}",
        Code::JsonSyntax,
        "/",
        "JSON has no comments",
        None,
    );
    one(
        "{\"a\": [1\n",
        Code::JsonSyntax,
        "",
        "the `[` at line 1, column 7 is never closed",
        None,
    );
    one(
        "{\"a\": 1 \"b\": 2}",
        Code::JsonSyntax,
        "\"",
        "missing before this",
        None,
    );
    one(
        "{\"a\": \"C:\\dir\"}",
        Code::JsonSyntax,
        "d",
        "write `\\\\`",
        None,
    );
}

#[test]
fn places_are_counted_in_the_whole_file() {
    let text = "a: é😀\n---\nb: 1\nc: [\n";
    let all = findings(text);
    assert_eq!(all.len(), 1);
    // kubectl counts the lines of each document from its start.
    assert_eq!(
        all[0].message,
        "yaml: line 2: did not find expected node content"
    );
    let file = text::read(text, &Limits::default());
    let position = file.source.position(all[0].span.unwrap().from());
    assert_eq!((position.line, position.character), (4, 0));
}

/// Every refusal in the recordings: one error, with help on one line, a place inside the text, and fixes that work.
#[test]
fn every_refusal_is_explained() {
    let (mut refused, mut fixed) = (0, 0);
    for file in ["yaml_to_json.jsonl", "yaml_fuzz_sample.jsonl"] {
        let path = format!(
            "{}/crates/claimkit-yaml/tests/vectors/{file}",
            env!("CARGO_MANIFEST_DIR")
        );
        for line in std::fs::read_to_string(path)
            .unwrap()
            .split('\n')
            .filter(|line| !line.is_empty())
        {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = vector["in"].as_str().unwrap();
            for finding in findings(text) {
                let help = finding
                    .help
                    .as_deref()
                    .unwrap_or_else(|| panic!("{text:?}: {finding:#?}"));
                assert!(!help.contains('\n'), "{text:?}: {finding:#?}");
                let span = finding.span.unwrap();
                assert!(
                    text.get(span.from()..span.to()).is_some(),
                    "{text:?}: {finding:#?}"
                );
                if finding.severity != Severity::Error || text::mode(text) == Mode::Json {
                    continue;
                }
                refused += 1;
                if let Some(mended) = apply(text, &finding) {
                    fixed += 1;
                    let left = findings(&mended);
                    assert!(
                        left.iter().all(
                            |left| left.severity != Severity::Error || left.span > finding.span
                        ),
                        "{text:?} → {mended:?}: {finding:#?} {left:#?}"
                    );
                }
            }
        }
    }
    println!("{refused} refusals, {fixed} with a fix");
    assert!(refused > 1300 && fixed > 400);
}

/// go-yaml decodes pieces of 512 bytes: a forbidden character is noticed when its piece is read, before or after a mistake
/// that stands earlier.
#[test]
fn forbidden_characters_are_noticed_by_the_piece() {
    let message = |text: &str| findings(text)[0].message.clone();
    let mistake = "yaml: mapping values are not allowed in this context";
    let forbidden = "yaml: control characters are not allowed";
    let text =
        |filler: usize, end: &str| format!("a: b: c{end}#{}{end}d: \u{7}{end}", "x".repeat(filler));
    assert_eq!(message(&text(400, "\n")), forbidden);
    assert_eq!(message(&text(600, "\n")), mistake);
    // Bytes 0 to 511 are the first piece: here the character is its last byte, then the first of the next.
    let at = |position: usize| text(position - 13, "\n");
    assert_eq!(at(511).find('\u{7}'), Some(511));
    assert_eq!(message(&at(511)), forbidden);
    assert_eq!(message(&at(512)), mistake);
    // kubectl passes CR LF on as LF: two bytes less before the character.
    let crlf = |position: usize| text(position - 13, "\r\n");
    assert_eq!(crlf(511).find('\u{7}'), Some(513));
    assert_eq!(message(&crlf(511)), forbidden);
    assert_eq!(message(&crlf(512)), mistake);
}
