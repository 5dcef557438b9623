/** The engine's conversion of the objects of a step, made while the site is built. */
export interface VersionTold {
	text: string;
	/** The first minor release that does not serve the version. */
	removedIn: string;
	/** The assumptions that no tool can check. */
	assumed: string[];
}

/** An older version with objects of it; what a conversion to v1 makes of them, the engine says. */
export interface VersionStep {
	from: string;
	/** The changes, a sentence each. */
	en: string[];
	zh: string[];
	/** Objects of the version. */
	text: string;
}

const claim = (
	version: string,
	request: string,
) => `apiVersion: resource.k8s.io/${version}
kind: ResourceClaim
metadata:
  name: one-gpu
  namespace: team-a
spec:
  devices:
    requests:
    - name: gpu
${request}`;

const WRAPPED =
	"      exactly:\n        deviceClassName: gpu.example.com\n        allocationMode: ExactCount\n        count: 1\n";
const FLAT =
	"      deviceClassName: gpu.example.com\n      allocationMode: ExactCount\n      count: 1\n";

const slice = (version: string, device: string) => `---
apiVersion: resource.k8s.io/${version}
kind: ResourceSlice
metadata:
  name: node-1-gpu
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool:
    name: node-1
    generation: 1
    resourceSliceCount: 1
  devices:
  - name: gpu-0
${device}`;

const BASIC =
	"    basic:\n      attributes:\n        model:\n          string: a100\n      capacity:\n        memory:\n          value: 80Gi\n";
const PLAIN =
	"    attributes:\n      model:\n        string: a100\n    capacity:\n      memory:\n        value: 80Gi\n";

export const VERSION_STEPS: readonly VersionStep[] = [
	{
		from: "v1beta2",
		en: [
			"Nothing but `apiVersion` changes: v1 has the fields of v1beta2.",
			"Requests have their fields below `exactly`, or a list below `firstAvailable`; devices have theirs without `basic`.",
		],
		zh: [
			"只有 `apiVersion` 改变：v1 的字段与 v1beta2 相同。",
			"请求的字段位于 `exactly` 之下，或写成 `firstAvailable` 列表；设备不再有 `basic` 一层。",
		],
		text: claim("v1beta2", WRAPPED) + slice("v1beta2", PLAIN),
	},
	{
		from: "v1beta1",
		en: [
			"The fields of a request move below `exactly`: `deviceClassName`, `selectors`, `allocationMode`, `count`, `adminAccess`, `tolerations`.",
			"A device of a ResourceSlice loses its level `basic`.",
			'A server of v1 answers to a flat request with `unknown field "spec.devices.requests[0].deviceClassName"`.',
		],
		zh: [
			"请求的字段移到 `exactly` 之下：`deviceClassName`、`selectors`、`allocationMode`、`count`、`adminAccess`、`tolerations`。",
			"ResourceSlice 的设备去掉 `basic` 一层。",
			'对于未包在 `exactly` 中的请求，v1 的服务器回答 `unknown field "spec.devices.requests[0].deviceClassName"`。',
		],
		text: claim("v1beta1", FLAT) + slice("v1beta1", BASIC),
	},
	{
		from: "v1alpha3",
		en: [
			"The fields of a request move below `exactly`, and a device loses its level `basic`.",
			"Capacity is a quantity in v1alpha3 and an object with `value` from v1beta1 on.",
			"`suitableNodes` of a class and `controller` have no place in v1: what would be lost is named, and nothing is converted unless losses are allowed.",
		],
		zh: [
			"请求的字段移到 `exactly` 之下，设备去掉 `basic` 一层。",
			"capacity 在 v1alpha3 中是数量，从 v1beta1 起是带 `value` 的对象。",
			"设备类的 `suitableNodes` 与 `controller` 在 v1 中没有对应字段：会丢失的内容将被列出，除非允许丢失，否则不转换。",
		],
		text: claim("v1alpha3", FLAT),
	},
	{
		from: "v1alpha2",
		en: [
			"v1alpha2 asks for a ResourceClass with a driver and opaque parameters; v1 asks for devices of a DeviceClass. Upstream has no conversion.",
			"Each decision that no tool can know, such as which devices a class selects, is named with its alternatives.",
			"Claims, classes and parameters are read together, so put them into one text.",
		],
		zh: [
			"v1alpha2 请求带驱动和不透明参数的 ResourceClass；v1 请求 DeviceClass 的设备。上游没有这种转换。",
			"工具无法知道的每个决定（例如设备类选择哪些设备）都会连同其他可能一并列出。",
			"申领、类和参数会一起读取，请把它们放在一段文本中。",
		],
		text: "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu.example.com\ndriverName: gpu.example.com\n---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: one-gpu\n  namespace: team-a\nspec:\n  resourceClassName: gpu.example.com\n",
	},
];
