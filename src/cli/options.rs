//! Every verb and option, in one table for parsing, help and completion.

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// Any text; the help shows this name for it.
    Text(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// An option of the command line.
#[derive(Debug)]
pub struct Opt {
    /// Its name without the dashes.
    pub name: &'static str,
    pub short: Option<char>,
    /// Aliases, as other tools name the option.
    pub also: &'static [&'static str],
    pub takes: Takes,
    /// Whether it may be given more than once.
    pub many: bool,
    pub about: &'static str,
}

/// A verb of the command line.
#[derive(Debug)]
pub struct CommandVerb {
    pub name: &'static str,
    /// The name of its operands in the help; empty if it takes none.
    pub operands: &'static str,
    pub about: &'static str,
    /// The options it takes, besides `--help`.
    pub options: &'static [&'static Opt],
}

/// Returns an option that may be given more than once.
const fn many(name: &'static str, takes: Takes, about: &'static str) -> Opt {
    Opt {
        name,
        short: None,
        also: &[],
        takes,
        many: true,
        about,
    }
}

const fn opt(name: &'static str, short: Option<char>, takes: Takes, about: &'static str) -> Opt {
    Opt {
        name,
        short,
        also: &[],
        takes,
        many: false,
        about,
    }
}

/// Returns an option for feature gates.
const fn gates(about: &'static str) -> Opt {
    Opt {
        name: "gates",
        short: None,
        also: &["gate", "feature-gates"],
        takes: Takes::Text("GATES"),
        many: true,
        about,
    }
}

static RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release to follow, such as 1.34 or 1.34.2; `claimkit releases` lists them; default: the newest release that serves the object's version",
);
static OUTPUT: Opt = opt(
    "output",
    Some('o'),
    Takes::OneOf(&["text", "json", "sarif", "github", "junit"]),
    "output format; default: text",
);
static OUTPUT_PLAIN: Opt = opt(
    "output",
    Some('o'),
    Takes::OneOf(&["text", "json"]),
    "output format; default: text",
);
static OUTPUT_TABLE: Opt = opt(
    "output",
    Some('o'),
    Takes::OneOf(&["text", "wide", "json"]),
    "output format; `wide` is a table with the scheduler's own words; default: text",
);
static COLOR: Opt = opt(
    "color",
    None,
    Takes::OneOf(&["auto", "always", "never"]),
    "colours in text output; default: auto, which means on a terminal only",
);
static FIELD_VALIDATION: Opt = opt(
    "field-validation",
    None,
    Takes::OneOf(&["strict", "warn", "ignore"]),
    "how to treat unknown and duplicate fields; default: strict, as in kubectl",
);
static REMARKS: Opt = opt(
    "remarks",
    None,
    Takes::Nothing,
    "show remarks, too, not only errors and warnings",
);
static OPERATION: Opt = opt(
    "operation",
    None,
    Takes::OneOf(&["create", "update", "update-status"]),
    "operation of the request; default: create, or update with --old",
);
static OLD: Opt = opt(
    "old",
    None,
    Takes::Text("FILE"),
    "the objects as the cluster stores them now",
);
static VIA: Opt = opt(
    "via",
    None,
    Takes::OneOf(&["kubectl", "server", "validator"]),
    "whose answer to give. kubectl: kubectl and the server together; server: the server alone, asked to store these objects; validator: only the server's validation functions; default: kubectl",
);
static NAMESPACE: Opt = opt(
    "namespace",
    Some('n'),
    Takes::Text("NAMESPACE"),
    "namespace of the request; default: default",
);
static TO: Opt = opt(
    "to",
    None,
    Takes::Text("VERSION"),
    "target version, v1alpha1 to v1; or a release, such as 1.36, for the newest version that it serves",
);
static ALLOW_LOSS: Opt = opt(
    "allow-loss",
    None,
    Takes::Nothing,
    "convert even if fields are lost, and list the losses",
);
static DROP_SERVER_FIELDS: Opt = opt(
    "drop-server-fields",
    None,
    Takes::Nothing,
    "remove the metadata fields that only the server and `kubectl apply` write",
);
static ANNOTATE: Opt = opt(
    "annotate",
    None,
    Takes::Nothing,
    "write the assumptions of a conversion from v1alpha1 or v1alpha2 as comments into the text",
);
static IN_PLACE: Opt = opt(
    "in-place",
    Some('i'),
    Takes::Nothing,
    "replace the files with the converted text",
);
static DIFF: Opt = opt(
    "diff",
    None,
    Takes::Nothing,
    "print the changes as a unified diff",
);
static CHECK: Opt = opt(
    "check",
    None,
    Takes::Nothing,
    "list the files that would change; exit with 1 if there are any",
);
static NODES: Opt = Opt {
    name: "nodes",
    short: None,
    also: &[],
    takes: Takes::Text("FILE"),
    many: true,
    about: "nodes, as `kubectl get nodes -o json` or `-o yaml` prints them; repeatable",
};
static NODE: Opt = Opt {
    name: "node",
    short: None,
    also: &[],
    takes: Takes::Text("NAME"),
    many: true,
    about: "explain this node in full and show no other; repeatable",
};
static SELECTOR: Opt = opt(
    "selector",
    None,
    Takes::Text("FILE"),
    "evaluate this bare NodeSelector instead of manifests",
);
static LOCALE: Opt = opt(
    "locale",
    None,
    Takes::OneOf(&["en", "zh-Hans"]),
    "language of claimkit's own sentences; default: en",
);
static SETTINGS: Opt = opt(
    "settings",
    None,
    Takes::Text("FILE"),
    "policy settings, or a ClusterAdmissionPolicy with settings, YAML or JSON; default: none",
);
static AS: Opt = opt(
    "as",
    None,
    Takes::OneOf(&["vap"]),
    "form to print. vap: ValidatingAdmissionPolicies and their bindings, with a comment for each setting that CEL cannot hold",
);
static USER: Opt = opt(
    "user",
    None,
    Takes::Text("NAME"),
    "user of the requests about manifests; default: kubernetes-admin",
);
static GROUP: Opt = many(
    "group",
    Takes::Text("NAME"),
    "group of that user, besides system:authenticated; repeatable",
);
static OLD_OBJECTS: Opt = opt(
    "old",
    None,
    Takes::Text("FILE"),
    "the stored objects: what a manifest has of these is an update, the rest is new",
);
static RAW: Opt = opt(
    "raw",
    None,
    Takes::Nothing,
    "print only the JSON that kubectl makes of the first YAML document",
);
static LABEL_SELECTOR: Opt = opt(
    "label-selector",
    Some('l'),
    Takes::Text("SELECTOR"),
    "print only objects with these labels, as `kubectl get -l`",
);
static FIELD_SELECTOR: Opt = opt(
    "field-selector",
    None,
    Takes::Text("SELECTOR"),
    "print only objects with these fields, as `kubectl get --field-selector`",
);
static TYPE: Opt = opt(
    "type",
    None,
    Takes::OneOf(&["json", "merge", "strategic", "apply"]),
    "patch type; default: strategic, as in kubectl",
);
static SUBRESOURCE: Opt = opt(
    "subresource",
    None,
    Takes::OneOf(&["status"]),
    "patch the status",
);
static FIELD_MANAGER: Opt = opt(
    "field-manager",
    None,
    Takes::Text("NAME"),
    "field manager, recorded in managedFields; required with --type apply",
);
static FORCE_CONFLICTS: Opt = opt(
    "force-conflicts",
    None,
    Takes::Nothing,
    "with --type apply: take over fields of other managers",
);
static TIME: Opt = opt(
    "time",
    None,
    Takes::Text("TIME"),
    "time of the request, recorded in managedFields, such as 2024-01-31T12:00:00Z",
);
static CHANGES: Opt = opt(
    "changes",
    None,
    Takes::Nothing,
    "print the difference from the stored object as a JSON patch, not the object",
);

