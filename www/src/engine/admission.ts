import type * as claimkit from "claimkit";

type Engine = Pick<typeof claimkit, "parse" | "admit">;

/** The options of admission, besides the objects. */
export interface AdmissionOptions
	extends Pick<claimkit.CommonOptions, "release" | "gates"> {
	operation: "CREATE" | "UPDATE" | "DELETE";
	subResource?: string;
	username: string;
	groups: string[];
}

export interface Admitted {
	kind: string;
	name: string;
	namespace: string;
	/** Whether it is of a kind that the policy is asked about. */
	ours: boolean;
	/** Absent when the policy is not asked: for another group, or because the API server would refuse the object before. */
	response?: claimkit.ValidationResponse;
	findings: claimkit.Finding[];
	/** The object as the policy was given it. */
	object?: unknown;
	/** The AdmissionRequest it was given in. */
	request?: unknown;
	/** The answers of ValidatingAdmissionPolicies, in place of those of settings. */
	results?: claimkit.PolicyResult[];
}

export interface Admission {
	/** The errors of the settings; with any, the objects are not judged. */
	settings: claimkit.Finding[];
	objects: Admitted[];
	/** The settings are an object of another program, which is not asked: its kind and version. */
	foreign?: { kind: string; apiVersion: string };
	/** There are ValidatingAdmissionPolicies in place of settings; what is said of all objects is said here. */
	policies?: { notes: string[] };
}

/** The group and the kinds of the policies that hold settings of the module; groups of policies do not. */
const KUBEWARDEN = "policies.kubewarden.io/";
const HOLDERS = ["ClusterAdmissionPolicy", "AdmissionPolicy"];

interface Manifest {
	apiVersion: string;
	kind: string;
	spec?: { settings?: unknown } | null;
}

const isManifest = (value: unknown): value is Manifest =>
	typeof value === "object" &&
	value !== null &&
	typeof (value as Manifest).apiVersion === "string" &&
	typeof (value as Manifest).kind === "string";

const holdsSettings = ({ apiVersion, kind }: Manifest): boolean =>
	apiVersion.startsWith(KUBEWARDEN) && HOLDERS.includes(kind);

/** Returns the settings of a text, as JSON: a ClusterAdmissionPolicy has them inside. */
function settingsOf(raw: unknown): string {
	const inside =
		isManifest(raw) && holdsSettings(raw) ? raw.spec?.settings : raw;
	return JSON.stringify(inside ?? {});
}

/** The settings as policies of another form. */
export interface PrintedPolicies {
	/** YAML, with a comment for each setting that such a policy cannot hold. */
	policies: string;
	count: number;
}

/** Prints settings as policies of another form, as the command does; they are known to be without errors. */
export function printPolicies(
	settings: string,
	form: claimkit.AdmitOptions["as"],
	{ parse, admit }: Engine,
): PrintedPolicies {
	const { raw } = parse(settings, { raw: true });
	const { policies = "", count = 0 } = admit(null, settingsOf(raw), {
		...(form ? { as: form } : {}),
	});
	return { policies, count };
}

const PLURALS: Record<string, string> = {
	ResourceClaim: "resourceclaims",
	ResourceClass: "resourceclasses",
	DeviceClass: "deviceclasses",
	DeviceTaintRule: "devicetaintrules",
	ResourceClaimTemplate: "resourceclaimtemplates",
	PodScheduling: "podschedulings",
	PodSchedulingContext: "podschedulingcontexts",
	ResourceClaimParameters: "resourceclaimparameters",
	ResourceClassParameters: "resourceclassparameters",
	ResourceSlice: "resourceslices",
};

/** Kinds of other groups whose pods name claims. */
const WORKLOADS: Record<string, string> = {
	"v1/Pod": "pods",
	"v1/PodTemplate": "podtemplates",
	"v1/ReplicationController": "replicationcontrollers",
	"apps/v1/Deployment": "deployments",
	"apps/v1/ReplicaSet": "replicasets",
	"apps/v1/StatefulSet": "statefulsets",
	"apps/v1/DaemonSet": "daemonsets",
	"batch/v1/Job": "jobs",
	"batch/v1/CronJob": "cronjobs",
};

/** Returns the object as the text writes it, for objects that the engine does not read as the server does. */
function written(
	text: string,
	{ range }: claimkit.ParsedObject,
	parse: Engine["parse"],
): unknown {
	if (!range) return undefined;
	// An item of a list: its first line is as far in as the others.
	const own =
		" ".repeat(range.start.character) +
		text.slice(range.start.offset, range.end.offset);
	return parse(own, { raw: true }).raw;
}

/** The word for the time that the server sets: the engine has no clock. */
const CLOCK = "(NOW)";

