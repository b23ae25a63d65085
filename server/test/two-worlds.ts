import { createHash } from 'node:crypto';
import {
  acceptMatch,
  changeUsername,
  closeAllVents,
  closeToVoice,
  commentOnVent,
  type CommentView,
  createVent,
  deleteComment,
  deleteVent,
  emotions,
  type Endpoint,
  endpoints,
  getAgreement,
  getChoices,
  getGrievanceOfficer,
  getHeard,
  getLedger,
  getSelf,
  getUser,
  getVent,
  hide,
  listComments,
  listCountries,
  listen,
  listHeldVents,
  listInbox,
  listNotices,
  listReports,
  listSessions,
  listVents,
  markInboxSeen,
  matchHistory,
  type MatchSuggestion,
  matchSuggestions,
  partMatch,
  pendingMatches,
  pollLiveCounts,
  react,
  readRecovery,
  rejectMatch,
  releaseHeldVent,
  reportVent,
  searchVents,
  setMutes,
  setVentComments,
  thankForComment,
  unhide,
  updateDetails,
  ventsSince,
  ventWeather,
  withdrawMatch,
} from '@unsaid/contract';
import type pg from 'pg';
import { dayMs } from '../src/platform/clock.ts';
import { runJobs } from '../src/platform/jobs.ts';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { startTestApp, type Actor, type TestApp } from './app.ts';
import { openPool } from './db.ts';
import { alignAccount, emptyContent } from './community.ts';
import { changeFactsOf, renumber } from './facts.ts';
import { makeUser, runJob, type Person } from './factories.ts';

/**
 * Noninterference. Two worlds differ in one thing only: which of B and C wrote the vents x and which the vents y.
 * Whatever a third person A does, the response bytes must be the same in both.
 *
 * Each world is a server with its own database. The databases are copies of one template, and the people are created
 * in the same order under one master key and with the same ids, so that equal numbers have equal encrypted ids. Between histories the
 * content tables are emptied, their sequences restart, pairs are deleted and profiles are reset: every history runs as
 * on a fresh copy.
 *
 * x and y are one to three vents each, with different emotions, hashtags and days, and all jobs may run between any
 * two actions. People are paired by their profiles. They change their profiles by name, never in the role of an
 * author.
 */

export interface World {
  readonly app: TestApp;
  readonly rows: pg.Pool;
  /** In the order in which their accounts were created. */
  readonly people: readonly Person[];
}

const cast = ['a', 'b', 'c', 'd'] as const;
type Role = (typeof cast)[number];
const isOneOfTwo = (line: string): line is 'x' | 'y' => line === 'x' || line === 'y';

export async function makeWorld(roles: readonly string[] = cast): Promise<World> {
  const app = await startTestApp({ limitsScale: 1_000_000, logLevel: 'silent' }, { isWorld: true });
  const rows = openPool(app.config.databaseUrl, 1);
  const people: Person[] = [];
  for (const role of roles) {
    const person = await renumber(app, rows, await makeUser(app), people.length + 1);
    people.push(person);
    await app.call(changeUsername, { as: person, body: { newUsername: `person_${role}` } });
  }
  return { app, rows, people };
}

export async function closeWorld({ app, rows }: World): Promise<void> {
  await rows.end();
  await app.close();
}

/** The author seed of the nth person, the same in every world. */
export const seedOf = (n: number): Buffer => createHash('sha256').update(`seed ${n}`).digest();

/**
 * Makes pictures and author seeds equal in both worlds. They are random, so the transcripts would differ without
 * a leak.
 */
export async function alignPeople(worlds: readonly World[]): Promise<void> {
  for (const { app, rows, people } of worlds) {
    for (const [n, { userId }] of people.entries()) {
      await alignAccount(app, rows, userId, seedOf(n));
    }
  }
  // Sessions contain the seed and are cached in Redis for a minute.
  for (const { app } of worlds) {
    for (const key of await app.redis.keys(`${app.config.redisPrefix}sess*`)) await app.redis.del(key);
  }
}

/**
 * Makes pair ids deterministic. They are random, and the order of the two sides follows from them. A trigger
 * derives them from the two people and the week, so that equal pairs have equal ids in both worlds and every byte
 * can be compared.
 */
