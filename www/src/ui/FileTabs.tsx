import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { focusEditor } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { downloadFile } from "../state/actions.ts";
import { chooseFile, chooseRole } from "../state/arrivals.ts";
import { reports } from "../state/checks.ts";
import { openConfig } from "../state/config.ts";
import { chosenFiles } from "../state/dropped.ts";
import {
	activeHead,
	close,
	type FileHead,
	fileById,
	fileHeads,
	files,
	freeName,
	newFile,
	open,
	ROLES,
	rename,
	reopen,
} from "../state/files.ts";
import { notify } from "../state/notices.ts";
import { embedded } from "../state/options.ts";
import { downloadAll } from "../state/project.ts";
import { openDropped, putAside } from "../state/session.ts";
import { Icon } from "./Icon.tsx";
import { withoutCommonFolder } from "./names.ts";
import { Popover } from "./Popover.tsx";
import { Visible } from "./Visible.tsx";

/** Closes a file; it can be taken back for a while. */
function closeFile(file: FileHead): void {
	const before = files.peek();
	const index = before.findIndex(({ id }) => id === file.id);
	const closed = before[index];
	// The notice goes after a while; the history does not.
	if (!file.empty) void putAside();
	close(file.id);
	if (files.peek() === before || !closed) return;
	// The focused tab is closed; the focus moves to the current tab.
	requestAnimationFrame(() =>
		document
			.querySelector<HTMLElement>(".file-tab.current .file-open")
			?.focus(),
	);
	notify({
		text: t.peek().closed(file.name),
		action: {
			label: t.peek().undo,
			run: () => reopen(closed, index),
		},
	});
}

function Badge({ file }: { file: FileHead }) {
	const s = t.value;
	const report =
		file.role === "manifest" ? reports.value.get(file.id) : undefined;
	if (!report || file.empty) return null;
	const { errors, warnings } = report.answer.counts;
	if (errors + warnings === 0) return null;
	const label = s.fileProblems(errors, warnings);
	return (
		<span class={`badge ${errors > 0 ? "error" : "warning"}`} title={label}>
			<span aria-hidden="true">{(errors || warnings).toLocaleString()}</span>
			<span class="sr">{label}</span>
		</span>
	);
}

function FileMenu({ file }: { file: FileHead }) {
	const s = t.value;
	return (
		<Popover
			label={`${s.fileMenu}: ${file.name}`}
			align="end"
			buttonClass="button icon-only quiet"
			button={<Icon name="dots" />}
		>
			{(dismiss) => (
				<div class="menu">
					<label class="field">
						<span>{s.fileName}</span>
						<input
							value={file.name}
							spellcheck={false}
							onChange={({ currentTarget }) =>
								rename(file.id, currentTarget.value.trim() || file.name)
							}
							onKeyDown={(event) => {
								if (event.key === "Enter") {
									rename(
										file.id,
										event.currentTarget.value.trim() || file.name,
									);
									dismiss();
								}
							}}
						/>
					</label>
					<fieldset class="choices">
						<legend>{s.fileRole}</legend>
						{ROLES.map((role) => (
							<label key={role} class="choice">
								<input
									type="radio"
									name="role"
									checked={file.role === role}
									onChange={() => chooseRole(file.id, role)}
								/>
								<span>
									<b>{s.roles[role]}</b>{" "}
									<span class="note">{s.roleNotes[role]}</span>
								</span>
							</label>
						))}
					</fieldset>
					<hr />
					<button
						type="button"
						class="menu-item"
						onClick={() => {
							dismiss();
							const whole = fileById(file.id);
							if (whole) downloadFile(whole);
						}}
					>
						{s.download}
					</button>
					{fileHeads.value.length > 1 && (
						<button
							type="button"
							class="menu-item"
							onClick={() => {
								dismiss();
								void downloadAll();
							}}
						>
							{s.downloadAll}
						</button>
					)}
					{fileHeads.value.length > 1 && (
						<button
							type="button"
							class="menu-item"
							onClick={() => {
								dismiss();
								closeFile(file);
							}}
						>
							{s.closeFile(file.name)}
						</button>
					)}
				</div>
			)}
		</Popover>
	);
}

/** Asks for a folder, whose manifests become tabs. */
function openFolder(): void {
	const picker = document.createElement("input");
	picker.type = "file";
	picker.multiple = true;
	picker.webkitdirectory = true;
	picker.onchange = () =>
		void openDropped(chosenFiles([...(picker.files ?? [])]));
	picker.click();
}

/** A new file of a role, or files from the disk. */
function NewFile() {
	const s = t.value;
	const picker = useRef<HTMLInputElement>(null);
	return (
		<>
			<Popover
				label={s.newFile}
				align="end"
				buttonClass="button icon-only quiet"
				button={<Icon name="plus" />}
			>
				{(dismiss) => (
					<div class="menu">
						{ROLES.map((role) => (
							<button
								type="button"
								class="menu-item"
								key={role}
								onClick={() => {
									dismiss();
									if (role === "config") openConfig();
									else open(newFile(freeName(`${role}.yaml`), role, ""));
									focusEditor();
								}}
							>
								<Icon name={role} /> {s.roles[role]}{" "}
								<span class="note">{s.roleNotes[role]}</span>
							</button>
						))}
						<hr />
						<button
							type="button"
							class="menu-item"
							onClick={() => {
								dismiss();
								picker.current?.click();
							}}
						>
							{s.openFiles}
						</button>
						<button
							type="button"
							class="menu-item"
							onClick={() => {
								dismiss();
								openFolder();
							}}
						>
							{s.openFolder}
						</button>
					</div>
				)}
			</Popover>
			<input
				ref={picker}
				type="file"
				multiple
				hidden
				accept=".yaml,.yml,.json,.toml,.txt,.zip,.gz,.tgz,.tar"
				aria-label={s.openFiles}
				onChange={({ currentTarget }) => {
					void openDropped(chosenFiles([...(currentTarget.files ?? [])]));
					currentTarget.value = "";
				}}
			/>
		</>
	);
}

