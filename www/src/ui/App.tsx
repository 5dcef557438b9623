import { useEffect, useRef, useState } from "preact/hooks";
import { mountEditor } from "../editor/editor.ts";
import { engineState } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { downloadFile } from "../state/actions.ts";
import { choosePanel, hasPasted } from "../state/arrivals.ts";
import { filesOf } from "../state/dropped.ts";
import { shownPanels } from "../state/family.ts";
import { activeFile } from "../state/files.ts";
import { announce, announcement, notice } from "../state/notices.ts";
import { panelOnly } from "../state/options.ts";
import { openDropped, openPasted } from "../state/session.ts";
import { ConfigLine } from "./ConfigLine.tsx";
import { Dialogs } from "./Dialogs.tsx";
import { FileTabs } from "./FileTabs.tsx";
import { FixMenu } from "./FixMenu.tsx";
import { Header } from "./Header.tsx";
import { Icon } from "./Icon.tsx";
import { PanelTabs, PanelView } from "./PanelView.tsx";
import { Splitter, share } from "./Splitter.tsx";
import { StatusBar } from "./StatusBar.tsx";

const NARROW = "(max-width: 860px)";

function EditorPane() {
	const host = useRef<HTMLDivElement>(null);
	useEffect(() => (host.current ? mountEditor(host.current) : undefined), []);
	const onPaste = (event: ClipboardEvent) => {
		const file = activeFile.peek();
		if (file) hasPasted(file, event.clipboardData?.getData("text/plain") ?? "");
	};
	return <div ref={host} class="editor-host" onPasteCapture={onPaste} />;
}

function NoticeLine() {
	const s = t.value;
	const current = notice.value;
	if (!current || current.over?.()) return null;
	return (
		<section class="notice" aria-label={s.notice}>
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
			<button
				type="button"
				class="button icon-only quiet"
				aria-label={s.close}
				onClick={() => (notice.value = null)}
			>
				<Icon name="cross" size={12} />
			</button>
		</section>
	);
}

/** Files dropped anywhere on the page open as tabs. */
function useDrop(): boolean {
	const [over, setOver] = useState(false);
	useEffect(() => {
		let depth = 0;
		const stop = new AbortController();
		const on = <E extends keyof WindowEventMap>(
			type: E,
			hear: (event: WindowEventMap[E]) => void,
			capture = false,
		) => addEventListener(type, hear, { signal: stop.signal, capture });
		const hasFiles = (event: DragEvent) =>
			event.dataTransfer?.types.includes("Files") ?? false;
		on("dragenter", (event) => {
			if (!hasFiles(event)) return;
			depth += 1;
			setOver(true);
		});
		on("dragleave", (event) => {
			if (!hasFiles(event)) return;
			depth -= 1;
			if (depth <= 0) setOver(false);
		});
		on("dragover", (event) => {
			if (hasFiles(event)) event.preventDefault();
		});
		on(
			"drop",
			(event) => {
				depth = 0;
				setOver(false);
				if (
					!event.dataTransfer ||
					event.dataTransfer.items.length === 0 ||
					!hasFiles(event)
				)
					return;
				event.preventDefault();
				event.stopPropagation();
				void filesOf(event.dataTransfer).then(openDropped);
			},
			true,
		);
		return () => stop.abort();
	}, []);
	return over;
}

/** Returns whether a paste goes into something that takes text itself. */
const takesText = (target: EventTarget | undefined): boolean =>
	target instanceof HTMLElement &&
	(target.isContentEditable || target.matches("input, textarea, select"));

/** What is pasted outside of the editor and of fields opens as a tab. */
function usePaste(): void {
	useEffect(() => {
		const hear = (event: ClipboardEvent) => {
			const given = event.clipboardData;
			// The editor has taken its own, and may have removed the line that it went into.
			if (event.defaultPrevented || !given || panelOnly.peek()) return;
			if (takesText(event.composedPath()[0])) return;
			event.preventDefault();
			void openPasted({
				text: given.getData("text/plain"),
				files: [...given.files],
				items: [],
			});
		};
		addEventListener("paste", hear);
		return () => removeEventListener("paste", hear);
	}, []);
}

/** Alt with a number opens a panel; Control or Command with S saves the open file. */
function useKeys(): void {
	useEffect(() => {
		const keys = (event: KeyboardEvent) => {
			const { altKey, ctrlKey, metaKey, shiftKey } = event;
			if (
				(ctrlKey || metaKey) &&
				!altKey &&
				!shiftKey &&
				event.key.toLowerCase() === "s"
			) {
				event.preventDefault();
				const file = activeFile.peek();
				if (file) downloadFile(file);
				return;
			}
			const name =
				shownPanels.peek()[Number(event.code.replace("Digit", "")) - 1];
			if (
				!altKey ||
				ctrlKey ||
				metaKey ||
				shiftKey ||
				!event.code.startsWith("Digit") ||
				!name
			)
				return;
			event.preventDefault();
			choosePanel(name);
			document.getElementById(`tab-${name}`)?.focus();
		};
		addEventListener("keydown", keys);
		return () => removeEventListener("keydown", keys);
	}, []);
}

export function App() {
	const s = t.value;
	const [stacked, setStacked] = useState(matchMedia(NARROW).matches);
	const dropping = useDrop();
	useKeys();
	usePaste();
	useEffect(() => {
		const query = matchMedia(NARROW);
		const change = () => setStacked(query.matches);
		query.addEventListener("change", change);
		return () => query.removeEventListener("change", change);
	}, []);
	const state = engineState.value;
	useEffect(() => {
		if (state === "recovered") announce(t.peek().recovered);
	}, [state]);
	const track = `minmax(0, ${share.value}fr) auto minmax(0, ${100 - share.value}fr)`;
	return (
		<div class="page">
			<Header />
			<main
				class={stacked ? "work stacked" : "work"}
				style={
					panelOnly.value
						? { gridTemplate: "minmax(0, 1fr) / minmax(0, 1fr)" }
						: stacked
							? { gridTemplateRows: track, gridTemplateColumns: "" }
							: { gridTemplateColumns: track, gridTemplateRows: "" }
				}
			>
				{!panelOnly.value && (
					<>
						<section class="left" aria-label={s.editor}>
							<FileTabs />
							<ConfigLine />
							<EditorPane />
						</section>
						<Splitter stacked={stacked} />
					</>
				)}
				<section class="right" aria-label={s.panelList}>
					<PanelTabs />
					<PanelView />
				</section>
			</main>
			<NoticeLine />
			<StatusBar />
			<FixMenu />
			<Dialogs />
			{dropping && (
				<div class="drop" aria-hidden="true">
					{s.dropHere}
				</div>
			)}
			{/* One element for good: a live region that is replaced is not read. The space makes repeated words new. */}
			<div class="sr" role="status" aria-live="polite">
				{announcement.value.text +
					(announcement.value.count % 2 === 1 ? "\u00a0" : "")}
			</div>
		</div>
	);
}
