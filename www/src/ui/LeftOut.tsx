import { reveal } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { chooseFile } from "../state/arrivals.ts";
import type { Together, Unread } from "../state/together.ts";
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

/** Names the files that an answer about all files does without, because they cannot be read. */
export function LeftOut({ all }: { all: Together }) {
	const s = t.value;
	const { leftOut } = all;
	if (leftOut.length === 0) return null;
	return (
		<div class="guide left-out" role="note">
			<Icon name="warning" />
			<div>
				<p>{s.filesLeftOut(leftOut.length)}</p>
				<ul>
					{leftOut.slice(0, MOST).map((unread) => (
						<li key={unread.file.id}>
							<button
								type="button"
								class="link-button"
								onClick={() => open(unread)}
							>
								<Visible text={unread.file.name} />
								{unread.line !== undefined && `:${unread.line}`}
							</button>
							{": "}
							<code lang="en">
								<Visible text={unread.message} />
							</code>
							{unread.help && (
								<span class="note">
									{" "}
									<Ticked text={unread.help} />
								</span>
							)}
						</li>
					))}
				</ul>
				{leftOut.length > MOST && <p>{s.andMore(leftOut.length - MOST)}</p>}
			</div>
		</div>
	);
}
