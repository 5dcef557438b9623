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

/** At each pod of a text: `{range, title, pod}`. */
function pods(text, others, settings) {
	const answer = allocated(text, others, settings, {
		options: { matrix: "none", relax: false, budget: 20_000 },
	});
	return answer.objects.flatMap(({ kind, namespace, name, range }) => {
		const pod = `${namespace || "default"}/${name}`;
		const account =
			kind === "Pod" ? answer.pods.find((one) => one.pod === pod) : undefined;
		if (
			account === undefined ||
			account.nodes.length === 0 ||
			account.claims.length === 0
		)
			return [];
		const fits = account.nodes.filter(
			({ verdict }) => verdict === "allocated",
		).length;
		return [
			{
				range: toRange(range),
				title: `fits on ${fits} of ${plural(account.nodes.length, "node")}`,
				pod,
			},
		];
	});
}

/** Returns the findings that lenses and hints of a document show. */
export function findings(project, uri, settings) {
	const text = project.text(uri);
	if (text === undefined) return [];
	const others = project.beside(uri, settings.workspace);
	void text.names;
	const devices = [text, ...others].flatMap((one) => one.devices);
	const found = selectors(text, devices, settings);
	if (/\bkind["']?\s*:\s*["']?Pod\b/.test(text.text)) {
		try {
			found.push(...pods(text, others, settings));
		} catch (error) {
			// Gates that the scheduler's release does not have; diagnostics say so.
			if (!(error instanceof TypeError)) throw error;
		}
	}
	return found;
}
