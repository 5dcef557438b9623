// The editor and the command say the same of every file of a repository: two clusters, Kustomize, a chart, Flux, and what is around them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { commands, here } from "../suite.mjs";
import { address, programs, start, stopAll } from "./client.mjs";

const folder = path.join(here, "target/lsp-agree");

const V1 = (kind, name, rest) =>
	`apiVersion: resource.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${rest}`;
const claim = (name, request = "deviceClassName: accel") =>
	V1(
		"ResourceClaim",
		name,
		`spec:\n  devices:\n    requests:\n    - name: one\n      exactly: {${request}}\n`,
	);
const template = (rest) =>
	V1(
		"ResourceClaimTemplate",
		"accel-one",
		`spec: {spec: {devices: ${rest}}}\n`,
	);
const workload = (head, podAt) =>
	`${head}${podAt}containers: [{name: c, image: i, resources: {claims: [{name: a}]}}]\n${podAt}resourceClaims: [{name: a, resourceClaimTemplateName: accel-one}]\n`;
const node = (name) =>
	`apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nstatus: {allocatable: {cpu: '8', pods: '110'}}\n`;
const slice = (name) =>
	V1(
		"ResourceSlice",
		`${name}-accel`,
		`spec:\n  driver: accel.example.org\n  nodeName: ${name}\n  pool: {name: ${name}, generation: 1, resourceSliceCount: 1}\n  devices: [{name: a0, attributes: {model: {string: M}}}, {name: a1}]\n`,
	);
const CLASS = V1(
	"DeviceClass",
	"accel",
	"spec:\n  selectors:\n  - cel: {expression: 'device.driver == \"accel.example.org\"'}\n",
);

const SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";

/** The files, and the codes of what is wrong in those that are. Clusters have the same names. */
const FILES = {
	"clusters/prod/claimkit.toml": 'release = "1.36"\n',
	"clusters/prod/nodes.yaml": `${node("w1")}---\n${node("w2")}`,
	"clusters/prod/slices.yaml": `${slice("w1")}---\n${slice("w2")}`,
	"clusters/prod/class.yaml": CLASS,
	"clusters/dev/claimkit.toml": "",
	"clusters/dev/nodes.yaml": node("w1"),
	"clusters/dev/slices.yaml": slice("w1"),
	"clusters/dev/class.yaml": CLASS,
	"clusters/dev/smoke.yaml": claim("smoke"),
	"apps/base/kustomization.yaml": "resources: [template.yaml, web.yaml]\n",
	"apps/base/template.yaml": template(
		"{requests: [{name: one, exactly: {deviceClassName: accel}}]}",
	),
	"apps/base/web.yaml": workload(
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n",
		"      ",
	),
	"apps/base/service.yaml": `${SERVICE}spec: {ports: [{port: 80}]}\n`,
	"apps/overlay/kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\npatches:\n- path: count.yaml\n- path: json.yaml\n  target: {kind: Deployment}\n- patch: |-\n    apiVersion: resource.k8s.io/v1\n    kind: ResourceClaimTemplate\n    metadata: {name: accel-one}\n    spec: {nonsense: 1}\n`,
	"apps/overlay/count.yaml": template(
		"{requests: [{name: one, exactly: {count: 2}}]}",
	),
	"apps/overlay/json.yaml": "- {op: replace, path: /spec/replicas, value: 4}\n",
	"apps/overlay/gone.yaml":
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: accel-one}\n$patch: delete\n",
	// The third name that Kustomize knows.
	"apps/third/Kustomization":
		"resources: [../base]\npatches: [{path: count.yaml}, {path: sub/count.yaml}]\n",
	"apps/third/count.yaml": template(
		"{requests: [{name: one, exactly: {count: 2}}]}",
	),
	"apps/third/sub/count.yaml": template(
		"{requests: [{name: one, exactly: {count: 2}}]}",
	),
	"chart/Chart.yaml": "apiVersion: v2\nname: train\nversion: 0.1.0\n",
	"chart/values.yaml":
		"kind: Deployment # or StatefulSet\nresourceClaims: []\nclass: accel\n",
	"chart/templates/claim.yaml": claim(
		'{{ include "train.name" . }}',
		"deviceClassName: {{ .Values.class }}",
	),
	"flux/release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: train}\nspec:\n  postRenderers:\n  - kustomize:\n      patches:\n      - patch: |\n          apiVersion: resource.k8s.io/v1\n          kind: ResourceClaim\n          metadata: {name: x}\n`,
	"flux/claim.yaml":
		// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable that Flux substitutes
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: shared-${ENV}\n  namespace: team-${ENV:=dev}\nspec:\n  devices:\n    requests:\n    - name: one\n      exactly:\n        deviceClassName: ${CLASS}\n        count: ${COUNT}\n",
	"jobs/nightly.json": `{\n\t"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "nightly"},\n\t"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "a"}]}}],\n\t\t"resourceClaims": [{"name": "a", "resourceClaimTemplateName": "accel-one"}]}}}\n}\n`,
	"jobs/weekly.yaml": `\ufeff${workload(
		"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: weekly}\nspec:\n  schedule: '0 3 * * 0'\n  jobTemplate:\n    spec:\n      template:\n        spec:\n",
		"          ",
	).replaceAll("\n", "\r\n")}`,
	"playbook.yaml": `- hosts: all\n  tasks:\n  - kubernetes.core.k8s:\n      definition:\n        apiVersion: resource.k8s.io/v1\n        kind: ResourceClaim\n`,
	"jinja.yaml": `{% for n in names %}\n---\n${claim("claim-{{ n }}")}{% endfor %}\n`,
	"placeholder.yaml": claim("claim-{{ name }}"),
	".github/workflows/check.yaml":
		"on: push\njobs:\n  check:\n    steps:\n    - run: kubectl get resourceclaims.resource.k8s.io\n",
	"compose.yaml": "services:\n  web: {image: nginx}\n",
	"broken/compose.yaml": "services:\n  web: {image: [\n",
	"broken/.github.yaml": "on: push\njobs: {check: [\n",
	"broken/values.json": '{"image": [\n',
	"config.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: |\n    kind: ResourceClaim\n`,
	"package.json": '{"name": "x"}\n',
};
const WRONG = {
	"wrong/name.yaml": [claim("Bad_Name"), "name-invalid"],
	"wrong/field.yaml": [
		claim("a", "deviceClasName: accel"),
		"class-name-invalid unknown-field",
	],
	"wrong/group.yaml": [
		claim("b").replace("resource.", "resources."),
		"group-misspelled",
	],
	"wrong/version.yaml": [
		claim("c").replace("resource.k8s.io/", ""),
		"group-misspelled",
	],
	"wrong/head.yaml": [claim("d").replace(/^.*\n/, ""), "no-kind"],
	"wrong/text.yaml": [`${claim("e")}  bad: [\n`, "yaml-syntax"],
	// Of other groups, too: kubectl refuses them.
	"wrong/service.yaml": [`${SERVICE}spec: {ports: [\n`, "yaml-syntax"],
	"wrong/service-twice.yaml": [
		`${SERVICE}spec: {ports: [{port: 80, port: 81}]}\n`,
		"yaml-duplicate-key",
	],
	"wrong/service-head.yaml": [
		`${SERVICE.replace(/^.*\n/, "")}spec: {ports: [{port: 80}]}\n`,
		"no-kind",
	],
	"wrong/service.json": [
		'{"apiVersion": "v1", "kind": "Service", "metadata": ]}\n',
		"json-syntax",
	],
	"wrong/node.yaml": [`${node("w9")}  bad: [\n`, "yaml-syntax"],
};

