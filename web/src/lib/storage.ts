/**
 * Browser storage that never throws. Storage can be blocked (a private window) or full; a value that cannot
 * be written then lasts as long as the page.
 */
function createStore(area: 'localStorage' | 'sessionStorage') {
  return {
    get(key: string): string | null {
      try {
        return window[area].getItem(key);
      } catch {
        return null;
      }
    },
    /** Null removes the key. */
    set(key: string, value: string | null): void {
      try {
        if (value === null) window[area].removeItem(key);
        else window[area].setItem(key, value);
      } catch {
        // Ignored: the value lasts as long as the page.
      }
    },
    keys(): string[] {
      try {
        return Object.keys(window[area]);
      } catch {
        return [];
      }
    },
  };
}

export const localStore = createStore('localStorage');
export const sessionStore = createStore('sessionStorage');
