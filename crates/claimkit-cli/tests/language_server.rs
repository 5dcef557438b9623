//! The language server by its messages: conversations of an editor that has files in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "tests fail loudly, and read their own data"
)]

use claimkit::language_server::{Hooks, LanguageServer, Outcome, Work};
use claimkit_cli::language_server;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn hooks() -> Hooks {
    Hooks {
        sentences: Box::new(claimkit::editor::locale::sentences),
        ..language_server::hooks("0".to_owned())
    }
}

/// An editor with its server.
struct Editor {
    server: LanguageServer,
    now: u64,
    wake: Option<u64>,
    exit: Option<u8>,
    files: BTreeMap<String, String>,
    /// Requests for files that are not answered yet.
    asked: Vec<Value>,
    answers_files: bool,
    /// What the server has sent, without requests for files.
    sent: Vec<Value>,
    next_id: u64,
}

impl Editor {
    fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        Editor {
            server: LanguageServer::new(hooks()),
            now: 0,
            wake: None,
            exit: None,
            files: files
                .map(|(name, text)| (uri(name), (*text).to_owned()))
                .collect(),
            asked: Vec::new(),
            answers_files: true,
            sent: Vec::new(),
            next_id: 0,
        }
    }

    fn started(files: &[(&str, &str)]) -> Self {
        Editor::with(files, json!({}))
    }

    fn with(files: &[(&str, &str)], capabilities: Value) -> Self {
        let mut editor = Editor::new(files);
        let mut capabilities = capabilities;
        let code_action = capabilities["textDocument"]["codeAction"].clone();
        capabilities["textDocument"] = json!({
            "publishDiagnostics": {"relatedInformation": true},
            "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
            "codeLens": {},
            "codeAction": code_action,
        });
        editor.ask(
            "initialize",
            json!({"capabilities": capabilities, "rootUri": uri("")}),
        );
        editor.tell("initialized", json!({}));
        editor
    }

    fn take(&mut self, outcome: Outcome) {
        (self.wake, self.exit) = (outcome.wake, outcome.exit);
        for message in outcome.messages {
            match message["method"].as_str() {
                Some("claimkit/read" | "claimkit/manifests") => self.asked.push(message),
                _ => self.sent.push(message),
            }
        }
        if self.answers_files {
            self.answer_files();
        }
    }

    fn answer_files(&mut self) {
        while !self.asked.is_empty() {
            let request = self.asked.remove(0);
            let params = &request["params"];
            let result = match request["method"].as_str() {
                Some("claimkit/read") => {
                    json!({"text": self.files.get(params["uri"].as_str().unwrap())})
                }
                _ => {
                    let is_manifest = |uri: &&String| uri.ends_with(".yaml");
                    self.files.keys().filter(is_manifest).cloned().collect()
                }
            };
            self.send(&json!({"id": request["id"], "result": result}));
        }
    }

    fn send(&mut self, message: &Value) {
        let outcome = self.server.receive(&message.to_string(), self.now);
        self.take(outcome);
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks, and gives the whole answer, if there is one already.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer_to(id)
    }

    fn answer_to(&self, id: u64) -> Value {
        let found = self
            .sent
            .iter()
            .find(|message| message["id"] == id && message.get("method").is_none());
        found.cloned().unwrap_or_default()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert_eq!(answer.get("error"), None, "{answer}");
        answer["result"].clone()
    }

    fn open(&mut self, name: &str, text: &str) {
        let document = json!({"uri": uri(name), "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, name: &str, version: u64, changes: Value) {
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri(name), "version": version}, "contentChanges": changes}),
        );
    }

    /// Lets time pass.
    fn wait(&mut self, time: u64) {
        let end = self.now + time;
        while let Some(wake) = self.wake.filter(|wake| *wake <= end) {
            self.now = self.now.max(wake);
            let outcome = self.server.wake(self.now);
            self.take(outcome);
        }
        self.now = end;
    }

    fn published(&self, name: &str) -> Option<&Value> {
        let mut sent = self.sent.iter().rev();
        let last = sent.find(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri(name)
        });
        last.map(|message| &message["params"])
    }

    /// The codes of the last diagnostics of a document.
    fn codes(&self, name: &str) -> Vec<String> {
        let published = self.published(name).expect("diagnostics");
        let found = published["diagnostics"].as_array().unwrap();
        let code = |one: &Value| one["code"].as_str().unwrap().to_owned();
        found.iter().map(code).collect()
    }

    fn warnings(&self) -> Vec<&str> {
        let sent = self.sent.iter();
        sent.filter(|message| message["method"] == "window/showMessage")
            .filter_map(|message| message["params"]["message"].as_str())
            .collect()
    }
}

