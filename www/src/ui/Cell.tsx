import type {
	ClaimCheck,
	ClaimVerdict,
	NodeVerdict,
	Range,
	RequirementCheck,
	TermCheck,
} from "claimkit";
import { useEffect, useRef, useState } from "preact/hooks";
import { mark, reveal } from "../editor/editor.ts";
import { ask } from "../engine/client.ts";
import type { Matrix } from "../engine/placement.ts";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { activeId, literal } from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import { nodeMarkdown } from "../state/markdown.ts";
import { announce } from "../state/notices.ts";
import { copyLink } from "../state/session.ts";
import { nodesTogether, type Together } from "../state/together.ts";
import { Chain } from "./Chain.tsx";
import { Icon } from "./Icon.tsx";
import { SIGNS } from "./MatrixGrid.tsx";
import { Ticked } from "./Ticked.tsx";
import { useShown } from "./useShown.ts";
import { Visible } from "./Visible.tsx";
import { WouldWork } from "./WouldWork.tsx";

/** Leads to a place in its file. */
function show(all: Together, range: Range): void {
	const found = all.locate(range);
	reveal(found.file.id, found.range);
}

function Requirement({
	requirement,
	all,
}: {
	requirement: RequirementCheck;
	all: Together;
}) {
	const tone =
		requirement.holds === true
			? "good"
			: requirement.holds === false
				? "bad"
				: "warn";
	const { values } = requirement;
	const body = (
		<>
			<span class={`tick ${tone}`}>
				<Icon name={requirement.holds === true ? "check" : "cross"} size={14} />
			</span>
			<span class="requirement-text">
				<span>
					<code>{requirement.key}</code> <b>{requirement.operator}</b>{" "}
					{values.length > 0 && (
						<code>{values.map((value) => value || '""').join(", ")}</code>
					)}
				</span>
				<span class="requirement-actual">
					<Ticked text={requirement.why} />
				</span>
			</span>
		</>
	);
	const { range } = requirement;
	return (
		<li>
			{range ? (
				<button
					type="button"
					class="requirement"
					onClick={() => show(all, range)}
				>
					{body}
				</button>
			) : (
				<div class="requirement">{body}</div>
			)}
		</li>
	);
}

function Terms({
	nearest,
	terms,
	all,
}: {
	nearest: number | undefined;
	terms: readonly TermCheck[];
	all: Together;
}) {
	const s = t.value;
	return (
		<ol class="terms">
			{terms.map((term) => (
				<li key={term.index} class={`term ${term.outcome}`}>
					<div class="term-head">
						{s.term(term.index + 1, terms.length)}{" "}
						<b>{s.termOutcomes[term.outcome]}</b>
						{nearest === term.index && terms.length > 1 && (
							<span class="chip">{s.nearest}</span>
						)}
					</div>
					<ul>
						{term.requirements.map((requirement, index) => (
							<Requirement key={index} requirement={requirement} all={all} />
						))}
					</ul>
				</li>
			))}
		</ol>
	);
}

/** The path of a selector, which leads to its place. */
function Source({
	source,
	range,
	all,
}: {
	source: string;
	range: Range | undefined;
	all: Together;
}) {
	const path = <code>{source}</code>;
	if (!range) return path;
	return (
		<button type="button" class="link-button" onClick={() => show(all, range)}>
			{path}
		</button>
	);
}

function CheckRow({ check, all }: { check: ClaimCheck; all: Together }) {
	const tone =
		check.holds === true ? "good" : check.holds === false ? "bad" : "none";
	const selector = check.check === "selector" ? check : null;
	return (
		<li class="check">
			<div class="check-head">
				<span class={`tick ${tone}`}>
					{tone === "none" ? (
						<Icon name="info" size={14} />
					) : (
						<Icon name={tone === "good" ? "check" : "cross"} size={14} />
					)}
				</span>
				<span>
					<Ticked text={check.why} />
					{selector?.source && (
						<>
							{" "}
							<Source
								source={selector.source}
								range={selector.range}
								all={all}
							/>
						</>
					)}
				</span>
			</div>
			{(selector?.eagerError || selector?.lazyError) && (
				<p class="exact bad-text">
					{selector.eagerError ?? selector.lazyError}
				</p>
			)}
			{selector?.terms && (
				<Terms
					nearest={selector.nearestTerm}
					terms={selector.terms}
					all={all}
				/>
			)}
		</li>
	);
}

