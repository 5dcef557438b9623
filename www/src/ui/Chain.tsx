import type { ClaimCheck, ClaimVerdict, NodeVerdict } from "claimkit";
import { t } from "../i18n/index.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

interface Link {
	kind: string;
	name: string;
	/** Whether the way from here to the next one is broken. */
	broken: boolean;
}

const fails = (claim: ClaimVerdict, ...checks: ClaimCheck["check"][]) =>
	claim.checks.some(
		({ check, holds }) => holds === false && checks.includes(check),
	);

/** From the pod to the node, with the place where it does not hold. */
function links(
	claim: ClaimVerdict,
	node: NodeVerdict,
	subject: { kind: string; name: string },
): Link[] {
	const chain: Link[] = [];
	if (subject.kind === "Pod")
		chain.push({
			kind: "Pod",
			name: subject.name,
			broken: fails(claim, "exists", "owner", "context"),
		});
	if (claim.claim)
		chain.push({
			kind: "ResourceClaim",
			name: claim.claim.split("/").pop() ?? "",
			broken: fails(claim, "class", "deleted", "deallocation", "inUse"),
		});
	if (claim.class)
		chain.push({ kind: "ResourceClass", name: claim.class, broken: false });
	const last = chain.at(-1);
	const before = chain.some(({ broken }) => broken);
	if (last && !before && (claim.verdict === "No" || claim.verdict === "Error"))
		last.broken = true;
	chain.push({ kind: "Node", name: node.name, broken: false });
	return chain;
}

/** Shows the references between the objects: pod → claim → class → node, with the broken one marked. */
export function Chain({
	node,
	subject,
}: {
	node: NodeVerdict;
	subject: { kind: string; name: string };
}) {
	const s = t.value;
	return (
		<div class="chains" role="group" aria-label={s.picture}>
			{(node.claims ?? []).map((claim, index) => (
				<ol class="chain" key={index}>
					{links(claim, node, subject).map((link) => (
						<li key={link.kind} class={link.broken ? "broken" : ""}>
							<span class="chain-box">
								<span class="note">{link.kind}</span>
								<b>
									<Visible text={link.name || "—"} />
								</b>
							</span>
							{link.kind !== "Node" && (
								<span class="chain-arrow">
									{link.broken ? <Icon name="cross" size={14} /> : "→"}
									{link.broken && <span class="sr">{s.chainBroken}</span>}
								</span>
							)}
						</li>
					))}
				</ol>
			))}
		</div>
	);
}
