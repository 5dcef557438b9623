import type { SchedulerSentence } from "./sentences.ts";

/** The sentences of drivers and of their neighbors about claims, by the names of their pages. */
export const DRIVER_SENTENCES: Record<string, SchedulerSentence> = {
	"driver-registration-timed-out": {
		message: "driver failed to start: context deadline exceeded",
		constant: "driver failed to start: context deadline exceeded",
		also: [
			'"GRPC server started" logger="registrar" endpoint="/var/lib/kubelet/plugins_registry/gpu.example.com-reg.sock" driver failed to start: context deadline exceeded',
			"timed out waiting for the plugin to be registered by kubelet",
		],
		stage: "driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver opened its sockets and waited for the kubelet to register it, and the kubelet did not come. DRANET waits for 30 seconds and then ends.",
			causes: [
				"The kubelet runs with another --root-dir than /var/lib/kubelet and watches plugins_registry below it.",
				"The sockets are in the driver's container only: the hostPath volumes are missing or lead elsewhere.",
				"The kubelet runs without the feature gate DynamicResourceAllocation (until 1.33), or is a 1.34.0 whose connection hangs.",
			],
			todo: "Look on the node whether the socket is in plugins_registry below the kubelet's root folder, and in the kubelet's log for RegisterPlugin. Restarting the kubelet helps where its connection hangs.",
		},
		zh: {
			meaning:
				"驱动打开了套接字并等待 kubelet 注册它，而 kubelet 没有来。DRANET 等待 30 秒后退出。",
			causes: [
				"kubelet 的 --root-dir 不是 /var/lib/kubelet，它监视的是其下的 plugins_registry。",
				"套接字只在驱动的容器内：缺少 hostPath 卷，或指向别处。",
				"kubelet 没有启用特性门控 DynamicResourceAllocation（至 1.33），或是连接会挂起的 1.34.0。",
			],
			todo: "在节点上查看套接字是否在 kubelet 根目录下的 plugins_registry 中，并在 kubelet 日志中查找 RegisterPlugin。若连接挂起，重启 kubelet 有效。",
		},
	},
	"kernel-driver-not-loaded": {
		message:
			"sysfs directory /sys/bus/pci/drivers/i915 not found, or is not a directory",
		constant: "sysfs directory not found",
		also: [
			"sysfs directory /sys/bus/pci/drivers/i915 not found",
			"open /sys/class/kfd/kfd/topology/nodes: no such file or directory",
			"Failed to read the topology: open /sys/class/kfd/kfd/topology/nodes: no such file or directory",
		],
		stage: "driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver lists the devices that the kernel's driver has, and the kernel's driver is not there: it publishes none.",
			causes: [
				"The kernel module (i915 or xe for Intel, amdgpu for AMD) is not loaded, or failed to load: dmesg says why.",
				"The node has no such device, and the DaemonSet runs there all the same.",
				"The pod of the driver does not have the host's /sys.",
			],
			todo: "Run lsmod and dmesg on the node, install the kernel driver there, and restart the driver's pod. Keep the DaemonSet off nodes without such devices with a nodeSelector. kubectl get resourceslices shows which nodes publish devices.",
		},
		zh: {
			meaning:
				"驱动列出内核驱动所拥有的设备，而内核驱动不在：它不发布任何设备。",
			causes: [
				"内核模块（Intel 为 i915 或 xe，AMD 为 amdgpu）没有加载，或加载失败：dmesg 说明原因。",
				"节点没有这种设备，而 DaemonSet 仍在其上运行。",
				"驱动的 Pod 没有宿主机的 /sys。",
			],
			todo: "在节点上运行 lsmod 和 dmesg，安装内核驱动，然后重启驱动的 Pod。用 nodeSelector 让 DaemonSet 避开没有这种设备的节点。kubectl get resourceslices 显示哪些节点发布了设备。",
		},
	},
	"device-gone-from-driver": {
		message:
			"error preparing devices for claim 7a2e: prepare devices failed: requested device is not allocatable: gpu-3",
		constant: "requested device is not allocatable",
		also: [
			"requested device is not allocatable: gpu-3",
			"NodePrepareResources failed for ResourceClaim train-0-gpu: error preparing devices for claim 7a2e: prepare devices failed: error generating configResultsMap: requested device is not allocatable: gpu-3",
			"could not find allocatable device gpu-3 (pool node-1)",
			"allocatable not found for device gpu-3",
			"unable to get device spec for 7a2e-gpu-3: unable to get device handle from UUID: Not Found",
			"ClaimPrepareFailed resourceclaim/nic failed to get netlink to interface eth1: Link not found",
			"ClaimPrepareFailed resourceclaim/nic failed to get network interface name for device eth1: device eth1 not found in store",
		],
		stage: "driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The scheduler allocated a device that the driver on the node does not know, or not any more.",
			causes: [
				"The device disappeared or was partitioned anew after the slice was published: the slice is stale.",
				"The device is bound to another kernel driver, such as vfio-pci, by a virtual machine that used it before.",
				"The claim has devices of several drivers, and this version of the driver takes them all for its own.",
			],
			todo: "Compare kubectl get resourceslices -o yaml for the node with the devices that the driver lists when it starts. Restart the driver's pod, so that it publishes anew; then delete the pod and its claim.",
		},
		zh: {
			meaning: "调度器分配了节点上的驱动不认识（或不再认识）的设备。",
			causes: [
				"发布切片之后设备消失或重新分区：切片已过时。",
				"设备被之前使用它的虚拟机绑定到另一个内核驱动，例如 vfio-pci。",
				"申领含有多个驱动的设备，而此版本的驱动把它们都当作自己的。",
			],
			todo: "把该节点的 kubectl get resourceslices -o yaml 与驱动启动时列出的设备比较。重启驱动的 Pod 使其重新发布；然后删除 Pod 及其申领。",
		},
	},
	"device-prepared-for-another-claim": {
		message:
			"error preparing devices for claim 7a2e: requested device gpu-0 is already allocated to different claim 4914",
		constant: "requested device is already allocated to different claim",
		also: [
			"requested device channel-0 is already allocated to different claim 4914",
			"channel 0 already allocated by claim 4914 (according to checkpoint)",
		],
		stage: "driver (NVIDIA)",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver has the device still prepared for another claim, whose uid it names, and does not give it to a second one.",
			causes: [
				"The other pod is still ending, which takes a moment.",
				"The claim was deallocated, or its pod deleted by force, before the driver unprepared it.",
				"A late retry prepared a claim again that was over: fixed after 0.4.0 for channels of ComputeDomains.",
			],
			todo: "Look whether a claim with that uid exists: kubectl get resourceclaims -A -o yaml. If none does, restart the driver's pod on the node with a version that cleans its checkpoint, or update the driver.",
		},
		zh: {
			meaning:
				"驱动仍为另一个申领（消息给出了其 uid）准备着该设备，不会把它给第二个申领。",
			causes: [
				"另一个 Pod 仍在结束，需要片刻。",
				"在驱动撤销准备之前，申领已被解除分配，或其 Pod 被强制删除。",
				"迟到的重试再次准备了已结束的申领：对于 ComputeDomain 的通道，在 0.4.0 之后已修复。",
			],
			todo: "用 kubectl get resourceclaims -A -o yaml 查看该 uid 的申领是否存在。如果不存在，请用会清理检查点的版本重启节点上驱动的 Pod，或更新驱动。",
		},
	},
	"cdi-spec-not-written": {
		message:
			"error preparing devices for claim 7a2e: unable to create CDI spec file for claim: failed to write spec: invalid CDI Spec: invalid device, empty device edits",
		constant: "unable to create CDI spec file for claim",
		also: [
			'NodePrepareResources failed for ResourceClaim train-0-gpu: error preparing devices for claim 7a2e: unable to create CDI spec file for claim: failed to write spec: invalid CDI Spec: failed add device "7a2e-gpu-0": invalid device, empty device edits',
			"NodePrepareResources failed for ResourceClaim train-0-gpu: error preparing devices for claim 7a2e: unable to create CDI spec file for claim: failed to construct MIG device DeviceNode edits: failed to parse GI capabilities file",
			"failed to add device to CDI registry: failed to remove old GPU devices from CDI spec: failed to write CDI spec intel.com-gpu.yaml: invalid CDI Spec: invalid spec, no devices",
		],
		stage: "driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver could not write the file that tells the container runtime what to put into the container, so the claim is not prepared.",
			causes: [
				"“empty device edits”: the driver found no device files for the device, for example after the driver or the container toolkit on the node was replaced.",
				"“GI capabilities file”: the MIG instance was deleted or made anew since the driver started.",
				"“no devices”: the last device of the file was taken out, as when the only GPU of a node goes to a virtual machine.",
				"The CDI folder is read-only or full.",
			],
			todo: "Check the device on the node (nvidia-smi -L, or ls -l /dev/dri), then restart the driver's pod there. The kubelet asks again by itself.",
		},
		zh: {
			meaning:
				"驱动无法写入告诉容器运行时要在容器中放入什么的文件，因此申领没有准备好。",
			causes: [
				"“empty device edits”：驱动没有找到设备的设备文件，例如节点上的驱动或容器工具包被替换之后。",
				"“GI capabilities file”：驱动启动之后，MIG 实例被删除或重建。",
				"“no devices”：文件中的最后一个设备被移出，例如节点唯一的 GPU 给了虚拟机。",
				"CDI 目录只读或已满。",
			],
			todo: "在节点上检查设备（nvidia-smi -L 或 ls -l /dev/dri），然后重启那里驱动的 Pod。kubelet 会自行重试。",
		},
	},
	"driver-checkpoint-unreadable": {
		message:
			"Error: failed to create new NodeState: failed to get prepared claims: failed parsing file /var/lib/kubelet/plugins/gpu.example.com/preparedClaims.json",
		constant: "failed to get prepared claims: failed parsing file",
		also: [
			"Error getting prepared claims: failed parsing file preparedClaims.json. Err: json: cannot unmarshal array into Go value",
			"Error: error creating driver: unable to get checkpoint: checkpoint is corrupted",
			"unable to sync from checkpoint: checkpoint is corrupted",
		],
		stage: "driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver keeps the claims that it has prepared in a file on the node, cannot read it, and does not start. No pod of the node gets devices.",
			causes: [
				"The driver was upgraded or downgraded, and the other version wrote another format.",
				"The node lost power or ran out of disk space while the file was written.",
			],
			todo: "Move the pods that use the driver off the node, delete the file below /var/lib/kubelet/plugins/DRIVER (checkpoint.json for NVIDIA, preparedClaims.json for Intel), and let the driver start. Read its notes about upgrades first.",
		},
		zh: {
			meaning:
				"驱动把已准备的申领保存在节点上的文件中，现在无法读取它，因此不启动。该节点上的 Pod 得不到设备。",
			causes: [
				"驱动升级或降级，另一个版本写入了不同的格式。",
				"写入文件时节点断电或磁盘已满。",
			],
			todo: "把使用该驱动的 Pod 移出节点，删除 /var/lib/kubelet/plugins/DRIVER 下的文件（NVIDIA 为 checkpoint.json，Intel 为 preparedClaims.json），然后让驱动启动。请先阅读其升级说明。",
		},
	},
	"pool-refused-by-driver": {
		message: 'found duplicate device "gpu-0" in pool "node-1"',
		constant: "found duplicate device in pool",
		also: [
			'found duplicate counter set "gpu-0-counters" in pool "node-1"',
			'counter set "gpu-0-counters" referenced by device "mig-0" not found',
			'counter "memory" referenced by device "mig-0" not found in counter set "gpu-0-counters"',
		],
		stage: "driver",
		example: "capacity",
		en: {
			meaning:
				"The library with which newer drivers publish their slices checks the pools first. It found a contradiction and publishes none of the change.",
			causes: [
				"Two slices of the pool have a device or a counter set of one name.",
				"A device consumes counters that no slice of the pool has.",
			],
			todo: "Nothing in the cluster can correct that: report it to the authors of the driver. Until then the node offers the devices that it published before, or none.",
		},
		zh: {
			meaning:
				"较新的驱动用来发布切片的库会先检查资源池。它发现了矛盾，因此不发布此次更改。",
			causes: [
				"池中两个切片有同名的设备或计数器集。",
				"设备消耗了池中任何切片都没有的计数器。",
			],
			todo: "集群中无法更正：请向驱动作者报告。在此之前，节点只提供之前发布的设备，或什么也不提供。",
		},
	},
	"mig-device-not-created": {
		message:
			"error preparing devices for claim 7a2e: prepare devices failed: error creating MIG device: error creating GPU instance for '1g.20gb': Insufficient Resources",
		constant: "error creating MIG device: error creating GPU instance",
		also: [
			"MIG device allocation failed: error creating MIG device: error creating GPU instance for '1g.10gb': Insufficient Resources",
			"unable to sync prepared devices from CRD: MIG devices found that aren't prepared to any claim",
			"NodePrepareResources failed for ResourceClaim train-0-gpu: error preparing devices for claim team-a/train-0-gpu:7a2e: failed to create MIG device: error creating compute instance: In use by another client",
		],
		stage: "driver (NVIDIA)",
		example: "capacity",
		en: {
			meaning:
				"The driver makes MIG devices when a claim is prepared (DynamicMIG), and the GPU has no room for this one, although the scheduler counted it as free.",
			causes: [
				"MIG devices were made by hand or by another tool after the driver started, and the driver does not count them.",
				"A device of an earlier claim is not taken away yet: its pod is ending, or was deleted by force.",
			],
			todo: "Compare nvidia-smi mig -lgi on the node with kubectl get resourceclaims -A -o yaml. Delete instances that belong to no claim; newer drivers with DynamicMIG do so themselves when their pod is restarted. The kubelet asks again by itself.",
		},
		zh: {
			meaning:
				"驱动在准备申领时创建 MIG 设备（DynamicMIG），而 GPU 没有空间容纳它，尽管调度器认为有空闲。",
			causes: [
				"驱动启动之后，MIG 设备由人或其他工具创建，驱动没有计入。",
				"之前申领的设备尚未移除：其 Pod 正在结束，或被强制删除。",
			],
			todo: "在节点上把 nvidia-smi mig -lgi 与 kubectl get resourceclaims -A -o yaml 比较。删除不属于任何申领的实例；带 DynamicMIG 的较新驱动在其 Pod 重启时会自行删除。kubelet 会自行重试。",
		},
	},
	"compute-domain-not-ready": {
		message:
			"prepare devices failed: error applying config: error asserting ComputeDomain Ready: current node not ready in ComputeDomain",
		constant: "current node not ready in ComputeDomain",
		also: [
			"error preparing devices for claim 'default/train-0-channel:4914': prepare devices failed: error applying config: error asserting ComputeDomain Ready: current node not ready in ComputeDomain (attempt 1)",
			"error asserting ComputeDomain Ready: ComputeDomain not found",
		],
		stage: "driver (NVIDIA)",
		example: "gpu-pod",
		en: {
			meaning:
				"The pod's claim is a channel of a ComputeDomain. The driver starts an IMEX daemon on each node of the domain, and the one on this node is not ready.",
			causes: [
				"It was the first pod on the node, and the daemon is starting: a few attempts are usual.",
				"spec.numNodes is larger than the number of nodes with pods, so that daemons of older drivers wait for the rest.",
				"The daemon's pod cannot run: its image, a taint, or its own claim.",
				"nvidia-imex runs on the host and holds its ports.",
			],
			todo: "Look at kubectl get computedomain -o yaml and at the daemon's pods in the driver's namespace. Where the host runs the service, stop it: systemctl disable --now nvidia-imex.",
		},
		zh: {
			meaning:
				"Pod 的申领是 ComputeDomain 的一个通道。驱动在域的每个节点上启动 IMEX 守护进程，而此节点上的尚未就绪。",
			causes: [
				"这是该节点上的第一个 Pod，守护进程正在启动：几次尝试是正常的。",
				"spec.numNodes 大于有 Pod 的节点数，较旧驱动的守护进程会等待其余节点。",
				"守护进程的 Pod 无法运行：镜像、污点或其自身的申领。",
				"主机上运行着 nvidia-imex，占用了端口。",
			],
			todo: "查看 kubectl get computedomain -o yaml，以及驱动名字空间中守护进程的 Pod。若主机运行该服务，请停止它：systemctl disable --now nvidia-imex。",
		},
	},
	"mps-daemon-not-ready": {
		message:
			"prepare devices failed: error applying GPU config: MPS control daemon is not yet ready: waiting for MPS control daemon to come online",
		constant: "MPS control daemon is not yet ready",
		also: [
			"NodePrepareResources failed for claim default/gpu: error preparing devices for claim 7a2e: prepare devices failed: error applying GPU config: MPS control daemon is not yet ready: error listing pods from deployment",
			"MPS control daemon is not yet ready: control daemon not yet ready",
			"MPS control daemon is not yet ready: failed to get deployment",
		],
		stage: "driver (NVIDIA)",
		example: "gpu-pod",
		en: {
			meaning:
				"The claim shares its GPU with MPS. The driver starts a Deployment with the control daemon for it, and that is not ready within a few seconds. The kubelet asks again.",
			causes: [
				"The image of the daemon is being pulled.",
				"The daemon's pod is refused or crashes: a quota, a policy, or missing rights on OpenShift.",
				"The driver's service account may not read deployments or pods: “error listing pods”, “failed to get deployment”.",
			],
			todo: "Look at the pods mps-control-daemon-… in the driver's namespace with kubectl describe and kubectl logs.",
		},
		zh: {
			meaning:
				"申领通过 MPS 共享 GPU。驱动为它启动带控制守护进程的 Deployment，而它在几秒内没有就绪。kubelet 会重试。",
			causes: [
				"正在拉取守护进程的镜像。",
				"守护进程的 Pod 被拒绝或崩溃：配额、策略，或 OpenShift 上缺少权限。",
				"驱动的服务账号无权读取 Deployment 或 Pod：“error listing pods”、“failed to get deployment”。",
			],
			todo: "用 kubectl describe 和 kubectl logs 查看驱动名字空间中的 mps-control-daemon-… Pod。",
		},
	},
	"sharing-strategy-unknown": {
		message: "unknown GPU sharing strategy: MPS",
		constant: "unknown GPU sharing strategy",
		also: [
			'"MPS" is selected as the GPU sharing strategy, but the "MPSSupport" feature gate is not enabled',
			"error validating GPU config: unknown GPU sharing strategy: MPS",
		],
		stage: "driver (NVIDIA)",
		example: "gpu-pod",
		en: {
			meaning:
				"The opaque parameters of the claim or class name a way of sharing that this driver does not allow.",
			causes: [
				"MPS needs the feature gate MPSSupport of the driver, and TimeSlicing needs TimeSlicingSettings. Both are off by default; older versions call the strategy unknown then.",
				"The strategy is misspelled: the names are MPS and TimeSlicing.",
			],
			todo: "Set the gate in the values of the driver's chart, under featureGates, or remove sharing from the parameters.",
		},
		zh: {
			meaning: "申领或设备类的不透明参数指定了此驱动不允许的共享方式。",
			causes: [
				"MPS 需要驱动的特性门控 MPSSupport，TimeSlicing 需要 TimeSlicingSettings。两者默认关闭；较旧的版本此时称该策略未知。",
				"策略拼写有误：名称为 MPS 和 TimeSlicing。",
			],
			todo: "在驱动安装包的 values 的 featureGates 中设置该门控，或从参数中去掉 sharing。",
		},
	},
	"vfio-device-not-bound": {
		message:
			'prepare devices failed: error applying config: error configuring vfio device "gpu-vfio-0": error changing driver for GPU "0008:01:00.0": failed to bind to vfio-pci',
		constant: "error configuring vfio device",
		also: [
			'error configuring vfio device "gpu-vfio-0": error waiting for GPU "0008:01:00.0" to be free: timed out waiting for gpu to be free',
			'NodePrepareResources failed for ResourceClaim vm-gpu: error preparing devices for claim default/vm-gpu:7a2e: prepare devices failed: error applying config: error configuring vfio device "gpu-vfio-0": gpu has 4 VFs, cannot unbind',
			"failed to prepare VFIO device 0000:03:00.0: failed to bind device 0000:03:00.0 to driver vfio-pci",
		],
		stage: "driver (NVIDIA, Intel)",
		example: "gpu-pod",
		en: {
			meaning:
				"The claim passes the whole device through to a virtual machine. The driver has to take it from its kernel driver and give it to vfio-pci, and cannot.",
			causes: [
				"A process on the node has the device open, such as nvidia-persistenced or a monitoring agent: the NVIDIA driver waits for 60 seconds.",
				"The kernel has no vfio-pci or its variant for this device, or the IOMMU is off.",
				"The device has virtual functions.",
			],
			todo: "Look on the node who has the device open (fuser -v /dev/nvidia0), whether modprobe vfio-pci works, and whether /sys/kernel/iommu_groups has entries. The kubelet asks again by itself.",
		},
		zh: {
			meaning:
				"申领把整个设备直通给虚拟机。驱动必须把它从原内核驱动取下并交给 vfio-pci，而未能成功。",
			causes: [
				"节点上有进程打开着该设备，例如 nvidia-persistenced 或监控代理：NVIDIA 驱动会等待 60 秒。",
				"内核没有适用于该设备的 vfio-pci 或其变体，或 IOMMU 关闭。",
				"该设备带有虚拟功能（VF）。",
			],
			todo: "在节点上查看谁打开了设备（fuser -v /dev/nvidia0），modprobe vfio-pci 是否可用，以及 /sys/kernel/iommu_groups 是否有内容。kubelet 会自行重试。",
		},
	},
	"nvml-library-not-found": {
		message:
			"Error: error creating driver: error enumerating all possible devices: error enumerating GPUs and MIG devices: error initializing NVML: ERROR_LIBRARY_NOT_FOUND",
		constant: "error initializing NVML: ERROR_LIBRARY_NOT_FOUND",
		also: [
			"failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",
			"Could not find 'nvidia-smi'. Has the NVIDIA GPU driver been set up? On the host, 'nvidia-smi' is expected to be placed in directory NVIDIA_DRIVER_ROOT (current value: '/').",
		],
		stage: "driver (NVIDIA)",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver's plugin does not find libnvidia-ml.so.1 and does not start, so the node publishes no GPUs.",
			causes: [
				"nvidiaDriverRoot of the chart is not where the driver is: / if it is installed on the host, /run/nvidia/driver if the GPU operator installs it.",
				"The node has no NVIDIA driver, or it is not installed yet.",
				"A folder with the name of the library comes first in the search.",
			],
			todo: "Find the library on the node (ldconfig -p | grep nvidia-ml), and set nvidiaDriverRoot to the folder above it. Keep the plugin off nodes without GPUs with its node selector.",
		},
		zh: {
			meaning:
				"驱动的插件找不到 libnvidia-ml.so.1，因此不启动，节点不发布 GPU。",
			causes: [
				"安装包的 nvidiaDriverRoot 不是驱动所在之处：安装在主机上时为 /，由 GPU Operator 安装时为 /run/nvidia/driver。",
				"节点没有 NVIDIA 驱动，或尚未安装。",
				"搜索路径中先出现了与该库同名的文件夹。",
			],
			todo: "在节点上找到该库（ldconfig -p | grep nvidia-ml），并把 nvidiaDriverRoot 设为其上级目录。用节点选择算符让插件避开没有 GPU 的节点。",
		},
	},
	"network-device-not-moved": {
		message:
			"RunPodSandbox error moving device eth1 to namespace /var/run/netns/cni-1: could not get network namespace handle",
		constant: "error moving device to namespace",
		also: [
			"error moving network device eth1 to namespace /var/run/netns/cni-1: failed to move interface eth1 to container namespace",
			"error moving RDMA device mlx5_0 to namespace /var/run/netns/cni-1",
		],
		stage: "driver (DRANET)",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver prepared the claim, and could not move its network interface into the pod when the runtime made the sandbox, or back when the pod ended.",
			causes: [
				"The network namespace is gone: the runtime removed it before the driver was called.",
				"The interface was renamed or removed, or has a name that the pod has already.",
				"The kernel module does not let the interface change its namespace, or RDMA is in shared mode.",
			],
			todo: "Look with ip link on the node whether the interface is there, and in the driver's log for its name. An interface that did not come back appears again when its namespace ends or the node is rebooted.",
		},
		zh: {
			meaning:
				"驱动已准备申领，但在运行时创建沙箱时无法把网络接口移入 Pod，或在 Pod 结束时无法移回。",
			causes: [
				"网络命名空间已不存在：运行时在调用驱动之前删除了它。",
				"接口被重命名或移除，或其名称在 Pod 中已存在。",
				"内核模块不允许该接口更换命名空间，或 RDMA 处于共享模式。",
			],
			todo: "在节点上用 ip link 查看接口是否存在，并在驱动日志中查找其名称。没有移回的接口会在其命名空间结束或节点重启后重新出现。",
		},
	},
	"driver-webhook-refuses": {
		message:
			'admission webhook "validate-resource-claim-parameters.gpu.example.com" denied the request: 1 configs failed to validate: object at spec.devices.config[0].opaque.parameters is invalid: unknown time-slice interval: Sometimes',
		constant: "configs failed to validate",
		also: [
			'admission webhook "validate-resource-claim-parameters.gpu.example.com" denied the request: 1 configs failed to validate: error decoding object at spec.devices.config[0].opaque.parameters: strict decoding error: unknown field "sharing.strategies"',
			'admission webhook "validate-resource-claim-parameters.gpu.example.com" denied the request: 1 configs failed to validate: error decoding object at spec.spec.devices.config[0].opaque.parameters: no kind "GpuConfig" is registered for version "gpu.example.com/v1"',
		],
		stage: "webhook of the driver",
		example: "gpu-pod",
		en: {
			meaning:
				"The driver has a webhook that looks at its own parameters in claims, templates and classes when they are made, and it does not accept these. To the API server they are any JSON. Without the webhook the driver would refuse them on the node, when the pod is to start.",
			causes: [
				"The parameters have a field or a value that this version of the driver does not know.",
				"Their apiVersion or kind is of another version of the driver.",
				"They need a feature gate of the driver that is off, such as one for sharing.",
			],
			todo: "Compare the parameters at the path of the message with the documentation of the driver's installed version: helm list -A shows which it is. kubectl get validatingwebhookconfigurations shows whose webhook refuses.",
		},
		zh: {
			meaning:
				"驱动带有 webhook，在创建申领、模板和设备类时检查其中属于该驱动的参数，而它不接受这些参数。对 API 服务器而言它们只是任意 JSON。如果没有 webhook，驱动会在 Pod 启动时于节点上拒绝它们。",
			causes: [
				"参数中有此版本驱动不认识的字段或取值。",
				"参数的 apiVersion 或 kind 属于驱动的其他版本。",
				"参数需要驱动的某个特性门控（例如共享），而该门控未启用。",
			],
			todo: "把消息所指路径处的参数与所安装版本驱动的文档比较：helm list -A 显示版本。kubectl get validatingwebhookconfigurations 显示是谁的 webhook 拒绝。",
		},
	},
	"driver-webhook-unreachable": {
		message:
			'Internal error occurred: failed calling webhook "validate-resource-claim-parameters.gpu.example.com": failed to call webhook: Post "https://gpu-webhook.gpu-driver.svc:443/validate-resource-claim-parameters?timeout=10s": no endpoints available for service "gpu-webhook"',
		constant: "failed calling webhook “validate-resource-claim-parameters.…”",
		also: [
			'failed calling webhook "validate-resource-claim-parameters.gpu.example.com": failed to call webhook: Post "https://gpu-webhook.gpu-driver.svc:443/validate-resource-claim-parameters?timeout=10s": context deadline exceeded',
		],
		stage: "kube-apiserver",
		example: "gpu-pod",
		en: {
			meaning:
				"The API server has to ask the driver's webhook about each claim and template, and does not reach it. No claim can be made, also for other drivers, and the controller makes none from templates.",
			causes: [
				"The webhook's pod does not run, or is not ready.",
				"Its certificate is not the one that the configuration trusts, for example because cert-manager is not there.",
				"A network policy or firewall keeps the control plane from the port of the webhook.",
				"The driver was taken away, and its ValidatingWebhookConfiguration stayed.",
			],
			todo: "Find the configuration with kubectl get validatingwebhookconfigurations, and look at the pods behind its service: kubectl get endpointslices -n NAMESPACE. If the driver is gone, delete the configuration; otherwise install its chart with a certificate, or without the webhook.",
		},
		zh: {
			meaning:
				"API 服务器必须就每个申领和模板询问驱动的 webhook，却连接不上。这时无法创建任何申领（包括其他驱动的），控制器也无法根据模板创建。",
			causes: [
				"webhook 的 Pod 没有运行，或尚未就绪。",
				"其证书不是配置所信任的证书，例如因为没有 cert-manager。",
				"网络策略或防火墙阻止控制平面访问 webhook 的端口。",
				"驱动已被移除，而其 ValidatingWebhookConfiguration 仍在。",
			],
			todo: "用 kubectl get validatingwebhookconfigurations 找到该配置，并查看其服务背后的 Pod：kubectl get endpointslices -n NAMESPACE。若驱动已不在，删除该配置；否则安装时提供证书，或不启用 webhook。",
		},
	},
	"autoscaler-skips-claims": {
		message:
			"skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter",
		constant: "Dynamic Resource Allocation requirements … not yet supported",
		also: [
			"Warning FailedScheduling karpenter Failed to schedule pod, pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter",
		],
		stage: "Karpenter",
		example: "gpu-pod",
		en: {
			meaning:
				"Karpenter makes no node for a pod with claims: this version does not know what devices a new node would have, or its support is off. kube-scheduler may still place the pod on a node that is there.",
			causes: [
				"The version of Karpenter is older than its support for claims.",
				"The support is behind a setting of Karpenter or of its provider that is off.",
			],
			todo: "Look in the documentation of the installed version for Dynamic Resource Allocation. Until then keep nodes with the devices by hand, for example a NodePool of a fixed size or a node group, and see with kubectl describe pod what kube-scheduler says.",
		},
		zh: {
			meaning:
				"Karpenter 不为带有申领的 Pod 创建节点：此版本不知道新节点会有哪些设备，或其支持未启用。kube-scheduler 仍可能把 Pod 放到已有的节点上。",
			causes: [
				"Karpenter 的版本早于其对申领的支持。",
				"该支持由 Karpenter 或其云提供方的某项设置控制，而该设置未启用。",
			],
			todo: "在所安装版本的文档中查找 Dynamic Resource Allocation。在此之前请手动保留带有这些设备的节点，例如固定大小的 NodePool 或节点组，并用 kubectl describe pod 查看 kube-scheduler 的说法。",
		},
	},
	"kueue-device-class-not-mapped": {
		message:
			"DeviceClass gpu.example.com is not mapped in DRA configuration for workload train podset main: DeviceClass is not mapped in DRA configuration",
		constant: "DeviceClass is not mapped in DRA configuration",
		also: [
			"Failed to process DRA resources for workload: DeviceClass gpu.example.com is not mapped in DRA configuration for workload train podset main",
		],
		stage: "Kueue",
		example: "gpu-pod",
		en: {
			meaning:
				"Kueue counts devices against the quota of a queue by the class of each request, and its configuration does not have this class. The workload is not admitted, and its pods are not created.",
			causes: [
				"deviceClassMappings of Kueue's configuration lacks the class, for example that of the channels of a ComputeDomain.",
				"The mapping was added, and Kueue was not restarted: it reads its configuration once.",
			],
			todo: "Add the class to deviceClassMappings and its resource to the ClusterQueue, and restart the manager: kubectl rollout restart deployment/kueue-controller-manager -n kueue-system.",
		},
		zh: {
			meaning:
				"Kueue 按每个请求的设备类计算队列的配额，而其配置中没有该类。工作负载不会被接纳，其 Pod 也不会创建。",
			causes: [
				"Kueue 配置的 deviceClassMappings 缺少该类，例如 ComputeDomain 通道的类。",
				"已加入映射，但没有重启 Kueue：它只读取一次配置。",
			],
			todo: "把该类加入 deviceClassMappings，把其资源加入 ClusterQueue，并重启管理器：kubectl rollout restart deployment/kueue-controller-manager -n kueue-system。",
		},
	},
};
