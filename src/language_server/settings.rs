//! The settings by which a document is judged: `claimkit.toml` beside the file or in a folder above it, and the client's settings,
//! which come before it, as options of the command line do.

use super::project::Scope;
use super::protocol::{Position, Range};
use super::uri;
use crate::editor::sentences::LOCALES;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the file.
pub const NAME: &str = "claimkit.toml";

/// The settings of a file, which the host reads: the core has no TOML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSettings {
    /// The Kubernetes release that judges.
    pub release: Option<String>,
    /// Feature gates over the release's defaults.
    pub gates: BTreeMap<String, bool>,
    /// Labels of the request's namespace.
    pub namespace_labels: BTreeMap<String, String>,
    /// Codes of findings to leave out.
    pub ignore: Vec<String>,
    /// Patterns of paths to pass over.
    pub exclude: Vec<String>,
}

/// The client's settings. Those that cannot be used, and empty ones, are `None`.
#[derive(Clone, Debug, Default)]
pub struct ClientSettings {
    release: Option<String>,
    gates: Option<BTreeMap<String, bool>>,
    namespace_labels: Option<BTreeMap<String, String>>,
    ignore: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    remarks: Option<bool>,
    locale: Option<String>,
    code_pages: Option<String>,
    workspace: Option<bool>,
    lenses: Option<bool>,
    inlay_hints: Option<bool>,
}

/// The names of the client's settings.
const NAMES: [&str; 11] = [
    "release",
    "gates",
    "namespaceLabels",
    "ignore",
    "exclude",
    "remarks",
    "locale",
    "codePages",
    "workspace",
    "lenses",
    "inlayHints",
];

/// Settings of clients that are not the server's.
const OTHERS: [&str; 5] = ["playground", "trace", "server", "enable", "commands"];

/// Returns the names of the client's settings that do not exist.
pub fn unknown_names(given: &Value) -> Vec<&str> {
    let names = given.as_object().into_iter().flat_map(|given| given.keys());
    names
        .map(String::as_str)
        .filter(|name| !NAMES.contains(name) && !OTHERS.contains(name))
        .collect()
}

impl ClientSettings {
    /// Reads what can be used of the client's settings.
    pub fn read(given: &Value) -> Self {
        let text = |name| usable::<String>(given, name).filter(|text| !text.is_empty());
        ClientSettings {
            release: text("release"),
            gates: usable(given, "gates"),
            namespace_labels: usable(given, "namespaceLabels"),
            ignore: usable(given, "ignore"),
            exclude: usable(given, "exclude"),
            remarks: usable(given, "remarks"),
            locale: text("locale").filter(|name| LOCALES.contains(&name.as_str())),
            code_pages: text("codePages"),
            workspace: usable(given, "workspace"),
            lenses: usable(given, "lenses"),
            inlay_hints: usable(given, "inlayHints"),
        }
    }
}

fn usable<'g, T: Deserialize<'g>>(given: &'g Value, name: &str) -> Option<T> {
    T::deserialize(given.get(name)?).ok()
}

/// A settings file that was read.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    pub uri: String,
    pub folder: String,
    pub text: String,
    pub settings: FileSettings,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// All settings of a document.
#[derive(Clone, Debug)]
pub struct Settings {
    pub release: Option<String>,
    pub gates: BTreeMap<String, bool>,
    /// `None`: not known.
    pub namespace_labels: Option<BTreeMap<String, String>>,
    pub ignore: Vec<String>,
    pub exclude: Vec<String>,
    /// Whether remarks are shown.
    pub remarks: bool,
    pub locale: String,
    /// Where the pages of codes are.
    pub code_pages: Option<String>,
    /// Whether files that are not open count.
    pub workspace: bool,
    pub lenses: bool,
    /// `None`: where the client has no lenses.
    pub inlay_hints: Option<bool>,
    /// The nearest file.
    pub file: Option<SettingsFile>,
    /// Whether the client says the release.
    pub release_of_client: bool,
}

impl Settings {
    /// Joins the settings of the nearest file with those of the client.
    pub fn of(file: Option<&SettingsFile>, client: &ClientSettings) -> Self {
        let own = file.map(|file| file.settings.clone()).unwrap_or_default();
        let mut gates = own.gates;
        gates.extend(client.gates.clone().unwrap_or_default());
        Settings {
            release: client.release.clone().or(own.release),
            gates,
            namespace_labels: labels(own.namespace_labels, client.namespace_labels.as_ref()),
            ignore: joined(own.ignore, client.ignore.as_deref()),
            exclude: joined(own.exclude, client.exclude.as_deref()),
            remarks: client.remarks.unwrap_or(false),
            locale: client.locale.clone().unwrap_or_else(|| "en".to_owned()),
            code_pages: client.code_pages.clone(),
            workspace: client.workspace.unwrap_or(true),
            lenses: client.lenses.unwrap_or(true),
            inlay_hints: client.inlay_hints,
            file: file.cloned(),
            release_of_client: client.release.is_some(),
        }
    }

