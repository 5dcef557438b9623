//! Every verb and option: one table, from which reading, help and completion all come.

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// Any text, called so in the help.
    Text(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// An option.
#[derive(Debug)]
pub struct Opt {
    /// Its name without the dashes.
    pub name: &'static str,
    /// Its one-letter form.
    pub short: Option<char>,
    /// What other tools call it: taken as well.
    pub also: &'static [&'static str],
    /// What it takes.
    pub takes: Takes,
    /// Whether it may be given more than once.
    pub many: bool,
    /// What it does.
    pub about: &'static str,
}

/// A verb.
#[derive(Debug)]
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What its operands are called in the help; empty if it takes none.
    pub operands: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The options it takes, besides `--help`.
    pub options: &'static [&'static Opt],
}

/// An option that may be given more than once.
const fn many(name: &'static str, takes: Takes, about: &'static str) -> Opt {
    Opt { name, short: None, also: &[], takes, many: true, about }
}

const fn opt(name: &'static str, short: Option<char>, takes: Takes, about: &'static str) -> Opt {
    Opt { name, short, also: &[], takes, many: false, about }
}

static RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release that answers: 1.34, or with a patch, 1.34.2; `claimkit releases` lists them; default: the last that serves each object's version",
);
static OUTPUT: Opt =
    opt("output", Some('o'), Takes::OneOf(&["text", "json", "sarif", "github", "junit"]), "form of the output; default: text");
static OUTPUT_PLAIN: Opt = opt("output", Some('o'), Takes::OneOf(&["text", "json"]), "form of the output; default: text");
static OUTPUT_TABLE: Opt = opt(
    "output",
    Some('o'),
    Takes::OneOf(&["text", "wide", "json"]),
    "form of the output; wide is a table with the scheduler's own words; default: text",
);
static COLOR: Opt = opt(
    "color",
    None,
    Takes::OneOf(&["auto", "always", "never"]),
    "whether text output has colours; default: auto, on a terminal only",
);
static FIELD_VALIDATION: Opt = opt(
    "field-validation",
    None,
    Takes::OneOf(&["strict", "warn", "ignore"]),
    "what unknown and duplicate fields are; default: strict, as kubectl",
);
static REMARKS: Opt = opt("remarks", None, Takes::Nothing, "show what is worth knowing too, not only errors and warnings");
static OPERATION: Opt = opt(
    "operation",
    None,
    Takes::OneOf(&["create", "update", "update-status"]),
    "what is asked of the server; default: create, or update with --old",
);
static OLD: Opt = opt("old", None, Takes::Text("FILE"), "the objects as they are stored now");
static VIA: Opt = opt(
    "via",
    None,
    Takes::OneOf(&["kubectl", "server", "validator"]),
    "kubectl: what a person submitting the file meets; server: the answer to exactly these objects; validator: only the server's functions on them; default: kubectl",
);
static NAMESPACE: Opt = opt("namespace", Some('n'), Takes::Text("NAMESPACE"), "namespace of the request; default: default");
static TO: Opt = opt(
    "to",
    None,
    Takes::Text("VERSION"),
    "version to convert to, or a release: v1alpha1 … v1, or 1.36 for the newest that it serves",
);
static ALLOW_LOSS: Opt = opt("allow-loss", None, Takes::Nothing, "convert although fields are lost; the losses are listed");
static DROP_SERVER_FIELDS: Opt =
    opt("drop-server-fields", None, Takes::Nothing, "take fields of metadata out that only the server and kubectl apply write");
