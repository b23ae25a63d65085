// Service worker for offline use. It caches only the files of one release, the same for every reader of a language, so
// the cache tells nothing else about the person using the phone. It never caches an API response or user text; drafts
// are in local storage, under the account (features/vents/compose/drafts.ts).
const { version, core, rest, languages } = __RELEASE__;
const cacheName = `unsaid-${version}`;
const own = new Set([...core, ...rest, ...Object.values(languages).flat()]);
const shell = '/';
const networkTimeoutMs = 3000;

async function cacheFile(path) {
  const cache = await caches.open(cacheName);
  if (await cache.match(path)) return;
  const response = await fetch(path, path.startsWith('/assets/') ? {} : { cache: 'reload' });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // A page of another release would request files that are not listed.
  if (path === shell && !(await response.clone().text()).includes(`content="${version}"`)) {
    throw new Error('the page is of another release');
  }
  await cache.put(path, response);
}

/** Sequentially, because the page may need the connection. */
async function cacheRest(language) {
  for (const path of [...rest, ...(languages[language] ?? [])]) await cacheFile(path).catch(() => undefined);
}

async function deleteOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
}

async function countOpenPages() {
  return (await clients.matchAll({ type: 'window', includeUncontrolled: true })).length;
}

addEventListener('install', (event) => {
  // If supported, API calls bypass the service worker.
  if (event.addRoutes) {
    const toNetwork = (pathname) => ({
      condition: { urlPattern: new URLPattern({ pathname }) },
      source: 'network',
    });
    event.waitUntil(event.addRoutes([toNetwork('/api/*'), toNetwork('/avatars/*')]).catch(() => undefined));
  }
  event.waitUntil(Promise.all(core.map(cacheFile)));
});

addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      await registration.navigationPreload?.enable();
      await clients.claim();
      // Another tab may still run the previous release and need its files.
      if ((await countOpenPages()) < 2) await deleteOldCaches();
    })(),
  );
});

addEventListener('message', (event) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (event.data === 'version') event.source.postMessage({ version });
  if (event.data === 'activate') skipWaiting();
  if (event.data.startsWith('rest ')) event.waitUntil(cacheRest(event.data.slice('rest '.length)));
});

/** Marks in the cache of this release that there is another one. */
const behind = '/behind';
const markBehind = async () => (await caches.open(cacheName)).put(behind, new Response());

async function fetchPage(event, signal) {
  return (await event.preloadResponse) ?? fetch(event.request, { signal });
}

/**
 * The cached page at once, on any connection. Once another release was seen, the network comes first again: a page is at
 * most one visit old.
 */
async function answerPage(event) {
  const cache = await caches.open(cacheName);
  const cached = await cache.match(shell);
  if (!cached || registration.waiting || (await cache.match(behind))) return networkFirst(event);
  event.waitUntil(refreshPage(event, cache, cached.clone()).catch(() => undefined));
  return cached;
}

/** The page can change within a release: the server tells in it what a restore has lost. */
async function refreshPage(event, cache, cached) {
  const response = await fetchPage(event);
  if (!response.ok) return;
  const text = await response.text();
  if (!text.includes(`content="${version}"`)) await markBehind();
  else if (text !== (await cached.text())) {
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    // A copy, without the address, which would tell what somebody opened.
    await cache.put(shell, new Response(text, { headers }));
  }
}

/** Network first, with a timeout. Falls back to the cached page. */
async function networkFirst(event) {
  const abort = new AbortController();
  const network = fetchPage(event, abort.signal);
  const timeout = new Promise((done) => setTimeout(done, networkTimeoutMs));
  const response = await Promise.race([network, timeout]).catch(() => undefined);
  if (response && response.status < 500) return response;
  const cached = await caches.match(shell, { cacheName });
  // An abandoned request would delay the next one for the same page.
  if (cached) abort.abort();
  return cached ?? network;
}

async function cacheFirst(request, path) {
  const cached = (await caches.match(path, { cacheName })) ?? (await caches.match(path));
  if (cached) return cached;
  const response = await fetch(request);
  // The server has another release, and these files no more: the next page comes from there.
  if (response.status === 404 && own.has(path)) await markBehind();
  if (response.ok && own.has(path)) {
    const copy = response.clone();
    const cache = await caches.open(cacheName);
    await cache.put(path, copy);
  }
  return response;
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') {
    if (/^\/(?:api|avatars|dev)\/|\.\w+$/u.test(pathname)) return;
    event.respondWith(answerPage(event));
    event.waitUntil(countOpenPages().then((count) => (count === 0 ? deleteOldCaches() : undefined)));
  } else if (own.has(pathname + search) || pathname.startsWith('/assets/')) {
    event.respondWith(cacheFirst(request, pathname + search));
  }
});
