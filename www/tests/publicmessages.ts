/** A message as somebody pasted it in public, and the names of the pages that explain it: one of them is found first. */
interface PublicMessage {
	/** The issue, pull request or repository, and the release if it is known. */
	from: string;
	text: string;
	pages: readonly string[];
}

/** Events, conditions, logs and answers of kubectl, of all components; the release is named where the report tells it. */
export const PUBLIC_MESSAGES: readonly PublicMessage[] = [
	// kube-scheduler
	{
		from: "a course about simulated drivers, 1.35; wrapped by hand",
		text: `Warning  FailedScheduling  default-scheduler
  0/2 nodes are available: 1 cannot allocate all claims,
  1 node(s) didn't match Pod's node affinity/selector.
  still not schedulable, preemption: 0/2 nodes are available:
  2 Preemption is not helpful for scheduling.`,
		pages: ["cannot-allocate-all-claims"],
	},
	{
		from: "kai-scheduler/KAI-Scheduler#1217",
		text: `Error on rack-1 pods:
  Resources were found for 12 pods while 16 are required for gang scheduling.
  Additional pods cannot be scheduled due to:
    - 12 node(s) didn't have enough resources: GPUs
    - 6 cannot allocate all claims`,
		pages: ["cannot-allocate-all-claims"],
	},
	{
		from: "a condition of a pod, 1.34, August 2025",
		text: `status:
  conditions:
  - lastProbeTime: null
    lastTransitionTime: "2025-08-12T02:18:04Z"
    message: '0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane:
      }, 1 timed out trying to allocate devices, 2 cannot allocate all claims. still
      not schedulable, preemption: 0/4 nodes are available: 4 Preemption is not helpful
      for scheduling.'
    observedGeneration: 1
    reason: Unschedulable
    status: "False"
    type: PodScheduled`,
		pages: ["allocation-timed-out", "cannot-allocate-all-claims"],
	},
	{
		from: "a guide to Neuron devices, 1.34",
		text: "Warning  FailedScheduling  pod/overrequest  0/3 nodes are available: 1 timed out trying to allocate devices...",
		pages: ["allocation-timed-out"],
	},
	{
		from: "kubernetes/kubernetes#125330, 1.31",
		text: 'E0604 15:45:50.980929  306340 schedule_one.go:1048] "Error scheduling pod; retrying" err="waiting for resource driver" pod="test/test-draqld28"',
		pages: ["waiting-for-resource-driver"],
	},
	{
		from: "a guide to Neuron devices, 1.34",
		text: "Warning  FailedScheduling  pod/wrong-type  0/3 nodes are available: 3 cannot allocate all claims.",
		pages: ["cannot-allocate-all-claims"],
	},
	{
		from: "kubernetes/kubernetes#137617, 1.36",
		text: `Events:
  Type     Reason            Age                          From               Message
  ----     ------            ----                         ----               -------
  Warning  FailedScheduling  2m21s (x2292168 over 7m21s)  default-scheduler  0/2 nodes are available: resource claim default/single-gpu is in the process of being allocated. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`,
		pages: ["claim-being-allocated"],
	},
	// kube-apiserver and kubectl
	{
		from: "kubernetes-sigs/dra-driver-cpu#217, 1.36; wrapped by the terminal",
		text: `E0630 12:08:21.715758       1 dra_hooks.go:571] "processing ResourceSlice objects" err="create resource slice: ResourceSlice.resource.k8s.io \\"00000-dra.cpu-validation-k8s-gpu-03-tdgx2\\" is invalid: [spec.devices[0].attributes[numa-1]: Invalid value: \\"numa-1\\": a valid C identifier must start with alphabetic character or
  '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*'), spec.devices[0].attributes[socket-268435456]: Invalid value: \\"socket-268435456\\": a valid C identifier must start with alphabetic character or '_', followed by a
  string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')]`,
		pages: ["attribute-name-invalid", "qualified-name-invalid"],
	},
	{
		from: "a guide to quota for devices, 1.34",
		text: `Error from server (Forbidden): error when creating "third-gpu-pod.yaml":
  resourceclaims "c-gpu" is forbidden: exceeded quota: dra-gpu-quota,
  requested: gpu.nvidia.com.deviceclass.resource.k8s.io/devices=1,
  used: gpu.nvidia.com.deviceclass.resource.k8s.io/devices=2,
  limited: gpu.nvidia.com.deviceclass.resource.k8s.io/devices=2`,
		pages: ["claim-exceeds-quota"],
	},
	{
		from: "a guide to Kubespray, older than 1.34",
		text: 'no matches for kind "DeviceClass" in version "resource.k8s.io/v1"',
		pages: ["resource-group-not-served"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#713, 1.34, for a template",
		text: 'error when creating "demo/specs/quickstart/gpu-test1.yaml": ResourceClaimTemplate in version "v1" cannot be handled as a ResourceClaimTemplate: strict decoding error: unknown field "spec.spec.devices.requests[0].deviceClassName"',
		pages: ["unknown-field"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#419, 1.32",
		text: `resource mapping not found for name: "gpu-ts-sharing" namespace: "sharing-demo" from "demo/specs/mig+mps/sharing-demo-parameters.yaml": no matches for kind "GpuClaimParameters" in version "gpu.resource.nvidia.com/v1alpha1"
ensure CRDs are installed first`,
		pages: ["parameters-kind-not-served"],
	},
	{
		from: "aws-samples/custom-scheduler-eks#10, 1.34",
		text: 'E1105 01:38:17.455158       1 reflector.go:205] "Failed to watch" err="failed to list *v1.ResourceSlice: resourceslices.resource.k8s.io is forbidden: User \\"system:serviceaccount:kube-system:custom-scheduler-eks\\" cannot list resource \\"resourceslices\\" in API group \\"resource.k8s.io\\" at the cluster scope" logger="UnhandledError" reflector="k8s.io/client-go/informers/factory.go:160" type="*v1.ResourceSlice"',
		pages: ["resourceslices-may-not-be-listed"],
	},
	{
		from: "gardener/gardener#14901, 1.35",
		text: `E0522 12:45:35.171271       1 reflector.go:204] "Failed to watch" err="failed to list *v1.ResourceSlice: resourceslices.resource.k8s.io is forbidden: User \\"system:serviceaccount:kube-system:cluster-autoscaler\\" cannot list resource \\"resourceslices\\" in API group \\"resource.k8s.io\\" at the cluster scope" logger="UnhandledError" reflector="pkg/mod/k8s.io/client-go@v0.35.0/tools/cache/reflector.go:289" type="*v1.ResourceSlice"
E0522 12:45:38.373082       1 reflector.go:204] "Failed to watch" err="failed to list *v1.DeviceClass: deviceclasses.resource.k8s.io is forbidden: User \\"system:serviceaccount:kube-system:cluster-autoscaler\\" cannot list resource \\"deviceclasses\\" in API group \\"resource.k8s.io\\" at the cluster scope" logger="UnhandledError" reflector="pkg/mod/k8s.io/client-go@v0.35.0/tools/cache/reflector.go:289" type="*v1.DeviceClass"`,
		pages: ["resourceslices-may-not-be-listed"],
	},
	{
		from: "vitobotta/hetzner-k3s#794, 1.35",
		text: 'failed to list *v1.ResourceClaim: resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:kube-system:cluster-autoscaler" cannot list resource "resourceclaims" in API group "resource.k8s.io" at the cluster scope',
		pages: ["resourceslices-may-not-be-listed"],
	},
	// kube-controller-manager
	{
		from: "kubernetes/kubernetes#129362, 1.32",
		text: 'Warning  FailedResourceClaimCreation  11s (x13 over 31s)  resource_claim  PodResourceClaim shared-gpu: resource claim template "single-gpu": resourceclaimtemplate.resource.k8s.io "single-gpu" not found',
		pages: ["resourceclaimtemplate-not-found"],
	},
	{
		from: "kubernetes/kubernetes#141422, 1.36; a table of events",
		text: `NAMESPACE              REASON                       OBJECT                        MESSAGE
cross-tenant-a-admin   DeviceTaintManagerEviction   pod/pod-a                     Marking for deletion
cross-tenant-b         DeviceTaintManagerEviction   pod/pod-b                     Marking for deletion
finding7-tenant-x      DeviceTaintManagerEviction   pod/pod-x-ordinary            Marking for deletion`,
		pages: ["device-taint-eviction"],
	},
	// kubelet and container runtime
	{
		from: "kubernetes/kubernetes#131957, 1.33",
		text: "Warning  FailedPrepareDynamicResources  81s   kubelet            Failed to prepare dynamic resources: failed to get gRPC client for driver dra-1411.k8s.io: plugin name dra-1411.k8s.io not found in the list of registered DRA plugins",
		pages: ["dra-driver-not-registered"],
	},
	{
		from: "a test driver's notes, 1.34",
		text: "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver hostpath.network.com is not registered",
		pages: ["dra-driver-not-registered"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#814, 1.34; journal of the kubelet",
		text: 'Jan 14 22:32:42 instance20260113210117 kubelet[14067]: E0114 22:32:42.287311   14067 container_manager_linux.go:1016] "Unable to get container claim info state" err="unable to get information for ResourceClaim nccl-test-worker-0-compute-domain-channel-h4lpr"',
		pages: ["claim-info-missing"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#766, 1.34 with a node of 1.33",
		text: "Failed to prepare dynamic resources: failed to fetch ResourceClaim imex-channel-injection-imex-channel-0-hlldb referenced by pod imex-channel-injection: the server could not find the requested resource",
		pages: ["claim-not-fetched"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1218, 1.35",
		text: "Warning  FailedPrepareDynamicResources  22s   kubelet            Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
		pages: ["node-prepare-timed-out"],
	},
	{
		from: "a quickstart for GB200 nodes, 1.33",
		text: "Failed to prepare dynamic resources: NodePrepareResources failed: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
		pages: ["node-prepare-timed-out"],
	},
	{
		from: "kubernetes/kubernetes#139772, 1.36",
		text: 'Jun 16 06:45:16 [redacted host name] kubelet[4419]: E0616 06:45:16.697328    4419 pod_workers.go:1324] "Error syncing pod, skipping" err="unprepare dynamic resources: pod \\"default/virt-launcher-vmi-dra-pgpu-nic-8m27v\\": ResourceClaim not created yet" pod="default/virt-launcher-vmi-dra-pgpu-nic-8m27v" podUID="b5e97be2-3bbc-4805-8ac2-ae30e53e86a1"',
		pages: ["unprepare-claim-not-created"],
	},
	{
		from: "kubernetes/kubernetes#127653, 1.31",
		text: "failed to get checkpoint dra_manager_state: checkpoint is corrupted",
		pages: ["kubelet-checkpoint-corrupted"],
	},
	{
		from: "kubernetes/kubernetes#124962; log of a driver",
		text: `E0520 07:49:57.337809       1 nonblockinggrpcserver.go:125] "handling request failed" err="failed registration process: RegisterPlugin error -- no handler registered for plugin type: DRAPlugin at socket /var/lib/kubelet/plugins_registry/netresources.spidernet.io.sock" logger="registrar" requestID=8 request="&RegistrationStatus{PluginRegistered:false,Error:RegisterPlugin error -- no handler registered for plugin type: DRAPlugin at socket /var/lib/kubelet/plugins_registry/netresources.spidernet.io.sock,}"`,
		pages: ["kubelet-has-no-dra"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#736, 1.34",
		text: "Warning  Failed     86s (x26 over 6m37s)  kubelet            Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.gpu.nvidia.com/device=gpu-1",
		pages: ["cdi-device-unresolvable"],
	},
	{
		from: "intel/intel-resource-drivers-for-kubernetes#45, 1.33",
		text: "Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices intel.com/gpu=0000-00-02-0-0xa7a0, intel.com/gpu=0000-03-00-0-0x56b1",
		pages: ["cdi-device-unresolvable"],
	},
	{
		from: "intel/intel-resource-drivers-for-kubernetes#84, 1.35; the container",
		text: 'Error: ... CDI device injection failed: failed to stat CDI host device "/dev/dri/card0": no such file or directory',
		pages: ["cdi-host-device-missing"],
	},
	// Drivers
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1268, 1.36",
		text: `  Warning  FailedPrepareDynamicResources  61s   kubelet            Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim pod-vfio-passthrough-vfio-gpu-xgjg5: error preparing devices for claim default/pod-vfio-passthrough-vfio-gpu-xgjg5:24e4d186-717c-4658-9098-a65d3c6171dc: prepare devices failed: error applying config: error configuring vfio device "gpu-vfio-0": error changing driver for GPU "0008:01:00.0": error binding GPU "0008:01:00.0" to driver "nvgrace-gpu-vfio-pci": failed to bind 0008:01:00.0 to nvgrace-gpu-vfio-pci: failed to open file for writing: open /sys/bus/pci/drivers/nvgrace-gpu-vfio-pci/bind: no such file or directory`,
		pages: ["vfio-device-not-bound"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1162, 1.35",
		text: "I0523 22:44:58.336698       1 workqueue.go:171] Reconcile: error preparing devices for claim '<namespace>/<pod-name>-compute-domain-channel-8gwxw:4914da61-1a20-42b3-bf26-981025df4289': prepare devices failed: error applying config: error asserting ComputeDomain Ready: current node not ready in ComputeDomain (attempt 1)",
		pages: ["compute-domain-not-ready"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1162, 1.35",
		text: "requested device channel-0 is already allocated to different claim 4914da61-1a20-42b3-bf26-981025df4289",
		pages: ["device-prepared-for-another-claim"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#230, 1.32",
		text: "Failed to prepare dynamic resources: NodePrepareResources failed for claim lab/mps-gpu-7c9db8954b-mbwj5-mps-gpus-682s2: error preparing devices for claim 37925188-b216-4aa3-8ca7-f32cf28476ae: prepare devices failed: error applying GPU config: MPS control daemon is not yet ready: error listing pods from deployment",
		pages: ["mps-daemon-not-ready"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1002, 1.35",
		text: "unknown GPU sharing strategy: MPS",
		pages: ["sharing-strategy-unknown"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1272, 1.34",
		text: `I0724 07:29:43.030217  1 main.go:187] shutdown
Error: error creating driver: error enumerating all possible devices: error enumerating GPUs and MIG devices: error initializing NVML: ERROR_LIBRARY_NOT_FOUND`,
		pages: ["nvml-library-not-found"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1144, 1.34; wrapped by hand",
		text: `FailedPrepareDynamicResources: Failed to prepare dynamic resources:
  NodePrepareResources failed for ResourceClaim <claim>:
  error preparing devices for claim <ns>/<claim>:<uid>:
  unable to create CDI spec file for claim:
  failed to write spec: invalid CDI Spec:
  failed add device "<uid>-gpu-N": invalid device, empty device edits`,
		pages: ["cdi-spec-not-written"],
	},
	{
		from: "a report about MIG on GB200, 1.35",
		text: "  Warning  FailedPrepareDynamicResources  11m                kubelet            Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim pod-memsat-0004-mig-070gb-8g9dwhd-gpu-tpghv: error preparing devices for claim default/pod-memsat-0004-mig-070gb-8g9dwhd-gpu-tpghv:3c8337ad-f366-4541-883d-30b9e99fd6be: unable to create CDI spec file for claim: failed to construct MIG device DeviceNode edits: failed to parse GI capabilities file /proc/driver/nvidia/capabilities/gpu0/mig/gi2/access: open /proc/driver/nvidia/capabilities/gpu0/mig/gi2/access: no such file or directory",
		pages: ["cdi-spec-not-written"],
	},
	{
		from: "intel/intel-resource-drivers-for-kubernetes#84, 1.35",
		text: `FailedPrepareDynamicResources ... failed to prepare VFIO device 0000:03:00.0:
  failed to add device to CDI registry: failed to remove old GPU devices from
  CDI spec: failed to write CDI spec intel.com-gpu.yaml:
  invalid CDI Spec: invalid spec, no devices`,
		pages: ["cdi-spec-not-written"],
	},
	{
		from: "intel/intel-resource-drivers-for-kubernetes#45, 1.33",
		text: `E0717 23:59:33.262137       1 node_state.go:68] Error getting prepared claims: failed parsing file /var/lib/kubelet/plugins/gpu.intel.com/preparedClaims.json. Err: json: cannot unmarshal array into Go value of type kubeletplugin.PrepareResult
Error: failed to create new NodeState: failed to get prepared claims`,
		pages: ["driver-checkpoint-unreadable"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1330, 1.35",
		text: "unable to get device spec for <claimUID>-<device>: ... device handle from UUID: Not Found",
		pages: ["device-gone-from-driver"],
	},
	{
		from: "kubernetes-sigs/dranet#19, 1.34; log of the driver",
		text: `I0105 21:06:02.087493  877319 draplugin.go:597] "Starting"
I0105 21:06:02.087717  877319 nonblockinggrpcserver.go:90] "GRPC server started" logger="dra" endpoint="/var/lib/kubelet/plugins/dra.net/dra.sock"
I0105 21:06:02.088023  877319 nonblockinggrpcserver.go:90] "GRPC server started" logger="registrar" endpoint="/var/lib/kubelet/plugins_registry/dra.net-reg.sock"
F0105 21:06:32.088382  877319 app.go:169] driver failed to start: context deadline exceeded`,
		pages: ["driver-registration-timed-out"],
	},
	{
		from: "google/dranet#56, 1.32",
		text: "RunPodSandbox error moving device eth1 to namespace : could not get network namespace handle: failed to set into network namespace 2 while creating netlink socket: invalid argument",
		pages: ["network-device-not-moved"],
	},
	{
		from: "kubernetes-sigs/dranet#250, 1.36; log of the driver",
		text: `draplugin.go: "Starting"
nonblockinggrpcserver.go: "GRPC server started" logger="registrar" endpoint="/var/lib/kubelet/plugins_registry/dra.net-reg.sock"
app.go:169] driver failed to start: context deadline exceeded`,
		pages: ["driver-registration-timed-out"],
	},
	{
		from: "kubernetes-sigs/kueue#6949, 1.34; log of Kueue",
		text: '2025-09-22T16:07:12.58836113-05:00\tERROR\tcore/workload_controller.go:249\tFailed to process DRA resources for workload\t{"controller": "workload_controller", "namespace": "dra-rt7gn", "name": "test-wl-unmapped", "reconcileID": "e1653c5b-8806-4d18-9aa3-7b83a6bd8276", "error": "DeviceClass unmapped.example.com is not mapped in DRA configuration for workload test-wl-unmapped podset main: DeviceClass is not mapped in DRA configuration"}',
		pages: ["kueue-device-class-not-mapped"],
	},
	{
		from: "Project-HAMi/k8s-dra-driver#5, 1.34",
		text: 'The Pod "pod-0" is invalid: spec.resourceClaims[0]: Invalid value: {"Name":"single-gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
		pages: ["pod-claims-invalid", "pod-claim-source"],
	},
	{
		from: "kubernetes-sigs/dranet#221; a watch of events",
		text: `5m19s       Warning   ClaimPrepareFailed              resourceclaim/dummy-interface-static-ip   failed to get netlink to interface dummy0: Link not found
17s         Warning   ClaimPrepareFailed              resourceclaim/dummy-interface-static-ip   failed to get network interface name for device dummy0: device dummy0 not found in store`,
		pages: ["device-gone-from-driver"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1452, 1.35; the end filled in",
		text: "Warning  FailedPrepareDynamicResources  5m42s                kubelet            Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim gpu-pod-dra-resource-xcxqf: error preparing devices for claim default/gpu-pod-dra-resource-xcxqf:6fa86616-bc75-43ce-9199-0ead422c0915: failed to create MIG device: error creating compute instance: In use by another client",
		pages: ["mig-device-not-created"],
	},
	{
		from: "a guide to MIG devices with Karpenter",
		text: `Events:
  Warning  FailedScheduling  karpenter          Failed to schedule pod, pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter`,
		pages: ["autoscaler-skips-claims"],
	},
	{
		from: "ROCm/k8s-gpu-dra-driver#45",
		text: "NodePrepareResources failed for ResourceClaim multi: error preparing devices for claim 11: prepare devices failed: requested GPU is not allocatable: cpudevnuma000",
		pages: ["device-gone-from-driver"],
	},
	{
		from: "kubernetes-sigs/dranet#342",
		text: `Warning  FailedPrepareDynamicResources  kubelet
Failed to prepare dynamic resources: prepare dynamic resources:
NodePrepareResources failed for ResourceClaim <pod>-npu-rails-mzvt7:
claim 885bea27-9324-4034-9fb9-2b1aa68af194 contain errors:
interface configuration is not supported for RDMA-only devices (no network interface present)`,
		pages: ["node-prepare-resources-failed"],
	},
];

/** Words of the components' sources, with names filled in, where nobody has pasted them yet. */
export const SOURCE_MESSAGES: readonly PublicMessage[] = [
	{
		from: "kubernetes/kubernetes#137607, 1.36",
		text: 'running "DynamicResources" filter plugin: node worker-1: timed out trying to allocate devices',
		pages: ["allocation-timed-out"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#338, a comment",
		text: '{"level":"error","ts":"2025-07-27T09:12:44Z","logger":"scheduler","msg":"Unable to schedule pod; no fit; waiting","pod":"gpu-test1/gpu-pod","err":"0/1 nodes are available: request gpu: device class gpu.nvidia.com does not exist. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."}',
		pages: ["device-class-does-not-exist"],
	},
	{
		from: "cilium/cilium#48911 and kubernetes/kubernetes#134947, 1.36",
		text: 'ResourceClaim.resource.k8s.io "pod-net-claim-7xk2p" is invalid: status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[associated-node:patch arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "networkdriver.cilium.io" is forbidden: User "system:serviceaccount:kube-system:cilium" cannot associated-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"',
		pages: ["claim-status-permission"],
	},
	{
		from: "loft-sh/vcluster#3770 and kubernetes/kubernetes#134947, 1.36",
		text: 'status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:vcluster:vc-host" cannot update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
		pages: ["claim-status-permission"],
	},
	{
		from: "kubernetes/kubernetes#131617, 1.34",
		text: "Failed to prepare dynamic resources: prepare dynamic resources: old ResourceClaim with same name train-0-gpu and different UID 6a0f2c1e-8f0b-4a53-8f53-0e6f2b1a9d55 still exists (previous pod force-deleted?!)",
		pages: ["old-claim-still-prepared"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#435, 1.33",
		text: "Failed to prepare dynamic resources: NodePrepareResources failed for claim default/nic-and-gpu: error preparing devices for claim 0c8bd8f0-5f3d-4a2b-9d7c-0d8d3d0a6a11: prepare devices failed: error generating configResultsMap: requested device is not allocatable: eth1",
		pages: ["device-gone-from-driver"],
	},
	{
		from: "kubernetes/kubernetes#131957, 1.33",
		text: "Warning  FailedPrepareDynamicResources  81s   kubelet            Failed to prepare dynamic resources: failed to get gRPC client for driver dra-1411.k8s.io: plugin name dra-1411.k8s.io not found in the list of registered DRA plugins",
		pages: ["dra-driver-not-registered"],
	},
	{
		from: "kubernetes/kubernetes#132660, 1.33",
		text: 'Jul 01 16:40:16 dra-example-driver-cluster-worker kubelet[1974]: W0701 16:40:16.920794    1974 logging.go:55] [core] [Channel #17 SubChannel #18]grpc: addrConn.createTransport failed to connect to {Addr: "/var/lib/kubelet/plugins/gpu.example.com/dra-dc56a2e0-058b-455e-9da5-82a4a9d8c372.sock", ServerName: "localhost"}. Err: connection error: desc = "transport: Error while dialing: dial unix /var/lib/kubelet/plugins/gpu.example.com/dra-dc56a2e0-058b-455e-9da5-82a4a9d8c372.sock: connect: no such file or directory"',
		pages: ["dra-plugin-unreachable"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#859, 1.35",
		text: 'err="create resource slice: ResourceSlice.resource.k8s.io \\"node-1-gpu\\" is invalid: spec: Invalid value: \\"\\": only one of `sharedCounters` or `devices` is allowed" logger="ResourceSlice controller.UnhandledError"',
		pages: ["counters-invalid"],
	},
	{
		from: "kubernetes/kubernetes#131877, 1.33",
		text: 'Error creating: Pod "demo-dra-tz69j" is invalid: spec.resourceClaims[0]: Invalid value: core.PodResourceClaim{Name:"demo", ResourceClaimName:(*string)(nil), ResourceClaimTemplateName:(*string)(nil)}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
		pages: ["pod-claims-invalid", "pod-claim-source"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#1259",
		text: "22s         Warning   CheckpointCorrupted   pod/dra-driver-nvidia-gpu-kubelet-plugin-r2tzx   On-disk checkpoint is corrupted and is being invalidated: checkpoint is corrupted",
		pages: ["driver-checkpoint-unreadable"],
	},
	{
		from: "kubernetes-sigs/kueue#14206",
		text: 'spec.podSets[0].template.spec.resourceClaims[0].resourceClaimTemplateName: Not found: "DeviceClass gpu.example.com is not mapped in DRA configuration for podset main"',
		pages: ["kueue-device-class-not-mapped"],
	},
	{
		from: "kubectl, 1.36",
		text: 'The ResourceClaim "gpu" is invalid: spec.devices.requests[0].exactly.deviceClassName: Required value',
		pages: ["class-name-invalid"],
	},
	{
		from: "kubectl, 1.36",
		text: 'The DeviceClass "gpu" is invalid: spec.selectors[0].cel.expression: Invalid value: "device.attributes": must evaluate to bool or the unknown type, not map(string, map(string, google.protobuf.Any))',
		pages: ["selector-invalid"],
	},
	{
		from: "kubectl, 1.31",
		text: "Error from server (NotFound): the server could not find the requested resource (post resourceclaims.resource.k8s.io)",
		pages: ["resource-group-not-served"],
	},
	{
		from: "kubectl, 1.36",
		text: 'The Pod "p" is invalid: spec.containers[0].resources.claims[1]: Duplicate value: {"Name":"gpu"}',
		pages: ["pod-claims-invalid"],
	},
	{
		from: "a log of the driver of Intel",
		text: 'E0805 09:12:44.118211       1 main.go:61] "Error starting driver" err="sysfs directory /sys/bus/pci/drivers/i915 not found"',
		pages: ["kernel-driver-not-loaded"],
	},
	{
		from: "a log of the driver of AMD",
		text: "panic: open /sys/class/kfd/kfd/topology/nodes: no such file or directory",
		pages: ["kernel-driver-not-loaded"],
	},
	{
		from: "a log of a driver",
		text: "2026/03/02 10:11:12 failed to start plugin: timed out waiting for the plugin to be registered by kubelet",
		pages: ["driver-registration-timed-out"],
	},
	{
		from: "kubectl",
		text: 'Error from server (Forbidden): deviceclasses.resource.k8s.io is forbidden: User "jane" cannot list resource "deviceclasses" in API group "resource.k8s.io" at the cluster scope',
		pages: ["resourceslices-may-not-be-listed"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu#389; the driver's init container",
		text: "Could not find 'nvidia-smi'. Has the NVIDIA GPU driver been set up? On the host, 'nvidia-smi' is expected to be placed in directory NVIDIA_DRIVER_ROOT (current value: '/run/nvidia/driver'). If that value is unexpected: review and adjust the 'nvidiaDriverRoot' Helm chart variable.",
		pages: ["nvml-library-not-found"],
	},
	{
		from: "kubernetes-sigs/dra-example-driver, the tests of its webhook",
		text: 'Error from server (Forbidden): error when creating "claim.yaml": admission webhook "validate-resource-claim-parameters.gpu.example.com" denied the request: 2 configs failed to validate: object at spec.devices.config[0].opaque.parameters is invalid: unknown time-slice interval: InvalidInterval; object at spec.devices.config[1].opaque.parameters is invalid: invalid partition count: -1',
		pages: ["driver-webhook-refuses"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu, its webhook",
		text: 'Error from server: admission webhook "validate-resource-claim-parameters.nvidia.com" denied the request: 1 configs failed to validate: error decoding object at spec.devices.config[0].opaque.parameters: strict decoding error: unknown field "sharing.unexpected"',
		pages: ["driver-webhook-refuses"],
	},
	{
		from: "kubernetes-sigs/dra-driver-nvidia-gpu, its webhook while it starts",
		text: 'Error from server (InternalError): error when creating "gpu-test1.yaml": Internal error occurred: failed calling webhook "validate-resource-claim-parameters.nvidia.com": failed to call webhook: Post "https://nvidia-dra-driver-gpu-webhook.nvidia-dra-driver-gpu.svc:443/validate-resource-claim-parameters?timeout=10s": no endpoints available for service "nvidia-dra-driver-gpu-webhook"',
		pages: ["driver-webhook-unreachable"],
	},
];

/** Texts that are no message about claims: no page explains them. */
export const OTHER_TEXTS: readonly string[] = [
	"Back-off restarting failed container",
	'Internal error occurred: failed calling webhook "validate.nginx.ingress.kubernetes.io": failed to call webhook: Post "https://ingress-nginx-controller-admission.ingress-nginx.svc:443/networking/v1/ingresses?timeout=10s": dial tcp 10.96.1.2:443: connect: connection refused',
	'Internal error occurred: failed calling webhook "webhook.cert-manager.io": failed to call webhook: Post "https://cert-manager-webhook.cert-manager.svc:443/validate?timeout=30s": no endpoints available for service "cert-manager-webhook"',
	'admission webhook "validation.gatekeeper.sh" denied the request: [ns-must-have-gk] you must provide labels: {"gatekeeper"}',
	"tls: failed to verify certificate: x509: certificate signed by unknown authority",
	"the quick brown fox jumps over the lazy dog",
	"npm ERR! code ENOENT",
	'Failed to pull image "nginx:missing": rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.com/nginx:missing": not found',
	'MountVolume.SetUp failed for volume "config" : configmap "app-config" not found',
	"0/5 nodes are available: 2 node(s) didn't find available persistent volumes to bind, 3 node(s) had volume node affinity conflict.",
	"Liveness probe failed: HTTP probe failed with statuscode: 503",
	"error: You must be logged in to the server (Unauthorized)",
	"Readiness probe failed: dial tcp 10.244.1.7:8080: connect: connection refused",
	"thread 'main' panicked at src/main.rs:4:5: index out of bounds: the len is 3 but the index is 7",
	'E1130 09:14:02.118211       1 leaderelection.go:436] error retrieving resource lock kube-system/cert-manager-controller: Get "https://10.96.0.1:443/apis/coordination.k8s.io/v1": context deadline exceeded',
	"Please restart the computer and try again later",
	"0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
	'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
	'Error from server (Forbidden): error when creating "pod.yaml": pods "web" is forbidden: exceeded quota: compute, requested: cpu=1, used: cpu=4, limited: cpu=4',
	'Error: failed to start container: failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "foo": executable file not found in $PATH',
];
