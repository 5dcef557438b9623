import { NODE_SENTENCES } from "./nodesentences.ts";
import type { SchedulerSentence } from "./sentences.ts";

/** The sentences about a pod with claims, by the names of their pages: kube-scheduler's, and those of nodes and drivers. */
export const SENTENCES: Record<string, SchedulerSentence> = {
	"cannot-allocate-all-claims": {
		message: "0/3 nodes are available: 3 cannot allocate all claims.",
		constant: "cannot allocate all claims",
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The scheduler tried to find devices for every claim of the pod on each node, and found too few on all of them.",
			causes: [
				"The devices of the node are allocated to other claims.",
				"A CEL selector of the class or of the request is false for them, or fails.",
				"They are tainted and the request tolerates no such taint.",
				"Capacity or counters that they share are used up.",
				"A constraint such as matchAttribute finds no common value.",
				"The pool of the driver is incomplete: slices are missing or of an old generation.",
			],
			todo: "The sentence does not say which of these it is. Give the page the pods, claims, classes, slices and nodes: it shows for each node at which step the devices go, and which single change helps.",
		},
		zh: {
			meaning:
				"调度器在每个节点上为 Pod 的全部资源申领寻找设备，但在所有节点上都不够。",
			causes: [
				"节点上的设备已分配给其他申领。",
				"设备类或请求的 CEL 选择器对这些设备为假，或求值失败。",
				"设备有污点，而请求没有相应的容忍。",
				"设备共享的容量或计数器已用尽。",
				"matchAttribute 等约束没有共同的值。",
				"驱动的资源池不完整：缺少切片，或切片属于旧的世代。",
			],
			todo: "这句话没有说明是哪一种。把 Pod、申领、设备类、资源切片和节点交给本页：它会显示每个节点上设备在哪一步被排除，以及哪一处更改有用。",
		},
	},
	"resourceclaim-not-available-on-the-node": {
		message:
			"0/3 nodes are available: 3 resourceclaim not available on the node.",
		constant: "resourceclaim not available on the node",
		stage: "Filter",
		example: "scheduling",
		en: {
			meaning:
				"A claim of the pod is allocated already, and its node selector excludes the node.",
			causes: [
				"The claim was allocated for another pod on another node, and its devices are on that node only.",
				"The labels of the node changed after the allocation.",
			],
			todo: "Look at status.allocation.nodeSelector of the claim. A claim that no pod uses any more can be deallocated; one from a template belongs to one pod.",
		},
		zh: {
			meaning: "Pod 的某个申领已经分配，其节点选择算符排除了该节点。",
			causes: [
				"申领是为另一个节点上的另一个 Pod 分配的，设备只在那个节点上。",
				"分配之后节点的标签发生了变化。",
			],
			todo: "查看申领的 status.allocation.nodeSelector。不再有 Pod 使用的申领可以解除分配；由模板创建的申领只属于一个 Pod。",
		},
	},
	"resourceclaim-must-be-reallocated": {
		message: "resourceclaim must be reallocated",
		constant: "resourceclaim must be reallocated",
		stage: "PreFilter",
		example: "scheduling",
		en: {
			meaning:
				"A driver was asked to deallocate the claim: status.deallocationRequested is set, so it cannot be used until that is done.",
			causes: [
				"The control plane controller of a driver (classic DRA, until 1.31) has not deallocated the claim yet.",
			],
			todo: "Look whether the controller of the driver runs. Only classic DRA has the field: until 1.31, and in 1.31 with the feature gate DRAControlPlaneController.",
		},
		zh: {
			meaning:
				"已要求驱动解除该申领的分配：status.deallocationRequested 已设置，完成之前不能使用它。",
			causes: ["驱动的控制平面控制器（经典 DRA，至 1.31）还没有解除分配。"],
			todo: "检查驱动的控制器是否在运行。只有经典 DRA 有此字段：至 1.31 为止，在 1.31 中需要启用特性门控 DRAControlPlaneController。",
		},
	},
	"resourceclaim-cannot-be-allocated-for-the-node": {
		message:
			"0/3 nodes are available: 3 resourceclaim cannot be allocated for the node (unsuitable).",
		constant: "resourceclaim cannot be allocated for the node (unsuitable)",
		stage: "Filter",
		example: "placement",
		en: {
			meaning:
				"The driver has put the node into the unsuitable nodes of the pod's scheduling context.",
			causes: [
				"The driver has no free resource for the claim on that node.",
				"The suitableNodes of the ResourceClass exclude it.",
			],
			todo: "Only the driver knows why. Look at the PodSchedulingContext of the pod, and at the driver's log.",
		},
		zh: {
			meaning: "驱动已把该节点列入 Pod 调度上下文的不适用节点。",
			causes: [
				"驱动在该节点上没有可用于申领的空闲资源。",
				"ResourceClass 的 suitableNodes 排除了它。",
			],
			todo: "原因只有驱动知道。请查看 Pod 的 PodSchedulingContext 和驱动的日志。",
		},
	},
	"resourceclaim-is-being-deleted": {
		message: 'resourceclaim "gpu" is being deleted',
		constant: "is being deleted",
		stage: "PreEnqueue",
		example: "gpu-pod",
		en: {
			meaning:
				"The claim has a deletion timestamp: it goes away once no pod uses it, and no new pod may use it until then.",
			causes: ["Somebody deleted the claim while another pod still uses it."],
			todo: "Wait until the pods that are in status.reservedFor are gone, then create the claim again.",
		},
		zh: {
			meaning:
				"申领已有删除时间戳：没有 Pod 使用后它就会消失，在此之前新的 Pod 不能使用它。",
			causes: ["有人删除了申领，而另一个 Pod 仍在使用它。"],
			todo: "等待 status.reservedFor 中的 Pod 消失，然后重新创建申领。",
		},
	},
	"resourceclaim-not-created-yet": {
		message: 'pod "research/train-0": ResourceClaim not created yet',
		constant: "ResourceClaim not created yet",
		stage: "PreEnqueue",
		example: "template",
		en: {
			meaning:
				"The pod names a ResourceClaimTemplate, and the controller has not made its claim yet.",
			causes: [
				"The template does not exist in the namespace of the pod.",
				"kube-controller-manager does not run, or has the resource claim controller off.",
				"The controller was refused: look at the events of the pod.",
			],
			todo: "Check that the template is in the same namespace and has the name in resourceClaimTemplateName.",
		},
		zh: {
			meaning: "Pod 引用了 ResourceClaimTemplate，但控制器还没有创建其申领。",
			causes: [
				"模板不在 Pod 的名字空间中。",
				"kube-controller-manager 没有运行，或关闭了资源申领控制器。",
				"控制器被拒绝：请查看 Pod 的事件。",
			],
			todo: "检查模板是否在同一名字空间，名称是否与 resourceClaimTemplateName 一致。",
		},
	},
	"waiting-for-dynamic-resource-controller": {
		message:
			'waiting for dynamic resource controller to create the resourceclaim "train-0-gpu"',
		constant:
			"waiting for dynamic resource controller to create the resourceclaim",
		stage: "PreEnqueue",
		example: "template",
		en: {
			meaning:
				"The claim that is made from the pod's template is not there yet (releases before 1.31 say it so).",
			causes: [
				"The template does not exist in the namespace of the pod.",
				"The resource claim controller does not run.",
			],
			todo: "The same as for “ResourceClaim not created yet”: check the name and the namespace of the template.",
		},
		zh: {
			meaning: "由 Pod 模板创建的申领还不存在（较早版本的说法）。",
			causes: ["模板不在 Pod 的名字空间中。", "资源申领控制器没有运行。"],
			todo: "与“ResourceClaim not created yet”相同：检查模板的名称和名字空间。",
		},
	},
	"resourceclaim-not-found": {
		message: 'resourceclaim.resource.k8s.io "gpu" not found',
		constant: "resourceclaim.resource.k8s.io not found",
		also: [
			'Error from server (NotFound): resourceclaims.resource.k8s.io "gpu" not found',
			'could not find ResourceClaim "research/gpu"',
		],
		stage: "PreEnqueue",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod names a claim in resourceClaimName that is not in its namespace.",
			causes: [
				"The claim is in another namespace: claims cannot be used across namespaces.",
				"The name has a typing error.",
				"The manifest of the claim was refused.",
			],
			todo: "Open pod and claims together: the page names the claim that is missing and those of a similar name.",
		},
		zh: {
			meaning: "Pod 在 resourceClaimName 中引用的申领不在其名字空间中。",
			causes: [
				"申领在另一个名字空间：申领不能跨名字空间使用。",
				"名称有拼写错误。",
				"申领的清单被拒绝了。",
			],
			todo: "把 Pod 和申领一起打开：本页会指出缺少的申领以及名称相近的申领。",
		},
	},
	"waiting-for-resource-driver": {
		message: "waiting for resource driver to allocate resource",
		constant: "waiting for resource driver to allocate resource",
		stage: "Reserve",
		example: "scheduling",
		en: {
			meaning:
				"The scheduler has chosen a node, and the driver's controller must allocate the claim for it (classic DRA, v1alpha2).",
			causes: [
				"The controller of the driver does not run.",
				"The driver cannot allocate on the chosen node and has not said so yet.",
			],
			todo: "Look at the PodSchedulingContext of the pod and at the log of the driver's controller. “waiting for resource driver to provide information” is the step before.",
		},
		zh: {
			meaning:
				"调度器已选定节点，需要驱动的控制器为其分配申领（经典 DRA，v1alpha2）。",
			causes: [
				"驱动的控制器没有运行。",
				"驱动无法在所选节点上分配，但还没有报告。",
			],
			todo: "查看 Pod 的 PodSchedulingContext 和驱动控制器的日志。“waiting for resource driver to provide information”是前一步。",
		},
	},
	"resourceclaim-in-use": {
		message: "0/3 nodes are available: resourceclaim in use.",
		constant: "resourceclaim in use",
		stage: "PreFilter",
		example: "v1alpha1",
		en: {
			meaning: "The claim is not shareable, and another pod has reserved it.",
			causes: [
				"Two pods name the same claim, which one consumer may use at a time (v1alpha1 and v1alpha2).",
			],
			todo: "Give each pod a claim of its own with a ResourceClaimTemplate, or make the claim shareable where the driver can.",
		},
		zh: {
			meaning: "申领不可共享，而另一个 Pod 已经预留了它。",
			causes: [
				"两个 Pod 引用同一个申领，而它一次只能由一个使用者使用（v1alpha1 和 v1alpha2）。",
			],
			todo: "用 ResourceClaimTemplate 给每个 Pod 各自的申领，或在驱动支持时让申领可共享。",
		},
	},
	"depends-on-disabled-control-plane-controller": {
		message:
			"resourceclaim depends on disabled DRAControlPlaneController feature",
		constant:
			"resourceclaim depends on disabled DRAControlPlaneController feature",
		stage: "PreFilter",
		example: "v1alpha1",
		en: {
			meaning:
				"The claim was allocated by a driver's controller, and the feature gate that allows this is off.",
			causes: [
				"The cluster was upgraded and the claim names a controller of classic DRA.",
			],
			todo: "Classic DRA is gone from 1.32 on: use a driver that publishes ResourceSlices, and convert the claims.",
		},
		zh: {
			meaning: "申领由驱动的控制器分配，而允许这样做的特性门控已关闭。",
			causes: ["集群已升级，而申领引用了经典 DRA 的控制器。"],
			todo: "经典 DRA 自 1.32 起不再存在：请使用发布 ResourceSlice 的驱动，并转换申领。",
		},
	},
	"exceeds-the-claim-limit": {
		message:
			"claim research/gpus: number of requested devices 40 exceeds the claim limit of 32",
		constant: "number of requested devices exceeds the claim limit of 32",
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"A claim may get 32 devices at most, all its requests together; this error ends the attempt for all nodes.",
			causes: [
				"The counts of the requests add up to more than 32.",
				"allocationMode All matches more than 32 devices on a node.",
			],
			todo: "Split the request over several claims of the pod, or select fewer devices.",
		},
		zh: {
			meaning:
				"一个申领的全部请求合计最多得到 32 个设备；此错误会终止对所有节点的尝试。",
			causes: [
				"各请求的数量之和超过 32。",
				"allocationMode All 在某个节点上匹配了超过 32 个设备。",
			],
			todo: "把请求分到 Pod 的多个申领中，或选择更少的设备。",
		},
	},
	"device-class-does-not-exist": {
		message:
			"0/2 nodes are available: request gpu: device class gpu.example.com does not exist.",
		constant: "device class does not exist",
		stage: "PreFilter",
		example: "gpu-pod",
		en: {
			meaning:
				"A request of the pod's claim names a DeviceClass that the cluster does not have, so no node is looked at.",
			causes: [
				"The driver was not installed, or its chart creates classes of another name.",
				"The name is misspelled: names of classes are compared letter by letter.",
				"The class was deleted while the claim waited.",
			],
			todo: "List the classes with kubectl get deviceclasses. Create the class or correct deviceClassName; a claim cannot be changed, so delete it, or the pod whose template made it.",
		},
		zh: {
			meaning:
				"Pod 的申领中有请求指定了集群中不存在的 DeviceClass，因此不会检查任何节点。",
			causes: [
				"驱动没有安装，或其安装包创建的设备类用了别的名称。",
				"名称拼写有误：设备类的名称逐字比较。",
				"申领等待期间设备类被删除。",
			],
			todo: "用 kubectl get deviceclasses 列出设备类。创建该类，或更正 deviceClassName；申领不能修改，请删除申领，或删除由模板创建它的 Pod。",
		},
	},
	"resource-pool-being-updated": {
		message:
			'running "DynamicResources" filter plugin: claim team-a/all, request gpu: asks for all devices, but resource pool gpu.example.com/node-1 is currently being updated',
		constant: "resource pool is currently being updated",
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The request has allocationMode All, and the pool of the node has fewer ResourceSlices of its newest generation than it announces. The scheduler waits, because it cannot know all devices.",
			causes: [
				"The driver is publishing its slices, which takes a moment.",
				"The driver stopped in the middle, or one of its slices was refused by the API server.",
				"resourceSliceCount is larger than the number of slices.",
			],
			todo: "Compare spec.pool.resourceSliceCount with the slices of that pool and generation. If the number stays too small, look into the log of the driver: a refused slice is reported there.",
		},
		zh: {
			meaning:
				"请求的 allocationMode 为 All，而节点的资源池中最新世代的 ResourceSlice 少于其宣布的数量。调度器会等待，因为它无法得知全部设备。",
			causes: [
				"驱动正在发布切片，需要片刻。",
				"驱动中途停止，或其中一个切片被 API 服务器拒绝。",
				"resourceSliceCount 大于切片的数量。",
			],
			todo: "把 spec.pool.resourceSliceCount 与该池、该世代的切片数量比较。如果数量一直太少，请查看驱动的日志：被拒绝的切片会在那里报告。",
		},
	},
	"resource-pool-invalid": {
		message:
			'running "DynamicResources" filter plugin: claim team-a/all, request gpu: asks for all devices, but resource pool gpu.example.com/node-1 is currently invalid',
		constant: "resource pool is currently invalid",
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The request has allocationMode All, and a pool of the node contradicts itself, so the scheduler does not use it.",
			causes: [
				"Two devices of the pool have one name.",
				"A device consumes a counter set that the pool does not have.",
				"Slices of one generation disagree about the pool.",
			],
			todo: "The audit names the device or the counter that is wrong. The driver has to publish the pool again; requests with a count use other pools meanwhile.",
		},
		zh: {
			meaning:
				"请求的 allocationMode 为 All，而节点的某个资源池自相矛盾，调度器不使用它。",
			causes: [
				"池中有两个设备同名。",
				"设备消耗了池中没有的计数器集。",
				"同一世代的切片对资源池说法不一。",
			],
			todo: "盘点会指出有问题的设备或计数器。需要由驱动重新发布资源池；指定数量的请求此时会使用其他池。",
		},
	},
	"consumable-capacity-disabled": {
		message:
			'running "DynamicResources" filter plugin: claim team-a/share, request gpu: has capacity requests, but the DRAConsumableCapacity feature is disabled',
		constant:
			"has capacity requests, but the DRAConsumableCapacity feature is disabled",
		stage: "Filter",
		example: "capacity",
		en: {
			meaning:
				"The claim asks for a part of a device's capacity, and the scheduler runs without the feature gate for it. The attempt ends with an error for all nodes.",
			causes: [
				"The gate DRAConsumableCapacity is off by default in this release.",
				"It is on in the API server, which accepted the field, and off in the scheduler.",
			],
			todo: "Switch the gate on in every component, or remove capacity from the request. The playground answers for each release with the gate on or off.",
		},
		zh: {
			meaning:
				"申领请求设备容量的一部分，而调度器没有启用相应的特性门控。此次尝试对所有节点都以错误结束。",
			causes: [
				"DRAConsumableCapacity 在此版本中默认关闭。",
				"API 服务器启用了它并接受了该字段，而调度器没有启用。",
			],
			todo: "在每个组件中启用该门控，或从请求中去掉 capacity。演练场可按任一版本、门控开或关给出答案。",
		},
	},
	"prioritized-list-disabled": {
		message:
			"0/3 nodes are available: resource claim team-a/best, request gpu: has subrequests, but the DRAPrioritizedList feature is disabled.",
		constant: "has subrequests, but the DRAPrioritizedList feature is disabled",
		stage: "PreFilter",
		example: "prioritized",
		en: {
			meaning:
				"The claim has a prioritized list in firstAvailable, and the scheduler runs without the feature gate for it, so it looks at no node.",
			causes: [
				"The gate DRAPrioritizedList is off by default in Kubernetes 1.33.",
				"It was switched off in the scheduler, but not in the API server.",
			],
			todo: "Switch the gate on in the scheduler, or write one request with exactly instead of the list.",
		},
		zh: {
			meaning:
				"申领在 firstAvailable 中写了优先级列表，而调度器没有启用相应的特性门控，因此不会检查任何节点。",
			causes: [
				"DRAPrioritizedList 在 Kubernetes 1.33 中默认关闭。",
				"调度器中关闭了它，而 API 服务器中没有关闭。",
			],
			todo: "在调度器中启用该门控，或用一个 exactly 请求代替列表。",
		},
	},
	"selector-no-such-key": {
		message:
			'running "DynamicResources" filter plugin: class gpu.example.com: selector #0 on device gpu.example.com/node-1/gpu-0: CEL runtime error: no such key: model. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields',
		constant:
			"CEL runtime error: no such key, consider using CEL optional chaining or guarding the check with has()",
		also: [
			"CEL runtime error: no such key: model",
			"claim team-a/train, request gpu: selector #0 on device gpu.example.com/node-1/gpu-0: CEL runtime error: no such key: model",
		],
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"A selector reads an attribute or a capacity that a device does not have. That is an error and not false: it ends the attempt for all nodes.",
			causes: [
				"The name is misspelled, or is in another domain than the driver's.",
				"Some devices of the driver publish it and others do not.",
				"The driver was updated and publishes other names.",
			],
			todo: "Guard the read, for instance with has() or with .? and orValue(). The playground names the devices without the value, the names that are like it, and a guarded expression.",
		},
		zh: {
			meaning:
				"选择器读取了设备没有的属性或容量。这是错误而不是假：它使此次尝试对所有节点都结束。",
			causes: [
				"名称拼写有误，或所在的域与驱动的不同。",
				"驱动的部分设备发布了它，另一些没有。",
				"驱动更新后发布的名称不同。",
			],
			todo: "给读取加上保护，例如 has()，或 .? 与 orValue()。演练场会列出没有该值的设备、相似的名称，以及加了保护的表达式。",
		},
	},
	"node-selector-terms": {
		message:
			'running "DynamicResources" filter plugin: create NodeSelector for claim link: unsupported ResourceSlice.NodeSelector with 2 terms',
		constant: "unsupported ResourceSlice.NodeSelector with 2 terms",
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The scheduler chose a device whose node selector has several terms. The API server accepts such a slice, but the scheduler cannot write the allocation, and the attempt ends with an error.",
			causes: [
				"A driver of devices outside of nodes published a selector with several nodeSelectorTerms.",
				"perDeviceNodeSelection is used, and one device has such a selector.",
			],
			todo: "Write one term with the operator In and several values instead. Every pod that would get such a device fails until the driver does so.",
		},
		zh: {
			meaning:
				"调度器选中的设备，其节点选择算符有多个条件。API 服务器接受这样的切片，但调度器无法写出分配结果，此次尝试以错误结束。",
			causes: [
				"节点外设备的驱动发布了含多个 nodeSelectorTerms 的选择算符。",
				"使用了 perDeviceNodeSelection，而其中一个设备带有这样的选择算符。",
			],
			todo: "改为一个条件，用 In 运算符列出多个值。在驱动改正之前，凡会得到该设备的 Pod 都会失败。",
		},
	},
	"deallocation-completed": {
		message:
			"1 resourceclaim not available on the node. deallocation of ResourceClaim completed",
		constant: "deallocation of ResourceClaim completed",
		stage: "PostFilter",
		example: "many-pods",
		en: {
			meaning:
				"A claim of the pod was allocated for a node that the pod cannot use, and nobody used the claim. The scheduler gave its devices back and tries the pod again.",
			causes: [
				"The pod that used the claim has ended, and the claim kept its devices.",
				"The node of the devices became full, cordoned or tainted since the allocation.",
			],
			todo: "Nothing: the next attempt allocates the claim anew. If the message comes again and again, something else keeps the pod off the nodes that have devices.",
		},
		zh: {
			meaning:
				"Pod 的某个申领已为该 Pod 不能使用的节点分配，且没有人使用它。调度器退回了它的设备，并再次尝试该 Pod。",
			causes: [
				"使用该申领的 Pod 已结束，而申领仍占有设备。",
				"分配之后，设备所在的节点已满、被封锁或有了污点。",
			],
			todo: "无需处理：下一次尝试会重新分配。如果该消息反复出现，说明还有别的原因使 Pod 不能用那些有设备的节点。",
		},
	},
	"not-created-for-pod": {
		message:
			"ResourceClaim team-a/train-gpu was not created for Pod team-a/train (Pod is not owner)",
		constant: "ResourceClaim was not created for Pod (Pod is not owner)",
		stage: "PreFilter",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod's status names a claim made from a template, but the claim belongs to another object. The scheduler refuses to use it.",
			causes: [
				"The pod was deleted and created again with its name, and the old claim is still there.",
				"Somebody created a claim by hand under the generated name.",
				"The objects were restored from a backup, and uids differ.",
			],
			todo: "Compare the uid in metadata.ownerReferences of the claim with that of the pod. Delete the claim, and kube-controller-manager makes one for the pod.",
		},
		zh: {
			meaning:
				"Pod 的状态指定了由模板创建的申领，但该申领属于另一个对象。调度器拒绝使用它。",
			causes: [
				"Pod 被删除后以同名重新创建，而旧申领仍然存在。",
				"有人以生成的名称手动创建了申领。",
				"对象由备份恢复，uid 不同。",
			],
			todo: "比较申领 metadata.ownerReferences 中的 uid 与 Pod 的 uid。删除该申领，kube-controller-manager 会为 Pod 创建新的。",
		},
	},
	"allocation-timed-out": {
		message: "0/2 nodes are available: 2 timed out trying to allocate devices.",
		constant: "timed out trying to allocate devices",
		also: [
			'running "DynamicResources" filter plugin: node node-1: timed out trying to allocate devices',
		],
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The scheduler searched for devices on the node and stopped after ten seconds. There may be an answer: it was not found in time.",
			causes: [
				"The claim asks for many devices with a constraint, and very many combinations have to be tried.",
				"The node has hundreds of devices of which no combination fits.",
				"filterTimeout of the plugin DynamicResources is shorter than its default of 10s.",
			],
			todo: "Ask for fewer devices in a claim, or select them more narrowly. Until 1.35 the node counts as unsuitable, and the pod waits for a change in the cluster; from 1.36 on the attempt ends with an error that names the node, and the pod is tried again soon. The limit came with 1.34.",
		},
		zh: {
			meaning:
				"调度器在节点上寻找设备，十秒后停止。可能存在答案，只是没有及时找到。",
			causes: [
				"申领请求许多设备并带有约束，需要尝试的组合非常多。",
				"节点有数百个设备，却没有任何组合满足要求。",
				"插件 DynamicResources 的 filterTimeout 短于默认的 10s。",
			],
			todo: "在一个申领中请求更少的设备，或更精确地选择。至 1.35，该节点视为不合适，Pod 等待集群变化；从 1.36 起，此次尝试以指明节点的错误结束，Pod 很快会再次尝试。此限制从 1.34 开始。",
		},
	},
	"claim-being-allocated": {
		message:
			"0/3 nodes are available: resource claim team-a/shared-gpu is in the process of being allocated.",
		constant: "resource claim is in the process of being allocated",
		stage: "PreFilter",
		example: "gpu-pod",
		en: {
			meaning:
				"Several pods name the same claim. The scheduler has chosen devices for it with another pod, and the API server has not stored that yet.",
			causes: [
				"The pods were created together, which is usual.",
				"The other pod waits for the binding conditions of its devices, which can take minutes.",
				"The pods are one gang (PodGroup) in 1.35, where each waits for the other without end.",
			],
			todo: "Wait: the pod is tried again once the claim is stored. If it lasts, look at the events of the other pods that use the claim.",
		},
		zh: {
			meaning:
				"多个 Pod 引用同一个申领。调度器已随另一个 Pod 为它选择设备，但 API 服务器尚未保存。",
			causes: [
				"这些 Pod 是同时创建的，这很常见。",
				"另一个 Pod 在等待其设备的绑定条件，可能需要几分钟。",
				"这些 Pod 在 1.35 中属于同一个成组调度（PodGroup），会无休止地互相等待。",
			],
			todo: "请等待：申领保存后会再次尝试该 Pod。如果持续很久，请查看使用该申领的其他 Pod 的事件。",
		},
	},
	"device-binding-failed": {
		message:
			'running PreBind plugin "DynamicResources": device binding timeout: claim=train-0-gpu',
		constant: "device binding timeout, device binding failed",
		also: [
			'running PreBind plugin "DynamicResources": device binding failed: claim=train-0-gpu, reason=AttachFailed, message="the fabric refused the device"',
			"waiting for binding conditions for device on node node-1",
		],
		stage: "PreBind",
		example: "gpu-pod",
		en: {
			meaning:
				"The chosen devices have binding conditions: somebody has to attach or prepare them before the pod gets its node. That failed, or took too long. The scheduler gives the devices back and begins again.",
			causes: [
				"The controller of the driver that attaches devices does not run, or may not write status.devices of the claim.",
				"It set one of the bindingFailureConditions; its reason and message follow.",
				"The conditions were not true within 600 seconds, the default of bindingTimeout.",
			],
			todo: "Read status.devices of the claim with kubectl get resourceclaim -o yaml, and the log of that controller. Binding conditions are alpha in 1.34 and on by default from 1.36.",
		},
		zh: {
			meaning:
				"所选设备带有绑定条件：Pod 绑定节点之前，必须有人连接或准备好设备。这一步失败了，或耗时太久。调度器退回设备并重新开始。",
			causes: [
				"负责连接设备的驱动控制器没有运行，或无权写入申领的 status.devices。",
				"它设置了某个 bindingFailureConditions；其原因和消息附在后面。",
				"条件在 600 秒（bindingTimeout 的默认值）内没有变为真。",
			],
			todo: "用 kubectl get resourceclaim -o yaml 查看申领的 status.devices，并查看该控制器的日志。绑定条件在 1.34 中是 alpha，从 1.36 起默认启用。",
		},
	},
	"claim-changed-meanwhile": {
		message:
			'running PreBind plugin "DynamicResources": claim team-a/shared-gpu got allocated elsewhere in the meantime',
		constant: "claim got allocated elsewhere in the meantime",
		also: [
			"claim team-a/shared-gpu got deallocated elsewhere in the meantime",
			"claim team-a/shared-gpu got deleted in the meantime",
			"add reservation to claim team-a/shared-gpu: resourceclaims is forbidden",
		],
		stage: "PreBind",
		example: "gpu-pod",
		en: {
			meaning:
				"The scheduler wanted to store its choice in the claim, and the claim was not as it had read it. The attempt ends, and the pod is tried again.",
			causes: [
				"Two schedulers with the plugin DynamicResources handle pods of one claim.",
				"Somebody deleted the claim or cleared its status.",
				"kube-controller-manager gave the devices of an unused claim back at that moment.",
			],
			todo: "Nothing, if it happens once. If it comes again and again, look who writes the claim: kubectl get resourceclaim NAME -o yaml --show-managed-fields.",
		},
		zh: {
			meaning:
				"调度器要把选择写入申领，而申领与它读到的不同。此次尝试结束，Pod 会再次尝试。",
			causes: [
				"两个带 DynamicResources 插件的调度器在处理使用同一申领的 Pod。",
				"有人删除了申领或清除了其状态。",
				"kube-controller-manager 恰好在此时退回了无人使用的申领的设备。",
			],
			todo: "偶尔一次无需处理。如果反复出现，请查看谁在写入该申领：kubectl get resourceclaim NAME -o yaml --show-managed-fields。",
		},
	},
	"request-type-unknown": {
		message:
			"0/3 nodes are available: resource claim team-a/gpus, request gpu: unknown request type.",
		constant: "resource claim, request: unknown request type",
		stage: "PreFilter",
		example: "prioritized",
		en: {
			meaning:
				"The request has neither exactly nor firstAvailable as the scheduler knows them, so it looks at no node.",
			causes: [
				"The scheduler is older than the API server and does not know the kind of request.",
				"firstAvailable was dropped, because DRAPrioritizedList is off in the API server (before 1.34).",
			],
			todo: "Bring kube-scheduler to the release of kube-apiserver: kubectl version shows the server's. Then create the claim again.",
		},
		zh: {
			meaning:
				"对调度器而言，该请求既没有 exactly 也没有 firstAvailable，因此不会检查任何节点。",
			causes: [
				"调度器比 API 服务器旧，不认识这种请求。",
				"API 服务器关闭了 DRAPrioritizedList，丢弃了 firstAvailable（1.34 之前）。",
			],
			todo: "让 kube-scheduler 与 kube-apiserver 版本一致（kubectl version 显示服务器版本），然后重新创建申领。",
		},
	},
	"extended-resource-claim": {
		message:
			"0/3 nodes are available: 3 cannot schedule extended resource claim.",
		constant: "cannot schedule extended resource claim",
		also: ["0/3 nodes are available: 3 cannot fit resource."],
		stage: "Filter",
		example: "extended",
		en: {
			meaning:
				"The pod asks for an extended resource that a DeviceClass serves. For such pods the scheduler writes a claim itself. One is left from an earlier attempt, or a node offers the resource in neither way.",
			causes: [
				"An earlier attempt failed after its claim was created: the scheduler deletes that claim and tries again.",
				"“cannot fit resource”: the node has no device plugin for the name, and no class with that extendedResourceName exists.",
			],
			todo: "Compare extendedResourceName of kubectl get deviceclasses -o yaml with the name in the pod. A class may serve names from 1.34 on (alpha), by default from 1.36.",
		},
		zh: {
			meaning:
				"Pod 请求由设备类提供的扩展资源。调度器会为这样的 Pod 自行创建申领。之前的尝试留下了申领，或节点以两种方式都不提供该资源。",
			causes: [
				"之前的尝试在创建申领后失败：调度器会删除它并重试。",
				"“cannot fit resource”：节点没有提供该名称的设备插件，也没有带该 extendedResourceName 的设备类。",
			],
			todo: "比较 kubectl get deviceclasses -o yaml 中的 extendedResourceName 与 Pod 中的名称。设备类从 1.34（alpha）起可以提供名称，从 1.36 起默认启用。",
		},
	},
	"optional-node-operations": {
		message:
			"0/3 nodes are available: 3 resource claim team-a/link allocation requires DRAOptionalNodeOperations feature on the node.",
		constant:
			"allocation requires DRAOptionalNodeOperations feature on the node",
		also: [
			"ResourceClaim link: DRAOptionalNodeOperations feature gate is disabled on kubelet",
		],
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The allocated device says that its node need not prepare it, and the kubelet of the node does not know that.",
			causes: [
				"The gate DRAOptionalNodeOperations is off in the kubelet: it is alpha in 1.37.",
				"The node runs an older release.",
			],
			todo: "Look at status.declaredFeatures of the nodes. Switch the gate on in every kubelet that may get such pods, or let the driver publish devices without skipped operations.",
		},
		zh: {
			meaning:
				"已分配的设备声明其节点无需准备它，而该节点的 kubelet 不认识这一点。",
			causes: [
				"kubelet 没有启用 DRAOptionalNodeOperations：它在 1.37 中是 alpha。",
				"节点运行较旧的版本。",
			],
			todo: "查看节点的 status.declaredFeatures。在可能运行此类 Pod 的每个 kubelet 中启用该门控，或让驱动发布不跳过操作的设备。",
		},
	},
	"node-allocatable-claim": {
		message:
			"0/3 nodes are available: 3 node allocatable resource claim cpus has a mapped device and cannot be shared across pods.",
		constant:
			"node allocatable resource claim has a mapped device and cannot be shared across pods",
		also: [
			"pod level request for cpu is insufficient to cover the aggregated container and node-allocatable DRA requests",
			"pod level limit for memory is insufficient to cover the aggregated container and node-allocatable DRA limits",
			"pod level limit for memory is insufficient to cover the limit and DRA overhead for container main",
		],
		stage: "Filter",
		example: "gpu-pod",
		en: {
			meaning:
				"The device stands for CPU or memory of the node, which the scheduler counts as the pod's own. Then one pod only may use the claim, and the pod's own requests and limits must cover it.",
			causes: [
				"A second pod names a claim whose devices are CPUs or memory.",
				"spec.resources of the pod is smaller than its containers and its claims together.",
			],
			todo: "Give each pod a claim of its own with a ResourceClaimTemplate, or raise spec.resources of the pod. The feature gate is DRANodeAllocatableResources, alpha from 1.36 on.",
		},
		zh: {
			meaning:
				"该设备代表节点的 CPU 或内存，调度器把它计入 Pod 自身。因此只有一个 Pod 可以使用该申领，且 Pod 自身的请求和限制必须覆盖它。",
			causes: [
				"第二个 Pod 引用了设备为 CPU 或内存的申领。",
				"Pod 的 spec.resources 小于其容器与申领之和。",
			],
			todo: "用 ResourceClaimTemplate 给每个 Pod 各自的申领，或提高 Pod 的 spec.resources。特性门控为 DRANodeAllocatableResources，从 1.36 起为 alpha。",
		},
	},
	...NODE_SENTENCES,
};
