//! The settings as data: one table from which they are read ([`crate::policy::check`]), described ([`crate::policy::schema`]) and refused.

use SettingNameKind::{
    AllocationMode, Claim, Class, Driver, Group, Kind, Namespace, Node, Release, Resource, Subject,
    TaintKey, Version,
};
use claimkit_model::schema::{classic, device};

/// The allocation modes of claims, then those of requests for devices.
pub const ALLOCATION_MODES: &[&[&str]] = &[
    classic::v1alpha2::ALLOCATION_MODES,
    device::ALLOCATION_MODES,
];

/// One key of the settings.
#[derive(Debug)]
pub struct SettingKey {
    pub name: &'static str,
    pub shape: ValueShape,
    /// The effect of the setting, in one sentence; empty in modules.
    pub doc: &'static str,
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    /// One of these words. If `off` is allowed, `false` is accepted for it, because YAML 1.1 reads `off` as `false`.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number that is not negative.
    Count,
    /// Any text, not empty.
    Text,
    /// Text with placeholders ([`crate::policy::placeholders`]), not empty.
    Message,
    /// A CEL expression about parameters ([`crate::policy::parameters`]).
    Expression,
    Name(SettingNameKind),
    /// A list of names with wildcards, not empty.
    Patterns(SettingNameKind),
    /// An object. Where it has `allow` and `deny`, only one of them may be given.
    Object(&'static [SettingKey]),
    /// A list of objects, not empty.
    Objects(&'static [SettingKey]),
    /// Labels of a node or a namespace, not empty.
    Labels,
    /// Feature gates and whether they are on, not empty.
    Gates,
    /// Capacities and the largest quantity of each, not empty.
    Quantities,
}

/// The kind of a name, which determines its syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingNameKind {
    /// A ResourceClass or a DeviceClass.
    Class,
    Driver,
    /// `v1alpha2`, also with the group before it.
    Version,
    AllocationMode,
    /// An API group; empty for the core group.
    Group,
    Kind,
    /// A ResourceClaim or a ResourceClaimTemplate.
    Claim,
    Node,
    Namespace,
    /// A user or a group of users: any text.
    Subject,
    Release,
    /// An extended resource, such as `example.com/gpu`.
    Resource,
    /// The key of a taint.
    TaintKey,
}

/// Whether this is a module for a policy engine, which describes no settings.
const IS_MODULE: bool = cfg!(all(
    target_arch = "wasm32",
    any(feature = "kubewarden", feature = "opa", feature = "wasi")
));

const fn key(name: &'static str, shape: ValueShape, doc: &'static str) -> SettingKey {
    SettingKey {
        name,
        shape,
        doc: if IS_MODULE { "" } else { doc },
    }
}

const fn flag(name: &'static str, doc: &'static str) -> SettingKey {
    key(name, ValueShape::Flag, doc)
}

const fn count(name: &'static str, doc: &'static str) -> SettingKey {
    key(name, ValueShape::Count, doc)
}

const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    doc: &'static str,
) -> SettingKey {
    key(name, ValueShape::Choice(words), doc)
}

const fn name(name: &'static str, of: SettingNameKind, doc: &'static str) -> SettingKey {
    key(name, ValueShape::Name(of), doc)
}

const fn patterns(name: &'static str, of: SettingNameKind, doc: &'static str) -> SettingKey {
    key(name, ValueShape::Patterns(of), doc)
}

const fn object(name: &'static str, keys: &'static [SettingKey], doc: &'static str) -> SettingKey {
    key(name, ValueShape::Object(keys), doc)
}

const fn objects(name: &'static str, keys: &'static [SettingKey], doc: &'static str) -> SettingKey {
    key(name, ValueShape::Objects(keys), doc)
}

