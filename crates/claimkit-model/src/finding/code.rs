//! The registry of finding codes: one row for each code. Codes are stable; only syntax findings begin with `yaml-` or `json-`.
//!
//! A row is the code's documentation, `Variant = "name", severity`, and what to do about it, if one sentence suits all findings of the code.

use super::severity::Severity;
use crate::message::{Message, Template, template};

macro_rules! codes {
    ($($(#[$doc:meta])+ $code:ident = $name:literal, $severity:ident $(, $help:literal)?;)+) => {
        /// The code of a finding.
        ///
        /// ```
        /// use claimkit::{Code, Severity};
        ///
        /// let code = Code::UnknownField;
        /// assert_eq!((code.name(), code.severity()), ("unknown-field", Severity::Error));
        /// assert!(code.help().unwrap().contains("leave it out"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])+ $code,)+ }

        impl Code {
            /// All codes, in the order of this list.
            pub const ALL: &[Code] = &[$(Code::$code,)+];

            /// Returns the stable name, e.g. `unknown-field`.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$code => $name,)+ }
            }

            /// Returns how bad a finding of this code is unless the request softens it (`fieldValidation`).
            pub const fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity,)+ }
            }

            /// Returns what to do about it in one line: on the page of the code, and for a finding without more specific help.
            pub fn help(self) -> Option<&'static str> {
                self.advice().map(Template::english)
            }

            /// Returns the help in the language of the answer; its message has the id `help.<name>`.
            pub fn spoken_help(self) -> Option<Message> {
                self.advice().map(Template::text)
            }

            /// Returns true if a finding of this code leaves a part of the text unread: what that part holds is not known.
            pub const fn leaves_text_unread(self) -> bool {
                matches!(self, Code::YamlSyntax | Code::JsonSyntax | Code::YamlSeparator | Code::NoKind)
            }

            const fn advice(self) -> Option<Template> {
                match self { $($(Code::$code => Some(template!(concat!("help.", $name), $help)),)?)+ _ => None }
            }
        }
    };
}

impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut codes = Code::ALL.iter().copied();
        let known = codes.find(|code| code.name() == name);
        known.ok_or_else(|| serde::de::Error::custom(format_args!("unknown code `{name}`")))
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Code", *self as u32, self.name())
    }
}

