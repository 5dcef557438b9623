import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/index.ts";
import { copyText, dialog } from "../state/actions.ts";
import { linkOrWords } from "../state/session.ts";
import { Dialog } from "./Dialog.tsx";
import { Ticked } from "./Ticked.tsx";

const escapeHtml = (text: string): string =>
	text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** Returns the folder of the page's own files: its address without a file's name. */
const folder = (): string => new URL("./", location.href).href;

/** Returns the snippets for another page that shows this one, and for a README with a badge. */
export function snippets(
	address: string,
	panelOnly: boolean,
	height: number,
): { iframe: string; badge: string } {
	const framed = `${address}${address.includes("#") ? "&" : "#"}embed=${panelOnly ? "panel" : "1"}`;
	return {
		iframe: `<iframe src="${escapeHtml(framed)}" title="claimkit" width="100%" height="${height}" loading="lazy" style="border: 1px solid #ccc"></iframe>`,
		badge: `[![claimkit](${folder()}badge.svg)](${address})`,
	};
}

function Snippet({
	label,
	button,
	text,
	done,
}: {
	label: string;
	button: string;
	text: string;
	done: string;
}) {
	return (
		<section class="snippet">
			<h3>{label}</h3>
			<code tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>
				{text}
			</code>
			<button
				type="button"
				class="button small primary"
				onClick={() => void copyText(text, done)}
			>
				{button}
			</button>
		</section>
	);
}

/** The dialog with the snippets for other pages, with or without the editor, and for a badge. */
export function Embed() {
	const s = t.value;
	const [address, setAddress] = useState<string | null>(null);
	const [panelOnly, setPanelOnly] = useState(false);
	const [height, setHeight] = useState(480);
	useEffect(
		() =>
			void linkOrWords({}).then((made) => {
				if (made !== undefined) setAddress(made);
				else if (dialog.peek() === "embed") dialog.value = "";
			}),
		[],
	);
	return (
		<Dialog title={s.embedTitle} onClose={() => (dialog.value = "")} wide>
			{() => (
				<div class="embed-dialog">
					<p>
						<Ticked text={s.embedIntro} />
					</p>
					<div class="controls">
						<label class="inline">
							<input
								type="checkbox"
								checked={panelOnly}
								onChange={({ currentTarget }) =>
									setPanelOnly(currentTarget.checked)
								}
							/>
							<span>{s.embedPanelOnly}</span>
						</label>
						<label class="inline">
							<span>{s.embedHeight}</span>
							<input
								type="number"
								min={200}
								max={2000}
								step={20}
								value={height}
								onChange={({ currentTarget }) =>
									setHeight(
										Math.min(
											2000,
											Math.max(200, Number(currentTarget.value) || 480),
										),
									)
								}
							/>
						</label>
					</div>
					{address !== null && (
						<>
							<Snippet
								label={s.embedFrame}
								button={s.copyFrame}
								text={snippets(address, panelOnly, height).iframe}
								done={s.copied}
							/>
							<Snippet
								label={s.embedBadge}
								button={s.copyBadge}
								text={snippets(address, panelOnly, height).badge}
								done={s.copied}
							/>
						</>
					)}
					<p class="note">
						<Ticked text={s.embedOpen} />
					</p>
				</div>
			)}
		</Dialog>
	);
}
