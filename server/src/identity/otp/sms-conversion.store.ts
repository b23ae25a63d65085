import type { Base } from '../../kernel/base.ts';
import { luaClockArg, luaCoarseLife, luaReadClock, minuteMs } from '../../platform/clock.ts';
import { conversionBreaker } from './code-budgets.ts';

/**
 * Guard against SMS pumping: the conversion rate of codes (verified / sent) per country and number prefix. Two counters
 * per minute over the last hour, under a keyed hash. The state is open while the rate is too low, then on probation with
 * a lower threshold, then closed. It only reports: a rejection here would let anyone block a country.
 */

const minutes = conversionBreaker.windowSeconds / 60;
const probationMinutes = conversionBreaker.probationSeconds / 60;
const keyOf = (subject: string) => `conversion:${subject}`;

// Fields: s12345 and v12345 = sent and verified in that minute, o = the last minute in which it was open. Minutes have
// the mask of their key. ARGV: clock, counter to increment (s, v or - for none), minimum sends, minimum sends on
// probation, the mask.
const script = `${luaReadClock}${luaCoarseLife}
local key, what = KEYS[1], ARGV[2]
local minute = math.floor((now + tonumber(ARGV[5])) / ${minuteMs})
if what ~= '-' then redis.call('HINCRBY', key, what .. minute, 1) end
local all, count, opened = redis.call('HGETALL', key), { s = 0, v = 0 }, nil
for at = 1, #all, 2 do
  local kind, when = string.sub(all[at], 1, 1), tonumber(string.sub(all[at], 2))
  if kind == 'o' then opened = tonumber(all[at + 1])
  elseif when <= minute - ${minutes} then redis.call('HDEL', key, all[at])
  else count[kind] = count[kind] + tonumber(all[at + 1]) end
end
local isOnProbation = opened and opened > minute - ${probationMinutes}
local isOpen = count.s >= tonumber(isOnProbation and ARGV[4] or ARGV[3])
  and count.v < count.s * ${conversionBreaker.minShare}
if isOpen then redis.call('HSET', key, 'o', minute) end
redis.call('PEXPIRE', key, coarseLife(${(probationMinutes + 1) * minuteMs}))
return isOpen and (isOnProbation and 2 or 3) or (isOnProbation and 1 or 0)`;

export type ConversionState = 'closed' | 'probation' | 'open' | 'opened';

const states = ['closed', 'probation', 'open', 'opened'] as const;

export type ConversionStore = ReturnType<typeof createConversionStore>;

export function createConversionStore(
  { redis, clock, redisCrypto }: Pick<Base, 'redis' | 'clock' | 'redisCrypto'>,
  scale: number,
) {
  const runScript = redis.script(script);
  async function run(what: string, subjects: readonly string[]): Promise<ConversionState[]> {
    const { minSends, minSendsOnProbation } = conversionBreaker;
    return Promise.all(
      subjects.map(async (subject) => {
        const { mask } = redisCrypto.counter('conversion', subject);
        const limits = [minSends * scale, minSendsOnProbation * scale];
        const state = await runScript([keyOf(subject)], [luaClockArg(clock), what, ...limits, mask]);
        return states[state as number] ?? 'closed';
      }),
    );
  }
  return {
    /** The state of each subject. `opened` is returned once, to the first caller that sees the state open. */
    read: (subjects: readonly string[]) => run('-', subjects),
    count: (what: 'sent' | 'verified', subjects: readonly string[]) =>
      run(what === 'sent' ? 's' : 'v', subjects),
  };
}
