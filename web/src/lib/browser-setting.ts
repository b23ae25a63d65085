import { useSyncExternalStore } from 'react';
import { localStore } from './storage.ts';

interface BrowserSettingOptions<T> {
  readonly key: string;
  /**
   * Announces a change in this tab, to React and to `boot.js`. Other tabs get the browser's `storage` event.
   */
  readonly event: string;
  readonly parse: (stored: string | null) => T;
  /** Null for the default, which is not stored. */
  readonly serialize: (value: T) => string | null;
}

/** A setting of this browser. `T` is a primitive: React compares it by identity. */
export function createBrowserSetting<T>({ key, event, parse, serialize }: BrowserSettingOptions<T>) {
  const read = () => parse(localStore.get(key));
  const subscribe = (listener: () => void) => {
    window.addEventListener(event, listener);
    window.addEventListener('storage', listener);
    return () => {
      window.removeEventListener(event, listener);
      window.removeEventListener('storage', listener);
    };
  };
  return {
    get: read,
    subscribe,
    set(value: T): void {
      localStore.set(key, serialize(value));
      window.dispatchEvent(new Event(event));
    },
    useValue: () => useSyncExternalStore(subscribe, read),
  };
}
