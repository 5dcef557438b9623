//! The settings as data: one table from which they are read ([`crate::policy::check`]), described ([`crate::policy::schema`]) and refused.

use crate::api::{classic, device};

/// The allocation modes of claims, then those of requests for devices.
pub const ALLOCATION_MODES: &[&[&str]] = &[classic::v1alpha2::ALLOCATION_MODES, device::ALLOCATION_MODES];

/// One key of the settings.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    /// The effect of the setting, in one sentence.
    pub doc: &'static str,
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// One of these words. If `off` is allowed, `false` is accepted for it, because YAML 1.1 reads `off` as `false`.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number that is not negative.
    Count,
    /// Any text, not empty.
    Text,
    Name(Names),
    /// A list of names with wildcards, not empty.
    Patterns(Names),
    /// An object. Where it has `allow` and `deny`, only one of them may be given.
    Object(&'static [Key]),
    /// A list of objects, not empty.
    Objects(&'static [Key]),
    /// Labels of a node or a namespace, not empty.
    Labels,
    /// Feature gates and whether they are on, not empty.
    Gates,
    /// Capacities and the largest quantity of each, not empty.
    Quantities,
}

/// The kind of a name, which determines its syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
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

const fn key(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, doc }
}

/// All settings of the policy.
pub static SETTINGS: &[Key] = &[
    key(
        "mode",
        Shape::Choice(&["enforce", "warn"]),
        "What happens to a request that breaks a rule: `enforce` (default) refuses it, `warn` accepts it and warns.",
    ),
    key(
        "validation",
        Shape::Choice(&["strict", "warn", "off"]),
        "Whether objects are checked against the API server's own rules: `strict` (default) refuses, `warn` accepts and warns, `off` does not check.",
    ),
    key(
        "release",
        Shape::Name(Names::Release),
        "The Kubernetes release whose rules apply, e.g. \"1.28\"; by default the last release that serves the object's version.",
    ),
    key(
        "gates",
        Shape::Gates,
        "The feature gates of the API server that differ from the defaults of `release`, e.g. `DRAPartitionableDevices: true`; `release` must be given.",
    ),
    key(
        "apiVersions",
        Shape::Object(&[
            key("allow", Shape::Patterns(Names::Version), "The API versions objects may have."),
            key("deny", Shape::Patterns(Names::Version), "The API versions objects may not have."),
            key("denyDeprecated", Shape::Flag, "Whether versions that are deprecated in `release` are refused."),
            MODE,
            MESSAGE,
        ]),
        "Which versions of resource.k8s.io may be used; the version that the client wrote counts.",
    ),
    key(
        "deviceClasses",
        Shape::Object(CLASSES),
        "Which device classes the requests of claims and claim templates may name, and pods as extended resources (v1alpha3 and later).",
    ),
    key(
        "resourceClasses",
        Shape::Object(CLASSES),
        "Which resource classes claims and claim templates may name (v1alpha1 and v1alpha2).",
    ),
    key(
        "allocationModes",
        Shape::Object(&[
            key("allow", Shape::Patterns(Names::AllocationMode), "The allocation modes claims may have."),
            key("deny", Shape::Patterns(Names::AllocationMode), "The allocation modes claims may not have."),
            key(
                "default",
                Shape::Name(Names::AllocationMode),
                "The mode that a new claim gets if it has none or `WaitForFirstConsumer`, which an API server sets by default (v1alpha1 and v1alpha2); the policy then changes objects and must be `mutating: true`.",
            ),
            key(
                "fallback",
                Shape::Name(Names::AllocationMode),
                "The mode that replaces a mode of a new claim that is not allowed; the policy then changes objects and must be `mutating: true`.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Which allocation modes claims, their requests for devices and claim templates may have.",
    ),
    key(
        "adminAccess",
        Shape::Object(&[
            key("deny", Shape::Flag, "Whether admin access is refused except in the namespaces below."),
            key("namespaces", Shape::Patterns(Names::Namespace), "Namespaces whose claims may ask for admin access."),
            key(
                "labels",
                Shape::Labels,
                "Labels of more namespaces whose claims may ask for admin access; the policy reads the labels from the cluster.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Where claims and claim templates may ask for admin access to devices.",
    ),
    key(
        "limits",
        Shape::Object(&[
            key("maxRequests", Shape::Count, "How many requests a claim may have; a request with alternatives counts once."),
            MAX_COUNT,
            ALL_DEVICES,
            MAX_CAPACITY,
            key(
                "classes",
                Shape::Objects(&[
                    key("names", Shape::Patterns(Names::Class), "The classes."),
                    MAX_COUNT,
                    ALL_DEVICES,
                    MAX_CAPACITY,
                ]),
                "Limits of requests for certain classes, instead of `maxCount`, `allDevices` and `maxCapacity`; the first entry that matches the class counts.",
            ),
            MODE,
            MESSAGE,
        ]),
        "How much claims and claim templates may ask for, and pods as extended resources (v1alpha3 and later).",
    ),
    key(
        "tolerations",
        Shape::Object(&[
            key(
                "allow",
                Shape::Objects(TAINTS),
                "Taints that requests may tolerate; a toleration that reaches beyond them is refused.",
            ),
            key(
                "deny",
                Shape::Objects(TAINTS),
                "Taints that requests may not tolerate; a toleration that reaches one of them is refused.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Which device taints the requests of claims and claim templates may tolerate (1.33 and later).",
    ),
    key(
        "selectors",
        Shape::Object(&[
            key(
                "denyInClaims",
                Shape::Flag,
                "Whether CEL expressions in requests are refused: selectors and derived attributes.",
            ),
            key("denyInClasses", Shape::Flag, "Whether CEL selectors in device classes are refused."),
            MODE,
            MESSAGE,
        ]),
        "Where CEL expressions may select devices (v1alpha3 and later).",
    ),
    key(
        "opaqueParameters",
        Shape::Object(&[
            key("allow", Shape::Patterns(Names::Driver), "The drivers for which claims may have parameters."),
            key("deny", Shape::Patterns(Names::Driver), "The drivers for which claims may not have parameters."),
            MODE,
            MESSAGE,
        ]),
        "For which drivers claims and claim templates may have opaque parameters (v1alpha3 and later).",
    ),
    key(
        "extendedResourceNames",
        Shape::Object(&[
            key("allow", Shape::Patterns(Names::Resource), "The names that classes may take."),
            key("deny", Shape::Patterns(Names::Resource), "The names that classes may not take."),
            MODE,
            MESSAGE,
        ]),
        "Which `extendedResourceName` a device class may take (1.34 and later).",
    ),
    key(
        "deviceTaintRules",
        Shape::Object(&[
            key(
                "selectorRequired",
                Shape::Choice(&["NoExecute", "always"]),
                "Which rules must select devices: those with the effect `NoExecute`, which evict pods, or all. A rule that names no device selects every device of the cluster.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Requirements for a DeviceTaintRule.",
    ),
    key(
        "drivers",
        Shape::Object(&[
            key("allow", Shape::Patterns(Names::Driver), "The drivers that may be named."),
            key("deny", Shape::Patterns(Names::Driver), "The drivers that may not be named."),
            MODE,
            MESSAGE,
        ]),
        "Which drivers classes, claims, their statuses, parameters, slices and taint rules may name.",
    ),
    key(
        "parametersRef",
        Shape::Object(&[
            key("required", Shape::Flag, "Whether claims must refer to parameters."),
            key("allow", Shape::Objects(GROUP_KIND), "The kinds of parameters claims may refer to."),
            key("deny", Shape::Objects(GROUP_KIND), "The kinds of parameters claims may not refer to."),
            MODE,
            MESSAGE,
        ]),
        "What claims and claim templates may refer to as their parameters.",
    ),
    key("suitableNodes", Shape::Object(NODES), "Requirements for suitableNodes of a class (v1alpha1 to v1alpha3)."),
    key(
        "availableOnNodes",
        Shape::Object(NODES),
        "Requirements for availableOnNodes or nodeSelector of an allocation; judged on requests to resourceclaims/status.",
    ),
    key(
        "shareable",
        Shape::Object(&[
            key("deny", Shape::Flag, "Whether allocations and claim parameters may not be shareable."),
            MODE,
            MESSAGE,
        ]),
        "Whether several pods may share an allocation.",
    ),
    key(
        "pods",
        Shape::Object(&[
            key(
                "claims",
                Shape::Object(&[
                    key("allow", Shape::Patterns(Names::Claim), "The claims pods may use."),
                    key("deny", Shape::Patterns(Names::Claim), "The claims pods may not use."),
                ]),
                "Which claims pods may use by name.",
            ),
            key(
                "templates",
                Shape::Object(&[
                    key("allow", Shape::Patterns(Names::Claim), "The claim templates pods may use."),
                    key("deny", Shape::Patterns(Names::Claim), "The claim templates pods may not use."),
                ]),
                "Which claim templates pods may use.",
            ),
            key(
                "extendedResources",
                Shape::Object(&[
                    key("allow", Shape::Patterns(Names::Resource), "The extended resources containers may ask for."),
                    key("deny", Shape::Patterns(Names::Resource), "The extended resources containers may not ask for."),
                ]),
                "Which extended resources containers may ask for, with their domain: classes may stand behind them.",
            ),
            key("maxClaims", Shape::Count, "How many entries `spec.resourceClaims` may have."),
            key(
                "namesMatch",
                Shape::Flag,
                "Whether containers may use only the claims that their pod defines, and must use all of them.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Which resource claims pods, pod templates in objects of any kind, PodGroups and Workloads may use; the policy's rules must name these kinds.",
    ),
    key(
        "cluster",
        Shape::Object(&[
            key("classExists", Shape::Flag, "Whether the classes that a new claim or claim template names must exist."),
            key("maxClaims", Shape::Count, "How many claims a namespace may have, a new one included."),
            key(
                "podClasses",
                Shape::Flag,
                "Whether the classes of the claims and claim templates that a pod names are checked against `deviceClasses` and `resourceClasses`.",
            ),
            MODE,
            MESSAGE,
        ]),
        "Checks that read the cluster through Kubewarden; all are off by default. The policy must list what it reads in `contextAwareResources`.",
    ),
    key(
        "exempt",
        Shape::Object(&[
            key("usernames", Shape::Patterns(Names::Subject), "Users whose requests are accepted without a check."),
            key("groups", Shape::Patterns(Names::Subject), "Groups of users whose requests are accepted without a check."),
            key("namespaces", Shape::Patterns(Names::Namespace), "Namespaces whose requests are accepted without a check."),
        ]),
        "Requests that are accepted without a check.",
    ),
];

const MODE: Key = key(
    "mode",
    Shape::Choice(&["enforce", "warn"]),
    "Whether this setting refuses or only warns; the default is the top-level `mode`.",
);

const MAX_COUNT: Key =
    key("maxCount", Shape::Count, "How many devices a request may ask for, and an extended resource of a container.");

const ALL_DEVICES: Key = key(
    "allDevices",
    Shape::Choice(&["allow", "deny"]),
    "Whether a request may ask for all devices (`allocationMode: All`); by default it may not where `maxCount` is given.",
);

const MAX_CAPACITY: Key =
    key("maxCapacity", Shape::Quantities, "The most that a request may ask of a capacity, by the capacity's name.");

static TAINTS: &[Key] = &[
    key("key", Shape::Name(Names::TaintKey), "The key of the taints, `*` wildcards allowed."),
    key("effect", Shape::Choice(&["NoSchedule", "NoExecute"]), "The effect of the taints; by default any effect."),
];

const MESSAGE: Key = key("message", Shape::Text, "Text after the reason, e.g. whom to ask.");

static CLASSES: &[Key] = &[
    key("allow", Shape::Patterns(Names::Class), "The classes claims may name."),
    key("deny", Shape::Patterns(Names::Class), "The classes claims may not name."),
    key(
        "namespaces",
        Shape::Objects(CLASSES_OF_NAMESPACES),
        "Classes of certain namespaces, instead of `allow` and `deny`; the first entry that matches the namespace counts.",
    ),
    key(
        "default",
        Shape::Name(Names::Class),
        "The class that a new claim gets if it names none; the policy then changes objects and must be `mutating: true`.",
    ),
    key(
        "fallback",
        Shape::Name(Names::Class),
        "The class that replaces a class of a new claim that is missing or not allowed; the policy then changes objects and must be `mutating: true`.",
    ),
    MODE,
    MESSAGE,
];

static CLASSES_OF_NAMESPACES: &[Key] = &[
    key("names", Shape::Patterns(Names::Namespace), "The namespaces by name."),
    key(
        "labels",
        Shape::Labels,
        "The labels of the namespaces, all of which a namespace must have; the policy reads them from the cluster.",
    ),
    key("allow", Shape::Patterns(Names::Class), "The classes their claims may name."),
    key("deny", Shape::Patterns(Names::Class), "The classes their claims may not name."),
    key("default", Shape::Name(Names::Class), "Instead of the `default` above."),
    key("fallback", Shape::Name(Names::Class), "Instead of the `fallback` above."),
];

static GROUP_KIND: &[Key] = &[
    key("apiGroup", Shape::Name(Names::Group), "The API group, `*` wildcards allowed; absent or empty is the core group."),
    key("kind", Shape::Name(Names::Kind), "The kind, `*` wildcards allowed."),
];

static NODES: &[Key] = &[
    key("required", Shape::Flag, "Whether there must be a node selector."),
    key("mustSelect", Shape::Objects(NODE), "Nodes that must be selected."),
    key("mustNotSelect", Shape::Objects(NODE), "Nodes that must not be selected."),
    MODE,
    MESSAGE,
];

static NODE: &[Key] =
    &[key("name", Shape::Name(Names::Node), "The node's name."), key("labels", Shape::Labels, "The node's labels.")];
