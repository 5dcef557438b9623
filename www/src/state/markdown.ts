import type {
	Finding,
	FunnelStage,
	NodeAccount,
	NodeVerdict,
	RequestAccount,
} from "claimkit";
import type { Admitted } from "../engine/admission.ts";
import { lastPart, metVerdict, otherRefusals } from "../engine/devices.ts";
import { t } from "../i18n/index.ts";
import type { PageFile } from "./files.ts";
import { findingKey } from "./goal.ts";
import { link } from "./share.ts";

/** A longer link would hide the answer above it. */
const LONGEST = 6_000;

async function linkLine(more: Record<string, string>): Promise<string> {
	const made = await link(more);
	return "address" in made && made.address.length <= LONGEST
		? `\n[${t.peek().openInPage}](${made.address})\n`
		: "";
}

const quote = (text: string) =>
	text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
/** A fence that no run of backticks in the text can close. */
const fenced = (text: string, language: string) => {
	const longest = Math.max(
		2,
		...[...text.matchAll(/`+/g)].map(([run]) => run.length),
	);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
};

/** Quotes upstream's messages in a code block: Markdown would read `<input>` as a tag and drop the blanks before a caret. */
const said = ({ message, origin }: Finding) =>
	origin === "claimkit" ? quote(message) : fenced(message, "text");

/** Returns one finding for a chat or an issue: the message, the place, and the text to write. */
export function findingText(
	finding: Finding,
	file: PageFile | undefined,
	release?: string,
): string {
	const s = t.peek();
	const who =
		finding.origin === "claimkit" ? "claimkit" : s.origins[finding.origin];
	const start = finding.range?.start;
	const where =
		file && start
			? ` · ${file.name}:${start.line + 1}:${start.character + 1}`
			: "";
	const lines = [
		`**${s.severities[finding.severity]}** \`${finding.code}\` · ${who}${release ? ` · Kubernetes ${release}` : ""}${where}`,
		"",
		said(finding),
	];
	if (
		file &&
		finding.range &&
		finding.range.end.line - finding.range.start.line < 8
	) {
		const from = Math.min(file.doc.lines, finding.range.start.line + 1);
		const to = Math.min(
			file.doc.lines,
			Math.max(
				from,
				finding.range.end.line + (finding.range.end.character > 0 ? 1 : 0),
			),
		);
		lines.push(
			"",
			fenced(
				Array.from(
					{ length: to - from + 1 },
					(_, index) => file.doc.line(from + index).text,
				).join("\n"),
				"yaml",
			),
		);
	}
	if (finding.help) lines.push("", finding.help);
	for (const fix of finding.fixes) lines.push("", `${s.fix}: ${fix.title}`);
	return `${lines.join("\n")}\n`;
}

export async function findingMarkdown(
	finding: Finding,
	file: PageFile | undefined,
	release?: string,
): Promise<string> {
	return (
		findingText(finding, file, release) +
		(await linkLine({ finding: findingKey(finding) }))
	);
}

/** Returns the policy's answer to the request for one object. */
export async function verdictMarkdown(
	{ kind, name, namespace, response, request }: Admitted,
	verdict: string,
	number: number,
): Promise<string> {
	const s = t.peek();
	const { operation, userInfo } = (request ?? {}) as {
		operation?: string;
		userInfo?: { username?: string; groups?: string[] };
	};
	const who = [userInfo?.username, ...(userInfo?.groups ?? [])]
		.filter(Boolean)
		.join(", ");
	const lines = [
		`**${kind} ${namespace ? `${namespace}/` : ""}${name}**: ${verdict}${operation ? ` · ${operation}` : ""}${who && ` · ${s.user} \`${who}\``}`,
	];
	if (response?.message) lines.push("", fenced(response.message, "text"));
	for (const warning of response?.warnings ?? [])
		lines.push("", `${s.warnings}:`, "", fenced(warning, "text"));
	return `${lines.join("\n")}\n${await linkLine({ verdict: String(number) })}`;
}

/** Why a node can or cannot take a claim. */
export async function nodeMarkdown(
	node: NodeVerdict,
	claim: string,
	verdict: string,
): Promise<string> {
	const lines = [
		`**${node.name}** × **${claim}**: ${verdict}`,
		"",
		quote(node.reason),
	];
	if (node.schedulerReason)
		lines.push("", `${t.peek().schedulerSays}: \`${node.schedulerReason}\``);
	for (const entry of node.claims ?? []) {
		for (const check of entry.checks) {
			lines.push(
				"",
				`- ${check.holds === false ? "✕" : check.holds === true ? "✓" : "·"} ${check.why}`,
			);
			for (const term of check.check === "selector"
				? (check.terms ?? [])
				: []) {
				for (const requirement of term.requirements) {
					lines.push(
						`  - ${requirement.holds === true ? "✓" : "✕"} \`${requirement.key} ${requirement.operator} ${requirement.values.join(", ")}\`: ${requirement.why}`,
					);
				}
			}
		}
	}
	return `${lines.join("\n").replace(/\n\n- /g, "\n- ")}\n${await linkLine({})}`;
}

/** A step of the way from all devices to those that fit. */
export function stageLabel(
	stage: FunnelStage,
	request: RequestAccount,
): string {
	const s = t.value;
	return s.stages[stage.stage](
		stage.stage === "class"
			? request.class
			: String("index" in stage ? stage.index : 0),
	);
}

/** How many devices are left of a request after each step. */
function steps(request: RequestAccount): string {
	const s = t.peek();
	const left = request.funnel
		.map((stage) => `${stage.left} ${stageLabel(stage, request)}`)
		.join(" → ");
	return `${s.request} \`${request.request}${request.sub === null ? "" : `/${request.sub}`}\` (${s.wantedDevices(request.mode, request.wanted)}): ${left}`;
}

const MOST_DEVICES = 20;

/** Why devices do not fit. */
function reasons({ cells }: RequestAccount): string[] {
	const not = cells.filter(({ reason }) => reason !== null);
	const lines = not
		.slice(0, MOST_DEVICES)
		.map(({ device, text }) => `  - \`${lastPart(device)}\`: ${text}`);
	return not.length > MOST_DEVICES
		? [...lines, `  - ${t.peek().andMore(not.length - MOST_DEVICES)}`]
		: lines;
}

/** Returns the devices that a pod gets on a node, or the reasons for none. */
export async function accountMarkdown(
	node: NodeAccount,
	pod: string,
): Promise<string> {
	const s = t.peek();
	const lines = [
		`**${node.name}** × **${pod || s.claimsWithoutPod}**: ${s.allocationVerdicts[metVerdict(node)]}`,
	];
	if (node.message) lines.push("", `${s.schedulerSays}: \`${node.message}\``);
	if (node.help) lines.push("", node.help);
	lines.push(
		"",
		...node.requests.flatMap((request) => [
			`- ${steps(request)}`,
			...reasons(request),
		]),
	);
	for (const { text } of [...(node.resources ?? []), ...node.conflicts])
		lines.push(`- ${text}`);
	if (node.relaxations.length > 0)
		lines.push(
			"",
			`${otherRefusals(node).length > 0 ? s.wouldGiveDevices(node.name) : s.wouldWork(node.name)}:`,
			"",
			...node.relaxations.map(({ text }) => `- ${text}`),
		);
	return `${lines.join("\n")}\n${await linkLine({ pod: pod || "-", node: node.name })}`;
}
