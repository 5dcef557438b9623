//! The fields of pods, and of the objects that make them, for finding those that no release knows.
//!
//! Source: `api/openapi-spec/swagger.json` of kubernetes 1.31 to 1.38, the fields of all of them together, and `source` of up to
//! 1.30. Statuses and managed fields are left out.

/// A field of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodField {
    pub name: &'static str,
    /// The type of its value, of its items or of its entries; `None`: nothing below it is known.
    pub below: Option<(&'static str, Holds)>,
}

/// The number of values of a type that a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    One,
    List,
    Map,
}

/// Returns the fields of a type; empty if it is not known.
pub fn fields_of(name: &str) -> Vec<PodField> {
    let mut fields = Vec::new();
    let mut is_own = false;
    for line in TYPES.lines() {
        let words = match line.strip_prefix("  ") {
            Some(more) => more,
            None => {
                let (of, words) = line.split_once(": ").unwrap_or((line, ""));
                if is_own {
                    break;
                }
                is_own = of == name;
                words
            }
        };
        if is_own {
            let names = words.split(' ').filter(|word| !word.is_empty());
            fields.extend(names.map(field));
        }
    }
    fields
}

/// Returns the type of an object of a kind, if its fields are known.
pub fn root_of(kind: &str) -> Option<&'static str> {
    ROOTS.iter().copied().find(|root| *root == kind)
}

fn field(word: &'static str) -> PodField {
    let Some((name, target)) = word.split_once(':') else {
        return PodField {
            name: word,
            below: None,
        };
    };
    let below = if let Some(of) = target.strip_suffix("[]") {
        (of, Holds::List)
    } else if let Some(of) = target.strip_suffix("{}") {
        (of, Holds::Map)
    } else {
        (target, Holds::One)
    };
    PodField {
        name,
        below: Some(below),
    }
}

/// The types of objects.
const ROOTS: [&str; 9] = [
    "Pod",
    "PodTemplate",
    "ReplicationController",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
];

/// A type in each line, continued in indented ones: its fields, with the types of their values.
const TYPES: &str = "\
AWSElasticBlockStoreVolumeSource: fsType partition readOnly volumeID
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile: localhostProfile type
AzureDiskVolumeSource: cachingMode diskName diskURI fsType kind readOnly
AzureFileVolumeSource: readOnly secretName shareName
CSIVolumeSource: driver fsType nodePublishSecretRef:LocalObjectReference readOnly volumeAttributes
Capabilities: add drop
CephFSVolumeSource: monitors path readOnly secretFile secretRef:LocalObjectReference user
CinderVolumeSource: fsType readOnly secretRef:LocalObjectReference volumeID
ClaimSource: resourceClaimName resourceClaimTemplateName
ClusterTrustBundleProjection: labelSelector:LabelSelector name optional path signerName user
ConfigMapEnvSource: name optional
ConfigMapKeySelector: key name optional
ConfigMapProjection: items:KeyToPath[] name optional
ConfigMapVolumeSource: defaultMode defaultUser items:KeyToPath[] name optional
Container: args command env:EnvVar[] envFrom:EnvFromSource[] image imagePullPolicy lifecycle:Lifecycle
  livenessProbe:Probe name ports:ContainerPort[] readinessProbe:Probe resizePolicy:ContainerResizePolicy[]
  resources:ResourceRequirements restartPolicy restartPolicyRules:ContainerRestartRule[]
  securityContext:SecurityContext startupProbe:Probe stdin stdinOnce terminationMessagePath
  terminationMessagePolicy tty volumeDevices:VolumeDevice[] volumeMounts:VolumeMount[] workingDir
ContainerPort: containerPort hostIP hostPort name protocol
ContainerResizePolicy: resourceName restartPolicy
ContainerRestartRule: action exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator values
CronJob: apiVersion kind metadata:ObjectMeta spec:CronJobSpec status
CronJobSpec: concurrencyPolicy failedJobsHistoryLimit jobTemplate:JobTemplateSpec schedule
  startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone
DaemonSet: apiVersion kind metadata:ObjectMeta spec:DaemonSetSpec status
DaemonSetSpec: minReadySeconds revisionHistoryLimit selector:LabelSelector template:PodTemplateSpec
  updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy: rollingUpdate:RollingUpdateDaemonSet type
Deployment: apiVersion kind metadata:ObjectMeta spec:DeploymentSpec status
DeploymentSpec: minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit
  selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStrategy: rollingUpdate:RollingUpdateDeployment type
DownwardAPIProjection: items:DownwardAPIVolumeFile[]
DownwardAPIVolumeFile: fieldRef:ObjectFieldSelector mode path resourceFieldRef:ResourceFieldSelector user
DownwardAPIVolumeSource: defaultMode defaultUser items:DownwardAPIVolumeFile[]
EmptyDirVolumeSource: medium mode sizeLimit
EnvFromSource: configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource
EnvVar: name value valueFrom:EnvVarSource
EnvVarSource: configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer: args command env:EnvVar[] envFrom:EnvFromSource[] image imagePullPolicy
  lifecycle:Lifecycle livenessProbe:Probe name ports:ContainerPort[] readinessProbe:Probe
  resizePolicy:ContainerResizePolicy[] resources:ResourceRequirements restartPolicy
  restartPolicyRules:ContainerRestartRule[] securityContext:SecurityContext startupProbe:Probe stdin stdinOnce
  targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices:VolumeDevice[]
  volumeMounts:VolumeMount[] workingDir
