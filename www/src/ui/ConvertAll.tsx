import type { ApiVersion, ConvertOptions } from "claimkit";
import { useEffect, useState } from "preact/hooks";
import { reveal } from "../editor/editor.ts";
import { lang, t } from "../i18n/index.ts";
import { files } from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import { annotate, lossy, target } from "../state/options.ts";
import {
	applyAll,
	type ConvertedFile,
	convertAll,
	downloadAll,
	downloadPatch,
} from "../state/project.ts";
import { located, shortName } from "./losses.ts";
import { Ticked } from "./Ticked.tsx";
import { Visible } from "./Visible.tsx";

const printed = (value: unknown): string => {
	const text =
		(typeof value === "string" ? value : JSON.stringify(value)) ?? "";
	return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

/** The outcome for a file; what could not be read leads to its line. */
function Result({ one: { file, answer, failed } }: { one: ConvertedFile }) {
	const s = t.value;
	if (answer === null) return <td class="bad-text">{failed}</td>;
	const { unread, text, same, objects } = answer;
	if (unread) {
		const { range, message, help } = unread;
		return (
			<td class="bad-text">
				<button
					type="button"
					class="link-button"
					onClick={() => range && reveal(file.id, range)}
				>
					{s.fileUnread(range ? range.start.line + 1 : 1)}
				</button>{" "}
				<code lang="en">
					<Visible text={message} />
				</code>
				{help && (
					<span class="note">
						<Ticked text={help} />
					</span>
				)}
			</td>
		);
	}
	if (text === undefined) return <td class="bad-text">{s.fileRefused}</td>;
	return (
		<td>
			{!same
				? s.fileConverted
				: objects.length === 0
					? s.fileNothing
					: s.fileSame}
		</td>
	);
}

/** Every manifest of the project, converted: one table of files, one of all losses. */
export function ConvertAll({ known }: { known: readonly ApiVersion[] }) {
	const s = t.value;
	const to = target.value === "other" ? known.at(-1) : target.value;
	const [state, setState] = useState<{
		done: ConvertedFile[];
		all: number;
		key: string;
	}>({ done: [], all: 0, key: "" });
	const key = JSON.stringify([
		to,
		lossy.value,
		annotate.value,
		serverOnly(),
		lang.value,
		files.value.map(({ id, version, role }) => [id, version, role]),
	]);
	useEffect(() => {
		if (to === undefined) return undefined;
		let current = true;
		const timer = window.setTimeout(() => {
			const options: Omit<ConvertOptions, "to"> = {
				lossy: lossy.peek() ? "allow" : "refuse",
				...(annotate.peek() ? { annotate: true } : {}),
				...serverOnly(),
			};
			void convertAll(
				to,
				options,
				(done, all) => current && setState({ done, all, key }),
				() => current,
			);
		}, 300);
		return () => {
			current = false;
			clearTimeout(timer);
		};
	}, [key]);
	const { done, all } = state;
	const ready = state.key === key && done.length === all;
	const losses = done.flatMap(({ file, answer }) =>
		answer ? located(answer).map((loss) => ({ ...loss, file })) : [],
	);
	const changing = done.filter(
		({ answer }) => answer?.text !== undefined && !answer.same,
	);
	return (
		<section class="convert-all" aria-label={s.convertAll} aria-busy={!ready}>
			<div class="controls">
				<span role="status">
					{ready
						? s.convertedOf(changing.length, all)
						: s.stillConverting(done.length, all)}
				</span>
				<span class="spacer" />
				<button
					type="button"
					class="button"
					disabled={!ready}
					onClick={() => void downloadAll(done)}
				>
					{s.downloadAll}
				</button>
				<button
					type="button"
					class="button"
					disabled={!ready || changing.length === 0}
					onClick={() => downloadPatch(done)}
				>
					{s.downloadPatch}
				</button>
				<button
					type="button"
					class="button primary"
					disabled={!ready || changing.length === 0}
					onClick={() => applyAll(done)}
				>
					{s.applyAll}
				</button>
			</div>
			<div class="table-scroll" tabIndex={0} role="region" aria-label={s.files}>
				<table class="device-table project-table">
					<thead>
						<tr>
							<th scope="col">{s.fileName}</th>
							<th scope="col">{s.result}</th>
							<th scope="col">{s.objects}</th>
							<th scope="col">{s.lossesWord}</th>
							<th scope="col">{s.assumedWord}</th>
						</tr>
					</thead>
					<tbody>
						{done.map((one) => {
							const moved = new Set(
								(one.answer?.objects ?? []).flatMap(({ from, to: now }) =>
									from && now && from !== now
										? [`${shortName(from)} → ${shortName(now)}`]
										: [],
								),
							);
							return (
								<tr key={one.file.id}>
									<th scope="row">
										<Visible text={one.file.name} />
									</th>
									<Result one={one} />
									<td>{[...moved].join(", ") || "–"}</td>
									<td class="tabular">
										{one.answer ? located(one.answer).length : "–"}
									</td>
									<td class="tabular">
										{one.answer
											? one.answer.objects.reduce(
													(sum, { decisions = [] }) => sum + decisions.length,
													0,
												)
											: "–"}
									</td>
								</tr>
							);
						})}
					</tbody>
				</table>
			</div>
			{losses.length > 0 && (
				<>
					<h3>{s.lossesOfAll(losses.length)}</h3>
					{!lossy.value && (
						<button
							type="button"
							class="button"
							onClick={() => (lossy.value = true)}
						>
							{s.allowLossy}
						</button>
					)}
					<div
						class="table-scroll"
						tabIndex={0}
						role="region"
						aria-label={s.lossesOfAll(losses.length)}
					>
						<table class="device-table losses-table">
							<thead>
								<tr>
									<th scope="col">{s.fileName}</th>
									<th scope="col">{s.objectWord}</th>
									<th scope="col">{s.fieldWord}</th>
									<th scope="col">{s.why}</th>
								</tr>
							</thead>
							<tbody>
								{losses.slice(0, 500).map((loss, index) => (
									<tr key={index}>
										<th scope="row">
											{loss.range ? (
												<button
													type="button"
													class="link-button"
													onClick={() =>
														loss.range && reveal(loss.file.id, loss.range)
													}
												>
													<Visible text={loss.file.name} />
												</button>
											) : (
												<Visible text={loss.file.name} />
											)}
										</th>
										<td>
											<Visible text={loss.of} />
										</td>
										<td>
											<code>
												<Visible text={loss.path} />
											</code>{" "}
											<Visible text={printed(loss.value)} />
										</td>
										<td>
											<Ticked text={loss.reason} />
										</td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
					{losses.length > 500 && (
						<p class="note">{s.andMore(losses.length - 500)}</p>
					)}
				</>
			)}
		</section>
	);
}
