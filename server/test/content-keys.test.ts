import { createHash, randomBytes } from 'node:crypto';
import {
  changeUsername,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  exportData,
  getSelf,
  getUser,
  getVent,
  listComments,
  listSessions,
  listVents,
  matchHistory,
  pendingMatches,
  react,
  reactionTypes,
  readRecovery,
  reportVent,
  searchVents,
  setVentComments,
  ventWeather,
  ventsSince,
  type CommentView,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSubjects } from '../src/kernel/subjects.ts';
import { createBlock } from '../src/platform/crypto/block.ts';
import { createPersons, type Person as PersonKeys } from '../src/kernel/person-keys.ts';
import type { Voice } from '../src/kernel/speakers.ts';
import { keysFrom } from './keys.ts';
import { ownTestApp, startReadOnly, usePool, useTestApp } from './app.ts';
import { openPool } from './db.ts';
import {
  finishLeaving,
  keysOf,
  makeComment,
  makeUser,
  makeVent,
  runJob,
  suspend,
  type Person,
} from './factories.ts';
import { name, otherIdIn, suggestionWith } from './pairs.ts';
import { listTables } from './tables.ts';
import { listSpoken } from './speakers.ts';

/**
 * Properties of the keys on content rows, against an attacker who has the tables, the seeds, or both and the master
 * key.
 */

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app);

let names = 0;

async function makeNamed(): Promise<Person & { name: string }> {
  const person = await makeUser(app);
  names += 1;
  const name = `keyholder_${String.fromCodePoint(96 + names)}`;
  await app.call(changeUsername, { as: person, body: { newUsername: name } });
  return { ...person, name };
}

/** Comments in every voice, reactions of every kind, a report, a held vent and a vent sent with an idempotency key. */
async function writeEveryKind(person: Person, ownVent: string, theirVent: string): Promise<void> {
  await makeComment(app, person, theirVent);
  await makeComment(app, person, theirVent, { anonymous: true });
  await makeComment(app, person, ownVent);
  for (const reactionType of reactionTypes)
    await app.call(react, { as: person, body: { ventId: theirVent, reactionType, active: true } });
  await app.call(reportVent, { as: person, body: { ventId: theirVent, reason: 'Spam' } });
  const written = [
    await app.call(createVent, {
      as: person,
      headers: { 'idempotency-key': randomBytes(12).toString('hex') },
      body: { title: 'With a mark', text: 'Words that nobody else wrote', emotion: 'Sad' },
    }),
    await app.call(createVent, {
      as: person,
      body: { title: 'Later', text: 'Words for another day', emotion: 'Sad', later: true },
    }),
  ];
  expect(written.map(({ status }) => status)).toEqual([201, 201]);
}

/** Reauthenticates without a code. */
async function reauthenticate(person: Person): Promise<void> {
  const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
  if (!viewer) throw new Error('no session');
  await app.features.sessions.markReauthenticated(viewer);
}

/** All key columns that are derived from a person's seed. */
const personalColumns = [
  'content.vents.slot_key',
  'content.comments.slot_key',
  'content.held_vents.slot_key',
  'content.taken_slots.taken_key',
  'content.reactions.reactor_key',
  'moderation.reports.reporter_key',
  'moderation.reports.slot_key',
  'moderation.taken_slots.taken_key',
  'moderation.notices.slot_key',
] as const;

async function valuesOf(column: string): Promise<string[]> {
  const [schema, table, name] = column.split('.');
  const { rows: held } = await rows.query<{ value: string }>(
    `select encode(${name}, 'hex') as value from ${schema}.${table} where ${name} is not null`,
  );
  return held.map(({ value }) => value);
}

const numbers = Array.from({ length: 100 }, (_, n) => n);

async function listVentIds(): Promise<bigint[]> {
  const { rows: vents } = await rows.query<{ id: string }>('select id from content.vents');
  return vents.map(({ id }) => BigInt(id));
}

