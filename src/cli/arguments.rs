//! What can be typed: one table of verbs and options, from which reading and help both come.

use lexopt::{Arg, Parser};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// Any text, called so in the help.
    Text(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// An option.
#[derive(Debug)]
pub struct Opt {
    /// Its name without the dashes.
    pub name: &'static str,
    /// Its one-letter form.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
    /// Whether it may be given more than once.
    pub many: bool,
    /// What it does.
    pub about: &'static str,
}

/// A verb.
#[derive(Debug)]
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What its operands are called in the help; empty if it takes none.
    pub operands: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The options it takes, besides `--help`.
    pub options: &'static [&'static Opt],
}

const fn opt(name: &'static str, short: Option<char>, takes: Takes, about: &'static str) -> Opt {
    Opt { name, short, takes, many: false, about }
}

static RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release that answers: 1.26 to 1.30, or with a patch, 1.26.1; default: the last that serves each object's version",
);
static OUTPUT: Opt =
    opt("output", Some('o'), Takes::OneOf(&["text", "json", "sarif", "github", "junit"]), "form of the output; default: text");
static OUTPUT_PLAIN: Opt = opt("output", Some('o'), Takes::OneOf(&["text", "json"]), "form of the output; default: text");
static OUTPUT_TABLE: Opt = opt(
    "output",
    Some('o'),
    Takes::OneOf(&["text", "wide", "json"]),
    "form of the output; wide is a table with the scheduler's own words; default: text",
);
static COLOR: Opt = opt(
    "color",
    None,
    Takes::OneOf(&["auto", "always", "never"]),
    "whether text output has colours; default: auto, on a terminal only",
);
static FIELD_VALIDATION: Opt = opt(
    "field-validation",
    None,
    Takes::OneOf(&["strict", "warn", "ignore"]),
    "what unknown and duplicate fields are; default: strict, as kubectl",
);
static REMARKS: Opt = opt("remarks", None, Takes::Nothing, "show what is worth knowing too, not only errors and warnings");
static OPERATION: Opt = opt(
    "operation",
    None,
    Takes::OneOf(&["create", "update", "update-status"]),
    "what is asked of the server; default: create, or update with --old",
);
static OLD: Opt = opt("old", None, Takes::Text("FILE"), "the objects as they are stored now");
static VIA: Opt = opt(
    "via",
    None,
    Takes::OneOf(&["kubectl", "validator"]),
    "kubectl: what a person submitting the file meets; validator: the server's functions on exactly these objects; default: kubectl",
);
static NAMESPACE: Opt = opt("namespace", Some('n'), Takes::Text("NAMESPACE"), "namespace of the request; default: default");
static TO: Opt = opt("to", None, Takes::Text("VERSION"), "version to convert to: v1alpha1 or v1alpha2");
static ALLOW_LOSS: Opt = opt("allow-loss", None, Takes::Nothing, "convert although fields are lost; the losses are listed");
static DROP_SERVER_FIELDS: Opt =
    opt("drop-server-fields", None, Takes::Nothing, "take fields of metadata out that only the server and kubectl apply write");
static IN_PLACE: Opt = opt("in-place", Some('i'), Takes::Nothing, "write the converted text back to the files");
static DIFF: Opt = opt("diff", None, Takes::Nothing, "print what would change as a unified diff");
static CHECK: Opt = opt("check", None, Takes::Nothing, "print the files that would change, and end with 1 if there are any");
static NODES: Opt = Opt {
    name: "nodes",
    short: None,
    takes: Takes::Text("FILE"),
    many: true,
    about: "Nodes, as kubectl get nodes -o json or -o yaml prints them; may be given more than once",
};
static NODE: Opt = Opt {
    name: "node",
    short: None,
    takes: Takes::Text("NAME"),
    many: true,
    about: "explain this node in full and show no other; may be given more than once",
};
static SELECTOR: Opt = opt("selector", None, Takes::Text("FILE"), "evaluate this bare NodeSelector instead of manifests");
static LOCALE: Opt = opt("locale", None, Takes::OneOf(&["en", "zh-Hans"]), "language of our own sentences; default: en");
static SETTINGS: Opt = opt("settings", None, Takes::Text("FILE"), "settings of the policy, YAML or JSON; default: none");
static RAW: Opt =
    opt("raw", None, Takes::Nothing, "print the JSON value that kubectl makes of the first YAML document, nothing more");
