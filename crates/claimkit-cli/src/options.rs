//! Every verb and option, read by clap. The comment of a field is the help of its option.
//!
//! A new option is a field of the struct of its verb; one that several verbs have is a field of a group (`FileArgs` to
//! `ConnectionArgs`).

use crate::values::{
    AssumedChange, ChartTool, ColorChoice, FieldValidationChoice, GateList, KnownCode, LabelList,
    LocaleChoice, NewNodeFile, OperationChoice, PatchTypeChoice, PlainForm, PolicyFormChoice,
    ReportForm, Subresource, TableForm, UsageTable, ViaChoice, merged,
};
use claimkit::list_selectors::labels::{self, LabelQuery};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Reads, validates, converts and places Kubernetes Dynamic Resource Allocation manifests
/// (resource.k8s.io) exactly as kubectl, kube-apiserver and kube-scheduler do
#[derive(Debug, Parser)]
#[command(
    name = "claimkit",
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    after_help = "A FILE is YAML or JSON. `-` is standard input. Folders are searched for *.yaml, *.yml and *.json.\n\
        Exit codes: 0 no errors; 1 findings; 2 unusable command line, unreadable file, or nothing to check.\n\
        `claimkit VERB --help` lists the options of a verb."
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub verb: Verb,
}

/// A verb with its options.
#[derive(Clone, Debug, Subcommand)]
pub enum Verb {
    /// Check manifests as kubectl and kube-apiserver do
    Validate(Box<ValidateArgs>),
    /// Convert manifests to another API version; change only what must change
    Convert(Box<ConvertArgs>),
    /// Show which nodes can use the claims of v1alpha1 and v1alpha2, and why not the others
    Evaluate(Box<EvaluateArgs>),
    /// Apply a patch to a stored object, print the result, and check it as the server does; --type apply can create the object
    Patch(Box<PatchArgs>),
    /// Show which devices pods and claims get on each node, and why none
    Allocate(Box<AllocateArgs>),
    /// Show what is wrong in a cluster as it is, and how much of its devices is in use
    Audit(Box<AuditArgs>),
    /// Explain why a pod of a running cluster waits, or all that wait; asks the kubectl on PATH and changes nothing
    Why(Box<WhyArgs>),
    /// Print everything of a running cluster that an answer depends on, as one List for the other verbs
    Snapshot(SnapshotArgs),
    /// Check a device selector (CEL) as kube-apiserver does, and show which devices it selects
    Cel(Box<CelArgs>),
    /// Print objects as the server decodes and defaults them
    Parse(Box<ParseArgs>),
    /// Answer AdmissionRequests (JSON), or manifests as if they were applied, as the admission policy does
    Admit(Box<AdmitArgs>),
    /// Print the settings of a policy in another form: ValidatingAdmissionPolicies
    Policy(PolicyArgs),
    /// Read one JSON request per line from standard input; answer each with one line of JSON
    Batch,
    /// Serve an editor: the language server on standard input and output
    Lsp(LspArgs),
    /// Print the JSON Schema of a kind, or of all kinds of a release
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completion(CompletionArgs),
    /// List the finding codes
    Codes(CodesArgs),
    /// List the supported Kubernetes releases
    Releases(ReleasesArgs),
}

// --- groups that several verbs have -----------------------------------------------------------------------------------

/// The files to work on.
#[derive(Args, Clone, Debug)]
pub struct FileArgs {
    /// files and folders; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// the same as FILE, as in kubectl
    #[arg(short = 'f', long = "filename", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub filenames: Vec<String>,
    /// accepted for kubectl's sake; folders are always searched
    #[arg(short = 'R', long)]
    pub recursive: bool,
    /// skip files whose path matches, such as 'charts/**'; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// The folder with a `claimkit.toml` of its own whose files are read; absent: all.
    #[arg(skip)]
    pub world: World,
}

/// The files of a command line that are read: a folder with a `claimkit.toml` of its own is a cluster of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum World {
    /// All files.
    #[default]
    All,
    /// Those of a folder; `None`: those of no such folder.
    Only(Option<String>),
}

impl FileArgs {
    /// Returns the names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().chain(&self.filenames).map(String::as_str)
    }

    /// Returns true if no file is given.
    pub fn is_empty(&self) -> bool {
        self.names().next().is_none()
    }

    /// Returns true if standard input is one of the files.
    pub fn has_stdin(&self) -> bool {
        self.names().any(|name| name == "-")
    }
}

