import { useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** Time for a list to load again. After that, the reader has probably moved on. */
const restoreTimeoutMs = 3000;

/** Scroll position per history entry. Kept in memory only, because it reveals what was read. */
const positions = new Map<string, number>();

/** Scrolls as soon as the page is tall enough, unless the reader scrolls first. */
function restoreScroll(top: number): () => void {
  let frame = 0;
  const end = Date.now() + restoreTimeoutMs;
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

/** Scrolls to the top on a new page, and restores the position on back and forward. */
export function useScrollRestoration(): void {
  const { key, pathname } = useLocation();
  const navigation = useNavigationType();
  const last = useRef({ key, pathname });

  useLayoutEffect(() => {
    history.scrollRestoration = 'manual';
    // On reload, the browser restores the position.
    const handBack = () => (history.scrollRestoration = 'auto');
    window.addEventListener('pagehide', handBack);
    return () => window.removeEventListener('pagehide', handBack);
  }, []);

  useLayoutEffect(() => {
    const from = last.current;
    last.current = { key, pathname };
    if (from.key === key) return;
    if (navigation === 'POP') return restoreScroll(positions.get(key) ?? 0);
    // Paging within a list scrolls by itself.
    if (from.pathname !== pathname) window.scrollTo(0, 0);
  }, [key, pathname, navigation]);

  useLayoutEffect(() => {
    const savePosition = () => positions.set(key, window.scrollY);
    window.addEventListener('scroll', savePosition, { passive: true });
    return () => window.removeEventListener('scroll', savePosition);
  }, [key]);
}
