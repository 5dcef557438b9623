//! Runs the policy with the calling conventions of its hosts, Kubewarden and OPA. Requests of the contract that arrive the same
//! way go to [`raw_mode`].

use super::admit::{members, read, read_settings, utf8};
use super::raw_mode;
use crate::policy::response::{self, OpaResult, SettingsValidationResponse, ValidationResponse};
use crate::policy::{
    self, ClusterReader, Mutation, OperationIs, PolicyHost, PolicyVerdict, Settings, ValidatedBy,
};
use claimkit_model::message::Words;
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_model::text::{Document, json};
use std::borrow::Cow;

/// OPA cannot mutate objects and gives no access to the cluster.
const ALONE: PolicyHost<'static> = PolicyHost {
    mutation: Mutation::Impossible,
    cluster: None,
    labels: None,
    takes_labels: false,
    operation: OperationIs::Required,
    validated: ValidatedBy::ApiServer,
};

/// Gatekeeper also sends what its audit finds.
const GATEKEEPER: PolicyHost<'static> = PolicyHost {
    operation: OperationIs::MissingInAudits,
    ..ALONE
};

/// The version of Kubewarden's protocol.
pub const PROTOCOL_VERSION: &str = "\"v1\"";

/// Answers Kubewarden's `validate`: `{"request": …, "settings": …}` in, a ValidationResponse out. `cluster`: Kubewarden's access
/// to the cluster, if any.
pub fn validate(payload: &[u8], cluster: Option<&dyn ClusterReader>) -> String {
    let document = match utf8(payload).and_then(read) {
        Ok(document) => document,
        Err(problem) => {
            return super::print(&ValidationResponse::of(&PolicyVerdict::unreadable(
                "", problem,
            )));
        }
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
        PolicyHost {
            mutation: Mutation::Possible,
            cluster,
            labels: None,
            takes_labels: false,
            operation: OperationIs::Required,
            validated: ValidatedBy::ApiServer,
        },
    )))
}

/// Answers Kubewarden's `validate_settings`: the settings in, a SettingsValidationResponse out.
pub fn validate_settings(payload: &[u8]) -> String {
    super::print(&SettingsValidationResponse::of(
        settings_of(payload).map(|_| ()),
    ))
}

/// Does the same where Kubewarden gives no access to the cluster.
pub fn validate_settings_without_cluster(payload: &[u8]) -> String {
    let usable = settings_of(payload).and_then(|settings| policy::without_cluster(&settings, None));
    super::print(&SettingsValidationResponse::of(usable))
}

fn settings_of(payload: &[u8]) -> Result<Settings, Vec<Words>> {
    utf8(payload)
        .map_err(|problem| vec![Words::english(problem)])
        .and_then(read_settings)
}

/// Returns the settings in OPA's data, as JSON: what is at `claimkit.settings`, or the whole without `system`, which OPA fills with its
/// bundles. OPA gives a module all of its data; the rest is not looked at.
pub fn settings_in_data(data: &str) -> Cow<'_, str> {
    let mut tree = Tree::new(data);
    let Ok((root, _)) = json::value(&mut tree, 0, json::MAX_DEPTH) else {
        return Cow::Borrowed(data);
    };
    let own = tree.get(root, "claimkit");
    if let Some(settings) = own.and_then(|own| tree.get(own, "settings")) {
        return Cow::Borrowed(text_of_node(&tree, data, settings));
    }
    if tree.get(root, "system").is_none() {
        return Cow::Borrowed(data);
    }
    let entries = tree.entries(root).iter();
    let members: Vec<String> = entries
        .filter(|entry| tree.text(entry.key) != "system")
        .map(|entry| {
            let key = serde_json::Value::from(tree.text(entry.key));
            format!("{key}:{}", text_of_node(&tree, data, entry.value))
        })
        .collect();
    Cow::Owned(format!("{{{}}}", members.join(",")))
}

fn text_of_node<'t>(tree: &Tree<'_>, data: &'t str, node: NodeId) -> &'t str {
    let span = tree.span(node);
    span.slice_of(data).unwrap_or_default()
}

/// Evaluates for OPA: computes the value of the entry point from the input and from the data, which has the settings.
pub fn evaluate(input: &[u8], data: &[u8]) -> String {
    match std::str::from_utf8(data) {
        Ok(data) => evaluate_with_settings(input, settings_in_data(data).as_bytes()),
        Err(_) => evaluate_with_settings(input, data),
    }
}

/// Evaluates with the settings alone.
pub fn evaluate_with_settings(input: &[u8], data: &[u8]) -> String {
    let document = match utf8(input).and_then(read) {
        Ok(document) => document,
        Err(problem) => {
            return super::print(&OpaResult::of(&PolicyVerdict::unreadable("", problem)));
        }
    };
    let (tree, member) = members(&document);
    if let Some(text) = raw_mode::contract_request(tree, document.root) {
        return raw_mode::opa_answer(&text);
    }
    if let Some(review) = member("review") {
        let settings =
            || Settings::read(tree, member("parameters")).and_then(response::for_gatekeeper);
        let verdict = verdict(&document, Some(review), settings, "", GATEKEEPER);
        return super::print(&response::violations(&verdict));
    }
    let request = member("request");
    if let Some(text) = raw_mode::contract_request(tree, request) {
        return raw_mode::opa_response(&text, uid(tree, request));
    }
    super::print(&OpaResult::of(&verdict(
        &document,
        request,
        || settings_of(data),
        uid(tree, request),
        ALONE,
    )))
}

/// Judges a request with the settings. `uid` goes into the answer if the settings are invalid.
fn verdict(
    document: &Document<'_>,
    request: Option<NodeId>,
    settings: impl FnOnce() -> Result<Settings, Vec<Words>>,
    uid: &str,
    host: PolicyHost<'_>,
) -> PolicyVerdict {
    match settings() {
        Ok(settings) => policy::judge(document, request, &settings, host),
        Err(errors) => PolicyVerdict::unusable(uid, &errors),
    }
}

fn uid<'t>(tree: &'t Tree<'_>, request: Option<NodeId>) -> &'t str {
    request
        .and_then(|request| tree.get(request, "uid"))
        .and_then(|uid| tree.str(uid))
        .unwrap_or("")
}
