import { today, type Clock, type Day } from '../platform/clock.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { Databases } from '../platform/db.ts';
import type { RedisCrypto } from '../platform/crypto/redis-crypto.ts';
import { peopleFound, type Person } from '../pseudonyms/person-keys.ts';
import type { RedisStore } from '../platform/redis.ts';
import * as queries from './standing.queries.ts';

/** Suspensions, stored under a key of the person for this use alone: no account and no vent carries it. */
export interface StandingService {
  isSuspended(person: Person, options: { readonly skipCache: boolean }): Promise<boolean>;
  suspendedAmong(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** Lasts until the day begins; null lifts the suspension. */
  suspend(person: Person, until: Day | null): Promise<void>;
  suspendedUntil(person: Person): Promise<Day | null>;
}

const cacheTtlSeconds = 60;
const never: Day = '';

interface StandingDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly redisCrypto: RedisCrypto;
  readonly cache: LocalCache<Day>;
}

export function createStandingService({
  db,
  redis,
  clock,
  redisCrypto,
  cache,
}: StandingDeps): StandingService {
  const cacheKey = (person: Person) =>
    `standing:${redisCrypto.keyedHash('standing', person.mark('standing'))}`;

  async function load(person: Person): Promise<Day> {
    const until = (await queries.findSuspension(db.content, person.suspensionKey())) ?? never;
    void redis
      .run((client) => client.set(cacheKey(person), until, 'EX', cacheTtlSeconds, 'NX'))
      .catch(() => {});
    return until;
  }

  return {
    async isSuspended(person, { skipCache }) {
      const until = skipCache
        ? await load(person)
        : await cache.getOrLoad(
            person.speakerId.toString('base64url'),
            async () => (await redis.getCached(cacheKey(person))) ?? (await load(person)),
          );
      return until > today(clock);
    },

    async suspendedAmong(people) {
      const keys = people.map((person) => person.suspensionKey());
      return peopleFound(people, keys, await queries.listSuspended(db.content, keys, today(clock)));
    },

    async suspend(person, until) {
      await (until === null
        ? queries.deleteSuspension(db.content, person.suspensionKey())
        : queries.putSuspension(db.content, person.suspensionKey(), until));
      await redis.retryInBackground(
        (client) => client.set(cacheKey(person), until ?? never, 'EX', cacheTtlSeconds),
        cacheTtlSeconds * 1000,
      );
      await cache.invalidateAll();
    },

    suspendedUntil: (person) => queries.findSuspension(db.content, person.suspensionKey()),
  };
}
