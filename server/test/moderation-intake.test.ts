import {
  changeUsername,
  createReport,
  deleteVent,
  getSelf,
  getVent,
  listReports,
  reportReasonCodes,
  reportVent,
  updateDetails,
  type MatchSuggestion,
  type PolicyName,
  type ReportReasonCode,
  type ReportSubject,
} from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { measureCases } from '../src/moderation/moderation.metrics.ts';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { openCaseByStaff } from '../src/moderation/cases/staff-cases.ts';
import { resolveSubject } from '../src/moderation/reports/item-reader.ts';
import { languageOf } from '@unsaid/guard/language';
import { moderationMetrics } from '../src/moderation/moderation.metrics.ts';
import { createSubjects, type Subject } from '../src/kernel/subjects.ts';
import { addDays } from '../src/platform/clock.ts';
import { changeFactsOf } from './facts.ts';
import { ownTestApp, startBehindProxy, usePool, useTestApp, type Actor } from './app.ts';
import { pauseCase } from './cases-app.ts';
import { keysOf, makeComment, makeUser, makeVent, runJob, type Person } from './factories.ts';
import { makeNamed, otherIdIn, peerOf, reject, suggestionsOf } from './pairs.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app);
const hour = 3_600_000;

/** Ann writes, the crowd reports. All accounts are 100 days old. */
let ann: Person;
let crowd: Person[];

beforeAll(async () => {
  ann = await makeUser(app);
  await app.call(changeUsername, { as: ann, body: { newUsername: 'ann_who_writes' } });
  crowd = [];
  for (let n = 0; n < 10; n += 1)
    crowd.push(...(await Promise.all(Array.from({ length: 5 }, () => makeUser(app)))));
  await age(100);
});

beforeEach(async () => {
  await rows.query('truncate content.vents, moderation.cases cascade');
  app.clock.advance(60_000);
});

async function age(days: number, people: readonly Person[] = [ann, ...crowd]): Promise<void> {
  await changeFactsOf(
    app,
    people.map(({ userId }) => userId),
    ({ createdOn }) => ({ createdOn: addDays(createdOn, -days) }),
  );
}

const person = (n: number) => crowd[n] as Person;
const report = (as: Actor, about: ReportSubject, reason: ReportReasonCode = 'harassment', details?: string) =>
  app.call(createReport, { as, body: { about, reason, ...(details === undefined ? {} : { details }) } });
const reportOk = async (...given: Parameters<typeof report>) => {
  const answer = await report(...given);
  expect([answer.status, answer.text.trimEnd()]).toEqual([201, '{"success":true}']);
};
const ownReports = async (as: Actor) => (await app.call(listReports, { as })).body.reports;
const aVent = async (said: Parameters<typeof makeVent>[2] = {}) => {
  const { id, number } = await makeVent(app, ann, said);
  return { about: { kind: 'vent', id } as const, subject: { kind: 'vent', ventId: number } as const };
};

interface CaseRow {
  readonly id: string;
  readonly subjectKey: Buffer;
  readonly kind: string;
  readonly policy: string;
  readonly severity: number;
  readonly source: string;
  readonly state: string;
  readonly version: number;
  readonly reporters: number;
  readonly isFrozen: boolean;
  readonly dueAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseEndsAt: Date | null;
  readonly pendingEffect: string | null;
  readonly sealedItem: Buffer;
  readonly sealedAuthor: Buffer;
}

async function listCases(): Promise<CaseRow[]> {
  const { rows: found } = await rows.query<CaseRow>(
    `select id, subject_key as "subjectKey", subject_kind as kind, policy, severity, source, state, version, reporters,
            is_frozen as "isFrozen", due_at as "dueAt", paused_at as "pausedAt", pause_ends_at as "pauseEndsAt",
            pending_effect as "pendingEffect", sealed_item as "sealedItem", sealed_author as "sealedAuthor"
       from moderation.cases order by id`,
  );
  return found;
}
const theCase = async () => {
  const all = await listCases();
  expect(all).toHaveLength(1);
  return all[0] as CaseRow;
};
async function listStored() {
  const { rows: found } = await rows.query<{
    reason: string;
    weight: number;
    outcome: string;
    isTipping: boolean;
    details: Buffer | null;
  }>(`select reason, weight, outcome, is_tipping as "isTipping", sealed_details as details
        from moderation.reports order by id`);
  return found;
}
const keyOf = (subject: Subject) => createSubjects(app.deps.keys).keyOf(subject);
const open = (field: 'author' | 'details', key: Buffer, sealed: Buffer) =>
  createCaseBox(app.deps.keys).open(field, key, sealed);
const openItem = (key: Buffer, sealed: Buffer) => createCaseBox(app.deps.keys).open('item', key, sealed);

/** Closes the only case, as a decision would. */
async function close(outcome: 'keep' | 'moot', decided: 'disagreed' | 'unused' = 'disagreed'): Promise<void> {
  await rows.query(
    `insert into moderation.moderators (alias, role) values ('closer', 'lead') on conflict do nothing`,
  );
  await rows.query(
    `update moderation.cases set state = 'closed', outcome = $1, decided_at = $2, purge_at = $2,
            decided_by = case when $1 = 'moot' then null else (select id from moderation.moderators where alias = 'closer') end`,
    [outcome, new Date(app.clock.now())],
  );
  await rows.query('update moderation.reports set outcome = $1', [decided]);
}

