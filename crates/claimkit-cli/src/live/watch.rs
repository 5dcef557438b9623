//! `why --watch`: the question asked again and again, and of each answer what is new in it.

use super::asked;
use super::explain::{Round, explain};
use super::question::Question;
use crate::exit::Exit;
use crate::host::{FolderEntry, Host, Ran};
use crate::options::WhyArgs;
use crate::values::PlainForm;
use claimkit::report::text::visible;
use claimkit_values::time::Time;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

/// Least time between two answers.
const LEAST_PAUSE: Duration = Duration::from_secs(10);
/// Times as long as an answer took is the pause behind it: one reader takes a tenth of the time of a server at most.
const PAUSES: u32 = 9;
/// Maximum number of pods whose accounts are printed one by one; of more the whole answer is.
const MOST_ACCOUNTS: usize = 3;

/// Asks until the process is ended, or, with `--require`, until the pods run.
///
/// # Errors
/// Why the first answer cannot be given. A later one is asked for again.
pub fn run(
    args: &WhyArgs,
    question: &Question<'_>,
    interval: Option<&NonZeroU32>,
    host: &mut dyn Host,
) -> Result<Exit, String> {
    let cluster = asked::connect(args, question, host)?;
    let mut last = Printed::default();
    loop {
        let begun = host.clock();
        let mut kept = Kept::new(host);
        let names: Vec<String> = last.accounts.keys().cloned().collect();
        let round = asked::read(args, question, &cluster, &mut kept)
            .and_then(|seen| explain(args, question, &cluster, &seen, &names, &mut kept));
        let (out, err) = (kept.out, kept.err);
        let round = match round {
            Ok(round) => Some(round),
            Err(problem) if last.is_first => return Err(problem),
            Err(problem) => {
                host.status("");
                last.print_problem(&problem, host);
                None
            }
        };
        if let Some(round) = round {
            let is_over = args.require && round.is_over;
            let exit = round.exit;
            last.print(args, round, out, err, host);
            if is_over {
                return Ok(exit);
            }
        }
        if !host.wait(pause(interval, begun, host.clock())) {
            return Err("`--watch` needs a clock, and there is none here".to_owned());
        }
    }
}

/// Returns the time until the next answer.
fn pause(
    interval: Option<&NonZeroU32>,
    begun: Option<Duration>,
    ended: Option<Duration>,
) -> Duration {
    if let Some(seconds) = interval {
        return Duration::from_secs(u64::from(seconds.get()));
    }
    let taken = begun
        .zip(ended)
        .map(|(begun, ended)| ended.saturating_sub(begun));
    let pause = taken.unwrap_or_default().saturating_mul(PAUSES);
    pause.max(LEAST_PAUSE)
}

/// What was printed last.
struct Printed {
    is_first: bool,
    out: String,
    err: String,
    accounts: BTreeMap<String, String>,
    problem: Option<String>,
}

impl Default for Printed {
    fn default() -> Self {
        Printed {
            is_first: true,
            out: String::new(),
            err: String::new(),
            accounts: BTreeMap::new(),
            problem: None,
        }
    }
}

impl Printed {
    /// Prints what is new in an answer.
    fn print(
        &mut self,
        args: &WhyArgs,
        round: Round,
        out: String,
        err: String,
        host: &mut dyn Host,
    ) {
        if err != self.err {
            host.err(&err);
        }
        if out != self.out {
            match args.output {
                PlainForm::Json => host.out(&out),
                PlainForm::Text => {
                    let separator = if self.is_first { "" } else { "\n" };
                    host.out(&format!("{separator}{}:\n", now(host)));
                    host.out(&self.news(&round, &out));
                }
            }
        }
        *self = Printed {
            is_first: false,
            out,
            err,
            accounts: round.accounts,
            problem: None,
        };
    }

    /// Returns the accounts that changed, and what became of pods that are gone; with many pods, the whole answer.
    fn news(&self, round: &Round, out: &str) -> String {
        let mut lines: String = round.gone.iter().map(|line| format!("{line}\n")).collect();
        let is_small = round.accounts.len() <= MOST_ACCOUNTS && !round.accounts.is_empty();
        let changed: Vec<&str> = round
            .accounts
            .iter()
            .filter(|(name, account)| self.accounts.get(*name) != Some(*account))
            .map(|(_, account)| account.as_str())
            .collect();
        // The answer differs from the last one: if no account does, what is beside the accounts has changed.
        let is_beside_accounts = changed.is_empty() && round.gone.is_empty();
        if self.is_first || !is_small || is_beside_accounts {
            lines.push_str(out);
        } else {
            lines.push_str(&changed.join("\n"));
        }
        lines
    }

    /// Prints once why there is no answer.
    fn print_problem(&mut self, problem: &str, host: &mut dyn Host) {
        if self.problem.as_deref() != Some(problem) {
            host.err(&format!("claimkit: {}: {}\n", now(host), visible(problem)));
            self.problem = Some(problem.to_owned());
        }
    }
}

/// Returns the time in RFC 3339.
fn now(host: &dyn Host) -> String {
    let seconds = host.clock().unwrap_or_default().as_secs();
    Time::of_unix(i64::try_from(seconds).unwrap_or(i64::MAX)).rfc3339()
}

/// A host that keeps what is printed.
struct Kept<'h> {
    host: &'h mut dyn Host,
    out: String,
    err: String,
}

impl<'h> Kept<'h> {
    fn new(host: &'h mut dyn Host) -> Self {
        Kept {
            host,
            out: String::new(),
            err: String::new(),
        }
    }
}

impl Host for Kept<'_> {
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        self.host.read(path, most)
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        self.host.list(path)
    }

    fn status(&mut self, text: &str) {
        self.host.status(text);
    }

    fn columns(&self) -> Option<usize> {
        self.host.columns()
    }

    fn kubectl(&mut self, arguments: &[String], most: usize) -> Result<Ran, String> {
        self.host.kubectl(arguments, most)
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_asked_a_tenth_of_the_time_at_most() {
        let seconds = |count| Some(Duration::from_secs(count));
        let of = |interval, begun, ended| pause(interval, begun, ended).as_secs();
        assert_eq!(of(None, None, None), 10);
        assert_eq!(of(None, seconds(100), seconds(101)), 10);
        assert_eq!(of(None, seconds(100), seconds(109)), 81);
        assert_eq!(
            of(NonZeroU32::new(2).as_ref(), seconds(100), seconds(109)),
            2
        );
    }
}
