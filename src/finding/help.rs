//! Help for each code: used on the page of the code, and for a finding without more specific help.

use crate::finding::Code;

impl Code {
    /// What to do about it, in one line.
    pub const fn help(self) -> Option<&'static str> {
        Some(match self {
            Code::AdminAccessForbidden => "label the namespace, or leave `adminAccess` out",
            Code::AttributeInvalid => "set exactly one of `int`, `bool`, `string` and `version`",
            Code::BindingConditionsInvalid => "give both lists, each with at most four entries and no duplicates",
            Code::ConditionInvalid => "a condition needs `type`, `status`, `lastTransitionTime` and `reason`; each type once",
            Code::ConfigRequired => "write `opaque` with `driver` and `parameters`",
            Code::ConfigSourceInvalid => "write `FromClass` or `FromClaim`",
            Code::ConstraintInvalid => "write `matchAttribute` with a domain, as in `gpu.example.com/numa`",
            Code::CountInvalid => "leave `count` out with `All`; otherwise write at least 1",
            Code::CountersInvalid => "check the names and numbers of the counters",
            Code::DeviceNameInvalid => "use lower case letters, digits and `-`",
            Code::DeviceNotAllocated => "name a device of `status.allocation.devices.results`",
            Code::DeviceShape => "put attributes and capacity under `basic`",
            Code::DeviceTooLarge => "use at most 32 attributes and capacities together",
            Code::DuplicateItem => "write each entry only once",
            Code::ExtendedResourceNameInvalid => "write `domain/name`, as in `example.com/gpu`",
            Code::FieldDropped => "switch the feature gate on, or leave the field out",
            Code::GeneratedRulesUnknown => "turn the gate DeclarativeValidationTakeover off to get exactly the server's messages",
            Code::ListTooLong => "split the list, or leave entries out",
            Code::NamespaceLabelsUnknown => "give the labels of the namespace with the request",
            Code::NetworkDataInvalid => "write addresses as `10.9.8.7/24` or `2001:db8::1/64`",
            Code::NodeMappingInvalid => "name a resource such as `cpu`, a positive multiplier and a capacity of the device",
            Code::NodeSelectionInvalid => "choose the nodes in exactly one way",
            Code::NodeSelectorLabelValue => "at most 63 letters, digits, `-`, `_`, `.`; begin and end with a letter or digit",
            Code::ParametersInvalid => "write a map of at most 10 KiB",
            Code::PoolNameInvalid => "use DNS subdomains with `/` between them",
            Code::PoolNumberInvalid => "write `resourceSliceCount` of at least 1 and `generation` of at least 0",
            Code::PoolStatusInvalid => "name `driver`, and `poolName` for one pool; the server writes the status",
            Code::QualifiedNameInvalid => "write `name` or `domain/name`; the name has letters, digits and `_`, no `-`",
            Code::RequestNameInvalid => "use lower case letters, digits and `-`",
            Code::RequestPolicyInvalid => {
                "give `default` and either ascending `validValues` or a `validRange` within the capacity"
            }
            Code::RequestShape => {
                "put `deviceClassName` and its sibling fields under `exactly`; v1beta1 and v1alpha3 have them directly in the request"
            }
            Code::RequestUnknown => "name a request of the claim",
            Code::SelectorTooLong => "shorten the expression, or split it into several selectors",
            Code::ReleaseDecides => "name the release of the cluster to get its answer",
            Code::ServerWarning => "the server adds this warning to its answer; the answer itself stays the same",
            Code::ShareIdInvalid => "write a UUID in lower case with dashes",
            Code::TaintInvalid => "write `key` as a label key, and `effect`: `NoSchedule`, `NoExecute`, or from 1.35 on `None`",
            Code::TolerationInvalid => "leave `value` out with `Exists`",
            Code::SelectorInvalid => "see the position in the message; read attributes as `device.attributes[\"domain\"].name`",
            Code::SelectorTooExpensive => "loop over fewer elements, or split the expression into several selectors",
            Code::NodeSelectorTermsSeveral => "join the requirements in one term, or publish the device for each node",
            Code::TaintRuleSelectsAll => {
                "name `driver`, `pool` or `device` in `deviceSelector`, or try the rule with effect `None` first (1.35 and later)"
            }
            Code::TolerationEmpty => "write `operator: Exists` to tolerate every taint, or name a `key`",
            Code::AttributeNotInInput => "check the name, unless other slices are in the cluster",
            Code::PodClaimSource => {
                "up to 1.30 the two names belong under `source`; from 1.31 on they belong directly in the entry of `resourceClaims`"
            }
            Code::PodClaimUnused => "name the entry under `resources.claims` of a container, or remove it",
            Code::PodClaimUndefined => "name an entry of `spec.resourceClaims`",
            Code::PodRequestUnknown => "name a request of the claim, or leave `request` out to use all of its devices",
            Code::ExtendedResourceUnserved => {
                "write `extendedResourceName` in the DeviceClass, unless a device plugin serves the resource"
            }
            Code::NameRequired => "write `metadata.name`, or `metadata.generateName` for `kubectl create`",
            Code::NameInvalid => "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit",
            Code::GenerateNameInvalid => "use lower case letters, digits, `-` and `.`; begin with a letter or digit",
            Code::NamespaceRequired => "write `metadata.namespace`",
            Code::NamespaceInvalid => "a namespace has lower case letters, digits and `-`, at most 63, and no dots",
            Code::NamespaceForbidden => "leave `metadata.namespace` out: the kind is cluster-scoped",
            Code::GenerationInvalid => "leave `metadata.generation` out: the server sets it",
            Code::LabelKeyInvalid => {
                "a label key is `name` or `prefix/name`: letters, digits, `-`, `_`, `.`; the prefix is a DNS subdomain"
            }
            Code::LabelValueInvalid => {
                "a label value has at most 63 letters, digits, `-`, `_`, `.` and begins and ends with a letter or digit; put free text into an annotation"
            }
            Code::AnnotationKeyInvalid => {
                "an annotation key is `name` or `prefix/name`: letters, digits, `-`, `_`, `.`; the prefix is a DNS subdomain"
            }
            Code::AnnotationsTooLong => "keep all annotations together under 256 KiB: put large data into a ConfigMap",
            Code::OwnerReferenceIncomplete => "an owner reference needs `apiVersion`, `kind`, `name` and `uid`",
            Code::OwnerReferenceEvent => "Events are short-lived: refer to the object that the event is about",
            Code::OwnerReferenceControllers => "set `controller: true` on one owner only",
            Code::FinalizerInvalid => "write a finalizer as `domain/name`, as in `example.com/cleanup`",
            Code::FinalizerConflict => "keep one of `orphan` and `foregroundDeletion`",
            Code::FinalizerUnqualified => "put a domain that you own before it, as in `example.com/cleanup`",
            Code::FinalizerAdded => "the object is being deleted: finalizers can only be removed",
            Code::ManagedFieldsInvalid => "leave `metadata.managedFields` out: the server maintains it",
            Code::ResourceVersionRequired => "write the stored object's `metadata.resourceVersion`",
            Code::MetadataImmutable => "keep the stored value; to change it, create another object",
            Code::ClassNameInvalid => "name the ResourceClass by its `metadata.name`: lower case letters, digits, `-` and `.`",
            Code::ParametersRefIncomplete => "a reference to parameters needs `kind` and `name`",
            Code::ParametersRefNamespace => "a namespace has lower case letters, digits and `-`, at most 63, and no dots",
            Code::AllocationModeUnsupported => "write `WaitForFirstConsumer` (the default) or `Immediate`",
            Code::SpecImmutable => "a spec cannot be changed: delete the object and create it again",
            Code::TemplateMetadataForbidden => "only `labels` and `annotations` can be given to the claims of a template",
            Code::DriverNameRequired => "write the driver's name, a DNS subdomain as in `gpu.example.com`",
            Code::DriverNameTooLong => "use at most 63 bytes",
            Code::DriverNameInvalid => "a driver name is a DNS subdomain, as in `gpu.example.com`: no `/`, no `_`, no spaces",
            Code::DriverNameDuplicate => "merge the entries of the driver into one",
            Code::NodeSelectorEmpty => {
                "give `nodeSelectorTerms` at least one term, or leave the selector out to allow every node"
            }
            Code::NodeSelectorValues => {
                "`In` and `NotIn` need values, `Exists` and `DoesNotExist` take none, `Gt` and `Lt` one; a field selector takes one"
            }
            Code::NodeSelectorOperator => {
                "write `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`; for fields only `In` and `NotIn`"
            }
            Code::NodeSelectorUnparsable => {
                "values are label values, and for `Gt` and `Lt` whole numbers without a sign; the scheduler refuses the whole selector"
            }
            Code::NodeSelectorKey => "the key is a label key, `name` or `prefix/name`; under `matchFields` only `metadata.name`",
            Code::NodeSelectorFieldValue | Code::NodeNameInvalid => {
                "a node name has lower case letters, digits, `-` and `.`, and begins and ends with a letter or digit"
            }
            Code::NodeNameDuplicate => "name each node once",
            Code::NodeListTooLong => "list at most 128 nodes",
            Code::ClaimStatusDuplicate => "write one entry for each claim of the pod",
            Code::AllocationDriverRequired => "write `status.driverName` together with the allocation",
            Code::AllocationImmutable => "an allocation can be removed, not changed",
            Code::ResourceHandleTooLong => "write at most 16384 bytes of data for a driver",
            Code::ResourceHandlesTooMany => "write at most 32 resource handles",
            Code::ResourceHandleTwoData => "keep one of `data` and `structuredData`",
            Code::ReservedForDuplicate => "name each consumer once",
            Code::ReservedForIncomplete => "a consumer needs `resource`, `name` and `uid`",
            Code::ReservedForTooMany => "name at most 32 consumers",
            Code::ReservedForNotAllocated => "allocate the claim before you reserve it",
            Code::ReservedForNotShareable => "only an allocation with `shareable: true` can be reserved by several consumers",
            Code::ReservedForAdded => "wait until the claim is allocated again, or use another claim",
            Code::DeallocationInUse => "remove all consumers from `reservedFor` first",
            Code::DeallocationNotAllocated => "there is nothing to deallocate: leave `deallocationRequested` out",
            Code::DeallocationCleared => "leave it set: the driver clears it together with the allocation",
            Code::StructuredModelRequired => "write `namedResources`: it is the only structured model",
            Code::SelectorRequired => "write a CEL expression; `true` selects every instance",
            Code::RequestsRequired => "give the driver at least one request, or leave its entry out",
            Code::InstanceNameInvalid | Code::AttributeNameInvalid => {
                "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit"
            }
            Code::InstanceNameDuplicate | Code::AttributeNameDuplicate => "use each name once",
            Code::AttributeVersionInvalid => "write three numbers as in `1.2.3`, without `v`; see semver.org",
            Code::AttributeValueRequired => {
                "write one of `quantity`, `bool`, `int`, `intSlice`, `string`, `stringSlice`, `version`"
            }
            Code::AttributeValueSeveral => "keep one value field: an attribute has one type",
            Code::SliceImmutable => "the node and driver of a slice cannot change: create another slice",
            Code::ResourceVersionOnCreate => "leave `metadata.resourceVersion` out of a new object",
            Code::Conflict => "read the object again and repeat the change on it",
            Code::NamespaceMismatch => "write the same namespace in the object and in the request",
            Code::UnknownField => "the server does not know this field here: leave it out",
            Code::DuplicateField => "remove one of the two: only the last one has effect",
            _ => return None,
        })
    }
}
