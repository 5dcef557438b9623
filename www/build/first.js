// Before the first paint, so that a remembered theme or language never flashes by, nor an example that is not what was here last.
(() => {
	const root = document.documentElement;
	try {
		const theme = localStorage.getItem("claimkit.theme");
		if (theme === "light" || theme === "dark") root.dataset.theme = theme;
		const lang = localStorage.getItem("claimkit.lang");
		if (lang === "zh-Hans" || (!lang && /^zh\b/i.test(navigator.language)))
			root.lang = "zh-Hans";
		if (localStorage.getItem("claimkit.visited")) root.dataset.visited = "";
	} catch {
		// Storage may be switched off; the system's theme is then used.
	}
	if (location.hash) root.dataset.visited = "";
	root.dataset.scripts = "";
	// An error before the page is shown must not look as if the page were still starting.
	const fail = (event) => {
		// A picture or a style that is missing stops nothing.
		if (event?.target?.tagName && event.target.tagName !== "SCRIPT") return;
		root.dataset.failed = "";
	};
	const slow = setTimeout(fail, 60000);
	addEventListener("error", fail, true);
	addEventListener("unhandledrejection", fail);
	window.claimkitShown = () => {
		clearTimeout(slow);
		removeEventListener("error", fail, true);
		removeEventListener("unhandledrejection", fail);
		delete root.dataset.failed;
	};
	// What is pasted or dropped before the page's code is there is kept for it, and not opened by the browser.
	const early = { given: [] };
	const keep = (event) => {
		const given = event.clipboardData ?? event.dataTransfer;
		if (!given) return;
		event.preventDefault();
		// Both lists are empty once the event is over.
		const entries = [...given.items].map(
			(item) => item.webkitGetAsEntry?.() ?? null,
		);
		early.given.push({
			text: event.clipboardData?.getData("text/plain") ?? "",
			files: [...given.files],
			items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
		});
		// The answer about the example is not about this.
		root.dataset.visited = "";
	};
	const allow = (event) => event.preventDefault();
	const heard = [
		["paste", keep],
		["drop", keep],
		["dragover", allow],
	];
	for (const [type, hear] of heard) addEventListener(type, hear);
	early.end = () => {
		for (const [type, hear] of heard) removeEventListener(type, hear);
	};
	window.claimkitEarly = early;
	// The engine gets ready beside everything else; what it says before the page's code is there is kept for it.
	const { worker: address, module: moduleAddress } = __ADDRESSES__;
	if (address) {
		// Its module is asked for here: the worker could do so only after its own code has come.
		const compiled = WebAssembly.compileStreaming?.(fetch(moduleAddress));
		const worker = new Worker(address, {
			type: "module",
			name: compiled ? "claimkit, module follows" : "claimkit",
		});
		compiled?.then(
			(module) => worker.postMessage({ module }),
			// The worker asks again, and says why that fails.
			() => worker.postMessage({ module: null }),
		);
		const started = { worker: worker, heard: [] };
		worker.onmessage = (event) => {
			started.heard.push(event.data);
		};
		worker.onerror = () => {
			// The page's code starts another one, and shows why that fails.
			started.worker = null;
		};
		window.claimkitStarted = started;
	}
})();
