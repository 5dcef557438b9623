//! What is kept of each kind, and what its names are. What no row names is left out.

use super::rule::LABEL_SELECTOR;
use super::rule::Rule::{
    self, Each, Empty, Except, Keep, Key, LabelMap, Labels, Name, Names, Only, PodSelector,
    PriorityName, QuotaKeys, Requirements, ResourceId, ResourceName, Text, Tolerations, Whole,
};

/// A kind, by its API group.
pub struct KindRules {
    pub group: &'static str,
    pub kind: &'static str,
    pub rules: &'static [(&'static str, Rule)],
}

const fn kind(
    group: &'static str,
    kind: &'static str,
    rules: &'static [(&'static str, Rule)],
) -> KindRules {
    KindRules { group, kind, rules }
}

/// Returns what is kept of a kind; `None`: no answer depends on its objects.
pub fn rules_of(api_version: &str, kind: &str) -> Option<&'static [(&'static str, Rule)]> {
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let mut kinds = KINDS.iter();
    let known = kinds.find(|known| known.group == group && known.kind == kind)?;
    Some(known.rules)
}

const RESOURCE: &str = "resource.k8s.io";
const STORAGE: &str = "storage.k8s.io";
const SCHEDULING: &str = "scheduling.k8s.io";

static KINDS: &[KindRules] = &[
    kind("", "Pod", POD),
    kind("", "Node", NODE),
    kind("", "Namespace", &[("metadata", META)]),
    kind("", "Event", EVENT),
    kind("", "ResourceQuota", QUOTA),
    kind(
        "",
        "Service",
        &[
            ("metadata", META),
            ("spec", Only(&[("selector", LabelMap)])),
        ],
    ),
    kind("", "PersistentVolumeClaim", VOLUME_CLAIM),
    kind("", "PersistentVolume", VOLUME),
    kind("", "ReplicationController", WORKLOAD),
    kind("apps", "Deployment", WORKLOAD),
    kind("apps", "ReplicaSet", WORKLOAD),
    kind("apps", "StatefulSet", WORKLOAD),
    kind("apps", "DaemonSet", WORKLOAD),
    kind("batch", "Job", WORKLOAD),
    kind("batch", "CronJob", WORKLOAD),
    kind("policy", "PodDisruptionBudget", BUDGET),
    kind(RESOURCE, "ResourceClaim", CLAIM),
    kind(RESOURCE, "ResourceClaimTemplate", TEMPLATE),
    kind(RESOURCE, "ResourceSlice", SLICE),
    kind(RESOURCE, "DeviceClass", CLASS),
    kind(RESOURCE, "DeviceTaintRule", TAINT_RULE),
    kind(SCHEDULING, "PodGroup", POD_GROUP),
    kind(SCHEDULING, "PriorityClass", PRIORITY_CLASS),
    kind(STORAGE, "StorageClass", STORAGE_CLASS),
    kind(STORAGE, "CSINode", CSI_NODE),
    kind(
        STORAGE,
        "CSIDriver",
        &[("metadata", NAMED_META), ("spec", Keep)],
    ),
    kind(STORAGE, "CSIStorageCapacity", STORAGE_CAPACITY),
    kind(STORAGE, "VolumeAttachment", ATTACHMENT),
];

const OWNER: Rule = Only(&[
    ("apiVersion", Keep),
    ("kind", Keep),
    ("name", Name),
    ("uid", Whole),
    ("controller", Keep),
]);

const META: Rule = Only(&[
    ("name", Name),
    ("generateName", Name),
    ("namespace", Name),
    ("uid", Whole),
    ("resourceVersion", Keep),
    ("labels", Labels),
    ("annotations", ANNOTATIONS),
    ("creationTimestamp", Keep),
    ("deletionTimestamp", Keep),
    ("deletionGracePeriodSeconds", Keep),
    ("ownerReferences", Each(&OWNER)),
    ("finalizers", Keep),
]);

