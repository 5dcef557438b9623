// Devices of pods, and why not.
import { readFileSync } from "node:fs";
import { allocate, prepareCluster } from "claimkit";

const named = (names: readonly string[]) =>
	names.map((name) => ({ name, text: readFileSync(name, "utf8") }));
const [podFile = "pod.yaml", ...clusterFiles] = process.argv.slice(2);
const cluster = prepareCluster(named(clusterFiles), { release: "1.36" });
const answer = allocate(named([podFile]), {
	cluster,
	options: { matrix: "all" },
});
for (const pod of answer.pods) {
	const of =
		pod.sameAs === undefined
			? pod
			: (answer.pods.find((other) => other.pod === pod.sameAs) ?? pod);
	console.log(
		pod.pod,
		pod.turn?.outcome,
		pod.turn?.node,
		pod.turn?.devices.map(({ device }) => device).join(),
	);
	for (const node of of.nodes) {
		console.log(" ", node.name, node.verdict, node.message ?? "");
		for (const request of node.requests ?? []) {
			console.log(
				"   ",
				request.request,
				request.funnel.map(({ stage, left }) => `${stage} ${left}`).join(" > "),
				request.text,
			);
			for (const { device, text } of request.cells)
				console.log("      ", device, text);
		}
		for (const { text, gives } of node.relaxations)
			console.log("   change:", text, gives.join());
	}
}
for (const { file, message, in: within } of answer.findings)
	console.log(within, file, message);
cluster.free();
