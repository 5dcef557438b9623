import { focusEditor } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import {
	activate,
	fileOf,
	files,
	freeName,
	manifest,
	newFile,
	open,
	type Role,
} from "../state/files.ts";

/** A file of a role: which one is used, and a way to it; or a way to make one. */
export function FileChoice({
	role,
	missing,
	make,
	start,
}: {
	role: Role;
	missing: string;
	make: string;
	start: () => string;
}) {
	const s = t.value;
	void files.value;
	const file = fileOf(role);
	const empty = !file || file.doc.length === 0;
	return (
		<div class={empty ? "file-choice missing" : "file-choice"}>
			{empty ? (
				<p>{missing}</p>
			) : (
				<span>
					{s.roles[role]}: <b>{file.name}</b>
				</span>
			)}
			<button
				type="button"
				class="button small"
				onClick={() => {
					if (!empty) {
						activate(file.id);
						focusEditor();
						return;
					}
					const made = newFile(
						file?.name ?? freeName(`${role}.yaml`),
						role,
						start(),
					);
					files.value = files.peek().filter((other) => other.id !== file?.id);
					const back = manifest.peek()?.id;
					open(made);
					if (role === "stored" && back && made.doc.length > 0) activate(back);
					else focusEditor();
				}}
			>
				{empty ? (start() === "" ? s.newStored : make) : s.editStored}
			</button>
		</div>
	);
}
