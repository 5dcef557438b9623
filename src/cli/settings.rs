//! `claimkit.toml`: settings of a project, found in the folder where the command runs or above it.

use super::arguments::Arguments;
use super::{Host, pairs};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The name of the file.
pub const NAME: &str = "claimkit.toml";

/// What the file may say. Options on the command line come before it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
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
    /// Where the file was found.
    #[serde(skip)]
    found: Option<String>,
}

impl Settings {
    /// Reads the nearest file, if there is one.
    ///
    /// # Errors
    /// What is wrong with it, in one line that names it.
    pub fn find(host: &mut dyn Host) -> Result<Self, String> {
        const MOST: usize = 1 << 20;
        let Some(folder) = host.folder() else { return Ok(Settings::default()) };
        let mut folder = Some(folder.as_str());
        while let Some(here) = folder {
            let path = format!("{}/{NAME}", here.trim_end_matches('/'));
            if let Ok(bytes) = host.read(&path, MOST) {
                let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
                let read: Settings = basic_toml::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
                return Ok(Settings { found: Some(path), ..read });
            }
            folder = here.rsplit_once(['/', '\\']).map(|(above, _)| above).filter(|_| here != "/");
        }
        Ok(Settings::default())
    }

    /// Fills in what was not said on the command line.
    pub fn settle(&self, arguments: &mut Arguments) {
        if let Some(release) = &self.release {
            arguments.settle("release", release);
        }
        // Errors of the command line are reported when it is read.
        let given = |read: Result<Option<Map<String, Value>>, String>| read.ok().flatten().unwrap_or_default();
        let (gates, labels) = (given(pairs::read_gates(arguments)), given(pairs::read_labels(arguments)));
        for (name, on) in self.gates.iter().filter(|(name, _)| !gates.contains_key(*name)) {
            arguments.add("gates", &format!("{name}={on}"));
        }
        for (key, value) in self.namespace_labels.iter().filter(|(key, _)| !labels.contains_key(*key)) {
            arguments.add("namespace-labels", &format!("{key}={value}"));
        }
        for (option, values) in [("ignore", &self.ignore), ("exclude", &self.exclude)] {
            values.iter().for_each(|value| arguments.add(option, value));
        }
    }

    /// The settings in force, in the format of the file.
    ///
    /// # Errors
    /// A gate or a label that cannot be read.
    pub fn shown(&self, arguments: &Arguments) -> Result<String, String> {
        let table = |map: Option<Map<String, Value>>| {
            let map = map.unwrap_or_default();
            let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key:?} = {value}")).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        };
        let list = |option| arguments.values(option).map(|item| format!("{item:?}")).collect::<Vec<_>>().join(", ");
        let mut text = match &self.found {
            Some(path) => format!("# {path}, and the command line\n"),
            None => format!("# no {NAME} in this folder or above it; the command line\n"),
        };
        match arguments.value("release") {
            Some(release) => text.push_str(&format!("release = {release:?}\n")),
            None => text.push_str("# release: the last one that serves each object's version\n"),
        }
        text.push_str(&format!("gates = {}\n", table(pairs::read_gates(arguments)?)));
        text.push_str(&format!("namespace-labels = {}\n", table(pairs::read_labels(arguments)?)));
        text.push_str(&format!("ignore = [{}]\n", list("ignore")));
        text.push_str(&format!("exclude = [{}]\n", list("exclude")));
        Ok(text)
    }
}
