import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  createVent,
  acceptMatch,
  changeUsername,
  commentOnVent,
  deleteComment,
  deleteVent,
  listHeldVents,
  endpoints,
  getUser,
  getVent,
  listNotices,
  matchSuggestions,
  reauthenticate,
  react,
  reactionTypes,
  rejectMatch,
  reportVent,
  requestOtp,
  revokeSession,
  setVentComments,
  updateDetails,
  type Emotion,
  partMatch,
  withdrawMatch,
} from '@unsaid/contract';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../src/kernel/viewer.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import type { Person as PersonKeys } from '../src/kernel/person-keys.ts';
import type { TestApp } from './app.ts';
import { openPool } from './db.ts';
import { makeDecision } from './decisions.ts';
import { keysOf, makeComment, makePhone, makeUser, makeVent, suspend, type Person } from './factories.ts';
import { changePair, pairKeysOf, readPairs } from './pairs.ts';
import { makeWebRoot, startCountedApp } from './routes.ts';
import { listSpoken } from './speakers.ts';

type Answers = Record<string, string | Record<string, string>>;
interface Row {
  readonly route: string;
  readonly when?: string;
  readonly ids?: string;
  readonly mayWrite?: boolean;
  /** What the actor must own, for calls that take no id. */
  readonly has?: string;
  readonly query?: Record<string, string>;
  readonly body?: Record<string, unknown>;
  readonly answers: Answers;
}
const matrix = JSON.parse(readFileSync(new URL('authz-matrix.json', import.meta.url), 'utf8')) as {
  routes: Row[];
};
const rows = matrix.routes.map((row) => ({
  ...row,
  title: [row.route, row.when].filter(Boolean).join(' '),
}));

let app: TestApp;
let routes: ReadonlySet<string>;
let webRoot: string;
let rowsOf: pg.Pool;
/** A user who takes no part: none of their rows may ever change. */
let bystander: Person;
let gone: { user: Person; sessionId: string };
/** The bystander's vents and comments, including those that no one may see. */
let bystanderItems: {
  vent: string;
  closed: string;
  deleted: string;
  hidden: string;
  comment: string;
  deletedComment: string;
  pair: string;
  gonePair: string;
  held: string;
};
let deadTokens: Record<string, string | undefined>;

beforeAll(async () => {
  webRoot = await makeWebRoot();
  // Registers every possible route: the web app is built, CORS has an origin, and the mode is not production.
  ({ app, routes } = await startCountedApp({
    webRoot,
    corsOrigins: ['https://partner.example'],
    limitsScale: 10_000,
  }));
  rowsOf = openPool(app.config.databaseUrl);
  await recordWrites();

  const expired = await makeUser(app);
  app.clock.advance(31 * 86_400_000);
  bystander = await makeUser(app);
  const ended = await makeUser(app);
  await app.call(endpoint('POST /api/auth/logout'), { as: ended });
  const left = await makeUser(app);
  const leftSession = app.deps.publicIds.session.encode((await viewerOf(left)).sessionId);
  await app.features.sessions.markReauthenticated(await viewerOf(left));
  expect((await app.call(endpoint('DELETE /api/auth/user'), { as: left })).status).toBe(200);
  gone = { user: left, sessionId: leftSession };
  const closer = await makeUser(app);
  const closed = (await makeVent(app, closer, { allowComments: false })).id;
  const [vent, deleted, hidden] = await Promise.all(
    [1, 2, 3].map(() => makeVent(app, bystander, { title: 'of a bystander' })),
  );
  if (!vent || !deleted || !hidden) throw new Error('no vents');
  const comment = await makeComment(app, bystander, vent.id);
  const deletedComment = await makeComment(app, bystander, vent.id);
  await app.call(deleteComment, { as: bystander, params: { ventId: vent.id, commentId: deletedComment } });
  await app.call(deleteVent, { as: bystander, params: { id: deleted.id } });
  await rowsOf.query(`update content.vents set state = 'hidden' where id = $1`, [String(hidden.number)]);
  const [pair = '', gonePair = ''] = (await app.call(matchSuggestions, { as: bystander })).body.matches.map(
    ({ _id }) => _id,
  );
  await rowsOf.query('delete from matching.pairs where id = $1', [
    String(app.deps.publicIds.match.decode(gonePair)),
  ]);
  await app.call(acceptMatch, { as: bystander, body: { matchId: pair } });
  bystanderItems = {
    vent: vent.id,
    closed,
    deleted: deleted.id,
    hidden: hidden.id,
    comment,
    deletedComment,
    pair,
    gonePair,
    held: await makeHeld(bystander),
  };
  const genuine = bystander.token;
  deadTokens = {
    'no token': undefined,
    'an empty one': 'Bearer ',
    'a malformed one': 'Bearer nonsense',
    'one without its prefix': `Bearer ${genuine.slice(4)}`,
    'one in another scheme': `Basic ${genuine}`,
    'one in small letters of scheme': `bearer ${genuine}`,
    'one with something after it': `Bearer ${genuine} x`,
    'one a character short': `Bearer ${genuine.slice(0, -1)}`,
    'an unknown one': `Bearer uns_${randomBytes(38).toString('base64url')}`,
    'an expired one': `Bearer ${expired.token}`,
    'one that was signed out': `Bearer ${ended.token}`,
    'one of an account that is gone': `Bearer ${left.token}`,
  };
});
afterAll(async () => {
  await rowsOf.end();
  await app.close();
  await rm(webRoot, { recursive: true });
});

