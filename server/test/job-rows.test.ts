import {
  changeUsername,
  closeToVoice,
  createVent,
  deleteAccount,
  deleteVent,
  getSelf,
  react,
  setMutes,
  setVentComments,
  thankForComment,
} from '@unsaid/contract';
import { beforeAll, expect, test } from 'vitest';
import { nightlyTables } from '../src/identity/sessions/last-seen.queries.ts';
import { bindJobs, putAsideAfter } from '../src/platform/job-rows.ts';
import { listKindsOfRows, type Job } from '../src/platform/job.ts';
import { rewriteTable } from '../src/platform/rewrite-rows.ts';
import { usePool, useTestApp } from './app.ts';
import { signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import { decide, pauseCase, reportItem } from './cases-app.ts';
import {
  makeComment,
  makeUser,
  makeValidCode,
  makeVent,
  markConfirmed,
  runJob,
  suspend,
  type Person,
} from './factories.ts';
import { makeNamed, suggestionsOf } from './pairs.ts';
import { weekOf, weeksFrom } from '../src/platform/coarse-days.ts';
import { addDays, today } from '../src/platform/clock.ts';

/**
 * Three towns with the same rows, some in every table that a job reads. In the first, bytes do not open; in the second the
 * database refuses each change of a row; the third is whole.
 */

const app = useTestApp({ logLevel: 'silent', limitsScale: 10_000 });
const rows = usePool(app);
const day = 24 * 3_600_000;
const towns = { unreadable: 1, refused: 2, whole: 3 } as const;
type Town = (typeof towns)[keyof typeof towns];

/** No job goes through these row by row: one statement deletes, or a function of the owner moves, what is due. */
const inOneStatement = new Set(['content.taken_slots', 'moderation.notices', 'moderation.audit']);

/** Who comes later finds more people; and vents of forgotten accounts go at random moments. */
const byChance = new Set(['matching.pairs', 'content.vents', 'content.vent_search', 'content.vent_stats']);

let tables: string[] = [];
let moderator: SignedInModerator;
const searchers: bigint[] = [];
const visitors: Person[] = [];

beforeAll(async () => {
  moderator = await signInModerator(app, { alias: 'mia' });
  const found = await rows.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('content', 'identity', 'matching', 'moderation')
        and c.relname <> 'failed_rows' order by 1`,
  );
  tables = found.rows.map(({ name }) => name);
  for (const name of tables) await rows.query(`alter table ${name} add column town smallint`);
});

/** What is written from here on is of this town. */
async function settleIn(town: Town | null): Promise<void> {
  for (const name of tables)
    await rows.query(`alter table ${name} alter column town set default ${town ?? 'null'}`);
}

async function leave(as: Person): Promise<void> {
  await markConfirmed(app, as);
  expect((await app.call(deleteAccount, { as })).status).toBe(200);
}

/** What is old when the jobs run. */
async function makeOld(): Promise<void> {
  const [ann, ben] = [await makeNamed(app), await makeNamed(app)];
  await suggestionsOf(app, ann);
  const kept = await makeVent(app, ann);
  const closed = await reportItem(app, { kind: 'vent', id: kept.id }, 'harassment', { as: ben });
  await decide(app, moderator, closed, { outcome: 'keep' });
  const hidden = await makeVent(app, ann);
  const decided = await reportItem(app, { kind: 'vent', id: hidden.id }, 'harassment', { as: ben });
  await decide(app, moderator, decided, { outcome: 'hide' });
}

/** What is some weeks old. */
async function makeLate(): Promise<void> {
  const [ann, ben] = [await makeUser(app), await makeUser(app)];
  const vent = await makeVent(app, ann);
  await pauseCase(app, await reportItem(app, { kind: 'vent', id: vent.id }, 'harassment', { as: ben }));
  await makeVent(app, ann, { keepDays: 1 });
  // Without words: the ticket goes when its time is over.
  await leave(ben);
}

async function makeRecent(town: Town): Promise<void> {
  const [ann, ben, cat, dan, eve] = [
    await makeNamed(app),
    await makeUser(app),
    await makeUser(app),
    await makeUser(app),
    await makeNamed(app),
  ];
  if (town === towns.refused) searchers.push(ann.userId, eve.userId);
  visitors.push(ann);
  const { id } = await makeVent(app, ann);
  await app.call(changeUsername, { as: cat, body: { newUsername: `cat_of_town_${town}` } });
  await makeComment(app, cat, id, { anonymous: false });
  const commentId = await makeComment(app, ben, id);
  await app.call(react, { as: ben, body: { ventId: id, reactionType: 'hug', active: true } });
  const helpful = { ventId: id, commentId: await makeComment(app, eve, id) };
  await app.call(thankForComment, { as: ann, params: helpful });
  await app.call(closeToVoice, { as: ann, params: { ventId: id, commentId } });
  await app.call(setVentComments, { as: ann, params: { id }, body: { allowComments: false } });
  const body = { title: 'Held', text: `Of town ${town}`, emotion: 'Sad', later: true } as const;
  await app.call(createVent, {
    as: ann,
    body,
    headers: { 'idempotency-key': `a-key-of-town-${town}-000001` },
  });
  await app.call(setMutes, { as: ann, body: { words: ['storm'], hashtags: [], emotions: [] } });
  await markConfirmed(app, ann);
  await makeValidCode(app, ann);
  const deleted = await makeVent(app, ann);
  await reportItem(app, { kind: 'vent', id: deleted.id }, 'spam', { as: ben });
  await app.call(deleteVent, { as: ann, params: { id: deleted.id } });
  const pending = await makeVent(app, ann);
  const caseId = await reportItem(app, { kind: 'vent', id: pending.id }, 'harassment', { as: ben });
  await rows.query(`update moderation.cases set pending_effect = 'hide' where id = $1`, [caseId]);
  await leave(cat);
  await suspend(app, dan);
  await leave(dan);
}

async function makeTowns(make: (town: Town) => Promise<void>): Promise<void> {
  await signInAgain(app, moderator);
  for (const town of Object.values(towns)) {
    await settleIn(town);
    await make(town);
  }
  await settleIn(null);
}

/** Turns a bit in each value that no index finds. Twice: as before. */
async function spoil(): Promise<void> {
  const { rows: found } = await rows.query<{ name: string; columns: string[] }>(
    `select attrelid::regclass::text as name, array_agg(attname::text) as columns from pg_attribute a
      where attrelid = any($1::regclass[]) and atttypid = 'bytea'::regtype and attnum > 0
        and not exists (select 1 from pg_index where indrelid = attrelid and attnum = any(indkey))
      group by 1`,
    [tables.filter((one) => one !== 'moderation.audit')],
  );
  for (const { name, columns } of found) {
    const turned = columns.map(
      (column) =>
        `${column} = case when length(${column}) > 0 then set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1) else ${column} end`,
    );
    await rows.query(`update ${name} set ${turned.join()} where town = ${towns.unreadable}`);
  }
}

async function refuse(): Promise<void> {
  await rows.query(`
    create function public.refuse() returns trigger language plpgsql as $$
    begin raise exception 'refused' using errcode = '54000'; end $$`);
  for (const name of tables.filter((one) => !inOneStatement.has(one)))
    await rows.query(
      `create trigger refuse before update or delete on ${name} for each row when (old.town = ${towns.refused})
         execute function public.refuse()`,
    );
  const keys = app.pairKeys.encodeAll(
    searchers,
    weeksFrom(weekOf(today(app.clock)), addDays(today(app.clock), 7)),
  );
  const list = keys.map((key) => String.raw`'\x${key.toString('hex')}'::bytea`).join();
  await rows.query(
    `create trigger refuse_new before insert on matching.pairs for each row
       when (case when new.is_asked_by_a then new.a_key else new.b_key end in (${list}))
       execute function public.refuse()`,
  );
}

const mend = () => rows.query('drop function public.refuse() cascade');

/** What a night does with a table of more than 100,000 rows. */
const rewriteLarge: Job = {
  name: 'rewrite-large-tables',
  cron: '10 0 * * *',
  async run(jobRows) {
    for (const table of nightlyTables) await rewriteTable(app.deps.databases.identity, jobRows, table);
  },
};

async function runAll(): Promise<void> {
  // There are visits to write. Redis keeps a session for a minute of its own time.
  for (const prefix of ['sess', 'standing']) {
    const keys = await app.redis.keys(`${app.config.redisPrefix}${prefix}*`);
    if (keys.length > 0) await app.redis.del(keys);
  }
  for (const as of visitors) await app.call(getSelf, { as });
  app.clock.advance(day);
  for (const { name } of app.features.jobs) await runJob(app, name);
  for (const job of bindJobs([rewriteLarge], app.deps)) await job.run();
  // A worker that was away gives them another moment, and goes on.
  for (let tick = 0; tick < 70; tick += 1) {
    await runJob(app, 'release-held-vents');
    await app.clock.run(30_000);
  }
}

/** By job and kind, how often each of their rows failed. */
async function tries(): Promise<Map<string, number[]>> {
  const found = await rows.query<{ job: string; tries: number[] }>(
    `select job, array_agg(tries::int) as tries from (
       select * from content.failed_rows union all select * from identity.failed_rows union all
       select * from matching.failed_rows union all select * from moderation.failed_rows) as failed
      group by job order by job`,
  );
  return new Map(found.rows.map(({ job, tries }) => [job, tries]));
}

async function metricOf(name: string): Promise<ReadonlyMap<unknown, number>> {
  const metric = await app.deps.metrics.registry.getSingleMetric(name)?.get();
  return new Map(metric?.values.map(({ labels, value }) => [labels['queue'], value]));
}
const failures = () => metricOf('unsaid_job_rows_failed_total');

/** How many rows each table has of a town. */
async function countRows(town: Town): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of tables) {
    const { rows: found } = await rows.query<{ count: number }>(
      `select count(*)::int as count from ${name} where town = ${town}`,
    );
    if (!byChance.has(name)) counts[name] = found[0]?.count ?? 0;
  }
  return counts;
}

const jobOf = (name: string) =>
  [...app.features.jobs, rewriteLarge].find((job) => name.startsWith(`${job.name} `)) as Job;

test('a row that does not open, or that the database refuses, stops no job in any table', async () => {
  // Who comes first brings rows that serve all.
  await makeUser(app);
  await makeTowns(makeOld);
  app.clock.advance(31 * day);
  // One statement empties what is encrypted in closed cases, and another one forgets devices.
  await runJob(app, 'moderation-purge');
  // To the middle of a month: sessions end with it.
  app.clock.advance(330 * day);
  await makeTowns(makeLate);
  app.clock.advance(35 * day);
  await runJob(app, 'forget-old-devices');
  await makeTowns(makeRecent);
  // Deleted by one statement, and shown, when this test is over.
  await rows.query(`update content.idempotency set sent_on = sent_on + 30;
                    update content.thanks set shown_from = shown_from + 30`);
  expect(await countRows(towns.refused)).toEqual(await countRows(towns.whole));
  await spoil();
  await refuse();
  app.setRandom(() => 0.4);
  await runAll();
  const first = await tries();
  const kinds = [...first.keys()].map((name) => name.slice(jobOf(name).name.length + 1));
  expect([...new Set(kinds)].toSorted()).toEqual(listKindsOfRows());
  const counted = await failures();
  for (const name of first.keys()) expect(counted.get(jobOf(name).name), name).toBeGreaterThan(0);
  // Once a run, however often it comes to a row. Held vents had many runs.
  for (const [name, each] of first)
    if (!name.startsWith('release-held-vents')) expect(each, name).toEqual(each.map(() => 1));
  // What else there is, is done.
  const done = await countRows(towns.whole);
  const over = `select town from content.vents where keep_days is not null or state = 'deleted' group by town`;
  expect((await rows.query(over)).rows).toEqual([{ town: towns.refused }]);

  const triesAfter = async (drawn: number) => {
    app.setRandom(() => drawn);
    await runAll();
    return tries();
  };
  // Each wait is on average twice as long as the one before.
  expect(await triesAfter(0.6)).toEqual(first);
  const second = await triesAfter(0.4);
  // Of whoever was here in the last days: the database refuses to write that these were.
  first.delete('top-up-suggestions searchers');
  for (const [name, each] of first) expect(second.get(name), name).toEqual(each.map(() => 2));
  expect(await triesAfter(0.4)).toEqual(second);

  // The waits of a day, without waiting for it.
  for (const name of first.keys())
    for (const schema of ['content', 'identity', 'matching', 'moderation'])
      await rows.query(`update ${schema}.failed_rows set tries = $1 where job = $2`, [
        putAsideAfter(jobOf(name)) - 1,
        name,
      ]);
  const last = await triesAfter(0);
  for (const [name, each] of last) expect(each, name).toEqual(each.map(() => putAsideAfter(jobOf(name))));
  const before = await failures();
  expect(await triesAfter(0)).toEqual(last);
  expect(await failures()).toEqual(before);
  const putAside = await metricOf('unsaid_job_rows_put_aside');
  for (const name of last.keys()) expect(putAside.get(jobOf(name).name), name).toBeGreaterThan(0);

  // Mended by an operator, who forgets the tries: they are done like all others.
  await mend();
  await spoil();
  for (const schema of ['content', 'identity', 'matching', 'moderation'])
    await rows.query(`delete from ${schema}.failed_rows`);
  await triesAfter(0.4);
  expect(await triesAfter(0.4)).toEqual(new Map());
  expect((await rows.query(over)).rows).toEqual([]);
  for (const town of Object.values(towns)) expect(await countRows(town), `town ${town}`).toEqual(done);
}, 300_000);
