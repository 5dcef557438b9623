// Before the first paint, so that a remembered theme or language never flashes by, nor an example that is not what was here last.
(function () {
	var root = document.documentElement;
	try {
		var theme = localStorage.getItem("claimkit.theme");
		if (theme === "light" || theme === "dark") root.dataset.theme = theme;
		var lang = localStorage.getItem("claimkit.lang");
		if (lang === "zh-Hans" || (!lang && /^zh\b/i.test(navigator.language)))
			root.lang = "zh-Hans";
		if (localStorage.getItem("claimkit.visited")) root.dataset.visited = "";
	} catch (_) {
		// Storage may be switched off; the system's theme is then used.
	}
	if (location.hash) root.dataset.visited = "";
	root.dataset.scripts = "";
	// An error before the page is shown must not look as if the page were still starting.
	var fail = function (event) {
		// A picture or a style that is missing stops nothing.
		if (
			event &&
			event.target &&
			event.target.tagName &&
			event.target.tagName !== "SCRIPT"
		)
			return;
		root.dataset.failed = "";
	};
	var slow = setTimeout(fail, 60000);
	addEventListener("error", fail, true);
	addEventListener("unhandledrejection", fail);
	window.claimkitShown = function () {
		clearTimeout(slow);
		removeEventListener("error", fail, true);
		removeEventListener("unhandledrejection", fail);
		delete root.dataset.failed;
	};
	// The engine gets ready beside everything else; what it says before the page's code is there is kept for it.
	var address = __WORKER__;
	if (address) {
		var worker = new Worker(address, { type: "module", name: "claimkit" });
		var started = { worker: worker, heard: [] };
		worker.onmessage = function (event) {
			started.heard.push(event.data);
		};
		worker.onerror = function () {
			// The page's code starts another one, and shows why that fails.
			started.worker = null;
		};
		window.claimkitStarted = started;
	}
})();
