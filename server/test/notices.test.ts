import {
  appealNotice,
  getSelf,
  listInbox,
  listNotices,
  markInboxSeen,
  type NoticeView,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { accountMark, createCursorCodec } from '../src/person/inbox/inbox-cursor.ts';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { voidNotice } from '../src/moderation/notices/notices.queries.ts';
import { sanctionTimes } from '../src/moderation/notices/sanction-times.ts';
import { createRingAead } from '../src/platform/crypto/aead.ts';
import { dayInIndia, startOfDay, startOfDayInIndia, today } from '../src/platform/clock.ts';
import { useTestApp, usePool, type Actor } from './app.ts';
import { makeDecision, makeModerator, type MadeDecision } from './decisions.ts';
import { keysOf, makeUser, signIn, suspend } from './factories.ts';
import { collide, expectLockWaiters } from './locks.ts';

const app = useTestApp({ limitsScale: 1000 });
const rows = usePool(app);
const hour = 3_600_000;
const day = 24 * hour;

async function notices(as: Actor): Promise<NoticeView[]> {
  const answer = await app.call(listNotices, { as });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.notices;
}

const appeal = (as: Actor, id: string, text = 'It was a joke between friends.') =>
  app.call(appealNotice, { as, params: { id }, body: { text } });

async function decide(person: Actor, decision: Parameters<typeof makeDecision>[2] = {}) {
  const made = await makeDecision(app, await keysOf(app, person), decision);
  const [notice] = await notices(person);
  if (!notice) throw new Error('no notice');
  return { ...made, notice };
}

async function caseOf({ caseId }: Pick<MadeDecision, 'caseId'>) {
  return app.deps.databases.moderation
    .selectFrom('moderation.cases')
    .selectAll()
    .where('id', '=', caseId)
    .executeTakeFirstOrThrow();
}

/** Closes a case as the moderator or the clock does, without its effects on the item. */
async function close(caseId: bigint, resolution?: 'upheld' | 'overturned'): Promise<void> {
  const at = new Date(app.clock.now());
  const resolved = resolution ? { resolution, resolvedBy: await makeModerator(app), resolvedAt: at } : {};
  await app.deps.databases.moderation
    .updateTable('moderation.cases')
    .set({ state: 'closed', purgeAt: at, ...resolved })
    .where('id', '=', caseId)
    .execute();
}

/** Every row of the moderation schema, to see what a call wrote. */
async function dump(): Promise<unknown> {
  const { rows: found } = await rows.query<{ row: unknown }>(`
    select to_jsonb(t) as row from moderation.cases t union all select to_jsonb(t) from moderation.notices t
    union all select to_jsonb(t) from moderation.audit t union all select to_jsonb(t) from moderation.reports t`);
  return found;
}

describe('listing', () => {
  test('an author reads what was decided, newest first, and nobody else does', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    expect(await notices(author)).toEqual([]);
    await decide(author, { excerpt: 'My first title', policy: 'sexual' });
    app.clock.advance(day);
    await decide(author, { kind: 'care', about: 'comment', policy: 'worried', excerpt: 'I cannot' });
    const [newest, oldest, ...more] = await notices(author);
    expect(more).toEqual([]);
    expect(newest).toEqual({
      _id: expect.stringMatching(/^[\w-]{22}$/u),
      kind: 'care',
      about: 'comment',
      policy: 'worried',
      excerpt: 'I cannot',
      day: today(app.clock),
      sanction: 'none',
      until: null,
      appeal: 'closed',
    });
    expect(oldest).toMatchObject({ kind: 'remove', excerpt: 'My first title', appeal: 'open', until: null });
    expect(await notices(other)).toEqual([]);
  });

  test('the excerpt goes with the copy, and the notice goes when it expires', async () => {
    const author = await makeUser(app);
    const { caseId } = await decide(author, { excerpt: 'A title' });
    await app.deps.databases.moderation
      .updateTable('moderation.cases')
      .set({ sealedItem: null })
      .where('id', '=', caseId)
      .execute();
    expect(await notices(author)).toMatchObject([{ excerpt: null }]);
    await app.deps.databases.moderation
      .updateTable('moderation.notices')
      .set({ expiresAt: new Date(app.clock.now()) })
      .where('caseId', '=', caseId)
      .execute();
    expect(await notices(author)).toEqual([]);
  });

  test('a copy that was moved to another case does not open there', async () => {
    const [ann, ben] = [await makeUser(app), await makeUser(app)];
    const a = await decide(ann, { excerpt: 'Of Ann' });
    const b = await decide(ben, { excerpt: 'Of Ben' });
    await rows.query(
      'update moderation.cases set sealed_item = (select sealed_item from moderation.cases where id = $1) where id = $2',
      [a.caseId, b.caseId],
    );
    expect(await notices(ben)).toMatchObject([{ excerpt: null }]);
  });

  test('a sanction shows its last day in India, and nothing shows its start', async () => {
    const [ann, ben] = [await makeUser(app), await makeUser(app)];
    const now = app.clock.now();
    const midnightInIndia = new Date(Math.ceil((now + 5.5 * hour) / day) * day - 5.5 * hour + 3 * day);
    const later = (ms: number) => ({
      sanction: 'limit' as const,
      startsAt: new Date(now + ms),
      endsAt: midnightInIndia,
    });
    const { notice } = await decide(ann, later(hour));
    expect(notice.until).toBe(
      new Date(midnightInIndia.getTime() + 5.5 * hour - 1).toISOString().slice(0, 10),
    );
    // Another start gives the same notice, and before it nothing else differs either.
    const { notice: other } = await decide(ben, later(5 * hour));
    expect({ ...other, _id: '' }).toEqual({ ...notice, _id: '' });
    for (const person of [ann, ben]) {
      const self = await app.call(getSelf, { as: person });
      expect(self.body.user).not.toHaveProperty('limited');
    }
  });

  test('reading writes nothing, and neither does a visit after it', async () => {
    const author = await makeUser(app);
    await decide(author, { sanction: 'suspend' });
    const before = await dump();
    app.clock.advance(hour);
    await notices(author);
    await app.call(getSelf, { as: author });
    expect(await dump()).toEqual(before);
  });

  test('responses with and without notices have one length', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    await decide(author, { excerpt: 'A title' });
    const [one, none] = [
      await app.call(listNotices, { as: author }),
      await app.call(listNotices, { as: other }),
    ];
    expect(one.text.length).toBe(none.text.length);
  });

  test('the seventeenth notice replaces the oldest without a sanction in force', async () => {
    const author = await makeUser(app);
    await decide(author, {
      sanction: 'ban',
      endsAt: new Date(app.clock.now() + 100 * day),
      excerpt: 'banned',
    });
    for (let n = 1; n <= 16; n += 1) await decide(author, { excerpt: `number ${n}` });
    const left = (await notices(author)).map(({ excerpt }) => excerpt);
    expect(left).toHaveLength(16);
    expect(left).toContain('banned');
    expect(left).not.toContain('number 1');
    expect(left[0]).toBe('number 16');
  });
});

