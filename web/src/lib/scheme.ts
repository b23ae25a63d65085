import { useSyncExternalStore } from 'react';

/** `boot.js` paints the scheme before the first frame and on every change; this only records the choice. */
const schemeKey = 'unsaid.scheme';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

function readScheme(): Scheme {
  try {
    const stored = localStorage.getItem(schemeKey);
    return schemes.find((scheme) => scheme === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

export function chooseScheme(scheme: Scheme): void {
  try {
    if (scheme === 'system') localStorage.removeItem(schemeKey);
    else localStorage.setItem(schemeKey, scheme);
  } catch {
    // Where nothing can be kept, the system's choice stands.
  }
  window.dispatchEvent(new Event('unsaid:scheme'));
}

export function useScheme(): Scheme {
  return useSyncExternalStore((listener) => {
    window.addEventListener('unsaid:scheme', listener);
    window.addEventListener('storage', listener);
    return () => {
      window.removeEventListener('unsaid:scheme', listener);
      window.removeEventListener('storage', listener);
    };
  }, readScheme);
}
