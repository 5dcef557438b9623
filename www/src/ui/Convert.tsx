import { useEffect } from "preact/hooks";
import type { Answer, Decision, Loss, ObjectEntry } from "../contract.ts";
import { reveal } from "../editor/editor.ts";
import { meaningOf } from "../i18n/codes.ts";
import { told } from "../i18n/engine.ts";
import { t } from "../i18n/index.ts";
import { applyConverted, copyText, download } from "../state/actions.ts";
import { manifest, source, textOf } from "../state/files.ts";
import { overlay } from "../state/checks.ts";
import { annotate, lossy, release, target } from "../state/options.ts";
import { loadReleases, releases, versions } from "../state/releases.ts";
import { Commands } from "./Commands.tsx";
import { Compare } from "./Compare.tsx";
import { FindingList } from "./FindingList.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { Visible } from "./Visible.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

const shortName = (version: string) => version.replace("resource.k8s.io/", "");

/**
 * Where a text goes when nothing else is chosen: up to the newest version, or one down where it is there already; null where it has
 * no object of a known version.
 */
function direction(text: string, known: readonly string[]): string | null {
  const found = known.filter((version) => new RegExp(`${version.replace(/[.]/g, "\\.")}(?![a-z0-9])`).test(text));
  const newest = known.at(-1);
  if (found.length === 0 || newest === undefined) return null;
  if (found[0] !== newest) return newest;
  return known.at(-2) ?? newest;
}

/** A file's name after it was converted: the version stands in it, so that it does not lie beside the old one under one name. */
function convertedName(name: string, to: string): string {
  const version = shortName(to);
  const plain = name.replace(/[._-]v\d+((alpha|beta)\d+)?(?=[._-]|$)/, "");
  const dot = plain.lastIndexOf(".");
  return dot > 0 ? `${plain.slice(0, dot)}.${version}${plain.slice(dot)}` : `${plain}.${version}`;
}

/** The codes of the findings that say of each loss and decision where it stands. */
const LOSS = "conversion-loss";
const DECISION = "conversion-decision";
/** What stands among what is left as it is already. */
const LEFT = "other-group";

interface NamedLoss extends Loss {
  /** The object that loses the value. */
  of: string;
}

/** The losses with their objects and places in the text. */
function located(answer: Answer): NamedLoss[] {
  const places = answer.findings.filter((finding) => finding.code === LOSS);
  return answer.objects.flatMap((entry, object) =>
    (entry.losses ?? []).map((loss) => {
      const range = loss.range ?? places.find((finding) => finding.path === loss.path && (finding.object ?? object) === object)?.range;
      const of = `${entry.kind ?? ""} ${entry.name ?? ""}`.trim();
      return range ? { ...loss, of, range } : { ...loss, of };
    }),
  );
}

const named = ({ kind = "", name = "" }: ObjectEntry): string => `${kind} ${name}`.trim();

/** What was assumed where no tool can know, beside what it could be instead. */
function Decisions({ entries, fileId }: { entries: readonly ObjectEntry[]; fileId: string }) {
  const s = t.value;
  const list = entries.flatMap((entry) => (entry.decisions ?? []).map((decision): Decision & { of: string } => ({ ...decision, of: named(entry) })));
  if (list.length === 0) return null;
  return (
    <section class="losses decisions" aria-label={s.decisions(list.length)}>
      <h3>{s.decisions(list.length)}</h3>
      <label class="inline">
        <input type="checkbox" checked={annotate.value} onChange={({ currentTarget }) => (annotate.value = currentTarget.checked)} />
        <span>{s.annotate}</span>
      </label>
      <ul>
        {list.map((decision, index) => {
          const { range } = decision;
          const body = (
            <>
              <span>
                <Visible text={decision.of} />: {decision.path && <code class="path">{decision.path}</code>} <Ticked text={told(decision.message)} />
              </span>
              {(decision.alternatives ?? []).length > 0 && (
                <span class="finding-help">
                  {s.alternatives} <Ticked text={decision.alternatives!.map((other) => told(other)).join("; ")} />
                </span>
              )}
            </>
          );
          return <li key={index}>{range ? <button type="button" class="finding-main" onClick={() => reveal(fileId, range)}>{body}</button> : <div class="finding-main">{body}</div>}</li>;
        })}
      </ul>
    </section>
  );
}

