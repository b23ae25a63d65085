import { randomBytes } from 'node:crypto';
import {
  changeUsername,
  closeToVoice,
  createVent,
  deleteAccount,
  exportData,
  getChoices,
  getVent,
  holdVent,
  listHeldVents,
  listReports,
  listNotices,
  listVents,
  react,
  recoverAccount,
  setMutes,
  thankForComment,
  type VentView,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import columns from '../../docs/data/columns.json' with { type: 'json' };
import { createThanksRules } from '../src/content/comments/thanks.ts';
import { keyLabels, type Column, type LeakDecision } from '../src/platform/crypto/key-labels.ts';
import { createKeys, type Keys } from '../src/platform/crypto/keys.ts';
import { replaceKey, ReplaceKeyError } from '../src/replace-key.ts';
import { addDays } from '../src/platform/clock.ts';
import { ownTestApp, startBeside, type TestApp } from './app.ts';
import { signInModerator } from './authenticator.ts';
import { appealCase, decide, reportItem, take } from './cases-app.ts';
import { openPool } from './db.ts';
import {
  finishLeaving,
  makeComment,
  makeUser,
  makeValidCode,
  makeVent,
  markConfirmed,
  sanction,
  signIn,
  type Person,
} from './factories.ts';
import { readWith, type Known } from './key-thief.ts';
import { fullTier } from './runs.ts';
import { historyOf, makeNamed, suggestionsOf } from './pairs.ts';

/** A master key that leaked is replaced in all that is stored. */

const decisions = Object.entries(keyLabels) as readonly (readonly [string, LeakDecision])[];
const columnsOf = (decision: LeakDecision): readonly Column[] =>
  'column' in decision ? [decision.column] : 'columns' in decision ? decision.columns : [];
const columnsWith = (...leaks: readonly LeakDecision['leak'][]) =>
  [...new Set(decisions.flatMap(([, one]) => (leaks.includes(one.leak) ? columnsOf(one) : [])))].toSorted();

describe('what a leak does', () => {
  /** Drawn at random, or computed without a master key. */
  const withoutKey: ReadonlySet<string> = new Set([
    'identity.departed.speaker_id',
    'identity.users.id',
    'identity.users.author_seed',
    'identity.users.speaker_id',
    'identity.users.place',
    'identity.sessions.id',
    'matching.pairs.id',
    'moderation.audit.salt',
    'moderation.audit.prev_hash',
    'moderation.audit.hash',
    'moderation.passkeys.credential_id',
    'moderation.passkeys.public_key',
    // The layers of the code before are those of the code.
    'identity.recovery_codes.replaced_key',
  ]);
  const secret = Object.entries(columns).flatMap(([table, kinds]) =>
    Object.entries(kinds)
      .filter(([, kind]) => /^(?:random|encrypted)/u.test(kind))
      .map(([name]) => `${table}.${name}`),
  );
  const decided = columnsWith('ended', 'sealed again', 'layered');

  test('is decided for every column with a random or encrypted value', () => {
    expect(secret.filter((column) => !withoutKey.has(column)).toSorted()).toEqual(
      decided.filter((column) => column !== 'content.thanks.shown_from'),
    );
  });

  test('is decided for every use: another one has no key', () => {
    const keys = createKeys([{ id: 1, bytes: randomBytes(32) }]);
    expect(() => keys.permanent('undecided/1' as 'otp/1')).toThrow('undecided/1 is not in key-labels.ts');
  });

  test('to the day of thanks is another draw, which stays on its side of today', () => {
    const rules = createThanksRules(createKeys([{ id: 1, bytes: randomBytes(32) }]));
    const today = '2026-11-18';
    const moved = new Set<number>();
    for (let n = 0; n < 40; n += 1)
      for (let days = -3; days <= 7; days += 1) {
        const was = addDays(today, days);
        const is = rules.shownFromAgain(BigInt(n), was, today);
        expect([is > today, is <= was]).toEqual([was > today, true]);
        moved.add((Date.parse(was) - Date.parse(is)) / 86_400_000);
      }
    expect([...moved].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

interface Town {
  readonly ann: Person;
  readonly ben: Person;
  readonly named: readonly Person[];
  readonly code: string;
  readonly vents: readonly string[];
  readonly idempotencyKey: string;
  readonly leaverTitle: string;
  readonly known: Known;
}

/** Something in every column that a key makes. */
async function buildTown(app: TestApp): Promise<Town> {
  const [ann, ben, cat, dan, eve] = [
    await makeUser(app),
    await makeUser(app),
    await makeUser(app),
    await makeUser(app),
    await makeUser(app),
  ] as const;
  await app.call(changeUsername, { as: ben, body: { newUsername: 'ben_named' } });
  const idempotencyKey = 'a-key-of-a-phone';
  const posted = await app.call(createVent, {
    as: ann,
    body: { title: 'Sent twice', text: 'by a phone', emotion: 'Sad' },
    headers: { 'idempotency-key': idempotencyKey },
  });
  const vents = [posted.body.vent._id];
  for (let n = 0; n < 3; n += 1) vents.push((await makeVent(app, ann)).id);
  const [first, second] = vents as [string, string];
  const said = await makeComment(app, ben, first);
  await makeComment(app, ann, first, { text: 'Thank you' });
  const unwanted = await makeComment(app, cat, second, { anonymous: true });
  await app.call(react, { as: ben, body: { ventId: first, reactionType: 'hug', active: true } });
  const thanked = { ventId: first, commentId: said };
  expect((await app.call(thankForComment, { as: ann, params: thanked })).status).toBe(200);
  const closed = { ventId: second, commentId: unwanted };
  expect((await app.call(closeToVoice, { as: ann, params: closed })).status).toBe(200);
  await app.call(holdVent, { as: ann, body: { title: 'Held', text: 'for an hour', emotion: 'Sad' } });
  await app.call(setMutes, { as: ann, body: { words: ['monday'], hashtags: [], emotions: [] } });
  await markConfirmed(app, ann);
  const code = await makeValidCode(app, ann);
  const named = [await makeNamed(app), await makeNamed(app), await makeNamed(app)];
  for (const person of named) expect((await suggestionsOf(app, person)).length).toBeGreaterThan(0);
  const { id: leaving } = await makeVent(app, dan, { title: 'Of somebody who left' });
  await makeComment(app, dan, first);

  const moderator = await signInModerator(app, { role: 'lead' });
  const caseId = await reportItem(app, { kind: 'vent', id: second }, 'harassment', {
    as: ben,
    details: 'They keep writing to me',
  });
  await take(app, moderator, caseId);
  await decide(app, moderator, caseId, { outcome: 'hide', policy: 'harassment', note: 'A note' });
  expect(await appealCase(app, caseId, 'That was me')).toBe(true);
  const enrolToken = await app.features.moderators.staff.add('later', 'moderator');
  await sanction(app, eve, 'ban');

  const { rows } = await poolOf(app).query<{ authorSeed: Buffer; speakerId: Buffer }>(
    'select author_seed as "authorSeed", speaker_id as "speakerId" from identity.users',
  );
  for (const [as, removeWords] of [
    [dan, '30days'],
    [eve, '3days'],
  ] as const) {
    await markConfirmed(app, as);
    expect((await app.call(deleteAccount, { as, query: { removeWords } })).status).toBe(200);
  }
  expect(leaving).not.toBe('');
  const people = [ann, ben, cat, dan, eve, ...named];
  return {
    ann,
    ben,
    named,
    code,
    vents,
    idempotencyKey,
    leaverTitle: 'Of somebody who left',
    known: {
      phones: people.map(({ phone }) => phone),
      tokens: people.map(({ token }) => token),
      deviceIds: people.map(({ cookies }) => cookies?.get('dev')?.split('.')[0] ?? ''),
      recoveryCodes: [code.replaceAll('-', '')],
      idempotencyKeys: [idempotencyKey],
      consoleTokens: [moderator.cookies.get('mod') ?? ''],
      enrolTokens: [enrolToken],
      people: rows,
      phoneCost: app.config.phoneIndexCost,
    },
  };
}

const poolOf = (app: TestApp) => {
  const pool = openPool(app.config.databaseUrl, 2);
  onTestFinished(() => pool.end());
  return pool;
};

const bothKeys = (app: TestApp) => {
  const [leaked] = app.config.masterKeys;
  if (!leaked) throw new Error('no key');
  return [
    { id: 2, bytes: randomBytes(32) },
    { ...leaked, isRetired: true },
  ];
};

function replace(app: TestApp, say: (line: string) => void = () => {}) {
  const url = app.config.databaseUrl;
  return replaceKey({
    deps: app.deps,
    ownerUrls: { identity: url, content: url, matching: url, moderation: url },
    waits: { pauseMs: 0, followMs: 0 },
    say,
  });
}

const thief = (app: TestApp): Keys => createKeys(app.config.masterKeys.slice(-1));
const feedOf = async (app: TestApp, as: Person): Promise<VentView[]> => {
  const { status, body, text } = await app.call(listVents, { as, query: { limit: '50' } });
  expect(status, text).toBe(200);
  return body.vents;
};

describe(
  'replacing it',
  fullTier(
    'Keys are replaced by hand, and after a drill. That each use has a decision is checked for every change.',
  ),
  () => {
    const stored = columnsWith('sealed again', 'layered').filter(
      (one) => one !== 'content.thanks.shown_from',
    );

    test('leaves nothing in a dump that the old key opens, and everything to its owners (R30)', async () => {
      const first = await ownTestApp({ limitsScale: 1000 });
      const town = await buildTown(first);
      const app = await startBeside(first, { masterKeys: bothKeys(first) });
      onTestFinished(app.close);
      const { ann, ben, known } = town;
      const read = async (keys: Keys) =>
        [...(await readWith(keys, first.config.databaseUrl, known)).keys()].toSorted();
      // The thief's tools work, so what they do not find later is not there.
      expect(await read(thief(first))).toEqual([...stored, ...columnsWith('ended')].toSorted());
      const pool = poolOf(first);
      const places = async () =>
        (await pool.query<{ id: string }>('select id from content.vents order by ctid')).rows.map(
          ({ id }) => id,
        );
      const orderBefore = await places();
      const {
        rows: [old],
      } = await pool.query<{ id: string; slot_key: Buffer }>(
        'select id, slot_key from content.vents order by id limit 1',
      );
      const historyBefore = (await historyOf(app, town.named[0] as Person)).length;
      const suggestedBefore = (await suggestionsOf(app, town.named[0] as Person)).length;
      const feedBefore = (await feedOf(app, ben)).map(({ title }) => title);

      await replace(app);

      expect(await read(thief(first))).toEqual([]);
      expect(await read(app.deps.keys)).toEqual(stored);
      // No row tells by its transaction or by its place what one person wrote.
      for (const table of ['vents', 'comments', 'reactions', 'taken_slots']) {
        const { rows } = await pool.query(`select distinct xmin::text from content.${table}`);
        expect(rows, table).toHaveLength(1);
      }
      expect(await places()).toEqual(orderBefore);

      // Sessions are ended; whoever signs in again has everything.
      expect((await app.call(listVents, { as: ann })).status).toBe(401);
      app.clock.advance(61_000);
      const again = await signIn(app, ann.phone, ann);
      expect(again.userId).toBe(ann.userId);
      const mine = await app.call(listVents, { as: again, query: { mine: 'true' } });
      expect(mine.body.vents).toHaveLength(4);
      expect((await app.call(listHeldVents, { as: again })).body.held).toMatchObject([{ title: 'Held' }]);
      expect((await app.call(getChoices, { as: again })).body.mutes.words).toEqual(['monday']);
      expect((await app.call(listNotices, { as: again })).body.notices).toMatchObject([
        { appeal: 'waiting' },
      ]);
      await markConfirmed(app, again);
      expect((await app.call(exportData, { as: again })).status).toBe(200);
      const twice = await app.call(createVent, {
        as: again,
        body: { title: 'Sent twice', text: 'by a phone', emotion: 'Sad' },
        headers: { 'idempotency-key': town.idempotencyKey },
      });
      expect(twice.status).toBe(201);
      const benAgain = await signIn(app, ben.phone, ben);
      expect((await feedOf(app, benAgain)).map(({ title }) => title)).toEqual(feedBefore);
      // A link from before still leads to its vent.
      const vent = (await app.call(getVent, { as: benAgain, params: { id: town.vents[0] ?? '' } })).body.vent;
      expect(vent).toMatchObject({ title: 'Sent twice', myReactions: ['hug'] });
      expect(vent.comments.map(({ userId }) => userId.username)).toContain('ben_named');
      expect((await app.call(listReports, { as: benAgain })).body.reports).toHaveLength(1);
      const named = await signIn(app, town.named[0]?.phone, town.named[0]);
      expect((await historyOf(app, named)).length).toBe(historyBefore);
      expect((await suggestionsOf(app, named)).length).toBe(suggestedBefore);
      const other = await makeUser(app);
      await app.call(recoverAccount, { as: other, body: { code: town.code } });
      const { rows: waiting } = await pool.query('select from identity.recovery_codes');
      expect(waiting).toHaveLength(1);
      // The words of somebody who left are found and removed.
      await finishLeaving(app);
      expect(
        (await pool.query(`select from content.vents where title = $1`, [town.leaverTitle])).rowCount,
      ).toBe(0);

      // Planted: a row that was left as it was.
      await pool.query('update content.vents set slot_key = $2 where id = $1', [old?.id, old?.slot_key]);
      expect(await read(thief(first))).toEqual(['content.vents.slot_key']);
    });

    test('goes on after a kill at any point, while people read with the session they have', async () => {
      const first = await ownTestApp({ limitsScale: 1000 });
      const [ann, ben] = [await makeUser(first), await makeUser(first)];
      await first.call(changeUsername, { as: ben, body: { newUsername: 'ben_named' } });
      const { id } = await makeVent(first, ann);
      await makeComment(first, ben, id);
      const masterKeys = bothKeys(first);
      const app = await startBeside(first, { masterKeys });
      // A process that has not noticed yet.
      const late = await startBeside(first, { masterKeys });
      onTestFinished(async () => {
        await app.close();
        await late.close();
      });
      const readAs = async (by: TestApp) => {
        by.clock.advance(2000);
        const { status, body } = await by.call(getVent, { as: ann, params: { id } });
        return [status, body.vent?.comments.map(({ userId }) => userId.username)];
      };
      const lines: string[] = [];
      const killAt = (beginning: string) =>
        replace(app, (line) => {
          lines.push(line);
          if (line.includes(beginning)) throw new Error('killed');
        }).catch((error: Error) => error.message);
      const pool = poolOf(first);
      const isPaused = async () => (await pool.query('select from public.switches')).rowCount === 1;

      expect(await killAt('computed, while people write')).toBe('killed');
      expect(await isPaused()).toBe(false);
      await makeVent(app, ann, { title: 'Written meanwhile' });
      expect(await killAt('nothing is written')).toBe('killed');
      expect(await isPaused()).toBe(true);
      await app.deps.switches.refresh();
      const refused = await app.call(createVent, {
        as: ann,
        body: { title: 'a', text: 'b', emotion: 'Sad' },
      });
      expect(refused.body.code).toBe('PAUSED');
      expect(await readAs(app)).toEqual([200, ['ben_named']]);
      expect(await killAt('names deleted from Redis')).toBe('killed');
      // Changed, and the sessions are not ended: both kinds of processes serve them.
      expect(app.deps.keys.chain).toEqual([1, 2]);
      expect(late.deps.keys.chain).toEqual([1]);
      for (const by of [app, late]) expect(await readAs(by)).toEqual([200, ['ben_named']]);
      // Without the new key a process serves what it can, and writes nothing.
      await first.deps.keyWatch.refresh();
      expect(first.deps.switches.isOff('maintenance')).toBe(true);
      expect(late.deps.switches.isOff('maintenance')).toBe(false);

      expect(await killAt('never')).toBeUndefined();
      expect(await isPaused()).toBe(false);
      expect(lines.at(-1)).toBe('2 sessions ended');
      await late.deps.keyWatch.refresh();
      late.clock.advance(61_000);
      const again = await signIn(late, ann.phone, ann);
      expect((await late.call(listVents, { as: again, query: { mine: 'true' } })).body.vents).toHaveLength(2);
      expect((await pool.query(`select from pg_tables where tablename like 'rekeyed%'`)).rowCount).toBe(0);

      // Again, for the next leak: a value gets one more layer.
      const [second] = masterKeys;
      const third = await startBeside(first, {
        masterKeys: [
          { id: 3, bytes: randomBytes(32) },
          { ...(second as (typeof masterKeys)[number]), isRetired: true },
          ...first.config.masterKeys.map((key) => ({ ...key, isRetired: true })),
        ],
      });
      onTestFinished(third.close);
      await replace(third);
      third.clock.advance(61_000);
      const later = await signIn(third, ann.phone, ann);
      expect(later.userId).toBe(ann.userId);
      expect((await third.call(listVents, { as: later, query: { mine: 'true' } })).body.vents).toHaveLength(
        2,
      );
    });

    test('with another key than an earlier run, which was stopped, uses nothing of that run', async () => {
      const first = await ownTestApp({ limitsScale: 1000 });
      const ann = await makeUser(first);
      await makeVent(first, ann);
      const stopped = await startBeside(first, { masterKeys: bothKeys(first) });
      onTestFinished(stopped.close);
      await expect(
        replace(stopped, () => {
          throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
      const [, leaked] = bothKeys(first);
      const app = await startBeside(first, {
        masterKeys: [{ id: 3, bytes: randomBytes(32) }, leaked as NonNullable<typeof leaked>],
      });
      onTestFinished(app.close);
      await replace(app);
      app.clock.advance(61_000);
      const again = await signIn(app, ann.phone, ann);
      expect(again.userId).toBe(ann.userId);
      expect((await app.call(listVents, { as: again, query: { mine: 'true' } })).body.vents).toHaveLength(1);
    });

    test('that fails between two schemas lets nobody write until it was run again, also without the switches', async () => {
      const first = await ownTestApp({ limitsScale: 1000 });
      const ann = await makeUser(first);
      const masterKeys = bothKeys(first);
      const app = await startBeside(first, { masterKeys });
      onTestFinished(app.close);
      const pool = poolOf(first);
      const post = async () => {
        await Promise.all([app.deps.switches.refresh(), app.deps.keyWatch.refresh()]);
        return (await app.call(createVent, { as: ann, body: { title: 'a', text: 'b', emotion: 'Sad' } })).body
          .code;
      };
      // Identity is the last: its commit fails.
      await pool.query(`
        create function public.refuse_change() returns trigger language plpgsql as $$
          begin raise exception 'lost'; end $$;
        create constraint trigger refuse after insert on identity.phone_keys initially deferred
          for each row execute function public.refuse_change()`);
      await expect(replace(app)).rejects.toThrow('lost');
      expect(await post()).toBe('PAUSED');
      await pool.query(`alter table identity.phone_keys disable trigger refuse`);
      await pool.query(`alter table identity.users rename to away`);
      const lines: string[] = [];
      await expect(replace(app, (line) => lines.push(line))).rejects.toThrow();
      await pool.query(`alter table identity.away rename to users`);
      await pool.query(`delete from public.switches`);
      expect(await post()).toBe('PAUSED');
      await replace(app);
      app.clock.advance(61_000);
      const again = await signIn(app, ann.phone, ann);
      expect(again.userId).toBe(ann.userId);
      expect(await app.deps.keyWatch.refresh()).toBe(true);
      expect((await makeVent(app, again)).id).toHaveLength(22);
    });

    test('is refused without a newer key, or while the leaked one still makes what is short-lived', async () => {
      const app = await ownTestApp();
      const [leaked] = app.config.masterKeys;
      const careless = await startBeside(app, {
        masterKeys: [{ id: 2, bytes: randomBytes(32) }, leaked as NonNullable<typeof leaked>],
      });
      onTestFinished(careless.close);
      await expect(replace(careless)).rejects.toThrow(ReplaceKeyError);
      const lines: string[] = [];
      await replace(app, (line) => lines.push(line));
      expect(lines).toEqual(['nothing is left to do']);
    });
  },
);
