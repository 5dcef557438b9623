//! `admit --stored`: what policies would refuse of the objects that are there before the policies are.
//!
//! Each object is judged as Kubewarden's audit scanner sends it. What a policy looks up in the cluster is looked up among the objects.

use crate::admission::{self, AdmissionFile, Policy};
use crate::exit::{self, Exit, Problem};
use crate::files::InputFile;
use crate::host::Host;
use crate::live;
use crate::live::Unseen;
use crate::options::AdmitArgs;
use crate::policy_settings::{check_policies, policy_of};
use crate::summary;
use crate::values::PlainForm;
use claimkit::policy::settings::ValidationMode;
use claimkit::policy::{
    self, ClusterReader, Mutation, OperationIs, PolicyHost, PolicyVerdict, Settings, ValidatedBy,
    cluster, restrictions,
};
use claimkit::report::text::visible;
use claimkit::requests;
use claimkit::requests::admission::ManifestObject;
use claimkit_model::finding::{Cause, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::text::{Document, Mode, Span};
use claimkit_values::order;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// The limits on the objects of a whole cluster.
const LIMITS: Limits = Limits {
    bytes: 1 << 30,
    depth: 10_000,
    nodes: 200_000_000,
    findings: 10_000,
    node_set_bytes: 1 << 30,
};

/// Runs the verb.
pub fn run(
    args: &AdmitArgs,
    files: &[InputFile],
    given: Option<Box<RawValue>>,
    host: &mut dyn Host,
) -> exit::Outcome {
    let namespace = args.namespace.as_deref().unwrap_or("default");
    let mut found = AdmissionFile::default();
    for file in files {
        found.add(admission::read_within(file, namespace, &LIMITS));
    }
    if !found.server_policies.is_empty() {
        return Err(
            "ValidatingAdmissionPolicies judge requests, not stored objects: leave out `--stored`"
                .into(),
        );
    }
    let mut unseen = Vec::new();
    if args.live {
        let cluster = live::stored::read(args, host).map_err(|problem| {
            host.status("");
            visible(&problem)
        })?;
        let file = InputFile {
            name: "the cluster".to_owned(),
            text: cluster.text,
            replaced: None,
            exact: false,
            found: false,
        };
        found.add(admission::read_within(&file, &cluster.namespace, &LIMITS));
        unseen = cluster.unseen;
    }
    if !found.problems.is_empty() {
        return Err(Problem::of_lines(found.problems));
    }
    if found.policies.is_empty() || given.is_some() {
        let Some(policy) = policy_of(given) else {
            return Ok(Exit::Unusable);
        };
        found.policies.insert(0, policy);
    }
    check_policies(&found.policies, host)?;
    if found.objects.is_empty() {
        return Err(
            "nothing to judge: give a file with stored objects, or `--live` for those of a cluster"
                .into(),
        );
    }
    let judged = judge(args, &found, &unseen)?;
    Ok(show(args, &judged, &unseen, host))
}

/// A reason against an object.
#[derive(Serialize)]
struct StoredReason {
    setting: &'static str,
    effect: Effect,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// What a reason does to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Effect {
    Refused,
    /// The setting could not look up what it needs.
    Unknown,
    Warned,
}

impl Effect {
    const ALL: [Effect; 3] = [Effect::Refused, Effect::Unknown, Effect::Warned];

    fn name(self) -> &'static str {
        match self {
            Effect::Refused => "refused",
            Effect::Unknown => "unknown",
            Effect::Warned => "warned",
        }
    }
}

/// An object with reasons against it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StoredObject<'o> {
    policy: &'o str,
    api_version: &'o str,
    kind: &'o str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'o str,
    name: &'o str,
    result: Effect,
    reasons: Vec<StoredReason>,
}

/// How many objects a setting has reasons against in a namespace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettingSum<'o> {
    policy: &'o str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'o str,
    setting: &'static str,
    refused: usize,
    unknown: usize,
    warned: usize,
}

/// The answer about all objects.
struct StoredAnswer<'o> {
    /// How many objects a policy was asked about.
    objects: usize,
    /// Those with reasons, by namespace, kind and name.
    found: Vec<StoredObject<'o>>,
}

