//! The values of options.

use claimkit::policy::vap::PolicyForm;
use claimkit::requests::request::{self, FieldValidation};
use claimkit_model::finding::Code;
use claimkit_model::nearest;
use claimkit_model::object::decode;
use claimkit_scheduler::allocator::what_if::{WhatIf, WhatIfForm};
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlainForm {
    #[default]
    Text,
    Json,
}

/// A tool that renders charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChartTool {
    Helm,
    Kustomize,
    HelmUnittest,
}

/// The form of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableForm {
    #[default]
    Text,
    Wide,
    Json,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    #[default]
    Text,
    Json,
    Sarif,
    Github,
    Junit,
}

/// When text has colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// The treatment of unknown and duplicate fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FieldValidationChoice {
    #[default]
    Strict,
    Warn,
    Ignore,
}

impl From<FieldValidationChoice> for FieldValidation {
    fn from(choice: FieldValidationChoice) -> Self {
        match choice {
            FieldValidationChoice::Strict => FieldValidation::Strict,
            FieldValidationChoice::Warn => FieldValidation::Warn,
            FieldValidationChoice::Ignore => FieldValidation::Ignore,
        }
    }
}

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OperationChoice {
    Create,
    Update,
    UpdateStatus,
}

/// The component whose answer is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViaChoice {
    #[default]
    Kubectl,
    Server,
    Validator,
}

impl From<ViaChoice> for decode::Via {
    fn from(choice: ViaChoice) -> Self {
        match choice {
            ViaChoice::Kubectl => decode::Via::Kubectl,
            ViaChoice::Server => decode::Via::Server,
            ViaChoice::Validator => decode::Via::Validator,
        }
    }
}

/// The type of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PatchTypeChoice {
    Json,
    Merge,
    #[default]
    Strategic,
    Apply,
}

impl From<PatchTypeChoice> for request::PatchType {
    fn from(choice: PatchTypeChoice) -> Self {
        match choice {
            PatchTypeChoice::Json => request::PatchType::Json,
            PatchTypeChoice::Merge => request::PatchType::Merge,
            PatchTypeChoice::Strategic => request::PatchType::Strategic,
            PatchTypeChoice::Apply => request::PatchType::Apply,
        }
    }
}

/// A subresource that can be patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subresource {
    Status,
}

/// A form of a policy's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyFormChoice {
    Vap,
    Map,
    Kyverno,
}

impl From<PolicyFormChoice> for PolicyForm {
    fn from(choice: PolicyFormChoice) -> Self {
        match choice {
            PolicyFormChoice::Vap => PolicyForm::Validating,
            PolicyFormChoice::Map => PolicyForm::Mutating,
            PolicyFormChoice::Kyverno => PolicyForm::Kyverno,
        }
    }
}

/// The language of claimkit's own sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LocaleChoice {
    En,
    #[value(name = "zh-Hans")]
    ZhHans,
}

impl LocaleChoice {
    /// Returns the name of the locale's file.
    pub fn name(self) -> &'static str {
        match self {
            LocaleChoice::En => "en",
            LocaleChoice::ZhHans => "zh-Hans",
        }
    }
}

/// A table of what is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UsageTable {
    Driver,
    Class,
    Namespace,
    Node,
    Pool,
}

impl UsageTable {
    /// Returns the word of `--by`.
    pub fn name(self) -> &'static str {
        match self {
            UsageTable::Driver => "driver",
            UsageTable::Class => "class",
            UsageTable::Namespace => "namespace",
            UsageTable::Node => "node",
            UsageTable::Pool => "pool",
        }
    }
}

/// The code of a finding: a mistyped one would silently match nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownCode(pub Code);

impl FromStr for KnownCode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Some(code) = Code::ALL.iter().find(|code| code.name() == name) {
            return Ok(KnownCode(*code));
        }
        Err(match closest_code(name) {
            Some(code) => format!("there is no such code; did you mean `{code}`?"),
            None => "there is no such code; `claimkit codes` lists them".to_owned(),
        })
    }
}

/// Finds the code that is nearly `name`: at most a third of its letters differ.
fn closest_code(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return None;
    }
    let letters = name.chars().count();
    let most = letters.checked_div(3).unwrap_or(0).max(1);
    Code::ALL
        .iter()
        .map(|code| (nearest::distance(name, code.name()), code.name()))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, code)| code)
}

/// Feature gates in the syntax of the Kubernetes components: `NAME=true,…`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateList(Vec<(String, bool)>);

impl From<BTreeMap<String, bool>> for GateList {
    fn from(gates: BTreeMap<String, bool>) -> Self {
        GateList(gates.into_iter().collect())
    }
}

impl FromStr for GateList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let gates = pairs(text).map(|(pair, name, value)| match value {
            Some("true" | "True" | "TRUE" | "t" | "T" | "1") => Ok((name.to_owned(), true)),
            Some("false" | "False" | "FALSE" | "f" | "F" | "0") => Ok((name.to_owned(), false)),
            _ => Err(format!("`{pair}`: write `NAME=true` or `NAME=false`")),
        });
        gates.collect::<Result<_, _>>().map(GateList)
    }
}