fn uri(name: &str) -> String {
    format!("file:///p/{name}").trim_end_matches('/').to_owned()
}

fn at(name: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": uri(name)}, "position": {"line": line, "character": character}})
}

const CLAIM: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        allocationMod: All
";

const CLASS: &str = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
spec:
  selectors:
  - cel: {expression: 'device.driver == \"gpu.example.com\"'}
";

const SLICE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}, {name: b}]
";

#[test]
fn a_document_is_judged_after_it_has_changed() {
    let mut editor = Editor::started(&[]);
    editor.open("a.yaml", CLAIM);
    assert!(editor.published("a.yaml").is_none());
    editor.wait(0);
    assert_eq!(editor.codes("a.yaml"), ["unknown-field"]);
    let place = json!({"line": 9, "character": 21});
    let change = json!({"range": {"start": place, "end": place}, "text": "e"});
    editor.change("a.yaml", 2, json!([change]));
    editor.wait(149);
    assert_eq!(editor.published("a.yaml").unwrap()["version"], 1);
    editor.wait(1);
    assert_eq!(editor.published("a.yaml").unwrap()["version"], 2);
    assert_eq!(editor.codes("a.yaml"), Vec::<String>::new());
    editor.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri("a.yaml")}}),
    );
    assert!(editor.published("a.yaml").unwrap().get("version").is_none());
}

#[test]
fn settings_come_from_the_nearest_file_and_the_client() {
    let class = CLASS.replace("gpu.example.com", "a");
    let files = [(
        "claimkit.toml",
        "release = \"1.33\"\nexclude = [\"old/**\"]",
    )];
    let mut editor = Editor::started(&files);
    editor.open("in/a.yaml", &class);
    editor.open("old/a.yaml", &class);
    editor.wait(200);
    assert_eq!(editor.codes("in/a.yaml"), ["unknown-kind"]);
    assert_eq!(editor.codes("old/a.yaml"), Vec::<String>::new());
    let settings = json!({"settings": {"claimkit": {"release": "1.34", "relase": 1}}});
    editor.tell("workspace/didChangeConfiguration", settings);
    editor.wait(200);
    assert_eq!(editor.codes("in/a.yaml"), Vec::<String>::new());
    assert_eq!(editor.warnings(), ["claimkit: unknown setting `relase`"]);
    // A file that cannot be used is named.
    editor.files.insert(uri("claimkit.toml"), "x".to_owned());
    let changes = json!({"changes": [{"uri": uri("claimkit.toml"), "type": 2}]});
    editor.tell("workspace/didChangeWatchedFiles", changes);
    editor.wait(200);
    let problem =
        "claimkit: file:///p/claimkit.toml: key with no value, expected `=` at line 1 column 2";
    assert!(
        editor.warnings().contains(&problem),
        "{:?}",
        editor.warnings()
    );
}

#[test]
fn an_unknown_release_and_gates_that_there_are_not_are_said() {
    let files = [("claimkit.toml", "release = \"1.99\"")];
    let mut editor = Editor::started(&files);
    editor.open("a.yaml", CLAIM);
    editor.wait(0);
    assert_eq!(editor.codes("a.yaml"), ["unknown-field"]);
    assert_eq!(editor.codes("claimkit.toml"), ["not-judged"]);
    let settings =
        json!({"settings": {"claimkit": {"release": "1.34", "gates": {"Nothing": true}}}});
    editor.tell("workspace/didChangeConfiguration", settings);
    editor.wait(200);
    assert_eq!(editor.codes("a.yaml"), ["not-judged", "unknown-field"]);
}

