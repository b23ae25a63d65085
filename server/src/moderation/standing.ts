import type { ModerationBase } from '../kernel/base.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { StandingService } from '../kernel/standing.ts';
import type { CaseBox } from './case-box.ts';
import { readTerms } from './notices/notice-terms.ts';

/** A sanction that is in force or has yet to start. In milliseconds since 1970. */
export interface CachedSanction {
  readonly sanction: 'limit' | 'suspend' | 'ban';
  readonly startsAt: number;
  readonly endsAt: number;
}

const cacheTtlSeconds = 60;
/** Sanctions in all slots fit: the length of a cached value must not tell who has one. */
const cachedBytes = 1280;

interface StandingDeps extends Pick<ModerationBase, 'db' | 'redis' | 'clock' | 'redisCrypto'> {
  readonly cache: LocalCache<readonly CachedSanction[]>;
  readonly caseBox: CaseBox;
}

const slotsOf = (person: Person) => person.noticeSlots();

export function createStandingService({
  db,
  redis,
  clock,
  redisCrypto,
  cache,
  caseBox,
}: StandingDeps): StandingService {
  const cacheKey = (person: Person) =>
    `standing:${redisCrypto.keyedHash('standing', person.mark('standing'))}`;

  async function query(slotKeys: readonly Buffer[]) {
    const now = clock.now();
    return (await readTerms(db, caseBox, slotKeys, now)).flatMap(
      ({ slotKey, isValid, sanction, startsAt, endsAt }) =>
        isValid && sanction !== 'none' && startsAt !== null && endsAt !== null && endsAt > now
          ? [{ slotKey, sanction, startsAt, endsAt }]
          : [],
    );
  }

  const read = async (person: Person): Promise<readonly CachedSanction[]> =>
    (await query(slotsOf(person))).map(({ sanction, startsAt, endsAt }) => ({ sanction, startsAt, endsAt }));

  async function load(person: Person): Promise<readonly CachedSanction[]> {
    const sanctions = await read(person);
    // NX: what was read before a decision must not overwrite what `invalidate` wrote after it.
    void redis
      .run((client) =>
        client.set(
          cacheKey(person),
          redisCrypto.encrypt(sanctions, cachedBytes),
          'EX',
          cacheTtlSeconds,
          'NX',
        ),
      )
      .catch(() => {});
    return sanctions;
  }

  async function readCache(person: Person): Promise<readonly CachedSanction[] | undefined> {
    const cached = await redis.getCached(cacheKey(person));
    return cached === null
      ? undefined
      : (redisCrypto.decrypt(cached) as readonly CachedSanction[] | undefined);
  }

  return {
    async find(person, { skipCache }) {
      const sanctions = skipCache
        ? await load(person)
        : await cache.getOrLoad(
            person.speakerId.toString('base64url'),
            async () => (await readCache(person)) ?? (await load(person)),
          );
      const now = clock.now();
      const inForce = sanctions.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt);
      if (inForce.some(({ sanction }) => sanction !== 'limit')) return 'suspended';
      return inForce.length > 0 ? 'limited' : 'good';
    },

    async suspendedAmong(people) {
      const slotKeys = people.map(slotsOf);
      const now = clock.now();
      const rows = (await query(slotKeys.flat())).filter(
        ({ sanction, startsAt }) => sanction !== 'limit' && startsAt <= now,
      );
      const found = new Set(rows.map(({ slotKey }) => slotKey.toString('latin1')));
      return new Set(
        people.filter((_, n) => slotKeys[n]?.some((slotKey) => found.has(slotKey.toString('latin1')))),
      );
    },

    async areSilent(noticeSlots) {
      const now = clock.now();
      const rows = (await query(noticeSlots.flat())).filter(({ startsAt }) => startsAt <= now);
      const found = new Set(rows.map(({ slotKey }) => slotKey.toString('latin1')));
      return noticeSlots.map((slots) => slots.some((slotKey) => found.has(slotKey.toString('latin1'))));
    },

    async findExclusion(person) {
      const exclusions = (await read(person)).flatMap(({ sanction, endsAt }) =>
        sanction === 'limit' ? [] : [{ sanction, endsAt }],
      );
      return exclusions.toSorted((a, b) => b.endsAt - a.endsAt)[0] ?? null;
    },

    async invalidate(person) {
      const sanctions = redisCrypto.encrypt(await read(person), cachedBytes);
      await redis.overwrite(new Map([[cacheKey(person), sanctions]]), cacheTtlSeconds);
      await cache.invalidateAll();
    },
  };
}
