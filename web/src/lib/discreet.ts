import { useEffect, useSyncExternalStore } from 'react';

/**
 * A tab that says "Notes" and shows a plain icon, for a screen that others see. Kept in this browser, whoever is
 * signed in. `boot.js` applies it before the first frame, and the icon on every change; the title is written here.
 */
const discreetKey = 'unsaid.discreet';
/** Not a word of the interface: the same in every language, and in boot.js. */
const neutralTitle = 'Notes';

function isDiscreet(): boolean {
  try {
    return localStorage.getItem(discreetKey) === 'on';
  } catch {
    return false;
  }
}

export function chooseDiscreet(isOn: boolean): void {
  try {
    if (isOn) localStorage.setItem(discreetKey, 'on');
    else localStorage.removeItem(discreetKey);
  } catch {
    // Where nothing can be kept, the tab keeps its name.
  }
  window.dispatchEvent(new Event('unsaid:discreet'));
}

export function useDiscreet(): boolean {
  return useSyncExternalStore((listener) => {
    window.addEventListener('unsaid:discreet', listener);
    window.addEventListener('storage', listener);
    return () => {
      window.removeEventListener('unsaid:discreet', listener);
      window.removeEventListener('storage', listener);
    };
  }, isDiscreet);
}

/** What the tab is called while this page is open. */
export function usePageTitle(page: string): void {
  const hidesName = useDiscreet();
  useEffect(() => {
    document.title = hidesName ? neutralTitle : page === '' ? 'Unsaid' : `${page} · Unsaid`;
  }, [page, hidesName]);
}
