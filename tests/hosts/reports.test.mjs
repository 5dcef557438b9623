// Reports for other programs, read by what those programs read them with: SARIF held to its JSON Schema, JUnit's XML read by a
// strict parser; and both say neither more nor less than the JSON output of the same run.
import assert from "node:assert/strict";
import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { SaxesParser } from "saxes";
import { commands, here, root, run } from "./suite.mjs";

// One pattern of the schema, for languages, is no regular expression by the rules of `u`.
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
addFormats(ajv);
const schema = path.join(
	here,
	"node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
);
const fits = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));

/** A SARIF log from its text, held to the schema. */
function sarif(text) {
	const log = JSON.parse(text);
	assert.ok(fits(log), ajv.errorsText(fits.errors, { separator: "\n" }));
	return log;
}

/** The root element of a document: `{ name, attributes, children, text }`. What is not well-formed throws. */
function xml(text) {
	const parser = new SaxesParser();
	const open = [{ children: [] }];
	parser.on("error", (error) => {
		throw error;
	});
	parser.on("opentag", ({ name, attributes }) => {
		const element = { name, attributes, children: [], text: "" };
		open.at(-1).children.push(element);
		open.push(element);
	});
	parser.on("text", (text) => {
		open.at(-1).text += text;
	});
	parser.on("closetag", () => open.pop());
	parser.write(text).close();
	return open[0].children[0];
}

/** A JUnit document as its suites: elements and attributes are those CI systems know, and every count is right. */
function junit(text) {
	const top = xml(text);
	const attributes = (element, ...names) =>
		assert.deepEqual(Object.keys(element.attributes), names);
	const counts = ({ attributes }) => ({
		tests: Number(attributes.tests),
		failures: Number(attributes.failures),
	});
	const total = { tests: 0, failures: 0 };
	assert.equal(top.name, "testsuites");
	attributes(top, "name", "tests", "failures");
	for (const suite of top.children) {
		assert.equal(suite.name, "testsuite");
		attributes(suite, "name", "tests", "failures");
		const failed = suite.children.filter((one) =>
			one.children.some(({ name }) => name === "failure"),
		);
		assert.deepEqual(
			counts(suite),
			{ tests: suite.children.length, failures: failed.length },
			suite.attributes.name,
		);
		total.tests += suite.children.length;
		total.failures += failed.length;
		for (const one of suite.children) {
			assert.equal(one.name, "testcase");
			attributes(one, "name", "classname");
			assert.equal(one.attributes.classname, suite.attributes.name);
			const failures = one.children.filter(({ name }) => name === "failure");
			for (const failure of failures) {
				attributes(failure, "type", "message");
				assert.ok(failure.text.includes(failure.attributes.message));
			}
			// At most one text beside the failures, after them.
			assert.deepEqual(
				one.children
					.slice(failures.length)
					.filter(({ name }) => name !== "system-out"),
				[],
			);
			assert.ok(one.children.length - failures.length <= 1);
		}
	}
	assert.deepEqual(counts(top), total);
	return top.children;
}

/** What a run in JSON says of each file: `[name, findings]`, as far as reports tell it. */
function told(text, remarks) {
	// `release-decides` is reported even if nobody asks for remarks.
	const shown = ({ code, severity }) =>
		remarks || severity !== "info" || code === "release-decides";
	const reported = (finding) =>
		!["nothing-checked", "other-group", "pod-claims-only"].includes(
			finding.code,
		) && shown(finding);
	// Reports are in the order of the text, the answer in the server's.
	const place = ({ range }) => range?.start.offset ?? -1;
	return JSON.parse(text).files.map(({ file, answer }) => [
		file,
		answer.findings.filter(reported).sort((a, b) => place(a) - place(b)),
	]);
}

const LEVELS = { error: "error", warning: "warning", info: "note" };

/** Holds SARIF to what the same run says in JSON; gives how many results there are. */
function agreeSarif(text, files) {
	const [{ results, tool }] = sarif(text).runs;
	const place = ({ line, character }) => [line + 1, character + 1];
	const expected = files.flatMap(([file, findings]) =>
		findings.map(({ code, severity, message, range, fixes = [] }) => [
			code,
			LEVELS[severity],
			message,
			file,
			range && [...place(range.start), ...place(range.end)],
			fixes.length,
		]),
	);
	const found = results.map(
		({
			ruleId,
			level,
			message,
			locations: [{ physicalLocation }],
			fixes = [],
		}) => {
			const { region, artifactLocation } = physicalLocation;
			const range = region && [
				region.startLine,
				region.startColumn,
				region.endLine,
				region.endColumn,
			];
			return [
				ruleId,
				level,
				message.text.split("\nhelp: ", 1)[0],
				decodeURIComponent(artifactLocation.uri),
				range,
				fixes.length,
			];
		},
	);
	assert.deepEqual(found, expected);
	const rules = tool.driver.rules.map(({ id }) => id);
	assert.deepEqual(
		rules,
		[...new Set(results.map(({ ruleId }) => ruleId))].sort(),
	);
	return results.length;
}

