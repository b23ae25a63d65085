import { emotions, limits, type Emotion, type MatchPreference } from '@unsaid/contract';
import type { StandingService } from '../standing/standing.service.ts';
import { addDays, dayMs, startOfDay, today, type Clock, type Day } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { MatchFacts, ProfilesService } from '../profiles/profiles.service.ts';
import { noWeights } from './emotion-space.ts';
import { foldWord } from './folded-words.ts';
import { drawShuffle, type Feelings, type ProfileCodec } from './match-profile.codec.ts';
import {
  awayDays,
  enoughFound,
  inTurn,
  likely,
  newcomerDays,
  planEverywhere,
  planFor,
  searchSize,
  shortlist,
  type Glimpse,
} from './matches.choice.ts';
import * as queries from './matches.queries.ts';
import { exactScore, isThin, matchScore, tagWorth, type Matchable, type TagWorth } from './matches.score.ts';
import type { PairDetails } from './pair-details.ts';

/**
 * Who fits whom. Feelings are read as the newest rebuild left them, on both sides: a pair is shown to two
 * people, and the feelings of this minute would tell the other one who has just vented (docs/adr/0005). What
 * people say of themselves in their profile is read as it stands now.
 */
export interface Matchmaker {
  /** Those to propose to somebody, in turn, without those in `known`; more than will be needed. */
  search(userId: bigint, known: ReadonlySet<bigint>): Promise<Proposal[]>;
  /** Looks at given pairs again. Whoever has left is not in the answer. */
  judge(userId: bigint, others: readonly bigint[]): Promise<ReadonlyMap<bigint, Judged>>;
}

export interface Judged {
  readonly details: PairDetails;
  readonly isThin: boolean;
  /** The rebuild whose feelings were weighed. */
  readonly generation: number;
}

export interface Proposal {
  readonly userId: bigint;
  /** Worked out when it is wanted: most proposals never become a pair. */
  judge(): Judged;
}

interface MatchmakerDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly codec: ProfileCodec;
  readonly profiles: ProfilesService;
  readonly standing: StandingService;
  readonly minAuthors: number;
}

interface Known {
  readonly generation: number;
  readonly worth: TagWorth;
  readonly isCommon: (emotion: Emotion) => boolean;
}

interface Candidate extends Glimpse {
  readonly userId: bigint;
}

