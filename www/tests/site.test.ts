import { execFileSync } from "node:child_process";
import {
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import { exampleById } from "../src/examples/index.ts";

const www = fileURLToPath(new URL("..", import.meta.url));
const ADDRESS = "https://example.org/claimkit/";

/** Builds the page for an address, or for none; answers the folder. */
function build(address: string): string {
	const folder = mkdtempSync(join(tmpdir(), "claimkit-site-"));
	execFileSync(
		process.execPath,
		[
			join(www, "node_modules/vite/bin/vite.js"),
			"build",
			"--logLevel",
			"error",
			"--outDir",
			folder,
			"--emptyOutDir",
		],
		{
			cwd: www,
			env: { ...process.env, CLAIMKIT_SITE: address, NODE_ENV: "production" },
		},
	);
	return folder;
}

function walk(folder: string, from = folder): string[] {
	return readdirSync(folder).flatMap((name) => {
		const path = join(folder, name);
		return statSync(path).isDirectory()
			? walk(path, from)
			: [relative(from, path)];
	});
}

const FILES = ["sitemap.xml", "robots.txt", "404.html", ".nojekyll", "og.png"];
const part = (html: string, pattern: RegExp) => pattern.exec(html)?.[1] ?? "";
const plain = (html: string) =>
	html
		.replace(/<[^>]*>/g, " ")
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&quot;/g, '"')
		.replace(/&amp;/g, "&");

let site = "";
let bare = "";
let pages: { path: string; html: string }[] = [];

beforeAll(() => {
	site = build(ADDRESS);
	bare = build("");
	pages = walk(site)
		.filter(
			(path) =>
				path.endsWith(".html") && !["404.html", "index.html"].includes(path),
		)
		.map((path) => ({ path, html: readFileSync(join(site, path), "utf8") }));
}, 240_000);
afterAll(() => {
	for (const folder of [site, bare])
		if (folder) rmSync(folder, { recursive: true });
});

