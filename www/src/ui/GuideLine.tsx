import { t } from "../i18n/index.ts";
import type { Sentences } from "../i18n/en.ts";
import { files, freeName, newFile, rename, setRole, textOf, type PageFile, type Role } from "../state/files.ts";
import type { Guide } from "../state/guide.ts";
import { operation, panel, patchType } from "../state/options.ts";
import { takeAsNodes } from "../state/pasted.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

const SAY: Record<Guide["what"], (s: Sentences) => string> = {
  nodes: (s) => s.guideNodes,
  patch: (s) => s.guidePatch,
  table: (s) => s.guideTable,
  described: (s) => s.guideDescribed,
  helm: (s) => s.guideHelm,
  live: (s) => s.guideLive,
  settings: (s) => s.guideSettings,
  other: (s) => s.guideOther,
};

const USE: Partial<Record<Role, (s: Sentences) => string>> = {
  nodes: (s) => s.useAsNodes,
  patch: (s) => s.useAsPatch,
  stored: (s) => s.useAsStored,
  settings: (s) => s.useAsSettings,
};

/**
 * Gives the file the role its text has, and opens the panel that uses it. There is always a manifest left: an object that is alone
 * is stored as a copy, and stays to be changed.
 */
function use(file: PageFile, role: Role): void {
  if (role === "nodes") {
    takeAsNodes(file);
    panel.value = "nodes";
    return;
  }
  const others = files.peek().filter(({ id }) => id !== file.id);
  const alone = !others.some((other) => other.role === "manifest");
  if (role === "stored" && alone) {
    const text = textOf(file);
    if (!others.some((other) => other.role === "stored" && textOf(other) === text)) files.value = [file, newFile(freeName("stored.yaml"), "stored", text), ...others];
  } else {
    setRole(file.id, role);
    if (alone) {
      // The manifest has the name that something else was pasted under.
      const own = file.name.includes(role) ? file.name : freeName(`${role}.${/^\s*[{[]/.test(file.doc.sliceString(0, 200)) ? "json" : "yaml"}`);
      rename(file.id, own);
      files.value = [...files.peek(), newFile(own === file.name ? freeName("manifest.yaml") : file.name, "manifest", "")];
    }
  }
  if (role === "settings") panel.value = "policy";
  if (role === "patch") {
    operation.value = "patch";
    const list = /^\s*(\[|-\s)/.test(file.doc.sliceString(0, 200));
    if (list) patchType.value = "json";
    else if (patchType.peek() === "json") patchType.value = "strategic";
    panel.value = "request";
  }
  if (role === "stored") {
    operation.value = "update";
    panel.value = "request";
  }
}

/** What was pasted, where it is no manifest, and the way to what it is good for. */
export function GuideLine({ guide, file }: { guide: Guide; file: PageFile }) {
  const s = t.value;
  const role = guide.use;
  const label = role && USE[role]?.(s);
  return (
    <div class="guide">
      <Icon name="info" />
      <p>
        <Ticked text={SAY[guide.what](s)} />
      </p>
      {role && label && (
        <button type="button" class="button small" onClick={() => use(file, role)}>
          {label}
        </button>
      )}
    </div>
  );
}
