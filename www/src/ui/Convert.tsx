import type { Answer, Loss } from "../contract.ts";
import { reveal } from "../editor/editor.ts";
import { meaningOf } from "../i18n/codes.ts";
import { t } from "../i18n/index.ts";
import { applyConverted, copyText, download } from "../state/actions.ts";
import { manifest, source, textOf } from "../state/files.ts";
import { lossy, release, target, TARGETS } from "../state/options.ts";
import { Compare } from "./Compare.tsx";
import { FindingList } from "./FindingList.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** "The other version" is v1alpha2 unless the text has no v1alpha1 in it. */
function otherVersion(text: string): string {
  return text.includes("resource.k8s.io/v1alpha1") ? "resource.k8s.io/v1alpha2" : "resource.k8s.io/v1alpha1";
}

/** The code of the findings that say of each loss where it stands. */
const LOSS = "conversion-loss";

/** The losses with their places in the text. */
function located(answer: Answer): Loss[] {
  const places = answer.findings.filter((finding) => finding.code === LOSS);
  return answer.objects.flatMap((entry, object) =>
    (entry.losses ?? []).map((loss) => {
      const range = loss.range ?? places.find((finding) => finding.path === loss.path && (finding.object ?? object) === object)?.range;
      return range ? { ...loss, range } : loss;
    }),
  );
}

function Losses({ losses, fileId, allowed }: { losses: Loss[]; fileId: string; allowed: boolean }) {
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
                <code class="path">{loss.path}</code> <span class="lost-value">{printed(loss.value)}</span>
              </span>
              <span class="finding-help" lang="en">
                <Ticked text={loss.reason} />
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
  const to = file && (target.value === "other" ? otherVersion(file.doc.sliceString(0, 200_000)) : target.value);
  const key = file && `${file.id} ${file.version} ${to} ${lossy.value} ${release.value}`;
  const { outcome, fresh } = useEngine<Answer>(
    "convert",
    key ?? null,
    () => ({ verb: "convert", text: source(file!), options: { to, lossy: lossy.value ? "allow" : "refuse", ...(release.value ? { release: release.value } : {}) } }),
    pauseFor(file?.doc.length ?? 0),
  );
  if (!file) return null;
  const answer = outcome?.kind === "answer" ? outcome.answer : null;
  const losses = answer ? located(answer) : [];
  const skipped = answer?.objects.filter((entry) => entry.skipped) ?? [];
  const converted = answer?.text;
  const before = answer ? textOf(file) : "";
  const same = converted !== undefined && converted === before;
  return (
    <div class="convert" aria-busy={!fresh}>
      <div class="controls">
        <label class="inline">
          <span>{s.convertTo}</span>
          <select value={target.value} onChange={({ currentTarget }) => (target.value = currentTarget.value as typeof target.value)}>
            {TARGETS.map((value) => (
              <option key={value} value={value}>
                {value === "other" ? `${s.targetOther}: ${to?.replace("resource.k8s.io/", "")}` : value.replace("resource.k8s.io/", "")}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          <input type="checkbox" checked={lossy.value} onChange={({ currentTarget }) => (lossy.value = currentTarget.checked)} />
          <span>{s.allowLossy}</span>
        </label>
        <span class="spacer" />
        {converted !== undefined && !same && (
          <div class="actions">
            <button type="button" class="button" onClick={() => void copyText(converted)}>
              {s.copy}
            </button>
            <button type="button" class="button" onClick={() => download(file.name, converted)}>
              {s.download}
            </button>
            <button type="button" class="button primary" disabled={!fresh} onClick={() => applyConverted(file, converted)}>
              {s.apply}
            </button>
          </div>
        )}
      </div>
      <Trouble outcome={outcome} verb="convert" />
      {answer && (
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
          {same && <p class="muted quiet">{s.unchanged}</p>}
          {converted !== undefined && !same && losses.length === 0 && <p class="good-line">{s.losses(0)}</p>}
          <Losses losses={losses} fileId={file.id} allowed={lossy.value} />
          {skipped.length > 0 && (
            <section class="losses">
              <h3>{s.convertSkipped}</h3>
              <ul>
                {skipped.map((entry, index) => (
                  <li key={index}>
                    <div class="finding-main">
                      <b>{`${entry.kind ?? entry.from ?? ""} ${entry.name ?? ""}`}</b> <Ticked text={entry.skipped ?? ""} />
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <FindingList findings={answer.findings.filter((finding) => finding.code !== LOSS)} fileId={file.id} canFix={false} />
          {converted !== undefined && !same && <Compare before={before} after={converted} beforeLabel={s.before} afterLabel={s.after} />}
        </>
      )}
    </div>
  );
}
