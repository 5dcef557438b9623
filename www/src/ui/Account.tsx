import type {
	FunnelStage,
	MissingValue,
	NodeAccount,
	Range,
	Relaxation,
	RequestAccount,
	TextEdit,
} from "claimkit";
import { useEffect, useRef } from "preact/hooks";
import { editFile, mark, notifyChange, reveal } from "../editor/editor.ts";
import { toChanges } from "../editor/positions.ts";
import {
	lastPart,
	metVerdict,
	otherRefusals,
	selects,
	type Account as Told,
} from "../engine/devices.ts";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { fileById, type PageFile } from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import { accountMarkdown, stageLabel } from "../state/markdown.ts";
import { announce } from "../state/notices.ts";
import { alone, chosenDevice } from "../state/options.ts";
import { copyLink } from "../state/session.ts";
import type { Together } from "../state/together.ts";
import { suppose } from "../state/whatif.ts";
import { Icon } from "./Icon.tsx";
import { SIGNS } from "./MatrixGrid.tsx";
import { Ticked } from "./Ticked.tsx";
import { Traced } from "./Traced.tsx";
import { Trouble } from "./Trouble.tsx";
import { useEngine } from "./useEngine.ts";
import { useShown } from "./useShown.ts";

/** The first names of many. */
export function some(names: readonly string[], most = 5): string {
	const shown = names.slice(0, most).join(", ");
	return names.length > most
		? `${shown} ${t.value.andMore(names.length - most)}`
		: shown;
}

/** An attribute that a selector reads but devices lack, and the names that were probably meant, or that there are. */
function Unfound({ missing }: { missing: MissingValue }) {
	const s = t.value;
	const { path, on, of, alike, published, guard } = missing;
	const names = Object.keys(published);
	const marked = (name: string) => `\`${name}\``;
	return (
		<span class="stage-more">
			<Ticked text={s.missingAttribute(path, on, of)} />
			{alike.length > 0 ? (
				<Ticked text={s.didYouMean(alike.map(marked).join(", "))} />
			) : (
				on === 0 &&
				names.length > 0 && (
					<Ticked text={s.namesOfDomain(some(names.map(marked)))} />
				)
			)}
			{guard && (
				<>
					{" "}
					{s.guarded} <code>{guard}</code>
				</>
			)}
		</span>
	);
}

/** Returns the place of an object by its name. */
function placeOf(account: Told, all: Together, kind: string, name: string) {
	const found = account.objects.find(
		(object) => object.kind === kind && object.name === name,
	);
	return found && all.locate(found.range);
}

/** Returns the edits of a relaxation by their files; null where an edit is in another text. */
function editsOf(
	all: Together,
	{ edits }: Relaxation,
): Map<PageFile, TextEdit[]> | null {
	const found = new Map<PageFile, TextEdit[]>();
	for (const { range, newText } of edits) {
		const { file, range: own } = all.locate(range);
		found.set(file, [...(found.get(file) ?? []), { range: own, newText }]);
	}
	return found.size > 0 ? found : null;
}

/** Whether a range begins in another; what is removed may take the line end behind it along. */
const within = (inner: Range, outer: Range): boolean =>
	inner.start.offset >= outer.start.offset &&
	inner.start.offset < outer.end.offset;

/** The templates that a relaxation changes beside the claim that the pod has already. */
function templatesOf(account: Told, { edits }: Relaxation): string[] {
	const touched = account.objects.filter(({ range }) =>
		edits.some((edit) => within(edit.range, range)),
	);
	return touched.some(({ kind }) => kind === "ResourceClaim")
		? touched
				.filter(({ kind }) => kind === "ResourceClaimTemplate")
				.map(({ name }) => lastPart(name))
		: [];
}

function apply(all: Together, account: Told, relaxation: Relaxation): void {
	const found = editsOf(all, relaxation);
	if (!found) return;
	const files = [...found.keys()];
	if (files.some((file) => fileById(file.id)?.version !== file.version)) {
		announce(t.peek().textChanged);
		return;
	}
	for (const [file, edits] of found)
		editFile(file.id, toChanges(file.doc, edits));
	const templates = templatesOf(account, relaxation);
	const s = t.peek();
	notifyChange(
		files.map(({ id }) => id),
		`${s.fixed(relaxation.text)}${templates.length > 0 ? ` ${s.templatesToo(templates.join(", "))}` : ""}`,
	);
}

