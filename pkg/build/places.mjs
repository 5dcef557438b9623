// The folders that the build's scripts share.
import path from "node:path";

/** The repository. */
export const root = path.resolve(import.meta.dirname, "../..");
/** Where compilers write. */
export const target = path.resolve(
	root,
	process.env.CARGO_TARGET_DIR ?? "target",
);
/** Programs that builds and tests install for themselves. */
export const tools = path.join(target, "tools");
