import type { MatchStatus } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';
import type { PairRow } from './matches.queries.ts';
import { isClosedOn, type Answer, type PairState } from './matches.state.ts';
import type { PairBasis, PairCipher, PairDetails, Side, SideDetails } from './pair-details.ts';

/** A pair decrypted and seen from one side. All functions here are pure. */
export interface PairView {
  readonly row: PairRow;
  readonly details: PairDetails;
  readonly side: Side;
  readonly mine: SideDetails;
  readonly theirs: SideDetails;
  readonly otherKey: Buffer;
  /** Made by my own search. */
  readonly isOwn: boolean;
  readonly state: PairState;
}

/** Without two yeses a pair closes after this. A first yes restarts the period, once. */
const openDays = 14;
export const maxOpenDays = 2 * openDays;
/**
 * Cooldown before two people can be suggested to each other again, from the day the pair was made. It is the same for
 * every answer: otherwise the day of a new suggestion would reveal a no.
 */
const cooldownDays = 90;
const rematchDays = maxOpenDays + cooldownDays;

const unanswered: SideDetails = { answer: 'none', on: null, order: 0, seen: null };

export function newDetails(basis: PairBasis, madeOn: Day): PairDetails {
  return { ...basis, closesOn: addDays(madeOn, openDays), a: unanswered, b: unanswered };
}

/** The day on which an unaccepted pair is deleted. */
export const expiryOf = (madeOn: Day) => addDays(madeOn, rematchDays);

export function viewPair(
  row: PairRow,
  key: Buffer,
  { cipher, today }: { cipher: PairCipher; today: Day },
): PairView {
  const details = cipher.open(row.details, row.aKey, row.bKey);
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
    state: {
      mine: mine.answer,
      theirs: theirs.answer,
      isClosed: isClosedOn(today, { a: details.a.answer, b: details.b.answer, closesOn: details.closesOn }),
    },
  };
}

const isMutual = ({ mine, theirs }: Pick<PairState, 'mine' | 'theirs'>) => mine === 'yes' && theirs === 'yes';

export const isSuggested = ({ state: { mine, isClosed } }: PairView) => mine === 'none' && !isClosed;

/** Open or mutual: the two see each other's profile and current name. */
export const isLive = ({ state }: PairView) => isMutual(state) || (state.mine !== 'no' && !state.isClosed);

/** The day from which a pair counts as deleted whose two yeses ended: it leaves the history of both like any other. */
function endOf({ row, details }: Pick<PairView, 'row' | 'details'>): Day {
  const [byStart, byClosing] = [expiryOf(row.madeOn), addDays(details.closesOn, cooldownDays)];
  return byStart > byClosing ? byStart : byClosing;
}

/** Treated as deleted. The nightly job deletes the row, unless both had accepted. */
export function isExpired(pair: PairView, today: Day): boolean {
  const end = pair.row.forgetOn ?? (isMutual(pair.state) ? null : endOf(pair));
  return end !== null && end <= today;
}

/** A pair that I never answered is not part of my history. */
export function isInHistory(pair: PairView, today: Day): boolean {
  const { mine, theirs, isClosed } = pair.state;
  return mine !== 'none' && !isExpired(pair, today) && (mine === 'no' || theirs === 'yes' || isClosed);
}

/** A day and a sequence number within it. */
export interface Moment {
  readonly day: Day;
  readonly order: number;
}

const momentOf = ({ on, order }: Pick<SideDetails, 'on' | 'order'>): Moment => ({ day: on ?? '', order });

/** Positive if `one` is later than `other`. */
export function compareMoments(one: Moment, other: Moment): number {
  return one.day.localeCompare(other.day) || one.order - other.order;
}

/** When I said yes, or they did as I see it. */
export const saidYesAt = (pair: PairView, whose: 'mine' | 'theirs') =>
  momentOf(pair[whose].takenBack ?? pair[whose]);

/** Their yes as I see it: one that was taken back looks like one that stands. */
export const hasTheirYes = ({ theirs }: PairView) =>
  theirs.answer === 'yes' || theirs.takenBack !== undefined;

/** I said yes and took it back. */
export const isTakenBack = ({ mine }: PairView) => mine.takenBack !== undefined;

/** When the pair reached this status. */
export function lastChangeOf(pair: PairView, status: MatchStatus): Moment {
  const [mine, theirs] = [momentOf(pair.mine), momentOf(pair.theirs)];
  if (status === 'accepted') return compareMoments(mine, theirs) > 0 ? mine : theirs;
  return status === 'closed' ? { day: pair.details.closesOn, order: mine.order } : mine;
}

/** The next sequence number among today's answers. */
export function nextSequence(details: readonly PairDetails[], today: Day): number {
  const orders = details.flatMap(({ a, b }) => [a, b]).map(({ on, order }) => (on === today ? order : 0));
  return 1 + Math.max(0, ...orders);
}

type GivenAnswer = Exclude<Answer, 'none'>;

/** A no changes no deadline: otherwise the other person could infer it. Two yeses never expire. */
function deadlinesAfter(
  { row, details, theirs }: PairView,
  answer: GivenAnswer,
  today: Day,
): { closesOn: Day; forgetOn: Day | null } {
  const isAccepted = answer === 'yes' && theirs.answer === 'yes';
  const latest = addDays(row.madeOn, maxOpenDays);
  const extended = addDays(today, openDays);
  const restarted = extended < latest ? extended : latest;
  return {
    closesOn: answer === 'no' || isAccepted ? details.closesOn : restarted,
    forgetOn: isAccepted ? null : row.forgetOn,
  };
}

export interface StoredPair {
  readonly details: PairDetails;
  readonly forgetOn: Day | null;
}

/** The stored values of a pair after my answer. */
export function applyAnswer(
  pair: PairView,
  answer: GivenAnswer,
  { today, order, seen }: { readonly today: Day; readonly order: number; readonly seen: SideDetails['seen'] },
): StoredPair {
  const { closesOn, forgetOn } = deadlinesAfter(pair, answer, today);
  const { mine } = pair;
  const answered: SideDetails = {
    answer,
    on: today,
    order,
    seen: seen ?? mine.seen,
    ...(mine.answer === 'yes' && { takenBack: { on: mine.on, order: mine.order } }),
  };
  return { details: { ...pair.details, closesOn, [pair.side]: answered }, forgetOn };
}

/**
 * The stored values after I hid the other person: a no like any other. Two yeses close today, and their row stays as long
 * as it would have: a new end would tell dumps of two days that somebody hid somebody.
 */
export function endPair(pair: PairView, answered: Parameters<typeof applyAnswer>[2]): StoredPair {
  const { details, forgetOn } = applyAnswer(pair, 'no', answered);
  return { details: isMutual(pair.state) ? { ...details, closesOn: answered.today } : details, forgetOn };
}
