//! `claimkit.toml`: settings of a project, found in the folder where the command runs or above it.

use crate::host::Host;
use crate::options::{GateArgs, LabelArgs, Verb};
use crate::values::{KnownCode, merged};
use claimkit::language_server::settings::FileSettings;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the file.
pub const NAME: &str = "claimkit.toml";

/// Maximum size of the file.
pub const MOST: usize = 1 << 20;

/// The settings of the file. Options on the command line take precedence.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSettings {
    /// The Kubernetes release, as `--release` takes it.
    release: Option<String>,
    /// Feature gates over the release's defaults, as `--gates` takes them.
    #[serde(default)]
    gates: BTreeMap<String, bool>,
    /// Labels of the request's namespace, as `--namespace-labels` takes them.
    #[serde(default, rename = "namespace-labels")]
    namespace_labels: BTreeMap<String, String>,
    /// Codes of findings to leave out, in addition to `--ignore`.
    #[serde(default)]
    ignore: Vec<String>,
    /// Paths to skip, in addition to `--exclude`.
    #[serde(default)]
    exclude: Vec<String>,
    /// The path of the file.
    #[serde(skip)]
    found: Option<String>,
}

impl CommandSettings {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| described(&error, text))
    }

    /// Reads the nearest file, if there is one.
    ///
    /// # Errors
    /// What is wrong with it, in one line that names it.
    pub fn find(host: &mut dyn Host) -> Result<Self, String> {
        let Some(folder) = host.folder() else {
            return Ok(CommandSettings::default());
        };
        let mut folder = Some(folder.as_str());
        while let Some(here) = folder {
            let path = format!("{}/{NAME}", here.trim_end_matches('/'));
            if let Ok(bytes) = host.read(&path, MOST) {
                let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
                let read =
                    CommandSettings::read(&text).map_err(|error| format!("{path}: {error}"))?;
                return Ok(CommandSettings {
                    found: Some(path),
                    ..read
                });
            }
            folder = here
                .rsplit_once(['/', '\\'])
                .map(|(above, _)| above)
                .filter(|_| here != "/");
        }
        Ok(CommandSettings::default())
    }

    /// Reads the file of a folder that has one. Its patterns of paths count from the folder.
    ///
    /// # Errors
    /// What is wrong with it, in one line that names it.
    pub fn of_folder(folder: &str, host: &mut dyn Host) -> Result<Self, String> {
        let path = format!("{folder}/{NAME}");
        let bytes = host
            .read(&path, MOST)
            .map_err(|problem| format!("{path}: {problem}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
        let read = CommandSettings::read(&text).map_err(|error| format!("{path}: {error}"))?;
        let folder = folder.strip_prefix("./").unwrap_or(folder);
        Ok(CommandSettings {
            exclude: read
                .exclude
                .iter()
                .map(|pattern| format!("{folder}/{pattern}"))
                .collect(),
            found: Some(path),
            ..read
        })
    }

    /// Returns the settings as the language server takes them.
    pub fn of_editor(self) -> FileSettings {
        FileSettings {
            release: self.release,
            gates: self.gates,
            namespace_labels: self.namespace_labels,
            ignore: self.ignore,
            exclude: self.exclude,
        }
    }

    /// Returns the patterns of paths that are left out.
    pub fn excluded(&self) -> &[String] {
        &self.exclude
    }

    /// Fills in options that the command line does not set.
    ///
    /// # Errors
    /// A code that does not exist.
    pub fn settle(&self, options: &mut ProjectOptions<'_>) -> Result<(), String> {
        if let Some(exclude) = &mut options.exclude {
            exclude.extend(self.exclude.iter().cloned());
        }
        if let Some(ignore) = &mut options.ignore {
            for name in &self.ignore {
                let code = name
                    .parse::<KnownCode>()
                    .map_err(|problem| format!("`ignore`: `{name}`: {problem}"))?;
                ignore.push(code);
            }
        }
        // A running cluster says these itself.
        if options.is_live {
            return Ok(());
        }
        if let Some(release) = &mut options.release
            && release.is_none()
        {
            **release = self.release.clone();
        }
        if let Some(gates) = &mut options.gates {
            let given = gates.gates().unwrap_or_default();
            let mut rest = self.gates.clone();
            rest.retain(|name, _| !given.contains_key(name));
            if !rest.is_empty() {
                gates.lists.get_or_insert_default().push(rest.into());
            }
        }
        if let Some(labels) = &mut options.labels {
            let given = labels.labels().unwrap_or_default();
            let mut rest = self.namespace_labels.clone();
            rest.retain(|key, _| !given.contains_key(key));
            if !rest.is_empty() {
                labels
                    .namespace_labels
                    .get_or_insert_default()
                    .push(rest.into());
            }
        }
        Ok(())
    }

    /// Returns the settings in force, in the format of the file.
    pub fn printed(&self, options: &ProjectOptions<'_>) -> String {
        let mut text = match &self.found {
            Some(path) => format!("# {path}, and the command line\n"),
            None => format!("# no {NAME} in this folder or above it; the command line\n"),
        };
        match options.release.as_deref().and_then(Option::as_deref) {
            Some(release) => text.push_str(&format!("release = {release:?}\n")),
            None => text.push_str("# release: the last one that serves each object's version\n"),
        }
        let gates = merged(
            options
                .gates
                .as_deref()
                .map(GateArgs::lists)
                .unwrap_or_default(),
        );
        let labels = options.labels.as_deref();
        let labels: Vec<(String, Value)> = merged(labels.map(LabelArgs::lists).unwrap_or_default())
            .into_iter()
            .map(|(key, value)| (key, Value::from(value)))
            .collect();
        text.push_str(&format!(
            "gates = {}\nnamespace-labels = {}\n",
            inline_table(&gates),
            inline_table(&labels)
        ));
        let ignored = options.ignore.iter().flat_map(|codes| codes.iter());
        let excluded = options.exclude.iter().flat_map(|paths| paths.iter());
        text.push_str(&format!(
            "ignore = [{}]\nexclude = [{}]\n",
            quoted(ignored.map(|code| code.0.name())),
            quoted(excluded.map(String::as_str))
        ));
        text
    }
}

/// Returns what is wrong with a text in one line.
fn described(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().replace('\n', "; ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    let line = before.matches('\n').count().saturating_add(1);
    let start = before.rsplit('\n').next().unwrap_or_default();
    let column = start.chars().count().saturating_add(1);
    format!("{message} at line {line} column {column}")
}

fn quoted<'a>(items: impl Iterator<Item = &'a str>) -> String {
    items
        .map(|item| format!("{item:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns pairs as an inline table.
fn inline_table<T: std::fmt::Display>(pairs: &[(String, T)]) -> String {
    let entries: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{key:?} = {value}"))
        .collect();
    if entries.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", entries.join(", "))
    }
}

/// The options of a verb that the settings of a project can fill in; `None` is an option that the verb does not have.
#[derive(Debug, Default)]
pub struct ProjectOptions<'a> {
    pub exclude: Option<&'a mut Vec<String>>,
    pub ignore: Option<&'a mut Vec<KnownCode>>,
    pub release: Option<&'a mut Option<String>>,
    pub gates: Option<&'a mut GateArgs>,
    pub labels: Option<&'a mut LabelArgs>,
    /// Whether a running cluster says release, gates and labels.
    pub is_live: bool,
    /// Whether the settings are printed and nothing else is done.
    pub is_shown: bool,
}

impl<'a> ProjectOptions<'a> {
    /// Returns the options of a verb.
    pub fn of(verb: &'a mut Verb) -> Self {
        match verb {
            Verb::Validate(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                ignore: Some(&mut args.findings.ignore),
                release: Some(&mut args.release),
                gates: Some(&mut args.gates),
                labels: Some(&mut args.labels),
                is_live: args.live,
                is_shown: args.show_settings,
            },
            Verb::Convert(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                ignore: Some(&mut args.findings.ignore),
                release: Some(&mut args.release),
                is_shown: args.show_settings,
                ..ProjectOptions::default()
            },
            Verb::Evaluate(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                ignore: Some(&mut args.findings.ignore),
                release: Some(&mut args.release),
                is_shown: args.show_settings,
                ..ProjectOptions::default()
            },
            Verb::Patch(args) => ProjectOptions {
                release: Some(&mut args.release),
                gates: Some(&mut args.gates),
                labels: Some(&mut args.labels),
                ..ProjectOptions::default()
            },
            Verb::Allocate(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                release: Some(&mut args.release),
                gates: Some(&mut args.gates),
                labels: Some(&mut args.labels),
                is_shown: args.show_settings,
                ..ProjectOptions::default()
            },
            Verb::Audit(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                ignore: Some(&mut args.findings.ignore),
                release: Some(&mut args.release),
                gates: Some(&mut args.gates),
                is_live: args.live,
                is_shown: args.show_settings,
                ..ProjectOptions::default()
            },
            Verb::Cel(args) => ProjectOptions {
                release: Some(&mut args.release),
                gates: Some(&mut args.gates),
                ..ProjectOptions::default()
            },
            Verb::Parse(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                ignore: Some(&mut args.findings.ignore),
                release: Some(&mut args.release),
                is_shown: args.show_settings,
                ..ProjectOptions::default()
            },
            Verb::Admit(args) => ProjectOptions {
                exclude: Some(&mut args.files.exclude),
                labels: Some(&mut args.labels),
                ..ProjectOptions::default()
            },
            Verb::Schema(args) => ProjectOptions {
                release: Some(&mut args.release),
                ..ProjectOptions::default()
            },
            Verb::Why(_)
            | Verb::Snapshot(_)
            | Verb::Policy(_)
            | Verb::Batch
            | Verb::Lsp(_)
            | Verb::Completion(_)
            | Verb::Codes(_)
            | Verb::Releases(_) => ProjectOptions::default(),
        }
    }
}
