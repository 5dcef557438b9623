import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n/index.ts";
import { Icon } from "./Icon.tsx";

interface Props {
	title: string;
	onClose: () => void;
	wide?: boolean;
	children: (close: () => void) => ComponentChildren;
}

/** A modal dialog of the browser's own: it traps the focus, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, wide = false, children }: Props) {
	const element = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		if (!element.current?.open) element.current?.showModal();
	}, []);
	const close = () => element.current?.close();
	return (
		<dialog
			ref={element}
			class={wide ? "dialog wide" : "dialog"}
			aria-label={title}
			onClose={onClose}
			onPointerDown={(event) => {
				// The backdrop belongs to the dialog's own box.
				const box =
					event.target === element.current
						? element.current?.getBoundingClientRect()
						: undefined;
				if (!box) return;
				if (
					event.clientX < box.left ||
					event.clientX > box.right ||
					event.clientY < box.top ||
					event.clientY > box.bottom
				)
					close();
			}}
		>
			<header class="dialog-head">
				<h2>{title}</h2>
				<button
					type="button"
					class="button icon-only quiet"
					aria-label={t.value.close}
					title={t.value.close}
					onClick={close}
				>
					<Icon name="cross" size={13} />
				</button>
			</header>
			{children(close)}
		</dialog>
	);
}
