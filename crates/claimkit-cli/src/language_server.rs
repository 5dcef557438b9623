//! `lsp`: what the language server of the library needs of the command, its reader of `claimkit.toml` and its patterns of paths. The
//! hosts that carry messages and read files are `src/lsp.rs` and, for Wasm, `pkg/server`.

use crate::files;
use crate::settings::CommandSettings;
use claimkit::language_server::Hooks;
use claimkit::language_server::settings::FileSettings;

/// Returns the hooks of a server; a host that has sentences adds them. `version`: what the server gives as its own.
pub fn hooks(version: String) -> Hooks {
    Hooks {
        version,
        read_settings,
        is_excluded: files::is_excluded,
        sentences: Box::new(|_| None),
        begins: Box::new(|_| {}),
    }
}

fn read_settings(text: &str) -> Result<FileSettings, String> {
    CommandSettings::read(text).map(CommandSettings::of_editor)
}
