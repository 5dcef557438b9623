// How texts reach the Wasm, and answers come back, where wasm-bindgen's own way costs more than what is asked for.

const encoder = new TextEncoder();

/**
 * Writes a text as UTF-8.
 *
 * @param {string} text
 * @param {Uint8Array} room
 * @returns {number} how many bytes were written; -1 if there is not room for all of it
 */
export function encode(text, room) {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? written : -1;
}

/**
 * Usual options as JSON: an object of its own that holds no bytes and nothing that is an argument. `undefined` for any other, which is
 * looked at piece by piece.
 *
 * @param {object} options
 * @returns {string | undefined}
 */
export function usual(options) {
  const made = Object.getPrototypeOf(options);
  if ((made !== Object.prototype && made !== null) || "verb" in options || "text" in options) return undefined;
  for (const name of Reflect.ownKeys(options)) {
    if (options[name] instanceof Uint8Array) return undefined;
  }
  return JSON.stringify(options);
}

/**
 * An answer that accepts all objects and finds nothing to say. `JSON.parse` needs three times as long for the same.
 *
 * @param {string} text for each object its values in the order of its members, each followed by a line feed
 */
export function accepted(text) {
  const values = text.split("\n");
  const objects = [];
  for (let at = 0; at + VALUES <= values.length; at += VALUES) {
    objects.push({
      apiVersion: values[at],
      kind: values[at + 1],
      name: values[at + 2],
      namespace: values[at + 3],
      release: values[at + 4],
      range: {
        start: { line: +values[at + 5], character: +values[at + 6], offset: +values[at + 7] },
        end: { line: +values[at + 8], character: +values[at + 9], offset: +values[at + 10] },
      },
      valid: true,
      status: null,
    });
  }
  return { verb: "validate", ok: true, findings: [], objects };
}

// How many values `accepted` gets of an object.
const VALUES = 11;

/**
 * An answer that comes as lists of values: `JSON.parse` needs a third of the time that it takes for the same as objects.
 *
 * @param {string} text `[verb, ok, findings, objects]`, and of each object the values in the order of its members
 */
export function listed(text) {
  const values = JSON.parse(text);
  return { verb: values[0], ok: values[1], findings: values[2], objects: values[3].map(object) };
}

const object = (values) => ({
  apiVersion: values[0],
  kind: values[1],
  name: values[2],
  namespace: values[3],
  release: values[4],
  range: {
    start: { line: values[5], character: values[6], offset: values[7] },
    end: { line: values[8], character: values[9], offset: values[10] },
  },
  valid: values[11],
  status: values[12],
});
