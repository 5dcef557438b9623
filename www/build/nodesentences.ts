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
};