async function auditOf(caseId: string) {
  const { rows: found } = await rows.query<{ action: string; actor: string; detail: object }>(
    'select action, actor, detail from moderation.audit where case_id = $1 order by seq',
    [caseId],
  );
  return found;
}

const setState = (table: 'vents' | 'comments', where: string, state: string) =>
  rows.query(`update content.${table} set state = '${state}' where ${where}`);

describe('a report', () => {
  test('of a vent, of a comment in any voice and of a profile opens a case with a copy and the author', async () => {
    const { about, subject } = await aVent({
      title: 'A title',
      text: 'Words of a vent',
      hashtags: ['night'],
    });
    const [writer, reader] = [person(0), person(1)];
    await app.call(changeUsername, { as: writer, body: { newUsername: 'writes_by_name' } });
    const named = await makeComment(app, writer, about.id, { text: 'By name' });
    const anonymous = await makeComment(app, writer, about.id, { text: 'Without a name', anonymous: true });
    const author = await makeComment(app, ann, about.id, { text: 'By the author' });
    const comment = (id: string): ReportSubject => ({ kind: 'comment', id, ventId: about.id });
    const cases = [
      [about, subject, 'A title', ann],
      [comment(named), { ...subject, kind: 'comment', no: 1 }, 'By name', writer],
      [comment(anonymous), { ...subject, kind: 'comment', no: 2 }, 'Without a name', writer],
      [comment(author), { ...subject, kind: 'comment', no: 3 }, 'By the author', ann],
    ] as const;
    for (const [reported, expected, excerpt, by] of cases) {
      await reportOk(reader, reported);
      const made = (await listCases()).at(-1) as CaseRow;
      expect(made).toMatchObject({
        kind: expected.kind,
        subjectKey: keyOf(expected),
        state: 'open',
        reporters: 1,
      });
      const copy = openItem(made.subjectKey, made.sealedItem);
      expect(copy?.excerpt).toBe(excerpt);
      expect(copy?.paragraphs.map(({ text }) => text)).toContain(excerpt);
      expect(JSON.stringify(copy)).not.toContain('writes_by_name');
      const speakerId = open('author', made.subjectKey, made.sealedAuthor);
      expect(speakerId).toBe((await keysOf(app, by)).speakerId.toString('base64url'));
    }
    expect(await listCases()).toHaveLength(4);
  });

  test('of a profile needs an open or mutual pair, and keeps both texts if the profile is rewritten', async () => {
    const own = await ownTestApp({ limitsScale: 10_000 });
    const [me, other] = [await makeNamed(own), await makeNamed(own)];
    const write = (bio: string) => own.call(updateDetails, { as: other, body: { bio } });
    const send = (as: Person, id: string) =>
      own.call(createReport, { as, body: { about: { kind: 'profile', id }, reason: 'harassment' } });
    const readCopy = async () => {
      const [made] = await own.deps.databases.moderation.selectFrom('moderation.cases').selectAll().execute();
      if (!made?.sealedItem) throw new Error('no case');
      const copy = createCaseBox(own.deps.keys).open('item', made.subjectKey, made.sealedItem);
      return copy?.paragraphs.map(({ label, text }) => `${label}: ${text}`);
    };
    await write('A first bio');
    const match = (await suggestionsOf(own, me))[0] as MatchSuggestion;
    const id = otherIdIn(me, match);
    expect((await send(me, me.user._id)).body.code).toBe('CANNOT_REPORT_OWN');
    // The public id of an account is no id for others.
    expect((await send(me, other.user._id)).body.code).toBe('NOT_FOUND');
    expect((await send(me, id)).status).toBe(201);
    expect(await readCopy()).toEqual(['Bio: A first bio']);
    // Another match of the same person reports the next version.
    const third = await makeNamed(own);
    await write('A second bio');
    expect((await send(third, id)).body.code).toBe('NOT_FOUND');
    for (const theirs of await suggestionsOf(own, third)) {
      const shown = otherIdIn(third, theirs);
      if ((await peerOf(own, third, shown)) === other.userId)
        expect((await send(third, shown)).status).toBe(201);
    }
    expect(await readCopy()).toEqual(['Bio: A second bio', 'Earlier: Bio: A first bio']);
    await reject(own, me, match._id);
    expect((await send(me, id)).body.code).toBe('NOT_FOUND');
  });

  describe('of a profile that is rewritten', () => {
    /** A person, and others who can report them. */
    async function makeReported(reporters: number) {
      const own = await ownTestApp({ limitsScale: 10_000 });
      const other = await makeNamed(own);
      const people: { readonly as: Person; readonly id: string }[] = [];
      for (let n = 0; n < reporters; n += 1) {
        const as = await makeNamed(own);
        for (const match of await suggestionsOf(own, as)) {
          const id = otherIdIn(as, match);
          if ((await peerOf(own, as, id)) === other.userId) people.push({ as, id });
        }
      }
      expect(people).toHaveLength(reporters);
      const findCase = () =>
        own.deps.databases.moderation.selectFrom('moderation.cases').selectAll().executeTakeFirstOrThrow();
      return {
        own,
        other,
        findCase,
        write: async (bio: string) =>
          expect((await own.call(updateDetails, { as: other, body: { bio } })).status).toBe(200),
        async send(n: number) {
          const body = {
            about: { kind: 'profile' as const, id: people[n]?.id ?? '' },
            reason: 'harassment' as const,
          };
          expect((await own.call(createReport, { as: people[n]?.as, body })).status).toBe(201);
        },
        async readCopy() {
          const { subjectKey, sealedItem } = await findCase();
          const copy = sealedItem && createCaseBox(own.deps.keys).open('item', subjectKey, sealedItem);
          return copy?.paragraphs.map(({ label, text }) => `${label}: ${text}`);
        },
      };
    }

    test('keeps every version that somebody reported, so that harmless words push none out', async () => {
      const { write, send, readCopy, findCase } = await makeReported(4);
      const versions = ['Harmless', 'You should be ashamed, all of you', 'Harmless again', 'Harmless'];
      const seen = [];
      for (const [n, bio] of versions.entries()) {
        await write(bio);
        await send(n);
        seen.push((await findCase()).version);
      }
      expect(await readCopy()).toEqual([
        'Bio: Harmless',
        'Earlier: Bio: Harmless again',
        'Earlier: Bio: You should be ashamed, all of you',
      ]);
      // Who decides has read the words that stand there now.
      expect(new Set(seen).size).toBe(4);
    });

    test('while it is paused shows the new words to moderators, and pauses them too', async () => {
      const { own, other, write, send, readCopy, findCase } = await makeReported(3);
      const bio = async () => (await own.call(getSelf, { as: other })).body.user.bio;
      await write('Bad words');
      await send(0);
      const { id } = await findCase();
      await pauseCase(own, String(id));
      expect(await bio()).toBe('');
      // An empty profile changes nothing.
      await send(1);
      expect(await readCopy()).toEqual(['Bio: Bad words']);
      await write('Worse words');
      await send(2);
      expect(await readCopy()).toEqual(['Bio: Worse words', 'Earlier: Bio: Bad words']);
      expect(await bio()).toBe('');
      expect(await findCase()).toMatchObject({ state: 'open', pendingEffect: null });
    });

    test('is read anew when staff take the case over', async () => {
      const { own, other, write, send, readCopy } = await makeReported(1);
      await write('Harmless');
      await send(0);
      await write('Bad words');
      const ctx = own.features.moderation;
      const subject = await resolveSubject(ctx, { kind: 'profile', id: other.user._id }, null);
      await openCaseByStaff(ctx, { subject, policy: 'threat', source: 'staff', by: 'lead-one' });
      expect(await readCopy()).toEqual(['Bio: Bad words', 'Earlier: Bio: Harmless']);
    });
  });

  test('of one’s own vent or comment is refused in every voice, and stores nothing', async () => {
    const { about } = await aVent();
    const ids = [
      await makeComment(app, person(0), about.id),
      await makeComment(app, person(0), about.id, { anonymous: true }),
    ];
    const own = await makeComment(app, ann, about.id);
    const answers = [
      await report(ann, about),
      await report(ann, { kind: 'comment', id: own, ventId: about.id }),
      await report(ann, { kind: 'profile', id: ann.user._id }),
      ...(await Promise.all(ids.map((id) => report(person(0), { kind: 'comment', id, ventId: about.id })))),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [403, 'CANNOT_REPORT_OWN']),
    );
    expect(await listCases()).toEqual([]);
  });

  test('of something hidden, removed, deleted, misplaced or forged gets the error of something that never was', async () => {
    const [seen, hidden, deleted] = [await aVent(), await aVent(), await aVent()];
    const comments = {
      seen: await makeComment(app, person(1), seen.about.id),
      hidden: await makeComment(app, person(1), seen.about.id),
      underHidden: await makeComment(app, person(1), hidden.about.id),
    };
    await setState('vents', `id = ${hidden.subject.ventId}`, 'hidden');
    await setState('comments', `vent_id = ${seen.subject.ventId} and no = 2`, 'hidden');
    await app.call(deleteVent, { as: ann, params: { id: deleted.about.id } });
    const of = (id: string, ventId: string): ReportSubject => ({ kind: 'comment', id, ventId });
    const unseen: readonly (readonly [string, ReportSubject])[] = [
      ['VENT_NOT_FOUND', hidden.about],
      ['VENT_NOT_FOUND', deleted.about],
      ['VENT_NOT_FOUND', { kind: 'vent', id: 'forged' }],
      ['VENT_NOT_FOUND', of(comments.underHidden, hidden.about.id)],
      ['VENT_NOT_FOUND', of(comments.seen, 'forged')],
      ['COMMENT_NOT_FOUND', of(comments.hidden, seen.about.id)],
      ['COMMENT_NOT_FOUND', of(comments.underHidden, seen.about.id)],
      ['COMMENT_NOT_FOUND', of('forged', seen.about.id)],
      ['NOT_FOUND', { kind: 'profile', id: 'forged' }],
      ['NOT_FOUND', { kind: 'profile', id: person(1).user._id }],
    ];
    const bodies = new Set<string>();
    for (const [code, about] of unseen) {
      const answer = await report(person(0), about);
      expect([code, answer.status, answer.body.code]).toEqual([code, 404, code]);
      bodies.add(answer.text.replace(/"requestId":"[^"]+"/u, ''));
    }
    expect(bodies.size).toBe(3);
    // An author, too, cannot tell that their own comment is hidden from its report.
    expect((await report(person(1), of(comments.hidden, seen.about.id))).body.code).toBe('COMMENT_NOT_FOUND');
    expect(await listCases()).toEqual([]);
  });

  test('of one person counts once on an item, whatever the reason and the call', async () => {
    const { about } = await aVent();
    await reportOk(person(0), about, 'spam', 'first');
    await reportOk(person(0), about, 'minor_safety', 'second');
    const again = await app.call(reportVent, {
      as: person(0),
      body: { ventId: about.id, reason: 'Harassment' },
    });
    expect(again.text.trimEnd()).toBe('{"success":true}');
    expect(await theCase()).toMatchObject({ policy: 'spam_scam', reporters: 1 });
    expect((await listStored()).map(({ reason }) => reason)).toEqual(['spam']);
  });

  test('has a budget', async () => {
    const own = await ownTestApp({ limitsScale: 1 });
    const [writer, reader] = [await makeUser(own), await makeUser(own)];
    const { id } = await makeVent(own, writer);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1)
      statuses.push(
        (await own.call(createReport, { as: reader, body: { about: { kind: 'vent', id }, reason: 'spam' } }))
          .status,
      );
    // Newcomers: five a day.
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
  });

  test('validates its reason and its details, and echoes neither', async () => {
    const { about } = await aVent();
    for (const body of [
      { about, reason: 'unkind' },
      { about },
      { reason: 'spam' },
      { about, reason: 'other', details: 'secret'.repeat(100) },
      { about: { ...about, kind: 'session' }, reason: 'spam' },
      { about: { kind: 'comment', id: 'x' }, reason: 'spam' },
    ]) {
      const answer = await app.call(createReport, { as: person(0), body: body as never });
      expect([answer.status, answer.body.message]).toEqual([422, 'Please select a reason for reporting.']);
      expect(answer.text).not.toContain('secret');
    }
    for (const reason of reportReasonCodes) await reportOk(person(0), (await aVent()).about, reason);
  });

  test('is counted by reason, and its case by severity', async () => {
    const count = async () =>
      (await moderationMetrics(app.deps.metrics).reports.get()).values.find(
        ({ labels }) => labels.reason === 'spam',
      )?.value ?? 0;
    const before = await count();
    await reportOk(person(0), (await aVent()).about, 'spam');
    await reportOk(person(0), (await aVent()).about, 'private_info');
    expect((await count()) - before).toBe(1);
    app.clock.advance(3 * hour);
    await measureCases({ ...app.deps, db: app.deps.databases.moderation });
    const read = async (gauge: 'casesWaiting' | 'casesOverdue') =>
      (await moderationMetrics(app.deps.metrics)[gauge].get()).values.map(({ value }) => value);
    expect(await read('casesWaiting')).toEqual([0, 1, 0, 1]);
    expect(await read('casesOverdue')).toEqual([0, 0, 0, 1]);
  });
});

