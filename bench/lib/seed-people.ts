import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { matchPreferences, type Emotion } from '@unsaid/contract';
import { createPairCipher } from '../../server/src/matching/pair-details.ts';
import { factColumns, newAccount } from '../../server/src/identity/facts/account-facts.ts';
import { newDetails } from '../../server/src/matching/pair-view.ts';
import { addDays, dayMs, dayOf, type Day } from '../../server/src/platform/clock.ts';
import type { Keys } from '../../server/src/platform/crypto/keys.ts';
import type { RowSeals } from '../../server/src/platform/crypto/row-seals.ts';
import { createPairKeys } from '../../server/src/matching/pair-keys.ts';
import { createSeededRandom, type SeededRandom } from '../../server/seed/seeded-random.ts';
import { halfMonthOf, weekOf } from '../../server/src/platform/coarse-days.ts';
import { toFeelingBits } from '../../server/src/kernel/feelings.ts';
import { seedBytes } from '../../server/seed/people.ts';
import { urlOfDatabase } from '../../tools/services.ts';
import { psql } from './psql.ts';

/**
 * Seeds people for measurements of matching, by COPY: accounts with feelings, interests and preferences, and about two
 * open pairs each. Every tenth person has no pairs yet and asks for suggestions later. There are no vents, because
 * matching does not read them.
 */
export interface SeedTools {
  readonly url: string;
  readonly keys: Keys;
  readonly seals: RowSeals;
}

/** Version of the generated data. Raise it with every change of the generator. */
const version = 6;
/** Databases older than this are seeded again: last visits are fixed days, and inactive people are not candidates. */
const freshDays = 5;
export const asksFirst = (position: number) => position % 10 === 0;
/** Ids start at 1, in the order of positions. */
export const idAt = (position: number) => BigInt(position + 1);

const markOf = (people: number) => `seeded people: ${people}, version ${version}, on `;

/** Whether the database holds these people and is not too old. */
export function isFilled(url: string, people: number): boolean {
  const name = new URL(url).pathname.slice(1);
  const mark = psql(
    urlOfDatabase(url, 'postgres'),
    `select coalesce(shobj_description(oid, 'pg_database'), '') from pg_database where datname = '${name}'`,
  );
  const since = dayOf(Date.now() - freshDays * dayMs);
  return mark.startsWith(markOf(people)) && mark.slice(-since.length) >= since;
}

const bytes = (value: Buffer) => `\\\\x${value.toString('hex')}`;
const list = (items: readonly string[]) => `{${items.map((item) => `"${item}"`).join(',')}}`;

