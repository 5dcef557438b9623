import type { ShortAnswer } from "../engine/report.ts";
import { t } from "../i18n/index.ts";

export interface Verdict {
	tone: "good" | "bad" | "none";
	text: string;
}

/** Returns who decides: the first of kubectl and the API server that has an error. */
export function verdictOf(answer: ShortAnswer): Verdict {
	const s = t.value;
	const { errors, warnings, infos, kubectl, server } = answer.counts;
	if (
		answer.among &&
		errors === 0 &&
		!answer.objects.some(({ valid }) => typeof valid === "boolean")
	)
		return {
			tone: "none",
			text: warnings > 0 ? s.referencesBad(warnings) : s.referencesGood,
		};
	if (
		!answer.ok &&
		(answer.findings.some((finding) => finding.code === "nothing-checked") ||
			errors === 0)
	)
		return { tone: "none", text: s.nothingChecked };
	for (const [origin, own] of [
		["kubectl", kubectl],
		["kube-apiserver", server],
	] as const) {
		if (own.all === 0) continue;
		const first = own.now || own.all;
		// Errors that appear only after the first one is fixed: from kubectl, and from the server behind it.
		return {
			tone: "bad",
			text: s.refuse(s.subjects[origin], first, answer.counts.theirs - first),
		};
	}
	if (errors > 0) return { tone: "bad", text: s.problemsHere(errors) };
	const remarks = warnings + infos;
	const who = s.subjects["kube-apiserver"];
	return {
		tone: "good",
		text: remarks > 0 ? s.acceptWarn(who, remarks) : s.accept(who),
	};
}
