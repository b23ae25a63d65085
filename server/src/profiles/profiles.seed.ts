import { createHash } from 'node:crypto';
import { emotions, limits, matchPreferences } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';
import { createSeededRandom } from '../platform/seeded-random.ts';
import { halfMonthOf, toFeelingBits } from './feelings.ts';

/** Generates users for a development database, deterministically by seed. Never for production. */

const softWords = [
  'quiet',
  'paper',
  'slow',
  'amber',
  'still',
  'rainy',
  'small',
  'open',
  'late',
  'pale',
  'far',
  'warm',
];
const things = [
  'river',
  'moon',
  'lamp',
  'window',
  'monsoon',
  'kite',
  'harbour',
  'sparrow',
  'station',
  'garden',
  'tea',
  'sea',
];
export const interests = [
  'music',
  'cricket',
  'cooking',
  'poetry',
  'चाय',
  'old films',
  'running',
  'painting',
  'cats',
  'gardening',
];
const bios = [
  'Mostly awake when I should not be.',
  'Learning to say things out loud.',
  'Two jobs, one window, many thoughts.',
  'बस सुनने आया हूँ।',
  'First year, far from home.',
  'I listen better than I talk.',
  '',
];

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
  const some = (list: readonly string[]) => list.filter(() => random() < 0.3);
  const batchSize = 1000;
  for (let done = 0; done < users; done += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, users - done) }, (_, offset) => {
      // A third of the users name no feelings.
      const named =
        random() < 0.33 ? [] : Array.from({ length: 1 + below(limits.feelings) }, () => pick(emotions));
      return {
        username:
          random() < 0.2 ? null : `${pick(softWords)}_${pick(things)}_${(done + offset).toString(36)}`,
        bio: pick(bios),
        interests: some(interests),
        likes: some(interests),
        dislikes: some(['noise', 'crowds', 'small talk', 'exams']),
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
