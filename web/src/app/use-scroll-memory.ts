import { useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** A list may take a moment to come back from the server; after that the reader has moved on. */
const patienceMs = 3000;

/** How far down each entry of the history was left. Only as long as the page lives: it says what somebody read. */
const places = new Map<string, number>();

/** Scrolls there as soon as the page is long enough, unless the reader moves first. */
function returnTo(top: number): () => void {
  let frame = 0;
  const end = Date.now() + patienceMs;
  const stop = () => {
    cancelAnimationFrame(frame);
    for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
      window.removeEventListener(name, stop);
  };
  const attempt = () => {
    window.scrollTo(0, top);
    if (Math.abs(window.scrollY - top) < 2 || Date.now() > end) stop();
    else frame = requestAnimationFrame(attempt);
  };
  for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(name, stop, { passive: true });
  }
  attempt();
  return stop;
}

/** A new page begins at its top; back and forward return to where one was. */
export function useScrollMemory(): void {
  const { key, pathname } = useLocation();
  const navigation = useNavigationType();
  const last = useRef({ key, pathname });

  useLayoutEffect(() => {
    history.scrollRestoration = 'manual';
    // A reload is the browser's own business.
    const giveBack = () => (history.scrollRestoration = 'auto');
    window.addEventListener('pagehide', giveBack);
    return () => window.removeEventListener('pagehide', giveBack);
  }, []);

  useLayoutEffect(() => {
    const from = last.current;
    last.current = { key, pathname };
    if (from.key === key) return;
    if (navigation === 'POP') return returnTo(places.get(key) ?? 0);
    // Another page of the same list moves by itself.
    if (from.pathname !== pathname) window.scrollTo(0, 0);
  }, [key, pathname, navigation]);

  useLayoutEffect(() => {
    const remember = () => places.set(key, window.scrollY);
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
