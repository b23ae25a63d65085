/**
 * npm run measure:guard: what the guard finds on the half of guard/test/sets that nobody tunes on, with 95 % intervals
 * (Wilson). `-- --tune` counts the other half.
 */
import { intervalOf, isReached, measure } from '../guard/test/measure.ts';
import { readOptions } from '../testkit/options.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

const { tune } = readOptions({ tune: false });
console.log('| what | found | share | interval | wanted |\n|---|---|---|---|---|');
for (const figure of measure(tune ? 'tune' : 'report')) {
  const { name, count, of, wanted } = figure;
  const [low, high] = intervalOf(count, of);
  const bar = 'least' in wanted ? `≥ ${percent(wanted.least)}` : `≤ ${percent(wanted.most)}`;
  const missed = isReached(figure) ? '' : ' (missed)';
  console.log(
    `| ${name} | ${count} of ${of} | ${percent(count / of)} | ${percent(low)} to ${percent(high)} | ${bar}${missed} |`,
  );
}