#[test]
fn findings_wait_for_the_clients_settings_but_not_forever() {
    let capabilities = json!({"workspace": {"configuration": true}});
    for is_answered in [true, false] {
        let mut editor = Editor::with(&[], capabilities.clone());
        editor.open("a.yaml", &CLASS.replace("gpu.example.com", "a"));
        editor.wait(1000);
        assert!(editor.published("a.yaml").is_none());
        let mut sent = editor.sent.iter();
        let asked = sent.find(|message| message["method"] == "workspace/configuration");
        let id = asked.unwrap()["id"].clone();
        if is_answered {
            editor.send(&json!({"id": id, "result": [{"release": "1.33"}]}));
            editor.wait(0);
            assert_eq!(editor.codes("a.yaml"), ["unknown-kind"]);
        } else {
            editor.wait(1000);
            assert_eq!(editor.codes("a.yaml"), Vec::<String>::new());
        }
    }
}

#[test]
fn a_message_waits_for_files_and_those_behind_it_wait() {
    let mut editor = Editor::started(&[("claimkit.toml", "release = \"1.33\"")]);
    editor.answers_files = false;
    editor.open("a.yaml", CLAIM);
    let hover = editor.request("textDocument/hover", at("a.yaml", 1, 1));
    let symbols = editor.request(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": uri("a.yaml")}}),
    );
    assert_eq!((hover, symbols), (Value::Null, Value::Null));
    let hover = editor.next_id - 1;
    editor.tell("$/cancelRequest", json!({"id": hover}));
    assert_eq!(editor.answer_to(hover)["error"]["code"], -32800);
    editor.answer_files();
    assert!(editor.answer_to(hover + 1)["result"].is_array());
    // A client that does not answer has no files.
    let mut editor = Editor::started(&[]);
    editor.answers_files = false;
    editor.open("a.yaml", CLAIM);
    for _ in 0..5 {
        editor.wait(10_000);
    }
    assert_eq!(editor.codes("a.yaml"), ["unknown-field"]);
    // One that answers with an error has none either.
    editor.open("b.yaml", CLAIM);
    while !editor.asked.is_empty() {
        let request = editor.asked.remove(0);
        editor.send(&json!({"id": request["id"], "error": {"code": -32601, "message": "no"}}));
    }
    editor.wait(500);
    assert!(editor.published("b.yaml").is_some());
}

#[test]
fn a_folder_with_settings_is_a_cluster_of_its_own() {
    let files = [
        ("prod/claimkit.toml", ""),
        ("prod/class.yaml", CLASS),
        ("dev/claimkit.toml", ""),
        ("dev/class.yaml", CLASS),
        ("prod/claim.yaml", &CLAIM.replace("Mod:", "Mode:")),
    ];
    let mut editor = Editor::started(&files);
    let found = editor.ask("textDocument/definition", at("prod/claim.yaml", 8, 30));
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["uri"], uri("prod/class.yaml"));
    let mut params = at("prod/class.yaml", 3, 10);
    params["newName"] = json!("other");
    let renamed = editor.ask("textDocument/rename", params.clone());
    let changed: Vec<&String> = renamed["changes"].as_object().unwrap().keys().collect();
    assert_eq!(changed, [&uri("prod/claim.yaml"), &uri("prod/class.yaml")]);
    params["newName"] = json!("Not a name");
    let refused = editor.request("textDocument/rename", params);
    assert_eq!(refused["error"]["code"], -32602);
    let symbols = editor.ask("workspace/symbol", json!({"query": "GPU"}));
    assert_eq!(symbols.as_array().unwrap().len(), 2);
}

/// The text of a hover.
fn hover(editor: &mut Editor, name: &str, line: u32, character: u32) -> String {
    let answer = editor.ask("textDocument/hover", at(name, line, character));
    let text = answer["contents"]["value"].as_str();
    text.unwrap_or_default().to_owned()
}