/// Metadata of an object whose name decides, such as a class.
const NAMED_META: Rule = Only(&[
    ("name", Keep),
    ("uid", Whole),
    ("resourceVersion", Keep),
    ("labels", Labels),
    ("annotations", ANNOTATIONS),
    ("creationTimestamp", Keep),
    ("deletionTimestamp", Keep),
]);

const CONDITION: Rule = Only(&[
    ("type", Keep),
    ("status", Keep),
    ("reason", Keep),
    ("message", Text),
    ("lastTransitionTime", Keep),
]);

// --- selectors ----------------------------------------------------------------------------------------------------------

const NODE_SELECTOR_TERM: Rule = Only(&[
    ("matchExpressions", Requirements),
    ("matchFields", Requirements),
]);
const NODE_SELECTOR: Rule = Only(&[("nodeSelectorTerms", Each(&NODE_SELECTOR_TERM))]);

// --- pods ---------------------------------------------------------------------------------------------------------------

const USED_CLAIM: Rule = Only(&[("name", Name), ("request", Keep)]);
const RESOURCES: Rule = Only(&[
    ("requests", Keep),
    ("limits", Keep),
    ("claims", Each(&USED_CLAIM)),
]);
const PORT: Rule = Only(&[
    ("containerPort", Keep),
    ("hostPort", Keep),
    ("hostIP", Name),
    ("protocol", Keep),
]);
const CONTAINER: Rule = Only(&[
    ("name", Name),
    ("image", Whole),
    ("ports", Each(&PORT)),
    ("resources", RESOURCES),
    ("restartPolicy", Keep),
]);
const CLAIM_ENTRY: Rule = Only(&[
    ("name", Name),
    ("resourceClaimName", Name),
    ("resourceClaimTemplateName", Name),
]);
const POD_AFFINITY_TERM: Rule = Only(&[
    ("labelSelector", LABEL_SELECTOR),
    ("namespaces", Names),
    ("namespaceSelector", LABEL_SELECTOR),
    ("topologyKey", Key),
    ("matchLabelKeys", Each(&Key)),
    ("mismatchLabelKeys", Each(&Key)),
]);
const PREFERRED_PODS: Rule = Only(&[("weight", Keep), ("podAffinityTerm", POD_AFFINITY_TERM)]);
const POD_AFFINITY: Rule = Only(&[
    (
        "requiredDuringSchedulingIgnoredDuringExecution",
        Each(&POD_AFFINITY_TERM),
    ),
    (
        "preferredDuringSchedulingIgnoredDuringExecution",
        Each(&PREFERRED_PODS),
    ),
]);
const PREFERRED_NODES: Rule = Only(&[("weight", Keep), ("preference", NODE_SELECTOR_TERM)]);
const NODE_AFFINITY: Rule = Only(&[
    (
        "requiredDuringSchedulingIgnoredDuringExecution",
        NODE_SELECTOR,
    ),
    (
        "preferredDuringSchedulingIgnoredDuringExecution",
        Each(&PREFERRED_NODES),
    ),
]);
const SPREAD: Rule = Only(&[
    ("maxSkew", Keep),
    ("topologyKey", Key),
    ("whenUnsatisfiable", Keep),
    ("labelSelector", LABEL_SELECTOR),
    ("minDomains", Keep),
    ("nodeAffinityPolicy", Keep),
    ("nodeTaintsPolicy", Keep),
    ("matchLabelKeys", Each(&Key)),
]);
const EPHEMERAL: Rule = Only(&[(
    "volumeClaimTemplate",
    Only(&[("metadata", META), ("spec", VOLUME_CLAIM_SPEC)]),
)]);
const POD_VOLUME: Rule = Only(&[
    ("name", Name),
    (
        "persistentVolumeClaim",
        Only(&[("claimName", Name), ("readOnly", Keep)]),
    ),
    ("ephemeral", EPHEMERAL),
    (
        "gcePersistentDisk",
        Only(&[("pdName", Name), ("readOnly", Keep)]),
    ),
    ("awsElasticBlockStore", Only(&[("volumeID", Name)])),
    ("iscsi", Only(&[("iqn", Name), ("readOnly", Keep)])),
    (
        "rbd",
        Only(&[
            ("monitors", Names),
            ("image", Name),
            ("pool", Keep),
            ("readOnly", Keep),
        ]),
    ),
]);
const POD_SPEC: Rule = Only(&[
    ("initContainers", Each(&CONTAINER)),
    ("containers", Each(&CONTAINER)),
    ("resourceClaims", Each(&CLAIM_ENTRY)),
    ("nodeName", Name),
    ("resources", RESOURCES),
    ("overhead", Keep),
    ("schedulingGroup", Only(&[("podGroupName", Name)])),
    (
        "workloadRef",
        Only(&[
            ("name", Name),
            ("podGroup", Name),
            ("podGroupReplicaKey", Name),
        ]),
    ),
    ("priority", Keep),
    ("priorityClassName", PriorityName),
    ("preemptionPolicy", Keep),
    ("schedulerName", Keep),
    ("schedulingGates", Keep),
    ("nodeSelector", LabelMap),
    (
        "affinity",
        Only(&[
            ("nodeAffinity", NODE_AFFINITY),
            ("podAffinity", POD_AFFINITY),
            ("podAntiAffinity", POD_AFFINITY),
        ]),
    ),
    ("tolerations", Tolerations),
    ("topologySpreadConstraints", Each(&SPREAD)),
    ("hostNetwork", Keep),
    ("volumes", Each(&POD_VOLUME)),
    ("runtimeClassName", Name),
]);
const CLAIM_STATUS: Rule = Only(&[("name", Name), ("resourceClaimName", Name)]);
const HEALTH: Rule = Only(&[
    ("resourceID", ResourceId),
    ("health", Keep),
    ("message", Text),
]);
const RESOURCE_STATUS: Rule = Only(&[("name", ResourceName), ("resources", Each(&HEALTH))]);
const CONTAINER_STATUS: Rule = Only(&[
    ("name", Name),
    ("resources", RESOURCES),
    ("allocatedResources", Keep),
    ("allocatedResourcesStatus", Each(&RESOURCE_STATUS)),
]);
const EXTENDED_CLAIM: Rule = Only(&[
    ("resourceClaimName", Name),
    (
        "requestMappings",
        Each(&Only(&[
            ("containerName", Name),
            ("resourceName", Keep),
            ("requestName", Keep),
        ])),
    ),
]);
const NODE_RESOURCE_CLAIM: Rule = Only(&[
    ("resourceClaimName", Name),
    ("resources", Keep),
    ("containers", Names),
    ("mapping", Keep),
    ("overhead", Keep),
]);
const POD: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", POD_SPEC),
    (
        "status",
        Only(&[
            ("resourceClaimStatuses", Each(&CLAIM_STATUS)),
            ("extendedResourceClaimStatus", EXTENDED_CLAIM),
            ("phase", Keep),
            ("nominatedNodeName", Name),
            ("startTime", Keep),
            ("conditions", Each(&CONDITION)),
            ("containerStatuses", Each(&CONTAINER_STATUS)),
            ("initContainerStatuses", Each(&CONTAINER_STATUS)),
            ("resources", RESOURCES),
            ("allocatedResources", Keep),
            (
                "nodeAllocatableResourceClaimStatuses",
                Each(&NODE_RESOURCE_CLAIM),
            ),
        ]),
    ),
];
const POD_TEMPLATE: Rule = Only(&[("metadata", META), ("spec", POD_SPEC)]);
const WORKLOAD_SPEC: Rule = Only(&[
    ("replicas", Keep),
    ("selector", PodSelector),
    ("parallelism", Keep),
    ("completions", Keep),
    ("suspend", Keep),
    ("ordinals", Keep),
    ("template", POD_TEMPLATE),
    (
        "jobTemplate",
        Only(&[
            ("metadata", META),
            (
                "spec",
                Only(&[
                    ("parallelism", Keep),
                    ("completions", Keep),
                    ("template", POD_TEMPLATE),
                ]),
            ),
        ]),
    ),
]);
const WORKLOAD: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", WORKLOAD_SPEC),
    ("status", Only(&[("conditions", Each(&CONDITION))])),
];
const BUDGET: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", Only(&[("selector", LABEL_SELECTOR)])),
    ("status", Only(&[("disruptionsAllowed", Keep)])),
];

