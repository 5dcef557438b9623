// The npm packages, in the order in which they are published: each comes after those that it depends on.

/** `folder`: where it is in the repository; `made`: what `make pkg` writes there, without which nothing can be packed. */
export const PACKAGES = [
	{
		name: "claimkit-command",
		folder: "pkg/command",
		made: ["command_bg.wasm.br", "LICENSE"],
	},
	{
		name: "claimkit-inline",
		folder: "pkg/inline",
		made: ["claimkit_bg.wasm.js", "LICENSE"],
	},
	{
		name: "claimkit",
		folder: "pkg",
		made: [
			"claimkit.js",
			"claimkit_bg.wasm",
			"command.js",
			"constants.js",
			"claimkit.cjs",
			"index.d.cts",
			"types.d.ts",
			"schema",
			"server.js",
			"server-worker.js",
			"mcp.js",
			"THIRD-PARTY.txt",
			"CHANGELOG.md",
			"LICENSE",
		],
	},
];
