//! `validate --fix`: fixes written into the files, or shown as a diff.

use crate::diff;
use crate::exit::Problem;
use crate::files::InputFile;
use crate::host::Host;
use crate::options::ValidateArgs;
use crate::summary::count;
use claimkit::requests::Answer;
use claimkit_model::finding::TextField;
use claimkit_model::text::located::LocatedFix;
use claimkit_values::order;

/// Rounds of fixing and validating again: a fix can bring a finding to light that was hidden before.
const ROUNDS: usize = 8;

/// The results of fixing the files.
pub struct Fixed {
    /// The files as they are now.
    pub files: Vec<InputFile>,
    pub counts: FixCounts,
    /// Every file that changed could be written.
    pub written: bool,
    /// The fixes that are only shown: a unified diff of the files that they would change.
    pub diff: String,
}

/// How many fixes there were.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixCounts {
    applied: usize,
    /// The number of fixes not applied because they delete something.
    left: usize,
}

impl FixCounts {
    /// Returns the line of the summary.
    pub fn line(self, only_shown: bool) -> String {
        let how = if only_shown {
            "could be applied"
        } else {
            "applied"
        };
        let left = if self.left > 0 {
            format!(
                "; {} left that would delete something: --unsafe-fixes",
                self.left
            )
        } else {
            String::new()
        };
        format!("{} {how}{left}\n", count(self.applied, "fix"))
    }
}

/// A file while it is fixed.
struct Work {
    now: InputFile,
    /// No more is to be applied to it.
    is_done: bool,
}

/// Answers about all files together.
type Judge<'j> = dyn Fn(&[InputFile], &mut dyn Host) -> Result<Vec<Answer>, Problem> + 'j;

/// Applies fixes to the files and writes those that changed. `judge` answers about all files as the report does: several are one
/// cluster, so that a file can be judged by another release than it is alone.
///
/// # Errors
/// Why the request about a file cannot be used.
pub fn run(
    args: &ValidateArgs,
    judge: &Judge<'_>,
    files: Vec<InputFile>,
    host: &mut dyn Host,
) -> Result<Fixed, Problem> {
    let mut counts = FixCounts::default();
    let mut written = true;
    let begin = |file: &InputFile| Work {
        now: InputFile {
            replaced: None,
            ..file.clone()
        },
        is_done: false,
    };
    let mut works: Vec<Work> = files.iter().map(begin).collect();
    for round in 1..=ROUNDS {
        let now: Vec<InputFile> = works.iter().map(|work| work.now.clone()).collect();
        let answers = judge(&now, host)?;
        for ((file, work), answer) in files.iter().zip(&mut works).zip(&answers) {
            if work.is_done {
                continue;
            }
            let (next, applied, left) = apply(&work.now.text, answer, args.unsafe_fixes);
            work.is_done = applied == 0 || !file.exact || round == ROUNDS;
            if applied > 0 && !file.exact {
                host.err(&format!(
                    "claimkit: {}: not fixed: its bytes are not UTF-8\n",
                    file.name
                ));
                written = false;
            } else if work.is_done {
                counts.left = counts.left.saturating_add(left);
            } else {
                counts.applied = counts.applied.saturating_add(applied);
                work.now.text = next;
            }
        }
        if works.iter().all(|work| work.is_done) {
            break;
        }
    }
    let mut fixed = Fixed {
        files: Vec::new(),
        counts,
        written,
        diff: String::new(),
    };
    for (file, work) in files.into_iter().zip(works) {
        let text = work.now.text;
        if args.diff {
            let changes = diff::unified(&file.name, &file.text, &text);
            fixed.diff.push_str(&changes);
            fixed.files.push(file);
            continue;
        }
        if text != file.text
            && let Err(problem) = host.write(&file.name, &text)
        {
            host.err(&format!("claimkit: {}: {problem}\n", file.name));
            fixed.written = false;
            fixed.files.push(file);
            continue;
        }
        fixed.files.push(InputFile { text, ..file });
    }
    Ok(fixed)
}

/// Applies the first fix of each finding unless it overlaps another fix. Returns the text, the number of applied fixes, and the
/// number skipped because they delete something.
fn apply(text: &str, answer: &Answer, deletes: bool) -> (String, usize, usize) {
    let mut edits: Vec<(usize, usize, &str)> = Vec::new();
    let (mut applied, mut left) = (0usize, 0usize);
    for fix in answer
        .findings
        .iter()
        .filter(|finding| finding.within == TextField::Text)
        .filter_map(|finding| finding.fixes.first())
    {
        if fix.deletes && !deletes {
            left = left.saturating_add(1);
            continue;
        }
        let own = ranges(fix);
        let touches = |&(from, to, _): &(usize, usize, &str)| {
            edits
                .iter()
                .any(|&(start, end, _)| from <= end && start <= to)
        };
        if own.is_empty() || own.iter().any(touches) {
            continue;
        }
        edits.extend(own);
        applied = applied.saturating_add(1);
    }
    order::sort_by_key(&mut edits, |&(from, ..)| from);
    let mut out = String::with_capacity(text.len());
    let mut at = 0usize;
    for (from, to, new) in edits {
        out.push_str(text.get(at..from).unwrap_or_default());
        out.push_str(new);
        at = to;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (out, applied, left)
}

fn ranges(fix: &LocatedFix) -> Vec<(usize, usize, &str)> {
    fix.edits
        .iter()
        .map(|edit| {
            (
                edit.range.start.byte_offset as usize,
                edit.range.end.byte_offset as usize,
                edit.new_text.as_str(),
            )
        })
        .collect()
}
