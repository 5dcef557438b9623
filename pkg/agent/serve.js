// `npx claimkit mcp`: tools for agents over standard input and output. A tool is a command line of claimkit that writes nothing.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
	CallToolRequestSchema,
	ErrorCode,
	ListResourcesRequestSchema,
	ListResourceTemplatesRequestSchema,
	ListToolsRequestSchema,
	McpError,
	ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { clip } from "./clip.js";
import { confine } from "./confine.js";
import { RESOURCES, read, TEMPLATES } from "./resources.js";
import { problem, TOOLS, withArguments } from "./tools.js";

const INSTRUCTIONS = `claimkit knows how kubectl, kube-apiserver and kube-scheduler treat devices (resource.k8s.io, Dynamic Resource Allocation), in every release.
Why does a pod wait: \`why\` asks the cluster that kubectl reaches; \`explain_placement\` takes files or text. What would help: \`what_if\`.
Answers hold what upstream says word for word, the place in the file, and the object that is the reason: quote these. They are short; \`full: true\` gives all.
Tools only read. The meaning of a code or of a sentence of kube-scheduler is a resource.`;

/**
 * Serves until the client goes.
 *
 * @param {(words: string[], host: object) => number} command the command line
 * @param {object} host what `cli.js` gives the command
 * @param {string} version
 * @param {(locale: string) => string | undefined} sentences
 */
export async function serve(command, host, version, sentences) {
	const server = new Server(
		{ name: "claimkit", version },
		{
			capabilities: { tools: {}, resources: {} },
			instructions: INSTRUCTIONS,
		},
	);
	server.setRequestHandler(ListToolsRequestSchema, () => ({
		tools: TOOLS.map(({ name, title, description, input, asksCluster }) => ({
			name,
			title,
			description,
			inputSchema: input,
			annotations: {
				readOnlyHint: true,
				destructiveHint: false,
				idempotentHint: true,
				openWorldHint: asksCluster,
			},
		})),
	}));
	server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
		const tool = TOOLS.find(({ name }) => name === params.name);
		if (tool === undefined)
			throw new McpError(
				ErrorCode.InvalidParams,
				`there is no tool \`${params.name}\`; there are ${TOOLS.map(({ name }) => `\`${name}\``).join(", ")}`,
			);
		const given = params.arguments ?? {};
		const wrong = problem(tool, given);
		if (wrong !== undefined) return answer(wrong, true);
		const { words, texts } = tool.line(given);
		const confined = confine(host, texts);
		let status;
		try {
			status = command(words, confined.host);
		} catch (error) {
			// After a trap the memory cannot be trusted: the client starts a new server.
			if (error instanceof WebAssembly.RuntimeError)
				setTimeout(() => process.exit(1), 100);
			throw error;
		}
		const text = clip(confined.printed(), given.full === true);
		return status === 2
			? answer(withArguments(text, tool), true)
			: answer(text, false);
	});
	server.setRequestHandler(ListResourcesRequestSchema, () => ({
		resources: RESOURCES,
	}));
	server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
		resourceTemplates: TEMPLATES,
	}));
	server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
		const text = read(params.uri, sentences);
		if (text === undefined)
			throw new McpError(
				ErrorCode.InvalidParams,
				`there is no resource ${params.uri}`,
			);
		return {
			contents: [{ uri: params.uri, mimeType: "text/markdown", text }],
		};
	});
	await server.connect(new StdioServerTransport());
}

function answer(text, isError) {
	return { content: [{ type: "text", text }], isError };
}
