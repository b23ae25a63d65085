import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  changeUsername,
  commentOnVent,
  deleteComment,
  deleteVent,
  getHeard,
  isTeamName,
  leastVents,
  listen,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { createHeardCounts } from '../src/content/listening/heard-counts.ts';
import { figureOf, noCounts } from '../src/content/listening/heard-figure.ts';
import { ownTestApp, startBeside, type Actor, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, runJob, type Person } from './factories.ts';
import { withClient } from './db.ts';
import { seeded } from './statistics.ts';
import { fullTier } from './runs.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A Monday in India. The test's clock starts on the Sunday before. */
const monday = Date.parse('2026-11-16T00:00:00+05:30');

const moveTo = (app: TestApp, at: number) => app.clock.advance(at - app.clock.now());
const asTeam = async (app: TestApp, name = 'unsaid_asha'): Promise<Person> => {
  const person = await makeUser(app);
  expect(await app.features.nameTeam(person.phone, name)).toBe(true);
  return person;
};

interface PlannedVent {
  readonly at: number;
  /** Minutes to the first answer of another person. Null: never. */
  readonly wait: number | null;
  readonly isTeam: boolean;
  /** Minutes until its author deletes it. */
  readonly withdrawnAfter: number | null;
  /** The process that is asked loses it. */
  readonly isLost: boolean;
}

/** A week with nights, answers of the team, vents that nobody answers, and vents that are withdrawn. */
function planWeek(): PlannedVent[] {
  const random = seeded(35);
  return Array.from({ length: 190 }, (_, n) => {
    const isNight = n < 120;
    const hours = isNight ? (23 + random.below(8)) % 24 : 7 + random.below(16);
    const at = monday + random.below(7) * day + hours * hour + random.below(60) * minute;
    const wait = random.next() < 0.2 ? null : Math.floor(3 ** (random.next() * 7));
    return {
      at,
      wait,
      isTeam: random.next() < 0.3,
      withdrawnAfter: wait === null && random.next() < 0.4 ? 1 + random.below(2880) : null,
      isLost: n % 10 === 9,
    };
  });
}

/** The smallest whole minute by which half of all were answered, where waits are known by bands alone. */
function medianByHand(waits: readonly number[], heard: number, total: number): number | null {
  const edges = [0, 2, 5, 10, 15, 30, 60, 120, 240, 480, 960, 1440];
  const answeredBy = (at: number) =>
    edges.slice(1).reduce((sum, end, n) => {
      const from = edges[n] ?? 0;
      const inBand = waits.filter((wait) => wait >= from && wait < end).length;
      return sum + inBand * Math.min(1, Math.max(0, (at - from) / (end - from)));
    }, 0);
  for (let at = 1; at <= 1440; at += 1)
    if ((heard / total) * (answeredBy(at) / waits.length) >= 0.5 - 1e-12) return at;
  return null;
}

const isAtNight = ({ at }: PlannedVent) => {
  const hours = Math.floor(((at - monday) % day) / hour);
  return hours >= 23 || hours < 7;
};

