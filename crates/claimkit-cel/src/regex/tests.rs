use super::Regex;

fn refused(pattern: &str) -> String {
    match Regex::new(pattern) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error,
    }
}

#[test]
fn errors_are_gos() {
    for (pattern, error) in [
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        (
            "a{99999999999999999999}",
            "invalid repeat count: `{99999999999999999999}`",
        ),
        ("a{1,1001}?", "invalid repeat count: `{1,1001}`"),
        ("(a{100}){100}", "invalid repeat count: `{100}`"),
        ("(?:a{30}b{40}){30}?", "invalid repeat count: `{30}?`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a*+", "invalid nested repetition operator: `*+`"),
        ("a++", "invalid nested repetition operator: `++`"),
        ("a*??", "invalid nested repetition operator: `*??`"),
        ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
        ("(?>a)", "invalid or unsupported Perl syntax: `(?>`"),
        ("(?#c)", "invalid or unsupported Perl syntax: `(?#`"),
        ("(?P=n)", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?i--m)", "invalid or unsupported Perl syntax: `(?i--`"),
        ("(?", "invalid or unsupported Perl syntax: `(?`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?P<", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(?<!a)", "invalid named capture: `(?<!a)`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("x(?P<n->a)", "invalid named capture: `(?P<n->`"),
        ("(?P<>a)", "invalid named capture: `(?P<>`"),
        (r"\1", r"invalid escape sequence: `\1`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        (r"\u0041", r"invalid escape sequence: `\u`"),
        (r"\C", r"invalid escape sequence: `\C`"),
        (r"a\h", r"invalid escape sequence: `\h`"),
        (r"\X", r"invalid escape sequence: `\X`"),
        (r"\q", r"invalid escape sequence: `\q`"),
        (r"\é", r"invalid escape sequence: `\é`"),
        (r"[a-\d]", r"invalid escape sequence: `\d`"),
        (r"\x", r"invalid escape sequence: `\x`"),
        (r"\x4", r"invalid escape sequence: `\x4`"),
        (r"\x4g", r"invalid escape sequence: `\x4g`"),
        (r"\x{}", r"invalid escape sequence: `\x{}`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"\x{12", r"invalid escape sequence: `\x{12`"),
        (r"[\b]", r"invalid escape sequence: `\b`"),
        ("\\", "trailing backslash at end of expression: ``"),
        ("[\\", "trailing backslash at end of expression: ``"),
        ("(", "missing closing ): `(`"),
        ("(a", "missing closing ): `(a`"),
        ("(a|b", "missing closing ): `(a|b`"),
        (")", "unexpected ): `)`"),
        ("a)", "unexpected ): `a)`"),
        ("(a))", "unexpected ): `(a))`"),
        ("[", "missing closing ]: `[`"),
        ("x[a", "missing closing ]: `[a`"),
        ("[a-", "missing closing ]: `[a-`"),
        ("[]", "missing closing ]: `[]`"),
        ("[[:alpha:]", "missing closing ]: `[[:alpha:]`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"\p", r"invalid character class range: `\p`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        (r"\p{^Foo}", r"invalid character class range: `\p{^Foo}`"),
        (r"\p{Greek", r"invalid character class range: `\p{Greek`"),
        (r"\p{greek}", r"invalid character class range: `\p{greek}`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("+", "missing argument to repetition operator: `+`"),
        ("?", "missing argument to repetition operator: `?`"),
        ("a|*?b", "missing argument to repetition operator: `*?`"),
        ("(+)", "missing argument to repetition operator: `+`"),
        ("{2}", "missing argument to repetition operator: `{2}`"),
        ("(?i)*", "missing argument to repetition operator: `*`"),
    ] {
        assert_eq!(
            refused(pattern),
            format!("error parsing regexp: {error}"),
            "{pattern}"
        );
    }
}

#[test]
fn limits_are_gos() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Regex::new(&nested(999)).is_ok());
    assert_eq!(
        refused(&nested(1000)),
        format!(
            "error parsing regexp: expression nests too deeply: `{}`",
            nested(1000)
        )
    );
    let large = "((xx?){1000}){1}".repeat(1700);
    assert_eq!(
        refused(&large),
        format!("error parsing regexp: expression too large: `{large}`")
    );
    assert!(Regex::new(&"a{1000}".repeat(20)).is_ok());
}

#[test]
fn matches_as_go_does() {
    const TEXT: &str = "foo abc 123 é☃ AB\naa";
    for (pattern, matches) in [
        ("a", true),
        ("^a", false),
        ("a$", true),
        (".", true),
        ("a.c", true),
        (r"\d+", true),
        (r"\s", true),
        (r"\bfoo", true),
        (r"\Bfoo", false),
        ("[a-z]+", true),
        ("[^a]", true),
        ("[[:alpha:]]", true),
        ("[[:^digit:]]", true),
        (r"\p{Greek}", false),
        (r"\PN", true),
        ("(?i)ABC", true),
        ("(?s).", true),
        ("(?m)^b", false),
        ("(?m)^aa$", true),
        ("^aa$", false),
        ("(a|b)*", true),
        ("a{2}", true),
        ("a{2,}", true),
        ("a{1000}", false),
        ("a{,2}", false),
        ("a??", true),
        ("(?P<n>a)", true),
        ("(?<n>a)", true),
        ("(?P<1>a)", true),
        ("(?P<n>a)(?P<n>b)", true),
        (r"\A", true),
        (r"\z", true),
        (r"\x{1F600}", false),
        (r"[]a]", true),
        ("é", true),
        ("[é-ü]", true),
        ("☃", true),
        ("(?i)É", true),
        ("x*", true),
        ("^$", false),
        (r"\d{3}-\d{4}", false),
        ("((a*)*)*b", true),
        (r"[\d-z]", true),
        ("{", false),
        ("a{", false),
        ("a{1", false),
        ("", true),
        (r"\Q123\E é", true),
        (r"\x{d800}", false),
    ] {
        assert_eq!(
            Regex::new(pattern).map(|regex| regex.is_match(TEXT)),
            Ok(matches),
            "{pattern}"
        );
    }
}

#[test]
fn prefers_the_match_go_prefers() {
    for (pattern, text, found) in [
        ("[0-9]+", "abc 123", Some("123")),
        ("z", "abc", None),
        (".", "é☃", Some("é")),
        ("a|ab", "ab", Some("a")),
        ("ab|a", "ab", Some("ab")),
        ("a*?b", "aab", Some("aab")),
        ("a+?", "aaa", Some("a")),
        ("(?U)a+", "aaa", Some("a")),
        ("(?U)a+?", "aaa", Some("aaa")),
        ("a{2,3}", "aaaa", Some("aaa")),
        ("a{2,3}?", "aaaa", Some("aa")),
        ("(|a)*", "aa", Some("")),
        ("(|a)+", "aa", Some("")),
        ("(a|)*", "aab", Some("aa")),
        ("(a*)+", "b", Some("")),
        ("(?i)k+", "kK\u{212a}", Some("kK\u{212a}")),
        ("(?i)[^k]", "kK\u{212a}x", Some("x")),
        (r"(?i)\w+", "\u{17f}\u{212a}", Some("\u{17f}\u{212a}")),
        (r"\w+", "\u{17f}a", Some("a")),
        ("(?i)ǆ", "ǅ", Some("ǅ")),
        ("(?i)[α-ω]+", "ΣΑΣς", Some("ΣΑΣς")),
        ("(?i)\\p{Lu}+", "abC", Some("abC")),
        ("a(?i)b(?-i)c", "aBc", Some("aBc")),
        ("a(?i:b)C", "aBc", None),
        ("(?:a(?i)b)C", "aBc", None),
        (r"\pL+", "1éя中2", Some("éя中")),
        (r"\p{^L}+", "é12é", Some("12")),
        (r"\p{Han}+", "a中文b", Some("中文")),
        (r"[\p{Nd}[:punct:]]+", "a٣!b", Some("٣!")),
        (r"\P{Any}", "a", None),
        (r"[^\x00-\x{10FFFF}]", "a", None),
        (r"[[:word:]]+", "-a_1-", Some("a_1")),
        (r"\s", "\u{b}", None),
        (r"[[:space:]]", "\u{b}", Some("\u{b}")),
        (r"\141\x62\x{63}\0?", "abc", Some("abc")),
        ("a|b|", "c", Some("")),
        ("x{0}y", "xy", Some("y")),
        ("(?:x{0,0}){1000}", "x", Some("")),
        ("a(?i)*", "aaA", Some("aa")),
        ("(?s).+", "a\nb", Some("a\nb")),
        (".+", "a\nb", Some("a")),
        ("[^a]", "a\n", Some("\n")),
    ] {
        assert_eq!(
            Regex::new(pattern).map(|regex| regex.find(text)),
            Ok(found),
            "{pattern} on {text}"
        );
    }
}

#[test]
fn all_matches() {
    for (pattern, text, limit, found) in [
        ("[0-9]+", "a1b22", 1, vec!["1"]),
        ("[0-9]+", "a1b22", 0, vec![]),
        ("[0-9]+", "a1b22", -1, vec!["1", "22"]),
        ("", "abc", -1, vec!["", "", "", ""]),
        ("", "é", -1, vec!["", ""]),
        ("a*", "aaa", -1, vec!["aaa"]),
        ("a*", "baac", -1, vec!["", "aa", ""]),
        ("^a", "aa", -1, vec!["a"]),
        (r"\b", "ab c", -1, vec!["", "", "", ""]),
    ] {
        assert_eq!(
            Regex::new(pattern).map(|regex| regex.find_all(text, limit)),
            Ok(found),
            "{pattern} on {text}"
        );
    }
}

#[test]
fn takes_linear_time() {
    let text = "a".repeat(2_000);
    for pattern in [
        "(a*)*b",
        "(a|a)*b",
        "(?:a?){500}a{500}b",
        "(.*)(.*)(.*)(.*)x",
    ] {
        assert!(!Regex::new(pattern).unwrap().is_match(&text), "{pattern}");
    }
}