static FILENAME: Opt = Opt {
    name: "filename",
    short: Some('f'),
    also: &[],
    takes: Takes::Text("FILE"),
    many: true,
    about: "the same as FILE, as in kubectl",
};
static RECURSIVE: Opt = opt(
    "recursive",
    Some('R'),
    Takes::Nothing,
    "accepted for kubectl's sake; folders are always searched",
);
static EXCLUDE: Opt = many(
    "exclude",
    Takes::Text("PATTERN"),
    "skip files whose path matches, such as 'charts/**'; repeatable",
);
static IGNORE: Opt = many(
    "ignore",
    Takes::Text("CODE"),
    "leave out findings with this code; repeatable",
);
static WARNINGS_AS_ERRORS: Opt = opt(
    "warnings-as-errors",
    None,
    Takes::Nothing,
    "exit with 1 if there are warnings",
);
static QUIET: Opt = opt(
    "quiet",
    Some('q'),
    Takes::Nothing,
    "print findings only, without a summary",
);
static ALLOW_UNCHECKED: Opt = opt(
    "allow-unchecked",
    None,
    Takes::Nothing,
    "exit with 0 if no object of resource.k8s.io is found, for commit hooks",
);
static STDIN_FILENAME: Opt = opt(
    "stdin-filename",
    None,
    Takes::Text("NAME"),
    "file name to show for standard input",
);
static FIX: Opt = opt(
    "fix",
    None,
    Takes::Nothing,
    "write fixes into the files, except those that delete something; with --diff, only show them",
);
static UNSAFE_FIXES: Opt = opt(
    "unsafe-fixes",
    None,
    Takes::Nothing,
    "with --fix: also apply fixes that delete something",
);
static FIX_DIFF: Opt = opt(
    "diff",
    None,
    Takes::Nothing,
    "with --fix: print the changes as a unified diff and write nothing",
);
static REQUIRE_NODE: Opt = opt(
    "require-node",
    None,
    Takes::Nothing,
    "exit with 1 if no node can use a claim",
);
static SHOW_SETTINGS: Opt = opt(
    "show-settings",
    None,
    Takes::Nothing,
    "print the settings in force and their origin, then exit",
);
static DEVICE_RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release to follow, 1.31 or later, such as 1.34 or 1.34.2; default: the newest",
);
static GATES: Opt = gates(
    "feature gates that differ from the release's defaults: DRAAdminAccess=true,…; repeatable",
);
static NAMESPACE_LABELS: Opt = Opt {
    name: "namespace-labels",
    short: None,
    also: &["namespace-label"],
    takes: Takes::Text("LABELS"),
    many: true,
    about: "labels of the request's namespace, which decide about admin access: KEY=VALUE,…; '' for none; default: not known",
};
static STORED: Opt = opt(
    "stored",
    None,
    Takes::Nothing,
    "the expression is stored already: allow every function that the release can run",
);
static DEVICE: Opt = many(
    "device",
    Takes::Text("FILE"),
    "a device or a ResourceSlice, YAML or JSON; repeatable",
);
static POD: Opt = opt(
    "pod",
    None,
    Takes::Text("NAME"),
    "only this pod: NAMESPACE/NAME",
);
static ONLY_NODE: Opt = many("node", Takes::Text("NAME"), "only this node; repeatable");
static CLUSTER: Opt = many(
    "cluster",
    Takes::Text("FILE"),
    "objects of the cluster; the question is then about the pods and claims of the other files; repeatable",
);
static WHAT_IF: Opt = many(
    "what-if",
    Takes::Text("CHANGE"),
    "answer as if this change were made: free=CLAIM, untaint=KEY, without-rule=NAME or node-like=NODE*COUNT; repeatable",
);
static ALONE: Opt = opt(
    "alone",
    None,
    Takes::Nothing,
    "place each pod as if no other pod waited; default: all pods in turn, in the scheduler's order",
);
static HOW_MANY: Opt = opt(
    "how-many",
    None,
    Takes::Nothing,
    "repeat one pod until no more fits, and show how many do and why one more does not: --pod, or the only one of the files",
);
static NODE_LIKE: Opt = many(
    "node-like",
    Takes::Text("NODE*COUNT"),
    "answer as if there were COUNT more nodes like NODE, with nothing in use; the same as --what-if node-like=NODE*COUNT; repeatable",
);
static NOW: Opt = opt(
    "now",
    None,
    Takes::Text("TIME"),
    "current time, such as 2026-05-04T03:02:01Z, which lets devices that are not ready for binding time out; default: nothing times out",
);
static REQUIRE: Opt = opt(
    "require",
    None,
    Takes::Nothing,
    "exit with 1 if a pod or claim fits on no node",
);
static LIVE: Opt = opt(
    "live",
    None,
    Takes::Nothing,
    "take release, gates, served versions and labels of namespaces from the cluster that kubectl reaches; `kubectl claimkit` does so always",
);
static AUDIT_LIVE: Opt = opt(
    "live",
    None,
    Takes::Nothing,
    "read the cluster that kubectl reaches, instead of files; `kubectl claimkit` does so where no file is given",
);
static WHY_LIVE: Opt = opt(
    "live",
    None,
    Takes::Nothing,
    "accepted, for this verb always asks the cluster",
);
static LIVE_NAMESPACE: Opt = opt(
    "namespace",
    Some('n'),
    Takes::Text("NAMESPACE"),
    "namespace of the pods; default: that of kubectl's context",
);
static ALL_NAMESPACES: Opt = opt(
    "all-namespaces",
    Some('A'),
    Takes::Nothing,
    "all pods that wait, in all namespaces",
);
static LIVE_RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release to follow, such as 1.34 or 1.34.2; default: the server's",
);
static LIVE_GATES: Opt = gates(
    "feature gates that differ from the release's defaults: DRAAdminAccess=true,…; repeatable; default: what kube-apiserver's metrics show",
);
static WHY_REQUIRE: Opt = opt(
    "require",
    None,
    Takes::Nothing,
    "exit with 1 if a pod gets no node",
);
static CONTEXT: Opt = opt(
    "context",
    None,
    Takes::Text("CONTEXT"),
    "kubectl's context; default: the current one",
);
static KUBECONFIG: Opt = opt(
    "kubeconfig",
    None,
    Takes::Text("FILE"),
    "kubectl's configuration",
);
static AS_USER: Opt = opt(
    "as",
    None,
    Takes::Text("USER"),
    "the user to impersonate, as in kubectl",
);
static AS_GROUP: Opt = many(
    "as-group",
    Takes::Text("GROUP"),
    "a group to impersonate, as in kubectl; repeatable",
);
static AS_UID: Opt = opt(
    "as-uid",
    None,
    Takes::Text("UID"),
    "the UID to impersonate, as in kubectl",
);
static REQUEST_TIMEOUT: Opt = opt(
    "request-timeout",
    None,
    Takes::Text("DURATION"),
    "what one request may take, as in kubectl; default: 60s",
);