function Claim({
	claim,
	all,
	alone,
}: {
	claim: ClaimVerdict;
	all: Together;
	alone: boolean;
}) {
	const s = t.value;
	const name = [claim.entry, claim.claim ?? claim.class]
		.filter(Boolean)
		.join(" → ");
	return (
		<div class="claim">
			{!alone && (
				<h4>
					<span class={`sign-box verdict-${claim.verdict}`} aria-hidden="true">
						{SIGNS[claim.verdict]}
					</span>{" "}
					{name} <span class="note">{s.verdicts[claim.verdict]}</span>
				</h4>
			)}
			{claim.schedulerReason && (
				<p class="scheduler-says">
					{s.schedulerSays}: <code>{claim.schedulerReason}</code>
				</p>
			)}
			<ul>
				{claim.checks.map((check, index) => (
					<CheckRow key={index} check={check} all={all} />
				))}
			</ul>
		</div>
	);
}

/** The requirements that fail on the nearest term, or what decides otherwise. */
function deciding(node: NodeVerdict): Range[] {
	const ranges: Range[] = [];
	for (const claim of node.claims ?? []) {
		for (const check of claim.checks) {
			if (check.check !== "selector" || !check.terms) continue;
			const { terms, nearestTerm, matchedTerm } = check;
			const of = nearestTerm ?? matchedTerm;
			const term = terms.find((entry) => entry.index === of);
			for (const requirement of term?.requirements ?? []) {
				if (
					requirement.range &&
					(matchedTerm !== undefined || requirement.holds !== true)
				)
					ranges.push(requirement.range);
			}
		}
	}
	if (ranges.length === 0 && node.range) ranges.push(node.range);
	return ranges;
}

/** Marks places in the file of the first of them; the others are a click away. */
function markAll(all: Together, ranges: readonly Range[]): void {
	const found = ranges.map((range) => all.locate(range));
	const file = found[0]?.file;
	if (file)
		mark(
			file.id,
			found
				.filter((place) => place.file.id === file.id)
				.map((place) => place.range),
		);
	else mark(activeId.peek(), [], false);
}

interface Props {
	matrix: Matrix;
	row: number;
	column: number;
	all: Together;
}

