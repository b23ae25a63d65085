import {
  acceptMatch,
  appealNotice,
  commentOnVent,
  createReport,
  createVent,
  emotions,
  getSelf,
  getUser,
  getVent,
  listComments,
  listInbox,
  listNotices,
  listReports,
  listVents,
  matchSuggestions,
  pollLiveCounts,
  react,
  reportReasonCodes,
  searchVents,
  updateDetails,
  type MatchSuggestion,
  type NoticeView,
} from '@unsaid/contract';
import {
  decideCase,
  getCase,
  listCases,
  nextCase,
  releaseCase,
  resolveAppeal,
  revealPart,
  type CaseView,
} from '@unsaid/contract/moderation/console';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runJobs } from '../src/platform/jobs.ts';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import { emptyContent } from './community.ts';
import { keysOf, runJob, type Person } from './factories.ts';
import { runs, seed as commitSeed } from './runs.ts';
import {
  alignPairs,
  alignPeople,
  canonical,
  closeWorld,
  makeWorld,
  send,
  type Call,
  type World,
} from './two-worlds.ts';

/**
 * Noninterference with moderation. As in two-worlds.ts, two worlds differ only in which of B and C wrote the vents x
 * and which the vents y. A and D report, two moderators decide and resolve, and the authors appeal. Meanwhile B and C
 * speak elsewhere: by name, as Anonymous, in new vents, reactions, matches and their profiles, chosen by name and so the
 * same in both worlds. Neither A nor a moderator may tell the worlds apart by a response. Who holds a case sees a level of
 * its author's points of the days before, so they decide only about x and y here: what an author did elsewhere by name is
 * what the level tells (docs/known-exceptions.md).
 *
 * A sanction is the declared exception (SC-37): in one world it silences B, in the other C. It must change nothing else.
 * So the world of a sanctioned B is also compared with one in which the authors are swapped, nobody is sanctioned, and B
 * says nothing of what was refused there.
 */

interface ModeratedWorld extends World {
  readonly moderators: readonly [SignedInModerator, SignedInModerator];
}

async function makeModerated(): Promise<ModeratedWorld> {
  const world = await makeWorld();
  return {
    ...world,
    moderators: [
      await signInModerator(world.app, { alias: 'first', role: 'lead' }),
      await signInModerator(world.app, { alias: 'second', role: 'lead' }),
    ],
  };
}

interface Options {
  readonly authors: readonly ['b', 'c'] | readonly ['c', 'b'];
  readonly hasSanctions?: boolean;
  /** The numbers of the calls by name that are not made: somebody keeps silent by choice. */
  readonly silent?: ReadonlySet<number>;
  /** A leak: a decision also hides what the author wrote elsewhere. */
  readonly isAuthorWide?: boolean;
}

interface Transcripts {
  readonly reader: string[];
  readonly moderators: string[];
  /** The calls of B and C by name, by number. */
  readonly byName: ReadonlyMap<number, { readonly role: 'b' | 'c'; readonly path: string }>;
  /** The numbers of those that were refused because of a sanction. */
  readonly refused: ReadonlySet<number>;
}

const cast = ['a', 'b', 'c', 'd'] as const;
const rounds = 14;

