import type { MatchStatus } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';
import type { PairRow } from './matches.queries.ts';
import { isClosedOn, statusFor, type Answer, type Stance } from './matches.state.ts';
import type { MadeDetails, PairBox, PairDetails, Side, SideDetails } from './pair-details.ts';

/** A pair as one of the two stands in it, decrypted once. Everything below is pure. */
export interface PairView {
  readonly row: PairRow;
  readonly details: PairDetails;
  readonly side: Side;
  readonly mine: SideDetails;
  readonly theirs: SideDetails;
  readonly otherKey: Buffer;
  /** Made by my own search. */
  readonly isOwn: boolean;
  readonly stance: Stance;
}

/** Without two yeses a pair closes after this; the days begin again with a first yes, once. */
const openDays = 14;
export const mostOpenDays = 2 * openDays;
/**
 * How long two people are not suggested to each other again, counted from the day it was made. One rule whatever was
 * answered: otherwise the day on which somebody comes back would tell whether they had said no.
 */
const apartDays = mostOpenDays + 90;

const unanswered: SideDetails = { answer: 'none', on: null, order: 0, seen: null };

/** The encrypted part of a pair that nobody has answered yet. */
export function newDetails(made: MadeDetails, madeOn: Day): PairDetails {
  return { ...made, closesOn: addDays(madeOn, openDays), a: unanswered, b: unanswered };
}

export const forgottenFrom = (madeOn: Day) => addDays(madeOn, apartDays);

export function viewPair(row: PairRow, key: Buffer, { box, today }: { box: PairBox; today: Day }): PairView {
  const details = box.open(row.details, row.aKey, row.bKey);
  const side: Side = row.aKey.equals(key) ? 'a' : 'b';
  const [mine, theirs] = side === 'a' ? [details.a, details.b] : [details.b, details.a];
  return {
    row,
    details,
    side,
    mine,
    theirs,
    otherKey: side === 'a' ? row.bKey : row.aKey,
    isOwn: row.isAskedByA === (side === 'a'),
    stance: {
      mine: mine.answer,
      theirs: theirs.answer,
      isClosed: isClosedOn(today, { a: details.a.answer, b: details.b.answer, closesOn: details.closesOn }),
    },
  };
}

const isMutual = ({ mine, theirs }: Pick<Stance, 'mine' | 'theirs'>) => mine === 'yes' && theirs === 'yes';

export const isSuggested = ({ stance: { mine, isClosed } }: PairView) => mine === 'none' && !isClosed;

/** Open or mutual: the two may see each other's profile and name as they are now. */
export const isLive = ({ stance }: PairView) =>
  isMutual(stance) || (stance.mine !== 'no' && !stance.isClosed);

/** The nightly job deletes it; until then it is as good as deleted. */
export const isForgotten = ({ row }: PairView, today: Day) => row.forgetOn !== null && row.forgetOn <= today;

/** What one never answered is nothing that happened. */
export function isPast(pair: PairView, today: Day): boolean {
  const { mine, theirs, isClosed } = pair.stance;
  return mine !== 'none' && !isForgotten(pair, today) && (mine === 'no' || theirs === 'yes' || isClosed);
}

/** A day, and the position in it. */
export interface Moment {
  readonly day: Day;
  readonly order: number;
}

const momentOf = ({ on, order }: SideDetails): Moment => ({ day: on ?? '', order });

/** Above 0 where the first came later. */
export function later(one: Moment, other: Moment): number {
  return one.day.localeCompare(other.day) || one.order - other.order;
}

export const answeredAt = (pair: PairView, whose: 'mine' | 'theirs') => momentOf(pair[whose]);

/** When it came to this status. */
export function lastChange(pair: PairView, status: MatchStatus): Moment {
  const [mine, theirs] = [momentOf(pair.mine), momentOf(pair.theirs)];
  if (status === 'accepted') return later(mine, theirs) > 0 ? mine : theirs;
  return status === 'closed' ? { day: pair.details.closesOn, order: mine.order } : mine;
}

export const shownStatus = (pair: PairView) => statusFor(pair.stance);

/** The next position among the answers of a day, in the pairs that either of two people can see. */
export function nextOrder(details: readonly PairDetails[], today: Day): number {
  const orders = details.flatMap(({ a, b }) => [a, b]).map(({ on, order }) => (on === today ? order : 0));
  return 1 + Math.max(0, ...orders);
}

/** The pair after an answer of mine. A no moves no day, so that it cannot be found out. */
export function withAnswer(
  { row, details, side, mine, theirs }: PairView,
  given: Exclude<Answer, 'none'>,
  { today, order, seen }: { readonly today: Day; readonly order: number; readonly seen: SideDetails['seen'] },
): { details: PairDetails; forgetOn: Day | null } {
  const isAccepted = given === 'yes' && theirs.answer === 'yes';
  const latest = addDays(row.madeOn, mostOpenDays);
  const extended = addDays(today, openDays);
  const closesOn = given === 'no' || isAccepted ? details.closesOn : extended < latest ? extended : latest;
  const answered: SideDetails = { answer: given, on: today, order, seen: seen ?? mine.seen };
  return {
    details: { ...details, closesOn, [side]: answered },
    forgetOn: isAccepted ? null : row.forgetOn,
  };
}
