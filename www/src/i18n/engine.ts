import type { Origin } from "../contract.ts";
/** Placeholder */
export function told(text: string, _origin: Origin = "claimkit"): string { return text; }
