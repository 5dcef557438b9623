import type { NodeVerdict, RequirementCheck } from "claimkit";

/** Labels to set, and labels to remove (null). */
export type LabelChange = Record<string, string | null>;

/** Returns the label that would meet one requirement; undefined where no label helps. */
function wanted({
	path,
	operator,
	values,
	key,
}: RequirementCheck): LabelChange | undefined {
	if (!path.includes("matchExpressions")) return undefined;
	const [first] = values;
	const number = Number(first);
	switch (operator) {
		case "In":
			return first === undefined ? undefined : { [key]: first };
		case "Exists":
			return { [key]: "" };
		case "NotIn":
		case "DoesNotExist":
			return { [key]: null };
		case "Gt":
			return Number.isSafeInteger(number)
				? { [key]: String(number + 1) }
				: undefined;
		case "Lt":
			return Number.isSafeInteger(number)
				? { [key]: String(number - 1) }
				: undefined;
		default:
			return undefined;
	}
}

/** For each selector that refuses the node: the labels that would make its nearest term match. */
export function labelsFor(node: NodeVerdict): LabelChange | null {
	const change: LabelChange = {};
	for (const claim of node.claims ?? []) {
		for (const check of claim.checks) {
			if (check.check !== "selector" || check.holds !== false || !check.terms)
				continue;
			const { terms, nearestTerm } = check;
			const term = terms.find(({ index }) => index === nearestTerm) ?? terms[0];
			for (const requirement of term?.requirements ?? []) {
				if (requirement.holds === true) continue;
				const labels = wanted(requirement);
				if (!labels) return null;
				Object.assign(change, labels);
			}
		}
	}
	return Object.keys(change).length > 0 ? change : null;
}

export function withLabels(
	labels: Record<string, string>,
	change: LabelChange,
): Record<string, string> {
	const result = { ...labels };
	for (const [key, value] of Object.entries(change)) {
		if (value === null) delete result[key];
		else result[key] = value;
	}
	return result;
}

/** The change as what to type. */
export function labelCommand(node: string, change: LabelChange): string {
	const words = Object.entries(change).map(([key, value]) =>
		value === null ? `${key}-` : `${key}=${value}`,
	);
	return `kubectl label node ${node} ${words.join(" ")}${Object.values(change).some((value) => value !== null) ? " --overwrite" : ""}`;
}
