import { useState } from "preact/hooks";
import type { Finding, Origin } from "../contract.ts";
import { applyFix, reveal } from "../editor/editor.ts";
import { codePage } from "../editor/findings.ts";
import { meaningOf } from "../i18n/codes.ts";
import { t } from "../i18n/index.ts";
import type { Together } from "../state/together.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

const ORIGINS: Origin[] = ["kubectl", "kube-apiserver", "kube-scheduler", "claimkit"];
const PAGE = 100;

type Locate = Together["locate"];

/** One finding: what is said, where, why, and what to do. */
function Row({ finding, fileId, canFix, locate }: { finding: Finding; fileId: string | undefined; canFix: boolean; locate?: Locate | undefined }) {
  const s = t.value;
  const found = finding.range && locate ? locate(finding.range) : null;
  const range = found?.range ?? finding.range;
  const start = range?.start;
  const place = start ? s.place(start.line + 1, start.character + 1) : undefined;
  const upstream = finding.origin !== "claimkit";
  const meaning = meaningOf(finding.code);
  const body = (
    <>
      <span class="finding-head">
        <span class={`severity ${finding.severity}`}>
          <Icon name={finding.severity} />
          <span class="sr">{s.severities[finding.severity]}: </span>
        </span>
        <span class={upstream ? "finding-message exact" : "finding-message"} lang="en">
          {upstream ? finding.message : <Ticked text={finding.message} />}
        </span>
      </span>
      {meaning && (
        <span class="finding-meaning">
          <Ticked text={meaning} />
        </span>
      )}
      {finding.help && (
        <span class="finding-help" lang="en">
          <Ticked text={finding.help} />
        </span>
      )}
    </>
  );
  return (
    <li class="finding">
      {start && fileId ? (
        <button type="button" class="finding-main" onClick={() => range && reveal(found?.file.id ?? fileId, range)}>
          {body}
        </button>
      ) : (
        <div class="finding-main">{body}</div>
      )}
      <div class="finding-foot">
        {start && (
          <span class="finding-place" title={place}>
            <span aria-hidden="true">{`${found && found.file.id !== fileId ? `${found.file.name}:` : ""}${start.line + 1}:${start.character + 1}`}</span>
            <span class="sr">{place}</span>
          </span>
        )}
        {!start && finding.path && <code>{finding.path}</code>}
        <a href={codePage(finding.code)} target="_blank" rel="noopener" title={s.explain(finding.code)}>
          {finding.code}
        </a>
        {canFix &&
          fileId &&
          finding.fixes.map((fix, index) => (
            <button type="button" class="button small fix" key={fix.title} onClick={() => applyFix(fileId, finding, index)}>
              {s.fix}: <Ticked text={fix.title} />
            </button>
          ))}
      </div>
    </li>
  );
}

interface Props {
  findings: readonly Finding[];
  fileId: string | undefined;
  canFix?: boolean;
  /** Where the ranges stand, if the findings are about several files read together. */
  locate?: Locate;
}

/** Findings grouped by who says so, in the order a person meets them. */
export function FindingList({ findings, fileId, canFix = true, locate }: Props) {
  const s = t.value;
  const [most, setMost] = useState(PAGE);
  let left = most;
  const groups = ORIGINS.map((origin) => ({ origin, list: findings.filter((finding) => finding.origin === origin) })).filter((group) => group.list.length > 0);
  return (
    <div class="finding-groups">
      {groups.map(({ origin, list }) => {
        const shown = list.slice(0, Math.max(0, left));
        left -= list.length;
        if (shown.length === 0) return null;
        return (
          <section key={origin} class="finding-group" aria-label={`${s.origins[origin]} ${s.originNotes[origin]}`}>
            <h3>
              {s.origins[origin]} <span class="note">{s.originNotes[origin]}</span>
              <span class="count">{list.length.toLocaleString()}</span>
            </h3>
            <ul>
              {shown.map((finding, index) => (
                <Row key={`${index} ${finding.code}`} finding={finding} fileId={fileId} canFix={canFix} locate={locate} />
              ))}
            </ul>
          </section>
        );
      })}
      {findings.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 1000)}>
          {s.showMore(Math.min(1000, findings.length - most))}
        </button>
      )}
    </div>
  );
}