/** All keys that a person's rows in content can have. */
function allKeysOf(person: PersonKeys, ventIds: readonly bigint[]): string[] {
  return [
    ...(['vent', 'comment', 'held', 'report', 'notice'] as const).flatMap((kind) => [
      ...person.slotKeys(kind, numbers),
      ...person.takenKeys(kind, numbers),
    ]),
    ...ventIds.flatMap((ventId) => [
      ...person.reactorKeys(ventId, reactionTypes),
      person.reporterKeyOn(createSubjects(app.deps.keys).keyOf({ kind: 'vent', ventId })),
    ]),
  ].map((key) => key.toString('hex'));
}

async function readSeeds() {
  const { rows: users } = await rows.query<{ authorSeed: Buffer; speakerId: Buffer }>(
    'select author_seed as "authorSeed", speaker_id as "speakerId" from identity.users',
  );
  return users;
}

test('seeds without the master key derive no key that occurs in any table, and with it they derive all (R34)', async () => {
  const [one, other] = [await makeUser(app), await makeUser(app)];
  const [first, second] = [await makeVent(app, one), await makeVent(app, other)];
  await writeEveryKind(one, first.id, second.id);
  await writeEveryKind(other, second.id, first.id);
  await suspend(app, other);
  const [seeds, ventIds] = [await readSeeds(), await listVentIds()];
  const countFound = async (people: readonly PersonKeys[]) => {
    const made = new Set(people.flatMap((person) => allKeysOf(person, ventIds)));
    const counts: Record<string, [found: number, there: number]> = {};
    for (const column of personalColumns) {
      const values = await valuesOf(column);
      expect(values.length, column).toBeGreaterThan(0);
      counts[column] = [values.filter((value) => made.has(value)).length, values.length];
    }
    return counts;
  };

  const right = await countFound(seeds.map(app.deps.persons));
  for (const [column, [found, there]] of Object.entries(right)) expect(found, column).toBe(there);

  for (const bytes of [randomBytes(32), Buffer.alloc(32), createHash('sha256').digest()]) {
    const wrong = await countFound(seeds.map(createPersons(keysFrom(bytes))));
    for (const [column, [found]] of Object.entries(wrong)) expect(found, column).toBe(0);
  }
  // A seed used as the key itself finds nothing either.
  const all = new Set((await Promise.all(personalColumns.map(valuesOf))).flat());
  for (const { authorSeed } of seeds) {
    const block = createBlock(authorSeed);
    for (const number of numbers) {
      const [asDouble, asInteger] = [Buffer.alloc(16), Buffer.alloc(16)];
      asDouble.writeDoubleBE(number);
      asInteger.writeBigInt64BE(BigInt(number));
      for (const plain of [asDouble, asInteger])
        expect(all.has(block.encrypt(plain).toString('hex'))).toBe(false);
    }
  }
});

