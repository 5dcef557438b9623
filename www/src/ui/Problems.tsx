import { useEffect } from "preact/hooks";
import type { Finding } from "../contract.ts";
import { reveal, deletes } from "../editor/editor.ts";
import { engineError, engineState, restart } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { announceableReport, planFixAll } from "../state/actions.ts";
import { failures, report, stale } from "../state/checks.ts";
import { manifest, type PageFile } from "../state/files.ts";
import { findingKey, pointedFinding, wantedFinding } from "../state/goal.ts";
import { guideFor } from "../state/guide.ts";
import { announce } from "../state/notices.ts";
import { FORMATS, saveReport } from "../state/report.ts";
import { verdictOf } from "../state/verdict.ts";
import { Commands } from "./Commands.tsx";
import { FindingList } from "./FindingList.tsx";
import { GuideLine } from "./GuideLine.tsx";
import { Icon } from "./Icon.tsx";
import { Objects } from "./Objects.tsx";
import { Popover } from "./Popover.tsx";
import { Strip } from "./Strip.tsx";

/** What to show while there is no answer: starting, failed to start, crashed on this text. */
function EngineTrouble() {
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

/** How many findings have one fix that takes nothing away. */
function certain(file: PageFile, findings: readonly Finding[]): number {
  return findings.filter(({ fixes }) => fixes.length === 1 && !deletes(file.doc, fixes[0]!)).length;
}

function ReportMenu() {
  const s = t.value;
  return (
    <Popover label={s.report} align="end" buttonClass="button small" button={s.report}>
      {(close) => (
        <div class="menu">
          {FORMATS.map((format) => (
            <button type="button" class="menu-item" key={format} onClick={() => (close(), saveReport(format))}>
              {s.reportFormats[format]}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

/** Goes to the finding a link names, once it is there. */
function useWanted(file: PageFile | undefined, findings: readonly Finding[] | undefined): void {
  const wanted = wantedFinding.value;
  useEffect(() => {
    if (wanted === "" || !file || !findings || stale.peek()) return;
    wantedFinding.value = "";
    const found = findings.find((finding) => findingKey(finding) === wanted);
    if (!found) return;
    pointedFinding.value = wanted;
    if (found.range) reveal(file.id, found.range, false);
  }, [wanted, findings]);
}

export function Problems() {
  const s = t.value;
  const file = manifest.value;
  const current = report.value;
  const said = announceableReport.value;

  useEffect(() => {
    if (said) announce(t.peek().announceFindings(said.errors, said.warnings));
  }, [said]);
  useWanted(file, stale.value ? undefined : current?.answer.findings);

  if (!file) return null;
  const { findings = [], objects = [] } = current?.answer ?? {};
  const empty = file.doc.length === 0;
  const verdict = current && verdictOf(current.answer);
  const guide = current && !empty ? guideFor(file.doc, current.answer) : null;
  // What the engine says of a text of another sort helps nobody.
  const quiet = guide !== null && guide.what !== "live" && current !== undefined && !objects.some(({ valid }) => typeof valid === "boolean");
  const fixable = stale.value ? 0 : certain(file, findings);
  const releases = [...new Set(objects.filter(({ valid }) => typeof valid === "boolean").map((entry) => entry.release).filter(Boolean))];
  return (
    <div class="problems" aria-busy={stale.value}>
      <EngineTrouble />
      {!current && engineState.value !== "failed" && <p class="muted quiet">{engineState.value === "starting" ? s.starting : s.waiting}</p>}
      {current && empty && <p class="muted quiet">{s.emptyFile}</p>}
      {verdict && !empty && (
        <div class={`verdict ${quiet ? "none" : verdict.tone}`}>
          <Icon name={quiet || verdict.tone === "none" ? "info" : verdict.tone === "good" ? "check" : "error"} size={20} />
          <div>
            <h2>{quiet ? s.nothingChecked : verdict.text}</h2>
            {releases.length > 0 && <p class="muted">{s.judgedAs(releases.join(", "))}</p>}
          </div>
          {fixable > 0 && (
            <button type="button" class="button primary" title={s.fixAllTitle(fixable)} onClick={() => void planFixAll()}>
              {s.fixAll} <span class="count">{fixable}</span>
            </button>
          )}
          {!quiet && <ReportMenu />}
        </div>
      )}
      {guide && <GuideLine guide={guide} file={file} />}
      {!empty && !quiet && (
        <>
          <FindingList findings={findings} fileId={file.id} objects={objects} canLink />
          <Objects entries={objects} total={current?.answer.objectCount ?? 0} />
          {current && <Strip file={file} />}
          {current && <Commands panel="problems" />}
        </>
      )}
    </div>
  );
}
