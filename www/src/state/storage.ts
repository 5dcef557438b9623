import { effect, type Signal, signal } from "@preact/signals";

/** Reads what this page remembered; storage may be switched off or hold something else. */
export function recall(name: string): string | null {
	try {
		return localStorage.getItem(`claimkit.${name}`);
	} catch {
		return null;
	}
}

/** Remembers a value; answers false when there is no room or no storage. */
export function remember(name: string, value: string | null): boolean {
	try {
		if (value === null) localStorage.removeItem(`claimkit.${name}`);
		else localStorage.setItem(`claimkit.${name}`, value);
		return true;
	} catch {
		return false;
	}
}

/** Whether this browser keeps anything for the page: a person may have switched it off. */
export function canRemember(): boolean {
	try {
		return typeof localStorage.length === "number";
	} catch {
		return false;
	}
}

/** A signal whose value is one of `allowed` and survives the visit. */
export function remembered<T extends string>(
	name: string,
	allowed: readonly T[],
	first: T,
): Signal<T> {
	const kept = recall(name) as T | null;
	const value = signal<T>(
		kept !== null && allowed.includes(kept) ? kept : first,
	);
	let initial = true;
	effect(() => {
		const now = value.value;
		if (!initial) remember(name, now);
		initial = false;
	});
	return value;
}
