import { appealNotice, getVent, listNotices } from '@unsaid/contract';
import {
  decideCase,
  nextCase,
  openCase,
  resolveAppeal,
  reverseCase,
  type CaseView,
} from '@unsaid/contract/moderation/console';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { startBehindProxy, usePool, useTestApp } from './app.ts';
import { proveAgain, signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import { auditOf, decide, noticeOf, pauseCase, readCase, reportItem, rowOf, take } from './cases-app.ts';
import { keysOf, makeComment, makeUser, makeVent, runJob, type Person } from './factories.ts';
import { collide as collideAt, expectLockWaiters } from './locks.ts';
import { runs, seed } from './runs.ts';
import { drawVentId } from '../src/content/vents/vents.queries.ts';
import { ventPlace } from '../src/kernel/speakers.ts';

const app = useTestApp({ limitsScale: 100_000, databasePoolSize: 10 });
const owner = usePool(app);
const minute = 60_000;
const hour = 60 * minute;

beforeEach(async () => {
  await owner.query(
    'truncate moderation.cases, moderation.reports, moderation.notices, content.vents cascade',
  );
  app.clock.advance(minute);
});

const isVisible = async (as: Person, id: string) =>
  (await app.call(getVent, { as, params: { id } })).status === 200;

/** Runs two calls that meet at the row of the case. */
async function collide<A, B>(
  caseId: string,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const lock = 'select 1 from moderation.cases where id = $1 for update';
  return (await collideAt<A | B>(owner, lock, [first, second], [caseId])) as [A, B];
}

/** Cases of vents by one author, as reports leave them. */
async function makeCases(count: number, author: Person): Promise<void> {
  const { keys, speakers, databases: db } = app.deps;
  const subjects = createSubjects(keys);
  const caseBox = createCaseBox(keys);
  const { speakerId } = await keysOf(app, author);
  const now = app.clock.now();
  for (let n = 0; n < count; n += 1) {
    const ventId = await drawVentId(db.content);
    await db.content
      .insertInto('content.vents')
      .values({
        id: ventId,
        speaker: speakers.encrypt(ventPlace(ventId), speakerId, n + 1),
        slotKey: Buffer.from(`race-vent-${String(n).padStart(6, '0')}`),
        emotion: 'Sad',
        title: `Vent ${n}`,
        body: 'Words',
        createdAt: new Date(Math.floor(now / minute) * minute),
      })
      .execute();
    await db.content.insertInto('content.ventStats').values({ ventId }).execute();
    const subjectKey = subjects.keyOf({ kind: 'vent', ventId });
    await db.moderation
      .insertInto('moderation.cases')
      .values({
        subjectKey,
        subjectKind: 'vent',
        source: 'report',
        policy: 'harassment',
        severity: 1 + (n % 4),
        language: 'en',
        sealedItem: caseBox.seal('item', subjectKey, { paragraphs: [], excerpt: `Vent ${n}` }),
        sealedAuthor: caseBox.seal('author', subjectKey, speakerId.toString('base64url')),
        openedAt: new Date(now),
        dueAt: new Date(now + (n % 7) * hour),
      })
      .execute();
  }
}

const caseCount = runs('RACED_CASES', { change: 100, full: 300 });
test(
  `12 moderators over ${caseCount} cases decide each once, though a fifth of the leases is dropped`,
  { timeout: 600_000 },
  async () => {
    const author = await makeUser(app);
    await makeCases(caseCount, author);
    const moderators: SignedInModerator[] = [];
    for (let n = 0; n < 12; n += 1) moderators.push(await signInModerator(app));
    const random = createSeededRandom(seed);
    const outcomes = ['keep', 'care', 'hide', 'remove'] as const;
    const done = new Map<string, string[]>();
    let dropped: { as: SignedInModerator; held: CaseView }[] = [];
    let taken = 0;
    let late = 0;

    const send = (as: SignedInModerator, { id, version }: CaseView) => {
      const outcome = random.pick(outcomes);
      return app.callMod(decideCase, {
        as,
        params: { id },
        body: { version, outcome, policy: 'harassment' },
      });
    };
    async function work(as: SignedInModerator): Promise<void> {
      for (;;) {
        const next = await app.callMod(nextCase, { as });
        expect(next.status, next.text).toBe(200);
        const held = next.body.case;
        if (!held) return;
        taken += 1;
        if (taken % 5 === 0) {
          dropped.push({ as, held });
          continue;
        }
        const answer = await send(as, held);
        expect(answer.status, answer.text).toBe(200);
        done.set(held.id, [...(done.get(held.id) ?? []), as.alias]);
      }
    }

    const openCases = async () =>
      (await owner.query(`select 1 from moderation.cases where state in ('open', 'escalated')`)).rows.length;
    for (let round = 0; round < 50 && (await openCases()) > 0; round += 1) {
      await Promise.all(moderators.map(work));
      // Leases that were dropped end. Whoever comes back too late is refused, while the others take the cases.
      app.clock.advance(10 * minute);
      const [wakers] = [dropped];
      dropped = [];
      const answers = await Promise.all(wakers.map(({ as, held }) => send(as, held)));
      for (const answer of answers) expect(['LEASE_LOST', 'CASE_CLOSED']).toContain(answer.body.code);
      late += answers.length;
    }

    expect(late).toBeGreaterThan(20);
    expect(done.size).toBe(caseCount);
    for (const [id, by] of done) expect(by, id).toHaveLength(1);
    const { rows } = await owner.query(`
      select c.id, c.outcome, c.state, c.pending_effect, m.alias,
             (select count(*)::int from moderation.audit a where a.case_id = c.id and a.action = 'decided') as decided
        from moderation.cases c join moderation.moderators m on m.id = c.decided_by`);
    expect(rows).toHaveLength(caseCount);
    for (const row of rows) {
      expect(row).toMatchObject({ decided: 1, alias: done.get(String(row.id))?.[0], pending_effect: null });
    }
    // Items follow the decisions.
    const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
    const states = await owner.query(
      'select state, count(*)::int from content.vents group by state order by state',
    );
    expect(states.rows).toEqual([
      { state: 'hidden', count: count('hide') },
      { state: 'removed', count: count('remove') },
      { state: 'visible', count: count('keep') + count('care') },
    ]);
    const broken = await owner.query('select moderation.first_broken_audit() as at');
    expect(broken.rows).toEqual([{ at: null }]);
    // The author has 16 slots for notices, and never two in one.
    const notices = await owner.query(
      'select count(*)::int, count(distinct slot_key)::int as slots from moderation.notices',
    );
    expect(notices.rows).toEqual([{ count: 16, slots: 16 }]);
  },
);

describe('two at once', () => {
  let mia: SignedInModerator;
  let lead: SignedInModerator;
  let ann: Person;
  let ben: Person;

  beforeEach(async () => {
    mia = await signInModerator(app);
    lead = await signInModerator(app, { role: 'lead' });
    ann = await makeUser(app);
    ben = await makeUser(app);
  });

  async function reported(author = ann) {
    const vent = await makeVent(app, author);
    return { vent, id: await reportItem(app, { kind: 'vent', id: vent.id }) };
  }

  test('a decision sent twice happens once', async () => {
    const { id } = await reported();
    const { version } = await take(app, mia, id);
    const send = (outcome: 'keep' | 'remove') => () =>
      app.callMod(decideCase, { as: mia, params: { id }, body: { version, outcome, policy: 'harassment' } });
    const answers = await collide(id, send('remove'), send('keep'));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const won = answers[0].status === 200 ? 'remove' : 'keep';
    expect(await rowOf(app, id)).toMatchObject({ outcome: won, pendingEffect: null });
    expect((await auditOf(app, id)).filter(({ action }) => action === 'decided')).toHaveLength(1);
    expect(Boolean(await noticeOf(app, id))).toBe(won === 'remove');
  });

  test('a decision and a pause that reports tip: the item is where the decision says', async () => {
    const { vent, id } = await reported();
    const { version } = await take(app, mia, id);
    const [answer] = await collide(
      id,
      () => app.callMod(decideCase, { as: mia, params: { id }, body: { version, outcome: 'keep' } }),
      () => pauseCase(app, id).catch(() => 'refused'),
    );
    const row = await rowOf(app, id);
    if (answer.status === 200) expect(await isVisible(ben, vent.id)).toBe(true);
    else expect([answer.body.code, row.pausedAt === null]).toEqual(['CASE_CHANGED', false]);
  });

  test('an appeal and a reversal: one of them wins', async () => {
    for (let n = 0; n < 6; n += 1) {
      const author = await makeUser(app);
      const { vent, id } = await reported(author);
      await decide(app, mia, id, { outcome: 'remove' });
      const { version } = await readCase(app, lead, id);
      await proveAgain(app, lead);
      const notices = await app.call(listNotices, { as: author });
      const noticeId = notices.body.notices[0]?._id ?? '';
      const appeal = () =>
        app.call(appealNotice, { as: author, params: { id: noticeId }, body: { text: 'Please look again' } });
      const reverse = () => app.callMod(reverseCase, { as: lead, params: { id }, body: { version } });
      const [appealed, reversed] =
        n % 2 === 0 ? await collide(id, appeal, reverse) : (await collide(id, reverse, appeal)).toReversed();
      expect([appealed?.status, reversed?.status].toSorted()).toEqual([200, 409]);
      const row = await rowOf(app, id);
      expect(row.state).toBe(appealed?.status === 200 ? 'appealed' : 'closed');
      expect(row.appealedAt !== null).toBe(appealed?.status === 200);
      expect(await isVisible(ben, vent.id)).toBe(reversed?.status === 200);
    }
  });

  test('an appeal is resolved once', async () => {
    const { vent, id } = await reported();
    await decide(app, mia, id, { outcome: 'remove' });
    const [notice] = (await app.call(listNotices, { as: ann })).body.notices;
    const sent = await app.call(appealNotice, {
      as: ann,
      params: { id: notice?._id ?? '' },
      body: { text: 'Look again' },
    });
    expect(sent.status, sent.text).toBe(200);
    const { version } = await take(app, lead, id);
    const send = (resolution: 'upheld' | 'overturned') => () =>
      app.callMod(resolveAppeal, { as: lead, params: { id }, body: { version, resolution } });
    const answers = await collide(id, send('upheld'), send('overturned'));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const isOverturned = answers[1].status === 200;
    expect((await rowOf(app, id)).resolution).toBe(isOverturned ? 'overturned' : 'upheld');
    expect(await isVisible(ben, vent.id)).toBe(isOverturned);
    expect((await auditOf(app, id)).filter(({ action }) => action === 'resolved')).toHaveLength(1);
  });
});

describe('faults', () => {
  let mia: SignedInModerator;
  let ann: Person;
  let ben: Person;

  beforeEach(async () => {
    mia = await signInModerator(app);
    ann = await makeUser(app);
    ben = await makeUser(app);
  });

  test('a decision stands where its effect fails, and the job repeats the effect', async () => {
    const vent = await makeVent(app, ann);
    const id = await reportItem(app, { kind: 'vent', id: vent.id });
    await owner.query(`
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before update on content.vents for each row execute function public.refuse()`);
    const answer = await decide(app, mia, id, { outcome: 'remove' });
    expect(answer.status, answer.text).toBe(200);
    expect(await isVisible(ben, vent.id)).toBe(true);
    expect(await rowOf(app, id)).toMatchObject({ state: 'decided', pendingEffect: 'remove' });
    expect(await noticeOf(app, id)).toBeDefined();
    // It fails alone: the round goes on with other rows.
    const failed = async () => (await owner.query('select tries from moderation.failed_rows')).rows;
    await runJob(app, 'moderation-round');
    expect(await failed()).toEqual([{ tries: 1 }]);
    expect((await rowOf(app, id)).pendingEffect).toBe('remove');
    await owner.query('drop trigger refuse on content.vents; drop function public.refuse()');
    // After a try that failed, each round takes the row at random.
    for (let round = 0; round < 64 && (await rowOf(app, id)).pendingEffect !== null; round += 1)
      await runJob(app, 'moderation-round');
    expect((await rowOf(app, id)).pendingEffect).toBeNull();
    expect(await isVisible(ben, vent.id)).toBe(false);
    expect(await failed()).toEqual([]);
  });

  test('a crash after the effect repeats it, and that does nothing', async () => {
    const vent = await makeVent(app, ann);
    const commentId = await makeComment(app, ben, vent.id);
    await makeComment(app, ann, vent.id);
    const id = await reportItem(app, { kind: 'comment', id: commentId, ventId: vent.id });
    await decide(app, mia, id, { outcome: 'hide' });
    const stats = async () =>
      (await owner.query('select comments, own_weight from content.vent_stats')).rows[0];
    const before = await stats();
    expect(before).toEqual({ comments: 1, own_weight: 3 });
    await owner.query(`update moderation.cases set pending_effect = 'hide' where id = $1`, [id]);
    await runJob(app, 'moderation-round');
    expect(await stats()).toEqual(before);
    // Deleted by its writer meanwhile: there is nothing to do.
    await owner.query('delete from content.comments where no = 1');
    await owner.query(`update moderation.cases set pending_effect = 'restore' where id = $1`, [id]);
    await runJob(app, 'moderation-round');
    expect(await stats()).toEqual(before);
    expect((await rowOf(app, id)).pendingEffect).toBeNull();
  });

  test('what one case restores, another case still holds', async () => {
    const vent = await makeVent(app, ann);
    const id = await reportItem(app, { kind: 'vent', id: vent.id });
    await decide(app, mia, id, { outcome: 'hide' });
    const { subjectKey } = await rowOf(app, id);
    await owner.query(
      `insert into moderation.cases (subject_key, subject_kind, source, policy, severity, language, state, opened_at,
         due_at, outcome, decided_by, decided_at, appeal_until)
       select $1, 'vent', 'order', 'legal_order', 4, 'en', 'decided', now(), now(), 'remove', min(id), now(),
              now() + interval '30 days' from moderation.moderators`,
      [subjectKey],
    );
    await owner.query(`update moderation.cases set pending_effect = 'restore' where id = $1`, [id]);
    await runJob(app, 'moderation-round');
    expect(await isVisible(ben, vent.id)).toBe(false);
  });

  test('what one case restores while another takes it away is gone', async () => {
    const lead = await signInModerator(app, { role: 'lead' });
    const vent = await makeVent(app, ann);
    const about = { kind: 'vent', id: vent.id } as const;
    const first = await reportItem(app, about);
    await decide(app, mia, first, { outcome: 'hide' });
    const opened = await app.callMod(openCase, {
      as: lead,
      body: { about, policy: 'harassment', source: 'staff' },
    });
    const second = opened.body.case.id;
    const { version } = await take(app, mia, second);
    const reversed = { version: (await readCase(app, lead, first)).version };
    const client = await owner.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from content.vents for update');
      // It found no other case that holds the vent, and waits for the vent itself.
      const reversing = app.callMod(reverseCase, { as: lead, params: { id: first }, body: reversed });
      await expectLockWaiters(owner, 1);
      const deciding = app.callMod(decideCase, {
        as: mia,
        params: { id: second },
        body: { version, outcome: 'hide', policy: 'harassment' },
      });
      // Committed, and its effect waits for that of the first.
      await expectLockWaiters(owner, 2);
      expect((await rowOf(app, second)).state).toBe('decided');
      await client.query('commit');
      expect([(await reversing).status, (await deciding).status]).toEqual([200, 200]);
    } finally {
      client.release();
    }
    expect(await isVisible(ben, vent.id)).toBe(false);
    expect((await rowOf(app, second)).pendingEffect).toBeNull();
  });

  test('without Redis moderators decide, and the decision has its effect', { timeout: 120_000 }, async () => {
    const { second, redis } = await startBehindProxy(app);
    const moderator = await signInModerator(app);
    const vent = await makeVent(app, ann);
    const id = await reportItem(app, { kind: 'vent', id: vent.id });
    await redis.refuse();
    const answer = await decide(second, moderator, id, {
      outcome: 'remove',
      sanction: 'suspend',
      isDangerous: true,
    });
    expect(answer.status, answer.text).toBe(200);
    expect((await rowOf(app, id)).pendingEffect).toBeNull();
    expect(await isVisible(ben, vent.id)).toBe(false);
    const keys = await keysOf(app, ann);
    expect(await second.features.standing.find(keys, { skipCache: true })).toBe('suspended');
  });

  test('without a worker decisions work, and only a pause lasts until one runs', async () => {
    const [kept, paused] = [await makeVent(app, ann), await makeVent(app, ann)];
    const decidedId = await reportItem(app, { kind: 'vent', id: kept.id });
    const pausedId = await reportItem(app, { kind: 'vent', id: paused.id });
    await decide(app, mia, decidedId, { outcome: 'remove' });
    expect(await isVisible(ben, kept.id)).toBe(false);
    await pauseCase(app, pausedId);
    app.clock.advance(100 * hour);
    await signInAgain(app, mia);
    // Nobody but the worker ends a pause. A moderator does, by deciding.
    expect(await isVisible(ben, paused.id)).toBe(false);
    await runJob(app, 'moderation-round');
    expect(await isVisible(ben, paused.id)).toBe(true);
  });
});
