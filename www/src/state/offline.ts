import { effect, signal } from "@preact/signals";
import { engineState } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { reports } from "./checks.ts";
import { notify } from "./notices.ts";

export const online = signal(navigator.onLine);
/** The service worker holds everything the page needs. */
export const offlineReady = signal(false);

/** Registers the service worker of the built page, so that the page works without a network. */
export function workOffline(): void {
	addEventListener("online", () => (online.value = true));
	addEventListener("offline", () => (online.value = false));
	if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
	// After the engine's first findings: filling the cache must not compete with its module.
	const register = async () => {
		const registration = await navigator.serviceWorker.register("./sw.js", {
			scope: "./",
		});
		void navigator.serviceWorker.ready.then(() => (offlineReady.value = true));
		const offer = (waiting: ServiceWorker | null) => {
			if (!waiting || !navigator.serviceWorker.controller) return;
			notify({
				text: t.peek().newVersion,
				action: {
					label: t.peek().reload,
					run: () => {
						navigator.serviceWorker.addEventListener(
							"controllerchange",
							() => location.reload(),
							{ once: true },
						);
						waiting.postMessage("activate");
					},
				},
			});
		};
		offer(registration.waiting);
		registration.addEventListener("updatefound", () => {
			const coming = registration.installing;
			coming?.addEventListener("statechange", () => {
				if (coming.state === "installed") offer(registration.waiting);
			});
		});
	};
	// A browser may refuse (private windows, storage switched off): the page then works with a network only.
	const stop = effect(() => {
		const state = engineState.value;
		// The answer about the first example is there before the engine is.
		const answered = reports.value.size > 0 && state !== "starting";
		if (!answered && state !== "failed") return;
		queueMicrotask(() => stop());
		void register().catch(() => undefined);
	});
}
