import { effect } from "@preact/signals";
import { render } from "preact";
import { keepChecking } from "./state/checks.ts";
import { keepDrafts } from "./state/draft.ts";
import { workOffline } from "./state/offline.ts";
import { applyTheme, embedded } from "./state/options.ts";
import { begin, followLinks } from "./state/session.ts";
import { App } from "./ui/App.tsx";

effect(applyTheme);
const { tab } = await begin();
keepChecking();
if (!embedded.peek()) keepDrafts(tab);
followLinks();
workOffline();
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