    /// Returns which files count beside a document.
    pub fn scope(&self) -> Scope {
        Scope::of(self.workspace)
    }

    /// Returns the folder of the nearest file.
    pub fn folder(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.folder.as_str())
    }

    /// Returns why the nearest file cannot be used, with its address.
    pub fn problem(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let problem = file.problem.as_ref()?;
        Some(format!("{}: {problem}", file.uri))
    }

    /// Returns the release if it may be asked about devices.
    pub fn release_of_devices(&self) -> Option<String> {
        let minor = |release: &str| release.split('.').nth(1)?.parse::<u32>().ok();
        self.release
            .clone()
            .filter(|release| minor(release).is_some_and(|minor| minor >= 31))
    }

    /// Returns the path of a document for patterns of `exclude`: relative to the folder of the settings or of the workspace.
    pub fn path_of(&self, document: &str, roots: &[String]) -> String {
        let bases = self.folder().into_iter();
        uri::relative(document, bases.chain(roots.iter().map(String::as_str)))
    }
}

fn joined(mut own: Vec<String>, client: Option<&[String]>) -> Vec<String> {
    own.extend_from_slice(client.unwrap_or_default());
    own
}

fn labels(
    own: BTreeMap<String, String>,
    client: Option<&BTreeMap<String, String>>,
) -> Option<BTreeMap<String, String>> {
    if own.is_empty() {
        return client.cloned();
    }
    let mut labels = own;
    labels.extend(client.cloned().unwrap_or_default());
    Some(labels)
}

/// Returns the world of a document, the folder whose files are of one cluster: that of its settings if it is inside its root, or its root.
pub fn world_of(document: &str, folder: Option<&str>, roots: &[String]) -> String {
    let around = roots.iter().filter(|root| uri::is_inside(document, root));
    let Some(root) = around.max_by_key(|root| root.len()) else {
        return match (folder, roots) {
            (Some(folder), _) => folder.to_owned(),
            // What is in no folder, such as a text without a file, is with the only one.
            (None, [only]) => only.clone(),
            (None, _) => String::new(),
        };
    };
    match folder {
        Some(folder) if uri::is_inside(folder, root) => folder.to_owned(),
        _ => root.clone(),
    }
}

/// Returns the line of a file that sets a key, or its first line.
pub fn line_of(text: &str, key: &str) -> Range {
    let mut lines = text.lines().enumerate();
    let found = lines.find(|(_, line)| line.trim_start().starts_with(key));
    let (line, content) = found
        .or_else(|| text.lines().enumerate().next())
        .unwrap_or_default();
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let place = |character| Position { line, character };
    let end = u32::try_from(content.encode_utf16().count()).unwrap_or(u32::MAX);
    Range {
        start: place(0),
        end: place(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_used_of_the_clients_settings_is_left_out() {
        let given = json!({
            "release": "", "gates": {"A": 1}, "ignore": ["x"], "remarks": true, "locale": "fr", "relase": 1, "trace": {},
        });
        let client = ClientSettings::read(&given);
        assert_eq!(
            (client.release, client.gates, client.locale),
            (None, None, None)
        );
        assert_eq!(
            (client.ignore, client.remarks),
            (Some(vec!["x".to_owned()]), Some(true))
        );
        assert_eq!(unknown_names(&given), ["relase"]);
        assert!(unknown_names(&json!(5)).is_empty());
    }

    #[test]
    fn a_folder_with_settings_is_a_cluster() {
        let roots = ["file:///p".to_owned(), "file:///p/q".to_owned()];
        let world = |document, folder| world_of(document, folder, &roots);
        assert_eq!(world("file:///p/q/a.yaml", None), "file:///p/q");
        assert_eq!(
            world("file:///p/b/a.yaml", Some("file:///p/b")),
            "file:///p/b"
        );
        // Settings of the root, or above it, make no cluster of their own.
        assert_eq!(world("file:///p/a.yaml", Some("file:///p")), "file:///p");
        assert_eq!(world("file:///p/a.yaml", Some("file:///")), "file:///p");
        assert_eq!(world("untitled:1", None), "");
        assert_eq!(world_of("untitled:1", None, &roots[..1]), "file:///p");
    }

    #[test]
    fn the_line_of_a_key_is_found() {
        let range = line_of("# é😀\n release = 1\n", "release");
        assert_eq!((range.start.line, range.end.character), (1, 12));
        assert_eq!(line_of("# é😀", "release").end.character, 5);
        assert_eq!(line_of("", "release"), Range::default());
    }
}