/// Judges each object by each policy whose rules name it.
///
/// # Errors
/// What cannot be read.
fn judge<'o>(
    args: &AdmitArgs,
    all: &'o AdmissionFile,
    unseen: &[Unseen],
) -> Result<StoredAnswer<'o>, Problem> {
    let labels = args.labels.labels();
    let cluster = StoredObjects {
        objects: &all.objects,
        unseen: unseen.iter().filter_map(|unseen| unseen.kind).collect(),
    };
    let mut answer = StoredAnswer {
        objects: 0,
        found: Vec::new(),
    };
    let mut asked: BTreeSet<usize> = BTreeSet::new();
    for policy in &all.policies {
        let settings = settings_of(policy)?;
        for (at, object) in all.objects.iter().enumerate() {
            if object.is_going_away() || !policy.sees_stored(object) {
                continue;
            }
            asked.insert(at);
            let host = PolicyHost {
                mutation: Mutation::Impossible,
                cluster: Some(&cluster),
                labels: labels.as_ref(),
                takes_labels: false,
                operation: OperationIs::Required,
                validated: ValidatedBy::ApiServer,
            };
            let reasons = reasons_of(policy, &verdict_on(object, &settings, host)?);
            let Some(result) = reasons.iter().map(|reason| reason.effect).min() else {
                continue;
            };
            answer.found.push(StoredObject {
                policy: &policy.name,
                api_version: &object.api_version,
                kind: &object.kind,
                namespace: &object.namespace,
                name: &object.name,
                result,
                reasons,
            });
        }
    }
    answer.objects = asked.len();
    order::sort_by_key(&mut answer.found, |found| {
        (found.namespace, found.kind, found.name, found.policy)
    });
    Ok(answer)
}

/// Reads the settings of a policy. An API server has validated what is stored: its rules only warn, unless the settings say otherwise.
fn settings_of(policy: &Policy) -> Result<Settings, Problem> {
    let read =
        cluster::parse(policy.settings.get()).map(|(tree, root)| Settings::read(&tree, Some(root)));
    let mut settings = match read {
        Ok(Ok(settings)) => settings,
        Ok(Err(problems)) => {
            let lines = problems
                .iter()
                .map(|problem| format!("{}: {problem}", policy.name));
            return Err(Problem::of_lines(lines.collect()));
        }
        Err(problem) => return Err(format!("{}: {problem}", policy.name).into()),
    };
    settings.validation = settings.validation.or(Some(ValidationMode::Warn));
    Ok(settings)
}

fn verdict_on(
    object: &ManifestObject,
    settings: &Settings,
    host: PolicyHost<'_>,
) -> Result<PolicyVerdict, Problem> {
    let Some(request) = object.stored_request() else {
        let (kind, name) = (&object.kind, object.full_name());
        return Err(format!("{kind} {name}: cannot be written as JSON").into());
    };
    let text = request.get();
    let (tree, root) = cluster::parse(text)?;
    let document = Document {
        tree,
        root: Some(root),
        mode: Mode::Json,
        span: Span::new(0, text.len()),
    };
    Ok(policy::judge(&document, document.root, settings, host))
}

/// Returns the reasons of a verdict. What the API server's own rules only warn of is none.
fn reasons_of(policy: &Policy, verdict: &PolicyVerdict) -> Vec<StoredReason> {
    let mut reasons = Vec::new();
    for finding in &verdict.findings {
        let setting = restrictions::setting_of(finding);
        let effect = match finding.severity {
            Severity::Error if finding.cause == Some(Cause::Internal) => Effect::Unknown,
            Severity::Error if policy.monitors => Effect::Warned,
            Severity::Error => Effect::Refused,
            Severity::Warning if setting != "validation" && setting != "request" => Effect::Warned,
            _ => continue,
        };
        reasons.push(StoredReason {
            setting,
            effect,
            message: finding.message.to_string(),
            path: finding.path.clone(),
        });
    }
    reasons
}

/// The objects as a cluster that is asked.
struct StoredObjects<'o> {
    objects: &'o [ManifestObject],
    /// Kinds in the plural that could not be seen.
    unseen: BTreeSet<&'static str>,
}

/// What a policy looks up.
#[derive(Deserialize)]
struct LookupQuery {
    api_version: String,
    kind: String,
    name: Option<String>,
    namespace: Option<String>,
}

#[derive(Serialize)]
struct ListOfObjects<'o> {
    items: Vec<&'o RawValue>,
}

impl ClusterReader for StoredObjects<'_> {
    fn call(&self, _operation: &str, payload: &str) -> Result<String, String> {
        let query: LookupQuery =
            serde_json::from_str(payload).map_err(|error| error.to_string())?;
        let LookupQuery {
            api_version,
            kind,
            name,
            namespace,
        } = query;
        let plural = match kind.strip_suffix('s') {
            Some(_) => format!("{}es", kind.to_lowercase()),
            None => format!("{}s", kind.to_lowercase()),
        };
        if self.unseen.contains(plural.as_str()) {
            return Err(format!("{plural} could not be seen"));
        }
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let within = namespace.as_deref();
        let mut objects = self.objects.iter().filter(|object| {
            object.kind == kind
                && object.group_version().0 == group
                && within.is_none_or(|namespace| object.namespace == namespace)
        });
        if let Some(name) = name {
            let object = objects.find(|object| object.name == name);
            let namespace = within.unwrap_or("None");
            return object.map(|object| object.json.get().to_owned()).ok_or_else(|| {
                format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace}'")
            });
        }
        let mut items = Vec::new();
        for object in objects {
            if object.api_version != api_version {
                return Err(format!(
                    "{plural} are there as {} and {api_version}: give them in one version",
                    object.api_version
                ));
            }
            items.push(&*object.json);
        }
        serde_json::to_string(&ListOfObjects { items }).map_err(|error| error.to_string())
    }
}

