import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lang, t } from "../i18n/index.ts";
import {
	applyPlan,
	type DialogName,
	dialog,
	fixPlan,
} from "../state/actions.ts";
import { loadReleases, releases } from "../state/releases.ts";
import { type Kept, openPast, readKept } from "../state/session.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { deleteDraft, forget } from "../state/store.ts";
import { Compare } from "./Compare.tsx";
import { Dialog } from "./Dialog.tsx";
import { Embed } from "./Embed.tsx";
import { Gallery } from "./Gallery.tsx";
import { keyName } from "./keys.ts";
import { Ticked } from "./Ticked.tsx";
import { Visible } from "./Visible.tsx";

const closed = () => (dialog.value = "");

function Shortcuts() {
	const s = t.value;
	return (
		<Dialog title={s.shortcuts} onClose={closed}>
			{() => (
				<dl class="shortcuts">
					{s.shortcutList.map(([keys, what]) => (
						<div key={keys}>
							<dt>
								<kbd>{keyName(keys)}</kbd>
							</dt>
							<dd>{what}</dd>
						</div>
					))}
				</dl>
			)}
		</Dialog>
	);
}

function About() {
	const s = t.value;
	useEffect(() => void loadReleases(), []);
	return (
		<Dialog title={s.aboutTitle} onClose={closed} wide>
			{() => (
				<div class="about">
					<p>{s.aboutWhat}</p>
					<p>
						<a
							href="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/"
							target="_blank"
							rel="noopener"
						>
							{s.aboutDocs}
						</a>
					</p>
					<h3>{s.aboutVersions}</h3>
					<ul class="plain-list">
						{releases.value.map((entry) => (
							<li key={entry.release}>
								{s.aboutServes(
									`${entry.release} – ${entry.lastPatch}`,
									entry.versions
										.map(({ apiVersion }) => apiVersion.split("/").pop())
										.join(", "),
								)}
							</li>
						))}
					</ul>
					<h3>{s.aboutExact}</h3>
					<p>{s.aboutExactText}</p>
					<p>
						<Ticked text={s.aboutNotLookedAt} />
					</p>
					<h3>{s.aboutPrivacy}</h3>
					<p>{s.aboutPrivacyText}</p>
					<h3>{s.aboutOffline}</h3>
					<p>
						<Ticked text={s.aboutOfflineText} />
					</p>
					<h3>{s.aboutSource}</h3>
					<p>
						{s.aboutSourceText} {s.aboutBuild(__BUILD__)}
					</p>
					<p>
						<a
							href={
								lang.value === "en"
									? "./codes/index.html"
									: "./codes/zh/index.html"
							}
							target="_blank"
							rel="noopener"
						>
							{s.aboutCodes}
						</a>
					</p>
				</div>
			)}
		</Dialog>
	);
}

/** Returns a glimpse of a text: its first objects, or its first line where there are none. */
function glimpseOf(text: string): string {
	const head = text.slice(0, 20_000);
	const objects = [
		...head.matchAll(
			/^["{ ]*kind["']?: *["']?(\w+)[\s\S]*?^[ \t]+["']?name["']?: *["']?([^\s"',#]+)/gm,
		),
	].map(([, kind, name]) => `${kind} ${name}`);
	return (
		objects.slice(0, 3).join(", ") ||
		(head
			.split("\n")
			.find((line) => line.trim() !== "" && !line.startsWith("#")) ??
			"")
	);
}

function HistoryRow({
	at,
	snapshot,
	note,
	open,
	remove,
}: {
	at: number;
	snapshot: Snapshot;
	note?: string;
	open: () => void;
	remove: () => void;
}) {
	const s = t.value;
	const first = snapshot.f[snapshot.a] ?? snapshot.f[0];
	return (
		<li class="history-row">
			<div>
				<b>{s.when(at)}</b> {note && <span class="chip">{note}</span>}
				<p class="note">
					{s.historyFiles(snapshot.f.length)}:{" "}
					{snapshot.f
						.slice(0, 4)
						.map(({ n }) => n)
						.join(", ")}
					{snapshot.f.length > 4 && " …"}
				</p>
				<p class="exact glimpse">
					<Visible text={glimpseOf(first?.t ?? "").slice(0, 80)} />
				</p>
			</div>
			<button type="button" class="button small" onClick={open}>
				{s.open}
			</button>
			<button type="button" class="button small" onClick={remove}>
				{s.remove}
			</button>
		</li>
	);
}

function History() {
	const s = t.value;
	const [kept, setKept] = useState<Kept | null>(null);
	const again = () => void readKept().then(setKept);
	useEffect(again, []);
	return (
		<Dialog title={s.history} onClose={closed} wide>
			{(close) => (
				<>
					<p class="note">{s.historyIntro}</p>
					{kept && kept.past.length + kept.drafts.length === 0 && (
						<p class="quiet muted">{s.historyEmpty}</p>
					)}
					<ul class="history">
						{kept?.past.map(({ id, at, snapshot }) => (
							<HistoryRow
								key={id}
								at={at}
								snapshot={snapshot}
								open={() => {
									close();
									void openPast(snapshot);
								}}
								remove={() => void forget(id ?? -1).then(again)}
							/>
						))}
						{kept?.drafts.map(({ tab, at, snapshot }) => (
							<HistoryRow
								key={tab}
								at={at}
								snapshot={snapshot}
								note={s.historyDraft}
								open={() => {
									close();
									void openPast(snapshot);
								}}
								remove={() => void deleteDraft(tab).then(again)}
							/>
						))}
					</ul>
				</>
			)}
		</Dialog>
	);
}

function FixAll() {
	const s = t.value;
	const plan = fixPlan.value;
	if (!plan) return null;
	return (
		<Dialog
			title={
				plan.fixes.length > 0 ? s.fixAllWill(plan.fixes.length) : s.fixAllNone
			}
			onClose={() => {
				closed();
				fixPlan.value = null;
			}}
			wide
		>
			{(close) => (
				<>
					<ol class="fix-list">
						{plan.fixes.map(({ line, title }, index) => (
							<li key={index}>
								<span class="note tabular">{s.lineNumber(line)}</span>{" "}
								<Ticked text={title} />
							</li>
						))}
					</ol>
					{plan.left > 0 && <p class="note">{s.fixAllRest(plan.left)}</p>}
					{plan.fixes.length > 0 && (
						<Compare
							before={plan.before}
							after={plan.after}
							beforeLabel={s.before}
							afterLabel={s.after}
						/>
					)}
					<div class="dialog-actions">
						<button type="button" class="button" onClick={close}>
							{plan.fixes.length > 0 ? s.cancel : s.close}
						</button>
						{plan.fixes.length > 0 && (
							<button
								type="button"
								class="button primary"
								onClick={() => {
									applyPlan(plan);
									close();
								}}
							>
								{s.applyFixes}
							</button>
						)}
					</div>
				</>
			)}
		</Dialog>
	);
}

const DIALOGS: Record<Exclude<DialogName, "">, ComponentType> = {
	shortcuts: Shortcuts,
	about: About,
	history: History,
	fixAll: FixAll,
	gallery: Gallery,
	embed: Embed,
};

/** The dialog that is open, if any. */
export function Dialogs() {
	const name = dialog.value;
	if (name === "") return null;
	const Open = DIALOGS[name];
	return <Open key={name} />;
}
