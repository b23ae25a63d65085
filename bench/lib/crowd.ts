import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { emotions, matchPreferences } from '@unsaid/contract';
import { blankProfile } from '../../server/src/matches/match-places.service.ts';
import { createProfileCodec } from '../../server/src/matches/match-profile.codec.ts';
import { createPairBox } from '../../server/src/matches/pair-details.ts';
import { addDays, dayMs, dayOf, type Day } from '../../server/src/platform/clock.ts';
import type { Keys } from '../../server/src/platform/keys.ts';
import type { Seals } from '../../server/src/platform/seals.ts';
import { createSeededRandom } from '../../server/src/platform/seeded-random.ts';
import type { Speakers } from '../../server/src/platform/speakers.ts';
import { interests as seededInterests, seedBytes } from '../../server/src/profiles/profiles.seed.ts';
import { urlOfDatabase } from '../../tools/services.ts';

/**
 * Any number of people for measuring matching, copied in by the hundred thousand: accounts with interests and
 * wishes, vents of two months, a blank place in matching (a rebuild fills it), and about two suggestions each.
 * Every tenth person has no suggestions yet: they are the ones who will ask. What only readers of vents need
 * (words, counters) and what only their authors need (slots) is left out.
 */
export interface CrowdTools {
  readonly url: string;
  readonly keys: Keys;
  readonly seals: Seals;
  readonly speakers: Speakers;
}

/** Raised whenever people are drawn otherwise than before. */
const shape = 2;
/** What was written longer ago counts for less, and who has not been seen for a month is not found. */
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
const tagCount = 2000;

export async function fillCrowd({ url, keys, seals, speakers }: CrowdTools, people: number): Promise<void> {
  const day = dayOf(Date.now());

  function* users() {
    const random = createSeededRandom(people);
    const some = (most: number) =>
      list([...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(interests)))]);
    for (let n = 0; n < people; n += 1) {
      // One in seven came lately.
      const age = random.next() < 0.15 ? random.below(14) : 14 + random.below(400);
      const wish = random.next() < 0.3 ? '\\N' : random.pick(matchPreferences);
      const seen = addDays(day, -Math.min(age, Math.floor(25 * random.next() ** 3)));
      const { avatarSeed, authorSeed, speakerId } = seedBytes(1, n);
      yield [idAt(n), `somebody_${n.toString(36)}`, some(6), some(4), some(2), wish, 'true'].concat(
        avatarSeed,
        bytes(authorSeed),
        bytes(speakerId),
        addDays(day, -age),
        seen,
      );
    }
  }

  /** Three in ten write nothing; the others mostly one feeling, and about four vents in two months. */
  function* vents() {
    const random = createSeededRandom(people + 1);
    for (let n = 0; n < people; n += 1) {
      if (random.next() < 0.3) continue;
      const { speakerId } = seedBytes(1, n);
      const mostly = random.pick(emotions);
      const own = random.below(tagCount);
      for (let count = 1 + Math.min(40, random.skewed(3)); count > 0; count -= 1) {
        const emotion = random.next() < 0.65 ? mostly : random.pick(emotions);
        const tags = Array.from({ length: random.below(3) }, () =>
          random.next() < 0.5 ? own : Math.floor(tagCount * random.next() ** 3),
        );
        const at = new Date(Date.now() - random.next() * 60 * dayMs).setUTCSeconds(0, 0);
        yield [
          bytes(speakers.encrypt('vent', speakerId, count)),
          bytes(randomBytes(16)),
          emotion,
          'Something',
          'that was said',
          list(tags.map((tag) => `tag ${tag}`)),
          new Date(at).toISOString(),
        ];
      }
    }
  }

  function* places() {
    const codec = createProfileCodec(keys);
    for (let n = 0; n < people; n += 1) {
      const { matchKey, cell, shuffle, generation, sealed } = blankProfile(
        seals.matchKey(idAt(n)),
        codec,
        day,
      );
      yield [bytes(matchKey), cell, shuffle, generation, bytes(sealed)];
    }
  }

  function* pairs() {
    const random = createSeededRandom(people + 2);
    const box = createPairBox(keys);
    for (let n = 0; n + 10 < people; n += 1) {
      const other = n + 1 + random.below(9);
      const closesOn: Day = addDays(day, 1 + random.below(14));
      if (asksFirst(n) || asksFirst(other)) continue;
      const two = [seals.pairKey(idAt(n)), seals.pairKey(idAt(other))].toSorted((a, b) => a.compare(b));
      const [aKey, bKey] = two as [Buffer, Buffer];
      const details = box.seal({ score: 0.5, emotions: [], reasons: [] }, aKey, bKey);
      const id = seals.pairNumber(aKey, bKey);
      yield [id, bytes(aKey), bytes(bKey), closesOn, addDays(closesOn, 30), 'f', 1, 'f', bytes(details)];
    }
  }

  await withoutIndexes(url, 'identity.users', () =>
    copy(
      url,
      'identity.users (id, username, interests, likes, dislikes, match_preference, profile_completed, avatar_seed, author_seed, speaker_id, created_on, last_seen_on)',
      users(),
    ),
  );
  await withoutIndexes(url, 'content.vents', () =>
    copy(url, 'content.vents (speaker, slot_key, emotion, title, body, hashtags, created_at)', vents()),
  );
  await withoutIndexes(url, 'matching.match_profiles', () =>
    copy(url, 'matching.match_profiles (match_key, cell, shuffle, generation, sealed)', places()),
  );
  await withoutIndexes(url, 'matching.match_pairs', () =>
    copy(
      url,
      'matching.match_pairs (id, a_key, b_key, closes_on, forget_on, is_thin, generation, is_fresh, details)',
      pairs(),
    ),
  );
  psql(url, 'vacuum analyze');
  const name = new URL(url).pathname.slice(1);
  psql(url, `comment on database ${name} is '${markOf(people)}${day}'`);
}
