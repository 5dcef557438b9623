//! A host of files in memory.

use claimkit_cli::{EntryKind, Exit, FolderEntry, Host, run};
use std::collections::BTreeMap;

/// Files by path, and what was printed.
#[derive(Default)]
pub struct Files {
    pub files: BTreeMap<String, Vec<u8>>,
    /// Paths among them that cannot be read.
    pub unreadable: Vec<String>,
    pub out: String,
    pub err: String,
}

impl Files {
    /// Makes a host of texts by path.
    pub fn of(texts: &[(&str, &str)]) -> Self {
        let texts = texts.iter();
        Files {
            files: texts
                .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
                .collect(),
            ..Files::default()
        }
    }

    /// Runs a command line, whose words have no spaces.
    pub fn run(&mut self, line: &str) -> Exit {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        run(&words, self)
    }
}

impl Host for Files {
    fn read(&mut self, path: &str, _most: usize) -> Result<Vec<u8>, String> {
        let path = path.strip_prefix("/repository/").unwrap_or(path);
        if self.unreadable.iter().any(|unreadable| unreadable == path) {
            return Err("permission denied".to_owned());
        }
        let bytes = self.files.get(path).cloned();
        bytes.ok_or_else(|| "no such file or folder".to_owned())
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut entries: Vec<FolderEntry> = Vec::new();
        for file in self.files.keys() {
            let Some(rest) = file.strip_prefix(&format!("{path}/")) else {
                continue;
            };
            let (name, kind) = rest
                .split_once('/')
                .map_or((rest, EntryKind::File), |(name, _)| {
                    (name, EntryKind::Folder)
                });
            if !entries.iter().any(|entry| entry.name == name) {
                entries.push(FolderEntry {
                    name: name.to_owned(),
                    kind,
                });
            }
        }
        Ok((!entries.is_empty()).then_some(entries))
    }

    fn folder(&self) -> Option<String> {
        Some("/repository".to_owned())
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}
