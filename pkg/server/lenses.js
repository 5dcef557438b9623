// How many devices a selector selects, and on how many nodes a pod fits, with the slices and nodes of the project.
import * as claimkit from "claimkit";
import { toRange } from "claimkit/lsp";

const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The release that may be asked about devices. */
function later(release) {
	return release === undefined || Number(release.split(".")[1]) >= 31
		? release
		: undefined;
}

/** At each selector of a text: `{range, title}`. */
function selectors(text, devices, settings) {
	if (devices.length === 0) return [];
	return text.symbols.selectors.flatMap(({ expression, range, release }) => {
		const options = { devices, release: later(settings.release) ?? release };
		const { results } = claimkit.cel(
			expression,
			Object.keys(settings.gates).length === 0
				? options
				: { ...options, gates: settings.gates },
		);
		if (results === undefined) return [];
		const selected = results.filter(
			(result) => "match" in result && result.match,
		).length;
		return [
			{
				range: toRange(range),
				title: `selects ${selected} of ${plural(devices.length, "device")}`,
			},
		];
	});
}

/** Returns the allocations of a text's pods in a cluster that has the objects of the other texts. */
export function allocated(text, others, settings, more = {}) {
	const cluster = others
		.filter(({ readable }) => readable)
		.map((other) => other.text);
	return claimkit.allocate(text.text, {
		cluster: `---\n${cluster.join("\n---\n")}`,
		...(later(settings.release) === undefined
			? {}
			: { release: settings.release }),
		...(Object.keys(settings.gates).length === 0
			? {}
			: { gates: settings.gates }),
		...more,
	});
}

/** Templates of a text that are tried as pods. */
const MOST_TEMPLATES = 50;
const PLACED = { matrix: "none", relax: false, budget: 20_000 };
const fitsOn = ({ nodes }) =>
	`fits on ${nodes.filter(({ verdict }) => verdict === "allocated").length} of ${plural(nodes.length, "node")}`;

/** The account whose nodes an account has: it may be the same as an earlier one. */
const accountOf = (answer, account) =>
	account?.sameAs === undefined
		? account
		: answer.pods.find(({ pod }) => pod === account.sameAs);

/** At each pod and each workload of a text: `{range, title, pod}`. */
function pods(text, others, settings) {
	const answer = allocated(text, others, settings, { options: PLACED });
	const fullName = ({ namespace, name }) => `${namespace || "default"}/${name}`;
	// The answer has other objects, too, such as Services; symbols have those that use claims.
	const starts = new Set(
		text.symbols.symbols
			.filter(({ kind }) => kind === "object")
			.map(({ range }) => range.start.offset),
	);
	const workloads = answer.objects.filter(
		({ apiVersion, kind, range }) =>
			kind !== "Pod" &&
			!apiVersion.startsWith("resource.k8s.io/") &&
			starts.has(range?.start.offset),
	);
	const names = workloads.map(fullName);
	const written = new Set(
		answer.objects.filter(({ kind }) => kind === "Pod").map(fullName),
	);
	/** The workload that a pod is made for: the one with the longest name before the pod's number. */
	const owner = (pod) =>
		names
			.filter((name) => !written.has(pod) && pod?.startsWith(`${name}-`))
			.reduce((best, name) => (name.length > best.length ? name : best), "");
	const podsOf = (object) => {
		const full = fullName(object);
		if (object.kind === "Pod")
			return answer.pods.filter(({ pod }) => pod === full);
		return workloads.includes(object)
			? answer.pods.filter(({ pod }) => owner(pod) === full)
			: [];
	};
	return answer.objects.flatMap((object) => {
		const own = podsOf(object);
		const account = accountOf(answer, own[0]);
		if (!account?.nodes.length || account.claims.length === 0) return [];
		const placed = own.filter(({ turn }) => turn?.outcome === "bound").length;
		const title =
			own.length === 1
				? fitsOn(account)
				: `${placed} of ${own.length} pods get their devices`;
		return [{ range: toRange(object.range), title, pod: own[0].pod }];
	});
}

/** At each claim template of a text: `{range, title}`, for a pod that has no other claim. */
function templates(text, others, settings) {
	const found = text.names.filter(
		({ kind, definition }) => definition && kind === "resourceClaimTemplate",
	);
	if (found.length === 0 || found.length > MOST_TEMPLATES) return [];
	const pod = ({ name, namespace }, index) =>
		JSON.stringify({
			apiVersion: "v1",
			kind: "Pod",
			metadata: { name: `claimkit-lens-${index}`, namespace },
			spec: {
				containers: [
					{ name: "a", image: "a", resources: { claims: [{ name: "a" }] } },
				],
				resourceClaims: [{ name: "a", resourceClaimTemplateName: name }],
			},
		});
	const answer = allocated(
		{ text: `---\n${found.map(pod).join("\n---\n")}\n` },
		[text, ...others],
		settings,
		{ options: PLACED, alone: true },
	);
	return found.flatMap(({ namespace, range }, index) => {
		const full = `${namespace}/claimkit-lens-${index}`;
		const account = accountOf(
			answer,
			answer.pods.find((one) => one.pod === full),
		);
		if (account === undefined || account.nodes.length === 0) return [];
		const object = text.symbols.symbols.find(
			({ kind, nameRange }) =>
				kind === "object" && nameRange.start.offset === range.start.offset,
		);
		return [
			{ range: toRange((object ?? { range }).range), title: fitsOn(account) },
		];
	});
}

/** The last lenses of each document that could be read, with its lines. */
const last = new WeakMap();

/** Returns lenses of an earlier text of a document at the lines where they are now. */
function moved(found, before, now) {
	const [old, lines] = [before.split("\n"), now.split("\n")];
	let first = 0;
	while (first < old.length && old[first] === lines[first]) first += 1;
	const by = lines.length - old.length;
	const shift = ({ line, character }) => ({
		line: line > first ? Math.max(first, line + by) : line,
		character,
	});
	return found.map(({ range: { start, end }, ...lens }) => ({
		...lens,
		range: { start: shift(start), end: shift(end) },
	}));
}

/** Returns the findings that lenses and hints of a document show. While it does not parse, those that it had before. */
export function findings(project, uri, settings) {
	const text = project.text(uri);
	if (text === undefined) return [];
	const known = last.get(project) ?? new Map();
	last.set(project, known);
	const before = known.get(uri);
	if (!text.readable && before !== undefined)
		return moved(before.found, before.text, text.text);
	const others = project.beside(uri, settings.workspace);
	void text.names;
	const devices = [text, ...others].flatMap((one) => one.devices);
	const found = [];
	try {
		found.push(...selectors(text, devices, settings));
		if (/resourceClaims/.test(text.text))
			found.push(...pods(text, others, settings));
		if (/ResourceClaimTemplate/.test(text.text))
			found.push(...templates(text, others, settings));
	} catch (error) {
		// Gates that the scheduler's release does not have; diagnostics say so.
		if (!(error instanceof TypeError)) throw error;
	}
	if (text.readable) known.set(uri, { found, text: text.text });
	return found;
}
