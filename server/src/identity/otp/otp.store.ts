import { limits, type OtpPurpose } from '@unsaid/contract';
import type { Base } from '../../kernel/base.ts';
import { luaClockArg, luaCoarseLife, luaReadClock } from '../../platform/clock.ts';
import type { RedisCrypto } from '../../platform/crypto/redis-crypto.ts';
import { codeBudgets } from './code-budgets.ts';

/**
 * The live challenges of a number, in one Redis value that only scripts change. A number may have several at once, so
 * that a stranger who requests codes does not replace the owner's. Its times are masked.
 */

/** The most codes a number gets in an hour: a stranger who requests codes cannot evict the owner's. */
const maxLive = codeBudgets.sendsPerNumber[0].limit + codeBudgets.sendsPerKnownDevice[0].limit;
const keyOf = (purpose: OtpPurpose, phoneKey: string) => `otp:1:${purpose}:${phoneKey}`;

// A challenge: c = id, h = hash of the code, a = attempts, s = attempts without the id, e = expiry plus the mask.
const readLive = `${luaReadClock}${luaCoarseLife}
local masked = now + tonumber(ARGV[2])
local live, kept = {}, redis.call('GET', KEYS[1])
if kept then
  for _, one in ipairs(cjson.decode(kept)) do if one.e > masked then table.insert(live, one) end end
end
local function save()
  if #live == 0 then redis.call('DEL', KEYS[1]) return end
  redis.call('SET', KEYS[1], cjson.encode(live), 'PX', coarseLife(${limits.otpLifeSeconds * 1000}))
end`;

const putScript = `${readLive}
for i, one in ipairs(live) do if one.c == ARGV[3] then table.remove(live, i) break end end
table.insert(live, { c = ARGV[3], h = ARGV[4], a = 0, s = 0, e = masked + ${limits.otpLifeSeconds * 1000} })
if #live > ${maxLive} then table.remove(live, 1) end
save()
return 1`;

// The attempt is counted before the comparison, so that parallel guesses get no sixth one. Callers without the id are
// compared with the newest challenge and get two of its attempts: its owner always keeps three. An exhausted challenge
// stays until it expires: deleting it could fail a correct attempt that is being compared.
const attemptScript = `${readLive}
local one, isHolder = live[#live], false
for _, other in ipairs(live) do if other.c == ARGV[3] then one, isHolder = other, true end end
if not one or one.a >= ${limits.otpTries} then return false end
if not isHolder then
  if one.s >= ${limits.otpTriesWithoutChallenge} then return false end
  one.s = one.s + 1
end
one.a = one.a + 1
save()
return { one.c, one.h }`;

const consumeScript = `${readLive}
for i, one in ipairs(live) do
  if one.c == ARGV[3] and one.h == ARGV[4] then
    redis.call('DEL', KEYS[1])
    return 1
  end
end
return 0`;

interface Challenge {
  readonly id: string;
  readonly hash: Buffer;
}

interface Scope {
  readonly purpose: OtpPurpose;
  readonly phoneKey: string;
}

/** What is added to the times of a number's challenges. */
export const challengeMask = (redisCrypto: RedisCrypto, phoneKey: string) =>
  redisCrypto.counter('otp', phoneKey).mask;

export type OtpStore = ReturnType<typeof createOtpStore>;

export function createOtpStore({ redis, clock, redisCrypto }: Pick<Base, 'redis' | 'clock' | 'redisCrypto'>) {
  // Kept: a failover that forgets an attempt or a used code would allow another guess.
  const prepare = (text: string) => {
    const run = redis.script(text, { isKept: true });
    return ({ purpose, phoneKey }: Scope, ...args: string[]) =>
      run([keyOf(purpose, phoneKey)], [luaClockArg(clock), challengeMask(redisCrypto, phoneKey), ...args]);
  };
  const putChallenge = prepare(putScript);
  const countAttempt = prepare(attemptScript);
  const consumeChallenge = prepare(consumeScript);
  return {
    async put(scope: Scope, { id, hash }: Challenge): Promise<void> {
      await putChallenge(scope, id, hash.toString('base64url'));
    },

    /** Counts an attempt and returns what to compare it with; null when no attempt is left. */
    async consumeAttempt(scope: Scope, challengeId: string | null): Promise<Challenge | null> {
      const found = (await countAttempt(scope, challengeId ?? '')) as [string, string] | null;
      return found && { id: found[0], hash: Buffer.from(found[1], 'base64url') };
    },

    /** True for exactly one caller. Ends all live challenges of the number. */
    async consume(scope: Scope, { id, hash }: Challenge): Promise<boolean> {
      return (await consumeChallenge(scope, id, hash.toString('base64url'))) === 1;
    },
  };
}