describe('the inbox', () => {
  const inbox = async (as: Actor, cursor?: string) => {
    const answer = await app.call(listInbox, { as, query: cursor ? { cursor } : {} });
    expect(answer.status, answer.text).toBe(200);
    return { ...answer.body, length: answer.text.length };
  };

  test('has an unread line for each notice until it was on screen, in no count and without any write', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    const start = await inbox(author);
    expect(start.lines).toEqual([]);
    const { notice: first } = await decide(author, { excerpt: 'A secret title' });
    const { notice: second } = await decide(author, { kind: 'care', policy: 'worried' });
    const before = await dump();
    const { lines, counts, cursor, length } = await inbox(author, start.cursor);
    expect(lines).toMatchObject([
      { kind: 'notice', isUnread: true, noticeId: second._id, day: today(app.clock) },
      { kind: 'notice', isUnread: true, noticeId: first._id, day: today(app.clock) },
    ]);
    expect(counts).toEqual({ answers: 0, gifts: 0, matches: 0 });
    expect(JSON.stringify(lines)).not.toMatch(/secret|harassment|worried|remove|care/u);
    const shown = lines.slice(0, 1).map(({ key }) => key);
    const seen = (await app.call(markInboxSeen, { as: author, body: { cursor, shown } })).body.cursor;
    expect((await inbox(author, seen)).lines.map(({ isUnread }) => isUnread)).toEqual([true, false]);
    // The key of a line marks nothing for another person.
    const theirs = await inbox(other);
    await app.call(markInboxSeen, { as: other, body: { cursor: theirs.cursor, shown } });
    expect(theirs.lines).toEqual([]);
    expect([theirs.length, theirs.cursor.length]).toEqual([length, cursor.length]);
    expect(await dump()).toEqual(before);
  });

  test('lists a notice for 30 days, also to a suspended person', async () => {
    const author = await makeUser(app);
    await decide(author, { sanction: 'suspend' });
    expect((await inbox(author)).lines).toHaveLength(1);
    app.clock.advance(30 * day);
    const back = await signIn(app, author.phone);
    expect((await inbox(back)).lines).toMatchObject([{ kind: 'notice', isUnread: false }]);
    app.clock.advance(day);
    expect((await inbox(back)).lines).toEqual([]);
  });

  test('reads its cursors, and takes one of another release for none', () => {
    const codec = createCursorCodec(app.deps.keys);
    const aead = createRingAead(app.deps.keys.ring('inbox/1'));
    const seen = {
      isStart: false,
      fromDay: '2026-11-16',
      newestVent: 3,
      newestComment: 4,
      vents: new Map([[3, { heart: 1, hug: 2, listen: 3, no: 4 }]]),
      threads: new Map([[7n, 2]]),
      matches: new Set([5n]),
      notices: new Set([9n]),
      account: new Set([accountMark('code_replaced', '2026-11-16')]),
      thanks: new Set([4, 2]),
    };
    const cursor = codec.seal(seen, 1n);
    expect(codec.open(cursor, 1n)).toEqual(seen);
    for (const length of [100, 2184]) {
      const older = aead.seal(Buffer.alloc(length, 1), Buffer.from('1')).toString('base64url');
      expect(codec.open(older, 1n), `${length} bytes`).toBeNull();
    }
  });
});

