/**
 * @module-tag full
 * A day later: author-lock.proof.test.ts finds such a lock on every change, by the locks themselves.
 */
import { react } from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, type Person } from './factories.ts';
import { startTempPostgres, type TempPostgres } from '../../testkit/temp-postgres.ts';
import { areaUnderCurve, seeded } from './statistics.ts';

/**
 * Timing attack: two accounts react to two vents at once. If a lock of the author is held until the commit ends, the
 * second reaction waits for the first only where the vents have one author. A commit takes 5 ms here, as with a cloud
 * disk or a standby, and more on a machine whose noise is larger. Both kinds of pairs alternate and only ranks are
 * compared, so a slow machine slows both equally.
 */

const rounds = 200;
let postgres: TempPostgres;
let app: TestApp;
let watchers: readonly [Person, Person];
/** Two vents for each author. */
const vents: [MadeVents, MadeVents][] = [];
type MadeVents = Awaited<ReturnType<typeof makeVent>>;

beforeAll(async () => {
  postgres = await startTempPostgres();
  await migrate(postgres.url, createLogger('silent', { write: () => undefined }));
  postgres.sql('alter system set commit_siblings = 0');
  setCommitDelay(5);
  app = await startTestApp({ databaseUrl: postgres.url, limitsScale: 1_000_000, logLevel: 'silent' });
  for (let n = 0; n < 8; n += 1) {
    const author = await makeUser(app);
    vents.push([await makeVent(app, author), await makeVent(app, author)]);
  }
  watchers = [await makeUser(app), await makeUser(app)];
});

afterAll(async () => {
  await app.close();
  await postgres.remove();
});

function setCommitDelay(ms: number): void {
  postgres.sql(`alter system set commit_delay = ${Math.round(1000 * ms)}`);
  postgres.sql('select pg_reload_conf()');
}

async function timeReaction(as: Person, { id }: MadeVents): Promise<number> {
  const begun = performance.now();
  const { status } = await app.call(react, { as, body: { ventId: id, reactionType: 'hug' } });
  if (status !== 200) throw new Error(`no reaction: ${status}`);
  return performance.now() - begun;
}

const inOrder = (values: readonly number[]) => values.toSorted((a, b) => a - b);

/** The difference between the two response times: the median of three, against outliers. */
async function measureGap(first: MadeVents, second: MadeVents): Promise<number> {
  const gaps: number[] = [];
  for (let times = 0; times < 3; times += 1) {
    const [one, other] = await Promise.all([
      timeReaction(watchers[0], first),
      timeReaction(watchers[1], second),
    ]);
    gaps.push(Math.abs(one - other));
  }
  return inOrder(gaps)[1] ?? 0;
}

const pairOf = (n: number) => vents[n % vents.length] as (typeof vents)[number];

/**
 * Sets the commit delay to four times the noise between two response times, up to the maximum that PostgreSQL accepts.
 */
async function outweighNoise(): Promise<number> {
  const noise: number[] = [];
  for (let n = 0; n < 24; n += 1) noise.push(await measureGap(pairOf(n)[0], pairOf(n + 1)[1]));
  const ms = Math.min(100, Math.max(5, 4 * (inOrder(noise)[18] ?? 0)));
  setCommitDelay(ms);
  return ms;
}

/**
 * The AUC with which the gap separates pairs of one author from pairs of two; each vent is in equally many pairs of
 * both kinds.
 */
async function measureArea(what: string): Promise<number> {
  const commitMs = await outweighNoise();
  const random = seeded(3);
  const gaps: Record<'same' | 'different', number[]> = { same: [], different: [] };
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = pairOf(round);
    const [, other] = pairOf(round + 1);
    for (const kind of random.shuffle(['same', 'different'] as const))
      gaps[kind].push(await measureGap(first, kind === 'same' ? second : other));
  }
  const area = areaUnderCurve(gaps.same, gaps.different);
  console.log(
    `${what}: AUC ${area.toFixed(3)} in ${rounds} rounds, a commit takes ${commitMs.toFixed(0)} ms`,
  );
  return area;
}

describe('two concurrent reactions', () => {
  test('take as long for vents of one author as for vents of two (R48)', async () => {
    const area = await measureArea('one author against two');
    // Five standard deviations of a random guess in 200 rounds.
    expect(area).toBeGreaterThan(0.355);
    expect(area).toBeLessThan(0.645);
  });

  test('are told apart when a lock for each author is planted (R48)', async () => {
    const authors = vents.flatMap((pair, n) => pair.map(({ number }) => `(${number}, ${n})`));
    postgres.sql(`create table public.author_of (vent_id bigint primary key, author bigint not null)`);
    postgres.sql(`insert into public.author_of values ${authors.join(', ')}`);
    postgres.sql(`
      create function public.lock_author() returns trigger language plpgsql security definer as $$
        begin
          perform pg_advisory_xact_lock(author) from public.author_of where vent_id = new.vent_id;
          return null;
        end $$`);
    postgres.sql(`
      create trigger lock_author after update on content.vent_stats
        for each row execute function public.lock_author()`);
    const area = await measureArea('the same with a planted lock');
    expect(area).toBeGreaterThan(0.9);
  });
});
