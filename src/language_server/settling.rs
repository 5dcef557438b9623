//! By what a document is judged: settings, language and cluster.

use super::protocol::{Diagnostic, DiagnosticSeverity, Range};
use super::settings::{NAME, Settings, SettingsFile, line_of, world_of};
use super::{Failure, LanguageServer, Result, shape, uri};
use crate::editor::sentences::Sentences;
use crate::requests::sources::NamedText;
use claimkit_model::message;
use claimkit_model::schema::Release;
use serde_json::Value;

/// The code of findings that only the server has: what could not be judged, and a setting that cannot be used.
const NOT_JUDGED: &str = "not-judged";

/// Makes a finding of the server itself.
pub fn placed(range: Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: DiagnosticSeverity::Warning,
        code: NOT_JUDGED,
        code_description: None,
        source: "claimkit",
        message,
        tags: Vec::new(),
        data: None,
        related_information: Vec::new(),
    }
}

/// Returns the final release that stands in for an unknown one.
fn newest() -> String {
    format!("1.{}", Release::latest().minor)
}

fn unknown_release(release: &str) -> String {
    format!(
        "`release`: Kubernetes `{release}` is not known: judged by {}, the newest that is",
        newest()
    )
}

impl LanguageServer {
    /// Returns the settings of a document; says once what is wrong with them, and finds the clusters that new texts belong to.
    pub(super) fn settings_of(&mut self, uri: &str) -> Result<Settings> {
        let mut settings = self.read_settings(uri)?;
        self.speak(&settings.locale);
        if let Some(problem) = settings.problem() {
            self.warn_once(format!("claimkit: {problem}"));
        }
        self.replace_unknown_release(&mut settings);
        self.place()?;
        Ok(settings)
    }

    fn read_settings(&mut self, uri: &str) -> Result<Settings> {
        let file = self.nearest_settings(uri)?;
        Ok(Settings::of(file.as_ref(), &self.client))
    }

    /// Returns the nearest settings file of a document.
    fn nearest_settings(&mut self, uri: &str) -> Result<Option<SettingsFile>> {
        for folder in uri::folders(uri) {
            if !self.settings_files.contains_key(folder) {
                let file = self.read_settings_file(folder)?;
                self.settings_files.insert(folder.to_owned(), file);
            }
            if let Some(Some(file)) = self.settings_files.get(folder) {
                return Ok(Some(file.clone()));
            }
        }
        Ok(None)
    }

    fn read_settings_file(&mut self, folder: &str) -> Result<Option<SettingsFile>> {
        let uri = format!("{folder}/{NAME}");
        let Some(text) = self.file(&uri)? else {
            return Ok(None);
        };
        let (settings, problem) = match (self.hooks.read_settings)(&text) {
            Ok(settings) => (settings, None),
            Err(problem) => (Default::default(), Some(problem)),
        };
        Ok(Some(SettingsFile {
            uri,
            folder: folder.to_owned(),
            text,
            settings,
            problem,
        }))
    }

    /// Finds the clusters that new texts belong to.
    fn place(&mut self) -> Result<()> {
        let mut waits = false;
        for uri in self.project.unplaced() {
            match self.read_settings(&uri) {
                Ok(settings) => {
                    let world = world_of(&uri, settings.folder(), &self.roots);
                    let is_excluded = self.is_excluded(&uri, &settings);
                    self.project.place(&uri, world, is_excluded);
                }
                Err(_) => waits = true,
            }
        }
        match waits {
            true => Err(Failure::Waits),
            false => Ok(()),
        }
    }

    /// Returns true if the settings leave a document out.
    pub(super) fn is_excluded(&self, uri: &str, settings: &Settings) -> bool {
        !settings.exclude.is_empty()
            && (self.hooks.is_excluded)(&settings.path_of(uri, &self.roots), &settings.exclude)
    }

    /// Puts the newest release in the place of one that is not known, with one finding on the setting.
    fn replace_unknown_release(&mut self, settings: &mut Settings) {
        let release = settings.release.as_ref();
        let unknown = release
            .filter(|release| Release::parse(release).is_none())
            .cloned();
        let file = settings
            .file
            .as_ref()
            .filter(|_| !settings.release_of_client);
        if let Some(file) = file {
            self.publish_unknown_release(file, unknown.as_deref());
        } else if let Some(release) = &unknown {
            self.warn_once(format!("claimkit: {}", unknown_release(release)));
        }
        if unknown.is_some() {
            settings.release = Some(newest());
        }
    }

    /// Publishes that a settings file has a release that is not known, or no longer has one.
    fn publish_unknown_release(&mut self, file: &SettingsFile, unknown: Option<&str>) {
        if self.unknown_releases.get(&file.uri).map(String::as_str) == unknown {
            return;
        }
        let finding =
            unknown.map(|release| placed(line_of(&file.text, "release"), unknown_release(release)));
        let found: Vec<Diagnostic> = finding.into_iter().collect();
        self.publish(&file.uri, None, &shape(found));
        let uri = file.uri.clone();
        match unknown {
            Some(release) => self.unknown_releases.insert(uri, release.to_owned()),
            None => self.unknown_releases.remove(&uri),
        };
    }

    /// Sets the language of answers; English where the host has no sentences of another.
    pub(super) fn speak(&mut self, locale: &str) {
        if self.spoken == locale {
            return;
        }
        let sentences = self.sentences_of(locale);
        if sentences.is_none() && locale != "en" {
            self.warn_once(format!("claimkit: the sentences of {locale} are not here"));
        }
        let translated = sentences.filter(|_| locale != "en");
        locale.clone_into(&mut self.spoken);
        message::speak(translated.map(|sentences| sentences.messages()));
    }

    /// Returns the sentences of a locale, if the host has them.
    pub(super) fn sentences_of(&mut self, locale: &str) -> Option<Sentences> {
        if !self.sentences.contains_key(locale) {
            let sentences = (self.hooks.sentences)(locale);
            self.sentences.insert(locale.to_owned(), sentences);
        }
        self.sentences.get(locale).cloned().flatten()
    }

    /// Returns the other texts of a document's cluster, with names relative to their root.
    pub(super) fn named_beside(&self, uri: &str, settings: &Settings) -> Vec<NamedText> {
        let others = self.project.beside(uri, settings.scope());
        let named = others.iter().map(|other| NamedText {
            name: uri::relative(&other.uri, self.roots.iter().map(String::as_str)),
            text: other.text.clone(),
            ..NamedText::default()
        });
        named.collect()
    }

    /// Publishes what is found in a document.
    pub(super) fn publish(&mut self, uri: &str, version: Option<i64>, diagnostics: &Value) {
        let mut params = serde_json::json!({"uri": uri, "diagnostics": diagnostics});
        if let Some(version) = version {
            super::answers::set(&mut params, "version", version.into());
        }
        self.notify("textDocument/publishDiagnostics", &params);
    }
}