/// All settings of the policy.
pub static SETTINGS: &[SettingKey] = &[
    choice(
        "mode",
        &["enforce", "warn"],
        "What happens to a request that breaks a rule: `enforce` (default) refuses it, `warn` accepts it and warns.",
    ),
    choice(
        "validation",
        &["strict", "warn", "off"],
        "Whether objects are checked against the API server's own rules: `strict` refuses, `warn` accepts and warns, `off` (or `false`) does not check. By default `warn` where an API server has validated the object already, else `strict`.",
    ),
    name(
        "release",
        Release,
        "The Kubernetes release whose rules apply, e.g. \"1.28\"; by default the last release that serves the object's version. A release that is newer than all known ones is judged as the newest.",
    ),
    key(
        "gates",
        ValueShape::Gates,
        "The feature gates of the API server that differ from the defaults of `release`, e.g. `DRAPartitionableDevices: true`; `release` must be given.",
    ),
    object(
        "apiVersions",
        &[
            patterns("allow", Version, "The API versions objects may have."),
            patterns("deny", Version, "The API versions objects may not have."),
            flag(
                "denyDeprecated",
                "Whether versions that are deprecated in `release` are refused.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which versions of resource.k8s.io may be used; the version that the client wrote counts.",
    ),
    object(
        "deviceClasses",
        CLASSES,
        "Which device classes the requests of claims and claim templates may name, and pods as extended resources (v1alpha3 and later).",
    ),
    object(
        "resourceClasses",
        CLASSES,
        "Which resource classes claims and claim templates may name (v1alpha1 and v1alpha2).",
    ),
    object(
        "allocationModes",
        &[
            patterns(
                "allow",
                AllocationMode,
                "The allocation modes claims may have.",
            ),
            patterns(
                "deny",
                AllocationMode,
                "The allocation modes claims may not have.",
            ),
            name(
                "default",
                AllocationMode,
                "The mode that a new claim gets if it has none or `WaitForFirstConsumer`, which an API server sets by default (v1alpha1 and v1alpha2); the policy then changes objects and must be `mutating: true`.",
            ),
            name(
                "fallback",
                AllocationMode,
                "The mode that replaces a mode of a new claim that is not allowed; the policy then changes objects and must be `mutating: true`.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which allocation modes claims, their requests for devices and claim templates may have.",
    ),
    object(
        "adminAccess",
        &[
            flag(
                "deny",
                "Whether admin access is refused except in the namespaces below.",
            ),
            patterns(
                "namespaces",
                Namespace,
                "Namespaces whose claims may ask for admin access.",
            ),
            key(
                "labels",
                ValueShape::Labels,
                "Labels of more namespaces whose claims may ask for admin access; the policy reads the labels from the cluster.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Where claims and claim templates may ask for admin access to devices.",
    ),
    object(
        "limits",
        &[
            MAX_REQUESTS,
            MAX_COUNT,
            ALL_DEVICES,
            MAX_CAPACITY,
            LIMITS_OF_CLASSES,
            SUMS,
            by_namespace(&[
                NAMESPACE_NAMES,
                NAMESPACE_LABELS,
                MAX_REQUESTS,
                MAX_COUNT,
                ALL_DEVICES,
                MAX_CAPACITY,
                LIMITS_OF_CLASSES,
                SUMS,
            ]),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "How much claims and claim templates may ask for, and pods as extended resources (v1alpha3 and later).",
    ),
    object(
        "tolerations",
        &[
            TOLERATED,
            NOT_TOLERATED,
            by_namespace(&[NAMESPACE_NAMES, NAMESPACE_LABELS, TOLERATED, NOT_TOLERATED]),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which device taints the requests of claims and claim templates may tolerate (1.33 and later).",
    ),
    object(
        "selectors",
        &[
            DENY_IN_CLAIMS,
            flag(
                "denyInClasses",
                "Whether CEL selectors in device classes are refused.",
            ),
            by_namespace(&[NAMESPACE_NAMES, NAMESPACE_LABELS, DENY_IN_CLAIMS]),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Where CEL expressions may select devices (v1alpha3 and later).",
    ),
    object(
        "opaqueParameters",
        &[
            DRIVERS_WITH_PARAMETERS,
            DRIVERS_WITHOUT_PARAMETERS,
            PARAMETER_RULES,
            by_namespace(&[
                NAMESPACE_NAMES,
                NAMESPACE_LABELS,
                DRIVERS_WITH_PARAMETERS,
                DRIVERS_WITHOUT_PARAMETERS,
                PARAMETER_RULES,
            ]),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "For which drivers claims and claim templates may have opaque parameters, and what these may say (v1alpha3 and later).",
    ),
    object(
        "extendedResourceNames",
        &[
            patterns("allow", Resource, "The names that classes may take."),
            patterns("deny", Resource, "The names that classes may not take."),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which `extendedResourceName` a device class may take (1.34 and later).",
    ),
    object(
        "deviceTaintRules",
        &[
            choice(
                "selectorRequired",
                &["NoExecute", "always"],
                "Which rules must select devices: those with the effect `NoExecute`, which evict pods, or all. A rule that names no device selects every device of the cluster.",
            ),
            objects("allow", SET_TAINTS, "The taints that rules may set."),
            objects("deny", SET_TAINTS, "The taints that rules may not set."),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Requirements for a DeviceTaintRule.",
    ),
    object(
        "sliceTaints",
        &[
            objects("allow", SLICE_TAINTS, "The taints that devices may have."),
            objects(
                "deny",
                SLICE_TAINTS,
                "The taints that devices may not have.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which taints the devices of ResourceSlices may have (1.33 and later).",
    ),
    object(
        "drivers",
        &[
            patterns("allow", Driver, "The drivers that may be named."),
            patterns("deny", Driver, "The drivers that may not be named."),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which drivers classes, claims, their statuses, parameters, slices and taint rules may name.",
    ),
    object(
        "parametersRef",
        &[
            flag("required", "Whether claims must refer to parameters."),
            objects(
                "allow",
                GROUP_KIND,
                "The kinds of parameters claims may refer to.",
            ),
            objects(
                "deny",
                GROUP_KIND,
                "The kinds of parameters claims may not refer to.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "What claims and claim templates may refer to as their parameters.",
    ),
    object(
        "suitableNodes",
        NODES,
        "Requirements for suitableNodes of a class (v1alpha1 to v1alpha3).",
    ),
    object(
        "availableOnNodes",
        NODES,
        "Requirements for availableOnNodes or nodeSelector of an allocation; judged on requests to resourceclaims/status.",
    ),
    object(
        "shareable",
        &[
            flag(
                "deny",
                "Whether allocations and claim parameters may not be shareable.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Whether several pods may share an allocation.",
    ),
    object(
        "pods",
        &[
            POD_CLAIMS,
            POD_TEMPLATES,
            POD_RESOURCES,
            MAX_POD_CLAIMS,
            NAMES_MATCH,
            by_namespace(&[
                NAMESPACE_NAMES,
                NAMESPACE_LABELS,
                POD_CLAIMS,
                POD_TEMPLATES,
                POD_RESOURCES,
                MAX_POD_CLAIMS,
                NAMES_MATCH,
            ]),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Which resource claims pods, pod templates in objects of any kind, PodGroups and Workloads may use; the policy's rules must name these kinds.",
    ),
    object(
        "cluster",
        &[
            flag(
                "classExists",
                "Whether the classes that a new claim or claim template names must exist.",
            ),
            count(
                "maxClaims",
                "How many claims a namespace may have, a new one included.",
            ),
            flag(
                "podClasses",
                "Whether the classes of the claims and claim templates that a pod names are checked against `deviceClasses` and `resourceClasses`.",
            ),
            flag(
                "uniqueExtendedResourceNames",
                "Whether a device class is refused whose `extendedResourceName` another class has.",
            ),
            flag(
                "keepUsedClasses",
                "Whether a class may not change while a claim that names it has an allocation.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ],
        "Checks that read the cluster through Kubewarden; all are off by default. The policy must list what it reads in `contextAwareResources`.",
    ),
    object(
        "exempt",
        EXEMPTIONS,
        "Requests that are accepted without a check.",
    ),
];

const MODE: SettingKey = choice(
    "mode",
    &["enforce", "warn"],
    "Whether this setting refuses or only warns; the default is the top-level `mode`.",
);

const EXEMPT: SettingKey = object(
    "exempt",
    EXEMPTIONS,
    "Requests that this setting does not judge.",
);

const EXEMPTIONS: &[SettingKey] = &[
    patterns(
        "usernames",
        Subject,
        "Users whose requests are accepted without a check.",
    ),
    patterns(
        "groups",
        Subject,
        "Groups of users whose requests are accepted without a check.",
    ),
    patterns(
        "namespaces",
        Namespace,
        "Namespaces whose requests are accepted without a check.",
    ),
];

const MAX_COUNT: SettingKey = count(
    "maxCount",
    "How many devices a request may ask for, and an extended resource of a container.",
);

const ALL_DEVICES: SettingKey = choice(
    "allDevices",
    &["allow", "deny"],
    "Whether a request may ask for all devices (`allocationMode: All`); by default it may not where `maxCount` is given.",
);

const MAX_CAPACITY: SettingKey = key(
    "maxCapacity",
    ValueShape::Quantities,
    "The most that all devices of a request may have of a capacity together, by the capacity's name: it counts once for each device.",
);

const MAX_REQUESTS: SettingKey = count(
    "maxRequests",
    "How many requests a claim may have; a request with alternatives counts once.",
);

const LIMITS_OF_CLASSES: SettingKey = objects(
    "classes",
    &[
        patterns("names", Class, "The classes."),
        MAX_COUNT,
        ALL_DEVICES,
        MAX_CAPACITY,
    ],
    "Limits of requests for certain classes, instead of `maxCount`, `allDevices` and `maxCapacity`; the first entry that matches the class counts.",
);

const SUMS: SettingKey = objects(
    "sums",
    &[
        choice(
            "of",
            &["claim", "pod", "namespace"],
            "What is summed up: the requests of a claim or template, all claims of a pod, or all claims of a namespace. The last two are looked up in the cluster.",
        ),
        patterns(
            "classes",
            Class,
            "The classes whose devices are counted together; by default all.",
        ),
        count(
            "maxCount",
            "How many devices there may be. Of alternatives the largest counts, and a request for all devices counts as 32, the most that an allocation has.",
        ),
        key(
            "maxCapacity",
            ValueShape::Quantities,
            "The most of a capacity that there may be, by the capacity's name: it counts once for each device.",
        ),
    ],
    "Limits of several requests together; every entry counts.",
);

const fn by_namespace(keys: &'static [SettingKey]) -> SettingKey {
    objects(
        "namespaces",
        keys,
        "The same for certain namespaces, instead of what is said for all; the first entry that matches the namespace counts.",
    )
}

const NAMESPACE_NAMES: SettingKey = patterns("names", Namespace, "The namespaces by name.");

const NAMESPACE_LABELS: SettingKey = key(
    "labels",
    ValueShape::Labels,
    "The labels of the namespaces, all of which a namespace must have; the policy reads them from the cluster.",
);

const TOLERATED: SettingKey = objects(
    "allow",
    TAINTS,
    "Taints that requests may tolerate; a toleration that reaches beyond them is refused.",
);

const NOT_TOLERATED: SettingKey = objects(
    "deny",
    TAINTS,
    "Taints that requests may not tolerate; a toleration that reaches one of them is refused.",
);

const DENY_IN_CLAIMS: SettingKey = flag(
    "denyInClaims",
    "Whether CEL expressions in requests are refused: selectors and derived attributes.",
);

const DRIVERS_WITH_PARAMETERS: SettingKey = patterns(
    "allow",
    Driver,
    "The drivers for which claims may have parameters.",
);

const DRIVERS_WITHOUT_PARAMETERS: SettingKey = patterns(
    "deny",
    Driver,
    "The drivers for which claims may not have parameters.",
);

const PARAMETER_RULES: SettingKey = objects(
    "rules",
    &[
        name(
            "driver",
            Driver,
            "The driver whose parameters are checked, `*` wildcards allowed.",
        ),
        key(
            "expression",
            ValueShape::Expression,
            "CEL that must be true; `parameters` is the object that the claim has for the driver. Where it cannot be evaluated, because it reads a field that is not there or costs too much, it is not true.",
        ),
        key(
            "message",
            ValueShape::Text,
            "The reason that is given where it is not true; by default the expression.",
        ),
    ],
    "What the parameters of certain drivers must be like; every rule counts.",
);

const POD_CLAIMS: SettingKey = object(
    "claims",
    &[
        patterns("allow", Claim, "The claims pods may use."),
        patterns("deny", Claim, "The claims pods may not use."),
    ],
    "Which claims pods may use by name.",
);

const POD_TEMPLATES: SettingKey = object(
    "templates",
    &[
        patterns("allow", Claim, "The claim templates pods may use."),
        patterns("deny", Claim, "The claim templates pods may not use."),
    ],
    "Which claim templates pods may use.",
);

const POD_RESOURCES: SettingKey = object(
    "extendedResources",
    &[
        patterns(
            "allow",
            Resource,
            "The extended resources containers may ask for.",
        ),
        patterns(
            "deny",
            Resource,
            "The extended resources containers may not ask for.",
        ),
    ],
    "Which extended resources containers may ask for, with their domain: classes may stand behind them.",
);

const MAX_POD_CLAIMS: SettingKey = count(
    "maxClaims",
    "How many entries `spec.resourceClaims` may have.",
);

const NAMES_MATCH: SettingKey = flag(
    "namesMatch",
    "Whether containers may use only the claims that their pod defines, and must use all of them.",
);

const TAINT_KEY: SettingKey = name(
    "key",
    TaintKey,
    "The key of the taints, `*` wildcards allowed.",
);

const SET_EFFECT: SettingKey = choice(
    "effect",
    &["None", "NoSchedule", "NoExecute"],
    "The effect of the taints; by default any effect.",
);

static SET_TAINTS: &[SettingKey] = &[TAINT_KEY, SET_EFFECT];

static SLICE_TAINTS: &[SettingKey] = &[
    name(
        "driver",
        Driver,
        "The driver of the slice, `*` wildcards allowed; by default any driver.",
    ),
    TAINT_KEY,
    SET_EFFECT,
];

static TAINTS: &[SettingKey] = &[
    TAINT_KEY,
    choice(
        "effect",
        &["NoSchedule", "NoExecute"],
        "The effect of the taints; by default any effect.",
    ),
];

const MESSAGE: SettingKey = key(
    "message",
    ValueShape::Message,
    "Text after the reason, e.g. whom to ask; `{kind}`, `{namespace}`, `{name}` and `{user}` stand for those of the request, `{setting}` for the setting, `{value}` for what it does not accept, `{class}` for the class that the reason names.",
);

static CLASSES: &[SettingKey] = &[
    patterns("allow", Class, "The classes claims may name."),
    patterns("deny", Class, "The classes claims may not name."),
    objects(
        "namespaces",
        CLASSES_OF_NAMESPACES,
        "Classes of certain namespaces, instead of `allow` and `deny`; the first entry that matches the namespace counts.",
    ),
    name(
        "default",
        Class,
        "The class that a new claim gets if it names none; the policy then changes objects and must be `mutating: true`.",
    ),
    name(
        "fallback",
        Class,
        "The class that replaces a class of a new claim that is missing or not allowed; the policy then changes objects and must be `mutating: true`.",
    ),
    MODE,
    MESSAGE,
    EXEMPT,
];

static CLASSES_OF_NAMESPACES: &[SettingKey] = &[
    NAMESPACE_NAMES,
    NAMESPACE_LABELS,
    patterns("allow", Class, "The classes their claims may name."),
    patterns("deny", Class, "The classes their claims may not name."),
    name("default", Class, "Instead of the `default` above."),
    name("fallback", Class, "Instead of the `fallback` above."),
];

static GROUP_KIND: &[SettingKey] = &[
    name(
        "apiGroup",
        Group,
        "The API group, `*` wildcards allowed; absent or empty is the core group.",
    ),
    name("kind", Kind, "The kind, `*` wildcards allowed."),
];

static NODES: &[SettingKey] = &[
    flag("required", "Whether there must be a node selector."),
    objects("mustSelect", NODE, "Nodes that must be selected."),
    objects("mustNotSelect", NODE, "Nodes that must not be selected."),
    MODE,
    MESSAGE,
    EXEMPT,
];

static NODE: &[SettingKey] = &[
    name("name", Node, "The node's name."),
    key("labels", ValueShape::Labels, "The node's labels."),
];
