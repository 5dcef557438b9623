import type { CodeAction, CompletionItem, Diagnostic, Hover, Position } from "vscode-languageserver-types";
import type { Finding, PlaceOptions, ValidateOptions } from "./types.js";

/** Where the pages about finding codes are. */
export interface CodePages {
  /** Address of the folder with the pages, ending in `/`; each diagnostic then links to the one about its code. */
  codePages?: string;
}

/** A finding as a diagnostic; its fixes travel in `data` for {@link codeActions}. */
export function toDiagnostic(finding: Finding, options?: CodePages): Diagnostic;

/** What `validate` finds, as diagnostics. */
export function diagnostics(text: string | Uint8Array, options?: ValidateOptions & CodePages): Diagnostic[];

/** The fixes of diagnostics that came from {@link diagnostics}, as quick fixes in the document `uri`. */
export function codeActions(uri: string, diagnostics: readonly Diagnostic[]): CodeAction[];

/** What there is to say about a place, or `null`. */
export function hover(text: string | Uint8Array, position: Position, options?: PlaceOptions): Hover | null;

/** What could be written at a place. */
export function completions(
  text: string | Uint8Array,
  position: Position,
  options?: PlaceOptions & {
    /** True for editors that know tab stops in inserted text. */
    snippets?: boolean;
  },
): CompletionItem[];
