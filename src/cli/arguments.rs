//! Parses the command line by the tables of [`super::options`].

use super::options::{CommandVerb, Opt, Takes, VERBS};
use claimkit_model::finding::Code;
use claimkit_model::nearest;
use lexopt::{Arg, Parser};

/// A command line that was understood.
#[derive(Debug)]
pub enum ParsedArguments {
    /// Print the help, of one verb or of all.
    Help(Option<&'static CommandVerb>),
    Version,
    Run(Arguments),
}

/// A verb with what was given to it.
#[derive(Debug)]
pub struct Arguments {
    pub verb: &'static CommandVerb,
    /// Files, folders, `-`, or a verb's other operands.
    pub operands: Vec<String>,
    given: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Returns the value of an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given
            .iter()
            .rev()
            .find(|(given, _)| *given == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the values of an option that may be given more than once.
    pub fn values<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.given
            .iter()
            .filter(move |(given, _)| *given == name)
            .map(|(_, value)| value.as_str())
    }

    /// Adds a value of an option that may be given more than once, if the verb has it.
    pub fn add(&mut self, name: &'static str, value: &str) {
        if self.verb.options.iter().any(|option| option.name == name) {
            self.given.push((name, value.to_owned()));
        }
    }

    /// Sets an option that the verb has and the command line did not give.
    pub fn settle(&mut self, name: &'static str, value: &str) {
        let known = self.verb.options.iter().any(|option| option.name == name);
        if known && !self.has(name) {
            self.given.push((name, value.to_owned()));
        }
    }

    /// Returns true if an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// What is wrong with it, and what to write instead, in one line.
pub fn parse(typed: &[String]) -> Result<ParsedArguments, String> {
    let mut parser = Parser::from_args(typed);
    let mut verb: Option<&'static CommandVerb> = None;
    let mut operands = Vec::new();
    let mut given: Vec<(&'static str, String)> = Vec::new();
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Arg::Value(value) => {
                let value = value.to_string_lossy().into_owned();
                match verb {
                    None => verb = Some(find(&value)?),
                    Some(verb) if verb.operands.is_empty() => {
                        return Err(format!("`{}` takes no `{value}`", verb.name));
                    }
                    Some(_) => operands.push(value),
                }
                continue;
            }
            Arg::Long("help") | Arg::Short('h') => return Ok(ParsedArguments::Help(verb)),
            Arg::Long("version") | Arg::Short('V') if verb.is_none() => {
                return Ok(ParsedArguments::Version);
            }
            Arg::Long(name) => format!("--{name}"),
            Arg::Short(letter) => format!("-{letter}"),
        };
        let Some(verb) = verb else {
            return Err(format!(
                "`{name}` stands before the verb; write the verb first: {}",
                names()
            ));
        };
        let option = option(verb, &name)?;
        if !option.many && given.iter().any(|(given, _)| *given == option.name) {
            return Err(format!("`--{}` is given twice", option.name));
        }
        let value = match option.takes {
            Takes::Nothing => String::new(),
            Takes::Text(what) => text(&mut parser, option, what)?,
            Takes::OneOf(words) => one_of(&text(&mut parser, option, "a word")?, option, words)?,
        };
        match option.name {
            "filename" => operands.push(value),
            name => given.push((name, value)),
        }
    }
    let Some(verb) = verb else {
        return Err(format!(
            "say what to do: {}; `claimkit --help` explains them",
            names()
        ));
    };
    let arguments = Arguments {
        verb,
        operands,
        given,
    };
    agree(&arguments)?;
    Ok(ParsedArguments::Run(arguments))
}

fn text(parser: &mut Parser, option: &Opt, what: &str) -> Result<String, String> {
    match parser.value() {
        Ok(value) => Ok(value.to_string_lossy().into_owned()),
        Err(_) => Err(format!("`--{}` needs {what} after it", option.name)),
    }
}

fn one_of(value: &str, option: &Opt, words: &[&str]) -> Result<String, String> {
    if words.contains(&value) {
        return Ok(value.to_owned());
    }
    Err(format!(
        "`--{} {value}` is unknown; write one of {}",
        option.name,
        list(words.iter().copied())
    ))
}

fn find(name: &str) -> Result<&'static CommandVerb, String> {
    VERBS.iter().find(|verb| verb.name == name).ok_or_else(|| {
        match closest(name, VERBS.iter().map(|verb| verb.name)) {
            Some(verb) => format!("unknown verb `{name}`; did you mean `{verb}`?"),
            None => format!("unknown verb `{name}`; write one of {}", names()),
        }
    })
}

