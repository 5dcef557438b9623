import type { FunnelStage, NodeRefusal, PodTurn, PoolAccount } from "claimkit";
import type { Lack } from "../engine/devices.ts";

/** The first names of many. */
const some = (names: readonly string[], word: string) =>
	names.length > 5
		? `${names.slice(0, 5).join(", ")} ${word} ${names.length - 5} more`
		: names.join(", ");
const plural = (n: number, one: string, many: string) =>
	`${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const plurals = (kind: string): string =>
	kind.endsWith("s") ? `${kind}es` : `${kind}s`;

/** Every sentence of the interface. `zh.ts` has the same keys. */
export const en = {
	title: "claimkit playground",
	languageName: "English",

	// header
	examples: "Examples",
	examplesIntro:
		"Each one replaces the open files. What you had can be taken back.",
	exampleGroups: {
		start: "Start here",
		devices: "Placing devices",
		kinds: "One per kind",
		mistakes: "Mistakes people make",
		nodes: "Nodes and scheduling",
		requests: "Requests and policy",
	},
	release: "Release",
	releaseAuto: "automatic",
	releaseAutoNote:
		"Each object chooses the last known release that serves its kind in its version: v1alpha2 1.30, v1 the newest.",
	share: "Share",
	shareDone: "Link copied. It holds all open files; nothing was uploaded.",
	shareTooLong: (n: number) =>
		`This is too much for a link (${n.toLocaleString("en")} characters). Download the files instead.`,
	shareManual: "The link is in the address bar; copy it from there.",
	shareBroken: "This link is damaged: its contents could not be read.",
	shareOpened: "Opened a shared link.",
	exampleOpened: (name: string) => `Opened “${name}”.`,
	takeBack: "Take back what I had",
	reset: "Reset",
	embedTitle: "Embed this",
	embedIntro:
		"What is open here, inside another page. It keeps nothing, sends nothing, and leads to the whole page.",
	embedPanelOnly: "the answer alone, without the editor",
	embedHeight: "Height in pixels",
	embedFrame: "For a page",
	embedBadge: "A badge for a README",
	copyFrame: "Copy iframe",
	copyBadge: "Copy badge",
	embedOpen:
		"Who hosts this page can show files that lie beside it: `#open=./file.yaml`, several with `&open=./other.yaml`, and `&panel=devices&embed=1`. Files of other origins are not asked for.",
	openElsewhere: (origin: string) =>
		`${origin} is another origin: this page opens only files that are beside it.`,
	openFailed: (path: string, why: string) =>
		`${path} could not be read: ${why}`,
	resetDone: "Everything is as on the first visit.",
	theme: "Theme",
	themes: { system: "System", light: "Light", dark: "Dark" },
	language: "Language",
	more: "More",
	shortcuts: "Keyboard",
	shortcutList: [
		["Mod + .", "fixes for this line"],
		["F8 / Shift + F8", "next or previous finding"],
		["Mod + S", "save the file to disk"],
		["Ctrl + Space", "completion"],
		["Mod + F", "search"],
		["Mod + Shift + [ or ]", "fold, unfold"],
		["Alt + 1 … 8", "open a panel"],
		["Esc, then Tab", "leave the editor"],
	] as [string, string][],
	close: "Close",
	notice: "Message",
	newVersion: "A new version of this page is ready.",
	reload: "Reload",

	// files
	files: "Files",
	newFile: "New file",
	fileMenu: "File options",
	fileName: "Name",
	fileRole: "Used as",
	roles: {
		manifest: "Manifest",
		nodes: "Nodes",
		stored: "Stored object",
		patch: "Patch",
		settings: "Policy settings",
		config: "Project settings",
	},
	roleNotes: {
		manifest: "checked as you type",
		nodes: "what claims are placed on",
		stored: "what an update is compared with",
		patch: "applied to the stored object",
		settings: "of the policy module",
		config: "claimkit.toml: release, gates, labels",
	},
	download: "Download",
	openFiles: "Open files…",
	closeFile: (name: string) => `Close ${name}`,
	closed: (name: string) => `Closed ${name}.`,
	undo: "Undo",
	dropHere: "Drop files to open them",
	dropped: (n: number) => (n === 1 ? "Opened 1 file." : `Opened ${n} files.`),
	replacedFiles: (n: number) =>
		n === 1
			? "It takes the place of the open file of its name."
			: `${n} of them take the place of open files of their names.`,
	keepBoth: "Keep both",
	dropFailed: (name: string) => `${name} could not be read.`,
	looksLikeNodes: "This looks like Nodes, not a manifest.",
	useAsNodes: "Use as nodes",
	fileProblems: (errors: number, warnings: number) =>
		`${plural(errors, "error", "errors")}, ${plural(warnings, "warning", "warnings")}`,

	// editor
	editor: "Editor",
	editorLabel: "Text editor. Press Escape, then Tab to leave it.",
	fold: "Fold",
	unfold: "Unfold",
	fix: "Fix",
	fixes: "Fixes for this line",
	noFixHere: "No fix for this line.",
	fixed: (title: string) => `Fixed: ${title}`,
	fixAll: "Fix all",
	fixAllTitle: (n: number) =>
		`Apply the ${plural(n, "fix that is certain", "fixes that are certain")}`,
	fixedAll: (n: number) => `${plural(n, "fix", "fixes")} applied.`,
	textChanged: "The text has changed since; it is being checked again.",
	resize: "Resize editor and panel",

	// panels
	panels: {
		problems: "Problems",
		convert: "Convert",
		devices: "Devices",
		audit: "Audit",
		cel: "Expression",
		nodes: "Nodes (v1alpha1/2)",
		request: "Request",
		policy: "Policy",
	},
	panelList: "Panels",
	waiting: "Checking…",
	starting: "Starting the engine…",
	startFailed:
		"The engine could not be loaded: something between this page and its server, such as a proxy or an extension, kept back the WebAssembly file, or this browser cannot run it.",
	tryAgain: "Try again",
	recovered: "The engine stopped on the last text and was started again.",
	stopped:
		"The engine keeps stopping on this text. It starts again when you ask for it.",
	crashedOn: "The engine stopped while checking this text:",

	noManifest:
		"None of the open files is a manifest, so there is nothing to check. Add one, or choose in a file's menu what it is used as.",
	newManifest: "Add a manifest",

	// problems
	accept: (who: string) => `${who} would accept this`,
	acceptWarn: (who: string, n: number) =>
		`${who} would accept this, with ${plural(n, "remark", "remarks")}`,
	refuse: (who: string, n: number, later: number) =>
		`${who} would refuse this: ${plural(n, "error", "errors")}${later > 0 ? `, and ${later.toLocaleString("en")} more once ${n === 1 ? "it is" : "they are"} mended` : ""}`,
	problemsHere: (n: number) => plural(n, "error", "errors"),
	nothingChecked: "Nothing was checked",
	judgedAs: (release: string) => `Kubernetes ${release}`,
	/** As the subject of a sentence. */
	subjects: { kubectl: "kubectl", "kube-apiserver": "The API server" },
	origins: {
		kubectl: "kubectl",
		"kube-apiserver": "API server",
		"kube-scheduler": "scheduler",
		claimkit: "claimkit",
	},
	originNotes: {
		kubectl: "says so before anything is sent",
		"kube-apiserver": "answers this, word for word",
		"kube-scheduler": "says this when a pod is placed",
		claimkit: "our own remarks",
	},
	severities: { error: "error", warning: "warning", info: "note" },
	place: (line: number, column: number) => `line ${line}, column ${column}`,
	objects: "Objects",
	statusOf: (name: string) => `The Status the server would return for ${name}`,
	copy: "Copy",
	copied: "Copied.",
	copyFailed: "The browser did not allow copying.",
	showMore: (n: number) => `Show ${n.toLocaleString("en")} more`,
	notListed: (n: number) =>
		`${n.toLocaleString("en")} more are not listed here; a report holds all of them.`,
	explain: (code: string) => `What ${code} means`,
	announceFindings: (errors: number, warnings: number) =>
		errors + warnings === 0
			? "No problems."
			: `${plural(errors, "error", "errors")}, ${plural(warnings, "warning", "warnings")}.`,
	emptyFile: "Paste a manifest, drop files, or start from an example.",

	// convert
	convertAll: "all files",
	downloadAll: "Download all (zip)",
	applyAll: "Apply to all",
	convertedOf: (n: number, all: number) =>
		`${n.toLocaleString("en")} of ${plural(all, "file changes", "files change")}`,
	stillConverting: (n: number, all: number) => `${n} of ${all} converted…`,
	convertedFiles: (n: number) =>
		`${plural(n, "file was", "files were")} converted.`,
	savedAll: (n: number) =>
		`${plural(n, "file", "files")} saved in claimkit.zip.`,
	fileNothing: "nothing to convert",
	fileRefused: "refused: it would lose fields",
	fileSame: "stays as it is",
	fileConverted: "converted",
	fileUnread: (line: number) => `not read, line ${line}:`,
	downloadPatch: "Save as a patch",
	savedPatch: (n: number, folder: string) =>
		`Saved the changes of ${plural(n, "file", "files")}: \`git apply claimkit.patch\` makes them${folder && ` in the folder ${folder}`}.`,
	objectWord: "Object",
	lossesWord: "Lost",
	assumedWord: "Assumed",
	result: "Result",
	fieldWord: "Field and value",
	why: "Why",
	lossesOfAll: (n: number) =>
		`${plural(n, "field is", "fields are")} lost in all files`,
	convertTo: "Convert to",
	targetOther: "suggested",
	allowLossy: "Allow losses",
	losses: (n: number) =>
		n === 0
			? "Nothing is lost."
			: `${plural(n, "value would be lost", "values would be lost")}`,
	lossesAllowed: (n: number) =>
		`${plural(n, "value is lost", "values are lost")}`,
	noConversion: "Not converted",
	unchanged: (version: string) =>
		`Nothing to change: every object is ${version} already.`,
	apply: "Apply",
	applied: "The converted text is in the editor.",
	before: "Before",
	after: "After",
	convertSkipped: "Left as it is",

	// nodes
	forDevices:
		"These objects are of the versions from `v1alpha3` on, where the scheduler chooses devices. The Devices panel shows which ones each pod gets on each node, and why none.",
	openDevices: "Open Devices",
	forNodes:
		"These objects are of `v1alpha1` or `v1alpha2`, where a driver chooses the node. The Nodes panel shows where each claim can go, and why not elsewhere.",
	openNodes: "Open Nodes",
	nodesIntro:
		"Add a file with Nodes to see where each claim can go: `kubectl get nodes -o json`, YAML, or an example.",
	addNodes: "Add sample nodes",
	filterNodes: "Filter nodes",
	filterHint: "name, label or key=value",
	verdicts: { Yes: "Yes", Possible: "Possible", No: "No", Error: "Error" },
	verdictNotes: {
		Yes: "allocated, and usable here",
		Possible: "nothing known speaks against it",
		No: "cannot be used here",
		Error: "the scheduler stops with an error",
	},
	nodeCount: (shown: number, all: number) =>
		shown === all
			? plural(all, "node", "nodes")
			: `${shown.toLocaleString("en")} of ${plural(all, "node", "nodes")}`,
	columnCount: (shown: number, all: number) =>
		`the first ${shown.toLocaleString("en")} of ${plural(all, "claim", "claims")}`,
	matrix: "Nodes and claims",
	node: "Node",
	noClaims: "The manifest has no claim, class or pod to place.",
	noMatches: "No node passes the filter.",
	cell: (node: string, claim: string, verdict: string) =>
		`${node}, ${claim}: ${verdict}`,
	pickCell: "Select a cell to see why.",
	term: (i: number, n: number) => `Term ${i} of ${n}`,
	termOutcomes: {
		Match: "matches",
		NoMatch: "does not match",
		Empty: "is empty and selects nothing",
		Error: "cannot be read",
	},
	nearest: "nearest",
	labels: "Labels of the node",
	whatIf: "What if",
	whatIfNote: "Try other labels here; the nodes file stays as it is.",
	whatIfAnswer: (verdict: string) => `With these labels: ${verdict}`,
	addLabel: "Add label",
	removeLabel: (key: string) => `Remove ${key}`,
	resetLabels: "Reset labels",
	labelKey: "Label key",
	labelValue: (key: string) => `Value of ${key}`,
	schedulerSays: "The scheduler says",
	removal: "What each requirement removes",
	selects: (n: number) => `selects ${plural(n, "node", "nodes")}`,
	removes: (n: number) => `removes ${plural(n, "node", "nodes")}`,
	removesAlone: (n: number, names: string) =>
		`${plural(n, "node", "nodes")} by itself alone: ${names}`,
	empties: "Without it the term would select nodes; with it, none.",
	next: "Then the pod is told",

	// request
	operation: "Operation",
	operations: {
		create: "create",
		update: "update",
		updateStatus: "update status",
		patch: "patch",
		patchStatus: "patch status",
	},
	noStored: "An update is compared with a stored object. There is none yet.",
	makeStored: "Use the manifest as stored object",
	newStored: "Add a stored object",
	noPatch: "A patch needs a text to apply.",
	makePatch: "Start a patch",
	patchType: "Patch type",
	patchTypes: {
		strategic: "strategic merge",
		merge: "merge (RFC 7386)",
		json: "JSON patch (RFC 6902)",
		apply: "server-side apply",
	},
	fieldManager: "Field manager",
	force: "Force conflicts",
	via: "Sent by",
	vias: { kubectl: "kubectl", validator: "validator only" },
	viaNotes: {
		kubectl:
			"as a person meets it: namespace filled in, server-owned metadata wiped",
		validator: "exactly this object, nothing filled in",
	},
	fieldValidation: "Field validation",
	namespace: "Namespace",
	beforeStored: "Stored",
	afterStored: "As the server reads it, with defaults",
	afterPatch: "After the patch",
	wouldAccept: "The server would take it.",
	wouldRefuse: (code: number, reason: string) =>
		`The server would answer ${code} ${reason}.`,
	notValid: "The validators refuse it.",
	editStored: "Edit",
	objectOf: (i: number, n: number) => `Object ${i} of ${n}`,
	sameObject: "Both sides are the same.",

	// policy
	settings: "Settings",
	settingsNote:
		"Empty settings check strictly and allow every class. Choose an example for what else there is, or paste ValidatingAdmissionPolicies of your own.",
	settingsErrors: "The policy module refuses these settings",
	policiesErrors: "The API server refuses these policies",
	noPolicyAsked: "no policy is asked",
	policyUnknown: "not known",
	policyResults: {
		pass: "allows it",
		fail: "refuses it",
		warn: "warns",
		audit: "audit log only",
		skip: "not asked",
		unknown: "not known",
	},
	allowed: "allowed",
	denied: "denied",
	mutated: "allowed, changed",
	policyFor: (name: string) => `For ${name}`,
	policyOperation: "Operation",
	user: "User",
	groups: "Groups",
	notOurs: "not asked: the policy is for resource.k8s.io and for pods",
	notAsked: "not asked: the API server refuses it first",
	warnings: "Warnings",
	audit: "Audit annotations",
	insertSetting: "Insert an example",
	saveRequest: "Save its AdmissionRequest, for the command line",
	policyNoStored:
		"The policy is asked about the stored object, too. There is none yet.",
	foreignPolicy: (kind: string, version: string) =>
		`A \`${kind}\` of \`${version}\` is not asked here. Settings of the policy module are, a \`ClusterAdmissionPolicy\` with them, and \`ValidatingAdmissionPolicy\`.`,
	policyNothing: "The manifest has no object the policy looks at.",
	policyForms: {
		vap: "The settings as ValidatingAdmissionPolicies",
		map: "The settings as MutatingAdmissionPolicies",
		kyverno: "The settings as ValidatingPolicies of Kyverno",
	},
	policyFormCount: (n: number) =>
		n === 1 ? "1 policy" : `${n.toLocaleString()} policies`,
	policyFormNone: "No setting here can be held by a policy of this form.",

	// status bar
	checkedIn: (ms: string) => `checked in ${ms} ms`,
	lineColumn: (line: number, column: number) => `Ln ${line}, Col ${column}`,
	offlineReady: "works offline",
	offline: "offline",
	draftStates: {
		kept: "draft kept in this browser",
		tab: "draft kept while this tab is open",
		off: "this browser keeps no drafts",
	},
	noRoom:
		"This browser takes no more drafts: its storage is full or switched off. What you write here may be gone once the tab is closed.",
	privacy: "Nothing leaves this page",

	// links, drafts and the history
	historyOpened: "Opened from the history.",
	noSuchExample: (id: string) => `There is no example “${id}”.`,
	noSuchFinding: "The finding that the link leads to is not among these.",
	addressUnknown:
		"This address has nothing the page can open: the part after # was not understood.",
	shareTooMany: (n: number, most: number) =>
		`A link holds at most ${most} files; there are ${n}. Download them instead.`,
	shareAnswerDone:
		"Link to this answer copied. It holds all open files; nothing was uploaded.",
	history: "History",
	historyIntro:
		"What stood in the editor before something else took its place, and tabs that were closed. It is kept in this browser only.",
	historyEmpty:
		"Nothing yet. Opening an example or a link puts what you had here.",
	historyDraft: "closed tab",
	historyFiles: (n: number) => plural(n, "file", "files"),
	open: "Open",
	remove: "Delete",
	when: (at: number) =>
		new Date(at).toLocaleString("en", {
			dateStyle: "medium",
			timeStyle: "short",
		}),

	// what this is
	tagline:
		"Checks Kubernetes device claims (Dynamic Resource Allocation) as kubectl and the API server do",
	about: "About",
	aboutTitle: "About this page",
	aboutWhat:
		"Dynamic Resource Allocation (DRA) is how Kubernetes gives pods devices such as GPUs: a claim asks for a device of a class, the scheduler and a driver agree on a node. This page reads such manifests as kubectl and the API server read them, says what they would answer, converts between API versions, and shows which nodes can use a claim and why the others cannot.",
	aboutVersions: "Versions of resource.k8s.io",
	aboutServes: (release: string, versions: string) =>
		`Kubernetes ${release}: ${versions}`,
	aboutExact: "How exact it is",
	aboutExactText:
		"What kubectl, the API server, the compiler of expressions and the scheduler's allocator answer to thousands of inputs was recorded from upstream, by release and feature gate. The project's tests give claimkit the same inputs and compare byte for byte. What a finding says in upstream's words stays in its language; advice and hints are claimkit's own.",
	aboutNotLookedAt:
		"Not looked at: permissions, quotas and webhooks; CPU, memory, affinity and taints of nodes; what a driver decides; and objects that are not in the text. The time that a check took is measured in this browser.",
	aboutPrivacy: "Privacy",
	aboutPrivacyText:
		"Everything runs in this page. Your texts stay in this browser; a shared link carries them after the #, which browsers send to no server. The page loads nothing from elsewhere and counts nobody.",
	aboutOffline: "Offline",
	aboutOfflineText:
		"After the first visit the page works without a network. To run it on your own machine: `make playground` in the repository builds it, serves it and prints its address.",
	aboutSource: "Source and build",
	aboutBuild: (build: string) => `Build ${build}. Apache License 2.0.`,
	aboutSourceText:
		"The page belongs to claimkit, a library for the same in JavaScript, in policy engines and on the command line.",
	aboutCodes: "All finding codes",
	aboutDocs: "Dynamic Resource Allocation in the Kubernetes documentation",

	// fixing everything
	fixAllWill: (n: number) => `${plural(n, "fix", "fixes")} will be applied`,
	fixAllRest: (n: number) =>
		`${plural(n, "fix removes", "fixes remove")} something you wrote; apply ${n === 1 ? "it" : "them"} one by one.`,
	fixAllNone: "No fix is certain enough to apply without asking.",
	cancel: "Cancel",
	applyFixes: "Apply",
	lineNumber: (n: number) => `line ${n}`,

	// examples
	searchExamples: "Search examples",
	noExamples: "No example has these words.",
	exampleLink: (name: string) => `Copy the address of “${name}”`,
	exampleLinkDone: "Address of the example copied.",
	exampleCodes: "One per finding",

	// answers
	linkAnswer: "Copy a link to this",
	copyMarkdown: "Copy as Markdown",
	copyMarkdownDone: "Copied as Markdown.",
	answersNow: "answers this now, word for word",
	answersLater: "would answer this once that is mended",
	unchecked: "not checked",
	noName: "no name",
	anyFile: "this file",

	// what was pasted
	guideNodes:
		"These are Nodes. Use the file as nodes to see where claims can go.",
	guidePatch:
		"This is a patch. Apply it to a stored object in the Request panel.",
	guideDescribed:
		"This is what `kubectl describe` prints for people; it is no manifest. Paste what this prints.",
	guideTable:
		"This is the table that `kubectl get` prints for people; it has no manifests in it. Paste what this prints.",
	guideHelm:
		"This is a Helm template: it becomes a manifest only when Helm fills it in. Paste what `helm template …` prints.",
	guideLive:
		"This is a live object, as `kubectl get -o yaml` prints it: the server sets its uid, resourceVersion and status itself, and drops them from what is created. To judge a change of it, use it as the stored object of an update.",
	guideSettings: "These are settings of the policy module.",
	guidePolicies:
		"These are policies that an API server evaluates itself. The Policy panel shows what they say of a manifest.",
	pluginHead: "Devices of a device plugin",
	guidePlugin: (names: readonly string[]) =>
		`${names.join(", ")} ${names.length === 1 ? "is an extended resource of a device plugin: the scheduler counts it, and knows nothing else of it" : "are extended resources of device plugins: the scheduler counts them, and knows nothing else of them"}. With Dynamic Resource Allocation a pod claims devices of a class instead, and can say which. A driver must be installed for either way below; its own class may have another name.`,
	pluginForm:
		"The resources are written in a form that is not edited here, or the pod has claims already. Write `limits` and `requests` as blocks, one line for each.",
	makeClaims: "Make class, template and claims of it",
	claimsMade: "The pod claims its devices now.",
	makeExtended: "Keep the pod: a class serves the name (1.34 and later)",
	extendedMade:
		"The class serves the name, so that the scheduler makes a claim for the pod.",
	guideAppended:
		"These are several outputs of kubectl in one file, without `---` between them. YAML reads them as one object, of which the last values count: everything else is lost.",
	appended: "Several outputs of kubectl, read as one object",
	separate: "Put --- between them",
	separated: "Separated.",
	guideMessage:
		"This is a message and not a manifest. The pages below explain messages with these words; for the reason in your cluster paste what this prints:",
	messagePages: "Pages that explain it",
	noMessagePage: "No page of this site explains these words.",
	guideOther:
		"No object of `resource.k8s.io` is in this text, so there is nothing to check. A ResourceClaim begins with `apiVersion: resource.k8s.io/…`.",
	useAsPatch: "Use as patch",
	useAsStored: "Use as stored object",
	useAsSettings: "Use as settings",

	// converting
	decisions: (n: number) =>
		`${plural(n, "thing was", "things were")} assumed that no tool can know`,
	annotate: "Write them as comments into the text",
	alternatives: "Or:",
	lossCount: (n: number) => plural(n, "loss", "losses"),
	decisionCount: (n: number) => `${n} assumed`,
	removedIn: (version: string, release: string) =>
		`${version} is not served from ${release} on`,
	convertForRelease: "The newest that a release serves",
	convertEmpty: "Nothing to convert: the file is empty.",
	convertNone: (versions: string) =>
		`Nothing to convert: the file has no object of ${versions}.`,
	convertUnknown: (version: string) =>
		`\`${version}\` is not a version this page converts.`,
	unified: "One text",
	beside: "Side by side",

	// nodes, beside the matrix
	contextAlone: (kind: string, name: string) =>
		`${kind} \`${name}\` is not used: the text has no Pod \`${name}\`. Add the Pod to see what its scheduling context does.`,
	notOwned: (name: string) =>
		`The scheduling context \`${name}\` does not name its Pod as owner by UID, so the scheduler stops with an error. In a cluster the scheduler writes both; a hand-written pair needs them too.`,
	ownIt: "Write UID and owner",
	owned: "UID and owner written.",
	wouldWork: (node: string) => `What would make ${node} work`,
	wouldGiveDevices: (node: string) =>
		`What would give devices on ${node}; something else keeps the pod away, too`,
	wouldWorkLabels: "Change labels of the node:",
	wouldWorkNothing:
		"No change of the node's labels alone makes it work: what speaks against it is not a label.",
	wouldWorkChecked: (verdict: string) => `With that the answer is ${verdict}.`,
	picture: "How the objects hang together",

	// releases side by side
	releaseStrip: "All releases",
	releaseAccepts: "accepted",
	releaseRefuses: (n: number) => plural(n, "error", "errors"),
	releaseDiffers: "First difference",
	releaseSame: "The answer is the same in every release.",

	// reports
	report: "Report",
	reportFormats: {
		markdown: "Markdown",
		sarif: "SARIF",
		json: "JSON",
	} as Record<string, string>,
	commandLine: "The same on the command line",
	saved: (name: string) => `Saved ${name}.`,
	wrapLines: "Wrap long lines",
	fontSize: "Text size",
	loadingPanel: "Loading…",
	moreActions: "More actions",
	docsLink: "Kubernetes documentation",
	openInPage: "Open in the playground",

	// request, again
	notJudged: (kind: string) =>
		`${kind} is not judged here: only objects of resource.k8s.io are.`,

	// devices
	devicesIntro:
		"Shows which devices each pod gets on each node, and why none. It needs ResourceSlices, DeviceClasses, claims, pods and nodes, in one text or in several tabs, as this prints them:",
	devicesNoNodes:
		"The text has no Node. Add nodes to it, or a file with them: `kubectl get nodes -o yaml`.",
	devicesTitle: "Devices for each pod on each node",
	openExample: "Open an example",
	claimsWithoutPod: "claims without a pod",
	allocationVerdicts: {
		allocated: "gets its devices",
		none: "gets no devices",
		error: "error",
		"node-error": "error on this node",
		unavailable: "its claim is allocated elsewhere",
		refused: "its devices are there, but the node is refused",
		undecided: "not decided: the search was too long",
	},
	fatalNote: "This error ends the attempt for all nodes, not only here.",
	noSingleChange:
		"No single change and no pair of changes that was tried helps here.",
	applyChange: "Apply",
	showClaim: "Show the claim",
	showObject: "Show it in the text",
	supposing: "What if",
	supposed: {
		free: (name: string) => `${name} holds no devices`,
		untaint: (name: string) => `no device has the taint ${name}`,
		"without-rule": (name: string) => `the rule ${name} is not there`,
		"node-like": (name: string) => `there is one more node like ${name}`,
	} as Record<string, (name: string) => string>,
	unsuppose: "Take this change back",
	askFreed: "Try it freed",
	askUntaint: (taint: string) => `Try it without the taint ${taint}`,
	askNodeLike: (node: string) => `Try one more node like ${node}`,
	andMore: (n: number) => `and ${n.toLocaleString("en")} more`,
	stages: {
		node: () => "on the node",
		pool: () => "in usable pools",
		feature: () => "without features that are off",
		class: (name: string) => `of class ${name}`,
		selector: (index: string) => `after selector ${index}`,
		deviceNode: () => "on this node by themselves",
		free: () => "free",
		capacity: () => "with enough capacity",
		counters: () => "with enough counters",
		taint: () => "not tainted",
		constraint: () => "with the constraint's attribute",
	} as Record<FunnelStage["stage"], (detail: string) => string>,
	seenValues: "is",
	missingAttribute: (path: string, on: number, of: number) =>
		`\`${path}\` is on ${on} of ${of} devices. `,
	didYouMean: (names: string) => `Did you mean ${names}?`,
	namesOfDomain: (names: string) => `In its domain they have ${names}.`,
	guarded: "Guarded:",
	wantedDevices: (mode: string, n: number) =>
		mode === "All" ? `wants all, ${n} at least` : `wants ${n}`,
	chosenSub: "chosen",
	request: "request",
	selectorOf: (of: string, index: number) => `${of}, selector ${index}`,
	selectorsOn: "Selectors on",
	deviceTable: "Devices one by one",
	deviceTableNote:
		"Open a device to see its selectors with the value of every part.",
	device: "Device",
	devicesWord: "Devices",
	noneFound: "none",
	deviceFits: "fits",
	nodeResources: "Resources of the node",
	conflicts: "What keeps the requests apart",
	holders: "Who holds devices here",
	heldBy: (
		device: string,
		claim: string,
		pods: readonly string[],
		share: string,
	) =>
		`\`${device}\`${share && ` (${share})`}: claim \`${claim}\`, ${pods.length > 0 ? `reserved for ${pods.join(", ")}` : "reserved for no pod"}`,
	charges: "What is charged",
	charged: (
		device: string,
		name: string,
		asked: string,
		charged: string,
		left: string,
	) =>
		`\`${device}\`: ${asked && `${asked} of `}${name} charged as ${charged}, ${left} left`,
	pools: "Pools that are not complete",
	poolStates: {
		ok: "complete",
		incomplete: "incomplete",
		invalid: "invalid",
		obsolete: "an old generation",
	} as Record<PoolAccount["state"], string>,
	notLookedAt:
		"Not looked at: what else the scheduler asks of a node (CPU and memory, taints of nodes, affinity), and objects that are not in the text.",

	// expressions
	expressionHint: 'device.attributes["domain"].name == …',
	expressionLabel: "Device selector in CEL",
	selectorsOfText: "Selectors of the text",
	tracedExpression: "The expression with its values",
	everyPart: "Every part and its value",
	compiles: (type: string, cost: string) =>
		`Compiles: ${type}, estimated cost ${cost}.`,
	doesNotCompile: "The API server refuses it:",
	askAllDevices: "Ask all devices",
	selectsDevices: (n: number, all: number, among: string) =>
		`Selects ${n.toLocaleString("en")} of ${plural(all, "device", "devices")}${among && ` of class ${among}`}.`,
	noDevices: "The text has no ResourceSlice with devices to try it on.",
	onDevice: "On",
	spent: (cost: string) => `cost ${cost}`,

	// picture
	chainBroken: "this is where it does not hold",

	// whole texts that arrive
	pageFailed:
		"The page could not start here: a part of it did not load, or the browser lacks something it needs. Load it again; if that does not help, try a current browser.",
	needsScripts:
		"The playground needs JavaScript and WebAssembly. It sends nothing anywhere.",
	panelFailed: "The code of this panel could not be loaded.",
	folderEmpty: "Nothing there ends in .yaml, .yml or .json.",
	openFolder: "Open a folder…",
	notUtf8: (names: string) =>
		`${names}: not UTF-8. Where a byte is none, U+FFFD is shown, as kubectl reads it; the file is saved as it was until you change it.`,
	unwrapped: "The manifest was taken out.",
	unwrap: "Take out the manifest",
	takeReviewed: "Take out its object",
	noReviewed: "There is no object in this AdmissionReview.",
	openExpression: "Try it in Expression",
	printCluster: "What prints a cluster for this page",
	guideWaiting:
		"This pod waits, and its status has what the scheduler says of it. Why every node fails is in the other objects: paste what this prints.",
	guideEvent:
		"This is what the scheduler says of a pod that waits. Why every node fails is in the objects: paste what this prints.",
	guideFenced: "This text has the fences of Markdown around its manifests.",
	guidePrompted: "This text has lines in it that were typed into a shell.",
	guideExpression: "This is an expression in CEL, not a manifest.",
	guideReview:
		"This is an AdmissionReview, as the API server sends it to a webhook.",
	guideDump:
		"These objects were read from a cluster. The Devices panel shows which devices each pod gets on each node, and why none.",
	guideConfig:
		"These look like settings in TOML, such as a `claimkit.toml`: it belongs beside the files that the command line checks, and in a tab of its own here.",
	dumpOf: (kinds: readonly (readonly [string, number])[]) =>
		`A cluster: ${kinds.map(([kind, n]) => `${n.toLocaleString("en")} ${n === 1 ? kind : plurals(kind)}`).join(", ")}`,
	ifApplied: (verdict: string) =>
		`What these objects would be told if somebody created them anew: ${verdict}`,
	otherGroups: (n: number) =>
		`${plural(n, "object", "objects")} of other API groups not checked: only objects of resource.k8s.io are.`,
	makeManifest: "Make it a manifest",
	tooLong:
		"The text is longer than 64 MiB, which is the most this page reads. Leave out what devices do not need: events, other workloads, namespaces that are not asked about, and `managedFields`.",

	readingFiles: (n: number) => `Reading ${plural(n, "file", "files")}…`,
	filesOfOthers: (n: number) =>
		`${plural(n, "file has", "files have")} no object that a panel reads, and stayed closed.`,
	openThemToo: "Open them too",
	allFiles: (n: number) => plural(n, "file", "files"),
	filterFiles: "Filter files",
	filesLeftOut: (n: number) =>
		`${plural(n, "file", "files")} cannot be read to the end. The answer is about the rest:`,
	restIsNothing: (n: number) =>
		`${plural(n, "file", "files")} cannot be read to the end, and the rest has nothing for this panel:`,

	// pods that wait
	pendingPods: "Pods that wait",
	moreAlike: (n: number) => `and ${n.toLocaleString("en")} more alike`,
	replicasOf: (n: number) => `one of ${n.toLocaleString("en")}`,
	stillAsked: "being looked at…",
	/** Between a sentence and its reason. */
	colon: ": ",
	fitsOn: (fits: number, nodes: number) =>
		fits === 0
			? `fits on none of ${plural(nodes, "node", "nodes")}`
			: `fits on ${fits.toLocaleString("en")} of ${plural(nodes, "node", "nodes")}`,
	otherReasons: (n: number) => plural(n, "other reason", "other reasons"),
	schedulerMessages: "Messages of the scheduler",
	headline: "What pods wait for",
	podsWait: (waiting: number, pods: number) =>
		`${waiting.toLocaleString("en")} of ${plural(pods, "pod", "pods")} get no node`,
	schedulerSaid: "The cluster's scheduler said:",
	placedAlone:
		"Each pod is placed alone on what is free now: two that fit may not fit together.",
	placing: "How pods are placed",
	inTurn: "together",
	eachAlone: "each alone",
	placedInTurn: (placed: number, all: number) =>
		`Pods in turn, in kube-scheduler's order: ${placed.toLocaleString("en")} of ${all.toLocaleString("en")} have a node.`,
	tiesTried: {
		all: (n: number) =>
			`Some nodes had the same score: all ${n.toLocaleString("en")} choices were tried.`,
		some: (n: number) =>
			`Some nodes had the same score: ${n.toLocaleString("en")} choices were tried, not all.`,
	},
	turnOutcomes: {
		bound: (node: string) => `gets ${node}`,
		preparing: (node: string) =>
			`gets ${node}, once its devices and volumes are ready`,
		placed: (node: string) => `is on ${node} already`,
		ended: () => "has ended",
		unschedulable: () => "fits on no node",
		error: () => "an error ends the attempt",
		gated: () => "is not scheduled yet",
		notKnown: () => "is not known",
		notConsidered: () => "is not considered",
	} as Record<PodTurn["outcome"], (node: string) => string>,
	getsNode: "its node",
	takenByName: (others: readonly string[], depends: boolean) =>
		`taken by name: ${some(others, "and")} ${others.length === 1 ? "has" : "have"} the same score, and kube-scheduler takes any${depends ? "; another choice changes the outcome" : ""}`,
	takenFromSample:
		"kube-scheduler tries only some of the nodes, depending on its history",
	dependsOnEarlier:
		"depends on which of several nodes with the same score earlier pods get",
	saidEarlier: (message: string) => `an earlier attempt says: ${message}`,
	notCertain: (why: string) => `not certain: ${why}`,
	waitsFor: (what: string) => `waits for ${what}`,
	nominated: (node: string, victims: string) =>
		`preemption makes room on ${node}: ${victims} ends`,
	givenBack: (claim: string) =>
		`ResourceClaim ${claim} is given back, and the pod is tried again`,
	schedulerWouldSay: "kube-scheduler's message for these objects:",
	schedulerSaidSame: "The cluster's scheduler said the same.",
	otherPlugins: "What else keeps the pod away",
	auditIntro:
		"This panel shows what is wrong in a cluster as it is, and how much of its devices is in use. It needs the objects of the cluster:",
	auditGood: "Nothing is wrong in these objects.",
	auditFound: (n: number) => plural(n, "finding", "findings"),
	upgrade: "What breaks when I upgrade to",
	upgradeNot: "choose a release",
	upgradeGood: (from: string, to: string) =>
		`Nothing in these objects stands in the way of an upgrade from ${from} to ${to}.`,
	upgradeFound: (n: number, from: string, to: string) =>
		`${plural(n, "kind of problem", "kinds of problem")} from ${from} to ${to}`,
	usage: "Use of devices",
	usageByWhat: "By what",
	usageBy: {
		nodes: "Nodes",
		pools: "Pools",
		drivers: "Drivers",
		classes: "Classes",
		namespaces: "Namespaces",
	},
	usageParts: {
		inUse: "in use",
		shared: "shared",
		blocked: "blocked",
		tainted: "tainted",
		free: "free",
	},
	usageNotes: {
		inUse: "held as a whole by a claim",
		shared: "used by shares",
		blocked:
			"not held, but not to be had: a counter is used up, their pool is incomplete or invalid, or no node that takes pods offers them",
		tainted:
			"not held, but with a taint that keeps away claims without a toleration",
		free: "none of these",
	},
	usageAdmin: "admin",
	noSingleNode: "no single node",
	claimsAllocated: "claims with devices",
	claimsPending: "claims that wait",
	capacities: "Capacities",
	counters: "Counters",
	amountOf: (used: string, total: string, free: string) =>
		`${used} of ${total} used, ${free} free`,
	amountUsed: (used: string) => `${used} used`,
	filterRows: "Filter rows",
	rowCount: (shown: number, all: number) =>
		shown === all
			? plural(all, "row", "rows")
			: `${shown.toLocaleString("en")} of ${plural(all, "row", "rows")}`,
	preRelease: (asked: string) =>
		`Kubernetes ${asked} is a pre-release: the release itself may answer otherwise.`,
	rulesOf: (asked: string, release: string, adjusted: boolean) =>
		`Kubernetes ${asked} was never recorded: the rules of ${release} answer${adjusted ? ", except for later changes known from upstream's history" : ""}.`,
	assumed: (n: number) => `${plural(n, "thing is", "things are")} assumed`,
	lacks: {
		node: () => "too few devices on the node",
		pool: () => "too few devices in usable pools",
		feature: () => "devices use a feature that is off",
		class: (name: string) => `too few devices of class ${name}`,
		selector: (request: string) =>
			`selectors of request ${request} leave too few`,
		deviceNode: () => "devices are for other nodes",
		free: () => "devices are taken",
		capacity: () => "not enough capacity",
		counters: () => "not enough counters",
		taint: () => "devices are tainted",
		constraint: () => "no common value for a constraint",
		conflict: () => "the requests cannot be met together",
		resources: () => "not enough resources of the node",
		unavailable: () => "its claim is allocated elsewhere",
		undecided: () => "the search was too long",
		refused: (reasons: string) => reasons,
		leftOut: () => "not listed",
	} as Partial<Record<Lack["stage"], (detail: string) => string>>,
	/** Short words for refusals of kube-scheduler's plugins, whose own words are long. */
	refusals: {
		NodeAffinity: "node selector or affinity not met",
		NodePorts: "host port in use",
		PodTopologySpread: "topology spread not met",
		VolumeRestrictions: "volume in use by another pod",
		NodeVolumeLimits: "too many volumes",
		VolumeBinding: "no volume to use",
		VolumeZone: "volume in another zone",
		InterPodAffinity: "pod affinity not met",
	} as Partial<Record<NodeRefusal["plugin"], string>>,
	otherRelease: (answered: string, kubelet: string) =>
		`These answers are of ${answered === "" ? "the newest release" : `Kubernetes ${answered}`}; the nodes run ${kubelet}.`,
	firstReleaseTaken: (value: string) =>
		`Answered as Kubernetes ${value}: the release of the first of several clusters.`,
	nodesReleaseTaken: (
		value: string,
		kubelet: string,
		nodes: number,
		all: number,
	) =>
		`Answered as Kubernetes ${value}: ${nodes === all ? plural(all, "node runs", "nodes run") : `${nodes.toLocaleString("en")} of ${plural(all, "node runs", "nodes run")}`} ${kubelet}.`,
	useNewest: "Use the newest release",
	answerAs: (release: string) => `Answer as ${release}`,
	cordoned: "cordoned",
	cordonedNote:
		"spec.unschedulable is set: the scheduler passes the node over. Each alone, devices are answered all the same.",
	tainted: "tainted",
	taintedNote: (taints: string) =>
		`Pods need a toleration: ${taints}. Each alone, devices are answered all the same.`,
	filterPods: "Filter pods",
	podCount: (shown: number, all: number) =>
		`${shown.toLocaleString("en")} of ${plural(all, "pod", "pods")}`,
	alikeTogether: "Alike in one row",
	templatesToo: (names: string) =>
		`Template ${names} changes with it, for the next pod; in a cluster a claim cannot be changed, so the pod is made anew.`,

	// devices of an expression
	listed: "Listed devices",
	listedWhich: {
		all: (n: number) => `all ${n.toLocaleString("en")}`,
		match: (n: number) => `selected: ${n.toLocaleString("en")}`,
		other: (n: number) => `not selected: ${n.toLocaleString("en")}`,
	},
	filterDevices: "Filter devices",
	cases: "Cases",
	functions: "Functions and fields",
	functionsNote:
		"What a new expression may use; a selector that is stored already may use it one release earlier. Where a release is named, earlier ones refuse it, and where a feature gate is named, it has to be on in that release.",
	functionsFailed: "The list could not be loaded.",
	filterFunctions: "Filter functions",
	noFunctions: "No function has these words.",
	insertFunction: "Write it at the cursor",
	functionGroups: {
		device: "The device",
		"": "Called on no value",
		dyn: "Methods of every value",
		string: "Methods of a string",
		list: "Methods of a list",
		map: "Methods of a map",
		Quantity: "Methods of a quantity",
		Semver: "Methods of a version",
		optional: "Methods of an optional value",
		duration: "Methods of a duration",
		timestamp: "Methods of a time",
		IP: "Methods of an IP address",
		CIDR: "Methods of a CIDR",
		URL: "Methods of a URL",
		NamedFormat: "Methods of a format",
	} as Record<string, string>,
	functionSince: (release: string) => `since ${release}`,
	functionAbsent: (release: string) => `not in ${release}`,
	moreSignatures: (n: number) =>
		`${plural(n, "more signature", "more signatures")}`,
	casesHold: (n: number, all: number) =>
		`${n} of ${plural(all, "holds", "hold")}`,
	caseWanted: (device: string) => `Wanted of ${device}`,
	mustMatch: "must be selected",
	mustNotMatch: "must not be selected",
	caseAbsent: "is not in the text",
	keepCase: (device: string) => `Keep ${device} as a case, with this result`,
	writeInto: (place: string, more: number) =>
		more > 0
			? `Write into ${place} and ${more} more with the same expression`
			: `Write into ${place}`,
	selectorWritten: (n: number) =>
		`${plural(n, "selector was", "selectors were")} written.`,
	noDeviceListed: "No device passes the filter.",
	changedIn: (version: string) => `${version}, changed`,
	filterFindings: "Filter findings",
	severity: "Severity",
	everySeverity: "all",
	findingCount: (shown: number, all: number) =>
		shown === all
			? plural(all, "finding", "findings")
			: `${shown.toLocaleString("en")} of ${plural(all, "finding", "findings")}`,
	moreOf: (n: number, code: string) =>
		`${n.toLocaleString("en")} more of ${code}`,
	referencesGood: "What its pods refer to was looked for in the other tabs",
	referencesBad: (n: number) =>
		`What its pods refer to was looked for in the other tabs: ${plural(n, "remark", "remarks")}`,

	gates: "Feature gates and namespace labels",
	gatesNote:
		"Over the defaults of the release, as the cluster's components are started with; links and drafts keep them.",
	gatesWrong: (words: string) =>
		`Not understood: ${words}. Write NAME=true or NAME=false.`,
	gateCount: (n: number) => plural(n, "gate", "gates"),
	namespaceLabels: "Labels of the namespace",
	asConfig: "Edit as claimkit.toml",
	gateDefault: (on: boolean): string =>
		on ? "on by default" : "off by default",
	adminLabel: "lets claims of the namespace ask for admin access",
	configKeys: {
		release: "whose answers: 1.36, 1.36.2",
		gates: "over the defaults of the release",
		"namespace-labels": "of the request's namespace",
		ignore: "codes of findings to leave out",
		exclude: "paths that the command line skips",
	},
	configInForce: (release: string, gates: number, labels: number) =>
		`In force: release ${release}, ${plural(gates, "gate", "gates")}, ${plural(labels, "namespace label", "namespace labels")}`,
	configLine: (line: number) => `Line ${line}:`,
	useAsConfig: "Use as claimkit.toml",

	editorPhrases: {} as Record<string, string>,
};

export type Sentences = typeof en;