async function runHistory(
  world: ModeratedWorld,
  seed: number,
  { authors, hasSanctions = false, isAuthorWide = false, silent }: Options,
): Promise<Transcripts> {
  const { app, rows, people, moderators } = world;
  const random = createSeededRandom(seed);
  // Of its own: what B and C draw does not depend on what moderators find.
  const aside = createSeededRandom(seed + 1_000_000);
  const who = (role: (typeof cast)[number]) => people[cast.indexOf(role)] as Person;
  const authorOf = (line: 'x' | 'y') => who(line === 'x' ? authors[0] : authors[1]);
  await emptyContent(rows);
  await rows.query(
    `delete from moderation.notices; delete from moderation.cases;
     alter sequence moderation.cases_id_seq restart; alter sequence moderation.notices_id_seq restart`,
  );
  await rows.query(`update identity.users set bio = ''`);
  // The log is append-only, and says how much a moderator has revealed today and what they skipped.
  await rows.query(
    'begin; set local session_replication_role = replica; delete from moderation.audit; commit',
  );
  for (const prefix of ['standing:', 'bucket:', 'report'])
    for (const key of await app.redis.keys(`${app.config.redisPrefix}${prefix}*`)) await app.redis.del(key);
  app.clock.reset();
  // The clock is back where another history was: what the process ranked there is forgotten.
  await runJob(app, 'rewrite-trending');
  for (const person of people) await app.features.standing.invalidate(await keysOf(app, person));

  const post = async (author: Person, n: number) => {
    const answer = await send(world, author, [
      createVent,
      { body: { title: `vent ${n}`, text: `words of ${n} and rain`, emotion: random.pick(emotions) } },
    ]);
    app.clock.advance(random.below(3_600_000));
    return (answer.body as unknown as { vent: { _id: string } }).vent._id;
  };
  const two: { line: 'x' | 'y'; id: string }[] = [];
  const elsewhere: string[] = [];
  let n = 0;
  for (const line of ['x', 'b', 'y', 'c', 'x', 'd', 'y', 'a'] as const) {
    n += 1;
    if (line === 'x' || line === 'y') two.push({ line, id: await post(authorOf(line), n) });
    else elsewhere.push(await post(who(line), n));
  }
  const comments: { line: 'x' | 'y'; ventId: string; id: string }[] = [];
  for (const { line, id } of two) {
    const answer = await send(world, authorOf(line), [commentOnVent, { body: { ventId: id, text: 'more' } }]);
    const { comment } = answer.body as unknown as { comment: { _id: string } };
    comments.push({ line, ventId: id, id: comment._id });
  }

  const reader: string[] = [];
  const spoken: string[] = [];
  const asA = async (call: Call) => {
    const answer = await send(world, who('a'), call);
    reader.push(`${call[0].method} ${call[0].path} ${JSON.stringify(call[1])}\n${canonical(answer)}`);
    return answer;
  };
  const asModerator = async (moderator: SignedInModerator, [endpoint, input]: Call) => {
    const answer = await app.callMod(endpoint, { as: moderator, ...input });
    await app.deps.backgroundDone();
    spoken.push(`${endpoint.method} ${endpoint.path} ${JSON.stringify(input)}\n${canonical(answer)}`);
    return answer;
  };
  const about = () => {
    const on = random.pick(comments);
    return random.pick([
      { kind: 'vent', id: random.pick(two).id },
      { kind: 'comment', id: on.id, ventId: on.ventId },
    ] as const);
  };

  /** A moderator takes the next case, reads it, and decides or resolves it. */
  async function moderate(): Promise<void> {
    const moderator = random.pick(moderators);
    // The session of the round before is idle for too long.
    await signInAgain(app, moderator);
    await asModerator(moderator, [
      listCases,
      { query: { show: random.pick(['waiting', 'appeals', 'closed']) } },
    ]);
    const taken = await asModerator(moderator, [nextCase, {}]);
    const found = (taken.body as unknown as { case: CaseView | null }).case;
    if (!found) return;
    const params = { id: found.id };
    for (const part of found.parts) await asModerator(moderator, [revealPart, { params, body: { part } }]);
    const { body } = await asModerator(moderator, [getCase, { params }]);
    const { version } = (body as unknown as { case: CaseView }).case;
    if (found.state === 'appealed') {
      const resolution = random.pick(['upheld', 'overturned'] as const);
      await asModerator(moderator, [resolveAppeal, { params, body: { version, resolution } }]);
      return;
    }
    if (random.below(5) === 0) {
      await asModerator(moderator, [releaseCase, { params, body: { isSkip: true } }]);
      return;
    }
    const outcome = random.pick(['keep', 'care', 'hide', 'remove', 'remove'] as const);
    const isRestriction = outcome === 'hide' || outcome === 'remove';
    // Dangerous: it starts at once. Another starts at a random moment, and the worlds could not be compared.
    const sanction = {
      ...random.pick([
        { sanction: 'suspend', days: 7 },
        { sanction: 'limit', days: 3 },
      ] as const),
      isDangerous: true,
    };
    const decision = {
      version,
      outcome,
      ...(isRestriction ? { policy: random.pick(['harassment', 'spam_scam', 'method_info'] as const) } : {}),
      ...(isRestriction && hasSanctions ? sanction : {}),
    };
    for (const isDryRun of [true, false])
      await asModerator(moderator, [decideCase, { params, body: { ...decision, isDryRun } }]);
    if (isAuthorWide && isRestriction)
      // Planted: what the author of x wrote under another vent's name goes with it.
      for (const [index, role] of (['b', 'c'] as const).entries())
        if (role === authors[0])
          await rows.query(`update content.vents set state = 'hidden' where title = $1`, [
            `vent ${index === 0 ? 2 : 4}`,
          ]);
  }

  /** The author of x or y looks at their notices, and appeals one that can be appealed. */
  async function appeal(): Promise<void> {
    const author = authorOf(random.pick(['x', 'y']));
    const { body } = await send(world, author, [listNotices, {}]);
    const { notices } = body as unknown as { notices: NoticeView[] };
    const open = notices.find((notice) => notice.appeal === 'open');
    if (open)
      await send(world, author, [appealNotice, { params: { id: open._id }, body: { text: 'Look again' } }]);
  }

  const byName = new Map<number, { role: 'b' | 'c'; path: string }>();
  const refused = new Set<number>();
  /** Undefined where it was refused, or is not made. */
  async function callByName(role: 'b' | 'c', call: Call) {
    const number = byName.size;
    byName.set(number, { role, path: call[0].path });
    if (silent?.has(number)) return undefined;
    const answer = await send(world, who(role), call);
    if (answer.status < 300) return answer;
    if (answer.body.code === 'ACCOUNT_SUSPENDED' || answer.body.code === 'ACCOUNT_LIMITED')
      refused.add(number);
    // Nothing else is in the way of what they do here, unless a leak is planted.
    else if (!isAuthorWide) throw new Error(answer.text);
    return undefined;
  }

  /** B or C does something elsewhere, in any voice. Drawn before it is known whether they may. */
  async function speakByName(): Promise<void> {
    const role = aside.pick(['b', 'c'] as const);
    const [what, ventId, text] = [aside.below(6), aside.pick(elsewhere), `said ${aside.below(1000)}`];
    const emotion = aside.pick(emotions);
    if (what < 2) {
      // Under vents of A and D: under their own, an author's comment would show whose they are.
      const others = aside.pick([elsewhere[2], elsewhere[3]]) as string;
      await callByName(role, [commentOnVent, { body: { ventId: others, text, anonymous: what === 1 } }]);
    } else if (what === 2) {
      await callByName(role, [react, { body: { ventId, reactionType: 'hug', active: true } }]);
    } else if (what === 3) {
      await callByName(role, [updateDetails, { body: { bio: text } }]);
    } else if (what === 4) {
      const listed = await callByName(role, [matchSuggestions, {}]);
      const { matches } = (listed?.body ?? { matches: [] }) as unknown as { matches: MatchSuggestion[] };
      const met = matches.find(({ user1, user2 }) =>
        [user1, user2].some(({ username }) => username === 'person_a'),
      );
      if (met) await callByName(role, [acceptMatch, { body: { matchId: met._id } }]);
    } else {
      await callByName(role, [createVent, { body: { title: text, text: `${text} and rain`, emotion } }]);
    }
  }

  let peerIds: string[] = [who('a').user._id];
  const reads = (): Call =>
    random.pick<Call>([
      [listVents, { query: { limit: '100' } }],
      [listVents, { query: { sort: 'trending' } }],
      [listVents, { query: { mine: 'true' } }],
      [searchVents, { query: { query: 'rain' } }],
      [getVent, { params: { id: random.pick([...two.map(({ id }) => id), ...elsewhere]) } }],
      [listComments, { params: { id: random.pick(two).id }, query: {} }],
      [listReports, {}],
      [listNotices, {}],
      [listInbox, { query: {} }],
      [pollLiveCounts, { body: { cursor: '' } }],
      [matchSuggestions, {}],
      [getUser, { params: { id: random.pick(peerIds) } }],
      [getSelf, {}],
    ]);

  // A's suggestions exist before any sanction: a suspended person is suggested to nobody new, which is declared.
  await send(world, who('a'), [matchSuggestions, {}]);
  for (let round = 0; round < rounds; round += 1) {
    const details = random.pick([{}, { details: 'please look' }]);
    await asA([
      createReport,
      { body: { about: about(), reason: random.pick(reportReasonCodes), ...details } },
    ]);
    if (random.below(2) === 0)
      await send(world, who('d'), [
        createReport,
        { body: { about: about(), reason: random.pick(reportReasonCodes) } },
      ]);
    await moderate();
    if (random.below(2) === 0) await appeal();
    if (random.below(3) === 0) await runJobs(app.features.jobs);
    for (let k = 0; k < 3; k += 1) await speakByName();
    app.clock.advance(random.below(20 * 60_000));
    for (let k = 0; k < 3; k += 1) await asA(reads());
    // Names stand under comments, and the people of one's pairs have profiles.
    for (const id of [elsewhere[2], elsewhere[3]])
      await asA([listComments, { params: { id: id as string }, query: {} }]);
    const { matches } = (await asA([matchSuggestions, {}])).body as unknown as { matches: MatchSuggestion[] };
    peerIds = [
      ...new Set([...peerIds, ...matches.flatMap(({ user1, user2 }) => [user1._id, user2._id])]),
    ].toSorted();
    await asA([listReports, {}]);
  }
  return { reader, moderators: spoken, byName, refused };
}

