import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { focusEditor } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { choosePanel } from "../state/arrivals.ts";
import { report } from "../state/checks.ts";
import { shownPanels } from "../state/family.ts";
import { freeName, manifestHead, newFile, open } from "../state/files.ts";
import { type Panel, panel } from "../state/options.ts";
import { LOADERS } from "./panels.ts";
import { SettingsLine } from "./SettingsLine.tsx";
import { Ticked } from "./Ticked.tsx";

const loaded = new Map<Panel, ComponentType>();

/** Every panel is about a manifest: what to do where none is open. */
function NoManifest() {
	const s = t.value;
	return (
		<div class="empty">
			<p>
				<Ticked text={s.noManifest} />
			</p>
			<button
				type="button"
				class="button primary"
				onClick={() => {
					open(newFile(freeName("manifest.yaml"), "manifest", ""));
					focusEditor();
				}}
			>
				{s.newManifest}
			</button>
		</div>
	);
}

/** The open panel; its code is fetched the first time. */
export function PanelView() {
	const name = panel.value;
	const [, redraw] = useState(0);
	const [failed, setFailed] = useState(false);
	const [tries, setTries] = useState(0);
	const View = manifestHead.value ? loaded.get(name) : NoManifest;
	useEffect(() => {
		if (View) return undefined;
		let current = true;
		setFailed(false);
		LOADERS[name]().then(
			(component) => {
				loaded.set(name, component);
				if (current) redraw((count) => count + 1);
			},
			() => current && setFailed(true),
		);
		return () => {
			current = false;
		};
	}, [name, View, tries]);
	return (
		<div
			id="panel"
			class={`panel panel-${name}`}
			role="tabpanel"
			aria-labelledby={`tab-${name}`}
			tabIndex={-1}
		>
			<h2 class="sr">{t.value.panels[name]}</h2>
			<SettingsLine />
			{View ? (
				<View />
			) : failed ? (
				<div class="banner bad" role="alert">
					<p>{t.value.panelFailed}</p>
					<button
						type="button"
						class="button"
						onClick={() => setTries(tries + 1)}
					>
						{t.value.tryAgain}
					</button>
				</div>
			) : (
				<p class="muted quiet">{t.value.loadingPanel}</p>
			)}
		</div>
	);
}

export function PanelTabs() {
	const s = t.value;
	const list = useRef<HTMLDivElement>(null);
	const counts = report.value?.answer.counts;
	const open = panel.value;
	useEffect(() => {
		list.current
			?.querySelector(`#tab-${open}`)
			?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [open]);
	const move = (event: KeyboardEvent) => {
		const panels = shownPanels.peek();
		const at = panels.indexOf(panel.peek());
		const next = {
			ArrowRight: at + 1,
			ArrowLeft: at - 1,
			Home: 0,
			End: panels.length - 1,
		}[event.key];
		if (next === undefined) return;
		event.preventDefault();
		choosePanel(panels[(next + panels.length) % panels.length] ?? "problems");
		list.current?.querySelector<HTMLElement>(`#tab-${panel.value}`)?.focus();
	};
	return (
		<div
			ref={list}
			class="panel-tabs"
			role="tablist"
			aria-label={s.panelList}
			onKeyDown={move}
		>
			{shownPanels.value.map((name) => (
				<button
					type="button"
					role="tab"
					key={name}
					id={`tab-${name}`}
					aria-selected={open === name}
					aria-controls="panel"
					tabIndex={open === name ? 0 : -1}
					onClick={() => choosePanel(name)}
				>
					{s.panels[name]}
					{name === "problems" &&
						counts &&
						counts.errors + counts.warnings > 0 && (
							<span class={`badge ${counts.errors > 0 ? "error" : "warning"}`}>
								{(counts.errors || counts.warnings).toLocaleString()}
							</span>
						)}
				</button>
			))}
		</div>
	);
}
