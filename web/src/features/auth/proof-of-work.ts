import type { PowChallenge } from '@unsaid/contract';
import { ApiError } from '../../lib/api-client.ts';
import { trustedScript } from '../../lib/trusted-scripts.ts';

/**
 * A second challenge follows if a limit is reached meanwhile, or if the solution expired while the phone
 * slept.
 */
const maxRounds = 3;

/** Makes a call. If the server requires proof of work, solves the challenge in a worker and retries. */
export async function withProofOfWork<T>(call: (pow?: string) => Promise<T>): Promise<T> {
  let pow: string | undefined;
  for (let round = 0; ; round += 1) {
    try {
      return await call(pow);
    } catch (error) {
      if (!(error instanceof ApiError) || round === maxRounds) throw error;
      if (error.code === 'POW_INVALID') pow = undefined;
      else if (error.challenge) {
        pow = await solveChallenge(error.challenge);
        if (pow === undefined) throw error;
      } else throw error;
    }
  }
}

/** Undefined if this browser cannot run the worker. */
async function solveChallenge(challenge: PowChallenge): Promise<string | undefined> {
  let worker: Worker | undefined;
  try {
    worker = new Worker(trustedScript('powWorker'), { type: 'module' });
    const number = await runWorker(worker, challenge);
    if (number === null) return undefined;
    const { algorithm, challenge: hash, salt, signature } = challenge;
    return btoa(JSON.stringify({ algorithm, challenge: hash, number, salt, signature }));
  } catch {
    return undefined;
  } finally {
    worker?.terminate();
  }
}

function runWorker(worker: Worker, challenge: PowChallenge): Promise<number | null> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<number | null>) => resolve(data));
    worker.addEventListener('error', () => reject(new Error('the worker did not start')));
    // Worker.postMessage takes no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(challenge);
  });
}
