/**
 * npm run bench:search -- [--size 10000000] [--requests 60]
 *
 * The search statement alone: p50 when it asks for words and sounds, and for words alone, in turns. `npm run bench` loads
 * the database.
 */
import { parseArgs } from 'node:util';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { wordAt } from '../server/src/vents/benchmark-texts.seed.ts';
import { parseSearchTerms } from '../server/src/vents/search-terms.ts';
import { searchNewest } from '../server/src/vents/vent-search.queries.ts';
import { percentile } from './lib/client.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { nameOf, prepareVents, services, urlOf } from './lib/vent-databases.ts';

const { values } = parseArgs({
  options: { size: { type: 'string', default: '10000000' }, requests: { type: 'string', default: '60' } },
});
const size = Number(values.size);

const searches: Record<string, string> = {
  'one word in 1 of 40': wordAt(10),
  'one in 1 of 40,000': wordAt(10_000),
  'a frequent and a rare': `feel ${wordAt(10_000)}`,
  'no match': 'zzzzz',
  'two in 1 of 40': `${wordAt(10)} ${wordAt(11)}`,
  'two in 1 of 400': `${wordAt(100)} ${wordAt(101)}`,
  'three in 1 of 40': `${wordAt(10)} ${wordAt(11)} ${wordAt(12)}`,
};
/** Of the search page: twenty, and whether there are more. */
const limit = 21;

// The larger ones are made from the smallest.
await prepareVents([...new Set([100_000, size])], { isFresh: false });
const deps = await buildDeps(
  readConfig({ ...services, NODE_ENV: 'test', DATABASE_URL: urlOf(nameOf(size)), LOG_LEVEL: 'warn' }),
);
try {
  const rows: string[][] = [];
  for (const [name, typed] of Object.entries(searches)) {
    const terms = parseSearchTerms(typed);
    const ways = [terms, terms.map(({ words }) => ({ words, sounds: null }))];
    const times = ways.map((): number[] => []);
    for (let n = 0; n < Number(values.requests); n += 1)
      for (const [way, asked] of ways.entries()) {
        const begunAt = performance.now();
        await searchNewest(deps.db.content, { terms: asked, emotions: null, beforeId: null }, limit);
        times[way]?.push(performance.now() - begunAt);
      }
    rows.push([
      name,
      ...times.map((took) =>
        percentile(
          took.toSorted((a, b) => a - b),
          0.5,
        ).toFixed(1),
      ),
    ]);
  }
  console.log(markdownTable(['statement, p50 ms', 'with sounds', 'without'], rows));
} finally {
  await deps.close();
}
