//! `completion`: scripts that complete verbs, options and their words in a shell, written from the tables.

use super::options::{CommandVerb, Opt, Takes, VERBS};

/// Returns the script for a shell; `None` if there is none for it.
pub fn script(shell: &str) -> Option<String> {
    match shell {
        "bash" => Some(bash()),
        "zsh" => Some(zsh()),
        "fish" => Some(fish()),
        "powershell" => Some(powershell()),
        _ => None,
    }
}

fn verbs() -> String {
    VERBS
        .iter()
        .map(|verb| verb.name)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the options of a verb in one line: `--release -r --output …`.
fn spellings(verb: &CommandVerb) -> String {
    let each = verb.options.iter().flat_map(|option| {
        let short = option.short.map(|letter| format!("-{letter}"));
        let also = option.also.iter().map(|name| format!("--{name}"));
        [format!("--{}", option.name)]
            .into_iter()
            .chain(short)
            .chain(also)
    });
    each.chain(["--help".to_owned()])
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the options of a verb that take one of some words, and the words.
fn words(verb: &CommandVerb) -> impl Iterator<Item = (&'static Opt, String)> {
    verb.options.iter().filter_map(|option| match option.takes {
        Takes::OneOf(words) => Some((*option, words.join(" "))),
        _ => None,
    })
}

fn bash() -> String {
    let mut text = format!(
        "# claimkit completion bash: save it where bash looks for completions, or source it.\n\
         _claimkit() {{\n  local verb=${{COMP_WORDS[1]}} word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n  COMPREPLY=()\n\
         \x20 if (( COMP_CWORD == 1 )); then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; fi\n  case $verb in\n",
        verbs()
    );
    for verb in VERBS {
        text.push_str(&format!("  {})\n    case $before in\n", verb.name));
        for (option, words) in words(verb) {
            let short = option
                .short
                .map(|letter| format!("|-{letter}"))
                .unwrap_or_default();
            text.push_str(&format!(
                "    --{}{short}) COMPREPLY=($(compgen -W \"{words}\" -- \"$word\")); return ;;\n",
                option.name
            ));
        }
        text.push_str(&format!(
            "    esac\n    if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; fi ;;\n",
            spellings(verb)
        ));
    }
    text.push_str("  esac\n  COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _claimkit claimkit\n");
    text
}

/// Writes a description as zsh takes it inside single quotes and brackets.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if matches!(c, '\'' | '[' | ']' | ':' | '`') {
                ' '
            } else {
                c
            }
        })
        .collect()
}

fn zsh() -> String {
    let mut text = String::from(
        "#compdef claimkit\n# claimkit completion zsh: save it as _claimkit in a folder of $fpath.\n_claimkit() {\n  local -a verbs\n  verbs=(\n",
    );
    for verb in VERBS {
        text.push_str(&format!("    '{}:{}'\n", verb.name, plain(verb.about)));
    }
    text.push_str("  )\n  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n  case $words[2] in\n");
    for verb in VERBS {
        text.push_str(&format!("  {}) _arguments", verb.name));
        for option in verb.options {
            let value = match option.takes {
                Takes::Nothing => String::new(),
                Takes::Text(what) => format!(":{what}:_files"),
                Takes::OneOf(words) => format!(":word:({})", words.join(" ")),
            };
            for name in [option.name].iter().chain(option.also) {
                text.push_str(&format!(" '--{name}[{}]{value}'", plain(option.about)));
            }
        }
        text.push_str(" '*:file:_files' ;;\n");
    }
    text.push_str("  esac\n}\n_claimkit \"$@\"\n");
    text
}

fn fish() -> String {
    let mut text = String::from(
        "# claimkit completion fish: save it as ~/.config/fish/completions/claimkit.fish\n",
    );
    for verb in VERBS {
        text.push_str(&format!(
            "complete -c claimkit -n __fish_use_subcommand -f -a {} -d '{}'\n",
            verb.name,
            verb.about.replace('\'', "\\'")
        ));
        for option in verb.options {
            let short = option
                .short
                .map(|letter| format!(" -s {letter}"))
                .unwrap_or_default();
            let value = match option.takes {
                Takes::Nothing => String::new(),
                Takes::Text(_) => " -r".to_owned(),
                Takes::OneOf(words) => format!(" -x -a '{}'", words.join(" ")),
            };
            let also: String = option
                .also
                .iter()
                .map(|name| format!(" -l {name}"))
                .collect();
            text.push_str(&format!(
                "complete -c claimkit -n '__fish_seen_subcommand_from {}' -l {}{also}{short}{value} -d '{}'\n",
                verb.name,
                option.name,
                option.about.replace('\'', "\\'")
            ));
        }
    }
    text
}

fn powershell() -> String {
    let quoted = |words: &str| {
        words
            .split(' ')
            .map(|word| format!("'{word}'"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = String::from(
        "# claimkit completion powershell: add it to $PROFILE.\n\
         Register-ArgumentCompleter -Native -CommandName claimkit -ScriptBlock {\n  param($word, $command, $position)\n\
         \x20 $typed = @($command.CommandElements | ForEach-Object { $_.ToString() })\n  $options = @{\n",
    );
    for verb in VERBS {
        text.push_str(&format!(
            "    '{}' = @({})\n",
            verb.name,
            quoted(&spellings(verb))
        ));
    }
    text.push_str(&format!(
        "  }}\n  $verb = if ($typed.Count -gt 1) {{ $typed[1] }} else {{ '' }}\n\
         \x20 $known = if ($options.ContainsKey($verb) -and -not ($typed.Count -eq 2 -and $word)) {{ $options[$verb] }} else {{ @({}) }}\n\
         \x20 $known | Where-Object {{ $_ -like \"$word*\" }} | ForEach-Object {{ [System.Management.Automation.CompletionResult]::new($_) }}\n}}\n",
        quoted(&verbs())
    ));
    text
}
