import type { Release } from "claimkit";
import { useEffect, useRef } from "preact/hooks";
import { LANGUAGE_NAMES, LANGUAGES, lang, speak, t } from "../i18n/index.ts";
import { dialog } from "../state/actions.ts";
import { openConfig } from "../state/config.ts";
import { gates, usedRelease } from "../state/gates.ts";
import {
	embedded,
	FONT_SIZES,
	fontSize,
	gateWords,
	labelWords,
	release,
	theme,
	wrap,
} from "../state/options.ts";
import { choices, loadReleases } from "../state/releases.ts";
import { copyLink, openWhole, resetAll } from "../state/session.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import { Ticked } from "./Ticked.tsx";

function Choice({
	value,
	name,
	notes,
	close,
}: {
	value: Release | "";
	name: string;
	notes: readonly string[];
	close: () => void;
}) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<label class="choice">
			<input
				ref={input}
				type="radio"
				name="release"
				checked={release.value === value}
				onChange={() => (release.value = value)}
				onKeyDown={(event) => event.key === "Enter" && close()}
				// A press on the mouse or the screen is a choice; an arrow key only looks at the next one.
				onClick={(event) => {
					if (event.detail === 0) return;
					release.value = value;
					close();
				}}
			/>
			<span>
				<b class="tabular">{name}</b>
				{(release.value === value ? notes : notes.slice(0, 1)).map((note) => (
					<span class="note" key={note}>
						<Ticked text={note} />
					</span>
				))}
			</span>
		</label>
	);
}

function Releases() {
	const s = t.value;
	const language = lang.value;
	const shown = usedRelease.value || s.releaseAuto;
	return (
		<Popover
			label={`${s.release} ${shown}`}
			wide
			button={
				<>
					<span class="label muted">{s.release}</span>{" "}
					<b class="tabular">{shown}</b>
					{Object.keys(gates.value.set).length > 0 && (
						<span class="chip">
							{s.gateCount(Object.keys(gates.value.set).length)}
						</span>
					)}
					<Icon name="chevron" size={12} />
				</>
			}
		>
			{(close) => <ReleaseChoices key={language} close={close} />}
		</Popover>
	);
}

function ReleaseChoices({ close }: { close: () => void }) {
	const s = t.value;
	useEffect(() => void loadReleases(), []);
	return (
		<fieldset class="choices">
			<legend class="sr">{s.release}</legend>
			<details
				class="more-settings"
				open={gateWords.value !== "" || labelWords.value !== ""}
			>
				<summary>{s.gates}</summary>
				<label class="field">
					<span>{s.gates}</span>
					<input
						value={gateWords.value}
						spellcheck={false}
						placeholder="DRAConsumableCapacity=true"
						onChange={({ currentTarget }) =>
							(gateWords.value = currentTarget.value)
						}
					/>
				</label>
				<p class="note">
					{gates.value.wrong.length > 0
						? s.gatesWrong(gates.value.wrong.join(", "))
						: s.gatesNote}
				</p>
				<label class="field">
					<span>{s.namespaceLabels}</span>
					<input
						value={labelWords.value}
						spellcheck={false}
						placeholder="resource.kubernetes.io/admin-access=true"
						onChange={({ currentTarget }) =>
							(labelWords.value = currentTarget.value)
						}
					/>
				</label>
				<button
					type="button"
					class="button small"
					onClick={() => {
						close();
						openConfig();
					}}
				>
					{s.asConfig}
				</button>
			</details>
			<Choice
				value=""
				name={s.releaseAuto}
				notes={[s.releaseAutoNote]}
				close={close}
			/>
			{[...choices.value].reverse().map(({ value, label, notes }) => (
				<Choice
					key={value}
					value={value}
					name={label}
					notes={notes}
					close={close}
				/>
			))}
			{choices.value.length === 0 && <p class="note quiet">{s.loadingPanel}</p>}
		</fieldset>
	);
}

const THEME_ICONS: Record<"system" | "light" | "dark", IconName> = {
	system: "system",
	light: "sun",
	dark: "moon",
};

function Preferences() {
	const s = t.value;
	const item = (icon: IconName, text: string, run: () => void) => (
		<button type="button" class="menu-item" onClick={run}>
			<Icon name={icon} /> {text}
		</button>
	);
	return (
		<Popover
			label={s.more}
			align="end"
			buttonClass="button icon-only"
			button={<Icon name="dots" />}
		>
			{(close) => (
				<div class="menu preferences">
					<fieldset class="segments">
						<legend>{s.theme}</legend>
						{(["system", "light", "dark"] as const).map((value) => (
							<label key={value}>
								<input
									type="radio"
									name="theme"
									checked={theme.value === value}
									onChange={() => (theme.value = value)}
								/>
								<span>
									<Icon name={THEME_ICONS[value]} /> {s.themes[value]}
								</span>
							</label>
						))}
					</fieldset>
					<fieldset class="segments">
						<legend>{s.language}</legend>
						{LANGUAGES.map((value) => (
							<label key={value}>
								<input
									type="radio"
									name="language"
									checked={lang.value === value}
									onChange={() => void speak(value)}
								/>
								<span lang={value}>{LANGUAGE_NAMES[value]}</span>
							</label>
						))}
					</fieldset>
					<fieldset class="segments">
						<legend>{s.fontSize}</legend>
						{FONT_SIZES.map((value) => (
							<label key={value}>
								<input
									type="radio"
									name="font-size"
									checked={fontSize.value === value}
									onChange={() => (fontSize.value = value)}
								/>
								<span>{value}</span>
							</label>
						))}
					</fieldset>
					<label class="inline setting">
						<input
							type="checkbox"
							checked={wrap.value === "on"}
							onChange={({ currentTarget }) =>
								(wrap.value = currentTarget.checked ? "on" : "off")
							}
						/>
						<span>{s.wrapLines}</span>
					</label>
					<hr />
					{item("globe", s.embedTitle, () => {
						close();
						dialog.value = "embed";
					})}
					{item("clock", s.history, () => {
						close();
						dialog.value = "history";
					})}
					{item("keyboard", s.shortcuts, () => {
						close();
						dialog.value = "shortcuts";
					})}
					{item("info", s.about, () => {
						close();
						dialog.value = "about";
					})}
					{item("reset", s.reset, () => {
						close();
						void resetAll();
					})}
				</div>
			)}
		</Popover>
	);
}

export function Header() {
	const s = t.value;
	if (embedded.value) {
		return (
			<header class="bar">
				<h1 class="brand">
					<img src="./icon.svg" alt="" width="22" height="22" />
					<span>claimkit</span>
				</h1>
				<span class="spacer" />
				<button
					type="button"
					class="button small"
					onClick={() => void openWhole()}
				>
					{s.openInPage}
				</button>
			</header>
		);
	}
	return (
		<header class="bar">
			<h1 class="brand">
				<img src="./icon.svg" alt="" width="22" height="22" />
				<span>claimkit</span>
			</h1>
			<button
				type="button"
				class="button"
				aria-haspopup="dialog"
				title={s.examples}
				onClick={() => (dialog.value = "gallery")}
			>
				<Icon name="book" />
				<span class="label">{s.examples}</span>
			</button>
			<Releases />
			<p class="tagline">
				<span>{s.tagline}</span>{" "}
				<button
					type="button"
					class="link-button"
					onClick={() => (dialog.value = "about")}
				>
					{s.about}
				</button>
			</p>
			<button
				type="button"
				class="button"
				title={s.share}
				onClick={() => void copyLink()}
			>
				<Icon name="link" />
				<span class="label">{s.share}</span>
			</button>
			<Preferences />
		</header>
	);
}
