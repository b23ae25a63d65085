import { randomBytes } from 'node:crypto';
import { deleteAccount, exportData } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { findAuthor, sealAuthor } from '../src/moderation/authors.ts';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { takeSlot } from '../src/moderation/reports/report-filing.ts';
import { usePool, useTestApp } from './app.ts';
import { makeDecision } from './decisions.ts';
import { keysOf, makeUser, markConfirmed, signIn, type Person } from './factories.ts';

const app = useTestApp({ limitsScale: 1000 });
const rows = usePool(app);
const day = 24 * 3_600_000;

/** A report in the reporter's first slot, as intake writes it. */
async function makeReport(reporter: Person, caseId: bigint, subjectKey: Buffer): Promise<void> {
  const keys = await keysOf(app, reporter);
  await app.deps.databases.moderation
    .insertInto('moderation.reports')
    .values({
      caseId,
      reporterKey: keys.reporterKeyOn(subjectKey),
      slotKey: await takeSlot(app.deps.databases.moderation, keys, 1),
      reason: 'harassment',
      sealedDetails: createCaseBox(app.deps.keys).seal('details', subjectKey, 'They keep writing to me'),
      weight: 1,
      isNewcomer: false,
      outcome: 'agreed',
      createdAt: new Date(app.clock.now()),
    })
    .execute();
}

async function exportOf(person: Person): Promise<Record<string, unknown>> {
  await markConfirmed(app, person);
  const { status, body } = await app.call(exportData, { as: person });
  expect(status).toBe(200);
  return body.data['moderation'] as Record<string, unknown>;
}

test('an export has the own notices and the own reports, and no id, time or key', async () => {
  const [author, reporter] = [await makeUser(app), await makeUser(app)];
  const made = await makeDecision(app, await keysOf(app, author), {
    excerpt: 'My title',
    sanction: 'limit',
    endsAt: new Date(app.clock.now() + 3 * day),
  });
  await makeReport(reporter, made.caseId, made.subjectKey);
  const today = new Date(app.clock.now()).toISOString().slice(0, 10);
  expect(await exportOf(author)).toMatchObject({
    notices: [
      {
        kind: 'remove',
        about: 'vent',
        policy: 'harassment',
        excerpt: 'My title',
        sanction: 'limit',
        appeal: 'open',
      },
    ],
    reports: [],
  });
  expect(await exportOf(reporter)).toMatchObject({
    notices: [],
    reports: [
      {
        about: 'vent',
        reason: 'harassment',
        details: 'They keep writing to me',
        day: today,
        outcome: 'a rule was broken, and we acted',
      },
    ],
  });
  const text = JSON.stringify([await exportOf(author), await exportOf(reporter)]);
  expect(text).not.toMatch(/_id|T\d\d:|weight|isTipping|startsAt/u);
});

test('an export says no more of a report than the list: not that the author got a note of care', async () => {
  const words: unknown[] = [];
  // As reports of a case that ended with care are stored, and as those of a kept one are.
  for (const outcome of ['unused', 'disagreed']) {
    const [author, reporter] = [await makeUser(app), await makeUser(app)];
    const made = await makeDecision(app, await keysOf(app, author), { kind: 'care' });
    await makeReport(reporter, made.caseId, made.subjectKey);
    await rows.query('update moderation.reports set outcome = $2 where case_id = $1', [made.caseId, outcome]);
    words.push((await exportOf(reporter))['reports']);
  }
  expect(words[0]).toMatchObject([{ outcome: 'no rule was broken' }]);
  expect(words[0]).toEqual(words[1]);
});

test('deleting an account changes no row of moderation, and leaves nobody whose keys find one', async () => {
  const [author, reporter] = [await makeUser(app), await makeUser(app)];
  const ctx = app.features.moderation;
  const keys = await keysOf(app, author);
  const subjectKey = randomBytes(16);
  const made = await makeDecision(app, keys, { subjectKey, sanction: 'suspend', excerpt: 'Mine' });
  const sealedAuthor = sealAuthor(ctx, subjectKey, keys);
  await rows.query('update moderation.cases set sealed_author = $2 where id = $1', [
    made.caseId,
    sealedAuthor,
  ]);
  await makeReport(reporter, made.caseId, subjectKey);
  // Both can be found now.
  expect(await countFound()).toEqual({ notices: 1, reports: 1 });
  expect((await findAuthor(ctx, { subjectKey, sealedAuthor }))?.speakerId).toEqual(keys.speakerId);

  const before = await dump();
  for (const person of [author, reporter]) {
    await markConfirmed(app, person);
    expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
  }
  expect(await dump()).toEqual(before);
  // With the database and the master key: no account derives the keys of these rows, and the author is nobody.
  expect(await countFound()).toEqual({ notices: 0, reports: 0 });
  expect(await findAuthor(ctx, { subjectKey, sealedAuthor })).toBeNull();
  // A new account with the same number is somebody else.
  const back = await signIn(app, reporter.phone);
  expect(await exportOf(back)).toMatchObject({ notices: [], reports: [] });
});

/** How many of these rows the keys of any existing account find. */
async function countFound(): Promise<Record<'notices' | 'reports', number>> {
  const { rows: users } = await rows.query<{ authorSeed: Buffer; speakerId: Buffer }>(
    'select author_seed as "authorSeed", speaker_id as "speakerId" from identity.users',
  );
  const last = 'case_id = (select max(id) from moderation.cases)';
  const people = users.map(app.deps.persons);
  const count = async (table: string, keys: readonly Buffer[]) => {
    return (
      (await rows.query(`select 1 from ${table} where ${last} and slot_key = any($1)`, [keys])).rowCount ?? 0
    );
  };
  return {
    notices: await count(
      'moderation.notices',
      people.flatMap((person) => person.noticeSlots()),
    ),
    reports: await count(
      'moderation.reports',
      people.flatMap((person) => person.slotKeys('report', [1, 2, 3])),
    ),
  };
}

async function dump(): Promise<unknown> {
  const { rows: found } = await rows.query(`
    select to_jsonb(t) as row from moderation.cases t union all select to_jsonb(t) from moderation.notices t
    union all select to_jsonb(t) from moderation.reports t union all select to_jsonb(t) from moderation.audit t`);
  return found;
}