describe("a site with an address", () => {
	it("lists every page that is to be found, and no other; without an address there is nothing of it", () => {
		const listed = [
			...readFileSync(join(site, "sitemap.xml"), "utf8").matchAll(
				/<loc>([^<]*)<\/loc>/g,
			),
		].map(([, url]) => url!);
		const wanted = pages
			.filter(({ html }) => !html.includes('name="robots" content="noindex"'))
			.map(({ path }) => ADDRESS + path.replace(/(^|\/)index\.html$/, "$1"));
		expect([...listed].sort()).toEqual([ADDRESS, ...wanted].sort());
		expect(readFileSync(join(site, "robots.txt"), "utf8")).toContain(
			`Sitemap: ${ADDRESS}sitemap.xml`,
		);
		for (const name of FILES) {
			expect(existsSync(join(site, name)), name).toBe(true);
			expect(existsSync(join(bare, name)), name).toBe(false);
		}
		for (const path of walk(bare).filter((name) => name.endsWith(".html")))
			expect(readFileSync(join(bare, path), "utf8"), path).not.toMatch(
				/rel="canonical"|property="og:/,
			);
		for (const { path, html } of [
			...pages,
			{
				path: "index.html",
				html: readFileSync(join(site, "index.html"), "utf8"),
			},
		]) {
			expect(part(html, /<link rel="canonical" href="([^"]*)"/), path).toBe(
				ADDRESS + path.replace(/(^|\/)index\.html$/, "$1"),
			);
			expect(html, path).toContain('property="og:image"');
		}
	});

	it("has titles and descriptions that are the page's own, one heading, and the language it says", () => {
		const seen = new Map<string, string>();
		for (const { path, html } of pages) {
			const title = plain(part(html, /<title>([\s\S]*?)<\/title>/));
			const description = plain(
				part(html, /<meta name="description" content="([^"]*)"/),
			);
			expect([...title].length, `${path}: ${title}`).toBeLessThanOrEqual(65);
			expect(
				[...description].length,
				`${path}: ${description}`,
			).toBeGreaterThanOrEqual(path.includes("/zh/") ? 30 : 70);
			expect(
				[...description].length,
				`${path}: ${description}`,
			).toBeLessThanOrEqual(160);
			const language = path.includes("/zh/") ? "zh-Hans" : "en";
			expect(part(html, /<html lang="([^"]*)"/), path).toBe(language);
			expect(html.match(/<h1[ >]/g)?.length, path).toBe(1);
			for (const [kind, text] of [
				["title", title],
				["description", description],
			] as const) {
				const key = `${kind} ${language} ${text}`;
				expect(seen.get(key), `${path}: ${key}`).toBeUndefined();
				seen.set(key, path);
			}
		}
	});

	it("has no link that leads nowhere, and each page in both languages", () => {
		for (const { path, html } of pages) {
			for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
				if (/^https?:/.test(href!) && !href!.startsWith(ADDRESS)) continue;
				const target = href!.startsWith(ADDRESS)
					? href!.slice(ADDRESS.length)
					: relative(site, resolve(site, dirname(path), href!.split("#")[0]!));
				const file = join(
					site,
					target === "" || target.endsWith("/")
						? join(target, "index.html")
						: target,
				);
				expect(
					existsSync(
						statSync(file, { throwIfNoEntry: false })?.isDirectory()
							? join(file, "index.html")
							: file,
					),
					`${path}: ${href}`,
				).toBe(true);
			}
			const other = path.includes("/zh/")
				? path.replace("/zh/", "/")
				: path.replace(/\/([^/]*)$/, "/zh/$1");
			expect(existsSync(join(site, other)), other).toBe(true);
		}
	});

	it("has the guides in Chinese as they are in English: the same sections, commands and rows", () => {
		const guides = pages.filter(
			({ path }) => path.startsWith("guide/") && !path.includes("/zh/"),
		);
		expect(guides.length).toBeGreaterThan(15);
		for (const { path, html } of guides) {
			const chinese = readFileSync(
				join(site, path.replace("guide/", "guide/zh/")),
				"utf8",
			);
			const all = (text: string, pattern: RegExp) =>
				[...text.matchAll(pattern)].map(([, found]) => found);
			expect(all(chinese, /<pre>([\s\S]*?)<\/pre>/g), path).toEqual(
				all(html, /<pre>([\s\S]*?)<\/pre>/g),
			);
			expect(all(chinese, /<h[2-4] id="([^"]*)"/g), path).toEqual(
				all(html, /<h[2-4] id="([^"]*)"/g),
			);
			expect(all(chinese, /<(tr)>/g).length, path).toBe(
				all(html, /<(tr)>/g).length,
			);
			expect(chinese, path).not.toContain("{{code}}");
			expect(part(chinese, /<h1>([\s\S]*?)<\/h1>/), path).toMatch(
				/[\u4e00-\u9fff]|^(Node|Helm|Kustomize|Flux|Argo CD|CI|JSON Schema) – /,
			);
			expect(
				part(chinese, /<main>([\s\S]*?)<\/main>/).match(/[\u4e00-\u9fff]/g)
					?.length ?? 0,
				path,
			).toBeGreaterThan(10);
		}
	});

	it("has a JSON Schema of each kind under the names that validators look for, and none of them in the offline cache", () => {
		for (const folder of [site, bare]) {
			const found = walk(join(folder, "schema"));
			for (const name of [
				"resource.k8s.io/resourceclaim_v1.json",
				"1.34/resource.k8s.io/deviceclass_v1.json",
				"1.26/resource.k8s.io/podscheduling_v1alpha1.json",
				"1.37.json",
			])
				expect(found).toContain(name);
			expect(
				found.filter(
					(name) =>
						!/^(1\.\d\d\/)?resource\.k8s\.io\/[a-z]+_v\d[a-z0-9]*\.json$|^1\.\d\d\.json$/.test(
							name,
						),
				),
			).toEqual([]);
			expect(readFileSync(join(folder, "sw.js"), "utf8")).not.toContain(
				"schema/",
			);
		}
	});

	it("is found by what people see: an index of the pages has the right one first", () => {
		const tokens = (text: string) =>
			text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
		const english = pages.filter(
			({ path }) => !path.includes("/zh/") && !path.endsWith("index.html"),
		);
		const documents = english.map(({ path, html }) => {
			const weights = new Map<string, number>();
			const add = (text: string, weight: number) => {
				for (const word of tokens(text))
					weights.set(word, Math.max(weights.get(word) ?? 0, weight));
			};
			add(plain(part(html, /<main>([\s\S]*?)<\/main>/)), 1);
			add(plain(part(html, /<blockquote[^>]*>([\s\S]*?)<\/blockquote>/)), 3);
			add(plain(part(html, /<title>([\s\S]*?)<\/title>/)), 4);
			return { path, weights, length: weights.size };
		});
		const rarity = (word: string) =>
			Math.log(
				1 +
					documents.length /
						(1 + documents.filter(({ weights }) => weights.has(word)).length),
			);
		const first = (query: string) => {
			const words = [...new Set(tokens(query))];
			const scores = documents.map(({ path, weights, length }) => ({
				path,
				score:
					words.reduce(
						(sum, word) => sum + (weights.get(word) ?? 0) * rarity(word),
						0,
					) / Math.sqrt(20 + length),
			}));
			return scores.sort((a, b) => b.score - a.score)[0]!.path;
		};
		// Bags of words confuse one more with its neighbors: a device's name with a dot is found second, behind a request's.
		const messages = [
			[
				"0/3 nodes are available: 3 cannot allocate all claims.",
				"scheduler/cannot-allocate-all-claims.html",
			],
			[
				"0/40 nodes are available: 12 cannot allocate all claims, 28 node(s) had untolerated taint(s).",
				"scheduler/cannot-allocate-all-claims.html",
			],
			[
				"0/6 nodes are available: 1 node(s) were unschedulable, 5 cannot allocate all claims. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.",
				"scheduler/cannot-allocate-all-claims.html",
			],
			[
				"3 resourceclaim not available on the node",
				"scheduler/resourceclaim-not-available-on-the-node.html",
			],
			[
				'pod "ml/trainer-0": ResourceClaim not created yet',
				"scheduler/resourceclaim-not-created-yet.html",
			],
			[
				'waiting for dynamic resource controller to create the resourceclaim "x-gpu"',
				"scheduler/waiting-for-dynamic-resource-controller.html",
			],
			[
				'resourceclaim.resource.k8s.io "my-gpu" not found',
				"scheduler/resourceclaim-not-found.html",
			],
			[
				"waiting for resource driver to allocate resource",
				"scheduler/waiting-for-resource-driver.html",
			],
			[
				'resourceclaim "gpu" is being deleted',
				"scheduler/resourceclaim-is-being-deleted.html",
			],
			[
				"resourceclaim must be reallocated",
				"scheduler/resourceclaim-must-be-reallocated.html",
			],
			[
				"number of requested devices 64 exceeds the claim limit of 32",
				"scheduler/exceeds-the-claim-limit.html",
			],
			[
				"resourceclaim depends on disabled DRAControlPlaneController feature",
				"scheduler/depends-on-disabled-control-plane-controller.html",
			],
			[
				"cannot be allocated for the node (unsuitable)",
				"scheduler/resourceclaim-cannot-be-allocated-for-the-node.html",
			],
			["resourceclaim in use", "scheduler/resourceclaim-in-use.html"],
			[
				'strict decoding error: unknown field "spec.devices.requests[0].deviceClassName"',
				"codes/unknown-field.html",
			],
			[
				'error validating data: unknown field "spec.devices.requests[0].exactly.alocationMode"',
				"codes/unknown-field.html",
			],
			[
				"resourceVersion should not be set on objects to be created",
				"codes/resource-version-on-create.html",
			],
			[
				"spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
				"codes/request-shape.html",
			],
			[
				'no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1" ensure CRDs are installed first',
				"codes/unknown-kind.html",
			],
			[
				'ResourceClaim.resource.k8s.io "My_Claim" is invalid: metadata.name: Invalid value: "My_Claim": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters',
				"codes/name-invalid.html",
			],
			[
				"spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
				"codes/admin-access-forbidden.html",
			],
			[
				'The ResourceClaim "gpu" is invalid: spec: Invalid value: ResourceClaimSpec: field is immutable',
				"codes/spec-immutable.html",
			],
			[
				"status.reservedFor: Too long: may not be longer than 32",
				"codes/reserved-for-too-many.html",
			],
			[
				"spec.selectors[0].cel.expression: Invalid value: compilation failed: ERROR: <input>:1:44: Syntax error: token recognition error at: '= '",
				"codes/selector-invalid.html",
			],
			[
				"spec.devices.requests[0].exactly.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit",
				"codes/selector-too-expensive.html",
			],
			[
				"spec.devices[0].attributes[x].version: Invalid value: must be a string compatible with semver.org spec 2.0.0",
				"codes/attribute-version-invalid.html",
			],
			[
				'spec.devices[3].taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
				"codes/taint-invalid.html",
			],
			[
				'Operation cannot be fulfilled on resourceclaims.resource.k8s.io "train-gpu": the object has been modified; please apply your changes to the latest version and try again',
				"codes/conflict.html",
			],
			[
				'Error from server (AlreadyExists): resourceclaims.resource.k8s.io "shared-gpu" already exists',
				"codes/already-exists.html",
			],
			[
				'metadata.resourceVersion: Invalid value: "": must be specified for an update',
				"codes/resource-version-required.html",
			],
			[
				"Warning: resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.33+, unavailable in v1.36+",
				"codes/server-warning.html",
			],
			[
				"spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
				"codes/pool-number-invalid.html",
			],
			[
				'spec.devices.constraints[0].requests[1]: Invalid value: "nic": must be the name of a request in the claim',
				"codes/request-unknown.html",
			],
			[
				"error converting YAML to JSON: yaml: line 12: did not find expected key",
				"codes/yaml-syntax.html",
			],
			[
				"json: cannot unmarshal number into Go struct field DeviceRequest.spec.devices.requests.deviceClassName of type string",
				"codes/type-mismatch.html",
			],
			[
				"spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
				"codes/node-selector-empty.html",
			],
			[
				'spec.extendedResourceName: Invalid value: "nvidia": must be a valid extended resource name',
				"codes/extended-resource-name-invalid.html",
			],
			[
				'spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims',
				"codes/pod-claim-undefined.html",
			],
			[
				"spec: Invalid value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
				"codes/node-selection-invalid.html",
			],
			[
				"status.devices[0]: Invalid value: must be an allocated device in the claim",
				"codes/device-not-allocated.html",
			],
			[
				"spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: must be empty for operator `Exists`",
				"codes/toleration-invalid.html",
			],
		] as const;
		expect(messages.length).toBeGreaterThanOrEqual(40);
		expect(messages.filter(([query, path]) => first(query) !== path)).toEqual(
			[],
		);
	});

	it("explains what the scheduler says: each of these sentences comes from the engine, and is on its page", async () => {
		const { allocate } = await engine();
		const example = (id: string) => exampleById(id)!.files[0]!.text;
		const many = example("many-pods");
		const all = many.replace("count: 2", "allocationMode: All");
		const elsewhere = {
			nodeSelectorTerms: [
				{
					matchFields: [
						{ key: "metadata.name", operator: "In", values: ["node-b"] },
					],
				},
			],
		};
		const unused = [
			{ apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } },
			{
				apiVersion: "resource.k8s.io/v1",
				kind: "ResourceClaim",
				metadata: { name: "far", namespace: "demo" },
				spec: { devices: {} },
				status: { allocation: { nodeSelector: elsewhere } },
			},
			{
				apiVersion: "v1",
				kind: "Pod",
				metadata: { name: "pod0", namespace: "demo" },
				spec: { resourceClaims: [{ name: "far", resourceClaimName: "far" }] },
			},
		]
			.map((object) => `---\n${JSON.stringify(object)}\n`)
			.join("");
		// Stored objects may have fields whose gate is off, and names that the server refuses; those of a new one are dropped or refused.
		for (const [page, text, options, said] of [
			[
				"device-class-does-not-exist",
				many.replace(
					"deviceClassName: gpu.example.com",
					"deviceClassName: none.example.com",
				),
				{},
				/device class none\.example\.com does not exist/,
			],
			[
				"resource-pool-being-updated",
				all.replace("resourceSliceCount: 1}", "resourceSliceCount: 2}"),
				{},
				/asks for all devices, but resource pool \S+ is currently being updated/,
			],
			[
				"resource-pool-invalid",
				"",
				{ cluster: all.replace("- name: gpu-3", "- name: gpu-0") },
				/asks for all devices, but resource pool \S+ is currently invalid/,
			],
			[
				"consumable-capacity-disabled",
				"",
				{ release: "1.34", cluster: example("capacity") },
				/has capacity requests, but the DRAConsumableCapacity feature is disabled/,
			],
			[
				"prioritized-list-disabled",
				"",
				{
					release: "1.34",
					gates: { DRAPrioritizedList: false },
					cluster: example("prioritized"),
				},
				/has subrequests, but the DRAPrioritizedList feature is disabled/,
			],
			[
				"selector-no-such-key",
				many.replace(
					'device.driver == "gpu.example.com"',
					'device.attributes["gpu.example.com"].model == "a"',
				),
				{},
				/CEL runtime error: no such key: model\. consider using CEL optional chaining/,
			],
			[
				"deallocation-completed",
				unused,
				{},
				/deallocation of ResourceClaim completed/,
			],
			["cannot-allocate-all-claims", many, {}, /cannot allocate all claims/],
		] as const) {
			const messages = allocate(text, options).pods.flatMap(
				({ before, turn, nodes }) => [
					before?.message,
					turn?.message,
					...(turn?.earlier ?? []),
					...nodes.map(({ message }) => message),
				],
			);
			const found = messages.find((message) => said.test(message ?? ""));
			expect([page, found]).toEqual([page, expect.stringMatching(said)]);
			expect(
				plain(
					part(
						readFileSync(join(site, "scheduler", `${page}.html`), "utf8"),
						/<blockquote[^>]*>([\s\S]*?)<\/blockquote>/,
					),
				),
				page,
			).toMatch(
				new RegExp(said.source.replace("none\\.example", "gpu\\.example")),
			);
		}
	});

	const validator = new HtmlValidate({ extends: ["html-validate:standard"] });

	it("is told from HTML that is not valid", async () => {
		expect((await validator.validateString("<p><div></p>")).valid).toBe(false);
	});

	for (const [what, belongs] of [
		["the pages of codes", /^codes\/[^/]*$/],
		["the pages of codes in Chinese", /^codes\/zh\//],
		["all other pages", /^(?!codes\/)/],
	] as const) {
		it(`is valid HTML: ${what}`, async () => {
			const paths = walk(site).filter(
				(name) => name.endsWith(".html") && belongs.test(name),
			);
			expect(paths.length).toBeGreaterThan(50);
			for (const path of paths) {
				const { results } = await validator.validateString(
					readFileSync(join(site, path), "utf8"),
					path,
				);
				expect(
					results.flatMap(({ messages }) =>
						messages.map(({ line, message }) => `${path}:${line}: ${message}`),
					),
				).toEqual([]);
			}
		});
	}
});