/** Streams rows in the text format of COPY. */
async function copy(url: string, into: string, rows: Iterable<readonly (string | number | bigint)[]>) {
  function* chunks() {
    let chunk = '';
    for (const row of rows) {
      chunk += `${row.join('\t')}\n`;
      if (chunk.length < 1 << 18) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  const child = spawn('psql', [url, '-qXv', 'ON_ERROR_STOP=1', '-c', `copy ${into} from stdin`], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  await pipeline(Readable.from(chunks()), child.stdin);
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`copying into ${into} failed`);
}

/** Drops the indexes and rebuilds them afterwards, which is faster than maintaining them row by row. */
async function withoutIndexes(url: string, table: string, work: () => Promise<void>): Promise<void> {
  const [schema, name] = table.split('.');
  const found = psql(
    url,
    `select format('%I.%I', schemaname, indexname) || '|' || indexdef from pg_indexes
      where schemaname = '${schema}' and tablename = '${name}' and not exists
        (select 1 from pg_constraint where conname = indexname)`,
  );
  const indexes = found.split('\n').filter(Boolean);
  for (const line of indexes) psql(url, `drop index ${line.slice(0, line.indexOf('|'))}`);
  await work();
  for (const line of indexes) {
    psql(url, `set maintenance_work_mem = '512MB'; ${line.slice(line.indexOf('|') + 1)}`);
  }
}

const interests = [
  ...[
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
  ],
  ...['chess', 'K-pop', 'trains', 'शायरी', 'coding', 'yoga', 'sketching', 'football', 'anime', 'biryani'],
  ...['Café', 'dance', 'cycling', 'novels', 'गज़ल', 'stars', 'photography', 'board games', 'rain', 'hiking'],
];

/** Skewed: some of the 42 sets are a hundred times as large as others. */
const feltBy: readonly (readonly [Emotion, number])[] = [
  ['Anxious', 0.26],
  ['Sad', 0.24],
  ['Burnout', 0.18],
  ['Happy', 0.13],
  ['Neutral', 0.12],
  ['Angry', 0.07],
];
const unnamedShare = 1 / 3;

function drawFeeling({ next }: SeededRandom): Emotion {
  let left = next();
  return feltBy.find(([, share]) => (left -= share) < 0)?.[0] ?? 'Neutral';
}

/** One feeling in half of the cases, two in three tenths, three in a fifth; fewer where one is drawn twice. */
function drawFeelings(random: SeededRandom): number {
  if (random.next() < unnamedShare) return 0;
  const turn = random.next();
  const count = turn < 0.5 ? 1 : turn < 0.8 ? 2 : 3;
  return toFeelingBits(Array.from({ length: count }, () => drawFeeling(random)));
}

/** Two in five have been away for over 30 days, one in seven for over 90. */
function drawDaysAway({ next, below }: SeededRandom): number {
  const turn = next();
  if (turn < 0.4) return below(8);
  if (turn < 0.6) return 8 + below(23);
  return turn < 0.86 ? 31 + below(60) : 91 + below(300);
}

export async function seedPeople({ url, keys, seals }: SeedTools, people: number): Promise<void> {
  const pairKeys = createPairKeys(keys);
  const day = dayOf(Date.now());

  function* users() {
    const random = createSeededRandom(people);
    const some = (most: number) =>
      list([...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(interests)))]);
    for (let n = 0; n < people; n += 1) {
      // One in seven is a newcomer.
      const age = random.next() < 0.15 ? random.below(14) : 14 + random.below(400);
      const wish = random.next() < 0.3 ? '\\N' : random.pick(matchPreferences);
      const seen = addDays(day, -Math.min(age, drawDaysAway(random)));
      const feelings = drawFeelings(random);
      // Named within the last two months, or on the day of sign-up.
      const feelingsFrom =
        feelings === 0 ? null : halfMonthOf(addDays(day, -Math.min(age, random.below(60))));
      const { avatarSeed, authorSeed, speakerId } = seedBytes(1, n);
      const account = { ...newAccount(addDays(day, -age)), lastSeenOn: seen, feelingsFrom };
      const { facts, lookOn } = factColumns(seals, idAt(n), account);
      yield [
        idAt(n),
        `somebody_${n.toString(36)}`,
        some(6),
        some(4),
        some(2),
        feelings,
        wish,
        'true',
        avatarSeed,
        bytes(authorSeed),
        bytes(speakerId),
        bytes(seals.seal('user', idAt(n), authorSeed, speakerId)),
        bytes(facts),
        lookOn,
      ];
    }
  }

  function* pairs() {
    const random = createSeededRandom(people + 2);
    const cipher = createPairCipher(keys);
    for (let n = 0; n + 10 < people; n += 1) {
      const other = n + 1 + random.below(9);
      const madeOn: Day = addDays(day, -random.below(14));
      if (asksFirst(n) || asksFirst(other)) continue;
      const week = weekOf(madeOn);
      const two = pairKeys.encodeAll([idAt(n), idAt(other)], [week]).toSorted((a, b) => a.compare(b));
      const [aKey, bKey] = two as [Buffer, Buffer];
      const columns = { aKey, bKey, isAskedByA: random.next() < 0.5, week };
      const details = cipher.seal(newDetails({ score: 0.5, emotions: [], reasons: [] }, madeOn), columns);
      yield [
        randomBytes(8).readBigUInt64BE() >> 1n,
        bytes(aKey),
        bytes(bKey),
        columns.isAskedByA ? 't' : 'f',
        columns.week,
        'f',
        bytes(details),
      ];
    }
  }

  await withoutIndexes(url, 'identity.users', () =>
    copy(
      url,
      'identity.users (id, username, interests, likes, dislikes, feelings, match_preference, profile_completed, avatar_seed, author_seed, speaker_id, seal, facts, look_on)',
      users(),
    ),
  );
  await withoutIndexes(url, 'matching.pairs', () =>
    copy(url, 'matching.pairs (id, a_key, b_key, is_asked_by_a, week, is_fresh, details)', pairs()),
  );
  psql(url, 'vacuum analyze');
  const name = new URL(url).pathname.slice(1);
  psql(url, `comment on database ${name} is '${markOf(people)}${day}'`);
}
