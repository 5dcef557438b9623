// Builds the extension, one for desktops and browsers, from the package that `make pkg` has built: bundles, and a .vsix of them.
//
//   node pkg/vscode/build.mjs

import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { licenses, npmTools } from "../build/tools.mjs";

/** The packages that are inside the extension. */
const BUNDLED = [
	"vscode-languageclient",
	"vscode-languageserver-protocol",
	"vscode-languageserver-types",
	"vscode-jsonrpc",
	"semver",
	"minimatch",
	"brace-expansion",
	"balanced-match",
];

const here = path.dirname(fileURLToPath(import.meta.url));
const pkg = path.resolve(here, "..");
const root = path.resolve(pkg, "..");
const modules = npmTools();
const { build } = await import(
	pathToFileURL(path.join(modules, "esbuild/lib/main.js"))
);
const { ZipFile } = createRequire(import.meta.url)(path.join(modules, "yazl"));

const dist = path.join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const common = {
	bundle: true,
	minify: true,
	target: "es2022",
	nodePaths: [modules],
	legalComments: "none",
	logLevel: "error",
	absWorkingDir: here,
};
const client = { ...common, format: "cjs", external: ["vscode"] };
await build({
	...client,
	entryPoints: ["src/node.js"],
	outfile: "dist/node.js",
	platform: "node",
});
await build({
	...client,
	entryPoints: ["src/web.js"],
	outfile: "dist/web.js",
	platform: "browser",
});
// The server reads the module and the sentences beside itself.
await build({
	...common,
	entryPoints: ["src/server.js"],
	outfile: "dist/server.mjs",
	format: "esm",
	platform: "node",
});
cpSync(path.join(pkg, "server-worker.js"), path.join(dist, "server-worker.js"));
cpSync(path.join(pkg, "command_bg.wasm"), path.join(dist, "command_bg.wasm"));
cpSync(path.join(pkg, "locale"), path.join(dist, "locale"), {
	recursive: true,
});
writeFileSync(
	path.join(dist, "THIRD-PARTY.txt"),
	`Inside the files of this folder:\n\n${licenses(BUNDLED)}`,
);

// --- the .vsix: a zip with a manifest ---------------------------------------------------------------------------------------

const manifest = JSON.parse(
	readFileSync(path.join(here, "package.json"), "utf8"),
);
const files = new Map();
const add = (name, contents) =>
	files.set(
		name,
		typeof contents === "string" ? Buffer.from(contents) : contents,
	);
const walk = (folder) => {
	for (const entry of readdirSync(path.join(here, folder), {
		withFileTypes: true,
	})) {
		const inside = `${folder}/${entry.name}`;
		if (entry.isDirectory()) walk(inside);
		else add(`extension/${inside}`, readFileSync(path.join(here, inside)));
	}
};
const xml = (text) =>
	text.replace(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`);
const property = ([id, value]) =>
	`      <Property Id="Microsoft.VisualStudio.${id}" Value="${xml(value)}" />`;
const asset = ([type, file]) =>
	`    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${file}" Addressable="true" />`;
const properties = [
	["Code.Engine", manifest.engines.vscode],
	["Code.ExtensionDependencies", ""],
	["Code.ExtensionPack", ""],
	["Code.ExtensionKind", "workspace,web"],
	["Code.LocalizedLanguages", ""],
	["Code.EnabledApiProposals", ""],
	["Code.ExecutesCode", "true"],
	["Services.GitHubFlavoredMarkdown", "true"],
	["Services.Content.Pricing", "Free"],
];
const assets = [
	["Code.Manifest", "package.json"],
	["Services.Content.Details", "README.md"],
	["Services.Content.Changelog", "CHANGELOG.md"],
	["Services.Content.License", "LICENSE.txt"],
	["Services.Icons.Default", manifest.icon],
];
add(
	"extension.vsixmanifest",
	`<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}" />
    <DisplayName>${xml(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(manifest.description)}</Description>
    <Tags>${[...manifest.keywords, "json", "yaml", "__web_extension"].filter((tag, at, all) => all.indexOf(tag) === at).join(",")}</Tags>
    <Categories>${manifest.categories.join(",")}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${properties.map(property).join("\n")}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${manifest.icon}</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${assets.map(asset).join("\n")}
  </Assets>
</PackageManifest>
`,
);
const types = {
	".json": "application/json",
	".js": "application/javascript",
	".mjs": "application/javascript",
	".md": "text/markdown",
	".png": "image/png",
	".txt": "text/plain",
	".wasm": "application/wasm",
	".vsixmanifest": "text/xml",
};
const type = ([extension, name]) =>
	`<Default Extension="${extension}" ContentType="${name}"/>`;
add(
	"[Content_Types].xml",
	`<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries(types).map(type).join("")}</Types>\n`,
);
for (const name of ["package.json", "README.md", "CHANGELOG.md", manifest.icon])
	add(`extension/${name}`, readFileSync(path.join(here, name)));
add("extension/LICENSE.txt", readFileSync(path.join(root, "LICENSE")));
walk("syntaxes");
walk("dist");
// The same bytes whenever it is built.
const zip = new ZipFile();
for (const [name, contents] of files)
	zip.addBuffer(contents, name, {
		compressionLevel: 9,
		mtime: new Date(1980, 0, 1),
		mode: 0o100644,
		forceDosTimestamp: true,
	});
zip.end();
const packed = await buffer(zip.outputStream);
const vsix = path.join(here, `${manifest.name}-${manifest.version}.vsix`);
writeFileSync(vsix, packed);
console.log(
	`==> pkg/vscode/${path.basename(vsix)}: ${packed.length} bytes, ${files.size} files`,
);
