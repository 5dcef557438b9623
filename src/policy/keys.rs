//! The settings as data: one table from which they are read ([`crate::policy::check`]), described ([`crate::policy::schema`]) and refused.

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

/// All settings of the policy.
pub static SETTINGS: &[SettingKey] = &[
    key(
        "mode",
        ValueShape::Choice(&["enforce", "warn"]),
        "What happens to a request that breaks a rule: `enforce` (default) refuses it, `warn` accepts it and warns.",
    ),
    key(
        "validation",
        ValueShape::Choice(&["strict", "warn", "off"]),
        "Whether objects are checked against the API server's own rules: `strict` refuses, `warn` accepts and warns, `off` (or `false`) does not check. By default `warn` where an API server has validated the object already, else `strict`.",
    ),
    key(
        "release",
        ValueShape::Name(SettingNameKind::Release),
        "The Kubernetes release whose rules apply, e.g. \"1.28\"; by default the last release that serves the object's version. A release that is newer than all known ones is judged as the newest.",
    ),
    key(
        "gates",
        ValueShape::Gates,
        "The feature gates of the API server that differ from the defaults of `release`, e.g. `DRAPartitionableDevices: true`; `release` must be given.",
    ),
    key(
        "apiVersions",
        ValueShape::Object(&[
            key(
                "allow",
                ValueShape::Patterns(SettingNameKind::Version),
                "The API versions objects may have.",
            ),
            key(
                "deny",
                ValueShape::Patterns(SettingNameKind::Version),
                "The API versions objects may not have.",
            ),
            key(
                "denyDeprecated",
                ValueShape::Flag,
                "Whether versions that are deprecated in `release` are refused.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which versions of resource.k8s.io may be used; the version that the client wrote counts.",
    ),
    key(
        "deviceClasses",
        ValueShape::Object(CLASSES),
        "Which device classes the requests of claims and claim templates may name, and pods as extended resources (v1alpha3 and later).",
    ),
    key(
        "resourceClasses",
        ValueShape::Object(CLASSES),
        "Which resource classes claims and claim templates may name (v1alpha1 and v1alpha2).",
    ),
    key(
        "allocationModes",
        ValueShape::Object(&[
            key(
                "allow",
                ValueShape::Patterns(SettingNameKind::AllocationMode),
                "The allocation modes claims may have.",
            ),
            key(
                "deny",
                ValueShape::Patterns(SettingNameKind::AllocationMode),
                "The allocation modes claims may not have.",
            ),
            key(
                "default",
                ValueShape::Name(SettingNameKind::AllocationMode),
                "The mode that a new claim gets if it has none or `WaitForFirstConsumer`, which an API server sets by default (v1alpha1 and v1alpha2); the policy then changes objects and must be `mutating: true`.",
            ),
            key(
                "fallback",
                ValueShape::Name(SettingNameKind::AllocationMode),
                "The mode that replaces a mode of a new claim that is not allowed; the policy then changes objects and must be `mutating: true`.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which allocation modes claims, their requests for devices and claim templates may have.",
    ),
    key(
        "adminAccess",
        ValueShape::Object(&[
            key(
                "deny",
                ValueShape::Flag,
                "Whether admin access is refused except in the namespaces below.",
            ),
            key(
                "namespaces",
                ValueShape::Patterns(SettingNameKind::Namespace),
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
        ]),
        "Where claims and claim templates may ask for admin access to devices.",
    ),
    key(
        "limits",
        ValueShape::Object(&[
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
        ]),
        "How much claims and claim templates may ask for, and pods as extended resources (v1alpha3 and later).",
    ),
    key(
        "tolerations",
        ValueShape::Object(&[
            TOLERATED,
            NOT_TOLERATED,
            by_namespace(&[NAMESPACE_NAMES, NAMESPACE_LABELS, TOLERATED, NOT_TOLERATED]),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which device taints the requests of claims and claim templates may tolerate (1.33 and later).",
    ),
    key(
        "selectors",
        ValueShape::Object(&[
            DENY_IN_CLAIMS,
            key(
                "denyInClasses",
                ValueShape::Flag,
                "Whether CEL selectors in device classes are refused.",
            ),
            by_namespace(&[NAMESPACE_NAMES, NAMESPACE_LABELS, DENY_IN_CLAIMS]),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Where CEL expressions may select devices (v1alpha3 and later).",
    ),
    key(
        "opaqueParameters",
        ValueShape::Object(&[
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
        ]),
        "For which drivers claims and claim templates may have opaque parameters, and what these may say (v1alpha3 and later).",
    ),
    key(
        "extendedResourceNames",
        ValueShape::Object(&[
            key(
                "allow",
                ValueShape::Patterns(SettingNameKind::Resource),
                "The names that classes may take.",
            ),
            key(
                "deny",
                ValueShape::Patterns(SettingNameKind::Resource),
                "The names that classes may not take.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which `extendedResourceName` a device class may take (1.34 and later).",
    ),
    key(
        "deviceTaintRules",
        ValueShape::Object(&[
            key(
                "selectorRequired",
                ValueShape::Choice(&["NoExecute", "always"]),
                "Which rules must select devices: those with the effect `NoExecute`, which evict pods, or all. A rule that names no device selects every device of the cluster.",
            ),
            key(
                "allow",
                ValueShape::Objects(SET_TAINTS),
                "The taints that rules may set.",
            ),
            key(
                "deny",
                ValueShape::Objects(SET_TAINTS),
                "The taints that rules may not set.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Requirements for a DeviceTaintRule.",
    ),
    key(
        "sliceTaints",
        ValueShape::Object(&[
            key(
                "allow",
                ValueShape::Objects(SLICE_TAINTS),
                "The taints that devices may have.",
            ),
            key(
                "deny",
                ValueShape::Objects(SLICE_TAINTS),
                "The taints that devices may not have.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which taints the devices of ResourceSlices may have (1.33 and later).",
    ),
    key(
        "drivers",
        ValueShape::Object(&[
            key(
                "allow",
                ValueShape::Patterns(SettingNameKind::Driver),
                "The drivers that may be named.",
            ),
            key(
                "deny",
                ValueShape::Patterns(SettingNameKind::Driver),
                "The drivers that may not be named.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Which drivers classes, claims, their statuses, parameters, slices and taint rules may name.",
    ),
    key(
        "parametersRef",
        ValueShape::Object(&[
            key(
                "required",
                ValueShape::Flag,
                "Whether claims must refer to parameters.",
            ),
            key(
                "allow",
                ValueShape::Objects(GROUP_KIND),
                "The kinds of parameters claims may refer to.",
            ),
            key(
                "deny",
                ValueShape::Objects(GROUP_KIND),
                "The kinds of parameters claims may not refer to.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "What claims and claim templates may refer to as their parameters.",
    ),
    key(
        "suitableNodes",
        ValueShape::Object(NODES),
        "Requirements for suitableNodes of a class (v1alpha1 to v1alpha3).",
    ),
    key(
        "availableOnNodes",
        ValueShape::Object(NODES),
        "Requirements for availableOnNodes or nodeSelector of an allocation; judged on requests to resourceclaims/status.",
    ),
    key(
        "shareable",
        ValueShape::Object(&[
            key(
                "deny",
                ValueShape::Flag,
                "Whether allocations and claim parameters may not be shareable.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Whether several pods may share an allocation.",
    ),
    key(
        "pods",
        ValueShape::Object(&[
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
        ]),
        "Which resource claims pods, pod templates in objects of any kind, PodGroups and Workloads may use; the policy's rules must name these kinds.",
    ),
    key(
        "cluster",
        ValueShape::Object(&[
            key(
                "classExists",
                ValueShape::Flag,
                "Whether the classes that a new claim or claim template names must exist.",
            ),
            key(
                "maxClaims",
                ValueShape::Count,
                "How many claims a namespace may have, a new one included.",
            ),
            key(
                "podClasses",
                ValueShape::Flag,
                "Whether the classes of the claims and claim templates that a pod names are checked against `deviceClasses` and `resourceClasses`.",
            ),
            key(
                "uniqueExtendedResourceNames",
                ValueShape::Flag,
                "Whether a device class is refused whose `extendedResourceName` another class has.",
            ),
            key(
                "keepUsedClasses",
                ValueShape::Flag,
                "Whether a class may not change while a claim that names it has an allocation.",
            ),
            MODE,
            MESSAGE,
            EXEMPT,
        ]),
        "Checks that read the cluster through Kubewarden; all are off by default. The policy must list what it reads in `contextAwareResources`.",
    ),
    key(
        "exempt",
        ValueShape::Object(EXEMPTIONS),
        "Requests that are accepted without a check.",
    ),
];

const MODE: SettingKey = key(
    "mode",
    ValueShape::Choice(&["enforce", "warn"]),
    "Whether this setting refuses or only warns; the default is the top-level `mode`.",
);

const EXEMPT: SettingKey = key(
    "exempt",
    ValueShape::Object(EXEMPTIONS),
    "Requests that this setting does not judge.",
);

const EXEMPTIONS: &[SettingKey] = &[
    key(
        "usernames",
        ValueShape::Patterns(SettingNameKind::Subject),
        "Users whose requests are accepted without a check.",
    ),
    key(
        "groups",
        ValueShape::Patterns(SettingNameKind::Subject),
        "Groups of users whose requests are accepted without a check.",
    ),
    key(
        "namespaces",
        ValueShape::Patterns(SettingNameKind::Namespace),
        "Namespaces whose requests are accepted without a check.",
    ),
];

const MAX_COUNT: SettingKey = key(
    "maxCount",
    ValueShape::Count,
    "How many devices a request may ask for, and an extended resource of a container.",
);

const ALL_DEVICES: SettingKey = key(
    "allDevices",
    ValueShape::Choice(&["allow", "deny"]),
    "Whether a request may ask for all devices (`allocationMode: All`); by default it may not where `maxCount` is given.",
);

const MAX_CAPACITY: SettingKey = key(
    "maxCapacity",
    ValueShape::Quantities,
    "The most that all devices of a request may have of a capacity together, by the capacity's name: it counts once for each device.",
);

const MAX_REQUESTS: SettingKey = key(
    "maxRequests",
    ValueShape::Count,
    "How many requests a claim may have; a request with alternatives counts once.",
);

const LIMITS_OF_CLASSES: SettingKey = key(
    "classes",
    ValueShape::Objects(&[
        key(
            "names",
            ValueShape::Patterns(SettingNameKind::Class),
            "The classes.",
        ),
        MAX_COUNT,
        ALL_DEVICES,
        MAX_CAPACITY,
    ]),
    "Limits of requests for certain classes, instead of `maxCount`, `allDevices` and `maxCapacity`; the first entry that matches the class counts.",
);

const SUMS: SettingKey = key(
    "sums",
    ValueShape::Objects(&[
        key(
            "of",
            ValueShape::Choice(&["claim", "pod", "namespace"]),
            "What is summed up: the requests of a claim or template, all claims of a pod, or all claims of a namespace. The last two are looked up in the cluster.",
        ),
        key(
            "classes",
            ValueShape::Patterns(SettingNameKind::Class),
            "The classes whose devices are counted together; by default all.",
        ),
        key(
            "maxCount",
            ValueShape::Count,
            "How many devices there may be. Of alternatives the largest counts, and a request for all devices counts as 32, the most that an allocation has.",
        ),
        key(
            "maxCapacity",
            ValueShape::Quantities,
            "The most of a capacity that there may be, by the capacity's name: it counts once for each device.",
        ),
    ]),
    "Limits of several requests together; every entry counts.",
);

const fn by_namespace(keys: &'static [SettingKey]) -> SettingKey {
    key(
        "namespaces",
        ValueShape::Objects(keys),
        "The same for certain namespaces, instead of what is said for all; the first entry that matches the namespace counts.",
    )
}

const NAMESPACE_NAMES: SettingKey = key(
    "names",
    ValueShape::Patterns(SettingNameKind::Namespace),
    "The namespaces by name.",
);

const NAMESPACE_LABELS: SettingKey = key(
    "labels",
    ValueShape::Labels,
    "The labels of the namespaces, all of which a namespace must have; the policy reads them from the cluster.",
);

const TOLERATED: SettingKey = key(
    "allow",
    ValueShape::Objects(TAINTS),
    "Taints that requests may tolerate; a toleration that reaches beyond them is refused.",
);

const NOT_TOLERATED: SettingKey = key(
    "deny",
    ValueShape::Objects(TAINTS),
    "Taints that requests may not tolerate; a toleration that reaches one of them is refused.",
);

const DENY_IN_CLAIMS: SettingKey = key(
    "denyInClaims",
    ValueShape::Flag,
    "Whether CEL expressions in requests are refused: selectors and derived attributes.",
);

const DRIVERS_WITH_PARAMETERS: SettingKey = key(
    "allow",
    ValueShape::Patterns(SettingNameKind::Driver),
    "The drivers for which claims may have parameters.",
);

const DRIVERS_WITHOUT_PARAMETERS: SettingKey = key(
    "deny",
    ValueShape::Patterns(SettingNameKind::Driver),
    "The drivers for which claims may not have parameters.",
);

const PARAMETER_RULES: SettingKey = key(
    "rules",
    ValueShape::Objects(&[
        key(
            "driver",
            ValueShape::Name(SettingNameKind::Driver),
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
    ]),
    "What the parameters of certain drivers must be like; every rule counts.",
);

const POD_CLAIMS: SettingKey = key(
    "claims",
    ValueShape::Object(&[
        key(
            "allow",
            ValueShape::Patterns(SettingNameKind::Claim),
            "The claims pods may use.",
        ),
        key(
            "deny",
            ValueShape::Patterns(SettingNameKind::Claim),
            "The claims pods may not use.",
        ),
    ]),
    "Which claims pods may use by name.",
);

const POD_TEMPLATES: SettingKey = key(
    "templates",
    ValueShape::Object(&[
        key(
            "allow",
            ValueShape::Patterns(SettingNameKind::Claim),
            "The claim templates pods may use.",
        ),
        key(
            "deny",
            ValueShape::Patterns(SettingNameKind::Claim),
            "The claim templates pods may not use.",
        ),
    ]),
    "Which claim templates pods may use.",
);

const POD_RESOURCES: SettingKey = key(
    "extendedResources",
    ValueShape::Object(&[
        key(
            "allow",
            ValueShape::Patterns(SettingNameKind::Resource),
            "The extended resources containers may ask for.",
        ),
        key(
            "deny",
            ValueShape::Patterns(SettingNameKind::Resource),
            "The extended resources containers may not ask for.",
        ),
    ]),
    "Which extended resources containers may ask for, with their domain: classes may stand behind them.",
);

const MAX_POD_CLAIMS: SettingKey = key(
    "maxClaims",
    ValueShape::Count,
    "How many entries `spec.resourceClaims` may have.",
);

const NAMES_MATCH: SettingKey = key(
    "namesMatch",
    ValueShape::Flag,
    "Whether containers may use only the claims that their pod defines, and must use all of them.",
);

const TAINT_KEY: SettingKey = key(
    "key",
    ValueShape::Name(SettingNameKind::TaintKey),
    "The key of the taints, `*` wildcards allowed.",
);

const SET_EFFECT: SettingKey = key(
    "effect",
    ValueShape::Choice(&["None", "NoSchedule", "NoExecute"]),
    "The effect of the taints; by default any effect.",
);

static SET_TAINTS: &[SettingKey] = &[TAINT_KEY, SET_EFFECT];

static SLICE_TAINTS: &[SettingKey] = &[
    key(
        "driver",
        ValueShape::Name(SettingNameKind::Driver),
        "The driver of the slice, `*` wildcards allowed; by default any driver.",
    ),
    TAINT_KEY,
    SET_EFFECT,
];

static TAINTS: &[SettingKey] = &[
    TAINT_KEY,
    key(
        "effect",
        ValueShape::Choice(&["NoSchedule", "NoExecute"]),
        "The effect of the taints; by default any effect.",
    ),
];

const MESSAGE: SettingKey = key(
    "message",
    ValueShape::Message,
    "Text after the reason, e.g. whom to ask; `{kind}`, `{namespace}`, `{name}` and `{user}` stand for those of the request, `{setting}` for the setting, `{value}` for what it does not accept, `{class}` for the class that the reason names.",
);

static CLASSES: &[SettingKey] = &[
    key(
        "allow",
        ValueShape::Patterns(SettingNameKind::Class),
        "The classes claims may name.",
    ),
    key(
        "deny",
        ValueShape::Patterns(SettingNameKind::Class),
        "The classes claims may not name.",
    ),
    key(
        "namespaces",
        ValueShape::Objects(CLASSES_OF_NAMESPACES),
        "Classes of certain namespaces, instead of `allow` and `deny`; the first entry that matches the namespace counts.",
    ),
    key(
        "default",
        ValueShape::Name(SettingNameKind::Class),
        "The class that a new claim gets if it names none; the policy then changes objects and must be `mutating: true`.",
    ),
    key(
        "fallback",
        ValueShape::Name(SettingNameKind::Class),
        "The class that replaces a class of a new claim that is missing or not allowed; the policy then changes objects and must be `mutating: true`.",
    ),
    MODE,
    MESSAGE,
    EXEMPT,
];

static CLASSES_OF_NAMESPACES: &[SettingKey] = &[
    NAMESPACE_NAMES,
    NAMESPACE_LABELS,
    key(
        "allow",
        ValueShape::Patterns(SettingNameKind::Class),
        "The classes their claims may name.",
    ),
    key(
        "deny",
        ValueShape::Patterns(SettingNameKind::Class),
        "The classes their claims may not name.",
    ),
    key(
        "default",
        ValueShape::Name(SettingNameKind::Class),
        "Instead of the `default` above.",
    ),
    key(
        "fallback",
        ValueShape::Name(SettingNameKind::Class),
        "Instead of the `fallback` above.",
    ),
];

static GROUP_KIND: &[SettingKey] = &[
    key(
        "apiGroup",
        ValueShape::Name(SettingNameKind::Group),
        "The API group, `*` wildcards allowed; absent or empty is the core group.",
    ),
    key(
        "kind",
        ValueShape::Name(SettingNameKind::Kind),
        "The kind, `*` wildcards allowed.",
    ),
];

static NODES: &[SettingKey] = &[
    key(
        "required",
        ValueShape::Flag,
        "Whether there must be a node selector.",
    ),
    key(
        "mustSelect",
        ValueShape::Objects(NODE),
        "Nodes that must be selected.",
    ),
    key(
        "mustNotSelect",
        ValueShape::Objects(NODE),
        "Nodes that must not be selected.",
    ),
    MODE,
    MESSAGE,
    EXEMPT,
];

static NODE: &[SettingKey] = &[
    key(
        "name",
        ValueShape::Name(SettingNameKind::Node),
        "The node's name.",
    ),
    key("labels", ValueShape::Labels, "The node's labels."),
];
