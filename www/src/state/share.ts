import { files, newFile, replaceAll, ROLES, textOf, activeId, type Role } from "./files.ts";
import * as options from "./options.ts";

/** Everything a link or a draft holds; short names because it is compressed into a URL. */
interface Snapshot {
  v: 1;
  f: { n: string; r: Role; t: string }[];
  a: number;
  o: Record<string, string | boolean>;
}

/** Links longer than this are refused by some chat programs and browsers; the page says so instead of making one. */
export const LONGEST_LINK = 100_000;

const KEPT = {
  panel: [options.panel, options.PANELS],
  release: [options.release, options.RELEASES],
  operation: [options.operation, options.OPERATIONS],
  fieldValidation: [options.fieldValidation, options.FIELD_VALIDATIONS],
  via: [options.via, options.VIAS],
  target: [options.target, options.TARGETS],
  patchType: [options.patchType, options.PATCH_TYPES],
} as const;

export function snapshot(): Snapshot {
  const o: Snapshot["o"] = {};
  for (const [name, [value]] of Object.entries(KEPT)) o[name] = value.value;
  o["namespace"] = options.requestNamespace.value;
  o["lossy"] = options.lossy.value;
  const list = files.value;
  return {
    v: 1,
    f: list.map((file) => ({ n: file.name, r: file.role, t: textOf(file) })),
    a: Math.max(0, list.findIndex((file) => file.id === activeId.value)),
    o,
  };
}

/** Puts a snapshot in place; answers false if it is none. Anything unknown in it is left out. */
export function restore(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { f, a, o } = value as Partial<Snapshot>;
  if (!Array.isArray(f) || f.length === 0 || f.length > 50) return false;
  const list = f
    .filter((file) => typeof file?.t === "string")
    .map((file) => newFile(String(file.n || "manifest.yaml").slice(0, 120), ROLES.includes(file.r) ? file.r : "manifest", file.t));
  if (list.length === 0) return false;
  if (typeof o === "object" && o !== null) {
    for (const [name, [value, allowed]] of Object.entries(KEPT)) {
      const wanted = o[name];
      if ((allowed as readonly unknown[]).includes(wanted)) (value as { value: unknown }).value = wanted;
    }
    if (typeof o["namespace"] === "string") options.requestNamespace.value = o["namespace"];
    options.lossy.value = o["lossy"] === true;
  }
  replaceAll(list, typeof a === "number" ? a : 0);
  return true;
}

const base64url = {
  encode(bytes: Uint8Array): string {
    let binary = "";
    for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  },
  decode(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  },
};

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const result = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(result).arrayBuffer());
}

/** The page's address with its whole state in the fragment, which browsers send to no server. */
export async function link(): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(snapshot()));
  const packed = await through(bytes as Uint8Array<ArrayBuffer>, new CompressionStream("deflate-raw"));
  return `${location.origin}${location.pathname}#s=${base64url.encode(packed)}`;
}

/** The state in a fragment; null when there is none or it is damaged. */
export async function readFragment(hash: string): Promise<unknown> {
  if (!hash.startsWith("#s=")) return null;
  try {
    const bytes = await through(base64url.decode(hash.slice(3)), new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
