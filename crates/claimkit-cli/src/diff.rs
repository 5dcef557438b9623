//! A unified diff of two texts, line by line.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

/// Lines without a change around each change.
const CONTEXT: u32 = 3;

/// Returns the diff with its two header lines; empty if the texts are equal.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let changes: Vec<Hunk> = diff.hunks().collect();
    let mut out = format!("--- {name}\n+++ {name}\n");
    let lines = Lines(&input);
    for group in changes.chunk_by(shares_context) {
        lines.write(&mut out, group);
    }
    out
}

/// Returns true if the lines around two changes touch: they are shown as one.
fn shares_context(first: &Hunk, second: &Hunk) -> bool {
    second.before.start.saturating_sub(first.before.end) <= CONTEXT.saturating_mul(2)
}

/// The lines of the two texts. The crate's own printer counts wrong if the first change is in line 5 to 7, and does not say that a
/// text ends without a line break.
struct Lines<'l>(&'l InternedInput<&'l str>);

impl Lines<'_> {
    /// Writes the changes of one group with their header and the lines around them.
    fn write(&self, out: &mut String, group: &[Hunk]) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let Lines(input) = self;
        let total = u32::try_from(input.before.len()).unwrap_or(u32::MAX);
        // As many lines are before the change in one text as in the other.
        let head = CONTEXT.min(first.before.start);
        let tail = CONTEXT.min(total.saturating_sub(last.before.end));
        let header = |from: u32, to: u32| {
            let start = from.saturating_sub(head);
            range_of(start, to.saturating_add(tail).saturating_sub(start))
        };
        let old = header(first.before.start, last.before.end);
        let new = header(first.after.start, last.after.end);
        out.push_str(&format!("@@ -{old} +{new} @@\n"));
        let mut at = first.before.start.saturating_sub(head);
        for change in group {
            self.lines(out, ' ', &input.before, at, change.before.start);
            self.lines(
                out,
                '-',
                &input.before,
                change.before.start,
                change.before.end,
            );
            self.lines(out, '+', &input.after, change.after.start, change.after.end);
            at = change.before.end;
        }
        self.lines(out, ' ', &input.before, at, at.saturating_add(tail));
    }

    fn lines(&self, out: &mut String, sign: char, text: &[Token], from: u32, to: u32) {
        for token in text.get(from as usize..to as usize).unwrap_or_default() {
            self.line(out, sign, *token);
        }
    }

    fn line(&self, out: &mut String, sign: char, token: Token) {
        #[allow(
            clippy::indexing_slicing,
            reason = "the interner gave the token and has no other way to look it up"
        )]
        let line = self.0.interner[token];
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
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

    /// Applies a diff as `patch` does, without looking for lines at other places than the headers say.
    fn patched(old: &str, diff: &str) -> String {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut at) = (String::new(), 0);
        for line in diff.split_inclusive('\n').skip(2) {
            if let Some(header) = line.strip_prefix("@@ -") {
                let (range, _) = header.split_once(' ').unwrap();
                let (start, length) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let first = if length == "0" { start } else { start - 1 };
                new.push_str(&lines[at..first].concat());
                at = first;
            } else if let Some(kept) = line.strip_prefix(' ') {
                assert_eq!(lines[at], kept);
                new.push_str(kept);
                at += 1;
            } else if let Some(gone) = line.strip_prefix('-') {
                assert_eq!(lines[at], gone);
                at += 1;
            } else {
                new.push_str(line.strip_prefix('+').unwrap());
            }
        }
        new + &lines[at..].concat()
    }

    /// Every pair of places for a change of up to two lines: the headers say where the lines are.
    #[test]
    fn a_diff_applied_to_the_old_text_is_the_new_one() {
        let numbered: Vec<String> = (0..24).map(|number| format!("line {number}\n")).collect();
        let old = numbered.concat();
        for first in 0..24 {
            for second in first..24 {
                for text in ["", "new\n", "new\nnewer\n"] {
                    let mut lines = numbered.clone();
                    text.clone_into(&mut lines[first]);
                    text.clone_into(&mut lines[second]);
                    let new = lines.concat();
                    let diff = unified("x", &old, &new);
                    assert_eq!(patched(&old, &diff), new, "{diff}");
                    let back = unified("x", &new, &old);
                    assert_eq!(patched(&new, &back), old, "{back}");
                }
            }
        }
    }
}