/// The style of text output.
#[derive(Args, Clone, Debug)]
pub struct TextArgs {
    /// colors in text output; auto means on a terminal only
    #[arg(long, value_enum, default_value_t)]
    pub color: ColorChoice,
    /// show remarks, too, not only errors and warnings
    #[arg(long)]
    pub remarks: bool,
}

/// The weight of findings.
#[derive(Args, Clone, Debug)]
pub struct FindingArgs {
    /// leave out findings with this code; repeatable
    #[arg(long, value_name = "CODE")]
    pub ignore: Vec<KnownCode>,
    /// exit with 1 if there are warnings, or files for Helm or Kustomize that are left out
    #[arg(long)]
    pub warnings_as_errors: bool,
    /// print findings only, without a summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Feature gates over the defaults of the release.
#[derive(Args, Clone, Debug)]
pub struct GateArgs {
    /// feature gates that differ from the release's defaults: DRAAdminAccess=true,…; repeatable
    #[arg(long = "gates", value_name = "GATES", visible_aliases = ["gate", "feature-gates"])]
    pub lists: Option<Vec<GateList>>,
}

impl GateArgs {
    /// Returns what was given, as it was given.
    pub fn lists(&self) -> &[GateList] {
        self.lists.as_deref().unwrap_or_default()
    }

    /// Returns the gates; `None` if the option is not given.
    pub fn gates(&self) -> Option<BTreeMap<String, bool>> {
        let lists = self.lists.as_deref()?;
        Some(merged(lists).into_iter().collect())
    }
}

/// Labels of the request's namespace.
#[derive(Args, Clone, Debug)]
pub struct LabelArgs {
    /// labels of the request's namespace, which decide about admin access: KEY=VALUE,…; '' for none; default: not known
    #[arg(
        long = "namespace-labels",
        value_name = "LABELS",
        visible_alias = "namespace-label"
    )]
    pub namespace_labels: Option<Vec<LabelList>>,
}

impl LabelArgs {
    /// Returns what was given, as it was given.
    pub fn lists(&self) -> &[LabelList] {
        self.namespace_labels.as_deref().unwrap_or_default()
    }

    /// Returns the labels; `None` if they are not known.
    pub fn labels(&self) -> Option<BTreeMap<String, String>> {
        let lists = self.namespace_labels.as_deref()?;
        Some(merged(lists).into_iter().collect())
    }
}

/// The cluster that is asked, and the user who asks: options of kubectl.
#[derive(Args, Clone, Debug, Default)]
pub struct ConnectionArgs {
    /// kubectl's context; default: the current one
    #[arg(long, value_name = "CONTEXT")]
    pub context: Option<String>,
    /// file with kubectl's configuration
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub kubeconfig: Option<String>,
    /// the user to impersonate, as in kubectl
    #[arg(long = "as", value_name = "USER")]
    pub as_user: Option<String>,
    /// a group to impersonate, as in kubectl; repeatable
    #[arg(long, value_name = "GROUP")]
    pub as_group: Vec<String>,
    /// the UID to impersonate, as in kubectl
    #[arg(long, value_name = "UID")]
    pub as_uid: Option<String>,
    /// time that one request may take, as in kubectl; default: 60s
    #[arg(long, value_name = "DURATION")]
    pub request_timeout: Option<String>,
}

/// A flag of kubectl with its value.
#[derive(Debug)]
pub struct ConnectionFlag<'a> {
    pub name: &'static str,
    pub value: &'a str,
}

impl ConnectionArgs {
    /// Returns the flags that are given, in kubectl's order.
    pub fn flags(&self) -> Vec<ConnectionFlag<'_>> {
        let groups = self.as_group.iter().map(|group| ConnectionFlag {
            name: "as-group",
            value: group,
        });
        [
            flag("context", &self.context),
            flag("kubeconfig", &self.kubeconfig),
            flag("as", &self.as_user),
        ]
        .into_iter()
        .flatten()
        .chain(groups)
        .chain(flag("as-uid", &self.as_uid))
        .chain(flag("request-timeout", &self.request_timeout))
        .collect()
    }
}

fn flag<'a>(name: &'static str, value: &'a Option<String>) -> Option<ConnectionFlag<'a>> {
    value.as_deref().map(|value| ConnectionFlag { name, value })
}

// --- verbs ------------------------------------------------------------------------------------------------------------