describe('a case', () => {
  test('rises to the more severe rule and the earlier time, and never falls', async () => {
    const { about } = await aVent();
    const seen = async () => {
      const { policy, severity, version, dueAt } = await theCase();
      return [policy, severity, version, dueAt.getTime()];
    };
    const start = Math.floor(app.clock.now() / 60_000) * 60_000;
    const due = (policy: keyof typeof policies, from = start) => from + policies[policy].dueHours * hour;
    await reportOk(person(0), about, 'other');
    expect(await seen()).toEqual(['other', 1, 0, due('other')]);
    await reportOk(person(1), about, 'worried');
    expect(await seen()).toEqual(['worried', 3, 1, due('worried')]);
    app.clock.advance(hour);
    // As severe, and an accusation. The earlier time stays.
    await reportOk(person(2), about, 'harassment');
    expect(await seen()).toEqual(['harassment', 3, 2, due('worried')]);
    await reportOk(person(3), about, 'spam');
    expect(await seen()).toEqual(['harassment', 3, 2, due('worried')]);
    await reportOk(person(4), about, 'private_info');
    expect(await seen()).toEqual(['private_info', 4, 3, due('private_info', start + hour)]);
  });

  test('is neither raised nor made urgent by somebody whose reports were wrong, and others still raise it', async () => {
    const liar = person(0);
    for (let n = 0; n < 10; n += 1) await reportOk(liar, (await aVent()).about, 'other');
    await close('keep');
    const seen = async () => {
      const { policy, severity, dueAt } = (await listCases()).at(-1) as CaseRow;
      return [policy, severity, dueAt.getTime()];
    };
    const start = Math.floor(app.clock.now() / 60_000) * 60_000;
    const joined = await aVent();
    await reportOk(person(1), joined.about, 'spam');
    const before = await seen();
    await reportOk(liar, joined.about, 'minor_safety');
    expect(await seen()).toEqual(before);
    const opened = await aVent();
    await reportOk(liar, opened.about, 'minor_safety');
    expect(await seen()).toEqual(['minor_safety', 3, start + 24 * hour]);
    // The log has the severity of the rule: it says nothing of the reporter.
    const { id } = (await listCases()).at(-1) as CaseRow;
    expect((await auditOf(id))[0]?.detail).toMatchObject({ policy: 'minor_safety', severity: 4 });
    await reportOk(person(2), opened.about, 'minor_safety');
    expect(await seen()).toEqual(['minor_safety', 4, start + 2 * hour]);
    // Opened by such a person for a mild reason, it is as any other.
    await reportOk(liar, (await aVent()).about, 'spam');
    expect(await seen()).toEqual(['spam_scam', 2, start + 36 * hour]);
  });

  test('records who acted in the audit log, without a word of the item', async () => {
    const { about } = await aVent({ text: 'Unspeakable words' });
    await reportOk(person(0), about, 'spam', 'Details of the reporter');
    const { id } = await theCase();
    expect(await auditOf(id)).toEqual([
      {
        action: 'opened',
        actor: 'reports',
        detail: { kind: 'vent', source: 'report', policy: 'spam_scam', severity: 2 },
      },
      { action: 'reported', actor: 'reports', detail: { reason: 'spam' } },
    ]);
    const { rows: broken } = await rows.query('select moderation.first_broken_audit() as at');
    expect(broken).toEqual([{ at: null }]);
  });

  test('that was kept takes the same reason for a day without another case, and another reason at once', async () => {
    const { about } = await aVent();
    await reportOk(person(0), about, 'spam');
    await close('keep');
    await reportOk(person(1), about, 'spam');
    expect(await listCases()).toHaveLength(1);
    expect((await listStored()).map(({ weight, outcome }) => [weight > 0, outcome])).toEqual([
      [true, 'disagreed'],
      [false, 'unused'],
    ]);
    // An answer at once would tell that somebody had reported it: the author may ask with another account.
    expect(await ownReports(person(1))).toMatchObject([{ outcome: 'waiting' }]);
    // The reporter of the kept case gives the same reason again: nothing. Another reason: a case.
    await reportOk(person(0), about, 'spam');
    expect(await listStored()).toHaveLength(2);
    await reportOk(person(0), about, 'harassment');
    expect(await listCases()).toMatchObject([{ state: 'closed' }, { state: 'open', policy: 'harassment' }]);
    await rows.query(`delete from moderation.cases where state = 'open'`);
    app.clock.advance(24 * hour + 60_000);
    expect(await ownReports(person(1))).toMatchObject([{ outcome: 'fine' }]);
    await reportOk(person(2), about, 'spam');
    expect(await listCases()).toMatchObject([{ state: 'closed' }, { state: 'open', policy: 'spam_scam' }]);
  });

  test('that was kept does not swallow what a reporter writes: a new case that cannot pause, answered after its decision', async () => {
    const { about } = await aVent();
    await reportOk(person(0), about, 'private_info');
    await close('keep');
    app.clock.advance(2 * 60_000);
    await reportOk(person(1), about, 'private_info', 'Look at the hashtags');
    const [first, second] = await listCases();
    expect(first).toMatchObject({ state: 'closed', reporters: 1 });
    expect(second).toMatchObject({ state: 'open', reporters: 1, isFrozen: true, pausedAt: null });
    const details = (await listStored()).at(-1)?.details as Buffer;
    expect(open('details', second?.subjectKey as Buffer, details)).toBe('Look at the hashtags');
    expect(await ownReports(person(1))).toMatchObject([{ outcome: 'waiting' }]);
    // Others join it, and it stays frozen.
    for (const n of [2, 3]) await reportOk(person(n), about, 'private_info');
    expect((await listCases())[1]).toMatchObject({ reporters: 3, isFrozen: true, pausedAt: null });
    app.clock.advance(25 * hour);
    expect(await ownReports(person(1))).toMatchObject([{ outcome: 'waiting' }]);
  });

  test('that was kept bars nobody for good whose report came after the decision', async () => {
    const vent = await aVent();
    const comment = await makeComment(app, ann, vent.about.id);
    for (const about of [vent.about, { kind: 'comment', id: comment, ventId: vent.about.id } as const]) {
      await rows.query('truncate moderation.cases cascade');
      await reportOk(person(0), about, 'spam');
      await close('keep');
      // In the minute of the decision, too.
      await reportOk(person(1), about, 'spam');
      await reportOk(person(1), about, 'spam');
      expect([(await listCases()).length, (await listStored()).length]).toEqual([1, 2]);
      await reportOk(person(1), about, 'spam', 'There is a link in it');
      expect((await listCases()).map(({ state }) => state)).toEqual(['closed', 'open']);
      // Once that is decided, the same reason of the same person changes nothing any more.
      await close('keep');
      app.clock.advance(2 * 24 * hour);
      await reportOk(person(1), about, 'spam', 'Again');
      expect(await listCases()).toHaveLength(2);
      await reportOk(person(2), about, 'spam');
      expect(await listCases()).toHaveLength(3);
    }
  });

  test('that was kept takes the same report again after a day, without details', async () => {
    const { about } = await aVent();
    await reportOk(person(0), about, 'spam');
    await close('keep');
    app.clock.advance(hour);
    await reportOk(person(1), about, 'spam');
    app.clock.advance(24 * hour);
    // Who had the case decided is not heard again, who came later is.
    await reportOk(person(0), about, 'spam');
    expect(await listCases()).toHaveLength(1);
    await reportOk(person(1), about, 'spam');
    expect((await listCases())[1]).toMatchObject({ state: 'open', reporters: 1, isFrozen: false });
  });

  test('is opened once and paused once by fifty reports at the same moment', async () => {
    const { about, subject } = await aVent();
    const answers = await Promise.all(crowd.map((as) => report(as, about)));
    expect(answers.map(({ status }) => status)).toEqual(crowd.map(() => 201));
    const made = await theCase();
    expect(made).toMatchObject({ reporters: 50, pendingEffect: null, isFrozen: false });
    expect((made.pauseEndsAt?.getTime() ?? 0) - (made.pausedAt?.getTime() ?? 0)).toBe(72 * hour);
    const actions = (await auditOf(made.id)).map(({ action }) => action);
    expect(Map.groupBy(actions, (action) => action).get('opened')).toHaveLength(1);
    expect(Map.groupBy(actions, (action) => action).get('paused')).toHaveLength(1);
    expect(Map.groupBy(actions, (action) => action).get('reported')).toHaveLength(50);
    expect((await listStored()).filter(({ isTipping }) => isTipping)).toHaveLength(1);
    const { rows: vents } = await rows.query(`select state from content.vents where id = ${subject.ventId}`);
    expect(vents).toEqual([{ state: 'hidden' }]);
    expect((await app.call(getVent, { as: person(0), params: { id: about.id } })).status).toBe(404);
    const { rows: broken } = await rows.query('select moderation.first_broken_audit() as at');
    expect(broken).toEqual([{ at: null }]);
  });

  test('of staff takes over the case that reports opened, and keeps its rule against later reports', async () => {
    const { about } = await aVent();
    await reportOk(person(0), about, 'spam');
    const { id } = await theCase();
    const openByStaff = async (
      named: ReportSubject,
      policy: PolicyName,
      source: 'staff' | 'order',
      note?: string,
    ) => {
      const ctx = app.features.moderation;
      const subject = await resolveSubject(ctx, named, null);
      return openCaseByStaff(ctx, { subject, policy, source, note, by: 'lead-one' });
    };
    expect(String(await openByStaff(about, 'legal_order', 'order', 'No. 7'))).toBe(id);
    await reportOk(person(1), about, 'minor_safety');
    expect(await theCase()).toMatchObject({ source: 'order', policy: 'legal_order', severity: 4 });
    expect((await auditOf(id)).filter(({ actor }) => actor === 'lead-one')).toEqual([
      {
        action: 'opened',
        actor: 'lead-one',
        detail: { kind: 'vent', source: 'order', policy: 'legal_order', severity: 4 },
      },
    ]);
    // Also about what nobody sees any more, by the ids that people send in.
    const hidden = await aVent();
    await setState('vents', `id = ${hidden.subject.ventId}`, 'hidden');
    await openByStaff(hidden.about, 'threat', 'staff');
    await openByStaff({ kind: 'profile', id: ann.user._id }, 'sexual', 'staff');
    expect((await listCases()).slice(1)).toMatchObject([
      { kind: 'vent', policy: 'threat', severity: 4 },
      { kind: 'profile', policy: 'sexual', severity: 3 },
    ]);
    await expect(openByStaff({ kind: 'vent', id: 'forged' }, 'threat', 'staff')).rejects.toThrow(
      'VENT_NOT_FOUND',
    );
  });
});

