import { createHash } from 'node:crypto';
import { emotions, limits, matchPreferences } from '@unsaid/contract';
import type { Day } from '../src/platform/clock.ts';
import type { RowSeals } from '../src/platform/crypto/row-seals.ts';
import type { IdentityDb } from '../src/platform/db.ts';
import { factColumns, newAccount } from '../src/identity/facts/account-facts.ts';
import { randomRowId } from '../src/platform/random-id.ts';
import { createSeededRandom } from './seeded-random.ts';
import { halfMonthOf } from '../src/platform/coarse-days.ts';
import { toFeelingBits } from '../src/kernel/feelings.ts';
import {
  nameEnds,
  nameStarts,
  sampleBios,
  sampleDislikes,
  sampleInterests,
  sampleLikes,
} from './sample-people.ts';

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
  readonly seals: RowSeals;
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
  { seals, users, seed, today }: SeedOptions,
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
    const ids = Array.from({ length: Math.min(batchSize, users - done) }, randomRowId);
    const rows = ids.map((id, offset) => {
      const secrets = seedBytes(seed, done + offset);
      // A third of the users name no feelings.
      const named =
        random() < 0.33 ? [] : Array.from({ length: 1 + below(limits.feelings) }, () => pick(emotions));
      return {
        id,
        seal: seals.seal('user', id, secrets.authorSeed, secrets.speakerId),
        username: random() < 0.2 ? null : seedName(seed, done + offset),
        bio: pick(sampleBios),
        interests: some(sampleInterests, 6),
        likes: some(sampleLikes, 5),
        dislikes: some(sampleDislikes, 4),
        feelings: toFeelingBits(named),
        matchPreference: random() < 0.3 ? null : pick(matchPreferences),
        profileCompleted: true,
        ...secrets,
        ...factColumns(seals, id, {
          ...newAccount(today),
          anonymousChat: random() < 0.8,
          feelingsFrom: named.length > 0 ? halfMonthOf(today) : null,
        }),
      };
    });
    await db.insertInto('identity.users').values(rows).execute();
    yield ids;
  }
}
