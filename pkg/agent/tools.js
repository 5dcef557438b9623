// The tools: what an agent can ask, and the command line that answers.

const string = (description) => ({ type: "string", description });
const flag = (description) => ({ type: "boolean", description });
const strings = (description) => ({
	type: "array",
	items: { type: "string" },
	description,
});

const FULL = flag("up to 256 KB; default: at most 2 KB, which has the reasons");
const RELEASE = string(
	"release of Kubernetes, such as 1.36 or 1.36.2; default: what the objects say, else the newest",
);
const TEXT = string("the manifests as YAML or JSON, in place of `files`");
const FILES = strings(
	"files and folders with manifests, below the folder of this server",
);
const CLUSTER = strings(
	"files with objects of a cluster, as `kubectl get … -o yaml` prints them; the question is then about the pods and claims of the other files",
);
const POD = string("only this pod: NAMESPACE/NAME");
const CONTEXT = string("context of kubectl; default: the current one");

/** The names of the texts of a call, which findings show; no file has such a name. */
const MANIFESTS = "<text>";
const DEVICES = "<devices>";
const OLD = "<old>";

/** An option where the call has its value. The value cannot become another option. */
const option = (name, value) =>
	value === undefined ? [] : [`--${name}=${value}`];
const options = (name, values = []) =>
	values.map((value) => `--${name}=${value}`);
const on = (name, given) => (given ? [`--${name}`] : []);

const input = (properties, required = []) => ({
	type: "object",
	properties,
	required,
	additionalProperties: false,
});

/** Arguments of each tool that reads manifests. */
const GIVEN = { text: TEXT, files: FILES, release: RELEASE, full: FULL };

/** The names of the manifests of a call, after all options, and their texts. */
function manifests({ text, files = [] }) {
	return {
		names: ["--", ...(text === undefined ? [] : [MANIFESTS]), ...files],
		texts: text === undefined ? {} : { [MANIFESTS]: text },
	};
}

const needsManifests = ({ text, files }) =>
	text === undefined && !files?.length ? "give `text` or `files`" : undefined;

/** The words of a question about places, and the texts. */
function placement(given, more) {
	const { names, texts } = manifests(given);
	return {
		words: [
			"allocate",
			...option("release", given.release),
			...option("pod", given.pod),
			...options("node", given.nodes),
			...options("cluster", given.cluster),
			...on("alone", given.alone),
			...more,
			...names,
		],
		texts,
	};
}

/** The words of a question about the cluster that kubectl reaches. */
const live = (given, more) => ({
	words: [
		"why",
		...option("namespace", given.namespace),
		...on("all-namespaces", given.all_namespaces),
		...option("context", given.context),
		...options("node", given.nodes),
		...on("alone", given.alone),
		...more,
		...(given.pod === undefined ? [] : ["--", given.pod]),
	],
	texts: {},
});

const NODES = strings("only these nodes");
const ALONE = flag(
	"as if no other pod waited, by devices only; default: all in turn",
);

