import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { workSizes, workSolution, type WorkChallenge, type WorkSize } from '@unsaid/contract';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { hmac, type Keys } from '../platform/keys.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Opaque } from '../platform/opaque.ts';
import type { RedisStore } from '../platform/redis.ts';

/**
 * Proof of work in ALTCHA's form (version 1), so that any client of it can solve ours. A challenge is nothing
 * that we keep: its end and size are in the salt, which the challenge is a hash of; what it is good for is in
 * the signature, which to a client is opaque.
 */

export interface WorkDeps {
  readonly clock: Clock;
  readonly keys: Keys;
  readonly metrics: Metrics;
  readonly opaque: Opaque;
  readonly redis: RedisStore;
}

/** What a solution is good for: one call about one number. */
export interface WorkScope {
  readonly action: string;
  readonly phoneKey: string;
}

export interface WorkService {
  challenge(scope: WorkScope, size: WorkSize): WorkChallenge;
  /** The size of the work done, or null where none came along. Good once; throws for anything that is not. */
  redeem(scope: WorkScope, solution: string | undefined): Promise<WorkSize | null>;
}

const lifeMs = 5 * 60 * 1000;
const saltPattern = /^[0-9a-f]{24}\?expires=(?<expires>[0-9]{10})&size=(?<size>usual|harder)&$/u;

export function createWorkService({ clock, keys, metrics, opaque, redis }: WorkDeps): WorkService {
  function sign({ action, phoneKey }: WorkScope, challenge: string): Buffer {
    return hmac(keys.current('work/1').key, action, phoneKey, challenge);
  }

  /** Null for what we did not ask for, or not lately, or what is not solved. */
  function check(scope: WorkScope, text: string): { size: WorkSize; signature: string } | null {
    const parsed = workSolution.safeParse(parseJson(Buffer.from(text, 'base64').toString('utf8')));
    if (!parsed.success) return null;
    const { challenge, number, salt, signature } = parsed.data;
    const told = saltPattern.exec(salt)?.groups as { expires: string; size: WorkSize } | undefined;
    if (!told) return null;
    const given = Buffer.from(signature, 'hex');
    const wanted = sign(scope, challenge);
    const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted);
    const isSolved = hash('sha256', `${salt}${number}`) === challenge;
    if (!isOurs || !isSolved || Number(told.expires) * 1000 <= clock.now()) return null;
    // Our own spelling: a second one of the same bytes must not count as another solution.
    return { size: told.size, signature: wanted.toString('hex') };
  }

  return {
    challenge(scope, size) {
      const expires = Math.floor((clock.now() + lifeMs) / 1000);
      // The last & ends the salt, or digits could be moved from the number into it.
      const salt = `${randomBytes(12).toString('hex')}?expires=${expires}&size=${size}&`;
      const maxnumber = workSizes[size];
      const challenge = hash('sha256', `${salt}${randomInt(maxnumber + 1)}`);
      return {
        algorithm: 'SHA-256',
        challenge,
        maxnumber,
        salt,
        signature: sign(scope, challenge).toString('hex'),
      };
    },

    async redeem(scope, solution) {
      if (solution === undefined) return null;
      const checked = check(scope, solution);
      const isFirst =
        checked &&
        (await redis.run((client) =>
          client.set(`pow:${opaque.name('pow', checked.signature)}`, '1', 'PX', lifeMs, 'NX'),
        )) === 'OK';
      metrics.workOffered.inc({ outcome: isFirst ? 'taken' : 'refused' });
      if (!isFirst) throw new AppError('POW_INVALID');
      return checked.size;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