/** Says what the changes help: the node to devices, or to no more than them where something else keeps the pod away. */
const changesTitle = (node: NodeAccount): string =>
	otherRefusals(node).length > 0
		? t.value.wouldGiveDevices(node.name)
		: t.value.wouldWork(node.name);

/** The smallest changes that help; the engine has tried each of them. */
function Relaxations({
	account,
	node,
	all,
}: {
	account: Told;
	node: NodeAccount;
	all: Together;
}) {
	const s = t.value;
	if (node.verdict === "allocated") return null;
	const title = changesTitle(node);
	return (
		<section class="would-work" aria-label={title}>
			<h4>{title}</h4>
			{node.relaxations.length === 0 && <p class="note">{s.noSingleChange}</p>}
			<ul class="relaxations">
				{node.relaxations.map((relaxation, index) => {
					const holder = relaxation.changes.find((change) => "free" in change);
					const place =
						holder && placeOf(account, all, "ResourceClaim", holder.claim);
					return (
						<li key={index}>
							<span>
								<Ticked text={relaxation.text} />
								{templatesOf(account, relaxation).length > 0 && (
									<span class="note">
										{" "}
										{s.templatesToo(
											templatesOf(account, relaxation).join(", "),
										)}
									</span>
								)}
							</span>
							{editsOf(all, relaxation) && (
								<button
									type="button"
									class="button small"
									onClick={() => apply(all, account, relaxation)}
								>
									{s.applyChange}
								</button>
							)}
							{place && (
								<button
									type="button"
									class="button small"
									onClick={() => reveal(place.file.id, place.range)}
								>
									{s.showClaim}
								</button>
							)}
							{holder && relaxation.changes.length === 1 && (
								<button
									type="button"
									class="button small"
									onClick={() => suppose(`free=${holder.claim}`)}
								>
									{s.askFreed}
								</button>
							)}
						</li>
					);
				})}
			</ul>
		</section>
	);
}

/** Changes of the cluster that the same question can be asked after. */
function Suppositions({ node }: { node: NodeAccount }) {
	const s = t.value;
	const reasons = node.requests.flatMap(({ cells }) =>
		cells.map(({ reason }) => reason),
	);
	const taints = new Set(
		reasons.flatMap((reason) =>
			reason?.code === "taint"
				? [
						`${reason.key}${reason.value ? `=${reason.value}` : ""}:${reason.effect}`,
					]
				: [],
		),
	);
	return (
		<div class="suppositions" role="group" aria-label={s.supposing}>
			{[...taints].slice(0, 5).map((taint) => (
				<button
					type="button"
					class="button small"
					key={taint}
					onClick={() => suppose(`untaint=${taint}`)}
				>
					{s.askUntaint(taint)}
				</button>
			))}
			{node.verdict !== "allocated" && (
				<button
					type="button"
					class="button small"
					onClick={() => suppose(`node-like=${node.name}`)}
				>
					{s.askNodeLike(node.name)}
				</button>
			)}
		</div>
	);
}

function StageRow({
	stage,
	of,
	request,
}: {
	stage: FunnelStage;
	of: number;
	request: RequestAccount;
}) {
	const s = t.value;
	const label = stageLabel(stage, request);
	const {
		seen = {},
		missing: unfound = [],
		errors = {},
	} = stage.stage === "class" || stage.stage === "selector" ? stage : {};
	return (
		<li
			class={
				stage.left < Math.max(1, request.wanted) ? "stage lacking" : "stage"
			}
		>
			<span class="stage-bar" aria-hidden="true">
				<span style={{ width: `${of > 0 ? (stage.left / of) * 100 : 0}%` }} />
			</span>
			<b class="tabular">{stage.left}</b>
			<span>
				{label}
				{stage.lost && (
					<span class="note">
						{" "}
						−{stage.lost.count}: {some(stage.lost.devices)}
					</span>
				)}
				{Object.entries(seen).map(([path, values]) => (
					<span class="stage-more" key={path}>
						<code>{path}</code> {s.seenValues}{" "}
						{Object.entries(values)
							.map(([value, count]) => `${value} ×${count}`)
							.join(", ")}
					</span>
				))}
				{unfound.map((missing) => (
					<Unfound key={missing.path} missing={missing} />
				))}
				{Object.keys(errors).map((error) => (
					<span class="stage-more exact" key={error}>
						{error}
					</span>
				))}
			</span>
		</li>
	);
}

