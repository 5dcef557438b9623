// The language server of the extension on a desktop, with the files that the extension gives it.
import { readFileSync } from "node:fs";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { remoteFiles } from "../../server/remote.js";
import { serve } from "../../server/serve.js";

const { version } = JSON.parse(
	readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);
const connection = createConnection(ProposedFeatures.all);
serve(connection, remoteFiles(connection), version);
