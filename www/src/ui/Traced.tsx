import type { CelPart } from "claimkit";
import { t } from "../i18n/index.ts";
import { Visible } from "./Visible.tsx";

interface Node {
	from: number;
	to: number;
	value: string;
	failed: boolean;
	parts: Node[];
}

/** The parts as a tree; of a part that was evaluated several times, as in a loop, the last value counts. */
function treeOf(expression: string, trace: readonly CelPart[]): Node {
	const lines = expression.split("\n");
	const starts = lines.map((_, index) =>
		lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0),
	);
	const root: Node = {
		from: 0,
		to: expression.length,
		value: "",
		failed: false,
		parts: [],
	};
	const spans = trace.map(
		({ range, ...part }): Node => ({
			from: (starts[range.start.line] ?? 0) + range.start.character,
			to: (starts[range.end.line] ?? 0) + range.end.character,
			value: "error" in part ? part.error : part.value,
			failed: "error" in part,
			parts: [],
		}),
	);
	spans.sort((a, b) => a.from - b.from || b.to - a.to);
	const open = [root];
	for (const span of spans) {
		while (open.length > 1 && span.from >= open.at(-1)!.to) open.pop();
		const parent = open.at(-1)!;
		if (span.to > parent.to || span.to <= span.from) continue;
		if (parent !== root && parent.from === span.from && parent.to === span.to) {
			Object.assign(parent, { value: span.value, failed: span.failed });
			continue;
		}
		parent.parts.push(span);
		open.push(span);
	}
	return root;
}

const isBool = (value: string) => value === "true" || value === "false";

/** A path that begins with a field of the device; only the whole path has its value beside it. */
const PATH = /^device[\w.[\]"'/-]*$/;

/** A part with its value beside it where the text does not say it: what an attribute is, not what `&&` makes of two truths. */
function Drawn({
	node,
	expression,
	within,
	longer = false,
}: {
	node: Node;
	expression: string;
	within: boolean;
	longer?: boolean;
}) {
	const pieces = [];
	let at = node.from;
	const bool = isBool(node.value);
	for (const part of node.parts) {
		pieces.push(
			expression.slice(at, part.from),
			<Drawn
				key={part.from}
				node={part}
				expression={expression}
				within={bool || node.value === "" || node.failed}
				longer={PATH.test(expression.slice(node.from, node.to))}
			/>,
		);
		at = part.to;
	}
	pieces.push(expression.slice(at, node.to));
	if (node.value === "") return <>{pieces}</>;
	const own = expression.slice(node.from, node.to);
	const path = PATH.test(own);
	const beside = path ? !longer : within;
	const shown =
		!bool &&
		beside &&
		own !== node.value &&
		!/^["'\d]/.test(own) &&
		!(node.failed && node.parts.some(({ failed }) => failed));
	return (
		<span
			class={`part ${node.failed ? "failed" : bool ? node.value : "plain"}`}
			title={`${own}: ${node.value}`}
		>
			{pieces}
			{shown && (
				<span class={`part-value${node.failed ? " failed" : ""}`}>
					<Visible text={node.value} />
				</span>
			)}
		</span>
	);
}

function rowsOf(node: Node, depth: number): { node: Node; depth: number }[] {
	return node.parts.flatMap((part) => [
		{ node: part, depth },
		...rowsOf(part, depth + 1),
	]);
}

/** The expression with the value of each part: booleans as a background color, other values as text after the part. */
export function Traced({
	expression,
	trace,
}: {
	expression: string;
	trace: readonly CelPart[];
}) {
	const s = t.value;
	const root = treeOf(expression, trace);
	const rows = rowsOf(root, 0).filter(
		({ node }) => expression.slice(node.from, node.to) !== node.value,
	);
	return (
		<div class="traced">
			<pre role="group" tabIndex={0} aria-label={s.tracedExpression}>
				<Drawn node={root} expression={expression} within />
			</pre>
			<details class="fold every-part">
				<summary>{s.everyPart}</summary>
				<table class="parts">
					<tbody>
						{rows.map(({ node, depth }, index) => (
							<tr key={index}>
								<td style={{ paddingLeft: `${8 + Math.min(depth, 8) * 12}px` }}>
									<code>{expression.slice(node.from, node.to)}</code>
								</td>
								<td>
									<code class={node.failed ? "failed" : node.value}>
										<Visible text={node.value} />
									</code>
								</td>
							</tr>
						))}
					</tbody>
				</table>
			</details>
		</div>
	);
}
