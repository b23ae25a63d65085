import type { PowChallenge } from '@unsaid/contract';

/**
 * Proof-of-work solver in a Web Worker, so that the page stays responsive. Posts the number, or null when no
 * number up to the limit solves the challenge.
 */

/** Hashes per batch. `digest` runs on another thread; batches of 128 keep both threads busy. */
const batchSize = 128;
const encoder = new TextEncoder();

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function solve({ challenge, salt, maxnumber }: PowChallenge): Promise<number | null> {
  const firstByte = Number.parseInt(challenge.slice(0, 2), 16);
  for (let from = 0; from <= maxnumber; from += batchSize) {
    const hashes = await Promise.all(
      Array.from({ length: batchSize }, (_, index) =>
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

addEventListener('message', ({ data }: MessageEvent<PowChallenge>) => {
  // Worker.postMessage takes no target origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  void solve(data).then((number) => postMessage(number));
});
