import {
  appealNotice,
  changeUsername,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  getSelf,
  getVent,
  listComments,
  listInbox,
  listNotices,
  listVents,
  updateDetails,
} from '@unsaid/contract';
import {
  decideCase,
  escalateCase,
  extendLease,
  getCase,
  getMetrics,
  listAudit,
  listCases,
  nextCase,
  openCase,
  releaseCase,
  resolveAppeal,
  reverseCase,
  takeCase,
  type CaseView,
} from '@unsaid/contract/moderation/console';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listWaiting } from '../src/moderation/cases/cases.queries.ts';
import { dayInIndia } from '../src/platform/clock.ts';
import { ownTestApp, useTestApp, usePool } from './app.ts';
import { withClient } from './db.ts';
import { proveAgain, signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import {
  appealCase,
  auditOf,
  decide,
  noticeOf,
  noticeRowOf,
  pauseCase,
  readCase,
  reportItem,
  resolve,
  reveal,
  rowOf,
  take,
} from './cases-app.ts';
import { keysOf, makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';
import { collide } from './locks.ts';

const app = useTestApp({ limitsScale: 10_000 });
const owner = usePool(app);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let mia: SignedInModerator;
let noor: SignedInModerator;
let lead: SignedInModerator;
let ann: Person;
let ben: Person;
let reporter: Person;

const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

beforeAll(async () => {
  mia = await signInModerator(app, { alias: 'mia' });
  noor = await signInModerator(app, { alias: 'noor' });
  lead = await signInModerator(app, { alias: 'lea', role: 'lead' });
});

beforeEach(async () => {
  await owner.query(
    'truncate moderation.cases, moderation.reports, moderation.notices, content.vents cascade',
  );
  app.clock.advance(minute);
  for (const moderator of [mia, noor, lead]) await signInAgain(app, moderator);
  // Sanctions and months that pass would follow shared people from test to test.
  ann = await makeUser(app);
  ben = await makeUser(app);
  reporter = await makeUser(app);
});

const isVisible = async (as: Person, id: string) =>
  (await app.call(getVent, { as, params: { id } })).status === 200;
const logged = () => app.log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
const standingOf = async (person: Person) =>
  app.features.standing.find(await keysOf(app, person), { skipCache: true });

async function reportedVent(author = ann, reason: Parameters<typeof reportItem>[2] = 'harassment') {
  const vent = await makeVent(app, author);
  const id = await reportItem(app, { kind: 'vent', id: vent.id }, reason, { as: reporter });
  return { vent, id };
}

describe('the queue', () => {
  test('gives severity 4 first, then by the time that cases are due, and each to one moderator', async () => {
    const mild = await reportedVent(ann, 'spam');
    app.clock.advance(minute);
    const harsh = await reportedVent(ann, 'harassment');
    app.clock.advance(minute);
    const grave = await reportedVent(ann, 'private_info');
    const listed = await app.callMod(listCases, { as: mia, query: {} });
    expect(listed.body.cases.map(({ id }) => id)).toEqual([grave.id, harsh.id, mild.id]);
    expect(listed.body).toMatchObject({ hasMore: false, waiting: 3 });
    const taken = [];
    for (const as of [mia, noor, mia]) taken.push((await app.callMod(nextCase, { as })).body.case?.id);
    expect(taken).toEqual([grave.id, harsh.id, mild.id]);
    expect((await app.callMod(nextCase, { as: noor })).body.case).toBeNull();
    const mine = await app.callMod(listCases, { as: mia, query: { show: 'mine' } });
    expect(mine.body.cases.map(({ id, lease }) => [id, lease])).toEqual([
      [grave.id, 'mine'],
      [mild.id, 'mine'],
    ]);
    // The lease ends after ten minutes, and the case goes to whoever asks next.
    app.clock.advance(10 * minute);
    expect((await app.callMod(nextCase, { as: noor })).body.case?.id).toBe(grave.id);
  });

  test('gives the older of two cases that are due at the same time, wherever their rows are', async () => {
    const first = await reportedVent(ann);
    await reportedVent(ben);
    // Moves its row, and its place in the index, behind the other.
    for (const by of ['1 minute', '-1 minute'])
      await owner.query('update moderation.cases set due_at = due_at + $2::interval where id = $1', [
        first.id,
        by,
      ]);
    expect((await app.callMod(nextCase, { as: mia })).body.case?.id).toBe(first.id);
  });

  test('gives a case that is overdue for a day before newer ones of severity 4', async () => {
    const harsh = await reportedVent(ann, 'harassment');
    const appealed = await reportedVent(ann, 'harassment');
    expect((await decide(app, lead, appealed.id, { outcome: 'remove' })).status).toBe(200);
    expect(await appealCase(app, appealed.id, 'Look again')).toBe(true);
    const next = async (as: SignedInModerator) => (await app.callMod(nextCase, { as })).body.case?.id;
    const alarms: string[] = [];
    const alarm = async () => alarms.push((await reportedVent(ben, 'minor_safety')).id);
    // Due for 24 hours, and overdue for 24: not yet longer.
    app.clock.advance(48 * hour);
    for (const moderator of [mia, noor]) await signInAgain(app, moderator);
    await alarm();
    expect(await next(mia)).toBe(alarms[0]);
    app.clock.advance(minute);
    await alarm();
    const list = async () => (await app.callMod(listCases, { as: mia, query: {} })).body.cases;
    expect((await list()).map(({ id }) => id)).toEqual([harsh.id, ...alarms]);
    expect(
      (await listWaiting(app.deps.databases.moderation, 9, new Date(app.clock.now()))).map(({ id }) =>
        String(id),
      ),
    ).toEqual([harsh.id, ...alarms, appealed.id]);
    expect(await next(noor)).toBe(harsh.id);
    // An appeal is due at the end of the third day.
    app.clock.advance(96 * hour);
    for (const moderator of [mia, noor]) await signInAgain(app, moderator);
    for (let n = 0; n < 5; n += 1) await alarm();
    await owner.query('update moderation.cases set leased_by = null, leased_until = null');
    const given = [];
    for (let n = 0; n < 4; n += 1) given.push(await next(mia));
    expect(given).toEqual([harsh.id, alarms[0], alarms[1], appealed.id]);
  });

  test('shows a case without its text, its author or a reporter', async () => {
    const vent = await makeVent(app, ann, { title: 'Secret title', text: 'Secret words' });
    const details = 'They follow me everywhere';
    const id = await reportItem(app, { kind: 'vent', id: vent.id }, 'harassment', { details, as: reporter });
    const answer = await app.callMod(getCase, { as: mia, params: { id } });
    expect(answer.body.case).toMatchObject({
      id,
      kind: 'vent',
      source: 'report',
      policy: 'harassment',
      severity: 3,
      state: 'open',
      reporters: 1,
      reasons: [{ reason: 'harassment', count: 1 }],
      lease: 'none',
      version: expect.any(Number),
      parts: ['item', 'details'],
      isSevere: true,
      points: null,
      suggestedSanction: 'none',
      isAuthorGone: false,
      outcome: null,
      note: null,
    });
    expect(answer.text).not.toMatch(/secret|follow me/iu);
    expect(answer.text).not.toContain(vent.id);
    expect(refusal(await app.callMod(getCase, { as: mia, params: { id: '999999' } }))).toEqual([
      404,
      'CASE_NOT_FOUND',
    ]);
  });

  test('tells nobody that two cases have one author', async () => {
    const host = await makeVent(app, ben);
    const people = [await makeUser(app), await makeUser(app), ann];
    const cases: string[] = [];
    for (const [n, person] of people.entries()) {
      await app.call(changeUsername, { as: person, body: { newUsername: `of_one_author_${n}` } });
      const comment = await makeComment(app, person, host.id, { anonymous: false });
      cases.push(await reportItem(app, { kind: 'comment', id: comment, ventId: host.id }));
    }
    const { id } = await reportedVent(ann);
    const factsOf = ({ points, suggestedSanction, isAuthorGone }: CaseView) => [
      points,
      suggestedSanction,
      isAuthorGone,
    ];
    const readAll = async () => {
      const seen = [];
      for (const one of cases) seen.push(factsOf(await readCase(app, lead, one)));
      return seen;
    };
    const unknown = [null, 'none', false];
    expect(await readAll()).toEqual([unknown, unknown, unknown]);
    // A decision about the vent moves none of the cases about named comments, not even for who holds them.
    const held = [];
    for (const one of cases) held.push(factsOf(await take(app, lead, one)));
    await decide(app, mia, id, { outcome: 'hide', policy: 'harassment' });
    expect(await readAll()).toEqual(held);
    expect(new Set(held.map(String)).size).toBe(1);
    // Nor does a case that is opened on the same day know of it.
    const later = await reportedVent(ann);
    expect(factsOf(await take(app, mia, later.id))).toEqual(['none', 'none', false]);
    // When the author leaves, who does not hold a case sees no change.
    app.clock.advance(11 * minute);
    const before = [...(await readAll()), factsOf(await readCase(app, lead, later.id))];
    await markConfirmed(app, ann);
    expect((await app.call(deleteAccount, { as: ann })).status).toBe(200);
    expect([...(await readAll()), factsOf(await readCase(app, lead, later.id))]).toEqual(before);
  });

  test('after a skip the moderator gets another case, and the skipped one goes to somebody else', async () => {
    const first = await reportedVent();
    app.clock.advance(minute);
    const second = await reportedVent();
    expect((await app.callMod(nextCase, { as: mia })).body.case?.id).toBe(first.id);
    const skipped = await app.callMod(releaseCase, {
      as: mia,
      params: { id: first.id },
      body: { isSkip: true },
    });
    expect(skipped.status).toBe(200);
    expect((await app.callMod(nextCase, { as: mia })).body.case?.id).toBe(second.id);
    expect((await app.callMod(nextCase, { as: noor })).body.case?.id).toBe(first.id);
    expect((await auditOf(app, first.id)).map(({ action }) => action)).toEqual([
      'opened',
      'reported',
      'taken',
      'skipped',
      'taken',
    ]);
  });

  test('prefers the languages of a moderator, but is no wall, and severity 4 comes before a language', async () => {
    const english = await reportedVent();
    app.clock.advance(minute);
    const hindi = await reportedVent();
    app.clock.advance(minute);
    const grave = await reportedVent(ann, 'private_info');
    await owner.query(`update moderation.cases set language = 'hi' where id = $1`, [hindi.id]);
    await owner.query(`update moderation.moderators set languages = '{hi}' where alias = 'mia'`);
    const taken = [];
    for (let n = 0; n < 3; n += 1) taken.push((await app.callMod(nextCase, { as: mia })).body.case?.id);
    expect(taken).toEqual([grave.id, hindi.id, english.id]);
    await owner.query(`update moderation.moderators set languages = default where alias = 'mia'`);
  });

  test('an escalated case is for leads', async () => {
    const { id } = await reportedVent();
    const { version } = await take(app, mia, id);
    const body = { version, note: 'Is this the same person as in the news?' };
    expect(
      refusal(
        await app.callMod(escalateCase, { as: mia, params: { id }, body: { ...body, version: version - 1 } }),
      ),
    ).toEqual([409, 'CASE_CHANGED']);
    expect(refusal(await app.callMod(escalateCase, { as: noor, params: { id }, body }))).toEqual([
      409,
      'LEASE_LOST',
    ]);
    expect((await app.callMod(escalateCase, { as: mia, params: { id }, body })).status).toBe(200);
    expect((await app.callMod(nextCase, { as: noor })).body.case).toBeNull();
    expect((await app.callMod(listCases, { as: noor, query: {} })).body.cases).toEqual([]);
    expect(refusal(await app.callMod(takeCase, { as: noor, params: { id } }))).toEqual([
      403,
      'ROLE_REQUIRED',
    ]);
    const got = (await app.callMod(nextCase, { as: lead })).body.case;
    expect(got).toMatchObject({ id, state: 'escalated', note: `mia: ${body.note}` });
  });

  test('a lease can be extended and given back by its holder alone', async () => {
    const { id } = await reportedVent();
    await take(app, mia, id);
    expect(refusal(await app.callMod(takeCase, { as: noor, params: { id } }))).toEqual([409, 'LEASE_LOST']);
    expect(refusal(await app.callMod(extendLease, { as: noor, params: { id } }))).toEqual([
      409,
      'LEASE_LOST',
    ]);
    expect(refusal(await app.callMod(releaseCase, { as: noor, params: { id }, body: {} }))).toEqual([
      409,
      'LEASE_LOST',
    ]);
    app.clock.advance(9 * minute);
    const extended = await app.callMod(extendLease, { as: mia, params: { id } });
    expect(extended.body.case.leasedUntil).toBe(new Date(app.clock.now() + 10 * minute).toISOString());
    expect((await app.callMod(releaseCase, { as: mia, params: { id }, body: {} })).status).toBe(200);
    expect(refusal(await app.callMod(extendLease, { as: mia, params: { id } }))).toEqual([409, 'LEASE_LOST']);
    expect((await take(app, noor, id)).lease).toBe('mine');
  });

  test('an auditor reads figures and the audit log, and no case', async () => {
    const auditor = await signInModerator(app, { role: 'auditor' });
    const { id } = await reportedVent();
    await take(app, mia, id);
    const of = { as: auditor, params: { id } };
    for (const answer of [
      await app.callMod(listCases, { as: auditor, query: {} }),
      await app.callMod(getCase, of),
      await app.callMod(nextCase, { as: auditor }),
      await app.callMod(takeCase, of),
      await reveal(app, auditor, id, 'item'),
      await app.callMod(decideCase, { ...of, body: { version: 1, outcome: 'keep' } }),
      await app.callMod(reverseCase, { ...of, body: { version: 1 } }),
    ])
      expect(refusal(answer)).toEqual([403, 'ROLE_REQUIRED']);
    const metrics = await app.callMod(getMetrics, { as: auditor });
    expect(metrics.body.backlog).toEqual([{ severity: 3, waiting: 1, overdue: 0 }]);
    const audit = await app.callMod(listAudit, { as: auditor, query: { caseId: id } });
    expect(audit.body.entries.map(({ action }) => action)).toEqual(['taken', 'reported', 'opened']);
    expect(audit.body.brokenAt).toBeNull();
    expect(refusal(await app.callMod(listAudit, { as: mia, query: {} }))).toEqual([403, 'ROLE_REQUIRED']);
  });

  test('the audit log shows when staff did something, and of authors and reporters the day alone', async () => {
    const { id } = await reportedVent();
    await decide(app, mia, id, { outcome: 'hide' });
    const { notices } = (await app.call(listNotices, { as: ann })).body;
    const params = { id: notices[0]?._id ?? '' };
    const appeal = await app.call(appealNotice, { as: ann, params, body: { text: 'Please look again.' } });
    expect(appeal.status, appeal.text).toBe(200);
    const log = await app.callMod(listAudit, { as: lead, query: { caseId: id } });
    const [now, today] = [new Date(app.clock.now()).toISOString(), dayInIndia(app.clock.now())];
    expect(log.body.entries.map(({ actor, action, at }) => [actor, action, at])).toEqual([
      ['author', 'appealed', today],
      ['mia', 'decided', now],
      ['mia', 'taken', now],
      ['reports', 'reported', today],
      ['reports', 'opened', today],
    ]);
    expect(log.body.brokenAt).toBeNull();
  });
});

describe('revealing', () => {
  test('after the last severe text of the day, the next case is a mild one or none', async () => {
    await owner.query(`update moderation.moderators set severe_per_day = 1 where alias = 'noor'`);
    app.clock.advance(day);
    await signInAgain(app, noor);
    const [first, urgent, serious] = [
      await reportedVent(ann, 'private_info'),
      await reportedVent(ben, 'private_info'),
      await reportedVent(ben, 'harassment'),
    ];
    const mild = await reportedVent(ann, 'spam');
    const next = async (as: SignedInModerator) => (await app.callMod(nextCase, { as })).body.case?.id;
    expect(await next(noor)).toBe(first.id);
    expect((await reveal(app, noor, first.id, 'item')).body.severeLeft).toBe(0);
    expect([await next(noor), await next(noor)]).toEqual([mild.id, undefined]);
    // Colleagues get them, and one who is asked for by its number can still be taken.
    await signInAgain(app, mia);
    expect(await next(mia)).toBe(urgent.id);
    expect((await take(app, noor, serious.id)).lease).toBe('mine');
    await owner.query(`update moderation.moderators set severe_per_day = default where alias = 'noor'`);
  });

  test('needs the lease, shows one part, and is in the audit log', async () => {
    const vent = await makeVent(app, ann, { title: 'The vent', text: 'Around the comment' });
    const commentId = await makeComment(app, ben, vent.id, { text: 'You are the worst', anonymous: true });
    const about = { kind: 'comment', id: commentId, ventId: vent.id } as const;
    const id = await reportItem(app, about, 'harassment', { details: 'Cruel words', as: reporter });
    expect(refusal(await reveal(app, mia, id, 'item'))).toEqual([409, 'LEASE_LOST']);
    expect((await take(app, mia, id)).parts).toEqual(['item', 'context', 'details']);
    expect(refusal(await reveal(app, noor, id, 'item'))).toEqual([409, 'LEASE_LOST']);
    const item = await reveal(app, mia, id, 'item');
    expect(item.body.revealed.paragraphs[0]).toEqual({ label: 'Comment', text: 'You are the worst' });
    expect(item.body.severeLeft).toBe(24);
    const context = await reveal(app, mia, id, 'context');
    expect(context.body.revealed.paragraphs).toEqual([
      { label: 'Title', text: 'The vent' },
      { label: 'Vent', text: 'Around the comment' },
    ]);
    const details = await reveal(app, mia, id, 'details');
    expect(details.body.revealed.paragraphs).toEqual([{ label: 'harassment', text: 'Cruel words' }]);
    expect((await auditOf(app, id)).filter(({ action }) => action === 'revealed')).toEqual([
      { actor: 'mia', action: 'revealed', detail: { part: 'item', severity: 3 } },
      { actor: 'mia', action: 'revealed', detail: { part: 'context', severity: 3 } },
      { actor: 'mia', action: 'revealed', detail: { part: 'details', severity: 3 } },
    ]);
    // The vent around it is read as strangers read it.
    await owner.query(`update content.vents set state = 'hidden'`);
    expect((await reveal(app, mia, id, 'context')).body.revealed.paragraphs).toEqual([]);
    app.clock.advance(11 * minute);
    expect(refusal(await reveal(app, mia, id, 'item'))).toEqual([409, 'LEASE_LOST']);
  });

  test('of severe texts ends for the day at a limit of their own, also for two calls at once', async () => {
    await owner.query(`update moderation.moderators set severe_per_day = 1 where alias = 'noor'`);
    app.clock.advance(day);
    await signInAgain(app, noor);
    const severe = await reportedVent();
    const mild = await reportedVent(ben, 'spam');
    await take(app, noor, severe.id);
    await take(app, noor, mild.id);
    expect((await reveal(app, noor, mild.id, 'item')).body.severeLeft).toBe(1);
    const revealing = () => reveal(app, noor, severe.id, 'item');
    const both = await collide(owner, `select 1 from moderation.moderators where alias = 'noor' for update`, [
      revealing,
      revealing,
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 429]);
    expect(refusal(await reveal(app, noor, severe.id, 'item'))).toEqual([429, 'ENOUGH_FOR_TODAY']);
    expect((await reveal(app, noor, mild.id, 'item')).status).toBe(200);
    app.clock.advance(day);
    await signInAgain(app, noor);
    await take(app, noor, severe.id);
    expect((await reveal(app, noor, severe.id, 'item')).status).toBe(200);
    await owner.query(`update moderation.moderators set severe_per_day = default where alias = 'noor'`);
  });
});

describe('a decision', () => {
  test('of every kind deletes what tells how old a reporter’s account is', async () => {
    const stored = async () =>
      (await owner.query('select weight > 0 as counts, is_newcomer from moderation.reports')).rows;
    for (const outcome of ['keep', 'care', 'hide', 'remove'] as const) {
      await owner.query('truncate moderation.cases cascade');
      const { vent, id } = await reportedVent();
      expect(await stored()).toEqual([{ counts: true, is_newcomer: true }]);
      await decide(app, mia, id, { outcome });
      expect(await stored()).toEqual([{ counts: false, is_newcomer: false }]);
      if (outcome !== 'keep') continue;
      // A report that is filed with a kept case counts for nothing either.
      await reportItem(app, { kind: 'vent', id: vent.id });
      const none = { counts: false, is_newcomer: false };
      expect(await stored()).toEqual([none, none]);
    }
    await owner.query('truncate moderation.cases cascade');
    const { vent } = await reportedVent(ann, 'spam');
    await app.call(deleteVent, { as: ann, params: { id: vent.id } });
    await runJob(app, 'moderation-round');
    expect(await stored()).toEqual([{ counts: false, is_newcomer: false }]);
  });

  test('to keep closes the case, tells nobody, and says to the reporter that it stays', async () => {
    const { vent, id } = await reportedVent();
    await pauseCase(app, id);
    expect(await isVisible(ben, vent.id)).toBe(false);
    const answer = await decide(app, mia, id, { outcome: 'keep' });
    expect(answer.body.preview).toEqual({
      kind: null,
      policy: null,
      sanction: 'none',
      days: null,
      appealDays: null,
      isAuthorGone: false,
    });
    expect(await isVisible(ben, vent.id)).toBe(true);
    const row = await rowOf(app, id);
    expect(row).toMatchObject({ state: 'closed', outcome: 'keep', pendingEffect: null, appealUntil: null });
    expect(row.purgeAt).toEqual(new Date(app.clock.now() + 180 * day));
    expect(await noticeOf(app, id)).toBeUndefined();
    const { rows } = await owner.query('select outcome from moderation.reports');
    expect(rows).toEqual([{ outcome: 'disagreed' }]);
    expect(refusal(await app.callMod(takeCase, { as: mia, params: { id } }))).toEqual([409, 'CASE_CLOSED']);
  });

  test('to care writes a note without points, and leaves the item', async () => {
    const { vent, id } = await reportedVent(ann, 'worried');
    expect((await decide(app, mia, id, { outcome: 'care' })).body.preview).toMatchObject({
      kind: 'care',
      policy: 'worried',
      appealDays: null,
    });
    expect(await isVisible(ben, vent.id)).toBe(true);
    expect(await noticeOf(app, id)).toMatchObject({
      kind: 'care',
      points: 0,
      sanction: 'none',
      startsAt: null,
    });
    const { rows } = await owner.query('select outcome from moderation.reports');
    expect(rows).toEqual([{ outcome: 'unused' }]);
  });

  test('to remove takes the vent from everybody at once, with a notice, points and an audit entry', async () => {
    const { vent, id } = await reportedVent();
    // Cached pages must not keep it.
    await app.call(listVents, { as: ben, query: {} });
    const body = { outcome: 'remove', sanction: 'limit', days: 2, note: 'Third time' } as const;
    expect((await decide(app, mia, id, body)).body.preview).toEqual({
      kind: 'remove',
      policy: 'harassment',
      sanction: 'limit',
      days: 2,
      appealDays: 180,
      isAuthorGone: false,
    });
    for (const as of [ann, ben]) expect(await isVisible(as, vent.id)).toBe(false);
    expect((await app.call(listVents, { as: ben, query: {} })).body.vents).toEqual([]);
    const notice = await noticeOf(app, id);
    expect(notice).toMatchObject({
      kind: 'remove',
      policy: 'harassment',
      policyVersion: 1,
      points: 2,
      sanction: 'limit',
    });
    const startsIn = (notice?.startsAt ?? 0) - app.clock.now();
    expect(startsIn).toBeGreaterThanOrEqual(0);
    expect(startsIn).toBeLessThan(6 * hour);
    // A midnight in India, whatever the start was.
    const endsIn = (notice?.endsAt ?? 0) - app.clock.now();
    expect(Math.abs(endsIn - 2 * day)).toBeLessThanOrEqual(12 * hour);
    expect(await rowOf(app, id)).toMatchObject({
      state: 'decided',
      policy: 'harassment',
      pendingEffect: null,
    });
    const { rows } = await owner.query('select outcome from moderation.reports');
    expect(rows).toEqual([{ outcome: 'agreed' }]);
    expect((await auditOf(app, id)).at(-1)).toEqual({
      actor: 'mia',
      action: 'decided',
      detail: expect.objectContaining({ outcome: 'remove', policy: 'harassment', hasNotice: true }),
    });
    app.clock.advance(6 * hour);
    expect(await standingOf(ann)).toBe('limited');
    app.clock.advance(3 * day);
    for (const moderator of [mia, lead]) await signInAgain(app, moderator);
    const view = await readCase(app, lead, id);
    expect(view).toMatchObject({
      outcome: 'remove',
      sanction: 'limit',
      isDecidedByMe: false,
      note: 'mia: Third time',
    });
    // Points make the next suggestion harsher, and the level says no number.
    const next = await reportedVent(ann);
    expect(await take(app, mia, next.id)).toMatchObject({ points: 'some', suggestedSanction: 'limit' });
  });

  test('shows its sanction in no column: the rows are those of a decision without one (R34)', async () => {
    /** All that a dump shows of the decision, without random bytes, which are as long as any other. */
    const rowsOf = async (id: string) => {
      const shown = (row: object | undefined) =>
        Object.entries(row ?? {})
          .filter(([name]) => !/^(?:id|case_?id|opened_at|due_at)$/iu.test(name))
          .map(([name, value]) => [name, Buffer.isBuffer(value) ? value.length : value]);
      const [found, notice, audit] = [
        await rowOf(app, id),
        await noticeRowOf(app, id),
        (await auditOf(app, id)).at(-1),
      ];
      return [shown(found), shown(notice), audit];
    };
    const decideWith = async (body: object) => {
      const { id } = await reportedVent(await makeUser(app));
      await decide(app, lead, id, { outcome: 'remove', ...body });
      return rowsOf(id);
    };
    await proveAgain(app, lead);
    const without = await decideWith({});
    expect(await decideWith({ sanction: 'limit', days: 2 })).toEqual(without);
    expect(await decideWith({ sanction: 'suspend', days: 30 })).toEqual(without);
    expect(await decideWith({ sanction: 'ban' })).toEqual(without);
  });

  test('starts a sanction at once where waiting is dangerous', async () => {
    const { id } = await reportedVent(ben);
    await decide(app, mia, id, { outcome: 'remove', sanction: 'suspend', isDangerous: true });
    expect(await standingOf(ben)).toBe('suspended');
    const carl = await makeUser(app);
    const grave = await reportedVent(carl, 'private_info');
    await decide(app, mia, grave.id, { outcome: 'remove', policy: 'private_info', sanction: 'limit' });
    expect(await standingOf(carl)).toBe('limited');
    const answer = await app.call(createVent, { as: carl, body: { title: 'A', text: 'B', emotion: 'Sad' } });
    expect(refusal(answer)).toEqual([403, 'ACCOUNT_LIMITED']);
  });

  test('needs a rule, days within range, and a lead for what is severe', async () => {
    const { vent, id } = await reportedVent();
    const { version } = await take(app, mia, id);
    const send = (body: object, as = mia) =>
      app.callMod(decideCase, { as, params: { id }, body: { version, outcome: 'remove', ...body } });
    for (const [body, expected] of [
      [{}, [422, 'POLICY_REQUIRED']],
      [{ policy: 'worried' }, [422, 'POLICY_REQUIRED']],
      [{ policy: 'legal_order' }, [422, 'POLICY_REQUIRED']],
      [{ policy: 'harassment', sanction: 'limit', days: 8 }, [422, 'VALIDATION_FAILED']],
      [{ policy: 'harassment', sanction: 'limit', days: 0 }, [422, 'VALIDATION_FAILED']],
      [{ policy: 'harassment', sanction: 'limit', days: 1.5 }, [422, 'VALIDATION_FAILED']],
      [{ policy: 'harassment', sanction: 'suspend', days: 31 }, [422, 'VALIDATION_FAILED']],
      [{ outcome: 'keep', sanction: 'limit' }, [422, 'VALIDATION_FAILED']],
      [{ policy: 'harassment', sanction: 'suspend', days: 8 }, [403, 'ROLE_REQUIRED']],
      [{ policy: 'harassment', sanction: 'ban' }, [403, 'ROLE_REQUIRED']],
      [{ policy: 'harassment', version: version - 1 }, [409, 'CASE_CHANGED']],
    ] as const)
      expect(refusal(await send(body)), JSON.stringify(body)).toEqual(expected);
    expect(refusal(await send({ policy: 'harassment' }, noor))).toEqual([409, 'LEASE_LOST']);
    expect(await isVisible(ben, vent.id)).toBe(true);
    expect(await rowOf(app, id)).toMatchObject({ state: 'open', version });
    app.clock.advance(10 * minute);
    expect(refusal(await send({ policy: 'harassment' }))).toEqual([409, 'LEASE_LOST']);
  });

  test('to ban needs a lead with a recent passkey proof', async () => {
    const dan = await makeUser(app);
    const { id } = await reportedVent(dan, 'minor_safety');
    app.clock.advance(11 * minute);
    const ban = { outcome: 'remove', policy: 'minor_safety', sanction: 'ban' } as const;
    expect(refusal(await decide(app, lead, id, ban))).toEqual([403, 'PROOF_REQUIRED']);
    // What the author would be told can be seen without it.
    expect((await decide(app, lead, id, { ...ban, isDryRun: true })).body.preview).toMatchObject({
      sanction: 'ban',
      days: 180,
      appealDays: 180,
    });
    await proveAgain(app, lead);
    expect((await decide(app, lead, id, ban)).status).toBe(200);
    expect(await standingOf(dan)).toBe('suspended');
    expect((await noticeOf(app, id))?.points).toBe(9);
  });

  test('that is a dry run stores nothing', async () => {
    const { vent, id } = await reportedVent();
    const { version } = await take(app, mia, id);
    const before = [await rowOf(app, id), await auditOf(app, id)];
    const answer = await app.callMod(decideCase, {
      as: mia,
      params: { id },
      body: { version, outcome: 'hide', policy: 'sexual', sanction: 'limit', isDryRun: true },
    });
    expect(answer.body.preview).toMatchObject({ kind: 'hide', policy: 'sexual', sanction: 'limit', days: 3 });
    expect([await rowOf(app, id), await auditOf(app, id)]).toEqual(before);
    expect(await noticeOf(app, id)).toBeUndefined();
    expect(await isVisible(ben, vent.id)).toBe(true);
  });

  test('on an item whose author is gone writes no notice, and says so', async () => {
    const { vent, id } = await reportedVent();
    const { subjectKey } = await rowOf(app, id);
    const { createCaseBox } = await import('../src/moderation/case-box.ts');
    const nobody = createCaseBox(app.deps.keys).seal(
      'author',
      subjectKey,
      Buffer.alloc(8).toString('base64url'),
    );
    await owner.query('update moderation.cases set sealed_author = $2 where id = $1', [id, nobody]);
    expect(await take(app, mia, id)).toMatchObject({ isAuthorGone: true, points: 'none' });
    const answer = await decide(app, mia, id, { outcome: 'remove', sanction: 'limit' });
    expect(answer.body.preview.isAuthorGone).toBe(true);
    expect(await noticeOf(app, id)).toBeUndefined();
    expect(await isVisible(ben, vent.id)).toBe(false);
  });
});

describe('a second look', () => {
  async function decided(author: Person) {
    const made = await reportedVent(author);
    await decide(app, mia, made.id, { outcome: 'remove', sanction: 'limit', isDangerous: true });
    expect(await appealCase(app, made.id, 'It was a joke')).toBe(true);
    return made;
  }

  test('is overdue from a midnight on: another moment would tell when its author appealed', async () => {
    const { id } = await decided(await makeUser(app));
    const due = (await rowOf(app, id)).dueAt.getTime();
    expect(due % day).toBe(0);
    const seen: boolean[] = [];
    for (const at of [due - 1, due, due + 1]) {
      app.clock.advance(at - app.clock.now());
      await signInAgain(app, noor);
      seen.push((await readCase(app, noor, id)).isOverdue);
    }
    expect(seen).toEqual([false, false, true]);
  });

  test('is for somebody else, and can overturn everything', async () => {
    const eve = await makeUser(app);
    const { vent, id } = await decided(eve);
    expect(await standingOf(eve)).toBe('limited');
    expect(refusal(await app.callMod(takeCase, { as: mia, params: { id } }))).toEqual([403, 'SECOND_PERSON']);
    expect((await app.callMod(nextCase, { as: mia })).body.case).toBeNull();
    const listed = await app.callMod(listCases, { as: noor, query: { show: 'appeals' } });
    expect(listed.body.cases.map((one) => one.id)).toEqual([id]);
    // A moderator never learns when somebody appealed.
    expect(listed.body.cases[0]?.dueAt).toMatch(/T00:00:00/u);
    const taken = (await app.callMod(nextCase, { as: noor })).body.case;
    expect(taken).toMatchObject({ id, state: 'appealed', isDecidedByMe: false });
    const appeal = await reveal(app, noor, id, 'appeal');
    expect(appeal.body.revealed.paragraphs).toEqual([{ label: 'Appeal', text: 'It was a joke' }]);
    const body = { version: taken?.version ?? 0, resolution: 'overturned' } as const;
    expect(refusal(await app.callMod(resolveAppeal, { as: mia, params: { id }, body }))).toEqual([
      403,
      'SECOND_PERSON',
    ]);
    expect(
      refusal(await app.callMod(resolveAppeal, { as: noor, params: { id }, body: { ...body, version: 0 } })),
    ).toEqual([409, 'CASE_CHANGED']);
    expect((await app.callMod(resolveAppeal, { as: noor, params: { id }, body })).status).toBe(200);
    expect(await isVisible(ben, vent.id)).toBe(true);
    expect(await standingOf(eve)).toBe('good');
    expect((await noticeOf(app, id))?.voidedAt).not.toBeNull();
    const { rows } = await owner.query('select outcome from moderation.reports');
    expect(rows).toEqual([{ outcome: 'disagreed' }]);
    expect(await rowOf(app, id)).toMatchObject({
      state: 'closed',
      outcome: 'remove',
      resolution: 'overturned',
    });
    expect(refusal(await app.callMod(resolveAppeal, { as: noor, params: { id }, body }))).toEqual([
      409,
      'CASE_CLOSED',
    ]);
  });

  test('can uphold the decision', async () => {
    const fay = await makeUser(app);
    const { vent, id } = await decided(fay);
    expect((await resolve(app, noor, id, 'upheld')).status).toBe(200);
    expect(await isVisible(ben, vent.id)).toBe(false);
    expect(await standingOf(fay)).toBe('limited');
    expect((await noticeOf(app, id))?.voidedAt).toBeNull();
    expect(await appealCase(app, id, 'Once more')).toBe(false);
  });

  test('without an appeal can be read first by the lead who may reverse it, and is in the audit log', async () => {
    const vent = await makeVent(app, ann, { title: 'Too harsh?', text: 'What was decided about' });
    const id = await reportItem(app, { kind: 'vent', id: vent.id }, 'harassment', { as: reporter });
    // Not before: a case that waits is read by whoever holds it.
    expect(refusal(await reveal(app, lead, id, 'item'))).toEqual([409, 'LEASE_LOST']);
    await decide(app, mia, id, { outcome: 'hide' });
    for (const as of [mia, noor])
      expect(refusal(await reveal(app, as, id, 'item'))).toEqual([409, 'LEASE_LOST']);
    const { parts, version } = await readCase(app, lead, id);
    expect(parts).toEqual(['item']);
    const item = await reveal(app, lead, id, 'item');
    expect(item.text).toContain('What was decided about');
    expect((await auditOf(app, id)).at(-1)).toEqual({
      actor: 'lea',
      action: 'revealed',
      detail: { part: 'item', severity: 3 },
    });
    // It counts like any other.
    expect((await reveal(app, lead, id, 'item')).body.severeLeft).toBe(item.body.severeLeft - 1);
    expect((await app.callMod(reverseCase, { as: lead, params: { id }, body: { version } })).status).toBe(
      200,
    );
    expect(refusal(await reveal(app, lead, id, 'item'))).toEqual([409, 'LEASE_LOST']);
    // Nor one's own decision, nor one that took nothing away.
    const own = await reportedVent();
    await decide(app, lead, own.id, { outcome: 'remove' });
    const kept = await reportedVent(ben);
    await decide(app, mia, kept.id, { outcome: 'keep' });
    for (const one of [own, kept])
      expect(refusal(await reveal(app, lead, one.id, 'item'))).toEqual([409, 'LEASE_LOST']);
  });

  test('without an appeal is a lead’s, with a proof, and never of their own decision', async () => {
    const { vent, id } = await reportedVent();
    await decide(app, mia, id, { outcome: 'hide', policy: 'method_info' });
    expect(await isVisible(ben, vent.id)).toBe(false);
    const { version } = await readCase(app, lead, id);
    const send = (as: SignedInModerator, body = { version }) =>
      app.callMod(reverseCase, { as, params: { id }, body });
    expect(refusal(await send(mia))).toEqual([403, 'ROLE_REQUIRED']);
    app.clock.advance(11 * minute);
    expect(refusal(await send(lead))).toEqual([403, 'PROOF_REQUIRED']);
    await proveAgain(app, lead);
    expect(refusal(await send(lead, { version: version - 1 }))).toEqual([409, 'CASE_CHANGED']);
    expect((await send(lead)).status).toBe(200);
    expect(await isVisible(ben, vent.id)).toBe(true);
    expect(refusal(await send(lead))).toEqual([409, 'CASE_CLOSED']);
    const own = await reportedVent();
    await decide(app, lead, own.id, { outcome: 'hide', policy: 'sexual' });
    const row = await readCase(app, lead, own.id);
    expect(
      refusal(
        await app.callMod(reverseCase, { as: lead, params: { id: own.id }, body: { version: row.version } }),
      ),
    ).toEqual([403, 'SECOND_PERSON']);
  });
});

describe('a case by staff', () => {
  test('is opened by a lead with a proof, for an order, and has the clock of orders', async () => {
    const vent = await makeVent(app, ann);
    const body = {
      about: { kind: 'vent', id: vent.id },
      policy: 'legal_order',
      source: 'order',
      note: 'Order 12/2026',
    } as const;
    expect(refusal(await app.callMod(openCase, { as: mia, body }))).toEqual([403, 'ROLE_REQUIRED']);
    const made = await app.callMod(openCase, { as: lead, body });
    expect(made.status, made.text).toBe(201);
    expect(made.body.case).toMatchObject({ source: 'order', severity: 4, note: 'lea: Order 12/2026' });
    const orders = await app.callMod(listCases, { as: mia, query: { show: 'orders' } });
    expect(orders.body.cases.map(({ id }) => id)).toEqual([made.body.case.id]);
    const answer = await decide(app, mia, made.body.case.id, { outcome: 'remove', policy: 'legal_order' });
    expect(answer.status, answer.text).toBe(200);
    const unknown = { ...body, about: { kind: 'vent', id: 'nothing' } as const };
    expect(refusal(await app.callMod(openCase, { as: lead, body: unknown }))).toEqual([
      404,
      'VENT_NOT_FOUND',
    ]);
    app.clock.advance(11 * minute);
    expect(refusal(await app.callMod(openCase, { as: lead, body }))).toEqual([403, 'PROOF_REQUIRED']);
  });
});

describe('a comment that is taken away', () => {
  test('is invisible in every reading, is in no count, and comes back where it was', async () => {
    const vent = await makeVent(app, ann);
    const first = await makeComment(app, ben, vent.id, { text: 'First', anonymous: true });
    const second = await makeComment(app, reporter, vent.id, { text: 'Second', anonymous: true });
    const own = await makeComment(app, ann, vent.id, { text: 'Own' });
    const about = { kind: 'comment', id: second, ventId: vent.id } as const;
    const id = await reportItem(app, about);
    const textsFor = async (as: Person, query: { from?: string } = {}) =>
      (await app.call(listComments, { as, params: { id: vent.id }, query })).body.comments.map(
        ({ text }) => text,
      );
    const shown = async (as: Person) => {
      const { body } = await app.call(getVent, { as, params: { id: vent.id } });
      return [body.vent.comments.map(({ text }) => text), body.vent.commentCount];
    };
    const unread = async () => {
      const { body } = await app.call(listInbox, { as: ann, query: {} });
      return body.counts;
    };
    const before = await unread();
    const stats = async () =>
      (await owner.query('select comments, last_no, own_weight from content.vent_stats')).rows[0];
    expect(await stats()).toEqual({ comments: 3, last_no: 3, own_weight: 3 });
    const decision = await decide(app, mia, id, { outcome: 'hide' });
    expect(decision.status, decision.text).toBe(200);
    for (const as of [ann, ben, reporter]) {
      expect(await textsFor(as)).toEqual(['First', 'Own']);
      expect(await textsFor(as, { from: second })).toEqual(['Own']);
      expect(await shown(as)).toEqual([['First', 'Own'], 2]);
    }
    expect(await unread()).not.toEqual(before);
    expect(await stats()).toEqual({ comments: 2, last_no: 3, own_weight: 3 });
    // The author of the vent cannot tell it from one that its writer deleted.
    const remove = (as: Person, commentId: string) =>
      app.call(deleteComment, { as, params: { ventId: vent.id, commentId } });
    expect(refusal(await remove(ann, second))).toEqual([404, 'COMMENT_NOT_FOUND']);
    await makeComment(app, ben, vent.id, { text: 'Later', anonymous: true });

    const { version } = await readCase(app, lead, id);
    await proveAgain(app, lead);
    await app.callMod(reverseCase, { as: lead, params: { id }, body: { version } });
    expect(await textsFor(ben)).toEqual(['First', 'Second', 'Own', 'Later']);
    expect(await shown(ben)).toEqual([['First', 'Second', 'Own', 'Later'], 4]);
    // A hidden comment can still be deleted by its writer, and is not counted twice.
    const again = await reportItem(app, about, 'other');
    await decide(app, noor, again, { outcome: 'remove' });
    expect((await remove(reporter, second)).status).toBe(200);
    expect(await stats()).toMatchObject({ comments: 3, last_no: 4 });
    // The author's own comment leaves the weight of trending with it.
    const owns = await reportItem(app, { kind: 'comment', id: own, ventId: vent.id });
    await decide(app, mia, owns, { outcome: 'hide' });
    expect(await stats()).toEqual({ comments: 2, last_no: 4, own_weight: 0 });
    expect(first).toBeDefined();
  });
});

describe('a profile that is taken away', () => {
  test('is emptied and put back, but never over something newer', async () => {
    const gil = await makeUser(app);
    await app.call(changeUsername, { as: gil, body: { newUsername: 'gil_the_first' } });
    await app.call(updateDetails, {
      as: gil,
      body: { bio: 'Bad words', likes: ['Bad'], interests: ['Chess'] },
    });
    const about = { kind: 'profile', id: gil.user._id } as const;
    const opened = await app.callMod(openCase, {
      as: lead,
      body: { about, policy: 'harassment', source: 'staff' },
    });
    expect(opened.status, opened.text).toBe(201);
    const { id } = opened.body.case;
    const self = async () => (await app.call(getSelf, { as: gil })).body.user;
    await decide(app, mia, id, { outcome: 'remove' });
    expect(await self()).toMatchObject({ username: null, bio: '', likes: [], interests: [] });
    // Nobody takes the name meanwhile.
    const thief = await app.call(changeUsername, { as: ben, body: { newUsername: 'gil_the_first' } });
    expect(refusal(thief)).toEqual([409, 'USERNAME_TAKEN']);
    await app.call(updateDetails, { as: gil, body: { bio: 'New words' } });
    const { version } = await readCase(app, lead, id);
    await proveAgain(app, lead);
    expect((await app.callMod(reverseCase, { as: lead, params: { id }, body: { version } })).status).toBe(
      200,
    );
    expect(await self()).toMatchObject({
      username: 'gil_the_first',
      bio: 'New words',
      likes: ['Bad'],
      interests: ['Chess'],
    });
    expect((await rowOf(app, id)).pendingEffect).toBeNull();
  });

  test('and written anew gets the new words back after a pause, although the old decision stands', async () => {
    const gil = await makeUser(app);
    const write = (bio: string) => app.call(updateDetails, { as: gil, body: { bio } });
    const bio = async () => (await app.call(getSelf, { as: gil })).body.user.bio;
    const body = {
      about: { kind: 'profile', id: gil.user._id } as const,
      policy: 'harassment',
      source: 'staff',
    } as const;
    const openNext = async () => (await app.callMod(openCase, { as: lead, body })).body.case.id;
    await write('Bad words');
    await decide(app, mia, await openNext(), { outcome: 'hide' });
    expect(await bio()).toBe('');
    await write('Kind words');
    const id = await openNext();
    await pauseCase(app, id);
    expect(await bio()).toBe('');
    await decide(app, mia, id, { outcome: 'keep' });
    expect(await bio()).toBe('Kind words');
    // The same where nobody decides and the pause ends.
    const next = await openNext();
    await pauseCase(app, next);
    app.clock.advance(72 * hour);
    await runJob(app, 'moderation-round');
    expect([await bio(), (await rowOf(app, next)).state]).toEqual(['Kind words', 'escalated']);
  });
});

describe('the jobs', () => {
  test('end a pause: the item is back, and a lead looks at the case', async () => {
    const { vent, id } = await reportedVent();
    await pauseCase(app, id);
    app.clock.advance(72 * hour - minute);
    await runJob(app, 'moderation-round');
    expect(await isVisible(ben, vent.id)).toBe(false);
    await signInAgain(app, mia);
    await take(app, mia, id);
    app.clock.advance(minute);
    await runJob(app, 'moderation-round');
    expect(await isVisible(ben, vent.id)).toBe(true);
    // Also of whoever held it.
    const { version } = await readCase(app, mia, id);
    const body = { version, outcome: 'remove', policy: 'harassment' } as const;
    const late = await app.callMod(decideCase, { as: mia, params: { id }, body });
    expect(refusal(late)).toEqual([409, 'LEASE_LOST']);
    expect(await rowOf(app, id)).toMatchObject({ state: 'escalated', isFrozen: true, pausedAt: null });
    expect((await auditOf(app, id)).at(-1)).toMatchObject({ actor: 'clock', action: 'unpaused' });
  });

  test('close a mild case whose item the author deleted, and go on with a severe one', async () => {
    const mild = await reportedVent(ann, 'spam');
    const severe = await reportedVent(ann);
    for (const { vent } of [mild, severe])
      expect((await app.call(deleteVent, { as: ann, params: { id: vent.id } })).status).toBe(200);
    await runJob(app, 'moderation-round');
    expect(await rowOf(app, mild.id)).toMatchObject({ state: 'closed', outcome: 'moot', decidedBy: null });
    expect((await auditOf(app, mild.id)).at(-1)).toMatchObject({ actor: 'author', action: 'mooted' });
    expect(await rowOf(app, severe.id)).toMatchObject({ state: 'open' });
    await runJob(app, 'remove-deleted-vents');
    const decided = await decide(app, mia, severe.id, { outcome: 'remove' });
    expect(decided.status, decided.text).toBe(200);
    expect(await rowOf(app, severe.id)).toMatchObject({ state: 'decided', pendingEffect: null });
    const { rows } = await owner.query('select outcome from moderation.reports order by id');
    expect(rows).toEqual([{ outcome: 'unused' }, { outcome: 'agreed' }]);
  });

  test('let the window for an appeal lapse, and purge by the retention rules', async () => {
    const { vent, id } = await reportedVent();
    await decide(app, mia, id, { outcome: 'remove', note: 'Clear' });
    app.clock.advance(180 * day);
    await runJob(app, 'moderation-round');
    expect(await rowOf(app, id)).toMatchObject({ state: 'closed', resolution: null });
    await runJob(app, 'moderation-purge');
    const sealed = async () => {
      const row = await rowOf(app, id);
      return [row.sealedItem, row.sealedAuthor, row.sealedNote].map((one) => one !== null);
    };
    app.clock.advance(29 * day);
    await runJob(app, 'moderation-purge');
    expect(await sealed()).toEqual([true, true, true]);
    app.clock.advance(day);
    await runJob(app, 'moderation-purge');
    expect(await sealed()).toEqual([false, false, false]);
    app.clock.advance(149 * day);
    await runJob(app, 'moderation-purge');
    expect(await rowOf(app, id)).toBeDefined();
    expect((await owner.query('select state from content.vents')).rows).toEqual([{ state: 'removed' }]);
    app.clock.advance(day);
    await runJob(app, 'moderation-purge');
    for (const table of ['moderation.cases', 'moderation.reports', 'moderation.notices', 'content.vents'])
      expect((await owner.query(`select 1 from ${table}`)).rows, table).toEqual([]);
    expect(vent.id).toBeDefined();
  });

  test('keep a case while its notice exists', async () => {
    const { id } = await reportedVent(await makeUser(app), 'minor_safety');
    await decide(app, lead, id, { outcome: 'remove', policy: 'minor_safety', sanction: 'ban' });
    await proveAgain(app, lead);
    await owner.query(`update moderation.notices set expires_at = expires_at + interval '400 days'`);
    app.clock.advance(181 * day);
    await runJob(app, 'moderation-round');
    app.clock.advance(181 * day);
    await runJob(app, 'moderation-purge');
    expect(await rowOf(app, id)).toMatchObject({ state: 'closed' });
    app.clock.advance(400 * day);
    await runJob(app, 'moderation-purge');
    expect((await owner.query('select 1 from moderation.cases')).rows).toEqual([]);
  });

  test('check the chain of the audit log, log its head, and report a row that was changed', async () => {
    await reportedVent();
    await runJob(app, 'audit-check');
    const head = (await owner.query('select seq, hash from moderation.audit order by seq desc limit 1'))
      .rows[0];
    const checked = logged().findLast(({ event }) => event === 'audit_checked');
    expect(checked).toMatchObject({ count: Number(head.seq), auditHead: head.hash.toString('hex') });
    await owner.query('alter table moderation.audit disable trigger refuse_change');
    await owner.query(`update moderation.audit set actor = 'nobody' where seq = $1`, [head.seq]);
    await runJob(app, 'audit-check');
    const broken = logged().findLast(({ event }) => event === 'audit_broken');
    expect(broken).toMatchObject({ level: 'error', auditSeq: Number(head.seq) });
    expect(await app.deps.metrics.registry.getSingleMetricAsString('unsaid_audit_broken')).toContain(
      'unsaid_audit_broken 1',
    );
    app.clock.advance(minute);
    const shown = await app.callMod(listAudit, { as: lead, query: {} });
    expect(shown.body.brokenAt).toBe(String(head.seq));
    await owner.query(`update moderation.audit set actor = 'reports' where seq = $1`, [head.seq]);
    await owner.query('alter table moderation.audit enable trigger refuse_change');
    await runJob(app, 'audit-check');
    expect(logged().at(-1)).toMatchObject({ event: 'audit_checked' });
  });
});

test('the chain of the audit log is checked in parts, also over their border', async () => {
  const own = await ownTestApp();
  await withClient(own.config.databaseUrl, async (client) => {
    await client.query(
      `insert into moderation.audit (at, actor, action) select now(), 'asha', 'revealed' from generate_series(1, 5100)`,
    );
    const check = async () => {
      await runJob(own, 'audit-check');
      const lines = own.log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const { event, auditSeq } = lines.findLast((line) => String(line['event']).startsWith('audit_')) ?? {};
      return [event, auditSeq];
    };
    expect(await check()).toEqual(['audit_checked', undefined]);
    await client.query('alter table moderation.audit disable trigger user');
    // A part has 5,000 entries.
    for (const seq of [5000, 5001, 5002]) {
      await client.query(`update moderation.audit set actor = 'x' where seq = ${seq}`);
      expect(await check()).toEqual(['audit_broken', seq]);
      await client.query(`update moderation.audit set actor = 'asha' where seq = ${seq}`);
    }
    expect(await check()).toEqual(['audit_checked', undefined]);
    await client.query('delete from moderation.audit where seq = 5001');
    expect(await check()).toEqual(['audit_broken', 5002]);
  });
});

test('figures of the last 30 days count decisions, appeals, pauses and skips', async () => {
  app.clock.advance(31 * day);
  for (const moderator of [mia, noor, lead]) await signInAgain(app, moderator);
  [ann, ben, reporter] = [await makeUser(app), await makeUser(app), await makeUser(app)];
  const first = await reportedVent();
  app.clock.advance(2 * hour);
  await signInAgain(app, mia);
  await decide(app, mia, first.id, { outcome: 'remove' });
  await appealCase(app, first.id, 'No');
  await signInAgain(app, noor);
  await resolve(app, noor, first.id, 'overturned');
  const second = await reportedVent(ben, 'private_info');
  await take(app, noor, second.id);
  await app.callMod(releaseCase, { as: noor, params: { id: second.id }, body: { isSkip: true } });
  const { body } = await app.callMod(getMetrics, { as: noor });
  expect(body).toEqual({
    success: true,
    backlog: [{ severity: 4, waiting: 1, overdue: 0 }],
    clocks: [
      { name: 'severity 4: 2 hours', decided: 0, inTime: 0 },
      { name: 'dangerous: 36 hours', decided: 1, inTime: 1 },
      { name: 'all: 7 days', decided: 1, inTime: 1 },
      { name: 'orders: 3 hours', decided: 0, inTime: 0 },
      { name: 'appeals: 72 hours', decided: 1, inTime: 1 },
    ],
    decisions: [{ outcome: 'remove', count: 1 }],
    medianHours: 2,
    appeals: { resolved: 1, overturned: 1, waiting: 0 },
    pauses: { made: 0, confirmed: 0 },
    skips: 1,
  });
});

test('an author with a sanction in every slot can still be sanctioned, and the longest stays', async () => {
  for (let n = 0; n < 17; n += 1) {
    const vent = await makeVent(app, ann);
    const id = await reportItem(app, { kind: 'vent', id: vent.id });
    const days = n === 0 ? 7 : 1 + (n % 6);
    const body = { outcome: 'remove', sanction: 'limit', days } as const;
    const answer = await decide(app, mia, id, body);
    expect(answer.status, answer.text).toBe(200);
  }
  const { rows } = await owner.query<{ id: string }>('select case_id::text as id from moderation.notices');
  const ends = await Promise.all(rows.map(async ({ id }) => (await noticeOf(app, id))?.endsAt ?? 0));
  expect([ends.length, Math.max(...ends) > app.clock.now() + 6 * day]).toEqual([16, true]);
});
