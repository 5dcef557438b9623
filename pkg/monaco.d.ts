import type * as monaco from "monaco-editor";
import type { PlaceOptions, ValidateOptions } from "./types.js";

/** The options of {@link register}. */
export interface Options extends PlaceOptions {
	/** Languages whose models are looked at. Default `yaml` and `json`. */
	languages?: string[];
	/** Milliseconds of quiet before a changed model is validated. Default 200. */
	delay?: number;
	/** Address of the folder with the pages about finding codes, ending in `/`; markers then link to them. */
	codePages?: string;
	/** Further options for `validate`. */
	validate?: ValidateOptions;
}

/** Registers markers, hover, completion and quick fixes with the given Monaco; disposing takes it all back. */
export function register(
	editor: typeof monaco,
	options?: Options,
): monaco.IDisposable;