describe('the figure of a week', () => {
  test('is what a count by hand gives, with unheard, withdrawn and team answers, a restart and a crash', async () => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const author = await makeUser(app);
    const reader = await makeUser(app);
    const team = await asTeam(app);
    // One process is replaced in the middle of the week, one is killed and never writes its counts.
    const replaced = await startBeside(app);
    const killed = await startBeside(app);
    onTestFinished(replaced.close);
    onTestFinished(killed.close);

    const plan = planWeek();
    const ids = new Map<PlannedVent, string>();
    const steps: { at: number; run: () => Promise<unknown> }[] = plan.flatMap((vent) => {
      const answering = () => (vent.isLost ? killed : app.clock.now() < monday + 3 * day ? replaced : app);
      const answer = async (as: Actor, anonymous: boolean) => {
        const body = { ventId: ids.get(vent) ?? '', text: 'I hear you', anonymous };
        expect((await answering().call(commentOnVent, { as, body })).status).toBe(201);
      };
      const end = (minutes: number) => vent.at + minutes * minute;
      return [
        { at: vent.at, run: async () => ids.set(vent, (await makeVent(app, author)).id) },
        // Comments of the author are no answers, and a second answer is not a first one.
        { at: end(0.5), run: () => (vent.at % 3 === 0 ? answer(author, true) : Promise.resolve()) },
        ...(vent.wait === null
          ? []
          : [
              { at: end(vent.wait) + 1, run: () => answer(vent.isTeam ? team : reader, !vent.isTeam) },
              { at: end(vent.wait + 50), run: () => answer(reader, true) },
            ]),
        ...(vent.withdrawnAfter === null
          ? []
          : [
              {
                at: end(vent.withdrawnAfter),
                run: () => app.call(deleteVent, { as: author, params: { id: ids.get(vent) ?? '' } }),
              },
            ]),
      ];
    });
    // The vents of its last day have another day.
    steps.push({
      at: monday + 7 * day + 5 * hour,
      async run() {
        await runJob(app, 'write-heard-week');
        expect((await app.call(getHeard)).body.week).toBeNull();
      },
    });
    let isReplaced = false;
    for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
      if (at >= monday + 3 * day && !isReplaced) {
        isReplaced = true;
        await replaced.server.close();
      }
      moveTo(app, at);
      await run();
    }
    const inNextWeek = monday + 8 * day + 5 * hour;
    if (app.clock.now() < inNextWeek) moveTo(app, inNextWeek);
    await app.features.heardCounts.flush();
    await runJob(app, 'write-heard-week');

    const isGone = ({ withdrawnAfter }: PlannedVent) => withdrawnAfter !== null;
    const counted = plan.filter((vent) => !isGone(vent) || (vent.withdrawnAfter ?? 0) < 1440);
    const heard = counted.filter(({ wait }) => wait !== null);
    const sample = heard.filter(({ isLost }) => !isLost);
    const waitsOf = (vents: readonly PlannedVent[]) => vents.map(({ wait }) => wait ?? 0);
    const dayOf = (at: number) => Math.floor((at - monday) / day);
    const byNextDay = heard.filter(({ at, wait }) => dayOf(at + (wait ?? 0) * minute) <= dayOf(at) + 1);
    const soon = sample.filter(({ wait }) => (wait ?? 0) < 60).length / sample.length;
    expect(plan.filter(isGone).length).toBeGreaterThan(5);
    expect(counted.length).toBeLessThan(plan.length);
    expect(counted.filter(isAtNight).length).toBeGreaterThanOrEqual(leastVents);
    const { body, headers } = await app.call(getHeard);
    expect(body.week).toEqual({
      week: '2026-11-16',
      medianMinutes: medianByHand(waitsOf(sample), heard.length, counted.length),
      nightMedianMinutes: medianByHand(
        waitsOf(sample.filter(isAtNight)),
        heard.filter(isAtNight).length,
        counted.filter(isAtNight).length,
      ),
      withinHour: Math.floor((100 * heard.length * soon) / counted.length),
      byNextDay: Math.floor((100 * byNextDay.length) / counted.length),
      byTeam: Math.ceil((100 * sample.filter(({ isTeam }) => isTeam).length) / sample.length),
    });
    expect(body.week?.medianMinutes).toBeGreaterThan(2);
    expect(headers['cache-control']).toBe('public, max-age=3600');

    // A second run changes nothing, and an old figure is not shown as that of last week.
    await app.call(deleteVent, { as: author, params: { id: [...ids.values()][0] ?? '' } });
    await runJob(app, 'write-heard-week');
    app.clock.advance(hour);
    expect((await app.call(getHeard)).body.week).toEqual(body.week);
    app.clock.advance(14 * day);
    expect((await app.call(getHeard)).body.week).toBeNull();
  });

  test('is not written for fewer than a hundred vents', async () => {
    const app = await ownTestApp();
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    moveTo(app, monday + hour);
    await makeComment(app, reader, (await makeVent(app, author)).id);
    moveTo(app, monday + 8 * day);
    await app.features.heardCounts.flush();
    await runJob(app, 'write-heard-week');
    expect((await app.call(getHeard)).body).toEqual({ success: true, week: null });
    const { rows } = await withClient(app.config.databaseUrl, (client) =>
      client.query('select * from content.heard_weeks'),
    );
    expect(rows).toEqual([]);

    const quick = noCounts.with(0, 60);
    const week = (vents: number) => ({ vents, heard: 60, nightVents: 0, nightHeard: 0, byNextDay: 60 });
    expect(figureOf('2026-11-16', week(leastVents - 1), quick)).toBeNull();
    expect(figureOf('2026-11-16', week(leastVents), quick)).toMatchObject({
      medianMinutes: 2,
      byNextDay: 60,
    });
    // Those withdrawn unheard are vents too.
    const withdrawn = quick.with(noCounts.length - 1, 1);
    expect(figureOf('2026-11-16', week(leastVents - 1), withdrawn)).not.toBeNull();
  });

  test('says no time where few answered, and tells when it is bad', () => {
    const vents = { vents: 200, heard: 49, nightVents: 100, nightHeard: 9, byNextDay: 20 };
    const counts = noCounts.with(0, 49);
    expect(figureOf('2026-11-16', vents, counts)).toEqual({
      week: '2026-11-16',
      medianMinutes: null,
      nightMedianMinutes: null,
      withinHour: null,
      byNextDay: 10,
      byTeam: null,
    });
  });

  test('counts a vent once, also where its answer was deleted and another came', async () => {
    const app = await ownTestApp();
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const { id: ventId } = await makeVent(app, author);
    for (let n = 0; n < 3; n += 1) {
      const commentId = await makeComment(app, reader, ventId);
      await app.call(deleteComment, { as: reader, params: { ventId, commentId } });
    }
    await app.features.heardCounts.flush();
    const counts = await app.features.heardCounts.read('2026-11-09');
    expect(counts.reduce((all, one) => all + one, 0)).toBe(1);
  });
});

