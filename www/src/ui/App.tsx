import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { editFile, fixMenu, applyFix, mountEditor } from "../editor/editor.ts";
import { engineState } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { dialog } from "../state/actions.ts";
import { activeFile, activeId, guessRole, newFile, open, freeName } from "../state/files.ts";
import { announce, announcement, notice, notify } from "../state/notices.ts";
import { panel, PANELS, type Panel } from "../state/options.ts";
import { openDropped } from "../state/session.ts";
import { countErrors, report } from "../state/checks.ts";
import { Convert } from "./Convert.tsx";
import { FileTabs } from "./FileTabs.tsx";
import { Header } from "./Header.tsx";
import { Nodes } from "./Nodes.tsx";
import { Policy } from "./Policy.tsx";
import { Problems } from "./Problems.tsx";
import { Request } from "./Request.tsx";
import { share, Splitter } from "./Splitter.tsx";
import { StatusBar } from "./StatusBar.tsx";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

const VIEWS: Record<Panel, ComponentType> = { problems: Problems, convert: Convert, nodes: Nodes, request: Request, policy: Policy };
const NARROW = "(max-width: 860px)";

function EditorPane() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => (host.current ? mountEditor(host.current) : undefined), []);
  // A pasted list of nodes in place of a manifest is a common mistake; the page offers to put it right.
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const file = activeFile.peek();
    if (text.length < 40 || file?.role !== "manifest" || guessRole("", text) !== "nodes") return;
    const before = file.doc;
    notify({
      text: t.peek().looksLikeNodes,
      action: {
        label: t.peek().useAsNodes,
        run: () => {
          const now = activeFile.peek();
          if (now?.id === file.id) editFile(file.id, { from: 0, to: now.doc.length, insert: before });
          open(newFile(freeName("nodes.yaml"), "nodes", text));
        },
      },
    });
  };
  return <div ref={host} class="editor-host" onPasteCapture={onPaste} />;
}

function PanelTabs() {
  const s = t.value;
  const list = useRef<HTMLDivElement>(null);
  const counts = report.value ? countErrors(report.value.answer.findings) : null;
  const move = (event: KeyboardEvent) => {
    const at = PANELS.indexOf(panel.peek());
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    panel.value = PANELS[(next + PANELS.length) % PANELS.length] ?? "problems";
    list.current?.querySelector<HTMLElement>(`#tab-${panel.value}`)?.focus();
  };
  return (
    <div ref={list} class="panel-tabs" role="tablist" aria-label={s.panelList} onKeyDown={move}>
      {PANELS.map((name) => (
        <button type="button" role="tab" key={name} id={`tab-${name}`} aria-selected={panel.value === name} aria-controls="panel" tabIndex={panel.value === name ? 0 : -1} onClick={() => (panel.value = name)}>
          {s.panels[name]}
          {name === "problems" && counts && counts.errors + counts.warnings > 0 && (
            <span class={`badge ${counts.errors > 0 ? "error" : "warning"}`}>{(counts.errors || counts.warnings).toLocaleString()}</span>
          )}
        </button>
      ))}
    </div>
  );
}

function FixDialog() {
  const s = t.value;
  const element = useRef<HTMLDialogElement>(null);
  const found = fixMenu.value;
  useEffect(() => {
    if (found && !element.current?.open) element.current?.showModal();
  }, [found]);
  if (!found) return null;
  return (
    <dialog ref={element} class="dialog" aria-label={s.fixes} onClose={() => (fixMenu.value = null)}>
      <h2>{s.fixes}</h2>
      <div class="menu">
        {found.flatMap((finding) =>
          finding.fixes.map((fix, index) => (
            <button
              type="button"
              class="menu-item two-lines"
              key={`${finding.code} ${index}`}
              onClick={() => {
                element.current?.close();
                applyFix(activeId.peek(), finding, index);
              }}
            >
              <b>
                <Ticked text={fix.title} />
              </b>
              <span>{finding.message}</span>
            </button>
          )),
        )}
      </div>
    </dialog>
  );
}

function ShortcutsDialog() {
  const s = t.value;
  const element = useRef<HTMLDialogElement>(null);
  const open = dialog.value === "shortcuts";
  useEffect(() => {
    if (open && !element.current?.open) element.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog ref={element} class="dialog" aria-label={s.shortcuts} onClose={() => (dialog.value = "")}>
      <h2>{s.shortcuts}</h2>
      <dl class="shortcuts">
        {s.shortcutList.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button primary">
          {s.close}
        </button>
      </form>
    </dialog>
  );
}

function NoticeLine() {
  const s = t.value;
  const current = notice.value;
  if (!current) return null;
  return (
    <div class="notice">
      <span>{current.text}</span>
      {current.action && (
        <button
          type="button"
          class="button small primary"
          onClick={() => {
            notice.value = null;
            current.action?.run();
          }}
        >
          {current.action.label}
        </button>
      )}
      <button type="button" class="button icon-only quiet" aria-label={s.close} onClick={() => (notice.value = null)}>
        <Icon name="cross" size={12} />
      </button>
    </div>
  );
}

/** Files dropped anywhere on the page open as tabs. */
function useDrop(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      const list = [...(event.dataTransfer?.files ?? [])];
      if (list.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      void openDropped(list);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", hover);
    addEventListener("drop", drop, true);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", hover);
      removeEventListener("drop", drop, true);
    };
  }, []);
  return over;
}

export function App() {
  const s = t.value;
  const [stacked, setStacked] = useState(matchMedia(NARROW).matches);
  const dropping = useDrop();
  useEffect(() => {
    const query = matchMedia(NARROW);
    const change = () => setStacked(query.matches);
    query.addEventListener("change", change);
    const keys = (event: KeyboardEvent) => {
      const name = PANELS[Number(event.code.replace("Digit", "")) - 1];
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !event.code.startsWith("Digit") || !name) return;
      event.preventDefault();
      panel.value = name;
      document.getElementById(`tab-${name}`)?.focus();
    };
    addEventListener("keydown", keys);
    return () => {
      query.removeEventListener("change", change);
      removeEventListener("keydown", keys);
    };
  }, []);
  const state = engineState.value;
  useEffect(() => {
    if (state === "recovered") announce(t.peek().recovered);
  }, [state]);
  const View = VIEWS[panel.value];
  const track = `minmax(0, ${share.value}fr) auto minmax(0, ${100 - share.value}fr)`;
  return (
    <div class="page">
      <Header />
      <main class={stacked ? "work stacked" : "work"} style={stacked ? { gridTemplateRows: track, gridTemplateColumns: "" } : { gridTemplateColumns: track, gridTemplateRows: "" }}>
        <section class="left" aria-label={s.editor}>
          <FileTabs />
          <EditorPane />
        </section>
        <Splitter stacked={stacked} />
        <section class="right" aria-label={s.panelList}>
          <PanelTabs />
          <div id="panel" class={`panel panel-${panel.value}`} role="tabpanel" aria-labelledby={`tab-${panel.value}`} tabIndex={-1}>
            <View />
          </div>
        </section>
      </main>
      <StatusBar />
      <NoticeLine />
      <FixDialog />
      <ShortcutsDialog />
      {dropping && (
        <div class="drop" aria-hidden="true">
          {s.dropHere}
        </div>
      )}
      {/* One element for good: a live region that is replaced is not read. The space makes repeated words new. */}
      <div class="sr" role="status" aria-live="polite">
        {announcement.value.text + (announcement.value.count % 2 === 1 ? "\u00a0" : "")}
      </div>
    </div>
  );
}
