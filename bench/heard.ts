/**
 * npm run bench:heard -- [--days 14] [--write]
 *
 * Simulates communities (assumptions in lib/heard-simulation.ts) with the server's own draw, draw.ts. Prints
 * tables and targets; `--write` writes docs/heard.md.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { readOptions } from '../testkit/options.ts';
import {
  assumed,
  kindsOf,
  newestFirst,
  simulateHearing,
  type Assumptions,
  type Outcome,
} from './lib/heard-simulation.ts';
import { markdownTable } from './lib/markdown-table.ts';

type Case = Partial<Assumptions> & Pick<Assumptions, 'people'>;

if (!isMainThread)
  parentPort?.on('message', (given: Assumptions) => parentPort?.postMessage(simulateHearing(given), []));

const usualDays = 14;
const { days, write } = readOptions({ days: usualDays, write: false });
const daysOf = (people: number) => Math.min(days, people >= 5000 ? 10 : 14);
const seedsOf: Readonly<Record<number, number>> = { 50: 10, 500: 4, 5000: 3 };

/** What a case does to each seed, on all cores: every simulation is a task of its own. */
function createSimulator() {
  const tasks: { readonly given: Assumptions; done(outcome: Outcome): void }[] = [];
  const workers = Array.from({ length: availableParallelism() }, () => {
    const worker = new Worker(new URL(import.meta.url));
    let current: (typeof tasks)[number] | undefined;
    const take = () => {
      current = tasks.shift();
      if (current) worker.postMessage(current.given, []);
    };
    worker.on('message', (outcome: Outcome) => {
      current?.done(outcome);
      take();
    });
    worker.on('error', (error) => {
      throw error;
    });
    return { worker, wake: () => void (current || take()) };
  });
  return {
    async simulate(one: Case, seeds = seedsOf[one.people] ?? 1): Promise<Figures> {
      const outcomes = Array.from(
        { length: seeds },
        (_, n) =>
          new Promise<Outcome>((done) => {
            tasks.push({ given: { ...assumed, days: daysOf(one.people), ...one, seed: n + 1 }, done });
            for (const { wake } of workers) wake();
          }),
      );
      return measure(await Promise.all(outcomes));
    },
    close: () => Promise.all(workers.map(({ worker }) => worker.terminate())),
  };
}

type Figures = ReturnType<typeof measure>;