#[test]
fn hover_on_a_name_says_where_the_object_is_and_what_it_selects() {
    let of_other = SLICE
        .replace("gpu.example.com", "nic.example.com")
        .replace("name: s", "name: t");
    let all = CLASS.replace("name: gpu.example.com", "name: all");
    let all = all.split("spec:").next().unwrap().to_owned() + "spec: {}\n";
    let both = CLASS.replace("name: gpu.example.com", "name: both")
        + "  - cel: {expression: 'device.driver == \"nic.example.com\"'}\n";
    let files = [
        ("dir/class.yaml", &*format!("{all}---\n{CLASS}---\n{both}")),
        ("slice.yaml", SLICE),
        ("other.yaml", &of_other),
        ("claim.yaml", CLAIM),
    ];
    let mut editor = Editor::started(&files);
    editor.open("a.yaml", &CLAIM.replace("name: a", "name: b"));
    let class = uri("dir/class.yaml");
    let said = hover(&mut editor, "a.yaml", 8, 30);
    let (name, field) = said.split_once("\n\n---\n\n").expect("a field");
    assert_eq!(
        name,
        format!(
            "DeviceClass `gpu.example.com` in [`dir/class.yaml`](<{class}#L10,9>): selects 2 of 4 devices"
        )
    );
    assert!(field.contains("deviceClassName"), "{field}");
    // Of a class itself, without selectors, and with several: all must be true.
    editor.open("dir/class.yaml", files[0].1);
    for (line, wanted) in [
        (3, "DeviceClass `all`: selects 4 of 4 devices"),
        (9, "DeviceClass `gpu.example.com`: selects 2 of 4 devices"),
        (17, "DeviceClass `both`: selects 0 of 4 devices"),
    ] {
        let said = hover(&mut editor, "dir/class.yaml", line, 10);
        assert!(said.starts_with(&format!("{wanted}\n")), "{said}");
    }
    // A pod has no documentation of fields.
    editor.open(
        "pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n  - name: g\n    resourceClaimName: a\n  - name: h\n    resourceClaimName: gone\n",
    );
    let claim = uri("claim.yaml");
    assert_eq!(
        hover(&mut editor, "pod.yaml", 6, 23),
        format!(
            "ResourceClaim `a` in [`claim.yaml`](<{claim}#L3,18>): requests `gpu` of `gpu.example.com`"
        )
    );
    for (line, character) in [(5, 12), (8, 24)] {
        assert_eq!(hover(&mut editor, "pod.yaml", line, character), "");
    }
}

#[test]
fn names_are_links_to_the_files_that_define_them() {
    let files = [("class.yaml", CLASS), ("claim.yaml", CLAIM)];
    let mut editor = Editor::started(&files);
    editor.open(
        "pod.yaml",
        &format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims:\n  - name: g\n    resourceClaimName: a\n  - name: h\n    resourceClaimName: own\n---\n{}",
            CLAIM.replace("name: a", "name: own")
        ),
    );
    let document = json!({"textDocument": {"uri": uri("pod.yaml")}});
    let links = editor.ask("textDocument/documentLink", document);
    let links: Vec<(u64, &str)> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let line = link["range"]["start"]["line"].as_u64().unwrap();
            (line, link["target"].as_str().unwrap())
        })
        .collect();
    let class = format!("{}#L4,9", uri("class.yaml"));
    let claim = format!("{}#L3,18", uri("claim.yaml"));
    assert_eq!(links, [(6, &*claim), (18, &*class)]);
    editor.open("web.yaml", "services: {}\n");
    let document = json!({"textDocument": {"uri": uri("web.yaml")}});
    let links = editor.ask("textDocument/documentLink", document);
    assert_eq!(links, json!([]));
}

#[test]
fn blocks_are_folded_in_manifests_of_ours() {
    let mut editor = Editor::started(&[]);
    editor.open("a.yaml", &format!("# a\n# b\n{CLASS}"));
    let mut folds = |name: &str| {
        let document = json!({"textDocument": {"uri": uri(name)}});
        editor.ask("textDocument/foldingRange", document)
    };
    assert_eq!(
        folds("a.yaml"),
        json!([
            {"startLine": 0, "endLine": 1, "kind": "comment"},
            {"startLine": 4, "endLine": 5},
            {"startLine": 6, "endLine": 8},
            {"startLine": 7, "endLine": 8},
        ])
    );
    assert_eq!(folds("other.yaml"), Value::Null);
}

