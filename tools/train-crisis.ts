/**
 * npm run train:crisis: trains the word models of the guard on the development sets and writes guard/src/crisis-weights.ts
 * and readers-weights.ts. The same sets give the same files.
 *
 * With --validate it writes nothing: it trains without one writer's set, reads that set, and so on for each, and prints
 * what the reading reaches on sentences that it was not trained on.
 */
import { writeFileSync } from 'node:fs';
import { combineAbuse, readHints } from '../guard/src/abuse.ts';
import { combine } from '../guard/src/crisis.ts';
import { toSentences } from '../guard/src/fold.ts';
import { isRefused } from '../guard/src/readers.ts';
import { highest } from '../guard/src/scores.ts';
import { createScorer, type PackedModel } from '../guard/src/word-model.ts';
import { readOptions } from '../testkit/options.ts';
import { examples, type Example } from './crisis-examples.ts';
import { crisisScores, readersScores, train } from './crisis-training.ts';

function write(file: string, name: string, { hashes, weights, starts }: PackedModel): void {
  writeFileSync(
    new URL(`../guard/src/${file}.ts`, import.meta.url),
    `import type { PackedModel } from './word-model.ts';

/** Written by \`npm run train:crisis\`. */
export const ${name}: PackedModel = {
  hashes:
    '${hashes}',
  weights: [
${weights.map((digits) => `    '${digits}',`).join('\n')}
  ],
  starts: [${starts.join(', ')}],
};
`,
  );
}

const own = ['1', '2', '3', 'd'];
const abuse = ['av', 'ap', 'ac', 'ao'];

/** Each writer's set is read by models that have not seen it. */
function validate(): void {
  const figuresOf = (writer: string) => {
    const others = examples.filter((example) => example.writer !== writer);
    const score = createScorer(train(others, crisisScores));
    const scoreReaders = createScorer(train(others, readersScores));
    const read = examples
      .filter((example) => example.writer === writer)
      .map((example: Example) => {
        const sentences = toSentences(example.text);
        const parts = example.parts.map((part) => new Set(part));
        const scores = highest(parts.map(score));
        const { level, isAboutSomeoneElse } = combine(sentences, scores);
        const telling = Math.max(-Infinity, ...parts.map((part) => scoreReaders(part)[0] as number));
        return {
          ...example,
          isOwn: level > 0 && !isAboutSomeoneElse,
          level,
          isLoud: level > 1 || isAboutSomeoneElse,
          isOthers: isAboutSomeoneElse,
          abuse: combineAbuse(readHints(example.text, sentences), scores),
          isRefused: isRefused(sentences, telling),
        };
      });
    type Read = (typeof read)[number];
    const share = (labels: readonly string[], test: (row: Read) => boolean, kinds = /^/u) => {
      const some = read.filter(({ label, kind }) => labels.includes(label) && kinds.test(kind));
      return some.length === 0
        ? '–'
        : `${Math.round((100 * some.filter(test).length) / some.length)} % of ${some.length}`;
    };
    const near = /^(?!ordinary|vent)/u;
    return {
      own: share(own, ({ isOwn }) => isOwn, /^(?!selftalk)/u),
      '2, 3 at 2+': share(['2', '3'], ({ level }) => level > 1),
      '3 at 3': share(['3'], ({ level }) => level > 2),
      'own as others': share(own, ({ isOthers }) => isOthers),
      'about others': share(['o'], ({ isOthers }) => isOthers),
      abuse: share(abuse, (row) => row.abuse !== null),
      child: share(['ac'], (row) => row.abuse === 'child'),
      'adult as child': share(['av', 'ap', 'ao'], (row) => row.abuse === 'child'),
      'near misses loud': share(['0'], ({ isLoud }) => isLoud, near),
      quiet: share(['0'], (row) => !row.isLoud && (row.isOwn || row.abuse !== null), near),
      'ordinary with a card': share(
        ['0'],
        (row) => row.isLoud || row.isOwn || row.abuse !== null,
        /^(?:ordinary|vent)$/u,
      ),
      telling: share(['t'], (row) => row.isRefused),
      'others refused': share([...own, ...abuse, 'o', 'p', 'q', '0'], (row) => row.isRefused),
    };
  };
  console.table(
    Object.fromEntries(
      ['tune', 'first', 'dev7', 'dev6', 'dev5', 'dev4', 'dev3', 'dev2'].map((writer) => [
        writer,
        figuresOf(writer),
      ]),
    ),
  );
}

if (readOptions({ validate: false }).validate) validate();
else {
  write('crisis-weights', 'crisisWeights', train(examples, crisisScores));
  write('readers-weights', 'readersWeights', train(examples, readersScores));
}
