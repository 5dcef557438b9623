// A registry on loopback (Debian's docker-registry).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

async function freePort() {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address();
	server.close();
	await once(server, "close");
	return port;
}

/** Starts a registry that stores into a folder; `host` is its address as in the name of an image, and `stop` ends it. */
export async function start(program, folder) {
	const host = `127.0.0.1:${await freePort()}`;
	mkdirSync(folder, { recursive: true });
	const config = path.join(folder, "config.yml");
	writeFileSync(
		config,
		JSON.stringify({
			version: 0.1,
			log: { level: "error" },
			storage: { filesystem: { rootdirectory: path.join(folder, "stored") } },
			http: { addr: host },
		}),
	);
	const child = spawn(program, ["serve", config], { stdio: "ignore" });
	for (let tries = 0; ; tries += 1) {
		if (
			await fetch(`http://${host}/v2/`).then(
				({ ok }) => ok,
				() => false,
			)
		)
			break;
		if (child.exitCode !== null || tries > 100)
			throw new Error("the registry does not start");
		await new Promise((later) => setTimeout(later, 100));
	}
	return {
		host,
		stop: async () => {
			child.kill();
			await once(child, "exit");
		},
	};
}
