import { randomBytes } from 'node:crypto';
import type { RedisCrypto } from '../../platform/crypto/redis-crypto.ts';
import type { RedisStore } from '../../platform/redis.ts';

export const challengeSeconds = 300;

type Purpose = 'enrol' | 'sign-in' | 'prove';

/** The random values that passkeys sign. Each works once, for its purpose and subject. Without Redis there are none. */
export interface Challenges {
  /** `subject`: the link or the session that the challenge is for. Nobody is known before sign-in. */
  issue(purpose: Purpose, subject?: Buffer): Promise<Buffer<ArrayBuffer>>;
  /** False if it was not issued for this, was used, or is too old. */
  take(purpose: Purpose, challenge: string, subject?: Buffer): Promise<boolean>;
}

export function createChallenges({
  redis,
  redisCrypto,
}: {
  readonly redis: RedisStore;
  readonly redisCrypto: RedisCrypto;
}): Challenges {
  const keyOf = (purpose: Purpose, challenge: string, subject: Buffer = Buffer.alloc(0)) =>
    `mod:${redisCrypto.keyedHash(`mod-${purpose}`, Buffer.concat([Buffer.from(challenge), subject]))}`;

  return {
    async issue(purpose, subject) {
      const challenge = randomBytes(32);
      const key = keyOf(purpose, challenge.toString('base64url'), subject);
      await redis.run((client) => client.set(key, '1', 'EX', challengeSeconds));
      return challenge;
    },

    async take(purpose, challenge, subject) {
      const key = keyOf(purpose, challenge, subject);
      return (await redis.run((client) => client.getdel(key))) !== null;
    },
  };
}
