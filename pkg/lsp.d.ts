import type {
	CodeAction,
	CompletionItem,
	Diagnostic,
	Hover,
	Position,
	Range,
	TextEdit,
} from "vscode-languageserver-types";
import type * as claimkit from "./types.js";
import type { Finding, PlaceOptions, ValidateOptions } from "./types.js";

/** The addresses of the pages about finding codes. */
export interface CodePages {
	/** Address of the folder with the pages, ending in `/`; each diagnostic then links to the one about its code. */
	codePages?: string;
}

/** A range of claimkit as a range of the protocol; without one, the start of the text. */
export function toRange(range: claimkit.Range | undefined): Range;

/** An edit of claimkit as an edit of the protocol. */
export function toEdit(edit: claimkit.TextEdit): TextEdit;

/** A finding as a diagnostic; its fixes travel in `data` for {@link codeActions}. */
export function toDiagnostic(finding: Finding, options?: CodePages): Diagnostic;

/** Returns the findings of `validate` as diagnostics. */
export function diagnostics(
	text: string | Uint8Array,
	options?: ValidateOptions & CodePages,
): Diagnostic[];

/**
 * The fixes of diagnostics that came from {@link diagnostics}, as quick fixes in the document `uri`; none that deletes is preferred.
 * Diagnostics of others have none.
 */
export function codeActions(
	uri: string,
	diagnostics: readonly Diagnostic[],
): CodeAction[];

/** Returns the documentation of a place in the text, or `null`. */
export function hover(
	text: string | Uint8Array,
	position: Position,
	options?: PlaceOptions,
): Hover | null;

/** Returns the possible texts at a place. */
export function completions(
	text: string | Uint8Array,
	position: Position,
	options?: PlaceOptions & {
		/** True for editors that know tab stops in inserted text. */
		snippets?: boolean;
	},
): CompletionItem[];
