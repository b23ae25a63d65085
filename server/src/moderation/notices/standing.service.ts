import type { Clock } from '../../platform/clock.ts';
import type { RedisCrypto } from '../../platform/crypto/redis-crypto.ts';
import type { Databases } from '../../platform/db.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { RedisStore } from '../../platform/redis.ts';
import type { Person } from '../../pseudonyms/person-keys.ts';
import * as queries from './notices.queries.ts';

/** What a person may do: read and speak, only read, or neither. */
export type Standing = 'good' | 'limited' | 'suspended';

export interface Exclusion {
  readonly sanction: 'suspend' | 'ban';
  readonly endsAt: number;
}

/** Sanctions are on notices, which only their owner's keys find: no account and no item carries one. */
export interface StandingService {
  find(person: Person, options: { readonly skipCache: boolean }): Promise<Standing>;
  suspendedAmong(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** The suspension or ban that ends last, also one that has yet to start. */
  findExclusion(person: Person): Promise<Exclusion | null>;
  /** After a decision about this person has been committed: replaces what is cached. */
  invalidate(person: Person): Promise<void>;
}

/** In milliseconds since 1970. */
export interface CachedSanction {
  readonly sanction: queries.SanctionRow['sanction'];
  readonly startsAt: number;
  readonly endsAt: number;
}

const cacheTtlSeconds = 60;
/** Sanctions in all slots fit: the length of a cached value must not tell who has one. */
const cachedBytes = 1280;

interface StandingDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly redisCrypto: RedisCrypto;
  readonly cache: LocalCache<readonly CachedSanction[]>;
}

const slotsOf = (person: Person) => person.moderationSlots('notice');

export function createStandingService({
  db,
  redis,
  clock,
  redisCrypto,
  cache,
}: StandingDeps): StandingService {
  const cacheKey = (person: Person) =>
    `standing:${redisCrypto.keyedHash('standing', person.mark('standing'))}`;

  async function query(slotKeys: readonly Buffer[]) {
    return queries.listSanctions(db.moderation, slotKeys, new Date(clock.now()));
  }

  async function read(person: Person): Promise<readonly CachedSanction[]> {
    const rows = await query(slotsOf(person));
    return rows.map(({ sanction, startsAt, endsAt }) => ({
      sanction,
      startsAt: startsAt.getTime(),
      endsAt: endsAt.getTime(),
    }));
  }

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
        ({ sanction, startsAt }) => sanction !== 'limit' && startsAt.getTime() <= now,
      );
      const found = new Set(rows.map(({ slotKey }) => slotKey.toString('latin1')));
      return new Set(
        people.filter((_, n) => slotKeys[n]?.some((slotKey) => found.has(slotKey.toString('latin1')))),
      );
    },

    async findExclusion(person) {
      const exclusions = (await read(person)).flatMap(({ sanction, endsAt }) =>
        sanction === 'limit' ? [] : [{ sanction, endsAt }],
      );
      return exclusions.toSorted((a, b) => b.endsAt - a.endsAt)[0] ?? null;
    },

    async invalidate(person) {
      const sanctions = redisCrypto.encrypt(await read(person), cachedBytes);
      await redis.retryInBackground(
        (client) => client.set(cacheKey(person), sanctions, 'EX', cacheTtlSeconds),
        cacheTtlSeconds * 1000,
      );
      await cache.invalidateAll();
    },
  };
}