/// Counts the objects by namespace and setting.
fn sums<'o>(found: &[StoredObject<'o>]) -> Vec<SettingSum<'o>> {
    let mut counts: BTreeMap<(&'o str, &'o str, &'static str), [usize; 3]> = BTreeMap::new();
    for object in found {
        let mut worst: BTreeMap<&'static str, Effect> = BTreeMap::new();
        for reason in &object.reasons {
            let effect = worst.entry(reason.setting).or_insert(reason.effect);
            *effect = reason.effect.min(*effect);
        }
        for (setting, effect) in worst {
            let key = (object.namespace, object.policy, setting);
            let count = counts.entry(key).or_default();
            let number = Effect::ALL
                .iter()
                .zip(count)
                .find(|(known, _)| **known == effect);
            if let Some((_, number)) = number {
                *number = number.saturating_add(1);
            }
        }
    }
    let counts = counts.into_iter();
    counts
        .map(
            |((namespace, policy, setting), [refused, unknown, warned])| SettingSum {
                policy,
                namespace,
                setting,
                refused,
                unknown,
                warned,
            },
        )
        .collect()
}

/// The answer as JSON.
#[derive(Serialize)]
struct Report<'a> {
    verb: &'static str,
    ok: bool,
    /// How many objects were judged.
    objects: usize,
    refused: usize,
    unknown: usize,
    warned: usize,
    unseen: &'a [Unseen],
    settings: Vec<SettingSum<'a>>,
    results: &'a [StoredObject<'a>],
}

/// Prints the answer; returns how the run ends.
fn show(
    args: &AdmitArgs,
    answer: &StoredAnswer<'_>,
    unseen: &[Unseen],
    host: &mut dyn Host,
) -> Exit {
    let count = |effect: Effect| {
        let of_effect = answer.found.iter().filter(|found| found.result == effect);
        of_effect.count()
    };
    let [refused, unknown, warned] = Effect::ALL.map(count);
    let ok = refused == 0 && unknown == 0;
    let settings = sums(&answer.found);
    if args.output == Some(PlainForm::Json) {
        let report = Report {
            verb: "admit",
            ok,
            objects: answer.objects,
            refused,
            unknown,
            warned,
            unseen,
            settings,
            results: &answer.found,
        };
        host.out(&format!("{}\n", requests::print(&report)));
    } else {
        let mut text = table(&settings);
        let style = summary::style(args.text.color, host);
        for object in &answer.found {
            let name = match object.namespace {
                "" => object.name.to_owned(),
                namespace => format!("{namespace}/{}", object.name),
            };
            let sgr = match object.result {
                Effect::Refused | Effect::Unknown => "1;31",
                Effect::Warned => "1;33",
            };
            let result = style.paint(sgr, object.result.name());
            text.push_str(&format!(
                "{}: {} {name}: {result}\n",
                object.policy, object.kind
            ));
            for reason in &object.reasons {
                let warning = match reason.effect {
                    Effect::Warned if object.result != Effect::Warned => "warning: ",
                    _ => "",
                };
                let message = visible(&reason.message);
                text.push_str(&format!("    {}: {warning}{message}\n", reason.setting));
            }
        }
        let objects = summary::count(answer.objects, "object");
        text.push_str(&format!(
            "{objects} judged: {refused} would be refused, {unknown} cannot be judged, {warned} would cause a warning\n"
        ));
        host.out(&text);
    }
    if ok { Exit::Fine } else { Exit::Findings }
}

/// Writes the sums in columns; empty if there are none. Objects of the cluster have `-` for a namespace.
fn table(sums: &[SettingSum<'_>]) -> String {
    if sums.is_empty() {
        return String::new();
    }
    let heads = [
        "NAMESPACE",
        "POLICY",
        "SETTING",
        "REFUSED",
        "UNKNOWN",
        "WARNED",
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(sums.iter().map(|sum| {
        let namespace = if sum.namespace.is_empty() {
            "-"
        } else {
            sum.namespace
        };
        [
            namespace.to_owned(),
            sum.policy.to_owned(),
            sum.setting.to_owned(),
            sum.refused.to_string(),
            sum.unknown.to_string(),
            sum.warned.to_string(),
        ]
    }));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        out.push_str(line.join("  ").trim_end());
        out.push('\n');
    }
    out.push('\n');
    out
}
