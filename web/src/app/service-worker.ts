import { offerRelease, ownRelease } from '../lib/release.ts';
import { trustedScript } from '../lib/trusted-scripts.ts';

/**
 * Registers the service worker (web/sw.js) and reports when a newer release is waiting. The page never
 * reloads by itself, because a text may be half written.
 */
const hourMs = 60 * 60 * 1000;

let newWorker: ServiceWorker | null = null;
let isReloading = false;

function post(worker: ServiceWorker, what: 'version' | 'activate' | `rest ${string}`): void {
  // Worker.postMessage takes no target origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(what);
}

function getRelease(worker: ServiceWorker): Promise<string> {
  return new Promise((resolve) => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== worker) return;
      navigator.serviceWorker.removeEventListener('message', onMessage);
      resolve((data as { version: string }).version);
    };
    navigator.serviceWorker.addEventListener('message', onMessage);
    post(worker, 'version');
  });
}

/** Handles a worker other than the one that served this page. */
async function onNewWorker(worker: ServiceWorker): Promise<void> {
  if ((await getRelease(worker)) === ownRelease()) {
    // The page is already of that release: once there is a newer one, pages are fetched from the network first.
    post(worker, 'activate');
  } else {
    newWorker = worker;
    offerRelease();
  }
}

function watch(registration: ServiceWorkerRegistration): void {
  const { serviceWorker } = navigator;
  let hadController = serviceWorker.controller !== null;
  if (registration.waiting) void onNewWorker(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const installing = registration.installing;
    installing?.addEventListener('statechange', () => {
      // The first worker of this browser has no predecessor to replace.
      if (installing.state === 'installed' && serviceWorker.controller) void onNewWorker(installing);
    });
  });
  serviceWorker.addEventListener('controllerchange', () => {
    if (isReloading) window.location.reload();
    // Another tab activated the newer release. This tab can follow later.
    else if (hadController && serviceWorker.controller) void onNewWorker(serviceWorker.controller);
    hadController = true;
  });

  let checkedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - checkedAt < hourMs) return;
    checkedAt = Date.now();
    registration.update().catch(() => undefined);
  });
}

export async function startServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    watch(await navigator.serviceWorker.register(trustedScript('serviceWorker'), { updateViaCache: 'none' }));
    const { active } = await navigator.serviceWorker.ready;
    const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
    // Caches the pages not opened yet, unless data saving is on.
    if (active && !connection?.saveData) post(active, `rest ${document.documentElement.lang}`);
  } catch {
    // Registration can fail (private window, full disk). The app then works, but not offline.
  }
}

export function activateRelease(): void {
  isReloading = true;
  if (newWorker) post(newWorker, 'activate');
  // The worker may be active already: it then answers with its own page.
  const isWaiting = newWorker?.state === 'installed';
  setTimeout(() => window.location.reload(), isWaiting ? 2000 : 0);
}