// --- nodes and namespaces -----------------------------------------------------------------------------------------------

const NODE: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Only(&[("unschedulable", Keep), ("taints", Tolerations)]),
    ),
    (
        "status",
        Only(&[
            ("allocatable", Keep),
            ("capacity", Keep),
            ("declaredFeatures", Keep),
            ("nodeInfo", Only(&[("kubeletVersion", Keep)])),
        ]),
    ),
];
const EVENT_OBJECT: Rule = Only(&[
    ("kind", Keep),
    ("namespace", Name),
    ("name", Name),
    ("uid", Whole),
]);
const EVENT: &[(&str, Rule)] = &[
    ("metadata", META),
    ("reason", Keep),
    ("message", Text),
    ("note", Text),
    ("involvedObject", EVENT_OBJECT),
    ("regarding", EVENT_OBJECT),
    ("lastTimestamp", Keep),
    ("eventTime", Keep),
];
const QUOTA: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Only(&[
            ("hard", QuotaKeys),
            ("scopes", Keep),
            (
                "scopeSelector",
                Only(&[("matchExpressions", Each(&Only(&[("scopeName", Keep)])))]),
            ),
        ]),
    ),
    ("status", Only(&[("hard", QuotaKeys), ("used", QuotaKeys)])),
];
const PRIORITY_CLASS: &[(&str, Rule)] = &[
    (
        "metadata",
        Only(&[
            ("name", PriorityName),
            ("uid", Whole),
            ("creationTimestamp", Keep),
        ]),
    ),
    ("value", Keep),
    ("globalDefault", Keep),
    ("preemptionPolicy", Keep),
];
const POD_GROUP: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Only(&[
            ("schedulingPolicy", Keep),
            ("schedulingConstraints", Keep),
            ("resourceClaims", Each(&CLAIM_ENTRY)),
            ("priority", Keep),
            ("priorityClassName", PriorityName),
            ("disruptionMode", Keep),
        ]),
    ),
    (
        "status",
        Only(&[
            ("resourceClaimStatuses", Each(&CLAIM_STATUS)),
            ("conditions", Each(&CONDITION)),
        ]),
    ),
];