static LABEL_SELECTOR: Opt =
    opt("label-selector", Some('l'), Takes::Text("SELECTOR"), "print only objects with these labels, as kubectl get -l");
static FIELD_SELECTOR: Opt =
    opt("field-selector", None, Takes::Text("SELECTOR"), "print only objects with these fields, as kubectl get --field-selector");
static TYPE: Opt = opt(
    "type",
    None,
    Takes::OneOf(&["json", "merge", "strategic", "apply"]),
    "how the patch is read; default: strategic, as kubectl",
);
static SUBRESOURCE: Opt = opt("subresource", None, Takes::OneOf(&["status"]), "patch the status");
static FIELD_MANAGER: Opt =
    opt("field-manager", None, Takes::Text("NAME"), "who writes, as managedFields tells it; needed for --type apply");
static FORCE_CONFLICTS: Opt = opt("force-conflicts", None, Takes::Nothing, "apply takes fields over from other managers");
static TIME: Opt = opt("time", None, Takes::Text("TIME"), "when, for managedFields: 2024-01-31T12:00:00Z");
static CHANGES: Opt =
    opt("changes", None, Takes::Nothing, "print what differs from the stored object, as a JSON patch, in place of the object");

/// Every verb.
pub static VERBS: &[Verb] = &[
    Verb {
        name: "validate",
        operands: "FILE…",
        about: "Say what kubectl and kube-apiserver answer to manifests",
        options: &[&RELEASE, &OUTPUT, &COLOR, &REMARKS, &FIELD_VALIDATION, &OPERATION, &OLD, &VIA, &NAMESPACE],
    },
    Verb {
        name: "convert",
        operands: "FILE…",
        about: "Convert manifests to another API version, touching only what must change",
        options: &[&TO, &ALLOW_LOSS, &DROP_SERVER_FIELDS, &IN_PLACE, &DIFF, &CHECK, &RELEASE, &OUTPUT_PLAIN, &COLOR, &REMARKS],
    },
    Verb {
        name: "evaluate",
        operands: "FILE…",
        about: "Say on which nodes the claims of manifests can be used, and why not on the others",
        options: &[&NODES, &NODE, &SELECTOR, &RELEASE, &OUTPUT_TABLE, &COLOR, &REMARKS],
    },
    Verb {
        name: "patch",
        operands: "OLD PATCH",
        about: "Print what a stored object becomes by a patch, and say whether the server would take it",
        options: &[
            &TYPE,
            &SUBRESOURCE,
            &FIELD_MANAGER,
            &FORCE_CONFLICTS,
            &TIME,
            &CHANGES,
            &RELEASE,
            &FIELD_VALIDATION,
            &OUTPUT_PLAIN,
            &COLOR,
            &REMARKS,
        ],
    },
    Verb {
        name: "parse",
        operands: "FILE…",
        about: "Print objects as the server holds them after decoding and defaulting",
        options: &[&LABEL_SELECTOR, &FIELD_SELECTOR, &NAMESPACE, &RELEASE, &OUTPUT, &COLOR, &REMARKS, &FIELD_VALIDATION, &RAW],
    },
    Verb {
        name: "admit",
        operands: "FILE…",
        about: "Say what the admission policy answers to AdmissionRequests in JSON",
        options: &[&SETTINGS],
    },
    Verb {
        name: "batch",
        operands: "",
        about: "Answer one JSON request per line of standard input with one JSON line each",
        options: &[],
    },
    Verb {
        name: "schema",
        operands: "[KIND]",
        about: "Print the JSON Schema of a kind, or of all kinds of a release",
        options: &[&RELEASE, &LOCALE],
    },
    Verb { name: "codes", operands: "[CODE…]", about: "List the codes of findings", options: &[&OUTPUT_PLAIN, &LOCALE] },
    Verb {
        name: "releases",
        operands: "",
        about: "List the Kubernetes releases that are followed",
        options: &[&OUTPUT_PLAIN, &LOCALE],
    },
];

