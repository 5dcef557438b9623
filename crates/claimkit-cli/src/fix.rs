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
    let begin = |file: &InputFile| Work {
        now: InputFile {
            replaced: None,
            ..file.clone()
        },
        is_done: false,
    };
    let mut works: Vec<Work> = files.iter().map(begin).collect();
    let mut fixed = Fixed {
        files: Vec::new(),
        counts: FixCounts::default(),
        written: true,
        diff: String::new(),
    };
    for round in 1..=ROUNDS {
        let now: Vec<InputFile> = works.iter().map(|work| work.now.clone()).collect();
        let answers = judge(&now, host)?;
        for ((file, work), answer) in files.iter().zip(&mut works).zip(&answers) {
            if !work.is_done {
                let is_last = round == ROUNDS;
                let next = apply(&work.now.text, answer, args.unsafe_fixes);
                take_fixes(file, work, next, is_last, &mut fixed, host);
            }
        }
        if works.iter().all(|work| work.is_done) {
            break;
        }
    }
    for (file, work) in files.into_iter().zip(works) {
        if args.diff {
            let changes = diff::unified(&file.name, &file.text, &work.now.text);
            fixed.diff.push_str(&changes);
            fixed.files.push(file);
        } else {
            write_back(file, work.now.text, &mut fixed, host);
        }
    }
    Ok(fixed)
}

/// Takes the fixes of one round over, unless it is the last one or the file cannot be written back.
fn take_fixes(
    file: &InputFile,
    work: &mut Work,
    next: AppliedFixes,
    is_last: bool,
    fixed: &mut Fixed,
    host: &mut dyn Host,
) {
    let AppliedFixes { text, counts } = next;
    let FixCounts { applied, left } = counts;
    work.is_done = applied == 0 || !file.exact || is_last;
    if applied > 0 && !file.exact {
        host.err(&format!(
            "claimkit: {}: not fixed: its bytes are not UTF-8\n",
            file.name
        ));
        fixed.written = false;
    } else if work.is_done {
        fixed.counts.left = fixed.counts.left.saturating_add(left);
    } else {
        fixed.counts.applied = fixed.counts.applied.saturating_add(applied);
        work.now.text = text;
    }
}

/// Writes a file that changed. One that cannot be written stays as it is.
fn write_back(file: InputFile, text: String, fixed: &mut Fixed, host: &mut dyn Host) {
    if text != file.text
        && let Err(problem) = host.write(&file.name, &text)
    {
        host.err(&format!("claimkit: {}: {problem}\n", file.name));
        fixed.written = false;
        fixed.files.push(file);
        return;
    }
    fixed.files.push(InputFile { text, ..file });
}

/// A text to which fixes were applied.
struct AppliedFixes {
    text: String,
    counts: FixCounts,
}

/// A replacement of bytes of a text.
struct Replacement<'f> {
    from: usize,
    to: usize,
    new: &'f str,
}

impl Replacement<'_> {
    fn touches(&self, other: &Replacement<'_>) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// Applies the first fix of each finding unless it overlaps another fix. `deletes`: fixes that delete something are applied, too.
fn apply(text: &str, answer: &Answer, deletes: bool) -> AppliedFixes {
    let mut edits: Vec<Replacement<'_>> = Vec::new();
    let mut counts = FixCounts::default();
    let in_text = answer
        .findings
        .iter()
        .filter(|finding| finding.within == TextField::Text);
    for fix in in_text.filter_map(|finding| finding.fixes.first()) {
        if fix.deletes && !deletes {
            counts.left = counts.left.saturating_add(1);
            continue;
        }
        let own = replacements(fix);
        let overlaps = own
            .iter()
            .any(|new| edits.iter().any(|known| known.touches(new)));
        if own.is_empty() || overlaps {
            continue;
        }
        edits.extend(own);
        counts.applied = counts.applied.saturating_add(1);
    }
    order::sort_by_key(&mut edits, |edit| edit.from);
    let mut out = String::with_capacity(text.len());
    let mut at = 0usize;
    for Replacement { from, to, new } in edits {
        out.push_str(text.get(at..from).unwrap_or_default());
        out.push_str(new);
        at = to;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    AppliedFixes { text: out, counts }
}

fn replacements(fix: &LocatedFix) -> Vec<Replacement<'_>> {
    fix.edits
        .iter()
        .map(|edit| Replacement {
            from: edit.range.start.byte_offset as usize,
            to: edit.range.end.byte_offset as usize,
            new: edit.new_text.as_str(),
        })
        .collect()
}