describe('a speaker moved to another row', () => {
  interface Target {
    readonly voice: Voice;
    readonly ventId: string;
    /** Null for the vent itself. */
    readonly comment: { readonly id: string; readonly no: number } | null;
  }

  async function readSpeaker({ ventId, comment }: Target): Promise<Buffer> {
    const id = String(app.deps.publicIds.vent.decode(ventId));
    const { rows: found } = comment
      ? await rows.query<{ speaker: Buffer }>(
          'select speaker from content.comments where vent_id = $1 and no = $2',
          [id, comment.no],
        )
      : await rows.query<{ speaker: Buffer }>('select speaker from content.vents where id = $1', [id]);
    if (!found[0]) throw new Error('no row');
    return found[0].speaker;
  }

  async function writeSpeaker({ ventId, comment }: Target, speaker: Buffer): Promise<void> {
    const id = String(app.deps.publicIds.vent.decode(ventId));
    const { rowCount } = comment
      ? await rows.query('update content.comments set speaker = $3 where vent_id = $1 and no = $2', [
          id,
          comment.no,
          speaker,
        ])
      : await rows.query('update content.vents set speaker = $2 where id = $1', [id, speaker]);
    expect(rowCount).toBe(1);
  }

  /** A vent with a comment of each voice, by two people. */
  async function makeTargets(author: Person, commenter: Person): Promise<Target[]> {
    const { id: ventId } = await makeVent(app, author);
    const target = (voice: Voice, id: string): Target => ({
      voice,
      ventId,
      comment: { id, no: app.deps.publicIds.comment.decode(id)?.no ?? 0 },
    });
    return [
      { voice: 'vent', ventId, comment: null },
      target('named', await makeComment(app, commenter, ventId)),
      target('anonymous', await makeComment(app, commenter, ventId, { anonymous: true })),
      target('author', await makeComment(app, author, ventId)),
    ];
  }

  async function viewOf(target: Target, as: Person): Promise<{ isMine: boolean; comment?: CommentView }> {
    const { vent } = (await app.call(getVent, { as, params: { id: target.ventId } })).body;
    if (!target.comment) return { isMine: vent.isOwner };
    const { comments } = (await app.call(listComments, { as, params: { id: target.ventId }, query: {} }))
      .body;
    const wanted = target.comment.id;
    const [inVent, inList] = [vent.comments, comments].map((list) => list.find(({ _id }) => _id === wanted));
    if (!inVent || !inList) throw new Error('no comment');
    expect(inVent).toEqual(inList);
    return { isMine: inList.isMine, comment: inList };
  }

  test('shows no name, belongs to no one and cannot be deleted by the person it was taken from (R34)', async () => {
    const [author, commenter, witness] = [await makeNamed(), await makeNamed(), await makeNamed()];
    const sources = await makeTargets(author, commenter);
    const [host, guest] = [await makeNamed(), await makeNamed()];
    const targets = await makeTargets(host, guest);
    // On the page of the sources: a name that was found for the speaker must not stand on its copy.
    const beside = await makeComment(app, guest, (sources[0] as Target).ventId);
    const { no = 0 } = app.deps.publicIds.comment.decode(beside) ?? {};
    targets.push({ ...(sources[1] as Target), comment: { id: beside, no } });
    const names = [author.name, commenter.name];
    let moved = 0;
    for (const source of sources) {
      const block = await readSpeaker(source);
      for (const target of targets) {
        const before = await readSpeaker(target);
        await writeSpeaker(target, block);
        const label = `${source.voice} under ${target.voice}`;
        for (const as of [author, commenter, witness, host, guest]) {
          const { isMine, comment } = await viewOf(target, as);
          expect(isMine, label).toBe(false);
          if (comment) {
            expect(comment.userId, label).toEqual({ username: null, profilePic: null });
            for (const name of names) expect(JSON.stringify(comment), label).not.toContain(name);
          }
        }
        for (const as of [author, commenter]) {
          const { ventId, comment } = target;
          // Authors delete what stands under their vents.
          if (as === author && ventId === source.ventId) continue;
          const refusals = comment
            ? [await app.call(deleteComment, { as, params: { ventId, commentId: comment.id } })]
            : [
                await app.call(deleteVent, { as, params: { id: ventId } }),
                await app.call(setVentComments, {
                  as,
                  params: { id: ventId },
                  body: { allowComments: false },
                }),
              ];
          for (const { status } of refusals) expect(status, label).toBe(404);
          const mine = await app.call(listVents, { as, query: { mine: 'true' } });
          expect(mine.body.vents.map(({ _id }) => _id)).not.toContain(ventId);
        }
        await writeSpeaker(target, before);
        moved += 1;
      }
    }
    expect(moved).toBe(20);
    // Control: in their own rows, the same blocks do show a name and an owner.
    const [vent, named, anonymous, own] = sources as [Target, Target, Target, Target];
    expect((await viewOf(named, witness)).comment?.userId.username).toBe(commenter.name);
    for (const [source, as] of [
      [vent, author],
      [named, commenter],
      [anonymous, commenter],
      [own, author],
    ] as const)
      expect((await viewOf(source, as)).isMine).toBe(true);
  });
});

/** The speaker ids of all vents and comments, decrypted with the master key. */
const openAllSpeakers = async () =>
  (await listSpoken(rows)).map((item) => app.deps.speakers.open(item)?.toString('hex') ?? '');

