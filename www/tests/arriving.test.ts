// How texts arrive: before the page's code is there, outside of the editor, under the name of an open file, and as a message that
// something is around.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { dump } from "./dump.ts";
import {
	idle,
	openFiles,
	openPage,
	panelShown,
	podsShown,
	setText,
	settled,
	setUp,
} from "./page.ts";

setUp();

const CLASS =
	"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: Big}\n";
const names = (page: Page) => page.locator(".file-name").allTextContents();

/** Loads the page again, as at the first visit, and keeps its own code back until the returned function is called. */
async function heldBack(page: Page): Promise<() => void> {
	let release = () => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	await page.route(/\/assets\/page-[^/]*\.js$/, async (route) => {
		await released;
		await route.continue();
	});
	await page.evaluate(() => localStorage.clear());
	await page.reload({ waitUntil: "commit" });
	await page
		.locator(".early-text", { hasText: "alocationMode: ExactCount" })
		.waitFor();
	return release;
}

async function pressPaste(page: Page, text: string): Promise<void> {
	await page.evaluate(
		(content) => navigator.clipboard.writeText(content),
		text,
	);
	await page.keyboard.press("ControlOrMeta+v");
}

describe("a text that arrives while the page's code is on its way", () => {
	it("is opened once the page is there, pasted", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const release = await heldBack(page);
		await pressPaste(page, CLASS);
		// The answer about the example would be read as that about the paste.
		await page.locator(".early-answer").waitFor({ state: "hidden" });
		release();
		await page
			.locator(".finding", { hasText: 'Invalid value: "Big"' })
			.first()
			.waitFor();
		expect(await names(page)).toEqual(["pasted.yaml"]);
		await done();
	});

	it("is opened once the page is there, dropped, and not by the browser in its place", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const release = await heldBack(page);
		const prevented = await page.evaluate((text) => {
			const dataTransfer = new DataTransfer();
			dataTransfer.items.add(new File([text], "class.yaml"));
			return ["dragover", "drop"].map(
				(type) =>
					!document.body.dispatchEvent(
						new DragEvent(type, {
							dataTransfer,
							bubbles: true,
							cancelable: true,
						}),
					),
			);
		}, CLASS);
		expect(prevented).toEqual([true, true]);
		release();
		await page
			.locator(".finding", { hasText: 'Invalid value: "Big"' })
			.first()
			.waitFor();
		expect(await names(page)).toEqual(["class.yaml"]);
		await done();
	});
});

it("opens what is pasted while the editor does not have the focus", async () => {
	const { page, done } = await openPage();
	await settled(page);
	await pressPaste(page, CLASS);
	await page
		.locator(".finding", { hasText: 'Invalid value: "Big"' })
		.first()
		.waitFor();
	expect(await names(page)).toEqual(["pasted.yaml"]);
	// Another text is not a newer state of the first one.
	await page.getByRole("tab", { name: "Policy" }).focus();
	await pressPaste(page, CLASS.replace("Big", "Bigger"));
	await expect
		.poll(() => names(page))
		.toEqual(["pasted.yaml", "pasted-2.yaml"]);
	// Fields take their text themselves.
	await page.getByRole("tab", { name: "Policy" }).click();
	await page.getByLabel("Groups").click();
	await pressPaste(page, "platform");
	expect(await page.getByLabel("Groups").inputValue()).toBe("platform");
	expect(await names(page)).toEqual(["pasted.yaml", "pasted-2.yaml"]);
	await done();
});

it("takes a newer dump for the open one of its name, and keeps both if asked", async () => {
	const { page, done } = await openPage();
	await settled(page);
	await openFiles(page, [{ name: "d.yaml", text: dump({ pods: 3 }) }]);
	expect(Object.keys(await podsShown(page))).toHaveLength(3);
	await openFiles(page, [{ name: "d.yaml", text: dump({ pods: 2 }) }]);
	const notice = page.locator(".notice", {
		hasText: "takes the place of the open file of its name",
	});
	await notice.waitFor();
	expect(await names(page)).toEqual(["d.yaml"]);
	await expect
		.poll(async () => Object.keys(await podsShown(page)))
		.toHaveLength(2);
	await notice.getByRole("button", { name: "Keep both" }).click();
	await expect.poll(() => names(page)).toEqual(["d.yaml", "d-2.yaml"]);
	await done();
});

const SCHEDULER =
	"0/3 nodes are available: 3 cannot allocate all claims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";