/// A command line that was understood.
#[derive(Debug)]
pub enum Parsed {
    /// Print the help, of one verb or of all.
    Help(Option<&'static Verb>),
    /// Print the version.
    Version,
    /// Do something.
    Run(Arguments),
}

/// A verb with what was given to it.
#[derive(Debug)]
pub struct Arguments {
    /// The verb.
    pub verb: &'static Verb,
    /// Files, folders, `-`, or a verb's other operands.
    pub operands: Vec<String>,
    given: Vec<(&'static str, String)>,
}

impl Arguments {
    /// The value of an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().rev().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// The values of an option that may be given more than once.
    pub fn values<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.given.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// What is wrong with it, and what to write instead, in one line.
pub fn parse(typed: &[String]) -> Result<Parsed, String> {
    let mut parser = Parser::from_args(typed);
    let mut verb: Option<&'static Verb> = None;
    let mut operands = Vec::new();
    let mut given: Vec<(&'static str, String)> = Vec::new();
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Arg::Value(value) => {
                let value = value.to_string_lossy().into_owned();
                match verb {
                    None => verb = Some(find(&value)?),
                    Some(verb) if verb.operands.is_empty() => return Err(format!("`{}` takes no `{value}`", verb.name)),
                    Some(_) => operands.push(value),
                }
                continue;
            }
            Arg::Long("help") | Arg::Short('h') => return Ok(Parsed::Help(verb)),
            Arg::Long("version") | Arg::Short('V') if verb.is_none() => return Ok(Parsed::Version),
            Arg::Long(name) => format!("--{name}"),
            Arg::Short(letter) => format!("-{letter}"),
        };
        let Some(verb) = verb else {
            return Err(format!("`{name}` stands before the verb; write the verb first: {}", names()));
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
        given.push((option.name, value));
    }
    let Some(verb) = verb else {
        return Err(format!("say what to do: {}; `claimkit --help` tells more", names()));
    };
    let arguments = Arguments { verb, operands, given };
    agree(&arguments)?;
    Ok(Parsed::Run(arguments))
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
    Err(format!("`--{} {value}` is unknown; write one of {}", option.name, list(words.iter().copied())))
}

fn find(name: &str) -> Result<&'static Verb, String> {
    VERBS.iter().find(|verb| verb.name == name).ok_or_else(|| format!("unknown verb `{name}`; write one of {}", names()))
}

fn option(verb: &'static Verb, name: &str) -> Result<&'static Opt, String> {
    let wanted = |option: &&&'static Opt| {
        name.strip_prefix("--").map_or_else(
            || option.short.is_some_and(|letter| name.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter]))),
            |long| option.name == long,
        )
    };
    verb.options.iter().find(wanted).copied().ok_or_else(|| {
        let known = verb.options.iter().map(|option| format!("--{}", option.name)).collect::<Vec<_>>();
        let known = if known.is_empty() {
            "it takes no options".to_owned()
        } else {
            format!("it takes {}", list(known.iter().map(String::as_str)))
        };
        format!("unknown option `{name}` for `{}`; {known}", verb.name)
    })
}

/// Options that must, or must not, stand together.
fn agree(arguments: &Arguments) -> Result<(), String> {
    let verb = arguments.verb.name;
    let selector = verb == "evaluate" && arguments.has("selector");
    if arguments.verb.operands == "FILE…" && arguments.operands.is_empty() && !selector {
        return Err(format!("`{verb}` needs a file, a folder, or `-` for standard input"));
    }
    if selector && !arguments.operands.is_empty() {
        return Err("`--selector` is evaluated in place of manifests: leave the files away".to_owned());
    }
    if verb == "evaluate" && !arguments.has("nodes") {
        return Err("`evaluate` needs Nodes: `--nodes FILE`, as `kubectl get nodes -o json` prints them".to_owned());
    }
    if verb == "schema" && arguments.operands.len() > 1 {
        return Err("`schema` takes one kind, or none for all".to_owned());
    }
    if verb == "convert" {
        if !arguments.has("to") {
            return Err("`convert` needs `--to v1alpha1` or `--to v1alpha2`".to_owned());
        }
        let ways = ["in-place", "diff", "check"].iter().filter(|way| arguments.has(way)).count();
        if ways > 1 {
            return Err("`--in-place`, `--diff` and `--check` exclude each other".to_owned());
        }
        if ways == 1 && arguments.value("output") == Some("json") {
            return Err("`--output json` prints answers: it does not go with `--in-place`, `--diff` or `--check`".to_owned());
        }
        if arguments.has("in-place") && arguments.operands.iter().any(|file| file == "-") {
            return Err("standard input cannot be changed in place".to_owned());
        }
    }
    if verb == "validate" {
        let update = matches!(arguments.value("operation"), Some("update" | "update-status"));
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
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