codes! {
    // ---- syntax ----
    /// The YAML text cannot be read.
    YamlSyntax = "yaml-syntax", Error;
    /// A key occurs twice in a YAML mapping; the last one counts.
    YamlDuplicateKey = "yaml-duplicate-key", Warning;
    /// The JSON text cannot be read.
    JsonSyntax = "json-syntax", Error;
    /// A line begins with `---` and goes on with other text.
    YamlSeparator = "yaml-separator", Error;
    /// A key occurs twice in a JSON object: kubectl keeps the last without a warning.
    JsonDuplicateKey = "json-duplicate-key", Warning;
    /// A merge key (`<<`) overwrites a key written before it.
    YamlMergeOrder = "yaml-merge-order", Warning;
    /// A key is not a string in YAML; kubectl converts it to a different text.
    YamlConvertedKey = "yaml-converted-key", Warning;
    /// A number with a leading zero, which YAML 1.1 reads in base 8.
    YamlOctal = "yaml-octal", Warning;
    /// Text that kubectl never reads because the document has ended before it.
    YamlDroppedText = "yaml-dropped-text", Warning;
    /// A character that only looks like a hyphen, a blank or a quote.
    YamlLookalike = "yaml-lookalike", Warning;

    /// A byte that is not UTF-8: kubectl reads U+FFFD in its place.
    NotUtf8 = "not-utf8", Warning;

    // ---- limits and scope ----
    /// The text is larger than the limit `bytes`.
    LimitBytes = "limit-bytes", Error;
    /// The text has more nodes than the limit `nodes`.
    LimitNodes = "limit-nodes", Error;
    /// More findings than the limit `findings`.
    LimitFindings = "limit-findings", Error;
    /// No object of `resource.k8s.io` was checked.
    NothingChecked = "nothing-checked", Warning;
    /// An object of another API group was not checked.
    OtherGroup = "other-group", Info;

    // // ---- recognizing and decoding ----
    /// A document that is not a Kubernetes object: kind or apiVersion is missing or has the wrong type.
    NoKind = "no-kind", Error;
    /// A kind the release does not have.
    UnknownKind = "unknown-kind", Error;
    /// A field has a value of the wrong type.
    TypeMismatch = "type-mismatch", Error;
    /// A field the schema does not have.
    UnknownField = "unknown-field", Error, "the server does not know this field here: leave it out";
    /// A field that occurs twice in JSON.
    DuplicateField = "duplicate-field", Error, "remove one of the two: only the last one has effect";

    // ---- the request ----
    /// The stored object of an update is missing or cannot be used.
    StoredObject = "stored-object", Error;
    /// An object of this name was created before, from the same text.
    AlreadyExists = "already-exists", Error;
    /// A body of more bytes than the server reads.
    RequestTooLarge = "request-too-large", Error;
    /// A List without items cannot be submitted.
    ListNotCreatable = "list-not-creatable", Error;
    /// A status update of a kind without status.
    NoStatus = "no-status", Error;

    // ---- list queries ----
    /// A label selector that cannot be read.
    LabelSelectorInvalid = "label-selector-invalid", Error;
    /// A field selector that cannot be read, or a field that lists of the kind cannot be selected by.
    FieldSelectorInvalid = "field-selector-invalid", Error;

    // ---- patches ----
    /// A patch that is not carried out.
    PatchRefused = "patch-refused", Error;
    /// Server-side apply of a field that another manager owns.
    ApplyConflict = "apply-conflict", Error;

    // ---- conversion ----
    /// A field or value that the target version cannot hold.
    ConversionLoss = "conversion-loss", Error;
    /// An assumption of the conversion from the classic to the device family that no tool can verify.
    ConversionDecision = "conversion-decision", Warning;
    /// A kind that the target version does not have.
    NoCounterpart = "no-counterpart", Error;
    /// A document that could not be edited safely and was printed anew, without its comments.
    ConversionPrinted = "conversion-printed", Warning;
    /// The converted text does not read as the converted object: an error of claimkit.
    ConversionDisagrees = "conversion-disagrees", Error;
    /// An object that was valid and is not valid in the target release.
    ValidityLost = "validity-lost", Error;
    /// An object that the server refuses before the conversion and after it.
    ConversionRefusedBefore = "conversion-refused-before", Warning;
    /// A handle whose driver is not named.
    HandleWithoutDriver = "handle-without-driver", Warning;
    /// Metadata that is kept although it mentions the version that was converted.
    VersionMentioned = "version-mentioned", Warning;
    /// A field that only the server writes was taken out.
    ServerFieldDropped = "server-field-dropped", Info;

    // ---- metadata ----
    /// The object has neither a name nor a `generateName`.
    NameRequired = "name-required", Error, "write `metadata.name`, or `metadata.generateName` for `kubectl create`";
    /// The name is not a DNS subdomain.
    NameInvalid = "name-invalid", Error, "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit";
    /// `generateName` cannot begin a DNS subdomain.
    GenerateNameInvalid = "generate-name-invalid", Error,
        "use lower case letters, digits, `-` and `.`; begin with a letter or digit";
    /// A namespaced object without a namespace.
    NamespaceRequired = "namespace-required", Error, "write `metadata.namespace`";
    /// The namespace is not a DNS label.
    NamespaceInvalid = "namespace-invalid", Error, "a namespace has lower case letters, digits and `-`, at most 63, and no dots";
    /// A cluster-scoped object with a namespace.
    NamespaceForbidden = "namespace-forbidden", Error, "leave `metadata.namespace` out: the kind is cluster-scoped";
    /// The generation is negative or smaller than the stored one.
    GenerationInvalid = "generation-invalid", Error, "leave `metadata.generation` out: the server sets it";
    /// The key of a label is not a qualified name.
    LabelKeyInvalid = "label-key-invalid", Error,
        "a label key is `name` or `prefix/name`: letters, digits, `-`, `_`, `.`; the prefix is a DNS subdomain";
    /// A label's value has characters that label values may not have.
    LabelValueInvalid = "label-value-invalid", Error,
        "a label value has at most 63 letters, digits, `-`, `_`, `.` and begins and ends with a letter or digit; put free text into an annotation";
    /// The key of an annotation is not a qualified name.
    AnnotationKeyInvalid = "annotation-key-invalid", Error,
        "an annotation key is `name` or `prefix/name`: letters, digits, `-`, `_`, `.`; the prefix is a DNS subdomain";
    /// All annotations together are too large.
    AnnotationsTooLong = "annotations-too-long", Error,
        "keep all annotations together under 256 KiB: put large data into a ConfigMap";
    /// An owner reference lacks its version, kind, name or uid.
    OwnerReferenceIncomplete = "owner-reference-incomplete", Error,
        "an owner reference needs `apiVersion`, `kind`, `name` and `uid`";
    /// An Event may not own objects.
    OwnerReferenceEvent = "owner-reference-event", Error, "Events are short-lived: refer to the object that the event is about";
    /// More than one owner is the controller.
    OwnerReferenceControllers = "owner-reference-controllers", Error, "set `controller: true` on one owner only";
    /// A finalizer is not a qualified name.
    FinalizerInvalid = "finalizer-invalid", Error, "write a finalizer as `domain/name`, as in `example.com/cleanup`";
    /// Two finalizers exclude each other.
    FinalizerConflict = "finalizer-conflict", Error, "keep one of `orphan` and `foregroundDeletion`";
    /// A finalizer is neither qualified nor one of Kubernetes' own.
    FinalizerUnqualified = "finalizer-unqualified", Error, "put a domain that you own before it, as in `example.com/cleanup`";
    /// A finalizer was added to an object that is being deleted.
    FinalizerAdded = "finalizer-added", Error, "the object is being deleted: finalizers can only be removed";
    /// An entry of `managedFields` is malformed.
    ManagedFieldsInvalid = "managed-fields-invalid", Error, "leave `metadata.managedFields` out: the server maintains it";
    /// An update without `resourceVersion`.
    ResourceVersionRequired = "resource-version-required", Error, "write the stored object's `metadata.resourceVersion`";
    /// A metadata field that may not change has changed.
    MetadataImmutable = "metadata-immutable", Error, "keep the stored value; to change it, create another object";

    // ---- claims, templates, classes ----
    /// The class name is missing or is not a DNS subdomain.
    ClassNameInvalid = "class-name-invalid", Error,
        "name the ResourceClass by its `metadata.name`: lower case letters, digits, `-` and `.`";
    /// A reference to parameters lacks its kind or name.
    ParametersRefIncomplete = "parameters-ref-incomplete", Error, "a reference to parameters needs `kind` and `name`";
    /// The namespace of a reference to parameters is not a DNS label.
    ParametersRefNamespace = "parameters-ref-namespace", Error,
        "a namespace has lower case letters, digits and `-`, at most 63, and no dots";
    /// The allocation mode is neither of the two valid values.
    AllocationModeUnsupported = "allocation-mode-unsupported", Error, "write `WaitForFirstConsumer` (the default) or `Immediate`";
    /// The spec may not change.
    SpecImmutable = "spec-immutable", Error, "a spec cannot be changed: delete the object and create it again";
    /// A template's metadata may only have labels and annotations.
    TemplateMetadataForbidden = "template-metadata-forbidden", Error,
        "only `labels` and `annotations` can be given to the claims of a template";
    /// A driver name is missing.
    DriverNameRequired = "driver-name-required", Error, "write the driver's name, a DNS subdomain as in `gpu.example.com`";
    /// A driver name is longer than 63 bytes.
    DriverNameTooLong = "driver-name-too-long", Error, "use at most 63 bytes";
    /// A driver name is not a DNS subdomain.
    DriverNameInvalid = "driver-name-invalid", Error,
        "a driver name is a DNS subdomain, as in `gpu.example.com`: no `/`, no `_`, no spaces";
    /// A driver occurs twice in a list.
    DriverNameDuplicate = "driver-name-duplicate", Error, "merge the entries of the driver into one";

    // ---- node selectors and node names ----
    /// A node selector without terms.
    NodeSelectorEmpty = "node-selector-empty", Error,
        "give `nodeSelectorTerms` at least one term";
    /// The number of values does not fit the operator.
    NodeSelectorValues = "node-selector-values", Error,
        "`In` and `NotIn` need values, `Exists` and `DoesNotExist` take none, `Gt` and `Lt` one; a field selector takes one";
    /// Node selectors do not have this operator.
    NodeSelectorOperator = "node-selector-operator", Error,
        "write `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`; for fields only `In` and `NotIn`";
    /// The key is not a label key, or not a field that node selectors support.
    NodeSelectorKey = "node-selector-key", Error,
        "the key is a label key, `name` or `prefix/name`; under `matchFields` only `metadata.name`";
    /// The node name in a selector is not a DNS subdomain.
    NodeSelectorFieldValue = "node-selector-field-value", Error,
        "a node name has lower case letters, digits, `-` and `.`, and begins and ends with a letter or digit";
    /// A node name is not a DNS subdomain.
    NodeNameInvalid = "node-name-invalid", Error,
        "a node name has lower case letters, digits, `-` and `.`, and begins and ends with a letter or digit";
    /// A node occurs twice in a list.
    NodeNameDuplicate = "node-name-duplicate", Error, "name each node once";
    /// More than 128 nodes.
    NodeListTooLong = "node-list-too-long", Error, "list at most 128 nodes";
    /// Two claim entries of a scheduling status have the same name.
    ClaimStatusDuplicate = "claim-status-duplicate", Error, "write one entry for each claim of the pod";

    // ---- claim status ----
    /// An allocation without the driver that made it.
    AllocationDriverRequired = "allocation-driver-required", Error, "write `status.driverName` together with the allocation";
    /// An allocation may be removed but not changed.
    AllocationImmutable = "allocation-immutable", Error, "an allocation can be removed, not changed";
    /// A resource handle of more than 16 KiB.
    ResourceHandleTooLong = "resource-handle-too-long", Error, "write at most 16384 bytes of data for a driver";
    /// More than 32 resource handles.
    ResourceHandlesTooMany = "resource-handles-too-many", Error, "write at most 32 resource handles";
    /// A resource handle with opaque and structured data.
    ResourceHandleTwoData = "resource-handle-two-data", Error, "keep one of `data` and `structuredData`";
    /// A consumer occurs twice in `reservedFor`.
    ReservedForDuplicate = "reserved-for-duplicate", Error, "name each consumer once";
    /// A consumer lacks its resource, name or uid.
    ReservedForIncomplete = "reserved-for-incomplete", Error, "a consumer needs `resource`, `name` and `uid`";
    /// More than 32 consumers.
    ReservedForTooMany = "reserved-for-too-many", Error, "name at most 32 consumers";
    /// A claim that is reserved but not allocated.
    ReservedForNotAllocated = "reserved-for-not-allocated", Error, "allocate the claim before you reserve it";
    /// More than one consumer of a claim that is not shareable.
    ReservedForNotShareable = "reserved-for-not-shareable", Error,
        "only an allocation with `shareable: true` can be reserved by several consumers";
    /// A new consumer of a claim that is going away.
    ReservedForAdded = "reserved-for-added", Error, "wait until the claim is allocated again, or use another claim";
    /// Deallocation is requested while the claim is reserved.
    DeallocationInUse = "deallocation-in-use", Error, "remove all consumers from `reservedFor` first";
    /// Deallocation is requested without an allocation.
    DeallocationNotAllocated = "deallocation-not-allocated", Error,
        "there is nothing to deallocate: leave `deallocationRequested` out";
    /// A request for deallocation was withdrawn.
    DeallocationCleared = "deallocation-cleared", Error, "leave it set: the driver clears it together with the allocation";

    // ---- structured parameters (1.30) ----
    /// No structured model is set.
    StructuredModelRequired = "structured-model-required", Error, "write `namedResources`: it is the only structured model";
    /// A selector is empty.
    SelectorRequired = "selector-required", Error, "write a CEL expression; `true` selects every instance";
    /// A driver without requests.
    RequestsRequired = "requests-required", Error, "give the driver at least one request, or leave its entry out";
    /// The name of an instance is not a DNS subdomain.
    InstanceNameInvalid = "instance-name-invalid", Error,
        "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit";
    /// Two instances have the same name.
    InstanceNameDuplicate = "instance-name-duplicate", Error, "use each name once";
    /// The name of an attribute is not a DNS subdomain.
    AttributeNameInvalid = "attribute-name-invalid", Error,
        "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit";
    /// Two attributes of an instance have the same name.
    AttributeNameDuplicate = "attribute-name-duplicate", Error, "use each name once";
    /// The version of an attribute is not a semantic version.
    AttributeVersionInvalid = "attribute-version-invalid", Error,
        "write three numbers as in `1.2.3`, without `v`; see semver.org";
    /// An attribute without a value.
    AttributeValueRequired = "attribute-value-required", Error,
        "write one of `quantity`, `bool`, `int`, `intSlice`, `string`, `stringSlice`, `version`";
    /// An attribute with more than one value.
    AttributeValueSeveral = "attribute-value-several", Error, "keep one value field: an attribute has one type";
    /// A slice's node and driver may not change.
    SliceImmutable = "slice-immutable", Error, "the driver, the nodes and the name of the pool of a slice cannot change: create another slice";

    // ---- claims, classes and slices of v1alpha3 and later ----
    /// A list or map with more entries than are allowed.
    ListTooLong = "list-too-long", Error, "split the list, or leave entries out";
    /// An entry that occurs twice in a list.
    DuplicateItem = "duplicate-item", Error, "write each entry only once";
    /// A request has neither or both of `exactly` and `firstAvailable`.
    RequestShape = "request-shape", Error,
        "put `deviceClassName` and its sibling fields under `exactly`; v1beta1 and v1alpha3 have them directly in the request";
    /// The name of a request or alternative is not a DNS label.
    RequestNameInvalid = "request-name-invalid", Error, "use lower case letters, digits and `-`";
    /// A reference names a request that the claim does not have.
    RequestUnknown = "request-unknown", Error, "name a request of the claim";
    /// The count does not fit the allocation mode.
    CountInvalid = "count-invalid", Error, "leave `count` out with `All`; otherwise write at least 1";
    /// A toleration breaks the rules for its operator, value or effect.
    TolerationInvalid = "toleration-invalid", Error, "leave `value` out with `Exists`";
    /// Admin access in a namespace without the label for it.
    AdminAccessForbidden = "admin-access-forbidden", Error, "label the namespace, or leave `adminAccess` out";
    /// The name of an attribute or capacity is malformed.
    QualifiedNameInvalid = "qualified-name-invalid", Error,
        "write `name` or `domain/name`; the name has letters, digits and `_`, no `-`";
    /// A constraint names no attribute.
    ConstraintInvalid = "constraint-invalid", Error, "write `matchAttribute` with a domain, as in `gpu.example.com/numa`";
    /// A configuration without content.
    ConfigRequired = "config-required", Error, "write `opaque` with `driver` and `parameters`";
    /// The source of an allocated configuration is neither of the two valid values.
    ConfigSourceInvalid = "config-source-invalid", Error, "write `FromClass` or `FromClaim`";
    /// Driver parameters or data that are missing, too large or not an object.
    ParametersInvalid = "parameters-invalid", Error, "write a map of at most 10 KiB";
    /// A CEL expression that does not compile or does not return a boolean.
    SelectorInvalid = "selector-invalid", Error,
        "see the position in the message; read attributes as `device.attributes[\"domain\"].name`";
    /// A CEL expression that may cost too much.
    SelectorTooExpensive = "selector-too-expensive", Error,
        "loop over fewer elements, or split the expression into several selectors";
    /// A CEL expression of more than 10 KiB.
    SelectorTooLong = "selector-too-long", Error, "shorten the expression, or split it into several selectors";
    /// A device that is not allocated has a status.
    DeviceNotAllocated = "device-not-allocated", Error, "name a device of `status.allocation.devices.results`";
    /// A condition that is malformed.
    ConditionInvalid = "condition-invalid", Error,
        "a condition needs `type`, `status`, `lastTransitionTime` and `reason`; each type once";
    /// Data of a network device that is malformed.
    NetworkDataInvalid = "network-data-invalid", Error, "write addresses as `10.9.8.7/24` or `2001:db8::1/64`";
    /// A share ID is not a UUID in the standard form.
    ShareIdInvalid = "share-id-invalid", Error, "write a UUID in lower case with dashes";
    /// A request for capacity, or the capacity that a result consumes, is negative.
    CapacityRequestInvalid = "capacity-request-invalid", Error, "write an amount that is not negative";
    /// The binding conditions of a device are not valid.
    BindingConditionsInvalid = "binding-conditions-invalid", Error,
        "give both lists, each with at most four entries and no duplicates";
    /// The name of a pool is malformed.
    PoolNameInvalid = "pool-name-invalid", Error, "use DNS subdomains with `/` between them";
    /// The generation or the number of slices of a pool is too small.
    PoolNumberInvalid = "pool-number-invalid", Error, "write `resourceSliceCount` of at least 1 and `generation` of at least 0";
    /// The name of a device is not a DNS label.
    DeviceNameInvalid = "device-name-invalid", Error, "use lower case letters, digits and `-`";
    /// A device without `basic`.
    DeviceShape = "device-shape", Error, "put attributes and capacity under `basic`";
    /// A device with too many attributes, capacities or values.
    DeviceTooLarge = "device-too-large", Error, "use at most 32 attributes and capacities together";
    /// An attribute without a value, with several, or with one that is too long.
    AttributeInvalid = "attribute-invalid", Error, "set exactly one of `int`, `bool`, `string` and `version`";
    /// A slice or device selects its nodes in no way or in several ways.
    NodeSelectionInvalid = "node-selection-invalid", Error, "choose the nodes in exactly one way";
    /// A value of a node selector is not a label value.
    NodeSelectorLabelValue = "node-selector-label-value", Error,
        "at most 63 letters, digits, `-`, `_`, `.`; begin and end with a letter or digit";
    /// Counters that are malformed, too many or unknown.
    CountersInvalid = "counters-invalid", Error, "check the names and numbers of the counters";
    /// A taint that is malformed.
    TaintInvalid = "taint-invalid", Error,
        "write `key` as a label key, and `effect`: `NoSchedule`, `NoExecute`, or from 1.35 on `None`";
    /// An invalid request policy.
    RequestPolicyInvalid = "request-policy-invalid", Error,
        "give `default` and either ascending `validValues` or a `validRange` within the capacity";
    /// An invalid mapping to the resources of a node.
    NodeMappingInvalid = "node-mapping-invalid", Error,
        "name a resource such as `cpu`, a positive multiplier and a capacity of the device";
    /// `partitionTypeAttribute` names no attribute of the devices that consume counters.
    PartitionTypeInvalid = "partition-type-invalid", Error,
        "name an attribute with a string that every device with `consumesCounters` has";
    /// `skipNodeOperations` leaves out preparing a device, but not undoing that.
    SkippedOperationsInvalid = "skipped-operations-invalid", Error, "add `NodeUnprepareResources`, or write `*`";
    /// A derived attribute cannot be used: no constraint is about it, or its expression gives no plain value.
    DerivedAttributeInvalid = "derived-attribute-invalid", Error,
        "name it in `matchAttribute` or `distinctAttribute`; the expression gives a string, int, bool or semver";
    /// The name of an extended resource is malformed.
    ExtendedResourceNameInvalid = "extended-resource-name-invalid", Error, "write `domain/name`, as in `example.com/gpu`";
    /// A request for the status of pools, or its answer, is malformed.
    PoolStatusInvalid = "pool-status-invalid", Error, "name `driver`, and `poolName` for one pool; the server writes the status";

    // ---- accepted, but worth knowing ----
    /// The status of a new object, or of a patch that is not sent to the status, is dropped.
    StatusDropped = "status-dropped", Warning;
    /// The namespace of a cluster-scoped object is dropped.
    NamespaceDropped = "namespace-dropped", Warning;
    /// The request's namespace is filled in.
    NamespaceFilled = "namespace-filled", Info;
    /// Metadata that the server owns is dropped.
    ServerOwnedDropped = "server-owned-dropped", Warning;
    /// The server makes the name.
    NameGenerated = "name-generated", Info;
    /// A new object may not have a resource version.
    ResourceVersionOnCreate = "resource-version-on-create", Error, "leave `metadata.resourceVersion` out of a new object";
    /// The stored object has another resource version.
    Conflict = "conflict", Error, "read the object again and repeat the change on it";
    /// The object's namespace is not the one asked for.
    NamespaceMismatch = "namespace-mismatch", Error, "write the same namespace in the object and in the request";
    /// `allocationMode` is written without a value.
    AllocationModeDefaulted = "allocation-mode-defaulted", Warning;
    /// A CEL selector was not compiled.
    SelectorNotCompiled = "selector-not-compiled", Info;
    /// An expression reads a name that no slice in the files publishes.
    SelectorNameUnknown = "selector-name-unknown", Warning;
    /// An expression compares versions or quantities as texts.
    SelectorComparesText = "selector-compares-text", Warning;
    /// An expression fails on a device of the text.
    SelectorFails = "selector-fails", Warning;
    /// An expression, or a part of it, is the same for every device.
    SelectorConstant = "selector-constant", Warning;
    /// An expression converts a text that can never be parsed.
    SelectorUnparsable = "selector-unparsable", Warning,
        "correct the text in the conversion";
    /// A comment in an expression takes a part of the condition along.
    SelectorComment = "selector-comment", Warning;
    /// A group that resembles `resource.k8s.io`.
    GroupMisspelled = "group-misspelled", Error;
    /// A term without requirements selects nothing.
    NodeSelectorTermEmpty = "node-selector-term-empty", Warning;
    /// Requirements that exclude each other.
    NodeSelectorNeverMatches = "node-selector-never-matches", Warning;
    /// A selector that the scheduler cannot parse.
    NodeSelectorUnparsable = "node-selector-unparsable", Error,
        "values are label values, and for `Gt` and `Lt` whole numbers without a sign; the scheduler refuses the whole selector";
    /// A term that is equal to an earlier one.
    NodeSelectorTermDuplicate = "node-selector-term-duplicate", Warning;

    /// A node selector of a device with more than one term, which the scheduler cannot use.
    NodeSelectorTermsSeveral = "node-selector-terms-several", Error,
        "join the requirements in one term, or publish the device for each node";
    /// A DeviceTaintRule that taints every device of the cluster.
    TaintRuleSelectsAll = "taint-rule-selects-all", Warning,
        "name `driver`, `pool` or `device` in `deviceSelector`, or try the rule with effect `None` first (1.35 and later)";
    /// A toleration without key, value and operator.
    TolerationEmpty = "toleration-empty", Warning, "write `operator: Exists` to tolerate every taint, or name a `key`";

    // ---- selectors against given nodes ----
    /// A label that no given node has.
    NodeSelectorLabelUnknown = "node-selector-label-unknown", Warning;
    /// Values that no given node has for the label.
    NodeSelectorValueUnknown = "node-selector-value-unknown", Warning;
    /// An object among the Nodes that is not a Node.
    NodeSkipped = "node-skipped", Info;
    /// The given Nodes contain no Node, or one without a name.
    NodeUnusable = "node-unusable", Error;
    /// The name or a label of a node is not a string.
    NodeMistyped = "node-mistyped", Warning;
    /// Something that the placement does not take into account.
    PlacementNotModelled = "placement-not-modelled", Info;
    /// The pod already runs.
    PodBound = "pod-bound", Info;

    /// A field that the server drops because a feature gate is off.
    FieldDropped = "field-dropped", Warning, "switch the feature gate on, or leave the field out";
    /// No release was given, and releases answer differently.
    ReleaseDecides = "release-decides", Info, "name the release of the cluster to get its answer";
    /// The next release no longer serves the version.
    VersionEnds = "version-ends", Info, "convert it before the cluster is upgraded: `convert --to v1`";
    /// A warning that the server sends with its answer.
    ServerWarning = "server-warning", Warning, "the server adds this warning to its answer; the answer itself stays the same";
    /// Admin access depends on a label of the namespace, which is not known.
    NamespaceLabelsUnknown = "namespace-labels-unknown", Warning, "give the labels of the namespace with the request";
    /// Generated validation rules replace hand-written ones, and their messages are not known.
    GeneratedRulesUnknown = "generated-rules-unknown", Warning,
        "turn the gate DeclarativeValidationTakeover off to get exactly the server's messages";

    // ---- across the objects of one text ----
    /// A claim or template names a class that the text does not have.
    ClassNotInInput = "class-not-in-input", Warning;
    /// A reference names parameters that the text does not have.
    ParametersNotInInput = "parameters-not-in-input", Warning;
    /// A reference names a pod that the text does not have.
    PodNotInInput = "pod-not-in-input", Info;
    /// A pod of the text has no claim entry of this name.
    ClaimEntryNotInPod = "claim-entry-not-in-pod", Info;
    /// A pod names a claim that the text does not have.
    ClaimNotInInput = "claim-not-in-input", Warning;
    /// A pod waits for a PersistentVolumeClaim that the text does not have.
    VolumeClaimNotInInput = "volume-claim-not-in-input", Warning, "create the PersistentVolumeClaim, or correct its name in what makes the pod";
    /// A pod waits for a PodGroup that the text does not have.
    PodGroupNotInInput = "pod-group-not-in-input", Warning, "create the PodGroup, or correct its name in what makes the pod";
    /// A constraint names an attribute that no slice in the files has.
    AttributeNotInInput = "attribute-not-in-input", Warning, "check the name, unless other slices are in the cluster";

    // ---- pods and workloads of the text ----
    /// A pod asks for a claim in the form of another release.
    PodClaimSource = "pod-claim-source", Warning,
        "up to 1.30 the two names belong under `source`; from 1.31 on they belong directly in the entry of `resourceClaims`";
    /// The claims of a pod, or of its containers, are malformed.
    PodClaimsInvalid = "pod-claims-invalid", Error,
        "each entry of `resourceClaims` has a `name`, and either `resourceClaimName` or `resourceClaimTemplateName`; containers name entries";
    /// Only the claims of a pod were checked.
    PodClaimsOnly = "pod-claims-only", Info,
        "`kubectl apply --dry-run=server` checks the rest";
    /// A claim entry of a pod that no container uses.
    PodClaimUnused = "pod-claim-unused", Info,
        "if a container is to see the devices, name the entry under its `resources.claims`";
    /// A container uses a claim entry that its pod does not have.
    PodClaimUndefined = "pod-claim-undefined", Error, "name an entry of `spec.resourceClaims`";
    /// A container names a request that the claim does not have.
    PodRequestUnknown = "pod-request-unknown", Warning,
        "name a request of the claim, or leave `request` out to use all of its devices";
    /// A container asks for an extended resource that no class of the text serves.
    ExtendedResourceUnserved = "extended-resource-unserved", Warning,
        "write `extendedResourceName` in the DeviceClass, unless a device plugin serves the resource";

    // ---- allocation of devices ----
    /// A pool has fewer slices of its generation than it announces.
    PoolIncomplete = "pool-incomplete", Warning;
    /// A pool has more slices of its generation than it announces.
    PoolCountTooLow = "pool-count-too-low", Warning;
    /// Pools of two drivers have the same name and use counters: the scheduler mixes them up.
    PoolNameShared = "pool-name-shared", Error;
    /// The release walks pools in random order: the answer is one of several.
    PoolOrderRandom = "pool-order-random", Info;
    /// A slice is of an older generation than its pool.
    SliceStale = "slice-stale", Info;
    /// Slices of a pool announce different numbers of slices.
    SliceCountsDisagree = "slice-counts-disagree", Warning;
    /// A slice names no node, so its devices are offered nowhere.
    SliceWithoutNode = "slice-without-node", Warning;
    /// A slice has more devices than the server accepts.
    SliceTooLarge = "slice-too-large", Error;
    /// A device occurs in two slices of its pool.
    DeviceTwice = "device-twice", Error;
    /// Slices of two nodes contain a device of the same name in the same pool: allocating one blocks the other.
    DeviceOnTwoNodes = "device-on-two-nodes", Warning;
    /// Devices in a slice with shared counters are not offered.
    DevicesBesideCounters = "devices-beside-counters", Error;
    /// A pool has two counter sets of the same name.
    CounterSetTwice = "counter-set-twice", Error;
    /// A device consumes a counter that its pool does not have.
    CounterDangling = "counter-dangling", Error;
    /// A device consumes more of a counter than its set has: nobody gets it.
    CounterTooSmall = "counter-too-small", Warning;
    /// Devices in use consume more of a counter than there is.
    CounterOverdrawn = "counter-overdrawn", Error;
    /// Devices in use consume all of a counter.
    CounterExhausted = "counter-exhausted", Info;
    /// A device has binding conditions, which are switched off.
    BindingConditionsOff = "binding-conditions-off", Warning;
    /// A share that names no amount takes the whole capacity.
    ShareTakesAll = "share-takes-all", Warning;
    /// An attribute is a list where the scheduler does not read lists: every selector fails on the device.
    AttributeList = "list-attribute", Warning;
    /// A device publishes a name with and without the domain of its driver: which of the two selectors see is random.
    NamePublishedTwice = "name-published-twice", Warning,
        "publish it once, without the domain of the driver";
    /// Not all devices of a driver have an attribute: selectors that read it without a guard fail.
    AttributeOnSome = "attribute-on-some", Info;
    /// A pod names a claim twice: it is allocated twice, and one result is lost.
    ClaimNamedTwice = "claim-named-twice", Warning;
    /// Admin access needs a label on the claim's namespace.
    AdminAccessLabel = "admin-access-label", Error;
    /// The release does not enforce `distinctAttribute` here.
    DistinctNotEnforced = "distinct-not-enforced", Warning;
    /// A constraint names an attribute that some device publishes as a list.
    ListInConstraint = "list-in-constraint", Warning;
    /// A taint is tolerated when the pod is placed, but the pod will be evicted.
    ToleratedButEvicted = "tolerated-but-evicted", Warning;
    /// An error of the allocator.
    AllocationError = "allocation-error", Error;
    /// An error on one node ends the attempt for all nodes.
    ErrorEndsAttempt = "error-ends-attempt", Info;

    // ---- audit of a cluster ----
    /// A device is held by several claims, and not as shares.
    DeviceHeldTwice = "device-held-twice", Error,
        "find out which pod really uses the device; delete the pods of the other claims, then these claims";
    /// Two drivers publish one device: both can give it away.
    DeviceOfTwoDrivers = "device-of-two-drivers", Warning,
        "take the device out of the configuration of one of the drivers";
    /// A node offers devices as an extended resource of a device plugin, and a driver publishes them there.
    DeviceOfPlugin = "device-of-plugin", Warning,
        "run the device plugin or the driver on a node, not both: label the nodes, and select them in both DaemonSets";
    /// Parameters are for a driver of which no request of the claim gets a device.
    ConfigForNoRequest = "config-for-no-request", Warning,
        "name the driver of the devices that the requests get; look for a typing error";
    /// A claim holds a device that no slice publishes.
    DeviceUnpublished = "device-unpublished", Warning,
        "ask the driver why the device is gone; delete the pods of the claim, and the claim, to be given another device";
    /// Shares of a device consume more of a capacity than there is.
    CapacityOverdrawn = "capacity-overdrawn", Error,
        "delete pods and claims that share the device until the rest fits; look for a slice that was changed after the allocation";
    /// Objects are written or stored in a version that the new release does not serve or cannot read.
    UpgradeVersion = "upgrade-version", Error;
    /// Clients write objects in a version that the new release does not serve.
    UpgradeWriter = "upgrade-writer", Warning;
    /// The new release does not start with a feature gate that the cluster sets.
    UpgradeGate = "upgrade-gate", Error;
    /// The new release refuses writes that the old one takes.
    UpgradeRefused = "upgrade-refused", Error;
    /// The old release refuses objects already, or cannot read them: they say nothing about the upgrade.
    UpgradeRefusedBefore = "upgrade-refused-before", Warning;
    /// The new release does not keep a field that the old one keeps.
    UpgradeField = "upgrade-field", Warning;
    /// A selector says something else of a device, or its estimated cost is another.
    UpgradeSelector = "upgrade-selector", Warning;
    /// Taint rules taint devices otherwise.
    UpgradeTaint = "upgrade-taint", Warning;
    /// Pods and claims that wait get other devices.
    UpgradePlacement = "upgrade-placement", Warning;
    /// A name is published or asked for with and without the driver's domain, which become one.
    UpgradeName = "upgrade-name", Warning;
    /// A claim or device consumes less than nothing.
    ConsumptionNegative = "consumption-negative", Error,
        "amounts are not negative: correct the writer of the object, then replace the object";
    /// A claim is being deleted and still holds devices.
    ClaimDeletingHolds = "claim-deleting-holds", Warning,
        "delete the pods that use it; the controller removes the finalizer `resource.kubernetes.io/delete-protection` when no pod is left, and the devices are free only then";
    /// A claim is reserved for a pod that is gone or has ended.
    ReservedForGone = "reserved-for-gone", Warning,
        "the resource claim controller of kube-controller-manager removes such entries: if they stay, look at its log";
    /// A pod with a node cannot use its devices there.
    PodDevicesWrong = "pod-devices-wrong", Error,
        "delete the pod; its controller makes another one, which the scheduler places with its devices. Without a controller, create it again yourself";
    /// A pod holds devices, and one of its containers does not run.
    PodNotRunning = "pod-not-running", Warning,
        "mend what keeps the container from running; until then its devices are free only without the pod";
    /// A claim holds devices, and is reserved for nobody.
    ClaimForNobody = "claim-for-nobody", Warning,
        "delete the claim if no pod is going to use it";
    /// A claim is reserved for an object that is neither a pod nor a group of pods.
    ConsumerUnknown = "consumer-unknown", Info,
        "remove the entry of `status.reservedFor` when that object is gone";
    /// A device in use has a taint that evicts its pods.
    DeviceInUseTainted = "device-in-use-tainted", Warning,
        "look at the taint: only tolerations with `effect: NoExecute` keep the pods of the claim from eviction";
    /// A device in use is reported not to be ready, or to be unhealthy.
    DeviceUnhealthy = "device-unhealthy", Warning,
        "look at the log of the driver on the node; delete the pod and its claim to be given another device";
    /// Several classes have one extended resource name.
    ExtendedResourceOfSeveral = "extended-resource-of-several", Warning,
        "give each class a name of its own, or take the name from all classes but one";
    /// A slice has neither devices nor counters.
    SliceEmpty = "slice-empty", Info,
        "look at the log of the driver on the node";
    /// A DeviceTaintRule selects no device.
    TaintRuleIdle = "taint-rule-idle", Warning,
        "compare `deviceSelector` with the driver, pool and name of published devices";
    /// A template asks for devices that no node has.
    TemplateNeverFits = "template-never-fits", Warning,
        "ask for fewer devices or for others, or split the pod";
    /// A claim that is not allocated asks for devices that no node has.
    ClaimNeverFits = "claim-never-fits", Warning,
        "make the claim again, with fewer devices or other selectors: its spec cannot be changed";
    /// A pod that waits asks for more cpu or memory than any node has.
    PodNeverFits = "pod-never-fits", Warning,
        "ask for less, or add a node that is large enough";
    /// A claim of a template is charged more than a whole quota allows.
    TemplateOverQuota = "template-over-quota", Warning,
        "ask for fewer devices, or raise the quota";
    /// Devices are in use on a node that is being deleted, unreachable or cordoned.
    UnusableNodeInUse = "unusable-node-in-use", Warning,
        "bring the node back, or delete the pods that use the claims: an allocated claim stays with its node";
    /// An unreachable node, or one that is not ready, has devices that nobody uses.
    LostNodeIdle = "lost-node-idle", Warning,
        "bring the node back; if it is off for good, delete its Node";
    /// A claim or pod stays although it is being deleted, or although its pod is gone.
    DeletionUnfinished = "deletion-unfinished", Warning,
        "find out why the controllers of the finalizers do not remove them; take one away by hand only if its controller is gone for good";
    /// Claims or devices use more of a quota than it allows.
    QuotaOverdrawn = "quota-overdrawn", Warning,
        "raise the quota, or delete claims that nobody uses";
    /// A claim has admin access to a device that others use.
    AdminAccessInUse = "admin-access-in-use", Info,
        "right for monitoring; a workload should ask for a device of its own, without `adminAccess`";
    /// A slice is of a node that is not there.
    SliceNodeAbsent = "slice-node-absent", Warning,
        "delete the slice if the node is gone for good; otherwise give the node, too";
    /// A device and its partitions have no common counter set.
    PartitionsWithoutCounters = "partitions-without-counters", Warning,
        "publish `sharedCounters`, and `consumesCounters` for the device and each of its partitions; or publish either the device or its partitions";
    /// A class selects no device of the cluster.
    ClassSelectsNothing = "class-selects-nothing", Warning,
        "compare the selectors with the published attributes: `claimkit cel EXPRESSION --device SLICE` shows why a device is not selected";
    /// The text has no object of a kind that the answer depends on.
    ObjectsAbsent = "objects-absent", Info,
        "add the objects of the cluster, as `kubectl get … -o yaml` prints them";
    /// The files are of several clusters.
    OtherCluster = "other-cluster", Warning,
        "ask about the files of each cluster alone; for the command line, put them into folders with a `claimkit.toml` each";

    // ---- admission policy ----
    /// An admission request that cannot be read, or without an object to judge.
    AdmissionRequest = "admission-request", Error;
    /// Settings of the policy that are not valid.
    PolicySettings = "policy-settings", Error;
    /// The policy does not accept this version of the API.
    PolicyApiVersion = "policy-api-version", Error;
    /// The policy does not accept this resource class.
    PolicyResourceClass = "policy-resource-class", Error;
    /// The policy does not accept this device class.
    PolicyDeviceClass = "policy-device-class", Error;
    /// The policy does not accept admin access to devices here.
    PolicyAdminAccess = "policy-admin-access", Error;
    /// The policy asks that a taint rule selects devices, or does not accept its taint.
    PolicyTaintRule = "policy-taint-rule", Error;
    /// The policy does not accept this taint of a device.
    PolicySliceTaints = "policy-slice-taints", Error;
    /// The policy replaced the requested class or allocation mode.
    PolicyFallback = "policy-fallback", Warning;
    /// The policy does not accept this allocation mode.
    PolicyAllocationMode = "policy-allocation-mode", Error;
    /// The policy does not accept this driver.
    PolicyDriver = "policy-driver", Error;
    /// The policy does not accept these parameters, or asks for some.
    PolicyParametersRef = "policy-parameters-ref", Error;
    /// The policy asks that `suitableNodes` select, or not select, certain nodes.
    PolicySuitableNodes = "policy-suitable-nodes", Error;
    /// The policy asks that `availableOnNodes` select, or not select, certain nodes.
    PolicyAvailableOnNodes = "policy-available-on-nodes", Error;
    /// The policy accepts nothing that is shareable.
    PolicyShareable = "policy-shareable", Error;
    /// The policy does not accept the resource claims of a pod.
    PolicyPods = "policy-pods", Error;
    /// The policy does not accept that many requests, that many devices or that much capacity.
    PolicyLimits = "policy-limits", Error;
    /// The policy does not accept this toleration.
    PolicyTolerations = "policy-tolerations", Error;
    /// The policy accepts no CEL expressions here.
    PolicySelectors = "policy-selectors", Error;
    /// The policy accepts no opaque parameters for this driver, or not these.
    PolicyOpaqueParameters = "policy-opaque-parameters", Error;
    /// The policy does not accept this extended resource as the name of a class.
    PolicyExtendedResources = "policy-extended-resources", Error;
    /// The cluster lacks an object that the policy requires, has too many, uses one that may not change, or cannot be queried.
    PolicyCluster = "policy-cluster", Error;
}