describe('the automatic pause', () => {
  const pausedAfter = async (about: ReportSubject, reason: ReportReasonCode, reporters: number) => {
    for (let n = 0; n < reporters; n += 1) await reportOk(person(n), about, reason);
    return (await theCase()).pausedAt !== null;
  };

  test('needs the weight of five ordinary reports for harassment', async () => {
    expect(await pausedAfter((await aVent()).about, 'harassment', 4)).toBe(false);
    await rows.query('truncate moderation.cases cascade');
    expect(await pausedAfter((await aVent()).about, 'harassment', 5)).toBe(true);
  });

  test('cannot be prevented by a report that only worries, nor made by such reports', async () => {
    const { about } = await aVent();
    for (let n = 10; n < 22; n += 1) await reportOk(person(n), about, 'worried');
    expect((await theCase()).pausedAt).toBeNull();
    for (let n = 0; n < 5; n += 1) await reportOk(person(n), about, 'harassment');
    expect(await theCase()).toMatchObject({ policy: 'harassment', pausedAt: expect.any(Date) as Date });
  });

  test('is not reached by mild reports and one grave accusation of a newcomer', async () => {
    const newcomer = await makeUser(app);
    const { about } = await aVent();
    for (let n = 0; n < 3; n += 1) await reportOk(person(n), about, 'spam');
    await reportOk(newcomer, about, 'minor_safety');
    expect(await theCase()).toMatchObject({ policy: 'minor_safety', pausedAt: null });
  });

  test('is not tipped twice by one person while the first waits', async () => {
    const [first, second, third] = [await aVent(), await aVent(), await aVent()];
    await reportOk(person(0), first.about, 'minor_safety');
    await reportOk(person(0), second.about, 'minor_safety');
    await rows.query(`update moderation.reports set outcome = 'agreed' where is_tipping`);
    await reportOk(person(0), third.about, 'minor_safety');
    expect((await listCases()).map(({ pausedAt }) => pausedAt !== null)).toEqual([true, false, true]);
    // Somebody else still can.
    await reportOk(person(1), second.about, 'minor_safety');
    expect((await listCases()).map(({ pausedAt }) => pausedAt !== null)).toEqual([true, true, true]);
  });

  test('leaves the words of somebody in crisis alone, except for the gravest rules', async () => {
    const text = 'I want to kill myself tonight. I have the pills here.';
    expect(await pausedAfter((await aVent({ text })).about, 'harassment', 12)).toBe(false);
    await rows.query('truncate moderation.cases cascade');
    expect(await pausedAfter((await aVent({ text })).about, 'private_info', 2)).toBe(true);
  });

  test('comes earlier where the guard finds what the report says', async () => {
    expect(await pausedAfter((await aVent()).about, 'private_info', 1)).toBe(false);
    await rows.query('truncate moderation.cases cascade');
    const { about } = await aVent({ text: 'Write to her on insta, she is @priya_sharma_92' });
    expect(await pausedAfter(about, 'private_info', 1)).toBe(true);
  });

  test.each([
    ['address', () => '198.51.100.7'],
    ['home line with IPv6', (n: number) => `2001:db8:0:1${n.toString(16).padStart(2, '0')}::1`],
  ])(
    'counts reports from one %s less and less, and freezes where few of them send many',
    async (_, addressOf) => {
      const { about } = await aVent();
      for (let n = 0; n < 12; n += 1) await reportOk({ ...person(n), address: addressOf(n) }, about, 'spam');
      expect((await listStored()).slice(0, 4).map(({ weight }) => Math.round(weight * 10))).toEqual([
        7, 4, 2, 1,
      ]);
      expect(await theCase()).toMatchObject({ isFrozen: true, pausedAt: null });
      for (let n = 12; n < 20; n += 1) await reportOk(person(n), about, 'spam');
      expect((await theCase()).pausedAt).toBeNull();
    },
  );

  test('cannot be prevented by one person who sends the same report again and again', async () => {
    const { about } = await aVent();
    const sent = await Promise.all(Array.from({ length: 20 }, () => report(person(0), about, 'other')));
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    // Somebody at the same address counts as the second there.
    await reportOk({ ...person(1), address: person(0).address ?? '' }, about, 'other');
    expect((await listStored())[1]?.weight).toBeCloseTo(0.4);
    for (let n = 2; n < 8; n += 1) await reportOk(person(n), about, 'other');
    expect(await theCase()).toMatchObject({
      reporters: 8,
      isFrozen: false,
      pausedAt: expect.any(Date) as Date,
    });
  });

  test('freezes where most reports are of newcomers', async () => {
    await age(-98, crowd.slice(30, 38));
    const { about } = await aVent();
    for (let n = 30; n < 38; n += 1) await reportOk(person(n), about, 'minor_safety');
    expect(await theCase()).toMatchObject({ isFrozen: true, pausedAt: null, reporters: 8 });
    await age(98, crowd.slice(30, 38));
  });

  test('counts every report as the second from its address while Redis is away', async () => {
    const { second, redis } = await startBehindProxy(app);
    const { about } = await aVent();
    await redis.refuse();
    const answer = await second.call(createReport, { as: person(0), body: { about, reason: 'spam' } });
    expect(answer.status).toBe(201);
    expect((await listStored()).map(({ weight }) => Math.round(weight * 10))).toEqual([4]);
  });
});

