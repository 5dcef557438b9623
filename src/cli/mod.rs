//! The command line, without its I/O: arguments in, output and exit code out. `src/main.rs` and `pkg/cli.js` supply files and
//! terminal, so the native command and `npx claimkit` behave alike.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`arguments`] | what was typed | a verb, its files and options, or what is wrong with them |
//! | [`files`] | names | texts: folders walked, `-` read from standard input |
//! | `ask` | a request, texts | answers, as the contract has them |
//! | `check`, `convert`, `evaluate`, `allocate`, `audit`, `cel`, `patch`, `batch`, `lists` | answers | what [`crate::report`] makes of them |
//! | `live` | a running cluster, through kubectl | why its pods wait; what is wrong in it; what `validate` should know of it |

pub mod arguments;
pub mod files;
#[cfg(not(target_arch = "wasm32"))]
pub mod locale;
pub mod options;
mod pairs;

mod account;
mod admission;
mod admit;
pub mod allocate;
mod ask;
pub mod audit;
mod batch;
mod cel;
mod check;
mod completion;
mod convert;
mod diff;
mod evaluate;
mod fix;
mod help;
mod host;
mod joined;
mod lines;
mod lists;
mod live;
mod patch;
mod policy;
pub mod settings;
mod turns;

use arguments::{Arguments, ParsedArguments};
use claimkit_model::schema::Release;
pub use host::{EntryKind, FINDINGS, FINE, FolderEntry, Host, Ran, UNUSABLE, too_large};
use settings::CommandSettings;

/// Runs a command line (without the program's name) and gives its exit code.
pub fn run(arguments: &[String], host: &mut dyn Host) -> u8 {
    let parsed = match arguments::parse(arguments) {
        Ok(parsed) => parsed,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    match parsed {
        ParsedArguments::Help(verb) => {
            host.out(&help::text(verb));
            FINE
        }
        ParsedArguments::Version => {
            host.out(&version());
            FINE
        }
        ParsedArguments::Run(mut arguments) => {
            let settings = match CommandSettings::find(host) {
                Ok(settings) => settings,
                Err(problem) => {
                    host.err(&format!("claimkit: {problem}\n"));
                    return UNUSABLE;
                }
            };
            if host.is_plugin() || arguments.verb.name == "why" {
                arguments.settle("live", "");
            }
            settings.settle(&mut arguments);
            if let Err(problem) = arguments::ignored(&arguments) {
                host.err(&format!("claimkit: {problem}\n"));
                return UNUSABLE;
            }
            if arguments.has("show-settings") {
                return show(settings.shown(&arguments), host);
            }
            carry_out(&arguments, host)
        }
    }
}

/// Returns the version, the build and the newest Kubernetes release that is known. A release sets `CLAIMKIT_BUILD` while it compiles.
fn version() -> String {
    let build = option_env!("CLAIMKIT_BUILD").unwrap_or("unreleased build");
    format!(
        "claimkit {} ({build}; newest Kubernetes release known: {})\n",
        env!("CARGO_PKG_VERSION"),
        Release::latest()
    )
}

fn show(text: Result<String, String>, host: &mut dyn Host) -> u8 {
    match text {
        Ok(text) => {
            host.out(&text);
            FINE
        }
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            UNUSABLE
        }
    }
}

fn carry_out(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    match arguments.verb.name {
        "convert" => convert::run(arguments, host),
        "evaluate" => evaluate::run(arguments, host),
        "patch" => patch::run(arguments, host),
        "admit" => admit::run(arguments, host),
        "policy" => policy::run(arguments, host),
        "batch" => batch::run(host),
        "cel" => cel::run(arguments, host),
        "allocate" => allocate::run(arguments, host),
        "audit" if live::audit::is_asked(arguments, host) => live::audit::run(arguments, host),
        "audit" => audit::run(arguments, host),
        "why" => live::why::run(arguments, host),
        "completion" => complete(arguments, host),
        "schema" => lists::schema(arguments, host),
        "codes" => lists::codes(arguments, host),
        "releases" => lists::releases(arguments, host),
        _ => check::run(arguments, host),
    }
}

fn complete(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let shell = arguments
        .operands
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    match completion::script(shell) {
        Some(script) => {
            host.out(&script);
            FINE
        }
        None => {
            host.err(&format!(
                "claimkit: `{shell}` is unknown; write one of `bash`, `zsh`, `fish`, `powershell`\n"
            ));
            UNUSABLE
        }
    }
}
