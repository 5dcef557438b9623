//! The registry of finding codes. Codes are stable; only syntax findings begin with `yaml-` or `json-`.

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// A finding's code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])+ $name,)+ }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// Its stable name, e.g. `unknown-field`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }
        }
    };
}

codes! {
    // ---- syntax ----
    /// The YAML text cannot be read.
    YamlSyntax = "yaml-syntax",
    /// A key stands twice in a YAML mapping; the last one counts.
    YamlDuplicateKey = "yaml-duplicate-key",
    /// The JSON text cannot be read.
    JsonSyntax = "json-syntax",
    /// A line begins with `---` and goes on with other text.
    YamlSeparator = "yaml-separator",
    /// A key stands twice in a JSON object: kubectl keeps the last without a word.
    JsonDuplicateKey = "json-duplicate-key",
    /// A merge key (`<<`) overwrites a key written before it.
    YamlMergeOrder = "yaml-merge-order",
    /// A key is not a string in YAML; kubectl converts it to a different text.
    YamlConvertedKey = "yaml-converted-key",
    /// Text that kubectl never reads because the document has ended before it.
    YamlDroppedText = "yaml-dropped-text",
    /// A character that only looks like a hyphen, a blank or a quote.
    YamlLookalike = "yaml-lookalike",

    /// A byte that is not UTF-8: kubectl reads U+FFFD in its place.
    NotUtf8 = "not-utf8",

    // ---- limits and scope ----
    /// The text is larger than the limit `bytes`.
    LimitBytes = "limit-bytes",
    /// The text has more nodes than the limit `nodes`.
    LimitNodes = "limit-nodes",
    /// More findings than the limit `findings`.
    LimitFindings = "limit-findings",
    /// No object of `resource.k8s.io` was checked.
    NothingChecked = "nothing-checked",
    /// An object of another API group was not checked.
    OtherGroup = "other-group",

    // ---- recognising and decoding ----
    /// A document that is not a Kubernetes object: kind or apiVersion is missing or has the wrong type.
    NoKind = "no-kind",
    /// A kind the release does not have.
    UnknownKind = "unknown-kind",
    /// A field has a value of the wrong type.
    TypeMismatch = "type-mismatch",
    /// A field the schema does not have.
    UnknownField = "unknown-field",
    /// A field that stands twice in JSON.
    DuplicateField = "duplicate-field",

    // ---- the request ----
    /// The stored object of an update is missing or cannot be used.
    StoredObject = "stored-object",
    /// An object of this name was created before, from the same text.
    AlreadyExists = "already-exists",
    /// A body of more bytes than the server reads.
    RequestTooLarge = "request-too-large",
    /// A List without items cannot be submitted.
    ListNotCreatable = "list-not-creatable",
    /// A status update of a kind without status.
    NoStatus = "no-status",

    // ---- list queries ----
    /// A label selector that cannot be read.
    LabelSelectorInvalid = "label-selector-invalid",
    /// A field selector that cannot be read, or a field that lists of the kind cannot be selected by.
    FieldSelectorInvalid = "field-selector-invalid",

    // ---- patches ----
    /// A patch that is not carried out.
    PatchRefused = "patch-refused",
    /// Server-side apply of a field that another manager owns.
    ApplyConflict = "apply-conflict",

    // ---- conversion ----
    /// A field or value that the target version cannot hold.
    ConversionLoss = "conversion-loss",
    /// An assumption of the conversion from the classic to the device family that no tool can verify.
    ConversionDecision = "conversion-decision",
    /// A kind that the target version does not have.
    NoCounterpart = "no-counterpart",
    /// A document that could not be edited safely and was printed anew, without its comments.
    ConversionPrinted = "conversion-printed",
    /// The converted text does not read as the converted object: an error of claimkit.
    ConversionDisagrees = "conversion-disagrees",
    /// An object that was valid and is not valid in the target release.
    ValidityLost = "validity-lost",
    /// A handle whose driver is not named.
    HandleWithoutDriver = "handle-without-driver",
    /// Metadata that mentions the version converted from and is kept.
    VersionMentioned = "version-mentioned",
    /// A field that only the server writes was taken out.
    ServerFieldDropped = "server-field-dropped",

    // ---- metadata ----
    /// The object has neither a name nor a `generateName`.
    NameRequired = "name-required",
    /// The name is not a DNS subdomain.
    NameInvalid = "name-invalid",
    /// `generateName` cannot begin a DNS subdomain.
    GenerateNameInvalid = "generate-name-invalid",
    /// A namespaced object without a namespace.
    NamespaceRequired = "namespace-required",
    /// The namespace is not a DNS label.
    NamespaceInvalid = "namespace-invalid",
    /// A cluster-scoped object with a namespace.
    NamespaceForbidden = "namespace-forbidden",
    /// The generation is negative or smaller than the stored one.
    GenerationInvalid = "generation-invalid",
    /// The key of a label is not a qualified name.
    LabelKeyInvalid = "label-key-invalid",
    /// A label's value has characters that label values may not have.
    LabelValueInvalid = "label-value-invalid",
    /// The key of an annotation is not a qualified name.
    AnnotationKeyInvalid = "annotation-key-invalid",
    /// All annotations together are too large.
    AnnotationsTooLong = "annotations-too-long",
    /// An owner reference lacks its version, kind, name or uid.
    OwnerReferenceIncomplete = "owner-reference-incomplete",
    /// An Event may not own objects.
    OwnerReferenceEvent = "owner-reference-event",
    /// More than one owner is the controller.
    OwnerReferenceControllers = "owner-reference-controllers",
    /// A finalizer is not a qualified name.
    FinalizerInvalid = "finalizer-invalid",
    /// Two finalizers exclude each other.
    FinalizerConflict = "finalizer-conflict",
    /// A finalizer is neither qualified nor one of Kubernetes' own.
    FinalizerUnqualified = "finalizer-unqualified",
    /// A finalizer was added to an object that is being deleted.
    FinalizerAdded = "finalizer-added",
    /// An entry of `managedFields` is malformed.
    ManagedFieldsInvalid = "managed-fields-invalid",
    /// An update without `resourceVersion`.
    ResourceVersionRequired = "resource-version-required",
    /// A metadata field that may not change has changed.
    MetadataImmutable = "metadata-immutable",

    // ---- claims, templates, classes ----
    /// The class name is missing or is not a DNS subdomain.
    ClassNameInvalid = "class-name-invalid",
    /// A reference to parameters lacks its kind or name.
    ParametersRefIncomplete = "parameters-ref-incomplete",
    /// The namespace of a reference to parameters is not a DNS label.
    ParametersRefNamespace = "parameters-ref-namespace",
    /// The allocation mode is neither of the two valid values.
    AllocationModeUnsupported = "allocation-mode-unsupported",
    /// The spec may not change.
    SpecImmutable = "spec-immutable",
    /// A template's metadata may only have labels and annotations.
    TemplateMetadataForbidden = "template-metadata-forbidden",
    /// A driver name is missing.
    DriverNameRequired = "driver-name-required",
    /// A driver name is longer than 63 bytes.
    DriverNameTooLong = "driver-name-too-long",
    /// A driver name is not a DNS subdomain.
    DriverNameInvalid = "driver-name-invalid",
    /// A driver occurs twice in a list.
    DriverNameDuplicate = "driver-name-duplicate",

    // ---- node selectors and node names ----
    /// A node selector without terms.
    NodeSelectorEmpty = "node-selector-empty",
    /// The number of values does not fit the operator.
    NodeSelectorValues = "node-selector-values",
    /// Node selectors do not have this operator.
    NodeSelectorOperator = "node-selector-operator",
    /// The key is not a label key, or not a field that node selectors support.
    NodeSelectorKey = "node-selector-key",
    /// The node name in a selector is not a DNS subdomain.
    NodeSelectorFieldValue = "node-selector-field-value",
    /// A node name is not a DNS subdomain.
    NodeNameInvalid = "node-name-invalid",
    /// A node occurs twice in a list.
    NodeNameDuplicate = "node-name-duplicate",
    /// More than 128 nodes.
    NodeListTooLong = "node-list-too-long",
    /// Two claim entries of a scheduling status have the same name.
    ClaimStatusDuplicate = "claim-status-duplicate",

    // ---- claim status ----
    /// An allocation without the driver that made it.
    AllocationDriverRequired = "allocation-driver-required",
    /// An allocation may be removed but not changed.
    AllocationImmutable = "allocation-immutable",
    /// A resource handle of more than 16 KiB.
    ResourceHandleTooLong = "resource-handle-too-long",
    /// More than 32 resource handles.
    ResourceHandlesTooMany = "resource-handles-too-many",
    /// A resource handle with opaque and structured data.
    ResourceHandleTwoData = "resource-handle-two-data",
    /// A consumer occurs twice in `reservedFor`.
    ReservedForDuplicate = "reserved-for-duplicate",
    /// A consumer lacks its resource, name or uid.
    ReservedForIncomplete = "reserved-for-incomplete",
    /// More than 32 consumers.
    ReservedForTooMany = "reserved-for-too-many",
    /// A claim that is reserved but not allocated.
    ReservedForNotAllocated = "reserved-for-not-allocated",
    /// More than one consumer of a claim that is not shareable.
    ReservedForNotShareable = "reserved-for-not-shareable",
    /// A new consumer of a claim that is going away.
    ReservedForAdded = "reserved-for-added",
    /// Deallocation is requested while the claim is reserved.
    DeallocationInUse = "deallocation-in-use",
    /// Deallocation is requested without an allocation.
    DeallocationNotAllocated = "deallocation-not-allocated",
    /// A request for deallocation was withdrawn.
    DeallocationCleared = "deallocation-cleared",

    // ---- structured parameters (1.30) ----
    /// No structured model is set.
    StructuredModelRequired = "structured-model-required",
    /// A selector is empty.
    SelectorRequired = "selector-required",
    /// A driver without requests.
    RequestsRequired = "requests-required",
    /// The name of an instance is not a DNS subdomain.
    InstanceNameInvalid = "instance-name-invalid",
    /// Two instances have the same name.
    InstanceNameDuplicate = "instance-name-duplicate",
    /// The name of an attribute is not a DNS subdomain.
    AttributeNameInvalid = "attribute-name-invalid",
    /// Two attributes of an instance have the same name.
    AttributeNameDuplicate = "attribute-name-duplicate",
    /// The version of an attribute is not a semantic version.
    AttributeVersionInvalid = "attribute-version-invalid",
    /// An attribute without a value.
    AttributeValueRequired = "attribute-value-required",
    /// An attribute with more than one value.
    AttributeValueSeveral = "attribute-value-several",
    /// A slice's node and driver may not change.
    SliceImmutable = "slice-immutable",

    // ---- claims, classes and slices of v1alpha3 and later ----
    /// A list or map with more entries than are allowed.
    ListTooLong = "list-too-long",
    /// An entry that occurs twice in a list.
    DuplicateItem = "duplicate-item",
    /// A request has neither or both of `exactly` and `firstAvailable`.
    RequestShape = "request-shape",
    /// The name of a request or alternative is not a DNS label.
    RequestNameInvalid = "request-name-invalid",
    /// A reference names a request that the claim does not have.
    RequestUnknown = "request-unknown",
    /// The count does not fit the allocation mode.
    CountInvalid = "count-invalid",
    /// An invalid toleration.
    TolerationInvalid = "toleration-invalid",
    /// Admin access in a namespace without the label for it.
    AdminAccessForbidden = "admin-access-forbidden",
    /// The name of an attribute or capacity is malformed.
    QualifiedNameInvalid = "qualified-name-invalid",
    /// A constraint names no attribute.
    ConstraintInvalid = "constraint-invalid",
    /// A configuration without content.
    ConfigRequired = "config-required",
    /// The source of an allocated configuration is neither of the two valid values.
    ConfigSourceInvalid = "config-source-invalid",
    /// Driver parameters or data that are missing, too large or not an object.
    ParametersInvalid = "parameters-invalid",
    /// A CEL expression that does not compile or does not return a boolean.
    SelectorInvalid = "selector-invalid",
    /// A CEL expression that may cost too much.
    SelectorTooExpensive = "selector-too-expensive",
    /// A CEL expression of more than 10 KiB.
    SelectorTooLong = "selector-too-long",
    /// A device that is not allocated has a status.
    DeviceNotAllocated = "device-not-allocated",
    /// A condition that is malformed.
    ConditionInvalid = "condition-invalid",
    /// Data of a network device that is malformed.
    NetworkDataInvalid = "network-data-invalid",
    /// A share ID is not a UUID in the standard form.
    ShareIdInvalid = "share-id-invalid",
    /// Invalid binding conditions.
    BindingConditionsInvalid = "binding-conditions-invalid",
    /// The name of a pool is malformed.
    PoolNameInvalid = "pool-name-invalid",
    /// The generation or the number of slices of a pool is too small.
    PoolNumberInvalid = "pool-number-invalid",
    /// The name of a device is not a DNS label.
    DeviceNameInvalid = "device-name-invalid",
    /// A device without `basic`.
    DeviceShape = "device-shape",
    /// A device with too many attributes, capacities or values.
    DeviceTooLarge = "device-too-large",
    /// An attribute without a value, with several, or with one that is too long.
    AttributeInvalid = "attribute-invalid",
    /// A slice or device selects its nodes in no way or in several ways.
    NodeSelectionInvalid = "node-selection-invalid",
    /// A value of a node selector is not a label value.
    NodeSelectorLabelValue = "node-selector-label-value",
    /// Counters that are malformed, too many or unknown.
    CountersInvalid = "counters-invalid",
    /// A taint that is malformed.
    TaintInvalid = "taint-invalid",
    /// An invalid request policy.
    RequestPolicyInvalid = "request-policy-invalid",
    /// An invalid mapping to the resources of a node.
    NodeMappingInvalid = "node-mapping-invalid",
    /// The name of an extended resource is malformed.
    ExtendedResourceNameInvalid = "extended-resource-name-invalid",
    /// A request for the status of pools, or its answer, is malformed.
    PoolStatusInvalid = "pool-status-invalid",

    // ---- accepted, but worth knowing ----
    /// The status of a new object is dropped.
    StatusDropped = "status-dropped",
    /// The namespace of a cluster-scoped object is dropped.
    NamespaceDropped = "namespace-dropped",
    /// The request's namespace is filled in.
    NamespaceFilled = "namespace-filled",
    /// Metadata that the server owns is dropped.
    ServerOwnedDropped = "server-owned-dropped",
    /// The server makes the name.
    NameGenerated = "name-generated",
    /// A new object may not have a resource version.
    ResourceVersionOnCreate = "resource-version-on-create",
    /// The stored object has another resource version.
    Conflict = "conflict",
    /// The object's namespace is not the one asked for.
    NamespaceMismatch = "namespace-mismatch",
    /// `allocationMode` is written without a value.
    AllocationModeDefaulted = "allocation-mode-defaulted",
    /// A CEL selector was not compiled.
    SelectorNotCompiled = "selector-not-compiled",
    /// An expression reads a name that no slice of the text publishes.
    SelectorNameUnknown = "selector-name-unknown",
    /// An expression compares versions or quantities as texts.
    SelectorComparesText = "selector-compares-text",
    /// An expression fails on a device of the text.
    SelectorFails = "selector-fails",
    /// An expression, or a part of it, is the same for every device.
    SelectorConstant = "selector-constant",
    /// A group that resembles `resource.k8s.io`.
    GroupMisspelled = "group-misspelled",
    /// A term without requirements selects nothing.
    NodeSelectorTermEmpty = "node-selector-term-empty",
    /// Requirements that exclude each other.
    NodeSelectorNeverMatches = "node-selector-never-matches",
    /// A selector that the scheduler cannot parse.
    NodeSelectorUnparsable = "node-selector-unparsable",
    /// A term that is equal to an earlier one.
    NodeSelectorTermDuplicate = "node-selector-term-duplicate",

    /// A node selector of a device with more than one term, which the scheduler cannot use.
    NodeSelectorTermsSeveral = "node-selector-terms-several",
    /// A DeviceTaintRule that taints every device of the cluster.
    TaintRuleSelectsAll = "taint-rule-selects-all",
    /// A toleration without key, value and operator.
    TolerationEmpty = "toleration-empty",

    // ---- selectors against given nodes ----
    /// A label that no given node has.
    NodeSelectorLabelUnknown = "node-selector-label-unknown",
    /// Values that no given node has for the label.
    NodeSelectorValueUnknown = "node-selector-value-unknown",
    /// An object among the Nodes that is not a Node.
    NodeSkipped = "node-skipped",
    /// The given Nodes contain no Node, or one without a name.
    NodeUnusable = "node-unusable",
    /// The name or a label of a node is not a string.
    NodeMistyped = "node-mistyped",
    /// Something that the placement does not take into account.
    PlacementNotModelled = "placement-not-modelled",
    /// The pod already runs.
    PodBound = "pod-bound",

    /// A field that the server drops because a feature gate is off.
    FieldDropped = "field-dropped",
    /// No release was given, and releases answer differently.
    ReleaseDecides = "release-decides",
    /// A warning that the server sends with its answer.
    ServerWarning = "server-warning",
    /// Admin access depends on a label of the namespace, which is not known.
    NamespaceLabelsUnknown = "namespace-labels-unknown",
    /// Generated validation rules replace hand-written ones, and their messages are not known.
    GeneratedRulesUnknown = "generated-rules-unknown",

    // ---- across the objects of one text ----
    /// A claim or template names a class that the text does not have.
    ClassNotInInput = "class-not-in-input",
    /// A reference names parameters that the text does not have.
    ParametersNotInInput = "parameters-not-in-input",
    /// A reference names a pod that the text does not have.
    PodNotInInput = "pod-not-in-input",
    /// A pod of the text has no claim entry of this name.
    ClaimEntryNotInPod = "claim-entry-not-in-pod",
    /// A pod names a claim that the text does not have.
    ClaimNotInInput = "claim-not-in-input",
    /// A constraint names an attribute that no slice of the text has.
    AttributeNotInInput = "attribute-not-in-input",

    // ---- pods and workloads of the text ----
    /// A pod asks for a claim in the form of another release.
    PodClaimSource = "pod-claim-source",
    /// A claim entry of a pod that no container uses.
    PodClaimUnused = "pod-claim-unused",
    /// A container uses a claim entry that its pod does not have.
    PodClaimUndefined = "pod-claim-undefined",
    /// A container names a request that the claim does not have.
    PodRequestUnknown = "pod-request-unknown",
    /// A container asks for an extended resource that no class of the text serves.
    ExtendedResourceUnserved = "extended-resource-unserved",

    // ---- allocation of devices ----
    /// A pool has fewer slices of its generation than it announces.
    PoolIncomplete = "pool-incomplete",
    /// A pool has more slices of its generation than it announces.
    PoolCountTooLow = "pool-count-too-low",
    /// Pools of two drivers have the same name and use counters: the scheduler mixes them up.
    PoolNameShared = "pool-name-shared",
    /// The release walks pools in random order: the answer is one of several.
    PoolOrderRandom = "pool-order-random",
    /// A slice is of an older generation than its pool.
    SliceStale = "slice-stale",
    /// Slices of a pool announce different numbers of slices.
    SliceCountsDisagree = "slice-counts-disagree",
    /// A slice names no node, so its devices are offered nowhere.
    SliceWithoutNode = "slice-without-node",
    /// A slice has more devices than the server accepts.
    SliceTooLarge = "slice-too-large",
    /// A device occurs in two slices of its pool.
    DeviceTwice = "device-twice",
    /// Slices of two nodes contain a device of the same name in the same pool: allocating one blocks the other.
    DeviceOnTwoNodes = "device-on-two-nodes",
    /// Devices in a slice with shared counters are not offered.
    DevicesBesideCounters = "devices-beside-counters",
    /// A pool has two counter sets of the same name.
    CounterSetTwice = "counter-set-twice",
    /// A device consumes a counter that its pool does not have.
    CounterDangling = "counter-dangling",
    /// Devices in use consume more of a counter than there is.
    CounterOverdrawn = "counter-overdrawn",
    /// Devices in use consume all of a counter.
    CounterExhausted = "counter-exhausted",
    /// A device has binding conditions, which are switched off.
    BindingConditionsOff = "binding-conditions-off",
    /// A share that names no amount takes the whole capacity.
    ShareTakesAll = "share-takes-all",
    /// An attribute is a list where the scheduler does not read lists: every selector fails on the device.
    AttributeList = "list-attribute",
    /// Not all devices of a driver have an attribute: selectors that read it without a guard fail.
    AttributeOnSome = "attribute-on-some",
    /// A pod names a claim twice: it is allocated twice, and one result is lost.
    ClaimNamedTwice = "claim-named-twice",
    /// Admin access needs a label on the claim's namespace.
    AdminAccessLabel = "admin-access-label",
    /// The release does not enforce `distinctAttribute` here.
    DistinctNotEnforced = "distinct-not-enforced",
    /// A constraint names an attribute that some device publishes as a list.
    ListInConstraint = "list-in-constraint",
    /// A taint is tolerated when the pod is placed, but the pod will be evicted.
    ToleratedButEvicted = "tolerated-but-evicted",
    /// An error of the allocator.
    AllocationError = "allocation-error",
    /// An error on one node ends the attempt for all nodes.
    ErrorEndsAttempt = "error-ends-attempt",

    // ---- admission policy ----
    /// An admission request that cannot be read, or without an object to judge.
    AdmissionRequest = "admission-request",
    /// Settings of the policy that are not valid.
    PolicySettings = "policy-settings",
    /// The policy does not accept this version of the API.
    PolicyApiVersion = "policy-api-version",
    /// The policy does not accept this resource class.
    PolicyResourceClass = "policy-resource-class",
    /// The policy does not accept this device class.
    PolicyDeviceClass = "policy-device-class",
    /// The policy does not accept admin access to devices here.
    PolicyAdminAccess = "policy-admin-access",
    /// The policy asks that a taint rule selects devices.
    PolicyTaintRule = "policy-taint-rule",
    /// The policy replaced the requested class or allocation mode.
    PolicyFallback = "policy-fallback",
    /// The policy does not accept this allocation mode.
    PolicyAllocationMode = "policy-allocation-mode",
    /// The policy does not accept this driver.
    PolicyDriver = "policy-driver",
    /// The policy does not accept these parameters, or asks for some.
    PolicyParametersRef = "policy-parameters-ref",
    /// The policy asks that `suitableNodes` select, or not select, certain nodes.
    PolicySuitableNodes = "policy-suitable-nodes",
    /// The policy asks that `availableOnNodes` select, or not select, certain nodes.
    PolicyAvailableOnNodes = "policy-available-on-nodes",
    /// The policy accepts nothing that is shareable.
    PolicyShareable = "policy-shareable",
    /// The policy does not accept the resource claims of a pod.
    PolicyPods = "policy-pods",
    /// The cluster lacks an object that the policy requires, has too many, or cannot be queried.
    PolicyCluster = "policy-cluster",
}