#[test]
fn other_manifests_are_judged_where_kubectl_refuses_them() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";
    let mut editor = Editor::started(&[]);
    editor.open("a.yaml", service);
    editor.open("b.yaml", &format!("{service}spec: [\n"));
    editor.open("c.yaml", "services: [\n");
    editor.wait(0);
    assert_eq!(editor.codes("a.yaml"), Vec::<String>::new());
    assert_eq!(editor.codes("b.yaml"), ["yaml-syntax"]);
    assert_eq!(editor.codes("c.yaml"), Vec::<String>::new());
    editor.change("b.yaml", 2, json!([{"text": service}]));
    editor.wait(500);
    assert_eq!(editor.codes("b.yaml"), Vec::<String>::new());
}

#[test]
fn actions_mend_and_convert() {
    let mut editor = Editor::started(&[]);
    let old = CLAIM.replace("/v1\n", "/v1beta2\n");
    editor.open("a.yaml", &old);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let ask = |only: &[&str]| json!({"textDocument": {"uri": uri("a.yaml")}, "range": range, "context": {"diagnostics": [], "only": only}});
    let fixes = editor.ask("textDocument/codeAction", ask(&["quickfix"]));
    assert_eq!(
        fixes[0]["edit"]["changes"][uri("a.yaml")][0]["newText"],
        "allocationMode"
    );
    assert_eq!(fixes[0]["isPreferred"], true);
    let all = editor.ask("textDocument/codeAction", ask(&["source"]));
    assert_eq!(all[0]["kind"], "source.fixAll.claimkit");
    editor.change("a.yaml", 2, json!([{"text": old.replace("Mod:", "Mode:")}]));
    let converted = editor.ask("textDocument/codeAction", ask(&["refactor"]));
    assert_eq!(converted[0]["title"], "convert ResourceClaim `a` to v1");
    let edit = &converted[0]["edit"]["changes"][uri("a.yaml")][0];
    assert_eq!(edit["newText"], "apiVersion: resource.k8s.io/v1\n");
}

#[test]
fn lenses_stay_while_a_text_does_not_parse() {
    let mut editor = Editor::started(&[("slice.yaml", SLICE)]);
    editor.open("class.yaml", CLASS);
    let document = json!({"textDocument": {"uri": uri("class.yaml")}});
    let lenses = editor.ask("textDocument/codeLens", document.clone());
    assert_eq!(
        lenses[0]["command"]["title"], "selects 2 of 2 devices",
        "{lenses}"
    );
    assert_eq!(lenses[0]["range"]["start"]["line"], 6);
    let start = json!({"line": 3, "character": 0});
    let change = json!({"range": {"start": start, "end": start}, "text": "  bad: [\n"});
    editor.change("class.yaml", 2, json!([change]));
    let lenses = editor.ask("textDocument/codeLens", document);
    assert_eq!(lenses[0]["range"]["start"]["line"], 7);
}

#[test]
fn messages_at_the_wrong_time_and_impossible_ones_are_refused() {
    let mut editor = Editor::new(&[]);
    let code = |answer: Value| answer["error"]["code"].as_i64();
    assert_eq!(
        code(editor.request("textDocument/hover", json!({}))),
        Some(-32002)
    );
    editor.ask("initialize", json!({"capabilities": {}}));
    assert_eq!(code(editor.request("initialize", json!({}))), Some(-32600));
    assert_eq!(code(editor.request("no/such", json!({}))), Some(-32601));
    assert_eq!(
        code(editor.request("textDocument/hover", json!(5))),
        Some(-32602)
    );
    for text in ["", "{", "[]", "{\"method\": 5, \"id\": 1}"] {
        let outcome = editor.server.receive(text, 0);
        assert!(outcome.messages[0]["error"]["code"].is_i64(), "{text}");
    }
    for message in [
        json!({"id": 99, "result": 1}),
        json!({"id": "x", "error": null}),
    ] {
        editor.send(&message);
    }
    editor.tell("textDocument/didOpen", json!({"textDocument": 1}));
    editor.tell("textDocument/didChange", json!(null));
    editor.ask("shutdown", json!(null));
    assert_eq!(
        code(editor.request("textDocument/hover", json!({}))),
        Some(-32600)
    );
    editor.tell("exit", json!(null));
    assert_eq!(editor.exit, Some(0));
    let mut editor = Editor::started(&[]);
    editor.tell("exit", json!(null));
    assert_eq!(editor.exit, Some(1));
}

