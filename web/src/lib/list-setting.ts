import { createBrowserSetting } from './browser-setting.ts';

/** A setting of this browser that is a list. Stored and compared as text with commas. */
export function createListSetting<T extends string>(
  key: string,
  all: readonly T[],
  byDefault: () => readonly T[],
) {
  const split = (value: string) => all.filter((one) => value.split(',').includes(one));
  const setting = createBrowserSetting<string>({
    key: `unsaid.${key}`,
    event: `unsaid:${key}`,
    parse: (stored) => (stored === null ? byDefault() : split(stored)).join(),
    serialize: (value) => value,
  });
  return {
    get: () => split(setting.get()),
    useValue: () => split(setting.useValue()),
    toggle(changed: T): void {
      const chosen = split(setting.get());
      setting.set(all.filter((one) => chosen.includes(one) !== (one === changed)).join());
    },
  };
}