test('after an account is deleted, the master key leads from its rows to a name at most, and after the removal period to nothing', async () => {
  const [leaver, witness] = [await makeNamed(), await makeNamed()];
  const [mine, theirs] = [await makeVent(app, leaver), await makeVent(app, witness)];
  await writeEveryKind(leaver, mine.id, theirs.id);
  await writeEveryKind(witness, theirs.id, mine.id);
  const keys = await keysOf(app, leaver);
  const seed = (await readSeeds()).find(({ speakerId }) => speakerId.equals(keys.speakerId))?.authorSeed;
  if (!seed) throw new Error('no seed');
  const speakerId = keys.speakerId.toString('hex');
  const countOf = (opened: readonly string[], id: string) => opened.filter((one) => one === id).length;
  const spoken = countOf(await openAllSpeakers(), speakerId);
  expect(spoken).toBe(5);

  await reauthenticate(leaver);
  expect((await app.call(deleteAccount, { as: leaver })).status).toBe(200);

  // The items still exist and are removed one by one. Their speakers decrypt to an id that no account has.
  const opened = await openAllSpeakers();
  expect(countOf(opened, speakerId)).toBe(spoken);
  const users = await readSeeds();
  const known = new Set(users.map((user) => user.speakerId.toString('hex')));
  expect(known.has(speakerId)).toBe(false);
  expect(opened.filter((id) => known.has(id)).length).toBeGreaterThan(4);

  // Reactions and reports are kept. The remaining seeds and the master key cannot derive the keys of a deleted account.
  const ventIds = await listVentIds();
  const remade = new Set(users.flatMap((user) => allKeysOf(app.deps.persons(user), ventIds)));
  const left = new Set(allKeysOf(keys, ventIds));
  for (const [column, count] of [
    ['content.reactions.reactor_key', 3],
    ['moderation.reports.reporter_key', 1],
    ['moderation.reports.slot_key', 1],
  ] as const) {
    const values = await valuesOf(column);
    const ofLeaver = values.filter((value) => left.has(value));
    expect(ofLeaver, column).toHaveLength(count);
    expect(ofLeaver.filter((value) => remade.has(value))).toEqual([]);
    expect(values.filter((value) => remade.has(value)).length).toBeGreaterThanOrEqual(count);
  }
  // The seed is in no row of any table. The speaker id is stored with the name until the last named comment is removed.
  const tables = await listTables(rows);
  const tablesHolding = async (value: string) => {
    const holding: string[] = [];
    for (const name of tables) {
      const { rowCount } = await rows.query(
        `select 1 from ${name} t where to_jsonb(t)::text like '%' || $1 || '%'`,
        [value],
      );
      if (rowCount) holding.push(name);
    }
    return holding;
  };
  expect(await tablesHolding(seed.toString('hex'))).toEqual([]);
  expect(await tablesHolding(speakerId)).toEqual(['identity.departed']);

  await finishLeaving(app);
  // The name stays for the day on which the last item may go.
  app.clock.advance(86_400_000);
  await runJob(app, 'release-held-usernames');
  expect(await tablesHolding(speakerId)).toEqual([]);
  expect(countOf(await openAllSpeakers(), speakerId)).toBe(0);
  const { rowCount: tickets } = await rows.query('select 1 from content.leavings');
  expect(tickets).toBe(0);
});

