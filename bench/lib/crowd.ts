import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { matchPreferences, type Emotion } from '@unsaid/contract';
import { createPairBox } from '../../server/src/matches/pair-details.ts';
import { forgottenFrom, newDetails } from '../../server/src/matches/pair-view.ts';
import { addDays, dayMs, dayOf, type Day } from '../../server/src/platform/clock.ts';
import type { Keys } from '../../server/src/platform/keys.ts';
import type { Seals } from '../../server/src/platform/seals.ts';
import { createSeededRandom, type SeededRandom } from '../../server/src/platform/seeded-random.ts';
import { halfMonthOf, toFeelingBits } from '../../server/src/profiles/feelings.ts';
import { interests as seededInterests, seedBytes } from '../../server/src/profiles/profiles.seed.ts';
import { urlOfDatabase } from '../../tools/services.ts';

/**
 * Any number of people for measuring matching, copied in by the hundred thousand: accounts with feelings, interests and
 * preferences, and about two open pairs each. Every tenth person has no pairs yet: they are the ones who will ask.
 * Matching reads nothing else, so there are no vents.
 */
export interface CrowdTools {
  readonly url: string;
  readonly keys: Keys;
  readonly seals: Seals;
}

/** Raised whenever people are drawn otherwise than before. */
const shape = 4;
/** Days of last visits are fixed when it is filled, and who has been away for a month is not found. */
const freshDays = 5;
export const asksFirst = (position: number) => position % 10 === 0;
/** People are numbered from 1, in the order of their positions. */
export const idAt = (position: number) => BigInt(position + 1);

export const psql = (url: string, text: string) =>
  execFileSync('psql', [url, '-qXAtv', 'ON_ERROR_STOP=1', '-c', text], {
    encoding: 'utf8',
    env: { ...process.env, PGOPTIONS: '-c client_min_messages=warning' },
  }).trim();

const markOf = (people: number) => `a crowd for measuring: ${people} people, shape ${shape}, filled on `;

/** True where this very crowd is there, and not too old. */
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

/** Rows in the text format of COPY, some at a time. */
async function copy(url: string, into: string, rows: Iterable<readonly (string | number | bigint)[]>) {
  function* inParts() {
    let part = '';
    for (const row of rows) {
      part += `${row.join('\t')}\n`;
      if (part.length < 1 << 18) continue;
      yield part;
      part = '';
    }
    yield part;
  }
  const child = spawn('psql', [url, '-qXv', 'ON_ERROR_STOP=1', '-c', `copy ${into} from stdin`], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  await pipeline(Readable.from(inParts()), child.stdin);
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`copying into ${into} failed`);
}

/** Building an index once takes a fraction of filling it row by row. */
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
  ...seededInterests,
  ...['chess', 'K-pop', 'trains', 'शायरी', 'coding', 'yoga', 'sketching', 'football', 'anime', 'biryani'],
  ...['Café', 'dance', 'cycling', 'novels', 'गज़ल', 'stars', 'photography', 'board games', 'rain', 'hiking'],
];

/** Uneven, so that some of the 42 sets are a hundred times as large as others. */
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

export async function fillCrowd({ url, keys, seals }: CrowdTools, people: number): Promise<void> {
  const day = dayOf(Date.now());

  function* users() {
    const random = createSeededRandom(people);
    const some = (most: number) =>
      list([...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(interests)))]);
    for (let n = 0; n < people; n += 1) {
      // One in seven came lately.
      const age = random.next() < 0.15 ? random.below(14) : 14 + random.below(400);
      const wish = random.next() < 0.3 ? '\\N' : random.pick(matchPreferences);
      const seen = addDays(day, -Math.min(age, drawDaysAway(random)));
      const feelings = drawFeelings(random);
      // Named within the last two months, or when they came.
      const from = feelings === 0 ? '\\N' : halfMonthOf(addDays(day, -Math.min(age, random.below(60))));
      const { avatarSeed, authorSeed, speakerId } = seedBytes(1, n);
      yield [
        idAt(n),
        `somebody_${n.toString(36)}`,
        some(6),
        some(4),
        some(2),
        feelings,
        from,
        wish,
        'true',
        avatarSeed,
        bytes(authorSeed),
        bytes(speakerId),
        addDays(day, -age),
        seen,
      ];
    }
  }

  function* pairs() {
    const random = createSeededRandom(people + 2);
    const box = createPairBox(keys);
    for (let n = 0; n + 10 < people; n += 1) {
      const other = n + 1 + random.below(9);
      const madeOn: Day = addDays(day, -random.below(14));
      if (asksFirst(n) || asksFirst(other)) continue;
      const two = [seals.pairKey(idAt(n)), seals.pairKey(idAt(other))].toSorted((a, b) => a.compare(b));
      const [aKey, bKey] = two as [Buffer, Buffer];
      const details = box.seal(newDetails({ score: 0.5, emotions: [], reasons: [] }, madeOn), aKey, bKey);
      yield [
        randomBytes(8).readBigUInt64BE() >> 1n,
        bytes(aKey),
        bytes(bKey),
        random.next() < 0.5 ? 't' : 'f',
        madeOn,
        forgottenFrom(madeOn),
        'f',
        bytes(details),
      ];
    }
  }

  await withoutIndexes(url, 'identity.users', () =>
    copy(
      url,
      'identity.users (id, username, interests, likes, dislikes, feelings, feelings_from, match_preference, profile_completed, avatar_seed, author_seed, speaker_id, created_on, last_seen_on)',
      users(),
    ),
  );
  await withoutIndexes(url, 'matching.pairs', () =>
    copy(
      url,
      'matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, forget_on, is_fresh, details)',
      pairs(),
    ),
  );
  psql(url, 'vacuum analyze');
  const name = new URL(url).pathname.slice(1);
  psql(url, `comment on database ${name} is '${markOf(people)}${day}'`);
}
