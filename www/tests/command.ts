import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AllocateAnswer, AuditAnswer, ConvertAnswer } from "claimkit";

/** A file as a person has it. */
export interface Given {
	name: string;
	text: string | Buffer;
}

/** The command line from the package, or the program that `CLAIMKIT_COMMAND` names. */
const COMMAND =
	process.env.CLAIMKIT_COMMAND === undefined
		? [
				process.execPath,
				fileURLToPath(new URL("../../pkg/cli.js", import.meta.url)),
			]
		: [process.env.CLAIMKIT_COMMAND];

/** What the command prints about files, which are written below a folder of their own. */
export function printed(
	words: readonly string[],
	given: readonly Given[],
): unknown {
	const folder = mkdtempSync(join(tmpdir(), "claimkit-page-"));
	try {
		for (const { name, text } of given) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), text);
		}
		const [program = "", ...first] = COMMAND;
		const { stdout, stderr } = spawnSync(
			program,
			[...first, ...words, "--output", "json"],
			{ cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 },
		);
		try {
			return JSON.parse(stdout);
		} catch {
			throw new Error(`${words.join(" ")}: ${stdout}${stderr}`);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const names = (given: readonly Given[]) => given.map(({ name }) => name);

export const allocated = (
	given: readonly Given[],
	...words: string[]
): AllocateAnswer =>
	printed(["allocate", ...words, ...names(given)], given) as AllocateAnswer;

export const audited = (
	given: readonly Given[],
	...words: string[]
): AuditAnswer =>
	printed(["audit", ...words, ...names(given)], given) as AuditAnswer;

export const converted = (given: Given, ...words: string[]): ConvertAnswer =>
	(
		printed(["convert", ...words, given.name], [given]) as {
			files: { answer: ConvertAnswer }[];
		}
	).files[0]!.answer;
