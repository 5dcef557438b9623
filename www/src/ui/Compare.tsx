import { useEffect, useRef, useState } from "preact/hooks";
import type { Changes } from "../engine/changes.ts";
import { lang, t } from "../i18n/index.ts";
import { remembered } from "../state/storage.ts";

/** Below this width two columns of YAML cannot be read. */
const TWO_COLUMNS = 540;

/** One text with the changes in it, or two beside each other: the text in the editor is a third copy already. */
const layout = remembered("compare", ["unified", "beside"] as const, "unified");

interface Props {
	before: string;
	after: string;
	beforeLabel: string;
	afterLabel: string;
	/** The differences, where they are known. */
	changes?: Changes;
}

/** A comparison of long texts waits until nobody types: drawing it would delay the next key. */
const LONG = 100_000;
const PAUSE_MS = 400;

/** Shows the changes between two texts. The comparison's code is fetched when the first one is shown. */
export function Compare({
	before,
	after,
	beforeLabel,
	afterLabel,
	changes,
}: Props) {
	const s = t.value;
	const host = useRef<HTMLDivElement>(null);
	const [room, setRoom] = useState<boolean | null>(null);
	useEffect(() => {
		const element = host.current;
		if (!element) return undefined;
		const observer = new ResizeObserver(([entry]) =>
			setRoom((entry?.contentRect.width ?? 0) >= TWO_COLUMNS),
		);
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	const beside = room === null ? null : room && layout.value === "beside";
	useEffect(() => {
		if (beside === null) return undefined; // not measured yet
		let gone = false;
		let shown: { destroy(): void } | undefined;
		const draw = () =>
			void import("../editor/compare.ts").then(({ compare }) => {
				if (!gone && host.current)
					shown = compare(
						host.current,
						before,
						after,
						{ before: beforeLabel, after: afterLabel },
						beside,
						changes,
					);
			});
		const timer = window.setTimeout(draw, before.length > LONG ? PAUSE_MS : 0);
		return () => {
			gone = true;
			clearTimeout(timer);
			shown?.destroy();
		};
	}, [before, after, beforeLabel, afterLabel, beside, lang.value]);
	return (
		<div class="compare">
			{room && (
				<div class="compare-head">
					<span>{beside ? beforeLabel : `${beforeLabel} → ${afterLabel}`}</span>
					{beside && <span>{afterLabel}</span>}
					<button
						type="button"
						class="link-button"
						onClick={() => (layout.value = beside ? "unified" : "beside")}
					>
						{beside ? s.unified : s.beside}
					</button>
				</div>
			)}
			<div ref={host} class="compare-body" />
		</div>
	);
}
