import { createHash } from 'node:crypto';
import { emotions, limits, matchPreferences } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';
import { createSeededRandom } from '../platform/seeded-random.ts';
import { halfMonthOf } from '../platform/half-months.ts';
import { toFeelingBits } from './feelings.ts';
import {
  nameEnds,
  nameStarts,
  sampleBios,
  sampleDislikes,
  sampleInterests,
  sampleLikes,
} from './sample-people.seed.ts';

/** Generates users for a development database, deterministically by seed. Never for production. */

/** Reads like a suggested name. Two people never have the same. */
export function seedName(seed: number, position: number): string {
  const names = nameStarts.length * nameEnds.length * 90;
  const block = Math.floor(position / names);
  // The factor has no divisor in common with the number of names, so that no name comes twice in a block.
  const index = ((position % names) * 30_671 + seed * 7919) % names;
  const start = nameStarts[index % nameStarts.length];
  const end = nameEnds[Math.floor(index / nameStarts.length) % nameEnds.length];
  return `${start}_${end}${10 + block * 90 + Math.floor(index / (nameStarts.length * nameEnds.length))}`;
}

/** The secret columns of the nth seeded user. Other seeders derive the same authors from them. */
export function seedBytes(seed: number, position: number) {
  const bytes = createHash('sha512').update(`${seed} ${position}`).digest();
  return {
    avatarSeed: bytes.subarray(0, 9).toString('base64url'),
    speakerId: bytes.subarray(16, 24),
    authorSeed: bytes.subarray(32),
  };
}

interface SeedOptions {
  readonly users: number;
  readonly seed: number;
  readonly today: Day;
}

export async function countUsers(db: IdentityDb): Promise<number> {
  const row = await db
    .selectFrom('identity.users')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Yields the ids of each inserted batch, so that memory stays bounded. */
export async function* seedUsers(
  db: IdentityDb,
  { users, seed, today }: SeedOptions,
): AsyncGenerator<bigint[]> {
  const { next: random, below, pick } = createSeededRandom(seed);
  // Skewed to the beginning of the list: some interests are shared by many.
  const some = (list: readonly string[], most: number) => [
    ...new Set(
      Array.from({ length: below(most + 1) }, () => list[Math.floor(random() ** 1.5 * list.length)] ?? ''),
    ),
  ];
  const batchSize = 1000;
  for (let done = 0; done < users; done += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, users - done) }, (_, offset) => {
      // A third of the users name no feelings.
      const named =
        random() < 0.33 ? [] : Array.from({ length: 1 + below(limits.feelings) }, () => pick(emotions));
      return {
        username: random() < 0.2 ? null : seedName(seed, done + offset),
        bio: pick(sampleBios),
        interests: some(sampleInterests, 6),
        likes: some(sampleLikes, 5),
        dislikes: some(sampleDislikes, 4),
        feelings: toFeelingBits(named),
        feelingsFrom: named.length > 0 ? halfMonthOf(today) : null,
        matchPreference: random() < 0.3 ? null : pick(matchPreferences),
        anonymousChat: random() < 0.8,
        profileCompleted: true,
        ...seedBytes(seed, done + offset),
        createdOn: today,
        lastSeenOn: today,
      };
    });
    const inserted = await db.insertInto('identity.users').values(rows).returning('id').execute();
    yield inserted.map(({ id }) => id);
  }
}
