import type { WorkChallenge } from '@unsaid/contract';

/** Runs beside the page, so that nothing on it stutters. Answers with the number, or null where there is none. */

/** Each hash is a trip to another thread; so many at once keep both busy. */
const atOnce = 128;
const encoder = new TextEncoder();

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function solve({ challenge, salt, maxnumber }: WorkChallenge): Promise<number | null> {
  const firstByte = Number.parseInt(challenge.slice(0, 2), 16);
  for (let from = 0; from <= maxnumber; from += atOnce) {
    const hashes = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        crypto.subtle.digest('SHA-256', encoder.encode(`${salt}${from + index}`)),
      ),
    );
    const found = hashes.findIndex(
      (bytes) => new Uint8Array(bytes)[0] === firstByte && hex(bytes) === challenge,
    );
    if (found >= 0) return from + found;
  }
  return null;
}

addEventListener('message', ({ data }: MessageEvent<WorkChallenge>) => {
  // A worker is not a window: there is no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  void solve(data).then((number) => postMessage(number));
});
