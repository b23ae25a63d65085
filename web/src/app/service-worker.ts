import { useSyncExternalStore } from 'react';
import { trustedScript } from '../lib/trusted-scripts.ts';

/**
 * Starts our service worker (web/sw.js) and tells when a newer release waits behind it. Nothing is ever reloaded
 * by itself: whoever is in the middle of a sentence stays there.
 */
const hourMs = 60 * 60 * 1000;

/** Put into the page by the build. */
function ownRelease(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name=release]')?.content;
}

let newer: ServiceWorker | null = null;
let isOffered = false;
let isReloading = false;
const listeners = new Set<() => void>();

function offer(isOn: boolean): void {
  isOffered = isOn;
  for (const listener of listeners) listener();
}

function tell(worker: ServiceWorker, what: 'version' | 'activate' | 'rest'): void {
  // A worker is not a window: there is no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(what);
}

function releaseOf(worker: ServiceWorker): Promise<string> {
  return new Promise((resolve) => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source !== worker) return;
      navigator.serviceWorker.removeEventListener('message', hear);
      resolve((data as { version: string }).version);
    };
    navigator.serviceWorker.addEventListener('message', hear);
    tell(worker, 'version');
  });
}

/** A worker has come that is not the one this page began with. */
async function consider(worker: ServiceWorker): Promise<void> {
  if ((await releaseOf(worker)) === ownRelease()) {
    // The page itself is of that release already: it came from the network, as pages do.
    tell(worker, 'activate');
  } else {
    newer = worker;
    offer(true);
  }
}

function watch(registration: ServiceWorkerRegistration): void {
  const { serviceWorker } = navigator;
  let hadController = serviceWorker.controller !== null;
  if (registration.waiting) void consider(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const coming = registration.installing;
    coming?.addEventListener('statechange', () => {
      // The very first one has nobody before it to wait for.
      if (coming.state === 'installed' && serviceWorker.controller) void consider(coming);
    });
  });
  serviceWorker.addEventListener('controllerchange', () => {
    if (isReloading) window.location.reload();
    // Another tab went over to the newer release; this one may follow when it likes.
    else if (hadController && serviceWorker.controller) void consider(serviceWorker.controller);
    hadController = true;
  });

  let askedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - askedAt < hourMs) return;
    askedAt = Date.now();
    registration.update().catch(() => undefined);
  });
}

export async function startServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    watch(await navigator.serviceWorker.register(trustedScript('serviceWorker'), { updateViaCache: 'none' }));
    const { active } = await navigator.serviceWorker.ready;
    const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
    // The pages nobody has opened yet, unless this phone counts every byte.
    if (active && !connection?.saveData) tell(active, 'rest');
  } catch {
    // A private window, a full phone: Unsaid works without it, only not offline.
  }
}

/** Whether a newer release could be had by loading the page again. */
export function useNewRelease(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOffered,
  );
}

export function dismissRelease(): void {
  offer(false);
}

export function goToNewRelease(): void {
  isReloading = true;
  if (newer) tell(newer, 'activate');
  // It may be the one in charge already, or gone: the page from the network is the newest in any case.
  const isWaiting = newer?.state === 'installed';
  setTimeout(() => window.location.reload(), isWaiting ? 2000 : 0);
}
