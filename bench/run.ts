/**
 * npm run bench -- [--only growth,bare,…] [--sizes 100000,1000000,10000000] [--people 10000,100000]
 *   [--past-pairs 0] [--rounds 5] [--seconds 3] [--requests 200] [--clients 64] [--fresh] [--drop]
 *   [--against /another/checkout]
 *
 * Prints the tables of docs/performance.md as Markdown and writes the numbers to bench/results. Loads its databases the
 * first time (up to half an hour, 18 GB) and keeps them. `--fresh` loads them again, `--drop` deletes them. Measures for
 * about a quarter of an hour.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { targetTable, type BenchContext, type Section, type SectionResult } from './lib/section.ts';
import { psql } from './lib/psql.ts';
import { dropDatabase, nameOf, prepareVents, urlOf } from './lib/vent-databases.ts';
import { measureBareEngine } from './sections/bare-engine.ts';
import { measureEveryCall } from './sections/calls.ts';
import { measureGrowth } from './sections/growth.ts';
import { measureHotVent } from './sections/hot-vent.ts';
import { measureInbox } from './sections/inbox.ts';
import { measureListening } from './sections/listening.ts';
import { measureProcesses } from './sections/processes.ts';
import { measureSignIns } from './sections/sign-ins.ts';
import { measureSuggestions, peopleDatabaseOf } from './sections/suggestions.ts';

interface NamedSection {
  readonly title: string;
  readonly measure: Section;
  /** Runs on the databases with vents. */
  readonly needsVents: boolean;
}

const sections: Record<string, NamedSection> = {
  growth: { title: 'Growth: the same calls at every size', measure: measureGrowth, needsVents: true },
  'bare-engine': { title: 'HTTP over the bare engine', measure: measureBareEngine, needsVents: true },
  calls: { title: 'Every call', measure: measureEveryCall, needsVents: true },
  inbox: { title: 'The inbox', measure: measureInbox, needsVents: true },
  listening: { title: 'Vents that wait', measure: measureListening, needsVents: true },
  processes: { title: 'Two api processes against one', measure: measureProcesses, needsVents: true },
  'sign-ins': { title: 'Sign-ins', measure: measureSignIns, needsVents: false },
  'hot-vent': { title: 'The hot vent', measure: measureHotVent, needsVents: false },
  suggestions: { title: 'Suggestions', measure: measureSuggestions, needsVents: false },
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(sections).join() },
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    people: { type: 'string', default: '10000,100000' },
    'past-pairs': { type: 'string', default: '0' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '200' },
    clients: { type: 'string', default: '64' },
    against: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    drop: { type: 'boolean', default: false },
  },
});
const ascending = (list: string) =>
  list
    .split(',')
    .map(Number)
    .toSorted((a, b) => a - b);
const [sizes, people] = [ascending(values.sizes), ascending(values.people)];
const wanted = values.only.split(',').map((begun) => {
  const found = Object.entries(sections).find(([name]) => name.startsWith(begun));
  if (!found) throw new Error(`no section ${begun}; there are ${Object.keys(sections).join()}`);
  return found;
});

const secondsSince = (begunAt: number) => ((performance.now() - begunAt) / 1000).toFixed(0);

if (values.drop) {
  for (const name of [...sizes.map(nameOf), ...people.map(peopleDatabaseOf)]) dropDatabase(name);
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
    pastPairs: Number(values['past-pairs']),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    requests: Number(values.requests),
    clients: Number(values.clients),
    isFresh: values.fresh,
    against: values.against ?? null,
    redis,
  };
  const results: Record<string, SectionResult> = {};
  const took: string[][] = [];
  try {
    for (const [name, { title, measure }] of wanted) {
      const sectionBegunAt = performance.now();
      const result = await measure(context);
      results[name] = result;
      took.push([name, `${secondsSince(sectionBegunAt)} s`]);
      console.log(`\n## ${title}\n\n${result.text}\n`);
    }
  } finally {
    await redis.remove();
  }
  const targets = Object.values(results).flatMap((result) => result.targets ?? []);
  if (targets.length > 0) console.log(`\n## Targets\n\n${targetTable(targets)}\n`);
  console.log(`\n## Time\n\n${markdownTable(['section', 'took'], took)}\n`);
  console.log(`${loaded.join('; ') || 'No database was loaded'}. ${secondsSince(begunAt)} s in total.`);
  writeResults(machine, results);
}

interface StoredResult extends SectionResult {
  readonly at: string;
  readonly machine: string;
}

/** One file a day. A section that is measured again replaces its earlier result. */
function writeResults(machine: string, results: Record<string, SectionResult>): void {
  const folder = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}/${at.slice(0, 10)}`;
  const before = existsSync(`${file}.json`)
    ? (JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Record<string, StoredResult>)
    : {};
  const measured = Object.fromEntries(
    Object.entries(results).map(([name, result]): [string, StoredResult] => [
      name,
      { at, machine, ...result },
    ]),
  );
  const stored = { ...before, ...measured };
  writeFileSync(`${file}.json`, `${JSON.stringify(stored, null, 2)}\n`);
  const texts = Object.entries(sections).flatMap(([name, { title }]) =>
    stored[name] ? [`## ${title}\n\n${stored[name].text}\n`] : [],
  );
  writeFileSync(`${file}.md`, texts.join('\n'));
  console.log(`Numbers: ${file}.json; Markdown: ${file}.md.`);
  console.log('npm run bench -- --drop deletes the databases.');
}