/// Labels: `KEY=VALUE,…`; an empty text is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelList(Vec<(String, String)>);

impl From<BTreeMap<String, String>> for LabelList {
    fn from(labels: BTreeMap<String, String>) -> Self {
        LabelList(labels.into_iter().collect())
    }
}

impl FromStr for LabelList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let labels = pairs(text).map(|(pair, key, value)| match value {
            Some(value) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("`{pair}`: write `KEY=VALUE`")),
        });
        labels.collect::<Result<_, _>>().map(LabelList)
    }
}

/// Splits a list of pairs: each pair, its name, and its value if there is one.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str, Option<&str>)> {
    let pairs = text.split(',').filter(|pair| !pair.is_empty());
    pairs.map(|pair| match pair.split_once('=') {
        Some((name, value)) => (pair, name, Some(value)),
        None => (pair, pair, None),
    })
}

/// A list of names with values that an option may give several times.
pub trait PairList {
    type Value: Clone;

    fn pairs(&self) -> &[(String, Self::Value)];
}

impl PairList for GateList {
    type Value = bool;

    fn pairs(&self) -> &[(String, bool)] {
        &self.0
    }
}

impl PairList for LabelList {
    type Value = String;

    fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

/// Joins lists; the last value of a name counts.
pub fn merged<L: PairList>(lists: &[L]) -> Vec<(String, L::Value)> {
    let mut merged: Vec<(String, L::Value)> = Vec::new();
    for (name, value) in lists.iter().flat_map(|list| list.pairs()) {
        match merged.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value.clone(),
            None => merged.push((name.clone(), value.clone())),
        }
    }
    merged
}

/// A kind of change that a question assumes.
#[derive(Debug)]
pub struct ChangeKind {
    /// The word of `--what-if`.
    pub word: &'static str,
    /// The member of a request that it goes to.
    pub member: &'static str,
    list: fn(&mut WhatIf) -> &mut Vec<String>,
}

impl ChangeKind {
    /// Adds a change of this kind to a question. `name`: the claim, taint, rule or node.
    fn add_to(&self, what_if: &mut WhatIf, name: String) {
        let list = (self.list)(what_if);
        list.push(name);
    }
}

/// The changes of the command line. `www/src/state/whatif.ts` has the same.
pub const CHANGES: &[ChangeKind] = &[
    ChangeKind {
        word: "free",
        member: "free",
        list: |what_if| &mut what_if.free,
    },
    ChangeKind {
        word: "untaint",
        member: "untaint",
        list: |what_if| &mut what_if.untaint,
    },
    ChangeKind {
        word: "without-rule",
        member: "withoutRules",
        list: |what_if| &mut what_if.without_rules,
    },
    ChangeKind {
        word: "node-like",
        member: "nodesLike",
        list: |what_if| &mut what_if.nodes_like,
    },
];

/// A change that a question assumes: `free=CLAIM`.
#[derive(Clone, Debug)]
pub struct AssumedChange {
    kind: &'static ChangeKind,
    name: String,
}

impl FromStr for AssumedChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((word, name)) = text.split_once('=')
            && !name.is_empty()
            && let Some(kind) = CHANGES.iter().find(|kind| kind.word == word)
        {
            return Ok(AssumedChange {
                kind,
                name: name.to_owned(),
            });
        }
        let known: Vec<String> = CHANGES
            .iter()
            .map(|kind| format!("{}=…", kind.word))
            .collect();
        Err(format!("write one of {}", known.join(", ")))
    }
}

/// A file that describes nodes which do not exist yet: `FILE` or `FILE*COUNT`.
#[derive(Clone, Debug)]
pub struct NewNodeFile {
    pub file: String,
    pub count: NonZeroUsize,
    /// The count is written.
    pub is_counted: bool,
}

impl FromStr for NewNodeFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (file, count) = match text.rsplit_once('*') {
            Some((file, count)) => (file, count.parse().ok()),
            None => (text, Some(NonZeroUsize::MIN)),
        };
        match count {
            Some(count) if !file.is_empty() => Ok(NewNodeFile {
                file: file.to_owned(),
                count,
                is_counted: file.len() < text.len(),
            }),
            _ => Err("write the file and how many nodes, such as `node.yaml*3`".to_owned()),
        }
    }
}

/// Returns the question that changes and copies of nodes make.
pub fn what_if(changes: &[AssumedChange], nodes_like: &[String]) -> WhatIf {
    let mut what_if = WhatIf {
        form: WhatIfForm::CommandLine,
        ..WhatIf::default()
    };
    for change in changes {
        change.kind.add_to(&mut what_if, change.name.clone());
    }
    what_if.nodes_like.extend(nodes_like.iter().cloned());
    what_if
}
