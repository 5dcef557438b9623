//! The command `claimkit` without its I/O: arguments in, output and an exit code out. `src/main.rs` and `pkg/cli.js` supply files and
//! terminal, so the native command and `npx claimkit` behave alike.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | `options`, `values`, `agreement` | what was typed | a verb with its options, or what is wrong with them |
//! | `settings` | `claimkit.toml` | options that the command line does not set |
//! | `files` | names | texts: folders walked, `-` read from standard input |
//! | `ask` | a request, texts | answers, as the contract has them |
//! | a verb: `validate`, `convert`, … | its options | what is printed, and the exit code |
//! | `summary` | answers | what several verbs print: the JSON of files, counts, the last lines |
//! | [`language_server`] | settings, patterns of paths | what the language server needs of them |
//! | `live` | a running cluster, through kubectl | why its pods wait; what is wrong in it; what `validate` should know of it |

// clippy.toml gives the reasons: all I/O is in src/main.rs, src/lsp.rs and pkg/cli.js.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

mod account;
mod admission;
mod admit;
mod agreement;
mod allocate;
mod ask;
mod audit;
mod batch;
mod cel;
mod charts;
#[cfg(all(feature = "command", target_arch = "wasm32", target_os = "unknown"))]
mod command;
mod convert;
mod diff;
mod evaluate;
mod exit;
mod files;
mod fix;
mod given;
mod host;
mod kustomize;
pub mod language_server;
mod lines;
mod lists;
mod live;
mod needed;
mod options;
mod patch;
mod policy;
mod policy_settings;
mod settings;
mod stored;
mod summary;
mod turns;
mod upgrade;
mod validate;
mod values;
mod worlds;

use claimkit::Release;
use clap::{CommandFactory, FromArgMatches};
pub use exit::Exit;
use exit::Outcome;
pub use host::{EntryKind, FolderEntry, Host, Ran, RunEnd, too_large};
use options::{CommandLine, CompletionArgs, Verb};
use settings::{CommandSettings, ProjectOptions};
pub use values::{CHANGES, ChangeKind};
use worlds::Worlds;

/// Column at which the help wraps.
const HELP_WIDTH: usize = 100;

/// Runs a command line, without the program's name.
pub fn run(arguments: &[String], host: &mut dyn Host) -> Exit {
    let outcome = match parse(arguments, host) {
        Ok(verb) => settle_and_run(verb, host),
        Err(exit) => return exit,
    };
    match outcome {
        Ok(exit) => exit,
        Err(problem) => {
            for line in problem.lines() {
                host.err(&format!("claimkit: {line}\n"));
            }
            Exit::Unusable
        }
    }
}

/// Reads a command line. Help, the version and what is wrong are printed.
fn parse(arguments: &[String], host: &mut dyn Host) -> Result<Verb, Exit> {
    let program = if host.is_plugin() {
        "kubectl claimkit"
    } else {
        "claimkit"
    };
    let command = CommandLine::command()
        .bin_name(program)
        .version(version())
        .term_width(HELP_WIDTH);
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    let read = command
        .try_get_matches_from(words)
        .and_then(|matches| CommandLine::from_arg_matches(&matches));
    match read {
        Ok(line) => Ok(line.verb),
        Err(error) if error.use_stderr() => {
            host.err(&error.render().to_string());
            Err(Exit::Unusable)
        }
        Err(help) => {
            host.out(&help.render().to_string());
            Err(Exit::Fine)
        }
    }
}

/// Returns the version, the build and the newest Kubernetes release that is known. A release sets `CLAIMKIT_BUILD` while it compiles.
fn version() -> String {
    let build = option_env!("CLAIMKIT_BUILD").unwrap_or("unreleased build");
    format!(
        "{} ({build}; newest Kubernetes release known: {})",
        env!("CARGO_PKG_VERSION"),
        Release::latest()
    )
}

fn settle_and_run(mut verb: Verb, host: &mut dyn Host) -> Outcome {
    // The language server reads the settings of each folder itself, and tells the editor what is wrong with them.
    if matches!(verb, Verb::Lsp(_)) {
        return run_verb(&verb, host);
    }
    let settings = CommandSettings::find(host)?;
    if host.is_plugin() {
        ask_the_cluster(&mut verb);
    }
    let typed = verb.clone();
    let mut options = ProjectOptions::of(&mut verb);
    settings.settle(&mut options)?;
    if options.is_shown {
        host.out(&settings.printed(&options));
        return Ok(Exit::Fine);
    }
    agreement::check(&verb)?;
    let worlds = Worlds::of(&typed, &settings, host)?;
    // What is not about another release reads all files at once: their order stays.
    if let Verb::Validate(args) = &verb
        && args.to.is_none()
    {
        return validate::run(args, &worlds.validations(), host);
    }
    worlds.run(&verb, host)
}

/// Turns on what `--live` says, where a verb has it.
fn ask_the_cluster(verb: &mut Verb) {
    match verb {
        Verb::Validate(args) => args.live = true,
        Verb::Audit(args) => args.live = true,
        _ => {}
    }
}

fn run_verb(verb: &Verb, host: &mut dyn Host) -> Outcome {
    match verb {
        Verb::Validate(args) => validate::run(args, &[], host),
        Verb::Parse(args) => validate::run_parse(args, host),
        Verb::Convert(args) => convert::run(args, host),
        Verb::Evaluate(args) => evaluate::run(args, host),
        Verb::Patch(args) => patch::run(args, host),
        Verb::Allocate(args) => allocate::run(args, host),
        Verb::Audit(args) if live::audit::is_asked(args, host) => live::audit::run(args, host),
        Verb::Audit(args) => audit::run(args, host),
        Verb::Why(args) => live::why::run(args, host),
        Verb::Snapshot(args) => live::snapshot::run(args, host),
        Verb::Cel(args) => cel::run(args, host),
        Verb::Admit(args) => admit::run(args, host),
        Verb::Policy(args) => policy::run(args, host),
        Verb::Batch => batch::run(host),
        Verb::Lsp(_) => Ok(host.serve()?),
        Verb::Schema(args) => lists::schema(args, host),
        Verb::Completion(args) => Ok(complete(args, host)),
        Verb::Codes(args) => lists::codes(args, host),
        Verb::Releases(args) => lists::releases(args, host),
    }
}

/// Prints the script that completes the command line in a shell.
fn complete(args: &CompletionArgs, host: &mut dyn Host) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut CommandLine::command(),
        "claimkit",
        &mut script,
    );
    host.out(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct CommandReadme;
