// Files and folders that a person drops on the page or chooses.

/** A file to open, and its path below the folder that it came with. */
export interface Dropped {
	name: string;
	/** It is a text without a file: another one is not a newer state of it. */
	isPasted?: true;
	bytes(): Promise<ArrayBuffer>;
}

/** The files of a folder that the command line reads. */
const READ_FROM_FOLDERS = /\.(ya?ml|json)$/i;

const ofFile = (file: File, name = file.name): Dropped => ({
	name,
	bytes: () => file.arrayBuffer(),
});

/** Every file below a folder, in the order of their names. */
async function below(entry: FileSystemEntry, path: string): Promise<Dropped[]> {
	if (entry.isFile) {
		const file = await new Promise<File>((resolve, reject) =>
			(entry as FileSystemFileEntry).file(resolve, reject),
		);
		return [ofFile(file, path)];
	}
	const reader = (entry as FileSystemDirectoryEntry).createReader();
	const entries: FileSystemEntry[] = [];
	for (;;) {
		// A browser gives some at a time.
		const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
			reader.readEntries(resolve, reject),
		);
		if (some.length === 0) break;
		entries.push(...some);
	}
	entries.sort((a, b) => (a.name < b.name ? -1 : 1));
	const found: Dropped[] = [];
	for (const inner of entries) {
		if (
			inner.name.startsWith(".") ||
			(inner.isFile && !READ_FROM_FOLDERS.test(inner.name))
		)
			continue;
		found.push(...(await below(inner, `${path}/${inner.name}`)));
	}
	return found;
}

/** What a paste or a drop gives: its text, and its files. */
export interface Given {
	text: string;
	files: Iterable<File>;
	items: Iterable<{ webkitGetAsEntry?(): FileSystemEntry | null }>;
}

/** The name of a file that a pasted text becomes. */
const PASTED = "pasted.yaml";

/** A pasted text as a file. */
const ofText = (text: string): Dropped => ({
	name: PASTED,
	isPasted: true,
	bytes: async () => new TextEncoder().encode(text).buffer,
});

/** The files of a paste or a drop; a text where there are none. */
export async function filesOrText(given: Given): Promise<Dropped[]> {
	const files = await filesOf(given);
	if (files.length > 0) return files;
	return given.text.trim() === "" ? [] : [ofText(given.text)];
}

/** The files of a drop, those of folders too. */
export async function filesOf(
	transfer: Pick<Given, "files" | "items">,
): Promise<Dropped[]> {
	// Both lists are empty once this function has waited for something.
	const plain = [...transfer.files];
	const entries = [...transfer.items].map(
		(item) => item.webkitGetAsEntry?.() ?? null,
	);
	if (!entries.some((entry) => entry?.isDirectory))
		return plain.map((file) => ofFile(file));
	const found = await Promise.all(
		entries.map((entry, index) =>
			entry?.isDirectory
				? below(entry, entry.name)
				: plain[index]
					? [ofFile(plain[index])]
					: [],
		),
	);
	return found.flat();
}

/** The files that a person chose; of a folder those that the command line would take. */
export function chosenFiles(list: readonly File[]): Dropped[] {
	return list
		.filter(
			(file) => !file.webkitRelativePath || READ_FROM_FOLDERS.test(file.name),
		)
		.map((file) => ofFile(file, file.webkitRelativePath || file.name));
}