/** The first call whose responses differ, and where, or null. A whole transcript is too long to be printed. */
function firstDifference(one: readonly string[], other: readonly string[]): string | null {
  for (let n = 0; n < Math.max(one.length, other.length); n += 1) {
    const [a, b] = [one[n] ?? '', other[n] ?? ''];
    if (a === b) continue;
    const at = [...a].findIndex((character, k) => character !== b[k]);
    const around = (text: string) => text.slice(Math.max(0, at - 80), at + 80);
    return `${n}: ${a.slice(0, 40)}\n${around(a)}\n${around(b)}`;
  }
  return null;
}

const histories = Math.max(5, runs('MODERATION_WORLD_RUNS', { change: 5, full: 60 }));
/** Each is run four times. */
const sanctioned = Math.ceil(histories / 2);
const historySeed = (n: number) => (n <= 4 ? n : commitSeed + n);

describe('two worlds with reports, decisions and appeals, in which the authors of two vents are swapped', () => {
  let worlds: [ModeratedWorld, ModeratedWorld];
  beforeAll(async () => {
    worlds = [await makeModerated(), await makeModerated()];
    await alignPeople(worlds);
    await alignPairs(worlds);
  });
  afterAll(() => Promise.all(worlds.map(closeWorld)));

  const transcripts = (seed: number, options: Omit<Options, 'authors'> = {}) =>
    Promise.all([
      runHistory(worlds[0], seed, { authors: ['b', 'c'], ...options }),
      runHistory(worlds[1], seed, { authors: ['c', 'b'], ...options }),
    ]);

  test('give a reader and the moderators the same response bytes (R48)', async () => {
    let told = '';
    let decided = '';
    for (let n = 1; n <= histories; n += 1) {
      const seed = historySeed(n);
      const [one, other] = await transcripts(seed);
      expect(firstDifference(one.reader, other.reader), `history ${seed}`).toBeNull();
      expect(firstDifference(one.moderators, other.moderators), `history ${seed}`).toBeNull();
      told += one.reader.join('\n');
      decided += one.moderators.join('\n');
    }
    // The transcripts are not equal because nothing happened.
    for (const outcome of ['waiting', 'broken', 'fine'])
      expect(told).toContain(String.raw`\"outcome\":\"${outcome}\"`);
    expect(told).toMatch(/\n\[404/u);
    expect(decided).toMatch(/resolve [^\n]*\n\[200/u);
    expect(decided).toMatch(/reveal [^\n]*\n\[200[^\n]*words of/u);
    expect(decided).toContain(String.raw`\"kind\":\"remove\"`);
    expect(decided).toContain(String.raw`\"points\":\"none\"`);
  });

  test('are told apart if a decision takes away what its author wrote elsewhere (R48)', async () => {
    let isTold = false;
    for (let seed = 1; seed <= 4 && !isTold; seed += 1) {
      const [one, other] = await transcripts(seed, { isAuthorWide: true });
      isTold = firstDifference(one.reader, other.reader) !== null;
    }
    expect(isTold).toBe(true);
  });

  test('differ after a sanction by what its person did not say, and by nothing else (SC-37)', async () => {
    let [differing, silenced, byChoice] = [0, 0, 0];
    const paths = new Map<string, number>();
    for (let n = 1; n <= sanctioned; n += 1) {
      const seed = historySeed(n);
      const [one, other] = await transcripts(seed, { hasSanctions: true });
      if (firstDifference(one.reader, other.reader)) differing += 1;
      // Where nothing was refused, in either world, nothing differs.
      if (one.refused.size + other.refused.size === 0)
        expect(firstDifference(one.reader, other.reader), `history ${seed}`).toBeNull();
      // Moderators see no difference, whoever falls silent.
      expect(firstDifference(one.moderators, other.moderators), `history ${seed}`).toBeNull();
      // The other authors, no sanctions, and the same words unsaid.
      for (const [which, { reader, refused, byName }] of [one, other].entries()) {
        silenced += refused.size;
        for (const number of refused) {
          const { path = '' } = byName.get(number) ?? {};
          paths.set(path, (paths.get(path) ?? 0) + 1);
        }
        const authors = which === 0 ? (['c', 'b'] as const) : (['b', 'c'] as const);
        const quiet = await runHistory(worlds[1 - which] as ModeratedWorld, seed, {
          authors,
          silent: refused,
        });
        expect(firstDifference(quiet.reader, reader), `history ${seed}, ${authors[0]} wrote x`).toBeNull();
        expect(quiet.byName).toEqual(byName);
        expect(quiet.refused.size).toBe(0);
        byChoice += 1;
      }
    }
    console.log(
      `with sanctions ${differing} of ${sanctioned} histories differ for a reader; ${silenced} calls by name were refused ` +
        `(${[...paths].map(([path, times]) => `${path} ${times}`).join(', ')}); with the same silence by choice ` +
        `and swapped authors ${byChoice} of ${byChoice} are equal`,
    );
    expect(differing).toBeGreaterThan(sanctioned / 2);
    // Every voice is silenced somewhere.
    for (const { path } of [commentOnVent, createVent, updateDetails, matchSuggestions, react])
      expect(paths.get(path), path).toBeGreaterThan(0);
  });

  test('are told apart from a silence by choice if a sanction takes away what its person said before (SC-37)', async () => {
    let isTold = false;
    for (let seed = 1; seed <= 4 && !isTold; seed += 1) {
      const one = await runHistory(worlds[0], seed, {
        authors: ['b', 'c'],
        hasSanctions: true,
        isAuthorWide: true,
      });
      const quiet = await runHistory(worlds[1], seed, { authors: ['c', 'b'], silent: one.refused });
      isTold = firstDifference(one.reader, quiet.reader) !== null;
    }
    expect(isTold).toBe(true);
  });
});