function measure(outcomes: readonly Outcome[]) {
  const waits = outcomes.flatMap((outcome) => outcome.waits);
  const loads = outcomes.flatMap((outcome) => outcome.loads).toSorted((a, b) => a - b);
  const medianOf = (some: typeof waits) =>
    some.map(({ minutes }) => minutes).toSorted((a, b) => a - b)[some.length >> 1] ?? NaN;
  const share = (isCounted: (wait: (typeof waits)[number]) => boolean) =>
    waits.filter(isCounted).length / waits.length;
  return {
    median: medianOf(waits),
    night: medianOf(waits.filter(({ isNight }) => isNight)),
    afterHour: share(({ minutes }) => minutes > 60),
    afterDay: share(({ minutes }) => minutes > 1440),
    two: share(({ hasTwo }) => hasTwo),
    answers: outcomes.reduce((sum, outcome) => sum + outcome.answers, 0) / outcomes.length,
    load: loads.reduce((sum, one) => sum + one, 0) / loads.length,
    loadP99: loads[Math.floor(loads.length * 0.99)] ?? NaN,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const minutes = (some: number) =>
  some === Infinity ? 'never' : some < 20 ? some.toFixed(1) : some.toFixed(0);

const communities: readonly (readonly [string, Case])[] = [50, 500, 5000].flatMap((people) => [
  [`${people}, newest first alone`, { people, ...newestFirst }] as const,
  [`${people}, with listening`, { people }] as const,
]);

const variations: readonly (readonly [string, Partial<Assumptions>])[] = [
  ['as assumed: a quarter answers readily', {}],
  ['a tenth answers readily', { kinds: kindsOf(0.08, 0.02) }],
  ['an eighth', { kinds: kindsOf(0.1, 0.025) }],
  ['two fifths', { kinds: kindsOf(0.32, 0.08) }],
  ['all half as ready', { answerRate: 0.03, listenRate: 0.15 }],
  ['twice as many vents', { ventsPerPersonDay: 0.5 }],
  ['half the uptake of Listen and the ask', { kinds: kindsOf(0.2, 0.05, 0.5), askRate: 0.125 }],
  ['places beside the first page alone', { isOnEveryPage: false }],
  ['one place instead of two', { places: 1 }],
  ['places alone, nobody listens', { hasListen: false, askRate: 0 }],
  ['no places', { places: 0 }],
  ['languages unknown', { knowsLanguage: false }],
  ['a tenth is junk', { junkShare: 0.1 }],
];

async function run(): Promise<void> {
  const begunAt = performance.now();
  const { simulate, close } = createSimulator();
  const main = await Promise.all(communities.map(([, one]) => simulate(one)));
  const mainTable = markdownTable(
    [
      'people a day',
      'median',
      'at night',
      'unheard after 1 h',
      'after 24 h',
      'two answers',
      'answers ÷ vents',
      'answers of a helper a day, mean and p99',
    ],
    main.map((figures, n) => [
      communities[n]?.[0] ?? '',
      `${minutes(figures.median)} min`,
      `${minutes(figures.night)} min`,
      percent(figures.afterHour),
      percent(figures.afterDay),
      percent(figures.two),
      figures.answers.toFixed(2),
      `${figures.load.toFixed(1)}, ${figures.loadP99}`,
    ]),
  );
  // One seed at 5,000: differences below a point are noise.
  const other = await Promise.all(
    variations.map(
      async ([, one]) =>
        [await simulate({ people: 500, ...one }), await simulate({ people: 5000, ...one }, 1)] as const,
    ),
  );
  const sensitivity = markdownTable(
    ['if', '500 people: unheard after 24 h', 'answers ÷ vents', '5,000 people', 'median', 'answers ÷ vents'],
    other.map(([small, large], n) => [
      variations[n]?.[0] ?? '',
      percent(small.afterDay),
      small.answers.toFixed(2),
      percent(large.afterDay),
      `${minutes(large.median)} min`,
      large.answers.toFixed(2),
    ]),
  );
  await close();
  const [, , , at500, , at5000] = main as [Figures, Figures, Figures, Figures, Figures, Figures];
  const targets = [
    ['5,000 people: at most 5 % unheard after 24 h', percent(at5000.afterDay), at5000.afterDay <= 0.05],
    ['5,000 people: median at most 10 min', `${minutes(at5000.median)} min`, at5000.median <= 10],
    ['500 people: at most 9 % unheard after 24 h', percent(at500.afterDay), at500.afterDay <= 0.09],
  ] as const;
  console.log(`${mainTable}\n\n${sensitivity}\n`);
  for (const [what, figure, isReached] of targets)
    console.log(`${isReached ? 'reached' : 'NOT reached'}: ${what}: ${figure}`);
  const { user, system } = process.cpuUsage();
  const spent = [performance.now() - begunAt, (user + system) / 1000].map((ms) => (ms / 1000).toFixed(0));
  console.log(`${spent[0]} s, ${spent[1]} s of CPU`);
  if (write) writeFileSync(new URL('../docs/heard.md', import.meta.url), page(mainTable, sensitivity));
  // A shorter simulation judges nothing, but it must have seen a whole day of waiting.
  const isWhole = days >= usualDays;
  const isGood = isWhole ? targets.every(([, , isReached]) => isReached) : !Number.isNaN(at5000.afterDay);
  process.exitCode = isGood ? 0 : 1;
}

const page = (
  main: string,
  sensitivity: string,
) => `<!-- Generated by \`npm run bench:heard -- --write\`. Do not edit. -->

# How soon a vent is heard

For operators, when vents stay unanswered, and for contributors, before they change the draw. A vent is heard when somebody other than its author has answered it. Unheard vents are offered beside the pages of Recent, on /listen and after posting. Two rules decide how ([ADR 0007](adr/0007-content-without-authors.md)):

- **Being offered a vent is remembered nowhere**, in no table and in no memory.
- **The draw does not know who asks.** Own vents are drawn as others are, and left out afterwards.

A draw goes by age (draw.ts): a vent weighs 1 ÷ (its minutes + 5), because an answer soon is worth most, and in a quarter of the draws all weigh the same. So each of n vents comes first in at least one of 4n draws. No parameter but the language changes that: nobody can starve a vent. A memory of turns in each process left fewer unheard, 5.8 % at 500 people and 3.7 % at 5,000, for 190 lines and an attack to keep out: what moved could tell whose vents were left out.

## Figures

These are simulations with the server's own draw. How people behave is assumed: 0.25 vents and 1.8 visits a day, 8 vents looked at in a visit, a quarter of the people who answer 6 % of what they see or more, Listen in 6 % of visits.

${main}

## What it hangs on

${sensitivity}

Watch answers ÷ vents that want one. From 1.5 on hardly a vent stays unheard. Below 1.2, as where a tenth answers, a quarter of them does, whatever the order: that is the line for an alarm.

## The figure that everybody sees

Each week /heard says how many of a hundred vents were answered on their day or the next, also when it is bad. There is none for fewer than 100 vents that took answers.

- A comment has only a day, so more than that cannot be said. On Monday night one row is counted from the tables, and stays. A vent that is gone by then does not count.
- Metrics for operators change once an hour, so that a scrape before and one after an answer are equal. The counter of requests tells operators when a comment came, not on which vent.

## The team

Where few people are, the team answers what has waited for five minutes, from 8 to 24 h, and says so. Its accounts are ordinary ones with a name that contains "unsaid", which nobody can choose; the badge follows from the name. \`npm run team -- <number> unsaid_asha\` sets one on an account that exists; changing the name in the application ends it.

- Answer as your team name, never as Anonymous and never from a second account. Nothing enforces that: it is a promise.
- No machine writes, suggests or chooses an answer.
`;

if (isMainThread) await run();