before(() => {
	rmSync(folder, { recursive: true, force: true });
	const all = Object.entries(FILES).concat(
		Object.entries(WRONG).map(([name, [text]]) => [name, text]),
	);
	for (const [name, text] of all) {
		const file = path.join(folder, name);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
});
after(stopAll);

const lines = (found) => found.sort().join("\n");

/** What the command says of each file; that a file was not checked is said in JSON only. */
function ofCommand([, program, first]) {
	const done = spawnSync(
		program,
		[...first, "validate", ".", "--output", "json"],
		{ cwd: folder, encoding: "utf8" },
	);
	return Object.fromEntries(
		JSON.parse(done.stdout).files.map(({ file, answer }) => [
			file.replace(/^\.\//, ""),
			lines(
				answer.findings
					.filter(
						({ code, severity }) =>
							severity !== "info" && code !== "nothing-checked",
					)
					.map(
						({ code, range: { start } }) =>
							`${start.line}:${start.character} ${code}`,
					),
			),
		]),
	);
}

for (const command of commands) {
	const [name] = command;
	test(`${name}: the editor and the command agree on every file`, async () => {
		const said = ofCommand(command);
		const server = await start({ folder, program: programs[name] });
		const names = Object.keys({ ...FILES, ...WRONG }).filter((name) =>
			/\.(ya?ml|json)$/.test(name),
		);
		const uri = (name) => address(path.join(folder, name));
		// Files that no cluster is read for say nothing of it, so that all are opened before one is looked at.
		for (const name of names)
			await server.open(
				uri(name),
				readFileSync(path.join(folder, name), "utf8"),
				name.endsWith("json") ? "json" : "yaml",
			);
		for (const name of names) {
			const found = await server.diagnostics(uri(name), 1);
			assert.equal(
				lines(
					found.map(
						({ code, range: { start } }) =>
							`${start.line}:${start.character} ${code}`,
					),
				),
				said[name] ?? "",
				name,
			);
			assert.equal(
				found
					.map(({ code }) => code)
					.sort()
					.join(" "),
				WRONG[name]?.[1] ?? "",
				name,
			);
		}
		await server.stop();
	});
}