/// What becomes of files of a folder that only Helm and Kustomize read.
const FILES_FOR_TOOLS: &str = "Helm and Kustomize files in folders are skipped: kubectl does not read them directly. Standard error names those with objects of \
    resource.k8s.io. They do not change the exit code unless --warnings-as-errors is given: check what their tool prints.";

/// The options of `validate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = FILES_FOR_TOOLS)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// show what breaks when these manifests are applied after an upgrade to this release, 1.31 or later
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["live", "fix", "old"])]
    pub to: Option<String>,
    #[command(flatten)]
    pub gates: GateArgs,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: ReportForm,
    #[command(flatten)]
    pub text: TextArgs,
    /// how to treat unknown and duplicate fields
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub field_validation: FieldValidationChoice,
    /// operation of the request; default: create, or update with --old
    #[arg(long, value_enum, requires_ifs = [("update", "old"), ("update-status", "old")])]
    pub operation: Option<OperationChoice>,
    /// the objects as the cluster stores them now
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub old: Option<String>,
    /// whose answer to give. kubectl: kubectl and the server together; server: the server alone, asked to store these objects; validator: only the server's validation functions
    #[arg(long, value_enum, default_value_t)]
    pub via: ViaChoice,
    /// namespace of the request; default: default
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// write fixes into the files, except those that delete something; with --diff, only show them
    #[arg(long)]
    pub fix: bool,
    /// with --fix: also apply fixes that delete something
    #[arg(long, requires = "fix")]
    pub unsafe_fixes: bool,
    /// with --fix: print the changes as a unified diff and write nothing
    #[arg(long, requires = "fix")]
    pub diff: bool,
    /// file name to show for standard input
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    #[command(flatten)]
    pub findings: FindingArgs,
    /// exit with 0 if no object of resource.k8s.io is found, for commit hooks
    #[arg(long)]
    pub allow_unchecked: bool,
    /// take release, gates, served versions and labels of namespaces from the cluster that kubectl reaches; `kubectl claimkit` does so always
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `convert`.
#[derive(Args, Clone, Debug)]
#[command(after_help = FILES_FOR_TOOLS)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// target version, v1alpha1 to v1; or a release, such as 1.36, for the newest version that it serves
    #[arg(
        long,
        value_name = "VERSION",
        required_unless_present = "show_settings"
    )]
    pub to: Option<String>,
    /// convert even if fields are lost or the result is not accepted, and list the losses
    #[arg(long)]
    pub allow_loss: bool,
    /// remove the metadata fields that only the server and `kubectl apply` write
    #[arg(long)]
    pub drop_server_fields: bool,
    /// write the assumptions of a conversion from v1alpha1 or v1alpha2 as comments into the text
    #[arg(long)]
    pub annotate: bool,
    /// replace the files with the converted text
    #[arg(short, long, conflicts_with_all = ["diff", "check"])]
    pub in_place: bool,
    /// print the changes as a unified diff
    #[arg(long)]
    pub diff: bool,
    /// list the files that would change; exit with 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub text: TextArgs,
    /// file name to show for standard input
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    #[command(flatten)]
    pub findings: FindingArgs,
    /// exit with 0 if no object of resource.k8s.io is found, for commit hooks
    #[arg(long)]
    pub allow_unchecked: bool,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `evaluate`.
#[derive(Args, Clone, Debug)]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// nodes, as `kubectl get nodes -o json` or `-o yaml` prints them; repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "show_settings")]
    pub nodes: Vec<String>,
    /// explain this node in full and show no other; repeatable
    #[arg(long, value_name = "NAME")]
    pub node: Vec<String>,
    /// evaluate this bare NodeSelector instead of manifests
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "filenames"])]
    pub selector: Option<String>,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// form of the output; `wide` is a table with the scheduler's own words
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: TableForm,
    #[command(flatten)]
    pub text: TextArgs,
    /// exit with 1 if no node can use a claim
    #[arg(long)]
    pub require_node: bool,
    #[command(flatten)]
    pub findings: FindingArgs,
    /// exit with 0 if no object of resource.k8s.io is found, for commit hooks
    #[arg(long)]
    pub allow_unchecked: bool,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `patch`.