describe('one’s own reports', () => {
  test('are listed newest first, by day, with one of four words, and nobody else’s are', async () => {
    const days = ['keep', 'moot', null, 'remove', 'overturned'] as const;
    for (const outcome of days) {
      const { about } = await aVent();
      await reportOk(person(0), about, 'spam');
      await reportOk(person(1), about, 'harassment');
      const id = (await listCases()).at(-1)?.id ?? '';
      await rows.query(
        `insert into moderation.moderators (alias, role) values ('closer', 'lead'), ('other', 'lead')
         on conflict do nothing`,
      );
      const by = (alias: string) => `(select id from moderation.moderators where alias = '${alias}')`;
      const changes = {
        keep: `state = 'closed', outcome = 'keep', decided_at = now(), purge_at = now(), decided_by = ${by('closer')}`,
        moot: `state = 'closed', outcome = 'moot', decided_at = now(), purge_at = now()`,
        remove: `state = 'appealed', outcome = 'remove', decided_at = now(), decided_by = ${by('closer')},
                 appeal_until = now() + interval '1 day', appealed_at = now(), sealed_appeal = '\\x00'`,
        overturned: `state = 'closed', outcome = 'remove', decided_at = now(), decided_by = ${by('closer')},
                 appeal_until = now() + interval '1 day', resolution = 'overturned', resolved_at = now(),
                 resolved_by = ${by('other')}, purge_at = now()`,
      };
      if (outcome) await rows.query(`update moderation.cases set ${changes[outcome]} where id = ${id}`);
      app.clock.advance(24 * hour);
    }
    const mine = await ownReports(person(0));
    expect(mine.map(({ outcome, kind, reason }) => [outcome, kind, reason])).toEqual([
      ['fine', 'vent', 'spam'],
      ['broken', 'vent', 'spam'],
      ['waiting', 'vent', 'spam'],
      ['gone', 'vent', 'spam'],
      ['fine', 'vent', 'spam'],
    ]);
    expect(mine.map(({ day }) => day)).toEqual(
      mine
        .map(({ day }) => day)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(mine.map(({ day }) => day)).size).toBe(5);
    expect((await ownReports(person(1))).map(({ reason }) => reason)).toEqual(Array(5).fill('harassment'));
    expect(await ownReports(ann)).toEqual([]);
    const empty = await app.call(listReports, { as: ann });
    const full = await app.call(listReports, { as: person(0) });
    expect(full.text.length).toBe(empty.text.length);
  });

  test('are forty: the oldest decided one gives way, then the oldest', async () => {
    const reporter = person(0);
    for (let n = 0; n < 40; n += 1) {
      await reportOk(reporter, (await aVent()).about, n === 3 ? 'spam' : 'other');
      app.clock.advance(60_000);
    }
    await rows.query(`update moderation.reports set outcome = 'agreed' where reason = 'spam'`);
    await reportOk(reporter, (await aVent()).about, 'worried');
    let mine = await ownReports(reporter);
    expect([mine.length, mine[0]?.reason, mine.some(({ reason }) => reason === 'spam')]).toEqual([
      40,
      'worried',
      false,
    ]);
    const { rows: oldest } = await rows.query<{ id: string; slot_key: Buffer }>(
      'select id, slot_key from moderation.reports where slot_key is not null order by id limit 1',
    );
    await reportOk(reporter, (await aVent()).about, 'worried');
    mine = await ownReports(reporter);
    expect(mine).toHaveLength(40);
    const { rows: slots } = await rows.query<{ id: string; taken: boolean }>(
      'select id, slot_key is not null as taken from moderation.reports',
    );
    expect([slots.length, slots.filter(({ taken }) => taken).length]).toEqual([42, 40]);
    expect(slots.find(({ id }) => id === oldest[0]?.id)?.taken).toBe(false);
    // Its slot stays empty: a second report in it would be by the same person.
    const again = 'select 1 from moderation.reports where slot_key = $1';
    expect((await rows.query(again, [oldest[0]?.slot_key])).rowCount).toBe(0);
  });

  test('that gave way have no transaction in common with those that took their slots, after the night', async () => {
    const reporter = person(0);
    for (let n = 0; n < 46; n += 1) await reportOk(reporter, (await aVent()).about, 'other');
    const together = async () =>
      (
        await rows.query(`
          select 1 from moderation.reports as one join moderation.reports as other
              on one.xmin = other.xmin and one.slot_key is null and other.slot_key is not null`)
      ).rowCount;
    expect(await together()).toBe(6);
    await runJob(app, 'moderation-purge');
    expect(await together()).toBe(0);
  });

  test('take different slots when they are sent at the same moment', async () => {
    const vents = await Promise.all(Array.from({ length: 12 }, () => aVent()));
    const answers = await Promise.all(vents.map(({ about }) => report(person(0), about, 'minor_safety')));
    expect(answers.map(({ status }) => status)).toEqual(vents.map(() => 201));
    expect(await ownReports(person(0))).toHaveLength(12);
    expect((await listCases()).filter(({ pausedAt }) => pausedAt !== null)).toHaveLength(1);
  });
});

