import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../i18n/index.ts";
import { recall, remember } from "../state/storage.ts";

const LEAST = 25;
const MOST = 75;
const MIDDLE = 48;

/** The editor's share of the page in per cent, of the width or (on a narrow page) of the height. */
export const share = signal(clamp(Number(recall("split") ?? MIDDLE)));

function clamp(value: number): number {
	return Number.isFinite(value)
		? Math.min(MOST, Math.max(LEAST, value))
		: MIDDLE;
}

function set(value: number): void {
	share.value = clamp(value);
	remember("split", share.value.toFixed(1));
}

export function Splitter({ stacked }: { stacked: boolean }) {
	const bar = useRef<HTMLDivElement>(null);
	const move = (event: PointerEvent) => {
		const area = bar.current?.parentElement?.getBoundingClientRect();
		if (!area || !bar.current?.hasPointerCapture(event.pointerId)) return;
		set(
			stacked
				? ((event.clientY - area.top) / area.height) * 100
				: ((event.clientX - area.left) / area.width) * 100,
		);
	};
	return (
		<div
			ref={bar}
			class="splitter"
			role="separator"
			tabIndex={0}
			aria-orientation={stacked ? "horizontal" : "vertical"}
			aria-label={t.value.resize}
			aria-valuemin={LEAST}
			aria-valuemax={MOST}
			aria-valuenow={Math.round(share.value)}
			onPointerDown={(event) => {
				event.preventDefault();
				bar.current?.setPointerCapture(event.pointerId);
			}}
			onPointerMove={move}
			onDblClick={() => set(MIDDLE)}
			onKeyDown={(event) => {
				const step = {
					ArrowLeft: -2,
					ArrowUp: -2,
					ArrowRight: 2,
					ArrowDown: 2,
					Home: -100,
					End: 100,
				}[event.key];
				if (step === undefined) return;
				event.preventDefault();
				set(share.value + step);
			}}
		/>
	);
}
