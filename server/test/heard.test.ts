import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  changeUsername,
  commentOnVent,
  deleteVent,
  getHeard,
  isTeamName,
  leastVents,
  listen,
  setVentComments,
  type createVent,
  type RequestOf,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { ownTestApp, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, runJob, type Person } from './factories.ts';
import { withClient } from './db.ts';
import { seeded } from './statistics.ts';
import { fullTier } from './runs.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A Monday in India. The test's clock starts on the Sunday before. */
const monday = Date.parse('2026-11-16T00:00:00+05:30');

const isEmpty = (change: object) => Object.keys(change).length === 0;
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
  readonly change: Partial<RequestOf<typeof createVent>['body']>;
  /** Deleted by its author, or closed for comments, before it is counted. */
  readonly end: 'deleted' | 'closed' | null;
}

/** A week with vents that nobody answers, ask for a hug, go by themselves, or were taken back or closed. */
function planWeek(): PlannedVent[] {
  const random = seeded(35);
  return Array.from({ length: 190 }, (_, n) => ({
    at: monday + random.below(7 * 24 * 60) * minute,
    wait: random.next() < 0.2 ? null : Math.floor(3 ** (random.next() * 8)),
    change: n % 19 === 0 ? { need: 'hug' } : n % 17 === 0 ? { keepDays: 7 } : {},
    end: n % 11 === 0 ? 'deleted' : n % 7 === 0 ? 'closed' : null,
  }));
}

describe('the figure of a week', () => {
  test('is what a count by hand gives', async () => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const plan = planWeek();
    const ids = new Map<PlannedVent, string>();
    const answer = async (vent: PlannedVent, as: Person) => {
      const body = { ventId: ids.get(vent) ?? '', text: 'I hear you', anonymous: true };
      const { status } = await app.call(commentOnVent, { as, body });
      expect(status).toBe(vent.change.need === 'hug' ? 403 : 201);
    };
    const steps: { at: number; run: () => Promise<unknown> }[] = plan.flatMap((vent) => {
      const { at, wait, change } = vent;
      return [
        { at, run: async () => ids.set(vent, (await makeVent(app, author, change)).id) },
        // Of the author: no answer.
        { at: at + minute / 2, run: () => (at % 3 === 0 ? answer(vent, author) : Promise.resolve()) },
        ...(wait === null ? [] : [{ at: at + wait * minute + 1, run: () => answer(vent, reader) }]),
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
    for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
      if (at >= monday + 8 * day) break;
      moveTo(app, at);
      await run();
    }
    moveTo(app, monday + 8 * day + 5 * hour);
    for (const vent of plan) {
      const params = { id: ids.get(vent) ?? '' };
      if (vent.end === 'deleted') await app.call(deleteVent, { as: author, params });
      if (vent.end === 'closed')
        await app.call(setVentComments, { as: author, params, body: { allowComments: false } });
    }
    await runJob(app, 'write-heard-week');

    const wasHeard = ({ at, wait }: PlannedVent) => wait !== null && at + wait * minute < monday + 8 * day;
    const counted = plan.filter(
      (vent) => vent.end !== 'deleted' && !(vent.end === 'closed' && !wasHeard(vent)) && isEmpty(vent.change),
    );
    const dayOf = (at: number) => Math.floor((at - monday) / day);
    const soon = counted.filter(
      ({ at, wait }) => wait !== null && dayOf(at + wait * minute) <= dayOf(at) + 1,
    );
    expect(counted.length).toBeGreaterThan(leastVents);
    expect(soon.length).toBeLessThan(counted.filter(wasHeard).length);
    const { body, headers } = await app.call(getHeard);
    const byNextDay = Math.floor((100 * soon.length) / counted.length);
    expect(body.week).toEqual({ week: '2026-11-16', byNextDay });
    expect(headers['cache-control']).toBe('public, max-age=3600');

    // A second run changes nothing, and an old figure is not shown as that of last week.
    for (const vent of counted.slice(0, 60))
      await app.call(deleteVent, { as: author, params: { id: ids.get(vent) ?? '' } });
    await runJob(app, 'write-heard-week');
    app.clock.advance(hour);
    expect((await app.call(getHeard)).body.week).toEqual(body.week);
    app.clock.advance(14 * day);
    expect((await app.call(getHeard)).body.week).toBeNull();
  });

  test.each([
    [leastVents - 1, null],
    [leastVents, 1],
  ])('of %i vents is %o', async (count, byNextDay) => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    moveTo(app, monday + hour);
    for (let n = 0; n < count; n += 1) {
      const { id } = await makeVent(app, author);
      if (n === 0) await makeComment(app, reader, id);
    }
    moveTo(app, monday + 8 * day);
    await runJob(app, 'write-heard-week');
    const { week } = (await app.call(getHeard)).body;
    expect(week?.byNextDay ?? null).toBe(byNextDay);
    const { rows } = await withClient(app.config.databaseUrl, (client) =>
      client.query('select by_next_day from content.heard_weeks'),
    );
    expect(rows).toEqual(byNextDay === null ? [] : [{ by_next_day: byNextDay }]);
  });
});

describe('the time of an answer', () => {
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
    expect(rows).toEqual([]);
  });
});