// --- devices ------------------------------------------------------------------------------------------------------------

const CONFIG: Rule = Except(&[("opaque", Only(&[("driver", Keep), ("parameters", Empty)]))]);
const DEVICE_CLAIM: Rule = Except(&[("config", Each(&CONFIG))]);
const CLAIM_SPEC: Rule = Except(&[("devices", DEVICE_CLAIM)]);
const RESULT: Rule = Except(&[("pool", Name)]);
const ALLOCATION: Rule = Except(&[
    (
        "devices",
        Except(&[("results", Each(&RESULT)), ("config", Each(&CONFIG))]),
    ),
    ("nodeSelector", NODE_SELECTOR),
    ("availableOnNodes", NODE_SELECTOR),
]);
const CONSUMER: Rule = Only(&[
    ("apiGroup", Keep),
    ("resource", Keep),
    ("name", Name),
    ("uid", Whole),
]);
const DEVICE_STATUS: Rule = Only(&[
    ("driver", Keep),
    ("pool", Name),
    ("device", Keep),
    ("shareID", Keep),
    ("conditions", Each(&CONDITION)),
]);
const CLAIM: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", CLAIM_SPEC),
    (
        "status",
        Except(&[
            ("allocation", ALLOCATION),
            ("reservedFor", Each(&CONSUMER)),
            ("devices", Each(&DEVICE_STATUS)),
        ]),
    ),
];
const TEMPLATE: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", Only(&[("metadata", META), ("spec", CLAIM_SPEC)])),
];
const OF_DEVICE: &[(&str, Rule)] = &[("nodeName", Name), ("nodeSelector", NODE_SELECTOR)];
const DEVICE: Rule = Except(&[
    ("nodeName", Name),
    ("nodeSelector", NODE_SELECTOR),
    ("basic", Except(OF_DEVICE)),
]);
const SLICE: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Except(&[
            ("pool", Except(&[("name", Name)])),
            ("nodeName", Name),
            ("nodeSelector", NODE_SELECTOR),
            ("devices", Each(&DEVICE)),
        ]),
    ),
];
const CLASS: &[(&str, Rule)] = &[
    ("metadata", NAMED_META),
    (
        "spec",
        Except(&[("config", Each(&CONFIG)), ("suitableNodes", NODE_SELECTOR)]),
    ),
];
const TAINT_RULE: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Except(&[("deviceSelector", Except(&[("pool", Name)]))]),
    ),
    ("status", Except(&[("conditions", Each(&CONDITION))])),
];

