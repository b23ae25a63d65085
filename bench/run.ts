/**
 * npm run bench -- [--only growth,bare,…] [--sizes 100000,1000000,10000000] [--people 10000,100000]
 *   [--past-pairs 0] [--rounds 5] [--seconds 3] [--requests 200] [--clients 64] [--fresh] [--drop]
 *   [--against /another/checkout]
 *
 * Prints the tables of docs/performance.md as Markdown. Loads its databases the first time (up to half an hour, 18 GB)
 * and keeps them. `--fresh` loads them again; `--drop` deletes them, those of other sizes and of bench:compare too.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { needPrograms, readOptions } from '../testkit/options.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { targetTable, type BenchContext, type Section, type Target } from './lib/section.ts';
import { psql } from './lib/psql.ts';
import { dropAll, prepareVents, urlOf } from './lib/vent-databases.ts';
import { measureBareEngine } from './sections/bare-engine.ts';
import { measureEveryCall } from './sections/calls.ts';
import { measureGrowth } from './sections/growth.ts';
import { measureHotVent } from './sections/hot-vent.ts';
import { measureInbox } from './sections/inbox.ts';
import { measureListening } from './sections/listening.ts';
import { measureProcesses } from './sections/processes.ts';
import { measureSignIns } from './sections/sign-ins.ts';
import { measureSuggestions } from './sections/suggestions.ts';

interface NamedSection {
  readonly title: string;
  readonly measure: Section;
  /** Runs on the databases with vents. */
  readonly needsVents: boolean;
  readonly needsWrk?: true;
}

const sections: Record<string, NamedSection> = {
  growth: { title: 'Growth: the same calls at every size', measure: measureGrowth, needsVents: true },
  'bare-engine': {
    title: 'HTTP over the bare engine',
    measure: measureBareEngine,
    needsVents: true,
    needsWrk: true,
  },
  calls: { title: 'Every call', measure: measureEveryCall, needsVents: true },
  inbox: { title: 'The inbox', measure: measureInbox, needsVents: true },
  listening: { title: 'Vents that wait', measure: measureListening, needsVents: true },
  processes: {
    title: 'Two api processes against one',
    measure: measureProcesses,
    needsVents: true,
    needsWrk: true,
  },
  'sign-ins': { title: 'Sign-ins', measure: measureSignIns, needsVents: false },
  'hot-vent': { title: 'The hot vent', measure: measureHotVent, needsVents: false },
  suggestions: { title: 'Suggestions', measure: measureSuggestions, needsVents: false },
};

const values = readOptions({
  only: Object.keys(sections),
  sizes: [100_000, 1_000_000, 10_000_000],
  people: [10_000, 100_000],
  'past-pairs': 0,
  rounds: 5,
  seconds: 3,
  requests: 200,
  clients: 64,
  against: '',
  fresh: false,
  drop: false,
});
const [sizes, people] = [values.sizes, values.people].map((list) => list.toSorted((a, b) => a - b)) as [
  number[],
  number[],
];
const wanted = Object.entries(sections).filter(([name]) => values.only.includes(name));

if (wanted.some(([, section]) => section.needsWrk)) needPrograms({ wrk: 'wrk' });

const secondsSince = (begunAt: number) => ((performance.now() - begunAt) / 1000).toFixed(0);

if (values.drop) {
  const dropped = dropAll();
  console.log(`${dropped.length} databases dropped${dropped.map((name) => ` ${name}`).join()}`);
} else {
  await bench();
}

async function bench(): Promise<void> {
  const begunAt = performance.now();
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const buffers = psql(urlOf('postgres'), 'show shared_buffers');
  console.log(
    `${new Date().toISOString()}, ${machine}, load average ${loadavg()[0]?.toFixed(2)}, shared_buffers ${buffers}\n`,
  );
  const needsVents = wanted.some(([, section]) => section.needsVents);
  const loaded = needsVents ? await prepareVents(sizes, { isFresh: values.fresh }) : [];
  const redis = await startTempRedis();
  const context: BenchContext = {
    sizes,
    people,
    pastPairs: values['past-pairs'],
    rounds: values.rounds,
    seconds: values.seconds,
    requests: values.requests,
    clients: values.clients,
    isFresh: values.fresh,
    against: values.against === '' ? null : values.against,
    redis,
  };
  const targets: Target[] = [];
  const took: string[][] = [];
  try {
    for (const [name, { title, measure }] of wanted) {
      const sectionBegunAt = performance.now();
      const result = await measure(context);
      targets.push(...(result.targets ?? []));
      took.push([name, `${secondsSince(sectionBegunAt)} s`]);
      console.log(`\n## ${title}\n\n${result.text}\n`);
    }
  } finally {
    await redis.remove();
  }
  if (targets.length > 0) console.log(`\n## Targets\n\n${targetTable(targets)}\n`);
  console.log(`\n## Time\n\n${markdownTable(['section', 'took'], took)}\n`);
  console.log(`${loaded.join('; ') || 'No database was loaded'}. ${secondsSince(begunAt)} s in total.`);
  console.log('npm run bench -- --drop deletes the databases.');
}