export async function alignPairs(worlds: readonly World[]): Promise<void> {
  for (const { rows } of worlds)
    await rows.query(`
      create function public.draw_pair() returns trigger language plpgsql as $$
        begin
          new.id := ('x' || left(md5(new.a_key || new.b_key || new.week::text::bytea), 15))::bit(60)::bigint;
          return new;
        end $$;
      create trigger draw_pair before insert on matching.pairs for each row execute function public.draw_pair()`);
}

/** The profiles at the start of a history: no two pairs of people have the same score. */
const profiles: readonly object[] = [
  { feelings: ['Sad', 'Anxious'], interests: ['tea', 'rain', 'films'], preferences: 'Similar Emotions' },
  { feelings: ['Sad'], interests: ['tea'], preferences: 'Similar Emotions' },
  { feelings: ['Burnout', 'Sad', 'Anxious'], interests: ['rain', 'films'], preferences: 'Balanced' },
  { feelings: ['Angry', 'Anxious'], interests: ['cats'], preferences: 'Different Emotions' },
];

export type Call = readonly [Endpoint, { params?: object; query?: object; body?: object }];

/** `METHOD /path` of a call. */
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

const changesAccount = 'changes how A signs in or is shown, and reads nothing of others';
const endsSession = 'ends a session or an account of A, and reads nothing of others';
/** Calls that A does not make, with the reason. A call of the contract that is neither here nor made fails the proof. */
const notMade: Readonly<Record<string, string>> = {
  'POST /api/auth/request-otp': 'before there is a session',
  'POST /api/auth/verify-otp': 'before there is a session',
  'POST /api/auth/join': 'before there is a session',
  'POST /api/auth/recover': 'before there is a session',
  'POST /api/auth/reauth': changesAccount,
  'PUT /api/auth/change-number': changesAccount,
  'POST /api/auth/recovery-code': changesAccount,
  'PUT /api/auth/recovery-code': changesAccount,
  'DELETE /api/auth/recovery-code': changesAccount,
  'PUT /api/auth/change-username': changesAccount,
  'PUT /api/auth/avatar': changesAccount,
  'PUT /api/auth/agreement': changesAccount,
  'POST /api/auth/logout': endsSession,
  'DELETE /api/auth/sessions': endsSession,
  'DELETE /api/auth/sessions/:id': endsSession,
  'DELETE /api/auth/user': endsSession,
  'GET /api/auth/export': 'has what A wrote and chose, and needs a new code (privacy.test.ts)',
  'POST /api/live/ticket': 'a random ticket (live.test.ts); what the connection tells is polled here',
  'POST /api/vent/held/:id/release': 'finds vents of the caller alone (held-vents.test.ts)',
  'DELETE /api/vent/held/:id': 'finds vents of the caller alone (held-vents.test.ts)',
  'POST /api/reports': 'with cases and moderators (moderation-worlds.proof.test.ts)',
  'POST /api/notices/:id/appeal': 'with cases and moderators (moderation-worlds.proof.test.ts)',
};

/** What the calls of all histories together must be. */
export function callsToMake(): string[] {
  const all = endpoints.map(nameOf);
  const gone = Object.keys(notMade).filter((name) => !all.includes(name));
  if (gone.length > 0) throw new Error(`not in the contract: ${gone.join()}`);
  return all.filter((name) => !(name in notMade)).toSorted();
}

/** Calls without input. A makes one of them, in turn, before every third call. */
const plainCalls: readonly Endpoint[] = [
  getSelf,
  listHeldVents,
  listReports,
  listNotices,
  listSessions,
  readRecovery,
  getAgreement,
  getLedger,
  getHeard,
  getGrievanceOfficer,
  listCountries,
];
const plainEvery = 3;

export async function send({ app }: World, as: Actor, [endpoint, input]: Call) {
  const answer = await app.call(endpoint, { as, ...input });
  // Background work must finish before the next call, or the worlds would differ by timing.
  await app.deps.backgroundDone();
  return answer;
}

