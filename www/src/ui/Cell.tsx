import { useEffect, useState } from "preact/hooks";
import type { ClaimPlacement, NodePlacement, Range, RequirementResult, SelectorCheck, TermResult } from "../contract.ts";
import { ask } from "../engine/client.ts";
import type { Matrix } from "../engine/placement.ts";
import { reasonOf } from "../engine/placement.ts";
import { mark, reveal } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { files, literal, source } from "../state/files.ts";
import { announce } from "../state/notices.ts";
import { release } from "../state/options.ts";
import { SIGNS } from "./MatrixGrid.tsx";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

/** The selector check in a check, however deep the engine put it. */
export function selectorOf(check: unknown): SelectorCheck | null {
  if (typeof check !== "object" || check === null) return null;
  if (Array.isArray((check as { terms?: unknown }).terms)) return check as SelectorCheck;
  for (const value of Object.values(check)) {
    if (typeof value === "object" && value !== null && Array.isArray((value as { terms?: unknown }).terms)) return value as SelectorCheck;
  }
  return null;
}

function Requirement({ requirement, fileId }: { requirement: RequirementResult; fileId: string }) {
  const s = t.value;
  const tone = requirement.holds === true ? "good" : requirement.holds === false ? "bad" : "warn";
  const values = requirement.values ?? [];
  const body = (
    <>
      <span class={`tick ${tone}`}>
        <Icon name={requirement.holds === true ? "check" : "cross"} size={14} />
      </span>
      <span class="requirement-text">
        <span>
          <code>{requirement.key}</code> <b>{requirement.operator}</b> {values.length > 0 && <code>{values.map((value) => value || '""').join(", ")}</code>}
        </span>
        <span class="requirement-actual">
          {s.actual}: {requirement.actual === undefined || requirement.actual === null ? <i>{s.absent}</i> : <code>{requirement.actual || '""'}</code>}
          <span class="why">
            {" · "}
            <Ticked text={requirement.why} />
          </span>
        </span>
      </span>
    </>
  );
  const { range } = requirement;
  return <li>{range ? <button type="button" class="requirement" onClick={() => reveal(fileId, range)}>{body}</button> : <div class="requirement">{body}</div>}</li>;
}

