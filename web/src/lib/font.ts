import { afterFirstContent } from './app-ready.ts';

let isLoaded = false;

/** Fetches the font after the first content. Nothing on screen changes with it. */
export async function loadFont(): Promise<void> {
  if ('font' in document.documentElement.dataset) return;
  await afterFirstContent();
  await document.fonts.load("1rem 'Nunito Sans'").catch(() => undefined);
  isLoaded = true;
}

/** With the next page, where all is new anyway. */
export function showFont(): void {
  if (isLoaded) document.documentElement.dataset['font'] = '';
}