test('no value of content occurs twice for one author, as a whole or in 8-byte parts', async () => {
  const own = await ownTestApp({ limitsScale: 10_000 });
  const [author, host] = [await makeUser(own), await makeUser(own)];
  const theirs = await makeVent(own, host);
  for (let times = 0; times < 3; times += 1) {
    const mine = await makeVent(own, author);
    await own.call(createVent, {
      as: author,
      headers: { 'idempotency-key': `mark-number-${times}` },
      body: { title: `Marked ${times}`, text: `Marked ${times}`, emotion: 'Sad' },
    });
    await makeComment(own, author, mine.id);
    await makeComment(own, author, theirs.id);
    await makeComment(own, author, theirs.id, { anonymous: true });
    const another = await makeVent(own, host);
    for (const ventId of times === 0 ? [theirs.id, another.id] : [another.id]) {
      await own.call(reportVent, { as: author, body: { ventId, reason: 'Spam' } });
      for (const reactionType of reactionTypes)
        await own.call(react, { as: author, body: { ventId, reactionType, active: true } });
    }
  }
  await suspend(own, author);
  const pool = openPool(own.config.databaseUrl, 1);
  onTestFinished(() => pool.end());
  const { rows: columns } = await pool.query<{ name: string; table: string }>(
    `select column_name as name, format('%I.%I', table_schema, table_name) as table
       from information_schema.columns
      where udt_name = 'bytea' and table_name <> 'data_keys'
        and (table_schema = 'content' or table_schema = 'moderation' and column_name = 'reporter_key')`,
  );
  const values: Buffer[] = [];
  for (const { name, table } of columns) {
    const { rows: held } = await pool.query<{ value: Buffer }>(
      `select ${name} as value from ${table} where ${name} is not null`,
    );
    values.push(...held.map(({ value }) => value));
  }
  // 10 vents, 9 comments, 12 reactions, 4 reports, 3 idempotency keys: most of them with two values.
  expect(values.length).toBe(10 * 2 + 9 * 2 + 19 + 12 + 4 + 3 * 2);
  const halves = values.flatMap((value) =>
    Array.from({ length: value.length / 8 }, (_, n) => value.subarray(n * 8, n * 8 + 8).toString('hex')),
  );
  expect(new Set(halves).size).toBe(halves.length);
  // Reactions of three kinds on one vent have three keys.
  const { rows: reactions } = await pool.query<{ kinds: number; keys: number }>(
    `select count(distinct kind)::int as kinds, count(distinct reactor_key)::int as keys
       from content.reactions group by vent_id`,
  );
  expect(reactions).toHaveLength(4);
  for (const one of reactions) expect(one).toEqual({ kinds: 3, keys: 3 });
});

test('comments and idempotency keys have no column finer than a day, and no number that counts all of them', async () => {
  const { rows: columns } = await rows.query<{ name: string; type: string }>(
    `select table_name || '.' || column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'content' and table_name in ('comments', 'idempotency') order by 1`,
  );
  expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual({
    'comments.body': 'text',
    'comments.is_fresh': 'bool',
    // Counts within the vent.
    'comments.no': 'int4',
    'comments.said_on': 'date',
    'comments.slot_key': 'bytea',
    'comments.speaker': 'bytea',
    'comments.state': 'text',
    'comments.vent_id': 'int8',
    'comments.voice': 'text',
    'idempotency.is_fresh': 'bool',
    'idempotency.key': 'bytea',
    'idempotency.result': 'bytea',
    'idempotency.sent_on': 'date',
  });
});

