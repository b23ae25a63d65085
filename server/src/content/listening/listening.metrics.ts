import type { Door } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import { addDays, dayInIndia, dayMs, hourMs, startOfDayInIndia } from '../../platform/clock.ts';
import { defineMetrics } from '../../platform/metrics.ts';
import * as queries from './heard.queries.ts';
import { waitingDays } from './waiting-list.ts';

const listeningMetrics = defineMetrics(({ counter, gauge }) => ({
  waiting: gauge('unsaid_waiting_vents', 'Vents that wait for an answer, by how many they have', 'answers'),
  oldestHours: gauge(
    'unsaid_waiting_oldest_hours',
    'Age of the oldest vent without an answer, in whole hours',
  ),
  perVent: gauge('unsaid_answers_per_vent', 'Answers to the vents of yesterday, by vent'),
  draws: counter('unsaid_draws_total', 'Requests for vents that wait, by where they were made', 'door'),
  answers: counter('unsaid_answers_total', 'Comments of others, by where the vent was found', 'door'),
}));

/** Figures of listening for operators. */
export type ListeningFigures = ReturnType<typeof createListeningFigures>;

/** From fewer vents of a day the ratio tells nothing. */
const leastDailyVents = 20;

type FiguresDeps = Pick<ContentBase, 'db' | 'clock' | 'metrics'>;

export function createListeningFigures({ db, clock, metrics }: FiguresDeps) {
  const { waiting, oldestHours, perVent, draws, answers } = listeningMetrics(metrics);
  // Until it is measured there is none: zero would raise an alert.
  perVent.remove();
  const unpublished = { draws: new Map<Door, number>(), answers: new Map<Door, number>() };
  let hour: number | null = null;

  async function measure(now: number): Promise<void> {
    const today = dayInIndia(now);
    const yesterday = {
      from: new Date(startOfDayInIndia(addDays(today, -1))),
      before: new Date(startOfDayInIndia(today)),
    };
    const [rows, day] = await Promise.all([
      queries.countWaiting(db, new Date(now - waitingDays * dayMs)),
      queries.countAnswers(db, yesterday),
    ]);
    const withAnswers = (count: number) => rows.find((row) => row.answers === count);
    for (const count of [0, 1]) waiting.set({ answers: count }, withAnswers(count)?.vents ?? 0);
    const oldestAt = withAnswers(0)?.oldestAt.getTime() ?? now;
    oldestHours.set(Math.floor((now - oldestAt) / hourMs));
    if (day.vents >= leastDailyVents) perVent.set(day.answers / day.vents);
    else perVent.remove();
  }

  return {
    countDraw: (door: Door | undefined) => count(unpublished.draws, door),
    countAnswer: (door: Door | undefined) => count(unpublished.answers, door),
    /** Before a scrape. New values once an hour: a scrape before and one after an answer must not give its time. */
    async publish(): Promise<void> {
      const now = clock.now();
      const current = Math.floor(now / hourMs);
      if (current === hour) return;
      hour = current;
      for (const [door, times] of unpublished.draws) draws.inc({ door }, times);
      for (const [door, times] of unpublished.answers) answers.inc({ door }, times);
      unpublished.draws.clear();
      unpublished.answers.clear();
      try {
        await measure(now);
      } catch {
        // A stale value would look healthy.
        waiting.reset();
        oldestHours.remove();
        perVent.remove();
      }
    },
  };
}

/** Clients that send none show vents as pages of the feed do. */
function count(counts: Map<Door, number>, door: Door = 'feed'): void {
  counts.set(door, (counts.get(door) ?? 0) + 1);
}
