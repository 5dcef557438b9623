// Starts the module for the first call, in hosts that can start it at once.
const sources = { inline: undefined, file: undefined };

/** For ./inline.js, which has the bytes, and ./node.js, which reads them. */
export function startFrom(kind, source) {
	sources[kind] = source;
}

/** The module's bytes; nothing where they must be fetched. */
export const bytes = () => (sources.inline ?? sources.file)?.();