/** Messages with something around them, and the page that is named for each; null: none, for nothing says anything. */
const WRAPPED: Record<string, readonly [string, string | null]> = {
	"a line of a log in pairs": [
		'time="2025-11-03T09:00:00Z" level=error msg="Error preparing devices for claim" error="requested device is not allocatable: gpu-7"',
		"device-gone-from-driver",
	],
	"a line of kubeadm": [
		"[kubelet-check] DRA driver gpu.nvidia.com is not registered",
		"dra-driver-not-registered",
	],
	"an error below the command that got it": [
		'$ kubectl apply -f claim.yaml\nError from server (BadRequest): error when creating "claim.yaml": ResourceClaim in version "v1" cannot be handled as a ResourceClaim: strict decoding error: unknown field "spec.devices.requests[0].count"\n',
		"unknown-field",
	],
	"a message between fences": [
		`\`\`\`\n${SCHEDULER}\n\`\`\`\n`,
		"cannot-allocate-all-claims",
	],
	"events of all namespaces": [
		`NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT        MESSAGE\ndefault     3m          Warning   FailedScheduling   pod/train-0   ${SCHEDULER}\n`,
		"cannot-allocate-all-claims",
	],
	"a long description of a pod, whose events are last": [
		`Name:             train-0\nNamespace:        default\nLabels:           app=train\n${Array.from({ length: 120 }, (_, at) => `                  example.com/label-${at}=a-value-of-the-label-${at}\n`).join("")}Status:           Pending\nEvents:\n  Type     Reason            Age   From               Message\n  ----     ------            ----  ----               -------\n  Warning  FailedScheduling  20s   default-scheduler  ${SCHEDULER}\n`,
		"cannot-allocate-all-claims",
	],
	"a description of a claim that nothing happened to": [
		"Name:         gpu-x\nNamespace:    default\nLabels:       <none>\nAPI Version:  resource.k8s.io/v1\nKind:         ResourceClaim\nSpec:\n  Devices:\n    Requests:\n      Name: gpu\nStatus:\nEvents:  <none>\n",
		null,
	],
};

it("finds the page of a message in whatever is around it", async () => {
	const { page, done } = await openPage();
	await settled(page);
	for (const [what, [text, wanted]] of Object.entries(WRAPPED)) {
		await setText(page, text);
		const links = page.locator(".message-pages a");
		// What to paste next is said of each of them.
		await page.locator(".guide .kubectl").waitFor();
		if (wanted === null)
			await expect.poll(() => links.count(), { message: what }).toBe(0);
		else
			await expect
				.poll(
					() =>
						links.evaluateAll((list) =>
							list.map((link) => link.getAttribute("href") ?? "").join(" "),
						),
					{ message: what },
				)
				.toContain(wanted);
		await setText(page, "");
		await page.locator(".guide").waitFor({ state: "detached" });
	}
	await done();
});

describe("manifests of other groups", () => {
	const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-all}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [resource.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [resourceclaims]}
  validations:
  - {expression: "object.metadata.name != 'all'", message: "not all"}
`;

	it("are no messages that a page explains", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			`apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: x}
spec:
  rules:
  - name: a
    match: {any: [{resources: {kinds: [resource.k8s.io/v1/ResourceClaim]}}]}
    validate: {message: "metadata.name is wrong", pattern: {metadata: {name: "?*"}}}
`,
		);
		await page
			.locator(".guide", { hasText: "No object of resource.k8s.io" })
			.waitFor();
		await idle(page);
		expect(await page.locator(".message-pages").count()).toBe(0);
		// An event is one, whatever its reason.
		await setText(
			page,
			'apiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: FailedPrepareDynamicResources\nmessage: "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.example.com is not registered"\n',
		);
		await page
			.locator(".message-pages a", { hasText: "not registered" })
			.waitFor();
		await done();
	});

	it("that the API server evaluates go to the panel that asks them", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, POLICY);
		await page
			.locator(".guide", { hasText: "policies that an API server evaluates" })
			.getByRole("button", { name: "Use as settings" })
			.click();
		await panelShown(page);
		await page.locator(".file-open", { hasText: "(Manifest)" }).click();
		await setText(
			page,
			CLASS.replace("DeviceClass", "ResourceClaim").replace(
				"Big}",
				"all, namespace: a}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}",
			),
		);
		await page.locator(".policy-says", { hasText: "not all" }).waitFor();
		await done();
	});
});
