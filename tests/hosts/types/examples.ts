// User code in strict mode: names, arguments and answers are typed as documented.

import type { Finding, NamedText, Range, ValidateAnswer } from "claimkit";
import claimkit, {
	allocate,
	audit,
	cel,
	codes,
	complete,
	convert,
	evaluate,
	fixes,
	hover,
	init,
	initSync,
	isTarget,
	jsonSchema,
	parse,
	prepareCluster,
	prepareNodes,
	releases,
	validate,
} from "claimkit";
import { startWorker } from "claimkit/worker";

// The README's first example.
for (const { severity, message, range } of validate("kind: ResourceClaim")
	.findings)
	console.log(`${range.start.line + 1} ${severity}: ${message}`);

const answer: ValidateAnswer = validate("kind: ResourceClaim", {
	release: "1.26.1",
	fieldValidation: "Warn",
	via: "validator",
});
const first: Finding | undefined = answer.findings[0];
const range: Range | undefined = first?.range;
export const place: [number, number] = [
	range?.start.line ?? 0,
	range?.start.character ?? 0,
];
export const status: string | undefined = answer.objects[0]?.status?.message;
export const bytes = parse(new Uint8Array()).objects[0]?.object?.spec;
export const object = validate({ kind: "ResourceClaim" }).ok;
export const text: string | undefined = convert("", {
	to: "v1alpha1",
	lossy: "allow",
}).text;
export const nodes = prepareNodes("kind: Node");
export const verdict = evaluate("", { nodes }).objects[0]?.placement?.nodes[0]
	?.verdict satisfies "Yes" | "Possible" | "No" | "Error" | undefined;
export const cluster = prepareCluster("kind: Node", { release: "1.36" });
const files: readonly NamedText[] = [
	{ name: "a.yaml", text: "kind: Node" },
	{ name: "b.yaml", text: new Uint8Array() },
];
export const file: string | undefined = parse(files).objects[0]?.file;
export const ofFiles = [
	prepareCluster(files).allocate(files).pods,
	prepareNodes(files).evaluate(files).objects,
	validate(files).findings.map(({ range }) => range.start),
] satisfies unknown[][];
export const oneCluster = [
	allocate(files, { cluster: files, nodes: files }).pods,
	evaluate(files, { nodes: files }).objects,
	validate(files, { operation: "update", old: files }).objects,
	convert(files, { to: "v1" }).files.map(({ name, text }) => text ?? name),
] satisfies unknown[][];
export const devices = allocate("", {
	cluster,
	pod: "ns/pod",
	whatIf: {
		free: ["ns/claim"],
		nodesLike: ["n1"],
		newNodes: [{ text: "" }, { text: "", count: 2 }],
	},
}).pods[0]?.nodes[0]?.verdict satisfies
	| "allocated"
	| "none"
	| "error"
	| "node-error"
	| "unavailable"
	| "undecided"
	| "refused"
	| undefined;
export const patched = validate("metadata: {labels: {a: b}}", {
	operation: "patch",
	patchType: "merge",
	old: "kind: ResourceClaim",
});
export const values: unknown[] = patched.objects.flatMap(({ changes = [] }) =>
	changes.map((change) =>
		change.op === "remove" ? change.path : change.value,
	),
);
export const compiled: string = ((told) => (told.ok ? told.type : told.error))(
	cel("true").compile,
);
export const selected: (boolean | string)[] = (
	cel("true", { devices: [{}] }).results ?? []
).map((result) => ("error" in result ? result.error : result.match));
export const terms = evaluate("", {
	nodes,
}).objects[0]?.placement?.nodes[0]?.claims?.flatMap(({ checks }) =>
	checks.map((check) => (check.check === "selector" ? check.terms : check.why)),
);
export const free: number | undefined = audit("kind: Node", { release: "1.36" })
	.usage.nodes[0]?.devices.free;
export const many = [
	codes({ locale: "zh-Hans" }).codes,
	releases().releases,
	jsonSchema("1.30", "ResourceClaim").$id,
];
export const title: string | undefined = hover("", { line: 0, character: 0 })
	.hover?.title;
export const labels: string[] = complete("", { offset: 0 }).items.map(
	(item) => item.label,
);
export const edits = fixes("", null).fixes.flatMap((fix) => fix.edits);
export const started: Promise<void> = init(
	new URL("https://example.com/claimkit_bg.wasm"),
);
export const same: typeof init = claimkit;
initSync(new Uint8Array());

// A worker has every function with its forms, and a call can be cancelled wherever there are options.
const worker = startWorker();
const { signal } = new AbortController();
export const inWorker = async () => {
	const { findings } = await worker.validate("", { signal });
	const lines: number[] = findings.map(({ range: { start } }) => start.line);
	const known = await worker.prepareCluster("", { release: "1.36", signal });
	return [
		lines,
		(await worker.allocate("", { signal })).pods,
		(await worker.cel("true", { signal })).results,
		(await worker.parse("", { signal })).objects,
		(await worker.hover("", { offset: 0 }, { signal })).hover,
		(await worker.complete("", { offset: 0 }, { beside: [""], signal })).items,
		(await worker.fixes("", null, { signal })).fixes,
		(await worker.codes({ signal })).codes,
		(await worker.audit("", { signal })).usage,
		(await worker.symbols("", { signal })).names,
		(await worker.jsonSchema("1.36", "ResourceClaim")).$id,
		await worker.format(await worker.validate(""), "sarif"),
		(await known.allocate("", { signal })).pods,
		(await (await worker.prepareNodes(files)).evaluate(files)).objects,
		(await worker.convert(files, { to: "v1", signal })).files,
		(await worker.convert("", { to: "v1", signal })).text,
	];
};
export const undefinedIsAbsent = allocate("", {
	whatIf: undefined,
	options: undefined,
});
export const targets = releases().releases.map(({ release }) =>
	convert("", { to: release }),
);
export const target = (text: string) =>
	isTarget(text) ? convert("", { to: text }) : undefined;
export const named = complete(
	"",
	{ offset: 0 },
	{
		beside: [{ name: "a", text: new Uint8Array() }, new Uint8Array(), ""],
	},
);

// @ts-expect-error there is no such release
validate("", { release: "1.x" });
// @ts-expect-error there is no such option
validate("", { strict: true });
// @ts-expect-error a conversion needs a target
convert("");
// @ts-expect-error a number is no manifest
parse(1);
// @ts-expect-error only a patch makes changes
validate("").objects[0]?.changes;
// @ts-expect-error a selector that compiles has no error
((told) => told.ok && told.error)(cel("true").compile);
