import {
  exportData,
  limits,
  matchHistory,
  pendingMatches,
  type MatchHistoryItem,
  type PendingMatch,
} from '@unsaid/contract';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { markConfirmed } from './make.ts';
import {
  accept,
  ask,
  comeBack,
  distinctInterests,
  join,
  passDays,
  readProfile,
  reject,
  sidesOf,
  workerRound,
  type Member,
  type Seen,
} from './match-walks.ts';

/**
 * A no cannot be told from no answer (R7). Worlds that are alike but for what four people answered to Asha: all that
 * she is shown, refused and suggested, for 120 days, is written down and compared line by line. Ids are drawn anew in
 * each world, so people stand by their names, and suggestions of equal score in the order of names.
 */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 600_000 });

type Reply = 'no' | 'nothing' | 'yes';
const phases = ['same day', 'walk', 'next days', 'closing', 'closed', 'later'] as const;
type Phase = (typeof phases)[number];
type Transcript = Record<Phase, string[]>;

const must = (isTrue: boolean, premise: string) => {
  if (!isTrue) throw new Error(`premise: ${premise}`);
};

async function withApp<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startTestApp({ limitsScale: 1_000_000, logLevel: 'silent' });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** One world. Asha asks; the first, third, fifth and seventh of her ten give the reply. */
async function live(app: TestApp, reply: Reply): Promise<{ transcript: Transcript; again: number | null }> {
  const transcript = Object.fromEntries(phases.map((phase) => [phase, []])) as unknown as Transcript;
  let phase: Phase = 'same day';
  let day = 0;
  const note = (line: string) => void transcript[phase].push(`day ${day}: ${line}`);

  const profiles = distinctInterests(25);
  const asha = await join(app, 'asha', profiles[12]);
  const others: Member[] = [];
  for (const [n, details] of profiles.entries())
    if (n !== 12) others.push(await join(app, `p${String(n).padStart(2, '0')}`, details));
  const signedIn = new Map<Member, number>();
  async function wait(days: number, whoVisits: readonly Member[] = []): Promise<void> {
    await passDays(app, days);
    day += days;
    const isEnding = (member: Member) => day - (signedIn.get(member) ?? 0) > 10;
    for (const member of new Set([asha, ...whoVisits]))
      if (member !== asha || isEnding(asha)) {
        await comeBack(app, member);
        signedIn.set(member, day);
      }
    await workerRound(app);
  }

  /** The nth picture that somebody was seen with. */
  const pictures = new Map<string, string[]>();
  function pictureOf(name: string, picture: string): number {
    const known = pictures.get(name) ?? [];
    if (!known.includes(picture)) known.push(picture);
    pictures.set(name, known);
    return known.indexOf(picture);
  }
  let order: string[] = [];
  /** What stood in a list before goes on standing in the same order. */
  function isInOrder(names: readonly string[]): boolean {
    const before = order.filter((name) => names.includes(name));
    const after = names.filter((name) => order.includes(name));
    order = [...names];
    return before.join() === after.join();
  }
  const suggestion = (seen: Seen) =>
    `${seen.name} picture ${pictureOf(seen.name, seen.other.profilePic)} ${seen.told} ${seen.isMineYes} ${seen.isTheirsYes}`;
  async function suggested(): Promise<Seen[]> {
    const list = await ask(app, asha);
    const lines = list
      .toSorted((a, b) => b.score - a.score || a.name.localeCompare(b.name))
      .map((seen) => suggestion(seen));
    note(`suggestions ${lines.join('; ')}; best first ${isSorted(list)}`);
    note(`order kept ${isInOrder(list.map(({ name }) => name))}`);
    return list;
  }
  const pending = (one: PendingMatch) =>
    `${one.from} ${pictureOf(one.from, one.fromPic)} to ${one.to} ${pictureOf(one.to, one.toPic)} ${one.matchScore} ${one.status}`;
  const past = (one: MatchHistoryItem) => {
    const { other } = sidesOf(asha, one);
    const name = other.username ?? '';
    return `${name} ${pictureOf(name, other.profilePic)} ${one.matchScore} ${one.status} ${one.timestamp}`;
  };
  async function lists(): Promise<Seen[]> {
    const found = await suggested();
    const waiting = await app.call(pendingMatches, { as: asha });
    // In the order in which they are listed: it is that of what Asha did.
    const { receivedMatches, sentMatches } = waiting.body;
    note(`pending ${waiting.status} ${waiting.text.length} bytes`);
    note(`received ${receivedMatches.map(pending).join('; ')}; sent ${sentMatches.map(pending).join('; ')}`);
    const history = await app.call(matchHistory, { as: asha });
    note(
      `history ${history.status} ${history.text.length} bytes: ${history.body.history.map(past).join('; ')}`,
    );
    await markConfirmed(app, asha);
    const { status, body } = await app.call(exportData, { as: asha });
    const { pairs } = body.data['matching'] as { readonly pairs: readonly object[] };
    note(
      `export ${status} ${pairs
        .map((pair) => JSON.stringify(pair))
        .toSorted()
        .join('; ')}`,
    );
    return found;
  }

  // Asha's search makes the pairs, so that they take her places.
  await wait(3, others);
  const first = await suggested();
  must(first.length === 10, `Asha has ten suggestions, not ${first.length}`);
  const ten = first.toSorted((a, b) => b.score - a.score || a.name.localeCompare(b.name));
  const four = [ten[0], ten[2], ten[4], ten[6]] as [Seen, Seen, Seen, Seen];
  const [lapsing, before, after, refusedToo] = four;
  const answerOf = (status: number, code: string | undefined) => `${status} ${code ?? ''}`;
  const saysYes = async (to: Seen) => {
    const { status, body } = await accept(app, asha, to.matchId);
    note(`yes to ${to.name}: ${answerOf(status, body.code)}`);
  };
  const saysNo = async (to: Seen) => {
    const { status, body } = await reject(app, asha, to.matchId);
    note(`no to ${to.name}: ${answerOf(status, body.code)}`);
  };
  const reads = async () => {
    for (const { name, other } of four) {
      const { status, body } = await readProfile(app, asha, other._id);
      const { _id, profilePic, ...rest } = body.user ?? {};
      note(
        `profile of ${name}: ${status} ${body.code ?? ''} ${JSON.stringify(rest)} ` +
          `${profilePic === undefined ? '' : pictureOf(name, profilePic)} ${_id?.length ?? 0}`,
      );
    }
  };

  await saysYes(before);
  for (const { name, matchId } of four) {
    const as = others.find((one) => one.name === name) as Member;
    await app.call(matchHistory, { as });
    if (reply === 'nothing') continue;
    const { status, text } = await (reply === 'no' ? reject : accept)(app, as, matchId);
    must(status === 200, `${name} answers: ${text}`);
  }
  await lists();
  await reads();
  await saysYes(before);
  await saysYes(after);
  for (const answer of [saysNo, saysNo, saysYes]) await answer(refusedToo);
  await lists();
  await reads();

  // After each no, does somebody new come? Where nobody does, that place would have been free already.
  phase = 'walk';
  const isOfFour = ({ name }: Seen) => four.some((one) => one.name === name);
  async function walk(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      const next = (await suggested()).toSorted((a, b) => a.name.localeCompare(b.name));
      const one = next.find((seen) => !isOfFour(seen));
      if (!one) return;
      await saysNo(one);
    }
  }
  await walk();
  await lists();
  phase = 'next days';
  for (let times = 0; times < 2; times += 1) {
    await wait(1);
    await walk();
    await lists();
    await reads();
  }
  phase = 'closing';
  await wait(11);
  for (let times = 0; times < 4; times += 1) {
    await lists();
    await reads();
    await wait(1);
  }
  phase = 'closed';
  for (const one of [lapsing, before, after]) {
    await saysYes(one);
    await saysNo(one);
  }
  await saysYes(refusedToo);
  await saysNo(refusedToo);
  await wait(12, others);
  await lists();
  await reads();
  // Everybody is about: whom Asha is suggested again, and when, is for her own answers to decide.
  phase = 'later';
  let again: number | null = null;
  for (const days of [12, 3, 5, 20, 20, 6, 20, 20]) {
    await wait(days, others);
    const list = await lists();
    await reads();
    for (const one of four) await saysNo(one);
    if (list.some(({ name }) => name === lapsing.name)) again ??= day;
  }
  return { transcript, again };
}