/** Each object with the version it had and the one it gets. */
function Converted({ entries, fileId }: { entries: readonly ObjectEntry[]; fileId: string }) {
  const s = t.value;
  const MOST = 50;
  return (
    <section class="converted" aria-label={s.objects}>
      <ul>
        {entries.slice(0, MOST).map((entry, index) => {
          const { from = "", to = "", range, changed, losses = [], decisions = [], removedIn } = entry;
          return (
            <li key={index}>
              {range ? (
                <button type="button" class="link-button" onClick={() => reveal(fileId, range)}>
                  <Visible text={named(entry) || "—"} />
                </button>
              ) : (
                <b><Visible text={named(entry)} /></b>
              )}
              {from !== "" && <span class="chip">{changed && from !== to ? `${shortName(from)} → ${shortName(to)}` : shortName(from)}</span>}
              {losses.length > 0 && <span class="chip bad">{s.lossCount(losses.length)}</span>}
              {decisions.length > 0 && <span class="chip">{s.decisionCount(decisions.length)}</span>}
              {removedIn && changed && <span class="note">{s.removedIn(shortName(from), removedIn)}</span>}
            </li>
          );
        })}
      </ul>
      {entries.length > MOST && <p class="note">{s.andMore(entries.length - MOST)}</p>}
    </section>
  );
}