function Request({
	request,
	all,
	single,
}: {
	request: RequestAccount;
	all: Together;
	single: boolean;
}) {
	const s = t.value;
	const place = request.range && all.locate(request.range);
	const name = `${request.request}${request.sub === null ? "" : `/${request.sub}`}`;
	const title = (
		<>
			<code>{name}</code>
			{!single && <span class="note"> {request.claim}</span>}
		</>
	);
	return (
		<section class="request-funnel" aria-label={name}>
			<h4>
				{place ? (
					<button
						type="button"
						class="link-button"
						onClick={() => reveal(place.file.id, place.range)}
					>
						{title}
					</button>
				) : (
					title
				)}{" "}
				<span class="note">
					{s.wantedDevices(request.mode, request.wanted)}
				</span>{" "}
				{request.picked && <span class="chip verdict-Yes">{s.chosenSub}</span>}
			</h4>
			<ol class="funnel">
				{request.funnel.map((stage, index) => (
					<StageRow
						key={index}
						stage={stage}
						of={request.funnel[0]?.left ?? 0}
						request={request}
					/>
				))}
			</ol>
		</section>
	);
}

/** Shows the values of a request's selectors for the chosen device, part by part. */
function Selectors({
	request,
	device,
	all,
}: {
	request: RequestAccount;
	device: string;
	all: Together;
}) {
	const s = t.value;
	const asked = {
		device,
		claim: request.claim,
		request: `${request.request}${request.sub === null ? "" : `/${request.sub}`}`,
		class: request.class,
	};
	const key = JSON.stringify([all.key, all.version, asked, serverOnly()]);
	const { outcome } = useEngine("judged", key, () => ({
		question: "judged",
		text: all,
		options: { asked, ...serverOnly() },
	}));
	if (outcome?.kind !== "answer") return <Trouble outcome={outcome} />;
	return (
		<>
			{outcome.answer.map(({ result, ...selector }, index) => {
				const verdict = selects(result) ? "Yes" : "No";
				const error =
					selector.error ?? (result && "error" in result ? result.error : "");
				return (
					<div class="judged" key={index}>
						<p>
							<span class={`sign-box verdict-${verdict}`} aria-hidden="true">
								{SIGNS[verdict]}
							</span>{" "}
							{s.selectorOf(
								selector.kind === "DeviceClass"
									? `DeviceClass ${selector.of}`
									: `${s.request} ${selector.request}`,
								selector.index,
							)}
						</p>
						{error && <p class="exact bad-text">{error}</p>}
						<Traced
							expression={selector.expression}
							trace={result?.trace ?? []}
						/>
					</div>
				);
			})}
		</>
	);
}

