//! Names with wildcards: `*` matches any characters, or none; everything else matches itself.

/// Returns true if `name` matches `pattern`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    // Match each piece between stars at its first occurrence: a later one would leave less for the remaining pieces.
    while let Some((piece, after)) = rest.split_once('*') {
        let Some(at) = name.find(piece) else {
            return false;
        };
        name = name.get(at.saturating_add(piece.len())..).unwrap_or("");
        rest = after;
    }
    name.ends_with(rest)
}

/// Returns true if the pattern is only stars, which every name matches.
pub fn matches_all(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'*')
}

/// Returns true if `name` matches any of the patterns.
pub fn any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, expected) in [
            ("gpu", "gpu", true),
            ("gpu", "gpus", false),
            ("*", "", true),
            ("*", "anything.at.all", true),
            ("*.corp.io", "a.corp.io", true),
            ("*.corp.io", "corp.io", false),
            ("*.corp.io", ".corp.io", true),
            ("gpu-*", "gpu-", true),
            ("gpu-*-b", "gpu-b", false),
            ("gpu-*-b", "gpu--b", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "a-c-b-c", true),
            ("a*b*c", "acb", false),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
            ("é*", "été", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = "a*".repeat(5_000);
        assert!(!matches(&format!("{pattern}b"), &"a".repeat(100_000)));
    }
}