#[derive(Args, Clone, Debug)]
#[command(allow_missing_positional = true)]
pub struct PatchArgs {
    /// the stored object; without it, --type apply creates one
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub old: Option<String>,
    /// patch of the stored object
    #[arg(value_name = "PATCH", value_hint = ValueHint::FilePath)]
    pub patch: String,
    /// patch type, as in kubectl
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value_t)]
    pub patch_type: PatchTypeChoice,
    /// patch the status, not the object
    #[arg(long, value_enum)]
    pub subresource: Option<Subresource>,
    /// field manager, recorded in managedFields; required with --type apply
    #[arg(long, value_name = "NAME")]
    pub field_manager: Option<String>,
    /// with --type apply: take over fields of other managers
    #[arg(long)]
    pub force_conflicts: bool,
    /// time of the request, recorded in managedFields, such as 2024-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// print the difference from the stored object as a JSON patch, not the object
    #[arg(long)]
    pub changes: bool,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    #[command(flatten)]
    pub gates: GateArgs,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// how to treat unknown and duplicate fields
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub field_validation: FieldValidationChoice,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub text: TextArgs,
}

/// The options of `allocate`.
#[derive(Args, Clone, Debug)]
pub struct AllocateArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// only this pod: NAMESPACE/NAME
    #[arg(long, value_name = "NAME")]
    pub pod: Option<String>,
    /// explain this node only, whatever node a pod gets; repeatable
    #[arg(long, value_name = "NAME")]
    pub node: Vec<String>,
    /// objects of the cluster; the question is then about the pods and claims of the other files; repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cluster: Vec<String>,
    /// place each pod as if no other pod waited, by its devices only: taints, cpu, volumes and other rules are not looked at; default: all pods in turn, in the scheduler's order
    #[arg(long)]
    pub alone: bool,
    /// repeat one pod until no more fits, and show how many do and why one more does not: --pod, or the only one of the files
    #[arg(long)]
    pub how_many: bool,
    /// answer as if this change were made: free=CLAIM, untaint=KEY, without-rule=NAME or node-like=NODE*COUNT; repeatable
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<AssumedChange>,
    /// answer as if there were COUNT more nodes like NODE, with nothing in use; the same as --what-if node-like=NODE*COUNT; repeatable
    #[arg(long, value_name = "NODE*COUNT")]
    pub node_like: Vec<String>,
    /// answer as if there were COUNT more nodes like the one that FILE describes: a Node and its ResourceSlices, the slices alone, or an object of Cluster API or Karpenter; repeatable
    #[arg(long, value_name = "FILE*COUNT", value_hint = ValueHint::FilePath)]
    pub new_node: Vec<NewNodeFile>,
    /// show how many nodes of each FILE of --new-node the pods that wait need, and of several together; COUNT is then the most
    #[arg(long, requires = "new_node", conflicts_with_all = ["alone", "how_many", "node", "pod"])]
    pub nodes_needed: bool,
    /// current time, such as 2026-05-04T03:02:01Z, which lets devices that are not ready for binding time out; default: nothing times out
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// exit with 1 if a pod or claim fits on no node
    #[arg(long, conflicts_with = "alone")]
    pub require: bool,
    /// Kubernetes release to follow, 1.31 or later, such as 1.34 or 1.34.2; default: the one that kubelets and stored objects show, else the newest
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    #[command(flatten)]
    pub gates: GateArgs,
    /// namespace of the request; default: default
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub text: TextArgs,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `audit`.
#[derive(Args, Clone, Debug)]
pub struct AuditArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// show only this table of use, with every row; repeatable
    #[arg(long, value_enum, value_name = "TABLE")]
    pub by: Vec<UsageTable>,
    /// Kubernetes release to follow, 1.31 or later, such as 1.34 or 1.34.2; default: the one that kubelets and stored objects show, else the newest
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// show what breaks when the cluster goes to this release, 1.31 or later
    #[arg(long, value_name = "RELEASE", conflicts_with = "by")]
    pub to: Option<String>,
    #[command(flatten)]
    pub gates: GateArgs,
    /// namespace of the request; default: default
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    /// colors in text output; auto means on a terminal only
    #[arg(long, value_enum, default_value_t)]
    pub color: ColorChoice,
    #[command(flatten)]
    pub findings: FindingArgs,
    /// read the cluster that kubectl reaches, instead of files; `kubectl claimkit` does so where no file is given
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `why`.
#[derive(Args, Clone, Debug)]
pub struct WhyArgs {
    /// pods, or what makes pods, such as deployment/web; without them, all pods that wait
    #[arg(value_name = "POD")]
    pub pods: Vec<String>,
    /// of all pods that wait, those with these labels, as kubectl takes them: app=web,tier!=test
    #[arg(short = 'l', long, value_name = "LABELS", value_parser = labels::parse, conflicts_with = "pods")]
    pub selector: Option<LabelQuery>,
    /// files that kubectl printed, and folders of them, instead of a running cluster; `-` is standard input; repeatable
    #[arg(short = 'f', long = "filename", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub filenames: Vec<String>,
    /// namespace of the pods; default: that of kubectl's context
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// all pods that wait, in all namespaces
    #[arg(short = 'A', long, conflicts_with = "pods")]
    pub all_namespaces: bool,
    /// only this node; repeatable
    #[arg(long, value_name = "NAME")]
    pub node: Vec<String>,
    /// say everything: all groups of nodes, all changes that help, and each pod in full
    #[arg(long)]
    pub all: bool,
    /// place each pod as if no other pod waited, by its devices only: taints, cpu, volumes and other rules are not looked at; default: all pods in turn, in the scheduler's order
    #[arg(long)]
    pub alone: bool,
    /// answer as if this change were made: free=CLAIM, untaint=KEY, without-rule=NAME or node-like=NODE*COUNT; repeatable
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<AssumedChange>,
    /// answer as if there were COUNT more nodes like the one that FILE describes: a Node and its ResourceSlices, the slices alone, or an object of Cluster API or Karpenter; repeatable
    #[arg(long, value_name = "FILE*COUNT", value_hint = ValueHint::FilePath)]
    pub new_node: Vec<NewNodeFile>,
    /// exit with 1 if a pod gets no node; with --watch: end when the pods run, or none waits
    #[arg(long, conflicts_with = "alone")]
    pub require: bool,
    /// ask again every SECONDS, and print what changed with the time; default: 10, or as long as nine answers take
    #[arg(short, long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, conflicts_with = "filenames")]
    pub watch: Option<Option<NonZeroU32>>,
    /// accepted, for this verb asks the cluster unless files are given
    #[arg(long, conflicts_with = "filenames")]
    pub live: bool,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; default: the server's
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// feature gates that differ from the release's defaults: DRAAdminAccess=true,…; repeatable; default: what kube-apiserver's metrics show
    #[arg(long, value_name = "GATES", visible_aliases = ["gate", "feature-gates"])]
    pub gates: Option<Vec<GateList>>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The options of `snapshot`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Without --redact, names, labels and annotations stay; what containers run and read, their environment, and addresses and images of nodes are always left out.\n\
        With --redact, drivers, classes, devices with their attributes and taints, selectors, taint keys, label keys that anything selects by, amounts, times, \
        numbers of up to three digits in names and the words kube and system stay, for they decide; sentences of conditions and events stay with the names in them replaced: read them before you pass the file on."
)]
pub struct SnapshotArgs {
    /// files that kubectl printed, and folders of them, instead of a running cluster; `-` is standard input; repeatable
    #[arg(short = 'f', long = "filename", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub filenames: Vec<String>,
    /// replace names, each by the same one everywhere and in the same order, and drop what no answer needs: answers stay the same
    #[arg(long)]
    pub redact: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

impl WhyArgs {
    /// Returns the gates; `None` if the option is not given.
    pub fn gates(&self) -> Option<BTreeMap<String, bool>> {
        let lists = self.gates.as_deref()?;
        Some(merged(lists).into_iter().collect())
    }
}

/// The options of `cel`.
#[derive(Args, Clone, Debug)]
pub struct CelArgs {
    /// the expression, in quotes
    #[arg(value_name = "EXPR")]
    pub expression: String,
    /// a device or a ResourceSlice, YAML or JSON; repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub device: Vec<String>,
    /// Kubernetes release to follow, 1.31 or later, such as 1.34 or 1.34.2; default: the newest
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    #[command(flatten)]
    pub gates: GateArgs,
    /// the expression is stored already: allow every function that the release can run
    #[arg(long)]
    pub stored: bool,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
}

/// The options of `parse`.
#[derive(Args, Clone, Debug)]
pub struct ParseArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// print only objects with these labels, as `kubectl get -l`
    #[arg(short, long, value_name = "SELECTOR")]
    pub label_selector: Option<String>,
    /// print only objects with these fields, as `kubectl get --field-selector`
    #[arg(long, value_name = "SELECTOR")]
    pub field_selector: Option<String>,
    /// namespace of the request; default: default
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: ReportForm,
    #[command(flatten)]
    pub text: TextArgs,
    /// how to treat unknown and duplicate fields
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub field_validation: FieldValidationChoice,
    /// print only the JSON that kubectl makes of the first YAML document
    #[arg(long)]
    pub raw: bool,
    /// file name to show for standard input
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    #[command(flatten)]
    pub findings: FindingArgs,
    /// exit with 0 if no object of resource.k8s.io is found, for commit hooks
    #[arg(long)]
    pub allow_unchecked: bool,
    /// print the settings in force and their origin, then exit
    #[arg(long)]
    pub show_settings: bool,
}