#[test]
fn another_server_continues_where_one_stopped() {
    let mut editor = Editor::started(&[("class.yaml", CLASS)]);
    editor.tell(
        "workspace/didChangeConfiguration",
        json!({"settings": {"claimkit": {"ignore": ["unknown-field"]}}}),
    );
    editor.open("a.yaml", CLAIM);
    editor.open("b.yaml", CLAIM);
    editor.open("c.yaml", CLAIM);
    editor.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri("c.yaml")}}),
    );
    let mut saved = editor.server.unsaved();
    let documents = saved["documents"].as_array_mut().unwrap();
    assert_eq!(documents.len(), 3);
    documents.retain(|document| !document["text"].is_null());
    editor.server = LanguageServer::new(hooks());
    let work = Work {
        id: Some(json!(77)),
        uri: Some(uri("a.yaml")),
    };
    let outcome = editor.server.restore(&saved, &work, "why", editor.now);
    editor.take(outcome);
    assert_eq!(editor.answer_to(77)["error"]["message"], "why");
    editor.wait(500);
    assert_eq!(editor.codes("a.yaml"), ["not-judged"]);
    assert_eq!(editor.codes("b.yaml"), Vec::<String>::new());
    editor.change("a.yaml", 2, json!([{"text": format!("{CLAIM}# b\n")}]));
    editor.wait(500);
    assert_eq!(editor.codes("a.yaml"), Vec::<String>::new());
    let found = editor.ask("textDocument/definition", at("a.yaml", 8, 30));
    assert_eq!(found[0]["uri"], uri("class.yaml"), "{found}");
}

/// The edit of a completion as an editor makes it.
fn accepted(text: &str, edit: &Value) -> String {
    let source = claimkit::Source::new(text);
    let offset = |place: &Value| {
        let number = |name: &str| u32::try_from(place[name].as_u64().unwrap()).unwrap();
        source.offset(number("line"), number("character"))
    };
    let (from, to) = (
        offset(&edit["range"]["start"]),
        offset(&edit["range"]["end"]),
    );
    format!(
        "{}{}{}",
        &text[..from],
        edit["newText"].as_str().unwrap(),
        &text[to..]
    )
}

fn parses(text: &str) -> bool {
    let parsed = claimkit::parse(text, &claimkit::ParseOptions::default());
    let is_syntax = |name: &str| name == "yaml-syntax" || name == "json-syntax";
    !parsed
        .findings
        .iter()
        .any(|finding| is_syntax(finding.code.name()))
}

/// Accepts every completion at a place; returns how many there are, and those that give a text that does not parse.
fn accept_all(
    editor: &mut Editor,
    name: &str,
    text: &str,
    line: usize,
    character: usize,
) -> (usize, Vec<String>) {
    let number = |number| u32::try_from(number).unwrap();
    let items = editor.ask(
        "textDocument/completion",
        at(name, number(line), number(character)),
    );
    let items = items.as_array().unwrap();
    let broken = items
        .iter()
        .map(|item| &item["textEdit"])
        .filter(|edit| !parses(&accepted(text, edit)))
        .map(|edit| format!("{name}:{line}:{character} {edit}"));
    (items.len(), broken.collect())
}