/** A tab is about this wide, in characters. */
const TAB = 22;

/** The end of a long path says which file it is. */
function tabName(name: string): string {
	const at = name.lastIndexOf("/") + 1;
	return name.length > TAB && at > 0 ? `…/${name.slice(at)}` : name;
}

/** With fewer files than this their tabs are enough. */
const MANY = 8;
/** Tabs beside the current one; all files are in the list. */
const BESIDE = 12;
/** More rows than this nobody reads; a filter finds the others. */
const MOST_ROWS = 500;

/** All files with their findings, those with errors first where they are asked for. */
function FileList({
	names,
	dismiss,
}: {
	names: readonly string[];
	dismiss: () => void;
}) {
	const s = t.value;
	const [words, setWords] = useState("");
	const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
	const rows = fileHeads.value
		.map((file, index) => ({ file, name: names[index] ?? file.name }))
		.filter(({ name }) =>
			parts.every((part) => name.toLowerCase().includes(part)),
		)
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	return (
		<div class="file-list">
			<input
				type="search"
				class="filter"
				data-first
				placeholder={s.filterFiles}
				aria-label={s.filterFiles}
				value={words}
				onInput={({ currentTarget }) => setWords(currentTarget.value)}
			/>
			<ul>
				{rows.slice(0, MOST_ROWS).map(({ file, name }) => {
					const at = name.lastIndexOf("/") + 1;
					return (
						<li key={file.id}>
							<button
								type="button"
								class="menu-item"
								title={file.name}
								onClick={() => {
									dismiss();
									chooseFile(file.id);
									focusEditor();
								}}
							>
								<Icon name={file.role} size={14} />
								<span class="path">
									<span class="muted">
										<Visible text={name.slice(0, at)} />
									</span>
									<Visible text={name.slice(at)} />
								</span>
								<Badge file={file} />
							</button>
						</li>
					);
				})}
			</ul>
			{rows.length > MOST_ROWS && (
				<p class="note">{s.andMore(rows.length - MOST_ROWS)}</p>
			)}
		</div>
	);
}

export function FileTabs() {
	const s = t.value;
	const active = activeHead.value;
	const heads = fileHeads.value;
	const names = useMemo(
		() => withoutCommonFolder(heads.map(({ name }) => name)),
		[heads],
	);
	const current = heads.findIndex(({ id }) => id === active?.id);
	const shown = heads
		.map((file, index) => ({ file, name: names[index] ?? file.name, index }))
		.filter(
			({ index }) =>
				heads.length <= 2 * BESIDE || Math.abs(index - current) <= BESIDE,
		);
	const list = useRef<HTMLElement>(null);
	useEffect(() => {
		list.current
			?.querySelector(".current")
			?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [active?.id]);
	return (
		<div class="file-bar">
			{heads.length > MANY && (
				<Popover
					label={s.allFiles(heads.length)}
					buttonClass="button small quiet"
					button={
						<>
							{s.allFiles(heads.length)} <Icon name="chevron" size={12} />
						</>
					}
					wide
				>
					{(dismiss) => <FileList names={names} dismiss={dismiss} />}
				</Popover>
			)}
			<nav ref={list} aria-label={s.files} class="file-tabs">
				<ul>
					{shown.map(({ file, name }) => (
						<li
							key={file.id}
							class={file.id === active?.id ? "file-tab current" : "file-tab"}
						>
							<button
								type="button"
								class="file-open"
								aria-current={file.id === active?.id ? "true" : undefined}
								title={`${file.name} – ${s.roles[file.role]}: ${s.roleNotes[file.role]}`}
								onClick={() => {
									chooseFile(file.id);
									focusEditor();
								}}
								onKeyDown={(event) => {
									if (event.key === "Delete" && files.peek().length > 1)
										closeFile(file);
								}}
							>
								<Icon name={file.role} size={14} />
								<bdi class="file-name">
									<Visible text={tabName(name)} />
								</bdi>
								<span class="sr"> ({s.roles[file.role]})</span>
								<Badge file={file} />
							</button>
							{file.id === active?.id &&
								fileHeads.value.length > 1 &&
								!embedded.value && (
									<button
										type="button"
										class="file-close"
										aria-label={s.closeFile(file.name)}
										title={s.closeFile(file.name)}
										onClick={() => closeFile(file)}
									>
										<Icon name="cross" size={12} />
									</button>
								)}
						</li>
					))}
				</ul>
			</nav>
			{!embedded.value && <NewFile />}
			{!embedded.value && active && <FileMenu file={active} />}
		</div>
	);
}
