import { deleteVent, getVent, reportReasons, reportVent, ventsSince } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { createCaseBox } from '../src/moderation/case-box.ts';
import type { ItemSnapshot } from '../src/kernel/subjects.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import type { Actor, Answer } from './app.ts';
import { makeVent, runJob } from './factories.ts';
import { ann, app, ben, cat, countRows, outcomeOf, rows, ventBody, useVentApp } from './vent-app.ts';

useVentApp();

const report = (as: Actor, ventId: string, reason: string) =>
  app.call(reportVent, { as, body: { ventId, reason } });

/** The copy of a reported vent, as moderators read it. */
async function readCopy(ventNumber: bigint): Promise<ItemSnapshot | null> {
  const subjectKey = createSubjects(app.deps.keys).keyOf({ kind: 'vent', ventId: ventNumber });
  const { rows: found } = await rows.query<{ sealed: Buffer }>(
    'select sealed_item as sealed from moderation.cases where subject_key = $1',
    [subjectKey],
  );
  return found[0] ? createCaseBox(app.deps.keys).open('item', subjectKey, found[0].sealed) : null;
}

test('a second report gets the same response and is stored once, and the author sees nothing of it (SC-24)', async () => {
  const { id, number } = await makeVent(app, ann, ventBody);
  const before = await app.call(getVent, { as: ann, params: { id } });
  const first = await report(ben, id, 'Spam');
  const again = await report(ben, id, 'Harassment');
  expect([first.status, first.text.trimEnd(), again.status, again.text.trimEnd()]).toEqual([
    201,
    '{"success":true}',
    201,
    '{"success":true}',
  ]);
  const names = ({ headers }: Answer<unknown>) => Object.keys(headers).toSorted();
  expect(names(again)).toEqual(names(first));
  await report(cat, id, 'Other: because');
  const { rows: kept } = await rows.query<{ reason: string; key: Buffer; hasDetails: boolean }>(
    `select reason, reporter_key as key, sealed_details is not null as "hasDetails" from moderation.reports
      order by reason desc`,
  );
  expect(kept.map(({ reason, hasDetails }) => [reason, hasDetails])).toEqual([
    ['spam', false],
    ['other', true],
  ]);
  expect(new Set(kept.map(({ key }) => key.toString('hex'))).size).toBe(2);
  expect((await readCopy(number))?.paragraphs.map(({ text }) => text)).toEqual(
    expect.arrayContaining([ventBody.title, ventBody.text, ventBody.emotion]),
  );
  expect((await app.call(getVent, { as: ann, params: { id } })).text).toBe(before.text);
  expect((await app.call(ventsSince, { as: ann })).body.since).toEqual({
    heart: 0,
    hug: 0,
    listen: 0,
    comments: 0,
  });
});

test('a report of the caller’s own vent is refused, and nothing is stored (S4.11, S6.2, S6.8)', async () => {
  const { id } = await makeVent(app, ann);
  expect(outcomeOf(await report(ann, id, 'Spam'))).toEqual([403, 'CANNOT_REPORT_OWN']);
  expect(await countRows('moderation.cases')).toBe(0);
});

test('a report accepts the four reasons and Other with up to 500 characters of details, and nothing else (S3.19, S5.9, S7.13)', async () => {
  for (const reason of [...reportReasons, 'Other: x', `Other: ${'😢'.repeat(500)}`]) {
    expect((await report(ben, (await makeVent(app, ann)).id, reason)).status).toBe(201);
  }
  const { id } = await makeVent(app, ann);
  for (const reason of [
    '',
    ' ',
    'spam',
    'Other: ',
    'Something',
    'Spam: details',
    `Other: ${'x'.repeat(501)}`,
    null,
    5,
  ]) {
    const answer = await report(ben, id, reason as string);
    expect([reason, ...outcomeOf(answer), answer.body.message]).toEqual([
      reason,
      422,
      'VALIDATION_FAILED',
      'Please select a reason for reporting.',
    ]);
  }
});

test('a case keeps its copy when the author deletes the vent', async () => {
  const { id, number } = await makeVent(app, ann, ventBody);
  await report(ben, id, 'Harassment');
  await app.call(deleteVent, { as: ann, params: { id } });
  await runJob(app, 'remove-deleted-vents');
  expect(await countRows('content.vents')).toBe(0);
  expect((await readCopy(number))?.excerpt).toBe(ventBody.title);
});
