//! A unified diff of two texts, line by line.

use imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};
use std::fmt::{self, Write};

/// Returns the diff with its two header lines; empty if the texts are equal.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let printer = Lines(&input.interner);
    format!(
        "--- {name}\n+++ {name}\n{}",
        diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input)
    )
}

/// Prints lines as `patch` reads them: the crate's own printer does not say that a text ends without a line break.
struct Lines<'l>(&'l Interner<&'l str>);

impl Lines<'_> {
    fn line(&self, out: &mut impl Write, sign: char, token: Token) -> fmt::Result {
        #[allow(
            clippy::indexing_slicing,
            reason = "the interner gave the token and has no other way to look it up"
        )]
        let line = self.0[token];
        write!(out, "{sign}{line}")?;
        if line.ends_with('\n') {
            Ok(())
        } else {
            out.write_str("\n\\ No newline at end of file\n")
        }
    }
}

impl UnifiedDiffPrinter for Lines<'_> {
    fn display_header(
        &self,
        mut out: impl Write,
        old: u32,
        new: u32,
        old_len: u32,
        new_len: u32,
    ) -> fmt::Result {
        writeln!(
            out,
            "@@ -{} +{} @@",
            range_of(old, old_len),
            range_of(new, new_len)
        )
    }

    fn display_context_token(&self, mut out: impl Write, token: Token) -> fmt::Result {
        self.line(&mut out, ' ', token)
    }

    fn display_hunk(&self, mut out: impl Write, before: &[Token], after: &[Token]) -> fmt::Result {
        before
            .iter()
            .try_for_each(|&token| self.line(&mut out, '-', token))?;
        after
            .iter()
            .try_for_each(|&token| self.line(&mut out, '+', token))
    }
}

fn range_of(start: u32, len: u32) -> String {
    match len {
        0 => format!("{start},0"),
        1 => start.saturating_add(1).to_string(),
        len => format!("{},{len}", start.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changes_with_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\n";
        assert_eq!(
            unified("x", old, new),
            "--- x\n+++ x\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n"
        );
        assert_eq!(unified("x", old, old), "");
        assert_eq!(
            unified("x", "a", "a\n"),
            "--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
        );
        assert_eq!(unified("x", "", "a\n"), "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n");
    }
}