/** Devices down, requests across; a cell says why not, and opens the selectors. */
function DeviceTable({ node, all }: { node: NodeAccount; all: Together }) {
	const s = t.value;
	const devices = [
		...new Set(
			node.requests.flatMap(({ cells }) => cells.map(({ device }) => device)),
		),
	];
	if (devices.length === 0) return null;
	const chosen = devices.includes(chosenDevice.value) ? chosenDevice.value : "";
	const MOST = 60;
	return (
		<section>
			<h4>{s.deviceTable}</h4>
			<p class="note">{s.deviceTableNote}</p>
			<div
				class="table-scroll"
				tabIndex={0}
				role="region"
				aria-label={s.deviceTable}
			>
				<table class="device-table">
					<thead>
						<tr>
							<th scope="col">{s.device}</th>
							{node.requests.map((request, index) => (
								<th scope="col" key={index}>
									{request.request}
									{request.sub === null ? "" : `/${request.sub}`}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{devices.slice(0, MOST).map((device) => (
							<tr key={device} class={device === chosen ? "chosen" : ""}>
								<th scope="row">
									<button
										type="button"
										class="link-button"
										aria-expanded={device === chosen}
										title={device}
										onClick={() =>
											(chosenDevice.value = device === chosen ? "" : device)
										}
									>
										{lastPart(device)}
									</button>
								</th>
								{node.requests.map((request, index) => {
									const cell = request.cells.find(
										(other) => other.device === device,
									);
									const good = cell && cell.reason === null;
									return (
										<td key={index}>
											<span
												class={`sign-box verdict-${good ? "Yes" : "No"}`}
												aria-hidden="true"
											>
												{good ? SIGNS.Yes : SIGNS.No}
											</span>
											<span>
												{good ? (
													s.deviceFits
												) : (
													<Ticked text={cell?.text ?? ""} />
												)}
											</span>
										</td>
									);
								})}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			{devices.length > MOST && (
				<p class="note">{s.andMore(devices.length - MOST)}</p>
			)}
			{chosen !== "" && (
				<section class="chosen-device" aria-label={chosen}>
					<h4>
						{s.selectorsOn} <code>{chosen}</code>
					</h4>
					{node.requests.map((request, index) => (
						<Selectors
							key={index}
							request={request}
							device={chosen}
							all={all}
						/>
					))}
				</section>
			)}
		</section>
	);
}

/** Pod, claims, classes, devices, node: with the place where it does not hold. */
function Picture({
	account,
	node,
	pod,
}: {
	account: Told;
	node: NodeAccount;
	pod: string;
}) {
	const s = t.value;
	const claims =
		account.claims.length > 0
			? account.claims
			: [...new Set(node.requests.map(({ claim }) => claim))];
	const results = (node.allocations ?? []).map(
		({ devices }) => devices.results ?? [],
	);
	return (
		<div class="chains" role="group" aria-label={s.picture}>
			{claims.map((claim, at) => {
				const requests = node.requests.filter(
					(request) => request.claim === claim,
				);
				const failing = requests.find((request) => request.why !== "");
				const given = (results[at] ?? []).map(({ device }) => device);
				const fits = node.verdict === "allocated";
				const links = [
					...(pod === ""
						? []
						: [{ kind: "Pod", name: lastPart(pod), broken: false }]),
					{ kind: "ResourceClaim", name: lastPart(claim), broken: false },
					{
						kind: "DeviceClass",
						name: [...new Set(requests.map((request) => request.class))].join(
							", ",
						),
						broken: false,
					},
					{
						kind: s.devicesWord,
						name: given.length > 0 ? some(given, 3) : s.noneFound,
						broken:
							!fits &&
							(failing !== undefined ||
								node.conflicts.length > 0 ||
								claims.length === 1),
					},
					{ kind: "Node", name: node.name, broken: false },
				].filter(({ kind, name }) => kind !== "DeviceClass" || name !== "");
				return (
					<ol class="chain" key={claim}>
						{links.map((link, index) => (
							<li key={link.kind} class={link.broken ? "broken" : ""}>
								<span class="chain-box">
									<span class="note">{link.kind}</span>
									<b>{link.name}</b>
								</span>
								{index < links.length - 1 && (
									<span class="chain-arrow">
										{link.broken ? <Icon name="cross" size={14} /> : "→"}
										{link.broken && <span class="sr">{s.chainBroken}</span>}
									</span>
								)}
							</li>
						))}
					</ol>
				);
			})}
		</div>
	);
}

function Facts({ title, lines }: { title: string; lines: readonly string[] }) {
	if (lines.length === 0) return null;
	return (
		<section aria-label={title}>
			<h4>{title}</h4>
			<ul class="facts">
				{lines.map((line) => (
					<li key={line}>
						<Ticked text={line} />
					</li>
				))}
			</ul>
		</section>
	);
}

const SIGN: Record<NodeAccount["verdict"], keyof typeof SIGNS> = {
	allocated: "Yes",
	none: "No",
	unavailable: "No",
	refused: "No",
	error: "Error",
	"node-error": "Error",
	undecided: "Possible",
};

/** Why a pod gets its devices on a node, or none. */
export function Account({
	account,
	pod,
	name,
	all,
}: {
	account: Told;
	pod: string;
	name: string;
	all: Together;
}) {
	const s = t.value;
	const { node, before } = account;
	const help = before?.help ?? node?.help;
	const met = node ? metVerdict(node) : "none";
	const verdict = SIGN[met];
	const message = node?.message ?? before?.message ?? "";
	useEffect(() => {
		const first =
			node?.requests.find((request) => request.why !== "") ?? node?.requests[0];
		const place = first?.range && all.locate(first.range);
		if (place) mark(place.file.id, [place.range]);
		announce(s.cell(name, pod, s.verdicts[verdict]));
	}, [account]);
	const title = useRef<HTMLHeadingElement>(null);
	useShown(title, account, `${pod} ${name}`);
	return (
		<section class="cell-detail account" aria-label={`${name}, ${pod}`}>
			<h3 class="cell-title" ref={title}>
				<span class={`sign-box verdict-${verdict}`} aria-hidden="true">
					{SIGNS[verdict]}
				</span>
				<span>
					{name} <span class="muted">×</span> {pod || s.claimsWithoutPod}:{" "}
					<b>{s.allocationVerdicts[met]}</b>
				</span>
				<span class="finding-tools">
					<button
						type="button"
						class="button icon-only quiet"
						aria-label={s.linkAnswer}
						title={s.linkAnswer}
						onClick={() => void copyLink({ pod: pod || "-", node: name })}
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
								void accountMarkdown(node, pod).then((text) =>
									copyText(text, t.peek().copyMarkdownDone),
								)
							}
						>
							<Icon name="copy" size={14} />
						</button>
					)}
				</span>
			</h3>
			{message && (
				<p class="scheduler-says">
					{s.schedulerSays}: <code>{message}</code>
				</p>
			)}
			{help && (
				<p>
					<Ticked text={help} />
				</p>
			)}
			{node?.fatal && met === node.verdict && (
				<p class="bad-text">{s.fatalNote}</p>
			)}
			{node && (
				<>
					<Picture account={account} node={node} pod={pod} />
					<Relaxations account={account} node={node} all={all} />
					<Suppositions node={node} />
					{node.requests.map((request, index) => (
						<Request
							key={index}
							request={request}
							all={all}
							single={account.claims.length < 2}
						/>
					))}
					<Facts
						title={s.nodeResources}
						lines={(node.resources ?? []).map(({ text }) => text)}
					/>
					<Facts
						title={s.conflicts}
						lines={node.conflicts.map(({ text }) => text)}
					/>
					<Facts
						title={s.holders}
						lines={node.holders.map(({ device, claim, pods, share }) =>
							s.heldBy(
								lastPart(device),
								claim,
								pods,
								Object.entries(share)
									.map(([key, value]) => `${key} ${value}`)
									.join(", "),
							),
						)}
					/>
					<Facts
						title={s.charges}
						lines={node.charges.map(
							({ device, name: capacity, asked, charged, left }) =>
								s.charged(
									lastPart(device),
									capacity,
									asked ?? "",
									charged,
									left,
								),
						)}
					/>
					<Facts
						title={s.pools}
						lines={node.pools
							.filter(
								({ state, ignored }) => state !== "ok" || ignored.length > 0,
							)
							.map(
								({ pool, state, have, want, reason, ignored }) =>
									`\`${pool}\`: ${s.poolStates[state]}${want > have ? ` (${have}/${want})` : ""}${reason ? `: ${reason}` : ""}${ignored.map(({ slice, why }) => `; ${slice}: ${why}`).join("")}`,
							)}
					/>
					<DeviceTable node={node} all={all} />
					<Facts
						title={s.otherPlugins}
						lines={otherRefusals(node).map(
							({ plugin, reasons, why }) =>
								`${plugin}: \`${reasons.join("; ")}\`${why.length > 0 ? ` – ${why.join("; ")}` : ""}`,
						)}
					/>
					{alone.value && <p class="note">{s.notLookedAt}</p>}
				</>
			)}
		</section>
	);
}