describe('the time of an answer', () => {
  const keysOf = async (app: TestApp) => {
    const names = (await app.redis.keys(`${app.config.redisPrefix}heard:*`)).toSorted();
    return Promise.all(
      names.map(async (name) => ({
        name: name.slice(app.config.redisPrefix.length),
        values: Object.values(await app.redis.hgetall(name)),
      })),
    );
  };

  test('is not in Redis: nothing is written when it comes, and later the same of a process that saw none', async () => {
    const app = await ownTestApp();
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const { id } = await makeVent(app, author);
    const idle = await startBeside(app);
    onTestFinished(idle.close);
    await app.features.heardCounts.flush();
    const before = await keysOf(app);
    app.clock.advance(7 * minute);
    await makeComment(app, reader, id);
    expect(await keysOf(app)).toEqual(before);

    await app.features.heardCounts.flush();
    await idle.features.heardCounts.flush();
    const after = await keysOf(app);
    expect(after.map(({ name }) => name)).toEqual(['heard:2026-11-02', 'heard:2026-11-09']);
    for (const { values } of after) {
      // Of both processes, of one length, without the keys of the service the same to a reader.
      expect(values).toHaveLength(2);
      expect(new Set(values.map((value) => value.length)).size).toBe(1);
      expect(new Set(values).size).toBe(2);
    }
    // Encrypted anew each time, also where nothing changed.
    await idle.features.heardCounts.flush();
    const again = (await keysOf(app)).flatMap(({ values }) => values);
    expect(again.filter((value) => after.some(({ values }) => values.includes(value)))).toHaveLength(2);
  });

  test('is not in the time of a flush, which is random within hours', async () => {
    const app = await ownTestApp();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const delays = Array.from({ length: 20 }, () => {
      createHeardCounts(app.deps).start();
      const timers = vi.getTimerCount();
      let hours = 0;
      while (vi.getTimerCount() === timers) {
        vi.advanceTimersByTime(minute);
        hours += 1 / 60;
        if (hours > 5) throw new Error('no flush');
      }
      vi.clearAllTimers();
      return hours;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...delays)).toBeLessThan(4.1);
    expect(new Set(delays).size).toBeGreaterThan(5);
  });

  test('is not in the metrics: two scrapes around it are equal, and the next hour has it by its door', async () => {
    const app = await ownTestApp();
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const scrape = async () => {
      await app.features.listeningFigures.publish();
      const text = await app.deps.metrics.registry.metrics();
      return text
        .split('\n')
        .filter((line) => /^unsaid_(?:waiting|draws|answers|first)/u.test(line))
        .join('\n');
    };
    const { id: ventId } = await makeVent(app, author);
    const before = await scrape();
    expect(before).toContain('unsaid_waiting_vents{answers="0"} 1');
    await app.call(listen, { as: reader, query: { door: 'region' } });
    const body = { ventId, text: 'I hear you', door: 'region' as const };
    expect((await app.call(commentOnVent, { as: reader, body })).status).toBe(201);
    await app.call(commentOnVent, { as: author, body });
    expect(await scrape()).toBe(before);
    app.clock.advance(hour);
    const after = await scrape();
    expect(after).toContain('unsaid_answers_total{door="region"} 1');
    expect(after).toContain('unsaid_draws_total{door="region"} 1');
    expect(after).toContain('unsaid_waiting_vents{answers="0"} 0');
    expect(after).toContain('unsaid_waiting_vents{answers="1"} 1');
  });
});

