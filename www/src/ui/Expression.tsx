import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { celEditor, type CelEditor } from "../editor/cel.ts";
import { lastPart, type Tried } from "../engine/devices.ts";
import { lang, t } from "../i18n/index.ts";
import { told } from "../i18n/engine.ts";
import { files, manifest } from "../state/files.ts";
import { FIRST_EXPRESSION, chosenDevice, expression, release } from "../state/options.ts";
import { together } from "../state/together.ts";
import { Commands } from "./Commands.tsx";
import { SIGNS } from "./MatrixGrid.tsx";
import { Ticked } from "./Ticked.tsx";
import { Traced } from "./Traced.tsx";
import { Trouble } from "./Trouble.tsx";
import { useEngine } from "./useEngine.ts";

/** The height of a line, and so of the field: it grows with its text. */
const LINE = 22;

/** A device selector on the devices of the text: does it compile, what does it cost, which devices does it select, and why. */
export function Expression() {
  const s = t.value;
  void files.value;
  const file = manifest.value;
  const all = together();
  // Until something is written the panel tries what stands in the text, or what is true of every device.
  const written = useSignal(expression.peek() !== "");
  const text = expression.value || (written.value ? "" : FIRST_EXPRESSION);
  const device = chosenDevice.value;
  const key = all && JSON.stringify([all.key, all.version, text, device, release.value]);
  const { outcome, fresh } = useEngine<Tried>(
    "tried",
    text.trim() === "" ? null : (key ?? null),
    () => ({ verb: "cel", text: all!, options: { expression: text, device, ...(release.value ? { release: release.value } : {}) }, shape: "tried" }),
    60,
  );
  const tried = outcome?.kind === "answer" ? outcome.answer : null;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CelEditor | null>(null);
  /** What the field shows, so that showing it is not taken for writing it. */
  const shown = useRef(text);
  const there = file !== undefined && all !== null;
  useEffect(() => {
    if (!host.current) return undefined;
    const { expressionLabel, expressionHint } = t.peek();
    editor.current = celEditor(host.current, text, expressionLabel, expressionHint, () => together()?.get() ?? "", (next) => {
      if (next === shown.current) return;
      shown.current = next;
      batch(() => {
        written.value = true;
        expression.value = next;
      });
    });
    return () => {
      editor.current?.destroy();
      editor.current = null;
    };
  }, [lang.value, there]);
  // At once and not after the next picture: what is typed meanwhile must not be overwritten.
  useSignalEffect(() => {
    // Another text was opened, which brings no expression.
    if (expression.value === "" && shown.current !== "") written.value = false;
    const now = expression.value || (written.value ? "" : FIRST_EXPRESSION);
    if (now === shown.current) return;
    shown.current = now;
    editor.current?.show(now);
  });
  useEffect(() => {
    if (tried && fresh) editor.current?.mark(tried.compile.ok ? undefined : (tried.compile.error ?? tried.findings[0]?.message));
  }, [tried, fresh]);
  useEffect(() => {
    const own = tried?.selectors.find(({ kind }) => kind !== "DeviceClass") ?? tried?.selectors[0];
    if (!written.peek() && own && expression.peek() === "") expression.value = own.expression;
  }, [tried]);
  if (!file || !all) return null;
  const selected = tried?.devices.filter(({ match }) => match).length ?? 0;
  return (
    <div class="expression" aria-busy={!fresh}>
      <div class="controls">
        <b>{s.panels.cel}</b>
        <span class="spacer" />
        {tried && tried.selectors.length > 0 && (
          <select
            aria-label={s.selectorsOfText}
            value=""
            onChange={({ currentTarget }) => {
              const chosen = tried.selectors[Number(currentTarget.value)];
              currentTarget.value = "";
              if (!chosen) return;
              batch(() => {
                written.value = true;
                expression.value = chosen.expression;
              });
            }}
          >
            <option value="">{s.selectorsOfText}…</option>
            {tried.selectors.map((selector, index) => (
              <option key={index} value={index}>
                {`${selector.kind} ${selector.of}${selector.request && ` · ${selector.request}`} · ${selector.index}`}
              </option>
            ))}
          </select>
        )}
      </div>
      <div ref={host} class="expression-text" style={{ height: `${Math.min(10, Math.max(3, text.split("\n").length + 1)) * LINE + 2}px` }} />
      <Trouble outcome={outcome} verb="cel" />
      {tried && text.trim() !== "" && (
        <div class="expression-answer">
          {tried.compile.ok ? (
            <p role="status">
              {s.compiles(tried.compile.type ?? "", (tried.compile.cost ?? 0).toLocaleString())} {tried.devices.length > 0 && <b>{s.selectsDevices(selected, tried.deviceCount)}</b>}
            </p>
          ) : (
            <>
              <p role="status">{s.doesNotCompile}</p>
              <pre class="exact compile-error" tabIndex={0}>
                {tried.compile.error ?? tried.findings[0]?.message}
              </pre>
            </>
          )}
          {tried.compile.ok && tried.deviceCount === 0 && (
            <p class="muted">
              <Ticked text={s.noDevices} />
            </p>
          )}
          {tried.chosen && (
            <section aria-label={tried.chosen.id}>
              <h3>
                {s.onDevice} <code>{tried.chosen.id}</code>
              </h3>
              {tried.chosen.result.error && <p class="exact bad-text">{tried.chosen.result.error}</p>}
              <Traced expression={text} trace={tried.chosen.result.trace ?? []} />
              {(tried.chosen.result.why ?? []).map((line) => (
                <p class="note" key={line}>
                  <Ticked text={told(line)} />
                </p>
              ))}
            </section>
          )}
          {tried.compile.ok && tried.devices.length > 0 && (
            <section aria-label={s.devicesWord}>
              <h3>{s.devicesWord}</h3>
              <ul class="device-list">
                {tried.devices.map(({ id, match, error, cost }) => {
                  const verdict = error !== undefined ? "Error" : match ? "Yes" : "No";
                  return (
                    <li key={id}>
                      <button type="button" class="device-row" aria-pressed={id === tried.chosen?.id} onClick={() => (chosenDevice.value = id)}>
                        <span class={`sign-box verdict-${verdict}`} aria-hidden="true">
                          {SIGNS[verdict]}
                        </span>
                        <span class="device-id">
                          <b>{lastPart(id)}</b> <span class="muted">{id.slice(0, -lastPart(id).length - 1)}</span>
                          {error !== undefined && <span class="exact bad-text"> {error}</span>}
                        </span>
                        <span class="note tabular">{s.spent(cost.toLocaleString())}</span>
                      </button>
                    </li>
                  );
                })}
              </ul>
              {tried.deviceCount > tried.devices.length && <p class="note">{s.andMore(tried.deviceCount - tried.devices.length)}</p>}
            </section>
          )}
        </div>
      )}
      <Commands panel="cel" />
    </div>
  );
}