function endpoint(route: string) {
  const found = endpoints.find(({ method, path }) => `${method} ${path}` === route);
  if (!found) throw new Error(route);
  return found;
}

async function viewerOf({ token }: { token: string }): Promise<Viewer> {
  const viewer = await app.features.sessions.authenticate(token, { skipCache: true });
  if (!viewer) throw new Error('no session');
  return viewer;
}

/**
 * From now on `public.writes` has a line for each row that a committed statement changes in any schema of ours, also for
 * those that functions, triggers and foreign keys change.
 */
async function recordWrites(): Promise<void> {
  await rowsOf.query(`
    create unlogged table public.writes (name text not null);
    create function public.record_write() returns trigger language plpgsql security definer as $$
      begin
        if tg_op <> 'UPDATE' or old is distinct from new then
          insert into public.writes values (tg_table_schema || '.' || tg_table_name);
        end if;
        return null;
      end $$`);
  const { rows: tables } = await rowsOf.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition
        and n.nspname not in ('pg_catalog', 'information_schema', 'public')`,
  );
  expect(tables.length).toBeGreaterThanOrEqual(7);
  for (const { name } of tables)
    await rowsOf.query(`create trigger record_write after insert or update or delete on ${name}
      for each row execute function public.record_write()`);
}

/** The number of rows that were changed in each table so far. Two are equal if nothing was written in between. */
async function countWrites(): Promise<Record<string, string>> {
  const { rows: counts } = await rowsOf.query<{ name: string; count: string }>(
    'select name, count(*) from public.writes group by name',
  );
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
}

/** Saved when an actor is created, because a deleted account has no keys to read. */
const keysOfActors = new Map<bigint, PersonKeys>();

/** More items than any actor here creates; slot 0 marks that its owner has left. */
const numbers = Array.from({ length: 32 }, (_, n) => n);

/** All keys that a person can have in content, and the ids of their vents. */
async function contentOf(person: PersonKeys): Promise<{ vents: string[]; keys: Buffer[] }> {
  const subjects = createSubjects(app.deps.keys);
  const vents = (await listSpoken(rowsOf)).filter(({ voice }) => voice === 'vent');
  const own = app.deps.speakers.ownAmong(vents, person.speakerId);
  return {
    vents: [...own].map(({ ventId }) => String(ventId)),
    keys: [
      ...(['vent', 'comment', 'held'] as const).flatMap((kind) => [
        ...person.slotKeys(kind, numbers),
        ...person.takenKeys(kind, numbers),
      ]),
      ...vents.flatMap(({ ventId }) => person.reactorKeys(ventId, reactionTypes)),
      ...vents.map(({ ventId }) => person.reporterKeyOn(subjects.keyOf({ kind: 'vent', ventId }))),
      ...person.noticeSlots(),
    ],
  };
}

/** All rows that do not belong to the actor. */
async function rowsOfOthers({ userId }: Person): Promise<string> {
  const person = keysOfActors.get(userId);
  if (!person) throw new Error('not an actor');
  const { vents, keys } = await contentOf(person);
  const { rows: kept } = await rowsOf.query(
    `select 'user' as of, to_jsonb(t) as row from identity.users t where id <> $1
     union all select 'session', to_jsonb(t) from identity.sessions t where user_id <> $1
     union all select 'number', to_jsonb(t) from identity.phone_index t where user_id <> $1
     union all select 'device', to_jsonb(t) from identity.devices t where user_id <> $1
     union all select 'vent', to_jsonb(t) from content.vents t where not id = any($2)
     union all select 'switch', jsonb_build_array(vent_id, allow_comments) from content.vent_stats
       where not vent_id = any($2)
     union all select 'words', to_jsonb(t) from content.vent_search t where not vent_id = any($2)
     union all select 'comment', to_jsonb(t) from content.comments t
       where not vent_id = any($2) and not slot_key = any($4)
     union all select 'reaction', to_jsonb(t) from content.reactions t where not reactor_key = any($4)
     union all select 'report', to_jsonb(t) from moderation.reports t where not reporter_key = any($4)
     union all select 'slot', to_jsonb(t) from content.taken_slots t where not taken_key = any($4)
     union all select 'held vent', to_jsonb(t) from content.held_vents t where not slot_key = any($4)
     union all select 'notice', to_jsonb(t) from moderation.notices t where not slot_key = any($4)
     union all select 'case', to_jsonb(t) from moderation.cases t
       where not exists (select from moderation.notices n where n.case_id = t.id and n.slot_key = any($4))
        -- A report changes the totals of its case, whoever opened that.
        and state not in ('open', 'escalated')
     union all select 'pair', to_jsonb(t) from matching.pairs t
       where not a_key = any($3) and not b_key = any($3)
     order by 1, 2`,
    [String(userId), vents, pairKeysOf(app, userId), keys],
  );
  const isMine = (key: Buffer) => app.pairKeys.decode(key) === userId;
  // Answers of the other person in the actor's pairs.
  const answers = (await readPairs(app))
    .filter(({ row }) => isMine(row.aKey) || isMine(row.bKey))
    .map(({ row, a, b }) => ({ id: String(row.id), other: isMine(row.aKey) ? b : a }))
    .filter(({ other }) => other.answer !== 'none')
    .toSorted((one, two) => one.id.localeCompare(two.id));
  return JSON.stringify([kept, answers]);
}

/** Items that an actor wrote or received, for calls on vents and comments. */
interface Belongings {
  readonly vent: string;
  readonly closedVent: string;
  readonly toBystander: string;
  readonly toBystanderAnonymously: string;
  readonly fromBystander: string;
  readonly toMyself: string;
}
const belongings = new Map<bigint, Belongings>();

/** A vent that goes out later; returns its id. */
async function makeHeld(as: Person): Promise<string> {
  const body = {
    title: 'A title',
    text: `later ${randomBytes(4).toString('hex')}`,
    emotion: 'Sad',
    later: true,
  } as const;
  expect((await app.call(createVent, { as, body })).status).toBe(201);
  return (await app.call(listHeldVents, { as })).body.held[0]?._id ?? '';
}
const heldBy = new Map<bigint, string>();

async function makeActor(kind: string, table = ''): Promise<Person> {
  const person = await makeUser(app);
  keysOfActors.set(person.userId, await keysOf(app, person));
  if (/vent|comment/u.test(table)) {
    const vent = (await makeVent(app, person)).id;
    belongings.set(person.userId, {
      vent,
      closedVent: (await makeVent(app, person, { allowComments: false })).id,
      toBystander: await makeComment(app, person, bystanderItems.vent),
      toBystanderAnonymously: await makeComment(app, person, bystanderItems.vent, { anonymous: true }),
      fromBystander: await makeComment(app, bystander, vent),
      toMyself: await makeComment(app, person, vent),
    });
  }
  if (table === 'held') heldBy.set(person.userId, await makeHeld(person));
  if (table === 'match' || table === 'user') pairsOf.set(person.userId, await makePairs(person));
  if (table === 'notice') {
    for (const author of [person, bystander])
      await makeDecision(app, await keysOf(app, author), { excerpt: 'A title' });
  }
  if (kind === 'suspended') await suspend(app, person);
  return person;
}

/** Profiles that fit each other better than any other here, so that each is suggested all the others. */
const alike = {
  interests: Array.from({ length: 8 }, (_, n) => `of the matrix ${n}`),
  feelings: ['Sad', 'Anxious', 'Burnout'] as Emotion[],
};
const states = ['fresh', 'theirs yes', 'theirs no', 'mine yes', 'mine no', 'both yes', 'over'] as const;
let partners: Promise<Person[]> | undefined;
/** For each member who needs pairs: one in every state. */
const pairsOf = new Map<bigint, Record<(typeof states)[number], string>>();

const partnerName = (n: number) => `partner_${'abcdefg'[n] ?? ''}`;

async function makePartner(_state: string, n: number): Promise<Person> {
  const partner = await makeUser(app);
  await app.call(updateDetails, { as: partner, body: alike });
  await app.call(changeUsername, { as: partner, body: { newUsername: partnerName(n) } });
  return partner;
}

async function makePairs(person: Person): Promise<Record<(typeof states)[number], string>> {
  partners ??= Promise.all(states.map(makePartner));
  const others = await partners;
  await app.call(updateDetails, { as: person, body: alike });
  const { matches } = (await app.call(matchSuggestions, { as: person })).body;
  // Clears the profile, so that the next person is matched with the partners and not with this one.
  await app.call(updateDetails, { as: person, body: { interests: [], feelings: [] } });
  const pairs = Object.fromEntries(
    states.map((state, n) => {
      const match = matches.find(({ user1, user2 }) =>
        [user1.username, user2.username].includes(partnerName(n)),
      );
      if (!match) throw new Error(`no match for ${state}`);
      return [state, match._id];
    }),
  ) as Record<(typeof states)[number], string>;
  const answerPair = async (
    call: typeof acceptMatch | typeof rejectMatch,
    as: Person | undefined,
    id: string,
  ) => expect((await app.call(call, { as, body: { matchId: id } })).status).toBe(200);
  await answerPair(acceptMatch, others[1], pairs['theirs yes']);
  await answerPair(rejectMatch, others[2], pairs['theirs no']);
  await answerPair(acceptMatch, person, pairs['mine yes']);
  await answerPair(rejectMatch, person, pairs['mine no']);
  await answerPair(acceptMatch, person, pairs['both yes']);
  await answerPair(acceptMatch, others[5], pairs['both yes']);
  await changePair(app, app.deps.publicIds.match.decode(pairs.over) ?? 0n, {
    closesOn: new Date(app.clock.now()).toISOString().slice(0, 10),
  });
  return pairs;
}

type Ids = string | { readonly ventId: string; readonly commentId: string };

function malformedIds(actor: Person, theirs: string): string[] {
  return [
    'x',
    '0',
    '1',
    '-1',
    String(actor.userId),
    String(bystander.userId),
    'A'.repeat(21),
    'A'.repeat(23),
    'a'.repeat(64),
    '%00',
    '__proto__',
    "'or'1'='1",
    bystander.token.slice(0, 40),
    `${theirs}=`,
    ` ${theirs}`,
  ];
}

const spare = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
function forgedIds(theirs: string): string[] {
  const last = spare.indexOf(theirs.at(-1) ?? 'A');
  return [
    'A'.repeat(22),
    randomBytes(16).toString('base64url'),
    // The same bytes in another spelling, one character changed at either end, and reversed.
    `${theirs.slice(0, -1)}${spare[last ^ 1] ?? ''}`,
    `${spare[(spare.indexOf(theirs[0] ?? 'A') + 1) % 64] ?? ''}${theirs.slice(1)}`,
    [...theirs].toReversed().join(''),
  ].filter((id) => id !== theirs);
}

/** Ids to try, by kind. The malformed kind has many examples. */
async function idsFor(table: string, actor: Person): Promise<Record<string, Ids[]>> {
  const mine = belongings.get(actor.userId);
  const sessionOf = async (person: Person) =>
    app.deps.publicIds.session.encode((await viewerOf(person)).sessionId);
  if (table === 'closed vent')
    return { own: [mine?.closedVent ?? ''], "another person's": [bystanderItems.closed] };
  if (table === 'vent') return ventIds(actor, mine, await sessionOf(actor));
  if (table === 'comment') return commentIds(actor, mine, await sessionOf(actor));
  if (table === 'held')
    return {
      "another person's": [bystanderItems.held],
      'of another table': [actor.user._id, bystanderItems.vent, bystanderItems.comment],
      malformed: malformedIds(actor, bystanderItems.held),
      forged: forgedIds(bystanderItems.held),
      own: [heldBy.get(actor.userId) ?? ''],
    };
  if (table === 'match') return matchIds(actor, await sessionOf(actor));
  if (table === 'user') return userIds(actor, await sessionOf(actor));
  if (table === 'notice') return noticeIds(actor, await sessionOf(actor));
  const secondToken = await app.features.sessions.open(actor.userId, 'a second');
  const own = app.deps.publicIds.session.encode((await viewerOf({ token: secondToken })).sessionId);
  const theirs = await sessionOf(bystander);
  const ofVents = [
    bystanderItems.vent,
    bystanderItems.comment,
    app.deps.publicIds.alias.encode(numberOf(bystanderItems.vent)),
  ];
  return {
    own: [own],
    "another person's": [theirs],
    gone: [gone.sessionId],
    'of another table': [actor.user._id, bystander.user._id, ...ofVents],
    malformed: malformedIds(actor, theirs),
    forged: forgedIds(theirs),
  };
}

/** The id of the other person in a pair. */
const peerIdIn = (matchId: string) =>
  app.deps.publicIds.peer.encode(app.deps.publicIds.match.decode(matchId) ?? 0n);

/** A profile can be read by the peer id of an open or mutual pair, and a person's own profile by their own id. */
function userIds(actor: Person, session: string): Record<string, Ids[]> {
  const mine = pairsOf.get(actor.userId);
  if (!mine) return {};
  const alias = app.deps.publicIds.alias.encode(numberOf(bystanderItems.vent));
  const inOpenPair = peerIdIn(mine.fresh);
  return {
    own: [actor.user._id],
    "a peer's": [inOpenPair, peerIdIn(mine['mine yes']), peerIdIn(mine['theirs yes'])],
    "a peer's, and they said no": [peerIdIn(mine['theirs no'])],
    "a peer's, and both said yes": [peerIdIn(mine['both yes'])],
    "a peer's, and I said no": [peerIdIn(mine['mine no'])],
    "a peer's, and its time ran out": [peerIdIn(mine.over)],
    "a peer's of another person": [peerIdIn(bystanderItems.pair)],
    "another person's to themselves": [bystander.user._id],
    gone: [gone.user.user._id, peerIdIn(bystanderItems.gonePair), app.deps.publicIds.peer.encode(2n ** 62n)],
    'of another table': [
      session,
      mine.fresh,
      bystanderItems.pair,
      bystanderItems.vent,
      bystanderItems.comment,
      alias,
    ],
    malformed: [...malformedIds(actor, bystander.user._id), ...malformedIds(actor, inOpenPair)],
    forged: [...forgedIds(bystander.user._id), ...forgedIds(inOpenPair)],
  };
}

const numberOf = (ventId: string) => app.deps.publicIds.vent.decode(ventId) ?? 0n;

function ventIds(actor: Person, mine: Belongings | undefined, session: string): Record<string, Ids[]> {
  const { alias } = app.deps.publicIds;
  return {
    own: [mine?.vent ?? ''],
    "another person's": [bystanderItems.vent],
    gone: [bystanderItems.deleted, app.deps.publicIds.vent.encode(1_000_000_000n)],
    hidden: [bystanderItems.hidden],
    alias: [alias.encode(numberOf(mine?.vent ?? '')), alias.encode(numberOf(bystanderItems.vent))],
    'of another table': [
      actor.user._id,
      bystander.user._id,
      session,
      bystanderItems.comment,
      mine?.toMyself ?? '',
    ],
    malformed: malformedIds(actor, bystanderItems.vent),
    forged: forgedIds(bystanderItems.vent),
  };
}

function commentIds(actor: Person, mine: Belongings | undefined, session: string): Record<string, Ids[]> {
  if (!mine) return {};
  const under = (ventId: string) => (commentId: string) => ({ ventId, commentId });
  const ofVent = (commentId: string) => (ventId: string) => ({ ventId, commentId });
  const alias = app.deps.publicIds.alias.encode(numberOf(mine.vent));
  return {
    // Rejected calls first: they leave all rows in place for the accepted ones.
    "another person's": [under(bystanderItems.vent)(bystanderItems.comment)],
    'pair mismatch': [
      under(mine.vent)(mine.toBystander),
      under(mine.vent)(bystanderItems.comment),
      under(bystanderItems.vent)(mine.fromBystander),
      under(mine.closedVent)(mine.toMyself),
    ],
    gone: [
      under(bystanderItems.vent)(bystanderItems.deletedComment),
      under(bystanderItems.deleted)(mine.toBystander),
    ],
    'of another table': [
      ...[mine.vent, actor.user._id, session, alias].map(under(mine.vent)),
      ...[mine.fromBystander, actor.user._id, session, alias].map(ofVent(mine.fromBystander)),
    ],
    malformed: [
      ...malformedIds(actor, mine.fromBystander).map(under(mine.vent)),
      ...malformedIds(actor, mine.vent).map(ofVent(mine.fromBystander)),
    ],
    forged: [
      ...forgedIds(mine.fromBystander).map(under(mine.vent)),
      ...forgedIds(mine.vent).map(ofVent(mine.fromBystander)),
    ],
    "own under another's vent": [under(bystanderItems.vent)(mine.toBystander)],
    'own and anonymous': [under(bystanderItems.vent)(mine.toBystanderAnonymously)],
    "another's under own vent": [under(mine.vent)(mine.fromBystander)],
    'own under own vent': [under(mine.vent)(mine.toMyself)],
  };
}

function matchIds(actor: Person, session: string): Record<string, Ids[]> {
  const { match, alias } = app.deps.publicIds;
  const mine = pairsOf.get(actor.userId);
  if (!mine) return {};
  return {
    // Rejected calls first: they leave all rows in place for the accepted ones.
    "another person's": [bystanderItems.pair],
    gone: [bystanderItems.gonePair, match.encode(2n ** 62n)],
    'of another table': [
      actor.user._id,
      bystander.user._id,
      session,
      bystanderItems.vent,
      bystanderItems.comment,
      alias.encode(numberOf(bystanderItems.vent)),
    ],
    malformed: malformedIds(actor, bystanderItems.pair),
    forged: forgedIds(bystanderItems.pair),
    'own, and its time ran out': [mine.over],
    'own, and both said yes': [mine['both yes']],
    'own, and I said no': [mine['mine no']],
    'own, and I said yes': [mine['mine yes']],
    'own, and the other said no': [mine['theirs no']],
    'own, and the other said yes': [mine['theirs yes']],
    own: [mine.fresh],
  };
}

const noticesOf = async (person: Person) =>
  (await app.call(listNotices, { as: person })).body.notices.map(({ _id }) => _id);

async function noticeIds(actor: Person, session: string): Promise<Record<string, Ids[]>> {
  const [theirs] = (await noticesOf(bystander)) as [string];
  return {
    // Rejected calls first: they leave all rows in place for the accepted ones.
    "another person's": [theirs],
    gone: [app.deps.publicIds.notice.encode(2n ** 62n)],
    'of another table': [
      actor.user._id,
      session,
      bystanderItems.vent,
      bystanderItems.comment,
      app.deps.publicIds.match.encode(app.deps.publicIds.notice.decode(theirs) ?? 0n),
    ],
    malformed: malformedIds(actor, theirs),
    forged: forgedIds(theirs),
    own: await noticesOf(actor),
  };
}

const urlOf = (path: string, id: Ids = 'x') =>
  path
    .replace(':ventId', encodeURIComponent(typeof id === 'string' ? id : id.ventId))
    .replace(':commentId', encodeURIComponent(typeof id === 'string' ? id : id.commentId))
    .replace(':id', encodeURIComponent(typeof id === 'string' ? id : id.ventId))
    .replace(':name', 'neutral')
    .replace('*', path.startsWith('/api') ? 'auth/user' : 'home');

function fillBody(
  body: Record<string, unknown> | undefined,
  id: Ids | undefined,
): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {
    $phone: makePhone(),
    $id: id,
    $name: `n${randomBytes(6).toString('hex')}`.replace(/\d{6,}/gu, 'x'),
  };
  const fill = (part: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? fill(value as Record<string, unknown>)
          : (values[String(value)] ?? value),
      ]),
    );
  return body && fill(body);
}

interface Case {
  readonly row: Row;
  readonly authorization: string | undefined;
  readonly id?: Ids | undefined;
  readonly method?: string;
}
async function send({ row, authorization, id, method }: Case) {
  const [verb = '', path = ''] = row.route.split(' ');
  const payload = fillBody(row.body, id);
  const answer = await app.server.inject({
    method: (method ?? verb) as 'GET',
    url: urlOf(path, id),
    ...(row.query ? { query: row.query } : {}),
    headers: authorization === undefined ? {} : { authorization },
    ...(payload ? { payload } : {}),
  });
  const code = answer.statusCode >= 400 && answer.payload ? answer.json<{ code: string }>().code : undefined;
  return { answer, outcome: [answer.statusCode, code].filter(Boolean).join(' ') };
}
const mayNotWrite = ({ route, mayWrite }: Row, wanted: string) =>
  /^[45]| again$/u.test(wanted) || (route.startsWith('GET ') && !mayWrite);

interface Attempt {
  readonly actor: Person;
  readonly kind: string;
  readonly wanted: string;
  readonly id?: Ids | undefined;
}

/**
 * Makes the calls in order. Between two calls that may write, all others share one pair of counts. They are repeated one
 * by one only if something was written.
 */
async function runAttempts(row: Row, attempts: readonly Attempt[]): Promise<void> {
  const sendAttempt = async ({ actor, kind, wanted, id }: Attempt) => {
    const { outcome, answer } = await send({ row, authorization: `Bearer ${actor.token}`, id });
    expect(outcome, `${kind} ${JSON.stringify(id)}: ${answer.payload}`).toBe(wanted.replace(' again', ''));
  };
  let before = await countWrites();
  let quiet: Attempt[] = [];
  async function expectNoChange(): Promise<void> {
    const after = await countWrites();
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    for (const one of quiet) {
      const around = await countWrites();
      await sendAttempt(one);
      expect(await countWrites(), `${one.kind} ${JSON.stringify(one.id)}`).toEqual(around);
    }
    expect(after, `one of: ${quiet.map(({ kind }) => kind).join(', ')}`).toEqual(before);
  }
  for (const one of attempts) {
    if (mayNotWrite(row, one.wanted)) {
      quiet.push(one);
      await sendAttempt(one);
      continue;
    }
    await expectNoChange();
    const others = await rowsOfOthers(one.actor);
    await sendAttempt(one);
    if (row.ids) expect(await countWrites(), one.kind).not.toEqual(before);
    expect(await rowsOfOthers(one.actor), one.kind).toBe(others);
    [before, quiet] = [await countWrites(), []];
  }
  await expectNoChange();
}

describe('the access matrix', () => {
  test('names every registered route, and only registered routes (R36, S6.1, S6.8)', () => {
    const listed = new Set(rows.map(({ route }) => route));
    const registered = [...routes].filter((route) => !route.startsWith('HEAD '));
    expect(
      registered.filter((route) => !listed.has(route)),
      'not in authz-matrix.json',
    ).toEqual([]);
    expect(
      [...listed].filter((route) => !routes.has(route)),
      'not registered',
    ).toEqual([]);
    for (const route of routes)
      if (route.startsWith('HEAD ')) expect(routes).toContain(route.replace('HEAD', 'GET'));
  });

  test('requires a session for every call that is not declared public (R36, S6.8)', () => {
    for (const { method, path, auth } of endpoints) {
      const row = rows.find(({ route }) => route === `${method} ${path}`);
      if (auth !== 'public') expect(row?.answers['stranger'], path).toBe('401 UNAUTHENTICATED');
    }
    expect(
      endpoints
        .filter(({ auth }) => auth === 'public')
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([
      '/api/auth/countries',
      '/api/auth/join',
      '/api/auth/request-otp',
      '/api/auth/verify-otp',
      '/api/grievance',
      '/api/heard',
      '/api/ledger',
    ]);
  });

  test.each(rows)(
    'holds for anonymous callers with every kind of invalid token, and they change nothing (R37): $title',
    async (row) => {
      const wanted = row.answers['stranger'] as string;
      const before = await countWrites();
      for (const [kind, authorization] of Object.entries(deadTokens)) {
        const ids = row.ids
          ? [bystander.user._id, gone.user.user._id, bystanderItems.vent, 'x']
          : [undefined];
        for (const id of ids) {
          const { outcome, answer } = await send({ row, authorization, id });
          expect(outcome, `${kind}: ${answer.payload}`).toBe(wanted);
        }
      }
      expect(await countWrites()).toEqual(before);
    },
  );

  test.each(rows.filter(({ ids }) => !ids))(
    'holds for members, and none of them changes what is not theirs (R37): $title',
    async (row) => {
      const attempts: Attempt[] = [];
      for (const kind of ['suspended', 'owner', 'other']) {
        const actor = await makeActor(kind, row.has);
        if (row.when === 'after a fresh code')
          await app.features.sessions.markReauthenticated(await viewerOf(actor));
        attempts.push({ actor, kind, wanted: row.answers[kind] as string });
      }
      await runAttempts(row, attempts);
    },
  );

  test.each(rows.filter(({ ids }) => ids))(
    'holds for every kind of id, and a rejected call changes nothing (R37): $title',
    async (row) => {
      const [suspended, owner] = [await makeActor('suspended', row.ids), await makeActor('owner', row.ids)];
      for (const [actor, answers] of [
        [suspended, row.answers['suspended']],
        [owner, row.answers['owner']],
      ] as const) {
        const attempts: Attempt[] = [];
        for (const [kind, examples] of Object.entries(await idsFor(row.ids ?? '', actor))) {
          const wanted = typeof answers === 'string' ? answers : answers?.[kind];
          if (wanted === undefined) throw new Error(`${kind} is not in authz-matrix.json`);
          attempts.push(...examples.map((id) => ({ actor, kind, wanted, id })));
        }
        await runAttempts(row, attempts);
      }
    },
  );

  test('gives HEAD the same access as GET, without a body (R37)', async () => {
    const member = await makeActor('owner');
    const suspended = await makeActor('suspended');
    const readable = rows.filter(({ route }) => route.startsWith('GET '));
    expect(readable.length).toBeGreaterThanOrEqual(9);
    for (const row of readable) {
      const actors = {
        ...deadTokens,
        member: `Bearer ${member.token}`,
        suspended: `Bearer ${suspended.token}`,
      };
      for (const [kind, authorization] of Object.entries(actors)) {
        for (const id of row.ids
          ? [member.user._id, bystander.user._id, bystanderItems.vent, 'x']
          : [undefined]) {
          const got = await send({ row, authorization, id });
          const head = await send({ row, authorization, id, method: 'HEAD' });
          expect(head.answer.statusCode, `${kind} ${row.route}`).toBe(got.answer.statusCode);
          expect(head.answer.payload).toBe('');
          const names = (headers: object) =>
            Object.keys(headers)
              .filter((name) => !/^(?:content-length|date|connection|accept-ranges)$/u.test(name))
              .toSorted();
          expect(names(head.answer.headers), `${kind} ${row.route}`).toEqual(names(got.answer.headers));
        }
      }
    }
  });

  test('accepts a token only in the Authorization header: not in the URL, a cookie or the body (S7.1)', async () => {
    const { token } = await makeActor('owner');
    for (const request of [
      { url: `/api/auth/user?token=${token}&access_token=${token}&authorization=Bearer%20${token}` },
      { url: '/api/auth/user', headers: { cookie: `token=${token}; authorization=Bearer ${token}` } },
      { url: '/api/auth/user', headers: { 'x-authorization': `Bearer ${token}`, 'x-access-token': token } },
      { url: '/api/auth/update-details', method: 'PUT' as const, payload: { token, bio: 'x' } },
    ]) {
      expect((await app.server.inject(request)).statusCode, request.url).toBe(401);
    }
  });
});

describe('ids:', () => {
  test('unknown, forged, malformed and foreign ids run the same statements and get the same bytes (SC-14)', async () => {
    const me = await makeActor('owner', 'user');
    const readable = new Set([
      'own',
      "a peer's",
      "a peer's, and they said no",
      "a peer's, and both said yes",
    ]);
    const refused = Object.entries(await idsFor('user', me)).flatMap(([kind, ids]) =>
      readable.has(kind) ? [] : ids,
    );
    // The caches are warm from here on, so only the id makes a difference.
    for (let warm = 0; warm < 3; warm += 1) await app.call(getUser, { as: me, params: { id: 'x' } });
    const seen: { id: string; statements: string; text: string; headers: string[] }[] = [];
    for (const id of refused.map(String)) {
      app.statements.length = 0;
      const { text, headers, status } = await app.call(getUser, { as: me, params: { id } });
      expect(status, id).toBe(404);
      seen.push({
        id,
        statements: JSON.stringify(app.statements),
        text: text.replace(/"requestId":"[^"]+"/u, ''),
        headers: Object.keys(headers).toSorted(),
      });
    }
    expect(seen.length).toBeGreaterThan(40);
    for (const one of seen) expect({ ...one, id: '' }).toEqual({ ...seen[0], id: '' });
    // One that looks up the pair, and one that looks up the person.
    expect(JSON.parse(seen[0]?.statements ?? '[]')).toHaveLength(2);
  });

  test('a peer has a different id in every pair, and no one outside the pair can use it', async () => {
    const [me, other] = [await makeActor('owner', 'user'), await makeActor('other', 'user')];
    const partner = (await partners)?.[0] as Person;
    const [mine, theirs] = [me, other].map(({ userId }) => peerIdIn(pairsOf.get(userId)?.fresh ?? ''));
    expect(new Set([mine, theirs, partner.user._id]).size).toBe(3);
    const read = async (as: Person, id = '') => {
      const { status, body } = await app.call(getUser, { as, params: { id } });
      return status === 200 ? body.user.username : status;
    };
    expect([await read(me, mine), await read(other, theirs)]).toEqual([partnerName(0), partnerName(0)]);
    expect([await read(me, theirs), await read(other, mine), await read(bystander, mine)]).toEqual([
      404, 404, 404,
    ]);
    expect(await read(me, partner.user._id)).toBe(404);
    // For the partner, the same id names the other side.
    expect(await read(partner, mine)).toBe(me.user.username);
  });

  test('a session of another person and one that never existed give the same response (R38)', async () => {
    const me = await makeActor('owner');
    const { own: _own, ...refused } = await idsFor('session', me);
    const seen: { statements: string; text: string }[] = [];
    for (const id of Object.values(refused).flat().map(String)) {
      app.statements.length = 0;
      const { text, status } = await app.call(revokeSession, { as: me, params: { id } });
      expect(status, id).toBe(404);
      seen.push({
        statements: JSON.stringify(app.statements),
        text: text.replace(/"requestId":"[^"]+"/u, ''),
      });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
  });

  test('a hidden, deleted, forged or unknown vent runs the same statements and gets the same bytes', async () => {
    const me = await makeActor('owner', 'vent');
    const { own: _own, "another person's": _theirs, ...refused } = await idsFor('vent', me);
    const body = { reactionType: 'hug', reason: 'Spam', text: 'I hear you' } as const;
    const calls = {
      'GET /api/vent/:id': (id: string) => app.call(getVent, { as: me, params: { id } }),
      'DELETE /api/vent/:id': (id: string) => app.call(deleteVent, { as: me, params: { id } }),
      'PUT /api/vent/:id/allow-comments': (id: string) =>
        app.call(setVentComments, { as: me, params: { id }, body: { allowComments: false } }),
      'POST /api/vent/react': (id: string) => app.call(react, { as: me, body: { ...body, ventId: id } }),
      'POST /api/vent/report': (id: string) =>
        app.call(reportVent, { as: me, body: { ...body, ventId: id } }),
      'POST /api/vent/comment': (id: string) =>
        app.call(commentOnVent, { as: me, body: { ...body, ventId: id } }),
    };
    for (const [name, call] of Object.entries(calls)) {
      await call('x');
      const seen: { statements: string; text: string; headers: string[] }[] = [];
      for (const id of Object.values(refused).flat().map(String)) {
        app.statements.length = 0;
        const { text, headers, status } = await call(id);
        expect(status, `${name} ${id}`).toBe(404);
        seen.push({
          statements: JSON.stringify(app.statements.filter(({ role }) => role === 'content')),
          text: text.replace(/"requestId":"[^"]+"/u, ''),
          headers: Object.keys(headers).toSorted(),
        });
      }
      expect(seen.length).toBeGreaterThan(20);
      for (const one of seen) expect(one, name).toEqual(seen[0]);
    }
    // Deleting or closing another person's vent gives the same response as one that never existed.
    const strip = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]+"/u, '');
    for (const name of ['DELETE /api/vent/:id', 'PUT /api/vent/:id/allow-comments'] as const)
      expect(strip(await calls[name](bystanderItems.vent))).toBe(strip(await calls[name]('x')));
  });

  test('a pair of others, and a deleted, forged or unknown pair, run the same statements and get the same bytes (SC-14)', async () => {
    const me = await makeActor('owner', 'match');
    const ids = await idsFor('match', me);
    const refused = Object.entries(ids).flatMap(([kind, some]) => (kind.startsWith('own') ? [] : some));
    for (const call of [acceptMatch, rejectMatch, withdrawMatch, partMatch]) {
      await app.call(call, { as: me, body: { matchId: 'x' } });
      const seen: { statements: string; text: string; headers: string[] }[] = [];
      for (const matchId of refused.map(String)) {
        app.statements.length = 0;
        const { text, headers, status } = await app.call(call, { as: me, body: { matchId } });
        expect(status, matchId).toBe(404);
        seen.push({
          statements: JSON.stringify(app.statements.filter(({ role }) => role === 'matching')),
          text: text.replace(/"requestId":"[^"]+"/u, ''),
          headers: Object.keys(headers).toSorted(),
        });
      }
      expect(seen.length).toBeGreaterThan(20);
      expect(seen[0]?.statements).toContain('pairs');
      for (const one of seen) expect(one).toEqual(seen[0]);
    }
  });

  test("verifying another person's number does not reauthenticate the caller's own account", async () => {
    const [me, other] = [await makeActor('owner'), await makeActor('other')];
    app.clock.advance(60_000);
    await app.call(requestOtp, { as: me, body: { phone: other.phone, purpose: 'reauth' } });
    await expect.poll(() => app.deps.outbox.recent().filter(({ to }) => to === other.phone).length).toBe(2);
    const answer = await app.call(reauthenticate, {
      as: me,
      body: { phone: other.phone, otp: await app.codeFor(other.phone) },
    });
    expect(answer.body.code).toBe('OTP_INVALID');
    const before = await countWrites();
    const removal = await app.call(endpoint('DELETE /api/auth/user'), { as: me });
    expect(removal.body.code).toBe('REAUTH_REQUIRED');
    expect(await countWrites()).toEqual(before);
  });
});