EphemeralVolumeSource: volumeClaimTemplate:PersistentVolumeClaimTemplate
EvictionResponder: name priority
ExecAction: command
FCVolumeSource: fsType lun readOnly targetWWNs wwids
FileKeySelector: key optional path volumeName
FlexVolumeSource: driver fsType options readOnly secretRef:LocalObjectReference
FlockerVolumeSource: datasetName datasetUUID
GCEPersistentDiskVolumeSource: fsType partition pdName readOnly
GRPCAction: mode port service
GitRepoVolumeSource: directory repository revision
GlusterfsVolumeSource: endpoints path readOnly
HTTPGetAction: host httpHeaders:HTTPHeader[] path port protocol scheme
HTTPHeader: name value
HostAlias: hostnames ip
HostPathVolumeSource: path type
ISCSIVolumeSource: chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals
  readOnly secretRef:LocalObjectReference targetPortal
ImageVolumeSource: pullPolicy reference
Job: apiVersion kind metadata:ObjectMeta spec:JobSpec status
JobSchedulingConfiguration: disruptionMode:WorkloadPodGroupDisruptionMode
  resourceClaims:WorkloadPodGroupResourceClaim[] schedulingConstraints:WorkloadPodGroupSchedulingConstraints
  schedulingPolicy:WorkloadPodGroupSchedulingPolicy
JobSpec: activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy
  manualSelector maxFailedIndexes parallelism podFailurePolicy:PodFailurePolicy podReplacementPolicy
  scheduling:JobSchedulingConfiguration selector:LabelSelector successPolicy:SuccessPolicy suspend
  template:PodTemplateSpec ttlSecondsAfterFinished
JobTemplateSpec: metadata:ObjectMeta spec:JobSpec
KeyToPath: key mode path user
LabelSelector: matchExpressions:LabelSelectorRequirement[] matchLabels
LabelSelectorRequirement: key operator values
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler stopSignal
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LocalObjectReference: name
NFSVolumeSource: path readOnly server
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector: nodeSelectorTerms:NodeSelectorTerm[]
NodeSelectorRequirement: key operator values
NodeSelectorTerm: matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]
ObjectFieldSelector: apiVersion fieldPath
ObjectMeta: annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName
  generation labels managedFields name namespace ownerReferences:OwnerReference[] resourceVersion selfLink uid
OwnerReference: apiVersion blockOwnerDeletion controller kind name uid
PersistentVolumeClaim: apiVersion kind metadata:ObjectMeta spec:PersistentVolumeClaimSpec status
PersistentVolumeClaimSpec: accessModes dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference
  resources:VolumeResourceRequirements selector:LabelSelector storageClassName volumeAttributesClassName
  volumeMode volumeName
PersistentVolumeClaimTemplate: metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName readOnly
PhotonPersistentDiskVolumeSource: fsType pdID
Pod: apiVersion kind metadata:ObjectMeta spec:PodSpec status
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
  requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]
PodAffinityTerm: labelSelector:LabelSelector matchLabelKeys mismatchLabelKeys namespaceSelector:LabelSelector
  namespaces topologyKey
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
  requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]
PodCertificateProjection: certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds
  signerName user userAnnotations
PodDNSConfig: nameservers options:PodDNSConfigOption[] searches
PodDNSConfigOption: name value
PodFailurePolicy: rules:PodFailurePolicyRule[]
PodFailurePolicyOnExitCodesRequirement: containerName operator values
PodFailurePolicyOnPodConditionsPattern: status type
PodFailurePolicyRule: action onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions:PodFailurePolicyOnPodConditionsPattern[]
PodOS: name
PodReadinessGate: conditionType
PodResourceClaim: name resourceClaimName resourceClaimTemplateName source:ClaimSource
PodSchedulingGate: name
PodSchedulingGroup: podGroupName
PodSecurityContext: appArmorProfile:AppArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot
  runAsUser seLinuxChangePolicy seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups
  supplementalGroupsPolicy sysctls:Sysctl[] windowsOptions:WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds affinity:Affinity automountServiceAccountToken containers:Container[]
  dnsConfig:PodDNSConfig dnsPolicy enableServiceLinks ephemeralContainers:EphemeralContainer[]
  evictionResponders:EvictionResponder[] hostAliases:HostAlias[] hostIPC hostNetwork hostPID hostUsers hostname
  hostnameOverride imagePullSecrets:LocalObjectReference[] initContainers:Container[] nodeName nodeSelector
  os:PodOS overhead preemptionPolicy priority priorityClassName readinessGates:PodReadinessGate[]
  resourceClaims:PodResourceClaim[] resources:ResourceRequirements restartPolicy runtimeClassName schedulerName
  schedulingGates:PodSchedulingGate[] schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext
  serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain
  terminationGracePeriodSeconds tolerations:Toleration[] topologySpreadConstraints:TopologySpreadConstraint[]
  volumes:Volume[] workloadRef:WorkloadReference