function Losses({ losses, fileId, allowed }: { losses: NamedLoss[]; fileId: string; allowed: boolean }) {
  const s = t.value;
  const meaning = meaningOf(LOSS);
  if (losses.length === 0) return null;
  const printed = (value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text === undefined ? "" : text.length > 120 ? `${text.slice(0, 117)}…` : text;
  };
  return (
    <section class="losses" aria-label={s.losses(losses.length)}>
      <h3>{allowed ? s.lossesAllowed(losses.length) : s.losses(losses.length)}</h3>
      {meaning && (
        <p class="finding-meaning">
          <Ticked text={meaning} />
        </p>
      )}
      <ul>
        {losses.map((loss, index) => {
          const body = (
            <>
              <span>
                <Visible text={loss.of} />:{" "}
                <code class="path">
                  <Visible text={loss.path} />
                </code>{" "}
                <span class="lost-value">
                  <Visible text={printed(loss.value)} />
                </span>
              </span>
              <span class="finding-help">
                <Ticked text={told(loss.reason)} />
              </span>
            </>
          );
          return (
            <li key={index}>
              {loss.range ? (
                <button type="button" class="finding-main" onClick={() => loss.range && reveal(fileId, loss.range)}>
                  {body}
                </button>
              ) : (
                <div class="finding-main">{body}</div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function Convert() {
  const s = t.value;
  const file = manifest.value;
  useEffect(() => void loadReleases(), []);
  const known = versions.value;
  const to = file && (target.value === "other" ? direction(file.doc.sliceString(0, 200_000), known) : target.value);
  const empty = !file || file.doc.length === 0;
  const key = file && to && !empty ? `${file.id} ${file.version} ${to} ${lossy.value} ${annotate.value} ${release.value}` : null;
  const { outcome, fresh } = useEngine<Answer>(
    "convert",
    key,
    () => ({ verb: "convert", text: source(file!), options: { to, lossy: lossy.value ? "allow" : "refuse", ...(annotate.value ? { annotate: true } : {}), ...(release.value ? { release: release.value } : {}) } }),
    pauseFor(file?.doc.length ?? 0),
  );
  const answer = outcome?.kind === "answer" ? outcome.answer : null;
  // What is lost and what is assumed is underlined where it stands.
  useEffect(() => {
    const findings = answer?.findings.filter(({ code }) => code === LOSS || code === DECISION) ?? [];
    overlay.value = file && fresh && findings.length > 0 ? { fileId: file.id, version: file.version, findings } : null;
    return () => {
      overlay.value = null;
    };
  }, [answer, fresh]);
  if (!file) return null;
  const losses = answer ? located(answer) : [];
  const skipped = answer?.objects.filter((entry) => entry.skipped) ?? [];
  const nothing = empty || (to === null && known.length > 0) || (answer !== null && known.length > 0 && !answer.objects.some((entry) => known.includes(entry.from ?? "")));
  const converted = answer?.text;
  const before = answer ? textOf(file) : "";
  const same = !nothing && converted !== undefined && converted === before;
  return (
    <div class="convert" aria-busy={key !== null && !fresh}>
      <div class="controls">
        <label class="inline">
          <span>{s.convertTo}</span>
          <select value={target.value} onChange={({ currentTarget }) => (target.value = currentTarget.value as typeof target.value)}>
            <option value="other">{to && target.value === "other" ? `${s.targetOther}: ${shortName(to)}` : s.targetOther}</option>
            <optgroup label={s.aboutVersions}>
              {known.map((value) => (
                <option key={value} value={value}>
                  {shortName(value)}
                </option>
              ))}
            </optgroup>
            <optgroup label={s.convertForRelease}>
              {releases.value.map((entry) => (
                <option key={entry.release} value={entry.release}>
                  {`Kubernetes ${entry.release}`}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        <label class="inline">
          <input type="checkbox" checked={lossy.value} onChange={({ currentTarget }) => (lossy.value = currentTarget.checked)} />
          <span>{s.allowLossy}</span>
        </label>
        <span class="spacer" />
        {converted !== undefined && !same && !nothing && (
          <div class="actions">
            <button type="button" class="button" onClick={() => void copyText(converted)}>
              {s.copy}
            </button>
            <button type="button" class="button" onClick={() => download(convertedName(file.name, to!), converted)}>
              {s.download}
            </button>
            <button type="button" class="button primary" disabled={!fresh} onClick={() => applyConverted(file, converted, to!)}>
              {s.apply}
            </button>
          </div>
        )}
      </div>
      <Trouble outcome={outcome} verb="convert" />
      {nothing && <p class="muted quiet">{empty ? s.convertEmpty : s.convertNone(known.map(shortName).join(", "))}</p>}
      {answer && !nothing && (
        <>
          {converted === undefined && (
            <div class="verdict-line">
              <h2 class="bad-text">{s.noConversion}</h2>
              {losses.length > 0 && !lossy.value && (
                <button type="button" class="button" onClick={() => (lossy.value = true)}>
                  {s.allowLossy}
                </button>
              )}
            </div>
          )}
          {same && <p class="muted quiet">{s.unchanged([...new Set(answer.objects.flatMap(({ to: now }) => (now ? [shortName(now)] : [])))].join(", "))}</p>}
          {converted !== undefined && !same && losses.length === 0 && <p class="good-line">{s.losses(0)}</p>}
          {answer.objects.some(({ from }) => from) && <Converted entries={answer.objects.filter(({ from }) => from)} fileId={file.id} />}
          <Losses losses={losses} fileId={file.id} allowed={lossy.value} />
          <Decisions entries={answer.objects} fileId={file.id} />
          {skipped.length > 0 && !same && (
            <section class="losses">
              <h3>{s.convertSkipped}</h3>
              <ul>
                {skipped.map((entry, index) => (
                  <li key={index}>
                    <div class="finding-main">
                      <b><Visible text={`${entry.kind ?? entry.from ?? ""} ${entry.name ?? ""}`} /></b>
                      <span>
                        <Ticked text={told(entry.skipped ?? "")} />
                      </span>
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <FindingList findings={answer.findings.filter((finding) => ![LOSS, DECISION, LEFT].includes(finding.code))} fileId={file.id} canFix={false} />
          {converted !== undefined && !same && <Compare before={before} after={converted} beforeLabel={file.name} afterLabel={convertedName(file.name, to!)} />}
          <Commands key={to} panel="convert" to={to ?? ""} />
        </>
      )}
    </div>
  );
}
