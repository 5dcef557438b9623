// The page and its Wasm module from the cache, so that it works without a network after the first visit.
// The build fills in the two constants; a changed build has another version and replaces the whole cache at once.
const VERSION = "__VERSION__";
const FILES = __FILES__;
// Several copies may live below different paths of one origin and share its cache storage.
const OURS = `claimkit ${self.registration.scope} `;
const CACHE = OURS + VERSION;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// A new version waits until the person asks for it, so that an open page never loses the files it was built with.
self.addEventListener("message", (event) => {
  if (event.data === "activate") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  const hit = await cache.match(request, { ignoreSearch: true });
  if (hit) return hit;
  // The page under its other name.
  const scope = new URL(self.registration.scope).pathname;
  const page = new URL(request.url).pathname === `${scope}index.html` ? await cache.match("./") : undefined;
  return page ?? fetch(request);
}