/** Holds JUnit's XML to what the same run says in JSON; gives how many failures there are. */
function agreeJunit(text, files) {
	const suites = junit(text);
	assert.deepEqual(
		suites.map(({ attributes }) => attributes.name),
		files.map(([file]) => file),
	);
	let failures = 0;
	suites.forEach((suite, at) => {
		const [, findings] = files[at];
		const elements = suite.children.flatMap(({ children }) => children);
		const failed = elements
			.filter(({ name }) => name === "failure")
			.map(({ attributes }) => `${attributes.type} ${attributes.message}`);
		const errors = findings
			.filter(({ severity }) => severity === "error")
			.map(({ code, message }) => `${code} ${message}`);
		assert.deepEqual(failed.sort(), errors.sort());
		const notes = elements
			.filter(({ name }) => name === "system-out")
			.map((element) => element.text)
			.join("");
		for (const { severity, message } of findings) {
			if (severity !== "error")
				assert.ok(notes.includes(`: ${severity}: ${message} (`), notes);
		}
		failures += failed.length;
	});
	return failures;
}

/** What a recorded case printed to standard output, for the cases in one form. */
function recorded(form) {
	const cases = readdirSync(path.join(here, "cases")).map((name) =>
		readFileSync(path.join(here, "cases", name), "utf8"),
	);
	const asked = new RegExp(`(-o|-o |--output[ =])${form}\\b`);
	return cases
		.filter((text) => asked.test(text.split("\n", 1)[0]))
		.map((text) =>
			text.slice(text.indexOf("\n") + 1, text.lastIndexOf("--- stderr\n")),
		);
}

test("recorded SARIF fits the schema, and the schema refuses what does not", () => {
	const logs = recorded("sarif").map(sarif);
	assert.ok(logs.length > 0);
	for (const log of logs) assert.ok(log.runs[0].results.length > 0);
	for (const spoil of [
		(log) => delete log.version,
		(log) => (log.runs[0].results[0].level = "fatal"),
		(log) =>
			(log.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0),
		(log) => (log.runs[0].results[0].help = ""),
		(log) =>
			(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri =
				"a b"),
	]) {
		const log = structuredClone(logs[0]);
		spoil(log);
		assert.equal(fits(log), false, `${spoil}`);
	}
});

test("recorded JUnit is well-formed and counts right, and the parser refuses what is not", () => {
	const texts = recorded("junit");
	assert.ok(texts.length > 0);
	for (const text of texts) assert.ok(junit(text).length > 0);
	for (const wrong of [
		"<a>\u0001</a>",
		"<a>&</a>",
		'<a b="<"/>',
		"<a><b></a>",
		"<a>\ufffe</a>",
		"<a/><a/>",
	]) {
		assert.throws(() => xml(wrong), `${wrong}`);
	}
});

for (const command of commands) {
	for (const options of [
		[],
		["--remarks"],
		["--release", "1.26"],
		["--field-validation", "ignore"],
	]) {
		test(`${command[0]}: validate ${options.join(" ")} of every manifest says the same in SARIF, JUnit and JSON`, () => {
			const print = (form) =>
				run(command, [
					"validate",
					...options,
					"--output",
					form,
					path.join(root, "tests/manifests"),
				]).stdout;
			const files = told(print("json"), options.includes("--remarks"));
			// Absolute names are URIs of files.
			const urls = files.map(([file, findings]) => [
				`file://${file}`,
				findings,
			]);
			assert.ok(agreeSarif(print("sarif"), urls) > 100);
			assert.ok(agreeJunit(print("junit"), files) > 100);
		});
	}

	test(`${command[0]}: names and messages of any characters reach the reader of SARIF and JUnit`, () => {
		const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
		try {
			const head =
				"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n";
			const name = `<a> & "b" 'c' ]]> é😀`;
			const file = `${name} %.yaml`;
			const controls = '"\\x01\\t\\n\\r\\x1f\\uFFFE\\x7f\\x85"';
			writeFileSync(
				path.join(scratch, file),
				`${head}  name: ${JSON.stringify(name)}\nspec: {resourceClassName: a, "<&\\x02>": 1}\n---\n${head}  name: ${controls}\nspec: {resourceClassName: a}\n`,
			);
			const print = (form) =>
				run(command, ["validate", "--output", form, file], { cwd: scratch })
					.stdout;
			const files = told(print("json"), false);
			const stripped = files.map(([file, findings]) => [
				file,
				findings.map((finding) => ({
					...finding,
					message: finding.message.replace(
						/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g,
						"\ufffd",
					),
				})),
			]);
			assert.ok(agreeSarif(print("sarif"), files) >= 3);
			assert.ok(agreeJunit(print("junit"), stripped) >= 3);
			const [suite] = junit(print("junit"));
			const names = suite.children.map(({ attributes }) => attributes.name);
			assert.deepEqual(names, [
				`ResourceClaim ${name}`,
				"ResourceClaim \ufffd\t\n\r\ufffd\ufffd\ufffd\ufffd",
			]);
			assert.equal(suite.attributes.name, file);
		} finally {
			rmSync(scratch, { recursive: true });
		}
	});
}