PodTemplate: apiVersion kind metadata:ObjectMeta template:PodTemplateSpec
PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
PortworxVolumeSource: fsType readOnly volumeID
PreferredSchedulingTerm: preference:NodeSelectorTerm weight
Probe: exec:ExecAction failureThreshold grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds
  periodSeconds successThreshold tcpSocket:TCPSocketAction terminationGracePeriodSeconds timeoutSeconds
ProjectedVolumeSource: defaultMode defaultUser sources:VolumeProjection[]
QuobyteVolumeSource: group readOnly registry tenant user volume
RBDVolumeSource: fsType image keyring monitors pool readOnly secretRef:LocalObjectReference user
ReplicaSet: apiVersion kind metadata:ObjectMeta spec:ReplicaSetSpec status
ReplicaSetSpec: minReadySeconds replicas selector:LabelSelector template:PodTemplateSpec
ReplicationController: apiVersion kind metadata:ObjectMeta spec:ReplicationControllerSpec status
ReplicationControllerSpec: minReadySeconds replicas selector template:PodTemplateSpec
ResourceClaim: name request
ResourceFieldSelector: containerName divisor resource
ResourceRequirements: claims:ResourceClaim[] limits requests
RollingUpdateDaemonSet: maxSurge maxUnavailable
RollingUpdateDeployment: maxSurge maxUnavailable
RollingUpdateStatefulSetStrategy: maxUnavailable partition
SELinuxOptions: level role type user
ScaleIOVolumeSource: fsType gateway protectionDomain readOnly secretRef:LocalObjectReference sslEnabled
  storageMode storagePool system volumeName
SeccompProfile: localhostProfile oci:SecurityProfileOCI type
SecretEnvSource: name optional
SecretKeySelector: key name optional
SecretProjection: items:KeyToPath[] name optional
SecretVolumeSource: defaultMode defaultUser items:KeyToPath[] optional secretName
SecurityContext: allowPrivilegeEscalation appArmorProfile:AppArmorProfile capabilities:Capabilities privileged
  procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:SELinuxOptions
  seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
SecurityProfileOCI: baseProfile:SecurityProfileOCIBase ref
SecurityProfileOCIBase: localhostProfile type
ServiceAccountTokenProjection: audience expirationSeconds path user
SleepAction: seconds
StatefulSet: apiVersion kind metadata:ObjectMeta spec:StatefulSetSpec status
StatefulSetOrdinals: start
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted whenScaled
StatefulSetSpec: minReadySeconds ordinals:StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy
  replicas revisionHistoryLimit selector:LabelSelector serviceName template:PodTemplateSpec
  updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:PersistentVolumeClaim[]
StatefulSetUpdateStrategy: rollingUpdate:RollingUpdateStatefulSetStrategy type
StorageOSVolumeSource: fsType readOnly secretRef:LocalObjectReference volumeName volumeNamespace
SuccessPolicy: rules:SuccessPolicyRule[]
SuccessPolicyRule: succeededCount succeededIndexes
Sysctl: name value
TCPSocketAction: host port
Toleration: effect key operator tolerationSeconds value
TopologyConstraint: key
TopologySpreadConstraint: labelSelector:LabelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy
  nodeTaintsPolicy topologyKey whenUnsatisfiable
TypedLocalObjectReference: apiGroup kind name
TypedObjectReference: apiGroup kind name namespace
Volume: awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource
  configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
  emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource
  flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
  glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource
  name nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
  photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
  projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource
  secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice: devicePath name
VolumeMount: bindMountOptions mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
VolumeProjection: clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection
  serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements: limits requests
VsphereVirtualDiskVolumeSource: fsType storagePolicyID storagePolicyName volumePath
WeightedPodAffinityTerm: podAffinityTerm:PodAffinityTerm weight
WindowsSecurityContextOptions: gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
WorkloadPodGroupDisruptionMode: all single
WorkloadPodGroupGangSchedulingPolicy: minCount
WorkloadPodGroupResourceClaim: name resourceClaimName resourceClaimTemplateName
WorkloadPodGroupSchedulingConstraints: topology:TopologyConstraint[]
WorkloadPodGroupSchedulingPolicy: basic gang:WorkloadPodGroupGangSchedulingPolicy
WorkloadReference: name podGroup podGroupReplicaKey
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lead_to_known_types() {
        let types: Vec<&str> = TYPES
            .lines()
            .filter(|line| !line.starts_with("  "))
            .filter_map(|line| line.split_once(':').map(|(name, _)| name))
            .collect();
        assert!(types.len() > 100);
        for name in &types {
            let fields = fields_of(name);
            assert!(!fields.is_empty(), "{name}");
            for (of, _) in fields.iter().filter_map(|field| field.below) {
                assert!(types.contains(&of), "{name}: {of}");
            }
        }
    }
}
