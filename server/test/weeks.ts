import { createHash } from 'node:crypto';
import {
  changeUsername,
  commentOnVent,
  createVent,
  deleteAccount,
  emotions,
  getSelf,
  hide,
  listVents,
  matchSuggestions,
  updateDetails,
} from '@unsaid/contract';
import type pg from 'pg';
import type { AccountFacts } from '../src/identity/facts/account-facts.ts';
import { dayMs, today, type Day } from '../src/platform/clock.ts';
import type { TestApp } from './app.ts';
import { dump, passNight, type Dump } from './community.ts';
import { markConfirmed, signIn, type Person } from './factories.ts';
import { readFacts } from './facts.ts';
import { accept, readPairs, reject } from './pairs.ts';
import { seeded } from './statistics.ts';

/**
 * A community that lives for weeks: people join day by day, visit, fall silent, come back, hide somebody and leave. A
 * community that joins on one day hides that days name people.
 */
export interface Weeks {
  readonly people: number;
  readonly days: number;
  /** Days between the first and the last visit of a person, on average. */
  readonly stayDays: number;
}

export interface WeeksTruth {
  /** By vent id. */
  readonly authorOf: ReadonlyMap<string, string>;
  /** The account of each pair key, in hex. */
  readonly accountOf: ReadonlyMap<string, string>;
  /** Who took no comments from the beginning, by name. */
  readonly closed: ReadonlySet<string>;
  /** What the accounts store encrypted, by name. */
  readonly accounts: ReadonlyMap<string, AccountFacts>;
  /** The day on which each pair was made, by id. */
  readonly madeOn: ReadonlyMap<string, Day>;
}

export interface StolenWeeks {
  /** All schemas, after the jobs of the last night. */
  readonly copy: Dump;
  readonly truth: WeeksTruth;
  readonly people: number;
  /** What the site shows: on which days somebody commented under their name. */
  readonly shown: readonly { readonly name: string; readonly day: Day }[];
  /** The first and the last day of the community, as numbers. */
  readonly days: { readonly first: number; readonly last: number };
}

interface Member {
  person: Person;
  readonly name: string;
  /** The last day of their stay. */
  readonly until: number;
  /** How likely a visit is on a day of their stay. */
  readonly habit: number;
  /** They return once, on this day. */
  readonly returnsOn: number | null;
  hasLeft: boolean;
}

export async function liveForWeeks(
  app: TestApp,
  rows: pg.Pool,
  { people, days, stayDays }: Weeks,
  seed: number,
): Promise<StolenWeeks> {
  const random = seeded(seed);
  const chance = (share: number) => random.next() < share;
  const members: Member[] = [];
  const authorOf = new Map<string, string>();
  const closed = new Set<string>();
  const vents: { id: string }[] = [];
  const shown: { readonly name: string; readonly day: Day }[] = [];

  async function post({ person, name }: Member): Promise<void> {
    const body = { title: `Of ${name}`, text: `day ${vents.length}`, emotion: random.pick(emotions) };
    const { vent } = (await app.call(createVent, { as: person, body })).body;
    if (!vent) return;
    vents.push({ id: vent._id });
    authorOf.set(String(app.deps.publicIds.vent.decode(vent._id)), name);
  }

  async function join(day: number): Promise<Member> {
    const person = await signIn(app);
    // In no order: people choose names.
    const name = `s_${createHash('sha256').update(`${seed} ${members.length}`).digest('hex').slice(0, 12)}`;
    await app.call(changeUsername, { as: person, body: { newUsername: name } });
    const feelings = emotions.filter(() => chance(0.3)).slice(0, 3);
    const allowComments = !chance(0.08);
    if (!allowComments) closed.add(name);
    await app.call(updateDetails, { as: person, body: { feelings, allowComments } });
    const until = day + Math.floor(-Math.log(1 - random.next()) * stayDays);
    const member: Member = {
      person,
      name,
      until,
      habit: 0.25 + random.next() * 0.4,
      returnsOn: chance(0.2) ? until + 14 + random.below(14) : null,
      hasLeft: false,
    };
    members.push(member);
    return member;
  }

  async function visit(member: Member, isFirst: boolean): Promise<void> {
    if ((await app.call(getSelf, { as: member.person })).status !== 200)
      member.person = await signIn(app, member.person.phone);
    const as = member.person;
    await app.call(listVents, { as });
    // Newcomers are curious, and many came to say something.
    if (chance(isFirst ? 0.45 : 0.25)) await post(member);
    if (vents.length > 0 && chance(0.3)) {
      const ventId = random.pick(vents.slice(-20)).id;
      const anonymous = chance(0.5);
      await app.call(commentOnVent, { as, body: { ventId, text: 'I hear you', anonymous } });
      if (!anonymous) shown.push({ name: member.name, day: today(app.clock) });
    }
    if (chance(isFirst ? 0.8 : 0.5)) {
      const { matches } = (await app.call(matchSuggestions, { as })).body;
      for (const { _id } of matches.slice(0, 2))
        if (chance(0.5)) await (chance(0.4) ? accept : reject)(app, as, _id);
      const [one] = matches;
      if (one && chance(0.04)) {
        const peerId = [one.user1._id, one.user2._id].find((id) => id !== as.user._id) ?? '';
        await app.call(hide, { as, body: { about: { kind: 'name', peerId } } });
      }
    }
  }

  for (let day = 0; day < days; day += 1) {
    const due = Math.ceil((people * (day + 1)) / days);
    while (members.length < due) {
      await visit(await join(day), true);
      app.clock.advance(random.below(90) * 60_000);
    }
    for (const member of random.shuffle(members)) {
      if (member.hasLeft) continue;
      const comes = day <= member.until ? chance(member.habit) : member.returnsOn === day;
      if (!comes) continue;
      app.clock.advance(random.below(12) * 60_000);
      await visit(member, false);
      if (day > member.until - 2 && chance(0.05)) {
        await markConfirmed(app, member.person);
        await app.call(deleteAccount, { as: member.person });
        member.hasLeft = true;
      }
    }
    await passNight(app);
  }
  const accounts = new Map<string, AccountFacts>();
  for (const { person, name, hasLeft } of members)
    if (!hasLeft) accounts.set(name, await readFacts(app, person.userId));
  const nameOf = new Map(members.map(({ person, name }) => [person.userId, name]));
  const pairs = await readPairs(app);
  const accountOf = new Map(
    pairs
      .flatMap(({ row }) => [row.aKey, row.bKey])
      .map((key) => [key.toString('hex'), nameOf.get(app.pairKeys.decode(key)) ?? '']),
  );
  const madeOn = new Map(pairs.map(({ row, madeOn: day }) => [String(row.id), day]));
  const last = Math.floor(app.clock.now() / dayMs);
  return {
    copy: await dump(rows),
    truth: { authorOf, accountOf, closed, accounts, madeOn },
    people: members.length,
    shown,
    days: { first: last - days, last },
  };
}