function Terms({ check, fileId }: { check: SelectorCheck; fileId: string }) {
  const s = t.value;
  return (
    <ol class="terms">
      {check.terms.map((term: TermResult) => (
        <li key={term.index} class={`term ${term.outcome}`}>
          <div class="term-head">
            {s.term(term.index + 1, check.terms.length)} <b>{s.termOutcomes[term.outcome]}</b>
            {check.nearestTerm === term.index && term.outcome !== "Match" && <span class="chip">{s.nearest}</span>}
          </div>
          <ul>
            {term.requirements.map((requirement, index) => (
              <Requirement key={index} requirement={requirement} fileId={fileId} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

/** The texts a check carries besides its selector. */
function sayings(check: Record<string, unknown>): string {
  for (const field of ["message", "text", "reason", "detail", "why"]) {
    const value = check[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

function Claim({ claim, fileId }: { claim: ClaimPlacement; fileId: string }) {
  const s = t.value;
  const name = [claim["entry"], claim["name"] ?? claim["claim"]].filter((part): part is string => typeof part === "string").join(" → ");
  const scheduler = claim["schedulerText"];
  return (
    <div class="claim">
      {name && (
        <h4>
          {name} {claim.verdict && <span class={`chip verdict-${claim.verdict}`}>{s.verdicts[claim.verdict]}</span>}
        </h4>
      )}
      {typeof scheduler === "string" && scheduler !== "" && (
        <p>
          {s.schedulerSays}: <code>{scheduler}</code>
        </p>
      )}
      {(claim.checks ?? []).map((check, index) => {
        const selector = selectorOf(check);
        const said = sayings(check);
        return (
          <div class="check" key={index}>
            {selector?.source && (
              <p class="muted">
                <code>{selector.source}</code>
              </p>
            )}
            {said && (
              <p>
                <Ticked text={said} />
              </p>
            )}
            {(selector?.eagerError || selector?.lazyError) && <p class="exact bad-text">{selector.eagerError ?? selector.lazyError}</p>}
            {selector && <Terms check={selector} fileId={fileId} />}
          </div>
        );
      })}
    </div>
  );
}

/** The requirements that fail on the nearest term, or everywhere when no term is nearest. */
function failing(node: NodePlacement): Range[] {
  const ranges: Range[] = [];
  for (const claim of node.claims ?? []) {
    for (const check of claim.checks ?? []) {
      const selector = selectorOf(check);
      if (!selector || selector.terms.some((term) => term.outcome === "Match")) continue;
      for (const term of selector.terms) {
        if (selector.nearestTerm !== undefined && selector.nearestTerm !== null && term.index !== selector.nearestTerm) continue;
        for (const requirement of term.requirements) if (requirement.holds !== true && requirement.range) ranges.push(requirement.range);
      }
    }
  }
  return ranges;
}

interface Props {
  matrix: Matrix;
  row: number;
  column: number;
  fileId: string;
  version: string;
}

/** Why one node can or cannot take one claim, and what it would be with other labels. */
export function Cell({ matrix, row, column, fileId, version }: Props) {
  const s = t.value;
  const entry = matrix.columns[column];
  const name = matrix.nodes[row] ?? "";
  const labels = matrix.labels[row] ?? {};
  const [edited, setEdited] = useState<Record<string, string> | null>(null);
  const [node, setNode] = useState<NodePlacement | null>(null);
  const changed = edited !== null;
  const tried = JSON.stringify(edited);

  useEffect(() => {
    const file = files.peek().find((candidate) => candidate.id === fileId);
    if (!file || !entry) return undefined;
    let current = true;
    const show = (found: NodePlacement | null) => {
      if (!current || !found) return;
      setNode(found);
      mark(fileId, failing(found));
      announce(t.peek().cell(name, entry.name, t.peek().verdicts[found.verdict]));
    };
    if (edited === null) {
      void ask<NodePlacement | null>("cell", { verb: "evaluate", text: source(file), shape: "cell", cell: { object: entry.object, node: row } }, true).then((outcome) => {
        if (outcome.kind === "answer") show(outcome.answer);
      });
    } else {
      const text = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name, labels: edited } });
      const options = release.peek() ? { release: release.peek() } : {};
      void ask<{ objects?: { placement?: { nodes: NodePlacement[] } }[] }>("what-if", { verb: "evaluate", text: source(file), texts: { nodes: literal("what-if", text) }, options }, true).then((outcome) => {
        if (outcome.kind === "answer") show(outcome.answer.objects?.[entry.object]?.placement?.nodes[0] ?? null);
      });
    }
    return () => {
      current = false;
    };
  }, [version, row, column, tried]);
  useEffect(() => () => mark(fileId, [], false), [fileId]);

  if (!entry) return null;
  const verdict = node?.verdict ?? entry.verdicts[row] ?? "Error";
  const reason = node ? reasonOf(node) : (entry.reasons[row] ?? "");
  const shown = edited ?? labels;
  const change = (key: string, value: string | null) => {
    const next = { ...shown };
    if (value === null) delete next[key];
    else next[key] = value;
    setEdited(next);
  };
  return (
    <section class="cell-detail" aria-label={s.cell(name, entry.name, s.verdicts[verdict])}>
      <h3 class="cell-title">
        <span class={`sign-box verdict-${verdict}`} aria-hidden="true">
          {SIGNS[verdict]}
        </span>
        <span>
          {name} <span class="muted">×</span> {entry.name}: <b>{s.verdicts[verdict]}</b>
          <span class="note"> {s.verdictNotes[verdict]}</span>
        </span>
      </h3>
      {reason && (
        <p class="reason">
          <Ticked text={reason} />
        </p>
      )}
      {node?.claims?.map((claim, index) => <Claim key={index} claim={claim} fileId={fileId} />)}
      <details class="what-if" open={changed}>
        <summary>
          {s.whatIf} <span class="note">{s.whatIfNote}</span>
        </summary>
        <div class="labels" role="group" aria-label={s.labels}>
          {Object.entries(shown).map(([key, value]) => (
            <div class="label-row" key={key}>
              <code title={key}>{key}</code>
              <input value={value} aria-label={s.labelValue(key)} spellcheck={false} class={labels[key] === value ? "" : "changed"} onInput={({ currentTarget }) => change(key, currentTarget.value)} />
              <button type="button" class="button icon-only quiet" aria-label={s.removeLabel(key)} title={s.removeLabel(key)} onClick={() => change(key, null)}>
                <Icon name="cross" size={12} />
              </button>
            </div>
          ))}
          <div class="label-row">
            <input
              placeholder={s.labelKey}
              aria-label={s.labelKey}
              spellcheck={false}
              onKeyDown={(event) => {
                const key = event.currentTarget.value.trim();
                if (event.key !== "Enter" || !key) return;
                const [label = key, value = ""] = key.split("=", 2);
                change(label, value);
                event.currentTarget.value = "";
              }}
              onBlur={({ currentTarget }) => {
                const key = currentTarget.value.trim();
                if (!key) return;
                const [label = key, value = ""] = key.split("=", 2);
                change(label, value);
                currentTarget.value = "";
              }}
            />
            <span class="note">{s.addLabel}</span>
          </div>
        </div>
        {changed && (
          <div class="what-if-answer">
            <span class={`chip verdict-${verdict}`} role="status">
              {s.whatIfAnswer(s.verdicts[verdict])}
            </span>
            <button type="button" class="button small" onClick={() => setEdited(null)}>
              {s.resetLabels}
            </button>
          </div>
        )}
      </details>
    </section>
  );
}
