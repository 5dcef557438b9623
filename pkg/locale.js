// The sentences that `hover`, `complete`, `codes`, `releases` and `jsonSchema` answer with: one JSON file per language, outside
// the Wasm module, so that nobody loads what they do not show.

/** The languages that there are sentences in. */
export const LOCALES = ["en", "zh-Hans"];
const known = new Map();
let find = () => undefined;

/**
 * Gives a language's sentences, from `claimkit/locale/en.json` or `claimkit/locale/zh-Hans.json`.
 *
 * @param {string} locale
 * @param {object} sentences
 */
export function addLocale(locale, sentences) {
  if (!LOCALES.includes(locale)) throw new TypeError(`claimkit: addLocale: \`locale\` is ${String(locale)}, expected one of \`${LOCALES.join("`, `")}\``);
  const isPart = (part) => Object.prototype.toString.call(part) === "[object Object]";
  if (!isPart(sentences) || !isPart(sentences.fields) || !Object.values(sentences).every(isPart)) {
    throw new TypeError(`claimkit: addLocale: \`sentences\` is not the content of claimkit/locale/${locale}.json, which is the default export of that file`);
  }
  known.set(locale, sentences);
}

/** Sets how sentences are looked up when the caller gives none; Node reads the package's own files. */
export function findLocales(lookup) {
  find = lookup;
}

/** Options with the sentences of their language, if there are any. */
export function withSentences(options) {
  // The module itself refuses a value that is not a plain object.
  if (options !== undefined && options !== null && Object.prototype.toString.call(options) !== "[object Object]") return options;
  const locale = options?.locale ?? "en";
  if (!known.has(locale)) {
    const sentences = find(locale);
    if (sentences !== undefined) known.set(locale, sentences);
  }
  return known.has(locale) ? { ...options, sentences: known.get(locale) } : options;
}
