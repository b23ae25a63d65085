/**
 * npm run bench:profile -- [--size 100000] [--seconds 10] [--query page=1] [--svg docs/feed-cost.svg]
 *
 * The CPU profile of one feed page under load: shares by origin and function, and a flame graph. Without `--query`, of the
 * page that everybody shares and of one that is made for each request. `npm run bench` loads the database.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needPrograms, readOptions } from '../testkit/options.ts';
import { listVents } from '@unsaid/contract';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { cpuOf } from '../tools/cpu.ts';
import {
  readFrames,
  renderFlameGraph,
  sharesByFunction,
  sharesByOrigin,
  type CpuProfile,
} from './lib/flame-graph.ts';
import { runWrk } from './lib/load.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { nameOf, prepareVents } from './lib/vent-databases.ts';
import { startVentServer } from './lib/vent-server.ts';

const { size, seconds, query: wanted, svg } = readOptions({ size: 100_000, seconds: 10, query: '', svg: '' });

/** Without the start of the server and the warm-up. */
function lastSeconds(recorded: CpuProfile, most: number): CpuProfile {
  let from = recorded.samples.length;
  for (let left = most * 1e6; left > 0 && from > 0; from -= 1) left -= recorded.timeDeltas[from - 1] ?? 0;
  return {
    nodes: recorded.nodes,
    samples: recorded.samples.slice(from),
    timeDeltas: recorded.timeDeltas.slice(from),
  };
}

async function profile(query: string, redis: Awaited<ReturnType<typeof startTempRedis>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-profile-'));
  const context = {
    ...{ sizes: [size], people: [], pastPairs: 0, rounds: 1, seconds, requests: 1, clients: 1 },
    ...{ isFresh: false, against: null, redis },
  };
  const { server, token, close } = await startVentServer(context, nameOf(size), {
    env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` },
  });
  const address = `http://127.0.0.1:${server.port}${listVents.path}?${query}`;
  runWrk(address, token, 2);
  const before = cpuOf(server.pid).seconds;
  const rate = runWrk(address, token, seconds);
  const cpuMs = ((cpuOf(server.pid).seconds - before) * 1000) / (rate * seconds);
  await close();
  // One for each process: migrations have one too.
  const file = readdirSync(folder).find((name) => name.includes(`.${server.pid}.`)) ?? '';
  const recorded = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
  rmSync(folder, { recursive: true });
  const root = readFrames(lastSeconds(recorded, seconds));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  console.log(
    `\n## ${query}: ${Math.round(rate)} a second, ${cpuMs.toFixed(2)} ms of api CPU each, while profiled\n`,
  );
  const rows = (list: [string, number][]) => list.map(([name, share]) => [name, percent(share)]);
  console.log(markdownTable(['in the code of', 'share'], rows(sharesByOrigin(root).slice(0, 14))));
  console.log(`\n${markdownTable(['function', 'share'], rows(sharesByFunction(root).slice(0, 40)))}`);
  if (svg !== '') {
    writeFileSync(svg, renderFlameGraph(root, `CPU of the api, GET ${listVents.path}?${query}`));
    console.log(`\n${svg}`);
  }
}

needPrograms({ wrk: 'wrk' });
await prepareVents([size], { isFresh: false });
const redis = await startTempRedis();
try {
  for (const query of wanted === '' ? ['page=1', 'page=1&limit=6'] : [wanted]) await profile(query, redis);
} finally {
  await redis.remove();
}
