//! A unified diff of two texts, line by line.

/// Lines shown around a change.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Keep,
    Drop,
    Add,
}

/// The diff with its two header lines; empty if the texts are equal.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let steps = steps(&old, &new);
    let mut out = format!("--- {name}\n+++ {name}\n");
    // Positions before each step, so that a hunk can begin anywhere.
    let (mut left, mut right) = (0usize, 0usize);
    let mut marks = Vec::with_capacity(steps.len());
    for step in &steps {
        marks.push((left, right));
        left = left.saturating_add(usize::from(*step != Step::Add));
        right = right.saturating_add(usize::from(*step != Step::Drop));
    }
    let mut at = 0usize;
    while let Some(found) = steps.iter().skip(at).position(|step| *step != Step::Keep) {
        let first = at.saturating_add(found);
        let begin = first.saturating_sub(CONTEXT).max(at);
        // A hunk goes on while the next change is near enough for the contexts to touch.
        let mut last = first;
        for (index, step) in steps.iter().enumerate().skip(first) {
            if *step != Step::Keep {
                last = index;
            } else if index.saturating_sub(last) > CONTEXT.saturating_mul(2) {
                break;
            }
        }
        let end = last.saturating_add(CONTEXT).saturating_add(1).min(steps.len());
        hunk(&mut out, &old, &new, steps.get(begin..end).unwrap_or_default(), marks.get(begin).copied().unwrap_or_default());
        at = end;
    }
    out
}

fn hunk(out: &mut String, old: &[&str], new: &[&str], steps: &[Step], start: (usize, usize)) {
    let (mut left, mut right) = start;
    let mut body = String::new();
    for step in steps {
        let (sign, line) = match step {
            Step::Keep => (' ', old.get(left)),
            Step::Drop => ('-', old.get(left)),
            Step::Add => ('+', new.get(right)),
        };
        let line = line.copied().unwrap_or_default();
        body.push(sign);
        body.push_str(line);
        if !line.ends_with('\n') {
            body.push_str("\n\\ No newline at end of file\n");
        }
        left = left.saturating_add(usize::from(*step != Step::Add));
        right = right.saturating_add(usize::from(*step != Step::Drop));
    }
    let range = |from: usize, to: usize| match to.saturating_sub(from) {
        0 => format!("{from},0"),
        1 => format!("{}", from.saturating_add(1)),
        length => format!("{},{length}", from.saturating_add(1)),
    };
    out.push_str(&format!(" -{} +{} \n{body}", range(start.0, left), range(start.1, right)));
}

/// The fewest lines dropped and added, found greedily from both ends' common parts (Myers). Texts that differ too much for
/// that are replaced as a whole between their common beginning and end.
fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let a = old.get(head..old.len().saturating_sub(tail)).unwrap_or_default();
    let b = new.get(head..new.len().saturating_sub(tail)).unwrap_or_default();
    let mut steps = vec![Step::Keep; head];
    match shortest(a, b) {
        Some(middle) => steps.extend(middle),
        None => {
            steps.extend(a.iter().map(|_| Step::Drop));
            steps.extend(b.iter().map(|_| Step::Add));
        }
    }
    steps.extend(std::iter::repeat_n(Step::Keep, tail));
    steps
}

/// Most dropped and added lines that are looked for.
const MAX_EDITS: usize = 1000;

fn shortest(a: &[&str], b: &[&str]) -> Option<Vec<Step>> {
    // reach[k] is the furthest line of `a` on diagonal k, after the edits of the round; one copy per round to walk back.
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let most = a.len().saturating_add(b.len()).min(MAX_EDITS);
    for edits in 0..=most {
        // Index i stands for diagonal k = 2 i - edits, where k = x - y.
        let mut reach = Vec::with_capacity(edits.saturating_add(1));
        for i in 0..=edits {
            let mut x = match rounds.last() {
                None => 0,
                Some(before) => {
                    // From diagonal k-1 by dropping (x+1), or from k+1 by adding (x).
                    let dropped = i.checked_sub(1).and_then(|i| before.get(i)).map(|x| x.saturating_add(1));
                    let added = before.get(i).copied();
                    dropped.max(added).unwrap_or(0)
                }
            };
            let y_of = |x: usize| x.saturating_add(edits).checked_sub(i.saturating_mul(2));
            while let (Some(left), Some(right)) = (a.get(x), y_of(x).and_then(|y| b.get(y))) {
                if left != right {
                    break;
                }
                x = x.saturating_add(1);
            }
            reach.push(x);
            if x >= a.len() && y_of(x).is_some_and(|y| y >= b.len()) {
                rounds.push(reach);
                return Some(walk_back(&rounds, a.len(), b.len(), i));
            }
        }
        rounds.push(reach);
    }
    None
}

fn walk_back(rounds: &[Vec<usize>], mut x: usize, mut y: usize, mut i: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for edits in (1..rounds.len()).rev() {
        let before = rounds.get(edits.saturating_sub(1)).map(Vec::as_slice).unwrap_or_default();
        let dropped = i.checked_sub(1).and_then(|i| before.get(i)).map(|x| x.saturating_add(1));
        let added = before.get(i).copied();
        let by_drop = dropped > added;
        let start = dropped.max(added).unwrap_or(0);
        while x > start {
            steps.push(Step::Keep);
            x = x.saturating_sub(1);
            y = y.saturating_sub(1);
        }
        if by_drop {
            steps.push(Step::Drop);
            x = x.saturating_sub(1);
            i = i.saturating_sub(1);
        } else {
            steps.push(Step::Add);
            y = y.saturating_sub(1);
        }
    }
    steps.extend(std::iter::repeat_n(Step::Keep, x.min(y)));
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changes_with_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\n";
        assert_eq!(unified("x", old, new), "--- x\n+++ x\n -1,7 +1,7 \n a\n b\n c\n-d\n+D\n e\n f\n g\n");
        assert_eq!(unified("x", old, old), "");
        assert_eq!(unified("x", "a", "a\n"), "--- x\n+++ x\n -1 +1 \n-a\n\\ No newline at end of file\n+a\n");
        assert_eq!(unified("x", "", "a\n"), "--- x\n+++ x\n -0,0 +1 \n+a\n");
    }

    /// Applying the steps to the old text gives the new one, and no shorter way exists for these.
    #[test]
    fn steps_lead_from_old_to_new() {
        for (old, new, edits) in [
            ("abcabba", "cbabac", 5),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("xaxcxabc", "abcy", 6),
            ("ab", "ba", 2),
        ] {
            let lines = |text: &str| text.chars().map(|c| format!("{c}\n")).collect::<Vec<_>>();
            let (old, new) = (lines(old), lines(new));
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let (mut left, mut right, mut built, mut cost) = (0, 0, Vec::new(), 0);
            for step in steps(&old, &new) {
                match step {
                    Step::Keep => {
                        assert_eq!(old[left], new[right]);
                        built.push(old[left]);
                        (left, right) = (left + 1, right + 1);
                    }
                    Step::Drop => (left, cost) = (left + 1, cost + 1),
                    Step::Add => {
                        built.push(new[right]);
                        (right, cost) = (right + 1, cost + 1);
                    }
                }
            }
            assert_eq!((built, left, cost), (new, old.len(), edits));
        }
    }
}
