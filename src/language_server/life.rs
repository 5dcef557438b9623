//! The start of a server, and the settings of its client.

use super::protocol::InitializeParams;
use super::settings::{ClientSettings, NAME, unknown_names};
use super::{LanguageServer, PATIENCE, Purpose, Reason, Result, Stage, actions, uri};
use serde_json::{Value, json};

/// MessageType
const ERROR: u8 = 1;
const WARNING: u8 = 2;

impl LanguageServer {
    pub(super) fn initialize(&mut self, params: InitializeParams) -> Result<Value> {
        self.unsaved.initialize = Some(json!({
            "capabilities": params.capabilities,
            "initializationOptions": params.initialization_options,
        }));
        let roots = match (params.workspace_folders, params.root_uri) {
            (Some(folders), _) => folders.into_iter().map(|folder| folder.uri).collect(),
            (None, root) => root.into_iter().collect::<Vec<_>>(),
        };
        self.start(params.capabilities, &params.initialization_options);
        self.set_roots(roots.iter().map(|root| uri::trimmed(root)).collect());
        if self.can(&["workspace", "configuration"]) {
            self.settled_at = Some(self.now.saturating_add(PATIENCE));
        }
        Ok(json!({
            "serverInfo": {"name": "claimkit", "version": self.hooks.version},
            "capabilities": {
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "completionProvider": {
                    "triggerCharacters": [" ", ":", "-", ".", "\"", "'", "/", "[", "{"],
                },
                "codeActionProvider": {"codeActionKinds": actions::KINDS},
                "documentSymbolProvider": {"label": "claimkit"},
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentLinkProvider": {},
                "foldingRangeProvider": true,
                "workspaceSymbolProvider": true,
                "renameProvider": {"prepareProvider": true},
                "codeLensProvider": {},
                "inlayHintProvider": true,
                "workspace": {
                    "workspaceFolders": {"supported": true, "changeNotifications": true},
                },
            },
        }))
    }

    /// Takes what the client can do and its options.
    pub(super) fn start(&mut self, capabilities: Value, options: &Value) {
        self.stage = Stage::Running;
        self.capabilities = capabilities;
        let has_commands = options.get("commands").and_then(Value::as_bool);
        self.has_commands = has_commands.unwrap_or_default();
        let settings = options.get("settings").filter(|given| !given.is_null());
        self.take_settings(settings.unwrap_or(options));
    }

    pub(super) fn set_roots(&mut self, roots: Vec<String>) {
        self.unsaved.roots = Some(roots.clone());
        self.roots = roots;
    }

    pub(super) fn initialized(&mut self) {
        if self.can(&["workspace", "didChangeConfiguration", "dynamicRegistration"]) {
            self.register(
                "workspace/didChangeConfiguration",
                &json!({"section": "claimkit"}),
            );
        }
        if self.can(&["workspace", "didChangeWatchedFiles", "dynamicRegistration"]) {
            let patterns = [
                &format!("**/{NAME}"),
                "**/*.yaml",
                "**/*.yml",
                "**/*.json",
                "**/Kustomization",
            ];
            let watchers = patterns.map(|pattern| json!({"globPattern": pattern}));
            self.register(
                "workspace/didChangeWatchedFiles",
                &json!({"watchers": watchers}),
            );
        }
        if self.can(&["workspace", "configuration"]) {
            self.pull_settings(Reason::Start);
        }
        self.load();
    }

    fn register(&mut self, method: &str, options: &Value) {
        let registration = json!({"id": method, "method": method, "registerOptions": options});
        self.ask(
            "client/registerCapability",
            &json!({"registrations": [registration]}),
            Purpose::Nothing,
        );
    }

    fn pull_settings(&mut self, reason: Reason) {
        self.ask(
            "workspace/configuration",
            &json!({"items": [{"section": "claimkit"}]}),
            Purpose::Configuration(reason),
        );
    }

    pub(super) fn take_configuration(&mut self, reason: Reason, result: Option<Value>) {
        if let Some(result) = result {
            self.take_settings(result.get(0).unwrap_or(&Value::Null));
        }
        match reason {
            Reason::Start => self.settled_at = None,
            Reason::Change => {
                self.warned = None;
                self.later_all();
            }
        }
    }

    pub(super) fn settings_changed(&mut self, params: &Value) {
        if self.can(&["workspace", "configuration"]) {
            return self.pull_settings(Reason::Change);
        }
        let given = params
            .get("settings")
            .and_then(|settings| settings.get("claimkit"));
        self.take_settings(given.unwrap_or(&Value::Null));
        self.warned = None;
        self.later_all();
    }

    /// Takes the client's settings; unknown ones are named.
    pub(super) fn take_settings(&mut self, given: &Value) {
        self.unsaved.settings = Some(given.clone());
        self.client = ClientSettings::read(given);
        let unknown: Vec<String> = unknown_names(given)
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        if !unknown.is_empty() {
            self.warn(&format!("claimkit: unknown setting {}", unknown.join(", ")));
        }
        self.project.unplace();
    }

    /// Shows a warning.
    pub(super) fn warn(&mut self, message: &str) {
        self.notify(
            "window/showMessage",
            &json!({"type": WARNING, "message": message}),
        );
    }

    /// Shows a warning unless it was the last one.
    pub(super) fn warn_once(&mut self, message: String) {
        if self.warned.as_ref() != Some(&message) {
            self.warn(&message);
            self.warned = Some(message);
        }
    }

    /// Writes an error to the client's log.
    pub(super) fn log(&mut self, message: &str) {
        self.notify(
            "window/logMessage",
            &json!({"type": ERROR, "message": message}),
        );
    }

    /// Asks the client to ask for lenses and hints again.
    pub(super) fn refresh(&mut self) {
        for what in ["codeLens", "inlayHint"] {
            if self.can(&["workspace", what, "refreshSupport"]) {
                let method = format!("workspace/{what}/refresh");
                self.ask(&method, &Value::Null, Purpose::Nothing);
            }
        }
    }
}
