import type { ModerationBase } from '../../kernel/base.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import type { Origins } from './pause.ts';

export interface CountedOrigin {
  /** The report is the n-th on this item from its network. */
  readonly nth: number;
  /** Null without Redis. */
  readonly origins: Origins | null;
}

/** Counts networks (IPv6: /56) of reports, for 72 hours, in Redis alone. Its names tell neither the item nor the address. */
export interface ReportOrigins {
  /**
   * Each reporter of an item once: repeated requests, of which one is filed, would make the reports of all others at
   * their address worthless, and look like a crowd.
   */
  count(
    subjectKey: Buffer,
    by: { readonly reporterKey: Buffer; readonly networkKey: string },
  ): Promise<CountedOrigin>;
}

const hourSeconds = 3600;
const keptSeconds = 72 * hourSeconds;
/** Between trusting every report and trusting none. */
const nthWithoutRedis = 2;

const countScript = `
if not redis.call('SET', KEYS[3], 1, 'NX', 'EX', ARGV[1]) then
  local known = redis.call('HMGET', KEYS[2], 'addresses', 'reports')
  return {tonumber(redis.call('GET', KEYS[1]) or 0) + 1, tonumber(known[1] or 1), tonumber(known[2] or 1)}
end
local nth = redis.call('INCR', KEYS[1])
local reports = redis.call('HINCRBY', KEYS[2], 'reports', 1)
local addresses = redis.call('HINCRBY', KEYS[2], 'addresses', nth == 1 and 1 or 0)
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[1])
return {nth, addresses, reports}`;

type ReportOriginsDeps = Pick<ModerationBase, 'redis' | 'redisCrypto' | 'clock'>;

export function createReportOrigins({ redis, redisCrypto, clock }: ReportOriginsDeps): ReportOrigins {
  const run = redis.script(countScript);
  return {
    async count(subjectKey, { reporterKey, networkKey }) {
      const keys = [
        `report-address:${redisCrypto.keyedHash('report-address', Buffer.concat([subjectKey, Buffer.from(networkKey)]))}`,
        `report-origins:${redisCrypto.keyedHash('report-origins', subjectKey)}`,
        `report-counted:${redisCrypto.keyedHash('report-counted', reporterKey)}`,
      ];
      // Expires at the end of an hour: the exact time would be the time of the last report.
      const seconds = keptSeconds + hourSeconds - (Math.floor(clock.now() / 1000) % hourSeconds);
      try {
        const [nth, addresses, reports] = (await run(keys, [seconds])) as [number, number, number];
        return { nth, origins: { addresses, reports } };
      } catch (error) {
        if (error instanceof RedisUnavailable) return { nth: nthWithoutRedis, origins: null };
        throw error;
      }
    },
  };
}
