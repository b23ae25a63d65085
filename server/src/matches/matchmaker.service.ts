import { emotions, foldHashtag, limits, type Emotion, type MatchPreference } from '@unsaid/contract';
import type { PensService } from '../pens/pens.service.ts';
import { addDays, dayMs, startOfDay, today, type Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { MatchFacts, ProfilesService } from '../profiles/profiles.service.ts';
import { noWeights } from './emotion-space.ts';
import { drawShuffle, type Feelings, type ProfileCodec } from './match-profile.codec.ts';
import {
  awayDays,
  enoughFound,
  newcomerDays,
  planEverywhere,
  planFor,
  searchSize,
  shortlist,
  withNewcomers,
  type Glimpse,
} from './matches.choice.ts';
import * as queries from './matches.queries.ts';
import { isThin, matchScore, tagWorth, type Matchable, type TagWorth } from './matches.score.ts';
import type { PairDetails } from './pair-details.ts';

/**
 * Who fits whom. Feelings are read as the newest rebuild left them, on both sides: a pair is shown to two
 * people, and the feelings of this minute would tell the other one who has just vented (docs/adr/0005). What
 * people say of themselves in their profile is read as it stands now.
 */
export interface Matchmaker {
  /** The best for somebody, best first, without those in `known`; more than will be needed. */
  search(userId: bigint, known: ReadonlySet<bigint>): Promise<Proposal[]>;
  /** Looks at given pairs again. Whoever has left is not in the answer. */
  judge(userId: bigint, others: readonly bigint[]): Promise<ReadonlyMap<bigint, Judged>>;
}

export interface Judged {
  readonly details: PairDetails;
  readonly isThin: boolean;
}

export interface Proposal extends Judged {
  readonly userId: bigint;
}

interface MatchmakerDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly codec: ProfileCodec;
  readonly profiles: ProfilesService;
  readonly pens: PensService;
  readonly minAuthors: number;
}

const keyBytes = 16;

interface Known {
  readonly worth: TagWorth;
  readonly isCommon: (emotion: Emotion) => boolean;
}

interface Candidate extends Glimpse {
  readonly userId: bigint;
}

export function createMatchmaker(deps: MatchmakerDeps): Matchmaker {
  const { db, clock, seals, codec, profiles, pens, minAuthors } = deps;
  let counted: { readonly generation: number; readonly known: Known } | null = null;

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
        known: { worth: (tag) => worthByTag.get(tag) ?? 1, isCommon: (emotion) => common.has(emotion) },
      };
    }
    return counted.known;
  }

  function toMatchable(
    feelings: Pick<Feelings, 'weights' | 'tags'> | undefined,
    facts: MatchFacts,
  ): Matchable {
    return {
      weights: feelings?.weights ?? noWeights,
      tags: feelings?.tags ?? [],
      likes: new Set([...facts.interests, ...facts.likes].map(foldHashtag)),
      dislikes: new Set(facts.dislikes.map(foldHashtag)),
      preference: facts.preference,
      daysAway: daysSince(facts.lastSeenOn),
    };
  }

  const daysSince = (day: string) =>
    Math.max(0, Math.round((startOfDay(today(clock)) - startOfDay(day)) / dayMs));

  async function readFeelings(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Feelings>> {
    const rows = await queries.findProfiles(db.matching, userIds.map(seals.matchKey));
    const feelings = codec.openAll(Buffer.concat(rows.map(({ sealed }) => sealed)));
    const ids = seals.openMatchKeys(Buffer.concat(rows.map(({ matchKey }) => matchKey)));
    return new Map(ids.map((id, n) => [id, feelings[n] as Feelings]));
  }

  function take(found: Buffer): Candidate[] {
    const size = keyBytes + codec.sealedBytes;
    const count = Math.floor(found.length / size);
    const keys = Buffer.alloc(count * keyBytes);
    const sealed = Buffer.alloc(count * codec.sealedBytes);
    for (let n = 0; n < count; n += 1) {
      found.copy(keys, n * keyBytes, n * size, n * size + keyBytes);
      found.copy(sealed, n * codec.sealedBytes, n * size + keyBytes, (n + 1) * size);
    }
    const feelings = codec.openAll(sealed);
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

  function judgePair(me: Side, other: Side, { worth, isCommon }: Known): Judged {
    return {
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
      const me = { facts, matchable: toMatchable(myFeelings.get(userId), facts) };
      const candidates = (await readCells(me.matchable)).filter(
        (one) => one.userId !== userId && !known.has(one.userId),
      );
      const promising = shortlist(me.matchable, candidates, knowledge.worth);
      const theirFacts = await profiles.matchFacts(promising.map((one) => one.userId));
      const oldest = addDays(today(clock), -awayDays);
      const newSince = addDays(today(clock), -newcomerDays);
      const suspended = await pens.suspendedAmong([...theirFacts.values()].map(({ authorKey }) => authorKey));
      // Blocks, once there are any, are left out here too.
      const ranked = promising
        .flatMap(({ userId: otherId, ...feelings }) => {
          const other = theirFacts.get(otherId);
          if (!other || other.lastSeenOn < oldest || suspended.has(other.authorKey.toString('hex')))
            return [];
          const judged = judgePair(me, { facts: other, matchable: toMatchable(feelings, other) }, knowledge);
          return [{ userId: otherId, isNewcomer: other.createdOn > newSince, ...judged }];
        })
        // Equals stand in an order that has nothing to do with who came first.
        .map((one) => ({ one, key: seals.pairKey(one.userId) }))
        .toSorted((a, b) => b.one.details.score - a.one.details.score || a.key.compare(b.key))
        .map(({ one }) => one);
      return withNewcomers(ranked, ({ isNewcomer }) => isNewcomer);
    },

    async judge(userId, others) {
      const all = [userId, ...others];
      const [knowledge, facts, feelings] = await Promise.all([
        whatIsKnown(),
        profiles.matchFacts(all),
        readFeelings(all),
      ]);
      const sides = new Map(
        [...facts].map(([id, one]) => [id, { facts: one, matchable: toMatchable(feelings.get(id), one) }]),
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
  const liked = new Set([...mine.interests, ...mine.likes].map(foldHashtag));
  const shared = new Map(
    [...theirs.interests, ...theirs.likes]
      .filter((item) => liked.has(foldHashtag(item)))
      .map((item) => [foldHashtag(item), item]),
  );
  const wish = mine.preference !== null && mine.preference === theirs.preference ? mine.preference : null;
  const interests = [...shared.values()].map((about) => ({ kind: 'shared_interest' as const, about }));
  return [
    ...interests.slice(0, wish ? 1 : limits.matchReasons),
    ...(wish ? [{ kind: sameWish[wish], about: null }] : []),
  ];
}
