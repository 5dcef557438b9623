// The losses of conversions, as the Convert panel and its table of a whole project show them.
import type { Finding, Loss, Range } from "claimkit";
import type { Conversion } from "../engine/converted.ts";

/** The code of the findings about the place of each loss. */
export const LOSS = "conversion-loss";

/** Whether a finding is the place of a loss that its object names; others are about comments. */
export const isPlaceOfLoss = ({ code, path }: Finding): boolean =>
	code === LOSS && path !== undefined;

/** Returns an `apiVersion` of the group without the group. */
export const shortName = (version: string) =>
	version.replace("resource.k8s.io/", "");

/** A loss with its object. */
export interface NamedLoss extends Loss {
	/** The object that loses the value. */
	of: string;
	/** Its place; absent where the text has none. */
	range?: Range;
}

/** Returns the losses of an answer with their objects and places in the text. */
export function located(answer: Conversion): NamedLoss[] {
	const places = new Map(
		answer.findings
			.filter(({ code }) => code === LOSS)
			.map((finding) => [
				`${finding.object ?? ""} ${finding.path ?? ""}`,
				finding.range,
			]),
	);
	return answer.objects.flatMap((entry) =>
		entry.losses.map((loss) => {
			const range =
				places.get(`${entry.index} ${loss.path}`) ??
				places.get(` ${loss.path}`);
			const of = `${entry.kind} ${entry.name}`.trim();
			return range ? { ...loss, of, range } : { ...loss, of };
		}),
	);
}
