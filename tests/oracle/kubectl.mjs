// The real kubectl in front of a real server, and claimkit's answer to a person who submits the same files.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { batch } from "./claimkit.mjs";
import { AGAIN, stable } from "./validation.mjs";

const nameOf = (at) => `${String(at).padStart(5, "0")}.yaml`;

/** Refused: with two of them beside the files kubectl names the file in every message. */
const REFUSED =
	"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: _}\n";

/** What `kubectl create` says of each text, which is one object: its message, or undefined where it is accepted. */
function create(cluster, given) {
	const texts = [...given, REFUSED, REFUSED];
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-kubectl-"));
	try {
		for (const [at, text] of texts.entries())
			writeFileSync(path.join(folder, nameOf(at)), text);
		const args = [
			"create",
			"--dry-run=server",
			"--validate=strict",
			"-f",
			folder,
			"-o",
			"name",
			`--kubeconfig=${cluster.kubeconfig}`,
			`--cache-dir=${cluster.folder}/kubectl`,
		];
		const done = spawnSync(cluster.programs.kubectl, args, {
			encoding: "utf8",
			maxBuffer: 1 << 30,
		});
		if (done.error) throw done.error;
		const stderr = done.stderr
			.split("\n")
			.filter((line) => !line.startsWith("Warning: "))
			.join("\n");
		const said = new Map();
		// kubectl joins its own reading errors in brackets.
		const unread = /^(?:error: )?\[?(unable to decode .*?)\]?$/gm;
		for (const [, list] of stderr.matchAll(unread)) {
			for (const one of list.split(/, (?=unable to decode ")/)) {
				const [, at, message] = /\/(\d+)\.yaml": (.*)$/.exec(one);
				said.set(Number(at), { message });
			}
		}
		const rest = stderr.replace(unread, "").replace(/^\n+/, "");
		const head = new RegExp(
			`^(?:Error from server(?: \\((\\w+)\\))?: error when creating|error: error when creating) "?${folder}/(\\d+)\\.yaml"?: `,
			"gm",
		);
		const heads = [...rest.matchAll(head)];
		if ((heads[0]?.index ?? rest.trim().length) !== 0)
			throw new Error(`kubectl create: ${stderr.slice(0, 1000)}`);
		heads.forEach((match, place) => {
			const end = heads[place + 1]?.index ?? rest.length;
			said.set(Number(match[2]), {
				reason: match[1],
				message: rest
					.slice(match.index + match[0].length, end)
					.replace(/\n+$/, ""),
			});
		});
		const accepted = done.stdout
			.split("\n")
			.filter((line) => line !== "").length;
		if (accepted + said.size !== texts.length)
			throw new Error(
				`kubectl create: ${texts.length} files, ${accepted} accepted, ${said.size} refused`,
			);
		return given.map((_, at) => said.get(at));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** What claimkit says that kubectl prints: its own error, or the server's. */
function answerOf({ objects, findings }) {
	const status = objects[0]?.status;
	if (status) return { reason: status.reason, message: status.message };
	const own = findings.find(
		({ origin, severity }) => origin === "kubectl" && severity === "error",
	);
	return own && { message: own.message };
}

/** Compares the answers to requests that create; kubectl gets each as a YAML file. */
export function compareKubectl(
	cluster,
	given,
	{ release = cluster.release, gates = {} } = {},
) {
	const requests = given
		.filter(({ op }) => op === "create")
		.map((request) => ({
			...request,
			text: `# one object\n${JSON.stringify(request.object, null, 1)}\n`,
		}));
	const result = {
		requests: requests.length,
		refused: 0,
		varying: 0,
		wrong: [],
	};
	for (let from = 0; from < requests.length; from += 500) {
		const part = requests.slice(from, from + 500);
		const theirs = create(
			cluster,
			part.map(({ text }) => text),
		);
		const answers = batch(
			part.map(({ text, namespaceLabels }) => ({
				verb: "validate",
				release,
				gates,
				namespaceLabels: namespaceLabels ?? {},
				text,
			})),
		);
		part.forEach((request, at) => {
			const generateName = request.object.metadata?.name
				? undefined
				: request.object.metadata?.generateName;
			const [want, got] = [theirs[at], answerOf(answers[at])].map((one) =>
				JSON.stringify(stable(one, generateName)),
			);
			result.refused += theirs[at] ? 1 : 0;
			if (want === got) return;
			// Several errors come in the order of a Go map: one more call may give claimkit's.
			if (
				theirs[at] &&
				got !== "null" &&
				Array.from({ length: AGAIN }).some(
					() =>
						JSON.stringify(
							stable(create(cluster, [request.text])[0], generateName),
						) === got,
				)
			)
				result.varying += 1;
			else
				result.wrong.push({
					id: request.id,
					mode: "kubectl",
					op: "create",
					object: request.object,
					want: JSON.parse(want),
					got: JSON.parse(got),
				});
		});
	}
	return result;
}