const isSorted = (list: readonly Seen[]) =>
  list.every((seen, n) => n === 0 || seen.score <= (list[n - 1]?.score ?? 0));

/** From where two lines differ on, and not all that is the same before and after it. */
function tellApart(line: string, other: string): string {
  let at = 0;
  while (line[at] === other[at]) at += 1;
  const cut = (text: string) => text.slice(Math.max(0, at - 30), at + 90);
  return `${line.slice(0, 24)} …${cut(line)}… or …${cut(other)}…`;
}

function differing(one: readonly string[], other: readonly string[]): string[] {
  return one.flatMap((line, n) => (line === other[n] ? [] : [tellApart(line, other[n] ?? '')]));
}

describe('whoever was refused, and whoever was not answered', () => {
  const worlds: Partial<Record<Reply | 'once more', Transcript>> = {};
  const compare = (phase: Phase, one: Reply | 'once more' = 'no') =>
    differing(worlds['nothing']?.[phase] ?? [''], worlds[one]?.[phase] ?? []);

  beforeAll(async () => {
    for (const world of ['no', 'nothing', 'once more', 'yes'] as const) {
      const { transcript, again } = await withApp((app) =>
        live(app, world === 'once more' ? 'nothing' : world),
      );
      worlds[world] = transcript;
      console.log(
        `${world}: ${phases.map((phase) => `${transcript[phase].length} lines ${phase}`).join(', ')}; ` +
          `suggested again by day ${again ?? 'never'}`,
      );
    }
    for (const phase of phases) {
      const found = compare(phase);
      const total = worlds['nothing']?.[phase].length ?? 0;
      console.log(`${phase}: ${found.length} of ${total} lines tell a no from nothing`);
      if (found[0]) console.log(`first: ${found[0]}`);
    }
  });

  test('are shown the same in two worlds where nobody answered, so that nothing here is left to chance', () => {
    for (const phase of phases) expect(compare(phase, 'once more'), phase).toEqual([]);
  });

  test('are shown the same lists, profiles and answers on that day', () => {
    expect(compare('same day')).toEqual([]);
  });

  test('are suggested the same people after each no of their own, until nobody is left', () => {
    expect(compare('walk')).toEqual([]);
  });

  test('are shown the same on the days after it', () => {
    expect(compare('next days')).toEqual([]);
  });

  test('are shown the same while the pairs close', () => {
    expect(compare('closing')).toEqual([]);
  });

  test('are answered the same once they have closed', () => {
    expect(compare('closed')).toEqual([]);
  });

  test('are suggested the same people again, on the same day', () => {
    expect(compare('later')).toEqual([]);
  });

  test('are told apart from whoever was accepted, so that an answer can be seen at all', () => {
    expect(compare('same day', 'yes').length).toBeGreaterThan(0);
  });
});

