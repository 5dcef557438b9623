import { useMemo, useRef } from "preact/hooks";
import type { TextSource } from "../engine/client.ts";
import type { Account as Told, DeviceGrid } from "../engine/devices.ts";
import { exampleById } from "../examples/index.ts";
import { told } from "../i18n/engine.ts";
import { t } from "../i18n/index.ts";
import { fileOf, files, manifest, source, type PageFile } from "../state/files.ts";
import { nodeWords, pickedDevices, release, whatIf } from "../state/options.ts";
import { openExample } from "../state/session.ts";
import { familyOf } from "../state/family.ts";
import { together, type Together } from "../state/together.ts";
import { partsOf, unsuppose, whatIfOption } from "../state/whatif.ts";
import { Account } from "./Account.tsx";
import { Commands } from "./Commands.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { FindingList } from "./FindingList.tsx";
import { Icon } from "./Icon.tsx";
import { MatrixGrid } from "./MatrixGrid.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** Codes that are about the whole attempt: they stand above the nodes. */
const OF_ALL = ["allocation-error", "error-ends-attempt"];
/** What every account says at its end. */
const SAID = "placement-not-modelled";
/** With fewer nodes than this a filter is in the way. */
const MANY = 15;

/** What the devices are asked for, as it was when it was asked. */
interface Asked {
  key: string | null;
  all: Together | null;
  nodes: PageFile | undefined;
  options: Record<string, unknown>;
}

function textsOf({ nodes }: Asked): { texts?: Record<string, TextSource> } {
  return nodes ? { texts: { nodes: source(nodes) } } : {};
}

/** The account of the cell that is picked. It is asked of what the grid is about, so that the two never tell different things. */
function Opened({ grid, asked }: { grid: DeviceGrid; asked: Asked }) {
  const s = t.value;
  const picked = pickedDevices.value!;
  const all = asked.all!;
  const group = grid.groups.find(({ pod }) => (pod ?? "") === picked.pod);
  const key = group && JSON.stringify([asked.key, picked]);
  // An answer stays on the screen until the next one comes, with the cell and the text that it is about.
  const about = useRef({ picked, all });
  const { outcome, fresh } = useEngine<Told>("account", key ?? null, () => ({
    verb: "allocate",
    text: all,
    ...textsOf(asked),
    options: { ...(group!.pod === null ? { claims: group!.claims } : { pod: group!.pod }), nodeNames: [picked.node], ...asked.options },
    shape: "account",
    cell: { object: 0, node: 0, name: picked.node },
  }));
  if (fresh) about.current = { picked, all };
  if (outcome?.kind !== "answer") return outcome ? <Trouble outcome={outcome} verb="allocate" /> : <p class="muted quiet">{s.waiting}</p>;
  return <Account account={outcome.answer} pod={about.current.picked.pod} name={about.current.picked.node} all={about.current.all} />;
}

/** The changes that the answer is after; each can be taken back. */
function Supposed() {
  const s = t.value;
  const changes = whatIf.value;
  if (changes.length === 0) return null;
  return (
    <div class="supposed" role="group" aria-label={s.supposing}>
      <b>{s.supposing}</b>
      {changes.map((change, index) => {
        const { kind, name } = partsOf(change);
        return (
          <span class="chip" key={`${change} ${index}`}>
            {s.supposed[kind]?.(name) ?? change}
            <button type="button" class="button icon-only quiet" aria-label={`${s.unsuppose}: ${change}`} title={s.unsuppose} onClick={() => unsuppose(index)}>
              <Icon name="cross" size={12} />
            </button>
          </span>
        );
      })}
    </div>
  );
}

