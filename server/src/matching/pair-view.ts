import type { MatchStatus } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';
import { weekOf, weeksFrom } from '../platform/coarse-days.ts';
import type { PairRow } from './matches.queries.ts';
import type { Answer, PairState } from './matches.state.ts';
import type { PairBasis, PairDetails, Side, SideDetails } from './pair-details.ts';

/** A pair decrypted and seen from one side. All functions here are pure. */
export interface PairView {
  readonly row: PairRow;
  readonly details: PairDetails;
  readonly side: Side;
  readonly mine: SideDetails;
  readonly theirs: SideDetails;
  readonly otherId: bigint;
  /** Made by my own search. */
  readonly isOwn: boolean;
  readonly state: PairState;
}

/** Without two yeses a pair closes after this. A first yes restarts the period, once. */
const openDays = 14;
const maxOpenDays = 2 * openDays;
/**
 * Cooldown before two people can be suggested to each other again, from the day the pair was made. It is the same for
 * every answer: otherwise the day of a new suggestion would reveal a no.
 */
const cooldownDays = 90;
const rematchDays = maxOpenDays + cooldownDays;

const unanswered: SideDetails = { answer: 'none', on: null, order: 0, seen: null };

export function newDetails(basis: PairBasis, madeOn: Day): PairDetails {
  return { ...basis, madeOn, closesOn: addDays(madeOn, openDays), a: unanswered, b: unanswered };
}

/** The oldest week with pairs that may be open. Those of two yeses are moved on to the next one while they last. */
export const oldestOpenWeek = (today: Day): Day => weekOf(addDays(today, -maxOpenDays));

/** The weeks with pairs that are mutual or may be open: most rows of a person are ended pairs. */
export const openWeeks = (today: Day): Day[] => weeksFrom(oldestOpenWeek(today), today);

/** The newest week with pairs that may have expired. */
export const newestExpiringWeek = (today: Day): Day => weekOf(addDays(today, -rematchDays));

/** The weeks with pairs that may be stored, ended ones included. */
export const storedWeeks = (today: Day): Day[] => weeksFrom(newestExpiringWeek(today), today);

const isMutual = ({ mine, theirs }: Pick<PairState, 'mine' | 'theirs'>) => mine === 'yes' && theirs === 'yes';

export const isSuggested = ({ state: { mine, isClosed } }: PairView) => mine === 'none' && !isClosed;

/** Open or mutual: the two see each other's profile and current name. */
export const isLive = ({ state }: PairView) => isMutual(state) || (state.mine !== 'no' && !state.isClosed);

/** The day from which a pair counts as deleted. One whose two yeses ended leaves the history of both like any other. */
function endOf({ madeOn, closesOn }: PairDetails): Day {
  const [byStart, byClosing] = [addDays(madeOn, rematchDays), addDays(closesOn, cooldownDays)];
  return byStart > byClosing ? byStart : byClosing;
}

/** Whether both said yes, and neither took it back. */
export const isAccepted = ({ a, b }: PairDetails) => a.answer === 'yes' && b.answer === 'yes';

/** Treated as deleted. The nightly job deletes the row. */
export const isExpired = (details: PairDetails, today: Day): boolean =>
  !isAccepted(details) && endOf(details) <= today;

/** A pair that I never answered is not part of my history. */
export function isInHistory(pair: PairView, today: Day): boolean {
  const { mine, theirs, isClosed } = pair.state;
  return (
    mine !== 'none' && !isExpired(pair.details, today) && (mine === 'no' || theirs === 'yes' || isClosed)
  );
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
function closingAfter({ details, theirs }: PairView, answer: GivenAnswer, today: Day): Day {
  if (answer === 'no' || theirs.answer === 'yes') return details.closesOn;
  const latest = addDays(details.madeOn, maxOpenDays);
  const extended = addDays(today, openDays);
  return extended < latest ? extended : latest;
}

/** What a pair stores after my answer. */
export function applyAnswer(
  pair: PairView,
  answer: GivenAnswer,
  { today, order, seen }: { readonly today: Day; readonly order: number; readonly seen: SideDetails['seen'] },
): PairDetails {
  const { mine } = pair;
  const answered: SideDetails = {
    answer,
    on: today,
    order,
    seen: seen ?? mine.seen,
    ...(mine.answer === 'yes' && { takenBack: { on: mine.on, order: mine.order } }),
  };
  return { ...pair.details, closesOn: closingAfter(pair, answer, today), [pair.side]: answered };
}

/** What it stores after I parted from the other person, or hid them: a no like any other. Two yeses close today. */
export function endPair(pair: PairView, answered: Parameters<typeof applyAnswer>[2]): PairDetails {
  const details = applyAnswer(pair, 'no', answered);
  return isMutual(pair.state) ? { ...details, closesOn: answered.today } : details;
}
