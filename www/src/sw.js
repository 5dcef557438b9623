// The page and its Wasm module from the cache, so that it works without a network after the first visit.
// The build fills in the two constants; a changed build has another version and replaces the whole cache at once.
const VERSION = "__VERSION__";
/** Every file with the hash of its contents. */
const FILES = __FILES__;
// Several copies may live below different paths of one origin and share its cache storage.
const OURS = `claimkit ${self.registration.scope} `;
const CACHE = OURS + VERSION;
/** The entry of a cache with the hashes of its files. */
const HASHES = "./claimkit-files.json";
/** The number of files fetched at a time. */
const AT_ONCE = 8;

/** Returns the files left by former builds, with their hashes. */
async function former() {
	const names = (await caches.keys()).filter(
		(name) => name.startsWith(OURS) && name !== CACHE,
	);
	return Promise.all(
		names.map(async (name) => {
			const cache = await caches.open(name);
			const hashes = await cache.match(HASHES);
			return { cache, hashes: hashes ? await hashes.json() : {} };
		}),
	);
}

/** Puts a file in place: from a former build where it is the same, else from the browser's own cache or the network. */
async function fill(cache, caches_, file, hash) {
	for (const { cache: old, hashes } of caches_) {
		const kept = hashes[file] === hash ? await old.match(file) : undefined;
		if (kept) return cache.put(file, kept);
	}
	// The names of assets hold their contents' hash: what the page has loaded already is not asked for again. Others are asked
	// whether they changed.
	const response = await fetch(file, {
		cache: file.startsWith("assets/") ? "default" : "no-cache",
	});
	if (!response.ok) throw new Error(`${file}: ${response.status}`);
	return cache.put(file, response);
}

self.addEventListener("install", (event) => {
	const install = async () => {
		const cache = await caches.open(CACHE);
		const caches_ = await former();
		const left = Object.entries(FILES);
		const work = async () => {
			for (let next = left.pop(); next; next = left.pop())
				await fill(cache, caches_, next[0], next[1]);
		};
		await Promise.all(Array.from({ length: AT_ONCE }, work));
		await cache.put(
			HASHES,
			new Response(JSON.stringify(FILES), {
				headers: { "content-type": "application/json" },
			}),
		);
	};
	event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
	event.waitUntil(
		caches
			.keys()
			.then((names) =>
				Promise.all(
					names
						.filter((name) => name.startsWith(OURS) && name !== CACHE)
						.map((name) => caches.delete(name)),
				),
			)
			.then(() => self.clients.claim()),
	);
});

// A new version waits until the person asks for it, so that an open page never loses the files it was built with.
self.addEventListener("message", (event) => {
	if (event.data === "activate") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
	const { request } = event;
	if (
		request.method !== "GET" ||
		new URL(request.url).origin !== self.location.origin
	)
		return;
	event.respondWith(answer(request));
});

/** Returns what the cache has for an address. A folder's page has two names, and the cache has one of them. */
function cached(cache, address) {
	const url = new URL(address);
	const scope = new URL(self.registration.scope).pathname;
	if (url.pathname === `${scope}index.html`) url.pathname = scope;
	else if (url.pathname.endsWith("/") && url.pathname !== scope)
		url.pathname += "index.html";
	return cache.match(url.href, { ignoreSearch: true });
}

async function answer(request) {
	const cache = await caches.open(CACHE);
	const hit = await cached(cache, request.url);
	if (hit) return hit;
	// Without a network a page that is there in English alone is shown in English.
	const english = new URL(request.url);
	english.pathname = english.pathname.replace(/\/zh\/([^/]*\.html)?$/, "/$1");
	return english.href === request.url
		? fetch(request)
		: fetch(request).catch(
				async (error) =>
					(await cached(cache, english.href)) ?? Promise.reject(error),
			);
}
