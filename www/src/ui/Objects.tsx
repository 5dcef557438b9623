import type { ValidatedObject } from "claimkit";
import { useState } from "preact/hooks";
import { reveal } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

/** Returns the outcome of an object: accepted, refused, or not judged. */
function fared({ valid, status }: ValidatedObject): {
	tone: "good" | "bad" | "none";
	icon: IconName;
} {
	if (valid === true && !status) return { tone: "good", icon: "check" };
	return valid === false || status
		? { tone: "bad", icon: "cross" }
		: { tone: "none", icon: "minus" };
}

/** One object and, when the server would refuse it, the exact `Status`. */
function ObjectRow({
	entry,
	fileId,
}: {
	entry: ValidatedObject;
	fileId: string | undefined;
}) {
	const s = t.value;
	const name = `${entry.kind} ${entry.namespace ? `${entry.namespace}/` : ""}${entry.name}`;
	const status = entry.status ? JSON.stringify(entry.status, null, 2) : "";
	const { tone, icon } = fared(entry);
	const { range } = entry;
	const line = (
		<>
			<span class={`tick ${tone}`}>
				<Icon name={icon} />
			</span>
			<span class="object-name">
				{entry.kind}{" "}
				{range && fileId !== undefined && !entry.status ? (
					<button
						type="button"
						role="link"
						class="link-button"
						onClick={() => reveal(fileId, range)}
					>
						<b>{entry.name ? <Visible text={entry.name} /> : "—"}</b>
					</button>
				) : (
					<b>{entry.name ? <Visible text={entry.name} /> : "—"}</b>
				)}
				{entry.namespace && (
					<span class="muted">
						{" "}
						<Visible text={entry.namespace} />
					</span>
				)}
			</span>
			<span class="chip">{tone === "none" ? s.unchecked : entry.release}</span>
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
						{range && fileId !== undefined && (
							<button
								type="button"
								class="button small"
								onClick={() => reveal(fileId, range)}
							>
								{s.showObject}
							</button>
						)}
						<button
							type="button"
							class="button small"
							onClick={() => void copyText(status)}
						>
							{s.copy}
						</button>
					</div>
					<pre tabIndex={0}>
						<Visible text={status} />
					</pre>
				</div>
			</details>
		</li>
	);
}

export function Objects({
	entries,
	total = entries.length,
	fileId,
}: {
	entries: readonly ValidatedObject[];
	total?: number;
	fileId?: string;
}) {
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
					<ObjectRow key={index} entry={entry} fileId={fileId} />
				))}
			</ul>
			{entries.length > most && (
				<button
					type="button"
					class="button more"
					onClick={() => setMost(most + 500)}
				>
					{s.showMore(Math.min(500, entries.length - most))}
				</button>
			)}
		</section>
	);
}