test('operators see how long the oldest vent waits, and how many answers a vent of yesterday has', async () => {
  const app = await ownTestApp();
  const [author, ...readers] = [await makeUser(app), await makeUser(app), await makeUser(app)] as const;
  const figures = async () => {
    await app.features.listeningFigures.publish();
    const { registry } = app.deps.metrics;
    const valueOf = async (name: string) =>
      (await registry.getSingleMetric(name)?.get())?.values.map(({ value }) => value);
    return [await valueOf('unsaid_waiting_oldest_hours'), await valueOf('unsaid_answers_per_vent')];
  };
  expect(await figures()).toEqual([[0], []]);
  for (let n = 0; n < 20; n += 1) {
    const { id } = await makeVent(app, author);
    for (const reader of n === 0 ? [] : n % 2 === 0 ? readers : readers.slice(1))
      await makeComment(app, reader, id);
  }
  app.clock.advance(day + 30 * minute);
  expect(await figures()).toEqual([[24], [28 / 20]]);
  // Without the database nothing old is shown.
  await withClient(app.config.databaseUrl, (client) => client.query('drop table content.comments cascade'));
  app.clock.advance(hour);
  expect(await figures()).toEqual([[], []]);
});

describe('the team', () => {
  test(
    'has names that nobody can choose, set by a command for an account that exists',
    fullTier('The command is run by hand, and profiles.test.ts refuses reserved names.'),
    async () => {
      const app = await ownTestApp();
      const [member, other] = [await makeUser(app), await makeUser(app)];
      const run = (...words: string[]) =>
        spawnSync(
          process.execPath,
          [fileURLToPath(new URL('../src/bin/team.ts', import.meta.url)), ...words],
          {
            encoding: 'utf8',
            env: {
              ...bareEnv,
              NODE_ENV: 'test',
              DATABASE_URL: app.config.databaseUrl,
              REDIS_URL: app.config.redisUrl,
              REDIS_CLUSTER: String(app.config.isRedisCluster),
              REDIS_PREFIX: app.config.redisPrefix,
              PHONE_INDEX_COST: String(app.config.phoneIndexCost),
              MASTER_KEYS: app.config.masterKeys
                .map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`)
                .join(','),
            },
          },
        );
      expect(run(member.phone, 'Unsaid_Asha')).toMatchObject({ status: 0, stderr: '' });
      const { id: ventId } = await makeVent(app, other);
      const body = { ventId, text: 'We hear you' };
      const said = await app.call(commentOnVent, { as: member, body });
      expect(said.body.comment.userId.username).toBe('Unsaid_Asha');
      expect(isTeamName('Unsaid_Asha')).toBe(true);

      expect(run(other.phone, 'asha').stderr).toContain('must contain "unsaid"');
      expect(run(other.phone, 'unsaid_asha').stderr).toContain('another account has this name');
      expect(run('+919000000009').stderr).toContain('no account has this number');
      const chosen = await app.call(changeUsername, { as: other, body: { newUsername: 'unsaid_ravi' } });
      expect(chosen.body.code).toBe('USERNAME_INVALID');
    },
  );

  test('is marked by its name alone: no row has a flag', async () => {
    const app = await ownTestApp();
    await asTeam(app);
    const { rows } = await withClient(app.config.databaseUrl, (client) =>
      client.query(
        `select table_name from information_schema.columns
          where column_name like '%team%' and table_schema not in ('pg_catalog', 'information_schema')`,
      ),
    );
    expect(rows).toEqual([{ table_name: 'heard_weeks' }]);
  });
});