/**
 * Accounts of one person. Thirty search and have Bina; one more has not, because she was found often enough. The no of one of
 * the thirty must not make room, or she would find it out with another account of her own. Nor may a no of hers, or they would know that she refused one of them.
 */
describe('as many accounts as somebody has places, and one more', () => {
  const given: Record<'before' | 'after their no' | 'after her no', boolean> = {
    before: false,
    'after their no': false,
    'after her no': false,
  };

  beforeAll(() =>
    withApp(async (app) => {
      // She fits each of them, and they do not fit each other.
      const wants = 'Different Emotions';
      const bina = await join(app, 'bina', { feelings: ['Sad'], preferences: wants });
      const accounts: Member[] = [];
      for (let n = 0; n <= limits.foundByOthers + limits.foundByNewcomers; n += 1)
        accounts.push(await join(app, `account_${n}`, { feelings: ['Happy'], preferences: wants }));
      await passDays(app, 3);
      const next = accounts.pop() as Member;
      const pairs: string[] = [];
      for (const account of accounts) {
        const pair = (await ask(app, account)).find(({ name }) => name === bina.name);
        must(pair !== undefined, `${account.name} is suggested Bina`);
        pairs.push(pair?.matchId ?? '');
      }
      const isGiven = async () => {
        const list = await ask(app, next);
        // So that no place of its own is missing.
        for (const { matchId } of list) await reject(app, next, matchId);
        return [...list, ...(await ask(app, next))].some(({ name }) => name === bina.name);
      };
      given.before = await isGiven();
      const theirs = await reject(app, accounts[1] as Member, pairs[1] ?? '');
      must(theirs.status === 200, 'one of them says no to her');
      given['after their no'] = await isGiven();
      const hers = await reject(app, bina, pairs[0] ?? '');
      must(hers.status === 200, 'she says no to one of them');
      given['after her no'] = await isGiven();
      console.log(`one account more than places is given her: ${JSON.stringify(given)}`);
    }),
  );

  test('are all she can be found by', () => {
    expect(given.before).toBe(false);
  });

  test('do not tell her by another account of her own that one of them said no', () => {
    expect(given['after their no']).toBe(false);
  });

  test('are not told by one more that she said no to one of them', () => {
    expect(given['after her no']).toBe(false);
  });
});