static BY: Opt = many(
    "by",
    Takes::OneOf(&["driver", "class", "namespace", "node", "pool"]),
    "show only this table of use, with every row; repeatable",
);

/// All verbs, in the order of the help.
pub static VERBS: &[CommandVerb] = &[
    CommandVerb {
        name: "validate",
        operands: "FILE…",
        about: "Check manifests as kubectl and kube-apiserver do",
        options: &[
            &RELEASE,
            &GATES,
            &OUTPUT,
            &COLOR,
            &REMARKS,
            &FIELD_VALIDATION,
            &OPERATION,
            &OLD,
            &VIA,
            &NAMESPACE,
            &NAMESPACE_LABELS,
            &FIX,
            &UNSAFE_FIXES,
            &FIX_DIFF,
            &STDIN_FILENAME,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &IGNORE,
            &WARNINGS_AS_ERRORS,
            &QUIET,
            &ALLOW_UNCHECKED,
            &LIVE,
            &CONTEXT,
            &KUBECONFIG,
            &AS_USER,
            &AS_GROUP,
            &AS_UID,
            &REQUEST_TIMEOUT,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "convert",
        operands: "FILE…",
        about: "Convert manifests to another API version; change only what must change",
        options: &[
            &TO,
            &ALLOW_LOSS,
            &DROP_SERVER_FIELDS,
            &ANNOTATE,
            &IN_PLACE,
            &DIFF,
            &CHECK,
            &RELEASE,
            &OUTPUT_PLAIN,
            &COLOR,
            &REMARKS,
            &STDIN_FILENAME,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &IGNORE,
            &WARNINGS_AS_ERRORS,
            &QUIET,
            &ALLOW_UNCHECKED,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "evaluate",
        operands: "FILE…",
        about: "Show which nodes can use the claims of v1alpha1 and v1alpha2, and why not the others",
        options: &[
            &NODES,
            &NODE,
            &SELECTOR,
            &RELEASE,
            &OUTPUT_TABLE,
            &COLOR,
            &REMARKS,
            &REQUIRE_NODE,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &IGNORE,
            &WARNINGS_AS_ERRORS,
            &QUIET,
            &ALLOW_UNCHECKED,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "patch",
        operands: "[OLD] PATCH",
        about: "Apply a patch to a stored object, print the result, and check it as the server does; --type apply can create the object",
        options: &[
            &TYPE,
            &SUBRESOURCE,
            &FIELD_MANAGER,
            &FORCE_CONFLICTS,
            &TIME,
            &CHANGES,
            &RELEASE,
            &GATES,
            &NAMESPACE_LABELS,
            &FIELD_VALIDATION,
            &OUTPUT_PLAIN,
            &COLOR,
            &REMARKS,
        ],
    },
    CommandVerb {
        name: "allocate",
        operands: "FILE…",
        about: "Show which devices pods and claims get on each node, and why none",
        options: &[
            &POD,
            &ONLY_NODE,
            &CLUSTER,
            &ALONE,
            &HOW_MANY,
            &WHAT_IF,
            &NODE_LIKE,
            &NOW,
            &REQUIRE,
            &DEVICE_RELEASE,
            &GATES,
            &NAMESPACE,
            &NAMESPACE_LABELS,
            &OUTPUT_PLAIN,
            &COLOR,
            &REMARKS,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "audit",
        operands: "[FILE…]",
        about: "Show what is wrong in a cluster as it is, and how much of its devices is in use",
        options: &[
            &BY,
            &DEVICE_RELEASE,
            &GATES,
            &NAMESPACE,
            &OUTPUT_PLAIN,
            &COLOR,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &IGNORE,
            &WARNINGS_AS_ERRORS,
            &QUIET,
            &AUDIT_LIVE,
            &CONTEXT,
            &KUBECONFIG,
            &AS_USER,
            &AS_GROUP,
            &AS_UID,
            &REQUEST_TIMEOUT,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "why",
        operands: "[POD]",
        about: "Explain why a pod of a running cluster waits, or all that wait; asks the kubectl on PATH and changes nothing",
        options: &[
            &LIVE_NAMESPACE,
            &ALL_NAMESPACES,
            &ONLY_NODE,
            &ALONE,
            &WHAT_IF,
            &WHY_REQUIRE,
            &WHY_LIVE,
            &LIVE_RELEASE,
            &LIVE_GATES,
            &OUTPUT_PLAIN,
            &CONTEXT,
            &KUBECONFIG,
            &AS_USER,
            &AS_GROUP,
            &AS_UID,
            &REQUEST_TIMEOUT,
        ],
    },
    CommandVerb {
        name: "cel",
        operands: "EXPR",
        about: "Check a device selector (CEL) as kube-apiserver does, and show which devices it selects",
        options: &[&DEVICE, &DEVICE_RELEASE, &GATES, &STORED, &OUTPUT_PLAIN],
    },
    CommandVerb {
        name: "parse",
        operands: "FILE…",
        about: "Print objects as the server decodes and defaults them",
        options: &[
            &LABEL_SELECTOR,
            &FIELD_SELECTOR,
            &NAMESPACE,
            &RELEASE,
            &OUTPUT,
            &COLOR,
            &REMARKS,
            &FIELD_VALIDATION,
            &RAW,
            &STDIN_FILENAME,
            &FILENAME,
            &RECURSIVE,
            &EXCLUDE,
            &IGNORE,
            &WARNINGS_AS_ERRORS,
            &QUIET,
            &ALLOW_UNCHECKED,
            &SHOW_SETTINGS,
        ],
    },
    CommandVerb {
        name: "admit",
        operands: "FILE…",
        about: "Answer AdmissionRequests (JSON), or manifests as if they were applied, as the admission policy does",
        options: &[
            &FILENAME,
            &SETTINGS,
            &OLD_OBJECTS,
            &NAMESPACE,
            &NAMESPACE_LABELS,
            &USER,
            &GROUP,
            &OUTPUT_PLAIN,
            &COLOR,
            &STDIN_FILENAME,
            &RECURSIVE,
            &EXCLUDE,
        ],
    },
    CommandVerb {
        name: "policy",
        operands: "FILE",
        about: "Print the settings of a policy in another form: ValidatingAdmissionPolicies",
        options: &[&AS],
    },
    CommandVerb {
        name: "batch",
        operands: "",
        about: "Read one JSON request per line from standard input; answer each with one line of JSON",
        options: &[],
    },
    CommandVerb {
        name: "schema",
        operands: "[KIND]",
        about: "Print the JSON Schema of a kind, or of all kinds of a release",
        options: &[&RELEASE, &LOCALE],
    },
    CommandVerb {
        name: "completion",
        operands: "SHELL",
        about: "Print a completion script for bash, zsh, fish or powershell",
        options: &[],
    },
    CommandVerb {
        name: "codes",
        operands: "[CODE…]",
        about: "List the finding codes",
        options: &[&OUTPUT_PLAIN, &LOCALE],
    },
    CommandVerb {
        name: "releases",
        operands: "",
        about: "List the supported Kubernetes releases",
        options: &[&OUTPUT_PLAIN, &LOCALE],
    },
];