export const TOOLS = [
	{
		name: "why",
		title: "Why a pod of the cluster waits",
		description:
			"Why a pod waits for its devices, or all that wait: in the cluster that kubectl reaches, which is only read. Has kube-scheduler's own message beside it, the nodes by their reasons, and what would help.",
		asksCluster: true,
		input: input({
			pod: string("the pod; without it, all that wait in the namespace"),
			namespace: string("its namespace; default: that of the context"),
			all_namespaces: flag("all pods that wait, in all namespaces"),
			context: CONTEXT,
			nodes: NODES,
			alone: ALONE,
			full: FULL,
		}),
		line: (given) => live(given, []),
	},
	{
		name: "explain_placement",
		title: "Which devices pods get, or why none",
		description:
			"Which node and devices each pod and claim gets, or why none, from manifests and objects of a cluster in files or text. Nodes, slices, classes, claims and pods may be in one text.",
		asksCluster: false,
		input: input({
			...GIVEN,
			cluster: CLUSTER,
			pod: POD,
			nodes: NODES,
			alone: ALONE,
			how_many: flag("repeat the pod until no more fits, and count"),
		}),
		check: needsManifests,
		line: (given) => placement(given, on("how-many", given.how_many)),
	},
	{
		name: "what_if",
		title: "What a change would help",
		description:
			"The same as `explain_placement` after changes that are only assumed; without `text` and `files` about the cluster that kubectl reaches.",
		asksCluster: true,
		input: input(
			{
				...GIVEN,
				changes: strings(
					"each one of `free=NAMESPACE/CLAIM`, `untaint=KEY`, `without-rule=NAME`, `node-like=NODE*COUNT`",
				),
				cluster: CLUSTER,
				pod: string("NAMESPACE/NAME; about a running cluster NAME"),
				namespace: string("about a running cluster: the pod's namespace"),
				context: CONTEXT,
				nodes: NODES,
				alone: ALONE,
			},
			["changes"],
		),
		line: (given) => {
			const more = options("what-if", given.changes);
			return needsManifests(given) === undefined
				? placement(given, more)
				: live(given, [...more, ...option("release", given.release)]);
		},
	},
	{
		name: "validate",
		title: "What the API server answers to manifests",
		description:
			"What kubectl and kube-apiserver answer to manifests of resource.k8s.io and to pods with claims: errors word for word, with line, advice and fixes.",
		asksCluster: false,
		input: input({
			...GIVEN,
			namespace: string("namespace of the request; default: default"),
			gates: strings("feature gates, such as DRAAdminAccess=true"),
			old: string("the stored object, which the manifest updates"),
		}),
		check: needsManifests,
		line: (given) => {
			const { names, texts } = manifests(given);
			const isUpdate = given.old !== undefined;
			return {
				words: [
					"validate",
					...option("release", given.release),
					...option("namespace", given.namespace),
					...options("gates", given.gates),
					...(isUpdate ? ["--operation=update", `--old=${OLD}`] : []),
					...names,
				],
				texts: isUpdate ? { ...texts, [OLD]: given.old } : texts,
			};
		},
	},
	{
		name: "convert",
		title: "Manifests in another version",
		description:
			"The manifest in another version of resource.k8s.io: changes only what must change. Decisions that no tool can be sure of, and fields that would be lost, are named. Ask with `full: true` for the text of a long manifest.",
		asksCluster: false,
		input: input(
			{
				...GIVEN,
				to: string("the version, such as v1, or a release, such as 1.36"),
				allow_loss: flag("convert even if fields are lost"),
				diff: flag("the changes instead of the text"),
			},
			["to"],
		),
		check: needsManifests,
		line: (given) => {
			const { names, texts } = manifests(given);
			return {
				words: [
					"convert",
					`--to=${given.to}`,
					...option("release", given.release),
					...on("allow-loss", given.allow_loss),
					...on("diff", given.diff),
					...names,
				],
				texts,
			};
		},
	},
	{
		name: "check_selector",
		title: "Whether a CEL selector compiles, and which devices it selects",
		description:
			"Checks a device selector (CEL) as kube-apiserver does, and runs it on devices: whether it compiles, what it costs, which devices it selects, and the values that decided.",
		asksCluster: false,
		input: input(
			{
				expression: string("the selector"),
				devices: string("devices or ResourceSlices as YAML or JSON"),
				files: strings("files with devices or ResourceSlices"),
				release: RELEASE,
				full: FULL,
			},
			["expression"],
		),
		line: (given) => ({
			words: [
				"cel",
				...option("release", given.release),
				...options("device", [
					...(given.devices === undefined ? [] : [DEVICES]),
					...(given.files ?? []),
				]),
				"--",
				given.expression,
			],
			texts: given.devices === undefined ? {} : { [DEVICES]: given.devices },
		}),
	},
	{
		name: "audit",
		title: "What is wrong in a cluster, and what is in use",
		description:
			"What is wrong in a cluster as it is: devices held twice or no longer published, incomplete pools, classes that select nothing; and how much is in use. Without `text` and `files` of the cluster that kubectl reaches. With `to`, what breaks when the cluster goes to that release.",
		asksCluster: true,
		input: input({
			...GIVEN,
			to: string("the release that the cluster will have"),
			context: CONTEXT,
		}),
		line: (given) => {
			const { names, texts } = manifests(given);
			const isLive = needsManifests(given) !== undefined;
			return {
				words: [
					"audit",
					...option("release", given.release),
					...option("to", given.to),
					...(isLive ? ["--live", ...option("context", given.context)] : names),
				],
				texts,
			};
		},
	},
];

/** The arguments that have another name than the option. */
const ARGUMENTS = {
	"all-namespaces": "all_namespaces",
	"allow-loss": "allow_loss",
	device: "devices",
	"how-many": "how_many",
	node: "nodes",
	"what-if": "changes",
};

/**
 * Returns a problem of the command line with the tool's arguments in place of the options.
 *
 * @param {string} text
 * @param {{ input: any }} tool
 */
export function withArguments(text, { input }) {
	const ofAgents = text.replace(/\n*For more information, try .*\n*$/, "");
	return ofAgents.replace(
		/--([a-z]+(?:-[a-z]+)*)(?: <[^>]*>)?/g,
		(option, name) => {
			const argument = ARGUMENTS[name] ?? name;
			return argument in input.properties ? argument : option;
		},
	);
}

const isOf = {
	string: (value) => typeof value === "string",
	boolean: (value) => typeof value === "boolean",
	array: (value) =>
		Array.isArray(value) && value.every((item) => typeof item === "string"),
};
const WORDS = {
	string: "a string",
	boolean: "true or false",
	array: "a list of strings",
};

/**
 * Returns what is wrong with the arguments of a call.
 *
 * @param {{ name: string, input: any, check?: (given: any) => string | undefined }} tool
 * @param {Record<string, any>} given
 */
export function problem({ name, input, check }, given) {
	for (const [key, value] of Object.entries(given)) {
		const known = input.properties[key];
		if (known === undefined)
			return `\`${name}\` has no argument \`${key}\`; it has ${Object.keys(
				input.properties,
			)
				.map((known) => `\`${known}\``)
				.join(", ")}`;
		if (!isOf[known.type](value))
			return `\`${key}\` must be ${WORDS[known.type]}`;
	}
	const absent = input.required.find((key) => given[key] === undefined);
	if (absent !== undefined) return `\`${absent}\` is missing`;
	const names = [...(given.files ?? []), ...(given.cluster ?? [])];
	if (names.includes("-")) return "standard input belongs to the protocol";
	return check?.(given);
}