/** Which devices each pod gets on each node, and why none. */
export function Devices() {
  const s = t.value;
  void files.value;
  const file = manifest.value;
  const nodes = fileOf("nodes");
  const words = nodeWords.value;
  const picked = pickedDevices.value;
  const all = together();
  const asked: Asked = {
    key: all && JSON.stringify([all.key, all.version, nodes?.id, nodes?.version, release.value, whatIf.value]),
    all,
    nodes,
    options: { ...whatIfOption(whatIf.value), ...(release.value ? { release: release.value } : {}) },
  };
  const { outcome, fresh } = useEngine<DeviceGrid>(
    "allocate",
    asked.key,
    () => ({ verb: "allocate", text: all!, ...textsOf(asked), options: asked.options, shape: "devices" }),
    pauseFor((all?.files.reduce((sum, { doc }) => sum + doc.length, 0) ?? 0) + (nodes?.doc.length ?? 0)),
  );
  const about = useRef(asked);
  if (fresh) about.current = asked;
  const grid = outcome?.kind === "answer" ? outcome.answer : null;
  const rows = useMemo(() => {
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    return (grid?.matrix.nodes ?? []).flatMap((name, row) => (parts.every((part) => name.toLowerCase().includes(part)) ? [row] : []));
  }, [grid, words]);
  if (!file || !all) return null;
  if (grid && !grid.ours && familyOf(all) === "classic") return <Elsewhere text={s.forNodes} label={s.openNodes} to="nodes" />;
  if (grid && (!grid.ours || grid.groups.length === 0)) {
    const example = exampleById("gpu-pod");
    return (
      <div class="empty">
        <p>
          <Ticked text={s.devicesIntro} />
        </p>
        {example && (
          <button type="button" class="button primary" onClick={() => void openExample(example)}>
            {s.openExample}
          </button>
        )}
      </div>
    );
  }
  const matrix = grid?.matrix;
  const column = grid && picked ? grid.groups.findIndex(({ pod }) => (pod ?? "") === picked.pod) : -1;
  const row = matrix && picked ? matrix.nodes.indexOf(picked.node) : -1;
  const above = matrix?.findings.filter(({ code }) => OF_ALL.includes(code)) ?? [];
  return (
    <div class="nodes devices" aria-busy={!fresh}>
      <Supposed />
      <Trouble outcome={outcome} verb="allocate" />
      {grid && matrix && (
        <>
          <div class="controls">
            {matrix.nodes.length > MANY && <input type="search" class="filter" placeholder={s.filterNodes} aria-label={s.filterNodes} value={words} onInput={({ currentTarget }) => (nodeWords.value = currentTarget.value)} />}
            <span>{s.devicesTitle}</span>
            <span class="spacer" />
            <span class="muted tabular" role="status">
              {s.nodeCount(rows.length, matrix.nodes.length)} · Kubernetes {grid.release}
            </span>
          </div>
          {(above.length > 0 || grid.groups.some(({ before }) => before !== null)) && (
            <ul class="of-all">
              {grid.groups.map(({ pod, claims, before }) => before && (
                <li key={pod ?? claims.join()}>
                  {pod ?? claims.join(", ")}: <code>{before.message}</code>
                  {before.help && (
                    <>
                      {" – "}
                      <Ticked text={told(before.help)} />
                    </>
                  )}
                </li>
              ))}
              {above.map((finding, index) => (
                <li key={index}>{finding.origin === "claimkit" ? <Ticked text={told(finding.message)} /> : <code>{finding.message}</code>}</li>
              ))}
            </ul>
          )}
          {matrix.nodes.length === 0 ? (
            <p class="muted quiet">
              <Ticked text={s.devicesNoNodes} />
            </p>
          ) : (
            <MatrixGrid
              matrix={matrix}
              rows={rows}
              picked={column >= 0 && row >= 0 ? { row, column } : null}
              onPick={(at, of) => (pickedDevices.value = { pod: grid.groups[of]?.pod ?? "", node: matrix.nodes[at] ?? "" })}
            />
          )}
          {column >= 0 && row >= 0 ? <Opened grid={grid} asked={about.current} /> : matrix.nodes.length > 0 && <p class="muted quiet">{s.pickCell}</p>}
          <FindingList findings={matrix.findings.filter(({ code }) => !OF_ALL.includes(code) && code !== SAID)} fileId={file.id} canFix={false} locate={all.locate} />
          <Commands panel="devices" />
        </>
      )}
    </div>
  );
}
