// The public interface of the crates, as rustdoc describes it in JSON: what may grow is `#[non_exhaustive]`, and functions have
// examples, which are doc tests and run with the tests.
//
//   api.mjs FOLDER    the folder has CRATE.json of each crate (`rustdoc --output-format json --document-hidden-items`)
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const CRATES = ["claimkit", "claimkit_values", "claimkit_yaml", "claimkit_cel"];

/** Types that cannot grow, with the reason. A row that is not needed is an error. */
const COMPLETE = {
  "claimkit_values::quantity::Digits": "the parts of a number",
  "claimkit_values::time::Civil": "the parts of a date",
  "claimkit_yaml::source::Span": "a start and an end",
  "claimkit_yaml::source::Position": "a line and a column in two units",
  "claimkit_yaml::tree::Kind": "whoever walks a tree must see a new kind of node",
  "claimkit_yaml::tree::Node": "made by whoever builds a tree",
  "claimkit_yaml::tree::Entry": "made by whoever builds a tree",
  "claimkit_yaml::yaml::Mark": "a position",
  "claimkit_yaml::yaml::Text": "a range of bytes",
  "claimkit_yaml::Mode": "YAML or JSON",
  "claimkit_cel::ast::Node": "whoever walks a tree must see a new kind of node",
  "claimkit_cel::ast::Literal": "the literals of the language",
  "claimkit_cel::checker::TooLarge": "has no fields",
  "claimkit_cel::library::network::Address": "IPv4 or IPv6",
  "claimkit_cel::library::semver::Version": "the parts of a semantic version",
  "claimkit_cel::library::semver::Identifier": "the two kinds of identifiers of a semantic version",
  "claimkit_cel::library::time::Duration": "a number of nanoseconds",
  "claimkit_cel::source::Location": "a line and a column",
};

/** @param {{ attrs: unknown[] }} item @param {string} word */
const has = (item, word) => item.attrs.some((attribute) => JSON.stringify(attribute).includes(word));
const example = (item) => (item.docs ?? "").includes("```");
/** The type's own example calls the method. */
const shows = (type, method) => example(type) && new RegExp(`[.:]${method}(::<[^>]*>)?\\(`).test(type.docs);

/** Every public item of a crate with its path; hidden ones are left out. */
function items(document) {
  const found = [];
  const seen = new Set();
  const walk = (id, at, exported) => {
    const item = document.index[id];
    if (item === undefined || seen.has(id) || (has(item, "hidden") && !exported)) return;
    const [[kind, body]] = Object.entries(item.inner);
    if (kind === "use") {
      if (has(item, "hidden")) return;
      const target = document.index[body.id];
      if (target !== undefined && body.is_glob) for (const inner of Object.values(target.inner)[0].items ?? []) walk(inner, at, false);
      else walk(body.id, at, true);
      return;
    }
    seen.add(id);
    const name = at === "" ? item.name : `${at}::${item.name}`;
    if (kind === "module") for (const inner of body.items) walk(inner, name, false);
    else found.push({ kind, name, item, body });
  };
  walk(document.root, "", false);
  return found;
}

/** The public methods of a type that belong to no trait. */
function methods(document, body) {
  const blocks = body.impls.map((id) => document.index[id]).filter((block) => block?.inner.impl.trait === null && !has(block, "hidden"));
  const all = blocks.flatMap((block) => block.inner.impl.items.map((id) => document.index[id]));
  return all.filter((item) => item?.inner.function !== undefined && item.visibility === "public" && !has(item, "hidden"));
}

/** True if code outside the crate can write the struct down with all its fields. */
function isOpen(document, { plain, tuple }) {
  if (plain !== undefined) return !plain.has_stripped_fields && plain.fields.every((id) => document.index[id]?.visibility === "public");
  return tuple === undefined || tuple.every((id) => id !== null);
}

/** True for structs of options: they have a default and methods that give themselves back. */
const isSetter = (method) => {
  const { inputs, output } = method.inner.function.sig;
  return inputs[0]?.[1]?.generic === "Self" && output?.generic === "Self";
};

const wrong = [];
const used = new Set();
let counted = 0;
const setters = new Set();
for (const name of CRATES) {
  const document = JSON.parse(readFileSync(path.join(process.argv[2], `${name}.json`), "utf8"));
  for (const { kind, name: at, item, body } of items(document)) {
    counted += 1;
    if (kind === "function" && !example(item)) wrong.push(`${at}: a public function without an example`);
    if (kind !== "enum" && kind !== "struct") continue;
    if (!has(item, "non_exhaustive") && (kind === "enum" || isOpen(document, body.kind))) {
      if (COMPLETE[at] === undefined) wrong.push(`${at}: a public ${kind} without #[non_exhaustive]`);
      used.add(at);
    }
    const known = methods(document, body);
    const fields = kind === "struct" ? (body.kind.plain?.fields ?? []).map((id) => document.index[id]) : [];
    if (known.some(isSetter) && at.endsWith("Options")) {
      for (const field of fields.filter((field) => field?.visibility === "public" && !has(field, "hidden"))) {
        const singular = field.name.replace(/s$/, "");
        if (!known.some((method) => isSetter(method) && [field.name, singular].includes(method.name))) wrong.push(`${at}::${field.name}: an option without a setter`);
        setters.add(`${at}::${field.name}`);
      }
    }
    for (const method of known.filter(isSetter)) {
      if (name === "claimkit" && !example(method) && !shows(item, method.name)) wrong.push(`${at}::${method.name}: a setter without an example`);
    }
  }
}
for (const row of Object.keys(COMPLETE)) if (!used.has(row)) wrong.push(`${row}: COMPLETE of tests/supply/api.mjs needs no such row`);
if (counted < 150) wrong.push(`only ${counted} public items were found`);
if (setters.size < 30) wrong.push(`only ${setters.size} options were found`);
wrong.forEach((line) => console.error(line));
if (wrong.length > 0) process.exitCode = 1;
else console.log(`    ${counted} public items, ${setters.size} options`);
