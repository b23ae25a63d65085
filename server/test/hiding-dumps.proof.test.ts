import {
  changeUsername,
  commentOnVent,
  createVent,
  hide,
  matchSuggestions,
  rejectMatch,
  setMutes,
} from '@unsaid/contract';
import { expect, test } from 'vitest';
import { addDays, today } from '../src/platform/clock.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
import { usePool, useTestApp } from './app.ts';
import { passNight } from './community.ts';
import { makeUser, type Person } from './factories.ts';
import { seeded } from './statistics.ts';

/**
 * The attacker has a dump of every night. Hiding a name changes the encrypted choices of an account. If it also wrote a
 * row of matching that looks like no other, the two together would join the account to its pair key, and so to all of
 * its pairs. People read matches, say no, comment under names, mute words and hide each other. Nobody says yes: two yeses
 * are moved from week to week, which would only be noise for the attacker.
 */

const app = useTestApp({ limitsScale: 100_000, logLevel: 'silent' });
const rows = usePool(app);
const size = { people: 40, days: 10, doings: 20, hiders: 10 };

interface SeenPair {
  readonly keys: readonly [string, string];
  readonly week: string;
  readonly details: string;
}

interface Night {
  readonly day: string;
  /** Sealed choices by account. */
  readonly choices: ReadonlyMap<string, string>;
  readonly pairs: ReadonlyMap<string, SeenPair>;
}

async function dumpNight(): Promise<Night> {
  const { rows: choices } = await rows.query<{ id: string; sealed: string }>(
    'select user_id::text as id, md5(sealed) as sealed from identity.choices',
  );
  const { rows: pairs } = await rows.query<SeenPair & { id: string; a: string; b: string }>(
    `select id::text, encode(a_key, 'hex') as a, encode(b_key, 'hex') as b, week::text, md5(details) as details
       from matching.pairs`,
  );
  return {
    day: today(app.clock),
    choices: new Map(choices.map(({ id, sealed }) => [id, sealed])),
    pairs: new Map(pairs.map(({ id, a, b, ...pair }) => [id, { ...pair, keys: [a, b] as const }])),
  };
}

interface Hidden {
  readonly by: Person;
  readonly whom: Person;
}

async function liveTogether() {
  const random = seeded(71);
  const people: Person[] = [];
  for (let n = 0; n < size.people; n += 1) {
    const as = await makeUser(app);
    await app.call(changeUsername, { as, body: { newUsername: `member_${n}` } });
    people.push(as);
  }
  const hiders = random.shuffle(people).slice(0, size.hiders);
  const said: { readonly ventId: string; readonly commentId: string; readonly by: Person }[] = [];
  const vents: string[] = [];
  await passNight(app);
  const nights = [await dumpNight()];
  /** By the night after it. */
  const hidden: Hidden[][] = [[]];
  for (let day = 0; day < size.days; day += 1) {
    for (let n = 0; n < size.doings; n += 1) {
      app.clock.advance(60_000 * (1 + random.below(20)));
      const as = random.pick(people);
      if (vents.length === 0 || random.below(4) === 0) {
        const body = { title: 'A', text: 'rain', emotion: 'Sad' } as const;
        vents.push((await app.call(createVent, { as, body })).body.vent?._id ?? '');
      } else {
        const ventId = random.pick(vents.slice(-20));
        const body = { ventId, anonymous: false, text: 'sun' };
        const { comment } = (await app.call(commentOnVent, { as, body })).body;
        if (comment.userId.username !== null) said.push({ ventId, commentId: comment._id, by: as });
      }
      const { matches } = (await app.call(matchSuggestions, { as })).body;
      if (matches.length > 0 && random.below(3) === 0)
        await app.call(rejectMatch, { as, body: { matchId: random.pick(matches)._id } });
    }
    const today: Hidden[] = [];
    for (let n = 0; n < 2; n += 1) {
      const by = random.pick(hiders);
      const others = said.slice(-40).filter((one) => one.by !== by);
      if (others.length === 0) continue;
      const { ventId, commentId, by: whom } = random.pick(others);
      const about = { kind: 'name', ventId, commentId } as const;
      const answer = await app.call(hide, { as: by, body: { about } });
      expect(answer.status, answer.text).toBe(200);
      today.push({ by, whom });
      const word = `w${random.below(1000)}`;
      await app.call(setMutes, {
        as: random.pick(people),
        body: { words: [word], hashtags: [], emotions: [] },
      });
    }
    await passNight(app);
    await app.deps.backgroundDone();
    nights.push(await dumpNight());
    hidden.push(today);
  }
  return { people, nights, hidden };
}

/** For each hider the keys of pairs that were made final on a day on which their choices changed. */
function joinHiders(nights: readonly Night[], hiders: readonly Person[]) {
  const changes = nights.slice(1).map((night, n) => {
    const before = nights[n] as Night;
    const finals = [...night.pairs].filter(
      ([id, pair]) => !before.pairs.has(id) && pair.week <= addDays(before.day, -27),
    );
    return {
      changed: [...night.choices].filter(([id, sealed]) => before.choices.get(id) !== sealed),
      keys: finals.flatMap(([, { keys }]) => keys),
    };
  });
  const found = { hiders: hiders.length, asked: 0, right: 0, chance: 1 / size.people };
  for (const { userId } of hiders) {
    const scores = new Map<string, number>();
    for (const { changed, keys } of changes)
      if (changed.some(([id]) => id === String(userId)))
        for (const key of keys) scores.set(key, (scores.get(key) ?? 0) + 1 / changed.length);
    const best = Math.max(...scores.values());
    const top = [...scores].filter(([, score]) => score > best - 1e-9).map(([key]) => key);
    if (top.length === 0) continue;
    found.asked += 1;
    if (top.some((key) => app.pairKeys.decode(Buffer.from(key, 'hex')) === userId))
      found.right += 1 / top.length;
  }
  return found;
}

test('dumps of every night join nobody who hid a name to a pair key, and would if hiding wrote a pair (R34)', async () => {
  const { nights, hidden } = await liveTogether();
  const hiders = [...new Set(hidden.flat().map(({ by }) => by))];
  expect(hiders.length).toBeGreaterThan(5);
  const real = joinHiders(nights, hiders);
  const keyOf = ({ userId }: Person, week: string) => app.pairKeys.encode(userId, week).toString('hex');
  let made = 0;
  const planted = nights.map((night, n) => {
    // What hiding wrote before: a pair that was never made by a search, too old to be one of that day.
    const all = hidden.slice(0, n + 1).flatMap((one, of) =>
      one.map(({ by, whom }): [string, SeenPair] => {
        const week = weekOf(addDays(nights[of]?.day ?? '', -29));
        const keys = [keyOf(by, week), keyOf(whom, week)] as const;
        return [`final ${keys.join(' ')}`, { keys, week, details: '' }];
      }),
    );
    made = all.length;
    return { ...night, pairs: new Map([...night.pairs, ...all]) };
  });
  const leaked = joinHiders(planted, hiders);
  console.log(JSON.stringify({ hides: hidden.flat().length, made, real, leaked }));
  expect(leaked.right).toBeGreaterThan(leaked.hiders / 3);
  expect(real.asked).toBe(0);
});
