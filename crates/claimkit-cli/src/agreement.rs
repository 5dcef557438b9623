//! Options that require or exclude each other where clap cannot say it.

use crate::options::{ConvertArgs, EvaluateArgs, FileArgs, PatchArgs, ValidateArgs, Verb};
use crate::values::{OperationChoice, PatchTypeChoice, PlainForm};

/// Checks that the options of a verb agree.
///
/// # Errors
/// What is wrong, and what to write instead, in one line.
pub fn check(verb: &Verb) -> Result<(), String> {
    match verb {
        Verb::Validate(args) => check_validate(args),
        Verb::Convert(args) => check_convert(args),
        Verb::Evaluate(args) => check_evaluate(args),
        Verb::Patch(args) => check_patch(args),
        Verb::Allocate(args) => {
            need_files("allocate", &args.files)?;
            read_stdin_once(
                args.files
                    .names()
                    .chain(args.cluster.iter().map(String::as_str)),
            )
        }
        Verb::Audit(args) => read_stdin_once(args.files.names()),
        Verb::Cel(args) => read_stdin_once(args.device.iter().map(String::as_str)),
        Verb::Parse(args) => {
            need_files("parse", &args.files)?;
            read_stdin_once(args.files.names())
        }
        Verb::Admit(args) => {
            if !args.live {
                need_files("admit", &args.files)?;
            }
            if let Some(flag) = args.connection.flags().first()
                && !args.live
            {
                return Err(format!("`--{}` goes with `--live`", flag.name));
            }
            let others = args.old.iter().chain(&args.settings);
            read_stdin_once(args.files.names().chain(others.map(String::as_str)))
        }
        Verb::Why(_)
        | Verb::Snapshot(_)
        | Verb::Policy(_)
        | Verb::Batch
        | Verb::Schema(_)
        | Verb::Completion(_)
        | Verb::Codes(_)
        | Verb::Lsp(_)
        | Verb::Releases(_) => Ok(()),
    }
}

fn check_validate(args: &ValidateArgs) -> Result<(), String> {
    need_files("validate", &args.files)?;
    if args.fix && !args.diff && args.files.has_stdin() {
        return Err(
            "standard input cannot be changed: write `--fix --diff` to see the fixes".to_owned(),
        );
    }
    if args.operation == Some(OperationChoice::Create) && args.old.is_some() {
        return Err("`--old` goes with `--operation update` or `update-status`".to_owned());
    }
    read_stdin_once(args.files.names().chain(args.old.as_deref()))
}

fn check_convert(args: &ConvertArgs) -> Result<(), String> {
    need_files("convert", &args.files)?;
    if args.output == PlainForm::Json && (args.in_place || args.diff || args.check) {
        return Err("`--output json` prints answers: it does not go with `--in-place`, `--diff` or `--check`".to_owned());
    }
    if args.in_place && args.files.has_stdin() {
        return Err("standard input cannot be changed in place".to_owned());
    }
    read_stdin_once(args.files.names())
}

fn check_evaluate(args: &EvaluateArgs) -> Result<(), String> {
    if args.selector.is_none() {
        need_files("evaluate", &args.files)?;
    }
    let others = args.nodes.iter().chain(&args.selector);
    read_stdin_once(args.files.names().chain(others.map(String::as_str)))
}

fn check_patch(args: &PatchArgs) -> Result<(), String> {
    if args.old.is_none() && args.patch_type != PatchTypeChoice::Apply {
        return Err("`patch` takes two files: the stored object, then the patch; with `--type apply` the patch alone creates an object".to_owned());
    }
    read_stdin_once(args.old.as_deref().into_iter().chain([args.patch.as_str()]))
}

fn need_files(verb: &str, files: &FileArgs) -> Result<(), String> {
    if files.is_empty() {
        return Err(format!(
            "`{verb}` needs a file, a folder, or `-` for standard input"
        ));
    }
    Ok(())
}

fn read_stdin_once<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    if names.filter(|name| *name == "-").count() > 1 {
        return Err("standard input (`-`) can be read only once".to_owned());
    }
    Ok(())
}
