// A patch is what git makes of two texts: any text, with an end of its last line or without.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { patchOf } from "../src/engine/patch.ts";

/** Numbers below one, the same in each run. */
function numbers(): () => number {
	let state = 7;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const LINES = ["a", "  b", "c: 1", "", "- d"];

/** A text, and one with a few lines added, removed, indented and changed. */
function pair(next: () => number): { before: string; after: string } {
	const pick = (most: number) => Math.floor(next() * most);
	const end = () => (next() < 0.6 ? "\n" : "");
	const lines = Array.from({ length: pick(25) }, () => LINES[pick(5)] ?? "");
	const before = lines.join("\n") + end();
	for (let edits = pick(5); edits >= 0; edits--) {
		const at = pick(lines.length + 1);
		const how = pick(4);
		if (how === 0) lines.splice(at, 0, `new${edits}`);
		else if (how === 1) lines.splice(at, 1);
		else if (at < lines.length)
			lines[at] = how === 2 ? `  ${lines[at]}` : `${lines[at]}x`;
	}
	return { before, after: lines.join("\n") + end() };
}

it("is applied by git, and makes the other text", () => {
	const folder = mkdtempSync(join(tmpdir(), "claimkit-patch-"));
	try {
		const next = numbers();
		const pairs = Array.from({ length: 1_000 }, () => pair(next)).filter(
			({ before, after }) => before !== after && before !== "" && after !== "",
		);
		for (const [index, { before }] of pairs.entries())
			writeFileSync(join(folder, `${index}.yaml`), before);
		const { status, stderr } = spawnSync(
			"git",
			["apply", "--whitespace=nowarn", "-"],
			{
				cwd: folder,
				encoding: "utf8",
				env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
				input: pairs
					.map(({ before, after }, index) =>
						patchOf(`${index}.yaml`, before, after),
					)
					.join(""),
			},
		);
		expect([status, stderr]).toEqual([0, ""]);
		for (const [index, { after }] of pairs.entries())
			expect(readFileSync(join(folder, `${index}.yaml`), "utf8")).toBe(after);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
