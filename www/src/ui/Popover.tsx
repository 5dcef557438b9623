import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
	/** The contents of the button. */
	button: ComponentChildren;
	label: string;
	buttonClass?: string;
	align?: "start" | "end";
	wide?: boolean;
	children: (close: () => void) => ComponentChildren;
}

const FOCUSABLE = "button:not([disabled]), a[href], input, select, textarea";

/** A button that opens a panel. Escape and a click elsewhere close it; arrow keys move through it. */
export function Popover({
	button,
	label,
	buttonClass = "button",
	align = "start",
	wide = false,
	children,
}: Props) {
	const [open, setOpen] = useState(false);
	const id = useId();
	const trigger = useRef<HTMLButtonElement>(null);
	const panel = useRef<HTMLDivElement>(null);

	const close = () => {
		setOpen(false);
		trigger.current?.focus();
	};

	// Moves the focus before the next key can arrive.
	useLayoutEffect(() => {
		if (!open) return undefined;
		const first =
			panel.current?.querySelector<HTMLElement>(
				"[data-first], input:checked",
			) ?? panel.current?.querySelector<HTMLElement>(FOCUSABLE);
		first?.focus();
		const outside = (event: Event) => {
			const path = event.composedPath();
			if (
				panel.current &&
				!path.includes(panel.current) &&
				trigger.current &&
				!path.includes(trigger.current)
			)
				setOpen(false);
		};
		document.addEventListener("pointerdown", outside);
		document.addEventListener("focusin", outside);
		return () => {
			document.removeEventListener("pointerdown", outside);
			document.removeEventListener("focusin", outside);
		};
	}, [open]);

	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Escape") {
			event.stopPropagation();
			close();
			return;
		}
		const target = event.target as HTMLElement;
		if (
			(event.key !== "ArrowDown" && event.key !== "ArrowUp") ||
			target.matches("input, select, textarea")
		)
			return;
		const items = [
			...(panel.current?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? []),
		];
		const at = items.indexOf(target);
		const next =
			items[
				(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) %
					items.length
			];
		event.preventDefault();
		next?.focus();
	};

	return (
		<div class="popover">
			<button
				ref={trigger}
				type="button"
				class={buttonClass}
				aria-expanded={open}
				aria-haspopup="dialog"
				aria-controls={open ? id : undefined}
				aria-label={label}
				title={label}
				onClick={() => setOpen(!open)}
			>
				{button}
			</button>
			{open && (
				<div
					ref={panel}
					id={id}
					role="dialog"
					aria-label={label}
					class={`popover-panel ${align}${wide ? " wide" : ""}`}
					onKeyDown={onKeyDown}
				>
					{children(close)}
				</div>
			)}
		</div>
	);
}
