/** The panels of the page, in the order of their tabs. */
export const PANEL_NAMES = [
	"problems",
	"convert",
	"devices",
	"audit",
	"cel",
	"nodes",
	"request",
	"policy",
] as const;