test('reads of a signed-in person send only SELECT statements, and work on a read-only database', async () => {
  const [me, other] = [await makeUser(app), await makeUser(app)];
  const [mine, theirs] = [await makeVent(app, me, { title: 'Readable' }), await makeVent(app, other)];
  await writeEveryKind(me, mine.id, theirs.id);
  await writeEveryKind(other, theirs.id, mine.id);
  const { cursor } = (await app.call(ventsSince, { as: me, query: {} })).body;
  for (const as of [me, other]) await name(app, as, ['Angry', 'Happy']);
  const peerId = otherIdIn(me, await suggestionWith(app, me, other));
  // An export requires reauthentication.
  await reauthenticate(me);
  const reads = {
    self: () => reader.call(getSelf, { as: me }),
    'another profile': () => reader.call(getUser, { as: me, params: { id: peerId } }),
    sessions: () => reader.call(listSessions, { as: me }),
    'recovery code': () => reader.call(readRecovery, { as: me }),
    export: () => reader.call(exportData, { as: me }),
    'since without a cursor': () => reader.call(ventsSince, { as: me, query: {} }),
    'since with a cursor': () => reader.call(ventsSince, { as: me, query: { cursor } }),
    weather: () => reader.call(ventWeather, { as: me }),
    'own vents': () => reader.call(listVents, { as: me, query: { mine: 'true' } }),
    'own vents before one': () =>
      reader.call(listVents, { as: me, query: { mine: 'true', before: mine.id } }),
    'own vents by words': () =>
      reader.call(listVents, { as: me, query: { mine: 'true', query: 'readable' } }),
    feed: () => reader.call(listVents, { as: me, query: {} }),
    trending: () => reader.call(listVents, { as: me, query: { sort: 'trending' } }),
    'feed before a vent': () => reader.call(listVents, { as: me, query: { before: theirs.id } }),
    'own vent': () => reader.call(getVent, { as: me, params: { id: mine.id } }),
    "another person's vent": () => reader.call(getVent, { as: me, params: { id: theirs.id } }),
    comments: () => reader.call(listComments, { as: me, params: { id: theirs.id }, query: {} }),
    search: () => reader.call(searchVents, { as: me, query: { query: 'readable' } }),
    'pending matches': () => reader.call(pendingMatches, { as: me }),
    'history of matches': () => reader.call(matchHistory, { as: me }),
  };
  let reader = app;
  for (const [name, read] of Object.entries(reads)) {
    app.statements.length = 0;
    expect((await read()).status, name).toBe(200);
    await app.deps.backgroundDone();
    for (const { text } of app.statements) {
      expect(text.trim(), name).toMatch(/^(?:select|with)\b/iu);
      // A row lock is a write too.
      expect(text, name).not.toMatch(/\b(?:insert into|update|delete from|for (?:key )?share)\b/iu);
    }
  }
  expect(app.statements.length).toBeGreaterThan(0);

  reader = await startReadOnly(app);
  onTestFinished(reader.close);
  for (const [name, read] of Object.entries(reads)) expect((await read()).status, name).toBe(200);
  // Control: a write on the read-only database fails.
  const refused = await reader.call(react, {
    as: me,
    body: { ventId: theirs.id, reactionType: 'hug', active: false },
  });
  expect(refused.status).toBeGreaterThanOrEqual(500);
});

describe('the since cursor', () => {
  const fetchSince = async (as: Person, cursor?: string) => {
    const { status, body } = await app.call(ventsSince, {
      as,
      query: cursor === undefined ? {} : { cursor },
    });
    expect(status).toBe(200);
    return body;
  };

  test("of another account, a broken one and none give the same kind of response, and the caller's own gives the difference", async () => {
    const [me, other] = [await makeUser(app), await makeUser(app)];
    const mine = await makeVent(app, me);
    const theirs = await makeVent(app, other);
    await makeComment(app, me, theirs.id);
    await makeComment(app, other, mine.id, { text: 'before' });
    await app.call(react, { as: other, body: { ventId: mine.id, reactionType: 'hug', active: true } });
    const own = (await fetchSince(me)).cursor;
    const foreign = (await fetchSince(other)).cursor;
    await makeComment(app, other, mine.id, { text: 'after' });
    await app.call(react, { as: other, body: { ventId: mine.id, reactionType: 'heart', active: true } });

    expect((await fetchSince(me, own)).since).toEqual({ heart: 1, hug: 0, listen: 0, comments: 1 });
    const middle = own.length / 2;
    const flipped = own.slice(0, middle) + (own[middle] === 'A' ? 'B' : 'A') + own.slice(middle + 1);
    const none = await fetchSince(me);
    // Without a cursor: no reactions, and the comments of one week.
    expect(none.since).toEqual({ heart: 0, hug: 0, listen: 0, comments: 2 });
    for (const cursor of [
      foreign,
      flipped,
      own.slice(0, -4),
      own.slice(4),
      `${own}AAAA`,
      '',
      'x',
      'A'.repeat(own.length),
      randomBytes(1308).toString('base64url'),
      '\u0000 %',
    ]) {
      const answer = await fetchSince(me, cursor);
      expect({ ...answer, cursor: answer.cursor.length }).toEqual({ ...none, cursor: own.length });
    }
  });

  test('has the same length for 70 vents as for none, and is never the same twice', async () => {
    const [busy, silent] = [await makeUser(app), await makeUser(app)];
    for (let vents = 0; vents < 70; vents += 1) await makeVent(app, busy);
    const cursors = [
      (await fetchSince(busy)).cursor,
      (await fetchSince(busy)).cursor,
      (await fetchSince(silent)).cursor,
      (await fetchSince(silent)).cursor,
    ];
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
    expect(new Set(cursors).size).toBe(4);
  });
});
