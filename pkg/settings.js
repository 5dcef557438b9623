// `claimkit.toml`, the settings of a project, as the command line reads them. Any reader of TOML makes an object of the file; this
// says what the object sets.

const isTable = (value) =>
	typeof value === "object" &&
	value !== null &&
	!Array.isArray(value) &&
	!(value instanceof Date);
const isText = (value) => typeof value === "string";
const isTableOf = (kind) => (value) =>
	isTable(value) && Object.values(value).every((item) => typeof item === kind);
const isListOfTexts = (value) => Array.isArray(value) && value.every(isText);

/** The names in the file: the name of the setting, its value if it is absent (a new one each time), and what is expected of one that is there. */
const NAMES = {
	release: {
		setting: "release",
		absent: () => undefined,
		fits: isText,
		expected: 'a release in quotes, such as "1.36" or "1.36.2"',
	},
	gates: {
		setting: "gates",
		absent: () => ({}),
		fits: isTableOf("boolean"),
		expected: "a table of names, each true or false",
	},
	"namespace-labels": {
		setting: "namespaceLabels",
		absent: () => ({}),
		fits: isTableOf("string"),
		expected: "a table of labels with their values in quotes",
	},
	ignore: {
		setting: "ignore",
		absent: () => [],
		fits: isListOfTexts,
		expected: "a list of texts in quotes",
	},
	exclude: {
		setting: "exclude",
		absent: () => [],
		fits: isListOfTexts,
		expected: "a list of texts in quotes",
	},
};

/** The names of settings in the file. */
export const SETTING_KEYS = Object.keys(NAMES);

/** A file that cannot be used; `key` is the name at fault. */
export class SettingsError extends Error {
	constructor(key, message) {
		super(message);
		this.name = "SettingsError";
		this.key = key;
	}
}

/**
 * Returns the settings of a `claimkit.toml`, of which a reader of TOML has made an object.
 *
 * @param {Record<string, unknown>} table
 */
export function readSettings(table) {
	if (!isTable(table))
		throw new TypeError(
			`claimkit: readSettings: \`table\` is ${table === null ? "null" : Array.isArray(table) ? "a list" : typeof table}, expected the object that a reader of TOML makes`,
		);
	for (const key of Object.keys(table)) {
		if (!Object.hasOwn(NAMES, key))
			throw new SettingsError(
				key,
				`unknown field \`${key}\`, expected one of ${SETTING_KEYS.map((name) => `\`${name}\``).join(", ")}`,
			);
	}
	const settings = {};
	for (const [key, { setting, absent, fits, expected }] of Object.entries(
		NAMES,
	)) {
		const given = Object.hasOwn(table, key);
		if (given && !fits(table[key]))
			throw new SettingsError(key, `\`${key}\`: ${expected}`);
		const value = given ? table[key] : absent();
		if (value !== undefined) settings[setting] = value;
	}
	return settings;
}
