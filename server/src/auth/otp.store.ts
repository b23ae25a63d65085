import { codeBudgets, limits, type OtpPurpose } from '@unsaid/contract';
import { readScriptTime, scriptTime, type Clock } from '../platform/clock.ts';
import type { RedisStore } from '../platform/redis.ts';

/**
 * Live challenges of a number, in one Redis value, changed by scripts alone. A number may have a few
 * at once, so that a stranger who keeps asking for codes does not destroy the owner's.
 */

/** As many as can be sent to a number in an hour: a stranger who asks for codes cannot push the owner's out. */
const maxLive = codeBudgets.sendsPerNumber[0].limit + codeBudgets.sendsPerKnownDevice[0].limit;
const keyOf = (purpose: OtpPurpose, phoneKey: string) => `otp:1:${purpose}:${phoneKey}`;

// Each challenge: c = id, h = hash of the code, a = answers tried, s = those of them by callers without the id, e = end.
const readLive = `${readScriptTime}
local live, kept = {}, redis.call('GET', KEYS[1])
if kept then
  for _, one in ipairs(cjson.decode(kept)) do if one.e > now then table.insert(live, one) end end
end
local function save()
  if #live == 0 then redis.call('DEL', KEYS[1]) return end
  redis.call('SET', KEYS[1], cjson.encode(live), 'PX', ${limits.otpLifeSeconds * 1000})
end`;

const putScript = `${readLive}
for i, one in ipairs(live) do if one.c == ARGV[2] then table.remove(live, i) break end end
table.insert(live, { c = ARGV[2], h = ARGV[3], a = 0, s = 0, e = now + ${limits.otpLifeSeconds * 1000} })
if #live > ${maxLive} then table.remove(live, 1) end
save()
return 1`;

// The try is counted before anything is compared, so that no number of parallel guesses gets a sixth. Callers who do
// not know the id are held against the newest challenge and get two of its tries: its owner always keeps three.
// A spent challenge stays until it ends: deleting it here could rob a right answer that is being compared.
const tryScript = `${readLive}
local one, isHolder = live[#live], false
for _, other in ipairs(live) do if other.c == ARGV[2] then one, isHolder = other, true end end
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
  if one.c == ARGV[2] and one.h == ARGV[3] then
    redis.call('DEL', KEYS[1])
    return 1
  end
end
return 0`;

export interface OtpStore {
  put(scope: Scope, challenge: { id: string; hash: Buffer }): Promise<void>;
  /** Counts a try and gives what to compare with, or null when there is nothing left to try. */
  takeTry(scope: Scope, challengeId: string | null): Promise<{ id: string; hash: Buffer } | null>;
  /** True for exactly one caller; every other live code of the number dies with it. */
  consume(scope: Scope, challenge: { id: string; hash: Buffer }): Promise<boolean>;
}

interface Scope {
  readonly purpose: OtpPurpose;
  readonly phoneKey: string;
}

export function createOtpStore(redis: RedisStore, clock: Clock): OtpStore {
  const evaluate = (script: string, { purpose, phoneKey }: Scope, ...args: string[]) =>
    redis.run((client) => client.eval(script, 1, keyOf(purpose, phoneKey), scriptTime(clock), ...args));
  return {
    async put(scope, { id, hash }) {
      await evaluate(putScript, scope, id, hash.toString('base64url'));
    },
    async takeTry(scope, challengeId) {
      const found = (await evaluate(tryScript, scope, challengeId ?? '')) as [string, string] | null;
      return found && { id: found[0], hash: Buffer.from(found[1], 'base64url') };
    },
    async consume(scope, { id, hash }) {
      return (await evaluate(consumeScript, scope, id, hash.toString('base64url'))) === 1;
    },
  };
}
