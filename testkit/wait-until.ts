import { setTimeout as sleep } from 'node:timers/promises';

/** Polls every 100 ms, for up to a minute. */
export async function waitUntil(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await isTrue()) return;
    await sleep(100);
  }
  throw new Error(`timed out after a minute waiting for ${what}`);
}