test('a dump of moderation holds no text, id or name of an item, its author or its reporters', async () => {
  const words = ['Zephyrine', 'Quillfeather', 'Mossgarden', 'Tanglewort'];
  const { about, subject } = await aVent({ title: words[0] ?? '', text: words[1] ?? '' });
  const comment = await makeComment(app, person(0), about.id, { text: words[2] ?? '' });
  await reportOk(person(1), about, 'other', words[3]);
  await reportOk(person(1), { kind: 'comment', id: comment, ventId: about.id }, 'other', words[3]);
  await reportOk(person(2), about, 'other', words[3]);
  const { rows: tables } = await rows.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'moderation'`,
  );
  let dump = '';
  for (const { name } of tables) {
    const { rows: held } = await rows.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t`,
    );
    dump += held.map(({ row }) => row).join('\n');
  }
  expect(dump).toContain('sealed_details');
  const people = [ann, person(0), person(1), person(2)];
  const secrets = [
    ...words,
    'ann_who_writes',
    about.id,
    comment,
    ...people.map(({ user }) => user._id),
    ...(await Promise.all(people.map((one) => keysOf(app, one)))).flatMap(({ speakerId }) => [
      speakerId.toString('hex'),
      speakerId.toString('base64url'),
    ]),
  ];
  for (const secret of secrets) {
    expect(dump.toLowerCase()).not.toContain(secret.toLowerCase());
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'));
  }
  // The id of the vent, as eight bytes.
  const plain = Buffer.alloc(8);
  plain.writeBigInt64BE(subject.ventId);
  expect(dump).not.toContain(plain.toString('hex'));
  // What is encrypted opens with the key of its own case alone.
  const [first, second] = await listCases();
  const details = (await listStored()).map((one) => one.details as Buffer);
  expect(open('details', first?.subjectKey as Buffer, details[0] as Buffer)).toBe(words[3]);
  expect(open('details', second?.subjectKey as Buffer, details[0] as Buffer)).toBeNull();
  // No value leads from one report of a person to the other, and copies of different lengths are equally long.
  const { rows: keys } = await rows.query<{ key: string }>(
    `select encode(reporter_key, 'hex') as key from moderation.reports
     union all select encode(slot_key, 'hex') from moderation.reports
     union all select encode(subject_key, 'hex') from moderation.cases`,
  );
  expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
  expect(new Set([first, second].map((one) => one?.sealedItem.length)).size).toBe(1);
});

test.each([
  ['en', 'I can’t talk to my parents about this, and it hurts'],
  ['en', 'My friend Ki said it would be fine'],
  ['hi', 'मुझे समझ नहीं आ रहा क्या करूँ'],
  ['hi', 'मेरे boss ने मुझे फिर से डाँटा'],
  ['hinglish', 'yaar mujhe samajh nahi aa raha kya karu, ghar wale sunte hi nahi'],
  ['other', 'எனக்கு யாரும் இல்லை'],
  ['other', '😢😢'],
] as const)('the language of a case is %s: %s', (language, text) => {
  expect(languageOf(text)).toBe(language);
});
