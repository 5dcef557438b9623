import { DRIVER_SENTENCES } from "./driversentences.ts";
import type { SchedulerSentence } from "./sentences.ts";

/** The sentences of the kubelet, of drivers and of the API server about claims, by the names of their pages. */
export const NODE_SENTENCES: Record<string, SchedulerSentence> = {
	"dra-driver-not-registered": {
		message:
			"Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.example.com is not registered",
		constant: "DRA driver … is not registered",
		also: [
			"Failed to prepare dynamic resources: failed to get gRPC client for driver gpu.example.com: plugin name gpu.example.com not found in the list of registered DRA plugins",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod has its node and its devices, and the kubelet there finds no plugin of the driver that must prepare them.",
			causes: [
				"The driver's pod does not run on that node, or has not registered its socket yet.",
				"The driver was updated or the kubelet was restarted a moment ago.",
				"The name in the ResourceSlices is not the name that the plugin registers.",
			],
			todo: "Look at the driver's DaemonSet on that node and at its log. The kubelet tries again by itself once the plugin is there.",
		},
		zh: {
			meaning:
				"Pod 已有节点和设备，但该节点上的 kubelet 找不到负责准备这些设备的驱动插件。",
			causes: [
				"驱动的 Pod 没有在该节点上运行，或尚未注册其套接字。",
				"驱动刚刚更新，或 kubelet 刚刚重启。",
				"ResourceSlice 中的名称与插件注册的名称不同。",
			],
			todo: "检查该节点上驱动的 DaemonSet 及其日志。插件出现后，kubelet 会自行重试。",
		},
	},
	"node-prepare-resources-failed": {
		message:
			"Failed to prepare dynamic resources: NodePrepareResources failed for claim default/gpu: error preparing devices",
		constant: "NodePrepareResources failed for claim",
		also: [
			"Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim gpu: error preparing devices",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver on the node was asked to prepare the claim's devices and answered with an error. What follows is the driver's own text.",
			causes: [
				"The device is gone or broken since it was published.",
				"The opaque parameters of the claim or class are not ones that the driver accepts.",
				"Another container or a device plugin uses the device.",
				"The driver cannot write its CDI file.",
			],
			todo: "Read the driver's log on that node for the claim's uid. A pod stays in ContainerCreating until the call succeeds.",
		},
		zh: {
			meaning:
				"kubelet 请节点上的驱动准备申领的设备，驱动返回了错误。其后是驱动自己的文字。",
			causes: [
				"设备在发布之后消失或损坏。",
				"申领或设备类的不透明参数不被驱动接受。",
				"另一个容器或设备插件正在使用该设备。",
				"驱动无法写入其 CDI 文件。",
			],
			todo: "在该节点的驱动日志中查找该申领的 uid。调用成功之前，Pod 一直处于 ContainerCreating。",
		},
	},
	"node-unprepare-resources-failed": {
		message:
			"NodeUnprepareResources failed for claim default/gpu: context deadline exceeded",
		constant: "NodeUnprepareResources failed for claim",
		also: [
			"unprepare dynamic resources: NodeUnprepareResources failed for ResourceClaim gpu: context deadline exceeded",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod is over and the driver could not give the devices back. The pod stays terminating, and the claim keeps its devices.",
			causes: [
				"The driver's plugin does not run on the node any more.",
				"The driver waits for something that does not end.",
			],
			todo: "Bring the driver back on that node; the kubelet tries again. Deleting the pod by force leaves the device prepared.",
		},
		zh: {
			meaning:
				"Pod 已结束，但驱动无法归还设备。Pod 一直处于终止状态，申领仍占用设备。",
			causes: ["驱动插件已不在该节点上运行。", "驱动在等待不会结束的事情。"],
			todo: "恢复该节点上的驱动；kubelet 会重试。强制删除 Pod 会让设备停留在已准备状态。",
		},
	},
	"pod-not-allowed-to-use-claim": {
		message:
			"Failed to prepare dynamic resources: pod train-0(0c1d) is not allowed to use resource claim gpu(7a2e)",
		constant: "pod … is not allowed to use resource claim",
		also: [
			"Failed to prepare dynamic resources: prepare dynamic resources: pod train-0 (0c1d) is not allowed to use ResourceClaim gpu (7a2e)",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The kubelet starts a pod only if status.reservedFor of each of its claims names it, and this claim does not.",
			causes: [
				"The pod was bound to its node by hand or by another scheduler, which reserved nothing.",
				"The reservation was removed, or the claim was deleted and made again.",
				"The pod was made again with the same name and has another uid.",
			],
			todo: "Let kube-scheduler place the pod: remove spec.nodeName. If it was placed by it, look at status.reservedFor of the claim.",
		},
		zh: {
			meaning:
				"只有当每个申领的 status.reservedFor 都列出该 Pod 时，kubelet 才会启动它；这个申领没有。",
			causes: [
				"Pod 被手动或被其他调度器绑定到节点，没有预留申领。",
				"预留被移除，或申领被删除后重建。",
				"同名的 Pod 被重建，其 uid 不同。",
			],
			todo: "让 kube-scheduler 放置该 Pod：去掉 spec.nodeName。若由它放置，请查看申领的 status.reservedFor。",
		},
	},
	"claim-not-allocated-on-node": {
		message:
			"Failed to prepare dynamic resources: resource claim gpu is not allocated",
		constant: "resource claim … is not allocated",
		also: [
			"Failed to prepare dynamic resources: prepare dynamic resources: ResourceClaim gpu: not allocated",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod is on a node although its claim has no devices, so the kubelet cannot start it.",
			causes: [
				"spec.nodeName was written by hand or by a controller, so kube-scheduler never saw the pod.",
				"Another scheduler without the plugin for devices placed it.",
			],
			todo: "Remove spec.nodeName and use a node selector instead: the scheduler allocates the claim and then binds the pod.",
		},
		zh: {
			meaning: "Pod 已在节点上，但其申领没有设备，kubelet 无法启动它。",
			causes: [
				"spec.nodeName 由人或控制器写入，kube-scheduler 从未见过该 Pod。",
				"由没有设备插件的其他调度器放置。",
			],
			todo: "去掉 spec.nodeName，改用节点选择算符：调度器会先分配申领，再绑定 Pod。",
		},
	},
	"cdi-device-unresolvable": {
		message:
			"Error: failed to create containerd task: CDI device injection failed: unresolvable CDI devices k8s.gpu.example.com/claim=7a2e-gpu-0",
		constant: "unresolvable CDI devices",
		stage: "container runtime",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver prepared the claim and named CDI devices that the container runtime cannot find.",
			causes: [
				"The runtime does not have CDI switched on, or reads other directories than the driver writes.",
				"The driver's file in /var/run/cdi is gone, for example after a reboot.",
			],
			todo: "Compare the driver's CDI directory with the runtime's (cdi_spec_dirs) on that node.",
		},
		zh: {
			meaning: "驱动已准备申领并给出 CDI 设备，但容器运行时找不到它们。",
			causes: [
				"运行时没有启用 CDI，或读取的目录与驱动写入的不同。",
				"/var/run/cdi 中的文件已消失，例如重启之后。",
			],
			todo: "在该节点上比较驱动的 CDI 目录与运行时的目录（cdi_spec_dirs）。",
		},
	},
	"fields-dropped-by-apiserver": {
		message:
			"some fields were dropped by the apiserver, probably because these features are disabled: DRAPartitionableDevices DRAConsumableCapacity",
		constant: "some fields were dropped by the apiserver",
		stage: "driver",
		example: "capacity",
		en: {
			meaning:
				"The driver published a ResourceSlice, read it back, and found fewer fields: a feature gate of kube-apiserver is off, and the server drops what belongs to it.",
			causes: [
				"The gate is alpha in this release and nobody switched it on.",
				"The gate is on in kube-scheduler or the kubelet only: each component has its own.",
			],
			todo: "Switch the named gates on in kube-apiserver and kube-scheduler, or configure the driver so that it does not publish such devices.",
		},
		zh: {
			meaning:
				"驱动发布 ResourceSlice 后再次读取，发现字段变少：kube-apiserver 的某个特性门控关闭，服务器会丢弃相关字段。",
			causes: [
				"该门控在此发行版中是 alpha，没有启用。",
				"只在 kube-scheduler 或 kubelet 中启用：每个组件各有自己的门控。",
			],
			todo: "在 kube-apiserver 和 kube-scheduler 中启用所列门控，或配置驱动不发布此类设备。",
		},
	},
	"may-not-modify-resourceslices": {
		message:
			"resourceslices.resource.k8s.io is forbidden: this user running on node n1 may not modify cluster resourceslices",
		constant:
			"this user running on node … may not modify cluster resourceslices",
		stage: "admission policy of a driver",
		example: "gpu-pod",
		en: {
			meaning:
				"A ValidatingAdmissionPolicy that comes with the driver lets each node's plugin write slices of its own node only, and this write is another one's.",
			causes: [
				"The slice has no spec.nodeName, as slices of the network or of several nodes.",
				"The service account's token is not bound to a node, so the policy cannot tell which node asks.",
			],
			todo: "Publish slices without nodeName from a controller with a service account of its own, or correct the policy.",
		},
		zh: {
			meaning:
				"随驱动安装的 ValidatingAdmissionPolicy 只允许每个节点的插件写入本节点的切片，而这次写入不是。",
			causes: [
				"该切片没有 spec.nodeName，例如网络设备或多个节点的切片。",
				"服务账号的令牌没有绑定节点，策略无法得知是哪个节点。",
			],
			todo: "由使用自己服务账号的控制器发布没有 nodeName 的切片，或更正策略。",
		},
	},
	"resource-group-not-served": {
		message:
			'no matches for kind "ResourceClaim" in version "resource.k8s.io/v1beta1"',
		constant: "no matches for kind … in version resource.k8s.io/…",
		also: [
			'resource mapping not found for name: "gpu" namespace: "" from "claim.yaml": no matches for kind "ResourceClaim" in version "resource.k8s.io/v1beta1"',
			"failed to list *v1.ResourceSlice: the server could not find the requested resource",
			'error: the server doesn\'t have a resource type "resourceslices"',
			"Error from server (NotFound): the server could not find the requested resource (post resourceclaims.resource.k8s.io)",
		],
		stage: "kubectl",
		example: "v1beta1",
		en: {
			meaning: "The API server does not serve that version of the group.",
			causes: [
				"The manifest is of an older or newer version than the release serves.",
				"Beta versions of APIs are off by default, and alpha versions with them.",
				"The feature gate DynamicResourceAllocation is off.",
			],
			todo: "Convert the manifest to a version that the release serves, or set --runtime-config of kube-apiserver.",
		},
		zh: {
			meaning: "API 服务器不提供该组的这个版本。",
			causes: [
				"清单的版本比发行版提供的旧或新。",
				"测试版 API 默认关闭，alpha 版本也是。",
				"特性门控 DynamicResourceAllocation 关闭。",
			],
			todo: "把清单转换为该发行版提供的版本，或设置 kube-apiserver 的 --runtime-config。",
		},
	},
	"number-of-allocations-smaller-than-claims": {
		message: "number of allocations 1 is smaller than number of claims 2",
		constant: "number of allocations … is smaller than number of claims …",
		stage: "kube-scheduler",
		example: "gpu-pod",
		en: {
			meaning:
				"An inner check of kube-scheduler failed: it kept fewer results for the pod than the pod has claims. The manifest is not at fault.",
			causes: [
				"It was reported of pods that use an extended resource served by a class.",
			],
			todo: "Use the newest patch of the release. Meanwhile ask for all devices of the pod by claims.",
		},
		zh: {
			meaning:
				"kube-scheduler 的内部检查失败：它为 Pod 保存的结果少于 Pod 的申领数。这不是清单的问题。",
			causes: ["有报告称，使用由设备类提供的扩展资源的 Pod 会遇到它。"],
			todo: "使用该发行版的最新补丁。在此之前，请用申领请求 Pod 的全部设备。",
		},
	},
	"insufficient-extended-resource": {
		message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
		constant: "Insufficient nvidia.com/gpu",
		stage: "NodeResourcesFit",
		example: "extended",
		en: {
			meaning:
				"The pod asks for an extended resource, which a device plugin counts on each node, and no node has as many left.",
			causes: [
				"The device plugin does not run, so that nodes offer none.",
				"All are in use by other pods.",
				"A DRA driver took the place of the device plugin: the name is served only by a class with extendedResourceName, from 1.34 on.",
			],
			todo: "Look at status.allocatable of the nodes. With a DRA driver, ask by a claim, or give the class the name.",
		},
		zh: {
			meaning:
				"Pod 请求由设备插件在每个节点上计数的扩展资源，而没有节点剩余这么多。",
			causes: [
				"设备插件没有运行，节点不提供该资源。",
				"全部被其他 Pod 占用。",
				"DRA 驱动取代了设备插件：从 1.34 起，只有带 extendedResourceName 的设备类才提供该名称。",
			],
			todo: "查看节点的 status.allocatable。使用 DRA 驱动时，请用申领请求，或让设备类提供该名称。",
		},
	},
	"claim-exceeds-quota": {
		message:
			'error creating ResourceClaim: resourceclaims.resource.k8s.io "train-gpu-x7" is forbidden: exceeded quota: gpus, requested: gpu.example.com.deviceclass.resource.k8s.io/devices=2, used: 8, limited: 8',
		constant: "exceeded quota … deviceclass.resource.k8s.io/devices",
		also: [
			'Error from server (Forbidden): error when creating "pod.yaml": resourceclaims "gpu" is forbidden: exceeded quota: gpus, requested: gpu.example.com.deviceclass.resource.k8s.io/devices=1, used: gpu.example.com.deviceclass.resource.k8s.io/devices=2, limited: gpu.example.com.deviceclass.resource.k8s.io/devices=2',
			'PodResourceClaim gpu: create ResourceClaim : resourceclaims.resource.k8s.io "train-gpu-x7" is forbidden: exceeded quota: claims, requested: count/resourceclaims.resource.k8s.io=1, used: count/resourceclaims.resource.k8s.io=4, limited: count/resourceclaims.resource.k8s.io=4',
		],
		stage: "resource claim controller",
		example: "gpu-pod",
		en: {
			meaning:
				"A ResourceQuota of the namespace limits claims or devices of a class, and the claim that the controller wanted to make for the pod is more than is left.",
			causes: [
				"Other claims of the namespace use up the quota, also those that wait.",
				"A request with allocationMode All, or with alternatives, is charged with its worst case.",
			],
			todo: "Delete claims that nobody needs, ask for less, or raise the quota. The pod waits with “ResourceClaim not created yet”.",
		},
		zh: {
			meaning:
				"名字空间的 ResourceQuota 限制了申领数或某设备类的设备数，控制器要为 Pod 创建的申领超出了余量。",
			causes: [
				"名字空间中的其他申领（包括等待中的）用尽了配额。",
				"allocationMode 为 All 或带备选的请求按最坏情况计费。",
			],
			todo: "删除不需要的申领、请求更少，或提高配额。Pod 会以“ResourceClaim not created yet”等待。",
		},
	},
	"dra-plugin-unreachable": {
		message:
			'Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/lib/kubelet/plugins/gpu.example.com/dra.sock: connect: connection refused"',
		constant: "NodePrepareResources … code = Unavailable",
		also: [
			"NodePrepareResources failed: rpc error: code = Unavailable desc = connection error: dial unix dra.sock: connect: no such file or directory",
			'grpc: addrConn.createTransport failed to connect to {Addr: "/var/lib/kubelet/plugins/gpu.example.com/dra.sock"}. Err: connection error: dial unix dra.sock: connect: no such file or directory',
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The kubelet knows the driver's plugin and cannot reach its socket, so no device of the claim is prepared.",
			causes: [
				"The driver's pod ended or is being replaced, and its socket is still there.",
				"The plugin crashes when it is called.",
			],
			todo: "Look at the restarts of the driver's pod on that node and at its log with kubectl logs --previous. The kubelet tries again by itself.",
		},
		zh: {
			meaning:
				"kubelet 知道该驱动的插件，但无法连接其套接字，因此没有准备申领的任何设备。",
			causes: [
				"驱动的 Pod 已结束或正在被替换，而套接字仍然存在。",
				"插件在被调用时崩溃。",
			],
			todo: "查看该节点上驱动 Pod 的重启次数，并用 kubectl logs --previous 查看其日志。kubelet 会自行重试。",
		},
	},
	"node-prepare-timed-out": {
		message:
			"Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
		constant: "NodePrepareResources … code = DeadlineExceeded",
		also: [
			"Failed to prepare dynamic resources: NodePrepareResources failed: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver on the node did not answer within 45 seconds. The kubelet asks again until it does, and the pod stays in ContainerCreating.",
			causes: [
				"The driver waits for something: for other nodes of a ComputeDomain, for a daemon, for a process that holds the device.",
				"The device hangs while it is reset, partitioned or bound to another kernel driver.",
				"A kubelet of 1.34.0 stops reaching a driver after 30 idle minutes: use a later patch.",
			],
			todo: "Read the log of the driver's pod on that node for the claim's uid: it says what it waits for. For a ComputeDomain a few of these events are usual until all nodes are there.",
		},
		zh: {
			meaning:
				"节点上的驱动在 45 秒内没有回答。kubelet 会不断重试，Pod 停留在 ContainerCreating。",
			causes: [
				"驱动在等待：ComputeDomain 的其他节点、守护进程，或占用设备的进程。",
				"设备在重置、分区或绑定到另一个内核驱动时挂起。",
				"1.34.0 的 kubelet 在连接空闲 30 分钟后无法再访问驱动：请使用更新的补丁。",
			],
			todo: "在该节点的驱动日志中查找申领的 uid：它会说明在等待什么。对于 ComputeDomain，在所有节点就绪之前出现几次此事件是正常的。",
		},
	},
	"node-prepare-skipped": {
		message:
			"Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources skipped 1 ResourceClaims",
		constant: "NodePrepareResources skipped ResourceClaims",
		also: [
			"NodePrepareResources left out 1 claims",
			"NodePrepareResources returned result for unknown claim UID 7a2e",
			"NodeUnprepareResources skipped 1 ResourceClaims",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver answered without an error, but not for all claims that the kubelet asked about. That is a mistake of the driver.",
			causes: [
				"The driver ignores claims whose devices it does not know any more.",
				"It is too old for the fields of the claim.",
			],
			todo: "Update the driver, and report it to its authors with the log of the call.",
		},
		zh: {
			meaning:
				"驱动没有报错，但没有回答 kubelet 询问的全部申领。这是驱动的错误。",
			causes: [
				"驱动忽略了它不再认识其设备的申领。",
				"驱动太旧，不认识申领的字段。",
			],
			todo: "更新驱动，并附上调用日志向其作者报告。",
		},
	},
	"claim-not-fetched": {
		message:
			"Failed to prepare dynamic resources: prepare dynamic resources: fetch ResourceClaim train-0-gpu: the server could not find the requested resource",
		constant:
			"fetch ResourceClaim … the server could not find the requested resource",
		also: [
			"Failed to prepare dynamic resources: failed to fetch ResourceClaim train-0-gpu referenced by pod train-0: the server could not find the requested resource",
			'prepare dynamic resources: fetch ResourceClaim train-0-gpu: resourceclaims.resource.k8s.io "train-0-gpu" not found',
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The kubelet reads each claim from the API server before it prepares it, and the server did not give it.",
			causes: [
				"“could not find the requested resource”: the server does not serve the version of resource.k8s.io that this kubelet asks for. A kubelet of 1.33 or older knows beta versions only; those are off by default, and 1.34 brought v1.",
				"“not found”: the claim was deleted after the pod got its node.",
			],
			todo: "Compare the releases with kubectl get nodes -o wide and kubectl version, and the versions with kubectl api-versions. Bring the kubelet to the server's release, or serve the older version with --runtime-config of kube-apiserver.",
		},
		zh: {
			meaning:
				"kubelet 在准备之前从 API 服务器读取每个申领，而服务器没有给出。",
			causes: [
				"“could not find the requested resource”：服务器不提供该 kubelet 请求的 resource.k8s.io 版本。1.33 及更早的 kubelet 只认识测试版，而测试版默认关闭；v1 从 1.34 开始。",
				"“not found”：Pod 绑定节点后申领被删除。",
			],
			todo: "用 kubectl get nodes -o wide 和 kubectl version 比较版本，用 kubectl api-versions 查看所提供的 API 版本。把 kubelet 升级到服务器的版本，或用 kube-apiserver 的 --runtime-config 提供旧版本。",
		},
	},
	"claim-info-missing": {
		message:
			'"Unable to get container claim info state" err="unable to get information for ResourceClaim train-0-gpu"',
		constant: "unable to get information for ResourceClaim",
		also: [
			"unable to get claim info for claim train-0-gpu in namespace default",
			"internal error: unable to get claim info for ResourceClaim train-0-gpu in namespace default",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"Something asked the kubelet which devices the pod's containers have, and the kubelet has not prepared the claim. It follows from another failure and causes none.",
			causes: [
				"A monitoring agent uses the pod resources API while the pod waits in ContainerCreating.",
				"The pod was deleted with a grace period of zero, and the claim is already unprepared.",
			],
			todo: "Look for “Failed to prepare dynamic resources” of the same pod: kubectl describe pod shows why the claim is not prepared.",
		},
		zh: {
			meaning:
				"有程序询问 kubelet 该 Pod 的容器有哪些设备，而 kubelet 尚未准备该申领。它是另一个失败的结果，本身不造成问题。",
			causes: [
				"Pod 在 ContainerCreating 时，监控代理使用了 pod resources API。",
				"Pod 以零宽限期删除，申领已被撤销准备。",
			],
			todo: "查找同一 Pod 的“Failed to prepare dynamic resources”：kubectl describe pod 会显示申领为何没有准备好。",
		},
	},
	"old-claim-still-prepared": {
		message:
			"Failed to prepare dynamic resources: prepare dynamic resources: old ResourceClaim with same name train-0-gpu and different UID 7a2e still exists (previous pod force-deleted?!)",
		constant: "old ResourceClaim with same name and different UID still exists",
		also: [
			"prepare dynamic resources: ResourceClaim train-0-gpu is being unprepared",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The kubelet still has an earlier claim of that name prepared, and does not prepare the new one until the driver has taken the old one back.",
			causes: [
				"The earlier pod was deleted by force, and its claim was deleted and made again with its name.",
				"The driver cannot unprepare the old claim: look for NodeUnprepareResources in the log of the kubelet.",
				"“is being unprepared”: another pod that used the claim is ending just now.",
			],
			todo: "Wait for a minute. If it stays, bring the driver back on that node, so that it can unprepare the old claim. Pods from a template have claims with generated names and do not meet this.",
		},
		zh: {
			meaning:
				"kubelet 上同名的旧申领仍处于已准备状态；在驱动收回旧申领之前，不会准备新的。",
			causes: [
				"之前的 Pod 被强制删除，其申领被删除后以同名重建。",
				"驱动无法撤销旧申领的准备：在 kubelet 日志中查找 NodeUnprepareResources。",
				"“is being unprepared”：使用该申领的另一个 Pod 正在结束。",
			],
			todo: "等待一分钟。如果仍然如此，请恢复该节点上的驱动，使其能撤销旧申领的准备。由模板创建的申领名称是生成的，不会遇到此问题。",
		},
	},
	"unprepare-claim-not-created": {
		message:
			'unprepare dynamic resources: pod "default/train-0": ResourceClaim not created yet',
		constant: "unprepare dynamic resources: … ResourceClaim not created yet",
		stage: "kubelet",
		example: "template",
		en: {
			meaning:
				"The pod is over, and its status does not name the claim of its template. The kubelet does not know what to give back, and the pod stays in Terminating.",
			causes: [
				"A claim of the pod was never made, or could not be prepared, before the pod was deleted.",
				"Somebody overwrote status.resourceClaimStatuses of the pod.",
			],
			todo: "Look at status.resourceClaimStatuses of the pod. It was reported of 1.36.0; a kubelet of 1.37 asks first what it has prepared itself. Deleting the pod by force ends it; devices that were prepared stay so.",
		},
		zh: {
			meaning:
				"Pod 已结束，其状态没有写明由模板创建的申领。kubelet 不知道要归还什么，Pod 停留在 Terminating。",
			causes: [
				"Pod 被删除之前，它的某个申领从未创建，或未能准备。",
				"有人覆盖了 Pod 的 status.resourceClaimStatuses。",
			],
			todo: "查看 Pod 的 status.resourceClaimStatuses。该问题见于 1.36.0；1.37 的 kubelet 会先查看自己准备了什么。强制删除 Pod 可以结束它；已准备的设备会保持原状。",
		},
	},
	"kubelet-checkpoint-corrupted": {
		message:
			"failed to get checkpoint dra_manager_state: checkpoint is corrupted",
		constant: "failed to get checkpoint dra_manager_state",
		also: [
			"create ResourceClaim cache: GetOrCreate() on checkpoint state: failed to get checkpoint dra_manager_state: checkpoint is corrupted",
			"could not initialize checkpoint manager, please drain node and remove DRA state file",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The kubelet keeps the prepared claims in the file dra_manager_state, cannot read it, and does not start.",
			causes: [
				"The kubelet was upgraded or downgraded, and the other release wrote another format: so from 1.30 to 1.31.",
				"The node lost power or ran out of disk space while the file was written.",
			],
			todo: "Drain the node, remove /var/lib/kubelet/dra_manager_state, and start the kubelet. Without the drain it forgets devices of running pods, which nobody unprepares then.",
		},
		zh: {
			meaning:
				"kubelet 把已准备的申领保存在文件 dra_manager_state 中，现在无法读取它，因此不启动。",
			causes: [
				"kubelet 升级或降级，另一个版本写入了不同的格式：例如从 1.30 到 1.31。",
				"写入文件时节点断电或磁盘已满。",
			],
			todo: "排空节点，删除 /var/lib/kubelet/dra_manager_state，然后启动 kubelet。如果不排空，它会忘记运行中 Pod 的设备，之后没有人会撤销其准备。",
		},
	},
	"kubelet-has-no-dra": {
		message:
			"RegisterPlugin error -- no handler registered for plugin type: DRAPlugin at socket /var/lib/kubelet/plugins_registry/gpu.example.com-reg.sock",
		constant: "no handler registered for plugin type: DRAPlugin",
		also: [
			"failed registration process: RegisterPlugin error -- no handler registered for plugin type: DRAPlugin at socket gpu.example.com-reg.sock",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver wanted to register with the kubelet, which runs without dynamic resource allocation and refuses it.",
			causes: [
				"The feature gate DynamicResourceAllocation is off in the kubelet. It is off by default until 1.33, on from 1.34, and cannot be switched off from 1.35.",
				"The gate was set in the control plane only, or in a file that this kubelet does not read.",
			],
			todo: "Set featureGates.DynamicResourceAllocation in the kubelet's configuration and restart it. kubectl get --raw /api/v1/nodes/NAME/proxy/configz shows what it runs with.",
		},
		zh: {
			meaning:
				"驱动要向 kubelet 注册，而该 kubelet 没有启用动态资源分配，拒绝了它。",
			causes: [
				"kubelet 的特性门控 DynamicResourceAllocation 关闭。至 1.33 默认关闭，从 1.34 起默认启用，从 1.35 起不能关闭。",
				"只在控制平面设置了门控，或写在此 kubelet 不读取的文件中。",
			],
			todo: "在 kubelet 配置中设置 featureGates.DynamicResourceAllocation 并重启。kubectl get --raw /api/v1/nodes/NAME/proxy/configz 可显示其实际配置。",
		},
	},
	"plugin-services-unsupported": {
		message:
			'none of services supported by the plugin (["v1alpha4.Node"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])',
		constant:
			"none of services supported by the plugin are supported by the kubelet",
		also: [
			"invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint dra.sock: empty list of supported gRPC services (aka supported versions)",
		],
		stage: "kubelet",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver and the kubelet have no version of their gRPC interface in common, and the driver is not registered.",
			causes: [
				"The driver is older than the kubelet by several releases: the alpha interfaces of 1.31 are gone.",
				"The driver was built with a newer library and offers v1 only, which kubelets know from 1.34 on.",
			],
			todo: "Install a version of the driver that is made for the release of the node.",
		},
		zh: {
			meaning: "驱动与 kubelet 没有共同的 gRPC 接口版本，驱动没有注册。",
			causes: [
				"驱动比 kubelet 旧好几个版本：1.31 的 alpha 接口已不存在。",
				"驱动用更新的库构建，只提供 v1，而 kubelet 从 1.34 起才支持。",
			],
			todo: "安装适用于该节点版本的驱动。",
		},
	},
	"cdi-host-device-missing": {
		message:
			'Error: failed to create containerd container: CDI device injection failed: failed to stat CDI host device "/dev/dri/card0": no such file or directory',
		constant: "CDI device injection failed: failed to stat CDI host device",
		stage: "container runtime",
		example: "gpu-pod",
		en: {
			meaning:
				"The CDI file of the claim names a device file of the node that is not there.",
			causes: [
				"The device was bound to another kernel driver, such as vfio-pci, after the CDI file was written.",
				"The kernel driver is not loaded, or numbered its devices anew after a reboot.",
				"The device broke or was removed.",
			],
			todo: "Look for the file on the node, and for the files that name it in /etc/cdi and /var/run/cdi. Restart the driver's pod, so that it writes its files anew, and then the pod.",
		},
		zh: {
			meaning: "申领的 CDI 文件引用了节点上不存在的设备文件。",
			causes: [
				"写入 CDI 文件之后，设备被绑定到另一个内核驱动，例如 vfio-pci。",
				"内核驱动没有加载，或重启后设备重新编号。",
				"设备损坏或被移除。",
			],
			todo: "在节点上查找该设备文件，并在 /etc/cdi 和 /var/run/cdi 中查找引用它的文件。重启驱动的 Pod 使其重写文件，然后重启 Pod。",
		},
	},
	"resourceclaimtemplate-not-found": {
		message:
			'PodResourceClaim gpu: resource claim template "gpu-template": resourceclaimtemplate.resource.k8s.io "gpu-template" not found',
		constant: "resourceclaimtemplate.resource.k8s.io … not found",
		also: [
			'Warning  FailedResourceClaimCreation  resource_claim  PodResourceClaim gpu: resource claim template "gpu-template": resourceclaimtemplate.resource.k8s.io "gpu-template" not found',
		],
		stage: "resource claim controller",
		example: "template",
		en: {
			meaning:
				"kube-controller-manager cannot make the pod's claim, because the template that the pod names does not exist.",
			causes: [
				"The template is in another namespace than the pod.",
				"Its name is misspelled, or it was deleted before the claim was made.",
				"Another controller makes it, such as that of a ComputeDomain, and has not done so yet.",
			],
			todo: "Compare kubectl get resourceclaimtemplates -n NAMESPACE with resourceClaimTemplateName. Create the template: the controller tries again with growing pauses. Until then the pod waits with “ResourceClaim not created yet”.",
		},
		zh: {
			meaning:
				"Pod 引用的模板不存在，kube-controller-manager 无法创建 Pod 的申领。",
			causes: [
				"模板与 Pod 不在同一名字空间。",
				"名称拼写有误，或在创建申领之前被删除。",
				"模板由另一个控制器创建（例如 ComputeDomain 的控制器），而它尚未创建。",
			],
			todo: "把 kubectl get resourceclaimtemplates -n NAMESPACE 与 resourceClaimTemplateName 比较。创建该模板：控制器会以逐渐增大的间隔重试。在此之前，Pod 以“ResourceClaim not created yet”等待。",
		},
	},
	"template-feature-disabled": {
		message:
			"PodResourceClaim gpu: admin access is requested, but the feature is disabled",
		constant: "admin access is requested, but the feature is disabled",
		also: [
			"PodResourceClaim gpu: template includes a prioritized list of subrequests, but the feature is disabled",
			"FailedResourceClaimCreation PodResourceClaim gpu: claim gpu is a PodGroup claim but the DRAWorkloadResourceClaims feature is disabled",
		],
		stage: "resource claim controller",
		example: "prioritized",
		en: {
			meaning:
				"The template uses a feature that is off in kube-controller-manager, so no claim is made from it.",
			causes: [
				"The gate is on in kube-apiserver, which stored the template, and off in kube-controller-manager.",
				"The gate was switched off after the template was stored.",
			],
			todo: "Switch the gate on in all components: DRAAdminAccess is on by default from 1.34, DRAPrioritizedList from 1.34; DRAWorkloadResourceClaims is off by default in 1.36 and 1.37.",
		},
		zh: {
			meaning:
				"模板使用了 kube-controller-manager 中关闭的特性，因此不会由它创建申领。",
			causes: [
				"kube-apiserver 启用了门控并保存了模板，而 kube-controller-manager 没有启用。",
				"保存模板之后门控被关闭。",
			],
			todo: "在所有组件中启用该门控：DRAAdminAccess 和 DRAPrioritizedList 从 1.34 起默认启用；DRAWorkloadResourceClaims 在 1.36 和 1.37 中默认关闭。",
		},
	},
	"device-taint-eviction": {
		message:
			"Normal  DeviceTaintManagerEviction  pod/train-0  Marking for deletion",
		constant: "DeviceTaintManagerEviction: Marking for deletion",
		also: [
			"DeviceTaintManagerEviction Cancelling deletion",
			"DeviceTaintManagerEviction  pod/train-0  Marking for deletion",
		],
		stage: "device taint eviction controller",
		example: "gpu-pod",
		en: {
			meaning:
				"A device of the pod has a taint with the effect NoExecute that the claim does not tolerate. kube-controller-manager deletes the pod.",
			causes: [
				"The driver tainted a device that is broken or being maintained.",
				"Somebody created a DeviceTaintRule; one with an empty deviceSelector taints every device.",
			],
			todo: "Look at the taints in kubectl get resourceslices -o yaml, and at kubectl get devicetaintrules -o yaml where the cluster serves them. Tolerate the taint in the request, or remove it: “Cancelling deletion” says that the pod stays. On by default from 1.36.",
		},
		zh: {
			meaning:
				"Pod 的某个设备带有 NoExecute 效果的污点，而申领没有容忍它。kube-controller-manager 会删除该 Pod。",
			causes: [
				"驱动给损坏或维护中的设备加了污点。",
				"有人创建了 DeviceTaintRule；deviceSelector 为空的规则会给每个设备加污点。",
			],
			todo: "查看 kubectl get resourceslices -o yaml 中的污点；若集群提供 DeviceTaintRule，再查看 kubectl get devicetaintrules -o yaml。在请求中容忍该污点，或移除它：“Cancelling deletion”表示 Pod 会保留。从 1.36 起默认启用。",
		},
	},
	"resourceslices-may-not-be-listed": {
		message:
			'failed to list *v1.ResourceSlice: resourceslices.resource.k8s.io is forbidden: User "system:serviceaccount:kube-system:scheduler" cannot list resource "resourceslices" in API group "resource.k8s.io" at the cluster scope',
		constant:
			"cannot list resource resourceslices in API group resource.k8s.io",
		also: [
			'failed to list *v1.ResourceClaim: resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:kube-system:cluster-autoscaler" cannot list resource "resourceclaims" in API group "resource.k8s.io" at the cluster scope',
			'failed to list *v1.DeviceClass: deviceclasses.resource.k8s.io is forbidden: User "system:serviceaccount:kube-system:cluster-autoscaler" cannot list resource "deviceclasses" in API group "resource.k8s.io" at the cluster scope',
			'Error from server (Forbidden): deviceclasses.resource.k8s.io is forbidden: User "jane" cannot list resource "deviceclasses" in API group "resource.k8s.io" at the cluster scope',
		],
		stage: "kube-apiserver (RBAC)",
		example: "gpu-pod",
		en: {
			meaning:
				"A program watches claims, classes and slices, and its service account may not. It often waits for them and does nothing else meanwhile.",
			causes: [
				"A second scheduler, cluster autoscaler or controller was built for 1.34 or later, where it reads these objects by default, and its ClusterRole is older.",
				"The driver was installed without its ClusterRoleBinding, or into another namespace.",
			],
			todo: "Give its ClusterRole get, list and watch of deviceclasses, resourceclaims and resourceslices in resource.k8s.io. kubectl auth can-i list resourceslices --as=system:serviceaccount:NAMESPACE:NAME tells whether it is enough.",
		},
		zh: {
			meaning:
				"某个程序要监视申领、设备类和切片，而其服务账号没有权限。它往往一直等待，什么也不做。",
			causes: [
				"第二调度器、集群自动扩缩器或控制器为 1.34 及更新版本构建，默认读取这些对象，而其 ClusterRole 较旧。",
				"安装驱动时缺少 ClusterRoleBinding，或装到了另一个名字空间。",
			],
			todo: "在其 ClusterRole 中给予 resource.k8s.io 的 deviceclasses、resourceclaims 和 resourceslices 的 get、list 和 watch。用 kubectl auth can-i list resourceslices --as=system:serviceaccount:NAMESPACE:NAME 检查。",
		},
	},
	"claim-status-permission": {
		message:
			'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[associated-node:patch arbitrary-node:patch]" permission',
		constant: "changing status.devices requires … permission",
		also: [
			'status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:team-a:scheduler" cannot update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
			'User "system:serviceaccount:kube-system:driver" cannot associated-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io"',
		],
		stage: "kube-apiserver",
		example: "gpu-pod",
		en: {
			meaning:
				"From 1.36 on the right to update resourceclaims/status is not enough: each part of the status needs one more.",
			causes: [
				"A driver writes status.devices without resourceclaims/driver. On the claim's node the verbs are associated-node:update and associated-node:patch, elsewhere arbitrary-node:update and arbitrary-node:patch; the resource name is the driver's.",
				"A scheduler or controller writes status.allocation or status.reservedFor without update and patch of resourceclaims/binding.",
			],
			todo: "Add the rule to the ClusterRole: releases before 1.36 ignore it. The feature gate is DRAResourceClaimGranularStatusAuthorization.",
		},
		zh: {
			meaning:
				"从 1.36 起，仅有更新 resourceclaims/status 的权限不够：状态的各部分还需要另外的权限。",
			causes: [
				"驱动写入 status.devices，但没有 resourceclaims/driver 权限。在申领所在节点上动词为 associated-node:update 和 associated-node:patch，其他情况为 arbitrary-node:update 和 arbitrary-node:patch；资源名是驱动名。",
				"调度器或控制器写入 status.allocation 或 status.reservedFor，但没有 resourceclaims/binding 的 update 和 patch 权限。",
			],
			todo: "在 ClusterRole 中加入该规则：1.36 之前的版本会忽略它。特性门控为 DRAResourceClaimGranularStatusAuthorization。",
		},
	},
	"parameters-kind-not-served": {
		message:
			'no matches for kind "GpuClaimParameters" in version "gpu.resource.nvidia.com/v1alpha1"',
		constant: "no matches for kind GpuClaimParameters",
		also: [
			'resource mapping not found for name: "gpu" namespace: "demo" from "claim.yaml": no matches for kind "GpuClaimParameters" in version "gpu.resource.nvidia.com/v1alpha1"',
			'no matches for kind "MigDeviceClaimParameters" in version "gpu.resource.nvidia.com/v1alpha1"',
			'no matches for kind "GpuClassParameters" in version "gpu.resource.intel.com/v1alpha2"',
		],
		stage: "kubectl",
		example: "v1beta1",
		en: {
			meaning:
				"The manifest has an object with parameters for classic DRA (until 1.31), and the cluster does not know its kind.",
			causes: [
				"The example is older than the driver: newer drivers have no such CustomResourceDefinitions.",
				"The driver is not installed.",
			],
			todo: "Use the examples of the driver's version that is installed. In the API from 1.31 on the wishes go into selectors of the request, and settings into opaque parameters of config: the playground converts claims with their parameters.",
		},
		zh: {
			meaning: "清单含有经典 DRA（至 1.31）的参数对象，而集群不认识其类型。",
			causes: [
				"示例比驱动旧：新的驱动没有这些 CustomResourceDefinition。",
				"驱动没有安装。",
			],
			todo: "请使用与已安装驱动版本对应的示例。在 1.31 起的 API 中，要求写在请求的选择器里，设置写在 config 的不透明参数里：演练场可以连同参数一起转换申领。",
		},
	},
	...DRIVER_SENTENCES,
};
