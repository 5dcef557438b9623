//! The help, written from the tables.

use super::options::{CommandVerb, Opt, Takes, VERBS};

/// Column at which descriptions wrap.
const WIDTH: usize = 100;

/// Returns the help of one verb, or of the program.
pub fn text(verb: Option<&CommandVerb>) -> String {
    match verb {
        Some(verb) => of_verb(verb),
        None => of_program(),
    }
}

fn of_program() -> String {
    let mut text = String::from(
        "Reads, validates, converts and places Kubernetes Dynamic Resource Allocation manifests (resource.k8s.io)\n\
         exactly as kubectl, kube-apiserver and kube-scheduler do.\n\n\
         Usage: claimkit VERB [OPTION…] [FILE…]\n\nVerbs:\n",
    );
    for verb in VERBS {
        row(&mut text, verb.name, verb.about);
    }
    text.push_str(
        "\nA FILE is YAML or JSON. `-` is standard input. Folders are searched for *.yaml, *.yml and *.json.\n\
         Exit codes: 0 no errors; 1 findings; 2 unusable command line, unreadable file, or nothing to check.\n\
         `claimkit VERB --help` lists the options of a verb.\n",
    );
    text
}

fn of_verb(verb: &CommandVerb) -> String {
    let mut text = format!("{}.\n\nUsage: claimkit {}", verb.about, verb.name);
    for part in [
        if verb.options.is_empty() {
            ""
        } else {
            "[OPTION…]"
        },
        verb.operands,
    ] {
        if !part.is_empty() {
            text.push(' ');
            text.push_str(part);
        }
    }
    text.push('\n');
    if !verb.options.is_empty() {
        text.push_str("\nOptions:\n");
    }
    for option in verb.options {
        row(&mut text, &spelling(option), &about(option));
    }
    text
}

fn spelling(option: &Opt) -> String {
    let short = option
        .short
        .map(|letter| format!("-{letter}, "))
        .unwrap_or_default();
    let value = match option.takes {
        Takes::Nothing => String::new(),
        Takes::Text(what) => format!(" {what}"),
        Takes::OneOf(_) => " WORD".to_owned(),
    };
    format!("{short}--{}{value}", option.name)
}

fn about(option: &Opt) -> String {
    let mut about = option.about.to_owned();
    if let Takes::OneOf(words) = option.takes {
        about.push_str(&format!(" [{}]", words.join(", ")));
    }
    if !option.also.is_empty() {
        let also: Vec<String> = option.also.iter().map(|name| format!("--{name}")).collect();
        about.push_str(&format!("; also {}", also.join(", ")));
    }
    about
}

/// Writes one name with its description, wrapped beside it.
fn row(text: &mut String, name: &str, about: &str) {
    const INDENT: usize = 30;
    text.push_str(&format!("  {name:<26}  "));
    let mut column = INDENT.max(name.chars().count().saturating_add(4));
    let mut first = true;
    for word in about.split(' ') {
        let width = word.chars().count();
        if !first && column.saturating_add(width).saturating_add(1) > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(INDENT));
            column = INDENT;
            first = true;
        }
        if !first {
            text.push(' ');
            column = column.saturating_add(1);
        }
        text.push_str(word);
        column = column.saturating_add(width);
        first = false;
    }
    text.push('\n');
}