fn option(verb: &'static CommandVerb, name: &str) -> Result<&'static Opt, String> {
    let wanted = |option: &&&'static Opt| {
        name.strip_prefix("--").map_or_else(
            || {
                option.short.is_some_and(|letter| {
                    name.strip_prefix('-')
                        .is_some_and(|rest| rest.chars().eq([letter]))
                })
            },
            |long| option.name == long || option.also.contains(&long),
        )
    };
    verb.options.iter().find(wanted).copied().ok_or_else(|| {
        let long = name.strip_prefix("--").unwrap_or_default();
        if let Some(meant) = closest(long, verb.options.iter().map(|option| option.name)) {
            return format!(
                "unknown option `{name}` for `{}`; did you mean `--{meant}`?",
                verb.name
            );
        }
        let known = verb
            .options
            .iter()
            .map(|option| format!("--{}", option.name))
            .collect::<Vec<_>>();
        let known = if known.is_empty() {
            "it takes no options".to_owned()
        } else {
            format!("it takes {}", list(known.iter().map(String::as_str)))
        };
        format!("unknown option `{name}` for `{}`; {known}", verb.name)
    })
}

/// Checks the codes given to `--ignore`: a mistyped code would silently ignore nothing.
///
/// # Errors
/// The first unknown one, and the nearest known one.
pub fn ignored(arguments: &Arguments) -> Result<(), String> {
    if let Some(unknown) = arguments
        .values("ignore")
        .find(|name| Code::ALL.iter().all(|code| code.name() != *name))
    {
        let help = match closest(unknown, Code::ALL.iter().map(|code| code.name())) {
            Some(code) => format!("did you mean `{code}`?"),
            None => "`claimkit codes` lists them".to_owned(),
        };
        return Err(format!(
            "`--ignore {unknown}`: there is no such code; {help}"
        ));
    }
    Ok(())
}

/// Checks options that require or exclude each other.
fn agree(arguments: &Arguments) -> Result<(), String> {
    let verb = arguments.verb.name;
    if arguments.has("show-settings") {
        return Ok(());
    }
    let selector = verb == "evaluate" && arguments.has("selector");
    if arguments.verb.operands == "FILE…" && arguments.operands.is_empty() && !selector {
        return Err(format!(
            "`{verb}` needs a file, a folder, or `-` for standard input"
        ));
    }
    if selector && !arguments.operands.is_empty() {
        return Err(
            "`--selector` is evaluated in place of manifests: leave the files away".to_owned(),
        );
    }
    if verb == "evaluate" && !arguments.has("nodes") {
        return Err(
            "`evaluate` needs Nodes: `--nodes FILE`, as `kubectl get nodes -o json` prints them"
                .to_owned(),
        );
    }
    if verb == "schema" && arguments.operands.len() > 1 {
        return Err("`schema` takes one kind, or none for all".to_owned());
    }
    if verb == "convert" {
        if !arguments.has("to") {
            return Err("`convert` needs `--to VERSION`, for example `--to v1`".to_owned());
        }
        if arguments.has("in-place") && (arguments.has("diff") || arguments.has("check")) {
            return Err(
                "`--in-place` writes files: it does not go with `--diff` or `--check`".to_owned(),
            );
        }
        if ["in-place", "diff", "check"]
            .iter()
            .any(|way| arguments.has(way))
            && arguments.value("output") == Some("json")
        {
            return Err("`--output json` prints answers: it does not go with `--in-place`, `--diff` or `--check`".to_owned());
        }
        if arguments.has("in-place") && arguments.operands.iter().any(|file| file == "-") {
            return Err("standard input cannot be changed in place".to_owned());
        }
    }
    if verb == "completion" && arguments.operands.len() != 1 {
        return Err(
            "`completion` needs the name of a shell: `bash`, `zsh`, `fish` or `powershell`"
                .to_owned(),
        );
    }
    ignored(arguments)?;
    if verb == "validate" {
        let fixes = arguments.has("fix");
        if !fixes && (arguments.has("unsafe-fixes") || arguments.has("diff")) {
            return Err("`--unsafe-fixes` and `--diff` go with `--fix`".to_owned());
        }
        if fixes && !arguments.has("diff") && arguments.operands.iter().any(|file| file == "-") {
            return Err(
                "standard input cannot be changed: write `--fix --diff` to see the fixes"
                    .to_owned(),
            );
        }
        let update = matches!(
            arguments.value("operation"),
            Some("update" | "update-status")
        );
        if update && !arguments.has("old") {
            return Err("an update needs the stored objects: `--old FILE`".to_owned());
        }
        if arguments.value("operation") == Some("create") && arguments.has("old") {
            return Err("`--old` goes with `--operation update` or `update-status`".to_owned());
        }
    }
    let stdin = arguments
        .operands
        .iter()
        .map(String::as_str)
        .chain(arguments.values("nodes"))
        .chain(arguments.values("old"))
        .chain(arguments.values("device"))
        .chain(arguments.values("selector"));
    if stdin.filter(|file| *file == "-").count() > 1 {
        return Err("standard input (`-`) can be read only once".to_owned());
    }
    Ok(())
}

fn names() -> String {
    list(VERBS.iter().map(|verb| verb.name))
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Finds the one of some names that is nearly `name`: at most a third of its letters differ.
fn closest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let most = name.chars().count().checked_div(3).unwrap_or(0).max(1);
    let near = names
        .map(|known| (nearest::distance(name, known), known))
        .filter(|(distance, _)| *distance <= most);
    if name.is_empty() {
        None
    } else {
        near.min().map(|(_, known)| known)
    }
}