static ANNOTATE: Opt = opt(
    "annotate",
    None,
    Takes::Nothing,
    "write what was assumed from v1alpha1 or v1alpha2 to later versions as comments into the text",
);
static IN_PLACE: Opt = opt("in-place", Some('i'), Takes::Nothing, "write the converted text back to the files");
static DIFF: Opt = opt("diff", None, Takes::Nothing, "print what would change as a unified diff");
static CHECK: Opt = opt("check", None, Takes::Nothing, "print the files that would change, and end with 1 if there are any");
static NODES: Opt = Opt {
    name: "nodes",
    short: None,
    also: &[],
    takes: Takes::Text("FILE"),
    many: true,
    about: "Nodes, as kubectl get nodes -o json or -o yaml prints them; may be given more than once",
};
static NODE: Opt = Opt {
    name: "node",
    short: None,
    also: &[],
    takes: Takes::Text("NAME"),
    many: true,
    about: "explain this node in full and show no other; may be given more than once",
};
static SELECTOR: Opt = opt("selector", None, Takes::Text("FILE"), "evaluate this bare NodeSelector instead of manifests");
static LOCALE: Opt = opt("locale", None, Takes::OneOf(&["en", "zh-Hans"]), "language of our own sentences; default: en");
static SETTINGS: Opt = opt("settings", None, Takes::Text("FILE"), "settings of the policy, YAML or JSON; default: none");
static RAW: Opt =
    opt("raw", None, Takes::Nothing, "print the JSON value that kubectl makes of the first YAML document, nothing more");
static LABEL_SELECTOR: Opt =
    opt("label-selector", Some('l'), Takes::Text("SELECTOR"), "print only objects with these labels, as kubectl get -l");
static FIELD_SELECTOR: Opt =
    opt("field-selector", None, Takes::Text("SELECTOR"), "print only objects with these fields, as kubectl get --field-selector");
static TYPE: Opt = opt(
    "type",
    None,
    Takes::OneOf(&["json", "merge", "strategic", "apply"]),
    "how the patch is read; default: strategic, as kubectl",
);
static SUBRESOURCE: Opt = opt("subresource", None, Takes::OneOf(&["status"]), "patch the status");
static FIELD_MANAGER: Opt =
    opt("field-manager", None, Takes::Text("NAME"), "who writes, as managedFields tells it; needed for --type apply");
static FORCE_CONFLICTS: Opt = opt("force-conflicts", None, Takes::Nothing, "apply takes fields over from other managers");
static TIME: Opt = opt("time", None, Takes::Text("TIME"), "when, for managedFields: 2024-01-31T12:00:00Z");
static CHANGES: Opt =
    opt("changes", None, Takes::Nothing, "print what differs from the stored object, as a JSON patch, in place of the object");

static FILENAME: Opt = Opt {
    name: "filename",
    short: Some('f'),
    also: &[],
    takes: Takes::Text("FILE"),
    many: true,
    about: "a file, a folder or `-`, as kubectl takes it; the same as FILE",
};
static RECURSIVE: Opt = opt("recursive", Some('R'), Takes::Nothing, "accepted because kubectl has it: folders are always walked");
static EXCLUDE: Opt =
    many("exclude", Takes::Text("PATTERN"), "pass over files with such a path, e.g. 'charts/**'; may be given more than once");
static IGNORE: Opt = many("ignore", Takes::Text("CODE"), "leave out findings with this code; may be given more than once");
static WARNINGS_AS_ERRORS: Opt = opt("warnings-as-errors", None, Takes::Nothing, "end with 1 if there are warnings");
static QUIET: Opt = opt("quiet", Some('q'), Takes::Nothing, "print findings only, no summary");
static ALLOW_UNCHECKED: Opt =
    opt("allow-unchecked", None, Takes::Nothing, "end with 0 where no object of resource.k8s.io is found, e.g. in a commit hook");
static STDIN_FILENAME: Opt = opt("stdin-filename", None, Takes::Text("NAME"), "what standard input is called in the output");
static FIX: Opt =
    opt("fix", None, Takes::Nothing, "write fixes into the files that delete nothing a person wrote; with --diff, show them");
static UNSAFE_FIXES: Opt = opt("unsafe-fixes", None, Takes::Nothing, "with --fix: fixes that delete something too");
static FIX_DIFF: Opt =
    opt("diff", None, Takes::Nothing, "with --fix: print what would change as a unified diff, and write nothing");
static REQUIRE_NODE: Opt = opt("require-node", None, Takes::Nothing, "end with 1 if a claim can be used on no node");
static SHOW_SETTINGS: Opt =
    opt("show-settings", None, Takes::Nothing, "print the settings in force and where they come from, and end");
