//! `why`: what keeps pods of a cluster waiting.

use super::asked::open;
use super::explain::explain;
use super::question::Question;
use super::watch;
use crate::exit::Outcome;
use crate::files;
use crate::host::Host;
use crate::options::WhyArgs;
use claimkit::report::text::visible;

/// Runs the verb.
pub fn run(args: &WhyArgs, host: &mut dyn Host) -> Outcome {
    if let Some(file) = args.pods.iter().find(|word| files::is_given(word, host)) {
        let file = visible(file);
        return Err(format!("{file} is a file: give it with `-f {file}`").into());
    }
    if let Some(folder) = args
        .pods
        .iter()
        .find(|word| files::is_given_folder(word, host))
    {
        let folder = visible(folder);
        return Err(format!("{folder} is a folder: give it with `-f {folder}`").into());
    }
    let question = Question::of(args);
    let exit = match &args.watch {
        Some(interval) => watch::run(args, &question, interval.as_ref(), host),
        None => open(args, &question, host)
            .and_then(|(asked, seen)| explain(args, &question, &asked, &seen, &[], host))
            .map(|round| round.exit),
    };
    exit.map_err(|problem| {
        host.status("");
        visible(&problem).into()
    })
}
