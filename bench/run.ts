/**
 * npm run bench -- [--sizes 100000,1000000,10000000] [--only growth,bare,…] [--rounds 5] [--seconds 3] [--requests 200]
 * [--fresh] [--against /another/checkout]: all that docs/performance.md and the README quote, as Markdown on the screen and as numbers in
 * bench/results. Loads its own databases, which takes up to half an hour, and keeps them: 18 GB; `--fresh` makes them
 * anew, `--drop` takes them away. Measures for about a quarter of an hour.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { markdownTable } from './lib/markdown-table.ts';
import { createRedis } from './lib/own-redis.ts';
import { targetTable, type BenchContext, type Part, type PartResult } from './lib/part.ts';
import { dropDatabase, nameOf, prepareVents } from './lib/vent-databases.ts';
import { measureBareEngine } from './parts/bare-engine.ts';
import { measureEveryCall } from './parts/calls.ts';
import { measureGrowth } from './parts/growth.ts';
import { measureHotVent } from './parts/hot-vent.ts';
import { measureProcesses } from './parts/processes.ts';
import { measureSignIns } from './parts/sign-ins.ts';
import { crowdNameOf, measureSuggestions } from './parts/suggestions.ts';

const parts: Record<string, readonly [title: string, measure: Part]> = {
  growth: ['Growth: the same calls at every size, request by request in turns', measureGrowth],
  bare: ['HTTP over the bare engine', measureBareEngine],
  calls: ['Every call', measureEveryCall],
  processes: ['Two api processes against one', measureProcesses],
  signins: ['Sign-ins', measureSignIns],
  hot: ['The hot vent', hotVent],
  suggestions: ['Suggestions', suggestions],
};

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    only: { type: 'string', default: Object.keys(parts).join() },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '200' },
    against: { type: 'string' },
    port: { type: 'string', default: '3500' },
    fresh: { type: 'boolean', default: false },
    drop: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes
  .split(',')
  .map(Number)
  .toSorted((a, b) => a - b);
const wanted = values.only.split(',');
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`no such part: ${unknown.join()}; there are ${Object.keys(parts).join()}`);

const crowds = [10_000, 100_000];

/** Short ones of what `npm run bench:hot-vent` and `npm run bench:matches` measure at length. */
async function hotVent({ nextPort }: BenchContext): Promise<PartResult> {
  const result = await measureHotVent({ seconds: 10, clients: 64, port: nextPort() });
  if (result.problems.length > 0) throw new Error(result.problems.join('; '));
  return result;
}

function suggestions({ requests }: BenchContext): Promise<PartResult> {
  return measureSuggestions({
    sizes: crowds,
    requests,
    isFresh: values.fresh,
    isTraced: false,
    remembered: 0,
    port: 3700,
  });
}

const secondsSince = (begunAt: number) => ((performance.now() - begunAt) / 1000).toFixed(0);

if (values.drop) {
  for (const name of [...sizes.map(nameOf), ...crowds.map(crowdNameOf)]) dropDatabase(name);
} else {
  await bench();
}

async function bench(): Promise<void> {
  const begunAt = performance.now();
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  console.log(`${new Date().toISOString()}, ${machine}, load average ${loadavg()[0]?.toFixed(2)}\n`);
  const loaded = await prepareVents(sizes, { isFresh: values.fresh });
  const redis = await createRedis();
  let port = Number(values.port);
  const context: BenchContext = {
    sizes,
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    requests: Number(values.requests),
    against: values.against ?? null,
    redis,
    nextPort: () => (port += 2),
  };
  const results: Record<string, PartResult> = {};
  const took: string[][] = [];
  try {
    for (const name of wanted) {
      const [title, measure] = parts[name] as (typeof parts)[string];
      const partBegunAt = performance.now();
      const result = await measure(context);
      results[name] = result;
      took.push([name, `${secondsSince(partBegunAt)} s`]);
      console.log(`\n## ${title}\n\n${result.text}\n`);
    }
  } finally {
    await redis.remove();
  }
  const targets = Object.values(results).flatMap((result) => result.targets ?? []);
  if (targets.length > 0) console.log(`\n## Targets\n\n${targetTable(targets)}\n`);
  console.log(`\n## Time\n\n${markdownTable(['part', 'took'], took)}\n`);
  console.log(`${loaded.join('; ') || 'Nothing had to be loaded'}. ${secondsSince(begunAt)} s in all.`);
  writeResults(machine, results);
}

interface Kept extends PartResult {
  readonly at: string;
  readonly machine: string;
}

/** A file a day; a part that is measured again takes the place of what it said before. */
function writeResults(machine: string, results: Record<string, PartResult>): void {
  const folder = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}/${at.slice(0, 10)}`;
  const before = existsSync(`${file}.json`)
    ? (JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Record<string, Kept>)
    : {};
  const measured = Object.fromEntries(
    Object.entries(results).map(([name, result]): [string, Kept] => [name, { at, machine, ...result }]),
  );
  const kept = { ...before, ...measured };
  writeFileSync(`${file}.json`, `${JSON.stringify(kept, null, 2)}\n`);
  const sections = Object.entries(parts).flatMap(([name, [title]]) =>
    kept[name] ? [`## ${title}\n\n${kept[name].text}\n`] : [],
  );
  writeFileSync(`${file}.md`, sections.join('\n'));
  console.log(`In numbers: ${file}.json; to be pasted: ${file}.md.`);
  console.log('npm run bench -- --drop takes the databases away.');
}
