//! Runs the policy with the calling conventions of its hosts, Kubewarden and OPA. Requests of the contract that arrive the same
//! way go to [`raw_mode`].

use super::admit::{members, read, read_settings, utf8};
use super::raw_mode;
use crate::policy::response::{self, OpaResult, SettingsValidationResponse, ValidationResponse};
use crate::policy::{self, Cluster, Host, Mutation, OperationIs, Settings, Verdict};
use crate::text::Document;
use crate::text::tree::{NodeId, Tree};

/// OPA cannot mutate objects and gives no access to the cluster.
const ALONE: Host<'static> =
    Host { mutation: Mutation::Impossible, cluster: None, labels: None, operation: OperationIs::Required };

/// Gatekeeper also sends what its audit finds.
const GATEKEEPER: Host<'static> = Host { operation: OperationIs::MissingInAudits, ..ALONE };

/// The version of Kubewarden's protocol.
pub const PROTOCOL_VERSION: &str = "\"v1\"";

/// Answers Kubewarden's `validate`: `{"request": …, "settings": …}` in, a ValidationResponse out. `cluster`: Kubewarden's access
/// to the cluster, if any.
pub fn validate(payload: &[u8], cluster: Option<&dyn Cluster>) -> String {
    let document = match utf8(payload).and_then(read) {
        Ok(document) => document,
        Err(problem) => return super::print(&ValidationResponse::of(&Verdict::unreadable("", problem))),
    };
    let (tree, member) = members(&document);
    let request = member("request");
    if let Some(text) = raw_mode::contract_request(tree, request) {
        return super::print(&raw_mode::raw_response(&text));
    }
    let settings = || Settings::read(tree, member("settings"));
    super::print(&ValidationResponse::of(&verdict(
        &document,
        request,
        settings,
        "",
        Host { mutation: Mutation::Possible, cluster, labels: None, operation: OperationIs::Required },
    )))
}

/// Answers Kubewarden's `validate_settings`: the settings in, a SettingsValidationResponse out. `asked`: Kubewarden gives access
/// to the cluster.
pub fn validate_settings(payload: &[u8], asked: bool) -> String {
    let text = utf8(payload).map_err(|problem| vec![problem]);
    let settings = text.and_then(read_settings);
    let usable = settings.and_then(|settings| if asked { Ok(()) } else { policy::without_cluster(&settings, false) });
    super::print(&SettingsValidationResponse::of(usable))
}

/// Evaluates for OPA: computes the value of the entry point from the input and from the data, which has the settings.
pub fn evaluate(input: &[u8], data: &[u8]) -> String {
    let document = match utf8(input).and_then(read) {
        Ok(document) => document,
        Err(problem) => return super::print(&OpaResult::of(&Verdict::unreadable("", problem))),
    };
    let (tree, member) = members(&document);
    if let Some(text) = raw_mode::contract_request(tree, document.root) {
        return raw_mode::opa_answer(&text);
    }
    if let Some(review) = member("review") {
        let settings = || Settings::read(tree, member("parameters")).and_then(response::for_gatekeeper);
        let verdict = verdict(&document, Some(review), settings, "", GATEKEEPER);
        return super::print(&response::violations(&verdict));
    }
    let request = member("request");
    if let Some(text) = raw_mode::contract_request(tree, request) {
        return raw_mode::opa_response(&text, uid(tree, request));
    }
    let settings = || utf8(data).map_err(|problem| vec![problem]).and_then(read_settings);
    super::print(&OpaResult::of(&verdict(&document, request, settings, uid(tree, request), ALONE)))
}

/// Judges a request with the settings. `uid` goes into the answer if the settings are invalid.
fn verdict(
    document: &Document<'_>,
    request: Option<NodeId>,
    settings: impl FnOnce() -> Result<Settings, Vec<String>>,
    uid: &str,
    host: Host<'_>,
) -> Verdict {
    match settings() {
        Ok(settings) => policy::judge(document, request, &settings, host),
        Err(errors) => Verdict::unusable(uid, &errors),
    }
}

fn uid<'t>(tree: &'t Tree<'_>, request: Option<NodeId>) -> &'t str {
    request.and_then(|request| tree.get(request, "uid")).and_then(|uid| tree.str(uid)).unwrap_or("")
}
