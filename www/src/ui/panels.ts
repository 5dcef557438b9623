import type { ComponentType } from "preact";
import type { Panel } from "../state/options.ts";

/**
 * Every panel of the page and where its code is. The code comes when the panel is opened for the first time. A new panel needs its
 * name in state/panelnames.ts, its title in `panels` of both languages, and a line here.
 */
export const LOADERS: Record<Panel, () => Promise<ComponentType>> = {
	problems: async () => (await import("./Problems.tsx")).Problems,
	convert: async () => (await import("./Convert.tsx")).Convert,
	devices: async () => (await import("./Devices.tsx")).Devices,
	audit: async () => (await import("./Audit.tsx")).Audit,
	cel: async () => (await import("./Expression.tsx")).Expression,
	nodes: async () => (await import("./Nodes.tsx")).Nodes,
	request: async () => (await import("./Request.tsx")).Request,
	policy: async () => (await import("./Policy.tsx")).Policy,
};
