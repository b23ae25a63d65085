import { today, type Clock, type Day } from '../platform/clock.ts';
import type { Copies } from '../platform/copies.ts';
import type { Databases } from '../platform/db.ts';
import type { Opaque } from '../platform/opaque.ts';
import { peopleFound, type Person } from '../platform/persons.ts';
import type { RedisStore } from '../platform/redis.ts';
import * as queries from './standing.queries.ts';

/** Who is suspended, under a key of that person for this use alone: it stands on no account and on no vent. */
export interface StandingService {
  isSuspended(person: Person, options: { readonly skipCache: boolean }): Promise<boolean>;
  suspendedAmong(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** Until the day begins; null lifts it. */
  suspend(person: Person, until: Day | null): Promise<void>;
  suspendedUntil(person: Person): Promise<Day | null>;
}

const cacheSeconds = 60;
const never: Day = '';

interface StandingDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly opaque: Opaque;
  readonly copies: Copies<Day>;
}

export function createStandingService({ db, redis, clock, opaque, copies }: StandingDeps): StandingService {
  const cacheKey = (person: Person) => `standing:${opaque.name('standing', person.mark('standing'))}`;

  async function load(person: Person): Promise<Day> {
    const until = (await queries.findSuspension(db.content, person.suspensionKey())) ?? never;
    void redis.run((client) => client.set(cacheKey(person), until, 'EX', cacheSeconds, 'NX')).catch(() => {});
    return until;
  }

  return {
    async isSuspended(person, { skipCache }) {
      const until = skipCache
        ? await load(person)
        : await copies.get(
            person.speakerId.toString('base64url'),
            async () => (await redis.getOrMiss(cacheKey(person))) ?? (await load(person)),
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
      await redis.insist(
        (client) => client.set(cacheKey(person), until ?? never, 'EX', cacheSeconds),
        cacheSeconds * 1000,
      );
      await copies.drop();
    },

    suspendedUntil: (person) => queries.findSuspension(db.content, person.suspensionKey()),
  };
}
