import { createReport, reportReasonCodes, reportVent, type ReportSubject } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { reportReasonOrder, sendReport } from './reports.ts';
import { testServer } from './testing.tsx';

const vent: ReportSubject = { kind: 'vent', id: 'v1' };
const comment: ReportSubject = { kind: 'comment', id: 'c1', ventId: 'v1' };

test('every reason is offered once', () => {
  expect(reportReasonOrder.toSorted()).toEqual(reportReasonCodes.toSorted());
});

test('a vent is reported by the call of the specification for its four reasons, and by the new call for others', async () => {
  const requests = testServer(() => ({}));
  await sendReport(vent, 'spam', '');
  await sendReport(vent, 'other', ' About me. ');
  await sendReport(vent, 'other', ' ');
  await sendReport(vent, 'worried', '');
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [reportVent.path, { ventId: 'v1', reason: 'Spam' }],
    [reportVent.path, { ventId: 'v1', reason: 'Other: About me.' }],
    [reportVent.path, { ventId: 'v1', reason: 'Other' }],
    [createReport.path, { about: vent, reason: 'worried' }],
  ]);
});

test('a comment is reported with its vent, and details go only with a reason that takes them', async () => {
  const requests = testServer(() => ({}));
  await sendReport(comment, 'private_info', 'My number.');
  // Written for another reason, which was then changed.
  await sendReport(comment, 'harassment', 'My number.');
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [createReport.path, { about: comment, reason: 'private_info', details: 'My number.' }],
    [createReport.path, { about: comment, reason: 'harassment' }],
  ]);
});
