//! `claimkit.toml`: settings of a project, found in the folder where the command runs or above it.

use super::Host;
use super::arguments::Arguments;
use super::pairs::{self, Pairs};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the file.
pub const NAME: &str = "claimkit.toml";

/// The settings of the file. Options on the command line take precedence.
#[derive(Debug, Default, Deserialize)]
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
        basic_toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Reads the nearest file, if there is one.
    ///
    /// # Errors
    /// What is wrong with it, in one line that names it.
    pub fn find(host: &mut dyn Host) -> Result<Self, String> {
        const MOST: usize = 1 << 20;
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

    /// Fills in options that the command line does not set.
    pub fn settle(&self, arguments: &mut Arguments) {
        for (option, values) in [("ignore", &self.ignore), ("exclude", &self.exclude)] {
            values.iter().for_each(|value| arguments.add(option, value));
        }
        // A running cluster says these itself.
        if arguments.has("live") {
            return;
        }
        if let Some(release) = &self.release {
            arguments.settle("release", release);
        }
        // Errors of the command line are reported when it is read.
        let gates = pairs::read_gates(arguments)
            .ok()
            .flatten()
            .unwrap_or_default();
        let labels = pairs::read_labels(arguments)
            .ok()
            .flatten()
            .unwrap_or_default();
        for (name, on) in self
            .gates
            .iter()
            .filter(|(name, _)| gates.iter().all(|(given, _)| given != *name))
        {
            arguments.add("gates", &format!("{name}={on}"));
        }
        for (key, value) in self
            .namespace_labels
            .iter()
            .filter(|(key, _)| labels.iter().all(|(given, _)| given != *key))
        {
            arguments.add("namespace-labels", &format!("{key}={value}"));
        }
    }

    /// Prints the settings in force, in the format of the file.
    ///
    /// # Errors
    /// A gate or a label that cannot be read.
    pub fn shown(&self, arguments: &Arguments) -> Result<String, String> {
        let list = |option| {
            arguments
                .values(option)
                .map(|item| format!("{item:?}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut text = match &self.found {
            Some(path) => format!("# {path}, and the command line\n"),
            None => format!("# no {NAME} in this folder or above it; the command line\n"),
        };
        match arguments.value("release") {
            Some(release) => text.push_str(&format!("release = {release:?}\n")),
            None => text.push_str("# release: the last one that serves each object's version\n"),
        }
        text.push_str(&format!(
            "gates = {}\n",
            table(pairs::read_gates(arguments)?, bool::to_string)
        ));
        text.push_str(&format!(
            "namespace-labels = {}\n",
            table(pairs::read_labels(arguments)?, |value| Value::from(
                value.as_str()
            )
            .to_string())
        ));
        text.push_str(&format!("ignore = [{}]\n", list("ignore")));
        text.push_str(&format!("exclude = [{}]\n", list("exclude")));
        Ok(text)
    }
}

/// Returns pairs as an inline table.
fn table<T>(pairs: Pairs<T>, value: impl Fn(&T) -> String) -> String {
    let entries = pairs
        .iter()
        .flatten()
        .map(|(key, item)| format!("{key:?} = {}", value(item)));
    let entries = entries.collect::<Vec<_>>().join(", ");
    if entries.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {entries} }}")
    }
}
