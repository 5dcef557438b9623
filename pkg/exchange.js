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

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// How many bytes a text may have that `judged` takes.
const ROOM = 4096;

// Functions and the memory of the Wasm, once it has been started.
let judge;
let askForRoom;
let memory;
let said;
// Where the Wasm takes texts from.
let roomAt;
// Views of the memory: they are empty when it has grown.
let room = new Uint8Array(0);
let words = new Uint32Array(0);

/**
 * Takes what `judged` needs.
 *
 * @param {WebAssembly.Exports} exports the first module's
 * @param {() => object} tell gives the answer that was last left in the Wasm
 */
export function connect(exports, tell) {
  ({ judge, memory, room: askForRoom } = exports);
  said = tell;
}

/** Texts that the Wasm has for good, by where they are. */
const lasting = new Map();

function lastingText(at, length) {
  let text = lasting.get(at);
  if (text === undefined) {
    text = decoder.decode(new Uint8Array(memory.buffer, at, length));
    lasting.set(at, text);
  }
  return text;
}

/**
 * `validate` of a text that is not long, with usual options: without the tables, copies and views that wasm-bindgen's way takes, which
 * are a tenth of what validating one claim costs.
 *
 * @param {unknown} text
 * @param {unknown} options
 * @returns {object | undefined} `undefined`: to be asked in the other way
 */
export function judged(text, options) {
  if (typeof text !== "string" || text.length > ROOM || judge === undefined) return undefined;
  const number = usual(options);
  if (number === -1) return undefined;
  if (room.length === 0) {
    roomAt ??= askForRoom(ROOM);
    room = new Uint8Array(memory.buffer, roomAt, ROOM);
  }
  const { read, written } = encoder.encodeInto(text, room);
  if (read < text.length) return undefined;
  const at = judge(number, written) >>> 2;
  if (at === 0) return said();
  if (words.length === 0) words = new Uint32Array(memory.buffer);
  const middle = words[at + 5];
  const names = decoder.decode(new Uint8Array(memory.buffer, words[at + 4], middle + words[at + 6]));
  const texts = [
    lastingText(words[at], words[at + 1]),
    lastingText(words[at + 2], words[at + 3]),
    names.slice(0, middle),
    names.slice(middle),
    `1.${words[at + 7]}.${words[at + 8]}`,
  ];
  return silent([valid(texts, 0, words, at + 9)]);
}

/** An answer that has nothing to say of these objects. */
const silent = (objects) => ({ verb: "validate", ok: true, findings: [], objects });

/** An object that is accepted: its texts and the numbers of its range stand from some place on. */
const valid = (texts, text, numbers, at) => ({
  apiVersion: texts[text],
  kind: texts[text + 1],
  name: texts[text + 2],
  namespace: texts[text + 3],
  release: texts[text + 4],
  range: {
    start: { line: numbers[at], character: numbers[at + 1], offset: numbers[at + 2] },
    end: { line: numbers[at + 3], character: numbers[at + 4], offset: numbers[at + 5] },
  },
  valid: true,
  status: null,
});

/** The last usual options as JSON, and which they are; and those that are too large to be remembered. */
let last;
let count = 0;
let large;

/**
 * Which options these are, if they are usual: an object of its own that holds no bytes and nothing that is an argument. Who asks again
 * with the same gets the same number. -1 for any other options, which are looked at piece by piece, and for those that cannot be
 * written as JSON.
 *
 * @param {unknown} options
 * @returns {number} 0: none; -2: usual, but large
 */
export function usual(options) {
  if (options === undefined || options === null) return 0;
  if (typeof options !== "object") return -1;
  try {
    const made = Object.getPrototypeOf(options);
    if ((made !== Object.prototype && made !== null) || "verb" in options || "text" in options) return -1;
    for (const name in options) {
      if (options[name] instanceof Uint8Array) return -1;
    }
    const text = JSON.stringify(options);
    if (text === undefined) return -1;
    large = text.length > 1000 ? text : undefined;
    if (large !== undefined) return -2;
    if (text !== last) {
      last = text;
      count = (count % MANY) + 1;
    }
    return count;
  } catch {
    return -1;
  }
}

// As many options are told apart.
const MANY = 2 ** 30;

/** The JSON of the options that `usual` was last asked about. */
export function written() {
  const text = large ?? last;
  large = undefined;
  return text;
}

/**
 * An answer that accepts all objects and finds nothing to say. `JSON.parse` needs three times as long for the same.
 *
 * @param {string} texts for each object its apiVersion, kind, name, namespace and release, each followed by a line feed
 * @param {Uint32Array} numbers for each object the numbers of its range, in the order of their members
 */
export function accepted(texts, numbers) {
  const lines = texts.split("\n");
  const objects = [];
  for (let line = 0, at = 0; at < numbers.length; line += 5, at += 6) objects.push(valid(lines, line, numbers, at));
  return silent(objects);
}

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