/** Returns an object with the time in place of the engine's word for it: the policy reads a time there. */
function timed(value: unknown, now: string): unknown {
	if (value === CLOCK) return now;
	if (Array.isArray(value)) return value.map((item) => timed(item, now));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [name, timed(field, now)]),
	);
}

/** Whether a text holds a policy that an API server evaluates itself. */
export const holdsPolicies = (text: string): boolean =>
	/^\s*["']?kind["']?\s*:\s*["']?ValidatingAdmissionPolicy\b/m.test(text) ||
	/"kind"\s*:\s*"ValidatingAdmissionPolicy"/.test(text);

/** Asks ValidatingAdmissionPolicies about each object of a manifest. */
function asPolicies(
	{ manifest, settings, old }: AdmissionTexts,
	{ operation, username, groups, release }: AdmissionOptions,
	{ admit }: Engine,
): Admission {
	const { judged = [], findings } = admit(null, null, {
		policies: settings,
		manifests: manifest,
		...(operation === "CREATE" || old === undefined ? {} : { old }),
		operation,
		username,
		groups,
		...(release ? { release } : {}),
	});
	// The manifest's own errors are shown beside its text.
	const wrong = findings.filter(({ code }) => code === "policy-settings");
	const notes = new Set<string>();
	for (const { results } of judged)
		for (const { policy, result, notes: own = [] } of results)
			if (result !== "skip" && result !== "audit")
				for (const note of own) notes.add(`${policy}: ${note}`);
	return {
		settings: wrong,
		policies: { notes: [...notes] },
		objects: judged.map(
			({ kind, name, namespace, response, results }): Admitted => ({
				kind,
				name,
				namespace,
				ours: true,
				findings: [],
				...(response ? { response } : {}),
				results,
			}),
		),
	};
}

interface AdmissionTexts {
	manifest: string;
	settings: string;
	old?: string;
}

/** Puts each object of a manifest into an admission request, as the server would hold it, and asks the policy. */
export function admission(
	texts: AdmissionTexts,
	options: AdmissionOptions,
	engine: Engine,
): Admission {
	if (holdsPolicies(texts.settings)) return asPolicies(texts, options, engine);
	const { parse, admit } = engine;
	const read = parse(texts.settings, { raw: true });
	// What JSON keeps of a key that is twice is not what was written.
	const stops = ({ code, severity }: claimkit.Finding) =>
		severity === "error" || code === "yaml-duplicate-key";
	if (read.findings.some(stops))
		return { settings: read.findings, objects: [] };
	const { raw } = read;
	if (isManifest(raw) && !holdsSettings(raw)) {
		const { kind, apiVersion } = raw;
		return { settings: [], objects: [], foreign: { kind, apiVersion } };
	}
	const settings = settingsOf(raw);
	const checked = admit(null, settings);
	if (!checked.ok) return { settings: checked.findings, objects: [] };
	const release = {
		...(options.release ? { release: options.release } : {}),
		...(options.gates ? { gates: options.gates } : {}),
	};
	const stored =
		texts.old === undefined ? [] : parse(texts.old, release).objects;
	const { objects } = parse(texts.manifest, release);
	const now = new Date().toISOString().replace(/\.\d+/, "");
	return {
		settings: [],
		objects: objects.map((entry) => {
			const { kind, name, namespace, apiVersion } = entry;
			const [group, version] = apiVersion.includes("/")
				? apiVersion.split("/")
				: ["", apiVersion];
			const workload = WORKLOADS[`${apiVersion}/${kind}`];
			const admitted: Admitted = {
				kind,
				name,
				namespace,
				ours: group === "resource.k8s.io" || workload !== undefined,
				findings: [],
			};
			const held = (
				text: string | undefined,
				of: claimkit.ParsedObject | undefined,
			) =>
				workload === undefined
					? timed(of?.object, now)
					: text === undefined || !of
						? undefined
						: written(text, of, parse);
			const object = held(texts.manifest, entry);
			if (object === undefined) return admitted;
			const partner =
				stored.length === 1 && objects.length === 1
					? stored[0]
					: stored.find(
							(other) =>
								other.kind === kind &&
								other.name === name &&
								other.namespace === namespace,
						);
			const request = {
				uid: "00000000-0000-0000-0000-000000000000",
				kind: { group, version, kind },
				resource: { group, version, resource: workload ?? PLURALS[kind] ?? "" },
				...(options.subResource ? { subResource: options.subResource } : {}),
				name,
				namespace,
				operation: options.operation,
				userInfo: { username: options.username, groups: options.groups },
				object: options.operation === "DELETE" ? null : object,
				oldObject:
					options.operation === "CREATE"
						? null
						: (held(texts.old, partner) ?? null),
				dryRun: false,
			};
			const { response, findings } = admit(request, settings);
			return {
				...admitted,
				...(response ? { response } : {}),
				findings,
				object,
				request,
			};
		}),
	};
}
