import type { Finding } from "claimkit";
import { reveal } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { chooseFile } from "../state/arrivals.ts";
import { reports } from "../state/checks.ts";
import type { Together, Unread } from "../state/together.ts";
import { GuideLine } from "./GuideLine.tsx";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";
import { Visible } from "./Visible.tsx";

/** More names than this nobody reads. */
const MOST = 20;

/** Opens a file at the line that cannot be read. */
function open({ file, line = 1 }: Unread): void {
	chooseFile(file.id);
	const place = { line: line - 1, character: 0, offset: 0, byteOffset: 0 };
	reveal(file.id, { start: place, end: place });
}

/** Shows for each file of several appended outputs, of which only the last is read, how to read all. */
function Appended({ all }: { all: Together }) {
	const appended = all.files.flatMap((file) => {
		const guide = reports.value.get(file.id)?.guide;
		return guide?.what === "appended" ? [{ file, guide }] : [];
	});
	return (
		<>
			{appended.slice(0, MOST).map(({ file, guide }) => (
				<GuideLine key={file.id} guide={guide} file={file} />
			))}
		</>
	);
}

/** The code for files of another cluster, which the engine leaves out. */
export const OTHER_CLUSTER = "other-cluster";

/** Shows which files are of another cluster, and whether they are left out. */
function OtherClusters({ findings }: { findings: readonly Finding[] }) {
	return (
		<>
			{findings
				.filter(({ code }) => code === OTHER_CLUSTER)
				.map(({ message, help }) => (
					<div key={message} class="guide left-out" role="note">
						<Icon name="warning" />
						<div>
							<p>
								<Ticked text={message} />
							</p>
							{help && (
								<p class="note">
									<Ticked text={help} />
								</p>
							)}
						</div>
					</div>
				))}
		</>
	);
}

/**
 * Shows what an answer about all files does without: what cannot be read, what is replaced by a later output in its file, and, of its
 * findings, what is of another cluster.
 */
export function LeftOut({
	all,
	findings = [],
	nothing = false,
}: {
	all: Together;
	findings?: readonly Finding[];
	/** Whether the panel has no answer about the rest. */
	nothing?: boolean;
}) {
	return (
		<>
			<OtherClusters findings={findings} />
			<Appended all={all} />
			<Unreadable unread={all.unread} nothing={nothing} />
		</>
	);
}

/** Names the files that cannot be read to their end. */
export function Unreadable({
	unread,
	nothing,
}: {
	unread: readonly Unread[];
	nothing: boolean;
}) {
	const s = t.value;
	if (unread.length === 0) return null;
	return (
		<div class="guide left-out" role="note">
			<Icon name="warning" />
			<div>
				<p>
					{nothing
						? s.restIsNothing(unread.length)
						: s.filesLeftOut(unread.length)}
				</p>
				<ul>
					{unread.slice(0, MOST).map((one) => (
						<li key={one.file.id}>
							<button
								type="button"
								class="link-button"
								onClick={() => open(one)}
							>
								<Visible text={one.file.name} />
								{one.line !== undefined && `:${one.line}`}
							</button>
							{": "}
							<code lang="en">
								<Visible text={one.message} />
							</code>
							{one.help && (
								<span class="note">
									{" "}
									<Ticked text={one.help} />
								</span>
							)}
						</li>
					))}
				</ul>
				{unread.length > MOST && <p>{s.andMore(unread.length - MOST)}</p>}
			</div>
		</div>
	);
}
