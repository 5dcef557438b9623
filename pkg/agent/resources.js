// What codes and sentences of kube-scheduler mean, as resources.
import { SENTENCES } from "../../www/build/scheduler.ts";

const SCHEDULER = "claimkit://scheduler";
const CODES = "claimkit://codes";

export const RESOURCES = [
	{
		uri: SCHEDULER,
		name: "Sentences about pods with claims",
		description:
			"What kube-scheduler, kubelet and drivers say of a pod that waits for devices, with the page of each sentence",
		mimeType: "text/markdown",
	},
	{
		uri: CODES,
		name: "Codes of findings",
		description: "Every code of claimkit, with its meaning",
		mimeType: "text/markdown",
	},
];

export const TEMPLATES = [
	{
		uriTemplate: `${SCHEDULER}/{name}`,
		name: "A sentence about a pod with claims",
		description: "What it means, what causes it, and what to do",
		mimeType: "text/markdown",
	},
	{
		uriTemplate: `${CODES}/{code}`,
		name: "A code",
		description: "What a code of claimkit means",
		mimeType: "text/markdown",
	},
];

const sentencePage = ({ message, stage, en: { meaning, causes, todo } }) =>
	`# ${message}\n\n${stage}. ${meaning}\n\nCauses:\n${causes.map((cause) => `- ${cause}`).join("\n")}\n\n${todo}\n`;

/** The text of a resource, if there is one. */
export function read(uri, sentences) {
	if (uri === SCHEDULER)
		return Object.entries(SENTENCES)
			.map(([name, { message }]) => `- ${message}: ${SCHEDULER}/${name}\n`)
			.join("");
	const { codes } = JSON.parse(sentences("en") ?? '{"codes":{}}');
	if (uri === CODES)
		return Object.entries(codes)
			.map(([code, meaning]) => `- ${code}: ${meaning}\n`)
			.join("");
	const [, folder, name] = /^(claimkit:\/\/\w+)\/([\w-]+)$/.exec(uri) ?? [];
	if (folder === SCHEDULER && Object.hasOwn(SENTENCES, name))
		return sentencePage(SENTENCES[name]);
	if (folder === CODES && Object.hasOwn(codes, name))
		return `# ${name}\n\n${codes[name]}\n`;
	return undefined;
}
