import type { AuditAnswer, Finding, UpgradeAnswer } from "claimkit";

/** An audit as the page shows it, without the objects of the cluster. */
export interface Audited
	extends Pick<AuditAnswer, "release" | "usage" | "rulesOf"> {
	findings: Finding[];
	findingCount: number;
	/** Whether anything was there to be looked at. */
	empty: boolean;
}

const MOST_FINDINGS = 2_000;
/** The code of the finding for a text without slices and claims. */
const NOTHING = "nothing-checked";

export function audited({
	release,
	usage,
	rulesOf,
	findings,
}: AuditAnswer): Audited {
	const rank = { error: 0, warning: 1, info: 2 };
	const worst = [...findings].sort(
		(a, b) => rank[a.severity] - rank[b.severity],
	);
	return {
		release,
		usage,
		...(rulesOf ? { rulesOf } : {}),
		findings: worst.slice(0, MOST_FINDINGS),
		findingCount: findings.length,
		empty: findings.some(({ code }) => code === NOTHING),
	};
}

/** An upgrade as the page shows it. */
export interface Upgraded extends Pick<UpgradeAnswer, "from" | "to"> {
	/** One for each kind of problem, after what is wrong with the texts. */
	findings: Finding[];
	troubles: number;
}

/** Objects that a server has stored have a resourceVersion, which nothing but metadata has; others are manifests. */
export const isStored = (text: string): boolean =>
	/(?:^[\s-]*|[{,]\s*)"?resourceVersion"?: *["'\w]/m.test(text);

export const upgraded = ({
	from,
	to,
	findings,
	troubles,
}: UpgradeAnswer): Upgraded => ({
	from,
	to,
	findings,
	troubles: troubles.length,
});

const SUFFIX: Record<string, number> = {
	n: 1e-9,
	u: 1e-6,
	m: 1e-3,
	"": 1,
	k: 1e3,
	M: 1e6,
	G: 1e9,
	T: 1e12,
	P: 1e15,
	E: 1e18,
	Ki: 2 ** 10,
	Mi: 2 ** 20,
	Gi: 2 ** 30,
	Ti: 2 ** 40,
	Pi: 2 ** 50,
	Ei: 2 ** 60,
};

/** The size of a quantity, good enough for the width of a bar; what is shown is the quantity itself. */
export function roughly(quantity: string | undefined): number {
	const found = /^([+-]?[\d.]+)(?:e([+-]?\d+)|([A-Za-z]*))$/i.exec(
		quantity ?? "",
	);
	if (!found) return 0;
	return (
		Number(found[1]) *
		(found[2] === undefined
			? (SUFFIX[found[3] ?? ""] ?? 1)
			: 10 ** Number(found[2]))
	);
}