// --- volumes ------------------------------------------------------------------------------------------------------------

const VOLUME_CLAIM_SPEC: Rule = Only(&[
    ("accessModes", Keep),
    ("resources", Keep),
    ("storageClassName", Name),
    ("volumeName", Name),
    ("volumeMode", Keep),
    ("selector", LABEL_SELECTOR),
    ("volumeAttributesClassName", Name),
]);
const PHASE: Rule = Only(&[("phase", Keep)]);
const VOLUME_CLAIM: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", VOLUME_CLAIM_SPEC),
    ("status", PHASE),
];
const VOLUME: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Only(&[
            ("accessModes", Keep),
            ("capacity", Keep),
            (
                "claimRef",
                Only(&[("namespace", Name), ("name", Name), ("uid", Whole)]),
            ),
            ("storageClassName", Name),
            ("volumeMode", Keep),
            ("nodeAffinity", Only(&[("required", NODE_SELECTOR)])),
            ("volumeAttributesClassName", Name),
            ("csi", Only(&[("driver", Keep), ("volumeHandle", Name)])),
            ("gcePersistentDisk", Names),
            ("awsElasticBlockStore", Names),
            ("azureDisk", Names),
            ("cinder", Names),
            ("portworxVolume", Names),
        ]),
    ),
    ("status", PHASE),
];
const STORAGE_CLASS: &[(&str, Rule)] = &[
    ("metadata", META),
    ("provisioner", Keep),
    ("volumeBindingMode", Keep),
    (
        "allowedTopologies",
        Each(&Only(&[("matchLabelExpressions", Requirements)])),
    ),
];
const CSI_DRIVER_ON_NODE: Rule = Only(&[
    ("name", Keep),
    ("topologyKeys", Each(&Key)),
    ("allocatable", Keep),
]);
const CSI_NODE: &[(&str, Rule)] = &[
    ("metadata", META),
    ("spec", Only(&[("drivers", Each(&CSI_DRIVER_ON_NODE))])),
];
const STORAGE_CAPACITY: &[(&str, Rule)] = &[
    ("metadata", META),
    ("nodeTopology", LABEL_SELECTOR),
    ("storageClassName", Name),
    ("capacity", Keep),
    ("maximumVolumeSize", Keep),
];
const ATTACHMENT: &[(&str, Rule)] = &[
    ("metadata", META),
    (
        "spec",
        Only(&[
            ("attacher", Keep),
            ("nodeName", Name),
            ("source", Only(&[("persistentVolumeName", Name)])),
        ]),
    ),
];

/// Annotations that decide.
const ANNOTATIONS: Rule = Only(&[
    ("resource.kubernetes.io/pod-claim-name", Name),
    ("resource.kubernetes.io/extended-resource-claim", Keep),
    ("volume.beta.kubernetes.io/storage-class", Name),
    ("volume.kubernetes.io/selected-node", Name),
    ("pv.kubernetes.io/bind-completed", Keep),
    ("pv.kubernetes.io/bound-by-controller", Keep),
    ("storage.alpha.kubernetes.io/migrated-plugins", Keep),
    ("storageclass.kubernetes.io/is-default-class", Keep),
    ("storageclass.beta.kubernetes.io/is-default-class", Keep),
    ("kubernetes.io/config.mirror", Whole),
    ("controller.kubernetes.io/pod-deletion-cost", Keep),
]);
