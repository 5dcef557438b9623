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

/** Names the files of which an answer about all files does without a part, because it cannot be read. */
export function LeftOut({ all }: { all: Together }) {
	const s = t.value;
	const { unread } = all;
	if (unread.length === 0) return null;
	return (
		<div class="guide left-out" role="note">
			<Icon name="warning" />
			<div>
				<p>{s.filesLeftOut(unread.length)}</p>
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
