/**
 * npm run bench:search -- [--size 10000000] [--requests 60]
 *
 * The search statement alone: p50 when it asks for words and sounds, and for words alone, in turns. `npm run bench` loads
 * the database.
 */
import { readOptions } from '../testkit/options.ts';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { wordAt } from '../server/seed/benchmark-texts.ts';
import { parseSearchTerms } from '../server/src/content/search/search-terms.ts';
import { searchNewest } from '../server/src/content/search/vent-search.hot.queries.ts';
import { findServices } from '../tools/services.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { median } from './lib/section.ts';
import { nameOf, prepareVents, urlOf } from './lib/vent-databases.ts';
import { searches } from './sections/growth.ts';

const { size, requests } = readOptions({ size: 10_000_000, requests: 60 });

const asked = {
  ...searches,
  // Above the target of the section `growth`, as the design allows.
  'search: three words, each in 1 of 40': [10, 11, 12].map(wordAt).join(' '),
};
/** Of the search page: twenty, and whether there are more. */
const limit = 21;

await prepareVents([size], { isFresh: false });
const deps = await buildDeps(
  readConfig({ ...findServices(), NODE_ENV: 'test', DATABASE_URL: urlOf(nameOf(size)), LOG_LEVEL: 'warn' }),
);
try {
  const rows: string[][] = [];
  for (const [name, typed] of Object.entries(asked)) {
    const terms = parseSearchTerms(typed);
    const ways = [terms, terms.map(({ words }) => ({ words, sounds: null }))];
    const times = ways.map((): number[] => []);
    for (let n = 0; n < requests; n += 1)
      for (const [way, wanted] of ways.entries()) {
        const begunAt = performance.now();
        await searchNewest(deps.databases.content, { terms: wanted, emotions: null, beforeId: null }, limit);
        times[way]?.push(performance.now() - begunAt);
      }
    rows.push([name, ...times.map((took) => median(took).toFixed(1))]);
  }
  console.log(markdownTable(['statement, p50 ms', 'with sounds', 'without'], rows));
} finally {
  await deps.close();
}
