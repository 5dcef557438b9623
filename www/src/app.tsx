import { effect } from "@preact/signals";
import { render } from "preact";
import { languageReady } from "./i18n/index.ts";
import { watchArrivals } from "./state/arrivals.ts";
import { keepChecking } from "./state/checks.ts";
import { watchConfig } from "./state/config.ts";
import { keepDrafts } from "./state/draft.ts";
import { watchClusters } from "./state/firstcluster.ts";
import { workOffline } from "./state/offline.ts";
import { applyTheme, embedded } from "./state/options.ts";
import { printWhole } from "./state/printing.ts";
import { begin, followLinks, openEarly, openFirst } from "./state/session.ts";
import { App } from "./ui/App.tsx";

effect(applyTheme);
await languageReady;
// Whatever a browser refuses, or an address asks for: the page opens.
const { tab } = await begin().catch((error: unknown) => {
	console.error(error);
	return openFirst();
});
keepChecking();
watchConfig();
watchClusters();
watchArrivals();
if (!embedded.peek()) keepDrafts(tab);
followLinks();
workOffline();
printWhole();
const root = document.getElementById("app");
if (root) {
	root.replaceChildren();
	render(<App />, root);
	(window as { claimkitShown?: () => void }).claimkitShown?.();
	void openEarly();
}