/** Why one node can or cannot take one claim, and what it would be with other labels. */
export function Cell({ matrix, row, column, all }: Props) {
	const s = t.value;
	const entry = matrix.columns[column];
	const name = matrix.nodes[row] ?? "";
	const labels = matrix.labels[row] ?? {};
	const [edited, setEdited] = useState<Record<string, string> | null>(null);
	const [open, setOpen] = useState(false);
	const [node, setNode] = useState<NodeVerdict | null>(null);
	const changed = edited !== null;
	const tried = JSON.stringify(edited);

	const askWith = async (
		other: Record<string, string>,
		slot = "cell",
	): Promise<NodeVerdict | null> => {
		if (!entry) return null;
		const text = JSON.stringify({
			apiVersion: "v1",
			kind: "Node",
			metadata: { name, labels: other },
		});
		const options = {
			...serverOnly(),
			cell: { object: entry.object, node: 0, name },
		};
		const outcome = await ask(
			slot,
			{
				question: "cell",
				text: all,
				options,
				texts: { nodes: literal("what-if", text) },
			},
			true,
		);
		return outcome.kind === "answer" ? outcome.answer : null;
	};

	useEffect(() => {
		const nodes = nodesTogether();
		if (!nodes || !entry) return undefined;
		let current = true;
		const take = (found: NodeVerdict | null) => {
			if (!current || !found) return;
			setNode(found);
			markAll(all, deciding(found));
			announce(
				t.peek().cell(name, entry.name, t.peek().verdicts[found.verdict]),
			);
		};
		if (edited === null) {
			const options = {
				...serverOnly(),
				cell: { object: entry.object, node: row, name },
			};
			void ask(
				"cell",
				{
					question: "cell",
					text: all,
					options,
					texts: { nodes },
				},
				true,
			).then((outcome) => {
				if (outcome.kind === "answer") take(outcome.answer);
			});
		} else {
			void askWith(edited).then(take);
		}
		return () => {
			current = false;
		};
	}, [matrix, row, column, tried]);
	useEffect(() => () => mark(activeId.peek(), [], false), []);
	const title = useRef<HTMLHeadingElement>(null);
	useShown(title, node, `${name} ${column}`);

	if (!entry) return null;
	const verdict = node?.verdict ?? entry.verdicts[row] ?? "Error";
	const reason = node?.reason ?? entry.reasons[row] ?? "";
	const shown = edited ?? labels;
	const change = (key: string, value: string | null) => {
		const next = { ...shown };
		if (value === null) delete next[key];
		else next[key] = value;
		setEdited(next);
	};
	return (
		<section
			class="cell-detail"
			aria-label={s.cell(name, entry.name, s.verdicts[verdict])}
		>
			<h3 class="cell-title" ref={title}>
				<span class={`sign-box verdict-${verdict}`} aria-hidden="true">
					{SIGNS[verdict]}
				</span>
				<span>
					<Visible text={name} /> <span class="muted">×</span>{" "}
					<Visible text={entry.name} />: <b>{s.verdicts[verdict]}</b>
					<span class="note"> {s.verdictNotes[verdict]}</span>
				</span>
				<span class="finding-tools">
					<button
						type="button"
						class="button icon-only quiet"
						aria-label={s.linkAnswer}
						title={s.linkAnswer}
						onClick={() =>
							void copyLink({ node: name, column: String(column) })
						}
					>
						<Icon name="link" size={14} />
					</button>
					{node && (
						<button
							type="button"
							class="button icon-only quiet"
							aria-label={s.copyMarkdown}
							title={s.copyMarkdown}
							onClick={() =>
								void nodeMarkdown(
									node,
									entry.name,
									s.verdicts[node.verdict],
								).then((text) => copyText(text, t.peek().copyMarkdownDone))
							}
						>
							<Icon name="copy" size={14} />
						</button>
					)}
				</span>
			</h3>
			{node && <Chain node={node} subject={entry} />}
			{reason && (
				<p class="reason">
					<Ticked text={reason} />
				</p>
			)}
			{node && !changed && node.verdict === "No" && (
				<WouldWork
					key={`${name} ${column}`}
					node={node}
					labels={labels}
					ask={(other) => askWith(other, "would-work")}
				/>
			)}
			{node?.claims?.map((claim, index) => (
				<Claim
					key={index}
					claim={claim}
					all={all}
					alone={node.claims?.length === 1}
				/>
			))}
			<details
				class="what-if"
				open={open || changed}
				onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
			>
				<summary>
					{s.whatIf} <span class="note">{s.whatIfNote}</span>
				</summary>
				<div class="labels" role="group" aria-label={s.labels}>
					{Object.entries(shown).map(([key, value]) => (
						<div class="label-row" key={key}>
							<code title={key}>{key}</code>
							<input
								value={value}
								aria-label={s.labelValue(key)}
								spellcheck={false}
								class={labels[key] === value ? "" : "changed"}
								onInput={({ currentTarget }) =>
									change(key, currentTarget.value)
								}
							/>
							<button
								type="button"
								class="button icon-only quiet"
								aria-label={s.removeLabel(key)}
								title={s.removeLabel(key)}
								onClick={() => change(key, null)}
							>
								<Icon name="cross" size={12} />
							</button>
						</div>
					))}
					<div class="label-row">
						<input
							placeholder={s.labelKey}
							aria-label={s.labelKey}
							spellcheck={false}
							onKeyDown={(event) => {
								const key = event.currentTarget.value.trim();
								if (event.key !== "Enter" || !key) return;
								const [label = key, value = ""] = key.split("=", 2);
								change(label, value);
								event.currentTarget.value = "";
							}}
							onBlur={({ currentTarget }) => {
								const key = currentTarget.value.trim();
								if (!key) return;
								const [label = key, value = ""] = key.split("=", 2);
								change(label, value);
								currentTarget.value = "";
							}}
						/>
						<span class="note">{s.addLabel}</span>
					</div>
				</div>
				{changed && (
					<div class="what-if-answer">
						<span class={`chip verdict-${verdict}`} role="status">
							{s.whatIfAnswer(s.verdicts[verdict])}
						</span>
						<button
							type="button"
							class="button small"
							onClick={() => setEdited(null)}
						>
							{s.resetLabels}
						</button>
					</div>
				)}
			</details>
		</section>
	);
}