/**
 * Encrypted with a new nonce for each response, a salted hash, or the random ids of hidden names: only their length could
 * reveal anything.
 */
const hideSealed = (text: string) =>
  text.replaceAll(/(?<="(?:cursor|counted|hash)":")[\w-]+|(?<="_id":")[\w-]{12}(?=")/gu, (sealed) =>
    String(sealed.length),
  );

/**
 * The response as A gets it: status, every header and body, without the request id and the cursor, which differ
 * in every response.
 */
export function canonical({ status, headers, text }: Awaited<ReturnType<typeof send>>): string {
  const { date: _date, ...rest } = headers;
  const fixed = text.replace(/"requestId":"[\w-]{12}"/u, '"requestId":""');
  // Sealed anew each time. Its presence and its length are compared; CONTENT_READ_URL in the environment turns it on.
  const cookies = String(rest['set-cookie'] ?? '').replaceAll(/(?<=pin=)[\w-]+/gu, (pin) =>
    String(pin.length),
  );
  return JSON.stringify([status, { ...rest, 'set-cookie': cookies }, hideSealed(fixed)]);
}

/** A opens the inbox before every fifth call, and at the end. */
const inboxEvery = 5;
/** A hides, shows, mutes or closes something before every third call. */
const choiceEvery = 3;
/** A listens before every fifth call, and so often before anybody has answered. */
const listenEvery = 5;
const firstListens = 5;
/** At the end, a name is hidden. */
const lastCalls = 2;
/** The number of lines of a transcript: opening the inbox is two calls, and the counts of a tick follow. */
export const transcriptLength = (calls: number) =>
  calls +
  firstListens +
  lastCalls +
  3 * (1 + Math.ceil(calls / inboxEvery)) +
  [choiceEvery, plainEvery, listenEvery].reduce((sum, every) => sum + Math.ceil(calls / every), 0);

export interface Options {
  readonly calls: number;
  /** The authors of x and y, swapped in the other world. */
  readonly authors: readonly [Role, Role];
  /** The only person who does not allow comments. */
  readonly closed?: Role;
}

/**
 * Runs one history and returns its transcript. Actions on x and y are chosen by role, "the author of x", never by
 * name. The other vents and their authors are the same in both worlds, and so is all that A, D and B or C as
 * bystanders do elsewhere.
 */
export async function runHistory(
  world: World,
  seed: number,
  { calls, authors, closed }: Options,
): Promise<string[]> {
  const { app, rows, people } = world;
  const random = createSeededRandom(seed);
  // Of its own, so that the other calls of a history stay the same.
  const aside = createSeededRandom(seed + 1_000_000);
  const ofListeners = createSeededRandom(seed + 2_000_000);
  const who = (role: Role) => people[cast.indexOf(role)] as Person;
  const A = who('a');
  await emptyContent(rows);
  app.clock.reset();
  // The clock is back where another history was: what the process ranked there is forgotten.
  await runJob(app, 'rewrite-trending');
  const kept = await app.redis.keys(`${app.config.redisPrefix}bucket:*`);
  if (kept.length > 0) await app.redis.del(kept);
  await changeFactsOf(app, 'all', ({ createdOn }) => ({ lastSeenOn: createdOn }));
  await rows.query('delete from identity.choices');
  // Also discards the cached choices of the history before.
  await send(world, A, [setMutes, { body: { words: [], hashtags: [], emotions: [] } }]);
  // And the turns of vents that waited there. What is drawn at random is the same in both worlds.
  app.setRandom(createSeededRandom(seed + 3_000_000).next);
  await send(world, A, [listen, { query: {} }]);
  // B and C have equal comment switches unless `closed` is given: the switch is visible on vents (SC-6).
  const isOpen = random.below(4) > 0;
  for (const [n, role] of cast.entries()) {
    const allowComments = closed ? role !== closed : isOpen || role === 'a' || role === 'd';
    await send(world, who(role), [updateDetails, { body: { ...profiles[n], allowComments } }]);
  }

  /** What authors choose for a vent. A hug takes no comments, and a vent of a day is soon gone: few of them. */
  const chosen: object[] = [{}, { need: 'listen' }, { keepDays: 7 }, { need: 'advice' }, {}];
  chosen.push({ need: 'been_there', keepDays: 7 }, {}, { keepDays: 1 }, { need: 'hug' });
  const vents: string[] = [];
  const comments: { ventId: string; commentId: string }[] = [];
  /** Those under a name. */
  const named: typeof comments = [];
  /** As one that was held back and goes out now. */
  const holdAndRelease = async (author: Person, body: object) => {
    await send(world, author, [createVent, { body: { ...body, later: true } }]);
    const { body: listed } = await send(world, author, [listHeldVents, {}]);
    const [held] = (listed as unknown as { held: { _id: string }[] }).held;
    return send(world, author, [releaseHeldVent, { params: { id: held?._id ?? '' } }]);
  };
  const postVent = async (
    author: Person,
    feeling: { readonly emotion: string; readonly hashtags: string[] },
  ) => {
    const n = vents.length;
    const asked = chosen[n % chosen.length];
    const body = { title: `vent ${n}`, text: `words of ${n} and rain`, ...asked, ...feeling };
    const answer = await (n % 3 === 2
      ? holdAndRelease(author, body)
      : send(world, author, [createVent, { body }]));
    const { vent } = answer.body as unknown as { vent: { _id: string } };
    vents.push(vent._id);
    app.clock.advance(random.below(0.3 * dayMs));
    return vent._id;
  };
  const comment = async (author: Person, ventId: string, anonymous: boolean) => {
    const answer = await send(world, author, [
      commentOnVent,
      { body: { ventId, text: `said ${comments.length}`, anonymous } },
    ]);
    const { comment: made } = answer.body as unknown as { comment?: CommentView };
    if (made) comments.push({ ventId, commentId: made._id });
    if (made?.userId.username) named.push({ ventId, commentId: made._id });
    return answer;
  };

  // x and y are in random places among the vents of all people; or both come last, and the second one while A
  // makes calls.
  type Line = Role | 'x' | 'y';
  const several = (line: 'x' | 'y') => Array.from({ length: 1 + random.below(3) }, () => line);
  const script: Line[] = [
    ...several('x'),
    ...several('y'),
    ...cast,
    ...Array.from({ length: 2 }, () => random.pick(cast)),
  ];
  for (let last = script.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [script[last], script[other]] = [script[other] as Line, script[last] as Line];
  }
  const late = random.pick(['x', 'y', null] as const);
  const lateAt = random.below(calls);
  if (late) script.sort((one, other) => Number(isOneOfTwo(one)) - Number(isOneOfTwo(other)));
  const authorOf = (line: Line) => who(line === 'x' ? authors[0] : line === 'y' ? authors[1] : line);
  const draw = () => ({
    emotion: random.pick(emotions),
    hashtags: [random.pick(['night', 'day', 'exams'])],
  });
  const two: { readonly line: 'x' | 'y'; readonly id: string }[] = [];
  const postOneOfTwo = async (line: 'x' | 'y') =>
    void two.push({ line, id: await postVent(authorOf(line), draw()) });
  const elsewhere: string[] = [];
  const runAllJobs = () => runJobs(app.features.jobs);
  /** Deletes all pairs, as after the period in which two people are not suggested again. */
  const forgetPairs = () => rows.query('delete from matching.pairs');
  for (const line of script) {
    const feeling = draw();
    if (!isOneOfTwo(line)) elsewhere.push(await postVent(authorOf(line), feeling));
    else if (line !== late) {
      if (late) await runAllJobs();
      await postOneOfTwo(line);
    }
    if (random.below(4) === 0) await runAllJobs();
  }
  await forgetPairs();
  const kinds = ['heart', 'hug', 'listen'] as const;
  const feelings = () => Array.from({ length: random.below(4) }, () => random.pick(emotions));

  /** A person reads their matches, and answers one of them or none. */
  async function visitMatches(as: Person): Promise<void> {
    await send(world, as, [random.pick([pendingMatches, matchHistory]), {}]);
    const { body } = await send(world, as, [matchSuggestions, {}]);
    const { matches } = body as unknown as { matches: { _id: string }[] };
    const matchId = random.pick(matches)?._id;
    const answer = random.pick([acceptMatch, acceptMatch, rejectMatch, null]);
    if (matchId && answer) await send(world, as, [answer, { body: { matchId } }]);
    const ending = random.pick([withdrawMatch, partMatch]);
    if (matchId && random.below(3) === 0) await send(world, as, [ending, { body: { matchId } }]);
  }

  /** A random action of a person other than A. */
  async function actAsOthers(): Promise<void> {
    const { line, id: on } = random.pick(two);
    switch (random.below(14)) {
      case 0:
        await comment(authorOf(line), on, random.below(2) === 0);
        return;
      case 1:
        await send(world, authorOf(line), [
          react,
          { body: { ventId: on, reactionType: random.pick(kinds) } },
        ]);
        return;
      case 2:
        await send(world, authorOf(line), [random.pick([ventsSince, ventWeather]), {}]);
        return;
      case 3:
        await comment(who('d'), random.pick(vents), random.below(2) === 0);
        return;
      case 4:
        await send(world, who('d'), [
          react,
          { body: { ventId: random.pick(vents), reactionType: random.pick(kinds) } },
        ]);
        return;
      case 5:
        await send(world, who('d'), [reportVent, { body: { ventId: on, reason: 'Spam' } }]);
        return;
      case 6:
      case 7:
      case 12:
        // Chosen by name: A's pairs and their answers do not depend on who wrote x.
        await visitMatches(who(random.pick(['b', 'c', 'd'] as const)));
        return;
      case 8:
        await runAllJobs();
        return;
      case 9:
        await send(world, who(random.pick(['b', 'c', 'd'] as const)), [
          updateDetails,
          { body: { feelings: feelings() } },
        ]);
        return;
      case 10:
        if (random.below(3) === 0) await forgetPairs();
        return;
      case 11:
        await send(world, authorOf(line), [
          setVentComments,
          { params: { id: on }, body: { allowComments: random.below(2) === 0 } },
        ]);
        return;
      default:
        // B and C by name, but never on x or y: named comments are SC-4.
        await comment(who(random.pick(['b', 'c'] as const)), random.pick(elsewhere), random.below(2) === 0);
    }
  }

  /** A random call of A, with any kind of id that A can know. */
  let seenIds: string[] = [...vents];
  let matchIds: string[] = [];
  let peerIds: string[] = [];
  let filters = 0;
  function chooseCall(): Call {
    const id = random.pick(seenIds);
    const ventId = random.pick([...two.map((one) => one.id), ...vents]);
    const page = String(1 + random.below(3));
    // In turn, not at random: the histories stay the same.
    filters += 1;
    const emotion = [
      {},
      { emotion: emotions[filters % emotions.length] as string },
      { emotion: 'Sad,Anxious,Burnout' },
    ][filters % 3];
    switch (random.below(25)) {
      case 0:
        return [listVents, { query: { page, limit: random.pick(['5', '3', '100']), ...emotion } }];
      case 1:
        return [listVents, { query: { sort: 'trending', page, ...emotion } }];
      case 2:
        return [listVents, { query: { before: id, ...emotion } }];
      case 3:
        return [listVents, { query: { mine: 'true', query: random.pick(['', 'rain']), ...emotion } }];
      case 4:
        return [
          searchVents,
          {
            query: {
              query: random.pick(['rain', '#night', 'vent', id, 'person_b', 'person_c']),
              ...emotion,
            },
          },
        ];
      case 5:
        return [
          react,
          {
            body: {
              ventId,
              reactionType: random.pick(kinds),
              ...random.pick([{}, { active: true }, { active: false }]),
            },
          },
        ];
      case 6:
        return [commentOnVent, { body: { ventId, text: 'from A', anonymous: random.below(2) === 0 } }];
      case 7:
        return [listComments, { params: { id: ventId }, query: random.pick([{}, { before: id }]) }];
      case 8:
        return [getUser, { params: { id } }];
      case 9:
        return [reportVent, { body: { ventId, reason: 'Harassment' } }];
      case 10:
        return [deleteComment, { params: random.pick([{ ventId, commentId: id }, ...comments]) }];
      case 11:
        return [deleteVent, { params: { id: random.pick([...two.map((one) => one.id), id]) } }];
      case 12:
        return random.pick([[ventsSince, {}] as const, [ventWeather, {}] as const]);
      case 13:
        return [getVent, { params: { id } }];
      case 14:
        return random.pick([
          [setVentComments, { params: { id: ventId }, body: { allowComments: false } }] as const,
          [closeAllVents, {}] as const,
        ]);
      case 15:
      case 16:
        return [matchSuggestions, {}];
      case 17:
        return [pendingMatches, {}];
      case 18:
        return [matchHistory, {}];
      case 19:
      case 23:
        return [acceptMatch, { body: { matchId: random.pick([...matchIds, id]) } }];
      case 20:
        return [
          random.pick([rejectMatch, withdrawMatch, partMatch]),
          { body: { matchId: random.pick([...matchIds, id]) } },
        ];
      case 21:
      case 22:
        return [getUser, { params: { id: random.pick([...peerIds, id]) } }];
      default:
        return [updateDetails, { body: { feelings: feelings() } }];
    }
  }

  /** What A hides, shows, mutes or closes: anything that A can point at. */
  function chooseChoice(): Call {
    const id = aside.pick([...two.map((one) => one.id), ...vents]);
    const said = aside.pick(comments);
    const pointedAt = { ventId: id, commentId: id };
    const underName = named.length > 0 ? aside.pick(named) : pointedAt;
    const about = aside.pick([
      { kind: 'vent', id },
      { kind: 'vent', id },
      { kind: 'comment', ventId: said?.ventId ?? id, id: said?.commentId ?? id },
      { kind: 'name', ...underName },
      { kind: 'name', ...underName },
      { kind: 'name', peerId: aside.pick([...peerIds, id]) },
    ]);
    switch (aside.below(11)) {
      case 0:
      case 1:
      case 2:
        return [hide, { body: { about } }];
      case 3:
        return [unhide, { body: { about } }];
      case 4: {
        const words = aside.pick([[], ['rain'], ['said', '3']]);
        const body = { words, hashtags: aside.pick([[], ['night']]), emotions: aside.pick([[], ['Sad']]) };
        return [setMutes, { body }];
      }
      case 5:
      case 6:
        return [closeToVoice, { params: said ?? pointedAt }];
      case 7:
        return [
          listComments,
          { params: { id: underName.ventId }, query: aside.pick([{}, { withHidden: 'true' }]) },
        ];
      case 8:
        return [thankForComment, { params: said ?? pointedAt }];
      case 9:
        return [createVent, { body: { title: 'of A', text: `words of A ${vents.length}`, emotion: 'Sad' } }];
      default:
        return [getChoices, {}];
    }
  }

  /** The author of x or y closes it to somebody or thanks them; or B, C or D does so elsewhere, or hides a name. */
  async function chooseAsOthers(): Promise<void> {
    const { line, id: on } = aside.pick(two);
    const byName = who(aside.pick(['b', 'c', 'd'] as const));
    const close = async (as: Person, said: (typeof comments)[number] | undefined) =>
      said && void (await send(world, as, [closeToVoice, { params: said }]));
    const thank = async (as: Person, said: (typeof comments)[number] | undefined) =>
      said && void (await send(world, as, [thankForComment, { params: said }]));
    switch (aside.below(5)) {
      case 0:
        return close(authorOf(line), aside.pick(comments.filter(({ ventId }) => ventId === on)));
      case 3:
        return thank(authorOf(line), aside.pick(comments.filter(({ ventId }) => ventId === on)));
      case 4:
        return thank(byName, aside.pick(comments.filter(({ ventId }) => elsewhere.includes(ventId))));
      case 1:
        // By name: whether it succeeds depends on who wrote that vent, which is the same in both worlds.
        return close(byName, aside.pick(comments.filter(({ ventId }) => elsewhere.includes(ventId))));
      default: {
        const said = aside.pick(comments);
        if (said) await send(world, byName, [hide, { body: { about: { kind: 'name', ...said } } }]);
      }
    }
  }

  // The others have read their matches, and may have accepted A.
  for (const role of ['b', 'c', 'd'] as const) await visitMatches(who(role));
  const transcript: string[] = [];
  const callAsA = async (call: Call) => {
    const answer = await send(world, A, call);
    const asked = hideSealed(JSON.stringify(call[1]));
    transcript.push(`${nameOf(call[0])} ${asked}\n${canonical(answer)}`);
    return answer;
  };
  /**
   * B, C or D listens, by name: own vents are not offered to them, and x is one of these in one world only. What A is
   * offered after them must not tell.
   */
  async function listenAfterOthers(): Promise<void> {
    const query = { count: String(1 + ofListeners.below(5)) };
    await send(world, who(ofListeners.pick(['b', 'c', 'd'] as const)), [listen, { query }]);
    await callAsA([listen, { query: { count: '2', reads: ofListeners.pick(['en', 'en,hi']) } }]);
    if (ofListeners.below(3) === 0) app.clock.advance(7000);
  }
  for (let n = 0; n < firstListens; n += 1) await listenAfterOthers();
  // A has spoken under x and y, was thanked and answered: lines in A's inbox.
  for (const { id, line } of two) {
    await comment(A, id, true);
    const said = comments.at(-1);
    if (said) await send(world, authorOf(line), [thankForComment, { params: said }]);
    await comment(who('d'), id, true);
  }
  let cursor: string | undefined;
  /** A opens the inbox, and marks as seen what fits on a small screen. */
  async function visitInbox(): Promise<void> {
    const listed = await callAsA([listInbox, { query: cursor === undefined ? {} : { cursor } }]);
    const inbox = listed.body as unknown as { cursor: string; lines: { key: string }[] };
    const shown = inbox.lines.slice(0, 2).map(({ key }) => key);
    const seen = await callAsA([markInboxSeen, { body: { cursor: inbox.cursor, shown } }]);
    ({ cursor } = seen.body as unknown as { cursor: string });
    // What a tick of the live connection would say.
    await callAsA([pollLiveCounts, { body: { cursor } }]);
  }
  for (let made = 0; made < calls; made += 1) {
    if (late && made === lateAt) await postOneOfTwo(late);
    if (random.below(5) < 2) await actAsOthers();
    if (random.below(4) === 0) app.clock.advance(random.below(30_000));
    // In turn, not at random: the histories stay the same, because looking changes nothing.
    if (made % inboxEvery === 0) await visitInbox();
    if (made === 0) await callAsA([hide, { body: { about: { kind: 'vent', id: aside.pick(two).id } } }]);
    else if (made % choiceEvery === 0) await callAsA(chooseChoice());
    else if (aside.below(5) === 0) await chooseAsOthers();
    if (made % listenEvery === 0) await listenAfterOthers();
    if (made % plainEvery === 0)
      await callAsA([plainCalls[(made / plainEvery) % plainCalls.length] as Endpoint, {}]);
    const answer = await callAsA(chooseCall());
    const found = answer.text.match(/(?<="_id":")[\w-]{22}/gu) ?? [];
    seenIds = [...new Set([...seenIds, ...found])].slice(-60);
    const { matches } = answer.body as { matches?: MatchSuggestion[] };
    if (matches) {
      // Includes some that are deleted by now.
      matchIds = [...new Set([...matchIds, ...matches.map(({ _id }) => _id)])].slice(-4);
      const sides = matches.flatMap(({ user1, user2 }) => [user1._id, user2._id]);
      const peers = sides.filter((_id) => _id !== A.user._id);
      peerIds = [...new Set([...peerIds, ...peers])].slice(-4);
    }
  }
  // Thanks are shown up to seven days later. With the clock set forward, A's session would end.
  await world.rows.query('update content.thanks set shown_from = shown_from - 8');
  await visitInbox();
  // Whatever was hidden before: at the end A hides a name, and looks at what it said.
  const last = named.at(-1) ?? { ventId: vents[0] ?? '', commentId: '' };
  await callAsA([hide, { body: { about: { kind: 'name', ...last } } }]);
  await callAsA([listComments, { params: { id: last.ventId }, query: {} }]);
  return transcript;
}