static DEVICE_RELEASE: Opt = opt(
    "release",
    Some('r'),
    Takes::Text("RELEASE"),
    "Kubernetes release that answers: 1.31 or later, or with a patch, 1.31.1; default: the last one",
);
static GATES: Opt = Opt {
    name: "gates",
    short: None,
    also: &["gate", "feature-gates"],
    takes: Takes::Text("GATES"),
    many: true,
    about: "feature gates over the release's defaults: DRAAdminAccess=true,…; may be given more than once",
};
static NAMESPACE_LABELS: Opt = Opt {
    name: "namespace-labels",
    short: None,
    also: &["namespace-label"],
    takes: Takes::Text("LABELS"),
    many: true,
    about: "labels of the request's namespace, which admin access depends on: KEY=VALUE,…; '' for none; default: not known",
};
static STORED: Opt =
    opt("stored", None, Takes::Nothing, "the expression is stored already: all is known that the release can run");
static DEVICE: Opt =
    many("device", Takes::Text("FILE"), "a device or a ResourceSlice, YAML or JSON; may be given more than once");
static POD: Opt = opt("pod", None, Takes::Text("NAME"), "only this pod: NAMESPACE/NAME");
static ONLY_NODE: Opt = many("node", Takes::Text("NAME"), "only this node; may be given more than once");
static CLUSTER: Opt = many(
    "cluster",
    Takes::Text("FILE"),
    "objects of the cluster; then the pods and claims of the other files are asked about; may be given more than once",
);
static WHAT_IF: Opt = many(
    "what-if",
    Takes::Text("CHANGE"),
    "ask after this change: free=CLAIM, untaint=KEY, without-rule=NAME or node-like=NODE; may be given more than once",
);
static NOW: Opt = opt(
    "now",
    None,
    Takes::Text("TIME"),
    "at this time, such as 2026-05-04T03:02:01Z: devices that are not ready for binding time out; default: none does",
);
static REQUIRE: Opt = opt("require", None, Takes::Nothing, "end with 1 if a pod or claim fits on no node");

/// Every verb.
pub static VERBS: &[Verb] = &[
    Verb {
        name: "validate",
        operands: "FILE…",
        about: "Say what kubectl and kube-apiserver answer to manifests",
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
            &SHOW_SETTINGS,
        ],
    },
    Verb {
        name: "convert",
        operands: "FILE…",
        about: "Convert manifests to another API version, touching only what must change",
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
    Verb {
        name: "evaluate",
        operands: "FILE…",
        about: "Say on which nodes the claims of manifests can be used, and why not on the others",
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
    Verb {
        name: "patch",
        operands: "[OLD] PATCH",
        about: "Print what a stored object, or a new one with --type apply, becomes by a patch, and whether the server would take it",
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
    Verb {
        name: "allocate",
        operands: "FILE…",
        about: "Say which devices pods and claims get on each node, and why none",
        options: &[
            &POD,
            &ONLY_NODE,
            &CLUSTER,
            &WHAT_IF,
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
    Verb {
        name: "cel",
        operands: "EXPR",
        about: "Say what a device selector is for kube-apiserver, and which devices it selects",
        options: &[&DEVICE, &DEVICE_RELEASE, &GATES, &STORED, &OUTPUT_PLAIN],
    },
    Verb {
        name: "parse",
        operands: "FILE…",
        about: "Print objects as the server holds them after decoding and defaulting",
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
    Verb {
        name: "admit",
        operands: "FILE…",
        about: "Say what the admission policy answers to AdmissionRequests in JSON",
        options: &[&SETTINGS, &NAMESPACE_LABELS],
    },
    Verb {
        name: "batch",
        operands: "",
        about: "Answer one JSON request per line of standard input with one JSON line each",
        options: &[],
    },
    Verb {
        name: "schema",
        operands: "[KIND]",
        about: "Print the JSON Schema of a kind, or of all kinds of a release",
        options: &[&RELEASE, &LOCALE],
    },
    Verb {
        name: "completion",
        operands: "SHELL",
        about: "Print a script that completes verbs and options in bash, zsh, fish or powershell",
        options: &[],
    },
    Verb { name: "codes", operands: "[CODE…]", about: "List the codes of findings", options: &[&OUTPUT_PLAIN, &LOCALE] },
    Verb {
        name: "releases",
        operands: "",
        about: "List the Kubernetes releases that are followed",
        options: &[&OUTPUT_PLAIN, &LOCALE],
    },
];
