/** The settings of a project, as its `claimkit.toml` has them. */
export interface Settings {
	/** The Kubernetes release that judges, such as `1.36` or `1.36.2`; absent where the file has none. */
	release?: string;
	/** Feature gates over the release's defaults. */
	gates: Record<string, boolean>;
	/** Labels of the request's namespace. */
	namespaceLabels: Record<string, string>;
	/** Codes of findings to leave out. */
	ignore: string[];
	/** Patterns of paths to pass over. */
	exclude: string[];
}

/** The names of settings in the file. */
export declare const SETTING_KEYS: readonly [
	"release",
	"gates",
	"namespace-labels",
	"ignore",
	"exclude",
];

/** A file that cannot be used. */
export declare class SettingsError extends Error {
	/** The name in the file that is at fault. */
	readonly key: string;
	constructor(key: string, message: string);
}

/**
 * Returns the settings of a `claimkit.toml`, of which a reader of TOML has made an object.
 *
 * @throws {SettingsError} for a name that there is not, and a value of the wrong type
 */
export declare function readSettings(
	table: Readonly<Record<string, unknown>>,
): Settings;
