// What a release has in registries: policy modules as kwctl pushes them, and the container image, whose only layer on each processor is the
// archive of the program. oras makes both, without a daemon.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

// oras writes the time otherwise.
const UNDATED = "org.opencontainers.image.created=1970-01-01T00:00:00Z";

/** Runs oras in a folder; returns what it prints. */
function run(oras, args, folder) {
	const done = spawnSync(oras, args, { cwd: folder, encoding: "utf8" });
	if (done.status !== 0)
		throw new Error(`oras ${args.join(" ")}: ${done.stdout}${done.stderr}`);
	return done.stdout;
}

/** Pushes a file as the only layer of a manifest; returns the digest of the manifest. `to`: words that say where. */
function push(oras, to, { file, type, config, configType, annotations = [] }) {
	const [folder, name] = [path.dirname(file), path.basename(file)];
	const written = `${name}.config.json`;
	writeFileSync(path.join(folder, written), JSON.stringify(config));
	try {
		const notes = [UNDATED, ...annotations].flatMap((note) => [
			"--annotation",
			note,
		]);
		const printed = run(
			oras,
			[
				"push",
				"--format=json",
				...notes,
				"--config",
				`${written}:${configType}`,
				...to,
				`${name}:${type}`,
			],
			folder,
		);
		return JSON.parse(printed).digest;
	} finally {
		rmSync(path.join(folder, written));
	}
}

/** Pushes a policy module to a registry on loopback; returns the digest of its manifest. */
export function pushModule(oras, file, name, version) {
	return push(oras, ["--plain-http", `${name}:v${version}`], {
		file,
		type: "application/vnd.wasm.content.layer.v1+wasm",
		config: {},
		configType: "application/vnd.wasm.config.v1+json",
		annotations: [`org.opencontainers.image.version=${version}`],
	});
}

/** Pulls the file of a manifest from a registry on loopback into a folder; `platform` chooses one of several manifests. */
export function pull(oras, name, folder, platform) {
	const chosen = platform ? ["--platform", platform] : [];
	run(oras, ["pull", "--plain-http", ...chosen, name], folder);
}

/**
 * Makes the container image in a folder of the OCI image layout and returns its digest. `programs`: the archive of each processor.
 */
export function makeImage(oras, programs, layout, version) {
	for (const { arch, archive } of programs) {
		const unpacked = gunzipSync(readFileSync(archive));
		const layer = createHash("sha256").update(unpacked).digest("hex");
		push(oras, ["--oci-layout", `${layout}:${arch}`], {
			file: archive,
			type: "application/vnd.oci.image.layer.v1.tar+gzip",
			config: {
				architecture: arch,
				os: "linux",
				config: { Entrypoint: ["/claimkit"] },
				rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
			},
			configType: "application/vnd.oci.image.config.v1+json",
		});
	}
	run(oras, [
		...["manifest", "index", "create", "--oci-layout"],
		...[`${layout}:v${version}`, ...programs.map(({ arch }) => arch)],
	]);
	// oras lists the parts, too, and in any order.
	const index = path.join(layout, "index.json");
	const listed = JSON.parse(readFileSync(index, "utf8"));
	listed.manifests = listed.manifests.filter(
		({ mediaType }) => mediaType === listed.mediaType,
	);
	writeFileSync(index, JSON.stringify(listed));
	rmSync(path.join(layout, "ingest"), { recursive: true, force: true });
	return listed.manifests[0].digest;
}

/** Copies the container image to a registry on loopback. */
export function pushImage(oras, layout, name) {
	run(oras, ["cp", "--from-oci-layout", layout, "--to-plain-http", name]);
}
