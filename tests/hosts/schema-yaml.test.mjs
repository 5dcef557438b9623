// The exported schemas in yaml-language-server, which many editors run: it reports what is wrong, completes and explains.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { commands, run } from "./suite.mjs";

const require = createRequire(import.meta.url);
const {
	getLanguageService,
} = require("yaml-language-server/out/server/src/languageservice/yamlLanguageService.js");
const {
	SettingsState,
	TextDocumentTestManager,
} = require("yaml-language-server/out/server/src/yamlSettings.js");
const { TextDocument } = require("vscode-languageserver-textdocument");

const { stdout } = run(commands[0], ["batch"], {
	input: '{"verb":"jsonSchema","release":"1.30"}\n',
});
const { schema } = JSON.parse(stdout);

function service() {
	const settings = new SettingsState();
	settings.documents = new TextDocumentTestManager();
	const service = getLanguageService({
		schemaRequestService: () =>
			Promise.reject(new Error("nothing is fetched here")),
		workspaceContext: { resolveRelativePath: (relative) => relative },
		yamlSettings: settings,
	});
	service.configure({
		validate: true,
		completion: true,
		hover: true,
		isKubernetes: false,
		schemas: [
			{ uri: "file:///claimkit.schema.json", fileMatch: ["*.yaml"], schema },
		],
	});
	let version = 0;
	const open = (text) => {
		version += 1;
		const document = TextDocument.create(
			"file:///claim.yaml",
			"yaml",
			version,
			text,
		);
		settings.documents.set(document);
		return document;
	};
	return { service, open };
}

const claim = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: c
spec:
  resourceClassName: gpu.example.com
`;

test("a good claim has no problem, a bad one has", async () => {
	const { service: yaml, open } = service();
	assert.deepEqual(await yaml.doValidation(open(claim), false), []);
	const bad = await yaml.doValidation(
		open(claim.replace("gpu.", "GPU.")),
		false,
	);
	assert.equal(bad.length, 1, JSON.stringify(bad));
	assert.match(bad[0].message, /pattern/i);
	const unknown = await yaml.doValidation(
		open(`${claim}  colour: red\n`),
		false,
	);
	assert.match(unknown.map(({ message }) => message).join(), /colour/);
});

test("it completes and explains from the schema", async () => {
	const { service: yaml, open } = service();
	const text = `${claim}  allocationMode: \n`;
	const { items } = await yaml.doComplete(
		open(text),
		{ line: 6, character: 18 },
		false,
	);
	assert.ok(
		items.some(({ label }) => label === "Immediate"),
		JSON.stringify(items),
	);
	const hover = await yaml.doHover(open(claim), { line: 5, character: 5 });
	assert.match(JSON.stringify(hover.contents), /Name of the ResourceClass/);
});
