// claimkit's own sentences: one JSON file per language, outside the Wasm module, so that nobody loads what they do not show. The
// group `messages` has the templates of messages, which the module fills; it has the English ones itself. The other groups are the
// documentation that `hover`, `complete`, `codes`, `releases` and `jsonSchema` answer with.

/** The languages that there are sentences in. */
export const LOCALES = ["en", "zh-Hans"];
/** The documentation of each language. */
const known = new Map();
/** The templates of messages of each language, as JSON. */
const messages = new Map();
/** The language of all answers. */
let spoken = "en";
/** @type {(locale: string) => object | undefined} */
let find = () => undefined;

function checkLocale(name, locale) {
	if (!LOCALES.includes(locale))
		throw new TypeError(
			`claimkit: ${name}: \`locale\` is ${String(locale)}, expected one of \`${LOCALES.join("`, `")}\``,
		);
}

/** Keeps a language's sentences; returns true if it is the language of all answers. */
export function keepLocale(locale, sentences) {
	checkLocale("addLocale", locale);
	const isPart = (part) =>
		Object.prototype.toString.call(part) === "[object Object]";
	if (
		!isPart(sentences) ||
		!isPart(sentences.fields) ||
		!Object.values(sentences).every(isPart) ||
		!Object.values(sentences.messages ?? {}).every(
			(template) => typeof template === "string",
		)
	) {
		throw new TypeError(
			`claimkit: addLocale: \`sentences\` is not the content of claimkit/locale/${locale}.json, which is the default export of that file`,
		);
	}
	add(locale, sentences);
	return locale === spoken;
}

function add(locale, { messages: templates = {}, ...documentation }) {
	known.set(locale, documentation);
	messages.set(locale, JSON.stringify(templates));
}

/** Looks a language up that nobody has given yet; returns true if there is one. */
function found(locale) {
	if (!known.has(locale)) {
		const sentences = find(locale);
		if (sentences !== undefined) add(locale, sentences);
	}
	return known.has(locale);
}

/** Sets the language of all answers; returns true if it is another one than before. */
export function changeLocale(locale) {
	checkLocale("setLocale", locale);
	if (locale === spoken) return false;
	if (locale !== "en" && !found(locale))
		throw new Error(
			`claimkit: setLocale: give the sentences of ${locale} with addLocale first`,
		);
	spoken = locale;
	return true;
}

/** Returns the templates of the messages of the language of all answers as JSON; `undefined` for English. */
export const spokenMessages = () =>
	spoken === "en" ? undefined : messages.get(spoken);

/** Sets how sentences are looked up when the caller gives none; Node reads the package's own files. */
export function findLocales(lookup) {
	find = lookup;
}

/** Options with the sentences of their language, if there are any. */
export function withSentences(options) {
	// The module itself refuses a value that is not a plain object.
	if (
		options !== undefined &&
		options !== null &&
		Object.prototype.toString.call(options) !== "[object Object]"
	)
		return options;
	const locale = options?.locale ?? spoken;
	return found(locale)
		? { ...options, locale, sentences: known.get(locale) }
		: options;
}