test('the end of a sanction is a midnight in India that does not depend on its random start', () => {
  for (let n = 0; n < 500; n += 1) {
    const decidedAt = Date.parse('2026-11-16T00:00:00Z') + n * 613_000;
    for (const days of [1, 7, 180]) {
      const [first, last] = [0, 0.999_999].map((share) =>
        sanctionTimes(decidedAt, { days, isAtOnce: false, share }),
      );
      if (!first || !last) throw new Error('no times');
      expect(first.endsAt).toEqual(last.endsAt);
      expect(new Date(first.endsAt).toISOString()).toContain('T18:30:00.000Z');
      expect(Math.abs(first.endsAt - decidedAt - days * day)).toBeLessThanOrEqual(day / 2);
      expect(last.startsAt - decidedAt).toBeLessThan(6 * hour);
      expect(last.startsAt).toBeLessThan(last.endsAt);
      expect(sanctionTimes(decidedAt, { days, isAtOnce: true, share: 0.5 }).startsAt).toBe(decidedAt);
    }
  }
});

describe('an appeal', () => {
  test('is stored encrypted, and due within 72 hours', async () => {
    const author = await makeUser(app);
    const made = await decide(author);
    expect((await appeal(author, made.notice._id, 'Please look again')).status).toBe(200);
    const row = await caseOf(made);
    expect(row).toMatchObject({ state: 'appealed', version: 1, leasedBy: null });
    // The day alone: the time would join the cases of who appeals several decisions.
    const day = startOfDay(today(app.clock));
    expect(row.appealedAt?.getTime()).toBe(day);
    expect(row.dueAt.getTime()).toBe(day + 72 * hour);
    expect(row.sealedAppeal?.includes('Please')).toBe(false);
    const box = createCaseBox(app.deps.keys);
    expect(box.open('appeal', made.subjectKey, row.sealedAppeal as Buffer)).toBe('Please look again');
    const { rows: audit } = await rows.query(
      'select actor, action, detail, at from moderation.audit where case_id = $1',
      [made.caseId],
    );
    // Leads and auditors read the log: the day in India alone.
    const at = new Date(startOfDayInIndia(dayInIndia(app.clock.now())));
    expect(audit).toEqual([{ actor: 'author', action: 'appealed', detail: {}, at }]);
    expect(await notices(author)).toMatchObject([{ appeal: 'waiting' }]);
  });

  test('is possible once', async () => {
    const author = await makeUser(app);
    const { notice, caseId } = await decide(author);
    expect((await appeal(author, notice._id)).status).toBe(200);
    expect((await appeal(author, notice._id)).body.code).toBe('APPEAL_CLOSED');
    await close(caseId, 'upheld');
    expect((await appeal(author, notice._id)).body.code).toBe('APPEAL_CLOSED');
    expect(await notices(author)).toMatchObject([{ appeal: 'upheld' }]);
  });

  test('of four at once one is stored', async () => {
    const author = await makeUser(app);
    const made = await decide(author);
    const answers = await collide(
      rows,
      'select 1 from moderation.cases where id = $1 for update',
      Array.from({ length: 4 }, (_, n) => () => appeal(author, made.notice._id, `attempt ${n}`)),
      [made.caseId],
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'APPEAL_CLOSED')).toHaveLength(3);
    expect((await caseOf(made)).version).toBe(1);
  });

  test.each([
    ['a reversal', 'overturned'],
    ['the end of the window', undefined],
  ] as const)('waits for %s that is under way, and is refused after it', async (_, resolution) => {
    const author = await makeUser(app);
    const { notice, caseId } = await decide(author);
    const other = await rows.connect();
    try {
      await other.query('begin');
      await other.query('select 1 from moderation.cases where id = $1 for update', [caseId]);
      const asked = appeal(author, notice._id);
      // The request waits for the row.
      await expectLockWaiters(rows, 1);
      const at = new Date(app.clock.now());
      const by = resolution ? await makeModerator(app) : null;
      await other.query(
        `update moderation.cases set state = 'closed', purge_at = $2, version = version + 1, resolution = $3,
                resolved_by = $4, resolved_at = case when $4::int is null then null else $2::timestamptz end where id = $1`,
        [caseId, at, resolution ?? null, by],
      );
      await other.query('commit');
      expect((await asked).body.code).toBe('APPEAL_CLOSED');
    } finally {
      other.release();
    }
    expect(await notices(author)).toMatchObject([{ appeal: resolution ?? 'closed' }]);
  });

  test('is possible until the window is over', async () => {
    const author = await makeUser(app);
    const first = await decide(author);
    await decide(author);
    // The notice goes when the window ends. One that stays longer can still be read.
    await rows.query(`update moderation.notices set expires_at = expires_at + interval '1 day'`);
    // An account that nobody uses for 180 days loses its number.
    app.clock.advance(90 * day);
    await signIn(app, author.phone);
    app.clock.advance(90 * day);
    const back = await signIn(app, author.phone);
    expect(await notices(back)).toMatchObject([{ appeal: 'open' }, { appeal: 'open' }]);
    expect((await appeal(back, first.notice._id)).status).toBe(200);
    app.clock.advance(1);
    const [second] = await notices(back);
    expect(second).toMatchObject({ appeal: 'closed' });
    expect((await appeal(back, second?._id ?? '')).body.code).toBe('APPEAL_CLOSED');
  });

  test('of somebody else’s notice, a forged id or an id of another kind finds nothing', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    const made = await decide(author);
    const id = app.deps.publicIds.notice.decode(made.notice._id) ?? 0n;
    const wrong = [
      [other, made.notice._id],
      [author, app.deps.publicIds.match.encode(id)],
      [author, app.deps.publicIds.notice.encode(id + 1000n)],
      [author, 'x'.repeat(22)],
      [author, String(id)],
    ] as const;
    for (const [as, sealed] of wrong)
      expect(await appeal(as, sealed).then(({ status, body }) => [status, body.code])).toEqual([
        404,
        'NOTICE_NOT_FOUND',
      ]);
    expect((await caseOf(made)).state).toBe('decided');
  });

  test('of a care note is refused: nothing was taken away', async () => {
    const author = await makeUser(app);
    const { notice } = await decide(author, { kind: 'care', policy: 'worried' });
    expect((await appeal(author, notice._id)).body.code).toBe('APPEAL_CLOSED');
  });

  test('needs words', async () => {
    const author = await makeUser(app);
    const { notice } = await decide(author);
    expect((await appeal(author, notice._id, '   ')).status).toBe(422);
    expect((await appeal(author, notice._id, 'x'.repeat(1001))).status).toBe(422);
  });

  test('is open to a suspended person, like the list', async () => {
    const author = await makeUser(app);
    await suspend(app, author);
    const [notice] = await notices(author);
    expect(notice).toMatchObject({ sanction: 'suspend', appeal: 'open' });
    expect((await appeal(author, notice?._id ?? '')).status).toBe(200);
  });
});

test('an overturned decision is shown as such, and its sanction no longer counts', async () => {
  const author = await makeUser(app);
  const { caseId } = await decide(author, { sanction: 'suspend' });
  expect((await app.call(getSelf, { as: author })).body.user.suspended).toBe(true);
  await close(caseId, 'overturned');
  await voidNotice(app.deps.databases.moderation, caseId, new Date(app.clock.now()));
  await app.features.standing.invalidate(await keysOf(app, author));
  expect((await app.call(getSelf, { as: author })).body.user).not.toHaveProperty('suspended');
  expect(await notices(author)).toMatchObject([{ appeal: 'overturned' }]);
});
