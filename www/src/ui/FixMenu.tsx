import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import {
	applyFix,
	caretPlace,
	fixMenu,
	focusEditor,
} from "../editor/editor.ts";
import { lang, t } from "../i18n/index.ts";
import { activeId } from "../state/files.ts";
import { Ticked } from "./Ticked.tsx";

/** The fixes for the line the cursor is in, as a list at the cursor. */
export function FixMenu() {
	const s = t.value;
	const box = useRef<HTMLDivElement>(null);
	const found = fixMenu.value;
	useLayoutEffect(() => {
		const element = box.current;
		if (!found || !element) return;
		const caret = caretPlace();
		const { width, height } = element.getBoundingClientRect();
		const below = (caret?.bottom ?? 80) + 4;
		const top =
			below + height <= innerHeight - 8
				? below
				: Math.max(8, (caret?.top ?? 80) - height - 4);
		element.style.top = `${top}px`;
		element.style.left = `${Math.max(8, Math.min(caret?.left ?? 80, innerWidth - width - 8))}px`;
		element.querySelector("button")?.focus();
	}, [found]);
	useEffect(() => {
		if (!found) return undefined;
		const outside = (event: Event) => {
			if (box.current && !event.composedPath().includes(box.current))
				fixMenu.value = null;
		};
		document.addEventListener("pointerdown", outside);
		return () => document.removeEventListener("pointerdown", outside);
	}, [found]);
	if (!found) return null;
	const close = () => {
		fixMenu.value = null;
		focusEditor();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Escape" || event.key === "Tab") {
			event.preventDefault();
			close();
			return;
		}
		if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
		event.preventDefault();
		const items = [...(box.current?.querySelectorAll("button") ?? [])];
		const at = items.indexOf(event.target as HTMLButtonElement);
		items[
			(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length
		]?.focus();
	};
	return (
		<div
			ref={box}
			class="fix-menu menu"
			role="menu"
			aria-label={s.fixes}
			onKeyDown={onKeyDown}
		>
			{found.flatMap((finding) =>
				finding.fixes.map((fix, index) => (
					<button
						type="button"
						role="menuitem"
						class="menu-item two-lines"
						key={`${finding.code} ${index}`}
						onClick={() => {
							close();
							applyFix(activeId.peek(), finding, index);
						}}
					>
						<b>
							<Ticked text={fix.title} />
						</b>
						<span lang={finding.origin === "claimkit" ? lang.value : "en"}>
							{finding.message}
						</span>
					</button>
				)),
			)}
		</div>
	);
}
