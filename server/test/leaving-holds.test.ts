import { deleteAccount } from '@unsaid/contract';
import { afterEach, expect, test } from 'vitest';
import { createSubjects, type Subject } from '../src/kernel/subjects.ts';
import { usePool, useTestApp } from './app.ts';
import { makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app);
const hour = 3_600_000;
const day = 24 * hour;

afterEach(async () => {
  await rows.query('truncate content.leavings, content.vents cascade');
  await rows.query('truncate moderation.cases cascade');
});

async function openCase(subject: Subject, severity: number): Promise<bigint> {
  const now = new Date(app.clock.now());
  const { id } = await app.deps.databases.moderation
    .insertInto('moderation.cases')
    .values({
      subjectKey: createSubjects(app.deps.keys).keyOf(subject),
      subjectKind: subject.kind,
      source: 'report',
      policy: 'threat',
      severity,
      language: 'en',
      openedAt: now,
      dueAt: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function closeCase(id: bigint): Promise<void> {
  const at = new Date(app.clock.now());
  await app.deps.databases.moderation
    .updateTable('moderation.cases')
    .set({ state: 'closed', outcome: 'moot', decidedAt: at, purgeAt: at })
    .where('id', '=', id)
    .execute();
}

async function leave(person: Person): Promise<void> {
  await markConfirmed(app, person);
  const query = { removeWords: '3days' as const };
  expect((await app.call(deleteAccount, { as: person, query })).status).toBe(200);
}

/** Runs the worker every hour. What it misses, it removes within some days, so a test runs it for weeks. */
async function runFor(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += hour) {
    app.clock.advance(hour);
    await runJob(app, 'remove-due-content');
  }
}

const countIn = async (table: string) => (await rows.query(`select 1 from ${table}`)).rowCount;
const left = async () => ({
  vents: await countIn('content.vents'),
  comments: await countIn('content.comments'),
  tickets: await countIn('content.leavings'),
});

test('items in a severe case stay until it is closed, then they go, and the ticket with them', async () => {
  const [author, other] = [await makeUser(app), await makeUser(app)];
  const theirs = await makeVent(app, other);
  const reported = await makeVent(app, author);
  for (let n = 0; n < 3; n += 1) await makeVent(app, author);
  const minor = await makeVent(app, author);
  const commentId = await makeComment(app, author, theirs.id, { anonymous: true });
  await makeComment(app, author, theirs.id);
  const comment = app.deps.publicIds.comment.decode(commentId);
  if (!comment) throw new Error('no comment');
  const cases = [
    await openCase({ kind: 'vent', ventId: reported.number }, 4),
    await openCase({ kind: 'comment', ...comment }, 3),
  ];
  // Of severity 2: not held.
  await openCase({ kind: 'vent', ventId: minor.number }, 2);
  await leave(author);
  await runFor(28 * day);
  // The other person's vent, and the two that are held.
  expect(await left()).toEqual({ vents: 2, comments: 1, tickets: 1 });
  // Waiting for moderators is no fault of the worker.
  expect(await app.features.leaving.overdueMs()).toBe(0);
  for (const id of cases) await closeCase(id);
  // It is measured anew after ten minutes.
  app.clock.advance(hour / 6);
  expect(await app.features.leaving.overdueMs()).toBeGreaterThan(0);
  await runFor(24 * day);
  expect(await left()).toEqual({ vents: 1, comments: 0, tickets: 0 });
});

test('a decided case holds until its appeal is over, and a closed one does not', async () => {
  const author = await makeUser(app);
  const vent = await makeVent(app, author);
  const first = await openCase({ kind: 'vent', ventId: vent.number }, 4);
  await closeCase(first);
  const second = await openCase({ kind: 'vent', ventId: vent.number }, 3);
  await rows.query(
    `insert into moderation.moderators (alias, role) values ('held-one', 'lead') on conflict do nothing`,
  );
  await rows.query(
    `update moderation.cases set state = 'decided', outcome = 'remove', decided_at = opened_at,
            appeal_until = opened_at + interval '30 days',
            decided_by = (select id from moderation.moderators where alias = 'held-one') where id = $1`,
    [second],
  );
  await leave(author);
  await runFor(28 * day);
  expect(await left()).toMatchObject({ vents: 1, tickets: 1 });
  await rows.query(`update moderation.cases set state = 'closed', purge_at = now() where id = $1`, [second]);
  await runFor(24 * day);
  expect(await left()).toMatchObject({ vents: 0, tickets: 0 });
});