export function createMatchmaker(deps: MatchmakerDeps): Matchmaker {
  const { db, clock, seals, codec, profiles, standing, minAuthors } = deps;
  let counted: Known | null = null;

  /** What the newest rebuild counted, kept until the next one. */
  async function whatIsKnown(): Promise<Known> {
    const generation = await queries.currentGeneration(db.matching);
    if (counted?.generation !== generation) {
      const [authors, tags] = await Promise.all([
        queries.listEmotionAuthors(db.matching),
        queries.listTagPeople(db.matching),
      ]);
      const worthByTag = new Map(tags.map(({ tag, people }) => [tag, tagWorth(people)]));
      const common = new Set(authors.filter((row) => row.authors >= minAuthors).map((row) => row.emotion));
      counted = {
        generation,
        worth: (tag) => worthByTag.get(tag) ?? 1,
        isCommon: (emotion) => common.has(emotion),
      };
    }
    return counted;
  }

  function toMatchable(
    feelings: Pick<Feelings, 'weights' | 'tags'> | undefined,
    facts: MatchFacts,
    daysSince: (day: Day) => number,
  ): Matchable {
    return {
      weights: feelings?.weights ?? noWeights,
      tags: feelings?.tags ?? [],
      likes: new Set([...facts.interests, ...facts.likes].map(foldWord)),
      dislikes: new Set(facts.dislikes.map(foldWord)),
      preference: facts.preference,
      daysAway: daysSince(facts.lastSeenOn),
    };
  }

  async function readFeelings(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Feelings>> {
    const rows = await queries.findProfiles(db.matching, userIds.map(seals.matchKey));
    const feelings = codec.openAll(Buffer.concat(rows.map(({ sealed }) => sealed)));
    const ids = seals.openMatchKeys(Buffer.concat(rows.map(({ matchKey }) => matchKey)));
    return new Map(ids.map((id, n) => [id, feelings[n] as Feelings]));
  }

  function take({ keys, sealed }: { readonly keys: Buffer; readonly sealed: Buffer }): Candidate[] {
    const feelings = codec.openAll(sealed);
    const daysSince = countDaysUntil(today(clock));
    return seals.openMatchKeys(keys).map((userId, n) => {
      const { weights, tags, lastActiveOn } = feelings[n] as Feelings;
      return { userId, weights, tags, daysAway: daysSince(lastActiveOn) };
    });
  }

  async function readCells(me: Matchable): Promise<Candidate[]> {
    const plan = planFor(me);
    const found = take(await queries.searchCells(db.matching, plan, drawShuffle()));
    if (found.length >= enoughFound) return found.slice(0, searchSize * 2);
    return take(await queries.searchCells(db.matching, planEverywhere(plan), drawShuffle()));
  }

  function judgePair(me: Side, other: Side, { generation, worth, isCommon }: Known): Judged {
    return {
      generation,
      isThin: isThin(me.matchable, other.matchable),
      details: {
        score: matchScore(me.matchable, other.matchable, worth),
        emotions: commonEmotions(me.matchable, other.matchable, isCommon),
        reasons: reasonsFor(me.facts, other.facts),
      },
    };
  }

  return {
    async search(userId, known) {
      const [knowledge, myFacts, myFeelings] = await Promise.all([
        whatIsKnown(),
        profiles.matchFacts([userId]),
        readFeelings([userId]),
      ]);
      const facts = myFacts.get(userId);
      if (!facts) return [];
      const daysSince = countDaysUntil(today(clock));
      const me = { facts, matchable: toMatchable(myFeelings.get(userId), facts, daysSince) };
      const candidates = (await readCells(me.matchable)).filter(
        (one) => one.userId !== userId && !known.has(one.userId),
      );
      const promising = shortlist(me.matchable, candidates, knowledge.worth);
      const theirFacts = await profiles.matchFacts(promising.map((one) => one.userId));
      const oldest = addDays(today(clock), -awayDays);
      const newSince = addDays(today(clock), -newcomerDays);
      const scored = promising.flatMap(({ userId: otherId, ...feelings }) => {
        const other = theirFacts.get(otherId);
        if (!other || other.lastSeenOn < oldest) return [];
        const side = { facts: other, matchable: toMatchable(feelings, other, daysSince) };
        return [
          {
            userId: otherId,
            side,
            score: exactScore(me.matchable, side.matchable, knowledge.worth),
            isNewcomer: other.createdOn > newSince,
          },
        ];
      });
      const best = likely(scored).map((one) => ({
        ...one,
        person: one.side.facts.person,
        pairKey: seals.pairKey(one.userId),
      }));
      const [suspended, waiting] = await Promise.all([
        standing.suspendedAmong(best.map(({ person }) => person)),
        queries.countUnanswered(
          db.matching,
          best.map(({ pairKey }) => pairKey),
          today(clock),
        ),
      ]);
      // Blocks, once there are any, are left out here too.
      const allowed = best.filter(({ person }) => !suspended.has(person));
      return inTurn(allowed, ({ pairKey }) => waiting.get(pairKey.toString('hex')) ?? 0).map(
        ({ userId: otherId, side }) => ({
          userId: otherId,
          judge: () => judgePair(me, side, knowledge),
        }),
      );
    },

    async judge(userId, others) {
      const all = [userId, ...others];
      const [knowledge, facts, feelings] = await Promise.all([
        whatIsKnown(),
        profiles.matchFacts(all),
        readFeelings(all),
      ]);
      const daysSince = countDaysUntil(today(clock));
      const sides = new Map(
        [...facts].map(([id, one]) => [
          id,
          { facts: one, matchable: toMatchable(feelings.get(id), one, daysSince) },
        ]),
      );
      const me = sides.get(userId);
      if (!me) return new Map();
      return new Map(
        others.flatMap((id) => {
          const other = sides.get(id);
          return other ? [[id, judgePair(me, other, knowledge)] as const] : [];
        }),
      );
    },
  };
}

/** A search asks for a thousand people, who were last here on a few days. */
function countDaysUntil(until: Day): (day: Day) => number {
  const counted = new Map<Day, number>();
  return (day) => {
    let count = counted.get(day);
    if (count === undefined) {
      count = Math.max(0, Math.round((startOfDay(until) - startOfDay(day)) / dayMs));
      counted.set(day, count);
    }
    return count;
  };
}

interface Side {
  readonly facts: MatchFacts;
  readonly matchable: Matchable;
}

/** What both have felt lately and enough others too, so that it points at nobody's vent; the strongest first. */
function commonEmotions(
  { weights: mine }: Matchable,
  { weights: theirs }: Matchable,
  isCommon: (emotion: Emotion) => boolean,
): Emotion[] {
  return emotions
    .map((emotion, n) => ({ emotion, strength: Math.min(mine[n] ?? 0, theirs[n] ?? 0) }))
    .filter(({ emotion, strength }) => strength > 0 && isCommon(emotion))
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, limits.commonEmotions)
    .map(({ emotion }) => emotion);
}

const sameWish = {
  'Similar Emotions': 'both_similar',
  'Different Emotions': 'both_different',
  Balanced: 'both_balanced',
} as const satisfies Record<MatchPreference, string>;

/** From what both say of themselves, never from what they vent: a tag would lead to the vent. */
function reasonsFor(mine: MatchFacts, theirs: MatchFacts): PairDetails['reasons'] {
  const liked = new Set([...mine.interests, ...mine.likes].map(foldWord));
  const shared = new Map(
    [...theirs.interests, ...theirs.likes]
      .filter((item) => liked.has(foldWord(item)))
      .map((item) => [foldWord(item), item]),
  );
  const wish = mine.preference !== null && mine.preference === theirs.preference ? mine.preference : null;
  const interests = [...shared.values()].map((about) => ({ kind: 'shared_interest' as const, about }));
  return [
    ...interests.slice(0, wish ? 1 : limits.matchReasons),
    ...(wish ? [{ kind: sameWish[wish], about: null }] : []),
  ];
}
