import { useEffect, useState } from "preact/hooks";
import type { Answer, Finding, ObjectEntry } from "../contract.ts";
import { announceableReport, copyText, fixAll } from "../state/actions.ts";
import { engineError, engineState, restart } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { countErrors, failures, report, stale } from "../state/checks.ts";
import { manifest } from "../state/files.ts";
import { announce } from "../state/notices.ts";
import { FindingList } from "./FindingList.tsx";
import { Icon } from "./Icon.tsx";

/** Who would say no (or yes): the first of kubectl and the API server that has an error. */
function verdictOf(answer: Answer): { tone: "good" | "bad" | "none"; text: string } {
  const s = t.value;
  const { errors, warnings, infos } = countErrors(answer.findings);
  if (answer.error) return { tone: "bad", text: answer.error };
  if (!answer.ok && (answer.findings.some((finding) => finding.code === "nothing-checked") || errors === 0)) return { tone: "none", text: s.nothingChecked };
  const refusing = (["kubectl", "kube-apiserver"] as const).find((origin) => answer.findings.some((finding) => finding.origin === origin && finding.severity === "error"));
  if (refusing) {
    const own = answer.findings.filter((finding) => finding.origin === refusing && finding.severity === "error").length;
    return { tone: "bad", text: s.refuse(s.subjects[refusing], own) };
  }
  if (errors > 0) return { tone: "bad", text: s.problemsHere(errors) };
  const remarks = warnings + infos;
  const who = s.subjects["kube-apiserver"];
  return { tone: "good", text: remarks > 0 ? s.acceptWarn(who, remarks) : s.accept(who) };
}

/** One checked object and, when the server would refuse it, the exact `Status`. */
export function ObjectRow({ entry }: { entry: ObjectEntry }) {
  const s = t.value;
  const name = `${entry.kind ?? "?"} ${entry.namespace ? `${entry.namespace}/` : ""}${entry.name ?? ""}`;
  const status = entry.status ? JSON.stringify(entry.status, null, 2) : "";
  const line = (
    <>
      <span class={`tick ${entry.valid ? "good" : "bad"}`}>
        <Icon name={entry.valid ? "check" : "cross"} />
      </span>
      <span class="object-name">
        {entry.kind ?? "?"} <b>{entry.name || "—"}</b>
        {entry.namespace && <span class="muted"> {entry.namespace}</span>}
      </span>
      {entry.release && <span class="chip">{entry.release}</span>}
    </>
  );
  if (!entry.status) return <li class="object">{line}</li>;
  return (
    <li class="object with-status">
      <details>
        <summary>
          {line}
          <span class="chip bad">
            {entry.status.code} {entry.status.reason}
          </span>
        </summary>
        <div class="status-body">
          <div class="status-head">
            <span>{s.statusOf(name)}</span>
            <button type="button" class="button small" onClick={() => void copyText(status)}>
              {s.copy}
            </button>
          </div>
          <pre tabIndex={0}>{status}</pre>
        </div>
      </details>
    </li>
  );
}

export function Objects({ entries, total = entries.length }: { entries: readonly ObjectEntry[]; total?: number }) {
  const s = t.value;
  const [most, setMost] = useState(50);
  if (entries.length === 0) return null;
  return (
    <section class="objects" aria-label={s.objects}>
      <h3>
        {s.objects} <span class="count">{total.toLocaleString()}</span>
      </h3>
      <ul>
        {entries.slice(0, most).map((entry, index) => (
          <ObjectRow key={index} entry={entry} />
        ))}
      </ul>
      {entries.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 500)}>
          {s.showMore(Math.min(500, entries.length - most))}
        </button>
      )}
    </section>
  );
}

/** What to show while there is no answer: starting, failed to start, crashed on this text. */
export function EngineTrouble() {
  const s = t.value;
  const file = manifest.value;
  const failure = file && failures.value.get(file.id);
  if (engineState.value === "failed") {
    return (
      <div class="banner bad" role="alert">
        <p>
          <b>{engineError.value ? s.stopped : s.startFailed}</b> <code>{engineError.value}</code>
        </p>
        <button type="button" class="button" onClick={restart}>
          {s.tryAgain}
        </button>
      </div>
    );
  }
  if (failure && file && failure.version === file.version) {
    return (
      <div class="banner bad" role="alert">
        <p>
          {failure.crashed ? s.crashedOn : ""} <code>{failure.message}</code>
        </p>
      </div>
    );
  }
  return null;
}

function certain(findings: readonly Finding[]): number {
  return findings.filter((finding) => finding.fixes.length === 1).length;
}

export function Problems() {
  const s = t.value;
  const file = manifest.value;
  const current = report.value;
  const said = announceableReport.value;

  useEffect(() => {
    if (said) announce(t.peek().announceFindings(said.errors, said.warnings));
  }, [said]);

  if (!file) return null;
  const { findings = [], objects = [] } = current?.answer ?? {};
  const verdict = current && verdictOf(current.answer);
  const empty = file.doc.length === 0;
  const fixable = certain(findings);
  const releases = [...new Set(objects.map((entry) => entry.release).filter(Boolean))];
  return (
    <div class="problems" aria-busy={stale.value}>
      <EngineTrouble />
      {!current && engineState.value !== "failed" && <p class="muted quiet">{engineState.value === "starting" ? s.starting : s.waiting}</p>}
      {current && empty && <p class="muted quiet">{s.emptyFile}</p>}
      {verdict && !empty && (
        <div class={`verdict ${verdict.tone}`}>
          <Icon name={verdict.tone === "good" ? "check" : verdict.tone === "bad" ? "error" : "info"} size={20} />
          <div>
            <h2>{verdict.text}</h2>
            {releases.length > 0 && <p class="muted">{s.judgedAs(releases.join(", "))}</p>}
          </div>
          {fixable > 0 && (
            <button type="button" class="button primary" title={s.fixAllTitle(fixable)} onClick={() => void fixAll()}>
              {s.fixAll} <span class="count">{fixable}</span>
            </button>
          )}
        </div>
      )}
      {!empty && <FindingList findings={findings} fileId={file.id} />}
      {!empty && <Objects entries={objects} total={current?.answer.objectCount ?? 0} />}
    </div>
  );
}
