import { randomInt, randomUUID } from 'node:crypto';
import type { Base } from '../../kernel/base.ts';
import { addDays, dayInIndia, dayMs, hourMs, startOfDayInIndia, type Day } from '../../platform/clock.ts';
import { weekOf } from '../../platform/coarse-days.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import { addCounts, answerCell, noCounts, withdrawalCell } from './heard-figure.ts';
import type { Counts, FirstAnswer } from './heard-figure.ts';

/**
 * How long vents waited for their first answer, in the memory of one process. A comment has only a day, so nothing is
 * written when it comes: every few hours all sums are, encrypted and of one length, also where nothing happened. A crash
 * loses what was counted since.
 */
export interface HeardCounts {
  addAnswer(answer: FirstAnswer): void;
  /** A vent that its author deleted unheard. Counts within a day. */
  addWithdrawal(createdAt: Date): void;
  flush(): Promise<void>;
  /** The sums of all processes. */
  read(week: Day): Promise<Counts>;
  /** Flushes at random times until it is stopped, and once more then. */
  start(): { stop(): Promise<void> };
}

const leastFlushMs = 2 * hourMs;
const mostFlushMs = 4 * hourMs;
/** The counts of vents of this week and the last. */
const weeksKept = 2;
/** After its Monday. The same for every process and flush: an expiry must not tell a time. */
const keptDays = 21;
/** A multiple that holds all counts, so that the length tells nothing. */
const paddedBytes = 512;

const writeScript = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])`;

type HeardCountsDeps = Pick<Base, 'clock' | 'redis' | 'redisCrypto'>;

export function createHeardCounts({ clock, redis, redisCrypto }: HeardCountsDeps): HeardCounts {
  /** Each process writes its own sums, so that a write which timed out can be repeated. */
  const field = randomUUID();
  const counted = new Map<Day, Counts>();

  const keyOf = (week: Day) => `heard:${week}`;
  const write = redis.script(writeScript);

  function add(createdAt: Date, cell: number): void {
    const week = weekOf(dayInIndia(createdAt.getTime()));
    counted.set(week, addCounts(counted.get(week) ?? noCounts, noCounts.with(cell, 1)));
  }

  async function flush(): Promise<void> {
    const newest = weekOf(dayInIndia(clock.now()));
    const weeks = Array.from({ length: weeksKept }, (_, back) => addDays(newest, -7 * back));
    for (const week of counted.keys()) if (!weeks.includes(week)) counted.delete(week);
    for (const week of weeks) {
      const sealed = redisCrypto.encrypt(counted.get(week) ?? noCounts, paddedBytes);
      const leftMs = startOfDayInIndia(addDays(week, keptDays)) - clock.now();
      await write([keyOf(week)], [field, sealed, leftMs]);
    }
  }

  /** Without Redis the sums stay here until the next time. */
  async function tryFlush(): Promise<void> {
    await flush().catch((error: unknown) => {
      if (!(error instanceof RedisUnavailable)) throw error;
    });
  }

  return {
    addAnswer: (answer) => add(answer.createdAt, answerCell(answer, clock.now())),
    addWithdrawal(createdAt) {
      if (clock.now() - createdAt.getTime() < dayMs) add(createdAt, withdrawalCell(createdAt));
    },
    flush,
    async read(week) {
      const sealed = await redis.run((client) => client.hvals(keyOf(week)));
      return sealed
        .map((one) => redisCrypto.decrypt(one))
        .reduce<Counts>((all, one) => (isCounts(one) ? addCounts(all, one) : all), noCounts);
    },
    start() {
      let timer: NodeJS.Timeout;
      const schedule = () => {
        timer = setTimeout(() => void tryFlush().finally(schedule), randomInt(leastFlushMs, mostFlushMs));
        timer.unref();
      };
      schedule();
      return {
        async stop() {
          clearTimeout(timer);
          await tryFlush();
        },
      };
    },
  };
}

/** Of a process with the same cells. A release that changes them starts a week with fewer. */
const isCounts = (value: unknown): value is Counts =>
  Array.isArray(value) && value.length === noCounts.length && value.every(Number.isSafeInteger);
