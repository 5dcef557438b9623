import type { Sentences } from "./en.ts";
import type strings from "./zh.json";

const count = (n: number) => n.toLocaleString("zh-Hans");

/**
 * 简体中文. Terms as the Kubernetes documentation uses them (资源申领, 节点选择算符, 名字空间, 必需). What is a text alone is in
 * `zh.json`, which is fetched for those who read it.
 */
const made: Omit<Sentences, keyof typeof strings> = {
	exampleGroups: {
		start: "从这里开始",
		devices: "放置设备",
		kinds: "每种类别一个",
		mistakes: "常见错误",
		nodes: "节点与调度",
		requests: "请求与策略",
	},
	shareTooLong: (n) =>
		`内容过多，无法放进链接（${count(n)} 个字符）。请改为下载文件。`,
	readingFiles: (n) => `正在读取 ${count(n)} 个文件…`,
	filesOfOthers: (n) =>
		`${count(n)} 个文件中没有任何面板会读取的对象，未打开。`,
	guidePlugin: (names) =>
		`${names.join("、")} 是设备插件提供的扩展资源：调度器只计数，对其一无所知。使用动态资源分配时，Pod 改为申领某个设备类的设备，并可说明要哪些。以下两种方式都需要安装驱动；驱动自带的设备类可能另有名称。`,
	allFiles: (n) => `${count(n)} 个文件`,
	filesLeftOut: (n) => `${count(n)} 个文件无法读到结尾。以下回答针对其余内容：`,
	foreignPolicy: (kind, version) =>
		`这里不询问 \`${version}\` 的 \`${kind}\`。可以使用策略模块的设置、带有设置的 \`ClusterAdmissionPolicy\`，以及 \`ValidatingAdmissionPolicy\`。`,
	restIsNothing: (n) =>
		`${count(n)} 个文件无法读到结尾，其余内容中没有此面板要用的东西：`,
	openElsewhere: (origin) =>
		`${origin} 是另一个来源：此页面只打开与它放在一起的文件。`,
	openFailed: (path, why) => `无法读取 ${path}：${why}`,
	exampleOpened: (name) => `已打开“${name}”。`,
	themes: { system: "跟随系统", light: "浅色", dark: "深色" },
	shortcutList: [
		["Mod + .", "本行的修复"],
		["F8 / Shift + F8", "下一个或上一个问题"],
		["Mod + S", "将文件保存到磁盘"],
		["Ctrl + Space", "补全"],
		["Mod + F", "查找"],
		["Mod + Shift + [ 或 ]", "折叠、展开"],
		["Alt + 1 … 8", "打开面板"],
		["Esc，然后 Tab", "离开编辑器"],
	],

	roles: {
		manifest: "清单",
		nodes: "节点",
		stored: "已存储对象",
		patch: "补丁",
		settings: "策略设置",
		config: "项目设置",
	},
	roleNotes: {
		manifest: "输入时即检查",
		nodes: "资源申领要放置的节点",
		stored: "更新时与之比较",
		patch: "应用于已存储对象",
		settings: "策略模块的设置",
		config: "claimkit.toml：版本、门控、标签",
	},
	policyResults: {
		pass: "允许",
		fail: "拒绝",
		warn: "警告",
		audit: "仅审计日志",
		skip: "未询问",
		unknown: "未知",
	},
	policyForms: {
		vap: "以 ValidatingAdmissionPolicy 表示这些设置",
		map: "以 MutatingAdmissionPolicy 表示这些设置",
		kyverno: "以 Kyverno 的 ValidatingPolicy 表示这些设置",
	},
	policyFormCount: (n) => `${n.toLocaleString()} 个策略`,
	closeFile: (name) => `关闭 ${name}`,
	closed: (name) => `已关闭 ${name}。`,
	dropped: (n) => `已打开 ${n} 个文件。`,
	replacedFiles: (n) => `其中 ${n} 个替换了同名的已打开文件。`,
	dropFailed: (name) => `无法读取 ${name}。`,
	fileProblems: (errors, warnings) =>
		`${count(errors)} 个错误，${count(warnings)} 个警告`,

	fixed: (title) => `已修复：${title}`,
	fixAllTitle: (n) => `应用 ${count(n)} 个确定的修复`,
	fixedAll: (n) => `已应用 ${count(n)} 个修复。`,

	panels: {
		problems: "问题",
		convert: "转换",
		devices: "设备",
		audit: "盘点",
		cel: "表达式",
		nodes: "节点（v1alpha1/2）",
		request: "请求",
		policy: "策略",
	},

	accept: (who) => `${who}会接受`,
	acceptWarn: (who, n) => `${who}会接受，另有 ${count(n)} 条提示`,
	refuse: (who, n, later) =>
		`${who}会拒绝：${count(n)} 个错误${later > 0 ? `，改正后还有 ${count(later)} 个` : ""}`,
	problemsHere: (n) => `${count(n)} 个错误`,
	judgedAs: (release) => `Kubernetes ${release}`,
	subjects: { kubectl: "kubectl ", "kube-apiserver": "API 服务器" },
	origins: {
		kubectl: "kubectl",
		"kube-apiserver": "API 服务器",
		"kube-scheduler": "调度器",
		claimkit: "claimkit",
	},
	originNotes: {
		kubectl: "在发送之前就会指出",
		"kube-apiserver": "会逐字返回",
		"kube-scheduler": "在放置 Pod 时指出",
		claimkit: "我们自己的提示",
	},
	severities: { error: "错误", warning: "警告", info: "提示" },
	place: (line, column) => `第 ${line} 行，第 ${column} 列`,
	statusOf: (name) => `服务器会为 ${name} 返回的 Status`,
	showMore: (n) => `再显示 ${count(n)} 条`,
	notListed: (n) =>
		`另有 ${n.toLocaleString("zh")} 个未在此列出；报告包含全部问题。`,
	explain: (code) => `${code} 的含义`,
	announceFindings: (errors, warnings) =>
		errors + warnings === 0
			? "没有问题。"
			: `${count(errors)} 个错误，${count(warnings)} 个警告。`,

	losses: (n) => (n === 0 ? "不会丢失任何内容。" : `会丢失 ${count(n)} 个值`),
	lossesAllowed: (n) => `丢失 ${count(n)} 个值`,
	unchanged: (version) => `无需更改：所有对象都已是 ${version}。`,

	verdicts: { Yes: "可以", Possible: "可能", No: "不可", Error: "错误" },
	verdictNotes: {
		Yes: "已分配，且可在此使用",
		Possible: "没有已知的不利因素",
		No: "不能在此使用",
		Error: "调度器报错并停止",
	},
	nodeCount: (shown, all) =>
		shown === all
			? `${count(all)} 个节点`
			: `${count(all)} 个节点中的 ${count(shown)} 个`,
	columnCount: (shown, all) =>
		`${count(all)} 个资源申领中的前 ${count(shown)} 个`,
	cell: (node, claim, verdict) => `${node}，${claim}：${verdict}`,
	term: (i, n) => `条件 ${i}（共 ${n} 个）`,
	termOutcomes: {
		Match: "匹配",
		NoMatch: "不匹配",
		Empty: "为空，不选择任何节点",
		Error: "无法读取",
	},
	whatIfAnswer: (verdict) => `使用这些标签：${verdict}`,
	removeLabel: (key) => `移除 ${key}`,
	labelValue: (key) => `${key} 的值`,
	selects: (n) => `选择 ${count(n)} 个节点`,
	removes: (n) => `排除 ${count(n)} 个节点`,
	removesAlone: (n, names) => `仅因此条而排除 ${count(n)} 个节点：${names}`,

	operations: {
		create: "创建",
		update: "更新",
		updateStatus: "更新 status",
		patch: "补丁",
		patchStatus: "status 补丁",
	},
	patchTypes: {
		strategic: "策略性合并",
		merge: "合并（RFC 7386）",
		json: "JSON 补丁（RFC 6902）",
		apply: "服务器端应用",
	},
	vias: { kubectl: "kubectl", validator: "仅验证函数" },
	viaNotes: {
		kubectl: "与用户遇到的一致：补上名字空间，清除由服务器管理的元数据",
		validator: "严格按此对象，不补任何内容",
	},
	wouldRefuse: (code, reason) => `服务器会返回 ${code} ${reason}。`,
	objectOf: (i, n) => `对象 ${i}/${n}`,

	policyFor: (name) => `针对 ${name}`,

	checkedIn: (ms) => `检查用时 ${ms} 毫秒`,
	lineColumn: (line, column) => `行 ${line}，列 ${column}`,
	draftStates: {
		kept: "草稿保存在此浏览器",
		tab: "标签页打开期间保存草稿",
		off: "此浏览器不保存草稿",
	},

	noSuchExample: (id) => `没有名为“${id}”的示例。`,
	shareTooMany: (n, most) =>
		`一个链接最多容纳 ${most} 个文件，目前有 ${n} 个。请改为下载。`,
	historyFiles: (n) => `${count(n)} 个文件`,
	when: (at) =>
		new Date(at).toLocaleString("zh-Hans", {
			dateStyle: "medium",
			timeStyle: "short",
		}),

	aboutServes: (release, versions) => `Kubernetes ${release}：${versions}`,
	aboutBuild: (build) => `构建 ${build}。Apache 许可证 2.0。`,

	fixAllWill: (n) => `将应用 ${count(n)} 处修复`,
	fixAllRest: (n) => `另有 ${count(n)} 处修复会删除您写下的内容，请逐一应用。`,
	lineNumber: (n) => `第 ${n} 行`,

	exampleLink: (name) => `复制“${name}”的地址`,

	decisions: (n) => `${count(n)} 处工具无法得知，采用了假设`,
	lossCount: (n) => `${count(n)} 处丢失`,
	decisionCount: (n) => `${n} 处假设`,
	removedIn: (version, release) => `从 ${release} 起不再提供 ${version}`,
	convertNone: (versions) =>
		`没有可转换的内容：文件中没有 ${versions} 的对象。`,
	convertUnknown: (version) => `本页不转换 \`${version}\`。`,

	contextAlone: (kind, name) =>
		`未使用 ${kind} \`${name}\`：文本中没有 Pod \`${name}\`。添加该 Pod 即可查看其调度上下文的作用。`,
	notOwned: (name) =>
		`调度上下文 \`${name}\` 没有以 UID 将其 Pod 列为属主，因此调度器报错并停止。在集群中两者由调度器写入；手写的一对也需要它们。`,
	wouldWork: (node) => `怎样让 ${node} 可用`,
	wouldGiveDevices: (node) =>
		`怎样在 ${node} 上得到设备；另有其他原因使 Pod 不能放置于此`,
	wouldWorkChecked: (verdict) => `这样一来，结论为：${verdict}。`,

	releaseRefuses: (n) => `${count(n)} 个错误`,

	reportFormats: { markdown: "Markdown", sarif: "SARIF", json: "JSON" },
	saved: (name) => `已保存 ${name}。`,

	notJudged: (kind) => `此处不判断 ${kind}：只检查 resource.k8s.io 的对象。`,

	allocationVerdicts: {
		allocated: "得到设备",
		none: "得不到设备",
		error: "错误",
		"node-error": "此节点上出错",
		unavailable: "其资源申领已在别处分配",
		refused: "设备足够，但节点被拒绝",
		undecided: "未决：搜索过长",
	},
	supposed: {
		free: (name) => `${name} 不占用任何设备`,
		untaint: (name) => `没有设备带有污点 ${name}`,
		"without-rule": (name) => `规则 ${name} 不存在`,
		"node-like": (name) => `再多一个与 ${name} 相同的节点`,
	},
	askUntaint: (taint) => `假设没有污点 ${taint} 再试`,
	askNodeLike: (node) => `假设再多一个与 ${node} 相同的节点`,
	andMore: (n) => `另有 ${count(n)} 个`,
	stages: {
		node: () => "在节点上",
		pool: () => "在可用的池中",
		feature: () => "不含已关闭的特性",
		class: (name) => `属于设备类 ${name}`,
		selector: (index) => `通过选择算符 ${index}`,
		deviceNode: () => "自身就在此节点上",
		free: () => "空闲",
		capacity: () => "容量足够",
		counters: () => "计数器足够",
		taint: () => "没有污点",
		constraint: () => "具有约束所需的属性",
	},
	missingAttribute: (path, on, of) =>
		`${of} 个设备中有 ${on} 个具有 \`${path}\`。`,
	didYouMean: (names) => `是否想写 ${names}？`,
	namesOfDomain: (names) => `它们在该域中有 ${names}。`,
	wantedDevices: (mode, n) =>
		mode === "All" ? `需要全部，至少 ${n} 个` : `需要 ${n} 个`,
	selectorOf: (of, index) => `${of}，选择算符 ${index}`,
	heldBy: (device, claim, pods, share) =>
		`\`${device}\`${share && `（${share}）`}：资源申领 \`${claim}\`，${pods.length > 0 ? `为 ${pods.join("、")} 预留` : "没有 Pod 预留"}`,
	charged: (device, name, asked, charged, left) =>
		`\`${device}\`：${asked && `${asked} 的 `}${name} 按 ${charged} 计入，剩余 ${left}`,
	poolStates: {
		ok: "完整",
		incomplete: "不完整",
		invalid: "无效",
		obsolete: "旧的代次",
	},

	expressionHint: 'device.attributes["域"].名称 == …',
	compiles: (type, cost) => `可以编译：${type}，估计开销 ${cost}。`,
	selectsDevices: (n, all, among) =>
		`选中${among && ` ${among} 类的`} ${count(all)} 个设备中的 ${count(n)} 个。`,
	spent: (cost) => `开销 ${cost}`,

	// 整段到来的文本
	notUtf8: (names) =>
		`${names}：不是 UTF-8。无法解码的字节显示为 U+FFFD，kubectl 也这样读取；在您修改之前，保存的仍是原文件。`,
	dumpOf: (kinds) =>
		`一个集群：${kinds.map(([kind, n]) => `${count(n)} 个 ${kind}`).join("、")}`,
	ifApplied: (verdict) => `若原样应用：${verdict}`,
	otherGroups: (n) =>
		`${count(n)} 个其他 API 组的对象未检查：只检查 resource.k8s.io 的对象。`,

	// 等待中的 Pod
	moreAlike: (n) => `另有 ${count(n)} 个相同`,
	replicasOf: (n) => `共 ${count(n)} 个之一`,
	otherReasons: (n) => `另有 ${count(n)} 个原因`,
	podsWait: (waiting, pods) =>
		`${count(pods)} 个 Pod 中有 ${count(waiting)} 个得不到节点`,
	fitsOn: (fits, nodes) =>
		`可放在 ${count(nodes)} 个节点中的 ${count(fits)} 个`,
	assumed: (n) => `有 ${count(n)} 项假设`,
	lacks: {
		node: () => "节点上的设备太少",
		pool: () => "可用资源池中的设备太少",
		feature: () => "设备使用了未启用的特性",
		class: (name) => `${name} 类的设备太少`,
		selector: (request) => `请求 ${request} 的选择算符留下的设备太少`,
		deviceNode: () => "设备属于其他节点",
		free: () => "设备已被占用",
		capacity: () => "容量不足",
		counters: () => "计数器不足",
		taint: () => "设备有污点",
		constraint: () => "约束没有共同的值",
		conflict: () => "各请求无法同时满足",
		resources: () => "节点资源不足",
		unavailable: () => "其申领已分配到别处",
		undecided: () => "搜索时间过长",
		refused: (reasons) => reasons,
		leftOut: () => "未列出",
	},
	placedInTurn: (placed, all) =>
		`按 kube-scheduler 的顺序依次放置：${count(all)} 个 Pod 中有 ${count(placed)} 个得到节点。`,
	tiesTried: {
		all: (n) => `有些节点得分相同：已尝试全部 ${count(n)} 种选择。`,
		some: (n) => `有些节点得分相同：尝试了 ${count(n)} 种选择，并非全部。`,
	},
	turnOutcomes: {
		bound: (node) => `得到 ${node}`,
		preparing: (node) => `在设备与卷就绪后得到 ${node}`,
		placed: (node) => `已在 ${node} 上`,
		ended: () => "已结束",
		unschedulable: () => "没有可放置的节点",
		error: () => "错误使此次尝试结束",
		gated: () => "尚未调度",
		notKnown: () => "未知",
		notConsidered: () => "不予考虑",
	},
	takenByName: (others, depends) =>
		`按名称选取：${others.length > 5 ? `${others.slice(0, 5).join("、")} 等 ${count(others.length)} 个` : others.join("、")}得分相同，kube-scheduler 任取其一${depends ? "；选择不同，结果也不同" : ""}`,
	saidEarlier: (message) => `之前一次尝试给出：${message}`,
	notCertain: (why) => `不确定：${why}`,
	waitsFor: (what) => `等待 ${what}`,
	nominated: (node, victims) =>
		`抢占会在 ${node} 上腾出空间：${victims} 将结束`,
	givenBack: (claim) => `ResourceClaim ${claim} 被退回，然后重新尝试该 Pod`,
	auditFound: (n) => `${count(n)} 条发现`,
	upgradeGood: (from, to) => `从 ${from} 升级到 ${to}，这些对象没有妨碍。`,
	upgradeFound: (n, from, to) => `从 ${from} 到 ${to}：${count(n)} 类问题`,
	usageBy: {
		nodes: "节点",
		pools: "资源池",
		drivers: "驱动",
		classes: "设备类",
		namespaces: "名字空间",
	},
	usageParts: {
		inUse: "占用",
		shared: "共享",
		blocked: "受阻",
		tainted: "有污点",
		free: "空闲",
	},
	usageNotes: {
		inUse: "被资源申领整个占用",
		shared: "按份额使用",
		blocked:
			"未被占用，但无法得到：计数器已用完，资源池不完整或无效，或没有可调度 Pod 的节点提供它",
		tainted: "未被占用，但有污点，没有相应容忍度的申领不能使用",
		free: "以上都不是",
	},
	amountOf: (used, total, free) => `${total} 中已用 ${used}，空闲 ${free}`,
	amountUsed: (used) => `已用 ${used}`,
	rowCount: (shown, all) =>
		shown === all
			? `${count(all)} 行`
			: `${count(all)} 行中的 ${count(shown)} 行`,
	preRelease: (asked) =>
		`Kubernetes ${asked} 是预发布版本：正式版的回答可能不同。`,
	rulesOf: (asked, release, adjusted) =>
		`从未记录过 Kubernetes ${asked}：按 ${release} 的规则回答${adjusted ? "，但不含上游历史中已知的后续更改" : ""}。`,
	convertedOf: (n, all) => `${count(all)} 个文件中有 ${count(n)} 个会更改`,
	stillConverting: (n, all) => `已转换 ${count(n)} / ${count(all)}…`,
	fileUnread: (line) => `无法读取，第 ${line} 行：`,
	savedPatch: (n, folder) =>
		`已保存 ${count(n)} 个文件的更改：${folder && `在文件夹 ${folder} 中`}用 \`git apply claimkit.patch\` 应用。`,
	convertedFiles: (n) => `已转换 ${count(n)} 个文件。`,
	savedAll: (n) => `已将 ${count(n)} 个文件保存到 claimkit.zip。`,
	lossesOfAll: (n) => `所有文件共丢失 ${count(n)} 个字段`,
	refusals: {
		NodeAffinity: "不符合节点选择算符或亲和性",
		NodePorts: "主机端口已被占用",
		PodTopologySpread: "不满足拓扑分布约束",
		VolumeRestrictions: "卷正被其他 Pod 使用",
		NodeVolumeLimits: "卷的数量超出上限",
		VolumeBinding: "没有可用的卷",
		VolumeZone: "卷在其他可用区",
		InterPodAffinity: "不满足 Pod 亲和性",
	},
	otherRelease: (answered, kubelet) =>
		`当前回答针对${answered === "" ? "最新发行版" : ` Kubernetes ${answered}`}；节点运行 ${kubelet}。`,
	firstReleaseTaken: (value) =>
		`按 Kubernetes ${value} 回答：这是多个集群中第一个的版本。`,
	nodesReleaseTaken: (value, kubelet, nodes, all) =>
		`按 Kubernetes ${value} 回答：${nodes === all ? `${count(all)} 个节点` : `${count(all)} 个节点中的 ${count(nodes)} 个`}运行 ${kubelet}。`,
	answerAs: (release) => `按 ${release} 回答`,
	taintedNote: (taints) =>
		`Pod 需要容忍：${taints}。各自单独放置时，设备的答案照样给出。`,
	podCount: (shown, all) => `${count(all)} 个 Pod 中的 ${count(shown)} 个`,
	templatesToo: (names) =>
		`模板 ${names} 也随之更改，用于下一个 Pod；集群中的申领不能修改，因此需要重建 Pod。`,

	// 表达式的设备
	listedWhich: {
		all: (n) => `全部 ${count(n)} 个`,
		match: (n) => `选中：${count(n)} 个`,
		other: (n) => `未选中：${count(n)} 个`,
	},
	functionGroups: {
		device: "设备",
		"": "不在值上调用",
		dyn: "任何值的方法",
		string: "字符串的方法",
		list: "列表的方法",
		map: "映射的方法",
		Quantity: "数量的方法",
		Semver: "版本的方法",
		optional: "可选值的方法",
		duration: "时长的方法",
		timestamp: "时间的方法",
		IP: "IP 地址的方法",
		CIDR: "CIDR 的方法",
		URL: "URL 的方法",
		NamedFormat: "格式的方法",
	},
	functionSince: (release) => `自 ${release} 起`,
	functionAbsent: (release) => `${release} 中没有`,
	moreSignatures: (n) => `另有 ${count(n)} 个签名`,
	casesHold: (n, all) => `${count(all)} 个中有 ${count(n)} 个成立`,
	caseWanted: (device) => `对 ${device} 的期望`,
	keepCase: (device) => `把 ${device} 连同此结果留作用例`,
	writeInto: (place, more) =>
		more > 0
			? `写入 ${place} 以及另外 ${count(more)} 处相同的表达式`
			: `写入 ${place}`,
	selectorWritten: (n) => `已写入 ${count(n)} 个选择算符。`,
	changedIn: (version) => `${version}，有更改`,
	findingCount: (shown, all) =>
		shown === all
			? `${count(all)} 条`
			: `${count(all)} 条中的 ${count(shown)} 条`,
	moreOf: (n, code) => `另有 ${count(n)} 条 ${code}`,
	referencesBad: (n) =>
		`已在其他标签页中查找其 Pod 所引用的对象：${count(n)} 条意见`,

	gates: "特性门控和名字空间标签",
	gatesNote:
		"在该版本的默认值之上，与集群组件的启动参数一致；链接和草稿会保留它们。",
	namespaceLabels: "名字空间的标签",
	gatesWrong: (words) => `无法理解：${words}。请写成 NAME=true 或 NAME=false。`,
	gateDefault: (on) => (on ? "默认开启" : "默认关闭"),
	configKeys: {
		release: "按哪个版本回答：1.36、1.36.2",
		gates: "覆盖该版本的默认值",
		"namespace-labels": "请求所在名字空间的标签",
		ignore: "不显示的发现代码",
		exclude: "命令行跳过的路径",
	},
	configInForce: (release, gates, labels) =>
		`生效：版本 ${release}，${count(gates)} 个门控，${count(labels)} 个名字空间标签`,
	configLine: (line) => `第 ${line} 行：`,
	gateCount: (n) => `${count(n)} 个门控`,

	editorPhrases: {
		Find: "查找",
		Replace: "替换",
		next: "下一个",
		previous: "上一个",
		all: "全部",
		"match case": "区分大小写",
		"by word": "全字匹配",
		regexp: "正则表达式",
		replace: "替换",
		"replace all": "全部替换",
		close: "关闭",
		"current match": "当前匹配",
		"on line": "在行",
		"replaced match on line $": "已替换第 $ 行的匹配",
		"replaced $ matches": "已替换 $ 处匹配",
		"Go to line": "转到行",
		go: "转到",
		"Folded lines": "已折叠的行",
		"Unfolded lines": "已展开的行",
		to: "至",
		"folded code": "已折叠的代码",
		unfold: "展开",
		"Fold line": "折叠行",
		"Unfold line": "展开行",
		Diagnostics: "问题",
		"No diagnostics": "没有问题",
		Completions: "补全",
		"$ unchanged lines": "$ 行未变",
		"Selection deleted": "已删除所选内容",
		"Control character": "控制字符",
	},
};

/** All sentences, with those of `zh.json`. */
export const zh = (plain: typeof strings): Sentences => ({ ...plain, ...made });