/// The options of `admit`.
#[derive(Args, Clone, Debug)]
pub struct AdmitArgs {
    #[command(flatten)]
    pub files: FileArgs,
    /// policy settings, or a ClusterAdmissionPolicy with settings, YAML or JSON; default: none
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub settings: Option<String>,
    /// the stored objects: what a manifest has of these is an update, the rest is new
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub old: Option<String>,
    /// judge objects as they are stored: what a policy would refuse once it is switched on, summed up by namespace and setting
    #[arg(long, conflicts_with = "old")]
    pub stored: bool,
    /// judge the cluster that kubectl reaches, beside the files; goes with --stored
    #[arg(long, requires = "stored")]
    pub live: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// namespace of the request; default: default
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// user of the requests about manifests
    #[arg(long, value_name = "NAME", default_value = "kubernetes-admin")]
    pub user: String,
    /// group of that user, besides system:authenticated; repeatable
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,
    /// form of the output; default: text, or lines of JSON for requests alone
    #[arg(short, long, value_enum, value_name = "FORM")]
    pub output: Option<PlainForm>,
    #[command(flatten)]
    pub text: TextArgs,
    /// file name to show for standard input
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
}

/// The options of `policy`.
#[derive(Args, Clone, Debug)]
pub struct PolicyArgs {
    /// settings, or a ClusterAdmissionPolicy
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: String,
    /// form to print. vap: ValidatingAdmissionPolicies and their bindings, with a comment for each setting that CEL cannot hold; map: MutatingAdmissionPolicies for defaults and fallbacks; kyverno: ValidatingPolicies of Kyverno
    #[arg(long = "as", value_enum, value_name = "FORM", required = true)]
    pub form: PolicyFormChoice,
}

