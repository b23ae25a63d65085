/**
 * npm run bench:matches -- [--sizes 10000,100000,1000000] [--requests 200] [--fresh] [--steps] [--remembered 0]: what it costs to find
 * people, and whether it costs more among a million. Prints the p50 and p99 of GET /api/match/suggestions for people who
 * ask for the first time (a search, and ten pairs written) and for people who have their ten. --steps prints where the
 * time goes instead, from the server's own traces; --remembered gives everybody who asks so many past pairs.
 */
import { parseArgs } from 'node:util';
import { targetTable } from './lib/part.ts';
import { measureSuggestions } from './parts/suggestions.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    requests: { type: 'string', default: '200' },
    fresh: { type: 'boolean', default: false },
    steps: { type: 'boolean', default: false },
    remembered: { type: 'string', default: '0' },
    port: { type: 'string', default: '3300' },
  },
});
const { text, targets = [] } = await measureSuggestions({
  sizes: values.sizes.split(',').map(Number),
  requests: Number(values.requests),
  isFresh: values.fresh,
  isTraced: values.steps,
  remembered: Number(values.remembered),
  port: Number(values.port),
});
console.log(`\n${text}\n\n${targetTable(targets)}`);
