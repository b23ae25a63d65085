import type { WorkChallenge } from '@unsaid/contract';
import { ApiError } from '../../lib/api-client.ts';
import { trustedScript } from '../../lib/trusted-scripts.ts';

/** Once more may be asked for when a limit trips meanwhile, and a phone that slept comes back too late. */
const maxRounds = 3;

/** Makes a call. Where the server asks for work first, has it done out of sight and makes the call again. */
export async function withWork<T>(call: (pow?: string) => Promise<T>): Promise<T> {
  let pow: string | undefined;
  for (let round = 0; ; round += 1) {
    try {
      return await call(pow);
    } catch (error) {
      if (!(error instanceof ApiError) || round === maxRounds) throw error;
      if (error.code === 'POW_INVALID') pow = undefined;
      else if (error.challenge) {
        pow = await solve(error.challenge);
        if (pow === undefined) throw error;
      } else throw error;
    }
  }
}

/** Undefined where this browser cannot. */
async function solve(challenge: WorkChallenge): Promise<string | undefined> {
  let worker: Worker | undefined;
  try {
    worker = new Worker(trustedScript('workSolver'), { type: 'module' });
    const number = await answerOf(worker, challenge);
    if (number === null) return undefined;
    const { algorithm, challenge: hash, salt, signature } = challenge;
    return btoa(JSON.stringify({ algorithm, challenge: hash, number, salt, signature }));
  } catch {
    return undefined;
  } finally {
    worker?.terminate();
  }
}

function answerOf(worker: Worker, challenge: WorkChallenge): Promise<number | null> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<number | null>) => resolve(data));
    worker.addEventListener('error', () => reject(new Error('the worker did not start')));
    // A worker is not a window: there is no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(challenge);
  });
}
