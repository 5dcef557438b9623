/** The panels of the page, in the order of their tabs and of their keys: last the one that seldom has a tab. */
export const PANEL_NAMES = [
	"problems",
	"convert",
	"devices",
	"audit",
	"cel",
	"request",
	"policy",
	"nodes",
] as const;