/// The options of `lsp`.
#[derive(Args, Clone, Copy, Debug)]
pub struct LspArgs {
    /// accepted, for standard input and output are the only way
    #[arg(long)]
    pub stdio: bool,
}

/// The options of `schema`.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// the kind; without it, all kinds
    #[arg(value_name = "KIND")]
    pub kind: Option<String>,
    /// Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest
    #[arg(short, long, value_name = "RELEASE")]
    pub release: Option<String>,
    #[command(flatten)]
    pub locale: LocaleArgs,
}

/// The options of `completion`.
#[derive(Args, Clone, Debug)]
pub struct CompletionArgs {
    /// shell that reads the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The options of `codes`.
#[derive(Args, Clone, Debug)]
pub struct CodesArgs {
    /// only these codes of all
    #[arg(value_name = "CODE")]
    pub codes: Vec<KnownCode>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub locale: LocaleArgs,
}

/// The options of `releases`.
#[derive(Args, Clone, Debug)]
pub struct ReleasesArgs {
    /// only this release, such as 1.36 or 1.36.2
    #[arg(value_name = "RELEASE")]
    pub release: Option<String>,
    /// print what makes a renderer of charts take that release for its cluster: the options of `helm template` or of `kustomize build`, or what a suite of helm-unittest holds; default: the newest release
    #[arg(long, value_enum, value_name = "TOOL", num_args = 0..=1, require_equals = true, default_missing_value = "helm", conflicts_with = "output")]
    pub helm: Option<ChartTool>,
    /// form of the output
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    pub output: PlainForm,
    #[command(flatten)]
    pub locale: LocaleArgs,
}

/// The language of claimkit's own sentences.
#[derive(Args, Clone, Debug)]
pub struct LocaleArgs {
    /// language of claimkit's own sentences; default: en
    #[arg(long, value_enum)]
    locale: Option<LocaleChoice>,
}

impl LocaleArgs {
    /// Returns the name of the locale's file.
    pub fn name(&self) -> Option<String> {
        self.locale.map(|locale| locale.name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn options_are_consistent_and_have_help() {
        let command = CommandLine::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands() {
            assert!(verb.get_about().is_some(), "{}", verb.get_name());
            for option in verb.get_arguments() {
                let name = format!("{} {}", verb.get_name(), option.get_id());
                assert!(option.get_help().is_some(), "{name}");
            }
        }
    }
}
