import type { ModerationBase } from '../../kernel/base.ts';
import { hourMs, luaClockArg, luaCoarseLife, luaReadClock } from '../../platform/clock.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import type { Origins } from './pause.ts';

/** Between trusting every report and trusting none. */
const nthWithoutRedis = 2;

// Expires on a full step of the clock of Redis: the exact millisecond would be that of the report, and would join these keys.
const life = `${luaReadClock}${luaCoarseLife}
local life = coarseLife(${72 * hourMs})`;

const claimScript = `${life}
return redis.call('SET', KEYS[1], 1, 'NX', 'PX', life) and 1 or 0`;

// With ARGV[2] = 0 both only look: a report that was counted before.
const addressScript = `${life}
if ARGV[2] == '0' then return tonumber(redis.call('GET', KEYS[1]) or 0) + 1 end
local nth = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], life)
return nth`;

const itemScript = `${life}
if ARGV[2] == '0' then
  local known = redis.call('HMGET', KEYS[1], 'addresses', 'reports')
  return {tonumber(known[1] or 1), tonumber(known[2] or 1)}
end
local reports = redis.call('HINCRBY', KEYS[1], 'reports', 1)
local addresses = redis.call('HINCRBY', KEYS[1], 'addresses', ARGV[3] == '1' and 1 or 0)
redis.call('PEXPIRE', KEYS[1], life)
return {addresses, reports}`;

export type ReportOrigins = ReturnType<typeof createReportOrigins>;

/** Counts networks (IPv6: /56) of reports, for 72 hours, in Redis alone. Its names tell neither the item nor the address. */
export function createReportOrigins({ redis, redisCrypto, clock }: ModerationBase) {
  const claim = redis.script(claimScript);
  const countAddress = redis.script(addressScript);
  const countItem = redis.script(itemScript);
  return {
    /**
     * The report is the n-th on this item from its network. Counts each reporter of an item once: repeated requests, of
     * which one is filed, would make the reports of all others at their address worthless, and look like a crowd.
     */
    async count(
      subjectKey: Buffer,
      { reporterKey, networkKey }: { readonly reporterKey: Buffer; readonly networkKey: string },
    ): Promise<{ readonly nth: number; readonly origins: Origins | null }> {
      const named = (kind: string, ...parts: Buffer[]) => [
        `${kind}:${redisCrypto.keyedHash(kind, Buffer.concat(parts))}`,
      ];
      const now = luaClockArg(clock);
      try {
        // One after the other: a common slot would tell which address and reporter belong to which item.
        const isNew = (await claim(named('report-counted', reporterKey), [now])) as number;
        const address = named('report-address', subjectKey, Buffer.from(networkKey));
        const nth = (await countAddress(address, [now, isNew])) as number;
        const item = named('report-origins', subjectKey);
        const [addresses, reports] = (await countItem(item, [now, isNew, nth])) as [number, number];
        return { nth, origins: { addresses, reports } };
      } catch (error) {
        if (error instanceof RedisUnavailable) return { nth: nthWithoutRedis, origins: null };
        throw error;
      }
    },
  };
}