#[test]
fn every_completion_that_is_accepted_gives_a_text_that_parses() {
    let manifests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/hosts/manifests");
    let (mut count, mut broken) = (0, Vec::new());
    for name in ["device-pod.yaml", "cluster.yaml"] {
        let text = std::fs::read_to_string(format!("{manifests}/{name}")).unwrap();
        let lines: Vec<&str> = text.lines().take(60).collect();
        let text = format!("{}\n", lines.join("\n"));
        let mut editor = Editor::started(&[("class.yaml", CLASS), ("slice.yaml", SLICE)]);
        editor.open(name, &text);
        let mut version = 1;
        for (line, content) in lines.iter().enumerate() {
            let indent = content.len() - content.trim_start().len();
            for character in [indent, content.len()] {
                let (found, bad) = accept_all(&mut editor, name, &text, line, character);
                count += found;
                broken.extend(bad);
            }
            // On a new line below it; one that is deeper than the items of its list is no place for anything.
            let next = lines.get(line + 1).copied().unwrap_or_default();
            let is_item = next.trim_start().starts_with("- ");
            let deepest = if is_item {
                next.len() - next.trim_start().len()
            } else {
                indent + 2
            };
            for indent in [indent, indent + 2] {
                if indent > deepest {
                    continue;
                }
                let mut lines = lines.clone();
                let new = " ".repeat(indent);
                lines.insert(line + 1, &new);
                let text = format!("{}\n", lines.join("\n"));
                version += 1;
                editor.change(name, version, json!([{"text": text}]));
                let (found, bad) = accept_all(&mut editor, name, &text, line + 1, indent);
                count += found;
                broken.extend(bad);
            }
            version += 1;
            editor.change(name, version, json!([{"text": text}]));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 400, "{count}");
}

/// A driver, a class, a pod and a claim that use each other's names.
const NAMES: &str = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == \"b.example.com\"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: a.example.com
  nodeName: w0
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d}]
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims: [{name: c, resourceClaimName: c}]
  containers: [{name: a, image: i, resources: {limits: {deviceclass.resource.kubernetes.io/gpu: 1}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: one
      exactly: {deviceClassName: gpu}
    constraints:
    - requests: [one]
      matchAttribute: c.example.com/model
";

/// Renames what is at the first place of a text; gives the new text, or why it is refused.
fn renamed(text: &str, place: &str, name: &str) -> Result<String, String> {
    let mut editor = Editor::started(&[]);
    editor.open("a.yaml", text);
    let (before, _) = text.split_once(place).unwrap();
    let line = before.matches('\n').count() as u32;
    let column = place.rfind(' ').map_or(0, |blank| blank + 1);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let mut params = at("a.yaml", line, (before.len() - start + column) as u32);
    params["newName"] = json!(name);
    let answer = editor.request("textDocument/rename", params);
    if let Some(error) = answer["error"]["message"].as_str() {
        return Err(error.to_owned());
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let offset = |place: &Value| {
        let number = |name: &str| place[name].as_u64().unwrap() as usize;
        lines[..number("line")].concat().len() + number("character")
    };
    let edits = answer["result"]["changes"][uri("a.yaml")]
        .as_array()
        .unwrap();
    let mut found: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    found.sort_unstable();
    let mut new = text.to_owned();
    for (from, to, name) in found.into_iter().rev() {
        new.replace_range(from..to, name);
    }
    Ok(new)
}

#[test]
fn a_new_name_stays_a_name_and_reaches_every_place() {
    for name in ["y", "on", "1", "null", "1e3", "0x1"] {
        let text = renamed(NAMES, "name: one", name).unwrap();
        assert!(text.contains(&format!("- name: \"{name}\"\n")), "{text}");
        assert!(
            text.contains(&format!("requests: [\"{name}\"]\n")),
            "{text}"
        );
    }
    let text = renamed(NAMES, "name: gpu", "big").unwrap();
    assert!(text.contains("deviceClassName: big}"), "{text}");
    assert!(
        text.contains("{deviceclass.resource.kubernetes.io/big: 1}"),
        "{text}"
    );
    let text = renamed(NAMES, "driver: a.example.com", "d.example.com").unwrap();
    assert!(text.contains("driver: d.example.com\n"), "{text}");
    for other in ["b.example.com", "c.example.com"] {
        let text = NAMES.replace("driver: a.example.com", &format!("driver: {other}"));
        let refused = renamed(&text, &format!("driver: {other}"), "d.example.com");
        assert!(
            refused
                .unwrap_err()
                .contains("is also the domain of attributes"),
            "{other}"
        );
    }
}

#[test]
fn a_deleted_settings_file_has_no_findings() {
    let mut editor = Editor::started(&[("claimkit.toml", "release = \"1.99\"\n")]);
    editor.open("a.yaml", NAMES);
    editor.wait(0);
    assert_eq!(editor.codes("claimkit.toml"), ["not-judged"]);
    editor.files.clear();
    let changes = json!([{"uri": uri("claimkit.toml"), "type": 3}]);
    editor.tell(
        "workspace/didChangeWatchedFiles",
        json!({"changes": changes}),
    );
    assert!(editor.codes("claimkit.toml").is_empty());
}

/// Clients that do not know disabled actions would show one that does nothing.
#[test]
fn an_action_is_disabled_only_for_clients_that_know_that() {
    let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata: {name: c, namespace: d}\nspec: {selectedNode: w0}\n";
    for (knows, shown) in [(true, true), (false, false)] {
        let support = json!({"textDocument": {"codeAction": {"disabledSupport": knows}}});
        let mut editor = Editor::with(&[], support);
        editor.open("a.yaml", text);
        let mut params = at("a.yaml", 0, 0);
        let place = json!({"line": 0, "character": 0});
        params["range"] = json!({"start": place, "end": place});
        params["context"] = json!({"diagnostics": []});
        let actions = editor.ask("textDocument/codeAction", params);
        let disabled = actions.as_array().unwrap().iter();
        let disabled = disabled.filter(|action| action.get("disabled").is_some());
        assert_eq!(disabled.count() > 0, shown, "{actions}");
    }
}

#[test]
fn completions_have_the_line_ends_of_the_text() {
    let text = CLAIM.split("  devices:").next().unwrap().to_owned() + "  ";
    for (text, end) in [(text.clone(), "\n"), (text.replace('\n', "\r\n"), "\r\n")] {
        let mut editor = Editor::started(&[]);
        editor.open("a.yaml", &text);
        let found = editor.ask("textDocument/completion", at("a.yaml", 4, 2));
        let items = found.as_array().or(found["items"].as_array()).unwrap();
        let devices = items.iter().find(|item| item["label"] == "devices");
        let inserted = devices.unwrap()["textEdit"]["newText"].as_str().unwrap();
        assert_eq!(inserted, format!("devices:{end}    "));
    }
}

#[test]
fn a_deleted_folder_leaves_the_project() {
    let files = [
        ("a/b/class.yaml", CLASS),
        ("ab/class.yaml", CLASS),
        ("claim.yaml", CLAIM),
    ];
    let mut editor = Editor::started(&files);
    let place = at("claim.yaml", 8, 30);
    let found = editor.ask("textDocument/definition", place.clone());
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    editor.files.remove(&uri("a/b/class.yaml"));
    let changes = json!({"changes": [{"uri": uri("a"), "type": 3}]});
    editor.tell("workspace/didChangeWatchedFiles", changes);
    let found = editor.ask("textDocument/definition", place);
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["uri"], uri("ab/class.yaml"));
}

#[test]
fn a_class_that_the_project_had_is_missed() {
    let claim = CLAIM.replace("Mod:", "Mode:");
    let mut editor = Editor::started(&[("a/class.yaml", CLASS)]);
    editor.open("a/class.yaml", CLASS);
    editor.open("claim.yaml", &claim);
    editor.wait(1000);
    assert_eq!(editor.codes("claim.yaml"), Vec::<String>::new());
    editor.files.clear();
    editor.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri("a/class.yaml")}}),
    );
    let delete = json!({"changes": [{"uri": uri("a/class.yaml"), "type": 3}]});
    editor.tell("workspace/didChangeWatchedFiles", delete);
    editor.wait(1000);
    assert_eq!(editor.codes("claim.yaml"), ["class-not-in-input"]);
    let found = &editor.published("claim.yaml").unwrap()["diagnostics"][0];
    assert_eq!(found["severity"], 2, "{found}");
    assert_eq!(
        found["message"],
        "no file of the project defines the class `gpu.example.com` any more"
    );
    assert_eq!(found["range"]["start"], json!({"line": 8, "character": 25}));
    // It is there again under another name.
    editor.files.insert(uri("b.yaml"), CLASS.to_owned());
    let create = json!({"changes": [{"uri": uri("b.yaml"), "type": 1}]});
    editor.tell("workspace/didChangeWatchedFiles", create);
    editor.wait(1000);
    assert_eq!(editor.codes("claim.yaml"), Vec::<String>::new());
    // A project that never had a class misses none, nor does one whose files the client cannot read.
    let mut editor = Editor::started(&[]);
    editor.open("class.yaml", CLASS);
    editor.open("claim.yaml", &claim);
    editor.wait(1000);
    editor.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri("class.yaml")}}),
    );
    editor.wait(1000);
    assert_eq!(editor.codes("claim.yaml"), Vec::<String>::new());
}
