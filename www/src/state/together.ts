import type { Range } from "../contract.ts";
import type { TextSource } from "../engine/client.ts";
import { files, manifest, textOf, type PageFile } from "./files.ts";

/** Several manifests read as one stream, and the way back from its lines to the files. */
export interface Together extends TextSource {
  files: readonly PageFile[];
  /** The file a range of the stream stands in, and the range there. */
  locate(range: Range): { file: PageFile; range: Range };
}

const SEPARATOR = "\n---\n";

function shift({ start, end }: Range, lines: number): Range {
  return { start: { ...start, line: start.line - lines }, end: { ...end, line: end.line - lines } };
}

/**
 * Classes and claims often stand in files of their own; placement needs them together, in the order of the tabs. JSON cannot
 * be joined with `---`: an open JSON file stands alone, others are left out.
 */
export function together(): Together | null {
  const open = manifest.value;
  if (!open) return null;
  const yaml = (file: PageFile) => !/^\s*[{[]/.test(file.doc.sliceString(0, 200));
  const list = yaml(open) ? files.value.filter((file) => file.role === "manifest" && (file.id === open.id || (file.doc.length > 0 && yaml(file)))) : [open];
  const starts: number[] = [];
  let line = 0;
  for (const file of list) {
    starts.push(line);
    // The separator ends the file's last line and is a line of its own.
    line += file.doc.lines + 1;
  }
  return {
    key: `together:${list.map((file) => file.id).join("+")}`,
    // Sums would meet again: a version is a number that only this set of versions has.
    version: versionOf(list.map((file) => `${file.id}@${file.version}`).join(" ")),
    get: () => list.map(textOf).join(SEPARATOR),
    files: list,
    locate(range) {
      let at = 0;
      while (at + 1 < starts.length && (starts[at + 1] ?? 0) <= range.start.line) at += 1;
      const file = list[at] ?? open;
      return { file, range: shift(range, starts[at] ?? 0) };
    },
  };
}

const versions = new Map<string, number>();

function versionOf(name: string): number {
  let version = versions.get(name);
  if (version === undefined) {
    version = versions.size + 1;
    versions.set(name, version);
  }
  return version;
}
