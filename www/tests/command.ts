import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
	AllocateAnswer,
	AuditAnswer,
	ConvertAnswer,
	ValidateAnswer,
} from "claimkit";

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

/** Runs the command in a folder with files. */
export function ran(
	words: readonly string[],
	given: readonly Given[],
): { code: number | null; out: string; err: string } {
	const folder = mkdtempSync(join(tmpdir(), "claimkit-page-"));
	try {
		for (const { name, text } of given) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), text);
		}
		const [program = "", ...first] = COMMAND;
		const { status, stdout, stderr } = spawnSync(
			program,
			[...first, ...words],
			{ cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 },
		);
		return { code: status, out: stdout, err: stderr };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** What the command prints about files, which are written below a folder of their own. */
export function printed(
	words: readonly string[],
	given: readonly Given[],
): unknown {
	const { out, err } = ran([...words, "--output", "json"], given);
	try {
		return JSON.parse(out);
	} catch {
		throw new Error(`${words.join(" ")}: ${out}${err}`);
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

/** What the command says of each file that it checks. */
export const validated = (given: readonly Given[], ...words: string[]) =>
	(
		printed(["validate", ...words, ...names(given)], given) as {
			files: { file: string; answer: ValidateAnswer }[];
		}
	).files;

export const converted = (given: Given, ...words: string[]): ConvertAnswer =>
	(
		printed(["convert", ...words, given.name], [given]) as {
			files: { answer: ConvertAnswer }[];
		}
	).files[0]!.answer;
