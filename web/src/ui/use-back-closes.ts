import { useEffect, useEffectEvent } from 'react';
import { isRecord } from '../lib/history-state.ts';
import { isLeaving } from '../lib/leaving.ts';

/**
 * Back closes what is open above the page: a dialog has a history entry of its own, because on Android Back
 * is how people close a sheet. The entry is a copy of the page's with the key `layer`, so that the router
 * sees the same page.
 *
 * Closing by a button leaves the entry where it is, as a stale one: `history.back()` is asynchronous, and
 * would undo a navigation that follows at once. A stale entry shows the page alone, is taken over by the next
 * dialog, and Back passes through it.
 */
interface Layer {
  readonly id: string;
  readonly close: () => void;
}

/** Open layers, the topmost last. */
const layers: Layer[] = [];

const isOpen = (id: string) => layers.some((layer) => layer.id === id);

/** `key` is the router's, one for each page entry. */
function readEntry(): { readonly layer?: unknown; readonly key?: unknown } {
  return isRecord(history.state) ? history.state : {};
}

const isStale = ({ layer }: ReturnType<typeof readEntry>) => typeof layer === 'string' && !isOpen(layer);

let last = readEntry();

window.addEventListener('popstate', () => {
  const from = last;
  last = readEntry();
  // The same entry: the router had added a page above it, which was left now.
  const isPassing = isStale(from) && last.key === from.key && last.layer !== from.layer;
  const above = layers.splice(layers.findIndex(({ id }) => id === last.layer) + 1);
  for (const { close } of above.toReversed()) close();
  // The quick exit has gone back to the first page, which it replaces: another step would leave that page behind.
  if (isPassing && !isLeaving()) history.back();
});

/** Adds a history entry while something is open above the page. Back then calls `onClose`. */
export function useBackCloses(isShown: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isShown) return;
    const layer: Layer = { id: crypto.randomUUID(), close: () => close() };
    const entry = readEntry();
    const state = { ...entry, layer: layer.id };
    if (isStale(entry)) history.replaceState(state, '');
    else history.pushState(state, '');
    last = state;
    layers.push(layer);
    return () => {
      const index = layers.indexOf(layer);
      if (index !== -1) layers.splice(index, 1);
    };
  }, [isShown]);
}
