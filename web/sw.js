// Opens Unsaid without a connection. What a stranger with the same phone finds here is what every visitor of
// the site is sent: the files of one release, by the list below. No answer to a call is ever kept, and none
// of somebody's words: those live in the page's own storage, under their account (lib/drafts.ts).
const { version, core, rest } = __RELEASE__;
const cacheName = `unsaid-${version}`;
const own = new Set([...core, ...rest]);
const shell = '/';
const patienceMs = 3000;

async function keep(path) {
  const cache = await caches.open(cacheName);
  if (await cache.match(path)) return;
  const answer = await fetch(path, path.startsWith('/assets/') ? {} : { cache: 'reload' });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  // A page of another release would ask for files that are not on the list.
  if (path === shell && !(await answer.clone().text()).includes(`content="${version}"`)) {
    throw new Error('another release is being put in place');
  }
  await cache.put(path, answer);
}

/** One after the other: the page itself may need the connection. */
async function keepRest() {
  for (const path of rest) await keep(path).catch(() => undefined);
}

async function removeOld() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
}

async function openPages() {
  return (await clients.matchAll({ type: 'window', includeUncontrolled: true })).length;
}

addEventListener('install', (event) => {
  // Where the browser can, calls do not even pass through here.
  if (event.addRoutes) {
    const toNetwork = (pathname) => ({
      condition: { urlPattern: new URLPattern({ pathname }) },
      source: 'network',
    });
    event.waitUntil(event.addRoutes([toNetwork('/api/*'), toNetwork('/avatars/*')]).catch(() => undefined));
  }
  event.waitUntil(Promise.all(core.map(keep)));
});

addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      await registration.navigationPreload?.enable();
      await clients.claim();
      // Another tab may still run the release before this one, and need its files.
      if ((await openPages()) < 2) await removeOld();
    })(),
  );
});

addEventListener('message', (event) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (event.data === 'version') event.source.postMessage({ version });
  if (event.data === 'activate') skipWaiting();
  if (event.data === 'rest') event.waitUntil(keepRest());
});

/** The newest page there is; the one that was kept when nothing better comes in time. */
async function page(event) {
  const patience = new AbortController();
  const fresh = Promise.resolve(event.preloadResponse).then(
    (early) => early ?? fetch(event.request, { signal: patience.signal }),
  );
  const late = new Promise((done) => setTimeout(done, patienceMs));
  const answer = await Promise.race([fresh, late]).catch(() => undefined);
  if (answer && answer.status < 500) return answer;
  const kept = await caches.match(shell, { cacheName });
  // A request that nobody waits for would hold up the next one for the same page.
  if (kept) patience.abort();
  return kept ?? fresh;
}

async function file(request, path) {
  const kept = (await caches.match(path, { cacheName })) ?? (await caches.match(path));
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && own.has(path)) {
    const copy = answer.clone();
    const cache = await caches.open(cacheName);
    await cache.put(path, copy);
  }
  return answer;
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') {
    if (/^\/(?:api|avatars|dev)\/|\.\w+$/u.test(pathname)) return;
    event.respondWith(page(event));
    event.waitUntil(openPages().then((count) => (count === 0 ? removeOld() : undefined)));
  } else if (own.has(pathname + search) || pathname.startsWith('/assets/')) {
    event.respondWith(file(request, pathname + search));
  }
});
